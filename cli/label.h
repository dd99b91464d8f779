/* cli/label.h -- the label of time of a row (--time-column): copied from the input to the output, and never going back.
**
** Times are numbers, or texts in the order of their bytes (2024-11-30T01:30:00Z), but not both in one input. */
#ifndef CLI_LABEL_H
#define CLI_LABEL_H

#include "ir/base/text.h"
#include "ir/base/vec.h"

/* What the reader leaves for the writer. */
typedef struct cli_label {
  const char *column; /* its name; NULL: there is none */
  wb_str text;        /* of the row at hand, borrowed until the next is read; at the end of the input, that of the last row.  at == NULL: none */
  bool is_text;       /* a string, whatever is in it; else as a number where it looks like one */
} cli_label;

typedef enum cli_time_kind { CLI_TIME_NONE = 0, CLI_TIME_INT, CLI_TIME_FLOAT, CLI_TIME_TEXT } cli_time_kind;

typedef struct cli_time {
  uint8_t kind;
  int64_t i;
  double f;
  WB_VEC(char) text; /* as it was written */
} cli_time;

typedef enum cli_time_step {
  CLI_TIME_GOES_ON,
  CLI_TIME_GOES_BACK,
  CLI_TIME_CHANGES, /* from numbers to texts or the other way */
  CLI_TIME_IS_NONE, /* empty, or nan */
  CLI_TIME_NO_MEMORY
} cli_time_step;

/* Compares with the time before, and takes its place if time goes on. */
cli_time_step cli_time_take(cli_time *last, wb_mem *mem, wb_str text, bool is_text);

#endif
