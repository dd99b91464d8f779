/* tests/unit/ir_pass_fold.c -- which constants and identities are taken, and which are not. */
#include "tests/test.h"
#include "ir/optimize.h"
#include "tests/support/irlab.h"

#include <stdio.h>
#include <string.h>

/* Lines that stand in front of each case: x may be anything, y is always a value, q may have failed; then those for Floats and Bools. */
static const char *const prelude =
  "%0 = read int stream 0 may noval|deferred\n"
  "%1 = read int stream 1\n"
  "%2 = div int %1, %0 guarded may failed|noval|deferred\n"
  "%3 = read float stream 2 may noval|deferred\n"
  "%4 = read float stream 3\n"
  "%5 = read bool stream 4 may noval|deferred\n"
  "%6 = read bool stream 5\n"
  "%7 = read bool stream 4 may deferred\n";

typedef struct fold_case { const char *lines, *folded; } fold_case; /* folded NULL: nothing changes */

static void expect_all(const fold_case *cases, size_t n) {
  lab l;
  lab_open(&l, LAB_SPEC);
  for (size_t i = 0; i < n; i++) {
    char before[2000], after[2000];
    snprintf(before, sizeof before, "%s%s", prelude, cases[i].lines);
    snprintf(after, sizeof after, "%s%s", prelude, cases[i].folded == NULL ? cases[i].lines : cases[i].folded);
    const char *got = lab_apply(&l, wir_fold, before);
    cr_expect_str_eq(got, after, "%s", got + strlen(prelude));
  }
  lab_close(&l);
}

Test(ir_pass_fold, computes_constants) {
  static const fold_case cases[] = {
    {"%8 = const int 7\n%9 = const int -2\n%10 = rem int %8, %9\n", "%8 = const int 7\n%9 = const int -2\n%10 = const int 1\n"},
    {"%8 = const int 7\n%9 = pow int %8, %8\n%10 = float %9\n", "%8 = const int 7\n%9 = const int 823543\n%10 = const float 823543.0\n"},
    {"%8 = const float 0\n%9 = div float %8, %8\n%10 = lt %9, %9\n%11 = ne %9, %9\n",
     "%8 = const float 0.0\n%9 = const float nan\n%10 = const bool false\n%11 = const bool true\n"},
    {"%8 = const bool true\n%9 = not %8 guarded\n%10 = gt %8, %9\n", "%8 = const bool true\n%9 = const bool false\n%10 = const bool true\n"},
    {"%8 = const int 9007199254740993\n%9 = float %8\n%10 = eq %9, %9\n",
     "%8 = const int 9007199254740993\n%9 = const float 9007199254740992.0\n%10 = const bool true\n"},
  };
  expect_all(cases, WB_LEN(cases));
}

Test(ir_pass_fold, leaves_what_would_fail) {
  static const fold_case cases[] = {
    {"%8 = const int 0\n%9 = div int %8, %8\n", NULL},
    {"%8 = const int 0\n%9 = rem int %8, %8 guarded may failed\n", NULL},
    {"%8 = const int -9223372036854775808\n%9 = neg int %8\n%10 = abs int %8\n%11 = sub int %8, %9\n", NULL},
    {"%8 = const int -9223372036854775808\n%9 = const int -1\n%10 = rem int %8, %9\n%11 = div int %8, %9\n", NULL},
    {"%8 = const int 9223372036854775807\n%9 = add int %8, %8\n%10 = mul int %8, %8\n%11 = pow int %8, %8\n", NULL},
    {"%8 = const int 2\n%9 = const int -1\n%10 = pow int %8, %9\n", NULL},
  };
  expect_all(cases, WB_LEN(cases));
}

