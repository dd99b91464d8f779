/* tests/unit/runtime_native.c -- the native tier where it cannot run: never an error, always a reason.  (Where it runs: tests/agree.) */
#include "tests/test.h"
#include "runtime/engine.h"
#include "runtime/monitor.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static weir_program *compile(weir_engine *engine, const char *text) {
  weir_program *program;
  cr_assert_eq(weir_compile(engine, text, strlen(text), NULL, &program, NULL), WEIR_OK);
  return program;
}

/* Two rows of a sum in the native tier that is asked for, after one in the canonical tier. */
static void runs_without(const char *module, const char *why) {
  weir_engine_options with = {.size = sizeof with, .native_module = module};
  weir_engine *engine;
  weir_monitor *m;
  cr_assert_eq(weir_engine_new(&with, &engine, NULL), WEIR_OK);
  weir_program *program = compile(engine, "in x: Int\nout s: Int\ns = default(s[1], 0) + x\n");
  weir_options canonical = {.size = sizeof canonical, .tier = WEIR_TIER_CANONICAL};
  cr_assert_eq(weir_monitor_new(engine, program, &canonical, &m, NULL), WEIR_OK);
  weir_value x = {.tag = WEIR_INT, .as.i = 5};
  cr_expect_eq(weir_monitor_push(m, &x, 1, NULL), WEIR_OK);
  cr_expect_null(report_of(m).why_not_native);
  cr_expect_eq(report_of(m).native_state, WEIR_NATIVE_UNASKED);
  cr_expect_eq(weir_monitor_set_tier(m, WEIR_TIER_NATIVE, NULL), WEIR_OK);
  for (int i = 0; i < 2; i++) cr_expect_eq(weir_monitor_push(m, &x, 1, NULL), WEIR_OK);
  cr_expect_eq(weir_monitor_output(m, 0)->as.i, 15);
  weir_report r = report_of(m);
  cr_assert_not_null(r.why_not_native);
  cr_expect_eq(r.native_state, WEIR_NATIVE_UNAVAILABLE);
  cr_expect_not_null(strstr(r.why_not_native, why), "%s", r.why_not_native);
  cr_expect_eq(r.rows[WEIR_TIER_NATIVE], 0);
  cr_expect_eq(r.rows[WEIR_TIER_QUICKENED], 2);
  cr_expect_eq(r.rows[WEIR_TIER_CANONICAL], 1);
  weir_monitor_free(m);
  weir_program_release(program);
  weir_engine_free(engine);
}

Test(runtime_native, a_missing_module_is_a_reason) { runs_without("/there/is/no/weir_native.so", "is not there"); }
Test(runtime_native, a_module_of_another_build_is_a_reason) { runs_without(TEST_BUILD "/tests/tools/another_build.so", "another build"); }
Test(runtime_native, a_file_that_is_no_module_is_a_reason) { runs_without(TEST_BUILD "/libweir.so", "cannot be opened: it is another library"); }

Test(runtime_native, a_module_that_is_cut_short_is_a_reason) {
  char path[400], command[1200];
  snprintf(path, sizeof path, "%s/weir_native.so", scratch_make());
  snprintf(command, sizeof command, "head -c 8000 '%s' >'%s'", TEST_BUILD "/tests/tools/another_build.so", path);
  cr_assert_eq(system(command), 0);
  runs_without(path, "cannot be opened: the file is cut short");
  scratch_remove();
}

/* ---- Explanations ---- */

static const char sum[] = "in x: Int\nout s: Int\ns = default(s[1], 0) + x\n";

/* Refused with these words. */
static void shows_none(const char *module, const char *text, weir_stage stage, uint32_t flags, const char *why) {
  weir_engine_options with = {.size = sizeof with, .native_module = module};
  weir_engine *engine;
  weir_text *out;
  weir_diagnostics *d;
  cr_assert_eq(weir_engine_new(&with, &engine, NULL), WEIR_OK);
  cr_expect_eq(weir_explain(engine, text, strlen(text), NULL, stage, flags, &out, &d), WEIR_E_ARGUMENT);
  cr_expect_null(out);
  cr_assert_eq(weir_diagnostics_count(d), 1);
  cr_expect_not_null(strstr(weir_diagnostics_at(d, 0).text, why), "%s", weir_diagnostics_at(d, 0).text);
  weir_diagnostics_free(d);
  weir_engine_free(engine);
}

