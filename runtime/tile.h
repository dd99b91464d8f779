/* runtime/tile.h -- the quickened tier over tiles of rows: one instruction for some hundred rows of a batch at a time.
**
** A value is a column of cells.  Where an operation in a guard may fail there is a second column of masks beside it: 0 where the value is one, -1
** where it failed.  tile_plan.c finds the order of the instructions (ir/order.c) and turns them into steps; what depends on its own
** past, a recurrence, gets a loop made for its form, or runs row by row.  tile_loops.h has the loops, built for several levels of the
** processor (tile_x86_64.c, tile_v3.c, tile_v4.c).  tile.c runs tiles and makes them history.
**
** A tile is for rows that the narrowed bodies fit: nothing in them is Deferred, and NoVal is only met where an absent input is held.  A tile in
** which something fails changes nothing: its rows run one by one instead, which finds the row and the reason. */
#ifndef WRT_TILE_H
#define WRT_TILE_H

#include <string.h>

#include "ir/intervals.h"
#include "runtime/quick.h"

enum {
  /* Rows of a tile.  Some ten columns of the fewest are to fit the first-level cache; with few instructions there are few columns, and what is done
  ** once for each tile weighs more. */
  WRT_TILE_FEWEST_ROWS = 256,
  WRT_TILE_MOST_ROWS = 1024,
  WRT_TILE_WORDS = WRT_TILE_MOST_ROWS / 64,
  WRT_TILE_WORTH = 4 /* rows that are worth a tile, where no more are left */
};

/* Cells of columns: a Float is looked at as bits now and then. */
typedef int64_t __attribute__((may_alias)) wrt_cell;
typedef double __attribute__((may_alias)) wrt_real;

/* ---- Loops ---- */

/* How the operands stand: V a column, K the constant of the step.  _C: counts failures as `bad`; _G: puts them as masks into column c. */
#define WRT_TILE_VV_VK(X, name) X(name##_VV) X(name##_VK)
#define WRT_TILE_VV_VK_KV(X, name) X(name##_VV) X(name##_VK) X(name##_KV)
#define WRT_TILE_LOOPS(X) \
  X(NONE) \
  WRT_TILE_VV_VK(X, ADD) WRT_TILE_VV_VK(X, ADD_C) WRT_TILE_VV_VK(X, ADD_G) \
  WRT_TILE_VV_VK_KV(X, SUB) WRT_TILE_VV_VK_KV(X, SUB_C) WRT_TILE_VV_VK_KV(X, SUB_G) \
  WRT_TILE_VV_VK(X, MUL) WRT_TILE_VV_VK(X, MUL_C) WRT_TILE_VV_VK(X, MUL_G) \
  WRT_TILE_VV_VK_KV(X, DIV_C) WRT_TILE_VV_VK_KV(X, DIV_G) WRT_TILE_VV_VK_KV(X, REM_C) WRT_TILE_VV_VK_KV(X, REM_G) \
  X(POW_C_VV) X(POW_G_VV) X(NEG_V) X(NEG_C_V) X(NEG_G_V) X(ABS_V) X(ABS_C_V) X(ABS_G_V) \
  WRT_TILE_VV_VK(X, ADD_F) WRT_TILE_VV_VK(X, MUL_F) WRT_TILE_VV_VK_KV(X, SUB_F) WRT_TILE_VV_VK_KV(X, DIV_F) \
  X(REM_F_VV) X(POW_F_VV) X(NEG_F_V) X(ABS_F_V) X(SIN_F_V) X(COS_F_V) X(TAN_F_V) X(FLOAT_V) \
  WRT_TILE_VV_VK(X, EQ) WRT_TILE_VV_VK(X, NE) WRT_TILE_VV_VK(X, LT) WRT_TILE_VV_VK(X, LE) X(GT_VK) X(GE_VK) \
  WRT_TILE_VV_VK(X, EQ_F) WRT_TILE_VV_VK(X, NE_F) WRT_TILE_VV_VK(X, LT_F) WRT_TILE_VV_VK(X, LE_F) X(GT_F_VK) X(GE_F_VK) \
  X(NOT_V) X(AND_VV) X(OR_VV) X(IMPLIES_VV) X(BUT_VV) /* !a && b */ X(SELECT_VVV) X(SELECT_VVK) X(SELECT_VKV) X(SELECT_VKK) \
  X(BAD)          /* a, a mask, counts */ \
  X(COPY) X(LOAD_BOOL) X(STORE_BOOL) /* a column of cells; bytes of the caller to cells, and back */ \
  X(PRESENT)      /* a, and 0 where input k is absent */ \
  X(HOLD)         /* a, and where input k is absent the last one before, at first what the state has */ \
  X(RING)         /* a, k rows ago, at first from the ring */ \
  /* Recurrences.  prev: their own last result, at first from the ring */ \
  X(SUM) X(SUM_C) X(SUM_F)       /* prev + a */ \
  X(DROP) X(DROP_C) X(DROP_F)    /* prev - a */ \
  X(COUNT) X(COUNT_C)            /* a ? prev + k : k2 */ \
  X(COUNT_NOT) X(COUNT_NOT_C)    /* a ? k2 : prev + k */ \
  X(RUN_C) X(RUN_F)              /* a ? prev + b : c */ \
  X(RUN_NOT_C) X(RUN_NOT_F)      /* a ? c : prev + b */ \
  X(GATHER_C) X(GATHER_F)        /* a ? prev + b : prev */ \
  X(GATHER_NOT_C) X(GATHER_NOT_F) /* a ? prev : prev + b */ \
  X(SCALE_K) X(SCALE_V)          /* k * prev + a; b * prev + a */ \
  X(CHOOSE)                      /* prev ? b : a */ \
  X(LEAST) X(MOST)               /* of prev and a */ \
  X(ROWS)                        /* any other: the rows one after the other, tile_rows.c */

