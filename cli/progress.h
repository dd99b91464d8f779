/* cli/progress.h -- the bar on standard error of a long run.
**
** Only where standard error is a terminal and the input a file, and from the third second on.  It is one line, drawn over itself and
** taken away before anything else is said. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/say.h"

typedef struct cli_progress {
  cli_say *to;       /* borrowed */
  bool is_on;
  bool is_drawn;     /* the line stands there */
  uint64_t begin;    /* nanoseconds, as those of `now` below */
  uint64_t drawn;    /* when it was drawn last */
} cli_progress;

/* `size` is that of the input; UINT64_MAX: not a file, and then there is no bar. */
void cli_progress_begin(cli_progress *p, cli_say *to, uint64_t size, bool is_quiet, uint64_t now);
/* Draws it if it is time. */
void cli_progress_tick(cli_progress *p, uint64_t read, uint64_t size, uint64_t ticks, uint64_t now);
/* Takes it away. */
void cli_progress_clear(cli_progress *p);

#endif
