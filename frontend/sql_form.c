/* frontend/sql_form.c -- from predicates to pieces: bounds, filters, and a piece for each side of a `<>` that is split. */
#include "frontend/sql_form.h"

#include <string.h>

typedef struct maker {
  wsql_job *job;
  const wsql_reading *r;
} maker;

static weir_code form_make(maker *m, wsql_form *f) {
  *f = (wsql_form){.reading = m->r, .n_rows = WB_NEW_ARRAY(m->job->mem, size_t, m->r->n_aliases)};
  if (f->n_rows == NULL) return wb_fail_memory(m->job->e);
  return wsql_matrix_make(m->job, m->job->mem, m->r->n_vertices, &f->m);
}

/* Forms stay until the verdict ends, unlike what an examination takes: so they cost more steps. */
static weir_code form_copy(wsql_job *job, const wsql_form *from, wsql_form *to) {
  *to = (wsql_form){.reading = from->reading, .n_rows = WB_NEW_ARRAY(job->mem, size_t, from->reading->n_aliases), .filters = from->filters};
  if (to->n_rows == NULL) return wb_fail_memory(job->e);
#define COPY(vec) do { \
    if (!WB_VEC_ROOM(job->mem, &to->vec, from->vec.n)) return wb_fail_memory(job->e); \
    to->vec.n = from->vec.n; \
    if (from->vec.n != 0) memcpy(to->vec.at, from->vec.at, from->vec.n * sizeof *from->vec.at); \
  } while (0)
  COPY(bounds);
  COPY(checks);
  COPY(unequal);
#undef COPY
  WB_TRY(wsql_spend(job, (uint64_t)from->m.n * from->m.n * 48 + from->bounds.n + from->checks.n));
  return wsql_matrix_copy(job, job->mem, &from->m, &to->m);
}

weir_code wsql_form_bound(wsql_job *job, wsql_form *f, wsql_edge b, bool *is_empty) {
  bool is_check = b.from == 0 || b.to == 0 || wsql_alias_of(f, b.from) == wsql_alias_of(f, b.to);
  WB_TRY(wsql_tighten(job, &f->m, b.from, b.to, b.w, is_empty));
  if (*is_empty) return WEIR_OK;
  return (is_check ? WB_PUSH(job->mem, &f->checks, b) : WB_PUSH(job->mem, &f->bounds, b)) ? WEIR_OK : wb_fail_memory(job->e);
}

weir_code wsql_form_narrow(wsql_job *job, const wsql_form *f, wsql_edge bound, wsql_form *out, bool *is_empty) {
  WB_TRY(form_copy(job, f, out));
  WB_TRY(wsql_form_bound(job, out, bound, is_empty));
  if (!*is_empty) WB_TRY(wsql_form_settle(job, out, is_empty));
  return *is_empty ? WEIR_OK : wsql_form_reduce(job, out);
}

/* ---- Predicates ---- */

static weir_code add_times(maker *m, wsql_form *f, bool *is_empty) {
  for (uint32_t k = 0; k < m->r->n_aliases && !*is_empty; k++) {
    const wsql_relation *of = &m->job->q->relations[m->r->aliases[k].relation];
    uint32_t time = 1 + k;
    bool is_stream = wsql_is_stream(of);
    *is_empty = of->has_rate && of->rate == 0; /* no row ever arrives */
    if (*is_empty) return WEIR_OK;
    WB_TRY(wsql_form_bound(m->job, f, (wsql_edge){time, 0, is_stream ? 0 : 1, WSQL_NONE}, is_empty));
    if (!is_stream) WB_TRY(wsql_form_bound(m->job, f, (wsql_edge){0, time, -1, WSQL_NONE}, is_empty));
    else if (of->has_until) WB_TRY(wsql_form_bound(m->job, f, (wsql_edge){0, time, (wsql_int)of->until, WSQL_NONE}, is_empty));
  }
  return WEIR_OK;
}

/* x_left cmp x_right + c. */
static weir_code add_order(maker *m, wsql_form *f, uint32_t left, wsql_cmp cmp, uint32_t right, wsql_int c, uint32_t pred, bool *is_empty) {
  if (cmp != WSQL_GE && cmp != WSQL_GT) WB_TRY(wsql_form_bound(m->job, f, (wsql_edge){right, left, c - (cmp == WSQL_LT), pred}, is_empty));
  if (*is_empty || cmp == WSQL_LT || cmp == WSQL_LE) return WEIR_OK;
  return wsql_form_bound(m->job, f, (wsql_edge){left, right, -c - (cmp == WSQL_GT), pred}, is_empty);
}

static weir_code add_filter(maker *m, wsql_form *f, wsql_filter filter) {
  return WB_PUSH(m->job->mem, &f->filters, filter) ? WEIR_OK : wb_fail_memory(m->job->e);
}

