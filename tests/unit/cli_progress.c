/* tests/unit/cli_progress.c -- the bar, on a terminal of the test's own and by a clock of the test's own. */
#define _GNU_SOURCE 1 /* posix_openpt, ptsname */
#include "cli/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"

enum { SECOND = 1000000000 };

typedef struct bar {
  int screen, terminal; /* what is written to `terminal` can be read from `screen` */
  wb_io io;
  wb_file file;
  cli_say say;
  cli_progress p;
} bar;

static void open_bar(bar *b, uint64_t size, bool is_quiet) {
  b->screen = posix_openpt(O_RDWR | O_NOCTTY);
  cr_assert(b->screen >= 0 && grantpt(b->screen) == 0 && unlockpt(b->screen) == 0);
  b->terminal = open(ptsname(b->screen), O_RDWR | O_NOCTTY);
  cr_assert_geq(b->terminal, 0);
  b->io = (wb_io){0};
  wb_file_borrow(&b->file, &b->io, b->terminal);
  cli_say_open(&b->say, &b->file);
  cli_progress_begin(&b->p, &b->say, size, is_quiet, SECOND);
}

/* All that stands on the screen since the last call. */
static const char *seen(bar *b, char text[1000]) {
  size_t n = 0;
  cr_assert_eq(fcntl(b->screen, F_SETFL, O_NONBLOCK), 0);
  for (ssize_t got; n < 999 && (got = read(b->screen, text + n, 999 - n)) > 0;) n += (size_t)got;
  text[n] = '\0';
  return text;
}

static void close_bar(bar *b) {
  close(b->terminal);
  close(b->screen);
}

Test(cli_progress, appears_after_two_seconds_and_is_taken_away) {
  bar b;
  char text[1000];
  open_bar(&b, 1000, false);
  cli_progress_tick(&b.p, 400, 1000, 7, UINT64_C(3) * SECOND - 1);
  cr_expect_str_eq(seen(&b, text), "");
  cli_progress_tick(&b.p, 500, 1000, 8, UINT64_C(3) * SECOND);
  cr_expect_str_eq(seen(&b, text), "\r[===============               ] 50 %, 8 ticks");
  cli_progress_clear(&b.p);
  cr_expect_str_eq(seen(&b, text), "\r\033[K");
  cli_progress_clear(&b.p);
  cr_expect_str_eq(seen(&b, text), "", "once");
  close_bar(&b);
}

Test(cli_progress, is_drawn_ten_times_a_second_at_most_and_ends_at_the_end) {
  bar b;
  char text[1000];
  open_bar(&b, 1000, false);
  cli_progress_tick(&b.p, 500, 1000, 1, UINT64_C(3) * SECOND);
  (void)seen(&b, text);
  cli_progress_tick(&b.p, 600, 1000, 2, UINT64_C(3) * SECOND + SECOND / 10 - 1);
  cr_expect_str_eq(seen(&b, text), "");
  cli_progress_tick(&b.p, 5000, 1000, 3, UINT64_C(3) * SECOND + SECOND / 10); /* the file has grown */
  cr_expect_str_eq(seen(&b, text), "\r[==============================] 100 %, 3 ticks");
  close_bar(&b);
}

Test(cli_progress, is_only_for_files_and_for_those_who_want_it) {
  static const struct { uint64_t size; bool is_quiet; } none[] = {{UINT64_MAX, false}, {0, false}, {1000, true}};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    bar b;
    char text[1000];
    open_bar(&b, none[i].size, none[i].is_quiet);
    cli_progress_tick(&b.p, 500, 1000, 1, UINT64_C(9) * SECOND);
    cr_expect_str_eq(seen(&b, text), "");
    close_bar(&b);
  }
}

Test(cli_progress, is_only_for_terminals) {
  wb_io io = {0};
  wb_file file;
  cli_say say;
  cli_progress p;
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  wb_file_borrow(&file, &io, ends[1]);
  cli_say_open(&say, &file);
  cli_progress_begin(&p, &say, 1000, false, 0);
  cr_expect_not(p.is_on);
  close(ends[0]);
  close(ends[1]);
}
