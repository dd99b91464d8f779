/* tests/unit/cli_csv.c -- CSV as interfaces.md defines it: read, refused, written, however the bytes come. */
#define _GNU_SOURCE 1 /* pthread_attr_setstacksize */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/digits.h"
#include "tests/support/ran.h"
#include "tests/test.h"

/* Copies its inputs. */
static const char copy[] =
  "in x: Int\nin f: Float\nin s: Str\nin w\nin b: Bool\nin l: List<Int>\n"
  "out xo: Int\nout fo: Float\nout so: Str\nout wo\nout bo: Bool\nout lo: List<Int>\n"
  "xo = x\nfo = f\nso = s\nwo = w\nbo = b\nlo = l\n";

#define HEADER "xo,fo,so,wo,bo,lo\n"

static ran run_csv(const char *spec, const char *csv, const char *option, const char *value) {
  return ran_weir(&(ran_how){.spec = spec, .trace = csv, .is_standard = true, .more = {"--input-format", "csv", option, value}});
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

static const char rich[] =
  "\xEF\xBB\xBF\"s\",x , f,w,l,b\r\n"
  "\"a,\"\"b\"\"\r\nc\",5,-0,\"[1, \"\"a\"\"]\",\"[1, 2]\",true\r\n"
  ",,,,,\r\n"
  "\"\",-9223372036854775808,1e3,\"\"\"5\"\"\",[],false\r\n"
  "deferred,deferred,deferred,deferred,deferred,deferred\r\n"
  "\"deferred\",\"7\",9007199254740993,\"deferred\",, true\n"
  "plain,+8,inf,\"Tuple(1, {\"\"k\"\": 2})\",,\n"
  " kept , 9 ,nan,hello w\xC3\xB6rld,,\n"
  "1,009223372036854775807,.5,9223372036854775808,,\n"
  "-,-5,100000000000000000000000,1e3,,\n"
  "x\ty,0,0.1,1_000,,\n"
  "deferred ,1,-1.5E-7,\"5\",,\n"
  "a'b,1,123456789012345678901234567890e-20,\"\",\"List( 3 )\",";

static const char rich_trace[] =
  "0: xo = 5\n   fo = -0.0\n   so = e\"a,\\\"b\\\"\\r\\nc\"\n   wo = [1, \"a\"]\n   bo = true\n   lo = [1, 2]\n"
  "2: xo = -9223372036854775808\n   fo = 1000.0\n   so = \"\"\n   wo = \"5\"\n   bo = false\n   lo = []\n"
  "3: xo = deferred\n   fo = deferred\n   so = deferred\n   wo = deferred\n   bo = deferred\n   lo = deferred\n"
  "4: xo = 7\n   fo = 9007199254740992.0\n   so = \"deferred\"\n   wo = \"deferred\"\n   bo = true\n"
  "5: xo = 8\n   fo = inf\n   so = \"plain\"\n   wo = Tuple(1, {\"k\": 2})\n"
  "6: xo = 9\n   fo = nan\n   so = \" kept \"\n   wo = \"hello w\xC3\xB6rld\"\n"
  "7: xo = 9223372036854775807\n   fo = 0.5\n   so = \"1\"\n   wo = 9.223372036854776e18\n"
  "8: xo = -5\n   fo = 1e23\n   so = \"-\"\n   wo = 1000.0\n"
  "9: xo = 0\n   fo = 0.1\n   so = e\"x\\ty\"\n   wo = \"1_000\"\n"
  "10: xo = 1\n    fo = -1.5e-7\n    so = \"deferred \"\n    wo = 5\n"
  "11: xo = 1\n    fo = 1234567890.1234567\n    so = \"a'b\"\n    wo = \"\"\n    lo = [3]\n";

Test(cli_csv, reads_every_form) {
  ran r = run_csv(copy, rich, "--output-format", "trace");
  cr_expect_str_eq(r.out, rich_trace);
  cr_expect_str_eq(r.err, "");
  cr_expect_eq(r.status, 0);
  ran_free(&r);
}

static const char rich_csv[] = HEADER
  "5,-0.0,\"a,\"\"b\"\"\r\nc\",\"[1, \"\"a\"\"]\",true,\"[1, 2]\"\n"
  ",,,,,\n"
  "-9223372036854775808,1000.0,\"\",\"\"\"5\"\"\",false,\"[]\"\n"
  "deferred,deferred,deferred,deferred,deferred,deferred\n"
  "7,9007199254740992.0,\"deferred\",\"deferred\",true,\n"
  "8,inf,plain,\"Tuple(1, {\"\"k\"\": 2})\",,\n"
  "9,nan, kept ,hello w\xC3\xB6rld,,\n"
  "9223372036854775807,0.5,1,9.223372036854776e18,,\n"
  "-5,1e23,-,1000.0,,\n"
  "0,0.1,x\ty,1_000,,\n"
  "1,-1.5e-7,deferred ,5,,\n"
  "1,1234567890.1234567,a'b,\"\",,\"[3]\"\n";

Test(cli_csv, writes_a_header_and_a_row_a_tick) {
  ran r = run_csv(copy, rich, NULL, NULL);
  cr_expect_str_eq(r.out, rich_csv);
  cr_expect_str_eq(r.err, "");
  ran_free(&r);
}

Test(cli_csv, reads_its_own_output) {
  static const char other[] =
    "in xo: Int\nin fo: Float\nin so: Str\nin wo\nin bo: Bool\nin lo: List<Int>\n"
    "out x: Int\nout f: Float\nout s: Str\nout w\nout b: Bool\nout l: List<Int>\nx = xo\nf = fo\ns = so\nw = wo\nb = bo\nl = lo\n";
  ran a = run_csv(other, rich_csv, NULL, NULL);
  ran b = run_csv(copy, a.out, NULL, NULL);
  cr_expect_eq(a.status, 0);
  cr_expect_str_eq(b.out, rich_csv);
  ran_free(&a);
  ran_free(&b);
}

/* What a cell of an input without a type becomes in a trace, and in the CSV of an output without a type. */
static const struct { const char *cell, *trace, *csv; } cells[] = {
  {"5", "5", "5"}, {"\"5\"", "5", "5"}, {" 5 ", "5", "5"}, {"\"\"\"5\"\"\"", "\"5\"", "\"\"\"5\"\"\""},
  {"5.0", "5.0", "5.0"}, {"-0", "0", "0"}, {"-0.0", "-0.0", "-0.0"}, {"1e3", "1000.0", "1000.0"}, {"INF", "inf", "inf"}, {"NaN", "nan", "nan"},
  {"true", "true", "true"}, {"True", "\"True\"", "True"}, {"()", "()", "\"()\""},
  {"\"()\"", "()", "\"()\""}, {"[]", "[]", "\"[]\""}, {"\"[1,2]\"", "[1, 2]", "\"[1, 2]\""}, {"[1", "\"[1\"", "[1"},
  {"\"\"\"[1]\"\"\"", "\"[1]\"", "\"\"\"[1]\"\"\""}, {"List(1)", "[1]", "\"[1]\""}, {"List", "\"List\"", "List"}, {"Tuple()", "Tuple()", "\"Tuple()\""},
  {"\"{\"\"a\"\": e\"\"\\n\"\"}\"", "{\"a\": e\"\\n\"}", "\"{\"\"a\"\": e\"\"\\n\"\"}\""},
  {"abc", "\"abc\"", "abc"}, {"1 2", "\"1 2\"", "1 2"}, {"1.2.3", "\"1.2.3\"", "1.2.3"}, {"2024-01-01", "\"2024-01-01\"", "2024-01-01"},
  {"\"a,b\"", "\"a,b\"", "\"a,b\""}, {"\"a\nb\"", "e\"a\\nb\"", "\"a\nb\""}, {"\"\"", "\"\"", "\"\""}, {"deferred", "deferred", "deferred"},
  {"\"deferred\"", "\"deferred\"", "\"deferred\""}, {" deferred", "deferred", "deferred"}, {"\" deferred\"", "\" deferred\"", "\" deferred\""},
  {"  ", "\"  \"", "  "}, {"\"a\"\"b\"", "e\"a\\\"b\"", "\"a\"\"b\""}, {"\"\"\"", NULL, NULL}, {"infinity", "inf", "inf"}, {"-inf", "-inf", "-inf"},
  {"+5", "5", "5"}, {"+", "\"+\"", "+"}, {"-", "\"-\"", "-"}, {".", "\".\"", "."}, {"\"[1, deferred]\"", "\"[1, deferred]\"", "\"[1, deferred]\""},
  {"18446744073709551616", "1.8446744073709552e19", "1.8446744073709552e19"}, {"truefalse", "\"truefalse\"", "truefalse"},
  {"\"\"\"a\"\" b\"", "e\"\\\"a\\\" b\"", "\"\"\"a\"\" b\""},
};

Test(cli_csv, a_cell_without_a_type_is_a_trace_value_or_else_a_text) {
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    char text[100], want_trace[100], want_csv[100];
    if (cells[i].trace == NULL) continue;
    (void)snprintf(text, sizeof text, "w\n%s\n", cells[i].cell);
    (void)snprintf(want_trace, sizeof want_trace, "0: o = %s\n", cells[i].trace);
    (void)snprintf(want_csv, sizeof want_csv, "o\n%s\n", cells[i].csv);
    ran a = run_csv("in w\nout o\no = w\n", text, "--output-format", "trace"), b = run_csv("in w\nout o\no = w\n", text, NULL, NULL);
    cr_expect_str_eq(a.out, want_trace);
    cr_expect_str_eq(b.out, want_csv);
    char again[100];
    (void)snprintf(again, sizeof again, "w\n%s\n", cells[i].csv);
    ran c = run_csv("in w\nout o\no = w\n", again, "--output-format", "trace");
    cr_expect_str_eq(c.out, want_trace);
    ran_free(&a);
    ran_free(&b);
    ran_free(&c);
  }
}

