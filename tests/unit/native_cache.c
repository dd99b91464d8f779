/* tests/unit/native_cache.c -- kernels from the object cache: made once, found by other processes, and never in the place of other code.
**
** In a build without the native module this suite is empty. */
#include "tests/test.h"
#include "runtime/cache_code.h"
#include "runtime/engine.h"
#include "runtime/monitor.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef TEST_HAS_NATIVE

static const char spec[] =
  "in x: Int  in d: Int  out s: Int  out q: Int  out b: Bool\n"
  "s = default(s[1], 0) + x\n"
  "q = default(s[3], 0) / d\n"
  "b = s > 5 && default(x[2], 0) < 7\n";

enum { INS = 2, ROWS = 300 };

static weir_engine_options options;

static void begin(void) { options = (weir_engine_options){.size = sizeof options, .native_module = TEST_NATIVE, .object_cache = scratch_make()}; }

TestSuite(native_cache, .init = begin, .fini = scratch_remove);

typedef struct running {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *monitor;
} running;

static weir_tier tier = WEIR_TIER_NATIVE;

static weir_code start(running *r, const char *text) {
  const weir_options with = {.size = sizeof with, .tier = tier};
  *r = (running){NULL, NULL, NULL};
  weir_code rc = weir_engine_new(&options, &r->engine, NULL);
  if (rc == WEIR_OK) rc = weir_compile(r->engine, text, strlen(text), NULL, &r->program, NULL);
  return rc == WEIR_OK ? weir_monitor_new(r->engine, r->program, &with, &r->monitor, NULL) : rc;
}

static void end(running *r) {
  weir_monitor_free(r->monitor);
  weir_program_release(r->program);
  weir_engine_free(r->engine);
}

/* Rows one by one, then a batch: are the answers right? */
static bool answers(const running *r) {
  int64_t x[ROWS], d[ROWS], s[ROWS], q[ROWS], sum = 0, sums[ROWS + 4] = {0};
  uint8_t b[ROWS];
  const weir_in_column ins[INS] = {{.as.i = x}, {.as.i = d}};
  const weir_out_column outs[3] = {{.as.i = s}, {.as.i = q}, {.as.b = b}};
  for (int i = 0; i < 4; i++) {
    weir_value row[INS] = {an_int(i), an_int(1)};
    if (weir_monitor_push(r->monitor, row, INS, NULL) != WEIR_OK || weir_monitor_output(r->monitor, 0)->as.i != (sum += i)) return false;
    sums[i] = sum;
  }
  for (int i = 0; i < ROWS; i++) x[i] = i % 9, d[i] = 1 + i % 3;
  if (weir_monitor_push_batch(r->monitor, ROWS, ins, INS, outs, 3, NULL, NULL) != WEIR_OK) return false;
  for (int i = 0; i < ROWS; i++) {
    sums[i + 4] = sum += x[i];
    if (s[i] != sum || q[i] != sums[i + 1] / d[i] || b[i] != (sum > 5 && (i < 2 ? i + 2 : x[i - 2]) < 7)) return false;
  }
  return true;
}

/* Starts, runs and ends. */
static weir_report run(void) {
  running r;
  cr_assert_eq(start(&r, spec), WEIR_OK);
  cr_expect(answers(&r));
  weir_report report = report_of(r.monitor);
  cr_expect_null(report.why_not_native);
  cr_expect_gt(report.rows[WEIR_TIER_NATIVE], ROWS / 2);
  end(&r);
  return report;
}

/* Is the module in this process? */
static bool has_module(void) {
  char line[512];
  bool any = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  cr_assert_not_null(maps);
  while (fgets(line, sizeof line, maps) != NULL) any |= strstr(line, "weir_native") != NULL;
  fclose(maps);
  return any;
}

static void run_in_another_process(void) {
  int status = -1;
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) _exit(run().native_cache == WEIR_CACHE_KEPT && has_module() ? 0 : 1);
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

