/* bench/turns.c -- one case: all ways agree first, and then take turns.
**
** Each turn is a pass from row 0 with a fresh state.  Turns are interleaved, so that what disturbs the machine for a while disturbs all
** ways, and their least times come from the same quiet moments.  A slow way runs fewer rows, of the same data. */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static bool is_weir(bench_way way) { return way >= BENCH_CANON_TAGGED; }

bool bench_open(bench_way way, const bench_data *d, bench_runner *out, char why[96], bool *is_wrong) {
  why[0] = '\0';
  return is_weir(way) ? bench_open_weir(way, d, out, why, is_wrong) : bench_open_floor(way, d, out);
}

typedef struct turn {
  bench_runner runner; /* ops NULL: not there */
  double *took;        /* of each timed pass, ns a row */
} turn;

static const char *way_name(bench_way way) {
  static const char *const names[BENCH_WAY_COUNT] = {
#define X(id, engine, form) [BENCH_##id] = engine " " form,
    BENCH_WAYS(X)
#undef X
  };
  return names[way];
}

/* All rows, untimed but for a guess at how many rows a turn may have. */
static bool check(const bench_options *o, const bench_data *d, bench_way way, turn *t, bench_case *out, bench_error *e) {
  uint64_t sums[MAX_COLS] = {0};
  if (!t->runner.ops->start(t->runner.self, e)) return false;
  double began = bench_now();
  if (!t->runner.ops->run(t->runner.self, d->n, sums, e)) return false;
  double each = (bench_now() - began) / (double)d->n;
  uint64_t sum = bench_fold(sums, d->outs);
  if (!out->is_there) {
    out->sum = sum;
    out->is_there = true;
  }
  if (sum != out->sum)
    return bench_fail(e, "%s %s: %s computes another result: sum %016llx, not %016llx", d->work->name, bench_variants[d->variant], way_name(way),
                      (unsigned long long)sum, (unsigned long long)out->sum);
  double affordable = o->budget / each;
  out->results[way].rows = affordable >= (double)d->n ? d->n : affordable < (double)BATCH ? BATCH : (size_t)affordable / BATCH * BATCH;
  return true;
}

/* The ways before it have left in the caches what they use.  Each shall find its own there: its code and where it writes, then its rows. */
static bool get_ready(const bench_data *d, const bench_runner *r, size_t rows, bench_error *e) {
  if (!r->ops->start(r->self, e) || !r->ops->run(r->self, r->ops->reads_columns ? BATCH : BENCH_BLOCK, NULL, e)) return false;
  if (!r->ops->start(r->self, e)) return false;
  (void)bench_touch(d, rows, r->ops->reads_columns);
  return true;
}

static bool take_turn(const bench_data *d, turn *t, size_t rows, int number, bench_error *e) {
  if (!get_ready(d, &t->runner, rows, e)) return false;
  double began = bench_now();
  if (!t->runner.ops->run(t->runner.self, rows, NULL, e)) return false;
  t->took[number] = (bench_now() - began) / (double)rows * 1e9;
  return true;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool run_turns(const bench_options *o, const bench_data *d, turn *turns, bench_case *out, bench_error *e) {
  for (bench_way way = 0; way < BENCH_WAY_COUNT; way++)
    if (turns[way].runner.ops != NULL && !check(o, d, way, &turns[way], out, e)) return false;
  for (int r = 0; r < o->repeats; r++)
    for (bench_way way = 0; way < BENCH_WAY_COUNT; way++)
      if (turns[way].runner.ops != NULL && !take_turn(d, &turns[way], out->results[way].rows, r, e)) return false;
  for (bench_way way = 0; way < BENCH_WAY_COUNT; way++) {
    if (turns[way].runner.ops == NULL) continue;
    qsort(turns[way].took, (size_t)o->repeats, sizeof(double), by_value);
    out->results[way].least = turns[way].took[0];
    out->results[way].median = turns[way].took[o->repeats / 2];
    out->results[way].is_there = true;
  }
  return true;
}

bool bench_run_case(const bench_options *o, const char *workload, Variant v, bench_case *out, bench_error *e) {
  bench_data d;
  turn turns[BENCH_WAY_COUNT] = {0};
  bool is_good = true;
  *out = (bench_case){.rows = o->rows};
  bench_data_make(&d, workload, v, o->rows);
  for (bench_way way = 0; is_good && way < BENCH_WAY_COUNT; way++) {
    bench_result *r = &out->results[way];
    bool is_wrong = false;
    turns[way].took = bench_alloc((size_t)o->repeats * sizeof(double));
    if (!bench_open(way, &d, &turns[way].runner, r->why, &is_wrong)) turns[way].runner.ops = NULL;
    if (is_wrong) is_good = bench_fail(e, "%s %s: %s: %s", workload, bench_variants[v], way_name(way), r->why);
  }
  is_good = is_good && run_turns(o, &d, turns, out, e);
  for (bench_way way = 0; way < BENCH_WAY_COUNT; way++) {
    if (turns[way].runner.ops != NULL) turns[way].runner.ops->end(turns[way].runner.self);
    free(turns[way].took);
  }
  bench_data_end(&d);
  return is_good;
}
