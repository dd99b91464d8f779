/* frontend/infer.c -- the order of inference, the walk over an equation, and gradual fallback (language.md 4).
**
** Unannotated streams are inferred in dependency order by a worklist; what a cycle keeps from being inferred becomes Any.
** An equation is walked once, with a stack on the heap: on the way down a node gives each child its expected type, on the way up
** its rule gives it its type and sets `becomes` on children that must be converted or checked.  Both are in the tables below.
** A mismatch in an unannotated stream throws that away, and the equation is typed as Any throughout.
** Leave alone: names and scopes (check.c), what the rules say (infer_*.c). */
#include "frontend/check.h"

typedef struct rule {
  wfe_entering_fn *entering; /* NULL: children have no expected type */
  wfe_leaving_fn *leaving;   /* NULL: the node has no type of its own */
} rule;

static const rule rules[WFE_KINDS] = {
  [WFE_INT] = {NULL, wfe_leaving_int},
  [WFE_FLOAT] = {NULL, wfe_leaving_float},
  [WFE_BOOL] = {NULL, wfe_leaving_bool},
  [WFE_UNIT] = {NULL, wfe_leaving_unit},
  [WFE_STR] = {NULL, wfe_leaving_str},
  [WFE_NAME] = {NULL, wfe_leaving_name},
  [WFE_UNARY] = {NULL, wfe_leaving_unary},
  [WFE_BINARY] = {NULL, wfe_leaving_binary},
  [WFE_IF] = {wfe_entering_if, wfe_leaving_if},
  [WFE_DELAY] = {wfe_entering_same, wfe_leaving_delay},
  [WFE_LAMBDA] = {NULL, wfe_leaving_lambda},
  [WFE_PARAM] = {NULL, NULL},
  [WFE_CALL] = {wfe_entering_call, wfe_leaving_call},
  [WFE_FIELD] = {NULL, wfe_leaving_field},
  [WFE_ITEM] = {NULL, wfe_leaving_item},
  [WFE_LIST] = {wfe_entering_element, wfe_leaving_list},
  [WFE_TUPLE] = {NULL, wfe_leaving_tuple},
  [WFE_MAP] = {wfe_entering_element, wfe_leaving_map},
  [WFE_STRUCT] = {wfe_entering_entry, wfe_leaving_object},
  [WFE_OBJECT] = {wfe_entering_entry, wfe_leaving_object},
  [WFE_ENTRY] = {wfe_entering_same, wfe_leaving_entry},
  [WFE_BUILTIN] = {NULL, NULL}, /* by builtin, below */
  [WFE_DYNAMIC] = {NULL, wfe_leaving_dynamic},
  [WFE_DEFER] = {NULL, wfe_leaving_dynamic},
  [WFE_SCOPE_NAME] = {NULL, NULL},
  [WFE_MONITORED_AT] = {NULL, NULL}, /* refused before */
  [WFE_DIST] = {NULL, NULL},
};

static const rule builtin_rules[WFE_BUILTINS] = {
  [WFE_B_SIN] = {NULL, wfe_leaving_trig},
  [WFE_B_COS] = {NULL, wfe_leaving_trig},
  [WFE_B_TAN] = {NULL, wfe_leaving_trig},
  [WFE_B_ABS] = {NULL, wfe_leaving_abs},
  [WFE_B_DEFAULT] = {wfe_entering_same, wfe_leaving_both},
  [WFE_B_UPDATE] = {wfe_entering_same, wfe_leaving_both},
  [WFE_B_LATCH] = {wfe_entering_first, wfe_leaving_latch},
  [WFE_B_INIT] = {wfe_entering_same, wfe_leaving_both},
  [WFE_B_IS_DEFINED] = {NULL, wfe_leaving_bool_of_any},
  [WFE_B_WHEN] = {NULL, wfe_leaving_bool_of_any},
  [WFE_B_FIX] = {NULL, wfe_leaving_fix},
  [WFE_B_PARTIAL] = {wfe_entering_partial, wfe_leaving_partial},
  [WFE_B_LIST_GET] = {NULL, wfe_leaving_list_get},
  [WFE_B_LIST_APPEND] = {wfe_entering_addition, wfe_leaving_list_append},
  [WFE_B_LIST_CONCAT] = {wfe_entering_addition, wfe_leaving_list_concat},
  [WFE_B_LIST_HEAD] = {NULL, wfe_leaving_list_head},
  [WFE_B_LIST_TAIL] = {NULL, wfe_leaving_list_tail},
  [WFE_B_LIST_LEN] = {NULL, wfe_leaving_list_len},
  [WFE_B_LIST_MAP] = {wfe_entering_callback, wfe_leaving_list_map},
  [WFE_B_LIST_FILTER] = {wfe_entering_callback, wfe_leaving_list_filter},
  [WFE_B_LIST_FOLD] = {wfe_entering_fold, wfe_leaving_list_fold},
  [WFE_B_MAP_GET] = {NULL, wfe_leaving_map_get},
  [WFE_B_MAP_REMOVE] = {NULL, wfe_leaving_map_remove},
  [WFE_B_MAP_HAS_KEY] = {NULL, wfe_leaving_map_has_key},
  [WFE_B_MAP_INSERT] = {wfe_entering_insert, wfe_leaving_map_insert},
};

