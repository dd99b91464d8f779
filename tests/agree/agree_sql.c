/* tests/agree/agree_sql.c -- random queries: what must hold of the decision whatever the query is.
**
** WEIR_MODEL_SEED and WEIR_MODEL_COUNT choose other queries and more of them. */
#include "tests/test.h"
#include "tests/support/sql_decided.h"
#include "tests/support/sqlgen.h"
#include "tests/support/tiers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Builds that check are several times slower, and a test has a minute.  Those that check all look at a whole matrix after each bound: where no witness
** is found, all ways are tried to fill one of up to two hundred variables, which takes the 9th query minutes. */
#if defined(WEIR_CHECK_ALL)
enum { QUERIES = 300, WITNESSES = 150, REFUTATIONS = 8 };
#elif defined(WEIR_CHECK)
enum { QUERIES = 300, WITNESSES = 150, REFUTATIONS = 50 };
#else
enum { QUERIES = 4000, WITNESSES = 1500, REFUTATIONS = 500 };
#endif
enum { SHOWN_TO_THE_REFERENCE = 60, BURSTS = 5 };

static void make(sql_decided *d, sqlgen_query *q, uint64_t seed, uint64_t order) {
  sqlgen_make(seed, order, q);
  sql_decide_text(d, q->text);
  cr_assert_eq(d->rc, WEIR_OK, "seed %" PRIu64 ": %s\n%s", seed, d->e.text, q->text);
}

/* All that a verdict shows. */
static char *text_of(sql_decided *d) {
  char *text = malloc(65536);
  cr_assert_not_null(text);
  size_t n = (size_t)snprintf(text, 65536, "%s\n", sql_verdict_text(d));
  n += (size_t)snprintf(text + n, 65536 - n, "%s\n", sql_edges_text(d));
  n += (size_t)snprintf(text + n, 65536 - n, "%s\n", sql_synopses_text(d));
  snprintf(text + n, 65536 - n, "%.*s %.*s", (int)d->v.reason.text.n, d->v.reason.text.at, (int)d->v.reason.cure.n, d->v.reason.cure.at);
  return text;
}

/* Nothing differs from run to run, and not the verdict between orders of FROM; and the generator makes bounded queries too. */
Test(agree_sql, a_verdict_depends_on_the_query_alone) {
  uint64_t first = tiers_setting("WEIR_MODEL_SEED", 1), count = tiers_setting("WEIR_MODEL_COUNT", QUERIES), n_bounded = 0;
  for (uint64_t seed = first; seed < first + count; seed++) {
    sqlgen_query q, permuted;
    sql_decided a, b;
    make(&a, &q, seed, 0);
    make(&b, &q, seed, 0);
    char *one = text_of(&a), *two = text_of(&b);
    cr_assert_str_eq(one, two, "seed %" PRIu64 "\n%s", seed, q.text);
    free(one);
    free(two);
    sql_decided_end(&b);
    for (uint64_t order = 1; order <= 2; order++) {
      make(&b, &permuted, seed, order * 77 + seed);
      cr_assert_eq(a.v.is_bounded, b.v.is_bounded, "seed %" PRIu64 "\n%s%s", seed, q.text, permuted.text);
      sql_decided_end(&b);
    }
    n_bounded += a.v.is_bounded;
    sql_decided_end(&a);
  }
  cr_expect_geq(n_bounded * 10, count * 4, "only %" PRIu64 " of %" PRIu64 " are bounded", n_bounded, count);
  cr_expect_geq((count - n_bounded) * 10, count * 2, "only %" PRIu64 " of %" PRIu64 " are unbounded", count - n_bounded, count);
}

/* Where the decision may be more cautious than it must: docs/sql.md has the list. */
static bool may_be_cautious(const sqlgen_query *q, const sql_decided *d) {
  return q->has_self_join || q->is_union || ((q->has_finite || q->splits_times) && d->v.reason.rule == WSQL_RULE_EXTREMES);
}

