/* cli/behind.h -- writes the outputs of batches on a thread of its own, behind the run, which reads and computes the next ones meanwhile.
**
** Blocks are written one after the other, in the order in which they were given, by the sink's own function; there is room for a bounded number
** of them.  While a block may be waiting, the sink and its output belong to the thread: cli_behind_wait gives them back.
** The thread asks for no memory, and takes no signal. */
#ifndef CLI_BEHIND_H
#define CLI_BEHIND_H

#include <pthread.h>

#include "cli/columns.h"
#include "cli/pipes.h"

typedef struct cli_behind_block {
  cli_outs outs;
  size_t n; /* rows */
} cli_behind_block;

typedef struct cli_behind {
  pthread_t thread;
  pthread_mutex_t lock;  /* of what stands below */
  pthread_cond_t given, written;
  cli_sink sink;         /* borrowed */
  const cli_output *out; /* borrowed: of the sink */
  cli_behind_block *blocks; /* a ring */
  size_t n_blocks, first, n; /* n are to be written, from `first` on */
  bool is_hurried, is_over;  /* all is to be written at once; and then the thread is to end */
  bool has_failed;           /* the output */
} cli_behind;

/* Is there a second processor for such a thread? */
bool cli_behind_pays(void);
/* Starts the thread, for outputs like those of `columns`.  The blocks live in `mem`.  False: it could not be started; nothing has changed. */
bool cli_behind_start(cli_behind *b, wb_mem *mem, const cli_columns *columns, const cli_sink *sink, cli_output *out) WB_MUST_USE;
/* Hands over the outputs of the first n rows that were pushed last; the columns get others instead. */
void cli_behind_give(cli_behind *b, cli_columns *columns, size_t n);
/* All that was given has been written, or dropped since the output failed. */
void cli_behind_wait(cli_behind *b);
/* Something has gone wrong with the output so far. */
bool cli_behind_has_failed(cli_behind *b);
/* Waits, and ends the thread. */
void cli_behind_stop(cli_behind *b);

#endif
