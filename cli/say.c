/* cli/say.c -- text for people; see say.h. */
#include "cli/say.h"

#include <string.h>

void cli_say_open(cli_say *s, wb_file *to) {
  s->to = to;
  s->status = WB_IO_OK;
  s->n = 0;
  s->error = (weir_error){.code = WEIR_OK, .row = WEIR_NO_ROW};
}

wb_io_status cli_say_end(cli_say *s) {
  if (s->n > 0 && s->status == WB_IO_OK) s->status = wb_file_write(s->to, s->buf, s->n, &s->error);
  s->n = 0;
  return s->status;
}

void cli_say_str(cli_say *s, wb_str text) {
  while (text.n > 0) {
    size_t part = WB_MIN(text.n, sizeof s->buf - s->n);
    memcpy(s->buf + s->n, text.at, part);
    s->n += part;
    text.at += part;
    text.n -= part;
    if (s->n == sizeof s->buf) (void)cli_say_end(s);
  }
}

void cli_say_text(cli_say *s, const char *text) { cli_say_str(s, (wb_str){text, strlen(text)}); }

void cli_say_number(cli_say *s, uint64_t v) {
  char digits[20];
  size_t at = sizeof digits;
  do digits[--at] = (char)('0' + v % 10);
  while ((v /= 10) != 0);
  cli_say_str(s, (wb_str){digits + at, sizeof digits - at});
}

void cli_say_fill(cli_say *s, char c, size_t count) {
  while (count-- > 0) cli_say_str(s, (wb_str){&c, 1});
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

static void say_escaped(cli_say *s, unsigned char c) {
  static const char hex[] = "0123456789abcdef";
  const char text[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
  cli_say_str(s, (wb_str){text, sizeof text});
}

void cli_say_json(cli_say *s, const char *text) {
  wb_str rest = {text, text == NULL ? 0 : strlen(text)};
  cli_say_text(s, text == NULL ? "null" : "\"");
  while (rest.n > 0) {
    size_t valid = wb_utf8_valid(rest);
    for (size_t i = 0; i < valid; i++) {
      unsigned char c = (unsigned char)rest.at[i], next = i + 1 < valid ? (unsigned char)rest.at[i + 1] : 0;
      if (c < 0x20 || c == 0x7f) say_escaped(s, c);
      else if (c == 0xC2 && next < 0xA0) say_escaped(s, next), i++; /* U+0080 to U+009F, which some terminals obey */
      else {
        if (c == '"' || c == '\\') cli_say_text(s, "\\");
        cli_say_str(s, (wb_str){rest.at + i, 1});
      }
    }
    if (valid < rest.n) cli_say_text(s, "\xef\xbf\xbd"), valid++;
    rest.at += valid;
    rest.n -= valid;
  }
  if (text != NULL) cli_say_text(s, "\"");
}

/* ---- Characters ---------------------------------------------------------------------------------------------------- */

enum { REPLACEMENT = 0xFFFD };

/* The code point at `at` and its length; REPLACEMENT and 1 for a byte that does not belong to one. */
static uint32_t decode(wb_str text, size_t at, uint8_t *bytes) {
  uint8_t first = (uint8_t)text.at[at];
  size_t n = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  *bytes = 1;
  if (n == 1) return first;
  if (n == 0 || n > text.n - at || wb_utf8_valid((wb_str){text.at + at, n}) != n) return REPLACEMENT;
  uint32_t code = first & (0xFFu >> (n + 1));
  for (size_t i = 1; i < n; i++) code = code << 6 | ((uint8_t)text.at[at + i] & 0x3Fu);
  *bytes = (uint8_t)n;
  return code;
}

/* Ranges whose width is not 1.  Coarse: whole blocks, enough to put a caret under the right character. */
static const struct { uint32_t first, last; uint8_t width; } widths[] = {
  {0x0300, 0x036F, 0}, {0x0483, 0x0489, 0}, {0x0591, 0x05BD, 0}, {0x0610, 0x061A, 0}, {0x064B, 0x065F, 0},
  {0x0E31, 0x0E31, 0}, {0x0E34, 0x0E3A, 0}, {0x1100, 0x115F, 2}, {0x1AB0, 0x1AFF, 0}, {0x1DC0, 0x1DFF, 0},
  {0x20D0, 0x20FF, 0}, {0x2E80, 0x303E, 2}, {0x3041, 0x33FF, 2}, {0x3400, 0x4DBF, 2},
  {0x4E00, 0x9FFF, 2}, {0xA000, 0xA4CF, 2}, {0xAC00, 0xD7A3, 2}, {0xF900, 0xFAFF, 2}, {0xFE00, 0xFE0F, 0},
  {0xFE20, 0xFE2F, 0}, {0xFE30, 0xFE6F, 2}, {0xFF00, 0xFF60, 2}, {0xFFE0, 0xFFE6, 2}, {0x1F300, 0x1F64F, 2},
  {0x1F900, 0x1F9FF, 2}, {0x20000, 0x3FFFD, 2}, {0xE0100, 0xE01EF, 0},
};

static uint8_t width_of(uint32_t code) {
  for (size_t i = 0; i < WB_LEN(widths) && widths[i].first <= code; i++)
    if (code <= widths[i].last) return widths[i].width;
  return 1;
}

cli_char cli_char_at(wb_str text, size_t at) {
  cli_char c;
  c.code = decode(text, at, &c.bytes);
  if (c.code < 0x20 && c.code != '\t') c.code += 0x2400; /* the pictures of control characters */
  else if (c.code == 0x7F) c.code = 0x2421;
  else if (c.code != '\t' && wb_is_hidden(c.code)) c.code = REPLACEMENT;
  c.width = c.code < 0x300 ? 1 : width_of(c.code);
  return c;
}

void cli_say_char(cli_say *s, cli_char c) {
  char utf8[4];
  cli_say_str(s, (wb_str){utf8, wb_utf8_write(c.code, utf8)});
}

void cli_say_safe(cli_say *s, wb_str text) {
  for (size_t at = 0; at < text.n;) {
    cli_char c = cli_char_at(text, at);
    cli_say_char(s, c);
    at += c.bytes;
  }
}
