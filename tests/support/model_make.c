/* tests/support/model_make.c -- random well-typed programs and sparse rows for the model.
**
** Operations that may fail stand mostly inside guards, since a tick that fails ends the test; in every tenth program anywhere.
** The rules of language.md 4 that are used: Int unifies with Float and is converted; Any goes into operators as it is, and unifies with
** everything; the operands of `==` unify.
** Every second program has only Int, Float and Bool, which a tier may treat apart. */
#include "tests/support/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct maker {
  model *m;
  uint32_t self; /* whose equation it is */
  bool is_free;  /* what is made now may fail: in a guard, or in a bold program */
  uint32_t guard_stream, guard_modulus; /* the innermost guard asks whether this stream is a multiple of that; 0: no such one */
} maker;

/* ---- Values ---- */

static weir_value int_value(model *m) {
  static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, 3037000500, -3037000500, (INT64_C(1) << 53) + 1};
  int64_t i = model_chance(m, 8) ? far[model_below(m, sizeof far / sizeof far[0])] : (int64_t)model_below(m, 9) - 3;
  return (weir_value){.tag = WEIR_INT, .as.i = i};
}

static weir_value float_value(model *m) {
  static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e308, 5e-324, 9007199254740993.0, -1.0};
  double f = model_chance(m, 30) ? odd[model_below(m, sizeof odd / sizeof odd[0])] : ((double)model_below(m, 41) - 20) / 4;
  return (weir_value){.tag = WEIR_FLOAT, .as.f = f};
}

static weir_value text_value(model *m) {
  static const char *const texts[] = {"", "a", "b", "ab", "\xc3\xa9", "a longer text that no word can hold", "q\"\\\n"};
  const char *text = texts[model_below(m, sizeof texts / sizeof texts[0])];
  return (weir_value){.tag = WEIR_TEXT, .count = (uint32_t)strlen(text), .as.text = text};
}

weir_value model_value(model *m, model_type type) {
  switch (type) {
  case MODEL_INT: return int_value(m);
  case MODEL_FLOAT: return float_value(m);
  case MODEL_BOOL: return (weir_value){.tag = WEIR_BOOL, .as.b = model_chance(m, 50)};
  case MODEL_STR: return text_value(m);
  case MODEL_ANY: case MODEL_TYPES: break;
  }
  return model_value(m, model_chance(m, 70) ? MODEL_INT : (model_type)model_below(m, MODEL_ANY));
}

/* ---- Nodes ---- */

static model_node *node(maker *k, model_kind kind, model_type type, uint32_t n_kids) {
  model_node *n = model_take(k->m, sizeof *n);
  n->kind = kind;
  n->type = type;
  n->n_kids = n_kids;
  n->last.tag = WEIR_DEFERRED;
  if (kind == MODEL_DELAY) n->samples = model_take(k->m, k->m->n_rows * sizeof *n->samples);
  return n;
}

static model_node *make(maker *k, model_type type, uint32_t depth);

/* A kid that stands in a guard. */
static model_node *make_guarded(maker *k, model_type type, uint32_t depth) {
  bool was_free = k->is_free;
  k->is_free = true;
  model_node *n = make(k, type, depth);
  k->is_free = was_free;
  return n;
}

static model_node *constant(maker *k, model_type type) {
  model_node *n = node(k, MODEL_CONST, type, 0);
  n->value = model_value(k->m, type == MODEL_ANY ? MODEL_INT : type);
  n->type = type == MODEL_ANY ? MODEL_INT : type;
  return n;
}

/* A stream of that type, or UINT32_MAX; read at once only what comes earlier. */
static uint32_t pick_stream(maker *k, model_type type, bool at_once) {
  const model *m = k->m;
  for (uint32_t tries = 0; tries < 12; tries++) {
    uint32_t i = model_below(k->m, m->n_streams);
    bool is_early = i < m->n_inputs || m->streams[i].rank < m->streams[k->self].rank;
    if (m->streams[i].type == type && (!at_once || is_early)) return i;
  }
  return UINT32_MAX;
}

