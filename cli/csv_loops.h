/* cli/csv_loops.h -- the loops of csv_dense.h, for one level of the processor: included once for each.
**
** That marks are found before anything is known of quotes is no harm: a cell is taken only if all of it reads as what its column holds, so
** no mark before it stood in quotes.  A last cell may have a carriage return at its end.
** Numbers of up to 8 digits are turned from text and into text by loops over a block of them that have no branches, and that compilers turn
** into vector code; what else there is in a block is looked at afterwards, cell by cell. */
#include <string.h>

#include "cli/csv_cell.h"
#include "cli/csv_dense.h"
#include "cli/digits.h"

#if defined(__AVX2__)
#include <immintrin.h>
enum { HAS_WIDE_LOOPS = 1 };
#else
enum { HAS_WIDE_LOOPS = 0 }; /* with less, they cost more than they save */
#endif

enum { BLOCK = CLI_CSV_BLOCK, MARKS_AT_ONCE = 8 };

_Static_assert((int)CLI_TEXT_PAD >= 64 && (int)CLI_TEXT_PAD >= (int)CLI_DIGITS_READ, "marks and numbers are looked for beyond the end of the text");
_Static_assert(BLOCK <= 64, "a word has a bit for each cell of a block");

/* ---- Digits -------------------------------------------------------------------------------------------------------- */

/* Eight decimal digits for each cell of a block; of any two parts, the upper one holds the digits behind. */
typedef union digits {
  uint64_t eight[BLOCK];
  uint32_t four[2 * BLOCK];
  uint16_t two[4 * BLOCK];
} digits;

/* From one digit a byte to the numbers. */
static inline void join(digits *d) {
  for (size_t i = 0; i < 4 * BLOCK; i++) d->two[i] = (uint16_t)((d->two[i] & 0xFF) * 10 + (d->two[i] >> 8));
  for (size_t i = 0; i < 2 * BLOCK; i++) d->four[i] = (d->four[i] & 0xFFFF) * 100 + (d->four[i] >> 16);
  for (size_t i = 0; i < BLOCK; i++) d->eight[i] = (d->eight[i] & 0xFFFFFFFF) * 10000 + (d->eight[i] >> 32);
}

/* The way back, of numbers below 10^8: divisions by multiplication, exact for numbers of so many digits. */
static inline void spread(digits *d) {
  for (size_t i = 0; i < BLOCK; i++) {
    uint64_t v = d->eight[i], high = (v & 0xFFFFFFFF) * 3518437209 >> 45;
    d->eight[i] = high | (v - high * 10000) << 32;
  }
  for (size_t i = 0; i < 2 * BLOCK; i++) {
    uint32_t v = d->four[i], high = v * 5243 >> 19;
    d->four[i] = high | (v - high * 100) << 16;
  }
  for (size_t i = 0; i < 4 * BLOCK; i++) {
    uint16_t v = d->two[i], high = (uint16_t)(v * 103u >> 10);
    d->two[i] = (uint16_t)(high | (v - high * 10u) << 8);
  }
}

/* ---- Marks --------------------------------------------------------------------------------------------------------- */

/* The commas and line feeds among 64 bytes, the first one lowest. */
static inline uint64_t marks_of(const char *p) {
#if defined(__AVX512BW__)
  __m512i v = _mm512_loadu_si512((const void *)p);
  return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(',')) | _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\n'));
#else
  uint64_t found = 0;
#if defined(__AVX2__)
  const __m256i comma = _mm256_set1_epi8(','), lf = _mm256_set1_epi8('\n');
  for (unsigned i = 0; i < 64; i += 32) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
    __m256i is = _mm256_or_si256(_mm256_cmpeq_epi8(v, comma), _mm256_cmpeq_epi8(v, lf));
    found |= (uint64_t)(uint32_t)_mm256_movemask_epi8(is) << i;
  }
#elif defined(__SSE2__)
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
#endif
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

/* ---- Cells in ------------------------------------------------------------------------------------------------------ */

