/* frontend/sql_reading.c -- a SELECT as its vertices and predicates: what is written, and with copies of the aliases that are only ever the older one.
**
** Unfolding: of the rows of an alias v that agree in all columns that others see, the oldest serves every newer alias best.  So each newer alias may
** have its own copy of v, if the copies agree in those columns, and the newer ones are then not tied together through v. */
#include "frontend/sql_form.h"

#include <string.h>

static bool *used_of(bool *used, const size_t *first, const wsql_term *t) { return t->alias == WSQL_NONE ? NULL : &used[first[t->alias] + t->column]; }

weir_code wsql_reading_finish(wsql_job *job, const wsql_term *items, uint32_t n_items, wsql_reading *r) {
  size_t n_columns = 0;
  size_t *first = WB_NEW_ARRAY(job->mem, size_t, r->n_aliases); /* of each alias, in `used` */
  if (first == NULL) return wb_fail_memory(job->e);
  for (uint32_t k = 0; k < r->n_aliases; k++) {
    first[k] = n_columns;
    n_columns += job->q->relations[r->aliases[k].relation].n_columns;
  }
  WB_TRY(wsql_spend(job, n_columns));
  bool *used = WB_NEW_ARRAY(job->mem, bool, n_columns);
  if (used == NULL) return wb_fail_memory(job->e);
  for (uint32_t i = 0; i < r->n_preds; i++)
    for (int side = 0; side < 2; side++) {
      bool *u = used_of(used, first, side == 0 ? &r->preds[i].left : &r->preds[i].right);
      if (u != NULL) *u = true;
    }
  for (uint32_t i = 0; i < n_items; i++) {
    bool *u = used_of(used, first, &items[i]);
    if (u != NULL) *u = true;
  }
  size_t most = 1 + r->n_aliases;
  for (size_t i = 0; i < n_columns; i++) most += used[i];
  r->vertices = WB_NEW_ARRAY(job->mem, wsql_vertex, most);
  r->of_alias = WB_NEW_ARRAY(job->mem, uint32_t, r->n_aliases + 1);
  r->outs = WB_NEW_ARRAY(job->mem, wsql_out, n_items);
  if (r->vertices == NULL || r->of_alias == NULL || r->outs == NULL) return wb_fail_memory(job->e);
  r->vertices[0] = (wsql_vertex){.alias = WSQL_NONE, .column = WSQL_NONE};
  r->n_vertices = 1;
  for (uint32_t k = 0; k < r->n_aliases; k++)
    r->vertices[r->n_vertices++] = (wsql_vertex){.alias = k, .column = job->q->relations[r->aliases[k].relation].time, .is_time = true};
  for (uint32_t k = 0; k < r->n_aliases; k++) {
    const wsql_relation *of = &job->q->relations[r->aliases[k].relation];
    r->of_alias[k] = r->n_vertices;
    for (uint32_t c = 0; c < of->n_columns; c++)
      if (used[first[k] + c] && c != of->time) r->vertices[r->n_vertices++] = (wsql_vertex){.alias = k, .column = c};
  }
  r->of_alias[r->n_aliases] = r->n_vertices;
  r->n_outs = n_items;
  for (uint32_t i = 0; i < n_items; i++) r->outs[i] = (wsql_out){wsql_vertex_of(r, items[i]), items[i].plus};
  return WEIR_OK;
}

uint32_t wsql_vertex_of(const wsql_reading *r, wsql_term t) {
  if (t.alias == WSQL_NONE) return 0;
  if (r->vertices[1 + t.alias].column == t.column) return 1 + t.alias;
  uint32_t low = r->of_alias[t.alias], high = r->of_alias[t.alias + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (r->vertices[middle].column < t.column) low = middle + 1;
    else high = middle;
  }
  wb_assert(low < r->of_alias[t.alias + 1] && r->vertices[low].column == t.column);
  return low;
}

