/* frontend/sql_query.h -- a bound SQL query as data: what the parser and the binder leave for the decision.
**
** Names are resolved to numbers, types are checked, constants are summed; nothing is normalized beyond that.  The decision
** (sql_bounded.h) reads it and never sees the text, but for the spans that its reasons point at.
**
** Guaranteed by the binder (wsql_query_is_valid checks all that can be checked here):
**   - at least one SELECT; all SELECTs have the same number (>= 1) of items, with types that fit (INT, TIMESTAMP, or a constant);
**   - the names of the first SELECT's items are distinct: they are the names of the output;
**   - each SELECT has at least one alias of a stream and at most WSQL_MAX_ALIASES aliases, with distinct names;
**   - every term's alias and column exist in its SELECT; no predicate compares an INT column with a TIMESTAMP column;
**   - each stream has exactly one TIMESTAMP column (`time`), a table has none.
** Not guaranteed, and the decision's business: predicates may be contradictory, redundant, constant on both sides, or on one
** alias only; a table may have no rows. */
#ifndef WSQL_QUERY_H
#define WSQL_QUERY_H

#include "ir/words.h"

/* Predicates are over the mathematical integers.  A literal is less than 2^64 in amount, and a text has fewer than 2^32 of them, so a
** sum of constants is less than 2^96 in amount, and a path of such sums fits. */
typedef __int128 wsql_int;
#define WSQL_CONST_END ((wsql_int)1 << 96) /* every constant of a query is less than this in amount */

#define WSQL_TIME_MAX (((wsql_int)1 << 62) - 1) /* no step is later */

enum { WSQL_MAX_ALIASES = 12 }; /* of a SELECT; unfolding may add copies beyond it */

#define WSQL_NONE UINT32_MAX

typedef struct wsql_column {
  wb_str name;
  weir_span at;  /* in the declaration */
  bool is_time;  /* TIMESTAMP, else INT */
} wsql_column;

/* A declared stream or table. */
typedef struct wsql_relation {
  wb_str name;
  weir_span at;         /* the name in CREATE */
  wsql_column *columns; /* in the order of the declaration */
  uint32_t n_columns;
  uint32_t time;        /* number of the TIMESTAMP column; WSQL_NONE: a table */
  bool has_until, has_rate;
  uint64_t until, rate; /* UNTIL n, RATE n; 0 where it is not given.  Neither is ever above 2^63 - 1, until never above 2^62 - 1 */
  int64_t *rows;        /* table: n_rows times n_columns values, in the order of the columns (not of the INSERT); duplicates stay */
  size_t n_rows;        /* 0 for a stream */
} wsql_relation;

static inline bool wsql_is_stream(const wsql_relation *r) { return r->time != WSQL_NONE; }

/* One entry of FROM. */
typedef struct wsql_alias {
  wb_str name;       /* the relation's own where the text gives none */
  weir_span at;
  uint32_t relation; /* in wsql_query.relations; several aliases may share one */
} wsql_alias;

/* [column] + constant.  alias == WSQL_NONE: a constant only, and column is WSQL_NONE too. */
typedef struct wsql_term {
  uint32_t alias;  /* in wsql_select.aliases */
  uint32_t column; /* of its relation */
  wsql_int plus;   /* the sum of the expression's constants */
} wsql_term;

typedef enum wsql_cmp { WSQL_LT, WSQL_LE, WSQL_EQ, WSQL_NE, WSQL_GE, WSQL_GT } wsql_cmp;

static inline bool wsql_cmp_holds(wsql_int left, wsql_cmp cmp, wsql_int right) {
  switch (cmp) {
  case WSQL_LT: return left < right;
  case WSQL_LE: return left <= right;
  case WSQL_EQ: return left == right;
  case WSQL_NE: return left != right;
  case WSQL_GE: return left >= right;
  case WSQL_GT: return left > right;
  }
  return false;
}

typedef enum wsql_pred_kind {
  WSQL_PRED_CMP,    /* left cmp right */
  WSQL_PRED_IN,     /* left IN (set) */
  WSQL_PRED_NOT_IN, /* left NOT IN (set) */
} wsql_pred_kind;

/* All predicates of WHERE and of ON, joined by AND.  BETWEEN is two of kind CMP (GE, then LE) with the span of the whole. */
typedef struct wsql_pred {
  wsql_pred_kind kind;
  wsql_cmp cmp;
  wsql_term left, right; /* right only for CMP */
  int64_t *set;          /* IN, NOT IN: increasing, without duplicates */
  size_t n_set;          /* at least 1 for IN and NOT IN, else 0 */
  weir_span at;          /* the whole predicate */
} wsql_pred;

/* The place of the first value of the set that is at least v. */
size_t wsql_set_place(const wsql_pred *p, wsql_int v);
/* IN, NOT IN: does it hold of v? */
static inline bool wsql_set_holds(const wsql_pred *p, wsql_int v) {
  size_t at = wsql_set_place(p, v);
  return (at < p->n_set && p->set[at] == v) == (p->kind == WSQL_PRED_IN);
}

typedef struct wsql_item {
  wsql_term term;
  wb_str name;  /* of the output column, by AS or by the column */
  weir_span at; /* the expression */
} wsql_item;

typedef struct wsql_select {
  bool is_distinct;    /* as written; under UNION the decision does not look at it */
  wsql_item *items;
  uint32_t n_items;
  wsql_alias *aliases; /* in the order of FROM */
  uint32_t n_aliases;
  wsql_pred *preds;
  size_t n_preds;
  weir_span at;        /* from SELECT to the end of its condition */
} wsql_select;

/* The whole script.  Arrays and names belong to the memory that the binder was given, and are not changed afterwards. */
typedef struct wsql_query {
  wsql_relation *relations; /* in the order of the declarations, used by the query or not */
  uint32_t n_relations;
  wsql_select *selects;
  uint32_t n_selects;
  bool is_set;              /* the connectives are UNION: the whole result is a set.  False for UNION ALL and for one SELECT */
} wsql_query;

static inline const wsql_relation *wsql_relation_of(const wsql_query *q, const wsql_select *s, uint32_t alias) {
  return &q->relations[s->aliases[alias].relation];
}
/* Is the output of select `s` a set?  Then its rows are written once (is_set: once for the whole query). */
static inline bool wsql_is_distinct(const wsql_query *q, const wsql_select *s) { return q->is_set || s->is_distinct; }

/* ---- Types ---- */

typedef enum wsql_type {
  WSQL_TYPE_CONST, /* a number, which fits both others */
  WSQL_TYPE_INT,
  WSQL_TYPE_TIME,
  WSQL_TYPE_WRONG, /* of what no valid query contains; fits nothing */
} wsql_type;

wsql_type wsql_type_of(const wsql_query *q, const wsql_select *s, wsql_term t);
bool wsql_types_fit(wsql_type a, wsql_type b);

/* ---- Text ---- */

/* The term as the language writes it, by the names of the select: "s.a + 3", "t.j", "-5". */
void wsql_put_term(wir_words *w, const wsql_query *q, const wsql_select *s, wsql_term t);
/* "s.a <= t.b", "s.a IN (1, 3)"; long sets are cut. */
void wsql_put_pred(wir_words *w, const wsql_query *q, const wsql_select *s, const wsql_pred *p);
void wsql_put_int(wir_words *w, wsql_int v); /* decimal digits, of any size */
void wsql_put_plus(wir_words *w, wsql_int plus); /* behind a column: " + 3", " - 3", or nothing */

/* What the header guarantees, as far as the data show it.  The texts' spans are not looked at. */
bool wsql_query_is_valid(const wsql_query *q);

#endif
