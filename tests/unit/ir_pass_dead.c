/* tests/unit/ir_pass_dead.c -- what is needed. */
#include "tests/test.h"
#include "ir/optimize.h"
#include "tests/support/irlab.h"

#include <string.h>

static void expect(const char *before, const char *after) {
  lab l;
  lab_open(&l, LAB_SPEC);
  cr_expect_str_eq(lab_apply(&l, wir_dead, before), after);
  lab_close(&l);
}

Test(ir_pass_dead, takes_out_what_no_effect_is_made_of) {
  expect("%0 = const int 1\n%1 = read int stream 0 may noval\n%2 = lt %0, %1 may noval\n%3 = read float stream 2\n%4 = sin %3\nwrite %0 stream 6\n",
         "%0 = const int 1\nwrite %0 stream 6\n");
  expect("%0 = const int 1\n%1 = read int stream 0 may noval\n%2 = hold int %1 state 0\nkeep %2 state 0\n",
         "%0 = read int stream 0 may noval\n%1 = hold int %0 state 0\nkeep %1 state 0\n");
}

Test(ir_pass_dead, keeps_what_can_leave_the_body) {
  expect("%0 = read int stream 0\n%1 = read int stream 1\n%2 = div int %0, %1\n%3 = lt %2, %0\n", "%0 = read int stream 0\n%1 = read int stream 1\n%2 = div int %0, %1\n");
  expect("%0 = read int stream 0\n%1 = neg int %0 guarded may failed\n", "");
  expect("%0 = read int stream 0\n%1 = neg int %0 safe\n", "");
  expect("%0 = read float stream 2\n%1 = neg float %0\n", "");
  expect("%0 = read int stream 0\n%1 = neg int %0 guarded may failed\n%2 = read bool stream 4\n%3 = select int %2, %1, %0\n",
         "%0 = read int stream 0\n%1 = neg int %0 guarded may failed\n%2 = read bool stream 4\n%3 = select int %2, %1, %0\n");
  expect("%0 = read int stream 0\n%1 = neg int %0 guarded may failed\n%2 = read bool stream 4\n%3 = select int %2, %1, %0 guarded may failed\n", "");
  expect("%0 = read int stream 0\n%1 = read bool stream 4\n%2 = select int %1, %0, %0\n%3 = and %1, %1\n", "");
}

Test(ir_pass_dead, keeps_effects_but_those_that_keep_nothing) {
  expect("%0 = const bool false\n%1 = const bool true\nkeep %0 state 11 stream 8\nkeep %1 state 12\nkeep %0 state 13\n",
         "%0 = const bool false\n%1 = const bool true\nkeep %1 state 12 stream 8\nkeep %0 state 13\n");
}

Test(ir_pass_dead, a_body_of_nothing_stays_one) { expect("", ""); }
