/* tests/support/irrun.c -- scalar bodies made at random and run by the book. */
#include "tests/support/irrun.h"

#include <math.h>
#include <stdlib.h>

const char *const irrun_spec =
  "in x: Int\nin y: Int\nin f: Float\nin g: Float\nin a: Bool\nin b: Bool\n"
  "out i: Int\nout j: Int\nout k: Int\nout r: Float\nout s: Float\nout t: Bool\nout u: Bool\n"
  "i = latch(x, y) + (latch(y, x))[2] + default(x[3], 0)\n"
  "j = latch(x, a) * latch(y, b) + default(j[2], y[1])\n"
  "k = latch(x, f) % 7 - (latch(y, f))[1]\n"
  "r = latch(f, x) + (latch(g, x))[2] + f[1]\n"
  "s = latch(g, y) / latch(f, y) + default(s[1], g[2])\n"
  "t = when(x) && latch(a, b) || init(b, a)\n"
  "u = update(a, b) => latch(b, x) && (latch(a, y))[3]\n";

/* ---- Random numbers: splitmix64, as a stream and as a hash ---- */

static uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static uint64_t next(uint64_t *random) { return mixed(*random += 0x9e3779b97f4a7c15u); }
static uint32_t below(uint64_t *random, uint32_t n) { return (uint32_t)(next(random) % n); }
static bool chance(uint64_t *random, uint32_t percent) { return below(random, 100) < percent; }

static int64_t some_int(uint64_t *random) {
  static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, 3037000500, -3037000500, INT64_C(1) << 32, -7};
  return chance(random, 20) ? far[below(random, WB_LEN(far))] : (int64_t)below(random, 7) - 3;
}

static double some_float(uint64_t *random) {
  static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e308, 5e-324, 9007199254740993.0, 1.0};
  return chance(random, 50) ? odd[below(random, WB_LEN(odd))] : ((double)below(random, 17) - 8) / 4;
}

static wir_imm some_value(uint64_t *random, uint8_t kind) {
  if (kind == WIR_KIND_FLOAT) return (wir_imm){.f = some_float(random)};
  if (kind == WIR_KIND_INT) return (wir_imm){.i = some_int(random)};
  return (wir_imm){.i = chance(random, 50)};
}

/* ---- Making a body ---- */

typedef struct maker {
  const wir_program *p;
  const wir_facts *facts;
  uint64_t random;
  wir_body b;
} maker;

static uint8_t kind_of_cell(uint8_t cell) {
  return cell == WIR_CELL_INT ? WIR_KIND_INT : cell == WIR_CELL_FLOAT ? WIR_KIND_FLOAT : WIR_KIND_BOOL;
}
static uint8_t kind_of_type(wir_type t) {
  return wir_type_eq(t, WIR_INT) ? WIR_KIND_INT : wir_type_eq(t, WIR_FLOAT) ? WIR_KIND_FLOAT : WIR_KIND_BOOL;
}

/* An instruction of that kind, or of any (WIR_KINDS), or UINT32_MAX. */
static uint32_t pick(maker *m, uint8_t kind) {
  for (uint32_t tries = 0; m->b.n_ins != 0 && tries < 30; tries++) {
    uint32_t i = chance(&m->random, 50) ? below(&m->random, m->b.n_ins) : m->b.n_ins - 1 - below(&m->random, WB_MIN(m->b.n_ins, 6u));
    if (kind == WIR_KINDS || m->b.ins[i].kind == kind) return i;
  }
  return UINT32_MAX;
}

static uint32_t pick_state(maker *m, uint8_t kind, uint32_t kinds) {
  for (uint32_t tries = 0; tries < 100; tries++) {
    uint32_t i = below(&m->random, m->p->n_states);
    const wir_state *s = &m->p->states[i];
    if (kinds >> s->kind & 1 && (kind == WIR_KINDS || kind_of_cell(s->cell) == kind)) return i;
  }
  return UINT32_MAX;
}

