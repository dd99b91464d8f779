/* frontend/infer_call.c -- typing rules of lambdas, calls, fix, partial and the callbacks of List.map, filter and fold.
**
** Parameters without a written type take it from what they are called with.  For that the other operands are walked first and the
** function last ("turned"), as far as the function is written at the call itself.
** Leave alone: where temporal operators may stand in functions (check.c). */
#include "frontend/check.h"

/* ---- Lambdas ------------------------------------------------------------------------------------------------------- */

bool wfe_called_lambda(const wfe_checker *c, wfe_ref callee, wfe_ref *lambda, uint32_t *first) {
  const wfe_node *n = wfe_node_at(c, callee);
  *first = 0;
  if (n->kind == WFE_BUILTIN && n->op == WFE_B_FIX) *first = 1;
  else if (n->kind == WFE_BUILTIN && n->op == WFE_B_PARTIAL) *first = n->n_children - 1;
  else if (n->kind != WFE_LAMBDA) return false;
  *lambda = n->kind == WFE_LAMBDA ? callee : n->first;
  return wfe_node_at(c, *lambda)->kind == WFE_LAMBDA;
}

/* Parameter number `i` of a lambda, or no node. */
static wfe_ref parameter(const wfe_checker *c, wfe_ref lambda, uint32_t i) {
  wfe_ref p = wfe_node_at(c, lambda)->first;
  while (i-- > 0 && wfe_node_at(c, p)->kind == WFE_PARAM) p = wfe_next(c, p);
  return wfe_node_at(c, p)->kind == WFE_PARAM ? p : WFE_NO_NODE;
}

wfe_ref wfe_lambda_body(const wfe_checker *c, wfe_ref lambda) {
  wfe_ref p = wfe_node_at(c, lambda)->first;
  while (wfe_is_node(wfe_next(c, p))) p = wfe_next(c, p);
  return p;
}

bool wfe_is_turned(const wfe_checker *c, wfe_ref r, wfe_ref *param) {
  const wfe_node *n = wfe_node_at(c, r);
  wfe_ref lambda;
  uint32_t first;
  bool is_callback = n->kind == WFE_BUILTIN && (n->op == WFE_B_PARTIAL || n->op == WFE_B_LIST_MAP || n->op == WFE_B_LIST_FILTER ||
                                                n->op == WFE_B_LIST_FOLD);
  if ((n->kind != WFE_CALL && !is_callback) || !wfe_called_lambda(c, n->first, &lambda, &first)) return false;
  *param = parameter(c, lambda, first);
  for (wfe_ref p = *param; wfe_is_node(p) && wfe_node_at(c, p)->kind == WFE_PARAM; p = wfe_next(c, p))
    if (wfe_node_at(c, p)->type.i == WIR_TYPE_NONE) return true;
  return false;
}

static void give_parameter(wfe_checker *c, wfe_ref p, wir_type type) {
  wfe_typing *t = wfe_typing_at(c, p);
  if (wfe_node_at(c, p)->type.i != WIR_TYPE_NONE || t->type.i != WIR_TYPE_NONE) return;
  t->type = wir_type_at(c->types, type)->has_unknown ? WIR_ANY : type; /* the body may not rely on an empty list */
}

void wfe_enter_lambda(wfe_checker *c, wfe_ref lambda, wir_type expected) {
  const wfe_node *n = wfe_node_at(c, lambda);
  bool helps = wfe_kind_of(c, expected) == WIR_TYPE_FUN && wir_type_at(c->types, expected)->n_parts == n->n_children;
  uint32_t i = 0;
  for (wfe_ref p = n->first; wfe_node_at(c, p)->kind == WFE_PARAM; p = wfe_next(c, p), i++) {
    wir_type written = wfe_node_at(c, p)->type;
    if (written.i != WIR_TYPE_NONE) wfe_typing_at(c, p)->type = written;
    else give_parameter(c, p, helps ? wir_type_parts(c->types, expected)[i].type : WIR_ANY);
  }
}

static bool push_part(wfe_checker *c, wir_type type) {
  return WB_PUSH(c->mem, &c->parts, (wir_type_part){WB_NO_NAME, type}) || wfe_refuse_memory(c);
}

