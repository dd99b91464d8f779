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
  uint64_t sql_steps; /* SQL: of the decision; 0: its own default */
} wfe_limits;

/* False: the text is larger than it may be (reported). */
bool wfe_check_size(wb_str text, const wfe_limits *limits, struct weir_diagnostics *diags) WB_MUST_USE;

/* Compiles a DSRV specification.  `text` is borrowed for the call.  The program (one reference, owned by the caller), or NULL with what is
** wrong in `diags`, which the caller has emptied. */
wir_program *wfe_compile(wb_door *door, wb_str text, const wfe_limits *limits, struct weir_diagnostics *diags) WB_MUST_USE;

/* Explains what becomes of a text, into `words`, a terminator included.  True: they hold all of it; for WEIR_STAGE_AST that may be so although
** `diags` has entries. */
bool wfe_explain(wb_door *door, wb_str text, const wfe_limits *limits, weir_stage stage, bool as_dot, wir_words *words,
                 struct weir_diagnostics *diags) WB_MUST_USE;

/* ---- SQL ---- */

/* Reads a script and decides on its query.  The query, owned by the caller (wsql_query_free), or NULL with what is wrong in `diags`, which the
** caller has emptied. */
struct weir_query *wsql_check(wb_door *door, wb_str text, const wfe_limits *limits, struct weir_diagnostics *diags) WB_MUST_USE;
void wsql_query_free(struct weir_query *query); /* NULL is allowed */
/* weir.h says what they are. */
const struct weir_verdict *wsql_query_verdict(const struct weir_query *query);
const struct weir_synopsis *wsql_query_synopsis(const struct weir_query *query, uint32_t i);
const struct weir_synopsis_key *wsql_query_key(const struct weir_query *query, uint32_t synopsis, uint32_t i);
const struct weir_written *wsql_query_written(const struct weir_query *query, uint32_t i);
wb_door *wsql_query_door(const struct weir_query *query);
/* Into `words`, a terminator included.  False: out of memory. */
bool wsql_query_explain(const struct weir_query *query, weir_query_view view, wir_words *words) WB_MUST_USE;

struct weir_witness;
/* An unbounded query and 1 <= n <= 10; *out is owned: wsql_witness_free. */
weir_code wsql_query_witness(const struct weir_query *query, uint32_t n, struct weir_witness **out, weir_error *e) WB_MUST_USE;
uint32_t wsql_witness_count(const struct weir_witness *w, bool of_histories);
wb_str wsql_witness_text(const struct weir_witness *w, bool of_histories, uint32_t i);
void wsql_witness_free(struct weir_witness *w); /* NULL is allowed */

#endif
