/* frontend/parse_expr.c -- expressions (language.md 2), without recursion.
**
** A loop looks at one token at a time and is in one of two situations: an operand must begin here (begin_operand), or one has
** just ended (after_operand).  What waits for an operand is a frame: a parenthesis, a call, `if`, an operator.  A finished
** operand is a value; a frame that is complete takes its values and leaves one, the node made of them.
**
**     a + f(b * 2)     at `2`: frames  +  f(  *       values  a  f  b  2
**
** Operators wait with their level.  One of a lower or the same level behind an operand completes those above it; the end of
** the operand completes all of them down to the innermost frame of another kind, and that one decides how it goes on (`enders`).
** Only frames that can pile up without end count as nesting: not left-associative operators, and not an `if` behind `else`. */
#include "frontend/parser.h"

enum { LEVEL_UNARY = 9, LEVEL_POWER = 10 };

static const struct { uint8_t level, op; } infix[WFE_TOKENS] = { /* level 0: no operator.  All left associative but `**` */
  [WFE_T_CONCAT] = {1, WFE_CONCAT},
  [WFE_T_IMPLIES] = {2, WFE_IMPLIES},
  [WFE_T_OR] = {3, WFE_OR},       [WFE_T_OR_WORD] = {3, WFE_OR},
  [WFE_T_AND] = {4, WFE_AND},     [WFE_T_AND_WORD] = {4, WFE_AND},
  [WFE_T_EQ] = {5, WFE_EQ},       [WFE_T_NE] = {5, WFE_NE},
  [WFE_T_LT] = {6, WFE_LT},       [WFE_T_LE] = {6, WFE_LE},
  [WFE_T_GT] = {6, WFE_GT},       [WFE_T_GE] = {6, WFE_GE},
  [WFE_T_PLUS] = {7, WFE_ADD},    [WFE_T_MINUS] = {7, WFE_SUB},
  [WFE_T_STAR] = {8, WFE_MUL},    [WFE_T_SLASH] = {8, WFE_DIV},   [WFE_T_PERCENT] = {8, WFE_REM},
  [WFE_T_POW] = {LEVEL_POWER, WFE_POW},
};

/* Completes the operators that wait with at least this level.  An operator on the left waited longer: it goes first. */
static bool complete_operators(wfe_parser *p, uint8_t level) {
  for (;;) {
    const wfe_frame *f = wfe_top(p);
    if ((f->kind != WFE_FRAME_UNARY && f->kind != WFE_FRAME_BINARY) || f->level < level) return true;
    uint32_t end = WB_TOP(&p->values).end;
    wfe_node n = {.kind = f->node, .op = f->op, .span = {f->begin, end}, .at = f->at};
    uint32_t base = f->base;
    p->frames.n--;
    if (!wfe_push_node(p, n, base, 0)) return false;
  }
}

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

static void report_int(wfe_parser *p, weir_span span) {
  wfe_diag_add(p->diags, WEIR_E_PARSE, span, "the number is too large for an Int, whose largest is 9223372036854775807");
}

static bool begin_int(wfe_parser *p) {
  static const uint64_t smallest = (uint64_t)INT64_MAX + 1; /* 2^63: only as the literal behind a minus */
  wfe_token t = p->tok;
  const wfe_frame *f = wfe_top(p);
  if (t.is_huge || t.as.u > smallest) {
    report_int(p, t.span);
    t.as.u = 0; /* reading goes on */
  }
  p->operand = WFE_OPERAND_DELAYABLE;
  if (!wfe_push_leaf(p, (wfe_node){.kind = WFE_INT, .as.i = t.as.u < smallest ? (int64_t)t.as.u : 0})) return false;
  if (t.as.u < smallest) return true;
  bool is_extended = wfe_sees(p, WFE_T_LBRACK) || wfe_sees(p, WFE_T_LPAREN) || wfe_sees(p, WFE_T_DOT) || wfe_sees(p, WFE_T_POW);
  if (f->kind != WFE_FRAME_UNARY || f->op != WFE_NEG || is_extended) {
    report_int(p, t.span);
    wfe_diag_hint(p->diags, "9223372036854775808 may only stand alone, right behind a minus");
    return true;
  }
  wfe_node *n = &WB_TOP(&p->tree->nodes);
  n->as.i = INT64_MIN;
  n->span.begin = n->at = WB_TOP(&p->values).begin = f->begin;
  p->frames.n--;
  p->operand = WFE_OPERAND_DONE;
  return true;
}

static bool begin_float(wfe_parser *p) {
  p->operand = WFE_OPERAND_DELAYABLE;
  return wfe_push_leaf(p, (wfe_node){.kind = WFE_FLOAT, .as.f = p->tok.as.f});
}

