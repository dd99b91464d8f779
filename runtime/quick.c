/* runtime/quick.c -- running quickened code: one indirect jump per instruction.
**
** Handlers come in two forms.  PLAIN ones know that their operands are values.  TRACKED ones look at conditions first; a strict operation's
** condition is the greatest of its operands' (ir/scalar.h).  An operation that fails outside all guards leaves: the row is declined.
** quick_code.c chooses the handlers; quick_row.c has a second, smaller loop with some of them. */
#include "runtime/quick_handlers.h"

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
  to[s->presence + i] = wrt_sample_of[condition];
  int64_t cell = *(const int64_t *)(const void *)(q->base + from);
  if (s->cell == WIR_CELL_BOOL) values[i] = (unsigned char)cell;
  else ((int64_t *)(void *)values)[i] = cell;
  if (!q->quick->bodies->is_whole) return;
  for (uint32_t code = WIR_BODY_SPARSE; code < WIR_BODY_FITS; code++)
    if (q->quick->bodies->assumed[state] & (1u << code)) q->quick->n_cold[code] += (uint64_t)(condition != WIR_IS_VALUE && !WB_PLANTED(17)) - (uint64_t)!was_value;
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

#define BASE q->base
#define COND(at) (q->conditions[(at) / 8])
#define LEAVE do { q->left = c; return false; } while (0)

bool wrt_quick_run(quick_run *q, const wrt_quick_ins *c, const void *const **handlers) {
#define QUICK(name) &&name,
  static const void *const table[] = {WRT_QUICK_OPS(QUICK)};
#undef QUICK
  if (handlers != NULL) {
    *handlers = table;
    return true;
  }
  goto *c->go;

#include "runtime/quick_leaf.h"

  INT2_FAILING(POW, wir_pow_int)
  STEADY2(REM_F, REAL(c->d) = wir_rem_float(REAL(c->a), REAL(c->b)))
  STEADY2(POW_F, REAL(c->d) = wir_pow_float(REAL(c->a), REAL(c->b)))
  STEADY1(SIN_F, REAL(c->d) = sin(REAL(c->a)))
  STEADY1(COS_F, REAL(c->d) = cos(REAL(c->a)))
  STEADY1(TAN_F, REAL(c->d) = tan(REAL(c->a)))

T_AND: if (WB_UNLIKELY(tracked_logical(q, c, 0, 0, c->imm.i != 0))) LEAVE; NEXT;
T_OR: if (WB_UNLIKELY(tracked_logical(q, c, 1, 1, c->imm.i != 0))) LEAVE; NEXT;
T_IMPLIES: if (WB_UNLIKELY(tracked_logical(q, c, 0, 1, c->imm.i != 0))) LEAVE; NEXT;
T_SELECT: if (WB_UNLIKELY(tracked_select(q, c, c->imm.i != 0))) LEAVE; NEXT;

T_RING: tracked_ring(q, c); NEXT;

T_HOLD:
  if (WB_PLANTED(14) ? COND(c->a) == WIR_IS_VALUE : COND(c->a) != WIR_IS_NOVAL) COPY_AS(c->a, COND(c->a));
  else set(q, c->d, load(q->cells, &q->program->states[c->b], 0));
  NEXT;
T_FILL:
  if (COND(c->a) != WIR_IS_NOVAL) COPY_AS(c->a, COND(c->a));
  else tracked_newest(q, c);
  NEXT;
T_DEFAULT:
  if (COND(c->a) == WIR_IS_FAILED || COND(c->b) == WIR_IS_FAILED) COND(c->d) = WIR_IS_FAILED;
  else if (WB_PLANTED(19) ? COND(c->a) != WIR_IS_VALUE : COND(c->a) == WIR_IS_DEFERRED) COPY_AS(c->b, COND(c->b));
  else COPY_AS(c->a, COND(c->a));
  NEXT;
T_PROPER: CELL(c->d) = COND(c->a) == WIR_IS_VALUE || flag_is_set(q, c->b); NEXT;
T_STARTED: CELL(c->d) = COND(c->a) != WIR_IS_NOVAL || flag_is_set(q, c->b); NEXT;

T_KEEP: tracked_keep(q, c); NEXT;
T_PUSH: tracked_push(q, c); NEXT;
T_STAGE: tracked_stage(q, c); NEXT;

STOP: if (q->stops) return true;
  NEXT;
END: return true;
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
      c->go == handlers[WRT_Q_T_IMPLIES] || c->go == handlers[WRT_Q_P_IF_ADD] || c->go == handlers[WRT_Q_P_IF_SUB] ||
      c->go == handlers[WRT_Q_P_IF_MUL])
    return WEIR_CAUSE_GUARD;
  return WEIR_CAUSE_OVERFLOW;
}
