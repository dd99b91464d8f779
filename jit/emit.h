/* jit/emit.h -- short words for building the code of a body.
**
** A value of the IR becomes a 64-bit value (i64, or double for Floats; a Bool is 0 or 1) and a condition: NULL where it is always a value,
** else an i8 that holds a wir_condition. */
#ifndef WJIT_EMIT_H
#define WJIT_EMIT_H

#include "jit/llvm.h"
#include "runtime/kernel.h"
#include "runtime/tier.h"

typedef struct wjit_value { LLVMValueRef v, k; } wjit_value;

typedef struct wjit_emit {
  const wrt_plan *plan;
  const wir_program *program;
  const wir_body *body;
  wir_body_fit fit;         /* which body that is */
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  LLVMTypeRef i1, i8, i32, i64, f64, ptr;
  LLVMTypeRef row;          /* the type of wrt_row_fn */
  LLVMValueRef function, arena, n_cold;
  LLVMBasicBlockRef declined; /* where rows leave to */
  LLVMValueRef why;         /* there: the cause */
  LLVMValueRef scratch;     /* room for one Int that a helper returns */
  wjit_value *values;       /* by instruction */
  LLVMValueRef *present, *deferred; /* the words of the row's bits; not in the warm kernel */
  LLVMValueRef *out_present, *out_deferred; /* ... and of its outputs, as far as they are known */
} wjit_emit;

/* Adds the kernel of one body of the plan to the module.  `values` and the words have room for it. */
void wjit_emit_kernel(wjit_emit *e, wir_body_fit fit);

/* emit_row.c: how a row comes and goes.  Opens the function, up to where the row is known to be for it. */
void wjit_row_begin(wjit_emit *e);
wjit_value wjit_row_input(wjit_emit *e, const wir_ins *in);
void wjit_row_output(wjit_emit *e, uint32_t output, wjit_value v);
void wjit_row_end(wjit_emit *e);

/* ---- Constants, conditions ---- */
static inline LLVMValueRef wjit_int(const wjit_emit *e, int64_t i) { return LLVMConstInt(e->i64, (unsigned long long)i, false); }
static inline LLVMValueRef wjit_cond(const wjit_emit *e, wir_condition k) { return LLVMConstInt(e->i8, k, false); }
/* k as an i8, also where it is NULL. */
static inline LLVMValueRef wjit_some(const wjit_emit *e, LLVMValueRef k) { return k == NULL ? wjit_cond(e, WIR_IS_VALUE) : k; }
LLVMValueRef wjit_is(wjit_emit *e, LLVMValueRef k, wir_condition which); /* an i1 */
LLVMValueRef wjit_max(wjit_emit *e, LLVMValueRef a, LLVMValueRef b);     /* of two conditions */
LLVMValueRef wjit_select_cond(wjit_emit *e, LLVMValueRef which, LLVMValueRef a, LLVMValueRef b);
wjit_value wjit_select(wjit_emit *e, LLVMValueRef which, wjit_value a, wjit_value b);
LLVMValueRef wjit_bool(wjit_emit *e, LLVMValueRef i1); /* as a cell */
LLVMValueRef wjit_truth(wjit_emit *e, LLVMValueRef cell);

/* ---- Memory ---- */
LLVMValueRef wjit_at(wjit_emit *e, LLVMValueRef pointer, LLVMValueRef bytes);
LLVMValueRef wjit_load(wjit_emit *e, LLVMTypeRef type, LLVMValueRef pointer, uint64_t at); /* at: bytes from there */
void wjit_store(wjit_emit *e, LLVMValueRef v, LLVMValueRef pointer, uint64_t at);
LLVMValueRef wjit_argument(const wjit_emit *e, wrt_row_argument i); /* of the kernel */
LLVMValueRef wjit_frame(wjit_emit *e, LLVMTypeRef type, uint32_t word);
LLVMValueRef wjit_helper(wjit_emit *e, uint32_t word, LLVMTypeRef result, LLVMTypeRef argument, LLVMValueRef *arguments, uint32_t n);

/* ---- Leaving ---- */
/* Where `when` (an i1) holds the row is declined; `cause` is an i64: a weir_cause. */
void wjit_leave_if(wjit_emit *e, LLVMValueRef when, LLVMValueRef cause);
LLVMValueRef wjit_cause(const wjit_emit *e, weir_cause cause);
LLVMBasicBlockRef wjit_block(wjit_emit *e); /* a new one */
/* What becomes of a failure of an instruction's own: under a guard a condition, outside a reason to leave.  `k`: of its operands.
** Returns the condition of the result. */
LLVMValueRef wjit_fail_if(wjit_emit *e, const wir_ins *in, LLVMValueRef when, LLVMValueRef cause, LLVMValueRef k);

/* emit_ops.c: instruction `i` of the body, into e->values[i]. */
void wjit_emit_ins(wjit_emit *e, uint32_t i);

/* emit_state.c: what reads and writes the arena. */
wjit_value wjit_emit_ring(wjit_emit *e, const wir_ins *in);
wjit_value wjit_emit_newest(wjit_emit *e, uint32_t state);
wjit_value wjit_emit_cell(wjit_emit *e, uint32_t state);
LLVMValueRef wjit_emit_flag(wjit_emit *e, uint32_t state); /* an i1 */
void wjit_emit_effect(wjit_emit *e, const wir_ins *in);

#endif
