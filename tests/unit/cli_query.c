/* tests/unit/cli_query.c -- the command and queries of SQL: verdicts, exit statuses, places, witnesses. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/ran.h"
#include "tests/test.h"

#define STREAMS "CREATE STREAM s (a INT, i TIMESTAMP);\nCREATE STREAM t (b INT, c INT, j TIMESTAMP);\n"

static void expect(const char *query, const char *const *args, int status, const char *out, const char *err) {
  ran_how how = {.query = query};
  for (size_t i = 0; args[i] != NULL; i++) how.args[i] = args[i];
  ran r = ran_weir(&how);
  cr_expect_eq(r.status, status, "%s: status %d: %s", query, r.status, r.err);
  cr_expect_str_eq(r.out, out, "%s:\n%s", query, r.out);
  cr_expect_str_eq(r.err, err, "%s:\n%s", query, r.err);
  ran_free(&r);
}
#define CHECK(query, status, out) expect(query, (const char *const[]){"check", "query.sql", NULL}, status, out, "")
#define WRONG(query, err) expect(query, (const char *const[]){"check", "query.sql", NULL}, 2, "", err)

/* ---- Verdicts ---------------------------------------------------------------------------------------------------------- */

Test(cli_query, a_bounded_query_is_told_with_what_it_keeps) {
  CHECK(STREAMS "SELECT a, b FROM s, t WHERE i > j AND 0 < b AND b < 5;\n", 0,
        "bounded\ncells 4\nbytes 64\n"
        "synopsis  waits for  keeps    entries  cells  bytes  key\n"
        "t         s          counter  4        4      64     t.b in 1 .. 4\n");
  CHECK(STREAMS "SELECT a FROM s;\n", 0, "bounded\ncells 0\nbytes 0\n");
}

Test(cli_query, keys_are_told_with_what_makes_values_alike) {
  CHECK(STREAMS "SELECT a FROM s, t WHERE i > j AND a <= b AND a <= 4 AND b >= 0;\n", 0,
        "bounded\ncells 5\nbytes 72\n"
        "synopsis  waits for  keeps    entries  cells  bytes  key\n"
        "t         s          counter  5        5      72     min(t.b, 4) in 0 .. 4\n");
  CHECK(STREAMS "SELECT a FROM s, t WHERE i >= j + 4;\n", 0,
        "bounded\ncells 4\nbytes 64\n"
        "synopsis  waits for  keeps    entries  cells  bytes  key\n"
        "t         s          counter  4        4      64     max(t.j, now - 3) in now - 3 .. now\n");
  CHECK(STREAMS "SELECT a, b FROM s, t WHERE i > j AND j > i - 3;\n", 0,
        "bounded\ncells 6*rate(t)\nbytes 32 + 48*rate(t)\n"
        "synopsis  waits for  keeps    entries    cells      bytes            key\n"
        "t         s          counter  2*rate(t)  6*rate(t)  32 + 48*rate(t)  t.j in now - 1 .. now, t.b\n");
}

Test(cli_query, sets_keep_flags_or_an_extreme_and_what_was_written) {
  CHECK(STREAMS "SELECT DISTINCT b FROM s, t WHERE i > j AND b BETWEEN 1 AND 3;\n", 0,
        "bounded\ncells 6\nbytes 112\n"
        "synopsis   waits for  keeps     entries  cells  bytes  key\n"
        "t          s          flag      3        3      56     t.b in 1 .. 3\n"
        "(written)  -          all rows  -        3      56     -\n");
  CHECK(STREAMS "SELECT DISTINCT i FROM s, t WHERE i > j AND a <= b;\n", 0,
        "bounded\ncells 1\nbytes 40\n"
        "synopsis   waits for  keeps         entries  cells  bytes  key\n"
        "t          s          greatest t.b  1        1      40     -\n"
        "(written)  -          nothing       -        0      0      -\n");
}

