/* tests/unit/cli_run.c -- `weir run` and `weir check`: exit statuses, positions, files, ticks, pipes, signals. */
#define _GNU_SOURCE 1 /* pipe2 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/columns.h"
#include "tests/support/ran.h"
#include "tests/test.h"

static const char divide[] = "in x: Int\nin y: Int\nout q: Int\n\nq = x / y\n";
static const char count[] = "out n: Int\nn = default(n[1], 0) + 1\n";
static const char copy[] = "in x: Int\nout y: Int\ny = x\n";

static void expect(ran r, int status, const char *out, const char *err) {
  cr_expect_eq(r.status, status, "status %d: %s", r.status, r.err);
  cr_expect_str_eq(r.out, out);
  cr_expect_str_eq(r.err, err);
  ran_free(&r);
}

/* ---- Errors -------------------------------------------------------------------------------------------------------- */

Test(cli_run, a_failed_tick_points_at_the_operation_and_names_the_line) {
  expect(ran_weir(&(ran_how){.spec = divide, .trace = "0: x = 1\n   y = 1\n\n1:\n   y = 0\n2: x = 3\n"}), 4, "0: q = 1\n",
         "spec.dsrv:5:7: error: tick 1: division by zero\n  q = x / y\n        ^\nnote: tick 1 is at trace.input:4\n");
}

Test(cli_run, a_failed_tick_without_a_row_names_the_next_one) {
  static const char spec[] = "in x: Int\nout q: Int\nout n: Int\nn = default(n[1], 0) + 1\nq = 6 / (3 - n)\n";
  expect(ran_weir(&(ran_how){.spec = spec, .trace = "0:\n5: x = 1\n"}), 4, "0: q = 3\n   n = 1\n1: q = 6\n   n = 2\n",
         "spec.dsrv:5:7: error: tick 2: division by zero\n  q = 6 / (3 - n)\n        ^\n"
         "note: tick 2 has no row; it comes before trace.input:2\n");
}

Test(cli_run, a_refused_row_points_at_the_value_and_the_declaration) {
  expect(ran_weir(&(ran_how){.spec = divide, .trace = "0: x = 1\n   y = 2\n1: y = 1\n\n   x = [\"1\"] // no\n2: x = @"}), 4, "0: q = 0\n",
         "trace.input:5:8: error: tick 1: input x expects Int, got List\n     x = [\"1\"] // no\n         ^~~~~\n"
         "spec.dsrv:1:4: note: the input is declared here\n  in x: Int\n     ^\n");
}

Test(cli_run, a_place_far_behind_is_still_named) {
  size_t n = 100000;
  char *trace = malloc(n * 16 + 64), *to = trace;
  cr_assert(trace != NULL);
  to += sprintf(to, "0: x = 1.5\n");
  for (size_t i = 0; i < n; i++) to += sprintf(to, "// a comment\n");
  strcpy(to, "1:\n");
  expect(ran_weir(&(ran_how){.spec = copy, .trace = trace}), 4, "",
         "trace.input:1:8: error: tick 0: input x expects Int, got Float\nspec.dsrv:1:4: note: the input is declared here\n  in x: Int\n     ^\n");
  free(trace);
}

Test(cli_run, a_wrong_specification_is_drawn_and_is_two) {
  ran r = ran_weir(&(ran_how){.spec = "in x: Int\nout y: Int\ny = x + \"one\"\n", .trace = "0: x = 1\n"});
  cr_expect_eq(r.status, 2);
  cr_expect(strncmp(r.err, "spec.dsrv:3:", 12) == 0 && strstr(r.err, ": error: type: ") && strstr(r.err, "\n  y = x + \"one\"\n"), "%s", r.err);
  cr_expect_str_eq(r.out, "");
  ran_free(&r);
}

/* Not on the empty line behind it. */
Test(cli_run, what_lacks_something_at_its_end_is_drawn_with_its_line) {
  expect(ran_weir(&(ran_how){.spec = "in x: Int\nout y: Int\ny = x +\r\n\n", .args = {"check", "spec.dsrv"}}), 2, "",
         "spec.dsrv:3:8: error: parse: expected an expression, found the end of the text\n  y = x +\n         ^\n");
}

