/* runtime/tile.c -- runs tiles: chooses the plan and the code for the rows at hand, runs its steps over columns, and makes the tile history.
**
** Everything up to the effects can be given up without a trace: a tile writes only its own columns and, for its rows, the caller's output columns,
** whose contents are open until their rows are done. */
#include "runtime/tile.h"

#include <string.h>

#include "ir/base/level.h"
#include "ir/semantics.h"
#include "runtime/batch.h"
#include "runtime/bitmap.h"

/* ---- Levels ---- */

static const wrt_tile_level *const levels[] = {&wrt_tile_v4, &wrt_tile_v3, &wrt_tile_x86_64};

const wrt_tile_level *wrt_tile_best_level(void) {
  size_t i = 0;
  while (!wb_has_level(levels[i]->name)) i++; /* the last one always is */
  return levels[i];
}

bool wrt_tile_set_level(wrt_quick *q, const char *name) {
  for (size_t i = 0; i < WB_LEN(levels); i++) {
    if (strcmp(levels[i]->name, name) != 0 || !wb_has_level(name)) continue;
    if (q->tile != NULL) q->tile->level = levels[i];
    return true;
  }
  return false;
}

/* ---- Which rows ---- */

bool wrt_tile_has_deferred(const wrt_batch *b, size_t at, size_t n) {
  for (size_t i = 0; i < b->n_ins; i++) {
    const weir_in_column *c = &b->ins[i];
    if (c->deferred != NULL && wrt_bits_any(c->deferred, c->deferred_bit + at, WB_PLANTED(35) ? WB_MIN(n, 64) : n)) return true;
  }
  return false;
}

/* Gathers which inputs are there; true: all. */
static bool find_present(wrt_tile *t, const wrt_batch *b, size_t at, size_t n) {
  bool are_all = true;
  for (size_t i = 0; i < b->n_ins; i++) {
    const weir_in_column *c = &b->ins[i];
    uint64_t *to = t->present + i * WRT_TILE_WORDS;
    if (c->present == NULL) memset(to, 0xff, WRT_TILE_WORDS * sizeof *to);
    else are_all &= wrt_bits_get(c->present, (WB_PLANTED(32) ? 0 : c->present_bit) + at, n, to);
  }
  return are_all;
}

/* ---- Columns ---- */

/* A caller's input stands where the caller's outputs and the pool's columns stand; no step writes there. */
static wrt_cell *port(const void *at) { return (wrt_cell *)(uintptr_t)at; }

static void bind_ports(const wrt_monitor *m, wrt_tile *t, const wrt_batch *b, size_t at) {
  for (size_t i = 0; i < b->n_ins; i++) {
    if (m->in_kinds[i] == WEIR_KIND_BOOL) t->columns[i] = port(b->ins[i].as.b + at);
    else t->columns[i] = port(b->ins[i].as.i + at);
  }
  for (size_t o = 0; o < b->n_outs; o++) {
    wrt_cell **to = &t->columns[b->n_ins + o];
    if (b->outs[o].as.i == NULL) *to = t->columns[t->unasked[o]];
    else if (m->out_kinds[o] == WEIR_KIND_BOOL) *to = port(b->outs[o].as.b + at);
    else *to = port(b->outs[o].as.i + at);
  }
}

static void fill_consts(const wrt_tile *t) {
  for (uint32_t i = 0; i < t->n_consts; i++) {
    wrt_cell *column = t->columns[t->n_ports + i];
    for (size_t r = 0; r < t->rows; r++) column[r] = t->consts[i].value;
  }
}

/* Room for columns: many monitors never get a batch.  Without memory for it tiles are given up, and rows run one by one. */
static bool take_pool(wrt_monitor *m, wrt_tile *t) {
  wb_mem *mem = &m->quick_mem;
  t->pool = wb_block(mem, (size_t)t->n_pool * t->rows * sizeof(wrt_cell) + 64);
  t->present = wb_block(mem, (size_t)m->program->n_inputs * WRT_TILE_WORDS * sizeof *t->present + 1);
  wrt_cell **columns = wb_block(mem, ((size_t)t->n_ports + t->n_pool) * sizeof *columns + 1);
  if (t->pool == NULL || t->present == NULL || columns == NULL) {
    wb_block_free(mem, t->pool);
    wb_block_free(mem, t->present);
    wb_block_free(mem, columns);
    t->plans[WIR_BODY_WARM].is_possible = t->plans[WIR_BODY_SPARSE].is_possible = false;
    return false;
  }
  t->columns = columns;
  unsigned char *at = t->pool + (64 - (uintptr_t)t->pool % 64) % 64;
  for (uint32_t i = 0; i < t->n_pool; i++) columns[t->n_ports + i] = (wrt_cell *)(void *)(at + (size_t)i * t->rows * sizeof(wrt_cell));
  fill_consts(t);
  return true;
}