bool wfe_leaving_lambda(wfe_checker *c, const wfe_visit *f) {
  c->parts.n = 0;
  for (wfe_ref p = wfe_node_at(c, f->at)->first; wfe_is_node(p); p = wfe_next(c, p))
    if (!push_part(c, wfe_type_of(c, p))) return false;
  return wfe_give(c, f, wir_type_make(c->types, WIR_TYPE_FUN, c->parts.at, (uint32_t)c->parts.n, false));
}

/* ---- Calls --------------------------------------------------------------------------------------------------------- */

static uint32_t count_parameters(const wfe_checker *c, wir_type fun) { return wir_type_at(c->types, fun)->n_parts - 1; }
static wir_type result_of(const wfe_checker *c, wir_type fun) { return wir_type_parts(c->types, fun)[count_parameters(c, fun)].type; }

/* The children of a turned node have been walked: they tell the parameters of the function, from `first` on. */
static void give_arguments(wfe_checker *c, wfe_ref function, wfe_ref argument) {
  wfe_ref lambda;
  uint32_t first;
  if (!wfe_called_lambda(c, function, &lambda, &first)) return;
  wfe_ref p = parameter(c, lambda, first);
  for (; wfe_is_node(p) && wfe_is_node(argument) && wfe_node_at(c, p)->kind == WFE_PARAM; p = wfe_next(c, p)) {
    give_parameter(c, p, wfe_type_of(c, argument));
    argument = wfe_next(c, argument);
  }
}

/* The type that parameter `i` of the function of a call is known to have before its argument is walked. */
static wir_type expected_argument(const wfe_checker *c, const wfe_visit *f, wfe_ref function, uint32_t i) {
  if (!f->is_turned) {
    wir_type fun = wfe_type_of(c, function);
    bool is_there = wfe_kind_of(c, fun) == WIR_TYPE_FUN && i < count_parameters(c, fun);
    return is_there ? wfe_expect(c, wir_type_parts(c->types, fun)[i].type) : WIR_NONE;
  }
  bool is_there = wfe_is_node(f->param) && wfe_node_at(c, f->param)->kind == WFE_PARAM;
  return is_there ? wfe_node_at(c, f->param)->type : WIR_NONE;
}

wir_type wfe_entering_call(wfe_checker *c, const wfe_visit *f) {
  wfe_ref function = wfe_node_at(c, f->at)->first;
  if (f->nth > 0) return expected_argument(c, f, function, f->nth - 1);
  if (f->is_turned) give_arguments(c, function, wfe_next(c, function));
  return WIR_NONE;
}

wir_type wfe_entering_partial(wfe_checker *c, const wfe_visit *f) { return wfe_entering_call(c, f); }

/* The most common reason: a parenthesis that begins a line continues the equation before it. */
static bool begins_a_line(wfe_checker *c, wfe_ref call) {
  return wfe_line(c, wfe_node_at(c, call)->at) > wfe_line(c, wfe_node_at(c, wfe_node_at(c, call)->first)->span.end);
}

static bool refuse_call(wfe_checker *c, wfe_ref call, wir_type got) {
  wfe_ref function = wfe_node_at(c, call)->first;
  weir_span span = wfe_node_at(c, function)->span;
  if (!wfe_is_kept(c, span)) return wfe_refuse(c, WEIR_E_TYPE, span, "call of a value that is not a function");
  wfe_refuse(c, WEIR_E_TYPE, span, "call of a value of type %s, which is not a function", wfe_type_text(c, got).at);
  if (begins_a_line(c, call))
    wfe_hint(c, "the `(` in line %u continues this line: a new line does not end an equation", wfe_line(c, wfe_node_at(c, call)->at));
  return false;
}

static bool refuse_count(wfe_checker *c, wfe_ref at, uint64_t got, uint64_t takes) {
  return wfe_refuse(c, WEIR_E_TYPE, wfe_node_at(c, at)->span, "%" PRIu64 " argument%s given to a function that takes %" PRIu64, got,
                    WB_S(got), takes);
}

/* Each argument enters its parameter. */
static bool settle_arguments(wfe_checker *c, wir_type fun, wfe_ref argument) {
  for (uint32_t i = 0; wfe_is_node(argument); i++, argument = wfe_next(c, argument))
    if (!wfe_settle(c, argument, wir_type_parts(c->types, fun)[i].type)) return false;
  return true;
}

