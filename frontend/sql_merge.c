/* frontend/sql_merge.c -- which cuts are one synopsis.
**
** Cuts with equal C whose rows come about in the same way hold the same combinations, whatever they wait for: one map serves them all.  It must
** then keep what each of them wants: its matrix is the weakest of theirs.  Where that is too weak, each keeps a map of its own. */
#include "frontend/sql_keys.h"

#include <string.h>

typedef struct merger {
  wsql_job *job;
  const wsql_cuts *cuts;
  uint32_t *class_of;          /* by cut */
  wsql_cut *classes;           /* one cut that stands for all of its class */
  uint32_t *maybe_later;       /* by class */
  uint32_t n_classes;
} merger;

static bool same_asks(const merger *m, const wsql_cut *a, const wsql_cut *b) {
  if (a->asks.n != b->asks.n) return false;
  for (size_t i = 0; i < a->asks.n; i++) {
    const wsql_ask *x = &a->asks.at[i], *y = &b->asks.at[i];
    if (x->newest != y->newest || x->n_parts != y->n_parts) return false;
    for (uint32_t k = 0; k < x->n_parts; k++)
      if (m->class_of[x->parts[k]] != m->class_of[y->parts[k]]) return false;
  }
  return true;
}

/* Makes `to` so weak that it serves the cut too. */
static void weaken(const wsql_form *f, wsql_cut *to, const wsql_cut *by) {
  size_t cells = (size_t)to->t.n * to->t.n;
  to->later &= by->later;
  for (size_t i = 0; i < cells; i++) to->t.d[i] = WB_MAX(to->t.d[i], by->t.d[i]);
  for (uint32_t e = 0; e < f->n_edges; e++) to->used[e] |= by->used[e];
  to->few &= by->few; /* few in all; so it is by the weaker matrix */
}

static weir_code copy_cut(merger *m, const wsql_cut *from, wsql_cut *to) {
  *to = *from;
  to->used = WB_NEW_ARRAY(&m->job->scratch, bool, m->cuts->f->n_edges);
  if (to->used == NULL) return wb_fail_memory(m->job->e);
  if (m->cuts->f->n_edges != 0) memcpy(to->used, from->used, m->cuts->f->n_edges);
  return wsql_matrix_copy(m->job, &m->job->scratch, &from->t, &to->t);
}

/* Does the cut pass the rules? */
static weir_code passes(merger *m, const wsql_cut *cut, bool *out) {
  wsql_cuts one = *m->cuts;
  wsql_findings findings;
  one.all.at = NULL;
  one.all.n = one.all.cap = 0;
  if (!WB_PUSH(&m->job->scratch, &one.all, *cut)) return wb_fail_memory(m->job->e);
  WB_TRY(wsql_rules_check(m->job, &one, &findings));
  *out = !findings.fault.is_fault;
  return WEIR_OK;
}

static void add_class(merger *m, const wsql_cut *cut, uint32_t maybe_later, const uint32_t *of, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) m->class_of[of[i]] = m->n_classes;
  m->classes[m->n_classes] = *cut;
  m->maybe_later[m->n_classes++] = maybe_later;
}

/* The class or classes of cut `first` and of those after it that come about like it. */
static weir_code merge_like(merger *m, uint32_t first, uint32_t *group) {
  const wsql_cuts *c = m->cuts;
  wsql_cut all;
  uint32_t maybe_later = 0, n = 0;
  bool is_weak_enough = true;
  WB_TRY(copy_cut(m, &c->all.at[first], &all));
  for (uint32_t k = first; k < c->all.n; k++) {
    const wsql_cut *cut = &c->all.at[k];
    if (m->class_of[k] != WSQL_NONE || cut->members != all.members || !same_asks(m, &c->all.at[first], cut)) continue;
    group[n++] = k;
    maybe_later |= cut->later;
    weaken(c->f, &all, cut);
  }
  if (n > 1) WB_TRY(passes(m, &all, &is_weak_enough));
  if (is_weak_enough) add_class(m, &all, maybe_later, group, n);
  for (uint32_t i = 0; i < n && !is_weak_enough; i++) add_class(m, &c->all.at[group[i]], c->all.at[group[i]].later, &group[i], 1);
  return wsql_spend(m->job, c->all.n);
}

/* ---- Into the piece ---- */

