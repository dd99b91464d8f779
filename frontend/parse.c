/* frontend/parse.c -- DSRV text to syntax tree: declarations, equations, and going on after an error.
**
** After a syntax error tokens are skipped, silently, up to what can only be a beginning: a name with "=" behind it, which no
** expression contains, or a declaration's keyword with a name behind it.
** Leave alone: expressions are read in parse_expr.c, types in parse_type.c; what names mean is the checker's business. */
#include "frontend/parser.h"

static const struct { uint8_t token; uint8_t role; } keywords[] = {
  {WFE_T_IN, WEIR_IN}, {WFE_T_OUT, WEIR_OUT}, {WFE_T_AUX, WEIR_AUX}, {WFE_T_VAR, WEIR_AUX},
};
static const uint8_t keyword_tokens[] = {WFE_T_IN, WFE_T_OUT, WFE_T_AUX, WFE_T_VAR, 0};

/* What other languages call our keywords. */
static const struct { wb_str theirs; const char *ours; } foreign[] = {
  {{"input", 5}, "in"}, {{"output", 6}, "out"}, {{"let", 3}, "aux"}, {{"define", 6}, "aux"}, {{"def", 3}, "aux"},
};

/* ---- Tokens ------------------------------------------------------------------------------------------------------ */

void wfe_advance(wfe_parser *p) {
  p->last_kind = p->tok.kind;
  p->last_end = p->tok.span.end;
  p->last_line = p->tok.line;
  p->tok = p->has_ahead ? p->ahead : wfe_lex(&p->lexer);
  p->has_ahead = false;
}

bool wfe_skip(wfe_parser *p, wfe_token_kind kind) {
  if (!wfe_sees(p, kind)) return false;
  wfe_advance(p);
  return true;
}

/* For the entry just added: somebody compares with `=`. */
static void hint_assign(wfe_parser *p) {
  if (wfe_sees(p, WFE_T_ASSIGN)) wfe_diag_hint(p->diags, "`==` compares; `=` only stands behind the name that an equation defines");
}

bool wfe_take(wfe_parser *p, wfe_token_kind kind) {
  if (wfe_skip(p, kind)) return true;
  wfe_say_expected_kind(p->diags, p->tree->text, &p->tok, kind, WFE_DSRV);
  hint_assign(p);
  return false;
}

/* ---- Reporting --------------------------------------------------------------------------------------------------- */

bool wfe_no_memory(wfe_parser *p) {
  wfe_diag_memory(p->diags);
  return false;
}

bool wfe_expected(wfe_parser *p, const char *what) {
  wfe_say_expected(p->diags, p->tree->text, &p->tok, what);
  hint_assign(p);
  return false;
}

bool wfe_expected_name(wfe_parser *p, const char *what) {
  wfe_say_expected_name(p->diags, p->tree->text, &p->tok, what);
  if (!wfe_is_reserved(&p->tok)) hint_assign(p);
  return false;
}

bool wfe_too_deep(wfe_parser *p) {
  wfe_diag_add(p->diags, WEIR_E_LIMIT, p->tok.span, "nested deeper than %zu level%s (option max_nesting / --max-nesting)",
               p->limits->nesting, WB_S(p->limits->nesting));
  return false;
}

void wfe_hint_near(wfe_parser *p, wb_str name, const uint8_t *kinds) { wfe_say_near(p->diags, name, kinds, WFE_DSRV); }

bool wfe_see(wfe_parser *p, wfe_seen_list *seen, uint32_t owner, uint32_t name, uint32_t line, uint32_t *first_line) {
  if (name >= seen->n) { /* make room for all names so far */
    size_t n = p->tree->names->texts.n;
    wb_assert(name < n);
    if (!WB_VEC_ROOM(p->tree->mem, seen, n - seen->n)) return wfe_no_memory(p);
    __builtin_memset(seen->at + seen->n, 0, (n - seen->n) * sizeof seen->at[0]);
    seen->n = n;
  }
  wfe_seen *s = &seen->at[name];
  bool is_first = s->owner != owner;
  *first_line = is_first ? 0 : s->line;
  if (is_first) *s = (wfe_seen){owner, line};
  return true;
}

/* ---- Equations --------------------------------------------------------------------------------------------------- */

