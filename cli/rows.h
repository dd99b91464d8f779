/* cli/rows.h -- what cmd_run.c knows of a format: where rows come from and where they go.
**
** io_*.c fill in the source, out_*.c the sink. */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "cli/caret.h"
#include "weir.h"

typedef enum cli_next {
  CLI_ROW,        /* the tick row.tick is complete */
  CLI_GAP,        /* all ticks before row.tick are complete, and have no values */
  CLI_END,        /* the end of the input */
  CLI_BAD,        /* the input is wrong: trouble() says how and where */
  CLI_UNREADABLE, /* the file cannot be read: trouble() says why */
  CLI_NO_MEMORY,
  CLI_STOP        /* a signal, or the output is at its end */
} cli_next;

typedef struct cli_row {
  uint64_t tick;
  const weir_value *values; /* one for each input; borrowed until the next call of next() */
  uint64_t line;            /* of the input, where the tick begins; 0: none */
} cli_row;

/* Where a row begins. */
typedef struct cli_row_at {
  size_t at;     /* for the reader */
  uint64_t line; /* its number */
} cli_row_at;

/* Something that is wrong with the input, or a warning about it.  Borrowed until the next call of next(). */
typedef struct cli_trouble {
  cli_mark at;
  uint64_t tick;  /* of the entry; WEIR_NO_ROW: not known */
  weir_error what; /* its text is the message */
  char hint[320];
} cli_trouble;

struct cli_columns;
struct cli_column;

/* Rows in. */
typedef struct cli_source {
  void *self;
  cli_next (*next)(void *self, cli_row *row);
  const cli_trouble *(*trouble)(const void *self);
  /* Where the value of that input stands in the row that next() gave last; where the row begins for UINT32_MAX. */
  cli_mark (*place)(const void *self, uint32_t input);
  /* Rows that are at hand behind the last one that next() gave: how many; their values, one row behind the other; where they begin.  pass()
  ** goes on as if next() had given the first n of them.  Both NULL: they come from next() alone. */
  size_t (*ahead)(const void *self, const weir_value **values, const cli_row_at **begins);
  void (*pass)(void *self, size_t n);
  /* Reads rows that are at hand behind those into columns: how many, 0 if the next one is for next().  NULL: all are. */
  size_t (*take)(void *self, struct cli_columns *to);
} cli_source;

/* Rows out.  values[i] is output i.  What goes wrong stands in the cli_output behind it. */
typedef struct cli_sink {
  void *self;
  void (*row)(void *self, uint64_t tick, const weir_value *const *values);
  /* The first n rows of columns, one for each output.  False: nothing has been written, and they are to be given one by one.  NULL: always so. */
  bool (*rows)(void *self, const struct cli_column *outs, size_t n);
  size_t room; /* bytes that any row of columns takes at most, where rows() puts them; 0: it answers false */
} cli_sink;

/* Warnings of a source. */
typedef struct cli_ear {
  void *self;
  void (*warn)(void *self, const cli_trouble *what);
} cli_ear;

#endif
