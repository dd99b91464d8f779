/* cli/behind.c -- writes on a thread of its own; see behind.h.
**
** Waking a thread takes longer than a small block does.  So the thread begins when half of the room is full, unless somebody waits, and goes on
** until all is written; and whoever finds no room waits until half of it is free again. */
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include "cli/behind.h"

#include <sched.h>
#include <signal.h>

enum { MOST_BLOCKS = 16, FEWEST_BLOCKS = 2 };

bool cli_behind_pays(void) {
  cpu_set_t ours;
  return sched_getaffinity(0, sizeof ours, &ours) == 0 && CPU_COUNT(&ours) > 1;
}

/* ---- The thread ---------------------------------------------------------------------------------------------------- */

/* Waits, under the lock, for something to write.  False: there will be nothing more. */
static bool await_blocks(cli_behind *b) {
  if (b->n > 0) return true;
  while (b->n < b->n_blocks / 2 && !b->is_over && !(b->is_hurried && b->n > 0)) pthread_cond_wait(&b->given, &b->lock);
  return b->n > 0;
}

static void *run(void *self) {
  cli_behind *b = self;
  pthread_mutex_lock(&b->lock);
  while (await_blocks(b)) {
    const cli_behind_block *block = &b->blocks[b->first];
    pthread_mutex_unlock(&b->lock);
    (void)b->sink.rows(b->sink.self, block->outs.columns, block->n);
    bool has_failed = b->out->status != CLI_PIPE_OK;
    pthread_mutex_lock(&b->lock);
    b->has_failed = has_failed;
    b->first = (b->first + 1) % b->n_blocks;
    b->n--;
    if (b->n == 0 || b->n == b->n_blocks / 2) pthread_cond_signal(&b->written);
  }
  pthread_mutex_unlock(&b->lock);
  return NULL;
}

/* Signals are for the thread that was there before. */
static bool start_thread(cli_behind *b) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
  bool ok = pthread_create(&b->thread, NULL, run, b) == 0;
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return ok;
}

/* ---- The run ------------------------------------------------------------------------------------------------------- */

static bool make_blocks(cli_behind *b, wb_mem *mem, const cli_columns *columns) {
  size_t wide = (size_t)CLI_COLUMN_VALUES / (columns->max_rows * columns->n_outs);
  b->n_blocks = WB_MAX(WB_MIN(wide, (size_t)MOST_BLOCKS), (size_t)FEWEST_BLOCKS);
  b->blocks = WB_NEW_ARRAY(mem, cli_behind_block, b->n_blocks);
  for (size_t i = 0; b->blocks != NULL && i < b->n_blocks; i++)
    if (!cli_columns_outs(columns, mem, &b->blocks[i].outs)) return false;
  return b->blocks != NULL;
}

bool cli_behind_start(cli_behind *b, wb_mem *mem, const cli_columns *columns, const cli_sink *sink, cli_output *out) {
  *b = (cli_behind){.sink = *sink, .out = out};
  if (sink->room == 0 || cli_output_room(out, CLI_OUTPUT_BLOCK + sink->room) == NULL) return false;
  if (!make_blocks(b, mem, columns)) return false;
  if (pthread_mutex_init(&b->lock, NULL) != 0) return false;
  if (pthread_cond_init(&b->given, NULL) != 0) goto no_given;
  if (pthread_cond_init(&b->written, NULL) != 0) goto no_written;
  if (start_thread(b)) return true;
  pthread_cond_destroy(&b->written);
no_written:
  pthread_cond_destroy(&b->given);
no_given:
  pthread_mutex_destroy(&b->lock);
  return false;
}

void cli_behind_give(cli_behind *b, cli_columns *columns, size_t n) {
  pthread_mutex_lock(&b->lock);
  while (b->n == b->n_blocks) pthread_cond_wait(&b->written, &b->lock);
  cli_behind_block *block = &b->blocks[(b->first + b->n) % b->n_blocks];
  cli_columns_swap_outs(columns, &block->outs);
  block->n = n;
  if (++b->n >= b->n_blocks / 2) pthread_cond_signal(&b->given);
  pthread_mutex_unlock(&b->lock);
}

void cli_behind_wait(cli_behind *b) {
  pthread_mutex_lock(&b->lock);
  b->is_hurried = true;
  pthread_cond_signal(&b->given);
  while (b->n > 0) pthread_cond_wait(&b->written, &b->lock);
  b->is_hurried = false;
  pthread_mutex_unlock(&b->lock);
}

bool cli_behind_has_failed(cli_behind *b) {
  pthread_mutex_lock(&b->lock);
  bool has_failed = b->has_failed;
  pthread_mutex_unlock(&b->lock);
  return has_failed;
}

void cli_behind_stop(cli_behind *b) {
  cli_behind_wait(b);
  pthread_mutex_lock(&b->lock);
  b->is_over = true;
  pthread_cond_signal(&b->given);
  pthread_mutex_unlock(&b->lock);
  (void)pthread_join(b->thread, NULL);
  pthread_cond_destroy(&b->written);
  pthread_cond_destroy(&b->given);
  pthread_mutex_destroy(&b->lock);
}