typedef struct chunk {
  const char *text;
  const uint32_t *marks; /* marks[-1] is the one before the text */
  size_t stride;         /* columns */
  size_t rows;
} chunk;

/* A cell: where it begins, and the mark behind it. */
typedef struct cell {
  const char *from, *to;
} cell;

static inline cell cell_at(const chunk *k, size_t row, size_t column) {
  const uint32_t *mark = k->marks + row * k->stride + column;
  return (cell){k->text + (size_t)(mark[-1] + 1u), k->text + *mark};
}

/* The same without the carriage return of a last one.  False: it is another column's mark. */
static inline bool cut(const chunk *k, size_t row, size_t column, bool is_last, cell *c) {
  *c = cell_at(k, row, column);
  if (*c->to != (is_last ? '\n' : ',')) return false;
  if (is_last && c->to > c->from && c->to[-1] == '\r') c->to--;
  return true;
}

/* 9 to 15 digits, or none at all: an absent value.  False: something else. */
static __attribute__((noinline)) bool read_other_int(cli_columns *c, cli_column *column, size_t at, cell from) {
  if (from.from == from.to) {
    cli_columns_gaps(c, column, at, at + 1);
    return true;
  }
  return cli_read_short_int(from.from, (int64_t *)column->cells + at) == from.to;
}

/* Any Int of up to 15 digits, or an absent one.  False: something else. */
static inline bool read_int(const chunk *k, size_t row, size_t i, bool is_last, cli_columns *c, cli_column *column) {
  cell at;
  if (WB_UNLIKELY(!cut(k, row, i, is_last, &at))) return false;
  bool minus = *at.from == '-';
  uint64_t bytes = cli_load8(at.from + minus);
  size_t count = (size_t)(at.to - at.from) - minus;
  if (WB_UNLIKELY(count - 1 >= 8) || WB_UNLIKELY(cli_no_digits8(bytes) << (64 - 8 * count) != 0)) return read_other_int(c, column, c->n + row, at);
  int64_t v = (int64_t)cli_digits8(bytes, (unsigned)count);
  ((int64_t *)column->cells)[c->n + row] = minus ? -v : v;
  return true;
}

/* Reads the block's Ints of 1 to 8 digits.  Returns which are something else.  crs: carriage returns in front of line feeds, 0 or 1. */
static inline __attribute__((always_inline)) uint64_t read_block(const chunk *k, size_t begin, size_t n, size_t i, char close, size_t crs,
                                                                digits *d, int64_t *cells) {
  uint8_t shifts[BLOCK] = {0}, signs[BLOCK] = {0};
  uint64_t odd = 0, wrong = 0;
  const uint32_t *mark = k->marks + begin * k->stride + i;
  for (size_t row = 0; row < n; row++, mark += k->stride) {
    const char *from = k->text + (size_t)(mark[-1] + 1u), *to = k->text + *mark;
    size_t minus = *from == '-', digit_count = (size_t)(to - from) - minus - crs;
    d->eight[row] = cli_load8(from + minus);
    signs[row] = (uint8_t)minus;
    shifts[row] = (uint8_t)(64 - 8 * digit_count) & 63;
    if (WB_UNLIKELY(digit_count - 1 >= 8) || WB_UNLIKELY(*to != close) || (crs != 0 && WB_UNLIKELY(to[-1] != '\r'))) odd |= UINT64_C(1) << row;
  }
  for (size_t row = 0; row < BLOCK; row++) {
    uint64_t v = (d->eight[row] ^ UINT64_C(0x3030303030303030)) << shifts[row]; /* zeros come in front */
    wrong |= ((v + UINT64_C(0x7676767676767676)) | v) & UINT64_C(0x8080808080808080);
    d->eight[row] = v;
  }
  if (WB_UNLIKELY(wrong != 0))
    for (size_t row = 0; row < n; row++) {
      uint64_t v = d->eight[row];
      odd |= (uint64_t)((((v + UINT64_C(0x7676767676767676)) | v) & UINT64_C(0x8080808080808080)) != 0) << row;
    }
  join(d);
  for (size_t row = 0; row < n; row++) {
    int64_t sign = -(int64_t)signs[row];
    cells[row] = ((int64_t)d->eight[row] ^ sign) - sign;
  }
  return odd;
}

