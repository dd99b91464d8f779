/* bench/processes.c -- the same run in several processes, one after the other.
**
** Where code and data come to lie differs from process to process and moves a row call by some tenths of a nanosecond; the least of
** several is what the code can do.  Each process runs the whole program again, so that it is laid out anew; a fork would not be.  It gets the
** arguments of this one, and a variable of the environment that says where the results go, as they are in memory. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/processes.h"

extern char **environ;

int bench_raw_fd(void) {
  const char *text = getenv(WEIR_BENCH_RESULTS);
  char *end;
  long fd = text != NULL ? strtol(text, &end, 10) : -1;
  return text != NULL && *end == '\0' && fd > 2 && fd < 1 << 20 ? (int)fd : -1;
}

bool bench_hand_over(int fd, const bench_results *r, bench_error *e) {
  for (size_t done = 0; done < sizeof *r;) {
    ssize_t n = write(fd, (const char *)r + done, sizeof *r - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bench_fail(e, "cannot hand over the results: %s", strerror(errno));
    done += (size_t)n;
  }
  return true;
}

/* What a process is started with: owned texts. */
typedef struct start {
  char *arguments; /* one behind the other */
  char **argv, **envp;
  char variable[sizeof WEIR_BENCH_RESULTS + 16];
} start;

static void end_start(start *s) {
  free(s->arguments);
  free(s->argv);
  free(s->envp);
}

/* All of a file of /proc, whose size nobody knows before. */
static char *read_whole(const char *path, size_t *size) {
  char *text = NULL;
  FILE *from = fopen(path, "re"), *to = open_memstream(&text, size);
  for (int c; from != NULL && to != NULL && (c = getc(from)) != EOF;) putc(c, to);
  if (from != NULL) fclose(from);
  if (to != NULL) fclose(to);
  return text;
}

static bool make_start(start *s, int fd, bench_error *e) {
  size_t size = 0, n = 0, variables = 0;
  *s = (start){.arguments = read_whole("/proc/self/cmdline", &size)};
  if (s->arguments == NULL || size == 0) return bench_fail(e, "cannot read /proc/self/cmdline");
  for (size_t i = 0; i < size; i++) n += s->arguments[i] == '\0';
  while (environ[variables] != NULL) variables++;
  s->argv = calloc(n + 1, sizeof *s->argv);
  s->envp = calloc(variables + 2, sizeof *s->envp);
  if (s->argv == NULL || s->envp == NULL) return bench_fail_memory(e);
  char *at = s->arguments;
  for (size_t i = 0; i < n; i++, at += strlen(at) + 1) s->argv[i] = at;
  snprintf(s->variable, sizeof s->variable, "%s=%d", WEIR_BENCH_RESULTS, fd);
  memcpy(s->envp, environ, variables * sizeof *s->envp);
  s->envp[variables] = s->variable;
  return true;
}

static bool read_all(const bench_options *o, int fd, void *to, size_t size, bench_error *e) {
  for (size_t have = 0; have < size;) {
    ssize_t n = read(fd, (char *)to + have, size - have);
    if (n < 0 && errno == EINTR && bench_goes_on(o, e)) continue;
    if (n <= 0) return false;
    have += (size_t)n;
  }
  return true;
}

/* It has told what is wrong by itself, unless it died. */
static bool end_one(pid_t child, bool is_whole, bench_error *e) {
  int status = 0;
  if (e->is_stopped) (void)kill(child, SIGTERM); /* a signal from a terminal has reached it already */
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (e->is_stopped) return false;
  if (is_whole && status == 0) return true;
  if (!WIFEXITED(status) || WEXITSTATUS(status) == 0) return bench_fail(e, "a process of the benchmark ended early");
  e->status = WEXITSTATUS(status);
  return false;
}

