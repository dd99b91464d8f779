/* cli/pipes.h -- the two ends of a run: bytes in, whole lines out.
**
** A read that would wait first lets the output go, so that a result leaves as soon as nothing more can join it.  While one of the
** two waits, a signal (cli_env.wake) ends the run: nothing more is read, and of the output only whole lines have been written. */
#ifndef CLI_PIPES_H
#define CLI_PIPES_H

#include "cli/cli.h"
#include "ir/base/text.h"

/* Does the path name standard input or output?  NULL and "-" do. */
bool cli_is_standard(const char *path);

typedef enum cli_pipe {
  CLI_PIPE_OK,
  CLI_PIPE_END,     /* input: there is no more */
  CLI_PIPE_CLOSED,  /* output: the reader is gone */
  CLI_PIPE_STOPPED, /* a signal asked for the end */
  CLI_PIPE_MEMORY,
  CLI_PIPE_FAILED   /* `error` says how */
} cli_pipe;

typedef struct cli_output {
  wb_file file;        /* owned: cli_output_close */
  const cli_env *env;  /* borrowed: the signal */
  wb_mem *mem;         /* borrowed: where `text` lives */
  WB_VEC(char) text;   /* lines not yet written; the last one may be unfinished */
  size_t whole;        /* bytes of `text` that are whole lines */
  bool may_wait;       /* not a regular file: a write waits for a reader */
  cli_pipe status;     /* of the first thing that went wrong; then everything is dropped */
  weir_error error;
} cli_output;

/* To the file at `path`, or to standard output. */
weir_code cli_output_open(cli_output *o, cli_env *env, wb_mem *mem, const char *path, weir_error *e) WB_MUST_USE;
/* Room for `n` more bytes, which may be 0: where to put them, or NULL (`status` says why).  cli_output_took tells how many were put. */
static inline char *cli_output_room(cli_output *o, size_t n) WB_MUST_USE;
char *cli_output_grow(cli_output *o, size_t n) WB_MUST_USE;
static inline char *cli_output_room(cli_output *o, size_t n) {
  if (WB_LIKELY(o->status == CLI_PIPE_OK && o->text.cap - o->text.n > n)) return o->text.at + o->text.n;
  return cli_output_grow(o, n);
}
static inline void cli_output_took(cli_output *o, size_t n) { o->text.n += n; }
/* False: `status` says why.  Nothing may be put from nowhere. */
static inline bool cli_output_put(cli_output *o, const char *from, size_t n) {
  char *to = cli_output_room(o, n);
  if (WB_UNLIKELY(to == NULL)) return false;
  if (WB_LIKELY(n > 0)) __builtin_memcpy(to, from, n);
  cli_output_took(o, n);
  return true;
}
/* Something that a line needs could not be had: the lines before are written, then no more. */
void cli_output_no_memory(cli_output *o);
/* Writes all whole lines. */
cli_pipe cli_output_flush(cli_output *o);
enum { CLI_OUTPUT_BLOCK = 64 << 10 };
/* The line is whole.  Writes when enough has come together. */
static inline void cli_output_line(cli_output *o) {
  o->whole = o->text.n;
  if (WB_UNLIKELY(o->whole >= CLI_OUTPUT_BLOCK)) (void)cli_output_flush(o);
}
/* Flushes and closes; reports an error of the file system that came late. */
cli_pipe cli_output_close(cli_output *o);

typedef struct cli_unpack cli_unpack;

typedef struct cli_input {
  wb_file file;       /* owned: cli_input_close */
  const cli_env *env; /* borrowed: the signal */
  cli_output *before; /* flushed before a read that would wait; NULL: none */
  cli_unpack *unpack; /* owned: unpacks what is read (compressed.h); NULL: nothing does */
  uint64_t n_read;    /* bytes of the file, as it is packed */
  unsigned char head[4]; /* the first of them */
  weir_error error;   /* after CLI_PIPE_FAILED */
} cli_input;

/* From the file at `path`, or from standard input. */
weir_code cli_input_open(cli_input *in, cli_env *env, const char *path, weir_error *e) WB_MUST_USE;
/* 1 to `size` bytes; *got is 0 unless it answers CLI_PIPE_OK.  What went wrong with `before` is answered as CLI_PIPE_STOPPED. */
cli_pipe cli_input_read(cli_input *in, char *to, size_t size, size_t *got);
/* The same, of the bytes as they are in the file. */
cli_pipe cli_input_read_packed(cli_input *in, char *to, size_t size, size_t *got);
void cli_input_close(cli_input *in);

static inline bool cli_is_stopped(const cli_env *env) { return env->stop != NULL && *env->stop != 0; }

#endif
