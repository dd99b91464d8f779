/* tests/unit/ir_pass_cse.c -- which instructions are equal. */
#include "tests/test.h"
#include "ir/optimize.h"
#include "tests/support/irlab.h"

#include <stdio.h>
#include <string.h>

typedef struct cse_case { const char *before, *after; } cse_case; /* after NULL: nothing changes */

static void expect_all(const cse_case *cases, size_t n) {
  lab l;
  lab_open(&l, LAB_SPEC);
  for (size_t i = 0; i < n; i++)
    cr_expect_str_eq(lab_apply(&l, wir_cse, cases[i].before), cases[i].after == NULL ? cases[i].before : cases[i].after);
  lab_close(&l);
}

Test(ir_pass_cse, merges_equal_instructions_and_what_is_made_of_them) {
  static const cse_case cases[] = {
    {"%0 = read int may noval\n%1 = read int may noval\n%2 = add int %0, %1 may noval\n%3 = add int %1, %0 may noval\nwrite %3 stream 6\n",
     "%0 = read int stream 0 may noval\n%1 = read int stream 0 may noval\n%2 = add int %0, %0 may noval\n%3 = add int %0, %0 may noval\nwrite %2 stream 6\n"},
    {"%0 = const float 0.0\n%1 = const float -0.0\n%2 = const float 0.0\n%3 = mul float %1, %2\nwrite %3 stream 7\n",
     "%0 = const float 0.0\n%1 = const float -0.0\n%2 = const float 0.0\n%3 = mul float %1, %0\nwrite %3 stream 7\n"},
    {"%0 = const int 0\n%1 = const float 0.0\n%2 = const bool false\nwrite %1 stream 7\nwrite %2 stream 8\n", NULL}, /* the same bits */
  };
  expect_all(cases, WB_LEN(cases));
}

Test(ir_pass_cse, orders_operands_only_where_that_does_not_count) {
  static const cse_case cases[] = {
    {"%0 = const int 5\n%1 = const int 6\n%2 = gt %0, %1\n%3 = lt %1, %0\n%4 = ge %0, %1\n%5 = le %1, %0\n%6 = eq %0, %1\n%7 = eq %1, %0\n%8 = and %3, %5\n%9 = and %8, %7\nwrite %9 stream 8\n",
     "%0 = const int 5\n%1 = const int 6\n%2 = gt %0, %1\n%3 = lt %1, %0\n%4 = ge %0, %1\n%5 = le %1, %0\n%6 = eq %0, %1\n%7 = eq %1, %0\n%8 = and %2, %4\n%9 = and %8, %6\nwrite %9 stream 8\n"},
    {"%0 = const int 5\n%1 = const int 6\n%2 = sub int %0, %1\n%3 = sub int %1, %0\n%4 = lt %0, %1\n%5 = lt %1, %0\n%6 = le %0, %1\n%7 = select int %5, %3, %2\nwrite %7 stream 6\n", NULL},
    {"%0 = const bool true\n%1 = const bool false\n%2 = and %0, %1\n%3 = and %1, %0\n%4 = implies %0, %1\n%5 = implies %1, %0\n%6 = select bool %5, %3, %4\nwrite %6 stream 8\n", NULL},
  };
  expect_all(cases, WB_LEN(cases));
}

Test(ir_pass_cse, tells_states_offsets_and_streams_apart) {
  static const cse_case cases[] = {
    {"%0 = ring int ago 1 state 1 may deferred\n%1 = ring int ago 2 state 1 may deferred\n%2 = ring int ago 1 state 1 may deferred\n%3 = sub int %1, %2 may deferred\nwrite %3 stream 6\n",
     "%0 = ring int ago 1 state 1 may deferred\n%1 = ring int ago 2 state 1 may deferred\n%2 = ring int ago 1 state 1 may deferred\n%3 = sub int %1, %0 may deferred\nwrite %3 stream 6\n"},
    {"%0 = read int stream 0 may noval\n%1 = hold int %0 state 7 stream 6\n%2 = hold int %0 state 10\n%3 = hold int %0 state 7\n%4 = sub int %2, %3\nwrite %4 stream 6\n",
     "%0 = read int stream 0 may noval\n%1 = hold int %0 state 7 stream 6\n%2 = hold int %0 state 10\n%3 = hold int %0 state 7\n%4 = sub int %2, %1\nwrite %4 stream 6\n"},
    {"%0 = read int stream 0 may noval\n%1 = proper %0 state 11 stream 8\n%2 = proper %0 state 12\n%3 = started %0 state 11\n%4 = and %1, %2\n%5 = and %4, %3\nwrite %5 stream 8\n", NULL},
    {"%0 = read int stream 0\n%1 = read int stream 1\n%2 = sub int %0, %1\nwrite %2 stream 6\n", NULL},
  };
  expect_all(cases, WB_LEN(cases));
}

