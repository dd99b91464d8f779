/* tests/unit/runtime_tile.c -- which rows run in tiles, with which code, and what happens to the others. */
#include "tests/test.h"
#include "runtime/batch.h"
#include "runtime/monitor.h"
#include "runtime/tile.h"
#include "tests/support/host.h"

#include <stdio.h>

enum { ROWS = 2000 };

typedef struct bench {
  host h;
  int64_t x[ROWS], y[ROWS];
  uint8_t present[ROWS / 8];
} bench;

static void open(bench *b, const char *text) {
  memset(b, 0, sizeof *b);
  host_open(&b->h, text);
  cr_assert_eq(weir_monitor_set_tier(b->h.monitor, WEIR_TIER_QUICKENED, NULL), WEIR_OK);
  memset(b->present, 0xff, sizeof b->present);
  for (int i = 0; i < ROWS; i++) b->x[i] = i;
}

static weir_code run(bench *b, size_t from, size_t rows, size_t *done) {
  const weir_in_column in = {.as.i = b->x + from, .present = b->present, .present_bit = from};
  const weir_out_column out = {.as.i = b->y + from};
  return weir_monitor_push_batch(b->h.monitor, rows, &in, 1, &out, 1, done, &b->h.e);
}

static const wrt_tile *tile_of(const bench *b) { return b->h.monitor->made_quick->tile; }

Test(runtime_tile, rows_run_in_tiles_and_only_a_few_alone) {
  bench b;
  open(&b, "in x: Int  out y: Int  y = x * 3 + 1");
  cr_assert_eq(run(&b, 0, 1, NULL), WEIR_OK); /* from now on it is warm: there is an x to hold */
  cr_assert_eq(run(&b, 1, WRT_TILE_WORTH - 1, NULL), WEIR_OK);
  cr_expect_eq(tile_of(&b)->n_tiles, 0);
  cr_assert_eq(run(&b, WRT_TILE_WORTH, WRT_TILE_WORTH, NULL), WEIR_OK);
  cr_expect_eq(tile_of(&b)->n_tiles, 1);
  cr_assert_eq(run(&b, 2 * WRT_TILE_WORTH, WRT_TILE_MOST_ROWS + 63, NULL), WEIR_OK);
  cr_expect_eq(tile_of(&b)->n_tiles, 3, "as many as a tile holds, then the rest");
  uint64_t n = 2 * WRT_TILE_WORTH + WRT_TILE_MOST_ROWS + 63;
  cr_expect_eq(weir_monitor_ticks(b.h.monitor), n);
  for (uint64_t i = 0; i < n; i++) cr_assert_eq(b.y[i], (int64_t)i * 3 + 1);
  host_close(&b.h);
}

Test(runtime_tile, room_for_columns_is_taken_with_the_first_tile) {
  bench b;
  open(&b, "in x: Int  out y: Int  y = x * 3 + 1");
  cr_assert_eq(run(&b, 0, 1, NULL), WEIR_OK);
  size_t before = weir_monitor_memory(b.h.monitor, NULL);
  cr_expect_null(tile_of(&b)->columns);
  cr_assert_eq(run(&b, 1, ROWS - 1, NULL), WEIR_OK);
  cr_expect_gt(weir_monitor_memory(b.h.monitor, NULL), before + WRT_TILE_MOST_ROWS * sizeof(wrt_cell));
  host_close(&b.h);
}

Test(runtime_tile, rows_run_alone_where_there_is_no_memory_for_columns) {
  bench b;
  open(&b, "in x: Int  out y: Int  y = x * 3 + 1");
  cr_assert_eq(run(&b, 0, 1, NULL), WEIR_OK);
  size_t before = weir_monitor_memory(b.h.monitor, NULL);
  b.h.monitor->mem.limit = b.h.monitor->mem.used + WRT_TILE_MOST_ROWS; /* some of it can be had */
  for (size_t at = 1, n = ROWS / 2 - 1; at < ROWS; at += n, n = ROWS / 2) cr_assert_eq(run(&b, at, n, NULL), WEIR_OK);
  cr_expect_eq(tile_of(&b)->n_tiles, 0);
  cr_expect_leq(weir_monitor_memory(b.h.monitor, NULL), before, "what could be had is given back");
  cr_expect_eq(weir_monitor_ticks(b.h.monitor), ROWS);
  for (int64_t i = 0; i < ROWS; i++) cr_assert_eq(b.y[i], i * 3 + 1);
  host_close(&b.h);
}

