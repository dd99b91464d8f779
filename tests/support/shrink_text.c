/* tests/support/shrink_text.c -- a program and its rows as a case of tests/conformance: the four files, one after the other. */
#include "tests/support/shrink.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_float(FILE *to, double f) {
  char digits[40];
  snprintf(digits, sizeof digits, "%.17g", f);
  if (isnan(f)) fputs("nan", to);
  else fprintf(to, strpbrk(digits, ".ein") == NULL ? "%s.0" : "%s", digits);
}

static void put_text(FILE *to, weir_value v) {
  fputs("e\"", to);
  for (uint32_t i = 0; i < v.count; i++) {
    char c = v.as.text[i];
    if (c == '\n') fputs("\\n", to);
    else fprintf(to, c == '"' || c == '\\' ? "\\%c" : "%c", c);
  }
  fputc('"', to);
}

static void put_value(FILE *to, weir_value v) {
  switch (v.tag) {
  case WEIR_DEFERRED: fputs("deferred", to); return;
  case WEIR_BOOL: fputs(v.as.b ? "true" : "false", to); return;
  case WEIR_INT: fprintf(to, "%" PRId64, v.as.i); return;
  case WEIR_FLOAT: put_float(to, v.as.f); return;
  default: put_text(to, v); return;
  }
}

/* `12: x = 3`, or another value of the same row below it. */
static void put_entry(FILE *to, uint32_t row, bool *is_first, const char *name, weir_value v) {
  if (v.tag == WEIR_NOVAL) return;
  char start[16];
  int width = snprintf(start, sizeof start, "%u: ", row);
  fprintf(to, "%*s%s = ", width, *is_first ? start : "", name);
  put_value(to, v);
  fputc('\n', to);
  *is_first = false;
}

static void put_trace(FILE *to, const model *m, const model_trace *t) {
  fputs("-- trace.input\n", to);
  for (uint32_t r = 0; r < t->n; r++) {
    bool is_first = true;
    for (uint32_t i = 0; i < m->n_inputs; i++) put_entry(to, r, &is_first, m->streams[i].name, t->rows[r].in[i]);
    if (is_first) fprintf(to, "%u:\n", r);
  }
}

static void put_expectation(FILE *to, model *m, const model_trace *t) {
  fputs("-- expected.output\n", to);
  for (uint32_t r = 0; r < t->n; r++) {
    weir_code code = WEIR_OK;
    size_t at;
    bool is_first = true;
    if (model_tick(m, t->rows[r].in, &code, &at) != MODEL_DONE) {
      fprintf(to, "-- expected.error\ntick %u: %s\n", r, weir_code_name(code));
      return;
    }
    for (uint32_t i = m->n_inputs; i < m->n_streams; i++)
      if (m->streams[i].role == WEIR_OUT) put_entry(to, r, &is_first, m->streams[i].name, m->streams[i].now);
  }
}

void shrink_print(FILE *to, const model *m, const model_trace *t) {
  model *fresh = model_clone(m);
  fprintf(to, "-- spec.dsrv\n%s", model_print(fresh));
  put_trace(to, fresh, t);
  put_expectation(to, fresh, t);
  model_free(fresh);
}

static void tell_difference(FILE *to, const model *m, const model_trace *t, shrink_holds *holds, void *self, const char *why) {
  model *fresh = model_clone(m);
  fprintf(to, ": %s\n", holds(self, fresh, t) ? why : "(not when it is run again)");
  model_free(fresh);
}

void shrink_tell(FILE *to, const model *m, model_trace *t, shrink_holds *holds, void *self, const char *why, uint32_t most_tries) {
  model *small = model_clone(m);
  fprintf(to, "WEIR_MODEL_SEED=%" PRIu64 " WEIR_MODEL_COUNT=1", m->seed);
  tell_difference(to, m, t, holds, self, why);
  shrink(&small, t, holds, self, most_tries);
  fprintf(to, "A small case");
  tell_difference(to, small, t, holds, self, why);
  shrink_print(to, small, t);
  model_free(small);
}