static weir_code keep_makings(merger *m, const uint32_t *number, const wsql_ask *asks, size_t n, const wsql_making **out, uint32_t *n_out) {
  wsql_making *makings = WB_NEW_ARRAY(m->job->mem, wsql_making, n);
  if (makings == NULL) return wb_fail_memory(m->job->e);
  for (size_t i = 0; i < n; i++) {
    uint32_t *parts = WB_NEW_ARRAY(m->job->mem, uint32_t, asks[i].n_parts);
    if (parts == NULL) return wb_fail_memory(m->job->e);
    for (uint32_t k = 0; k < asks[i].n_parts; k++) parts[k] = number[m->class_of[asks[i].parts[k]]];
    makings[i] = (wsql_making){.newest = asks[i].newest, .parts = parts, .n_parts = asks[i].n_parts};
  }
  *out = makings;
  *n_out = (uint32_t)n;
  return WEIR_OK;
}

/* The whole matrix of a cut, over the piece's vertices and NOW. */
static weir_code keep_matrix(merger *m, const wsql_cut *cut, const wsql_int **out) {
  uint32_t n = m->cuts->f->m.n + 1;
  WB_TRY(wsql_spend(m->job, (uint64_t)n * n * 64)); /* they stay */
  wsql_int *d = WB_NEW_ARRAY(m->job->mem, wsql_int, (size_t)n * n);
  if (d == NULL) return wb_fail_memory(m->job->e);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) d[(size_t)i * n + j] = wsql_cut_at(m->cuts, cut, i + 1 == n ? WSQL_NOW : i, j + 1 == n ? WSQL_NOW : j);
  *out = d;
  return WEIR_OK;
}

static weir_code keep_used(merger *m, const wsql_cut *cut, wsql_synopsis *s) {
  wsql_edge *used = WB_NEW_ARRAY(m->job->mem, wsql_edge, m->cuts->f->n_edges);
  if (used == NULL) return wb_fail_memory(m->job->e);
  for (uint32_t e = 0; e < m->cuts->f->n_edges; e++)
    if (cut->used[e]) used[s->n_used++] = m->cuts->f->edges[e];
  s->used = used;
  return WEIR_OK;
}

static weir_code keep_class(merger *m, uint32_t class, const uint32_t *number, wsql_synopsis *s) {
  const wsql_cut *cut = &m->classes[class];
  *s = (wsql_synopsis){.members = cut->members, .later = cut->later, .maybe_later = m->maybe_later[class], .few = cut->few};
  WB_TRY(keep_makings(m, number, cut->asks.at, cut->asks.n, &s->makings, &s->n_makings));
  WB_TRY(keep_matrix(m, cut, &s->d));
  WB_TRY(keep_used(m, cut, s));
  return wsql_keys_make(m->job, m->cuts, cut, s);
}

weir_code wsql_synopses_make(wsql_job *job, const wsql_form *f, wsql_piece *to) {
  wsql_cuts cuts;
  WB_TRY(wsql_cuts_make(job, f, &cuts));
  merger m = {.job = job, .cuts = &cuts, .class_of = WB_NEW_ARRAY(&job->scratch, uint32_t, cuts.all.n),
              .classes = WB_NEW_ARRAY(&job->scratch, wsql_cut, cuts.all.n), .maybe_later = WB_NEW_ARRAY(&job->scratch, uint32_t, cuts.all.n)};
  uint32_t *number = WB_NEW_ARRAY(&job->scratch, uint32_t, cuts.all.n), *group = WB_NEW_ARRAY(&job->scratch, uint32_t, cuts.all.n);
  if (m.class_of == NULL || m.classes == NULL || m.maybe_later == NULL || number == NULL || group == NULL) return wb_fail_memory(job->e);
  for (size_t i = 0; i < cuts.all.n; i++) m.class_of[i] = WSQL_NONE;
  for (uint32_t size = 1; size <= f->reading->n_aliases; size++) /* the parts of a cut are smaller */
    for (uint32_t i = 0; i < cuts.all.n; i++)
      if (m.class_of[i] == WSQL_NONE && (uint32_t)__builtin_popcount(cuts.all.at[i].members) == size) WB_TRY(merge_like(&m, i, group));
  /* Larger C first: the reverse of the classes' order. */
  wsql_synopsis *synopses = WB_NEW_ARRAY(job->mem, wsql_synopsis, m.n_classes);
  if (synopses == NULL) return wb_fail_memory(job->e);
  for (uint32_t i = 0; i < m.n_classes; i++) number[i] = m.n_classes - 1 - i;
  for (uint32_t i = 0; i < m.n_classes; i++) WB_TRY(keep_class(&m, i, number, &synopses[number[i]]));
  to->synopses = synopses;
  to->n_synopses = m.n_classes;
  return keep_makings(&m, number, cuts.results.at, cuts.results.n, &to->results, &to->n_results);
}
