/* tests/unit/cli_columns.c -- rows that are gathered into columns: a file answers as a pipe does, byte for byte, whatever is wrong with
** whichever row.  From a file they are gathered, but in the canonical tier; through a pipe each row runs as it comes. */
#include "cli/columns.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/ran.h"
#include "tests/test.h"

/* Every kind of cell, history, an output that is not always there, and operations that fail. */
static const char spec[] =
  "in x: Int\nin y: Float\nin z: Bool\nout sum: Int\nout half: Float\nout flag: Bool\nout old: Int\nout q: Int\n"
  "sum = default(sum[1], 0) + x\nhalf = y / 2.0\nflag = z && x > 3\nold = x[3]\nq = 100 / (x - 7777)\n";

enum { ROWS = CLI_COLUMN_ROWS, LONGEST = 2 * ROWS + 10 };
static const size_t pieces[] = {30000, 7001, 0};

/* ---- A text that grows --------------------------------------------------------------------------------------------- */

typedef struct text { char *at; size_t n, cap; } text;

static void __attribute__((format(printf, 2, 3))) add(text *t, const char *fmt, ...) {
  if (t->cap - t->n < 1000) {
    t->cap = 2 * t->cap + 4000;
    t->at = realloc(t->at, t->cap);
    cr_assert(t->at != NULL);
  }
  va_list args;
  va_start(args, fmt);
  t->n += (size_t)vsnprintf(t->at + t->n, t->cap - t->n, fmt, args);
  va_end(args);
}

typedef enum format { TRACE, CSV, NDJSON, FORMATS } format;
static const char *const names[FORMATS] = {"trace", "csv", "ndjson"};

/* A good row. */
static void add_row(text *t, format f, int row) {
  int x = row % 100;
  double y = row * 0.25;
  const char *z = row % 3 == 0 ? "true" : "false";
  switch (f) {
    case TRACE: add(t, "%d: x = %d\n   y = %.2f\n   z = %s\n", row, x, y, z); break;
    case CSV: add(t, "%d,%.2f,%s\n", x, y, z); break;
    case NDJSON: add(t, "{\"x\":%d,\"y\":%.2f,\"z\":%s}\n", x, y, z); break;
    case FORMATS: break;
  }
}

/* A row in which x is `value`, or, of NULL, no input is there. */
static void add_special(text *t, format f, int row, const char *value) {
  switch (f) {
    case TRACE: value ? add(t, "%d: x = %s\n", row, value) : add(t, "%d:\n", row); break;
    case CSV: add(t, "%s,,\n", value ? value : ""); break;
    case NDJSON: value ? add(t, "{\"x\":%s}\n", value) : add(t, "{}\n"); break;
    case FORMATS: break;
  }
}

/* `n` rows, of which the one at `special` (-1: none) is add_special's. */
static text make(format f, int n, int special, const char *value) {
  text t = {0};
  add(&t, "%s", f == CSV ? "x,y,z\n" : "");
  for (int row = 0; row < n; row++) {
    if (row == special) add_special(&t, f, row, value);
    else add_row(&t, f, row);
  }
  return t;
}

/* ---- Both ways ----------------------------------------------------------------------------------------------------- */

static void expect_same(const ran *file, const ran *pipe, const char *what, int at) {
  cr_expect_eq(file->status, pipe->status, "%s at %d: %d, not %d: %s", what, at, file->status, pipe->status, file->err);
  cr_expect(file->n_out == pipe->n_out && memcmp(file->out, pipe->out, pipe->n_out) == 0, "%s at %d: another output", what, at);
  cr_expect(strcmp(file->err, pipe->err) == 0, "%s at %d: %s\nnot: %s", what, at, file->err, pipe->err);
}

