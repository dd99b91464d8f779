/* frontend/sql_evaluate.h -- a query on a handful of rows, by trying all combinations: to be sure of a witness before it is shown. */
#ifndef WSQL_EVALUATE_H
#define WSQL_EVALUATE_H

#include "frontend/sql_matrix.h"

typedef struct wsql_row {
  uint32_t relation;
  const int64_t *values; /* all columns */
} wsql_row;

static inline int64_t wsql_row_time(const wsql_query *q, const wsql_row *r) { return r->values[q->relations[r->relation].time]; }

/* A number for the results of all steps after step `closed`: where it differs, the results differ.  The rows are in the order of their times.
** *is_valid: false where a run would stop, for a RATE or a value that does not fit. */
weir_code wsql_evaluate(wsql_job *job, const wsql_row *rows, size_t n, int64_t closed, uint64_t *out, bool *is_valid) WB_MUST_USE;

#endif
