/* tests/unit/cli_caret.c -- how an error looks. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "cli/caret.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/test.h"

static char drawn[8192];

/* What is written for the bytes [begin, end) of a text. */
static const char *draw(const char *text, uint32_t begin, uint32_t end) {
  wb_io io = {0};
  wb_file f;
  wb_file_borrow(&f, &io, memfd_create("drawn", MFD_CLOEXEC));
  cli_say say;
  cli_say_open(&say, &f);
  cli_mark at = cli_mark_span("f", (wb_str){text, strlen(text)}, (weir_span){begin, end});
  cli_message m = {.level = "error", .phase = "tick", .number = 3, .text = "no", .hint = "try"};
  cli_complain(&say, &at, &m);
  ssize_t n = pread(f.fd, drawn, sizeof drawn - 1, 0);
  cr_assert(n >= 0);
  drawn[n] = '\0';
  close(f.fd);
  return drawn;
}

Test(cli_caret, underlines_the_span) {
  cr_assert_str_eq(draw("in x\ny = x + \"one\"\n", 9, 18), "f:2:5: error: tick 3: no\n  y = x + \"one\"\n      ^~~~~~~~~\nhint: try\n");
}

Test(cli_caret, stands_behind_the_text_where_the_span_is_its_end) {
  cr_assert_str_eq(draw("y =", 3, 3), "f:1:4: error: tick 3: no\n  y =\n     ^\nhint: try\n");
}

Test(cli_caret, keeps_tabs_and_counts_them_as_one_column) {
  cr_assert_str_eq(draw("\ty\t= @", 5, 6), "f:1:6: error: tick 3: no\n  \ty\t= @\n  \t \t  ^\nhint: try\n");
}

Test(cli_caret, counts_characters_and_draws_by_their_width) {
  cr_assert_str_eq(draw("é日本 @", 9, 10), "f:1:5: error: tick 3: no\n  é日本 @\n        ^\nhint: try\n");
  cr_assert_str_eq(draw("日本", 3, 6), "f:1:2: error: tick 3: no\n  日本\n    ^~\nhint: try\n");
  cr_assert_str_eq(draw("e\xCC\x81 @", 4, 5), "f:1:4: error: tick 3: no\n  e\xCC\x81 @\n    ^\nhint: try\n", "an accent has no width");
}

Test(cli_caret, shows_characters_that_a_terminal_would_obey) {
  cr_assert_str_eq(draw("a\033[2J\b @", 7, 8), "f:1:8: error: tick 3: no\n  a␛[2J␈ @\n         ^\nhint: try\n");
  cr_assert_str_eq(draw("a\xE2\x80\xAE\xFF\xC2\x9B @", 8, 9), "f:1:6: error: tick 3: no\n  a��� @\n       ^\nhint: try\n");
}

/* Each is one column, and what stands behind it is drawn where the caret says. */
Test(cli_caret, shows_characters_that_a_reader_would_miss) {
  static const char *const hidden[] = {"\xC2\x85", "\xC2\xAD", "\xD8\x9C", "\xE2\x80\x8B", "\xE2\x80\x8C", "\xE2\x80\x8D", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xA8",
                                       "\xE2\x80\xA9", "\xE2\x80\xAA", "\xE2\x80\xAE", "\xE2\x81\xA0", "\xE2\x81\xA6", "\xE2\x81\xA9", "\xEF\xBB\xBF", "\xF3\xA0\x81\x81"};
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
    char text[32];
    uint32_t n = (uint32_t)snprintf(text, sizeof text, "a%sb @", hidden[i]);
    cr_expect_str_eq(draw(text, n - 1, n), "f:1:5: error: tick 3: no\n  a�b @\n      ^\nhint: try\n", "%zu: %s", i, drawn);
  }
}

Test(cli_caret, cuts_a_long_line_around_the_place) {
  char text[1001];
  memset(text, 'a', 1000);
  text[1000] = '\0';
  memcpy(text + 500, "@@", 2);
  const char *got = draw(text, 500, 502);
  char want[400] = "f:1:501: error: tick 3: no\n  …";
  char *to = want + strlen(want);
  memset(to, 'a', 48);
  memcpy(to + 48, "@@", 2);
  memset(to + 50, 'a', 50);
  strcpy(to + 100, "…\n   ");
  to += strlen(to);
  memset(to, ' ', 48);
  strcpy(to + 48, "^~\nhint: try\n");
  cr_assert_str_eq(got, want);
}

Test(cli_caret, shows_the_begin_and_the_end_of_a_long_line_without_a_needless_cut) {
  char text[1001];
  memset(text, 'a', 1000);
  text[1000] = '\0';
  cr_assert(strstr(draw(text, 3, 4), "\n  aaa") != NULL);
  cr_assert(strstr(draw(text, 3, 4), "a…\n     ^\n") != NULL);
  cr_assert(strstr(draw(text, 999, 1000), "\n  …aaa") != NULL);
  cr_assert(strstr(draw(text, 999, 1000), "a…") == NULL);
  text[100] = '\0';
  cr_assert(strstr(draw(text, 50, 51), "…") == NULL, "a hundred columns fit");
}

Test(cli_caret, an_underline_ends_with_its_line) {
  cr_assert_str_eq(draw("y = (x\n+ 1)\n", 4, 12), "f:1:5: error: tick 3: no\n  y = (x\n      ^~\nhint: try\n");
}

Test(cli_caret, names_only_the_file_for_a_place_outside) {
  cr_assert_str_eq(draw("y", 7, 9), "f: error: tick 3: no\nhint: try\n");
}
