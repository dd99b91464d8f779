/* bench/bench.h -- what the files of the benchmark share: workloads' data, the ways to run them, and results.
**
** A case is a workload in a variant.  A way is one engine and one form of call: a floor, an interpreter, or a tier of Weir.  The ways
** of a case take turns (bench/turns.c), must agree on the checksum, and give a result each. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>

#include "bench/limits/floor.h"

#define BENCH_PRINTF(a, b) __attribute__((format(printf, a, b)))

enum { BENCH_BLOCK = 32 /* rows whose outputs stay in the first-level cache */, BENCH_VARIANTS = FAULT /* BASE to SPARSE */ };

/* ---- Options and errors ---- */

typedef struct bench_options {
  size_t rows;              /* of a case */
  int repeats;              /* timed passes of each way */
  double budget;            /* seconds of a timed pass: a slow way runs fewer rows */
  int processes;            /* 1: this one */
  int raw_fd;               /* where to write results as they are in memory, for the process that started this one; -1: print */
  int level;                /* 0 x86-64, 1 x86-64-v3, 2 native: the interpreter that ratios are against */
  bool is_quick, is_json, with_medians, with_chains, only_edges;
  bool variants[BENCH_VARIANTS];
  bool workloads[16];       /* by number */
} bench_options;

typedef struct bench_error { char text[512]; } bench_error; /* the caller's; empty: none */

/* Writes the message; returns false. */
bool bench_fail(bench_error *e, const char *format, ...) BENCH_PRINTF(2, 3);
bool bench_read_options(bench_options *o, int argc, char **argv, int *status); /* false: end with *status */
double bench_now(void);            /* seconds */
void *bench_alloc(size_t bytes);   /* zeroed, on a page of its own; never NULL: ends the process */
extern const char *const bench_levels[3];
extern const char *const bench_variants[BENCH_VARIANTS];

/* ---- A case's data ---- */

typedef struct bench_data {
  const Floor *floor;
  const Workload *work;  /* of that floor */
  Variant variant;
  size_t n, ins, outs;
  Cell *rows;            /* row by row */
  Cell **cols;           /* the same, column by column */
  uint64_t *present;     /* SPARSE: a bit for each input of a row */
  uint64_t **valid;      /* SPARSE: a bit for each row of a column */
  char *spec;            /* the specification; owned, as all above */
  size_t spec_length;
} bench_data;

void bench_data_make(bench_data *d, const char *workload, Variant v, size_t rows);
void bench_data_end(bench_data *d);
static inline bool bench_is_sparse(const bench_data *d) { return d->variant == SPARSE; }

/* Checksums: sums[c] gains (2 row + 1) * cell for each cell of column c.  From rows of cells; from columns, Bools a byte each. */
void bench_weigh_rows(const bench_data *d, size_t first, size_t n, const Cell *rows, uint64_t *sums);
void bench_weigh_columns(const bench_data *d, size_t first, size_t n, const Column *cols, bool bools_are_bytes, uint64_t *sums);
uint64_t bench_fold(const uint64_t *sums, size_t n);

/* Reads the first n rows, as rows or as columns, so that they are as near to the processor as they can be.  Answers what nobody needs. */
Cell bench_touch(const bench_data *d, size_t n, bool as_columns);

/* ---- Ways ---- */

/* X(id, engine, form of call).  All of a floor or interpreter that may follow each other as levels stand in the order of bench_levels. */
#define BENCH_WAYS(X) \
  X(ROW_CHECKED, "floor", "row-checked") \
  X(ROW_API, "floor", "row-api") \
  X(BATCH_CHECKED, "floor", "batch-checked") \
  X(ROW_X86_64, "interp x86-64", "row-checked") \
  X(ROW_V3, "interp x86-64-v3", "row-checked") \
  X(ROW_NATIVE, "interp native", "row-checked") \
  X(TILE_X86_64, "interp x86-64", "tile-checked") \
  X(TILE_V3, "interp x86-64-v3", "tile-checked") \
  X(TILE_NATIVE, "interp native", "tile-checked") \
  X(CANON_TAGGED, "canonical", "tagged") \
  X(CANON_TYPED, "canonical", "typed") \
  X(CANON_BATCH, "canonical", "batch") \
  X(QUICK_TAGGED, "quickened", "tagged") \
  X(QUICK_TYPED, "quickened", "typed") \
  X(QUICK_BATCH, "quickened", "batch") \
  X(NATIVE_TAGGED, "native", "tagged") \
  X(NATIVE_TYPED, "native", "typed") \
  X(NATIVE_BATCH, "native", "batch")
typedef enum bench_way {
#define X(id, engine, form) BENCH_##id,
  BENCH_WAYS(X)
#undef X
  BENCH_WAY_COUNT
} bench_way;

/* A way in a case. */
typedef struct bench_runner {
  const struct bench_runner_ops *ops;
  void *self;
} bench_runner;
typedef struct bench_runner_ops {
  /* A fresh state: the next row is row 0. */
  bool (*start)(void *self, bench_error *e);
  /* Runs rows [0, n).  `sums`, where given, gains the checksums. */
  bool (*run)(void *self, size_t n, uint64_t *sums, bench_error *e);
  void (*end)(void *self);
  bool reads_columns; /* it runs on columns, and not on rows */
} bench_runner_ops;

/* Makes the runner of a way.  False: the way is not there for this case; `why` says why (empty: not worth a word).  Where *is_wrong
** is set, it should have been there.  `d` is borrowed until the runner ends. */
bool bench_open(bench_way way, const bench_data *d, bench_runner *out, char why[96], bool *is_wrong);
bool bench_open_floor(bench_way way, const bench_data *d, bench_runner *out);
bool bench_open_weir(bench_way way, const bench_data *d, bench_runner *out, char why[96], bool *is_wrong);

/* ---- Results ---- */

typedef struct bench_result {
  bool is_there;
  char why[96];          /* not there: the reason, or empty */
  size_t rows;           /* of a timed pass */
  double least, median;  /* ns a row */
} bench_result;

typedef struct bench_case {
  bool is_there;
  uint64_t sum;          /* the checksum that all ways agreed on */
  size_t rows;           /* of that checksum */
  bench_result results[BENCH_WAY_COUNT];
} bench_case;

/* A specification of many equations, each on the one before. */
enum { BENCH_CHAINS = 6 };
typedef struct bench_chain {
  bool is_there;
  size_t equations, bytes;
  double compile, canonical, quickened; /* seconds: to compile; to make a monitor of each tier */
  double first;                         /* seconds: the first row in the quickened tier */
  size_t memory;                        /* bytes a quickened monitor holds */
} bench_chain;

typedef struct bench_results {
  bench_case cases[16][BENCH_VARIANTS];
  bench_chain chains[BENCH_CHAINS];
} bench_results;

bool bench_run_case(const bench_options *o, const char *workload, Variant v, bench_case *out, bench_error *e); /* turns.c */
bool bench_run_chains(const bench_options *o, bench_chain *out, bench_error *e);                             /* chains.c */
bool bench_run_processes(const bench_options *o, bench_results *out, bench_error *e);                        /* processes.c */
void bench_print_table(const bench_options *o, const bench_results *r);
void bench_print_json(const bench_options *o, const bench_results *r);

#endif