Test(runtime_tile, tiles_of_many_instructions_have_fewer_rows) {
  char text[2000] = "in x: Int  out y: Int  y = x";
  bench b;
  open(&b, text);
  cr_expect_eq(tile_of(&b)->rows, WRT_TILE_MOST_ROWS);
  host_close(&b.h);
  for (int i = 2; i < 40; i++) snprintf(text + strlen(text), sizeof text - strlen(text), " * %d + x", i);
  open(&b, text);
  cr_expect_eq(tile_of(&b)->rows, WRT_TILE_FEWEST_ROWS);
  host_close(&b.h);
}

/* An input may never come: then a look at all that a tile would have, for each row, costs more than the row. */
Test(runtime_tile, rows_are_not_looked_at_before_history_lets_a_tile_begin) {
  bench b;
  uint8_t deferred[ROWS / 8] = {[1] = 1};
  open(&b, "in x: Int  out y: Int  y = x * 3 + 1");
  const weir_in_column in = {.as.i = b.x, .deferred = deferred};
  const weir_out_column out = {.as.i = b.y};
  const wrt_batch batch = {.rows = 256, .ins = &in, .outs = &out, .n_ins = 1, .n_outs = 1};
  size_t alone;
  cr_expect_eq(wrt_tile_rows(b.h.monitor, &batch, 0, &alone), 0);
  cr_expect_eq(alone, WRT_TILE_COLD);
  cr_assert_eq(run(&b, 0, 1, NULL), WEIR_OK);
  cr_expect_eq(wrt_tile_rows(b.h.monitor, &batch, 0, &alone), 0);
  cr_expect_eq(alone, 256, "one of them is Deferred");
  host_close(&b.h);
}

Test(runtime_tile, rows_run_alone_until_delays_are_filled) {
  bench b;
  open(&b, "in x: Int  out y: Int  y = default(x[40], 0)");
  cr_assert_eq(run(&b, 0, 40, NULL), WEIR_OK);
  cr_expect_eq(tile_of(&b)->n_tiles, 0);
  cr_assert_eq(run(&b, 40, 64, NULL), WEIR_OK);
  cr_expect_eq(tile_of(&b)->n_tiles, 1);
  cr_expect(b.y[39] == 0 && b.y[40] == 0 && b.y[41] == 1 && b.y[103] == 63);
  host_close(&b.h);
}

Test(runtime_tile, a_tile_that_fails_runs_again_row_by_row_up_to_the_failure) {
  bench b;
  size_t done;
  open(&b, "in x: Int  out y: Int  y = default(y[1], 0) + 100 / x");
  for (int i = 0; i < ROWS; i++) b.x[i] = i == 300 ? 0 : 50;
  cr_expect_eq(run(&b, 0, ROWS, &done), WEIR_E_DIV_ZERO);
  cr_expect_eq(done, 300);
  cr_expect_eq(b.h.e.row, 300);
  cr_expect_eq(b.y[299], 600);
  cr_expect_eq(tile_of(&b)->n_bad, 1);
  host_close(&b.h);
}

Test(runtime_tile, small_values_are_tested_once_instead_of_checked) {
  bench b;
  open(&b, "in x: Int  out y: Int  y = (x + 1) * 3 - x * 5 + (x - 7)");
  cr_assert_eq(run(&b, 0, 1, NULL), WEIR_OK);
  cr_assert_eq(run(&b, 1, 256, NULL), WEIR_OK);
  cr_expect_eq(tile_of(&b)->n_small, 1);
  b.x[300] = INT64_C(1) << 61;
  cr_assert_neq(run(&b, 257, 256, NULL), WEIR_OK);
  cr_expect(tile_of(&b)->n_small == 1 && tile_of(&b)->n_bad == 1);
  cr_expect_eq(weir_monitor_ticks(b.h.monitor), 300);
  host_close(&b.h);
}

Test(runtime_tile, a_ring_is_tested_beyond_its_end_too) {
  bench b;
  size_t done;
  open(&b, "in x: Int  out y: Int  y = default(x[20], 1) * 3 - default(x[20], 1) * 5 + default(x[20], 1) * 7");
  b.x[30] = INT64_C(1) << 62;
  cr_assert_eq(run(&b, 0, 20, NULL), WEIR_OK);
  cr_assert_eq(run(&b, 20, 17, NULL), WEIR_OK);
  cr_expect_eq(run(&b, 37, 32, &done), WEIR_E_OVERFLOW, "row 50 looks at row 30, which is among the first samples of the ring");
  cr_expect_eq(done, 13);
  cr_expect(tile_of(&b)->plans[WIR_BODY_WARM].has_small && tile_of(&b)->n_small == 0 && tile_of(&b)->n_tiles == 2);
  host_close(&b.h);
}

