/* frontend/parser.h -- what the files of the DSRV parser share: its state, its tokens, its way of reporting.
**
**   parse.c       the door; declarations, equations, going on after an error
**   parse_expr.c  expressions, operators            parse_list.c  containers, calls, library functions
**   parse_node.c  frames, values and nodes for both
**   parse_type.c  types
**
** Nothing here recurses.  What is open (a parenthesis, an operator waiting for its right side) is a frame on a stack of the
** heap, and what is finished is a value on another, so that nesting costs no C stack and the limit on it is exact.
** A function answers false when it can't go on; the reason is then in the diagnostics. */
#ifndef WFE_PARSER_H
#define WFE_PARSER_H

#include "frontend/expect.h"
#include "frontend/parse.h"

/* A finished expression that no node has taken yet. */
typedef struct wfe_value {
  wfe_ref node;
  uint32_t begin, end; /* its bytes, parentheses of its own included */
  uint32_t line;       /* of an entry's key */
} wfe_value;

/* What waits for an operand. */
typedef enum wfe_frame_kind {
  WFE_FRAME_BOTTOM,  /* the whole expression */
  WFE_FRAME_UNARY,   /* an operator: no `if` and no lambda directly in it */
  WFE_FRAME_BINARY,
  WFE_FRAME_PAREN,
  WFE_FRAME_IF,      /* before `then` */
  WFE_FRAME_THEN,    /* before `else` */
  WFE_FRAME_ELSE,
  WFE_FRAME_LAMBDA,  /* its body */
  WFE_FRAME_ITEMS,   /* [...] List(...) Tuple(...) and the arguments of a call */
  WFE_FRAME_ENTRIES, /* Map(...) Struct(...) {...} */
  WFE_FRAME_BUILTIN,
  WFE_FRAME_DYNAMIC,
  WFE_FRAME_KINDS
} wfe_frame_kind;

typedef struct wfe_frame {
  uint8_t kind;   /* wfe_frame_kind */
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
} wfe_frame;

/* What the place before the token is. */
typedef enum wfe_operand {
  WFE_OPERAND_WANTED,
  WFE_OPERAND_DELAYABLE, /* a literal, a name or a parenthesised expression: [k] may follow */
  WFE_OPERAND_DONE,      /* any other expression */
  WFE_OPERAND_CLOSED     /* nothing may extend it: a key, the `x` of {x} */
} wfe_operand;

/* The name of a struct type's field. */
typedef struct wfe_type_place { weir_span span; uint32_t line; } wfe_type_place;

/* Where a name was seen last: to find the second of two equal keys, fields or equations.  By name. */
typedef struct wfe_seen {
  uint32_t owner; /* number of the list of keys; 0: none */
  uint32_t line;
} wfe_seen;
typedef WB_VEC(wfe_seen) wfe_seen_list;

typedef struct wfe_parser {
  wfe_tree *tree;
  const wfe_limits *limits;
  struct weir_diagnostics *diags;
  wfe_lexer lexer;
  wfe_token tok;       /* the token to be looked at */
  wfe_token ahead;     /* the one behind it, if has_ahead */
  bool has_ahead;
  uint8_t operand;     /* wfe_operand */
  uint8_t last_kind;   /* of the token taken last */
  uint32_t last_end;   /* where that ended */
  uint32_t last_line;  /* and its line; 0 before the first */
  uint32_t n_owners;   /* lists of keys so far */
  WB_VEC(wfe_frame) frames;                  /* what is open, outermost first */
  WB_VEC(wfe_value) values;                  /* finished operands, elements, arguments */
  WB_VEC(struct wfe_type_frame) type_frames; /* parse_type.c */
  WB_VEC(wir_type_part) type_parts;
  WB_VEC(wfe_type_place) type_places; /* where each part's name stands */
  wfe_seen_list keys;      /* keys of a container, fields of a type: looked at when it ends */
  wfe_seen_list equations; /* owner: 1 where there is one */
} wfe_parser;

/* ---- Tokens (parse.c) -------------------------------------------------------------------------------------------- */

