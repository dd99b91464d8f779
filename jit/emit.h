/* jit/emit.h -- short words for building the code of a body.
**
** A value of the IR becomes a value of LLVM's (i64, double, or i1 for a Bool) and a condition: NULL where it is always a value, else an i8
** that holds a wir_condition. */
#ifndef WJIT_EMIT_H
#define WJIT_EMIT_H

#include "ir/intervals.h"
#include "jit/llvm.h"
#include "runtime/kernel.h"
#include "runtime/tier.h"

typedef struct wjit_value { LLVMValueRef v, k; } wjit_value;

/* emit_body.c */
typedef struct wjit_lists {
  uint32_t *reader;              /* by state: the first instruction that reads it */
  uint32_t *effect;              /* by instruction: the first effect on it */
  uint32_t *next;                /* by instruction: in whichever list it is */
  uint32_t *stack;
  uint32_t *waiting;             /* effects that are put in order */
  uint8_t *is_built, *is_marked; /* by instruction */
} wjit_lists;

/* emit_body.c: what is known of a row whose Ints have no more than so many bits. */
typedef struct wjit_ranges {
  wb_mem *mem;
  unsigned bits;
  uint8_t *all, *some, *marks;   /* by instruction: checked in any row; in these rows; depends on the difference */
  uint8_t *spared;               /* ... and need not be checked in these rows */
  wir_interval *ranges;
} wjit_ranges;

typedef struct wjit_emit {
  const wrt_plan *plan;
  const wir_program *program;
  const wir_body *body;
  wir_body_fit fit;         /* which body that is */
  bool is_large;            /* time to compile counts more than the code */
  uint32_t n_in_block;      /* ... and then: instructions of the body in this block */
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  LLVMTypeRef i1, i8, i32, i64, f64, ptr;
  LLVMTypeRef row;          /* the type of wrt_row_fn */
  LLVMValueRef function, arena, n_cold;
  LLVMValueRef cells;       /* where cells are read and kept: the arena, or the stage */
  uint32_t region;          /* of a body that is not whole: its number */
  LLVMValueRef unlikely, nothing; /* metadata: the weights of a branch that is hardly ever taken; and no more than its name */
  LLVMBasicBlockRef exit;   /* of a row: to whoever takes it */
  LLVMBasicBlockRef declined; /* where rows leave from, once the cause is in the frame */
  LLVMBasicBlockRef noted[WEIR_CAUSE_COUNT]; /* ... by cause: where that is done */
  LLVMValueRef scratch;     /* room for one Int that a helper returns */
  /* Of the body that is being built; a kernel may have more than one. */
  const uint8_t *spared;    /* by instruction: it cannot fail here; NULL: nothing is known */
  bool is_crowded;          /* it has more values than registers */
  bool collects;            /* failures are gathered, and asked for once, at the end */
  LLVMValueRef failed, cause; /* ... those so far: an i1, NULL for none; and the cause of the last one, NULL while all are overflows */
  wjit_value *values;       /* by instruction */
  LLVMValueRef *next;       /* by state: of a ring, the place of the next sample; NULL: not asked yet */
  wjit_lists lists;
  wjit_ranges ranges;
  LLVMValueRef *present, *deferred; /* the words of the row's bits; not in the warm kernel */
  LLVMValueRef *out_present, *out_deferred; /* ... and of its outputs, as far as they are known */
  bool lacks_nothing;       /* every output is always a value */
} wjit_emit;

/* emit_body.c: adds the kernel of one body of the plan to the module.  All arrays have room for it. */
void wjit_emit_kernel(wjit_emit *e, wir_body_fit fit);
void wjit_emit_region(wjit_emit *e, uint32_t region);
enum { WJIT_NO_INS = UINT32_MAX }; /* the end of a list */
void wjit_build(wjit_emit *e, uint32_t i);     /* an instruction with what it depends on, as far as that is not built */
void wjit_build_one(wjit_emit *e, uint32_t i); /* without */
void wjit_forget_rings(wjit_emit *e);          /* their places are asked for anew: in another body, or another kernel */

/* emit_effects.c: all effects, once the row can no longer leave. */
void wjit_emit_effects(wjit_emit *e);

/* emit_row.c: how a row comes and goes.  Opens the function, up to where the row is known to be for it. */
void wjit_row_begin(wjit_emit *e);
wjit_value wjit_row_input(wjit_emit *e, const wir_ins *in);
void wjit_row_output(wjit_emit *e, uint32_t output, wjit_value v);
void wjit_row_end(wjit_emit *e);

