/* tests/unit/ir_semantics.c -- every operation at the boundaries, against 128-bit arithmetic and the C library. */
#include "tests/test.h"
#include "tests/support/host.h"
#include "ir/semantics.h"

#include <math.h>

static wb_door door;
static wb_mem mem;

static void open_memory(void) {
  wb_door_open(&door, NULL, 0);
  wb_mem_init(&mem, &door, 0);
}
static void close_memory(void) { wb_mem_drop(&mem); }

TestSuite(ir_semantics, .init = open_memory, .fini = close_memory);

static const int64_t ints[] = {
  INT64_MIN, INT64_MIN + 1, -4611686018427387905, -3037000500, -3037000499, -4294967296, -7, -3, -2, -1, 0, 1, 2, 3, 7, 10, 62, 63, 64,
  4294967296, 3037000499, 3037000500, 4611686018427387904, INT64_MAX - 1, INT64_MAX,
};
static const double floats[] = {0.0, -0.0, 1.0, -1.0, 0.5, -4.5, 3.0, 1e308, -1e308, 5e-324, INFINITY, -INFINITY, NAN, 9007199254740992.0};

/* Shows a to the compiler as a variable, so that nothing is folded. */
static double var(double a) {
  volatile double x = a;
  return x;
}

static weir_code apply(wir_op op, weir_value a, weir_value b, weir_value *out) {
  weir_value args[2] = {a, b};
  return wir_apply(op, args, &mem, out);
}

/* ---- Int ---- */

/* The mathematical result, if it is one: WEIR_OK and *x, or why not.  Powers: of what is small. */
static weir_code exact(wir_op op, __int128 a, __int128 b, __int128 *x) {
  switch ((unsigned)op) {
  case WIR_OP_ADD: *x = a + b; break;
  case WIR_OP_SUB: *x = a - b; break;
  case WIR_OP_MUL: *x = a * b; break;
  case WIR_OP_NEG: *x = -a; break;
  case WIR_OP_ABS: *x = a < 0 ? -a : a; break;
  case WIR_OP_DIV:
    if (b == 0) return WEIR_E_DIV_ZERO;
    *x = a / b;
    break;
  case WIR_OP_REM:
    if (b == 0) return WEIR_E_DIV_ZERO;
    *x = a == INT64_MIN && b == -1 ? (__int128)INT64_MAX + 1 : a % b; /* by decree an overflow */
    break;
  case WIR_OP_POW:
    if (b < 0) return WEIR_E_DOMAIN;
    *x = 1;
    if (a == 0 || a == 1 || a == -1) b = b == 0 ? 0 : 2 - b % 2;
    for (; b > 0 && *x >= INT64_MIN && *x <= INT64_MAX; b--) *x *= a;
    break;
  }
  return *x < INT64_MIN || *x > INT64_MAX ? WEIR_E_OVERFLOW : WEIR_OK;
}

static void check_int(wir_op op, int64_t a, int64_t b) {
  __int128 want = 0;
  weir_value got = no_value();
  weir_code rc = exact(op, a, b, &want);
  cr_expect_eq(apply(op, an_int(a), an_int(b), &got), rc, "%s of %" PRId64 " and %" PRId64, wir_ops[op].text, a, b);
  if (rc == WEIR_OK)
    cr_expect(host_same(got, an_int((int64_t)want)), "%s of %" PRId64 " and %" PRId64 " is %" PRId64, wir_ops[op].text, a, b, got.as.i);
}

Test(ir_semantics, int_arithmetic_is_exact_or_an_error_at_all_pairs_of_boundaries) {
  static const wir_op ops[] = {WIR_OP_ADD, WIR_OP_SUB, WIR_OP_MUL, WIR_OP_DIV, WIR_OP_REM, WIR_OP_POW, WIR_OP_NEG, WIR_OP_ABS};
  for (size_t o = 0; o < WB_LEN(ops); o++)
    for (size_t i = 0; i < WB_LEN(ints); i++)
      for (size_t k = 0; k < WB_LEN(ints); k++) check_int(ops[o], ints[i], ints[k]);
}

