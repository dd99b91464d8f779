/* frontend/sql_cut.h -- the moments at which rows wait: the cuts (C | Y) of a piece that an evaluation step by step passes through.
**
** C has arrived, Y will arrive later.  Starting from the results, each cut is asked for by a larger one: the rows of its newest members come
** together with what the others, in tied parts, have been waiting as. */
#ifndef WSQL_CUT_H
#define WSQL_CUT_H

#include "frontend/sql_form.h"

typedef struct wsql_ask { /* rows of the newest aliases meet the parts */
  uint32_t newest;
  uint32_t *parts; /* cuts */
  uint32_t n_parts;
} wsql_ask;

typedef struct wsql_cut {
  uint32_t members, later; /* C and Y */
  uint32_t few;            /* members with boundedly many live rows */
  wsql_matrix t;           /* over 0, the times, and NOW as the last: the piece's, and that C is not after NOW, and Y is */
  bool *used;              /* by edge: rows of C still have to be compared by it */
  WB_VEC(wsql_ask) asks;   /* how its rows come about */
} wsql_cut;

static inline bool wsql_is_member(const wsql_form *f, const wsql_cut *cut, uint32_t vertex) {
  return vertex != 0 && (cut->members >> wsql_alias_of(f, vertex) & 1);
}

typedef struct wsql_cuts {
  const wsql_form *f;
  wsql_matrix t;                    /* the piece's closure on 0 and the times, and NOW without bounds */
  uint32_t streams;                 /* aliases that are no tables */
  uint32_t ties[WSQL_MAX_COPIES];   /* by alias: whom it is tied to */
  uint32_t below[WSQL_MAX_COPIES], beside[WSQL_MAX_COPIES]; /* by alias: who may be older than it, who of the same step, by themselves */
  WB_VEC(wsql_cut) all;             /* in the order in which they were asked for */
  WB_VEC(wsql_ask) results;
  uint32_t *table;                  /* open addressing by (C, Y): number + 1 */
  size_t cap_table;
} wsql_cuts;

/* All cuts of the form, in job->scratch, which is emptied first. */
weir_code wsql_cuts_make(wsql_job *job, const wsql_form *f, wsql_cuts *out) WB_MUST_USE;

/* The least w for which x_j <= x_i + w in the cut, for vertices and WSQL_NOW. */
wsql_int wsql_cut_at(const wsql_cuts *cuts, const wsql_cut *cut, uint32_t i, uint32_t j);

#endif