Test(runtime_native, code_that_cannot_be_made_is_not_shown_and_a_reason_is) {
  shows_none("/there/is/no/weir_native.so", sum, WEIR_STAGE_LLVM, 0, "is not there");
  shows_none("/there/is/no/weir_native.so", sum, WEIR_STAGE_ASM, 0, "is not there");
  shows_none(NULL, sum, WEIR_STAGE_ASM, WEIR_EXPLAIN_DOT, "no drawing");
}

Test(runtime_native, a_wrong_text_is_refused_for_what_is_wrong_with_it) {
  weir_engine *engine;
  weir_text *out;
  cr_assert_eq(weir_engine_new(NULL, &engine, NULL), WEIR_OK);
  cr_expect_eq(weir_explain(engine, "out y: Int\ny = z", 16, NULL, WEIR_STAGE_LLVM, 0, &out, NULL), WEIR_E_TYPE);
  cr_expect_null(out);
  weir_engine_free(engine);
}

#ifdef TEST_HAS_NATIVE
Test(runtime_native, code_of_programs_of_which_no_stream_is_scalar_is_not_shown) {
  shows_none(TEST_NATIVE, "in s: Str  out t: Str  t = s ++ s", WEIR_STAGE_LLVM, 0, "scalar");
}

static weir_code explain_with(const host_memory *memory, weir_stage stage) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE, .allocator = &memory->allocator};
  weir_engine *engine;
  weir_text *out = NULL;
  if (weir_engine_new(&with, &engine, NULL) != WEIR_OK) return WEIR_E_MEMORY;
  weir_code rc = weir_explain(engine, sum, sizeof sum - 1, NULL, stage, 0, &out, NULL);
  cr_expect_eq(out == NULL, rc != WEIR_OK);
  weir_text_free(out);
  weir_engine_free(engine);
  return rc;
}

Test(runtime_native, each_request_for_memory_of_an_explanation_may_fail) {
  for (int stage = WEIR_STAGE_LLVM; stage <= WEIR_STAGE_ASM; stage++) {
    host_memory all, some;
    host_memory_open(&all);
    cr_assert_eq(explain_with(&all, (weir_stage)stage), WEIR_OK);
    for (uint64_t n = 1; n <= all.calls; n++) {
      host_memory_open(&some);
      some.fail_at = n;
      cr_expect_eq(explain_with(&some, (weir_stage)stage), WEIR_E_MEMORY, "stage %d, request %" PRIu64 " of %" PRIu64, stage, n, all.calls);
      cr_expect_eq(some.live, 0, "stage %d, request %" PRIu64 ": %zu blocks are lost", stage, n, some.live);
    }
  }
}

Test(runtime_native, programs_of_which_no_stream_is_scalar_are_a_reason) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_NATIVE};
  weir_engine *engine;
  weir_monitor *m;
  cr_assert_eq(weir_engine_new(&with, &engine, NULL), WEIR_OK);
  weir_program *program = compile(engine, "in x: Int\nout s: Str\ns = if x > 0 then \"a\" else \"b\"\n");
  cr_assert_eq(weir_monitor_new(engine, program, &options, &m, NULL), WEIR_OK);
  cr_assert_not_null(report_of(m).why_not_native);
  cr_expect_not_null(strstr(report_of(m).why_not_native, "scalar"));
  weir_monitor_free(m);
  weir_program_release(program);
  weir_engine_free(engine);
}

/* ---- Absent inputs ---- */

/* Blocks end where a page begins that nobody may touch; in front of each stands where it was mapped. */
typedef struct edge { unsigned char *at; size_t bytes; } edge;

static void *take_at_edge(void *self, size_t size) {
  (void)self;
  size_t page = wb_page(), whole = (sizeof(edge) + size + 15) / 16 * 16, bytes = (whole + page - 1) / page * page;
  edge e = {mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), bytes + page};
  if (e.at == MAP_FAILED || mprotect(e.at + bytes, page, PROT_NONE) != 0) return NULL;
  return memcpy(e.at + bytes - whole, &e, sizeof e) + sizeof e;
}

static void give_at_edge(void *self, void *block) {
  (void)self;
  if (block == NULL) return;
  edge e = ((const edge *)block)[-1];
  munmap(e.at, e.bytes);
}

