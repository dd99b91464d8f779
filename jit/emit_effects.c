/* jit/emit_effects.c -- in which order a kernel writes.
**
** A processor puts one store into its cache at a time, but two at once if the second is for the same line: rows that do little else are as
** fast as that.  So a few values are computed, and what is done with them is written in the order of places.  What reads a state is built
** before the state is written.  Copies need no registers: first those of what was in the arena, which is then overwritten; last those of inputs,
** several at once.  (The caller may have written the inputs just now, one by one.  A load of several then waits for these stores, which by then
** are done.) */
#include "ir/base/sort.h"
#include "jit/emit.h"

static const wir_ins *ins(const wjit_emit *e, uint32_t i) { return &e->body->ins[i]; }
static const wir_ins *operand(const wjit_emit *e, uint32_t effect) { return wir_ins_at(e->body, ins(e, effect)->args[0]); }
static uint32_t first_reader(const wjit_emit *e, uint32_t effect) {
  return ins(e, effect)->op == WIR_I_WRITE ? WJIT_NO_INS : e->lists.reader[ins(e, effect)->state];
}

typedef enum phase { COPY_OF_RING, COMPUTED, COPY_OF_INPUT } phase;

/* A copy goes into a cell that nobody reads. */
static phase phase_of(const wjit_emit *e, uint32_t effect) {
  const wir_ins *in = ins(e, effect), *from = operand(e, effect);
  if (in->op != WIR_I_KEEP || from->may != 0 || first_reader(e, effect) != WJIT_NO_INS) return COMPUTED;
  if (!e->body->is_whole || !wir_is_assumed(e->plan->bodies, in->state, e->fit)) return COMPUTED;
  return from->op == WIR_I_RING ? COPY_OF_RING : from->op == WIR_I_READ && e->is_crowded ? COPY_OF_INPUT : COMPUTED;
}

/* Only the order counts: outputs come last. */
static uint64_t place_of(const wjit_emit *e, uint32_t effect) {
  const wir_ins *in = ins(e, effect);
  return in->op == WIR_I_WRITE ? UINT64_MAX / 2 + in->stream : e->program->states[in->state].offset;
}

static bool is_before(const void *self, const void *a, const void *b) {
  const uint32_t *x = a, *y = b;
  uint64_t p = place_of(self, *x), q = place_of(self, *y);
  return p != q ? p < q : *x < *y;
}

static void sort_waiting(wjit_emit *e, uint32_t n) { wb_sort(e->lists.waiting, n, sizeof *e->lists.waiting, is_before, e); }

/* What has to be there before an effect. */
static void build_for(wjit_emit *e, uint32_t effect) {
  wjit_build(e, ins(e, effect)->args[0].i);
  for (uint32_t r = first_reader(e, effect); r != WJIT_NO_INS; r = e->lists.next[r]) wjit_build(e, r);
}

static void write_one(wjit_emit *e, uint32_t effect) {
  build_for(e, effect);
  wjit_build_one(e, effect);
}

/* ---- Copies ---- */

/* Appends the effects on instruction `i` that belong to a phase; returns how many are waiting then. */
static uint32_t add_effects(wjit_emit *e, uint32_t i, phase which, uint32_t n) {
  for (uint32_t k = e->lists.effect[i]; k != WJIT_NO_INS; k = e->lists.next[k])
    if (phase_of(e, k) == which) e->lists.waiting[n++] = k;
  return n;
}

static uint32_t find_copies(wjit_emit *e, phase which) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < e->body->effects; i++) n = add_effects(e, i, which, n);
  sort_waiting(e, n);
  return n;
}

/* Do the n copies from `first` on have their inputs, and their cells, one behind the other? */
static bool are_neighbours(const wjit_emit *e, const uint32_t *first, uint32_t n) {
  uint64_t place = place_of(e, first[0]);
  uint32_t input = operand(e, first[0])->stream;
  for (uint32_t k = 0; k < n; k++) {
    const wir_ins *from = operand(e, first[k]);
    if (from->kind == WIR_KIND_BOOL || from->stream != input + k || place_of(e, first[k]) != place + 8 * (uint64_t)k) return false;
  }
  return true;
}

static void copy_inputs(wjit_emit *e, uint32_t effect, uint32_t n) {
  LLVMTypeRef cells = LLVMVectorType(e->i64, n);
  LLVMValueRef v = wjit_load(e, cells, wjit_argument(e, WRT_ROW_IN), 8 * (uint64_t)operand(e, effect)->stream);
  LLVMValueRef stored = LLVMBuildStore(e->b, v, wjit_at(e, e->arena, wjit_int(e, (int64_t)place_of(e, effect))));
  LLVMSetAlignment(v, 8);
  LLVMSetAlignment(stored, 8);
}

static void write_inputs(wjit_emit *e) {
  uint32_t n = find_copies(e, COPY_OF_INPUT), at_once;
  for (const uint32_t *w = e->lists.waiting, *end = w + n; w != end; w += at_once) {
    at_once = end - w >= 4 && are_neighbours(e, w, 4) ? 4 : end - w >= 2 && are_neighbours(e, w, 2) ? 2 : 1;
    if (at_once == 1) write_one(e, *w);
    else copy_inputs(e, *w, at_once);
  }
}

/* ---- What is computed ---- */

static void write_waiting(wjit_emit *e, uint32_t n) {
  const uint32_t *waiting = e->lists.waiting;
  for (uint32_t k = 0; k < n; k++) build_for(e, waiting[k]);
  sort_waiting(e, n);
  for (uint32_t k = 0; k < n; k++) wjit_build_one(e, waiting[k]);
}

static void write_computed(wjit_emit *e) {
  enum { MOST = 6 }; /* values at once: so many that registers are left to compute them; from 3 on it matters little */
  uint32_t n = 0, n_values = 0, most = e->is_large ? 1 : MOST;
  for (uint32_t i = 0; i < e->body->effects; i++) {
    uint32_t before = n;
    n = add_effects(e, i, COMPUTED, n);
    n_values += n != before && ins(e, i)->op != WIR_I_READ && ins(e, i)->op != WIR_I_RING;
    if (n_values < most) continue;
    write_waiting(e, n);
    n = n_values = 0;
  }
  write_waiting(e, n);
}

void wjit_emit_effects(wjit_emit *e) {
  uint32_t n = find_copies(e, COPY_OF_RING);
  for (uint32_t k = 0; k < n; k++) write_one(e, e->lists.waiting[k]);
  write_computed(e);
  write_inputs(e);
}
