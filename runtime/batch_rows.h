/* runtime/batch_rows.h -- rows of a batch that no tile takes, as typed rows. */
#ifndef WRT_BATCH_ROWS_H
#define WRT_BATCH_ROWS_H

#include "runtime/batch.h"

/* Is the schedule whole and quickened, so that typed rows are its shortest way? */
bool wrt_batch_has_rows(const wrt_monitor *m);

/* Runs rows [at, at + n), until one fails: *done is the number of rows committed.  *is_odd: nothing was run, since the next row is to run as a row
** of values: it holds a byte that is no Bool, or there is no memory for cells. */
weir_code wrt_batch_rows(wrt_monitor *m, const wrt_batch *b, size_t at, size_t n, size_t *done, bool *is_odd, weir_error *e) WB_MUST_USE;

#endif
