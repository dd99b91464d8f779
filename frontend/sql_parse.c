/* frontend/sql_parse.c -- SQL text to syntax: statements, and going on after an error.
**
** Every statement ends with a `;`, so that a text that was cut is never taken for a shorter one.
** Leave alone: what names mean, and all that needs to know it, is the binder's business (sql_bind.c). */
#include "frontend/sql_parser.h"

/* ---- Tokens -------------------------------------------------------------------------------------------------------- */

void wsql_advance(wsql_parser *p) {
  p->last_end = p->tok.span.end;
  p->tok = wfe_lex(&p->lexer);
}

bool wsql_skip(wsql_parser *p, wfe_token_kind kind) {
  if (!wsql_sees(p, kind)) return false;
  wsql_advance(p);
  return true;
}

bool wsql_take(wsql_parser *p, wfe_token_kind kind) {
  if (wsql_skip(p, kind)) return true;
  wfe_say_expected_kind(p->diags, p->script->text, &p->tok, kind, WFE_SQL);
  return false;
}

bool wsql_take_name(wsql_parser *p, const char *what, wsql_name *out) {
  if (!wsql_sees(p, WFE_T_IDENT)) {
    wfe_say_expected_name(p->diags, p->script->text, &p->tok, what);
    if (wfe_is_reserved(&p->tok)) wfe_diag_hint(p->diags, "in double quotes it is a name");
    return false;
  }
  *out = (wsql_name){p->tok.as.name, p->tok.span};
  wsql_advance(p);
  return true;
}

/* An integer of 64 bits with its sign. */
static bool take_value(wsql_parser *p, wsql_value *out) {
  uint32_t begin = p->tok.span.begin;
  bool is_negative = wsql_skip(p, WFE_T_MINUS);
  if (!wsql_sees(p, WFE_T_INT)) {
    bool is_float = wsql_sees(p, WFE_T_FLOAT);
    if (wsql_sees(p, WFE_T_SQL_SELECT)) return wsql_refuse_subquery(p, p->tok.span);
    wsql_expected(p, "an integer", NULL);
    if (is_float) wfe_diag_hint(p->diags, "all numbers are integers");
    return false;
  }
  uint64_t most = (uint64_t)INT64_MAX + is_negative, v = p->tok.as.u;
  bool is_in_range = !p->tok.is_huge && v <= most;
  wsql_advance(p);
  *out = (wsql_value){is_negative ? (int64_t)-v : (int64_t)v, wsql_span_from(p, begin)};
  return is_in_range || WFE_REFUSE(p->diags, WEIR_E_PARSE, out->span, "the number does not fit an INT, which has 64 bits");
}

bool wsql_take_values(wsql_parser *p, wsql_range *out) {
  wsql_script *s = p->script;
  out->first = (uint32_t)s->values.n;
  if (!wsql_take(p, WFE_T_LPAREN)) return false;
  do {
    wsql_value v;
    if (!take_value(p, &v)) return false;
    if (!WB_PUSH(s->mem, &s->values, v)) return wsql_no_memory(p);
  } while (wsql_skip(p, WFE_T_COMMA));
  out->end = (uint32_t)s->values.n;
  return wsql_skip(p, WFE_T_RPAREN) || wsql_expected(p, "`,` or `)`", NULL);
}

/* ---- Reporting ----------------------------------------------------------------------------------------------------- */

bool wsql_no_memory(wsql_parser *p) {
  wfe_diag_memory(p->diags);
  return false;
}

bool wsql_expected(wsql_parser *p, const char *what, const uint8_t *kinds) {
  wb_str text = p->script->text;
  if (wsql_refuse_word(p, false)) return false;
  wfe_say_expected(p->diags, text, &p->tok, what);
  if (kinds == NULL) return false;
  if (wsql_sees(p, WFE_T_IDENT)) wfe_say_near(p->diags, wfe_slice_of(text, p->tok.span), kinds, WFE_SQL);
  if (p->alias.begin < p->alias.end && p->alias.end == p->last_end) wfe_say_near(p->diags, wfe_slice_of(text, p->alias), kinds, WFE_SQL);
  return false;
}

