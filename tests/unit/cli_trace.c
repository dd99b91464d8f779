/* tests/unit/cli_trace.c -- reading traces: what is accepted, what is wrong and where, however the bytes come. */
#define _GNU_SOURCE 1 /* pthread_attr_setstacksize */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/ran.h"
#include "tests/test.h"

/* Copies its inputs. */
static const char copy[] = "in x: Int\nin f: Float\nin s\nout xo: Int\nout fo: Float\nout so\nxo = x\nfo = f\nso = s\n";

static const char rich[] =
  "\xEF\xBB\xBF// a comment, then blank lines\n\n  \t\n"
  "0: x = 1 // behind\r\n"
  "   f = 2\r\n"
  "\n // between\n"
  "   s = \"plain \\n text\"\n"
  "0:\n"
  "2:\n"
  "  3 : x=-5\n\ts\t=\te\"q\\\" \\\\ \\n\\r\\t \\u{e9}\\u{1F600}\"\n"
  "4: s = \"two\nlines // no comment\n\" // a comment\n"
  "5: s = [1, -2.5, .5, 5., 1e3, inf, -inf, nan, 9223372036854775808, true, false, (), \"a\", e\"\\u{0}\"]\n"
  "6: s = List ( Tuple( 1 , [ ] ) , { } , Map ( ) , {\"b\" : {\"a\":1}, e\"\\\"\": 2} )\n"
  "   ignored = [1, {\"a\": \"b\nc\"}]\n"
  "7: s = deferred\n"
  "8: s = \"日本語 é\"\n"
  "9:\n\n   f = 1.5e-7\nx = 9223372036854775807\n"
  "11:";

static const char rich_out[] =
  "0: xo = 1\n   fo = 2.0\n   so = \"plain \\n text\"\n"
  "3: xo = -5\n   so = e\"q\\\" \\\\ \\n\\r\\t é😀\"\n"
  "4: so = e\"two\\nlines // no comment\\n\"\n"
  "5: so = [1, -2.5, 0.5, 5.0, 1000.0, inf, -inf, nan, 9.223372036854776e18, true, false, (), \"a\", e\"\\u{0}\"]\n"
  "6: so = [Tuple(1, []), {}, {}, {e\"\\\"\": 2, \"b\": {\"a\": 1}}]\n"
  "7: so = deferred\n"
  "8: so = \"日本語 é\"\n"
  "9: xo = 9223372036854775807\n   fo = 1.5e-7\n";

Test(cli_trace, reads_every_form) {
  ran r = ran_weir(&(ran_how){.spec = copy, .trace = rich});
  cr_expect_str_eq(r.out, rich_out);
  cr_expect_eq(r.status, 0);
  cr_expect_str_eq(r.err, "trace.input:18:4: warning: ignored is not an input and is ignored\n     ignored = [1, {\"a\": \"b\n     ^~~~~~~\n");
  ran_free(&r);
}

Test(cli_trace, reads_its_own_output) {
  static const char other[] = "in xo: Int\nin fo: Float\nin so\nout x: Int\nout f: Float\nout s\nx = xo\nf = fo\ns = so\n";
  ran a = ran_weir(&(ran_how){.spec = other, .trace = rich_out});
  ran b = ran_weir(&(ran_how){.spec = copy, .trace = a.out});
  cr_expect_eq(a.status, 0);
  cr_expect_str_eq(b.out, rich_out);
  ran_free(&a);
  ran_free(&b);
}

