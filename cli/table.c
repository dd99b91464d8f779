/* cli/table.c -- what the readers of CSV and NDJSON have in common; see table.h. */
#include "cli/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WARNED = 20, QUOTED = 60, NAME_KEPT = 255 };

static const struct { const char *type; cli_kind kind; } kinds[] = {
  {"Any", CLI_KIND_ANY}, {"Int", CLI_KIND_INT}, {"Float", CLI_KIND_FLOAT}, {"Bool", CLI_KIND_BOOL}, {"Str", CLI_KIND_STR},
};

cli_kind cli_kind_of(const char *type) {
  for (size_t i = 0; i < WB_LEN(kinds); i++)
    if (strcmp(type, kinds[i].type) == 0) return kinds[i].kind;
  return strncmp(type, "Expr<", 5) == 0 ? CLI_KIND_STR : CLI_KIND_RICH; /* a text that holds an expression is a text */
}

bool cli_table_open(cli_table *t, cli_input *in, wb_mem *mem, cli_lines lines, const char *file, const cli_field *fields, uint32_t n_inputs,
                    cli_label *label, const cli_table_options *opts, const cli_ear *ear) {
  *t = (cli_table){.mem = mem, .file = file, .fields = fields, .n_inputs = n_inputs, .opts = *opts, .ear = *ear, .label = label};
  label->text = (wb_str){NULL, 0};
  t->has_label = label->column != NULL;
  wb_mem_init(&t->values, mem->door, 0);
  wb_names_init(&t->inputs, mem);
  wb_names_init(&t->unknown, mem);
  cli_scanner_init(&t->scan, mem, opts->max_nesting);
  t->scan.values = &t->values;
  t->max_rows = WB_MIN((uint32_t)CLI_BLOCK_ROWS, CLI_BLOCK_VALUES / (n_inputs + 1) + 1);
  t->rows = WB_NEW_ARRAY(mem, weir_value, (size_t)t->max_rows * n_inputs);
  t->begins = WB_NEW_ARRAY(mem, cli_row_at, t->max_rows);
  t->labels = WB_NEW_ARRAY(mem, cli_label, t->max_rows);
  if (!t->rows || !t->begins || !t->labels) return false;
  for (uint32_t i = 0; i < n_inputs; i++)
    if (wb_intern(&t->inputs, fields[i].name) != i) return false; /* names of inputs are distinct */
  if (!cli_trace_text_open(&t->text, in, mem, lines, WB_MIN(opts->max_line, (size_t)1 << 31))) return false;
  t->scan.end = t->text.buf;
  return true;
}

void cli_table_close(cli_table *t) { wb_mem_drop(&t->values); }

/* ---- Trouble ------------------------------------------------------------------------------------------------------- */

static cli_mark mark_of(const cli_table *t, const char *from, const char *to, uint64_t line_at, uint64_t line_no) {
  uint64_t at = t->text.base + (uint64_t)(from - t->text.buf);
  cli_trace_at place = {at, at + (uint64_t)(to - from), line_at, line_no};
  cli_mark m = cli_trace_text_mark(&t->text, &place);
  m.file = t->file;
  return m;
}

cli_mark cli_table_mark(const cli_table *t, const char *from, const char *to) {
  const cli_row_at *row = &t->given[-1];
  return mark_of(t, from, to, t->text.base + row->at, row->line);
}

/* Ends reading with trouble.what and trouble.hint, at [from, to) of the row that is being scanned. */
static cli_next end_bad(cli_table *t, const char *from, const char *to) {
  size_t at = (size_t)(from - t->text.buf) - t->text.line, n = (size_t)(to - from);
  t->is_over = true;
  t->trouble.tick = t->is_begun ? t->tick : WEIR_NO_ROW;
  cli_trace_text_show(&t->text, t->text.line + at); /* the buffer may move */
  from = t->text.buf + t->text.line + at;
  t->trouble.at = mark_of(t, from, from + n, t->text.base + t->text.line, t->text.line_no);
  return CLI_BAD;
}

/* A row that is too long, or has something wrong with it behind the limit, is scanned again as far as the limit allows: so what is said
** does not depend on how much has been read. */
static void begin_limit(cli_table *t, size_t limit) {
  t->is_limited = true;
  t->held_at = t->text.line + limit;
  char *stop = t->text.buf + t->held_at;
  t->held = *stop;
  *stop = '\n';
  t->scan.end = stop;
  t->scan.is_last = false;
}

