/* frontend/sql_solve.c -- several results of one piece at once. */
#include "frontend/sql_solve.h"

/* Points meet only in 0, so the closure of all is known: from one to another by way of 0. */
weir_code wsql_points_make(wsql_job *job, const wsql_piece *p, uint32_t n, uint32_t n_moments, wsql_points *out) {
  uint32_t per = p->n_vertices - 1;
  *out = (wsql_points){.job = job, .p = p, .n = n, .n_moments = n_moments};
  wb_mem_drop(&job->scratch);
  WB_TRY(wsql_matrix_make(job, &job->scratch, 1 + n * per + n_moments, &out->m));
  out->values = WB_NEW_ARRAY(&job->scratch, int64_t, out->m.n);
  if (out->values == NULL) return wb_fail_memory(job->e);
  for (uint32_t i = 0; i < 1 + n * per; i++)
    for (uint32_t j = 0; j < 1 + n * per; j++) {
      uint32_t u = i == 0 ? 0 : 1 + (i - 1) % per, v = j == 0 ? 0 : 1 + (j - 1) % per;
      bool is_one = i == 0 || j == 0 || (i - 1) / per == (j - 1) / per;
      const wsql_int *d = p->d;
      out->m.d[(size_t)i * out->m.n + j] = is_one ? d[u * p->n_vertices + v] : wsql_add(d[u * p->n_vertices], d[v]);
    }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t v = 1; v < p->n_vertices; v++) {
      bool is_time = p->vertices[v].is_time;
      WB_TRY(wsql_points_bound(out, wsql_point_at(out, i, v), 0, is_time ? 1 : -(wsql_int)INT64_MIN));
      WB_TRY(wsql_points_bound(out, 0, wsql_point_at(out, i, v), is_time ? WSQL_TIME_MAX : INT64_MAX));
    }
  for (uint32_t i = 0; i < n_moments; i++) {
    WB_TRY(wsql_points_bound(out, wsql_moment_at(out, i), 0, 1));
    WB_TRY(wsql_points_bound(out, 0, wsql_moment_at(out, i), WSQL_TIME_MAX));
  }
  return WEIR_OK;
}

weir_code wsql_points_bound(wsql_points *s, uint32_t from, uint32_t to, wsql_int w) {
  return s->is_empty ? WEIR_OK : wsql_tighten(s->job, &s->m, from, to, w, &s->is_empty);
}

weir_code wsql_points_fix(wsql_points *s, uint32_t a, uint32_t b, wsql_int distance) {
  WB_TRY(wsql_points_bound(s, a, b, distance));
  return wsql_points_bound(s, b, a, -distance);
}

/* ---- Values ---- */

static wsql_int low_of(const wsql_points *s, uint32_t variable) { return -wsql_at(&s->m, variable, 0); }
static wsql_int high_of(const wsql_points *s, uint32_t variable) { return wsql_at(&s->m, 0, variable); }
static bool is_fixed(const wsql_points *s, uint32_t variable) { return low_of(s, variable) == high_of(s, variable); }

/* Is the value one that no filter on it refuses, beside the values that are fixed?  Else *next is where to look further; WSQL_INF: nowhere. */
static bool passes(const wsql_points *s, uint32_t point, uint32_t vertex, wsql_int value, bool is_upward, wsql_int *next) {
  for (uint32_t i = 0; i < s->p->n_filters; i++) {
    const wsql_filter *f = &s->p->filters[i];
    wsql_int other = 0;
    if (f->x != vertex && (f->y != vertex || f->y == 0)) continue;
    if (f->y != 0) {
      uint32_t variable = wsql_point_at(s, point, f->x == vertex ? f->y : f->x);
      if (!is_fixed(s, variable)) continue;
      other = low_of(s, variable);
    }
    bool is_right = f->x != vertex; /* of x <> y + c, where x is fixed */
    *next = is_right ? value : wsql_filter_next(f, value, other, is_upward);
    if (is_right && wsql_filter_next(f, other, value, true) != other) *next = value + (is_upward ? 1 : -1);
    if (*next != value) return false;
  }
  for (uint32_t i = 0; i < s->p->n_unequal; i++) { /* kept `<>` of the same point */
    wsql_edge e = s->p->unequal[i];
    uint32_t other = wsql_point_at(s, point, e.to == vertex ? e.from : e.to);
    if ((e.to != vertex && e.from != vertex) || !is_fixed(s, other) || value - low_of(s, other) != (e.to == vertex ? e.w : -e.w)) continue;
    *next = value + (is_upward ? 1 : -1);
    return false;
  }
  return true;
}

enum { MOST_TRIES = 200 };