/* What is wrong, with the first line of the message (file and "error" left out) and the output before it. */
static const struct { const char *trace, *message, *out; } wrong[] = {
  {"0: x = 1\n1: x =\n2: x = 3\n", "2:7 trace 1: a value is missing", "0: xo = 1\n"},
  {"0: x = 1\n1: x\n", "2:5 trace 1: a '=' is missing behind x", "0: xo = 1\n"},
  {"0: x = 1\n1: = 5\n", "2:4 trace 1: this is no assignment", "0: xo = 1\n"},
  {"0: x = 1\n1: x 5\n", "2:6 trace 1: a '=' is missing behind x", "0: xo = 1\n"},
  {"0: x = 1\n0 x = 1\n", "2:3 trace 0: a ':' is missing behind 0", ""},
  {"0: x = 1\n1\n", "2:2 trace 0: a ':' is missing behind 1", ""},
  {"0: x = 1\n}\n", "2:1 trace 0: this is neither an assignment nor a timestamp", ""},
  {"0: x = 1\n}", "2:1 trace 0: this is neither an assignment nor a timestamp", ""},
  {"}", "1:1 trace: this is neither an assignment nor a timestamp", ""},
  {"x = 1\n", "1:1 trace: a timestamp is missing before the first assignment", ""},
  {"x: 1\n", "1:1 trace: x is no timestamp", ""},
  {"-1: x = 1\n", "1:1 trace: this is neither an assignment nor a timestamp", ""},
  {"0: x = 1\n1: x = 1_000\n", "2:8 trace 1: 1_000 is no value", "0: xo = 1\n"},
  {"0: s = 0x10", "1:8 trace 0: 0x10 is no value", ""},
  {"0: s = 1e\n", "1:8 trace 0: 1e is no value", ""},
  {"0: s = - 7\n", "1:8 trace 0: - is no value", ""},
  {"0: s = -nan\n", "1:8 trace 0: -nan is no value", ""},
  {"0: s = True\n", "1:8 trace 0: True is no value", ""},
  {"0: s = @\n", "1:8 trace 0: @ is no value", ""},
  {"0: s = 1 2\n", "1:10 trace 0: the line should end here", ""},
  {"0: x = 1 f = 2\n", "1:10 trace 0: the line should end here", ""},
  {"0: x = 1 / comment\n", "1:10 trace 0: the line should end here", ""},
  {"0: x = 1\r0: f = 1\n", "1:9 trace 0: the line should end here", ""},
  {"0: 1: x = 1\n", "1:4 trace 0: a second timestamp on one line", ""},
  {"0: x = 1\n1: x = 2\n   x = 3\n2: x = 4\n", "3:4 trace 1: second value for x at timestamp 1", "0: xo = 1\n"},
  {"0: x = 1\n1: x = 2\n1: x = 2\n", "3:4 trace 1: second value for x at timestamp 1", "0: xo = 1\n"},
  {"3: x = 3\n1: x = 1\n", "2:1 trace 1: timestamp 1 after 3", "3: xo = 3\n"},
  {"0: x = 3\n1:\n0: x = 1\n", "3:1 trace 0: timestamp 0 after 1", "0: xo = 3\n"},
  {"0: x = 1\n18446744073709551616: x = 2\n", "2:1 trace 0: the timestamp is larger than 18446744073709551615", ""},
  {"0: x = 1\n18446744073709551615: x = 2\n",
   "2:1 trace: 18446744073709551614 ticks without values come before this one, more than --max-gap 1000000", "0: xo = 1\n"},
  {"0: s = \"abc\n", "1:8 trace 0: the text that begins here never ends", ""},
  {"0: s = e\"abc\\\"\n", "1:8 trace 0: the text that begins here never ends", ""},
  {"0: s = e\"abc\\", "1:8 trace 0: the text that begins here never ends", ""},
  {"0: s = \"abc\n1: s = \"def\"\n", "2:9 trace 0: the line should end here", ""},
  {"0: s = e\"a\\qb\"\n", "1:11 trace 0: no such escape", ""},
  {"0: s = e\"\\u{d800}\"\n", "1:10 trace 0: no such escape", ""},
  {"0: s = e\"\\u{110000}\"\n", "1:10 trace 0: no such escape", ""},
  {"0: s = e\"\\u{}\"\n", "1:10 trace 0: no such escape", ""},
  {"0: s = e\"\\u{41\"\n", "1:10 trace 0: no such escape", ""},
  {"0: s = e \"a\"\n", "1:8 trace 0: e is no value", ""},
  {"0: s = [1, 2\n", "1:13 trace 0: a ',' or ']' is missing", ""},
  {"0: s = [1, 2)\n", "1:13 trace 0: a ',' or ']' is missing", ""},
  {"0: s = [1,,2]\n", "1:11 trace 0: , is no value", ""},
  {"0: s = [1,]\n", "1:11 trace 0: ] is no value", ""},
  {"0: s = [,]\n", "1:9 trace 0: , is no value", ""},
  {"0: s = (1, 2)\n", "1:8 trace 0: ( is no value", ""},
  {"0: s = {\"a\" 1}\n", "1:13 trace 0: a ':' is missing behind the key", ""},
  {"0: s = {a: 1}\n", "1:9 trace 0: a key in quotes is missing", ""},
  {"0: s = {\"a\": 1,}\n", "1:16 trace 0: a key in quotes is missing", ""},
  {"0: s = {\"a\"}\n", "1:12 trace 0: a ':' is missing behind the key", ""},
  {"0: s = {\"a\": 1, \"b\": 2, \"a\": 3}\n", "1:25 trace 0: duplicate key \"a\"", ""},
  {"0: s = {\"b\": 1, e\"\\u{61}\": 2, \"a\": 3, \"b\": 4}\n", "1:31 trace 0: duplicate key \"a\"", ""},
  {"0: s = [1, deferred]\n", "1:12 trace 0: deferred stands only as a whole value", ""},
  {"0: x = 1\n1: s = \"a\x80 b\"\n", "2:10 trace 1: this byte is not valid UTF-8", "0: xo = 1\n"},
  {"0: s = \"é\xC3\"\n", "1:10 trace 0: this byte is not valid UTF-8", ""},
  {"0: s = {\"\xED\xA0\x80\": 1}\n", "1:10 trace 0: this byte is not valid UTF-8", ""},
  {"0: x = 1 // é \xFF\n", "1:15 trace 0: this byte is not valid UTF-8", ""},
  {"0: \xFF = 1\n", "1:4 trace 0: this byte is not valid UTF-8", ""},
  {"0: s = \xF0\x9F\n", "1:8 trace 0: this byte is not valid UTF-8", ""},
  {"\xFF\xFE", "1:1 trace: this byte is not valid UTF-8", ""},
  {"0: ignored = [1\n", "1:16 trace 0: a ',' or ']' is missing", ""},
  {"0: x = 1\n1: x = \"one\"\n2: x = 3\n", "2:8 tick 1: input x expects Int, got Str", "0: xo = 1\n"},
  {"0: f = 1\n1: s = \"a\n\"\n x = 9223372036854775808\n", "4:6 tick 1: input x expects Int, got Float", "0: fo = 1.0\n"},
};

