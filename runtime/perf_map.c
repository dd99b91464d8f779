/* runtime/perf_map.c -- tells Linux's perf which program and kernel machine code belongs to.
**
** perf looks for /tmp/perf-PID.map: lines of an address, a length, both in hexadecimal, and a name.  Nobody tells it when code goes, so an
** address that is used again is named by a later line.  A file that cannot be written is left alone: it is a help for people, and no part of
** an answer. */
#include <stdio.h>
#include <unistd.h>

#include "ir/base/io.h"
#include "runtime/native.h"

/* A path with a line's end in it is no other line. */
static void clean(char *name) {
  for (; *name != '\0'; name++)
    if ((unsigned char)*name < ' ') *name = '?';
}

void wrt_perf_map(const wrt_entry *entries, size_t count, const char *program) {
  char path[64], line[512];
  wb_io io = {.calls = 0};
  wb_file file;
  weir_error e;
  snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
  if (wb_file_open_append(&file, &io, path, &e) != WEIR_OK) return;
  for (size_t i = 0; i < count; i++) {
    int n = snprintf(line, sizeof line, "%lx %zx weir:%.400s:%s", (unsigned long)(uintptr_t)entries[i].at, entries[i].bytes,
                     program == NULL ? "program" : program, entries[i].name);
    if (n < 0 || (size_t)n >= sizeof line - 1) continue;
    clean(line);
    line[n] = '\n';
    if (wb_file_write(&file, line, (size_t)n + 1, &e) != WB_IO_OK) break;
  }
  (void)wb_file_close(&file, &e);
}
