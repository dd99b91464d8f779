/* frontend/check.c -- all that is checked without types: declarations, names, scopes, places of temporal operators.
**
** The order: declarations become streams, equations find theirs, then each equation is walked once. The walk binds names, gathers who
** reads whom, and refuses what stands where it may not.  An equation ends with its first error; nothing is concluded from it.
** Leave alone: types (infer.c), zero-delay cycles through other streams (ir/schedule.c). */
#include "frontend/check.h"

/* ---- Declarations -------------------------------------------------------------------------------------------------- */

static weir_code begin_error(wfe_checker *c) {
  if (c->outcome != WFE_MEMORY) c->outcome = WFE_FINE;
  return WEIR_E_COMPILE;
}

/* At the later of the two places. */
static bool refuse_second_declaration(wfe_checker *c, weir_span a, weir_span b, uint32_t name) {
  weir_span first = a.begin < b.begin ? a : b, second = a.begin < b.begin ? b : a;
  weir_code code = begin_error(c);
  if (!wfe_is_kept(c, second)) return wfe_refuse(c, code, second, "declared twice");
  return wfe_refuse(c, code, second, "`%s` is declared twice: in line %u and in line %u", wfe_name_text(c, name).at,
                    wfe_line(c, first.begin), wfe_line(c, second.begin));
}

/* What may not be declared.  The stream is then taken for one that says nothing about its type. */
static void check_declared_type(wfe_checker *c, wfe_stream *s) {
  const wir_type_info *info = wir_type_at(c->types, s->declared);
  bool is_text = info->kind == WIR_TYPE_EXPR && s->role == WEIR_IN;
  bool holds_text = is_text ? wir_type_at(c->types, wir_type_parts(c->types, s->declared)->type)->has_expr : info->has_expr;
  if (holds_text) {
    begin_error(c);
    wfe_refuse(c, WEIR_E_TYPE, s->type_span, "Expr<T> can only be the type of an input");
    if (s->role != WEIR_IN) wfe_hint(c, "a computed text has type Str");
    s->declared = WIR_ANY;
  } else if (info->has_fun && s->role == WEIR_OUT) {
    begin_error(c);
    wfe_refuse(c, WEIR_E_TYPE, s->type_span, "output `%s` has a function type", wfe_name_text(c, s->name).at);
    wfe_hint(c, "a function has no output form; declare it with `aux`");
  }
}

static bool add_stream(wfe_checker *c, const wfe_decl *d, uint32_t place) {
  uint32_t *known = &c->stream_of[d->name];
  if (*known != 0) {
    const wfe_stream *s = &c->out->streams.at[*known - 1];
    c->has_failed[*known - 1] |= s->role == WEIR_IN; /* its equation is no second error */
    return refuse_second_declaration(c, s->span, d->name_span, d->name) || c->outcome != WFE_MEMORY;
  }
  wfe_stream s = {.name = d->name, .role = d->role, .span = d->name_span, .type_span = d->type_span, .declared = d->type,
                  .root = WFE_NO_NODE, .decl = place};
  if (!WB_PUSH(c->mem, &c->out->streams, s)) return wfe_refuse_memory(c);
  *known = (uint32_t)c->out->streams.n;
  return true;
}

/* Inputs first: of two declarations of a name, the input is taken for the first one then, wherever it stands. */
static bool add_streams(wfe_checker *c) {
  for (int wants_inputs = 1; wants_inputs >= 0; wants_inputs--) {
    for (uint32_t i = 0; i < c->tree->decls.n; i++) {
      const wfe_decl *d = &c->tree->decls.at[i];
      if ((d->role == WEIR_IN) == (wants_inputs == 1) && !add_stream(c, d, i)) return false;
    }
    if (wants_inputs == 1) c->out->n_inputs = (uint32_t)c->out->streams.n;
  }
  for (size_t i = 0; i < c->out->streams.n; i++) {
    wfe_stream *s = &c->out->streams.at[i];
    check_declared_type(c, s);
    s->type = s->role == WEIR_IN && s->declared.i == WIR_TYPE_NONE ? WIR_ANY : s->declared;
  }
  return c->outcome != WFE_MEMORY;
}

/* ---- Near names ---------------------------------------------------------------------------------------------------- */

static void offer_streams(wfe_checker *c, wb_near *near) {
  for (size_t i = 0; i < c->out->streams.n; i++) wb_near_offer(near, wb_name(c->tree->names, c->out->streams.at[i].name));
}

