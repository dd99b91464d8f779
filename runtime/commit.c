/* runtime/commit.c -- the barrier that ends a tick.
**
** History, delay rings and cells advance here and nowhere else; the evaluators only stage.  Called by tick.c once per row, after
** the main range.  Allocates nothing and cannot fail.
** What is overwritten is released only at the end: the same object may be a sample that another ring is about to take.
** Leave alone: the arena's layout (ir/state.h) and the order of steps (tick.c). */
#include <string.h>

#include "runtime/monitor.h"
#include "runtime/native.h"

static weir_value ring_newest(const wir_state *s, const wir_ring *r, const unsigned char *arena) {
  if (r->filled == 0) return (weir_value){.tag = WEIR_NOVAL};
  uint64_t i = r->next == 0 ? s->capacity - 1 : r->next - 1;
  return wir_sample_load((wir_cell)s->cell, arena + s->offset, arena + s->presence, i);
}

/* What the ring gets from this tick. */
static weir_value sample_of(const wrt_monitor *m, const wir_state *s, const wir_ring *r) {
  if (s->kind == WIR_STATE_DELAY) return m->stage.pending[s->pending];
  weir_value v = m->row[s->stream];
  if (s->kind == WIR_STATE_HISTORY && v.tag == WEIR_NOVAL) return ring_newest(s, r, m->arena);
  return v;
}

_Static_assert((int)WEIR_NOVAL == WIR_SAMPLE_NOVAL && (int)WEIR_DEFERRED == WIR_SAMPLE_DEFERRED && WEIR_DEFERRED + 1 == WIR_SAMPLE_VALUE,
               "the presence of a sample is its tag, up to that of values");

/* Most rings hold scalars, and most samples are there: nothing is counted, and what stands in the place of no value is nobody's business.
** False: it is not one of these. */
static inline bool push_scalar(unsigned char *arena, const wir_state *s, const weir_value *v) {
  if (s->cell > WIR_CELL_BOOL || (v->tag == WEIR_NOVAL && s->kind == WIR_STATE_HISTORY)) return false;
  wir_ring *r = (wir_ring *)(void *)(arena + s->ring);
  uint64_t next = r->next, after = next + 1;
  arena[s->presence + next] = (unsigned char)WB_MIN(v->tag, WIR_SAMPLE_VALUE);
  if (s->cell == WIR_CELL_BOOL) arena[s->offset + next] = *(const unsigned char *)&v->as;
  else ((int64_t *)(void *)(arena + s->offset))[next] = v->as.i;
  r->next = after == s->capacity ? 0 : after;
  r->filled += r->filled < s->capacity;
  return true;
}

static __attribute__((noinline)) void push_sample(wrt_monitor *m, const wir_state *s, size_t *n_replaced) {
  wir_ring *r = (wir_ring *)(void *)(m->arena + s->ring);
  unsigned char *values = m->arena + s->offset, *presence = m->arena + s->presence;
  weir_value v = sample_of(m, s, r);
  if (s->cell >= WIR_CELL_RICH) {
    if (r->filled == s->capacity) m->replaced[(*n_replaced)++] = wir_sample_load((wir_cell)s->cell, values, presence, r->next);
    wir_retain(v);
  }
  wir_sample_store((wir_cell)s->cell, values, presence, r->next, v);
  r->next = r->next + 1 == s->capacity ? 0 : r->next + 1;
  r->filled += r->filled < s->capacity;
}

/* All in registers that a loop needs: what it writes could be anything, as far as a compiler knows. */
static void push_samples(wrt_monitor *m, size_t *n_replaced) {
  const wir_state *states = m->program->states;
  const weir_value *row = m->row, *pending = m->stage.pending;
  unsigned char *arena = m->arena;
  for (const uint32_t *ring = m->program->rings, *end = ring + m->program->n_rings; ring != end; ring++) {
    const wir_state *s = &states[*ring];
    const weir_value *v = s->kind == WIR_STATE_DELAY ? &pending[s->pending] : &row[s->stream];
    if (WB_UNLIKELY(!push_scalar(arena, s, v))) push_sample(m, s, n_replaced);
  }
}

/* Those that a kernel leaves alone. */
static void push_others(wrt_monitor *m, size_t *n_replaced) {
  const wir_program *p = m->program;
  for (uint32_t i = 0; i < p->n_rings; i++)
    if (p->states[p->rings[i]].cell > WIR_CELL_BOOL) push_sample(m, &p->states[p->rings[i]], n_replaced);
}

void wrt_commit(wrt_monitor *m) {
  const wir_program *p = m->program;
  size_t n_replaced = 0;
  for (uint32_t i = 0; i < p->n_rich_cells; i++) {
    const wir_state *s = &p->states[p->rich_cells[i]];
    m->replaced[n_replaced++] = wir_sample_load((wir_cell)s->cell, m->arena + s->offset, m->arena + s->presence, 0);
    wir_retain(wir_sample_load((wir_cell)s->cell, m->stage.cells + s->offset, m->stage.cells + s->presence, 0));
  }
  memcpy(m->arena, m->stage.cells, (size_t)p->layout.cells);
  bool are_all = false, is_checked = WB_UNLIKELY(m->check != NULL) && wrt_check_commit(m);
  if (is_checked || !wrt_native_commit(m, &are_all)) push_samples(m, &n_replaced);
  else if (!are_all) push_others(m, &n_replaced);
  if (is_checked) wrt_check_committed(m);
  for (size_t i = 0; i < n_replaced; i++) wir_release(&m->mem, m->replaced[i]);
}
