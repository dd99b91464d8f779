/* cli/io_json.c -- reads NDJSON; see io_json.h.
**
** A line is scanned where it stands; the key of an input is looked for where it stood the last time.  What does not fit the type of its
** input is passed on as the value that it is, and refused with the tick, as in a trace.  Keys that are no input's are gathered, and looked
** at when all of the line is there and right: none may be repeated, and the first of a name is warned about.  A line that has something to
** warn about begins a block, so that it is told when the rows before it have run. */
#include "cli/io_json.h"

#include <string.h>

#include "cli/digits.h"
#include "cli/json_value.h"

_Static_assert((int)CLI_DIGITS_READ <= (int)CLI_TEXT_PAD, "numbers are read beyond the end of the text");

enum { QUOTED = 60, FEW = 16 };

#define NO_INPUT UINT32_MAX

bool cli_json_open(cli_json *j, cli_input *in, wb_mem *mem, const char *file, const cli_field *inputs, uint32_t n_inputs, cli_label *label,
                   const cli_table_options *opts, const cli_ear *ear) {
  *j = (cli_json){0};
  wb_mem_init(&j->names, mem->door, 0);
  if (!cli_table_open(&j->t, in, mem, CLI_LINES_PLAIN, file, inputs, n_inputs, label, opts, ear)) return false;
  j->places = WB_NEW_ARRAY(mem, cli_json_place, n_inputs);
  j->follows = WB_NEW_ARRAY(mem, uint32_t, (size_t)n_inputs + 1);
  if (!j->places || !j->follows) return false;
  for (uint32_t i = 0; i < n_inputs; i++) j->follows[i] = i + 1 < n_inputs ? i + 1 : 0;
  return true;
}

void cli_json_close(cli_json *j) {
  cli_table_close(&j->t);
  wb_mem_drop(&j->names);
}

/* ---- One key and value --------------------------------------------------------------------------------------------- */

static cli_scan second(cli_json *j, const char *from, const char *to, wb_str name) {
  return cli_scan_bad(&j->t.scan, from, to, "second value for %.*s", (int)wb_utf8_cut(name, WB_MIN(name.n, (size_t)QUOTED)), name.at);
}

/* Puts the value at *p into the row. */
static cli_scan scan_input(cli_json *j, const char **p, uint32_t input, weir_value *v) {
  cli_table *t = &j->t;
  cli_kind kind = t->fields[input].kind;
  const char *from = *p, *q = NULL, *digits = from + (*from == '-');
  bool is_plain = *digits != '0' || !cli_is(digits[1], CLI_C_DIGIT);
  if (kind <= CLI_KIND_INT && is_plain) {
    q = cli_read_short_int(from, &v->as.i);
    cli_set_tag(v, WEIR_INT);
  } else if (kind == CLI_KIND_FLOAT && is_plain) {
    q = cli_read_short_float(from, &v->as.f);
    cli_set_tag(v, WEIR_FLOAT);
  }
  if (WB_UNLIKELY(q == NULL || cli_is(*q, CLI_C_NUMBER))) {
    t->has_blocks = true;
    q = from;
    cli_scan rc = cli_json_value(&t->scan, &q, kind == CLI_KIND_FLOAT, v);
    if (rc != CLI_SCAN_OK) return rc;
  }
  j->places[input] = (cli_json_place){j->scan, from, q};
  *p = q;
  return CLI_SCAN_OK;
}

/* A value that feeds no input: it must be one, however. */
static cli_scan scan_ignored(cli_json *j, const char **p, const char *from, const char *to, wb_str name) {
  cli_table *t = &j->t;
  weir_value v;
  t->has_blocks = true;
  cli_scan rc = cli_json_value(&t->scan, p, false, &v);
  if (rc != CLI_SCAN_OK) return rc;
  if (t->opts.is_strict) return cli_table_unknown(t, from, to, name);
  return WB_PUSH(t->mem, &j->others, (cli_json_other){name, from, to}) ? CLI_SCAN_OK : CLI_SCAN_NO_MEMORY;
}