Test(native_cache, a_kernel_of_another_process_runs_without_the_module) {
  run_in_another_process();
  cr_expect_not(has_module());
  weir_report report = run();
  cr_expect_eq(report.native_cache, WEIR_CACHE_FOUND);
  cr_expect_null(report.native_cache_why);
  cr_expect_not(has_module(), "it is not opened for what is there");
}

Test(native_cache, without_a_folder_nothing_is_kept) {
  options.object_cache = NULL;
  cr_expect_eq(run().native_cache, WEIR_CACHE_UNASKED);
  cr_expect_eq(run().native_cache, WEIR_CACHE_UNASKED);
}

Test(native_cache, a_folder_that_others_may_write_to_is_told_and_code_is_made) {
  cr_assert_eq(chmod(options.object_cache, 0777), 0);
  running r;
  cr_assert_eq(start(&r, spec), WEIR_OK);
  weir_report report = report_of(r.monitor);
  cr_expect(answers(&r));
  cr_expect_eq(report.native_cache, WEIR_CACHE_REFUSED);
  cr_assert_not_null(report.native_cache_why);
  cr_expect_not_null(strstr(report.native_cache_why, options.object_cache), "%s", report.native_cache_why);
  end(&r);
}

Test(native_cache, a_monitor_that_runs_elsewhere_has_nothing_of_the_cache) {
  running r;
  cr_assert_eq(start(&r, "in x: Str  out y: Str  y = x ++ x"), WEIR_OK);
  cr_expect_eq(report_of(r.monitor).native_cache, WEIR_CACHE_UNASKED);
  cr_expect_not_null(report_of(r.monitor).why_not_native);
  end(&r);
}

/* ---- Tier AUTO ---- */

/* Rows until kernels run them, or the time is over. */
static bool takes_up(running *r, int milliseconds) {
  for (int i = 0; i < milliseconds && report_of(r->monitor).rows[WEIR_TIER_NATIVE] == 0; i++) {
    for (int k = 0; k < 5000; k++) {
      weir_cell in[INS] = {{.i = 1}, {.i = 1}}, out[3];
      if (weir_monitor_push_typed(r->monitor, in, NULL, NULL, out, NULL, NULL, NULL) != WEIR_OK) return false;
    }
    usleep(1000);
  }
  return report_of(r->monitor).rows[WEIR_TIER_NATIVE] > 0;
}

/* What is there, and is not, before it would be worth compiling: the module is opened for neither. */
Test(native_cache, tier_auto_looks_in_the_cache_without_opening_the_module) {
  for (int turn = 0; turn < 2; turn++) {
    running r;
    if (turn == 1) run_in_another_process();
    tier = WEIR_TIER_AUTO;
    cr_assert_eq(start(&r, spec), WEIR_OK);
    tier = WEIR_TIER_NATIVE;
    r.monitor->hot.worth = UINT64_MAX;
    cr_expect_eq(takes_up(&r, turn == 0 ? 100 : 20000), turn == 1);
    cr_expect_eq(report_of(r.monitor).native_cache, turn == 0 ? WEIR_CACHE_UNASKED : WEIR_CACHE_FOUND);
    cr_expect_null(report_of(r.monitor).why_not_native);
    cr_expect_not(has_module());
    end(&r);
  }
}

/* ---- Files ---- */

static char file[512];

static size_t find_file(void) {
  struct stat st;
  DIR *d = opendir(options.object_cache);
  cr_assert_not_null(d);
  for (struct dirent *one; (one = readdir(d)) != NULL;)
    if (strstr(one->d_name, ".obj") != NULL) snprintf(file, sizeof file, "%s/%s", options.object_cache, one->d_name);
  closedir(d);
  cr_assert_eq(stat(file, &st), 0);
  return (size_t)st.st_size;
}