weir_code wsql_reading_make(wsql_job *job, uint32_t select, wsql_reading *out) {
  const wsql_select *s = &job->q->selects[select];
  if (s->n_preds > UINT32_MAX / 2) return wsql_spend(job, job->max_steps);
  *out = (wsql_reading){
    .select = select, .is_set = wsql_is_distinct(job->q, s), .aliases = WB_NEW_ARRAY(job->mem, wsql_piece_alias, s->n_aliases), .n_aliases = s->n_aliases,
    .preds = WB_NEW_ARRAY(job->mem, wsql_pred, s->n_preds), .origins = WB_NEW_ARRAY(job->mem, uint32_t, s->n_preds), .n_preds = (uint32_t)s->n_preds,
  };
  wsql_term *items = WB_NEW_ARRAY(job->mem, wsql_term, s->n_items);
  if (out->aliases == NULL || out->preds == NULL || out->origins == NULL || items == NULL) return wb_fail_memory(job->e);
  for (uint32_t k = 0; k < s->n_aliases; k++)
    out->aliases[k] = (wsql_piece_alias){.name = s->aliases[k].name, .alias = k, .relation = s->aliases[k].relation};
  for (uint32_t i = 0; i < out->n_preds; i++) {
    out->preds[i] = s->preds[i];
    if (out->preds[i].kind != WSQL_PRED_CMP) out->preds[i].right = (wsql_term){WSQL_NONE, WSQL_NONE, 0};
    out->origins[i] = i;
  }
  for (uint32_t i = 0; i < s->n_items; i++) items[i] = s->items[i].term;
  return wsql_reading_finish(job, items, s->n_items, out);
}

/* ---- Unfolding ---- */

typedef struct unfolding {
  wsql_job *job;
  const wsql_reading *from;
  wsql_reading *to;
  uint32_t newer[WSQL_MAX_COPIES];  /* by alias: the aliases that its time is compared with, or 0 if it stays one */
  uint32_t first[WSQL_MAX_COPIES];  /* by alias: its first copy in the new reading */
  WB_VEC(wsql_pred) preds;
  WB_VEC(uint32_t) origins;
} unfolding;

static bool is_time(const unfolding *u, wsql_term t) { return t.alias != WSQL_NONE && wsql_vertex_of(u->from, t) <= u->from->n_aliases; }

typedef struct times { /* of two aliases, compared: that of `older` is at most that of `newer` + w */
  uint32_t older, newer;
  wsql_int w;
  bool is_order;       /* else `=`, the same the other way round, or `<>`, which says none of it */
} times;

/* False: it compares something else. */
static bool compares_times(const unfolding *u, const wsql_pred *p, times *out) {
  if (p->kind != WSQL_PRED_CMP || !is_time(u, p->left) || !is_time(u, p->right) || p->left.alias == p->right.alias) return false;
  bool left_is_older = p->cmp == WSQL_LT || p->cmp == WSQL_LE, is_strict = p->cmp == WSQL_LT || p->cmp == WSQL_GT;
  wsql_term older = left_is_older ? p->left : p->right, newer = left_is_older ? p->right : p->left;
  *out = (times){older.alias, newer.alias, newer.plus - older.plus - is_strict, left_is_older || p->cmp == WSQL_GT || p->cmp == WSQL_GE};
  return true;
}

/* Does the form without predicate i, which orders the times t, imply it?  Then it is no reason for a copy: `s.i > v.l` beside
** `s.i > t.j AND t.j > v.l`.  Decided on the times alone, by all bounds that are left. */
static weir_code is_implied(unfolding *u, uint32_t i, times t, const bool *left_out, bool *out) {
  wsql_matrix m;
  bool is_empty = false;
  WB_TRY(wsql_matrix_make(u->job, &u->job->scratch, 1 + u->from->n_aliases, &m));
  for (uint32_t k = 0; k < u->from->n_preds; k++) {
    const wsql_pred *p = &u->from->preds[k];
    times other;
    if (k == i || left_out[k] || p->cmp == WSQL_NE || !compares_times(u, p, &other)) continue;
    WB_TRY(wsql_tighten(u->job, &m, 1 + other.newer, 1 + other.older, other.w, &is_empty));
    if (!is_empty && !other.is_order) WB_TRY(wsql_tighten(u->job, &m, 1 + other.older, 1 + other.newer, -other.w, &is_empty));
    if (is_empty) break;
  }
  *out = !is_empty && wsql_at(&m, 1 + t.newer, 1 + t.older) <= t.w;
  return WEIR_OK;
}

