/* cli/all_rows.h -- a whole trace in memory: for who runs it more than once. */
#ifndef CLI_ALL_ROWS_H
#define CLI_ALL_ROWS_H

#include "cli/cmd.h"

typedef struct cli_all_rows {
  weir_value *values; /* one row behind the other, in cli.mem; never NULL */
  size_t n, n_inputs; /* rows; values of each */
} cli_all_rows;

/* Reads c->set.trace for c->spec.program, as `weir run` does.  Says what is wrong with it, and which values do not fit their inputs. */
cli_status cli_all_rows_read(cli *c, cli_all_rows *out);

#endif
