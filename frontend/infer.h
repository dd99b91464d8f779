/* frontend/infer.h -- names, scopes and types of a parsed specification (language.md 3, 4, 10, 11 as far as static). */
#ifndef WFE_INFER_H
#define WFE_INFER_H

#include "frontend/ast.h"
#include "frontend/diag.h"
#include "frontend/parse.h"

/* What a WFE_NAME refers to. */
typedef enum wfe_target { WFE_TO_NOTHING, WFE_TO_STREAM, WFE_TO_PARAM } wfe_target;

typedef struct wfe_stream {
  uint32_t name;
  weir_role role;
  weir_span span;       /* of the name in the declaration */
  weir_span type_span;  /* empty where not annotated */
  wir_type declared;    /* WIR_NONE where not annotated */
  wir_type type;        /* the checked type; Any where inference gave up; Expr<T> of such an input, whose values are Str */
  wfe_ref root;         /* its equation; WFE_NO_NODE for an input */
  uint32_t decl;        /* place among all declarations */
} wfe_stream;

/* One per node of the tree.
**
** `becomes` stands on the expression whose value enters a place of another type: an operand of an operator (Int beside Float), an
** argument, an element (of an entry: on its value), a branch, the root of an equation.  What an operator asks of an Any operand
** stands nowhere: it checks when it computes.  So do calls: an Any argument is checked to `becomes` after lifting.
** Not on any node, because no expression stands there:
**   - elements that a callback of List.map, filter or fold is called with enter its parameters (their typing.type);
**   - the result of List.filter's callback must be a Bool; in List.fold each result enters the fold's typing.type;
**   - a function called through Any, or through a type with Any for a parameter, checks its own parameters;
**   - a function that becomes a function type has its result checked to that at each call. */
typedef struct wfe_typing {
  wir_type type;    /* static type of the node's value, before `becomes`.  WFE_PARAM: what arguments are converted to.  WFE_ENTRY: of its
                    ** value.  WFE_NAME of an Expr<T> input: Str */
  wir_type becomes; /* where its parent (or the stream) needs another type: convert or check to it; else WIR_NONE */
  uint8_t target;   /* WFE_NAME, WFE_SCOPE_NAME: wfe_target */
  uint32_t index;   /* of these: stream number, or the node number of the WFE_PARAM.  WFE_DYNAMIC, WFE_DEFER: number of the type that
                    ** the text must have (in an untyped equation `type` is Any all the same) */
} wfe_typing;

typedef struct wfe_checked {
  const wfe_tree *tree;
  WB_VEC(wfe_stream) streams; /* inputs first, then the others, both in order of declaration (weir.h numbers them so) */
  uint32_t n_inputs;
  wfe_typing *typing;         /* by node */
} wfe_checked;

/* Checks everything that does not depend on run-time texts.  On return, `out` is complete if nothing was added to `diags`.
** Memory comes from tree->mem.  Zero-delay cycles are not looked for here, but a stream naming itself without a delay is. */
void wfe_check(const wfe_tree *tree, const wfe_limits *limits, wfe_checked *out, struct weir_diagnostics *diags);

#endif