static bool begin_bool(wfe_parser *p) {
  p->operand = WFE_OPERAND_DELAYABLE;
  return wfe_push_leaf(p, (wfe_node){.kind = WFE_BOOL, .as.b = wfe_sees(p, WFE_T_TRUE)});
}

static bool begin_text(wfe_parser *p) {
  p->operand = WFE_OPERAND_DELAYABLE;
  return wfe_push_leaf(p, (wfe_node){.kind = WFE_STR, .as.name = p->tok.as.name});
}

/* A name with "=" behind it, at the start of a line, is the next equation: what stands before lacks its end. */
static bool begin_name(wfe_parser *p) {
  wfe_token t = p->tok;
  bool begins_line = wfe_begins_line(p);
  p->operand = WFE_OPERAND_DELAYABLE;
  if (!wfe_push_leaf(p, (wfe_node){.kind = WFE_NAME, .as.name = t.as.name})) return false;
  if (!begins_line || !wfe_sees(p, WFE_T_ASSIGN)) return true;
  wb_str name = wfe_slice(p, t.span);
  wfe_diag_add(p->diags, WEIR_E_PARSE, t.span, "expected an expression, found the equation of `%.*s`",
               (int)WB_MIN(name.n, 64u), name.at);
  p->ahead = p->tok;
  p->has_ahead = true;
  p->tok = t;
  return false;
}

static bool begin_unary(wfe_parser *p) {
  wfe_frame f = wfe_frame_here(p, WFE_FRAME_UNARY, WFE_UNARY);
  f.op = wfe_sees(p, WFE_T_MINUS) ? WFE_NEG : WFE_NOT;
  f.level = LEVEL_UNARY;
  if (!wfe_open_frame(p, f, true)) return false;
  wfe_advance(p);
  return true;
}

/* "(" begins `()` or a parenthesised expression. */
static bool begin_paren(wfe_parser *p) {
  wfe_frame f = wfe_frame_here(p, WFE_FRAME_PAREN, WFE_UNIT);
  if (!wfe_open_frame(p, f, true)) return false;
  wfe_advance(p);
  if (!wfe_skip(p, WFE_T_RPAREN)) return true;
  if (!wfe_finish(p)) return false;
  p->operand = WFE_OPERAND_DELAYABLE;
  return true;
}

/* `if` and lambdas reach as far right as they can: directly in an operator they would swallow what is not theirs. */
static bool may_reach_right(wfe_parser *p, const char *what) {
  if (wfe_top(p)->kind != WFE_FRAME_UNARY && wfe_top(p)->kind != WFE_FRAME_BINARY) return true;
  wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "%s needs parentheses as an operand", what);
  return false;
}

static bool begin_if(wfe_parser *p) {
  bool is_chain = wfe_top(p)->kind == WFE_FRAME_ELSE;
  if (!may_reach_right(p, "`if`") || !wfe_open_frame(p, wfe_frame_here(p, WFE_FRAME_IF, WFE_IF), !is_chain)) return false;
  wfe_advance(p);
  return true;
}

static bool read_param(wfe_parser *p) {
  wfe_node n = {.kind = WFE_PARAM, .span = p->tok.span, .at = p->tok.span.begin, .type = WIR_NONE};
  if (!wfe_sees(p, WFE_T_IDENT)) return wfe_expected_name(p, "a parameter");
  n.as.name = p->tok.as.name;
  wfe_advance(p);
  if (wfe_skip(p, WFE_T_COLON) && !wfe_type(p, &n.type)) return false;
  n.span.end = p->last_end;
  return wfe_push_node(p, n, (uint32_t)p->values.n, 0);
}

static bool begin_lambda(wfe_parser *p) {
  if (!may_reach_right(p, "a lambda") || !wfe_open_frame(p, wfe_frame_here(p, WFE_FRAME_LAMBDA, WFE_LAMBDA), true)) return false;
  do {
    wfe_advance(p); /* the backslash, a comma */
    if (!read_param(p)) return false;
  } while (wfe_sees(p, WFE_T_COMMA));
  return wfe_skip(p, WFE_T_ARROW) || wfe_expected(p, "`,` or `->` after a parameter");
}

/* ---- Behind an operand ------------------------------------------------------------------------------------------- */

static bool report_delay(wfe_parser *p) {
  wfe_value v = WB_TOP(&p->values);
  wb_str text = wfe_slice(p, (weir_span){v.begin, v.end});
  wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "[k] applies only to a name, a literal or a parenthesised expression");
  if (text.n <= 60 && !__builtin_memchr(text.at, '\n', text.n)) wfe_diag_hint(p->diags, "write (%.*s)[k]", (int)text.n, text.at);
  return false;
}

