/* tests/unit/frontend_sql_parse.c -- what a script of SQL is, what is refused and where, and that nothing else happens. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/host.h"
#include "tests/support/sql_bench.h"
#include "tests/support/sql_expect.h"
#include "tests/test.h"

#define STREAMS "CREATE STREAM s (a INT, i TIMESTAMP);CREATE STREAM t (b INT, j TIMESTAMP);CREATE TABLE r (x INT, y INT);"
static const char printed_streams[] =
  "CREATE STREAM s (a INT, i TIMESTAMP);\nCREATE STREAM t (b INT, j TIMESTAMP);\nCREATE TABLE r (x INT, y INT);\n";

/* Nothing is wrong with the script. */
static void read_right(sql_bench *b, const char *text) {
  sql_bench_open(b, 0);
  sql_bench_read(b, text, strlen(text));
  cr_expect_eq(b->diags.n, 0, "`%s`: %s", text, b->diags.at[0].text);
}

/* The query behind STREAMS is read as `want`, which is read as itself. */
static void expect_query(const char *query, const char *want) {
  char text[4096], again[8192];
  sql_bench b;
  snprintf(text, sizeof text, STREAMS "%s", query);
  snprintf(again, sizeof again, "%s%s", printed_streams, want);
  for (int round = 0; round < 2; round++) {
    read_right(&b, round == 0 ? text : again);
    cr_expect_str_eq(sql_bench_print(&b), again, "`%s` is read as\n%s", query, sql_bench_print(&b));
    sql_bench_close(&b);
  }
}

/* Errors at a place between « and ». */
#define PARSE(marked, message, hint) sql_expect_error(marked, WEIR_E_PARSE, message, hint)
#define QUERY(marked, message, hint) sql_expect_error(STREAMS "SELECT a FROM s " marked, WEIR_E_PARSE, message, hint)

/* ---- What is read ---------------------------------------------------------------------------------------------------- */

Test(frontend_sql_parse, a_select_has_a_list_a_from_and_a_condition) {
  expect_query("SELECT a FROM s;", "SELECT ALL s.a AS a\nFROM s AS s;\n");
  expect_query("select distinct S.A as V, b x from S, t as U where I > J AND U.b <= 5;",
               "SELECT DISTINCT s.a AS v, u.b AS x\nFROM s AS s, t AS u\nWHERE s.i > u.j\n  AND u.b <= 5;\n");
  expect_query("SELECT ALL s.a FROM s JOIN t ON s.i > t.j INNER JOIN r ON r.x = b CROSS JOIN t u WHERE u.b IN (3, -1, 3) AND s.a NOT IN (0);",
               "SELECT ALL s.a AS a\nFROM s AS s, t AS t, r AS r, t AS u\nWHERE s.i > t.j\n  AND r.x = t.b\n  AND u.b IN (-1, 3)\n  AND s.a NOT IN (0);\n");
}

Test(frontend_sql_parse, every_comparison_has_its_meaning) {
  expect_query("SELECT a FROM s, t WHERE a < b AND a <= b AND a = b AND a <> b AND a != b AND a >= b AND a > b AND a BETWEEN b - 1 AND 7;",
               "SELECT ALL s.a AS a\nFROM s AS s, t AS t\nWHERE s.a < t.b\n  AND s.a <= t.b\n  AND s.a = t.b\n  AND s.a <> t.b\n  AND s.a <> t.b\n"
               "  AND s.a >= t.b\n  AND s.a > t.b\n  AND s.a >= t.b - 1\n  AND s.a <= 7;\n");
}

Test(frontend_sql_parse, integers_of_an_expression_are_summed) {
  expect_query("SELECT a + 1 - 3 + 2 AS v, -5 AS c, 2 - 4 + a AS w, a - 9223372036854775808 AS x FROM s WHERE 1 < 2;",
               "SELECT ALL s.a AS v, -5 AS c, s.a - 2 AS w, s.a - 9223372036854775808 AS x\nFROM s AS s\nWHERE 1 < 2;\n");
  expect_query("SELECT a FROM s WHERE a < 18446744073709551615 + 1 + 18446744073709551615;",
               "SELECT ALL s.a AS a\nFROM s AS s\nWHERE s.a < 18446744073709551615 + 18446744073709551615 + 1;\n");
}

