/* tests/support/model.c -- the evaluator: language.md 5 to 9, in the order of its sentences. */
#include "tests/support/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX_BYTES = 1 << 16 };

static const weir_value noval = {.tag = WEIR_NOVAL}, deferred = {.tag = WEIR_DEFERRED};

/* ---- Memory ---- */

typedef struct model_block { struct model_block *next; char pad[8]; } model_block;

void *model_take(model *m, size_t bytes) {
  model_block *b = calloc(1, sizeof *b + bytes);
  if (b == NULL) abort();
  b->next = m->blocks;
  m->blocks = b;
  return b + 1;
}

model *model_new(uint64_t seed, uint32_t n_rows) {
  model *m = calloc(1, sizeof *m);
  if (m == NULL) abort();
  m->seed = m->random = seed;
  m->n_rows = n_rows;
  model_plan(m);
  return m;
}

static model_node *clone_node(model *m, const model_node *of) {
  model_node *n = model_take(m, sizeof *n);
  *n = (model_node){.kind = of->kind, .op = of->op, .type = of->type, .n_kids = of->n_kids, .becomes_float = of->becomes_float,
                    .value = of->value, .stream = of->stream, .offset = of->offset, .last = {.tag = WEIR_DEFERRED}};
  for (uint32_t k = 0; k < n->n_kids; k++) n->kids[k] = clone_node(m, of->kids[k]);
  if (n->kind == MODEL_DELAY) n->samples = model_take(m, m->n_rows * sizeof *n->samples);
  return n;
}

model *model_clone(const model *of) {
  model *m = calloc(1, sizeof *m);
  if (m == NULL) abort();
  *m = (model){.seed = of->seed, .random = of->random, .n_streams = of->n_streams, .n_inputs = of->n_inputs, .n_rows = of->n_rows,
               .is_bold = of->is_bold, .is_scalar = of->is_scalar};
  for (uint32_t i = 0; i < m->n_streams; i++) {
    model_stream *s = &m->streams[i];
    *s = of->streams[i];
    s->now = (weir_value){.tag = WEIR_NOVAL};
    s->history = model_take(m, m->n_rows * sizeof *s->history);
    if (s->root != NULL) s->root = clone_node(m, s->root);
  }
  return m;
}

void model_free(model *m) {
  for (model_block *b = m->blocks, *next; b != NULL; b = next) {
    next = b->next;
    free(b);
  }
  free(m);
}

