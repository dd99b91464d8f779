/* tests/thread/native_auto.c -- monitors in tier AUTO on several threads, whose programs the engine's thread compiles meanwhile: they take up
** kernels in mid-run, share them, and end with programs and engines while more are being made.
**
** A plain program: ThreadSanitizer looks for races in what is ours, and each thread compares what it gets with what it must get.  LLVM and
** the kernels are not instrumented: what they do to memory is seen by nobody here. */
#include "tests/support/host.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 4, ENGINES = 4, PROGRAMS = 3, ROWS = 3000, BATCH = 100, MOST_WAITS = 60000 };

static const char *const spec =
  "in x: Int  in b: Bool  out n: Int  out q: Int\n"
  "n = default(n[1], 0) + x\n"
  "q = if x == 0 then -1 else default(x[2], 0) / x\n";

typedef struct turn {
  weir_engine *engine;
  weir_program *programs[PROGRAMS]; /* shared by all threads, which come to them in different orders */
  pthread_barrier_t *together;
  int number;
  bool waits;        /* until kernels run; else the turn may end before */
  const char *wrong; /* NULL: all was as it must be */
} turn;

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "native_auto: %s\n", what);
  exit(1);
}

static bool push_typed(weir_monitor *m, int64_t x, int64_t *sum) {
  weir_cell in[2] = {{.i = x}, {.i = x & 1}}, out[2];
  *sum += x;
  return weir_monitor_push_typed(m, in, NULL, NULL, out, NULL, NULL, NULL) == WEIR_OK && out[0].i == *sum;
}

static bool push_tagged(weir_monitor *m, int64_t x, int64_t *sum) {
  const weir_value row[2] = {an_int(x), a_bool(x & 1)};
  *sum += x;
  return weir_monitor_push(m, row, 2, NULL) == WEIR_OK && weir_monitor_output(m, 0)->as.i == *sum;
}

static bool push_batch(weir_monitor *m, int64_t x, int64_t *sum) {
  int64_t xs[BATCH], ns[BATCH], qs[BATCH];
  uint8_t bs[BATCH] = {0};
  for (int i = 0; i < BATCH; i++) xs[i] = x;
  const weir_in_column ins[2] = {{.as.i = xs}, {.as.b = bs}};
  const weir_out_column outs[2] = {{.as.i = ns}, {.as.i = qs}};
  *sum += BATCH * x;
  return weir_monitor_push_batch(m, BATCH, ins, 2, outs, 2, NULL, NULL) == WEIR_OK && ns[BATCH - 1] == *sum;
}

static const char *run_rows(weir_monitor *m, int n, int64_t *sum) {
  static bool (*const pushes[])(weir_monitor *, int64_t, int64_t *) = {push_typed, push_tagged, push_batch};
  for (int i = 0; i < n; i++)
    if (!pushes[i / 50 % 3](m, i % 5, sum)) return "a row";
  return NULL;
}

/* Rows that come slowly, until kernels run them. */
static const char *wait_for_kernels(weir_monitor *m, int64_t *sum) {
  for (int i = 0; i < MOST_WAITS; i++) {
    weir_report r = report_of(m);
    if (r.native_since != WEIR_NO_ROW) return NULL;
    if (r.why_not_native != NULL) return r.why_not_native;
    const char *wrong = run_rows(m, 150, sum);
    if (wrong != NULL) return wrong;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return "no kernels came";
}

static const char *run_program(turn *t, weir_program *program) {
  weir_options options = {.size = sizeof options, .compile_after = 1 + 40 * (uint64_t)t->number};
  weir_monitor *m = NULL;
  int64_t sum = 0;
  if (weir_monitor_new(t->engine, program, &options, &m, NULL) != WEIR_OK) return "new";
  const char *wrong = run_rows(m, t->waits ? ROWS : ROWS / 10, &sum);
  if (wrong == NULL && t->waits) wrong = wait_for_kernels(m, &sum);
  if (wrong == NULL) wrong = run_rows(m, 300, &sum);
  weir_monitor_free(m);
  return wrong;
}

static void *take_turn(void *arg) {
  turn *t = arg;
  (void)pthread_barrier_wait(t->together);
  for (int i = 0; i < PROGRAMS && t->wrong == NULL; i++) t->wrong = run_program(t, t->programs[(i + t->number) % PROGRAMS]);
  for (int i = 0; i < PROGRAMS; i++) weir_program_release(t->programs[i]);
  return NULL;
}

static void run_engine(bool waits) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  weir_engine *engine;
  weir_program *programs[PROGRAMS];
  turn turns[THREADS];
  pthread_t threads[THREADS];
  pthread_barrier_t together;
  must(weir_engine_new(&with, &engine, NULL) == WEIR_OK, "no engine");
  must(pthread_barrier_init(&together, NULL, THREADS) == 0, "no barrier");
  for (int i = 0; i < PROGRAMS; i++) must(weir_compile(engine, spec, strlen(spec), NULL, &programs[i], NULL) == WEIR_OK, "no program");
  for (int i = 0; i < THREADS; i++) {
    turns[i] = (turn){.engine = engine, .together = &together, .number = i, .waits = waits};
    for (int k = 0; k < PROGRAMS; k++) turns[i].programs[k] = weir_program_retain(programs[k]);
    must(pthread_create(&threads[i], NULL, take_turn, &turns[i]) == 0, "no thread");
  }
  for (int i = 0; i < PROGRAMS; i++) weir_program_release(programs[i]);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    must(turns[i].wrong == NULL, turns[i].wrong);
  }
  weir_engine_free(engine); /* perhaps while it compiles for nobody any more */
  pthread_barrier_destroy(&together);
}

int main(void) {
  for (int i = 0; i < ENGINES; i++) run_engine(i % 2 == 0);
  return 0;
}
