/* runtime/self_check.c -- runs rows twice and compares: see self_check.h.
**
** Leave alone: how rows run (tick.c, typed.c, batch.c), the text of what is written (self_check_file.c). */
#include "runtime/self_check_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ir/bodies.h"
#include "runtime/batch.h"
#include "runtime/bitmap.h"
#include "runtime/native.h"
#include "runtime/quick.h"

enum { LEAST_PIECE = 16, MOST_PIECE = 1040 }; /* rows of a batch that are checked together: tiles of every size */

/* ---- Which rows ---- */

static uint64_t draw(wrt_check *c) {
  uint64_t x = c->random += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* Rows until the next that is checked, counting that: behind n that were, so many that they are one of `every`. */
static uint64_t gap(wrt_check *c, uint64_t n) { return 1 + n * (draw(c) % (2 * c->every - 1)); }

static bool is_due(wrt_check *c) {
  if (--c->left != 0) return false;
  c->left = gap(c, 1);
  return true;
}

/* ---- Running canonically ---- */

/* What takes typed rows where there is no check.  Kernels look at the state first. */
static wrt_row_fn *taker(const wrt_monitor *m) {
  if (m->native != NULL && m->native->regions == NULL && !m->is_terminal) return m->other;
  return m->hot.next == UINT64_MAX || m->is_terminal ? wrt_push_typed : wrt_push_typed_watched;
}

void wrt_check_settle(wrt_monitor *m) {
  if (m->check != NULL) m->push_typed = wrt_check_typed;
}

typedef struct tiers { wrt_quick *quick; const wrt_native *native; uint64_t next; } tiers;

static tiers go_canonical(wrt_monitor *m) {
  tiers was = {m->quick, m->native, m->hot.next};
  m->quick = NULL;
  m->native = NULL;
  m->hot.next = UINT64_MAX;
  wrt_tick_undo(m); /* the stage follows the arena again */
  return was;
}

static void come_back(wrt_monitor *m, const tiers *was) {
  m->quick = was->quick;
  m->native = was->native;
  m->hot.next = was->next;
  m->quick->knows_cold = m->quick->is_fast = false;
}

typedef struct counts { uint64_t ticks, canonical, quick; } counts;
static counts counts_of(const wrt_monitor *m) { return (counts){m->ticks, m->canonical_ticks, m->quick_ticks}; }
static void set_counts(wrt_monitor *m, const counts *c) { m->ticks = c->ticks, m->canonical_ticks = c->canonical, m->quick_ticks = c->quick; }

/* ---- Comparing ---- */

static bool same_scalar(weir_value a, weir_value b) {
  if (a.tag != b.tag) return false;
  if (a.tag == WEIR_BOOL) return a.as.b == b.as.b;
  if (a.tag == WEIR_FLOAT) return a.as.i == b.as.i || (a.as.f != a.as.f && b.as.f != b.as.f);
  return a.tag != WEIR_INT || a.as.i == b.as.i;
}

/* Of values that may be counted objects.  Where memory is exhausted nothing is found. */
static bool same_value(wrt_monitor *m, weir_value a, weir_value b) {
  bool is = true;
  if (a.tag <= WEIR_FLOAT || b.tag <= WEIR_FLOAT) return same_scalar(a, b);
  return wir_value_equal(&m->mem, a, b, &is) != WEIR_OK || is;
}

static bool same_samples(wrt_monitor *m, const wir_state *s, const unsigned char *a, const unsigned char *b) {
  uint64_t n = s->capacity;
  if (wir_state_is_ring(s)) {
    const wir_ring *x = (const wir_ring *)(const void *)(a + s->ring), *y = (const wir_ring *)(const void *)(b + s->ring);
    if (x->next != y->next || x->filled != y->filled) return false;
    n = x->filled;
  }
  for (uint64_t i = 0; i < n; i++)
    if (!same_value(m, wir_sample_load((wir_cell)s->cell, a + s->offset, a + s->presence, i), wir_sample_load((wir_cell)s->cell, b + s->offset, b + s->presence, i)))
      return false;
  return true;
}

static void tell(wrt_check *c, const char *what, uint32_t number, wb_str stream) {
  if (c->what[0] == '\0') snprintf(c->what, sizeof c->what, "%s %u, of stream %.*s", what, number, (int)WB_MIN(stream.n, 60), stream.at);
}

/* The first state that differs, by its descriptor; of cells alone, or of all. */
static bool same_state(wrt_monitor *m, const unsigned char *a, const unsigned char *b, bool only_cells) {
  const wir_program *p = m->program;
  for (uint32_t i = 0; i < p->n_states; i++) {
    const wir_state *s = &p->states[i];
    if ((only_cells && wir_state_is_ring(s)) || same_samples(m, s, a, b)) continue;
    tell(m->check, "state", i, wir_stream_name(p, s->stream));
    return false;
  }
  return true;
}

/* ---- A call, in either form ---- */

typedef struct call {
  const weir_cell *in;      /* typed */
  const uint64_t *in_present, *in_deferred;
  weir_cell *out;
  uint64_t *out_present, *out_deferred;
  const weir_value *inputs; /* tagged */
  size_t count;
  const wrt_batch *batch;
} call;

static weir_code run(wrt_monitor *m, const call *k, size_t *done, weir_error *e) {
  weir_code rc;
  if (k->batch != NULL) return wrt_batch_run(m, k->batch, done, e);
  m->push_typed = taker(m);
  rc = k->inputs != NULL ? wrt_push_row(m, k->inputs, k->count, e)
                         : m->push_typed(m, k->in, k->in_present, k->in_deferred, k->out, k->out_present, k->out_deferred, e);
  *done = rc == WEIR_OK;
  return rc;
}

/* Output o of the call's row, as it has been published.  What the caller did not ask for is NoVal. */
static weir_value published(const wrt_monitor *m, const call *k, uint32_t o, size_t row) {
  uint8_t kind = m->out_kinds[o];
  bool is_late, is_there;
  weir_cell cell = {.i = 0};
  if (k->inputs != NULL) return m->outputs[o];
  if (k->batch == NULL) {
    is_late = k->out_deferred != NULL && wrt_word_bit(k->out_deferred, o);
    is_there = k->out_present == NULL || wrt_word_bit(k->out_present, o);
    cell = k->out[o];
  } else {
    const weir_out_column *c = &k->batch->outs[o];
    is_late = c->deferred != NULL && wrt_bit(c->deferred, c->deferred_bit, row);
    is_there = c->present == NULL || wrt_bit(c->present, c->present_bit, row);
    if (c->as.b != NULL) cell.i = kind == WEIR_KIND_BOOL ? c->as.b[row] : c->as.i[row];
  }
  if (is_late || !is_there) return (weir_value){.tag = is_late ? WEIR_DEFERRED : WEIR_NOVAL};
  return wrt_check_value(kind, cell);
}

static void keep_published(const wrt_monitor *m, const call *k, size_t rows) {
  uint32_t n = m->program->n_outputs;
  for (size_t row = 0; row < rows; row++)
    for (uint32_t o = 0; o < n; o++) m->check->kept[row * n + o] = published(m, k, o, row);
}

static bool same_published(wrt_monitor *m, const call *k, size_t rows) {
  uint32_t n = m->program->n_outputs;
  for (size_t row = 0; row < rows; row++)
    for (uint32_t o = 0; o < n; o++) {
      if (same_scalar(m->check->kept[row * n + o], published(m, k, o, row))) continue;
      tell(m->check, "output", o, wir_stream_name(m->program, m->program->outputs[o]));
      return false;
    }
  return true;
}

/* ---- What is found ---- */

weir_tier wrt_check_tier(const wrt_monitor *m, weir_tier asked) {
  if (m->check == NULL) return asked;
  if (m->check->has_no_quick) return WEIR_TIER_CANONICAL;
  return m->check->has_no_native && asked != WEIR_TIER_CANONICAL ? WEIR_TIER_QUICKENED : asked;
}

bool wrt_check_has_discarded(const wrt_monitor *m) { return m->check != NULL && m->check->has_discarded; }

/* Kernels may be left alone, or come, in the very rows that differ: where they ran any of these, it is they who are to blame. */
typedef struct kernels { bool are_here; uint32_t n_given_up; } kernels;
static kernels kernels_of(const wrt_monitor *m) { return (kernels){m->native != NULL, m->hot.n_given_up}; }
static bool have_run(const kernels *before, const wrt_monitor *m) {
  kernels now = kernels_of(m);
  return before->are_here || now.are_here || now.n_given_up != before->n_given_up;
}

/* The canonical answer stands.  is_native: kernels ran these rows. */
static void switch_off(wrt_monitor *m, uint64_t first, uint64_t end, bool is_native) {
  wrt_check *c = m->check;
  if (c->n_differences++ == 0) c->tick = first;
  if (c->folder != NULL) wrt_check_write(m, first, end, is_native);
  c->has_discarded |= is_native && wrt_native_discard(m);
  c->has_no_native = true;
  c->has_no_quick |= !is_native;
  weir_code rc = wrt_set_tier(m, c->has_no_quick ? WEIR_TIER_CANONICAL : WEIR_TIER_QUICKENED, NULL);
  (void)rc; /* slower tiers need no memory */
  if (is_native) m->why_not_native = WRT_CHECK_DIFFERS;
}

/* The same for a row of a schedule that is not whole, once it is committed. */
static void end_steps(wrt_monitor *m) {
  if (!m->check->is_found) return;
  m->check->is_found = false;
  switch_off(m, m->check->found_at, m->check->found_at + 1, m->check->is_found_native);
}

static bool is_checkable(const wrt_monitor *m) { return m->quick != NULL && m->quick->bodies->is_whole && !m->is_terminal; }

/* So many rows of a whole schedule. */
static weir_code check(wrt_monitor *m, const call *k, size_t rows, size_t *done, weir_error *e) {
  const wir_program *p = m->program;
  wrt_check *c = m->check;
  counts was = counts_of(m);
  weir_error first = {.code = WEIR_OK};
  size_t done_first = 0;
  kernels before = kernels_of(m);
  wrt_native_release(m);
  wrt_copy_arena(p, c->before, m->arena);
  weir_code rc = run(m, k, &done_first, &first), again;
  counts now = counts_of(m);
  if (now.ticks - was.ticks == now.canonical - was.canonical) { /* nothing but what is canonical has run */
    if (rc != WEIR_OK && e != NULL) *e = first;
    *done = done_first;
    return rc;
  }
  bool is_native = have_run(&before, m);
  keep_published(m, k, done_first);
  wrt_native_release(m);
  wrt_copy_arena(p, c->after, m->arena);
  wrt_copy_arena(p, m->arena, c->before);
  set_counts(m, &was);
  m->is_terminal = false;
  tiers own = go_canonical(m);
  weir_error second = {.code = WEIR_OK};
  again = run(m, k, done, &second);
  come_back(m, &own);
  if (again != WEIR_OK && e != NULL) *e = second;
  if (rc == WEIR_E_MEMORY || again == WEIR_E_MEMORY) return again; /* that is not the tier's doing */
  c->n_checked += rows;
  bool is_end_same = rc == again && done_first == *done && now.ticks == m->ticks;
  if (!is_end_same && c->what[0] == '\0') snprintf(c->what, sizeof c->what, "how row %" PRIu64 " ends", was.ticks + WB_MIN(*done, done_first));
  if (is_end_same && same_published(m, k, *done) && same_state(m, c->after, m->arena, false)) m->canonical_ticks = now.canonical, m->quick_ticks = now.quick;
  else switch_off(m, was.ticks, was.ticks + rows, is_native);
  return again;
}

/* ---- Forms of push ---- */

weir_code wrt_check_typed(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                          uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  wrt_check *c = m->check;
  call k = {in, in_present, in_deferred, out, out_present, out_deferred, NULL, 0, NULL};
  size_t done;
  weir_code rc;
  bool is_row = (in != NULL || m->program->n_inputs == 0) && (out != NULL || m->program->n_outputs == 0) && m->is_typed;
  if (is_row) wrt_check_note_cells(m, in, in_present, in_deferred);
  if (!is_row || !is_checkable(m) || !is_due(c)) {
    rc = run(m, &k, &done, e);
  } else {
    if (out_present == NULL) k.out_present = c->words;
    if (out_deferred == NULL) k.out_deferred = c->words + WEIR_WORDS(m->program->n_outputs);
    rc = check(m, &k, 1, &done, e);
  }
  end_steps(m);
  wrt_check_settle(m);
  return rc;
}

weir_code wrt_check_tagged(wrt_monitor *m, const weir_value *inputs, size_t count, weir_error *e) {
  call k = {.inputs = inputs, .count = count};
  size_t done;
  if (inputs == NULL || count != m->program->n_inputs) return wrt_push_row(m, inputs, count, e);
  wrt_check_note_values(m, inputs);
  weir_code rc = is_checkable(m) && is_due(m->check) ? check(m, &k, 1, &done, e) : run(m, &k, &done, e);
  end_steps(m);
  wrt_check_settle(m);
  return rc;
}

static void *later(const void *column, size_t rows, size_t width) {
  return column == NULL ? NULL : (void *)((uintptr_t)column + rows * width);
}

/* Rows [at, at + n) of the batch. */
static wrt_batch piece_of(const wrt_monitor *m, const wrt_batch *b, size_t at, size_t n) {
  wrt_check *c = m->check;
  for (size_t i = 0; i < b->n_ins; i++) {
    c->ins[i] = b->ins[i];
    c->ins[i].as.b = later(b->ins[i].as.b, at, wrt_batch_widths[m->in_kinds[i]]);
    c->ins[i].present_bit += at;
    c->ins[i].deferred_bit += at;
  }
  for (size_t o = 0; o < b->n_outs; o++) {
    c->outs[o] = b->outs[o];
    c->outs[o].as.b = later(b->outs[o].as.b, at, wrt_batch_widths[m->out_kinds[o]]);
    c->outs[o].present_bit += at;
    c->outs[o].deferred_bit += at;
  }
  return (wrt_batch){.rows = n, .ins = c->ins, .outs = c->outs, .n_ins = b->n_ins, .n_outs = b->n_outs};
}

/* Half of the pieces end with a kernel's tile, so that the state is compared just as that leaves it. */
static size_t draw_piece(wrt_check *c) {
  size_t n = LEAST_PIECE + (size_t)(draw(c) % (MOST_PIECE - LEAST_PIECE + 1));
  return draw(c) % 2 == 0 ? n : n / WRT_BATCH_UNIT * WRT_BATCH_UNIT;
}

/* The next rows of a batch of a whole schedule, checked or not. */
static weir_code run_next(wrt_monitor *m, const wrt_batch *b, size_t *done, weir_error *e) {
  wrt_check *c = m->check;
  size_t rest = b->rows - *done, got = 0, n = c->left > rest ? rest : (size_t)c->left - 1;
  bool is_checked = c->left == 1;
  if (is_checked) n = draw_piece(c);
  n = WB_MIN(n, rest);
  wrt_batch piece = piece_of(m, b, *done, n);
  call k = {.batch = &piece};
  wrt_check_note_rows(m, &piece);
  c->left = is_checked ? gap(c, n) : c->left - n;
  weir_code rc = is_checked ? check(m, &k, n, &got, e) : wrt_batch_run(m, &piece, &got, e);
  *done += got;
  return rc;
}

/* Where the schedule is not whole, or its tier is switched off: rows check themselves, or not at all. */
static weir_code run_some(wrt_monitor *m, const wrt_batch *b, size_t *done, weir_error *e) {
  wrt_batch piece = piece_of(m, b, *done, WB_MIN(b->rows - *done, MOST_PIECE));
  size_t got = 0;
  wrt_check_note_rows(m, &piece);
  weir_code rc = wrt_batch_run(m, &piece, &got, e);
  *done += got;
  end_steps(m);
  return rc;
}

weir_code wrt_check_batch(wrt_monitor *m, const wrt_batch *b, size_t *done, weir_error *e) {
  weir_code rc = WEIR_OK;
  while (rc == WEIR_OK && *done < b->rows) rc = is_checkable(m) ? run_next(m, b, done, e) : run_some(m, b, done, e);
  wrt_check_settle(m);
  return rc;
}

/* ---- Not whole ---- */

/* The tier is switched off behind the call. */
static void note_found(wrt_monitor *m, bool is_native) {
  wrt_check *c = m->check;
  if (!c->is_found) c->is_found = true, c->is_found_native = is_native, c->found_at = m->ticks;
}

static bool same_rows(wrt_monitor *m) {
  const wir_program *p = m->program;
  for (uint32_t i = p->n_inputs; i < p->n_streams; i++) {
    if (same_value(m, m->check->row[i], m->row[i])) continue;
    tell(m->check, "stream", i, wir_stream_name(p, i));
    return false;
  }
  for (uint32_t i = 0; i < p->layout.n_pending; i++) {
    if (same_value(m, m->check->pending[i], m->stage.pending[i])) continue;
    if (m->check->what[0] == '\0') snprintf(m->check->what, sizeof m->check->what, "the sample of delay %u", i);
    return false;
  }
  return true;
}

weir_code wrt_check_steps(wrt_monitor *m, weir_error *e) {
  const wir_program *p = m->program;
  wrt_check *c = m->check;
  c->checks_commit = is_due(c);
  if (!c->checks_commit) return wrt_tick_run_unchecked(m, e);
  kernels before = kernels_of(m);
  if (!wrt_quick_steps(m)) return wrt_tick_run_declined(m, e);
  wrt_ran ran = m->ran;
  memcpy(c->row, m->row, p->n_streams * sizeof *c->row);
  memcpy(c->pending, m->stage.pending, p->layout.n_pending * sizeof *c->pending);
  memcpy(c->after, m->stage.cells, (size_t)p->layout.cells);
  weir_code rc = wrt_tick_run_declined(m, e);
  c->n_checked++;
  if (rc == WEIR_E_MEMORY) return rc;
  if (rc != WEIR_OK && c->what[0] == '\0') snprintf(c->what, sizeof c->what, "how row %" PRIu64 " ends", m->ticks);
  if (rc == WEIR_OK && same_rows(m) && same_state(m, c->after, m->stage.cells, true)) m->ran = ran;
  else note_found(m, have_run(&before, m));
  return rc;
}

bool wrt_check_commit(wrt_monitor *m) {
  wrt_check *c = m->check;
  unsigned char *own = m->arena;
  bool are_all;
  if (!c->checks_commit) return false;
  c->checks_commit = false;
  wrt_copy_arena(m->program, c->after, own);
  m->arena = c->after;
  bool has_run = wrt_native_commit(m, &are_all);
  m->arena = own;
  return has_run;
}

void wrt_check_committed(wrt_monitor *m) {
  const wir_program *p = m->program;
  for (uint32_t i = 0; i < p->n_rings; i++) {
    const wir_state *s = &p->states[p->rings[i]];
    if (s->cell > WIR_CELL_BOOL || same_samples(m, s, m->check->after, m->arena)) continue; /* the kernel leaves the others alone */
    tell(m->check, "state", p->rings[i], wir_stream_name(p, s->stream));
    note_found(m, true);
    return;
  }
}

/* ---- Life ---- */

bool wrt_check_new(wrt_monitor *m, const wrt_check_options *options) {
  const wir_program *p = m->program;
  if (options->every == 0) return true;
  wrt_check *c = m->check = WB_NEW(&m->mem, wrt_check);
  if (c == NULL) return false;
  size_t words = 2 * WEIR_WORDS(p->n_outputs), kept;
  c->every = WB_MIN(options->every, UINT32_MAX); /* so that no number of rows until the next overflows */
  c->random = options->seed;
  c->left = gap(c, 1);
  c->before = wb_block(&m->mem, (size_t)p->layout.bytes);
  c->after = wb_block(&m->mem, (size_t)p->layout.bytes);
  c->row = WB_NEW_ARRAY(&m->mem, weir_value, p->n_streams);
  c->pending = WB_NEW_ARRAY(&m->mem, weir_value, p->layout.n_pending);
  c->words = WB_NEW_ARRAY(&m->mem, uint64_t, words);
  c->ins = WB_NEW_ARRAY(&m->mem, weir_in_column, p->n_inputs);
  c->outs = WB_NEW_ARRAY(&m->mem, weir_out_column, p->n_outputs);
  c->kept = !wb_mul(MOST_PIECE, (size_t)p->n_outputs * sizeof *c->kept, &kept) ? NULL : wb_block(&m->mem, kept);
  if (c->before == NULL || c->after == NULL || c->row == NULL || c->pending == NULL || c->words == NULL || c->ins == NULL || c->outs == NULL || c->kept == NULL)
    return false;
  if (!wrt_check_notes_new(m, options->folder)) return false;
  wrt_check_settle(m);
  return true;
}

void wrt_check_report(const wrt_monitor *m, weir_report *report) {
  const wrt_check *c = m->check;
  report->difference_row = WEIR_NO_ROW;
  if (c == NULL) return;
  report->checked = c->n_checked;
  report->differences = c->n_differences;
  if (c->n_differences == 0) return;
  report->difference_row = c->tick;
  report->difference = c->what;
}
