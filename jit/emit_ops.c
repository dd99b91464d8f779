/* jit/emit_ops.c -- one function for each instruction of ir/insns.def.
**
** An operation that fails yields any value and a failed condition under a guard, and leaves the kernel outside (wjit_fail_if).  What stands
** in the cell of what is no value may be anything, so nothing here may trap on it: divisors are made harmless first.
** The meaning is that of ir/semantics.h and, for conditions, of ir/scalar.h. */
#include "jit/emit.h"
#include "jit/llvm_words.h"

typedef wjit_value emit_fn(wjit_emit *e, const wir_ins *in, const wjit_value *a);

static bool is_float(const wir_ins *in) { return in->kind == WIR_KIND_FLOAT; }
static LLVMValueRef strict2(wjit_emit *e, const wjit_value *a) { return wjit_max(e, a[0].k, a[1].k); }

/* ---- Arithmetic ---- */

static wjit_value checked(wjit_emit *e, const wir_ins *in, const char *name, LLVMValueRef x, LLVMValueRef y, LLVMValueRef k) {
  LLVMValueRef both = wjit_intrinsic(e->module, e->b, name, e->i64, (LLVMValueRef[]){x, y}, 2);
  LLVMValueRef over = LLVMBuildExtractValue(e->b, both, 1, "");
  k = wjit_fail_if(e, in, over, wjit_cause(e, WEIR_CAUSE_OVERFLOW), k);
  return (wjit_value){LLVMBuildExtractValue(e->b, both, 0, ""), k};
}

#define CHECKED(NAME, intrinsic, Float) \
  static wjit_value emit_##NAME(wjit_emit *e, const wir_ins *in, const wjit_value *a) { \
    LLVMValueRef k = strict2(e, a); \
    if (is_float(in)) return (wjit_value){LLVMBuild##Float(e->b, a[0].v, a[1].v, ""), k}; \
    return checked(e, in, intrinsic, a[0].v, a[1].v, k); \
  }
CHECKED(ADD, "llvm.sadd.with.overflow", FAdd)
CHECKED(SUB, "llvm.ssub.with.overflow", FSub)
CHECKED(MUL, WB_PLANTED(71) ? "llvm.umul.with.overflow" : "llvm.smul.with.overflow", FMul)

/* / and %, which fail alike: by zero, and where -2^63 is divided by -1. */
static wjit_value divided(wjit_emit *e, const wir_ins *in, const wjit_value *a, LLVMOpcode op) {
  LLVMValueRef is_zero = LLVMBuildICmp(e->b, LLVMIntEQ, a[1].v, wjit_int(e, 0), "");
  LLVMValueRef is_least = LLVMBuildICmp(e->b, LLVMIntEQ, a[0].v, wjit_int(e, INT64_MIN), "");
  LLVMValueRef is_minus = LLVMBuildICmp(e->b, LLVMIntEQ, a[1].v, wjit_int(e, WB_PLANTED(72) ? 1 : -1), "");
  LLVMValueRef fails = LLVMBuildOr(e->b, is_zero, LLVMBuildAnd(e->b, is_least, is_minus, ""), "");
  LLVMValueRef cause = LLVMBuildSelect(e->b, is_zero, wjit_cause(e, WEIR_CAUSE_DIV_ZERO), wjit_cause(e, WEIR_CAUSE_OVERFLOW), "");
  LLVMValueRef k = wjit_fail_if(e, in, fails, cause, strict2(e, a));
  LLVMValueRef divisor = LLVMBuildSelect(e->b, fails, wjit_int(e, 1), a[1].v, "");
  return (wjit_value){LLVMBuildBinOp(e->b, op, a[0].v, divisor, ""), k};
}

static wjit_value emit_DIV(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  if (is_float(in)) return (wjit_value){LLVMBuildFDiv(e->b, a[0].v, a[1].v, ""), strict2(e, a)};
  return divided(e, in, a, LLVMSDiv);
}

static wjit_value float_helper(wjit_emit *e, uint32_t word, const wjit_value *a, uint32_t n) {
  LLVMValueRef arguments[2] = {a[0].v, n == 2 ? a[1].v : NULL};
  return (wjit_value){wjit_helper(e, word, e->f64, e->f64, arguments, n), n == 2 ? strict2(e, a) : a[0].k};
}

