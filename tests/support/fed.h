/* tests/support/fed.h -- feeds bytes to a reader, as a whole or in pieces, and writes its rows in any format. */
#ifndef FED_H
#define FED_H

#include "cli/formats.h"

typedef struct fed_how {
  cli_format in, out;
  const cli_field *fields; /* of the inputs, and of the outputs, which are the same */
  uint32_t n_fields;
  const char *column;      /* of time; NULL: none */
  size_t max_nesting, max_line;
  bool is_strict;
  uint64_t n_rows;         /* empty rows are added up to this number: a trace does not show those at its end */
} fed_how;

typedef struct fed {
  char *rows, *told;       /* what was written; warnings and the error, with their places; fed_free */
  size_t n_rows, n_told;   /* bytes */
  uint64_t n_ticks;
  cli_next end;            /* CLI_END or CLI_BAD */
} fed;

/* piece: the size of the pieces, 0 for all in one.  A text of more than 100 pieces comes in fewer and larger ones. */
fed fed_text(const fed_how *how, const char *text, size_t n, size_t piece);
/* Values that were made elsewhere: n_rows times n_fields of them, written in how->out. */
fed fed_values(const fed_how *how, const weir_value *values, uint64_t n_rows);
void fed_free(fed *f);

/* Reads a text and calls `row` for each row. */
void fed_each(const fed_how *how, const char *text, size_t n, void (*row)(void *self, const cli_row *row), void *self);

/* Ends the process with a message. */
void fed_must(bool holds, const char *what);
#define FED_MUST(x) fed_must((x), #x)

/* What the fuzz targets do with any bytes, in the format that `how` reads.  The first byte chooses strictness, a label's column and the size of
** pieces.  The rest is read twice, whole and in pieces: rows, warnings and the error must be the same.  The rows are then written and read
** in every format: they must stay what they are. */
void fed_fuzz(fed_how how, const uint8_t *data, size_t size);

#endif
