/* bench/bench_main.c -- a program that is nothing but the benchmark: it opens weir_bench.so beside itself, as the command does. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/weir_bench.h"

int main(int argc, char **argv) {
  static const char module[] = "weir_bench.so";
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof module);
  if (n < 0) {
    perror("/proc/self/exe");
    return 1;
  }
  path[n] = '\0';
  char *name = strrchr(path, '/') + 1;
  memcpy(name, module, sizeof module);
  void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  weir_bench_run_fn *run = NULL;
  if (so != NULL) *(void **)&run = dlsym(so, WEIR_BENCH_ENTRY);
  if (run == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return run(argc, argv);
}
