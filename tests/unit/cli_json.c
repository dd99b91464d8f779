/* tests/unit/cli_json.c -- NDJSON as interfaces.md defines it: read, refused, written, however the bytes come. */
#define _GNU_SOURCE 1 /* pthread_attr_setstacksize */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "tests/support/ran.h"
#include "tests/test.h"

/* Copies its inputs. */
static const char copy[] =
  "in x: Int\nin f: Float\nin s: Str\nin w\nout xo: Int\nout fo: Float\nout so: Str\nout wo\nxo = x\nfo = f\nso = s\nwo = w\n";

static ran run_json(const char *spec, const char *json, const char *option, const char *value) {
  return ran_weir(&(ran_how){.spec = spec, .trace = json, .is_standard = true, .more = {"--input-format=ndjson", option, value}});
}

static const size_t ones[] = {1, 0}, twos[] = {2, 0}, threes[] = {3, 0}, sevens[] = {7, 0}, odd[] = {1, 13, 2, 5, 40, 3, 1, 1, 0};
static const size_t *const cuts[] = {ones, twos, threes, sevens, odd};

/* ---- Values -------------------------------------------------------------------------------------------------------- */

static const char rich[] =
  "\xEF\xBB\xBF{\"x\":1,\"f\":2,\"s\":\"a\",\"w\":true}\r\n"
  " { \"w\" : null , \"s\" : \"\" , \"x\" : null } \n"
  "{}\n"
  "{\"x\":-9223372036854775808,\"f\":-0,\"w\":-0}\n"
  "{\"x\":9223372036854775807,\"f\":9007199254740993,\"w\":9007199254740993}\n"
  "{\"f\":1E3,\"w\":9223372036854775808}\n"
  "{\"f\":{\"$\":\"nan\"},\"w\":{\"$\":\"-inf\"}}\n"
  "{\"x\":{\"$\":\"deferred\"},\"f\":{\"$\":\"inf\"},\"s\":{\"$\":\"deferred\"},\"w\":{\"$\":\"deferred\"}}\n"
  "{\"s\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\ud83d\\ude00\\u0000 \xC3\xA9\"}\n"
  "{\"w\":[1,-2.5,1e21,\"a\",[],{},true,false,{\"$\":\"unit\"},{\"$\":\"nan\"}]}\n"
  "{\"w\":{\"b\":{\"a\":1},\"a\":[{\"$\":\"tuple\",\"v\":[1,{\"v\":[2],\"$\":\"tuple\"}]}]}}\n"
  "{\"w\":{\"$\":\"map\",\"v\":{\"$\":1,\"v\":{\"$\":\"unit\"}}}}\n"
  "{\"w\":{\"v\":{\"$\":\"x\"},\"$\":\"map\"}}\n"
  "{\"w\":{\"v\":{\"$\":\"unit\"}}}\n"
  "{\"w\":{\"$\":\"map\",\"v\":{\"$\":\"map\",\"v\":{\"$\":\"inf\"}}}}\n"
  "{\"w\":{\"v\":{\"v\":{\"v\":{\"$\":\"deferred\"},\"$\":\"map\"},\"$\":\"map\"},\"$\":\"map\"}}\n"
  "{\"w\":{\"\":\"\\u007f\"},\"s\":\"null\"}\n"
  "{\"w\":\"{\\\"$\\\":1}\",\"s\":\"\\u001f\"}\n"
  "{\"w\":5,\"x\":6}";

static const char rich_out[] =
  "{\"xo\":1,\"fo\":2.0,\"so\":\"a\",\"wo\":true}\n"
  "{\"so\":\"\"}\n"
  "{}\n"
  "{\"xo\":-9223372036854775808,\"fo\":-0.0,\"wo\":0}\n"
  "{\"xo\":9223372036854775807,\"fo\":9007199254740992.0,\"wo\":9007199254740993}\n"
  "{\"fo\":1000.0,\"wo\":9.223372036854776e18}\n"
  "{\"fo\":{\"$\":\"nan\"},\"wo\":{\"$\":\"-inf\"}}\n"
  "{\"xo\":{\"$\":\"deferred\"},\"fo\":{\"$\":\"inf\"},\"so\":{\"$\":\"deferred\"},\"wo\":{\"$\":\"deferred\"}}\n"
  "{\"so\":\"\\\"\\\\/\\b\\f\\n\\r\\tA\xC3\xA9\xF0\x9F\x98\x80\\u0000 \xC3\xA9\"}\n"
  "{\"wo\":[1,-2.5,1e21,\"a\",[],{},true,false,{\"$\":\"unit\"},{\"$\":\"nan\"}]}\n"
  "{\"wo\":{\"a\":[{\"$\":\"tuple\",\"v\":[1,{\"$\":\"tuple\",\"v\":[2]}]}],\"b\":{\"a\":1}}}\n"
  "{\"wo\":{\"$\":\"map\",\"v\":{\"$\":1,\"v\":{\"$\":\"unit\"}}}}\n"
  "{\"wo\":{\"$\":\"map\",\"v\":{\"$\":\"x\"}}}\n"
  "{\"wo\":{\"v\":{\"$\":\"unit\"}}}\n"
  "{\"wo\":{\"$\":\"map\",\"v\":{\"$\":\"map\",\"v\":{\"$\":\"inf\"}}}}\n"
  "{\"wo\":{\"$\":\"map\",\"v\":{\"$\":\"map\",\"v\":{\"$\":\"map\",\"v\":{\"$\":\"deferred\"}}}}}\n"
  "{\"so\":\"null\",\"wo\":{\"\":\"\x7F\"}}\n"
  "{\"so\":\"\\u001f\",\"wo\":\"{\\\"$\\\":1}\"}\n"
  "{\"xo\":6,\"wo\":5}\n";

