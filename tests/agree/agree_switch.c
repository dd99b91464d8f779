/* tests/agree/agree_switch.c -- a monitor that changes its tier right before row r gives what one in the canonical tier gives: for every r of
** short runs, in both directions, there and back, and where rows with all inputs turn into sparse ones or the other way.
**
** Scalar programs run as one body, the others in steps.  WEIR_MODEL_SEED and WEIR_MODEL_COUNT choose other programs and more of them. */
#include "tests/test.h"
#include "tests/support/shrink.h"
#include "tests/support/tiers.h"

#include <inttypes.h>
#include <string.h>

enum { ROWS = 12, PROGRAMS = 200, MOST_TRIES = 5000 };

typedef struct trial {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *canonical, *switched;
  uint64_t n_rows;
} trial;

/* False: they differ.  *goes_on is false after a row that fails. */
static bool same_row(trial *t, const model_row *row, bool *goes_on) {
  char why[TIERS_WHY] = "";
  weir_tier tier = row->is_marked ? WEIR_TIER_QUICKENED : WEIR_TIER_CANONICAL;
  cr_assert_eq(weir_monitor_set_tier(t->switched, tier, NULL), WEIR_OK);
  tiers_end want = tiers_push(t->canonical, row->in), got = tiers_push(t->switched, row->in);
  *goes_on = want.code == WEIR_OK;
  tiers_compare(t->n_rows++, "switched", t->canonical, &want, t->switched, &got, why);
  return why[0] == '\0';
}

static bool run(trial *t, const model_trace *rows) {
  bool is_good = true, goes_on = true;
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_CANONICAL};
  cr_assert_eq(weir_monitor_new(t->engine, t->program, &options, &t->canonical, NULL), WEIR_OK);
  cr_assert_eq(weir_monitor_new(t->engine, t->program, &options, &t->switched, NULL), WEIR_OK);
  for (uint32_t i = 0; i < rows->n && is_good && goes_on; i++) is_good = same_row(t, &rows->rows[i], &goes_on);
  weir_monitor_free(t->switched);
  weir_monitor_free(t->canonical);
  return is_good;
}

static bool compile(trial *t, model *m) {
  const char *text = model_print(m);
  return weir_compile(t->engine, text, strlen(text), NULL, &t->program, NULL) == WEIR_OK;
}

static bool disagrees(void *self, model *m, const model_trace *rows) {
  trial t = {.engine = ((trial *)self)->engine};
  if (!compile(&t, m)) return false;
  bool is_good = run(&t, rows);
  weir_program_release(t.program);
  return !is_good;
}

static void show_small(trial *t, const model *of, model_trace *rows) {
  model *m = model_clone(of);
  shrink(&m, rows, disagrees, t, MOST_TRIES);
  fprintf(stderr, "WEIR_MODEL_SEED=%" PRIu64 " WEIR_MODEL_COUNT=1: it differs; a small case, quickened in rows", of->seed);
  for (uint32_t i = 0; i < rows->n; i++)
    if (rows->rows[i].is_marked) fprintf(stderr, " %u", i);
  fprintf(stderr, "\n");
  shrink_print(stderr, m, rows);
  model_free(m);
}

/* ---- Rows ---- */

typedef enum density { AS_MADE, SPARSE_LATER, DENSE_LATER, DENSITIES } density;

static bool is_dense(density how, uint32_t row) { return how != AS_MADE && (row < ROWS / 2) == (how == SPARSE_LATER); }

static void make_rows(model *m, density how, model_row *rows) {
  for (uint32_t r = 0; r < ROWS; r++) {
    m->tick = ROWS; /* later than any input's first value */
    if (how == AS_MADE) m->tick = r;
    model_make_row(m, rows[r].in);
    for (uint32_t i = 0; i < m->n_inputs; i++) {
      if (is_dense(how, r)) rows[r].in[i] = model_value(m, m->streams[i].type);
      else if (how != AS_MADE && model_chance(m, 60)) rows[r].in[i] = (weir_value){.tag = WEIR_NOVAL};
    }
  }
}

/* ---- Where it switches ---- */

typedef enum direction { INTO_QUICKENED, INTO_CANONICAL, FOR_ONE_ROW, DIRECTIONS } direction;

static bool is_quickened(direction how, uint32_t row, uint32_t at) {
  switch (how) {
  case INTO_QUICKENED: return row >= at;
  case INTO_CANONICAL: return row < at;
  case FOR_ONE_ROW: return row == at;
  case DIRECTIONS: break;
  }
  return false;
}

/* At each row; at ROWS: never. */
static bool agrees_everywhere(trial *t, model *m, const model_row *rows) {
  for (uint32_t at = 0; at <= ROWS; at++)
    for (uint32_t how = 0; how < DIRECTIONS; how++) {
      model_row marked[ROWS];
      model_trace trace = {.rows = marked, .n = ROWS};
      memcpy(marked, rows, sizeof marked);
      for (uint32_t r = 0; r < ROWS; r++) marked[r].is_marked = is_quickened((direction)how, r, at);
      if (run(t, &trace)) continue;
      show_small(t, m, &trace);
      return false;
    }
  return true;
}

static bool agrees(trial *t, uint64_t seed) {
  model *m = model_new(seed, ROWS);
  bool is_good = true;
  cr_assert(compile(t, m), "seed %" PRIu64, seed);
  for (uint32_t how = 0; how < DENSITIES && is_good; how++) {
    model_row rows[ROWS];
    make_rows(m, (density)how, rows);
    is_good = agrees_everywhere(t, m, rows);
  }
  weir_program_release(t->program);
  model_free(m);
  return is_good;
}

Test(agree_switch, a_change_of_tier_before_any_row_changes_no_answer, .timeout = 86400) {
  uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1), count = tiers_setting("WEIR_MODEL_COUNT", PROGRAMS), bad = 0;
  trial t = {.engine = NULL};
  cr_assert_eq(weir_engine_new(NULL, &t.engine, NULL), WEIR_OK);
  for (uint64_t i = 0; i < count && bad < 3; i++) bad += !agrees(&t, seed + i);
  weir_engine_free(t.engine);
  cr_expect_eq(bad, 0);
  if (count >= PROGRAMS) cr_expect_gt(t.n_rows, count * ROWS * (ROWS + 1) * DIRECTIONS * DENSITIES / 2, "most run on: %" PRIu64 " rows", t.n_rows);
}
