/* ir/pass_dead.c -- what nobody needs is taken out.
**
** Needed are the effects, what can leave the body (that is all that its result may be good for), and the operands of what is needed.
**
** Effects stay, also where this body has no use for what they keep: cells and rings are the program's (ir/state.h), and the code for other
** rows, the canonical tier, snapshots and replacements read what this body has left there.  A HOLD that narrowing has taken out of the warm
** body still has its KEEP for that reason.  The one effect that goes keeps nothing: a flag is kept where it is true, so one that is
** constantly false is not.  (A flag that is known to be set already goes in pass_narrow.c, which has the facts.)  Descriptors themselves
** are fixed before any of this. */
#include "ir/optimize.h"

static bool keeps_nothing(const wir_program *p, const wir_body *b, const wir_ins *in) {
  const wir_ins *x = wir_ins_at(b, in->args[0]);
  return in->op == WIR_I_KEEP && p->states[in->state].kind == WIR_STATE_FLAG && x->op == WIR_I_CONST && x->imm.i == 0;
}

static bool is_root(const wir_program *p, const wir_body *b, const wir_ins *in) {
  if (wir_is_effect(in)) return !keeps_nothing(p, b, in);
  return wir_ins_leaves(b, in) && !(WB_PLANTED(6) && wir_ins_fails(in));
}

static void find_needed(const wir_program *p, const wir_body *b, uint8_t *is_needed) {
  for (uint32_t i = b->n_ins; i-- > 0;) {
    const wir_ins *in = &b->ins[i];
    is_needed[i] |= is_root(p, b, in);
    for (uint32_t k = 0; is_needed[i] && k < wir_insns[in->op].operands; k++) is_needed[in->args[k].i] = 1;
  }
}

/* What is needed moves up. */
static void compact(wir_body *b, const uint8_t *is_needed, wir_val *moved) {
  uint32_t n_kept = 0, effects = 0;
  for (uint32_t i = 0; i < b->n_ins; i++) {
    if (!is_needed[i]) continue;
    wir_ins in = b->ins[i];
    wir_redirect(&in, moved);
    moved[i].i = n_kept;
    b->ins[n_kept++] = in;
    if (i < b->effects) effects = n_kept;
  }
  b->n_ins = n_kept;
  b->effects = effects;
}

bool wir_dead(const wir_program *p, wir_body *b, wb_mem *scratch) {
  uint8_t *is_needed = wb_block(scratch, (size_t)b->n_ins + 1);
  wir_val *moved = wb_block(scratch, b->n_ins * sizeof *moved + 1);
  bool is_done = is_needed != NULL && moved != NULL;
  if (is_done) {
    __builtin_memset(is_needed, 0, b->n_ins);
    find_needed(p, b, is_needed);
    compact(b, is_needed, moved);
    wb_check_ir(wir_body_is_valid(p, b));
  }
  wb_block_free(scratch, is_needed);
  wb_block_free(scratch, moved);
  return is_done;
}
