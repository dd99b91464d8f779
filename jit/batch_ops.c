/* jit/batch_ops.c -- one function for each kind of instruction, over vectors of rows or over scalars of one.
**
** In a row in which something has failed anything may stand, so nothing here may trap.  Failures outside all guards are gathered
** (wjit_note_bad), those under a guard go along with the value.  The meaning is that of ir/semantics.h and ir/scalar.h. */
#include "jit/batch_emit.h"
#include "jit/llvm_words.h"

typedef wjit_cell emit_fn(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a);


/* The result with what has failed in its operands and in itself. */
static wjit_cell settle(wjit_batch *b, const wir_ins *in, LLVMValueRef v, LLVMValueRef m, LLVMValueRef fails) {
  if (fails != NULL && in->is_guarded) m = wjit_either(b->b, m, fails);
  else if (fails != NULL) wjit_note_bad(b, fails);
  return (wjit_cell){v, m};
}
/* A failure that counts, outside all guards. */
static wjit_cell settle_mask(wjit_batch *b, const wir_ins *in, wjit_cell c) {
  if (c.m == NULL || in->is_guarded) return c;
  wjit_note_bad(b, c.m);
  return (wjit_cell){c.v, NULL};
}

static LLVMValueRef both(wjit_batch *b, const wjit_cell *a) { return wjit_either(b->b, a[0].m, a[1].m); }

/* ---- Arithmetic ---- */

/* Two Ints have another sign than their sum; a difference's operands differ, and it differs from the left one. */
LLVMValueRef wjit_sum_sign(wjit_batch *b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef r) {
  return LLVMBuildAnd(b->b, LLVMBuildXor(b->b, x, r, ""), LLVMBuildXor(b->b, y, r, ""), "");
}
LLVMValueRef wjit_difference_sign(wjit_batch *b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef r) {
  return LLVMBuildAnd(b->b, LLVMBuildXor(b->b, x, y, ""), LLVMBuildXor(b->b, x, r, ""), "");
}

static wjit_cell emit_ADD(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  if (in->kind == WIR_KIND_FLOAT) return (wjit_cell){LLVMBuildFAdd(b->b, a[0].v, a[1].v, ""), both(b, a)};
  LLVMValueRef r = LLVMBuildAdd(b->b, a[0].v, a[1].v, "");
  return settle(b, in, r, both(b, a), b->checks[i] ? wjit_sum_sign(b, a[0].v, a[1].v, r) : NULL);
}
static wjit_cell emit_SUB(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  if (in->kind == WIR_KIND_FLOAT) return (wjit_cell){LLVMBuildFSub(b->b, a[0].v, a[1].v, ""), both(b, a)};
  LLVMValueRef r = LLVMBuildSub(b->b, a[0].v, a[1].v, "");
  return settle(b, in, r, both(b, a), b->checks[i] ? wjit_difference_sign(b, a[0].v, a[1].v, r) : NULL);
}
static wjit_cell emit_MUL(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  if (in->kind == WIR_KIND_FLOAT) return (wjit_cell){LLVMBuildFMul(b->b, a[0].v, a[1].v, ""), both(b, a)};
  LLVMValueRef fails = NULL, r = wjit_batch_mul(b, i, a, &fails);
  return settle(b, in, r, both(b, a), fails);
}
static wjit_cell emit_DIV(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  if (in->kind == WIR_KIND_FLOAT) return (wjit_cell){LLVMBuildFDiv(b->b, a[0].v, a[1].v, ""), both(b, a)};
  LLVMValueRef fails = NULL, r = wjit_batch_divide(b, i, a, &fails);
  return settle(b, in, r, both(b, a), fails);
}
static wjit_cell emit_REM(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  LLVMValueRef fails = NULL, r = wjit_batch_divide(b, i, a, &fails);
  return settle(b, in, r, both(b, a), fails);
}
static wjit_cell emit_NEG(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  if (in->kind == WIR_KIND_FLOAT) return (wjit_cell){LLVMBuildFNeg(b->b, a[0].v, ""), a[0].m};
  LLVMValueRef r = LLVMBuildNeg(b->b, a[0].v, "");
  return settle(b, in, r, a[0].m, b->checks[i] ? LLVMBuildAnd(b->b, a[0].v, r, "") : NULL);
}
static wjit_cell emit_ABS(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  if (in->kind == WIR_KIND_FLOAT) {
    LLVMTypeRef bits = wjit_wide(b, b->i64);
    LLVMValueRef x = LLVMBuildAnd(b->b, LLVMBuildBitCast(b->b, a[0].v, bits, ""), wjit_k(b, INT64_MAX), "");
    return (wjit_cell){LLVMBuildBitCast(b->b, x, wjit_wide(b, b->f64), ""), a[0].m};
  }
  LLVMValueRef r = LLVMBuildSelect(b->b, wjit_is_negative(b, a[0].v), LLVMBuildNeg(b->b, a[0].v, ""), a[0].v, "");
  return settle(b, in, r, a[0].m, b->checks[i] ? r : NULL);
}
static wjit_cell emit_FLOAT(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  (void)i, (void)in;
  return (wjit_cell){wjit_batch_float(b, a[0].v), a[0].m};
}

/* ---- Comparisons ---- */

static wjit_cell emit_compared(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  (void)i;
  return (wjit_cell){wjit_compare(b->b, b->body, in, a[0].v, a[1].v), both(b, a)};
}

