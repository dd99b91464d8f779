/* frontend/frontend.h -- the door: text to program. */
#ifndef WFE_FRONTEND_H
#define WFE_FRONTEND_H

#include "frontend/diag.h"
#include "ir/explain.h"
#include "ir/program.h"

typedef struct wfe_limits {
  size_t source_bytes;
  size_t nesting;    /* levels of any construct or type */
  size_t name_bytes;
  size_t equations;
  size_t state_bytes;
  size_t aliases;    /* SQL: streams and tables of a FROM */
} wfe_limits;

/* Compiles a DSRV specification.  `text` is borrowed for the call.  The program (one reference, owned by the caller), or NULL with what is
** wrong in `diags`, which the caller has emptied. */
wir_program *wfe_compile(wb_door *door, wb_str text, const wfe_limits *limits, struct weir_diagnostics *diags) WB_MUST_USE;

/* Explains what becomes of a text, into `words`, a terminator included.  True: they hold all of it; for WEIR_STAGE_AST that may be so although
** `diags` has entries. */
bool wfe_explain(wb_door *door, wb_str text, const wfe_limits *limits, weir_stage stage, bool as_dot, wir_words *words,
                 struct weir_diagnostics *diags) WB_MUST_USE;

#endif
