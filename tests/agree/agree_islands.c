/* tests/agree/agree_islands.c -- programs with text and Any in them give the same where scalar islands are computed apart, and where that
** changes at any row, as in the canonical tier: outputs, presence, failures with their places and words.
**
** Programs are random, and templates that put rich operations around scalar ones which fail, under guards and outside.
** WEIR_MODEL_SEED and WEIR_MODEL_COUNT choose other programs and more of them. */
#include "tests/test.h"
#include "runtime/monitor.h"
#include "tests/support/model.h"
#include "tests/support/tiers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 50, PROGRAMS = 3000, TEXT_MAX_BYTES = 1 << 14 };

enum { CANONICAL, QUICKENED, SWITCHED, MONITORS };
static const char *const names[MONITORS] = {"canonical", "quickened", "switched"};

typedef struct trial {
  model *m;            /* what rows, and whatever else is random, are made of */
  void (*make_row)(model *, weir_value *);
  weir_program *program;
  weir_monitor *of[MONITORS];
  char why[TIERS_WHY]; /* empty while all agree */
} trial;

/* Texts that grow with each row take long, and tell nothing new. */
static bool is_too_long(const trial *t) {
  for (uint32_t i = 0; i < t->program->n_streams; i++)
    if (t->of[CANONICAL]->row[i].tag == WEIR_TEXT && t->of[CANONICAL]->row[i].count > TEXT_MAX_BYTES) return true;
  return false;
}

/* False: there is no next row. */
static bool run_row(trial *t) {
  weir_value row[MODEL_STREAMS];
  tiers_end ends[MONITORS];
  t->make_row(t->m, row);
  t->m->tick++;
  weir_tier tier = model_chance(t->m, 50) ? WEIR_TIER_CANONICAL : WEIR_TIER_QUICKENED;
  cr_assert_eq(weir_monitor_set_tier(t->of[SWITCHED], tier, NULL), WEIR_OK);
  for (int i = 0; i < MONITORS; i++) ends[i] = tiers_push(t->of[i], row);
  for (int i = QUICKENED; i < MONITORS && t->why[0] == '\0'; i++)
    tiers_compare(t->m->tick - 1, names[i], t->of[CANONICAL], &ends[CANONICAL], t->of[i], &ends[i], t->why);
  return ends[CANONICAL].code == WEIR_OK && t->why[0] == '\0' && !is_too_long(t);
}

static void new_monitors(trial *t, weir_engine *engine) {
  static const weir_tier tiers[MONITORS] = {WEIR_TIER_CANONICAL, WEIR_TIER_QUICKENED, WEIR_TIER_CANONICAL};
  for (int i = 0; i < MONITORS; i++) {
    weir_options options = {.size = sizeof options, .tier = tiers[i]};
    cr_assert_eq(weir_monitor_new(engine, t->program, &options, &t->of[i], NULL), WEIR_OK);
  }
}

/* What the quickened monitor has computed in islands. */
static uint64_t n_ran(const trial *t) {
  weir_report report = {.size = sizeof report};
  weir_monitor_report(t->of[QUICKENED], &report);
  return report.islands;
}

static bool agrees(weir_engine *engine, model *m, void (*make_row)(model *, weir_value *), const char *text, uint64_t seed, uint64_t *ran) {
  trial t = {.m = m, .make_row = make_row};
  cr_assert_eq(weir_compile(engine, text, strlen(text), NULL, &t.program, NULL), WEIR_OK, "%s", text);
  new_monitors(&t, engine);
  for (uint32_t i = 0; i < ROWS && run_row(&t); i++) continue;
  *ran += n_ran(&t);
  if (t.why[0] != '\0') fprintf(stderr, "WEIR_MODEL_SEED=%" PRIu64 " WEIR_MODEL_COUNT=1: %s\n%s\n", seed, t.why, text);
  for (int i = 0; i < MONITORS; i++) weir_monitor_free(t.of[i]);
  weir_program_release(t.program);
  return t.why[0] == '\0';
}

Test(agree_islands, rich_programs_give_the_same_with_islands_and_without, .timeout = 86400) {
  uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1), count = tiers_setting("WEIR_MODEL_COUNT", PROGRAMS), bad = 0, ran = 0;
  weir_engine *engine;
  cr_assert_eq(weir_engine_new(NULL, &engine, NULL), WEIR_OK);
  for (uint64_t n = 0; n < count && bad < 3; seed++) {
    model *m = model_new(seed, ROWS);
    if (!m->is_scalar) {
      bad += !agrees(engine, m, model_make_row, model_print(m), seed, &ran);
      n++;
    }
    model_free(m);
  }
  weir_engine_free(engine);
  cr_expect_eq(bad, 0);
  if (count >= PROGRAMS) cr_expect_gt(ran, count, "islands were computed");
}

