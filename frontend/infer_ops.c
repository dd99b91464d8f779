/* frontend/infer_ops.c -- typing rules of leaves, operators, `if`, delay, the stateful builtins, dynamic and defer.
**
** An operand of type Any is checked by its operator when it computes and needs nothing here; an Int beside a Float `becomes` Float.
** Leave alone: calls and functions (infer_call.c), containers (infer_collections.c). */
#include "frontend/check.h"

/* ---- Leaves -------------------------------------------------------------------------------------------------------- */

bool wfe_leaving_int(wfe_checker *c, const wfe_visit *f) { return wfe_give(c, f, WIR_INT); }
bool wfe_leaving_float(wfe_checker *c, const wfe_visit *f) { return wfe_give(c, f, WIR_FLOAT); }
bool wfe_leaving_bool(wfe_checker *c, const wfe_visit *f) { return wfe_give(c, f, WIR_BOOL); }
bool wfe_leaving_unit(wfe_checker *c, const wfe_visit *f) { return wfe_give(c, f, WIR_UNIT); }
bool wfe_leaving_str(wfe_checker *c, const wfe_visit *f) { return wfe_give(c, f, WIR_STR); }

bool wfe_leaving_name(wfe_checker *c, const wfe_visit *f) {
  const wfe_typing *t = wfe_typing_at(c, f->at);
  wir_type type = t->target == WFE_TO_STREAM ? c->out->streams.at[t->index].type : c->out->typing[t->index].type;
  return wfe_give(c, f, wfe_kind_of(c, type) == WIR_TYPE_EXPR ? WIR_STR : type);
}

/* ---- Operators ----------------------------------------------------------------------------------------------------- */

typedef enum family { FOR_NUMBERS, FOR_EQUALS, FOR_ORDERED, FOR_BOOLS, FOR_TEXTS } family;

static const uint8_t family_of[WFE_OPS] = {
  [WFE_NEG] = FOR_NUMBERS, [WFE_NOT] = FOR_BOOLS,  [WFE_ADD] = FOR_NUMBERS, [WFE_SUB] = FOR_NUMBERS,     [WFE_MUL] = FOR_NUMBERS,
  [WFE_DIV] = FOR_NUMBERS, [WFE_REM] = FOR_NUMBERS, [WFE_POW] = FOR_NUMBERS, [WFE_EQ] = FOR_EQUALS,       [WFE_NE] = FOR_EQUALS,
  [WFE_LT] = FOR_ORDERED,  [WFE_LE] = FOR_ORDERED, [WFE_GT] = FOR_ORDERED,  [WFE_GE] = FOR_ORDERED,      [WFE_AND] = FOR_BOOLS,
  [WFE_OR] = FOR_BOOLS,    [WFE_IMPLIES] = FOR_BOOLS, [WFE_CONCAT] = FOR_TEXTS,
};

static bool is_number(wir_type x) { return x.i == WIR_TYPE_INT || x.i == WIR_TYPE_FLOAT; }
static bool is_any(wir_type x) { return x.i == WIR_TYPE_ANY; }
static bool is_or_any(wir_type x, wir_type want) { return is_any(x) || x.i == want.i; }

/* What stands in the way, in the order of likelihood. */
static void hint_operands(wfe_checker *c, family fam, uint8_t op, wfe_ref left, wfe_ref right) {
  wir_type a = wfe_type_of(c, left), b = wfe_type_of(c, right);
  wfe_ref bool_side = a.i == WIR_TYPE_BOOL ? left : right, number_side = is_number(a) ? left : right;
  if (fam == FOR_NUMBERS && a.i == WIR_TYPE_STR && b.i == WIR_TYPE_STR) wfe_hint(c, "texts are joined by `++`");
  else if ((fam == FOR_NUMBERS || fam == FOR_TEXTS) && (a.i == WIR_TYPE_STR || b.i == WIR_TYPE_STR) && (is_number(a) || is_number(b)))
    wfe_hint(c, "`++` joins texts, and there is no conversion of numbers to Str");
  else if (fam == FOR_NUMBERS && (a.i == WIR_TYPE_BOOL || b.i == WIR_TYPE_BOOL))
    wfe_hint_conversion(c, bool_side, WIR_INT, wfe_type_of(c, bool_side));
  else if (op == WFE_IMPLIES && is_number(a) && is_number(b)) wfe_hint(c, "`=>` is implication; `>=` compares");
  else if (fam == FOR_BOOLS) wfe_hint_conversion(c, number_side, WIR_BOOL, wfe_type_of(c, number_side));
  else if (fam == FOR_TEXTS && (a.i == WIR_TYPE_BOOL || b.i == WIR_TYPE_BOOL))
    wfe_hint(c, "`++` binds weakest: put `(…)` around it to compare its result");
  else if (fam == FOR_TEXTS && wfe_kind_of(c, a) == WIR_TYPE_LIST) wfe_hint(c, "lists are joined by `List.concat`");
}

