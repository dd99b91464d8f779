/* runtime/tile_plan.c -- from ordered instructions to steps over columns.
**
** Twice for each body: a code that checks what can fail, and one that is right while values are small (ir/intervals.c).  Columns are first numbered
** as if there were one for each value, then given to places in the pool, which are used again once nothing reads them: what is live should fit the
** first-level cache.  Inputs are read where the caller has them, and a value that is an output is computed into the caller's column. */
#include "runtime/monitor.h"
#include "runtime/tile.h"

#include <string.h>

enum { NONE = WRT_TILE_NO_COLUMN, MOST_COLUMNS = 1 << 12, FOREVER = UINT32_MAX };

/* Who reads an instruction: others; a KEEP of a RING, which needs no column for one sample. */
enum { BY_OTHERS = 1, BY_KEEP = 2 };

/* Where the value of an instruction is. */
typedef struct place {
  uint32_t column, mask; /* mask NONE: it is a value in all rows */
  bool is_const;         /* then column may be NONE until somebody needs one */
  int64_t k;
} place;

typedef struct life { uint32_t last, at; } life; /* of a numbered column: the last step that uses it; its place in the pool */

typedef struct maker {
  wrt_monitor *m;
  wb_mem *mem;
  const wir_program *p;
  wrt_tile *tile;
  const wir_order *g;
  const wrt_quick *quick;
  bool is_sparse;
  bool out_of_memory;
  uint8_t *checks;          /* by instruction, for the code at hand */
  place *at;                /* by instruction */
  uint8_t *is_outer;        /* by instruction: who reads it besides its group */
  uint8_t *is_held;         /* by instruction: its place was made beforehand (put_held) */
  uint8_t *is_shared;       /* by instruction: read by others than WRITE */
  uint32_t *first_write;    /* by instruction: 1 + the first output that it is */
  uint32_t *next_write;     /* by output: 1 + the next one */
  uint32_t n_columns;       /* numbered so far, ports included */
  WB_VEC(wrt_tile_step) steps;
  WB_VEC(wrt_tile_row) rows;
  WB_VEC(wrt_tile_effect) effects;
  WB_VEC(wrt_tile_const) consts; /* of all codes of the monitor */
  uint32_t *const_table;    /* open addressing, by value: 1 + the number of a constant; 0: free */
  size_t n_const_table;     /* a power of two, more than twice the constants; or 0 */
} maker;

/* Numbers of columns: ports, then values; from these on what is held, and constants, by their index. */
enum { PLACES = 1 << 28, HELD = 1 << 29, CONSTS = 1 << 30 };

static const wir_ins *ins(const maker *k, uint32_t i) { return wir_order_ins(k->g, i); }
static place *place_of(const maker *k, wir_val v) { return &k->at[v.i]; }

/* ---- Columns ---- */

static uint32_t new_column(maker *k) { return k->n_columns++; }

/* Where a constant is in the table, or where it would be put. */
static uint32_t *find_const(const maker *k, int64_t value) {
  uint64_t h = (uint64_t)value * UINT64_C(0x9e3779b97f4a7c15);
  size_t mask = k->n_const_table - 1;
  for (size_t at = (size_t)(h ^ h >> 32) & mask;; at = (at + 1) & mask) {
    uint32_t *number = &k->const_table[at];
    if (*number == 0 || k->consts.at[*number - 1].value == value) return number;
  }
}

static bool make_room_for_const(maker *k) {
  if (2 * (k->consts.n + 1) < k->n_const_table) return true;
  size_t n = k->n_const_table == 0 ? 64 : 2 * k->n_const_table;
  uint32_t *table = wb_block(k->mem, n * sizeof *table);
  if (table == NULL) return false;
  wb_block_free(k->mem, k->const_table);
  memset(table, 0, n * sizeof *table);
  k->const_table = table;
  k->n_const_table = n;
  for (uint32_t i = 0; i < k->consts.n; i++) *find_const(k, k->consts.at[i].value) = i + 1;
  return true;
}

static uint32_t const_column(maker *k, int64_t value) {
  uint32_t *number = make_room_for_const(k) ? find_const(k, value) : NULL;
  if (number != NULL && *number != 0) return CONSTS + *number - 1;
  if (number == NULL || !WB_PUSH(k->mem, &k->consts, (wrt_tile_const){(uint32_t)k->consts.n, value})) {
    k->out_of_memory = true;
    return CONSTS;
  }
  *number = (uint32_t)k->consts.n;
  return CONSTS + *number - 1;
}

static uint32_t column_of(maker *k, const place *p) { return p->is_const ? const_column(k, p->k) : p->column; }

static void put(maker *k, wrt_tile_step s) {
  if (!WB_PUSH(k->mem, &k->steps, s)) k->out_of_memory = true;
}

static void put1(maker *k, wrt_tile_loop loop, uint32_t d, uint32_t a) { put(k, (wrt_tile_step){.loop = (uint16_t)loop, .d = d, .a = a}); }
static void put2(maker *k, wrt_tile_loop loop, uint32_t d, uint32_t a, uint32_t b) {
  put(k, (wrt_tile_step){.loop = (uint16_t)loop, .d = d, .a = a, .b = b});
}

/* Where the result of instruction `i` is to go: to the caller, if it is an output as it is. */
static uint32_t column_for(maker *k, uint32_t i) {
  uint32_t w = k->first_write[i];
  return w == 0 || ins(k, i)->kind == WIR_KIND_BOOL ? new_column(k) : k->p->n_inputs + w - 1;
}

/* ---- Masks ---- */

static uint32_t or_masks(maker *k, uint32_t a, uint32_t b) {
  if (a == NONE || a == b) return b;
  if (b == NONE) return a;
  uint32_t d = new_column(k);
  put2(k, WRT_TILE_OR_VV, d, a, b);
  return d;
}

/* Of two masks that of the chosen one. */
static uint32_t select_mask(maker *k, uint32_t c, uint32_t yes, uint32_t no) {
  if (yes == no) return yes;
  uint32_t d = new_column(k);
  if (no == NONE) put2(k, WRT_TILE_SELECT_VVK, d, c, yes);
  else if (yes == NONE) put2(k, WRT_TILE_SELECT_VKV, d, c, no);
  else put(k, (wrt_tile_step){.loop = WRT_TILE_SELECT_VVV, .d = d, .a = c, .b = yes, .c = no});
  return d;
}

/* What has a mask outside all guards must not have failed. */
static void settle_mask(maker *k, const wir_ins *in, place *p) {
  if (p->mask == NONE || in->is_guarded) return;
  put1(k, WRT_TILE_BAD, p->mask, p->mask);
  p->mask = NONE;
}

