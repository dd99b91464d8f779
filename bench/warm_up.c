/* bench/warm_up.c -- time from the text on: compiling, making a monitor, then rows, in each tier.
**
** What a tier costs before its first row and what it takes a row meet somewhere; this shows where.  Rows run one by one, and the clock is
** read after the first, the second, the fourth.  Tiers take turns, and each point is the least of all. */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

typedef struct course {
  bool is_there;
  char *cache; /* the folder of the course that needs one; owned */
} course;

/* Runs from the text on, up to the last point; or until the rows have taken `most` seconds. */
static bool run_one(const bench_rows *rows, bench_course number, const char *cache, double most, const size_t *points, double *seconds, bench_error *e) {
  bench_fresh f;
  weir_cell *outs = bench_alloc(rows->outs * sizeof *outs);
  double began = bench_now(), now = began;
  size_t done = 0, at = 0;
  bool is_good = bench_fresh_make(&f, rows, bench_courses[number].tier, cache, e);
  double first = bench_now();
  for (size_t k = 0; is_good && k < BENCH_POINTS && points[k] != 0 && now - first < most; k++) {
    for (; is_good && done < points[k]; done++, at = at + 1 < rows->n ? at + 1 : 0) is_good = bench_push(rows, f.monitor, at, outs, e);
    now = bench_now();
    bench_keep_least(&seconds[k], now - began);
  }
  bench_fresh_end(&f);
  free(outs);
  return is_good;
}

/* Whether a course is there; what is to be on disk is there then. */
static bool prepare(const bench_rows *rows, bench_course number, course *c, bench_error *e) {
  bench_fresh f;
  weir_report report = {.size = sizeof report};
  *c = (course){.is_there = true};
  if (number == BENCH_COURSE_KEPT && (c->cache = bench_folder_make()) == NULL) c->is_there = false;
  if (bench_courses[number].tier != WEIR_TIER_NATIVE || !c->is_there) return true;
  bool is_good = bench_fresh_make(&f, rows, WEIR_TIER_NATIVE, c->cache, e);
  if (is_good) {
    weir_monitor_report(f.monitor, &report);
    c->is_there = report.why_not_native == NULL && (c->cache == NULL || report.native_cache == WEIR_CACHE_KEPT);
  }
  bench_fresh_end(&f);
  return is_good;
}

static bool run_courses(const bench_options *o, const bench_rows *rows, const course *courses, bench_warm_up *out, bench_error *e) {
  double most = o->is_quick ? 0.25 : 0.6;
  for (int r = 0; r < (o->is_quick ? 2 : 3); r++)
    for (bench_course k = 0; k < BENCH_COURSE_COUNT; k++)
      if (courses[k].is_there && !(bench_goes_on(o, e) && run_one(rows, k, courses[k].cache, most, out->rows, out->seconds[k], e))) return false;
  return true;
}

bool bench_warm_up_rows(const bench_options *o, const bench_rows *rows, bool goes_round, bench_warm_up *out, bench_error *e) {
  size_t most = goes_round ? (size_t)1 << (o->is_quick ? 20 : 22) : rows->n, n = 0;
  course courses[BENCH_COURSE_COUNT] = {0};
  bool is_good = true;
  out->is_there = true;
  for (; n + 1 < BENCH_POINTS && (size_t)1 << n < most; n++) out->rows[n] = (size_t)1 << n;
  if (most > 0) out->rows[n] = most;
  for (bench_course k = 0; is_good && k < BENCH_COURSE_COUNT; k++) is_good = prepare(rows, k, &courses[k], e);
  is_good = is_good && run_courses(o, rows, courses, out, e);
  for (bench_course k = 0; k < BENCH_COURSE_COUNT; k++) bench_folder_end(courses[k].cache);
  return is_good;
}

/* From row to row the caches see what they see in a stream: few rows, round and round. */
static bool warm_up(const bench_options *o, const char *workload, bench_warm_up *out, bench_error *e) {
  bench_data d;
  bench_progress(o, workload, "warm-up");
  bench_data_make(&d, workload, BASE, BATCH);
  bench_rows rows = {.text = d.spec, .length = d.spec_length, .n = d.n, .ins = (uint32_t)d.ins, .outs = (uint32_t)d.outs,
                     .cells = (const weir_cell *)d.rows};
  snprintf(out->name, sizeof out->name, "%s", workload);
  bool is_good = bench_warm_up_rows(o, &rows, true, out, e);
  bench_data_end(&d);
  return is_good;
}

bool bench_run_warm_ups(const bench_options *o, bench_warm_up *out, bench_error *e) {
  static const char *const names[BENCH_WARM_UPS] = {"W9", "W2", "W8"};
  size_t n = o->is_quick ? 1 : BENCH_WARM_UPS;
  for (size_t k = 0; k < n; k++)
    if (!warm_up(o, names[k], &out[k], e)) return false;
  return true;
}
