/* runtime/tile_maker.h -- what the makers of a tile's code share: tile_plan.c decides which codes there are, tile_steps.c turns instructions into
** steps.  Nobody else includes this. */
#ifndef WRT_TILE_MAKER_H
#define WRT_TILE_MAKER_H

#include "runtime/monitor.h"
#include "runtime/tile.h"

/* Numbers of columns while codes are made: ports, then a column for each value; from these on places in the pool, what is held, and constants, by
** their index. */
enum { WRT_TILE_PLACES = 1 << 28, WRT_TILE_HELD = 1 << 29, WRT_TILE_CONSTS = 1 << 30 };

/* Who reads an instruction besides its group: others; a KEEP of a RING, which needs no column for one sample. */
enum { WRT_TILE_BY_OTHERS = 1, WRT_TILE_BY_KEEP = 2 };

/* Where the value of an instruction is. */
typedef struct wrt_tile_value {
  uint32_t column, mask; /* mask NO_COLUMN: it is a value in all rows */
  bool is_const;         /* then column may be NO_COLUMN until somebody needs one */
  int64_t k;
} wrt_tile_value;

typedef struct wrt_tile_maker {
  wrt_monitor *m;
  wb_mem *mem;
  const wir_program *p;
  wrt_tile *tile;
  const wir_order *g;
  const wrt_quick *quick;
  wir_body_fit fit;         /* of the body at hand */
  bool out_of_memory;
  uint8_t *checks;          /* by instruction, for the code at hand */
  wrt_tile_value *at;       /* by instruction */
  uint8_t *is_outer;        /* by instruction: WRT_TILE_BY_ */
  uint8_t *is_held;         /* by instruction: its place was made beforehand (put_held) */
  uint32_t *holder;         /* by input: 1 + the first instruction that holds it */
  uint8_t *is_read;         /* by input */
  uint8_t *is_shared;       /* by instruction: read by others than WRITE */
  uint32_t *first_write;    /* by instruction: 1 + the first output that it is */
  uint32_t *next_write;     /* by output: 1 + the next one */
  uint32_t n_columns;       /* numbered so far, ports included */
  WB_VEC(wrt_tile_step) steps;
  WB_VEC(wrt_tile_row) rows;
  WB_VEC(wrt_tile_effect) effects;
  WB_VEC(wrt_tile_twins) twins;
  WB_VEC(wrt_tile_const) consts; /* of all codes of the monitor */
  uint32_t *const_table;    /* open addressing, by value: 1 + the number of a constant; 0: free */
  size_t n_const_table;     /* a power of two, more than twice the constants; or 0 */
} wrt_tile_maker;

static inline const wir_ins *wrt_tile_ins(const wrt_tile_maker *k, uint32_t i) { return wir_order_ins(k->g, i); }

/* ---- tile_steps.c ----
** Where memory runs out they note it in the maker. */

/* Can a tile compute this instruction, apart from what its operands may be? */
bool wrt_tile_can_put(const wir_order *g, uint32_t i);
/* The bytes of an input of Bools as cells; a byte that is no Bool fails. */
void wrt_tile_load_bool(wrt_tile_maker *k, uint32_t input, uint32_t column);
/* An input with its gaps filled: before all else, since tests of small values look at the result. */
void wrt_tile_put_held(wrt_tile_maker *k, uint32_t i);
/* The steps of a group, and what writes it to outputs. */
void wrt_tile_put_group(wrt_tile_maker *k, const wir_group *group);
/* The column of a value: a constant gets one. */
uint32_t wrt_tile_column_of(wrt_tile_maker *k, const wrt_tile_value *v);
/* Divisions always look at their operands: in a lane that has failed before, the divisor may be 0. */
bool wrt_tile_divides(const wir_ins *in);

#endif
