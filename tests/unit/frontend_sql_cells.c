/* tests/unit/frontend_sql_cells.c -- the bound: cells of synopses and of what was written, as numbers and as polynomials; and the reasons. */
#include "tests/test.h"

#include <string.h>

#include "tests/support/sql_decided.h"

static void expect(const char *query, const char *want) {
  sql_decided d;
  sql_decide(&d, query);
  cr_expect_str_eq(sql_verdict_text(&d), want, "%s: %s", query, sql_verdict_text(&d));
  sql_decided_end(&d);
}

/* ---- Amounts ---- */

Test(frontend_sql_cells, a_rate_that_is_not_declared_stays_a_variable) {
  expect("SELECT ALL s.a, t.b FROM s, t WHERE s.i > t.j AND s.i <= t.j + 2;", "bounded 6*rate(t)");
  expect("SELECT ALL s.a, t.b FROM s, t WHERE s.i >= t.j AND s.i <= t.j + 2 AND t.j <= s.i + 5;", "bounded 6*rate(t)");
  expect("SELECT ALL 1 AS n, t.b, u.d FROM s, t, u WHERE s.i > t.j AND s.i <= t.j + 1 AND t.j > u.k AND u.k >= t.j - 1;",
         "bounded 3*rate(u) + 4*rate(t)*rate(u)");
  expect("SELECT ALL n.a, o.a AS b, p.a AS c FROM s n, s o, s p WHERE n.i = o.i + 1 AND o.i = p.i;", "bounded 4*rate(s)^2");
}

Test(frontend_sql_cells, amounts_beyond_64_bits_are_at_least_that) {
  expect("SELECT ALL 1 AS n, t.b, t.c FROM s, t WHERE s.i > t.j AND t.b BETWEEN 0 AND 9223372036854775807 AND t.c BETWEEN 0 AND 9;",
         "bounded at least 18446744073709551615");
  expect("SELECT ALL 1 AS n, t.b FROM s, t WHERE s.i > t.j AND t.b BETWEEN 1 AND 9223372036854775807;", "bounded 9223372036854775807");
}

Test(frontend_sql_cells, bytes_are_eight_for_a_cell_and_32_for_a_map) {
  sql_decided d;
  sql_decide(&d, "SELECT DISTINCT s.x, t.b FROM s, t, u WHERE s.i > t.j AND t.j > u.k AND t.b BETWEEN 1 AND 4 AND s.x IN (0, 1);");
  cr_assert(d.v.is_bounded && d.v.cells.n == 1 && d.v.bytes.n == 1);
  cr_expect_eq(d.v.cells.terms[0].times, 4 + 1 + 8);
  cr_expect_eq(d.v.bytes.terms[0].times, 8 * 13 + 32 * 3);
  sql_decided_end(&d);
}

/* ---- Keys ---- */

Test(frontend_sql_cells, few_rows_are_an_array_where_their_values_are_fewer) {
  expect("SELECT ALL s.a, w.m FROM s, w WHERE s.i > w.o AND s.i <= w.o + 4 AND w.m BETWEEN 0 AND 7;", "bounded 24");
  expect("SELECT ALL s.a, w.m FROM s, w WHERE s.i > w.o AND s.i <= w.o + 4 AND w.m BETWEEN 0 AND 1;", "bounded 8");
  expect("SELECT ALL s.a, w.m FROM s, w WHERE s.i > w.o AND s.i <= w.o + 40 AND w.m BETWEEN 0 AND 1;", "bounded 80");
  expect("SELECT ALL s.a, w.m FROM s, w WHERE s.i > w.o AND s.i <= w.o + 40 AND w.m BETWEEN 0 AND 7;", "bounded 240");
}

Test(frontend_sql_cells, one_map_serves_all_that_it_may_wait_for) {
  sql_decided d;
  sql_decide(&d, "SELECT ALL 1 AS n, s.a, t.b, u.d FROM s, t, u WHERE s.a IN (0, 1) AND t.b IN (0, 1) AND u.d IN (0, 1);");
  cr_expect_str_eq(sql_synopses_text(&d), "(u | ) u.d:2 counter 2\n(t | ) t.b:2 counter 2\n(s | ) s.a:2 counter 2\n");
  cr_expect_eq(d.v.pieces[0].synopses[0].maybe_later, 3);
  sql_decided_end(&d);
}

Test(frontend_sql_cells, several_anchors_add_their_ranges) {
  expect("SELECT ALL 1 AS n FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.e <= t.b AND s.a <= 4 AND s.e <= 9 AND t.b >= 0;", "bounded 10");
  expect("SELECT ALL 1 AS n FROM s, t, f WHERE s.i > t.j AND t.j > f.y AND t.b >= f.p AND s.a <= f.p + 3 AND s.a <= t.b AND f.q <= t.b AND s.e <= f.q + 1 AND s.e <= t.b;",
         "bounded 378");
}

/* ---- What was written ---- */

