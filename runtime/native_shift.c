/* runtime/native_shift.c -- small rings between their canonical form and the one in which kernels shift them (kernel.h).
**
** Each tick moves the place of the next sample on by one, whoever runs it: so how far it has come since is known from the ticks.  Only rings
** that are full of values are shifted.  There and back is the identity, whether rows ran in between or not. */
#include "runtime/monitor.h"
#include "runtime/native.h"
#include "runtime/tile.h"

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

void wrt_native_acquire(wrt_monitor *m) {
  if (m->is_shifted) return;
  for (uint32_t k = 0; k < m->native->n_shifts; k++) {
    const wir_state *s = &m->program->states[m->native->shifts[k]];
    uint64_t from[WRT_MOST_SHIFTED];
    for (uint64_t i = 0; i < s->capacity; i++) from[i] = wrt_tile_place(s, m->arena, i + 1);
    permute(m->arena, s, from);
  }
  m->is_shifted = true;
  m->shifted_since = m->ticks;
}

void wrt_native_release(wrt_monitor *m) {
  if (!m->is_shifted) return;
  for (uint32_t k = 0; k < m->native->n_shifts; k++) {
    const wir_state *s = &m->program->states[m->native->shifts[k]];
    wir_ring *r = (wir_ring *)(void *)(m->arena + s->ring);
    uint64_t from[WRT_MOST_SHIFTED];
    r->next = (r->next + (m->ticks - m->shifted_since) % s->capacity) % s->capacity;
    for (uint64_t i = 0; i < s->capacity; i++) from[wrt_tile_place(s, m->arena, i + 1)] = i;
    permute(m->arena, s, from);
  }
  m->is_shifted = false;
  wrt_native_choose(m);
}
