/* tests/support/case_rows.c -- simple traces as rows. */
#include "tests/support/case_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "case_rows: %s\n", what);
  abort();
}

char *case_file(const char *name, const char *file) {
  char path[400];
  snprintf(path, sizeof path, TEST_ROOT "/tests/conformance/cases/%s/%s", name, file);
  FILE *f = fopen(path, "rb");
  must(f != NULL, path);
  must(fseek(f, 0, SEEK_END) == 0, path);
  long n = ftell(f);
  must(n >= 0 && fseek(f, 0, SEEK_SET) == 0, path);
  char *text = malloc((size_t)n + 1);
  must(text != NULL && fread(text, 1, (size_t)n, f) == (size_t)n, path);
  text[n] = '\0';
  fclose(f);
  return text;
}

static bool takes(const char **at, const char *word) {
  size_t n = strlen(word);
  if (strncmp(*at, word, n) != 0) return false;
  *at += n;
  return true;
}

static weir_value read_string(const char **at) {
  const char *end = strchr(*at, '"');
  must(end != NULL, "a string without end");
  weir_value v = {.tag = WEIR_TEXT, .count = (uint32_t)(end - *at), .as.text = *at};
  *at = end + 1;
  return v;
}

static weir_value read_value(const char **at) {
  if (takes(at, "\"")) return read_string(at);
  if (takes(at, "true")) return (weir_value){.tag = WEIR_BOOL, .as.b = true};
  if (takes(at, "false")) return (weir_value){.tag = WEIR_BOOL, .as.b = false};
  if (takes(at, "deferred")) return (weir_value){.tag = WEIR_DEFERRED};
  if (takes(at, "()")) return (weir_value){.tag = WEIR_UNIT};
  size_t n = strspn(*at, "+-0123456789.eEinfa");
  must(n != 0, *at);
  char *end;
  weir_value v = {.tag = WEIR_INT};
  if (strcspn(*at, ".eEinfa") >= n) v.as.i = strtoll(*at, &end, 10);
  else v.tag = WEIR_FLOAT, v.as.f = strtod(*at, &end);
  *at = end;
  return v;
}

static void skip(const char **at) {
  for (;;) {
    while (isspace((unsigned char)**at)) ++*at;
    if (strncmp(*at, "//", 2) != 0) return;
    *at += strcspn(*at, "\n");
  }
}

static void add_ticks(case_rows *r, uint64_t n_ticks) {
  must(n_ticks < 100000, "too many ticks");
  weir_value *cells = realloc(r->cells, n_ticks * (r->n_inputs + 1) * sizeof *cells);
  must(cells != NULL, "no memory");
  for (uint64_t i = r->n_ticks * r->n_inputs; i < n_ticks * r->n_inputs; i++) cells[i] = (weir_value){.tag = WEIR_NOVAL};
  r->cells = cells;
  r->n_ticks = n_ticks;
}

case_rows case_rows_read(const weir_program *program, char *trace) {
  case_rows r = {.text = trace, .n_inputs = weir_program_input_count(program)};
  const char *at = trace;
  for (skip(&at); *at != '\0'; skip(&at)) {
    size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    must(n != 0, at);
    const char *word = at;
    at += n;
    skip(&at);
    if (takes(&at, ":")) {
      uint64_t tick = strtoull(word, NULL, 10);
      if (tick + 1 > r.n_ticks) add_ticks(&r, tick + 1);
      continue;
    }
    must(takes(&at, "="), at);
    skip(&at);
    weir_value v = read_value(&at);
    uint32_t input = weir_program_find_input(program, word, n);
    if (input != UINT32_MAX) r.cells[(r.n_ticks - 1) * r.n_inputs + input] = v;
  }
  return r;
}

void case_rows_free(case_rows *r) {
  free(r->text);
  free(r->cells);
  *r = (case_rows){.text = NULL};
}
