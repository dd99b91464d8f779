/* cli/io_trace.c -- reads the trace format; see io_trace.h.
**
** A line is scanned where it stands in the buffer (trace_text.h); what does not fit in it yet is scanned again later.  A line takes
** effect only when all of it has been scanned.  The tick at hand is complete at the next timestamp; that one waits in `coming`
** until the caller has run the tick, so that an error in it, or a gap before it, comes after the tick. */
#include "cli/io_trace.h"

#include <stdio.h>
#include <string.h>

enum { WARNED = 20, QUOTED = 60, NAME_KEPT = 255 };

#define NO_INPUT UINT32_MAX

/* ---- Beginning and end --------------------------------------------------------------------------------------------- */

bool cli_trace_open(cli_trace *t, cli_input *in, wb_mem *mem, const char *file, const wb_str *inputs, uint32_t n_inputs,
                    const cli_trace_options *opts, const cli_ear *ear) {
  *t = (cli_trace){.mem = mem, .file = file, .n_inputs = n_inputs, .opts = *opts, .ear = *ear, .previous = n_inputs};
  wb_mem_init(&t->values, mem->door, 0);
  wb_mem_init(&t->ignored, mem->door, 0);
  wb_names_init(&t->inputs, mem);
  wb_names_init(&t->unknown, mem);
  cli_scanner_init(&t->scan, mem, opts->max_nesting);
  t->row = WB_NEW_ARRAY(mem, weir_value, n_inputs);
  t->places = WB_NEW_ARRAY(mem, cli_trace_at, n_inputs);
  t->touched = WB_NEW_ARRAY(mem, uint32_t, n_inputs);
  t->follows = WB_NEW_ARRAY(mem, uint32_t, (size_t)n_inputs + 1);
  if (!t->row || !t->places || !t->touched || !t->follows) return false;
  for (uint32_t i = 0; i < n_inputs; i++) {
    if (wb_intern(&t->inputs, inputs[i]) != i) return false; /* names of inputs are distinct */
    t->follows[i] = i + 1 < n_inputs ? i + 1 : 0;
  }
  return cli_trace_text_open(&t->text, in, mem, CLI_LINES_TRACE, WB_MIN(opts->max_line, CLI_MAX_LINE));
}

void cli_trace_close(cli_trace *t) {
  wb_mem_drop(&t->values);
  wb_mem_drop(&t->ignored);
}

/* ---- Trouble ------------------------------------------------------------------------------------------------------- */

static cli_trace_at at_pointers(const cli_trace *t, const char *from, const char *to) {
  const char *buf = t->text.buf;
  uint64_t base = t->text.base;
  return (cli_trace_at){base + (uint64_t)(from - buf), base + (uint64_t)(to - buf), base + t->text.line, t->text.line_no};
}

/* Ends reading with trouble.what and trouble.hint, at `at`. */
static cli_next end_bad(cli_trace *t, cli_trace_at at, uint64_t tick) {
  t->is_over = true;
  t->trouble.tick = tick;
  cli_trace_text_show(&t->text, (size_t)(at.at - t->text.base));
  t->trouble.at = cli_trace_text_mark(&t->text, &at);
  t->trouble.at.file = t->file;
  return CLI_BAD;
}

static cli_next end_too_long(cli_trace *t) {
  const char *line = t->text.buf + t->text.line;
  (void)wb_fail(&t->trouble.what, WEIR_E_LIMIT, WB_NOWHERE, "the line is longer than %zu byte%s (--max-line-bytes)", t->text.max_line, WB_S(t->text.max_line));
  t->trouble.hint[0] = '\0';
  return end_bad(t, at_pointers(t, line, line + 1), t->is_open ? t->entry.tick : WEIR_NO_ROW);
}

