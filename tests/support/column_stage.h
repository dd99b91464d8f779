/* tests/support/column_stage.h -- a program, and columns for its rows, without a command around them (cli/columns.h). */
#ifndef COLUMN_STAGE_H
#define COLUMN_STAGE_H

#include "cli/columns.h"

typedef struct column_stage {
  wb_door door;
  wb_mem mem;
  weir_engine *engine;
  weir_program *program;
  cli_columns columns;
} column_stage;

/* Of a text that must compile. */
void column_stage_open(column_stage *s, const char *text);
void column_stage_close(column_stage *s);

#endif