Test(ir_pass_fold, knows_the_identities_of_ints) {
  static const fold_case cases[] = {
    {"%8 = const int 0\n%9 = add int %8, %0 may noval|deferred\nwrite %9 stream 6\n", "%8 = const int 0\n%9 = add int %8, %0 may noval|deferred\nwrite %0 stream 6\n"},
    {"%8 = const int 0\n%9 = sub int %0, %8 may noval|deferred\nwrite %9 stream 6\n", "%8 = const int 0\n%9 = sub int %0, %8 may noval|deferred\nwrite %0 stream 6\n"},
    {"%8 = const int 0\n%9 = sub int %8, %0 may noval|deferred\nwrite %9 stream 6\n", NULL},
    {"%8 = const int 1\n%9 = mul int %0, %8 may noval|deferred\nwrite %9 stream 6\n", "%8 = const int 1\n%9 = mul int %0, %8 may noval|deferred\nwrite %0 stream 6\n"},
    {"%8 = const int 1\n%9 = div int %0, %8 may noval|deferred\nwrite %9 stream 6\n", "%8 = const int 1\n%9 = div int %0, %8 may noval|deferred\nwrite %0 stream 6\n"},
    {"%8 = const int 1\n%9 = pow int %0, %8 may noval|deferred\nwrite %9 stream 6\n", "%8 = const int 1\n%9 = pow int %0, %8 may noval|deferred\nwrite %0 stream 6\n"},
    {"%8 = const int 2\n%9 = pow int %0, %8 may noval|deferred\n", "%8 = const int 2\n%9 = mul int %0, %0 may noval|deferred\n"},
    {"%8 = const int 0\n%9 = mul int %1, %8\n%10 = pow int %1, %8\n", "%8 = const int 0\n%9 = const int 0\n%10 = const int 1\n"},
    {"%8 = const int 1\n%9 = rem int %1, %8\n%10 = sub int %1, %1\n", "%8 = const int 1\n%9 = const int 0\n%10 = const int 0\n"},
    {"%8 = const int 0\n%9 = mul int %0, %8 may noval|deferred\n%10 = pow int %0, %8 may noval|deferred\n", NULL}, /* NoVal shows */
    {"%8 = sub int %0, %0 may noval|deferred\n%9 = div int %1, %1\n", NULL},
    {"%8 = neg int %1\n%9 = neg int %8\nwrite %9 stream 6\n", NULL}, /* fails at -2^63 */
    {"%8 = abs int %0 may noval|deferred\n%9 = abs int %8 may noval|deferred\nwrite %9 stream 6\n",
     "%8 = abs int %0 may noval|deferred\n%9 = abs int %8 may noval|deferred\nwrite %8 stream 6\n"},
  };
  expect_all(cases, WB_LEN(cases));
}

Test(ir_pass_fold, knows_the_identities_of_floats_that_hold_for_nan_and_negative_zero) {
  static const fold_case cases[] = {
    {"%8 = const float -0.0\n%9 = add float %3, %8 may noval|deferred\nwrite %9 stream 7\n", "%8 = const float -0.0\n%9 = add float %3, %8 may noval|deferred\nwrite %3 stream 7\n"},
    {"%8 = const float 0.0\n%9 = add float %3, %8 may noval|deferred\nwrite %9 stream 7\n", NULL},
    {"%8 = const float 0.0\n%9 = sub float %3, %8 may noval|deferred\nwrite %9 stream 7\n", "%8 = const float 0.0\n%9 = sub float %3, %8 may noval|deferred\nwrite %3 stream 7\n"},
    {"%8 = const float -0.0\n%9 = sub float %3, %8 may noval|deferred\nwrite %9 stream 7\n", NULL},
    {"%8 = const float 1.0\n%9 = mul float %8, %3 may noval|deferred\nwrite %9 stream 7\n", "%8 = const float 1.0\n%9 = mul float %8, %3 may noval|deferred\nwrite %3 stream 7\n"},
    {"%8 = const float 1.0\n%9 = div float %3, %8 may noval|deferred\nwrite %9 stream 7\n", "%8 = const float 1.0\n%9 = div float %3, %8 may noval|deferred\nwrite %3 stream 7\n"},
    {"%8 = const float 0.0\n%9 = mul float %4, %8\n%10 = sub float %4, %4\n%11 = div float %4, %4\n", NULL},
    {"%8 = const float 2.0\n%9 = pow float %4, %8\n%10 = rem float %4, %4\n", NULL},
    {"%8 = neg float %3 may noval|deferred\n%9 = neg float %8 may noval|deferred\nwrite %9 stream 7\n",
     "%8 = neg float %3 may noval|deferred\n%9 = neg float %3 may noval|deferred\nwrite %3 stream 7\n"},
    {"%8 = neg float %4\n%9 = abs float %8\n", "%8 = neg float %4\n%9 = abs float %4\n"},
    {"%8 = eq %4, %4\n%9 = le %4, %4\n%10 = ne %4, %4\n", NULL},
    {"%8 = lt %4, %4\n%9 = gt %4, %4\n", "%8 = const bool false\n%9 = const bool false\n"},
    {"%8 = lt %3, %3 may noval|deferred\n", NULL},
    {"%8 = lt %3, %4 may noval|deferred\n%9 = not %8 may noval|deferred\n", NULL},
    {"%8 = eq %3, %4 may noval|deferred\n%9 = not %8 may noval|deferred\n",
     "%8 = eq %3, %4 may noval|deferred\n%9 = ne %3, %4 may noval|deferred\n"},
  };
  expect_all(cases, WB_LEN(cases));
}

