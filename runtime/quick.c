/* runtime/quick.c -- running quickened code: one indirect jump per instruction.
**
** Handlers come in two forms.  PLAIN ones know that their operands are values.  TRACKED ones look at conditions first; a strict operation's
** condition is the greatest of its operands' (ir/scalar.h).  An operation that fails outside all guards leaves: the row is declined.
** quick_code.c chooses the handlers. */
#include "runtime/quick_ops.h"

#include "runtime/monitor.h"

/* ---- State of tracked handlers; out of line, since warm rows do not come here ---- */

static weir_value load(const unsigned char *at, const wir_state *s, uint64_t i) {
  return wir_sample_load((wir_cell)s->cell, at + s->offset, at + s->presence, i);
}

static void set(quick_run *q, uint32_t d, weir_value v) {
  q->conditions[d / 8] = v.tag == WEIR_NOVAL ? WIR_IS_NOVAL : v.tag == WEIR_DEFERRED ? WIR_IS_DEFERRED : WIR_IS_VALUE;
  *(int64_t *)(void *)(q->base + d) = v.tag == WEIR_BOOL ? v.as.b : v.as.i;
}

static void tracked_ring(quick_run *q, const wrt_quick_ins *c) {
  const wir_state *s = &q->program->states[c->a];
  const wir_ring *r = (const wir_ring *)(const void *)(q->arena + s->ring);
  uint64_t back = c->imm.offset;
  if (r->filled + WB_PLANTED(11) < back) {
    set(q, c->d, (weir_value){.tag = WEIR_DEFERRED});
    return;
  }
  set(q, c->d, load(q->arena, s, r->next >= back ? r->next - back : (WB_PLANTED(12) ? 0 : r->next) + s->capacity - back));
}

static void tracked_newest(quick_run *q, const wrt_quick_ins *c) {
  const wir_state *s = &q->program->states[c->b];
  const wir_ring *r = (const wir_ring *)(const void *)(q->arena + s->ring);
  if (r->filled == 0) set(q, c->d, (weir_value){.tag = WEIR_NOVAL});
  else set(q, c->d, load(q->arena, s, r->next == 0 ? s->capacity - 1 : r->next - 1));
}

/* Stores a register as a sample; a failure is kept as Deferred. */
static void store(quick_run *q, unsigned char *to, uint32_t state, uint32_t from, uint64_t i, bool was_value) {
  const wir_state *s = &q->program->states[state];
  uint8_t condition = q->conditions[from / 8];
  unsigned char *values = to + s->offset;
  to[s->presence + i] = condition == WIR_IS_VALUE   ? WIR_SAMPLE_VALUE
                              : condition == WIR_IS_NOVAL ? WIR_SAMPLE_NOVAL
                                                          : WIR_SAMPLE_DEFERRED;
  int64_t cell = *(const int64_t *)(const void *)(q->base + from);
  if (s->cell == WIR_CELL_BOOL) values[i] = (unsigned char)cell;
  else ((int64_t *)(void *)values)[i] = cell;
  if (!q->quick->is_whole) return;
  for (uint32_t code = WRT_QUICK_SPARSE; code < WRT_QUICK_CODES; code++)
    if (q->quick->assumed[state] & (1u << code)) q->quick->n_cold[code] += (uint64_t)(condition != WIR_IS_VALUE && !WB_PLANTED(17)) - (uint64_t)!was_value;
}

static void tracked_keep(quick_run *q, const wrt_quick_ins *c) {
  const wir_state *s = &q->program->states[c->a];
  bool was_value = q->cells[s->presence] == WIR_SAMPLE_VALUE;
  bool is_unset_flag = s->kind == WIR_STATE_FLAG && (WB_PLANTED(18) || *(const int64_t *)(const void *)(q->base + c->d) == 0);
  if (!is_unset_flag) store(q, q->cells, c->a, c->d, 0, was_value);
}

static void tracked_push(quick_run *q, const wrt_quick_ins *c) {
  const wir_state *s = &q->program->states[c->a];
  wir_ring *r = (wir_ring *)(void *)(q->arena + s->ring);
  bool was_value = r->filled == s->capacity && q->arena[s->presence + r->next] == WIR_SAMPLE_VALUE;
  store(q, q->arena, c->a, c->d, r->next, was_value);
  r->next = r->next + 1 == s->capacity ? 0 : r->next + 1;
  r->filled += r->filled < s->capacity;
}