Test(cli_json, reads_and_writes_every_form) {
  ran r = run_json(copy, rich, NULL, NULL);
  cr_expect_str_eq(r.out, rich_out);
  cr_expect_str_eq(r.err, "");
  cr_expect_eq(r.status, 0);
  ran_free(&r);
}

Test(cli_json, reads_its_own_output) {
  static const char other[] =
    "in xo: Int\nin fo: Float\nin so: Str\nin wo\nout x: Int\nout f: Float\nout s: Str\nout w\nx = xo\nf = fo\ns = so\nw = wo\n";
  ran a = run_json(other, rich_out, NULL, NULL);
  ran b = run_json(copy, a.out, NULL, NULL);
  cr_expect_eq(a.status, 0, "%s", a.err);
  cr_expect_str_eq(b.out, rich_out);
  ran_free(&a);
  ran_free(&b);
}

Test(cli_json, goes_through_every_other_format) {
  static const char *const formats[] = {"trace", "csv"};
  for (size_t i = 0; i < 2; i++) {
    char out[32], in[32];
    (void)snprintf(out, sizeof out, "--output-format=%s", formats[i]);
    (void)snprintf(in, sizeof in, "--input-format=%s", formats[i]);
    static const char same[] = "in x: Int\nin f: Float\nin s: Str\nin w\nout x2: Int\nout f2: Float\nout s2: Str\nout w2\nx2 = x\nf2 = f\ns2 = s\nw2 = w\n";
    static const char back[] = "in x2: Int\nin f2: Float\nin s2: Str\nin w2\nout xo: Int\nout fo: Float\nout so: Str\nout wo\nxo = x2\nfo = f2\nso = s2\nwo = w2\n";
    ran a = ran_weir(&(ran_how){.spec = same, .trace = rich, .is_standard = true, .more = {"--input-format=ndjson", out}});
    ran b = ran_weir(&(ran_how){.spec = back, .trace = a.out, .n_trace = a.n_out, .is_standard = true, .more = {in, "--output-format=ndjson"}});
    cr_expect_str_eq(b.out, rich_out, "through %s: %s%s", formats[i], a.err, b.err);
    ran_free(&a);
    ran_free(&b);
  }
}

/* ---- What is wrong ------------------------------------------------------------------------------------------------- */

