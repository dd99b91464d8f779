/* cli/trace_text.c -- the text of a trace as it comes in; see trace_text.h.
**
** Most lines are whole in the buffer and are scanned where they stand.  At the end of what has been read, the line is scanned
** again: after each read while it is short (a timestamp counts as soon as it is there), then when its line feed has come, and, if
** that turns out to stand in a text, once more when the walk below has found the end of the line.  So the work is linear in the
** bytes, whatever a line looks like.  A row of CSV or NDJSON is scanned once more when all of it is there, and not before. */
#include "cli/trace_text.h"

#include <string.h>

enum {
#if defined(WEIR_TINY) && WEIR_TINY
  FIRST = 64,
#else
  FIRST = 256 << 10, /* bytes of the buffer at first */
#endif
  KEPT = FIRST / 4,    /* of a tick that is at hand for messages */
  SHORT_LINE = 4 << 10, /* scanned again after each read */
  SHOWN = 512          /* bytes behind a place that a message may show */
};

bool cli_trace_text_open(cli_trace_text *t, cli_input *in, wb_mem *mem, cli_lines lines, size_t max_line) {
  *t = (cli_trace_text){.in = in, .mem = mem, .lines = (uint8_t)lines, .cap = FIRST, .line_no = 1, .max_line = max_line, .walked = SIZE_MAX, .tried = UINT64_MAX};
  t->buf = wb_block(mem, t->cap + CLI_TEXT_PAD);
  if (t->buf == NULL) return false;
  t->buf[0] = '\n';
  return true;
}

/* ---- Filling ------------------------------------------------------------------------------------------------------- */

static void forget_before(cli_trace_text *t, size_t from) {
  memmove(t->buf, t->buf + from, t->end - from + 1);
  t->base += from;
  t->keep = t->keep > from ? t->keep - from : 0;
  t->line -= from;
  t->seen = t->seen > from ? t->seen - from : 0;
  if (t->walked != SIZE_MAX) t->walked = t->walked < from ? SIZE_MAX : t->walked - from;
  t->end -= from;
}

/* Room for at least a quarter of the buffer. */
static bool make_room(cli_trace_text *t) {
  if (t->cap - t->end >= t->cap / 4) return true;
  size_t from = t->end - WB_MIN(t->keep, t->line) <= KEPT ? WB_MIN(t->keep, t->line) : t->line;
  if (from > 0) forget_before(t, from);
  if (t->cap - t->end >= t->cap / 4) return true;
  size_t cap;
  if (!wb_mul(t->cap, 2, &cap)) return false;
  char *buf = wb_block_resize(t->mem, t->buf, cap + CLI_TEXT_PAD);
  if (buf == NULL) return false;
  t->buf = buf;
  t->cap = cap;
  return true;
}

/* Reads once.  CLI_PIPE_OK at the end of the input too. */
static cli_pipe fill(cli_trace_text *t) {
  if (!make_room(t)) return CLI_PIPE_MEMORY;
  size_t got;
  cli_pipe rc = cli_input_read(t->in, t->buf + t->end, t->cap - t->end, &got);
  if (rc == CLI_PIPE_END) {
    t->is_end = true;
    return CLI_PIPE_OK;
  }
  t->end += got;
  t->buf[t->end] = '\n';
  return rc;
}

/* ---- Lines --------------------------------------------------------------------------------------------------------- */

static bool find_feed(cli_trace_text *t) {
  if (!t->has_feed) t->has_feed = memchr(t->buf + t->seen, '\n', t->end - t->seen) != NULL;
  t->seen = t->end;
  return t->has_feed;
}

enum { IN_LINE, IN_PLAIN, IN_ESCAPED, BEHIND_BACKSLASH, IN_COMMENT };

/* Goes on to the end of the line: the first line feed outside of texts.  True: it has been read. */
static bool walk(cli_trace_text *t) {
  if (t->walked == SIZE_MAX) {
    t->walked = t->line;
    t->state = IN_LINE;
    t->before = ' ';
  }
  for (; t->walked < t->end; t->walked++) {
    char c = t->buf[t->walked];
    switch (t->state) {
      case IN_LINE:
        if (c == '"') t->state = t->before == 'e' ? IN_ESCAPED : IN_PLAIN;
        else if (c == '/' && t->before == '/') t->state = IN_COMMENT;
        break;
      case IN_PLAIN: t->state = c == '"' ? IN_LINE : IN_PLAIN; break;
      case IN_ESCAPED: t->state = c == '"' ? IN_LINE : c == '\\' ? BEHIND_BACKSLASH : IN_ESCAPED; break;
      case BEHIND_BACKSLASH: t->state = IN_ESCAPED; break;
      default: break;
    }
    t->before = c;
    if (c == '\n' && (t->state == IN_LINE || t->state == IN_COMMENT)) return true;
  }
  return false;
}