static bool refuse_operands(wfe_checker *c, const wfe_visit *f, family fam, wfe_ref left, wfe_ref right) {
  weir_span span = wfe_operator_span(c, f->at);
  if (!wfe_is_kept(c, span)) return wfe_refuse(c, WEIR_E_TYPE, span, "operands of the wrong types");
  wfe_text op = wfe_source_text(c, span), a = wfe_type_text(c, wfe_type_of(c, left)), b = wfe_type_text(c, wfe_type_of(c, right));
  if (left.i == right.i) wfe_refuse(c, WEIR_E_TYPE, span, "`%s` cannot take an operand of type %s", op.at, a.at);
  else wfe_refuse(c, WEIR_E_TYPE, span, "`%s` cannot take operands of type %s and %s", op.at, a.at, b.at);
  hint_operands(c, fam, wfe_node_at(c, f->at)->op, left, right);
  return false;
}

bool wfe_leaving_unary(wfe_checker *c, const wfe_visit *f) {
  const wfe_node *n = wfe_node_at(c, f->at);
  wir_type x = wfe_type_of(c, n->first);
  bool is_not = n->op == WFE_NOT;
  if (is_not ? !is_or_any(x, WIR_BOOL) : !is_number(x) && !is_any(x)) return refuse_operands(c, f, family_of[n->op], n->first, n->first);
  return wfe_give(c, f, is_not ? WIR_BOOL : x);
}

/* Two numbers, Any counting as one: the result's type; an Int beside a Float is converted. */
static wir_type join_numbers(wfe_checker *c, wfe_ref left, wfe_ref right) {
  wir_type a = wfe_type_of(c, left), b = wfe_type_of(c, right);
  if (a.i == WIR_TYPE_INT && b.i == WIR_TYPE_FLOAT) wfe_typing_at(c, left)->becomes = WIR_FLOAT;
  if (b.i == WIR_TYPE_INT && a.i == WIR_TYPE_FLOAT) wfe_typing_at(c, right)->becomes = WIR_FLOAT;
  if (a.i == WIR_TYPE_FLOAT || b.i == WIR_TYPE_FLOAT) return WIR_FLOAT;
  return a.i == b.i ? a : WIR_ANY;
}

static bool can_order(wir_type a, wir_type b) {
  bool a_fits = is_any(a) || is_number(a) || a.i == WIR_TYPE_BOOL || a.i == WIR_TYPE_STR;
  bool b_fits = is_any(b) || is_number(b) || b.i == WIR_TYPE_BOOL || b.i == WIR_TYPE_STR;
  return a_fits && b_fits && (is_any(a) || is_any(b) || a.i == b.i || (is_number(a) && is_number(b)));
}

bool wfe_leaving_binary(wfe_checker *c, const wfe_visit *f) {
  const wfe_node *n = wfe_node_at(c, f->at);
  wfe_ref left = n->first, right = wfe_next(c, left);
  wir_type a = wfe_type_of(c, left), b = wfe_type_of(c, right), common = WIR_NONE;
  family fam = (family)family_of[n->op];
  bool fits = true;
  switch (fam) {
  case FOR_NUMBERS: fits = (is_number(a) || is_any(a)) && (is_number(b) || is_any(b)); break;
  case FOR_ORDERED: fits = can_order(a, b); break;
  case FOR_BOOLS: fits = is_or_any(a, WIR_BOOL) && is_or_any(b, WIR_BOOL); break;
  case FOR_TEXTS: fits = is_or_any(a, WIR_STR) && is_or_any(b, WIR_STR); break;
  case FOR_EQUALS:
    fits = wir_type_unify(c->types, a, b, &common);
    if (fits && common.i == WIR_TYPE_NONE) return wfe_refuse_memory(c);
    break;
  }
  if (!fits) return refuse_operands(c, f, fam, left, right);
  if (fam == FOR_TEXTS) return wfe_give(c, f, WIR_STR);
  wir_type joined = fam == FOR_BOOLS ? WIR_BOOL : join_numbers(c, left, right);
  return wfe_give(c, f, fam == FOR_NUMBERS ? joined : WIR_BOOL);
}

/* ---- sin, cos, tan, abs -------------------------------------------------------------------------------------------- */

static bool refuse_number(wfe_checker *c, const wfe_visit *f, const char *want) {
  const wfe_node *n = wfe_node_at(c, f->at);
  wfe_text got = wfe_type_text(c, wfe_type_of(c, n->first)), word = wfe_source_text(c, wfe_operator_span(c, f->at));
  wfe_refuse(c, WEIR_E_TYPE, wfe_node_at(c, n->first)->span, "`%s` takes %s, not %s", word.at, want, got.at);
  wfe_hint_conversion(c, n->first, WIR_INT, wfe_type_of(c, n->first));
  return false;
}