static bool bind_state(maker *m, wir_ins *in, uint8_t kind, uint32_t kinds) {
  in->state = pick_state(m, kind, kinds);
  if (in->state == UINT32_MAX) return false;
  in->stream = m->p->states[in->state].stream;
  return true;
}

/* Operands whose kinds are given by letters: k the result's, b Bool, f Float, i Int, * any, = as the one before. */
static bool bind_args(maker *m, wir_ins *in, const char *kinds) {
  for (uint32_t k = 0; kinds[k] != '\0'; k++) {
    uint8_t kind = kinds[k] == 'k' ? in->kind : kinds[k] == 'b' ? WIR_KIND_BOOL : kinds[k] == 'f' ? WIR_KIND_FLOAT
                   : kinds[k] == 'i' ? WIR_KIND_INT : kinds[k] == '=' ? m->b.ins[in->args[0].i].kind : WIR_KINDS;
    in->args[k].i = pick(m, kind);
    if (in->args[k].i == UINT32_MAX) return false;
  }
  return true;
}

static bool make_leaf(maker *m, wir_ins *in) {
  const uint32_t rings = 1u << WIR_STATE_HISTORY | 1u << WIR_STATE_OUTPUT | 1u << WIR_STATE_DELAY;
  if (chance(&m->random, 40)) {
    in->op = WIR_I_CONST;
    in->imm = some_value(&m->random, in->kind);
    return true;
  }
  in->op = chance(&m->random, 60) ? WIR_I_READ : WIR_I_RING;
  if (in->op == WIR_I_RING) {
    if (!bind_state(m, in, in->kind, rings)) return false;
    in->imm.offset = 1 + below(&m->random, (uint32_t)m->p->states[in->state].capacity);
    return true;
  }
  in->stream = below(&m->random, m->p->n_inputs);
  in->kind = kind_of_type(m->p->streams[in->stream].type);
  return true;
}

static bool make_arithmetic(maker *m, wir_ins *in) {
  static const uint8_t ops[] = {WIR_I_ADD, WIR_I_SUB, WIR_I_MUL, WIR_I_DIV, WIR_I_REM, WIR_I_POW, WIR_I_NEG, WIR_I_ABS, WIR_I_REM};
  in->op = ops[below(&m->random, WB_LEN(ops))];
  return in->kind != WIR_KIND_BOOL && bind_args(m, in, wir_insns[in->op].operands == 2 ? "kk" : "k");
}

static bool make_bool(maker *m, wir_ins *in) {
  static const struct { uint8_t op; const char *kinds; } ops[] = {
    {WIR_I_EQ, "*="}, {WIR_I_NE, "*="}, {WIR_I_LT, "*="}, {WIR_I_LE, "*="}, {WIR_I_GT, "*="}, {WIR_I_GE, "*="}, {WIR_I_NOT, "b"},
    {WIR_I_AND, "bb"}, {WIR_I_OR, "bb"}, {WIR_I_IMPLIES, "bb"}, {WIR_I_AND, "bb"}, {WIR_I_OR, "bb"}, {WIR_I_IMPLIES, "bb"},
    {WIR_I_DEFINED, "*"}, {WIR_I_PROPER, "*"}, {WIR_I_STARTED, "*"},
  };
  uint32_t i = below(&m->random, WB_LEN(ops));
  in->op = ops[i].op;
  in->kind = WIR_KIND_BOOL;
  if ((in->op == WIR_I_PROPER || in->op == WIR_I_STARTED) && !bind_state(m, in, WIR_KIND_BOOL, 1u << WIR_STATE_FLAG)) return false;
  return bind_args(m, in, ops[i].kinds);
}

static bool make_float(maker *m, wir_ins *in) {
  static const uint8_t ops[] = {WIR_I_SIN, WIR_I_COS, WIR_I_TAN, WIR_I_FLOAT, WIR_I_FLOAT};
  in->op = ops[below(&m->random, WB_LEN(ops))];
  in->kind = WIR_KIND_FLOAT;
  return bind_args(m, in, in->op == WIR_I_FLOAT ? "i" : "f");
}

