/* ir/pass_ranges.c -- between which bounds Ints lie, and what follows.
**
** Forward, an interval for each Int and Bool (which is 0 or 1): of its values, whatever else it may be.  Nothing is known of inputs and
** state.  What an operation leaves out of its result because it would have failed is no value, so that intervals never leave 64 bits: after
** `x + 1` nothing is -2^63.  Bounds are computed in 128 bits.
** An operation whose exact interval fits, and whose divisor is not 0, cannot fail, and is marked: outside guards it no longer leaves the
** body, inside them its result has no failure.  A comparison of intervals that do not overlap is decided, and becomes a constant where both
** sides are always values.  The absolute value of what is not negative is itself. */
#include "ir/optimize.h"

__extension__ typedef __int128 wide;

typedef struct range { int64_t low, high; } range;
typedef struct wide_range { wide low, high; } wide_range;

static const range everything = {INT64_MIN, INT64_MAX}, truth = {0, 1};

typedef struct ranger {
  const wir_program *p;
  wir_body *b;
  range *of; /* by instruction */
} ranger;

static range of_operand(const ranger *r, const wir_ins *in, uint32_t k) { return r->of[in->args[k].i]; }
static range either(range a, range b) { return (range){WB_MIN(a.low, b.low), WB_MAX(a.high, b.high)}; }
static bool contains(range a, int64_t i) { return a.low <= i && i <= a.high; }

static bool fits(wide_range w) { return w.low >= INT64_MIN && w.high <= INT64_MAX; }

/* The part of it that 64 bits hold.  Where that is empty the operation always fails, and any interval is right. */
static range clip(wide_range w) {
  if (w.low > INT64_MAX || w.high < INT64_MIN) return everything;
  return (range){(int64_t)WB_MAX(w.low, (wide)INT64_MIN), (int64_t)WB_MIN(w.high, (wide)INT64_MAX)};
}

static wide_range hull(const wide *corners, uint32_t n) {
  wide_range w = {corners[0], corners[0]};
  for (uint32_t i = 1; i < n; i++) {
    w.low = WB_MIN(w.low, corners[i]);
    w.high = WB_MAX(w.high, corners[i]);
  }
  return w;
}

/* ---- Exact intervals of results, before anything is left out.  False: it may fail for another reason than their size. ---- */

static bool of_product(range a, range b, wide_range *out) {
  const wide corners[] = {(wide)a.low * b.low, (wide)a.low * b.high, (wide)a.high * b.low, (wide)a.high * b.high};
  *out = hull(corners, WB_LEN(corners));
  return true;
}

/* Quotients grow with the dividend, and toward zero with a divisor of one sign: they are extreme in the corners of each sign.
** A divisor that can only be 0 gives none. */
static bool of_quotient(range a, range b, wide_range *out) {
  wide corners[8] = {0};
  uint32_t n = 0;
  const int64_t divisors[] = {b.low, WB_MIN(b.high, -1), WB_MAX(b.low, 1), b.high};
  for (uint32_t i = 0; i < WB_LEN(divisors); i++) {
    if (divisors[i] == 0 || !contains(b, divisors[i])) continue;
    corners[n++] = (wide)a.low / divisors[i];
    corners[n++] = (wide)a.high / divisors[i];
  }
  *out = n == 0 ? (wide_range){0, 0} : hull(corners, n);
  return !contains(b, 0);
}

/* As large as the dividend at most, and smaller than the divisor; of the dividend's sign. */
static bool of_remainder(range a, range b, wide_range *out) {
  wide below = WB_MAX(WB_MAX((wide)b.high, -(wide)b.low) - 1, (wide)0);
  out->low = a.low < 0 ? WB_MAX((wide)a.low, -below) : 0;
  out->high = a.high > 0 ? WB_MIN((wide)a.high, below) : 0;
  return !contains(b, 0) && !(contains(a, INT64_MIN) && contains(b, -1)); /* that remainder is 0, and fails all the same */
}

static bool of_negation(range a, wide_range *out) {
  *out = WB_PLANTED(7) ? (wide_range){a.low, a.high} : (wide_range){-(wide)a.high, -(wide)a.low};
  return true;
}

static bool of_magnitude(range a, wide_range *out) {
  out->low = a.low > 0 ? a.low : a.high < 0 ? -(wide)a.high : 0;
  out->high = WB_MAX(-(wide)a.low, (wide)a.high);
  return true;
}

/* The power of a magnitude; anything beyond 64 bits if it is that large. */
static wide power(wide base, int64_t exponent) {
  wide result = 1;
  if (base <= 1) return base == 0 && exponent == 0 ? 1 : base;
  for (int64_t i = 0; i < exponent && result <= INT64_MAX; i++) result *= base; /* at most 63 times */
  return result;
}

static bool of_power(range a, range e, wide_range *out) {
  wide magnitude = WB_MAX(-(wide)a.low, (wide)a.high);
  if (e.high < 0) {
    *out = (wide_range){0, 0};
    return false;
  }
  wide most = WB_MAX(power(magnitude, e.high), (wide)1); /* 0 ** 0 is 1 */
  *out = (wide_range){a.low < 0 ? -most : 0, most};
  return e.low >= 0;
}

/* ---- Instructions ---- */