static void offer_builtins(wb_near *near) {
  static const char *const texts[] = {
#define BUILTIN(name, text, operands) text,
#include "ir/builtins.def"
#undef BUILTIN
    "dynamic", "eval", "defer",
  };
  for (size_t i = 0; i < WB_LEN(texts); i++) wb_near_offer(near, (wb_str){texts[i], __builtin_strlen(texts[i])});
}

/* ---- Equations ----------------------------------------------------------------------------------------------------- */

static void refuse_undeclared(wfe_checker *c, const wfe_equation *e) {
  weir_code code = begin_error(c);
  if (!wfe_is_kept(c, e->name_span)) {
    wfe_refuse(c, code, e->name_span, "not declared");
    return;
  }
  wfe_text name = wfe_name_text(c, e->name);
  wb_near near;
  wb_near_init(&near, wb_name(c->tree->names, e->name));
  offer_streams(c, &near);
  wfe_refuse(c, code, e->name_span, "`%s` has an equation, but is not declared", name.at);
  if (wb_near_found(&near)) wfe_hint_nearest(c, &near);
  else wfe_hint(c, "add `out %s` or `aux %s`", name.at, name.at);
}

/* Gives the stream its equation; says what speaks against it. */
static void attach_equation(wfe_checker *c, const wfe_equation *e) {
  uint32_t known = c->stream_of[e->name];
  if (known == 0) {
    refuse_undeclared(c, e);
    return;
  }
  wfe_stream *s = &c->out->streams.at[known - 1];
  if (s->role == WEIR_IN && c->has_failed[known - 1]) return;
  if (s->role == WEIR_IN) {
    wfe_refuse(c, begin_error(c), e->name_span, "`%s` is an input and cannot have an equation", wfe_name_text(c, e->name).at);
  } else if (wfe_is_node(s->root)) { /* the parser has said so already */
    wfe_refuse(c, begin_error(c), e->name_span, "`%s` has a second equation", wfe_name_text(c, e->name).at);
  } else {
    s->root = e->root;
  }
}

static bool attach_equations(wfe_checker *c) {
  for (size_t i = 0; i < c->tree->equations.n; i++) attach_equation(c, &c->tree->equations.at[i]);
  for (size_t i = c->out->n_inputs; i < c->out->streams.n; i++) {
    wfe_stream *s = &c->out->streams.at[i];
    if (wfe_is_node(s->root)) continue;
    wfe_text name = wfe_name_text(c, s->name);
    wfe_refuse(c, begin_error(c), s->span, "`%s` has no equation", name.at);
    wfe_hint(c, "add `%s = …`, or declare it with `in`", name.at);
    c->has_failed[i] = true;
    if (s->type.i == WIR_TYPE_NONE) s->type = WIR_ANY;
  }
  return c->outcome != WFE_MEMORY;
}

/* ---- The walk over an equation ------------------------------------------------------------------------------------- */

typedef struct binding { uint32_t param, hidden; } binding; /* node of a WFE_PARAM; the binding that it hides, + 1 */

typedef struct place {
  wfe_ref at, child;     /* a node and its next child */
  uint32_t n_bindings;   /* of a lambda: bindings outside it */
  bool is_stateless;     /* of a lambda: its body may keep no state */
} place;

typedef struct scan {
  wfe_checker *c;
  uint32_t stream;          /* whose equation it is */
  uint32_t *binding_of;     /* by name: the innermost binding, + 1 */
  uint32_t *listed_by;      /* by name: the node of the scope list that names it, + 1 */
  WB_VEC(binding) bindings;
  WB_VEC(place) places;     /* the way from the root */
  uint32_t n_lambdas;       /* around the place */
  uint32_t n_stateless;     /* of these, ones that may keep no state */
  const char *stateless_in; /* the operation that the innermost of them belongs to */
} scan;

static const wfe_node *parent_of(const scan *s) {
  return s->places.n > 1 ? wfe_node_at(s->c, s->places.at[s->places.n - 2].at) : NULL;
}

/* Names of other languages. */
static const struct { const char *theirs, *hint; } foreign[] = {
  {"sqrt", "a root is a power: x ** 0.5"},
  {"pow", "a power is written x ** y"},
  {"max", "write `if a > b then a else b`"},
  {"min", "write `if a < b then a else b`"},
  {"len", "the length of a list is `List.len(l)`"},
  {"prev", "x[1] is what x was one tick ago"},
  {"pre", "x[1] is what x was one tick ago"},
  {"True", "did you mean `true`?"},
  {"False", "did you mean `false`?"},
};

