/* tests/unit/frontend_sql_rules.c -- cuts and rules, splitting and readings: which queries are bounded, and what keeps them so. */
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/sql_decided.h"

static void expect_verdict(const char *query, const char *want) {
  sql_decided d;
  sql_decide(&d, query);
  cr_expect_str_eq(sql_verdict_text(&d), want, "%s: %s", query, sql_verdict_text(&d));
  sql_decided_end(&d);
}

static void expect_synopses(const char *query, const char *want) {
  sql_decided d;
  sql_decide(&d, query);
  cr_expect(d.rc == WEIR_OK && d.v.is_bounded, "%s: %s", query, sql_verdict_text(&d));
  cr_expect_str_eq(sql_synopses_text(&d), want, "%s:\n%s", query, sql_synopses_text(&d));
  sql_decided_end(&d);
}

/* ---- Cuts ---- */

Test(frontend_sql_rules, a_cut_waits_for_each_newest_alias_of_a_larger_one) {
  expect_synopses("SELECT ALL s.a FROM s, t, u WHERE s.i > t.j AND t.j > u.k;", "(t u | s) counter 1\n(u | s t) counter 1\n");
  expect_synopses("SELECT ALL s.a FROM s, t, u WHERE s.i > t.j AND s.i > u.k;", "(u | s) counter 1\n(t | s) counter 1\n");
  expect_synopses("SELECT ALL s.a, t.b FROM s, t WHERE s.i = t.j AND s.a = t.b;", "");
}

Test(frontend_sql_rules, untied_aliases_wait_apart) {
  expect_synopses("SELECT ALL 1 AS n FROM s, t, u WHERE s.i > t.j AND s.i > u.k AND t.b = u.d AND t.b IN (1, 2);",
                  "(t u | s) counter 1\n(u | s t) u.d:2 counter 2\n(t | s u) t.b:2 counter 2\n");
  expect_synopses("SELECT DISTINCT 1 AS n FROM s, t, u WHERE s.i > t.j AND s.i > u.k AND t.b = u.d AND t.b IN (1, 2);",
                  "(u | s) u.d:2 flag 2\n(t | s) t.b:2 flag 2\n");
}

Test(frontend_sql_rules, a_diamond_needs_four_counters) {
  expect_synopses("SELECT ALL s.a FROM s, t, u, v WHERE s.i > t.j AND s.i > u.k AND t.j > v.l AND u.k > v.l;",
                  "(t u v | s) counter 1\n(u v | s t) counter 1\n(t v | s u) counter 1\n(v | s t u) counter 1\n");
}

Test(frontend_sql_rules, a_time_edge_that_a_larger_synopsis_uses_is_kept) {
  expect_synopses("SELECT ALL 1 AS n FROM s, t, u WHERE s.i >= u.k + 2 AND s.i > t.j AND t.j >= u.k;",
                  "(t u | s) max u.k:2 counter 2\n(u | s t) max u.k:1 counter 1\n");
}

/* ---- Rules ---- */

static void expect_verdict_of_text(const char *text, const char *want) {
  sql_decided d;
  sql_decide_text(&d, text);
  cr_expect_str_eq(sql_verdict_text(&d), want, "%s: %s", text, sql_verdict_text(&d));
  sql_decided_end(&d);
}

/* Whatever spells it: f's few rows say what the others can be. */
Test(frontend_sql_rules, equalities_with_a_finite_stream_may_be_written_in_any_way) {
  static const char *const ways[] = {"t.b = f.p AND s.a = f.p", "s.a = f.p AND t.b = s.a", "t.b = s.a AND t.b = f.p", "t.b = s.a AND s.a = f.p AND t.b = f.p"};
  char query[200];
  for (size_t i = 0; i < WB_LEN(ways); i++) {
    snprintf(query, sizeof query, "SELECT ALL 1 AS n FROM s, t, f WHERE s.i > t.j AND t.j > f.y AND %s;", ways[i]);
    expect_synopses(query, "(t f | s) f.p counter 28\n(f | s t) f.p counter 28\n");
  }
}

Test(frontend_sql_rules, a_stream_of_rate_0_has_no_rows) {
  expect_verdict_of_text("CREATE STREAM s (a INT, i TIMESTAMP) RATE 0; SELECT DISTINCT a FROM s;", "bounded 0");
  expect_verdict_of_text("CREATE STREAM s (a INT, i TIMESTAMP) RATE 0; CREATE STREAM t (b INT, j TIMESTAMP); SELECT a, b FROM s, t WHERE i > j;", "bounded 0");
  expect_verdict_of_text("CREATE STREAM s (a INT, i TIMESTAMP) RATE 1; SELECT DISTINCT a FROM s;", "unbounded s.a");
}

