/* jit/batch_math.c -- the arithmetic on Ints that vectors lack: division, remainders, checked products, conversion to Floats.
**
** Quotients are those of Floats where both numbers are small enough for these to be exact; by a constant they are products with its inverse,
** corrected by what remains.  Where the numbers of a vector are too large for that, its rows are computed one by one: a branch that is
** seldom taken.  (ir/intervals.h says for which vectors it cannot be.) */
#include "jit/batch_emit.h"

#define MAGIC 6755399441055744.0 /* 1.5 * 2^52: what is added to it loses its fraction, and keeps its sign in the low bits */
#define MAGIC_BITS INT64_C(0x4338000000000000)

static bool is_small(wir_interval r) { return r.low >= -(INT64_C(1) << WJIT_SMALL_BITS) && r.high < INT64_C(1) << WJIT_SMALL_BITS; }
static bool has(wir_interval r, int64_t x) { return r.low <= x && x <= r.high; }
static wir_interval range_of(const wjit_batch *b, wir_val v) {
  return b->in_lanes ? (wir_interval){INT64_MIN, INT64_MAX} : b->ranges[v.i];
}
static bool is_const(const wjit_batch *b, wir_val v, int64_t *k) {
  const wir_ins *in = wir_ins_at(b->body, v);
  *k = in->imm.i;
  return in->op == WIR_I_CONST;
}
static uint64_t size_of(int64_t k) { return k < 0 ? 0 - (uint64_t)k : (uint64_t)k; }

/* ---- Ints and Floats ---- */

static LLVMValueRef as_bits(wjit_batch *b, LLVMValueRef f) { return LLVMBuildBitCast(b->b, f, wjit_wide(b, b->i64), ""); }
static LLVMValueRef as_real(wjit_batch *b, LLVMValueRef x) { return LLVMBuildBitCast(b->b, x, wjit_wide(b, b->f64), ""); }

LLVMValueRef wjit_batch_float(wjit_batch *b, LLVMValueRef x) {
  if (b->in_lanes || b->has_dq) return LLVMBuildSIToFP(b->b, x, wjit_wide(b, b->f64), "");
  /* Both halves as Floats that differ from them by known powers of 2; only the last addition rounds. */
  LLVMValueRef high = LLVMBuildXor(b->b, LLVMBuildLShr(b->b, x, wjit_k(b, 32), ""), wjit_k(b, INT64_C(0x4530000080000000)), "");
  LLVMValueRef low = LLVMBuildOr(b->b, LLVMBuildAnd(b->b, x, wjit_k(b, INT64_C(0xffffffff)), ""), wjit_k(b, INT64_C(0x4330000000000000)), "");
  return LLVMBuildFAdd(b->b, LLVMBuildFSub(b->b, as_real(b, high), wjit_f(b, 0x1.00000801p84), ""), as_real(b, low), "");
}

static LLVMValueRef small_real(wjit_batch *b, LLVMValueRef x) {
  if (b->has_dq) return LLVMBuildSIToFP(b->b, x, wjit_wide(b, b->f64), "");
  return LLVMBuildFSub(b->b, as_real(b, LLVMBuildAdd(b->b, x, wjit_k(b, MAGIC_BITS), "")), wjit_f(b, MAGIC), "");
}
/* Of a Float that is a small Int. */
static LLVMValueRef whole(wjit_batch *b, LLVMValueRef f) {
  return LLVMBuildSub(b->b, as_bits(b, LLVMBuildFAdd(b->b, f, wjit_f(b, MAGIC), "")), wjit_k(b, MAGIC_BITS), "");
}

typedef struct division { LLVMValueRef q, r; } division; /* Floats */

static LLVMValueRef but_sign(wjit_batch *b, LLVMValueRef f) { return as_real(b, LLVMBuildAnd(b->b, as_bits(b, f), wjit_k(b, INT64_MAX), "")); }
static LLVMValueRef sign_of(wjit_batch *b, LLVMValueRef f) { /* 1 or -1 */
  LLVMValueRef sign = LLVMBuildAnd(b->b, as_bits(b, f), wjit_k(b, INT64_MIN), "");
  return as_real(b, LLVMBuildOr(b->b, sign, as_bits(b, wjit_f(b, 1.0)), ""));
}

