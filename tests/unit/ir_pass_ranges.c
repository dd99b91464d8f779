/* tests/unit/ir_pass_ranges.c -- what bounds are known to follow, up to the ends of 64 bits. */
#include "tests/test.h"
#include "ir/optimize.h"
#include "tests/support/irlab.h"

#include <stdio.h>
#include <string.h>

typedef struct claim { const char *lines; bool cannot_fail; } claim;

/* The last instruction of the lines that ranges would mark. */
static bool marks_last(lab *l, const char *lines) {
  static const char first[] =
    "%0 = read int stream 0\n"             /* anything */
    "%1 = const int 5\n"
    "%2 = rem int %0, %1\n"                /* -4 .. 4 */
    "%3 = abs int %2\n"                    /* 0 .. 4 */
    "%4 = const int 1\n"
    "%5 = add int %3, %4\n"                /* 1 .. 5 */
    "%6 = add int %0, %4\n"                /* -2^63 + 1 .. */
    "%7 = abs int %0\n"                    /* 0 .. 2^63 - 1 */
    "%8 = const int -9223372036854775808\n"
    "%9 = const int 9223372036854775807\n"
    "%10 = const int -1\n"
    "%11 = const int 4611686018427387904\n"; /* 2^62 */
  char text[3000];
  snprintf(text, sizeof text, "%s%s", first, lines);
  const char *after = lab_apply(l, wir_ranges, text), *last = after;
  for (const char *line = after; *line != '\0'; line = strchr(line, '\n') + 1) last = line;
  return strstr(last, " safe") != NULL;
}

Test(ir_pass_ranges, marks_exactly_what_cannot_fail) {
  static const claim claims[] = {
    {"%12 = add int %0, %4\n", false},
    {"%12 = add int %2, %1\n", true},
    {"%12 = sub int %6, %4\n", true}, /* x + 1 - 1 fails, if at all, in the first step */
    {"%12 = sub int %6, %1\n", false},
    {"%12 = add int %9, %3\n", false},
    {"%12 = add int %9, %2\n", false},
    {"%12 = sub int %8, %3\n", false},
    {"%12 = sub int %10, %8\n", true}, /* -1 - -2^63 is 2^63 - 1 */
    {"%12 = sub int %3, %8\n", false},
    {"%12 = mul int %2, %3\n", true},
    {"%12 = mul int %11, %3\n", false},
    {"%12 = mul int %11, %10\n", true},
    {"%12 = mul int %8, %10\n", false},
    {"%12 = mul int %8, %4\n", true},
    {"%12 = mul int %0, %0\n", false},
    {"%12 = div int %0, %1\n", true},
    {"%12 = div int %0, %10\n", false}, /* -2^63 / -1 */
    {"%12 = div int %6, %10\n", true},
    {"%12 = div int %0, %3\n", false},
    {"%12 = div int %0, %5\n", true},
    {"%12 = div int %8, %5\n", true},
    {"%12 = div int %6, %2\n", false},
    {"%12 = rem int %0, %1\n", true},
    {"%12 = rem int %0, %10\n", false}, /* -2^63 % -1 */
    {"%12 = rem int %6, %10\n", true},
    {"%12 = rem int %1, %0\n", false},
    {"%12 = rem int %7, %5\n", true},
    {"%12 = neg int %0\n", false},
    {"%12 = neg int %6\n", true},
    {"%12 = neg int %7\n", true},
    {"%12 = neg int %8\n", false},
    {"%12 = abs int %0\n", false},
    {"%12 = abs int %6\n", true},
    {"%12 = pow int %2, %3\n", true},
    {"%12 = pow int %2, %2\n", false}, /* the exponent may be negative */
    {"%12 = pow int %1, %3\n", true},
    {"%12 = const int 63\n%13 = const int 2\n%14 = pow int %13, %12\n", false},
    {"%12 = const int 62\n%13 = const int 2\n%14 = pow int %13, %12\n", true},
    {"%12 = const int 62\n%13 = const int -2\n%14 = pow int %13, %12\n", true},
    {"%12 = pow int %10, %9\n", true},
    {"%12 = pow int %10, %7\n", true},
    {"%12 = pow int %0, %4\n", false}, /* -2^63 ** 1: the bound is the magnitude's */
    {"%12 = read bool stream 4\n%13 = select int %12, %2, %5\n%14 = mul int %13, %13\n", true},
    {"%12 = read bool stream 4\n%13 = select int %12, %2, %0\n%14 = mul int %13, %13\n", false},
    {"%12 = ring int ago 1 state 1\n%13 = neg int %12\n", false},
    {"%12 = gate int %0, %3\n%13 = neg int %12\n", true},
    {"%12 = read int stream 1 may deferred\n%13 = rem int %12, %1 may deferred\n%14 = default int %13, %5\n%15 = neg int %14\n", true},
    {"%12 = read int stream 1 may noval\n%13 = rem int %12, %1 may noval\n%14 = hold int %13 state 7 stream 6\n%15 = neg int %14\n", false},
    {"%12 = read int stream 1 may noval\n%13 = rem int %12, %1 may noval\n%14 = settle int %13 may deferred\n%15 = neg int %14 may deferred\n", true},
  };
  lab l;
  lab_open(&l, LAB_SPEC);
  for (size_t i = 0; i < WB_LEN(claims); i++)
    cr_expect_eq(marks_last(&l, claims[i].lines), claims[i].cannot_fail, "%s", claims[i].lines);
  lab_close(&l);
}

