/* tests/support/shrink.h -- smaller programs and traces of which something still holds, and how they are shown.
**
** A comparison that finds a disagreement hands over the program, its rows and a predicate that repeats the comparison.  What remains is
** printed as a case of tests/conformance, whose expectation is the model's. */
#ifndef TEST_SHRINK_H
#define TEST_SHRINK_H

#include "tests/support/model.h"

#include <stdio.h>

typedef struct model_row {
  weir_value in[MODEL_STREAMS];
  bool is_marked; /* the caller's; it stays with its row */
} model_row;

typedef struct model_trace {
  model_row *rows; /* the caller's array; reordered never, shortened and thinned in place */
  uint32_t n;
} model_trace;

/* Is it still so?  `m` is as before its first row, and may be run; a program that does not compile is an answer of false. */
typedef bool shrink_holds(void *self, model *m, const model_trace *t);

/* Replaces *m, for which it holds, by the smallest program that is found, and takes from *t what is not needed.  Ends also after
** `most_tries` calls of the predicate. */
void shrink(model **m, model_trace *t, shrink_holds *holds, void *self, uint32_t most_tries);

/* Prints what a comparison has found: the seed, what differs, the same of the smallest case, and that case.  `why` is where the predicate writes
** what differs.  The model may have been run. */
void shrink_tell(FILE *to, const model *m, model_trace *t, shrink_holds *holds, void *self, const char *why, uint32_t most_tries);

/* The case, file by file.  Runs a copy of the model. */
void shrink_print(FILE *to, const model *m, const model_trace *t);

#endif
