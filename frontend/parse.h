/* frontend/parse.h -- DSRV text to syntax tree. */
#ifndef WFE_PARSE_H
#define WFE_PARSE_H

#include "frontend/ast.h"
#include "frontend/diag.h"
#include "frontend/frontend.h"

/* Parses a whole specification into `tree`, which the caller has initialized (mem, names, types, text).  After a syntax error reading
** goes on at the next declaration or equation, so that several errors are found.  The tree is usable only if nothing was added to
** `diags`.  Uses no C stack in proportion to the text. */
void wfe_parse_spec(wfe_tree *tree, const wfe_limits *limits, struct weir_diagnostics *diags);
/* Parses a run-time text: one expression. WFE_NO_NODE after an error. */
wfe_ref wfe_parse_expr(wfe_tree *tree, const wfe_limits *limits, struct weir_diagnostics *diags);

/* The tree as an S-expression, for tests; false: out of memory. */
bool wfe_print_tree(const wfe_tree *tree, wb_mem *mem, wb_bytes *out) WB_MUST_USE;
/* The operator or word of a node that is no leaf: "+", "if", "List.get".  Static. */
const char *wfe_node_text(const wfe_node *n);

#endif