static bool make_any(maker *m, wir_ins *in) {
  static const struct { uint8_t op; const char *kinds; } ops[] = {
    {WIR_I_HOLD, "k"}, {WIR_I_FILL, "k"}, {WIR_I_SETTLE, "k"}, {WIR_I_GUARD, "*k"}, {WIR_I_DEFAULT, "kk"}, {WIR_I_GATE, "*k"},
    {WIR_I_PICK, "bkk"}, {WIR_I_SELECT, "bkk"}, {WIR_I_SELECT, "bkk"}, {WIR_I_SELECT, "bkk"}, {WIR_I_SELECT, "bkk"},
  };
  const uint32_t holds = 1u << WIR_STATE_HELD | 1u << WIR_STATE_HOLD | 1u << WIR_STATE_RESULT;
  uint32_t i = below(&m->random, WB_LEN(ops));
  in->op = ops[i].op;
  if (in->op == WIR_I_HOLD && !bind_state(m, in, in->kind, holds)) return false;
  if (in->op == WIR_I_FILL && !bind_state(m, in, in->kind, 1u << WIR_STATE_HISTORY)) return false;
  return bind_args(m, in, ops[i].kinds) && (in->op != WIR_I_PICK || m->b.ins[in->args[0].i].may == 0);
}

/* Often the same again, or nearly: for the passes that look for it. */
static bool make_again(maker *m, wir_ins *in) {
  uint32_t i = pick(m, WIR_KINDS);
  if (i == UINT32_MAX) return false;
  *in = m->b.ins[i];
  uint32_t n = wir_insns[in->op].operands;
  if (n == 2 && chance(&m->random, 30) && m->b.ins[in->args[0].i].kind == m->b.ins[in->args[1].i].kind) {
    wir_val x = in->args[0];
    in->args[0] = in->args[1];
    in->args[1] = x;
  }
  return true;
}

static bool make_ins(maker *m, wir_ins *in) {
  *in = (wir_ins){.kind = (uint8_t)below(&m->random, WIR_KINDS), .state = WIR_NO_STATE};
  uint32_t dice = m->b.n_ins < 5 ? 0 : below(&m->random, 100);
  if (dice < 20) return make_leaf(m, in);
  if (dice < 45) return make_arithmetic(m, in);
  if (dice < 65) return make_bool(m, in);
  if (dice < 70) return make_float(m, in);
  if (dice < 90) return make_any(m, in);
  return make_again(m, in);
}

/* Is it inside a guard?  It must be if a failure would be a condition of it. */
static void put(maker *m, wir_ins in) {
  in.is_guarded = in.op != WIR_I_READ && chance(&m->random, 50);
  in.may = wir_ins_may(m->p, &m->b, &in, m->facts);
  if (in.may & WIR_MAY_FAIL) in.is_guarded = true;
  in.may = wir_ins_may(m->p, &m->b, &in, m->facts);
  if (chance(&m->random, 10) && in.op != WIR_I_PROPER && in.op != WIR_I_STARTED) in.may |= WIR_MAY_DEFERRED; /* it need not be exact */
  m->b.ins[m->b.n_ins++] = in;
}

static void put_effects(maker *m) {
  uint32_t end = m->b.n_ins;
  m->b.effects = end;
  for (uint32_t i = m->p->n_inputs; i < m->p->n_streams; i++) {
    uint32_t v = pick(m, kind_of_type(m->p->streams[i].type));
    if (v == UINT32_MAX || v >= end || m->b.ins[v].may & WIR_MAY_FAIL) continue;
    m->b.ins[m->b.n_ins++] = (wir_ins){.op = WIR_I_WRITE, .kind = m->b.ins[v].kind, .args = {{v}}, .stream = i};
  }
  for (uint32_t i = 0; i < m->p->n_states; i++) {
    const wir_state *s = &m->p->states[i];
    bool is_ring = wir_state_is_ring(s);
    uint32_t v = pick(m, kind_of_cell(s->cell));
    if (v == UINT32_MAX || v >= end || (is_ring && s->kind != WIR_STATE_DELAY) || chance(&m->random, 30)) continue;
    m->b.ins[m->b.n_ins++] = (wir_ins){.op = is_ring ? WIR_I_PUSH : WIR_I_KEEP, .kind = m->b.ins[v].kind, .args = {{v}}, .state = i, .stream = s->stream};
  }
}