static void flip(long at) {
  FILE *f = fopen(file, "r+");
  cr_assert_not_null(f);
  cr_assert_eq(fseek(f, at, SEEK_SET), 0);
  int c = fgetc(f);
  cr_assert_eq(fseek(f, at, SEEK_SET), 0);
  cr_assert_neq(fputc(c ^ 1, f), EOF);
  fclose(f);
}

Test(native_cache, a_damaged_file_is_replaced) {
  cr_expect_eq(run().native_cache, WEIR_CACHE_KEPT);
  size_t n = find_file();
  for (size_t i = 0; i < 8; i++) {
    flip((long)(i * (n - 1) / 7));
    cr_expect_eq(run().native_cache, WEIR_CACHE_KEPT);
    cr_expect_eq(run().native_cache, WEIR_CACHE_FOUND);
  }
}

/* Bytes that are whole, under the right key, and no code: what another version of us would have written under it, if it had not another key. */
Test(native_cache, what_is_found_and_cannot_be_loaded_is_replaced) {
  running r;
  cr_assert_eq(start(&r, spec), WEIR_OK);
  find_file();
  wb_digest key;
  for (size_t i = 0; i < WB_DIGEST_BYTES; i++) {
    unsigned byte;
    cr_assert_eq(sscanf(strrchr(file, '/') + 1 + 2 * i, "%2x", &byte), 1);
    key.at[i] = (uint8_t)byte;
  }
  static const char zeros[200], ones[] = {1, 1, 1, 1, 1, 1, 1};
  const wb_str others[] = {{zeros, 0}, {zeros, sizeof zeros}, {ones, sizeof ones}};
  for (size_t i = 0; i < WB_LEN(others); i++) {
    cr_assert_eq(wrt_cache_keep(&r.engine->native.cache, &key, &r.engine->door, &others[i], 1, NULL), WEIR_CACHE_KEPT);
    cr_expect_eq(run().native_cache, WEIR_CACHE_KEPT, "%zu", i);
    cr_expect_eq(run().native_cache, WEIR_CACHE_FOUND);
  }
  end(&r);
}

Test(native_cache, files_may_fail_to_be_read_and_written) {
  for (uint64_t at = 1; at <= 20; at++) {
    running r;
    const weir_options native = {.size = sizeof native, .tier = WEIR_TIER_NATIVE};
    cr_assert_eq(weir_engine_new(&options, &r.engine, NULL), WEIR_OK);
    r.engine->native.cache.fail_at = at;
    cr_assert_eq(weir_compile(r.engine, spec, strlen(spec), NULL, &r.program, NULL), WEIR_OK);
    cr_assert_eq(weir_monitor_new(r.engine, r.program, &native, &r.monitor, NULL), WEIR_OK);
    cr_expect(answers(&r));
    cr_expect_null(report_of(r.monitor).why_not_native);
    end(&r);
  }
}

/* Each request for memory fails once: the code runs, or there is a reason, or the monitor is not made. */
static void every_request_fails(weir_cache_state least) {
  host_memory memory;
  host_memory_open(&memory);
  options.allocator = &memory.allocator;
  for (uint64_t at = 1;; at++) {
    running r;
    memory.calls = 0;
    memory.fail_at = at;
    weir_code rc = start(&r, spec);
    bool is_over = memory.calls < at;
    if (rc == WEIR_OK && report_of(r.monitor).native_state == WEIR_NATIVE_WHOLE) {
      memory.fail_at = 0;
      cr_expect(answers(&r), "request %zu", (size_t)at);
    } else if (rc != WEIR_OK) cr_expect_eq(rc, WEIR_E_MEMORY);
    if (is_over) cr_expect_eq(report_of(r.monitor).native_cache, least);
    end(&r);
    cr_expect_eq(memory.live, 0);
    if (is_over) break;
  }
  options.allocator = NULL;
}

Test(native_cache, requests_for_memory_may_fail_while_a_kernel_is_found, .timeout = 120) {
  run_in_another_process();
  every_request_fails(WEIR_CACHE_FOUND);
}

/* ---- Keys ---- */

