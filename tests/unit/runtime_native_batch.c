/* tests/unit/runtime_native_batch.c -- tiles in kernels at their seams: what they leave in the arena after each batch is what the canonical tier
** leaves there after the same rows.  In a build without the native module this suite is empty. */
#include "tests/test.h"
#include "runtime/monitor.h"
#include "runtime/native.h"
#include "tests/support/tiers.h"

#include <string.h>

#ifdef TEST_HAS_NATIVE

enum { MOST = 3000, PORTS = 4 };

typedef struct bench {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *canonical, *native;
  uint32_t n_ins, n_outs;
  weir_cell ins[PORTS][MOST], outs[PORTS][MOST];
  uint8_t bools[PORTS][MOST], present[PORTS][MOST / 8];
  size_t at; /* rows that have run */
} bench;

static weir_monitor *new_monitor(const bench *b, weir_tier tier) {
  weir_options options = {.size = sizeof options, .tier = tier};
  weir_monitor *m;
  cr_assert_eq(weir_monitor_new(b->engine, b->program, &options, &m, NULL), WEIR_OK);
  return m;
}

static bench *open_bench(const char *text) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  bench *b = calloc(1, sizeof *b);
  cr_assert_not_null(b);
  cr_assert_eq(weir_engine_new(&with, &b->engine, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(b->engine, text, strlen(text), NULL, &b->program, NULL), WEIR_OK);
  b->canonical = new_monitor(b, WEIR_TIER_CANONICAL);
  b->native = new_monitor(b, WEIR_TIER_NATIVE);
  b->n_ins = weir_program_input_count(b->program);
  b->n_outs = weir_program_output_count(b->program);
  memset(b->present, 0xff, sizeof b->present);
  for (uint32_t i = 0; i < b->n_ins; i++)
    for (int64_t k = 0; k < MOST; k++) b->ins[i][k].i = k * (i + 3) % 101 - 40;
  return b;
}

static void close_bench(bench *b) {
  weir_monitor_free(b->canonical);
  weir_monitor_free(b->native);
  weir_program_release(b->program);
  weir_engine_free(b->engine);
  free(b);
}

static void lack(bench *b, uint32_t input, size_t row) { b->present[input][row / 8] &= (uint8_t)~(1u << row % 8); }

static void push_canonical(bench *b, size_t row, weir_cell *out) {
  weir_cell in[PORTS];
  uint64_t present = 0;
  for (uint32_t i = 0; i < b->n_ins; i++) {
    in[i] = b->ins[i][row];
    present |= (uint64_t)(b->present[i][row / 8] >> row % 8 & 1) << i;
  }
  cr_assert_eq(weir_monitor_push_typed(b->canonical, in, &present, NULL, out, NULL, NULL, NULL), WEIR_OK);
}

/* The next rows, as one batch; all outputs are Ints or Floats, all have values. */
static void run(bench *b, size_t rows) {
  weir_in_column ins[PORTS] = {{.as.i = NULL}};
  weir_out_column outs[PORTS] = {{.as.i = NULL}};
  weir_error e;
  size_t done, from = b->at;
  for (uint32_t i = 0; i < b->n_ins; i++) ins[i] = (weir_in_column){.as.i = &b->ins[i][from].i, .present = b->present[i], .present_bit = from};
  for (uint32_t o = 0; o < b->n_outs; o++) outs[o].as.i = &b->outs[o][from].i;
  cr_assert_eq(weir_monitor_push_batch(b->native, rows, ins, b->n_ins, outs, b->n_outs, &done, &e), WEIR_OK, "%s", e.text);
  for (size_t k = 0; k < rows; k++) {
    weir_cell want[PORTS];
    push_canonical(b, from + k, want);
    for (uint32_t o = 0; o < b->n_outs; o++) cr_assert_eq(b->outs[o][from + k].i, want[o].i, "row %zu, output %u", from + k, o);
  }
  char why[TIERS_WHY] = "";
  tiers_compare_states("in kernels", b->canonical, b->native, why);
  cr_expect_str_eq(why, "");
  b->at += rows;
}

