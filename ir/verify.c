/* ir/verify.c -- refuses what the tiers assume of a scalar body.
**
** What is checked: every operand is computed before it is used; kinds and state descriptors fit the instruction; what is said to be
** impossible (a condition that `may` leaves out) follows from the operands; a failure is a condition only inside a guard; effects come
** last, and each state and stream has one.  A whole body moreover has every effect of its program.
** What cannot be checked: that the facts a body was narrowed to are facts, and that what is marked cannot_fail cannot.
** Bodies may come from a text, so nothing is assumed of one but that its arrays are as long as they say. */
#include "ir/scalar.h"

typedef struct verifier {
  const wir_program *p;
  const wir_body *b;
} verifier;

static uint32_t operands_of(const wir_ins *in) { return wir_insns[in->op].operands; }
static bool is_effect(const wir_ins *in) { return wir_insns[in->op].result == WIR_INS_NONE; }
static uint8_t bit(unsigned i) { return (uint8_t)(1u << i); }

/* ---- Kinds ---- */

static bool is_number(uint8_t kind) { return kind == WIR_KIND_INT || kind == WIR_KIND_FLOAT; }

/* A letter per operand: i f b: that kind · n: a number of the result's kind · k: the result's kind · =: that of the operand before it ·
** *: any. */
static const char *operand_kinds(wir_ins_op op) {
  switch (op) {
  case WIR_I_ADD: case WIR_I_SUB: case WIR_I_MUL: case WIR_I_DIV: case WIR_I_REM: case WIR_I_POW: case WIR_I_NEG: case WIR_I_ABS:
    return "nn";
  case WIR_I_SIN: case WIR_I_COS: case WIR_I_TAN: return "f";
  case WIR_I_EQ: case WIR_I_NE: case WIR_I_LT: case WIR_I_LE: case WIR_I_GT: case WIR_I_GE: return "*=";
  case WIR_I_NOT: case WIR_I_AND: case WIR_I_OR: case WIR_I_IMPLIES: return "bb";
  case WIR_I_FLOAT: return "i";
  case WIR_I_HOLD: case WIR_I_FILL: case WIR_I_SETTLE: case WIR_I_WRITE: case WIR_I_KEEP: case WIR_I_PUSH: return "k";
  case WIR_I_DEFAULT: return "kk";
  case WIR_I_GUARD: case WIR_I_GATE: return "*k";
  case WIR_I_DEFINED: case WIR_I_PROPER: case WIR_I_STARTED: return "*";
  case WIR_I_PICK: case WIR_I_SELECT: return "bkk";
  case WIR_I_CONST: case WIR_I_READ: case WIR_I_RING: case WIR_I_CONCAT: case WIR_INS_OPS: break;
  }
  return "";
}

static const char *check_result_kind(const wir_ins *in) {
  switch (wir_insns[in->op].result) {
  case WIR_INS_SAME: return is_number(in->kind) ? NULL : "arithmetic has a result of kind int or float";
  case WIR_INS_INT: return in->kind == WIR_KIND_INT ? NULL : "the result is of kind int";
  case WIR_INS_FLOAT: return in->kind == WIR_KIND_FLOAT ? NULL : "the result is of kind float";
  case WIR_INS_BOOL: return in->kind == WIR_KIND_BOOL ? NULL : "the result is of kind bool";
  case WIR_INS_STR: return "there are no texts in scalar bodies";
  case WIR_INS_ARG: case WIR_INS_ANY: case WIR_INS_NONE: break;
  }
  return NULL;
}

static const char *check_operand_kind(const verifier *v, const wir_ins *in, uint32_t k) {
  uint8_t kind = wir_ins_at(v->b, in->args[k])->kind;
  switch (operand_kinds((wir_ins_op)in->op)[k]) {
  case 'i': return kind == WIR_KIND_INT ? NULL : "an operand is not of kind int";
  case 'f': return kind == WIR_KIND_FLOAT ? NULL : "an operand is not of kind float";
  case 'b': return kind == WIR_KIND_BOOL ? NULL : "an operand is not of kind bool";
  case '=': return kind == wir_ins_at(v->b, in->args[k - 1])->kind ? NULL : "the operands are of different kinds";
  case 'n': case 'k': return kind == in->kind ? NULL : "an operand is not of the result's kind";
  }
  return NULL;
}

static const char *check_kinds(const verifier *v, const wir_ins *in) {
  const char *why = check_result_kind(in);
  for (uint32_t k = 0; k < operands_of(in) && why == NULL; k++) why = check_operand_kind(v, in, k);
  return why;
}

/* ---- Conditions ---- */