Test(frontend_sql_rules, what_the_list_shows_must_be_bounded) {
  expect_verdict("SELECT ALL s.a, t.b FROM s, t WHERE s.i > t.j;", "unbounded t.b");
  expect_verdict("SELECT ALL s.a, t.b FROM s, t WHERE s.i > t.j AND t.b > 0;", "unbounded t.b");
  expect_verdict("SELECT ALL s.a, t.b FROM s, t WHERE s.i > t.j AND t.b BETWEEN 1 AND 3;", "bounded 3");
  expect_verdict("SELECT ALL s.a, t.j FROM s, t WHERE s.i > t.j;", "unbounded t.j");
  expect_verdict("SELECT ALL s.a, t.b FROM s, t WHERE s.i > t.j AND t.b = s.a AND s.a BETWEEN 1 AND 3;", "bounded 3");
}

Test(frontend_sql_rules, few_rows_are_kept_as_they_are) {
  expect_verdict("SELECT ALL s.a, w.m, w.n FROM s, w WHERE s.i > w.o AND s.i <= w.o + 4;", "bounded 32");
  expect_verdict("SELECT ALL s.a, f.p, f.q FROM s, f WHERE s.i > f.y;", "bounded 42");
  expect_verdict("SELECT ALL s.a, r.z FROM s, r;", "bounded 6");
  expect_verdict("SELECT ALL s.a, r.z FROM s, r WHERE r.z <> 4;", "bounded 4");
}

Test(frontend_sql_rules, an_anchor_bounds_by_what_is_known) {
  expect_verdict("SELECT ALL s.a FROM s, t, w WHERE s.i > t.j AND s.i > w.o AND s.i <= w.o + 1 AND w.o > t.j AND t.b = w.m;", "unbounded t.b");
  expect_synopses("SELECT ALL s.a, t.b FROM s, t, f WHERE s.i > t.j AND t.j > f.y AND t.b = f.p;", "(t f | s) t.b:1 f.p counter 42\n(f | s t) f.p counter 28\n");
  expect_verdict("SELECT ALL s.a, t.b FROM s, t, f WHERE s.i > t.j AND t.j > f.y AND t.b BETWEEN f.p AND f.q;", "unbounded t.b");
}

Test(frontend_sql_rules, a_bag_counts_what_clamping_leaves) {
  expect_verdict("SELECT ALL s.a FROM s, t WHERE s.i > t.j AND s.a <= t.b;", "unbounded t.b");
  expect_verdict("SELECT ALL s.a FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.a <= 4;", "unbounded t.b");
  expect_synopses("SELECT ALL s.a FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.a <= 4 AND t.b >= 0;", "(t | s) min t.b:5 counter 5\n");
  expect_synopses("SELECT ALL s.a FROM s, t WHERE s.i > t.j AND s.a >= t.b AND s.a >= -2 AND t.b <= 0;", "(t | s) max t.b:3 counter 3\n");
  expect_synopses("SELECT ALL s.a FROM s, t WHERE s.i >= t.j + 4;", "(t | s) max t.j:4 counter 4\n");
}

Test(frontend_sql_rules, a_set_keeps_one_extreme) {
  expect_synopses("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.x IN (0, 1);", "(t | s) extreme largest t.b 1\n");
  expect_synopses("SELECT DISTINCT s.x, t.c FROM s, t WHERE s.i > t.j AND s.a >= t.b AND s.x IN (0, 1) AND t.c IN (1, 2, 3);",
                  "(t | s) t.c:3 extreme smallest t.b 3\n");
  expect_verdict("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.e <= t.c AND s.x IN (0, 1);", "unbounded t.b");
  expect_synopses("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.a <= t.c AND s.x IN (0, 1);", "(t | s) extreme largest t.b largest t.c 1\n");
  expect_synopses("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.e <= t.c AND t.c BETWEEN t.b AND t.b + 2 AND s.x IN (0, 1);",
                  "(t | s) offset t.c:3 extreme largest t.b largest t.c 3\n");
}

Test(frontend_sql_rules, extremes_of_tied_aliases_add_up) {
  expect_verdict("SELECT DISTINCT s.x FROM s, t, u WHERE s.i > t.j AND t.j > u.k AND s.a <= t.b AND s.e <= u.d AND s.x IN (0, 1);", "unbounded t.b");
  expect_verdict("SELECT DISTINCT s.x FROM s, t, u WHERE s.i > t.j AND s.i > u.k AND s.a <= t.b AND s.e <= u.d AND s.x IN (0, 1);", "bounded 4");
}

