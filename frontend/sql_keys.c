/* frontend/sql_keys.c -- what a synopsis keeps of the rows that it stands for, and how many cells that takes.
**
** Of a member with few live rows each used column is kept as it is.  Of any other only what the future can tell apart: a value where the result shows
** it, or where it is bounded and compared both ways; else the value cut off where all later rows treat larger (smaller) ones alike; for sets, one
** extreme that stands for all that cannot be cut off. */
#include "frontend/sql_keys.h"

typedef struct keeper {
  wsql_job *job;
  const wsql_cuts *cuts;
  const wsql_cut *cut;
  const wsql_form *f;
  wsql_anchors anchors;
  wsql_pairs pairs;
  bool *is_out;            /* by vertex: in the select list */
  bool *is_kept;           /* by vertex, of the few: its column is a key */
  bool *is_compared;       /* by vertex: by a kept `<>` with an alias outside */
  WB_VEC(wsql_key) keys;
  WB_VEC(uint32_t) far;
  uint32_t n_far_edges;
  wsql_mono entries;
  bool is_dense;
} keeper;

static wsql_int at(const keeper *k, uint32_t i, uint32_t j) { return wsql_cut_at(k->cuts, k->cut, i, j); }
static bool is_constant(uint32_t anchor) { return anchor == 0 || anchor == WSQL_NOW; }

/* ---- Ranges ---- */

static wsql_int value_range(const keeper *k, uint32_t x, uint32_t v) {
  return wsql_add(wsql_add(at(k, x, v), at(k, v, x)), 1);
}

/* Has the edge to do with x in this direction, and is it not one that the kept extreme stands for? */
static bool concerns(const keeper *k, uint32_t edge, uint32_t x, bool is_up) {
  wsql_edge e = k->f->edges[edge];
  if (!k->cut->used[edge] || (is_up ? e.from : e.to) != x) return false;
  if (k->pairs.are != WSQL_PAIRS_BOUND) return true;
  return wsql_is_anchored(k->cuts, k->cut, &k->anchors, e.from, e.to);
}

/* How far above the anchor v (below it) a value still makes a difference, for edge `only` or all that concern x. */
static wsql_int reach(const keeper *k, uint32_t x, bool is_up, uint32_t v, uint32_t only) {
  wsql_int most = -WSQL_INF;
  for (uint32_t i = 0; i < k->f->n_edges; i++) {
    wsql_edge e = k->f->edges[i];
    if (!concerns(k, i, x, is_up) || (only != WSQL_NONE && only != i)) continue;
    wsql_int way = is_up ? at(k, v, e.to) : at(k, e.from, v);
    if (way >= WSQL_INF) return WSQL_INF;
    most = WB_MAX(most, way - e.w);
  }
  return most;
}

static wsql_int clamp_range(const keeper *k, uint32_t x, bool is_up, uint32_t v, uint32_t only) {
  wsql_int inner = is_up ? at(k, x, v) : at(k, v, x), outer = reach(k, x, is_up, v, only);
  if (inner >= WSQL_INF || outer >= WSQL_INF) return WSQL_INF;
  return WB_MAX(inner + outer + 1, 1);
}

/* The least range of x as a key of this kind (of a clamp, for edge `only` or all) over the anchors; those that are kept anyway before the others.
** WSQL_INF: none serves. */
static wsql_int least_range(keeper *k, wsql_key_kind kind, uint32_t x, uint32_t only, uint32_t *anchor) {
  wsql_int least = WSQL_INF;
  for (int others = 0; others < 2 && least >= WSQL_INF; others++)
    for (uint32_t i = 0; i < k->anchors.n; i++) {
      uint32_t v = k->anchors.at[i];
      if ((!is_constant(v) && !k->is_kept[v]) != (others == 1)) continue;
      wsql_int range = kind == WSQL_KEY_VALUE ? value_range(k, x, v) : clamp_range(k, x, kind == WSQL_KEY_UP, v, only);
      if (range >= least) continue;
      least = range;
      *anchor = v;
    }
  if (least < WSQL_INF && !is_constant(*anchor)) k->is_kept[*anchor] = true;
  return least;
}

/* ---- Keys ---- */

