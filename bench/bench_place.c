/* bench/bench_place.c -- where the benchmark runs: the processor, and how busy it is. */
#include <string.h>

#include "bench/bench.h"

static void read_cpu(char *name, size_t size) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "re");
  while (f != NULL && fgets(line, sizeof line, f) != NULL) {
    const char *at = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
    if (at == NULL || at[1] == '\0') continue;
    line[strcspn(line, "\n")] = '\0';
    snprintf(name, size, "%s", at + 2);
    break;
  }
  if (f != NULL) fclose(f);
}

void bench_read_place(bench_place *p) {
  *p = (bench_place){.load = 0};
  read_cpu(p->cpu, sizeof p->cpu);
  FILE *f = fopen("/proc/loadavg", "re");
  if (f == NULL) return;
  if (fscanf(f, "%lf", &p->load) != 1) p->load = 0;
  fclose(f);
}

const char *bench_level_name(const bench_options *o) { return o->level + 1 == BENCH_LEVELS ? bench_built_name : bench_levels[o->level]; }
