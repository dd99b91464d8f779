/* frontend/parse_list.c -- expressions that hold a list of others: containers, calls, library functions, dynamic texts.
**
** Each has a function that opens its frame at its first token, and one that goes on behind each of its operands.
** Leave alone: what an operand is, and how operators bind, stands in parse_expr.c. */
#include "frontend/parser.h"

static const uint8_t n_operands[WFE_BUILTINS] = { /* 0: one or more */
#define BUILTIN(name, text, operands) [WFE_B_##name] = operands,
#include "ir/builtins.def"
#undef BUILTIN
};

static const uint8_t key_operand[WFE_BUILTINS] = { /* which operand, from 1, is a key in quotes */
  [WFE_B_MAP_GET] = 2, [WFE_B_MAP_REMOVE] = 2, [WFE_B_MAP_HAS_KEY] = 2, [WFE_B_MAP_INSERT] = 2,
};

/* ---- Elements and arguments -------------------------------------------------------------------------------------- */

/* Opens [...], List(...), Tuple(...) or a call, whose opening token is the current one. */
static bool open_items(wfe_parser *p, wfe_frame f, wfe_token_kind close) {
  f.close = (uint8_t)close;
  if (!wfe_open_frame(p, f, true)) return false;
  wfe_advance(p);
  return !wfe_skip(p, close) || wfe_finish(p);
}

bool wfe_begin_bracket(wfe_parser *p) { return open_items(p, wfe_frame_here(p, WFE_FRAME_ITEMS, WFE_LIST), WFE_T_RBRACK); }

/* Takes a word that only a "(" may follow. */
static bool take_head(wfe_parser *p) {
  weir_span span = p->tok.span;
  wfe_advance(p);
  if (wfe_sees(p, WFE_T_LPAREN)) return true;
  wb_str word = wfe_slice(p, span);
  wfe_expected(p, "`(`");
  if (wfe_sees(p, WFE_T_DOT)) wfe_diag_hint(p->diags, "`List.len` and its like are written without spaces around the dot");
  else wfe_diag_hint(p->diags, "`%.*s` is a reserved word: only a call of it is an expression", (int)word.n, word.at);
  return false;
}

bool wfe_begin_container(wfe_parser *p) {
  wfe_frame f = wfe_frame_here(p, WFE_FRAME_ITEMS, wfe_sees(p, WFE_T_LIST) ? WFE_LIST : WFE_TUPLE);
  return take_head(p) && open_items(p, f, WFE_T_RPAREN);
}

bool wfe_read_call(wfe_parser *p) {
  wfe_frame f = wfe_frame_here(p, WFE_FRAME_ITEMS, WFE_CALL);
  f.base--;
  f.begin = WB_TOP(&p->values).begin;
  return open_items(p, f, WFE_T_RPAREN);
}

/* Of `,` and the closing token.  A trailing comma is allowed. */
bool wfe_close_items(wfe_parser *p) {
  wfe_token_kind close = (wfe_token_kind)wfe_top(p)->close;
  bool is_comma = wfe_skip(p, WFE_T_COMMA);
  if (wfe_skip(p, close)) return wfe_finish(p);
  p->operand = WFE_OPERAND_WANTED;
  return is_comma || wfe_expected(p, close == WFE_T_RPAREN ? "`,` or `)`" : "`,` or `]`");
}

/* ---- Entries ----------------------------------------------------------------------------------------------------- */

/* The key of the next entry and its colon; {x} stands for {x: x}. */
static bool read_key(wfe_parser *p) {
  wfe_frame *f = wfe_top(p);
  bool is_object = f->node == WFE_OBJECT;
  wb_str word = wfe_slice(p, p->tok.span);
  int shown = (int)WB_MIN(word.n, 64u);
  if (!wfe_sees(p, WFE_T_STR) && !(is_object && wfe_sees(p, WFE_T_IDENT))) {
    bool is_word = wfe_sees(p, WFE_T_IDENT) || wfe_is_reserved(&p->tok);
    if (is_object) wfe_expected_name(p, "a field name");
    else wfe_expected(p, "a key in quotes");
    if (is_word) wfe_diag_hint(p->diags, "write \"%.*s\" for a key of that name", shown, word.at);
    return false;
  }
  f->key = p->tok.as.name;
  f->key_span = p->tok.span;
  f->key_line = p->tok.line;
  p->operand = WFE_OPERAND_WANTED;
  if (wfe_sees(p, WFE_T_STR)) {
    wfe_advance(p);
    return wfe_take(p, WFE_T_COLON);
  }
  wfe_token name = p->tok;
  wfe_advance(p);
  if (wfe_skip(p, WFE_T_COLON)) return true;
  wfe_node n = {.kind = WFE_NAME, .span = name.span, .at = name.span.begin, .as.name = name.as.name};
  p->operand = WFE_OPERAND_CLOSED;
  return wfe_push_node(p, n, (uint32_t)p->values.n, 0);
}

