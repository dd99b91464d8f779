/* tests/unit/base_num.c -- number text: against the C library where that is exact, against whole numbers where it is not.
**
** The oracle for reading is strtod, for writing "%.*e" tried with 1 to 17 digits, both in the C locale.  The table of powers
** and the claim that its 128 bits are enough stand on their own arithmetic (big, wide), written to be believed, not fast. */
#include "ir/base/num.h"
#include "ir/base/num_tables.h"
#include "tests/test.h"

#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 u128;

enum { RANDOM_CASES = 100000 };

static uint64_t next_random(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = *state;
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static double from_bits(uint64_t bits) {
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

static uint64_t to_bits(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static wb_str str(const char *text) { return (wb_str){text, strlen(text)}; }

static void use_c_locale(void) { setlocale(LC_ALL, "C"); }
TestSuite(base_num, .init = use_c_locale);

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static void check_reads_as(const char *text, double right) {
  double v = 0.5;
  cr_assert(wb_read_decimal(str(text), &v), "refused: %.100s", text);
  cr_assert(to_bits(v) == to_bits(right), "%.100s… of %zu bytes read as %a instead of %a", text, strlen(text), v, right);
}

static void check_reads_like_strtod(const char *text) { check_reads_as(text, strtod(text, NULL)); }

Test(base_num, reads_17_digits_of_any_double_like_strtod) {
  uint64_t state = 1;
  for (int i = 0; i < RANDOM_CASES; i++) {
    double v = from_bits(next_random(&state));
    if (!isfinite(v)) continue;
    char text[64];
    snprintf(text, sizeof text, "%.17g", v);
    check_reads_as(text, v);
  }
}

Test(base_num, reads_random_digits_and_exponents_like_strtod) {
  uint64_t state = 2;
  for (int i = 0; i < RANDOM_CASES; i++) {
    char text[128];
    size_t n = 0, digits = 1 + next_random(&state) % 45, dot = next_random(&state) % (digits * 2);
    if (next_random(&state) % 4 == 0) text[n++] = '-';
    for (size_t d = 0; d < digits; d++) {
      if (d == dot) text[n++] = '.';
      text[n++] = (char)('0' + next_random(&state) % 10);
    }
    snprintf(text + n, sizeof text - n, "e%d", (int)(next_random(&state) % 720) - 360 - (int)digits / 2);
    check_reads_like_strtod(text);
  }
}

Test(base_num, reads_every_power_of_ten_and_its_neighbours_like_strtod) {
  for (int q = -345; q <= 310; q++) {
    static const char *const forms[] = {"1e%d", "9.999999999999999e%d", "1.0000000000000002e%d", "99999999999999999999e%d",
                                        "0.0000000000000000000000001e%d", "18446744073709551615e%d", "9007199254740993e%d"};
    for (size_t i = 0; i < WB_LEN(forms); i++) {
      char text[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      snprintf(text, sizeof text, forms[i], q);
#pragma GCC diagnostic pop
      check_reads_like_strtod(text);
    }
  }
}

Test(base_num, reads_known_hard_numbers) {
  static const struct { const char *text; double right; } cases[] = {
    {"9007199254740993", 0x1p53},                                 /* 2^53 + 1, a tie: to even */
    {"9007199254740993.0000000000000000000000000000001", 0x1.0000000000001p53},
    {"9007199254740995", 0x1.0000000000002p53},                   /* a tie that goes up */
    {"9007199254740992.9999999999999999999999999999999", 0x1p53},
    {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
    {"1.7976931348623158e308", 0x1.fffffffffffffp1023},
    {"1.7976931348623159e308", INFINITY},
    {"179769313486231580793e288", 0x1.fffffffffffffp1023},        /* just below the tie with what would be 2^1024 */
    {"1e309", INFINITY},
    {"1e999999999999999999999999999", INFINITY},
    {"-1e999999999999999999999999999", -INFINITY},
    {"1e-999999999999999999999999999", 0},
    {"-1e-999999999999999999999999999", -0.0},
    {"0e999999999999999999999999999", 0},
    {"1e18446744073709551616", INFINITY},                         /* 2^64: an exponent that wraps would be 0 */
    {"1e-18446744073709551616", 0},
    {"1e4294967296", INFINITY},
    {"5e-324", 0x1p-1074},
    {"4.9406564584124654e-324", 0x1p-1074},
    {"2.4703282292062327e-324", 0},                               /* just below half the smallest double */
    {"2.4703282292062328e-324", 0x1p-1074},
    {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},         /* the largest subnormal: a famous endless loop */
    {"2.2250738585072014e-308", 0x1p-1022},
    {"2.2250738585072012e-308", 0x1p-1022},
    {"0.000000000000000000000000000000000000000000000000000000", 0},
    {"-0", -0.0}, {"-0.0", -0.0}, {"+1.5", 1.5}, {".5", 0.5}, {"5.", 5}, {"00.5", 0.5}, {"1.e2", 100}, {"1E+3", 1000},
    {"0.1", 0x1.999999999999ap-4}, {"1e23", 0x1.52d02c7e14af6p+76}, {"8.5e22", 8.5e22}, {"123456789012345678", 123456789012345678.},
  };
  for (size_t i = 0; i < WB_LEN(cases); i++) check_reads_as(cases[i].text, cases[i].right);
}

/* The long double in the middle of two doubles is exact on x86, and printf prints all its digits. */
#if LDBL_MANT_DIG >= 64
Test(base_num, decides_ties_of_hundreds_of_digits) {
  uint64_t state = 3;
  static char text[4096];
  for (int i = 0; i < 6000; i++) {
    uint64_t bits = next_random(&state) >> 1;
    if (i % 3 == 0) bits &= (UINT64_C(1) << (1 + i / 3 % 52)) - 1; /* subnormal */
    if (i % 5 == 0) bits |= (UINT64_C(1) << 52) - 1;               /* the next one is a power of two */
    double below = from_bits(bits), above = from_bits(bits + 1);
    if (!isfinite(above)) continue;
    long double mid = ((long double)below + (long double)above) / 2;
    int n = snprintf(text, sizeof text, "%.1099Le", mid);
    char *e = strchr(text, 'e');
    cr_assert(n > 1100 && e != NULL);
    check_reads_as(text, bits & 1 ? above : below);
    e[-1] = '1'; /* one in the 1100th digit is more than a tie */
    check_reads_as(text, above);
    e[-1] = '0';
    char *last = e - 1; /* …8000 becomes …7999: less than a tie */
    for (; *last == '0'; last--) *last = '9';
    --*last;
    check_reads_as(text, below);
  }
}
#endif

Test(base_num, reads_texts_of_any_length) {
  enum { N = 100000 };
  char *text = malloc(N + 32);
  cr_assert_not_null(text);
  memset(text, '0', N);
  strcpy(text + N, "1.5"); /* leading zeros */
  check_reads_as(text, 1.5);
  memset(text, '0', N);
  memcpy(text, "0.", 2);
  strcpy(text + N, "15e100000"); /* 0.000…15 with N - 2 zeros after the dot */
  check_reads_as(text, 15);
  memset(text, '0', N);
  text[0] = '1';
  strcpy(text + N, "e-99999");
  check_reads_as(text, 1);
  memset(text, '9', N);
  strcpy(text + N, "e-100000");
  check_reads_as(text, 1);
  memset(text, '3', N);
  text[1] = '.';
  text[N] = '\0';
  check_reads_like_strtod(text);
  free(text);
}

Test(base_num, refuses_what_is_no_decimal) {
  static const char *const bad[] = {
    "", "+", "-", ".", "-.", "e5", ".e5", "1e", "1e+", "1e-", "1.5.5", "1_000", "0x10", "- 7", " 7", "7 ", "7,5", "1e5.5", "1ee5",
    "--5", "+-5", "5-", "inf", "nan", "1f", "12345678a", "a12345678", "1234567:", "1234567/", "1.12345678e", "\xb2\xb3",
  };
  double v;
  int64_t i;
  for (size_t k = 0; k < WB_LEN(bad); k++) {
    cr_expect_not(wb_read_decimal(str(bad[k]), &v), "'%s' was read", bad[k]);
    cr_expect_not(wb_read_int(str(bad[k]), &i), "'%s' was read as an integer", bad[k]);
  }
  cr_expect_not(wb_read_decimal((wb_str){NULL, 0}, &v));
  cr_expect_not(wb_read_decimal((wb_str){"1\0002", 3}, &v));
}

Test(base_num, any_byte_but_a_digit_ends_a_run_of_digits) {
  for (size_t at = 0; at < 9; at++)
    for (int byte = 0; byte < 256; byte++) {
      char text[10] = "123456789";
      text[at] = (char)byte;
      bool is_right = (byte >= '0' && byte <= '9') || (at == 0 && (byte == '-' || byte == '+'));
      int64_t i;
      cr_expect_eq(wb_read_int((wb_str){text, 9}, &i), is_right, "byte %d at %zu", byte, at);
    }
}

Test(base_num, integers_are_exact_or_refused) {
  static const struct { const char *text; bool fits; int64_t right; } cases[] = {
    {"0", true, 0}, {"-0", true, 0}, {"+5", true, 5}, {"007", true, 7}, {"00000000000000000000000000000012", true, 12},
    {"9007199254740993", true, 9007199254740993}, {"1496756396000000001", true, 1496756396000000001},
    {"9223372036854775807", true, INT64_MAX}, {"9223372036854775808", false, 0},
    {"-9223372036854775808", true, INT64_MIN}, {"-9223372036854775809", false, 0},
    {"18446744073709551616", false, 0}, {"18446744073709551617", false, 0}, {"99999999999999999999", false, 0},
    {"-18446744073709551617", false, 0}, {"00000000009223372036854775807", true, INT64_MAX},
    {"184467440737095516160", false, 0}, {"1.0", false, 0}, {"1e18", false, 0}, {"5.", false, 0},
  };
  for (size_t i = 0; i < WB_LEN(cases); i++) {
    int64_t v = -1;
    cr_expect_eq(wb_read_int(str(cases[i].text), &v), cases[i].fits, "%s", cases[i].text);
    if (cases[i].fits) cr_expect_eq(v, cases[i].right, "%s", cases[i].text);
  }
}

Test(base_num, tells_integers_from_floats_as_a_trace_does) {
  static const struct { const char *text; wb_num kind; int64_t i; double f; } cases[] = {
    {"5", WB_NUM_INT, 5, 0}, {"-5", WB_NUM_INT, -5, 0}, {"007", WB_NUM_INT, 7, 0}, {"-0", WB_NUM_INT, 0, 0},
    {"9223372036854775808", WB_NUM_FLOAT, 0, 9223372036854775808.0}, {"-9223372036854775809", WB_NUM_FLOAT, 0, -9223372036854775808.0},
    {"1e3", WB_NUM_FLOAT, 0, 1000}, {".5", WB_NUM_FLOAT, 0, 0.5}, {"5.", WB_NUM_FLOAT, 0, 5}, {"-2.5E-3", WB_NUM_FLOAT, 0, -0.0025},
    {"1e21", WB_NUM_FLOAT, 0, 1e21}, {"inf", WB_NUM_FLOAT, 0, INFINITY}, {"-INF", WB_NUM_FLOAT, 0, -INFINITY},
    {"+Infinity", WB_NUM_FLOAT, 0, INFINITY},
    {"-infinity", WB_NUM_FLOAT, 0, -INFINITY}, {"-nan", WB_NUM_BAD, 0, 0},
    {"+nan", WB_NUM_BAD, 0, 0}, {"infinit", WB_NUM_BAD, 0, 0}, {"nano", WB_NUM_BAD, 0, 0},
    {"", WB_NUM_BAD, 0, 0}, {"-", WB_NUM_BAD, 0, 0},
    {"1_000", WB_NUM_BAD, 0, 0}, {"0x10", WB_NUM_BAD, 0, 0}, {"1e", WB_NUM_BAD, 0, 0},
    {"\x09nf", WB_NUM_BAD, 0, 0}, {"I\x0e\x06", WB_NUM_BAD, 0, 0},
  };
  for (size_t k = 0; k < WB_LEN(cases); k++) {
    int64_t i = 0;
    double f = 0;
    cr_expect_eq(wb_read_number(str(cases[k].text), &i, &f), cases[k].kind, "%s", cases[k].text);
    cr_expect(i == cases[k].i && f == cases[k].f, "%s", cases[k].text);
  }
  int64_t i;
  double f = 0;
  cr_expect_eq(wb_read_number(WB_STR("NaN"), &i, &f), WB_NUM_FLOAT);
  cr_expect(isnan(f));
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static void write_terminated(double v, char text[WB_NUM_MAX + 1]) {
  char guarded[WB_NUM_MAX + 8];
  memset(guarded, '#', sizeof guarded);
  size_t n = wb_write_double(v, guarded);
  cr_assert(n <= 24, "%a took %zu bytes", v, n);
  cr_assert(memcmp(guarded + WB_NUM_MAX, "########", 8) == 0, "%a was written beyond the end", v);
  memcpy(text, guarded, n);
  text[n] = '\0';
}

/* Digits of a number's text without leading and trailing zeros. */
static size_t digits_of(const char *text, char digits[64]) {
  size_t n = 0;
  for (const char *p = text; *p != '\0' && *p != 'e'; p++)
    if (*p >= '0' && *p <= '9' && (n > 0 || *p != '0')) digits[n++] = *p;
  while (n > 0 && digits[n - 1] == '0') n--;
  digits[n] = '\0';
  return n;
}

static void check_write(double v) {
  char text[WB_NUM_MAX + 1], rounded[64], ours[64], theirs[64];
  write_terminated(v, text);
  cr_assert(to_bits(strtod(text, NULL)) == to_bits(v), "%a was written as %s", v, text);
  check_reads_as(text, v);
  size_t n = digits_of(text, ours), most = 0;
  /* printf rounds to the closest text of so many digits.  Below a power of two the doubles are twice as dense, so the closest
  ** one may be another double where the next one above is not: then ours is shorter or as long. */
  for (int precision = 0; precision < 17 && most == 0; precision++) {
    snprintf(rounded, sizeof rounded, "%.*e", precision, v);
    if (to_bits(strtod(rounded, NULL)) == to_bits(v)) most = digits_of(rounded, theirs);
  }
  if ((to_bits(v) << 12) == 0 && n < most) return;
  cr_assert_str_eq(ours, theirs, "%a: %s is not the shortest closest text, %s is", v, text, rounded);
}

Test(base_num, writes_any_double_shortest_and_closest) {
  uint64_t state = 4;
  for (int i = 0; i < RANDOM_CASES; i++) {
    double v = from_bits(next_random(&state));
    if (isfinite(v)) check_write(v);
  }
}

Test(base_num, writes_short_decimals_as_they_were) {
  uint64_t state = 5;
  for (int i = 0; i < RANDOM_CASES; i++) {
    char text[64];
    uint64_t digits = next_random(&state) % (i % 2 == 0 ? 100000 : 1000000000000000);
    snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, (int)(next_random(&state) % 40) - 25);
    check_write(strtod(text, NULL));
  }
}

/* Also the proof that the three logarithms of num.c are right for each exponent: one that is off picks another power of ten. */
Test(base_num, writes_around_every_power_of_two) {
  uint64_t state = 6;
  for (uint64_t exp = 0; exp < 2047; exp++) {
    uint64_t bits = exp << 52;
    const uint64_t fractions[] = {0, 1, 2, 3, (UINT64_C(1) << 52) - 1, (UINT64_C(1) << 52) - 2, UINT64_C(1) << 51,
                                  next_random(&state) >> 12, next_random(&state) >> 12, next_random(&state) >> 12};
    for (size_t i = 0; i < WB_LEN(fractions); i++) check_write(from_bits(bits | fractions[i]));
  }
  for (uint64_t bit = 0; bit < 50; bit++)
    for (uint64_t near = 0; near < 5; near++) check_write(from_bits((UINT64_C(4) << bit) + near - 2));
}

Test(base_num, writes_around_every_power_of_ten) {
  for (int q = -323; q <= 308; q++)
    for (int near = -3; near <= 3; near++) {
      char text[32];
      snprintf(text, sizeof text, "1e%d", q);
      double v = from_bits(to_bits(strtod(text, NULL)) + (uint64_t)near);
      if (isfinite(v)) check_write(v); /* below 1e-323 there are but two */
    }
}

Test(base_num, writes_the_agreed_forms) {
  static const struct { double v; const char *text; } cases[] = {
    {0.0, "0.0"}, {-0.0, "-0.0"}, {1.0, "1.0"}, {-1.0, "-1.0"}, {0.5, "0.5"}, {1.5e-7, "1.5e-7"}, {1e21, "1e21"}, {0.0001, "0.0001"},
    {0.00001, "0.00001"}, {0.000001, "1e-6"}, {-0.00001234567890123456, "-0.00001234567890123456"}, {9.999e-6, "9.999e-6"},
    {1e15, "1000000000000000.0"}, {1e16, "1e16"}, {1.5e16, "1.5e16"}, {123456789012345.67, "123456789012345.67"},
    {9007199254740991.0, "9007199254740991.0"}, {9007199254740992.0, "9007199254740992.0"}, {9007199254740994.0, "9007199254740994.0"},
    {9999999999999998.0, "9999999999999998.0"}, {5e-324, "5e-324"}, {1.7976931348623157e308, "1.7976931348623157e308"},
    {2.2250738585072014e-308, "2.2250738585072014e-308"}, {-1.7976931348623157e308, "-1.7976931348623157e308"},
    {1e23, "1e23"}, {9.5e-322, "9.5e-322"}, {0.1, "0.1"}, {0.3, "0.3"}, {0.1 + 0.2, "0.30000000000000004"}, {100.25, "100.25"},
    {1234567.0, "1234567.0"}, {5e-300, "5e-300"}, {INFINITY, "inf"}, {-INFINITY, "-inf"}, {NAN, "nan"}, {-NAN, "nan"},
    {9.223372036854776e18, "9.223372036854776e18"}, {2251799813685248.5, "2251799813685248.5"}, {1.5, "1.5"}, {10.0, "10.0"},
  };
  for (size_t i = 0; i < WB_LEN(cases); i++) {
    char text[WB_NUM_MAX + 1];
    write_terminated(cases[i].v, text);
    cr_expect_str_eq(text, cases[i].text);
  }
}

Test(base_num, integers_come_back_as_they_were_written) {
  uint64_t state = 7;
  for (int i = 0; i < RANDOM_CASES; i++) {
    int64_t v = (int64_t)next_random(&state) >> (next_random(&state) % 64), back = ~v;
    if (i < 4) v = (const int64_t[]){INT64_MIN, INT64_MIN + 1, INT64_MAX, 0}[i];
    char text[WB_NUM_MAX], right[WB_NUM_MAX];
    size_t n = wb_write_int(v, text);
    cr_assert_eq((size_t)snprintf(right, sizeof right, "%" PRId64, v), n);
    cr_assert(memcmp(text, right, n) == 0, "%" PRId64 " was written as %.*s", v, (int)n, text);
    cr_assert(wb_read_int((wb_str){text, n}, &back) && back == v);
  }
  for (int64_t ten = 1; ten <= INT64_MAX / 10; ten *= 10)
    for (int64_t v = ten - 1; v <= ten + 1; v++) {
      char text[WB_NUM_MAX], right[WB_NUM_MAX];
      size_t n = wb_write_int(v, text);
      cr_assert_eq((size_t)snprintf(right, sizeof right, "%" PRId64, v), n);
      cr_assert(memcmp(text, right, n) == 0);
    }
}

Test(base_num, the_rounding_mode_of_the_host_changes_nothing) {
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (size_t i = 0; i < WB_LEN(modes); i++) {
    cr_assert_eq(fesetround(modes[i]), 0);
    double v = 0, w = 0;
    char text[WB_NUM_MAX];
    bool ok = wb_read_decimal(WB_STR("0.1"), &v) && wb_read_decimal(WB_STR("9007199254740993"), &w);
    size_t n = wb_write_double(v, text);
    fesetround(FE_TONEAREST);
    cr_expect(ok && to_bits(v) == to_bits(0x1.999999999999ap-4) && w == 0x1p53);
    cr_expect(n == 3 && memcmp(text, "0.1", 3) == 0);
  }
}

Test(base_num, the_locale_of_the_host_changes_nothing) {
  /* Whatever of these is installed; tests/rooms.sh shows that the functions which ask for it are not even imported. */
  static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8", "C.UTF-8"};
  for (size_t i = 0; i < WB_LEN(locales); i++) {
    setlocale(LC_ALL, locales[i]);
    double v = 0;
    char text[WB_NUM_MAX];
    cr_expect(wb_read_decimal(WB_STR("1.5"), &v) && v == 1.5);
    cr_expect_not(wb_read_decimal(WB_STR("1,5"), &v));
    cr_expect(wb_write_double(0.5, text) == 3 && memcmp(text, "0.5", 3) == 0);
  }
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

enum { BIG_WORDS = 40 };
typedef struct big { size_t n; uint32_t word[BIG_WORDS]; } big; /* lowest first; the highest is not 0 */

static void big_ten(big *b, int power) {
  *b = (big){1, {1}};
  for (; power > 0; power--) {
    uint64_t carry = 0;
    for (size_t i = 0; i < b->n; i++) {
      carry += (uint64_t)b->word[i] * 10;
      b->word[i] = (uint32_t)carry;
      carry >>= 32;
    }
    if (carry != 0) b->word[b->n++] = (uint32_t)carry;
  }
}

static int big_bits(const big *b) { return (int)(b->n * 32) - __builtin_clz(b->word[b->n - 1]); }
static bool big_bit(const big *b, int at) { return at >= 0 && (b->word[at / 32] >> (at % 32) & 1) != 0; }

/* r = 2 * r - b if that is not negative (then 1), else 2 * r.  Both have room for b->n + 1 words. */
static bool big_divide_step(big *r, const big *b) {
  uint32_t carry = 0;
  for (size_t i = 0; i <= b->n; i++) {
    uint32_t word = r->word[i];
    r->word[i] = word << 1 | carry;
    carry = word >> 31;
  }
  for (size_t i = b->n + 1; i-- > 0;)
    if (r->word[i] != b->word[i]) {
      if (r->word[i] < b->word[i]) return false;
      break;
    }
  int64_t borrow = 0;
  for (size_t i = 0; i <= b->n; i++) {
    borrow += (int64_t)r->word[i] - b->word[i];
    r->word[i] = (uint32_t)borrow;
    borrow >>= 32;
  }
  return true;
}

/* 10^q as the table has it; *exp is floor(log2(10^q)). */
static u128 power_of_ten(int q, int *exp) {
  big ten;
  big_ten(&ten, q < 0 ? -q : q);
  int bits = big_bits(&ten);
  u128 top = 0;
  bool is_inexact = false;
  if (q >= 0) {
    *exp = bits - 1;
    for (int i = 0; i < 128; i++) top = top << 1 | big_bit(&ten, bits - 1 - i);
    for (int i = bits - 129; i >= 0; i--) is_inexact |= big_bit(&ten, i);
  } else { /* 2^(bits + 127) / 10^-q, from a rest of 2^(bits - 1), which is still smaller than the divisor */
    *exp = -bits;
    big rest = {0};
    rest.word[(bits - 1) / 32] = UINT32_C(1) << ((bits - 1) % 32);
    for (int i = 0; i < 128; i++) top = top << 1 | big_divide_step(&rest, &ten);
    is_inexact = true;
  }
  return top + is_inexact;
}

static u128 table_row(int q) {
  const uint64_t *row = pow10_table[q - POW10_FIRST];
  return (u128)row[0] << 64 | row[1];
}

Test(base_num, the_table_holds_the_powers_of_ten) {
  for (int q = POW10_FIRST; q <= POW10_LAST; q++) {
    int exp;
    cr_expect(power_of_ten(q, &exp) == table_row(q), "the row of 10^%d", q);
  }
}

/* ---- That 128 bits are enough ------------------------------------------------------------------------------------ */

typedef struct wide { uint64_t high; u128 low; } wide;
static wide wide_add(wide a, wide b) { return (wide){a.high + b.high + (a.low + b.low < a.low), a.low + b.low}; }
static wide wide_sub(wide a, wide b) { return (wide){a.high - b.high - (a.low < b.low), a.low - b.low}; }
static bool wide_less(wide a, wide b) { return a.high != b.high ? a.high < b.high : a.low < b.low; }

/* *a -= k * b, *count_a += k * count_b with the largest k that keeps *a positive and *count_a <= most.
** True if a larger count would have allowed a larger k. */
static bool reduce(wide *a, uint64_t *count_a, wide b, uint64_t count_b, uint64_t most) {
  wide steps[140];
  u128 counts[140];
  int n = 0;
  for (wide s = b; n < 140 && wide_less(s, *a); s = wide_add(s, s), n++) {
    steps[n] = s;
    counts[n] = n == 0 ? count_b : counts[n - 1] > most ? counts[n - 1] : counts[n - 1] * 2;
  }
  bool is_short = false;
  while (n-- > 0) {
    if (!wide_less(steps[n], *a)) continue;
    if (counts[n] > most - *count_a) {
      is_short = true;
      continue;
    }
    *a = wide_sub(*a, steps[n]);
    *count_a += (uint64_t)counts[n];
  }
  return is_short;
}

/* The least of a * n mod m over 1 <= n <= most, by Euclid's algorithm: the records from above and from below take turns. */
static wide least_rest(wide a, wide m, uint64_t most) {
  wide above = a, below = wide_sub(m, a); /* a * count_above = above, a * count_below = -below (mod m) */
  uint64_t count_above = 1, count_below = 1;
  for (;;) {
    if (!wide_less(above, below) && !wide_less(below, above))
      return count_above <= most - count_below ? (wide){0, 0} : above;
    bool is_short = wide_less(below, above) ? reduce(&above, &count_above, below, count_below, most)
                                            : reduce(&below, &count_below, above, count_above, most);
    if (is_short || count_above > most - count_below) return above;
  }
}

Test(base_num, least_rest_is_what_trying_all_gives) {
  uint64_t state = 8;
  for (int i = 0; i < 20000; i++) {
    uint64_t m = 2 + next_random(&state) % 500, a = 1 + next_random(&state) % (m - 1), most = 1 + next_random(&state) % 300, least = m;
    for (uint64_t n = 1; n <= most; n++) least = WB_MIN(least, a * n % m);
    cr_assert(least_rest((wide){0, a}, (wide){0, m}, most).low == least, "%d %d %d", (int)a, (int)m, (int)most);
  }
}

/* Reading.  A row is too large by less than 1, a product w * row by less than 2^64.  Its upper bits, from bit 137 on, are those
** of the true product if that is not so close below a multiple of 2^137.  10^-1 to 10^-31 need no search: there the distance to
** a multiple is one itself, or at least 2^137 / 5^31 > 2^64. */
Test(base_num, rows_decide_every_number_of_19_digits) {
  for (int q = POW10_FIRST; q <= 308; q++) {
    if (q >= -31 && q <= 55) continue; /* above: exact rows */
    wide rest = least_rest((wide){0, table_row(q)}, (wide){512, 0}, UINT64_MAX);
    cr_expect(rest.high > 0 || rest.low >= (u128)1 << 64, "10^%d", q);
  }
}

/* Writing.  n * 2^h * row is too large by less than 2^60, so what an exact result leaves of 2^128 is below that.  What an inexact
** one leaves must be at least 2^62, for every even n (the value and the ends of its interval).  10^-1 to 10^-27 need no search:
** there an inexact one is at least 2^128 / 5^27 away. */
static void check_rest(u128 rest, int q, int power) { cr_expect(rest >= (u128)1 << 62, "2^%d with 10^%d", q, power); }

Test(base_num, rows_tell_exact_from_inexact_for_every_double) {
  const uint64_t most = (UINT64_C(1) << 54) + 1; /* of n / 2 */
  int k = -330, exp10[700];
  for (int i = -342; i <= 324; i++) power_of_ten(i, &exp10[i + 342]);
  for (int q = -1074; q <= 971; q++)
    for (int is_uneven = 0; is_uneven <= 1; is_uneven++) {
      /* the largest k with 10^k <= 2^q, or <= 3/4 * 2^q = 1.5 * 2^(q - 1) */
      int exp = q - is_uneven;
      u128 factor = is_uneven ? (u128)3 << 126 : (u128)1 << 127;
      if (k > -330) k--;
      while (exp10[k + 1 + 342] < exp || (exp10[k + 1 + 342] == exp && table_row(k + 1) <= factor)) k++;
      int h = q + exp10[-k + 342] + 1;
      cr_expect(h >= 1 && h <= 4, "2^%d: %d", q, h);
      u128 row = table_row(-k);
      bool is_exact = k <= 0 && k >= -55;
      if (k > 0 && k <= 27) continue;
      if (is_uneven) { /* one significand only, and an odd end */
        static const uint64_t ends[] = {(UINT64_C(1) << 54) - 1, UINT64_C(1) << 54, (UINT64_C(1) << 54) + 2};
        for (size_t i = 0; i < WB_LEN(ends); i++) {
          u128 rest = (row << h) * ends[i];
          if (!is_exact || rest != 0) check_rest(rest, q, -k);
        }
        continue;
      }
      u128 step = row << (h + 1);
      u128 lowest = step & (~step + 1); /* of an exact row, rests are multiples of this; from 2^74 on, 0 may come up, but it is exact */
      if (is_exact && (step == 0 || lowest >= (u128)1 << 74)) continue;
      wide rest = least_rest((wide){0, step}, (wide){1, 0}, most);
      check_rest(rest.low, q, -k);
    }
}