/* The value of the key of time. */
static cli_scan scan_time(cli_json *j, const char **p) {
  cli_table *t = &j->t;
  weir_value v;
  const char *from = *p;
  t->has_blocks = true;
  cli_scan rc = cli_json_value(&t->scan, p, false, &v);
  if (rc != CLI_SCAN_OK) return rc;
  j->has_time = true;
  if (j->is_placing) return CLI_SCAN_OK;
  wb_str text = {from, (size_t)(*p - from)};
  switch ((weir_tag)v.tag) {
    case WEIR_INT:
    case WEIR_FLOAT:
      if (*from != '{') return cli_table_time(t, from, *p, text, false);
      break;
    case WEIR_TEXT: return cli_table_time(t, from, *p, (wb_str){v.as.text, v.count}, true);
    case WEIR_NOVAL: return cli_table_time(t, from, *p, (wb_str){from, 0}, false);
    case WEIR_DEFERRED:
    case WEIR_UNIT:
    case WEIR_BOOL:
    case WEIR_LIST:
    case WEIR_TUPLE:
    case WEIR_MAP:
    case WEIR_TAG_COUNT: break;
  }
  return cli_scan_bad(&t->scan, from, *p, "a time is a number or a string");
}

static bool is_time(const cli_json *j, wb_str name) {
  const char *time = j->t.label->column;
  return time != NULL && strlen(time) == name.n && memcmp(time, name.at, name.n) == 0;
}

/* The input whose key most likely stands at `p`, if it does. */
static inline uint32_t guess(const cli_json *j, const char *p, uint32_t previous) {
  if (WB_UNLIKELY(j->t.n_inputs == 0 || j->t.label->column != NULL)) return NO_INPUT;
  uint32_t i = j->follows[previous];
  wb_str name = j->t.fields[i].name;
  bool is_it = (size_t)(j->t.scan.end - p) > name.n + 2 && memcmp(p + 1, name.at, name.n) == 0 && p[name.n + 1] == '"';
  return is_it ? i : NO_INPUT;
}

/* One key, at the quote at *p, and its value. */
static cli_scan scan_member(cli_json *j, const char **p, uint32_t *previous, weir_value *row) {
  cli_table *t = &j->t;
  const char *from = *p;
  uint32_t input = guess(j, from, *previous);
  wb_str name;
  if (WB_LIKELY(input != NO_INPUT)) {
    name = t->fields[input].name;
    *p = from + name.n + 2;
  } else {
    t->has_blocks = true; /* where it has escapes */
    cli_scan rc = cli_json_string(&t->scan, p, &name);
    if (rc != CLI_SCAN_OK) return rc;
    input = wb_names_find(&t->inputs, name);
  }
  const char *to = *p;
  *p = cli_json_blanks(to);
  if (WB_UNLIKELY(**p != ':')) return cli_scan_bad(&t->scan, *p, cli_scan_word(&t->scan, *p), "a ':' is missing behind the key");
  const char *value = *p = cli_json_blanks(*p + 1);
  bool is_label = is_time(j, name);
  if (WB_UNLIKELY(is_label)) {
    if (j->has_time) return second(j, from, to, name);
    cli_scan rc = scan_time(j, p);
    if (rc != CLI_SCAN_OK || input == NO_INPUT) return rc;
    *p = value; /* it feeds an input too */
  }
  if (WB_UNLIKELY(input == NO_INPUT)) return scan_ignored(j, p, from, to, name);
  if (WB_UNLIKELY(j->places[input].scan == j->scan)) return second(j, from, to, name);
  j->follows[*previous] = input;
  *previous = input;
  return scan_input(j, p, input, &row[input]);
}

/* ---- Keys that are no input's -------------------------------------------------------------------------------------- */