static void end_limit(cli_table *t) {
  if (!t->is_limited) return;
  t->is_limited = false;
  t->text.buf[t->held_at] = t->held;
  t->scan.end = t->text.buf + t->text.end;
}

static cli_next end_too_long(cli_table *t) {
  end_limit(t);
  const char *line = t->text.buf + t->text.line;
  (void)wb_fail(&t->trouble.what, WEIR_E_LIMIT, WB_NOWHERE, "the line is longer than %zu byte%s (--max-line-bytes)", t->text.max_line, WB_S(t->text.max_line));
  t->trouble.hint[0] = '\0';
  return end_bad(t, line, line + 1);
}

static cli_next end_scan(cli_table *t) {
  const cli_scanner *s = &t->scan;
  end_limit(t);
  t->trouble.what = s->what;
  memcpy(t->trouble.hint, s->hint, sizeof s->hint);
  return end_bad(t, s->from, s->to);
}

static cli_next end_pipe(cli_table *t, cli_pipe why) {
  t->is_over = true;
  t->trouble = (cli_trouble){.at = {.file = t->file}, .tick = WEIR_NO_ROW, .what = t->text.in->error};
  return why == CLI_PIPE_STOPPED ? CLI_STOP : why == CLI_PIPE_MEMORY ? CLI_NO_MEMORY : CLI_UNREADABLE;
}

