/* tests/unit/native_host.c -- what compiling and running kernels leaves alone in the process: signals, the rights of pages, memory.
**
** In a build without the native module this suite is empty. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* the names of pthreads, NSIG */
#endif
#include "tests/test.h"
#include "tests/support/host.h"
#include "tests/support/no_exec.h"
#include "tests/support/tiers.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TEST_HAS_NATIVE

/* An Int and a Float that can fail, a delay, a helper that kernels call. */
static const char spec[] =
  "in x: Int  in d: Int  out s: Int  out q: Int  out w: Float\n"
  "s = default(s[1], 0) + x\n"
  "q = default(s[3], 0) / d\n"
  "w = sin(2.5) * default(w[2], 1.5)\n";

enum { INS = 2, OUTS = 3 };

static weir_engine *new_engine(const weir_allocator *allocator) {
  weir_engine_options options = {.size = sizeof options, .native_module = TEST_NATIVE, .allocator = allocator};
  weir_engine *engine;
  cr_assert_eq(weir_engine_new(&options, &engine, NULL), WEIR_OK);
  return engine;
}

static weir_program *compile(weir_engine *engine, const char *text) {
  weir_program *program;
  cr_assert_eq(weir_compile(engine, text, strlen(text), NULL, &program, NULL), WEIR_OK);
  return program;
}

static weir_monitor *new_monitor(weir_engine *engine, weir_program *program) {
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_NATIVE};
  weir_monitor *m;
  cr_assert_eq(weir_monitor_new(engine, program, &options, &m, NULL), WEIR_OK);
  return m;
}

static weir_code push(weir_monitor *m, int64_t x, int64_t d) {
  weir_value row[INS] = {{.tag = WEIR_INT, .as.i = x}, {.tag = WEIR_INT, .as.i = d}};
  return weir_monitor_push(m, row, INS, NULL);
}

static weir_code push_typed(weir_monitor *m, int64_t x, int64_t d, weir_cell out[OUTS]) {
  weir_cell in[INS] = {{.i = x}, {.i = d}};
  return weir_monitor_push_typed(m, in, NULL, NULL, out, NULL, NULL, NULL);
}

static weir_code push_batch(weir_monitor *m, int64_t s[3]) {
  static const int64_t x[3] = {1, 2, 3}, d[3] = {1, 1, 1};
  double w[3];
  int64_t q[3];
  const weir_in_column ins[INS] = {{.as.i = x}, {.as.i = d}};
  const weir_out_column outs[OUTS] = {{.as.i = s}, {.as.i = q}, {.as.f = w}};
  return weir_monitor_push_batch(m, 3, ins, INS, outs, OUTS, NULL, NULL);
}

/* Every form of push, a switch there and back, a row that leaves its kernel, and the end of a monitor: each with its answer. */
static void run_all(weir_monitor *m) {
  weir_cell out[OUTS];
  int64_t s[3] = {0};
  cr_expect_eq(push(m, 5, 1), WEIR_OK);
  cr_expect_eq(weir_monitor_output(m, 0)->as.i, 5);
  cr_expect_eq(push_typed(m, 6, 1, out), WEIR_OK);
  cr_expect_eq(out[0].i, 11);
  cr_expect_eq(push_batch(m, s), WEIR_OK);
  cr_expect_eq(s[2], 17);
  for (int i = 0; i < 2; i++) {
    cr_expect_eq(weir_monitor_set_tier(m, i == 0 ? WEIR_TIER_CANONICAL : WEIR_TIER_NATIVE, NULL), WEIR_OK);
    cr_expect_eq(push(m, 1, 4), WEIR_OK);
  }
  cr_expect_eq(weir_monitor_output(m, 1)->as.i, 14 / 4);
  cr_expect_eq(push(m, 1, 0), WEIR_E_DIV_ZERO);
  cr_expect_eq(push(m, 1, 1), WEIR_E_TERMINAL);
}

/* ---- Signals ---- */

typedef struct signals {
  struct sigaction of[NSIG];
  sigset_t mask;
  stack_t alternate;
} signals;

static void take_signals(signals *s) {
  memset(s, 0, sizeof *s);
  for (int i = 1; i < NSIG; i++) (void)sigaction(i, NULL, &s->of[i]);
  (void)pthread_sigmask(SIG_SETMASK, NULL, &s->mask);
  (void)sigaltstack(NULL, &s->alternate);
}

static bool same_set(const sigset_t *a, const sigset_t *b) {
  for (int i = 1; i < NSIG; i++)
    if (sigismember(a, i) != sigismember(b, i)) return false;
  return true;
}

/* Handlers are the process's; the mask and the stack are the thread's. */
static bool same_handlers(const signals *a, const signals *b) {
  for (int i = 1; i < NSIG; i++) {
    const struct sigaction *x = &a->of[i], *y = &b->of[i];
    if (x->sa_handler != y->sa_handler || x->sa_flags != y->sa_flags || !same_set(&x->sa_mask, &y->sa_mask)) return false;
  }
  return true;
}

