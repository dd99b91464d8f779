/* tests/agree/agree_check.c -- a monitor that checks itself (runtime/self_check.h) finds nothing in a good tier, and answers like the canonical
** one whatever it finds.
**
** In a build with a fault the first of these tests fails, since that is found, and the second does not.  WEIR_NATIVE_MODULE names another
** module, for tests/planted/faults.sh; without the native module the quickened tier is checked. */
#include "tests/test.h"
#include "runtime/monitor.h"
#include "tests/support/tile_programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TEST_HAS_NATIVE
static const weir_tier checked_tier = WEIR_TIER_NATIVE;
#else
static const weir_tier checked_tier = WEIR_TIER_QUICKENED;
#endif
#if defined(WEIR_SANITIZE)
enum { APART = 7 };
#elif defined(TEST_HAS_NATIVE) /* some faults of kernels show in few patterns */
enum { APART = 1 };
#else
enum { APART = 3 };
#endif
enum { ROWS = 700, ALONE = 150, RICH_ROWS = 50 };

typedef struct checked {
  tiled t;
  uint64_t n_checked, n_differences;
} checked;

static void open_checked(checked *c) {
  weir_engine_options options = {.size = sizeof options, .native_module = tiers_module()};
  weir_engine *engine;
  cr_assert_eq(weir_engine_new(&options, &engine, NULL), WEIR_OK);
  *c = (checked){.n_checked = 0};
  tiled_open(&c->t, engine);
}
static void close_checked(checked *c) {
  weir_engine_free(c->t.engine);
  tiled_close(&c->t);
}

static weir_monitor *new_monitor(const checked *c, weir_tier tier, uint64_t every) {
  weir_options options = {.size = sizeof options, .tier = tier, .check_every = every, .check_seed = c->t.random};
  weir_monitor *m;
  cr_assert_eq(weir_monitor_new(c->t.engine, c->t.program, &options, &m, NULL), WEIR_OK);
  return m;
}

static void count(checked *c, const weir_monitor *m) {
  weir_report report = {.size = sizeof report};
  weir_monitor_report(m, &report);
  c->n_checked += report.checked;
  c->n_differences += report.differences;
}

/* Single rows, then batches.  Answers that are not canonical stand in t.why. */
static void run(checked *c, uint64_t every) {
  tiled *t = &c->t;
  t->name = "checked";
  t->end = (weir_error){.code = WEIR_OK};
  t->why[0] = '\0';
  tiled_run_canonical(t);
  weir_monitor *m = new_monitor(c, checked_tier, every);
  while (t->why[0] == '\0' && !weir_monitor_is_terminal(m) && weir_monitor_ticks(m) < t->n_rows) {
    uint32_t row = (uint32_t)weir_monitor_ticks(m), rows = 1 + tiled_below(t, 300), left = t->n_rows - row;
    if (tiled_below(t, 2) == 0) rows = (rows + 15) / 16 * 16;
    if (row < ALONE || rows < 10) tiled_push_row(t, m, row);
    else (void)tiled_push_batch(t, m, row, WB_MIN(rows, left));
  }
  if (t->why[0] == '\0') tiers_compare_states(t->name, t->canonical, m, t->why);
  count(c, m);
  weir_monitor_free(m);
  weir_monitor_free(t->canonical);
}

/* Each program with some of the patterns, until something is found: the rest of that one's rows is still compared. */
static void run_programs(checked *c, uint64_t every) {
  for (uint32_t k = 0; k < TILE_PROGRAMS; k++)
    for (uint32_t p = k % APART; p < TILE_PATTERNS && c->t.why[0] == '\0' && c->n_differences == 0; p += APART) {
      c->t.random = k * 100 + p;
      c->t.n_rows = ROWS;
      cr_assert_eq(weir_compile(c->t.engine, tile_programs[k], strlen(tile_programs[k]), NULL, &c->t.program, NULL), WEIR_OK);
      tiled_make_rows(&c->t, &tile_patterns[p]);
      run(c, every);
      if (c->t.why[0] != '\0') fprintf(stderr, "%s\n%s\n", c->t.why, tile_programs[k]);
      weir_program_release(c->t.program);
    }
}

/* Programs of all kinds, in tagged rows. */
static void run_random(checked *c, uint64_t every) {
  for (uint64_t seed = 1; seed <= 120 && c->t.why[0] == '\0' && c->n_differences == 0; seed++) {
    model *m = model_new(seed, RICH_ROWS);
    const char *text = model_print(m);
    cr_assert_eq(weir_compile(c->t.engine, text, strlen(text), NULL, &c->t.program, NULL), WEIR_OK, "%s", text);
    weir_monitor *want = new_monitor(c, WEIR_TIER_CANONICAL, 0), *got = new_monitor(c, checked_tier, every);
    for (m->tick = 0; m->tick < RICH_ROWS && c->t.why[0] == '\0'; m->tick++) {
      weir_value row[MODEL_STREAMS];
      model_make_row(m, row);
      tiers_end ends[2] = {tiers_push(want, row), tiers_push(got, row)};
      tiers_compare(m->tick, "checked", want, &ends[0], got, &ends[1], c->t.why);
      if (ends[0].code != WEIR_OK) break;
    }
    if (c->t.why[0] == '\0' && m->is_scalar) tiers_compare_states("checked", want, got, c->t.why);
    if (c->t.why[0] != '\0') fprintf(stderr, "seed %" PRIu64 ": %s\n%s\n", seed, c->t.why, text);
    count(c, got);
    weir_monitor_free(want);
    weir_monitor_free(got);
    weir_program_release(c->t.program);
    model_free(m);
  }
}

Test(agree_check, nothing_is_found_where_tiers_agree, .timeout = 600) {
  checked c;
  open_checked(&c);
  run_random(&c, 2);
  run_programs(&c, 1);
  cr_expect_gt(c.n_checked, c.n_differences != 0 ? 0 : 10000);
  cr_expect_eq(c.n_differences, 0);
  if (c.n_differences == 0) cr_expect_str_empty(c.t.why, "%s", c.t.why);
  close_checked(&c);
}

/* Where every row is checked: also after it is found. */
Test(agree_check, answers_are_canonical_whatever_is_found, .timeout = 600) {
  checked c;
  open_checked(&c);
  run_random(&c, 1);
  run_programs(&c, 1);
  cr_expect_str_empty(c.t.why, "%s", c.t.why);
  close_checked(&c);
}