/* Runs `input` from a file, through a pipe, and canonically; returns the status. */
static int run_both(const char *program, format f, text *input, const char *const *more, const char *what, int at) {
  ran_how how = {.spec = program, .trace = input->at, .n_trace = input->n, .is_standard = true};
  size_t n = 0;
  how.more[n++] = "--input-format";
  how.more[n++] = names[f];
  for (; more && *more; more++) how.more[n++] = *more;
  ran file = ran_weir(&how);
  how.is_standard = false;
  how.chunks = pieces;
  ran pipe = ran_weir(&how);
  how.more[n++] = "--tier=canonical";
  ran canonical = ran_weir(&how);
  expect_same(&file, &pipe, what, at);
  expect_same(&file, &canonical, what, at);
  int status = file.status;
  ran_free(&file);
  ran_free(&pipe);
  ran_free(&canonical);
  free(input->at);
  return status;
}

/* The rows at which something may go wrong in another way. */
static const int around[] = {0, 1, ROWS / 2, ROWS - 2, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS - 1, 2 * ROWS, LONGEST - 1};

static void special_rows(const char *value, int status, const char *const *more) {
  for (format f = 0; f < FORMATS; f++)
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
      text t = make(f, LONGEST, around[i], value);
      int is = run_both(spec, f, &t, more, value ? value : "no value", around[i]);
      cr_expect_eq(is, status, "%s: %s at %d: status %d", names[f], value ? value : "no value", around[i], is);
    }
}

/* ---- Rows that are good -------------------------------------------------------------------------------------------- */

Test(cli_columns, any_number_of_rows_answers_as_through_a_pipe) {
  static const int counts[] = {0, 1, 2, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS, LONGEST};
  for (format f = 0; f < FORMATS; f++)
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      text t = make(f, counts[i], -1, NULL);
      cr_expect_eq(run_both(spec, f, &t, NULL, "rows", counts[i]), 0);
    }
}

Test(cli_columns, rows_without_values_or_with_others_are_taken) {
  special_rows(NULL, 0, NULL);
  for (int at = 0; at < LONGEST; at += ROWS - 1) {
    text t = make(CSV, LONGEST, at, "deferred");
    cr_expect_eq(run_both(spec, CSV, &t, NULL, "deferred", at), 0);
  }
}

/* An Int that an input of Float gets from a trace. */
Test(cli_columns, a_whole_number_for_a_float_is_answered_as_through_a_pipe) {
  for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
    text t = make(TRACE, around[i], -1, NULL);
    add(&t, "%d: y = 5\n", around[i]);
    for (int row = around[i] + 1; row < LONGEST; row++) add_row(&t, TRACE, row);
    (void)run_both(spec, TRACE, &t, NULL, "y", around[i]);
  }
}

Test(cli_columns, formats_may_differ) {
  for (format f = 0; f < FORMATS; f++)
    for (format to = 0; to < FORMATS; to++) {
      text t = make(f, LONGEST, ROWS, NULL);
      cr_expect_eq(run_both(spec, f, &t, (const char *const[]){"--output-format", names[to], NULL}, names[to], ROWS), 0);
    }
}

Test(cli_columns, an_empty_input_has_no_rows) {
  for (format f = 0; f < FORMATS; f++) {
    text t = {0};
    add(&t, "%s", "\n");
    t.n = 0;
    t.at[0] = '\0';
    cr_expect_eq(run_both(spec, f, &t, NULL, "nothing", 0), 0);
  }
}

/* ---- Rows that are wrong ------------------------------------------------------------------------------------------- */

Test(cli_columns, an_input_that_cannot_be_read_comes_behind_the_rows_before_it) { special_rows("1 2", 4, NULL); }

Test(cli_columns, a_row_of_another_type_is_refused_at_its_place) {
  special_rows("\"text\"", 4, NULL);
  special_rows("2.5", 4, NULL);
}

Test(cli_columns, an_overflow_ends_the_run_at_its_row) { special_rows("9223372036854775807", 4, NULL); }

Test(cli_columns, a_division_by_zero_ends_the_run_at_its_row) { special_rows("7777", 4, NULL); }

