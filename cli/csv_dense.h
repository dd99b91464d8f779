/* cli/csv_dense.h -- reads rows of CSV whose cells are plain numbers and Bools straight into the columns of a batch.
**
** Where the cells of many rows end is found first, 64 bytes at a time, so that reading a cell does not wait for the length of the last;
** then each column is read for itself.  What is unusual in any way ends it: from that row on io_csv.c reads, which knows all of CSV. */
#ifndef CLI_CSV_DENSE_H
#define CLI_CSV_DENSE_H

#include "cli/columns.h"
#include "cli/io_csv.h"

enum { CLI_DENSE_BYTES = 16 << 10 }; /* of text that are looked at in one call: no row is longer.  They stay in the first-level cache. */
enum { CLI_DENSE_FEWEST = 8 }; /* rows worth a try, however often it was in vain */

/* Can columns of these kinds be read so? */
bool cli_csv_is_dense(const cli_csv_column *columns, size_t n_columns);

/* Reads rows that begin at `text` and end before `end`, as many as are plain, at most `most`, and for which `to` has room, behind the rows that
** it has; `line` is the number of the first one.  Returns how many; *stop is where the next one begins.  CLI_TEXT_PAD bytes behind `end` may
** be read. */
size_t cli_csv_dense(const cli_csv_column *columns, size_t n_columns, const char *text, const char *end, uint64_t line, size_t most,
                     cli_columns *to, const char **stop);

#endif