/* ---- Bools and choices ---- */

static wjit_cell emit_NOT(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  (void)i, (void)in;
  return (wjit_cell){LLVMBuildNot(b->b, a[0].v, ""), a[0].m};
}

static LLVMValueRef some_mask(wjit_batch *b, LLVMValueRef m) { return m == NULL ? wjit_k(b, 0) : m; }
static LLVMValueRef choose_mask(wjit_batch *b, LLVMValueRef c, LLVMValueRef yes, LLVMValueRef no) {
  if (yes == no) return yes;
  return LLVMBuildSelect(b->b, c, some_mask(b, yes), some_mask(b, no), "");
}

static wjit_cell emit_SELECT(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  (void)i;
  LLVMValueRef m = wjit_either(b->b, a[0].m, choose_mask(b, a[0].v, a[1].m, a[WB_PLANTED(103) ? 1 : 2].m));
  return settle_mask(b, in, (wjit_cell){LLVMBuildSelect(b->b, a[0].v, a[1].v, a[2].v, ""), m});
}
static wjit_cell emit_AND(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  (void)i;
  LLVMValueRef m = wjit_either(b->b, a[0].m, choose_mask(b, a[0].v, a[1].m, NULL));
  return settle_mask(b, in, (wjit_cell){LLVMBuildAnd(b->b, a[0].v, a[1].v, ""), m});
}
static wjit_cell emit_OR(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  (void)i;
  LLVMValueRef m = wjit_either(b->b, a[0].m, choose_mask(b, a[0].v, NULL, a[1].m));
  return settle_mask(b, in, (wjit_cell){LLVMBuildOr(b->b, a[0].v, a[1].v, ""), m});
}
static wjit_cell emit_IMPLIES(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  (void)i;
  LLVMValueRef m = wjit_either(b->b, a[0].m, choose_mask(b, a[0].v, a[1].m, NULL));
  return settle_mask(b, in, (wjit_cell){LLVMBuildOr(b->b, LLVMBuildNot(b->b, a[0].v, ""), a[1].v, ""), m});
}

/* ---- Conditions: nothing is Deferred or NoVal here ---- */

static wjit_cell emit_GUARD(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  (void)i, (void)in;
  return (wjit_cell){a[1].v, both(b, a)};
}
static wjit_cell emit_DEFAULT(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  (void)i, (void)in;
  return (wjit_cell){a[0].v, both(b, a)};
}
static wjit_cell emit_DEFINED(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  (void)i, (void)in;
  return (wjit_cell){wjit_splat(b, LLVMConstInt(b->i1, 1, false)), a[0].m};
}
static wjit_cell emit_CONST(wjit_batch *b, uint32_t i, const wir_ins *in, const wjit_cell *a) {
  (void)i, (void)a;
  if (in->kind == WIR_KIND_BOOL) return (wjit_cell){wjit_splat(b, LLVMConstInt(b->i1, in->imm.i != 0, false)), NULL};
  if (in->kind == WIR_KIND_INT) return (wjit_cell){wjit_k(b, in->imm.i), NULL};
  LLVMValueRef bits = LLVMConstInt(b->i64, (unsigned long long)in->imm.i, false); /* a NaN keeps its own */
  return (wjit_cell){wjit_splat(b, LLVMConstBitCast(bits, b->f64)), NULL};
}

/* What is missing is not built here (batch_kernel.c, batch_recur.c), or never (batch_plan.c). */
static emit_fn *const emit[WIR_INS_OPS] = {
  [WIR_I_ADD] = emit_ADD, [WIR_I_SUB] = emit_SUB, [WIR_I_MUL] = emit_MUL, [WIR_I_DIV] = emit_DIV, [WIR_I_REM] = emit_REM, [WIR_I_NEG] = emit_NEG,
  [WIR_I_ABS] = emit_ABS, [WIR_I_FLOAT] = emit_FLOAT, [WIR_I_EQ] = emit_compared, [WIR_I_NE] = emit_compared, [WIR_I_LT] = emit_compared,
  [WIR_I_LE] = emit_compared, [WIR_I_GT] = emit_compared, [WIR_I_GE] = emit_compared, [WIR_I_NOT] = emit_NOT, [WIR_I_SELECT] = emit_SELECT,
  [WIR_I_AND] = emit_AND, [WIR_I_OR] = emit_OR, [WIR_I_IMPLIES] = emit_IMPLIES, [WIR_I_GUARD] = emit_GUARD, [WIR_I_GATE] = emit_GUARD,
  [WIR_I_DEFAULT] = emit_DEFAULT, [WIR_I_DEFINED] = emit_DEFINED, [WIR_I_CONST] = emit_CONST,
};

bool wjit_batch_has_op(const wir_order *g, uint32_t i) {
  const wir_ins *in = wir_order_ins(g, i);
  if (in->op == WIR_I_REM && wir_ins_at(g->body, in->args[0])->kind == WIR_KIND_FLOAT) return false; /* a call */
  return emit[in->op] != NULL;
}

wjit_cell wjit_batch_op(wjit_batch *b, uint32_t i, const wjit_cell *a) {
  const wir_ins *in = wjit_ins(b, i);
  wjit_cell c = emit[in->op](b, i, in, a);
  if ((in->may & WIR_MAY_FAIL) == 0) c.m = NULL; /* the analysis knows more than the operation */
  return c;
}
