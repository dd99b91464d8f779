/* tests/unit/frontend_sql_witness.c -- histories and continuations of an unbounded query. */
#include "tests/test.h"

#include <string.h>

#include "frontend/sql_evaluate.h"
#include "tests/support/sql_decided.h"

static weir_code make(sql_decided *d, const char *query, uint32_t n, wsql_witness *w) {
  sql_decide(d, query);
  cr_assert(d->rc == WEIR_OK && !d->v.is_bounded, "%s: %s", query, sql_verdict_text(d));
  return wsql_witness_make(&d->b.query, &d->v, n, NULL, &d->b.mem, w, &d->e);
}

/* Each rule, and what the builder has to take care of: windows, tables, finite streams, holes, RATE, times in the list, several pieces. */
static const char *const queries[] = {
  "SELECT ALL s.a, t.b FROM s, t WHERE s.i > t.j;",
  "SELECT ALL s.a FROM s, t WHERE s.i > t.j AND s.a <= t.b;",
  "SELECT ALL s.a FROM s, t WHERE s.i > t.j AND s.a = t.b AND t.b NOT IN (0, 1, 2);",
  "SELECT ALL s.a FROM s, t WHERE s.i > t.j AND s.a <> t.b;",
  "SELECT ALL s.a FROM s, t, r WHERE s.i > t.j AND s.a <= t.b AND t.c = r.z AND r.z > 0;",
  "SELECT ALL s.a FROM s, t, u WHERE s.i > t.j AND t.j > u.k AND s.a <= u.d AND t.b IN (7);",
  "SELECT ALL s.a, w.m FROM s, w WHERE s.i > w.o AND w.n = 5;",
  "SELECT ALL s.a, t.b FROM s, t, f WHERE s.i > t.j AND t.j > f.y AND t.b BETWEEN f.p AND f.q;",
  "SELECT ALL t.j, s.a FROM s, t WHERE s.i > t.j;",
  "SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND t.b <= s.a AND s.a <= t.c AND s.x = 1;",
  "SELECT DISTINCT s.x FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.a >= t.b - 3 AND s.x = 1;",
  "SELECT DISTINCT s.x FROM s, t, u WHERE s.i > t.j AND t.j > u.k AND s.a <= t.b AND s.e <= u.d AND s.x = 1;",
  "SELECT DISTINCT s.a FROM s;",
  "SELECT DISTINCT s.a FROM s WHERE s.e <> s.a AND s.a <> 3;",
  "SELECT DISTINCT s.a FROM s, t WHERE s.i > t.j AND s.a > t.b;",
  "SELECT DISTINCT s.a FROM s, f WHERE s.i > f.y AND s.a BETWEEN f.p AND f.q;",
  "SELECT DISTINCT t.j, s.a FROM s, t WHERE s.i > t.j AND t.j < 4;",
  "SELECT s.x AS v FROM s WHERE s.x = 1 UNION SELECT t.b FROM t;",
};

Test(frontend_sql_witness, each_pair_of_histories_is_told_apart) {
  for (size_t i = 0; i < WB_LEN(queries); i++) {
    sql_decided d;
    wsql_witness w;
    cr_expect_eq(make(&d, queries[i], 4, &w), WEIR_OK, "%s: %s", queries[i], d.e.text);
    cr_expect(w.n_histories == 16 && w.n_continuations == 4, "%s", queries[i]);
    sql_decided_end(&d);
  }
}

Test(frontend_sql_witness, rows_are_ndjson_in_order) {
  sql_decided d;
  wsql_witness w;
  cr_assert_eq(make(&d, "SELECT ALL t.b FROM t \"T\\x\", t, s WHERE s.i > t.j AND \"T\\x\".j = t.j AND t.b = \"T\\x\".b;", 1, &w), WEIR_OK);
  cr_expect_eq(w.histories[0].n, 0);
  static const char history[] = "{\"stream\":\"t\",\"row\":{\"b\":0,\"c\":0,\"j\":0}}\n";
  cr_expect_eq(strncmp(w.histories[1].at, history, sizeof history - 1), 0, "%.*s", (int)w.histories[1].n, w.histories[1].at);
  static const char continuation[] = "{\"stream\":\"s\",\"row\":{\"a\":0,\"e\":0,\"x\":0,\"i\":1}}\n";
  cr_expect(w.continuations[0].n == sizeof continuation - 1 && memcmp(w.continuations[0].at, continuation, sizeof continuation - 1) == 0, "%.*s",
            (int)w.continuations[0].n, w.continuations[0].at);
  sql_decided_end(&d);
}

