/* runtime/batch_rows.c -- rows of a batch that no tile takes: some at a time are turned from columns into rows of cells, pushed as typed rows in
** whatever tier takes those, and their outputs turned back into columns.
**
** So a row costs what a typed row does, and in columns with many gaps only what is there is looked at.  Bits change direction in squares of 64.
** Leave alone: what a typed row is (typed.c, native.c), which rows come here (batch.c). */
#include "runtime/batch_rows.h"

#include <string.h>

#include "runtime/bitmap.h"
#include "runtime/native.h"
#include "runtime/quick.h"

enum { MOST_ROWS = 64, FEWEST_ROWS = 8, MOST_BYTES = 128 * 1024 }; /* of a block of rows: it is to stay in the second-level cache */

/* A block of rows, one behind the other. */
struct wrt_batch_block {
  size_t rows;               /* at most */
  size_t words_in, words_out; /* of a row */
  weir_cell *in, *out;
  uint64_t *present, *deferred, *out_present, *out_deferred;
};
typedef struct wrt_batch_block block;

bool wrt_batch_has_rows(const wrt_monitor *m) { return m->is_typed && m->quick != NULL && m->quick->bodies->is_whole; }

/* Made when first wanted: many batches run in tiles alone.  NULL: out of memory. */
static block *find_block(wrt_monitor *m) {
  if (m->batch_block != NULL) return m->batch_block;
  const wir_program *p = m->program;
  block *k = WB_NEW(&m->mem, block);
  if (k == NULL) return NULL;
  size_t bytes = ((size_t)p->n_inputs + p->n_outputs + 1) * sizeof(weir_cell);
  k->rows = WB_MAX(WB_MIN(MOST_BYTES / bytes, MOST_ROWS), FEWEST_ROWS);
  k->words_in = WEIR_WORDS(p->n_inputs);
  k->words_out = WEIR_WORDS(p->n_outputs);
  k->in = WB_NEW_ARRAY(&m->mem, weir_cell, k->rows * p->n_inputs);
  k->out = WB_NEW_ARRAY(&m->mem, weir_cell, k->rows * p->n_outputs);
  k->present = WB_NEW_ARRAY(&m->mem, uint64_t, k->rows * k->words_in);
  k->deferred = WB_NEW_ARRAY(&m->mem, uint64_t, k->rows * k->words_in);
  k->out_present = WB_NEW_ARRAY(&m->mem, uint64_t, k->rows * k->words_out);
  k->out_deferred = WB_NEW_ARRAY(&m->mem, uint64_t, k->rows * k->words_out);
  if (k->in == NULL || k->out == NULL || k->present == NULL || k->deferred == NULL || k->out_present == NULL || k->out_deferred == NULL) return NULL;
  return m->batch_block = k;
}

/* ---- In ---- */

/* Bits [first, first + n) of a bitmap; `otherwise` where there is none. */
static uint64_t bits_of(const uint8_t *bits, size_t first, size_t n, bool otherwise) {
  uint64_t word = otherwise ? UINT64_MAX : 0;
  if (bits != NULL) (void)wrt_bits_get(bits, first, n, &word);
  return word & wrt_low_bits(n);
}

/* The samples that are there, each into its row.  Answers the rows in which it is no Bool. */
static uint64_t take_bools(weir_cell *to, size_t n_ins, const uint8_t *from, uint64_t present) {
  uint64_t refused = 0;
  for (; present != 0; present &= present - 1) {
    size_t r = (size_t)__builtin_ctzll(present);
    to[r * n_ins].i = from[r];
    refused |= (uint64_t)(from[r] > 1) << r;
  }
  return refused;
}
static void take_cells(weir_cell *to, size_t n_ins, const int64_t *from, uint64_t present, size_t n) {
  if (present == wrt_low_bits(n))
    for (size_t r = 0; r < n; r++) to[r * n_ins].i = from[r];
  else
    for (; present != 0; present &= present - 1) to[(size_t)__builtin_ctzll(present) * n_ins].i = from[__builtin_ctzll(present)];
}

/* Words of columns become words of rows; any: of all bits. */
static void turn_in(uint64_t square[64], uint64_t any, uint64_t *to, size_t words, size_t n) {
  if (any != 0) wrt_bits_transpose(square);
  for (size_t r = 0; r < n; r++) to[r * words] = square[r];
}

typedef struct gaps { bool has_absent, has_deferred; } gaps;

