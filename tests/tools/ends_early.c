/* tests/tools/ends_early.c -- a host that ends while its engine compiles, and gives nothing back: ends_early MICROSECONDS.
**
** What the host itself does at its end comes last, and takes a while: the engine's thread goes on in a process that is nearly over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weir.h"

enum { STREAMS = 150, STREAM_BYTES = 80, LINGER = 100000 };

static void linger(void) { usleep(LINGER); }

static char *write_program(void) {
  char *text = malloc((STREAMS + 1) * STREAM_BYTES), *to = text;
  if (text == NULL) exit(1);
  to += sprintf(to, "in x: Int\nout s0: Int\ns0 = default(s0[1], 0) + x\n");
  for (int i = 1; i < STREAMS; i++) to += sprintf(to, "out s%d: Int\ns%d = if s%d > 0 then s%d * 2 - s%d else x\n", i, i, i - 1, i - 1, i - 1);
  return text;
}

int main(int argc, char **argv) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  weir_options options = {.size = sizeof options, .compile_after = 1};
  static weir_engine *engine; /* static: nothing is lost, for sanitizers that look */
  static weir_program *program;
  static weir_monitor *m;
  static char *text;
  text = write_program();
  if (argc < 2 || atexit(linger) != 0 || weir_engine_new(&with, &engine, NULL) != WEIR_OK) return 1;
  if (weir_compile(engine, text, strlen(text), NULL, &program, NULL) != WEIR_OK) return 1;
  if (weir_monitor_new(engine, program, &options, &m, NULL) != WEIR_OK) return 1;
  for (int i = 0; i < 3; i++)
    if (weir_monitor_push(m, &(weir_value){.tag = WEIR_INT, .as.i = 1}, 1, NULL) != WEIR_OK) return 1;
  usleep((useconds_t)atoi(argv[1]));
  return 0;
}
