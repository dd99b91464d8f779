/* bench/ways_floor.c -- the floor's kernels and the interpreters, called as they are called in limits/.
**
** Rows go block by block, so that the outputs stay in the first-level cache; every call is through a pointer that the compiler must
** load.  Where inputs are absent, the last value is put in their place, as part of the call: `row-api` does that itself. */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/limits/api.h"

enum { TILE_STRIDE = TILE + 8 /* columns a page apart would share their cache lines' places */ };

typedef struct floor_run {
  const bench_data *d;
  RowFn *volatile row;
  BatchFn *volatile batch;
  Cell *cells, *state;      /* MAX_INS inputs held, then MAX_STATE cells: `state` */
  Monitor *monitor;         /* ROW_API */
  const Machine *machine;
  Program *program;
  Memory *memory;
  Cell *out;                /* BENCH_BLOCK rows */
  Column cols[MAX_COLS];    /* BATCH rows each; of a machine, TILE rows each, close together */
  Cell *tiles;              /* the block that they are in, then */
  Cell held[MAX_INS];       /* the last value of each input, where some are absent */
  Cell *scratch[MAX_INS];   /* columns with the gaps filled */
} floor_run;

static bool start(void *self, bench_error *e) {
  floor_run *f = self;
  const bench_data *d = f->d;
  memset(f->cells, 0, (MAX_INS + MAX_STATE) * sizeof(Cell));
  d->floor->init_state(d->work->name, f->state);
  if (f->machine != NULL) d->floor->interp_reset(f->program, f->memory);
  if (f->monitor == NULL) return true;
  api_free(f->monitor);
  f->monitor = api_new(d->work->row_held, f->state, d->ins, d->outs);
  return f->monitor != NULL || bench_fail(e, "out of memory");
}

static bool finish(const floor_run *f, bool is_good, bench_error *e) {
  return is_good || bench_fail(e, "%s %s: the floor overflowed", f->d->work->name, bench_variants[f->d->variant]);
}

static bool run_rows(void *self, size_t n, uint64_t *sums, bench_error *e) {
  floor_run *f = self;
  const bench_data *d = f->d;
  int failed = 0;
  for (size_t at = 0; at < n; at += BENCH_BLOCK) {
    size_t block = n - at < BENCH_BLOCK ? n - at : BENCH_BLOCK;
    RowFn *fn = f->row;
    const Cell *in = d->rows + at * d->ins;
    Cell *out = f->out;
    for (size_t i = 0; i < block; i++, in += d->ins, out += d->outs) failed |= fn(in, out, f->state);
    if (sums != NULL) bench_weigh_rows(d, at, block, f->out, sums);
  }
  return finish(f, failed == 0, e);
}

static bool run_api(void *self, size_t n, uint64_t *sums, bench_error *e) {
  floor_run *f = self;
  const bench_data *d = f->d;
  int failed = 0;
  uint64_t dense = ~0ull >> (64 - d->ins), out_dense = ~0ull >> (64 - d->outs), got, all = out_dense;
  size_t step = bench_is_sparse(d);
  const uint64_t *present = step != 0 ? d->present : &dense;
  for (size_t at = 0; at < n; at += BENCH_BLOCK) {
    size_t block = n - at < BENCH_BLOCK ? n - at : BENCH_BLOCK;
    const Cell *in = d->rows + at * d->ins;
    Cell *out = f->out;
    for (size_t i = 0; i < block; i++, in += d->ins, out += d->outs) {
      failed |= (int)api_push(f->monitor, in, *present, out, &got);
      all &= got;
      present += step;
    }
    if (sums != NULL) bench_weigh_rows(d, at, block, f->out, sums);
  }
  return finish(f, failed == 0 && all == out_dense && api_ticks(f->monitor) == n, e);
}

static bool run_machine_rows(void *self, size_t n, uint64_t *sums, bench_error *e) {
  floor_run *f = self;
  const bench_data *d = f->d;
  bool is_sparse = bench_is_sparse(d);
  int failed = 0;
  for (size_t at = 0; at < n; at += BENCH_BLOCK) {
    size_t block = n - at < BENCH_BLOCK ? n - at : BENCH_BLOCK;
    const Cell *in = d->rows + at * d->ins;
    Cell *out = f->out;
    for (size_t i = 0; i < block; i++, in += d->ins, out += d->outs) {
      if (!is_sparse) {
        failed |= f->machine->row(f->program, in, out, f->memory);
        continue;
      }
      uint64_t present = d->present[at + i];
      for (size_t c = 0; c < d->ins; c++) f->held[c] = present >> c & 1 ? in[c] : f->held[c];
      failed |= f->machine->row(f->program, f->held, out, f->memory);
    }
    if (sums != NULL) bench_weigh_rows(d, at, block, f->out, sums);
  }
  return finish(f, failed == 0, e);
}

/* The columns of rows [at, at + n), gaps filled. */
static const Column *columns_of(floor_run *f, size_t at, size_t n, Column in[MAX_INS], Column filled[MAX_INS]) {
  const bench_data *d = f->d;
  uint64_t *valid[MAX_INS];
  for (size_t c = 0; c < d->ins; c++) {
    in[c] = d->cols[c] + at;
    valid[c] = d->valid[c] + at / 64;
  }
  if (!bench_is_sparse(d)) return in;
  hold_columns(in, valid, d->ins, n, f->held, f->scratch, filled);
  return filled;
}

