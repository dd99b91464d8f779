/* tests/unit/frontend_sql_bind.c -- what names of a script mean, and what is said where they mean nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/sql_bench.h"
#include "tests/support/sql_expect.h"
#include "tests/test.h"

#define STREAMS "CREATE STREAM s (a INT, i TIMESTAMP);CREATE STREAM t (b INT, j TIMESTAMP);CREATE TABLE r (x INT, y INT);"

/* Errors at a place between « and ». */
#define TYPE(marked, message, hint) sql_expect_error(marked, WEIR_E_TYPE, message, hint)
#define QUERY(marked, message, hint) sql_expect_error(STREAMS "SELECT " marked, WEIR_E_TYPE, message, hint)

static void expect_read(const char *query) {
  char text[4096];
  sql_bench b;
  snprintf(text, sizeof text, STREAMS "SELECT %s", query);
  sql_bench_open(&b, 0);
  sql_bench_read(&b, text, strlen(text));
  cr_expect(b.is_read, "`%s`: %s", query, b.diags.at[0].text);
  sql_bench_close(&b);
}

/* ---- Declarations ------------------------------------------------------------------------------------------------------ */

Test(frontend_sql_bind, a_second_declaration_shows_both_places) {
  sql_expect_error("CREATE STREAM s (a INT, i TIMESTAMP);\nCREATE TABLE «S» (x INT);SELECT a FROM s;", WEIR_E_COMPILE,
                   "`s` is declared twice; first in line 1, column 15", "");
  sql_expect_error("CREATE STREAM s (a INT, i TIMESTAMP, «A» INT);SELECT a FROM s;", WEIR_E_COMPILE,
                   "column `a` is declared twice; first in line 1, column 18", "");
  expect_read("a FROM s;");
}

Test(frontend_sql_bind, a_stream_has_one_time_and_a_table_none) {
  TYPE("CREATE STREAM «s» (a INT);SELECT a FROM s;", "stream `s` has no TIMESTAMP column", "");
  TYPE("CREATE STREAM s (a TIMESTAMP, b «TIMESTAMP»);SELECT a FROM s;", "stream `s` has a second TIMESTAMP column", "");
  TYPE(STREAMS "CREATE TABLE q (x INT, k «TIMESTAMP»);SELECT a FROM s;", "table `q` has a TIMESTAMP column", "a table does not change; what has a time is a stream");
}

Test(frontend_sql_bind, rows_go_into_a_table_that_is_declared_before) {
  TYPE("INSERT INTO «r» VALUES (1);CREATE TABLE r (x INT);CREATE STREAM s (a INT, i TIMESTAMP);SELECT a FROM s;", "no table `r` is declared before this", "");
  TYPE(STREAMS "CREATE TABLE rooms (x INT);INSERT INTO «romms» VALUES (1);SELECT a FROM s;", "no table `romms` is declared before this", "did you mean `rooms`?");
  TYPE(STREAMS "INSERT INTO «s» VALUES (1, 2);SELECT a FROM s;", "`s` is a stream; only a table has rows in the script", "");
  TYPE(STREAMS "INSERT INTO r VALUES (1, 2), «(3)»;SELECT a FROM s;", "1 value for 2 columns", "");
  TYPE(STREAMS "INSERT INTO r VALUES «(1, 2, 3)»;SELECT a FROM s;", "3 values for 2 columns", "");
  TYPE(STREAMS "INSERT INTO r (x, «z») VALUES (1, 2);SELECT a FROM s;", "`r` has no column `z`", "");
  TYPE(STREAMS "INSERT INTO r (x, «x») VALUES (1, 2);SELECT a FROM s;", "column `x` appears twice", "");
  TYPE(STREAMS "INSERT INTO «r» (x) VALUES (1);SELECT a FROM s;", "column `y` gets no value", "");
}

/* ---- FROM -------------------------------------------------------------------------------------------------------------- */