/* "[k]" behind what may be delayed. */
static bool read_delay(wfe_parser *p) {
  wfe_value v = WB_TOP(&p->values);
  wfe_node n = {.kind = WFE_DELAY, .at = p->tok.span.begin, .as.offset = 0};
  if (p->operand != WFE_OPERAND_DELAYABLE) return report_delay(p);
  wfe_advance(p);
  if (!wfe_sees(p, WFE_T_INT)) {
    wfe_expected(p, "a number of ticks");
    wfe_diag_hint(p->diags, "the k of [k] is a literal from 0 to 18446744073709551615, never computed");
    return false;
  }
  if (p->tok.is_huge)
    wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "the offset is too large; the largest is 18446744073709551615");
  else
    n.as.offset = p->tok.as.u;
  wfe_advance(p);
  if (!wfe_take(p, WFE_T_RBRACK)) return false;
  n.span = (weir_span){v.begin, p->last_end};
  p->operand = WFE_OPERAND_DONE;
  return wfe_push_node(p, n, (uint32_t)(p->values.n - 1), 0);
}

/* ".name" or ".digits". */
static bool read_field(wfe_parser *p) {
  wfe_value v = WB_TOP(&p->values);
  wfe_node n = {.kind = WFE_FIELD, .at = p->tok.span.begin};
  wfe_advance(p);
  if (wfe_sees(p, WFE_T_IDENT)) {
    n.as.name = p->tok.as.name;
  } else if (wfe_sees(p, WFE_T_INT)) {
    n.kind = WFE_ITEM;
    n.as.offset = p->tok.is_huge ? UINT64_MAX : p->tok.as.u;
    if (p->tok.is_huge) wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "the index is too large");
  } else {
    return wfe_expected_name(p, "a field name or an index");
  }
  wfe_advance(p);
  n.span = (weir_span){v.begin, p->last_end};
  p->operand = WFE_OPERAND_DONE;
  return wfe_push_node(p, n, (uint32_t)(p->values.n - 1), 0);
}

static bool read_infix(wfe_parser *p) {
  uint8_t level = infix[p->tok.kind].level, op = infix[p->tok.kind].op;
  bool is_power = level == LEVEL_POWER; /* right associative: those before it wait */
  if (!complete_operators(p, is_power ? LEVEL_POWER + 1 : level)) return false;
  wfe_frame f = wfe_frame_here(p, WFE_FRAME_BINARY, WFE_BINARY);
  f.op = op;
  f.level = level;
  f.base--;
  f.begin = WB_TOP(&p->values).begin;
  if (!wfe_open_frame(p, f, is_power)) return false;
  wfe_advance(p);
  return true;
}

/* ---- The end of an operand, by the frame that waits for it ------------------------------------------------------- */

static bool close_bottom(wfe_parser *p) {
  p->frames.n--;
  return true;
}

/* Where the parenthesis that is missing its end stands, if that is another line. */
static void hint_paren(wfe_parser *p) {
  if (p->diags->last >= p->diags->n || !wfe_begins_line(p)) return; /* not kept, or plain to see */
  wfe_diag_hint(p->diags, "the `(` in line %" PRIu64 " is not closed", wb_locate(p->tree->text, wfe_top(p)->begin).line);
}

static bool close_paren(wfe_parser *p) {
  if (!wfe_take(p, WFE_T_RPAREN)) {
    hint_paren(p);
    return false;
  }
  wfe_value *v = &WB_TOP(&p->values);
  v->begin = wfe_top(p)->begin;
  v->end = p->last_end;
  p->tree->nodes.at[v->node.i].in_parens = true;
  p->frames.n--;
  p->operand = WFE_OPERAND_DELAYABLE;
  return true;
}

static bool close_condition(wfe_parser *p) {
  if (!wfe_take(p, WFE_T_THEN)) return false;
  wfe_top(p)->kind = WFE_FRAME_THEN;
  p->operand = WFE_OPERAND_WANTED;
  return true;
}

/* The word of another language for `else if`. */
static bool is_else_if(const wfe_parser *p) {
  wb_str word = wfe_slice(p, p->tok.span);
  return wb_str_eq(word, WB_STR("elif")) || wb_str_eq(word, WB_STR("elseif")) || wb_str_eq(word, WB_STR("elsif"));
}