static weir_code add_pred(maker *m, wsql_form *f, uint32_t i, bool *is_empty) {
  const wsql_pred *p = &m->r->preds[i];
  uint32_t left = wsql_vertex_of(m->r, p->left), right = wsql_vertex_of(m->r, p->right), pred = m->r->origins[i];
  if (p->kind != WSQL_PRED_CMP) {
    if (left != 0) return add_filter(m, f, (wsql_filter){.x = left, .plus = p->left.plus, .of = p});
    *is_empty = !wsql_set_holds(p, p->left.plus);
    return wsql_spend(m->job, p->n_set);
  }
  wsql_int c = p->right.plus - p->left.plus;
  if (left == right) *is_empty = !wsql_cmp_holds(0, p->cmp, c);
  else if (p->cmp != WSQL_NE) return add_order(m, f, left, p->cmp, right, c, pred, is_empty);
  else if (left == 0) return add_filter(m, f, (wsql_filter){.x = right, .y = 0, .plus = -c, .of = p});
  else if (right == 0 || wsql_alias_of(f, left) == wsql_alias_of(f, right)) return add_filter(m, f, (wsql_filter){.x = left, .y = right, .plus = c, .of = p});
  else if (!WB_PUSH(m->job->mem, &f->unequal, (wsql_edge){right, left, c, pred})) return wb_fail_memory(m->job->e);
  return WEIR_OK;
}

/* ---- Splitting `<>` ---- */

static bool is_split(const maker *m, const wsql_form *f, const wsql_edge *unequal) {
  return !m->r->keeps_unequal || wsql_is_time(f, unequal->from);
}

/* x_to < x_from + w, or x_to > x_from + w.  The second form takes the place of the first where only one is possible. */
static weir_code split(maker *m, wsql_forms *forms, size_t at, wsql_edge unequal) {
  wsql_job *job = m->job;
  wsql_form above;
  bool below_is_empty = false, above_is_empty = false;
  WB_TRY(form_copy(job, &forms->at[at], &above));
  WB_TRY(wsql_form_bound(job, &forms->at[at], (wsql_edge){unequal.from, unequal.to, unequal.w - 1, unequal.pred}, &below_is_empty));
  WB_TRY(wsql_form_bound(job, &above, (wsql_edge){unequal.to, unequal.from, -unequal.w - 1, unequal.pred}, &above_is_empty));
  if (!above_is_empty && below_is_empty) forms->at[at] = above;
  else if (!above_is_empty && !WB_PUSH(job->mem, forms, above)) return wb_fail_memory(job->e);
  else if (above_is_empty && below_is_empty) forms->at[at] = WB_POP(forms);
  return WEIR_OK;
}

static weir_code split_all(maker *m, wsql_forms *forms, size_t most, bool *is_too_many) {
  WB_VEC(wsql_edge) all = {0}, kept = {0};
  for (size_t i = 0; i < forms->at[0].unequal.n; i++) {
    wsql_edge u = forms->at[0].unequal.at[i];
    if (!(is_split(m, &forms->at[0], &u) ? WB_PUSH(m->job->mem, &all, u) : WB_PUSH(m->job->mem, &kept, u))) return wb_fail_memory(m->job->e);
  }
  forms->at[0].unequal.n = 0;
  for (size_t i = 0; i < kept.n; i++) forms->at[0].unequal.at[forms->at[0].unequal.n++] = kept.at[i]; /* there was room for all */
  for (size_t i = 0; i < all.n; i++) {
    for (size_t k = forms->n; k-- > 0;) WB_TRY(split(m, forms, k, all.at[i])); /* from the end: what is added or moved there is done */
    if (forms->n > most) {
      *is_too_many = true;
      return WEIR_OK;
    }
  }
  return WEIR_OK;
}

weir_code wsql_forms_make(wsql_job *job, const wsql_reading *r, size_t most, wsql_forms *out, bool *is_too_many) {
  maker m = {.job = job, .r = r};
  wsql_form f;
  bool is_empty = false;
  *out = (wsql_forms){0};
  *is_too_many = false;
  WB_TRY(form_make(&m, &f));
  WB_TRY(add_times(&m, &f, &is_empty));
  for (uint32_t i = 0; i < r->n_preds && !is_empty; i++) WB_TRY(add_pred(&m, &f, i, &is_empty));
  if (is_empty) return WEIR_OK;
  if (!WB_PUSH(job->mem, out, f)) return wb_fail_memory(job->e);
  WB_TRY(split_all(&m, out, most, is_too_many));
  size_t n = 0;
  for (size_t i = 0; i < out->n && !*is_too_many; i++) {
    WB_TRY(wsql_form_settle(job, &out->at[i], &is_empty));
    if (is_empty) continue;
    WB_TRY(wsql_form_reduce(job, &out->at[i]));
    out->at[n++] = out->at[i];
  }
  out->n = n;
  return WEIR_OK;
}
