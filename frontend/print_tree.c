/* frontend/print_tree.c -- the syntax tree as S-expressions, for tests.
**
** One line for each declaration and equation, in order of the text by kind: declarations, then equations.  Different trees print
** differently; spans and parentheses are not shown.  The nodes that are open stand on a stack of the heap. */
#include "frontend/parse.h"
#include "ir/base/num.h"

static const char *const op_text[WFE_OPS] = {
  [WFE_NEG] = "neg",  [WFE_NOT] = "not", [WFE_ADD] = "+",       [WFE_SUB] = "-",    [WFE_MUL] = "*", [WFE_DIV] = "/",
  [WFE_REM] = "%",    [WFE_POW] = "**",  [WFE_EQ] = "==",       [WFE_NE] = "!=",    [WFE_LT] = "<",  [WFE_LE] = "<=",
  [WFE_GT] = ">",     [WFE_GE] = ">=",   [WFE_AND] = "and",     [WFE_OR] = "or",    [WFE_IMPLIES] = "=>",
  [WFE_CONCAT] = "++",
};

static const char *const builtin_text[WFE_BUILTINS] = {
#define BUILTIN(name, text, operands) [WFE_B_##name] = text,
#include "ir/builtins.def"
#undef BUILTIN
};

static const char *const kind_text[WFE_KINDS] = { /* of nodes with children; what else they say stands in `detail` */
  [WFE_IF] = "if",         [WFE_DELAY] = "delay",     [WFE_LAMBDA] = "lambda",   [WFE_PARAM] = "param",
  [WFE_CALL] = "call",     [WFE_FIELD] = "field",     [WFE_ITEM] = "item",       [WFE_LIST] = "list",
  [WFE_TUPLE] = "tuple",   [WFE_MAP] = "map",         [WFE_STRUCT] = "struct",   [WFE_OBJECT] = "object",
  [WFE_ENTRY] = "entry",   [WFE_DYNAMIC] = "dynamic", [WFE_DEFER] = "defer",     [WFE_MONITORED_AT] = "monitored_at",
  [WFE_DIST] = "dist",
};

/* A node whose children are being printed. */
typedef struct open_node { wfe_ref next; } open_node;

typedef struct printer {
  const wfe_tree *tree;
  wb_mem *mem;
  wb_bytes *out;
  WB_VEC(open_node) open;
  bool has_failed; /* out of memory */
} printer;

/* ---- Bytes ------------------------------------------------------------------------------------------------------- */

static void put(printer *p, const char *text, size_t n) {
  if (p->has_failed || !WB_VEC_ROOM(p->mem, p->out, n)) {
    p->has_failed = true;
    return;
  }
  if (n > 0) __builtin_memcpy(p->out->at + p->out->n, text, n);
  p->out->n += n;
}

static void put_text(printer *p, const char *text) { put(p, text, __builtin_strlen(text)); }

static void put_name(printer *p, uint32_t name) {
  wb_str s = wb_name(p->tree->names, name);
  put(p, s.at, s.n);
}

