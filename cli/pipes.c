/* cli/pipes.c -- bytes in, whole lines out; see pipes.h.
**
** A pipe that nobody reads would keep a write waiting beyond any signal.  So what is no regular file is written in pieces of whole
** lines that a pipe takes at once as soon as it is writable at all (PIPE_BUF), each after waiting for the pipe or the signal. */
#include "cli/pipes.h"

#include "cli/compressed.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

bool cli_is_standard(const char *path) { return path == NULL || (path[0] == '-' && path[1] == '\0'); }

/* Waits until `fd` is ready.  False: a signal came first; what can be written at once may still be written then. */
static bool wait_ready(const cli_env *env, int fd, short events) {
  for (;;) {
    bool is_stopped = cli_is_stopped(env);
    if (is_stopped && events == POLLIN) return false;
    struct pollfd p[2] = {{fd, events, 0}, {env->wake, POLLIN, 0}};
    int n = poll(p, is_stopped || env->wake < 0 ? 1 : 2, is_stopped ? 0 : -1);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 || p[0].revents != 0) return true; /* the call that follows tells what is the matter */
    if (is_stopped) return false;
  }
}

/* ---- Output -------------------------------------------------------------------------------------------------------- */

weir_code cli_output_open(cli_output *o, cli_env *env, wb_mem *mem, const char *path, weir_error *e) {
  *o = (cli_output){.file = WB_FILE_NONE, .env = env, .mem = mem};
  if (cli_is_standard(path)) wb_file_borrow(&o->file, &env->io, env->out);
  else WB_TRY(wb_file_open_write(&o->file, &env->io, path, e));
  o->may_wait = wb_file_size(&o->file) == UINT64_MAX;
  return WEIR_OK;
}

char *cli_output_grow(cli_output *o, size_t n) {
  if (o->status != CLI_PIPE_OK) return NULL;
  if (WB_LIKELY(WB_VEC_ROOM(o->mem, &o->text, WB_MAX(n, (size_t)1)))) return o->text.at + o->text.n;
  cli_output_no_memory(o);
  return NULL;
}

void cli_output_no_memory(cli_output *o) {
  if (cli_output_flush(o) == CLI_PIPE_OK) o->status = CLI_PIPE_MEMORY;
}

/* The part of the text that is written in one go: whole lines, or a piece of a line that is too long for that. */
static size_t piece(const char *text, size_t n) {
  if (n <= PIPE_BUF) return n;
  size_t whole = PIPE_BUF;
  while (whole > 0 && text[whole - 1] != '\n') whole--;
  return whole > 0 ? whole : PIPE_BUF;
}

/* A full disk may have taken a part of a line: that would read as another value. */
static void take_back_cut_line(cli_output *o, size_t done) {
  size_t end = done + o->file.moved, begin = end;
  while (begin > done && o->text.at[begin - 1] != '\n') begin--;
  if (begin < end) wb_file_take_back(&o->file, end - begin);
}

static cli_pipe write_lines(cli_output *o) {
  for (size_t done = 0; done < o->whole;) {
    size_t n = o->whole - done;
    if (o->may_wait) {
      n = piece(o->text.at + done, n);
      if (!wait_ready(o->env, o->file.fd, POLLOUT)) return CLI_PIPE_STOPPED;
    }
    switch (wb_file_write(&o->file, o->text.at + done, n, &o->error)) {
      case WB_IO_OK: break;
      case WB_IO_CLOSED: return CLI_PIPE_CLOSED;
      case WB_IO_END:
      case WB_IO_FAILED: take_back_cut_line(o, done); return CLI_PIPE_FAILED;
    }
    done += n;
  }
  return CLI_PIPE_OK;
}

cli_pipe cli_output_flush(cli_output *o) {
  if (o->status != CLI_PIPE_OK) return o->status;
  if (o->whole == 0) return CLI_PIPE_OK;
  o->status = write_lines(o);
  o->text.n -= o->whole;
  if (o->text.n > 0) memmove(o->text.at, o->text.at + o->whole, o->text.n);
  o->whole = 0;
  return o->status;
}

cli_pipe cli_output_close(cli_output *o) {
  weir_error late;
  (void)cli_output_flush(o);
  if (wb_file_close(&o->file, &late) != WEIR_OK && o->status == CLI_PIPE_OK) {
    o->status = CLI_PIPE_FAILED;
    o->error = late;
  }
  WB_VEC_FREE(o->mem, &o->text);
  return o->status;
}

/* ---- Input --------------------------------------------------------------------------------------------------------- */

weir_code cli_input_open(cli_input *in, cli_env *env, const char *path, weir_error *e) {
  *in = (cli_input){.file = WB_FILE_NONE, .env = env};
  if (!cli_is_standard(path)) return wb_file_open_read(&in->file, &env->io, path, e);
  wb_file_borrow(&in->file, &env->io, env->in);
  return WEIR_OK;
}

cli_pipe cli_input_read(cli_input *in, char *to, size_t size, size_t *got) {
  return in->unpack != NULL ? cli_unpack_read(in, to, size, got) : cli_input_read_packed(in, to, size, got);
}

cli_pipe cli_input_read_packed(cli_input *in, char *to, size_t size, size_t *got) {
  *got = 0;
  if (!wb_file_is_ready(&in->file)) {
    if (in->before != NULL && cli_output_flush(in->before) != CLI_PIPE_OK) return CLI_PIPE_STOPPED;
    if (!wait_ready(in->env, in->file.fd, POLLIN)) return CLI_PIPE_STOPPED;
  }
  if (cli_is_stopped(in->env)) return CLI_PIPE_STOPPED;
  wb_io_status status = wb_file_read(&in->file, to, size, got, &in->error);
  for (size_t i = 0; i < *got && in->n_read + i < sizeof in->head; i++) in->head[in->n_read + i] = (unsigned char)to[i];
  in->n_read += *got;
  switch (status) {
    case WB_IO_OK: return CLI_PIPE_OK;
    case WB_IO_END: return CLI_PIPE_END;
    case WB_IO_CLOSED:
    case WB_IO_FAILED: break;
  }
  return CLI_PIPE_FAILED;
}

void cli_input_close(cli_input *in) {
  cli_unpack_close(in->unpack);
  in->unpack = NULL;
  (void)wb_file_close(&in->file, NULL);
}
