/* tests/agree/agree_tile.c -- batches in tiles against the canonical tier row by row: the same values, presence, failures, and the same state to go on
** with; on random scalar programs and on programs for each recurrence, at every level of this machine's processor,
** and in kernels for several.
**
** Together the random ones must meet what tests/support/hits.h lists.
**
** WEIR_TILE_SEED and WEIR_TILE_COUNT choose other programs and more of them. */
#include "tests/test.h"
#include "runtime/monitor.h"
#include "runtime/native.h"
#include "runtime/tile.h"
#include "tests/support/buffers.h"
#include "tests/support/hits.h"
#include "tests/support/model.h"
#include "tests/support/tiers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(WEIR_SANITIZE) || defined(WEIR_TINY) || defined(TEST_HAS_NATIVE)
enum { PROGRAMS = 150 };
#else
enum { PROGRAMS = 1000 };
#endif
enum { ROWS = 2400, PORTS = 24, MOST_BATCH = 1400, ABSENT = 0, THERE = 1, LATE = 2 };

/* What inputs are like. */
typedef struct pattern {
  uint32_t per_mille_absent, per_mille_late, per_mille_far;
  uint32_t first;      /* nothing is there before */
  uint32_t magnitude;  /* most Ints are below */
} pattern;

typedef struct sample { uint64_t bits; uint8_t what; } sample;

/* A program, its rows, and what the canonical tier made of them. */
typedef struct reference {
  uint64_t random;
  weir_engine *engine;
  weir_program *program;
  const char *text;
  pattern like;
  uint32_t n_ins, n_outs, n_rows, n_good; /* n_good: before the one that fails, if one does */
  sample (*ins)[PORTS], (*outs)[PORTS];   /* by row */
  weir_error end;
  weir_monitor *canonical;                /* after n_good rows */
  uint64_t *used;                         /* by loop: steps of plans that were made */
  uint64_t tiles, small, bad;
  uint64_t in_kernels, bad_in_kernels;    /* of tiles, too */
  hits met;                               /* by rows in tiles, and by those that declined */
  char why[500];
} reference;

static uint64_t draw(reference *r) {
  uint64_t x = r->random += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}
static uint32_t below(reference *r, uint32_t n) { return (uint32_t)(draw(r) % n); }

static void complain(reference *r, uint32_t row, const char *what, uint32_t which) {
  if (r->why[0] == '\0') snprintf(r->why, sizeof r->why, "row %u: %s (%u)", row, what, which);
}

/* ---- Rows ---- */

static uint64_t int_bits(reference *r) {
  static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, 3037000500, -3037000500, INT64_C(1) << 51, -(INT64_C(1) << 51) - 1,
                                (INT64_C(1) << 51) - 1, INT64_C(1) << 53, (INT64_C(1) << 62) - 1, INT64_C(1) << 31, INT64_C(1) << 60};
  if (below(r, 1000) < r->like.per_mille_far) return (uint64_t)far[below(r, sizeof far / sizeof far[0])];
  return (uint64_t)((int64_t)below(r, r->like.magnitude) - r->like.magnitude / 3);
}

static uint64_t real_bits(reference *r) {
  static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e308, 5e-324, 9007199254740993.0, -1.0};
  double f = below(r, 1000) < 5 + r->like.per_mille_far ? odd[below(r, sizeof odd / sizeof odd[0])] : ((double)below(r, 41) - 20) / 4;
  uint64_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

static void make_rows(reference *r) {
  for (uint32_t row = 0; row < r->n_rows; row++)
    for (uint32_t i = 0; i < r->n_ins; i++) {
      weir_kind kind = weir_program_input_kind(r->program, i);
      sample *to = &r->ins[row][i];
      uint64_t bits = kind == WEIR_KIND_INT ? int_bits(r) : kind == WEIR_KIND_FLOAT ? real_bits(r) : below(r, 2);
      bool is_absent = below(r, 1000) < r->like.per_mille_absent || row < r->like.first;
      *to = (sample){.bits = bits, .what = is_absent ? ABSENT : THERE};
      if (below(r, 1000) < r->like.per_mille_late) to->what = LATE;
      if (to->what != THERE) to->bits = kind == WEIR_KIND_BOOL ? below(r, 256) : draw(r); /* not looked at */
    }
}

