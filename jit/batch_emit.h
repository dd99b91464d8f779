/* jit/batch_emit.h -- short words for building the code of a tile of rows.
**
** A value of the IR becomes a vector of `width` rows (i64, or double for Floats; i1 for Bools) and a vector whose sign bits tell the rows in
** which it has failed: NULL where it cannot.  Recurrences are built row by row from scalars of the same kinds, by the same functions. */
#ifndef WJIT_BATCH_EMIT_H
#define WJIT_BATCH_EMIT_H

#include "ir/intervals.h"
#include "ir/tileable.h"
#include "jit/llvm.h"
#include "runtime/kernel.h"
#include "runtime/tier.h"

typedef struct wjit_cell { LLVMValueRef v, m; } wjit_cell;

enum {
  WJIT_MOST_WIDTH = 8,
  WJIT_MOST_TURNS = 4, /* vectors of former rows that a loop carries along; what reaches farther back is read from a column */
  WJIT_TESTS = 64, /* one for each number of bits */
  WJIT_SMALL_BITS = 51 /* Floats hold such Ints, and so do the numbers that batch_math.c makes of them to divide */
};

/* Where a loop's values are found afterwards, or by another loop. */
typedef enum wjit_memory { WJIT_NOWHERE, WJIT_INPUT, WJIT_OUTPUT, WJIT_SLOT, WJIT_COLUMN } wjit_memory;

typedef struct wjit_place {
  uint8_t memory;       /* wjit_memory; SLOT: the last `width` rows only */
  bool is_kept;         /* an effect wants its last rows */
  bool is_crossing;     /* another loop reads it */
  bool has_mask;        /* its failures are wanted there, too */
  uint64_t kept_rows;
  uint32_t output;      /* OUTPUT */
  uint64_t at, mask_at; /* COLUMN: bytes in the scratch memory */
  LLVMValueRef slot, mask_slot;
  uint32_t far;         /* 1 + a state whose history reaches so far back that this value is also put into a column behind it; 0: none */
} wjit_place;

/* A ring's samples from before the tile. */
typedef struct wjit_history {
  uint64_t most;        /* the farthest RING; 0: none */
  uint32_t turns;       /* vectors of `width` rows that hold them; 0: they are in front of a column */
  uint64_t at;          /* then its first row, in bytes in the scratch memory */
  uint32_t next_far;    /* 1 + another state that gets the same values; 0: none */
  LLVMValueRef vectors[WJIT_MOST_TURNS + 1]; /* [1]: the newest samples, the last one last: in a column's case too, and only these */
  LLVMValueRef last;    /* the newest sample */
  LLVMValueRef turning[WJIT_MOST_TURNS + 1]; /* in the loop at hand: phis; NULL: not used there */
  LLVMValueRef turning_last;
} wjit_history;

/* What is gathered from row to row by or. */
typedef struct wjit_sum {
  LLVMTypeRef type;
  LLVMValueRef before, phi, now; /* from the loops before; in the loop at hand; NULL: nothing */
  unsigned bits;        /* of a range test: numbers plus 2^bits */
} wjit_sum;

typedef struct wjit_batch {
  const wrt_plan *plan;
  const wir_program *program;
  const wir_body *body;
  wir_body_fit fit;
  wb_mem *mem;
  wir_order g;
  unsigned width;           /* rows of a vector */
  bool has_dq;              /* the processor converts between 64-bit Ints and Floats */
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  LLVMTypeRef i1, i8, i32, i64, f64, ptr;
  bool in_lanes;            /* scalars are being built, else vectors */
  LLVMValueRef function, frame, rows, arena, scratch;
  LLVMBasicBlockRef entry;  /* for allocas */
  uint32_t rows_most;       /* rows of a tile */
  uint64_t scratch_bytes;
  /* By instruction. */
  wjit_cell *values;
  wjit_place *places;
  uint32_t *loop_of;
  uint8_t *all, *some, *marks; /* checks of rows of any size and of small ones; what the difference depends on */
  uint8_t *is_divisibility; /* a remainder of which only matters whether it is 0 */
  wir_interval *ranges, *ranges_small, *ranges_any;
  const uint8_t *checks;
  wjit_history *histories;  /* by state */
  uint32_t n_loops;
  bool has_small;
  uint32_t *first_write, *next_write; /* by instruction: 1 + the first output that it is; by output: 1 + the next one */
  /* The version and the loop at hand. */
  bool is_small;
  uint32_t loop;
  LLVMValueRef at;          /* the first row of the vectors */
  LLVMBasicBlockRef head;
  wjit_sum bad, bad_lane, bytes; /* what has failed: sign bits; bytes of Bools */
  wjit_sum tests[WJIT_TESTS];
  uint32_t n_tests;
  wjit_cell *later;         /* what is stored behind it: values, and where */
  uint32_t n_later;
  LLVMValueRef *columns;    /* by input, then by output */
  LLVMValueRef (*lanes)[WJIT_MOST_WIDTH]; /* by instruction: of a recurrence */
  LLVMValueRef (*lane_masks)[WJIT_MOST_WIDTH];
} wjit_batch;