bool wfe_leaving_call(wfe_checker *c, const wfe_visit *f) {
  const wfe_node *n = wfe_node_at(c, f->at);
  wir_type fun = wfe_type_of(c, n->first);
  uint32_t given = n->n_children - 1;
  if (fun.i == WIR_TYPE_ANY) return wfe_give(c, f, WIR_ANY);
  if (wfe_kind_of(c, fun) != WIR_TYPE_FUN) return refuse_call(c, f->at, fun);
  if (given != count_parameters(c, fun)) return refuse_count(c, f->at, given, count_parameters(c, fun));
  return settle_arguments(c, fun, wfe_next(c, n->first)) && wfe_give(c, f, result_of(c, fun));
}

/* ---- partial, fix -------------------------------------------------------------------------------------------------- */

static bool refuse_function(wfe_checker *c, wfe_ref operand, wir_type got) {
  return wfe_refuse(c, WEIR_E_TYPE, wfe_node_at(c, operand)->span, "expected a function, got %s", wfe_type_text(c, got).at);
}

/* The function of all but the first `n` parameters. */
static wir_type without_first(wfe_checker *c, wir_type fun, uint32_t n) {
  uint32_t n_parts = wir_type_at(c->types, fun)->n_parts;
  c->parts.n = 0;
  for (uint32_t i = n; i < n_parts; i++)
    if (!push_part(c, wir_type_parts(c->types, fun)[i].type)) return WIR_NONE;
  return wir_type_make(c->types, WIR_TYPE_FUN, c->parts.at, n_parts - n, false);
}

bool wfe_leaving_partial(wfe_checker *c, const wfe_visit *f) {
  const wfe_node *n = wfe_node_at(c, f->at);
  wir_type fun = wfe_type_of(c, n->first);
  uint32_t given = n->n_children - 1;
  if (fun.i == WIR_TYPE_ANY) return wfe_give(c, f, WIR_ANY);
  if (wfe_kind_of(c, fun) != WIR_TYPE_FUN) return refuse_function(c, n->first, fun);
  if (given > count_parameters(c, fun)) return refuse_count(c, f->at, given, count_parameters(c, fun));
  return settle_arguments(c, fun, wfe_next(c, n->first)) && wfe_give(c, f, without_first(c, fun, given));
}

bool wfe_leaving_fix(wfe_checker *c, const wfe_visit *f) {
  wfe_ref operand = wfe_node_at(c, f->at)->first;
  wir_type fun = wfe_type_of(c, operand);
  if (fun.i == WIR_TYPE_ANY) return wfe_give(c, f, WIR_ANY);
  if (wfe_kind_of(c, fun) != WIR_TYPE_FUN) return refuse_function(c, operand, fun);
  if (count_parameters(c, fun) == 0) return refuse_count(c, f->at, 1, 0);
  wir_type rest = without_first(c, fun, 1), self = wir_type_parts(c->types, fun)->type;
  if (rest.i == WIR_TYPE_NONE) return wfe_refuse_memory(c);
  wir_fit fit = wir_type_fit(c->types, rest, self);
  if (fit == WIR_FIT_MEMORY) return wfe_refuse_memory(c);
  if (fit == WIR_FIT_NO) {
    wfe_text want = wfe_type_text(c, self), got = wfe_type_text(c, rest);
    return wfe_refuse(c, WEIR_E_TYPE, wfe_node_at(c, operand)->span,
                      "its first parameter is declared %s, the function itself is %s", want.at, got.at);
  }
  return wfe_give(c, f, rest);
}

/* ---- Callbacks ----------------------------------------------------------------------------------------------------- */

/* The element type of a list operand that has been walked, for the parameter of a function; no errors yet. */
static wir_type element_for_parameter(const wfe_checker *c, wfe_ref list) {
  wir_type type = wfe_type_of(c, list);
  return wfe_kind_of(c, type) == WIR_TYPE_LIST ? wir_type_parts(c->types, type)->type : WIR_ANY;
}

wir_type wfe_entering_callback(wfe_checker *c, const wfe_visit *f) {
  wfe_ref function = wfe_node_at(c, f->at)->first, lambda;
  uint32_t first;
  if (f->nth == 0 && f->is_turned && wfe_called_lambda(c, function, &lambda, &first)) {
    wfe_ref p = parameter(c, lambda, first);
    if (wfe_is_node(p)) give_parameter(c, p, element_for_parameter(c, wfe_next(c, function)));
  }
  return WIR_NONE;
}

