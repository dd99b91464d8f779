/* bench/own_data.h -- a user's own program and its rows, in each of the forms that a call takes. */
#ifndef BENCH_OWN_DATA_H
#define BENCH_OWN_DATA_H

#include "bench/bench.h"

typedef struct own_data {
  const weir_bench_own *own;
  weir_engine *engine;
  weir_program *program;
  size_t n;
  uint32_t ins, outs;
  bool has_columns;          /* batches are possible: `columns`; else `why` says why not */
  char why[BENCH_WHY];
  bench_rows rows;           /* what the cheapest call of a row takes */
  weir_cell *cells;          /* typed programs: n times ins */
  uint64_t *present, *deferred; /* typed programs: WEIR_WORDS(ins) words a row; NULL: all are, none is */
  weir_in_column *columns;   /* by batch, then by input */
  void **blocks;             /* by input: cells or offsets, text, two bitmaps */
  size_t *room;              /* by output: bytes of text of the fullest batch; filled by the first that runs all rows */
} own_data;

enum { OWN_CELLS, OWN_TEXT, OWN_PRESENT, OWN_DEFERRED, OWN_BLOCKS };

bool own_data_make(own_data *d, const weir_bench_own *own, bench_error *e); /* to be ended in any case */
void own_data_end(own_data *d);
void own_touch(void *data, size_t n, bool as_columns);

static inline size_t own_batches(const own_data *d) { return (d->n + BATCH - 1) / BATCH; }

/* ways_own.c */
bool own_open(void *data, bench_way way, bench_runner *out, char why[BENCH_WHY], bool *is_wrong);

#endif