/* ---- Operations ---- */

/* The loops of an operation.  kv: a constant on the left, which stands in k as ever, and the column in a.  is_swapped: vv takes its operands the
** other way round.  NONE: the constant gets a column. */
typedef struct family { uint16_t vv, vk, kv; bool is_swapped; } family;
#define SYMMETRIC(name) {WRT_TILE_##name##_VV, WRT_TILE_##name##_VK, WRT_TILE_##name##_VK, false}
#define ORDERED(name) {WRT_TILE_##name##_VV, WRT_TILE_##name##_VK, WRT_TILE_##name##_KV, false}
#define COLUMNS(name) {WRT_TILE_##name##_VV, 0, 0, false}
#define UNARY(name) {WRT_TILE_##name##_V, 0, 0, false}
#define MIRRORED(name, mirror) {WRT_TILE_##name##_VV, WRT_TILE_##name##_VK, WRT_TILE_##mirror##_VK, false}
#define SWAPPED(name, mirror) {WRT_TILE_##mirror##_VV, WRT_TILE_##name##_VK, WRT_TILE_##mirror##_VK, true}

enum { PLAIN, CHECKED, GUARDED, WAYS };
static const family ints[WIR_INS_OPS][WAYS] = {
  [WIR_I_ADD] = {SYMMETRIC(ADD), SYMMETRIC(ADD_C), SYMMETRIC(ADD_G)},
  [WIR_I_SUB] = {ORDERED(SUB), ORDERED(SUB_C), ORDERED(SUB_G)},
  [WIR_I_MUL] = {SYMMETRIC(MUL), SYMMETRIC(MUL_C), SYMMETRIC(MUL_G)},
  [WIR_I_DIV] = {{0}, ORDERED(DIV_C), ORDERED(DIV_G)},
  [WIR_I_REM] = {{0}, ORDERED(REM_C), ORDERED(REM_G)},
  [WIR_I_POW] = {{0}, COLUMNS(POW_C), COLUMNS(POW_G)},
  [WIR_I_NEG] = {UNARY(NEG), UNARY(NEG_C), UNARY(NEG_G)},
  [WIR_I_ABS] = {UNARY(ABS), UNARY(ABS_C), UNARY(ABS_G)},
  [WIR_I_EQ] = {SYMMETRIC(EQ)}, [WIR_I_NE] = {SYMMETRIC(NE)},
  [WIR_I_LT] = {MIRRORED(LT, GT)}, [WIR_I_LE] = {MIRRORED(LE, GE)}, [WIR_I_GT] = {SWAPPED(GT, LT)}, [WIR_I_GE] = {SWAPPED(GE, LE)},
  [WIR_I_NOT] = {UNARY(NOT)}, [WIR_I_FLOAT] = {UNARY(FLOAT)},
};
static const family floats[WIR_INS_OPS] = {
  [WIR_I_ADD] = SYMMETRIC(ADD_F), [WIR_I_SUB] = ORDERED(SUB_F), [WIR_I_MUL] = SYMMETRIC(MUL_F), [WIR_I_DIV] = ORDERED(DIV_F),
  [WIR_I_REM] = COLUMNS(REM_F), [WIR_I_POW] = COLUMNS(POW_F), [WIR_I_NEG] = UNARY(NEG_F), [WIR_I_ABS] = UNARY(ABS_F),
  [WIR_I_SIN] = UNARY(SIN_F), [WIR_I_COS] = UNARY(COS_F), [WIR_I_TAN] = UNARY(TAN_F),
  [WIR_I_EQ] = SYMMETRIC(EQ_F), [WIR_I_NE] = SYMMETRIC(NE_F), [WIR_I_LT] = MIRRORED(LT_F, GT_F), [WIR_I_LE] = MIRRORED(LE_F, GE_F),
  [WIR_I_GT] = SWAPPED(GT_F, LT_F), [WIR_I_GE] = SWAPPED(GE_F, LE_F),
};

/* A product with 0 or 1 cannot fail; with -1 it is a negation.  Dividing by 0 takes a column. */
static bool is_plain_factor(const wir_ins *in, int64_t k) { return in->op == WIR_I_MUL && (k == 0 || k == 1); }
static bool needs_column(const wir_ins *in, int way, int64_t k, bool is_left) {
  if (in->kind != WIR_KIND_INT) return false;
  if (in->op == WIR_I_MUL) return way != PLAIN && k == -1;
  return (in->op == WIR_I_DIV || in->op == WIR_I_REM) && !is_left && k == 0;
}

/* These always look: in a lane that has failed before, the divisor may be 0. */
static bool divides(const wir_ins *in) {
  return in->kind == WIR_KIND_INT && (in->op == WIR_I_DIV || in->op == WIR_I_REM || in->op == WIR_I_POW);
}

/* A strict operation: its value, and its mask from its operands' and its own. */
static void put_strict(maker *k, uint32_t i, const wir_ins *in) {
  bool is_binary = wir_insns[in->op].operands == 2, is_real = ins(k, in->args[0].i)->kind == WIR_KIND_FLOAT;
  place *a = place_of(k, in->args[0]), *b = is_binary ? place_of(k, in->args[1]) : a, *to = &k->at[i];
  int way = !k->checks[i] && !divides(in) ? PLAIN : in->is_guarded ? GUARDED : CHECKED;
  bool left = is_binary && a->is_const && !b->is_const, right = is_binary && b->is_const;
  int64_t constant = left ? a->k : b->k;
  if ((left || right) && !is_real && is_plain_factor(in, constant)) way = PLAIN;
  const family *f = is_real ? &floats[in->op] : &ints[in->op][way];
  wrt_tile_step s = {.loop = f->vv, .d = column_for(k, i)};
  if ((left || right) && (left ? f->kv : f->vk) != 0 && !needs_column(in, way, constant, left)) {
    s.loop = left ? f->kv : f->vk;
    s.a = column_of(k, left ? b : a);
    s.k = constant;
  } else {
    s.a = column_of(k, f->is_swapped ? b : a);
    s.b = column_of(k, f->is_swapped ? a : b);
  }
  if (way == GUARDED) s.c = new_column(k);
  put(k, s);
  uint32_t mask = or_masks(k, a->mask, is_binary ? b->mask : NONE);
  *to = (place){.column = s.d, .mask = way == GUARDED && k->checks[i] ? or_masks(k, mask, s.c) : mask};
}

static void be_const(maker *k, uint32_t i, int64_t value) { k->at[i] = (place){.column = NONE, .mask = NONE, .is_const = true, .k = value}; }

