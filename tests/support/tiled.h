/* tests/support/tiled.h -- a program's rows to a monitor in batches of many rows, against the canonical tier row by row.
**
** Columns stand between canaries; inputs are as they were afterwards. */
#ifndef TEST_TILED_H
#define TEST_TILED_H

#include "runtime/monitor.h"
#include "tests/support/shrink.h"
#include "tests/support/tiers.h"

enum { TILED_ROWS = 2400, TILED_PORTS = 80, TILED_BATCH = 1400 }; /* at most; rows of a batch */
typedef enum tiled_what { TILED_ABSENT, TILED_THERE, TILED_LATE } tiled_what;

/* What inputs are like. */
typedef struct tiled_pattern {
  uint32_t per_mille_absent, per_mille_late, per_mille_far;
  uint32_t first;      /* nothing is there before */
  uint32_t magnitude;  /* most Ints are below */
} tiled_pattern;

typedef struct tiled_sample { uint64_t bits; uint8_t what; } tiled_sample;

/* A program, its rows, and what the canonical tier made of them. */
typedef struct tiled {
  uint64_t random;
  weir_engine *engine;
  weir_program *program;
  uint32_t n_ins, n_outs, n_rows, n_good; /* n_good: before the one that fails, if one does */
  tiled_sample (*ins)[TILED_PORTS], (*outs)[TILED_PORTS]; /* by row */
  weir_error end;
  weir_monitor *canonical; /* after n_good rows */
  const char *name;        /* of what is compared */
  char why[TIERS_WHY];     /* empty while all agree */
} tiled;

void tiled_open(tiled *t, weir_engine *engine);
void tiled_close(tiled *t); /* the engine and the program are the caller's */
uint32_t tiled_below(tiled *t, uint32_t n);

/* Rows of t->program: n_rows random ones; or those of a trace, as many. */
void tiled_make_rows(tiled *t, const tiled_pattern *like);
void tiled_take_rows(tiled *t, const model_trace *rows);
void tiled_put_rows(const tiled *t, model_row *rows); /* n_rows of them */
/* Runs them canonically: what batches are compared with.  t->canonical is the caller's then. */
void tiled_run_canonical(tiled *t);

/* The next `rows` rows from `from` on, compared; answers how many were committed.  Now and then one is refused for a byte that is no Bool.  And
** a row in typed form. */
uint32_t tiled_push_batch(tiled *t, weir_monitor *m, uint32_t from, uint32_t rows);
void tiled_push_row(tiled *t, weir_monitor *m, uint32_t row);
void tiled_complain(tiled *t, uint32_t row, const char *what, uint32_t which);

#endif
