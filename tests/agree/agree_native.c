/* tests/agree/agree_native.c -- programs give the same in kernels as in the canonical tier, in every form of push, and in a monitor that
** changes among all tiers, and in one that takes up kernels, leaves them and takes them up again by itself: scalar ones, whose kernels are of the whole schedule, and those with text or Any, which have kernels for regions: outputs, presence, failures with their places and words, and the arena, sample for sample of what its descriptors
** say is there.  Every third program has kernels that decline rows, or one region after another, for no reason, and all memory has fences around it.  Together the programs must meet every cause of a side exit, and every instruction in every kernel (tests/support/hits.h):
** behind so many come those that have what these have not met.
**
** WEIR_MODEL_SEED and WEIR_MODEL_COUNT choose other programs and more of them, WEIR_NATIVE_MODULE another module, and WEIR_SHRINK_TRIES how hard a
** case is made small: tests/planted/faults.sh wants faults found, not shown.  In a build without the native module this suite is empty. */
#include "tests/test.h"
#include "runtime/monitor.h"
#include "runtime/engine.h"
#include "runtime/native.h"
#include "tests/support/fence.h"
#include "tests/support/hits.h"
#include "tests/support/pushes.h"
#include "tests/support/scratch.h"
#include "tests/support/shrink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TEST_HAS_NATIVE

enum { ROWS = 50, PROGRAMS = 300, RICH_PROGRAMS = 400, TEXT_MAX_BYTES = 1 << 12, MOST_BATCH = 20, MOST_TRIES = 400, MOST_WANTED = 8000 };
enum { CANONICAL, AUTO, NATIVE, SWITCHED, MONITORS };
static const char *const names[MONITORS] = {"canonical", "auto", "native", "switched"};

typedef struct counts {
  uint64_t native_rows, regions[WRT_REGION_OUTCOMES], commits[2], forms[PUSHES_FORMS]; /* commits: programs with a kernel for that, without and with other rings */
  uint64_t taken_up, left; /* by the one in AUTO: kernels, in mid-run */
  uint64_t checked;        /* rows, by the monitors themselves */
  hits hits;
} counts;

typedef struct trial {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *of[MONITORS];
  const void *marked[MONITORS]; /* the fences before their arenas */
  uint64_t random;     /* begins with the program's seed */
  counts *counts;      /* NULL: not counted */
  uint64_t *cached;    /* by weir_cache_state; NULL: not counted */
  uint64_t ran[WIR_BODY_FITS]; /* rows by kernel, but for batches, which have rows in tiles too */
  char why[TIERS_WHY]; /* empty while all agree */
} trial;

static uint32_t below(trial *t, uint32_t n) { return pushes_below(&t->random, n); }

/* One row, or a few in a batch. */
static void draw_form(trial *t, pushes_form *form, uint32_t *n) {
  *form = t->of[CANONICAL]->is_typed ? (pushes_form)below(t, PUSHES_FORMS) : PUSHES_TAGGED;
  uint32_t rows = 1 + below(t, MOST_BATCH);
  *n = *form == PUSHES_BATCH ? WB_MIN(*n, rows) : 1;
}

/* A row comes to one kernel; nobody counts those that come to the warm one directly. */
static void count_kernel(trial *t, uint64_t general, uint64_t sparse, uint32_t done) {
  t->ran[WIR_BODY_GENERAL] += general;
  t->ran[WIR_BODY_SPARSE] += sparse;
  t->ran[WIR_BODY_WARM] += general + sparse == 0 ? done : 0;
}

/* Texts that grow with each row take long, and tell nothing new. */
static bool is_too_long(const trial *t) {
  for (uint32_t i = 0; i < t->program->n_streams; i++)
    if (t->of[CANONICAL]->row[i].tag == WEIR_TEXT && t->of[CANONICAL]->row[i].count > TEXT_MAX_BYTES) return true;
  return false;
}