static bool flag_is_set(const quick_run *q, uint32_t state) { return q->cells[q->program->states[state].presence] == WIR_SAMPLE_VALUE; }

static void tracked_stage(quick_run *q, const wrt_quick_ins *c) {
  const wir_state *s = &q->program->states[c->a];
  uint8_t k = q->conditions[c->d / 8];
  int64_t cell = *(const int64_t *)(const void *)(q->base + c->d);
  weir_value v = {.tag = k == WIR_IS_NOVAL ? WEIR_NOVAL : WEIR_DEFERRED};
  if (k == WIR_IS_VALUE) v = wrt_quick_tag((wir_cell)s->cell, cell);
  q->pending[s->pending] = v;
}

/* && || =>.  `decides` is the left value that decides.  True: a failure that counts, outside all guards. */
static bool tracked_logical(quick_run *q, const wrt_quick_ins *c, int64_t decides, int64_t decided, bool is_guarded) {
  uint8_t a = q->conditions[c->a / 8], b = q->conditions[c->b / 8], result;
  int64_t x = *(const int64_t *)(const void *)(q->base + c->a), y = *(const int64_t *)(const void *)(q->base + c->b);
  bool is_decided = a == WIR_IS_VALUE && x == decides;
  if (a == WIR_IS_FAILED) result = WIR_IS_FAILED;
  else if (b == WIR_IS_FAILED) result = a != WIR_IS_VALUE ? a : is_decided ? WIR_IS_VALUE : WIR_IS_FAILED;
  else result = WB_MAX(a, b);
  q->conditions[c->d / 8] = result;
  *(int64_t *)(void *)(q->base + c->d) = is_decided ? decided : y;
  return result == WIR_IS_FAILED && !is_guarded;
}

/* if: the order is that of canon.c. */
static bool tracked_select(quick_run *q, const wrt_quick_ins *c, bool is_guarded) {
  uint8_t cond = q->conditions[c->a / 8], x = q->conditions[c->b / 8], y = q->conditions[c->c / 8], result;
  int64_t is_true = *(const int64_t *)(const void *)(q->base + c->a);
  uint8_t chosen = is_true != WB_PLANTED(16) ? x : y;
  if (cond == WIR_IS_FAILED || (cond == WIR_IS_VALUE && chosen == WIR_IS_FAILED)) result = WIR_IS_FAILED;
  else if (x == WIR_IS_NOVAL || y == WIR_IS_NOVAL) result = WIR_IS_NOVAL;
  else result = cond != WIR_IS_VALUE ? cond : chosen;
  q->conditions[c->d / 8] = result;
  *(int64_t *)(void *)(q->base + c->d) = *(const int64_t *)(const void *)(q->base + (is_true ? c->b : c->c));
  return result == WIR_IS_FAILED && !is_guarded;
}

/* ---- The loop ---- */

#define CELL(at) (*(int64_t *)(void *)(q->base + (at)))
#define REAL(at) (*(double *)(void *)(q->base + (at)))
#define COND(at) (q->conditions[(at) / 8])
/* An indirect jump of its own for each handler is what makes prediction work.  Compilers like to merge equal tails into one jump; a marker
** that differs in each keeps them apart (and CMakeLists.txt lifts clang's limit on copies). */
#define NEXT do { ++c; __asm__ volatile("" : : "i"(__COUNTER__)); goto *c->go; } while (0)
#define LEAVE do { q->left = c; return false; } while (0)
#define COPY_AS(from, k) (CELL(c->d) = CELL(from), COND(c->d) = (k))

/* Plain and tracked handlers of a binary operation on Ints that may fail; is_guarded stands in imm. */
#define INT2_FAILING(NAME, f) \
  P_##NAME##_I: if (WB_UNLIKELY(f(CELL(c->a), CELL(c->b), &CELL(c->d)) != WEIR_OK)) LEAVE; NEXT; \
  T_##NAME##_I: { \
    uint8_t k = WB_MAX(COND(c->a), COND(c->b)); \
    if (k == WIR_IS_VALUE && WB_UNLIKELY(f(CELL(c->a), CELL(c->b), &CELL(c->d)) != WEIR_OK)) { \
      if (!c->imm.i) LEAVE; \
      k = WB_PLANTED(15) ? WIR_IS_VALUE : WIR_IS_FAILED; \
    } \
    COND(c->d) = k; \
  } NEXT;
