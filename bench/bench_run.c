/* bench/bench_run.c -- the entry of weir_bench.so: runs what was asked for, here or in processes of its own, and has it printed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/weir_bench.h"

__attribute__((visibility("default"))) weir_bench_run_fn weir_bench_run;

static void progress(const char *workload, const char *variant) {
  if (isatty(2)) fprintf(stderr, "\r%-4s %-8s", workload, variant);
}

static bool run_cases(const bench_options *o, size_t w, bench_results *out, bench_error *e) {
  char name[16];
  snprintf(name, sizeof name, "W%zu", w);
  bool has_variants = w >= 1 && w <= 9;
  for (size_t v = 0; v < BENCH_VARIANTS; v++) {
    if (!o->variants[v] || (v != BASE && !has_variants)) continue;
    progress(name, bench_variants[v]);
    if (!bench_run_case(o, name, (Variant)v, &out->cases[w][v], e)) return false;
  }
  return true;
}

static bool run_here(const bench_options *o, bench_results *out, bench_error *e) {
  for (size_t w = 0; w <= 10; w++)
    if (o->workloads[w] && !run_cases(o, w, out, e)) return false;
  progress("", "chains");
  bool is_good = !o->with_chains || bench_run_chains(o, out->chains, e);
  progress("", "\r");
  return is_good;
}

static void check_edges(const bench_options *o) {
  static const Machine *const machines[] = {&machine_x86_64_checked, &machine_x86_64_v3_checked, &machine_native_checked};
  static const Floor *const floors[] = {&floor_base, &floor_consts};
  static Program program;
  char name[16];
  __builtin_cpu_init();
  for (size_t w = 0; w <= 10; w++) {
    if (!o->workloads[w]) continue;
    snprintf(name, sizeof name, "W%zu", w);
    for (size_t f = 0; f < 2; f++) {
      const Workload *work = floors[f]->workload(name);
      if (!floors[f]->interp_program(&program, work)) continue;
      for (size_t m = 0; m < 3; m++)
        if (m != 1 || __builtin_cpu_supports("avx2")) floors[f]->interp_edges(&program, work, machines[m]);
      printf("%-4s seed %llu: the interpreters agree with the kernels at the edges of Int\n", name, (unsigned long long)floors[f]->seed);
    }
  }
}

static bool write_all(int fd, const void *from, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = write(fd, (const char *)from + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

int weir_bench_run(int argc, char **argv) {
  bench_options o;
  bench_error e = {0};
  int status = 0;
  if (!bench_read_options(&o, argc, argv, &status)) return status;
  if (o.only_edges) {
    check_edges(&o);
    return 0;
  }
  bench_results *results = bench_alloc(sizeof *results);
  bool is_good = o.processes > 1 ? bench_run_processes(&o, results, &e) : run_here(&o, results, &e);
  if (!is_good) fprintf(stderr, "bench: %s\n", e.text);
  else if (o.raw_fd >= 0) is_good = write_all(o.raw_fd, results, sizeof *results);
  else if (o.is_json) bench_print_json(&o, results);
  else bench_print_table(&o, results);
  free(results);
  return is_good ? 0 : 1;
}