Test(cli_query, synopses_of_several_selects_and_pieces_are_told_apart) {
  CHECK(STREAMS "SELECT a FROM s, t WHERE i > j AND a <> b AND b BETWEEN 0 AND 1 UNION ALL SELECT DISTINCT c FROM t WHERE c IN (1, 2);\n", 0,
        "bounded\ncells 6\nbytes 144\n"
        "select  synopsis   waits for  keeps     entries  cells  bytes  key\n"
        "1       t          s          counter   2        2      48     min(t.b, 1) in 0 .. 1\n"
        "1.2     t          s          counter   2        2      48     max(t.b, 0) in 0 .. 1\n"
        "2       (written)  -          all rows  -        2      48     -\n");
}

Test(cli_query, an_unbounded_query_is_three_and_names_column_place_and_cure) {
  CHECK(STREAMS "SELECT a FROM s, t WHERE i > j AND\n\ta <= b;\n", 3,
        "unbounded\n"
        "t.b is compared with the later s.a (s.a <= t.b), but t.b has no constant bound below and s.a none above, and rows of t must be counted "
        "until later rows of s arrive\n"
        "query.sql:4:2: note: this is what needs memory\n  \ta <= b;\n  \t^~~~~~\n"
        "hint: bounded with t.b >= MIN AND s.a <= MAX, or t.j >= s.i - STEPS\n");
}

/* Fault 19: an unbounded query is accepted and dies hours later. */
Test(cli_query, fault_19_what_would_die_hours_later_is_refused_with_a_reason_and_the_bounded_variants_are_not) {
  static const char join[] = "CREATE STREAM l (k INT, v INT, at TIMESTAMP);\nCREATE STREAM r (k INT, at TIMESTAMP);\n";
  static const struct { const char *query; int status; const char *reason; } variants[] = {
    {"SELECT l.v FROM l, r WHERE l.k = r.k;", 3, "needs memory"},
    {"SELECT l.v FROM l, r WHERE l.k = r.k AND l.k BETWEEN 0 AND 9 AND l.v IN (1, 2);", 0, ""},
    {"SELECT l.v FROM l, r WHERE l.k = r.k AND l.at = r.at;", 0, ""},
    {"SELECT l.v FROM l, r WHERE l.k = r.k AND l.at BETWEEN r.at - 5 AND r.at + 5;", 0, ""},
    {"SELECT DISTINCT v FROM l;", 3, "DISTINCT must remember"},
    {"SELECT DISTINCT v FROM l WHERE v BETWEEN 0 AND 1000;", 0, ""},
    {"SELECT DISTINCT v, at FROM l;", 0, ""},
    {"SELECT v FROM l;", 0, ""},
  };
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
    char query[400];
    snprintf(query, sizeof query, "%s%s\n", join, variants[i].query);
    ran r = ran_weir(&(ran_how){.query = query, .args = {"check", "query.sql"}});
    cr_expect_eq(r.status, variants[i].status, "%s: %d %s", variants[i].query, r.status, r.err);
    cr_expect(strstr(r.out, variants[i].reason) != NULL, "%s: %s", variants[i].query, r.out);
    ran_free(&r);
    ran run = ran_weir(&(ran_how){.query = query, .trace = "", .args = {"run", "query.sql", "trace.input"}});
    cr_expect_eq(run.status, variants[i].status == 3 ? 3 : 2, "%s: %d", variants[i].query, run.status);
    cr_expect_str_eq(run.out, "");
    ran_free(&run);
  }
}

/* ---- Other commands ---------------------------------------------------------------------------------------------------- */

Test(cli_query, running_says_not_yet_or_why_never) {
  expect(STREAMS "SELECT a FROM s;\n", (const char *const[]){"run", "query.sql", NULL}, 2, "",
         "query.sql: error: compile: queries cannot be run yet\nhint: `weir check` tells what this one will keep between steps\n");
  expect(STREAMS "SELECT DISTINCT a FROM s;\n", (const char *const[]){"run", "query.sql", NULL}, 3, "",
         "query.sql:3:17: error: compile: unbounded: DISTINCT must remember every result already written, but s.a in the select list takes "
         "unboundedly many values\n  SELECT DISTINCT a FROM s;\n                  ^\n"
         "hint: bounded with s.a BETWEEN MIN AND MAX, or s.i in the select list\n");
}

