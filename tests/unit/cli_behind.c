/* tests/unit/cli_behind.c -- outputs that are written on a thread of their own: what is written, and what is said, is the same. */
#include "cli/behind.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/column_stage.h"
#include "tests/support/long_run.h"
#include "tests/test.h"

/* ---- The thread ---------------------------------------------------------------------------------------------------- */

enum { BLOCKS = 500 };

typedef struct stage {
  column_stage on;
  cli_output out;
  pthread_t ours;
  size_t written, rows; /* blocks */
  size_t fails_at;      /* this block does */
  bool is_in_order, is_elsewhere;
} stage;

/* A block's first cell is its number. */
static bool write_block(void *self, const cli_column *outs, size_t n) {
  stage *s = self;
  s->is_in_order &= ((const int64_t *)outs[0].cells)[0] == (int64_t)s->written;
  s->is_elsewhere &= !pthread_equal(pthread_self(), s->ours);
  s->rows += n;
  if (++s->written == s->fails_at) s->out.status = CLI_PIPE_FAILED;
  return true;
}

static void begin(stage *s, cli_behind *b) {
  *s = (stage){.ours = pthread_self(), .is_in_order = true, .is_elsewhere = true};
  column_stage_open(&s->on, "in x: Int\nout y: Int\ny = x\n");
  s->out = (cli_output){.file = WB_FILE_NONE, .mem = &s->on.mem};
  const cli_sink sink = {.self = s, .rows = write_block, .room = 100};
  cr_assert(cli_behind_start(b, &s->on.mem, &s->on.columns, &sink, &s->out));
}

static void end(stage *s, cli_behind *b) {
  cli_behind_stop(b);
  WB_VEC_FREE(&s->on.mem, &s->out.text);
  column_stage_close(&s->on);
}

static void give(stage *s, cli_behind *b, int64_t number) {
  *(int64_t *)s->on.columns.outs.columns[0].cells = number;
  cli_behind_give(b, &s->on.columns, 3);
}

Test(cli_behind, blocks_are_written_in_order_by_another_thread) {
  stage s;
  cli_behind b;
  begin(&s, &b);
  for (int64_t i = 0; i < BLOCKS; i++) give(&s, &b, i);
  end(&s, &b);
  cr_expect(s.written == BLOCKS && s.rows == 3 * BLOCKS && s.is_in_order && s.is_elsewhere);
}

Test(cli_behind, after_a_wait_everything_has_been_written) {
  stage s;
  cli_behind b;
  begin(&s, &b);
  cli_behind_wait(&b);
  for (int64_t i = 0; i < BLOCKS; i++) {
    give(&s, &b, i);
    if (i % 7 != 0 && i % 40 != 0) continue;
    cli_behind_wait(&b);
    cr_assert_eq(s.written, (size_t)i + 1);
  }
  end(&s, &b);
  cr_expect(s.written == BLOCKS && s.is_in_order);
}

Test(cli_behind, an_output_that_fails_is_told) {
  stage s;
  cli_behind b;
  begin(&s, &b);
  s.fails_at = 20;
  for (int64_t i = 0; i < 19; i++) give(&s, &b, i);
  cli_behind_wait(&b);
  cr_expect_not(cli_behind_has_failed(&b));
  give(&s, &b, 19);
  cli_behind_wait(&b);
  cr_expect(cli_behind_has_failed(&b));
  end(&s, &b);
}

/* ---- Runs ---------------------------------------------------------------------------------------------------------- */

/* By one thread and by two: the same, and that status. */
static void expect_same(int special, const char *cell, int status) {
  char *rows = long_rows(special, cell);
  ran one = long_run(rows, "1", 0), two = long_run(rows, "2", 0);
  cr_expect_eq(one.status, status, "%s", one.err);
  cr_expect_eq(two.status, status, "%s", two.err);
  cr_expect(one.n_out == two.n_out && memcmp(one.out, two.out, one.n_out) == 0, "%s: another output", cell);
  cr_expect_str_eq(one.err, two.err);
  cr_expect_gt(one.n_out, 6 * (size_t)(special < 0 ? LONG_ROWS : special));
  ran_free(&one);
  ran_free(&two);
  free(rows);
}

Test(cli_behind, a_long_run_writes_the_same) { expect_same(-1, "", 0); }
Test(cli_behind, all_rows_before_a_tick_that_fails_are_written) { expect_same(LONG_ROWS - 5000, "77", 4); }
Test(cli_behind, all_rows_before_one_that_is_wrong_are_written) { expect_same(LONG_ROWS - 5001, "one", 4); }
Test(cli_behind, rows_that_are_told_of_and_rows_one_by_one_go_between) { expect_same(LONG_ROWS - 9000, "deferred", 0); }

/* Whatever thread notices: quiet where a reader is gone, and else the reason. */
static void expect_same_end(int out, int status, const char *said) {
  char *rows = long_rows(-1, "");
  for (int threads = 1; threads <= 2; threads++) {
    ran r = long_run(rows, threads == 1 ? "1" : "2", out);
    cr_expect_eq(r.status, status, "%d threads: %s", threads, r.err);
    cr_expect_str_eq(r.err, said);
    ran_free(&r);
  }
  free(rows);
}

Test(cli_behind, a_full_disk_is_told) {
  int out = open("/dev/full", O_WRONLY | O_CLOEXEC);
  cr_assert(out >= 0);
  expect_same_end(out, 1, "weir: error: cannot write: no space left on the device\n");
  close(out);
}

Test(cli_behind, a_reader_that_is_gone_ends_the_run_quietly) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  close(ends[0]);
  (void)signal(SIGPIPE, SIG_IGN); /* as main does */
  expect_same_end(ends[1], 1, "");
  close(ends[1]);
}