static bool close_then(wfe_parser *p) {
  if (!wfe_sees(p, WFE_T_ELSE)) {
    wfe_expected(p, "`else`");
    wfe_diag_hint(p->diags, "%s", is_else_if(p) ? "another condition follows behind `else if`"
                                                : "an `if` has both branches: if c then a else b");
    return false;
  }
  wfe_advance(p);
  wfe_top(p)->kind = WFE_FRAME_ELSE;
  p->operand = WFE_OPERAND_WANTED;
  return true;
}

/* ---- The loop ---------------------------------------------------------------------------------------------------- */

typedef bool act(wfe_parser *p);

static act *const beginners[WFE_TOKENS] = { /* NULL: no expression begins with this token */
  [WFE_T_INT] = begin_int,         [WFE_T_FLOAT] = begin_float,         [WFE_T_STR] = begin_text,
  [WFE_T_IDENT] = begin_name,      [WFE_T_TRUE] = begin_bool,           [WFE_T_FALSE] = begin_bool,
  [WFE_T_MINUS] = begin_unary,     [WFE_T_BANG] = begin_unary,          [WFE_T_NOT_WORD] = begin_unary,
  [WFE_T_LPAREN] = begin_paren,    [WFE_T_LBRACK] = wfe_begin_bracket,      [WFE_T_LBRACE] = wfe_begin_brace,
  [WFE_T_IF] = begin_if,           [WFE_T_LAMBDA] = begin_lambda,       [WFE_T_BUILTIN] = wfe_begin_builtin,
  [WFE_T_LIST] = wfe_begin_container,  [WFE_T_TUPLE] = wfe_begin_container,     [WFE_T_MAP] = wfe_begin_map,
  [WFE_T_STRUCT] = wfe_begin_map,      [WFE_T_DYNAMIC] = wfe_begin_dynamic,     [WFE_T_EVAL] = wfe_begin_dynamic,
  [WFE_T_DEFER] = wfe_begin_dynamic,   [WFE_T_DIST] = wfe_begin_distributed,    [WFE_T_MONITORED_AT] = wfe_begin_distributed,
};

static act *const postfix[WFE_TOKENS] = {
  [WFE_T_LPAREN] = wfe_read_call, [WFE_T_LBRACK] = read_delay, [WFE_T_DOT] = read_field,
};

static act *const enders[WFE_FRAME_KINDS] = { /* operators are completed before: none of theirs */
  [WFE_FRAME_BOTTOM] = close_bottom, [WFE_FRAME_PAREN] = close_paren,   [WFE_FRAME_IF] = close_condition,
  [WFE_FRAME_THEN] = close_then,     [WFE_FRAME_ELSE] = wfe_finish,         [WFE_FRAME_LAMBDA] = wfe_finish,
  [WFE_FRAME_ITEMS] = wfe_close_items,   [WFE_FRAME_ENTRIES] = wfe_close_entry, [WFE_FRAME_BUILTIN] = wfe_close_argument,
  [WFE_FRAME_DYNAMIC] = wfe_close_source,
};

static bool no_operand(wfe_parser *p) {
  wfe_expected(p, "an expression");
  if (wfe_sees(p, WFE_T_DOT)) wfe_diag_hint(p->diags, "a number begins with a digit: 0.5");
  bool is_declaration = p->tok.kind >= WFE_T_IN && p->tok.kind <= WFE_T_VAR;
  if (is_declaration) wfe_diag_hint(p->diags, "what stands before the declaration is not finished");
  else if (wfe_is_reserved(&p->tok)) {
    wb_str word = wfe_slice(p, p->tok.span);
    wfe_diag_hint(p->diags, "`%.*s` is a reserved word", (int)word.n, word.at);
  }
  return false;
}

static bool begin_operand(wfe_parser *p) {
  act *f = beginners[p->tok.kind];
  if (!f) return no_operand(p);
  p->operand = WFE_OPERAND_DONE;
  return f(p);
}

static bool after_operand(wfe_parser *p) {
  if (p->operand != WFE_OPERAND_CLOSED) {
    if (postfix[p->tok.kind]) return postfix[p->tok.kind](p);
    if (infix[p->tok.kind].level != 0) return read_infix(p);
  }
  return complete_operators(p, 0) && enders[wfe_top(p)->kind](p);
}

bool wfe_expression(wfe_parser *p, wfe_ref *out) {
  bool is_ok = true;
  p->frames.n = p->values.n = 0;
  if (!wfe_open_frame(p, wfe_frame_here(p, WFE_FRAME_BOTTOM, WFE_UNIT), false)) return false;
  while (is_ok && p->frames.n > 0) is_ok = p->operand == WFE_OPERAND_WANTED ? begin_operand(p) : after_operand(p);
  if (is_ok) *out = p->values.at[0].node;
  return is_ok;
}
