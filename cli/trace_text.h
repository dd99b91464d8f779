/* cli/trace_text.h -- the text of a trace as it comes in: a buffer that is filled from an input and always holds the whole of the
** line at hand, however the input is cut into reads.  CSV and NDJSON are read through it too.
**
** A line here is one assignment of a trace, or one row: a text in it may have line ends of its own.  The buffer grows with the
** longest line (up to max_line bytes and its LF or CR LF), never with their number. */
#ifndef CLI_TRACE_TEXT_H
#define CLI_TRACE_TEXT_H

#include "cli/caret.h"
#include "cli/pipes.h"

/* What makes a line whole. */
typedef enum cli_lines {
  CLI_LINES_TRACE = 0, /* a line feed outside of texts; it is scanned before that too, since a timestamp may end a tick */
  CLI_LINES_CSV,       /* a line feed outside of quoted cells */
  CLI_LINES_PLAIN      /* a line feed */
} cli_lines;

enum { CLI_TEXT_PAD = 64 }; /* bytes behind buf[end] that may be read: the first is a line feed, the others may be anything */

typedef struct cli_trace_text {
  cli_input *in;    /* borrowed */
  wb_mem *mem;      /* borrowed */
  uint8_t lines;    /* a cli_lines */
  char *buf;        /* block of mem: cap bytes and CLI_TEXT_PAD */
  size_t cap, end;
  uint64_t base;    /* bytes of the input before buf[0] */
  size_t keep;      /* text from here on is kept for messages while it is short enough */
  size_t line;      /* begin of the line at hand */
  uint64_t line_no; /* its number, from 1 */
  size_t max_line;  /* bytes that a line may have, its LF or CR LF not counted */
  bool is_end;      /* the input is at its end */
  bool has_feed;    /* a line feed has been seen in the line */
  size_t seen;      /* looked for one up to here */
  size_t walked;    /* looked for the end of the line up to here, once a line feed is in a text */
  uint64_t tried;   /* base + end when scanning again was last thought to make sense */
  uint8_t state;    /* of that walk */
  char before;      /* the character before `walked` */
} cli_trace_text;

/* False: no memory. */
bool cli_trace_text_open(cli_trace_text *t, cli_input *in, wb_mem *mem, cli_lines lines, size_t max_line) WB_MUST_USE;

/* Bytes of the line at hand that may be scanned: those of a longest line with its end, where it may be one, else one more than the
** limit.  SIZE_MAX: not as many have been read.  A scan that is short within them has found a line that is too long. */
static inline size_t cli_trace_text_limit(const cli_trace_text *t) {
  size_t n = t->end - t->line, most = t->max_line + 1;
  if (WB_LIKELY(n < most)) return SIZE_MAX;
  const char *end = t->buf + t->line + t->max_line;
  if (*end == '\r' && (n == most ? !t->is_end : end[1] == '\n')) most++;
  return n < most ? SIZE_MAX : most;
}

/* A line of n bytes, which is whole and ends before `end`, is longer than it may be. */
static inline bool cli_trace_text_is_long(const cli_trace_text *t, size_t n, const char *end) {
  if (WB_LIKELY(n <= t->max_line)) return false;
  if (end[-1] == '\n') n -= n > 1 && end[-2] == '\r' ? 2 : 1;
  return n > t->max_line;
}

/* The line cannot be scanned as far as it has been read: reads on, until scanning again makes sense or it is longer than max_line.
** Pointers into the buffer are void after it.  CLI_PIPE_OK, or what went wrong (never CLI_PIPE_END).  Not at the end of the input. */
cli_pipe cli_trace_text_more(cli_trace_text *t);
/* The line at hand begins at `at`, `lines` lines further down. */
static inline void cli_trace_text_go(cli_trace_text *t, size_t at, uint64_t lines) {
  t->line = t->seen = at;
  t->line_no += lines;
  t->has_feed = false;
  t->walked = SIZE_MAX;
  t->tried = UINT64_MAX;
}
/* Reads until what stands at `at` can be shown with the rest of its line. */
void cli_trace_text_show(cli_trace_text *t, size_t at);

/* A place to come back to: an offset in the input and the line that it is in. */
typedef struct cli_trace_at { uint64_t at, to, line_at, line_no; } cli_trace_at;
cli_mark cli_trace_text_mark(const cli_trace_text *t, const cli_trace_at *at);

#endif