/* Fills `newer`, and marks the comparisons that others imply: they are left out. */
static weir_code find_older(unfolding *u, bool *left_out) {
  uint32_t not_only_older = 0, n = u->from->n_aliases;
  times t;
  for (uint32_t i = u->from->n_preds; i-- > 0;)
    if (compares_times(u, &u->from->preds[i], &t) && t.is_order) WB_TRY(is_implied(u, i, t, left_out, &left_out[i]));
  for (uint32_t i = 0; i < u->from->n_preds; i++) {
    if (left_out[i] || !compares_times(u, &u->from->preds[i], &t)) continue;
    not_only_older |= 1u << t.newer;
    if (t.is_order) u->newer[t.older] |= 1u << t.newer;
    else not_only_older |= 1u << t.older;
  }
  for (uint32_t i = 0; i < u->from->n_outs; i++) {
    uint32_t vertex = u->from->outs[i].vertex;
    if (vertex != 0) not_only_older |= 1u << u->from->vertices[vertex].alias;
  }
  for (uint32_t k = 0; k < n; k++)
    if (not_only_older >> k & 1 || __builtin_popcount(u->newer[k]) < 2) u->newer[k] = 0;
  return WEIR_OK;
}

static weir_code add_aliases(unfolding *u, bool *is_same) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < u->from->n_aliases; k++) {
    u->first[k] = n;
    n += u->newer[k] == 0 ? 1 : (uint32_t)__builtin_popcount(u->newer[k]);
  }
  *is_same = n == u->from->n_aliases || n > WSQL_MAX_COPIES;
  if (*is_same) return WEIR_OK;
  u->to->aliases = WB_NEW_ARRAY(u->job->mem, wsql_piece_alias, n);
  if (u->to->aliases == NULL) return wb_fail_memory(u->job->e);
  u->to->n_aliases = n;
  for (uint32_t k = 0; k < u->from->n_aliases; k++) {
    uint32_t end = k + 1 < u->from->n_aliases ? u->first[k + 1] : n;
    for (uint32_t copy = u->first[k]; copy < end; copy++) {
      wsql_piece_alias *a = &u->to->aliases[copy];
      *a = u->from->aliases[k];
      if (u->newer[k] == 0) continue;
      wir_words name = {.mem = u->job->mem};
      wir_put_name(&name, a->name);
      wir_put(&name, "'");
      wir_put_number(&name, copy - u->first[k] + 1);
      if (name.has_failed) return wb_fail_memory(u->job->e);
      a->name = (wb_str){name.bytes.at, name.bytes.n};
    }
  }
  return WEIR_OK;
}

static weir_code add_pred(unfolding *u, wsql_pred p, uint32_t origin) {
  return WB_PUSH(u->job->mem, &u->preds, p) && WB_PUSH(u->job->mem, &u->origins, origin) ? WEIR_OK : wb_fail_memory(u->job->e);
}

/* The number among v's copies of the one that belongs to the newer alias. */
static uint32_t copy_of(const unfolding *u, uint32_t v, uint32_t newer) {
  return u->first[v] + (u->newer[v] == 0 ? 0 : (uint32_t)__builtin_popcount(u->newer[v] & ((1u << newer) - 1)));
}

static void rename_term(const unfolding *u, wsql_term *t, uint32_t copy) {
  if (t->alias != WSQL_NONE) t->alias = u->first[t->alias] + copy;
}

