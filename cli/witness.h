/* cli/witness.h -- inputs that show why the memory of an unbounded query must grow, as files of a folder. */
#ifndef CLI_WITNESS_H
#define CLI_WITNESS_H

#include "cli/cmd.h"

/* Writes those of the query, where they are asked for and there are any, and removes those of an earlier one.  *folder: where; NULL: nowhere. */
cli_status cli_witness_write(cli *c, const weir_verdict *v, const char **folder);
/* Tells where they are. */
void cli_witness_say(cli *c, cli_say *out, const char *folder);

#endif
