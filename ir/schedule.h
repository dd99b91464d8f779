/* ir/schedule.h -- the edges that order streams.  (The steps that make a schedule are declared in program.h.) */
#ifndef WIR_SCHEDULE_H
#define WIR_SCHEDULE_H

#include "ir/program.h"

/* Who reads each stream immediately: the readers of stream s are to[from[s]] up to to[from[s + 1]].  Reads of inputs order nothing. */
typedef struct wir_readers {
  uint32_t *from, *to;
  uint32_t *waits; /* by stream: how many immediate reads of computed streams it has; the caller counts down */
} wir_readers;

/* Memory comes from `mem`; false when it is exhausted. */
bool wir_find_readers(const wir_program *p, wb_mem *mem, wir_readers *out) WB_MUST_USE;

#endif
