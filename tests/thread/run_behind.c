/* tests/thread/run_behind.c -- long runs of the command, whose outputs a thread of its own writes (cli/behind.h).
**
** A plain program for ThreadSanitizer, as monitors.c. */
#include "tests/support/long_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "run_behind: %s\n", what);
  exit(1);
}

static void run_both(int special, const char *cell, int status) {
  char *rows = long_rows(special, cell);
  ran one = long_run(rows, "1", 0), two = long_run(rows, "2", 0);
  must(one.status == status && two.status == status, "the status");
  must(one.n_out == two.n_out && memcmp(one.out, two.out, one.n_out) == 0, "the output");
  must(strcmp(one.err, two.err) == 0, "the messages");
  ran_free(&one);
  ran_free(&two);
  free(rows);
}

int main(void) {
  run_both(-1, "", 0);
  run_both(LONG_ROWS - 5000, "77", 4);
  run_both(LONG_ROWS - 9000, "deferred", 0);
  puts("run_behind: the same");
  return 0;
}