static void words_of(const reference *r, const sample *row, weir_cell *cells, uint64_t *present, uint64_t *late) {
  *present = *late = 0;
  for (uint32_t i = 0; i < r->n_ins; i++) {
    cells[i].bits = row[i].bits;
    *present |= (uint64_t)(row[i].what == THERE) << i;
    *late |= (uint64_t)(row[i].what == LATE) << i;
  }
}

static weir_code push_row(const reference *r, weir_monitor *m, uint32_t row, sample *outs, weir_error *e) {
  weir_cell in[PORTS], out[PORTS];
  uint64_t present, late, out_present = 0, out_late = 0;
  words_of(r, r->ins[row], in, &present, &late);
  weir_code rc = weir_monitor_push_typed(m, in, &present, late != 0 || row % 3 == 0 ? &late : NULL, out, &out_present, &out_late, e);
  for (uint32_t o = 0; rc == WEIR_OK && o < r->n_outs; o++)
    outs[o] = (sample){.bits = out[o].bits, .what = out_present >> o & 1 ? THERE : out_late >> o & 1 ? LATE : ABSENT};
  return rc;
}

/* The last rows are kept for going on after the tier was switched. */
static void run_canonical(reference *r) {
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_CANONICAL};
  cr_assert_eq(weir_monitor_new(r->engine, r->program, &options, &r->canonical, NULL), WEIR_OK);
  for (r->n_good = 0; r->n_good < r->n_rows; r->n_good++)
    if (push_row(r, r->canonical, r->n_good, r->outs[r->n_good], &r->end) != WEIR_OK) return;
}

static bool same_bits(weir_kind kind, uint64_t a, uint64_t b) {
  double x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  return a == b || (kind == WEIR_KIND_FLOAT && x != x && y != y);
}

static void compare(reference *r, uint32_t row, uint32_t o, sample got) {
  sample want = r->outs[row][o];
  if (want.what != got.what) complain(r, row, "wrong presence", o);
  else if (!same_bits(weir_program_output_kind(r->program, o), want.bits, got.bits)) {
    if (r->why[0] == '\0')
      snprintf(r->why, sizeof r->why, "row %u: output %u is %" PRIx64 " and not %" PRIx64 " (%u)", row, o, got.bits, want.bits, want.what);
  }
}

static void compare_failure(reference *r, uint32_t row, weir_code rc, const weir_error *e) {
  if (row != r->n_good || r->n_good == r->n_rows || rc != r->end.code) complain(r, row, "it fails", (uint32_t)rc);
  else if (e->row != r->end.row || e->span.begin != r->end.span.begin || e->span.end != r->end.span.end || strcmp(e->text, r->end.text) != 0)
    complain(r, row, "the failure is another one", e->span.begin);
}

/* ---- Batches ---- */

static void free_buffer(reference *r, uint32_t row, buffer b) {
  if (!buffer_is_intact(b)) complain(r, row, "written past a column", 0);
  buffer_free(b);
}

typedef struct columns {
  weir_in_column ins[PORTS];
  weir_out_column outs[PORTS];
  struct { buffer values, present, late; } in[PORTS], out[PORTS];
} columns;

static void fill_in(reference *r, columns *c, uint32_t i, uint32_t from, uint32_t rows) {
  size_t width = column_width(weir_program_input_kind(r->program, i));
  weir_in_column *to = &c->ins[i];
  bool are_there = true, any_late = false;
  *to = (weir_in_column){.present_bit = below(r, 20), .deferred_bit = below(r, 20)};
  c->in[i].values = buffer_new(rows * width);
  c->in[i].present = buffer_new((to->present_bit + rows + 7) / 8);
  c->in[i].late = buffer_new((to->deferred_bit + rows + 7) / 8);
  for (uint32_t k = 0; k < rows; k++) {
    sample s = r->ins[from + k][i];
    memcpy(c->in[i].values.at + k * width, &s.bits, width);
    bit_set(c->in[i].present.at, to->present_bit + k, s.what == THERE);
    bit_set(c->in[i].late.at, to->deferred_bit + k, s.what == LATE);
    are_there &= s.what != ABSENT;
    any_late |= s.what == LATE;
  }
  to->as.b = c->in[i].values.at;
  if (!are_there || below(r, 2) == 0) to->present = c->in[i].present.at;
  if (any_late || below(r, 2) == 0) to->deferred = c->in[i].late.at;
}

