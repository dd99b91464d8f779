/* bench/bench_options.c -- the benchmark's arguments, and the few helpers that every file of it uses. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"

const char *const bench_levels[3] = {"x86-64", "x86-64-v3", "native"};
const char *const bench_variants[BENCH_VARIANTS] = {"base", "consts", "range", "sparse"};

bool bench_fail(bench_error *e, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(e->text, sizeof e->text, format, args);
  va_end(args);
  return false;
}

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void *bench_alloc(size_t bytes) {
  size_t whole = (bytes + 4096) / 4096 * 4096; /* a page even for nothing */
  void *p = aligned_alloc(4096, whole);
  if (p == NULL) {
    perror("bench");
    exit(1);
  }
  return memset(p, 0, whole);
}

static const char help[] =
  "usage: bench [OPTION...] [W0...W10 | chains]...\n"
  "\n"
  "Without names: W1 to W10 and the chains, in all variants.\n"
  "\n"
  "  --quick            a look: one process, fewer rows and turns; within a minute\n"
  "  --variant V[,V]    of base, consts, range, sparse\n"
  "  --level L          the interpreters that ratios are against: x86-64, x86-64-v3 or native (the default)\n"
  "  --median           medians as well as least times\n"
  "  --json             JSON, with everything, instead of tables\n"
  "  --rows N           rows of a case\n"
  "  --repeats N        timed passes of each way\n"
  "  --processes N      run in N processes, one after the other, and take the least of all\n"
  "  --edges            no times: check the interpreters against the kernels at the edges of Int\n";

static bool is_number(const char *text, size_t least, size_t most, size_t *out) {
  char *end;
  unsigned long long v = strtoull(text, &end, 10);
  *out = (size_t)v;
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && v >= least && v <= most;
}

static bool read_variants(bench_options *o, const char *text) {
  memset(o->variants, 0, sizeof o->variants);
  for (size_t n; *text != '\0'; text += n + (text[n] == ',')) {
    size_t v = 0;
    n = strcspn(text, ",");
    while (v < BENCH_VARIANTS && (strlen(bench_variants[v]) != n || memcmp(bench_variants[v], text, n) != 0)) v++;
    if (v == BENCH_VARIANTS) return false;
    o->variants[v] = true;
  }
  return true;
}

static bool read_level(bench_options *o, const char *text) {
  for (o->level = 0; o->level < 3; o->level++)
    if (strcmp(bench_levels[o->level], text) == 0) return true;
  return false;
}

/* One name.  False: there is none like it. */
static bool read_name(bench_options *o, const char *text) {
  size_t number;
  if (strcmp(text, "chains") == 0) return o->with_chains = true;
  if (text[0] != 'W' || !is_number(text + 1, 0, 10, &number)) return false;
  return o->workloads[number] = true;
}

/* A switch without a value.  False: it is none. */
static bool read_switch(bench_options *o, const char *text) {
  if (strcmp(text, "--quick") == 0) o->is_quick = true;
  else if (strcmp(text, "--json") == 0) o->is_json = true;
  else if (strcmp(text, "--median") == 0) o->with_medians = true;
  else if (strcmp(text, "--edges") == 0) o->only_edges = true;
  else return false;
  return true;
}

typedef struct given { size_t rows, repeats, processes, raw; } given; /* SIZE_MAX: not given */

static bool read_valued(bench_options *o, given *g, const char *name, const char *value) {
  if (strcmp(name, "--variant") == 0) return read_variants(o, value);
  if (strcmp(name, "--level") == 0) return read_level(o, value);
  if (strcmp(name, "--rows") == 0) return is_number(value, BATCH, 1 << 24, &g->rows);
  if (strcmp(name, "--repeats") == 0) return is_number(value, 1, 10000, &g->repeats);
  if (strcmp(name, "--processes") == 0) return is_number(value, 1, 64, &g->processes);
  return strcmp(name, "--raw") == 0 && is_number(value, 0, 1 << 20, &g->raw);
}

static size_t or_else(size_t given_value, size_t usual) { return given_value == SIZE_MAX ? usual : given_value; }

bool bench_read_options(bench_options *o, int argc, char **argv, int *status) {
  given g = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
  size_t names = 0;
  *o = (bench_options){.level = 2, .raw_fd = -1, .variants = {true, true, true, true}};
  for (int i = 1; i < argc; i++) {
    bool is_help = strcmp(argv[i], "--help") == 0, is_right = true;
    if (is_help) {
      fputs(help, stdout);
      *status = 0;
      return false;
    }
    if (argv[i][0] != '-') is_right = read_name(o, argv[i]), names++;
    else if (!read_switch(o, argv[i])) {
      is_right = i + 1 < argc && read_valued(o, &g, argv[i], argv[i + 1]);
      i++;
    }
    if (!is_right) {
      fprintf(stderr, "bench: what is %s?\n%s", argv[i < argc ? i : argc - 1], help);
      *status = 2;
      return false;
    }
  }
  o->rows = or_else(g.rows, o->is_quick ? 1 << 15 : 1 << 17);
  o->repeats = (int)or_else(g.repeats, o->is_quick ? 7 : 15);
  o->processes = (int)or_else(g.processes, o->is_quick ? 1 : 3);
  o->budget = o->is_quick ? 0.004 : 0.020;
  if (g.raw != SIZE_MAX) {
    o->raw_fd = (int)g.raw;
    o->processes = 1;
  }
  for (size_t k = 1; names == 0 && k <= 10; k++) o->workloads[k] = true;
  if (names == 0) o->with_chains = true;
  return true;
}
