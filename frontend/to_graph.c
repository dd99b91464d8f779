/* frontend/to_graph.c -- checked tree to ir/build.h; no optimization here.
**
** A walk with its own stack visits each equation's tree, children first.  What it knows on the way down is where guards open; what it
** makes on the way up is one node for each operation, and the conversions that the checker asked for. */
#include "frontend/to_graph.h"

#include <string.h>

typedef struct frame { wfe_ref node, child; uint32_t i; } frame; /* the child to visit next, and its number */

typedef struct maker {
  const wfe_checked *checked;
  const wfe_tree *tree;
  wir_program *p;
  wb_mem *scratch;
  struct weir_diagnostics *diags;
  wir_builder b;
  wir_ref *made; /* by node of the tree: its node of the graph */
  WB_VEC(frame) frames;
} maker;

/* ---- Streams ---- */

static bool make_streams(maker *k) {
  wir_program *p = k->p;
  const wfe_checked *c = k->checked;
  p->n_streams = (uint32_t)c->streams.n;
  p->n_inputs = c->n_inputs;
  p->streams = WB_NEW_ARRAY(&p->mem, wir_stream, p->n_streams);
  if (p->streams == NULL) return false;
  for (uint32_t i = 0; i < p->n_streams; i++) {
    const wfe_stream *s = &c->streams.at[i];
    p->streams[i] = (wir_stream){.name = s->name, .role = s->role, .span = s->span, .type = s->type, .order = UINT32_MAX,
                                 .held = WIR_NO_STATE, .history = WIR_NO_STATE, .output = WIR_NO_STATE};
    p->n_outputs += s->role == WEIR_OUT;
  }
  p->outputs = WB_NEW_ARRAY(&p->mem, uint32_t, p->n_outputs);
  if (p->outputs == NULL) return false;
  for (uint32_t i = 0, n = 0; i < p->n_streams; i++)
    if (p->streams[i].role == WEIR_OUT) p->outputs[n++] = i;
  return true;
}

/* ---- Constants ---- */

/* A text constant is an object that all monitors of the program share. */
static weir_value text_constant(maker *k, uint32_t name) {
  wb_str text = wb_name(k->tree->names, name);
  wir_obj *o = wb_alloc(&k->p->mem, 1, sizeof *o + text.n, 16);
  if (o == NULL) {
    k->b.out_of_memory = true;
    return (weir_value){.tag = WEIR_UNIT};
  }
  *o = (wir_obj){.refs = WIR_SHARED, .tag = WEIR_TEXT, .count = (uint32_t)text.n};
  if (text.n != 0) memcpy(o + 1, text.at, text.n);
  return wir_obj_value(o);
}

static weir_value constant(maker *k, const wfe_node *n) {
  switch ((unsigned)n->kind) {
  case WFE_INT: return (weir_value){.tag = WEIR_INT, .as.i = n->as.i};
  case WFE_FLOAT: return (weir_value){.tag = WEIR_FLOAT, .as.f = n->as.f};
  case WFE_BOOL: return (weir_value){.tag = WEIR_BOOL, .as.b = n->as.b};
  case WFE_STR: return text_constant(k, n->as.name);
  }
  return (weir_value){.tag = WEIR_UNIT};
}

/* ---- Operations ---- */

/* How a tree's operator or builtin becomes a node: a scalar operation, or a node of its own. */
typedef struct mapping { wir_node_kind kind; wir_op op; } mapping;

static const mapping operators[WFE_OPS] = {
  [WFE_NEG] = {WIR_APPLY, WIR_OP_NEG},   [WFE_NOT] = {WIR_APPLY, WIR_OP_NOT},       [WFE_ADD] = {WIR_APPLY, WIR_OP_ADD},
  [WFE_SUB] = {WIR_APPLY, WIR_OP_SUB},   [WFE_MUL] = {WIR_APPLY, WIR_OP_MUL},       [WFE_DIV] = {WIR_APPLY, WIR_OP_DIV},
  [WFE_REM] = {WIR_APPLY, WIR_OP_REM},   [WFE_POW] = {WIR_APPLY, WIR_OP_POW},       [WFE_EQ] = {WIR_APPLY, WIR_OP_EQ},
  [WFE_NE] = {WIR_APPLY, WIR_OP_NE},     [WFE_LT] = {WIR_APPLY, WIR_OP_LT},         [WFE_LE] = {WIR_APPLY, WIR_OP_LE},
  [WFE_GT] = {WIR_APPLY, WIR_OP_GT},     [WFE_GE] = {WIR_APPLY, WIR_OP_GE},         [WFE_CONCAT] = {WIR_APPLY, WIR_OP_CONCAT},
  [WFE_AND] = {WIR_AND, WIR_OPS},        [WFE_OR] = {WIR_OR, WIR_OPS},              [WFE_IMPLIES] = {WIR_IMPLIES, WIR_OPS},
};