/* The line, behind a good one; the first line of the message, without file, line and "error"; or NULL where it is right. */
static const struct { const char *line, *message; } wrong[] = {
  {"{\"x\":1.0}", "6 tick 1: input x expects Int, got Float"},
  {"{\"x\":1e18}", "6 tick 1: input x expects Int, got Float"},
  {"{\"x\":9223372036854775808}", "6 tick 1: input x expects Int, got Float"},
  {"{\"x\":-9223372036854775809}", "6 tick 1: input x expects Int, got Float"},
  {"{\"s\":\"a\",\"x\":\"1\"}", "14 tick 1: input x expects Int, got Str"},
  {"{\"x\":true}", "6 tick 1: input x expects Int, got Bool"},
  {"{\"f\":\"1.5\"}", "6 tick 1: input f expects Float, got Str"},
  {"{\"s\":5}", "6 tick 1: input s expects Str, got Int"},
  {"{\"f\":1e309}", "6 trace 1: 1e309 is beyond the range of Float"},
  {"{\"w\":-1e309}", "6 trace 1: -1e309 is beyond the range of Float"},
  {"{\"w\":[1e309]}", "7 trace 1: 1e309 is beyond the range of Float"},
  {"  x", "3 trace 1: an object is missing: a line is {\"name\": value, ...}"},
  {"[1]", "1 trace 1: an object is missing: a line is {\"name\": value, ...}"},
  {"null", "1 trace 1: an object is missing: a line is {\"name\": value, ...}"},
  {"{", "2 trace 1: a key in quotes is missing"},
  {"{\"x\"", "5 trace 1: a ':' is missing behind the key"},
  {"{\"x\" 1}", "6 trace 1: a ':' is missing behind the key"},
  {"{x:1}", "2 trace 1: a key in quotes is missing"},
  {"{'x':1}", "2 trace 1: a key in quotes is missing"},
  {"{\"x\":}", "6 trace 1: a value is missing"},
  {"{\"x\":", "6 trace 1: a value is missing"},
  {"{\"x\":1", "7 trace 1: a ',' or '}' is missing"},
  {"{\"x\":1]", "7 trace 1: a ',' or '}' is missing"},
  {"{\"x\":1 \"f\":2}", "8 trace 1: a ',' or '}' is missing"},
  {"{\"x\":1,}", "8 trace 1: a key in quotes is missing"},
  {"{,}", "2 trace 1: a key in quotes is missing"},
  {"{\"x\":1}}", "8 trace 1: the line should end here"},
  {"{\"x\":1}garbage", "8 trace 1: the line should end here"},
  {"{\"x\":1} {\"x\":2}", "9 trace 1: the line should end here"},
  {"{\"x\":1},", "8 trace 1: the line should end here"},
  {"{\"x\":1,\"x\":2}", "8 trace 1: second value for x"},
  {"{\"x\":null,\"x\":2}", "11 trace 1: second value for x"},
  {"{\"x\":1,\"\\u0078\":2}", "8 trace 1: second value for x"},
  {"{\"u\":1,\"u\":2}", "8 trace 1: second value for u"},
  {"{\"w\":{\"a\":1,\"a\":2}}", "13 trace 1: duplicate key \"a\""},
  {"{\"u\":{\"a\":1,\"\\u0061\":2}}", "13 trace 1: duplicate key \"a\""},
  {"{\"w\":{\"$\":1,\"$\":2}}", "13 trace 1: duplicate key \"$\""},
  {"{\"x\":01}", "6 trace 1: 01 is no number"},
  {"{\"x\":-01}", "6 trace 1: -01 is no number"},
  {"{\"x\":00}", "6 trace 1: 00 is no number"},
  {"{\"f\":01.5}", "6 trace 1: 01.5 is no number"},
  {"{\"x\":-}", "6 trace 1: - is no number"},
  {"{\"x\":+1}", "6 trace 1: +1 is no value"},
  {"{\"f\":1.}", "6 trace 1: 1. is no number"},
  {"{\"f\":.5}", "6 trace 1: .5 is no value"},
  {"{\"f\":1e}", "6 trace 1: 1e is no number"},
  {"{\"f\":1e+}", "6 trace 1: 1e+ is no number"},
  {"{\"x\":1_000}", "6 trace 1: 1_000 is no number"},
  {"{\"x\":0x10}", "6 trace 1: 0x10 is no number"},
  {"{\"f\":NaN}", "6 trace 1: NaN is no value"},
  {"{\"f\":Infinity}", "6 trace 1: Infinity is no value"},
  {"{\"f\":-Infinity}", "6 trace 1: -Infinity is no number"},
  {"{\"w\":True}", "6 trace 1: True is no value"},
  {"{\"w\":nul}", "6 trace 1: nul is no value"},
  {"{\"w\":'a'}", "6 trace 1: ' is no value"},
  {"{\"s\":\"abc", "6 trace 1: the text that begins here does not end on this line"},
  {"{\"s\":\"abc\\", "10 trace 1: no such escape"},
  {"{\"s\":\"abc\\\"", "12 trace 1: the text ends with the line"},
  {"{\"s\":\"a\tb\"}", "8 trace 1: a control character in a text"},
  {"{\"s\":\"\\na\x01\"}", "10 trace 1: a control character in a text"},
  {"{\"s\":\"\\x\"}", "7 trace 1: no such escape"},
  {"{\"s\":\"\\u12\"}", "7 trace 1: no such escape"},
  {"{\"s\":\"\\u12g4\"}", "7 trace 1: no such escape"},
  {"{\"s\":\"\\U0041\"}", "7 trace 1: no such escape"},
  {"{\"s\":\"\\'\"}", "7 trace 1: no such escape"},
  {"{\"s\":\"a\\ud800\"}", "8 trace 1: half of a surrogate pair stands alone"},
  {"{\"s\":\"\\ud800\\n\"}", "7 trace 1: half of a surrogate pair stands alone"},
  {"{\"s\":\"\\ud800\\u0041\"}", "7 trace 1: half of a surrogate pair stands alone"},
  {"{\"s\":\"\\ud800\\ud800\"}", "7 trace 1: half of a surrogate pair stands alone"},
  {"{\"s\":\"\\udc00\"}", "7 trace 1: half of a surrogate pair stands alone"},
  {"{\"s\":\"\xC3\xA9\xFF\"}", "8 trace 1: this byte is not valid UTF-8"},
  {"{\"s\":\"\xED\xA0\x80\"}", "7 trace 1: this byte is not valid UTF-8"},
  {"{\"w\":{\"\xFF\":1}}", "8 trace 1: this byte is not valid UTF-8"},
  {"{\"\xFF\":1}", "3 trace 1: this byte is not valid UTF-8"},
  {"\xFF", "1 trace 1: this byte is not valid UTF-8"},
  {"{\"w\":[1,]}", "9 trace 1: a value is missing"},
  {"{\"w\":[,]}", "7 trace 1: a value is missing"},
  {"{\"w\":[1 2]}", "9 trace 1: a ',' or ']' is missing"},
  {"{\"w\":[1}", "8 trace 1: a ',' or ']' is missing"},
  {"{\"w\":{\"a\":1]}", "12 trace 1: a ',' or '}' is missing"},
  {"{\"w\":{\"a\"}}", "10 trace 1: a ':' is missing behind the key"},
  {"{\"w\":{1:2}}", "7 trace 1: a key in quotes is missing"},
  {"{\"w\":{\"a\":1,}}", "13 trace 1: a key in quotes is missing"},
  {"{\"w\":[null]}", "7 trace 1: null stands only as a whole value"},
  {"{\"w\":{\"a\":null}}", "11 trace 1: null stands only as a whole value"},
  {"{\"w\":[{\"$\":\"deferred\"}]}", "7 trace 1: deferred stands only as a whole value"},
  {"{\"w\":{\"v\":{\"$\":\"deferred\"}}}", "11 trace 1: deferred stands only as a whole value"},
  {"{\"w\":{\"$\":\"foo\"}}", "6 trace 1: an object with the key \"$\" that stands for no value"},
  {"{\"w\":{\"$\":1}}", "6 trace 1: an object with the key \"$\" that stands for no value"},
  {"{\"w\":{\"$\":\"nan\",\"v\":1}}", "6 trace 1: an object with the key \"$\" that stands for no value"},
  {"{\"w\":{\"$\":\"tuple\"}}", "6 trace 1: an object with the key \"$\" that stands for no value"},
  {"{\"w\":{\"$\":\"tuple\",\"v\":{}}}", "6 trace 1: an object with the key \"$\" that stands for no value"},
  {"{\"w\":{\"$\":\"map\",\"v\":[]}}", "6 trace 1: an object with the key \"$\" that stands for no value"},
  {"{\"w\":{\"$\":\"map\",\"v\":{},\"x\":1}}", "6 trace 1: an object with the key \"$\" that stands for no value"},
  {"{\"w\":{\"v\":{\"$\":\"foo\"}}}", "11 trace 1: an object with the key \"$\" that stands for no value"},
  {"{\"u\":[1}", "8 trace 1: a ',' or ']' is missing"},
  {"// a comment", "1 trace 1: an object is missing: a line is {\"name\": value, ...}"},
};

