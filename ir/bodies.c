/* ir/bodies.c -- the pipeline from a finished program to its scalar bodies.
**
** Bodies are made in scratch memory and then copied: what is kept for the program's life is as small as the passes have left it. */
#include "ir/bodies.h"

#include <string.h>

#include "ir/optimize.h"

typedef struct maker {
  const wir_program *p;
  wir_bodies *to;
  wb_mem scratch;
} maker;

static bool keep(maker *k, const wir_body *from, wir_body *to) {
  *to = *from;
  to->ins = WB_NEW_ARRAY(&k->to->mem, wir_ins, from->n_ins);
  if (to->ins == NULL) return false;
  if (from->n_ins != 0) memcpy(to->ins, from->ins, from->n_ins * sizeof *to->ins);
  return true;
}

static bool make_one(maker *k, const uint32_t *streams, uint32_t n, bool is_whole, uint32_t *n_lowered, wir_body *to) {
  wir_body body;
  if (!wir_lower(k->p, streams, n, is_whole, &k->scratch, &body)) return false;
  *n_lowered = body.n_ins;
  return wir_optimize(k->p, &body, &k->scratch) && keep(k, &body, to);
}

/* ---- A schedule that is scalar throughout ---- */

/* Can one body compute and commit everything? */
static bool is_whole(const wir_program *p) {
  for (uint32_t i = 0; i < p->n_streams; i++)
    if (!wir_is_scalar(p, i)) return false;
  return p->layout.bytes < (UINT64_C(1) << 31); /* offsets in codes are 32 bits */
}

/* Of all bodies of the general fit: a copy of each for another one. */
static bool narrow(maker *k, const wir_body *general, uint32_t n, wir_body_fit fit, uint8_t of_input, wir_body *to) {
  const wir_program *p = k->p;
  uint8_t *of_stream = WB_NEW_ARRAY(&k->scratch, uint8_t, p->n_streams), *of_state = WB_NEW_ARRAY(&k->scratch, uint8_t, p->n_states);
  wir_body *bodies = WB_NEW_ARRAY(&k->scratch, wir_body, n);
  if (of_stream == NULL || of_state == NULL || bodies == NULL) return false;
  if (!wir_narrow_to_warm(p, general, n, of_input, of_stream, of_state, &k->scratch, bodies)) return false;
  for (uint32_t i = 0; i < p->n_states; i++) k->to->assumed[i] |= (uint8_t)((of_state[i] == 0) << fit);
  for (uint32_t i = 0; i < n; i++)
    if (!wir_optimize(p, &bodies[i], &k->scratch) || !keep(k, &bodies[i], &to[i])) return false;
  return true;
}

static bool make_whole(maker *k) {
  const wir_program *p = k->p;
  wir_bodies *to = k->to;
  wir_body *of_fit = to->of_fit;
  to->n_lowered = WB_NEW(&to->mem, uint32_t);
  if (to->n_lowered == NULL) return false;
  return make_one(k, p->order, p->n_streams - p->n_inputs, true, to->n_lowered, &of_fit[WIR_BODY_GENERAL]) &&
         narrow(k, &of_fit[WIR_BODY_GENERAL], 1, WIR_BODY_SPARSE, WIR_MAY_NOVAL, &of_fit[WIR_BODY_SPARSE]) &&
         narrow(k, &of_fit[WIR_BODY_GENERAL], 1, WIR_BODY_WARM, 0, &of_fit[WIR_BODY_WARM]);
}

/* ---- One in which some streams are not ---- */

static bool make_regions(maker *k) {
  wir_bodies *to = k->to;
  if (!wir_partition_make(k->p, &to->mem, &to->plan)) return false;
  to->of_region = WB_NEW_ARRAY(&to->mem, wir_body, to->plan.n_regions);
  to->n_lowered = WB_NEW_ARRAY(&to->mem, uint32_t, to->plan.n_regions);
  to->sparse_of_region = WB_NEW_ARRAY(&to->mem, wir_body, to->plan.n_regions);
  if (to->of_region == NULL || to->n_lowered == NULL || to->sparse_of_region == NULL) return false;
  uint32_t region = 0;
  for (uint32_t i = 0; i < to->plan.n_steps; i++) {
    wir_step step = to->plan.steps[i];
    if (!step.is_region) continue;
    if (!make_one(k, to->plan.order + step.first, step.n, false, &to->n_lowered[region], &to->of_region[region])) return false;
    region++;
  }
  return region == 0 || narrow(k, to->of_region, region, WIR_BODY_SPARSE, WIR_MAY_NOVAL, to->sparse_of_region);
}

/* ---- Life ---- */

wir_bodies *wir_bodies_make(const wir_program *p, wb_door *door) {
  maker k = {.p = p, .to = wb_door_take(door, sizeof(wir_bodies))};
  if (k.to == NULL) return NULL;
  k.to->door = door;
  k.to->is_whole = is_whole(p);
  wb_mem_init(&k.to->mem, door, 0);
  wb_mem_init(&k.scratch, door, 0);
  k.to->assumed = WB_NEW_ARRAY(&k.to->mem, uint8_t, p->n_states);
  bool is_made = k.to->assumed != NULL && (k.to->is_whole ? make_whole(&k) : make_regions(&k));
  wb_mem_drop(&k.scratch);
  if (is_made) return k.to;
  wir_bodies_free(k.to);
  return NULL;
}

void wir_bodies_free(wir_bodies *b) {
  if (b == NULL) return;
  wb_mem_drop(&b->mem);
  wb_door_give(b->door, b, sizeof *b);
}

/* Threads that come at once each make bodies, and the first to be done has its own kept: nobody waits. */
const wir_bodies *wir_program_bodies(wir_program *p) {
  wir_bodies *kept = atomic_load_explicit(&p->bodies, memory_order_acquire);
  if (kept != NULL) return kept;
  wir_bodies *made = wir_bodies_make(p, p->door);
  if (made == NULL) return NULL;
  if (atomic_compare_exchange_strong_explicit(&p->bodies, &kept, made, memory_order_acq_rel, memory_order_acquire)) return made;
  wir_bodies_free(made);
  return kept;
}
