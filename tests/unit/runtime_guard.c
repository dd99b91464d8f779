/* tests/unit/runtime_guard.c -- a failure in the arm that is not taken declines no row: in each form of push, all rows stay in the quickened
** tier, and no tile of a batch is given up. */
#include "tests/test.h"
#include "runtime/monitor.h"
#include "runtime/tile.h"
#include "tests/support/host.h"

enum { ROWS = 1000 };

enum { TAGGED, TYPED, BATCH, FORMS };
static const char *const form_names[FORMS] = {"tagged", "typed", "batch"};

typedef struct rows { int64_t x[ROWS], d[ROWS], y[ROWS]; } rows;

static void push_tagged(host *h, rows *r) {
  for (int i = 0; i < ROWS; i++) {
    host_push(h, (weir_value[]){an_int(r->x[i]), an_int(r->d[i])});
    r->y[i] = host_out(h, "y")->as.i;
  }
}

static void push_typed(host *h, rows *r) {
  for (int i = 0; i < ROWS; i++) {
    weir_cell in[2] = {{.i = r->x[i]}, {.i = r->d[i]}}, out;
    cr_assert_eq(weir_monitor_push_typed(h->monitor, in, NULL, NULL, &out, NULL, NULL, &h->e), WEIR_OK);
    r->y[i] = out.i;
  }
}

static void push_batch(host *h, rows *r) {
  const weir_in_column ins[2] = {{.as.i = r->x}, {.as.i = r->d}};
  const weir_out_column out = {.as.i = r->y};
  cr_assert_eq(weir_monitor_push_batch(h->monitor, ROWS, ins, 2, &out, 1, NULL, &h->e), WEIR_OK);
}

static void expect_no_decline(const host *h, const char *form, bool is_batch) {
  weir_report report = {.size = sizeof report};
  weir_monitor_report(h->monitor, &report);
  cr_expect_eq(report.rows[WEIR_TIER_QUICKENED], ROWS, "%s", form);
  for (int i = 0; i < WEIR_CAUSE_COUNT; i++) cr_expect_eq(report.declined[i], 0, "%s: %s", form, weir_cause_text((weir_cause)i));
  const wrt_tile *tile = h->monitor->quick->tile;
  cr_expect_eq(tile->n_bad, 0, "%s: no tile was given up", form);
  cr_expect(is_batch == (tile->n_tiles != 0), "%s: %d tiles", form, (int)tile->n_tiles);
}

/* x and d in rows with an odd number; in the others they are `x` and `d`, and y is to be `y`. */
static void run_all(const char *text, int64_t x, int64_t d, int64_t y) {
  static void (*const push[FORMS])(host *, rows *) = {push_tagged, push_typed, push_batch};
  static rows r;
  for (int f = 0; f < FORMS; f++) {
    host h;
    host_open(&h, text);
    cr_assert_eq(weir_monitor_set_tier(h.monitor, WEIR_TIER_QUICKENED, NULL), WEIR_OK);
    for (int i = 0; i < ROWS; i++) r.x[i] = i % 2 == 0 ? x : i, r.d[i] = i % 2 == 0 ? d : 7, r.y[i] = -1;
    push[f](&h, &r);
    for (int i = 0; i < ROWS; i++) cr_assert_eq(r.y[i], i % 2 == 0 ? y : i / 7, "%s: row %d", form_names[f], i);
    expect_no_decline(&h, form_names[f], f == BATCH);
    host_close(&h);
  }
}

#define IN "in x: Int  in d: Int  out y: Int  "

Test(runtime_guard, a_guarded_division_by_zero_declines_no_row) {
  run_all(IN "y = if d != 0 then x / d else 0", 50, 0, 0);
  run_all(IN "y = if d == 0 then 5 else x / d", 50, 0, 5);
  run_all(IN "y = if d != 0 && x / d >= 0 then x / d else 4", 50, 0, 4);
  run_all(IN "y = if d != 0 then (x - x % d) / d else d", 50, 0, 0);
}

Test(runtime_guard, an_overflow_in_the_arm_that_is_not_taken_declines_no_row) {
  run_all(IN "y = if d > 0 then (x + x + x) / 3 / d else 6", INT64_MAX, 0, 6);
  run_all(IN "y = if d > 0 then x * 5 / 5 / d else x", INT64_MIN, -1, INT64_MIN);
  run_all(IN "y = if d > 0 then -x / -d else d", INT64_MIN, -1, -1);
  run_all(IN "y = if d > 0 then abs(x) / d else d", INT64_MIN, -1, -1);
  run_all(IN "y = if d != -1 then x / d else 3", INT64_MIN, -1, 3);
}
