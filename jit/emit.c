/* jit/emit.c -- the words of emit.h, and what a kernel is put together from. */
#include "jit/emit.h"
#include "jit/llvm_words.h"

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

LLVMValueRef wjit_at(wjit_emit *e, LLVMValueRef pointer, LLVMValueRef bytes) {
  return LLVMBuildInBoundsGEP2(e->b, e->i8, pointer, &bytes, 1, "");
}

LLVMValueRef wjit_load(wjit_emit *e, LLVMTypeRef type, LLVMValueRef pointer, uint64_t at) {
  return LLVMBuildLoad2(e->b, type, wjit_at(e, pointer, wjit_int(e, (int64_t)at)), "");
}

void wjit_store(wjit_emit *e, LLVMValueRef v, LLVMValueRef pointer, uint64_t at) {
  LLVMBuildStore(e->b, v, wjit_at(e, pointer, wjit_int(e, (int64_t)at)));
}

LLVMValueRef wjit_argument(const wjit_emit *e, wrt_row_argument i) { return LLVMGetParam(e->function, (unsigned)i); }

LLVMValueRef wjit_frame(wjit_emit *e, LLVMTypeRef type, uint32_t word) { return wjit_load(e, type, wjit_argument(e, WRT_ROW_MONITOR), 8 * (uint64_t)word); }

LLVMValueRef wjit_helper(wjit_emit *e, uint32_t word, LLVMTypeRef result, LLVMTypeRef argument, LLVMValueRef *arguments, uint32_t n) {
  LLVMTypeRef types[3] = {argument, argument, e->ptr};
  return LLVMBuildCall2(e->b, LLVMFunctionType(result, types, n, false), wjit_frame(e, e->ptr, word), arguments, n, "");
}

void wjit_open_frame(wjit_emit *e) {
  e->scratch = LLVMBuildAlloca(e->b, e->i64, "");
  e->arena = e->cells = wjit_frame(e, e->ptr, WRT_FRAME_arena);
}

/* ---- Leaving ---- */

void wjit_open_declined(wjit_emit *e) {
  e->declined = wjit_block(e);
  for (int i = 0; i < WEIR_CAUSE_COUNT; i++) e->noted[i] = NULL;
  LLVMPositionBuilderAtEnd(e->b, e->declined);
}

LLVMBasicBlockRef wjit_block(wjit_emit *e) { return LLVMAppendBasicBlockInContext(e->context, e->function, ""); }

LLVMValueRef wjit_cause(const wjit_emit *e, weir_cause cause) { return wjit_int(e, cause); }

void wjit_branch(wjit_emit *e, LLVMValueRef when, LLVMBasicBlockRef far, LLVMBasicBlockRef on) {
  LLVMValueRef branch = LLVMBuildCondBr(e->b, when, far, on);
  LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(e->context, "prof", 4), e->unlikely);
  /* Else a condition made of several becomes several branches, of which some cannot be predicted. */
  LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(e->context, "unpredictable", 13), e->nothing);
}

void wjit_branch_if(wjit_emit *e, LLVMValueRef when, LLVMBasicBlockRef far) {
  LLVMBasicBlockRef on = wjit_block(e);
  wjit_branch(e, when, far, on);
  LLVMPositionBuilderAtEnd(e->b, on);
}

/* The block where the cause is noted.  As a phi of the block behind it would have to be in a register, or in memory, before anyone leaves. */
static LLVMBasicBlockRef noted(wjit_emit *e, LLVMValueRef cause) {
  bool is_known = LLVMIsAConstantInt(cause) != NULL;
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), computed = NULL, *at = is_known ? &e->noted[LLVMConstIntGetZExtValue(cause)] : &computed;
  if (*at != NULL) return *at;
  *at = wjit_block(e);
  LLVMPositionBuilderAtEnd(e->b, *at);
  wjit_store(e, cause, wjit_argument(e, WRT_ROW_MONITOR), 8 * (uint64_t)WRT_FRAME_cause);
  LLVMBuildBr(e->b, e->declined);
  LLVMPositionBuilderAtEnd(e->b, from);
  return *at;
}

static void leave_now(wjit_emit *e, LLVMValueRef when, LLVMValueRef cause) { wjit_branch_if(e, when, noted(e, cause)); }

void wjit_leave_if(wjit_emit *e, LLVMValueRef when, LLVMValueRef cause) {
  if (!e->collects) {
    leave_now(e, when, cause);
    return;
  }
  LLVMValueRef overflow = wjit_cause(e, WEIR_CAUSE_OVERFLOW);
  if (e->cause != NULL || cause != overflow) e->cause = LLVMBuildSelect(e->b, when, cause, e->cause == NULL ? overflow : e->cause, "");
  e->failed = wjit_either(e->b, e->failed, when);
}

void wjit_leave_if_any(wjit_emit *e) {
  if (e->failed != NULL) leave_now(e, e->failed, e->cause == NULL ? wjit_cause(e, WEIR_CAUSE_OVERFLOW) : e->cause);
}

LLVMValueRef wjit_fail_if(wjit_emit *e, const wir_ins *in, LLVMValueRef when, LLVMValueRef cause, LLVMValueRef k) {
  if (in->cannot_fail || (e->spared != NULL && e->spared[in - e->body->ins])) return k;
  if (k != NULL) when = LLVMBuildAnd(e->b, when, wjit_is(e, k, WIR_IS_VALUE), "");
  if (in->is_guarded) return wjit_select_cond(e, when, wjit_cond(e, WIR_IS_FAILED), k);
  wjit_leave_if(e, when, cause);
  return k;
}