Test(ir_pass_fold, knows_the_identities_of_bools) {
  static const fold_case cases[] = {
    {"%8 = lt %0, %1 may noval|deferred\n%9 = not %8 may noval|deferred\n%10 = not %9 may noval|deferred\nwrite %10 stream 8\n",
     "%8 = lt %0, %1 may noval|deferred\n%9 = ge %0, %1 may noval|deferred\n%10 = lt %0, %1 may noval|deferred\nwrite %10 stream 8\n"},
    {"%8 = not %5 may noval|deferred\n%9 = not %8 may noval|deferred\nwrite %9 stream 8\n",
     "%8 = not %5 may noval|deferred\n%9 = not %5 may noval|deferred\nwrite %5 stream 8\n"},
    {"%8 = const bool true\n%9 = eq %5, %8 may noval|deferred\n%10 = ne %8, %5 may noval|deferred\nwrite %9 stream 8\n",
     "%8 = const bool true\n%9 = eq %5, %8 may noval|deferred\n%10 = not %5 may noval|deferred\nwrite %5 stream 8\n"},
    {"%8 = le %1, %1\n%9 = ne %6, %6\n%10 = eq %0, %0 may noval|deferred\n",
     "%8 = const bool true\n%9 = const bool false\n%10 = eq %0, %0 may noval|deferred\n"},
    {"%8 = const bool true\n%9 = and %8, %5 may noval|deferred\nwrite %9 stream 8\n", "%8 = const bool true\n%9 = and %8, %5 may noval|deferred\nwrite %5 stream 8\n"},
    {"%8 = const bool true\n%9 = or %8, %5 may noval|deferred\n%10 = or %8, %6\n%11 = implies %5, %8 may noval|deferred\n%12 = implies %6, %8\n",
     "%8 = const bool true\n%9 = or %8, %5 may noval|deferred\n%10 = const bool true\n%11 = implies %5, %8 may noval|deferred\n%12 = const bool true\n"},
    {"%8 = const bool false\n%9 = and %6, %8\n%10 = and %5, %8 may noval|deferred\n%11 = implies %8, %6\n",
     "%8 = const bool false\n%9 = const bool false\n%10 = and %5, %8 may noval|deferred\n%11 = const bool true\n"},
    {"%8 = const bool false\n%9 = implies %5, %8 may noval|deferred\n%10 = or %5, %8 may noval|deferred\nwrite %10 stream 8\n",
     "%8 = const bool false\n%9 = not %5 may noval|deferred\n%10 = or %5, %8 may noval|deferred\nwrite %5 stream 8\n"},
    {"%8 = and %5, %5 may noval|deferred\n%9 = implies %6, %6\nwrite %8 stream 8\n", "%8 = and %5, %5 may noval|deferred\n%9 = const bool true\nwrite %5 stream 8\n"},
    {"%8 = implies %5, %5 may noval|deferred\n", NULL},
  };
  expect_all(cases, WB_LEN(cases));
}

