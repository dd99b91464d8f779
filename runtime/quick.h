/* runtime/quick.h -- the quickened tier: the scalar IR over a register file.
**
** Where the whole schedule is scalar, one body computes and commits a row.  Three codes are
** made from the body.  The *general* one tracks the condition of every value that may be absent, Deferred or failed.  The *warm* one is for
** rows in which every input is there, and the *sparse* one for rows in which some are absent, both while every sample of the state that they
** assume is a value.  A row runs in the best code that fits it.
**
** State stays in the canonical arena: it is read there, and written by the effects at the end of the row, which nothing can stop.
** Registers stand right before the arena in one block, so that an operand is an offset from one base, and the one sample of a
** recurrence (`total[1]`) is an operand in place.
**
** Other programs run in steps: regions of scalar streams in quickened code, the streams between them by their graphs, but for the scalar islands in these (islands.h).  All work on the row
** and the stage, and commit.c makes the row history.  A region that declines is evaluated by its graphs. */
#ifndef WRT_QUICK_H
#define WRT_QUICK_H

#include "ir/bodies.h"

struct weir_monitor;

typedef struct wrt_quick_ins {
  const void *go;        /* its handler */
  uint32_t d, a, b, c;   /* offsets from the base; what they mean is the handler's */
  union {
    wir_imm imm;
    uint32_t more[2];    /* and two more offsets */
  };
} wrt_quick_ins;

typedef struct wrt_quick_const { uint32_t at; wir_imm value; } wrt_quick_const; /* registers that are set once */

typedef struct wrt_quick_port { uint32_t stream, at; bool may_lack; } wrt_quick_port; /* a register that is filled from the row, or written to it */

typedef struct wrt_quick_code {
  wrt_quick_ins *code;   /* computing, STOP, effects, END */
  uint32_t n_code, effects;
  wrt_quick_ins *row;    /* whole and warm: the same for wrt_quick_row */
  uint32_t first, n_registers; /* its registers: numbers [first, first + n_registers); the first n_inputs are the inputs */
  uint32_t outputs;      /* register of the first output; the others follow */
  bool lacks_nothing;    /* every output is always a value */
  wrt_quick_const *consts;
  uint32_t n_consts;
  wrt_quick_port *reads, *writes; /* of a region */
  uint32_t n_reads, n_writes;
} wrt_quick_code;

/* What running code works on. */
typedef struct wrt_quick_frame {
  struct wrt_quick *quick;
  const wir_program *program;
  unsigned char *base, *arena;
  unsigned char *cells;  /* where cells are read and kept: the arena, or in steps the stage */
  weir_value *pending;   /* in steps: the samples that rings of DELAY will get */
  uint8_t *conditions;
  bool stops;            /* at STOP, between computing and the effects */
  const wrt_quick_ins *left; /* after a decline: where */
} wrt_quick_frame;

typedef struct wrt_quick {
  const wir_bodies *bodies; /* the program's: what the codes are made from */
  wrt_quick_code *regions; /* not whole: the code of each region, in the order of the steps */
  struct wrt_islands *islands; /* not whole: the scalar parts of the streams between regions */
  wrt_quick_code codes[WIR_BODY_FITS]; /* whole */
  uint8_t *conditions;   /* by register: wir_condition */
  unsigned char *base;   /* registers, then the arena */
  uint32_t registers_bytes;
  uint64_t n_cold[WIR_BODY_FITS]; /* by code: samples of states that it assumes which are no values yet */
  bool knows_cold;       /* n_cold is right: false after another tier has written the arena */
  struct wrt_tile *tile; /* whole: the same for tiles of a batch's rows */
  const wrt_quick_code *ran; /* the code of the row that was computed last */
  wrt_quick_frame frame, through; /* whole: one that stops before the effects, and one that goes through */
  bool can_be_fast;      /* whole, few inputs and outputs, no Bool among the inputs, and warm rows have all outputs */
  bool is_fast;          /* ... and the next row, if it lacks nothing, is warm: wrt_quick_row may be called */
  const wrt_quick_ins *row_code; /* can_be_fast: the code of wrt_quick_row */
  weir_cell *row_inputs; /* ... and the registers of its inputs */
  uint32_t n_inputs;
  uint64_t all_inputs, all_outputs; /* can_be_fast: their presence bits */
  /* Counts, for reports. */
  uint64_t n_ran[WIR_BODY_FITS]; /* rows of a whole schedule (but for those that come to the warm kernel directly); else regions, as general */
  uint64_t n_declined[WEIR_CAUSE_COUNT];
} wrt_quick;

/* Makes the codes for a monitor in its quick_mem; the caller then sets the base with wrt_quick_bind.  False: out of memory, and the caller
** drops quick_mem. */
bool wrt_quick_new(struct weir_monitor *m, wrt_quick **out) WB_MUST_USE;
void wrt_quick_bind(struct weir_monitor *m, wrt_quick *q, unsigned char *base); /* base: registers_bytes, then the arena */

/* Computes a row.  False: declined; nothing has happened, and the row is to be evaluated canonically. */
bool wrt_quick_typed(struct weir_monitor *m, const weir_cell *in, const uint64_t *present, const uint64_t *deferred);
bool wrt_quick_tagged(struct weir_monitor *m); /* from the inputs in m->row */
/* The same in steps, for a schedule that is not whole: the row and the stage are filled.  False: a stream failed (or memory is exhausted),
** and the row is to be evaluated anew, in canonical order. */
bool wrt_quick_steps(struct weir_monitor *m);
/* The best code of a whole schedule for a row with these bits, in the state as it is; and for one whose inputs alone would allow that fit. */
wir_body_fit wrt_quick_fit_of_bits(struct weir_monitor *m, const uint64_t *present, const uint64_t *deferred);
wir_body_fit wrt_quick_fit(struct weir_monitor *m, wir_body_fit inputs);
/* Makes a row of a whole schedule history.  Cannot fail. */
void wrt_quick_commit(struct weir_monitor *m);

/* quick_row.c: a typed row that lacks nothing, while is_fast, with its inputs at row_inputs and its ticks counted: from c on, first row_code,
** computed, committed and its outputs handed over.  A row that is declined is pushed by wrt_push_typed_any.  Without c, it puts its table of
** handlers into *out. */
weir_code wrt_quick_row(struct weir_monitor *m, const wrt_quick_ins *c, unsigned char *base, weir_cell *out);

/* WRT_TAIL return f(...): a jump, where the compiler can promise it. */
#if defined(__clang__) && defined(__has_attribute)
#if __has_attribute(musttail)
#define WRT_TAIL __attribute__((musttail))
#endif
#endif
#ifndef WRT_TAIL
#define WRT_TAIL
#endif

/* Output i of the row computed last. */
static inline weir_cell wrt_quick_output(const wrt_quick *q, uint32_t i) {
  return ((const weir_cell *)(const void *)q->base)[q->ran->outputs + i];
}
static inline wir_condition wrt_quick_condition(const wrt_quick *q, uint32_t i) {
  return (wir_condition)q->conditions[q->ran->outputs + i];
}

/* The same as a value. */
weir_value wrt_quick_value(const struct weir_monitor *m, uint32_t i);

#endif
