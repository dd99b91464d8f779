/* frontend/sql_rules.c -- the three rules for a cut. */
#include "frontend/sql_rules.h"

weir_code wsql_anchors_of(wsql_job *job, const wsql_cuts *cuts, const wsql_cut *cut, wsql_anchors *out) {
  const wsql_reading *r = cuts->f->reading;
  *out = (wsql_anchors){.at = WB_NEW_ARRAY(&job->scratch, uint32_t, r->n_vertices + 1)};
  if (out->at == NULL) return wb_fail_memory(job->e);
  out->at[out->n++] = 0;
  out->at[out->n++] = WSQL_NOW;
  for (uint32_t v = 1; v < r->n_vertices; v++)
    if (cuts->f->same[v] == v && wsql_is_few(cuts->f, cut, v)) out->at[out->n++] = v;
  return wsql_spend(job, r->n_vertices);
}

bool wsql_is_anchored(const wsql_cuts *cuts, const wsql_cut *cut, const wsql_anchors *anchors, uint32_t i, uint32_t j) {
  for (uint32_t k = 0; k < anchors->n; k++)
    if (wsql_cut_at(cuts, cut, i, anchors->at[k]) < WSQL_INF && wsql_cut_at(cuts, cut, anchors->at[k], j) < WSQL_INF) return true;
  return false;
}

typedef struct end { uint32_t inner, outer; bool is_up; } end; /* where an edge leaves C: is_up where it begins inside */

/* Do rows of C still have to be compared by the edge, without an anchor that makes far values alike? */
static bool is_weak(const wsql_cuts *cuts, const wsql_cut *cut, const wsql_anchors *anchors, uint32_t edge, end *out) {
  wsql_edge e = cuts->f->edges[edge];
  bool is_up = wsql_is_member(cuts->f, cut, e.from);
  *out = is_up ? (end){e.from, e.to, true} : (end){e.to, e.from, false};
  return cut->used[edge] && !wsql_is_few(cuts->f, cut, out->inner) && !wsql_is_anchored(cuts, cut, anchors, e.from, e.to);
}

/* ---- Pairs ---- */

static void add_pair(wsql_pairs *p, uint32_t vertex, bool is_up, uint32_t edge, uint32_t target) {
  for (uint32_t i = 0; i < p->n; i++) {
    if (p->at[i].vertex != vertex || p->at[i].is_up != is_up) continue;
    if (p->at[i].target != target) p->at[i].target = WSQL_NONE;
    return;
  }
  p->at[p->n++] = (wsql_pair){vertex, is_up, edge, target};
}

static wsql_pairs_are judge(const wsql_cuts *cuts, const wsql_pairs *p) {
  bool is_one_bound = true, is_one_distance = true;
  if (p->n <= 1) return p->n == 0 ? WSQL_PAIRS_NONE : WSQL_PAIRS_ONE;
  for (uint32_t i = 1; i < p->n; i++) {
    const wsql_matrix *m = &cuts->f->m;
    if (p->at[i].is_up != p->at[0].is_up) return WSQL_PAIRS_TOO_MANY;
    is_one_bound &= p->at[i].target == p->at[0].target;
    is_one_distance &= wsql_at(m, p->at[0].vertex, p->at[i].vertex) < WSQL_INF && wsql_at(m, p->at[i].vertex, p->at[0].vertex) < WSQL_INF;
  }
  if (is_one_bound && p->at[0].target != WSQL_NONE) return WSQL_PAIRS_BOUND;
  return is_one_distance ? WSQL_PAIRS_OFFSETS : WSQL_PAIRS_TOO_MANY;
}

weir_code wsql_pairs_of(wsql_job *job, const wsql_cuts *cuts, const wsql_cut *cut, const wsql_anchors *anchors, wsql_pairs *out) {
  const wsql_form *f = cuts->f;
  *out = (wsql_pairs){.at = WB_NEW_ARRAY(&job->scratch, wsql_pair, f->n_edges)};
  if (out->at == NULL) return wb_fail_memory(job->e);
  for (uint32_t i = 0; i < f->n_edges; i++) {
    end x;
    if (is_weak(cuts, cut, anchors, i, &x)) add_pair(out, x.inner, x.is_up, i, x.outer);
  }
  out->are = judge(cuts, out);
  return wsql_spend(job, (uint64_t)f->n_edges * (anchors->n + out->n));
}

