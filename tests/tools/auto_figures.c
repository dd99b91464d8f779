/* tests/tools/auto_figures.c -- what tier AUTO costs and gains, as figures to look at; nobody asserts them, since they are of the machine.
**
**   auto_figures pairs [ROUNDS]     each workload, typed rows and batches, in each tier at 1, 1,000, 100,000 and 10,000,000 rows: the least of so
**                                   many rounds (7), in which the tiers take turns.  A run is a process of its own: from making the monitor to
**                                   the last row, compiling and loading LLVM included
**   auto_figures latency [ROUNDS]   a row every 20 µs, without compiling and with it: percentiles of what a push takes, and the rows that ask for
**                                   kernels and take them up, with 64 KiB of state
**   auto_figures compile SPEC...    what compiling each specification was to take (runtime/compile_cost.h), and what it takes: time of the processor
**                                   in the thread that compiles, which other work on the machine does not change much.  First in a process, with
**                                   opening the module; and the least of five later ones
**
** The specifications are bench/limits/specs, but for the last. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ir/base/clock.h"
#include "runtime/compile_cost.h"
#include "weir.h"

enum { BLOCK = 4096, MOST = 64, LEAST_BATCH = 1000, TEXT = 1 << 20 };

static _Noreturn void stop(const char *why) {
  fprintf(stderr, "auto_figures: %s\n", why);
  exit(1);
}

typedef struct bench {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *monitor;
  uint32_t n_in, n_out;
  weir_cell rows[BLOCK][MOST];  /* inputs */
  weir_cell ins[MOST][BLOCK], outs[MOST][BLOCK]; /* the same as columns, and the outputs' */
} bench;

static bench b;

static void open_program(const char *text, size_t n) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  if (weir_engine_new(&with, &b.engine, NULL) != WEIR_OK || weir_compile(b.engine, text, n, NULL, &b.program, NULL) != WEIR_OK) stop("no program");
  b.n_in = weir_program_input_count(b.program);
  b.n_out = weir_program_output_count(b.program);
  uint64_t random = 1;
  for (uint32_t i = 0; i < BLOCK; i++)
    for (uint32_t k = 0; k < b.n_in; k++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      int64_t x = (int64_t)(random >> 33) % 100;
      bool is_bool = weir_program_input_kind(b.program, k) == WEIR_KIND_BOOL;
      if (weir_program_input_kind(b.program, k) == WEIR_KIND_FLOAT) b.rows[i][k].f = (double)x;
      else b.rows[i][k].i = is_bool ? x & 1 : x;
      if (is_bool) ((uint8_t *)b.ins[k])[i] = x & 1;
      else b.ins[k][i] = b.rows[i][k];
    }
}

static char text[TEXT];

static size_t read_text(const char *path) {
  FILE *from = fopen(path, "r");
  if (from == NULL) stop(path);
  size_t n = fread(text, 1, sizeof text, from);
  fclose(from);
  return n;
}

static void open_workload(const char *name) {
  static char path[1000];
  snprintf(path, sizeof path, TEST_ROOT "/bench/limits/specs/%s.dsrv", name);
  open_program(text, read_text(path));
}

static void new_monitor(weir_tier tier, uint64_t after) {
  weir_options options = {.size = sizeof options, .tier = tier, .compile_after = after};
  if (weir_monitor_new(b.engine, b.program, &options, &b.monitor, NULL) != WEIR_OK) stop("no monitor");
}

static weir_report report(void) {
  weir_report r = {.size = sizeof r};
  weir_monitor_report(b.monitor, &r);
  return r;
}

/* ---- Pairs ---- */

static void push_rows(size_t n) {
  weir_cell out[MOST];
  for (size_t i = 0; i < n; i++)
    if (weir_monitor_push_typed(b.monitor, b.rows[i % BLOCK], NULL, NULL, out, NULL, NULL, NULL) != WEIR_OK) stop("a row");
}

