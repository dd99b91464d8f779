/* frontend/sql_written.c -- what was written, as a box of bits or as rows that are kept for some steps.
**
** A piece is a box when each column of its result is bounded with 0 or with a column of a finite stream or table.  Else it needs a *lag column*: a time in
** the select list that no time in a result is much later than, so that a row can be written again only within some steps. */
#include "frontend/sql_written.h"

static bool is_bounded_by(const wsql_form *f, uint32_t x, uint32_t v) { return wsql_at(&f->m, x, v) < WSQL_INF && wsql_at(&f->m, v, x) < WSQL_INF; }

static bool is_boxed(const wsql_form *f, uint32_t x) {
  if (is_bounded_by(f, x, 0)) return true;
  for (uint32_t v = 1; v < f->m.n; v++)
    if (wsql_is_finite(f, wsql_alias_of(f, v)) && is_bounded_by(f, x, v)) return true;
  return false;
}

/* The first column of the result that is not bounded; WSQL_NONE: the form is a box. */
static uint32_t find_open(const wsql_form *f) {
  for (uint32_t i = 0; i < f->reading->n_outs; i++)
    if (!is_boxed(f, f->outs[i].vertex)) return f->outs[i].vertex;
  return WSQL_NONE;
}

static wsql_int lag_of(const wsql_job *job, const wsql_form *f, uint32_t time) {
  wsql_int lag = 0;
  for (uint32_t a = 0; a < f->reading->n_aliases; a++)
    if (!wsql_is_table(job, f, a)) lag = WB_MAX(lag, wsql_at(&f->m, time, 1 + a));
  return lag;
}

uint32_t wsql_lag_time(const wsql_job *job, const wsql_form *f, bool only_listed, wsql_int *lag) {
  uint32_t best = WSQL_NONE;
  *lag = WSQL_INF;
  for (uint32_t a = 0; a < f->reading->n_aliases; a++) {
    bool is_listed = !only_listed;
    for (uint32_t i = 0; i < f->reading->n_outs; i++) is_listed |= f->outs[i].vertex == 1 + a;
    wsql_int of = is_listed && !wsql_is_table(job, f, a) ? lag_of(job, f, 1 + a) : WSQL_INF;
    if (of >= *lag) continue;
    *lag = of;
    best = 1 + a;
  }
  return best;
}

weir_code wsql_written_check(wsql_job *job, const wsql_unit *unit, uint32_t *faulty, uint32_t *vertex) {
  *faulty = WSQL_NONE;
  for (uint32_t i = 0; i < unit->n && *faulty == WSQL_NONE; i++) {
    const wsql_form *f = &unit->forms[i];
    wsql_int lag;
    WB_TRY(wsql_spend(job, (uint64_t)f->m.n * f->reading->n_outs));
    *vertex = find_open(f);
    if (*vertex != WSQL_NONE && wsql_lag_time(job, f, true, &lag) == WSQL_NONE) *faulty = i;
  }
  return WEIR_OK;
}

/* ---- Boxes ---- */

/* Values of column i of the result for each combination of the ones before; WSQL_INF: it is relative to a finite column. */
static wsql_int column_range(const wsql_form *f, uint32_t i) {
  uint32_t x = f->outs[i].vertex;
  wsql_int least = x == 0 ? 0 : wsql_add(wsql_at(&f->m, 0, x), wsql_at(&f->m, x, 0));
  for (uint32_t k = 0; k < i; k++) {
    uint32_t before = f->outs[k].vertex;
    if (before != 0) least = WB_MIN(least, wsql_add(wsql_at(&f->m, x, before), wsql_at(&f->m, before, x)));
  }
  return wsql_add(least, 1);
}

static weir_code finite_range(wsql_job *job, const wsql_form *f, uint32_t x, wsql_mono *out) {
  bool is_none = true;
  for (uint32_t v = 1; v < f->m.n; v++) {
    uint32_t a = wsql_alias_of(f, v);
    wsql_mono live;
    if (!wsql_is_finite(f, a) || !is_bounded_by(f, x, v)) continue;
    WB_TRY(wsql_live(job, f, a, wsql_count(wsql_at(&f->m, 0, 1 + a) + wsql_at(&f->m, 1 + a, 0) + 1, 1), &live));
    live.times = wsql_times(live.times, wsql_count(wsql_at(&f->m, v, x) + wsql_at(&f->m, x, v) + 1, 1));
    if (is_none || live.n_rates < out->n_rates || (live.n_rates == out->n_rates && live.times < out->times)) *out = live;
    is_none = false;
  }
  return WEIR_OK;
}

static weir_code box_size(wsql_job *job, const wsql_form *f, wsql_mono *out) {
  *out = WSQL_ONE;
  for (uint32_t i = 0; i < f->reading->n_outs; i++) {
    wsql_int range = column_range(f, i);
    wsql_mono factor = {.times = wsql_count(range, 1)};
    if (range >= WSQL_INF) WB_TRY(finite_range(job, f, f->outs[i].vertex, &factor));
    WB_TRY(wsql_mono_mul(job, *out, factor, out));
  }
  return WEIR_OK;
}

/* The values of a column of the result, where 0 bounds it: low <= x <= high. */
static bool column_box(const wsql_form *f, uint32_t i, wsql_int *low, wsql_int *high) {
  wsql_out o = f->outs[i];
  *low = o.plus - wsql_at(&f->m, o.vertex, 0);
  *high = o.plus + wsql_at(&f->m, 0, o.vertex);
  return is_bounded_by(f, o.vertex, 0);
}