static weir_code add_key(keeper *k, wsql_key key) {
  k->is_dense &= key.range != 0 && key.kind != WSQL_KEY_OFFSET ? is_constant(key.anchor) : key.range != 0;
  return WB_PUSH(k->job->mem, &k->keys, key) ? WEIR_OK : wb_fail_memory(k->job->e);
}

static weir_code add_value(keeper *k, uint32_t x, uint64_t *product) {
  uint32_t anchor = WSQL_NONE;
  wsql_int range = least_range(k, WSQL_KEY_VALUE, x, WSQL_NONE, &anchor);
  wb_assert(range < WSQL_INF);
  *product = wsql_times(*product, wsql_count(range, 1));
  return add_key(k, (wsql_key){.kind = WSQL_KEY_VALUE, .vertex = x, .anchor = anchor, .low = -at(k, x, anchor), .high = at(k, anchor, x), .range = wsql_count(range, 1)});
}

/* Several anchors: each edge has its own, and the values lie within as many intervals. */
static uint64_t clamp_by_edges(keeper *k, wsql_key_kind kind, uint32_t x) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < k->f->n_edges; i++) {
    uint32_t anchor;
    if (concerns(k, i, x, kind == WSQL_KEY_UP)) sum = wsql_plus(sum, wsql_count(least_range(k, kind, x, i, &anchor), 1));
  }
  return sum;
}

static weir_code add_clamp(keeper *k, uint32_t x, bool is_up, uint64_t *product) {
  wsql_key key = {.kind = is_up ? WSQL_KEY_UP : WSQL_KEY_DOWN, .vertex = x, .anchor = WSQL_NONE};
  wsql_int range = least_range(k, key.kind, x, WSQL_NONE, &key.anchor);
  if (range < WSQL_INF) {
    wsql_int outer = reach(k, x, is_up, key.anchor, WSQL_NONE);
    key.range = wsql_count(range, 1);
    key.low = is_up ? -at(k, x, key.anchor) : -outer;
    key.high = is_up ? outer : at(k, key.anchor, x);
  } else {
    key.range = clamp_by_edges(k, key.kind, x);
  }
  for (int i = 0; i < 2; i++) { /* never more than the values that there are */
    uint32_t v = i == 0 ? 0 : WSQL_NOW;
    wsql_int all = value_range(k, x, v);
    if (all >= WSQL_INF || wsql_count(all, 1) >= key.range) continue;
    key = (wsql_key){.kind = WSQL_KEY_VALUE, .vertex = x, .anchor = v, .low = -at(k, x, v), .high = at(k, v, x), .range = wsql_count(all, 1)};
  }
  *product = wsql_times(*product, key.range);
  return add_key(k, key);
}

static bool is_extreme(const keeper *k, uint32_t x, bool is_up) {
  if (k->pairs.are == WSQL_PAIRS_BOUND) return false;
  for (uint32_t i = 0; i < k->pairs.n; i++)
    if (k->pairs.at[i].vertex == x && k->pairs.at[i].is_up == is_up) return true;
  return false;
}

static bool has_edge(const keeper *k, uint32_t x, bool is_up) {
  for (uint32_t i = 0; i < k->f->n_edges; i++)
    if (concerns(k, i, x, is_up)) return true;
  return false;
}

static weir_code add_column(keeper *k, uint32_t x, uint64_t *product) {
  bool is_bounded = wsql_is_anchored(k->cuts, k->cut, &k->anchors, x, x);
  bool up = has_edge(k, x, true), down = has_edge(k, x, false);
  if (k->is_compared[x] && !is_bounded && !WB_PUSH(k->job->mem, &k->far, x)) return wb_fail_memory(k->job->e);
  if (k->is_out[x] || (is_bounded && ((up && down) || k->is_compared[x]))) return add_value(k, x, product);
  if (up && !is_extreme(k, x, true)) WB_TRY(add_clamp(k, x, true, product));
  if (down && !is_extreme(k, x, false)) WB_TRY(add_clamp(k, x, false, product));
  return WEIR_OK;
}

/* Calls for each attribute of an alias: its time and its INT columns, those that stand for themselves. */
static bool next_column(const keeper *k, uint32_t alias, uint32_t *x) {
  const wsql_reading *r = k->f->reading;
  if (*x == 0) *x = 1 + alias;
  else *x = *x == 1 + alias ? r->of_alias[alias] : *x + 1;
  while (*x != 1 + alias && *x < r->of_alias[alias + 1] && k->f->same[*x] != *x) ++*x;
  return *x == 1 + alias || *x < r->of_alias[alias + 1];
}

