/* tests/agree/agree_tile.c -- batches in tiles against the canonical tier row by row: the same values, presence, failures, and the same state to go on
** with; on random scalar programs and on programs for each recurrence, at every level of this machine's processor,
** and in kernels for several.  Every second program has kernels that decline tiles for no reason.
**
** Columns, the kernels' scratch memory, and all that a monitor has, stand between canaries.  Together the programs must meet what
** tests/support/hits.h lists, in the quickened tier and in kernels.
**
** WEIR_MODEL_SEED and WEIR_MODEL_COUNT choose other random programs and more of them, WEIR_NATIVE_MODULE another module, and WEIR_SHRINK_TRIES
** how hard a case is made small: tests/planted/faults.sh wants faults found, not shown. */
#include "tests/test.h"
#include "runtime/monitor.h"
#include "runtime/native.h"
#include "runtime/tile.h"
#include "tests/support/buffers.h"
#include "tests/support/fence.h"
#include "tests/support/hits.h"
#include "tests/support/tiled.h"
#include "tests/support/tile_programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(WEIR_SANITIZE) || defined(WEIR_TINY) || defined(TEST_HAS_NATIVE)
enum { PROGRAMS = 150 };
#else
enum { PROGRAMS = 1000 };
#endif
enum { MOST_TRIES = 300 };

typedef struct way way;

/* A comparison, and what was met. */
typedef struct duel {
  tiled t;
  fence around;
  const way *of;          /* how it runs */
  uint64_t seed;
  uint64_t *used;         /* by loop: steps of plans that were made */
  uint64_t tiles, small, bad;
  uint64_t in_kernels;    /* of tiles, too */
  uint64_t n_torn;        /* scratch memories that were written beside */
  hits met;               /* by rows in tiles, and by those that declined */
} duel;

/* A way to run tiles: a level of the quickened tier, or kernels for a processor.  NULL: this processor does not have it. */
struct way { const char *name, *level, *cpu, *features; };

static const way ways[] = {{"x86-64", "x86-64", NULL, NULL}, {"x86-64-v3", "x86-64-v3", NULL, NULL}, {"x86-64-v4", "x86-64-v4", NULL, NULL},
#ifdef TEST_HAS_NATIVE
  {"kernels", NULL, NULL, NULL}, {"kernels for x86-64-v3", NULL, "x86-64-v3", "+avx2,+bmi,+bmi2,+fma,+lzcnt"}, {"kernels for x86-64", NULL, "x86-64", ""},
#endif
};

static void count_loops(duel *d, const wrt_tile_code *c) {
  for (uint32_t i = 0; i < c->n_steps; i++) d->used[c->steps[i].loop]++;
}

static void count_tile(duel *d, const weir_monitor *m) {
  const wrt_quick *q = m->made_quick;
  if (q == NULL || q->tile == NULL) return;
  const wrt_tile *t = q->tile;
  const wrt_native_batch *n = m->native_batch;
  if (n != NULL) hits_of_tiles(&d->met, q->bodies, n);
  for (uint32_t f = 0; n != NULL && f < WIR_BODY_FITS; f++) d->in_kernels += n->n_tiles[f];
  hits_of_quick(&d->met, q);
  d->tiles += t->n_tiles;
  d->small += t->n_small;
  d->bad += t->n_bad;
  for (uint32_t f = 0; f < WIR_BODY_FITS; f++) {
    if (t->n_tiles == t->n_bad || !t->plans[f].is_possible) continue;
    count_loops(d, &t->plans[f].held);
    count_loops(d, &t->plans[f].checked);
    count_loops(d, &t->plans[f].small);
  }
}

/* ---- Monitors ---- */

/* A monitor with a fence before its arena, and its kernels' scratch memory between canaries. */
typedef struct runner { weir_monitor *m; const void *marked; buffer scratch; size_t before, bytes; } runner;

