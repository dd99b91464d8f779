/* tests/thread/native_monitors.c -- monitors of one program that all ask for its kernels at once, on several threads, and run in them.
**
** A plain program: ThreadSanitizer looks for races in what is ours, and each thread compares what it gets with what it must get.  LLVM and
** the kernels are not instrumented: what they do to memory is seen by nobody here. */
#include "tests/support/host.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* LLVM makes this lock under another one, of atomics that nobody here sees, so it looks like a race.  Nothing else is passed over: a race of ours
** may have a function of LLVM in it, too. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "race:llvm::TimerGroup::TimerGroup\n"; }

enum { THREADS = 2, TURNS = 12, ROWS = 2000 };

static const char *const spec =
  "in x: Int  in b: Bool  out n: Int  out q: Int  out f: Float\n"
  "n = default(n[1], 0) + x\n"
  "q = if x == 0 then -1 else default(x[2], 0) / x\n"
  "f = default(f[1], 0.5) * (if b then 1.0 else -1.0)\n";

typedef struct turn {
  weir_engine *engine;
  weir_program *program;
  pthread_barrier_t *together;
  int64_t step;
  const char *wrong; /* NULL: all was as it must be */
} turn;

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "native_monitors: %s\n", what);
  exit(1);
}

/* Every seventh row lacks an input, and so goes to another kernel; in every fifth the monitor changes its tier. */
static const char *run_row(weir_monitor *m, int64_t row, int64_t step, int64_t *sum) {
  static const weir_tier tiers[] = {WEIR_TIER_NATIVE, WEIR_TIER_QUICKENED, WEIR_TIER_CANONICAL};
  weir_cell in[2] = {{.i = row % 5 * step}, {.i = row & 1}}, out[3];
  uint64_t present = row % 7 == 3 ? 1 : 3, there;
  if (row % 5 == 0 && weir_monitor_set_tier(m, tiers[row % 3], NULL) != WEIR_OK) return "tier";
  if (weir_monitor_push_typed(m, in, &present, NULL, out, &there, NULL, NULL) != WEIR_OK) return "push";
  *sum += in[0].i;
  return out[0].i == *sum && (there & 3) == 3 ? NULL : "value";
}

static const char *look_at_report(const weir_monitor *m) {
  weir_report r = {.size = sizeof r};
  weir_monitor_report(m, &r);
  if (r.why_not_native != NULL) return r.why_not_native;
  return r.rows[WEIR_TIER_NATIVE] > ROWS / 4 ? NULL : "few rows in kernels";
}

static void *take_turn(void *arg) {
  turn *t = arg;
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_NATIVE};
  weir_monitor *m = NULL;
  int64_t sum = 0;
  (void)pthread_barrier_wait(t->together);
  if (weir_monitor_new(t->engine, t->program, &options, &m, NULL) != WEIR_OK) t->wrong = "new";
  for (int64_t row = 0; row < ROWS && t->wrong == NULL; row++) t->wrong = run_row(m, row, t->step, &sum);
  if (t->wrong == NULL) t->wrong = look_at_report(m);
  weir_monitor_free(m);
  return NULL;
}

/* A new program each time, so that its kernels are made while both want them. */
static void run_turn(weir_engine *engine) {
  weir_program *program;
  turn turns[THREADS];
  pthread_t threads[THREADS];
  pthread_barrier_t together;
  must(pthread_barrier_init(&together, NULL, THREADS) == 0, "no barrier");
  must(weir_compile(engine, spec, strlen(spec), NULL, &program, NULL) == WEIR_OK, "no program");
  for (int i = 0; i < THREADS; i++) {
    turns[i] = (turn){engine, program, &together, i + 1, NULL};
    must(pthread_create(&threads[i], NULL, take_turn, &turns[i]) == 0, "no thread");
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    must(turns[i].wrong == NULL, turns[i].wrong);
  }
  weir_program_release(program);
  pthread_barrier_destroy(&together);
}

int main(void) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  weir_engine *engine;
  must(weir_engine_new(&with, &engine, NULL) == WEIR_OK, "no engine");
  for (int i = 0; i < TURNS; i++) run_turn(engine);
  weir_engine_free(engine);
  return 0;
}
