/* frontend/sql_bind.h -- names of a script bound to streams and columns; from text to bound query. */
#ifndef WSQL_BIND_H
#define WSQL_BIND_H

#include "frontend/diag.h"
#include "frontend/frontend.h"
#include "frontend/sql_ast.h"

/* Fills `q`, whose arrays belong to the script's memory, from a script without syntax errors.  False: what is wrong was added to `diags`, and
** `q` means nothing. */
bool wsql_bind(const wsql_script *script, wsql_query *q, struct weir_diagnostics *diags) WB_MUST_USE;

/* Parses and binds a text of any size that the limits allow, which `q` refers to.  Names and arrays belong to `mem`. */
bool wsql_read(wb_str text, const wfe_limits *limits, wb_mem *mem, wsql_query *q, struct weir_diagnostics *diags) WB_MUST_USE;

#endif