Test(agree_sql, what_is_unbounded_has_a_witness) {
  uint64_t first = tiers_setting("WEIR_MODEL_SEED", 1), count = tiers_setting("WEIR_MODEL_COUNT", WITNESSES);
  uint64_t n_of[] = {[WSQL_RULE_LIST] = 0, [WSQL_RULE_EDGE] = 0, [WSQL_RULE_EXTREMES] = 0, [WSQL_RULE_OUTPUT] = 0};
  for (uint64_t seed = first; seed < first + count; seed++) {
    sqlgen_query q;
    sql_decided d;
    wsql_witness w;
    make(&d, &q, seed, 0);
    if (!d.v.is_bounded) {
      weir_code rc = wsql_witness_make(&d.b.query, &d.v, BURSTS, NULL, &d.b.mem, &w, &d.e);
      cr_assert(rc == WEIR_OK || (rc == WEIR_E_NOT_YET && may_be_cautious(&q, &d)), "seed %" PRIu64 ": %s\n%s", seed, d.e.text, q.text);
      n_of[d.v.reason.rule] += rc == WEIR_OK;
    }
    sql_decided_end(&d);
  }
  for (size_t rule = 0; rule < WB_LEN(n_of); rule++) cr_expect_geq(n_of[rule] * 100, count, "rule %zu: only %" PRIu64, rule, n_of[rule]);
}

/* ---- The other way round ---- */

enum { MORE_BURSTS = 6, MOST_STATES_BITS = MORE_BURSTS - 1 };

/* Bits that the state of a bounded query can tell after MORE_BURSTS bursts, where no row is kept as it is; SIZE_MAX: more than matter. */
static size_t state_bits(const wsql_verdict *v) {
  size_t bits = 0;
  for (uint32_t i = 0; i < v->n_pieces; i++)
    for (uint32_t k = 0; k < v->pieces[i].n_synopses; k++) {
      const wsql_synopsis *s = &v->pieces[i].synopses[k];
      if (s->cells.n == 0) continue;
      if (!s->is_dense || s->n_far != 0 || s->cells.n != 1 || s->cells.terms[0].n_rates != 0 || s->cells.terms[0].times > MORE_BURSTS) return SIZE_MAX;
      /* A counter of combinations of m rows is at most 6^m; an extreme is one of 6 values, or none. */
      bits += s->cells.terms[0].times * (s->keep == WSQL_KEEP_FLAG ? 1 : s->keep == WSQL_KEEP_EXTREME ? 3 : 3 * (size_t)__builtin_popcount(s->members));
    }
  for (uint32_t i = 0; i < v->n_written; i++) {
    const wsql_written *w = &v->written[i];
    if (w->cells.n == 0) continue;
    if (!w->is_box || w->cells.n != 1 || w->cells.terms[0].n_rates != 0 || w->cells.terms[0].times > MORE_BURSTS) return SIZE_MAX;
    bits += w->cells.terms[0].times;
  }
  return bits;
}

/* Tries to show that the query is unbounded for a reason that it has not. */
static void expect_none(sql_decided *d, uint64_t seed, wsql_reason reason) {
  wsql_verdict forged = d->v;
  wsql_witness w;
  forged.is_bounded = false;
  forged.reason = reason;
  cr_assert_eq(wsql_witness_make(&d->b.query, &forged, MORE_BURSTS, NULL, &d->b.mem, &w, &d->e), WEIR_E_NOT_YET, "seed %" PRIu64 ", rule %d", seed, (int)reason.rule);
}