static void push_batches(size_t n) {
  weir_in_column ins[MOST] = {{.as = {NULL}}};
  weir_out_column outs[MOST] = {{.as = {NULL}}};
  for (uint32_t k = 0; k < b.n_in; k++) ins[k].as.i = (const int64_t *)b.ins[k];
  for (uint32_t k = 0; k < b.n_out; k++) outs[k].as.i = (int64_t *)b.outs[k];
  for (size_t at = 0, done; at < n; at += done)
    if (weir_monitor_push_batch(b.monitor, n - at < LEAST_BATCH ? n - at : LEAST_BATCH, ins, b.n_in, outs, b.n_out, &done, NULL) != WEIR_OK) stop("a batch");
}

/* In a process of its own, which loads LLVM anew: nanoseconds. */
static uint64_t measure(const char *workload, weir_tier tier, size_t rows, bool as_batches) {
  int ends[2];
  uint64_t took = 0;
  if (pipe(ends) != 0) stop("no pipe");
  pid_t child = fork();
  if (child == 0) {
    open_workload(workload);
    uint64_t begin = wb_now();
    new_monitor(tier, 0);
    if (as_batches) push_batches(rows);
    else push_rows(rows);
    took = wb_now() - begin;
    _exit(write(ends[1], &took, sizeof took) != sizeof took);
  }
  close(ends[1]);
  if (read(ends[0], &took, sizeof took) != sizeof took) stop("a run failed");
  close(ends[0]);
  (void)waitpid(child, NULL, 0);
  return took;
}

static void print_pair(const char *workload, bool as_batches, size_t rows, int rounds) {
  static const weir_tier tiers[] = {WEIR_TIER_QUICKENED, WEIR_TIER_NATIVE, WEIR_TIER_AUTO};
  uint64_t least[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < 3; i++) {
      uint64_t took = measure(workload, tiers[i], rows, as_batches);
      if (took < least[i]) least[i] = took;
    }
  double better = (double)(least[0] < least[1] ? least[0] : least[1]) / 1e6, own = (double)least[2] / 1e6;
  printf("%-3s %-7s %9zu  quickened %9.3f  native %9.3f  auto %9.3f ms  %s\n", workload, as_batches ? "batches" : "rows", rows, (double)least[0] / 1e6,
         (double)least[1] / 1e6, own, own <= better * 1.1 + 1 ? "within 10 % + 1 ms" : "BEHIND");
  fflush(stdout);
}

static void print_pairs(int rounds) {
  static const char *const workloads[] = {"W1", "W2", "W5", "W9"};
  for (size_t w = 0; w < 4; w++)
    for (int as_batches = 0; as_batches < 2; as_batches++)
      for (size_t rows = 1; rows <= 10000000; rows *= rows == 1 ? 1000 : 100) print_pair(workloads[w], as_batches != 0, rows, rounds);
}

/* ---- Latency ---- */

enum { PUSHES = 100000, EVERY = 20000 /* ns */, ASK = 20000 /* row */ };

static int compare(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, c = *(const uint64_t *)y;
  return (a > c) - (a < c);
}

typedef struct latency { uint64_t p50, p99, p999, most, ask, take_up; } latency;

static void keep_least(uint64_t *to, uint64_t x) { *to = *to == 0 || x < *to ? x : *to; }

static void run_latency(uint64_t after, latency *least) {
  static uint64_t took[PUSHES], sorted[PUSHES];
  weir_cell out[MOST];
  new_monitor(WEIR_TIER_AUTO, after);
  uint64_t due = wb_now();
  for (size_t i = 0; i < PUSHES; i++, due += EVERY) {
    while (wb_now() < due) continue;
    uint64_t begin = wb_now();
    if (weir_monitor_push_typed(b.monitor, b.rows[i % BLOCK], NULL, NULL, out, NULL, NULL, NULL) != WEIR_OK) stop("a row");
    took[i] = wb_now() - begin;
    if (took[i] > EVERY) due = wb_now(); /* what came too late is no burst */
  }
  memcpy(sorted, took, sizeof took);
  qsort(sorted, PUSHES, sizeof *sorted, compare);
  uint64_t since = report().native_since;
  keep_least(&least->p50, sorted[PUSHES / 2]);
  keep_least(&least->p99, sorted[PUSHES / 100 * 99]);
  keep_least(&least->p999, sorted[PUSHES / 1000 * 999]);
  keep_least(&least->most, sorted[PUSHES - 1]);
  if (after < PUSHES) keep_least(&least->ask, took[after]);
  if (since < PUSHES) keep_least(&least->take_up, took[since]);
  weir_monitor_free(b.monitor);
}

