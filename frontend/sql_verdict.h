/* frontend/sql_verdict.h -- what the decision finds out about a bound query: bounded with the synopses that answer it, or not and why.
**
** Nouns.  A *piece* is a conjunction of difference bounds x_j <= x_i + w over *vertices*: the columns of its aliases, and the constant 0.
** A SELECT becomes one piece or, by `<>` and by splitting, several that together mean the same.  Its *edges* are the bounds between different
** aliases that no other bound implies: what a join has to check.  A *synopsis* (members | later) is a map kept between steps: it stands for
** all combinations of rows of the members that have arrived and wait for rows of the later ones.
** Sets of aliases are bits: 1 << k is alias k of the piece. */
#ifndef WSQL_VERDICT_H
#define WSQL_VERDICT_H

#include "frontend/sql_query.h"

/* ---- Amounts: polynomials in the rates that are not declared ---- */

typedef struct wsql_mono {
  uint64_t times;        /* never 0; UINT64_MAX: that or more */
  const uint32_t *rates; /* relations, increasing; one that stands k times is its rate to the power of k */
  uint32_t n_rates;
} wsql_mono;

typedef struct wsql_poly {
  const wsql_mono *terms; /* by n_rates, then by rates; none twice */
  size_t n;               /* 0: the number 0 */
} wsql_poly;

/* "0", "12", "8 + 64*rate(s)", "2*rate(s)*rate(t)^2", "at least 18446744073709551615". */
void wsql_put_poly(wir_words *w, const wsql_query *q, wsql_poly p);

/* ---- Pieces ---- */

#define WSQL_INF ((wsql_int)1 << 120) /* of a bound: none */

typedef struct wsql_vertex {
  uint32_t alias;  /* of the piece; WSQL_NONE: the constant 0, which is vertex 0 and no other */
  uint32_t column; /* of its relation; WSQL_NONE: the time of a table alias, which is -1 */
  bool is_time;
} wsql_vertex;

/* x_to <= x_from + w; of a kept `<>`: x_to <> x_from + w. */
typedef struct wsql_edge {
  uint32_t from, to; /* vertices */
  wsql_int w;
  uint32_t pred;     /* the predicate of the SELECT that says so; WSQL_NONE: made by the decision */
} wsql_edge;

typedef struct wsql_piece_alias {
  wb_str name;       /* "t"; a copy made by unfolding: "v'2" */
  uint32_t alias;    /* of the SELECT */
  uint32_t relation; /* of the query */
  bool is_finite;    /* a table, or a stream whose time has an upper bound in this piece */
  size_t n_rows;     /* table: the rows that pass */
} wsql_piece_alias;

/* What each row of an alias has to pass beside the bounds of `d`: x (+ plus) is in, or not in, a set or other than another column. */
typedef struct wsql_filter {
  uint32_t x, y;          /* vertices of one alias; y == 0 unless this is x <> y + plus */
  wsql_int plus;          /* x <> y + plus; x + plus IN (set) */
  const wsql_pred *of;    /* the predicate: its set, where it has one */
} wsql_filter;

typedef struct wsql_out { uint32_t vertex; wsql_int plus; } wsql_out; /* a column of the result; vertex 0: a constant */

typedef struct wsql_making { /* how rows come into a result or a synopsis in one step */
  uint32_t newest;           /* the aliases whose rows are of this step */
  const uint32_t *parts;     /* synopses of the piece that stand for the others */
  uint32_t n_parts;
} wsql_making;

/* ---- Synopses ---- */

#define WSQL_NOW (UINT32_MAX - 1) /* in place of a vertex: the step that was closed last */

typedef enum wsql_key_kind {
  WSQL_KEY_VALUE,  /* the value as it is */
  WSQL_KEY_UP,     /* min(value, anchor + high): larger ones serve the same later rows */
  WSQL_KEY_DOWN,   /* max(value, anchor + low) */
  WSQL_KEY_OFFSET, /* the distance of a tied extreme from the kept one, which is the anchor */
} wsql_key_kind;

typedef struct wsql_key {
  wsql_key_kind kind;
  uint32_t vertex;
  uint32_t anchor;    /* a vertex (0: the constant), or WSQL_NOW; WSQL_NONE: none, the rows are few; or several (UP, DOWN) */
  wsql_int low, high; /* value - anchor lies between; meaningless without an anchor */
  uint64_t range;     /* how many values for each value of the anchor; 0: no number (the rows are few) */
} wsql_key;

typedef enum wsql_keep { WSQL_KEEP_COUNTER, WSQL_KEEP_FLAG, WSQL_KEEP_EXTREME } wsql_keep;

typedef struct wsql_extreme { /* x as large (is_up) or as small as possible; of several edges into one later column, the tightest bound */
  uint32_t vertex;
  bool is_up;
} wsql_extreme;

