/* bench/ways_weir.c -- Weir, as a host calls it: through weir.h and the shared library, in each tier and in each form of call.
**
** A tagged row is filled from cells and its outputs are read into cells as part of the call: a host has to do that too.  A typed row is
** the floor's row.  Batches are the floor's batches; presence of outputs is asked for where inputs are absent, and when checking. */
#include <stdlib.h>
#include <string.h>
#include <weir.h>

#include "bench/bench.h"

typedef struct weir_run {
  const bench_data *d;
  bench_way way;
  weir_engine *engine;
  weir_program *program;
  weir_monitor *monitor;
  weir_options options;
  Cell *out;                      /* BENCH_BLOCK rows */
  Column cols[MAX_COLS];          /* BATCH rows each */
  uint8_t *present[MAX_COLS];     /* bitmaps of BATCH rows */
  uint32_t *offsets[MAX_INS];     /* inputs that are texts: BATCH + 1 offsets, and the texts */
  char *texts[MAX_INS];
} weir_run;

static bool fail(const weir_run *w, const weir_error *why, bench_error *e) {
  return bench_fail(e, "%s %s, %s %s: row %llu: %s: %s", w->d->work->name, bench_variants[w->d->variant], bench_ways[w->way].engine,
                    bench_ways[w->way].form, (unsigned long long)why->row, weir_code_name(why->code), why->text);
}
static bool fail_absent(const weir_run *w, bench_error *e) {
  return bench_fail(e, "%s %s, %s %s: an output has no value", w->d->work->name, bench_variants[w->d->variant], bench_ways[w->way].engine,
                    bench_ways[w->way].form);
}

static bool start(void *self, bench_error *e) {
  weir_run *w = self;
  weir_error why;
  weir_monitor_free(w->monitor);
  return weir_monitor_new(w->engine, w->program, &w->options, &w->monitor, &why) == WEIR_OK || fail(w, &why, e);
}

static void end(void *self) {
  weir_run *w = self;
  weir_monitor_free(w->monitor);
  weir_program_release(w->program);
  weir_engine_free(w->engine);
  for (size_t c = 0; c < w->d->ins; c++) {
    free(w->offsets[c]);
    free(w->texts[c]);
  }
  for (size_t c = 0; c < w->d->outs; c++) {
    free(w->cols[c]);
    free(w->present[c]);
  }
  free(w->out);
  free(w);
}

/* ---- Tagged rows ---- */

static weir_value value_of(char type, Cell cell, bool is_present) {
  if (!is_present) return (weir_value){.tag = WEIR_NOVAL};
  if (type == 'i') return (weir_value){.tag = WEIR_INT, .as.i = cell};
  if (type == 'f') return (weir_value){.tag = WEIR_FLOAT, .as.i = cell}; /* its bits */
  const char *text = dynamic_bodies()[cell];
  return (weir_value){.tag = WEIR_TEXT, .count = (uint32_t)strlen(text), .as.text = text};
}

static bool read_outputs(const weir_run *w, Cell *out) {
  bool all = true;
  for (uint32_t k = 0; k < w->d->outs; k++) {
    const weir_value *v = weir_monitor_output(w->monitor, k);
    out[k] = v->tag == WEIR_BOOL ? v->as.b : v->as.i;
    all &= v->tag > WEIR_DEFERRED;
  }
  return all;
}

static bool run_tagged(void *self, size_t n, uint64_t *sums, bench_error *e) {
  weir_run *w = self;
  const bench_data *d = w->d;
  weir_value values[MAX_INS];
  weir_error why;
  bool is_sparse = bench_is_sparse(d), all = true;
  for (size_t at = 0; at < n; at += BENCH_BLOCK) {
    size_t block = n - at < BENCH_BLOCK ? n - at : BENCH_BLOCK;
    const Cell *in = d->rows + at * d->ins;
    Cell *out = w->out;
    for (size_t i = 0; i < block; i++, in += d->ins, out += d->outs) {
      uint64_t present = is_sparse ? d->present[at + i] : UINT64_MAX;
      for (size_t c = 0; c < d->ins; c++) values[c] = value_of(d->work->in_types[c], in[c], present >> c & 1);
      if (weir_monitor_push(w->monitor, values, d->ins, &why) != WEIR_OK) return fail(w, &why, e);
      all &= read_outputs(w, out);
    }
    if (sums != NULL) bench_weigh_rows(d, at, block, w->out, sums);
  }
  return all || fail_absent(w, e);
}

/* ---- Typed rows ---- */

static bool run_typed(void *self, size_t n, uint64_t *sums, bench_error *e) {
  weir_run *w = self;
  const bench_data *d = w->d;
  weir_error why;
  const uint64_t *present = bench_is_sparse(d) ? d->present : NULL;
  uint64_t out_dense = ~0ull >> (64 - d->outs), got, all = out_dense;
  for (size_t at = 0; at < n; at += BENCH_BLOCK) {
    size_t block = n - at < BENCH_BLOCK ? n - at : BENCH_BLOCK;
    const Cell *in = d->rows + at * d->ins;
    Cell *out = w->out;
    for (size_t i = 0; i < block; i++, in += d->ins, out += d->outs) {
      if (weir_monitor_push_typed(w->monitor, (const weir_cell *)in, present, NULL, (weir_cell *)out, &got, NULL, &why) != WEIR_OK)
        return fail(w, &why, e);
      all &= got;
      if (present != NULL) present++;
    }
    if (sums != NULL) bench_weigh_rows(d, at, block, w->out, sums);
  }
  return all == out_dense || fail_absent(w, e);
}

