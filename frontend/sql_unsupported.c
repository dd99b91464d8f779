/* frontend/sql_unsupported.c -- what SQL has elsewhere and not here: refused at its word, and not read as an alias.
**
** None of these words is reserved: they are names wherever only a name can stand, also behind AS and in double quotes; and an alias without
** AS where what follows shows it: `FROM s left, t`, but not `FROM s LEFT JOIN t`.
** Leave alone: words that begin no construct are told by what was expected instead (wsql_expected). */
#include "frontend/sql_parser.h"

#define JOINS "there are [INNER] JOIN ... ON and CROSS JOIN"
#define OUTER_JOINS "outer joins are", JOINS ", whose results have a row of each stream"
#define RESULTS_STAY "what was written is never taken back: there are UNION and UNION ALL"
#define GROUPS "there are no groups and no aggregates"
#define FEWER "all results are written; a condition on times makes them fewer: s.i >= t.j - 60"
#define WINDOWS "a window is a condition on times: t.j >= s.i - 60"

static const struct { const char *word; bool is_join; const char *what, *hint; } unsupported[] = {
  {"LEFT", true, OUTER_JOINS},
  {"RIGHT", true, OUTER_JOINS},
  {"FULL", true, OUTER_JOINS},
  {"OUTER", true, OUTER_JOINS},
  {"NATURAL", true, "NATURAL JOIN is", JOINS},
  {"SEMI", true, "SEMI JOIN is", JOINS},
  {"ANTI", true, "ANTI JOIN is", JOINS},
  {"ASOF", true, "ASOF JOIN is", JOINS},
  {"USING", false, "USING is", "ON says which columns are equal: ON s.a = t.a"},
  {"EXCEPT", false, "EXCEPT is", RESULTS_STAY},
  {"MINUS", false, "MINUS is", RESULTS_STAY},
  {"INTERSECT", false, "INTERSECT is", "SELECT DISTINCT from both, with their columns equal, is the same"},
  {"GROUP", false, "GROUP BY is", GROUPS "; SELECT DISTINCT writes each result once"},
  {"HAVING", false, "HAVING is", GROUPS "; conditions follow WHERE"},
  {"ORDER", false, "ORDER BY is", "results come step by step, those of a step in the order of their values"},
  {"LIMIT", false, "LIMIT is", FEWER},
  {"OFFSET", false, "OFFSET is", FEWER},
  {"FETCH", false, "FETCH is", FEWER},
  {"WINDOW", false, "WINDOW is", WINDOWS},
  {"OVER", false, "OVER is", WINDOWS},
  {"WHEN", false, "CASE is", "a SELECT for each case, and UNION ALL"},
  {"WITH", false, "WITH is", "the query is one SELECT, or a UNION of several"},
  {"IS", false, "IS is", "there are no NULLs: each row has all its columns"},
  {"LIKE", false, "LIKE is", "there are no texts: columns are INT or TIMESTAMP"},
};

/* The token behind the one to be looked at. */
static wfe_token_kind peek(wsql_parser *p) {
  wfe_lexer ahead = p->lexer;
  ahead.is_quiet = true;
  wfe_token next = wfe_lex(&ahead);
  p->lexer.buffer = ahead.buffer; /* it may have grown */
  return (wfe_token_kind)next.kind;
}

/* Whether a query can go on with it behind an alias; with a JOIN not behind a word that makes another join of it. */
static bool follows_alias(wfe_token_kind kind, bool is_join) {
  static const uint8_t kinds[] = {WFE_T_COMMA, WFE_T_SEMICOLON, WFE_T_END, WFE_T_SQL_FROM, WFE_T_SQL_WHERE, WFE_T_SQL_ON, WFE_T_SQL_UNION,
                                  WFE_T_SQL_JOIN, WFE_T_SQL_INNER, WFE_T_SQL_CROSS};
  for (size_t i = 0; i < WB_LEN(kinds) - (is_join ? 3 : 0); i++)
    if (kind == kinds[i]) return true;
  return false;
}

static bool is_word(wb_str word, const char *other) {
  size_t i = 0;
  while (i < word.n && wfe_capital(word.at[i]) == other[i]) i++;
  return i == word.n && other[i] == '\0';
}

bool wsql_refuse_word(wsql_parser *p, bool may_be_alias) {
  if (!wsql_sees(p, WFE_T_IDENT)) return false;
  wb_str word = wfe_slice_of(p->script->text, p->tok.span); /* a quoted name has its quotes */
  for (size_t i = 0; i < WB_LEN(unsupported); i++) {
    if (!is_word(word, unsupported[i].word)) continue;
    if (may_be_alias && follows_alias(peek(p), unsupported[i].is_join)) return false;
    wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "%s not supported", unsupported[i].what);
    wfe_diag_hint(p->diags, "%s", unsupported[i].hint);
    return true;
  }
  return false;
}

bool wsql_refuse_call(wsql_parser *p, weir_span name) {
  if (peek(p) == WFE_T_SQL_SELECT) return wsql_refuse_subquery(p, name); /* EXISTS, ANY */
  wfe_diag_add(p->diags, WEIR_E_PARSE, name, "functions are not supported");
  wfe_diag_hint(p->diags, "an expression is a column plus or minus integers; there are no aggregates");
  return false;
}

bool wsql_refuse_subquery(wsql_parser *p, weir_span at) {
  wfe_diag_add(p->diags, WEIR_E_PARSE, at, "subqueries are not supported");
  wfe_diag_hint(p->diags, "what it reads can stand in FROM, and its conditions in WHERE");
  return false;
}

bool wsql_refuse_parenthesis(wsql_parser *p) {
  return wsql_sees(p, WFE_T_LPAREN) && peek(p) == WFE_T_SQL_SELECT && !wsql_refuse_subquery(p, p->tok.span);
}
