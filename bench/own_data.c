/* bench/own_data.c -- a user's rows made typed rows and columns, before anything is timed. */
#include "bench/own_data.h"

#include <stdlib.h>
#include <string.h>

static bool is_flat(weir_kind kind) {
  return kind == WEIR_KIND_INT || kind == WEIR_KIND_FLOAT || kind == WEIR_KIND_BOOL || kind == WEIR_KIND_TEXT || kind == WEIR_KIND_UNIT;
}

static const weir_value *value_at(const own_data *d, size_t row, uint32_t input) { return &d->own->values[row * d->ins + input]; }

/* Whatever does not fit: the tagged rows, which run first, tell. */
static weir_cell cell_of(weir_kind kind, const weir_value *v) {
  weir_cell c = {.i = 0};
  if (kind == WEIR_KIND_FLOAT && v->tag == WEIR_INT) c.f = (double)v->as.i;
  else if (v->tag == WEIR_BOOL) c.i = v->as.b;
  else if (v->tag == WEIR_INT || v->tag == WEIR_FLOAT) c.i = v->as.i; /* or its bits */
  return c;
}

/* ---- Typed rows ---- */

static void make_cells(own_data *d) {
  size_t words = WEIR_WORDS(d->ins);
  uint64_t *present = bench_alloc(d->n * words * sizeof *present), *deferred = bench_alloc(d->n * words * sizeof *deferred);
  bool all_present = true, any_deferred = false;
  d->cells = bench_alloc(d->n * d->ins * sizeof *d->cells);
  for (size_t i = 0; i < d->n; i++)
    for (uint32_t c = 0; c < d->ins; c++) {
      const weir_value *v = value_at(d, i, c);
      uint64_t bit = (uint64_t)1 << c % 64;
      d->cells[i * d->ins + c] = cell_of(weir_program_input_kind(d->program, c), v);
      if (v->tag > WEIR_DEFERRED) present[i * words + c / 64] |= bit;
      if (v->tag == WEIR_DEFERRED) deferred[i * words + c / 64] |= bit;
      all_present &= v->tag > WEIR_DEFERRED;
      any_deferred |= v->tag == WEIR_DEFERRED;
    }
  if (!all_present) d->present = present;
  else free(present);
  if (any_deferred) d->deferred = deferred;
  else free(deferred);
}

/* ---- Columns ---- */

/* An input's column in all batches; each begins at a whole byte of its bitmaps. */
typedef struct column {
  weir_kind kind;
  char *cells;      /* eight bytes each; Bools one; offsets: BATCH + 1 a batch */
  char *text;
  uint8_t *present, *deferred;
  bool all_present, any_deferred;
} column;

static void put_texts(const own_data *d, uint32_t input, size_t at, size_t n, uint32_t *offsets, char *text, size_t *used) {
  size_t begin = *used;
  for (size_t i = 0; i < n; i++) {
    const weir_value *v = value_at(d, at + i, input);
    offsets[i] = (uint32_t)(*used - begin);
    if (v->tag != WEIR_TEXT) continue;
    memcpy(text + *used, v->as.text, v->count);
    *used += v->count;
  }
  offsets[n] = (uint32_t)(*used - begin);
}

/* False: the texts of a batch are more than offsets of 32 bits reach. */
static bool measure_texts(const own_data *d, uint32_t input, size_t *all) {
  size_t in_batch = 0;
  *all = 0;
  for (size_t i = 0; i < d->n; i++) {
    const weir_value *v = value_at(d, i, input);
    if (i % BATCH == 0) in_batch = 0;
    if (v->tag != WEIR_TEXT) continue;
    in_batch += v->count;
    *all += v->count;
    if (in_batch > UINT32_MAX) return false;
  }
  return true;
}

static bool begin_column(own_data *d, uint32_t input, column *c) {
  size_t each = 8, text = 0, n = d->n;
  *c = (column){.kind = weir_program_input_kind(d->program, input), .all_present = true};
  if (c->kind == WEIR_KIND_BOOL) each = 1;
  if (c->kind == WEIR_KIND_TEXT) {
    if (!measure_texts(d, input, &text)) return false;
    each = sizeof(uint32_t);
    n = own_batches(d) * (BATCH + 1);
  }
  void **blocks = d->blocks + (size_t)input * OWN_BLOCKS;
  c->cells = blocks[OWN_CELLS] = bench_alloc(n * each);
  c->text = blocks[OWN_TEXT] = bench_alloc(text);
  c->present = blocks[OWN_PRESENT] = bench_alloc(d->n / 8 + 1);
  c->deferred = blocks[OWN_DEFERRED] = bench_alloc(d->n / 8 + 1);
  return true;
}