/* Computed, or found to be bad. */
static uint64_t tiles(const bench *b) {
  const uint64_t *ways = b->native->native_batch->frame.ways;
  return ways[WRT_BATCH_SMALL] + ways[WRT_BATCH_CHECKED] + ways[WRT_BATCH_FAILED];
}

Test(runtime_native_batch, a_failure_in_the_last_row_of_a_tile_is_kept_as_deferred) {
  bench *b = open_bench("in x: Int  in y: Int  out z: Int\nz = if x > 0 then 5 else (if x > -100 then x / (if y == 7 then 0 else 1) else x * 4)");
  for (int k = 0; k < 16 + 32; k++) b->ins[0][k].i = k + 1, b->ins[1][k].i = k;
  run(b, 16);
  b->ins[1][31].i = 7;
  run(b, 16);
  run(b, 16);
  cr_expect_gt(tiles(b), 1);
  close_bench(b);
}

Test(runtime_native_batch, delays_reach_from_tile_to_tile) {
  bench *b = open_bench("in x: Int  out a: Int  out c: Int  out d: Int\na = default(x[1], 0) - default(x[11], 1) + default(x[40], 2)\n"
                        "aux s: Int  s = x + 1\nc = default(s[3], 5) - default(s[200], 6)\nd = default(d[2], 1) + default(s[300], 7) - x");
  static const size_t sizes[] = {16, 400, 16, 16, 32, 1024, 48, 256, 16, 17, 1100};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) run(b, sizes[k]);
  cr_expect_gt(tiles(b), 5);
  close_bench(b);
}

/* As far as no vectors are carried along, which scans begin with. */
Test(runtime_native_batch, scans_have_readers_far_behind) {
  bench *b = open_bench("in x: Int  in y: Int  out a: Int  out m: Int  out r: Int  out d: Int\na = default(a[1], 0) + x\n"
                        "m = if x > default(m[1], -50) then x else default(m[1], -50)\nr = if y > 0 then default(r[1], 0) + x else y\n"
                        "d = default(a[100], 1) - default(m[70], 2) + default(r[90], 3)");
  static const size_t sizes[] = {120, 16, 400, 32, 17, 1024, 256};
  for (size_t k = 0; k < WB_LEN(sizes); k++) run(b, sizes[k]);
  cr_expect_gt(tiles(b), 5);
  close_bench(b);
}

Test(runtime_native_batch, numbers_that_are_not_small_are_seen_wherever_they_stand) {
  bench *b = open_bench("in x: Int  in y: Int  out z: Int  out q: Int  out r: Int\nz = if x > 4000000000000000000 then x - 1 else (if y > 0 then x * 3 + y else x)\n"
                        "q = if y > 0 then x / (if y > 0 then y else 1) else x / 7\nr = x % 10 + y % 4096 - x / 1000003");
  run(b, 64);
  b->ins[0][64 + 5].i = INT64_MAX;
  b->ins[0][64 + 63].i = INT64_C(1) << 52;
  b->ins[1][64 + 40].i = INT64_C(-9007199254740993);
  run(b, 64);
  for (int k = 0; k < 20; k++) run(b, 64);
  b->ins[0][b->at + 17].i = INT64_C(4611686018427387905);
  run(b, 64);
  close_bench(b);
}

/* The inputs are small, but what they are added to is not. */
Test(runtime_native_batch, sums_are_checked_where_their_state_is_large) {
  bench *b = open_bench("in x: Int  in y: Int  out s: Int  out n: Int\ns = default(s[1], 0) + x\nn = if y > 50 then 0 else default(n[1], 0) - x");
  weir_in_column ins[2];
  weir_out_column outs[2];
  weir_error e;
  size_t done;
  for (int k = 0; k < MOST; k++) b->ins[0][k].i = k == 3 ? INT64_MAX - 2000 : 10, b->ins[1][k].i = 0;
  run(b, 16);
  run(b, 32);
  uint64_t before = tiles(b);
  for (uint32_t i = 0; i < 2; i++) ins[i] = (weir_in_column){.as.i = &b->ins[i][48].i}, outs[i] = (weir_out_column){.as.i = &b->outs[i][48].i};
  cr_expect_eq(weir_monitor_push_batch(b->native, 512, ins, 2, outs, 2, &done, &e), WEIR_E_OVERFLOW);
  cr_expect_eq(done, 200 + 1 - 48, "10 is added in every row but one");
  cr_expect_gt(tiles(b), before);
  close_bench(b);
}