typedef struct keyed {
  running r;
  wrt_plan plan;
} keyed;

static void plan(keyed *k, const char *text) {
  options.object_cache = NULL;
  cr_assert_eq(start(&k->r, text), WEIR_OK, "%s", text);
  const wrt_native *n = k->r.monitor->native;
  cr_assert_not_null(n);
  k->plan = (wrt_plan){.program = k->r.program, .bodies = wir_program_bodies(k->r.program), .regions = n->region_names, .names = {"general", "sparse", "warm"},
                       .batches = {"batch_general", "batch_sparse", "batch_warm"}, .shifted = n->shifted};
}

static wb_digest key_of(const wrt_plan *p, const char *library, const char *module) {
  wb_build ids[2] = {{.n = strlen(library)}, {.n = strlen(module)}};
  wb_digest key;
  memcpy(ids[0].at, library, ids[0].n);
  memcpy(ids[1].at, module, ids[1].n);
  cr_assert(wrt_cache_key(p, &ids[0], &ids[1], &key));
  return key;
}

static wb_digest key_of_text(const char *text) {
  keyed k;
  plan(&k, text);
  wb_digest key = key_of(&k.plan, "library", "module");
  end(&k.r);
  return key;
}

Test(native_cache, names_places_and_comments_are_no_part_of_a_key, .timeout = 120) {
  wb_digest a = key_of_text("in x: Int  out y: Int  y = x[2] + 3"), b = key_of_text("// other\nin alpha: Int\n\nout beta: Int\nbeta = (alpha[2]) + 3\n");
  cr_expect(wb_digest_eq(&a, &b));
}

Test(native_cache, whatever_changes_the_code_changes_the_key, .timeout = 120) {
  static const char *const texts[] = {
    "in x: Int  out y: Int  y = x[2] + 3",           "in x: Int  out y: Int  y = x[2] + 4",          "in x: Int  out y: Int  y = x[3] + 3",
    "in x: Int  out y: Int  y = x[2] - 3",           "in x: Int  out y: Int  y = 3 + x[2]",          "in x: Float  out y: Float  y = x[2] + 3.0",
    "in x: Int  in z: Int  out y: Int  y = x[2] + 3", "in z: Int  in x: Int  out y: Int  y = x[2] + 3", "in x: Int  out y: Int  out w: Int  y = x[2] + 3  w = y",
    "in x: Int  out y: Int  aux w: Int  y = x[2] + 3  w = y[1]", "in x: Int  out y: Int  y = default(x[2], 0) + 3", "in x: Int  out y: Int  y = x[2] * 3",
    "in x: Int  out y: Int  y = x[200] + 3",         "in x: Int  out y: Int  y = x[201] + 3",        "in x: Int  out y: Bool  y = x[2] > 3",
    "in x: Int  out y: Bool  y = x[2] >= 3",         "in x: Int  in s: Str  out y: Int  out t: Str  y = x[2] + 3  t = s ++ s",
    "in x: Int  in s: Str  out y: Int  out t: Str  y = x[2] + 4  t = s ++ s"};
  wb_digest keys[WB_LEN(texts)];
  for (size_t i = 0; i < WB_LEN(texts); i++) {
    keys[i] = key_of_text(texts[i]);
    for (size_t k = 0; k < i; k++) cr_expect_not(wb_digest_eq(&keys[i], &keys[k]), "%s\n%s", texts[i], texts[k]);
  }
}

