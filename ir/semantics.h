/* ir/semantics.h -- what each scalar operation means.  No other file may decide that again.
**
** The typed functions are for tiers that know the kinds; wir_apply picks one of them by the tags of its operands. */
#ifndef WIR_SEMANTICS_H
#define WIR_SEMANTICS_H

#include <math.h>

#include "ir/value.h"

typedef enum wir_op {
#define OP(name, text, operands, result, fails, what) WIR_OP_##name,
#include "ir/ops.def"
#undef OP
  WIR_OPS
} wir_op;

typedef enum wir_result { WIR_RESULT_SAME, WIR_RESULT_FLOAT, WIR_RESULT_BOOL, WIR_RESULT_STR } wir_result;
typedef enum wir_fails { WIR_FAILS_NEVER, WIR_FAILS_INT, WIR_FAILS_ALWAYS } wir_fails;

typedef struct wir_op_info {
  const char *text, *what;
  uint8_t operands;
  wir_result result;
  wir_fails fails;
} wir_op_info;
extern const wir_op_info wir_ops[WIR_OPS];

/* Int: WEIR_OK, or the way in which it fails; *out is then unspecified. */
static inline weir_code wir_add_int(int64_t a, int64_t b, int64_t *out) {
  return __builtin_add_overflow(a, b, out) ? WEIR_E_OVERFLOW : WEIR_OK;
}
static inline weir_code wir_sub_int(int64_t a, int64_t b, int64_t *out) {
  return __builtin_sub_overflow(a, b, out) ? WEIR_E_OVERFLOW : WEIR_OK;
}
static inline weir_code wir_mul_int(int64_t a, int64_t b, int64_t *out) {
  return __builtin_mul_overflow(a, b, out) ? WEIR_E_OVERFLOW : WEIR_OK;
}
static inline weir_code wir_div_int(int64_t a, int64_t b, int64_t *out) {
  if (b == 0) return WEIR_E_DIV_ZERO;
  if (b == -1) return wir_sub_int(0, a, out); /* the processor traps on -2^63 / -1 */
  *out = a / b;
  return WEIR_OK;
}
static inline weir_code wir_rem_int(int64_t a, int64_t b, int64_t *out) {
  if (b == 0) return WEIR_E_DIV_ZERO;
  if (b == -1) { /* the quotient overflows at -2^63: the language says the remainder does too */
    int64_t quotient;
    *out = 0;
    return wir_sub_int(0, a, &quotient);
  }
  *out = a % b;
  return WEIR_OK;
}
static inline weir_code wir_neg_int(int64_t a, int64_t *out) { return wir_sub_int(0, a, out); }
static inline weir_code wir_abs_int(int64_t a, int64_t *out) {
  if (a >= 0) { *out = a; return WEIR_OK; }
  return wir_neg_int(a, out);
}
weir_code wir_pow_int(int64_t base, int64_t exponent, int64_t *out); /* E_DOMAIN for a negative exponent */

static inline double wir_rem_float(double a, double b) { return fmod(a, b); }
static inline double wir_pow_float(double a, double b) { return pow(a, b); }
static inline double wir_float_of(weir_value v) { return v.tag == WEIR_INT ? (double)v.as.i : v.as.f; }
static inline bool wir_is_number(weir_value v) { return v.tag == WEIR_INT || v.tag == WEIR_FLOAT; }

/* op applied to proper values (no NoVal, Deferred or failure).  A new text is a block of `mem` with one reference, which the
** caller gets.  E_MEMORY included, a failure leaves *out unspecified. */
weir_code wir_apply(wir_op op, const weir_value *args, wb_mem *mem, weir_value *out) WB_MUST_USE;

#endif