static void print_latency(const char *what, const latency *l) {
  printf("%-10s p50 %6.2f  p99 %6.2f  p99.9 %6.2f  most %8.2f  row that asks %6.2f  row that takes up %6.2f us\n", what, (double)l->p50 / 1e3,
         (double)l->p99 / 1e3, (double)l->p999 / 1e3, (double)l->most / 1e3, (double)l->ask / 1e3, (double)l->take_up / 1e3);
}

static void print_latencies(int rounds) {
  static const char spec[] =
    "in x: Int  in f: Float  out s: Int  out d: Int  out w: Float  out r: Float\n"
    "s = default(s[1], 0) + x\nd = default(x[7000], 0) - default(x[3], 1)\nw = 0.9 * default(w[1], 0.0) + f\nr = default(f[2], 1.0) * w\n";
  latency without = {0}, with = {0};
  for (int round = 0; round < rounds; round++) {
    open_program(spec, sizeof spec - 1); /* an engine and a program each time, so that each compiles anew */
    run_latency(WEIR_COMPILE_NEVER, &without);
    run_latency(ASK, &with);
    if (round == 0) printf("state: %llu bytes\n", (unsigned long long)weir_program_state_bytes(b.program, NULL));
    weir_program_release(b.program);
    weir_engine_free(b.engine);
  }
  print_latency("without", &without);
  print_latency("compiling", &with);
}

/* ---- Compiling ---- */

static double thread_ms(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* A program of its own each time; what a monitor costs besides is microseconds. */
static double compile_once(size_t n) {
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_NATIVE};
  if (weir_compile(b.engine, text, n, NULL, &b.program, NULL) != WEIR_OK) stop("no program");
  (void)wir_program_bodies(b.program);
  double begin = thread_ms();
  if (weir_monitor_new(b.engine, b.program, &options, &b.monitor, NULL) != WEIR_OK) stop("no monitor");
  double ms = thread_ms() - begin;
  if (report().why_not_native != NULL) stop(report().why_not_native);
  weir_monitor_free(b.monitor);
  return ms;
}

static void print_compile(const char *path) {
  size_t n = read_text(path), all = 0;
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  if (weir_engine_new(&with, &b.engine, NULL) != WEIR_OK) stop("no engine");
  double first = compile_once(n), least = 1e9;
  for (int k = 0; k < 5; k++) {
    weir_program_release(b.program);
    double ms = compile_once(n);
    if (ms < least) least = ms;
  }
  const wir_bodies *bodies = wir_program_bodies(b.program);
  for (uint32_t i = 0; bodies->is_whole && i < WIR_BODY_FITS; i++) all += bodies->of_fit[i].n_ins;
  for (uint32_t i = 0; !bodies->is_whole && i < bodies->plan.n_regions; i++) all += 2 * (size_t)bodies->sparse_of_region[i].n_ins;
  const char *name = strrchr(path, '/');
  printf("%-24s %8zu %8s %10.1f %10.1f %10.1f\n", name == NULL ? path : name + 1, all, bodies->is_whole ? "whole" : "regions",
         (double)wrt_compile_cost_of(bodies).nanoseconds * 1e-6, first, least);
}

static void print_compiles(char **paths, int n) {
  printf("%-24s %8s %8s %10s %10s %10s\n", "", "instr.", "", "said, ms", "first", "later");
  for (int i = 0; i < n; i++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      print_compile(paths[i]);
      fflush(stdout);
      _exit(0);
    }
    (void)waitpid(child, NULL, 0);
  }
}

int main(int argc, char **argv) {
  int rounds = argc > 2 ? atoi(argv[2]) : 7;
  if (argc > 2 && strcmp(argv[1], "compile") == 0) print_compiles(argv + 2, argc - 2);
  else if (argc > 1 && strcmp(argv[1], "pairs") == 0) print_pairs(rounds);
  else if (argc > 1 && strcmp(argv[1], "latency") == 0) print_latencies(rounds);
  else stop("pairs, latency or compile");
  return 0;
}
