/* cli/csv_cell.h -- one cell of CSV (RFC 4180): where it ends, and what its text reads as.  Used by the reader, and by the writer,
** which asks whether a text would be read as something else. */
#ifndef CLI_CSV_CELL_H
#define CLI_CSV_CELL_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "cli/trace_value.h"

typedef struct cli_cell {
  const char *from, *to; /* with its quotes */
  wb_str text;           /* between them; pairs of quotes are still pairs */
  bool is_quoted;
  bool has_pairs;
  char *joined;          /* after cli_cell_join: the text with single quotes, and a byte behind it */
  size_t n_joined;
} cli_cell;

/* The first comma, quote, carriage return or line feed at or behind `p`; there must be one, and 16 bytes behind it to read. */
static inline const char *cli_find_mark(const char *p) {
#if defined(__SSE2__)
  const __m128i comma = _mm_set1_epi8(','), quote = _mm_set1_epi8('"'), cr = _mm_set1_epi8('\r'), lf = _mm_set1_epi8('\n');
  for (;; p += 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i found = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, comma), _mm_cmpeq_epi8(v, quote)),
                                 _mm_or_si128(_mm_cmpeq_epi8(v, cr), _mm_cmpeq_epi8(v, lf)));
    unsigned bits = (unsigned)_mm_movemask_epi8(found);
    if (bits != 0) return p + __builtin_ctz(bits);
  }
#else
  while (*p != ',' && *p != '"' && *p != '\r' && *p != '\n') p++;
  return p;
#endif
}

/* Cuts the cell at *p out of the row; *p moves to the comma or line feed behind it (or the end of the text).  s->has_lines: line feeds
** stand in it. */
cli_scan cli_cell_cut(cli_scanner *s, const char **p, cli_cell *c);

/* Puts the text that a cell with pairs of quotes means into s->values. */
cli_scan cli_cell_join(cli_scanner *s, cli_cell *c);

/* The value that a text of n bytes reads as, where it is a trace value and nothing else (blanks around it are free): CLI_SCAN_OK.
** CLI_SCAN_BAD: it is not; *is_deep tells that it might be, but for the limit of nesting.  text[n] must be writable; it is as before
** afterwards. */
cli_scan cli_cell_value(cli_scanner *s, char *text, size_t n, weir_value *out, bool *is_deep);

#endif
