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

typedef enum frame_kind {
  FRAME_BOTTOM,  /* the whole expression */
  FRAME_UNARY,   /* an operator: no `if` and no lambda directly in it */
  FRAME_BINARY,
  FRAME_PAREN,
  FRAME_IF,      /* before `then` */
  FRAME_THEN,    /* before `else` */
  FRAME_ELSE,
  FRAME_LAMBDA,  /* its body */
  FRAME_ITEMS,   /* [...] List(...) Tuple(...) and the arguments of a call */
  FRAME_ENTRIES, /* Map(...) Struct(...) {...} */
  FRAME_BUILTIN,
  FRAME_DYNAMIC,
  FRAME_KINDS
} frame_kind;

typedef struct wfe_frame {
  uint8_t kind;   /* frame_kind */
  uint8_t node;   /* wfe_kind that it becomes */
  uint8_t op;     /* wfe_op or wfe_builtin */
  uint8_t level;  /* of an operator */
  uint8_t close;  /* token that ends the items or entries */
  uint32_t depth; /* levels of nesting, this one included */
  uint32_t base;  /* its first value */
  uint32_t begin; /* where its text begins */
  uint32_t at;    /* its operator token */
  uint32_t key, key_line; /* of the entry that is being read */
  weir_span key_span;
} frame;

/* What the place before the token is. */
typedef enum operand_state {
  OPERAND_WANTED,
  OPERAND_DELAYABLE, /* a literal, a name or a parenthesised expression: [k] may follow */
  OPERAND_DONE,      /* any other expression */
  OPERAND_CLOSED     /* nothing may extend it: a key, the `x` of {x} */
} operand_state;

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

static const uint8_t n_operands[WFE_BUILTINS] = { /* 0: one or more */
#define BUILTIN(name, text, operands) [WFE_B_##name] = operands,
#include "ir/builtins.def"
#undef BUILTIN
};

static const uint8_t key_operand[WFE_BUILTINS] = { /* which operand, from 1, is a key in quotes */
  [WFE_B_MAP_GET] = 2, [WFE_B_MAP_REMOVE] = 2, [WFE_B_MAP_HAS_KEY] = 2, [WFE_B_MAP_INSERT] = 2,
};

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static bool push_value(wfe_parser *p, const wfe_node *n, wfe_value v) {
  wfe_tree *t = p->tree;
  v.node.i = (uint32_t)t->nodes.n;
  if (t->nodes.n >= UINT32_MAX - 1 || !WB_PUSH(t->mem, &t->nodes, *n) || !WB_PUSH(t->mem, &p->values, v)) return wfe_no_memory(p);
  return true;
}

/* A node made of the current token, which is taken. */
static bool push_leaf(wfe_parser *p, wfe_node n) {
  n.span = p->tok.span;
  n.at = n.span.begin;
  n.first = n.next = WFE_NO_NODE;
  wfe_value v = {.begin = n.span.begin, .end = n.span.end, .line = p->tok.line};
  wfe_advance(p);
  return push_value(p, &n, v);
}

/* The node `n`, whose children are the values from `base` on, in their place.  Its bytes are n.span. */
static bool push_node(wfe_parser *p, wfe_node n, uint32_t base, uint32_t line) {
  wfe_node *nodes = p->tree->nodes.at;
  size_t end = p->values.n;
  n.first = base < end ? p->values.at[base].node : WFE_NO_NODE;
  n.next = WFE_NO_NODE;
  n.n_children = (uint32_t)(end - base);
  for (size_t i = base; i + 1 < end; i++) nodes[p->values.at[i].node.i].next = p->values.at[i + 1].node;
  p->values.n = base;
  return push_value(p, &n, (wfe_value){.begin = n.span.begin, .end = n.span.end, .line = line});
}