/* ---- Which code ---- */

static bool is_within(int64_t x, unsigned bits) { return ((uint64_t)x + (UINT64_C(1) << bits)) >> bits >> 1 == 0; }

/* Samples up to where the ring began anew, and those at its end. */
static bool are_within(const wir_state *s, const unsigned char *arena, uint64_t at, uint64_t n, unsigned bits) {
  bool are = true;
  for (uint64_t i = 0; i < n; i++) are &= is_within(wrt_tile_sample(s, arena, at + i), bits);
  return are;
}

static bool state_is_small(const wrt_tile_test *test, const wrt_tile_run *run) {
  const wir_state *s = &run->states[test->of];
  uint64_t first = wrt_tile_place(s, run->arena, test->back), before = WB_MIN(test->back, s->capacity - first);
  return are_within(s, run->arena, first, before, test->bits) && are_within(s, run->arena, 0, WB_PLANTED(34) ? 0 : test->back - before, test->bits);
}

static bool are_small(const wrt_tile *t, const wrt_tile_plan *plan, const wrt_tile_run *run) {
  if (!plan->has_small) return false;
  for (uint32_t i = 0; i < plan->n_tests; i++) {
    const wrt_tile_test *test = &plan->tests[i];
    if (test->is_state ? !state_is_small(test, run) : t->level->spread(t->columns[test->of], run->n, test->bits) != 0) return false;
  }
  return true;
}

static bool do_twins_agree(const wrt_tile_plan *plan, const wrt_tile_run *run) {
  for (uint32_t i = 0; i < plan->n_twins && !WB_PLANTED(38); i++)
    if (wrt_tile_before(run, plan->twins[i].a) != wrt_tile_before(run, plan->twins[i].b)) return false;
  return true;
}

/* ---- A tile ---- */

static bool run_code(const wrt_tile *t, const wrt_tile_code *c, const wrt_tile_run *run) {
  int64_t bad = 0;
  wrt_cell *const *columns = t->columns;
  for (uint32_t i = 0; i < c->n_steps; i++) {
    const wrt_tile_step *s = &c->steps[i];
    if (WB_UNLIKELY(s->loop == WRT_TILE_ROWS)) bad |= wrt_tile_run_rows(t, c, s, run);
    else bad = (WB_PLANTED(33) ? 0 : bad) | t->level->loops[s->loop](columns[s->d], columns[s->a], columns[s->b], columns[s->c], s, run);
  }
  return bad >= 0;
}

static void store(const wir_state *s, unsigned char *arena, uint64_t at, const wrt_cell *from, size_t n) {
  unsigned char *values = arena + s->offset;
  if (s->cell == WIR_CELL_BOOL)
    for (size_t i = 0; i < n; i++) values[at + i] = (unsigned char)from[i];
  else if (n > 16) memcpy(values + at * sizeof *from, from, n * sizeof *from);
  else
    for (size_t i = 0; i < n; i++) ((wrt_cell *)(void *)values)[at + i] = from[i];
}

/* As many samples as the ring has room for, as if they had come one by one. */
static void push(const wir_state *s, unsigned char *arena, const wrt_cell *column, size_t n) {
  wir_ring *r = (wir_ring *)(void *)(arena + s->ring);
  if (s->capacity <= n) {
    size_t some = (size_t)s->capacity, first = ((size_t)r->next + n) % some; /* where the oldest of them goes, and the next after them */
    store(s, arena, first, column + n - some, some - first);
    store(s, arena, 0, column + n - first, first);
    r->next = first;
    return;
  }
  size_t room = s->capacity - r->next < n ? (size_t)(s->capacity - r->next) : n;
  store(s, arena, r->next, column, room);
  store(s, arena, 0, column + room, n - room);
  r->next = r->next + n >= s->capacity ? r->next + n - s->capacity : r->next + n;
}

/* As the tracked handlers of quick.c keep a cell. */
static void keep_tracked(wrt_monitor *m, const wrt_tile_effect *e, size_t last) {
  wrt_quick *q = m->quick;
  const wir_state *s = &m->program->states[e->state];
  uint8_t *presence = &m->arena[s->presence];
  bool was_value = *presence == WIR_SAMPLE_VALUE, is_value = WB_PLANTED(37) || e->mask == WRT_TILE_NO_COLUMN || q->tile->columns[e->mask][last] == 0;
  store(s, m->arena, 0, q->tile->columns[e->column] + last, 1);
  *presence = is_value ? WIR_SAMPLE_VALUE : WIR_SAMPLE_DEFERRED;
  for (uint32_t code = WIR_BODY_SPARSE; code < WIR_BODY_FITS; code++)
    if (q->bodies->assumed[e->state] & (1u << code)) q->n_cold[code] += (uint64_t)!is_value - (uint64_t)!was_value;
}

