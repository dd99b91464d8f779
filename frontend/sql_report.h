/* frontend/sql_report.h -- a verdict in the words of the public interface. */
#ifndef WSQL_REPORT_H
#define WSQL_REPORT_H

#include "frontend/sql_verdict.h"

typedef struct wsql_report {
  weir_verdict verdict;
  const weir_synopsis *synopses;          /* verdict.n_synopses, by piece */
  const weir_synopsis_key *const *keys;   /* by synopsis */
  const weir_written *written;            /* verdict.n_written */
} wsql_report;

/* Fills `out`, which lives in `mem` with all that it points at.  False: out of memory. */
bool wsql_report_make(const wsql_query *q, const wsql_verdict *v, wb_mem *mem, wsql_report *out) WB_MUST_USE;

#endif
