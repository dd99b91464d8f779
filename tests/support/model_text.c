/* tests/support/model_text.c -- a model's program as a specification.  Every operand stands in parentheses if it is not a word: what binds
** how tightly is the parser's own test. */
#include "tests/support/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer { model *m; char *at; size_t n, cap; } writer;

static void put(writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(w->at + w->n, w->cap - w->n, fmt, args);
  va_end(args);
  if (n < 0 || (size_t)n >= w->cap - w->n) abort();
  w->n += (size_t)n;
}

static void put_float(writer *w, double f) {
  if (isnan(f)) put(w, "(0.0 / 0.0)");
  else if (isinf(f)) put(w, f < 0 ? "(-1.0 / 0.0)" : "(1.0 / 0.0)");
  else {
    char digits[40];
    snprintf(digits, sizeof digits, "%.17e", fabs(f)); /* the C locale: tests of locales do not print models */
    char *exponent = strchr(digits, 'e');
    *exponent = '\0'; /* the language has "e5", "e-5" and no leading zeros to care for */
    put(w, signbit(f) ? "(-%se%d)" : "%se%d", digits, atoi(exponent + 1));
  }
}

static void put_text(writer *w, weir_value v) {
  put(w, "\"");
  for (uint32_t i = 0; i < v.count; i++) {
    char c = v.as.text[i];
    if (c == '"' || c == '\\') put(w, "\\%c", c);
    else if (c == '\n') put(w, "\\n");
    else put(w, "%c", c);
  }
  put(w, "\"");
}

static void put_const(writer *w, weir_value v) {
  switch (v.tag) {
  case WEIR_BOOL: put(w, v.as.b ? "true" : "false"); return;
  case WEIR_INT: put(w, v.as.i < 0 ? "(%" PRId64 ")" : "%" PRId64, v.as.i); return;
  case WEIR_FLOAT: put_float(w, v.as.f); return;
  default: put_text(w, v); return;
  }
}

static const char *const operators[] = {
  [MODEL_ADD] = "+", [MODEL_SUB] = "-", [MODEL_MUL] = "*", [MODEL_DIV] = "/", [MODEL_REM] = "%", [MODEL_POW] = "**",
  [MODEL_CONCAT] = "++", [MODEL_EQ] = "==", [MODEL_NE] = "!=", [MODEL_LT] = "<", [MODEL_LE] = "<=", [MODEL_GT] = ">",
  [MODEL_GE] = ">=", [MODEL_NEG] = "-", [MODEL_ABS] = "abs", [MODEL_SIN] = "sin", [MODEL_COS] = "cos", [MODEL_TAN] = "tan",
  [MODEL_NOT] = "!",
};

static void put_node(writer *w, model_node *n);

static void put_operand(writer *w, model_node *n) {
  bool is_word = n->kind == MODEL_CONST || n->kind == MODEL_REF || n->kind == MODEL_HISTORY;
  put(w, is_word ? "" : "(");
  put_node(w, n);
  put(w, is_word ? "" : ")");
}

static void put_infix(writer *w, model_node *n, const char *text) {
  put_operand(w, n->kids[0]);
  n->at = w->n + 1;
  put(w, " %s ", text);
  put_operand(w, n->kids[1]);
}

static void put_call(writer *w, model_node *n, const char *name) {
  n->at = w->n;
  put(w, "%s(", name);
  for (uint32_t k = 0; k < n->n_kids; k++) {
    put(w, k == 0 ? "" : ", ");
    put_node(w, n->kids[k]);
  }
  put(w, ")");
}

static void put_operator(writer *w, model_node *n) {
  const char *text = operators[n->op];
  if (n->n_kids == 2) put_infix(w, n, text);
  else if (n->op == MODEL_NEG || n->op == MODEL_NOT) {
    n->at = w->n;
    put(w, "%s", text);
    put_operand(w, n->kids[0]);
  } else put_call(w, n, text);
}

static void put_if(writer *w, model_node *n) {
  n->at = w->n;
  put(w, "if ");
  put_node(w, n->kids[0]);
  put(w, " then ");
  put_node(w, n->kids[1]);
  put(w, " else ");
  put_node(w, n->kids[2]);
}

static void put_delayed(writer *w, model_node *n) {
  put(w, "(");
  put_node(w, n->kids[0]);
  put(w, ")[%" PRIu64 "]", n->kind == MODEL_NOW ? 0 : n->offset);
}

static void put_node(writer *w, model_node *n) {
  switch (n->kind) {
  case MODEL_CONST: put_const(w, n->value); return;
  case MODEL_REF: put(w, "%s", w->m->streams[n->stream].name); return;
  case MODEL_HISTORY: put(w, "%s[%" PRIu64 "]", w->m->streams[n->stream].name, n->offset); return;
  case MODEL_DELAY: case MODEL_NOW: put_delayed(w, n); return;
  case MODEL_OPERATOR: put_operator(w, n); return;
  case MODEL_AND: put_infix(w, n, "&&"); return;
  case MODEL_OR: put_infix(w, n, "||"); return;
  case MODEL_IMPLIES: put_infix(w, n, "=>"); return;
  case MODEL_IF: put_if(w, n); return;
  case MODEL_DEFAULT: put_call(w, n, "default"); return;
  case MODEL_IS_DEFINED: put_call(w, n, "is_defined"); return;
  case MODEL_WHEN: put_call(w, n, "when"); return;
  case MODEL_UPDATE: put_call(w, n, "update"); return;
  case MODEL_LATCH: put_call(w, n, "latch"); return;
  case MODEL_INIT: put_call(w, n, "init"); return;
  }
}

const char *model_print(model *m) {
  static const char *const roles[] = {[WEIR_IN] = "in", [WEIR_OUT] = "out", [WEIR_AUX] = "aux"};
  static const char *const types[] = {"Int", "Float", "Bool", "Str", "Any"};
  writer w = {.m = m, .cap = 1 << 20};
  w.at = model_take(m, w.cap);
  for (uint32_t i = 0; i < m->n_streams; i++) {
    const model_stream *s = &m->streams[i];
    put(&w, s->is_annotated ? "%s %s: %s\n" : "%s %s\n", roles[s->role], s->name, types[s->type]);
  }
  for (uint32_t i = m->n_inputs; i < m->n_streams; i++) {
    put(&w, "%s = ", m->streams[i].name);
    put_node(&w, m->streams[i].root);
    put(&w, "\n");
  }
  return w.at;
}