static void put_not(maker *k, uint32_t i, const place *a) {
  if (a->is_const) {
    uint32_t mask = a->mask;
    be_const(k, i, a->k ^ 1);
    k->at[i].mask = mask;
    return;
  }
  uint32_t d = column_for(k, i);
  put1(k, WRT_TILE_NOT_V, d, a->column);
  k->at[i] = (place){.column = d, .mask = a->mask};
}

/* A choice of Bools with a constant arm, as an operation: the loop, and the operands in their order; NONE: there is none. */
static wrt_tile_loop bool_choice(uint32_t c, const place *x, const place *y, uint32_t *a, uint32_t *b) {
  *a = c;
  *b = x->is_const ? y->column : x->column;
  if (x->is_const && y->is_const) return x->k == 0 && y->k == 1 ? WRT_TILE_NOT_V : WRT_TILE_NONE;
  if (x->is_const) return x->k ? WRT_TILE_OR_VV : WRT_TILE_BUT_VV;
  if (y->is_const) return y->k ? WRT_TILE_IMPLIES_VV : WRT_TILE_AND_VV;
  return WRT_TILE_NONE;
}

/* if; masks are those of the condition and of the arm that it takes. */
static void put_select(maker *k, uint32_t i, const wir_ins *in) {
  const place c = *place_of(k, in->args[0]), x = *place_of(k, in->args[1]), y = *place_of(k, in->args[2]);
  if (c.is_const) {
    k->at[i] = c.k ? x : y;
    k->at[i].mask = or_masks(k, c.mask, k->at[i].mask);
    settle_mask(k, in, &k->at[i]);
    return;
  }
  place to = {.mask = or_masks(k, c.mask, select_mask(k, c.column, WB_PLANTED(51) ? y.mask : x.mask, y.mask))};
  uint32_t a, b;
  wrt_tile_loop loop = in->kind == WIR_KIND_FLOAT ? WRT_TILE_NONE : bool_choice(c.column, &x, &y, &a, &b);
  if (in->kind == WIR_KIND_INT && loop != WRT_TILE_NOT_V) loop = WRT_TILE_NONE;
  if (x.is_const && y.is_const && x.k == y.k) to.is_const = true, to.k = x.k, to.column = NONE;
  else if (x.is_const && y.is_const && x.k == 1 && y.k == 0) to.column = c.column; /* a Bool is 0 or 1 */
  else if (loop == WRT_TILE_NOT_V) put1(k, loop, to.column = column_for(k, i), a);
  else if (loop != WRT_TILE_NONE) put2(k, loop, to.column = column_for(k, i), a, b);
  else {
    wrt_tile_step s = {.d = to.column = column_for(k, i), .a = c.column, .k = x.is_const ? x.k : y.k, .k2 = y.k};
    s.loop = x.is_const ? (y.is_const ? WRT_TILE_SELECT_VKK : WRT_TILE_SELECT_VKV) : y.is_const ? WRT_TILE_SELECT_VVK : WRT_TILE_SELECT_VVV;
    s.b = x.is_const ? y.column : x.column;
    s.c = y.column;
    if (y.is_const) s.c = 0;
    if (x.is_const && y.is_const) s.b = 0;
    put(k, s);
  }
  settle_mask(k, in, &to);
  k->at[i] = to;
}

/* && || =>: the right mask counts where the left does not decide. */
static void put_logical(maker *k, uint32_t i, const wir_ins *in) {
  const place a = *place_of(k, in->args[0]), b = *place_of(k, in->args[1]);
  bool is_and = in->op == WIR_I_AND, decides = in->op == WIR_I_OR; /* the left value that does */
  if (a.is_const) {
    if ((a.k != 0) == decides) be_const(k, i, !is_and);
    else k->at[i] = b;
    k->at[i].mask = or_masks(k, a.mask, k->at[i].mask);
    settle_mask(k, in, &k->at[i]);
    return;
  }
  place to = {.mask = or_masks(k, a.mask, decides ? select_mask(k, a.column, NONE, b.mask) : select_mask(k, a.column, b.mask, NONE))};
  if (b.is_const && b.k == is_and && in->op != WIR_I_IMPLIES) to.column = a.column; /* a && true, a || false */
  else {
    to.column = column_for(k, i);
    put2(k, is_and ? WRT_TILE_AND_VV : decides ? WRT_TILE_OR_VV : WRT_TILE_IMPLIES_VV, to.column, a.column, column_of(k, &b));
  }
  settle_mask(k, in, &to);
  k->at[i] = to;
}

/* A value with the masks of two operands. */
static void put_behind(maker *k, uint32_t i, const place *value, uint32_t mask) {
  k->at[i] = *value;
  k->at[i].mask = or_masks(k, value->mask, mask);
}

static void put_read(maker *k, uint32_t i, const wir_ins *in) {
  uint32_t d = in->stream;
  if (k->is_held[i]) return;
  if (in->kind == WIR_KIND_BOOL) put(k, (wrt_tile_step){.loop = WRT_TILE_LOAD_BOOL, .d = d = new_column(k), .a = in->stream, .k = in->stream});
  k->at[i] = (place){.column = d, .mask = NONE};
}

static void put_ring(maker *k, uint32_t i, const wir_ins *in) {
  uint32_t pushed = k->g->kept[in->state] - 1;
  wrt_tile_step s = {.loop = WRT_TILE_RING, .state = in->state, .k = (int64_t)in->imm.offset};
  if (wir_is_inside_tile(k->g, in)) s.a = column_of(k, &k->at[pushed]);
  s.d = column_for(k, i);
  put(k, s);
  k->at[i] = (place){.column = s.d, .mask = NONE};
}

/* Fills the gaps of inputs, before all else: the tests look at the result. */
static void put_held(maker *k, uint32_t i) {
  const wir_ins *in = ins(k, i);
  uint32_t raw = in->args[0].i, stream = ins(k, raw)->stream;
  if (in->kind == WIR_KIND_BOOL && !k->is_held[raw]) {
    k->at[raw] = (place){.column = HELD + k->tile->n_held++, .mask = NONE};
    put(k, (wrt_tile_step){.loop = WRT_TILE_LOAD_BOOL, .d = k->at[raw].column, .a = stream, .k = stream});
    k->is_held[raw] = 1;
  }
  uint32_t from = k->is_held[raw] ? k->at[raw].column : stream, d = HELD + k->tile->n_held++;
  put(k, (wrt_tile_step){.loop = WRT_TILE_HOLD, .d = d, .a = from, .state = in->state, .k = stream});
  k->at[i] = (place){.column = d, .mask = NONE};
  k->is_held[i] = 1;
}

