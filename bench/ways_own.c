/* bench/ways_own.c -- a user's own program in each tier and each form of call.
**
** The checksum goes over what a caller sees of each row's outputs: value, no value, or Deferred; it is the same in all forms.  Outputs are
** read in each form as a host reads them, whether values are there included. */
#include <stdlib.h>
#include <string.h>

#include "bench/own_data.h"

typedef struct own_run {
  own_data *d;
  weir_options options;
  weir_monitor *monitor;
  weir_cell *cells;         /* typed: the outputs of a row */
  uint64_t *present, *deferred;
  weir_out_column *columns; /* batches: BATCH rows; made when the room for their texts is known, by the first run */
} own_run;

/* ---- The checksum ---- */

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

static uint64_t mix_text(uint64_t h, const char *text, size_t n) {
  h = mix(mix(h, WEIR_TEXT), n);
  for (size_t i = 0; i < n; i++) h = mix(h, (unsigned char)text[i]);
  return h;
}

/* All NaNs are one value. */
static uint64_t mix_float(uint64_t h, double f) {
  uint64_t bits;
  memcpy(&bits, &f, sizeof bits);
  return mix(mix(h, WEIR_FLOAT), f == f ? bits : 1);
}

static uint64_t mix_value(uint64_t h, const weir_value *v) {
  switch ((weir_tag)v->tag) {
    case WEIR_NOVAL:
    case WEIR_DEFERRED:
    case WEIR_UNIT:
    case WEIR_TAG_COUNT: break;
    case WEIR_BOOL: return mix(mix(h, WEIR_BOOL), v->as.b);
    case WEIR_INT: return mix(mix(h, WEIR_INT), (uint64_t)v->as.i);
    case WEIR_FLOAT: return mix_float(h, v->as.f);
    case WEIR_TEXT: return mix_text(h, v->as.text, v->count);
    case WEIR_LIST:
    case WEIR_TUPLE:
      h = mix(mix(h, v->tag), v->count);
      for (uint32_t i = 0; i < v->count; i++) h = mix_value(h, &v->as.items[i]);
      return h;
    case WEIR_MAP:
      h = mix(mix(h, v->tag), v->count);
      for (uint32_t i = 0; i < v->count; i++) h = mix_value(mix_value(h, &v->as.entries[i].key), &v->as.entries[i].value);
      return h;
  }
  return mix(h, v->tag);
}

static uint64_t mix_cell(uint64_t h, weir_kind kind, weir_cell c, bool is_present, bool is_deferred) {
  if (!is_present) return mix(h, is_deferred ? WEIR_DEFERRED : WEIR_NOVAL);
  if (kind == WEIR_KIND_FLOAT) return mix_float(h, c.f);
  if (kind == WEIR_KIND_UNIT) return mix(h, WEIR_UNIT);
  return mix(mix(h, kind == WEIR_KIND_BOOL ? WEIR_BOOL : WEIR_INT), c.bits);
}

/* ---- Running ---- */

/* With the place in the specification, where a row made the call fail. */
static bool fail(const weir_error *why, bench_error *e) {
  if (why->row == WEIR_NO_ROW || why->code == WEIR_E_MEMORY || why->code == WEIR_E_ARGUMENT) return bench_fail_call(e, why);
  e->is_tick = true;
  e->tick = *why;
  return false;
}

static bool start(void *self, bench_error *e) {
  own_run *w = self;
  weir_error why;
  weir_monitor_free(w->monitor);
  return weir_monitor_new(w->d->engine, w->d->program, &w->options, &w->monitor, &why) == WEIR_OK || bench_fail_call(e, &why);
}

/* Text of the batch that the row is in; as much is the room that batches get. */
static void measure_text(own_run *w, size_t row, size_t *in_batch) {
  for (uint32_t c = 0; c < w->d->outs; c++) {
    const weir_value *v = weir_monitor_output(w->monitor, c);
    if (row % BATCH == 0) in_batch[c] = 0;
    if (v->tag == WEIR_TEXT) in_batch[c] += v->count;
    if (in_batch[c] > w->d->room[c]) w->d->room[c] = in_batch[c];
  }
}

static bool run_tagged(void *self, size_t n, uint64_t *sums, bench_error *e) {
  own_run *w = self;
  own_data *d = w->d;
  const weir_value *in = d->own->values;
  size_t *in_batch = sums != NULL ? bench_alloc(d->outs * sizeof *in_batch) : NULL;
  uint64_t tags = 0;
  bool is_good = true;
  weir_error why;
  for (size_t i = 0; i < n && is_good; i++, in += d->ins) {
    is_good = weir_monitor_push(w->monitor, in, d->ins, &why) == WEIR_OK;
    if (!is_good) break;
    for (uint32_t c = 0; c < d->outs; c++) {
      const weir_value *v = weir_monitor_output(w->monitor, c);
      tags += v->tag;
      if (sums != NULL) sums[0] = mix_value(sums[0], v);
    }
    if (sums != NULL) measure_text(w, i, in_batch);
  }
  __asm__ volatile("" : : "r"(tags));
  free(in_batch);
  return is_good || fail(&why, e);
}