static uint64_t offset(model *m) {
  if (model_chance(m, 90)) return 1 + model_below(m, 3);
  return 1 + model_below(m, 60);
}

static model_node *leaf(maker *k, model_type type) {
  bool at_once = model_chance(k->m, 60);
  uint32_t i = model_chance(k->m, 85) ? pick_stream(k, type, at_once) : UINT32_MAX;
  if (i == UINT32_MAX) return constant(k, type);
  model_node *n = node(k, at_once ? MODEL_REF : MODEL_HISTORY, type, 0);
  n->stream = i;
  n->offset = at_once ? 0 : offset(k->m);
  return n;
}

static model_type any_type(model *m) { return (model_type)model_below(m, m->is_scalar ? MODEL_STR : MODEL_TYPES); }

/* An Any where a `type` would do as well. */
static model_node *make_any_or(maker *k, model_type type, uint32_t depth) {
  model_node *n = make(k, MODEL_ANY, depth);
  return n->type == MODEL_ANY || n->type == type ? n : make(k, type, depth);
}

/* Gives n two kids, and the type to which they unify: n->type, but for an Any it may be a more exact one.  False: they do not. */
static bool unify_kids(maker *k, model_node *n, uint32_t first, uint32_t depth, bool is_guarded) {
  model_type types[2] = {n->type, n->type};
  if (n->type == MODEL_FLOAT && model_chance(k->m, 30)) types[model_below(k->m, 2)] = MODEL_INT;
  if (n->type == MODEL_ANY && model_chance(k->m, 30)) types[model_below(k->m, 2)] = any_type(k->m);
  uint32_t modulus = k->guard_modulus;
  for (uint32_t i = 0; i < 2; i++) {
    k->guard_modulus = is_guarded && i == 0 ? 0 : modulus; /* the branch for "it is a multiple" */
    n->kids[first + i] = is_guarded ? make_guarded(k, types[i], depth) : make(k, types[i], depth);
  }
  model_node *a = n->kids[first], *b = n->kids[first + 1];
  if (a->type == MODEL_ANY || b->type == MODEL_ANY) n->type = MODEL_ANY;
  else if (a->type == b->type) n->type = a->type;
  else if (a->type > MODEL_FLOAT || b->type > MODEL_FLOAT) return false;
  else {
    n->type = MODEL_FLOAT;
    a->becomes_float = a->type == MODEL_INT;
    b->becomes_float = b->type == MODEL_INT;
  }
  return true;
}

static model_node *operation(maker *k, model_op op, model_type type, model_node *a, model_node *b) {
  model_node *n = node(k, MODEL_OPERATOR, type, b == NULL ? 1 : 2);
  n->op = op;
  n->kids[0] = a;
  n->kids[1] = b;
  return n;
}

static model_node *int_constant(maker *k, int64_t i) {
  model_node *n = node(k, MODEL_CONST, MODEL_INT, 0);
  n->value = (weir_value){.tag = WEIR_INT, .as.i = i};
  return n;
}

static model_node *remainder_of(maker *k, uint32_t stream, uint32_t modulus) {
  model_node *x = node(k, MODEL_REF, MODEL_INT, 0);
  x->stream = stream;
  return operation(k, MODEL_REM, MODEL_INT, x, int_constant(k, modulus));
}

/* An operation that leaves the range, or the domain, for some values of a stream. */
static model_node *far_fetched(maker *k, uint32_t stream) {
  static const model_op ops[] = {MODEL_ADD, MODEL_MUL, MODEL_SUB};
  model_node *x = node(k, MODEL_REF, MODEL_INT, 0);
  x->stream = stream;
  if (model_chance(k->m, 30)) return operation(k, MODEL_POW, MODEL_INT, int_constant(k, 2 + model_below(k->m, 3)), x);
  return operation(k, ops[model_below(k->m, 3)], MODEL_INT, x, int_constant(k, INT64_MAX - model_below(k->m, 2)));
}