Test(frontend_sql_bind, from_names_what_is_declared_by_names_that_differ) {
  TYPE("CREATE STREAM sensor (a INT, i TIMESTAMP);SELECT a FROM «senser»;", "no stream or table `senser` is declared", "did you mean `sensor`?");
  QUERY("s.a FROM s, t, «s»;", "`s` appears twice in FROM", "an alias tells them apart: `s AS other`");
  QUERY("u.a FROM s u JOIN t AS «u» ON 1 < 2;", "`u` appears twice in FROM", "an alias tells them apart: `t AS other`");
  QUERY("x FROM «r»;", "FROM has no stream", "tables do not change, so a query of tables alone has nothing to wait for");
  expect_read("n.a FROM s n, s o, r;");
}

Test(frontend_sql_bind, names_that_may_belong_to_an_undeclared_stream_are_no_errors) {
  QUERY("zz.q, zzz, a FROM s, «zz» WHERE zz.a < zzz AND s.a < zz.b;", "no stream or table `zz` is declared", "");
}

/* ---- Columns ----------------------------------------------------------------------------------------------------------- */

Test(frontend_sql_bind, a_column_is_found_by_its_alias_or_alone_where_it_is_the_only_one) {
  QUERY("s.«c» FROM s;", "`s` has no column `c`", "");
  QUERY("s.a FROM s WHERE s.a > «q».b;", "`q` is not in FROM", "");
  QUERY("«s».a FROM s AS reading;", "`s` is not in FROM", "`s` is called `reading` here");
  QUERY("«temperature» FROM s;", "there is no column `temperature` in FROM", "");
  QUERY("«a» FROM s, s AS n;", "column `a` is in `s` and in `n`", "write `s.a` or `n.a`");
  expect_read("n.a, b FROM s, s AS n, t;");
}

Test(frontend_sql_bind, near_columns_are_suggested) {
  sql_expect_error("CREATE STREAM s (temperature INT, humidity INT, i TIMESTAMP);SELECT «temprature» FROM s;", WEIR_E_TYPE,
                   "there is no column `temprature` in FROM", "did you mean `temperature`?");
  sql_expect_error("CREATE STREAM s (temperature INT, humidity INT, i TIMESTAMP);SELECT i FROM s WHERE s.«humidty» > 3;", WEIR_E_TYPE,
                   "`s` has no column `humidty`", "did you mean `humidity`?");
}

Test(frontend_sql_bind, on_sees_what_comes_before_it) {
  QUERY("s.a FROM s JOIN t ON s.i > «r».x JOIN r ON r.x = t.b;", "`r` comes only later in FROM", "");
  QUERY("s.a FROM s JOIN t ON s.i > t.j AND «x» = b JOIN r ON r.x = t.b;", "there is no column `x` in FROM", "");
  expect_read("s.a FROM s JOIN t ON s.i > t.j AND a = b JOIN s n ON n.a = b;"); /* a is s.a there */
}

/* ---- Types and output -------------------------------------------------------------------------------------------------- */

Test(frontend_sql_bind, an_int_is_not_compared_with_a_timestamp) {
  QUERY("s.a FROM s, t WHERE «s.a < t.j + 5»;", "an INT and a TIMESTAMP cannot be compared: the left side is INT, the right side TIMESTAMP", "");
  QUERY("s.a FROM s, t WHERE s.i BETWEEN t.j AND 5 AND «s.i BETWEEN 5 AND t.b»;", "an INT and a TIMESTAMP cannot be compared: the left side is TIMESTAMP, the right side INT", "");
  expect_read("s.a FROM s, t WHERE 5 < t.j AND t.b > 5 AND 1 = 1 AND i IN (1, 2) AND 3 IN (3);");
}

