/* frontend/sql_dot.c -- a decided query as a drawing in DOT, the language of Graphviz.
**
** Time goes from left to right: an arrow leads from the older alias to the newer one.  Bounds that let an older row come later by some steps
** are dashed, comparisons of integers are dotted and have no direction.  Nodes are named after numbers only.  What makes memory grow is red. */
#include "frontend/sql_dot.h"

typedef struct drawing {
  wir_words *w;
  const wsql_query *q;
  const wsql_verdict *v;
  const wsql_piece *p; /* at hand */
  uint32_t number;     /* of it */
} drawing;

static void begin_label(wir_words *w) {
  wir_put(w, "label=\"");
  w->is_label = true;
}

static void end_label(wir_words *w) {
  w->is_label = false;
  wir_put(w, "\"");
}

static void put_node_name(const drawing *d, uint32_t alias) {
  wir_put(d->w, "n");
  wir_put_number(d->w, d->number);
  wir_put(d->w, "_");
  wir_put_number(d->w, alias);
}

/* Is the piece the one that the reason is about? */
static bool is_at_fault(const drawing *d) { return !d->v->is_bounded && d->v->reason.piece == d->number; }

/* ---- Aliases ------------------------------------------------------------------------------------------------------- */

static wsql_int bound(const drawing *d, uint32_t from, uint32_t to) { return d->p->d[(size_t)from * d->p->n_vertices + to]; }

/* "t.b in 1 .. 4", "t.b >= 1": what is known of a column by itself. */
static void put_range(const drawing *d, uint32_t vertex) {
  wsql_int low = bound(d, vertex, 0), high = bound(d, 0, vertex);
  const wsql_vertex *x = &d->p->vertices[vertex];
  bool has_high = high < WSQL_INF, has_low = low < WSQL_INF && (!x->is_time || has_high); /* all times have a least one */
  if ((!has_low && !has_high) || x->column == WSQL_NONE) return;
  wir_put(d->w, "\n");
  wsql_put_vertex(d->w, d->q, d->p, vertex, 0);
  wir_put(d->w, has_low && has_high ? " in " : has_low ? " >= " : " <= ");
  if (has_low) wsql_put_int(d->w, -low);
  if (has_low && has_high) wir_put(d->w, " .. ");
  if (has_high) wsql_put_int(d->w, high);
}

static void put_alias(const drawing *d, uint32_t alias) {
  const wsql_piece_alias *a = &d->p->aliases[alias];
  const wsql_relation *r = &d->q->relations[a->relation];
  wir_put(d->w, "    ");
  put_node_name(d, alias);
  wir_put(d->w, " [");
  begin_label(d->w);
  wir_put_name(d->w, a->name);
  wir_put(d->w, !wsql_is_stream(r) ? "\ntable " : a->is_finite ? "\nfinite stream " : "\nstream ");
  wir_put_name(d->w, r->name);
  for (uint32_t i = 1; i < d->p->n_vertices; i++)
    if (d->p->vertices[i].alias == alias) put_range(d, i);
  end_label(d->w);
  if (a->is_finite) wir_put(d->w, ", shape=box");
  if (is_at_fault(d) && d->p->vertices[d->v->reason.vertex].alias == alias) wir_put(d->w, ", color=red");
  wir_put(d->w, "];\n");
}

/* ---- Edges --------------------------------------------------------------------------------------------------------- */

static void put_equality(const drawing *d, const wsql_edge *e) {
  wsql_put_vertex(d->w, d->q, d->p, e->to, 0);
  wir_put(d->w, " = ");
  wsql_put_vertex(d->w, d->q, d->p, e->from, e->w);
}

/* The other half of the equality of integers that edge i is one half of; the number of edges where it is none. */
static uint32_t other_half(const drawing *d, uint32_t i) {
  const wsql_edge *e = &d->p->edges[i];
  uint32_t k = 0;
  while (k < d->p->n_edges && (d->p->edges[k].from != e->to || d->p->edges[k].to != e->from || d->p->edges[k].w != -e->w)) k++;
  return d->p->vertices[e->from].is_time ? d->p->n_edges : k;
}

/* `back`: the same bound the other way round, of an equality; or NULL. */
static void put_edge(const drawing *d, const wsql_edge *e, const wsql_edge *back, bool is_unequal) {
  const wsql_vertex *from = &d->p->vertices[e->from], *to = &d->p->vertices[e->to];
  bool is_time = !is_unequal && from->is_time && to->is_time, is_order = is_time && e->w <= 0;
  const wsql_edge *faulty = &d->v->reason.edge;
  if (from->alias == WSQL_NONE || to->alias == WSQL_NONE) return;
  wir_put(d->w, "    ");
  put_node_name(d, is_order ? to->alias : from->alias);
  wir_put(d->w, " -> ");
  put_node_name(d, is_order ? from->alias : to->alias);
  wir_put(d->w, " [");
  begin_label(d->w);
  if (back == NULL) wsql_put_edge(d->w, d->q, d->p, *e, is_unequal);
  else put_equality(d, e);
  end_label(d->w);
  if (!is_order) wir_put(d->w, is_time ? ", style=dashed, constraint=false" : ", style=dotted, dir=none, constraint=false");
  bool is_faulty = faulty->from == e->from && faulty->to == e->to, back_is_faulty = back != NULL && faulty->from == back->from && faulty->to == back->to;
  if (is_at_fault(d) && !is_unequal && (is_faulty || back_is_faulty) && faulty->from != faulty->to) wir_put(d->w, ", color=red");
  wir_put(d->w, "];\n");
}

/* ---- The whole ----------------------------------------------------------------------------------------------------- */

static void put_piece(const drawing *d) {
  wir_put(d->w, "  subgraph cluster_");
  wir_put_number(d->w, d->number);
  wir_put(d->w, " {\n    ");
  begin_label(d->w);
  wir_put(d->w, "SELECT ");
  wir_put_number(d->w, (uint64_t)d->p->select + 1);
  end_label(d->w);
  wir_put(d->w, ";\n");
  for (uint32_t i = 0; i < d->p->n_aliases; i++) put_alias(d, i);
  for (uint32_t i = 0; i < d->p->n_edges; i++) {
    uint32_t other = other_half(d, i); /* two lines between the same nodes say no more than one, and some versions of dot stumble over them */
    if (other == d->p->n_edges) put_edge(d, &d->p->edges[i], NULL, false);
    else if (i < other) put_edge(d, &d->p->edges[i], &d->p->edges[other], false);
  }
  for (uint32_t i = 0; i < d->p->n_unequal; i++) put_edge(d, &d->p->unequal[i], NULL, true);
  wir_put(d->w, "  }\n");
}

void wsql_put_dot(wir_words *w, const wsql_query *q, const wsql_verdict *v) {
  drawing d = {.w = w, .q = q, .v = v};
  wir_put(w, "digraph query {\n  rankdir=LR;\n  node [shape=ellipse, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n  ");
  begin_label(w);
  if (v->is_bounded) {
    wir_put(w, "bounded, cells ");
    wsql_put_poly(w, q, v->cells);
  } else {
    wir_put(w, "unbounded: ");
    wir_put_str(w, v->reason.text);
  }
  end_label(w);
  wir_put(w, ";\n");
  for (d.number = 0; d.number < v->n_pieces; d.number++) {
    d.p = &v->pieces[d.number];
    put_piece(&d);
  }
  wir_put(w, "}\n");
}