/* Pushes some of `n` rows to all monitors; how many.  The two that are compared may get them in different forms. */
static uint32_t push_some(trial *t, uint64_t first, const weir_value (*rows)[MODEL_STREAMS], uint32_t n) {
  static const weir_tier tiers[] = {WEIR_TIER_CANONICAL, WEIR_TIER_QUICKENED, WEIR_TIER_NATIVE, WEIR_TIER_NATIVE, WEIR_TIER_AUTO};
  static pushes of[MONITORS];
  pushes_form form, other;
  draw_form(t, &form, &n);
  other = n != 1 ? PUSHES_BATCH : t->of[CANONICAL]->is_typed ? (pushes_form)below(t, PUSHES_FORMS) : PUSHES_TAGGED;
  cr_assert_eq(weir_monitor_set_tier(t->of[SWITCHED], tiers[below(t, WB_LEN(tiers))], NULL), WEIR_OK);
  pushes_run(t->of[CANONICAL], PUSHES_TAGGED, rows, n, &t->random, NULL, &of[CANONICAL]);
  for (int i = AUTO; i < MONITORS && t->why[0] == '\0'; i++) {
    const uint64_t *ran = t->of[i]->quick == NULL ? NULL : t->of[i]->quick->n_ran;
    uint64_t general = ran == NULL ? 0 : ran[WIR_BODY_GENERAL], sparse = ran == NULL ? 0 : ran[WIR_BODY_SPARSE];
    pushes_run(t->of[i], i == NATIVE ? form : other, rows, n, &t->random, &of[CANONICAL], &of[i]);
    if (i == NATIVE && form != PUSHES_BATCH) count_kernel(t, ran[WIR_BODY_GENERAL] - general, ran[WIR_BODY_SPARSE] - sparse, of[i].done);
    bool is_end = of[CANONICAL].end.code != WEIR_OK || first + n == ROWS;
    pushes_compare(first, names[i], t->program, &of[CANONICAL], &of[i], t->why);
    /* Kernels give the state back for that: mostly they keep it from row to row. */
    if (is_end || below(t, 4) == 0) tiers_compare_states(names[i], t->of[CANONICAL], t->of[i], t->why);
  }
  if (t->counts != NULL) t->counts->forms[form]++;
  return of[CANONICAL].end.code == WEIR_OK && t->why[0] == '\0' && !is_too_long(t) ? n : 0;
}

static void run_all(trial *t, const model_trace *trace) {
  weir_value rows[ROWS][MODEL_STREAMS];
  for (uint32_t i = 0; i < trace->n; i++) memcpy(rows[i], trace->rows[i].in, sizeof rows[i]);
  for (uint32_t i = 0, n = 1; i < trace->n && n != 0; i += n) n = push_some(t, i, (const weir_value(*)[MODEL_STREAMS])rows + i, trace->n - i);
}

/* The one in AUTO comes first: it finds the kernels of the native one when it looks for them. */
static void new_monitors(trial *t) {
  static const weir_tier tiers[MONITORS] = {WEIR_TIER_CANONICAL, WEIR_TIER_AUTO, WEIR_TIER_NATIVE, WEIR_TIER_CANONICAL};
  uint64_t check_every = t->random % 4 == 1 ? 2 : 0; /* of the two that change tiers, in some programs */
  for (int i = 0; i < MONITORS; i++) {
    weir_options options = {.size = sizeof options, .tier = tiers[i], .compile_after = 1 + below(t, ROWS / 2),
                            .check_every = i == AUTO || i == SWITCHED ? check_every : 0};
    cr_assert_eq(weir_monitor_new(t->engine, t->program, &options, &t->of[i], NULL), WEIR_OK);
    t->marked[i] = fence_mark(t->of[i]);
  }
  const char *why = t->of[NATIVE]->why_not_native;
  if (t->cached != NULL && t->of[NATIVE]->native != NULL) t->cached[t->of[NATIVE]->native->cached]++;
  if (why != NULL && t->counts != NULL) snprintf(t->why, sizeof t->why, "no kernels: %s", why);
}

static void count(counts *to, const weir_monitor *m, const uint64_t ran[WIR_BODY_FITS]) {
  weir_report report = {.size = sizeof report};
  weir_monitor_report(m, &report);
  to->native_rows += report.rows[WEIR_TIER_NATIVE];
  for (uint32_t i = 0; i < WRT_REGION_OUTCOMES; i++) to->regions[i] += m->n_region_outcomes[i];
  const wrt_native *n = m->native;
  if (n != NULL && n->regions != NULL) to->commits[n->has_other_rings] += n->regions[n->n_regions - 1] != NULL;
  hits_of_kernels(&to->hits, m->quick->bodies, ran);
  hits_of_regions(&to->hits, m->quick->bodies,
                  (const uint64_t[WIR_BODY_FITS]){[WIR_BODY_GENERAL] = m->n_region_outcomes[WRT_REGION_DONE_GENERAL], [WIR_BODY_SPARSE] = m->n_region_outcomes[WRT_REGION_DONE]});
  for (uint32_t i = 0; i < WEIR_CAUSE_COUNT; i++) to->hits.causes[i] += report.exits[i];
}

