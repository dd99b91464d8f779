/* runtime/native_batch.c -- runs tiles of a batch in kernels.
**
** A kernel takes columns without gaps and commits a whole tile or nothing: here gaps are filled, columns bound, presence written.  Rows that are
** not enough for a kernel, and those that find cold state, run where they would without kernels.
** Leave alone: what a kernel does (jit/batch*.c), the quickened tier's tiles (tile.c). */
#include "runtime/native_batch.h"

#include <string.h>

#include "ir/tileable.h"
#include "runtime/batch.h"
#include "runtime/bitmap.h"
#include "runtime/native.h"
#include "runtime/quick.h"
#include "runtime/tile.h"

/* ---- Rings, for the code ---- */

static void ring_read(const void *values, const wir_ring *ring, uint64_t capacity, uint64_t back, uint64_t n, void *to, uint64_t bytes) {
  const unsigned char *from = values;
  uint64_t at = ring->next >= back ? ring->next - back : ring->next + capacity - back, first = WB_MIN(n, WB_MIN(back, capacity - at));
  memcpy(to, from + at * bytes, first * bytes);
  uint64_t rest = WB_MIN(n, back) - first;
  if (rest != 0) memcpy((unsigned char *)to + first * bytes, from, rest * bytes);
}

static void ring_push(void *values, wir_ring *ring, uint64_t capacity, const void *from, uint64_t n, uint64_t bytes) {
  unsigned char *to = values;
  uint64_t skipped = n > capacity ? n - capacity : 0, at = (ring->next + skipped) % capacity, count = n - skipped, first = WB_MIN(count, capacity - at);
  const unsigned char *samples = (const unsigned char *)from + skipped * bytes;
  memcpy(to + at * bytes, samples, first * bytes);
  if (count != first) memcpy(to, samples + first * bytes, (count - first) * bytes);
  ring->next = at + count >= capacity + WB_PLANTED(105) ? at + count - capacity : at + count;
}

/* ---- Making ---- */

static void find_held(const wrt_monitor *m, wrt_native_batch *n) {
  const wir_body *b = &m->made_quick->bodies->of_fit[WIR_BODY_SPARSE];
  for (uint32_t i = 0; i < m->program->n_inputs; i++) n->held[i] = WRT_NATIVE_NONE;
  for (uint32_t o = 0; o < m->program->n_outputs; o++) n->input_of_output[o] = WRT_NATIVE_NONE;
  for (uint32_t i = 0; i < b->n_ins; i++) {
    const wir_ins *in = &b->ins[i], *of = wir_insns[in->op].operands == 0 ? in : wir_ins_at(b, in->args[0]);
    if (wir_holds(in) && of->op == WIR_I_READ) n->held[of->stream] = in->state;
    if (in->op == WIR_I_WRITE && of->op == WIR_I_READ && of->may != 0) n->input_of_output[wir_find_output(m->program, in->stream)] = of->stream;
  }
}

/* Parts of one block: the frame's scratch memory last, aligned. */
wrt_native_batch *wrt_native_batch_new(wrt_monitor *m, const wrt_native *kernels) {
  const wir_program *p = m->program;
  uint64_t scratch = 0, most = 0;
  for (uint32_t f = 0; f < WIR_BODY_FITS; f++) {
    if (kernels->tiles[f] == NULL) continue;
    most = WB_MAX(most, kernels->batches[f].rows);
    scratch = WB_MAX(scratch, kernels->batches[f].scratch);
  }
  wrt_native_batch *n = WB_NEW(&m->mem, wrt_native_batch);
  if (n == NULL) return NULL;
  n->most_rows = (uint32_t)most;
  n->present_words = most / 64;
  n->columns = WB_NEW_ARRAY(&m->mem, void *, (size_t)p->n_inputs + p->n_outputs);
  n->held = WB_NEW_ARRAY(&m->mem, uint32_t, p->n_inputs);
  n->input_of_output = WB_NEW_ARRAY(&m->mem, uint32_t, p->n_outputs);
  n->present = WB_NEW_ARRAY(&m->mem, uint64_t, p->n_inputs * n->present_words);
  n->frame = (wrt_batch_frame){.arena = m->arena, .columns = n->columns, .n_cold = m->made_quick->n_cold, .ring_read = ring_read, .ring_push = ring_push};
  n->frame.scratch = wb_alloc(&m->mem, scratch, 1, 64);
  if (n->columns == NULL || n->held == NULL || n->input_of_output == NULL || n->present == NULL || n->frame.scratch == NULL) return NULL;
  find_held(m, n);
  return n;
}

/* ---- Columns ---- */

