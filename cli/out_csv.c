/* cli/out_csv.c -- writes CSV; see out_csv.h.
**
** A Str is written as it is, and in quotes where it would be read as something else: empty, `deferred`, or with a comma, quote or line
** end in it.  Among the outputs without a type, a Str that reads as a trace value is written in the form of a trace, whose quotes are then
** doubled: """5""" is the Str 5.
** What goes wrong stays in the cli_output. */
#include "cli/out_csv.h"

#include <string.h>

#include "cli/csv_cell.h"
#include "cli/digits.h"

static bool has_marks(wb_str text) {
  for (size_t i = 0; i < text.n; i++)
    if (text.at[i] == ',' || text.at[i] == '"' || text.at[i] == '\r' || text.at[i] == '\n') return true;
  return false;
}

static bool put(cli_output *o, wb_str text) { return cli_output_put(o, text.at, text.n); }

static bool put_quoted(cli_output *o, wb_str text) {
  size_t quotes = 2;
  for (size_t i = 0; i < text.n; i++) quotes += text.at[i] == '"';
  char *begin = cli_output_room(o, text.n + quotes), *to = begin;
  if (to == NULL) return false;
  *to++ = '"';
  for (size_t i = 0; i < text.n; i++) {
    if (text.at[i] == '"') *to++ = '"';
    *to++ = text.at[i];
  }
  *to++ = '"';
  cli_output_took(o, (size_t)(to - begin));
  return true;
}

/* The trace form, in quotes. */
static bool put_form(cli_csv_out *w, const weir_value *v) {
  cli_output *o = w->out;
  size_t begin = o->text.n;
  if (!cli_put_value(&w->form, v)) return false;
  size_t n = o->text.n - begin, quotes = 2;
  for (size_t i = 0; i < n; i++) quotes += o->text.at[begin + i] == '"';
  char *room = cli_output_room(o, quotes);
  if (room == NULL) return false;
  char *text = o->text.at + begin, *from = text + n, *to = from + quotes;
  *--to = '"';
  while (from > text) { /* from behind, since it grows in place */
    *--to = *--from;
    if (*to == '"') *--to = '"';
  }
  *--to = '"';
  cli_output_took(o, quotes);
  return true;
}

typedef enum reading { READS_AS_TEXT, READS_AS_DEFERRED, READS_AS_VALUE, READ_FAILED } reading;

/* What a cell without a type that holds this text would be. */
static reading reads_as(cli_csv_out *w, wb_str text) {
  weir_value v;
  bool is_deep;
  char *copy = wb_alloc(&w->values, text.n + 1, 1, 1);
  if (copy == NULL) return READ_FAILED;
  memcpy(copy, text.at, text.n);
  cli_scan rc = cli_cell_value(&w->scan, copy, text.n, &v, &is_deep);
  wb_mem_reset(&w->values);
  if (rc == CLI_SCAN_NO_MEMORY) return READ_FAILED;
  if (rc != CLI_SCAN_OK) return is_deep ? READS_AS_VALUE : READS_AS_TEXT;
  return v.tag == WEIR_DEFERRED ? READS_AS_DEFERRED : READS_AS_VALUE;
}

static bool put_text(cli_csv_out *w, const weir_value *v, cli_kind kind) {
  wb_str text = {v->as.text, v->count};
  bool is_quoted = text.n == 0 || has_marks(text) || wb_str_eq(text, WB_STR("deferred"));
  if (kind != CLI_KIND_STR) {
    switch (reads_as(w, text)) {
      case READS_AS_TEXT: break;
      case READS_AS_DEFERRED: is_quoted = true; break;
      case READS_AS_VALUE: return put_form(w, v);
      case READ_FAILED: cli_output_no_memory(w->out); return false;
    }
  }
  return is_quoted ? put_quoted(w->out, text) : put(w->out, text);
}

/* A cell that needs room of its own. */
static __attribute__((noinline, cold)) bool put_rich(cli_csv_out *w, const weir_value *v, cli_kind kind) {
  return v->tag == WEIR_TEXT ? put_text(w, v, kind) : put_form(w, v);
}

/* The label and the comma behind it. */
static bool put_label(cli_csv_out *w) {
  wb_str text = w->label->text;
  if (text.at != NULL && !(has_marks(text) ? put_quoted(w->out, text) : put(w->out, text))) return false;
  return put(w->out, WB_STR(","));
}

static char *put_word(char *to, const char *word, size_t n) {
  memcpy(to, word, n);
  return to + n;
}

/* Without a branch, which data would mispredict. */
static inline char *put_bool(char *to, bool is_true) {
  static const char words[2][8] = {"false", "true"};
  memcpy(to, words[is_true], sizeof words[is_true]);
  return to + 5 - is_true;
}