uint64_t model_random(model *m) { /* splitmix64 */
  uint64_t z = m->random += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* ---- Values ---- */

static bool is_proper(weir_value v) { return v.tag > WEIR_DEFERRED && v.tag < WEIR_TAG_COUNT; }
static bool is_number(weir_value v) { return v.tag == WEIR_INT || v.tag == WEIR_FLOAT; }
static double number(weir_value v) { return v.tag == WEIR_INT ? (double)v.as.i : v.as.f; }
static weir_value of_int(int64_t i) { return (weir_value){.tag = WEIR_INT, .as.i = i}; }
static weir_value of_float(double f) { return (weir_value){.tag = WEIR_FLOAT, .as.f = f}; }
static weir_value of_bool(bool b) { return (weir_value){.tag = WEIR_BOOL, .as.b = b}; }

bool model_same(weir_value a, weir_value b) {
  if (a.tag != b.tag) return false;
  switch (a.tag) {
  case WEIR_BOOL: return a.as.b == b.as.b;
  case WEIR_INT: return a.as.i == b.as.i;
  case WEIR_FLOAT: return (isnan(a.as.f) && isnan(b.as.f)) || memcmp(&a.as.f, &b.as.f, sizeof a.as.f) == 0;
  case WEIR_TEXT: return a.count == b.count && (a.count == 0 || memcmp(a.as.text, b.as.text, a.count) == 0);
  default: return true;
  }
}

/* ---- Failures ---- */

/* An operation fails: the tick's end, or a value of the guarded expression. */
static weir_value failure(model *m, const model_node *n, weir_code code) {
  uint32_t i = m->n_failures < 4095 ? m->n_failures++ : 4095;
  m->failures[i].code = code;
  m->failures[i].node = n;
  return (weir_value){.tag = MODEL_FAILED, .as.i = i};
}

/* ---- Section 7 ---- */

static weir_value int_or_overflow(model *m, const model_node *n, __int128 x) {
  if (x < INT64_MIN || x > INT64_MAX) return failure(m, n, WEIR_E_OVERFLOW);
  return of_int((int64_t)x);
}

static weir_value power(model *m, const model_node *n, int64_t a, int64_t b) {
  if (b < 0) return failure(m, n, WEIR_E_DOMAIN);
  if (a == 0 || a == 1) return of_int(b == 0 ? 1 : a);
  if (a == -1) return of_int(b % 2 == 0 ? 1 : -1);
  __int128 x = 1;
  for (int64_t i = 0; i < b; i++) {
    x *= a;
    if (x < INT64_MIN || x > INT64_MAX) return failure(m, n, WEIR_E_OVERFLOW);
  }
  return of_int((int64_t)x);
}

static weir_value on_ints(model *m, const model_node *n, int64_t a, int64_t b) {
  __int128 x = a, y = b;
  switch ((unsigned)n->op) {
  case MODEL_ADD: return int_or_overflow(m, n, x + y);
  case MODEL_SUB: return int_or_overflow(m, n, x - y);
  case MODEL_MUL: return int_or_overflow(m, n, x * y);
  case MODEL_NEG: return int_or_overflow(m, n, -x);
  case MODEL_ABS: return int_or_overflow(m, n, x < 0 ? -x : x);
  case MODEL_POW: return power(m, n, a, b);
  }
  if (y == 0) return failure(m, n, WEIR_E_DIV_ZERO);
  if (x == INT64_MIN && y == -1) return failure(m, n, WEIR_E_OVERFLOW);
  return of_int((int64_t)(n->op == MODEL_DIV ? x / y : x % y));
}

static double on_floats(model_op op, double a, double b) {
  switch ((unsigned)op) {
  case MODEL_ADD: return a + b;
  case MODEL_SUB: return a - b;
  case MODEL_MUL: return a * b;
  case MODEL_DIV: return a / b;
  case MODEL_REM: return fmod(a, b);
  case MODEL_POW: return pow(a, b);
  case MODEL_NEG: return -a;
  case MODEL_ABS: return fabs(a);
  case MODEL_SIN: return sin(a);
  case MODEL_COS: return cos(a);
  }
  return tan(a);
}

static weir_value arithmetic(model *m, const model_node *n, weir_value a, weir_value b) {
  if (!is_number(a) || !is_number(b)) return failure(m, n, WEIR_E_KIND);
  bool is_trig = n->op == MODEL_SIN || n->op == MODEL_COS || n->op == MODEL_TAN;
  if (a.tag == WEIR_INT && b.tag == WEIR_INT && !is_trig) return on_ints(m, n, a.as.i, b.as.i);
  return of_float(on_floats(n->op, number(a), number(b)));
}

static bool equal(weir_value a, weir_value b) {
  if (a.tag == WEIR_INT && b.tag == WEIR_INT) return a.as.i == b.as.i;
  if (is_number(a) && is_number(b)) return number(a) == number(b);
  return model_same(a, b);
}

static int compare_texts(weir_value a, weir_value b) {
  for (uint32_t i = 0; i < a.count && i < b.count; i++) {
    int x = (unsigned char)a.as.text[i], y = (unsigned char)b.as.text[i];
    if (x != y) return x - y;
  }
  return a.count < b.count ? -1 : a.count > b.count;
}

static weir_value ordered(model_op op, bool less, bool same) {
  bool more = !less && !same;
  return of_bool(op == MODEL_LT ? less : op == MODEL_LE ? less || same : op == MODEL_GT ? more : more || same);
}

static weir_value comparison(model *m, const model_node *n, weir_value a, weir_value b) {
  if (a.tag == WEIR_INT && b.tag == WEIR_INT) return ordered(n->op, a.as.i < b.as.i, a.as.i == b.as.i);
  if (is_number(a) && is_number(b)) {
    if (isnan(number(a)) || isnan(number(b))) return of_bool(false);
    return ordered(n->op, number(a) < number(b), number(a) == number(b));
  }
  if (a.tag == WEIR_BOOL && b.tag == WEIR_BOOL) return ordered(n->op, !a.as.b && b.as.b, a.as.b == b.as.b);
  if (a.tag == WEIR_TEXT && b.tag == WEIR_TEXT) return ordered(n->op, compare_texts(a, b) < 0, compare_texts(a, b) == 0);
  return failure(m, n, WEIR_E_KIND);
}

static weir_value concatenation(model *m, const model_node *n, weir_value a, weir_value b) {
  if (a.tag != WEIR_TEXT || b.tag != WEIR_TEXT) return failure(m, n, WEIR_E_KIND);
  uint32_t bytes = a.count + b.count;
  if (bytes > TEXT_MAX_BYTES) m->is_too_long = true;
  if (m->is_too_long) return a;
  char *to = model_take(m, bytes + 1);
  memcpy(to, a.as.text, a.count);
  memcpy(to + a.count, b.as.text, b.count);
  return (weir_value){.tag = WEIR_TEXT, .count = bytes, .as.text = to};
}

static weir_value compute(model *m, const model_node *n, weir_value a, weir_value b) {
  switch (n->op) {
  case MODEL_ADD: case MODEL_SUB: case MODEL_MUL: case MODEL_DIV: case MODEL_REM: case MODEL_POW: return arithmetic(m, n, a, b);
  case MODEL_NEG: case MODEL_ABS: case MODEL_SIN: case MODEL_COS: case MODEL_TAN: return arithmetic(m, n, a, a);
  case MODEL_CONCAT: return concatenation(m, n, a, b);
  case MODEL_EQ: return of_bool(equal(a, b));
  case MODEL_NE: return of_bool(!equal(a, b));
  case MODEL_LT: case MODEL_LE: case MODEL_GT: case MODEL_GE: return comparison(m, n, a, b);
  case MODEL_NOT: break;
  }
  return a.tag == WEIR_BOOL ? of_bool(!a.as.b) : failure(m, n, WEIR_E_KIND);
}

/* ---- Sections 5, 8 and 9 ---- */

static bool is_lifted(model_kind kind, uint32_t operand) {
  switch (kind) {
  case MODEL_OPERATOR: case MODEL_AND: case MODEL_OR: case MODEL_IMPLIES: case MODEL_IF: case MODEL_IS_DEFINED: case MODEL_WHEN:
  case MODEL_UPDATE: case MODEL_NOW: return true;
  case MODEL_DEFAULT: case MODEL_LATCH: return operand == 0;
  case MODEL_CONST: case MODEL_REF: case MODEL_HISTORY: case MODEL_DELAY: case MODEL_INIT: break;
  }
  return false;
}

static bool opens_guard(model_kind kind, uint32_t operand) {
  if (kind == MODEL_IF) return operand > 0;
  return (kind == MODEL_AND || kind == MODEL_OR || kind == MODEL_IMPLIES) && operand == 1;
}

/* "Whatever retains a value there takes Deferred in its place." */
static weir_value retained(weir_value v) { return v.tag == MODEL_FAILED ? deferred : v; }

/* Of the operands that failed, the one that did first. */
static bool some_failed(const weir_value *x, uint32_t n, weir_value *first) {
  bool found = false;
  for (uint32_t k = 0; k < n; k++)
    if (x[k].tag == MODEL_FAILED && (!found || x[k].as.i < first->as.i)) *first = x[k], found = true;
  return found;
}

static weir_value eval_operator(model *m, model_node *n, const weir_value *x) {
  weir_value failed;
  if (some_failed(x, n->n_kids, &failed)) return failed;
  for (uint32_t k = 0; k < n->n_kids; k++)
    if (x[k].tag == WEIR_NOVAL) return noval;
  for (uint32_t k = 0; k < n->n_kids; k++)
    if (x[k].tag == WEIR_DEFERRED) return deferred;
  return compute(m, n, x[0], x[1]);
}

static weir_value eval_logical(model *m, model_node *n, weir_value a, weir_value b) {
  bool decider = n->kind == MODEL_OR;
  bool decides = a.tag == WEIR_BOOL && a.as.b == decider;
  if (a.tag == MODEL_FAILED) return a;
  if (b.tag == MODEL_FAILED) {
    if (a.tag == WEIR_NOVAL || a.tag == WEIR_DEFERRED) return a;
    if (decides) return of_bool(n->kind != MODEL_AND);
    return a.tag == WEIR_BOOL ? b : failure(m, n, WEIR_E_KIND);
  }
  if (a.tag == WEIR_NOVAL || b.tag == WEIR_NOVAL) return noval;
  if (a.tag == WEIR_DEFERRED || b.tag == WEIR_DEFERRED) return deferred;
  if (a.tag != WEIR_BOOL) return failure(m, n, WEIR_E_KIND);
  if (decides) return of_bool(n->kind != MODEL_AND);
  return b.tag == WEIR_BOOL ? b : failure(m, n, WEIR_E_KIND);
}

static weir_value eval_if(model *m, model_node *n, weir_value cond, weir_value yes, weir_value no) {
  if (cond.tag == MODEL_FAILED) return cond;
  weir_value *chosen = cond.tag != WEIR_BOOL ? NULL : cond.as.b ? &yes : &no;
  if (chosen != NULL && chosen->tag == MODEL_FAILED) return *chosen;
  yes = retained(yes); /* what is not selected counts as Deferred */
  no = retained(no);
  if (yes.tag == WEIR_NOVAL || no.tag == WEIR_NOVAL) return noval;
  if (cond.tag == WEIR_NOVAL || cond.tag == WEIR_DEFERRED) return cond;
  return chosen != NULL ? *chosen : failure(m, n, WEIR_E_KIND);
}

/* A sample that is NoVal is lifted: the delay repeats itself. */
static weir_value lift_sample(model_node *n, weir_value sample) {
  if (sample.tag != WEIR_NOVAL) n->last = sample;
  return n->last;
}

static weir_value eval_delay(model *m, model_node *n, weir_value x) {
  n->samples[m->tick] = retained(x);
  if (x.tag == MODEL_FAILED) {
    n->last = deferred;
    return x;
  }
  return lift_sample(n, m->tick < n->offset ? deferred : n->samples[m->tick - n->offset]);
}

static weir_value eval_history(model *m, model_node *n, uint32_t self) {
  weir_value sample = m->tick < n->offset ? deferred : m->streams[n->stream].history[m->tick - n->offset];
  return n->stream == self ? sample : lift_sample(n, sample);
}

static weir_value eval_stateful(model_node *n, const weir_value *x) {
  weir_value failed;
  bool fails = some_failed(x, n->n_kids, &failed);
  switch ((unsigned)n->kind) {
  case MODEL_WHEN: n->has_happened |= is_proper(x[0]); break;
  case MODEL_UPDATE: n->has_happened |= is_proper(x[1]); break;
  case MODEL_INIT: n->has_happened |= x[0].tag != WEIR_NOVAL; break;
  }
  if (fails) return failed;
  switch ((unsigned)n->kind) {
  case MODEL_NOW: return x[0];
  case MODEL_DEFAULT: return x[0].tag == WEIR_DEFERRED ? x[1] : x[0];
  case MODEL_IS_DEFINED: return of_bool(x[0].tag != WEIR_DEFERRED);
  case MODEL_WHEN: return of_bool(n->has_happened);
  case MODEL_UPDATE: return n->has_happened ? x[1] : x[0];
  case MODEL_LATCH: return x[1].tag == WEIR_NOVAL ? noval : x[0];
  }
  return n->has_happened ? x[0] : x[1]; /* init */
}

static weir_value eval(model *m, model_node *n, uint32_t self, bool is_guarded);

static weir_value eval_node(model *m, model_node *n, uint32_t self, bool is_guarded) {
  weir_value x[3] = {noval, noval, noval};
  for (uint32_t k = 0; k < n->n_kids; k++) {
    x[k] = eval(m, n->kids[k], self, is_guarded || opens_guard(n->kind, k));
    if (!is_lifted(n->kind, k)) continue;
    if (x[k].tag != WEIR_NOVAL) n->memory[k] = retained(x[k]);
    else x[k] = n->memory[k];
  }
  switch (n->kind) {
  case MODEL_CONST: return n->value;
  case MODEL_REF: return m->streams[n->stream].now;
  case MODEL_HISTORY: return eval_history(m, n, self);
  case MODEL_DELAY: return eval_delay(m, n, x[0]);
  case MODEL_OPERATOR: return eval_operator(m, n, x);
  case MODEL_AND: case MODEL_OR: case MODEL_IMPLIES: return eval_logical(m, n, x[0], x[1]);
  case MODEL_IF: return eval_if(m, n, x[0], x[1], x[2]);
  case MODEL_NOW: case MODEL_DEFAULT: case MODEL_IS_DEFINED: case MODEL_WHEN: case MODEL_UPDATE: case MODEL_LATCH: case MODEL_INIT: break;
  }
  return eval_stateful(n, x);
}

/* What fails outside any guard fails the tick; the first such failure stays. */
static weir_value eval(model *m, model_node *n, uint32_t self, bool is_guarded) {
  weir_value v = eval_node(m, n, self, is_guarded);
  if (v.tag == MODEL_FAILED && !is_guarded && !m->has_failed) m->has_failed = true, m->failed_by = v.as.i;
  if (n->becomes_float && v.tag == WEIR_INT) return of_float((double)v.as.i);
  return v;
}

/* An Any that enters a stream of another type is checked there. */
static weir_value enter_stream(model *m, model_stream *s, weir_value v) {
  static const weir_tag tags[MODEL_TYPES] = {WEIR_INT, WEIR_FLOAT, WEIR_BOOL, WEIR_TEXT, WEIR_NOVAL};
  if (s->type == MODEL_ANY || !is_proper(v) || v.tag == tags[s->type]) return v;
  if (s->type == MODEL_FLOAT && v.tag == WEIR_INT) return of_float((double)v.as.i);
  if (m->has_failed) return v;
  m->has_failed = true;
  v = failure(m, NULL, WEIR_E_KIND);
  m->failed_by = v.as.i;
  return v;
}

/* ---- Section 6 ---- */

static bool waits(const model *m, const model_node *n, const bool *is_done) {
  if (n->kind == MODEL_REF && n->stream >= m->n_inputs && !is_done[n->stream]) return true;
  for (uint32_t k = 0; k < n->n_kids; k++)
    if (waits(m, n->kids[k], is_done)) return true;
  return false;
}

/* Dependencies first, ties by declaration. */
static void find_order(model *m) {
  bool is_done[MODEL_STREAMS] = {false};
  while (m->n_order < m->n_streams - m->n_inputs) {
    uint32_t i = m->n_inputs;
    while (i < m->n_streams && (is_done[i] || waits(m, m->streams[i].root, is_done))) i++;
    if (i == m->n_streams) abort();
    is_done[i] = true;
    m->order[m->n_order++] = i;
  }
}

static weir_value kept(model *m, weir_value v) {
  if (v.tag != WEIR_TEXT) return v;
  char *to = model_take(m, v.count + 1);
  if (v.count != 0) memcpy(to, v.as.text, v.count);
  v.as.text = to;
  return v;
}

/* "An Int is converted for an input declared Float." */
static weir_value entered(model_type type, weir_value v) {
  return type == MODEL_FLOAT && v.tag == WEIR_INT ? of_float((double)v.as.i) : v;
}

model_result model_tick(model *m, const weir_value *row, weir_code *code, size_t *at) {
  if (m->n_order == 0) find_order(m);
  m->n_failures = 0;
  for (uint32_t i = 0; i < m->n_inputs; i++) m->streams[i].now = entered(m->streams[i].type, kept(m, row[i]));
  for (uint32_t i = 0; i < m->n_order && !m->has_failed; i++) {
    model_stream *s = &m->streams[m->order[i]];
    s->now = enter_stream(m, s, eval(m, s->root, m->order[i], false));
    if (m->is_too_long) return MODEL_GIVEN_UP;
  }
  if (m->has_failed) {
    const model_node *n = m->failures[m->failed_by].node;
    *code = m->failures[m->failed_by].code;
    *at = n == NULL ? SIZE_MAX : n->at;
    return MODEL_ENDED;
  }
  for (uint32_t i = 0; i < m->n_streams; i++) m->streams[i].history[m->tick] = m->streams[i].now;
  m->tick++;
  return MODEL_DONE;
}
