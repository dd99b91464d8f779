/* frontend/sql_reason.h -- why a query is unbounded, in words. */
#ifndef WSQL_REASON_H
#define WSQL_REASON_H

#include "frontend/sql_split.h"
#include "frontend/sql_verdict.h"

/* `f` and `p`: the faulty form, and the same as verdict.pieces[number]. */
weir_code wsql_reason_of_fault(wsql_job *job, const wsql_form *f, const wsql_piece *p, uint32_t number, const wsql_fault *fault, wsql_reason *out) WB_MUST_USE;
weir_code wsql_reason_of_output(wsql_job *job, const wsql_form *f, const wsql_piece *p, uint32_t number, uint32_t vertex, wsql_reason *out) WB_MUST_USE;

#endif