Test(cli_query, explaining_shows_what_was_understood) {
  expect("create stream s (a bigint, i timestamp);select a, i k from s n where a in (2,1);\n", (const char *const[]){"explain", "query.sql", NULL}, 0,
         "CREATE STREAM s (a INT, i TIMESTAMP);\nSELECT ALL n.a AS a, n.i AS k\nFROM s AS n\nWHERE n.a IN (1, 2);\n", "");
  expect(STREAMS "SELECT a FROM s;\n", (const char *const[]){"explain", "--stage", "ir", "query.sql", NULL}, 2, "",
         "query.sql: error: a query has no such stage yet\nhint: --stage ast shows what was understood\n");
}

Test(cli_query, a_drawing_has_aliases_order_and_comparisons_and_the_verdicts_status) {
  static const char bounded[] =
    "digraph query {\n  rankdir=LR;\n  node [shape=ellipse, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n  label=\"bounded, cells 2\";\n"
    "  subgraph cluster_0 {\n    label=\"SELECT 1\";\n    n0_0 [label=\"s\\nstream s\\ns.a >= 1\"];\n    n0_1 [label=\"t\\nstream t\\nt.b in 1 .. 2\"];\n"
    "    n0_1 -> n0_0 [label=\"t.j < s.i\"];\n    n0_0 -> n0_1 [label=\"t.b <= s.a\", style=dotted, dir=none, constraint=false];\n  }\n}\n";
  expect(STREAMS "SELECT a FROM s, t WHERE i > j AND a >= b AND b BETWEEN 1 AND 2;\n", (const char *const[]){"check", "--dot", "query.sql", NULL}, 0, bounded, "");
  ran r = ran_weir(&(ran_how){.query = STREAMS "SELECT a FROM s, t WHERE i > j AND a >= b;\n", .args = {"check", "--dot", "query.sql"}});
  cr_expect_eq(r.status, 3);
  cr_expect(strstr(r.out, "[label=\"t\\nstream t\", color=red]") && strstr(r.out, "constraint=false, color=red];"), "%s", r.out);
  ran_free(&r);
}

/* Not as two bounds: two lines between the same nodes make some versions of dot fail. */
Test(cli_query, a_drawing_has_one_line_for_an_equality) {
  ran r = ran_weir(&(ran_how){.query = STREAMS "SELECT DISTINCT a FROM s, t WHERE i > j AND a = b + 1;\n", .args = {"check", "--dot", "query.sql"}});
  cr_expect_eq(r.status, 3);
  cr_expect(strstr(r.out, "[label=\"s.a = t.b + 1\", style=dotted, dir=none, constraint=false, color=red];"), "%s", r.out);
  cr_expect_not(strstr(r.out, "<="), "%s", r.out);
  ran_free(&r);
}

Test(cli_query, the_language_is_told_by_the_name_or_an_option) {
  ran r = ran_weir(&(ran_how){.trace = STREAMS "SELECT a FROM s;\n", .args = {"check", "--language", "sql", "trace.input"}});
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect_str_eq(r.out, "bounded\ncells 0\nbytes 0\n");
  ran_free(&r);
}

/* ---- Errors ------------------------------------------------------------------------------------------------------------ */

Test(cli_query, errors_are_drawn_as_those_of_the_first_language_are) {
  WRONG(STREAMS "SELECT s.aa, t.q FROM s, t WHERE s.i >\n  AND t.b = 1;\n",
        "query.sql:4:3: error: parse: expected a column or an integer, found `AND`\n    AND t.b = 1;\n    ^~~\n");
  WRONG(STREAMS "SELECT temp FROM s, t WHERE s.i > tt.j;\n",
        "query.sql:3:8: error: type: there is no column `temp` in FROM\n  SELECT temp FROM s, t WHERE s.i > tt.j;\n         ^~~~\n"
        "query.sql:3:35: error: type: `tt` is not in FROM\n  SELECT temp FROM s, t WHERE s.i > tt.j;\n                                    ^~\nhint: did you mean `t`?\n");
  WRONG(STREAMS "SELECT a FROM s\n\n  ", "query.sql:3:16: error: parse: expected `;`, found the end of the text\n  SELECT a FROM s\n                 ^\n"
        "hint: every statement ends with `;`: so a text that was cut is not taken for a whole one\n");
  WRONG(STREAMS "SELECT a FROM s", "query.sql:3:16: error: parse: expected `;`, found the end of the text\n  SELECT a FROM s\n                 ^\n"
        "hint: every statement ends with `;`: so a text that was cut is not taken for a whole one\n");
}