Test(frontend_sql_parse, parentheses_and_the_kind_of_white_space_mean_nothing) {
  expect_query("SELECT a -- a comment; SELECT\nFROM s /* ; ' \" -- */ WHERE ((a > 1 AND (a < 5)) AND i > 3)\t;\r\n -- end",
               "SELECT ALL s.a AS a\nFROM s AS s\nWHERE s.a > 1\n  AND s.a < 5\n  AND s.i > 3;\n");
}

Test(frontend_sql_parse, unions_are_sets_or_bags_as_a_whole) {
  expect_query("SELECT a FROM s UNION ALL SELECT DISTINCT b FROM t UNION ALL SELECT 5 AS five FROM s;",
               "SELECT ALL s.a AS a\nFROM s AS s\nUNION ALL\nSELECT DISTINCT t.b AS b\nFROM t AS t\nUNION ALL\nSELECT ALL 5 AS five\nFROM s AS s;\n");
  expect_query("SELECT a FROM s UNION SELECT b FROM t UNION DISTINCT SELECT a FROM s;",
               "SELECT ALL s.a AS a\nFROM s AS s\nUNION\nSELECT ALL t.b AS b\nFROM t AS t\nUNION\nSELECT ALL s.a AS a\nFROM s AS s;\n");
}

/* Fault 14. */
Test(frontend_sql_parse, names_of_all_kinds_work_and_quoted_ones_keep_their_case) {
  sql_bench b;
  static const char text[] =
    "CREATE STREAM main (size BIGINT, time TIMESTAMP, \"select\" INTEGER, \"A b\" INT, exp INT, _x INT, iff INT, \"size2\" INT, \"Main\" INT, \"\xc3\xa4\" INT);\n"
    "SELECT size, Time, \"select\", \"A b\", EXP, _X, malloc.iff, SIZE2, \"Main\", \"\xc3\xa4\" FROM MAIN malloc;";
  read_right(&b, text);
  cr_expect_str_eq(sql_bench_print(&b),
    "CREATE STREAM main (size INT, time TIMESTAMP, \"select\" INT, \"A b\" INT, exp INT, _x INT, iff INT, size2 INT, \"Main\" INT, \"\xc3\xa4\" INT);\n"
    "SELECT ALL malloc.size AS size, malloc.time AS time, malloc.\"select\" AS \"select\", malloc.\"A b\" AS \"A b\", malloc.exp AS exp, malloc._x AS _x, "
    "malloc.iff AS iff, malloc.size2 AS size2, malloc.\"Main\" AS \"Main\", malloc.\"\xc3\xa4\" AS \"\xc3\xa4\"\nFROM main AS malloc;\n");
  sql_bench_close(&b);
}

Test(frontend_sql_parse, every_reserved_word_is_named_where_a_name_is_wanted_and_works_in_quotes) {
  static const char *const words[] = {
#define TOKEN_D(text)
#define TOKEN_S(text) text,
#define TOKEN_DS(text)
#define TOKEN_KIND(text, languages)
#define TOKEN_MARK(text, languages)
#define TOKEN_WORD(text, languages) TOKEN_##languages(text)
#define TOKEN(name, text, sort, languages) TOKEN_##sort(text, languages)
#include "frontend/tokens.def"
#undef TOKEN
  };
  cr_assert_geq(sizeof words / sizeof words[0], 28);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    char text[200], message[200];
    sql_bench b;
    snprintf(text, sizeof text, "CREATE STREAM s (%s INT, i TIMESTAMP);SELECT i FROM s;", words[i]);
    snprintf(message, sizeof message, "expected the name of a column, found `%s`, which is a reserved word", words[i]);
    sql_expect_error_in(text, 17, strlen(words[i]), WEIR_E_PARSE, message, "in double quotes it is a name");
    snprintf(text, sizeof text, "CREATE STREAM \"%s\" (\"%s\" INT, i TIMESTAMP);SELECT \"%s\".\"%s\" \"%s\" FROM \"%s\";", words[i], words[i], words[i], words[i], words[i], words[i]);
    sql_bench_open(&b, 0);
    sql_bench_read(&b, text, strlen(text));
    cr_expect(b.is_read, "%s: %s", text, b.diags.at[0].text);
    sql_bench_close(&b);
  }
}