static void count_auto(counts *to, const weir_monitor *m) {
  weir_report report = {.size = sizeof report};
  weir_monitor_report(m, &report);
  to->taken_up += report.rows[WEIR_TIER_NATIVE] != 0 && report.rows[WEIR_TIER_QUICKENED] != 0;
  to->left += report.native_left;
}

/* Self-checks find nothing. */
static void compare_checks(trial *t) {
  for (int i = 0; i < MONITORS && t->why[0] == '\0'; i++) {
    weir_report report = {.size = sizeof report};
    weir_monitor_report(t->of[i], &report);
    if (report.differences != 0) snprintf(t->why, sizeof t->why, "%s, checked in row %" PRIu64 ": %s", names[i], report.difference_row, report.difference);
    if (t->counts != NULL) t->counts->checked += report.checked;
  }
}

static void compare_fences(trial *t) {
  for (int i = 0; i < MONITORS && t->why[0] == '\0'; i++)
    if (!fence_is_whole(t->of[i], t->marked[i])) snprintf(t->why, sizeof t->why, "%s: written before the arena", names[i]);
}

static bool disagrees(void *self, model *m, const model_trace *rows) {
  trial *t = self;
  const char *text = model_print(m);
  t->why[0] = '\0';
  t->random = m->seed;
  memset(t->ran, 0, sizeof t->ran);
  if (weir_compile(t->engine, text, strlen(text), NULL, &t->program, NULL) != WEIR_OK) {
    cr_assert(t->counts == NULL, "%s", text); /* only a changed program may be none */
    return false;
  }
  new_monitors(t);
  if (t->why[0] == '\0') run_all(t, rows);
  compare_checks(t);
  compare_fences(t);
  if (t->counts != NULL) count(t->counts, t->of[NATIVE], t->ran);
  if (t->counts != NULL) count_auto(t->counts, t->of[AUTO]);
  for (int i = 0; i < MONITORS; i++) weir_monitor_free(t->of[i]);
  weir_program_release(t->program);
  return t->why[0] != '\0';
}

/* Frees the model. */
static bool agrees(trial *t, model *m) {
  model_row rows[ROWS];
  model_trace trace = {.rows = rows, .n = ROWS};
  for (m->tick = 0; m->tick < ROWS; m->tick++) model_make_row(m, rows[m->tick].in);
  t->engine->native.leave_every = m->seed % 3 != 0 ? 0 : m->seed % 2 == 0 ? 2 + (uint32_t)(m->seed % 7) : 20 + (uint32_t)(m->seed % 41); /* of tiles, too */
  t->engine->native.most_general = !m->is_scalar && m->seed % 5 == 0 ? 1 : 0; /* what is for the general body is left to the quickened tier */
  bool is_good = !disagrees(t, m, &trace);
  if (!is_good) {
    trial again = {.engine = t->engine};
    shrink_tell(stderr, m, &trace, disagrees, &again, again.why, (uint32_t)tiers_setting("WEIR_SHRINK_TRIES", MOST_TRIES));
  }
  model_free(m);
  return is_good;
}

/* What programs of a kind are to meet. */
typedef struct kind {
  bool is_scalar;
  uint64_t n_programs;
  const char *(*missing)(const hits *, uint32_t *);
} kind;

static uint32_t count_missing(const kind *of, const hits *met) {
  uint32_t at = 0, n = 0;
  while (of->missing(met, &at) != NULL) n++;
  return n;
}

static weir_program *compile(weir_engine *engine, model *m) {
  const char *text = model_print(m);
  weir_program *p;
  cr_assert_eq(weir_compile(engine, text, strlen(text), NULL, &p, NULL), WEIR_OK);
  return p;
}

/* Has a kernel of the program an instruction that none has run yet?  Asks without compiling to machine code. */
static bool is_wanted(const kind *of, weir_engine *engine, model *m, const hits *met) {
  hits has = *met;
  const uint64_t once[WIR_BODY_FITS] = {1, 1, 1};
  weir_program *p = compile(engine, m);
  hits_of_kernels(&has, wir_program_bodies(p), once);
  hits_of_regions(&has, wir_program_bodies(p), once);
  weir_program_release(p);
  return count_missing(of, &has) < count_missing(of, met);
}

/* Has it kernels, and is it of this kind? */
static bool is_of(const kind *of, weir_engine *engine, model *m) {
  if (m->is_scalar || of->is_scalar) return m->is_scalar == of->is_scalar;
  weir_program *p = compile(engine, m);
  const wir_bodies *b = wir_program_bodies(p);
  bool has_kernels = b->is_whole || b->plan.n_regions != 0;
  weir_program_release(p);
  return has_kernels;
}