/* c / (x % m), which often fails; where a guard asks for x % m, mostly in the branch that is not taken. */
static model_node *fragile(maker *k) {
  uint32_t stream = k->guard_stream, modulus = k->guard_modulus;
  if (modulus == 0 || model_chance(k->m, 30)) {
    stream = pick_stream(k, MODEL_INT, true);
    modulus = 2 + model_below(k->m, 2);
  }
  if (stream == UINT32_MAX) return constant(k, MODEL_INT);
  if (model_chance(k->m, 15)) return far_fetched(k, stream);
  return operation(k, MODEL_DIV, MODEL_INT, int_constant(k, model_below(k->m, 20)), remainder_of(k, stream, modulus));
}

static model_node *pair(maker *k, model_kind kind, model_node *a, model_node *b) {
  model_node *n = node(k, kind, MODEL_INT, 2);
  n->kids[0] = a;
  n->kids[1] = b;
  return n;
}

/* An Int of constructs that remember, over divisions that fail, come late and have gaps. */
static model_node *stress(maker *k, uint32_t depth) {
  if (depth == 0) return model_chance(k->m, 60) ? fragile(k) : leaf(k, MODEL_INT);
  depth--;
  switch (model_below(k->m, 7)) {
  case 0: return pair(k, MODEL_LATCH, stress(k, depth), leaf(k, any_type(k->m)));
  case 1: return pair(k, MODEL_UPDATE, stress(k, depth), stress(k, depth));
  case 2: return pair(k, MODEL_INIT, stress(k, depth), stress(k, depth));
  case 3: return pair(k, MODEL_DEFAULT, stress(k, depth), stress(k, depth));
  case 4: return operation(k, MODEL_ADD, MODEL_INT, leaf(k, MODEL_INT), stress(k, depth));
  case 5: return fragile(k);
  }
  model_node *n = node(k, MODEL_DELAY, MODEL_INT, 1);
  n->kids[0] = pair(k, MODEL_LATCH, stress(k, depth), leaf(k, any_type(k->m)));
  n->offset = 1 + model_below(k->m, 2);
  return n;
}

/* if x % m == 0 then e else f, where f may well have divisions by x % m. */
static model_node *make_guarding_if(maker *k, model_type type, uint32_t depth) {
  uint32_t stream = pick_stream(k, MODEL_INT, true);
  if (stream == UINT32_MAX) return make(k, type, depth);
  maker inner = {.m = k->m, .self = k->self, .is_free = true, .guard_stream = stream, .guard_modulus = 2 + model_below(k->m, 2)};
  model_node *n = node(k, MODEL_IF, type, 3);
  n->kids[0] = operation(k, MODEL_EQ, MODEL_BOOL, remainder_of(k, stream, inner.guard_modulus), int_constant(k, 0));
  return unify_kids(&inner, n, 1, depth, true) ? n : n->kids[1];
}

static model_node *make_if(maker *k, model_type type, uint32_t depth) {
  if (model_chance(k->m, 40)) return make_guarding_if(k, type, depth);
  model_node *n = node(k, MODEL_IF, type, 3);
  n->kids[0] = k->is_free && model_chance(k->m, 5) ? make_any_or(k, MODEL_BOOL, depth) : make(k, MODEL_BOOL, depth);
  return unify_kids(k, n, 1, depth, true) ? n : n->kids[1];
}

/* Constructs that any type has. */
static model_node *make_common(maker *k, model_type type, uint32_t depth) {
  static const model_kind kinds[] = {MODEL_DEFAULT, MODEL_DEFAULT, MODEL_UPDATE, MODEL_INIT};
  model *m = k->m;
  model_node *n;
  switch (model_below(m, 9)) {
  case 0: case 1: return make_if(k, type, depth);
  case 2:
    n = node(k, MODEL_LATCH, type, 2);
    n->kids[0] = make(k, type, depth);
    n->kids[1] = make(k, any_type(m), depth);
    n->type = n->kids[0]->type;
    return n;
  case 3: case 4:
    n = node(k, model_chance(m, 20) ? MODEL_NOW : MODEL_DELAY, type, 1);
    n->offset = n->kind == MODEL_NOW ? 0 : offset(m);
    n->kids[0] = make(k, type, depth);
    n->type = n->kids[0]->type;
    if (n->kids[0]->kind != MODEL_REF || n->kind == MODEL_NOW) return n;
    n->kids[0]->kind = MODEL_HISTORY; /* x[k] is a history, also in parentheses */
    n->kids[0]->offset = n->offset;
    return n->kids[0];
  }
  n = node(k, kinds[model_below(m, sizeof kinds / sizeof kinds[0])], type, 2);
  return unify_kids(k, n, 0, depth, false) ? n : n->kids[0];
}

