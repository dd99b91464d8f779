/* runtime/quick_monitor.c -- the quickened tier of a monitor: its codes and registers, and rows through them.
**
** Leave alone: what code is made of a body (quick_code.c), how it runs (quick.c, quick_row.c). */
#include <string.h>

#include "runtime/bitmap.h"
#include "runtime/islands.h"
#include "runtime/monitor.h"
#include "runtime/native.h"
#include "runtime/quick_ops.h"
#include "runtime/tile.h"

/* ---- Life ---- */

static bool make_registers(wrt_monitor *m, wrt_quick *q, size_t n) {
  if (n > UINT32_MAX / 16) return false;
  q->registers_bytes = (uint32_t)((8 * n + 63) & ~(size_t)63) + (m->port == NULL ? 0 : m->port->spare);
  q->conditions = wb_alloc(&m->quick_mem, q->registers_bytes / 8 + 1, 1, 1);
  return q->conditions != NULL;
}

/* Each code gets as many registers as the general body has instructions at most, so that the arena's place is known before it is made. */
static bool make_whole(wrt_monitor *m, wrt_quick *q) {
  const wir_program *p = m->program;
  size_t most = (size_t)p->n_inputs + p->n_outputs + q->bodies->of_fit[WIR_BODY_GENERAL].n_ins;
  if (!make_registers(m, q, WIR_BODY_FITS * most)) return false;
  for (uint32_t c = 0; c < WIR_BODY_FITS; c++)
    if (!wrt_quick_make(m, &q->bodies->of_fit[c], q->bodies->assumed, (wir_body_fit)c, (uint32_t)(c * most), q->registers_bytes, &q->codes[c])) return false;
  return true;
}

static bool make_regions(wrt_monitor *m, wrt_quick *q) {
  uint32_t registers = 0;
  q->regions = WB_NEW_ARRAY(&m->quick_mem, wrt_quick_code, q->bodies->plan.n_regions);
  if (q->regions == NULL) return false;
  for (uint32_t i = 0; i < q->bodies->plan.n_regions; i++) {
    if (!wrt_quick_make(m, &q->bodies->of_region[i], NULL, WIR_BODY_GENERAL, registers, 0, &q->regions[i])) return false;
    registers += q->regions[i].n_registers;
  }
  return make_registers(m, q, registers) && wrt_islands_new(m, &q->bodies->plan, &q->islands);
}

bool wrt_quick_new(wrt_monitor *m, wrt_quick **out) {
  const wir_bodies *bodies = wir_program_bodies(m->program);
  wrt_quick *q = bodies == NULL ? NULL : WB_NEW(&m->quick_mem, wrt_quick);
  if (q == NULL) return false;
  *out = q;
  q->bodies = bodies;
  return bodies->is_whole ? make_whole(m, q) && wrt_tile_new(m, q) : make_regions(m, q);
}

static void set_consts(const wrt_quick_code *c, unsigned char *base) {
  for (uint32_t i = 0; i < c->n_consts; i++) *(wir_imm *)(void *)(base + c->consts[i].at) = c->consts[i].value;
}

static void bind_whole(wrt_monitor *m, wrt_quick *q) {
  const wir_program *p = m->program;
  q->frame = (wrt_quick_frame){.quick = q, .program = p, .base = q->base, .arena = m->arena, .cells = m->arena,
                               .conditions = q->conditions, .stops = true};
  q->through = q->frame;
  q->through.stops = false;
  q->can_be_fast = p->n_inputs > 0 && p->n_inputs < 64 && p->n_outputs > 0 && p->n_outputs <= 64 && !m->has_bool_inputs && q->codes[WIR_BODY_WARM].lacks_nothing;
  q->row_code = q->codes[WIR_BODY_WARM].row;
  q->row_inputs = (weir_cell *)(void *)q->base + q->codes[WIR_BODY_WARM].first;
  q->n_inputs = p->n_inputs;
  q->all_inputs = (UINT64_C(1) << (p->n_inputs & 63)) - 1;
  q->all_outputs = p->n_outputs >= 64 ? UINT64_MAX : (UINT64_C(1) << p->n_outputs) - 1;
}

void wrt_quick_bind(wrt_monitor *m, wrt_quick *q, unsigned char *base) {
  q->base = base;
  if (q->bodies->is_whole) bind_whole(m, q);
  memset(base, 0, q->registers_bytes);
  for (uint32_t i = 0; i < WIR_BODY_FITS; i++) set_consts(&q->codes[i], base);
  for (uint32_t i = 0; i < q->bodies->plan.n_regions; i++) set_consts(&q->regions[i], base);
  q->ran = &q->codes[WIR_BODY_GENERAL];
}

