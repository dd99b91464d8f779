/* frontend/sql_settle.c -- tightening a piece by what is not a difference bound: filters, tables, kept `<>`.
**
** While a bound of a column is a value that a filter excludes, or that no row of a table has, it moves inward.  Each move closes the matrix again, and
** may bring others; it ends as each of the finitely many holes is left once. */
#include "frontend/sql_form.h"

#include <string.h>

typedef struct settling {
  wsql_job *job;
  wsql_form *f;
  bool has_moved, is_empty;
} settling;

static weir_code move(settling *s, uint32_t from, uint32_t to, wsql_int w) {
  if (s->is_empty || w >= wsql_at(&s->f->m, from, to)) return WEIR_OK;
  s->has_moved = true;
  return wsql_form_bound(s->job, s->f, (wsql_edge){from, to, w, WSQL_NONE}, &s->is_empty);
}

/* ---- Filters ---- */

/* The first value from v upward (or downward) that the set allows; WSQL_INF: none. */
static wsql_int allowed_from(const wsql_pred *p, wsql_int v, bool is_upward) {
  size_t at = wsql_set_place(p, v);
  bool is_in = at < p->n_set && p->set[at] == v;
  if (p->kind == WSQL_PRED_IN) {
    if (is_in) return v;
    if (is_upward) return at < p->n_set ? p->set[at] : WSQL_INF;
    return at > 0 ? p->set[at - 1] : WSQL_INF;
  }
  while (is_in) {
    v += is_upward ? 1 : -1;
    at += is_upward ? 1 : (size_t)-1;
    is_in = at < p->n_set && p->set[at] == v;
  }
  return v;
}

wsql_int wsql_filter_next(const wsql_filter *f, wsql_int x, wsql_int y, bool is_upward) {
  if (f->of->kind == WSQL_PRED_CMP) return x != y + f->plus ? x : x + (is_upward ? 1 : -1);
  wsql_int next = allowed_from(f->of, x + f->plus, is_upward);
  return next >= WSQL_INF ? WSQL_INF : next - f->plus;
}

static weir_code move_by_set(settling *s, const wsql_filter *filter) {
  const wsql_pred *p = filter->of;
  for (int side = 0; side < 2; side++) {
    bool is_lower = side == 0;
    wsql_int d = is_lower ? wsql_at(&s->f->m, filter->x, 0) : wsql_at(&s->f->m, 0, filter->x); /* x >= -d, x <= d */
    if (d >= WSQL_INF && p->kind == WSQL_PRED_NOT_IN) continue;
    wsql_int from = d >= WSQL_INF ? p->set[is_lower ? 0 : p->n_set - 1] : (is_lower ? -d : d) + filter->plus;
    wsql_int to = allowed_from(p, from, is_lower);
    s->is_empty |= to >= WSQL_INF;
    if (s->is_empty) return WEIR_OK;
    to -= filter->plus;
    WB_TRY(is_lower ? move(s, filter->x, 0, -to) : move(s, 0, filter->x, to));
  }
  return WEIR_OK;
}

/* x <> y + c, y possibly 0: where the one bound of x - y is c, it moves. */
static weir_code move_by_unequal(settling *s, uint32_t x, uint32_t y, wsql_int c) {
  if (wsql_at(&s->f->m, y, x) == c) WB_TRY(move(s, y, x, c - 1));
  if (!s->is_empty && wsql_at(&s->f->m, x, y) == -c) WB_TRY(move(s, x, y, -c - 1));
  return WEIR_OK;
}

/* ---- Tables ---- */

static bool filters_pass(const wsql_form *f, uint32_t alias, const int64_t *row) {
  const wsql_vertex *v = f->reading->vertices;
  for (size_t i = 0; i < f->filters.n; i++) {
    const wsql_filter *filter = &f->filters.at[i];
    if (v[filter->x].alias != alias) continue;
    wsql_int x = row[v[filter->x].column], y = filter->y == 0 ? 0 : row[v[filter->y].column];
    if (wsql_filter_next(filter, x, y, true) != x) return false;
  }
  return true;
}

static wsql_int cell(const wsql_form *f, const int64_t *row, uint32_t vertex) { return vertex == 0 ? 0 : row[f->reading->vertices[vertex].column]; }

/* Does the row keep the bounds of `m` among its own columns and 0? */
static bool bounds_pass(const wsql_form *f, const wsql_matrix *m, uint32_t alias, const int64_t *row) {
  uint32_t begin = f->reading->of_alias[alias], end = f->reading->of_alias[alias + 1];
  for (uint32_t i = begin; i < end; i++) {
    if (cell(f, row, i) > wsql_at(m, 0, i) || -cell(f, row, i) > wsql_at(m, i, 0)) return false;
    for (uint32_t j = begin; j < end; j++)
      if (cell(f, row, j) - cell(f, row, i) > wsql_at(m, i, j)) return false;
  }
  return true;
}

static uint64_t row_steps(const wsql_form *f, uint32_t alias) {
  uint64_t n = f->reading->of_alias[alias + 1] - f->reading->of_alias[alias] + 1;
  return n * n + f->filters.n;
}