static void end_row(cli_output *o, const char *begin, char *to) {
  to[-1] = '\n'; /* instead of the comma */
  cli_output_took(o, (size_t)(to - begin));
  cli_output_line(o);
}

/* The cells from output `i` on, whatever they hold.  begin: what has not been told to the output. */
static __attribute__((noinline)) void put_cells(cli_csv_out *w, const weir_value *const *values, uint32_t i, char *begin, char *to) {
  for (; i < w->n_fields; i++) {
    const weir_value *v = values[i];
    switch (v->tag) {
      case WEIR_INT: to = cli_write_int(to, v->as.i); break;
      case WEIR_FLOAT: to += wb_write_double(v->as.f, to); break;
      case WEIR_NOVAL: break;
      case WEIR_BOOL: to = put_bool(to, v->as.b); break;
      case WEIR_DEFERRED: to = put_word(to, "deferred", 8); break;
      case WEIR_UNIT: to = put_word(to, "\"()\"", 4); break;
      default:
        cli_output_took(w->out, (size_t)(to - begin));
        if (!put_rich(w, v, w->fields[i].kind)) return;
        to = begin = cli_output_room(w->out, w->room);
        if (to == NULL) return;
        break;
    }
    *to++ = ',';
  }
  end_row(w->out, begin, to);
}

static __attribute__((noinline, cold)) void put_labelled(cli_csv_out *w, const weir_value *const *values) {
  if (!put_label(w)) return;
  char *begin = cli_output_room(w->out, w->room);
  if (begin != NULL) put_cells(w, values, 0, begin, begin);
}

/* Ints at the front of a row, which need no help, then the rest. */
static void csv_row(void *self, uint64_t tick, const weir_value *const *values) {
  cli_csv_out *w = self;
  (void)tick;
  if (WB_UNLIKELY(w->is_special)) {
    if (w->has_label) put_labelled(w, values);
    return;
  }
  char *begin = cli_output_room(w->out, w->room), *to = begin;
  if (WB_UNLIKELY(begin == NULL)) return;
  uint32_t i = 0;
  do {
    const weir_value *v = values[i];
    if (v->tag != WEIR_INT || v->as.i <= -100000000 || v->as.i >= 100000000) {
      put_cells(w, values, i, begin, to);
      return;
    }
    to = cli_write_small_int(to, (int32_t)v->as.i);
    *to++ = ',';
  } while (++i < w->n_fields);
  end_row(w->out, begin, to);
}

/* Rows of columns, without a value made of each cell. */
static bool csv_rows(void *self, const cli_column *outs, size_t n) {
  cli_csv_out *w = self;
  if (w->is_special) return false;
  w->level->write(w->out, outs, w->n_fields, n, w->room, &w->texts);
  return true;
}

static bool put_header(cli_csv_out *w) {
  const char *time = w->label->column;
  bool is_first = time == NULL;
  if (time != NULL) {
    wb_str name = {time, strlen(time)};
    if (!(has_marks(name) ? put_quoted(w->out, name) : put(w->out, name))) return false;
  }
  for (uint32_t i = 0; i < w->n_fields; i++, is_first = false)
    if ((!is_first && !put(w->out, WB_STR(","))) || !put(w->out, w->fields[i].name)) return false;
  if (time == NULL && w->n_fields == 0) return true;
  if (!put(w->out, WB_STR("\n"))) return false;
  cli_output_line(w->out);
  return true;
}

bool cli_csv_out_open(cli_csv_out *w, cli_output *out, wb_mem *mem, const cli_field *outputs, uint32_t n_outputs, const cli_label *label,
                      size_t max_nesting) {
  *w = (cli_csv_out){.out = out, .mem = mem, .fields = outputs, .n_fields = n_outputs, .label = label};
  w->has_label = label->column != NULL;
  w->is_special = w->has_label || n_outputs == 0; /* no columns, no rows */
  w->room = ((size_t)n_outputs + 2) * (CLI_DIGITS_WRITE + 1);
  wb_mem_init(&w->values, mem->door, 0);
  cli_scanner_init(&w->scan, mem, max_nesting);
  w->scan.values = &w->values;
  w->form = (cli_nested){.out = out, .mem = mem, .notation = &cli_trace_notation};
  w->level = cli_csv_level_of(NULL);
  return cli_csv_texts_open(&w->texts, mem, n_outputs) && put_header(w);
}

void cli_csv_out_close(cli_csv_out *w) { wb_mem_drop(&w->values); }

cli_sink cli_csv_out_sink(cli_csv_out *w) { return (cli_sink){w, csv_row, csv_rows, w->is_special ? 0 : w->room}; }
