/* tests/unit/cli_all_rows.c -- a whole trace in memory: its rows are those that `weir run` would run, and stay. */
#define _GNU_SOURCE 1 /* memfd_create */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/all_rows.h"
#include "tests/support/host.h"
#include "tests/test.h"

/* A command that has read its arguments, its specification and the trace. */
typedef struct reader {
  host_memory memory;
  cli_env env;
  cli c;
  cli_all_rows rows;
  cli_status status;
} reader;

/* A file in memory, by a name that can be opened. */
static void put(const char *text, char name[64], int *fd) {
  *fd = memfd_create("text", 0);
  cr_assert(*fd >= 0 && write(*fd, text, strlen(text)) == (ssize_t)strlen(text));
  snprintf(name, 64, "/proc/self/fd/%d", *fd);
}

static void open_reader(reader *r, const char *spec, const char *trace, const char *option, const char *value, uint64_t fail_at) {
  char spec_name[64], trace_name[64], option_text[32], value_text[32], language[] = "--language=dsrv", quiet[] = "-q";
  int spec_fd, trace_fd;
  put(spec, spec_name, &spec_fd);
  put(trace, trace_name, &trace_fd);
  *r = (reader){.status = CLI_DONE};
  host_memory_open(&r->memory);
  r->memory.fail_at = fail_at;
  r->env = (cli_env){.in = -1, .out = -1, .err = open("/dev/null", O_WRONLY), .wake = -1};
  wb_door_open(&r->env.door, &r->memory.allocator, 0);
  r->c.env = &r->env;
  wb_mem_init(&r->c.mem, &r->env.door, 0);
  wb_file_borrow(&r->c.err_file, &r->env.err_io, r->env.err);
  cli_say_open(&r->c.err, &r->c.err_file);
  snprintf(option_text, sizeof option_text, "%s", option != NULL ? option : "");
  snprintf(value_text, sizeof value_text, "%s", value != NULL ? value : "");
  char *argv[] = {language, quiet, spec_name, trace_name, option_text, value_text, NULL};
  cr_assert(cli_options_read(&r->c.set, CLI_BENCH, option != NULL ? 6 : 4, argv, &r->c.err));
  r->status = cli_spec_read(&r->c);
  if (r->status == CLI_DONE) r->status = cli_spec_load(&r->c);
  if (r->status == CLI_DONE) r->status = cli_all_rows_read(&r->c, &r->rows);
  close(spec_fd);
  close(trace_fd);
}

static void close_reader(reader *r) {
  weir_program_release(r->c.spec.program);
  weir_engine_free(r->c.engine);
  wb_mem_drop(&r->c.mem);
  close(r->env.err);
}

static const char spec[] = "in x: Int\nin s\nout y: Int\ny = x\n";
static const char trace[] = "0: x = 1\n   s = \"text\"\n3: s = [1, [2, {\"k\": \"v\"}], Tuple()]\n4: x = 5\n   s = deferred\n";

static void expect_rows(const reader *r, size_t n) {
  const weir_value *v = r->rows.values;
  cr_assert_eq(r->status, CLI_DONE);
  cr_assert_eq(r->rows.n, n);
  cr_expect_eq(r->rows.n_inputs, 2u);
  cr_expect(v[0].tag == WEIR_INT && v[0].as.i == 1 && v[1].tag == WEIR_TEXT && v[1].count == 4 && memcmp(v[1].as.text, "text", 4) == 0);
  for (size_t i = 2; i < 6; i++) cr_expect_eq(v[i].tag, WEIR_NOVAL, "a gap is rows without values");
  if (n < 4) return;
  cr_assert(v[7].tag == WEIR_LIST && v[7].count == 3 && v[7].as.items[1].tag == WEIR_LIST);
  const weir_value *map = &v[7].as.items[1].as.items[1];
  cr_assert(map->tag == WEIR_MAP && map->count == 1);
  cr_expect(map->as.entries[0].key.count == 1 && map->as.entries[0].key.as.text[0] == 'k' && map->as.entries[0].value.as.text[0] == 'v');
  if (n < 5) return;
  cr_expect(v[8].as.i == 5 && v[9].tag == WEIR_DEFERRED);
}

Test(cli_all_rows, rows_and_gaps_are_those_of_the_trace) {
  reader r;
  open_reader(&r, spec, trace, NULL, NULL, 0);
  expect_rows(&r, 5);
  close_reader(&r);
}

Test(cli_all_rows, ticks_cut_the_trace_or_fill_it_up) {
  static const struct { const char *ticks; size_t n; } cuts[] = {{"3", 3}, {"4", 4}, {"5", 5}, {"9", 9}};
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
    reader r;
    open_reader(&r, spec, trace, "--ticks", cuts[i].ticks, 0);
    expect_rows(&r, cuts[i].n);
    close_reader(&r);
  }
}

Test(cli_all_rows, csv_is_read_as_run_reads_it) {
  reader r;
  open_reader(&r, "in x: Int\nout y: Int\ny = x\n", "at,x\n10,1\n20,\n30,3\n", "--input-format", "csv", 0);
  cr_assert_eq(r.status, CLI_DONE);
  cr_assert_eq(r.rows.n, 3u);
  cr_expect(r.rows.values[0].as.i == 1 && r.rows.values[1].tag == WEIR_NOVAL && r.rows.values[2].as.i == 3);
  close_reader(&r);
}

Test(cli_all_rows, a_wrong_trace_is_refused) {
  reader r;
  open_reader(&r, spec, "0: x = @\n", NULL, NULL, 0);
  cr_expect_eq(r.status, CLI_REFUSED);
  close_reader(&r);
}

Test(cli_all_rows, values_that_do_not_fit_are_refused) {
  static const char *const wrong[] = {"0: x = 1\n4: x = 1.5\n", "0: x = \"a\"\n"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    reader r;
    open_reader(&r, spec, wrong[i], NULL, NULL, 0);
    cr_expect_eq(r.status, CLI_REFUSED, "%s", wrong[i]);
    close_reader(&r);
  }
}

/* A tick that fails is told by whoever runs it, and the rows behind it are there. */
Test(cli_all_rows, a_tick_that_fails_is_another_matter) {
  reader r;
  open_reader(&r, "in x: Int\nout y: Int\ny = 1 / x\n", "0: x = 1\n1: x = 0\n2: x = 3\n", NULL, NULL, 0);
  cr_expect_eq(r.status, CLI_DONE);
  cr_expect_eq(r.rows.n, 3u);
  close_reader(&r);
}

Test(cli_all_rows, every_request_for_memory_may_fail) {
  for (uint64_t at = 1;; at++) {
    reader r;
    open_reader(&r, spec, trace, NULL, NULL, at);
    bool is_done = r.memory.calls < at;
    if (is_done) expect_rows(&r, 5);
    else cr_expect(r.status == CLI_FAILED || r.status == CLI_DONE, "request %zu: %d", (size_t)at, (int)r.status);
    close_reader(&r);
    if (is_done) break;
  }
}
