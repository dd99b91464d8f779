/* runtime/tile_plan.h -- what the makers of plans share: tile_order.c, tile_range.c and tile_plan.c.  Nobody else includes this.
**
** Order: instructions are grouped into components of those that depend on each other through their own past, and these follow each other so that
** what is needed stands before.  A component of one instruction becomes a column operation. */
#ifndef WRT_TILE_PLAN_H
#define WRT_TILE_PLAN_H

#include "runtime/monitor.h"
#include "runtime/tile.h"

/* The forms of recurrences.  prev is the RING, one row back, of what the component pushes. */
typedef enum wrt_tile_form {
  WRT_FORM_SINGLE, /* no recurrence */
  WRT_FORM_SUM,    /* prev + x */
  WRT_FORM_DROP,   /* prev - x */
  WRT_FORM_RUN,    /* c ? prev + x : z, z may be prev; is_flipped: the arms stand the other way */
  WRT_FORM_SCALE,  /* z * prev + x, Floats */
  WRT_FORM_CHOOSE, /* Bools, any function of prev */
  WRT_FORM_LEAST, WRT_FORM_MOST, /* of prev and x, Ints */
  WRT_FORM_ROWS    /* anything else */
} wrt_tile_form;

typedef struct wrt_tile_group {
  uint32_t first, n;             /* its instructions: a piece of `order`, ascending */
  uint8_t form;
  bool is_flipped;
  uint32_t prev, result, sum;    /* instructions; sum: of RUN */
  uint32_t c, x, z;
} wrt_tile_group;

typedef struct wrt_tile_graph {
  const wir_program *p;
  const wir_body *body;
  wb_mem *mem;
  uint8_t *needed;               /* by instruction */
  uint32_t *kept;                /* by state: 1 + the instruction that is pushed or kept there; 0: none */
  uint32_t *order;               /* instructions by group */
  uint32_t *group_of;            /* by instruction: of those needed */
  wrt_tile_group *groups;
  uint32_t n_order, n_groups;
} wrt_tile_graph;

/* tile_order.c.  Memory is given back with wrt_tile_graph_end; false: exhausted. */
bool wrt_tile_order(const wir_program *p, const wir_body *body, wb_mem *mem, wrt_tile_graph *out) WB_MUST_USE;
void wrt_tile_graph_end(wrt_tile_graph *g);

/* What an Int or a Bool may be. */
typedef struct wrt_tile_range { int64_t low, high; } wrt_tile_range;

/* tile_range.c: which operations may fail while inputs have so many bits (63: whatever they have): 1 for each instruction in `checks`, which
** has room for all; ranges likewise.  Answers how many those are. */
uint32_t wrt_tile_checks(const wrt_tile_graph *g, unsigned bits, uint8_t *checks, wrt_tile_range *ranges);
/* The bits that spare most checks, and as many bits as that allows; 63: they spare nothing.  checks, ranges: for those. */
unsigned wrt_tile_bits(const wrt_tile_graph *g, uint8_t *checks, wrt_tile_range *ranges);
/* Marks what the operations depend on that are checked in `all` and not in `some`. */
void wrt_tile_relevant(const wrt_tile_graph *g, const uint8_t *all, const uint8_t *some, uint8_t *marks);
/* Bits so that a range is within [-2^bits, 2^bits); 63: any. */
unsigned wrt_tile_bits_of(wrt_tile_range r);

enum { WRT_TILE_LEAST_BITS = 31, WRT_TILE_SUM_BITS = 62 }; /* what states of recurrences are tested for: 256 steps do not leave the range */

static inline const wir_ins *wrt_tile_ins(const wrt_tile_graph *g, uint32_t i) { return &g->body->ins[i]; }
static inline bool wrt_tile_is_member(const wrt_tile_graph *g, uint32_t group, uint32_t i) {
  return g->needed[i] && g->group_of[i] == group;
}
/* Is a RING's sample, for some row of a tile, one that the tile itself pushes? */
static inline bool wrt_tile_is_inside(const wir_ins *in) { return in->op == WIR_I_RING && in->imm.offset < WRT_TILE; }

#endif