static void put_quoted(printer *p, uint32_t name) {
  static const char hex[] = "0123456789abcdef";
  wb_str s = wb_name(p->tree->names, name);
  put_text(p, "\"");
  for (size_t i = 0; i < s.n; i++) {
    uint8_t c = (uint8_t)s.at[i];
    if (c == '"' || c == '\\') put(p, "\\", 1);
    if (c >= 0x20 && c != 0x7F) put(p, &s.at[i], 1);
    else put(p, (const char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4);
  }
  put_text(p, "\"");
}

static void put_unsigned(printer *p, uint64_t v) {
  char digits[20];
  size_t i = sizeof digits;
  do {
    digits[--i] = (char)('0' + v % 10);
    v /= 10;
  } while (v != 0);
  put(p, digits + i, sizeof digits - i);
}

static void put_type(printer *p, wir_type type) {
  if (wir_type_eq(type, WIR_NONE)) return;
  put_text(p, " : ");
  if (!p->has_failed && !wir_type_print(p->tree->types, type, 0, p->mem, p->out)) p->has_failed = true;
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static void put_int(printer *p, const wfe_node *n) {
  char text[WB_NUM_MAX];
  put(p, text, wb_write_int(n->as.i, text));
}

static void put_float(printer *p, const wfe_node *n) {
  char text[WB_NUM_MAX];
  put(p, text, wb_write_double(n->as.f, text));
}

static void put_bool(printer *p, const wfe_node *n) { put_text(p, n->as.b ? "true" : "false"); }
static void put_unit(printer *p, const wfe_node *n) { (void)n, put_text(p, "()"); }
static void put_str(printer *p, const wfe_node *n) { put_quoted(p, n->as.name); }
static void put_ident(printer *p, const wfe_node *n) { put_name(p, n->as.name); }

typedef void put_leaf(printer *p, const wfe_node *n);
static put_leaf *const leaf[WFE_KINDS] = {
  [WFE_INT] = put_int, [WFE_FLOAT] = put_float, [WFE_BOOL] = put_bool,        [WFE_UNIT] = put_unit,
  [WFE_STR] = put_str, [WFE_NAME] = put_ident,  [WFE_SCOPE_NAME] = put_ident,
};

const char *wfe_node_text(const wfe_node *n) {
  if (n->kind == WFE_UNARY || n->kind == WFE_BINARY) return op_text[n->op];
  return n->kind == WFE_BUILTIN ? builtin_text[n->op] : kind_text[n->kind];
}

/* What stands between a node's head and its children. */
static void put_detail(printer *p, const wfe_node *n) {
  bool has_name = n->kind == WFE_FIELD || n->kind == WFE_PARAM, has_offset = n->kind == WFE_DELAY || n->kind == WFE_ITEM;
  if (has_name || has_offset || n->kind == WFE_ENTRY) put_text(p, " ");
  if (has_name) put_name(p, n->as.name);
  if (has_offset) put_unsigned(p, n->as.offset);
  if (n->kind == WFE_ENTRY) put_quoted(p, n->as.name);
  put_type(p, n->type);
  if (n->has_scope) put_text(p, " scoped");
}

static void begin_node(printer *p, wfe_ref r) {
  const wfe_node *n = wfe_at(p->tree, r);
  if (leaf[n->kind]) {
    leaf[n->kind](p, n);
    return;
  }
  put_text(p, "(");
  put_text(p, wfe_node_text(n));
  put_detail(p, n);
  if (!WB_PUSH(p->mem, &p->open, ((open_node){n->first}))) p->has_failed = true;
}

static void put_expr(printer *p, wfe_ref root) {
  begin_node(p, root);
  while (!p->has_failed && p->open.n > 0) {
    open_node *o = &WB_TOP(&p->open);
    wfe_ref child = o->next;
    if (!wfe_is_node(child)) {
      put_text(p, ")");
      p->open.n--;
      continue;
    }
    o->next = wfe_at(p->tree, child)->next;
    put_text(p, " ");
    begin_node(p, child);
  }
}

bool wfe_print_tree(const wfe_tree *tree, wb_mem *mem, wb_bytes *out) {
  static const char *const role_text[] = {[WEIR_IN] = "(in ", [WEIR_OUT] = "(out ", [WEIR_AUX] = "(aux "};
  printer p = {.tree = tree, .mem = mem, .out = out};
  for (size_t i = 0; i < tree->decls.n; i++) {
    put_text(&p, role_text[tree->decls.at[i].role]);
    put_name(&p, tree->decls.at[i].name);
    put_type(&p, tree->decls.at[i].type);
    put_text(&p, ")\n");
  }
  for (size_t i = 0; i < tree->equations.n; i++) {
    put_text(&p, "(= ");
    put_name(&p, tree->equations.at[i].name);
    put_text(&p, " ");
    put_expr(&p, tree->equations.at[i].root);
    put_text(&p, ")\n");
  }
  WB_VEC_FREE(mem, &p.open);
  return !p.has_failed;
}