wir_body irrun_make(const wir_program *p, uint64_t seed, uint32_t size, const wir_facts *facts, wb_mem *mem) {
  maker m = {.p = p, .facts = facts, .random = seed};
  m.b.ins = WB_NEW_ARRAY(mem, wir_ins, IRRUN_MOST);
  if (m.b.ins == NULL || size + p->n_streams + p->n_states > IRRUN_MOST) abort();
  while (m.b.n_ins < size) {
    wir_ins in;
    if (make_ins(&m, &in)) put(&m, in);
  }
  put_effects(&m);
  return m.b;
}

/* ---- Running ---- */

typedef struct runner {
  const wir_program *p;
  const wir_body *b;
  const irrun_row *row;
  irrun_result *out;
} runner;

/* What is read in this row: a value, or one of the conditions that are possible. */
static irrun_cell sample(const runner *r, uint32_t what, uint32_t number, uint64_t offset, uint8_t kind, uint8_t may) {
  uint64_t random = mixed(r->row->seed ^ mixed((uint64_t)what << 56 ^ (uint64_t)number << 32 ^ offset));
  irrun_cell c = {WIR_IS_VALUE, some_value(&random, kind)};
  if (may & WIR_MAY_NOVAL && chance(&random, 25)) c.condition = WIR_IS_NOVAL;
  else if (may & WIR_MAY_DEFERRED && chance(&random, 25)) c.condition = WIR_IS_DEFERRED;
  return c;
}

static irrun_cell of_state(const runner *r, const wir_ins *in, uint32_t what, uint64_t offset) {
  uint8_t may = r->row->facts == NULL || r->row->facts->of_state == NULL ? WIR_MAY_DEFERRED | WIR_MAY_NOVAL : r->row->facts->of_state[in->state];
  return sample(r, what, in->state, offset, in->kind, may);
}

static irrun_cell of_stream(const runner *r, const wir_ins *in) {
  uint8_t may = r->row->facts == NULL || r->row->facts->of_stream == NULL ? WIR_MAY_DEFERRED | WIR_MAY_NOVAL : r->row->facts->of_stream[in->stream];
  return sample(r, 1, in->stream, 0, in->kind, may);
}

static bool flag_is_set(const runner *r, const wir_ins *in) { return mixed(r->row->seed ^ mixed(in->state)) & 1; }

static irrun_cell arg(const runner *r, const wir_ins *in, uint32_t k) { return r->out->of[in->args[k].i]; }
static const irrun_cell is_true = {WIR_IS_VALUE, {.i = 1}}, is_false = {WIR_IS_VALUE, {.i = 0}}, failed = {WIR_IS_FAILED, {.i = 0}};
static irrun_cell of_bool(bool b) { return b ? is_true : is_false; }

static weir_value tagged(uint8_t kind, wir_imm v) {
  if (kind == WIR_KIND_INT) return (weir_value){.tag = WEIR_INT, .as.i = v.i};
  if (kind == WIR_KIND_FLOAT) return (weir_value){.tag = WEIR_FLOAT, .as.f = v.f};
  return (weir_value){.tag = WEIR_BOOL, .as.b = v.i != 0};
}

static irrun_cell computed(const runner *r, const wir_ins *in) {
  weir_value args[2] = {{.tag = WEIR_NOVAL}}, result;
  for (uint32_t k = 0; k < wir_insns[in->op].operands; k++) args[k] = tagged(r->b->ins[in->args[k].i].kind, arg(r, in, k).value);
  if (wir_apply((wir_op)in->op, args, NULL, &result) != WEIR_OK) {
    if (in->cannot_fail) r->out->wrong = "it cannot fail, and does";
    return failed;
  }
  return (irrun_cell){WIR_IS_VALUE, result.tag == WEIR_BOOL ? (wir_imm){.i = result.as.b} : (wir_imm){.i = result.as.i}};
}