/* Their last values stand in odd places, up to the end of what the state has. */
Test(runtime_native, absent_bools_are_what_they_were_before) {
  static const weir_cell values[] = {{.f = 1.5}, {.i = 0}, {.i = 1}};
  static const weir_allocator edges = {.take = take_at_edge, .give = give_at_edge};
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE, .allocator = &edges};
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_NATIVE};
  weir_engine *engine;
  weir_monitor *m;
  weir_cell row[3], out[2];
  cr_assert_eq(weir_engine_new(&with, &engine, NULL), WEIR_OK);
  weir_program *program = compile(engine, "in x: Float\nin a: Bool\nin b: Bool\nout y: Float\nout z: Bool\ny = 2.0 * x\nz = a || b\n");
  cr_assert_eq(weir_monitor_new(engine, program, &options, &m, NULL), WEIR_OK);
  for (uint64_t present = 8; present-- > 0;) { /* first all of them */
    for (int i = 0; i < 3; i++) row[i] = present >> i & 1 ? values[i] : (weir_cell){.i = 77}; /* which nobody looks at */
    cr_assert_eq(weir_monitor_push_typed(m, row, &present, NULL, out, NULL, NULL, NULL), WEIR_OK);
    cr_expect(out[0].f == 3.0 && out[1].i == 1, "%u", (unsigned)present);
  }
  cr_expect_eq(report_of(m).rows[WEIR_TIER_NATIVE], 8);
  cr_expect(m->native->fills && m->native->n_bools == 2);
  weir_monitor_free(m);
  weir_program_release(program);
  weir_engine_free(engine);
}

/* ---- Regions ---- */

/* Two regions, s and w, with streams between them that have text in them.  Every so many ticks a kernel of a region declines, if at all. */
static void runs_regions(uint32_t leave_every, uint64_t n_ran, uint64_t n_left) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_NATIVE};
  weir_engine *engine;
  weir_monitor *m;
  cr_assert_eq(weir_engine_new(&with, &engine, NULL), WEIR_OK);
  engine->native.leave_every = leave_every;
  weir_program *program = compile(engine, "in x: Int\nout t: Str\nout w: Int\naux s: Int\naux v: Bool\n"
                                          "s = default(s[1], 0) + x\nt = if s > 3 then \"high\" else \"low\"\n"
                                          "v = t == \"low\"\nw = if v then s else default(w[1], 0)\n");
  cr_assert_eq(weir_monitor_new(engine, program, &options, &m, NULL), WEIR_OK);
  for (int i = 1; i <= 6; i++) {
    weir_value x = {.tag = WEIR_INT, .as.i = 1};
    cr_assert_eq(weir_monitor_push(m, &x, 1, NULL), WEIR_OK);
    cr_expect_eq(weir_monitor_output(m, 0)->count, i > 3 ? 4 : 3);
    cr_expect_eq(weir_monitor_output(m, 1)->as.i, i > 3 ? 3 : i);
  }
  weir_report r = report_of(m);
  cr_expect_null(r.why_not_native);
  cr_expect_eq(r.native_state, WEIR_NATIVE_REGIONS);
  cr_expect_eq(r.native_streams, 2);
  cr_expect_eq(r.native_regions, n_ran);
  cr_expect_eq(r.exits[WEIR_CAUSE_OVERFLOW], n_left);
  cr_expect_eq(r.rows[WEIR_TIER_NATIVE], n_ran == 0 ? 0 : 6);
  cr_expect_eq(weir_monitor_set_tier(m, WEIR_TIER_QUICKENED, NULL), WEIR_OK);
  weir_value x = {.tag = WEIR_INT, .as.i = -5};
  cr_assert_eq(weir_monitor_push(m, &x, 1, NULL), WEIR_OK);
  cr_expect_eq(weir_monitor_output(m, 1)->as.i, 1);
  cr_expect_eq(report_of(m).native_regions, n_ran);
  cr_expect_eq(report_of(m).rows[WEIR_TIER_QUICKENED], n_ran == 0 ? 7 : 1);
  weir_monitor_free(m);
  weir_program_release(program);
  weir_engine_free(engine);
}