/* ---- CREATE -------------------------------------------------------------------------------------------------------- */

static bool read_type(wsql_parser *p, wsql_column_text *c) {
  static const uint8_t kinds[] = {WFE_T_SQL_INT, WFE_T_SQL_INTEGER, WFE_T_SQL_BIGINT, WFE_T_SQL_TIMESTAMP, 0};
  c->type_span = p->tok.span;
  c->is_timestamp = wsql_sees(p, WFE_T_SQL_TIMESTAMP);
  for (const uint8_t *k = kinds; *k != 0; k++)
    if (wsql_skip(p, (wfe_token_kind)*k)) return true;
  return wsql_expected(p, "a type, INT or TIMESTAMP", kinds);
}

static bool read_columns(wsql_parser *p, wsql_create *c) {
  wsql_script *s = p->script;
  c->columns.first = (uint32_t)s->columns.n;
  if (!wsql_take(p, WFE_T_LPAREN)) return false;
  do {
    wsql_column_text one = {0};
    if (!wsql_take_name(p, "the name of a column", &one.name) || !read_type(p, &one)) return false;
    if (!WB_PUSH(s->mem, &s->columns, one)) return wsql_no_memory(p);
  } while (wsql_skip(p, WFE_T_COMMA));
  c->columns.end = (uint32_t)s->columns.n;
  return wsql_skip(p, WFE_T_RPAREN) || wsql_expected(p, "`,` or `)`", NULL);
}

/* UNTIL n and RATE n, in any order. */
static bool read_promises(wsql_parser *p, wsql_create *c) {
  for (;;) {
    weir_span word = p->tok.span;
    bool is_until = wsql_skip(p, WFE_T_SQL_UNTIL), is_rate = !is_until && wsql_skip(p, WFE_T_SQL_RATE);
    if (!is_until && !is_rate) return true;
    const char *text = is_until ? "UNTIL" : "RATE";
    bool *has = is_until ? &c->has_until : &c->has_rate;
    wsql_value v;
    if (!c->is_stream) return WFE_REFUSE(p->diags, WEIR_E_PARSE, word, "a table has no %s: all its rows are in the script", text);
    if (*has) return WFE_REFUSE(p->diags, WEIR_E_PARSE, word, "a second %s", text);
    if (!take_value(p, &v)) return false;
    if (v.value < 0) return WFE_REFUSE(p->diags, WEIR_E_PARSE, v.span, "%s cannot be negative", text);
    *has = true;
    *(is_until ? &c->until : &c->rate) = v.value;
  }
}

static bool read_create(wsql_parser *p) {
  static const uint8_t kinds[] = {WFE_T_SQL_STREAM, WFE_T_SQL_TABLE, 0};
  wsql_script *s = p->script;
  wsql_create c = {.is_stream = wsql_skip(p, WFE_T_SQL_STREAM)};
  if (!c.is_stream && !wsql_skip(p, WFE_T_SQL_TABLE)) return wsql_expected(p, "`STREAM` or `TABLE`", kinds);
  if (!wsql_take_name(p, c.is_stream ? "the name of a stream" : "the name of a table", &c.name) || !read_columns(p, &c) || !read_promises(p, &c)) return false;
  wsql_statement st = {.at = (uint32_t)s->creates.n};
  return (WB_PUSH(s->mem, &s->creates, c) && WB_PUSH(s->mem, &s->statements, st)) || wsql_no_memory(p);
}

/* ---- INSERT -------------------------------------------------------------------------------------------------------- */

static bool read_row(wsql_parser *p) {
  wsql_script *s = p->script;
  wsql_insert_row row = {.span = p->tok.span};
  if (!wsql_take_values(p, &row.values)) return false;
  row.span.end = p->last_end;
  return WB_PUSH(s->mem, &s->insert_rows, row) || wsql_no_memory(p);
}