/* Ends the innermost frame: its node, up to the last token taken. */
static bool finish(wfe_parser *p) {
  frame f = WB_POP(&p->frames);
  wfe_node n = {.kind = f.node, .op = f.op, .span = {f.begin, p->last_end}, .at = f.at};
  p->operand = OPERAND_DONE;
  return push_node(p, n, f.base, 0);
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static frame *top(wfe_parser *p) { return &WB_TOP(&p->frames); }

/* Opens a frame at the current token. */
static bool open_frame(wfe_parser *p, frame f, bool is_nesting) {
  f.depth = (p->frames.n > 0 ? top(p)->depth : 0) + is_nesting;
  if (f.depth > p->limits->nesting) return wfe_too_deep(p);
  p->operand = OPERAND_WANTED;
  return WB_PUSH(p->tree->mem, &p->frames, f) || wfe_no_memory(p);
}

/* A frame for what begins with the current token. */
static frame frame_here(const wfe_parser *p, frame_kind kind, wfe_kind node) {
  uint32_t begin = p->tok.span.begin;
  return (frame){.kind = (uint8_t)kind, .node = (uint8_t)node, .base = (uint32_t)p->values.n, .begin = begin, .at = begin};
}

/* Completes the operators that wait with at least this level.  An operator on the left waited longer: it goes first. */
static bool complete_operators(wfe_parser *p, uint8_t level) {
  for (;;) {
    const frame *f = top(p);
    if ((f->kind != FRAME_UNARY && f->kind != FRAME_BINARY) || f->level < level) return true;
    uint32_t end = WB_TOP(&p->values).end;
    wfe_node n = {.kind = f->node, .op = f->op, .span = {f->begin, end}, .at = f->at};
    uint32_t base = f->base;
    p->frames.n--;
    if (!push_node(p, n, base, 0)) return false;
  }
}

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

static bool begin_int(wfe_parser *p) {
  static const uint64_t smallest = (uint64_t)INT64_MAX + 1; /* 2^63: only as the literal behind a minus */
  wfe_token t = p->tok;
  const frame *f = top(p);
  if (t.is_huge || t.as.u > smallest) {
    wfe_diag_add(p->diags, WEIR_E_PARSE, t.span, "the number is too large for an Int, whose largest is 9223372036854775807");
    t.as.u = 0;
  }
  p->operand = OPERAND_DELAYABLE;
  if (!push_leaf(p, (wfe_node){.kind = WFE_INT, .as.i = t.as.u < smallest ? (int64_t)t.as.u : 0})) return false;
  if (t.as.u < smallest) return true;
  bool is_extended = wfe_sees(p, WFE_T_LBRACK) || wfe_sees(p, WFE_T_LPAREN) || wfe_sees(p, WFE_T_DOT) || wfe_sees(p, WFE_T_POW);
  if (f->kind != FRAME_UNARY || f->op != WFE_NEG || is_extended) {
    wfe_diag_add(p->diags, WEIR_E_PARSE, t.span, "the number is too large for an Int, whose largest is 9223372036854775807");
    wfe_diag_hint(p->diags, "9223372036854775808 may only stand alone, right behind a minus");
    return true;
  }
  wfe_node *n = &WB_TOP(&p->tree->nodes);
  n->as.i = INT64_MIN;
  n->span.begin = n->at = WB_TOP(&p->values).begin = f->begin;
  p->frames.n--;
  p->operand = OPERAND_DONE;
  return true;
}

static bool begin_float(wfe_parser *p) {
  p->operand = OPERAND_DELAYABLE;
  return push_leaf(p, (wfe_node){.kind = WFE_FLOAT, .as.f = p->tok.as.f});
}

static bool begin_bool(wfe_parser *p) {
  p->operand = OPERAND_DELAYABLE;
  return push_leaf(p, (wfe_node){.kind = WFE_BOOL, .as.b = wfe_sees(p, WFE_T_TRUE)});
}

static bool begin_text(wfe_parser *p) {
  p->operand = OPERAND_DELAYABLE;
  return push_leaf(p, (wfe_node){.kind = WFE_STR, .as.name = p->tok.as.name});
}

/* A name with "=" behind it, at the start of a line, is the next equation: what stands before lacks its end. */
static bool begin_name(wfe_parser *p) {
  wfe_token t = p->tok;
  bool begins_line = wfe_begins_line(p);
  p->operand = OPERAND_DELAYABLE;
  if (!push_leaf(p, (wfe_node){.kind = WFE_NAME, .as.name = t.as.name})) return false;
  if (!begins_line || !wfe_sees(p, WFE_T_ASSIGN)) return true;
  wb_str name = wfe_slice(p, t.span);
  wfe_diag_add(p->diags, WEIR_E_PARSE, t.span, "expected an expression, found the equation of `%.*s`", (int)WB_MIN(name.n, 64u), name.at);
  p->ahead = p->tok;
  p->has_ahead = true;
  p->tok = t;
  return false;
}

static bool begin_unary(wfe_parser *p) {
  frame f = frame_here(p, FRAME_UNARY, WFE_UNARY);
  f.op = wfe_sees(p, WFE_T_MINUS) ? WFE_NEG : WFE_NOT;
  f.level = LEVEL_UNARY;
  if (!open_frame(p, f, true)) return false;
  wfe_advance(p);
  return true;
}

/* "(" begins `()` or a parenthesised expression. */
static bool begin_paren(wfe_parser *p) {
  frame f = frame_here(p, FRAME_PAREN, WFE_UNIT);
  if (!open_frame(p, f, true)) return false;
  wfe_advance(p);
  if (!wfe_skip(p, WFE_T_RPAREN)) return true;
  if (!finish(p)) return false;
  p->operand = OPERAND_DELAYABLE;
  return true;
}

/* `if` and lambdas reach as far right as they can: directly in an operator they would swallow what is not theirs. */
static bool may_reach_right(wfe_parser *p, const char *what) {
  if (top(p)->kind != FRAME_UNARY && top(p)->kind != FRAME_BINARY) return true;
  wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "%s needs parentheses as an operand", what);
  return false;
}