static bool same_signals(const signals *a, const signals *b) {
  return same_handlers(a, b) && same_set(&a->mask, &b->mask) && a->alternate.ss_sp == b->alternate.ss_sp &&
         a->alternate.ss_size == b->alternate.ss_size && a->alternate.ss_flags == b->alternate.ss_flags;
}

/* Looks all the time, on a thread of its own, and from within Weir at each request for memory. */
typedef struct watcher {
  signals before;
  weir_allocator allocator;
  atomic_bool ends;
  uint64_t looks, changes, looks_within, changes_within;
} watcher;

static void *watch(void *arg) {
  watcher *w = arg;
  while (!atomic_load(&w->ends)) {
    signals now;
    take_signals(&now);
    w->changes += !same_handlers(&w->before, &now);
    w->looks++;
  }
  return NULL;
}

static void *take_watched(void *self, size_t size) {
  watcher *w = self;
  signals now;
  take_signals(&now);
  w->changes_within += !same_signals(&w->before, &now);
  w->looks_within++;
  return malloc(size);
}

static void give_watched(void *self, void *block) {
  (void)self;
  free(block);
}

static void run_watched(void) {
  static watcher w; /* the thread may outlive a failing test */
  signals after;
  pthread_t thread;
  w = (watcher){.allocator = {take_watched, give_watched, &w}};
  take_signals(&w.before);
  cr_assert_eq(pthread_create(&thread, NULL, watch, &w), 0);
  weir_engine *engine = new_engine(&w.allocator);
  weir_program *program = compile(engine, spec);
  weir_monitor *m = new_monitor(engine, program);
  cr_expect_null(report_of(m).why_not_native);
  run_all(m);
  weir_monitor_free(m);
  weir_program_release(program);
  weir_engine_free(engine);
  atomic_store(&w.ends, true);
  pthread_join(thread, NULL);
  take_signals(&after);
  cr_expect(same_signals(&w.before, &after));
  cr_expect_eq(w.changes, 0);
  cr_expect_eq(w.changes_within, 0);
  cr_expect_gt(w.looks, 0);
  cr_expect_gt(w.looks_within, 10);
}

Test(native_host, signals_stay_as_they_were_before_during_and_after) { run_watched(); }

static void handle(int number) { (void)number; }

/* A host that has its own: nothing takes their place, and nothing is put beside them. */
Test(native_host, a_host_keeps_its_handlers_mask_and_stack) {
  static char stack[1 << 16];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigset_t blocked;
  for (int i = 1; i < NSIG; i++)
    if (i != SIGKILL && i != SIGSTOP && i != SIGALRM && i != SIGPROF) { /* the last two are Criterion's clock */
      struct sigaction own = {.sa_handler = handle, .sa_flags = i % 2 == 0 ? SA_ONSTACK : SA_RESTART};
      (void)sigaction(i, &own, NULL);
    }
  cr_assert_eq(sigaltstack(&alternate, NULL), 0);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  cr_assert_eq(pthread_sigmask(SIG_BLOCK, &blocked, NULL), 0);
  run_watched();
  alternate.ss_flags = SS_DISABLE;
  cr_assert_eq(sigaltstack(&alternate, NULL), 0);
}

/* ---- The end ---- */

/* At one time or another while its program is compiled. */
Test(native_host, a_host_may_end_while_its_engine_compiles, .timeout = 100) {
  for (int i = 0; i < 30; i++) {
    char command[512];
    snprintf(command, sizeof command, "%s %d", TEST_BUILD "/tests/tools/ends_early", 500 + i * 1000);
    cr_expect_eq(system(command), 0, "%s", command);
  }
}

/* ---- Pages ---- */

Test(native_host, without_executable_memory_two_tiers_run_and_a_reason_says_so) {
  cr_assert(no_exec_begin(NO_EXEC_AT_ALL), "this system takes no filters of system calls");
  weir_engine *engine = new_engine(NULL);
  weir_program *program = compile(engine, spec);
  weir_monitor *m = new_monitor(engine, program);
  run_all(m);
  weir_report r = report_of(m);
  cr_assert_not_null(r.why_not_native);
  cr_expect_str_eq(r.why_not_native, "the system allows no executable memory");
  cr_expect_eq(r.native_state, WEIR_NATIVE_UNAVAILABLE);
  cr_expect_eq(r.native_streams, 0);
  cr_expect_eq(r.declined[WEIR_CAUSE_DIV_ZERO], 1);
  cr_expect_eq(r.rows[WEIR_TIER_NATIVE], 0);
  cr_expect_eq(r.rows[WEIR_TIER_QUICKENED], 6);
  cr_expect_eq(r.rows[WEIR_TIER_CANONICAL], 1);
  cr_expect_eq(r.native_bytes, 0);
  weir_monitor_free(m);
  weir_program_release(program);
  weir_engine_free(engine);
}

