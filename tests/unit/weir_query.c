/* tests/unit/weir_query.c -- what weir.h promises about queries of SQL. */
#include "tests/test.h"
#include "tests/support/host.h"

#include <stdlib.h>

static weir_engine *engine;
static void open_engine(void) { cr_assert_eq(weir_engine_new(NULL, &engine, NULL), WEIR_OK); }
static void close_engine(void) { weir_engine_free(engine); }

TestSuite(weir_query, .init = open_engine, .fini = close_engine);

#define STREAMS "CREATE STREAM s (a INT, i TIMESTAMP);CREATE STREAM t (b INT, j TIMESTAMP);"

static weir_query *check(const char *text) {
  weir_query *q = NULL;
  weir_diagnostics *d = NULL;
  cr_assert_eq(weir_query_check(engine, text, strlen(text), NULL, &q, &d), WEIR_OK, "%s: %s", text, d ? weir_diagnostics_at(d, 0).text : "");
  cr_assert_not_null(q);
  cr_expect_null(d);
  return q;
}

static void expect_amount(weir_amount a, const char *text, bool is_number, uint64_t number) {
  cr_expect_str_eq(a.text, text);
  cr_expect_eq(a.is_number, is_number);
  cr_expect_eq(a.number, number);
}

Test(weir_query, a_bounded_query_lists_its_synopses_their_keys_and_what_was_written) {
  weir_query *q = check(STREAMS "SELECT DISTINCT b FROM s, t WHERE i > j AND b BETWEEN 1 AND 4;");
  const weir_verdict *v = weir_query_verdict(q);
  cr_assert(v->is_bounded);
  expect_amount(v->cells, "8", true, 8);
  expect_amount(v->bytes, "128", true, 128);
  cr_expect_str_eq(v->reason, "");
  cr_expect_str_eq(v->attribute, "");
  cr_expect_str_eq(v->cure, "");
  cr_assert_eq(v->n_synopses, 1);
  cr_assert_eq(v->n_written, 1);
  const weir_synopsis *s = weir_query_synopsis(q, 0);
  cr_assert_eq(s->n_aliases, 1);
  cr_expect_str_eq(s->aliases[0], "t");
  cr_assert_eq(s->n_later, 1);
  cr_expect_str_eq(s->later[0], "s");
  cr_expect_str_eq(s->kept, "flag");
  expect_amount(s->entries, "4", true, 4);
  expect_amount(s->bytes, "64", true, 64);
  cr_assert_eq(s->n_keys, 1);
  const weir_synopsis_key *k = weir_query_key(q, 0, 0);
  cr_expect_str_eq(k->column, "t.b");
  cr_expect_str_eq(k->kind, "value");
  cr_expect_str_eq(k->text, "t.b in 1 .. 4");
  cr_expect_str_eq(k->from, "1");
  cr_expect_str_eq(k->to, "4");
  cr_expect_eq(k->values, 4);
  const weir_written *w = weir_query_written(q, 0);
  cr_expect_eq(w->select, 0);
  cr_expect(w->is_box);
  expect_amount(w->cells, "4", true, 4);
  expect_amount(w->bytes, "64", true, 64);
  weir_query_free(q);
}

Test(weir_query, amounts_without_a_rate_are_polynomials_and_sum_up) {
  weir_query *q = check(STREAMS "SELECT a, b FROM s, t WHERE i > j AND j > i - 3;");
  const weir_verdict *v = weir_query_verdict(q);
  expect_amount(v->cells, "6*rate(t)", false, 0);
  expect_amount(v->bytes, "32 + 48*rate(t)", false, 0);
  expect_amount(weir_query_synopsis(q, 0)->bytes, "32 + 48*rate(t)", false, 0);
  cr_expect_eq(weir_query_key(q, 0, 1)->values, 0);
  cr_expect_str_eq(weir_query_key(q, 0, 1)->from, "");
  weir_query_free(q);
}

Test(weir_query, an_amount_beyond_64_bits_is_said_to_be_at_least_that) {
  weir_query *q = check("CREATE STREAM s (a INT, b INT, i TIMESTAMP);CREATE STREAM t (c INT, d INT, j TIMESTAMP);"
                        "SELECT c, d FROM s, t WHERE i > j AND c BETWEEN 0 AND 9223372036854775807 AND d BETWEEN 0 AND 9223372036854775807;");
  expect_amount(weir_query_verdict(q)->cells, "at least 18446744073709551615", false, 0);
  expect_amount(weir_query_synopsis(q, 0)->bytes, "at least 18446744073709551615", false, 0);
  weir_query_free(q);
}