/* ---- What is wrong ------------------------------------------------------------------------------------------------- */

/* The CSV, the first line of the message (file and "error" left out), and the rows before it. */
static const struct { const char *csv, *message, *rows; } wrong[] = {
  {"x,f\n1,2\n3\n4,5\n", "3:2 trace 1: the row has 1 cell, the header has 2", "1,2.0,,,,\n"},
  {"x,f\n1,2\n3,4,5\n", "3:4 trace 1: the row has 3 cells, the header has 2", "1,2.0,,,,\n"},
  {"x,f\n1,2\n\n", "3:1 trace 1: the row has 1 cell, the header has 2", "1,2.0,,,,\n"},
  {"x,f\n1,2\n3,", NULL, "1,2.0,,,,\n3,,,,,\n"},
  {"x,f\n1,2\n3", "3:2 trace 1: the row has 1 cell, the header has 2", "1,2.0,,,,\n"},
  {"x,s\n1,\"a\n\nb\"\n2\n", "5:2 trace 1: the row has 1 cell, the header has 2", "1,,\"a\n\nb\",,,\n"},
  {"s,x\r\n\"a\r\nb\",1\r\nc\r\n", "4:2 trace 1: the row has 1 cell, the header has 2", "1,,\"a\r\nb\",,,\n"},
  {"x,f\n1,2,3,\"a", "2:4 trace 0: the row has 4 cells or more, the header has 2", ""},
  {"x,f,x\n", "1:5 trace: the column x stands here a second time", NULL},
  {"a,x,\"a\"\n", "1:5 trace: the column a stands here a second time", NULL},
  {"x\n1.0\n", "2:1 tick 0: input x expects Int, got Float", ""},
  {"x\n1e18\n", "2:1 tick 0: input x expects Int, got Float", ""},
  {"x\n1\n9223372036854775808\n", "3:1 tick 1: input x expects Int, got Float", "1,,,,,\n"},
  {"x\n-9223372036854775809\n", "2:1 tick 0: input x expects Int, got Float", ""},
  {"x\nabc\n", "2:1 tick 0: input x expects Int, got Str", ""},
  {"f,x\n1,\"\"\n", "2:3 tick 0: input x expects Int, got Str", ""},
  {"f,x\n1,true\n", "2:3 tick 0: input x expects Int, got Bool", ""},
  {"f\n1e309\n", "2:1 trace 0: 1e309 is beyond the range of Float", ""},
  {"x,f\n1,-1e309\n", "2:3 trace 0: -1e309 is beyond the range of Float", ""},
  {"f\n1,5\n", "2:2 trace 0: the row has 2 cells, the header has 1", ""},
  {"f\n1.5.5\n", "2:1 tick 0: input f expects Float, got Str", ""},
  {"f\n0x10\n", "2:1 tick 0: input f expects Float, got Str", ""},
  {"b\n1\n", "2:1 tick 0: input b expects Bool, got Int", ""},
  {"b\nTRUE\n", "2:1 tick 0: input b expects Bool, got Str", ""},
  {"l\n\"[1, true]\"\n", "2:1 tick 0: input l expects List<Int>: inside it Int, got Bool", ""},
  {"s\na\"b\n", "2:2 trace 0: a quote inside a cell that does not begin with one", ""},
  {"s\n\"ab\n", "2:1 trace 0: the quote that begins here never ends", ""},
  {"x,s\n1,\n2,\"ab\n3,c\n", "3:3 trace 1: the quote that begins here never ends", "1,,,,,\n"},
  {"s\n\"ab\"c\n", "2:5 trace 0: a cell goes on behind its closing quote", ""},
  {"s\n\"ab\" \n", "2:5 trace 0: a cell goes on behind its closing quote", ""},
  {"s\na\rb\n", "2:2 trace 0: a carriage return stands alone", ""},
  {"x,f\n1\r,2\n", "2:2 trace 0: a carriage return stands alone", ""},
  {"s\n\xC3\xA9\xFF\n", "2:2 trace 0: this byte is not valid UTF-8", ""},
  {"s\n\"\xED\xA0\x80\"\n", "2:2 trace 0: this byte is not valid UTF-8", ""},
  {"x\n\xC3\n", "2:1 trace 0: this byte is not valid UTF-8", ""},
  {"\xFFx\n", "1:1 trace: this byte is not valid UTF-8", NULL},
  {"\"x\n", "1:1 trace: the quote that begins here never ends", NULL},
  {"x\n1\r", NULL, "1,,,,,\n"},
};

