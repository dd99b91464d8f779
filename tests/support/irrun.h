/* tests/support/irrun.h -- scalar bodies made at random and run as ir/insns.def says, one instruction after the other.
**
** It shares nothing with the tiers but the instructions: what a pass or a tier makes of a body can be held against this. */
#ifndef TEST_IRRUN_H
#define TEST_IRRUN_H

#include "ir/scalar.h"

enum { IRRUN_MOST = 96 }; /* instructions of a body */

/* What a program needs for random bodies: inputs, outputs and state of every kind. */
extern const char *const irrun_spec;

typedef struct irrun_cell { wir_condition condition; wir_imm value; } irrun_cell;

/* Where the values of streams and samples of a row come from: from its number.  Facts as in wir_facts; NULL: anything. */
typedef struct irrun_row {
  uint64_t seed;
  const wir_facts *facts;
} irrun_row;

typedef struct irrun_result {
  bool has_left;
  const char *wrong;    /* NULL, or what an instruction claims in vain (`may`, cannot_fail) */
  uint32_t wrong_at;
  irrun_cell of[IRRUN_MOST];
} irrun_result;

/* A valid part of `size` instructions at most, with memory of `mem`. */
wir_body irrun_make(const wir_program *p, uint64_t seed, uint32_t size, const wir_facts *facts, wb_mem *mem);
void irrun(const wir_program *p, const wir_body *b, const irrun_row *row, irrun_result *out);
/* NULL, or how the bodies differ in what they did. */
const char *irrun_compare(const wir_program *p, const wir_body *a, const irrun_result *ra, const wir_body *b, const irrun_result *rb);

#endif