Test(frontend_sql_cells, boxes_are_counted_once_where_they_overlap) {
  expect("SELECT s.a AS v FROM s WHERE s.a BETWEEN 0 AND 3 UNION SELECT t.b FROM t WHERE t.b BETWEEN 2 AND 5;", "bounded 6");
  expect("SELECT s.a AS v FROM s WHERE s.a BETWEEN 0 AND 3 UNION SELECT t.b FROM t WHERE t.b BETWEEN 100 AND 101;", "bounded 6");
  expect("SELECT 5 AS v FROM s UNION SELECT t.b FROM t WHERE t.b IN (4, 6);", "bounded 3");
  expect("SELECT DISTINCT s.a, s.e FROM s WHERE s.a BETWEEN 0 AND 9 AND s.e BETWEEN s.a - 1 AND s.a;", "bounded 20");
  expect("SELECT DISTINCT s.a FROM s, f WHERE s.i = f.y AND s.a BETWEEN f.p AND f.p + 1;", "bounded 28");
}

Test(frontend_sql_cells, rows_with_a_time_are_kept_for_its_lag) {
  expect("SELECT DISTINCT s.a, s.i FROM s;", "bounded 0");
  expect("SELECT DISTINCT w.m, w.o FROM w, s WHERE s.i >= w.o AND s.i <= w.o + 3;", "bounded 18 + 48*rate(s)");
  expect("SELECT s.i AS x, s.a AS v FROM s UNION SELECT t.j, t.b FROM t;", "bounded 0");
  expect("SELECT s.i AS x, s.a AS v FROM s UNION SELECT t.j + 5 AS x, t.b FROM t;", "bounded 10*rate(t)");
  expect("SELECT s.i AS x, s.a AS v FROM s UNION SELECT 7 AS x, 3 AS v FROM t;", "bounded 2 + 2*rate(s)");
  expect("SELECT s.i AS x, t.j AS y FROM s, t WHERE s.i > t.j AND t.j <= 3 UNION SELECT t.j, s.i FROM s, t WHERE s.i > t.j AND t.j <= 3;",
         "bounded 8 + 64*rate(s)");
}

Test(frontend_sql_cells, what_cannot_be_remembered_is_named) {
  expect("SELECT DISTINCT s.x, s.a FROM s WHERE s.x = 1;", "unbounded s.a");
  expect("SELECT DISTINCT s.a FROM s, f WHERE s.i > f.y AND s.a BETWEEN f.p AND f.q;", "unbounded s.a");
  expect("SELECT s.x AS v FROM s WHERE s.x = 1 UNION SELECT t.b FROM t;", "unbounded t.b");
  expect("SELECT DISTINCT s.x AS v FROM s WHERE s.x = 1 UNION ALL SELECT t.b FROM t;", "bounded 1");
  expect("SELECT DISTINCT t.j, s.a FROM s, t WHERE s.i > t.j AND t.j <= 5;", "unbounded s.a");
}

/* ---- Reasons ---- */

static void expect_reason(const char *query, const char *text, const char *cure, const char *place) {
  sql_decided d;
  sql_decide(&d, query);
  cr_assert(d.rc == WEIR_OK && !d.v.is_bounded, "%s", query);
  cr_expect(wb_str_eq(d.v.reason.text, (wb_str){text, strlen(text)}), "%.*s", (int)d.v.reason.text.n, d.v.reason.text.at);
  cr_expect(wb_str_eq(d.v.reason.cure, (wb_str){cure, strlen(cure)}), "%.*s", (int)d.v.reason.cure.n, d.v.reason.cure.at);
  size_t before = d.b.query.selects[0].at.begin - (size_t)(strstr(query, "SELECT") - query);
  cr_expect_eq(d.v.reason.at.begin - before, (size_t)(strstr(query, place) - query), "%s: the place", query);
  cr_expect_eq(d.v.reason.at.end - d.v.reason.at.begin, strlen(place), "%s: the place", query);
  sql_decided_end(&d);
}

Test(frontend_sql_cells, a_reason_names_the_attribute_and_what_would_bound_it) {
  expect_reason("SELECT s.a, t.b + 1 AS v FROM s, t WHERE s.i > t.j AND t.b >= 0;",
                "t.b is in the select list, but t.b has no constant bound above, and rows of t must be kept until later rows of s arrive",
                "t.b <= MAX, or t.j >= s.i - STEPS", "t.b + 1");
  expect_reason("SELECT s.a FROM s, t WHERE s.i > t.j AND s.a <= t.b;",
                "t.b is compared with the later s.a (s.a <= t.b), but t.b has no constant bound below and s.a none above, and rows of t must be counted until later "
                "rows of s arrive", "t.b >= MIN AND s.a <= MAX, or t.j >= s.i - STEPS", "s.a <= t.b");
  expect_reason("SELECT s.a FROM s, t WHERE s.i > t.j AND s.a > t.b AND t.b < 7;",
                "t.b is compared with the later s.a (t.b < s.a), but s.a has no constant bound below, and rows of t must be counted until later rows of s arrive",
                "s.a >= MIN, or t.j >= s.i - STEPS", "s.a > t.b");
  expect_reason("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND t.b <= s.a AND s.a <= t.c AND s.x = 1;",
                "DISTINCT can keep one extreme value for each key of (t), but this needs both the smallest t.b and the largest t.c",
                "s.a >= MIN AND t.b <= MAX, or t.j >= s.i - STEPS", "t.b <= s.a");
  expect_reason("SELECT DISTINCT s.x, s.a FROM s WHERE s.x = 1;",
                "DISTINCT must remember every result already written, but s.a in the select list takes unboundedly many values",
                "s.a BETWEEN MIN AND MAX, or s.i in the select list", "s.a");
}