/* "FILE:2:7: error: trace 1: ..." as in the tables. */
static void expect_message(const char *err, const char *message) {
  char want[300];
  const char *space = strchr(message, ' ');
  int n = snprintf(want, sizeof want, "<stdin>:%.*s: error: %s\n", (int)(space - message), message, space + 1);
  cr_assert(n > 0 && (size_t)n < sizeof want);
  cr_expect(strncmp(err, want, (size_t)n) == 0, "want %sgot  %s", want, err);
}

Test(cli_csv, tells_what_is_wrong_and_where) {
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ran r = run_csv(copy, wrong[i].csv, "--quiet", NULL);
    char want[300];
    (void)snprintf(want, sizeof want, HEADER "%s", wrong[i].rows ? wrong[i].rows : "");
    cr_expect_eq(r.status, wrong[i].message ? 4 : 0, "%s", wrong[i].csv);
    if (wrong[i].message) expect_message(r.err, wrong[i].message);
    cr_expect_str_eq(r.out, want, "of %s", wrong[i].csv);
    ran_free(&r);
  }
}

Test(cli_csv, draws_the_place) {
  ran r = run_csv(copy, "x,s\n1,\"\xC3\xA9\"\n2,\"b\" \n", "--quiet", NULL);
  cr_expect_str_eq(r.err,
    "<stdin>:3:6: error: trace 1: a cell goes on behind its closing quote\n"
    "  2,\"b\" \n"
    "       ^\n"
    "hint: a quote inside of quotes is doubled\n");
  ran_free(&r);
}

