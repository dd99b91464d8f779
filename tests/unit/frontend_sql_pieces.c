/* tests/unit/frontend_sql_pieces.c -- the normal form: what becomes a piece, what its edges are, what filters and tables do to its bounds. */
#include "tests/test.h"

#include <stdio.h>

#include "tests/support/sql_decided.h"

static void expect_edges(const char *query, const char *want) {
  sql_decided d;
  sql_decide(&d, query);
  cr_expect_eq(d.rc, WEIR_OK, "%s", d.e.text);
  cr_expect_str_eq(sql_edges_text(&d), want, "%s:\n%s", query, sql_edges_text(&d));
  sql_decided_end(&d);
}

/* low <= x <= high follows for the first item of the select list. */
static void expect_bounds(const char *query, wsql_int low, wsql_int high) {
  sql_decided d;
  sql_decide(&d, query);
  cr_assert_eq(d.v.n_pieces, 1, "%s", query);
  const wsql_piece *p = &d.v.pieces[0];
  uint32_t x = p->outs[0].vertex;
  cr_expect(-p->d[x * p->n_vertices] + p->outs[0].plus == low && p->d[x] + p->outs[0].plus == high, "%s: %lld to %lld", query,
            (long long)(p->outs[0].plus - p->d[x * p->n_vertices]), (long long)(p->d[x] + p->outs[0].plus));
  sql_decided_end(&d);
}

/* ---- Edges ---- */

Test(frontend_sql_pieces, edges_are_the_bounds_between_aliases) {
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.i > t.j AND s.a <= t.b + 2 AND t.c >= 0 AND s.a < s.e;", "t.j < s.i; s.a <= t.b + 2\n");
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.a = t.b - 3;", "s.a <= t.b - 3; t.b <= s.a + 3\n");
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.a BETWEEN t.b AND t.c;", "t.b <= s.a; s.a <= t.c\n");
}

Test(frontend_sql_pieces, what_others_imply_is_no_edge) {
  expect_edges("SELECT 1 AS n FROM s, t, u WHERE s.i > t.j AND t.j > u.k AND s.i > u.k;", "t.j < s.i; u.k < t.j\n");
  expect_edges("SELECT 1 AS n FROM s, t, u WHERE s.i >= u.k + 2 AND s.i > t.j AND t.j > u.k;", "t.j < s.i; u.k < t.j\n");
  expect_edges("SELECT 1 AS n FROM s, t, u WHERE s.i >= u.k + 3 AND s.i > t.j AND t.j > u.k;", "u.k <= s.i - 3; t.j < s.i; u.k < t.j\n");
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.a <= t.b AND s.a <= 3 AND t.b >= 3;", "\n");
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.a <= t.b AND s.a <= t.c AND t.b <= t.c;", "s.a <= t.b\n");
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.a < t.b AND s.a <= t.b + 4 AND t.b > s.a;", "s.a < t.b\n");
}

Test(frontend_sql_pieces, of_equalities_in_a_circle_the_last_goes) {
  expect_edges("SELECT 1 AS n FROM s, t, u WHERE s.a = t.b AND t.b = u.d AND u.d = s.a;", "s.a <= t.b; t.b <= s.a; t.b <= u.d; u.d <= t.b\n");
}

Test(frontend_sql_pieces, columns_at_a_fixed_distance_are_one_attribute) {
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.e = s.a + 2 AND s.e <= t.b AND t.c <= s.a;", "s.a <= t.b - 2; t.c <= s.a\n");
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.e >= s.a + 2 AND s.x = s.e - 1 AND s.x <= s.a + 1 AND s.e <= t.b AND s.a <= t.b;", "s.a <= t.b - 2\n");
}

/* ---- Pieces ---- */

Test(frontend_sql_pieces, unequal_aliases_split_a_bag_in_two) {
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.a <> t.b;", "s.a < t.b\nt.b < s.a\n");
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.a <> t.b + 1 AND s.a <= t.b + 1;", "s.a <= t.b\n");
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.i <> t.j AND s.i >= t.j;", "t.j < s.i\n");
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.a <> t.b AND s.a = t.b;", "");
}

