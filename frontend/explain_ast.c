/* frontend/explain_ast.c -- the syntax tree for people: an indented list, or a drawing in DOT.
**
** A declaration and the equation of its stream come together, in order of the declarations; then equations that have none.  The nodes
** that are open stand on a stack of the heap. */
#include "frontend/explain_ast.h"

#include "frontend/parse.h"
#include "ir/base/num.h"
#include "ir/explain.h"

enum { COLUMN_TYPE = 46, DEEPEST = 32 /* levels that are shown by indentation */ };

/* A node whose children are being written. */
typedef struct level { uint32_t node; wfe_ref next; } level;

typedef struct explainer {
  const wfe_tree *tree;
  const wfe_checked *checked;
  wb_mem *mem;
  wir_words *w;
  uint32_t *equation; /* by name: number of its equation + 1 */
  uint32_t *stream;   /* by name: number of its stream + 1 */
  WB_VEC(level) open;
} explainer;

static wb_str name_of(const explainer *x, uint32_t name) { return wb_name(x->tree->names, name); }
static bool is_known(wir_type type) { return !wir_type_eq(type, WIR_NONE); }

/* ---- Nodes --------------------------------------------------------------------------------------------------------- */

static void put_delay(wir_words *w, uint64_t offset) {
  wir_put(w, "delay [");
  wir_put_number(w, offset);
  wir_put(w, "]");
}

static void put_written_type(explainer *x, wir_type type) {
  if (!is_known(type)) return;
  wir_put(x->w, ": ");
  wir_put_type(x->w, x->tree->types, type);
}

static void put_node(explainer *x, wfe_ref r) {
  const wfe_node *n = wfe_at(x->tree, r);
  wir_words *w = x->w;
  char text[WB_NUM_MAX];
  switch ((wfe_kind)n->kind) {
  case WFE_INT: wir_put_str(w, (wb_str){text, wb_write_int(n->as.i, text)}); return;
  case WFE_FLOAT: wir_put_str(w, (wb_str){text, wb_write_double(n->as.f, text)}); return;
  case WFE_BOOL: wir_put(w, n->as.b ? "true" : "false"); return;
  case WFE_UNIT: wir_put(w, "()"); return;
  case WFE_STR: wir_put_quoted(w, name_of(x, n->as.name)); return;
  case WFE_NAME: case WFE_SCOPE_NAME: wir_put_name(w, name_of(x, n->as.name)); return;
  case WFE_DELAY: put_delay(w, n->as.offset); return;
  case WFE_ENTRY:
    wir_put_quoted(w, name_of(x, n->as.name));
    wir_put(w, ":");
    return;
  case WFE_PARAM:
    wir_put(w, "parameter ");
    wir_put_name(w, name_of(x, n->as.name));
    put_written_type(x, n->type);
    return;
  case WFE_FIELD:
    wir_put(w, ".");
    wir_put_name(w, name_of(x, n->as.name));
    return;
  case WFE_ITEM:
    wir_put(w, ".");
    wir_put_number(w, n->as.offset);
    return;
  case WFE_DYNAMIC: case WFE_DEFER:
    wir_put(w, wfe_node_text(n));
    put_written_type(x, n->type);
    if (n->has_scope) wir_put(w, ", scoped");
    return;
  case WFE_UNARY: case WFE_BINARY: case WFE_IF: case WFE_LAMBDA: case WFE_CALL: case WFE_LIST: case WFE_TUPLE: case WFE_MAP:
  case WFE_STRUCT: case WFE_OBJECT: case WFE_BUILTIN: case WFE_MONITORED_AT: case WFE_DIST: case WFE_KINDS: break;
  }
  wir_put(w, wfe_node_text(n));
}

/* "Int", "Int -> Float" where it is converted or checked. */
static void put_types(explainer *x, wfe_ref r) {
  wfe_typing t = x->checked->typing[r.i];
  wir_put_type(x->w, x->tree->types, t.type);
  if (!is_known(t.becomes)) return;
  wir_put(x->w, " -> ");
  wir_put_type(x->w, x->tree->types, t.becomes);
}

static bool has_type(const explainer *x, wfe_ref r) { return x->checked->typing != NULL && is_known(x->checked->typing[r.i].type); }

/* ---- The list ------------------------------------------------------------------------------------------------------ */

static void put_line(explainer *x, wfe_ref r) {
  size_t depth = x->open.n + 1;
  wir_put_fill(x->w, 2 * WB_MIN(depth, (size_t)DEEPEST));
  if (depth > DEEPEST) {
    wir_put(x->w, "(level ");
    wir_put_number(x->w, depth);
    wir_put(x->w, ") ");
  }
  put_node(x, r);
  if (has_type(x, r)) {
    wir_put_to(x->w, COLUMN_TYPE);
    put_types(x, r);
  }
  wir_put(x->w, "\n");
}

/* ---- The drawing --------------------------------------------------------------------------------------------------- */

static void put_dot_name(wir_words *w, const char *before, uint64_t node) {
  wir_put(w, before);
  wir_put_number(w, node);
}

static void begin_label(wir_words *w) {
  wir_put(w, " [label=\"");
  w->is_label = true;
}

