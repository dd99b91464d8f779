/* frontend/sql_parse.h -- SQL text to syntax. */
#ifndef WSQL_PARSE_H
#define WSQL_PARSE_H

#include "frontend/diag.h"
#include "frontend/frontend.h"
#include "frontend/sql_ast.h"

/* Parses a whole script into `script`, which the caller has initialized (mem, names, text).  After a syntax error reading goes on behind the
** next `;`, so that several errors are found.  The script is usable only if nothing was added to `diags`. */
void wsql_parse(wsql_script *script, const wfe_limits *limits, struct weir_diagnostics *diags);

#endif