Test(frontend_sql_parse, promises_of_a_stream_and_rows_of_a_table_are_kept) {
  sql_bench b;
  static const char text[] =
    "CREATE STREAM s (a INT, i TIMESTAMP) RATE 2 UNTIL 9;CREATE STREAM t (i TIMESTAMP) UNTIL 9223372036854775807;CREATE TABLE r (x INT, y INT);"
    "INSERT INTO r VALUES (1, -9223372036854775808);INSERT INTO r (y, x) VALUES (9223372036854775807, 3), (4, 5);CREATE TABLE none (x INT);SELECT a FROM s;";
  sql_bench_open(&b, 0);
  sql_bench_read(&b, text, sizeof text - 1);
  cr_expect_str_eq(sql_bench_print(&b),
    "CREATE STREAM s (a INT, i TIMESTAMP) UNTIL 9 RATE 2;\nCREATE STREAM t (i TIMESTAMP) UNTIL 4611686018427387903;\nCREATE TABLE r (x INT, y INT);\n"
    "INSERT INTO r VALUES\n  (1, -9223372036854775808),\n  (3, 9223372036854775807),\n  (5, 4);\nCREATE TABLE none (x INT);\nSELECT ALL s.a AS a\nFROM s AS s;\n");
  sql_bench_close(&b);
}

/* ---- What is refused --------------------------------------------------------------------------------------------------- */

Test(frontend_sql_parse, what_is_no_part_of_the_language_is_named) {
  QUERY("WHERE a > 1 «OR» a < 0;", "OR is not supported", "use IN, or a SELECT for each case and UNION");
  QUERY("WHERE a «NOT BETWEEN» 1 AND 2;", "NOT BETWEEN is not supported", "use two SELECTs and UNION ALL: one for below, one for above");
  QUERY("WHERE a «*» 2 > 1;", "`*` is not supported: an expression is a column plus or minus integers", "");
  QUERY("WHERE «NOT» a > 1;", "NOT stands only before IN", "turn the comparison round: `<` into `>=`");
  QUERY("WHERE a - «i» > 1;", "a second column in an expression", "a difference of columns is written as a comparison: `s.i - t.j < 5` as `s.i < t.j + 5`");
  QUERY("WHERE 5 - «a» > 1;", "a column cannot be subtracted", "");
  QUERY("WHERE a > «1.5»;", "expected a column or an integer, found `1.5`", "all numbers are integers");
  QUERY("WHERE a > «'»x' ;", "unexpected character `'`", "there are no texts: columns are INT or TIMESTAMP");
  QUERY("WHERE a > 4 «/» 2;", "unexpected character `/`", "a comment begins with `--`, or stands between `/*` and `*/`; there is no division");
  QUERY("WHERE (a«)» > 4;", "expected a comparison, `BETWEEN` or `IN`, found `)`", "parentheses stand only around conditions");
}

Test(frontend_sql_parse, star_is_refused_with_what_to_write) {
  PARSE(STREAMS "SELECT «*» FROM s;", "expected a column or an integer, found `*`", "the columns are named one by one");
}

/* Read as an alias, `LEFT JOIN` would silently be an inner join. */
Test(frontend_sql_parse, other_joins_are_refused_at_their_word) {
  static const char outer[] = "outer joins are not supported", joins[] = "there are [INNER] JOIN ... ON and CROSS JOIN",
                    rows[] = "there are [INNER] JOIN ... ON and CROSS JOIN, whose results have a row of each stream";
  QUERY("«LEFT» JOIN t ON i = j;", outer, rows);
  QUERY("«left» OUTER JOIN t ON i = j;", outer, rows);
  QUERY("x «Right» JOIN t ON i = j;", outer, rows);
  QUERY("AS x «FULL» JOIN t ON i = j;", outer, rows);
  QUERY("«OUTER» JOIN t ON i = j;", outer, rows);
  QUERY(", t «LEFT» JOIN r ON x = b;", outer, rows);
  QUERY("JOIN t ON i = j «LEFT» JOIN r ON x = b;", outer, rows);
  QUERY("«NATURAL» JOIN t;", "NATURAL JOIN is not supported", joins);
  QUERY("«NATURAL» INNER JOIN t;", "NATURAL JOIN is not supported", joins);
  QUERY("«SEMI» JOIN t ON i = j;", "SEMI JOIN is not supported", joins);
  QUERY("«ANTI» JOIN t ON i = j;", "ANTI JOIN is not supported", joins);
  QUERY("«ASOF» JOIN t ON i = j;", "ASOF JOIN is not supported", joins);
  QUERY("JOIN t «USING» (i);", "USING is not supported", "ON says which columns are equal: ON s.a = t.a");
  QUERY("JOIN t«;»", "expected `ON`, found `;`", "a join without a condition is a CROSS JOIN");
  QUERY("CROSS JOIN t «ON» i = j;", "expected the query to go on, or `;`, found `ON`", "ON stands behind [INNER] JOIN; other conditions follow WHERE");
}