/* Finds the first that came before; NULL: there is none.  False: no memory. */
static bool find_repeated(cli_json *j, const cli_json_other **found) {
  const cli_json_other *others = j->others.at;
  size_t n = j->others.n;
  *found = NULL;
  if (n <= FEW) {
    for (size_t i = 1; i < n; i++)
      for (size_t k = 0; k < i; k++)
        if (wb_str_eq(others[i].name, others[k].name)) {
          *found = &others[i];
          return true;
        }
    return true;
  }
  wb_names seen;
  uint32_t id = 0;
  wb_names_init(&seen, &j->names);
  for (size_t i = 0; i < n && id != WB_NO_NAME && *found == NULL; i++) {
    id = wb_intern(&seen, others[i].name);
    if (id != i) *found = &others[i];
  }
  wb_mem_drop(&j->names);
  return id != WB_NO_NAME;
}

static cli_scan check_others(cli_json *j) {
  const cli_json_other *o;
  if (!find_repeated(j, &o)) return CLI_SCAN_NO_MEMORY;
  return o == NULL ? CLI_SCAN_OK : second(j, o->from, o->to, o->name);
}

/* One of the line is to be warned about. */
static bool has_news(const cli_json *j) {
  for (size_t i = 0; i < j->others.n; i++)
    if (cli_table_is_news(&j->t, j->others.at[i].name)) return true;
  return false;
}

static cli_scan warn_others(cli_json *j) {
  cli_scan rc = CLI_SCAN_OK;
  for (size_t i = 0; i < j->others.n && rc == CLI_SCAN_OK; i++)
    rc = cli_table_unknown(&j->t, j->others.at[i].from, j->others.at[i].to, j->others.at[i].name);
  return rc;
}

/* ---- Lines --------------------------------------------------------------------------------------------------------- */

/* The line is over behind `p`. */
static cli_scan end_line(cli_json *j, const char **at, const char *p) {
  cli_table *t = &j->t;
  cli_scanner *s = &t->scan;
  p = cli_json_blanks(p);
  if (WB_UNLIKELY(*p != '\n')) return cli_scan_bad(s, p, cli_scan_word(s, p), "the line should end here");
  if (WB_UNLIKELY(p == s->end && !s->is_last)) return CLI_SCAN_SHORT;
  if (WB_UNLIKELY(t->label->column != NULL && !j->has_time)) return cli_table_time(t, *at, *at + 1, (wb_str){*at, 0}, false);
  if (WB_UNLIKELY(j->others.n > 1)) {
    cli_scan rc = check_others(j);
    if (rc != CLI_SCAN_OK) return rc;
  }
  *at = p + (p < s->end);
  return CLI_SCAN_OK;
}

/* None begins at `p`.  A line with nothing on it is passed over before it is scanned: one that comes here has not been read to its end, or is
** too long. */
static __attribute__((noinline, cold)) cli_scan no_object(cli_scanner *s, const char *p) {
  if (*p == '\n') return CLI_SCAN_SHORT;
  return cli_scan_bad(s, p, cli_scan_word(s, p), "an object is missing: a line is {\"name\": value, ...}");
}

/* Reads the line at *at, which moves behind it. */
static cli_scan scan_line(cli_json *j, const char **at, weir_value *row) {
  cli_table *t = &j->t;
  cli_scanner *s = &t->scan;
  const char *p = *at;
  if (WB_UNLIKELY(p == s->end)) return CLI_SCAN_SHORT;
  for (uint32_t i = 0; i < t->n_inputs; i++) cli_set_tag(&row[i], WEIR_NOVAL);
  j->scan++;
  j->has_time = false;
  j->others.n = 0;
  p = cli_json_blanks(p);
  if (WB_UNLIKELY(*p != '{')) return no_object(s, p);
  p = cli_json_blanks(p + 1);
  if (*p == '}') return end_line(j, at, p + 1);
  for (uint32_t previous = t->n_inputs;;) {
    if (WB_UNLIKELY(*p != '"')) return cli_scan_bad(s, p, cli_scan_word(s, p), "a key in quotes is missing");
    cli_scan rc = scan_member(j, &p, &previous, row);
    if (rc != CLI_SCAN_OK) return rc;
    p = cli_json_blanks(p);
    if (*p == '}') return end_line(j, at, p + 1);
    if (WB_UNLIKELY(*p != ',')) return cli_scan_bad(s, p, cli_scan_word(s, p), "a ',' or '}' is missing");
    p = cli_json_blanks(p + 1);
  }
}