static void expect_message(const char *err, uint64_t line, const char *message) {
  char want[300];
  const char *space = strchr(message, ' ');
  int n = snprintf(want, sizeof want, "<stdin>:%u:%.*s: error: %s\n", (unsigned)line, (int)(space - message), message, space + 1);
  cr_assert(n > 0 && (size_t)n < sizeof want);
  cr_expect(strncmp(err, want, (size_t)n) == 0, "want %sgot  %s", want, err);
}

static char *behind_a_good_one(const char *line, const char *end) {
  char *text = malloc(strlen(line) + 32);
  cr_assert(text != NULL);
  (void)sprintf(text, "{\"x\":1}\n%s%s", line, end);
  return text;
}

Test(cli_json, tells_what_is_wrong_and_where) {
  static const char *const ends[] = {"\n", "\r\n", "\n{\"x\":1}\n"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    for (size_t k = 0; k < 3; k++) {
      char *text = behind_a_good_one(wrong[i].line, ends[k]);
      ran r = run_json(copy, text, "--quiet", NULL);
      cr_expect_eq(r.status, 4, "%s", text);
      if (k == 0) expect_message(r.err, 2, wrong[i].message);
      cr_expect_str_eq(r.out, "{\"xo\":1}\n", "of %s", text);
      ran_free(&r);
      free(text);
    }
}

Test(cli_json, every_byte_counts) { /* dropping or adding one changes the rows or is an error */
  static const char line[] = "{\"x\":12,\"f\":1.5,\"s\":\"a\\n\",\"w\":[1,{\"k\":2}]}";
  ran good = run_json(copy, line, "--quiet", NULL);
  for (size_t i = 0; line[i] != '\0'; i++) {
    char text[2 * sizeof line];
    (void)snprintf(text, sizeof text, "%.*s%s", (int)i, line, line + i + 1);
    ran dropped = run_json(copy, text, "--quiet", NULL);
    cr_expect(dropped.status != 0 || strcmp(dropped.out, good.out) != 0, "%s", text);
    (void)snprintf(text, sizeof text, "%.*s;%s", (int)i, line, line + i);
    ran added = run_json(copy, text, "--quiet", NULL);
    cr_expect(added.status != 0 || strcmp(added.out, good.out) != 0, "%s", text);
    ran_free(&dropped);
    ran_free(&added);
  }
  ran_free(&good);
}

static const struct { const char *json, *out, *option, *value; unsigned line; const char *message; } blank[] = {
  {"{\"x\":1}\n\n", "{\"xo\":1}\n", NULL, NULL, 0, NULL},
  {"{\"x\":1}\n\r\n \t\r\n{}\n{\"x\":2}\n  ", "{\"xo\":1}\n{}\n{\"xo\":2}\n", NULL, NULL, 0, NULL},
  {"\n\n  \n", "", NULL, NULL, 0, NULL},
  {" ", "", NULL, NULL, 0, NULL},
  {"\xEF\xBB\xBF\n{\"x\":1}", "{\"xo\":1}\n", NULL, NULL, 0, NULL},
  {"\n{\"x\":1}\n\n\n{\"x\":1.5}\n", "{\"xo\":1}\n", NULL, NULL, 5, "6 tick 1: input x expects Int, got Float"},
  {"\n{\"x\":1}\n \n\n[]\n", "{\"xo\":1}\n", NULL, NULL, 5, "1 trace 1: an object is missing: a line is {\"name\": value, ...}"},
  {"{\"t\":1,\"x\":1}\n\n{\"t\":2}\n \n", "{\"t\":1,\"xo\":1}\n{\"t\":2}\n", "--time-column", "t", 0, NULL},
  {"{\"t\":1}\n\n{\"t\":2}\n \n", "{\"t\":1}\n{\"t\":2}\n{\"t\":2}\n", "--time-column=t", "--ticks=3", 0, NULL},
  {"{\"t\":2}\n\n{\"t\":1}\n", "{\"t\":2}\n", "--time-column", "t", 3, "6 trace 1: time 1 after 2"},
  {"{}\n         \r\n         \n         ", "{}\n", "--max-line-bytes", "9", 0, NULL},
  {"{}\n\n          \n{}\n", "{}\n", "--max-line-bytes", "9", 3, "1 trace 1: the line is longer than 9 bytes (--max-line-bytes)"},
  {"{}\n\n          ", "{}\n", "--max-line-bytes", "9", 3, "1 trace 1: the line is longer than 9 bytes (--max-line-bytes)"},
};

Test(cli_json, blank_lines_are_no_ticks) {
  for (size_t i = 0; i < sizeof blank / sizeof *blank; i++) {
    ran r = run_json(copy, blank[i].json, blank[i].option, blank[i].value);
    cr_expect_eq(r.status, blank[i].message ? 4 : 0, "of %s: %s", blank[i].json, r.err);
    cr_expect_str_eq(r.out, blank[i].out, "of %s: %s", blank[i].json, r.out);
    if (blank[i].message) expect_message(r.err, blank[i].line, blank[i].message);
    ran_free(&r);
  }
}

Test(cli_json, many_blank_lines_take_no_memory) {
  char *text = test_repeat("{\"x\":1}\n", " \n\n", 200000, "{\"x\":2}\n");
  ran few = run_json(copy, "{\"x\":1}\n\n{\"x\":2}\n", NULL, NULL), many = run_json(copy, text, NULL, NULL);
  cr_expect_str_eq(many.out, few.out);
  cr_expect_eq(many.memory_calls, few.memory_calls);
  ran_free(&few);
  ran_free(&many);
  free(text);
}

/* ---- Names and time ------------------------------------------------------------------------------------------------ */

static const char one[] = "in pressure: Int\nout y: Int\ny = pressure\n";

Test(cli_json, warns_once_for_each_unknown_key) {
  ran r = run_json(one, "{\"presure\":[1],\"pressure\":2,\"o\\u0074her\":{}}\n{\"other\":3,\"presure\":4}\n", NULL, NULL);
  cr_expect_str_eq(r.out, "{\"y\":2}\n{}\n");
  cr_expect_str_eq(r.err,
    "<stdin>:1:2: warning: presure is not an input and is ignored\n  {\"presure\":[1],\"pressure\":2,\"o\\u0074her\":{}}\n   ^~~~~~~~~\n"
    "hint: the nearest input is pressure\n"
    "<stdin>:1:29: warning: other is not an input and is ignored\n  {\"presure\":[1],\"pressure\":2,\"o\\u0074her\":{}}\n                              ^~~~~~~~~~~~\n");
  cr_expect_eq(r.status, 0);
  ran_free(&r);
}

Test(cli_json, strict_refuses_an_unknown_key) {
  ran r = run_json(one, "{\"pressure\":2}\n{\"presure\":2}\n", "--strict", NULL);
  cr_expect_eq(r.status, 4);
  cr_expect_str_eq(r.out, "{\"y\":2}\n");
  expect_message(r.err, 2, "2 trace 1: presure is not an input (--strict)");
  ran_free(&r);
}

Test(cli_json, many_unknown_keys_end_in_one_warning) {
  char text[6000], *to = text;
  to += sprintf(to, "{");
  for (int i = 0; i < 100; i++) to += sprintf(to, "%s\"unknown%d\":1", i ? "," : "", i);
  strcpy(to, "}\n{}\n");
  ran r = run_json(one, text, NULL, NULL);
  cr_expect_eq(r.status, 0);
  cr_expect_str_eq(r.out, "{}\n{}\n");
  cr_expect(strstr(r.err, "unknown20 is not an input and is ignored, as are all further unknown names") != NULL);
  cr_expect(strstr(r.err, "warning: unknown21") == NULL);
  ran_free(&r);
}

/* "u0":1,"u1":1,... with every name filled up to `width` bytes, and then what is behind them. */
static char *many_keys(size_t n, int width, const char *behind) {
  char *text = malloc(n * ((size_t)width + 8) + strlen(behind) + 2), *to = text;
  cr_assert(text != NULL);
  *to++ = '{';
  for (size_t i = 0; i < n; i++) to += sprintf(to, "\"u%0*zu\":1,", width - 1, i);
  strcpy(to, behind);
  return text;
}

static const struct { size_t n; int width; } keys[] = {{1, 1}, {10, 2}, {15, 2}, {16, 3}, {17, 3}, {1500, 5}, {2, 254}, {2, 255}, {2, 256}, {3, 1000}, {40, 1000}, {200000, 7}};

Test(cli_json, a_repeated_unknown_key_is_refused_however_many_and_long_they_are) {
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    char behind[1100];
    (void)snprintf(behind, sizeof behind, "\"u%0*zu\":2,\"pressure\":5}\n", keys[i].width - 1, keys[i].n - 1);
    char *repeated = many_keys(keys[i].n, keys[i].width, behind), *good = many_keys(keys[i].n, keys[i].width, "\"pressure\":5}\n");
    ran a = run_json(one, repeated, "-q", NULL), b = run_json(one, good, "-q", NULL);
    cr_expect_eq(a.status, 4, "%zu keys of %d bytes", keys[i].n, keys[i].width);
    cr_expect_str_eq(a.out, "");
    cr_expect(strstr(a.err, ": error: trace 0: second value for u") != NULL, "%.300s", a.err);
    cr_expect_eq(b.status, 0, "%.300s", b.err);
    cr_expect_str_eq(b.out, "{\"y\":5}\n");
    ran_free(&a);
    ran_free(&b);
    free(repeated);
    free(good);
  }
}