/* Compares so many programs of a kind, and then those that have what these have not met. */
static void compare_programs(const kind *of, counts *met) {
  uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1), n_programs = tiers_setting("WEIR_MODEL_COUNT", of->n_programs), bad = 0;
  fence around;
  fence_make(&around);
  weir_engine_options options = {.size = sizeof options, .native_module = tiers_module(), .allocator = &around.allocator};
  trial t = {.counts = met};
  cr_assert_eq(weir_engine_new(&options, &t.engine, NULL), WEIR_OK);
  t.engine->native.is_impatient = true;
  fence_arenas(t.engine);
  for (uint64_t n = 0, most = n_programs < of->n_programs ? n_programs : n_programs + MOST_WANTED;
       n < most && bad < 3 && (n < n_programs || count_missing(of, &met->hits) != 0); seed++) {
    model *m = model_new(seed, ROWS);
    if (!is_of(of, t.engine, m)) {
      model_free(m);
      continue;
    }
    if (n < n_programs || is_wanted(of, t.engine, m, &met->hits)) bad += !agrees(&t, m);
    else model_free(m);
    n++;
  }
  weir_engine_free(t.engine);
  cr_expect_eq(bad, 0);
  cr_expect(around.n_blocks > n_programs && around.n_torn == 0, "of %" PRIu64 " blocks %" PRIu64 " were written beside", around.n_blocks, around.n_torn);
  if (bad != 0 || n_programs < of->n_programs) return;
  uint32_t at = 0;
  for (const char *name; (name = of->missing(&met->hits, &at)) != NULL;) cr_expect_fail("never met: %s", name);
  cr_expect_gt(met->native_rows, n_programs);
  cr_expect_gt(met->checked, n_programs);
  cr_expect_gt(met->taken_up, n_programs / 3);
  cr_expect_gt(met->left, n_programs / 50);
}

Test(agree_native, scalar_programs_give_the_same_in_kernels_and_across_all_tiers, .timeout = 86400) {
  static const kind scalar = {true, PROGRAMS, hits_missing_kernel};
  static counts met;
  compare_programs(&scalar, &met);
  for (uint32_t i = 0; tiers_setting("WEIR_MODEL_COUNT", PROGRAMS) >= PROGRAMS && i < PUSHES_FORMS; i++) cr_expect_gt(met.forms[i], PROGRAMS, "pushes of each form: %u", i);
}

Test(agree_native, programs_with_rich_streams_give_the_same_with_kernels_of_regions, .timeout = 86400) {
  static const kind rich = {false, RICH_PROGRAMS, hits_missing_region};
  static counts met;
  compare_programs(&rich, &met);
  if (tiers_setting("WEIR_MODEL_COUNT", RICH_PROGRAMS) < RICH_PROGRAMS) return;
  for (uint32_t i = 0; i < PUSHES_FORMS; i++) cr_expect_gt(met.forms[i], 50, "pushes of each form: %u", i);
  for (uint32_t i = 0; i < WRT_REGION_OUTCOMES; i++) cr_expect_gt(met.regions[i], RICH_PROGRAMS, "outcomes of regions: %u", i);
  for (int i = 0; i < 2; i++) cr_expect_gt(met.commits[i], 30, "kernels of the commit: %d", i);
}

/* ---- The object cache ---- */

enum { CACHED = 40 };

/* In processes that follow each other, as far as the cache can tell: engines that know nothing of each other. */
Test(agree_native, kernels_from_the_cache_give_the_same, .timeout = 300) {
  uint64_t first = tiers_setting("WEIR_MODEL_SEED", 1), cached[2][WEIR_CACHE_STATE_COUNT] = {{0}}, n[2] = {0, 0}, bad = 0;
  weir_engine_options options = {.size = sizeof options, .native_module = TEST_NATIVE, .object_cache = scratch_make()};
  for (int turn = 0; turn < 2; turn++) {
    trial t = {.cached = cached[turn]};
    cr_assert_eq(weir_engine_new(&options, &t.engine, NULL), WEIR_OK);
    for (uint64_t seed = first; n[turn] < CACHED && bad < 3; seed++) {
      model *m = model_new(seed, ROWS);
      const kind any = {.is_scalar = m->is_scalar};
      bool has_kernels = is_of(&any, t.engine, m);
      n[turn] += has_kernels;
      if (has_kernels) bad += !agrees(&t, m);
      else model_free(m);
    }
    weir_engine_free(t.engine);
  }
  scratch_remove();
  cr_expect_eq(bad, 0);
  cr_expect(cached[0][WEIR_CACHE_KEPT] + cached[0][WEIR_CACHE_FOUND] == CACHED && cached[0][WEIR_CACHE_KEPT] > CACHED / 2);
  cr_expect_eq(cached[1][WEIR_CACHE_FOUND], CACHED);
}