#define INT1_FAILING(NAME, f) \
  P_##NAME##_I: if (WB_UNLIKELY(f(CELL(c->a), &CELL(c->d)) != WEIR_OK)) LEAVE; NEXT; \
  T_##NAME##_I: { \
    uint8_t k = COND(c->a); \
    if (k == WIR_IS_VALUE && WB_UNLIKELY(f(CELL(c->a), &CELL(c->d)) != WEIR_OK)) { \
      if (!c->imm.i) LEAVE; \
      k = WIR_IS_FAILED; \
    } \
    COND(c->d) = k; \
  } NEXT;
#define FUSED(FIRST, f, SECOND, g) \
  P_##FIRST##_##SECOND##_I: { \
    int64_t x; \
    if (WB_UNLIKELY((f(CELL(c->a), CELL(c->b), &x) | g(x, CELL(c->c), &CELL(c->d))) != WEIR_OK)) LEAVE; \
  } NEXT; \
  P_##FIRST##_##SECOND##_R_I: { \
    int64_t x; \
    if (WB_UNLIKELY((f(CELL(c->a), CELL(c->b), &x) | g(CELL(c->c), x, &CELL(c->d))) != WEIR_OK)) LEAVE; \
  } NEXT;
#define FUSED3(FIRST, f) FUSED(FIRST, f, ADD, wir_add_int) FUSED(FIRST, f, SUB, wir_sub_int) FUSED(FIRST, f, MUL, wir_mul_int)
#define FUSED_F(FIRST, op1, SECOND, op2) \
  P_##FIRST##_##SECOND##_F: REAL(c->d) = (REAL(c->a) op1 REAL(c->b)) op2 REAL(c->c); NEXT; \
  P_##FIRST##_##SECOND##_R_F: REAL(c->d) = REAL(c->c) op2 (REAL(c->a) op1 REAL(c->b)); NEXT;
#define FUSED3_F(FIRST, op1) FUSED_F(FIRST, op1, ADD, +) FUSED_F(FIRST, op1, SUB, -) FUSED_F(FIRST, op1, MUL, *)
/* What cannot fail computes whatever the conditions are: the cell of what is no value is never looked at. */
#define STEADY2(NAME, statement) \
  P_##NAME: statement; NEXT; \
  T_##NAME: COND(c->d) = WB_MAX(COND(c->a), COND(c->b)); statement; NEXT;
#define STEADY1(NAME, statement) \
  P_##NAME: statement; NEXT; \
  T_##NAME: COND(c->d) = COND(c->a); statement; NEXT;