/* ---- The rules ---- */

static weir_code check_list(wsql_job *job, const wsql_cuts *cuts, const wsql_cut *cut, const wsql_anchors *anchors, wsql_fault *fault) {
  const wsql_form *f = cuts->f;
  for (uint32_t i = 0; i < f->reading->n_outs && !fault->is_fault; i++) {
    uint32_t v = f->outs[i].vertex;
    if (!wsql_is_member(f, cut, v) || wsql_is_few(f, cut, v) || wsql_is_anchored(cuts, cut, anchors, v, v)) continue;
    *fault = (wsql_fault){.is_fault = true, .rule = WSQL_RULE_LIST, .members = cut->members, .later = cut->later, .vertex = v};
    fault->lacks_low = wsql_at(&f->m, v, 0) >= WSQL_INF;
    fault->lacks_high = wsql_at(&f->m, 0, v) >= WSQL_INF;
  }
  return wsql_spend(job, (uint64_t)f->reading->n_outs * anchors->n);
}

static wsql_fault fault_of_pairs(const wsql_cut *cut, const wsql_pairs *p, wsql_rule rule) {
  uint32_t other = p->n - 1; /* the first that does not go with the first pair */
  while (other > 1 && p->at[other - 1].is_up != p->at[0].is_up) other--;
  return (wsql_fault){
    .is_fault = true, .rule = rule, .members = cut->members, .later = cut->later, .vertex = p->at[0].vertex, .is_up = p->at[0].is_up, .edge = p->at[0].edge,
    .other = p->at[other].vertex, .other_is_up = p->at[other].is_up,
  };
}

/* Smaller first; of equal ones the one that waits for fewer, then the one of earlier aliases. */
static bool is_smaller(const wsql_fault *a, const wsql_fault *b) {
  int am = __builtin_popcount(a->members), bm = __builtin_popcount(b->members), al = __builtin_popcount(a->later), bl = __builtin_popcount(b->later);
  if (am != bm) return am < bm;
  if (al != bl) return al < bl;
  return a->members != b->members ? a->members < b->members : a->later < b->later;
}

static void mark_weak(const wsql_cuts *cuts, const wsql_cut *cut, const wsql_anchors *anchors, wsql_findings *to) {
  for (uint32_t i = 0; i < cuts->f->n_edges; i++) {
    end x;
    if (!is_weak(cuts, cut, anchors, i, &x)) continue;
    to->weak[i] = true;
    to->outer[x.outer] = true;
  }
}

static weir_code check_cut(wsql_job *job, const wsql_cuts *cuts, const wsql_cut *cut, wsql_findings *to) {
  wsql_anchors anchors;
  wsql_pairs pairs;
  wsql_fault fault = {0};
  bool is_set = cuts->f->reading->is_set;
  WB_TRY(wsql_anchors_of(job, cuts, cut, &anchors));
  WB_TRY(check_list(job, cuts, cut, &anchors, &fault));
  to->is_hopeless |= fault.is_fault;
  WB_TRY(wsql_pairs_of(job, cuts, cut, &anchors, &pairs));
  bool is_faulty = is_set ? pairs.are == WSQL_PAIRS_TOO_MANY : pairs.are != WSQL_PAIRS_NONE;
  if (is_faulty && is_set) mark_weak(cuts, cut, &anchors, to);
  if (is_faulty && !fault.is_fault) fault = fault_of_pairs(cut, &pairs, is_set ? WSQL_RULE_EXTREMES : WSQL_RULE_EDGE);
  if (fault.is_fault && (!to->fault.is_fault || is_smaller(&fault, &to->fault))) to->fault = fault;
  return WEIR_OK;
}

weir_code wsql_rules_check(wsql_job *job, const wsql_cuts *cuts, wsql_findings *out) {
  const wsql_form *f = cuts->f;
  *out = (wsql_findings){.weak = WB_NEW_ARRAY(&job->scratch, bool, f->n_edges), .outer = WB_NEW_ARRAY(&job->scratch, bool, f->m.n)};
  if (out->weak == NULL || out->outer == NULL) return wb_fail_memory(job->e);
  for (size_t i = 0; i < cuts->all.n; i++) WB_TRY(check_cut(job, cuts, &cuts->all.at[i], out));
  return WEIR_OK;
}