/* ---- Rows ---- */

/* After another tier has written the arena: how many assumed samples are no values. */
static void count_cold(wrt_monitor *m) {
  wrt_quick *q = m->quick;
  memset(q->n_cold, 0, sizeof q->n_cold);
  for (uint32_t i = 0; i < m->program->n_states; i++) {
    const wir_state *s = &m->program->states[i];
    if (!q->bodies->assumed[i]) continue;
    uint64_t filled = s->capacity;
    if (wir_state_is_ring(s)) filled = ((const wir_ring *)(const void *)(m->arena + s->ring))->filled;
    uint64_t n = s->capacity - filled; /* a ring that is not full has samples from its beginning on */
    for (uint64_t k = 0; k < filled; k++) n += m->arena[s->presence + k] != WIR_SAMPLE_VALUE;
    for (uint32_t c = 0; c < WIR_BODY_FITS; c++)
      if (q->bodies->assumed[i] & (1u << c)) q->n_cold[c] += n;
  }
  q->knows_cold = true;
}

wir_body_fit wrt_quick_fit(wrt_monitor *m, wir_body_fit inputs) {
  wrt_quick *q = m->quick;
  if (WB_UNLIKELY(!q->knows_cold)) count_cold(m);
  while (inputs > WIR_BODY_GENERAL && q->n_cold[inputs] != 0) inputs--;
  return inputs;
}

static bool run_row(wrt_monitor *m, wir_body_fit fit) {
  wrt_quick *q = m->quick;
  q->ran = &q->codes[fit];
  q->n_ran[fit]++;
  if (WB_LIKELY(wrt_quick_run(&q->frame, q->ran->code, NULL))) return true;
  q->n_declined[wrt_quick_cause(&q->frame)]++;
  return false;
}

void wrt_quick_commit(wrt_monitor *m) {
  wrt_quick *q = m->quick;
  (void)wrt_quick_run(&q->frame, q->ran->code + q->ran->effects, NULL);
  q->is_fast = q->can_be_fast && (WB_PLANTED(24) || q->n_cold[WIR_BODY_WARM] == 0);
}

wir_body_fit wrt_quick_fit_of_bits(wrt_monitor *m, const uint64_t *present, const uint64_t *deferred) {
  uint32_t n = m->program->n_inputs;
  wir_body_fit fit = WIR_BODY_WARM;
  for (uint32_t i = 0; i < n; i += 64) {
    uint64_t all = wrt_low_bits(WB_MIN(n - i, 64));
    if (present != NULL && (present[i / 64] & all) != all) fit = WIR_BODY_SPARSE;
    if (deferred != NULL && (deferred[i / 64] & all) != 0) return wrt_quick_fit(m, WIR_BODY_GENERAL); /* which counts what the row changes */
  }
  return wrt_quick_fit(m, fit);
}

bool wrt_quick_typed(wrt_monitor *m, const weir_cell *in, const uint64_t *present, const uint64_t *deferred) {
  wrt_quick *q = m->quick;
  uint32_t n = m->program->n_inputs;
  wir_body_fit fit = wrt_quick_fit_of_bits(m, present, deferred);
  uint32_t first = q->codes[fit].first;
  if (n != 0) memmove(q->base + 8 * (size_t)first, in, 8 * (size_t)n); /* after a decline of wrt_quick_row they are there */
  for (uint32_t i = 0; fit != WIR_BODY_WARM && i < n; i++) {
    bool is_deferred = deferred != NULL && wrt_word_bit(deferred, i), is_present = present == NULL || wrt_word_bit(present, i);
    q->conditions[first + i] = is_deferred ? WIR_IS_DEFERRED : is_present ? WIR_IS_VALUE : WIR_IS_NOVAL;
  }
  return run_row(m, fit);
}

static uint8_t condition_of(weir_value v) {
  return v.tag == WEIR_NOVAL ? WIR_IS_NOVAL : v.tag == WEIR_DEFERRED ? WIR_IS_DEFERRED : WIR_IS_VALUE;
}

