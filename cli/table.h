/* cli/table.h -- what the readers of CSV and NDJSON have in common: a row is a tick, named columns feed the inputs, and one more
** column may be a label of time.
**
** The format's own reader scans rows, a block of them at a time; the rest is here. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/label.h"
#include "cli/rows.h"
#include "cli/trace_text.h"
#include "cli/trace_value.h"

/* What a type says about the text of a value. */
typedef enum cli_kind {
  CLI_KIND_ANY = 0,
  CLI_KIND_INT,
  CLI_KIND_FLOAT,
  CLI_KIND_BOOL,
  CLI_KIND_STR,
  CLI_KIND_RICH /* Unit and containers */
} cli_kind;

/* An input or output. */
typedef struct cli_field {
  wb_str name;
  cli_kind kind;
} cli_field;

/* By the type as weir_stream_info writes it. */
cli_kind cli_kind_of(const char *type);

typedef struct cli_table_options {
  size_t max_nesting; /* in values */
  size_t max_line;    /* bytes of a row without its LF or CR LF; at most CLI_MAX_LINE */
  uint64_t end_tick;  /* rows from this tick on are not read; WEIR_NO_ROW: all are */
  bool is_strict;     /* an unknown column is an error */
} cli_table_options;

/* What *v is, but for its `as`. */
static inline void cli_set_tag(weir_value *v, weir_tag tag) {
  v->tag = tag;
  v->count = 0;
}

enum { CLI_BLOCK_ROWS = 64, CLI_BLOCK_VALUES = 2048 };

typedef struct cli_table {
  cli_trace_text text;
  cli_scanner scan;
  cli_table_options opts;
  cli_ear ear;
  const char *file;        /* for messages; borrowed */
  wb_mem *mem;             /* borrowed: what lives as long as the reader */
  wb_mem values;           /* texts and items of the block at hand */
  const cli_field *fields; /* of the inputs; borrowed */
  uint32_t n_inputs;
  wb_names inputs;         /* the id of a name is the number of its input */
  wb_names unknown;        /* names warned about: not many */
  cli_label *label;        /* borrowed: of the row that was given last */
  cli_time last;           /* the time of the row that was scanned last */
  wb_str time;             /* its text */
  bool time_is_text, has_label;
  /* The block: rows that have been scanned, as many as were at hand.  What is wrong with a row is found when it is the first. */
  weir_value *rows;        /* max_rows times n_inputs */
  cli_row_at *begins;    /* by row */
  cli_label *labels;       /* by row */
  uint32_t max_rows;
  uint32_t n_left;         /* rows of the block that have not been given */
  weir_value *give;        /* the next of them */
  const cli_row_at *given; /* its begin; [-1]: that of the row that was given last */
  uint64_t tick;           /* of the row that is given next */
  bool is_begun;           /* a byte-order mark, and a header where there is one, have been looked for */
  bool is_over;
  bool has_blocks;         /* `values` is used */
  bool is_limited;         /* the row is longer than it may be, and all that is scanned is what it may be */
  size_t held_at;          /* then: where that ends, from the begin of the buffer */
  char held;               /* the byte that stood there */
  cli_trouble trouble;
} cli_table;

/* `in`, `mem`, `file`, `fields`, `label` and what `ear` points to are borrowed until cli_table_close.  False: no memory (closing is
** then still allowed). */
bool cli_table_open(cli_table *t, cli_input *in, wb_mem *mem, cli_lines lines, const char *file, const cli_field *fields, uint32_t n_inputs,
                    cli_label *label, const cli_table_options *opts, const cli_ear *ear) WB_MUST_USE;
void cli_table_close(cli_table *t);

/* Gives the next row of the block.  False: there is none. */
static inline bool cli_table_give(cli_table *t, cli_row *row) {
  if (WB_UNLIKELY(t->n_left == 0)) return false;
  t->n_left--;
  *row = (cli_row){t->tick++, t->give, t->given->line};
  if (WB_UNLIKELY(t->has_label)) *t->label = t->labels[t->given - t->begins];
  t->give += t->n_inputs;
  t->given++;
  return true;
}

/* cli_source.ahead and pass. */
size_t cli_table_ahead(const cli_table *t, const weir_value **values, const cli_row_at **begins);
void cli_table_pass(cli_table *t, size_t n);

/* Before a block is scanned.  CLI_ROW: go on. */
cli_next cli_table_prepare(cli_table *t);
/* Not even the first row could be scanned.  CLI_ROW: it can be tried again; else what next() answers. */
cli_next cli_table_retry(cli_table *t, cli_scan rc);

/* The row `i` of the block begins at `p`. */
static inline void cli_table_begin(cli_table *t, uint32_t i, const char *p, uint64_t line) {
  t->begins[i] = (cli_row_at){(size_t)(p - t->text.buf), line};
}
/* Whether cli_table_end has anything to do for rows of the text that is at hand. */
static inline bool cli_table_needs_end(const cli_table *t) { return t->has_label || t->text.end - t->text.line > t->text.max_line; }
/* It has been scanned up to `end`.  False: it is too long, as if its end had not been found. */
static inline bool cli_table_end(cli_table *t, uint32_t i, const char *end) {
  if (t->has_label) t->labels[i] = (cli_label){t->label->column, t->time, t->time_is_text};
  return !cli_trace_text_is_long(&t->text, (size_t)(end - t->text.buf) - t->begins[i].at, end);
}
/* The block has n rows, and ends at `end`. */
void cli_table_block(cli_table *t, uint32_t n, const char *end, uint64_t line);

/* The time of the row that is being scanned stands at [from, to) and says `text`.  It becomes its label unless it goes back. */
cli_scan cli_table_time(cli_table *t, const char *from, const char *to, wb_str text, bool is_text);

/* `name`, which stands at [from, to), is no input: an error if strict, else once a warning.  CLI_SCAN_OK, CLI_SCAN_BAD or
** CLI_SCAN_NO_MEMORY if all of the line is there. */
cli_scan cli_table_unknown(cli_table *t, const char *from, const char *to, wb_str name);
/* It is one that such a warning would be about. */
bool cli_table_is_news(const cli_table *t, wb_str name);
/* A warning about [from, to). */
void cli_table_warn(cli_table *t, const char *from, const char *to, const char *hint, const char *fmt, ...) WB_PRINTF(5, 6);

const cli_trouble *cli_table_trouble(const void *table);
cli_mark cli_table_mark(const cli_table *t, const char *from, const char *to); /* in the row that was given last */

#endif