static void hint_foreign(wfe_checker *c, uint32_t name) {
  wb_str text = wb_name(c->tree->names, name);
  for (size_t i = 0; i < WB_LEN(foreign); i++)
    if (wb_str_eq(text, (wb_str){foreign[i].theirs, __builtin_strlen(foreign[i].theirs)})) wfe_hint(c, "%s", foreign[i].hint);
}

static bool refuse_name(scan *s, wfe_ref r, bool is_scope) {
  wfe_checker *c = s->c;
  const wfe_node *n = wfe_node_at(c, r), *parent = parent_of(s);
  if (!wfe_is_kept(c, n->span)) return wfe_refuse(c, WEIR_E_TYPE, n->span, "unknown name");
  bool is_called = parent != NULL && parent->kind == WFE_CALL && parent->first.i == r.i;
  wb_near near;
  wb_near_init(&near, wb_name(c->tree->names, n->as.name));
  for (size_t i = s->bindings.n; i-- > 0 && !is_scope;)
    wb_near_offer(&near, wb_name(c->tree->names, wfe_node_at(c, (wfe_ref){s->bindings.at[i].param})->as.name));
  offer_streams(c, &near);
  if (is_called) offer_builtins(&near);
  wfe_refuse(c, WEIR_E_TYPE, n->span, is_called ? "unknown function `%s`" : "unknown name `%s`", wfe_name_text(c, n->as.name).at);
  hint_foreign(c, n->as.name);
  wfe_hint_nearest(c, &near);
  return false;
}

static bool refuse_self(scan *s, wfe_ref r) {
  wfe_checker *c = s->c;
  const wfe_node *n = wfe_node_at(c, r);
  wfe_text name = wfe_name_text(c, n->as.name);
  wfe_refuse(c, WEIR_E_COMPILE, n->span, "`%s` reads itself without a delay", name.at);
  wfe_hint(c, "only `%s[k]` with k of at least 1 reads what `%s` was before", name.at, name.at);
  return false;
}

/* Notes that the stream cannot be inferred before the other. */
static bool note_edge(scan *s, uint32_t read) {
  const wfe_stream *streams = s->c->out->streams.at;
  if (streams[read].role == WEIR_IN || streams[read].declared.i != WIR_TYPE_NONE || streams[s->stream].declared.i != WIR_TYPE_NONE)
    return true;
  return WB_PUSH(s->c->mem, &s->c->edges, (wfe_edge){read, s->stream}) || wfe_refuse_memory(s->c);
}

static bool visit_name(scan *s, wfe_ref r) {
  const wfe_node *n = wfe_node_at(s->c, r), *parent = parent_of(s);
  wfe_typing *t = wfe_typing_at(s->c, r);
  uint32_t bound = s->binding_of[n->as.name], known = s->c->stream_of[n->as.name];
  if (bound != 0) {
    t->target = WFE_TO_PARAM;
    t->index = s->bindings.at[bound - 1].param;
    return true;
  }
  if (known == 0) return refuse_name(s, r, false);
  t->target = WFE_TO_STREAM;
  t->index = known - 1;
  if (known - 1 != s->stream || (parent != NULL && parent->kind == WFE_DELAY && parent->as.offset > 0)) return note_edge(s, known - 1);
  return refuse_self(s, r);
}

static bool visit_scope_name(scan *s, wfe_ref r) {
  wfe_checker *c = s->c;
  const wfe_node *n = wfe_node_at(c, r);
  uint32_t known = c->stream_of[n->as.name], list = WB_TOP(&s->places).at.i + 1;
  if (s->places.n > 1) list = s->places.at[s->places.n - 2].at.i + 1;
  if (known == 0) return refuse_name(s, r, true);
  if (known - 1 == s->stream)
    return wfe_refuse(c, WEIR_E_TYPE, n->span, "the scope list of a text in `%s` contains `%s` itself", wfe_name_text(c, n->as.name).at,
                      wfe_name_text(c, n->as.name).at);
  if (s->listed_by[n->as.name] == list)
    return wfe_refuse(c, WEIR_E_TYPE, n->span, "the scope list contains `%s` twice", wfe_name_text(c, n->as.name).at);
  s->listed_by[n->as.name] = list;
  wfe_typing *t = wfe_typing_at(c, r);
  t->target = WFE_TO_STREAM;
  t->index = known - 1;
  return true;
}

