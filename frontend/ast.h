/* frontend/ast.h -- the syntax tree of a DSRV text.
**
** Flat: nodes stand in one array and refer to each other by index, so that the tree needs no recursion to be walked and no
** destructor.  A child always has a smaller index than its parent.  Written by parse.c, read by infer.c, check.c and to_graph.c. */
#ifndef WFE_AST_H
#define WFE_AST_H

#include "ir/base/text.h"
#include "ir/types.h"

typedef struct { uint32_t i; } wfe_ref; /* a node of its tree */
#define WFE_NO_NODE ((wfe_ref){UINT32_MAX})
static inline bool wfe_is_node(wfe_ref r) { return r.i != UINT32_MAX; }

typedef enum wfe_op { /* of WFE_UNARY and WFE_BINARY */
  WFE_NEG, WFE_NOT,
  WFE_ADD, WFE_SUB, WFE_MUL, WFE_DIV, WFE_REM, WFE_POW,
  WFE_EQ, WFE_NE, WFE_LT, WFE_LE, WFE_GT, WFE_GE,
  WFE_AND, WFE_OR, WFE_IMPLIES, WFE_CONCAT,
  WFE_OPS
} wfe_op;

typedef enum wfe_builtin {
#define BUILTIN(name, text, operands) WFE_B_##name,
#include "ir/builtins.def"
#undef BUILTIN
  WFE_BUILTINS
} wfe_builtin;

typedef enum wfe_kind {
  /* leaves */
  WFE_INT,     /* as.i */
  WFE_FLOAT,   /* as.f */
  WFE_BOOL,    /* as.b */
  WFE_UNIT,
  WFE_STR,     /* as.name: the text, escapes translated */
  WFE_NAME,    /* as.name */
  /* inner nodes and their children */
  WFE_UNARY,   /* op; operand */
  WFE_BINARY,  /* op; left, right */
  WFE_IF,      /* condition, then, else */
  WFE_DELAY,   /* operand; as.offset: e[k] */
  WFE_LAMBDA,  /* parameters (WFE_PARAM), body */
  WFE_PARAM,   /* as.name; type, WIR_NONE where not written */
  WFE_CALL,    /* function, arguments */
  WFE_FIELD,   /* operand; as.name: e.f */
  WFE_ITEM,    /* operand; as.offset: e.0 */
  WFE_LIST,    /* elements: [...] or List(...) */
  WFE_TUPLE,   /* elements: Tuple(...) */
  WFE_MAP,     /* WFE_ENTRY...: Map(...) */
  WFE_STRUCT,  /* WFE_ENTRY...: Struct(...) */
  WFE_OBJECT,  /* WFE_ENTRY...: {...} */
  WFE_ENTRY,   /* value; as.name: the key.  Span: the key */
  WFE_BUILTIN, /* op: a wfe_builtin; operands (a key is a WFE_STR) */
  WFE_DYNAMIC, /* source, scope names (WFE_SCOPE_NAME); type, WIR_NONE where not written; has_scope.  Also eval */
  WFE_DEFER,   /* as WFE_DYNAMIC */
  WFE_SCOPE_NAME, /* as.name */
  WFE_MONITORED_AT, /* parsed, refused by the checker */
  WFE_DIST,
  WFE_KINDS
} wfe_kind;

typedef struct wfe_node {
  uint8_t kind;       /* wfe_kind */
  uint8_t op;         /* wfe_op or wfe_builtin */
  bool has_scope;     /* a dynamic or defer with a scope list, possibly empty */
  bool in_parens;     /* the expression stands in parentheses of its own (for messages and formatting) */
  weir_span span;     /* the whole expression, parentheses excluded */
  uint32_t at;        /* offset of the operator token, where the caret of an operator's error stands (else span.begin) */
  wfe_ref first;      /* first child */
  wfe_ref next;       /* next sibling */
  uint32_t n_children;
  wir_type type;      /* written type of WFE_PARAM, WFE_DYNAMIC, WFE_DEFER */
  union { int64_t i; double f; bool b; uint32_t name; uint64_t offset; } as;
} wfe_node;

typedef struct wfe_decl {
  weir_role role;
  uint32_t name;
  weir_span name_span;
  wir_type type;       /* WIR_NONE where not annotated */
  weir_span type_span;
} wfe_decl;

typedef struct wfe_equation {
  uint32_t name;
  weir_span name_span;
  wfe_ref root;
} wfe_equation;

typedef struct wfe_tree {
  wb_mem *mem;      /* of the compilation: nodes end with it */
  wb_names *names;  /* identifiers and string literals */
  wir_types *types;
  wb_str text;      /* the source as given: spans count its bytes; a byte-order mark at its start is skipped */
  WB_VEC(wfe_node) nodes;
  WB_VEC(wfe_decl) decls;         /* in order of the text */
  WB_VEC(wfe_equation) equations; /* likewise; an equation written with its declaration too */
} wfe_tree;

static inline const wfe_node *wfe_at(const wfe_tree *t, wfe_ref r) { return &t->nodes.at[r.i]; }

#endif