/* A failure of the right side leaves the body where it is not decided: the instruction that sees to that stays. */
Test(ir_pass_fold, keeps_what_a_failure_leaves_through) {
  static const fold_case cases[] = {
    {"%8 = lt %2, %1 guarded may failed|noval|deferred\n%9 = const bool true\n%10 = and %9, %8 may noval|deferred\nwrite %10 stream 8\n", NULL},
    {"%8 = lt %2, %1 guarded may failed|noval|deferred\n%9 = const bool true\n%10 = and %9, %8 guarded may failed|noval|deferred\nkeep %10 state 13 stream 8\n",
     "%8 = lt %2, %1 guarded may failed|noval|deferred\n%9 = const bool true\n%10 = and %9, %8 guarded may failed|noval|deferred\nkeep %8 state 13 stream 8\n"},
    {"%8 = const bool true\n%9 = select int %8, %2, %1 may noval|deferred\nwrite %9 stream 6\n", NULL},
    {"%8 = select int %6, %2, %2 may noval|deferred\nwrite %8 stream 6\n", NULL},
  };
  expect_all(cases, WB_LEN(cases));
}

Test(ir_pass_fold, chooses_a_branch_where_the_other_one_does_not_show) {
  static const fold_case cases[] = {
    {"%8 = const bool true\n%9 = select int %8, %0, %1 may noval|deferred\nwrite %9 stream 6\n", "%8 = const bool true\n%9 = select int %8, %0, %1 may noval|deferred\nwrite %0 stream 6\n"},
    {"%8 = const bool false\n%9 = select int %8, %0, %1 may noval|deferred\nwrite %9 stream 6\n", NULL}, /* NoVal of %0 shows */
    {"%8 = const bool true\n%9 = select bool %8, %6, %7 may deferred\nwrite %9 stream 8\n", "%8 = const bool true\n%9 = select bool %8, %6, %7 may deferred\nwrite %6 stream 8\n"},
    {"%8 = select int %6, %0, %0 may noval|deferred\nwrite %8 stream 6\n", "%8 = select int %6, %0, %0 may noval|deferred\nwrite %0 stream 6\n"},
    {"%8 = select int %5, %1, %1 may noval|deferred\nwrite %8 stream 6\n", NULL},
    {"%8 = const bool true\n%9 = const bool false\n%10 = select bool %5, %8, %9 may noval|deferred\nwrite %10 stream 8\n",
     "%8 = const bool true\n%9 = const bool false\n%10 = select bool %5, %8, %9 may noval|deferred\nwrite %5 stream 8\n"},
    {"%8 = not %5 may noval|deferred\n%9 = select int %8, %0, %1 may noval|deferred\n",
     "%8 = not %5 may noval|deferred\n%9 = select int %5, %1, %0 may noval|deferred\n"},
    {"%8 = default int %0, %0 may noval|deferred\n%9 = gate int %8, %0 may noval|deferred\nwrite %9 stream 6\n",
     "%8 = default int %0, %0 may noval|deferred\n%9 = gate int %0, %0 may noval|deferred\nwrite %0 stream 6\n"},
    {"%8 = pick int %6, %0, %0 may noval|deferred\nwrite %8 stream 6\n", "%8 = pick int %6, %0, %0 may noval|deferred\nwrite %0 stream 6\n"},
  };
  expect_all(cases, WB_LEN(cases));
}

Test(ir_pass_fold, exhausted_memory_changes_nothing) {
  lab l;
  lab_open(&l, LAB_SPEC);
  wir_body b = lab_read(&l, "body part\n%0 = const int 0\n%1 = add int %0, %0\nwrite %1 stream 6\n");
  lab_pass *const passes[] = {wir_fold, wir_cse, wir_ranges, wir_dead};
  for (size_t i = 0; i < WB_LEN(passes); i++)
    for (uint64_t n = 1; n < 10; n++) {
      const char *before = lab_print(&l, &b);
      wb_mem scratch;
      wb_mem_init(&scratch, &l.door, 0);
      l.door.fail_at = l.door.calls + n;
      bool is_done = passes[i](l.p, &b, &scratch);
      l.door.fail_at = 0;
      wb_mem_drop(&scratch);
      if (is_done) break;
      cr_expect_str_eq(lab_print(&l, &b), before);
      cr_expect_null(lab_verify(&l, &b));
    }
  lab_close(&l);
}
