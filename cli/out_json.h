/* cli/out_json.h -- writes the outputs of ticks as NDJSON: an object a tick. */
#ifndef CLI_OUT_JSON_H
#define CLI_OUT_JSON_H

#include "cli/out_nested.h"
#include "cli/table.h"

typedef struct cli_json_out {
  cli_output *out;        /* borrowed */
  wb_mem *mem;            /* borrowed */
  wb_str *keys;           /* by output: "name": with its quotes and colon, behind a comma */
  uint32_t n_keys;
  wb_str time_key;        /* the same for the label; n == 0: none */
  const cli_label *label; /* borrowed */
  cli_nested values;
} cli_json_out;

/* The names are copied, the rest is borrowed.  False: no memory. */
bool cli_json_out_open(cli_json_out *w, cli_output *out, wb_mem *mem, const cli_field *outputs, uint32_t n_outputs, const cli_label *label)
    WB_MUST_USE;
cli_sink cli_json_out_sink(cli_json_out *w);

#endif
