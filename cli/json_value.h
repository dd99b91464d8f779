/* cli/json_value.h -- values as JSON writes them (RFC 8259; interfaces.md, Values).  Text, end and errors as in trace_value.h. */
#ifndef CLI_JSON_VALUE_H
#define CLI_JSON_VALUE_H

#include "cli/trace_value.h"

/* The value at *p; null is WEIR_NOVAL.  is_float: an integer is converted where it stands as the whole value. */
cli_scan cli_json_value(cli_scanner *s, const char **p, bool is_float, weir_value *out);
/* The string at *p, which is a quote.  The text stands in the line, or in s->values. */
cli_scan cli_json_string(cli_scanner *s, const char **p, wb_str *out);
/* The end of the number that stands at `p`, as JSON writes numbers; NULL: there is none.  *is_whole: neither dot nor exponent. */
const char *cli_json_number(const char *p, bool *is_whole);

static inline const char *cli_json_blanks(const char *p) {
  while (*p == ' ' || *p == '\t' || *p == '\r') p++;
  return p;
}

#endif