/* ---- Splitting ---- */

Test(frontend_sql_rules, a_constant_that_competes_splits) {
  expect_verdict("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a BETWEEN t.b AND t.c AND s.x IN (0, 1);", "unbounded t.b");
  expect_synopses("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a BETWEEN t.b AND t.c AND t.b <= 2 AND t.c >= 2 AND s.x IN (0, 1);",
                  "(t | s) extreme largest t.c 1\n(t | s) extreme smallest t.b 1\n");
}

Test(frontend_sql_rules, two_edges_that_compete_split) {
  expect_verdict("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.e <= t.b AND s.e <= s.a + 100 AND t.c <= s.a AND t.c >= 0 AND s.a <= 9 AND s.x = 0;",
                 "bounded 1101");
  expect_verdict("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.e <= t.b + 5 AND s.x IN (0, 1);", "bounded 3");
}

Test(frontend_sql_rules, a_bounded_distance_of_later_columns_is_halved) {
  expect_verdict("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.e <= t.c AND s.e BETWEEN s.a AND s.a + 2 AND s.x IN (0, 1);", "bounded 5");
  expect_verdict("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.e <= t.c AND s.e BETWEEN s.a AND s.a + 500 AND s.x IN (0, 1);", "unbounded t.b");
}

/* ---- Readings ---- */

Test(frontend_sql_rules, unfolding_decides_a_diamond) {
  sql_decided d;
  sql_decide(&d, "SELECT DISTINCT s.x FROM s, t, u, v WHERE s.i > t.j AND s.i > u.k AND t.j > v.l AND u.k > v.l AND s.i > v.l AND s.a <= t.b AND s.e <= u.d "
                 "AND s.x IN (0, 1);");
  cr_expect_str_eq(sql_synopses_text(&d), "(u v'2 | s) extreme largest u.d 1\n(t v'1 | s) extreme largest t.b 1\n(v'2 | s u) flag 1\n(v'1 | s t) flag 1\n");
  cr_expect(d.v.n_pieces == 1 && d.v.pieces[0].is_unfolded);
  sql_decided_end(&d);
  expect_verdict("SELECT DISTINCT s.x FROM s, t, u, v WHERE s.i > t.j AND s.i > u.k AND t.j > v.l AND u.k > v.l AND s.a <= t.b AND s.e <= u.d AND v.g = s.a "
                 "AND s.x IN (0, 1);", "unbounded v.g");
  expect_verdict("SELECT DISTINCT s.x FROM s, t, u, v WHERE s.i > t.j AND s.i > u.k AND t.j > v.l AND u.k > v.l AND s.a <= t.b AND s.e <= u.d AND v.g < s.x "
                 "AND s.x IN (0, 1) AND v.g >= -1;", "bounded 10");
}

Test(frontend_sql_rules, a_kept_unequal_keeps_rows_that_differ) {
  sql_decided d;
  sql_decide(&d, "SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a < t.b AND s.e <> t.c AND s.x BETWEEN 0 AND 5;");
  cr_expect_str_eq(sql_verdict_text(&d), "bounded 10");
  cr_expect(d.v.pieces[0].keeps_unequal && d.v.pieces[0].synopses[0].n_far == 1 && d.v.pieces[0].synopses[0].n_far_edges == 1);
  sql_decided_end(&d);
  expect_verdict("SELECT ALL s.x FROM s, t WHERE s.i > t.j AND s.e <> t.c AND s.x BETWEEN 0 AND 5;", "unbounded t.c");
  expect_verdict("SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.e <> t.c AND s.x BETWEEN 0 AND 5;", "bounded 8");
}

/* ---- Limits ---- */

Test(frontend_sql_rules, a_decision_that_takes_too_long_says_so) {
  sql_decided d = {0};
  sql_bench_open(&d.b, 0);
  static const char text[] = "CREATE STREAM s (a INT, i TIMESTAMP); SELECT 1 AS n FROM s a, s b, s c, s d WHERE a.a = b.a;";
  sql_bench_read(&d.b, text, sizeof text - 1);
  cr_assert_eq(wsql_decide(&d.b.query, &(wsql_limits){.steps = 1000}, &d.b.mem, &d.v, &d.e), WEIR_E_UNDECIDED);
  cr_expect_eq(d.e.span.begin, strstr(text, "SELECT") - text);
  cr_expect_eq(wsql_decide(&d.b.query, NULL, &d.b.mem, &d.v, &d.e), WEIR_OK);
  sql_bench_close(&d.b);
}