Test(frontend_sql_pieces, contradictions_leave_no_piece) {
  static const char *const conditions[] = {
    "s.a < 3 AND s.a > 2", "s.a < s.a", "1 = 2", "5 IN (1, 2)", "1 NOT IN (1)", "s.a IN (1, 2) AND s.a NOT IN (1, 2)", "s.a = 4 AND s.a <> 4",
    "s.a = s.e AND s.a <> s.e", "s.i < 0", "s.i > t.j AND t.j >= s.i + 2", "s.a < t.b AND t.b < s.a", "s.a BETWEEN 2 AND 4 AND s.a IN (0, 1, 5)",
  };
  for (size_t i = 0; i < WB_LEN(conditions); i++) {
    char query[200];
    snprintf(query, sizeof query, "SELECT 1 AS n FROM s, t WHERE %s;", conditions[i]);
    expect_edges(query, "");
  }
}

/* ---- Filters and tables ---- */

Test(frontend_sql_pieces, bounds_move_off_what_filters_exclude) {
  expect_bounds("SELECT s.a FROM s WHERE s.a IN (3, 7, 5);", 3, 7);
  expect_bounds("SELECT s.a FROM s WHERE s.a IN (1, 3, 7, 9) AND s.a BETWEEN 2 AND 8;", 3, 7);
  expect_bounds("SELECT s.a FROM s WHERE s.a + 1 IN (3, 7);", 2, 6);
  expect_bounds("SELECT s.a FROM s WHERE s.a BETWEEN 0 AND 5 AND s.a NOT IN (0, 1, 3, 5);", 2, 4);
  expect_bounds("SELECT s.a FROM s WHERE s.a BETWEEN 0 AND 5 AND s.a <> 0 AND 5 <> s.a;", 1, 4);
  expect_bounds("SELECT s.a FROM s WHERE s.a BETWEEN 0 AND 5 AND s.a <> s.e AND s.e = 5;", 0, 4);
  expect_bounds("SELECT s.a - 3 AS v FROM s WHERE s.a IN (3, 4);", 0, 1);
  expect_bounds("SELECT s.a FROM s, t WHERE s.a < t.b AND t.b IN (2, 4) AND s.a IN (0, 1, 4);", 0, 1);
}

Test(frontend_sql_pieces, tables_bound_by_the_rows_that_pass) {
  expect_bounds("SELECT r.z FROM s, r;", 0, 4);
  expect_bounds("SELECT s.a FROM s, r WHERE s.a = r.z AND r.z > 0;", 3, 4);
  expect_bounds("SELECT s.a FROM s, r WHERE s.a = r.z + 1 AND s.a IN (0, 1, 2, 4);", 1, 4);
  expect_bounds("SELECT s.a FROM s, r WHERE s.a = r.z AND s.a <= 3 AND s.a <> 3;", 0, 0);
  expect_edges("SELECT 1 AS n FROM s, r WHERE r.z BETWEEN 1 AND 2;", "");
}

Test(frontend_sql_pieces, rows_of_several_tables_must_fit_together) {
  expect_edges("SELECT 1 AS n FROM s, r, r q WHERE r.z = q.z + 2;", "");
  expect_edges("SELECT 1 AS n FROM s, r, r q, r p WHERE r.z = q.z + 1 AND q.z = p.z + 1;", "");
  expect_edges("SELECT 1 AS n FROM s, r, r q, r p WHERE r.z = q.z + 1 AND q.z = p.z + 3;", "\n"); /* 4, 3, 0: row checks are all */
}

Test(frontend_sql_pieces, the_mathematical_integers_are_meant) {
  expect_bounds("SELECT s.a FROM s WHERE s.a BETWEEN 9223372036854775806 AND 9223372036854775807;", INT64_MAX - 1, INT64_MAX);
  expect_edges("SELECT 1 AS n FROM s, t WHERE s.a + 9223372036854775807 + 9223372036854775807 <= t.b;", "s.a <= t.b - 18446744073709551614\n");
}