/* Of an operation on Ints that may fail. */
static range of_arithmetic(const ranger *r, wir_ins *in) {
  range a = of_operand(r, in, 0), b = wir_insns[in->op].operands == 2 ? of_operand(r, in, 1) : a;
  wide_range w = {INT64_MIN, INT64_MAX};
  bool is_sound = false;
  switch ((unsigned)in->op) {
  case WIR_I_ADD: w = (wide_range){(wide)a.low + b.low, (wide)a.high + b.high}, is_sound = true; break;
  case WIR_I_SUB: w = (wide_range){(wide)a.low - b.high, (wide)a.high - b.low}, is_sound = true; break;
  case WIR_I_MUL: is_sound = of_product(a, b, &w); break;
  case WIR_I_DIV: is_sound = of_quotient(a, b, &w); break;
  case WIR_I_REM: is_sound = of_remainder(a, b, &w); break;
  case WIR_I_POW: is_sound = of_power(a, b, &w); break;
  case WIR_I_NEG: is_sound = of_negation(a, &w); break;
  case WIR_I_ABS: is_sound = of_magnitude(a, &w); break;
  }
  if (is_sound && fits(w)) in->cannot_fail = true;
  return clip(w);
}

/* Do the intervals decide the comparison?  1, 0, or -1: they do not. */
static int decide(uint8_t op, range a, range b) {
  bool is_less = a.high < b.low, is_greater = a.low > b.high, is_equal = a.low == a.high && b.low == b.high && a.low == b.low;
  switch ((unsigned)op) {
  case WIR_I_LT: return is_less ? 1 : a.low >= b.high ? 0 : -1;
  case WIR_I_LE: return a.high <= b.low ? 1 : is_greater ? 0 : -1;
  case WIR_I_GT: return is_greater ? 1 : a.high <= b.low ? 0 : -1;
  case WIR_I_GE: return a.low >= b.high ? 1 : is_less ? 0 : -1;
  case WIR_I_EQ: return is_less || is_greater ? 0 : is_equal ? 1 : -1;
  case WIR_I_NE: return is_less || is_greater ? 1 : is_equal ? 0 : -1;
  }
  return -1;
}

static range of_comparison(const ranger *r, wir_ins *in) {
  const wir_ins *x = wir_ins_at(r->b, in->args[0]), *y = wir_ins_at(r->b, in->args[1]);
  if (x->kind == WIR_KIND_FLOAT) return truth;
  int decided = decide(in->op, of_operand(r, in, 0), of_operand(r, in, 1));
  if (decided < 0) return truth;
  if (x->may == 0 && y->may == 0) wir_make_const(in, WIR_KIND_BOOL, (wir_imm){.i = decided});
  return (range){decided, decided};
}

/* a, or where it is in one of these conditions something else. */
static range of_this_or(const ranger *r, const wir_ins *in, uint8_t conditions, range other) {
  range a = of_operand(r, in, 0);
  return wir_ins_at(r->b, in->args[0])->may & conditions ? either(a, other) : a;
}

static range unknown(const wir_ins *in) { return in->kind == WIR_KIND_BOOL ? truth : everything; }

static range range_of(const ranger *r, wir_ins *in) {
  if (wir_insns[in->op].fails == WIR_FAILS_INT && in->kind == WIR_KIND_INT) return of_arithmetic(r, in);
  switch ((unsigned)in->op) {
  case WIR_I_CONST: return in->kind == WIR_KIND_FLOAT ? everything : (range){in->imm.i, in->imm.i};
  case WIR_I_EQ: case WIR_I_NE: case WIR_I_LT: case WIR_I_LE: case WIR_I_GT: case WIR_I_GE: return of_comparison(r, in);
  case WIR_I_HOLD: case WIR_I_FILL: return of_this_or(r, in, WIR_MAY_NOVAL, unknown(in));
  case WIR_I_SETTLE: return of_operand(r, in, 0);
  case WIR_I_DEFAULT: return of_this_or(r, in, WIR_MAY_DEFERRED, of_operand(r, in, 1));
  case WIR_I_GUARD: case WIR_I_GATE: return of_operand(r, in, 1);
  case WIR_I_PICK: case WIR_I_SELECT: return either(of_operand(r, in, 1), of_operand(r, in, 2));
  }
  return unknown(in);
}

/* The instruction that i equals, or itself. */
static wir_val same_as(const ranger *r, uint32_t i) {
  const wir_ins *in = &r->b->ins[i];
  bool is_idle = in->op == WIR_I_ABS && in->kind == WIR_KIND_INT && of_operand(r, in, 0).low >= 0;
  return is_idle ? in->args[0] : (wir_val){i};
}

bool wir_ranges(const wir_program *p, wir_body *b, wb_mem *scratch) {
  ranger r = {.p = p, .b = b, .of = wb_block(scratch, b->n_ins * sizeof *r.of + 1)};
  wir_val *same = wb_block(scratch, b->n_ins * sizeof *same + 1);
  bool is_done = r.of != NULL && same != NULL;
  for (uint32_t i = 0; is_done && i < b->n_ins; i++) {
    wir_ins *in = &b->ins[i];
    wir_redirect(in, same);
    if (i < b->effects) {
      r.of[i] = range_of(&r, in);
      same[i] = same_as(&r, i);
    }
    wir_sharpen(p, b, in);
  }
  wb_block_free(scratch, r.of);
  wb_block_free(scratch, same);
  wb_check_ir(wir_body_is_valid(p, b));
  return is_done;
}