Test(cli_json, the_first_key_that_is_repeated_is_told) {
  char *t = many_keys(50, 3, "\"\\u006107\":1,\"a08\":1,\"a\\u00307\":1,\"a08\":1}\n");
  ran r = run_json(one, t, "-q", NULL);
  expect_message(r.err, 1, "423 trace 0: second value for a07");
  ran_free(&r);
  free(t);
}

/* A key may come again in the next line. */
Test(cli_json, many_lines_with_many_unknown_keys_pass) {
  char *line = many_keys(40, 3, "\"pressure\":5}\n"), *t = test_repeat("", line, 300, "");
  ran r = run_json(one, t, "-q", NULL);
  cr_expect_eq(r.status, 0, "%.300s", r.err);
  ran_free(&r);
  free(line);
  free(t);
}

/* What a run says on standard error, as a whole and in any pieces. */
static void expect_warnings(const char *spec, const char *json, const char *ticks, int status, const char *err) {
  static const size_t *const pieces[] = {NULL, ones, threes, odd};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    ran r = ran_weir(&(ran_how){.spec = spec, .trace = json, .is_standard = pieces[i] == NULL, .chunks = pieces[i], .args = {"run", "spec.dsrv", "-"},
                                .more = {"--input-format=ndjson", "--ticks", ticks}});
    cr_expect_eq(r.status, status, "%s", r.err);
    cr_expect_str_eq(r.err, err);
    ran_free(&r);
  }
}