static void put_ins(maker *k, uint32_t i) {
  const wir_ins *in = ins(k, i);
  switch ((wir_ins_op)in->op) {
  case WIR_I_CONST: be_const(k, i, in->imm.i); return;
  case WIR_I_READ: put_read(k, i, in); return;
  case WIR_I_RING: put_ring(k, i, in); return;
  case WIR_I_HOLD: case WIR_I_FILL: return; /* put_held */
  case WIR_I_NOT: put_not(k, i, place_of(k, in->args[0])); return;
  case WIR_I_SELECT: put_select(k, i, in); return;
  case WIR_I_AND: case WIR_I_OR: case WIR_I_IMPLIES: put_logical(k, i, in); return;
  case WIR_I_GUARD: case WIR_I_GATE: put_behind(k, i, place_of(k, in->args[1]), place_of(k, in->args[0])->mask); return;
  case WIR_I_DEFAULT: put_behind(k, i, place_of(k, in->args[0]), place_of(k, in->args[1])->mask); return;
  case WIR_I_DEFINED:
    be_const(k, i, 1);
    k->at[i].mask = place_of(k, in->args[0])->mask;
    return;
  case WIR_I_ADD: case WIR_I_SUB: case WIR_I_MUL: case WIR_I_DIV: case WIR_I_REM: case WIR_I_POW: case WIR_I_NEG: case WIR_I_ABS:
  case WIR_I_SIN: case WIR_I_COS: case WIR_I_TAN: case WIR_I_EQ: case WIR_I_NE: case WIR_I_LT: case WIR_I_LE: case WIR_I_GT: case WIR_I_GE:
  case WIR_I_FLOAT: put_strict(k, i, in); return;
  case WIR_I_CONCAT: case WIR_I_SETTLE: case WIR_I_PROPER: case WIR_I_STARTED: case WIR_I_PICK: case WIR_I_WRITE: case WIR_I_KEEP: case WIR_I_PUSH:
  case WIR_INS_OPS: break;
  }
}

/* ---- Recurrences ---- */

static void put_sum(maker *k, const wir_group *group) {
  static const uint16_t loops[2][3] = {{WRT_TILE_SUM, WRT_TILE_SUM_C, WRT_TILE_SUM_F}, {WRT_TILE_DROP, WRT_TILE_DROP_C, WRT_TILE_DROP_F}};
  uint32_t i = group->result;
  int way = ins(k, i)->kind == WIR_KIND_FLOAT ? 2 : k->checks[i];
  wrt_tile_step s = {.loop = loops[group->form == WIR_FORM_DROP][way], .a = column_of(k, &k->at[group->x]), .state = ins(k, group->prev)->state};
  s.d = column_for(k, i);
  put(k, s);
  k->at[i] = (place){.column = s.d, .mask = NONE};
}

static void put_run(maker *k, const wir_group *group) {
  uint32_t i = group->result;
  const place *c = &k->at[group->c], *x = &k->at[group->x], *z = &k->at[group->z];
  bool is_real = ins(k, i)->kind == WIR_KIND_FLOAT, is_own = group->z == group->prev, flip = group->is_flipped;
  wrt_tile_step s = {.a = column_of(k, c), .state = ins(k, group->prev)->state};
  if (!is_real && x->is_const && !is_own && z->is_const) {
    static const uint16_t counts[2][2] = {{WRT_TILE_COUNT, WRT_TILE_COUNT_C}, {WRT_TILE_COUNT_NOT, WRT_TILE_COUNT_NOT_C}};
    s.loop = counts[flip][k->checks[group->sum]];
    s.k = x->k;
    s.k2 = z->k;
  } else {
    static const uint16_t runs[2][2][2] = {{{WRT_TILE_RUN_C, WRT_TILE_RUN_F}, {WRT_TILE_RUN_NOT_C, WRT_TILE_RUN_NOT_F}},
                                           {{WRT_TILE_GATHER_C, WRT_TILE_GATHER_F}, {WRT_TILE_GATHER_NOT_C, WRT_TILE_GATHER_NOT_F}}};
    s.loop = runs[is_own][flip][is_real];
    s.b = column_of(k, x);
    if (!is_own) s.c = column_of(k, z);
  }
  s.d = column_for(k, i);
  put(k, s);
  k->at[i] = (place){.column = s.d, .mask = NONE};
}

static void put_scale(maker *k, const wir_group *group) {
  uint32_t i = group->result;
  const place *z = &k->at[group->z];
  wrt_tile_step s = {.loop = z->is_const ? WRT_TILE_SCALE_K : WRT_TILE_SCALE_V, .a = column_of(k, &k->at[group->x]), .k = z->k,
                     .state = ins(k, group->prev)->state};
  if (!z->is_const) s.b = z->column;
  s.d = column_for(k, i);
  put(k, s);
  k->at[i] = (place){.column = s.d, .mask = NONE};
}

static void put_extreme(maker *k, const wir_group *group) {
  uint32_t i = group->result;
  wrt_tile_step s = {.loop = group->form == WIR_FORM_LEAST ? WRT_TILE_LEAST : WRT_TILE_MOST, .a = column_of(k, &k->at[group->x]),
                     .state = ins(k, group->prev)->state};
  s.d = column_for(k, i);
  put(k, s);
  k->at[i] = (place){.column = s.d, .mask = NONE};
}

/* The result where prev is false, and where it is true; then one of the two in each row. */
static void put_choice(maker *k, const wir_group *group) {
  place results[2];
  for (int64_t prev = 0; prev < 2; prev++) {
    be_const(k, group->prev, prev);
    for (uint32_t n = 0; n < group->n; n++) {
      uint32_t i = k->g->order[group->first + n];
      if (i != group->prev) put_ins(k, i);
    }
    results[prev] = k->at[group->result];
  }
  wrt_tile_step s = {.loop = WRT_TILE_CHOOSE, .a = column_of(k, &results[0]), .b = column_of(k, &results[1]),
                     .state = ins(k, group->prev)->state};
  s.d = new_column(k);
  put(k, s);
  k->at[group->result] = (place){.column = s.d, .mask = NONE};
}

/* What others read of a recurrence besides its result: now that this is a column, the rest are, too. */
static void put_rest(maker *k, const wir_group *group) {
  const uint32_t *members = k->g->order + group->first;
  for (uint32_t n = group->n; n-- > 0;) {
    const wir_ins *in = ins(k, members[n]);
    if (members[n] == group->result || !(k->is_outer[members[n]] & BY_OTHERS)) continue;
    for (uint32_t a = 0; a < wir_insns[in->op].operands; a++) k->is_outer[in->args[a].i] |= BY_OTHERS; /* what is no member is already */
  }
  for (uint32_t n = 0; n < group->n; n++) {
    uint32_t i = members[n];
    if (i == group->result) continue;
    if (k->is_outer[i] & BY_OTHERS) put_ins(k, i);
    else k->at[i] = (place){.column = NONE, .mask = NONE};
  }
}

