/* bench/own.c -- a user's own specification over its trace: the turns of all tiers, what each tier takes, and how it warms up. */
#include <stdlib.h>

#include "bench/own_data.h"

static void keep_report(const weir_monitor *m, const weir_report *report, bench_cost *out) {
  out->memory = weir_monitor_memory(m, &out->peak);
  out->code_bytes = report->native_bytes;
  out->declined = 0;
  for (size_t k = 0; k < WEIR_CAUSE_COUNT; k++) out->declined += report->declined[k] + report->exits[k];
  for (size_t k = 0; k < WEIR_TIER_COUNT; k++) out->rows[k] = report->rows[k];
}

/* From the text to the first row; the last try goes on to the last one. */
static bool try_cost(const bench_rows *rows, bench_tier tier, bool to_the_end, bench_cost *out, bench_error *e) {
  bench_fresh f;
  weir_cell *outs = bench_alloc(rows->outs * sizeof *outs);
  bool is_good = bench_fresh_make(&f, rows, bench_tiers[tier].tier, NULL, e);
  double began = bench_now();
  is_good = is_good && bench_push(rows, f.monitor, 0, outs, e);
  double first = bench_now() - began;
  for (size_t i = 1; is_good && to_the_end && i < rows->n; i++) is_good = bench_push(rows, f.monitor, i, outs, e);
  if (is_good) {
    bench_keep_least(&out->first, first);
    bench_keep_least(&out->compile, f.compile);
    bench_keep_least(&out->made, f.made);
    if (tier == BENCH_TIER_NATIVE) (void)bench_has_kernels(f.monitor, out->why);
    weir_report report = {.size = sizeof report};
    weir_monitor_report(f.monitor, &report);
    if (report.native_bytes > 0) bench_keep_least(&out->code_seconds, (double)report.native_nanoseconds * 1e-9);
    if (to_the_end) keep_report(f.monitor, &report, out);
  }
  bench_fresh_end(&f);
  free(outs);
  return is_good;
}

static bool run_costs(const bench_options *o, const bench_rows *rows, bench_own *out, bench_error *e) {
  int tries = o->is_quick ? 3 : 7;
  for (int r = 0; r < tries; r++)
    for (bench_tier t = 0; t < BENCH_TIER_COUNT; t++)
      if (!bench_goes_on(o, e) || !try_cost(rows, t, r == tries - 1, &out->costs[t], e)) return false;
  return true;
}

bool bench_run_own(const bench_options *o, bench_results *out, bench_error *e) {
  own_data d;
  bool is_good = own_data_make(&d, o->own, e);
  if (is_good) {
    bench_own *own = &out->own;
    bench_subject s = {.name = o->own->spec_name, .variant = "", .rows = d.n, .sums = 1, .of = &d, .open = own_open, .touch = own_touch};
    own->inputs = d.ins;
    own->outputs = d.outs;
    own->state_bytes = weir_program_state_bytes(d.program, &own->plus_values);
    bench_progress(o, "turns", "");
    is_good = bench_run_turns(o, &s, &own->turns, e);
    bench_progress(o, "warm-up", "");
    is_good = is_good && run_costs(o, &d.rows, own, e) && bench_warm_up_rows(o, &d.rows, false, &out->warm_ups[0], e);
  }
  own_data_end(&d);
  return is_good;
}