/* A message of a name with characters that a terminal obeys, and in JSON. */
Test(cli_query, no_message_sends_what_a_terminal_obeys) {
  static const char query[] = STREAMS "SELECT \"a\xE2\x80\xAE\xE2\x80\xA8\" FROM s;";
  WRONG(query, "query.sql:3:8: error: type: there is no column `a��` in FROM\n  SELECT \"a��\" FROM s;\n         ^~~~~\n");
  ran r = ran_weir(&(ran_how){.query = STREAMS "SELECT a \xC2\x9B FROM s;", .args = {"check", "--json", "\xC2\x9B.sql"}});
  cr_expect(strchr(r.out, '\x9B') == NULL && strstr(r.out, "\\u009b.sql"), "%s", r.out);
  ran_free(&r);
}

Test(cli_query, limits_are_options_that_their_errors_name) {
  static const char query[] = STREAMS "SELECT a FROM s, t WHERE i > j AND (a > 1);\n";
  expect(query, (const char *const[]){"check", "--max-aliases", "2", "--max-nesting", "1", "query.sql", NULL}, 0,
         "bounded\ncells 1\nbytes 40\nsynopsis  waits for  keeps    entries  cells  bytes  key\nt         s          counter  1        1      40     -\n", "");
  expect(query, (const char *const[]){"check", "--max-aliases", "1", "query.sql", NULL}, 2, "",
         "query.sql:3:18: error: parse: more than 1 stream or table in a FROM (option max_aliases / --max-aliases)\n"
         "  SELECT a FROM s, t WHERE i > j AND (a > 1);\n                   ^\n");
  ran r = ran_weir(&(ran_how){.query = query, .args = {"check", "--max-sql-steps", "10", "query.sql"}});
  cr_expect_eq(r.status, 2);
  cr_expect(strstr(r.err, "query.sql:3:1: error: compile: ") && strstr(r.err, "--max-sql-steps"), "%s", r.err);
  ran_free(&r);
  r = ran_weir(&(ran_how){.query = query, .args = {"check", "--json", "--max-sql-steps", "10", "query.sql"}});
  cr_expect(strstr(r.out, "\"code\": \"E_UNDECIDED\", \"phase\": \"compile\""), "%s", r.out);
  ran_free(&r);
}

/* ---- Witnesses --------------------------------------------------------------------------------------------------------- */

static void expect_file(const char *folder, const char *name, const char *want) {
  char path[200], text[400];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "rb");
  cr_assert(f != NULL, "%s", path);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  cr_expect_str_eq(text, want, "%s", name);
  (void)unlink(path);
}

Test(cli_query, a_witness_is_written_into_a_folder_that_is_made) {
  char above[] = "/tmp/weir-test-XXXXXX", folder[64], want[1200];
  cr_assert(mkdtemp(above) != NULL);
  snprintf(folder, sizeof folder, "%s/why", above);
  snprintf(want, sizeof want,
           "unbounded\n"
           "DISTINCT must remember every result already written, but s.a in the select list takes unboundedly many values\n"
           "query.sql:2:17: note: this is what needs memory\n  SELECT DISTINCT a FROM s;\n                  ^\n"
           "hint: bounded with s.a BETWEEN MIN AND MAX, or s.i in the select list\n"
           "2 histories and 1 continuation are in %s: for any two histories there is a continuation after which the results differ.\n"
           "One input of them: cat %s/history-1.ndjson %s/continuation-0.ndjson\n", folder, folder, folder);
  expect("CREATE STREAM s (a INT, i TIMESTAMP);\nSELECT DISTINCT a FROM s;\n", (const char *const[]){"check", "--witness", "1", "-o", folder, "query.sql", NULL}, 3, want, "");
  expect_file(folder, "history-0.ndjson", "");
  expect_file(folder, "history-1.ndjson", "{\"stream\":\"s\",\"row\":{\"a\":0,\"i\":0}}\n");
  expect_file(folder, "continuation-0.ndjson", "{\"stream\":\"s\",\"row\":{\"a\":0,\"i\":1}}\n");
  cr_expect_eq(rmdir(folder), 0, "nothing else is in it");
  cr_expect_eq(rmdir(above), 0);
}