/* ---- Constants and types, as vectors or scalars ---- */
LLVMTypeRef wjit_type(const wjit_batch *b, wir_kind kind);
LLVMTypeRef wjit_wide(const wjit_batch *b, LLVMTypeRef scalar); /* a vector of them, unless in lanes */
LLVMValueRef wjit_splat(const wjit_batch *b, LLVMValueRef scalar);
static inline LLVMValueRef wjit_k(const wjit_batch *b, int64_t i) { return wjit_splat(b, LLVMConstInt(b->i64, (unsigned long long)i, false)); }
static inline LLVMValueRef wjit_f(const wjit_batch *b, double f) { return wjit_splat(b, LLVMConstReal(b->f64, f)); }
static inline const wir_ins *wjit_ins(const wjit_batch *b, uint32_t i) { return &b->body->ins[i]; }
static inline LLVMValueRef wjit_word(const wjit_batch *b, uint64_t x) { return LLVMConstInt(b->i64, x, false); } /* always a scalar */
LLVMValueRef wjit_call(const wjit_batch *b, const char *intrinsic, LLVMTypeRef type, LLVMValueRef *arguments, unsigned n);
LLVMValueRef wjit_sign(const wjit_batch *b, LLVMValueRef i1);   /* a sign bit where it holds */
LLVMValueRef wjit_is_negative(const wjit_batch *b, LLVMValueRef x);
LLVMValueRef wjit_or_of(const wjit_batch *b, LLVMValueRef vector);         /* of its rows */
LLVMValueRef wjit_shift(const wjit_batch *b, LLVMValueRef older, LLVMValueRef newer, uint32_t n); /* rows n before `newer`, from the end of `older` */
void wjit_note_bad(wjit_batch *b, LLVMValueRef sign);
LLVMBasicBlockRef wjit_new_block(const wjit_batch *b);
LLVMValueRef wjit_gep(const wjit_batch *b, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef i);
LLVMValueRef wjit_room(wjit_batch *b, LLVMTypeRef type, uint32_t n); /* on the stack, aligned to vectors */
LLVMValueRef wjit_frame_word(const wjit_batch *b, size_t offset, LLVMTypeRef type);

/* batch_ops.c: instruction `i` from its operands; not those that read a port or a ring. */
wjit_cell wjit_batch_op(wjit_batch *b, uint32_t i, const wjit_cell *a);
bool wjit_batch_has_op(const wir_order *g, uint32_t i);
LLVMValueRef wjit_sum_sign(wjit_batch *b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef r); /* negative: r is not x + y, which is no Int */
LLVMValueRef wjit_difference_sign(wjit_batch *b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef r);

/* batch_math.c: the arithmetic that vectors lack.  Each answers the result, and puts the sign bits of rows that fail (NULL: none) into *fails. */
LLVMValueRef wjit_batch_mul(wjit_batch *b, uint32_t i, const wjit_cell *a, LLVMValueRef *fails);
LLVMValueRef wjit_batch_divide(wjit_batch *b, uint32_t i, const wjit_cell *a, LLVMValueRef *fails);
LLVMValueRef wjit_batch_float(wjit_batch *b, LLVMValueRef x);

/* batch_recur.c: a group that depends on its own past. */
void wjit_batch_recurrence(wjit_batch *b, const wir_group *group);

/* batch_scan.c: the same for one with a form that vectors can compute; false: it has none. */
bool wjit_batch_scan(wjit_batch *b, const wir_group *group);

/* batch_state.c: what comes from the arena before a tile, and goes there after it. */
void wjit_batch_histories(wjit_batch *b);
LLVMValueRef wjit_batch_state_tests(wjit_batch *b); /* an i1: the state is not small; NULL: it always is */
LLVMValueRef wjit_batch_ring(wjit_batch *b, uint32_t i); /* a RING's vector, not of a value of the same recurrence */
LLVMValueRef wjit_batch_turning(wjit_batch *b, uint32_t state, uint32_t turn); /* samples of the vector so many turns ago */
LLVMValueRef wjit_batch_newest(wjit_batch *b, uint32_t state); /* a scalar: the sample of the row before the loop's */
void wjit_batch_turn(wjit_batch *b, LLVMBasicBlockRef from, LLVMBasicBlockRef last); /* closes the phis of the loop at hand */
void wjit_batch_effects(wjit_batch *b);

/* batch_plan.c: loops, places, checks.  NULL: it can be compiled; else why not. */
const char *wjit_batch_plan(wjit_batch *b);
bool wjit_is_local(const wjit_batch *b, uint32_t i);
bool wjit_is_behind(const wjit_batch *b, uint32_t i);

/* batch_kernel.c */
void wjit_gather(wjit_batch *b, wjit_sum *s, LLVMValueRef x);
LLVMValueRef wjit_phi(wjit_batch *b, LLVMTypeRef type);          /* of the loop at hand */
wjit_cell wjit_rows(wjit_batch *b, uint32_t i);                 /* of the rows at hand, as vectors */
LLVMValueRef wjit_first(wjit_batch *b, uint32_t i, bool is_mask); /* where the rows of an instruction's place begin */
LLVMValueRef wjit_load_rows(wjit_batch *b, wir_kind kind, LLVMValueRef column, LLVMValueRef at);
void wjit_store_rows(wjit_batch *b, LLVMValueRef v, LLVMValueRef column, LLVMValueRef at);
LLVMTypeRef wjit_sample(const wjit_batch *b, wir_kind kind);     /* one in memory */
LLVMTypeRef wjit_stored(const wjit_batch *b, wir_kind kind);     /* a vector of them */
LLVMValueRef wjit_scratch(wjit_batch *b, uint64_t at);
LLVMValueRef wjit_bytes(const wjit_batch *b, LLVMValueRef bools); /* from i1 to i8 */
LLVMValueRef wjit_bools(const wjit_batch *b, LLVMValueRef bytes);

/* Adds the kernel for rows of the fit to the module, if it can: the answer says. */
wrt_batch_code wjit_batch_kernel(wjit_batch *b);

#endif
