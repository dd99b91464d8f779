/* cli/csv_dense.h -- columns of plain numbers and Bools from CSV and to CSV, many cells at a time.
**
** Reading: where the cells of many rows end is found first, 64 bytes at a time, so that reading a cell does not wait for the length of the last;
** then each column is read for itself, blocks of cells at once.  What is unusual in any way ends it: from that row on io_csv.c reads, which
** knows all of CSV.  Writing: blocks of cells become text, column by column, and the texts are put behind each other row by row.
** The loops (csv_loops.h) are compiled for several levels of the processor: csv_x86_64.c, csv_v3.c, csv_v4.c. */
#ifndef CLI_CSV_DENSE_H
#define CLI_CSV_DENSE_H

#include "cli/columns.h"
#include "cli/io_csv.h"
#include "cli/pipes.h"

enum { CLI_DENSE_BYTES = 16 << 10 }; /* of text that are looked at in one call: no row is longer.  They stay in the first-level cache. */
enum { CLI_DENSE_FEWEST = 8 }; /* rows worth a try, however often it was in vain */
enum { CLI_DENSE_MARKS = 2048 }; /* cells of such a text that are read */
enum { CLI_CSV_BLOCK = 64 };     /* cells of a column that are read, or made text, at once */

/* For texts of cells of up to 8 bytes: a word each, the first byte lowest, and how many bytes. */
typedef struct cli_csv_texts {
  uint64_t *words;
  uint8_t *sizes;
  size_t rows; /* room for that many of every output */
} cli_csv_texts;

typedef struct cli_csv_level { /* a processor's */
  const char *name;
  /* Reads rows that begin at `text` and end before `end`, as many as are plain, at most `most`, and for which `to` has room, behind the rows
  ** that it has; `line` is the number of the first one.  Returns how many; *stop is where the next one begins.  CLI_TEXT_PAD bytes behind
  ** `end` may be read. */
  size_t (*read)(const cli_csv_column *columns, size_t n_columns, const char *text, const char *end, uint64_t line, size_t most, cli_columns *to,
                 const char **stop);
  /* Puts the first n rows of n_outs outputs, at least one, of at most `room` bytes a row. */
  void (*write)(cli_output *o, const cli_column *outs, size_t n_outs, size_t n, size_t room, const cli_csv_texts *texts);
} cli_csv_level;

extern const cli_csv_level cli_csv_x86_64, cli_csv_v3, cli_csv_v4;
/* The best one that this processor has, or, of a name, that one; NULL: it has not. */
const cli_csv_level *cli_csv_level_of(const char *name);

/* Can columns of these kinds be read so? */
bool cli_csv_is_dense(const cli_csv_column *columns, size_t n_columns);

/* The texts live in `mem`.  False: no memory. */
bool cli_csv_texts_open(cli_csv_texts *t, wb_mem *mem, size_t n_outputs) WB_MUST_USE;

#endif
