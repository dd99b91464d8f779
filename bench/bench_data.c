/* bench/bench_data.c -- a case's rows, as rows and as columns; its specification; and the checksum of what comes out. */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static void make_spec(bench_data *d) {
  FILE *to = open_memstream(&d->spec, &d->spec_length);
  if (to == NULL) {
    perror("open_memstream");
    exit(1);
  }
  d->floor->write_spec(d->work->name, d->floor->seed, to);
  fclose(to);
}

void bench_data_make(bench_data *d, const char *workload, Variant v, size_t rows) {
  const Floor *floor = v == CONSTS ? &floor_consts : &floor_base;
  const Workload *w = floor->workload(workload);
  *d = (bench_data){.floor = floor, .work = w, .variant = v, .n = rows, .ins = strlen(w->in_types), .outs = strlen(w->out_types)};
  d->cols = bench_alloc(d->ins * sizeof *d->cols);
  d->valid = bench_alloc(d->ins * sizeof *d->valid);
  d->present = bench_alloc(rows * sizeof *d->present);
  for (size_t c = 0; c < d->ins; c++) {
    d->cols[c] = bench_alloc(rows * sizeof(Cell));
    d->valid[c] = bench_alloc((rows + 63) / 64 * sizeof(uint64_t));
  }
  floor->generate(w, v, v == BASE ? 0 : floor_consts.seed, rows, d->cols, d->present);
  d->rows = bench_alloc(rows * d->ins * sizeof(Cell));
  for (size_t i = 0; i < rows; i++)
    for (size_t c = 0; c < d->ins; c++) {
      d->rows[i * d->ins + c] = d->cols[c][i];
      d->valid[c][i / 64] |= (d->present[i] >> c & 1) << (i & 63);
    }
  make_spec(d);
}

void bench_data_end(bench_data *d) {
  for (size_t c = 0; c < d->ins; c++) {
    free(d->cols[c]);
    free(d->valid[c]);
  }
  free(d->cols);
  free(d->valid);
  free(d->present);
  free(d->rows);
  free(d->spec);
}

void bench_weigh_rows(const bench_data *d, size_t first, size_t n, const Cell *rows, uint64_t *sums) {
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < d->outs; c++) sums[c] += (2 * (uint64_t)(first + i) + 1) * (uint64_t)rows[i * d->outs + c];
}

void bench_weigh_columns(const bench_data *d, size_t first, size_t n, const Column *cols, bool bools_are_bytes, uint64_t *sums) {
  for (size_t c = 0; c < d->outs; c++) {
    const Cell *cells = cols[c];
    const uint8_t *bytes = cols[c];
    bool is_bytes = bools_are_bytes && d->work->out_types[c] == 'b';
    for (size_t i = 0; i < n; i++) sums[c] += (2 * (uint64_t)(first + i) + 1) * (is_bytes ? bytes[i] : (uint64_t)cells[i]);
  }
}

void bench_touch(const bench_data *d, size_t n, bool as_columns) {
  enum { STEP = 64 / sizeof(Cell) /* one of each line of a cache */ };
  Cell any = 0;
  for (size_t i = 0; !as_columns && i < n * d->ins; i += STEP) any |= d->rows[i];
  for (size_t i = 0; !as_columns && i < n; i += STEP) any |= (Cell)d->present[i];
  for (size_t c = 0; as_columns && c < d->ins; c++) {
    for (size_t i = 0; i < n; i += STEP) any |= d->cols[c][i];
    for (size_t i = 0; i < n / 64; i += STEP) any |= (Cell)d->valid[c][i];
  }
  __asm__ volatile("" : : "r"(any)); /* somebody wants it */
}

uint64_t bench_fold(const uint64_t *sums, size_t n) {
  uint64_t h = 0;
  for (size_t c = 0; c < n; c++) h = h * 1000003 + sums[c];
  return h;
}