Test(ir_semantics, int_division_truncates_and_the_remainder_has_the_sign_of_the_dividend) {
  static const struct { int64_t a, b, quotient, remainder; } rows[] = {{7, 2, 3, 1}, {-7, 2, -3, -1}, {7, -2, -3, 1}, {-7, -2, 3, -1}, {6, -3, -2, 0}};
  for (size_t i = 0; i < WB_LEN(rows); i++) {
    weir_value q = no_value(), r = no_value();
    cr_expect_eq(apply(WIR_OP_DIV, an_int(rows[i].a), an_int(rows[i].b), &q), WEIR_OK);
    cr_expect_eq(apply(WIR_OP_REM, an_int(rows[i].a), an_int(rows[i].b), &r), WEIR_OK);
    cr_expect_eq(q.as.i, rows[i].quotient);
    cr_expect_eq(r.as.i, rows[i].remainder);
  }
}

Test(ir_semantics, int_power_squares_no_further_than_the_result_needs) {
  static const struct { int64_t a, b, result; } rows[] = {
    {0, 0, 1}, {-1, INT64_MAX, -1}, {-1, INT64_MAX - 1, 1}, {1, INT64_MAX, 1}, {0, INT64_MAX, 0}, {2, 62, INT64_C(1) << 62}, {-2, 63, INT64_MIN},
    {3037000499, 2, INT64_C(9223372030926249001)}, {3, 39, INT64_C(4052555153018976267)}, {INT64_MIN, 1, INT64_MIN}, {INT64_MIN, 0, 1},
  };
  for (size_t i = 0; i < WB_LEN(rows); i++) {
    int64_t got = 0;
    cr_expect_eq(wir_pow_int(rows[i].a, rows[i].b, &got), WEIR_OK, "%" PRId64 " ** %" PRId64, rows[i].a, rows[i].b);
    cr_expect_eq(got, rows[i].result, "%" PRId64 " ** %" PRId64 " is %" PRId64, rows[i].a, rows[i].b, got);
  }
  int64_t ignored;
  cr_expect_eq(wir_pow_int(2, 63, &ignored), WEIR_E_OVERFLOW);
  cr_expect_eq(wir_pow_int(3, 40, &ignored), WEIR_E_OVERFLOW);
  cr_expect_eq(wir_pow_int(2, -1, &ignored), WEIR_E_DOMAIN);
  cr_expect_eq(wir_pow_int(0, INT64_MIN, &ignored), WEIR_E_DOMAIN);
}

Test(ir_semantics, fault_2_smallest_int_by_minus_one_is_an_overflow) {
  static const struct { wir_op op; int64_t a, b; weir_code code; } rows[] = {
    {WIR_OP_DIV, INT64_MIN, -1, WEIR_E_OVERFLOW}, {WIR_OP_REM, INT64_MIN, -1, WEIR_E_OVERFLOW}, {WIR_OP_MUL, INT64_MIN, -1, WEIR_E_OVERFLOW},
    {WIR_OP_NEG, INT64_MIN, 0, WEIR_E_OVERFLOW},  {WIR_OP_ABS, INT64_MIN, 0, WEIR_E_OVERFLOW},  {WIR_OP_DIV, INT64_MIN, 0, WEIR_E_DIV_ZERO},
    {WIR_OP_REM, INT64_MIN, 0, WEIR_E_DIV_ZERO},  {WIR_OP_DIV, 0, 0, WEIR_E_DIV_ZERO},          {WIR_OP_REM, -1, 0, WEIR_E_DIV_ZERO},
  };
  for (size_t i = 0; i < WB_LEN(rows); i++) {
    weir_value out;
    cr_expect_eq(apply(rows[i].op, an_int(rows[i].a), an_int(rows[i].b), &out), rows[i].code, "row %zu", i);
  }
}

/* ---- Float ---- */

static double by_hand(wir_op op, double a, double b) {
  switch ((unsigned)op) {
  case WIR_OP_ADD: return a + b;
  case WIR_OP_SUB: return a - b;
  case WIR_OP_MUL: return a * b;
  case WIR_OP_DIV: return a / b;
  case WIR_OP_REM: return fmod(a, b);
  case WIR_OP_POW: return pow(a, b);
  case WIR_OP_NEG: return copysign(a, signbit(a) ? 1.0 : -1.0);
  case WIR_OP_ABS: return copysign(a, 1.0);
  case WIR_OP_SIN: return sin(a);
  case WIR_OP_COS: return cos(a);
  }
  return tan(a);
}

