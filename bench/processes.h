/* bench/processes.h -- how a process of the benchmark hands its results to the one that started it; see processes.c. */
#ifndef BENCH_PROCESSES_H
#define BENCH_PROCESSES_H

#include "bench/bench.h"

/* The descriptor for the results, where another process of the benchmark has started this one; else -1. */
int bench_raw_fd(void);
bool bench_hand_over(int fd, const bench_results *r, bench_error *e);

#endif
