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

static void keep_least(double *least, double took) {
  if (*least == 0 || took < *least) *least = took;
}

static bool try_tier(const bench_rows *rows, bench_tier tier, bench_chain *c, bench_error *e) {
  bench_fresh f;
  weir_cell out;
  weir_report report = {.size = sizeof report};
  bool is_good = bench_fresh_make(&f, rows, bench_tiers[tier].tier, e);
  if (!is_good) goto end;
  keep_least(&c->compile, f.compile);
  weir_monitor_report(f.monitor, &report);
  if (tier == BENCH_TIER_NATIVE) c->code = report.native_bytes;
  if (tier != BENCH_TIER_NATIVE || report.why_not_native == NULL) keep_least(&c->made[tier], f.made);
  if (tier != BENCH_TIER_QUICK) goto end;
  double began = bench_now();
  is_good = bench_push(rows, f.monitor, 0, &out, e);
  keep_least(&c->first, bench_now() - began);
  c->memory = weir_monitor_memory(f.monitor, NULL);
end:
  bench_fresh_end(&f);
  return is_good;
}

/* Machine code takes its time: fewer tries, the larger it is. */
static int tries_of(const bench_options *o, bench_tier tier, size_t equations) {
  int tries = o->is_quick ? 3 : 7;
  return tier != BENCH_TIER_NATIVE ? tries : equations > (o->is_quick ? 5000 : 20000) ? 1 : 3;
}

bool bench_run_chains(const bench_options *o, bench_results *out, bench_error *e) {
  static const size_t sizes[BENCH_CHAINS] = {1000, 2000, 5000, 10000, 20000, 50000};
  const weir_cell in = {.i = 7};
  for (size_t k = 0; k < BENCH_CHAINS; k++) {
    bench_chain *c = &out->chains[k];
    bool is_good = true;
    if (k > 0 && !bench_has_time(o)) {
      out->left_out++;
      continue;
    }
    *c = (bench_chain){.is_there = true, .equations = sizes[k]};
    char *text = chain_text(sizes[k], &c->bytes);
    bench_rows rows = {.text = text, .length = c->bytes, .n = 1, .ins = 1, .outs = 1, .cells = &in};
    bench_progress(o, "chain", "");
    for (bench_tier t = 0; t < BENCH_TIER_COUNT; t++)
      for (int r = 0; is_good && r < tries_of(o, t, sizes[k]); r++) is_good = bench_goes_on(o, e) && try_tier(&rows, t, c, e);
    free(text);
    if (!is_good && e->text[0] != '\0') {
      char what[sizeof e->text];
      memcpy(what, e->text, sizeof what);
      bench_fail(e, "a chain of %zu: %.400s", sizes[k], what);
    }
    if (!is_good) return false;
  }
  return true;
}
