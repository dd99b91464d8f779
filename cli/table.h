/* cli/table.h -- what the readers of CSV and NDJSON have in common: a row is a tick, named columns feed the inputs, and one more
** column may be a label of time.
**
** The format's own reader scans one row at text.line and leaves in `pos` where it ends; the rest is here. */
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
  size_t max_line;    /* bytes of a row; at most CLI_MAX_LINE */
  uint64_t end_tick;  /* rows from this tick on are not read; WEIR_NO_ROW: all are */
  bool is_strict;     /* an unknown column is an error */
} cli_table_options;

typedef struct cli_table {
  cli_trace_text text;
  cli_scanner scan;
  cli_table_options opts;
  cli_ear ear;
  const char *file;        /* for messages; borrowed */
  wb_mem *mem;             /* borrowed: what lives as long as the reader */
  wb_mem values;           /* texts and items of the row at hand */
  const cli_field *fields; /* of the inputs; borrowed */
  uint32_t n_inputs;
  wb_names inputs;         /* the id of a name is the number of its input */
  wb_names unknown;        /* names warned about */
  weir_value *row;         /* by input */
  cli_label *label;        /* borrowed: of the row at hand */
  cli_time last;           /* the time before */
  uint64_t tick;           /* of the row that comes next */
  cli_trace_at at;         /* the begin of the row that was given last */
  size_t pos;              /* the end of the row that was scanned, from its begin, line feed included */
  bool is_begun;           /* a byte-order mark, and a header where there is one, have been looked for */
  bool is_over;
  bool has_blocks;         /* `values` is used */
  bool is_limited;         /* the row is longer than it may be, and all that is scanned is what it may be */
  char held;               /* then: the byte behind that */
  cli_trouble trouble;
} cli_table;

/* `in`, `mem`, `file`, `fields`, `label` and what `ear` points to are borrowed until cli_table_close.  False: no memory (closing is
** then still allowed). */
bool cli_table_open(cli_table *t, cli_input *in, wb_mem *mem, cli_lines lines, const char *file, const cli_field *fields, uint32_t n_inputs,
                    cli_label *label, const cli_table_options *opts, const cli_ear *ear) WB_MUST_USE;
void cli_table_close(cli_table *t);

/* What next() does before it scans.  CLI_ROW: go on. */
static inline bool cli_table_is_plain(const cli_table *t) {
  return t->is_begun && !t->is_over && !t->has_blocks && t->tick != t->opts.end_tick;
}
cli_next cli_table_prepare(cli_table *t);

/* The scan could not be done.  CLI_ROW: it can be tried again; else what next() answers. */
cli_next cli_table_retry(cli_table *t, cli_scan rc);

/* The row has been scanned: the next one comes.  False: it was too long, and cli_table_too_long tells. */
static inline bool cli_table_took(cli_table *t, uint64_t lines) {
  uint64_t line = t->text.base + t->text.line;
  t->at = (cli_trace_at){line, line, line, t->text.line_no};
  if (WB_UNLIKELY(t->pos > t->text.max_line)) return false;
  cli_trace_text_go(&t->text, t->text.line + t->pos, lines);
  return true;
}
cli_next cli_table_too_long(cli_table *t);

/* The time of the row stands at [from, to) and says `text`.  It becomes its label unless it goes back. */
cli_scan cli_table_time(cli_table *t, const char *from, const char *to, wb_str text, bool is_text);

/* `name`, which stands at [from, to), is no input: an error if strict, else once a warning. */
cli_scan cli_table_unknown(cli_table *t, const char *from, const char *to, wb_str name);
/* A warning about [from, to). */
void cli_table_warn(cli_table *t, const char *from, const char *to, const char *hint, const char *fmt, ...) WB_PRINTF(5, 6);

const cli_trouble *cli_table_trouble(const void *table);
cli_mark cli_table_mark(const cli_table *t, const char *from, const char *to); /* in the row that was given last */

#endif
