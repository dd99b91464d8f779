/* frontend/sql_matrix.h -- difference bounds, kept closed; and the count of steps that ends a decision which takes too long.
**
** d[i * n + j] is the least w for which x_j <= x_i + w is implied, WSQL_INF where there is none.  A matrix is always closed (triangle
** inequality, zero diagonal) and satisfiable: a bound that contradicts it is refused.  Integers make the closure exact: every cell is reached by
** an integer solution. */
#ifndef WSQL_MATRIX_H
#define WSQL_MATRIX_H

#include "frontend/sql_bounded.h"
#include "ir/base/error.h"

/* One decision: what all its steps share. */
typedef struct wsql_job {
  const wsql_query *q;
  wb_mem *mem;         /* what the verdict keeps */
  wb_mem scratch;      /* what one examination of a piece needs; forgotten after it */
  uint64_t steps, max_steps;
  uint32_t select;     /* the SELECT at work: where an error points */
  weir_error *e;
} wsql_job;

/* Counts n comparisons.  WEIR_E_UNDECIDED when there were too many. */
weir_code wsql_spend(wsql_job *job, uint64_t n) WB_MUST_USE;

typedef struct wsql_matrix {
  uint32_t n;
  wsql_int *d;
} wsql_matrix;

static inline wsql_int wsql_at(const wsql_matrix *m, uint32_t i, uint32_t j) { return m->d[(size_t)i * m->n + j]; }
static inline wsql_int wsql_add(wsql_int a, wsql_int b) { return a >= WSQL_INF || b >= WSQL_INF ? WSQL_INF : a + b; }

/* No bounds at all. */
weir_code wsql_matrix_make(wsql_job *job, wb_mem *mem, uint32_t n, wsql_matrix *out) WB_MUST_USE;
weir_code wsql_matrix_copy(wsql_job *job, wb_mem *mem, const wsql_matrix *from, wsql_matrix *out) WB_MUST_USE;
/* Adds x_to <= x_from + w and closes.  *is_empty: it contradicts, and the matrix is then of no use. */
weir_code wsql_tighten(wsql_job *job, wsql_matrix *m, uint32_t from, uint32_t to, wsql_int w, bool *is_empty) WB_MUST_USE;

bool wsql_matrix_is_valid(const wsql_matrix *m);

#endif
