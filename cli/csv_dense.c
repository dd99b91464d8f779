/* cli/csv_dense.c -- plain rows of CSV into columns; see csv_dense.h.
**
** That marks are found before anything is known of quotes is no harm: a cell is taken only if all of it reads as what its column holds, so
** no mark before it stood in quotes.  A last cell may have a carriage return at its end. */
#include "cli/csv_dense.h"

#include <string.h>

#include "cli/csv_cell.h"
#include "cli/digits.h"

enum {
  MARKS = 2048, /* of a chunk; a few more are found, of which none is used */
  MARKS_AT_ONCE = 8
};

_Static_assert((int)CLI_TEXT_PAD >= 64 && (int)CLI_TEXT_PAD >= (int)CLI_DIGITS_READ, "marks and numbers are looked for beyond the end of the text");

/* ---- Marks --------------------------------------------------------------------------------------------------------- */

/* The commas and line feeds among 64 bytes, the first one lowest. */
static inline uint64_t marks_of(const char *p) {
  uint64_t found = 0;
#if defined(__SSE2__)
  const __m128i comma = _mm_set1_epi8(','), lf = _mm_set1_epi8('\n');
  for (unsigned i = 0; i < 64; i += 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
    __m128i is = _mm_or_si128(_mm_cmpeq_epi8(v, comma), _mm_cmpeq_epi8(v, lf));
    found |= (uint64_t)(unsigned)_mm_movemask_epi8(is) << i;
  }
#else
  for (unsigned i = 0; i < 64; i++) found |= (uint64_t)(p[i] == ',' || p[i] == '\n') << i;
#endif
  return found;
}

/* Puts the places of marks in [text, text + n) into `at`, until there are `most` or a few more: how many.  Some are put at once, whether they
** are there or not: how many there are differs from block to block, and a branch on it would be mispredicted. */
static size_t find_marks(const char *text, size_t n, uint32_t *at, size_t most) {
  uint32_t *to = at, *full = at + most;
  for (size_t base = 0; base < n && to < full; base += 64) {
    uint64_t found = marks_of(text + base);
    if (WB_UNLIKELY(n - base < 64)) found &= (UINT64_C(1) << (n - base)) - 1;
    unsigned count = (unsigned)__builtin_popcountll(found);
    for (unsigned k = 0; k < count; k += MARKS_AT_ONCE)
      for (unsigned u = 0; u < MARKS_AT_ONCE; u++) {
        to[k + u] = (uint32_t)base + (uint32_t)__builtin_ctzll(found | UINT64_C(1) << 63);
        found &= found - 1;
      }
    to += count;
  }
  return (size_t)(to - at);
}

/* ---- Cells --------------------------------------------------------------------------------------------------------- */

typedef struct chunk {
  const char *text;
  const uint32_t *marks; /* marks[-1] is the one before the text */
  size_t stride;         /* columns */
  size_t rows;
} chunk;

/* What a column of cells is read with: from, to, and the row of the batch that it goes to. */
#define EACH_CELL(k, column, is_last, from, to) \
  const uint32_t *mark = (k)->marks + (column); \
  for (size_t row = 0; row < (k)->rows; row++, mark += (k)->stride) { \
    const char *from = (k)->text + (size_t)(mark[-1] + 1u), *to = (k)->text + *mark; \
    if (WB_UNLIKELY(*to != ((is_last) ? '\n' : ','))) return row; \
    if ((is_last) && to > from && to[-1] == '\r') to--;

/* 9 to 15 digits, or none at all: an absent value.  False: something else. */
static __attribute__((noinline)) bool read_other_int(cli_columns *c, cli_column *column, size_t at, const char *from, const char *to) {
  if (from == to) {
    cli_columns_gaps(c, column, at, at + 1);
    return true;
  }
  return cli_read_short_int(from, (int64_t *)column->cells + at) == to;
}

static inline __attribute__((always_inline)) size_t read_ints(const chunk *k, size_t i, bool is_last, cli_columns *c, cli_column *column) {
  int64_t *cells = (int64_t *)column->cells + c->n;
  EACH_CELL(k, i, is_last, from, to)
    bool minus = *from == '-';
    uint64_t bytes = cli_load8(from + minus);
    size_t digits = (size_t)(to - from) - minus;
    if (WB_LIKELY(digits - 1 < 8) && WB_LIKELY((cli_no_digits8(bytes) << (64 - 8 * digits)) == 0)) {
      int64_t v = (int64_t)cli_digits8(bytes, (unsigned)digits);
      cells[row] = minus ? -v : v;
    } else if (!read_other_int(c, column, c->n + row, from, to)) {
      return row;
    }
  }
  return k->rows;
}

