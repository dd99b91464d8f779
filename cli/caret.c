/* cli/caret.c -- draws diagnostics; see caret.h.
**
** Widths are those of a terminal: a tab stays a tab in the caret's line too, a wide character gets two places.  A long line is
** cut to a window around the place. */
#include "cli/caret.h"

#include <string.h>

enum {
  SHOWN = 100, /* columns of a line that are drawn at most */
  BEFORE = 48, /* of these before the place, when something is cut */
  TAB = 8      /* a tab is taken for so many when measuring */
};

const char *cli_file_name(const char *path) { return path[0] == '-' && path[1] == '\0' ? "<stdin>" : path; }

cli_mark cli_mark_span(const char *file, wb_str text, weir_span span) {
  cli_mark m = {.file = file};
  if (span.begin > text.n || span.end < span.begin) return m;
  wb_place p = wb_locate(text, span.begin);
  m.line = p.line;
  m.column = p.column;
  m.text = (wb_str){text.at + p.begin, p.end - p.begin};
  m.begin = WB_MIN(span.begin - p.begin, m.text.n); /* a place between CR and LF */
  m.end = WB_MIN(WB_MAX(span.end - p.begin, m.begin), m.text.n);
  return m;
}

static size_t columns(cli_char c) { return c.code == '\t' ? TAB : c.width; }

/* The place at most `room` columns behind `at`. */
static size_t forward(wb_str text, size_t at, size_t room) {
  while (at < text.n) {
    cli_char c = cli_char_at(text, at);
    if (columns(c) > room) break;
    room -= columns(c);
    at += c.bytes;
  }
  return at;
}

/* The place at most `room` columns before `at`: whole characters where there are such. */
static size_t backward(wb_str text, size_t at, size_t room) {
  while (at > 0) {
    size_t one = at - 1;
    while (one > 0 && at - one < 4 && ((uint8_t)text.at[one] & 0xC0) == 0x80) one--;
    if (cli_char_at(text, one).bytes != at - one) one = at - 1; /* not UTF-8: a byte at a time */
    size_t wide = columns(cli_char_at(text, one));
    if (wide > room) break;
    room -= wide;
    at = one;
  }
  return at;
}

static void draw(cli_say *to, const cli_mark *m) {
  size_t from = 0, until = forward(m->text, 0, SHOWN);
  size_t end = until;
  if (until < m->text.n) {
    from = backward(m->text, m->begin, BEFORE);
    until = forward(m->text, from, SHOWN);
    end = until;
  }
  cli_say_text(to, from > 0 ? "  …" : "  ");
  cli_say_safe(to, (wb_str){m->text.at + from, end - from});
  cli_say_text(to, end < m->text.n ? "…\n" : "\n");
  cli_say_text(to, from > 0 ? "   " : "  ");
  bool is_first = true;
  for (size_t at = from; at < until && at < WB_MAX(m->end, m->begin);) {
    cli_char c = cli_char_at(m->text, at);
    if (at < m->begin) {
      if (c.code == '\t') cli_say_text(to, "\t");
      else cli_say_fill(to, ' ', c.width);
    } else {
      if (is_first) cli_say_text(to, "^");
      if (c.width > is_first) cli_say_fill(to, '~', c.width - (size_t)is_first);
      is_first = false;
    }
    at += c.bytes;
  }
  cli_say_text(to, is_first ? "^\n" : "\n");
}

void cli_complain(cli_say *to, const cli_mark *at, const cli_message *what) {
  if (at->file) {
    const char *name = cli_file_name(at->file);
    cli_say_safe(to, (wb_str){name, strlen(name)});
    if (at->line > 0) {
      cli_say_text(to, ":");
      cli_say_number(to, at->line);
    }
    if (at->line > 0 && at->column > 0) {
      cli_say_text(to, ":");
      cli_say_number(to, at->column);
    }
    cli_say_text(to, ": ");
  }
  cli_say_text(to, what->level);
  cli_say_text(to, ": ");
  if (what->phase[0]) {
    cli_say_text(to, what->phase);
    if (what->number != WEIR_NO_ROW) {
      cli_say_text(to, " ");
      cli_say_number(to, what->number);
    }
    cli_say_text(to, ": ");
  }
  cli_say_safe(to, (wb_str){what->text, strlen(what->text)});
  cli_say_text(to, "\n");
  if (at->file && at->line > 0 && at->text.at) draw(to, at);
  if (what->hint && what->hint[0]) {
    cli_say_text(to, "hint: ");
    cli_say_safe(to, (wb_str){what->hint, strlen(what->hint)});
    cli_say_text(to, "\n");
  }
  (void)cli_say_end(to);
}
