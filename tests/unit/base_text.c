/* tests/unit/base_text.c -- interned names, places, UTF-8, near names. */
#include "ir/base/text.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static wb_str str(const char *text) { return (wb_str){text, strlen(text)}; }

/* ---- Names ------------------------------------------------------------------------------------------------------- */

Test(base_text, equal_texts_have_one_id_dense_in_order_of_appearance) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  wb_names t;
  wb_names_init(&t, &m);
  cr_expect_eq(wb_names_find(&t, WB_STR("a")), WB_NO_NAME);
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 20000; i++) {
      char text[32];
      int n = snprintf(text, sizeof text, "%x%s", i * 2654435761u, i % 3 == 0 ? " longer than eight" : "");
      if (round == 0) cr_assert_eq(wb_names_find(&t, (wb_str){text, (size_t)n}), WB_NO_NAME);
      cr_assert_eq(wb_intern(&t, (wb_str){text, (size_t)n}), i);
      cr_assert_eq(wb_names_find(&t, (wb_str){text, (size_t)n}), i);
      cr_assert_str_eq(wb_name(&t, i).at, text, "a terminated copy");
    }
  wb_mem_drop(&m);
}

Test(base_text, names_differ_in_every_byte_and_in_length) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  wb_names t;
  wb_names_init(&t, &m);
  char text[40] = {0}; /* texts of zeros: only the length tells them apart */
  uint32_t next = 0;
  for (size_t n = 0; n <= sizeof text; n++) cr_assert_eq(wb_intern(&t, (wb_str){text, n}), next++);
  for (size_t i = 0; i < sizeof text; i++) {
    text[i] = 1;
    cr_assert_eq(wb_intern(&t, (wb_str){text, sizeof text}), next++);
    text[i] = 0;
  }
  cr_expect_eq(wb_intern(&t, (wb_str){NULL, 0}), 0);
  wb_mem_drop(&m);
}

Test(base_text, copies_never_move) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  wb_names t;
  wb_names_init(&t, &m);
  const char *first = wb_name(&t, wb_intern(&t, WB_STR("first"))).at;
  for (int i = 0; i < 5000; i++) {
    char text[16];
    int n = snprintf(text, sizeof text, "%d", i);
    cr_assert_neq(wb_intern(&t, (wb_str){text, (size_t)n}), WB_NO_NAME);
  }
  cr_expect_eq(wb_name(&t, 0).at, first);
  cr_expect_str_eq(first, "first");
  wb_mem_drop(&m);
}

/* ---- Places ------------------------------------------------------------------------------------------------------ */

static void check_place(const char *text, size_t offset, uint64_t line, uint64_t column, const char *whole) {
  wb_place p = wb_locate(str(text), offset);
  cr_expect(p.line == line && p.column == column, "%zu in '%s' is %d:%d", offset, text, (int)p.line, (int)p.column);
  cr_expect(p.end - p.begin == strlen(whole) && memcmp(text + p.begin, whole, strlen(whole)) == 0, "line of %zu in '%s'", offset, text);
}

Test(base_text, a_place_has_its_line_and_its_column_in_characters) {
  check_place("", 0, 1, 1, "");
  check_place("abc", 0, 1, 1, "abc");
  check_place("abc", 3, 1, 4, "abc");
  check_place("abc", 99, 1, 4, "abc");
  check_place("ab\ncd\n", 2, 1, 3, "ab");
  check_place("ab\ncd\n", 3, 2, 1, "cd");
  check_place("ab\ncd\n", 6, 3, 1, "");
  check_place("\n\nx", 1, 2, 1, "");
  check_place("a\tb", 2, 1, 3, "a\tb");
  check_place("aé€😀z", 10, 1, 5, "aé€😀z");
  check_place("aé€😀z", 8, 1, 4, "aé€😀z"); /* inside of a character is at it */
}

Test(base_text, cr_lf_ends_a_line_and_cr_alone_does_not) {
  check_place("ab\r\ncd\r\n", 4, 2, 1, "cd");
  check_place("ab\r\ncd\r\n", 2, 1, 3, "ab");
  check_place("ab\r\ncd\r\n", 3, 1, 3, "ab"); /* the end of line is one place */
  check_place("ab\r\ncd\r\n", 8, 3, 1, "");
  check_place("a\rb\nc", 2, 1, 3, "a\rb");
  check_place("a\r", 2, 1, 3, "a\r");
}

Test(base_text, a_byte_order_mark_is_no_column) {
  check_place("\xef\xbb\xbfin x\nb", 3, 1, 1, "in x");
  check_place("\xef\xbb\xbfin x\nb", 0, 1, 1, "in x");
  check_place("\xef\xbb\xbfin x\nb", 6, 1, 4, "in x");
  check_place("\xef\xbb\xbfin x\nb", 8, 2, 1, "b");
  check_place("\xef\xbb\xbf", 3, 1, 1, "");
}