/* Of two equal operations one of which stands outside all guards, its failure leaves the body whatever the other one would make of it. */
Test(ir_pass_cse, merges_across_guards_into_what_leaves_the_body) {
  static const cse_case cases[] = {
    {"%0 = read int stream 0\n%1 = neg int %0\n%2 = neg int %0 guarded may failed\n%3 = read bool stream 4\n%4 = select int %3, %2, %0\nwrite %4 stream 6\n",
     "%0 = read int stream 0\n%1 = neg int %0\n%2 = neg int %0 guarded may failed\n%3 = read bool stream 4\n%4 = select int %3, %1, %0\nwrite %4 stream 6\n"},
    {"%0 = read int stream 0\n%1 = neg int %0 guarded may failed\n%2 = neg int %0\n%3 = read bool stream 4\n%4 = select int %3, %1, %2\nwrite %4 stream 6\n",
     "%0 = read int stream 0\n%1 = neg int %0\n%2 = neg int %0\n%3 = read bool stream 4\n%4 = select int %3, %1, %1\nwrite %4 stream 6\n"},
    {"%0 = read int stream 0\n%1 = neg int %0 guarded may failed\n%2 = neg int %0 guarded may failed\nkeep %2 state 7 stream 6\n",
     "%0 = read int stream 0\n%1 = neg int %0 guarded may failed\n%2 = neg int %0 guarded may failed\nkeep %1 state 7 stream 6\n"},
    {"%0 = read int stream 0\n%1 = lt %0, %0 guarded\n%2 = lt %0, %0\nwrite %2 stream 8\n",
     "%0 = read int stream 0\n%1 = lt %0, %0\n%2 = lt %0, %0\nwrite %1 stream 8\n"},
  };
  expect_all(cases, WB_LEN(cases));
}

Test(ir_pass_cse, what_is_known_of_one_is_known_of_both) {
  static const cse_case cases[] = {
    {"%0 = read int stream 0 may noval|deferred\n%1 = read int stream 0 may noval\nkeep %1 state 7 stream 6\n",
     "%0 = read int stream 0 may noval\n%1 = read int stream 0 may noval\nkeep %0 state 7 stream 6\n"},
    {"%0 = read int stream 0\n%1 = neg int %0\n%2 = neg int %0 safe\nwrite %2 stream 6\n",
     "%0 = read int stream 0\n%1 = neg int %0 safe\n%2 = neg int %0 safe\nwrite %1 stream 6\n"},
  };
  expect_all(cases, WB_LEN(cases));
}

/* Equal ones are looked for near their last operand, and then anywhere. */
Test(ir_pass_cse, merges_whatever_many_others_read_the_same_operand) {
  enum { MANY = 40 };
  char text[8000];
  size_t n = 0;
  lab l;
  for (int k = 0; k < MANY; k++) n += (size_t)snprintf(text + n, sizeof text - n, "%%%d = const int %d\n", k, k);
  n += (size_t)snprintf(text + n, sizeof text - n, "%%%d = read int stream 0\n", MANY);
  for (int k = 0; k < 2 * MANY; k++) n += (size_t)snprintf(text + n, sizeof text - n, "%%%d = sub int %%%d, %%%d\n", MANY + 1 + k, k % MANY, MANY);
  for (int k = 0; k < MANY; k++) n += (size_t)snprintf(text + n, sizeof text - n, "%%%d = neg int %%%d\n", 3 * MANY + 1 + k, 2 * MANY + 1 + k);
  snprintf(text + n, sizeof text - n, "write %%%d stream 6\n", 3 * MANY + 1);
  lab_open(&l, LAB_SPEC);
  const char *after = lab_apply(&l, wir_cse, text);
  for (int k = 0; k < MANY; k++) {
    char wanted[60];
    snprintf(wanted, sizeof wanted, "%%%d = neg int %%%d\n", 3 * MANY + 1 + k, MANY + 1 + k);
    cr_expect_not_null(strstr(after, wanted), "%s", wanted);
  }
  lab_close(&l);
}