/* "trace.input:2:7: error: trace 1: ..." as in the table. */
static void expect_message(const char *err, const char *file, const char *message) {
  char want[300];
  const char *space = strchr(message, ' ');
  int n = snprintf(want, sizeof want, "%s:%.*s: error: %s\n", file, (int)(space - message), message, space + 1);
  cr_assert(n > 0 && (size_t)n < sizeof want);
  cr_expect(strncmp(err, want, (size_t)n) == 0, "want %sgot  %s", want, err);
}

Test(cli_trace, tells_what_is_wrong_and_where) {
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ran r = ran_weir(&(ran_how){.spec = copy, .trace = wrong[i].trace, .more = {"--quiet"}});
    cr_expect_eq(r.status, 4, "%s", wrong[i].trace);
    expect_message(r.err, "trace.input", wrong[i].message);
    cr_expect_str_eq(r.out, wrong[i].out, "of %s", wrong[i].trace);
    ran_free(&r);
  }
}

static const size_t ones[] = {1, 0}, twos[] = {2, 0}, threes[] = {3, 0}, sevens[] = {7, 0}, odd[] = {1, 13, 2, 5, 40, 3, 1, 1, 0};
static const size_t *const cuts[] = {ones, twos, threes, sevens, odd};

/* The trace comes as a whole, then in the given pieces; both must look the same. */
static void compare_pieces(const char *trace, const size_t *chunks) {
  ran a = ran_weir(&(ran_how){.spec = copy, .trace = trace, .is_standard = true});
  ran b = ran_weir(&(ran_how){.spec = copy, .trace = trace, .chunks = chunks});
  cr_expect_str_eq(b.out, a.out, "pieces of %zu of %s", chunks[0], trace);
  cr_expect_str_eq(b.err, a.err, "pieces of %zu of %s", chunks[0], trace);
  cr_expect_eq(b.status, a.status);
  ran_free(&a);
  ran_free(&b);
}

