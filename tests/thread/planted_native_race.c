/* tests/thread/planted_native_race.c -- one monitor in the native tier on two threads at once, which weir.h forbids: ThreadSanitizer must see it
** in what is ours around the kernels, since it does not look into them.  ./dev test wants status 66. */
#include "tests/support/host.h"

#include <pthread.h>
#include <stdlib.h>

static weir_monitor *shared;

/* Rows with gaps come to another kernel each time, and so to what chooses it. */
static void *push_rows(void *unused) {
  (void)unused;
  for (uint64_t i = 0; i < 1000; i++) {
    weir_cell in = {.i = 1}, out;
    uint64_t present = i & 1;
    if (weir_monitor_push_typed(shared, &in, &present, NULL, &out, NULL, NULL, NULL) != WEIR_OK) abort();
  }
  return NULL;
}

int main(void) {
  static const char spec[] = "in x: Int  out n: Int  n = (default(n[1], 0) + x) % 1000";
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_NATIVE};
  weir_report report = {.size = sizeof report};
  weir_engine *engine;
  weir_program *program;
  pthread_t a, b;
  if (weir_engine_new(&with, &engine, NULL) != WEIR_OK) return 1;
  if (weir_compile(engine, spec, sizeof spec - 1, NULL, &program, NULL) != WEIR_OK) return 1;
  if (weir_monitor_new(engine, program, &options, &shared, NULL) != WEIR_OK) return 1;
  weir_monitor_report(shared, &report);
  if (report.why_not_native != NULL) return 1; /* then nothing of the native tier would race */
  if (pthread_create(&a, NULL, push_rows, NULL) != 0 || pthread_create(&b, NULL, push_rows, NULL) != 0) return 1;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  weir_monitor_free(shared);
  weir_program_release(program);
  weir_engine_free(engine);
  return 0;
}