static bool visit_param(scan *s, wfe_ref r) {
  wfe_checker *c = s->c;
  const wfe_node *n = wfe_node_at(c, r);
  uint32_t *bound = &s->binding_of[n->as.name];
  if (*bound > s->places.at[s->places.n - 2].n_bindings) /* bound by this very lambda */
    return wfe_refuse(c, WEIR_E_TYPE, n->span, "two parameters are named `%s`", wfe_name_text(c, n->as.name).at);
  if (wir_type_at(c->types, n->type)->has_expr) return wfe_refuse(c, WEIR_E_TYPE, n->span, "Expr<T> can only be the type of an input");
  if (!WB_PUSH(c->mem, &s->bindings, (binding){r.i, *bound})) return wfe_refuse_memory(c);
  *bound = (uint32_t)s->bindings.n;
  return true;
}

/* ---- State in functions -------------------------------------------------------------------------------------------- */

/* The operation whose function may keep no state, if the node is that function. */
static const char *stateless_operation(const wfe_node *parent, wfe_ref r) {
  static const char *const texts[WFE_BUILTINS] = {
    [WFE_B_FIX] = "fix",           [WFE_B_PARTIAL] = "partial",         [WFE_B_LIST_MAP] = "List.map",
    [WFE_B_LIST_FILTER] = "List.filter", [WFE_B_LIST_FOLD] = "List.fold",
  };
  return parent != NULL && parent->kind == WFE_BUILTIN && parent->first.i == r.i ? texts[parent->op] : NULL;
}

static void enter_function(scan *s, place *p) {
  const char *operation = stateless_operation(parent_of(s), p->at);
  p->n_bindings = (uint32_t)s->bindings.n;
  p->is_stateless = operation != NULL;
  s->n_lambdas++;
  if (operation == NULL) return;
  s->n_stateless++;
  s->stateless_in = operation;
}

static void leave_function(scan *s, const place *p) {
  s->n_lambdas--;
  s->n_stateless -= p->is_stateless;
  while (s->bindings.n > p->n_bindings) {
    binding b = WB_POP(&s->bindings);
    s->binding_of[wfe_node_at(s->c, (wfe_ref){b.param})->as.name] = b.hidden;
  }
}

/* The word for an operation that keeps state, or NULL. */
static const char *stateful_word(const wfe_node *n) {
  static const char *const builtins[WFE_BUILTINS] = {
    [WFE_B_INIT] = "`init`", [WFE_B_WHEN] = "`when`", [WFE_B_UPDATE] = "`update`", [WFE_B_LATCH] = "`latch`",
  };
  static const char *const kinds[WFE_KINDS] = {[WFE_DELAY] = "a delay", [WFE_DYNAMIC] = "`dynamic`", [WFE_DEFER] = "`defer`"};
  return n->kind == WFE_BUILTIN ? builtins[n->op] : kinds[n->kind];
}

static bool check_state(scan *s, const wfe_node *n) {
  const char *word = stateful_word(n);
  weir_span at = n->at > n->span.begin && n->at < n->span.end ? (weir_span){n->at, n->span.end} : n->span;
  if (word == NULL) return true;
  if (s->n_stateless > 0) {
    wfe_refuse(s->c, WEIR_E_COMPILE, at, "%s cannot stand in the function of `%s`, which keeps no state", word, s->stateless_in);
    wfe_hint(s->c, "compute it in a stream of its own and use that");
    return false;
  }
  if (s->n_lambdas == 0 || (n->kind != WFE_DYNAMIC && n->kind != WFE_DEFER)) return true;
  wfe_refuse(s->c, WEIR_E_COMPILE, at, "%s cannot stand in the body of a function", word);
  wfe_hint(s->c, "compute it in a stream of its own and use that");
  return false;
}

/* ---- Walking ------------------------------------------------------------------------------------------------------- */