static uint32_t or_none(const maker *k, wir_val v, int64_t *constant) {
  const place *p = &k->at[v.i];
  *constant = p->k;
  return p->is_const ? NONE : p->column;
}

/* Row by row.  All results get their columns first: a RING reads one that comes later. */
static void put_rows(maker *k, const wir_group *group) {
  const wir_order *g = k->g;
  wrt_tile_step s = {.loop = WRT_TILE_ROWS, .state = (uint32_t)k->rows.n, .k = group->n};
  for (uint32_t n = 0; n < group->n; n++) {
    uint32_t i = g->order[group->first + n];
    k->at[i] = (place){.column = column_for(k, i), .mask = ins(k, i)->may & WIR_MAY_FAIL ? new_column(k) : NONE};
  }
  for (uint32_t n = 0; n < group->n; n++) {
    uint32_t i = g->order[group->first + n];
    const wir_ins *in = ins(k, i);
    wrt_tile_row r = {.op = in->op, .is_guarded = in->is_guarded, .d = k->at[i].column, .fd = k->at[i].mask, .state = in->state, .kind = in->kind,
                      .args = {NONE, NONE, NONE}, .masks = {NONE, NONE, NONE}};
    for (uint32_t a = 0; a < wir_insns[in->op].operands; a++) {
      r.args[a] = or_none(k, in->args[a], &r.k[a]);
      r.masks[a] = place_of(k, in->args[a])->mask;
    }
    if (wir_insns[in->op].operands != 0) r.kind = ins(k, in->args[wir_insns[in->op].operands == 3 ? 1 : 0].i)->kind;
    if (in->op == WIR_I_RING) {
      r.args[0] = column_of(k, &k->at[g->kept[in->state] - 1]);
      r.back = in->imm.offset;
    }
    if (!WB_PUSH(k->mem, &k->rows, r)) k->out_of_memory = true;
  }
  put(k, s);
}

static void put_writes(maker *k, uint32_t i) {
  const wir_ins *in = ins(k, i);
  for (uint32_t w = k->first_write[i]; w != 0; w = k->next_write[w - 1]) {
    uint32_t port = k->p->n_inputs + w - 1, from = column_of(k, &k->at[i]);
    if (in->op == WIR_I_READ && in->may != 0) {
      uint32_t d = in->kind == WIR_KIND_BOOL ? new_column(k) : port;
      put(k, (wrt_tile_step){.loop = WRT_TILE_PRESENT, .d = d, .a = from, .k = in->stream});
      from = d;
    }
    if (in->kind == WIR_KIND_BOOL) put1(k, WRT_TILE_STORE_BOOL, port, from);
    else if (from != port) put1(k, WRT_TILE_COPY, port, from);
  }
}

static void put_single(maker *k, uint32_t i) {
  if (k->is_outer[i] == BY_KEEP) k->at[i] = (place){.column = NONE, .mask = NONE};
  else put_ins(k, i);
}

static void put_group(maker *k, const wir_group *group) {
  switch ((wir_form)group->form) {
  case WIR_FORM_SINGLE: put_single(k, k->g->order[group->first]); break;
  case WIR_FORM_SUM: case WIR_FORM_DROP: put_sum(k, group); break;
  case WIR_FORM_RUN: put_run(k, group); break;
  case WIR_FORM_SCALE: put_scale(k, group); break;
  case WIR_FORM_CHOOSE: put_choice(k, group); break;
  case WIR_FORM_LEAST: case WIR_FORM_MOST: put_extreme(k, group); break;
  case WIR_FORM_ROWS: put_rows(k, group); break;
  }
  if (group->form != WIR_FORM_SINGLE && group->form != WIR_FORM_ROWS) put_rest(k, group);
  for (uint32_t n = 0; n < group->n; n++) put_writes(k, k->g->order[group->first + n]);
}

/* ---- Places in the pool ---- */

typedef struct pool {
  wb_mem *mem;
  life *lives;           /* by column */
  uint32_t *is_free;     /* a stack of places */
  uint32_t n_free, n_places, n_ports;
} pool;

static bool is_value(const pool *p, uint32_t column) { return column >= p->n_ports && column < PLACES; }

/* All columns of a step, or of its rows. */
typedef void visit_fn(pool *p, uint32_t *column, uint32_t step);
static void visit_step(pool *p, wrt_tile_code *c, uint32_t i, visit_fn *f) {
  wrt_tile_step *s = &c->steps[i];
  f(p, &s->d, i), f(p, &s->a, i), f(p, &s->b, i), f(p, &s->c, i);
  for (uint32_t r = 0; s->loop == WRT_TILE_ROWS && r < (uint32_t)s->k; r++) {
    wrt_tile_row *row = &c->rows[s->state + r];
    f(p, &row->d, i), f(p, &row->fd, i);
    for (int a = 0; a < 3; a++) f(p, &row->args[a], i), f(p, &row->masks[a], i);
  }
}

static void visit_effect(pool *p, wrt_tile_effect *e, uint32_t step, visit_fn *f) { f(p, &e->column, step), f(p, &e->mask, step); }

static void live_until(pool *p, uint32_t *column, uint32_t step) {
  if (is_value(p, *column)) p->lives[*column].last = WB_MAX(p->lives[*column].last, step);
}
static void take_place(pool *p, uint32_t *column, uint32_t step) {
  (void)step;
  if (!is_value(p, *column) || p->lives[*column].at != NONE) return;
  p->lives[*column].at = p->n_free != 0 ? p->is_free[--p->n_free] : p->n_places++;
}
static void free_place(pool *p, uint32_t *column, uint32_t step) {
  life *l = is_value(p, *column) ? &p->lives[*column] : NULL;
  if (l == NULL || l->last != step) return;
  p->is_free[p->n_free++] = l->at;
  l->last = FOREVER; /* once */
}
static void move_in(pool *p, uint32_t *column, uint32_t step) {
  (void)step;
  if (is_value(p, *column)) *column = PLACES + p->lives[*column].at;
}

