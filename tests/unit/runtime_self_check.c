/* tests/unit/runtime_self_check.c -- what a self-check does when it finds a difference: a register of the quickened tier is changed by hand, as a
** fault of the compiler would. */
#include "tests/test.h"
#include "runtime/engine.h"
#include "runtime/monitor.h"
#include "runtime/native.h"
#include "runtime/quick.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct bench {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *m;
  char folder[32];
} bench;

static const char spec[] = "in x: Int  in f: Float  in b: Bool  out y: Int  out n: Int\ny = x + 777000777 * (if b then 1 else 2)\nn = default(n[1], 0) + 1 + x\n";

static size_t max_memory; /* 0: none */

static void open_bench(bench *b, const char *text, weir_tier tier, uint64_t every) {
  cr_assert_eq(weir_engine_new(NULL, &b->engine, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(b->engine, text, strlen(text), NULL, &b->program, NULL), WEIR_OK);
  snprintf(b->folder, sizeof b->folder, "/tmp/weir-check-XXXXXX");
  cr_assert_not_null(mkdtemp(b->folder));
  weir_options options = {.size = sizeof options, .tier = tier, .max_memory = max_memory, .check_every = every, .check_seed = 5, .check_folder = b->folder};
  cr_assert_eq(weir_monitor_new(b->engine, b->program, &options, &b->m, NULL), WEIR_OK);
}

static void close_bench(bench *b) {
  weir_monitor_free(b->m);
  weir_program_release(b->program);
  weir_engine_free(b->engine);
  cr_expect_eq(rmdir(b->folder), 0, "nothing else stands there");
}

/* Constants stand in registers that are set once. */
static void spoil(bench *b) {
  int64_t *registers = (int64_t *)(void *)b->m->quick->base;
  int changed = 0;
  for (uint32_t i = 0; i < b->m->quick->registers_bytes / 8; i++)
    if (registers[i] == 777000777) registers[i]++, changed++;
  cr_assert_gt(changed, 0);
}

static void push(bench *b, int64_t x, bool is_there) {
  weir_value row[3] = {{.tag = WEIR_INT, .as.i = x}, {.tag = is_there ? WEIR_FLOAT : WEIR_NOVAL, .as.f = 0.1}, {.tag = WEIR_BOOL, .as.b = true}};
  weir_error e;
  cr_assert_eq(weir_monitor_push(b->m, row, 3, &e), WEIR_OK, "%s", e.text);
  cr_expect_eq(weir_monitor_output(b->m, 0)->as.i, x + 777000777);
}

/* The text of a file of that ending, which is removed. */
static void expect_file_with(const bench *b, const char *name, const char *text, const char *none) {
  char path[80], *got = NULL;
  size_t n = 0;
  snprintf(path, sizeof path, "%s/%s", b->folder, name);
  FILE *f = fopen(path, "r");
  cr_assert_not_null(f, "%s", path);
  cr_assert_gt(getdelim(&got, &n, '\0', f), 0);
  cr_expect_not_null(strstr(got, text), "%.600s", got);
  if (none != NULL) cr_expect_null(strstr(got, none), "%.600s", got);
  fclose(f);
  free(got);
  cr_expect_eq(unlink(path), 0);
}

static void expect_file(const bench *b, const char *name, const char *text) { expect_file_with(b, name, text, NULL); }

Test(runtime_self_check, a_difference_is_told_and_written_and_the_canonical_answer_stands) {
  bench b;
  open_bench(&b, spec, WEIR_TIER_QUICKENED, 1);
  for (int i = 0; i < 3; i++) push(&b, i, i != 1);
  weir_report before = report_of(b.m);
  cr_expect_eq(before.differences, 0);
  cr_expect_eq(before.difference_row, WEIR_NO_ROW);
  cr_expect_null(before.difference);
  cr_expect(before.checked > 0 && before.checked + before.rows[WEIR_TIER_CANONICAL] == 3, "rows that ran canonically have nothing to be compared with");
  spoil(&b);
  push(&b, 3, true);
  push(&b, 4, true);
  weir_report after = report_of(b.m);
  cr_expect_eq(after.differences, 1);
  cr_expect_eq(after.difference_row, 3);
  cr_expect_str_eq(after.difference, "output 0, of stream y");
  cr_expect_eq(after.rows[WEIR_TIER_CANONICAL], before.rows[WEIR_TIER_CANONICAL] + 2, "the tier is switched off");
  cr_expect_eq(weir_monitor_output(b.m, 1)->as.i, 5 + 10);
  cr_expect_eq(weir_monitor_set_tier(b.m, WEIR_TIER_QUICKENED, NULL), WEIR_OK);
  push(&b, 5, true);
  cr_expect_eq(report_of(b.m).rows[WEIR_TIER_CANONICAL], after.rows[WEIR_TIER_CANONICAL] + 1, "and stays so");
  expect_file(&b, "weir-difference-3.dsrv", spec);
  expect_file(&b, "weir-difference-3.input",
              "0:\n  x = 0\n  f = 0.1\n  b = true\n1:\n  x = 1\n  b = true\n2:\n  x = 2\n  f = 0.1\n  b = true\n3:\n  x = 3\n  f = 0.1\n  b = true\n");
  close_bench(&b);
}

static const char of_longer[] = "// These are the last rows of a longer run, in which they began at tick ";

/* Many batches; then the file of the rows has one text and has not the other. */
static void run_batches(const char *text, const char *none) {
  enum { ROWS = 1000 };
  static int64_t x[ROWS], y[ROWS], n[ROWS];
  static double f[ROWS];
  static uint8_t c[ROWS];
  bench b;
  size_t done;
  open_bench(&b, spec, WEIR_TIER_QUICKENED, 1);
  for (int64_t i = 0; i < ROWS; i++) x[i] = i, c[i] = 1;
  weir_in_column ins[] = {{.as.i = x}, {.as.f = f}, {.as.b = c}};
  weir_out_column outs[] = {{.as.i = y}, {.as.i = n}};
  for (int k = 0; k < 6; k++) {
    if (k == 5) spoil(&b);
    cr_assert_eq(weir_monitor_push_batch(b.m, ROWS, ins, 3, outs, 2, &done, NULL), WEIR_OK);
    for (int64_t i = 0; i < ROWS; i++) cr_assert_eq(y[i], i + 777000777);
  }
  weir_report report = report_of(b.m);
  if (report.differences == 0) { /* tiles have constants of their own; rows have these */
    for (int i = 0; i < 3; i++) push(&b, i, true);
    report = report_of(b.m);
  }
  cr_expect_gt(report.checked, 5 * ROWS);
  cr_assert_eq(report.differences, 1);
  char name[60];
  snprintf(name, sizeof name, "weir-difference-%u.dsrv", (unsigned)report.difference_row);
  expect_file(&b, name, spec);
  snprintf(name, sizeof name, "weir-difference-%u.input", (unsigned)report.difference_row);
  expect_file_with(&b, name, text, none);
  close_bench(&b);
}

Test(runtime_self_check, of_batches_pieces_are_checked_and_all_rows_kept) { run_batches("\n0:\n  x = 0\n  f = 0.0\n  b = true\n1:\n", of_longer); }

/* Where there is no room for all of them the last rows are kept. */
Test(runtime_self_check, of_a_long_run_the_last_rows_are_kept) {
  max_memory = 8 * 3 * 16 * 3000; /* as many rows */
  run_batches(of_longer, NULL);
}

/* Puts a file there that nobody has asked for. */
static void leave_file(const bench *b, const char *name, const char *link_to) {
  char path[80];
  snprintf(path, sizeof path, "%s/%s", b->folder, name);
  if (link_to != NULL) {
    cr_assert_eq(symlink(link_to, path), 0);
    return;
  }
  FILE *f = fopen(path, "w");
  cr_assert(f != NULL && fputs("kept", f) >= 0);
  fclose(f);
}

static void differ(bench *b, int64_t x) {
  for (int64_t i = 0; i < 3; i++) push(b, x + i, true);
  spoil(b);
  push(b, x + 3, true);
  cr_expect_eq(report_of(b->m).difference_row, 3);
}

/* Of another monitor, of a run before; or a link, in a folder where others may write. */
Test(runtime_self_check, what_is_in_the_folder_is_not_written_over_and_both_files_have_one_number) {
  bench b;
  open_bench(&b, spec, WEIR_TIER_QUICKENED, 1);
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_QUICKENED, .check_every = 1, .check_seed = 5, .check_folder = b.folder};
  bench other = b;
  cr_assert_eq(weir_monitor_new(b.engine, b.program, &options, &other.m, NULL), WEIR_OK);
  leave_file(&b, "victim", NULL);
  leave_file(&b, "weir-difference-3-2.dsrv", "victim");
  leave_file(&b, "weir-difference-3-3.input", "victim");
  leave_file(&b, "weir-difference-3-4.input", "nothing");
  differ(&b, 0);
  differ(&other, 50);
  weir_monitor_free(other.m);
  expect_file(&b, "victim", "kept");
  expect_file(&b, "weir-difference-3.dsrv", spec);
  expect_file(&b, "weir-difference-3.input", "0:\n  x = 0\n");
  expect_file(&b, "weir-difference-3-5.dsrv", spec);
  expect_file(&b, "weir-difference-3-5.input", "0:\n  x = 50\n");
  static const char *const links[] = {"2.dsrv", "3.input", "4.input"};
  for (size_t i = 0; i < 3; i++) {
    char path[80];
    snprintf(path, sizeof path, "%s/weir-difference-3-%s", b.folder, links[i]);
    cr_expect_eq(unlink(path), 0);
  }
  close_bench(&b);
}

