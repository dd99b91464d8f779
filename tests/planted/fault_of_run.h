/* tests/planted/fault_of_run.h -- before all else in a module with planted faults: which of them a run has, WEIR_PLANT of its environment says. */
#ifndef FAULT_OF_RUN_H
#define FAULT_OF_RUN_H

#include <stdlib.h>

static inline int fault_of_run(void) {
  const char *number = getenv("WEIR_PLANT");
  return number == NULL ? 0 : atoi(number);
}
#define WEIR_PLANT fault_of_run()

#endif