Test(frontend_sql_parse, what_other_queries_go_on_with_is_refused_at_its_word) {
  static const char never[] = "what was written is never taken back: there are UNION and UNION ALL",
                    fewer[] = "all results are written; a condition on times makes them fewer: s.i >= t.j - 60",
                    window[] = "a window is a condition on times: t.j >= s.i - 60", nulls[] = "there are no NULLs: each row has all its columns";
  QUERY("«EXCEPT» SELECT b FROM t;", "EXCEPT is not supported", never);
  QUERY("WHERE a > 1 «EXCEPT» ALL SELECT b FROM t;", "EXCEPT is not supported", never);
  QUERY("«MINUS» SELECT b FROM t;", "MINUS is not supported", never);
  QUERY("«INTERSECT» SELECT b FROM t;", "INTERSECT is not supported", "SELECT DISTINCT from both, with their columns equal, is the same");
  QUERY("«GROUP» BY a;", "GROUP BY is not supported", "there are no groups and no aggregates; SELECT DISTINCT writes each result once");
  QUERY("WHERE a > 1 «HAVING» a > 2;", "HAVING is not supported", "there are no groups and no aggregates; conditions follow WHERE");
  QUERY("«HAVING» a > 2;", "HAVING is not supported", "there are no groups and no aggregates; conditions follow WHERE");
  QUERY("UNION SELECT b FROM t «ORDER» BY a;", "ORDER BY is not supported", "results come step by step, those of a step in the order of their values");
  QUERY("«LIMIT» 5;", "LIMIT is not supported", fewer);
  QUERY("WHERE a > 1 «OFFSET» 5;", "OFFSET is not supported", fewer);
  QUERY("«FETCH» FIRST 5 ROWS ONLY;", "FETCH is not supported", fewer);
  QUERY("«WINDOW» w AS (PARTITION BY a);", "WINDOW is not supported", window);
  QUERY("WHERE a «IS» NOT NULL;", "IS is not supported", nulls);
  QUERY("WHERE a «LIKE» 5;", "LIKE is not supported", "there are no texts: columns are INT or TIMESTAMP");
  PARSE(STREAMS "SELECT a «OVER» (PARTITION BY a) FROM s;", "OVER is not supported", window);
  PARSE(STREAMS "SELECT CASE «WHEN» a > 1 THEN 1 ELSE 0 END FROM s;", "CASE is not supported", "a SELECT for each case, and UNION ALL");
  PARSE(STREAMS "«WITH» x AS (SELECT a FROM s) SELECT a FROM x;", "WITH is not supported", "the query is one SELECT, or a UNION of several");
}

Test(frontend_sql_parse, functions_and_queries_within_the_query_are_refused_at_their_word) {
  static const char none[] = "functions are not supported", sums[] = "an expression is a column plus or minus integers; there are no aggregates",
                    queries[] = "subqueries are not supported", join[] = "what it reads can stand in FROM, and its conditions in WHERE",
                    bare[] = "a SELECT stands without parentheses, also in a UNION";
  PARSE(STREAMS "SELECT «count»(a) FROM s;", none, sums);
  PARSE(STREAMS "SELECT a, «Sum» (a) OVER (PARTITION BY a) FROM s;", none, sums);
  QUERY("WHERE «abs»(a) > 1;", none, sums);
  QUERY("WHERE a IN («SELECT» b FROM t);", queries, join);
  QUERY("WHERE a > «(»SELECT b FROM t);", queries, join);
  QUERY("WHERE a = «ANY» (SELECT b FROM t);", queries, join);
  QUERY("WHERE «EXISTS» (SELECT b FROM t);", queries, join);
  PARSE(STREAMS "SELECT a FROM «(»SELECT a FROM s) x;", queries, join);
  PARSE(STREAMS "SELECT «(»SELECT b FROM t) FROM s;", queries, join);
  PARSE(STREAMS "«(»SELECT a FROM s);", "expected `CREATE`, `INSERT` or `SELECT`, found `(`", bare);
  QUERY("UNION «(»SELECT b FROM t);", "expected `SELECT`, found `(`", bare);
}

