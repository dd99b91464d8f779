/* frontend/sql_evaluate.c -- all combinations of rows, alias by alias. */
#include "frontend/sql_evaluate.h"

#include <string.h>

typedef struct result { /* of a set: one row, and the first step that has it */
  const int64_t *values;
  int64_t step;
} result;

typedef struct evaluation {
  wsql_job *job;
  const wsql_row *rows;
  size_t n;
  int64_t closed;
  const wsql_select *s;
  bool is_set;
  const int64_t *chosen[WSQL_MAX_ALIASES];
  size_t at[WSQL_MAX_ALIASES];      /* by alias: the next candidate */
  int64_t step[WSQL_MAX_ALIASES];   /* the latest time of the aliases up to this one; -1: none has a time */
  WB_VEC(result) results;           /* of a set */
  uint64_t sum;
  bool is_valid;
} evaluation;

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ (h >> 29);
}

static uint64_t hash(const int64_t *values, uint32_t n, int64_t step) {
  uint64_t h = mix(UINT64_C(0x243f6a8885a308d3), (uint64_t)step);
  for (uint32_t i = 0; i < n; i++) h = mix(h, (uint64_t)values[i]);
  return mix(h, n);
}

/* ---- Predicates ---- */

static wsql_int value(const evaluation *ev, wsql_term t) { return (t.alias == WSQL_NONE ? 0 : ev->chosen[t.alias][t.column]) + t.plus; }

static bool holds(const evaluation *ev, const wsql_pred *p) {
  wsql_int left = value(ev, p->left);
  return p->kind == WSQL_PRED_CMP ? wsql_cmp_holds(left, p->cmp, value(ev, p->right)) : wsql_set_holds(p, left);
}

/* The predicates that can be decided with this alias, and not before. */
static bool all_hold(const evaluation *ev, uint32_t alias) {
  for (size_t i = 0; i < ev->s->n_preds; i++) {
    const wsql_pred *p = &ev->s->preds[i];
    uint32_t left = p->left.alias == WSQL_NONE ? 0 : p->left.alias;
    uint32_t right = p->kind != WSQL_PRED_CMP || p->right.alias == WSQL_NONE ? 0 : p->right.alias;
    if (WB_MAX(left, right) == alias && !holds(ev, p)) return false;
  }
  return true;
}

/* ---- Combinations ---- */

static weir_code emit(evaluation *ev, int64_t step) {
  uint32_t n = ev->s->n_items;
  int64_t *values = WB_NEW_ARRAY(&ev->job->scratch, int64_t, n);
  if (values == NULL) return wb_fail_memory(ev->job->e);
  for (uint32_t i = 0; i < n; i++) {
    wsql_int v = value(ev, ev->s->items[i].term);
    ev->is_valid &= v >= INT64_MIN && v <= INT64_MAX;
    values[i] = (int64_t)v;
  }
  if (!ev->is_set) {
    if (step > ev->closed) ev->sum += hash(values, n, step);
    return WEIR_OK;
  }
  for (size_t i = 0; i < ev->results.n; i++) {
    result *r = &ev->results.at[i];
    if (memcmp(r->values, values, n * sizeof *values) != 0) continue;
    r->step = WB_MIN(r->step, step);
    return wsql_spend(ev->job, i);
  }
  return WB_PUSH(&ev->job->scratch, &ev->results, (result){values, step}) ? WEIR_OK : wb_fail_memory(ev->job->e);
}

/* The next candidate for an alias; false: there is none. */
static bool choose(evaluation *ev, uint32_t alias) {
  const wsql_relation *of = wsql_relation_of(ev->job->q, ev->s, alias);
  uint32_t relation = ev->s->aliases[alias].relation;
  int64_t before = alias == 0 ? -1 : ev->step[alias - 1];
  if (!wsql_is_stream(of)) {
    if (ev->at[alias] == of->n_rows) return false;
    ev->chosen[alias] = of->rows + ev->at[alias]++ * of->n_columns;
    ev->step[alias] = before;
    return true;
  }
  while (ev->at[alias] < ev->n && ev->rows[ev->at[alias]].relation != relation) ev->at[alias]++;
  if (ev->at[alias] == ev->n) return false;
  ev->chosen[alias] = ev->rows[ev->at[alias]++].values;
  ev->step[alias] = WB_MAX(before, ev->chosen[alias][of->time]);
  return true;
}

static weir_code combine(evaluation *ev) {
  uint32_t alias = 0;
  ev->at[0] = 0;
  for (;;) {
    WB_TRY(wsql_spend(ev->job, 1 + ev->s->n_preds / 8));
    if (!choose(ev, alias)) {
      if (alias == 0) return WEIR_OK;
      alias--;
    } else if (all_hold(ev, alias)) {
      if (alias + 1 == ev->s->n_aliases) WB_TRY(emit(ev, ev->step[alias]));
      else ev->at[++alias] = 0;
    }
  }
}

/* ---- The query ---- */

static bool rates_hold(const wsql_query *q, const wsql_row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const wsql_relation *of = &q->relations[rows[i].relation];
    uint64_t count = 0;
    for (size_t k = 0; k <= i; k++) count += rows[k].relation == rows[i].relation && wsql_row_time(q, &rows[k]) == wsql_row_time(q, &rows[i]);
    if (of->has_rate && count > of->rate) return false;
  }
  return true;
}

static void add_results(evaluation *ev, uint32_t n_items) {
  for (size_t i = 0; i < ev->results.n; i++)
    if (ev->results.at[i].step > ev->closed) ev->sum += hash(ev->results.at[i].values, n_items, ev->results.at[i].step);
  ev->results.n = 0;
}

weir_code wsql_evaluate(wsql_job *job, const wsql_row *rows, size_t n, int64_t closed, uint64_t *out, bool *is_valid) {
  const wsql_query *q = job->q;
  evaluation ev = {.job = job, .rows = rows, .n = n, .closed = closed, .is_valid = rates_hold(q, rows, n)};
  wb_mem_drop(&job->scratch);
  for (uint32_t i = 0; i < q->n_selects; i++) {
    ev.s = &q->selects[i];
    ev.is_set = wsql_is_distinct(q, ev.s);
    WB_TRY(combine(&ev));
    if (!q->is_set) add_results(&ev, ev.s->n_items);
  }
  add_results(&ev, q->selects[0].n_items);
  *out = ev.sum;
  *is_valid = ev.is_valid;
  return WEIR_OK;
}
