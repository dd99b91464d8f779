/* cli/say.h -- text for people: messages, help, tables.
**
** Takes no memory, so that what went wrong with memory can be said.  Foreign text (names of files, lines of input) goes through
** cli_say_safe, which shows characters that would move a terminal's cursor or turn the direction of text. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include "ir/base/io.h"

typedef struct cli_say {
  wb_file *to;         /* borrowed */
  wb_io_status status; /* of the first write that did not work; nothing is written after it */
  weir_error error;    /* says why, after WB_IO_FAILED */
  size_t n;            /* bytes waiting in buf */
  char buf[1024];
} cli_say;

void cli_say_open(cli_say *s, wb_file *to);
void cli_say_str(cli_say *s, wb_str text);
void cli_say_text(cli_say *s, const char *text);
void cli_say_number(cli_say *s, uint64_t v);
void cli_say_fill(cli_say *s, char c, size_t count);
void cli_say_safe(cli_say *s, wb_str text);
/* A string of JSON; NULL is null.  Bytes that are not UTF-8 (in the name of a file, say) become U+FFFD. */
void cli_say_json(cli_say *s, const char *text);
/* Writes what waits. */
wb_io_status cli_say_end(cli_say *s);

/* One character of text that may be anything. */
typedef struct cli_char {
  uint32_t code;  /* what to show: U+FFFD for a byte that is not UTF-8 and for what has no picture, another picture for a control character */
  uint8_t bytes;  /* taken from the text, at least 1 */
  uint8_t width;  /* columns of a terminal: 0 to 2 */
} cli_char;
cli_char cli_char_at(wb_str text, size_t at); /* at < text.n; a tab has width 1 and stays a tab */
void cli_say_char(cli_say *s, cli_char c);

#endif
