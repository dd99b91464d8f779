/* tests/unit/runtime_worker.c -- the engine's thread: each task runs or is told why not, once; asking waits for nothing. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* NSIG */
#endif
#include "tests/test.h"
#include "runtime/worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 50 };

typedef struct job {
  wrt_task task;
  sem_t *start, *done; /* waits for the one, posts the other; NULL: does not */
  int *order, *n;      /* where it puts its number */
  int number;
  bool is_blocked;     /* were all signals? */
  pthread_t thread;
  const char *why_not;
} job;

static void run_job(wrt_task *t, const char *why_not) {
  job *j = (job *)(void *)t;
  sigset_t now;
  (void)pthread_sigmask(SIG_SETMASK, NULL, &now);
  j->is_blocked = sigismember(&now, SIGTERM) == 1 && sigismember(&now, SIGALRM) == 1;
  j->thread = pthread_self();
  j->why_not = why_not;
  if (j->start != NULL && why_not == NULL) (void)sem_wait(j->start);
  if (j->order != NULL) j->order[(*j->n)++] = j->number;
  if (j->done != NULL) (void)sem_post(j->done);
}

Test(runtime_worker, starts_with_the_first_task_and_ends_without_one) {
  wrt_worker w;
  wrt_worker_begin(&w);
  cr_expect_eq(atomic_load(&w.state), WRT_WORKER_NONE);
  wrt_worker_end(&w);
}

Test(runtime_worker, runs_tasks_on_a_thread_of_its_own_in_the_order_in_which_they_came) {
  wrt_worker w;
  sem_t start, done;
  job jobs[TASKS];
  int order[TASKS], n = 0;
  sigset_t before, after;
  cr_assert_eq(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
  cr_assert(sem_init(&start, 0, 0) == 0 && sem_init(&done, 0, 0) == 0);
  wrt_worker_begin(&w);
  for (int i = 0; i < TASKS; i++) {
    jobs[i] = (job){.task = {.run = run_job}, .start = i == 0 ? &start : NULL, .done = &done, .order = order, .n = &n, .number = i};
    wrt_worker_ask(&w, &jobs[i].task); /* comes back, though the first waits for us */
  }
  (void)sem_post(&start);
  for (int i = 0; i < TASKS; i++) (void)sem_wait(&done);
  wrt_worker_end(&w);
  cr_expect_eq(n, TASKS);
  for (int i = 0; i < TASKS; i++) {
    cr_expect_eq(order[i], i);
    cr_expect_null(jobs[i].why_not);
#ifndef WEIR_SANITIZE /* AddressSanitizer starts threads in its own way, with the mask of the thread that asks */
    cr_expect(jobs[i].is_blocked, "signals are for the host's threads");
#endif
    cr_expect(pthread_equal(jobs[i].thread, jobs[0].thread) && !pthread_equal(jobs[i].thread, pthread_self()));
  }
  cr_assert_eq(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
  for (int s = 1; s < NSIG; s++) cr_expect_eq(sigismember(&before, s), sigismember(&after, s), "the caller's are as they were: %d", s);
}

Test(runtime_worker, the_end_waits_for_the_task_that_runs_and_tells_the_others) {
  wrt_worker w;
  sem_t start;
  job jobs[TASKS];
  int order[TASKS], n = 0;
  cr_assert_eq(sem_init(&start, 0, 0), 0);
  wrt_worker_begin(&w);
  for (int i = 0; i < TASKS; i++) {
    jobs[i] = (job){.task = {.run = run_job}, .start = &start, .order = order, .n = &n, .number = i};
    wrt_worker_ask(&w, &jobs[i].task);
  }
  (void)sem_post(&start);
  wrt_worker_end(&w);
  cr_expect_eq(n, TASKS);
  int n_ran = 0;
  for (int i = 0; i < TASKS; i++) n_ran += jobs[i].why_not == NULL;
  cr_expect_leq(n_ran, 1, "one was let go, and the others cannot have run");
  cr_expect_str_eq(jobs[TASKS - 1].why_not, "the engine ends");
}

#ifndef WEIR_SANITIZE /* which need room for themselves */

/* So many bytes more may this process have. */
static void set_room(rlim_t bytes) {
  unsigned long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  struct rlimit most = {.rlim_max = RLIM_INFINITY};
  cr_assert(f != NULL && fscanf(f, "%lu", &pages) == 1);
  fclose(f);
  most.rlim_cur = bytes == RLIM_INFINITY ? bytes : pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
  cr_assert_eq(setrlimit(RLIMIT_AS, &most), 0);
}

Test(runtime_worker, without_a_thread_tasks_are_told_so_and_the_next_one_starts_it) {
  wrt_worker w;
  sem_t done;
  cr_assert_eq(sem_init(&done, 0, 0), 0);
  job j = {.task = {.run = run_job}}, next = {.task = {.run = run_job}, .done = &done};
  wrt_worker_begin(&w);
  for (int i = 0; i < 2; i++) {
    set_room(64 << 10); /* no stack */
    wrt_worker_ask(&w, &j.task);
    set_room(RLIM_INFINITY);
    cr_expect_str_eq(j.why_not, WRT_NO_THREAD);
  }
  wrt_worker_ask(&w, &next.task);
  (void)sem_wait(&done);
  cr_expect_null(next.why_not);
  wrt_worker_end(&w);
}

#endif

/* What the child finds out, as its status. */
static int ask_in_child(wrt_worker *w, sem_t *start) {
  job j = {.task = {.run = run_job}, .start = start};
  if (wrt_worker_is_here(w)) return 1;
  wrt_worker_ask(w, &j.task);
  if (j.why_not == NULL || strcmp(j.why_not, WRT_IN_CHILD) != 0) return 2;
  wrt_worker_end(w); /* waits for nobody */
  return 0;
}

Test(runtime_worker, a_forked_child_has_none_whatever_it_was_at, .timeout = 60) {
  wrt_worker w;
  sem_t start, done;
  cr_assert(sem_init(&start, 0, 0) == 0 && sem_init(&done, 0, 0) == 0);
  job first = {.task = {.run = run_job}, .start = &start, .done = &done};
  wrt_worker_begin(&w);
  wrt_worker_ask(&w, &first.task);
  pid_t child = fork();
  if (child == 0) _exit(ask_in_child(&w, &start));
  int status = 1;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_expect_eq(status, 0);
  (void)sem_post(&start);
  (void)sem_wait(&done);
  wrt_worker_end(&w);
  cr_expect_null(first.why_not);
}