Test(runtime_tile, what_is_absent_holds_its_last_value_and_does_not_disturb_the_test) {
  bench b;
  open(&b, "in x: Int  out y: Int  y = (x + 1) * 3 - x * 5 + (x - 7)");
  b.present[10] = 0xfb; /* row 82 */
  b.x[82] = INT64_MAX;
  cr_assert_eq(run(&b, 0, 1, NULL), WEIR_OK);
  cr_assert_eq(run(&b, 1, 256, NULL), WEIR_OK);
  cr_expect(tile_of(&b)->n_tiles == 1 && tile_of(&b)->n_small == 1);
  cr_expect(b.y[81] == b.y[82] && b.y[83] == -83 - 4);
  host_close(&b.h);
}

/* `+` holds x in a cell, and the ring of x[1] has its last value, too: one column serves both, unless they differ. */
Test(runtime_tile, states_that_should_have_the_same_value_and_do_not_keep_their_own) {
  bench b;
  open(&b, "in x: Int  out y: Int  y = x + default(x[1], 0)");
  for (int i = 0; i < 40; i++) b.x[i] = i < 4 ? 5 : 7;
  b.present[0] = 0xcf; /* rows 4 and 5 lack it */
  cr_assert_eq(run(&b, 0, 4, NULL), WEIR_OK);
  weir_monitor *m = b.h.monitor;
  const wrt_tile_plan *plan = &tile_of(&b)->plans[WIR_BODY_SPARSE];
  cr_assert_eq(plan->n_twins, 1);
  bool is_ring = wir_state_is_ring(&m->program->states[plan->twins[0].a]);
  const wir_state *cell = &m->program->states[is_ring ? plan->twins[0].b : plan->twins[0].a];
  cr_assert_not(wir_state_is_ring(cell));
  memcpy(m->arena + cell->offset, &(int64_t){1000}, sizeof(int64_t));
  cr_assert_eq(run(&b, 4, 36, NULL), WEIR_OK);
  cr_expect_eq(b.y[4], 1005);
  cr_expect_eq(b.y[5], 1005);
  cr_expect(b.y[6] == 12 && b.y[7] == 14 && b.y[39] == 14);
  cr_expect_eq(tile_of(&b)->n_tiles, 1, "and from then on they agree");
  host_close(&b.h);
}

/* What `+` holds of its operand failed in the tile's last row, in the arm that was not taken; the next row has no other operand. */
Test(runtime_tile, a_failure_in_the_last_row_is_kept_as_deferred) {
  enum { LAST = 16, AFTER, N };
  host h;
  int64_t x[N], y[N], q[N];
  uint8_t b[N] = {0}, there[3] = {0xff, 0xff, 0}, present[3] = {0}, late[3] = {0};
  there[AFTER / 8] &= (uint8_t)~(1u << AFTER % 8);
  there[LAST / 8] |= (uint8_t)(1u << LAST % 8);
  for (int i = 0; i < N; i++) x[i] = i, y[i] = i == LAST ? 0 : 3;
  host_open(&h, "in x: Int  in y: Int  in b: Bool  out q: Int  q = if y == 0 then 0 else latch(60 / y, b) + x");
  cr_assert_eq(weir_monitor_set_tier(h.monitor, WEIR_TIER_QUICKENED, NULL), WEIR_OK);
  for (size_t at = 0, rows = 1; at < N; at += rows, rows = at == 1 ? LAST : 1) {
    const weir_in_column ins[3] = {{.as.i = x + at}, {.as.i = y + at}, {.as.b = b + at, .present = there, .present_bit = at}};
    const weir_out_column out = {.as.i = q + at, .present = present, .present_bit = at, .deferred = late, .deferred_bit = at};
    cr_assert_eq(weir_monitor_push_batch(h.monitor, rows, ins, 3, &out, 1, NULL, &h.e), WEIR_OK);
  }
  cr_expect_eq(h.monitor->made_quick->tile->n_tiles, 1);
  cr_expect(q[LAST - 1] == 20 + LAST - 1 && q[LAST] == 0);
  cr_expect(present[2] == 1 && late[2] == 2, "the row after it is Deferred");
  host_close(&h);
}

Test(runtime_tile, every_level_of_the_processor_is_known_by_name) {
  bench b;
  open(&b, "in x: Int  out y: Int  y = x");
  wrt_quick *q = b.h.monitor->quick;
  cr_expect(q->tile->level == wrt_tile_best_level());
  cr_expect(wrt_tile_set_level(q, "x86-64"));
  cr_expect_str_eq(q->tile->level->name, "x86-64");
  cr_expect_not(wrt_tile_set_level(q, "x86-64-v9"));
  host_close(&b.h);
}