/* e % c: an Int that stays small whatever happens. */
static model_node *small(maker *k, uint32_t depth) {
  return operation(k, MODEL_REM, MODEL_INT, make(k, MODEL_INT, depth), int_constant(k, 2 + model_below(k->m, 9)));
}

static model_node *make_int(maker *k, uint32_t depth) {
  static const model_op any[] = {MODEL_ADD, MODEL_SUB, MODEL_MUL, MODEL_DIV, MODEL_REM, MODEL_POW, MODEL_NEG, MODEL_ABS};
  static const model_op safe[] = {MODEL_ADD, MODEL_SUB, MODEL_MUL, MODEL_NEG, MODEL_ABS};
  model_op op = k->is_free ? any[model_below(k->m, 8)] : safe[model_below(k->m, 5)];
  bool is_unary = op == MODEL_NEG || op == MODEL_ABS;
  if (!k->is_free) {
    model_node *a = small(k, depth);
    return operation(k, op, MODEL_INT, a, is_unary ? NULL : small(k, depth));
  }
  model_node *a = make(k, MODEL_INT, depth);
  return operation(k, op, MODEL_INT, a, is_unary ? NULL : make(k, MODEL_INT, depth));
}

/* The type of arithmetic on these; MODEL_TYPES if there is none. */
static model_type arithmetic_type(model_type a, model_type b) {
  if (a > MODEL_FLOAT && a != MODEL_ANY) return MODEL_TYPES;
  if (b > MODEL_FLOAT && b != MODEL_ANY) return MODEL_TYPES;
  if (a == MODEL_FLOAT || b == MODEL_FLOAT) return MODEL_FLOAT;
  return a == MODEL_ANY || b == MODEL_ANY ? MODEL_ANY : MODEL_INT;
}

static model_op arithmetic_op(model *m) { return (model_op)(MODEL_ADD + model_below(m, MODEL_POW + 1)); }

static model_node *make_float(maker *k, uint32_t depth) {
  static const model_op unary[] = {MODEL_NEG, MODEL_ABS, MODEL_SIN, MODEL_COS, MODEL_TAN};
  if (model_chance(k->m, 30)) return operation(k, unary[model_below(k->m, 5)], MODEL_FLOAT, make(k, MODEL_FLOAT, depth), NULL);
  model_op op = arithmetic_op(k->m);
  model_node *a = make(k, MODEL_FLOAT, depth), *b = make(k, model_chance(k->m, 30) ? MODEL_INT : MODEL_FLOAT, depth);
  if (k->is_free && model_chance(k->m, 20)) b = make_any_or(k, MODEL_FLOAT, depth);
  return model_chance(k->m, 50) ? operation(k, op, MODEL_FLOAT, a, b) : operation(k, op, MODEL_FLOAT, b, a);
}

static model_node *make_any(maker *k, uint32_t depth) {
  if (!k->is_free) return make_common(k, MODEL_ANY, depth);
  model_node *a = make(k, MODEL_ANY, depth), *b = model_chance(k->m, 60) ? make(k, MODEL_INT, depth) : make(k, MODEL_ANY, depth);
  model_type type = arithmetic_type(a->type, b->type);
  if (type == MODEL_TYPES) return a;
  if (model_chance(k->m, 20) && arithmetic_type(a->type, a->type) != MODEL_TYPES) return operation(k, MODEL_NEG, a->type, a, NULL);
  return operation(k, arithmetic_op(k->m), type, a, b);
}

