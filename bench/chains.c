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

static void keep_least(double *least, double began) {
  double took = bench_now() - began;
  if (*least == 0 || took < *least) *least = took;
}

static weir_code try_monitor(weir_engine *engine, weir_program *program, weir_tier tier, double *made, bench_chain *c, weir_error *why) {
  weir_monitor *m;
  weir_options options = {.size = sizeof options, .tier = tier};
  weir_cell in = {.i = 7}, out;
  double began = bench_now();
  weir_code code = weir_monitor_new(engine, program, &options, &m, why);
  if (code != WEIR_OK) return code;
  keep_least(made, began);
  if (tier == WEIR_TIER_QUICKENED) {
    began = bench_now();
    code = weir_monitor_push_typed(m, &in, NULL, NULL, &out, NULL, NULL, why);
    keep_least(&c->first, began);
    c->memory = weir_monitor_memory(m, NULL);
  }
  weir_monitor_free(m);
  return code;
}

static bool try_chain(const char *text, size_t length, bench_chain *c, bench_error *e) {
  weir_engine *engine = NULL;
  weir_program *program = NULL;
  weir_error why = {0};
  weir_code code = weir_engine_new(NULL, &engine, &why);
  if (code != WEIR_OK) goto out;
  double began = bench_now();
  if ((code = weir_compile(engine, text, length, NULL, &program, NULL)) != WEIR_OK) goto out;
  keep_least(&c->compile, began);
  if ((code = try_monitor(engine, program, WEIR_TIER_CANONICAL, &c->canonical, c, &why)) != WEIR_OK) goto out;
  code = try_monitor(engine, program, WEIR_TIER_QUICKENED, &c->quickened, c, &why);
out:
  weir_program_release(program);
  weir_engine_free(engine);
  return code == WEIR_OK || bench_fail(e, "a chain of %zu: %s: %s", c->equations, weir_code_name(code), why.text);
}

bool bench_run_chains(const bench_options *o, bench_chain *out, bench_error *e) {
  static const size_t sizes[BENCH_CHAINS] = {1000, 2000, 5000, 10000, 20000, 50000};
  for (size_t k = 0; k < BENCH_CHAINS; k++) {
    bench_chain *c = &out[k];
    *c = (bench_chain){.is_there = true, .equations = sizes[k]};
    char *text = chain_text(sizes[k], &c->bytes);
    bool is_good = true;
    for (int r = 0; is_good && r < (o->is_quick ? 3 : 7); r++) is_good = try_chain(text, c->bytes, c, e);
    free(text);
    if (!is_good) return false;
  }
  return true;
}