Test(runtime_native, regions_of_a_schedule_that_is_not_whole_run_in_kernels) { runs_regions(0, 12, 0); }
Test(runtime_native, each_region_may_decline_on_its_own) { runs_regions(2, 6, 6); }
Test(runtime_native, a_row_of_which_all_regions_decline_is_no_native_one) { runs_regions(1, 0, 12); }

/* A chain of so many regions with a stream that looks at a text behind each; the last region is a larger one, if `has_large`. */
static char *chain(unsigned n, bool has_large) {
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  cr_assert_not_null(to);
  fputs("in x: Int\nin s: Str\nout y: Int\naux v0: Bool\nv0 = s == \"a\"\n", to);
  for (unsigned i = 1; i < n; i++)
    fprintf(to, "aux a%u: Int\naux v%u: Bool\na%u = if v%u then x else 1\nv%u = a%u > 3 && s == \"a\"\n", i, i, i, i - 1, i, i);
  fprintf(to, "y = (if v%u then x else 1)", n - 1);
  for (int i = 2; has_large && i < 20; i++) fprintf(to, " + x * %d", i);
  fclose(to);
  return text;
}

static weir_report report_of_chain(unsigned n, bool has_large) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_NATIVE};
  weir_engine *engine;
  weir_monitor *m;
  char *text = chain(n, has_large);
  cr_assert_eq(weir_engine_new(&with, &engine, NULL), WEIR_OK);
  weir_program *program = compile(engine, text);
  cr_assert_eq(weir_monitor_new(engine, program, &options, &m, NULL), WEIR_OK);
  weir_value row[] = {{.tag = WEIR_INT, .as.i = 10}, {.tag = WEIR_TEXT, .count = 1, .as.text = "a"}};
  cr_assert_eq(weir_monitor_push(m, row, 2, NULL), WEIR_OK);
  cr_expect_eq(weir_monitor_output(m, 0)->as.i, has_large ? 10 * 190 : 10);
  weir_report r = report_of(m);
  weir_monitor_free(m);
  weir_program_release(program);
  weir_engine_free(engine);
  free(text);
  return r;
}

Test(runtime_native, of_many_regions_the_small_ones_stay_quickened) {
  enum { MANY = 200 };
  cr_expect_eq(report_of_chain(MANY, false).native_streams, MANY);
  weir_report r = report_of_chain(MANY + 1, true);
  cr_expect_eq(r.regions, MANY + 1);
  cr_expect_eq(r.native_streams, 1);
  cr_expect_eq(r.native_regions, 1);
  r = report_of_chain(MANY + 1, false);
  cr_expect_eq(r.native_state, WEIR_NATIVE_UNAVAILABLE);
  cr_expect_not_null(strstr(r.why_not_native, "so many and so small"), "%s", r.why_not_native);
}

static weir_code start_regions(const host_memory *memory) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE, .allocator = &memory->allocator};
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_NATIVE};
  static const char text[] = "in x: Int\nout s: Int\nout t: Str\ns = default(s[1], 0) + x\nt = if s > 3 then \"a\" else \"b\"\n";
  weir_engine *engine = NULL;
  weir_program *program = NULL;
  weir_monitor *m = NULL;
  weir_code rc = weir_engine_new(&with, &engine, NULL);
  if (rc == WEIR_OK) rc = weir_compile(engine, text, sizeof text - 1, NULL, &program, NULL);
  if (rc == WEIR_OK) rc = weir_monitor_new(engine, program, &options, &m, NULL);
  if (rc == WEIR_OK) rc = report_of(m).why_not_native == NULL ? WEIR_OK : WEIR_E_MEMORY; /* rows run quickened, and the report says why */
  if (m != NULL) weir_monitor_free(m);
  if (program != NULL) weir_program_release(program);
  if (engine != NULL) weir_engine_free(engine);
  return rc;
}

Test(runtime_native, each_request_for_memory_of_kernels_of_regions_may_fail) {
  host_memory all, some;
  host_memory_open(&all);
  cr_assert_eq(start_regions(&all), WEIR_OK);
  for (uint64_t n = 1; n <= all.calls; n++) {
    host_memory_open(&some);
    some.fail_at = n;
    cr_expect_eq(start_regions(&some), WEIR_E_MEMORY, "request %" PRIu64 " of %" PRIu64, n, all.calls);
    cr_expect_eq(some.live, 0, "request %" PRIu64 ": %zu blocks are lost", n, some.live);
  }
}
#endif
