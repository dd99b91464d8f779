/* ir/base/level.h -- which of the variants of a loop this processor runs.
**
** They are compiled for levels of the processor, "x86-64-v4" and so on, by which they are named; on other kinds of processors the plain one of
** that name, "x86-64", is compiled like all else. */
#ifndef WB_LEVEL_H
#define WB_LEVEL_H

#include <stdbool.h>
#include <string.h>

static inline bool wb_has_level(const char *name) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (strcmp(name, "x86-64-v4") == 0) return __builtin_cpu_supports("x86-64-v4") != 0;
  if (strcmp(name, "x86-64-v3") == 0) return __builtin_cpu_supports("x86-64-v3") != 0;
#endif
  return strcmp(name, "x86-64") == 0;
}

#endif