static bool read_insert(wsql_parser *p) {
  wsql_script *s = p->script;
  wsql_insert in = {.columns.first = (uint32_t)s->insert_columns.n, .rows.first = (uint32_t)s->insert_rows.n};
  if (!wsql_take(p, WFE_T_SQL_INTO) || !wsql_take_name(p, "the name of a table", &in.table)) return false;
  in.has_columns = wsql_skip(p, WFE_T_LPAREN);
  if (in.has_columns) {
    do {
      wsql_name name;
      if (!wsql_take_name(p, "the name of a column", &name)) return false;
      if (!WB_PUSH(s->mem, &s->insert_columns, name)) return wsql_no_memory(p);
    } while (wsql_skip(p, WFE_T_COMMA));
    if (!wsql_skip(p, WFE_T_RPAREN)) return wsql_expected(p, "`,` or `)`", NULL);
  }
  if (!wsql_take(p, WFE_T_SQL_VALUES)) return false;
  do {
    if (!read_row(p)) return false;
  } while (wsql_skip(p, WFE_T_COMMA));
  in.columns.end = (uint32_t)s->insert_columns.n;
  in.rows.end = (uint32_t)s->insert_rows.n;
  wsql_statement st = {.is_insert = true, .at = (uint32_t)s->inserts.n};
  return (WB_PUSH(s->mem, &s->inserts, in) && WB_PUSH(s->mem, &s->statements, st)) || wsql_no_memory(p);
}

/* ---- The query ----------------------------------------------------------------------------------------------------- */

/* UNION [ALL | DISTINCT], which must be as the ones before it.  WSQL_NO_UNION: there is none. */
static bool read_union(wsql_parser *p, wsql_union before, wsql_union *out, weir_span *span) {
  uint32_t begin = p->tok.span.begin;
  *out = WSQL_NO_UNION;
  if (!wsql_skip(p, WFE_T_SQL_UNION)) return true;
  *out = wsql_skip(p, WFE_T_SQL_ALL) ? WSQL_UNION_ALL : WSQL_UNION;
  if (*out == WSQL_UNION) (void)wsql_skip(p, WFE_T_SQL_DISTINCT);
  *span = wsql_span_from(p, begin);
  if (before == WSQL_NO_UNION || before == *out) return true;
  return WFE_REFUSE(p->diags, WEIR_E_PARSE, *span, "UNION and UNION ALL cannot be mixed");
}

static const char without_parentheses[] = "a SELECT stands without parentheses, also in a UNION";

static bool read_query(wsql_parser *p, uint32_t begin) {
  static const uint8_t selects[] = {WFE_T_SQL_SELECT, 0};
  wsql_script *s = p->script;
  wsql_union before = WSQL_NO_UNION;
  weir_span span = {0};
  for (;;) {
    wsql_select_text one = {.before = before, .union_span = span};
    wsql_union next;
    if (!wsql_read_select(p, begin, &one)) return false;
    if (!WB_PUSH(s->mem, &s->selects, one)) return wsql_no_memory(p);
    if (!read_union(p, before, &next, &span)) return false;
    if (next == WSQL_NO_UNION) return true;
    before = next;
    begin = p->tok.span.begin;
    if (wsql_skip(p, WFE_T_SQL_SELECT)) continue;
    bool is_paren = wsql_sees(p, WFE_T_LPAREN);
    wsql_expected(p, "`SELECT`", selects);
    if (is_paren) wfe_diag_hint(p->diags, "%s", without_parentheses);
    return false;
  }
}

/* ---- Statements ---------------------------------------------------------------------------------------------------- */

