/* tests/support/long_run.h -- a run that is long enough for a thread of its own behind it (cli/behind.h). */
#ifndef LONG_RUN_H
#define LONG_RUN_H

#include "tests/support/ran.h"

enum { LONG_ROWS = 800000 };

/* Of this program: y is the sum of x, z the number of rows, q fails where x is 77. */
#define LONG_SPEC "in x: Int\nout y: Int\nout z: Int\nout q: Int\ny = default(y[1], 0) + x\nz = default(z[1], 0) + 1\nq = 100 / (x - 77)\n"

/* CSV of LONG_ROWS rows; the one at `special` (-1: none) holds `cell`.  Owned: free. */
char *long_rows(int special, const char *cell);
/* Runs it from a file, by so many threads. */
ran long_run(const char *rows, const char *threads, int out);

#endif
