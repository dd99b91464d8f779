/* runtime/islands.h -- scalar islands (ir/island.h) in quickened code, for the streams that are evaluated by their graphs.
**
** Each island preflights by itself: are its inputs proper values of their static types?  Then plain handlers compute it, and what the rest
** of the graph reads of it becomes values of its nodes.  An island that declines, or fails underway, has changed nothing, and its
** nodes are evaluated by the graph; so guards and failures stay the business of canon.c alone. */
#ifndef WRT_ISLANDS_H
#define WRT_ISLANDS_H

#include "runtime/monitor.h"
#include "runtime/quick.h"

/* A register, and the value that fills it or that it becomes. */
typedef struct wrt_island_port { weir_value *value; uint32_t at, tag; } wrt_island_port;

typedef struct wrt_island {
  uint32_t first, end;       /* its nodes */
  uint32_t code;             /* its first instruction; at the last stands END */
  uint32_t read, n_read;     /* nodes that canon.c evaluates first: from cells and rings */
  uint32_t input, n_inputs, result, n_results; /* ports */
} wrt_island;

typedef struct wrt_islands {
  wrt_island *all;           /* in the order of streams, and of nodes within one */
  uint32_t *from;            /* by stream: its first; one more at the end */
  uint32_t *read;
  wrt_island_port *inputs, *results;
  wrt_quick_ins *code;
  unsigned char *registers;
  wrt_quick_frame frame;
  uint64_t n_ran;            /* islands that did not decline */
} wrt_islands;

/* Those of the streams that `plan` leaves to their graphs, in the memory of the monitor's codes, with which they end; false when that is
** exhausted. */
bool wrt_islands_new(wrt_monitor *m, const wir_partition *plan, wrt_islands **out) WB_MUST_USE;

/* Computes an island whose `read` nodes, and all nodes before it, are evaluated.  False: nothing has changed. */
bool wrt_island_run(wrt_islands *islands, const wrt_island *island);

/* canon.c: wrt_canon_stream, with islands in place of their nodes where they do not decline.  Value, state and failure are the same. */
weir_code wrt_canon_step(wrt_monitor *m, uint32_t stream, wrt_islands *islands, wrt_failure *why) WB_MUST_USE;

#endif
