/* tests/unit/cli_fault.c -- every call on a file and every request for memory fails once: the command ends with the right status
** and nothing but whole lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/ran.h"
#include "tests/test.h"

static const char spec[] =
  "in x: Int\nin s\nout total: Int\nout so\nout old\ntotal = default(total[1], 0) + x\nso = s\nold = s[2]\n";
static const char trace[] =
  "0: x = 1\n   s = \"text\"\n1: x = 2\n   s = [1, [2, {\"k\": \"v\"}], Tuple()]\n   other = [[\"a\"]]\n2:\n3: s = e\"a\\nb\"\n   x = 4\n6: x = 5\n";
static const size_t pieces[] = {9, 30, 0};

#define STREAMS "CREATE STREAM s (a INT, i TIMESTAMP) RATE 2;\nCREATE STREAM t (b INT, j TIMESTAMP);\n"
static const char bounded[] = STREAMS "SELECT DISTINCT b FROM s, t WHERE i > j AND b BETWEEN 1 AND 4;\n";
static const char unbounded[] = STREAMS "SELECT a, b FROM s, t WHERE i > j;\n";

static const ran_how runs[] = {
  {.spec = spec, .trace = trace, .more = {"-o", "-"}},
  {.spec = spec, .trace = trace, .more = {"-o", "out.trace"}},
  {.spec = spec, .trace = trace, .chunks = pieces},
  {.spec = spec, .trace = "0: x = 1\n1: x = @\n"},
  {.spec = spec, .trace = "0: x = 1\n1: x = 9223372036854775807\n"},
  {.spec = "in x: Int\nout y: Int\ny = x + \"a\"\n", .trace = ""},
  {.spec = spec, .args = {"check", "spec.dsrv"}},
  {.query = bounded, .args = {"check", "query.sql"}},
  {.query = bounded, .args = {"check", "--json", "query.sql"}},
  {.query = bounded, .args = {"explain", "query.sql"}},
  {.query = unbounded, .args = {"check", "query.sql"}},
  {.query = unbounded, .args = {"check", "--json", "query.sql"}},
  {.query = unbounded, .args = {"run", "query.sql"}},
  {.query = STREAMS "SELECT x FROM s;\n", .args = {"check", "query.sql"}},
  {.args = {"--help"}},
};

/* What is written is a beginning of `whole`, in whole lines. */
static void expect_beginning(const char *out, const char *whole, uint64_t at) {
  size_t n = strlen(out);
  cr_expect(strncmp(out, whole, n) == 0, "call %zu: %s", (size_t)at, out);
  cr_expect(n == 0 || out[n - 1] == '\n', "call %zu: %s", (size_t)at, out);
}

static bool is_one_of(int status, int a, int b, int c) { return status == a || status == b || status == c; }

Test(cli_fault, every_call_on_a_file_may_fail) {
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    ran good = ran_weir(&runs[i]);
    for (uint64_t at = 1; at <= good.io_calls; at++)
      for (int k = 0; k < 3; k++) {
        ran_how how = runs[i];
        how.fail_io = at;
        how.fail_errno = (const int[]){EIO, ENOSPC, EPIPE}[k];
        ran r = ran_weir(&how);
        expect_beginning(r.out, good.out, at);
        if (r.file) expect_beginning(r.file, good.file ? good.file : "", at);
        bool is_whole = strcmp(r.out, good.out) == 0 && (!good.file || (r.file && strcmp(r.file, good.file) == 0));
        if (r.status == 0 || r.status == 3) { /* a file that was read may fail to close: nothing is lost */
          cr_expect(is_whole, "call %zu: %s", (size_t)at, r.out);
        } else {
          cr_expect(is_one_of(r.status, 1, 2, 4), "call %zu: %d %s", (size_t)at, r.status, r.err);
          if (how.fail_errno != EPIPE) cr_expect(strstr(r.err, "error: ") != NULL, "call %zu: %s", (size_t)at, r.err);
        }
        ran_free(&r);
      }
    ran_free(&good);
  }
}

Test(cli_fault, every_request_for_memory_may_fail) {
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    ran good = ran_weir(&runs[i]);
    for (uint64_t at = 1; at <= good.memory_calls; at++) {
      ran_how how = runs[i];
      how.fail_memory = at;
      ran r = ran_weir(&how);
      cr_expect(r.status == 1 || r.status == good.status, "request %zu: %d %s", (size_t)at, r.status, r.err);
      if (r.status == 1) {
        expect_beginning(r.out, good.out, at);
        cr_expect(strstr(r.err, "out of memory") != NULL, "request %zu: %s", (size_t)at, r.err);
      }
      ran_free(&r);
    }
    ran_free(&good);
  }
}