/* Rows [at, at + n) as cells.  Answers how many of them, from the first one on, hold nothing but Bools where Bools are to be. */
static size_t take_rows(const wrt_monitor *m, const block *k, const wrt_batch *b, size_t at, size_t n, gaps *g) {
  uint64_t refused = 0, any_absent = 0, all_deferred = 0;
  for (size_t first = 0; first < b->n_ins; first += 64) {
    uint64_t present[64] = {0}, deferred[64] = {0}, any_deferred = 0;
    for (size_t i = first; i < b->n_ins && i < first + 64; i++) {
      const weir_in_column *c = &b->ins[i];
      deferred[i - first] = bits_of(c->deferred, c->deferred_bit + at, n, false);
      present[i - first] = bits_of(c->present, c->present_bit + at, n, true) & ~deferred[i - first];
      any_absent |= wrt_low_bits(n) & ~present[i - first];
      any_deferred |= deferred[i - first];
      if (m->in_kinds[i] == WEIR_KIND_BOOL) refused |= take_bools(k->in + i, b->n_ins, c->as.b + at, present[i - first]);
      else take_cells(k->in + i, b->n_ins, c->as.i + at, present[i - first], n);
    }
    turn_in(present, UINT64_MAX, k->present + (WB_PLANTED(111) ? 0 : first / 64), k->words_in, n);
    turn_in(deferred, any_deferred, k->deferred + first / 64, k->words_in, n);
    all_deferred |= any_deferred;
  }
  *g = (gaps){any_absent != 0, all_deferred != 0};
  return refused == 0 ? n : (size_t)__builtin_ctzll(refused);
}

/* ---- Out ---- */

static void put_column(uint8_t kind, const weir_cell *from, size_t n_outs, const weir_out_column *c, size_t at, size_t n) {
  if (c->as.i == NULL) return;
  if (kind == WEIR_KIND_BOOL)
    for (size_t r = 0; r < n; r++) c->as.b[at + r] = (uint8_t)from[r * n_outs].i;
  else
    for (size_t r = 0; r < n; r++) c->as.i[at + r] = from[r * n_outs].i;
}

/* Words of rows become words of columns. */
static void turn_out(const uint64_t *from, size_t words, size_t n, uint64_t square[64]) {
  for (size_t r = 0; r < 64; r++) square[r] = r < n ? from[r * words] : 0;
  wrt_bits_transpose(square);
}

static bool asks_for_deferred(const wrt_batch *b) {
  size_t o = 0;
  while (o < b->n_outs && b->outs[o].deferred == NULL) o++;
  return o != b->n_outs;
}

static void put_rows(const wrt_monitor *m, const block *k, const wrt_batch *b, size_t at, size_t n, bool has_deferred) {
  for (size_t first = 0; first < b->n_outs; first += 64) {
    uint64_t present[64], deferred[64];
    turn_out(k->out_present + first / 64, k->words_out, n, present);
    if (has_deferred) turn_out(k->out_deferred + first / 64, k->words_out, n - WB_PLANTED(113), deferred);
    for (size_t o = first; o < b->n_outs && o < first + 64; o++) {
      const weir_out_column *c = &b->outs[o];
      put_column(m->out_kinds[o], k->out + o, b->n_outs, c, at, n);
      if (c->present != NULL) wrt_bits_put(c->present, c->present_bit + at, n, &present[o - first]);
      if (c->deferred != NULL) wrt_bits_put(c->deferred, c->deferred_bit + at, n, &deferred[o - first]);
    }
  }
}

/* ---- Rows ---- */

/* What takes the next of them.  The time of a batch's rows is measured where its pieces are (hot.h). */
static wrt_row_fn *taker(const wrt_monitor *m) {
  return m->native != NULL && m->native->regions == NULL && !m->is_terminal ? m->push_typed : wrt_push_typed;
}

static weir_code push_rows(wrt_monitor *m, const block *k, size_t n, gaps g, bool has_deferred, size_t *done, weir_error *e) {
  size_t n_ins = m->program->n_inputs, n_outs = m->program->n_outputs;
  for (size_t r = 0; r < n; r++, ++*done)
    WB_TRY(taker(m)(m, k->in + r * n_ins, g.has_absent ? k->present + r * k->words_in : NULL, g.has_deferred ? k->deferred + r * k->words_in : NULL,
                    k->out + r * n_outs, k->out_present + r * k->words_out, has_deferred ? k->out_deferred + r * k->words_out : NULL, e));
  return WEIR_OK;
}

weir_code wrt_batch_rows(wrt_monitor *m, const wrt_batch *b, size_t at, size_t n, size_t *done, bool *is_odd, weir_error *e) {
  block *k = find_block(m);
  gaps g;
  *done = 0;
  n = k == NULL ? 0 : take_rows(m, k, b, at, WB_MIN(n, k->rows), &g);
  *is_odd = n == 0;
  if (n == 0) return WEIR_OK;
  bool has_deferred = asks_for_deferred(b);
  weir_code rc = push_rows(m, k, n, g, has_deferred, done, e);
  put_rows(m, k, b, at, *done, has_deferred);
  return rc;
}