/* The equation of `name` begins at its right side. */
static bool read_equation(wfe_parser *p, uint32_t name, weir_span name_span, uint32_t line) {
  wfe_tree *t = p->tree;
  uint32_t first_line;
  wfe_equation e = {.name = name, .name_span = name_span};
  if (t->equations.n >= p->limits->equations) {
    wfe_diag_add(p->diags, WEIR_E_LIMIT, name_span, "more than %zu equation%s (option max_equations / --max-equations)",
                 p->limits->equations, WB_S(p->limits->equations));
    while (!wfe_sees(p, WFE_T_END)) { /* nothing behind it is read */
      p->lexer.is_quiet = true;
      wfe_advance(p);
    }
    return true;
  }
  if (!wfe_see(p, &p->equations, 1, name, line, &first_line)) return false;
  if (first_line != 0) {
    wb_str text = wb_name(t->names, name);
    wfe_diag_add(p->diags, WEIR_E_PARSE, name_span, "a second equation for `%.*s`; the first stands in line %" PRIu32,
                 (int)WB_MIN(text.n, 64u), text.at, first_line);
  }
  if (!wfe_expression(p, &e.root)) return false;
  return WB_PUSH(t->mem, &t->equations, e) || wfe_no_memory(p);
}

/* A name stands where a declaration or an equation should begin, and it is no equation. */
static bool no_equation(wfe_parser *p, wfe_token name, bool is_behind_expr, bool runs_into) {
  wb_str text = wfe_slice(p, name.span);
  int shown = (int)WB_MIN(text.n, 64u);
  if (wfe_sees(p, WFE_T_EQ) || wfe_sees(p, WFE_T_COLON)) {
    size_t behind = p->tok.span.end;
    bool is_assign = behind < p->tree->text.n && p->tree->text.at[behind] == '='; /* `:=` */
    bool is_colon = wfe_sees(p, WFE_T_COLON) && !is_assign;
    wfe_expected(p, "`=`");
    wfe_diag_hint(p->diags, "%s", is_colon ? "a declaration begins with `in`, `out`, `aux` or `var`"
                                           : "an equation is written `name = ...`");
    return false;
  }
  if (runs_into) {
    wfe_diag_add(p->diags, WEIR_E_PARSE, name.span, "the name `%.*s` runs into the number before it", shown, text.at);
    return false;
  }
  wfe_diag_add(p->diags, WEIR_E_PARSE, name.span, "expected %s, found `%.*s`",
               is_behind_expr ? "an operator or the next declaration" : "a declaration or an equation", shown, text.at);
  if (!wfe_sees(p, WFE_T_IDENT)) return false;
  wfe_hint_near(p, text, keyword_tokens);
  for (size_t i = 0; i < WB_LEN(foreign); i++)
    if (wb_str_eq(text, foreign[i].theirs)) wfe_diag_hint(p->diags, "did you mean `%s`?", foreign[i].ours);
  return false;
}

static bool read_named(wfe_parser *p, bool is_behind_expr) {
  wfe_token name = p->tok;
  bool is_number = p->last_kind == WFE_T_INT || p->last_kind == WFE_T_FLOAT;
  bool runs_into = is_behind_expr && is_number && p->last_end == name.span.begin;
  wfe_advance(p);
  if (!wfe_skip(p, WFE_T_ASSIGN)) return no_equation(p, name, is_behind_expr, runs_into);
  return read_equation(p, name.as.name, name.span, name.line);
}

/* ---- Declarations ------------------------------------------------------------------------------------------------ */

static bool read_declared_type(wfe_parser *p, wfe_decl *d) {
  if (!wfe_skip(p, WFE_T_COLON)) return p->tok.kind < WFE_T_LIST || wfe_expected(p, "`:` before the type");
  d->type_span.begin = p->tok.span.begin;
  if (!wfe_type(p, &d->type)) return false;
  d->type_span.end = p->last_end;
  return true;
}

/* Behind the keyword. */
static bool read_declaration(wfe_parser *p, weir_role role) {
  wfe_token name = p->tok;
  wfe_decl d = {.role = role, .name_span = name.span, .type = WIR_NONE};
  bool is_reserved = wfe_is_reserved(&name); /* then reading goes on as if it were a name */
  if (!wfe_sees(p, WFE_T_IDENT)) {
    wfe_expected_name(p, "a name");
    if (!is_reserved || wfe_begins_line(p)) return false;
  }
  d.name = name.as.name;
  wfe_advance(p);
  if (!read_declared_type(p, &d)) return false;
  if (!is_reserved && !WB_PUSH(p->tree->mem, &p->tree->decls, d)) return wfe_no_memory(p);
  if (!wfe_sees(p, WFE_T_ASSIGN)) return true;
  if (role == WEIR_IN) {
    wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "an input has no equation");
    wfe_diag_hint(p->diags, "a computed stream is declared with `out` or `aux`");
    return false;
  }
  wfe_advance(p);
  wfe_ref unused;
  return is_reserved ? wfe_expression(p, &unused) : read_equation(p, d.name, d.name_span, name.line);
}

