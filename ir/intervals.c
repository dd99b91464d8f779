/* ir/intervals.c -- which operations cannot fail while inputs are small: what a tile tests once instead of checking each row.
**
** Intervals, forward over the groups.  Samples that a ring has from before the tile are tested to be in the interval of what is pushed there;
** those of a running sum or count to be so small that a tile of rows does not leave the Ints.  In a lane that has failed an Int may be
** anything, so what may fail has the interval of all Ints. */
#include "ir/intervals.h"

typedef __int128 wide;

static const wir_interval all_ints = {INT64_MIN, INT64_MAX}, bools = {0, 1};

static wir_interval of_bits(unsigned bits) {
  if (bits >= 63) return all_ints;
  return (wir_interval){-(INT64_C(1) << bits), (INT64_C(1) << bits) - 1};
}

unsigned wir_interval_bits(wir_interval r) {
  uint64_t low = r.low < 0 ? ~(uint64_t)r.low : (uint64_t)r.low, high = r.high < 0 ? ~(uint64_t)r.high : (uint64_t)r.high, any = low | high;
  return any == 0 ? 0 : 64 - (unsigned)__builtin_clzll(any);
}

static wir_interval hull(wir_interval a, wir_interval b) {
  return (wir_interval){WB_MIN(a.low, b.low), WB_MAX(a.high, b.high)};
}

typedef struct analysis {
  const wir_order *g;
  unsigned bits;
  uint8_t *checks;
  wir_interval *ranges;
  uint32_t n_checks;
} analysis;

/* The interval of an instruction whose result, without wrapping, is in [low, high]. */
static wir_interval settle(analysis *a, uint32_t i, wide low, wide high, bool fails) {
  fails |= low < INT64_MIN || high > INT64_MAX;
  if (!fails) return (wir_interval){(int64_t)low, (int64_t)high};
  if (wir_ins_fails(wir_order_ins(a->g, i))) {
    a->checks[i] = 1;
    a->n_checks++;
  }
  return all_ints;
}

static wir_interval of_product(analysis *a, uint32_t i, wir_interval x, wir_interval y) {
  wide p[4] = {(wide)x.low * y.low, (wide)x.low * y.high, (wide)x.high * y.low, (wide)x.high * y.high}, low = p[0], high = p[0];
  for (int k = 1; k < 4; k++) low = WB_MIN(low, p[k]), high = WB_MAX(high, p[k]);
  return settle(a, i, low, high, false);
}

static wide size_of(wir_interval x) { return WB_MAX(-(wide)x.low, (wide)x.high); }

/* No farther from 0 than x, also in a lane where it failed (tile_loops.h). */
static wir_interval of_quotient(analysis *a, uint32_t i, wir_interval x, wir_interval y) {
  bool fails = (y.low <= 0 && y.high >= 0) || (x.low == INT64_MIN && y.low <= -1 && y.high >= -1);
  if (fails) (void)settle(a, i, 0, 0, true);
  if (x.low == INT64_MIN) return all_ints;
  return x.low >= 0 && y.low >= 0 ? (wir_interval){0, x.high} : (wir_interval){(int64_t)-size_of(x), (int64_t)size_of(x)};
}

static wir_interval of_remainder(analysis *a, uint32_t i, wir_interval x, wir_interval y) {
  bool fails = (y.low <= 0 && y.high >= 0) || (x.low == INT64_MIN && y.low <= -1 && y.high >= -1);
  if (fails) (void)settle(a, i, 0, 0, true);
  wide most = WB_MIN(size_of(x), WB_MAX(size_of(y) - 1, 0));
  most = WB_MIN(most, INT64_MAX);
  return (wir_interval){x.low < 0 ? (int64_t)-most : 0, x.high > 0 ? (int64_t)most : 0};
}

static wir_interval of_arith(analysis *a, uint32_t i, const wir_ins *in) {
  wir_interval x = a->ranges[in->args[0].i], y = wir_insns[in->op].operands > 1 ? a->ranges[in->args[1].i] : x;
  switch ((unsigned)in->op) {
  case WIR_I_ADD: return settle(a, i, (wide)x.low + y.low, (wide)x.high + y.high, false);
  case WIR_I_SUB: return settle(a, i, (wide)x.low - y.high, (wide)x.high - y.low, false);
  case WIR_I_MUL: return of_product(a, i, x, y);
  case WIR_I_DIV: return of_quotient(a, i, x, y);
  case WIR_I_REM: return of_remainder(a, i, x, y);
  case WIR_I_NEG: return settle(a, i, -(wide)x.high, -(wide)x.low, false);
  case WIR_I_ABS: return settle(a, i, x.low > 0 ? x.low : x.high < 0 ? -(wide)x.high : 0, size_of(x), false);
  }
  return settle(a, i, 0, 0, true);
}