static wjit_value emit_REM(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  return is_float(in) ? float_helper(e, WRT_FRAME_rem_float, a, 2) : divided(e, in, a, LLVMSRem);
}

static wjit_value emit_POW(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  if (is_float(in)) return float_helper(e, WRT_FRAME_pow_float, a, 2);
  LLVMValueRef arguments[] = {a[0].v, a[1].v, e->scratch};
  LLVMBuildStore(e->b, wjit_int(e, 0), e->scratch); /* a failure leaves it as it is */
  LLVMValueRef rc = wjit_helper(e, WRT_FRAME_pow_int, e->i32, e->i64, arguments, 3);
  LLVMValueRef fails = LLVMBuildICmp(e->b, LLVMIntNE, rc, LLVMConstInt(e->i32, WEIR_OK, false), "");
  LLVMValueRef is_negative = LLVMBuildICmp(e->b, LLVMIntSLT, a[1].v, wjit_int(e, 0), "");
  LLVMValueRef cause = LLVMBuildSelect(e->b, is_negative, wjit_cause(e, WEIR_CAUSE_DOMAIN), wjit_cause(e, WEIR_CAUSE_OVERFLOW), "");
  LLVMValueRef v = LLVMBuildLoad2(e->b, e->i64, e->scratch, "");
  return (wjit_value){v, wjit_fail_if(e, in, fails, cause, strict2(e, a))};
}

static wjit_value emit_NEG(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  if (is_float(in)) return (wjit_value){LLVMBuildFNeg(e->b, a[0].v, ""), a[0].k};
  return checked(e, in, "llvm.ssub.with.overflow", wjit_int(e, 0), a[0].v, a[0].k);
}

static wjit_value emit_ABS(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  LLVMValueRef x = a[0].v;
  if (is_float(in)) { /* without its sign: no call, whatever the bits */
    LLVMValueRef bits = LLVMBuildAnd(e->b, LLVMBuildBitCast(e->b, x, e->i64, ""), wjit_int(e, INT64_MAX), "");
    return (wjit_value){LLVMBuildBitCast(e->b, bits, e->f64, ""), a[0].k};
  }
  LLVMValueRef is_least = LLVMBuildICmp(e->b, LLVMIntEQ, x, wjit_int(e, INT64_MIN), "");
  LLVMValueRef k = wjit_fail_if(e, in, is_least, wjit_cause(e, WEIR_CAUSE_OVERFLOW), a[0].k);
  LLVMValueRef is_negative = LLVMBuildICmp(e->b, LLVMIntSLT, x, wjit_int(e, 0), "");
  return (wjit_value){LLVMBuildSelect(e->b, is_negative, LLVMBuildSub(e->b, wjit_int(e, 0), x, ""), x, ""), k};
}

#define HELPED(NAME, name) \
  static wjit_value emit_##NAME(wjit_emit *e, const wir_ins *in, const wjit_value *a) { \
    (void)in; \
    return float_helper(e, WRT_FRAME_##name, a, 1); \
  }
HELPED(SIN, sin)
HELPED(COS, cos)
HELPED(TAN, tan)

static wjit_value emit_FLOAT(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  (void)in;
  return (wjit_value){LLVMBuildSIToFP(e->b, a[0].v, e->f64, ""), a[0].k};
}

#define COMPARED(NAME) \
  static wjit_value emit_##NAME(wjit_emit *e, const wir_ins *in, const wjit_value *a) { \
    return (wjit_value){wjit_compare(e->b, e->body, in, a[0].v, a[1].v), strict2(e, a)}; \
  }
COMPARED(EQ)
COMPARED(NE)
COMPARED(LT)
COMPARED(LE)
COMPARED(GT)
COMPARED(GE)

static wjit_value emit_NOT(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  (void)in;
  return (wjit_value){LLVMBuildNot(e->b, a[0].v, ""), a[0].k};
}

static wjit_value emit_CONCAT(wjit_emit *e, const wir_ins *in, const wjit_value *a) { /* on texts, which are not lowered */
  (void)in, (void)a;
  return (wjit_value){LLVMGetUndef(e->i64), NULL};
}

/* ---- Leaves ---- */