/* *is_behind_expr: an equation ended right before the token. */
static bool read_item(wfe_parser *p, bool *is_behind_expr) {
  bool was_behind = *is_behind_expr;
  size_t n = p->tree->equations.n;
  bool is_ok;
  for (size_t i = 0; i < WB_LEN(keywords); i++) {
    if (!wfe_skip(p, (wfe_token_kind)keywords[i].token)) continue;
    is_ok = read_declaration(p, (weir_role)keywords[i].role);
    *is_behind_expr = is_ok && p->tree->equations.n > n;
    return is_ok;
  }
  if (wfe_sees(p, WFE_T_IDENT)) is_ok = read_named(p, was_behind);
  else {
    is_ok = wfe_expected(p, was_behind ? "an operator or the next declaration" : "a declaration or an equation");
    if (wfe_sees(p, WFE_T_COMMA) && !was_behind) wfe_diag_hint(p->diags, "each stream has a declaration of its own");
  }
  *is_behind_expr = is_ok;
  return is_ok;
}

/* ---- Going on after an error ------------------------------------------------------------------------------------- */

static bool is_keyword(const wfe_token *t) { return t->kind >= WFE_T_IN && t->kind <= WFE_T_VAR; }

/* Skips to the next beginning.  Of two tokens the second is looked at again, so that the whole stays linear. */
static void skip_to_beginning(wfe_parser *p) {
  p->lexer.is_quiet = true;
  while (!wfe_sees(p, WFE_T_END)) {
    bool is_first = wfe_begins_line(p);
    if (!p->has_ahead) {
      p->ahead = wfe_lex(&p->lexer);
      p->has_ahead = true;
    }
    if (wfe_sees(p, WFE_T_IDENT) && p->ahead.kind == WFE_T_ASSIGN) break;
    if (is_keyword(&p->tok) && p->ahead.kind == WFE_T_IDENT) break;
    if (is_keyword(&p->tok) && is_first && wfe_is_reserved(&p->ahead)) break;
    wfe_advance(p);
  }
  p->lexer.is_quiet = false;
}

/* ---- The door ---------------------------------------------------------------------------------------------------- */

/* False: the text is not UTF-8 (reported). */
static bool parser_begin(wfe_parser *p, wfe_tree *tree, const wfe_limits *limits, struct weir_diagnostics *diags) {
  *p = (wfe_parser){.tree = tree, .limits = limits, .diags = diags};
  wfe_lexer_init(&p->lexer, WFE_DSRV, tree->text, limits->name_bytes, tree->names, tree->mem, diags);
  if (!wfe_check_utf8(tree->text, diags)) return false;
  p->tok = wfe_lex(&p->lexer);
  return true;
}

static void parser_end(wfe_parser *p) {
  wb_mem *mem = p->tree->mem;
  WB_VEC_FREE(mem, &p->frames);
  WB_VEC_FREE(mem, &p->values);
  WB_VEC_FREE(mem, &p->type_frames);
  WB_VEC_FREE(mem, &p->type_parts);
  WB_VEC_FREE(mem, &p->type_places);
  WB_VEC_FREE(mem, &p->keys);
  WB_VEC_FREE(mem, &p->equations);
  wfe_lexer_end(&p->lexer);
}

void wfe_parse_spec(wfe_tree *tree, const wfe_limits *limits, struct weir_diagnostics *diags) {
  wfe_parser p;
  if (parser_begin(&p, tree, limits, diags)) {
    bool is_behind_expr = false;
    while (!wfe_sees(&p, WFE_T_END) && !diags->out_of_memory)
      if (!read_item(&p, &is_behind_expr)) skip_to_beginning(&p);
  }
  parser_end(&p);
}

wfe_ref wfe_parse_expr(wfe_tree *tree, const wfe_limits *limits, struct weir_diagnostics *diags) {
  wfe_parser p;
  wfe_ref root = WFE_NO_NODE;
  bool is_ok = parser_begin(&p, tree, limits, diags) && wfe_expression(&p, &root);
  if (is_ok && !wfe_sees(&p, WFE_T_END)) {
    wfe_expected(&p, "an operator or the end of the text");
    wfe_diag_hint(diags, "a run-time text is one expression");
  }
  parser_end(&p);
  return wfe_diag_any(diags) ? WFE_NO_NODE : root;
}