static bool begin_if(wfe_parser *p) {
  bool is_chain = top(p)->kind == FRAME_ELSE;
  if (!may_reach_right(p, "`if`") || !open_frame(p, frame_here(p, FRAME_IF, WFE_IF), !is_chain)) return false;
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
  return push_node(p, n, (uint32_t)p->values.n, 0);
}

static bool begin_lambda(wfe_parser *p) {
  if (!may_reach_right(p, "a lambda") || !open_frame(p, frame_here(p, FRAME_LAMBDA, WFE_LAMBDA), true)) return false;
  do {
    wfe_advance(p); /* the backslash, a comma */
    if (!read_param(p)) return false;
  } while (wfe_sees(p, WFE_T_COMMA));
  return wfe_skip(p, WFE_T_ARROW) || wfe_expected(p, "`,` or `->` after a parameter");
}

/* Opens [...], List(...), Tuple(...) or a call, whose opening token is the current one. */
static bool open_items(wfe_parser *p, frame f, wfe_token_kind close) {
  f.close = (uint8_t)close;
  if (!open_frame(p, f, true)) return false;
  wfe_advance(p);
  return !wfe_skip(p, close) || finish(p);
}

static bool begin_bracket(wfe_parser *p) { return open_items(p, frame_here(p, FRAME_ITEMS, WFE_LIST), WFE_T_RBRACK); }

/* Takes a word that only a "(" may follow. */
static bool take_head(wfe_parser *p) {
  weir_span span = p->tok.span;
  wfe_advance(p);
  if (wfe_sees(p, WFE_T_LPAREN)) return true;
  wb_str word = wfe_slice(p, span);
  wfe_expected(p, "`(`");
  wfe_diag_hint(p->diags, "`%.*s` is a reserved word: only a call of it is an expression", (int)word.n, word.at);
  return false;
}

static bool begin_container(wfe_parser *p) {
  frame f = frame_here(p, FRAME_ITEMS, wfe_sees(p, WFE_T_LIST) ? WFE_LIST : WFE_TUPLE);
  return take_head(p) && open_items(p, f, WFE_T_RPAREN);
}

/* ---- Entries ----------------------------------------------------------------------------------------------------- */

/* The key of the next entry and its colon; {x} stands for {x: x}. */
static bool read_key(wfe_parser *p) {
  frame *f = top(p);
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
  p->operand = OPERAND_WANTED;
  if (wfe_sees(p, WFE_T_STR)) {
    wfe_advance(p);
    return wfe_take(p, WFE_T_COLON);
  }
  wfe_token name = p->tok;
  wfe_advance(p);
  if (wfe_skip(p, WFE_T_COLON)) return true;
  wfe_node n = {.kind = WFE_NAME, .span = name.span, .at = name.span.begin, .as.name = name.as.name};
  p->operand = OPERAND_CLOSED;
  return push_node(p, n, (uint32_t)p->values.n, 0);
}

/* Opens Map(...), Struct(...) or {...}, whose opening token is the current one. */
static bool open_entries(wfe_parser *p, frame f, wfe_token_kind close) {
  f.close = (uint8_t)close;
  if (!open_frame(p, f, true)) return false;
  wfe_advance(p);
  return wfe_skip(p, close) ? finish(p) : read_key(p);
}

static bool begin_brace(wfe_parser *p) { return open_entries(p, frame_here(p, FRAME_ENTRIES, WFE_OBJECT), WFE_T_RBRACE); }