enum { BEFORE_CELL, IN_CELL, IN_QUOTES, BEHIND_QUOTE };

/* The same for a row of CSV.  What was walked before `line` belongs to another row. */
static bool walk_cells(cli_trace_text *t) {
  if (t->walked == SIZE_MAX || t->walked < t->line) {
    t->walked = t->line;
    t->state = BEFORE_CELL;
  }
  for (; t->walked < t->end; t->walked++) {
    char c = t->buf[t->walked];
    if (t->state == IN_QUOTES) {
      if (c == '"') t->state = BEHIND_QUOTE;
    } else if (c == '\n') {
      return true;
    } else if (c == '"' && t->state != IN_CELL) {
      t->state = IN_QUOTES; /* at the begin of a cell, or the second of a pair */
    } else {
      t->state = c == ',' ? BEFORE_CELL : IN_CELL;
    }
  }
  return false;
}

static bool find_end(cli_trace_text *t) {
  size_t from = WB_MAX(t->seen, t->line);
  t->seen = t->end;
  return memchr(t->buf + from, '\n', t->end - from) != NULL;
}

static cli_pipe read_row(cli_trace_text *t) {
  for (;;) {
    if (t->lines == CLI_LINES_CSV ? walk_cells(t) : find_end(t)) return CLI_PIPE_OK;
    if (cli_trace_text_limit(t) != SIZE_MAX) return CLI_PIPE_OK;
    cli_pipe rc = fill(t);
    if (rc != CLI_PIPE_OK || t->is_end) return rc;
  }
}

static cli_pipe read_more(cli_trace_text *t) {
  if (t->lines != CLI_LINES_TRACE) return read_row(t);
  bool in_text = find_feed(t); /* it has been scanned beyond a line feed */
  for (;;) {
    if (in_text && walk(t) && t->base + t->end != t->tried) return CLI_PIPE_OK;
    if (cli_trace_text_limit(t) != SIZE_MAX) return CLI_PIPE_OK;
    cli_pipe rc = fill(t);
    if (rc != CLI_PIPE_OK || t->is_end) return rc;
    if (!in_text && (find_feed(t) || t->end - t->line <= SHORT_LINE)) return CLI_PIPE_OK;
  }
}

cli_pipe cli_trace_text_more(cli_trace_text *t) {
  wb_assert(!t->is_end);
  cli_pipe rc = read_more(t);
  t->tried = t->base + t->end;
  return rc;
}

void cli_trace_text_show(cli_trace_text *t, size_t at) {
  uint64_t place = t->base + at;
  for (;;) {
    size_t from = (size_t)(place - t->base);
    if (t->is_end || t->end - from >= SHOWN || memchr(t->buf + from, '\n', t->end - from) != NULL) return;
    if (fill(t) != CLI_PIPE_OK) return; /* then the line is shown as far as it goes */
  }
}

cli_mark cli_trace_text_mark(const cli_trace_text *t, const cli_trace_at *at) {
  cli_mark m = {.line = at->line_no, .column = at->at - at->line_at + 1};
  if (at->line_at < t->base) return m;
  const char *place = t->buf + (at->at - t->base), *line = t->buf + (at->line_at - t->base), *feed;
  for (; (feed = memchr(line, '\n', (size_t)(place - line))) != NULL; line = feed + 1) m.line++; /* of texts before it */
  feed = memchr(place, '\n', (size_t)(t->buf + t->end - place));
  if (feed == NULL) feed = t->buf + t->end;
  if (feed > line && feed[-1] == '\r') feed--;
  m.text = (wb_str){line, (size_t)(feed - line)};
  m.begin = WB_MIN((size_t)(place - line), m.text.n);
  m.end = WB_MIN(WB_MAX(m.begin + (size_t)(at->to - at->at), m.begin), m.text.n);
  m.column = 1; /* counted here, since a byte that is no character counts as one */
  for (size_t i = 0; i < m.begin; i += cli_char_at(m.text, i).bytes) m.column++;
  return m;
}