/* A schedule that is not whole: the region is compared before the row is committed. */
Test(runtime_self_check, regions_are_checked_too) {
  bench b;
  open_bench(&b, "in x: Int  in f: Float  in b: Bool  out y: Int  out t: Str\ny = x + 777000777 * (if b then 1 else 2) + default(y[1], 0) - default(y[1], 0)\nt = if y > 5 then \"a\" else \"b\"\n",
             WEIR_TIER_QUICKENED, 1);
  for (int i = 0; i < 3; i++) push(&b, i, true);
  cr_expect_eq(report_of(b.m).differences, 0);
  cr_expect_gt(report_of(b.m).checked, 0);
  spoil(&b);
  push(&b, 3, true);
  push(&b, 4, true);
  cr_expect_eq(report_of(b.m).differences, 1);
  cr_expect_str_eq(report_of(b.m).difference, "stream 3, of stream y");
  expect_file(&b, "weir-difference-3.dsrv", "out t: Str");
  expect_file(&b, "weir-difference-3.input", "3:\n  x = 3\n");
  close_bench(&b);
}

/* As many as were asked for, on average, and other ones with another seed. */
Test(runtime_self_check, about_one_row_of_n_is_checked) {
  bench b;
  open_bench(&b, spec, WEIR_TIER_QUICKENED, 10);
  for (int i = 0; i < 5000; i++) push(&b, i % 7, true);
  weir_report report = report_of(b.m);
  cr_expect(report.checked > 400 && report.checked < 600, "%u", (unsigned)report.checked);
  cr_expect_eq(report.differences, 0);
  cr_expect_gt(report.rows[WEIR_TIER_QUICKENED], 4900);
  close_bench(&b);
}