static void make_out(reference *r, columns *c, uint32_t o, uint32_t rows) {
  weir_out_column *to = &c->outs[o];
  *to = (weir_out_column){.present_bit = below(r, 20), .deferred_bit = below(r, 20)};
  c->out[o].values = buffer_new(rows * column_width(weir_program_output_kind(r->program, o)));
  c->out[o].present = buffer_new((to->present_bit + rows + 7) / 8);
  c->out[o].late = buffer_new((to->deferred_bit + rows + 7) / 8);
  if (below(r, 12) != 0) to->as.b = c->out[o].values.at;
  to->present = c->out[o].present.at;
  to->deferred = c->out[o].late.at;
}

static void compare_column(reference *r, const columns *c, uint32_t o, uint32_t from, uint32_t done, uint32_t rows) {
  const weir_out_column *out = &c->outs[o];
  size_t width = column_width(weir_program_output_kind(r->program, o));
  for (uint32_t k = 0; k < done; k++) {
    bool is_there = bit_get(out->present, out->present_bit + k), is_late = bit_get(out->deferred, out->deferred_bit + k);
    sample got = {.bits = r->outs[from + k][o].bits, .what = is_there ? THERE : is_late ? LATE : ABSENT};
    if (out->as.b != NULL) {
      got.bits = 0;
      memcpy(&got.bits, out->as.b + k * width, width);
    }
    compare(r, from + k, o, got);
  }
  if (!bits_are_kept(out->present, out->present_bit, rows) || !bits_are_kept(out->deferred, out->deferred_bit, rows))
    complain(r, from, "a bit that is no row's", o);
}

/* Answers how many rows were committed. */
static uint32_t push_batch(reference *r, weir_monitor *m, uint32_t from, uint32_t rows) {
  columns c;
  weir_error e = {.code = WEIR_OK};
  size_t done = 0;
  for (uint32_t i = 0; i < r->n_ins; i++) fill_in(r, &c, i, from, rows);
  for (uint32_t o = 0; o < r->n_outs; o++) make_out(r, &c, o, rows);
  weir_code rc = weir_monitor_push_batch(m, rows, c.ins, r->n_ins, c.outs, r->n_outs, &done, &e);
  if (from + done > r->n_good) complain(r, from + (uint32_t)done, "it goes on", 0);
  else {
    for (uint32_t o = 0; o < r->n_outs; o++) compare_column(r, &c, o, from, (uint32_t)done, rows);
    if (rc != WEIR_OK) compare_failure(r, from + (uint32_t)done, rc, &e);
    else if (done != rows) complain(r, from, "rows are left", (uint32_t)done);
  }
  for (uint32_t i = 0; i < r->n_ins; i++)
    free_buffer(r, from, c.in[i].values), free_buffer(r, from, c.in[i].present), free_buffer(r, from, c.in[i].late);
  for (uint32_t o = 0; o < r->n_outs; o++)
    free_buffer(r, from, c.out[o].values), free_buffer(r, from, c.out[o].present), free_buffer(r, from, c.out[o].late);
  return (uint32_t)done;
}

static void one_row(reference *r, weir_monitor *m, uint32_t row) {
  sample outs[PORTS];
  weir_error e;
  weir_code rc = push_row(r, m, row, outs, &e);
  if (rc != WEIR_OK) {
    compare_failure(r, row, rc, &e);
    return;
  }
  if (row >= r->n_good) complain(r, row, "it does not fail", 0);
  for (uint32_t o = 0; o < r->n_outs && r->why[0] == '\0'; o++) compare(r, row, o, outs[o]);
}

static void count_loops(reference *r, const wrt_tile_code *c) {
  for (uint32_t i = 0; i < c->n_steps; i++) r->used[c->steps[i].loop]++;
}

static void count_tile(reference *r, const weir_monitor *m) {
  const wrt_quick *q = m->made_quick;
  if (q == NULL || q->tile == NULL) return;
  const wrt_tile *t = q->tile;
  if (m->native_batch != NULL) {
    r->in_kernels += m->native_batch->n_tiles;
    r->bad_in_kernels += m->native_batch->n_bad;
  }
  hits_of_quick(&r->met, q);
  r->tiles += t->n_tiles;
  r->small += t->n_small;
  r->bad += t->n_bad;
  for (uint32_t f = 0; f < WIR_BODY_FITS; f++) {
    if (t->n_tiles == t->n_bad || !t->plans[f].is_possible) continue;
    count_loops(r, &t->plans[f].held);
    count_loops(r, &t->plans[f].checked);
    count_loops(r, &t->plans[f].small);
  }
}

