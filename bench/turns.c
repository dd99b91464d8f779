/* bench/turns.c -- one case: all ways agree first, and then take turns.
**
** Each turn is a pass from row 0 with a fresh state.  Turns are interleaved, so that what disturbs the machine for a while disturbs all
** ways, and their least times come from the same quiet moments.  A slow way runs fewer rows, of the same data. */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

typedef struct turn {
  bench_runner runner; /* ops NULL: not there */
  double *took;        /* of each timed pass, ns a row */
} turn;

/* Writes "W2 base: quickened typed: " or the like. */
static const char *label(const bench_subject *s, bench_way way, char to[256]) {
  snprintf(to, 256, "%s%s%s: %s %s", s->name, s->variant[0] != '\0' ? " " : "", s->variant, bench_ways[way].engine, bench_ways[way].form);
  return to;
}

/* How many rows a pass may have: a whole number of batches, unless it is all. */
static size_t affordable(const bench_options *o, size_t n, double each) {
  double most = o->budget / each;
  if (n <= BATCH || most >= (double)n) return n;
  return most < (double)BATCH ? BATCH : (size_t)most / BATCH * BATCH;
}

/* All rows, untimed but for a guess at how many rows a turn may have. */
static bool check(const bench_options *o, const bench_subject *s, bench_way way, turn *t, bench_case *out, bench_error *e) {
  uint64_t sums[MAX_COLS] = {0};
  char text[256];
  if (!t->runner.ops->start(t->runner.self, e)) return false;
  double began = bench_now();
  if (!t->runner.ops->run(t->runner.self, s->rows, sums, e)) return false;
  double each = (bench_now() - began) / (double)s->rows;
  if (t->runner.ops->settle != NULL) t->runner.ops->settle(t->runner.self);
  uint64_t sum = bench_fold(sums, s->sums);
  if (!out->is_there) {
    out->sum = sum;
    out->is_there = true;
  }
  if (sum != out->sum)
    return bench_fail(e, "%s computes another result: sum %016llx, not %016llx", label(s, way, text), (unsigned long long)sum,
                      (unsigned long long)out->sum);
  out->results[way].rows = affordable(o, s->rows, each);
  return true;
}

/* The ways before it have left in the caches what they use.  Each shall find its own there: its code and where it writes, then its rows. */
static bool get_ready(const bench_subject *s, const bench_runner *r, size_t rows, bench_error *e) {
  size_t first = r->ops->reads_columns ? (size_t)BATCH : (size_t)BENCH_BLOCK;
  if (!r->ops->start(r->self, e) || !r->ops->run(r->self, first < rows ? first : rows, NULL, e)) return false;
  if (!r->ops->start(r->self, e)) return false;
  s->touch(s->of, rows, r->ops->reads_columns);
  return true;
}

static bool take_turn(const bench_subject *s, turn *t, size_t rows, int number, bench_error *e) {
  if (!get_ready(s, &t->runner, rows, e)) return false;
  double began = bench_now();
  if (!t->runner.ops->run(t->runner.self, rows, NULL, e)) return false;
  t->took[number] = (bench_now() - began) / (double)rows * 1e9;
  return true;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool take_turns(const bench_options *o, const bench_subject *s, turn *turns, bench_case *out, bench_error *e) {
  for (bench_way way = 0; way < BENCH_WAY_COUNT; way++) {
    if (turns[way].runner.ops == NULL) continue;
    if (!bench_goes_on(o, e) || !check(o, s, way, &turns[way], out, e)) return false;
  }
  for (int r = 0; r < o->repeats; r++)
    for (bench_way way = 0; way < BENCH_WAY_COUNT; way++)
      if (turns[way].runner.ops != NULL && !(bench_goes_on(o, e) && take_turn(s, &turns[way], out->results[way].rows, r, e))) return false;
  for (bench_way way = 0; way < BENCH_WAY_COUNT; way++) {
    if (turns[way].runner.ops == NULL) continue;
    qsort(turns[way].took, (size_t)o->repeats, sizeof(double), by_value);
    out->results[way].least = turns[way].took[0];
    out->results[way].median = turns[way].took[o->repeats / 2];
    out->results[way].is_there = true;
  }
  return true;
}

bool bench_run_turns(const bench_options *o, const bench_subject *s, bench_case *out, bench_error *e) {
  turn turns[BENCH_WAY_COUNT] = {0};
  char text[256];
  bool is_good = true;
  *out = (bench_case){.rows = s->rows};
  for (bench_way way = 0; is_good && way < BENCH_WAY_COUNT; way++) {
    bench_result *r = &out->results[way];
    bool is_wrong = false;
    turns[way].took = bench_alloc((size_t)o->repeats * sizeof(double));
    if (!s->open(s->of, way, &turns[way].runner, r->why, &is_wrong)) turns[way].runner.ops = NULL;
    if (is_wrong) is_good = bench_fail(e, "%s: %s", label(s, way, text), r->why);
  }
  is_good = is_good && take_turns(o, s, turns, out, e);
  for (bench_way way = 0; way < BENCH_WAY_COUNT; way++) {
    if (turns[way].runner.ops != NULL) turns[way].runner.ops->end(turns[way].runner.self);
    free(turns[way].took);
  }
  return is_good;
}

/* ---- The suite ---- */

static bool open_way(void *of, bench_way way, bench_runner *out, char why[BENCH_WHY], bool *is_wrong) {
  why[0] = '\0';
  return bench_is_weir(way) ? bench_open_weir(way, of, out, why, is_wrong) : bench_open_floor(way, of, out);
}

static void touch(void *of, size_t n, bool as_columns) { bench_touch(of, n, as_columns); }

bool bench_run_case(const bench_options *o, const char *workload, Variant v, bench_case *out, bench_error *e) {
  bench_data d;
  bench_data_make(&d, workload, v, o->rows);
  bench_subject s = {workload, bench_variants[v], d.n, d.outs, &d, open_way, touch};
  bool is_good = bench_run_turns(o, &s, out, e);
  bench_data_end(&d);
  return is_good;
}
