/* bench/bench_rows.c -- a program from its text on, and rows pushed one by one: for what is timed as a whole, from the start. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"

bool bench_fresh_make(bench_fresh *f, const bench_rows *rows, weir_tier tier, const char *cache, bench_error *e) {
  weir_error why = {0};
  weir_options options = {.size = sizeof options, .tier = tier};
  weir_engine_options engine = {.size = sizeof engine, .object_cache = cache};
  *f = (bench_fresh){.engine = NULL};
  if (weir_engine_new(&engine, &f->engine, &why) != WEIR_OK) return bench_fail_call(e, &why);
  double began = bench_now();
  if ((why.code = weir_compile(f->engine, rows->text, rows->length, rows->compile, &f->program, NULL)) != WEIR_OK) return bench_fail_call(e, &why);
  f->compile = bench_now() - began;
  began = bench_now();
  if (weir_monitor_new(f->engine, f->program, &options, &f->monitor, &why) != WEIR_OK) return bench_fail_call(e, &why);
  f->made = bench_now() - began;
  return true;
}

void bench_fresh_end(bench_fresh *f) {
  weir_monitor_free(f->monitor);
  weir_program_release(f->program);
  weir_engine_free(f->engine);
}

bool bench_push(const bench_rows *rows, weir_monitor *m, size_t i, weir_cell *outs, bench_error *e) {
  size_t words = WEIR_WORDS(rows->ins);
  const uint64_t *present = rows->present != NULL ? rows->present + i * words : NULL;
  const uint64_t *deferred = rows->deferred != NULL ? rows->deferred + i * words : NULL;
  weir_error why;
  weir_code code = rows->cells != NULL ? weir_monitor_push_typed(m, rows->cells + i * rows->ins, present, deferred, outs, NULL, NULL, &why)
                                       : weir_monitor_push(m, rows->values + i * rows->ins, rows->ins, &why);
  return code == WEIR_OK || bench_fail_call(e, &why);
}

char *bench_folder_make(void) {
  const char *place = getenv("TMPDIR");
  char *folder = NULL;
  size_t n;
  FILE *to = open_memstream(&folder, &n);
  if (to == NULL) return NULL;
  fprintf(to, "%s/weir-bench-XXXXXX", place != NULL && place[0] == '/' ? place : "/tmp");
  if (fclose(to) == 0 && mkdtemp(folder) != NULL) return folder;
  free(folder);
  return NULL;
}

/* The two names of itself and of the one above are always there. */
static bool is_file(const struct dirent *one) { return strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0; }

bool bench_folder_is_empty(const char *folder) {
  DIR *all = opendir(folder);
  bool is_empty = true;
  for (const struct dirent *one; all != NULL && (one = readdir(all)) != NULL;) is_empty = is_empty && !is_file(one);
  if (all != NULL) closedir(all);
  return is_empty;
}

void bench_folder_end(char *folder) {
  DIR *all = folder != NULL ? opendir(folder) : NULL;
  if (all != NULL) {
    for (const struct dirent *one; (one = readdir(all)) != NULL;)
      if (is_file(one)) (void)unlinkat(dirfd(all), one->d_name, 0);
    closedir(all);
    (void)rmdir(folder);
  }
  free(folder);
}

weir_options bench_monitor_options(bench_way way) {
  weir_options options = {.size = sizeof options, .tier = bench_tiers[bench_tier_of(way)].tier};
  if (options.tier == WEIR_TIER_AUTO) options.compile_after = 1; /* what it comes to; warm_up.c tells how it gets there */
  return options;
}

void bench_wait_for_code(const weir_monitor *m) {
  const struct timespec a_while = {.tv_nsec = 1000000};
  weir_report report = {.size = sizeof report};
  for (weir_monitor_report(m, &report); report.native_state == WEIR_NATIVE_PENDING; weir_monitor_report(m, &report)) nanosleep(&a_while, NULL);
}

bool bench_has_kernels(const weir_monitor *m, char why[BENCH_WHY]) {
  weir_report report = {.size = sizeof report};
  weir_monitor_report(m, &report);
  if (report.why_not_native == NULL) return true;
  snprintf(why, BENCH_WHY, "%s", report.why_not_native);
  return false;
}

bool bench_starts_in_kernels(const bench_runner *r, weir_monitor *const *monitor, char why[BENCH_WHY]) {
  bench_error e;
  return !r->ops->start(r->self, &e) || bench_has_kernels(*monitor, why);
}