/* A way to run tiles: a level of the quickened tier, or kernels for a processor.  NULL: this processor does not have it. */
typedef struct way { const char *level, *cpu, *features; } way;

static weir_monitor *new_monitor(reference *r, const way *w) {
  weir_options options = {.size = sizeof options, .tier = w->level == NULL ? WEIR_TIER_NATIVE : WEIR_TIER_QUICKENED};
  weir_monitor *m;
  r->engine->native.cpu = w->cpu;
  r->engine->native.features = w->features;
  cr_assert_eq(weir_monitor_new(r->engine, r->program, &options, &m, NULL), WEIR_OK);
  if (w->level == NULL && m->why_not_native != NULL) fprintf(stderr, "no kernels: %s\n", m->why_not_native);
  if (w->level == NULL || wrt_tile_set_level(m->quick, w->level)) return m;
  weir_monitor_free(m);
  return NULL;
}

/* Batches, rows and switches of the tier, at random. */
static void run_tiles(reference *r, const way *w) {
  weir_tier tier = w->level == NULL ? WEIR_TIER_NATIVE : WEIR_TIER_QUICKENED;
  weir_monitor *m = new_monitor(r, w);
  if (m == NULL) return;
  bool is_restless = below(r, 4) == 0;
  while (r->why[0] == '\0' && !weir_monitor_is_terminal(m) && weir_monitor_ticks(m) < r->n_rows) {
    uint32_t row = (uint32_t)weir_monitor_ticks(m), rows = 1 + below(r, below(r, 3) == 0 ? 40 : MOST_BATCH);
    uint32_t dice = below(r, 10);
    if (is_restless && dice == 0) cr_assert_eq(weir_monitor_set_tier(m, WEIR_TIER_CANONICAL, NULL), WEIR_OK);
    if (is_restless && dice == 1) cr_assert_eq(weir_monitor_set_tier(m, tier, NULL), WEIR_OK);
    if (dice == 2) one_row(r, m, row);
    else (void)push_batch(r, m, row, WB_MIN(rows, r->n_rows - row));
  }
  if (r->why[0] == '\0' && (weir_monitor_is_terminal(m) != (r->n_good < r->n_rows) || weir_monitor_ticks(m) != r->n_good))
    complain(r, r->n_good, "it ends elsewhere", 0);
  if (r->why[0] == '\0') tiers_compare_states("tiles", r->canonical, m, r->why);
  count_tile(r, m);
  weir_monitor_free(m);
}

static void count_presence(reference *r) {
  static const hits_presence of[] = {[ABSENT] = HITS_NOVAL, [THERE] = HITS_VALUE, [LATE] = HITS_DEFERRED};
  for (uint32_t row = 0; row < r->n_good; row++)
    for (uint32_t o = 0; o < r->n_outs; o++) r->met.presence[of[r->outs[row][o].what]]++;
}

/* Half of the rows in tiles, the rest canonically: the state is right. */
static void run_and_switch(reference *r, const way *w) {
  weir_monitor *m = new_monitor(r, w);
  uint32_t more = below(r, 70), half = WB_MIN(r->n_rows, r->n_rows / 2 + more), row = 0;
  if (m != NULL) {
    while (row < half && r->why[0] == '\0' && !weir_monitor_is_terminal(m)) {
      uint32_t rows = 1 + below(r, MOST_BATCH);
      row += push_batch(r, m, row, WB_MIN(half - row, rows));
    }
    cr_assert_eq(weir_monitor_set_tier(m, WEIR_TIER_CANONICAL, NULL), WEIR_OK);
    for (; row < r->n_rows && row < half + 100 && r->why[0] == '\0' && !weir_monitor_is_terminal(m); row++) one_row(r, m, row);
  }
  weir_monitor_free(m);
}

/* ---- Duels ---- */

static const way ways[] = {{"x86-64", NULL, NULL}, {"x86-64-v3", NULL, NULL}, {"x86-64-v4", NULL, NULL},
#ifdef TEST_HAS_NATIVE
  {NULL, NULL, NULL}, {NULL, "x86-64-v3", "+avx2,+bmi,+bmi2,+fma,+lzcnt"}, {NULL, "x86-64", ""},
#endif
};

