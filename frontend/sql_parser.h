/* frontend/sql_parser.h -- what the files of the SQL parser share.
**
**   sql_parse.c   statements, and going on after an error
**   sql_select.c  SELECT: items, sources, conditions, sums
**   sql_unsupported.c  what SQL has elsewhere, and not here
**
** Nothing recurses: a condition is a list of predicates, and its parentheses are only counted.  A function answers false when it can't go
** on; the reason is then in the diagnostics. */
#ifndef WSQL_PARSER_H
#define WSQL_PARSER_H

#include "frontend/expect.h"
#include "frontend/sql_parse.h"

typedef struct wsql_parser {
  wsql_script *script;
  const wfe_limits *limits;
  struct weir_diagnostics *diags;
  wfe_lexer lexer;
  wfe_token tok;     /* the token to be looked at */
  uint32_t last_end; /* where the one before it ends */
  weir_span alias;   /* of the name taken last for an alias without AS; it may have been meant for a reserved word */
} wsql_parser;

/* ---- Tokens (sql_parse.c) ------------------------------------------------------------------------------------------ */

static inline bool wsql_sees(const wsql_parser *p, wfe_token_kind kind) { return p->tok.kind == kind; }
void wsql_advance(wsql_parser *p);
/* Takes a token of this kind if it is there. */
bool wsql_skip(wsql_parser *p, wfe_token_kind kind);
/* Takes a token of this kind, or reports that it is missing. */
bool wsql_take(wsql_parser *p, wfe_token_kind kind) WB_MUST_USE;
bool wsql_take_name(wsql_parser *p, const char *what, wsql_name *out) WB_MUST_USE;
/* "(1, -2)", integers of 64 bits with their signs: *out is where they stand among the script's values. */
bool wsql_take_values(wsql_parser *p, wsql_range *out) WB_MUST_USE;

/* The bytes from `begin` to the end of the last token taken. */
static inline weir_span wsql_span_from(const wsql_parser *p, uint32_t begin) { return (weir_span){begin, p->last_end}; }

/* ---- Reporting: all answer false ----------------------------------------------------------------------------------- */

/* "expected WHAT, found TOKEN"; and whether the token, or an alias right before it, is near one of the kinds (0 ends them). */
bool wsql_expected(wsql_parser *p, const char *what, const uint8_t *kinds);
bool wsql_no_memory(wsql_parser *p);

/* ---- What is not supported (sql_unsupported.c): reported at its word ------------------------------------------------ */

/* Whether the token to be looked at is such a word, and not an alias where that may stand.  It is then reported. */
bool wsql_refuse_word(wsql_parser *p, bool may_be_alias);
/* Whether it is the parenthesis before a SELECT; that is then reported. */
bool wsql_refuse_parenthesis(wsql_parser *p);
/* Both answer false.  `name` stands before a parenthesis. */
bool wsql_refuse_call(wsql_parser *p, weir_span name);
bool wsql_refuse_subquery(wsql_parser *p, weir_span at);

/* ---- The parts ----------------------------------------------------------------------------------------------------- */

/* Behind the word SELECT, which began at `begin`, up to what no SELECT goes on with. */
bool wsql_read_select(wsql_parser *p, uint32_t begin, wsql_select_text *out) WB_MUST_USE;

#endif