const cli_trouble *cli_table_trouble(const void *table) {
  const cli_table *t = table;
  return &t->trouble;
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------- */

/* Skips a byte-order mark.  False: too little has been read to know. */
static bool skip_mark(cli_table *t) {
  static const char mark[3] = "\xEF\xBB\xBF";
  size_t n = WB_MIN(t->text.end, sizeof mark);
  if (memcmp(t->text.buf, mark, n) != 0) return true;
  if (n < sizeof mark) return t->text.is_end;
  cli_trace_text_go(&t->text, sizeof mark, 0);
  return true;
}

static cli_next read_on(cli_table *t) {
  cli_pipe rc = cli_trace_text_more(&t->text);
  t->scan.end = t->text.buf + t->text.end;
  t->scan.is_last = t->text.is_end;
  return rc == CLI_PIPE_OK ? CLI_ROW : end_pipe(t, rc);
}

cli_next cli_table_prepare(cli_table *t) {
  t->label->text = (wb_str){NULL, 0};
  t->n_left = 0;
  if (t->has_blocks) wb_mem_reset(&t->values);
  t->has_blocks = false;
  if (t->tick == t->opts.end_tick) t->is_over = true;
  if (t->is_over) return CLI_END;
  while (!t->is_begun && t->text.base == 0 && t->text.line == 0 && !skip_mark(t)) {
    cli_next next = read_on(t);
    if (next != CLI_ROW) return next;
  }
  return CLI_ROW;
}

size_t cli_table_ahead(const cli_table *t, const weir_value **values, const cli_row_at **begins) {
  *values = t->give;
  *begins = t->given;
  return t->has_label ? 0 : t->n_left; /* each row brings its own label */
}

void cli_table_pass(cli_table *t, size_t n) {
  t->n_left -= (uint32_t)n;
  t->tick += n;
  t->give += n * t->n_inputs;
  t->given += n;
}

void cli_table_block(cli_table *t, uint32_t n, const char *end, uint64_t line) {
  t->text.line = (size_t)(end - t->text.buf);
  t->text.line_no = line;
  t->n_left = (uint32_t)WB_MIN(n, t->opts.end_tick - t->tick);
  t->give = t->rows;
  t->given = t->begins;
}

cli_next cli_table_retry(cli_table *t, cli_scan rc) {
  if (rc == CLI_SCAN_NO_MEMORY) return end_pipe(t, CLI_PIPE_MEMORY);
  if (t->has_blocks) wb_mem_reset(&t->values); /* what the first part of the row took */
  if (t->is_limited) return rc == CLI_SCAN_BAD ? end_scan(t) : end_too_long(t);
  size_t limit = cli_trace_text_limit(&t->text);
  if (limit != SIZE_MAX) {
    begin_limit(t, limit);
    return CLI_ROW;
  }
  if (rc == CLI_SCAN_BAD) return end_scan(t);
  if (t->text.is_end) {
    wb_assert(t->text.line == t->text.end);
    t->is_over = true; /* all rows have been given, and ticks that fill up repeat the label of the last */
    *t->label = (cli_label){t->label->column, {t->last.text.at, t->last.text.n}, t->time_is_text};
    return CLI_END;
  }
  t->text.keep = t->text.line;
  return read_on(t);
}

/* ---- Time ---------------------------------------------------------------------------------------------------------- */

cli_scan cli_table_time(cli_table *t, const char *from, const char *to, wb_str text, bool is_text) {
  size_t bad = wb_utf8_valid(text);
  if (bad < text.n) return cli_scan_bad(&t->scan, from, to, "the time is not valid UTF-8");
  wb_str last = {t->last.text.at, t->last.text.n};
  int n = (int)wb_utf8_cut(text, WB_MIN(text.n, (size_t)QUOTED)), m = (int)wb_utf8_cut(last, WB_MIN(last.n, (size_t)QUOTED));
  switch (cli_time_take(&t->last, t->mem, text, is_text)) {
    case CLI_TIME_GOES_ON:
      t->time = text;
      t->time_is_text = is_text;
      return CLI_SCAN_OK;
    case CLI_TIME_GOES_BACK: return cli_scan_bad(&t->scan, from, to, "time %.*s after %.*s", n, text.at, m, last.at);
    case CLI_TIME_CHANGES: return cli_scan_bad(&t->scan, from, to, "time %.*s after %.*s: only one of them is a number", n, text.at, m, last.at);
    case CLI_TIME_IS_NONE:
      if (text.n > 0) return cli_scan_bad(&t->scan, from, to, "%.*s is no time", n, text.at);
      return cli_scan_bad(&t->scan, from, to, "the time is missing (--time-column %s)", t->label->column);
    case CLI_TIME_NO_MEMORY: break;
  }
  return CLI_SCAN_NO_MEMORY;
}

/* ---- Names --------------------------------------------------------------------------------------------------------- */

static void suggest(const cli_table *t, wb_str name, char *hint, size_t size) {
  wb_near near;
  wb_near_init(&near, name);
  for (uint32_t i = 0; i < t->n_inputs; i++) wb_near_offer(&near, t->fields[i].name);
  hint[0] = '\0';
  if (wb_near_found(&near)) (void)snprintf(hint, size, "the nearest input is %.*s", (int)near.best.n, near.best.at);
}

void cli_table_warn(cli_table *t, const char *from, const char *to, const char *hint, const char *fmt, ...) {
  char text[sizeof t->trouble.what.text];
  va_list args;
  va_start(args, fmt);
  (void)vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  cli_trouble w = {.tick = WEIR_NO_ROW, .at = mark_of(t, from, to, t->text.base + t->text.line, t->text.line_no)};
  (void)wb_fail(&w.what, WEIR_E_ADMIT, WB_NOWHERE, "%s", text);
  (void)snprintf(w.hint, sizeof w.hint, "%s", hint);
  if (t->ear.warn) t->ear.warn(t->ear.self, &w);
}

/* What is remembered of a name. */
static wb_str kept_of(wb_str name) { return (wb_str){name.at, wb_utf8_cut(name, WB_MIN(name.n, (size_t)NAME_KEPT))}; }

bool cli_table_is_news(const cli_table *t, wb_str name) {
  return t->unknown.texts.n <= WARNED && wb_names_find(&t->unknown, kept_of(name)) == WB_NO_NAME;
}

cli_scan cli_table_unknown(cli_table *t, const char *from, const char *to, wb_str name) {
  wb_str kept = kept_of(name);
  int n = (int)wb_utf8_cut(name, WB_MIN(name.n, (size_t)QUOTED));
  if (t->opts.is_strict) {
    cli_scan rc = cli_scan_bad(&t->scan, from, to, "%.*s is not an input (--strict)", n, name.at);
    if (rc == CLI_SCAN_BAD) suggest(t, kept, t->scan.hint, sizeof t->scan.hint);
    return rc;
  }
  if (!cli_table_is_news(t, name)) return CLI_SCAN_OK;
  bool is_last = t->unknown.texts.n == WARNED;
  if (wb_intern(&t->unknown, kept) == WB_NO_NAME) return CLI_SCAN_NO_MEMORY;
  char hint[sizeof t->trouble.hint];
  suggest(t, kept, hint, sizeof hint);
  cli_table_warn(t, from, to, hint, "%.*s is not an input and is ignored%s", n, name.at, is_last ? ", as are all further unknown names" : "");
  return CLI_SCAN_OK;
}