Test(frontend_sql_parse, such_words_are_names_where_only_a_name_can_stand) {
  sql_bench b;
  static const char text[] =
    "CREATE STREAM left (limit INT, is INT, i TIMESTAMP);CREATE STREAM over (b INT, j TIMESTAMP);"
    "SELECT right.limit order, is AS when, over.b over FROM left AS right JOIN over ON right.i = over.j, over AS outer, over \"full\", over using WHERE using.j = \"full\".j;";
  read_right(&b, text);
  sql_bench_close(&b);
}

Test(frontend_sql_parse, a_word_that_is_nearly_right_is_recognized) {
  PARSE(STREAMS "«SELCT» a FROM s;", "expected `CREATE`, `INSERT` or `SELECT`, found `SELCT`", "did you mean `SELECT`?");
  PARSE("CREATE «STRAEM» s (a INT);", "expected `STREAM` or `TABLE`, found `STRAEM`", "did you mean `STREAM`?");
  PARSE("CREATE STREAM s (a «TIMESTMP»);", "expected a type, INT or TIMESTAMP, found `TIMESTMP`", "did you mean `TIMESTAMP`?");
  PARSE(STREAMS "SELECT a FORM «s»;", "expected `,` or `FROM`, found `s`", "did you mean `FROM`?");
  PARSE(STREAMS "SELECT a FROM s whre «a» > 1;", "expected the query to go on, or `;`, found `a`", "did you mean `WHERE`?");
  QUERY("WHERE a > 1 «AN» a < 2;", "expected the query to go on, or `;`, found `AN`", "did you mean `AND`?");
  QUERY("WHERE a «BETWEN» 1 AND 2;", "expected a comparison, `BETWEEN` or `IN`, found `BETWEN`", "did you mean `BETWEEN`?");
}

/* Fault 8: a text that was cut or that goes on is no shorter one. */
Test(frontend_sql_parse, a_statement_ends_with_a_semicolon_and_nothing_follows_the_query) {
  static const char end[] = "every statement ends with `;`: so a text that was cut is not taken for a whole one";
  PARSE(STREAMS "SELECT a FROM s WHERE a > 1«»", "expected `;`, found the end of the text", end);
  PARSE("CREATE STREAM s (a INT, i TIMESTAMP)«»", "expected `;`, found the end of the text", end);
  PARSE(STREAMS "SELECT a FROM s; «SELECT» a FROM s;", "a second query; a script has exactly one", "UNION ALL makes one of several");
  PARSE(STREAMS "SELECT a FROM s; «garbage»", "the query must be the last statement", "");
  PARSE(STREAMS "SELECT a FROM s; «CREATE» TABLE q (x INT);", "the query must be the last statement", "");
  PARSE(STREAMS "SELECT a FROM s; «CREATE» TABLE q (x INT); CREATE TABLE o (x INT); SELECT x FROM q;", "the query must be the last statement", "");
  PARSE(STREAMS "SELECT a FROM s;«;»", "the query must be the last statement", "one `;` ends it");
  PARSE(STREAMS "«;»SELECT a FROM s;", "expected `CREATE`, `INSERT` or `SELECT`, found `;`", "");
  PARSE(STREAMS "SELECT a FROM s «}»;", "unexpected character `}`", "");
  PARSE("CREATE STREAM s (a INT, i TIMESTAMP);«»", "the script has no query", "its last statement is a SELECT");
  PARSE("«»", "the script has no query", "its last statement is a SELECT");
}