Test(ir_semantics, float_arithmetic_is_ieee_and_never_an_error) {
  for (unsigned op = WIR_OP_ADD; op <= WIR_OP_TAN; op++)
    for (size_t i = 0; i < WB_LEN(floats); i++)
      for (size_t k = 0; k < WB_LEN(floats); k++) {
        weir_value got = no_value();
        cr_expect_eq(apply((wir_op)op, a_float(floats[i]), a_float(floats[k]), &got), WEIR_OK);
        double want = by_hand((wir_op)op, var(floats[i]), var(floats[k]));
        cr_expect(host_same(got, a_float(want)), "%s of %a and %a is %a, not %a", wir_ops[op].text, floats[i], floats[k], got.as.f, want);
      }
}

Test(ir_semantics, fault_22_special_floats) {
  static const struct { wir_op op; double a, b, result; } rows[] = {
    {WIR_OP_DIV, 0.0, 0.0, NAN},        {WIR_OP_DIV, -1.0, 0.0, -INFINITY}, {WIR_OP_DIV, 1.0, 0.0, INFINITY}, {WIR_OP_MUL, 0.0, -1.0, -0.0},
    {WIR_OP_REM, 5.0, 0.0, NAN},        {WIR_OP_REM, -4.5, 3.0, -1.5},      {WIR_OP_REM, -3.0, 3.0, -0.0},    {WIR_OP_MUL, 1e308, 10.0, INFINITY},
    {WIR_OP_SIN, INFINITY, 0.0, NAN},   {WIR_OP_COS, -INFINITY, 0.0, NAN},  {WIR_OP_TAN, INFINITY, 0.0, NAN}, {WIR_OP_POW, 4.0, 0.5, 2.0},
    {WIR_OP_POW, NAN, 0.0, 1.0},        {WIR_OP_POW, -8.0, 1.0 / 3, NAN},   {WIR_OP_NEG, 0.0, 0.0, -0.0},     {WIR_OP_ABS, -0.0, 0.0, 0.0},
    {WIR_OP_SUB, INFINITY, INFINITY, NAN},
  };
  for (size_t i = 0; i < WB_LEN(rows); i++) {
    weir_value got = no_value();
    cr_expect_eq(apply(rows[i].op, a_float(rows[i].a), a_float(rows[i].b), &got), WEIR_OK);
    cr_expect(host_same(got, a_float(rows[i].result)), "%s of %a and %a is %a", wir_ops[rows[i].op].text, rows[i].a, rows[i].b, got.as.f);
  }
}

Test(ir_semantics, mixed_operands_become_doubles) {
  weir_value got = no_value();
  cr_expect_eq(apply(WIR_OP_DIV, an_int(3), a_float(2), &got), WEIR_OK);
  cr_expect(host_same(got, a_float(1.5)));
  cr_expect_eq(apply(WIR_OP_ADD, a_float(0), an_int((INT64_C(1) << 53) + 1), &got), WEIR_OK);
  cr_expect(host_same(got, a_float(9007199254740992.0)));
  cr_expect_eq(apply(WIR_OP_DIV, an_int(1), a_float(0), &got), WEIR_OK, "no division by zero among Floats");
  cr_expect(host_same(got, a_float(INFINITY)));
  cr_expect_eq(apply(WIR_OP_SIN, an_int(0), no_value(), &got), WEIR_OK);
  cr_expect(host_same(got, a_float(0.0)), "an Int is converted");
}

/* ---- Comparison ---- */

static bool holds(wir_op op, weir_value a, weir_value b) {
  weir_value got = no_value();
  cr_assert_eq(apply(op, a, b, &got), WEIR_OK, "%s", wir_ops[op].text);
  cr_assert_eq(got.tag, WEIR_BOOL);
  return got.as.b;
}

/* All six at once: order is -1, 0, 1, or 2 for "not comparable". */
static void check_order(weir_value a, weir_value b, int order) {
  cr_expect_eq(holds(WIR_OP_LT, a, b), order == -1);
  cr_expect_eq(holds(WIR_OP_LE, a, b), order == -1 || order == 0);
  cr_expect_eq(holds(WIR_OP_GT, a, b), order == 1);
  cr_expect_eq(holds(WIR_OP_GE, a, b), order == 1 || order == 0);
  cr_expect_eq(holds(WIR_OP_EQ, a, b), order == 0);
  cr_expect_eq(holds(WIR_OP_NE, a, b), order != 0);
}