typedef enum wrt_tile_loop {
#define LOOP(name) WRT_TILE_##name,
  WRT_TILE_LOOPS(LOOP)
#undef LOOP
  WRT_TILE_LOOP_COUNT
} wrt_tile_loop;

typedef struct wrt_tile_step {
  uint16_t loop;      /* wrt_tile_loop */
  uint32_t d, a, b, c; /* columns: the result's, the operands'; c also that for the masks of a _G */
  uint32_t state;     /* of HOLD, RING and recurrences; of ROWS the first of its steps */
  int64_t k, k2;      /* constants: the bits of a Float; of ROWS k is the number of its steps */
} wrt_tile_step;

/* What a loop knows of the tile. */
typedef struct wrt_tile_run {
  size_t n;                   /* rows */
  const unsigned char *arena; /* as the last commit left it */
  const wir_state *states;
  const uint64_t *present;    /* WRT_TILE_WORDS for each input, a bit for each row, 1 behind the last; NULL: all are there */
} wrt_tile_run;

/* Answers a negative number if something fails in the tile. */
typedef int64_t wrt_tile_fn(wrt_cell *restrict d, const wrt_cell *restrict a, const wrt_cell *restrict b, wrt_cell *restrict c,
                            const wrt_tile_step *s, const wrt_tile_run *t);

/* The loops for one level of the processor. */
typedef struct wrt_tile_level {
  const char *name;
  wrt_tile_fn *loops[WRT_TILE_LOOP_COUNT];
  /* Copies n rows; where a bit is 0 the last row before is repeated, at first `before`. */
  void (*fill)(wrt_cell *restrict d, const wrt_cell *restrict a, size_t n, const uint64_t *present, int64_t before);
  uint64_t (*spread)(const wrt_cell *a, size_t n, unsigned bits); /* 0 if all n values are in [-2^bits, 2^bits) */
} wrt_tile_level;
extern const wrt_tile_level wrt_tile_x86_64, wrt_tile_v3, wrt_tile_v4;

/* ---- Plans ---- */

enum { WRT_TILE_NO_COLUMN = UINT32_MAX };

/* A cell, and the mask that goes with it. */
typedef struct wrt_tile_cell { int64_t value, mask; } wrt_tile_cell;

struct wrt_tile_row;
typedef wrt_tile_cell wrt_tile_row_fn(const struct wrt_tile_row *r, size_t i, const wrt_tile_run *t);

/* A step of ROWS: one instruction for one row.  Operands are columns, or the constant behind NO_COLUMN. */
typedef struct wrt_tile_row {
  wrt_tile_row_fn *run;      /* its result in row i */
  uint32_t d, args[3];
  uint32_t fd, masks[3];     /* mask columns or NO_COLUMN */
  int64_t k[3];
  uint32_t state;
  uint64_t back;             /* RING: args[0] is the column that is pushed */
  /* For the run: where operand i is, and whether it moves with the row (all ones) or is a constant (0). */
  const wrt_cell *at[3], *mask_at[3];
  size_t moves[3], mask_moves[3];
} wrt_tile_row;

typedef struct wrt_tile_effect {
  uint32_t state, column;
  bool is_tracked;           /* a cell that the plan does not assume to hold a value: what failed in the last row is kept as Deferred */
  uint32_t mask;             /* then a column or NO_COLUMN */
  uint64_t back;             /* a cell that keeps what a ring has of so many rows ago: the column is what is pushed there */
  uint32_t ring;             /* then the ring's state */
} wrt_tile_effect;

/* The values of a column, or the newest `back` samples of a ring, are to be within [-2^bits, 2^bits). */
typedef struct wrt_tile_test {
  bool is_state;
  uint8_t bits;
  uint32_t of;               /* column or state */
  uint64_t back;
} wrt_tile_test;