/* ---- Words for rules ----------------------------------------------------------------------------------------------- */

bool wfe_give(wfe_checker *c, const wfe_visit *f, wir_type type) {
  if (type.i == WIR_TYPE_NONE) return wfe_refuse_memory(c);
  wfe_typing_at(c, f->at)->type = type;
  return true;
}

bool wfe_settle(wfe_checker *c, wfe_ref child, wir_type to) {
  wir_type from = wfe_type_of(c, child);
  switch (wir_type_fit(c->types, from, to)) {
  case WIR_FIT_EXACT: return true;
  case WIR_FIT_CHECKED: wfe_typing_at(c, child)->becomes = to; return true;
  case WIR_FIT_NO: return wfe_refuse_mismatch(c, child, to, from);
  case WIR_FIT_MEMORY: break;
  }
  return wfe_refuse_memory(c);
}

bool wfe_join(wfe_checker *c, wfe_ref child, wir_type *common) {
  wir_type joined;
  if (!wir_type_unify(c->types, *common, wfe_type_of(c, child), &joined))
    return wfe_refuse_mismatch(c, child, *common, wfe_type_of(c, child));
  if (joined.i == WIR_TYPE_NONE) return wfe_refuse_memory(c);
  *common = joined;
  return true;
}

/* ---- The walk ------------------------------------------------------------------------------------------------------ */

static const rule *rule_of(const wfe_node *n) { return n->kind == WFE_BUILTIN ? &builtin_rules[n->op] : &rules[n->kind]; }

static bool push(wfe_checker *c, wfe_ref r, wir_type expected) {
  const wfe_node *n = wfe_node_at(c, r);
  wfe_visit f = {.at = r, .child = n->first, .expected = expected, .param = WFE_NO_NODE};
  if (n->kind == WFE_LAMBDA) wfe_enter_lambda(c, r, expected);
  if (wfe_is_turned(c, r, &f.param)) {
    f.is_turned = true;
    f.child = wfe_next(c, n->first);
    f.nth = 1;
  }
  return WB_PUSH(c->mem, &c->stack, f) || wfe_refuse_memory(c);
}

/* Moves on to the next child to enter, *child; false when all have been. */
static bool next_child(const wfe_checker *c, wfe_visit *f, wfe_ref *child) {
  if (!wfe_is_node(f->child) && f->is_turned && f->nth > 0) {
    f->child = wfe_node_at(c, f->at)->first;
    f->nth = 0;
  }
  *child = f->child;
  return wfe_is_node(f->child);
}

static void child_entered(const wfe_checker *c, wfe_visit *f) {
  bool was_last = f->is_turned && f->nth == 0;
  if (wfe_is_node(f->param)) f->param = wfe_next(c, f->param);
  f->child = was_last ? WFE_NO_NODE : wfe_next(c, f->child);
  f->nth = was_last ? 0 : f->nth + 1;
}

/* Types all nodes under `root`, which is of the expected type.  False: see c->outcome. */
static bool walk(wfe_checker *c, wfe_ref root, wir_type expected) {
  c->stack.n = 0;
  if (!push(c, root, expected)) return false;
  while (c->stack.n > 0) {
    wfe_visit *f = &WB_TOP(&c->stack);
    const rule *r = rule_of(wfe_node_at(c, f->at));
    wfe_ref child;
    if (next_child(c, f, &child)) {
      wir_type down = r->entering != NULL ? r->entering(c, f) : WIR_NONE;
      child_entered(c, f);
      if (!push(c, child, down)) return false;
    } else {
      if (r->leaving != NULL && !r->leaving(c, f)) return false;
      (void)WB_POP(&c->stack);
    }
  }
  return true;
}