bool wfe_leaving_trig(wfe_checker *c, const wfe_visit *f) {
  wfe_ref operand = wfe_node_at(c, f->at)->first;
  wir_type x = wfe_type_of(c, operand);
  if (!is_number(x) && !is_any(x)) return refuse_number(c, f, "a Float");
  if (x.i == WIR_TYPE_INT) wfe_typing_at(c, operand)->becomes = WIR_FLOAT;
  return wfe_give(c, f, WIR_FLOAT);
}

bool wfe_leaving_abs(wfe_checker *c, const wfe_visit *f) {
  wir_type x = wfe_type_of(c, wfe_node_at(c, f->at)->first);
  return is_number(x) || is_any(x) ? wfe_give(c, f, x) : refuse_number(c, f, "an Int or a Float");
}

/* ---- if, delay, stateful builtins ---------------------------------------------------------------------------------- */

wir_type wfe_entering_same(wfe_checker *c, const wfe_visit *f) {
  (void)c;
  return f->expected;
}
wir_type wfe_entering_if(wfe_checker *c, const wfe_visit *f) {
  (void)c;
  return f->nth == 0 ? WIR_NONE : f->expected;
}
wir_type wfe_entering_first(wfe_checker *c, const wfe_visit *f) {
  (void)c;
  return f->nth == 0 ? f->expected : WIR_NONE;
}

/* Two alternatives: they unify, and an Int beside a Float is converted. */
static bool leave_two(wfe_checker *c, const wfe_visit *f, wfe_ref a, wfe_ref b) {
  wir_type common = wfe_type_of(c, a);
  return wfe_join(c, b, &common) && wfe_settle(c, a, common) && wfe_settle(c, b, common) && wfe_give(c, f, common);
}

bool wfe_leaving_if(wfe_checker *c, const wfe_visit *f) {
  wfe_ref condition = wfe_node_at(c, f->at)->first, then = wfe_next(c, condition);
  wir_type x = wfe_type_of(c, condition);
  if (!is_or_any(x, WIR_BOOL)) return wfe_refuse_mismatch(c, condition, WIR_BOOL, x);
  return leave_two(c, f, then, wfe_next(c, then));
}

bool wfe_leaving_delay(wfe_checker *c, const wfe_visit *f) { return wfe_give(c, f, wfe_type_of(c, wfe_node_at(c, f->at)->first)); }

bool wfe_leaving_both(wfe_checker *c, const wfe_visit *f) {
  wfe_ref first = wfe_node_at(c, f->at)->first;
  return leave_two(c, f, first, wfe_next(c, first));
}

bool wfe_leaving_latch(wfe_checker *c, const wfe_visit *f) { return wfe_give(c, f, wfe_type_of(c, wfe_node_at(c, f->at)->first)); }
bool wfe_leaving_bool_of_any(wfe_checker *c, const wfe_visit *f) { return wfe_give(c, f, WIR_BOOL); }

/* ---- dynamic, defer ------------------------------------------------------------------------------------------------ */

/* What the texts of a source must be if it is an Expr<T> input, delayed or not; else WIR_NONE. */
static wir_type type_of_texts(const wfe_checker *c, wfe_ref source) {
  while (wfe_node_at(c, source)->kind == WFE_DELAY) source = wfe_node_at(c, source)->first;
  const wfe_typing *t = wfe_typing_at(c, source);
  if (wfe_node_at(c, source)->kind != WFE_NAME || t->target != WFE_TO_STREAM) return WIR_NONE;
  wir_type type = c->out->streams.at[t->index].type;
  return wfe_kind_of(c, type) == WIR_TYPE_EXPR ? wir_type_parts(c->types, type)->type : WIR_NONE;
}

bool wfe_leaving_dynamic(wfe_checker *c, const wfe_visit *f) {
  const wfe_node *n = wfe_node_at(c, f->at);
  wir_type source = wfe_type_of(c, n->first), texts = type_of_texts(c, n->first), type = n->type;
  if (!is_or_any(source, WIR_STR)) return wfe_refuse_mismatch(c, n->first, WIR_STR, source);
  if (texts.i > WIR_TYPE_ANY && type.i > WIR_TYPE_ANY && texts.i != type.i) return wfe_refuse_mismatch(c, n->first, type, texts);
  if (texts.i > WIR_TYPE_ANY) type = texts;
  if (type.i == WIR_TYPE_NONE) type = f->expected.i != WIR_TYPE_NONE ? f->expected : WIR_ANY;
  wfe_typing_at(c, f->at)->index = type.i;
  return wfe_give(c, f, type);
}