/* Those that run; the others are not yet evaluated. */
static const mapping builtins[WFE_BUILTINS] = {
  [WFE_B_SIN] = {WIR_APPLY, WIR_OP_SIN}, [WFE_B_COS] = {WIR_APPLY, WIR_OP_COS},     [WFE_B_TAN] = {WIR_APPLY, WIR_OP_TAN},
  [WFE_B_ABS] = {WIR_APPLY, WIR_OP_ABS}, [WFE_B_DEFAULT] = {WIR_DEFAULT, WIR_OPS},  [WFE_B_UPDATE] = {WIR_UPDATE, WIR_OPS},
  [WFE_B_LATCH] = {WIR_LATCH, WIR_OPS},  [WFE_B_INIT] = {WIR_INIT, WIR_OPS},        [WFE_B_WHEN] = {WIR_WHEN, WIR_OPS},
  [WFE_B_IS_DEFINED] = {WIR_IS_DEFINED, WIR_OPS},
};

/* The words for a construct that is checked but does not run yet; NULL for one that does. */
static const char *not_yet(const wfe_node *n) {
  switch ((wfe_kind)n->kind) {
  case WFE_LAMBDA: case WFE_CALL: case WFE_PARAM: return "functions";
  case WFE_FIELD: case WFE_ITEM: case WFE_TUPLE: case WFE_STRUCT: case WFE_OBJECT: case WFE_ENTRY: return "structs and tuples";
  case WFE_LIST: case WFE_MAP: return "lists and maps";
  case WFE_DYNAMIC: return "`dynamic`";
  case WFE_DEFER: return "`defer`";
  case WFE_BUILTIN: return builtins[n->op].kind == WIR_CONST ? "functions, lists and maps" : NULL;
  case WFE_INT: case WFE_FLOAT: case WFE_BOOL: case WFE_UNIT: case WFE_STR: case WFE_NAME: case WFE_UNARY: case WFE_BINARY: case WFE_IF:
  case WFE_DELAY: case WFE_SCOPE_NAME: case WFE_MONITORED_AT: case WFE_DIST: case WFE_KINDS: break;
  }
  return NULL;
}

static weir_span operator_span(const wfe_node *n) { return n->at > n->span.begin ? (weir_span){n->at, n->at + 1} : n->span; }

static wir_ref make_delay(maker *k, const wfe_node *n, const wfe_ref *child) {
  const wfe_node *operand = wfe_at(k->tree, child[0]);
  if (operand->kind == WFE_NAME && n->as.offset != 0)
    return wir_build_delay_var(&k->b, k->checked->typing[child[0].i].index, n->as.offset, n->span);
  wir_ref x = k->made[child[0].i];
  return n->as.offset == 0 ? wir_build_lift(&k->b, x) : wir_build_delay(&k->b, x, n->as.offset, n->span);
}

static wir_ref make_mapped(maker *k, const wfe_node *n, mapping to, const wir_ref *args, wir_type type) {
  if (to.kind == WIR_APPLY) return wir_build_apply(&k->b, to.op, args[0], args[1], type, operator_span(n));
  return wir_build_node(&k->b, to.kind, args, type, operator_span(n));
}

