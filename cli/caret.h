/* cli/caret.h -- how an error looks: where, what, the line of text with a caret under the place, a hint.
**
**     spec.dsrv:3:9: error: type: operands of type Int and Str
**       y = x + "one"
**           ^~~~~~~~~
**     hint: ...
*/
#ifndef CLI_CARET_H
#define CLI_CARET_H

#include "cli/say.h"

/* A place in a file.  Everything is borrowed. */
typedef struct cli_mark {
  const char *file;      /* as the user wrote it; NULL: no file is concerned */
  uint64_t line, column; /* from 1; line 0: the file as a whole; column 0: the line as a whole */
  wb_str text;           /* that line, or a piece of it; at == NULL: not at hand, and nothing is drawn */
  size_t begin, end;     /* what is underlined, in bytes of `text` */
} cli_mark;
#define CLI_NO_MARK ((cli_mark){0})

typedef struct cli_message {
  const char *level; /* "error", "warning", "note" */
  const char *phase; /* "parse", "tick", ...; "": none */
  uint64_t number;   /* of the tick, behind the phase; WEIR_NO_ROW: none */
  const char *text;
  const char *hint;  /* NULL or "": none */
} cli_message;

/* The mark of a span of `text`; of the whole file where the span is empty. */
cli_mark cli_mark_span(const char *file, wb_str text, weir_span span);
void cli_complain(cli_say *to, const cli_mark *at, const cli_message *what);
/* The name of a file in messages: "-" is "<stdin>". */
const char *cli_file_name(const char *path);

#endif