static void end_label(wir_words *w, const char *behind) {
  w->is_label = false;
  wir_put(w, behind);
}

static void put_dot(explainer *x, wfe_ref r) {
  put_dot_name(x->w, "  n", r.i);
  begin_label(x->w);
  put_node(x, r);
  if (has_type(x, r)) {
    wir_put(x->w, "\n");
    put_types(x, r);
  }
  end_label(x->w, "\"];\n");
  if (x->open.n == 0) return;
  put_dot_name(x->w, "  n", WB_TOP(&x->open).node);
  put_dot_name(x->w, " -> n", r.i);
  wir_put(x->w, ";\n");
}

/* ---- The walk ------------------------------------------------------------------------------------------------------ */

static void enter(explainer *x, wfe_ref r, bool as_dot) {
  if (as_dot) put_dot(x, r);
  else put_line(x, r);
  if (!WB_PUSH(x->mem, &x->open, ((level){r.i, wfe_at(x->tree, r)->first}))) x->w->has_failed = true;
}

static void put_expression(explainer *x, wfe_ref root, bool as_dot) {
  x->open.n = 0;
  enter(x, root, as_dot);
  while (!x->w->has_failed && x->open.n > 0) {
    wfe_ref child = WB_TOP(&x->open).next;
    if (!wfe_is_node(child)) {
      x->open.n--;
      continue;
    }
    WB_TOP(&x->open).next = wfe_at(x->tree, child)->next;
    enter(x, child, as_dot);
  }
}

static void put_heading(explainer *x, const wfe_decl *d) {
  wir_type type = d->type;
  uint32_t stream = x->stream[d->name];
  if (!is_known(type) && stream != 0) type = x->checked->streams.at[stream - 1].type;
  wir_put(x->w, wir_role_text(d->role));
  wir_put(x->w, " ");
  wir_put_name(x->w, name_of(x, d->name));
  put_written_type(x, type);
  if (is_known(type) && !is_known(d->type)) wir_put(x->w, d->role == WEIR_IN ? "  (no type written)" : "  (inferred)");
}

static void put_equation(explainer *x, uint32_t number, bool as_dot) {
  const wfe_equation *e = &x->tree->equations.at[number];
  if (as_dot) {
    put_dot_name(x->w, "  e", number);
    wir_put(x->w, " -> n");
    wir_put_number(x->w, e->root.i);
    wir_put(x->w, ";\n");
  }
  put_expression(x, e->root, as_dot);
  if (!as_dot) wir_put(x->w, "\n");
}

static void put_declaration(explainer *x, size_t number, bool as_dot) {
  const wfe_decl *d = &x->tree->decls.at[number];
  uint32_t equation = x->equation[d->name];
  if (as_dot) {
    if (equation != 0) put_dot_name(x->w, "  e", equation - 1);
    else put_dot_name(x->w, "  d", number);
    begin_label(x->w);
  }
  put_heading(x, d);
  if (as_dot) end_label(x->w, d->role == WEIR_IN ? "\", shape=ellipse];\n" : "\", style=bold];\n");
  else wir_put(x->w, "\n");
  if (equation == 0) return;
  x->equation[d->name] = 0;
  put_equation(x, equation - 1, as_dot);
}

static void put_undeclared(explainer *x, uint32_t number, bool as_dot) {
  const wfe_equation *e = &x->tree->equations.at[number];
  if (as_dot) {
    put_dot_name(x->w, "  e", number);
    begin_label(x->w);
  }
  wir_put_name(x->w, name_of(x, e->name));
  wir_put(x->w, "  (not declared)");
  if (as_dot) end_label(x->w, "\"];\n");
  else wir_put(x->w, "\n");
  put_equation(x, number, as_dot);
}

static bool index_names(explainer *x) {
  x->equation = WB_NEW_ARRAY(x->mem, uint32_t, x->tree->names->texts.n);
  x->stream = WB_NEW_ARRAY(x->mem, uint32_t, x->tree->names->texts.n);
  if (x->equation == NULL || x->stream == NULL) return false;
  for (uint32_t i = 0; i < x->tree->equations.n; i++) x->equation[x->tree->equations.at[i].name] = i + 1;
  for (uint32_t i = 0; i < x->checked->streams.n; i++) x->stream[x->checked->streams.at[i].name] = i + 1;
  return true;
}

bool wfe_explain_ast(const wfe_tree *tree, const wfe_checked *checked, bool as_dot, wb_mem *scratch, wir_words *w) {
  explainer x = {.tree = tree, .checked = checked, .mem = scratch, .w = w};
  if (!index_names(&x)) return false;
  if (as_dot) wir_put(w, "digraph ast {\n  node [shape=box, fontname=\"monospace\"];\n");
  for (size_t i = 0; i < tree->decls.n; i++) put_declaration(&x, i, as_dot);
  for (uint32_t i = 0; i < tree->equations.n; i++)
    if (x.equation[tree->equations.at[i].name] == i + 1) put_undeclared(&x, i, as_dot);
  if (as_dot) wir_put(w, "}\n");
  return !w->has_failed;
}
