/* frontend/sql_split.c -- splitting a piece in two where two bounds compete.
**
** If a later row has to pass x_j <= x_i + w and x_j <= x_i' + w' with i and i' of one alias, then for rows of that alias with x_i + w <= x_i' + w' the
** second is redundant, and for the others the first: each half has an extreme less to keep.  Likewise for two bounds from below, and where one of the two
** is a constant.  Else, if two columns of a later alias are at a bounded distance, the distance is halved until they are one attribute. */
#include "frontend/sql_split.h"

typedef struct halves { wsql_edge at[2]; } halves; /* the piece is equal to both together */

typedef struct splitter {
  wsql_job *job;
  const wsql_form *f;
  halves *to;
  wsql_int *dist; /* by vertex */
} splitter;

/* x_to <= x_from + w, or not.  True where both halves can have rows. */
static bool offer(splitter *s, uint32_t from, uint32_t to, wsql_int w) {
  if (w >= wsql_at(&s->f->m, from, to) || wsql_at(&s->f->m, to, from) <= -w - 1) return false;
  s->to->at[0] = (wsql_edge){from, to, w, WSQL_NONE};
  s->to->at[1] = (wsql_edge){to, from, -w - 1, WSQL_NONE};
  return true;
}

/* ---- Two edges ---- */

static bool try_edges(splitter *s, wsql_edge a, wsql_edge b) {
  const wsql_form *f = s->f;
  if (a.to == b.to && a.from != b.from && wsql_alias_of(f, a.from) == wsql_alias_of(f, b.from)) return offer(s, b.from, a.from, b.w - a.w);
  if (a.from == b.from && a.to != b.to && wsql_alias_of(f, a.to) == wsql_alias_of(f, b.to)) return offer(s, b.to, a.to, a.w - b.w);
  return false;
}

/* ---- An edge and a constant ---- */

static bool relax(splitter *s, const wsql_edge *e, size_t n, wsql_edge without, bool is_backward) {
  bool has_changed = false;
  for (size_t i = 0; i < n; i++) {
    if (s->f->same[e[i].from] == without.from && s->f->same[e[i].to] == without.to) continue;
    uint32_t from = is_backward ? e[i].to : e[i].from, to = is_backward ? e[i].from : e[i].to;
    wsql_int way = wsql_add(s->dist[from], e[i].w);
    if (way >= s->dist[to]) continue;
    s->dist[to] = way;
    has_changed = true;
  }
  return has_changed;
}

/* The bound of a vertex with 0 as all that was said implies it, but for the edge: x_vertex <= *out; if is_backward: 0 <= x_vertex + *out. */
static weir_code bound_without(splitter *s, wsql_edge without, uint32_t vertex, bool is_backward, wsql_int *out) {
  const wsql_form *f = s->f;
  for (uint32_t v = 0; v < f->m.n; v++) s->dist[v] = v == 0 ? 0 : WSQL_INF;
  for (bool has_changed = true; has_changed;) {
    has_changed = relax(s, f->bounds.at, f->bounds.n, without, is_backward);
    has_changed |= relax(s, f->checks.at, f->checks.n, without, is_backward);
    WB_TRY(wsql_spend(s->job, f->bounds.n + f->checks.n));
  }
  *out = s->dist[vertex];
  return WEIR_OK;
}

static weir_code try_constant(splitter *s, wsql_edge e, bool *is_found) {
  wsql_int bound;
  WB_TRY(bound_without(s, e, e.to, false, &bound));
  *is_found = bound < WSQL_INF && offer(s, 0, e.from, bound - e.w); /* x_from + w <= bound */
  if (*is_found) return WEIR_OK;
  WB_TRY(bound_without(s, e, e.from, true, &bound));
  *is_found = bound < WSQL_INF && offer(s, e.to, 0, bound - e.w); /* -bound <= x_to - w */
  return WEIR_OK;
}

/* ---- Two columns of a later row ---- */

static bool try_distance(splitter *s, uint32_t a, uint32_t b) {
  wsql_int high = wsql_at(&s->f->m, a, b), low = wsql_at(&s->f->m, b, a); /* -low <= x_b - x_a <= high */
  if (wsql_alias_of(s->f, a) != wsql_alias_of(s->f, b) || high >= WSQL_INF || low >= WSQL_INF) return false;
  return offer(s, a, b, (high - low) >> 1); /* rounded downward, of negative numbers too */
}

