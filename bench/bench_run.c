/* bench/bench_run.c -- the entry of weir_bench.so: runs what was asked for, here or in processes of its own, and has it reported.
**
** This file alone is built for any processor: it looks whether the rest may run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/built_for.h"
#include "bench/processes.h"

__attribute__((visibility("default"))) weir_bench_run_fn weir_bench_run;

/* What the rest was built for and this processor lacks; NULL: nothing. */
static const char *lacking(void) {
  __builtin_cpu_init();
#define X(id, name) \
  if ((bench_built_for & BENCH_HAS_##id) != 0 && !__builtin_cpu_supports(name)) return name;
  BENCH_INSTRUCTIONS(X)
#undef X
  return NULL;
}

/* All workloads in a variant.  Where there is no time, others than the base are left out. */
static bool run_variant(const bench_options *o, size_t v, bench_results *out, bench_error *e) {
  for (size_t w = 0; w < BENCH_WORKLOADS; w++) {
    char name[16];
    bool has_variants = w >= 1 && w <= 9;
    if (!o->workloads[w] || (v != BASE && !has_variants)) continue;
    snprintf(name, sizeof name, "W%zu", w);
    bench_progress(o, name, bench_variants[v]);
    if (v != BASE && !bench_has_time(o)) out->left_out++;
    else if (!bench_run_case(o, name, (Variant)v, &out->cases[w][v], e)) return false;
  }
  return true;
}

static bool run_suite(const bench_options *o, bench_results *out, bench_error *e) {
  if (o->variants[BASE] && !run_variant(o, BASE, out, e)) return false;
  if (o->with_warm_up && !bench_run_warm_ups(o, out->warm_ups, e)) return false;
  if (o->with_chains && !bench_run_chains(o, out, e)) return false;
  if (o->with_command && o->variants[BASE] && !bench_run_commands(o, BASE, out, e)) return false;
  for (size_t v = BASE + 1; v < BENCH_VARIANTS; v++)
    if (o->variants[v] && !run_variant(o, v, out, e)) return false;
  return !o->with_command || !o->variants[CONSTS] || bench_run_commands(o, CONSTS, out, e);
}

/* Whether it has anything that the floor could have been built for and was not. */
static bool has_more(void) {
#define X(id, name) \
  if ((bench_built_for & BENCH_HAS_##id) == 0 && __builtin_cpu_supports(name)) return true;
  BENCH_INSTRUCTIONS(X)
#undef X
  return false;
}

static bool run_here(const bench_options *o, bench_results *out, bench_error *e) {
  bool is_good = o->own != NULL ? bench_run_own(o, out, e) : run_suite(o, out, e);
  bench_progress(o, "", "");
  return is_good;
}

/* No times: the interpreters against the kernels at the edges of Int.  One that fails otherwise ends the process. */
static void check_edges(const bench_options *o, FILE *to) {
  static const Machine *const machines[] = {&machine_x86_64_checked, &machine_x86_64_v3_checked, &machine_native_checked};
  static const Floor *const floors[] = {&floor_base, &floor_consts};
  char name[16];
  Program *program = bench_alloc(sizeof *program);
  for (size_t w = 0; w < BENCH_WORKLOADS; w++) {
    if (!o->workloads[w]) continue;
    snprintf(name, sizeof name, "W%zu", w);
    for (size_t f = 0; f < BENCH_LEN(floors); f++) {
      const Workload *work = floors[f]->workload(name);
      if (!floors[f]->interp_program(program, work)) continue;
      for (size_t m = 0; m < BENCH_LEN(machines); m++)
        if (m != 1 || __builtin_cpu_supports("avx2")) floors[f]->interp_edges(program, work, machines[m]);
      fprintf(to, "%-4s seed %llu: the interpreters agree with the kernels at the edges of Int\n", name, (unsigned long long)floors[f]->seed);
    }
  }
  free(program);
}

typedef void print_fn(FILE *to, const bench_options *o, const bench_results *r, const bench_place *p);

static bool print(print_fn *fn, const bench_options *o, const bench_results *r, const bench_place *p, char **text, size_t *n, bench_error *e) {
  FILE *to = open_memstream(text, n);
  if (to == NULL) return bench_fail_memory(e);
  fn(to, o, r, p);
  return fclose(to) == 0 || bench_fail_memory(e);
}

static bool report(const bench_options *o, const bench_results *r, weir_bench_answer *a, bench_error *e) {
  bench_place place;
  bench_read_place(&place);
  place.has_more = has_more();
  if (!print(o->request->wants_json ? bench_print_json : bench_print_table, o, r, &place, &a->text, &a->n_text, e)) return false;
  return !o->request->wants_html || print(bench_print_html, o, r, &place, &a->html, &a->n_html, e);
}

static bool run_all(const bench_options *o, bench_results *results, weir_bench_answer *a, bench_error *e) {
  if (!(o->processes > 1 ? bench_run_processes(o, results, e) : run_here(o, results, e))) return false;
  return o->raw_fd >= 0 ? bench_hand_over(o->raw_fd, results, e) : report(o, results, a, e);
}

static bool run_edges(const bench_options *o, weir_bench_answer *a, bench_error *e) {
  FILE *to = open_memstream(&a->text, &a->n_text);
  if (to == NULL) return bench_fail_memory(e);
  check_edges(o, to);
  if (fclose(to) != 0) return bench_fail_memory(e);
  return a->n_text > 0 || bench_fail(e, "--edges: what was named has no interpreter");
}

static weir_bench_status fail(weir_bench_answer *a, const bench_error *e) {
  free(a->text);
  free(a->html);
  *a = (weir_bench_answer){.status = e->status != 0 ? e->status : 1, .tick = e->tick};
  snprintf(a->message, sizeof a->message, "%s", e->text);
  return e->is_stopped ? WEIR_BENCH_STOPPED : e->is_tick ? WEIR_BENCH_TICK : WEIR_BENCH_FAILED;
}

weir_bench_status weir_bench_run(const weir_bench_request *q, weir_bench_answer *a) {
  bench_error e = {.text = ""};
  const char *lack = lacking();
  *a = (weir_bench_answer){.status = 0};
  if (q->version != WEIR_BENCH_VERSION || strcmp(q->weir, weir_version()) != 0) snprintf(e.text, sizeof e.text, "the module weir_bench.so belongs to another build");
  else if (lack != NULL) snprintf(e.text, sizeof e.text, "the module weir_bench.so was built for a processor with %s, which this one lacks", lack);
  if (e.text[0] != '\0') return fail(a, &e);
  bench_options o;
  bench_read_options(&o, q);
  if ((o.raw_fd = bench_raw_fd()) >= 0) o.processes = 1;
  bench_results *results = bench_alloc(sizeof *results);
  bool is_good = q->only_edges ? run_edges(&o, a, &e) : run_all(&o, results, a, &e);
  free(results);
  return is_good ? WEIR_BENCH_DONE : fail(a, &e);
}
