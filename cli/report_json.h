/* cli/report_json.h -- the results of `weir check --json`.  The schema stands in docs/check-json.md. */
#ifndef CLI_REPORT_JSON_H
#define CLI_REPORT_JSON_H

#include "cli/cmd.h"

/* One object each, on standard output.  The last two are errors of the specification: they answer CLI_WRONG, or how the output failed. */
cli_status cli_json_program(cli *c);
/* `folder`: where its witness was written, or NULL. */
cli_status cli_json_query(cli *c, const weir_verdict *v, const char *folder);
cli_status cli_json_diagnostics(cli *c, const weir_diagnostics *d);
/* An error with no place in the text: it cannot be read, or its language is not known.  `code` may be WEIR_OK: there is none. */
cli_status cli_json_refusal(cli *c, weir_code code, const char *text, const char *hint);

#endif