/* ---- UTF-8 ------------------------------------------------------------------------------------------------------- */

Test(base_text, every_code_point_is_written_validly_and_only_those) {
  uint32_t good = 0;
  for (uint32_t c = 0; c < 0x120000; c++) {
    char text[4];
    size_t n = wb_utf8_write(c, text);
    bool is_right = c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
    cr_assert_eq(n != 0, is_right, "U+%x", c);
    if (n == 0) continue;
    good++;
    cr_assert_eq(wb_utf8_valid((wb_str){text, n}), n, "U+%x", c);
    for (size_t cut = 1; cut < n; cut++) cr_assert_eq(wb_utf8_valid((wb_str){text, cut}), 0, "U+%x cut", c);
    cr_assert_eq(n, c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);
  }
  cr_expect_eq(good, 0x110000 - 0x800);
  char text[4];
  cr_expect_eq(wb_utf8_write(UINT32_MAX, text), 0);
}

/* Decodes by the definition: bits first, then what they may not be. */
static bool is_character(const unsigned char *s, size_t n) {
  uint32_t c = 0;
  size_t len = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
  if (len != n) return false;
  c = len == 1 ? s[0] : s[0] & (0xffu >> (len + 1));
  for (size_t i = 1; i < n; i++) {
    if (s[i] >> 6 != 2) return false;
    c = c << 6 | (s[i] & 0x3f);
  }
  const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return c >= least[n] && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
}

Test(base_text, hidden_characters_are_those_that_show_nothing) {
  static const uint32_t seen[] = {' ', '~', 0xA0, 0xAC, 0xAE, 0x200A, 0x2010, 0x2027, 0x202F, 0x205F, 0x2070, 0xFEFE, 0xFF00, 0xFFFC, 0xFFFD, 0x1F30A, 0xE0100};
  static const uint32_t hidden[] = {0, '\t', '\n', 0x1B, 0x7F, 0x80, 0x85, 0x9F, 0xAD, 0x61C, 0x200B, 0x200F, 0x2028, 0x202E, 0x2060, 0x2069, 0xFEFF, 0xFFFB, 0xE0041};
  for (size_t i = 0; i < WB_LEN(seen); i++) cr_expect_not(wb_is_hidden(seen[i]), "U+%04X", seen[i]);
  for (size_t i = 0; i < WB_LEN(hidden); i++) cr_expect(wb_is_hidden(hidden[i]), "U+%04X", hidden[i]);
}

Test(base_text, sequences_of_bytes_are_characters_by_the_definition) {
  static const unsigned char edges[] = {0, 0x28, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xe0, 0xff};
  for (unsigned a = 0x80; a < 256; a++)
    for (unsigned b = 0; b < 256; b++) {
      unsigned char s[4] = {(unsigned char)a, (unsigned char)b, 0, 0};
      cr_assert_eq(wb_utf8_valid((wb_str){(const char *)s, 2}) == 2, is_character(s, 2), "%x %x", a, b);
      for (size_t i = 0; i < WB_LEN(edges); i++) {
        s[2] = edges[i];
        bool is_right = is_character(s, 3) || (is_character(s, 2) && s[2] < 0x80);
        cr_assert_eq(wb_utf8_valid((wb_str){(const char *)s, 3}) == 3, is_right, "%x %x %x", a, b, s[2]);
        for (size_t k = 0; k < WB_LEN(edges); k++) {
          s[3] = edges[k];
          size_t right = is_character(s, 4) ? 4 : 0;
          if (a >> 3 == 30) cr_assert_eq(wb_utf8_valid((wb_str){(const char *)s, 4}), right, "%x %x %x %x", a, b, s[2], s[3]);
        }
      }
    }
}

Test(base_text, the_first_wrong_byte_is_found_wherever_it_stands) {
  char text[64];
  for (size_t n = 1; n < sizeof text; n++)
    for (size_t at = 0; at < n; at++) {
      memset(text, 'a', n);
      text[at] = (char)0xff;
      cr_assert_eq(wb_utf8_valid((wb_str){text, n}), at);
      if (at + 1 < n) {
        memcpy(text + at, "é", 2);
        cr_assert_eq(wb_utf8_valid((wb_str){text, n}), n);
        cr_assert_eq(wb_utf8_valid((wb_str){text, at + 1}), at, "cut");
      }
    }
}