static weir_code add_preds(unfolding *u, const bool *left_out) {
  for (uint32_t i = 0; i < u->from->n_preds; i++) {
    wsql_pred p = u->from->preds[i];
    times t;
    if (left_out[i]) continue;
    if (compares_times(u, &p, &t)) {
      uint32_t copy = copy_of(u, t.older, t.newer);
      bool left_is_older = p.left.alias == t.older;
      p.left.alias = left_is_older ? copy : u->first[t.newer];
      p.right.alias = left_is_older ? u->first[t.newer] : copy;
      WB_TRY(add_pred(u, p, u->from->origins[i]));
      continue;
    }
    /* Of one alias: each copy has it.  Of two: the first copies, with which the others agree. */
    uint32_t left = p.left.alias, right = p.right.alias;
    bool is_of_one = left == WSQL_NONE || right == WSQL_NONE || left == right;
    uint32_t one = left == WSQL_NONE ? right : left;
    uint32_t copies = is_of_one && one != WSQL_NONE && u->newer[one] != 0 ? (uint32_t)__builtin_popcount(u->newer[one]) : 1;
    for (uint32_t copy = 0; copy < copies; copy++) {
      wsql_pred of_copy = p;
      rename_term(u, &of_copy.left, copy);
      rename_term(u, &of_copy.right, copy);
      WB_TRY(add_pred(u, of_copy, u->from->origins[i]));
    }
  }
  return WEIR_OK;
}

/* Is the INT column compared with another alias?  (None of v is in the select list.) */
static bool is_seen(const unfolding *u, uint32_t alias, uint32_t column) {
  for (uint32_t i = 0; i < u->from->n_preds; i++) {
    const wsql_pred *p = &u->from->preds[i];
    if (p->left.alias == WSQL_NONE || p->right.alias == WSQL_NONE || p->left.alias == p->right.alias) continue;
    if ((p->left.alias == alias && p->left.column == column) || (p->right.alias == alias && p->right.column == column)) return true;
  }
  return false;
}

static weir_code add_agreement(unfolding *u) {
  for (uint32_t k = 0; k < u->from->n_aliases; k++)
    for (uint32_t v = u->from->of_alias[k]; v < u->from->of_alias[k + 1]; v++) {
      uint32_t column = u->from->vertices[v].column;
      if (u->newer[k] == 0 || !is_seen(u, k, column)) continue;
      for (uint32_t copy = 1; copy < (uint32_t)__builtin_popcount(u->newer[k]); copy++)
        WB_TRY(add_pred(u, (wsql_pred){.kind = WSQL_PRED_CMP, .cmp = WSQL_EQ, .left = {u->first[k], column, 0}, .right = {u->first[k] + copy, column, 0}},
                        WSQL_NONE));
    }
  return WEIR_OK;
}

weir_code wsql_reading_unfold(wsql_job *job, const wsql_reading *from, wsql_reading *out, bool *is_same) {
  unfolding u = {.job = job, .from = from, .to = out};
  *out = *from;
  out->is_unfolded = true;
  *is_same = true;
  bool *left_out = WB_NEW_ARRAY(job->mem, bool, from->n_preds);
  wsql_term *items = WB_NEW_ARRAY(job->mem, wsql_term, from->n_outs);
  if (left_out == NULL || items == NULL) return wb_fail_memory(job->e);
  WB_TRY(find_older(&u, left_out));
  wb_mem_reset(&job->scratch);
  WB_TRY(add_aliases(&u, is_same));
  if (*is_same) return WEIR_OK;
  WB_TRY(add_preds(&u, left_out));
  WB_TRY(add_agreement(&u));
  out->preds = u.preds.at;
  out->origins = u.origins.at;
  out->n_preds = (uint32_t)u.preds.n;
  for (uint32_t i = 0; i < from->n_outs; i++) {
    wsql_vertex v = from->vertices[from->outs[i].vertex];
    items[i] = (wsql_term){v.alias == WSQL_NONE ? WSQL_NONE : u.first[v.alias], v.column, from->outs[i].plus};
  }
  return wsql_reading_finish(job, items, from->n_outs, out);
}
