/* cli/trace_value.h -- values as traces write them (language.md 13), and what scanning a line of a trace needs.
**
** The text ends with a line feed at `end` that is not part of it: loops over characters stop there without asking.  Text that only
** goes so far because the rest has not been read (`is_last` false) is CLI_SCAN_SHORT: the caller reads on and scans again from
** the start of the line.  Nothing here recurses; nesting is bounded by max_nesting. */
#ifndef CLI_TRACE_VALUE_H
#define CLI_TRACE_VALUE_H

#include "ir/base/error.h"
#include "ir/base/num.h"
#include "ir/base/text.h"

typedef enum cli_scan {
  CLI_SCAN_OK,
  CLI_SCAN_SHORT,
  CLI_SCAN_BAD, /* scanner.from, to, what, hint */
  CLI_SCAN_NO_MEMORY
} cli_scan;

struct cli_open_value;

typedef struct cli_scanner {
  const char *end;  /* the end of the text; *end is '\n' */
  bool is_last;     /* there is no text behind it */
  bool has_lines;   /* a string with line ends in it was read */
  wb_mem *values;   /* borrowed: where texts and items go */
  wb_mem *mem;      /* borrowed: where the two arrays live */
  size_t max_nesting;
  size_t n_free;    /* of the containers begun */
  WB_VEC(struct cli_open_value) open;       /* containers begun */
  WB_VEC(struct cli_read_value) read;       /* their values so far; keys and values by turns in maps */
  const char *from, *to; /* the place of what is wrong */
  weir_error what;
  char hint[320];
} cli_scanner;

typedef struct cli_open_value {
  const char *at; /* its first character */
  size_t first;   /* index in `read` */
  uint8_t tag;    /* WEIR_LIST, WEIR_TUPLE or WEIR_MAP */
  char close;     /* the character that ends it */
  bool has_dollar, has_waiting; /* JSON only: see json_value.c */
  bool is_free;   /* it does not count as a level: what it stands in does */
} cli_open_value;

typedef struct cli_read_value {
  weir_value value;
  const char *at;
} cli_read_value;

void cli_scanner_init(cli_scanner *s, wb_mem *mem, size_t max_nesting);
/* Reads the value at *p and moves *p behind it.  */
cli_scan cli_scan_value(cli_scanner *s, const char **p, weir_value *out);
/* Something is wrong with [from, to), if that is all of it. */
cli_scan cli_scan_bad(cli_scanner *s, const char *from, const char *to, const char *fmt, ...) WB_PRINTF(4, 5);
/* Behind the text that stands at *p up to the end of the line, which must be UTF-8. */
cli_scan cli_scan_comment(cli_scanner *s, const char **p);
/* The end of the word that stands at `p`, for messages: at least one character, but not the end of the line. */
const char *cli_scan_word(const cli_scanner *s, const char *p);

/* For other notations: containers begin, get their values (keys and values by turns) and end, the last one first. */
cli_scan cli_scan_begin(cli_scanner *s, const cli_open_value *o);
cli_scan cli_scan_push(cli_scanner *s, cli_read_value v);
cli_scan cli_scan_end(cli_scanner *s, cli_read_value *out);

/* Kinds of characters. */
enum { CLI_C_NAME = 1, CLI_C_NUMBER = 2, CLI_C_BLANK = 4, CLI_C_DIGIT = 8 };
extern const uint8_t cli_char_kinds[256];
static inline bool cli_is(char c, unsigned kind) { return (cli_char_kinds[(uint8_t)c] & kind) != 0; }
/* 0 to 15, or 16 for a character that is no hexadecimal digit. */
static inline unsigned cli_hex_digit(char c) {
  return c >= '0' && c <= '9' ? (unsigned)(c - '0') : (c | 32) >= 'a' && (c | 32) <= 'f' ? (unsigned)((c | 32) - 'a') + 10 : 16;
}
static inline const char *cli_skip_blanks(const char *p) {
  while (cli_is(*p, CLI_C_BLANK)) p++;
  return p;
}

#endif
