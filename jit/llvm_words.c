/* jit/llvm_words.c -- functions, intrinsics, comparisons and the like, for kernels of rows and of tiles alike. */
#include "jit/llvm_words.h"

#include <string.h>

LLVMValueRef wjit_new_function(LLVMModuleRef module, const char *name, LLVMTypeRef type) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMValueRef function = LLVMAddFunction(module, name, type);
  LLVMAttributeRef attributes[] = {LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("nounwind", 8), 0),
                                   LLVMCreateStringAttribute(context, "no-builtins", 11, "", 0)};
  for (size_t i = 0; i < WB_LEN(attributes); i++)
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attributes[i]);
  LLVMSetAlignment(function, 64); /* a line: else a short row takes a cycle more or less, as it happens */
  return function;
}

LLVMValueRef wjit_intrinsic(LLVMModuleRef module, LLVMBuilderRef b, const char *name, LLVMTypeRef type, LLVMValueRef *arguments, unsigned n) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, id, &type, 1);
  return LLVMBuildCall2(b, LLVMIntrinsicGetType(LLVMGetModuleContext(module), id, &type, 1), f, arguments, n, "");
}

LLVMValueRef wjit_either(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y) {
  if (x == NULL || x == y) return y;
  return y == NULL ? x : LLVMBuildOr(b, x, y, "");
}

/* A Bool is an i1, whose 1 is below 0 where there are signs: Bools are ordered as bits are. */
static const struct { LLVMIntPredicate ints, bools; LLVMRealPredicate floats; } predicates[WIR_INS_OPS] = {
  [WIR_I_EQ] = {LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ}, [WIR_I_NE] = {LLVMIntNE, LLVMIntNE, LLVMRealUNE},
  [WIR_I_LT] = {LLVMIntSLT, LLVMIntULT, LLVMRealOLT}, [WIR_I_LE] = {LLVMIntSLE, LLVMIntULE, LLVMRealOLE},
  [WIR_I_GT] = {LLVMIntSGT, LLVMIntUGT, LLVMRealOGT}, [WIR_I_GE] = {LLVMIntSGE, LLVMIntUGE, LLVMRealOGE},
};

LLVMValueRef wjit_compare(LLVMBuilderRef b, const wir_body *body, const wir_ins *in, LLVMValueRef x, LLVMValueRef y) {
  wir_kind kind = (wir_kind)wir_ins_at(body, in->args[0])->kind;
  if (kind == WIR_KIND_FLOAT) return LLVMBuildFCmp(b, predicates[in->op].floats, x, y, "");
  return LLVMBuildICmp(b, kind == WIR_KIND_BOOL ? predicates[in->op].bools : predicates[in->op].ints, x, y, "");
}
