/* bench/weir_bench.h -- the port of weir_bench.so, the module that the command opens when it is asked for a benchmark.
**
** All that the two share is here: a request, and an answer.  Nothing of Weir's own goes across but values: the module links the shared
** library, and has engines of its own. */
#ifndef BENCH_WEIR_BENCH_H
#define BENCH_WEIR_BENCH_H

#include <signal.h>
#include <weir.h>

#define WEIR_BENCH_SYMBOL "weir_bench_run"

/* The variable of the environment by which a process that the module has started again knows that it is one. */
#define WEIR_BENCH_RESULTS "WEIR_BENCH_RESULTS"

/* Of this header: a module of another one is refused.  So is one of another version of Weir. */
enum { WEIR_BENCH_VERSION = 2 };

/* What can be asked for by name, a bit each: W0 to W10, and three that are no workloads. */
enum { WEIR_BENCH_CHAINS = 11, WEIR_BENCH_WARM_UP, WEIR_BENCH_COMMAND, WEIR_BENCH_NAMES };

/* A user's own specification, and all rows of a trace. */
typedef struct weir_bench_own {
  const char *spec_name, *trace_name; /* trace_name NULL: the rows are empty ones, and come from nowhere */
  const char *text;
  size_t length;
  const weir_compile_options *compile;
  const weir_value *values; /* one row behind the other */
  size_t n_rows;
} weir_bench_own;

/* Everything is borrowed for the call. */
typedef struct weir_bench_request {
  uint32_t version;          /* WEIR_BENCH_VERSION */
  const char *weir;          /* weir_version() */
  uint32_t names, variants;  /* bits; 0: what is usual */
  uint8_t level;             /* whose interpreters ratios are against: 0 as the floor was built, 1 x86-64, 2 x86-64-v3 */
  bool is_quick, wants_json, wants_html, with_medians, only_edges;
  size_t rows, repeats, processes; /* 0: what is usual */
  const weir_bench_own *own; /* instead of the suite; NULL: the suite */
  int progress;              /* a terminal that may be told how far it is; -1: none */
  const volatile sig_atomic_t *stop; /* not 0: to be ended; NULL: never */
} weir_bench_request;

typedef enum weir_bench_status {
  WEIR_BENCH_DONE = 0,
  WEIR_BENCH_FAILED, /* `message` says how; or, where it is empty, somebody has said it already, and the process ends with `status` */
  WEIR_BENCH_TICK,   /* a row of the user's own failed: `tick` */
  WEIR_BENCH_STOPPED
} weir_bench_status;

typedef struct weir_bench_answer {
  char *text; /* table or JSON; NULL: nothing to print.  The caller's, as `html`: free */
  size_t n_text;
  char *html;
  size_t n_html;
  char message[512];
  int status;
  weir_error tick;
} weir_bench_answer;

/* Runs the benchmark that is asked for.  With several processes it starts the calling program again, with the same arguments and one more
** variable of the environment: there the module hands its results over, and answers nothing. */
typedef weir_bench_status weir_bench_run_fn(const weir_bench_request *q, weir_bench_answer *a);

#endif