static bool begin_map(wfe_parser *p) {
  frame f = frame_here(p, FRAME_ENTRIES, wfe_sees(p, WFE_T_MAP) ? WFE_MAP : WFE_STRUCT);
  return take_head(p) && open_entries(p, f, WFE_T_RPAREN);
}

/* Reports the keys that stand a second time among the values from `base` on. */
static bool check_keys(wfe_parser *p, uint32_t base) {
  uint32_t owner = ++p->n_owners, first_line;
  for (size_t i = base; i < p->values.n; i++) {
    const wfe_node *n = wfe_at(p->tree, p->values.at[i].node);
    if (!wfe_see(p, &p->keys, owner, n->as.name, p->values.at[i].line, &first_line)) return false;
    if (first_line == 0) continue;
    wb_str key = wb_name(p->tree->names, n->as.name);
    size_t shown = wb_utf8_cut(key, WB_MIN(key.n, 64u));
    wfe_diag_add(p->diags, WEIR_E_PARSE, n->span, "the key \"%.*s\" stands twice here; first in line %" PRIu32, (int)shown, key.at, first_line);
  }
  return true;
}

static bool finish_entries(wfe_parser *p) { return check_keys(p, top(p)->base) && finish(p); }

/* ---- Library functions ------------------------------------------------------------------------------------------- */

static bool wrong_count(wfe_parser *p, const frame *f) {
  unsigned n = n_operands[f->op];
  const char *name = wfe_builtin_text((wfe_builtin)f->op);
  if (n == 0) wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "`%s` takes at least one argument", name);
  else wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "`%s` takes %u argument%s", name, n, n == 1 ? "" : "s");
  return false;
}

/* At the start of an argument: a key is taken at once, anything else is an expression. */
static bool begin_argument(wfe_parser *p) {
  const frame *f = top(p);
  p->operand = OPERAND_WANTED;
  if (key_operand[f->op] != p->values.n - f->base + 1) return true;
  if (!wfe_sees(p, WFE_T_STR)) {
    wfe_expected(p, "a key in quotes");
    wfe_diag_hint(p->diags, "keys of maps are literal texts, as in Map.get(m, \"name\")");
    return false;
  }
  p->operand = OPERAND_CLOSED;
  return push_leaf(p, (wfe_node){.kind = WFE_STR, .as.name = p->tok.as.name});
}

static bool begin_builtin(wfe_parser *p) {
  frame f = frame_here(p, FRAME_BUILTIN, WFE_BUILTIN);
  f.op = p->tok.op;
  if (!take_head(p) || !open_frame(p, f, true)) return false;
  wfe_advance(p);
  return wfe_sees(p, WFE_T_RPAREN) ? wrong_count(p, top(p)) : begin_argument(p);
}

static bool begin_dynamic(wfe_parser *p) {
  frame f = frame_here(p, FRAME_DYNAMIC, wfe_sees(p, WFE_T_DEFER) ? WFE_DEFER : WFE_DYNAMIC);
  if (!take_head(p) || !open_frame(p, f, true)) return false;
  wfe_advance(p);
  return true;
}

/* monitored_at(x, place), dist(place, place): names or texts, kept as scope names; the checker refuses the whole. */
static bool begin_distributed(wfe_parser *p) {
  bool is_dist = wfe_sees(p, WFE_T_DIST);
  frame f = frame_here(p, FRAME_ITEMS, is_dist ? WFE_DIST : WFE_MONITORED_AT);
  if (!take_head(p) || !open_frame(p, f, true)) return false;
  wfe_advance(p);
  for (int i = 0; i < 2; i++) {
    bool is_name = wfe_sees(p, WFE_T_IDENT) || (wfe_sees(p, WFE_T_STR) && (is_dist || i == 1));
    if (!is_name) return wfe_expected_name(p, is_dist || i == 1 ? "a name or a text" : "a name");
    if (!push_leaf(p, (wfe_node){.kind = WFE_SCOPE_NAME, .as.name = p->tok.as.name})) return false;
    if (!wfe_take(p, i == 0 ? WFE_T_COMMA : WFE_T_RPAREN)) return false;
  }
  return finish(p);
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
  if (p->operand != OPERAND_DELAYABLE) return report_delay(p);
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
  p->operand = OPERAND_DONE;
  return push_node(p, n, (uint32_t)(p->values.n - 1), 0);
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
  p->operand = OPERAND_DONE;
  return push_node(p, n, (uint32_t)(p->values.n - 1), 0);
}

