/* runtime/worker.c -- the engine's thread: a stack of tasks that anybody may push on, and one thread that takes all of it.
**
** Leave alone: what tasks do. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_attr_setsigmask_np, pthread_setname_np */
#endif
#include "runtime/worker.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ir/base/def.h"

/* Of which LLVM took 200 KiB at most, for an expression of 900 levels (65 KiB for ordinary programs, large ones too). */
enum { STACK = 2 << 20 };

/* Where there are fewer processors than work, rows go first; but not by much, since they wait to become faster (with 10 more, kernels of a
** second's run came when it was over, on two busy processors). */
enum { LESS = 3 };

static const char ends[] = "the engine ends";

/* Takes all that wait, the oldest first. */
static wrt_task *take_all(wrt_worker *w) {
  wrt_task *from = atomic_exchange(&w->waiting, NULL), *to = NULL;
  while (from != NULL) {
    wrt_task *next = from->next;
    from->next = to;
    to = from;
    from = next;
  }
  return to;
}

static void run_all(wrt_worker *w, const char *why_not) {
  for (wrt_task *t = take_all(w), *next; t != NULL; t = next) {
    next = t->next; /* then it is its own */
    t->run(t, why_not != NULL || !atomic_load(&w->is_ending) ? why_not : ends);
  }
}

/* Of this thread alone, in Linux. */
static void give_way(void) {
  const struct sched_param none = {.sched_priority = 0};
  (void)sched_setscheduler(0, SCHED_BATCH, &none); /* waking up interrupts nobody */
  (void)setpriority(PRIO_PROCESS, (id_t)gettid(), getpriority(PRIO_PROCESS, (id_t)gettid()) + LESS);
}

static void *work(void *arg) {
  wrt_worker *w = arg;
  (void)pthread_setname_np(pthread_self(), "weir"); /* of another thread it would be a file */
  give_way();
  do {
    while (sem_wait(&w->wake) != 0) continue; /* EINTR alone is possible */
    run_all(w, NULL);
  } while (!atomic_load(&w->is_ending));
  return NULL;
}

/* With all signals blocked: they are the host's, for its own threads. */
static bool start(wrt_worker *w) {
  sigset_t all;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  (void)sigfillset(&all);
  bool is_right = pthread_attr_setstacksize(&attributes, STACK) == 0 && pthread_attr_setsigmask_np(&attributes, &all) == 0 &&
                  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED) == 0 && /* not as a row's thread that runs in real time */
                  pthread_create(&w->thread, &attributes, work, w) == 0;
  pthread_attr_destroy(&attributes);
  return is_right;
}

void wrt_worker_begin(wrt_worker *w) {
  atomic_init(&w->waiting, NULL);
  atomic_init(&w->state, WRT_WORKER_NONE);
  atomic_init(&w->is_ending, false);
  (void)sem_init(&w->wake, 0, 0); /* cannot fail with these */
  w->process = getpid();
}

bool wrt_worker_is_here(const wrt_worker *w) { return w->process == getpid(); }

/* Who finds that there is no worker starts it; tasks that come meanwhile wait for it.  One that comes when starting has just failed is found by
** the last look at the state, unless somebody else is starting it again by then. */
void wrt_worker_ask(wrt_worker *w, wrt_task *t) {
  if (!wrt_worker_is_here(w)) {
    t->run(t, WRT_IN_CHILD);
    return;
  }
  t->next = atomic_load(&w->waiting);
  while (!atomic_compare_exchange_weak(&w->waiting, &t->next, t)) continue;
  wrt_worker_state before = atomic_load(&w->state);
  if (before != WRT_WORKER_RUNS && atomic_compare_exchange_strong(&w->state, &before, WRT_WORKER_RUNS) && !start(w))
    atomic_store(&w->state, WRT_WORKER_FAILED);
  (void)sem_post(&w->wake);
  if (atomic_load(&w->state) == WRT_WORKER_FAILED) run_all(w, WRT_NO_THREAD);
}

void wrt_worker_end(wrt_worker *w) {
  bool is_here = wrt_worker_is_here(w);
  atomic_store(&w->is_ending, true);
  if (is_here && atomic_load(&w->state) == WRT_WORKER_RUNS) {
    (void)sem_post(&w->wake);
    (void)pthread_join(w->thread, NULL);
  }
  run_all(w, is_here ? ends : WRT_IN_CHILD);
  if (is_here) (void)sem_destroy(&w->wake);
}