static void fence_scratch(runner *r) {
  const wrt_native *n = r->m->native;
  if (r->m->native_batch == NULL) r->m->native_batch = wrt_native_batch_new(r->m, n); /* else with the first batch */
  cr_assert_not_null(r->m->native_batch);
  for (uint32_t f = 0; f < WIR_BODY_FITS; f++) r->bytes = n->tiles[f] == NULL ? r->bytes : WB_MAX(r->bytes, n->batches[f].scratch);
  r->scratch = buffer_new(r->bytes + 64);
  r->before = -(uintptr_t)r->scratch.at % 64;
  r->m->native_batch->frame.scratch = r->scratch.at + r->before;
}

static bool begin(duel *d, runner *r) {
  const way *w = d->of;
  weir_options options = {.size = sizeof options, .tier = w->level == NULL ? WEIR_TIER_NATIVE : WEIR_TIER_QUICKENED};
  *r = (runner){.m = NULL};
  d->t.engine->native.cpu = w->cpu;
  d->t.engine->native.features = w->features;
  d->t.engine->native.leave_every = d->seed % 2 == 0 ? 90 + (uint32_t)(d->seed * 37 % 1500) : 0;
  cr_assert_eq(weir_monitor_new(d->t.engine, d->t.program, &options, &r->m, NULL), WEIR_OK);
  r->marked = fence_mark(r->m);
  if (w->level == NULL && r->m->native != NULL) fence_scratch(r);
  else if (w->level == NULL) tiled_complain(&d->t, 0, r->m->why_not_native, 0);
  if (w->level == NULL || wrt_tile_set_level(r->m->quick, w->level)) return true;
  weir_monitor_free(r->m);
  return false;
}

static void end(duel *d, runner *r) {
  if (!fence_is_whole(r->m, r->marked)) tiled_complain(&d->t, 0, "written before the arena", 0);
  weir_monitor_free(r->m);
  if (r->scratch.at == NULL) return;
  bool is_intact = buffer_is_intact(r->scratch);
  for (size_t i = 0; i < 64; i++) is_intact &= r->scratch.at[i < r->before ? i : r->bytes + i] == BUFFER_CANARY;
  if (!is_intact) tiled_complain(&d->t, 0, "written past the scratch memory", 0);
  buffer_free(r->scratch);
}

/* Batches, rows and switches of the tier, at random. */
static void run_tiles(duel *d) {
  tiled *t = &d->t;
  runner r;
  if (!begin(d, &r)) return;
  weir_tier tier = d->of->level == NULL ? WEIR_TIER_NATIVE : WEIR_TIER_QUICKENED;
  weir_monitor *m = r.m;
  bool is_restless = tiled_below(t, 4) == 0;
  while (t->why[0] == '\0' && !weir_monitor_is_terminal(m) && weir_monitor_ticks(m) < t->n_rows) {
    uint32_t row = (uint32_t)weir_monitor_ticks(m), rows = 1 + tiled_below(t, tiled_below(t, 3) == 0 ? 40 : TILED_BATCH);
    uint32_t dice = tiled_below(t, 10), left = t->n_rows - row;
    if (rows < left && tiled_below(t, 2) == 0) rows = left - (left - rows) / WRT_BATCH_UNIT * WRT_BATCH_UNIT; /* so that the end is in a kernel's tile */
    if (is_restless && dice == 0) cr_assert_eq(weir_monitor_set_tier(m, WEIR_TIER_CANONICAL, NULL), WEIR_OK);
    if (is_restless && dice == 1) cr_assert_eq(weir_monitor_set_tier(m, tier, NULL), WEIR_OK);
    if (dice == 2) tiled_push_row(t, m, row);
    else (void)tiled_push_batch(t, m, row, WB_MIN(rows, left));
  }
  if (t->why[0] == '\0' && (weir_monitor_is_terminal(m) != (t->n_good < t->n_rows) || weir_monitor_ticks(m) != t->n_good))
    tiled_complain(t, t->n_good, "it ends elsewhere", 0);
  if (t->why[0] == '\0') tiers_compare_states(t->name, t->canonical, m, t->why);
  count_tile(d, m);
  end(d, &r);
}