/* emit_region.c: the same of a region's kernel.  `may`: what the condition may be besides a value. */
void wjit_region_begin(wjit_emit *e, const char *name);
LLVMBasicBlockRef wjit_region_ask(wjit_emit *e); /* of the general body: where rows go that are not for the sparse one */
void wjit_region_refuse(wjit_emit *e);           /* ends there, where that is another's */
wjit_value wjit_region_input(wjit_emit *e, const wir_ins *in);
void wjit_region_effect(wjit_emit *e, const wir_ins *in, wjit_value a, uint8_t may); /* WRITE, PUSH */
void wjit_region_end(wjit_emit *e);
void wjit_emit_commit(wjit_emit *e); /* adds the kernel of the commit to the module */

/* ---- Constants, conditions ---- */
static inline LLVMValueRef wjit_int(const wjit_emit *e, int64_t i) { return LLVMConstInt(e->i64, (unsigned long long)i, false); }
static inline LLVMValueRef wjit_cond(const wjit_emit *e, wir_condition k) { return LLVMConstInt(e->i8, k, false); }
/* k as an i8, also where it is NULL. */
static inline LLVMValueRef wjit_some(const wjit_emit *e, LLVMValueRef k) { return k == NULL ? wjit_cond(e, WIR_IS_VALUE) : k; }
LLVMValueRef wjit_is(wjit_emit *e, LLVMValueRef k, wir_condition which); /* an i1 */
LLVMValueRef wjit_max(wjit_emit *e, LLVMValueRef a, LLVMValueRef b);     /* of two conditions */
LLVMValueRef wjit_select_cond(wjit_emit *e, LLVMValueRef which, LLVMValueRef a, LLVMValueRef b);
wjit_value wjit_select(wjit_emit *e, LLVMValueRef which, wjit_value a, wjit_value b);

/* ---- Memory ---- */
LLVMValueRef wjit_at(wjit_emit *e, LLVMValueRef pointer, LLVMValueRef bytes);
LLVMValueRef wjit_load(wjit_emit *e, LLVMTypeRef type, LLVMValueRef pointer, uint64_t at); /* at: bytes from there */
void wjit_store(wjit_emit *e, LLVMValueRef v, LLVMValueRef pointer, uint64_t at);
LLVMValueRef wjit_argument(const wjit_emit *e, wrt_row_argument i); /* of the kernel */
LLVMValueRef wjit_frame(wjit_emit *e, LLVMTypeRef type, uint32_t word);
void wjit_open_frame(wjit_emit *e); /* in the entry: what every kernel has of it at hand */
LLVMValueRef wjit_helper(wjit_emit *e, uint32_t word, LLVMTypeRef result, LLVMTypeRef argument, LLVMValueRef *arguments, uint32_t n);

/* ---- Leaving ---- */
/* The block that declined rows go to, once the cause is in the frame; the builder stays there. */
void wjit_open_declined(wjit_emit *e);
/* Where `when` (an i1) holds the row is declined; `cause` is an i64: a weir_cause. */
void wjit_leave_if(wjit_emit *e, LLVMValueRef when, LLVMValueRef cause);
LLVMValueRef wjit_cause(const wjit_emit *e, weir_cause cause);
LLVMBasicBlockRef wjit_block(wjit_emit *e); /* a new one */
/* Goes to `far` where `when` holds, which is rare; else to `on`, or goes on in a new block. */
void wjit_branch(wjit_emit *e, LLVMValueRef when, LLVMBasicBlockRef far, LLVMBasicBlockRef on);
void wjit_branch_if(wjit_emit *e, LLVMValueRef when, LLVMBasicBlockRef far);
/* Where failures were gathered, leaves if there are any. */
void wjit_leave_if_any(wjit_emit *e);
/* What becomes of a failure of an instruction's own: under a guard a condition, outside a reason to leave.  `k`: of its operands.
** Returns the condition of the result. */
LLVMValueRef wjit_fail_if(wjit_emit *e, const wir_ins *in, LLVMValueRef when, LLVMValueRef cause, LLVMValueRef k);

/* emit_ops.c: instruction `i` of the body, into e->values[i]. */
void wjit_emit_ins(wjit_emit *e, uint32_t i);

/* emit_state.c: what reads and writes the arena. */
wjit_value wjit_emit_ring(wjit_emit *e, const wir_ins *in);
wjit_value wjit_emit_newest(wjit_emit *e, uint32_t state);
LLVMValueRef wjit_emit_sample_cond(wjit_emit *e, const wir_ins *in); /* of what a RING, HOLD, PROPER or STARTED looks at */
wjit_value wjit_emit_cell(wjit_emit *e, uint32_t state);
LLVMValueRef wjit_emit_flag(wjit_emit *e, uint32_t state); /* an i1 */
void wjit_emit_push(wjit_emit *e, uint32_t state, wjit_value a, uint8_t may);
void wjit_emit_effect(wjit_emit *e, const wir_ins *in);

#endif
