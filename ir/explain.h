/* ir/explain.h -- what became of a specification, as text for people and as DOT for Graphviz.
**
** The same program gives the same text: nothing depends on addresses, hashes or time.  The forms are for reading and may change; what
** programs should read is `weir check --json`. */
#ifndef WIR_EXPLAIN_H
#define WIR_EXPLAIN_H

#include "ir/base/places.h"
#include "ir/program.h"
#include "ir/words.h"

/* The stages of a finished program: graph, schedule, state, ir, regions.  WEIR_STAGE_AST is the frontend's, the last two are the native tier's.  False: out of memory. */
bool wir_explain(const wir_program *p, weir_stage stage, bool as_dot, wir_words *w) WB_MUST_USE;

/* The two forms, and words that they share (explain.c, explain_dot.c). */
bool wir_explain_text(const wir_program *p, weir_stage stage, wir_words *w) WB_MUST_USE;
void wir_explain_dot(const wir_program *p, weir_stage stage, wir_words *w);
bool wir_explain_ir(const wir_program *p, bool as_dot, wir_words *w) WB_MUST_USE;      /* explain_ir.c */
bool wir_explain_regions(const wir_program *p, bool as_dot, wir_words *w) WB_MUST_USE; /* explain_regions.c */
const char *wir_role_text(weir_role role);
const char *wir_state_text(wir_state_kind kind);
/* What a node does, without its number and type: "add %1, %2", "level[1]". */
void wir_put_node(wir_words *w, const wir_program *p, const wir_node *n);

#endif
