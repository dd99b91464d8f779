/* frontend/sql_reason.c -- why a query is unbounded, in words: the attribute, and what would bound it. */
#include "frontend/sql_reason.h"

#include "frontend/sql_written.h"

typedef struct teller {
  wsql_job *job;
  const wsql_form *f;
  const wsql_piece *p;
  wir_words text, cure;
} teller;

static void put_vertex(teller *t, wir_words *w, uint32_t vertex) { wsql_put_vertex(w, t->job->q, t->p, vertex, 0); }

static void put_aliases(teller *t, wir_words *w, uint32_t set) {
  bool is_first = true;
  for (uint32_t a = 0; a < t->p->n_aliases; a++) {
    if (!(set >> a & 1)) continue;
    if (!is_first) wir_put(w, ", ");
    wir_put_name(w, t->p->aliases[a].name);
    is_first = false;
  }
}

/* ---- What would bound it ---- */

static bool has_low(const teller *t, uint32_t x) { return wsql_at(&t->f->m, x, 0) < WSQL_INF; }
static bool has_high(const teller *t, uint32_t x) { return wsql_at(&t->f->m, 0, x) < WSQL_INF; }

/* Constant bounds of x where there are none yet. */
static void cure_column(teller *t, uint32_t x) {
  bool low = has_low(t, x), high = has_high(t, x);
  put_vertex(t, &t->cure, x);
  wir_put(&t->cure, !low && !high ? " BETWEEN MIN AND MAX" : low ? " <= MAX" : " >= MIN");
}

/* A window: rows of the alias wait no longer than some steps for those of a later one. */
static void cure_by_window(teller *t, uint32_t alias, uint32_t later) {
  for (uint32_t a = 0; a < t->p->n_aliases; a++) {
    if (!(later >> a & 1) || wsql_is_table(t->job, t->f, a) || wsql_is_table(t->job, t->f, alias)) continue;
    wir_put(&t->cure, ", or ");
    put_vertex(t, &t->cure, 1 + alias);
    wir_put(&t->cure, " >= ");
    put_vertex(t, &t->cure, 1 + a);
    wir_put(&t->cure, " - STEPS");
    return;
  }
}

/* x_to <= x_from + w becomes anchored at 0 when the left side is bounded above and the right side below. */
static void cure_edge(teller *t, wsql_edge e) {
  bool low = has_low(t, e.from), high = has_high(t, e.to);
  if (!low) {
    put_vertex(t, &t->cure, e.from);
    wir_put(&t->cure, " >= MIN");
  }
  if (!low && !high) wir_put(&t->cure, " AND ");
  if (!high) {
    put_vertex(t, &t->cure, e.to);
    wir_put(&t->cure, " <= MAX");
  }
}

/* ---- The sentences ---- */

static void tell_list(teller *t, const wsql_fault *fault) {
  put_vertex(t, &t->text, fault->vertex);
  wir_put(&t->text, " is in the select list, but ");
  put_vertex(t, &t->text, fault->vertex);
  wir_put(&t->text, " has no constant bound ");
  wir_put(&t->text, fault->lacks_low && fault->lacks_high ? "above or below" : fault->lacks_low ? "below" : "above");
  wir_put(&t->text, ", and rows of ");
  put_aliases(t, &t->text, fault->members);
  wir_put(&t->text, " must be kept until later rows of ");
  put_aliases(t, &t->text, fault->later);
  wir_put(&t->text, " arrive");
  cure_column(t, fault->vertex);
  cure_by_window(t, wsql_alias_of(t->f, fault->vertex), fault->later);
}