Test(cli_columns, an_unknown_name_is_warned_about_behind_the_rows_before_it) {
  for (int at = ROWS - 1; at <= ROWS + 1; at++) {
    text t = make(NDJSON, at, -1, NULL), u = make(TRACE, at, -1, NULL);
    add(&t, "{\"x\":1,\"w\":2}\n{\"x\":7777}\n");
    add(&u, "%d: x = 1\n   w = 2\n%d: x = 7777\n", at, at + 1);
    cr_expect_eq(run_both(spec, NDJSON, &t, NULL, "unknown", at), 4);
    cr_expect_eq(run_both(spec, TRACE, &u, NULL, "unknown", at), 4);
    t = make(NDJSON, at, -1, NULL);
    add(&t, "{\"x\":1,\"w\":2}\n");
    cr_expect_eq(run_both(spec, NDJSON, &t, (const char *const[]){"--strict", NULL}, "strict", at), 4);
  }
}

/* Warnings stand between the lines of the output that were computed before and after them, and none behind an error. */
Test(cli_columns, an_error_comes_before_the_warnings_of_later_rows) {
  text t = {0};
  add(&t, "0: x = 1\n1: x = 7777\n2: x = 1\n   unknown = 5\n");
  cr_expect_eq(run_both(spec, TRACE, &t, NULL, "warning", 2), 4);
}

/* ---- Figures ------------------------------------------------------------------------------------------------------- */

/* What --stats=json tells of rows, which neither time nor memory changes; but for tiles, since only rows of a file come in batches. */
static char *figures(ran_how how, bool is_file) {
  how.is_standard = is_file;
  if (!is_file) how.chunks = pieces;
  ran r = ran_weir(&how);
  const char *ticks = strstr(r.err, "\"ticks\""), *rows = strstr(r.err, "\"rows\""), *tiles = strstr(r.err, "\"tiles\""), *rest = strstr(r.err, "\"declined\"");
  cr_assert(ticks && rows && tiles && rest, "%s", r.err);
  char *all = malloc(strlen(rows) + 40);
  cr_assert(all != NULL);
  (void)sprintf(all, "%.*s %.*s %s", (int)strcspn(ticks, ","), ticks, (int)(tiles - rows), rows, rest);
  ran_free(&r);
  return all;
}

Test(cli_columns, rows_are_counted_as_through_a_pipe) {
  static const char program[] =
    "in x: Int\nin y: Int\nout q: Int\nout s: Int\nq = if x > 50 then default(x / (y - 60), 0) else x\ns = default(s[2], 0) + x\n";
  static const char *const last[] = {"1,1", "99,60", "9223372036854775807,1", "1.5,1", ",", "deferred,2"};
  for (size_t i = 0; i < sizeof last / sizeof *last; i++)
    for (int at = ROWS - 2; at <= ROWS + 1; at++) {
      text t = {0};
      add(&t, "x,y\n");
      for (int row = 0; row < LONGEST; row++) row == at ? add(&t, "%s\n", last[i]) : add(&t, "%d,%d\n", row % 100, row % 50);
      ran_how how = {.spec = program, .trace = t.at, .n_trace = t.n, .more = {"--input-format=csv", "--stats=json"}};
      char *file = figures(how, true), *pipe = figures(how, false);
      cr_expect_str_eq(file, pipe, "%s at %d: %s\nnot %s", last[i], at, file, pipe);
      free(file);
      free(pipe);
      free(t.at);
    }
}

/* ---- Ticks without rows -------------------------------------------------------------------------------------------- */

Test(cli_columns, ticks_cut_and_fill_up_around_the_end_of_a_column) {
  static const char *const ticks[] = {"0", "1", "5", "7", "8", "9", "1023", "1024", "1025", "2048", "2049", "5000"};
  for (format f = 0; f < FORMATS; f++)
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++)
      for (int rows = ROWS - 1; rows <= ROWS + 1; rows++) {
        text t = make(f, rows, -1, NULL);
        cr_expect_eq(run_both(spec, f, &t, (const char *const[]){"--ticks", ticks[i], NULL}, ticks[i], rows), 0);
      }
}

static const char counts_up[] = "in x: Int\nout n: Int\nout q: Int\nn = default(n[1], 0) + 1\nq = 6 / (%d - n)\n";