/* ---- The header ---------------------------------------------------------------------------------------------------- */

static const char two[] = "in pressure: Int\nin temp: Int\nout p: Int\nout t: Int\np = pressure\nt = temp\n";

Test(cli_csv, columns_come_in_any_order) {
  ran r = run_csv(two, "temp,pressure\n1,2\n", NULL, NULL);
  cr_expect_str_eq(r.out, "p,t\n2,1\n");
  cr_expect_str_eq(r.err, "");
  ran_free(&r);
}

Test(cli_csv, an_input_without_a_column_is_never_fed_with_one_warning) {
  ran r = run_csv(two, "temp\n1\n2\n", NULL, NULL);
  cr_expect_str_eq(r.out, "p,t\n,1\n,2\n");
  cr_expect_str_eq(r.err, "<stdin>:1:1: warning: the input pressure is not in the header and is never fed\n  temp\n  ^\n");
  cr_expect_eq(r.status, 0);
  ran_free(&r);
}

/* Twenty are told one by one. */
Test(cli_csv, of_many_inputs_without_a_column_the_last_are_counted) {
  for (int more = 0; more < 3; more++) {
    static const char *const ends[] = {"in the header and is never fed\n", "is never fed, as is 1 other\n", "is never fed, as are 2 others\n"};
    char spec[1000] = "out y: Int\ny = a\nin a: Int\n", *end = spec + strlen(spec);
    for (int i = 0; i < 20 + more; i++) end += sprintf(end, "in x%d: Int\n", i);
    ran r = run_csv(spec, "a\n1\n", NULL, NULL);
    cr_expect(strstr(r.err, ends[more]) != NULL && (more == 0) == (strstr(r.err, ", as ") == NULL), "%d: %s", more, r.err);
    ran_free(&r);
  }
}

Test(cli_csv, a_column_without_an_input_is_ignored_with_one_warning) {
  ran r = run_csv(two, "temp,presure,pressure,\n1,\"x,\n\",2,y\n3,,4,\n", NULL, NULL);
  cr_expect_str_eq(r.out, "p,t\n2,1\n4,3\n");
  cr_expect_str_eq(r.err,
    "<stdin>:1:6: warning: presure is not an input and is ignored\n  temp,presure,pressure,\n       ^~~~~~~\nhint: the nearest input is pressure\n"
    "<stdin>:1:23: warning: column 4 has no name and is ignored\n  temp,presure,pressure,\n                        ^\n");
  ran_free(&r);
}

Test(cli_csv, strict_refuses_an_unknown_column) {
  ran r = run_csv(two, "temp,presure,pressure\n1,2,3\n", "--strict", NULL);
  cr_expect_eq(r.status, 4);
  cr_expect_str_eq(r.err,
    "<stdin>:1:6: error: trace: presure is not an input (--strict)\n  temp,presure,pressure\n       ^~~~~~~\nhint: the nearest input is pressure\n");
  ran_free(&r);
}

Test(cli_csv, an_empty_file_and_a_mere_header_run_no_tick) {
  static const char *const files[] = {"", "\xEF\xBB\xBF", "pressure,temp", "pressure,temp\n", "\xEF\xBB\xBFtemp,pressure\r\n"};
  for (size_t i = 0; i < 5; i++) {
    ran r = run_csv(two, files[i], NULL, NULL);
    cr_expect_eq(r.status, 0);
    cr_expect_str_eq(r.out, "p,t\n");
    cr_expect_str_eq(r.err, "");
    ran_free(&r);
  }
}

/* ---- Ticks and time ------------------------------------------------------------------------------------------------ */

static const char one[] = "in x: Int\nout y: Int\nout n: Int\ny = x\nn = default(n[1], 0) + 1\n";