Test(frontend_sql_parse, lexical_errors_have_their_places) {
  QUERY("WHERE a > 5«AND» i > 3;", "`AND` runs into the number before it", "");
  QUERY("WHERE a > «18446744073709551616»;", "the number is too large", "");
  QUERY("WHERE a IN («9223372036854775808»);", "the number does not fit an INT, which has 64 bits", "");
  QUERY("WHERE «\"a > 5»\n;", "this quoted name is not closed on its line", "");
  QUERY("WHERE «\"\"» > 5;", "a name cannot be empty", "");
  QUERY("WHERE «\"a\"»\"b\" > 5;", "a quoted name cannot contain a quote", "");
  QUERY("WHERE «\"a»\tb\" > 5;", "a name cannot contain a control character", "");
  QUERY("WHERE «\"a»\xC2\x9B\" > 5;", "a name cannot contain a control character", "");
  QUERY("WHERE a > «\xE2\x80\x8B»5;", "unexpected character U+200B", "it is not seen in most editors; it can only stand in comments and quoted names");
  QUERY("WHERE a > 5 «/*» ;", "this comment is never closed", "a comment that begins with `/*` ends with `*/`");
  QUERY("WHERE a =«=» 5;", "expected a column or an integer, found `=`", "equal is written `=`");
  sql_expect_error_in("SELECT \xff", 7, 1, WEIR_E_PARSE, "the text is not UTF-8: byte 0xFF", "");
}

Test(frontend_sql_parse, declarations_say_what_they_lack) {
  PARSE("CREATE STREAM s («)»;", "expected the name of a column, found `)`", "");
  PARSE("CREATE STREAM s (a INT«;»", "expected `,` or `)`, found `;`", "");
  PARSE("CREATE STREAM s (a INT, i TIMESTAMP) RATE «-1»;", "RATE cannot be negative", "");
  PARSE("CREATE STREAM s (a INT, i TIMESTAMP) UNTIL 3 RATE 1 «UNTIL» 4;", "a second UNTIL", "");
  PARSE("CREATE STREAM s (a INT, i TIMESTAMP) UNTIL «;»", "expected an integer, found `;`", "");
  PARSE("CREATE TABLE r (x INT) «RATE» 2;", "a table has no RATE: all its rows are in the script", "");
  PARSE(STREAMS "INSERT INTO r VALUES («)»;", "expected an integer, found `)`", "");
  PARSE(STREAMS "INSERT INTO r VALUES (1 «2»);", "expected `,` or `)`, found `2`", "");
  PARSE(STREAMS "INSERT «r» VALUES (1, 2);", "expected `INTO`, found `r`", "");
}

Test(frontend_sql_parse, unions_of_both_kinds_cannot_be_mixed) {
  PARSE(STREAMS "SELECT a FROM s UNION SELECT b FROM t «UNION ALL» SELECT a FROM s;", "UNION and UNION ALL cannot be mixed", "");
}

Test(frontend_sql_parse, reading_goes_on_behind_the_next_semicolon) {
  sql_bench b;
  static const char text[] = "CREATE STREAM s (a INT, i);CREATE TABEL r (x INT);INSERT INTO r (1);SELECT a FROM s WHERE a >;";
  sql_bench_open(&b, 0);
  sql_bench_read(&b, text, sizeof text - 1);
  cr_assert_eq(b.diags.n, 4);
  static const uint32_t places[] = {25, 34, 65, 93};
  for (size_t i = 0; i < 4; i++) cr_expect_eq(b.diags.at[i].span.begin, places[i], "%zu: at %u: %s", i, b.diags.at[i].span.begin, b.diags.at[i].text);
  sql_bench_close(&b);
}

/* ---- Limits ------------------------------------------------------------------------------------------------------------ */

static void expect_limit(const wfe_limits *limits, const char *text, const char *message) {
  sql_bench b;
  sql_bench_open(&b, 0);
  b.limits = *limits;
  sql_bench_read(&b, text, strlen(text));
  cr_expect_eq(b.is_read, message == NULL, "%.80s: %s", text, b.diags.at[0].text);
  if (message != NULL) {
    cr_expect_eq(b.diags.at[0].code, WEIR_E_LIMIT);
    cr_expect_str_eq(b.diags.at[0].text, message);
  }
  sql_bench_close(&b);
}