/* Rights of a page in this process that has them all. */
static bool any_writable_code(void) {
  char line[512];
  bool any = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  cr_assert_not_null(maps);
  while (fgets(line, sizeof line, maps) != NULL) any |= strstr(line, " rwx") != NULL;
  fclose(maps);
  return any;
}

Test(native_host, no_page_needs_to_be_writable_and_executable_at_once) {
  cr_assert(no_exec_begin(NO_EXEC_WHILE_WRITABLE), "this system takes no filters of system calls");
  weir_engine *engine = new_engine(NULL);
  weir_program *program = compile(engine, spec);
  weir_monitor *m = new_monitor(engine, program);
  cr_expect(!any_writable_code());
  run_all(m);
  weir_report r = report_of(m);
  cr_expect_null(r.why_not_native);
  cr_expect_eq(r.native_state, WEIR_NATIVE_WHOLE);
  cr_expect_eq(r.native_streams, 3);
  cr_expect(r.native_bytes > 0 && r.native_nanoseconds > 0);
  cr_expect_eq(r.exits[WEIR_CAUSE_DIV_ZERO], 1);
  cr_expect_eq(r.exits[WEIR_CAUSE_OVERFLOW], 0);
  cr_expect_eq(r.declined[WEIR_CAUSE_DIV_ZERO], 0);
  cr_expect_eq(r.rows[WEIR_TIER_NATIVE], 6);
  weir_monitor_free(m);
  weir_program_release(program);
  weir_engine_free(engine);
}

/* ---- Memory ---- */

/* Bytes of this process that are in memory. */
static size_t resident(void) {
  size_t whole = 0, pages = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  cr_assert_not_null(statm);
  cr_assert_eq(fscanf(statm, "%zu %zu", &whole, &pages), 2);
  fclose(statm);
  return pages * 4096;
}

/* Small, since it is compiled often. */
static void cycle(weir_engine *engine) {
  weir_program *program = compile(engine, "in x: Int  out s: Int  s = default(s[1], 0) + x");
  weir_monitor *m = new_monitor(engine, program);
  weir_cell in = {.i = 5}, out;
  for (int i = 0; i < 10; i++) cr_assert_eq(weir_monitor_push_typed(m, &in, NULL, NULL, &out, NULL, NULL, NULL), WEIR_OK);
  cr_assert_eq(out.i, 50);
  cr_assert_eq(report_of(m).rows[WEIR_TIER_NATIVE], 10);
  weir_monitor_free(m);
  weir_program_release(program);
}

/* WEIR_CYCLES says how many; ./dev fuzz runs 100,000. */
Test(native_host, compiled_code_is_given_back, .timeout = 86400) {
  uint64_t cycles = tiers_setting("WEIR_CYCLES", 1000);
  weir_engine *engine = new_engine(NULL);
  size_t early = 0, late;
  for (uint64_t i = 0; i < cycles; i++) {
    cycle(engine);
    if (i == cycles / 10) early = resident();
  }
  late = resident();
  weir_engine_free(engine);
  cr_expect_leq(late, early + (1 << 20), "%zu KiB after a tenth of the cycles, %zu KiB after all", early >> 10, late >> 10);
}

#ifndef WEIR_SANITIZE /* which takes memory of its own */

enum { KERNELS = 100 };

typedef struct many {
  weir_program *programs[KERNELS];
  weir_monitor *monitors[KERNELS];
} many;

/* Bytes that each of many programs with a monitor takes. */
static size_t make_many(many *of, weir_engine *engine, weir_tier tier) {
  size_t before = resident();
  for (size_t i = 0; i < KERNELS; i++) {
    weir_options options = {.size = sizeof options, .tier = tier};
    of->programs[i] = compile(engine, spec);
    cr_assert_eq(weir_monitor_new(engine, of->programs[i], &options, &of->monitors[i], NULL), WEIR_OK);
  }
  return (resident() - before) / KERNELS;
}

static void end_many(many *of) {
  for (size_t i = 0; i < KERNELS; i++) {
    weir_monitor_free(of->monitors[i]);
    weir_program_release(of->programs[i]);
  }
}

Test(native_host, the_module_and_further_kernels_take_little_memory, .timeout = 120) {
  static many with, without;
  weir_engine *engine = new_engine(NULL);
  size_t before = resident();
  cycle(engine);
  size_t module = resident() - before;
  cr_expect_leq(module, 40u << 20, "the module: %zu KiB", module >> 10);
  size_t quickened = make_many(&without, engine, WEIR_TIER_QUICKENED), native = make_many(&with, engine, WEIR_TIER_NATIVE);
  cr_expect_leq(native, quickened + (16u << 10), "%zu bytes, and %zu with a kernel", quickened, native);
  end_many(&with);
  end_many(&without);
  weir_engine_free(engine);
}

#endif

#endif
