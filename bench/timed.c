/* bench/timed.c -- weir_bench_timed: runs a program once, and tells what it took.
**
** usage: weir_bench_timed INPUT OUTPUT ERRORS PROGRAM [ARGUMENT]...
**
** The system counts what the starting process held as the peak of the started one.  The benchmark holds all rows; this one, a few pages. */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/timed.h"

extern char **environ;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec * 1e-6; }

static bool set_files(posix_spawn_file_actions_t *files, char *const *names) {
  const int made = O_WRONLY | O_CREAT | O_TRUNC;
  return posix_spawn_file_actions_init(files) == 0 && posix_spawn_file_actions_addopen(files, 0, names[0], O_RDONLY, 0) == 0 &&
         posix_spawn_file_actions_addopen(files, 1, names[1], made, 0600) == 0 && posix_spawn_file_actions_addopen(files, 2, names[2], made, 0600) == 0;
}

int main(int argc, char **argv) {
  posix_spawn_file_actions_t files;
  bench_timed took = {.status = -1};
  struct rusage used;
  pid_t child;
  if (argc < 5 || !set_files(&files, argv + 1)) return 2;
  double began = now();
  if (posix_spawn(&child, argv[4], &files, NULL, argv + 4, environ) == 0 && wait4(child, &took.status, 0, &used) == child) {
    took.wall = now() - began;
    took.cpu = seconds(used.ru_utime) + seconds(used.ru_stime);
    took.memory = (size_t)used.ru_maxrss * 1024;
  }
  posix_spawn_file_actions_destroy(&files);
  return write(1, &took, sizeof took) == (ssize_t)sizeof took ? 0 : 1;
}