static weir_code move_by_table(settling *s, uint32_t alias) {
  const wsql_relation *of = &s->job->q->relations[s->f->reading->aliases[alias].relation];
  uint32_t begin = s->f->reading->of_alias[alias], end = s->f->reading->of_alias[alias + 1];
  size_t n = 0;
  wb_mem_reset(&s->job->scratch);
  int64_t *low = WB_NEW_ARRAY(&s->job->scratch, int64_t, end - begin), *high = WB_NEW_ARRAY(&s->job->scratch, int64_t, end - begin);
  if (low == NULL || high == NULL) return wb_fail_memory(s->job->e);
  for (size_t i = 0; i < of->n_rows; i++) {
    const int64_t *row = of->rows + i * of->n_columns;
    if (!filters_pass(s->f, alias, row) || !bounds_pass(s->f, &s->f->m, alias, row)) continue;
    for (uint32_t v = begin; v < end; v++) {
      int64_t x = row[s->f->reading->vertices[v].column];
      if (n == 0 || x < low[v - begin]) low[v - begin] = x;
      if (n == 0 || x > high[v - begin]) high[v - begin] = x;
    }
    n++;
  }
  s->f->n_rows[alias] = n;
  s->is_empty |= n == 0;
  for (uint32_t v = begin; v < end && !s->is_empty; v++) {
    WB_TRY(move(s, v, 0, -(wsql_int)low[v - begin]));
    WB_TRY(move(s, 0, v, high[v - begin]));
  }
  return wsql_spend(s->job, of->n_rows * row_steps(s->f, alias));
}

/* Is there a choice of one row for each table alias that fits together?  Rows are tried in turn; what is chosen for an alias is added to a copy of the
** matrix, and so leaves fewer rows for the next.  The last alias needs no search: any row that passes extends to a solution. */
static weir_code choose_rows(settling *s, const uint32_t *tables, uint32_t n) {
  wsql_matrix m[WSQL_MAX_COPIES];
  size_t at[WSQL_MAX_COPIES] = {0};
  uint32_t level = 0;
  if (n < 2) return WEIR_OK;
  wb_mem_reset(&s->job->scratch);
  m[0] = s->f->m;
  for (uint32_t i = 1; i < n; i++) WB_TRY(wsql_matrix_copy(s->job, &s->job->scratch, &s->f->m, &m[i]));
  for (;;) {
    uint32_t alias = tables[level];
    const wsql_relation *of = &s->job->q->relations[s->f->reading->aliases[alias].relation];
    const int64_t *row = NULL;
    for (; at[level] < of->n_rows && row == NULL; at[level]++) {
      row = of->rows + at[level] * of->n_columns;
      WB_TRY(wsql_spend(s->job, row_steps(s->f, alias)));
      if (!filters_pass(s->f, alias, row) || !bounds_pass(s->f, &m[level], alias, row)) row = NULL;
    }
    if (row != NULL && level + 1 == n) return WEIR_OK;
    if (row == NULL && level-- == 0) {
      s->is_empty = true;
      return WEIR_OK;
    }
    if (row == NULL) continue;
    memcpy(m[level + 1].d, m[level].d, (size_t)m[level].n * m[level].n * sizeof *m[level].d);
    bool is_empty = false;
    for (uint32_t v = s->f->reading->of_alias[alias]; v < s->f->reading->of_alias[alias + 1] && !is_empty; v++) {
      WB_TRY(wsql_tighten(s->job, &m[level + 1], v, 0, -cell(s->f, row, v), &is_empty));
      if (!is_empty) WB_TRY(wsql_tighten(s->job, &m[level + 1], 0, v, cell(s->f, row, v), &is_empty));
    }
    if (is_empty) continue; /* the next row of this alias */
    at[++level] = 0;
  }
}

/* ---- All together ---- */

/* Drops the `<>` that hold anyway; one that has moved a bound between aliases is a bound now. */
static weir_code move_by_kept(settling *s) {
  size_t n = 0;
  for (size_t i = 0; i < s->f->unequal.n && !s->is_empty; i++) {
    wsql_edge u = s->f->unequal.at[i];
    wsql_int up = wsql_at(&s->f->m, u.from, u.to), down = wsql_at(&s->f->m, u.to, u.from);
    wsql_edge bound = up == u.w ? (wsql_edge){u.from, u.to, u.w - 1, u.pred} : (wsql_edge){u.to, u.from, -u.w - 1, u.pred};
    if (up < u.w || down < -u.w) continue;
    if (up != u.w && down != -u.w) {
      s->f->unequal.at[n++] = u;
      continue;
    }
    s->has_moved = true;
    WB_TRY(wsql_form_bound(s->job, s->f, bound, &s->is_empty));
  }
  s->f->unequal.n = n;
  return WEIR_OK;
}

weir_code wsql_form_settle(wsql_job *job, wsql_form *f, bool *is_empty) {
  settling s = {.job = job, .f = f};
  uint32_t tables[WSQL_MAX_COPIES], n_tables = 0;
  for (uint32_t k = 0; k < f->reading->n_aliases; k++)
    if (wsql_is_table(job, f, k)) tables[n_tables++] = k;
  do {
    s.has_moved = false;
    for (size_t i = 0; i < f->filters.n && !s.is_empty; i++) {
      const wsql_filter *filter = &f->filters.at[i];
      WB_TRY(filter->of->kind == WSQL_PRED_CMP ? move_by_unequal(&s, filter->x, filter->y, filter->plus) : move_by_set(&s, filter));
    }
    for (uint32_t i = 0; i < n_tables && !s.is_empty; i++) WB_TRY(move_by_table(&s, tables[i]));
    if (!s.is_empty) WB_TRY(move_by_kept(&s));
    WB_TRY(wsql_spend(job, f->filters.n + f->unequal.n));
  } while (s.has_moved && !s.is_empty);
  if (!s.is_empty) WB_TRY(choose_rows(&s, tables, n_tables));
  *is_empty = s.is_empty;
  return WEIR_OK;
}