static bool read_call(wfe_parser *p) {
  frame f = frame_here(p, FRAME_ITEMS, WFE_CALL);
  f.base--;
  f.begin = WB_TOP(&p->values).begin;
  return open_items(p, f, WFE_T_RPAREN);
}

static bool read_infix(wfe_parser *p) {
  uint8_t level = infix[p->tok.kind].level, op = infix[p->tok.kind].op;
  bool is_power = level == LEVEL_POWER; /* right associative: those before it wait */
  if (!complete_operators(p, is_power ? LEVEL_POWER + 1 : level)) return false;
  frame f = frame_here(p, FRAME_BINARY, WFE_BINARY);
  f.op = op;
  f.level = level;
  f.base--;
  f.begin = WB_TOP(&p->values).begin;
  if (!open_frame(p, f, is_power)) return false;
  wfe_advance(p);
  return true;
}

/* ---- The end of an operand, by the frame that waits for it ------------------------------------------------------- */

static bool close_bottom(wfe_parser *p) {
  p->frames.n--;
  return true;
}

static bool close_paren(wfe_parser *p) {
  if (!wfe_take(p, WFE_T_RPAREN)) return false;
  wfe_value *v = &WB_TOP(&p->values);
  v->begin = top(p)->begin;
  v->end = p->last_end;
  p->tree->nodes.at[v->node.i].in_parens = true;
  p->frames.n--;
  p->operand = OPERAND_DELAYABLE;
  return true;
}

static bool close_condition(wfe_parser *p) {
  if (!wfe_take(p, WFE_T_THEN)) return false;
  top(p)->kind = FRAME_THEN;
  p->operand = OPERAND_WANTED;
  return true;
}

static bool close_then(wfe_parser *p) {
  if (!wfe_sees(p, WFE_T_ELSE)) {
    wfe_expected(p, "`else`");
    wfe_diag_hint(p->diags, "an `if` has both branches: if c then a else b");
    return false;
  }
  wfe_advance(p);
  top(p)->kind = FRAME_ELSE;
  p->operand = OPERAND_WANTED;
  return true;
}

/* Of `,` and the closing token.  A trailing comma is allowed. */
static bool close_items(wfe_parser *p) {
  wfe_token_kind close = (wfe_token_kind)top(p)->close;
  bool is_comma = wfe_skip(p, WFE_T_COMMA);
  if (wfe_skip(p, close)) return finish(p);
  p->operand = OPERAND_WANTED;
  return is_comma || wfe_expected(p, close == WFE_T_RPAREN ? "`,` or `)`" : "`,` or `]`");
}

static bool close_entry(wfe_parser *p) {
  const frame *f = top(p);
  wfe_token_kind close = (wfe_token_kind)f->close;
  wfe_node n = {.kind = WFE_ENTRY, .span = f->key_span, .at = f->key_span.begin, .as.name = f->key};
  if (!push_node(p, n, (uint32_t)(p->values.n - 1), f->key_line)) return false;
  bool is_shorthand = p->operand == OPERAND_CLOSED, is_comma = wfe_skip(p, WFE_T_COMMA);
  if (wfe_skip(p, close)) return finish_entries(p);
  if (is_comma) return read_key(p);
  if (is_shorthand) return wfe_expected(p, "`:`, `,` or `}`");
  return wfe_expected(p, close == WFE_T_RPAREN ? "`,` or `)`" : "`,` or `}`");
}

static bool close_argument(wfe_parser *p) {
  const frame *f = top(p);
  size_t n = p->values.n - f->base, want = n_operands[f->op];
  bool is_last = want == 0 || n == want, is_comma = wfe_sees(p, WFE_T_COMMA);
  if (!is_comma && !wfe_sees(p, WFE_T_RPAREN)) return wfe_expected(p, n == want ? "`)`" : "`,` or `)`");
  if (is_comma) wfe_advance(p);
  if (wfe_sees(p, WFE_T_RPAREN)) {
    if (!is_last) return wrong_count(p, f);
    wfe_advance(p);
    return finish(p);
  }
  return n == want ? wrong_count(p, f) : begin_argument(p);
}