Test(cli_trace, pieces_change_nothing) {
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) compare_pieces(rich, cuts[i]);
}

Test(cli_trace, pieces_change_no_message, .timeout = 120) {
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i += 2)
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) compare_pieces(wrong[k].trace, cuts[i]);
}

Test(cli_trace, random_pieces_change_nothing) {
  uint64_t seed = 1;
  for (int round = 0; round < 60; round++) {
    size_t chunks[33] = {0};
    for (size_t i = 0; i < 32; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      chunks[i] = 1 + (size_t)(seed >> 60);
    }
    compare_pieces(rich, chunks);
  }
}

/* ---- Sizes --------------------------------------------------------------------------------------------------------- */

typedef struct buffer { char *at; size_t n; } buffer;

static buffer repeat(const char *before, const char *what, size_t times, const char *behind) {
  size_t a = strlen(before), b = strlen(what), c = strlen(behind);
  buffer t = {malloc(a + b * times + c + 1), a + b * times + c};
  cr_assert(t.at != NULL);
  memcpy(t.at, before, a);
  for (size_t i = 0; i < times; i++) memcpy(t.at + a + b * i, what, b);
  memcpy(t.at + a + b * times, behind, c + 1);
  return t;
}

Test(cli_trace, a_limit_on_nesting_holds_exactly) {
  static const char *const opens[][2] = {{"[", "]"}, {"Tuple(", ")"}, {"{\"a\":", "}"}, {"Map (\"a\" : ", ")"}};
  for (size_t i = 0; i < 4; i++) {
    buffer inner = repeat("0: s = ", opens[i][0], 20, "1"), whole = repeat(inner.at, opens[i][1], 20, "\n");
    ran at = ran_weir(&(ran_how){.spec = copy, .trace = whole.at, .more = {"--max-value-nesting", "20"}});
    ran below = ran_weir(&(ran_how){.spec = copy, .trace = whole.at, .more = {"--max-value-nesting=19"}});
    cr_expect_eq(at.status, 0, "%s", at.err);
    cr_expect_eq(below.status, 4);
    cr_expect(strstr(below.err, "trace 0: the value is nested deeper than 19 (--max-value-nesting)") != NULL, "%s", below.err);
    ran_free(&at);
    ran_free(&below);
    free(inner.at);
    free(whole.at);
  }
}

Test(cli_trace, a_limit_on_nesting_may_be_larger_than_usual) {
  buffer inner = repeat("0: s = ", "[", 1500, "1"), whole = repeat(inner.at, "]", 1500, "\n");
  ran usual = ran_weir(&(ran_how){.spec = copy, .trace = whole.at});
  ran more = ran_weir(&(ran_how){.spec = copy, .trace = whole.at, .more = {"--max-value-nesting", "1500"}});
  cr_expect_eq(usual.status, 4);
  cr_expect_eq(more.status, 0, "%s", more.err);
  ran_free(&usual);
  ran_free(&more);
  free(inner.at);
  free(whole.at);
}

/* The command on a small stack. */
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