/* What the operands make possible, whatever is known of streams and state. */
static uint8_t least_may(const verifier *v, const wir_ins *in) {
  if (in->op == WIR_I_READ || in->op == WIR_I_RING) return 0;
  if (in->op == WIR_I_HOLD || in->op == WIR_I_FILL) return wir_ins_at(v->b, in->args[0])->may & (uint8_t)~WIR_MAY_NOVAL;
  return wir_ins_may(v->p, v->b, in, NULL);
}

static const char *check_conditions(const verifier *v, const wir_ins *in) {
  bool may_fail = in->may & WIR_MAY_FAIL;
  if (in->may & ~WIR_MAY_ALL) return "it may be in conditions that there are not";
  if (least_may(v, in) & ~in->may) return "its operands make a condition possible that it leaves out";
  if (is_effect(in) && in->may != 0) return "an effect has no result, and no conditions";
  if (may_fail && !in->is_guarded) return "outside all guards a failure leaves the body";
  if (may_fail && operands_of(in) == 0) return "what is read or constant has not failed";
  if (in->op == WIR_I_WRITE && wir_ins_at(v->b, in->args[0])->may & WIR_MAY_FAIL) return "a stream's value has not failed";
  if (in->op == WIR_I_PICK && wir_ins_at(v->b, in->args[0])->may != 0) return "the flag of a pick is always a value";
  bool fails_at_times = wir_insns[in->op].fails == WIR_FAILS_INT && in->kind == WIR_KIND_INT;
  if (in->cannot_fail && !fails_at_times) return "only what fails at times can be shown not to";
  return NULL;
}

/* ---- State and streams ---- */

/* The kinds of state that an instruction uses: a set; 0: it uses none. */
static uint8_t states_of(wir_ins_op op) {
  const uint8_t rings = bit(WIR_STATE_HISTORY) | bit(WIR_STATE_OUTPUT) | bit(WIR_STATE_DELAY);
  const uint8_t holds = bit(WIR_STATE_HELD) | bit(WIR_STATE_HOLD) | bit(WIR_STATE_RESULT), flags = bit(WIR_STATE_FLAG);
  switch ((unsigned)op) {
  case WIR_I_RING: case WIR_I_PUSH: return rings;
  case WIR_I_FILL: return bit(WIR_STATE_HISTORY);
  case WIR_I_HOLD: return holds;
  case WIR_I_PROPER: case WIR_I_STARTED: return flags;
  case WIR_I_KEEP: return holds | flags;
  }
  return 0;
}

static bool fits_cell(uint8_t kind, uint8_t cell) {
  static const uint8_t cells[WIR_KINDS] = {
    [WIR_KIND_INT] = WIR_CELL_INT, [WIR_KIND_FLOAT] = WIR_CELL_FLOAT, [WIR_KIND_BOOL] = WIR_CELL_BOOL,
  };
  return cells[kind] == cell;
}

static const char *check_state(const verifier *v, const wir_ins *in) {
  uint8_t allowed = states_of((wir_ins_op)in->op);
  if (allowed == 0) return NULL;
  if (in->state >= v->p->n_states) return "the program has no such state";
  const wir_state *s = &v->p->states[in->state];
  bool is_read_by_others = in->op == WIR_I_RING && s->kind == WIR_STATE_HISTORY;
  if (!(allowed & bit(s->kind))) return "the state is of a kind that it has no use for";
  if (!fits_cell(in->kind, s->cell)) return "the state holds values of another kind";
  if (s->stream != in->stream && !is_read_by_others) return "the state is another stream's";
  if (in->op == WIR_I_RING && (in->imm.offset == 0 || in->imm.offset > s->capacity)) return "the ring does not reach that far back";
  if (in->op == WIR_I_PUSH && s->kind != WIR_STATE_DELAY && !v->b->is_whole) return "only a whole body makes history";
  return NULL;
}

static bool stream_kind_is(const verifier *v, uint32_t stream, uint8_t kind) {
  static const wir_type_kind types[WIR_KINDS] = {
    [WIR_KIND_INT] = WIR_TYPE_INT, [WIR_KIND_FLOAT] = WIR_TYPE_FLOAT, [WIR_KIND_BOOL] = WIR_TYPE_BOOL,
  };
  return v->p->streams[stream].type.i == (uint32_t)types[kind];
}

static const char *check_stream(const verifier *v, const wir_ins *in) {
  bool is_access = in->op == WIR_I_READ || in->op == WIR_I_WRITE;
  if (in->stream >= v->p->n_streams) return "the program has no such stream";
  if (is_access && !stream_kind_is(v, in->stream, in->kind)) return "the stream is of another kind";
  if (in->op == WIR_I_WRITE && in->stream < v->p->n_inputs) return "an input is not written";
  if (in->op == WIR_I_READ && v->b->is_whole && in->stream >= v->p->n_inputs) return "a whole body reads inputs only";
  if (in->op == WIR_I_WRITE && v->b->is_whole && v->p->streams[in->stream].role != WEIR_OUT) return "a whole body writes outputs only";
  return NULL;
}