static void put_cells(const own_data *d, uint32_t input, column *c) {
  for (size_t i = 0; i < d->n; i++) {
    const weir_value *v = value_at(d, i, input);
    weir_cell cell = cell_of(c->kind, v);
    if (c->kind == WEIR_KIND_BOOL) c->cells[i] = (char)cell.i;
    else if (c->kind != WEIR_KIND_TEXT) memcpy(c->cells + i * sizeof cell, &cell, sizeof cell);
    if (v->tag > WEIR_DEFERRED) c->present[i / 8] |= (uint8_t)(1 << i % 8);
    if (v->tag == WEIR_DEFERRED) c->deferred[i / 8] |= (uint8_t)(1 << i % 8);
    c->all_present &= v->tag > WEIR_DEFERRED;
    c->any_deferred |= v->tag == WEIR_DEFERRED;
  }
}

static bool make_column(own_data *d, uint32_t input) {
  column c;
  size_t used = 0;
  if (!begin_column(d, input, &c)) return false;
  put_cells(d, input, &c);
  for (size_t b = 0; b < own_batches(d); b++) {
    size_t at = b * BATCH, n = d->n - at < BATCH ? d->n - at : BATCH;
    weir_in_column *to = &d->columns[b * d->ins + input];
    if (c.kind == WEIR_KIND_TEXT) {
      uint32_t *offsets = (uint32_t *)(void *)c.cells + b * (BATCH + 1);
      to->bytes = c.text + used;
      put_texts(d, input, at, n, offsets, c.text, &used);
      to->as.offsets = offsets;
      to->n_bytes = offsets[n];
    } else if (c.kind == WEIR_KIND_BOOL) {
      to->as.b = (const uint8_t *)c.cells + at;
    } else {
      to->as.i = (const int64_t *)(void *)c.cells + at;
    }
    if (!c.all_present) to->present = c.present + at / 8;
    if (c.any_deferred) to->deferred = c.deferred + at / 8;
  }
  return true;
}

static bool refuse_columns(own_data *d, const char *why) {
  snprintf(d->why, sizeof d->why, "%s", why);
  return false;
}

static bool make_columns(own_data *d) {
  bool are_flat = true;
  for (uint32_t c = 0; c < d->ins; c++) are_flat &= is_flat(weir_program_input_kind(d->program, c));
  for (uint32_t c = 0; c < d->outs; c++) are_flat &= is_flat(weir_program_output_kind(d->program, c));
  if (!are_flat) return refuse_columns(d, "an input or output has values that no column takes");
  d->columns = bench_alloc(own_batches(d) * d->ins * sizeof *d->columns);
  for (uint32_t c = 0; c < d->ins; c++)
    if (!make_column(d, c)) return refuse_columns(d, "the texts of a batch are more than a column takes");
  return true;
}

/* ---- All of it ---- */

bool own_data_make(own_data *d, const weir_bench_own *own, bench_error *e) {
  weir_error why = {0};
  *d = (own_data){.own = own, .n = own->n_rows};
  if (weir_engine_new(NULL, &d->engine, &why) != WEIR_OK) return bench_fail_call(e, &why);
  if ((why.code = weir_compile(d->engine, own->text, own->length, own->compile, &d->program, NULL)) != WEIR_OK) return bench_fail_call(e, &why);
  d->ins = weir_program_input_count(d->program);
  d->outs = weir_program_output_count(d->program);
  d->blocks = bench_alloc((size_t)d->ins * OWN_BLOCKS * sizeof *d->blocks);
  d->room = bench_alloc(d->outs * sizeof *d->room);
  d->rows = (bench_rows){.text = own->text, .length = own->length, .compile = own->compile, .n = d->n, .ins = d->ins, .outs = d->outs};
  if (weir_program_is_typed(d->program)) {
    make_cells(d);
    d->rows.cells = d->cells;
    d->rows.present = d->present;
    d->rows.deferred = d->deferred;
  } else {
    d->rows.values = own->values;
  }
  d->has_columns = make_columns(d);
  return true;
}

void own_data_end(own_data *d) {
  for (size_t k = 0; d->blocks != NULL && k < (size_t)d->ins * OWN_BLOCKS; k++) free(d->blocks[k]);
  free(d->blocks);
  free(d->room);
  free(d->cells);
  free(d->present);
  free(d->deferred);
  free(d->columns);
  weir_program_release(d->program);
  weir_engine_free(d->engine);
}

/* One byte of each line of a cache. */
static void touch_block(const void *block, size_t bytes) {
  const volatile char *at = block;
  for (size_t i = 0; at != NULL && i < bytes; i += 64) (void)at[i];
}

void own_touch(void *data, size_t n, bool as_columns) {
  const own_data *d = data;
  if (as_columns) {
    for (uint32_t c = 0; c < d->ins; c++) touch_block(d->blocks[c * OWN_BLOCKS + OWN_CELLS], n * (weir_program_input_kind(d->program, c) == WEIR_KIND_BOOL ? 1 : 4));
    return;
  }
  touch_block(d->cells, d->cells != NULL ? n * d->ins * sizeof *d->cells : 0);
  touch_block(d->own->values, n * d->ins * sizeof *d->own->values);
}