Test(runtime_native_batch, absent_inputs_repeat_from_tile_to_tile) {
  bench *b = open_bench("in x: Int  in y: Float  out a: Int  out f: Float\na = x + default(x[1], 0)\nf = 0.5 * y + 0.5 * default(f[1], 1.0)");
  for (size_t k = 0; k < MOST; k++) b->ins[1][k].f = (double)(k % 17);
  for (size_t k = 20; k < 2000; k += 1 + k % 37) lack(b, (uint32_t)k % 2, k);
  lack(b, 0, 64), lack(b, 1, 64), lack(b, 0, 63), lack(b, 0, 127), lack(b, 0, 128);
  static const size_t sizes[] = {16, 48, 64, 16, 1008, 512, 16};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) run(b, sizes[k]);
  cr_expect_gt(tiles(b), 5);
  close_bench(b);
}

/* The gaps of a column are filled with what the input was; what is held here is the Float that was made of it. */
Test(runtime_native_batch, absent_inputs_repeat_as_what_was_made_of_them) {
  bench *b = open_bench("in x: Int  in y: Int  out a: Float  out s: Int\na = default(init(x, 0.5), 0.5)\ns = default(s[1], 0) % 1000 + y");
  for (size_t k = 40; k < 2000; k += 1 + k % 7) lack(b, 0, k), b->ins[0][k].i = -1000;
  static const size_t sizes[] = {16, 48, 64, 512, 16};
  for (size_t k = 0; k < WB_LEN(sizes); k++) run(b, sizes[k]);
  close_bench(b);
}

/* Row 40 of the second tile. */
Test(runtime_native_batch, a_byte_that_is_no_bool_is_refused_at_its_row) {
  bench *b = open_bench("in p: Bool  in q: Bool  out r: Bool\nr = p && !q");
  weir_in_column ins[2] = {{.as.b = b->bools[0]}, {.as.b = b->bools[1]}};
  uint8_t outs[MOST];
  weir_out_column out = {.as.b = outs};
  weir_error e;
  size_t done;
  for (size_t k = 0; k < MOST; k++) b->bools[0][k] = k % 2, b->bools[1][k] = k % 3 == 0;
  b->bools[1][1024 + 40] = 2;
  cr_expect_eq(weir_monitor_push_batch(b->native, 2048, ins, 2, &out, 1, &done, &e), WEIR_E_ADMIT);
  cr_expect_eq(done, 1024 + 40);
  cr_expect_eq(e.input, 1);
  for (size_t k = 0; k < done; k++) cr_assert_eq(outs[k], b->bools[0][k] && !b->bools[1][k]);
  close_bench(b);
}

/* Neither does anything read it. */
Test(runtime_native_batch, so_is_one_of_an_input_that_nothing_reads) {
  bench *b = open_bench("in p: Bool  in q: Bool  in x: Int  out r: Int\nr = if p then x else 0");
  int64_t outs[256];
  weir_in_column ins[3] = {{.as.b = b->bools[0]}, {.as.b = b->bools[1]}, {.as.i = &b->ins[2][0].i}};
  weir_out_column out = {.as.i = outs};
  weir_error e;
  size_t done;
  b->bools[1][200] = 0x80;
  cr_expect_eq(weir_monitor_push_batch(b->native, 256, ins, 3, &out, 1, &done, &e), WEIR_E_ADMIT);
  cr_expect_eq(done, 200);
  close_bench(b);
}

#endif