Test(frontend_sql_rules, a_set_has_at_most_400_pieces) {
  sql_decided d;
  static const char text[] = "CREATE STREAM s (a INT, i TIMESTAMP); SELECT DISTINCT 1 AS n FROM s a, s b, s c, s d, s e WHERE a.i <> b.i AND a.i <> c.i AND a.i <> d.i AND "
                             "a.i <> e.i AND b.i <> c.i AND b.i <> d.i AND b.i <> e.i AND c.i <> d.i AND c.i <> e.i AND a.i <> b.i + 10 AND c.i <> b.i + 10 AND d.i <> e.i + 10 "
                             "AND a.i <> c.i + 10 AND a.i <> d.i + 10 AND b.i <> d.i + 20 AND e.i <> a.i + 5;";
  sql_decide_text(&d, text);
  cr_expect_eq(d.rc, WEIR_E_UNDECIDED, "%s", sql_verdict_text(&d));
  cr_expect_str_eq(d.e.text, "`<>` between streams makes more than 400 pieces of this DISTINCT");
  sql_decided_end(&d);
}

Test(frontend_sql_rules, every_failing_allocation_is_reported) {
  static const char text[] =
    "CREATE STREAM s (a INT, e INT, x INT, i TIMESTAMP); CREATE STREAM t (b INT, j TIMESTAMP); CREATE STREAM u (c INT, k TIMESTAMP); CREATE STREAM v (d INT, l TIMESTAMP);"
    "CREATE TABLE r (z INT); INSERT INTO r VALUES (1), (2); SELECT DISTINCT s.x FROM s, t, u, v, r, r q WHERE s.i > t.j AND s.i > u.k AND t.j > v.l AND u.k > v.l AND "
    "s.a <= t.b AND s.e <= u.c AND s.x BETWEEN 0 AND 5 AND s.x <> r.z AND q.z = r.z + 1 UNION SELECT s.i FROM s, t WHERE s.i >= t.j;";
  sql_bench b;
  sql_bench_open(&b, 0);
  sql_bench_read(&b, text, sizeof text - 1);
  cr_expect_not(b.is_read, "types of a UNION");
  sql_bench_close(&b);
  char fixed[sizeof text];
  memcpy(fixed, text, sizeof text);
  memcpy(strstr(fixed, "SELECT s.i FROM"), "SELECT s.a FROM", 15);
  weir_code rc = WEIR_E_MEMORY;
  uint64_t n = 1;
  for (; rc == WEIR_E_MEMORY && n < 100000; n++) {
    weir_error e = {0};
    wsql_verdict v;
    sql_bench_open(&b, 0);
    sql_bench_read(&b, fixed, sizeof fixed - 1);
    cr_assert(b.is_read, "%s", b.diags.at[0].text);
    b.door.fail_at = b.door.calls + n;
    rc = wsql_decide(&b.query, NULL, &b.mem, &v, &e);
    cr_assert(rc == WEIR_E_MEMORY ? e.code == WEIR_E_MEMORY : rc == WEIR_OK, "allocation %d: %s", (int)n, e.text);
    sql_bench_close(&b);
    cr_assert_eq(b.door.used, 0);
  }
  cr_expect(rc == WEIR_OK && n > 10);
}

/* Steps and not seconds, which are other ones on each machine: 10,000,000 are less than 0.1 s. */
Test(frontend_sql_rules, six_aliases_without_times_are_decided_at_once) {
  static const char *const conditions[] = {
    "", " WHERE a.a <= b.a AND a.a <= c.a AND a.a <= d.a AND a.a <= e.a AND a.a <= f.a",
    " WHERE a.a = b.a AND b.a = c.a AND c.a = d.a AND d.a = e.a AND e.a = f.a AND a.a BETWEEN 0 AND 9",
    " WHERE a.a <> b.a AND b.a <> c.a AND c.a <> d.a",
  };
  for (size_t i = 0; i < 2 * WB_LEN(conditions); i++) {
    char text[800];
    sql_decided d;
    snprintf(text, sizeof text, "CREATE STREAM s (a INT, i TIMESTAMP); SELECT %s 1 AS n FROM s a, s b, s c, s d, s e, s f%s;", i % 2 == 0 ? "ALL" : "DISTINCT",
             conditions[i / 2]);
    sql_decide_text(&d, text);
    cr_expect_eq(d.rc, WEIR_OK);
    cr_expect_lt(d.v.steps, 10000000, "%s: %" PRIu64, text, d.v.steps);
    sql_decided_end(&d);
  }
}
