/* ir/base/clock.h -- how long something takes. */
#ifndef WB_CLOCK_H
#define WB_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since some moment, which nobody sets back. */
static inline uint64_t wb_now(void) {
  struct timespec t = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