#ifdef TEST_HAS_NATIVE

/* In the place of kernels: a row that is wrong, and the last before the monitor leaves them alone. */
static weir_code wrong_and_left(weir_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                                uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  weir_code rc = wrt_push_typed(m, in, in_present, in_deferred, out, out_present, out_deferred, e);
  out[0].i++;
  wrt_hot_left(m, 1000);
  return rc;
}

Test(runtime_self_check, kernels_that_are_left_in_the_row_that_differs_are_to_blame_for_it, .fini = scratch_remove, .timeout = 100) {
  bench b;
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE, .object_cache = scratch_make()};
  cr_assert_eq(weir_engine_new(&with, &b.engine, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(b.engine, spec, strlen(spec), NULL, &b.program, NULL), WEIR_OK);
  weir_options native = {.size = sizeof native, .tier = WEIR_TIER_NATIVE}, own = {.size = sizeof own, .tier = WEIR_TIER_AUTO, .check_every = 1};
  weir_monitor *other;
  cr_assert_eq(weir_monitor_new(b.engine, b.program, &native, &other, NULL), WEIR_OK);
  cr_assert_eq(weir_monitor_new(b.engine, b.program, &own, &b.m, NULL), WEIR_OK);
  cr_assert_eq(report_of(b.m).native_since, 0, "it finds the other one's kernels");
  weir_cell row[3] = {{.i = 4}, {.f = 0.5}, {.i = 1}}, out[2];
  for (int i = 0; i < 6; i++) {
    if (i == 4) b.m->other = wrong_and_left;
    cr_assert_eq(weir_monitor_push_typed(b.m, row, NULL, NULL, out, NULL, NULL, NULL), WEIR_OK);
    cr_expect_eq(out[0].i, 777000781);
    cr_expect_eq(out[1].i, 5 * (i + 1));
  }
  weir_report r = report_of(b.m);
  cr_expect_eq(r.differences, 1);
  cr_expect_eq(r.difference_row, 4);
  cr_expect_eq(r.native_cache, WEIR_CACHE_REMOVED);
  cr_expect(r.why_not_native != NULL && strstr(r.why_not_native, "self-check") != NULL);
  cr_expect_eq(r.rows[WEIR_TIER_QUICKENED], 1, "that tier is not to blame");
  weir_monitor_free(other);
  weir_monitor_free(b.m);
  weir_program_release(b.program);
  weir_engine_free(b.engine);
}

#endif