static wir_interval of_one(analysis *a, uint32_t i) {
  const wir_ins *in = wir_order_ins(a->g, i);
  if (in->kind == WIR_KIND_BOOL) return bools;
  if (in->kind == WIR_KIND_FLOAT) return all_ints;
  switch ((unsigned)in->op) {
  case WIR_I_CONST: return (wir_interval){in->imm.i, in->imm.i};
  case WIR_I_READ: return of_bits(a->bits);
  case WIR_I_RING: { /* the samples are tested against what is pushed: powers of 2 */
    uint32_t pushed = a->g->kept[in->state] - 1;
    if (!wir_is_inside_tile(a->g, in) || pushed == UINT32_MAX) return all_ints;
    return of_bits(wir_interval_bits(a->ranges[pushed]));
  }
  case WIR_I_HOLD: case WIR_I_FILL: case WIR_I_DEFAULT: /* what else they may be is tested where tiles fill columns with it */
    if (a->g->rows == 1 && wir_order_ins(a->g, in->args[0].i)->may != 0) return all_ints;
    return a->ranges[in->args[0].i];
  case WIR_I_GUARD: case WIR_I_GATE: return a->ranges[in->args[1].i];
  case WIR_I_SELECT: return hull(a->ranges[in->args[1].i], a->ranges[in->args[2].i]);
  }
  return of_arith(a, i, in);
}

/* Ints that a tested state reaches when it gains what is in `x` in each row of a tile. */
static bool stays(const analysis *a, wir_interval x) {
  wide most = (wide)INT64_MAX - ((wide)1 << WIR_SUM_BITS);
  return size_of(x) * a->g->rows <= most;
}

/* A run may also begin anew, with what it does not gain. */
static bool can_stay(const analysis *a, const wir_group *group) {
  bool is_sum = group->form == WIR_FORM_SUM || group->form == WIR_FORM_DROP, is_run = group->form == WIR_FORM_RUN;
  if (a->bits >= 63 || (!is_sum && !is_run) || wir_order_ins(a->g, group->result)->kind != WIR_KIND_INT) return false;
  bool is_anew = is_run && group->z != group->prev;
  return stays(a, a->ranges[group->x]) && (!is_anew || wir_interval_bits(a->ranges[group->z]) <= WIR_SUM_BITS);
}

static void fail_all(analysis *a, const wir_group *group) {
  for (uint32_t k = 0; k < group->n; k++) {
    uint32_t i = a->g->order[group->first + k];
    a->ranges[i] = wir_order_ins(a->g, i)->kind == WIR_KIND_BOOL ? bools : all_ints;
    if (!wir_ins_fails(wir_order_ins(a->g, i))) continue;
    a->checks[i] = 1;
    a->n_checks++;
  }
}

static void of_group(analysis *a, const wir_group *group) {
  const wir_order *g = a->g;
  if (group->form == WIR_FORM_SINGLE) {
    uint32_t i = g->order[group->first];
    a->ranges[i] = of_one(a, i);
    return;
  }
  if (can_stay(a, group)) {
    for (uint32_t k = 0; k < group->n; k++) a->ranges[g->order[group->first + k]] = all_ints;
    return;
  }
  fail_all(a, group);
}

uint32_t wir_checks(const wir_order *g, unsigned bits, uint8_t *checks, wir_interval *ranges) {
  analysis a = {.g = g, .bits = bits, .checks = checks, .ranges = ranges};
  for (uint32_t i = 0; i < g->body->n_ins; i++) checks[i] = 0;
  for (uint32_t i = 0; i < g->n_groups; i++) of_group(&a, &g->groups[i]);
  return a.n_checks;
}

unsigned wir_checks_bits(const wir_order *g, uint8_t *checks, wir_interval *ranges) {
  unsigned low = WIR_LEAST_BITS, high = 63;
  uint32_t least = wir_checks(g, low, checks, ranges), most = wir_checks(g, high, checks, ranges);
  while (least < most && high - low > 1) { /* `low` spares as many as possible, `high` does not */
    unsigned middle = (low + high) / 2;
    if (wir_checks(g, middle, checks, ranges) == least) low = middle;
    else high = middle;
  }
  if (least == most) return 63;
  (void)wir_checks(g, low, checks, ranges);
  return low;
}

void wir_checks_depend(const wir_order *g, const uint8_t *all, const uint8_t *some, uint8_t *marks) {
  for (uint32_t i = 0; i < g->body->n_ins; i++) marks[i] = all[i] && !some[i];
  for (uint32_t k = g->n_groups; k-- > 0;) {
    const wir_group *group = &g->groups[k];
    bool is_marked = false;
    for (uint32_t j = 0; j < group->n; j++) is_marked |= marks[g->order[group->first + j]] != 0;
    for (uint32_t j = 0; is_marked && j < group->n; j++) {
      uint32_t i = g->order[group->first + j];
      const wir_ins *in = wir_order_ins(g, i);
      marks[i] = 1;
      if (in->kind == WIR_KIND_BOOL) continue; /* is one whatever its operands are */
      for (uint32_t o = in->op == WIR_I_SELECT; o < wir_insns[in->op].operands; o++) marks[in->args[o].i] = 1;
      if (wir_is_inside_tile(g, in) && g->kept[in->state] != 0) marks[g->kept[in->state] - 1] = 1;
    }
  }
}
