/* tests/unit/runtime_native.c -- the native tier where it cannot run: never an error, always a reason.  (Where it runs: tests/agree.) */
#include "tests/test.h"

#include <string.h>

#include "weir.h"

static weir_program *compile(weir_engine *engine, const char *text) {
  weir_program *program;
  cr_assert_eq(weir_compile(engine, text, strlen(text), NULL, &program, NULL), WEIR_OK);
  return program;
}

static weir_report report_of(const weir_monitor *m) {
  weir_report r = {.size = sizeof r};
  weir_monitor_report(m, &r);
  return r;
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
  cr_expect_eq(weir_monitor_set_tier(m, WEIR_TIER_NATIVE, NULL), WEIR_OK);
  for (int i = 0; i < 2; i++) cr_expect_eq(weir_monitor_push(m, &x, 1, NULL), WEIR_OK);
  cr_expect_eq(weir_monitor_output(m, 0)->as.i, 15);
  weir_report r = report_of(m);
  cr_assert_not_null(r.why_not_native);
  cr_expect_not_null(strstr(r.why_not_native, why), "%s", r.why_not_native);
  cr_expect_eq(r.rows[WEIR_TIER_NATIVE], 0);
  cr_expect_eq(r.rows[WEIR_TIER_QUICKENED], 2);
  cr_expect_eq(r.rows[WEIR_TIER_CANONICAL], 1);
  weir_monitor_free(m);
  weir_program_release(program);
  weir_engine_free(engine);
}

Test(runtime_native, a_missing_module_is_a_reason) { runs_without("/there/is/no/weir_native.so", "is not there"); }
Test(runtime_native, a_file_that_is_no_module_is_a_reason) { runs_without(TEST_BUILD "/libweir.so", "is not there"); }

#ifdef TEST_HAS_NATIVE
Test(runtime_native, streams_that_are_not_scalar_are_a_reason) {
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
#endif
