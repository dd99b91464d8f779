/* tests/thread/monitors.c -- monitors of one program on several threads, while others come, go and move.
**
** A plain program: ThreadSanitizer looks for races, and each thread compares what it gets with what it must get. */
#include "tests/support/host.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, TICKS = 3000 };

/* It has what threads could share by mistake: text constants, rings, held cells, guards that fail. */
static const char *const spec =
  "in x: Int  in s: Str\n"
  "out n: Int  out t: Str  out q: Int  out d: Str\n"
  "n = default(n[1], 0) + x\n"
  "t = if n % 2 == 0 then \"even \" ++ s else \"odd \" ++ default(s[3], \"constant\")\n"
  "q = if x == 0 then -1 else 100 / x\n"
  "d = default((t ++ \"|\")[2], \"nothing yet\")\n";

typedef struct worker {
  weir_engine *engine;
  weir_program *program;
  int64_t step;
  const char *wrong; /* NULL: all was as it must be */
} worker;

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "monitors: %s\n", what);
  exit(1);
}

static const char *check_tick(const weir_monitor *m, int64_t tick, int64_t step) {
  int64_t x = tick % 3 * step, n = 0;
  for (int64_t t = 0; t <= tick; t++) n += t % 3 * step;
  if (!host_same(*weir_monitor_output(m, 0), an_int(n))) return "n";
  if (!host_same(*weir_monitor_output(m, 2), an_int(x == 0 ? -1 : 100 / x))) return "q";
  char text[64];
  if (n % 2 == 0) snprintf(text, sizeof text, "even %lld", (long long)(tick * step));
  else if (tick < 3) snprintf(text, sizeof text, "odd constant");
  else snprintf(text, sizeof text, "odd %lld", (long long)((tick - 3) * step));
  return host_same(*weir_monitor_output(m, 1), a_text(text)) ? NULL : "t";
}

static const char *run_tick(weir_monitor *m, int64_t tick, int64_t step) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)(tick * step));
  const weir_value row[2] = {an_int(tick % 3 * step), a_text(text)};
  if (weir_monitor_push(m, row, 2, NULL) != WEIR_OK) return "push";
  return check_tick(m, tick, step);
}

static void *run_monitor(void *arg) {
  worker *w = arg;
  weir_monitor *m = NULL;
  if (weir_monitor_new(w->engine, w->program, NULL, &m, NULL) != WEIR_OK) w->wrong = "new";
  for (int64_t t = 0; t < TICKS && w->wrong == NULL; t++) w->wrong = run_tick(m, t, w->step);
  weir_monitor_free(m);
  return NULL;
}

/* Programs and monitors of the same engine are made and ended all the while. */
static void *run_visitors(void *arg) {
  worker *w = arg;
  for (int i = 0; i < 200 && w->wrong == NULL; i++) {
    weir_program *p = NULL;
    weir_monitor *m = NULL;
    if (weir_compile(w->engine, spec, strlen(spec), NULL, &p, NULL) != WEIR_OK) w->wrong = "compile";
    else if (weir_monitor_new(w->engine, i % 2 == 0 ? p : w->program, NULL, &m, NULL) != WEIR_OK) w->wrong = "new visitor";
    else w->wrong = run_tick(m, 0, 1);
    weir_monitor_free(m);
    weir_program_release(p);
    weir_program_release(weir_program_retain(w->program));
  }
  return NULL;
}

static void run_side_by_side(weir_engine *engine, weir_program *program) {
  worker workers[THREADS + 1];
  pthread_t threads[THREADS + 1];
  for (int i = 0; i <= THREADS; i++) {
    workers[i] = (worker){engine, program, i + 1, NULL};
    must(pthread_create(&threads[i], NULL, i == THREADS ? run_visitors : run_monitor, &workers[i]) == 0, "no thread");
  }
  for (int i = 0; i <= THREADS; i++) {
    pthread_join(threads[i], NULL);
    must(workers[i].wrong == NULL, workers[i].wrong);
  }
}

typedef struct move { weir_monitor *m; int64_t tick; const char *wrong; } move;

static void *run_one(void *arg) {
  move *v = arg;
  v->wrong = run_tick(v->m, v->tick++, 1);
  return NULL;
}

/* One monitor, each tick on a thread of its own: its memory belongs to no thread. */
static void run_moving(weir_engine *engine, weir_program *program) {
  move v = {.m = NULL};
  must(weir_monitor_new(engine, program, NULL, &v.m, NULL) == WEIR_OK, "no monitor");
  for (int i = 0; i < 100; i++) {
    pthread_t thread;
    must(pthread_create(&thread, NULL, run_one, &v) == 0, "no thread");
    pthread_join(thread, NULL);
    must(v.wrong == NULL, v.wrong);
  }
  weir_monitor_free(v.m);
}

int main(void) {
  weir_engine *engine;
  weir_program *program;
  must(weir_engine_new(NULL, &engine, NULL) == WEIR_OK, "no engine");
  must(weir_compile(engine, spec, strlen(spec), NULL, &program, NULL) == WEIR_OK, "no program");
  run_side_by_side(engine, program);
  run_moving(engine, program);
  weir_program_release(program);
  weir_engine_free(engine);
  return 0;
}
