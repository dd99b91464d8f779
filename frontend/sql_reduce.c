/* frontend/sql_reduce.c -- the edges of a piece: of the bounds between aliases, those that the others and the row checks do not imply.
**
** The row checks are all bounds of the closure within an alias and with 0; each arriving row passes them.  INT and TIMESTAMP columns meet only in 0, so
** the bounds of one kind never imply those of the other, and dropping them in one order or another leaves the same ones, but for equalities: of
** those that go round in a circle one with a finite stream stays, and of the others the last written one goes. */
#include "frontend/sql_form.h"

static weir_code find_same(wsql_job *job, wsql_form *f) {
  const wsql_reading *r = f->reading;
  for (uint32_t v = 0; v < r->n_vertices; v++) f->same[v] = v;
  for (uint32_t k = 0; k < r->n_aliases; k++)
    for (uint32_t v = r->of_alias[k]; v < r->of_alias[k + 1]; v++)
      for (uint32_t first = r->of_alias[k]; first < v; first++)
        if (wsql_add(wsql_at(&f->m, first, v), wsql_at(&f->m, v, first)) == 0) {
          f->same[v] = first;
          break;
        }
  return wsql_spend(job, r->n_vertices);
}

/* The same bound between the vertices that stand for its ends: x_v = x_same + d(same, v). */
static wsql_edge stand_for(const wsql_form *f, wsql_edge b) {
  uint32_t from = f->same[b.from], to = f->same[b.to];
  return (wsql_edge){from, to, b.w + wsql_at(&f->m, from, b.from) - wsql_at(&f->m, to, b.to), b.pred};
}

/* Adds the bound, or makes one between the same vertices tighter. */
static void merge_edge(wsql_edge *edges, uint32_t *n, wsql_edge e) {
  for (uint32_t i = 0; i < *n; i++) {
    if (edges[i].from != e.from || edges[i].to != e.to) continue;
    if (e.w < edges[i].w || (e.w == edges[i].w && edges[i].pred == WSQL_NONE)) edges[i] = e;
    return;
  }
  edges[(*n)++] = e;
}

static bool is_finite_stream(wsql_job *job, const wsql_form *f, uint32_t alias) {
  return !wsql_is_table(job, f, alias) && wsql_is_finite(f, alias);
}

/* Of columns that are equal, those of streams without end are tied to one of a finite stream, whose few rows say what their values can be: however the
** equalities are written, and in whatever order.  These edges come first, so that what they imply is dropped before them. */
static weir_code root_equalities(wsql_job *job, wsql_form *f) {
  const wsql_reading *r = f->reading;
  for (uint32_t root = 1 + r->n_aliases; root < r->n_vertices; root++) {
    if (f->same[root] != root || !is_finite_stream(job, f, wsql_alias_of(f, root))) continue;
    WB_TRY(wsql_spend(job, r->n_vertices));
    for (uint32_t v = 1 + r->n_aliases; v < r->n_vertices; v++) {
      bool is_endless = f->same[v] == v && !wsql_is_finite(f, wsql_alias_of(f, v));
      if (!is_endless || wsql_add(wsql_at(&f->m, root, v), wsql_at(&f->m, v, root)) != 0) continue;
      merge_edge(f->edges, &f->n_edges, (wsql_edge){root, v, wsql_at(&f->m, root, v), WSQL_NONE});
      merge_edge(f->edges, &f->n_edges, (wsql_edge){v, root, wsql_at(&f->m, v, root), WSQL_NONE});
    }
  }
  return WEIR_OK;
}

/* ---- Which are implied ---- */

typedef struct search {
  const wsql_form *f;
  wsql_int *dist;  /* by vertex: the least w found for x_vertex <= x_start + w */
  uint64_t steps;
} search;

/* From vertex v on by row checks: to the columns of its alias and 0, and from 0 to all. */
static void spread(search *s, uint32_t v) {
  const wsql_matrix *m = &s->f->m;
  for (uint32_t u = 0; u < m->n; u++) {
    if (v != 0 && u != 0 && wsql_alias_of(s->f, u) != wsql_alias_of(s->f, v)) continue;
    wsql_int way = wsql_add(s->dist[v], wsql_at(m, v, u));
    if (way < s->dist[u]) s->dist[u] = way;
  }
  s->steps += m->n;
  if (v != 0) spread(s, 0); /* once: 0 itself does not get here */
}