static uint64_t mix_row(const own_run *w, uint64_t h) {
  for (uint32_t c = 0; c < w->d->outs; c++)
    h = mix_cell(h, weir_program_output_kind(w->d->program, c), w->cells[c], w->present[c / 64] >> c % 64 & 1, w->deferred[c / 64] >> c % 64 & 1);
  return h;
}

static bool run_typed(void *self, size_t n, uint64_t *sums, bench_error *e) {
  own_run *w = self;
  const own_data *d = w->d;
  const weir_cell *in = d->cells;
  const uint64_t *present = d->present, *deferred = d->deferred;
  size_t words = WEIR_WORDS(d->ins);
  weir_error why;
  for (size_t i = 0; i < n; i++, in += d->ins) {
    if (weir_monitor_push_typed(w->monitor, in, present, deferred, w->cells, w->present, w->deferred, &why) != WEIR_OK) return fail(&why, e);
    if (present != NULL) present += words;
    if (deferred != NULL) deferred += words;
    if (sums != NULL) sums[0] = mix_row(w, sums[0]);
  }
  return true;
}

static uint64_t mix_column(uint64_t h, weir_kind kind, const weir_out_column *o, size_t i) {
  bool is_present = o->present[i / 8] >> i % 8 & 1, is_deferred = o->deferred[i / 8] >> i % 8 & 1;
  weir_cell cell = {.i = 0};
  if (kind == WEIR_KIND_TEXT && is_present) return mix_text(h, o->bytes + o->as.offsets[i], o->as.offsets[i + 1] - o->as.offsets[i]);
  if (kind == WEIR_KIND_BOOL) cell.i = o->as.b[i];
  else if (kind != WEIR_KIND_TEXT) cell.i = o->as.i[i];
  return mix_cell(h, kind, cell, is_present, is_deferred);
}

static void make_columns(own_run *w) {
  w->columns = bench_alloc(w->d->outs * sizeof *w->columns);
  for (uint32_t c = 0; c < w->d->outs; c++) {
    bool is_text = weir_program_output_kind(w->d->program, c) == WEIR_KIND_TEXT;
    w->columns[c] = (weir_out_column){.as.i = bench_alloc((BATCH + 1) * sizeof(int64_t)), .present = bench_alloc(BATCH / 8), .deferred = bench_alloc(BATCH / 8)};
    if (!is_text) continue;
    w->columns[c].n_bytes = w->d->room[c];
    w->columns[c].bytes = bench_alloc(w->d->room[c]);
  }
}

static bool run_batches(void *self, size_t n, uint64_t *sums, bench_error *e) {
  own_run *w = self;
  const own_data *d = w->d;
  weir_error why;
  if (w->columns == NULL) make_columns(w);
  for (size_t at = 0, done; at < n; at += BATCH) {
    size_t rows = n - at < BATCH ? n - at : BATCH;
    const weir_in_column *ins = d->columns + at / BATCH * d->ins;
    if (weir_monitor_push_batch(w->monitor, rows, ins, d->ins, w->columns, d->outs, &done, &why) != WEIR_OK) return fail(&why, e);
    for (size_t i = 0; sums != NULL && i < rows; i++)
      for (uint32_t c = 0; c < d->outs; c++) sums[0] = mix_column(sums[0], weir_program_output_kind(d->program, c), &w->columns[c], i);
  }
  return true;
}

/* ---- Making one ---- */

static void end(void *self) {
  own_run *w = self;
  weir_monitor_free(w->monitor);
  for (uint32_t c = 0; w->columns != NULL && c < w->d->outs; c++) {
    free(w->columns[c].as.i);
    free(w->columns[c].bytes);
    free(w->columns[c].present);
    free(w->columns[c].deferred);
  }
  free(w->columns);
  free(w->cells);
  free(w->present);
  free(w->deferred);
  free(w);
}

static void settle(void *self) { bench_wait_for_code(((const own_run *)self)->monitor); }

static const bench_runner_ops ops[BENCH_FORM_COUNT] = {[BENCH_TAGGED] = {start, run_tagged, end, false, settle},
                                                       [BENCH_TYPED] = {start, run_typed, end, false, settle},
                                                       [BENCH_BATCH] = {start, run_batches, end, true, settle}};

bool own_open(void *data, bench_way way, bench_runner *out, char why[BENCH_WHY], bool *is_wrong) {
  own_data *d = data;
  bench_form form = bench_form_of(way);
  (void)is_wrong;
  why[0] = '\0';
  if (!bench_is_weir(way)) return false;
  if (form == BENCH_TYPED && d->cells == NULL) snprintf(why, BENCH_WHY, "not typed");
  if (form == BENCH_BATCH && !d->has_columns) snprintf(why, BENCH_WHY, "%s", d->why);
  if (why[0] != '\0') return false;
  own_run *w = bench_alloc(sizeof *w);
  w->d = d;
  w->options = bench_monitor_options(way);
  w->cells = bench_alloc(d->outs * sizeof *w->cells);
  w->present = bench_alloc(WEIR_WORDS(d->outs) * sizeof *w->present);
  w->deferred = bench_alloc(WEIR_WORDS(d->outs) * sizeof *w->deferred);
  *out = (bench_runner){&ops[form], w};
  bool is_there = bench_tier_of(way) != BENCH_TIER_NATIVE || bench_starts_in_kernels(out, &w->monitor, why);
  if (!is_there) end(w);
  return is_there;
}