static wjit_value emit_CONST(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  (void)a;
  LLVMValueRef bits = wjit_int(e, in->imm.i);
  if (in->kind == WIR_KIND_BOOL) return (wjit_value){LLVMConstInt(e->i1, in->imm.i != 0, false), NULL};
  return (wjit_value){is_float(in) ? LLVMConstBitCast(bits, e->f64) : bits, NULL};
}

static wjit_value emit_READ(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  (void)a;
  return e->body->is_whole ? wjit_row_input(e, in) : wjit_region_input(e, in); /* a whole body reads inputs only */
}

static wjit_value emit_RING(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  (void)a;
  return wjit_emit_ring(e, in);
}

/* ---- What conditions do ---- */

static wjit_value or_if_noval(wjit_emit *e, wjit_value a, wjit_value otherwise) {
  return wjit_select(e, wjit_is(e, a.k, WIR_IS_NOVAL), otherwise, a);
}

static wjit_value emit_HOLD(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  return a[0].k == NULL || WB_PLANTED(73) ? a[0] : or_if_noval(e, a[0], wjit_emit_cell(e, in->state));
}

static wjit_value emit_FILL(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  return a[0].k == NULL ? a[0] : or_if_noval(e, a[0], wjit_emit_newest(e, in->state));
}

static wjit_value emit_SETTLE(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  (void)in;
  if (a[0].k == NULL) return a[0];
  return (wjit_value){a[0].v, wjit_select_cond(e, wjit_is(e, a[0].k, WIR_IS_NOVAL), wjit_cond(e, WIR_IS_DEFERRED), a[0].k)};
}

static LLVMValueRef failed_if(wjit_emit *e, LLVMValueRef when, LLVMValueRef k) {
  return wjit_select_cond(e, when, wjit_cond(e, WIR_IS_FAILED), k);
}

static wjit_value emit_GUARD(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  (void)in;
  return a[0].k == NULL ? a[1] : (wjit_value){a[1].v, failed_if(e, wjit_is(e, a[0].k, WIR_IS_FAILED), a[1].k)};
}

static LLVMValueRef either_failed(wjit_emit *e, const wjit_value *a) {
  return LLVMBuildOr(e->b, wjit_is(e, a[0].k, WIR_IS_FAILED), wjit_is(e, a[1].k, WIR_IS_FAILED), "");
}

static wjit_value emit_DEFAULT(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  (void)in;
  wjit_value out = wjit_select(e, wjit_is(e, a[0].k, WIR_IS_DEFERRED), a[1], a[0]);
  out.k = failed_if(e, either_failed(e, a), out.k);
  return out;
}

static wjit_value emit_DEFINED(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  (void)in;
  LLVMValueRef is_defined = LLVMBuildNot(e->b, wjit_is(e, a[0].k, WIR_IS_DEFERRED), "");
  return (wjit_value){is_defined, failed_if(e, wjit_is(e, a[0].k, WIR_IS_FAILED), NULL)};
}

static wjit_value emit_GATE(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  (void)in;
  LLVMValueRef k = wjit_select_cond(e, wjit_is(e, a[0].k, WIR_IS_NOVAL), wjit_cond(e, WIR_IS_NOVAL), a[1].k);
  return (wjit_value){a[1].v, failed_if(e, either_failed(e, a), k)};
}

static wjit_value emit_PROPER(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  return (wjit_value){LLVMBuildOr(e->b, wjit_is(e, a[0].k, WIR_IS_VALUE), wjit_emit_flag(e, in->state), ""), NULL};
}

static wjit_value emit_STARTED(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  LLVMValueRef is_there = LLVMBuildNot(e->b, wjit_is(e, a[0].k, WIR_IS_NOVAL), "");
  return (wjit_value){LLVMBuildOr(e->b, is_there, wjit_emit_flag(e, in->state), ""), NULL};
}

static wjit_value emit_PICK(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  (void)in;
  return wjit_select(e, a[0].v, a[1], a[2]);
}

/* A failure that counts leaves, outside all guards. */
static void leave_if_failed(wjit_emit *e, const wir_ins *in, LLVMValueRef k) {
  if (!in->is_guarded && k != NULL) wjit_leave_if(e, wjit_is(e, k, WIR_IS_FAILED), wjit_cause(e, WEIR_CAUSE_GUARD));
}