/* Whether two of the block, the first and the last one, are too long for the loops: then most are. */
static bool are_wide(const chunk *k, size_t row, size_t n, size_t i) {
  cell first = cell_at(k, row, i), last = cell_at(k, row + n - 1, i);
  return first.to - first.from > 10 && last.to - last.from > 10;
}

static __attribute__((noinline)) size_t read_ints(const chunk *k, size_t i, bool is_last, cli_columns *c, cli_column *column) {
  int64_t *cells = (int64_t *)column->cells + c->n;
  digits d = {{0}};
  cell first = cell_at(k, 0, i);
  bool has_cr = is_last && first.to > first.from && first.to[-1] == '\r';
  for (size_t row = 0; row < k->rows; row += BLOCK) {
    size_t n = WB_MIN(k->rows - row, (size_t)BLOCK);
    uint64_t odd;
    if (!HAS_WIDE_LOOPS || are_wide(k, row, n, i)) odd = ~UINT64_C(0) >> (64 - n);
    else if (has_cr) odd = read_block(k, row, n, i, '\n', 1, &d, cells + row);
    else odd = read_block(k, row, n, i, is_last ? '\n' : ',', 0, &d, cells + row);
    for (; WB_UNLIKELY(odd != 0); odd &= odd - 1) {
      size_t at = row + (size_t)__builtin_ctzll(odd);
      if (!read_int(k, at, i, is_last, c, column)) return at;
    }
  }
  return k->rows;
}

static __attribute__((noinline)) bool read_other_float(cli_columns *c, cli_column *column, size_t at, cell from) {
  if (from.from == from.to) {
    cli_columns_gaps(c, column, at, at + 1);
    return true;
  }
  double *v = (double *)column->cells + at;
  return wb_read_decimal((wb_str){from.from, (size_t)(from.to - from.from)}, v) && *v - *v == 0;
}

static size_t read_floats(const chunk *k, size_t i, bool is_last, cli_columns *c, cli_column *column) {
  double *cells = (double *)column->cells + c->n;
  cell at;
  for (size_t row = 0; row < k->rows; row++) {
    if (WB_UNLIKELY(!cut(k, row, i, is_last, &at))) return row;
    if (WB_LIKELY(cli_read_short_float(at.from, &cells[row]) == at.to)) continue;
    if (!read_other_float(c, column, c->n + row, at)) return row;
  }
  return k->rows;
}

static size_t read_bools(const chunk *k, size_t i, bool is_last, cli_columns *c, cli_column *column) {
  uint8_t *cells = (uint8_t *)column->cells + c->n;
  cell at;
  for (size_t row = 0; row < k->rows; row++) {
    if (!cut(k, row, i, is_last, &at)) return row;
    size_t n = (size_t)(at.to - at.from);
    if (n == 4 && memcmp(at.from, "true", 4) == 0) cells[row] = 1;
    else if (n == 5 && memcmp(at.from, "false", 5) == 0) cells[row] = 0;
    else if (n == 0) cli_columns_gaps(c, column, c->n + row, c->n + row + 1);
    else return row;
  }
  return k->rows;
}

/* Of no interest, but it must not be quoted. */
static size_t skip(const chunk *k, size_t i, bool is_last) {
  cell at;
  for (size_t row = 0; row < k->rows; row++) {
    if (!cut(k, row, i, is_last, &at)) return row;
    for (const char *p = at.from; p < at.to; p++)
      if (*p == '"' || *p == '\r') return row;
  }
  return k->rows;
}