Test(cli_csv, an_empty_line_of_one_column_is_a_tick) {
  ran r = run_csv(one, "x\n1\n\n3\n\r\n", NULL, NULL);
  cr_expect_str_eq(r.out, "y,n\n1,1\n,2\n3,3\n,4\n");
  ran_free(&r);
}

Test(cli_csv, ticks_cut_and_fill_up) {
  static const struct { const char *ticks, *out; } runs[] = {
    {"0", "y,n\n"}, {"1", "y,n\n1,1\n"}, {"2", "y,n\n1,1\n2,2\n"}, {"4", "y,n\n1,1\n2,2\n,3\n,4\n"},
  };
  for (size_t i = 0; i < 4; i++) {
    ran r = run_csv(one, i < 3 ? "x\n1\n2\nbad,row\n" : "x\n1\n2\n", "--ticks", runs[i].ticks);
    cr_expect_eq(r.status, 0, "%s", r.err);
    cr_expect_str_eq(r.out, runs[i].out);
    ran_free(&r);
  }
}

Test(cli_csv, a_specification_without_outputs_writes_nothing) {
  ran r = run_csv("in x: Int\n", "x\n1\n2\n", NULL, NULL);
  cr_expect_eq(r.status, 0);
  cr_expect_str_eq(r.out, "");
  ran_free(&r);
}

static const struct { const char *csv, *out, *message; } timed[] = {
  {"t,x\n1,5\n1,6\n1.5,7\n2e0,8\n", "t,y,n\n1,5,1\n1,6,2\n1.5,7,3\n2e0,8,4\n", NULL},
  {"x,t\n5,\"a,b\"\n6,\"a,c\"\n7,b\n", "t,y,n\n\"a,b\",5,1\n\"a,c\",6,2\nb,7,3\n", NULL},
  {"x,t\n5,2024-11-30T01:30:00Z\n6,2024-11-30T01:30:01Z\n", "t,y,n\n2024-11-30T01:30:00Z,5,1\n2024-11-30T01:30:01Z,6,2\n", NULL},
  {"x,t\n5,9223372036854775806\n6,9223372036854775807\n7,9223372036854775806", "t,y,n\n9223372036854775806,5,1\n9223372036854775807,6,2\n",
   "4:3 trace 2: time 9223372036854775806 after 9223372036854775807"},
  {"x,t\n5,-1\n6,-2\n", "t,y,n\n-1,5,1\n", "3:3 trace 1: time -2 after -1"},
  {"x,t\n5,10\n6,9\n", "t,y,n\n10,5,1\n", "3:3 trace 1: time 9 after 10"},
  {"x,t\n5,b\n6,a\n", "t,y,n\nb,5,1\n", "3:3 trace 1: time a after b"},
  {"x,t\n5,1\n6,a\n", "t,y,n\n1,5,1\n", "3:3 trace 1: time a after 1: only one of them is a number"},
  {"x,t\n5,1\n6,\n", "t,y,n\n1,5,1\n", "3:3 trace 1: the time is missing (--time-column t)"},
  {"x,t\n5,nan\n", "t,y,n\n", "2:3 trace 0: nan is no time"},
  {"x\n5\n", "t,y,n\n", "1:1 trace: there is no column t (--time-column)"},
};

Test(cli_csv, time_is_a_label_that_never_goes_back) {
  for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
    ran r = run_csv(one, timed[i].csv, "--time-column", "t");
    cr_expect_eq(r.status, timed[i].message ? 4 : 0, "%s", r.err);
    cr_expect_str_eq(r.out, timed[i].out);
    if (timed[i].message) expect_message(r.err, timed[i].message);
    ran_free(&r);
  }
}

Test(cli_csv, time_goes_from_format_to_format) {
  static const char csv[] = "t,x\n1,5\n01,6\n1.5,7\n";
  ran a = ran_weir(&(ran_how){.spec = one, .trace = csv, .is_standard = true,
                              .more = {"--input-format=csv", "--time-column=t", "--output-format=ndjson", "--ticks=4"}});
  cr_expect_str_eq(a.out, "{\"t\":1,\"y\":5,\"n\":1}\n{\"t\":\"01\",\"y\":6,\"n\":2}\n{\"t\":1.5,\"y\":7,\"n\":3}\n{\"t\":1.5,\"n\":4}\n");
  ran b = ran_weir(&(ran_how){.spec = one, .trace = csv, .is_standard = true, .more = {"--input-format", "csv", "--time-column", "t", "--ticks", "4"}});
  cr_expect_str_eq(b.out, "t,y,n\n1,5,1\n01,6,2\n1.5,7,3\n1.5,,4\n");
  ran_free(&a);
  ran_free(&b);
}

