/* ir/optimize.h -- what makes a scalar body smaller without changing what it does.
**
** A pass may change which rows a body declines, for the canonical tier answers them: it may never hide a failure or change a value, a
** condition or what is kept.  All passes work in place, forward or backward once, and return false when memory is exhausted (the body
** is then valid, and as good as before). */
#ifndef WIR_OPTIMIZE_H
#define WIR_OPTIMIZE_H

#include "ir/scalar.h"

/* All of them, in the order that optimize.c draws. */
bool wir_optimize(const wir_program *p, wir_body *b, wb_mem *scratch) WB_MUST_USE;

bool wir_fold(const wir_program *p, wir_body *b, wb_mem *scratch) WB_MUST_USE;   /* constants, and what they make superfluous */
bool wir_cse(const wir_program *p, wir_body *b, wb_mem *scratch) WB_MUST_USE;    /* equal instructions become one */
bool wir_ranges(const wir_program *p, wir_body *b, wb_mem *scratch) WB_MUST_USE; /* what cannot fail, comparisons that are decided */
bool wir_dead(const wir_program *p, wir_body *b, wb_mem *scratch) WB_MUST_USE;   /* what nobody needs */

/* ---- For the passes ---- */

static inline bool wir_is_effect(const wir_ins *in) { return wir_insns[in->op].result == WIR_INS_NONE; }

/* Operands become the values that they were found to be equal to. */
static inline void wir_redirect(wir_ins *in, const wir_val *same) {
  for (uint32_t k = 0; k < wir_insns[in->op].operands; k++) in->args[k] = same[in->args[k].i];
}

/* What it may be never grows: what was known stays true, and what follows from the operands is true too. */
static inline void wir_sharpen(const wir_program *p, const wir_body *b, wir_ins *in) { in->may &= wir_ins_may(p, b, in, NULL); }

static inline void wir_make_const(wir_ins *in, wir_kind kind, wir_imm imm) {
  in->op = WIR_I_CONST;
  in->kind = (uint8_t)kind;
  in->may = 0;
  in->is_guarded = in->cannot_fail = false;
  in->imm = imm;
}

#endif
