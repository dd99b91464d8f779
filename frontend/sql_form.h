/* frontend/sql_form.h -- a SELECT in normal form: pieces while they are made.
**
** A *reading* is the SELECT, or an equivalent of it: with the copies that unfolding makes, with `<>` kept.  Its *forms* are pieces with all
** that the decision still wants to change: bounds can be added, and the closure, the filters and the edges follow. */
#ifndef WSQL_FORM_H
#define WSQL_FORM_H

#include "frontend/sql_matrix.h"

enum { WSQL_MAX_COPIES = 20 }; /* aliases of a reading: sets of them are 32 bits, and more would never be decided in time */

typedef struct wsql_reading {
  uint32_t select;
  bool is_set;         /* the rows of the SELECT are written once */
  bool is_unfolded, keeps_unequal;
  wsql_piece_alias *aliases; /* n_rows and is_finite are not filled in */
  uint32_t n_aliases;
  wsql_pred *preds;    /* with the reading's aliases */
  uint32_t *origins;   /* for each, its number in the SELECT; WSQL_NONE: made by unfolding */
  uint32_t n_preds;
  wsql_out *outs;      /* as in a piece, but before columns at a fixed distance are one */
  uint32_t n_outs;
  wsql_vertex *vertices; /* 0, the times of all aliases (alias k is vertex 1 + k), then the INT columns that are used, by alias and column */
  uint32_t n_vertices;
  uint32_t *of_alias;    /* by alias: its first INT vertex; one more: the end */
} wsql_reading;

typedef struct wsql_form wsql_form;

/* The SELECT as it is written. */
weir_code wsql_reading_make(wsql_job *job, uint32_t select, wsql_reading *out) WB_MUST_USE;
/* One with copies of the aliases that are only ever the older one.  *is_same: there is nothing to unfold, or too much. */
weir_code wsql_reading_unfold(wsql_job *job, const wsql_reading *from, wsql_reading *out, bool *is_same) WB_MUST_USE;
uint32_t wsql_vertex_of(const wsql_reading *r, wsql_term t); /* 0 for a constant */
/* For the two above: the vertices, when aliases, predicates and items stand. */
weir_code wsql_reading_finish(wsql_job *job, const wsql_term *items, uint32_t n_items, wsql_reading *r) WB_MUST_USE;

struct wsql_form {
  const wsql_reading *reading;
  wsql_matrix m;             /* over the reading's vertices */
  WB_VEC(wsql_edge) bounds;  /* between different aliases, as they are written or made by a split */
  WB_VEC(wsql_edge) checks;  /* all others: within an alias, and with 0 */
  WB_VEC(wsql_edge) unequal; /* `<>` between different aliases: to be split, or kept */
  WB_VEC(wsql_filter) filters;
  size_t *n_rows;            /* by alias: the rows of a table that pass */
  /* Found by wsql_form_reduce: */
  uint32_t *same;            /* by vertex: the vertex that stands for it, of the same alias and at a fixed distance */
  wsql_edge *edges;          /* by the order of their predicates */
  uint32_t n_edges;
  wsql_edge *differ;         /* the kept `<>`, between vertices that stand for themselves */
  uint32_t n_differ;
  wsql_out *outs;
};

typedef WB_VEC(wsql_form) wsql_forms;

/* All forms of a reading, those that cannot have a result left out, tightened and reduced.  *is_too_many: more than `most`; they are then not
** all there. */
weir_code wsql_forms_make(wsql_job *job, const wsql_reading *r, size_t most, wsql_forms *out, bool *is_too_many) WB_MUST_USE;
/* A copy with one more bound, tightened and reduced.  *is_empty: it has no result. */
weir_code wsql_form_narrow(wsql_job *job, const wsql_form *f, wsql_edge bound, wsql_form *out, bool *is_empty) WB_MUST_USE;

/* For the above: a bound becomes part of the closure, and is remembered. */
weir_code wsql_form_bound(wsql_job *job, wsql_form *f, wsql_edge bound, bool *is_empty) WB_MUST_USE;
/* For the above: moves bounds off what filters and tables exclude, until nothing moves. */
weir_code wsql_form_settle(wsql_job *job, wsql_form *f, bool *is_empty) WB_MUST_USE;
/* For the above: the edges. */
weir_code wsql_form_reduce(wsql_job *job, wsql_form *f) WB_MUST_USE;

/* x itself where the filter lets it pass beside y; else the next value upward (or downward) that it does; WSQL_INF: none. */
wsql_int wsql_filter_next(const wsql_filter *f, wsql_int x, wsql_int y, bool is_upward);

static inline uint32_t wsql_alias_of(const wsql_form *f, uint32_t vertex) { return f->reading->vertices[vertex].alias; }
static inline bool wsql_is_table(const wsql_job *job, const wsql_form *f, uint32_t alias) {
  return !wsql_is_stream(&job->q->relations[f->reading->aliases[alias].relation]);
}
/* Has its time an upper bound, as that of a table has? */
static inline bool wsql_is_finite(const wsql_form *f, uint32_t alias) { return wsql_at(&f->m, 0, 1 + alias) < WSQL_INF; }
/* The time of an alias is a vertex; 0 and the times come first. */
static inline bool wsql_is_time(const wsql_form *f, uint32_t vertex) { return vertex != 0 && vertex <= f->reading->n_aliases; }

#endif
