/* cli/out_csv.h -- writes the outputs of ticks as CSV: a header, then a row a tick. */
#ifndef CLI_OUT_CSV_H
#define CLI_OUT_CSV_H

#include "cli/csv_dense.h"
#include "cli/out_trace.h"
#include "cli/table.h"

typedef struct cli_csv_out {
  cli_output *out;         /* borrowed */
  wb_mem *mem;             /* borrowed */
  const cli_field *fields; /* of the outputs; borrowed */
  uint32_t n_fields;
  const cli_label *label;  /* borrowed */
  bool has_label, is_special; /* special: with a label, or without any column */
  size_t room;             /* what a row without texts and containers needs at most */
  cli_nested form;         /* the trace form of containers */
  wb_mem values;           /* for `scan` */
  cli_scanner scan;        /* asks what a text would read as */
  const cli_csv_level *level; /* writes columns */
  cli_csv_texts texts;
} cli_csv_out;

/* Everything is borrowed.  Puts the header.  False: no memory (closing is then still allowed). */
bool cli_csv_out_open(cli_csv_out *w, cli_output *out, wb_mem *mem, const cli_field *outputs, uint32_t n_outputs, const cli_label *label,
                      size_t max_nesting) WB_MUST_USE;
void cli_csv_out_close(cli_csv_out *w);
cli_sink cli_csv_out_sink(cli_csv_out *w);

#endif