Test(cli_run, files_that_are_not_there_have_their_statuses) {
  expect(ran_weir(&(ran_how){.trace = "0:"}), 2, "", "weir: error: cannot read spec.dsrv: no such file or folder\n");
  expect(ran_weir(&(ran_how){.spec = copy}), 4, "", "weir: error: trace: cannot read trace.input: no such file or folder\n");
  expect(ran_weir(&(ran_how){.spec = copy, .args = {"run", "spec.dsrv", "/tmp"}}), 4, "", "weir: error: trace: cannot read /tmp: it is a folder\n");
  expect(ran_weir(&(ran_how){.spec = copy, .trace = "", .more = {"-o", "no/such"}}), 1, "", "weir: error: cannot write no/such: no such file or folder\n");
}

Test(cli_run, a_specification_is_read_up_to_its_limit) {
  ran at = ran_weir(&(ran_how){.spec = copy, .trace = "0: x = 1\n", .more = {"--max-source-bytes", "27"}});
  ran below = ran_weir(&(ran_how){.spec = copy, .trace = "0: x = 1\n", .more = {"--max-source-bytes", "26"}});
  cr_expect_eq(sizeof copy - 1, 27);
  cr_expect_eq(at.status, 0, "%s", at.err);
  cr_expect_eq(below.status, 2);
  cr_expect_str_eq(below.err, "spec.dsrv: error: parse: the text is larger than 26 bytes (--max-source-bytes)\n");
  ran_free(&at);
  ran_free(&below);
  ran json = ran_weir(&(ran_how){.spec = copy, .args = {"check", "--json", "--max-source-bytes", "26", "spec.dsrv"}});
  cr_expect_eq(json.status, 2);
  cr_expect(strstr(json.out, "\"code\": \"E_LIMIT\", \"phase\": null,\n     \"message\": \"the text is larger than 26 bytes (--max-source-bytes)\""), "%s", json.out);
  ran_free(&json);
}

Test(cli_run, limits_of_the_language_are_options) {
  static const char *const limits[][2] = {
    {"--max-nesting", "1"}, {"--max-name-bytes", "2"}, {"--max-equations", "1"}, {"--max-state-bytes", "5"}};
  static const char spec[] = "in xyz: Int\nout y: Int\nout z: Int\ny = ((((xyz))))\nz = xyz[9]\n";
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    ran r = ran_weir(&(ran_how){.spec = spec, .trace = "0: xyz = 1\n", .more = {limits[i][0], limits[i][1]}});
    cr_expect_eq(r.status, 2, "%s", limits[i][0]);
    ran_free(&r);
  }
  ran r = ran_weir(&(ran_how){.spec = "in x: Str\nout y: Str\ny = x\n", .trace = "0: x = \"a\"\n", .more = {"--max-memory", "1"}});
  cr_expect_eq(r.status, 1);
  cr_expect_str_eq(r.out, "");
  cr_expect_str_eq(r.err, "weir: error: out of memory\nhint: --max-memory says how much the monitor may hold\n");
  ran_free(&r);
}

/* Where there is no more in a tick, it depends on the allocator in which. */
Test(cli_run, a_tick_that_memory_fails_is_told_like_any_other) {
  char trace[4000], want[400];
  size_t n = 0;
  for (int i = 0; i < 60; i++) n += (size_t)snprintf(trace + n, sizeof trace - n, "%d: x = \"0123456789012345678901234567890123456789\"\n", i);
  static const char spec[] = "in x: Str\nout y: Str\ny = x ++ default(y[1], x)\n", *const tiers[] = {"auto", "canonical"};
  for (size_t i = 0; i < WB_LEN(tiers); i++) {
    unsigned tick = 0;
    ran r = ran_weir(&(ran_how){.spec = spec, .trace = trace, .more = {"--max-memory", "4KiB", "-o", "/dev/null", "--tier", tiers[i]}});
    cr_expect_eq(sscanf(r.err, "spec.dsrv:3:7: error: tick %u: out of memory\n", &tick), 1, "%s", r.err);
    snprintf(want, sizeof want, "spec.dsrv:3:7: error: tick %u: out of memory\n  y = x ++ default(y[1], x)\n        ^\n"
             "hint: --max-memory says how much the monitor may hold\nnote: tick %u is at trace.input:%u\n", tick, tick, tick + 1);
    expect(r, 1, "", want);
  }
  /* While the row is taken there is no operation yet. */
  n = (size_t)snprintf(trace, sizeof trace, "0: x = \"a\"\n1: x = \"");
  memset(trace + n, 'a', 3900 - n);
  snprintf(trace + 3900, 10, "\"\n");
  expect(ran_weir(&(ran_how){.spec = "in x: Str\nout y: Int\ny = 1\n", .trace = trace, .more = {"--max-memory", "4KiB"}}), 1, "0: y = 1\n",
         "spec.dsrv: error: tick 1: out of memory\nhint: --max-memory says how much the monitor may hold\nnote: tick 1 is at trace.input:2\n");
}