static weir_code add_many(keeper *k, uint32_t alias) {
  uint64_t product = 1;
  for (uint32_t x = 0; next_column(k, alias, &x);) WB_TRY(add_column(k, x, &product));
  return wsql_mono_mul(k->job, k->entries, (wsql_mono){.times = product}, &k->entries);
}

weir_code wsql_live(wsql_job *job, const wsql_form *f, uint32_t alias, uint64_t steps, wsql_mono *out) {
  wsql_mono rate;
  *out = (wsql_mono){.times = f->n_rows[alias]};
  if (wsql_is_table(job, f, alias)) return WEIR_OK;
  WB_TRY(wsql_mono_rate(job, f->reading->aliases[alias].relation, &rate));
  return wsql_mono_mul(job, rate, (wsql_mono){.times = steps}, out);
}

/* The used columns of a member with few rows: as an array by their ranges where that is no more than the rows. */
static weir_code add_few(keeper *k, uint32_t alias) {
  uint64_t product = 1;
  size_t first = k->keys.n;
  uint32_t time = 1 + alias;
  for (uint32_t x = 0; next_column(k, alias, &x);) {
    wsql_key key = {.kind = WSQL_KEY_VALUE, .vertex = x, .anchor = WSQL_NONE};
    if (!k->is_kept[x]) continue;
    wsql_int by_zero = value_range(k, x, 0), by_now = value_range(k, x, WSQL_NOW);
    if (by_zero < WSQL_INF || by_now < WSQL_INF) {
      key.anchor = by_now < by_zero ? WSQL_NOW : 0;
      key.low = -at(k, x, key.anchor);
      key.high = at(k, key.anchor, x);
      key.range = wsql_count(WB_MIN(by_zero, by_now), 1);
    }
    product = key.range == 0 ? UINT64_MAX : wsql_times(product, key.range);
    WB_TRY(add_key(k, key));
  }
  if (k->keys.n == first) return WEIR_OK;
  wsql_mono live;
  wsql_int steps = WB_MIN(wsql_add(at(k, 0, time), at(k, time, 0)), wsql_add(at(k, time, WSQL_NOW), at(k, WSQL_NOW, time)));
  WB_TRY(wsql_live(k->job, k->f, alias, wsql_count(wsql_add(steps, 1), 1), &live));
  if (live.times >= product) return wsql_mono_mul(k->job, k->entries, (wsql_mono){.times = product}, &k->entries);
  k->is_dense = false;
  return wsql_mono_mul(k->job, k->entries, live, &k->entries);
}

/* ---- Extremes and far attributes ---- */

static weir_code add_extremes(keeper *k, wsql_synopsis *s) {
  s->keep = k->f->reading->is_set ? WSQL_KEEP_FLAG : WSQL_KEEP_COUNTER;
  if (k->pairs.are == WSQL_PAIRS_NONE) return WEIR_OK;
  wsql_extreme *extremes = WB_NEW_ARRAY(k->job->mem, wsql_extreme, k->pairs.n);
  if (extremes == NULL) return wb_fail_memory(k->job->e);
  for (uint32_t i = 0; i < k->pairs.n; i++) extremes[i] = (wsql_extreme){k->pairs.at[i].vertex, k->pairs.at[i].is_up};
  s->keep = WSQL_KEEP_EXTREME;
  s->extremes = extremes;
  s->n_extremes = k->pairs.n;
  s->bound = k->pairs.are == WSQL_PAIRS_BOUND ? k->pairs.at[0].target : 0;
  for (uint32_t i = 1; i < k->pairs.n && k->pairs.are == WSQL_PAIRS_OFFSETS; i++) {
    uint32_t x = k->pairs.at[i].vertex, first = k->pairs.at[0].vertex;
    wsql_key key = {.kind = WSQL_KEY_OFFSET, .vertex = x, .anchor = first, .low = -at(k, x, first), .high = at(k, first, x)};
    key.range = wsql_count(key.high - key.low + 1, 1);
    WB_TRY(wsql_mono_mul(k->job, k->entries, (wsql_mono){.times = key.range}, &k->entries));
    WB_TRY(add_key(k, key));
  }
  return WEIR_OK;
}