/* What the scanner found wrong belongs to the entry at hand. */
static cli_next end_scan_bad(cli_trace *t) {
  cli_scanner *s = &t->scan;
  t->trouble.what = s->what;
  memcpy(t->trouble.hint, s->hint, sizeof s->hint);
  if (s->has_lines && s->hint[0] == '\0')
    (void)snprintf(t->trouble.hint, sizeof t->trouble.hint, "a text goes on to the next '\"', also over line ends, as after line %" PRIu64, t->text.line_no);
  return end_bad(t, at_pointers(t, s->from, s->to), t->is_open ? t->entry.tick : WEIR_NO_ROW);
}

static cli_next end_pipe(cli_trace *t, cli_pipe why) {
  t->is_over = true;
  t->trouble = (cli_trouble){.at = {.file = t->file}, .tick = WEIR_NO_ROW, .what = t->text.in->error};
  return why == CLI_PIPE_STOPPED ? CLI_STOP : why == CLI_PIPE_MEMORY ? CLI_NO_MEMORY : CLI_UNREADABLE;
}

static void suggest(const cli_trace *t, wb_str name, char *hint, size_t size) {
  wb_near near;
  wb_near_init(&near, name);
  for (uint32_t i = 0; i < t->n_inputs; i++) wb_near_offer(&near, wb_name(&t->inputs, i));
  hint[0] = '\0';
  if (wb_near_found(&near)) (void)snprintf(hint, size, "the nearest input is %.*s", (int)near.best.n, near.best.at);
}

/* Warns once for each unknown name, as long as there are not too many.  False: no memory. */
static bool warn_unknown(cli_trace *t, const char *from, const char *to) {
  wb_str name = {from, WB_MIN((size_t)(to - from), (size_t)NAME_KEPT)};
  if (t->unknown.texts.n > WARNED || wb_names_find(&t->unknown, name) != WB_NO_NAME) return true;
  bool is_last = t->unknown.texts.n == WARNED;
  if (wb_intern(&t->unknown, name) == WB_NO_NAME) return false;
  cli_trouble w = {.tick = WEIR_NO_ROW};
  cli_trace_at at = at_pointers(t, from, to);
  w.at = cli_trace_text_mark(&t->text, &at);
  w.at.file = t->file;
  (void)wb_fail(&w.what, WEIR_E_ADMIT, WB_NOWHERE, "%.*s is not an input and is ignored%s", (int)WB_MIN(name.n, (size_t)QUOTED), name.at,
                is_last ? ", as are all further unknown names" : "");
  suggest(t, name, w.hint, sizeof w.hint);
  if (t->ear.warn) t->ear.warn(t->ear.self, &w);
  return true;
}

/* ---- Lines --------------------------------------------------------------------------------------------------------- */

typedef enum found { FOUND_LINE, FOUND_TIME } found;

/* Behind what a line holds: blanks, a comment, the line feed.  Then the line is done.  Else `wrong` tells what is wrong. */
static cli_scan scan_rest(cli_trace *t, const char *p, const char *wrong) {
  cli_scanner *s = &t->scan;
  p = cli_skip_blanks(p);
  if (*p == '/' && p[1] == '/') {
    cli_scan rc = cli_scan_comment(s, &p);
    if (rc != CLI_SCAN_OK) return rc;
  } else if (*p == '\r' && p[1] == '\n') {
    p++;
  }
  if (WB_UNLIKELY(*p != '\n')) return cli_scan_bad(s, p, cli_scan_word(s, p), "%s", wrong);
  if (WB_UNLIKELY(p >= s->end && !s->is_last)) return CLI_SCAN_SHORT;
  t->pos = (size_t)(p - t->text.buf) - t->text.line + (p < s->end);
  return CLI_SCAN_OK;
}

/* Goes to the next line, which begins at `pos`. */
static void leave_line(cli_trace *t) {
  uint64_t lines = 1;
  if (WB_UNLIKELY(t->scan.has_lines)) {
    lines = 0;
    for (size_t i = 0; i < t->pos; i++) lines += t->text.buf[t->text.line + i] == '\n';
  }
  cli_trace_text_go(&t->text, t->text.line + t->pos, lines);
  t->pos = 0;
  t->behind_time = false;
}

