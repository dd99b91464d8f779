/* jit/emit.c -- the words of emit.h, and the frame of a kernel around what emit_ops.c makes of instructions. */
#include "jit/emit.h"

LLVMValueRef wjit_is(wjit_emit *e, LLVMValueRef k, wir_condition which) {
  if (k == NULL) return LLVMConstInt(e->i1, which == WIR_IS_VALUE, false);
  return LLVMBuildICmp(e->b, LLVMIntEQ, k, wjit_cond(e, which), "");
}

LLVMValueRef wjit_max(wjit_emit *e, LLVMValueRef a, LLVMValueRef b) {
  if (a == NULL || a == b) return b;
  if (b == NULL) return a;
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntUGT, a, b, ""), a, b, "");
}

LLVMValueRef wjit_select_cond(wjit_emit *e, LLVMValueRef which, LLVMValueRef a, LLVMValueRef b) {
  if (a == b) return a;
  return LLVMBuildSelect(e->b, which, wjit_some(e, a), wjit_some(e, b), "");
}

wjit_value wjit_select(wjit_emit *e, LLVMValueRef which, wjit_value a, wjit_value b) {
  return (wjit_value){LLVMBuildSelect(e->b, which, a.v, b.v, ""), wjit_select_cond(e, which, a.k, b.k)};
}

LLVMValueRef wjit_bool(wjit_emit *e, LLVMValueRef i1) { return LLVMBuildZExt(e->b, i1, e->i64, ""); }

LLVMValueRef wjit_truth(wjit_emit *e, LLVMValueRef cell) { return LLVMBuildICmp(e->b, LLVMIntNE, cell, wjit_int(e, 0), ""); }

LLVMValueRef wjit_at(wjit_emit *e, LLVMValueRef pointer, LLVMValueRef bytes) {
  return LLVMBuildInBoundsGEP2(e->b, e->i8, pointer, &bytes, 1, "");
}

LLVMValueRef wjit_load(wjit_emit *e, LLVMTypeRef type, uint64_t at) {
  return LLVMBuildLoad2(e->b, type, wjit_at(e, e->base, wjit_int(e, (int64_t)at)), "");
}

void wjit_store(wjit_emit *e, LLVMValueRef v, uint64_t at) { LLVMBuildStore(e->b, v, wjit_at(e, e->base, wjit_int(e, (int64_t)at))); }

static LLVMValueRef frame_word(wjit_emit *e, uint32_t word) {
  return LLVMBuildLoad2(e->b, e->ptr, wjit_at(e, LLVMGetParam(e->function, 0), wjit_int(e, 8 * (int64_t)word)), "");
}

LLVMValueRef wjit_helper(wjit_emit *e, uint32_t word, LLVMTypeRef result, LLVMTypeRef argument, LLVMValueRef *arguments, uint32_t n) {
  LLVMTypeRef types[3] = {argument, argument, e->ptr};
  return LLVMBuildCall2(e->b, LLVMFunctionType(result, types, n, false), frame_word(e, word), arguments, n, "");
}

/* ---- Leaving ---- */

LLVMValueRef wjit_cause(const wjit_emit *e, weir_cause cause) { return LLVMConstInt(e->i32, (unsigned)cause + 1, false); }

void wjit_leave_if(wjit_emit *e, LLVMValueRef when, LLVMValueRef cause) {
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), on = LLVMAppendBasicBlockInContext(e->context, e->function, "");
  LLVMBuildCondBr(e->b, when, e->declined, on);
  LLVMAddIncoming(e->why, &cause, &from, 1);
  LLVMPositionBuilderAtEnd(e->b, on);
}

LLVMValueRef wjit_fail_if(wjit_emit *e, const wir_ins *in, LLVMValueRef when, LLVMValueRef cause, LLVMValueRef k) {
  if (in->cannot_fail) return k;
  if (k != NULL) when = LLVMBuildAnd(e->b, when, wjit_is(e, k, WIR_IS_VALUE), "");
  if (in->is_guarded) return wjit_select_cond(e, when, wjit_cond(e, WIR_IS_FAILED), k);
  wjit_leave_if(e, when, cause);
  return k;
}

/* ---- The kernel ---- */

static void begin(wjit_emit *e) {
  LLVMTypeRef type = LLVMFunctionType(e->i32, &e->ptr, 1, false);
  e->function = LLVMAddFunction(e->module, e->plan->codes[e->code].name, type);
  LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(e->context, LLVMGetEnumAttributeKindForName("nounwind", 8), 0));
  LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateStringAttribute(e->context, "no-builtins", 11, "", 0));
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->context, e->function, "");
  e->declined = LLVMAppendBasicBlockInContext(e->context, e->function, "declined");
  LLVMPositionBuilderAtEnd(e->b, e->declined);
  e->why = LLVMBuildPhi(e->b, e->i32, "");
  LLVMBuildRet(e->b, e->why);
  LLVMPositionBuilderAtEnd(e->b, entry);
  e->base = frame_word(e, WRT_FRAME_BASE);
  e->conditions = frame_word(e, WRT_FRAME_CONDITIONS);
  e->n_cold = frame_word(e, WRT_FRAME_COLD);
  e->scratch = LLVMBuildAlloca(e->b, e->i64, "");
}

void wjit_emit_kernel(wjit_emit *e, uint32_t code) {
  e->code = code;
  e->body = &e->plan->bodies->of_fit[code];
  begin(e);
  for (uint32_t i = 0; i < e->body->n_ins; i++) wjit_emit_ins(e, i);
  LLVMBuildRet(e->b, LLVMConstInt(e->i32, 0, false));
  if (LLVMCountIncoming(e->why) == 0) LLVMDeleteBasicBlock(e->declined);
}