/* What a ring has of `back` rows before the last row. */
static void keep_sample(wrt_monitor *m, const wrt_tile_effect *e, const wir_state *s, size_t n) {
  const wir_state *ring = &m->program->states[e->ring];
  wrt_cell sample;
  if (e->back < n) sample = m->quick->tile->columns[e->column][n - 1 - e->back];
  else sample = wrt_tile_sample(ring, m->arena, wrt_tile_place(ring, m->arena, e->back - (n - 1)));
  store(s, m->arena, 0, &sample, 1);
}

static void make_history(wrt_monitor *m, const wrt_tile_code *c, size_t n) {
  for (uint32_t i = 0; i < c->n_effects; i++) {
    const wrt_tile_effect *e = &c->effects[i];
    const wir_state *s = &m->program->states[e->state];
    const wrt_cell *column = m->quick->tile->columns[e->column];
    if (e->is_tracked) keep_tracked(m, e, n - 1);
    else if (wir_state_is_ring(s)) push(s, m->arena, column, n);
    else if (e->back != 0) keep_sample(m, e, s, n);
    else store(s, m->arena, 0, column + n - 1 - WB_PLANTED(31), 1);
  }
  m->ticks += n;
  m->quick_ticks += n;
}

static void put_presence(const wrt_tile *t, const wrt_batch *b, size_t at, const wrt_tile_run *run) {
  for (size_t o = 0; o < b->n_outs; o++) {
    const weir_out_column *c = &b->outs[o];
    uint32_t input = t->input_of_output[o];
    bool are_all = input == UINT32_MAX || run->present == NULL || WB_PLANTED(36);
    if (c->present != NULL && are_all) wrt_bits_fill(c->present, c->present_bit + at, run->n, true);
    else if (c->present != NULL) wrt_bits_put(c->present, c->present_bit + at, run->n, run->present + (size_t)input * WRT_TILE_WORDS);
    if (c->deferred != NULL) wrt_bits_fill(c->deferred, c->deferred_bit + at, run->n, false);
  }
}

/* Runs the rows with what the plan has for them. */
static bool run_tile(wrt_monitor *m, const wrt_tile_plan *plan, const wrt_batch *b, size_t at, const wrt_tile_run *run) {
  wrt_tile *t = m->quick->tile;
  bind_ports(m, t, b, at);
  bool is_good = run_code(t, &plan->held, run), is_small = is_good && are_small(t, plan, run);
  const wrt_tile_code *c = is_small ? &plan->small : &plan->checked;
  t->n_tiles++;
  t->n_small += is_small;
  if (!is_good || !run_code(t, c, run)) {
    t->n_bad++;
    return false;
  }
  put_presence(t, b, at, run);
  make_history(m, c, run->n);
  return true;
}

/* Is history such that a tile could run, whatever its rows hold? */
static bool can_begin(wrt_monitor *m, const wrt_tile *t) {
  for (wir_body_fit fit = WIR_BODY_SPARSE; fit < WIR_BODY_FITS; fit++)
    if (t->plans[fit].is_possible && wrt_quick_fit(m, fit) == fit) return true;
  return false;
}

size_t wrt_tile_rows(wrt_monitor *m, const wrt_batch *b, size_t at, size_t *alone) {
  wrt_quick *q = m->quick;
  size_t left = b->rows - at;
  *alone = left;
  if (q == NULL || q->tile == NULL || left < WRT_TILE_WORTH) return 0;
  wrt_tile *t = q->tile;
  size_t n = WB_MIN(left, t->rows);
  if (!t->plans[WIR_BODY_WARM].is_possible && !t->plans[WIR_BODY_SPARSE].is_possible) return 0;
  *alone = WRT_TILE_COLD; /* first of all, since it may last: an input that never comes must not cost a look at all bitmaps for each row */
  if (!can_begin(m, t)) return 0;
  *alone = n;
  if (wrt_tile_has_deferred(b, at, n) || (t->columns == NULL && !take_pool(m, t))) return 0;
  bool are_all = find_present(t, b, at, n);
  wir_body_fit fit = are_all && t->plans[WIR_BODY_WARM].is_possible ? WIR_BODY_WARM : WIR_BODY_SPARSE;
  if (!t->plans[fit].is_possible) return 0;
  wrt_tile_run run = {.n = n, .arena = m->arena, .states = m->program->states, .present = are_all ? NULL : t->present};
  if (wrt_quick_fit(m, fit) != fit || !do_twins_agree(&t->plans[fit], &run)) {
    *alone = WRT_TILE_COLD;
    return 0;
  }
  if (!run_tile(m, &t->plans[fit], b, at, &run)) return 0;
  q->n_ran[fit] += n;
  q->is_fast = q->can_be_fast && q->n_cold[WIR_BODY_WARM] == 0;
  *alone = 0;
  return n;
}
