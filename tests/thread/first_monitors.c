/* tests/thread/first_monitors.c -- threads that make the first quickened monitors of a program at once: each of them makes what all share, and one
** of them wins (ir/bodies.c).
**
** A plain program for ThreadSanitizer, as monitors.c.  The programs are long, so that nobody is done before all have begun. */
#include "tests/support/host.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 20, STREAMS = 60, TICKS = 5 };

typedef struct worker {
  weir_engine *engine;
  weir_program *program;
  pthread_barrier_t *start;
  bool is_late;      /* starts canonically, and switches after the first tick */
  const char *wrong; /* NULL: all was as it must be */
} worker;

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "first_monitors: %s\n", what);
  exit(1);
}

/* A sum of sums; a text in it makes the program one of regions and islands. */
static char *write_program(bool is_whole) {
  char *text = malloc(STREAMS * 80 + 200), *to = text;
  must(text != NULL, "no memory");
  to += sprintf(to, "in x: Int\nout s0: Int\ns0 = default(s0[1], 0) + x\n");
  for (int i = 1; i < STREAMS; i++) to += sprintf(to, "out s%d: Int\ns%d = if s%d > 0 then s%d * 2 - s%d else 100 / x\n", i, i, i - 1, i - 1, i - 1);
  if (!is_whole) sprintf(to, "out t: Str\nt = if s%d * 2 > x + 3 then \"high\" else \"low\"\n", STREAMS - 1);
  return text;
}

/* Every stream is the sum of 1, 2, ... up to the tick's number and one. */
static const char *run_tick(weir_monitor *m, int64_t tick, bool is_whole) {
  const weir_value x = an_int(tick + 1);
  int64_t sum = (tick + 1) * (tick + 2) / 2;
  if (weir_monitor_push(m, &x, 1, NULL) != WEIR_OK) return "push";
  for (uint32_t i = 0; i < STREAMS; i++)
    if (!host_same(*weir_monitor_output(m, i), an_int(sum))) return "a sum";
  return is_whole || host_same(*weir_monitor_output(m, STREAMS), a_text(2 * sum > tick + 4 ? "high" : "low")) ? NULL : "the text";
}

static void *run_first(void *arg) {
  worker *w = arg;
  weir_monitor *m = NULL;
  weir_options options = {.size = sizeof options, .tier = w->is_late ? WEIR_TIER_CANONICAL : WEIR_TIER_AUTO};
  bool is_whole = weir_program_output_count(w->program) == STREAMS;
  pthread_barrier_wait(w->start);
  if (weir_monitor_new(w->engine, w->program, &options, &m, NULL) != WEIR_OK) w->wrong = "new";
  for (int64_t t = 0; t < TICKS && w->wrong == NULL; t++) {
    w->wrong = run_tick(m, t, is_whole);
    if (t == 0 && w->wrong == NULL && weir_monitor_set_tier(m, WEIR_TIER_QUICKENED, NULL) != WEIR_OK) w->wrong = "switch";
  }
  weir_monitor_free(m);
  return NULL;
}

static void run_round(weir_engine *engine, const char *text) {
  pthread_barrier_t start;
  worker workers[THREADS];
  pthread_t threads[THREADS];
  weir_program *program;
  must(weir_compile(engine, text, strlen(text), NULL, &program, NULL) == WEIR_OK, "no program");
  must(pthread_barrier_init(&start, NULL, THREADS) == 0, "no barrier");
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){engine, program, &start, i == THREADS - 1, NULL};
    must(pthread_create(&threads[i], NULL, run_first, &workers[i]) == 0, "no thread");
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    must(workers[i].wrong == NULL, workers[i].wrong);
  }
  pthread_barrier_destroy(&start);
  weir_program_release(program);
}

int main(void) {
  weir_engine *engine;
  must(weir_engine_new(NULL, &engine, NULL) == WEIR_OK, "no engine");
  for (int i = 0; i < ROUNDS; i++) {
    char *text = write_program(i % 2 == 0);
    run_round(engine, text);
    free(text);
  }
  weir_engine_free(engine);
  return 0;
}