/* Rows that are kept for n `<>`: the best one, and for each `<>` the best of those that differ from it there. */
static uint64_t rows_for(uint32_t n) {
  uint64_t rows = 1;
  for (uint32_t i = 1; i <= n; i++) rows = wsql_plus(1, wsql_times(i, rows));
  return rows;
}

/* Marks what the kept `<>` between C and others compare. */
static void mark_compared(keeper *k) {
  for (uint32_t i = 0; i < k->f->n_differ; i++) {
    wsql_edge e = k->f->differ[i];
    bool from = wsql_is_member(k->f, k->cut, e.from), to = wsql_is_member(k->f, k->cut, e.to);
    uint32_t inner = from ? e.from : e.to;
    if (from == to) continue;
    if (wsql_is_few(k->f, k->cut, inner)) k->is_kept[inner] = true;
    else k->is_compared[inner] = true;
    k->n_far_edges += !wsql_is_few(k->f, k->cut, inner) && !wsql_is_anchored(k->cuts, k->cut, &k->anchors, inner, inner);
  }
}

static void mark_used(keeper *k) {
  for (uint32_t i = 0; i < k->f->reading->n_outs; i++) {
    uint32_t v = k->f->outs[i].vertex;
    k->is_out[v] = true;
    if (wsql_is_member(k->f, k->cut, v) && wsql_is_few(k->f, k->cut, v)) k->is_kept[v] = true;
  }
  for (uint32_t i = 0; i < k->f->n_edges; i++) {
    uint32_t inner = wsql_is_member(k->f, k->cut, k->f->edges[i].from) ? k->f->edges[i].from : k->f->edges[i].to;
    if (k->cut->used[i] && wsql_is_few(k->f, k->cut, inner)) k->is_kept[inner] = true;
  }
  mark_compared(k);
}

weir_code wsql_keys_make(wsql_job *job, const wsql_cuts *cuts, const wsql_cut *cut, wsql_synopsis *s) {
  uint32_t n = cuts->f->m.n;
  keeper k = {.job = job, .cuts = cuts, .cut = cut, .f = cuts->f, .is_out = WB_NEW_ARRAY(&job->scratch, bool, n), .is_kept = WB_NEW_ARRAY(&job->scratch, bool, n),
              .is_compared = WB_NEW_ARRAY(&job->scratch, bool, n), .entries = WSQL_ONE, .is_dense = true};
  if (k.is_out == NULL || k.is_kept == NULL || k.is_compared == NULL) return wb_fail_memory(job->e);
  WB_TRY(wsql_anchors_of(job, cuts, cut, &k.anchors));
  WB_TRY(wsql_pairs_of(job, cuts, cut, &k.anchors, &k.pairs));
  mark_used(&k);
  for (uint32_t a = 0; a < cuts->f->reading->n_aliases; a++) /* the others' anchors are kept, so they come before the few */
    if (cut->members & ~cut->few & 1u << a) WB_TRY(add_many(&k, a));
  for (uint32_t a = 0; a < cuts->f->reading->n_aliases; a++)
    if (cut->few & 1u << a) WB_TRY(add_few(&k, a));
  WB_TRY(add_extremes(&k, s));
  WB_TRY(wsql_mono_mul(job, k.entries, (wsql_mono){.times = rows_for(k.n_far_edges)}, &k.entries));
  s->keys = k.keys.at;
  s->n_keys = (uint32_t)k.keys.n;
  s->far = k.far.at;
  s->n_far = (uint32_t)k.far.n;
  s->n_far_edges = k.n_far_edges;
  s->is_dense = k.is_dense;
  s->width = (k.is_dense ? 1 : 1 + s->n_keys) + s->n_far;
  WB_TRY(wsql_poly_add(job, &s->entries, k.entries));
  WB_TRY(wsql_mono_mul(job, k.entries, (wsql_mono){.times = s->width}, &k.entries));
  WB_TRY(wsql_poly_add(job, &s->cells, k.entries));
  return wsql_spend(job, (uint64_t)cuts->f->n_edges * n * (k.anchors.n + 1));
}