/* Opens Map(...), Struct(...) or {...}, whose opening token is the current one. */
static bool open_entries(wfe_parser *p, wfe_frame f, wfe_token_kind close) {
  f.close = (uint8_t)close;
  if (!wfe_open_frame(p, f, true)) return false;
  wfe_advance(p);
  return wfe_skip(p, close) ? wfe_finish(p) : read_key(p);
}

bool wfe_begin_brace(wfe_parser *p) { return open_entries(p, wfe_frame_here(p, WFE_FRAME_ENTRIES, WFE_OBJECT), WFE_T_RBRACE); }

bool wfe_begin_map(wfe_parser *p) {
  wfe_frame f = wfe_frame_here(p, WFE_FRAME_ENTRIES, wfe_sees(p, WFE_T_MAP) ? WFE_MAP : WFE_STRUCT);
  return take_head(p) && open_entries(p, f, WFE_T_RPAREN);
}

/* Reports the keys that stand a second time among the values from `base` on. */
static bool check_keys(wfe_parser *p, uint32_t base) {
  uint32_t owner = ++p->n_owners, first_line;
  for (size_t i = base; i < p->values.n; i++) {
    const wfe_node *n = wfe_at(p->tree, p->values.at[i].node);
    if (!wfe_see(p, &p->keys, owner, n->as.name, p->values.at[i].line, &first_line)) return false;
    if (first_line == 0) continue;
    wb_str key = wfe_slice(p, n->span);
    size_t shown = wb_utf8_cut(key, WB_MIN(key.n, 64u));
    wfe_diag_add(p->diags, WEIR_E_PARSE, n->span, "the key `%.*s` stands twice here; first in line %" PRIu32, (int)shown, key.at,
                 first_line);
  }
  return true;
}

static bool finish_entries(wfe_parser *p) { return check_keys(p, wfe_top(p)->base) && wfe_finish(p); }

bool wfe_close_entry(wfe_parser *p) {
  const wfe_frame *f = wfe_top(p);
  wfe_token_kind close = (wfe_token_kind)f->close;
  wfe_node n = {.kind = WFE_ENTRY, .span = f->key_span, .at = f->key_span.begin, .as.name = f->key};
  if (!wfe_push_node(p, n, (uint32_t)(p->values.n - 1), f->key_line)) return false;
  bool is_shorthand = p->operand == WFE_OPERAND_CLOSED, is_comma = wfe_skip(p, WFE_T_COMMA);
  if (wfe_skip(p, close)) return finish_entries(p);
  if (is_comma) return read_key(p);
  if (is_shorthand) return wfe_expected(p, "`:`, `,` or `}`");
  return wfe_expected(p, close == WFE_T_RPAREN ? "`,` or `)`" : "`,` or `}`");
}

/* ---- Library functions ------------------------------------------------------------------------------------------- */

static bool wrong_count(wfe_parser *p, const wfe_frame *f) {
  unsigned n = n_operands[f->op];
  const char *name = wfe_builtin_text((wfe_builtin)f->op);
  if (n == 0) wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "`%s` takes at least one argument", name);
  else wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "`%s` takes %u argument%s", name, n, WB_S(n));
  return false;
}

/* At the start of an argument: a key is taken at once, anything else is an expression. */
static bool begin_argument(wfe_parser *p) {
  const wfe_frame *f = wfe_top(p);
  p->operand = WFE_OPERAND_WANTED;
  if (key_operand[f->op] != p->values.n - f->base + 1) return true;
  if (!wfe_sees(p, WFE_T_STR)) {
    wfe_expected(p, "a key in quotes");
    wfe_diag_hint(p->diags, "keys of maps are literal texts, as in Map.get(m, \"name\")");
    return false;
  }
  p->operand = WFE_OPERAND_CLOSED;
  return wfe_push_leaf(p, (wfe_node){.kind = WFE_STR, .as.name = p->tok.as.name});
}