Test(weir_query, an_unbounded_query_has_a_reason_with_a_place_and_a_witness) {
  static const char text[] = STREAMS "SELECT a, b FROM s, t WHERE i > j;";
  weir_query *q = check(text);
  const weir_verdict *v = weir_query_verdict(q);
  weir_witness *w = NULL;
  weir_error e;
  cr_assert(!v->is_bounded);
  cr_expect_str_eq(v->attribute, "t.b");
  cr_expect(strstr(v->reason, "t.b is in the select list") != NULL, "%s", v->reason);
  cr_expect(strstr(v->cure, "t.b BETWEEN MIN AND MAX") != NULL, "%s", v->cure);
  cr_expect_eq(v->n_synopses + v->n_written, 0);
  cr_expect_eq(text[v->span.begin], 'b');
  cr_expect_eq(v->span.end, v->span.begin + 1);
  cr_expect_eq(weir_query_witness(q, 0, &w, &e), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_query_witness(q, 11, &w, &e), WEIR_E_ARGUMENT);
  cr_expect_null(w);
  cr_assert_eq(weir_query_witness(q, 3, &w, &e), WEIR_OK, "%s", e.text);
  cr_assert_eq(weir_witness_history_count(w), 8);
  cr_assert_eq(weir_witness_continuation_count(w), 3);
  for (uint32_t i = 0; i < 8; i++) {
    size_t n, bursts = 0;
    const char *history = weir_witness_history(w, i, &n);
    for (size_t k = 0; k < n; k++) bursts += history[k] == '\n';
    cr_expect_eq(bursts, (size_t)__builtin_popcount(i), "history %u has a row for each of its bits", i);
  }
  size_t n;
  cr_expect_neq(weir_witness_continuation(w, 2, &n)[0], '\0');
  cr_expect_gt(n, 0);
  weir_witness_free(w);
  weir_query_free(q);
}

Test(weir_query, a_bounded_query_has_no_witness) {
  weir_query *q = check(STREAMS "SELECT a FROM s;");
  weir_witness *w = NULL;
  weir_error e;
  cr_expect_eq(weir_query_witness(q, 2, &w, &e), WEIR_E_ARGUMENT);
  cr_expect_str_eq(e.text, "a bounded query has no witness");
  cr_expect_null(w);
  weir_query_free(q);
}

Test(weir_query, a_wrong_script_gives_diagnostics_and_no_query) {
  static const char text[] = STREAMS "SELECT q, a FROM s WHERE z > 1;";
  weir_query *q = NULL;
  weir_diagnostics *d = NULL;
  cr_expect_eq(weir_query_check(engine, text, sizeof text - 1, NULL, &q, &d), WEIR_E_TYPE);
  cr_expect_null(q);
  cr_assert_eq(weir_diagnostics_count(d), 2);
  cr_expect_str_eq(weir_diagnostics_at(d, 0).text, "there is no column `q` in FROM");
  weir_diagnostics_free(d);
}

Test(weir_query, wrong_arguments_are_refused_and_leave_null) {
  weir_query *q = check(STREAMS "SELECT a FROM s;"), *other = q;
  weir_text *text = NULL;
  weir_diagnostics *d = NULL;
  weir_error e;
  cr_expect_eq(weir_query_check(engine, NULL, 1, NULL, &other, &d), WEIR_E_ARGUMENT);
  cr_expect_null(other);
  cr_expect_eq(weir_query_check(NULL, "", 0, NULL, &other, NULL), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_query_check(engine, "", 0, NULL, NULL, NULL), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_query_explain(q, WEIR_QUERY_VIEWS, &text, &e), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_query_explain(NULL, WEIR_QUERY_DOT, &text, NULL), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_query_witness(NULL, 1, NULL, NULL), WEIR_E_ARGUMENT);
  cr_expect_null(text);
  weir_query_free(q);
  weir_query_free(NULL);
  weir_witness_free(NULL);
}

