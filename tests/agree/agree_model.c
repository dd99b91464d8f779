/* tests/agree/agree_model.c -- the canonical and the quickened tier against the model: same programs, same rows, equal values, presence and
** failures.
**
** WEIR_MODEL_SEED and WEIR_MODEL_COUNT choose other programs and more of them. */
#include "tests/test.h"
#include "tests/support/shrink.h"
#include "tests/support/tiers.h"

#include <inttypes.h>
#include <stdio.h>

#if defined(WEIR_CHECK) /* builds that check are several times slower, and a test has a minute */
enum { ROWS = 50, PROGRAMS = 4000, MOST_TRIES = 5000 };
#else
enum { ROWS = 50, PROGRAMS = 20000, MOST_TRIES = 5000 };
#endif

typedef struct duel {
  model *m;
  weir_engine *engine;
  weir_options options;
  weir_program *program;
  weir_monitor *monitor;
  uint64_t *rows; /* NULL: not counted; the program was changed, and may be none */
  char why[400]; /* empty while they agree */
} duel;

static void show(char *to, size_t size, weir_value v) {
  switch (v.tag) {
  case WEIR_NOVAL: snprintf(to, size, "NoVal"); return;
  case WEIR_DEFERRED: snprintf(to, size, "Deferred"); return;
  case WEIR_BOOL: snprintf(to, size, v.as.b ? "true" : "false"); return;
  case WEIR_INT: snprintf(to, size, "%" PRId64, v.as.i); return;
  case WEIR_FLOAT: snprintf(to, size, "%a", v.as.f); return;
  default: snprintf(to, size, "\"%.*s\"", (int)v.count, v.as.text); return;
  }
}

static void compare_outputs(duel *d) {
  uint32_t output = 0;
  for (uint32_t i = d->m->n_inputs; i < d->m->n_streams; i++) {
    if (d->m->streams[i].role != WEIR_OUT) continue;
    weir_value want = d->m->streams[i].now, got = *weir_monitor_output(d->monitor, output++);
    if (model_same(want, got)) continue;
    char a[100], b[100];
    show(a, sizeof a, want);
    show(b, sizeof b, got);
    snprintf(d->why, sizeof d->why, "row %" PRIu64 ": %s is %s, not %s", d->m->tick - 1, d->m->streams[i].name, b, a);
    return;
  }
}

static void compare_failure(duel *d, weir_code want, size_t at, weir_code got, const weir_error *e, const weir_value *row) {
  uint64_t tick = d->m->tick;
  if (want != got)
    snprintf(d->why, sizeof d->why, "row %" PRIu64 " ends with %s, not %s", tick, weir_code_name(got), weir_code_name(want));
  else if (at != SIZE_MAX && e->span.begin != at)
    snprintf(d->why, sizeof d->why, "row %" PRIu64 " fails at byte %u, not %zu", tick, e->span.begin, at);
  else if (e->row != tick || weir_monitor_ticks(d->monitor) != tick || !weir_monitor_is_terminal(d->monitor))
    snprintf(d->why, sizeof d->why, "row %" PRIu64 " fails as row %" PRIu64 " of %" PRIu64, tick, e->row, weir_monitor_ticks(d->monitor));
  else if (weir_monitor_push(d->monitor, row, d->m->n_inputs, NULL) != WEIR_E_TERMINAL)
    snprintf(d->why, sizeof d->why, "row %" PRIu64 " failed, and another one is accepted", tick);
  else compare_outputs(d); /* still those of the last completed tick */
}

/* False: there is no next row. */
static bool run_row(duel *d, const weir_value *row) {
  weir_value before[MODEL_STREAMS];
  weir_error e;
  weir_code want = WEIR_OK;
  size_t at = SIZE_MAX;
  for (uint32_t i = 0; i < d->m->n_streams; i++) before[i] = d->m->streams[i].now;
  model_result result = model_tick(d->m, row, &want, &at);
  if (result == MODEL_GIVEN_UP) return false;
  weir_code got = weir_monitor_push(d->monitor, row, d->m->n_inputs, &e);
  if (result == MODEL_ENDED) {
    for (uint32_t i = 0; i < d->m->n_streams; i++) d->m->streams[i].now = before[i];
    compare_failure(d, want, at, got, &e, row);
    return false;
  }
  if (got != WEIR_OK) snprintf(d->why, sizeof d->why, "row %" PRIu64 " fails: %s", d->m->tick - 1, e.text);
  else compare_outputs(d);
  return d->why[0] == '\0';
}

static bool compile(duel *d) {
  weir_diagnostics *said = NULL;
  const char *text = model_print(d->m);
  if (weir_compile(d->engine, text, strlen(text), NULL, &d->program, &said) != WEIR_OK) {
    weir_diagnostic first = {.text = "(nothing said)"};
    if (weir_diagnostics_count(said) != 0) first = weir_diagnostics_at(said, 0);
    if (d->rows != NULL) snprintf(d->why, sizeof d->why, "does not compile: byte %u: %s", first.span.begin, first.text);
    weir_diagnostics_free(said);
    return false;
  }
  weir_error e;
  if (weir_monitor_new(d->engine, d->program, &d->options, &d->monitor, &e) == WEIR_OK) return true;
  snprintf(d->why, sizeof d->why, "no monitor: %s", e.text);
  return false;
}

static bool disagrees(void *self, model *m, const model_trace *t) {
  duel *d = self;
  d->m = m;
  d->program = NULL;
  d->monitor = NULL;
  d->why[0] = '\0';
  bool is_there = compile(d);
  for (uint32_t i = 0; is_there && i < t->n && run_row(d, t->rows[i].in); i++)
    if (d->rows != NULL) ++*d->rows;
  weir_monitor_free(d->monitor);
  weir_program_release(d->program);
  return d->why[0] != '\0';
}

static bool agrees(weir_engine *engine, weir_tier tier, uint64_t seed, uint64_t *n_rows) {
  model_row rows[ROWS];
  model_trace trace = {.rows = rows, .n = ROWS};
  model *m = model_new(seed, ROWS);
  for (m->tick = 0; m->tick < ROWS; m->tick++) model_make_row(m, rows[m->tick].in);
  m->tick = 0;
  duel d = {.engine = engine, .options = {.size = sizeof d.options, .tier = tier}, .rows = n_rows};
  bool is_good = !disagrees(&d, m, &trace);
  if (!is_good) {
    duel again = {.engine = engine, .options = d.options};
    shrink_tell(stderr, m, &trace, disagrees, &again, again.why, MOST_TRIES);
  }
  model_free(m);
  return is_good;
}

static void compare_with_model(weir_tier tier) {
  uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1), count = tiers_setting("WEIR_MODEL_COUNT", PROGRAMS), rows = 0, bad = 0;
  weir_engine *engine;
  cr_assert_eq(weir_engine_new(NULL, &engine, NULL), WEIR_OK);
  for (uint64_t i = 0; i < count && bad < 5; i++) bad += !agrees(engine, tier, seed + i, &rows);
  weir_engine_free(engine);
  cr_expect_eq(bad, 0);
  cr_expect_gt(rows, count * ROWS / 3, "most programs run on: %" PRIu64 " rows of %" PRIu64 " programs", rows, count);
}

Test(agree_model, every_value_presence_and_failure_is_the_models, .timeout = 86400) { compare_with_model(WEIR_TIER_CANONICAL); }
Test(agree_model, the_quickened_tier_agrees_too, .timeout = 86400) { compare_with_model(WEIR_TIER_QUICKENED); }