static bool is_implied(search *s, uint32_t without) {
  const wsql_form *f = s->f;
  wsql_edge e = f->edges[without];
  for (uint32_t v = 0; v < f->m.n; v++) s->dist[v] = v == e.from ? 0 : WSQL_INF;
  spread(s, e.from);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (uint32_t i = 0; i < f->n_edges; i++) {
      wsql_int way = wsql_add(s->dist[f->edges[i].from], f->edges[i].w);
      if (i == without || way >= s->dist[f->edges[i].to]) continue;
      s->dist[f->edges[i].to] = way;
      spread(s, f->edges[i].to);
      has_changed = true;
    }
    s->steps += f->n_edges;
  }
  return s->dist[e.to] <= e.w;
}

static weir_code drop_implied(wsql_job *job, wsql_form *f) {
  search s = {.f = f, .dist = WB_NEW_ARRAY(&job->scratch, wsql_int, f->m.n)};
  if (s.dist == NULL) return wb_fail_memory(job->e);
  for (int kind = 0; kind < 2; kind++) /* INT first */
    for (uint32_t i = f->n_edges; i-- > 0;) {
      if (wsql_is_time(f, f->edges[i].from) != (kind == 1) || !is_implied(&s, i)) continue;
      f->n_edges--;
      for (uint32_t k = i; k < f->n_edges; k++) f->edges[k] = f->edges[k + 1];
      WB_TRY(wsql_spend(job, s.steps));
      s.steps = 0;
    }
  return wsql_spend(job, s.steps);
}

/* Most edges that root_equalities can add: two for each pair of columns, of a finite stream and of one without end. */
static size_t n_rooted(wsql_job *job, const wsql_form *f) {
  size_t n_finite = 0, n_endless = 0;
  for (uint32_t v = 1 + f->reading->n_aliases; v < f->reading->n_vertices; v++) {
    uint32_t alias = wsql_alias_of(f, v);
    n_finite += is_finite_stream(job, f, alias);
    n_endless += !wsql_is_finite(f, alias);
  }
  return 2 * n_finite * n_endless;
}

weir_code wsql_form_reduce(wsql_job *job, wsql_form *f) {
  const wsql_reading *r = f->reading;
  wb_mem_reset(&job->scratch);
  f->same = WB_NEW_ARRAY(job->mem, uint32_t, r->n_vertices);
  f->edges = WB_NEW_ARRAY(job->mem, wsql_edge, f->bounds.n + n_rooted(job, f));
  f->differ = WB_NEW_ARRAY(job->mem, wsql_edge, f->unequal.n);
  f->outs = WB_NEW_ARRAY(job->mem, wsql_out, r->n_outs);
  if (f->same == NULL || f->edges == NULL || f->differ == NULL || f->outs == NULL) return wb_fail_memory(job->e);
  WB_TRY(find_same(job, f));
  f->n_edges = f->n_differ = 0;
  WB_TRY(root_equalities(job, f));
  for (size_t i = 0; i < f->bounds.n; i++) merge_edge(f->edges, &f->n_edges, stand_for(f, f->bounds.at[i]));
  for (size_t i = 0; i < f->unequal.n; i++) {
    wsql_edge e = stand_for(f, f->unequal.at[i]);
    bool is_there = false;
    for (uint32_t k = 0; k < f->n_differ; k++)
      is_there |= (f->differ[k].from == e.from && f->differ[k].to == e.to && f->differ[k].w == e.w) ||
                  (f->differ[k].from == e.to && f->differ[k].to == e.from && f->differ[k].w == -e.w);
    if (!is_there) f->differ[f->n_differ++] = e;
  }
  WB_TRY(wsql_spend(job, (uint64_t)f->bounds.n * f->n_edges + (uint64_t)f->unequal.n * f->n_differ));
  for (uint32_t i = 0; i < r->n_outs; i++) {
    wsql_out o = r->outs[i];
    uint32_t same = f->same[o.vertex];
    f->outs[i] = (wsql_out){same, o.plus + wsql_at(&f->m, same, o.vertex)};
  }
  return drop_implied(job, f);
}
