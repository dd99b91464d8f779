/* cli/io_csv.c -- reads CSV; see io_csv.h.
**
** A cell that holds what its column promises, and nothing unusual, is read where it stands in the loops of `scan_block`; any other is
** cut out by csv_cell.c and read by its text.  What does not fit the type of its input is passed on as the value that it is, and
** refused with the tick, as in a trace. */
#include "cli/io_csv.h"

#include <stdio.h>
#include <string.h>

#include "cli/csv_cell.h"
#include "cli/csv_dense.h"
#include "cli/digits.h"

_Static_assert((int)CLI_DIGITS_READ <= (int)CLI_TEXT_PAD, "numbers are read beyond the end of the text");

enum { COLUMN_SKIPPED = CLI_KIND_RICH + 1, COLUMN_TIME };
enum { MISSING_TOLD = 20, QUOTED = 60 };

bool cli_csv_open(cli_csv *c, cli_input *in, wb_mem *mem, const char *file, const cli_field *inputs, uint32_t n_inputs, cli_label *label,
                  const cli_table_options *opts, const cli_ear *ear) {
  *c = (cli_csv){.time_column = SIZE_MAX};
  if (!cli_table_open(&c->t, in, mem, CLI_LINES_CSV, file, inputs, n_inputs, label, opts, ear)) return false;
  c->column_of = WB_NEW_ARRAY(mem, uint32_t, n_inputs);
  for (uint32_t i = 0; c->column_of && i < n_inputs; i++) c->column_of[i] = WB_NO_NAME;
  return c->column_of != NULL;
}

void cli_csv_close(cli_csv *c) { cli_table_close(&c->t); }

/* ---- Cells --------------------------------------------------------------------------------------------------------- */

/* The text that the cell means, checked. */
static cli_scan read_text(cli_csv *c, cli_cell *cell, wb_str *out) {
  cli_scanner *s = &c->t.scan;
  size_t bad = wb_utf8_valid(cell->text);
  if (bad < cell->text.n) return cli_scan_bad(s, cell->text.at + bad, cell->text.at + bad + 1, "this byte is not valid UTF-8");
  *out = cell->text;
  if (!cell->has_pairs) return CLI_SCAN_OK;
  c->t.has_blocks = true;
  cli_scan rc = cli_cell_join(s, cell);
  *out = (wb_str){cell->joined, cell->n_joined};
  return rc;
}

static wb_str trim(wb_str text) {
  while (text.n > 0 && cli_is(text.at[0], CLI_C_BLANK)) text = (wb_str){text.at + 1, text.n - 1};
  while (text.n > 0 && cli_is(text.at[text.n - 1], CLI_C_BLANK)) text.n--;
  return text;
}

static cli_scan check_range(cli_csv *c, const cli_cell *cell, double f) {
  if (f - f == 0) return CLI_SCAN_OK;
  int n = (int)WB_MIN(cell->text.n, (size_t)QUOTED);
  return cli_scan_bad(&c->t.scan, cell->from, cell->to, "%.*s is beyond the range of Float", n, cell->text.at);
}

/* A cell of an input that is neither Str nor, if it holds a number, Float: a trace value, or else its text. */
static cli_scan read_other(cli_csv *c, const cli_cell *cell, wb_str text, weir_value *v) {
  cli_scanner *s = &c->t.scan;
  char *at = cell->has_pairs ? cell->joined : c->t.text.buf + (text.at - c->t.text.buf);
  bool is_deep;
  c->t.has_blocks = true;
  cli_scan rc = cli_cell_value(s, at, text.n, v, &is_deep);
  if (rc == CLI_SCAN_OK && !(v->tag == WEIR_DEFERRED && cell->is_quoted)) return CLI_SCAN_OK;
  if (rc == CLI_SCAN_NO_MEMORY) return rc;
  if (rc == CLI_SCAN_BAD && is_deep)
    return cli_scan_bad(s, cell->from, cell->to, "the value is nested deeper than %zu (--max-value-nesting)", s->max_nesting);
  *v = (weir_value){.tag = WEIR_TEXT, .count = (uint32_t)text.n, .as.text = text.at};
  return CLI_SCAN_OK;
}

