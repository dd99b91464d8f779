/* bench/chains.c -- what size costs: specifications of many equations, each on the one before.
**
** For each size, the least of several tries: to compile the text; to make a monitor of each tier; to run the first row. */
#include <stdlib.h>
#include <string.h>
#include <weir.h>

#include "bench/bench.h"

static char *chain_text(size_t equations, size_t *length) {
  char *text = NULL;
  FILE *to = open_memstream(&text, length);
  if (to == NULL) {
    perror("open_memstream");
    exit(1);
  }
  fputs("in x: Int\n", to);
  for (size_t k = 1; k < equations; k++) fprintf(to, "aux s%zu: Int\n", k);
  fprintf(to, "out s%zu: Int\ns1 = x + 1\n", equations);
  for (size_t k = 2; k <= equations; k++) fprintf(to, k % 2 == 0 ? "s%zu = s%zu - x\n" : "s%zu = s%zu + x\n", k, k - 1);
  fclose(to);
  return text;
}

/* Whether the time that it took to make a monitor is that of the course: with code, where that is meant, and from the disk. */
static bool is_of(bench_course number, const weir_report *report) {
  if (bench_courses[number].tier != WEIR_TIER_NATIVE) return true;
  return report->why_not_native == NULL && (number != BENCH_COURSE_KEPT || report->native_cache == WEIR_CACHE_FOUND);
}

static bool try_course(const bench_rows *rows, bench_course number, const char *cache, bench_chain *c, bench_error *e) {
  bench_fresh f;
  weir_cell out;
  weir_report report = {.size = sizeof report};
  bool is_good = bench_fresh_make(&f, rows, bench_courses[number].tier, number == BENCH_COURSE_KEPT ? cache : NULL, e);
  if (!is_good) goto end;
  bench_keep_least(&c->compile, f.compile);
  weir_monitor_report(f.monitor, &report);
  if (number == BENCH_COURSE_NATIVE) c->code = report.native_bytes;
  if (is_of(number, &report)) bench_keep_least(&c->made[number], f.made);
  if (number != BENCH_COURSE_QUICK) goto end;
  double began = bench_now();
  is_good = bench_push(rows, f.monitor, 0, &out, e);
  bench_keep_least(&c->first, bench_now() - began);
  c->memory = weir_monitor_memory(f.monitor, NULL);
end:
  bench_fresh_end(&f);
  return is_good;
}

/* Machine code takes its time: fewer tries, the larger it is.  The first one of what is kept makes it. */
static int tries_of(const bench_options *o, bench_course number, size_t equations) {
  bool is_large = equations > (o->is_quick ? 5000 : 20000);
  if (bench_courses[number].tier != WEIR_TIER_NATIVE) return o->is_quick ? 3 : 7;
  if (number == BENCH_COURSE_KEPT) return o->is_quick && is_large ? 0 : 3;
  return is_large ? 1 : 3;
}

static bool try_courses(const bench_options *o, const bench_rows *rows, const char *cache, bench_chain *c, bench_error *e) {
  for (bench_course k = 0; k < BENCH_COURSE_COUNT; k++)
    for (int r = 0; r < tries_of(o, k, c->equations); r++)
      if ((k != BENCH_COURSE_KEPT || cache != NULL) && !(bench_goes_on(o, e) && try_course(rows, k, cache, c, e))) return false;
  return true;
}

static bool run_chain(const bench_options *o, const char *cache, bench_chain *c, bench_error *e) {
  const weir_cell in = {.i = 7};
  char *text = chain_text(c->equations, &c->bytes);
  bench_rows rows = {.text = text, .length = c->bytes, .n = 1, .ins = 1, .outs = 1, .cells = &in};
  bool is_good = try_courses(o, &rows, cache, c, e);
  free(text);
  if (is_good || e->text[0] == '\0') return is_good;
  bench_error why = *e;
  return bench_fail(e, "a chain of %zu: %.400s", c->equations, why.text);
}

bool bench_run_chains(const bench_options *o, bench_results *out, bench_error *e) {
  static const size_t sizes[BENCH_CHAINS] = {1000, 2000, 5000, 10000, 20000, 50000};
  char *cache = bench_folder_make();
  bool is_good = true;
  for (size_t k = 0; is_good && k < BENCH_CHAINS; k++) {
    if (k > 0 && !bench_has_time(o)) {
      out->left_out++;
      continue;
    }
    bench_progress(o, "chain", "");
    out->chains[k] = (bench_chain){.is_there = true, .equations = sizes[k]};
    is_good = run_chain(o, cache, &out->chains[k], e);
  }
  bench_folder_end(cache);
  return is_good;
}