/* ---- Gradual fallback ---------------------------------------------------------------------------------------------- */

/* The arguments of a literal function enter its parameters also in an untyped equation. */
static void untyped_arguments(wfe_checker *c, wfe_ref call) {
  wfe_ref lambda, callee = wfe_node_at(c, call)->first;
  uint32_t first;
  if (!wfe_called_lambda(c, callee, &lambda, &first)) return;
  wfe_ref p = wfe_node_at(c, lambda)->first;
  for (; first > 0 && wfe_is_node(p); first--) p = wfe_next(c, p);
  for (wfe_ref a = wfe_next(c, callee); wfe_is_node(a) && wfe_is_node(p); a = wfe_next(c, a), p = wfe_next(c, p)) {
    const wfe_node *n = wfe_node_at(c, p);
    if (n->kind == WFE_PARAM && n->type.i > WIR_TYPE_ANY) wfe_typing_at(c, a)->becomes = n->type;
  }
}

static void untype(wfe_checker *c, wfe_ref r) {
  const wfe_node *n = wfe_node_at(c, r);
  wfe_typing *t = wfe_typing_at(c, r);
  bool is_written = n->type.i != WIR_TYPE_NONE;
  t->type = n->kind == WFE_PARAM && is_written ? n->type : WIR_ANY;
  t->becomes = WIR_NONE;
  if (n->kind == WFE_DYNAMIC || n->kind == WFE_DEFER) t->index = is_written ? n->type.i : (uint32_t)WIR_TYPE_ANY;
}

/* Every expression counts as Any; only parameters and `dynamic` keep their types. */
static bool walk_untyped(wfe_checker *c, wfe_ref root) {
  c->stack.n = 0;
  untype(c, root);
  if (!WB_PUSH(c->mem, &c->stack, (wfe_visit){.at = root, .child = wfe_node_at(c, root)->first})) return wfe_refuse_memory(c);
  while (c->stack.n > 0) {
    wfe_visit *f = &WB_TOP(&c->stack);
    wfe_ref child = f->child;
    if (wfe_is_node(child)) {
      untype(c, child);
      f->child = wfe_next(c, child);
      if (!WB_PUSH(c->mem, &c->stack, (wfe_visit){.at = child, .child = wfe_node_at(c, child)->first})) return wfe_refuse_memory(c);
    } else {
      const wfe_node *n = wfe_node_at(c, f->at);
      if (n->kind == WFE_CALL || (n->kind == WFE_BUILTIN && n->op == WFE_B_PARTIAL)) untyped_arguments(c, f->at);
      (void)WB_POP(&c->stack);
    }
  }
  return true;
}

/* ---- Equations ----------------------------------------------------------------------------------------------------- */

/* The root's value enters an annotated stream: like any place of a type, but an Int does not become a Float by itself. */
static bool settle_root(wfe_checker *c, const wfe_stream *s) {
  wir_type from = wfe_type_of(c, s->root);
  if (from.i != WIR_TYPE_INT || s->declared.i != WIR_TYPE_FLOAT) return wfe_settle(c, s->root, s->declared);
  wfe_refuse(c, WEIR_E_TYPE, wfe_node_at(c, s->root)->span, "`%s` is declared Float, its equation has type Int",
             wfe_name_text(c, s->name).at);
  wfe_hint_conversion(c, s->root, s->declared, from);
  return false;
}

static bool refuse_function_output(wfe_checker *c, const wfe_stream *s, weir_span span) {
  wfe_refuse(c, WEIR_E_TYPE, span, "output `%s` has a function type", wfe_name_text(c, s->name).at);
  wfe_hint(c, "a function has no output form; declare it with `aux`");
  return false;
}

