/* cli/refused_row.h -- a row that does not fit the inputs, as it is told: the value's place in the trace, and where its input is declared. */
#ifndef CLI_REFUSED_ROW_H
#define CLI_REFUSED_ROW_H

#include "cli/cmd.h"
#include "cli/rows.h"

/* `row` is the last that the source gave, and the error, WEIR_E_ADMIT, what a monitor said to it. */
void cli_say_refused_row(cli *c, const cli_source *source, const cli_row *row, const weir_error *e);

#endif
