/* ir/order.h -- the instructions of a body in an order for whole tiles of rows, and the forms of its recurrences.
**
** Instructions are grouped into components of those that depend on each other through their own past, and these follow each other so that
** what is needed stands before.  A component of one instruction can be computed for all rows of a tile at once.
** Read by whoever runs tiles: the quickened tier (runtime/tile_plan.c) and the makers of kernels. */
#ifndef WIR_ORDER_H
#define WIR_ORDER_H

#include "ir/scalar.h"

/* The forms of recurrences.  prev is the RING, one row back, of what the component pushes. */
typedef enum wir_form {
  WIR_FORM_SINGLE, /* no recurrence */
  WIR_FORM_SUM,    /* prev + x */
  WIR_FORM_DROP,   /* prev - x */
  WIR_FORM_RUN,    /* c ? prev + x : z, z may be prev; is_flipped: the arms stand the other way */
  WIR_FORM_SCALE,  /* z * prev + x, Floats */
  WIR_FORM_CHOOSE, /* Bools, any function of prev */
  WIR_FORM_LEAST, WIR_FORM_MOST, /* of prev and x, Ints */
  WIR_FORM_ROWS    /* anything else */
} wir_form;

typedef struct wir_group {
  uint32_t first, n;             /* its instructions: a piece of `order`, ascending */
  uint8_t form;
  bool is_flipped;
  uint32_t prev, result, sum;    /* instructions; sum: of RUN */
  uint32_t c, x, z;
} wir_group;

typedef struct wir_order {
  const wir_program *p;
  const wir_body *body;
  wb_mem *mem;
  uint32_t rows;                 /* of a tile, at most */
  uint8_t *needed;               /* by instruction */
  uint32_t *kept;                /* by state: 1 + the instruction that is pushed or kept there; 0: none */
  uint32_t *order;               /* instructions by group */
  uint32_t *group_of;            /* by instruction: of those needed */
  wir_group *groups;
  uint32_t n_order, n_groups;
} wir_order;

/* For tiles of up to `rows` rows; of 1, every component is one instruction.  Memory is given back with wir_order_end, also on false: exhausted. */
bool wir_order_make(const wir_program *p, const wir_body *body, uint32_t rows, wb_mem *mem, wir_order *out) WB_MUST_USE;
void wir_order_end(wir_order *g);

static inline const wir_ins *wir_order_ins(const wir_order *g, uint32_t i) { return &g->body->ins[i]; }
static inline bool wir_order_has(const wir_order *g, uint32_t group, uint32_t i) { return g->needed[i] && g->group_of[i] == group; }
/* Is a RING's sample, for some row of a tile, one that the tile itself pushes? */
static inline bool wir_is_inside_tile(const wir_order *g, const wir_ins *in) { return in->op == WIR_I_RING && in->imm.offset < g->rows; }

#endif
