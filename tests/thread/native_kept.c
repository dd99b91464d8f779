/* tests/thread/native_kept.c -- engines whose threads all look for kernels in one folder, and keep theirs there, at once.
**
** Each turn has another program, and the folder has room for a few: so some threads find what others are just keeping, and files go while
** others read them.  As in native_monitors.c, LLVM is not looked into. */
#include "tests/support/host.h"
#include "tests/support/scratch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in native_monitors.c. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "race:llvm::TimerGroup::TimerGroup\n"; }

enum { ENGINES = 2, THREADS = 4, TURNS = 12, PROGRAMS = 5, ROWS = 200, ROOM = 24 << 10 };

typedef struct turn {
  weir_engine *engine;
  pthread_barrier_t *together;
  int ahead;                               /* turns before the others: so they find its kernels */
  uint64_t states[WEIR_CACHE_STATE_COUNT]; /* how often this thread's kernels came that way */
  const char *wrong;                       /* NULL: all was as it must be */
} turn;

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "native_kept: %s\n", what);
  scratch_remove();
  exit(1);
}

static const char *run_rows(turn *t, weir_program *program, int64_t step) {
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_NATIVE};
  weir_report report = {.size = sizeof report};
  weir_monitor *m;
  int64_t sum = 0;
  const char *wrong = NULL;
  if (weir_monitor_new(t->engine, program, &options, &m, NULL) != WEIR_OK) return "no monitor";
  for (int64_t row = 0; row < ROWS && wrong == NULL; row++) {
    weir_cell in = {.i = row}, out;
    if (weir_monitor_push_typed(m, &in, NULL, NULL, &out, NULL, NULL, NULL) != WEIR_OK) wrong = "push";
    else if (out.i != (sum += row * step)) wrong = "value";
  }
  weir_monitor_report(m, &report);
  t->states[report.native_cache]++;
  weir_monitor_free(m);
  return wrong != NULL ? wrong : report.why_not_native;
}

static const char *take_turn(turn *t, int64_t step) {
  char spec[100];
  weir_program *program;
  int n = snprintf(spec, sizeof spec, "in x: Int  out n: Int  n = default(n[1], 0) + x * %d", (int)step);
  if (weir_compile(t->engine, spec, (size_t)n, NULL, &program, NULL) != WEIR_OK) return "no program";
  const char *wrong = run_rows(t, program, step);
  weir_program_release(program);
  return wrong;
}

static void *take_turns(void *arg) {
  turn *t = arg;
  for (int i = 0; i < TURNS; i++) {
    (void)pthread_barrier_wait(t->together);
    if (t->wrong == NULL) t->wrong = take_turn(t, 3 + (i + t->ahead) % PROGRAMS);
  }
  return NULL;
}

int main(void) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE, .object_cache = scratch_make(), .object_cache_bytes = ROOM};
  weir_engine *engines[ENGINES];
  turn turns[THREADS];
  pthread_t threads[THREADS];
  pthread_barrier_t together;
  uint64_t found = 0, kept = 0, others = 0;
  must(pthread_barrier_init(&together, NULL, THREADS) == 0, "no barrier");
  for (int i = 0; i < ENGINES; i++) must(weir_engine_new(&with, &engines[i], NULL) == WEIR_OK, "no engine");
  for (int i = 0; i < THREADS; i++) {
    turns[i] = (turn){.engine = engines[i % ENGINES], .together = &together, .ahead = i / ENGINES};
    must(pthread_create(&threads[i], NULL, take_turns, &turns[i]) == 0, "no thread");
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) {
    must(turns[i].wrong == NULL, turns[i].wrong);
    found += turns[i].states[WEIR_CACHE_FOUND];
    kept += turns[i].states[WEIR_CACHE_KEPT];
  }
  others = THREADS * TURNS - found - kept;
  for (int i = 0; i < ENGINES; i++) weir_engine_free(engines[i]);
  pthread_barrier_destroy(&together);
  scratch_remove();
  must(kept >= PROGRAMS && found != 0 && others == 0, "kernels were not kept, or not found");
  return 0;
}