static model_node *make_comparison(maker *k, uint32_t depth) {
  model *m = k->m;
  model_type a = (model_type)model_below(m, m->is_scalar ? MODEL_STR : MODEL_ANY), b = a;
  bool is_equality = model_chance(m, 30);
  if (a <= MODEL_FLOAT && model_chance(m, 30)) b = a == MODEL_INT ? MODEL_FLOAT : MODEL_INT;
  model_op op = is_equality ? (model_op)(MODEL_EQ + model_below(m, 2)) : (model_op)(MODEL_LT + model_below(m, 4));
  bool is_any = (is_equality || k->is_free) && model_chance(m, 20);
  model_node *x = make(k, a, depth), *y = is_any ? make_any_or(k, b, depth) : make(k, b, depth);
  return model_chance(m, 50) ? operation(k, op, MODEL_BOOL, x, y) : operation(k, op, MODEL_BOOL, y, x);
}

static model_node *make_logical(maker *k, uint32_t depth) {
  model_node *n = node(k, (model_kind)(MODEL_AND + model_below(k->m, 3)), MODEL_BOOL, 2);
  for (uint32_t i = 0; i < 2; i++) {
    bool was_free = k->is_free, is_any = k->is_free && model_chance(k->m, 8);
    k->is_free |= i == 1;
    n->kids[i] = is_any ? make_any_or(k, MODEL_BOOL, depth) : make(k, MODEL_BOOL, depth);
    k->is_free = was_free;
  }
  return n;
}

static model_node *make_bool(maker *k, uint32_t depth) {
  uint32_t dice = model_below(k->m, 10);
  if (dice < 4) return make_comparison(k, depth);
  if (dice < 7) return make_logical(k, depth);
  if (dice < 8) return operation(k, MODEL_NOT, MODEL_BOOL, make(k, MODEL_BOOL, depth), NULL);
  model_node *n = node(k, dice == 8 ? MODEL_WHEN : MODEL_IS_DEFINED, MODEL_BOOL, 1);
  n->kids[0] = k->guard_modulus != 0 && model_chance(k->m, 50) ? stress(k, 2) : make(k, any_type(k->m), depth);
  return n;
}

static model_node *make_str(maker *k, uint32_t depth) {
  model_node *a = make(k, MODEL_STR, depth);
  return operation(k, MODEL_CONCAT, MODEL_STR, a, k->is_free && model_chance(k->m, 20) ? make_any_or(k, MODEL_STR, depth) : make(k, MODEL_STR, depth));
}

static model_node *make(maker *k, model_type type, uint32_t depth) {
  if (type == MODEL_INT && k->guard_modulus != 0 && model_chance(k->m, 30)) return stress(k, 3);
  if (type == MODEL_INT && k->is_free && model_chance(k->m, k->guard_modulus == 0 ? 5 : 15)) return fragile(k);
  if (depth == 0 || model_chance(k->m, 15)) return leaf(k, type);
  depth--;
  if (model_chance(k->m, 45)) return make_common(k, type, depth);
  switch (type) {
  case MODEL_INT: return make_int(k, depth);
  case MODEL_FLOAT: return make_float(k, depth);
  case MODEL_BOOL: return make_bool(k, depth);
  case MODEL_STR: return make_str(k, depth);
  case MODEL_ANY: case MODEL_TYPES: break;
  }
  return make_any(k, depth);
}

/* ---- Streams ---- */

static model_type stream_type(model *m) {
  static const model_type types[] = {MODEL_INT, MODEL_INT, MODEL_INT, MODEL_INT, MODEL_FLOAT, MODEL_FLOAT, MODEL_BOOL, MODEL_BOOL, MODEL_STR, MODEL_ANY};
  return types[model_below(m, m->is_scalar ? 8 : 10)];
}