/* Half of the rows in tiles, the rest canonically: the state is right. */
static void run_and_switch(duel *d) {
  tiled *t = &d->t;
  runner r;
  if (!begin(d, &r)) return;
  uint32_t more = tiled_below(t, 70), half = WB_MIN(t->n_rows, t->n_rows / 2 + more), row = 0;
  while (row < half && t->why[0] == '\0' && !weir_monitor_is_terminal(r.m)) {
    uint32_t rows = 1 + tiled_below(t, TILED_BATCH);
    row += tiled_push_batch(t, r.m, row, WB_MIN(half - row, rows));
  }
  cr_assert_eq(weir_monitor_set_tier(r.m, WEIR_TIER_CANONICAL, NULL), WEIR_OK);
  for (; row < t->n_rows && row < half + 100 && t->why[0] == '\0' && !weir_monitor_is_terminal(r.m); row++) tiled_push_row(t, r.m, row);
  end(d, &r);
}

/* ---- Duels ---- */

static bool compiles(duel *d, const char *text) {
  weir_program_release(d->t.program);
  d->t.program = NULL;
  return weir_compile(d->t.engine, text, strlen(text), NULL, &d->t.program, NULL) == WEIR_OK;
}

static void count_presence(duel *d) {
  static const hits_presence of[] = {[TILED_ABSENT] = HITS_NOVAL, [TILED_THERE] = HITS_VALUE, [TILED_LATE] = HITS_DEFERRED};
  for (uint32_t row = 0; row < d->t.n_good; row++)
    for (uint32_t o = 0; o < d->t.n_outs; o++) d->met.presence[of[d->t.outs[row][o].what]]++;
}

/* Runs the rows canonically, for what follows. */
static void prepare(duel *d) {
  d->t.canonical = NULL;
  d->t.name = "canonical";
  d->t.end = (weir_error){.code = WEIR_OK};
  d->t.why[0] = '\0';
  tiled_run_canonical(&d->t);
}

/* The same each time, whatever was before. */
static void run_way(duel *d, const way *w) {
  d->of = w;
  d->t.name = w->name;
  d->t.random = d->seed;
  run_tiles(d);
  if (d->t.why[0] == '\0') run_and_switch(d);
}

static void put_away(duel *d) {
  weir_monitor_free(d->t.canonical);
  weir_program_release(d->t.program);
  d->t.program = NULL;
}

/* The text is compiled, and its rows are made.  Compiling to machine code takes time: another seed has another processor; and kernels are the
** program's, so each processor wants a program of its own. */
static bool agrees(duel *d, const char *text) {
  prepare(d);
  hits_of_program(&d->met, d->t.program);
  count_presence(d);
  for (size_t k = 0; k < WB_LEN(ways) && d->t.why[0] == '\0'; k++) {
    const way *w = &ways[k];
    if (w->level == NULL && (d->seed % 3 != k % 3 || !compiles(d, text))) continue;
    run_way(d, w);
  }
  put_away(d);
  return d->t.why[0] == '\0';
}

/* Of a model and rows that have become smaller, in the way that has shown it. */
static bool disagrees(void *self, model *m, const model_trace *rows) {
  duel *d = self;
  if (!compiles(d, model_print(m))) return false;
  tiled_take_rows(&d->t, rows);
  prepare(d);
  run_way(d, d->of);
  put_away(d);
  return d->t.why[0] != '\0';
}

/* The rows are those of the program of that seed. */
static void tell(duel *d, model_row *rows) {
  model *m = model_new(d->seed, TILED_ROWS);
  model_trace trace = {.rows = rows, .n = d->t.n_rows};
  shrink_tell(stderr, m, &trace, disagrees, d, d->t.why, (uint32_t)tiers_setting("WEIR_SHRINK_TRIES", MOST_TRIES));
  model_free(m);
}

/* Where cases are not shown the first is enough. */
static uint64_t most_bad(void) { return tiers_setting("WEIR_SHRINK_TRIES", MOST_TRIES) == 0 ? 1 : 3; }

static void open_duel(duel *d) {
  weir_engine *engine;
  memset(d, 0, sizeof *d);
  fence_make(&d->around);
  weir_engine_options options = {.size = sizeof options, .native_module = tiers_module(), .allocator = &d->around.allocator};
  cr_assert_eq(weir_engine_new(&options, &engine, NULL), WEIR_OK);
  fence_arenas(engine);
  tiled_open(&d->t, engine);
  d->used = calloc(WRT_TILE_LOOP_COUNT, sizeof *d->used);
  cr_assert_not_null(d->used);
}
static void close_duel(duel *d) {
  weir_engine_free(d->t.engine);
  tiled_close(&d->t);
  free(d->used);
  cr_expect(d->around.n_blocks != 0 && d->around.n_torn == 0, "of %" PRIu64 " blocks %" PRIu64 " were written beside", d->around.n_blocks, d->around.n_torn);
}

