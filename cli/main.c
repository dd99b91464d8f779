/* cli/main.c -- the process around the command: descriptors and signals.
**
** The first SIGINT, SIGTERM or SIGHUP asks the run to end: whole lines are written, then the process ends by that signal, so that a shell
** sees it.  The second one ends it at once.  Nothing else in the project touches signals. */
#define _GNU_SOURCE 1 /* pipe2, secure_getenv */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* Handlers reach nothing else. */
static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t wake_end = -1; /* of the pipe that a wait watches */

static void ask_to_stop(int number) {
  stop_signal = number;
  if (wake_end >= 0 && write(wake_end, "", 1) < 0) return; /* the flag is enough for all but a wait that is about to begin */
}

/* A descriptor that the parent closed must not become a file of ours: reading from it and writing to it should fail. */
static void fill_standard_descriptors(void) {
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0) return;
}

static void handle(int number) {
  struct sigaction now;
  if (sigaction(number, NULL, &now) != 0 || now.sa_handler == SIG_IGN) return; /* nohup, a background job */
  struct sigaction ours = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&ours.sa_mask);
  (void)sigaction(number, &ours, NULL);
}

/* Puts the texts one behind the other; NULL: there is no room. */
static const char *join(char *to, size_t size, const char *first, const char *second) {
  size_t n = strlen(first), m = strlen(second) + 1;
  if (n > size || m > size - n) return NULL;
  memcpy(to, first, n);
  memcpy(to + n, second, m);
  return to;
}

/* The user's, as the XDG Base Directory Specification has it: a path that is not absolute is none.  With rights that are not the user's, no
** variable of the environment is believed. */
static const char *find_cache(char *to, size_t size) {
  const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
  if (cache != NULL && cache[0] == '/') return join(to, size, cache, "/weir");
  return home != NULL && home[0] == '/' ? join(to, size, home, "/.cache/weir") : NULL;
}

int main(int argc, char **argv) {
  char cache[4096];
  fill_standard_descriptors();
  cli_env env = {.in = STDIN_FILENO, .out = STDOUT_FILENO, .err = STDERR_FILENO, .wake = -1, .stop = &stop_signal,
                 .cache = find_cache(cache, sizeof cache)};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
    env.wake = ends[0];
    wake_end = ends[1];
  }
  wb_door_open(&env.door, NULL, 0);
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  (void)sigaction(SIGPIPE, &ignore, NULL); /* a closed pipe is an answer of write */
  handle(SIGINT);
  handle(SIGTERM);
  handle(SIGHUP);

#ifndef WEIR_SANITIZE /* which looks for what is left */
  env.ends_process = true;
#endif
  int status = cli_main(argc, argv, &env);
  if (stop_signal != 0) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    (void)sigaction(stop_signal, &standard, NULL);
    (void)raise(stop_signal);
    status = 128 + stop_signal; /* blocked by the parent */
  }
  if (!env.ends_process) return status;
  (void)fflush(NULL); /* of the benchmark */
  _exit(status); /* nothing of what is left has to be given back */
}