/* No step has its result where it still reads: loops are made for columns that do not overlap. */
static bool find_places(maker *k, wrt_tile_code *c) {
  pool p = {.mem = k->mem, .n_ports = k->tile->n_ports};
  p.lives = wb_block(k->mem, (size_t)k->n_columns * sizeof *p.lives + 1);
  p.is_free = wb_block(k->mem, (size_t)k->n_columns * sizeof *p.is_free + 1);
  bool is_made = p.lives != NULL && p.is_free != NULL;
  if (is_made) {
    for (uint32_t i = 0; i < k->n_columns; i++) p.lives[i] = (life){.last = 0, .at = NONE};
    for (uint32_t i = 0; i < c->n_steps; i++) visit_step(&p, c, i, live_until);
    for (uint32_t i = 0; i < c->n_effects; i++) visit_effect(&p, &c->effects[i], FOREVER, live_until);
    for (uint32_t i = 0; i < c->n_steps; i++) {
      visit_step(&p, c, i, take_place);
      visit_step(&p, c, i, free_place);
    }
    for (uint32_t i = 0; i < c->n_steps; i++) visit_step(&p, c, i, move_in);
    for (uint32_t i = 0; i < c->n_effects; i++) visit_effect(&p, &c->effects[i], 0, move_in);
    c->n_columns = p.n_places;
  }
  wb_block_free(k->mem, p.lives);
  wb_block_free(k->mem, p.is_free);
  return is_made;
}

/* ---- A code ---- */

static bool is_assumed(const maker *k, uint32_t state) {
  return (k->quick->bodies->assumed[state] & (1u << (k->is_sparse ? WIR_BODY_SPARSE : WIR_BODY_WARM))) != 0;
}

static void put_effects(maker *k, wir_ins_op op) {
  const wir_body *b = k->g->body;
  for (uint32_t i = b->effects; i < b->n_ins; i++) {
    const wir_ins *in = &b->ins[i];
    if ((wir_ins_op)in->op != op) continue;
    const place *v = place_of(k, in->args[0]);
    wrt_tile_effect e = {.state = in->state, .is_tracked = !is_assumed(k, in->state), .mask = v->mask};
    if (!v->is_const && v->column == NONE) {
      const wir_ins *ring = ins(k, in->args[0].i);
      e.back = ring->imm.offset;
      e.ring = ring->state;
      v = &k->at[k->g->kept[ring->state] - 1];
    }
    e.column = column_of(k, v);
    if (!WB_PUSH(k->mem, &k->effects, e)) k->out_of_memory = true;
  }
}

static void clear(maker *k) {
  memset(&k->steps, 0, sizeof k->steps);
  memset(&k->rows, 0, sizeof k->rows);
  memset(&k->effects, 0, sizeof k->effects);
}

static bool make_held(maker *k, wrt_tile_code *to) {
  const wir_body *b = k->g->body;
  clear(k);
  memset(k->is_held, 0, b->n_ins);
  for (uint32_t i = 0; i < b->effects; i++)
    if (k->g->needed[i] && (b->ins[i].op == WIR_I_HOLD || b->ins[i].op == WIR_I_FILL)) put_held(k, i);
  *to = (wrt_tile_code){.steps = k->steps.at, .n_steps = (uint32_t)k->steps.n};
  return !k->out_of_memory;
}

static bool make_code(maker *k, const uint8_t *outer, wrt_tile_code *to) {
  clear(k);
  memcpy(k->is_outer, outer, k->g->body->n_ins);
  k->n_columns = k->tile->n_ports;
  for (uint32_t i = 0; i < k->g->n_groups && !k->out_of_memory; i++) put_group(k, &k->g->groups[i]);
  if (!k->out_of_memory) put_effects(k, WIR_I_KEEP); /* which may still look into rings */
  if (!k->out_of_memory) put_effects(k, WIR_I_PUSH);
  *to = (wrt_tile_code){.steps = k->steps.at, .rows = k->rows.at, .effects = k->effects.at, .n_steps = (uint32_t)k->steps.n,
                        .n_rows = (uint32_t)k->rows.n, .n_effects = (uint32_t)k->effects.n};
  return !k->out_of_memory && find_places(k, to);
}

/* ---- Is there a plan? ---- */

/* May be absent, and so only be held or be an output. */
static bool is_raw(const wir_ins *in) { return in->op == WIR_I_READ && in->may == WIR_MAY_NOVAL; }

static bool can_compute(const maker *k, uint32_t i) {
  const wir_ins *in = ins(k, i);
  bool holds = in->op == WIR_I_HOLD || in->op == WIR_I_FILL;
  for (uint32_t a = 0; a < wir_insns[in->op].operands; a++)
    if (holds != is_raw(ins(k, in->args[a].i))) return false;
  if (is_raw(in)) return true;
  if ((in->may & ~WIR_MAY_FAIL) != 0) return false;
  if (holds) return is_assumed(k, in->state) && k->g->kept[in->state] == i + 1;
  if (in->op == WIR_I_RING) return is_assumed(k, in->state) && k->g->kept[in->state] != 0;
  return in->op != WIR_I_SETTLE && in->op != WIR_I_PROPER && in->op != WIR_I_STARTED && in->op != WIR_I_PICK && in->op != WIR_I_CONCAT;
}

static bool can_do(const maker *k, const wir_ins *in) {
  const wir_ins *v = ins(k, in->args[0].i);
  if (in->op == WIR_I_WRITE) return v->may == 0 || is_raw(v);
  if (is_assumed(k, in->state)) return v->may == 0;
  return in->op == WIR_I_KEEP && k->p->states[in->state].kind != WIR_STATE_FLAG && (v->may & ~WIR_MAY_FAIL) == 0;
}

static bool is_possible(const maker *k) {
  const wir_body *b = k->g->body;
  for (uint32_t i = 0; i < b->n_ins; i++) {
    if (!k->g->needed[i]) continue;
    if (i < b->effects ? !can_compute(k, i) : !can_do(k, &b->ins[i])) return false;
  }
  return true;
}

/* ---- Plans ---- */

typedef struct scratch { /* by instruction, but for those that say so */
  uint8_t *all, *some, *marks, *outer;
  wir_interval *ranges;
  uint32_t *output_of, *test_of; /* by stream: 1 + its output; by state: 1 + its test */
} scratch;

