/* cli/report_query.h -- the verdict on a query, for people. */
#ifndef CLI_REPORT_QUERY_H
#define CLI_REPORT_QUERY_H

#include "cli/cmd.h"

/* On standard output: the verdict, and what is kept or what stands against it.  `folder`: where its witness was written, or NULL.
** CLI_DONE, or how the output failed. */
cli_status cli_tell_query(cli *c, const weir_verdict *v, const char *folder);
/* An error: the query is not run. */
void cli_refuse_unbounded(cli *c, const weir_verdict *v);

#endif
