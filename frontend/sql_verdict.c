/* frontend/sql_verdict.c -- the parts of a piece as text. */
#include "frontend/sql_verdict.h"

void wsql_put_vertex(wir_words *w, const wsql_query *q, const wsql_piece *p, uint32_t vertex, wsql_int plus) {
  if (vertex == 0) {
    wsql_put_int(w, plus);
    return;
  }
  if (vertex == WSQL_NOW) wir_put(w, "now");
  else {
    wsql_vertex v = p->vertices[vertex];
    wir_put_name(w, p->aliases[v.alias].name);
    wir_put(w, ".");
    if (v.column == WSQL_NONE) wir_put(w, "time");
    else wir_put_name(w, q->relations[p->aliases[v.alias].relation].columns[v.column].name);
  }
  wsql_put_plus(w, plus);
}

void wsql_put_edge(wir_words *w, const wsql_query *q, const wsql_piece *p, wsql_edge e, bool is_unequal) {
  bool is_strict = !is_unequal && e.w == -1; /* of integers, x <= y - 1 is x < y */
  wsql_put_vertex(w, q, p, e.to, 0);
  wir_put(w, is_unequal ? " <> " : is_strict ? " < " : " <= ");
  wsql_put_vertex(w, q, p, e.from, is_strict ? 0 : e.w);
}