bool wrt_quick_tagged(wrt_monitor *m) {
  wrt_quick *q = m->quick;
  uint32_t n = m->program->n_inputs;
  wir_body_fit fit = WIR_BODY_WARM;
  for (uint32_t i = 0; i < n; i++) {
    if (m->row[i].tag == WEIR_NOVAL) fit = WB_MIN(fit, WIR_BODY_SPARSE);
    if (m->row[i].tag == WEIR_DEFERRED) fit = WB_PLANTED(23) ? WIR_BODY_SPARSE : WIR_BODY_GENERAL;
  }
  fit = wrt_quick_fit(m, fit);
  uint32_t first = q->codes[fit].first;
  weir_cell *to = (weir_cell *)(void *)(q->base + 8 * (size_t)first);
  for (uint32_t i = 0; i < n; i++) {
    weir_value v = m->row[i];
    to[i].i = v.tag == WEIR_BOOL ? v.as.b : v.as.i;
    if (fit != WIR_BODY_WARM) q->conditions[first + i] = condition_of(v);
  }
  return run_row(m, fit);
}

/* ---- Rows in steps ---- */

static void fill_registers(wrt_monitor *m, const wrt_quick_code *code) {
  wrt_quick *q = m->quick;
  for (uint32_t i = 0; i < code->n_reads; i++) {
    wrt_quick_port r = code->reads[i];
    weir_value v = m->row[r.stream];
    *(int64_t *)(void *)(q->base + r.at) = v.tag == WEIR_BOOL ? v.as.b : v.as.i;
    if (r.may_lack) q->conditions[r.at / 8] = condition_of(v);
  }
}

static void write_row(wrt_monitor *m, const wrt_quick_code *code) {
  const wrt_quick *q = m->quick;
  for (uint32_t i = 0; i < code->n_writes; i++) {
    wrt_quick_port w = code->writes[i];
    uint8_t k = w.may_lack ? q->conditions[w.at / 8] : WIR_IS_VALUE;
    weir_value v = {.tag = k == WIR_IS_NOVAL ? WEIR_NOVAL : WEIR_DEFERRED};
    if (k == WIR_IS_VALUE)
      v = wrt_quick_tag(wir_cell_of(&m->program->types, m->program->streams[w.stream].type), *(const int64_t *)(const void *)(q->base + w.at));
    m->row[w.stream] = v;
  }
}

/* False: declined. */
static bool run_region(wrt_monitor *m, uint32_t region) {
  wrt_quick *q = m->quick;
  const wrt_quick_code *code = &q->regions[region];
  wrt_region_outcome outcome = m->native == NULL ? WRT_REGION_OTHER : wrt_native_region(m, region);
  if (outcome == WRT_REGION_DECLINED) return false;
  if (outcome != WRT_REGION_OTHER) {
    m->ran = WRT_RAN_KERNELS;
    return true;
  }
  quick_run r = {.quick = q, .program = m->program, .base = q->base, .arena = m->arena, .cells = m->stage.cells,
                 .pending = m->stage.pending, .conditions = q->conditions, .stops = true};
  fill_registers(m, code);
  q->n_ran[WIR_BODY_GENERAL]++;
  if (!wrt_quick_run(&r, code->code, NULL)) {
    q->n_declined[wrt_quick_cause(&r)]++;
    return false;
  }
  (void)wrt_quick_run(&r, code->code + code->effects, NULL);
  write_row(m, code);
  return true;
}

bool wrt_quick_steps(wrt_monitor *m) {
  const wrt_quick *q = m->quick;
  uint32_t region = 0;
  m->ran = WRT_RAN_STEPS;
  for (uint32_t i = 0; i < q->bodies->plan.n_steps; i++) {
    wir_step step = q->bodies->plan.steps[i];
    if (step.is_region && run_region(m, region++)) continue;
    for (uint32_t k = step.first; k < step.first + step.n; k++) {
      wrt_failure why;
      if (wrt_canon_step(m, q->bodies->plan.order[k], q->islands, &why) != WEIR_OK) return false;
    }
  }
  return true;
}

weir_value wrt_quick_value(const wrt_monitor *m, uint32_t i) {
  wir_condition k = wrt_quick_condition(m->quick, i);
  weir_cell cell = wrt_quick_output(m->quick, i);
  if (k != WIR_IS_VALUE) return (weir_value){.tag = k == WIR_IS_NOVAL ? WEIR_NOVAL : WEIR_DEFERRED};
  return wrt_quick_tag(wir_cell_of(&m->program->types, m->program->streams[m->program->outputs[i]].type), cell.i);
}