/* Kernels are the program's, so each processor wants a program of its own. */
static bool compile_anew(reference *r) {
  weir_diagnostics *said = NULL;
  weir_program_release(r->program);
  r->program = NULL;
  if (weir_compile(r->engine, r->text, strlen(r->text), NULL, &r->program, &said) == WEIR_OK) return true;
  fprintf(stderr, "does not compile: %s\n%s\n", said == NULL ? "?" : weir_diagnostics_at(said, 0).text, r->text);
  weir_diagnostics_free(said);
  return false;
}

static bool agrees(reference *r, uint64_t seed) {
  if (!compile_anew(r)) return false;
  r->n_ins = weir_program_input_count(r->program);
  r->n_outs = weir_program_output_count(r->program);
  make_rows(r);
  r->canonical = NULL;
  r->end = (weir_error){.code = WEIR_OK};
  r->why[0] = '\0';
  run_canonical(r);
  hits_of_program(&r->met, r->program);
  count_presence(r);
  for (size_t k = 0; k < sizeof ways / sizeof ways[0] && r->why[0] == '\0'; k++) {
    const way *w = &ways[k];
    const char *name = w->level != NULL ? w->level : w->cpu != NULL ? w->cpu : "native";
    if (w->level == NULL && seed % 3 != k % 3) continue; /* compiling takes time: another seed has another processor */
    if (w->level == NULL && !compile_anew(r)) return false;
    run_tiles(r, w);
    if (r->why[0] == '\0') run_and_switch(r, w);
    if (r->why[0] != '\0') fprintf(stderr, "WEIR_TILE_SEED=%" PRIu64 " WEIR_TILE_COUNT=1, %s: %s\n%s\n", seed, name, r->why, r->text);
  }
  weir_monitor_free(r->canonical);
  weir_program_release(r->program);
  r->program = NULL;
  return r->why[0] == '\0';
}

static void open_reference(reference *r) {
  memset(r, 0, sizeof *r);
  weir_engine_options options = {.size = sizeof options, .native_module = TEST_NATIVE};
  cr_assert_eq(weir_engine_new(&options, &r->engine, NULL), WEIR_OK);
  r->ins = calloc(ROWS, sizeof *r->ins);
  r->outs = calloc(ROWS, sizeof *r->outs);
  r->used = calloc(WRT_TILE_LOOP_COUNT, sizeof *r->used);
  cr_assert(r->ins != NULL && r->outs != NULL && r->used != NULL);
}
static void close_reference(reference *r) {
  weir_engine_free(r->engine);
  free(r->ins);
  free(r->outs);
  free(r->used);
}

static const pattern patterns[] = {
  {.magnitude = 9}, {.magnitude = 1000000}, {.magnitude = 100, .per_mille_far = 2}, {.magnitude = 50, .per_mille_far = 80},
  {.magnitude = 9, .per_mille_absent = 10}, {.magnitude = 1000, .per_mille_absent = 10, .per_mille_far = 1},
  {.magnitude = 9, .per_mille_absent = 300}, {.magnitude = 9, .per_mille_absent = 10, .per_mille_late = 1},
  {.magnitude = 9, .per_mille_late = 2, .first = 20}, {.magnitude = 9, .per_mille_absent = 300, .first = 300},
};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

Test(agree_tile, random_scalar_programs_agree, .timeout = 86400) {
  uint64_t seed = tiers_setting("WEIR_TILE_SEED", 1), count = tiers_setting("WEIR_TILE_COUNT", PROGRAMS), bad = 0, n = 0;
  reference r;
  open_reference(&r);
  for (uint64_t i = 0; n < count && bad < 5; i++) {
    model *m = model_new(seed + i, 4);
    if (m->is_scalar) {
      n++;
      r.random = seed + i;
      r.text = model_print(m);
      r.like = patterns[below(&r, PATTERNS)];
      r.n_rows = below(&r, 4) == 0 ? 1 + below(&r, ROWS) : 400 + below(&r, ROWS - 400);
      bad += !agrees(&r, seed + i);
    }
    model_free(m);
  }
  cr_expect_eq(bad, 0);
  if (count >= PROGRAMS)
    cr_expect(r.tiles > 2 * count && r.small > count / 100 && r.bad > count / 150, "%" PRIu64 " tiles, %" PRIu64 " small, %" PRIu64 " given up", r.tiles,
              r.small, r.bad);
  uint32_t at = 0;
  for (const char *name; bad == 0 && count >= 1000 && (name = hits_missing(&r.met, &at)) != NULL;) cr_expect_fail("never met: %s", name);
  if (getenv("WEIR_TILE_COUNT") != NULL)
    fprintf(stderr, "%" PRIu64 " programs, %" PRIu64 " tiles, %" PRIu64 " small, %" PRIu64 " given up\n", n, r.tiles, r.small, r.bad);
  close_reference(&r);
}