/* The order is that of the canonical tier: a failed condition or chosen branch, then a NoVal branch, then the condition, then the branch. */
static wjit_value emit_SELECT(wjit_emit *e, const wir_ins *in, const wjit_value *a) {
  wjit_value out = wjit_select(e, a[0].v, a[1], a[2]);
  if (a[0].k == NULL && a[1].k == NULL && a[2].k == NULL) return out;
  LLVMValueRef chosen_failed = LLVMBuildAnd(e->b, wjit_is(e, a[0].k, WIR_IS_VALUE), wjit_is(e, out.k, WIR_IS_FAILED), "");
  LLVMValueRef fails = LLVMBuildOr(e->b, wjit_is(e, a[0].k, WIR_IS_FAILED), chosen_failed, "");
  LLVMValueRef lacks = LLVMBuildOr(e->b, wjit_is(e, a[1].k, WIR_IS_NOVAL), wjit_is(e, a[WB_PLANTED(74) ? 1 : 2].k, WIR_IS_NOVAL), "");
  LLVMValueRef k = wjit_select_cond(e, wjit_is(e, a[0].k, WIR_IS_VALUE), out.k, a[0].k);
  k = wjit_select_cond(e, lacks, wjit_cond(e, WIR_IS_NOVAL), k);
  out.k = failed_if(e, fails, k);
  leave_if_failed(e, in, out.k);
  return out;
}

/* && || =>: `decides` is the left value that decides, `decided` the result then. */
static wjit_value logical(wjit_emit *e, const wir_ins *in, const wjit_value *a, bool decides, bool decided) {
  LLVMValueRef left_decides = decides ? a[0].v : LLVMBuildNot(e->b, a[0].v, "");
  wjit_value out = {decided ? LLVMBuildOr(e->b, left_decides, a[1].v, "") : LLVMBuildAnd(e->b, LLVMBuildNot(e->b, left_decides, ""), a[1].v, ""), NULL};
  if (a[0].k == NULL && a[1].k == NULL) return out;
  LLVMValueRef is_decided = LLVMBuildAnd(e->b, left_decides, wjit_is(e, a[0].k, WIR_IS_VALUE), "");
  LLVMValueRef without = wjit_select_cond(e, wjit_is(e, a[0].k, WIR_IS_VALUE),
                                          failed_if(e, LLVMBuildNot(e->b, is_decided, ""), NULL), a[0].k);
  out.k = wjit_select_cond(e, wjit_is(e, a[1].k, WIR_IS_FAILED), without, strict2(e, a));
  out.v = LLVMBuildSelect(e->b, is_decided, LLVMConstInt(e->i1, decided, false), a[1].v, "");
  leave_if_failed(e, in, out.k);
  return out;
}

static wjit_value emit_AND(wjit_emit *e, const wir_ins *in, const wjit_value *a) { return logical(e, in, a, false, false); }
static wjit_value emit_OR(wjit_emit *e, const wir_ins *in, const wjit_value *a) { return logical(e, in, a, true, true); }
static wjit_value emit_IMPLIES(wjit_emit *e, const wir_ins *in, const wjit_value *a) { return logical(e, in, a, false, true); }

/* ---- Effects ---- */

#define EFFECT(NAME) \
  static wjit_value emit_##NAME(wjit_emit *e, const wir_ins *in, const wjit_value *a) { \
    (void)a; \
    wjit_emit_effect(e, in); \
    return (wjit_value){NULL, NULL}; \
  }
EFFECT(WRITE)
EFFECT(KEEP)
EFFECT(PUSH)

static emit_fn *const emit[WIR_INS_OPS] = {
#define INS(name, text, operands, result, presence, fails) [WIR_I_##name] = emit_##name,
#include "ir/insns.def"
#undef INS
};

void wjit_emit_ins(wjit_emit *e, uint32_t i) {
  const wir_ins *in = &e->body->ins[i];
  wjit_value a[3] = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
  for (uint32_t k = 0; k < wir_insns[in->op].operands; k++) a[k] = e->values[in->args[k].i];
  e->values[i] = emit[in->op](e, in, a);
  if (in->may == 0) e->values[i].k = NULL; /* the analysis knows more than the operation */
}