Test(cli_run, one_is_no_plural) {
  static const struct { const char *spec, *trace, *more[3], *said; } cases[] = {
    {copy, "0: x = 1\n", {"--max-source-bytes", "1"}, "the text is larger than 1 byte ("},
    {"in x: Int\nout y: Int\ny = ((x))\n", "", {"--max-nesting", "1"}, "nested deeper than 1 level ("},
    {"out y: Int\nout z: Int\ny = 1\nz = 2\n", "", {"--max-equations", "1"}, "more than 1 equation ("},
    {"in x: Int\nout y: Int\ny = x[1]\n", "", {"--max-state-bytes", "1"}, "a delay of 1 tick needs 25 bytes; the limit on state is 1 byte ("},
    {"in x: Int\nout y: Int\ny = x[18446744073709551615]\n", "", {"--max-state-bytes", "1"}, "a delay of 18446744073709551615 ticks needs more"},
    {copy, "0: x = 1\n", {"--max-line-bytes", "1"}, "the line is longer than 1 byte ("},
    {copy, "1: x = 1\n", {"--max-gap", "0"}, "1 tick without values comes before this one, more than --max-gap 0"},
    {copy, "2: x = 1\n", {"--max-gap", "1"}, "2 ticks without values come before this one, more than --max-gap 1"},
    {copy, "0: x = 1\n", {"--tier=quickened", "--stats"}, "memory bound    0 bytes\n"},
    {copy, "0: x = 1\n", {"--tier=quickened", "--check-tier=1/1", "--stats"}, "checked         1 row\n"},
    {copy, "1: x = 1\n", {"--tier=quickened", "--check-tier=1/1", "--stats"}, "checked         2 rows\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ran r = ran_weir(&(ran_how){.spec = cases[i].spec, .trace = cases[i].trace, .more = {cases[i].more[0], cases[i].more[1], cases[i].more[2]}});
    cr_expect(strstr(r.err, cases[i].said) != NULL, "%s: %s", cases[i].said, r.err);
    ran_free(&r);
  }
}

Test(cli_run, a_specification_does_not_come_from_standard_input) {
  static const char err[] = "weir: error: a specification cannot be read from standard input\nhint: - stands for a trace; ./- is a file of that name\n";
  static const char *const options[][2] = {{"-", NULL}, {"--language", "dsrv"}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    ran r = ran_weir(&(ran_how){.args = {"check", options[i][0], options[i][1], i == 0 ? NULL : "-"}});
    cr_expect_eq(r.status, 2);
    cr_expect_str_eq(r.err, err);
    ran_free(&r);
  }
}

/* ---- Ticks --------------------------------------------------------------------------------------------------------- */

Test(cli_run, without_inputs_ticks_are_asked_for) {
  static const char err[] =
    "spec.dsrv: error: the specification has no inputs, so no trace says how many ticks to run\nhint: --ticks N runs N ticks\n";
  expect(ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv"}}), 2, "", err);
  expect(ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "-"}}), 2, "", err);
  expect(ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "3"}}), 0, "0: n = 1\n1: n = 2\n2: n = 3\n", "");
  expect(ran_weir(&(ran_how){.spec = count, .trace = "1:\n"}), 0, "0: n = 1\n1: n = 2\n", "");
}