/* ---- Large schedules, for which there is another way to compile ---- */

enum { LARGE = 1500, LARGE_ROWS = 40, LARGE_INPUTS = 3 };

/* Equations of all kinds; of x = 77 one kind fails.  is_rich: one has a text in it. */
static char *large_text(bool is_rich) {
  static const char *const forms[] = {
    "s%u = default(s%u[1], 0) + x %% 7\n", "s%u = 0.5 * f + default(s%u[2], f)\n", "s%u = default(s%u[1], false) || x > 3 && b\n",
    "s%u = if x > 2 then default(s%u[1], 1) * 2 else x\n", "s%u = x - (if x == 77 then 100 / (x - 77) else s%u)\n"};
  static const char *const types[] = {"Int", "Float", "Bool", "Int", "Int"};
  char *text = NULL;
  size_t n = 0;
  FILE *to = open_memstream(&text, &n);
  cr_assert_not_null(to);
  fputs("in x: Int\nin f: Float\nin b: Bool\n", to);
  for (unsigned i = 1; i <= LARGE; i++) fprintf(to, "%s s%u: %s\n", i % 3 == 0 ? "out" : "aux", i, types[i % 5]);
  for (unsigned i = 1; i <= LARGE; i++) fprintf(to, forms[i % 5], i, i % 5 == 4 ? i - 1 : i);
  if (is_rich) fputs("out t: Str\nt = if s2 then \"yes\" else \"no\"\n", to);
  fclose(to);
  return text;
}

static void large_row(uint64_t *random, weir_value row[LARGE_INPUTS]) {
  row[0] = (weir_value){.tag = WEIR_INT, .as.i = pushes_below(random, 6)};
  row[1] = (weir_value){.tag = WEIR_FLOAT, .as.f = pushes_below(random, 9)};
  row[2] = (weir_value){.tag = WEIR_BOOL, .as.b = pushes_below(random, 2) != 0};
  if (pushes_below(random, 4) == 0) row[pushes_below(random, LARGE_INPUTS)] = (weir_value){.tag = WEIR_NOVAL};
}

static void compare_large(bool is_rich) {
  weir_engine_options options = {.size = sizeof options, .native_module = TEST_NATIVE};
  char *text = large_text(is_rich);
  trial t = {.why = ""};
  uint64_t random = 1;
  tiers_end ends[MONITORS];
  weir_report report = {.size = sizeof report};
  cr_assert_eq(weir_engine_new(&options, &t.engine, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(t.engine, text, strlen(text), NULL, &t.program, NULL), WEIR_OK, "%s", text);
  new_monitors(&t);
  for (int row = 0; row < LARGE_ROWS && t.why[0] == '\0'; row++) {
    weir_value values[LARGE_INPUTS];
    large_row(&random, values);
    if (row == LARGE_ROWS - 1) values[0] = (weir_value){.tag = WEIR_INT, .as.i = 77};
    cr_assert_eq(weir_monitor_set_tier(t.of[SWITCHED], row % 3 == 0 ? WEIR_TIER_QUICKENED : WEIR_TIER_NATIVE, NULL), WEIR_OK);
    for (int i = 0; i < MONITORS; i++) ends[i] = tiers_push(t.of[i], values);
    for (int i = AUTO; i < MONITORS && t.why[0] == '\0'; i++) {
      tiers_compare((uint64_t)row, names[i], t.of[CANONICAL], &ends[CANONICAL], t.of[i], &ends[i], t.why);
      tiers_compare_states(names[i], t.of[CANONICAL], t.of[i], t.why);
    }
    if (ends[CANONICAL].code != WEIR_OK) break;
  }
  cr_expect_str_empty(t.why, "%s", t.why);
  weir_monitor_report(t.of[NATIVE], &report);
  cr_expect_gt(report.rows[WEIR_TIER_NATIVE], LARGE_ROWS / 4);
  if (is_rich) cr_expect_gt(report.native_regions, LARGE_ROWS / 4);
  for (int i = 0; i < MONITORS; i++) weir_monitor_free(t.of[i]);
  weir_program_release(t.program);
  weir_engine_free(t.engine);
  free(text);
}

Test(agree_native, large_schedules_give_the_same, .timeout = 300) { compare_large(false); }
Test(agree_native, large_regions_give_the_same, .timeout = 300) { compare_large(true); }

#endif