/* The box around all pieces; UINT64_MAX where there is none. */
static uint64_t hull_size(const wsql_unit *u) {
  uint64_t size = 1;
  for (uint32_t i = 0; i < u->forms[0].reading->n_outs; i++) {
    wsql_int low = WSQL_INF, high = -WSQL_INF;
    for (uint32_t k = 0; k < u->n; k++) {
      wsql_int a, b;
      if (!column_box(&u->forms[k], i, &a, &b)) return UINT64_MAX;
      low = WB_MIN(low, a);
      high = WB_MAX(high, b);
    }
    size = wsql_times(size, wsql_count(high - low + 1, 1));
  }
  return size;
}

static weir_code add_boxes(wsql_job *job, const wsql_unit *u, wsql_mono width, wsql_poly *to) {
  for (uint32_t i = 0; i < u->n; i++) {
    wsql_mono size;
    if (find_open(&u->forms[i]) != WSQL_NONE) continue;
    WB_TRY(box_size(job, &u->forms[i], &size));
    WB_TRY(wsql_mono_mul(job, size, width, &size));
    WB_TRY(wsql_poly_add(job, to, size));
  }
  return WEIR_OK;
}

/* ---- Rows that are kept for some steps ---- */

typedef struct lag_column { uint32_t at; wsql_int plus, lag; } lag_column; /* x <= t + plus when it is written, and t <= x - plus + lag */

static lag_column find_lag(const wsql_job *job, const wsql_form *f) {
  lag_column c = {0};
  uint32_t time = wsql_lag_time(job, f, true, &c.lag);
  while (f->outs[c.at].vertex != time) c.at++;
  c.plus = f->outs[c.at].plus;
  return c;
}

/* Steps [0 .. n) and a few other stretches of steps, of which all rows must be kept: how many steps they are at most together. */
typedef struct heads { wsql_int sum, low, high; } heads;

static void add_head(heads *h, wsql_int first, wsql_int last) {
  first = WB_MAX(first, 0);
  if (last < first) return;
  h->sum += last - first + 1;
  h->low = WB_MIN(h->low, first);
  h->high = WB_MAX(h->high, last);
}

/* For how many steps rows of form `of` must be kept, because another may write them again. */
static uint64_t steps_kept(const wsql_job *job, const wsql_unit *u, uint32_t of) {
  const wsql_form *f = &u->forms[of];
  lag_column own = find_lag(job, f);
  heads h = {.low = WSQL_INF, .high = -1};
  wsql_int recent = 0;
  for (uint32_t k = 0; k < u->n; k++) {
    const wsql_form *other = &u->forms[k];
    wsql_int low, high;
    if (column_box(other, own.at, &low, &high)) { /* only rows of the first steps have such values */
      add_head(&h, low - own.plus, high - own.plus + own.lag);
      continue;
    }
    lag_column theirs = find_lag(job, other);
    wsql_out o = f->outs[theirs.at]; /* its value y: the other one writes it no later than step y - plus + lag */
    if (o.vertex != 0) recent = WB_MAX(recent, o.plus + theirs.lag - theirs.plus);
    else add_head(&h, 0, o.plus + theirs.lag - theirs.plus - 1);
  }
  wsql_int head = h.high < 0 ? 0 : WB_MIN(h.sum, h.high - h.low + 1);
  return wsql_count(recent + head, 0);
}

/* Most rows that a piece writes in one step. */
static weir_code rows_per_step(wsql_job *job, const wsql_piece *p, wsql_poly *out) {
  *out = (wsql_poly){0};
  for (uint32_t i = 0; i < p->n_results; i++) {
    wsql_mono m = WSQL_ONE;
    for (uint32_t a = 0; a < p->n_aliases; a++) {
      wsql_mono rate;
      if (!(p->results[i].newest >> a & 1)) continue;
      WB_TRY(wsql_mono_rate(job, p->aliases[a].relation, &rate));
      WB_TRY(wsql_mono_mul(job, m, rate, &m));
    }
    for (uint32_t k = 0; k < p->results[i].n_parts; k++) {
      wsql_poly entries = p->synopses[p->results[i].parts[k]].entries; /* one term, or 0 */
      WB_TRY(wsql_mono_mul(job, m, entries.n == 0 ? (wsql_mono){0} : entries.terms[0], &m));
    }
    WB_TRY(wsql_poly_add(job, out, m));
  }
  return WEIR_OK;
}

weir_code wsql_written_make(wsql_job *job, const wsql_unit *unit, wsql_written *out) {
  *out = (wsql_written){.select = unit->select, .is_box = true};
  for (uint32_t i = 0; i < unit->n; i++) out->is_box &= find_open(&unit->forms[i]) == WSQL_NONE;
  wsql_mono width = {.times = out->is_box ? 1 : unit->forms[0].reading->n_outs};
  WB_TRY(add_boxes(job, unit, width, &out->cells));
  if (out->is_box) {
    uint64_t hull = hull_size(unit);
    if (out->cells.n != 1 || out->cells.terms[0].n_rates != 0 || out->cells.terms[0].times <= hull) return WEIR_OK;
    out->cells = (wsql_poly){0};
    return wsql_poly_add(job, &out->cells, (wsql_mono){.times = hull});
  }
  for (uint32_t i = 0; i < unit->n; i++) {
    wsql_poly rows;
    if (find_open(&unit->forms[i]) == WSQL_NONE) continue;
    uint64_t steps = steps_kept(job, unit, i);
    out->steps = WB_MAX(out->steps, steps);
    WB_TRY(rows_per_step(job, &unit->pieces[i], &rows));
    WB_TRY(wsql_poly_add_all(job, &out->cells, rows, (wsql_mono){.times = wsql_times(steps, width.times)}));
    WB_TRY(wsql_spend(job, (uint64_t)unit->n * unit->forms[i].m.n));
  }
  return WEIR_OK;
}