/* Small Ints x and y as Floats, y not 0; `near` is x / y but for less than 1.  What remains of the nearest Int tells by its sign whether
** that was too far from 0. */
static division divide_near(wjit_batch *b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef near) {
  LLVMValueRef zero = wjit_f(b, 0.0);
  LLVMValueRef q = LLVMBuildFSub(b->b, LLVMBuildFAdd(b->b, near, wjit_f(b, MAGIC), ""), wjit_f(b, MAGIC), "");
  LLVMValueRef r = LLVMBuildFSub(b->b, x, LLVMBuildFMul(b->b, q, y, ""), "");
  LLVMValueRef up = LLVMBuildAnd(b->b, LLVMBuildFCmp(b->b, LLVMRealOLT, r, zero, ""), LLVMBuildFCmp(b->b, WB_PLANTED(102) ? LLVMRealOGE : LLVMRealOGT, x, WB_PLANTED(102) ? y : zero, ""), "");
  LLVMValueRef down = LLVMBuildAnd(b->b, LLVMBuildFCmp(b->b, LLVMRealOGT, r, zero, ""), LLVMBuildFCmp(b->b, LLVMRealOLT, x, zero, ""), "");
  LLVMValueRef size = but_sign(b, y), one = sign_of(b, y);
  LLVMValueRef more = LLVMBuildSelect(b->b, up, size, LLVMBuildSelect(b->b, down, LLVMBuildFNeg(b->b, size, ""), zero, ""), "");
  LLVMValueRef fewer = LLVMBuildSelect(b->b, up, one, LLVMBuildSelect(b->b, down, LLVMBuildFNeg(b->b, one, ""), zero, ""), "");
  return (division){LLVMBuildFSub(b->b, q, fewer, ""), LLVMBuildFAdd(b->b, r, more, "")};
}

static division divide_const(wjit_batch *b, LLVMValueRef x, int64_t k) {
  return divide_near(b, x, wjit_f(b, (double)k), LLVMBuildFMul(b->b, x, wjit_f(b, 1.0 / (double)k), ""));
}

static LLVMValueRef divide_small(wjit_batch *b, const wir_ins *in, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef p = small_real(b, x), q = small_real(b, y), ratio = LLVMBuildFDiv(b->b, p, q, "");
  if (b->has_dq && in->op == WIR_I_DIV) { /* in vectors that are too large it is any number */
    return LLVMBuildFreeze(b->b, LLVMBuildFPToSI(b->b, ratio, wjit_wide(b, b->i64), ""), "");
  }
  division d = divide_near(b, p, q, ratio);
  return whole(b, in->op == WIR_I_DIV ? d.q : d.r);
}

/* ---- Any Int by a constant that is not large: its upper half first, then what remains of it with the lower half ---- */

enum { MOST_BITS_OF_CONST = 18 };

static LLVMValueRef divide_halves(wjit_batch *b, const wir_ins *in, LLVMValueRef x, int64_t k) {
  LLVMValueRef high = LLVMBuildAShr(b->b, x, wjit_k(b, 32), ""), low = LLVMBuildAnd(b->b, x, wjit_k(b, INT64_C(0xffffffff)), "");
  division first = divide_const(b, small_real(b, high), k);
  LLVMValueRef rest = LLVMBuildFAdd(b->b, LLVMBuildFMul(b->b, first.r, wjit_f(b, 4294967296.0), ""), small_real(b, low), "");
  division second = divide_const(b, rest, k);
  LLVMValueRef wrong = LLVMBuildAnd(b->b, wjit_is_negative(b, x), LLVMBuildFCmp(b->b, LLVMRealOGT, second.r, wjit_f(b, 0.0), ""), "");
  if (in->op == WIR_I_REM) {
    LLVMValueRef less = LLVMBuildSelect(b->b, wrong, wjit_k(b, (int64_t)size_of(k)), wjit_k(b, 0), "");
    return LLVMBuildSub(b->b, whole(b, second.r), less, "");
  }
  LLVMValueRef more = LLVMBuildSelect(b->b, wrong, wjit_k(b, k < 0 ? -1 : 1), wjit_k(b, 0), "");
  LLVMValueRef quotient = LLVMBuildAdd(b->b, LLVMBuildShl(b->b, whole(b, first.q), wjit_k(b, 32), ""), whole(b, second.q), "");
  return LLVMBuildAdd(b->b, quotient, more, "");
}

/* ---- Row by row ---- */

typedef LLVMValueRef scalar_fn(wjit_batch *b, const wir_ins *in, LLVMValueRef x, LLVMValueRef y, LLVMValueRef *fails);

static LLVMValueRef mul_scalar(wjit_batch *b, const wir_ins *in, LLVMValueRef x, LLVMValueRef y, LLVMValueRef *fails) {
  (void)in;
  LLVMValueRef pair = wjit_call(b, "llvm.smul.with.overflow", b->i64, (LLVMValueRef[]){x, y}, 2);
  *fails = wjit_sign(b, LLVMBuildExtractValue(b->b, pair, 1, ""));
  return LLVMBuildExtractValue(b->b, pair, 0, "");
}