static cli_scan read_input(cli_csv *c, const cli_cell *cell, wb_str text, cli_kind kind, weir_value *v) {
  if (!cell->is_quoted && text.n == 0) {
    *v = (weir_value){.tag = WEIR_NOVAL};
    return CLI_SCAN_OK;
  }
  if (!cell->is_quoted && wb_str_eq(text, WB_STR("deferred"))) {
    *v = (weir_value){.tag = WEIR_DEFERRED};
    return CLI_SCAN_OK;
  }
  if (kind == CLI_KIND_STR) {
    *v = (weir_value){.tag = WEIR_TEXT, .count = (uint32_t)text.n, .as.text = text.at};
    return CLI_SCAN_OK;
  }
  if (kind == CLI_KIND_FLOAT && wb_read_decimal(trim(text), &v->as.f)) {
    cli_set_tag(v, WEIR_FLOAT);
    return check_range(c, cell, v->as.f);
  }
  return read_other(c, cell, text, v);
}

static cli_scan read_cell(cli_csv *c, const cli_csv_column *col, cli_cell *cell, weir_value *row) {
  wb_str text;
  if (col->kind == COLUMN_SKIPPED) return CLI_SCAN_OK;
  cli_scan rc = read_text(c, cell, &text);
  if (rc == CLI_SCAN_OK && col->kind == COLUMN_TIME) rc = cli_table_time(&c->t, cell->from, cell->to, text, false);
  if (rc != CLI_SCAN_OK || !col->feeds) return rc;
  return read_input(c, cell, text, c->t.fields[col->input].kind, &row[col->input]);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------- */

/* The cell that begins in the row at `line` does not end at `p` as its column should: the row is too short or too long. */
static cli_scan wrong_count(cli_csv *c, const char *line, const char *p) {
  cli_scanner *s = &c->t.scan;
  const char *q = line;
  size_t cells = 0;
  cli_scan rc;
  for (cli_cell cell;; q++) {
    if ((rc = cli_cell_cut(s, &q, &cell)) == CLI_SCAN_SHORT) return rc;
    cells++;
    if (rc == CLI_SCAN_BAD || *q != ',') break;
  }
  bool is_more = cells > c->columns.n;
  rc = cli_scan_bad(s, p, is_more ? p + 1 : p, "the row has %zu cell%s%s, the header has %zu", cells, WB_S(cells),
                    rc == CLI_SCAN_BAD ? " or more" : "", c->columns.n);
  if (rc == CLI_SCAN_BAD && q == line) (void)snprintf(s->hint, sizeof s->hint, "%s", "an empty line is a row of one empty cell");
  return rc;
}

/* Any cell, at *p, of the row that begins at `line`; *p moves behind what closes it. */
static __attribute__((noinline, cold)) cli_scan scan_cell(cli_csv *c, const cli_csv_column *col, const char *line, const char **p, weir_value *row) {
  cli_scanner *s = &c->t.scan;
  cli_cell cell;
  if (*p == line && line == s->end) return CLI_SCAN_SHORT; /* no row */
  cli_scan rc = cli_cell_cut(s, p, &cell);
  if (rc != CLI_SCAN_OK) return rc;
  rc = read_cell(c, col, &cell, row);
  if (rc != CLI_SCAN_OK) return rc;
  if (**p != col->close) return wrong_count(c, line, *p);
  ++*p;
  return CLI_SCAN_OK;
}

/* Goes on with a cell at `p` that its column has not read: returns where the next begins, or NULL and *why. */
static __attribute__((noinline)) const char *scan_unusual(cli_csv *c, const cli_csv_column *col, const char *line, const char *p, weir_value *row,
                                                          cli_scan *why) {
  if (*p == col->close && col->kind <= CLI_KIND_RICH) {
    cli_set_tag(&row[col->input], WEIR_NOVAL);
    return p + 1;
  }
  *why = scan_cell(c, col, line, &p, row);
  return *why == CLI_SCAN_OK ? p : NULL;
}

static __attribute__((noinline)) const char *scan_float(const char *p, double *v) { return cli_read_short_float(p, v); }

/* Reads the row at `line`: returns where it ends, or NULL and *why. */
static inline const char *scan_row(cli_csv *c, const char *line, weir_value *row, cli_scan *why) {
  const char *p = line;
  for (const cli_csv_column *col = c->columns.at, *behind = col + c->columns.n; col < behind; col++) {
    weir_value *v = row + col->input; /* of no meaning where it feeds no input */
    const char *q = NULL;
    if (WB_LIKELY(col->kind <= CLI_KIND_INT)) {
      q = cli_read_short_int(p, &v->as.i);
      cli_set_tag(v, WEIR_INT);
    } else if (col->kind == CLI_KIND_FLOAT) {
      q = scan_float(p, &v->as.f);
      cli_set_tag(v, WEIR_FLOAT);
    }
    if (WB_LIKELY(q != NULL)) {
      if (WB_LIKELY(*q == col->close)) {
        p = q + 1;
        continue;
      }
      if (*q == '\r' && q[1] == '\n' && col->close == '\n') {
        p = q + 2;
        continue;
      }
    }
    p = scan_unusual(c, col, line, p, row, why);
    if (WB_UNLIKELY(p == NULL)) return NULL;
  }
  return p;
}

static __attribute__((noinline)) uint64_t lines_of(const char *p, const char *stop) {
  uint64_t lines = 0;
  for (; p < stop; p++) lines += *p == '\n';
  return lines;
}

/* Reads as many rows as a block takes and are there.  What is wrong with a row counts only if it is the first. */
static cli_scan scan_block(cli_csv *c) {
  cli_table *t = &c->t;
  const char *line = t->text.buf + t->text.line, *end = t->scan.end;
  uint64_t line_no = t->text.line_no;
  weir_value *row = t->rows;
  uint32_t n = 0;
  cli_scan rc = CLI_SCAN_SHORT;
  bool needs_end = cli_table_needs_end(t);
  t->scan.has_lines = false;
  for (uint32_t n_inputs = t->n_inputs, max_rows = t->max_rows; n < max_rows; n++, row += n_inputs) {
    cli_table_begin(t, n, line, line_no);
    const char *p = scan_row(c, line, row, &rc);
    if (WB_UNLIKELY(p == NULL)) break;
    if (WB_UNLIKELY(p > end)) { /* behind the line feed that stands at the end */
      rc = CLI_SCAN_SHORT;
      if (!t->scan.is_last || line == end) break;
      p = end;
    }
    if (WB_UNLIKELY(needs_end && !cli_table_end(t, n, p))) {
      rc = CLI_SCAN_SHORT;
      break;
    }
    line_no++;
    if (WB_UNLIKELY(t->scan.has_lines)) {
      line_no += lines_of(line, p - 1); /* those inside cells */
      t->scan.has_lines = false;
    }
    line = p;
  }
  if (n == 0) return rc;
  cli_table_block(t, n, line, line_no);
  return CLI_SCAN_OK;
}

/* ---- The header ---------------------------------------------------------------------------------------------------- */

static cli_scan add_column(cli_csv *c, wb_names *seen, cli_cell *cell) {
  cli_table *t = &c->t;
  cli_scanner *s = &t->scan;
  wb_str name;
  cli_scan rc = read_text(c, cell, &name);
  if (rc != CLI_SCAN_OK) return rc;
  if (!cell->is_quoted) name = trim(name);
  uint32_t input = wb_names_find(&t->inputs, name), known = (uint32_t)seen->texts.n, id = wb_intern(seen, name);
  if (id == WB_NO_NAME) return CLI_SCAN_NO_MEMORY;
  if (id != known && name.n > 0)
    return cli_scan_bad(s, cell->from, cell->to, "the column %.*s stands here a second time", (int)wb_utf8_cut(name, WB_MIN(name.n, (size_t)QUOTED)), name.at);
  cli_csv_column col = {.kind = COLUMN_SKIPPED, .close = ','};
  if (input != WB_NO_NAME) {
    col.input = input;
    col.feeds = true;
    col.kind = (uint8_t)t->fields[input].kind;
    c->column_of[input] = (uint32_t)c->columns.n;
  }
  const char *time = t->label->column;
  if (time != NULL && strlen(time) == name.n && memcmp(time, name.at, name.n) == 0) {
    col.kind = COLUMN_TIME;
    c->time_column = c->columns.n;
  }
  return WB_PUSH(t->mem, &c->columns, col) ? CLI_SCAN_OK : CLI_SCAN_NO_MEMORY;
}

/* Says which columns are for nothing, now that all of the header is there. */
static cli_scan check_columns(cli_csv *c) {
  cli_table *t = &c->t;
  const char *p = t->text.buf + t->text.line;
  for (size_t i = 0; i < c->columns.n; i++, p++) {
    cli_cell cell;
    wb_str name;
    cli_scan rc = cli_cell_cut(&t->scan, &p, &cell);
    if (rc != CLI_SCAN_OK || c->columns.at[i].kind != COLUMN_SKIPPED) continue;
    if ((rc = read_text(c, &cell, &name)) != CLI_SCAN_OK) return rc;
    if (!cell.is_quoted) name = trim(name);
    if (name.n == 0 && t->opts.is_strict) return cli_scan_bad(&t->scan, cell.from, cell.to, "column %zu has no name (--strict)", i + 1);
    if (name.n == 0) cli_table_warn(t, cell.from, cell.to, "", "column %zu has no name and is ignored", i + 1);
    else if ((rc = cli_table_unknown(t, cell.from, cell.to, name)) != CLI_SCAN_OK) return rc;
  }
  return CLI_SCAN_OK;
}

static cli_scan check_inputs(cli_csv *c) {
  cli_table *t = &c->t;
  const char *line = t->text.buf + t->text.line;
  if (t->label->column != NULL && c->time_column == SIZE_MAX)
    return cli_scan_bad(&t->scan, line, line, "there is no column %.60s (--time-column)", t->label->column);
  uint32_t missing = 0;
  for (uint32_t i = 0; i < t->n_inputs; i++) missing += c->column_of[i] == WB_NO_NAME;
  for (uint32_t i = 0, told = 0; i < t->n_inputs && told < MISSING_TOLD; i++) {
    if (c->column_of[i] != WB_NO_NAME) continue;
    wb_str name = t->fields[i].name;
    char more[48] = "";
    if (++told == MISSING_TOLD && missing > told) (void)snprintf(more, sizeof more, ", as %s %" PRIu32 " other%s", missing - told == 1 ? "is" : "are", missing - told, WB_S(missing - told));
    cli_table_warn(t, line, line, "", "the input %.*s is not in the header and is never fed%s", (int)WB_MIN(name.n, (size_t)QUOTED), name.at, more);
  }
  return CLI_SCAN_OK;
}

static cli_scan scan_header(cli_csv *c, const char **stop) {
  cli_table *t = &c->t;
  cli_scanner *s = &t->scan;
  const char *line = t->text.buf + t->text.line, *p = line;
  if (p == s->end) return CLI_SCAN_SHORT;
  wb_names seen;
  wb_mem names;
  wb_mem_init(&names, t->mem->door, 0);
  wb_names_init(&seen, &names);
  c->columns.n = 0;
  cli_scan rc;
  for (cli_cell cell;; p++) {
    if ((rc = cli_cell_cut(s, &p, &cell)) != CLI_SCAN_OK || (rc = add_column(c, &seen, &cell)) != CLI_SCAN_OK || p == s->end || *p != ',') break;
  }
  wb_mem_drop(&names);
  if (rc == CLI_SCAN_OK) {
    WB_TOP(&c->columns).close = '\n';
    *stop = p + (p < s->end);
    if (cli_trace_text_is_long(&t->text, (size_t)(*stop - line), *stop)) return CLI_SCAN_SHORT; /* nothing has been said yet */
    if ((rc = check_columns(c)) == CLI_SCAN_OK) rc = check_inputs(c);
  }
  return rc;
}

/* ---- The source ---------------------------------------------------------------------------------------------------- */

static cli_next read_header(cli_csv *c) {
  cli_table *t = &c->t;
  const char *stop;
  for (;;) {
    t->scan.has_lines = false;
    cli_scan rc = scan_header(c, &stop);
    if (rc == CLI_SCAN_OK) break;
    cli_next next = cli_table_retry(t, rc);
    if (next != CLI_ROW) return next;
  }
  const char *line = t->text.buf + t->text.line;
  cli_table_block(t, 0, stop, t->text.line_no + lines_of(line, stop));
  t->is_begun = true;
  bool are_short = t->text.max_line >= CLI_DENSE_BYTES; /* no row that is read so can be longer than it may be */
  c->hoped = CLI_DENSE_FEWEST;
  bool is_dense = are_short && !t->has_label && cli_csv_is_dense(c->columns.at, c->columns.n);
  c->dense = is_dense ? cli_csv_level_of(NULL) : NULL;
  return CLI_ROW;
}

static cli_next read_block(cli_csv *c) {
  cli_next next = cli_table_prepare(&c->t);
  if (next == CLI_ROW && !c->t.is_begun) next = read_header(c);
  while (next == CLI_ROW) {
    cli_scan rc = scan_block(c);
    if (rc == CLI_SCAN_OK) break;
    next = cli_table_retry(&c->t, rc);
  }
  return next;
}

static __attribute__((noinline)) cli_next next_block(cli_csv *c, cli_row *row) {
  cli_next next = read_block(c);
  if (next == CLI_ROW) (void)cli_table_give(&c->t, row);
  return next;
}

static cli_next csv_next(void *self, cli_row *row) {
  cli_csv *c = self;
  return WB_LIKELY(cli_table_give(&c->t, row)) ? CLI_ROW : next_block(c, row);
}

static const cli_trouble *csv_trouble(const void *self) { return cli_table_trouble(&((const cli_csv *)self)->t); }

static cli_mark csv_place(const void *self, uint32_t input) {
  const cli_csv *c = self;
  const cli_table *t = &c->t;
  const char *p = t->text.buf + t->given[-1].at;
  cli_scanner s = {.end = t->text.buf + t->text.end, .is_last = true};
  size_t column = input < t->n_inputs && c->column_of[input] != WB_NO_NAME ? c->column_of[input] : 0;
  cli_cell cell = {.from = p, .to = p};
  for (size_t i = 0; i <= column && cli_cell_cut(&s, &p, &cell) == CLI_SCAN_OK; i++) p++;
  return cli_table_mark(t, cell.from, cell.to);
}

static size_t csv_ahead(const void *self, const weir_value **values, const cli_row_at **begins) {
  return cli_table_ahead(&((const cli_csv *)self)->t, values, begins);
}

static void csv_pass(void *self, size_t n) { cli_table_pass(&((cli_csv *)self)->t, n); }

/* How many rows are tried at once follows from how many were plain the last time: what is read of rows behind an odd one is read again by
** scan_block, and where odd ones are frequent that must remain little beside its blocks. */
static size_t csv_take(void *self, cli_columns *to) {
  cli_csv *c = self;
  cli_table *t = &c->t;
  if (c->dense == NULL || t->n_left > 0 || t->is_over || to->is_stuck || cli_columns_are_full(to)) return 0;
  const char *line = t->text.buf + t->text.line, *stop;
  size_t tried = WB_MIN(c->hoped, to->max_rows - to->n);
  size_t n = c->dense->read(c->columns.at, c->columns.n, line, t->scan.end, t->text.line_no, WB_MIN(tried, t->opts.end_tick - t->tick), to, &stop);
  c->hoped = n < tried ? WB_MAX(n, (size_t)CLI_DENSE_FEWEST) : WB_MIN(2 * c->hoped, (size_t)CLI_COLUMN_ROWS);
  if (n == 0) return 0;
  for (uint32_t i = 0; i < t->n_inputs; i++) /* what no column feeds */
    if (c->column_of[i] == WB_NO_NAME) cli_columns_gaps(to, &to->ins[i], to->n - n, to->n);
  cli_table_block(t, 0, stop, t->text.line_no + n);
  t->tick += n;
  return n;
}

cli_source cli_csv_source(cli_csv *c) { return (cli_source){c, csv_next, csv_trouble, csv_place, csv_ahead, csv_pass, csv_take}; }