bool wfe_begin_builtin(wfe_parser *p) {
  wfe_frame f = wfe_frame_here(p, WFE_FRAME_BUILTIN, WFE_BUILTIN);
  f.op = p->tok.op;
  if (!take_head(p) || !wfe_open_frame(p, f, true)) return false;
  wfe_advance(p);
  return wfe_sees(p, WFE_T_RPAREN) ? wrong_count(p, wfe_top(p)) : begin_argument(p);
}

bool wfe_begin_dynamic(wfe_parser *p) {
  wfe_frame f = wfe_frame_here(p, WFE_FRAME_DYNAMIC, wfe_sees(p, WFE_T_DEFER) ? WFE_DEFER : WFE_DYNAMIC);
  if (!take_head(p) || !wfe_open_frame(p, f, true)) return false;
  wfe_advance(p);
  return true;
}

/* monitored_at(x, place), dist(place, place): names or texts, kept as scope names; the checker refuses the whole. */
bool wfe_begin_distributed(wfe_parser *p) {
  bool is_dist = wfe_sees(p, WFE_T_DIST);
  wfe_frame f = wfe_frame_here(p, WFE_FRAME_ITEMS, is_dist ? WFE_DIST : WFE_MONITORED_AT);
  if (!take_head(p) || !wfe_open_frame(p, f, true)) return false;
  wfe_advance(p);
  for (int i = 0; i < 2; i++) {
    bool is_name = wfe_sees(p, WFE_T_IDENT) || (wfe_sees(p, WFE_T_STR) && (is_dist || i == 1));
    if (!is_name) return wfe_expected_name(p, is_dist || i == 1 ? "a name or a text" : "a name");
    if (!wfe_push_leaf(p, (wfe_node){.kind = WFE_SCOPE_NAME, .as.name = p->tok.as.name})) return false;
    if (!wfe_take(p, i == 0 ? WFE_T_COMMA : WFE_T_RPAREN)) return false;
  }
  return wfe_finish(p);
}

bool wfe_close_argument(wfe_parser *p) {
  const wfe_frame *f = wfe_top(p);
  size_t n = p->values.n - f->base, want = n_operands[f->op];
  bool is_last = want == 0 || n == want, is_comma = wfe_sees(p, WFE_T_COMMA);
  if (!is_comma && !wfe_sees(p, WFE_T_RPAREN)) return wfe_expected(p, n == want ? "`)`" : "`,` or `)`");
  if (is_comma) wfe_advance(p);
  if (wfe_sees(p, WFE_T_RPAREN)) {
    if (!is_last) return wrong_count(p, f);
    wfe_advance(p);
    return wfe_finish(p);
  }
  return n == want ? wrong_count(p, f) : begin_argument(p);
}

/* The names of ", {a, b}", a trailing comma allowed. */
static bool read_scope(wfe_parser *p) {
  if (!wfe_take(p, WFE_T_LBRACE)) return false;
  while (!wfe_skip(p, WFE_T_RBRACE)) {
    if (!wfe_sees(p, WFE_T_IDENT)) return wfe_expected_name(p, "a name or `}`");
    if (!wfe_push_leaf(p, (wfe_node){.kind = WFE_SCOPE_NAME, .as.name = p->tok.as.name})) return false;
    if (!wfe_skip(p, WFE_T_COMMA) && !wfe_sees(p, WFE_T_RBRACE)) return wfe_expected(p, "`,` or `}`");
  }
  return true;
}

/* Behind the source of dynamic or defer: [: type] [, scope] ")". */
bool wfe_close_source(wfe_parser *p) {
  wir_type type = WIR_NONE;
  const char *want = "`:`, `,` or `)`";
  if (wfe_skip(p, WFE_T_COLON)) {
    want = "`,` or `)`";
    if (!wfe_type(p, &type)) return false;
  }
  bool has_scope = wfe_skip(p, WFE_T_COMMA);
  if (has_scope) {
    want = "`)`";
    if (!read_scope(p)) return false;
  }
  if (!wfe_skip(p, WFE_T_RPAREN)) return wfe_expected(p, want);
  if (!wfe_finish(p)) return false;
  wfe_node *n = &WB_TOP(&p->tree->nodes);
  n->type = type;
  n->has_scope = has_scope;
  return true;
}

