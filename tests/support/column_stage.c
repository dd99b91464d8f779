/* tests/support/column_stage.c -- see column_stage.h. */
#include "tests/support/column_stage.h"

#include <string.h>

#include "tests/test.h"

void column_stage_open(column_stage *s, const char *text) {
  wb_door_open(&s->door, NULL, 0);
  wb_mem_init(&s->mem, &s->door, 0);
  cr_assert_eq(weir_engine_new(NULL, &s->engine, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(s->engine, text, strlen(text), NULL, &s->program, NULL), WEIR_OK);
  cr_assert(cli_columns_open(&s->columns, &s->mem, s->program));
}

void column_stage_close(column_stage *s) {
  weir_program_release(s->program);
  weir_engine_free(s->engine);
  wb_mem_drop(&s->mem);
}