static size_t read_column(const chunk *k, const cli_csv_column *from, size_t i, cli_columns *c) {
  bool is_last = i + 1 == k->stride;
  if (!from->feeds) return skip(k, i, is_last);
  cli_column *to = &c->ins[from->input];
  switch (from->kind) {
    case CLI_KIND_INT: return read_ints(k, i, is_last, c, to);
    case CLI_KIND_FLOAT: return read_floats(k, i, is_last, c, to);
    default: return read_bools(k, i, is_last, c, to);
  }
}

/* An empty line is no row, but something that is told. */
static size_t rows_before_empty_line(const chunk *k) {
  for (size_t row = 0; row < k->rows; row++) {
    const char *line = cell_at(k, row, 0).from;
    if (*line == '\n' || (*line == '\r' && line[1] == '\n')) return row;
  }
  return k->rows;
}

static size_t read_rows(const cli_csv_column *columns, size_t n_columns, const char *text, const char *end, uint64_t line, size_t most,
                        cli_columns *to, const char **stop) {
  uint32_t places[1 + CLI_DENSE_MARKS + 64 + MARKS_AT_ONCE], *marks = places + 1;
  chunk k = {.text = text, .marks = marks, .stride = n_columns};
  most = WB_MIN(most, to->max_rows - to->n);
  size_t wanted = most > CLI_DENSE_MARKS / n_columns ? CLI_DENSE_MARKS : most * n_columns;
  marks[-1] = UINT32_MAX;
  k.rows = WB_MIN(find_marks(text, WB_MIN((size_t)(end - text), (size_t)CLI_DENSE_BYTES), marks, wanted) / n_columns, most);
  if (n_columns == 1) k.rows = rows_before_empty_line(&k);
  size_t tried = k.rows;
  for (size_t i = 0; i < n_columns && k.rows > 0; i++) k.rows = read_column(&k, &columns[i], i, to);
  if (k.rows < tried) cli_columns_no_gaps(to, to->n + k.rows, to->n + tried);
  *stop = k.rows == 0 ? text : text + marks[k.rows * n_columns - 1] + 1;
  cli_columns_took_lines(to, k.rows, line);
  return k.rows;
}

/* ---- Cells out ----------------------------------------------------------------------------------------------------- */

/* A cell's text, with the comma behind it, is a word if it is that short; its size stands beside it, or LONG. */
enum { LONG = 0xFF };
#define COMMA_BEHIND(n) ((uint64_t)',' << 8 * (n))
#define TRUE_WORD (UINT64_C(0x65757274) | COMMA_BEHIND(4))
#define FALSE_WORD (UINT64_C(0x65736c6166) | COMMA_BEHIND(5))
#define UNIT_WORD (UINT64_C(0x22292822) | COMMA_BEHIND(4))

/* The loops would be in vain where most Ints are long: two of a block tell well enough. */
static bool are_long(const int64_t *v, size_t n) { return cli_size_of(v[0]) >= 10000000 && cli_size_of(v[n - 1]) >= 10000000; }

/* Ints of up to seven bytes.  Not inline: else the constants of the loops would be fetched again behind each call of others. */
static __attribute__((noinline)) void write_ints(const int64_t *v, size_t n, uint64_t *words, uint8_t *sizes) {
  digits d = {{0}};
  uint32_t short_of[BLOCK];
  if (!HAS_WIDE_LOOPS || are_long(v, n)) {
    memset(sizes, LONG, n);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    uint64_t size = cli_size_of(v[i]), end = v[i] < 0 ? 1000000 : 10000000;
    d.eight[i] = size < end ? size : 0;
    short_of[i] = size < end ? (uint32_t)size : UINT32_MAX;
  }
  spread(&d);
  for (size_t i = 0; i < n; i++) {
    uint32_t u = short_of[i], count = 1u + (u >= 10) + (u >= 100) + (u >= 1000) + (u >= 10000) + (u >= 100000) + (u >= 1000000), minus = v[i] < 0;
    uint64_t word = (d.eight[i] | UINT64_C(0x3030303030303030)) >> (64 - 8 * count) | COMMA_BEHIND(count);
    words[i] = minus ? word << 8 | '-' : word;
    sizes[i] = u == UINT32_MAX ? LONG : (uint8_t)(count + minus + 1);
  }
}

