/* bench/timed.h -- what weir_bench_timed writes to its standard output, as it is in memory; see timed.c. */
#ifndef BENCH_TIMED_H
#define BENCH_TIMED_H

#include <stddef.h>

typedef struct bench_timed {
  int status;       /* of wait4; -1: it could not be started */
  double wall, cpu; /* seconds from its start to its end; of user and system time */
  size_t memory;    /* bytes that were resident at most */
} bench_timed;

#endif