/* The least value where there is one, else the greatest, else one near 0: so points stay as close together as their bounds let them.  Other attempts
** begin elsewhere, in case a hole of a filter lies between them. */
static weir_code choose(wsql_points *s, uint32_t point, uint32_t vertex, uint32_t attempt, bool *is_chosen) {
  uint32_t variable = wsql_point_at(s, point, vertex);
  wsql_int low = low_of(s, variable), high = high_of(s, variable), far = (wsql_int)1 << 61, next;
  bool has_low = low > -far, has_high = high < far, is_upward = has_low || !has_high;
  wsql_int away = point == 0 || (!has_low && !has_high) ? attempt * (wsql_int)17 * (1 + vertex % 3) : 0;
  wsql_int value = WB_MAX(low, WB_MIN(high, has_low ? low + away : has_high ? high - away : away));
  *is_chosen = false;
  for (int i = 0; i < MOST_TRIES && low <= value && value <= high && !*is_chosen; i++) {
    *is_chosen = passes(s, point, vertex, value, is_upward, &next);
    if (!*is_chosen) value = next;
  }
  if (*is_chosen) WB_TRY(wsql_points_fix(s, 0, variable, value));
  return wsql_spend(s->job, (uint64_t)s->p->n_filters * 8 + 8);
}

/* ---- Rows of tables ---- */

static bool row_fits(const wsql_points *s, uint32_t point, uint32_t alias, const int64_t *row) {
  wsql_int next;
  for (uint32_t v = 1; v < s->p->n_vertices; v++) {
    uint32_t variable = wsql_point_at(s, point, v);
    if (s->p->vertices[v].alias != alias || s->p->vertices[v].is_time) continue;
    wsql_int value = row[s->p->vertices[v].column];
    if (value < low_of(s, variable) || value > high_of(s, variable) || !passes(s, point, v, value, true, &next)) return false;
    for (uint32_t u = 1; u < v; u++) {
      uint32_t other = wsql_point_at(s, point, u);
      if (s->p->vertices[u].alias != alias || s->p->vertices[u].is_time) continue;
      wsql_int distance = value - row[s->p->vertices[u].column];
      if (distance > wsql_at(&s->m, other, variable) || -distance > wsql_at(&s->m, variable, other)) return false;
    }
  }
  return true;
}

static weir_code choose_row(wsql_points *s, uint32_t point, uint32_t alias, uint32_t attempt, bool *is_chosen) {
  const wsql_relation *of = &s->job->q->relations[s->p->aliases[alias].relation];
  *is_chosen = false;
  for (size_t i = 0; i < of->n_rows && !*is_chosen; i++) {
    const int64_t *row = of->rows + (i + attempt) % of->n_rows * of->n_columns;
    WB_TRY(wsql_spend(s->job, s->p->n_vertices));
    if (!row_fits(s, point, alias, row)) continue;
    *is_chosen = true;
    for (uint32_t v = 1; v < s->p->n_vertices; v++) {
      if (s->p->vertices[v].alias != alias || s->p->vertices[v].is_time) continue;
      WB_TRY(wsql_points_fix(s, 0, wsql_point_at(s, point, v), row[s->p->vertices[v].column]));
    }
    *is_chosen = !s->is_empty;
  }
  return WEIR_OK;
}

/* ---- All ---- */

static bool is_filtered(const wsql_piece *p, uint32_t vertex) {
  for (uint32_t i = 0; i < p->n_filters; i++)
    if (p->filters[i].x == vertex || (p->filters[i].y == vertex && vertex != 0)) return true;
  return false;
}

weir_code wsql_points_solve(wsql_points *s, uint32_t attempt, bool *is_solved) {
  *is_solved = !s->is_empty;
  for (uint32_t i = 0; i < s->n && *is_solved; i++) /* what has least choice comes first */
    for (uint32_t a = 0; a < s->p->n_aliases && *is_solved; a++)
      if (!wsql_is_stream(&s->job->q->relations[s->p->aliases[a].relation])) WB_TRY(choose_row(s, i, a, attempt, is_solved));
  for (int free = 0; free < 2; free++)
    for (uint32_t i = 0; i < s->n && *is_solved; i++)
      for (uint32_t v = 1; v < s->p->n_vertices && *is_solved; v++)
        if (is_filtered(s->p, v) == (free == 0)) WB_TRY(choose(s, i, v, attempt, is_solved));
  for (uint32_t i = 0; i < s->n_moments && *is_solved; i++) WB_TRY(wsql_points_fix(s, 0, wsql_moment_at(s, i), low_of(s, wsql_moment_at(s, i))));
  *is_solved &= !s->is_empty;
  for (uint32_t i = 0; i < s->m.n && *is_solved; i++) s->values[i] = (int64_t)(i == 0 ? 0 : low_of(s, i));
  return WEIR_OK;
}