Test(cli_csv, ticks_that_fill_up_repeat_the_last_label_and_are_read_back) {
  static const char *const times[] = {"1.50", "\"a,\"\"b\n\"", "\"5\"", "\xC3\xA9"};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    char csv[64];
    (void)snprintf(csv, sizeof csv, "t,x\n%s,5\n", times[i]);
    ran_how how = {.spec = "in x: Int\nout y: Int\ny = x\n", .trace = csv, .is_standard = true, .more = {"--input-format=csv", "--time-column=t", "--ticks=3"}};
    ran a = ran_weir(&how);
    how = (ran_how){.spec = "in y: Int\nout x: Int\nx = y\n", .trace = a.out, .is_standard = true, .more = {"--input-format=csv", "--time-column=t", "--ticks=4"}};
    ran b = ran_weir(&how);
    cr_expect_eq(b.status, 0, "%s", b.err);
    const char *label = i == 2 ? "5" : times[i];
    char want[128];
    (void)snprintf(want, sizeof want, "t,x\n%s,5\n%s,\n%s,\n%s,\n", label, label, label, label);
    cr_expect_str_eq(b.out, want);
    ran_free(&a);
    ran_free(&b);
  }
}

Test(cli_csv, a_column_of_time_may_feed_an_input_too) {
  ran r = run_csv("in t: Int\nout y: Int\ny = t * 2\n", "t\n1\n2\n", "--time-column", "t");
  cr_expect_str_eq(r.out, "t,y\n1,2\n2,4\n");
  ran_free(&r);
}

Test(cli_csv, a_column_of_time_must_not_be_an_output) {
  ran r = run_csv("in t: Int\nout y: Int\ny = t * 2\n", "t\n1\n2\n", "--time-column", "y");
  cr_expect_eq(r.status, 2);
  ran_free(&r);
}

/* ---- Pieces and sizes ---------------------------------------------------------------------------------------------- */

static const size_t ones[] = {1, 0}, twos[] = {2, 0}, threes[] = {3, 0}, sevens[] = {7, 0}, odd[] = {1, 13, 2, 5, 40, 3, 1, 1, 0};
static const size_t *const cuts[] = {ones, twos, threes, sevens, odd};

/* The CSV comes as a whole, then in the given pieces; both must look the same. */
static void compare_pieces(const char *csv, const size_t *chunks, const char *option, const char *value) {
  ran_how how = {.spec = copy, .trace = csv, .is_standard = true, .args = {"run", "spec.dsrv", "-"}, .more = {"--input-format", "csv", option, value}};
  ran a = ran_weir(&how);
  how.is_standard = false;
  how.chunks = chunks;
  ran b = ran_weir(&how);
  cr_expect_str_eq(b.out, a.out, "pieces of %zu of %s", chunks[0], csv);
  cr_expect_str_eq(b.err, a.err, "pieces of %zu of %s", chunks[0], csv);
  cr_expect_eq(b.status, a.status);
  ran_free(&a);
  ran_free(&b);
}

Test(cli_csv, pieces_change_nothing) {
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
    compare_pieces(rich, cuts[i], NULL, NULL);
    compare_pieces(rich, cuts[i], "--ticks", "20");
  }
}

Test(cli_csv, pieces_change_no_message, .timeout = 120) {
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i += 2)
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) compare_pieces(wrong[k].csv, cuts[i], NULL, NULL);
}

Test(cli_csv, random_pieces_change_nothing) {
  uint64_t seed = 1;
  for (int round = 0; round < 60; round++) {
    size_t chunks[33] = {0};
    for (size_t i = 0; i < 32; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      chunks[i] = 1 + (size_t)(seed >> 60);
    }
    compare_pieces(rich, chunks, NULL, NULL);
  }
}

/* With the limit `at` it passes, with `below` it is refused; chunks: NULL for one piece. */
static void expect_limit(const char *csv, const size_t *chunks, const char *at, const char *below, const char *message, const char *out) {
  ran_how how = {.spec = copy, .trace = csv, .is_standard = chunks == NULL, .chunks = chunks, .args = {"run", "spec.dsrv", "-"},
                 .more = {"--input-format=csv", "--quiet", "--max-line-bytes", at}};
  ran passes = ran_weir(&how);
  how.more[3] = below;
  ran fails = ran_weir(&how);
  cr_expect_eq(passes.status, 0, "%s", passes.err);
  cr_expect_eq(fails.status, 4);
  cr_expect_str_eq(fails.out, out);
  expect_message(fails.err, message);
  ran_free(&passes);
  ran_free(&fails);
}

Test(cli_csv, a_limit_on_lines_leaves_out_their_ends_and_holds_exactly_however_they_are_cut) {
  static const char *const ends[] = {"\"\n3,\n", "\"\n", "\"\r\n3,\n", "\"\r\n", "\""};
  static const char message[] = "3:1 trace 1: the line is longer than 91 bytes (--max-line-bytes)";
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    char *t = test_repeat("x,s\r\n1,\r\n2,\"", "a\n", 44, ends[k]); /* 92 bytes and the end of the line */
    expect_limit(t, NULL, "92", "91", message, HEADER "1,,,,,\n");
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) expect_limit(t, cuts[i], "92", "91", message, HEADER "1,,,,,\n");
    free(t);
  }
}