Test(agree_tile, random_scalar_programs_agree, .timeout = 86400) {
  uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1), count = tiers_setting("WEIR_MODEL_COUNT", PROGRAMS), most = most_bad(), bad = 0, n = 0;
  model_row *rows = calloc(TILED_ROWS, sizeof *rows);
  static duel d;
  open_duel(&d);
  cr_assert_not_null(rows);
  for (uint64_t i = 0; n < count && bad < most; i++) {
    model *m = model_new(seed + i, 4);
    if (m->is_scalar) {
      n++;
      d.t.random = d.seed = seed + i;
      const tiled_pattern *like = &tile_patterns[tiled_below(&d.t, TILE_PATTERNS)];
      d.t.n_rows = tiled_below(&d.t, 4) == 0 ? 1 + tiled_below(&d.t, TILED_ROWS) : 400 + tiled_below(&d.t, TILED_ROWS - 400);
      cr_assert(compiles(&d, model_print(m)), "%s", model_print(m));
      tiled_make_rows(&d.t, like);
      tiled_put_rows(&d.t, rows);
      if (!agrees(&d, model_print(m))) bad++, tell(&d, rows);
    }
    model_free(m);
  }
  cr_expect_eq(bad, 0);
  if (count >= PROGRAMS)
    cr_expect(d.tiles > 2 * count && d.small > count / 100 && d.bad > count / 150, "%" PRIu64 " tiles, %" PRIu64 " small, %" PRIu64 " given up", d.tiles,
              d.small, d.bad);
  uint32_t at = 0;
  for (const char *name; bad == 0 && count >= 1000 && (name = hits_missing(&d.met, &at)) != NULL;) cr_expect_fail("never met: %s", name);
  if (getenv("WEIR_MODEL_COUNT") != NULL)
    fprintf(stderr, "%" PRIu64 " programs, %" PRIu64 " tiles, %" PRIu64 " small, %" PRIu64 " given up; %" PRIu64 " in kernels\n", n, d.tiles, d.small, d.bad,
            d.in_kernels);
  free(rows);
  close_duel(&d);
}

/* Of the random programs too few run in kernels to meet all; these do. */
static void expect_hits(const duel *d) {
#ifdef TEST_HAS_NATIVE
  uint32_t at = 0;
  for (const char *name; (name = hits_missing_tile(&d->met, &at)) != NULL;) cr_expect_fail("never met in kernels: %s", name);
  cr_expect_gt(d->in_kernels, 500);
#endif
#define LOOP(name) \
  if (WRT_TILE_##name != WRT_TILE_NONE) cr_expect(d->used[WRT_TILE_##name] != 0, #name " was in no tile");
  WRT_TILE_LOOPS(LOOP)
#undef LOOP
}

Test(agree_tile, programs_made_for_each_loop_agree, .timeout = 86400) {
  uint64_t most = most_bad(), bad = 0;
  static duel d;
  open_duel(&d);
  for (uint64_t k = 0; k < TILE_PROGRAMS; k++)
    for (uint32_t p = 0; p < TILE_PATTERNS && bad < most; p++) {
      d.t.random = d.seed = k * 100 + p;
      d.t.n_rows = 900 + tiled_below(&d.t, TILED_ROWS - 900);
      cr_assert(compiles(&d, tile_programs[k]), "%s", tile_programs[k]);
      tiled_make_rows(&d.t, &tile_patterns[p]);
      if (agrees(&d, tile_programs[k])) continue;
      fprintf(stderr, "seed %" PRIu64 ": %s\n%s\n", d.seed, d.t.why, tile_programs[k]);
      bad++;
    }
  cr_expect_eq(bad, 0);
  if (bad == 0) expect_hits(&d);
  close_duel(&d);
}