Test(cli_run, ticks_cut_and_fill_up) {
  static const char spec[] = "in x: Int\nout n: Int\nout y: Int\nn = default(n[1], 0) + 1\ny = x\n";
  static const char trace[] = "0: x = 1\n2: x = 2\n4: x = @";
  expect(ran_weir(&(ran_how){.spec = spec, .trace = trace, .more = {"--ticks=0"}}), 0, "", "");
  expect(ran_weir(&(ran_how){.spec = spec, .trace = trace, .more = {"--ticks=1"}}), 0, "0: n = 1\n   y = 1\n", "");
  expect(ran_weir(&(ran_how){.spec = spec, .trace = trace, .more = {"--ticks=2"}}), 0, "0: n = 1\n   y = 1\n1: n = 2\n", "");
  expect(ran_weir(&(ran_how){.spec = spec, .trace = trace, .more = {"--ticks=4"}}), 0,
         "0: n = 1\n   y = 1\n1: n = 2\n2: n = 3\n   y = 2\n3: n = 4\n", "");
  expect(ran_weir(&(ran_how){.spec = spec, .trace = "0: x = 1\n", .more = {"--ticks=3"}}), 0, "0: n = 1\n   y = 1\n1: n = 2\n2: n = 3\n", "");
  expect(ran_weir(&(ran_how){.spec = spec, .trace = "0: x = 1\n", .more = {"--ticks=3"}, .chunks = (const size_t[]){2, 0}}), 0,
         "0: n = 1\n   y = 1\n1: n = 2\n2: n = 3\n", "");
}

Test(cli_run, an_empty_trace_prints_nothing) {
  expect(ran_weir(&(ran_how){.spec = copy, .trace = ""}), 0, "", "");
  expect(ran_weir(&(ran_how){.spec = copy, .trace = "// nothing\n\n"}), 0, "", "");
  expect(ran_weir(&(ran_how){.spec = "in x: Int\naux y: Int\ny = x\n", .trace = "0: x = 1\n"}), 0, "", "");
  expect(ran_weir(&(ran_how){.spec = "", .trace = "0:\n"}), 0, "", "");
}

/* ---- Files --------------------------------------------------------------------------------------------------------- */

Test(cli_run, writes_to_a_file) {
  ran r = ran_weir(&(ran_how){.spec = copy, .trace = "0: x = 1\n1: x = @", .more = {"-o", "out.trace"}});
  cr_expect_eq(r.status, 4);
  cr_expect_str_eq(r.out, "");
  cr_expect_str_eq(r.file, "0: y = 1\n");
  ran_free(&r);
}

Test(cli_run, does_not_overwrite_what_it_reads) {
  expect(ran_weir(&(ran_how){.spec = copy, .trace = "0: x = 1\n", .more = {"-o", "./trace.input"}}), 2, "",
         "./trace.input: error: the output would overwrite the trace\n");
  expect(ran_weir(&(ran_how){.spec = copy, .trace = "0: x = 1\n", .more = {"-o", "./spec.dsrv"}}), 2, "",
         "./spec.dsrv: error: the output would overwrite the specification\n");
}

Test(cli_run, a_self_check_asks_for_its_folder_before_the_first_row) {
  expect(ran_weir(&(ran_how){.spec = copy, .trace = "0: x = 1\n", .more = {"--check-tier=1/2", "--check-folder=nowhere"}}), 2, "",
         "nowhere: error: not a folder; --check-folder needs one that is there\n");
  expect(ran_weir(&(ran_how){.spec = copy, .trace = "0: x = 1\n", .more = {"--check-tier=1/2", "--check-folder=."}}), 0, "0: y = 1\n", "");
}

Test(cli_run, a_full_disk_is_an_error_and_a_closed_pipe_is_quiet) {
  expect(ran_weir(&(ran_how){.spec = copy, .trace = "0: x = 1\n", .more = {"-o", "/dev/full"}}), 1, "",
         "/dev/full: error: cannot write: no space left on the device\n");
  signal(SIGPIPE, SIG_IGN);
  int ends[2];
  cr_assert(pipe2(ends, O_CLOEXEC) == 0);
  close(ends[0]);
  expect(ran_weir(&(ran_how){.spec = copy, .trace = "0: x = 1\n1: x = @", .out = ends[1]}), 1, "", "");
  expect(ran_weir(&(ran_how){.spec = copy, .args = {"--help"}, .out = ends[1]}), 1, "", "");
  expect(ran_weir(&(ran_how){.spec = copy, .args = {"check", "spec.dsrv"}, .out = ends[1]}), 1, "", "");
  close(ends[1]);
}

