/* ir/island.h -- scalar islands: the parts of a rich stream's graph that a faster tier may compute from plain values.
**
** An island is a run of neighbouring nodes, all scalars without a memory of their own: arithmetic, comparisons, logic, choices, constants and
** reads.  Its operands from before it are its inputs, together with what it reads.  Where all of those are proper values of their static
** types, and no operation fails, its nodes have proper values that depend on nothing else, and evaluating them changes nothing.  In all
** other rows the graph's own evaluation of the same run decides: nothing before or behind it knows the difference. */
#ifndef WIR_ISLAND_H
#define WIR_ISLAND_H

#include "ir/program.h"

typedef struct wir_island {
  uint32_t first, end;   /* its nodes: [first, end) of the graph */
  uint32_t n_operations; /* all but constants, reads and what only passes a value on */
} wir_island;

/* The first island at or behind node island->end, which is 0 to begin with; false: there is none.  One operation alone is none:
** docs/tiers.md has what it would gain and lose. */
bool wir_next_island(const wir_program *p, uint32_t stream, wir_island *island);

#endif
