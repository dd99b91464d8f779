/* jit/llvm_words.h -- what the builders of rows (emit.h) and of tiles (batch_emit.h) ask of LLVM in the same words. */
#ifndef WJIT_LLVM_WORDS_H
#define WJIT_LLVM_WORDS_H

#include "ir/scalar.h"
#include "jit/llvm.h"

/* A kernel of the module, without instructions: it ends normally, and nothing in it becomes a call that it does not have. */
LLVMValueRef wjit_new_function(LLVMModuleRef module, const char *name, LLVMTypeRef type);
LLVMValueRef wjit_intrinsic(LLVMModuleRef module, LLVMBuilderRef b, const char *name, LLVMTypeRef type, LLVMValueRef *arguments, unsigned n);

/* The comparison that `in` is, of two scalars or vectors of its operands' kind: an i1, or a vector of them. */
LLVMValueRef wjit_compare(LLVMBuilderRef b, const wir_body *body, const wir_ins *in, LLVMValueRef x, LLVMValueRef y);

/* The bits of both; NULL: none. */
LLVMValueRef wjit_either(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y);

#endif