static bool run_batches(void *self, size_t n, uint64_t *sums, bench_error *e) {
  floor_run *f = self;
  Column in[MAX_INS], filled[MAX_INS];
  int failed = 0;
  for (size_t at = 0; at < n; at += BATCH) {
    size_t rows = n - at < BATCH ? n - at : BATCH;
    failed |= f->batch(columns_of(f, at, rows, in, filled), f->cols, rows, f->state);
    if (sums != NULL) bench_weigh_columns(f->d, at, rows, f->cols, true, sums);
  }
  return finish(f, failed == 0, e);
}

/* A tile's outputs go where the last tile's were: into the first-level cache. */
static bool run_machine_tiles(void *self, size_t n, uint64_t *sums, bench_error *e) {
  floor_run *f = self;
  const bench_data *d = f->d;
  Column in[MAX_INS], filled[MAX_INS];
  Cell *out[MAX_COLS];
  int failed = 0;
  for (size_t c = 0; c < d->outs; c++) out[c] = f->cols[c];
  for (size_t at = 0; at < n; at += TILE) {
    size_t rows = n - at < TILE ? n - at : TILE;
    const Column *from = columns_of(f, at, rows, in, filled);
    Cell *cells[MAX_INS];
    for (size_t c = 0; c < d->ins; c++) cells[c] = from[c];
    failed |= f->machine->tile(f->program, cells, out, rows, f->memory) != 0;
    if (sums != NULL) bench_weigh_columns(d, at, rows, f->cols, false, sums);
  }
  return finish(f, failed == 0, e);
}

static void end(void *self) {
  floor_run *f = self;
  api_free(f->monitor);
  for (size_t c = 0; c < f->d->ins; c++) free(f->scratch[c]);
  for (size_t c = 0; c < f->d->outs && f->tiles == NULL; c++) free(f->cols[c]);
  free(f->tiles);
  free(f->cells);
  free(f->program);
  free(f->memory);
  free(f->out);
  free(f);
}

static floor_run *make(const bench_data *d, bool in_tiles) {
  floor_run *f = bench_alloc(sizeof *f);
  f->d = d;
  f->row = d->work->row_checked;
  f->batch = d->work->batch_checked;
  f->cells = bench_alloc((MAX_INS + MAX_STATE) * sizeof(Cell));
  f->state = f->cells + MAX_INS;
  f->out = bench_alloc(BENCH_BLOCK * d->outs * sizeof(Cell));
  for (size_t c = 0; c < d->ins; c++) f->scratch[c] = bench_alloc(BATCH * sizeof(Cell));
  if (in_tiles) f->tiles = bench_alloc(d->outs * TILE_STRIDE * sizeof(Cell));
  for (size_t c = 0; c < d->outs; c++) f->cols[c] = in_tiles ? f->tiles + c * TILE_STRIDE : bench_alloc(BATCH * sizeof(Cell));
  return f;
}

static const bench_runner_ops plain_rows = {start, run_rows, end, false, NULL}, api = {start, run_api, end, false, NULL}, batches = {start, run_batches, end, true, NULL};
static const bench_runner_ops machine_rows = {start, run_machine_rows, end, false, NULL}, machine_tiles = {start, run_machine_tiles, end, true, NULL};

static bool open_machine(const Machine *machine, const bench_runner_ops *ops, const bench_data *d, bench_runner *out) {
  floor_run *f = make(d, true);
  f->machine = machine;
  f->program = bench_alloc(sizeof *f->program);
  f->memory = bench_alloc(sizeof *f->memory);
  *out = (bench_runner){ops, f};
  if (d->floor->interp_program(f->program, d->work)) {
    machine->row(f->program, NULL, NULL, NULL);
    return true;
  }
  end(f);
  return false;
}

bool bench_open_floor(bench_way way, const bench_data *d, bench_runner *out) {
  static const struct { const Machine *machine; const bench_runner_ops *ops; } machines[] = {
    [BENCH_ROW_X86_64] = {&machine_x86_64_checked, &machine_rows},   [BENCH_TILE_X86_64] = {&machine_x86_64_checked, &machine_tiles},
    [BENCH_ROW_V3] = {&machine_x86_64_v3_checked, &machine_rows},    [BENCH_TILE_V3] = {&machine_x86_64_v3_checked, &machine_tiles},
    [BENCH_ROW_NATIVE] = {&machine_native_checked, &machine_rows},   [BENCH_TILE_NATIVE] = {&machine_native_checked, &machine_tiles},
  };
  if ((size_t)way < sizeof machines / sizeof *machines && machines[way].machine != NULL) {
    if (way == BENCH_ROW_V3 || way == BENCH_TILE_V3) {
      __builtin_cpu_init();
      if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("fma")) return false;
    }
    return open_machine(machines[way].machine, machines[way].ops, d, out);
  }
  if (way == BENCH_ROW_CHECKED && bench_is_sparse(d)) return false; /* a kernel takes complete rows */
  floor_run *f = make(d, false);
  *out = (bench_runner){way == BENCH_ROW_API ? &api : way == BENCH_ROW_CHECKED ? &plain_rows : &batches, f};
  if (way == BENCH_ROW_API) f->monitor = api_new(d->work->row_held, f->state, d->ins, d->outs);
  return true;
}