Test(cli_json, warnings_come_with_their_row) {
  static const char y[] = "<stdin>:1:15: warning: yy is not an input and is ignored\n  {\"pressure\":1,\"yy\":1}\n                ^~~~\n";
  static const char z[] = "<stdin>:1:15: warning: yy is not an input and is ignored\n  {\"pressure\":1,\"yy\":1}\n                ^~~~\n"
                          "<stdin>:2:2: warning: zz is not an input and is ignored\n  {\"zz\":1}\n   ^~~~\n";
  expect_warnings(one, "{\"pressure\":1}\n{\"zz\":1}\n", "1", 0, "");
  expect_warnings(one, "{\"pressure\":1,\"yy\":1}\n{\"zz\":1}\n", "1", 0, y);
  expect_warnings(one, "{\"pressure\":1,\"yy\":1}\n{\"zz\":1}\n", "3", 0, z);
  expect_warnings(one, "{\"pressure\":1.5}\n{\"zz\":1}\n", "2", 4,
    "<stdin>:1:13: error: tick 0: input pressure expects Int, got Float\n  {\"pressure\":1.5}\n              ^~~\n"
    "spec.dsrv:1:4: note: the input is declared here\n  in pressure: Int\n     ^~~~~~~~\n");
  expect_warnings(one, "{\"pressure\":1}\n{\"zz\":1,\"pressure\":}\n", "2", 4,
    "<stdin>:2:20: error: trace 1: a value is missing\n  {\"zz\":1,\"pressure\":}\n                     ^\n");
}

Test(cli_json, keys_with_escapes_take_no_memory_that_lasts) {
  char *few = test_repeat("", "{\"pr\\u0065ssure\":1}\n", 30000, ""), *many = test_repeat("", few, 10, "");
  ran a = run_json(one, few, NULL, NULL), b = run_json(one, many, NULL, NULL);
  cr_expect_eq(b.status, 0, "%s", b.err);
  uint64_t batches = (300000 - 30000) / CLI_COLUMN_ROWS + 16; /* each may ask for memory of its own, and some tables grow */
  cr_expect_leq(b.memory_calls, a.memory_calls + batches, "%d %d", (int)b.memory_calls, (int)a.memory_calls);
  ran_free(&a);
  ran_free(&b);
  free(few);
  free(many);
}

static const struct { const char *json, *out, *message; } timed[] = {
  {"{\"t\":1,\"pressure\":5}\n{\"pressure\":6,\"t\":1.50}\n{\"t\":2e0}\n", "{\"t\":1,\"y\":5}\n{\"t\":1.50,\"y\":6}\n{\"t\":2e0}\n", NULL},
  {"{\"t\":\"a\\n\"}\n{\"t\":\"b\"}\n", "{\"t\":\"a\\n\"}\n{\"t\":\"b\"}\n", NULL},
  {"{\"t\":\"10\"}\n{\"t\":\"9\"}\n", "{\"t\":\"10\"}\n{\"t\":\"9\"}\n", NULL}, /* texts, by their bytes */
  {"{\"t\":2}\n{\"t\":1}\n", "{\"t\":2}\n", "6 trace 1: time 1 after 2"},
  {"{\"t\":2}\n{\"t\":\"3\"}\n", "{\"t\":2}\n", "6 trace 1: time 3 after 2: only one of them is a number"},
  {"{\"t\":2}\n{\"pressure\":3}\n", "{\"t\":2}\n", "1 trace 1: the time is missing (--time-column t)"},
  {"{\"t\":2}\n{}\n", "{\"t\":2}\n", "1 trace 1: the time is missing (--time-column t)"},
  {"{\"t\":2}\n{\"t\":null}\n", "{\"t\":2}\n", "6 trace 1: the time is missing (--time-column t)"},
  {"{\"t\":2}\n{\"t\":true}\n", "{\"t\":2}\n", "6 trace 1: a time is a number or a string"},
  {"{\"t\":2}\n{\"t\":{\"$\":\"inf\"}}\n", "{\"t\":2}\n", "6 trace 1: a time is a number or a string"},
  {"{\"t\":2}\n{\"t\":3,\"t\":3}\n", "{\"t\":2}\n", "8 trace 1: second value for t"},
};