Test(cli_trace, deep_nesting_is_one_error_on_a_small_stack) {
  static const char *const opens[] = {"[", "Tuple(", "{\"a\":", "List([", "{\"a\":["};
  for (size_t i = 0; i < sizeof opens / sizeof *opens; i++)
    for (size_t depth = 10000; depth <= 1000000; depth *= 100) {
      buffer t = repeat("0: x = 1\n1: s = ", opens[i], depth, "");
      ran *r = run_small(&(ran_how){.spec = copy, .trace = t.at});
      cr_expect_eq(r->status, 4);
      cr_expect_str_eq(r->out, "0: xo = 1\n");
      cr_expect(strncmp(r->err, "trace.input:2:", 14) == 0 && strstr(r->err, ": error: trace 1: the value is nested deeper than 1000") != NULL, "%s", r->err);
      ran_free(r);
      free(t.at);
    }
}

Test(cli_trace, nesting_may_be_allowed_to_any_depth_for_names_that_are_ignored) {
  buffer inner = repeat("0: x = 1\n   ignored = ", "[", 1000000, ""), t = repeat(inner.at, "]", 1000000, "\n");
  ran *r = run_small(&(ran_how){.spec = copy, .trace = t.at, .more = {"--max-value-nesting", "1000000", "--quiet"}});
  cr_expect_eq(r->status, 0, "%s", r->err);
  cr_expect_str_eq(r->out, "0: xo = 1\n");
  ran_free(r);
  free(inner.at);
  free(t.at);
}

/* The line of 92 bytes passes up to that limit. */
static void expect_limit(const char *trace, const size_t *chunks) {
  ran at = ran_weir(&(ran_how){.spec = copy, .trace = trace, .chunks = chunks, .more = {"--max-line-bytes", "92"}});
  ran below = ran_weir(&(ran_how){.spec = copy, .trace = trace, .chunks = chunks, .more = {"--max-line-bytes", "91"}});
  cr_expect_eq(at.status, 0, "%s", at.err);
  cr_expect_eq(below.status, 4);
  cr_expect_str_eq(below.out, "0: xo = 1\n");
  expect_message(below.err, chunks ? "<stdin>" : "trace.input", "2:1 trace 1: the line is longer than 91 bytes (--max-line-bytes)");
  ran_free(&at);
  ran_free(&below);
}

Test(cli_trace, a_limit_on_lines_leaves_out_their_ends_and_holds_exactly_however_they_are_cut) {
  static const char *const begins[] = {"0: x = 1\r\n1: s = \"", "0: x = 1\n1: // "};
  static const char *const ends[] = {"\"\n2:\n", "\"\n", "\"\r\n2:\n", "\"\r\n", "\""};
  for (size_t b = 0; b < 2; b++)
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
      buffer t = repeat(begins[b], "a", b == 0 ? 83 : 85, ends[k]);
      expect_limit(t.at, NULL);
      for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) expect_limit(t.at, cuts[i]);
      free(t.at);
    }
}

Test(cli_trace, a_text_that_never_ends_is_refused_at_the_limit) {
  buffer t = repeat("0: x = 1\n1: s = \"", "two\nlines ", 300000, "");
  ran r = ran_weir(&(ran_how){.spec = copy, .trace = t.at, .more = {"--max-line-bytes", "1MiB"}});
  cr_expect_eq(r.status, 4);
  expect_message(r.err, "trace.input", "2:1 trace 1: the line is longer than 1048576 bytes (--max-line-bytes)");
  ran_free(&r);
  free(t.at);
}

Test(cli_trace, long_lines_and_texts_pass) {
  buffer t = repeat("0: s = \"", "two\nlines, \xC3\xA9 ", 200000, "\" // end\n1: x = 1\n");
  static const size_t chunks[] = {4093, 1, 60000, 0};
  ran r = ran_weir(&(ran_how){.spec = copy, .trace = t.at, .chunks = chunks});
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect_eq(r.n_out, sizeof "0: so = e\"\"\n1: xo = 1\n" - 1 + 200000 * (sizeof "two\\nlines, \xC3\xA9 " - 1));
  ran_free(&r);
  free(t.at);
}

