/* cli/report_stats.h -- what --stats tells at the end of a run. */
#ifndef CLI_REPORT_STATS_H
#define CLI_REPORT_STATS_H

#include "cli/options.h"
#include "weir.h"

typedef struct cli_measures {
  uint64_t ticks;
  uint64_t nanoseconds;
  uint64_t ticks_per_second; /* computed from these two when they are told */
  uint64_t bound;    /* bytes that the monitor retains between ticks */
  bool plus_values;  /* ... and values of no fixed size */
  uint64_t peak;     /* bytes that the monitor held at most, all in all */
  weir_report report;
  const weir_program *program;
} cli_measures;

void cli_report_stats(cli_say *to, cli_stats form, const cli_measures *m);

#endif