Test(cli_json, time_is_a_label_that_never_goes_back) {
  for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
    ran r = run_json(one, timed[i].json, "--time-column", "t");
    if (timed[i].message == NULL && i == 2) { /* "10" before "9": bytes decide */
      cr_expect_eq(r.status, 0, "%s", r.err);
    }
    cr_expect_eq(r.status, timed[i].message ? 4 : 0, "%s", r.err);
    cr_expect_str_eq(r.out, timed[i].out);
    if (timed[i].message) expect_message(r.err, 2, timed[i].message);
    ran_free(&r);
  }
}

Test(cli_json, time_becomes_a_column_of_csv) {
  ran r = ran_weir(&(ran_how){.spec = one, .trace = "{\"t\":\"a,b\",\"pressure\":5}\n{\"t\":\"c\"}\n", .is_standard = true,
                              .more = {"--input-format=ndjson", "--time-column=t", "--output-format=csv", "--ticks=3"}});
  cr_expect_str_eq(r.out, "t,y\n\"a,b\",5\nc,\nc,\n");
  ran_free(&r);
}

Test(cli_json, ticks_that_fill_up_repeat_the_last_label_and_are_read_back) {
  static const char *const times[][2] = {{"1.50", "1.50"}, {"\"a\\n\\\"\\u00e9\"", "\"a\\n\\\"\xC3\xA9\""}, {"\"5\"", "\"5\""}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    char json[64], out[128];
    (void)snprintf(json, sizeof json, "{\"t\":%s,\"pressure\":5}\n", times[i][0]);
    (void)snprintf(out, sizeof out, "{\"t\":%s,\"y\":5}\n{\"t\":%s}\n{\"t\":%s}\n", times[i][1], times[i][1], times[i][1]);
    ran_how how = {.spec = one, .trace = json, .is_standard = true, .more = {"--input-format=ndjson", "--time-column=t", "--ticks=3"}};
    ran a = ran_weir(&how);
    cr_expect_str_eq(a.out, out);
    how = (ran_how){.spec = "in y: Int\nout pressure: Int\npressure = y\n", .trace = a.out, .is_standard = true, .more = {"--input-format=ndjson", "--time-column=t"}};
    ran b = ran_weir(&how);
    cr_expect_eq(b.status, 0, "%s", b.err);
    ran_free(&a);
    ran_free(&b);
  }
  ran none = ran_weir(&(ran_how){.spec = one, .trace = "", .is_standard = true, .more = {"--input-format=ndjson", "--time-column=t", "--ticks=1"}});
  cr_expect_str_eq(none.out, "{}\n", "there is no label to repeat");
  ran_free(&none);
}

Test(cli_json, a_key_of_time_may_feed_an_input_too) {
  ran r = run_json("in t: Int\nout y: Int\ny = t * 2\n", "{\"t\":1}\n{\"t\":2}\n{\"t\":2.5}\n", "--time-column", "t");
  cr_expect_str_eq(r.out, "{\"t\":1,\"y\":2}\n{\"t\":2,\"y\":4}\n");
  expect_message(r.err, 3, "6 tick 2: input t expects Int, got Float");
  ran_free(&r);
}

/* ---- Pieces and sizes ---------------------------------------------------------------------------------------------- */

static void compare_pieces(const char *json, const size_t *chunks, const char *option, const char *value) {
  ran_how how = {.spec = copy, .trace = json, .is_standard = true, .args = {"run", "spec.dsrv", "-"}, .more = {"--input-format=ndjson", option, value}};
  ran a = ran_weir(&how);
  how.is_standard = false;
  how.chunks = chunks;
  ran b = ran_weir(&how);
  cr_expect_str_eq(b.out, a.out, "pieces of %zu of %s", chunks[0], json);
  cr_expect_str_eq(b.err, a.err, "pieces of %zu of %s", chunks[0], json);
  cr_expect_eq(b.status, a.status);
  ran_free(&a);
  ran_free(&b);
}

Test(cli_json, pieces_change_nothing) {
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
    compare_pieces(rich, cuts[i], NULL, NULL);
    compare_pieces("{\"x\":1}\n{\"u\":1}\n{\"x\":2,\"v\":1,\"u\":1}\n{\"w\":1,\"t\":1}\n{\"s\":5,\"r\":1}\n{\"q\":1}\n", cuts[i], NULL, NULL);
  }
  for (size_t i = 0; i < sizeof blank / sizeof *blank; i++)
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) compare_pieces(blank[i].json, cuts[k], blank[i].option, blank[i].value);
  compare_pieces("{\"u\":1,\"x\":1}\n{\"v\":[2],\"x\":2}\n{\"u\":1}", ones, NULL, NULL);
}

Test(cli_json, pieces_change_no_message, .timeout = 120) {
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i += 2)
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
      char *text = behind_a_good_one(wrong[k].line, k % 2 ? "\n" : "");
      compare_pieces(text, cuts[i], NULL, NULL);
      compare_pieces(text, cuts[i], "--max-line-bytes", "9");
      free(text);
    }
}

