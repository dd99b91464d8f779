/* ir/semantics.c -- the scalar operations on tagged values, and what is too long to be inline. */
#include "ir/semantics.h"

#include <string.h>

const wir_op_info wir_ops[WIR_OPS] = {
#define OP(name, text, operands, result, fails, what) \
  [WIR_OP_##name] = {text, what, operands, WIR_RESULT_##result, WIR_FAILS_##fails},
#include "ir/ops.def"
#undef OP
};

/* Square and multiply.  The base is squared only while bits are left, so that nothing overflows that the result does not need. */
weir_code wir_pow_int(int64_t base, int64_t exponent, int64_t *out) {
  if (exponent < 0) return WEIR_E_DOMAIN;
  int64_t result = 1;
  for (;;) {
    if (exponent & 1) WB_TRY(wir_mul_int(result, base, &result));
    exponent >>= 1;
    if (exponent == 0) break;
    WB_TRY(wir_mul_int(base, base, &base));
  }
  *out = result;
  return WEIR_OK;
}

static weir_value int_value(int64_t i) { return (weir_value){.tag = WEIR_INT, .as.i = i}; }
static weir_value float_value(double f) { return (weir_value){.tag = WEIR_FLOAT, .as.f = f}; }
static weir_value bool_value(bool b) { return (weir_value){.tag = WEIR_BOOL, .as.b = b}; }

static weir_code arith_int(wir_op op, int64_t a, int64_t b, int64_t *out) {
  switch ((unsigned)op) {
  case WIR_OP_ADD: return wir_add_int(a, b, out);
  case WIR_OP_SUB: return wir_sub_int(a, b, out);
  case WIR_OP_MUL: return wir_mul_int(a, b, out);
  case WIR_OP_DIV: return wir_div_int(a, b, out);
  case WIR_OP_REM: return wir_rem_int(a, b, out);
  case WIR_OP_POW: return wir_pow_int(a, b, out);
  case WIR_OP_NEG: return wir_neg_int(a, out);
  case WIR_OP_ABS: return wir_abs_int(a, out);
  }
  return WEIR_E_KIND;
}

static double arith_float(wir_op op, double a, double b) {
  switch ((unsigned)op) {
  case WIR_OP_ADD: return a + b;
  case WIR_OP_SUB: return a - b;
  case WIR_OP_MUL: return a * b;
  case WIR_OP_DIV: return a / b;
  case WIR_OP_REM: return wir_rem_float(a, b);
  case WIR_OP_POW: return wir_pow_float(a, b);
  case WIR_OP_NEG: return -a;
  case WIR_OP_ABS: return fabs(a);
  case WIR_OP_SIN: return sin(a);
  case WIR_OP_COS: return cos(a);
  case WIR_OP_TAN: return tan(a);
  }
  return a;
}

/* Numbers, both Bool or both Str.  *order is -1, 0, 1, or 2 where NaN is in it. */
static bool ordering(weir_value a, weir_value b, int *order) {
  if (a.tag == WEIR_INT && b.tag == WEIR_INT) {
    *order = (a.as.i > b.as.i) - (a.as.i < b.as.i);
    return true;
  }
  if (wir_is_number(a) && wir_is_number(b)) {
    double x = wir_float_of(a), y = wir_float_of(b);
    *order = x != x || y != y ? 2 : (x > y) - (x < y);
    return true;
  }
  if (a.tag != b.tag) return false;
  if (a.tag == WEIR_BOOL) {
    *order = (int)a.as.b - (int)b.as.b;
    return true;
  }
  if (a.tag != WEIR_TEXT) return false;
  *order = wir_text_compare(a, b);
  return true;
}

static bool order_holds(wir_op op, int order) {
  switch ((unsigned)op) {
  case WIR_OP_LT: return order == -1;
  case WIR_OP_LE: return order == -1 || order == 0;
  case WIR_OP_GT: return order == 1;
  case WIR_OP_GE: return order == 1 || order == 0;
  }
  return false;
}

static weir_code concat(weir_value a, weir_value b, wb_mem *mem, weir_value *out) {
  if (a.tag != WEIR_TEXT || b.tag != WEIR_TEXT) return WEIR_E_KIND;
  if (b.count > WIR_MAX_COUNT - a.count) return WEIR_E_VALUE_LIMIT;
  char *bytes = wir_obj_new(mem, WEIR_TEXT, a.count + b.count, out);
  if (bytes == NULL) return WEIR_E_MEMORY;
  if (a.count != 0) memcpy(bytes, a.as.text, a.count);
  if (b.count != 0) memcpy(bytes + a.count, b.as.text, b.count);
  return WEIR_OK;
}

static weir_code arith(wir_op op, const weir_value *args, weir_value *out) {
  bool is_binary = wir_ops[op].operands == 2;
  weir_value a = args[0], b = is_binary ? args[1] : a;
  if (a.tag == WEIR_INT && b.tag == WEIR_INT && wir_ops[op].result != WIR_RESULT_FLOAT) {
    int64_t i = 0;
    WB_TRY(arith_int(op, a.as.i, b.as.i, &i));
    *out = int_value(i);
    return WEIR_OK;
  }
  if (!wir_is_number(a) || !wir_is_number(b)) return WEIR_E_KIND;
  *out = float_value(arith_float(op, wir_float_of(a), wir_float_of(b)));
  return WEIR_OK;
}

weir_code wir_apply(wir_op op, const weir_value *args, wb_mem *mem, weir_value *out) {
  switch (op) {
  case WIR_OP_ADD: case WIR_OP_SUB: case WIR_OP_MUL: case WIR_OP_DIV: case WIR_OP_REM: case WIR_OP_POW:
  case WIR_OP_NEG: case WIR_OP_ABS: case WIR_OP_SIN: case WIR_OP_COS: case WIR_OP_TAN:
    return arith(op, args, out);
  case WIR_OP_EQ: case WIR_OP_NE: {
    bool is_equal = false;
    WB_TRY(wir_value_equal(mem, args[0], args[1], &is_equal));
    *out = bool_value(is_equal == (op == WIR_OP_EQ));
    return WEIR_OK;
  }
  case WIR_OP_LT: case WIR_OP_LE: case WIR_OP_GT: case WIR_OP_GE: {
    int order = 0;
    if (!ordering(args[0], args[1], &order)) return WEIR_E_KIND;
    *out = bool_value(order_holds(op, order));
    return WEIR_OK;
  }
  case WIR_OP_NOT:
    if (args[0].tag != WEIR_BOOL) return WEIR_E_KIND;
    *out = bool_value(!args[0].as.b);
    return WEIR_OK;
  case WIR_OP_CONCAT: return concat(args[0], args[1], mem, out);
  case WIR_OPS: break;
  }
  return WEIR_E_KIND;
}