Test(cli_trace, many_keys_are_compared_without_bad_cases) {
  size_t n = 100000;
  char *text = malloc(n * 16 + 64), *to = text;
  cr_assert(text != NULL);
  to += sprintf(to, "0: s = {\"last\": 0");
  for (size_t i = n; i-- > 0;) to += sprintf(to, ",\"%zu\":1", i * 7919 % n);
  strcpy(to, ", \"last\": 1}\n");
  ran r = ran_weir(&(ran_how){.spec = copy, .trace = text});
  cr_expect_eq(r.status, 4);
  cr_expect(strstr(r.err, "trace 0: duplicate key \"last\"") != NULL, "%s", r.err);
  strcpy(to, "}\n");
  ran good = ran_weir(&(ran_how){.spec = copy, .trace = text});
  cr_expect_eq(good.status, 0, "%s", good.err);
  ran_free(&r);
  ran_free(&good);
  free(text);
}

/* ---- Gaps and names ------------------------------------------------------------------------------------------------ */

static const char count[] = "in x: Int\nout n: Int\nn = default(n[1], 0) + 1\n";

Test(cli_trace, a_limit_on_gaps_holds_exactly) {
  static const struct { const char *trace; int status; const char *out; } gaps[] = {
    {"3:\n", 0, "0: n = 1\n1: n = 2\n2: n = 3\n3: n = 4\n"},
    {"4:\n", 4, ""},
    {"0:\n4:\n", 0, "0: n = 1\n1: n = 2\n2: n = 3\n3: n = 4\n4: n = 5\n"},
    {"0:\n5:\n", 4, "0: n = 1\n"},
    {"0:\n4:\n3:", 4, "0: n = 1\n1: n = 2\n2: n = 3\n3: n = 4\n4: n = 5\n"},
    {"0:\n4: x = @", 4, "0: n = 1\n1: n = 2\n2: n = 3\n3: n = 4\n"},
  };
  for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
    ran r = ran_weir(&(ran_how){.spec = count, .trace = gaps[i].trace, .more = {"--max-gap", "3"}});
    cr_expect_eq(r.status, gaps[i].status, "%s", gaps[i].trace);
    cr_expect_str_eq(r.out, gaps[i].out);
    ran_free(&r);
  }
}

Test(cli_trace, warns_once_for_each_unknown_name) {
  static const char spec[] = "in pressure: Int\nout y: Int\ny = pressure\n";
  static const char trace[] = "0: presure = 1\n   pressure = 2\n   other = 3\n1: presure = 4\n   other = 5\n";
  ran r = ran_weir(&(ran_how){.spec = spec, .trace = trace});
  cr_expect_eq(r.status, 0);
  cr_expect_str_eq(r.out, "0: y = 2\n");
  cr_expect_str_eq(r.err,
                   "trace.input:1:4: warning: presure is not an input and is ignored\n  0: presure = 1\n     ^~~~~~~\n"
                   "hint: the nearest input is pressure\n"
                   "trace.input:3:4: warning: other is not an input and is ignored\n     other = 3\n     ^~~~~\n");
  ran quiet = ran_weir(&(ran_how){.spec = spec, .trace = trace, .more = {"-q"}});
  cr_expect_str_eq(quiet.err, "");
  ran strict = ran_weir(&(ran_how){.spec = spec, .trace = trace, .more = {"--strict"}});
  cr_expect_eq(strict.status, 4);
  cr_expect_str_eq(strict.out, "");
  cr_expect(strncmp(strict.err, "trace.input:1:4: error: trace 0: presure is not an input (--strict)\n", 67) == 0, "%s", strict.err);
  ran_free(&r);
  ran_free(&quiet);
  ran_free(&strict);
}

Test(cli_trace, warnings_end_after_twenty_names) {
  char trace[4096], *to = trace + sprintf(trace, "0:\n");
  for (int i = 0; i < 100; i++) to += sprintf(to, "n%d = 1\n", i);
  ran r = ran_weir(&(ran_how){.spec = count, .trace = trace});
  size_t warnings = 0;
  for (const char *p = r.err; (p = strstr(p, "warning")) != NULL; p++) warnings++;
  cr_expect_eq(warnings, 21);
  cr_expect(strstr(r.err, "as are all further unknown names") != NULL);
  ran_free(&r);
}
