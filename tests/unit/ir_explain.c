/* Explanations through the public API, and the places that they show. */
#include "tests/test.h"

#include <inttypes.h>
#include <string.h>

#include "ir/base/places.h"
#include "tests/support/host.h"
#include "weir.h"

static const char text[] =
  "in x: Int\nin s: Str\nin a\nout y: Float\nout z\nout w: Int\n"
  "y = if x > 1 then x / 2.0 else default(y[1], 0.5) + x\n"
  "z = s ++ \"\\\"quoted\\\"\\n\" ++ (s ++ \"é\")[3]\n"
  "w = a\n";

/* What comes behind belongs to the native tier: unit/runtime_native.c. */
enum { OURS = WEIR_STAGE_LLVM };

static weir_engine *open_engine(const weir_allocator *allocator) {
  weir_engine *engine = NULL;
  weir_engine_options opts = {.size = sizeof opts, .allocator = allocator};
  (void)!weir_engine_new(&opts, &engine, NULL);
  return engine;
}

Test(ir_explain, the_same_text_gives_the_same_words) {
  weir_engine *engine = open_engine(NULL);
  for (int stage = 0; stage < OURS; stage++)
    for (uint32_t flags = 0; flags <= WEIR_EXPLAIN_DOT; flags++) {
      weir_text *a = NULL, *b = NULL;
      size_t n_a, n_b;
      cr_assert_eq(weir_explain(engine, text, sizeof text - 1, NULL, (weir_stage)stage, flags, &a, NULL), WEIR_OK);
      cr_assert_eq(weir_explain(engine, text, sizeof text - 1, NULL, (weir_stage)stage, flags, &b, NULL), WEIR_OK);
      cr_expect_str_eq(weir_text_bytes(a, &n_a), weir_text_bytes(b, &n_b));
      cr_expect_eq(n_a, strlen(weir_text_bytes(a, NULL)));
      cr_expect_eq(n_a, n_b);
      cr_expect_eq(wb_utf8_valid((wb_str){weir_text_bytes(a, NULL), n_a}), n_a);
      weir_text_free(a);
      weir_text_free(b);
    }
  weir_engine_free(engine);
}

static weir_code explain_with(const host_memory *memory, weir_stage stage, uint32_t flags) {
  weir_engine *engine = open_engine(&memory->allocator);
  weir_text *out = NULL;
  weir_diagnostics *d = NULL;
  if (engine == NULL) return WEIR_E_MEMORY;
  weir_code rc = weir_explain(engine, text, sizeof text - 1, NULL, stage, flags, &out, &d);
  cr_expect_eq(out == NULL, rc != WEIR_OK);
  weir_text_free(out);
  weir_diagnostics_free(d);
  weir_engine_free(engine);
  return rc;
}

Test(ir_explain, each_request_for_memory_may_fail) {
  for (int stage = 0; stage < OURS; stage++)
    for (uint32_t flags = 0; flags <= WEIR_EXPLAIN_DOT; flags++) {
      host_memory all, some;
      host_memory_open(&all);
      cr_assert_eq(explain_with(&all, (weir_stage)stage, flags), WEIR_OK);
      for (uint64_t n = 1; n <= all.calls; n++) {
        host_memory_open(&some);
        some.fail_at = n;
        cr_expect_eq(explain_with(&some, (weir_stage)stage, flags), WEIR_E_MEMORY, "stage %d, request %" PRIu64, stage, n);
        cr_expect_eq(some.live, 0, "stage %d, request %" PRIu64 ": %zu blocks are lost", stage, n, some.live);
      }
    }
}

Test(ir_explain, a_tree_needs_only_syntax) {
  static const char wrong[] = "in x: Int\nout y: Str\ny = x ++ 1\n", broken[] = "out y: Int\ny = (1";
  weir_engine *engine = open_engine(NULL);
  weir_text *out = NULL;
  weir_diagnostics *d = NULL;
  cr_expect_eq(weir_explain(engine, wrong, sizeof wrong - 1, NULL, WEIR_STAGE_AST, 0, &out, &d), WEIR_E_TYPE);
  cr_assert_not_null(out);
  cr_expect_not_null(strstr(weir_text_bytes(out, NULL), "++"));
  cr_expect_eq(weir_diagnostics_count(d), 1);
  weir_text_free(out);
  weir_diagnostics_free(d);
  cr_expect_eq(weir_explain(engine, wrong, sizeof wrong - 1, NULL, WEIR_STAGE_GRAPH, 0, &out, &d), WEIR_E_TYPE);
  cr_expect_null(out);
  weir_diagnostics_free(d);
  cr_expect_eq(weir_explain(engine, broken, sizeof broken - 1, NULL, WEIR_STAGE_AST, 0, &out, &d), WEIR_E_PARSE);
  cr_expect_null(out);
  weir_diagnostics_free(d);
  weir_engine_free(engine);
}

Test(ir_explain, wrong_arguments_are_refused) {
  weir_engine *engine = open_engine(NULL);
  weir_text *out = NULL;
  cr_expect_eq(weir_explain(NULL, "", 0, NULL, WEIR_STAGE_AST, 0, &out, NULL), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_explain(engine, NULL, 1, NULL, WEIR_STAGE_AST, 0, &out, NULL), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_explain(engine, "", 0, NULL, WEIR_STAGES, 0, &out, NULL), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_explain(engine, "", 0, NULL, WEIR_STAGE_AST, 2, &out, NULL), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_explain(engine, "", 0, NULL, WEIR_STAGE_AST, 0, NULL, NULL), WEIR_E_ARGUMENT);
  cr_expect_null(out);
  cr_assert_eq(weir_explain(engine, NULL, 0, NULL, WEIR_STAGE_AST, 0, &out, NULL), WEIR_OK);
  cr_expect_str_eq(weir_text_bytes(out, NULL), "");
  weir_text_free(out);
  weir_text_free(NULL);
  weir_engine_free(engine);
}

Test(ir_explain, places_are_those_of_wb_locate) {
  static const char *const pieces[] = {"a", "\n", "\r\n", "\r", "é", "日", "\xf0\x9f\x98\x80", "\xff", "\x80", "\t", "\xef\xbb\xbf", "bcdefghijklmnop"};
  uint32_t seed = 7;
  wb_door door;
  wb_mem mem;
  wb_door_open(&door, NULL, 0);
  wb_mem_init(&mem, &door, 0);
  for (int round = 0; round < 60; round++) {
    char made[2000];
    size_t n = 0;
    while (n < sizeof made - 40 && (seed = seed * 1664525 + 1013904223, seed >> 24) != 0) {
      const char *piece = pieces[(seed >> 16) % WB_LEN(pieces)];
      memcpy(made + n, piece, strlen(piece));
      n += strlen(piece);
    }
    wb_places places;
    cr_assert(wb_places_init(&places, (wb_str){made, n}, &mem));
    for (size_t i = 0; i <= n; i++) {
      wb_place want = wb_locate((wb_str){made, n}, i);
      wb_line_column got = wb_places_at(&places, i);
      cr_expect(got.line == want.line && got.column == want.column, "round %d, byte %zu of %zu: %u:%u, not %zu:%zu", round, i, n, got.line,
                got.column, (size_t)want.line, (size_t)want.column);
    }
    cr_expect_eq(wb_places_at(&places, n + 1000).line, wb_locate((wb_str){made, n}, n).line);
    wb_places_free(&places, &mem);
  }
  wb_mem_drop(&mem);
}
