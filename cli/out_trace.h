/* cli/out_trace.h -- writes the outputs of ticks in the trace format (language.md 13). */
#ifndef CLI_OUT_TRACE_H
#define CLI_OUT_TRACE_H

#include "cli/pipes.h"
#include "cli/rows.h"

struct cli_inside;

typedef struct cli_trace_out {
  cli_output *out;   /* borrowed */
  wb_mem *mem;       /* borrowed: where the names and `inside` live */
  wb_str *names;     /* by output: "name = " */
  uint32_t n_names;
  WB_VEC(struct cli_inside) inside; /* the containers around the value that is written */
} cli_trace_out;

typedef struct cli_inside {
  const weir_value *of;
  uint32_t next; /* the item or entry that comes next */
} cli_inside;

/* The names of the outputs are copied; the rest is borrowed.  False: no memory. */
bool cli_trace_out_open(cli_trace_out *w, cli_output *out, wb_mem *mem, const wb_str *names, uint32_t n_names) WB_MUST_USE;
cli_sink cli_trace_out_sink(cli_trace_out *w);
/* Puts one value, not NoVal.  False: the output is at its end. */
bool cli_trace_out_value(cli_trace_out *w, const weir_value *v);

#endif