Test(ir_pass_ranges, decides_comparisons_of_values_and_drops_failures_that_cannot_be) {
  lab l;
  lab_open(&l, LAB_SPEC);
  cr_expect_str_eq(lab_apply(&l, wir_ranges,
    "%0 = read int stream 0\n%1 = const int 5\n%2 = rem int %0, %1\n%3 = lt %2, %1\n%4 = ge %2, %1\n%5 = eq %2, %1\n%6 = const int 4\n%7 = gt %2, %6\n%8 = ge %2, %6\n"),
    "%0 = read int stream 0\n%1 = const int 5\n%2 = rem int %0, %1 safe\n%3 = const bool true\n%4 = const bool false\n%5 = const bool false\n%6 = const int 4\n%7 = const bool false\n%8 = ge %2, %6\n");
  cr_expect_str_eq(lab_apply(&l, wir_ranges,
    "%0 = read int stream 0 may noval\n%1 = const int 5\n%2 = rem int %0, %1 guarded may failed|noval\n%3 = lt %2, %1 guarded may failed|noval\n"),
    "%0 = read int stream 0 may noval\n%1 = const int 5\n%2 = rem int %0, %1 guarded safe may noval\n%3 = lt %2, %1 guarded may noval\n");
  cr_expect_str_eq(lab_apply(&l, wir_ranges, "%0 = read bool stream 4\n%1 = const bool true\n%2 = le %0, %1\n%3 = gt %0, %1\n%4 = lt %0, %1\n"),
    "%0 = read bool stream 4\n%1 = const bool true\n%2 = const bool true\n%3 = const bool false\n%4 = lt %0, %1\n");
  cr_expect_str_eq(lab_apply(&l, wir_ranges, "%0 = read int stream 0\n%1 = const int 3\n%2 = rem int %0, %1\n%3 = mul int %2, %2\n%4 = abs int %2\n%5 = abs int %4\nwrite %5 stream 6\n"),
    "%0 = read int stream 0\n%1 = const int 3\n%2 = rem int %0, %1 safe\n%3 = mul int %2, %2 safe\n%4 = abs int %2 safe\n%5 = abs int %4 safe\nwrite %4 stream 6\n");
  lab_close(&l);
}

Test(ir_pass_ranges, says_nothing_of_floats) {
  lab l;
  lab_open(&l, LAB_SPEC);
  static const char *const lines = "%0 = const float 1.0\n%1 = const float 2.0\n%2 = lt %0, %1\n%3 = add float %0, %1\n%4 = abs float %0\nwrite %4 stream 7\n";
  cr_expect_str_eq(lab_apply(&l, wir_ranges, lines), lines);
  lab_close(&l);
}
