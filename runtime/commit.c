/* runtime/commit.c -- the barrier that ends a tick.
**
** History, delay rings and cells advance here and nowhere else; the evaluators only stage.  Called by tick.c once per row, after
** the main range.  Allocates nothing and cannot fail.
** What is overwritten is released only at the end: the same object may be a sample that another ring is about to take.
** Leave alone: the arena's layout (ir/state.h) and the order of steps (tick.c). */
#include <string.h>

#include "runtime/monitor.h"

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

static void push_sample(wrt_monitor *m, const wir_state *s, size_t *n_replaced) {
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

void wrt_commit(wrt_monitor *m) {
  const wir_program *p = m->program;
  size_t n_replaced = 0;
  for (uint32_t i = 0; i < p->n_rich_cells; i++) {
    const wir_state *s = &p->states[p->rich_cells[i]];
    m->replaced[n_replaced++] = wir_sample_load((wir_cell)s->cell, m->arena + s->offset, m->arena + s->presence, 0);
    wir_retain(wir_sample_load((wir_cell)s->cell, m->stage.cells + s->offset, m->stage.cells + s->presence, 0));
  }
  memcpy(m->arena, m->stage.cells, (size_t)p->layout.cells);
  for (uint32_t i = 0; i < p->n_rings; i++) push_sample(m, &p->states[p->rings[i]], &n_replaced);
  for (size_t i = 0; i < n_replaced; i++) wir_release(&m->mem, m->replaced[i]);
}