wir_type wfe_entering_fold(wfe_checker *c, const wfe_visit *f) {
  wfe_ref function = wfe_node_at(c, f->at)->first, initial = wfe_next(c, function), lambda;
  uint32_t first;
  if (f->nth == 1) return expected_argument(c, f, function, 0);
  if (f->nth == 0 && f->is_turned && wfe_called_lambda(c, function, &lambda, &first)) {
    wfe_ref p = parameter(c, lambda, first), q = parameter(c, lambda, first + 1);
    if (wfe_is_node(p)) give_parameter(c, p, wfe_type_of(c, initial));
    if (wfe_is_node(q)) give_parameter(c, q, element_for_parameter(c, wfe_next(c, initial)));
  }
  return WIR_NONE;
}

/* The function operand of List.map, filter, fold: Any (*is_any), or a function of `n` parameters, the last for elements.  What is
** wrong with it is never a mismatch that widens a stream. */
static bool check_callback(wfe_checker *c, wfe_ref function, uint32_t n, wir_type element, bool *is_any) {
  wir_type fun = wfe_type_of(c, function);
  *is_any = fun.i == WIR_TYPE_ANY;
  if (*is_any) return true;
  if (wfe_kind_of(c, fun) != WIR_TYPE_FUN) return refuse_function(c, function, fun);
  weir_span span = wfe_node_at(c, function)->span;
  if (count_parameters(c, fun) != n)
    return wfe_refuse(c, WEIR_E_TYPE, span, "expected a function of %u parameter%s, got one of %u", n, WB_S(n), count_parameters(c, fun));
  wir_type parameter_type = wir_type_parts(c->types, fun)[n - 1].type;
  wir_fit fit = wir_type_fit(c->types, element, parameter_type);
  if (fit == WIR_FIT_MEMORY) return wfe_refuse_memory(c);
  if (fit != WIR_FIT_NO) return true;
  wfe_text want = wfe_type_text(c, parameter_type), got = wfe_type_text(c, element);
  return wfe_refuse(c, WEIR_E_TYPE, span, "the function takes %s, but the elements are %s", want.at, got.at);
}

/* The function's result enters a place of type `to`. */
static bool check_result(wfe_checker *c, wfe_ref function, wir_type to) {
  wir_type result = result_of(c, wfe_type_of(c, function));
  wir_fit fit = wir_type_fit(c->types, result, to);
  if (fit == WIR_FIT_MEMORY) return wfe_refuse_memory(c);
  if (fit != WIR_FIT_NO) return true;
  wfe_text want = wfe_type_text(c, to), got = wfe_type_text(c, result);
  return wfe_refuse(c, WEIR_E_TYPE, wfe_node_at(c, function)->span, "the function must return %s, but returns %s", want.at, got.at);
}

bool wfe_leaving_list_map(wfe_checker *c, const wfe_visit *f) {
  wfe_ref function = wfe_node_at(c, f->at)->first;
  wir_type element;
  bool is_any;
  if (!wfe_list_element(c, wfe_next(c, function), &element)) return false;
  if (!check_callback(c, function, 1, element, &is_any)) return false;
  return wfe_give(c, f, wir_type_list(c->types, is_any ? WIR_ANY : result_of(c, wfe_type_of(c, function))));
}

bool wfe_leaving_list_filter(wfe_checker *c, const wfe_visit *f) {
  wfe_ref function = wfe_node_at(c, f->at)->first;
  wir_type element;
  bool is_any;
  if (!wfe_list_element(c, wfe_next(c, function), &element)) return false;
  if (!check_callback(c, function, 1, element, &is_any)) return false;
  if (!is_any && !check_result(c, function, WIR_BOOL)) return false;
  return wfe_give(c, f, wir_type_list(c->types, element));
}

bool wfe_leaving_list_fold(wfe_checker *c, const wfe_visit *f) {
  wfe_ref function = wfe_node_at(c, f->at)->first, initial = wfe_next(c, function);
  wir_type element;
  bool is_any;
  if (!wfe_list_element(c, wfe_next(c, initial), &element)) return false;
  if (!check_callback(c, function, 2, element, &is_any)) return false;
  if (is_any) return wfe_give(c, f, WIR_ANY);
  wir_type accumulator = wir_type_parts(c->types, wfe_type_of(c, function))->type;
  return wfe_settle(c, initial, accumulator) && check_result(c, function, accumulator) && wfe_give(c, f, accumulator);
}