static irrun_cell strict(const runner *r, const wir_ins *in) {
  irrun_cell c = {WIR_IS_VALUE, {.i = 0}};
  for (uint32_t k = 0; k < wir_insns[in->op].operands; k++) c.condition = WB_MAX(c.condition, arg(r, in, k).condition);
  if (c.condition != WIR_IS_VALUE) return c;
  if (in->op == WIR_I_FLOAT) return (irrun_cell){WIR_IS_VALUE, {.f = (double)arg(r, in, 0).value.i}};
  return computed(r, in);
}

static irrun_cell logical(const runner *r, const wir_ins *in, bool decides, bool decided) {
  irrun_cell a = arg(r, in, 0), b = arg(r, in, 1);
  bool is_decided = a.condition == WIR_IS_VALUE && (a.value.i != 0) == decides;
  if (a.condition == WIR_IS_FAILED) return failed;
  if (b.condition == WIR_IS_FAILED) return a.condition != WIR_IS_VALUE ? a : is_decided ? of_bool(decided) : failed;
  if (a.condition == WIR_IS_NOVAL || b.condition == WIR_IS_NOVAL) return (irrun_cell){WIR_IS_NOVAL, {.i = 0}};
  if (a.condition == WIR_IS_DEFERRED || b.condition == WIR_IS_DEFERRED) return (irrun_cell){WIR_IS_DEFERRED, {.i = 0}};
  return is_decided ? of_bool(decided) : b;
}

static irrun_cell selected(const runner *r, const wir_ins *in) {
  irrun_cell cond = arg(r, in, 0), x = arg(r, in, 1), y = arg(r, in, 2), chosen = cond.value.i != 0 ? x : y;
  if (cond.condition == WIR_IS_FAILED || (cond.condition == WIR_IS_VALUE && chosen.condition == WIR_IS_FAILED)) return failed;
  if (x.condition == WIR_IS_NOVAL || y.condition == WIR_IS_NOVAL) return (irrun_cell){WIR_IS_NOVAL, {.i = 0}};
  return cond.condition != WIR_IS_VALUE ? cond : chosen;
}

static irrun_cell either_failed_or(irrun_cell a, irrun_cell b, irrun_cell otherwise) {
  return a.condition == WIR_IS_FAILED || b.condition == WIR_IS_FAILED ? failed : otherwise;
}

static irrun_cell run_one(const runner *r, const wir_ins *in) {
  uint32_t n = wir_insns[in->op].operands;
  irrun_cell a = n > 0 ? arg(r, in, 0) : failed, b = n > 1 ? arg(r, in, 1) : failed;
  switch ((unsigned)in->op) {
  case WIR_I_CONST: return (irrun_cell){WIR_IS_VALUE, in->imm};
  case WIR_I_READ: return of_stream(r, in);
  case WIR_I_RING: return of_state(r, in, 2, in->imm.offset);
  case WIR_I_HOLD: return a.condition == WIR_IS_NOVAL ? of_state(r, in, 3, 0) : a;
  case WIR_I_FILL: return a.condition == WIR_IS_NOVAL ? of_state(r, in, 4, 0) : a;
  case WIR_I_SETTLE: return a.condition == WIR_IS_NOVAL ? (irrun_cell){WIR_IS_DEFERRED, {.i = 0}} : a;
  case WIR_I_GUARD: return a.condition == WIR_IS_FAILED ? failed : b;
  case WIR_I_DEFAULT: return either_failed_or(a, b, a.condition == WIR_IS_DEFERRED ? b : a);
  case WIR_I_DEFINED: return either_failed_or(a, a, of_bool(a.condition != WIR_IS_DEFERRED));
  case WIR_I_GATE: return either_failed_or(a, b, a.condition == WIR_IS_NOVAL ? a : b);
  case WIR_I_PROPER: return of_bool(a.condition == WIR_IS_VALUE || flag_is_set(r, in));
  case WIR_I_STARTED: return of_bool(a.condition != WIR_IS_NOVAL || flag_is_set(r, in));
  case WIR_I_PICK: return a.value.i != 0 ? b : arg(r, in, 2);
  case WIR_I_SELECT: return selected(r, in);
  case WIR_I_AND: return logical(r, in, false, false);
  case WIR_I_OR: return logical(r, in, true, true);
  case WIR_I_IMPLIES: return logical(r, in, false, true);
  case WIR_I_WRITE: case WIR_I_KEEP: case WIR_I_PUSH: return a;
  }
  return strict(r, in);
}

