/* tests/support/fence.h -- an allocator with fences around its blocks, for what sanitizers do not see: generated code. */
#ifndef FENCE_H
#define FENCE_H

#include <stdint.h>

#include "weir.h"

typedef struct fence {
  weir_allocator allocator; /* for weir_engine_options; the fence outlives the engine */
  uint64_t n_blocks;        /* given back so far */
  uint64_t n_torn;          /* of these with a byte changed before or behind them */
} fence;

void fence_make(fence *f);

/* Registers and arena are one block.  Between them, too, monitors that the engine makes from now on have a fence, if they have registers. */
void fence_arenas(weir_engine *engine);
const void *fence_mark(weir_monitor *m);                       /* where it stands */
int fence_is_whole(const weir_monitor *m, const void *marked); /* it may have become another one meanwhile, of zeroes */

#endif