static size_t width_of(uint8_t kind) { return kind == WEIR_KIND_BOOL ? 1 : 8; }

/* A caller's input stands where outputs stand, too; no code writes there. */
static void *port(const uint8_t *column, size_t at, size_t width) { return (void *)(uintptr_t)(column + at * width); }

/* The last value of an input, before the tile. */
static int64_t newest(const wrt_monitor *m, uint32_t state) {
  if (state == WRT_NATIVE_NONE || WB_PLANTED(106)) return 0;
  const wir_state *s = &m->program->states[state];
  return wrt_tile_sample(s, m->arena, wrt_tile_place(s, m->arena, 1));
}

/* As a level's fill does cells. */
static void fill_bools(unsigned char *to, const unsigned char *from, size_t rows, const uint64_t *present, unsigned char before) {
  for (size_t i = 0; i < rows; i += 64) {
    uint64_t bits = present[i / 64];
    size_t n = WB_MIN(rows - i, 64);
    if (bits == UINT64_MAX) memcpy(to + i, from + i, n);
    else if (bits == 0) memset(to + i, before, n);
    else
      for (size_t r = 0; r < n; r++, bits >>= 1) {
        unsigned char x = from[i + r];
        to[i + r] = before = bits & 1 ? x : before;
      }
    before = to[i + n - 1];
  }
}

/* A copy in which absent samples repeat the last one that was there. */
static void fill(const wrt_monitor *m, unsigned char *to, const void *from, size_t width, size_t rows, const uint64_t *present, int64_t before) {
  if (width == 1) fill_bools(to, from, rows, present, (unsigned char)before);
  else m->quick->tile->level->fill((wrt_cell *)(void *)to, from, rows, present, before);
}

/* Gathers which inputs are there, into words; true: all. */
static bool find_present(wrt_native_batch *n, const wrt_batch *b, size_t at, size_t rows) {
  bool are_all = true;
  for (size_t i = 0; i < b->n_ins; i++) {
    const weir_in_column *c = &b->ins[i];
    if (c->present != NULL) are_all &= wrt_bits_get(c->present, c->present_bit + at, rows, n->present + i * n->present_words);
  }
  return are_all;
}

static bool lacks(const wrt_native_batch *n, const wrt_batch *b, size_t i, size_t rows) {
  const uint64_t *words = n->present + i * n->present_words;
  uint64_t all = UINT64_MAX;
  for (size_t w = 0; b->ins[i].present != NULL && w * 64 < rows; w++) all &= words[w];
  return all != UINT64_MAX;
}

static unsigned char *column_of(wrt_monitor *m, const wrt_native_batch *n, unsigned char **block, size_t count, size_t i) {
  if (*block == NULL) *block = wb_alloc(&m->mem, count, (size_t)n->most_rows * 8, 64);
  return *block == NULL ? NULL : *block + i * n->most_rows * 8;
}

static bool bind_inputs(wrt_monitor *m, wrt_native_batch *n, const wrt_batch *b, size_t at, size_t rows, bool are_all) {
  for (size_t i = 0; i < b->n_ins; i++) {
    size_t width = width_of(m->in_kinds[i]);
    n->columns[i] = port(b->ins[i].as.b, at, width);
    if (are_all || (n->held[i] == WRT_NATIVE_NONE && width != 1) || !lacks(n, b, i, rows)) continue; /* bytes must be Bools */
    unsigned char *to = column_of(m, n, &n->filled, b->n_ins, i);
    if (to == NULL) return false;
    fill(m, to, n->columns[i], width, rows, n->present + i * n->present_words, newest(m, n->held[i]));
    n->columns[i] = to;
  }
  return true;
}

static bool bind_outputs(wrt_monitor *m, wrt_native_batch *n, const wrt_batch *b, size_t at) {
  for (size_t o = 0; o < b->n_outs; o++) {
    void **to = &n->columns[b->n_ins + o];
    if (b->outs[o].as.b != NULL) *to = port(b->outs[o].as.b, at, width_of(m->out_kinds[o]));
    else if ((*to = column_of(m, n, &n->unasked, b->n_outs, o)) == NULL) return false;
  }
  return true;
}

