/* cli/columns.h -- rows of a run gathered into columns, for weir_monitor_push_batch.
**
** For programs whose inputs and outputs are all Int, Float, Bool or Unit.  Knows no format, and says nothing: cmd_run.c decides when rows
** may wait for each other, and tells what went wrong.  Memory: CLI_COLUMN_ROWS rows, or fewer wide ones; never the number of rows. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include "cli/rows.h"
#include "ir/base/mem.h"

enum {
#if defined(WEIR_TINY) && WEIR_TINY
  CLI_COLUMN_ROWS = 8,
#else
  CLI_COLUMN_ROWS = 1024,
#endif
  CLI_COLUMN_VALUES = 256 * CLI_COLUMN_ROWS /* in all columns together */
};

/* Where a tick comes from. */
typedef enum cli_from {
  CLI_FROM_ROW,  /* a row of the input, which begins in line `line` */
  CLI_FROM_GAP,  /* it has no row, and the next row begins in line `line` */
  CLI_FROM_TICKS /* it fills up, behind the input or without one */
} cli_from;
typedef struct cli_origin {
  cli_from from;
  uint64_t line;
} cli_origin;

/* Rows one behind the other: where the first one comes from; rows of the input stand in a line each. */
typedef struct cli_run_of_rows {
  size_t row;
  cli_origin origin;
} cli_run_of_rows;

/* An input or output. */
typedef struct cli_column {
  void *cells; /* int64_t, double or uint8_t, as `tag` says; of Unit: not looked at */
  uint8_t *present, *deferred;
  weir_tag tag;
  bool has_gaps; /* an input: a row has no value; an output: it is to be looked at `present` */
} cli_column;

/* The outputs of a batch. */
typedef struct cli_outs {
  cli_column *columns;
  weir_out_column *args; /* the same for the batch */
} cli_outs;

typedef struct cli_columns {
  const weir_program *program; /* borrowed */
  uint32_t n_ins, n_outs;
  cli_column *ins;
  weir_in_column *in_args;
  cli_outs outs;
  cli_run_of_rows *runs;       /* where the rows come from; of all that have been taken since there was none */
  size_t n_runs;
  weir_value *values;          /* of the row that is shown, by output */
  const weir_value **shown;    /* values[i], for a sink */
  size_t max_rows, n;          /* n: rows that have been taken */
  bool is_stuck;               /* the row that came last was not */
} cli_columns;

/* Everything is borrowed for as long as the columns are used; they live in `mem`.  The program is typed (weir_program_is_typed).
** False: no memory. */
bool cli_columns_open(cli_columns *c, wb_mem *mem, const weir_program *program) WB_MUST_USE;

/* Takes a row behind those that are there; there must be room.  False: a value is not of its input's type, and nothing can be taken until
** the rows before have been pushed, or forgotten. */
bool cli_columns_take(cli_columns *c, const weir_value *row, cli_origin origin) WB_MUST_USE;
/* Takes up to n rows of the input, whose values stand one row behind the other: as many as there is room for, up to the first that
** cli_columns_take would not take.  Returns how many. */
size_t cli_columns_take_rows(cli_columns *c, const weir_value *rows, const cli_row_at *begins, size_t n) WB_MUST_USE;
/* For readers that fill the columns' cells themselves, from row n on.  Rows from `from` up to `to` have no value in a column; they have no gaps
** in any, since they were not taken after all. */
void cli_columns_gaps(const cli_columns *c, cli_column *column, size_t from, size_t to);
void cli_columns_no_gaps(cli_columns *c, size_t from, size_t to);
/* n rows have been read so, which begin in lines one behind the other, the first of them in `line`. */
void cli_columns_took_lines(cli_columns *c, size_t n, uint64_t line);
static inline bool cli_columns_are_full(const cli_columns *c) { return c->n == c->max_rows; }

/* Runs all rows, as weir_monitor_push_batch does, and forgets them; the outputs of the first *done can be shown. */
weir_code cli_columns_push(cli_columns *c, weir_monitor *monitor, size_t *done, weir_error *e) WB_MUST_USE;
void cli_columns_clear(cli_columns *c); /* forgets all rows */
/* Where a row of those that were pushed last comes from; to be asked before others are taken. */
cli_origin cli_columns_origin(const cli_columns *c, size_t row);
/* Makes outputs as those of the columns, in `mem`.  False: no memory. */
bool cli_columns_outs(const cli_columns *c, wb_mem *mem, cli_outs *out) WB_MUST_USE;
/* Takes other outputs, for the next push, and gives away those of the last one. */
void cli_columns_swap_outs(cli_columns *c, cli_outs *other);
/* The outputs of a row, for a sink: borrowed until the next call. */
const weir_value *const *cli_columns_show(cli_columns *c, size_t row);

#endif
