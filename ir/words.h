/* ir/words.h -- text that grows: what explanations are written with.
**
** Exhausted memory is remembered, and the one who asked looks at has_failed at the end, so that the steps between need no checks. */
#ifndef WIR_WORDS_H
#define WIR_WORDS_H

#include "ir/types.h"
#include "ir/value.h"

typedef struct wir_words {
  wb_mem *mem;
  wb_bytes bytes;
  size_t column;    /* characters of the line so far */
  bool is_label;    /* inside a quoted label of a DOT file: quotes, backslashes and line ends are escaped */
  bool has_failed;  /* out of memory: nothing is added any more */
} wir_words;

void wir_put_str(wir_words *w, wb_str text);
void wir_put(wir_words *w, const char *text);
void wir_put_name(wir_words *w, wb_str name); /* an identifier, cut when it is very long */
void wir_put_number(wir_words *w, uint64_t v);
void wir_put_fill(wir_words *w, size_t count); /* blanks */
/* Blanks up to the column (from 0), but at least two: what is too long pushes the rest of its line. */
void wir_put_to(wir_words *w, size_t column);
/* The number with blanks before it, so that it ends in front of the column. */
void wir_put_number_to(wir_words *w, uint64_t v, size_t column);
/* A text in quotes, as the language writes it, cut when it is long. */
void wir_put_quoted(wir_words *w, wb_str text);
/* A value of a program: a scalar or a text; of anything else only what it is. */
void wir_put_value(wir_words *w, weir_value v);
/* The type, cut when it is long. */
void wir_put_type(wir_words *w, const wir_types *types, wir_type type);

#endif
