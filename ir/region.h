/* ir/region.h -- the partition of a schedule into regions.
**
** A stream region is a run of streams that lower entirely to scalars; the streams between regions are evaluated by their graphs.  The order
** within the partition respects dependencies, but independent streams are moved so that regions become long: it is not the canonical
** order, and an error that depends on order is found again in that one. */
#ifndef WIR_REGION_H
#define WIR_REGION_H

#include "ir/scalar.h"

typedef struct wir_step {
  bool is_region;
  uint32_t first, n; /* in wir_partition.order */
} wir_step;

typedef struct wir_partition {
  uint32_t *order;   /* the streams that are not inputs */
  wir_step *steps;
  uint32_t n_steps, n_regions;
} wir_partition;

/* Memory comes from `mem`; false when it is exhausted.  The program is scheduled. */
bool wir_partition_make(const wir_program *p, wb_mem *mem, wir_partition *out) WB_MUST_USE;

#endif