static void find_users(maker *k, scratch *x) {
  const wir_body *b = k->g->body;
  memset(x->outer, 0, b->n_ins);
  memset(k->is_shared, 0, b->n_ins);
  memset(k->first_write, 0, b->n_ins * sizeof *k->first_write);
  for (uint32_t i = b->n_ins; i-- > 0;) {
    const wir_ins *in = &b->ins[i];
    for (uint32_t a = 0; k->g->needed[i] && a < wir_insns[in->op].operands; a++) {
      uint32_t from = in->args[a].i;
      if (in->op == WIR_I_KEEP && wir_is_inside_tile(k->g, ins(k, from)) && is_assumed(k, in->state)) x->outer[from] |= BY_KEEP;
      else if (i >= b->effects || k->g->group_of[i] != k->g->group_of[from]) x->outer[from] |= BY_OTHERS;
      k->is_shared[from] |= in->op != WIR_I_WRITE;
    }
    if (in->op != WIR_I_WRITE) continue;
    uint32_t o = x->output_of[in->stream] - 1, from = in->args[0].i;
    k->next_write[o] = k->first_write[from];
    k->first_write[from] = o + 1;
  }
}

static void note_outputs(maker *k, const scratch *x) {
  const wir_body *b = k->g->body;
  for (uint32_t i = b->effects; i < b->n_ins; i++) {
    const wir_ins *in = &b->ins[i];
    if (in->op != WIR_I_WRITE) continue;
    uint32_t o = x->output_of[in->stream] - 1, from = in->args[0].i;
    if (k->is_shared[from]) k->tile->unasked[o] = 1; /* it wants a column of its own: finish() */
    if (is_raw(ins(k, from))) k->tile->input_of_output[o] = ins(k, from)->stream;
  }
}

typedef WB_VEC(wrt_tile_test) tests;

/* What instruction `i` needs in the small code, if it brings values from outside. */
static bool test_one(maker *k, const scratch *x, uint32_t i, tests *to) {
  const wir_ins *in = ins(k, i);
  const wir_group *group = &k->g->groups[k->g->group_of[i]];
  unsigned bits = wir_interval_bits(x->ranges[i]);
  bool is_column = k->is_held[i] || (in->op == WIR_I_READ && !is_raw(in));
  if (in->kind != WIR_KIND_INT) return true;
  if (is_column) return bits >= 63 || WB_PUSH(k->mem, to, (wrt_tile_test){.of = k->is_held[i] ? k->at[i].column : in->stream, .bits = (uint8_t)bits});
  if (in->op != WIR_I_RING || group->form == WIR_FORM_ROWS) return true;
  if (group->form != WIR_FORM_SINGLE) bits = WIR_SUM_BITS;
  if (bits >= 63) return true;
  uint32_t *known = &x->test_of[in->state];
  if (*known != 0) {
    wrt_tile_test *before = &to->at[*known - 1];
    before->back = WB_MAX(before->back, in->imm.offset);
    before->bits = (uint8_t)WB_MIN(before->bits, bits);
    return true;
  }
  *known = (uint32_t)to->n + 1;
  return WB_PUSH(k->mem, to, (wrt_tile_test){.is_state = true, .of = in->state, .bits = (uint8_t)bits, .back = in->imm.offset});
}

static bool find_tests(maker *k, const scratch *x, wrt_tile_plan *plan) {
  tests to = {0};
  wir_checks_depend(k->g, x->all, x->some, x->marks);
  memset(x->test_of, 0, k->p->n_states * sizeof *x->test_of);
  for (uint32_t i = 0; i < k->g->body->effects; i++)
    if (x->marks[i] && !test_one(k, x, i, &to)) return false;
  plan->tests = to.at;
  plan->n_tests = (uint32_t)to.n;
  return true;
}

/* What the checks cost that are spared, and what the tests cost: in units of about 20 cycles a tile. */
static uint32_t cost_of_checks(const maker *k, const scratch *x) {
  uint32_t cost = 0;
  for (uint32_t i = 0; i < k->g->body->effects; i++) {
    const wir_ins *in = ins(k, i);
    if (!x->all[i] || x->some[i]) continue;
    wir_form form = (wir_form)k->g->groups[k->g->group_of[i]].form;
    bool is_column = form == WIR_FORM_SINGLE;
    cost += form == WIR_FORM_RUN ? 5 : !is_column || divides(in) ? 0 : in->op == WIR_I_MUL ? 4 : 2;
    if (is_column && in->is_guarded) cost += 5;
  }
  return cost;
}
static uint32_t cost_of_tests(const wrt_tile_plan *plan) {
  uint32_t cost = 0;
  for (uint32_t i = 0; i < plan->n_tests; i++) cost += plan->tests[i].is_state ? 1 + (uint32_t)plan->tests[i].back / 8 : 3;
  return cost;
}

static bool make_plan(maker *k, scratch *x, wrt_tile_plan *plan) {
  if (!is_possible(k)) return true;
  find_users(k, x);
  note_outputs(k, x);
  if (!make_held(k, &plan->held)) return false;
  (void)wir_checks(k->g, 63, x->all, x->ranges);
  k->checks = x->all;
  if (!make_code(k, x->outer, &plan->checked)) return false;
  plan->is_possible = true;
  unsigned bits = wir_checks_bits(k->g, x->some, x->ranges);
  if (bits == 63) return true;
  if (!find_tests(k, x, plan)) return false;
  plan->has_small = cost_of_checks(k, x) > cost_of_tests(plan);
  k->checks = x->some;
  return !plan->has_small || make_code(k, x->outer, &plan->small);
}

static bool take_scratch(maker *k, const wir_body *b, scratch *x) {
  size_t n = (size_t)b->n_ins + 1;
  x->all = wb_block(k->mem, n);
  x->some = wb_block(k->mem, n);
  x->marks = wb_block(k->mem, n);
  x->outer = wb_block(k->mem, n);
  x->ranges = wb_block(k->mem, n * sizeof *x->ranges);
  x->output_of = wb_block(k->mem, k->p->n_streams * sizeof *x->output_of + 1);
  x->test_of = wb_block(k->mem, k->p->n_states * sizeof *x->test_of + 1);
  k->at = wb_block(k->mem, n * sizeof *k->at);
  k->is_outer = wb_block(k->mem, n);
  k->is_held = wb_block(k->mem, n);
  k->is_shared = wb_block(k->mem, n);
  k->first_write = wb_block(k->mem, n * sizeof *k->first_write);
  k->next_write = wb_block(k->mem, k->p->n_outputs * sizeof *k->next_write + 1);
  return x->all != NULL && x->some != NULL && x->marks != NULL && x->outer != NULL && x->ranges != NULL && x->output_of != NULL &&
         x->test_of != NULL && k->at != NULL && k->is_outer != NULL && k->is_held != NULL && k->is_shared != NULL && k->first_write != NULL && k->next_write != NULL;
}

static void give_scratch(maker *k, const scratch *x) {
  void *const blocks[] = {x->all, x->some, x->marks, x->outer, x->ranges, x->output_of, x->test_of,
                          k->at, k->is_outer, k->is_held, k->is_shared, k->first_write, k->next_write};
  for (size_t i = 0; i < WB_LEN(blocks); i++) wb_block_free(k->mem, blocks[i]);
}