static bool run_one(const bench_options *o, bench_results *out, bench_error *e) {
  int ends[2];
  pid_t child;
  start s;
  if (pipe(ends) != 0 || fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0) return bench_fail(e, "pipe: %s", strerror(errno));
  bool is_good = make_start(&s, ends[1], e);
  int failed = is_good ? posix_spawn(&child, "/proc/self/exe", NULL, NULL, s.argv, s.envp) : 0;
  close(ends[1]);
  if (failed != 0) is_good = bench_fail(e, "cannot start the program again: %s", strerror(failed));
  if (is_good) is_good = end_one(child, read_all(o, ends[0], out, sizeof *out, e), e);
  close(ends[0]);
  end_start(&s);
  return is_good;
}

/* ---- The least of all ---- */

/* Of medians too: that of the quieter process. */
static bool merge_case(bench_case *to, const bench_case *from) {
  if (!from->is_there) return true;
  if (!to->is_there) *to = *from;
  if (to->sum != from->sum) return false;
  for (size_t k = 0; k < BENCH_WAY_COUNT; k++) {
    bench_keep_least(&to->results[k].least, from->results[k].least);
    bench_keep_least(&to->results[k].median, from->results[k].median);
  }
  return true;
}

static void merge_chain(bench_chain *to, const bench_chain *from) {
  if (!to->is_there) *to = *from;
  bench_keep_least(&to->compile, from->compile);
  bench_keep_least(&to->first, from->first);
  for (size_t k = 0; k < BENCH_COURSE_COUNT; k++) bench_keep_least(&to->made[k], from->made[k]);
}

static void merge_warm_up(bench_warm_up *to, const bench_warm_up *from) {
  for (size_t c = 0; c < BENCH_COURSE_COUNT; c++)
    for (size_t k = 0; k < BENCH_POINTS; k++) bench_keep_least(&to->seconds[c][k], from->seconds[c][k]);
}

static void merge_command(bench_command *to, const bench_command *from) {
  if (!to->is_there) *to = *from;
  for (size_t s = 0; s < BENCH_COMMAND_SIZES; s++)
    for (size_t k = 0; k < BENCH_COMMAND_WAYS; k++) bench_keep_took(&to->took[s][k], &from->took[s][k]);
}

static void merge_cost(bench_cost *to, const bench_cost *from) {
  bench_keep_least(&to->compile, from->compile);
  bench_keep_least(&to->made, from->made);
  bench_keep_least(&to->first, from->first);
  bench_keep_least(&to->code_seconds, from->code_seconds);
}

static bool merge(bench_results *all, const bench_results *one, bench_error *e) {
  for (size_t w = 0; w < BENCH_WORKLOADS; w++)
    for (size_t v = 0; v < BENCH_VARIANTS; v++)
      if (!merge_case(&all->cases[w][v], &one->cases[w][v]))
        return bench_fail(e, "W%zu %s: the processes computed different results", w, bench_variants[v]);
  if (!merge_case(&all->own.turns, &one->own.turns)) return bench_fail(e, "the processes computed different results");
  if (all->left_out < one->left_out) all->left_out = one->left_out;
  for (size_t k = 0; k < BENCH_CHAINS; k++) merge_chain(&all->chains[k], &one->chains[k]);
  for (size_t k = 0; k < BENCH_WARM_UPS; k++) merge_warm_up(&all->warm_ups[k], &one->warm_ups[k]);
  for (size_t w = 0; w < BENCH_COMMAND_WORKLOADS; w++)
    for (size_t v = 0; v < BENCH_COMMAND_VARIANTS; v++) merge_command(&all->commands[w][v], &one->commands[w][v]);
  for (size_t t = 0; t < BENCH_TIER_COUNT; t++) merge_cost(&all->own.costs[t], &one->own.costs[t]);
  return true;
}

bool bench_run_processes(const bench_options *o, bench_results *out, bench_error *e) {
  bench_results *one = bench_alloc(sizeof *one);
  bool is_good = true;
  for (int p = 0; is_good && p < o->processes; p++) {
    is_good = bench_goes_on(o, e);
    if (o->request->progress >= 0) dprintf(o->request->progress, "process %d of %d\n", p + 1, o->processes);
    is_good = is_good && run_one(o, p == 0 ? out : one, e);
    if (is_good && p > 0) is_good = merge(out, one, e);
  }
  if (!is_good) (void)bench_goes_on(o, e); /* a signal ends all of them */
  free(one);
  return is_good;
}