Test(cli_columns, a_failed_tick_without_a_row_names_the_next_one_or_none) {
  for (size_t i = 1; i < sizeof around / sizeof *around; i++) {
    char program[sizeof counts_up + 20];
    (void)snprintf(program, sizeof program, counts_up, around[i] + 1);
    text gap = {0}, pad = {0};
    add(&gap, "0: x = 1\n\n%d: x = 1\n", LONGEST);
    add(&pad, "0: x = 1\n");
    cr_expect_eq(run_both(program, TRACE, &gap, NULL, "gap", around[i]), 4);
    cr_expect_eq(run_both(program, TRACE, &pad, (const char *const[]){"--ticks", "5000", NULL}, "pad", around[i]), 4);
  }
}

Test(cli_columns, a_gap_that_is_too_long_comes_behind_the_rows_before_it) {
  text t = make(TRACE, ROWS + 1, -1, NULL);
  add(&t, "%d: x = 1\n", 3 * ROWS);
  cr_expect_eq(run_both(spec, TRACE, &t, (const char *const[]){"--max-gap", "3", NULL}, "gap", ROWS), 4);
}

Test(cli_columns, labels_of_time_stay_with_their_rows) {
  text t = {0};
  add(&t, "t,x,y,z\n");
  for (int row = 0; row < LONGEST; row++) add(&t, "%d,%d,1.5,true\n", row * 10, row == LONGEST - 2 ? 7777 : row % 100);
  cr_expect_eq(run_both(spec, CSV, &t, (const char *const[]){"--time-column", "t", NULL}, "labels", 0), 4);
}

/* ---- Faults -------------------------------------------------------------------------------------------------------- */

Test(cli_columns, every_request_for_memory_may_fail) {
  text t = make(CSV, ROWS + 1, -1, NULL);
  ran_how how = {.spec = spec, .trace = t.at, .n_trace = t.n, .is_standard = true, .more = {"--input-format=csv"}};
  ran good = ran_weir(&how);
  cr_expect_eq(good.status, 0, "%s", good.err);
  for (uint64_t at = 1; at <= good.memory_calls; at++) {
    how.fail_memory = at;
    ran r = ran_weir(&how);
    cr_expect(r.status == 1 || r.status == 0, "request %zu: %d %s", (size_t)at, r.status, r.err);
    cr_expect(strncmp(r.out, good.out, strlen(r.out)) == 0, "request %zu", (size_t)at);
    cr_expect(r.status == 0 || strstr(r.err, "out of memory") != NULL, "request %zu: %s", (size_t)at, r.err);
    ran_free(&r);
  }
  ran_free(&good);
  free(t.at);
}

Test(cli_columns, what_cannot_be_written_ends_the_run_in_whole_lines) {
  text t = make(CSV, LONGEST, -1, NULL);
  ran_how how = {.spec = spec, .trace = t.at, .n_trace = t.n, .is_standard = true,
                 .more = {"--input-format=csv", "-o", "out.trace"}};
  ran good = ran_weir(&how);
  for (uint64_t at = 1; at <= good.io_calls; at++) {
    how.fail_io = at;
    how.fail_errno = 28; /* ENOSPC */
    ran r = ran_weir(&how);
    size_t n = r.file ? strlen(r.file) : 0;
    cr_expect(n == 0 || (strncmp(r.file, good.file, n) == 0 && r.file[n - 1] == '\n'), "call %zu", (size_t)at);
    ran_free(&r);
  }
  ran_free(&good);
  free(t.at);
}

Test(cli_columns, a_signal_ends_the_run_in_whole_lines) {
  static const volatile int stop = 2;
  text t = make(CSV, LONGEST, -1, NULL);
  ran r = ran_weir(&(ran_how){.spec = spec, .trace = t.at, .n_trace = t.n, .is_standard = true, .stop = &stop,
                              .more = {"--input-format=csv"}});
  cr_expect_neq(r.status, 0);
  cr_expect(r.n_out == 0 || r.out[r.n_out - 1] == '\n');
  ran_free(&r);
  free(t.at);
}