Test(cli_run, a_signal_ends_the_run_between_two_ticks) {
  static const volatile int stop = SIGTERM;
  ran r = ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "100", "--tier=canonical"}, .stop = &stop});
  cr_expect_eq(r.status, 1);
  cr_expect_str_eq(r.out, "0: n = 1\n");
  cr_expect_str_eq(r.err, "");
  ran_free(&r);
  r = ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "5000"}, .stop = &stop});
  cr_expect_eq(r.status, 1);
  size_t n_lines = 0;
  for (const char *p = r.out; (p = strchr(p, '\n')) != NULL; p++) n_lines++;
  cr_expect_eq(n_lines, CLI_COLUMN_ROWS, "as many as run together");
  cr_expect_eq(r.out[r.n_out - 1], '\n');
  ran_free(&r);
}

Test(cli_run, tells_statistics) {
  ran text = ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "3", "--stats"}});
  cr_expect(strncmp(text.err, "ticks           3\nseconds         0.", 34) == 0, "%s", text.err);
  cr_expect(strstr(text.err, "\nrows canonical  0\nrows quickened  3\n") != NULL, "%s", text.err);
  ran json = ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "3", "--stats=json"}});
  cr_expect(strncmp(json.err, "{\"version\": 1, \"ticks\": 3, \"seconds\": 0.", 40) == 0, "%s", json.err);
  ran_free(&text);
  ran_free(&json);
}

/* A column of 40 rows, in one tile unless fewer rows run together. */
Test(cli_run, statistics_say_how_rows_ran) {
  static const char spec[] = "in x: Int\nout y: Int\ny = (x + 1) * 3 - x * 5 + (x - 7)\n";
  char rows[400] = "x\n";
  for (int i = 0; i < 40; i++) snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%d\n", i);
  ran_how how = {.spec = spec, .trace = rows, .is_standard = true, .more = {"--tier=quickened", "--input-format=csv", "--stats"}};
  ran text = ran_weir(&how);
  enum { TILES = (40 + CLI_COLUMN_ROWS - 1) / CLI_COLUMN_ROWS };
  char expected[160];
  snprintf(expected, sizeof expected, "\nrows canonical  0\nrows quickened  40\ntiles           %d, of small values %d\n", TILES, TILES);
  cr_expect(strstr(text.err, expected) != NULL, "%s", text.err);
  how.more[2] = "--stats=json";
  ran json = ran_weir(&how);
  snprintf(expected, sizeof expected,
           "\"rows\": {\"canonical\": 0, \"quickened\": 40, \"native\": 0}, \"tiles\": {\"all\": %d, \"small\": %d, \"given_up\": 0}, ", TILES, TILES);
  cr_expect(strstr(json.err, expected) != NULL, "%s", json.err);
  cr_expect(strstr(json.err, "\"declined\": {\"overflow\": 0, \"div_zero\": 0, \"domain\": 0, \"guard\": 0}, \"exits\": {\"overflow\": 0, \"div_zero\": 0, \"domain\": 0, \"guard\": 0}, \"canonical_streams\": []}\n") != NULL, "%s", json.err);
  ran_free(&text);
  ran_free(&json);
#ifndef TEST_HAS_NATIVE /* the tier that is asked for gets columns as well: here they run quickened */
  how.more[0] = "--tier=native";
  how.more[3] = "--quiet";
  ran native = ran_weir(&how);
  cr_expect(strstr(native.err, expected) != NULL, "%s", native.err);
  ran_free(&native);
#endif
}

/* ---- Check --------------------------------------------------------------------------------------------------------- */

Test(cli_run, check_shows_order_types_and_what_is_read) {
  static const char spec[] = "out z: Bool\nout total: Int\nz = total[2] > 5 && x > 0\ntotal = default(total[1], 0) + x\nin x: Int\n";
  ran r = ran_weir(&(ran_how){.spec = spec, .args = {"check", "spec.dsrv"}});
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strncmp(r.out, "ok 3 streams, ", 14) == 0, "%s", r.out);
  cr_expect(strstr(r.out, "\norder  role  name   type  bytes  depends on\n") != NULL, "%s", r.out);
  cr_expect(strstr(r.out, "total[1], x\n") != NULL, "%s", r.out);
  cr_expect(strstr(r.out, "total[2], x\n") != NULL, "%s", r.out);
  ran_free(&r);
}

/* ---- The process --------------------------------------------------------------------------------------------------- */

typedef struct process { pid_t id; int in, out; } process;