static LLVMValueRef divide_scalar(wjit_batch *b, const wir_ins *in, LLVMValueRef x, LLVMValueRef y, LLVMValueRef *fails) {
  int64_t k;
  if (!is_const(b, in->args[1], &k) || k == 0 || k == -1) {
    LLVMValueRef is_zero = LLVMBuildICmp(b->b, LLVMIntEQ, y, wjit_k(b, 0), "");
    LLVMValueRef is_least = LLVMBuildICmp(b->b, LLVMIntEQ, x, wjit_k(b, INT64_MIN), "");
    LLVMValueRef is_minus = LLVMBuildICmp(b->b, LLVMIntEQ, y, wjit_k(b, -1), "");
    LLVMValueRef is_bad = LLVMBuildOr(b->b, is_zero, LLVMBuildAnd(b->b, is_least, is_minus, ""), "");
    *fails = wjit_sign(b, is_bad);
    y = LLVMBuildSelect(b->b, is_bad, wjit_k(b, 1), y, "");
  } else *fails = wjit_k(b, 0);
  return LLVMBuildBinOp(b->b, in->op == WIR_I_DIV ? LLVMSDiv : LLVMSRem, x, y, "");
}

/* `fast`, and where `is_good` (an i1) does not hold, `scalar` for each row of the vectors x and y. */
static LLVMValueRef or_row_by_row(wjit_batch *b, const wir_ins *in, scalar_fn *scalar, LLVMValueRef x, LLVMValueRef y, LLVMValueRef is_good,
                                  LLVMValueRef fast, LLVMValueRef *fails) {
  LLVMValueRef xs = wjit_room(b, b->i64, b->width), ys = wjit_room(b, b->i64, b->width), rs = wjit_room(b, b->i64, b->width),
               fs = wjit_room(b, b->i64, b->width), fast_fails = *fails == NULL ? wjit_k(b, 0) : *fails;
  LLVMTypeRef vector = wjit_wide(b, b->i64);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(b->b), slow = wjit_new_block(b), loop = wjit_new_block(b), after = wjit_new_block(b), join = wjit_new_block(b);
  LLVMBuildCondBr(b->b, is_good, join, slow);
  LLVMPositionBuilderAtEnd(b->b, slow);
  LLVMBuildStore(b->b, x, xs);
  LLVMBuildStore(b->b, y, ys);
  LLVMBuildBr(b->b, loop);
  LLVMPositionBuilderAtEnd(b->b, loop);
  LLVMValueRef j = LLVMBuildPhi(b->b, b->i64, ""), zero = LLVMConstInt(b->i64, 0, false);
  b->in_lanes = true;
  LLVMValueRef f, r = scalar(b, in, LLVMBuildLoad2(b->b, b->i64, wjit_gep(b, b->i64, xs, j), ""),
                             LLVMBuildLoad2(b->b, b->i64, wjit_gep(b, b->i64, ys, j), ""), &f);
  b->in_lanes = false;
  LLVMBuildStore(b->b, r, wjit_gep(b, b->i64, rs, j));
  LLVMBuildStore(b->b, f, wjit_gep(b, b->i64, fs, j));
  LLVMValueRef next = LLVMBuildAdd(b->b, j, LLVMConstInt(b->i64, 1, false), "");
  LLVMAddIncoming(j, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){slow, loop}, 2);
  LLVMBuildCondBr(b->b, LLVMBuildICmp(b->b, LLVMIntULT, next, LLVMConstInt(b->i64, b->width, false), ""), loop, after);
  LLVMPositionBuilderAtEnd(b->b, after);
  LLVMValueRef slow_r = LLVMBuildLoad2(b->b, vector, rs, ""), slow_f = LLVMBuildLoad2(b->b, vector, fs, "");
  LLVMBuildBr(b->b, join);
  LLVMPositionBuilderAtEnd(b->b, join);
  LLVMValueRef out = LLVMBuildPhi(b->b, vector, "");
  LLVMAddIncoming(out, (LLVMValueRef[]){fast, slow_r}, (LLVMBasicBlockRef[]){from, after}, 2);
  *fails = LLVMBuildPhi(b->b, vector, "");
  LLVMAddIncoming(*fails, (LLVMValueRef[]){fast_fails, slow_f}, (LLVMBasicBlockRef[]){from, after}, 2);
  return out;
}

/* Are all numbers of a vector (or two) small? */
static LLVMValueRef are_small(wjit_batch *b, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef half = wjit_k(b, INT64_C(1) << WJIT_SMALL_BITS), any = LLVMBuildAdd(b->b, x, half, "");
  if (y != NULL) any = LLVMBuildOr(b->b, any, LLVMBuildAdd(b->b, y, half, ""), "");
  LLVMValueRef is = LLVMBuildICmp(b->b, LLVMIntULT, any, wjit_k(b, INT64_C(1) << (WJIT_SMALL_BITS + 1)), "");
  return wjit_call(b, "llvm.vector.reduce.and", LLVMTypeOf(is), &is, 1);
}

/* ---- Division ---- */