static bool claims(const wir_ins *in, wir_condition c) {
  static const uint8_t bits[] = {[WIR_IS_VALUE] = 0, [WIR_IS_DEFERRED] = WIR_MAY_DEFERRED, [WIR_IS_NOVAL] = WIR_MAY_NOVAL, [WIR_IS_FAILED] = WIR_MAY_FAIL};
  return (bits[c] & ~in->may) == 0;
}

void irrun(const wir_program *p, const wir_body *b, const irrun_row *row, irrun_result *out) {
  runner r = {.p = p, .b = b, .row = row, .out = out};
  out->has_left = false;
  out->wrong = NULL;
  for (uint32_t i = 0; i < b->n_ins && out->wrong == NULL; i++) {
    const wir_ins *in = &b->ins[i];
    out->of[i] = run_one(&r, in);
    out->wrong_at = i;
    if (i >= b->effects) continue;
    if (out->of[i].condition == WIR_IS_FAILED && !in->is_guarded) {
      out->has_left = true;
      if (!wir_ins_leaves(b, in)) out->wrong = "it leaves the body, and was thought not to";
      return;
    }
    if (!claims(in, out->of[i].condition)) out->wrong = "it is in a condition that it may not be in";
  }
}

/* ---- Comparing ---- */

static bool is_flag_left_alone(const wir_program *p, const wir_ins *in, irrun_cell c) {
  return in->op == WIR_I_KEEP && p->states[in->state].kind == WIR_STATE_FLAG && c.value.i == 0;
}

/* The effect of the same kind on the same thing, or UINT32_MAX. */
static uint32_t find_effect(const wir_body *b, const wir_ins *like) {
  for (uint32_t i = b->effects; i < b->n_ins; i++) {
    const wir_ins *in = &b->ins[i];
    if (in->op == like->op && (in->op == WIR_I_WRITE ? in->stream == like->stream : in->state == like->state)) return i;
  }
  return UINT32_MAX;
}

static bool same_effect(uint8_t kind, irrun_cell a, irrun_cell b) {
  wir_condition ka = a.condition == WIR_IS_FAILED ? WIR_IS_DEFERRED : a.condition, kb = b.condition == WIR_IS_FAILED ? WIR_IS_DEFERRED : b.condition;
  if (ka != kb || ka != WIR_IS_VALUE) return ka == kb;
  if (kind == WIR_KIND_FLOAT && a.value.f != a.value.f) return b.value.f != b.value.f;
  return a.value.i == b.value.i;
}

static const char *compare_one_way(const wir_program *p, const wir_body *a, const irrun_result *ra, const wir_body *b, const irrun_result *rb) {
  for (uint32_t i = a->effects; i < a->n_ins; i++) {
    uint32_t k = find_effect(b, &a->ins[i]);
    if (is_flag_left_alone(p, &a->ins[i], ra->of[i]) && (k == UINT32_MAX || is_flag_left_alone(p, &b->ins[k], rb->of[k]))) continue;
    if (k == UINT32_MAX) return "an effect is missing";
    if (!same_effect(a->ins[i].kind, ra->of[i], rb->of[k])) return "an effect differs";
  }
  return NULL;
}

const char *irrun_compare(const wir_program *p, const wir_body *a, const irrun_result *ra, const wir_body *b, const irrun_result *rb) {
  if (rb->wrong != NULL) return rb->wrong;
  if (ra->has_left != rb->has_left) return ra->has_left ? "a failure is hidden" : "a row is declined that was not";
  if (ra->has_left) return NULL;
  const char *why = compare_one_way(p, a, ra, b, rb);
  return why != NULL ? why : compare_one_way(p, b, rb, a, ra);
}