Test(cli_csv, a_limit_on_lines_holds_for_the_header_before_it_warns) {
  static const char *const headers[] = {"x,unknown", "x,unknown\n", "x,unknown\r\n", "x,unknown\r\n1,2\r\n"};
  for (size_t k = 0; k < sizeof headers / sizeof *headers; k++) {
    ran r = run_csv(copy, headers[k], "--max-line-bytes", "8");
    cr_expect_str_eq(r.err, "<stdin>:1:1: error: trace: the line is longer than 8 bytes (--max-line-bytes)\n  x,unknown\n  ^\n");
    ran_free(&r);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
      compare_pieces(headers[k], cuts[i], "--max-line-bytes", "8");
      compare_pieces(headers[k], cuts[i], "--max-line-bytes", "9");
    }
  }
}

Test(cli_csv, what_is_wrong_within_the_limit_is_told_however_the_line_is_cut) {
  char *t = test_repeat("x,s\n1,\n2,a\"", "b", 5000, "\n3,\n");
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) compare_pieces(t, cuts[i], "--max-line-bytes", "50");
  free(t);
  t = test_repeat("x,s\n1,\n2", ",", 5000, "\n3,\n");
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) compare_pieces(t, cuts[i], "--max-line-bytes", "50");
  free(t);
}

Test(cli_csv, long_cells_pass) {
  char *t = test_repeat("s\n\"", "two\nlines, \"\"\xC3\xA9 ", 200000, "\"\n1\n");
  static const size_t chunks[] = {4093, 1, 60000, 0};
  ran r = ran_weir(&(ran_how){.spec = "in s: Str\nout o: Str\no = s\n", .trace = t, .chunks = chunks, .args = {"run", "spec.dsrv", "-", "--input-format", "csv"}});
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect_eq(r.n_out, strlen(t));
  cr_expect_str_eq(r.out + 2, t + 2);
  ran_free(&r);
  free(t);
}

Test(cli_csv, many_columns_and_rows_pass) {
  enum { COLUMNS = 3000, ROWS = 40 };
  char *spec = malloc(COLUMNS * 64), *to = spec, *csv = malloc(COLUMNS * (ROWS + 1) * 8), *at = csv;
  cr_assert(spec != NULL && csv != NULL);
  for (int i = 0; i < COLUMNS; i++) to += sprintf(to, "in i%d: Int\n", i);
  to += sprintf(to, "out a: Int\nout b: Int\na = i0\nb = i%d\n", COLUMNS - 1);
  for (int i = COLUMNS; i-- > 0;) at += sprintf(at, "i%d%c", i, i > 0 ? ',' : '\n');
  for (int k = 0; k < ROWS; k++)
    for (int i = COLUMNS; i-- > 0;) at += sprintf(at, "%d%c", i + k, i > 0 ? ',' : '\n');
  ran r = run_csv(spec, csv, NULL, NULL);
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strncmp(r.out, "a,b\n0,2999\n1,3000\n", 18) == 0);
  cr_expect(strcmp(r.out + r.n_out - 8, "39,3038\n") == 0);
  ran_free(&r);
  free(spec);
  free(csv);
}

static void *on_small_stack(void *how) {
  static ran r;
  r = ran_weir(how);
  return &r;
}

Test(cli_csv, deep_nesting_is_one_error_on_a_small_stack) {
  char *t = test_repeat("w\n1\n", "[", 1000000, "\n");
  ran_how how = {.spec = "in w\nout o\no = w\n", .trace = t, .is_standard = true, .more = {"--input-format", "csv"}};
  pthread_t thread;
  pthread_attr_t attr;
  void *got = NULL;
  cr_assert(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, 64 << 10) == 0);
  cr_assert(pthread_create(&thread, &attr, on_small_stack, &how) == 0 && pthread_join(thread, &got) == 0);
  pthread_attr_destroy(&attr);
  ran *r = got;
  cr_expect_eq(r->status, 4);
  cr_expect_str_eq(r->out, "o\n1\n");
  expect_message(r->err, "3:1 trace 1: the value is nested deeper than 1000 (--max-value-nesting)");
  ran_free(r);
  free(t);
}

/* ---- Numbers ------------------------------------------------------------------------------------------------------- */

static void expect_int(int64_t v) {
  char text[64] = {0}, ours[64] = {0};
  int n = snprintf(text, sizeof text, "%lld", (long long)v);
  cr_assert_eq(cli_write_int(ours, v) - ours, n, "%s", text);
  cr_assert(memcmp(ours, text, (size_t)n) == 0, "%s", text);
  strcpy(text + n, ",123456789012345678901");
  int64_t back = 0;
  const char *end = cli_read_short_int(text, &back);
  bool is_short = v > -1000000000000000 && v < 1000000000000000;
  if (is_short) cr_assert(end == text + n && back == v, "%s", text);
  else cr_assert(end == NULL, "%s", text);
}