/* ---- Programs made for it ---- */

#define IN "in x: Int  in y: Int  in f: Float  in g: Float  in b: Bool  in c: Bool\n"
static const char *const programs[] = {
  /* Recurrences with a form */
  IN "out s: Int  s = default(s[1], 0) + x  out d: Int  d = x - 1 + default(d[1], 5)  out m: Int  m = default(m[1], 0) - x",
  IN "out s: Float  s = default(s[1], 0.0) + f  out d: Float  d = default(d[1], 1.0) - f  out e: Float  e = f + default(e[1], f)",
  IN "out n: Int  n = if b then default(n[1], 0) + 1 else 0  out k: Int  k = if c then 7 else default(k[1], 0) + 3",
  IN "out n: Int  n = if b then default(n[1], 0) + x else y  out k: Int  k = if c then x else y + default(k[1], 0)",
  IN "aux p: Int  p = default(n[1], 0)  out n: Int  n = if b then p + x else p  aux q: Int  q = default(k[1], 0)  out k: Int  k = if c then q else x + q",
  IN "out n: Float  n = if b then default(n[1], 0.0) + f else g  out k: Float  k = if c then g else f + default(k[1], 0.0)",
  IN "aux p: Float  p = default(n[1], 0.0)  out n: Float  n = if b then p + f else p  aux q: Float  q = default(k[1], 0.0)  out k: Float  k = if c then q else f + q",
  IN "out p: Int  p = default(n[1], 0)  aux s: Int  s = p + 1  out n: Int  n = if b then s else 0  out t: Int  t = p + s",
  IN "aux p: Int  p = default(n[1], 0)  out n: Int  n = if b then p + 1 else 0  out long: Bool  long = n > 3  out was: Int  was = p",
  IN "out e: Float  e = 0.25 * f + 0.75 * default(e[1], f)  out h: Float  h = default(h[1], 0.0) * 0.5 + f  out k: Float  k = default(k[1], g) * f + g",
  IN "out on: Bool  on = b || (default(on[1], false) && !c)  out off: Bool  off = if b then true else if c then false else default(off[1], false)",
  IN "out t: Bool  t = if b then !default(t[1], false) else default(t[1], false)  out u: Bool  u = (default(u[1], true) == b) => c",
  IN "aux p: Int  p = default(a[1], x)  out a: Int  a = if x < p then x else p  aux q: Int  q = default(d[1], x)  out d: Int  d = if q >= x then q else x",
  IN "aux p: Int  p = default(a[1], x)  out a: Int  a = if x >= p then p else x  aux q: Int  q = default(d[1], x)  out d: Int  d = if x > q then x else q",
  IN "out s: Int  s = default(s[1], 0) + x  out d: Int  d = default(d[1], 5) - y  out n: Int  n = if b then default(n[1], 0) + 2 else 9\n"
     "out k: Int  k = if c then 7 else default(k[1], 0) + 3  out a: Int  a = x + y - 3 + x - y - 7 + x - x * 5",
  IN "out least: Float  least = if f < default(least[1], f) then f else default(least[1], f)",
  /* Recurrences without */
  IN "out fib: Int  fib = (default(fib[1], 1) + default(fib[2], 0)) % 1000003",
  IN "out z: Int  z = (default(z[3], 1) * 1103515245 + 12345 + x) % 2147483648",
  IN "out a: Int  a = (default(q[1], 1) + x) % 1000  out q: Int  q = default(a[2], 2) * 3 % 777",
  IN "out z: Int  z = x - default(z[1], 0)  out w: Float  w = f - default(w[1], 0.0) * g / 2.0",
  IN "out z: Int  z = if b then (if default(z[1], 1) == 0 then 3 else 12 / default(z[1], 1)) else x % 5",
  IN "out z: Int  z = if c && default(z[1], 1) != 0 && 12 / default(z[1], 1) > 3 then x % 3 else y % 3",
  IN "out z: Int  z = if c || (b => 7 % default(z[1], 1) == 0) then x else 1 + y",
  IN "out z: Int  z = if default(z[1], 1) == 0 then 5 else (if b then 60 / default(z[1], 1) else default(x[1], 1) * 3) % 4",
  IN "aux p: Int  p = default(d[1], 1)  out d: Int  d = p + p  aux q: Float  q = default(e[1], 1.0)  out e: Float  e = q * q + q  out z: Int  z = x",
  IN "aux p: Int  p = default(d[1], 1)  out d: Int  d = if b then p + p else x  aux q: Int  q = default(e[1], 1)  out e: Int  e = if q < q then q else y - (q - q)",
  IN "out big: Int  big = default(big[1], 1) * 3",
  IN "out p: Int  p = if b then (default(p[1], 2) ** 2) % 10 else 3",
  IN "out deep: Int  deep = default(deep[300], 0) + x  out d2: Int  d2 = default(d2[255], 0) + x  out d3: Int  d3 = default(d3[256], 0) + x",
  IN "out w: Bool  w = default(w[2], false) != b  out v: Bool  v = !default(v[1], false)",
  /* Delays */
  IN "out s: Int  s = x + default(x[1], 0) + default(x[2], 0)  out f10: Float  f10 = f - default(f[10], f)  out bb: Bool  bb = b != default(b[7], false)",
  IN "aux s: Int  s = x * 3  out d: Int  d = default(s[5], 0) + default(s[1], 0)  out far: Int  far = default(s[1000], 0)  out k: Int  k = default(s[256], 0)",
  IN "out e: Int  e = default((x + y)[3], 0)  out h: Bool  h = default((x < y)[2], true)  out n: Int  n = default((x + y)[700], 1)",
  /* Division */
  IN "out r: Int  r = x % 7  out q: Int  q = x / 7  out m: Int  m = x % (0 - 3)  out n: Int  n = y / (0 - 5)  out o: Int  o = x % 1",
  IN "out q: Int  q = if y == 0 then 0 else x / y  out r: Int  r = if y == 0 then 0 else x % y  out s: Int  s = if y == 0 then 1 else 100 / y",
  IN "out q: Int  q = if y > 0 then x / (if y > 0 then y else 1) else 99  out r: Int  r = if y < 0 then 77 % (if y < 0 then y else 1) else 5",
  IN "out q: Int  q = x / y",
  IN "out q: Int  q = x % y",
  IN "out q: Int  q = 1000 / (x + 1000)  out r: Int  r = 1000 % (y + 1000)",
  IN "out q: Int  q = if b then x / 2 else x % 4096  out t: Int  t = if b then x * 4611686018427387904 / 3 else x / 9223372036854775807",
  IN "out q: Int  q = if b then x / 3 else (if c then x / (0 - 1) else x % (0 - 1))",
  IN "out q: Int  q = x / 1  out r: Int  r = x % 2251799813685247  out s: Int  s = x / 2251799813685248  out t: Int  t = y % 2",
  IN "out q: Int  q = if b && x / (y - y) > 0 then 1 else 2",
  IN "out q: Int  q = if (b && c) && x / (if b then 1 else 0) > 0 then 1 else 2  out v: Bool  v = c || !b || x % (if b then 3 else 0) == 1",
  /* What may fail, and where it counts */
  IN "out a: Int  a = x + y  out s: Int  s = x - y  out m: Int  m = x * 3  out n: Int  n = x * y  out k: Int  k = 5 - x",
  IN "out a: Int  a = if b then x + y else 0  out s: Int  s = if b then x - y else 1  out m: Int  m = if b then x * 3 else 2  out n: Int  n = if c then x * y else 3",
  IN "out a: Int  a = if b then x + 9000000000000000000 else y - 9000000000000000000  out n: Int  n = if c then -x else abs(y)  out k: Int  k = if c then 1 - x else x - 1",
  IN "out n: Int  n = -x",
  IN "out a: Int  a = abs(y)",
  IN "out n: Int  n = -x  out a: Int  a = abs(x)  out m: Int  m = x * (0 - 1)  out o: Int  o = x * 0  out p: Int  p = x * (0 - 9)",
  IN "out p: Int  p = if b then x ** 3 else x  out q: Int  q = if y >= 0 && y < 30 then 2 ** y else 0",
  IN "out p: Int  p = x ** (if b then 2 else 3)",
  IN "out d: Bool  d = is_defined(if b then x / y else x)  out e: Int  e = if c then default(x / y, 3) else 4",
  IN "out a: Int  a = (if b then x / y else 1) + (if c then y / x else 2)  out z: Bool  z = b => x / y > 0",
  IN "out a: Int  a = if (if b then x / y > 0 else c) then 1 / x else 2 / y",
  IN "out a: Int  a = if b then (if c then x / y else 1 / x) + x * y else -5",
  /* Floats and Bools */
  IN "out a: Float  a = f + g  out s: Float  s = f - g  out m: Float  m = f * g  out d: Float  d = f / g  out r: Float  r = f % g  out p: Float  p = f ** g",
  IN "out a: Float  a = f + 1.5  out s: Float  s = f - 0.1  out t: Float  t = 2.5 - f  out m: Float  m = f * 3.0  out d: Float  d = f / 7.0  out i: Float  i = 1.0 / f",
  IN "out n: Float  n = -f  out a: Float  a = abs(f)  out s: Float  s = sin(f)  out c1: Float  c1 = cos(f)  out t: Float  t = tan(f)  out i: Float  i = x + f",
  IN "out a: Bool  a = f < g  out d: Bool  d = f <= g  out e: Bool  e = f > g  out h: Bool  h = f >= g  out i: Bool  i = f == g  out j: Bool  j = f != g",
  IN "out a: Bool  a = f < 0.0  out d: Bool  d = f <= 0.0  out e: Bool  e = f > 0.0  out h: Bool  h = f >= 0.0  out i: Bool  i = f == 0.0  out j: Bool  j = f != 0.0",
  IN "out a: Bool  a = 1.0 < f  out d: Bool  d = 1.0 <= f  out e: Bool  e = 1.0 > f  out h: Bool  h = 1.0 >= f",
  IN "out a: Bool  a = x < y  out d: Bool  d = x <= y  out e: Bool  e = x > y  out h: Bool  h = x >= y  out i: Bool  i = x == y  out j: Bool  j = x != y",
  IN "out a: Bool  a = x < 3  out d: Bool  d = x <= 3  out e: Bool  e = x > 3  out h: Bool  h = x >= 3  out i: Bool  i = x == 3  out j: Bool  j = 3 != x",
  IN "out a: Bool  a = b && c  out d: Bool  d = b || c  out e: Bool  e = b => c  out h: Bool  h = !b  out i: Bool  i = b == c  out j: Bool  j = if b then c else !c",
  IN "out a: Bool  a = if b then false else c  out d: Bool  d = if b then c else true  out e: Bool  e = if b then true else c  out h: Bool  h = if b then c else false\n"
     "out i: Bool  i = if b then false else true  out j: Int  j = if b then 0 else 1  out k: Bool  k = default((if c then false else b)[2], c)",
  IN "out a: Int  a = if b then x else y  out d: Int  d = if b then x else 3  out e: Int  e = if b then 3 else y  out h: Int  h = if b then 3 else 4  out i: Int  i = if b then 1 else 0",
  IN "out a: Float  a = if b then f else g  out d: Float  d = if b then 1.5 else g  out k: Int  k = 5  out t: Bool  t = true",
  /* Copies, and what is read besides */
  IN "out a: Int  a = x  out a2: Int  a2 = a  out bo: Bool  bo = b  out fo: Float  fo = f  out l: Int  l = latch(x, y)  out u: Int  u = update(x, y)",
  IN "out s: Int  s = x + y  out s2: Int  s2 = s  out p: Int  p = s2 * s  out w: Bool  w = when(x)  out i: Int  i = init(x, 3)",
};

Test(agree_tile, programs_made_for_each_loop_agree, .timeout = 86400) {
  uint64_t bad = 0;
  reference r;
  open_reference(&r);
  for (uint64_t k = 0; k < sizeof programs / sizeof programs[0]; k++)
    for (uint32_t p = 0; p < PATTERNS && bad < 5; p++) {
      r.random = k * 100 + p;
      r.text = programs[k];
      r.like = patterns[p];
      r.n_rows = 900 + below(&r, ROWS - 900);
      bad += !agrees(&r, r.random);
    }
  cr_expect_eq(bad, 0);
#ifdef TEST_HAS_NATIVE
  cr_expect(r.in_kernels > 500 && r.bad_in_kernels > 20, "%" PRIu64 " tiles in kernels, %" PRIu64 " given up", r.in_kernels, r.bad_in_kernels);
#endif
#define LOOP(name) \
  if (WRT_TILE_##name != WRT_TILE_NONE) cr_expect(r.used[WRT_TILE_##name] != 0, #name " was in no tile");
  WRT_TILE_LOOPS(LOOP)
#undef LOOP
  close_reference(&r);
}