/* ---- Batches ---- */

/* Texts of rows [at, at + n) of a column of indices. */
static void put_texts(weir_run *w, size_t c, size_t at, size_t n, weir_in_column *to) {
  uint32_t *offsets = w->offsets[c], used = 0;
  for (size_t i = 0; i < n; i++) {
    const char *text = dynamic_bodies()[w->d->cols[c][at + i]];
    uint32_t length = (uint32_t)strlen(text);
    memcpy(w->texts[c] + used, text, length);
    offsets[i] = used;
    used += length;
  }
  offsets[n] = used;
  *to = (weir_in_column){.as.offsets = offsets, .bytes = w->texts[c], .n_bytes = used};
}

static bool are_all_present(const weir_run *w, size_t n) {
  for (size_t c = 0; c < w->d->outs; c++)
    for (size_t i = 0; i < n; i++)
      if (!(w->present[c][i / 8] >> i % 8 & 1)) return false;
  return true;
}

static bool run_batches(void *self, size_t n, uint64_t *sums, bench_error *e) {
  weir_run *w = self;
  const bench_data *d = w->d;
  weir_in_column ins[MAX_INS] = {0};
  weir_out_column outs[MAX_COLS] = {0};
  weir_error why;
  bool is_sparse = bench_is_sparse(d);
  for (size_t c = 0; c < d->outs; c++) {
    if (d->work->out_types[c] == 'b') outs[c].as.b = w->cols[c];
    else outs[c].as.i = w->cols[c];
    if (is_sparse || sums != NULL) outs[c].present = w->present[c];
  }
  for (size_t at = 0; at < n; at += BATCH) {
    size_t rows = n - at < BATCH ? n - at : BATCH, done;
    for (size_t c = 0; c < d->ins; c++) {
      if (w->offsets[c] != NULL) put_texts(w, c, at, rows, &ins[c]);
      else ins[c] = (weir_in_column){.as.i = d->cols[c] + at, .present = is_sparse ? (const uint8_t *)(d->valid[c] + at / 64) : NULL};
    }
    if (weir_monitor_push_batch(w->monitor, rows, ins, d->ins, outs, d->outs, &done, &why) != WEIR_OK) return fail(w, &why, e);
    if (sums == NULL) continue;
    if (!are_all_present(w, rows)) return fail_absent(w, e);
    bench_weigh_columns(d, at, rows, w->cols, true, sums);
  }
  return true;
}

/* ---- Making one ---- */

static void settle(void *self) { bench_wait_for_code(((const weir_run *)self)->monitor); }

static const bench_runner_ops ops[BENCH_FORM_COUNT] = {[BENCH_TAGGED] = {start, run_tagged, end, false, settle},
                                                       [BENCH_TYPED] = {start, run_typed, end, false, settle},
                                                       [BENCH_BATCH] = {start, run_batches, end, true, settle}};

/* Little-endian words are bitmaps by bytes, and a Cell of a row is the caller's weir_cell. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the floor's words of presence are handed over as bytes");
_Static_assert(sizeof(weir_cell) == sizeof(Cell), "a row of cells is a row of cells");

static void make_buffers(weir_run *w) {
  const bench_data *d = w->d;
  w->out = bench_alloc(BENCH_BLOCK * d->outs * sizeof(Cell));
  for (size_t c = 0; c < d->outs; c++) {
    w->cols[c] = bench_alloc(BATCH * sizeof(Cell));
    w->present[c] = bench_alloc(BATCH / 8);
  }
  for (size_t c = 0; c < d->ins; c++) {
    if (d->work->in_types[c] != 's') continue;
    w->offsets[c] = bench_alloc((BATCH + 1) * sizeof(uint32_t));
    w->texts[c] = bench_alloc(BATCH * 64);
  }
}

static bool compile(weir_run *w, char why[BENCH_WHY], bool *is_wrong) {
  weir_diagnostics *diagnostics = NULL;
  weir_error error = {0};
  if (weir_engine_new(NULL, &w->engine, &error) != WEIR_OK) {
    snprintf(why, BENCH_WHY, "%.90s", error.text);
    *is_wrong = true;
    return false;
  }
  weir_code code = weir_compile(w->engine, w->d->spec, w->d->spec_length, NULL, &w->program, &diagnostics);
  if (code == WEIR_OK) return true;
  *is_wrong = code != WEIR_E_NOT_YET;
  if (code == WEIR_E_NOT_YET) snprintf(why, BENCH_WHY, "not yet");
  else snprintf(why, BENCH_WHY, "%s: %.70s", weir_code_name(code), diagnostics != NULL ? weir_diagnostics_at(diagnostics, 0).text : "");
  weir_diagnostics_free(diagnostics);
  return false;
}

bool bench_open_weir(bench_way way, const bench_data *d, bench_runner *out, char why[BENCH_WHY], bool *is_wrong) {
  weir_run *w = bench_alloc(sizeof *w);
  w->d = d;
  w->way = way;
  w->options = bench_monitor_options(way);
  make_buffers(w);
  *out = (bench_runner){&ops[bench_form_of(way)], w};
  bool is_there = compile(w, why, is_wrong);
  if (is_there && bench_form_of(way) == BENCH_TYPED && !weir_program_is_typed(w->program)) {
    snprintf(why, BENCH_WHY, "not typed");
    is_there = false;
  }
  if (is_there && bench_tier_of(way) == BENCH_TIER_NATIVE) is_there = bench_starts_in_kernels(out, &w->monitor, why);
  if (!is_there) end(w);
  return is_there;
}