/* Checks the equation of a stream.  An unannotated one gets its type, unless it has one already (Any, after a cycle). */
static void check_equation(wfe_checker *c, wfe_stream *s) {
  bool is_annotated = s->declared.i != WIR_TYPE_NONE, is_decided = s->type.i != WIR_TYPE_NONE;
  c->outcome = WFE_FINE;
  c->is_gradual = !is_annotated;
  bool ok = walk(c, s->root, s->declared);
  if (ok && is_annotated) ok = settle_root(c, s);
  if (ok && !is_decided) {
    wir_type type = wfe_taken(wfe_type_of(c, s->root));
    if (s->role == WEIR_OUT && wir_type_at(c->types, type)->has_fun) ok = refuse_function_output(c, s, s->span);
    else s->type = type;
  }
  if (!ok && c->outcome == WFE_WIDENED && walk_untyped(c, s->root)) {
    c->outcome = WFE_FINE;
    s->type = WIR_ANY;
  }
  if (c->outcome != WFE_FINE) {
    c->has_failed[s - c->out->streams.at] = true;
    if (s->type.i == WIR_TYPE_NONE) s->type = WIR_ANY;
  }
}

/* ---- Order --------------------------------------------------------------------------------------------------------- */

typedef struct order {
  uint32_t *waits_for; /* by stream: how many references to streams that are not inferred yet */
  uint32_t *first;     /* by stream: where its followers begin in `followers`; one more at the end */
  uint32_t *followers;
  uint32_t *ready;     /* queue */
  size_t n_ready;
} order;

static bool order_init(wfe_checker *c, order *o) {
  size_t n = c->out->streams.n;
  *o = (order){
    .waits_for = WB_NEW_ARRAY(c->mem, uint32_t, n),
    .first = WB_NEW_ARRAY(c->mem, uint32_t, n + 2),
    .followers = WB_NEW_ARRAY(c->mem, uint32_t, c->edges.n),
    .ready = WB_NEW_ARRAY(c->mem, uint32_t, n),
  };
  if (o->waits_for == NULL || o->first == NULL || o->followers == NULL || o->ready == NULL) return wfe_refuse_memory(c);
  for (size_t i = 0; i < c->edges.n; i++) {
    o->first[c->edges.at[i].from + 2]++;
    o->waits_for[c->edges.at[i].to]++;
  }
  for (size_t i = 2; i < n + 2; i++) o->first[i] += o->first[i - 1];
  for (size_t i = 0; i < c->edges.n; i++) o->followers[o->first[c->edges.at[i].from + 1]++] = c->edges.at[i].to;
  return true;
}

/* Infers what no cycle keeps from it.  Streams that have failed have a type already and count as inferred. */
static void infer_in_order(wfe_checker *c, order *o) {
  wfe_stream *streams = c->out->streams.at;
  for (uint32_t i = c->out->n_inputs; i < c->out->streams.n; i++)
    if (streams[i].declared.i == WIR_TYPE_NONE && (o->waits_for[i] == 0 || c->has_failed[i])) o->ready[o->n_ready++] = i;
  for (size_t k = 0; k < o->n_ready && c->outcome != WFE_MEMORY; k++) {
    uint32_t i = o->ready[k];
    if (!c->has_failed[i]) check_equation(c, &streams[i]);
    for (uint32_t e = o->first[i]; e < o->first[i + 1]; e++) {
      uint32_t follower = o->followers[e];
      if (--o->waits_for[follower] == 0 && !c->has_failed[follower]) o->ready[o->n_ready++] = follower;
    }
  }
}

void wfe_infer(wfe_checker *c) {
  order o;
  wfe_stream *streams = c->out->streams.at;
  size_t n = c->out->streams.n;
  c->outcome = WFE_FINE;
  if (!order_init(c, &o)) return;
  infer_in_order(c, &o);
  bool *is_left = WB_NEW_ARRAY(c->mem, bool, n);
  if (is_left == NULL) wfe_refuse_memory(c);
  for (size_t i = c->out->n_inputs; i < n && c->outcome != WFE_MEMORY; i++) {
    is_left[i] = streams[i].type.i == WIR_TYPE_NONE || (streams[i].declared.i != WIR_TYPE_NONE && !c->has_failed[i]);
    if (streams[i].type.i == WIR_TYPE_NONE) streams[i].type = WIR_ANY;
  }
  for (size_t i = c->out->n_inputs; i < n && c->outcome != WFE_MEMORY; i++)
    if (is_left[i]) check_equation(c, &streams[i]);
}