Test(frontend_sql_parse, each_limit_holds_at_its_number_and_not_one_above) {
  wfe_limits limits = {.nesting = 2, .name_bytes = 3, .aliases = 2};
  expect_limit(&limits, STREAMS "SELECT a FROM s WHERE ((a > 1)) AND (a < 3 AND (a < 2));", NULL);
  expect_limit(&limits, STREAMS "SELECT a FROM s WHERE (((a > 1)));", "nested deeper than 2 levels (option max_nesting / --max-nesting)");
  expect_limit(&limits, STREAMS "SELECT a AS abc FROM s;", NULL);
  expect_limit(&limits, STREAMS "SELECT a AS abcd FROM s;", "a name of 4 bytes; the limit is 3 (option max_name_bytes / --max-name-bytes)");
  expect_limit(&limits, STREAMS "SELECT a AS \"abcd\" FROM s;", "a name of 4 bytes; the limit is 3 (option max_name_bytes / --max-name-bytes)");
  expect_limit(&limits, STREAMS "SELECT a FROM s, t UNION ALL SELECT a FROM s, t;", NULL);
  expect_limit(&limits, STREAMS "SELECT a FROM s, t, r;", "more than 2 streams and tables in a FROM (option max_aliases / --max-aliases)");
  limits.aliases = SIZE_MAX;
  expect_limit(&limits, STREAMS "SELECT 1 n FROM s a, s b, s c, s d, s e, s f, s g, s h, s i, s j, s k, s l;", NULL);
  expect_limit(&limits, STREAMS "SELECT 1 n FROM s a, s b, s c, s d, s e, s f, s g, s h, s i, s j, s k, s l, s m;",
               "more than 12 streams and tables in a FROM (option max_aliases / --max-aliases)");
}

/* ---- Fault 5: nesting costs no C stack --------------------------------------------------------------------------------- */

typedef struct deep { sql_bench b; const char *text; } deep;

static void read_deep(void *arg) {
  deep *d = arg;
  sql_bench_open(&d->b, 0);
  sql_bench_read(&d->b, d->text, strlen(d->text));
}

static void expect_on_small_stack(char *text, const char *message) {
  deep d = {.text = text};
  host_on_small_stack(read_deep, &d);
  cr_expect_eq(d.b.is_read, message == NULL, "%.80s: %s", text, d.b.diags.at[0].text);
  if (message != NULL) cr_expect_str_eq(d.b.diags.at[0].text, message);
  sql_bench_close(&d.b);
  free(text);
}

Test(frontend_sql_parse, any_depth_is_read_or_refused_on_a_stack_of_64_kB) {
  static const size_t depths[] = {10000, 1000000};
  static const char too_deep[] = "nested deeper than 1000 levels (option max_nesting / --max-nesting)";
  for (size_t i = 0; i < 2; i++) {
    size_t n = depths[i];
    expect_on_small_stack(test_repeat(STREAMS "SELECT a FROM s WHERE ", "(", n, "a > 1;"), too_deep);
    expect_on_small_stack(test_repeat(STREAMS "SELECT a FROM s WHERE a > 1", ")", n, ";"), "expected the query to go on, or `;`, found `)`");
    expect_on_small_stack(test_repeat(STREAMS "SELECT a FROM s WHERE a > ", "- ", n, "1;"), "expected a column or an integer, found `-`");
    expect_on_small_stack(test_repeat(STREAMS "SELECT a FROM s WHERE a > 1", "+1", n, ";"), NULL);
    expect_on_small_stack(test_repeat(STREAMS "SELECT a FROM s WHERE a > 1", " AND a > 1", n, ";"), NULL);
    expect_on_small_stack(test_repeat(STREAMS "SELECT a FROM s WHERE a IN (1", ",1", n, ");"), NULL);
    expect_on_small_stack(test_repeat(STREAMS "SELECT a FROM s", " UNION ALL SELECT a FROM s", n / 100, ";"), NULL);
    expect_on_small_stack(test_repeat(STREAMS "SELECT a FROM s WHERE a > 1 ", "/* ", n, "*/;"), NULL);
    expect_on_small_stack(test_repeat("CREATE TABLE r (x INT);INSERT INTO r VALUES (1)", ",(1)", n, ";SELECT x FROM r;"), "FROM has no stream");
  }
}

