/* runtime/quick_ops.h -- the handlers of quick.c, and what quick_code.c and it share.  Nobody else includes this. */
#ifndef WRT_QUICK_OPS_H
#define WRT_QUICK_OPS_H

#include "runtime/quick.h"

#define WRT_QUICK_PAIR(X, name) X(P_##name) X(T_##name)
/* (a op1 b) op2 c, and c op2 (a op1 b): of two instructions, the first read only by the second. */
#define WRT_QUICK_FUSED(X, first, second, kind) X(P_##first##_##second##_##kind) X(P_##first##_##second##_R_##kind)
#define WRT_QUICK_FUSED3(X, first, kind) \
  WRT_QUICK_FUSED(X, first, ADD, kind) WRT_QUICK_FUSED(X, first, SUB, kind) WRT_QUICK_FUSED(X, first, MUL, kind)
#define WRT_QUICK_FUSED9(X, kind) WRT_QUICK_FUSED3(X, ADD, kind) WRT_QUICK_FUSED3(X, SUB, kind) WRT_QUICK_FUSED3(X, MUL, kind)
/* A comparison with the `&&`, `||` or `if` that alone reads it.  a > b is b < a. */
#define WRT_QUICK_COMPARED(X, name, kind) X(P_##name##_AND_##kind) X(P_##name##_OR_##kind) X(P_##name##_SELECT_##kind)
#define WRT_QUICK_COMPARED4(X, kind) \
  WRT_QUICK_COMPARED(X, EQ, kind) WRT_QUICK_COMPARED(X, NE, kind) WRT_QUICK_COMPARED(X, LT, kind) WRT_QUICK_COMPARED(X, LE, kind)
/* All of quick_fuse.c: besides, x + (if a then b else c), and an `if` with the operation of one branch, which fails only if it is taken. */
#define WRT_QUICK_FUSED_OPS(X) \
  WRT_QUICK_FUSED9(X, I) WRT_QUICK_FUSED9(X, F) WRT_QUICK_COMPARED4(X, I) WRT_QUICK_COMPARED4(X, F) \
  X(P_SELECT_ADD_I) X(P_SELECT_ADD_F) X(P_IF_ADD) X(P_IF_SUB) X(P_IF_MUL)
#define WRT_QUICK_ARITH(X, name) WRT_QUICK_PAIR(X, name##_I) WRT_QUICK_PAIR(X, name##_F)
/* P_: operands are values.  T_: conditions are tracked.  _I on Ints (and Bools), _F on Floats. */
#define WRT_QUICK_OPS(X) \
  WRT_QUICK_ARITH(X, ADD) WRT_QUICK_ARITH(X, SUB) WRT_QUICK_ARITH(X, MUL) WRT_QUICK_ARITH(X, DIV) WRT_QUICK_ARITH(X, REM) \
  WRT_QUICK_ARITH(X, POW) WRT_QUICK_ARITH(X, NEG) WRT_QUICK_ARITH(X, ABS) \
  WRT_QUICK_PAIR(X, SIN_F) WRT_QUICK_PAIR(X, COS_F) WRT_QUICK_PAIR(X, TAN_F) \
  WRT_QUICK_ARITH(X, EQ) WRT_QUICK_ARITH(X, NE) WRT_QUICK_ARITH(X, LT) WRT_QUICK_ARITH(X, LE) WRT_QUICK_ARITH(X, GT) \
  WRT_QUICK_ARITH(X, GE) WRT_QUICK_PAIR(X, NOT_I) WRT_QUICK_PAIR(X, FLOAT) \
  WRT_QUICK_PAIR(X, AND) WRT_QUICK_PAIR(X, OR) WRT_QUICK_PAIR(X, IMPLIES) WRT_QUICK_PAIR(X, SELECT) \
  WRT_QUICK_FUSED_OPS(X) \
  X(P_RING) X(P_RING_BOOL) X(P_RING_NEWEST_BOOL) X(T_RING) \
  X(T_HOLD) X(T_FILL) X(T_SETTLE) X(T_GUARD) X(T_DEFAULT) X(T_DEFINED) X(T_GATE) X(T_PROPER) X(T_STARTED) X(T_PICK) \
  X(P_COPY) X(P_COPY2) X(P_COPY3) X(P_COPY_RUN) X(T_COPY) X(P_KEEP_BOOL) X(P_PUSH) X(P_PUSH_BOOL) X(T_KEEP_CELL) X(T_KEEP) X(T_PUSH) X(T_STAGE) \
  X(STOP) X(END)

