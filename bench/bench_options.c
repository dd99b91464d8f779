/* bench/bench_options.c -- what a request leaves open filled in, and the few helpers that every file of the benchmark uses. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"

const char *const bench_levels[BENCH_LEVELS] = {"x86-64", "x86-64-v3", "native"};
const char *const bench_variants[BENCH_VARIANTS] = {"base", "consts", "range", "sparse"};

const bench_tier_info bench_tiers[BENCH_TIER_COUNT] = {
#define X(id, name, tier) [BENCH_TIER_##id] = {name, WEIR_TIER_##tier},
  BENCH_TIERS(X)
#undef X
};
const bench_tier_info bench_courses[BENCH_COURSE_COUNT] = {
#define X(id, name, tier) [BENCH_COURSE_##id] = {name, WEIR_TIER_##tier},
  BENCH_TIERS(X)
#undef X
  [BENCH_COURSE_KEPT] = {"native kept", WEIR_TIER_NATIVE},
};
const bench_way_info bench_ways[BENCH_WAY_COUNT] = {
#define X(id, engine, form) [BENCH_##id] = {engine, form},
  BENCH_WAYS(X)
#undef X
};
#define X(id, name, tier) \
  _Static_assert((int)BENCH_##id##_TAGGED == (int)BENCH_CANON_TAGGED + (int)BENCH_FORM_COUNT * (int)BENCH_TIER_##id, "ways stand by tier, then by form");
BENCH_TIERS(X)
#undef X

bool bench_fail(bench_error *e, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(e->text, sizeof e->text, format, args);
  va_end(args);
  return false;
}

bool bench_fail_memory(bench_error *e) { return bench_fail(e, "out of memory"); }

bool bench_fail_call(bench_error *e, const weir_error *why) {
  const char *space = why->text[0] != '\0' ? ": " : "";
  return bench_fail(e, "%s%s%s", weir_code_name(why->code), space, why->text);
}

bool bench_goes_on(const bench_options *o, bench_error *e) {
  const volatile sig_atomic_t *stop = o->request->stop;
  if (stop == NULL || *stop == 0) return true;
  e->is_stopped = true;
  return false;
}

void bench_progress(const bench_options *o, const char *what, const char *variant) {
  if (o->request->progress >= 0) dprintf(o->request->progress, "\r%-8s %-8s\r", what, variant);
}

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void *bench_alloc(size_t bytes) {
  size_t whole = (bytes + 4096) / 4096 * 4096; /* a page even for nothing */
  void *p = whole < bytes ? NULL : aligned_alloc(4096, whole);
  if (p == NULL) {
    perror("weir: bench");
    exit(1);
  }
  return memset(p, 0, whole);
}

static const double quick_time = 40; /* seconds in which a look begins with what it could do without: it is to end within a minute */

static size_t or_else(size_t given, size_t usual) { return given == 0 ? usual : given; }

void bench_read_options(bench_options *o, const weir_bench_request *q) {
  static const int levels[] = {2, 0, 1}; /* as weir_bench_request.level numbers them */
  const uint32_t usual = (1u << WEIR_BENCH_NAMES) - 1 - 1; /* all but W0 */
  uint32_t names = q->names != 0 ? q->names : usual;
  *o = (bench_options){.request = q, .own = q->own, .level = levels[q->level % 3], .raw_fd = -1, .is_quick = q->is_quick, .with_medians = q->with_medians};
  for (unsigned v = 0; v < BENCH_VARIANTS; v++) o->variants[v] = q->variants == 0 || (q->variants >> v & 1);
  for (unsigned w = 0; w < BENCH_WORKLOADS; w++) o->workloads[w] = names >> w & 1;
  o->with_chains = names >> WEIR_BENCH_CHAINS & 1;
  o->with_warm_up = names >> WEIR_BENCH_WARM_UP & 1;
  o->with_command = names >> WEIR_BENCH_COMMAND & 1;
  o->rows = or_else(q->rows, o->is_quick ? 1 << 15 : 1 << 17);
  o->repeats = (int)or_else(q->repeats, o->is_quick ? 7 : 15);
  o->processes = (int)or_else(q->processes, o->is_quick ? 1 : 3);
  o->budget = o->is_quick ? 0.004 : 0.020;
  o->until = o->is_quick ? bench_now() + quick_time : INFINITY;
}