/* Starts the command with pipes; its folder holds spec.dsrv. */
static process start(const char *spec, const char *const *words) {
  process p;
  int in[2], out[2];
  cr_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
  char folder[] = "/tmp/weir-run-XXXXXX";
  cr_assert(mkdtemp(folder) != NULL && chdir(folder) == 0);
  FILE *f = fopen("spec.dsrv", "w");
  cr_assert(f != NULL && fputs(spec, f) >= 0 && fclose(f) == 0);
  p.id = fork();
  cr_assert(p.id >= 0);
  if (p.id == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    execl(TEST_BUILD "/weir", "weir", "run", "spec.dsrv", words[0], words[1], (char *)NULL);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  p.in = in[1];
  p.out = out[0];
  return p;
}

static void leave_folder(void) {
  char folder[64];
  cr_assert(getcwd(folder, sizeof folder) != NULL && unlink("spec.dsrv") == 0 && chdir("/") == 0 && rmdir(folder) == 0);
}

static void tell(process p, const char *text) { cr_assert_eq(write(p.in, text, strlen(text)), (ssize_t)strlen(text)); }

/* What comes within two seconds, or "". */
static const char *hear(process p) {
  static char heard[4096];
  struct pollfd fd = {p.out, POLLIN, 0};
  ssize_t n = poll(&fd, 1, 2000) == 1 ? read(p.out, heard, sizeof heard - 1) : 0;
  heard[n > 0 ? n : 0] = '\0';
  return heard;
}

Test(cli_run, a_result_leaves_while_no_input_waits) {
  process p = start(copy, (const char *const[]){"-", NULL});
  tell(p, "0: x = 1\n1: x = 2\n2:");
  cr_expect_str_eq(hear(p), "0: y = 1\n1: y = 2\n", "two ticks are complete; the third is not");
  tell(p, "\n\nx = 3\n// more\n");
  tell(p, "4:");
  cr_expect_str_eq(hear(p), "2: y = 3\n");
  kill(p.id, SIGTERM);
  int status;
  cr_assert(waitpid(p.id, &status, 0) == p.id);
  cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "it waits for input, and ends by the signal");
  leave_folder();
}

Test(cli_run, a_blank_line_of_ndjson_is_waited_through) {
  process p = start(copy, (const char *const[]){"-", "--input-format=ndjson"});
  tell(p, "{\"x\": 1}\n\n");
  cr_expect_str_eq(hear(p), "{\"y\":1}\n");
  tell(p, "\n  \n");
  tell(p, "{\"x\": 2}\n  ");
  cr_expect_str_eq(hear(p), "{\"y\":2}\n");
  close(p.in);
  int status;
  cr_assert(waitpid(p.id, &status, 0) == p.id);
  cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  leave_folder();
}

/* From here on what is said on standard error goes into a pipe: the end to read it from. */
static int catch_errors(void) {
  int ends[2];
  cr_assert(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0 && dup2(ends[1], 2) == 2 && close(ends[1]) == 0);
  return ends[0];
}

Test(cli_run, a_signal_leaves_whole_lines_behind) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    int number = numbers[i], errors = catch_errors(), status;
    process p = start(count, (const char *const[]){"--ticks=1000000000", "--stats"});
    char text[4096];
    size_t n = 0;
    ssize_t got;
    char last = '\n';
    bool is_told = false; /* once: a second signal ends it at once */
    while ((got = read(p.out, text, sizeof text)) > 0) {
      last = text[got - 1];
      n += (size_t)got;
      if (n > 100000 && !is_told) is_told = kill(p.id, number) == 0;
    }
    cr_assert(waitpid(p.id, &status, 0) == p.id);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == number);
    cr_expect_eq(last, '\n');
    cr_assert((got = read(errors, text, sizeof text - 1)) > 0, "signal %d: the run ends by itself, with its statistics", number);
    text[got] = '\0';
    cr_expect(strstr(text, "ticks ") != NULL, "%s", text);
    close(errors);
    close(p.in);
    leave_folder();
  }
}

Test(cli_run, a_signal_ends_a_run_whose_output_nobody_takes) {
  process p = start(count, (const char *const[]){"--ticks", "1000000000"});
  char text[4096];
  cr_assert(read(p.out, text, sizeof text) > 0);
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL); /* until the pipe is full */
  kill(p.id, SIGTERM);
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < 200 && ended == 0; i++) {
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    ended = waitpid(p.id, &status, WNOHANG);
  }
  cr_expect_eq(ended, p.id);
  cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  ssize_t got;
  char last = '\n';
  while ((got = read(p.out, text, sizeof text)) > 0) last = text[got - 1];
  cr_expect_eq(last, '\n', "and what is in the pipe are whole lines");
  leave_folder();
}

