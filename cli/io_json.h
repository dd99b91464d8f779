/* cli/io_json.h -- reads NDJSON (interfaces.md, Values): an object a line, a line a tick; blank lines are passed over.
**
** Memory: a few words for each byte of the longest line and for each input; never the number of lines. */
#ifndef CLI_IO_JSON_H
#define CLI_IO_JSON_H

#include "cli/table.h"

/* Where the value of an input stands. */
typedef struct cli_json_place {
  uint64_t scan;         /* number of the scan of a line that found it */
  const char *from, *to; /* good as long as the block is */
} cli_json_place;

/* A key of a line that is no input's. */
typedef struct cli_json_other {
  wb_str name;           /* in the line or among the values of the block */
  const char *from, *to; /* it with its quotes */
} cli_json_other;

typedef struct cli_json {
  cli_table t;
  cli_json_place *places; /* by input */
  WB_VEC(cli_json_other) others; /* of the line that was scanned last */
  wb_mem names;           /* of a line with many of them, to find one that is repeated */
  uint32_t *follows;      /* by input: the one whose key came next the last time; [n_inputs]: the first of a line */
  uint64_t scan;          /* a line may be scanned twice */
  bool has_time;          /* the key of time has been seen in the line */
  bool is_placing;        /* the line is scanned for the places only */
} cli_json;

/* As cli_table_open. */
bool cli_json_open(cli_json *j, cli_input *in, wb_mem *mem, const char *file, const cli_field *inputs, uint32_t n_inputs, cli_label *label,
                   const cli_table_options *opts, const cli_ear *ear) WB_MUST_USE;
void cli_json_close(cli_json *j);
cli_source cli_json_source(cli_json *j);

#endif