Test(base_text, a_cut_leaves_characters_whole) {
  wb_str text = WB_STR("aé€😀z");
  static const size_t right[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (size_t n = 0; n < WB_LEN(right); n++) cr_expect_eq(wb_utf8_cut(text, n), right[n], "%zu", n);
  wb_str none = WB_STR("\x80\x80\x80\x80\x80\x80\x80\x80");
  cr_expect_eq(wb_utf8_cut(none, 6), 6);
  cr_expect_eq(wb_utf8_cut(none, 2), 2);
  cr_expect_eq(wb_utf8_cut((wb_str){NULL, 0}, 5), 0);
}

/* ---- Near names -------------------------------------------------------------------------------------------------- */

/* The nearest of a NULL-terminated list, or "". */
static const char *nearest(const char *name, const char *const *candidates) {
  wb_near s;
  wb_near_init(&s, str(name));
  for (; *candidates != NULL; candidates++) wb_near_offer(&s, str(*candidates));
  return wb_near_found(&s) ? s.best.at : "";
}
#define NEAREST(name, ...) nearest((name), (const char *const[]){__VA_ARGS__, NULL})

Test(base_text, a_misspelt_name_finds_its_neighbour) {
  cr_expect_str_eq(NEAREST("temprature", "pressure", "temperature", "temp"), "temperature");
  cr_expect_str_eq(NEAREST("Speed", "spend", "speed"), "speed", "letter case counts half");
  cr_expect_str_eq(NEAREST("defualt", "default", "defer"), "default", "a swap is one edit");
  cr_expect_str_eq(NEAREST("lenght", "length"), "length");
  cr_expect_str_eq(NEAREST("x", "X"), "X");
  cr_expect_str_eq(NEAREST("ab", "abc", "abd"), "abc", "the first of equals");
  cr_expect_str_eq(NEAREST("dynamci", "dynamic"), "dynamic");
}

Test(base_text, what_is_far_is_not_offered) {
  cr_expect_str_eq(NEAREST("x", "y", "xy"), "");
  cr_expect_str_eq(NEAREST("abc", "xyz", "a", ""), "");
  cr_expect_str_eq(NEAREST("pressure", "temperature"), "");
  cr_expect_str_eq(NEAREST("", "a", "ab"), "");
  wb_near s;
  wb_near_init(&s, WB_STR("alone"));
  cr_expect_not(wb_near_found(&s));
}

/* The whole matrix, in halves as the original counts. */
static unsigned plain_distance(const char *a, size_t n, const char *b, size_t m) {
  unsigned d[12][12];
  for (size_t i = 0; i <= n; i++)
    for (size_t j = 0; j <= m; j++) {
      unsigned best = i == 0 && j == 0 ? 0 : 1000;
      if (i > 0) best = WB_MIN(best, d[i - 1][j] + 2);
      if (j > 0) best = WB_MIN(best, d[i][j - 1] + 2);
      if (i > 0 && j > 0) best = WB_MIN(best, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : (a[i - 1] | 32) == (b[j - 1] | 32) ? 1 : 2));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = WB_MIN(best, d[i - 2][j - 2] + 2);
      d[i][j] = best;
    }
  return d[n][m];
}

Test(base_text, the_narrow_band_finds_the_distance_of_the_whole_matrix) {
  uint32_t state = 1;
  for (int i = 0; i < 50000; i++) {
    char a[11], b[11];
    size_t n = (state >> 8) % 11, m = (state >> 16) % 11;
    for (size_t k = 0; k < 10; k++) {
      state = state * 1664525 + 1013904223;
      a[k] = "abcABC"[(state >> 10) % 6];
      b[k] = (state >> 20) % 4 != 0 ? a[k] : "abcABC"[(state >> 24) % 6];
    }
    state = state * 1664525 + 1013904223;
    wb_near s;
    wb_near_init(&s, (wb_str){a, n});
    wb_near_offer(&s, (wb_str){b, m});
    unsigned right = plain_distance(a, n, b, m);
    if (right <= 6) cr_assert_eq(s.distance, right, "%.*s %.*s", (int)n, a, (int)m, b);
    else cr_assert_gt(s.distance, 6);
  }
}

Test(base_text, long_names_are_compared_as_well) {
  enum { N = 100000 };
  char *a = malloc(N), *b = malloc(N);
  cr_assert(a != NULL && b != NULL);
  memset(a, 'a', N);
  memset(b, 'a', N);
  b[N / 2] = 'b';
  wb_near s;
  wb_near_init(&s, (wb_str){a, N});
  wb_near_offer(&s, (wb_str){b, N - 1});
  cr_expect_eq(s.distance, 4);
  cr_expect(wb_near_found(&s));
  free(a);
  free(b);
}
