/* ir/state.h -- state descriptors: what a monitor retains between ticks, and where.
**
** Every byte that outlives a tick stands in the canonical arena and has a descriptor here.  Copying, printing, snapshots, transfer and
** the native kernels' hand-back go through these; their sum is the memory bound.  They are fixed when a program is made, before any
** optimization.
**
** A descriptor is `capacity` samples of one cell class: the values stand at `offset`, packed by class, and one presence byte each at
** `presence`.  A ring (capacity may be 1) also has a wir_ring at `ring`. */
#ifndef WIR_STATE_H
#define WIR_STATE_H

#include "ir/base/error.h"
#include "ir/graph.h"

typedef enum wir_state_kind {
  WIR_STATE_HELD,    /* cell: the last value of a stream that was not NoVal, for its lifted readers */
  WIR_STATE_HISTORY, /* ring: a stream's samples for delays in other streams; a NoVal sample is stored as the last that was not.
                     ** (A delay that meets NoVal repeats its last result, which is that sample: no mark is needed.)
                     ** Also read by the stream's own delays where it is not gappy. */
  WIR_STATE_OUTPUT,  /* ring: a gappy stream's samples as they were, NoVal included, for its own delays */
  WIR_STATE_HOLD,    /* cell: the last operand of a LIFT that was not NoVal */
  WIR_STATE_DELAY,   /* ring: the operand of a DELAY, NoVal included */
  WIR_STATE_RESULT,  /* cell: the last result of a DELAY whose operand is gappy */
  WIR_STATE_FLAG,    /* cell, Bool: WHEN, UPDATE, INIT: it has happened */
  WIR_STATE_KINDS
} wir_state_kind;

/* How a sample's value is stored.  NoVal and Deferred are in the presence byte. */
typedef enum wir_cell {
  WIR_CELL_INT,   /* 8 bytes */
  WIR_CELL_FLOAT, /* 8 bytes */
  WIR_CELL_BOOL,  /* 1 byte */
  WIR_CELL_UNIT,  /* none */
  WIR_CELL_RICH,  /* 8 bytes: a counted object, or NULL */
  WIR_CELL_ANY,   /* 16 bytes: a weir_value */
  WIR_CELLS
} wir_cell;
extern const uint8_t wir_cell_bytes[WIR_CELLS];

typedef enum wir_sample { WIR_SAMPLE_NOVAL, WIR_SAMPLE_DEFERRED, WIR_SAMPLE_VALUE } wir_sample;

typedef struct wir_ring { uint64_t next, filled; } wir_ring; /* the sample to be overwritten next; samples committed, at most capacity */

typedef struct wir_state {
  uint8_t kind;      /* wir_state_kind */
  uint8_t cell;      /* wir_cell */
  uint32_t stream;   /* owner: the stream */
  uint32_t node;     /* owner: the node of its graph; UINT32_MAX for the stream itself */
  wir_type type;
  weir_span span;
  uint64_t capacity;
  uint64_t offset, presence, ring; /* bytes in the arena */
  uint32_t pending;  /* WIR_STATE_DELAY: its place among the samples staged in a tick */
} wir_state;

static inline bool wir_state_is_ring(const wir_state *s) {
  return s->kind == WIR_STATE_HISTORY || s->kind == WIR_STATE_OUTPUT || s->kind == WIR_STATE_DELAY;
}
/* Bytes that one descriptor takes in the arena. */
uint64_t wir_state_bytes(const wir_state *s);

/* The arena's layout.  Cells come first, so that a tick can stage them by working on a copy of [0, cells). */
typedef struct wir_layout {
  uint64_t bytes;    /* of the whole arena, which is the sum of its descriptors and less than 16 bytes of padding */
  uint64_t cells;    /* bytes of all cells, presence included */
  uint32_t n_pending;
} wir_layout;

static inline wir_cell wir_cell_of(const wir_types *types, wir_type t) {
  switch (wir_type_kind_of(types, t)) {
  case WIR_TYPE_INT: return WIR_CELL_INT;
  case WIR_TYPE_FLOAT: return WIR_CELL_FLOAT;
  case WIR_TYPE_BOOL: return WIR_CELL_BOOL;
  case WIR_TYPE_UNIT: return WIR_CELL_UNIT;
  case WIR_TYPE_STR: case WIR_TYPE_EXPR: case WIR_TYPE_LIST: case WIR_TYPE_MAP: case WIR_TYPE_TUPLE: case WIR_TYPE_STRUCT:
  case WIR_TYPE_FUN: return WIR_CELL_RICH;
  case WIR_TYPE_NONE: case WIR_TYPE_ANY: case WIR_TYPE_UNKNOWN: case WIR_TYPE_KINDS: break;
  }
  return WIR_CELL_ANY;
}

/* Sample `i` of values at `values` and presence at `presence`, as a value (borrowed); and its counterpart.  Storing counts nothing. */
static inline weir_value wir_sample_load(wir_cell cell, const unsigned char *values, const unsigned char *presence, uint64_t i) {
  weir_value v = {.tag = WEIR_NOVAL};
  if (presence[i] != WIR_SAMPLE_VALUE) {
    if (presence[i] == WIR_SAMPLE_DEFERRED) v.tag = WEIR_DEFERRED;
    return v;
  }
  switch (cell) {
  case WIR_CELL_INT: v.tag = WEIR_INT; v.as.i = ((const int64_t *)(const void *)values)[i]; return v;
  case WIR_CELL_FLOAT: v.tag = WEIR_FLOAT; v.as.f = ((const double *)(const void *)values)[i]; return v;
  case WIR_CELL_BOOL: v.tag = WEIR_BOOL; v.as.b = values[i] != 0; return v;
  case WIR_CELL_UNIT: v.tag = WEIR_UNIT; return v;
  case WIR_CELL_RICH: return wir_obj_value(((wir_obj *const *)(const void *)values)[i]);
  case WIR_CELL_ANY: return ((const weir_value *)(const void *)values)[i];
  case WIR_CELLS: break;
  }
  return v;
}

static inline void wir_sample_store(wir_cell cell, unsigned char *values, unsigned char *presence, uint64_t i, weir_value v) {
  if (v.tag <= WEIR_DEFERRED) {
    presence[i] = v.tag == WEIR_DEFERRED ? WIR_SAMPLE_DEFERRED : WIR_SAMPLE_NOVAL;
    return;
  }
  presence[i] = WIR_SAMPLE_VALUE;
  switch (cell) {
  case WIR_CELL_INT: ((int64_t *)(void *)values)[i] = v.as.i; return;
  case WIR_CELL_FLOAT: ((double *)(void *)values)[i] = v.as.f; return;
  case WIR_CELL_BOOL: values[i] = v.as.b; return;
  case WIR_CELL_UNIT: return;
  case WIR_CELL_RICH: ((wir_obj **)(void *)values)[i] = wir_obj_of(v); return;
  case WIR_CELL_ANY: ((weir_value *)(void *)values)[i] = v; return;
  case WIR_CELLS: return;
  }
}

struct weir_program;
/* Makes the descriptors of a scheduled program whose presence is known, and lays out the arena.  E_STATE_TOO_LARGE with the place and
** the bytes if that needs more than `limit`. */
weir_code wir_state_describe(struct weir_program *p, uint64_t limit, wb_mem *scratch, weir_error *e) WB_MUST_USE;

#endif
