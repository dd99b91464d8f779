/* frontend/sql_bounded.h -- the door of the decision: can a query be answered in constant memory? */
#ifndef WSQL_BOUNDED_H
#define WSQL_BOUNDED_H

#include "frontend/sql_verdict.h"

/* Default of wsql_limits.steps: a few seconds. */
#define WSQL_DEFAULT_STEPS UINT64_C(1000000000)

typedef struct wsql_limits { /* NULL: the defaults */
  uint64_t steps; /* comparisons of bounds before the decision gives up; 0: the default */
} wsql_limits;

/* Decides a valid query.  *out lives in `mem`, with all that it points at, and refers to `q`.  Deterministic, and the verdict does not depend on
** the order of FROM.  WEIR_E_UNDECIDED: it took more steps than allowed, and the span is that of the SELECT; WEIR_E_MEMORY. */
weir_code wsql_decide(const wsql_query *q, const wsql_limits *limits, wb_mem *mem, wsql_verdict *out, weir_error *e) WB_MUST_USE;

/* A family of 2^n input histories of an unbounded query, and n continuations: for each two histories there is a continuation after which the
** results differ.  So memory must tell 2^n histories apart, for each n.  Texts are NDJSON, in `mem`. */
typedef struct wsql_witness {
  const wb_str *histories; size_t n_histories;         /* 2^n: history h contains burst k when bit k of h is set */
  const wb_str *continuations; size_t n_continuations; /* n: what follows a history, alone and whole */
} wsql_witness;

enum { WSQL_MAX_WITNESS = 10 };
#define WSQL_WITNESS_STEPS (20 * WSQL_DEFAULT_STEPS)

/* v: the unbounded verdict on q.  1 <= n <= WSQL_MAX_WITNESS.  Every pair has been told apart by evaluating the query before this returns WEIR_OK.
** WEIR_E_NOT_YET: no such family was found, as may be for what docs/sql.md lists as decided with caution only.  WEIR_E_UNDECIDED: it took more
** steps than allowed, by default WSQL_WITNESS_STEPS. */
weir_code wsql_witness_make(const wsql_query *q, const wsql_verdict *v, uint32_t n, const wsql_limits *limits, wb_mem *mem, wsql_witness *out, weir_error *e) WB_MUST_USE;

#endif