static uint32_t guess(const cli_trace *t, const char *p) {
  if (WB_UNLIKELY(t->n_inputs == 0)) return NO_INPUT;
  uint32_t i = t->follows[t->previous];
  wb_str name = t->inputs.texts.at[i];
  bool is_it = (size_t)(t->scan.end - p) > name.n && memcmp(p, name.at, name.n) == 0 && !cli_is(p[name.n], CLI_C_NAME);
  return is_it ? i : NO_INPUT;
}

/* Why an assignment to `input` cannot stand here, or CLI_SCAN_OK. */
static cli_scan check_name(cli_trace *t, const char *from, const char *to, uint32_t input) {
  cli_scanner *s = &t->scan;
  int n = (int)WB_MIN((size_t)(to - from), (size_t)QUOTED);
  if (WB_UNLIKELY(!t->is_open)) return cli_scan_bad(s, from, to, "a timestamp is missing before the first assignment");
  if (WB_UNLIKELY(input == NO_INPUT)) {
    if (!t->opts.is_strict) return CLI_SCAN_OK;
    cli_scan rc = cli_scan_bad(s, from, to, "%.*s is not an input (--strict)", n, from);
    if (rc == CLI_SCAN_BAD) suggest(t, (wb_str){from, (size_t)(to - from)}, s->hint, sizeof s->hint);
    return rc;
  }
  if (WB_UNLIKELY(t->row[input].tag != WEIR_NOVAL))
    return cli_scan_bad(s, from, to, "second value for %.*s at timestamp %" PRIu64, n, from, t->entry.tick);
  return CLI_SCAN_OK;
}

/* NAME "=" value, with the name at [from, to) and the value behind p. */
static cli_scan scan_assign(cli_trace *t, const char *from, const char *to, const char *p, uint32_t input) {
  cli_scan rc = check_name(t, from, to, input);
  if (rc != CLI_SCAN_OK) return rc;
  weir_value v;
  const char *at = p = cli_skip_blanks(p);
  t->scan.values = input == NO_INPUT ? &t->ignored : &t->values;
  if ((rc = cli_scan_value(&t->scan, &p, &v)) != CLI_SCAN_OK || (rc = scan_rest(t, p, "the line should end here")) != CLI_SCAN_OK)
    return rc;
  if (WB_UNLIKELY(input == NO_INPUT)) {
    wb_mem_reset(&t->ignored);
    return warn_unknown(t, from, to) ? CLI_SCAN_OK : CLI_SCAN_NO_MEMORY;
  }
  t->has_blocks |= v.tag >= WEIR_TEXT;
  t->row[input] = v;
  t->places[input] = at_pointers(t, at, p);
  t->touched[t->n_touched++] = input;
  t->follows[t->previous] = input;
  t->previous = input;
  return CLI_SCAN_OK;
}

/* TIME ":", with the digits at [from, to) and the colon before p. */
static cli_scan scan_time(cli_trace *t, const char *from, const char *to, const char *p) {
  cli_scanner *s = &t->scan;
  uint64_t v = 0;
  for (const char *q = from; q < to; q++) {
    if (!cli_is(*q, CLI_C_DIGIT)) return cli_scan_bad(s, from, to, "%.*s is no timestamp", (int)WB_MIN(to - from, (ptrdiff_t)QUOTED), from);
    uint64_t digit = (uint64_t)(*q - '0');
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, digit, &v))
      return cli_scan_bad(s, from, to, "the timestamp is larger than %" PRIu64, UINT64_MAX);
  }
  t->coming = (cli_trace_entry){v, at_pointers(t, from, to)};
  t->pos = (size_t)(p - t->text.buf) - t->text.line;
  t->behind_time = true;
  return CLI_SCAN_OK;
}