Test(frontend_sql_witness, a_query_that_is_decided_with_caution_has_none) {
  sql_decided d;
  wsql_witness w;
  cr_expect_eq(make(&d, "SELECT DISTINCT n.a FROM s n, s o WHERE n.a >= o.a AND n.a BETWEEN 0 AND 5 AND n.i = o.i UNION SELECT s.a FROM s;", 3, &w), WEIR_OK);
  sql_decided_end(&d);
  /* The two SELECTs together have every a: nothing but the output has to be remembered. */
  cr_expect_eq(make(&d, "SELECT s.x AS v FROM s, t WHERE s.i > t.j AND s.a <= t.b AND s.e <= t.c AND s.x = 1 UNION SELECT s.x FROM s WHERE s.x = 1;", 3, &w), WEIR_E_NOT_YET);
  cr_expect_eq(d.e.code, WEIR_E_NOT_YET);
  sql_decided_end(&d);
}

Test(frontend_sql_witness, a_search_that_takes_too_long_says_so) {
  sql_decided d;
  wsql_witness w;
  sql_decide(&d, queries[0]);
  cr_expect_eq(wsql_witness_make(&d.b.query, &d.v, 2, &(wsql_limits){.steps = 100}, &d.b.mem, &w, &d.e), WEIR_E_UNDECIDED);
  cr_expect_str_eq(d.e.text, "no family of inputs that shows it was found within 100 steps");
  cr_expect_eq(wsql_witness_make(&d.b.query, &d.v, 2, &(wsql_limits){0}, &d.b.mem, &w, &d.e), WEIR_OK);
  sql_decided_end(&d);
}

Test(frontend_sql_witness, every_failing_allocation_is_reported) {
  weir_code rc = WEIR_E_MEMORY;
  uint64_t n = 1;
  for (; rc == WEIR_E_MEMORY && n < 100000; n++) {
    sql_decided d;
    wsql_witness w;
    sql_decide(&d, queries[0]);
    d.b.door.fail_at = d.b.door.calls + n;
    rc = wsql_witness_make(&d.b.query, &d.v, 2, NULL, &d.b.mem, &w, &d.e);
    cr_assert(rc == WEIR_OK || (rc == WEIR_E_MEMORY && d.e.code == rc), "allocation %d: %s", (int)n, d.e.text);
    sql_decided_end(&d);
    cr_assert_eq(d.b.door.used, 0);
  }
  cr_expect(rc == WEIR_OK && n > 3);
}

/* ---- The evaluation that makes sure ---- */

static uint64_t evaluate(sql_decided *d, const wsql_row *rows, size_t n, int64_t closed, bool *is_valid) {
  wsql_job job = {.q = &d->b.query, .mem = &d->b.mem, .max_steps = 1000000, .e = &d->e};
  uint64_t sign;
  wb_mem_init(&job.scratch, &d->b.door, 0);
  cr_assert_eq(wsql_evaluate(&job, rows, n, closed, &sign, is_valid), WEIR_OK);
  wb_mem_drop(&job.scratch);
  return sign;
}

Test(frontend_sql_witness, results_differ_where_their_signs_do) {
  sql_decided d;
  bool is_valid;
  sql_decide(&d, "SELECT DISTINCT s.x, w.m FROM s, w WHERE s.i > w.o AND s.a <> w.n UNION ALL SELECT t.b, t.c FROM t WHERE t.b IN (1, 2);");
  const wsql_row rows[] = {{4, (int64_t[]){7, 1, 0}}, {4, (int64_t[]){7, 2, 0}}, {0, (int64_t[]){1, 0, 5, 1}}, {0, (int64_t[]){2, 0, 5, 2}}, {1, (int64_t[]){1, 1, 3}}};
  uint64_t all = evaluate(&d, rows, 5, -1, &is_valid);
  cr_expect(is_valid);
  cr_expect_eq(evaluate(&d, rows + 1, 4, -1, &is_valid), evaluate(&d, rows + 1, 2, -1, &is_valid) + evaluate(&d, rows + 4, 1, -1, &is_valid), "one row serves as well");
  cr_expect_neq(all, evaluate(&d, rows, 4, -1, &is_valid), "a row of the second SELECT");
  cr_expect_eq(evaluate(&d, rows, 4, 1, &is_valid), 0, "written in step 1, so not in step 2");
  cr_expect_eq(evaluate(&d, rows, 2, -1, &is_valid), 0);
  const wsql_row three[] = {rows[0], rows[0], rows[1]};
  (void)evaluate(&d, three, 3, -1, &is_valid);
  cr_expect_not(is_valid, "more than RATE 2");
  sql_decided_end(&d);
}
