/* ir/tileable.c -- can a whole body be computed for tiles of rows? */
#include "ir/tileable.h"

bool wir_has_filled_gaps(const wir_body *b, const wir_ins *in) {
  for (uint32_t k = 0; k < wir_insns[in->op].operands; k++)
    if (wir_is_raw(wir_ins_at(b, in->args[k])) != wir_holds(in)) return false;
  return true;
}

static bool can_compute(const wir_order *g, const wir_bodies *bodies, wir_body_fit fit, wir_tile_has *has, uint32_t i) {
  const wir_ins *in = wir_order_ins(g, i);
  if (!wir_has_filled_gaps(g->body, in)) return false;
  if (wir_is_raw(in)) return true;
  if ((in->may & ~WIR_MAY_FAIL) != 0) return false;
  if (wir_holds(in)) return wir_is_assumed(bodies, in->state, fit) && g->kept[in->state] == i + 1;
  if (in->op == WIR_I_RING) return wir_is_assumed(bodies, in->state, fit) && g->kept[in->state] != 0;
  return in->op == WIR_I_READ || has(g, i);
}

static bool can_do(const wir_order *g, const wir_bodies *bodies, wir_body_fit fit, const wir_ins *in) {
  const wir_ins *v = wir_ins_at(g->body, in->args[0]);
  if (in->op == WIR_I_WRITE) return v->may == 0 || wir_is_raw(v);
  if (wir_is_assumed(bodies, in->state, fit)) return v->may == 0;
  return in->op == WIR_I_KEEP && g->p->states[in->state].kind != WIR_STATE_FLAG && (v->may & ~WIR_MAY_FAIL) == 0;
}

bool wir_is_tileable(const wir_order *g, const wir_bodies *bodies, wir_body_fit fit, wir_tile_has *has) {
  for (uint32_t i = 0; i < g->body->n_ins; i++) {
    if (!g->needed[i]) continue;
    if (i < g->body->effects ? !can_compute(g, bodies, fit, has, i) : !can_do(g, bodies, fit, wir_order_ins(g, i))) return false;
  }
  return true;
}