Test(frontend_sql_bind, every_output_column_has_a_name_of_its_own) {
  QUERY("«a + 1» FROM s;", "this output column has no name", "AS gives it one");
  QUERY("«5» FROM s;", "this output column has no name", "AS gives it one");
  QUERY("s.a, «n.a» FROM s, s AS n;", "a second output column has the name `a`", "AS gives it another one");
  QUERY("s.a, i AS «a» FROM s;", "a second output column has the name `a`", "AS gives it another one");
  expect_read("a + 1 - 1, i - 1 AS k FROM s UNION ALL SELECT a, j FROM s, t;");
  expect_read("a AS x, a AS y FROM s UNION ALL SELECT a, a FROM s;"); /* names of a later SELECT are not used */
}

Test(frontend_sql_bind, selects_of_a_union_have_the_same_columns) {
  QUERY("a, i FROM s UNION ALL «SELECT b FROM t»;", "a UNION of 2 columns and 1", "");
  QUERY("a, i FROM s UNION SELECT b, 5 AS five FROM t UNION SELECT 5 AS v, «b» FROM t;", "this column is INT, but TIMESTAMP in the first SELECT", "");
}

Test(frontend_sql_bind, errors_at_several_places_are_told_together) {
  sql_bench b;
  static const char text[] = STREAMS "SELECT q, a FROM s, t WHERE w > 1 AND s.z = t.z AND i < b;";
  static const char *const messages[] = {"there is no column `q` in FROM", "there is no column `w` in FROM", "`s` has no column `z`", "`t` has no column `z`",
                                         "an INT and a TIMESTAMP cannot be compared: the left side is TIMESTAMP, the right side INT"};
  sql_bench_open(&b, 0);
  sql_bench_read(&b, text, sizeof text - 1);
  cr_assert_eq(b.diags.n, 5);
  for (size_t i = 0; i < 5; i++) cr_expect_str_eq(b.diags.at[i].text, messages[i]);
  sql_bench_close(&b);
}

Test(frontend_sql_bind, a_long_name_is_cut_in_messages) {
  char name[301], text[1000];
  sql_bench b;
  memset(name, 'n', 300);
  name[300] = '\0';
  snprintf(text, sizeof text, STREAMS "SELECT %s FROM s;", name);
  sql_bench_open(&b, 0);
  b.limits.name_bytes = 1000;
  sql_bench_read(&b, text, strlen(text));
  cr_assert_eq(b.diags.n, 1);
  cr_expect(strstr(b.diags.at[0].text, "nnn...` in FROM") != NULL, "%s", b.diags.at[0].text);
  sql_bench_close(&b);
}

/* Sizes of a text in the megabytes: anything that grows with the square of one of them would never end. */
Test(frontend_sql_bind, many_columns_rows_and_names_take_no_time, .timeout = 20) {
  enum { N = 100000 };
  char *text = malloc(64 * N);
  cr_assert(text != NULL);
  char *to = text + sprintf(text, "CREATE STREAM s (i TIMESTAMP");
  for (int k = 0; k < N; k++) to += sprintf(to, ",c%d INT", k);
  to += sprintf(to, ");");
  for (int k = 0; k < N / 10; k++) to += sprintf(to, "CREATE TABLE t%d (x INT);INSERT INTO t%d (x) VALUES (%d);", k, k, k);
  to += sprintf(to, "SELECT i");
  for (int k = 0; k < N / 20; k++) to += sprintf(to, ",c%d", k);
  to += sprintf(to, " FROM s WHERE i > 1");
  for (int k = 0; k < N / 2; k++) to += sprintf(to, " AND c%d < %d", k, k);
  to += sprintf(to, " AND c0 IN (0");
  for (int k = 0; k < N; k++) to += sprintf(to, ",%d", (k * 7919) % N);
  sprintf(to, ");");
  sql_bench b;
  sql_bench_open(&b, 0);
  sql_bench_read(&b, text, strlen(text));
  cr_expect(b.is_read, "%s", b.diags.at[0].text);
  sql_bench_close(&b);
  free(text);
}
