/* tests/agree/agree_native.c -- scalar programs give the same in kernels as in the canonical tier, and in a monitor that changes among all tiers
** at any row: outputs, presence, failures with their places and words, and the arena, byte for byte of what its descriptors say is there.
**
** WEIR_MODEL_SEED and WEIR_MODEL_COUNT choose other programs and more of them.  In a build without the native module this suite is empty. */
#include "tests/test.h"
#include "runtime/monitor.h"
#include "runtime/native.h"
#include "tests/support/model.h"
#include "tests/support/tiers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#ifdef TEST_HAS_NATIVE

enum { ROWS = 50, PROGRAMS = 300 };
enum { CANONICAL, NATIVE, SWITCHED, MONITORS };
static const char *const names[MONITORS] = {"canonical", "native", "switched"};

typedef struct trial {
  model *m;
  weir_program *program;
  weir_monitor *of[MONITORS];
  char why[TIERS_WHY]; /* empty while all agree */
} trial;

typedef struct met { uint64_t ran[WIR_BODY_FITS], declined[WEIR_CAUSE_COUNT], native_rows; } met;

static weir_value sample(const weir_monitor *m, const wir_state *s, uint64_t i) {
  return wir_sample_load((wir_cell)s->cell, m->arena + s->offset, m->arena + s->presence, i);
}

/* Cells that hold no value may have anything in them; a ring's places too, beyond the samples that it has. */
static bool same_state(const weir_monitor *a, const weir_monitor *b, const wir_state *s) {
  uint64_t filled = s->capacity;
  if (wir_state_is_ring(s)) {
    const wir_ring *x = (const wir_ring *)(const void *)(a->arena + s->ring), *y = (const wir_ring *)(const void *)(b->arena + s->ring);
    if (x->next != y->next || x->filled != y->filled) return false;
    filled = x->filled;
  }
  for (uint64_t i = 0; i < filled; i++)
    if (!model_same(sample(a, s, i), sample(b, s, i))) return false;
  return true;
}

static void compare_states(trial *t, int i) {
  for (uint32_t k = 0; k < t->program->n_states && t->why[0] == '\0'; k++) {
    if (same_state(t->of[CANONICAL], t->of[i], &t->program->states[k])) continue;
    snprintf(t->why, sizeof t->why, "after row %" PRIu64 ", %s: state %u differs", t->m->tick - 1, names[i], k);
  }
}

/* False: there is no next row. */
static bool run_row(trial *t) {
  static const weir_tier tiers[] = {WEIR_TIER_CANONICAL, WEIR_TIER_QUICKENED, WEIR_TIER_NATIVE, WEIR_TIER_NATIVE};
  weir_value row[MODEL_STREAMS];
  tiers_end ends[MONITORS];
  model_make_row(t->m, row);
  t->m->tick++;
  weir_tier tier = tiers[2 * model_chance(t->m, 60) + model_chance(t->m, 50)];
  cr_assert_eq(weir_monitor_set_tier(t->of[SWITCHED], tier, NULL), WEIR_OK);
  for (int i = 0; i < MONITORS; i++) ends[i] = tiers_push(t->of[i], row);
  for (int i = NATIVE; i < MONITORS && t->why[0] == '\0'; i++) {
    tiers_compare(t->m->tick - 1, names[i], t->of[CANONICAL], &ends[CANONICAL], t->of[i], &ends[i], t->why);
    compare_states(t, i);
  }
  return ends[CANONICAL].code == WEIR_OK && t->why[0] == '\0';
}

static void new_monitors(trial *t, weir_engine *engine) {
  static const weir_tier tiers[MONITORS] = {WEIR_TIER_CANONICAL, WEIR_TIER_NATIVE, WEIR_TIER_CANONICAL};
  for (int i = 0; i < MONITORS; i++) {
    weir_options options = {.size = sizeof options, .tier = tiers[i]};
    cr_assert_eq(weir_monitor_new(engine, t->program, &options, &t->of[i], NULL), WEIR_OK);
  }
  const char *why = t->of[NATIVE]->why_not_native;
  if (why != NULL) snprintf(t->why, sizeof t->why, "no kernels: %s", why);
}

static void count(met *to, const weir_monitor *m) {
  weir_report report = {.size = sizeof report};
  weir_monitor_report(m, &report);
  to->native_rows += report.rows[WEIR_TIER_NATIVE];
  for (uint32_t i = 0; i < WIR_BODY_FITS; i++) to->ran[i] += m->quick->n_ran[i];
  for (uint32_t i = 0; i < WEIR_CAUSE_COUNT; i++) to->declined[i] += report.declined[i];
}

static bool agrees(weir_engine *engine, model *m, uint64_t seed, met *to) {
  trial t = {.m = m};
  const char *text = model_print(m);
  cr_assert_eq(weir_compile(engine, text, strlen(text), NULL, &t.program, NULL), WEIR_OK, "%s", text);
  new_monitors(&t, engine);
  for (uint32_t i = 0; i < ROWS && t.why[0] == '\0' && run_row(&t); i++) continue;
  count(to, t.of[NATIVE]);
  if (t.why[0] != '\0') fprintf(stderr, "WEIR_MODEL_SEED=%" PRIu64 " WEIR_MODEL_COUNT=1: %s\n%s\n", seed, t.why, text);
  for (int i = 0; i < MONITORS; i++) weir_monitor_free(t.of[i]);
  weir_program_release(t.program);
  return t.why[0] == '\0';
}

Test(agree_native, scalar_programs_give_the_same_in_kernels_and_across_all_tiers, .timeout = 86400) {
  uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1), n_programs = tiers_setting("WEIR_MODEL_COUNT", PROGRAMS), bad = 0;
  weir_engine_options options = {.size = sizeof options, .native_module = TEST_NATIVE};
  weir_engine *engine;
  met to = {.native_rows = 0};
  cr_assert_eq(weir_engine_new(&options, &engine, NULL), WEIR_OK);
  for (uint64_t n = 0; n < n_programs && bad < 3; seed++) {
    model *m = model_new(seed, ROWS);
    if (m->is_scalar) {
      bad += !agrees(engine, m, seed, &to);
      n++;
    }
    model_free(m);
  }
  weir_engine_free(engine);
  cr_expect_eq(bad, 0);
  for (uint32_t i = 0; i < WIR_BODY_FITS && n_programs >= PROGRAMS; i++) cr_expect_gt(to.ran[i], n_programs, "rows of each kind: %u", i);
  for (uint32_t i = 0; i < WEIR_CAUSE_COUNT && n_programs >= PROGRAMS; i++) cr_expect_gt(to.declined[i], 0, "never declined: %s", weir_cause_text(i));
  cr_expect_gt(to.native_rows, 0);
}

#endif
