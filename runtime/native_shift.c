/* runtime/native_shift.c -- small rings between their canonical form and the one in which kernels shift them (kernel.h).
**
** Each tick moves the place of the next sample on by one, whoever runs it: so how far it has come since is known from the ticks.  Only rings
** that are full of values are shifted.  There and back is the identity, whether rows ran in between or not. */
#include "runtime/monitor.h"
#include "runtime/native.h"

typedef union samples { int64_t cells[WRT_MOST_SHIFTED]; unsigned char bools[WRT_MOST_SHIFTED]; } samples;

/* Puts sample number `from(i)` at place i. */
static void permute(unsigned char *arena, const wir_state *s, const uint64_t *from) {
  samples old;
  int64_t *cells = (int64_t *)(void *)(arena + s->offset);
  unsigned char *bools = arena + s->offset;
  bool are_bools = s->cell == WIR_CELL_BOOL;
  for (uint64_t i = 0; i < s->capacity; i++) {
    if (are_bools) old.bools[i] = bools[i];
    else old.cells[i] = cells[i];
  }
  for (uint64_t i = 0; i < s->capacity; i++) {
    if (are_bools) bools[i] = old.bools[from[i]];
    else cells[i] = old.cells[from[i]];
  }
}

static wir_ring *ring_of(const wrt_monitor *m, const wir_state *s) { return (wir_ring *)(void *)(m->arena + s->ring); }

/* Where the sample of `back` ticks ago stands, canonically. */
static uint64_t place(const wir_state *s, uint64_t next, uint64_t back) { return (next + s->capacity - back) % s->capacity; }

void wrt_native_acquire(wrt_monitor *m) {
  if (m->is_shifted) return;
  for (uint32_t k = 0; k < m->native->n_shifts; k++) {
    const wir_state *s = &m->program->states[m->native->shifts[k]];
    uint64_t from[WRT_MOST_SHIFTED], next = ring_of(m, s)->next;
    for (uint64_t i = 0; i < s->capacity; i++) from[i] = place(s, next, i + 1);
    permute(m->arena, s, from);
  }
  m->is_shifted = true;
  m->shifted_since = m->ticks;
}

void wrt_native_release(wrt_monitor *m) {
  if (!m->is_shifted) return;
  for (uint32_t k = 0; k < m->native->n_shifts; k++) {
    const wir_state *s = &m->program->states[m->native->shifts[k]];
    wir_ring *r = ring_of(m, s);
    uint64_t from[WRT_MOST_SHIFTED];
    r->next = (r->next + (m->ticks - m->shifted_since) % s->capacity) % s->capacity;
    for (uint64_t i = 0; i < s->capacity; i++) from[place(s, r->next, i + 1)] = i;
    permute(m->arena, s, from);
  }
  m->is_shifted = false;
  wrt_native_choose(m);
}