/* Each change alone. */
Test(native_cache, all_that_a_plan_says_is_in_the_key, .timeout = 120) {
  keyed k;
  plan(&k, spec);
  wb_digest first = key_of(&k.plan, "library", "module"), same = key_of(&k.plan, "library", "module");
  cr_expect(wb_digest_eq(&first, &same));
  wb_digest others[] = {key_of(&k.plan, "librarx", "module"), key_of(&k.plan, "library", "modula"), key_of(&k.plan, "librarym", "odule")};
  for (size_t i = 0; i < WB_LEN(others); i++) cr_expect_not(wb_digest_eq(&first, &others[i]), "%zu", i);
  uint8_t shifted[64] = {0};
  cr_assert_leq(k.plan.program->n_states, sizeof shifted);
  memcpy(shifted, k.plan.shifted, k.plan.program->n_states);
  shifted[0] ^= 1;
  wrt_plan changed[8];
  for (size_t i = 0; i < WB_LEN(changed); i++) changed[i] = k.plan;
  changed[0].shifted = shifted;
  changed[1].leave_every = 5;
  changed[2].cpu = "znver2";
  changed[3].features = "+avx2";
  changed[4].names[WIR_BODY_SPARSE] = NULL;
  changed[5].names[WIR_BODY_WARM] = "other";
  changed[6].batches[WIR_BODY_WARM] = "other";
  changed[7].most_general++;
  for (size_t i = 0; i < WB_LEN(changed); i++) {
    wb_digest other = key_of(&changed[i], "library", "module");
    cr_expect_not(wb_digest_eq(&first, &other), "%zu", i);
  }
  end(&k.r);
}

/* ---- Modules ---- */

/* As a linker has it, whether it is read from the file or from memory. */
Test(native_cache, a_module_has_the_same_number_in_its_file_and_in_memory) {
  running r;
  wrt_native_port port = {.path = TEST_NATIVE};
  wb_build of_file, of_memory, library;
  cr_assert(wrt_tier_build(&port, &of_file));
  cr_assert_null(port.tier);
  options.object_cache = NULL;
  cr_assert_eq(start(&r, spec), WEIR_OK);
  cr_assert_not_null(r.engine->native.tier);
  cr_assert(wrt_tier_build(&r.engine->native, &of_memory));
  cr_expect_eq(of_file.n, of_memory.n);
  cr_expect_arr_eq(of_file.at, of_memory.at, of_file.n);
  cr_expect(wb_build_of_loaded(&options, &library));
  cr_expect(library.n != of_file.n || memcmp(library.at, of_file.at, library.n) != 0);
  end(&r);
}

Test(native_cache, a_damaged_head_of_a_file_has_no_number) {
  unsigned char page[4096];
  wb_build id;
  FILE *f = fopen(TEST_NATIVE, "r");
  cr_assert_not_null(f);
  cr_assert_eq(fread(page, 1, sizeof page, f), sizeof page);
  fclose(f);
  cr_expect(wb_build_in(page, sizeof page, &id));
  for (size_t n = 0; n < sizeof page; n++) {
    unsigned char *cut = malloc(n + 1); /* a sanitizer sees what is read behind it */
    cr_assert_not_null(cut);
    memcpy(cut, page, n);
    (void)wb_build_in(cut, n, &id);
    free(cut);
  }
  for (size_t at = 0; at < 1024; at++)
    for (unsigned bit = 0; bit < 8; bit++) {
      page[at] ^= (unsigned char)(1u << bit);
      (void)wb_build_in(page, sizeof page, &id);
      page[at] ^= (unsigned char)(1u << bit);
    }
  memset(page, 0, sizeof page);
  cr_expect_not(wb_build_in(page, sizeof page, &id));
}

/* ---- At once ---- */

enum { THREADS = 4 };

static void *run_on_thread(void *arg) {
  running r;
  *(int *)arg = start(&r, spec) == WEIR_OK && answers(&r) && report_of(r.monitor).native_state == WEIR_NATIVE_WHOLE;
  end(&r);
  return NULL;
}

Test(native_cache, threads_that_make_the_same_code_share_a_file) {
  pthread_t threads[THREADS];
  int good[THREADS] = {0};
  for (int i = 0; i < THREADS; i++) cr_assert_eq(pthread_create(&threads[i], NULL, run_on_thread, &good[i]), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) cr_expect(good[i]);
  cr_expect_eq(run().native_cache, WEIR_CACHE_FOUND);
}

#endif
