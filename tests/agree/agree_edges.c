/* tests/agree/agree_edges.c -- every scalar operation at the edges of its range: kernels give what the canonical tier gives, also where a guard
** takes the failure, and where one operand is a constant.  Each pair of values meets a fresh monitor, since a failing row is its last one.
**
** In a build without the native module the quickened tier stands in for kernels. */
#include "tests/test.h"
#include "tests/support/pushes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t ints[] = {0, 1, -1, 2, -2, 3, 62, 63, 64, INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, 3037000500, -3037000500, INT64_C(1) << 53};
static const double floats[] = {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, INFINITY, -INFINITY, NAN, 1e308, 5e-324, 9007199254740993.0, -9.3e18};

typedef struct edges {
  weir_engine *engine;
  weir_program *program;
  weir_kind kind; /* of x and y */
  uint64_t rows, failed;
} edges;

static weir_monitor *new_monitor(const edges *g, weir_tier tier) {
  weir_options options = {.size = sizeof options, .tier = tier};
  weir_monitor *m;
  cr_assert_eq(weir_monitor_new(g->engine, g->program, &options, &m, NULL), WEIR_OK);
  return m;
}

static weir_value value_at(weir_kind kind, size_t i) {
  if (kind == WEIR_KIND_INT) return (weir_value){.tag = WEIR_INT, .as.i = ints[i]};
  return (weir_value){.tag = WEIR_FLOAT, .as.f = floats[i]};
}

/* The row twice, since the first one is cold: in kernels by this form of push, and canonically. */
static void compare_row(edges *g, const weir_value row[MODEL_STREAMS], pushes_form form, const char *text) {
  static pushes want, got;
  weir_value rows[2][MODEL_STREAMS];
  char why[TIERS_WHY] = "";
  uint64_t random = g->rows;
  weir_monitor *canonical = new_monitor(g, WEIR_TIER_CANONICAL), *native = new_monitor(g, WEIR_TIER_NATIVE);
#ifdef TEST_HAS_NATIVE
  cr_expect_null(native->why_not_native, "%s", native->why_not_native);
#endif
  memcpy(rows[0], row, sizeof rows[0]);
  memcpy(rows[1], row, sizeof rows[1]);
  pushes_run(canonical, PUSHES_TAGGED, (const weir_value(*)[MODEL_STREAMS])rows, 2, &random, NULL, &want);
  pushes_run(native, form, (const weir_value(*)[MODEL_STREAMS])rows, 2, &random, &want, &got);
  pushes_compare(0, "native", g->program, &want, &got, why);
  cr_expect_str_empty(why, "%s; x %" PRIx64 ", y %" PRIx64 ", b %d: %s", text, (uint64_t)row[0].as.i, (uint64_t)row[1].as.i, row[2].as.b, why);
  g->rows++;
  g->failed += want.end.code != WEIR_OK;
  weir_monitor_free(native);
  weir_monitor_free(canonical);
}

static void run_program(edges *g, const char *text) {
  size_t n = g->kind == WEIR_KIND_INT ? WB_LEN(ints) : WB_LEN(floats);
  cr_assert_eq(weir_compile(g->engine, text, strlen(text), NULL, &g->program, NULL), WEIR_OK, "%s", text);
  for (size_t x = 0; x < n; x++)
    for (size_t y = 0; y < n; y++) {
      weir_value row[MODEL_STREAMS] = {value_at(g->kind, x), value_at(g->kind, y), {.tag = WEIR_BOOL, .as.b = (x + y) % 3 != 0}};
      compare_row(g, row, (pushes_form)((x + y) % PUSHES_FORMS), text);
    }
  weir_program_release(g->program);
}

/* Alone, where it leaves its kernel; and under a guard, where it must not count unless it is chosen. */
static void run_operation(edges *g, const char *type, const char *operation) {
  char text[400];
  snprintf(text, sizeof text, "in x: %s  in y: %s  in b: Bool  out z: %s  z = %s", type, type, type, operation);
  run_program(g, text);
  snprintf(text, sizeof text,
           "in x: %s  in y: %s  in b: Bool  out z: %s  out d: Bool  z = if b then x else %s\n"
           "d = is_defined((if b then %s else y)[1])  ",
           type, type, type, operation, operation);
  run_program(g, text);
}

static edges open_edges(weir_kind kind) {
  weir_engine_options options = {.size = sizeof options, .native_module = tiers_module()};
  edges g = {.kind = kind};
  cr_assert_eq(weir_engine_new(&options, &g.engine, NULL), WEIR_OK);
  return g;
}

Test(agree_edges, int_operations_agree_at_the_edges, .timeout = 600) {
  static const char *const operations[] = {
    "x + y", "x - y", "x * y", "x / y", "x % y", "x ** y", "-x", "abs(x)", "x / (0 - 1)", "x % (0 - 1)", "x * (0 - 1)", "x * 3", "x / 7", "x % 8",
    "1 / x", "x - 9223372036854775807", "(0 - 9223372036854775807 - 1) / x", "x ** 2", "2 ** y"};
  edges g = open_edges(WEIR_KIND_INT);
  for (size_t i = 0; i < WB_LEN(operations); i++) run_operation(&g, "Int", operations[i]);
  run_program(&g, "in x: Int  in y: Int  in b: Bool  out a: Bool  out c: Bool  out d: Bool  out e: Bool  out f: Bool  out h: Bool  out k: Float\n"
                  "a = x < y  c = x <= y  d = x > y  e = x >= y  f = x == y  h = x != y  k = x + 0.5");
  cr_expect(g.failed > g.rows / 20 && g.failed < g.rows / 2, "%" PRIu64 " of %" PRIu64 " rows fail", g.failed, g.rows);
  weir_engine_free(g.engine);
}

Test(agree_edges, float_operations_agree_at_the_edges, .timeout = 600) {
  static const char *const operations[] = {"x + y", "x - y", "x * y", "x / y", "x % y", "x ** y", "-x", "abs(x)", "sin(x)", "cos(x)", "tan(x)"};
  edges g = open_edges(WEIR_KIND_FLOAT);
  for (size_t i = 0; i < WB_LEN(operations); i++) run_operation(&g, "Float", operations[i]);
  run_program(&g, "in x: Float  in y: Float  in b: Bool  out a: Bool  out c: Bool  out d: Bool  out e: Bool  out f: Bool  out h: Bool  out s: Float\n"
                  "a = x < y  c = x <= y  d = x > y  e = x >= y  f = x == y  h = x != y  s = if x == y then x else y");
  cr_expect_eq(g.failed, 0);
  weir_engine_free(g.engine);
}
