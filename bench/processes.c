/* bench/processes.c -- the same run in several processes, one after the other.
**
** Where code and data come to lie differs from process to process and moves a row call by some tenths of a nanosecond; the least of
** several is what the code can do.  Each process runs the whole program again, so that it is laid out anew; a fork would not be. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

extern char **environ;

enum { MOST_ARGUMENTS = 200 };

/* This process's arguments and `--raw FD`.  `space` holds the texts. */
static bool arguments(int fd, char *space, size_t size, char *argv[MOST_ARGUMENTS + 3], char number[16]) {
  static char raw[] = "--raw";
  int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t n = file < 0 ? -1 : read(file, space, size - 1);
  size_t count = 0;
  if (file >= 0) close(file);
  if (n <= 0) return false;
  for (char *at = space; at < space + n && count < MOST_ARGUMENTS; at += strlen(at) + 1) argv[count++] = at;
  snprintf(number, 16, "%d", fd);
  argv[count++] = raw;
  argv[count++] = number;
  argv[count] = NULL;
  return true;
}

static bool read_all(int fd, void *to, size_t size) {
  for (size_t have = 0; have < size;) {
    ssize_t n = read(fd, (char *)to + have, size - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    have += (size_t)n;
  }
  return true;
}

/* Its own messages go to standard error. */
static bool run_one(bench_results *out, bench_error *e) {
  static char space[1 << 14];
  char *argv[MOST_ARGUMENTS + 3], number[16];
  int ends[2], status = 0;
  pid_t child;
  if (pipe(ends) != 0 || fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0) return bench_fail(e, "pipe: %s", strerror(errno));
  if (!arguments(ends[1], space, sizeof space, argv, number)) return bench_fail(e, "cannot read /proc/self/cmdline");
  int failed = posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ);
  close(ends[1]);
  bool is_whole = failed == 0 && read_all(ends[0], out, sizeof *out);
  close(ends[0]);
  if (failed != 0) return bench_fail(e, "cannot start the program again: %s", strerror(failed));
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return (is_whole && status == 0) || bench_fail(e, "a process of the benchmark failed");
}

static void keep_least(double *least, double other) {
  if (other < *least) *least = other;
}

/* The least of both; of medians too: that of the quieter process. */
static bool merge(bench_results *all, const bench_results *one, bench_error *e) {
  for (size_t w = 0; w < 16; w++)
    for (size_t v = 0; v < BENCH_VARIANTS; v++) {
      bench_case *to = &all->cases[w][v];
      const bench_case *from = &one->cases[w][v];
      if (to->sum != from->sum) return bench_fail(e, "W%zu %s: the processes computed different results", w, bench_variants[v]);
      for (size_t k = 0; k < BENCH_WAY_COUNT; k++) {
        keep_least(&to->results[k].least, from->results[k].least);
        keep_least(&to->results[k].median, from->results[k].median);
      }
    }
  for (size_t k = 0; k < BENCH_CHAINS; k++) {
    bench_chain *to = &all->chains[k];
    const bench_chain *from = &one->chains[k];
    keep_least(&to->compile, from->compile);
    keep_least(&to->canonical, from->canonical);
    keep_least(&to->quickened, from->quickened);
    keep_least(&to->first, from->first);
  }
  return true;
}

bool bench_run_processes(const bench_options *o, bench_results *out, bench_error *e) {
  bench_results *one = bench_alloc(sizeof *one);
  bool is_good = true;
  for (int p = 0; is_good && p < o->processes; p++) {
    if (isatty(2)) fprintf(stderr, "process %d of %d\n", p + 1, o->processes);
    is_good = run_one(p == 0 ? out : one, e);
    if (is_good && p > 0) is_good = merge(out, one, e);
  }
  free(one);
  return is_good;
}