static void tell_edge(teller *t, const wsql_fault *fault) {
  wsql_edge e = t->f->edges[fault->edge];
  uint32_t outer = fault->is_up ? e.to : e.from;
  bool inner_lacks = fault->is_up ? !has_low(t, e.from) : !has_high(t, e.to), outer_lacks = fault->is_up ? !has_high(t, e.to) : !has_low(t, e.from);
  const char *of_inner = fault->is_up ? "below" : "above", *of_outer = fault->is_up ? "above" : "below";
  put_vertex(t, &t->text, fault->vertex);
  wir_put(&t->text, " is compared with the later ");
  put_vertex(t, &t->text, outer);
  wir_put(&t->text, " (");
  wsql_put_edge(&t->text, t->job->q, t->p, e, false);
  wir_put(&t->text, "), but ");
  put_vertex(t, &t->text, inner_lacks ? fault->vertex : outer);
  wir_put(&t->text, " has no constant bound ");
  wir_put(&t->text, inner_lacks ? of_inner : of_outer);
  if (inner_lacks && outer_lacks) {
    wir_put(&t->text, " and ");
    put_vertex(t, &t->text, outer);
    wir_put(&t->text, " none ");
    wir_put(&t->text, of_outer);
  }
  wir_put(&t->text, ", and rows of ");
  put_aliases(t, &t->text, fault->members);
  wir_put(&t->text, " must be counted until later rows of ");
  put_aliases(t, &t->text, fault->later);
  wir_put(&t->text, " arrive");
  cure_edge(t, e);
  cure_by_window(t, wsql_alias_of(t->f, fault->vertex), fault->later);
}

static void tell_extremes(teller *t, const wsql_fault *fault) {
  wir_put(&t->text, "DISTINCT can keep one extreme value for each key of (");
  put_aliases(t, &t->text, fault->members);
  wir_put(&t->text, "), but this needs both the ");
  wir_put(&t->text, fault->is_up ? "largest " : "smallest ");
  put_vertex(t, &t->text, fault->vertex);
  wir_put(&t->text, " and the ");
  wir_put(&t->text, fault->other_is_up ? "largest " : "smallest ");
  put_vertex(t, &t->text, fault->other);
  cure_edge(t, t->f->edges[fault->edge]);
  cure_by_window(t, wsql_alias_of(t->f, fault->vertex), fault->later);
}

/* ---- The whole ---- */

static weir_code finish(teller *t, wsql_reason *out) {
  out->text = (wb_str){t->text.bytes.at, t->text.bytes.n};
  out->cure = (wb_str){t->cure.bytes.at, t->cure.bytes.n};
  return t->text.has_failed || t->cure.has_failed ? wb_fail_memory(t->job->e) : WEIR_OK;
}

/* The item of the select list that shows the vertex. */
static weir_span span_of_item(const teller *t, uint32_t vertex) {
  for (uint32_t i = 0; i < t->f->reading->n_outs; i++)
    if (t->f->outs[i].vertex == vertex) return t->job->q->selects[t->p->select].items[i].at;
  return WB_NOWHERE;
}

weir_code wsql_reason_of_fault(wsql_job *job, const wsql_form *f, const wsql_piece *p, uint32_t number, const wsql_fault *fault, wsql_reason *out) {
  teller t = {.job = job, .f = f, .p = p, .text = {.mem = job->mem}, .cure = {.mem = job->mem}};
  *out = (wsql_reason){.rule = fault->rule, .piece = number, .members = fault->members, .later = fault->later, .vertex = fault->vertex};
  if (fault->rule == WSQL_RULE_LIST) {
    out->at = span_of_item(&t, fault->vertex);
    tell_list(&t, fault);
  } else {
    out->edge = f->edges[fault->edge];
    if (out->edge.pred != WSQL_NONE) out->at = job->q->selects[p->select].preds[out->edge.pred].at;
    if (fault->rule == WSQL_RULE_EDGE) tell_edge(&t, fault);
    else tell_extremes(&t, fault);
  }
  return finish(&t, out);
}

weir_code wsql_reason_of_output(wsql_job *job, const wsql_form *f, const wsql_piece *p, uint32_t number, uint32_t vertex, wsql_reason *out) {
  teller t = {.job = job, .f = f, .p = p, .text = {.mem = job->mem}, .cure = {.mem = job->mem}};
  *out = (wsql_reason){.rule = WSQL_RULE_OUTPUT, .piece = number, .vertex = vertex, .at = span_of_item(&t, vertex)};
  wir_put(&t.text, "DISTINCT must remember every result already written, but ");
  put_vertex(&t, &t.text, vertex);
  wir_put(&t.text, " in the select list takes unboundedly many values");
  cure_column(&t, vertex);
  wsql_int lag;
  uint32_t time = wsql_lag_time(job, f, false, &lag);
  if (time != WSQL_NONE) {
    wir_put(&t.cure, ", or ");
    put_vertex(&t, &t.cure, time);
    wir_put(&t.cure, " in the select list");
  }
  return finish(&t, out);
}
