/* tests/agree/agree_quick.c -- scalar programs give the same in the quickened tier, and in one that changes at any row, as in the canonical
** tier (which agree_model.c holds against the model): outputs, presence, failures with their places and words.  Together the programs must
** meet every scalar instruction, node, presence and cause of a decline (tests/support/hits.h).
**
** WEIR_MODEL_SEED and WEIR_MODEL_COUNT choose other programs and more of them.  With a fault in a pass or in the tier, it must fail:
** tests/planted/faults.sh. */
#include "tests/test.h"
#include "runtime/monitor.h"
#include "runtime/quick.h"
#include "tests/support/hits.h"
#include "tests/support/shrink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 50, PROGRAMS = 4000, MOST_TRIES = 5000 };

static uint64_t from_environment(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

enum { CANONICAL, QUICKENED, SWITCHED, MONITORS };
static const char *const names[MONITORS] = {"canonical", "quickened", "switched"};

typedef struct trial {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *of[MONITORS];
  hits *hits;     /* NULL: not counted */
  uint64_t *ran;
  char why[500]; /* empty while all agree */
} trial;

static const weir_monitor *of(const trial *t, int i) { return t->of[i]; }

static void compare_outputs(trial *t, int i) {
  for (uint32_t k = 0; k < t->program->n_outputs && t->why[0] == '\0'; k++) {
    weir_value want = *weir_monitor_output(of(t, CANONICAL), k), got = *weir_monitor_output(of(t, i), k);
    wb_str name = wir_stream_name(t->program, t->program->outputs[k]);
    if (!model_same(want, got))
      snprintf(t->why, sizeof t->why, "row %" PRIu64 ", %s: %.*s has tag %u and bits %" PRIx64 ", not %u and %" PRIx64, weir_monitor_ticks(of(t, i)) - 1,
               names[i], (int)name.n, name.at, got.tag, (uint64_t)got.as.i, want.tag, (uint64_t)want.as.i);
  }
}

static void count_presence(trial *t) {
  for (uint32_t k = 0; k < t->program->n_outputs; k++) {
    weir_tag tag = weir_monitor_output(of(t, CANONICAL), k)->tag;
    t->hits->presence[tag == WEIR_NOVAL ? HITS_NOVAL : tag == WEIR_DEFERRED ? HITS_DEFERRED : HITS_VALUE]++;
  }
}

static void compare_ends(trial *t, int i, const weir_error *want, const weir_error *got) {
  bool is_same = want->code == got->code && want->row == got->row && want->span.begin == got->span.begin && want->span.end == got->span.end &&
                 strcmp(want->text, got->text) == 0;
  if (!is_same) snprintf(t->why, sizeof t->why, "row %" PRIu64 ", %s: %s, not %s", want->row, names[i], got->text, want->text);
}

/* False: there is no next row.  In a marked one the third monitor is quickened. */
static bool run_row(trial *t, uint64_t tick, const model_row *row) {
  weir_error ends[MONITORS] = {{.code = WEIR_OK}};
  weir_code codes[MONITORS];
  weir_tier tier = row->is_marked ? WEIR_TIER_QUICKENED : WEIR_TIER_CANONICAL;
  cr_assert_eq(weir_monitor_set_tier(t->of[SWITCHED], tier, NULL), WEIR_OK);
  for (int i = 0; i < MONITORS; i++) codes[i] = weir_monitor_push(t->of[i], row->in, t->program->n_inputs, &ends[i]);
  if (codes[CANONICAL] == WEIR_OK && t->hits != NULL) count_presence(t);
  for (int i = QUICKENED; i < MONITORS && t->why[0] == '\0'; i++) {
    if (codes[i] != codes[CANONICAL])
      snprintf(t->why, sizeof t->why, "row %" PRIu64 " ends with %s, not %s", tick, weir_code_name(codes[i]), weir_code_name(codes[CANONICAL]));
    else if (codes[i] != WEIR_OK) compare_ends(t, i, &ends[CANONICAL], &ends[i]);
    else compare_outputs(t, i);
  }
  return codes[CANONICAL] == WEIR_OK && t->why[0] == '\0';
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
  for (uint32_t i = 0; i < WRT_QUICK_CODES; i++) t->ran[i] += q->n_ran[i];
  hits_of_program(t->hits, t->program);
  hits_of_quick(t->hits, q);
}

static bool disagrees(void *self, model *m, const model_trace *rows) {
  trial *t = self;
  const char *text = model_print(m);
  t->why[0] = '\0';
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
    fprintf(stderr, "WEIR_MODEL_SEED=%" PRIu64 " WEIR_MODEL_COUNT=1: %s\n", m->seed, t->why);
    shrink(&m, &trace, disagrees, &again, MOST_TRIES);
    (void)disagrees(&again, m, &trace);
    fprintf(stderr, "A small case: %s\n", again.why);
    shrink_print(stderr, m, &trace);
  }
  model_free(m);
  return is_good;
}

Test(agree_quick, scalar_programs_give_the_same_in_both_tiers_and_across_them, .timeout = 86400) {
  uint64_t seed = from_environment("WEIR_MODEL_SEED", 1), count = from_environment("WEIR_MODEL_COUNT", PROGRAMS), bad = 0, ran[WRT_QUICK_CODES] = {0};
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
  for (uint32_t i = 0; i < WRT_QUICK_CODES && bad == 0 && count >= PROGRAMS; i++) cr_expect_gt(ran[i], count, "rows of each kind: %u", i);
  uint32_t at = 0;
  for (const char *name; bad == 0 && count >= PROGRAMS && (name = hits_missing(&met, &at)) != NULL;) cr_expect_fail("never met: %s", name);
}
