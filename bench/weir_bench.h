/* bench/weir_bench.h -- all that a program needs to know of weir_bench.so, which it opens when it is asked for a benchmark. */
#ifndef BENCH_WEIR_BENCH_H
#define BENCH_WEIR_BENCH_H

#define WEIR_BENCH_ENTRY "weir_bench_run"

/* Runs the benchmark that the arguments ask for (`--help` tells them; argv[0] is not looked at) and prints the results.  Returns the
** status that the process should end with.  With more than one process asked for, it starts the calling program again with the same
** arguments and one more. */
typedef int weir_bench_run_fn(int argc, char **argv);

#endif