static LLVMValueRef divide_by_const(wjit_batch *b, uint32_t i, LLVMValueRef x, int64_t k, LLVMValueRef *fails) {
  const wir_ins *in = wjit_ins(b, i);
  uint64_t size = size_of(k);
  LLVMOpcode op = in->op == WIR_I_DIV ? LLVMSDiv : LLVMSRem;
  /* Shifts; and that a remainder is 0, as LLVM makes it of a product with the inverse. */
  if ((size & (size - 1)) == 0 || b->is_divisibility[i]) return LLVMBuildBinOp(b->b, op, x, wjit_k(b, k), "");
  if (is_small(range_of(b, in->args[0])) && size >> WJIT_SMALL_BITS == 0) {
    division d = divide_const(b, small_real(b, x), k);
    return whole(b, in->op == WIR_I_DIV ? d.q : d.r);
  }
  if (size >> MOST_BITS_OF_CONST == 0) return divide_halves(b, in, x, k);
  LLVMValueRef fast = divide_small(b, in, x, wjit_k(b, size >> WJIT_SMALL_BITS == 0 ? k : 2));
  LLVMValueRef is_good = size >> WJIT_SMALL_BITS == 0 ? are_small(b, x, NULL) : LLVMConstInt(b->i1, 0, false);
  fast = or_row_by_row(b, in, divide_scalar, x, wjit_k(b, k), is_good, fast, fails);
  *fails = NULL;
  return fast;
}

LLVMValueRef wjit_batch_divide(wjit_batch *b, uint32_t i, const wjit_cell *a, LLVMValueRef *fails) {
  const wir_ins *in = wjit_ins(b, i);
  LLVMValueRef x = a[0].v, y = a[1].v, r;
  int64_t k;
  if (b->in_lanes) {
    r = divide_scalar(b, in, x, y, fails);
    if (!b->checks[i]) *fails = NULL;
    return r;
  }
  if (is_const(b, in->args[1], &k) && k != 0 && k != -1) return divide_by_const(b, i, x, k, fails);
  wir_interval of_x = range_of(b, in->args[0]), of_y = range_of(b, in->args[1]);
  if (has(of_y, 0)) {
    LLVMValueRef is_zero = LLVMBuildICmp(b->b, LLVMIntEQ, y, wjit_k(b, 0), "");
    *fails = wjit_sign(b, is_zero);
    y = LLVMBuildSelect(b->b, is_zero, wjit_k(b, 1), y, "");
  }
  LLVMValueRef fast = divide_small(b, in, x, y);
  if (is_small(of_x) && is_small(of_y)) r = fast;
  else r = or_row_by_row(b, in, divide_scalar, x, a[1].v, are_small(b, x, y), fast, fails);
  if (!b->checks[i]) *fails = NULL;
  return r;
}

/* ---- Products ---- */

/* By a constant the product is right between two bounds.  Out of them one of the differences is negative, and none overflows without that. */
static LLVMValueRef mul_const(wjit_batch *b, LLVMValueRef x, int64_t k, LLVMValueRef *fails) {
  LLVMValueRef r = LLVMBuildMul(b->b, x, wjit_k(b, k), "");
  if (k == 0 || k == 1) return r;
  if (k == -1) {
    *fails = LLVMBuildAnd(b->b, x, r, "");
    return r;
  }
  int64_t high = (k > 0 ? INT64_MAX : INT64_MIN) / k, low = (k > 0 ? INT64_MIN : INT64_MAX) / k;
  *fails = LLVMBuildOr(b->b, LLVMBuildSub(b->b, wjit_k(b, high), x, ""), LLVMBuildSub(b->b, x, wjit_k(b, low), ""), "");
  return r;
}

LLVMValueRef wjit_batch_mul(wjit_batch *b, uint32_t i, const wjit_cell *a, LLVMValueRef *fails) {
  const wir_ins *in = wjit_ins(b, i);
  LLVMValueRef x = a[0].v, y = a[1].v;
  int64_t k;
  if (!b->checks[i]) return LLVMBuildMul(b->b, x, y, "");
  if (is_const(b, in->args[1], &k)) return mul_const(b, x, k, fails);
  if (is_const(b, in->args[0], &k)) return mul_const(b, y, k, fails);
  if (b->in_lanes) return mul_scalar(b, in, x, y, fails);
  LLVMValueRef size = but_sign(b, LLVMBuildFMul(b->b, wjit_batch_float(b, x), wjit_batch_float(b, y), ""));
  LLVMValueRef is = LLVMBuildFCmp(b->b, LLVMRealOLT, size, wjit_f(b, 4611686018427387904.0), "");
  LLVMValueRef is_good = wjit_call(b, "llvm.vector.reduce.and", LLVMTypeOf(is), &is, 1);
  return or_row_by_row(b, in, mul_scalar, x, y, is_good, LLVMBuildMul(b->b, x, y, ""), fails);
}
