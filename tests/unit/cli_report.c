/* What explain, check --json and completions do when a call on a file or a request for memory fails. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/ran.h"
#include "tests/test.h"

static const char spec[] = "in x: Int\nin s: Str\nout total: Int\nout old: Str\ntotal = default(total[1], 0) + x\nold = s[2]\n";
static const char wrong[] = "in x: Int\nout y: Str\ny = x + \"a\"\n";

static const ran_how runs[] = {
  {.spec = spec, .args = {"explain", "spec.dsrv", "--stage", "ast"}},
  {.spec = spec, .args = {"explain", "spec.dsrv", "--stage", "graph"}},
  {.spec = spec, .args = {"explain", "spec.dsrv", "--stage", "state", "--dot"}},
  {.spec = wrong, .args = {"explain", "spec.dsrv", "--stage", "ast"}},
  {.spec = spec, .args = {"check", "spec.dsrv", "--json"}},
  {.spec = wrong, .args = {"check", "spec.dsrv", "--json"}},
  {.args = {"check", "nowhere.dsrv", "--json"}},
  {.args = {"completions", "bash"}},
  {.args = {"completions", "zsh"}},
  {.args = {"completions", "fish"}},
};

Test(cli_report, every_request_for_memory_may_fail) {
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    ran good = ran_weir(&runs[i]);
    cr_expect(good.status == 0 || good.status == 2);
    for (uint64_t at = 1; at <= good.memory_calls; at++) {
      ran_how how = runs[i];
      how.fail_memory = at;
      ran r = ran_weir(&how);
      cr_expect(r.status == 1 || r.status == good.status, "run %zu, request %zu: %d %s", i, (size_t)at, r.status, r.err);
      if (r.status == 1) cr_expect(strstr(r.err, "out of memory") != NULL, "run %zu, request %zu: %s", i, (size_t)at, r.err);
      if (r.status == 1) cr_expect_str_eq(r.out, "");
      else cr_expect_str_eq(r.out, good.out);
      ran_free(&r);
    }
    ran_free(&good);
  }
}

Test(cli_report, every_call_on_a_file_may_fail) {
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    ran good = ran_weir(&runs[i]);
    for (uint64_t at = 1; at <= good.io_calls; at++)
      for (int k = 0; k < 3; k++) {
        ran_how how = runs[i];
        how.fail_io = at;
        how.fail_errno = (const int[]){EIO, ENOSPC, EPIPE}[k];
        ran r = ran_weir(&how);
        if (r.status == good.status && strcmp(r.out, good.out) == 0) { /* a file that was read may fail to close */
          ran_free(&r);
          continue;
        }
        cr_expect(r.status == 1 || r.status == 2, "run %zu, call %zu: %d %s", i, (size_t)at, r.status, r.err);
        if (r.status == 1) cr_expect(strncmp(r.out, good.out, strlen(r.out)) == 0, "run %zu, call %zu: %s", i, (size_t)at, r.out);
        if (r.status == 1 && how.fail_errno != EPIPE) cr_expect(strstr(r.err, "error: ") != NULL, "run %zu, call %zu: %s", i, (size_t)at, r.err);
        ran_free(&r);
      }
    ran_free(&good);
  }
}

Test(cli_report, json_tells_errors_on_standard_output_alone) {
  ran r = ran_weir(&(ran_how){.spec = wrong, .args = {"check", "spec.dsrv", "--json"}});
  cr_expect_eq(r.status, 2);
  cr_expect_str_eq(r.err, "");
  cr_expect_not_null(strstr(r.out, "\"code\": \"E_TYPE\""));
  ran_free(&r);
}

Test(cli_report, a_wrong_option_is_told_in_words) {
  ran r = ran_weir(&(ran_how){.spec = spec, .args = {"explain", "spec.dsrv", "--stage", "grph"}});
  cr_expect_eq(r.status, 2);
  cr_expect_str_eq(r.out, "");
  cr_expect_not_null(strstr(r.err, "one of ast graph schedule state ir regions"));
  ran_free(&r);
}
