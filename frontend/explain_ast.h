/* frontend/explain_ast.h -- the syntax tree for people, with the types that the checker found. */
#ifndef WFE_EXPLAIN_AST_H
#define WFE_EXPLAIN_AST_H

#include "frontend/infer.h"
#include "ir/words.h"

/* `checked` may be the result of a check that found errors: types are then shown as far as they are known.  False: out of memory. */
bool wfe_explain_ast(const wfe_tree *tree, const wfe_checked *checked, bool as_dot, wb_mem *scratch, wir_words *w) WB_MUST_USE;

#endif