/* ---- Templates ---- */

/* Two scalar expressions over x, y: Int, f: Float and b: Bool, with parts that fail on zero and that overflow; in random texts. */
enum { TEXT_BYTES = 4000 };

static const char *const ints[] = {"x / y", "x % y", "x * x * x", "(x - y) * 1000000007", "abs(x) + y[1]", "default(y[2], x) - 1", "latch(x, b) + y",
                                   "(if y != 0 then x / y else x % 3)", "(if b then x * 9223372036854775807 else y + 1)", "x ** y"};
static const char *const bools[] = {"x > y", "y != 0 && x / y > 0", "b || x % y == 0", "f * 2.0 >= x + f", "!b", "b => x == y * y", "x < 0 == b",
                                    "is_defined(x[1]) && x[1] < y"};
/* %s: an Int, a Bool, an Int, a Bool. */
static const char *const templates[] = {
    "out t: Str\nt = if %1$s + %3$s > 3 && (%2$s) then \"hot\" else if %4$s then s else \"cold\"\n",
    "out t: Str\nt = (if %2$s && %4$s then s else \"a\") ++ (if (%1$s) * 2 == %3$s then \"b\" else default(t[1], \"-\"))\n",
    "out t\nt = if (%2$s) || (%4$s) then a else %1$s - (%3$s) * 2\n",
    "out t\nt = if s == \"a\" then (%1$s) + 1 + %3$s else if (%2$s) == (%4$s) then a else s\n",
    "out t: Bool\nt = (s == \"a\" || (%2$s)) && (%1$s) * (%3$s) > 0 || ((s ++ \"b\") == \"ab\") == (%4$s)\n",
    "out t: Float\nt = if s < \"b\" then f * 2.0 + %1$s else default(t[1], 0.0) - f * (%3$s)\nout u: Bool\nu = s > \"a\" => (%2$s) == !(%4$s)\n",
};
#define PICK(m, texts) (texts)[model_below((m), sizeof(texts) / sizeof *(texts))]

static void write_template(model *m, char *text) {
  size_t n = (size_t)snprintf(text, TEXT_BYTES, "in x: Int\nin y: Int\nin f: Float\nin b: Bool\nin s: Str\nin a\n");
  const char *one = PICK(m, ints), *two = PICK(m, bools), *three = PICK(m, ints), *four = PICK(m, bools);
  snprintf(text + n, TEXT_BYTES - n, PICK(m, templates), one, two, three, four);
}

/* Small numbers, so that divisors are often zero and products sometimes too large; each fifth value is missing or Deferred. */
static void make_row(model *m, weir_value *row) {
  static const char *const texts[] = {"a", "b", "ab"};
  bool is_gappy = model_chance(m, 50);
  row[0] = (weir_value){.tag = WEIR_INT, .as.i = model_chance(m, 2) ? INT64_MAX : (int64_t)model_below(m, 7) - 3};
  row[1] = (weir_value){.tag = WEIR_INT, .as.i = model_chance(m, 15) ? 0 : (int64_t)model_below(m, 4) + 1};
  row[2] = (weir_value){.tag = WEIR_FLOAT, .as.f = model_below(m, 8) * 0.5};
  row[3] = (weir_value){.tag = WEIR_BOOL, .as.b = model_chance(m, 50)};
  const char *text = PICK(m, texts);
  row[4] = (weir_value){.tag = WEIR_TEXT, .count = (uint32_t)strlen(text), .as.text = text};
  row[5] = row[model_below(m, 5)];
  for (uint32_t i = 0; is_gappy && i < 6; i++)
    if (model_chance(m, 20)) row[i] = (weir_value){.tag = model_chance(m, 70) ? WEIR_NOVAL : WEIR_DEFERRED};
}

Test(agree_islands, templates_of_rich_around_scalar_operations_give_the_same, .timeout = 86400) {
  uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1), count = tiers_setting("WEIR_MODEL_COUNT", PROGRAMS), bad = 0, ran = 0;
  weir_engine *engine;
  cr_assert_eq(weir_engine_new(NULL, &engine, NULL), WEIR_OK);
  for (uint64_t n = 0; n < count && bad < 3; n++, seed++) {
    model *m = model_new(seed, ROWS);
    char text[TEXT_BYTES];
    write_template(m, text);
    bad += !agrees(engine, m, make_row, text, seed, &ran);
    model_free(m);
  }
  weir_engine_free(engine);
  cr_expect_eq(bad, 0);
  if (count >= PROGRAMS) cr_expect_gt(ran, 10 * count, "islands were computed");
}