static bool plan_body(maker *k, wir_body_fit fit) {
  const wir_body *b = &k->quick->bodies->of_fit[fit];
  wir_order g;
  scratch x;
  bool is_made = wir_order_make(k->p, b, k->tile->rows, k->mem, &g);
  k->g = &g;
  k->is_sparse = fit == WIR_BODY_SPARSE;
  if (!take_scratch(k, b, &x)) is_made = false;
  if (is_made) {
    memset(x.output_of, 0, k->p->n_streams * sizeof *x.output_of);
    for (uint32_t o = 0; o < k->p->n_outputs; o++) x.output_of[k->p->outputs[o]] = o + 1;
    is_made = make_plan(k, &x, &k->tile->plans[fit]);
  }
  give_scratch(k, &x);
  wir_order_end(&g);
  return is_made;
}

/* ---- The whole ---- */

/* Numbers of columns as the run has them: ports, constants, columns of outputs that are not asked for, what is held, places. */
static void number(const wrt_tile *t, uint32_t *column, uint32_t n_unasked) {
  uint32_t base = t->n_ports;
  if (*column == NONE) return;
  if (*column >= CONSTS) *column += base - CONSTS;
  else if (*column >= HELD) *column += base + t->n_consts + n_unasked - HELD;
  else if (*column >= PLACES) *column += base + t->n_consts + n_unasked + t->n_held - PLACES;
}

static void number_code(const wrt_tile *t, wrt_tile_code *c, uint32_t n_unasked) {
  for (uint32_t i = 0; i < c->n_steps; i++) {
    wrt_tile_step *s = &c->steps[i];
    number(t, &s->d, n_unasked), number(t, &s->a, n_unasked), number(t, &s->b, n_unasked), number(t, &s->c, n_unasked);
  }
  for (uint32_t i = 0; i < c->n_rows; i++) {
    wrt_tile_row *r = &c->rows[i];
    number(t, &r->d, n_unasked), number(t, &r->fd, n_unasked);
    for (int a = 0; a < 3; a++) number(t, &r->args[a], n_unasked), number(t, &r->masks[a], n_unasked);
  }
  for (uint32_t i = 0; i < c->n_effects; i++) number(t, &c->effects[i].column, n_unasked), number(t, &c->effects[i].mask, n_unasked);
}

static void number_plan(const wrt_tile *t, wrt_tile_plan *plan, uint32_t n_unasked) {
  number_code(t, &plan->held, n_unasked);
  number_code(t, &plan->checked, n_unasked);
  number_code(t, &plan->small, n_unasked);
  for (uint32_t i = 0; i < plan->n_tests; i++)
    if (!plan->tests[i].is_state) number(t, &plan->tests[i].of, n_unasked);
}

/* Outputs that nobody reads share one column where they are not asked for; the first one. */
static uint32_t give_unasked(const wir_program *p, wrt_tile *t) {
  uint32_t n = 1;
  for (uint32_t o = 0; o < p->n_outputs; o++) t->unasked[o] = t->n_ports + t->n_consts + (t->unasked[o] && !WB_PLANTED(52) ? n++ : 0);
  return n;
}

static bool take_pool(wrt_monitor *m, wrt_tile *t) {
  t->columns = wb_block(&m->quick_mem, ((size_t)t->n_ports + t->n_pool) * sizeof *t->columns + 1);
  t->pool = wb_block(&m->quick_mem, (size_t)t->n_pool * t->rows * sizeof(wrt_cell) + 64);
  t->present = wb_block(&m->quick_mem, (size_t)m->program->n_inputs * WRT_TILE_WORDS * sizeof *t->present + 1);
  if (t->columns == NULL || t->pool == NULL || t->present == NULL) return false;
  unsigned char *at = t->pool + (64 - (uintptr_t)t->pool % 64) % 64;
  for (uint32_t i = 0; i < t->n_pool; i++) t->columns[t->n_ports + i] = (wrt_cell *)(void *)(at + (size_t)i * t->rows * sizeof(wrt_cell));
  return true;
}

static bool finish(maker *k) {
  wrt_tile *t = k->tile;
  t->consts = k->consts.at;
  t->n_consts = (uint32_t)k->consts.n;
  uint32_t n_unasked = give_unasked(k->p, t), most = 0;
  for (uint32_t f = 0; f < WIR_BODY_FITS; f++) {
    wrt_tile_plan *plan = &t->plans[f];
    most = WB_MAX(most, WB_MAX(plan->checked.n_columns, plan->small.n_columns));
    number_plan(t, plan, n_unasked);
  }
  t->n_pool = t->n_consts + n_unasked + t->n_held + most;
  if (t->n_pool <= MOST_COLUMNS) return take_pool(k->m, t);
  for (uint32_t f = 0; f < WIR_BODY_FITS; f++) t->plans[f].is_possible = false;
  return true;
}

static uint32_t rows_for(const wir_body *b) {
  enum { ENOUGH = 8192 }; /* cells computed in a tile, so that what is done once for each hardly counts */
  uint32_t rows = WRT_TILE_MOST_ROWS;
  while (rows > WRT_TILE_FEWEST_ROWS && (uint64_t)rows * b->effects > ENOUGH) rows /= 2;
  return rows;
}

bool wrt_tile_new(wrt_monitor *m, wrt_quick *q) {
  const wir_program *p = m->program;
  wrt_tile *t = WB_NEW(&m->quick_mem, wrt_tile);
  if (t == NULL) return false;
  maker k = {.m = m, .mem = &m->quick_mem, .p = p, .tile = t, .quick = q};
  t->level = wrt_tile_best_level();
  t->rows = rows_for(&q->bodies->of_fit[WIR_BODY_WARM]);
  t->n_ports = p->n_inputs + p->n_outputs;
  t->input_of_output = WB_NEW_ARRAY(&m->quick_mem, uint32_t, p->n_outputs);
  t->unasked = WB_NEW_ARRAY(&m->quick_mem, uint32_t, p->n_outputs);
  if (t->input_of_output == NULL || t->unasked == NULL) return false;
  for (uint32_t o = 0; o < p->n_outputs; o++) t->input_of_output[o] = UINT32_MAX;
  q->tile = t;
  if (t->n_ports == 0) return true;
  bool is_made = plan_body(&k, WIR_BODY_SPARSE) && plan_body(&k, WIR_BODY_WARM) && finish(&k);
  wb_block_free(k.mem, k.const_table);
  return is_made;
}