Test(ir_semantics, ints_are_ordered_exactly) {
  for (size_t i = 0; i < WB_LEN(ints); i++)
    for (size_t k = 0; k < WB_LEN(ints); k++)
      check_order(an_int(ints[i]), an_int(ints[k]), (ints[i] > ints[k]) - (ints[i] < ints[k]));
}

Test(ir_semantics, floats_and_mixed_numbers_are_ordered_as_doubles) {
  for (size_t i = 0; i < WB_LEN(floats); i++)
    for (size_t k = 0; k < WB_LEN(floats); k++) {
      double a = floats[i], b = floats[k];
      check_order(a_float(a), a_float(b), isnan(a) || isnan(b) ? 2 : (a > b) - (a < b));
    }
  check_order(an_int((INT64_C(1) << 53) + 1), a_float(9007199254740992.0), 0);
  check_order(an_int(INT64_MAX), a_float(9223372036854775808.0), 0);
  check_order(a_float(-INFINITY), an_int(INT64_MIN), -1);
  check_order(an_int(0), a_float(NAN), 2);
  check_order(a_float(0.0), a_float(-0.0), 0);
}

Test(ir_semantics, bools_and_texts_have_an_order) {
  check_order(a_bool(false), a_bool(true), -1);
  check_order(a_bool(true), a_bool(true), 0);
  check_order(a_text("B"), a_text("b"), -1);
  check_order(a_text("b"), a_text("\xc3\xa9"), -1);
  check_order(a_text("ab"), a_text("a"), 1);
  check_order(a_text(""), a_text(""), 0);
}

/* ---- Kinds ---- */

Test(ir_semantics, operands_of_the_wrong_kind_are_refused) {
  const weir_value one = an_int(1), list = a_list(1, &one);
  const weir_value values[] = {{.tag = WEIR_UNIT}, a_bool(true), an_int(1), a_float(1), a_text("1"), list};
  for (unsigned op = 0; op < WIR_OPS; op++)
    for (size_t i = 0; i < WB_LEN(values); i++)
      for (size_t k = 0; k < WB_LEN(values); k++) {
        weir_value a = values[i], b = wir_ops[op].operands == 2 ? values[k] : a, out = no_value();
        bool numbers = wir_is_number(a) && wir_is_number(b), bools = a.tag == WEIR_BOOL && b.tag == WEIR_BOOL;
        bool texts = a.tag == WEIR_TEXT && b.tag == WEIR_TEXT, fits = numbers;
        if (op == WIR_OP_EQ || op == WIR_OP_NE) fits = true;
        else if (op >= WIR_OP_LT && op <= WIR_OP_GE) fits = numbers || bools || texts;
        else if (op == WIR_OP_NOT) fits = bools;
        else if (op == WIR_OP_CONCAT) fits = texts;
        cr_expect_eq(apply((wir_op)op, a, b, &out), fits ? WEIR_OK : WEIR_E_KIND, "%s of tags %u and %u", wir_ops[op].text, a.tag, b.tag);
        if (out.tag == WEIR_TEXT) wir_release(&mem, out);
      }
}

Test(ir_semantics, concatenation_joins_bytes_into_a_new_object) {
  weir_value out = no_value();
  cr_expect_eq(apply(WIR_OP_CONCAT, a_text("na\xc3\xaf"), a_text("ve"), &out), WEIR_OK);
  cr_expect(host_same(out, a_text("na\xc3\xafve")));
  wir_release(&mem, out);
  cr_expect_eq(apply(WIR_OP_CONCAT, a_text(""), a_text(""), &out), WEIR_OK);
  cr_expect_eq(out.count, 0);
  wir_release(&mem, out);
  cr_expect(mem.blocks == NULL);
  weir_value large = {.tag = WEIR_TEXT, .count = WIR_MAX_COUNT, .as.text = "never read"};
  cr_expect_eq(apply(WIR_OP_CONCAT, large, a_text("x"), &out), WEIR_E_VALUE_LIMIT);
}

Test(ir_semantics, concatenation_without_memory_is_an_error) {
  weir_value out;
  door.fail_at = 1;
  cr_expect_eq(apply(WIR_OP_CONCAT, a_text("a"), a_text("b"), &out), WEIR_E_MEMORY);
}