Test(cli_run, a_closed_output_ends_the_process_with_one) {
  process p = start(count, (const char *const[]){"--ticks", "1000000000"});
  close(p.out);
  int status;
  cr_assert(waitpid(p.id, &status, 0) == p.id);
  cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  leave_folder();
}

Test(cli_run, an_integer_beyond_64_bits_is_told_the_range_of_an_int) {
  ran far = ran_weir(&(ran_how){.spec = copy, .trace = "0: x = 9223372036854775808\n"});
  cr_expect_eq(far.status, 4);
  cr_expect_not_null(strstr(far.err, "hint: an Int is at least -9223372036854775808 and at most 9223372036854775807\n"), "%s", far.err);
  ran_free(&far);
  ran near = ran_weir(&(ran_how){.spec = copy, .trace = "0: x = 1.5\n"});
  cr_expect_null(strstr(near.err, "hint"), "%s", near.err);
  ran_free(&near);
}

Test(cli_run, statistics_count_the_rows_that_were_checked) {
  ran all = ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "3000", "--tier=quickened", "--check-tier=1/1", "--stats=json"}});
  ran none = ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "3000", "--tier=canonical"}});
  cr_expect_str_eq(all.out, none.out);
  cr_expect_not_null(strstr(all.err, "\"checked\": "), "%s", all.err);
  cr_expect_null(strstr(all.err, "\"checked\": 0,"), "%s", all.err);
  cr_expect_not_null(strstr(all.err, "\"differences\": 0, \"difference_row\": null"), "%s", all.err);
  ran_free(&all);
  ran_free(&none);
}

/* In a build without the module; where it is, the tests of the native tier look at the report. */
Test(cli_run, statistics_say_what_became_of_native_code) {
  ran unasked = ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "3", "--tier=quickened", "--stats=json"}});
  cr_expect(strstr(unasked.err, "\"native_state\": \"unasked\", \"native_why\": null, \"native_streams\": 0, ") != NULL, "%s", unasked.err);
  ran_free(&unasked);
  ran never = ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "3", "--tier=auto", "--compile-after=4", "--stats=json"}});
  cr_expect(strstr(never.err, "\"native_since\": null, \"native_left\": 0, \"native_again\": null, \"quick_seconds\": 0.000000, \"compile_seconds\": 0.000000") != NULL, "%s", never.err);
  ran_free(&never);
  ran large = ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "3", "--tier=native", "--no-cache", "--max-compile-memory=1"}});
  cr_expect(strstr(large.err, "warning: no native code: the program is too large to be compiled (max_compile_memory); running quickened\n") != NULL, "%s", large.err);
  cr_expect_eq(large.status, 0);
  ran_free(&large);
#ifndef TEST_HAS_NATIVE
  static const char hint[] = "hint: a build with -DWEIR_NATIVE=ON makes it, as `./dev build native`; it is looked for beside this command, there in weir/, in ../lib/weir/, and "
                             "where modules are installed\n";
  char want[600];
  snprintf(want, sizeof want, "warning: no native code: the module weir_native.so is not there; running quickened\n%s", hint);
  expect(ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "1", "--tier=native", "--no-cache"}}), 0, "0: n = 1\n", want);
  snprintf(want, sizeof want, "spec.dsrv: error: no native code: the module weir_native.so is not there\n%s", hint);
  expect(ran_weir(&(ran_how){.spec = count, .args = {"explain", "spec.dsrv", "--stage", "llvm"}}), 2, "", want);
  ran asked = ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "3", "--tier=native", "--quiet", "--stats"}});
  cr_expect(strstr(asked.err, "\nnative          unavailable: the module weir_native.so is not there\n") != NULL, "%s", asked.err);
  ran_free(&asked);
  asked = ran_weir(&(ran_how){.spec = count, .args = {"run", "spec.dsrv", "--ticks", "3", "--tier=native", "--quiet", "--stats=json"}});
  cr_expect(strstr(asked.err, "\"native_state\": \"unavailable\", \"native_why\": \"the module weir_native.so is not there\", ") != NULL, "%s", asked.err);
  ran_free(&asked);
#endif
}
