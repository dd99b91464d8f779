/* cli/io_csv.h -- reads CSV (interfaces.md, Values): a header, then a row a tick.
**
** Memory: the longest row and a few words for each column; never the number of rows. */
#ifndef CLI_IO_CSV_H
#define CLI_IO_CSV_H

#include "cli/table.h"

typedef struct cli_csv_column {
  uint32_t input; /* the one it feeds, if it feeds one, else 0 */
  bool feeds;
  uint8_t kind;   /* a cli_kind, or one of those of io_csv.c */
  char close;     /* what ends a cell: ',', in the last column '\n' */
} cli_csv_column;

typedef struct cli_csv {
  cli_table t;
  WB_VEC(cli_csv_column) columns;
  uint32_t *column_of; /* by input; WB_NO_NAME: it has none */
  size_t time_column;  /* SIZE_MAX: none */
  const struct cli_csv_level *dense; /* plain rows can be read in columns, by that (csv_dense.h); NULL: they can't */
  size_t hoped;        /* rows that are tried so at once */
} cli_csv;

/* As cli_table_open. */
bool cli_csv_open(cli_csv *c, cli_input *in, wb_mem *mem, const char *file, const cli_field *inputs, uint32_t n_inputs, cli_label *label,
                  const cli_table_options *opts, const cli_ear *ear) WB_MUST_USE;
void cli_csv_close(cli_csv *c);
cli_source cli_csv_source(cli_csv *c);

#endif
