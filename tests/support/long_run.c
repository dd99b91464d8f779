/* tests/support/long_run.c -- see long_run.h. */
#include "tests/support/long_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *long_rows(int special, const char *cell) {
  char *text = malloc(LONG_ROWS * 8 + 100), *to = text;
  if (text == NULL) abort();
  to += sprintf(to, "x\n");
  for (int i = 0; i < LONG_ROWS; i++) to += i == special ? sprintf(to, "%s\n", cell) : sprintf(to, "%d\n", i % 1000 - 950);
  return text;
}

ran long_run(const char *rows, const char *threads, int out) {
  return ran_weir(&(ran_how){.spec = LONG_SPEC, .trace = rows, .is_standard = true, .out = out,
                             .more = {"--tier=quickened", "--input-format=csv", "--threads", threads}});
}