static __attribute__((noinline)) bool read_other_float(cli_columns *c, cli_column *column, size_t at, const char *from, const char *to) {
  if (from == to) {
    cli_columns_gaps(c, column, at, at + 1);
    return true;
  }
  double *v = (double *)column->cells + at;
  return wb_read_decimal((wb_str){from, (size_t)(to - from)}, v) && *v - *v == 0;
}

static size_t read_floats(const chunk *k, size_t i, bool is_last, cli_columns *c, cli_column *column) {
  double *cells = (double *)column->cells + c->n;
  EACH_CELL(k, i, is_last, from, to)
    if (WB_LIKELY(cli_read_short_float(from, &cells[row]) == to)) continue;
    if (!read_other_float(c, column, c->n + row, from, to)) return row;
  }
  return k->rows;
}

static size_t read_bools(const chunk *k, size_t i, bool is_last, cli_columns *c, cli_column *column) {
  uint8_t *cells = (uint8_t *)column->cells + c->n;
  EACH_CELL(k, i, is_last, from, to)
    size_t n = (size_t)(to - from);
    if (n == 4 && memcmp(from, "true", 4) == 0) cells[row] = 1;
    else if (n == 5 && memcmp(from, "false", 5) == 0) cells[row] = 0;
    else if (n == 0) cli_columns_gaps(c, column, c->n + row, c->n + row + 1);
    else return row;
  }
  return k->rows;
}

/* Of no interest, but it must not be quoted. */
static size_t skip(const chunk *k, size_t i, bool is_last) {
  EACH_CELL(k, i, is_last, from, to)
    for (; from < to; from++)
      if (*from == '"' || *from == '\r') return row;
  }
  return k->rows;
}

static size_t read_column(const chunk *k, const cli_csv_column *from, size_t i, cli_columns *c) {
  bool is_last = i + 1 == k->stride;
  if (!from->feeds) return skip(k, i, is_last);
  cli_column *to = &c->ins[from->input];
  switch (from->kind) {
    case CLI_KIND_INT: return is_last ? read_ints(k, i, true, c, to) : read_ints(k, i, false, c, to);
    case CLI_KIND_FLOAT: return read_floats(k, i, is_last, c, to);
    default: return read_bools(k, i, is_last, c, to);
  }
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------- */

bool cli_csv_is_dense(const cli_csv_column *columns, size_t n_columns) {
  for (size_t i = 0; i < n_columns; i++) {
    uint8_t kind = columns[i].kind;
    if (columns[i].feeds && kind != CLI_KIND_INT && kind != CLI_KIND_FLOAT && kind != CLI_KIND_BOOL) return false;
  }
  return n_columns <= MARKS;
}

/* An empty line is no row, but something that is told. */
static size_t rows_before_empty_line(const chunk *k) {
  for (size_t row = 0; row < k->rows; row++) {
    const char *line = k->text + (size_t)((k->marks + row * k->stride)[-1] + 1u);
    if (*line == '\n' || (*line == '\r' && line[1] == '\n')) return row;
  }
  return k->rows;
}

size_t cli_csv_dense(const cli_csv_column *columns, size_t n_columns, const char *text, const char *end, uint64_t line, size_t most,
                     cli_columns *to, const char **stop) {
  uint32_t places[1 + MARKS + 64 + MARKS_AT_ONCE], *marks = places + 1;
  chunk k = {.text = text, .marks = marks, .stride = n_columns};
  most = WB_MIN(most, to->max_rows - to->n);
  size_t wanted = most > MARKS / n_columns ? MARKS : most * n_columns;
  marks[-1] = UINT32_MAX;
  k.rows = WB_MIN(find_marks(text, WB_MIN((size_t)(end - text), (size_t)CLI_DENSE_BYTES), marks, wanted) / n_columns, most);
  if (n_columns == 1) k.rows = rows_before_empty_line(&k);
  size_t tried = k.rows;
  for (size_t i = 0; i < n_columns && k.rows > 0; i++) k.rows = read_column(&k, &columns[i], i, to);
  if (k.rows < tried) cli_columns_no_gaps(to, to->n + k.rows, to->n + tried);
  *stop = k.rows == 0 ? text : text + marks[k.rows * n_columns - 1] + 1;
  for (size_t row = 0; row < k.rows; row++) to->origins[to->n + row] = (cli_origin){CLI_FROM_ROW, line + row};
  to->n += k.rows;
  return k.rows;
}