static cli_scan scan_line(cli_trace *t, found *what) {
  cli_scanner *s = &t->scan;
  const char *from = cli_skip_blanks(t->text.buf + t->text.line + t->pos), *to = from;
  uint32_t input = guess(t, from);
  *what = FOUND_LINE;
  s->has_lines = false;
  if (input != NO_INPUT) {
    to += t->inputs.texts.at[input].n;
  } else {
    while (cli_is(*to, CLI_C_NAME)) to++;
    if (to == from) return scan_rest(t, from, t->behind_time ? "this is no assignment" : "this is neither an assignment nor a timestamp");
  }
  const char *p = cli_skip_blanks(to);
  if (WB_LIKELY(*p == '=')) {
    if (WB_UNLIKELY(input == NO_INPUT)) input = wb_names_find(&t->inputs, (wb_str){from, (size_t)(to - from)});
    return scan_assign(t, from, to, p + 1, input);
  }
  if (*p == ':' && !t->behind_time) {
    *what = FOUND_TIME;
    return scan_time(t, from, to, p + 1);
  }
  if (*p == ':') return cli_scan_bad(s, from, to, "a second timestamp on one line");
  bool may_be_time = !t->behind_time && cli_is(*from, CLI_C_DIGIT);
  return cli_scan_bad(s, p, cli_scan_word(s, p), "a '%c' is missing behind %.*s", may_be_time ? ':' : '=',
                      (int)WB_MIN(to - from, (ptrdiff_t)QUOTED), from);
}

/* ---- Entries ------------------------------------------------------------------------------------------------------- */

/* The tick at hand has been run: its values are forgotten. */
static void leave_entry(cli_trace *t) {
  for (uint32_t i = 0; i < t->n_touched; i++) t->row[t->touched[i]] = (weir_value){.tag = WEIR_NOVAL};
  t->n_touched = 0;
  t->previous = t->n_inputs;
  if (t->has_blocks) wb_mem_reset(&t->values);
  t->last = t->entry.tick;
  t->has_last = true;
  t->has_blocks = t->is_open = t->is_given = false;
}

/* `coming` becomes the tick at hand.  CLI_ROW: go on reading. */
static cli_next open_entry(cli_trace *t, cli_row *row) {
  uint64_t tick = t->coming.tick;
  t->has_next = false;
  t->trouble.hint[0] = '\0';
  if (t->has_last && tick <= t->last) {
    (void)wb_fail(&t->trouble.what, WEIR_E_ADMIT, WB_NOWHERE, "timestamp %" PRIu64 " after %" PRIu64, tick, t->last);
    return end_bad(t, t->coming.at, tick);
  }
  if (tick >= t->opts.end_tick && t->opts.end_tick != WEIR_NO_ROW) {
    t->is_over = true;
    return CLI_END;
  }
  uint64_t gap = t->has_last ? tick - t->last - 1 : tick;
  if (gap > t->opts.max_gap) {
    (void)wb_fail(&t->trouble.what, WEIR_E_LIMIT, WB_NOWHERE, "%" PRIu64 " tick%s without values %s before this one, more than --max-gap %" PRIu64, gap,
                  WB_S(gap), gap == 1 ? "comes" : "come", t->opts.max_gap);
    (void)snprintf(t->trouble.hint, sizeof t->trouble.hint, "%s", "a timestamp is the number of a tick, and all ticks up to it run");
    return end_bad(t, t->coming.at, tick);
  }
  t->entry = t->coming;
  t->is_open = true;
  t->text.keep = t->text.line; /* the timestamp's line is still the one at hand */
  if (gap == 0) return CLI_ROW;
  *row = (cli_row){.tick = tick};
  return CLI_GAP;
}

static cli_next give_entry(cli_trace *t, cli_row *row) {
  t->is_given = true;
  *row = (cli_row){t->entry.tick, t->row, t->entry.at.line_no};
  return CLI_ROW;
}