/* What may go on with the statement that ends here, for the message. */
static bool take_end(wsql_parser *p, bool is_query) {
  static const uint8_t kinds[] = {WFE_T_SQL_WHERE, WFE_T_SQL_AND, WFE_T_SQL_JOIN, WFE_T_SQL_UNION, WFE_T_SQL_INNER, WFE_T_SQL_CROSS, WFE_T_SQL_ON, 0};
  static const uint8_t promises[] = {WFE_T_SQL_UNTIL, WFE_T_SQL_RATE, 0};
  if (wsql_skip(p, WFE_T_SEMICOLON)) return true;
  bool is_end = wsql_sees(p, WFE_T_END), is_on = wsql_sees(p, WFE_T_SQL_ON);
  wsql_expected(p, is_query && !is_end ? "the query to go on, or `;`" : "`;`", is_query ? kinds : promises);
  if (is_end) wfe_diag_hint(p->diags, "every statement ends with `;`: so a text that was cut is not taken for a whole one");
  if (is_query && is_on) wfe_diag_hint(p->diags, "ON stands behind [INNER] JOIN; other conditions follow WHERE");
  return false;
}

/* What has been read so far. */
typedef struct progress {
  bool has_query;
  bool has_complained; /* that something follows it: once is enough */
} progress;

static void check_order(wsql_parser *p, progress *so_far) {
  bool is_query = wsql_sees(p, WFE_T_SQL_SELECT);
  if (so_far->has_query && !so_far->has_complained) {
    wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, is_query ? "a second query; a script has exactly one" : "the query must be the last statement");
    if (is_query) wfe_diag_hint(p->diags, "UNION ALL makes one of several");
    if (wsql_sees(p, WFE_T_SEMICOLON)) wfe_diag_hint(p->diags, "one `;` ends it");
    so_far->has_complained = true;
  }
  so_far->has_query |= is_query;
}

static bool read_statement(wsql_parser *p, progress *so_far) {
  static const uint8_t kinds[] = {WFE_T_SQL_CREATE, WFE_T_SQL_INSERT, WFE_T_SQL_SELECT, 0};
  uint32_t begin = p->tok.span.begin;
  check_order(p, so_far);
  if (wsql_skip(p, WFE_T_SQL_CREATE)) return read_create(p) && take_end(p, false);
  if (wsql_skip(p, WFE_T_SQL_INSERT)) return read_insert(p) && take_end(p, false);
  if (wsql_skip(p, WFE_T_SQL_SELECT)) return read_query(p, begin) && take_end(p, true);
  bool is_paren = wsql_sees(p, WFE_T_LPAREN);
  wsql_expected(p, "`CREATE`, `INSERT` or `SELECT`", kinds);
  if (is_paren) wfe_diag_hint(p->diags, "%s", without_parentheses);
  return false;
}

/* Skips behind the next `;`. */
static void skip_statement(wsql_parser *p) {
  p->lexer.is_quiet = true;
  while (!wsql_sees(p, WFE_T_END) && !wsql_sees(p, WFE_T_SEMICOLON)) wsql_advance(p);
  p->lexer.is_quiet = false;
  (void)wsql_skip(p, WFE_T_SEMICOLON);
}

/* False: the text is not UTF-8 (reported). */
static bool parser_begin(wsql_parser *p, wsql_script *s, const wfe_limits *limits, struct weir_diagnostics *diags) {
  *p = (wsql_parser){.script = s, .limits = limits, .diags = diags};
  wfe_lexer_init(&p->lexer, WFE_SQL, s->text, limits->name_bytes, s->names, s->mem, diags);
  if (!wfe_check_utf8(s->text, diags)) return false;
  p->tok = wfe_lex(&p->lexer);
  return true;
}

void wsql_parse(wsql_script *s, const wfe_limits *limits, struct weir_diagnostics *diags) {
  wsql_parser p;
  if (parser_begin(&p, s, limits, diags)) {
    progress so_far = {false, false};
    while (!wsql_sees(&p, WFE_T_END) && !diags->out_of_memory)
      if (!read_statement(&p, &so_far)) skip_statement(&p);
    if (!so_far.has_query && !wfe_diag_any(diags)) {
      wfe_diag_add(diags, WEIR_E_PARSE, p.tok.span, "the script has no query");
      wfe_diag_hint(diags, "its last statement is a SELECT");
    }
  }
  wfe_lexer_end(&p.lexer);
}