static wir_ref make_node(maker *k, wfe_ref at) {
  const wfe_node *n = wfe_at(k->tree, at);
  const wfe_typing *t = &k->checked->typing[at.i];
  wfe_ref child[3] = {WFE_NO_NODE, WFE_NO_NODE, WFE_NO_NODE};
  wir_ref args[3] = {{0}, {0}, {0}};
  uint32_t i = 0;
  for (wfe_ref c = n->first; i < 3 && i < n->n_children; c = wfe_at(k->tree, c)->next, i++) {
    child[i] = c;
    args[i] = k->made[c.i];
  }
  switch ((unsigned)n->kind) {
  case WFE_NAME: return wir_build_var(&k->b, t->index, n->span);
  case WFE_DELAY: return make_delay(k, n, child);
  case WFE_UNARY: case WFE_BINARY: return make_mapped(k, n, operators[n->op], args, t->type);
  case WFE_BUILTIN: return make_mapped(k, n, builtins[n->op], args, t->type);
  case WFE_IF: return wir_build_node(&k->b, WIR_IF, args, t->type, n->span);
  }
  return wir_build_const(&k->b, constant(k, n), t->type, n->span);
}

/* ---- The walk ---- */

static bool guards(const wfe_node *n, uint32_t child) {
  if (n->kind == WFE_IF) return child != 0;
  return n->kind == WFE_BINARY && child == 1 && (n->op == WFE_AND || n->op == WFE_OR || n->op == WFE_IMPLIES);
}

/* A name under a positive delay is no operand: the delay reads the stream's history. */
static bool is_read_by_delay(const wfe_node *parent, const wfe_node *n) {
  return parent->kind == WFE_DELAY && parent->as.offset != 0 && n->kind == WFE_NAME;
}

static bool enter(maker *k, wfe_ref at) {
  const wfe_node *n = wfe_at(k->tree, at);
  const char *what = not_yet(n);
  if (what != NULL) {
    wfe_diag_add(k->diags, WEIR_E_NOT_YET, n->span, "%s cannot be run yet", what);
    wfe_diag_hint(k->diags, "this part of the language is checked already; a later version will evaluate it");
    return false;
  }
  if (WB_PUSH(k->scratch, &k->frames, (frame){at, n->first, 0})) return true;
  k->b.out_of_memory = true;
  return false;
}

static void leave(maker *k, wfe_ref at) {
  const wfe_typing *t = &k->checked->typing[at.i];
  wir_ref x = make_node(k, at);
  if (!wir_type_eq(t->becomes, WIR_NONE)) x = wir_build_convert(&k->b, x, t->becomes, wfe_at(k->tree, at)->span);
  k->made[at.i] = x;
}

/* Visits the next child, or makes the node when there is none left.  False: the equation is given up. */
static bool step(maker *k) {
  frame *f = &WB_TOP(&k->frames);
  const wfe_node *n = wfe_at(k->tree, f->node);
  if (f->i != 0 && guards(n, f->i - 1)) wir_build_unguard(&k->b);
  if (f->i == n->n_children) {
    wfe_ref at = f->node;
    k->frames.n--;
    leave(k, at);
    return true;
  }
  wfe_ref child = f->child;
  if (guards(n, f->i)) wir_build_guard(&k->b);
  f->i++;
  f->child = wfe_at(k->tree, child)->next;
  return is_read_by_delay(n, wfe_at(k->tree, child)) || enter(k, child);
}

static void make_equation(maker *k, uint32_t stream) {
  wfe_ref root = k->checked->streams.at[stream].root;
  wir_build_begin(&k->b, k->p, k->scratch, stream);
  k->frames.n = 0;
  bool is_whole = enter(k, root);
  while (is_whole && k->frames.n != 0) is_whole = step(k);
  if (!is_whole) return;
  wir_type type = k->p->streams[stream].type;
  wir_ref result = k->made[root.i];
  if (!wir_type_eq(type, WIR_ANY)) result = wir_build_convert(&k->b, result, type, wfe_at(k->tree, root)->span);
  if (wir_build_end(&k->b, result) != WEIR_OK) k->b.out_of_memory = true;
}

void wfe_to_graph(const wfe_checked *checked, wir_program *p, wb_mem *scratch, struct weir_diagnostics *diags) {
  maker k = {.checked = checked, .tree = checked->tree, .p = p, .scratch = scratch, .diags = diags};
  k.made = WB_NEW_ARRAY(scratch, wir_ref, checked->tree->nodes.n);
  if (k.made == NULL || !make_streams(&k)) k.b.out_of_memory = true;
  for (uint32_t i = p->n_inputs; i < p->n_streams && !k.b.out_of_memory; i++) make_equation(&k, i);
  if (k.b.out_of_memory) wfe_diag_memory(diags);
}