/* Those that call nothing: quick_leaf.h. */
#define WRT_QUICK_LEAF_OPS(X) \
  WRT_QUICK_ARITH(X, ADD) WRT_QUICK_ARITH(X, SUB) WRT_QUICK_ARITH(X, MUL) WRT_QUICK_ARITH(X, DIV) WRT_QUICK_PAIR(X, REM_I) \
  WRT_QUICK_ARITH(X, NEG) WRT_QUICK_ARITH(X, ABS) \
  WRT_QUICK_ARITH(X, EQ) WRT_QUICK_ARITH(X, NE) WRT_QUICK_ARITH(X, LT) WRT_QUICK_ARITH(X, LE) WRT_QUICK_ARITH(X, GT) \
  WRT_QUICK_ARITH(X, GE) WRT_QUICK_PAIR(X, NOT_I) WRT_QUICK_PAIR(X, FLOAT) \
  X(P_AND) X(P_OR) X(P_IMPLIES) X(P_SELECT) WRT_QUICK_FUSED_OPS(X) \
  X(P_RING) X(P_RING_BOOL) X(P_RING_NEWEST_BOOL) \
  X(T_SETTLE) X(T_GUARD) X(T_DEFINED) X(T_GATE) X(T_PICK) \
  X(P_COPY) X(P_COPY2) X(P_COPY3) X(P_COPY_RUN) X(T_COPY) X(P_KEEP_BOOL) X(P_PUSH) X(P_PUSH_BOOL) X(T_KEEP_CELL)

typedef enum wrt_quick_op {
#define QUICK(name) WRT_Q_##name,
  WRT_QUICK_OPS(QUICK)
#undef QUICK
  WRT_QUICK_OP_COUNT
} wrt_quick_op;
_Static_assert(WRT_QUICK_OP_COUNT <= UINT8_MAX, "they are kept as bytes");

typedef wrt_quick_frame quick_run;

/* A cell as a value. */
static inline weir_value wrt_quick_tag(wir_cell cell, int64_t bits) {
  if (cell == WIR_CELL_BOOL) return (weir_value){.tag = WEIR_BOOL, .as.b = bits != 0};
  return (weir_value){.tag = cell == WIR_CELL_INT ? WEIR_INT : WEIR_FLOAT, .as.i = bits};
}

/* What is kept of a register, by its condition. */
static const uint8_t wrt_sample_of[] = {[WIR_IS_VALUE] = WIR_SAMPLE_VALUE, [WIR_IS_DEFERRED] = WIR_SAMPLE_DEFERRED,
                                        [WIR_IS_NOVAL] = WIR_SAMPLE_NOVAL, [WIR_IS_FAILED] = WIR_SAMPLE_DEFERRED};

static inline uint64_t imm_capacity(const wrt_quick_ins *c) { return c->imm.offset; }

/* The handler of an operation whose operands (of IF: the branches) are values of a kind; it must have one. */
wrt_quick_op wrt_quick_plain(wir_ins_op op, bool is_float);

/* quick_fuse.c: joins an operation with the one before, whose result is its operand `at` and nobody else's.  True: *out, with the handler *op,
** does the work of both. */
typedef struct wrt_quick_part { const wir_ins *in; bool is_tracked; wrt_quick_ins code; } wrt_quick_part;
bool wrt_quick_fuse(const wir_body *b, wrt_quick_part first, wrt_quick_part second, uint32_t at, wrt_quick_ins *out, wrt_quick_op *op);

/* quick_row.c: the handlers of a row's code, by wrt_quick_op; NULL: it has none, and a detour is to be made.  `select`: for
** T_SELECT, with a detour of one instruction behind it.  `end_one`: for one output; `end_copies`: for P_COPY, P_COPY2 and
** P_COPY3 before it. */
typedef struct wrt_row_handlers { const void *const *by_op, *detour, *select, *end, *end_one, *const *end_copies; } wrt_row_handlers;
wrt_row_handlers wrt_row_tell_handlers(void);

/* quick_code.c: the code of a body, with registers from number `first` on and the arena at that offset from the base.  assumed: by state, the
** codes that assume its samples; NULL: none does.  False: out of memory. */
bool wrt_quick_make(struct weir_monitor *m, const wir_body *body, const uint8_t *assumed, wir_body_fit fit, uint32_t first, uint32_t arena,
                    wrt_quick_code *to);

/* Why a run was declined. */
weir_cause wrt_quick_cause(const quick_run *q);

/* Runs from `c` to STOP or END: true, or false if the row is declined.  With `handlers`, only tells the table of handlers. */
bool wrt_quick_run(quick_run *q, const wrt_quick_ins *c, const void *const **handlers);

#endif