/* On the way down: what must be known before the children are seen. */
static bool enter(scan *s, wfe_ref r) {
  const wfe_node *n = wfe_node_at(s->c, r);
  if (!WB_PUSH(s->c->mem, &s->places, (place){.at = r, .child = n->first})) return wfe_refuse_memory(s->c);
  if (n->kind == WFE_LAMBDA) enter_function(s, &WB_TOP(&s->places));
  if (n->kind == WFE_PARAM) return visit_param(s, r); /* before the body is */
  if (n->kind != WFE_MONITORED_AT && n->kind != WFE_DIST) return true;
  return wfe_refuse(s->c, WEIR_E_TYPE, n->span, "`%s` is a distributed operator; Weir runs at one place and has none",
                    n->kind == WFE_DIST ? "dist" : "monitored_at");
}

/* On the way up, so that errors of operands come before that of their operator. */
static bool leave(scan *s) {
  wfe_ref r = WB_TOP(&s->places).at;
  const wfe_node *n = wfe_node_at(s->c, r);
  bool is_text = n->kind == WFE_DYNAMIC || n->kind == WFE_DEFER, ok = true;
  if (n->kind == WFE_NAME) ok = visit_name(s, r);
  else if (n->kind == WFE_SCOPE_NAME) ok = visit_scope_name(s, r);
  else if (is_text && wir_type_at(s->c->types, n->type)->has_expr)
    ok = wfe_refuse(s->c, WEIR_E_TYPE, n->span, "Expr<T> can only be the type of an input");
  if (!ok || !check_state(s, n)) return false;
  if (n->kind == WFE_LAMBDA) leave_function(s, &WB_TOP(&s->places));
  (void)WB_POP(&s->places);
  return true;
}

static bool scan_equation(scan *s, wfe_ref root) {
  if (!enter(s, root)) return false;
  while (s->places.n > 0) {
    place *p = &WB_TOP(&s->places);
    wfe_ref child = p->child;
    if (!wfe_is_node(child)) {
      if (!leave(s)) return false;
      continue;
    }
    p->child = wfe_next(s->c, child);
    if (!enter(s, child)) return false;
  }
  return true;
}

/* Back to the root, after an error in the middle. */
static void unwind(scan *s) {
  for (; s->places.n > 0; (void)WB_POP(&s->places)) {
    const place *p = &WB_TOP(&s->places);
    if (wfe_node_at(s->c, p->at)->kind == WFE_LAMBDA) leave_function(s, p);
  }
}

/* Goes through the equations in order of the text. */
static bool scan_equations(wfe_checker *c) {
  size_t n_names = c->tree->names->texts.n;
  scan s = {.c = c, .binding_of = WB_NEW_ARRAY(c->mem, uint32_t, n_names), .listed_by = WB_NEW_ARRAY(c->mem, uint32_t, n_names)};
  if (s.binding_of == NULL || s.listed_by == NULL) return wfe_refuse_memory(c);
  for (size_t i = 0; i < c->tree->equations.n && c->outcome != WFE_MEMORY; i++) {
    const wfe_equation *e = &c->tree->equations.at[i];
    uint32_t known = c->stream_of[e->name];
    if (known == 0 || c->out->streams.at[known - 1].root.i != e->root.i) continue; /* refused already */
    wfe_stream *stream = &c->out->streams.at[known - 1];
    s.stream = known - 1;
    c->outcome = WFE_FINE;
    if (scan_equation(&s, e->root)) continue;
    unwind(&s);
    c->has_failed[s.stream] = true;
    if (stream->type.i == WIR_TYPE_NONE) stream->type = WIR_ANY;
  }
  return c->outcome != WFE_MEMORY;
}

/* ---- The door ------------------------------------------------------------------------------------------------------ */

void wfe_check(const wfe_tree *tree, const wfe_limits *limits, wfe_checked *out, struct weir_diagnostics *diags) {
  (void)limits; /* the parser has applied them */
  wfe_checker c = {.tree = tree, .types = tree->types, .mem = tree->mem, .out = out, .diags = diags};
  *out = (wfe_checked){.tree = tree, .typing = WB_NEW_ARRAY(tree->mem, wfe_typing, tree->nodes.n)};
  c.stream_of = WB_NEW_ARRAY(tree->mem, uint32_t, tree->names->texts.n);
  c.has_failed = WB_NEW_ARRAY(tree->mem, bool, tree->decls.n);
  if (out->typing == NULL || c.stream_of == NULL || c.has_failed == NULL) wfe_refuse_memory(&c);
  else if (add_streams(&c) && attach_equations(&c) && scan_equations(&c)) wfe_infer(&c);
}