static void expect_none_at(sql_decided *d, uint64_t seed, uint32_t piece, const wsql_synopsis *s) {
  const wsql_piece *p = &d->v.pieces[piece];
  wsql_reason r = {.piece = piece, .members = s->members, .later = s->later};
  for (uint32_t v = 1; v < p->n_vertices; v++) {
    if (!(s->members >> p->vertices[v].alias & 1)) continue;
    r.vertex = v;
    r.rule = WSQL_RULE_EDGE;
    expect_none(d, seed, r);
    r.rule = WSQL_RULE_LIST;
    for (uint32_t i = 0; i < p->n_outs; i++)
      if (p->outs[i].vertex == v) expect_none(d, seed, r);
  }
  r.rule = WSQL_RULE_EXTREMES;
  expect_none(d, seed, r);
}

/* However little is kept, it is enough: no family of inputs has more states than that can tell apart. */
Test(agree_sql, what_is_bounded_by_little_has_no_witness) {
  uint64_t first = tiers_setting("WEIR_MODEL_SEED", 1), count = tiers_setting("WEIR_MODEL_COUNT", REFUTATIONS), n_tried = 0;
  for (uint64_t seed = first; seed < first + count; seed++) {
    sqlgen_query q;
    sql_decided d;
    make(&d, &q, seed, 0);
    if (d.v.is_bounded && state_bits(&d.v) <= MOST_STATES_BITS) {
      n_tried++;
      for (uint32_t i = 0; i < d.v.n_pieces; i++) {
        for (uint32_t k = 0; k < d.v.pieces[i].n_synopses; k++) expect_none_at(&d, seed, i, &d.v.pieces[i].synopses[k]);
        for (uint32_t k = 0; k < d.v.pieces[i].n_outs && d.v.n_written != 0; k++)
          if (d.v.pieces[i].outs[k].vertex != 0) expect_none(&d, seed, (wsql_reason){.rule = WSQL_RULE_OUTPUT, .piece = i, .vertex = d.v.pieces[i].outs[k].vertex});
      }
    }
    sql_decided_end(&d);
  }
  cr_expect_geq(n_tried * 20, count, "only %" PRIu64 " of %" PRIu64, n_tried, count);
}

/* ---- The reference ---- */

static void write_file(const char *folder, const char *name, const char *at, size_t n) {
  char path[400];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  cr_assert(f != NULL && (n == 0 || fwrite(at, 1, n, f) == n) && fclose(f) == 0, "%s", path);
}

static void write_witness(const char *folder, const char *query, const wsql_witness *w) {
  char name[60];
  cr_assert_eq(mkdir(folder, 0700), 0, "%s", folder);
  write_file(folder, "query.sql", query, strlen(query));
  for (size_t i = 0; i < w->n_histories; i++) {
    snprintf(name, sizeof name, "history-%04zu.ndjson", i);
    write_file(folder, name, w->histories[i].at, w->histories[i].n);
  }
  for (size_t i = 0; i < w->n_continuations; i++) {
    snprintf(name, sizeof name, "continuation-%02zu.ndjson", i);
    write_file(folder, name, w->continuations[i].at, w->continuations[i].n);
  }
}

Test(agree_sql, the_reference_tells_the_histories_apart) {
  char folder[] = "/tmp/weir-witness-XXXXXX", command[600], path[300];
  cr_assert_not_null(mkdtemp(folder));
  int n_shown = 0;
  for (uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1); n_shown < SHOWN_TO_THE_REFERENCE; seed++) {
    sqlgen_query q;
    sql_decided d;
    wsql_witness w;
    make(&d, &q, seed, 0);
    if (!d.v.is_bounded && wsql_witness_make(&d.b.query, &d.v, BURSTS, NULL, &d.b.mem, &w, &d.e) == WEIR_OK) {
      snprintf(path, sizeof path, "%s/%" PRIu64, folder, seed);
      write_witness(path, q.text, &w);
      n_shown++;
    }
    sql_decided_end(&d);
  }
  snprintf(command, sizeof command, "python3 -B " TEST_ROOT "/tests/bounded/apart.py %s/* >%s/log && rm -rf %s", folder, folder, folder);
  cr_expect_eq(system(command), 0, "see %s/log", folder);
}