Test(cli_json, random_pieces_change_nothing) {
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

/* The line of 90 bytes passes up to that limit; chunks: NULL for one piece. */
static void expect_limit(const char *json, const size_t *chunks) {
  ran_how how = {.spec = copy, .trace = json, .is_standard = chunks == NULL, .chunks = chunks, .args = {"run", "spec.dsrv", "-"},
                 .more = {"--input-format=ndjson", "--max-line-bytes", "90"}};
  ran at = ran_weir(&how);
  how.more[2] = "89";
  ran below = ran_weir(&how);
  cr_expect_eq(at.status, 0, "%s", at.err);
  cr_expect_eq(below.status, 4);
  cr_expect_str_eq(below.out, "{\"xo\":1}\n");
  expect_message(below.err, 2, "1 trace 1: the line is longer than 89 bytes (--max-line-bytes)");
  ran_free(&at);
  ran_free(&below);
}

Test(cli_json, a_limit_on_lines_leaves_out_their_ends_and_holds_exactly_however_they_are_cut) {
  static const char *const ends[] = {"\"}\n{}\n", "\"}\n", "\"}\r\n{}\n", "\"}\r\n", "\"}"};
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    char *t = test_repeat("{\"x\":1}\r\n{\"s\":\"", "a", 82, ends[k]);
    expect_limit(t, NULL);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) expect_limit(t, cuts[i]);
    free(t);
  }
}

Test(cli_json, a_limit_on_nesting_holds_exactly) {
  static const char *const opens[][2] = {{"[", "]"}, {"{\"a\":", "}"}, {"{\"$\":\"tuple\",\"v\":[", "]}"}};
  for (size_t i = 0; i < 3; i++) {
    char *inner = test_repeat("{\"w\":", opens[i][0], 10, "1"), *whole = test_repeat(inner, opens[i][1], 10, "}\n");
    ran at = run_json(copy, whole, "--max-value-nesting", "10"), below = run_json(copy, whole, "--max-value-nesting", "9");
    cr_expect_eq(at.status, 0, "%s", at.err);
    cr_expect_eq(below.status, 4);
    cr_expect(strstr(below.err, "trace 0: the value is nested deeper than") != NULL, "%s", below.err);
    ran_free(&at);
    ran_free(&below);
    free(inner);
    free(whole);
  }
}

static void *on_small_stack(void *how) {
  static ran r;
  r = ran_weir(how);
  return &r;
}

static ran *run_small(ran_how *how) {
  pthread_t thread;
  pthread_attr_t attr;
  void *r = NULL;
  cr_assert(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, 64 << 10) == 0);
  cr_assert(pthread_create(&thread, &attr, on_small_stack, how) == 0 && pthread_join(thread, &r) == 0);
  pthread_attr_destroy(&attr);
  return r;
}

Test(cli_json, deep_nesting_is_one_error_on_a_small_stack) {
  static const char *const opens[] = {"[", "{\"a\":", "{\"v\":", "{\"$\":\"map\",\"v\":", "{\"$\":"};
  for (size_t i = 0; i < sizeof opens / sizeof *opens; i++)
    for (size_t depth = 10000; depth <= 1000000; depth *= 100) {
      char *t = test_repeat("{\"x\":1}\n{\"w\":", opens[i], depth, "");
      ran *r = run_small(&(ran_how){.spec = copy, .trace = t, .is_standard = true, .more = {"--input-format=ndjson"}});
      cr_expect_eq(r->status, 4);
      cr_expect_str_eq(r->out, "{\"xo\":1}\n");
      cr_expect(strstr(r->err, ": error: trace 1: the value is nested deeper than 1000") != NULL, "%.300s", r->err);
      ran_free(r);
      free(t);
    }
}

Test(cli_json, nesting_may_be_allowed_to_any_depth) {
  char *inner = test_repeat("{\"x\":1,\"ignored\":", "[", 1000000, ""), *t = test_repeat(inner, "]", 1000000, "}\n");
  ran *r = run_small(&(ran_how){.spec = copy, .trace = t, .is_standard = true, .more = {"--input-format=ndjson", "--max-value-nesting", "1000000", "--quiet"}});
  cr_expect_eq(r->status, 0, "%.300s", r->err);
  cr_expect_str_eq(r->out, "{\"xo\":1}\n");
  ran_free(r);
  free(inner);
  free(t);
}

/* ---- Faults -------------------------------------------------------------------------------------------------------- */

static void expect_no_harm(const char *json) {
  ran_how how = {.spec = copy, .trace = json, .args = {"run", "spec.dsrv", "-"}, .chunks = odd, .more = {"--input-format=ndjson"}};
  ran good = ran_weir(&how);
  cr_assert_eq(good.status, 0);
  for (how.fail_memory = 1; how.fail_memory <= good.memory_calls; how.fail_memory++) {
    ran r = ran_weir(&how);
    size_t n = strlen(r.out);
    cr_expect(strncmp(r.out, good.out, n) == 0 && (n == 0 || r.out[n - 1] == '\n'), "request %zu: %s", (size_t)how.fail_memory, r.out);
    cr_expect(r.status == 1 || r.status == 2 || (r.status == 0 && strcmp(r.out, good.out) == 0), "request %zu: %d %s", (size_t)how.fail_memory, r.status, r.err);
    ran_free(&r);
  }
  ran_free(&good);
}

Test(cli_json, every_request_for_memory_may_fail, .timeout = 120) {
  char *keys_too = many_keys(40, 30, "\"x\":5}\n{\"x\":6,\"another\":1}\n");
  expect_no_harm(rich);
  expect_no_harm(keys_too);
  free(keys_too);
}