#define COMPARE(NAME, op) \
  STEADY2(NAME##_I, CELL(c->d) = CELL(c->a) op CELL(c->b)) \
  STEADY2(NAME##_F, CELL(c->d) = REAL(c->a) op REAL(c->b))

bool wrt_quick_run(quick_run *q, const wrt_quick_ins *c, const void *const **handlers) {
#define QUICK(name) &&name,
  static const void *const table[] = {WRT_QUICK_OPS(QUICK)};
#undef QUICK
  if (handlers != NULL) {
    *handlers = table;
    return true;
  }
  goto *c->go;

  INT2_FAILING(ADD, wir_add_int)
  INT2_FAILING(SUB, wir_sub_int)
  INT2_FAILING(MUL, wir_mul_int)
  INT2_FAILING(DIV, wir_div_int)
  INT2_FAILING(REM, wir_rem_int)
  INT2_FAILING(POW, wir_pow_int)
  INT1_FAILING(NEG, wir_neg_int)
  INT1_FAILING(ABS, wir_abs_int)
  STEADY2(ADD_F, REAL(c->d) = REAL(c->a) + REAL(c->b))
  STEADY2(SUB_F, REAL(c->d) = REAL(c->a) - REAL(c->b))
  STEADY2(MUL_F, REAL(c->d) = REAL(c->a) * REAL(c->b))
  STEADY2(DIV_F, REAL(c->d) = REAL(c->a) / REAL(c->b))
  STEADY2(REM_F, REAL(c->d) = wir_rem_float(REAL(c->a), REAL(c->b)))
  STEADY2(POW_F, REAL(c->d) = wir_pow_float(REAL(c->a), REAL(c->b)))
  STEADY1(NEG_F, REAL(c->d) = -REAL(c->a))
  STEADY1(ABS_F, REAL(c->d) = fabs(REAL(c->a)))
  STEADY1(SIN_F, REAL(c->d) = sin(REAL(c->a)))
  STEADY1(COS_F, REAL(c->d) = cos(REAL(c->a)))
  STEADY1(TAN_F, REAL(c->d) = tan(REAL(c->a)))
  COMPARE(EQ, ==)
  COMPARE(NE, !=)
  COMPARE(LT, <)
  COMPARE(LE, <=)
  COMPARE(GT, >)
  COMPARE(GE, >=)
  STEADY1(NOT_I, CELL(c->d) = CELL(c->a) ^ 1)
  STEADY1(FLOAT, REAL(c->d) = (double)CELL(c->a))

  FUSED3(ADD, wir_add_int)
  FUSED3(SUB, wir_sub_int)
  FUSED3(MUL, wir_mul_int)
  FUSED3_F(ADD, +)
  FUSED3_F(SUB, -)
  FUSED3_F(MUL, *)

P_AND: CELL(c->d) = CELL(c->a) & CELL(c->b); NEXT;
P_OR: CELL(c->d) = CELL(c->a) | CELL(c->b); NEXT;
P_IMPLIES: CELL(c->d) = (CELL(c->a) ^ 1) | CELL(c->b); NEXT;
P_SELECT: CELL(c->d) = CELL(c->a) ? CELL(c->b) : CELL(c->c); NEXT;
T_AND: if (WB_UNLIKELY(tracked_logical(q, c, 0, 0, c->imm.i != 0))) LEAVE; NEXT;
T_OR: if (WB_UNLIKELY(tracked_logical(q, c, 1, 1, c->imm.i != 0))) LEAVE; NEXT;
T_IMPLIES: if (WB_UNLIKELY(tracked_logical(q, c, 0, 1, c->imm.i != 0))) LEAVE; NEXT;
T_SELECT: if (WB_UNLIKELY(tracked_select(q, c, c->imm.i != 0))) LEAVE; NEXT;

P_RING: {
  const wir_ring *r = (const wir_ring *)(const void *)(q->base + c->b);
  uint64_t i = r->next >= c->c ? r->next - c->c : r->next + imm_capacity(c) - c->c - WB_PLANTED(13);
  CELL(c->d) = ((const int64_t *)(const void *)(q->base + c->a))[i];
} NEXT;
P_RING_BOOL: {
  const wir_ring *r = (const wir_ring *)(const void *)(q->base + c->b);
  uint64_t i = r->next >= c->c ? r->next - c->c : r->next + imm_capacity(c) - c->c;
  CELL(c->d) = q->base[c->a + i];
} NEXT;
P_RING_NEWEST: CELL(c->d) = CELL(c->a); NEXT;     /* capacity 1 */
P_RING_NEWEST_BOOL: CELL(c->d) = q->base[c->a]; NEXT;
T_RING: tracked_ring(q, c); NEXT;

T_HOLD:
  if (WB_PLANTED(14) ? COND(c->a) == WIR_IS_VALUE : COND(c->a) != WIR_IS_NOVAL) COPY_AS(c->a, COND(c->a));
  else set(q, c->d, load(q->cells, &q->program->states[c->b], 0));
  NEXT;
T_FILL:
  if (COND(c->a) != WIR_IS_NOVAL) COPY_AS(c->a, COND(c->a));
  else tracked_newest(q, c);
  NEXT;
T_SETTLE: COPY_AS(c->a, COND(c->a) == WIR_IS_NOVAL ? WIR_IS_DEFERRED : COND(c->a)); NEXT;
T_GUARD: COPY_AS(c->b, COND(c->a) == WIR_IS_FAILED ? WIR_IS_FAILED : COND(c->b)); NEXT;
T_DEFAULT:
  if (COND(c->a) == WIR_IS_FAILED || COND(c->b) == WIR_IS_FAILED) COND(c->d) = WIR_IS_FAILED;
  else if (WB_PLANTED(19) ? COND(c->a) != WIR_IS_VALUE : COND(c->a) == WIR_IS_DEFERRED) COPY_AS(c->b, COND(c->b));
  else COPY_AS(c->a, COND(c->a));
  NEXT;
T_DEFINED:
  CELL(c->d) = COND(c->a) != WIR_IS_DEFERRED;
  COND(c->d) = COND(c->a) == WIR_IS_FAILED ? WIR_IS_FAILED : WIR_IS_VALUE;
  NEXT;
T_GATE: {
  uint8_t k = COND(c->a) == WIR_IS_FAILED || COND(c->b) == WIR_IS_FAILED ? WIR_IS_FAILED
              : COND(c->a) == WIR_IS_NOVAL                              ? WIR_IS_NOVAL
                                                                        : COND(c->b);
  COPY_AS(c->b, k);
} NEXT;
T_PROPER: CELL(c->d) = COND(c->a) == WIR_IS_VALUE || flag_is_set(q, c->b); NEXT;
T_STARTED: CELL(c->d) = COND(c->a) != WIR_IS_NOVAL || flag_is_set(q, c->b); NEXT;
T_PICK:
  if (CELL(c->a)) COPY_AS(c->b, COND(c->b));
  else COPY_AS(c->c, COND(c->c));
  NEXT;

P_COPY: CELL(c->d) = CELL(c->a); NEXT;
T_COPY: COPY_AS(c->a, COND(c->a)); NEXT;
P_KEEP: CELL(c->a) = CELL(c->d); NEXT;
P_KEEP_RUN: { /* cells that lie in the order of their registers */
  int64_t *to = &CELL(c->a);
  const int64_t *from = &CELL(c->d);
  for (int64_t i = 0; i < c->imm.i; i++) to[i] = from[i];
} NEXT;
P_KEEP_BOOL: q->base[c->a] = (unsigned char)CELL(c->d); NEXT;
P_PUSH: {
  wir_ring *r = (wir_ring *)(void *)(q->base + c->b);
  ((int64_t *)(void *)(q->base + c->a))[r->next] = CELL(c->d);
  r->next = r->next + 1 == imm_capacity(c) ? 0 : r->next + 1;
} NEXT;
P_PUSH_BOOL: {
  wir_ring *r = (wir_ring *)(void *)(q->base + c->b);
  q->base[c->a + r->next] = (unsigned char)CELL(c->d);
  r->next = r->next + 1 == imm_capacity(c) ? 0 : r->next + 1;
} NEXT;
T_KEEP: tracked_keep(q, c); NEXT;
T_PUSH: tracked_push(q, c); NEXT;
T_STAGE: tracked_stage(q, c); NEXT;

STOP: if (q->stops) return true;
  NEXT;
END: return true;
}

bool wrt_quick_fast(wrt_quick *q, const weir_cell *in, weir_cell *out) {
  const wrt_quick_code *code = &q->codes[WRT_QUICK_WARM];
  weir_cell *cells = (weir_cell *)(void *)q->base;
  uint32_t n_in = q->through.program->n_inputs, n_out = q->through.program->n_outputs;
  for (uint32_t i = 0; i < n_in; i++) cells[code->first + i] = in[i];
  if (WB_UNLIKELY(!wrt_quick_run(&q->through, code->code, NULL))) return false;
  for (uint32_t i = 0; i < n_out; i++) out[i] = cells[code->outputs + i];
  return true;
}

/* A decline is rare: the handler is looked up, and the operands tell the rest. */
weir_cause wrt_quick_cause(const quick_run *q) {
  const void *const *handlers;
  (void)wrt_quick_run(NULL, NULL, &handlers);
  const wrt_quick_ins *c = q->left;
  int64_t divisor = *(const int64_t *)(const void *)(q->base + c->b);
  if (c->go == handlers[WRT_Q_P_DIV_I] || c->go == handlers[WRT_Q_T_DIV_I] || c->go == handlers[WRT_Q_P_REM_I] ||
      c->go == handlers[WRT_Q_T_REM_I])
    return divisor == 0 ? WEIR_CAUSE_DIV_ZERO : WEIR_CAUSE_OVERFLOW;
  if (c->go == handlers[WRT_Q_P_POW_I] || c->go == handlers[WRT_Q_T_POW_I])
    return divisor < 0 ? WEIR_CAUSE_DOMAIN : WEIR_CAUSE_OVERFLOW;
  if (c->go == handlers[WRT_Q_T_SELECT] || c->go == handlers[WRT_Q_T_AND] || c->go == handlers[WRT_Q_T_OR] ||
      c->go == handlers[WRT_Q_T_IMPLIES])
    return WEIR_CAUSE_GUARD;
  return WEIR_CAUSE_OVERFLOW;
}