Test(weir_query, options_of_an_older_host_leave_the_new_limits_at_their_defaults) {
  static const char text[] = STREAMS "SELECT a FROM s, t WHERE i > j;";
  weir_query *q;
  weir_compile_options options = {.size = offsetof(weir_compile_options, max_aliases), .max_aliases = 1, .max_sql_steps = 1};
  cr_assert_eq(weir_query_check(engine, text, sizeof text - 1, &options, &q, NULL), WEIR_OK);
  weir_query_free(q);
  options.size = sizeof options;
  cr_expect_eq(weir_query_check(engine, text, sizeof text - 1, &options, &q, NULL), WEIR_E_LIMIT);
  options.max_aliases = 2;
  cr_expect_eq(weir_query_check(engine, text, sizeof text - 1, &options, &q, NULL), WEIR_E_UNDECIDED);
  options.max_sql_steps = 0;
  cr_assert_eq(weir_query_check(engine, text, sizeof text - 1, &options, &q, NULL), WEIR_OK);
  weir_query_free(q);
}

Test(weir_query, the_largest_text_is_a_limit_too) {
  static const char text[] = STREAMS "SELECT a FROM s;";
  weir_query *q;
  weir_compile_options options = {.size = sizeof options, .max_source_bytes = sizeof text - 1};
  cr_assert_eq(weir_query_check(engine, text, sizeof text - 1, &options, &q, NULL), WEIR_OK);
  weir_query_free(q);
  options.max_source_bytes--;
  cr_expect_eq(weir_query_check(engine, text, sizeof text - 1, &options, &q, NULL), WEIR_E_LIMIT);
}

/* All that a query is asked for. */
static weir_code ask(const weir_engine_options *options, const char *text) {
  weir_engine *own;
  weir_query *q = NULL;
  weir_text *view = NULL;
  weir_witness *w = NULL;
  weir_error e = {.code = WEIR_OK};
  weir_code rc = weir_engine_new(options, &own, &e);
  if (rc == WEIR_OK) rc = weir_query_check(own, text, strlen(text), NULL, &q, NULL);
  for (int i = 0; rc == WEIR_OK && i < WEIR_QUERY_VIEWS; i++) {
    rc = weir_query_explain(q, (weir_query_view)i, &view, &e);
    weir_text_free(view);
  }
  if (rc == WEIR_OK && !weir_query_verdict(q)->is_bounded) rc = weir_query_witness(q, 2, &w, &e);
  weir_witness_free(w);
  weir_query_free(q);
  weir_engine_free(own);
  return rc;
}

Test(weir_query, each_request_for_memory_may_fail, .timeout = 60) {
  static const char *const texts[] = {
    STREAMS "SELECT DISTINCT b FROM s, t WHERE i > j AND b BETWEEN 1 AND 4;",
    STREAMS "SELECT a, b FROM s, t WHERE i > j AND j > i - 3 UNION ALL SELECT a, 1 AS one FROM s, t WHERE i > j AND a <> b AND b IN (1, 5);",
    STREAMS "SELECT DISTINCT a FROM s;",
    STREAMS "CREATE TABLE r (x INT);INSERT INTO r VALUES (1), (5);SELECT a, b, x FROM s, t, r WHERE i > j AND a > b;",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    host_memory memory;
    host_memory_open(&memory);
    weir_engine_options options = {.size = sizeof options, .allocator = &memory.allocator};
    cr_assert_eq(ask(&options, texts[i]), WEIR_OK, "%s", texts[i]);
    uint64_t calls = memory.calls;
    for (uint64_t n = 1; n <= calls; n++) {
      host_memory_open(&memory);
      memory.fail_at = n;
      cr_expect_eq(ask(&options, texts[i]), WEIR_E_MEMORY, "%s, request %llu of %llu", texts[i], (unsigned long long)n, (unsigned long long)calls);
      cr_expect_eq(memory.live, 0, "%s, request %llu: %zu blocks are lost", texts[i], (unsigned long long)n, memory.live);
    }
  }
}

typedef struct deep { const char *text; weir_code code; } deep;
static void check_deep(void *arg) {
  deep *d = arg;
  weir_query *q = NULL;
  d->code = weir_query_check(engine, d->text, strlen(d->text), NULL, &q, NULL);
  weir_query_free(q);
}

/* Fault 5, with the decision behind the parser. */
Test(weir_query, a_long_condition_is_decided_on_a_stack_of_64_kB) {
  char *text = test_repeat(STREAMS "SELECT a, b FROM s, t WHERE i > j AND b BETWEEN 1 AND 4", " AND a + 3 > b", 2000, ";");
  deep d = {.text = text};
  host_on_small_stack(check_deep, &d);
  cr_expect_eq(d.code, WEIR_OK);
  free(text);
}
