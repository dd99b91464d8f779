/* tests/agree/agree_quick.c -- scalar programs give the same in the quickened tier, and in one that changes at any row, as in the canonical
** tier (which agree_model.c holds against the model), pushed as tagged or as typed rows: outputs, presence, failures with their places and
** words, and the arena.  Together the programs must meet every scalar instruction, node, presence and cause of a decline
** (tests/support/hits.h).
**
** WEIR_MODEL_SEED and WEIR_MODEL_COUNT choose other programs and more of them.  With a fault in a pass or in the tier, it must fail:
** tests/planted/faults.sh. */
#include "tests/test.h"
#include "runtime/monitor.h"
#include "runtime/quick.h"
#include "tests/support/hits.h"
#include "tests/support/pushes.h"
#include "tests/support/shrink.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 50, PROGRAMS = 4000, MOST_TRIES = 5000 };

enum { CANONICAL, QUICKENED, SWITCHED, MONITORS };
static const char *const names[MONITORS] = {"canonical", "quickened", "switched"};

typedef struct trial {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *of[MONITORS];
  uint64_t random; /* begins with the program's seed */
  hits *hits;     /* NULL: not counted */
  uint64_t *ran;
  char why[TIERS_WHY]; /* empty while all agree */
} trial;

static void count_presence(trial *t) {
  for (uint32_t k = 0; k < t->program->n_outputs; k++) {
    weir_tag tag = weir_monitor_output(t->of[CANONICAL], k)->tag;
    t->hits->presence[tag == WEIR_NOVAL ? HITS_NOVAL : tag == WEIR_DEFERRED ? HITS_DEFERRED : HITS_VALUE]++;
  }
}

/* False: there is no next row.  In a marked one the third monitor is quickened. */
static bool run_row(trial *t, uint64_t tick, const model_row *row) {
  static pushes of[MONITORS];
  weir_tier tier = row->is_marked ? WEIR_TIER_QUICKENED : WEIR_TIER_CANONICAL;
  cr_assert_eq(weir_monitor_set_tier(t->of[SWITCHED], tier, NULL), WEIR_OK);
  for (int i = 0; i < MONITORS; i++) {
    pushes_form form = i == QUICKENED && pushes_below(&t->random, 2) == 0 ? PUSHES_TYPED : PUSHES_TAGGED;
    pushes_run(t->of[i], form, (const weir_value(*)[MODEL_STREAMS])&row->in, 1, &t->random, NULL, &of[i]);
  }
  if (of[CANONICAL].end.code == WEIR_OK && t->hits != NULL) count_presence(t);
  for (int i = QUICKENED; i < MONITORS && t->why[0] == '\0'; i++) {
    pushes_compare(tick, names[i], t->program, &of[CANONICAL], &of[i], t->why);
    tiers_compare_states(names[i], t->of[CANONICAL], t->of[i], t->why);
  }
  return of[CANONICAL].end.code == WEIR_OK && t->why[0] == '\0';
}

static void new_monitors(trial *t) {
  static const weir_tier tiers[MONITORS] = {WEIR_TIER_CANONICAL, WEIR_TIER_QUICKENED, WEIR_TIER_CANONICAL};
  for (int i = 0; i < MONITORS; i++) {
    weir_options options = {.size = sizeof options, .tier = tiers[i]};
    cr_assert_eq(weir_monitor_new(t->engine, t->program, &options, &t->of[i], NULL), WEIR_OK);
  }
}

static void count_program(trial *t) {
  const wrt_quick *q = t->of[QUICKENED]->quick;
  for (uint32_t i = 0; i < WIR_BODY_FITS; i++) t->ran[i] += q->n_ran[i];
  hits_of_program(t->hits, t->program);
  hits_of_quick(t->hits, q);
}

static bool disagrees(void *self, model *m, const model_trace *rows) {
  trial *t = self;
  const char *text = model_print(m);
  t->why[0] = '\0';
  t->random = m->seed;
  if (weir_compile(t->engine, text, strlen(text), NULL, &t->program, NULL) != WEIR_OK) {
    cr_assert(t->hits == NULL, "%s", text); /* only a changed program may be none */
    return false;
  }
  new_monitors(t);
  for (uint32_t i = 0; i < rows->n && run_row(t, i, &rows->rows[i]); i++) continue;
  if (t->hits != NULL) count_program(t);
  for (int i = 0; i < MONITORS; i++) weir_monitor_free(t->of[i]);
  weir_program_release(t->program);
  return t->why[0] != '\0';
}

static void make_trace(model *m, model_trace *t) {
  for (m->tick = 0; m->tick < t->n; m->tick++) {
    model_make_row(m, t->rows[m->tick].in);
    t->rows[m->tick].is_marked = model_chance(m, 50);
  }
}

/* Frees the model. */
static bool agrees(trial *t, model *m) {
  model_row rows[ROWS];
  model_trace trace = {.rows = rows, .n = ROWS};
  make_trace(m, &trace);
  bool is_good = !disagrees(t, m, &trace);
  if (!is_good) {
    trial again = {.engine = t->engine};
    shrink_tell(stderr, m, &trace, disagrees, &again, again.why, MOST_TRIES);
  }
  model_free(m);
  return is_good;
}

Test(agree_quick, scalar_programs_give_the_same_in_both_tiers_and_across_them, .timeout = 86400) {
  uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1), count = tiers_setting("WEIR_MODEL_COUNT", PROGRAMS), bad = 0, ran[WIR_BODY_FITS] = {0};
  hits met = {.ins = {0}};
  trial t = {.hits = &met, .ran = ran};
  cr_assert_eq(weir_engine_new(NULL, &t.engine, NULL), WEIR_OK);
  for (uint64_t n = 0; n < count && bad < 3; seed++) {
    model *m = model_new(seed, ROWS);
    if (!m->is_scalar) {
      model_free(m);
      continue;
    }
    bad += !agrees(&t, m);
    n++;
  }
  weir_engine_free(t.engine);
  cr_expect_eq(bad, 0);
  for (uint32_t i = 0; i < WIR_BODY_FITS && bad == 0 && count >= PROGRAMS; i++) cr_expect_gt(ran[i], count, "rows of each kind: %u", i);
  uint32_t at = 0;
  for (const char *name; bad == 0 && count >= PROGRAMS && (name = hits_missing(&met, &at)) != NULL;) cr_expect_fail("never met: %s", name);
}