/* Passes over lines of nothing but blanks, which are no ticks.  One is left where its end has not been read, or is too far. */
static void skip_blank_lines(cli_json *j) {
  cli_trace_text *text = &j->t.text;
  const cli_scanner *s = &j->t.scan;
  for (;;) {
    const char *line = text->buf + text->line, *p = cli_json_blanks(line);
    if (*p != '\n' || (p == s->end && (p == line || !s->is_last))) return;
    p += p < s->end;
    if (cli_trace_text_is_long(text, (size_t)(p - line), p)) return;
    cli_trace_text_go(text, (size_t)(p - text->buf), 1);
  }
}

/* Reads as many lines as a block takes and are there, up to a blank one.  What is wrong with a line counts only if it is the first. */
static cli_scan scan_block(cli_json *j) {
  cli_table *t = &j->t;
  const char *p = t->text.buf + t->text.line;
  weir_value *row = t->rows;
  uint32_t n = 0;
  for (; n < t->max_rows; n++, row += t->n_inputs) {
    const char *line = p;
    cli_table_begin(t, n, line, t->text.line_no + n);
    cli_scan rc = scan_line(j, &p, row);
    if (WB_UNLIKELY(rc == CLI_SCAN_OK && !cli_table_end(t, n, p))) rc = CLI_SCAN_SHORT;
    if (WB_UNLIKELY(j->others.n > 0 && rc == CLI_SCAN_OK && has_news(j))) rc = n == 0 ? warn_others(j) : CLI_SCAN_SHORT;
    if (WB_LIKELY(rc == CLI_SCAN_OK)) continue;
    if (n == 0) return rc;
    p = line;
    break;
  }
  cli_table_block(t, n, p, t->text.line_no + n);
  return CLI_SCAN_OK;
}

/* ---- The source ---------------------------------------------------------------------------------------------------- */

static cli_next read_block(cli_json *j) {
  cli_next next = cli_table_prepare(&j->t);
  while (next == CLI_ROW) {
    j->t.is_begun = true;
    skip_blank_lines(j);
    cli_scan rc = scan_block(j);
    if (rc == CLI_SCAN_OK) break;
    next = cli_table_retry(&j->t, rc);
  }
  return next;
}

static cli_next json_next(void *self, cli_row *row) {
  cli_json *j = self;
  if (WB_LIKELY(cli_table_give(&j->t, row))) return CLI_ROW;
  cli_next next = read_block(j);
  if (next == CLI_ROW) (void)cli_table_give(&j->t, row);
  return next;
}

static const cli_trouble *json_trouble(const void *self) { return cli_table_trouble(&((const cli_json *)self)->t); }

/* The line was good: it is scanned once more, for the places. */
static cli_mark json_place(const void *self, uint32_t input) {
  cli_json *j = (cli_json *)(uintptr_t)self; /* what a scan leaves behind is of use to nobody else */
  cli_table *t = &j->t;
  const char *line = t->text.buf + t->given[-1].at, *p = line;
  j->is_placing = true;
  cli_scan rc = scan_line(j, &p, t->give - t->n_inputs);
  j->is_placing = false;
  bool is_there = rc == CLI_SCAN_OK && input < t->n_inputs && j->places[input].scan == j->scan;
  return is_there ? cli_table_mark(t, j->places[input].from, j->places[input].to) : cli_table_mark(t, line, line);
}

static size_t json_ahead(const void *self, const weir_value **values, const cli_row_at **begins) {
  return cli_table_ahead(&((const cli_json *)self)->t, values, begins);
}

static void json_pass(void *self, size_t n) { cli_table_pass(&((cli_json *)self)->t, n); }

cli_source cli_json_source(cli_json *j) { return (cli_source){j, json_next, json_trouble, json_place, json_ahead, json_pass, NULL}; }