/* ---- Fault 8: every byte matters --------------------------------------------------------------------------------------- */

/* What the text is read as; "" if it is refused.  The caller frees it. */
static char *reading(const char *text, size_t n) {
  sql_bench b;
  sql_bench_open(&b, 0);
  sql_bench_read(&b, text, n);
  cr_expect(b.is_read || b.diags.n > 0, "an error has a message: %.*s", (int)n, text);
  char *copy = strdup(sql_bench_print(&b));
  sql_bench_close(&b);
  return copy;
}

static char *case_text(const char *name, size_t *n) {
  char path[600];
  snprintf(path, sizeof path, TEST_ROOT "/tests/bounded/cases/%s/query.sql", name);
  FILE *f = fopen(path, "rb");
  if (f == NULL) return NULL;
  char *text = malloc(65536);
  cr_assert(text != NULL);
  *n = fread(text, 1, 65536, f);
  fclose(f);
  return text;
}

static void expect_each_byte_matters(const char *name, const char *text, size_t n) {
  static const char added[] = "x1,.()<=>-+;\"*";
  char *whole = reading(text, n), *other = malloc(n + 1);
  cr_assert(other != NULL);
  for (size_t i = 0; i <= n; i++) {
    memcpy(other, text, i);
    for (size_t k = 0; k < sizeof added; k++) { /* the last one: drop a byte */
      bool is_drop = k == sizeof added - 1;
      if (is_drop && (i == n || strchr(" \n", text[i]) != NULL)) continue;
      if (added[k] == '-' && text[i + strspn(text + i, " ")] == '0') continue; /* -0 */
      other[i] = added[k];
      if (is_drop) memcpy(other + i, text + i + 1, n - i - 1);
      else memcpy(other + i + 1, text + i, n - i);
      char *changed = reading(other, is_drop ? n - 1 : n + 1);
      cr_expect_str_neq(changed, whole, "%s: byte %zu %s `%c` makes no difference", name, i, is_drop ? "without" : "with", is_drop ? text[i] : added[k]);
      free(changed);
    }
  }
  free(other);
  free(whole);
}

Test(frontend_sql_parse, a_byte_more_or_less_in_a_query_changes_it_or_is_an_error, .timeout = 60) {
  static const char *const names[] = {"paper-all", "join-on", "in-list", "unqualified", "table-join", "union-all", "finite-newer", "neq-extreme"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    size_t n;
    char *text = case_text(names[i], &n);
    cr_assert(text != NULL, "%s", names[i]);
    expect_each_byte_matters(names[i], text, n);
    free(text);
  }
}

Test(frontend_sql_parse, every_case_is_read_and_its_script_is_read_as_itself) {
  DIR *folder = opendir(TEST_ROOT "/tests/bounded/cases");
  cr_assert(folder != NULL);
  size_t count = 0;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    size_t n;
    char *text = case_text(entry->d_name, &n);
    if (text == NULL) continue;
    char *once = reading(text, n), *twice = reading(once, strlen(once));
    cr_expect_str_neq(once, "", "%s is refused", entry->d_name);
    cr_expect_str_eq(once, twice, "%s", entry->d_name);
    free(twice);
    free(once);
    free(text);
    count++;
  }
  closedir(folder);
  cr_expect_geq(count, 70);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

Test(frontend_sql_parse, each_request_for_memory_may_fail) {
  static const char text[] = STREAMS "INSERT INTO r (y, x) VALUES (1, 2), (3, 4);SELECT S.a, b AS \"x\" FROM s JOIN t ON i > j WHERE a IN (3, 1) AND b BETWEEN 1 AND 2 UNION SELECT x, y FROM r, s;";
  for (uint64_t fail_at = 1;; fail_at++) {
    sql_bench b;
    sql_bench_open(&b, fail_at);
    sql_bench_read(&b, text, sizeof text - 1);
    bool is_read = b.is_read;
    cr_expect(is_read || b.diags.out_of_memory, "request %" PRIu64 ": %s", fail_at, b.diags.at[0].text);
    sql_bench_close(&b);
    if (is_read) break;
    cr_assert_lt(fail_at, 1000);
  }
}