typedef struct wsql_synopsis {
  uint32_t members;
  uint32_t later;           /* aliases that it waits for in each of its uses */
  uint32_t maybe_later;     /* those and the ones that it waits for in some of them */
  uint32_t few;             /* members with boundedly many live rows: their used columns are kept as they are */
  const wsql_making *makings; uint32_t n_makings;
  const wsql_edge *used; uint32_t n_used; /* the edges that its rows still have to be compared by */
  const wsql_key *keys; uint32_t n_keys;
  wsql_keep keep;
  const wsql_extreme *extremes; uint32_t n_extremes; /* KEEP_EXTREME: the first is kept, the others are at OFFSETs from it, or all bound `bound` */
  uint32_t bound;           /* several extremes that bound this one later vertex: the tightest bound on it is kept; else 0 */
  const uint32_t *far; uint32_t n_far; /* vertices of which rows that differ are kept, for n_far_edges kept `<>` */
  uint32_t n_far_edges;
  bool is_dense;            /* all keys have ranges at 0 or NOW: an array */
  wsql_poly entries;
  uint32_t width;           /* cells of an entry */
  wsql_poly cells;
  const wsql_int *d;        /* the closure of the cut, over the vertices of the piece and NOW as the last: d[i * (n_vertices + 1) + j] */
} wsql_synopsis;

typedef struct wsql_piece {
  uint32_t select;          /* of the query */
  bool is_unfolded;         /* the aliases contain copies */
  bool keeps_unequal;       /* `unequal` are checks between rows, and not split */
  const wsql_piece_alias *aliases; uint32_t n_aliases;
  const wsql_vertex *vertices; uint32_t n_vertices;
  const wsql_int *d;        /* x_j <= x_i + d[i * n_vertices + j], the closure; WSQL_INF: no bound */
  const wsql_edge *edges; uint32_t n_edges;
  const wsql_edge *unequal; uint32_t n_unequal;
  const wsql_filter *filters; uint32_t n_filters;
  const wsql_out *outs; uint32_t n_outs; /* by the items of the SELECT */
  const wsql_making *results; uint32_t n_results;
  const wsql_synopsis *synopses; uint32_t n_synopses; /* by decreasing number of members; parts refer to them by number */
} wsql_piece;

/* "t.b + 3" by the names of the piece; vertex 0: the number; WSQL_NOW: "now". */
void wsql_put_vertex(wir_words *w, const wsql_query *q, const wsql_piece *p, uint32_t vertex, wsql_int plus);
/* "s.a <= t.b - 1", "s.a > t.b": the edge as a comparison, of a kept `<>` with is_unequal. */
void wsql_put_edge(wir_words *w, const wsql_query *q, const wsql_piece *p, wsql_edge e, bool is_unequal);

/* ---- What was written, for sets ---- */

typedef struct wsql_written {
  uint32_t select; /* whose rows are written once; WSQL_NONE: the whole query's (UNION) */
  bool is_box;     /* all rows lie in a box: a bit set; else rows are kept for some steps */
  uint64_t steps;  /* most steps that a row is kept; 0 for a box, and where nothing has to be kept */
  wsql_poly cells;
} wsql_written;

/* ---- The verdict ---- */

typedef enum wsql_rule {
  WSQL_RULE_LIST,     /* an attribute of the select list has to be kept, and is not bounded */
  WSQL_RULE_EDGE,     /* bags: an attribute is compared with a later one, and no bound makes values alike */
  WSQL_RULE_EXTREMES, /* sets: more than one extreme would have to be kept */
  WSQL_RULE_OUTPUT,   /* sets: what was written cannot be remembered */
} wsql_rule;

typedef struct wsql_reason {
  wsql_rule rule;
  uint32_t piece;          /* of verdict.pieces */
  uint32_t members, later; /* the cut; 0 and 0 for WSQL_RULE_OUTPUT */
  uint32_t vertex;         /* the attribute: never 0 */
  wsql_edge edge;          /* RULE_EDGE: the comparison; RULE_EXTREMES: one of the first extreme; else from == to == 0 */
  weir_span at;            /* in the text: the predicate, or the item of the select list; begin == end: nowhere */
  wb_str text;             /* the reason, one sentence without a stop */
  wb_str cure;             /* predicates that would bound it: "t.b >= MIN AND t.b <= MAX"; capital words stand for constants */
} wsql_reason;

typedef struct wsql_verdict {
  bool is_bounded;
  wsql_reason reason;                              /* unbounded */
  const wsql_piece *pieces; uint32_t n_pieces;     /* by SELECT; without synopses where unbounded */
  const wsql_written *written; uint32_t n_written; /* bounded */
  wsql_poly cells;                                 /* of all synopses and of what was written */
  wsql_poly bytes;                                 /* 8 for each cell, 32 for each map */
  uint64_t steps;                                  /* what the decision took, in comparisons of bounds */
} wsql_verdict;

#endif
