/* tests/support/scratch.h -- a folder of a test's own, which goes with all that is in it. */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

const char *scratch_make(void); /* its path, as long as the test runs */
const char *scratch_folder(void); /* the same */
void scratch_remove(void);

#endif