/* ---- Instructions ---- */

static const char *check_place(const verifier *v, const wir_ins *in, uint32_t i) {
  if (in->op >= WIR_INS_OPS) return "there is no such instruction";
  if (in->op == WIR_I_CONCAT) return "there are no texts in scalar bodies";
  if (in->kind >= WIR_KINDS) return "there is no such kind";
  if (is_effect(in) && i < v->b->effects) return "an effect stands among what is computed";
  if (!is_effect(in) && i >= v->b->effects) return "something is computed among the effects";
  for (uint32_t k = 0; k < operands_of(in); k++)
    if (in->args[k].i >= i || in->args[k].i >= v->b->effects) return "an operand is used before it is computed";
  return NULL;
}

static const char *check_const(const wir_ins *in) {
  if (in->op != WIR_I_CONST || in->kind != WIR_KIND_BOOL || in->imm.i == 0 || in->imm.i == 1) return NULL;
  return "a bool is 0 or 1";
}

static const char *check_ins(const verifier *v, uint32_t i) {
  const wir_ins *in = &v->b->ins[i];
  const char *why = check_place(v, in, i);
  if (why == NULL) why = check_kinds(v, in);
  if (why == NULL) why = check_const(in);
  if (why == NULL) why = check_state(v, in);
  if (why == NULL) why = check_stream(v, in);
  if (why == NULL) why = check_conditions(v, in);
  return why;
}

/* ---- All effects together ---- */

/* States and streams are looked at in windows of so many, with a few bits for each on the C stack: no memory is taken. */
enum { WINDOW = 8192 };
typedef struct window { uint32_t first; uint8_t seen[WINDOW]; } window;

static bool is_first(window *w, uint32_t number) {
  if (number < w->first || number - w->first >= WINDOW) return true;
  return w->seen[number - w->first]++ == 0;
}
static bool has_seen(const window *w, uint32_t number) {
  return number >= w->first && number - w->first < WINDOW && w->seen[number - w->first] != 0;
}

static window window_at(uint32_t first) {
  window w;
  w.first = first;
  __builtin_memset(w.seen, 0, sizeof w.seen);
  return w;
}

/* A flag that is known to be set already is not kept (pass_narrow.c). */
static const char *check_all_kept(const verifier *v, const window *w, uint32_t *at) {
  *at = v->b->n_ins;
  for (uint32_t i = w->first; i < v->p->n_states && i - w->first < WINDOW; i++)
    if (v->p->states[i].kind != WIR_STATE_FLAG && !has_seen(w, i)) return "a whole body leaves a state out";
  return NULL;
}

static const char *check_states(const verifier *v, uint32_t first, uint32_t *at) {
  window w = window_at(first);
  for (uint32_t i = v->b->effects; i < v->b->n_ins; i++) {
    *at = i;
    if (v->b->ins[i].op != WIR_I_WRITE && !is_first(&w, v->b->ins[i].state)) return "the state is kept twice";
  }
  return v->b->is_whole ? check_all_kept(v, &w, at) : NULL;
}

static const char *check_all_written(const verifier *v, const window *w, uint32_t *at) {
  *at = v->b->n_ins;
  for (uint32_t i = 0; i < v->p->n_outputs; i++) {
    uint32_t stream = v->p->outputs[i];
    if (stream >= w->first && stream - w->first < WINDOW && !has_seen(w, stream)) return "a whole body leaves an output out";
  }
  return NULL;
}

static const char *check_streams(const verifier *v, uint32_t first, uint32_t *at) {
  window w = window_at(first);
  for (uint32_t i = v->b->effects; i < v->b->n_ins; i++) {
    *at = i;
    if (v->b->ins[i].op == WIR_I_WRITE && !is_first(&w, v->b->ins[i].stream)) return "the stream is written twice";
  }
  for (uint32_t i = 0; i < v->b->effects; i++) {
    *at = i;
    if (v->b->ins[i].op == WIR_I_READ && has_seen(&w, v->b->ins[i].stream)) return "the stream is computed by the body that reads it";
  }
  return v->b->is_whole ? check_all_written(v, &w, at) : NULL;
}

const char *wir_verify(const wir_program *p, const wir_body *b, uint32_t *at) {
  verifier v = {.p = p, .b = b};
  const char *why = NULL;
  *at = 0;
  if (b->effects > b->n_ins) return "the effects begin behind the end";
  for (uint32_t i = 0; i < b->n_ins && why == NULL; i++) {
    *at = i;
    why = check_ins(&v, i);
  }
  for (uint32_t i = 0; i < p->n_states && why == NULL; i += WINDOW) why = check_states(&v, i, at);
  for (uint32_t i = 0; i < p->n_streams && why == NULL; i += WINDOW) why = check_streams(&v, i, at);
  return why;
}