static void write_bools(const uint8_t *v, size_t n, uint64_t *words, uint8_t *sizes) {
  for (size_t i = 0; i < n; i++) {
    words[i] = v[i] != 0 ? TRUE_WORD : FALSE_WORD;
    sizes[i] = v[i] != 0 ? 5 : 6;
  }
}

static void write_units(size_t n, uint64_t *words, uint8_t *sizes) {
  for (size_t i = 0; i < n; i++) words[i] = UNIT_WORD;
  memset(sizes, 5, n);
}

static bool bit(const uint8_t *bits, size_t row) { return bits[row / 8] >> row % 8 & 1; }

/* Where rows have no value. */
static void write_gaps(const cli_column *from, size_t row, size_t n, uint64_t *words, uint8_t *sizes) {
  for (size_t i = 0; i < n; i++) {
    if (bit(from->present, row + i)) continue;
    words[i] = COMMA_BEHIND(0);
    sizes[i] = bit(from->deferred, row + i) ? LONG : 1;
  }
}

static void write_column(const cli_column *from, size_t row, size_t n, uint64_t *words, uint8_t *sizes) {
  if (from->tag == WEIR_INT) write_ints((const int64_t *)from->cells + row, n, words, sizes);
  else if (from->tag == WEIR_BOOL) write_bools((const uint8_t *)from->cells + row, n, words, sizes);
  else if (from->tag == WEIR_FLOAT) memset(sizes, LONG, n);
  else write_units(n, words, sizes);
  if (from->has_gaps) write_gaps(from, row, n, words, sizes);
}

static inline char *write_long(char *to, const cli_column *from, size_t row) {
  if (WB_UNLIKELY(from->has_gaps) && !bit(from->present, row)) {
    memcpy(to, "deferred,", 9);
    return to + 9;
  }
  if (from->tag == WEIR_INT) to = cli_write_int(to, ((const int64_t *)from->cells)[row]);
  else to += wb_write_double(((const double *)from->cells)[row], to);
  *to = ',';
  return to + 1;
}

/* Row `row` of the columns, whose texts are the i-th. */
static inline char *write_row(char *to, const cli_column *from, size_t n_outs, const cli_csv_texts *t, size_t i, size_t row) {
  const uint64_t *words = t->words;
  const uint8_t *sizes = t->sizes;
  size_t stride = t->rows;
  for (const cli_column *behind = from + n_outs; from < behind; from++, i += stride) {
    size_t size = sizes[i];
    if (WB_LIKELY(size != LONG)) {
      cli_store8(to, words[i]);
      to += size;
    } else {
      to = write_long(to, from, row);
    }
  }
  to[-1] = '\n'; /* instead of the comma */
  return to;
}

static void write_rows(cli_output *o, const cli_column *outs, size_t n_outs, size_t n, size_t room, const cli_csv_texts *t) {
  for (size_t row = 0; row < n;) {
    size_t begin = row, end = WB_MIN(row + t->rows, n);
    for (size_t k = 0; k < n_outs; k++) write_column(&outs[k], begin, end - begin, t->words + k * t->rows, t->sizes + k * t->rows);
    while (row < end) {
      char *from = cli_output_room(o, room), *to = from;
      if (WB_UNLIKELY(from == NULL)) return;
      const char *full = o->text.at + WB_MIN(o->text.cap - room, (size_t)CLI_OUTPUT_BLOCK); /* for the last row that has room */
      do to = write_row(to, outs, n_outs, t, row - begin, row);
      while (++row < end && to < full);
      cli_output_took(o, (size_t)(to - from));
      cli_output_line(o);
    }
  }
}

const cli_csv_level CLI_CSV_LEVEL = {.name = CLI_CSV_NAME, .read = read_rows, .write = write_rows};