/* An input that is an output as it is; 0 stands in its gaps. */
static void copy_input(const wrt_monitor *m, const wrt_native_batch *n, const wrt_batch *b, size_t at, size_t rows, uint32_t input, size_t o) {
  size_t width = width_of(m->in_kinds[input]);
  const uint64_t *present = n->present + input * n->present_words;
  unsigned char *to = n->columns[b->n_ins + o];
  memcpy(to, port(b->ins[input].as.b, at, width), rows * width);
  for (size_t i = 0; b->ins[input].present != NULL && i < rows; i += 64) {
    uint64_t bits = present[i / 64];
    size_t some = WB_MIN(rows - i, 64);
    if (bits == 0) memset(to + i * width, 0, some * width);
    else if (width == 1)
      for (size_t r = i; r < i + some; r++, bits >>= 1) to[r] = (unsigned char)(to[r] & (0 - (bits & 1)));
    else
      for (size_t r = i; r < i + some; r++, bits >>= 1) ((wrt_cell *)(void *)to)[r] &= -(int64_t)(bits & 1);
  }
}

static void put_outputs(const wrt_monitor *m, const wrt_native_batch *n, const wrt_batch *b, size_t at, size_t rows, wir_body_fit fit) {
  for (size_t o = 0; o < b->n_outs; o++) {
    const weir_out_column *c = &b->outs[o];
    uint32_t input = fit == WIR_BODY_WARM ? WRT_NATIVE_NONE : n->input_of_output[o];
    bool has_gaps = input != WRT_NATIVE_NONE && b->ins[input].present != NULL;
    if (input != WRT_NATIVE_NONE) copy_input(m, n, b, at, rows, input, o);
    if (c->present != NULL && has_gaps) wrt_bits_put(c->present, c->present_bit + at, rows, n->present + input * n->present_words);
    else if (c->present != NULL) wrt_bits_fill(c->present, c->present_bit + at, rows - WB_PLANTED(107), true);
    if (c->deferred != NULL) wrt_bits_fill(c->deferred, c->deferred_bit + at, rows, false);
  }
}

/* ---- Tiles ---- */

enum { WORTH_ALIGNING = 256 }; /* rows */

/* A vector that stands in two lines of the cache costs double, and more where it is stored: wide ones do so in every row, unless a tile
** begins where a line does.  Callers' columns mostly stand alike, so one is asked for all. */
static size_t rows_before_line(const wrt_monitor *m, const wrt_batch *b, size_t at) {
  for (size_t o = 0; o < b->n_outs; o++)
    if (b->outs[o].as.i != NULL && width_of(m->out_kinds[o]) == 8) return -((uintptr_t)(b->outs[o].as.i + at) / 8) % 8;
  return 0;
}

/* Made when the first batch comes: many monitors get none.  NULL: there is no memory for it. */
static wrt_native_batch *find_batch(wrt_monitor *m) {
  if (m->native_batch == NULL && !m->has_no_native_batch) m->native_batch = wrt_native_batch_new(m, m->native);
  m->has_no_native_batch = m->native_batch == NULL;
  return m->native_batch;
}

size_t wrt_native_batch_rows(wrt_monitor *m, const wrt_batch *b, size_t at, size_t *alone) {
  *alone = 0;
  if (m->native == NULL || m->native->regions != NULL) return 0;
  m->push_typed = m->other; /* it looks at what tiles leave behind, wherever they run */
  wrt_native_batch *n = find_batch(m);
  if (n == NULL || wrt_quick_fit(m, WIR_BODY_WARM) == WIR_BODY_GENERAL) return 0; /* before anything is looked at: it may last */
  size_t rows = WB_MIN(b->rows - at, n->most_rows) & ~(size_t)(WRT_BATCH_UNIT - 1);
  if (rows == 0 || wrt_tile_has_deferred(b, at, rows)) return 0;
  bool are_all = find_present(n, b, at, rows);
  wir_body_fit fit = are_all && m->native->tiles[WIR_BODY_WARM] != NULL ? WIR_BODY_WARM : WIR_BODY_SPARSE;
  if (m->native->tiles[fit] == NULL || wrt_quick_fit(m, fit) != fit) return 0;
  size_t before = rows_before_line(m, b, at);
  if (before != 0 && rows >= WORTH_ALIGNING) {
    wrt_batch part = *b;
    part.rows = at + before;
    return wrt_tile_rows(m, &part, at, alone);
  }
  rows = WB_MIN(rows, m->native->batches[fit].rows);
  if (!bind_inputs(m, n, b, at, rows, are_all) || !bind_outputs(m, n, b, at)) return 0;
  n->frame.rows = rows;
  n->frame.ticks = m->ticks;
  if (m->native->tiles[fit](&n->frame) != 0) {
    *alone = rows;
    wrt_hot_left(m, rows);
    return 0;
  }
  n->n_tiles[fit]++;
  put_outputs(m, n, b, at, rows, fit);
  m->ticks += rows - WB_PLANTED(108);
  m->quick->n_ran[fit] += rows;
  return rows;
}