static void plan_stream(model *m, uint32_t i) {
  static const uint32_t percents[] = {100, 60, 20}, firsts[] = {0, 0, 2, 15};
  model_stream *s = &m->streams[i];
  bool is_input = i < m->n_inputs;
  snprintf(s->name, sizeof s->name, "%c%u", is_input ? 'x' : 's', i);
  s->role = is_input ? WEIR_IN : model_chance(m, 85) ? WEIR_OUT : WEIR_AUX;
  s->type = stream_type(m);
  s->is_annotated = !is_input || s->type != MODEL_ANY || model_chance(m, 50);
  s->history = model_take(m, m->n_rows * sizeof *s->history);
  s->percent = percents[model_below(m, 3)];
  s->first = firsts[model_below(m, 4)];
  s->percent_deferred = model_chance(m, 40) ? 20 : 0;
}

/* A random order in which the computed streams may read each other at once. */
static void plan_ranks(model *m) {
  uint32_t n = m->n_streams - m->n_inputs;
  for (uint32_t i = 0; i < n; i++) m->streams[m->n_inputs + i].rank = i;
  for (uint32_t i = n; i > 1; i--) {
    uint32_t other = m->n_inputs + model_below(m, i), last = m->n_inputs + i - 1, rank = m->streams[other].rank;
    m->streams[other].rank = m->streams[last].rank;
    m->streams[last].rank = rank;
  }
}

/* Inference knows a stream's type without an annotation where all that it reads are annotated. */
static bool can_infer(const model *m, const model_node *n) {
  if ((n->kind == MODEL_REF || n->kind == MODEL_HISTORY) && !m->streams[n->stream].is_annotated) return false;
  for (uint32_t k = 0; k < n->n_kids; k++)
    if (!can_infer(m, n->kids[k])) return false;
  return true;
}

static bool reads(const model_node *n, uint32_t stream) {
  if ((n->kind == MODEL_REF || n->kind == MODEL_HISTORY) && n->stream == stream) return true;
  for (uint32_t k = 0; k < n->n_kids; k++)
    if (reads(n->kids[k], stream)) return true;
  return false;
}

/* Takes the annotation from one stream that nobody's types depend on. */
static void drop_annotation(model *m) {
  uint32_t i = m->n_inputs + model_below(m, m->n_streams - m->n_inputs);
  for (uint32_t k = m->n_inputs; k < m->n_streams; k++)
    if (reads(m->streams[k].root, i)) return;
  if (m->streams[i].root->type == m->streams[i].type && can_infer(m, m->streams[i].root)) m->streams[i].is_annotated = false;
}

/* Now and then an Any, which is checked when it enters the stream.  (Not a construct into which the stream's type is passed.) */
static model_node *make_root(maker *k, model_type type, uint32_t depth) {
  if (!k->is_free || type == MODEL_ANY || !model_chance(k->m, 10)) return make(k, type, depth);
  model_node *n = make_any(k, depth);
  bool is_checked = n->type == MODEL_ANY && (n->kind == MODEL_OPERATOR || n->kind == MODEL_REF);
  return is_checked ? n : make(k, type, depth);
}

void model_plan(model *m) {
  m->is_bold = model_chance(m, 10);
  m->is_scalar = model_chance(m, 50);
  m->n_inputs = 1 + model_below(m, 4);
  m->n_streams = m->n_inputs + 1 + model_below(m, 6);
  for (uint32_t i = 0; i < m->n_streams; i++) plan_stream(m, i);
  plan_ranks(m);
  for (uint32_t i = m->n_inputs; i < m->n_streams; i++) {
    maker k = {.m = m, .self = i, .is_free = m->is_bold};
    m->streams[i].root = make_root(&k, m->streams[i].type, 1 + model_below(m, 5));
  }
  if (model_chance(m, 50)) drop_annotation(m);
}

void model_make_row(model *m, weir_value *row) {
  for (uint32_t i = 0; i < m->n_inputs; i++) {
    const model_stream *s = &m->streams[i];
    row[i] = (weir_value){.tag = WEIR_NOVAL};
    if (m->tick < s->first || !model_chance(m, s->percent)) continue;
    if (model_chance(m, s->percent_deferred)) row[i].tag = WEIR_DEFERRED;
    else row[i] = model_value(m, s->type == MODEL_FLOAT && model_chance(m, 10) ? MODEL_INT : s->type);
  }
}
