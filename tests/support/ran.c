/* tests/support/ran.c -- runs the command in this process; see ran.h.
**
** Pieces of a trace go through a socket that keeps their bounds, fed by a child: each read of the command gets one piece.  A piece
** must fit in what the command reads at least, or the rest of it is lost. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "tests/support/ran.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

#define MUST(x) \
  do { \
    if (!(x)) { \
      perror("ran: " #x); \
      abort(); \
    } \
  } while (0)

static void write_all(int fd, const char *from, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t part = write(fd, from + done, n - done);
    MUST(part > 0);
    done += (size_t)part;
  }
}

static void write_file(const char *name, const char *text, size_t n) {
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  MUST(fd >= 0);
  write_all(fd, text, n);
  MUST(close(fd) == 0);
}

/* All of an open file, terminated. */
static char *read_back(int fd, size_t *n) {
  off_t size = lseek(fd, 0, SEEK_END);
  MUST(size >= 0);
  char *text = malloc((size_t)size + 1);
  MUST(text != NULL && pread(fd, text, (size_t)size, 0) == (ssize_t)size);
  text[size] = '\0';
  if (n != NULL) *n = (size_t)size;
  return text;
}

#if defined(WEIR_TINY) && WEIR_TINY
enum { PIECE_MAX = 16 };
#else
enum { PIECE_MAX = 60000 };
#endif

static int feed(const ran_how *how, size_t n, pid_t *child) {
  int ends[2];
  MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  *child = fork();
  MUST(*child >= 0);
  if (*child == 0) {
    close(ends[0]);
    const size_t *size = how->chunks;
    for (size_t at = 0; at < n; size = size[1] != 0 ? size + 1 : how->chunks) {
      size_t part = *size < PIECE_MAX ? *size : PIECE_MAX;
      if (part > n - at) part = n - at;
      if (send(ends[1], how->trace + at, part, MSG_NOSIGNAL) != (ssize_t)part) break; /* the command reads no more */
      at += part;
    }
    _exit(0);
  }
  close(ends[1]);
  return ends[0];
}

typedef struct counter { uint64_t calls, fail_at; } counter;

static void *take(void *self, size_t size) {
  counter *c = self;
  c->calls++;
  return c->fail_at != 0 && c->calls >= c->fail_at ? NULL : aligned_alloc(16, (size + 15) / 16 * 16);
}
static void give(void *self, void *block) {
  (void)self;
  free(block);
}

/* "weir", the arguments, NULL. */
static int arguments(const ran_how *how, char **argv) {
  static const char *const usual[] = {"run", "spec.dsrv", NULL};
  const char *const *args = how->args[0] ? how->args : usual;
  int argc = 0;
  union { const char *given; char *taken; } word = {"weir"}; /* argv is not const in C, though nobody writes to it */
  argv[argc++] = word.taken;
  for (; *args; args++) word.given = *args, argv[argc++] = word.taken;
  if (!how->args[0]) word.given = how->chunks || how->is_standard ? "-" : "trace.input", argv[argc++] = word.taken;
  for (const char *const *more = how->more; *more; more++) word.given = *more, argv[argc++] = word.taken;
  argv[argc] = NULL;
  return argc;
}

static void run_here(const ran_how *how, ran *r) {
  size_t n = how->trace && how->n_trace == 0 ? strlen(how->trace) : how->n_trace;
  if (how->spec) write_file("spec.dsrv", how->spec, strlen(how->spec));
  if (how->query) write_file("query.sql", how->query, strlen(how->query));
  if (how->trace && !how->chunks) write_file("trace.input", how->trace, n);
  pid_t child = -1;
  int in = how->chunks ? feed(how, n, &child) : open(how->is_standard ? "trace.input" : "/dev/null", O_RDONLY | O_CLOEXEC);
  int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
  MUST(in >= 0 && out >= 0 && err >= 0);
  counter memory = {0, how->fail_memory};
  weir_allocator from = {take, give, &memory};
  cli_env env = {.in = in, .out = how->out ? how->out : out, .err = err, .wake = -1, .stop = how->stop};
  env.io.fail_at = how->fail_io;
  env.io.fail_errno = how->fail_errno;
  wb_door_open(&env.door, &from, 0);
  char *argv[24];
  int argc = arguments(how, argv);
  r->status = cli_main(argc, argv, &env);
  r->out = read_back(out, &r->n_out);
  r->err = read_back(err, NULL);
  r->io_calls = env.io.calls;
  r->memory_calls = memory.calls;
  close(in);
  close(out);
  close(err);
  if (child > 0) MUST(waitpid(child, NULL, 0) == child);
}

ran ran_weir(const ran_how *how) {
  ran r = {0};
  char folder[] = "/tmp/weir-test-XXXXXX";
  int before = open(".", O_RDONLY | O_CLOEXEC);
  MUST(before >= 0 && mkdtemp(folder) != NULL && chdir(folder) == 0);
  run_here(how, &r);
  int made = open("out.trace", O_RDONLY | O_CLOEXEC);
  if (made >= 0) {
    r.file = read_back(made, NULL);
    close(made);
  }
  (void)unlink("out.trace");
  (void)unlink("spec.dsrv");
  (void)unlink("query.sql");
  (void)unlink("trace.input");
  MUST(fchdir(before) == 0 && rmdir(folder) == 0);
  close(before);
  return r;
}

void ran_free(ran *r) {
  free(r->out);
  free(r->err);
  free(r->file);
  *r = (ran){0};
}
