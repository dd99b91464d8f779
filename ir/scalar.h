/* ir/scalar.h -- scalar bodies: SSA instructions over 64-bit cells, straight-line, typed.
**
** A body computes a run of streams.  First come the instructions that compute; some can leave the body (an operation outside all guards
** that fails): then the row is evaluated canonically, from its start.  Then come the effects, which nothing can stop.  So whoever runs
** a body never has to undo anything.
** Made by lower.c, changed by pass_*.c, checked by verify.c, run by the quickened and native tiers. */
#ifndef WIR_SCALAR_H
#define WIR_SCALAR_H

#include "ir/program.h"

typedef enum wir_ins_op {
#define INS(name, text, operands, result, presence, fails) WIR_I_##name,
#include "ir/insns.def"
#undef INS
  WIR_INS_OPS
} wir_ins_op;

typedef enum wir_ins_result {
  WIR_INS_SAME, WIR_INS_ARG, WIR_INS_ANY, WIR_INS_INT, WIR_INS_FLOAT, WIR_INS_BOOL, WIR_INS_STR, WIR_INS_NONE
} wir_ins_result;
typedef enum wir_ins_presence { WIR_INS_STRICT, WIR_INS_ALWAYS, WIR_INS_OWN } wir_ins_presence;

typedef struct wir_ins_info {
  const char *text;
  uint8_t operands;
  wir_ins_result result;
  wir_ins_presence presence;
  wir_fails fails;
} wir_ins_info;
extern const wir_ins_info wir_insns[WIR_INS_OPS];

/* How the 64 bits of a cell are read.  A Bool is 0 or 1. */
typedef enum wir_kind { WIR_KIND_INT, WIR_KIND_FLOAT, WIR_KIND_BOOL, WIR_KINDS } wir_kind;

/* The tag of a value of that kind. */
static inline uint32_t wir_kind_tag(wir_kind kind) {
  static const uint8_t tags[WIR_KINDS] = {[WIR_KIND_INT] = WEIR_INT, [WIR_KIND_FLOAT] = WEIR_FLOAT, [WIR_KIND_BOOL] = WEIR_BOOL};
  return tags[kind];
}

/* The condition of a value at run time: a strict operation's is the greatest of its operands'. */
typedef enum wir_condition { WIR_IS_VALUE, WIR_IS_DEFERRED, WIR_IS_NOVAL, WIR_IS_FAILED } wir_condition;
/* Which conditions other than WIR_IS_VALUE a value may have: a set. */
enum { WIR_MAY_DEFERRED = 1, WIR_MAY_NOVAL = 2, WIR_MAY_FAIL = 4, WIR_MAY_ALL = 7 };

typedef struct { uint32_t i; } wir_val; /* an instruction of its body: its result */

typedef union wir_imm { int64_t i; double f; uint64_t offset; } wir_imm;

typedef struct wir_ins {
  uint8_t op;       /* wir_ins_op */
  uint8_t kind;     /* wir_kind of the result; of the operand for effects */
  uint8_t may;      /* conditions its result may have */
  bool is_guarded;  /* a failure of its own is a condition of its result; else it leaves the body */
  bool cannot_fail; /* pass_ranges.c has shown: on operands that are values it does not fail.  (In the cell of what is no value, and
                    ** after an operation that should have left the body, anything may stand: a tier that computes there all the same
                    ** must bear a zero divisor.) */
  wir_val args[3];
  uint32_t state;   /* RING HOLD FILL PROPER STARTED KEEP PUSH: the descriptor */
  uint32_t stream;  /* READ WRITE: the stream; else the one that it belongs to */
  wir_imm imm;      /* CONST: the value; RING: ticks back */
  weir_span span;
} wir_ins;

typedef struct wir_body {
  wir_ins *ins;
  uint32_t n_ins;
  uint32_t effects; /* the first effect */
  bool is_whole;    /* it computes the whole schedule, and commits all state of the program */
} wir_body;

static inline const wir_ins *wir_ins_at(const wir_body *b, wir_val v) {
  wb_assert(v.i < b->n_ins);
  return &b->ins[v.i];
}

/* What may be assumed of a row and of the state before it, so that a body can be narrowed to it.  Sets as in wir_ins.may: what a READ of
** the stream, or a sample of the state, may be besides a value. */
typedef struct wir_facts {
  const uint8_t *of_stream; /* NULL: anything (or what the program's presence says) */
  const uint8_t *of_state;
} wir_facts;

/* Can an operation fail on operands that are values? */
bool wir_ins_fails(const wir_ins *in);
/* Can it leave the body: fail itself outside all guards, or meet a failure that counts there? */
bool wir_ins_leaves(const wir_body *b, const wir_ins *in);

/* The conditions that an instruction's result may have, given those of its operands. */
uint8_t wir_ins_may(const wir_program *p, const wir_body *b, const wir_ins *in, const wir_facts *facts);

/* The kind of a scalar type; false: it is none. */
bool wir_scalar_kind(wir_type t, wir_kind *out);

/* Are a node and its operands scalars of known type? */
bool wir_is_scalar_node(const wir_program *p, const wir_graph *g, const wir_node *n);

/* Can a stream be lowered: are all nodes of its graph scalars of known type? */
bool wir_is_scalar(const wir_program *p, uint32_t stream);

/* The body of `n` streams, in the order given (which respects the schedule).  is_whole: they are all of the program, and the body also
** keeps the inputs.  Memory comes from `mem`; false when it is exhausted. */
bool wir_lower(const wir_program *p, const uint32_t *streams, uint32_t n, bool is_whole, wb_mem *mem, wir_body *out) WB_MUST_USE;

/* pass_narrow.c: takes out what the conditions of operands make superfluous, in place; false when memory is exhausted. */
bool wir_narrow(const wir_program *p, wir_body *b, const wir_facts *facts, wb_mem *scratch) WB_MUST_USE;
/* Copies of `n` bodies, the whole one or those of all regions, for *warm* rows: what a body reads may be what `of_input` says (0: always a value;
** WIR_MAY_NOVAL: possibly absent), and every sample is a value of those states for which of_state is 0 on return: all for which the bodies
** themselves keep that true.  of_stream and of_state have room for all streams and states. */
bool wir_narrow_to_warm(const wir_program *p, const wir_body *bodies, uint32_t n, uint8_t of_input, uint8_t *of_stream, uint8_t *of_state,
                        wb_mem *mem, wir_body *out) WB_MUST_USE;

/* NULL, or what is wrong with a body: the tiers assume none of that.  *at is the instruction. */
const char *wir_verify(const wir_program *p, const wir_body *b, uint32_t *at);
/* For wb_check_ir, after a body was made or changed. */
static inline bool wir_body_is_valid(const wir_program *p, const wir_body *b) {
  uint32_t at;
  return wir_verify(p, b, &at) == NULL;
}

#endif