/* A case distinction that may mend what the findings say.  *is_found: false where there is none. */
static weir_code find_halves(wsql_job *job, const wsql_form *f, const wsql_findings *findings, halves *out, bool *is_found) {
  splitter s = {.job = job, .f = f, .to = out, .dist = WB_NEW_ARRAY(&job->scratch, wsql_int, f->m.n)};
  *is_found = false;
  if (s.dist == NULL) return wb_fail_memory(job->e);
  for (uint32_t i = 0; i < f->n_edges && !*is_found; i++)
    for (uint32_t k = 0; k < i && !*is_found; k++)
      if (findings->weak[i] || findings->weak[k]) *is_found = try_edges(&s, f->edges[i], f->edges[k]);
  for (uint32_t i = 0; i < f->n_edges && !*is_found; i++)
    if (findings->weak[i]) WB_TRY(try_constant(&s, f->edges[i], is_found));
  for (uint32_t a = 1; a < f->m.n && !*is_found; a++)
    for (uint32_t b = 1; b < a && !*is_found; b++)
      if (findings->outer[a] && findings->outer[b]) *is_found = try_distance(&s, a, b);
  return wsql_spend(job, (uint64_t)f->n_edges * f->n_edges + f->m.n);
}

/* ---- All pieces ---- */

typedef struct decider {
  wsql_job *job;
  wsql_decided *to;
  wsql_forms todo;  /* the next one last */
  size_t n_pieces;
} decider;

/* Puts the halves in the place of the form. */
static weir_code split(decider *d, const wsql_form *f, const halves *two) {
  for (int i = 0; i < 2; i++) {
    wsql_form half;
    bool is_empty;
    WB_TRY(wsql_form_narrow(d->job, f, two->at[i], &half, &is_empty));
    if (is_empty) continue;
    if (!WB_PUSH(d->job->mem, &d->todo, half)) return wb_fail_memory(d->job->e);
    d->n_pieces++;
  }
  d->n_pieces--;
  return WEIR_OK;
}

/* Keeps the form if it passes, or else replaces it by halves.  *is_stuck: neither can be.  *fault: what is wrong with it as it is. */
static weir_code decide_one(decider *d, const wsql_form *f, wsql_fault *fault, bool *is_stuck) {
  wsql_cuts cuts;
  wsql_findings findings;
  halves two;
  bool is_found = false;
  *is_stuck = false;
  WB_TRY(wsql_cuts_make(d->job, f, &cuts));
  WB_TRY(wsql_rules_check(d->job, &cuts, &findings));
  *fault = findings.fault;
  if (!fault->is_fault) return WB_PUSH(d->job->mem, &d->to->forms, *f) ? WEIR_OK : wb_fail_memory(d->job->e);
  if (f->reading->is_set && !findings.is_hopeless && d->n_pieces < WSQL_MAX_PIECES) WB_TRY(find_halves(d->job, f, &findings, &two, &is_found));
  *is_stuck = !is_found;
  return is_found ? split(d, f, &two) : WEIR_OK;
}

/* Decides a form by itself or by its parts.  *fault: that of the whole, if a part is stuck. */
static weir_code decide_form(decider *d, const wsql_form *whole, wsql_fault *fault) {
  wsql_fault of_part;
  bool is_stuck;
  WB_TRY(decide_one(d, whole, fault, &is_stuck));
  while (d->todo.n > 0 && !is_stuck) {
    wsql_form part = WB_POP(&d->todo);
    WB_TRY(decide_one(d, &part, &of_part, &is_stuck));
  }
  fault->is_fault = is_stuck;
  return WEIR_OK;
}

weir_code wsql_decide_reading(wsql_job *job, const wsql_reading *r, wsql_decided *out) {
  decider d = {.job = job, .to = out};
  wsql_forms forms;
  *out = (wsql_decided){.reading = r};
  WB_TRY(wsql_forms_make(job, r, r->is_set ? WSQL_MAX_PIECES : SIZE_MAX, &forms, &out->is_too_many));
  if (out->is_too_many) return WEIR_OK;
  d.n_pieces = forms.n;
  for (size_t i = 0; i < forms.n; i++) {
    WB_TRY(decide_form(&d, &forms.at[i], &out->fault));
    if (!out->fault.is_fault) continue;
    out->faulty = (uint32_t)i;
    out->forms = forms;
    break;
  }
  return WEIR_OK;
}