Test(cli_csv, whole_numbers_are_written_and_read_as_the_c_library_does) {
  for (int64_t v = -20000; v <= 20000; v++) expect_int(v);
  for (int64_t power = 1; power <= 100000000000000000; power *= 10)
    for (int64_t k = -3; k <= 3; k++) expect_int(power + k), expect_int(-power - k), expect_int(power * 7 + k);
  uint64_t seed = 3;
  for (int i = 0; i < 200000; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    expect_int((int64_t)(seed ^ seed >> 32) >> (seed >> 58));
  }
  expect_int(INT64_MIN);
  expect_int(INT64_MAX);
}

Test(cli_csv, digits_end_at_any_other_byte) {
  for (unsigned digits = 0; digits < 18; digits++)
    for (unsigned c = 0; c < 256; c++) {
      char text[64];
      memset(text, '9', sizeof text);
      text[digits] = (char)c;
      if (c >= '0' && c <= '9') continue;
      uint64_t v = 1;
      unsigned n = cli_read_digits(text, &v);
      if (digits == 0 || digits > 15) cr_assert_eq(n, 0, "%u %u", digits, c);
      else cr_assert_eq(n, digits, "%u %u", digits, c);
    }
}

Test(cli_csv, short_floats_are_those_of_the_exact_reader) {
  static const char *const more[] = {"0", "-0", "0.0", "-0.0", "0.1", "00.10", "1.", "1.5e3", ".5", "123456.789012345", "12345678.12345678", "1e5",
                                     "999999999999999", "0.00000000000001", "1234567.", "-7.25", "8.000000", "12345678.1"};
  uint64_t seed = 5;
  for (int i = 0; i < 300000; i++) {
    char text[64];
    int n;
    if ((size_t)i < sizeof more / sizeof *more) {
      n = snprintf(text, sizeof text, "%s", more[i]);
    } else {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      unsigned a = (unsigned)(seed >> 60) % 12, b = (unsigned)(seed >> 40) % 9;
      long long whole = (long long)(seed >> 20) % (long long)(a > 8 ? 1000000000 : cli_power10(a)), part = (long long)(seed >> 10) % (long long)cli_power10(b);
      n = b > 0 ? snprintf(text, sizeof text, "%s%lld.%0*lld", seed & 1 ? "-" : "", whole, (int)b, part) : snprintf(text, sizeof text, "%lld", whole);
    }
    memset(text + n, ',', sizeof text - (size_t)n);
    double ours = 7, exact = 8;
    const char *end = cli_read_short_float(text, &ours);
    if (end == NULL || *end != ',') continue; /* left to the exact reader */
    cr_assert(end == text + n && wb_read_decimal((wb_str){text, (size_t)n}, &exact), "%.*s", n, text);
    cr_assert(memcmp(&ours, &exact, sizeof ours) == 0, "%.*s", n, text);
  }
}

/* ---- Faults -------------------------------------------------------------------------------------------------------- */

static bool is_beginning(const char *out, const char *whole) {
  size_t n = strlen(out);
  return strncmp(out, whole, n) == 0 && (n == 0 || out[n - 1] == '\n');
}

Test(cli_csv, every_request_for_memory_may_fail, .timeout = 120) {
  ran_how how = {.spec = copy, .trace = rich, .args = {"run", "spec.dsrv", "-"}, .chunks = odd, .more = {"--input-format=csv"}};
  ran good = ran_weir(&how);
  cr_assert_eq(good.status, 0);
  for (how.fail_memory = 1; how.fail_memory <= good.memory_calls; how.fail_memory++) {
    ran r = ran_weir(&how);
    cr_expect(is_beginning(r.out, good.out), "request %zu: %s", (size_t)how.fail_memory, r.out);
    cr_expect(r.status == 1 || r.status == 2 || (r.status == 0 && strcmp(r.out, good.out) == 0), "request %zu: %d %s", (size_t)how.fail_memory, r.status, r.err);
    ran_free(&r);
  }
  ran_free(&good);
}

Test(cli_csv, every_call_on_a_file_may_fail, .timeout = 120) {
  ran_how how = {.spec = copy, .trace = rich, .args = {"run", "spec.dsrv", "-"}, .chunks = sevens, .more = {"--input-format=csv"}};
  ran good = ran_weir(&how);
  how.fail_errno = EIO;
  for (how.fail_io = 1; how.fail_io <= good.io_calls; how.fail_io++) {
    ran r = ran_weir(&how);
    cr_expect(is_beginning(r.out, good.out), "call %zu: %s", (size_t)how.fail_io, r.out);
    cr_expect(r.status == 1 || r.status == 2 || r.status == 4 || strcmp(r.out, good.out) == 0, "call %zu: %d %s", (size_t)how.fail_io, r.status, r.err);
    ran_free(&r);
  }
  ran_free(&good);
}
