/* machine.h: a small register machine for the workloads, interpreted row by row or over tiles of rows. */
#ifndef MACHINE_H
#define MACHINE_H
#include "limits.h"

enum { TILE = 256, REGS = 160, CODE = 512, SLOTS = 20, DEPTH = 16 };

/* d = register written; a, b, c = registers read; k = imm.  Int operations are checked in the checked build. */
#define OPS(X) \
  X(ADD) X(SUB) X(ADDI) X(MULI) X(MODI) X(DIV) \
  X(GMULI)       /* a * k, which fails only where b holds: an arm of an if */ \
  X(FADD) X(FSUB) X(FMULI) X(FGTI) X(FLTI) \
  X(LTI) X(GTI) X(EQI) X(NEI) X(NE) X(AND) X(OR) X(NOT) \
  X(SELECT)      /* a ? b : c */ \
  X(PICK)        /* a ? k : 0 */ \
  X(DELAY)       /* a, k rows ago, from the slot's history; b before there is one */ \
  X(KEEP)        /* a goes into the slot's history */ \
  X(SUM) X(RUN)  /* slot + a; a ? slot + 1 : 0 */ \
  X(EMA)         /* p->ema[0] * a + p->ema[1] * slot; at first the slot is a */ \
  X(LATCH)       /* a | (slot & !b) */ \
  X(OUT) X(END)
typedef enum Op {
#define X(op) op,
  OPS(X)
#undef X
} Op;
typedef struct Ins { const void *go; uint16_t op, d, a, b, c, slot, column; int64_t imm; } Ins; /* column: 1 + the output that d is */

typedef struct Program {
  Ins code[CODE];
  int n, ins, outs, next, consts; /* registers: inputs, then constants, then the rest */
  int64_t value[REGS];            /* of the constants */
  double ema[2];
  Cell first[SLOTS];              /* what the slots hold before the first row */
  int bits;                       /* no operation overflows while inputs have so many bits, histories one more, and sums 62 */
  uint32_t ints, histories, sums; /* which inputs are Int; which slots are histories of Ints; which are sums */
} Program;

typedef struct Memory {
  uint64_t tick;
  Cell slot[SLOTS][DEPTH];        /* histories by tick mod DEPTH; others use the first cell */
  Cell r[REGS];
  int64_t tile[REGS][TILE + 8];
} Memory;

/* One build of the interpreters.  Each returns non-zero where a checked operation overflowed.  in NULL: prepares the code. */
typedef struct Machine {
  const char *name;
  int (*row)(Program *p, const Cell *in, Cell *out, Memory *m);
  int (*tile)(const Program *p, Cell *const *in, Cell *const *out, size_t n, Memory *m);
} Machine;
/* interp.c.  interp_program: 0 where the workload has no anchor.  interp_reset before the first row of a run.  interp_edges: ends the
 * process where a machine fails otherwise than the compiled row kernel at the edges of Int. */
int interp_program(Program *p, const Workload *w);
void interp_reset(const Program *p, Memory *m);
void interp_edges(Program *p, const Workload *w, const Machine *x);

extern const Machine machine_x86_64, machine_x86_64_v3, machine_native;
extern const Machine machine_x86_64_checked, machine_x86_64_v3_checked, machine_native_checked;

#endif
