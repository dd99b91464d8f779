/* tests/unit/runtime_hot.c -- tier AUTO: when a monitor asks for kernels, takes them up, and leaves them; and that it tells.  (That its rows are
** right: tests/agree/agree_native.c.) */
#include "tests/test.h"
#include "tests/support/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/compile_cost.h"
#include "runtime/engine.h"
#include "runtime/monitor.h"
#include "tests/support/scratch.h"

static const char sum[] = "in x: Int\nout s: Int\ns = default(s[1], 0) + x\n";

typedef struct bench {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *monitor;
  int64_t sum; /* of what was pushed to it */
} bench;

static weir_monitor *new_monitor(const bench *b, weir_tier tier, uint64_t after) {
  weir_options options = {.size = sizeof options, .tier = tier, .compile_after = after};
  weir_monitor *m;
  cr_assert_eq(weir_monitor_new(b->engine, b->program, &options, &m, NULL), WEIR_OK);
  return m;
}

static void open_with(bench *b, const weir_engine_options *options, const char *text, uint64_t after) {
  *b = (bench){.sum = 0};
  cr_assert_eq(weir_engine_new(options, &b->engine, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(b->engine, text, strlen(text), NULL, &b->program, NULL), WEIR_OK);
  b->monitor = new_monitor(b, WEIR_TIER_AUTO, after);
}

static void close_all(bench *b) {
  weir_monitor_free(b->monitor);
  weir_program_release(b->program);
  weir_engine_free(b->engine);
}

/* False: a row went wrong. */
static bool push_rows(bench *b, int n) {
  for (int i = 0; i < n; i++) {
    weir_cell in = {.i = i % 100}, out;
    b->sum += in.i;
    if (weir_monitor_push_typed(b->monitor, &in, NULL, NULL, &out, NULL, NULL, NULL) != WEIR_OK || out.i != b->sum) return false;
  }
  return true;
}

/* Pushes rows until the monitor's state is no longer that one, for a minute at most. */
static weir_native_state push_while(bench *b, weir_native_state state) {
  for (int i = 0; i < 60000 && report_of(b->monitor).native_state == state; i++) {
    cr_assert(push_rows(b, 64));
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return report_of(b->monitor).native_state;
}

/* ---- Asking ---- */

static void finds_none(const weir_engine_options *options, const char *why) {
  bench b;
  open_with(&b, options, sum, 10);
  cr_expect(push_rows(&b, 10));
  cr_expect_eq(report_of(b.monitor).native_state, WEIR_NATIVE_UNASKED);
  cr_expect(push_rows(&b, 1));
  cr_expect_eq(push_while(&b, WEIR_NATIVE_PENDING), WEIR_NATIVE_UNAVAILABLE);
  weir_report r = report_of(b.monitor);
  cr_expect(r.why_not_native != NULL && strstr(r.why_not_native, why) != NULL, "%s", r.why_not_native);
  cr_expect_eq(r.rows[WEIR_TIER_NATIVE], 0);
  cr_expect_eq(r.native_since, WEIR_NO_ROW);
  /* Nobody asks for them again. */
  weir_monitor_free(b.monitor);
  b.monitor = new_monitor(&b, WEIR_TIER_AUTO, 1);
  b.sum = 0;
  cr_expect(push_rows(&b, 2));
  cr_expect_eq(report_of(b.monitor).native_state, WEIR_NATIVE_UNAVAILABLE);
  close_all(&b);
}

Test(runtime_hot, where_there_is_no_module_rows_run_quickened_and_the_report_says_why, .timeout = 100) {
  finds_none(&(weir_engine_options){.size = sizeof(weir_engine_options), .native_module = "/there/is/no/weir_native.so"}, "is not there");
}

Test(runtime_hot, what_is_too_large_to_compile_is_told_so, .timeout = 100) {
  finds_none(&(weir_engine_options){.size = sizeof(weir_engine_options), .native_module = TEST_NATIVE, .max_compile_memory = 1}, "too large");
}

/* Where there is no module: what the reason is, with so much memory for compiling. */
static const char *why_with(size_t most) {
  weir_engine_options options = {.size = sizeof options, .native_module = "/there/is/no/weir_native.so", .max_compile_memory = most};
  bench b;
  open_with(&b, &options, sum, 0);
  cr_assert_eq(weir_monitor_set_tier(b.monitor, WEIR_TIER_NATIVE, NULL), WEIR_OK);
  const char *why = report_of(b.monitor).why_not_native;
  close_all(&b);
  return why;
}

Test(runtime_hot, the_limit_of_memory_for_compiling_is_kept_to_the_byte) {
  bench b;
  open_with(&b, NULL, sum, 0);
  size_t needed = wrt_compile_cost_of(wir_program_bodies(b.program)).bytes;
  close_all(&b);
  cr_expect_not_null(strstr(why_with(needed), "is not there"));
  cr_expect_not_null(strstr(why_with(needed - 1), "max_compile_memory"));
  cr_expect_not_null(strstr(why_with(0), "is not there"), "by default there is enough");
}

Test(runtime_hot, streams_that_are_not_scalar_are_not_asked_for) {
  bench b;
  open_with(&b, NULL, "in x: Int\nout s: Str\ns = if x > 0 then \"a\" else \"b\"\n", 1);
  weir_value x = an_int(1);
  for (int i = 0; i < 5; i++) cr_expect_eq(weir_monitor_push(b.monitor, &x, 1, NULL), WEIR_OK);
  cr_expect_eq(report_of(b.monitor).native_state, WEIR_NATIVE_UNAVAILABLE);
  cr_expect_not_null(strstr(report_of(b.monitor).why_not_native, "scalar"));
  cr_expect_eq(atomic_load(&b.engine->native.worker.state), WRT_WORKER_NONE);
  close_all(&b);
}

Test(runtime_hot, never_is_never) {
  bench b;
  open_with(&b, NULL, sum, WEIR_COMPILE_NEVER);
  cr_expect(push_rows(&b, 100000));
  cr_expect_eq(report_of(b.monitor).native_state, WEIR_NATIVE_UNASKED);
  cr_expect_eq(b.monitor->push_typed, wrt_push_typed, "such a row pays nothing");
  close_all(&b);
}

Test(runtime_hot, nearly_never_is_no_sooner_behind_other_rows) {
  bench b;
  open_with(&b, NULL, sum, WEIR_COMPILE_NEVER - 1);
  cr_expect(push_rows(&b, 10));
  cr_assert_eq(weir_monitor_set_tier(b.monitor, WEIR_TIER_QUICKENED, NULL), WEIR_OK);
  cr_assert_eq(weir_monitor_set_tier(b.monitor, WEIR_TIER_AUTO, NULL), WEIR_OK);
  cr_expect_eq(b.monitor->hot.next, UINT64_MAX);
  cr_expect(push_rows(&b, 10));
  cr_expect_eq(report_of(b.monitor).native_state, WEIR_NATIVE_UNASKED);
  close_all(&b);
}

Test(runtime_hot, the_time_of_rows_is_estimated_from_a_few) {
  bench b;
  struct timespec begin, end;
  open_with(&b, NULL, sum, 0);
  b.monitor->hot.worth = UINT64_MAX;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  cr_expect(push_rows(&b, 200000));
  clock_gettime(CLOCK_MONOTONIC, &end);
  double all = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
  weir_report r = report_of(b.monitor);
  cr_expect_gt(r.quick_nanoseconds, 200000 / 4, "a row takes a nanosecond");
  cr_expect_lt((double)r.quick_nanoseconds, 3 * all);
  cr_expect_eq(r.compile_nanoseconds, UINT64_MAX);
  close_all(&b);
}

/* ---- Asking again ---- */

/* Nobody can be asked, since there is no memory for that, and a wait is a few rows. */
static void open_without_memory(bench *b, host_memory *memory, const weir_engine_options *options) {
  weir_engine_options with = *options;
  host_memory_open(memory);
  with.allocator = &memory->allocator;
  open_with(b, &with, sum, 10);
  b->engine->native.is_impatient = true;
  cr_expect(push_rows(b, 10));
  memory->fail_at = 1;
  cr_expect(push_rows(b, 1), "rows need none");
  weir_report r = report_of(b->monitor);
  cr_expect_eq(r.native_state, WEIR_NATIVE_UNAVAILABLE);
  cr_assert_not_null(r.why_not_native);
  cr_expect_str_eq(r.why_not_native, WRT_NO_MEMORY);
  cr_expect(push_rows(b, 64));
  r = report_of(b->monitor);
  cr_expect_str_eq(r.why_not_native, WRT_NO_MEMORY);
  cr_expect_eq(r.native_again, 10 + 64 + 4);
}

Test(runtime_hot, where_there_is_no_memory_to_ask_it_is_tried_less_and_less_and_then_no_more) {
  bench b;
  host_memory memory;
  open_without_memory(&b, &memory, &(weir_engine_options){.size = sizeof(weir_engine_options)});
  cr_expect(push_rows(&b, 4 + 64));
  cr_expect_eq(report_of(b.monitor).native_again, 10 + 64 + 4 + 64 + 8, "twice as long");
  cr_expect(push_rows(&b, 5 * 64 + 4 * 127));
  cr_expect_neq(b.monitor->push_typed, wrt_push_typed);
  cr_expect(push_rows(&b, 64));
  weir_report r = report_of(b.monitor);
  cr_expect_eq(r.native_again, WEIR_NO_ROW);
  cr_expect_str_eq(r.why_not_native, WRT_NO_MEMORY);
  cr_expect_eq(b.monitor->push_typed, wrt_push_typed, "such a row pays nothing");
  memory.fail_at = 0;
  close_all(&b);
}

#ifdef TEST_HAS_NATIVE

/* What is said beforehand: the first compilation of an engine opens the module. */
Test(runtime_hot, opening_the_module_counts_once, .timeout = 100) {
  static const char other[] = "in x: Int\nout y: Int\ny = x * 3\n";
  weir_engine_options options = {.size = sizeof options, .native_module = TEST_NATIVE};
  weir_program *first;
  bench b;
  open_with(&b, &options, sum, 0);
  uint64_t cost = wrt_compile_cost_of(wir_program_bodies(b.program)).nanoseconds;
  cr_expect_eq(report_of(b.monitor).compile_nanoseconds, cost + WRT_OPENING_NS);
  weir_monitor_free(b.monitor);
  first = b.program;
  cr_assert_eq(weir_compile(b.engine, other, strlen(other), NULL, &b.program, NULL), WEIR_OK);
  b.monitor = new_monitor(&b, WEIR_TIER_NATIVE, 0);
  cr_assert_null(report_of(b.monitor).why_not_native);
  weir_monitor_free(b.monitor);
  weir_program_release(b.program);
  b.program = first;
  b.monitor = new_monitor(&b, WEIR_TIER_AUTO, 0);
  cr_expect_eq(report_of(b.monitor).compile_nanoseconds, cost);
  close_all(&b);
}

static const weir_engine_options with_module = {.size = sizeof with_module, .native_module = TEST_NATIVE};

/* ---- Taking up ---- */

Test(runtime_hot, no_row_waits_for_kernels_and_all_are_right, .timeout = 100) {
  bench b;
  open_with(&b, &with_module, sum, 100);
  cr_expect(push_rows(&b, 100));
  cr_expect_eq(report_of(b.monitor).native_state, WEIR_NATIVE_UNASKED);
  cr_expect(push_rows(&b, 1));
  cr_expect_eq(push_while(&b, WEIR_NATIVE_PENDING), WEIR_NATIVE_WHOLE);
  cr_expect(push_rows(&b, 1000));
  weir_report r = report_of(b.monitor);
  cr_expect_geq(r.native_since, 100);
  cr_expect_eq(r.rows[WEIR_TIER_QUICKENED], r.native_since, "the rows before, and none after");
  cr_expect_eq(r.rows[WEIR_TIER_NATIVE], weir_monitor_ticks(b.monitor) - r.native_since);
  cr_expect_gt(r.native_bytes, 0);
  cr_expect_null(r.why_not_native);
  close_all(&b);
}

Test(runtime_hot, a_program_that_takes_its_time_is_compiled_by_itself, .timeout = 100) {
  bench b;
  open_with(&b, &with_module, sum, 0);
  b.monitor->hot.worth = 20000;
  for (int i = 0; i < 1000 && report_of(b.monitor).native_state == WEIR_NATIVE_UNASKED; i++) cr_assert(push_rows(&b, 1000));
  cr_expect_eq(push_while(&b, WEIR_NATIVE_PENDING), WEIR_NATIVE_WHOLE);
  close_all(&b);
}

Test(runtime_hot, monitors_that_find_kernels_have_them_from_the_first_row, .timeout = 100) {
  bench b;
  open_with(&b, &with_module, sum, 0);
  weir_monitor *native = new_monitor(&b, WEIR_TIER_NATIVE, 0), *later = new_monitor(&b, WEIR_TIER_AUTO, 1000);
  cr_expect_eq(report_of(native).native_since, 0);
  cr_expect_eq(report_of(later).native_since, 0);
  cr_expect_eq(weir_monitor_set_tier(later, WEIR_TIER_QUICKENED, NULL), WEIR_OK);
  cr_expect_eq(report_of(later).native_since, WEIR_NO_ROW);
  cr_expect(push_rows(&b, 64), "the older one finds them when it looks");
  cr_expect_eq(report_of(b.monitor).native_since, WEIR_NO_ROW);
  cr_expect(push_rows(&b, 10));
  cr_expect_eq(report_of(b.monitor).native_since, 64);
  weir_monitor_free(native);
  weir_monitor_free(later);
  close_all(&b);
}

Test(runtime_hot, one_batch_goes_on_in_kernels_in_its_middle, .timeout = 100) {
  enum { ROWS = 20000 };
  bench b;
  static int64_t x[ROWS], s[ROWS];
  const weir_in_column in = {.as.i = x};
  const weir_out_column out = {.as.i = s};
  open_with(&b, &with_module, sum, 5000);
  weir_monitor *native = new_monitor(&b, WEIR_TIER_NATIVE, 0);
  for (int i = 0; i < ROWS; i++) x[i] = i;
  cr_assert_eq(weir_monitor_push_batch(b.monitor, ROWS, &in, 1, &out, 1, NULL, NULL), WEIR_OK);
  for (int64_t i = 0; i < ROWS; i++) cr_assert_eq(s[i], i * (i + 1) / 2);
  weir_report r = report_of(b.monitor);
  cr_expect(r.native_since >= 5000 && r.native_since < 7000 && r.rows[WEIR_TIER_NATIVE] > ROWS / 2);
  weir_monitor_free(native);
  close_all(&b);
}

Test(runtime_hot, an_engine_ends_while_its_thread_compiles_and_others_wait, .timeout = 100) {
  enum { PROGRAMS = 5 };
  for (int round = 0; round < 3; round++) {
    weir_engine *engine;
    weir_program *programs[PROGRAMS];
    cr_assert_eq(weir_engine_new(&with_module, &engine, NULL), WEIR_OK);
    for (int i = 0; i < PROGRAMS; i++) {
      bench b = {.engine = engine};
      cr_assert_eq(weir_compile(engine, sum, strlen(sum), NULL, &b.program, NULL), WEIR_OK);
      b.monitor = new_monitor(&b, WEIR_TIER_AUTO, 1);
      cr_expect(push_rows(&b, 3));
      weir_monitor_free(b.monitor);
      programs[i] = b.program;
    }
    for (int i = 0; i < PROGRAMS; i++) weir_program_release(programs[i]);
    weir_engine_free(engine);
  }
}

Test(runtime_hot, kernels_come_when_there_is_memory_again, .timeout = 100) {
  bench b;
  host_memory memory;
  open_without_memory(&b, &memory, &with_module);
  memory.fail_at = 0;
  cr_expect(push_rows(&b, 4 + 1));
  cr_expect_eq(report_of(b.monitor).native_again, WEIR_NO_ROW);
  cr_expect_eq(push_while(&b, WEIR_NATIVE_PENDING), WEIR_NATIVE_WHOLE);
  cr_expect(push_rows(&b, 65));
  weir_report r = report_of(b.monitor);
  cr_expect_null(r.why_not_native);
  cr_expect_neq(r.native_since, WEIR_NO_ROW);
  close_all(&b);
}

/* The rows of a monitor need memory of their own. */
Test(runtime_hot, a_monitor_without_memory_for_kernels_takes_them_up_later, .timeout = 100) {
  bench b;
  open_with(&b, &with_module, sum, 10);
  b.engine->native.is_impatient = true;
  weir_monitor *native = new_monitor(&b, WEIR_TIER_NATIVE, 0);
  cr_expect(push_rows(&b, 10));
  b.monitor->mem.limit = b.monitor->mem.used;
  cr_expect(push_rows(&b, 1));
  weir_report r = report_of(b.monitor);
  cr_assert_not_null(r.why_not_native);
  cr_expect_str_eq(r.why_not_native, WRT_NO_MEMORY);
  cr_expect_eq(r.native_again, 10 + 4);
  b.monitor->mem.limit = 0;
  cr_expect(push_rows(&b, 5));
  r = report_of(b.monitor);
  cr_expect_null(r.why_not_native);
  cr_expect_eq(r.native_since, 14);
  weir_monitor_free(native);
  close_all(&b);
}

/* ---- From the cache ---- */

static void push_some(bench *b) {
  for (int i = 0; i < 10000 && report_of(b->monitor).native_state == WEIR_NATIVE_UNASKED && b->monitor->hot.weight < 1000000; i++) cr_assert(push_rows(b, 1000));
  cr_expect(push_rows(b, 600));
}

Test(runtime_hot, kernels_in_the_cache_are_worth_less_time, .fini = scratch_remove, .timeout = 100) {
  weir_engine_options options = with_module;
  options.object_cache = scratch_make();
  bench b;
  open_with(&b, &options, sum, 0);
  b.monitor->hot.worth = UINT64_MAX;
  push_some(&b);
  cr_expect_eq(push_while(&b, WEIR_NATIVE_PENDING), WEIR_NATIVE_UNASKED, "it is empty");
  cr_expect_null(report_of(b.monitor).why_not_native);
  uint64_t weight = b.monitor->hot.weight;
  cr_expect(push_rows(&b, 10000));
  cr_expect_gt(b.monitor->hot.weight, weight, "rows are timed again");
  b.monitor->hot.worth = 0;
  cr_expect(push_rows(&b, 600));
  cr_expect_eq(push_while(&b, WEIR_NATIVE_PENDING), WEIR_NATIVE_WHOLE);
  cr_expect_eq(report_of(b.monitor).native_cache, WEIR_CACHE_KEPT);
  close_all(&b);
  open_with(&b, &options, sum, 0);
  b.monitor->hot.worth = UINT64_MAX;
  push_some(&b);
  cr_expect_eq(push_while(&b, WEIR_NATIVE_PENDING), WEIR_NATIVE_WHOLE);
  cr_expect_eq(report_of(b.monitor).native_cache, WEIR_CACHE_FOUND);
  close_all(&b);
}

/* ---- Leaving ---- */

Test(runtime_hot, kernels_that_many_rows_leave_are_left_alone_for_a_while, .timeout = 100) {
  bench b;
  open_with(&b, &with_module, sum, 1);
  b.engine->native.leave_every = 3;
  weir_monitor *native = new_monitor(&b, WEIR_TIER_NATIVE, 0);
  cr_expect(push_rows(&b, 250));
  weir_report r = report_of(b.monitor);
  cr_expect_eq(r.native_state, WEIR_NATIVE_LEFT);
  cr_expect_eq(r.native_left, 1);
  cr_expect_eq(r.native_since, WEIR_NO_ROW);
  cr_expect(r.native_again > 4096 && r.native_again < 4096 + 250);
  cr_expect(push_rows(&b, 4096));
  cr_expect_eq(report_of(b.monitor).native_since, r.native_again);
  cr_expect(push_rows(&b, 250));
  cr_expect_eq(report_of(b.monitor).native_left, 2);
  cr_expect_gt(report_of(b.monitor).native_again, weir_monitor_ticks(b.monitor) + 4096 + 250, "twice as long");
  cr_expect(push_rows(&b, 4096 << 9));
  r = report_of(b.monitor);
  cr_expect_eq(r.native_left, 8);
  cr_expect_eq(r.native_again, WEIR_NO_ROW, "and then for good");
  cr_expect_eq(b.monitor->push_typed, wrt_push_typed);
  weir_monitor_free(native);
  close_all(&b);
}

Test(runtime_hot, kernels_that_few_rows_leave_are_kept, .timeout = 100) {
  bench b;
  open_with(&b, &with_module, sum, 1);
  b.engine->native.leave_every = 5;
  weir_monitor *native = new_monitor(&b, WEIR_TIER_NATIVE, 0);
  cr_expect(push_rows(&b, 10000));
  cr_expect_eq(report_of(b.monitor).native_since, 1);
  cr_expect_eq(report_of(b.monitor).native_left, 0);
  weir_monitor_free(native);
  close_all(&b);
}

/* ---- Forked children ---- */

/* Everything goes on but compiling; the answer is the child's status. */
static int go_on(bench *b) {
  if (!push_rows(b, 1000)) return 1;
  weir_report mine = report_of(b->monitor);
  bool is_told = mine.why_not_native != NULL && strcmp(mine.why_not_native, WRT_IN_CHILD) == 0;
  if (mine.native_state != WEIR_NATIVE_WHOLE && !(mine.native_state == WEIR_NATIVE_UNAVAILABLE && is_told)) return 6;
  bench other = {.engine = b->engine};
  if (weir_compile(b->engine, sum, strlen(sum), NULL, &other.program, NULL) != WEIR_OK) return 2;
  weir_options options = {.size = sizeof options, .compile_after = 1};
  if (weir_monitor_new(b->engine, other.program, &options, &other.monitor, NULL) != WEIR_OK || !push_rows(&other, 1000)) return 3;
  if (weir_monitor_set_tier(other.monitor, WEIR_TIER_NATIVE, NULL) != WEIR_OK || !push_rows(&other, 10)) return 4;
  weir_report r = report_of(other.monitor);
  if (r.why_not_native == NULL || strcmp(r.why_not_native, WRT_IN_CHILD) != 0 || r.rows[WEIR_TIER_NATIVE] != 0) return 5;
  weir_text *text;
  if (weir_explain(b->engine, sum, strlen(sum), NULL, WEIR_STAGE_LLVM, 0, &text, NULL) != WEIR_E_ARGUMENT) return 7;
  weir_monitor_free(other.monitor);
  weir_program_release(other.program);
  close_all(b);
  return 0;
}

static void fork_and_go_on(bench *b) {
  pid_t child = fork();
  if (child == 0) _exit(go_on(b));
  int status = 1;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_expect_eq(status, 0, "%d", status);
}

Test(runtime_hot, a_child_forked_at_any_moment_runs_on_without_compiling, .timeout = 100) {
  for (int k = 0; k < 20; k++) {
    bench b;
    open_with(&b, &with_module, sum, 1);
    cr_expect(push_rows(&b, 3));
    nanosleep(&(struct timespec){.tv_nsec = k * 1000000L}, NULL);
    fork_and_go_on(&b);
    cr_expect_eq(push_while(&b, WEIR_NATIVE_PENDING), WEIR_NATIVE_WHOLE, "the parent is undisturbed");
    fork_and_go_on(&b);
    close_all(&b);
  }
}

#endif