/* The names of ", {a, b}", a trailing comma allowed. */
static bool read_scope(wfe_parser *p) {
  if (!wfe_take(p, WFE_T_LBRACE)) return false;
  while (!wfe_skip(p, WFE_T_RBRACE)) {
    if (!wfe_sees(p, WFE_T_IDENT)) return wfe_expected_name(p, "a name or `}`");
    if (!push_leaf(p, (wfe_node){.kind = WFE_SCOPE_NAME, .as.name = p->tok.as.name})) return false;
    if (!wfe_skip(p, WFE_T_COMMA) && !wfe_sees(p, WFE_T_RBRACE)) return wfe_expected(p, "`,` or `}`");
  }
  return true;
}

/* Behind the source of dynamic or defer: [: type] [, scope] ")". */
static bool close_source(wfe_parser *p) {
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
  if (!finish(p)) return false;
  wfe_node *n = &WB_TOP(&p->tree->nodes);
  n->type = type;
  n->has_scope = has_scope;
  return true;
}

/* ---- The loop ---------------------------------------------------------------------------------------------------- */

typedef bool act(wfe_parser *p);

static act *const beginners[WFE_TOKENS] = { /* NULL: no expression begins with this token */
  [WFE_T_INT] = begin_int,         [WFE_T_FLOAT] = begin_float,         [WFE_T_STR] = begin_text,
  [WFE_T_IDENT] = begin_name,      [WFE_T_TRUE] = begin_bool,           [WFE_T_FALSE] = begin_bool,
  [WFE_T_MINUS] = begin_unary,     [WFE_T_BANG] = begin_unary,          [WFE_T_NOT_WORD] = begin_unary,
  [WFE_T_LPAREN] = begin_paren,    [WFE_T_LBRACK] = begin_bracket,      [WFE_T_LBRACE] = begin_brace,
  [WFE_T_IF] = begin_if,           [WFE_T_LAMBDA] = begin_lambda,       [WFE_T_BUILTIN] = begin_builtin,
  [WFE_T_LIST] = begin_container,  [WFE_T_TUPLE] = begin_container,     [WFE_T_MAP] = begin_map,
  [WFE_T_STRUCT] = begin_map,      [WFE_T_DYNAMIC] = begin_dynamic,     [WFE_T_EVAL] = begin_dynamic,
  [WFE_T_DEFER] = begin_dynamic,   [WFE_T_DIST] = begin_distributed,    [WFE_T_MONITORED_AT] = begin_distributed,
};

static act *const postfix[WFE_TOKENS] = {
  [WFE_T_LPAREN] = read_call, [WFE_T_LBRACK] = read_delay, [WFE_T_DOT] = read_field,
};

static act *const enders[FRAME_KINDS] = { /* operators are completed before: none of theirs */
  [FRAME_BOTTOM] = close_bottom, [FRAME_PAREN] = close_paren,   [FRAME_IF] = close_condition,
  [FRAME_THEN] = close_then,     [FRAME_ELSE] = finish,         [FRAME_LAMBDA] = finish,
  [FRAME_ITEMS] = close_items,   [FRAME_ENTRIES] = close_entry, [FRAME_BUILTIN] = close_argument,
  [FRAME_DYNAMIC] = close_source,
};

static bool no_operand(wfe_parser *p) {
  wfe_expected(p, "an expression");
  if (wfe_sees(p, WFE_T_DOT)) wfe_diag_hint(p->diags, "a number begins with a digit: 0.5");
  if (wfe_is_reserved(&p->tok)) {
    wb_str word = wfe_slice(p, p->tok.span);
    wfe_diag_hint(p->diags, "`%.*s` is a reserved word", (int)word.n, word.at);
  }
  return false;
}

static bool begin_operand(wfe_parser *p) {
  act *f = beginners[p->tok.kind];
  if (!f) return no_operand(p);
  p->operand = OPERAND_DONE;
  return f(p);
}

static bool after_operand(wfe_parser *p) {
  if (p->operand != OPERAND_CLOSED) {
    if (postfix[p->tok.kind]) return postfix[p->tok.kind](p);
    if (infix[p->tok.kind].level != 0) return read_infix(p);
  }
  return complete_operators(p, 0) && enders[top(p)->kind](p);
}

bool wfe_expression(wfe_parser *p, wfe_ref *out) {
  bool is_ok = true;
  p->frames.n = p->values.n = 0;
  if (!open_frame(p, frame_here(p, FRAME_BOTTOM, WFE_UNIT), false)) return false;
  while (is_ok && p->frames.n > 0) is_ok = p->operand == OPERAND_WANTED ? begin_operand(p) : after_operand(p);
  if (is_ok) *out = p->values.at[0].node;
  return is_ok;
}
