/* tests/support/case_rows.h -- the simple traces of conformance cases as rows for the public API.
**
** Enough of language.md 13 for the cases that the tests name: numbers, Bools, (), plain strings, deferred.  The command reads the rest. */
#ifndef TEST_CASE_ROWS_H
#define TEST_CASE_ROWS_H

#include "weir.h"

/* The file's bytes, terminated; free() them.  Aborts if it is not there. */
char *case_file(const char *name, const char *file);

typedef struct case_rows {
  char *text;        /* what the texts point into */
  weir_value *cells; /* by tick and input */
  uint64_t n_ticks;
  uint32_t n_inputs;
} case_rows;

/* The rows of `trace` (which is taken over) for the inputs of a program. */
case_rows case_rows_read(const weir_program *program, char *trace);
void case_rows_free(case_rows *r);

#endif
