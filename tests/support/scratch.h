/* tests/support/scratch.h -- a folder of a test's own, which goes with all that is in it. */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

const char *scratch_make(void); /* its path, as long as the test runs */
const char *scratch_folder(void); /* the same */
void scratch_remove(void);

/* Has the file at `path` consist of these bytes, wherever it is.  False: it cannot be written. */
bool scratch_write(const char *path, const void *bytes, size_t n);

#endif
