/* cli/out_trace.h -- writes the outputs of ticks in the trace format (language.md 13). */
#ifndef CLI_OUT_TRACE_H
#define CLI_OUT_TRACE_H

#include "cli/out_nested.h"

typedef struct cli_trace_out {
  cli_output *out;   /* borrowed */
  wb_mem *mem;       /* borrowed */
  wb_str *names;     /* by output: "name = " */
  uint32_t n_names;
  cli_nested values;
} cli_trace_out;

extern const cli_notation cli_trace_notation; /* of values */

/* The names of the outputs are copied; the rest is borrowed.  False: no memory. */
bool cli_trace_out_open(cli_trace_out *w, cli_output *out, wb_mem *mem, const wb_str *names, uint32_t n_names) WB_MUST_USE;
cli_sink cli_trace_out_sink(cli_trace_out *w);

#endif