/* A timestamp was read.  CLI_END stands for: go on reading. */
static cli_next take_time(cli_trace *t, cli_row *row) {
  if (t->is_open) {
    if (t->coming.tick == t->entry.tick) return CLI_END;
    t->has_next = true;
    return give_entry(t, row);
  }
  cli_next rc = open_entry(t, row);
  return rc == CLI_ROW ? CLI_END : rc;
}

/* Skips a byte-order mark.  False: too little has been read to know. */
static bool skip_mark(cli_trace *t) {
  static const char mark[3] = "\xEF\xBB\xBF";
  size_t n = WB_MIN(t->text.end, sizeof mark);
  if (memcmp(t->text.buf, mark, n) == 0) {
    if (n < sizeof mark) return t->text.is_end;
    cli_trace_text_go(&t->text, sizeof mark, 0);
  }
  t->is_begun = true;
  return true;
}

/* Scans on in the line.  Of a line that is too long, the scanner sees no more than cli_trace_text_limit: so what it answers does not
** depend on how much has been read. */
static cli_scan scan_on(cli_trace *t, found *what, bool *is_long) {
  cli_trace_text *text = &t->text;
  size_t limit = cli_trace_text_limit(text);
  *is_long = limit != SIZE_MAX;
  char *stop = text->buf + (WB_UNLIKELY(*is_long) ? text->line + limit : text->end);
  t->scan.is_last = text->is_end && !*is_long;
  t->scan.end = stop;
  char held = *stop;
  *stop = '\n';
  cli_scan rc = scan_line(t, what);
  *stop = held;
  return rc;
}

static cli_next read_on(cli_trace *t, cli_row *row) {
  for (;;) {
    found what = FOUND_LINE;
    bool is_long = false;
    cli_scan rc = CLI_SCAN_SHORT;
    if (WB_LIKELY(t->is_begun || skip_mark(t))) {
      if (t->text.is_end && t->text.line == t->text.end) {
        if (t->is_open) return give_entry(t, row);
        t->is_over = true;
        return CLI_END;
      }
      rc = scan_on(t, &what, &is_long);
    }
    switch (rc) {
      case CLI_SCAN_OK:
        if (what == FOUND_TIME) {
          cli_next next = take_time(t, row);
          if (next != CLI_END || t->is_over) return next;
        } else {
          leave_line(t);
        }
        break;
      case CLI_SCAN_SHORT: {
        if (is_long) return end_too_long(t);
        cli_pipe pipe = cli_trace_text_more(&t->text);
        if (pipe != CLI_PIPE_OK) return end_pipe(t, pipe);
        break;
      }
      case CLI_SCAN_BAD: return end_scan_bad(t);
      case CLI_SCAN_NO_MEMORY: return end_pipe(t, CLI_PIPE_MEMORY);
    }
  }
}

static cli_next trace_next(void *self, cli_row *row) {
  cli_trace *t = self;
  if (t->is_given) leave_entry(t);
  if (t->is_over) return CLI_END;
  if (t->has_next) {
    cli_next rc = open_entry(t, row);
    if (rc != CLI_ROW) return rc;
  }
  return read_on(t, row);
}

static const cli_trouble *trace_trouble(const void *self) {
  const cli_trace *t = self;
  return &t->trouble;
}

static cli_mark trace_place(const void *self, uint32_t input) {
  const cli_trace *t = self;
  bool has_value = input < t->n_inputs && t->row[input].tag != WEIR_NOVAL;
  cli_mark m = cli_trace_text_mark(&t->text, has_value ? &t->places[input] : &t->entry.at);
  m.file = t->file;
  return m;
}

cli_source cli_trace_source(cli_trace *t) { return (cli_source){t, trace_next, trace_trouble, trace_place, NULL, NULL, NULL}; }