static size_t files_in(const char *folder) {
  DIR *d = opendir(folder);
  size_t n = 0;
  cr_assert(d != NULL);
  for (const struct dirent *f; (f = readdir(d)) != NULL;) n += f->d_name[0] != '.';
  closedir(d);
  return n;
}

/* Checks a query with --witness N and that the folder then holds a whole family and one file more. */
static void expect_family(const char *folder, const char *query, const char *n, int status, bool has_family) {
  ran r = ran_weir(&(ran_how){.query = query, .args = {"check", "--witness", n, "-o", folder, "query.sql"}});
  size_t k = strtoul(n, NULL, 10), want = has_family ? ((size_t)1 << k) + k + 1 : 1;
  cr_expect_eq(r.status, status, "%s", r.err);
  cr_expect_eq(files_in(folder), want, "%s: %zu files", n, files_in(folder));
  ran_free(&r);
}

/* Files of another number of digits or behind the last one would read as members of this family, and all of them as the reason for another
** query's verdict; what else is there is none of ours. */
Test(cli_query, a_witness_leaves_no_file_of_another_one_behind) {
  static const char open[] = "CREATE STREAM s (a INT, i TIMESTAMP);\nSELECT DISTINCT a FROM s;\n";
  static const char bounded[] = "CREATE STREAM s (a INT, i TIMESTAMP);\nSELECT a FROM s;\n";
  /* only the pair of rows matters to the result, which the decision does not see: there is no family */
  static const char cautious[] = "CREATE STREAM s (a INT, i TIMESTAMP);\nSELECT DISTINCT o.i FROM s n, s o WHERE n.i > o.i;\n";
  static const char *const sizes[] = {"10", "2", "9", "5", "6", "1"};
  char folder[] = "/tmp/weir-test-XXXXXX", path[64], clean[64];
  cr_assert(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/notes", folder);
  FILE *notes = fopen(path, "w");
  cr_assert(notes != NULL);
  fclose(notes);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) expect_family(folder, open, sizes[i], 3, true);
  expect_family(folder, open, "4", 3, true);
  expect_family(folder, bounded, "2", 0, false);
  expect_family(folder, open, "4", 3, true);
  expect_family(folder, cautious, "2", 3, false);
  snprintf(clean, sizeof clean, "rm -r %s", folder);
  cr_expect_eq(system(clean), 0);
}

/* Neither as a folder nor where a file has its name. */
Test(cli_query, without_a_witness_no_folder_is_made_or_needed) {
  char above[] = "/tmp/weir-test-XXXXXX", folder[64];
  cr_assert(mkdtemp(above) != NULL);
  snprintf(folder, sizeof folder, "%s/why", above);
  for (int is_file = 0; is_file < 2; is_file++) {
    FILE *f = is_file ? fopen(folder, "w") : NULL;
    if (f != NULL) fclose(f);
    expect(STREAMS "SELECT a FROM s;\n", (const char *const[]){"check", "--witness", "1", "-o", folder, "query.sql", NULL}, 0, "bounded\ncells 0\nbytes 0\n", "");
    cr_expect_eq(files_in(above), (size_t)is_file);
  }
  cr_expect_eq(unlink(folder), 0);
  cr_expect_eq(rmdir(above), 0);
}

Test(cli_query, a_bounded_query_has_no_witness_and_a_folder_that_cannot_be_made_is_one) {
  CHECK(STREAMS "SELECT a FROM s;\n", 0, "bounded\ncells 0\nbytes 0\n");
  ran r = ran_weir(&(ran_how){.query = STREAMS "SELECT a FROM s;\n", .args = {"check", "--witness", "3", "query.sql"}});
  cr_expect_eq(r.status, 0);
  ran_free(&r);
  expect(STREAMS "SELECT DISTINCT a FROM s;\n", (const char *const[]){"check", "--witness", "1", "-o", "no/such", "query.sql", NULL}, 1, "",
         "weir: error: cannot make the folder no/such: no such file or folder\n");
}
