/* runtime/worker.h -- a thread of the engine, for work that no tick is to wait for.
**
** It starts with the first task, or where that failed with a later one, and sleeps between tasks.  Asking takes no lock: an asking thread never waits for the worker, whatever
** the worker does, and a child forked meanwhile finds nothing locked.  In such a child there is no worker, and nothing runs. */
#ifndef WRT_WORKER_H
#define WRT_WORKER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* The head of a task, which is the asker's block until it ran. */
typedef struct wrt_task {
  struct wrt_task *next;
  /* Called once, and the task is its own from then on.  why_not NULL: on the worker's thread; else it is not to run, and that is why, static:
  ** on whatever thread found out. */
  void (*run)(struct wrt_task *t, const char *why_not);
} wrt_task;

typedef enum wrt_worker_state { WRT_WORKER_NONE, WRT_WORKER_RUNS, WRT_WORKER_FAILED } wrt_worker_state;

typedef struct wrt_worker {
  _Atomic(wrt_task *) waiting; /* newest first */
  _Atomic wrt_worker_state state;
  atomic_bool is_ending;
  sem_t wake;                  /* posted for each task, and for the end */
  pthread_t thread;            /* RUNS */
  pid_t process;               /* whose thread it is */
} wrt_worker;

#define WRT_IN_CHILD "a forked child does not compile" /* reasons */
#define WRT_NO_THREAD "there is no thread to compile in" /* this time: the next task tries again to start one */

void wrt_worker_begin(wrt_worker *w);
/* Has the task run behind those that wait, soon. */
void wrt_worker_ask(wrt_worker *w, wrt_task *t);
/* Waits for the task that runs; those that wait do not run.  Nobody may ask any more. */
void wrt_worker_end(wrt_worker *w);
/* False: this is a forked child of the process that began. */
bool wrt_worker_is_here(const wrt_worker *w);

#endif