/* An input's last value, which two states have: its cell and the newest sample of its ring, say.  One column with the gaps filled serves both where
** they agree, as they do once the input has had a value. */
typedef struct wrt_tile_twins { uint32_t a, b; } wrt_tile_twins;

/* What is done for a tile. */
typedef struct wrt_tile_code {
  wrt_tile_step *steps;
  wrt_tile_row *rows;
  wrt_tile_effect *effects;
  uint32_t n_steps, n_rows, n_effects;
  uint32_t n_columns;        /* of the pool */
} wrt_tile_code;

typedef struct wrt_tile_const { uint32_t column; int64_t value; } wrt_tile_const;

typedef struct wrt_tile_plan {
  bool is_possible;
  bool has_small;            /* there is a code for small values that checks less */
  wrt_tile_code held;        /* what comes first in any case: inputs with their gaps filled */
  wrt_tile_code checked, small;
  wrt_tile_test *tests;      /* when it fits */
  wrt_tile_twins *twins;     /* they agree, or there is no tile */
  uint32_t n_tests, n_twins;
} wrt_tile_plan;

typedef struct wrt_tile {
  const wrt_tile_level *level;
  wrt_tile_plan plans[WIR_BODY_FITS]; /* not for the general code */
  uint32_t rows;             /* of a tile, at most */
  uint32_t n_held;           /* columns of what is held, which keep their places throughout a tile */
  uint32_t n_ports;          /* inputs and outputs: their columns are the caller's */
  wrt_cell **columns;        /* ports, then the pool; NULL before the first tile, with what follows */
  unsigned char *pool;       /* pool columns, constants first */
  uint64_t *present;         /* WRT_TILE_WORDS for each input */
  wrt_tile_const *consts;    /* columns that always hold a constant; from the pool's beginning */
  uint32_t n_consts, n_pool;
  uint32_t *input_of_output; /* by output: the input that it is a copy of, whose presence it has; else UINT32_MAX */
  uint32_t *unasked;         /* by output: the column that stands in where it is not asked for */
  uint64_t n_tiles, n_small, n_bad; /* counts, for reports: tiles run, of them with the small code; tiles given up */
} wrt_tile;

/* tile_plan.c: makes the plans for the bodies of m->quick, in the memory of `m`.  False: out of memory. */
bool wrt_tile_new(struct weir_monitor *m, wrt_quick *q) WB_MUST_USE;

/* tile_rows.c: the function of an instruction with operands of that kind; NULL: there is none. */
wrt_tile_row_fn *wrt_tile_row_of(uint8_t op, uint8_t kind);
/* The steps of ROWS.  Answers a negative number if something fails. */
int64_t wrt_tile_run_rows(const wrt_tile *t, const wrt_tile_code *c, const wrt_tile_step *s, const wrt_tile_run *run);

/* ---- Running, tile.c ---- */

struct wrt_batch;

/* Runs a tile from row `at` on, if it can: answers its rows.  0: none, and then the next *alone rows are to run one by one; or as many as one likes,
** since history is such that no tile can run, whatever comes. */
enum { WRT_TILE_COLD = INT32_MAX };
size_t wrt_tile_rows(struct weir_monitor *m, const struct wrt_batch *b, size_t at, size_t *alone);
bool wrt_tile_has_deferred(const struct wrt_batch *b, size_t at, size_t n); /* is an input of these rows?  They are not for tiles, whoever runs them */

/* The level for this processor, and for tests another: by name; false if the processor lacks it. */
const wrt_tile_level *wrt_tile_best_level(void);
bool wrt_tile_set_level(wrt_quick *q, const char *name);

/* ---- For the loops ---- */

static inline double wrt_real_of(int64_t cell) {
  double f;
  memcpy(&f, &cell, sizeof f);
  return f;
}
static inline int64_t wrt_cell_of(double f) {
  int64_t cell;
  memcpy(&cell, &f, sizeof cell);
  return cell;
}

static inline int64_t wrt_tile_sample(const wir_state *s, const unsigned char *arena, uint64_t i) {
  const unsigned char *values = arena + s->offset;
  return s->cell == WIR_CELL_BOOL ? values[i] : ((const wrt_cell *)(const void *)values)[i];
}

/* Where the sample of `back` rows ago stands in a full ring; the content of a cell. */
static inline uint64_t wrt_tile_place(const wir_state *s, const unsigned char *arena, uint64_t back) {
  if (!wir_state_is_ring(s)) return 0;
  const wir_ring *r = (const wir_ring *)(const void *)(arena + s->ring);
  return r->next >= back ? r->next - back : r->next + s->capacity - back;
}
static inline int64_t wrt_tile_before(const wrt_tile_run *t, uint32_t state) {
  const wir_state *s = &t->states[state];
  return wrt_tile_sample(s, t->arena, wrt_tile_place(s, t->arena, 1));
}

#endif