static inline bool wfe_sees(const wfe_parser *p, wfe_token_kind kind) { return p->tok.kind == kind; }
void wfe_advance(wfe_parser *p);
/* Takes a token of this kind, or reports that it is missing. */
bool wfe_take(wfe_parser *p, wfe_token_kind kind) WB_MUST_USE;
/* Takes it if it is there. */
bool wfe_skip(wfe_parser *p, wfe_token_kind kind);
/* The token is the first of its line. */
static inline bool wfe_begins_line(const wfe_parser *p) { return p->tok.line > p->last_line; }

/* ---- Reporting: all answer false --------------------------------------------------------------------------------- */

/* "expected WHAT, found TOKEN" at the token; nothing if its error was reported already. */
bool wfe_expected(wfe_parser *p, const char *what);
/* "expected a name"; says so if it is a reserved word.  `what` is "a name", "a field name". */
bool wfe_expected_name(wfe_parser *p, const char *what);
/* The nesting limit, at the token. */
bool wfe_too_deep(wfe_parser *p);
bool wfe_no_memory(wfe_parser *p);
/* A hint for the entry just added: "did you mean ...?", if the token is a name that is near one of the kinds (0 ends them). */
void wfe_hint_near(wfe_parser *p, wb_str name, const uint8_t *kinds);

/* The bytes of the source. */
static inline wb_str wfe_slice(const wfe_parser *p, weir_span s) { return wfe_slice_of(p->tree->text, s); }

/* Marks `name` as seen by `owner` on `line`.  *first_line is 0, or the line where that owner saw it first.
** False: out of memory (reported). */
bool wfe_see(wfe_parser *p, wfe_seen_list *seen, uint32_t owner, uint32_t name, uint32_t line, uint32_t *first_line) WB_MUST_USE;

/* ---- Frames, values, nodes (parse_node.c) ------------------------------------------------------------------------- */

static inline wfe_frame *wfe_top(wfe_parser *p) { return &WB_TOP(&p->frames); }
/* A frame for what begins with the current token. */
wfe_frame wfe_frame_here(const wfe_parser *p, wfe_frame_kind kind, wfe_kind node);
/* Puts it on the stack, at the current token; an operand is wanted then. */
bool wfe_open_frame(wfe_parser *p, wfe_frame f, bool is_nesting) WB_MUST_USE;
/* Ends the innermost frame: its values become the children of its node, whose text ends with the last token taken. */
bool wfe_finish(wfe_parser *p) WB_MUST_USE;
/* A node without children made of the current token, which is taken. */
bool wfe_push_leaf(wfe_parser *p, wfe_node n) WB_MUST_USE;
/* The node `n`, whose children are the values from `base` on, in their place.  n.span is its text. */
bool wfe_push_node(wfe_parser *p, wfe_node n, uint32_t base, uint32_t line) WB_MUST_USE;

/* ---- Lists (parse_list.c): what parse_expr.c does at the token that begins one, and behind an operand in one ------- */

bool wfe_begin_bracket(wfe_parser *p) WB_MUST_USE;     /* [...] */
bool wfe_begin_container(wfe_parser *p) WB_MUST_USE;   /* List(...) Tuple(...) */
bool wfe_begin_brace(wfe_parser *p) WB_MUST_USE;       /* {...} */
bool wfe_begin_map(wfe_parser *p) WB_MUST_USE;         /* Map(...) Struct(...) */
bool wfe_begin_builtin(wfe_parser *p) WB_MUST_USE;
bool wfe_begin_dynamic(wfe_parser *p) WB_MUST_USE;     /* dynamic eval defer */
bool wfe_begin_distributed(wfe_parser *p) WB_MUST_USE; /* monitored_at dist */
bool wfe_read_call(wfe_parser *p) WB_MUST_USE;         /* f(...) */
bool wfe_close_items(wfe_parser *p) WB_MUST_USE;
bool wfe_close_entry(wfe_parser *p) WB_MUST_USE;
bool wfe_close_argument(wfe_parser *p) WB_MUST_USE;
bool wfe_close_source(wfe_parser *p) WB_MUST_USE;

/* ---- The parts --------------------------------------------------------------------------------------------------- */

/* Each begins at the current token and ends behind what it took. */
bool wfe_expression(wfe_parser *p, wfe_ref *out) WB_MUST_USE;
bool wfe_type(wfe_parser *p, wir_type *out) WB_MUST_USE;

#endif
