/* frontend/sql_cut.c -- finding all cuts, and which edges each uses.
**
** INT and TIMESTAMP columns meet only in 0, and a cut says something of times only: so a cut needs a matrix of the times alone. */
#include "frontend/sql_cut.h"

#include <string.h>

typedef struct finder {
  wsql_job *job;
  wb_mem *mem;
  wsql_cuts *to;
  wsql_matrix trial; /* for one question at a time */
  uint32_t n;        /* aliases */
  WB_VEC(uint32_t) of_size[WSQL_MAX_COPIES + 1]; /* cuts by the size of C */
} finder;

/* ---- Looking up ---- */

static size_t slot_of(const wsql_cuts *c, uint32_t members, uint32_t later) {
  uint64_t h = (((uint64_t)members << 32) | later) * UINT64_C(0x9e3779b97f4a7c15);
  size_t i = (size_t)(h >> 20) & (c->cap_table - 1);
  while (c->table[i] != 0 && (c->all.at[c->table[i] - 1].members != members || c->all.at[c->table[i] - 1].later != later)) i = (i + 1) & (c->cap_table - 1);
  return i;
}

static weir_code grow_table(finder *f) {
  wsql_cuts *c = f->to;
  if (c->all.n * 2 < c->cap_table) return WEIR_OK;
  c->cap_table = c->cap_table == 0 ? 64 : c->cap_table * 2;
  c->table = WB_NEW_ARRAY(f->mem, uint32_t, c->cap_table);
  if (c->table == NULL) return wb_fail_memory(f->job->e);
  for (size_t i = 0; i < c->all.n; i++) c->table[slot_of(c, c->all.at[i].members, c->all.at[i].later)] = (uint32_t)i + 1;
  return WEIR_OK;
}

/* ---- A cut ---- */

static weir_code copy_times(finder *f, wb_mem *mem, wsql_matrix *out) { return wsql_matrix_copy(f->job, mem, &f->to->t, out); }

static weir_code cut_times(finder *f, wsql_cut *c) {
  bool is_empty = false;
  WB_TRY(copy_times(f, f->mem, &c->t));
  for (uint32_t k = 0; k < f->n && !is_empty; k++) {
    if (c->members >> k & 1) WB_TRY(wsql_tighten(f->job, &c->t, f->n + 1, 1 + k, 0, &is_empty));
    if (c->later >> k & 1) WB_TRY(wsql_tighten(f->job, &c->t, 1 + k, f->n + 1, -1, &is_empty));
  }
  wb_assert(!is_empty); /* it is only asked for where it can be */
  for (uint32_t k = 0; k < f->n; k++)
    if (c->members >> k & 1 && (wsql_at(&c->t, 0, 1 + k) < WSQL_INF || wsql_at(&c->t, 1 + k, f->n + 1) < WSQL_INF)) c->few |= 1u << k;
  return WEIR_OK;
}

static weir_code find_cut(finder *f, uint32_t members, uint32_t later, uint32_t *out) {
  WB_TRY(grow_table(f));
  size_t slot = slot_of(f->to, members, later);
  if (f->to->table[slot] == 0) {
    wsql_cut c = {.members = members, .later = later, .used = WB_NEW_ARRAY(f->mem, bool, f->to->f->n_edges)};
    uint32_t size = (uint32_t)__builtin_popcount(members);
    if (c.used == NULL) return wb_fail_memory(f->job->e);
    WB_TRY(cut_times(f, &c));
    if (!WB_PUSH(f->mem, &f->of_size[size], (uint32_t)f->to->all.n) || !WB_PUSH(f->mem, &f->to->all, c)) return wb_fail_memory(f->job->e);
    f->to->table[slot] = (uint32_t)f->to->all.n;
  }
  *out = f->to->table[slot] - 1;
  return WEIR_OK;
}

/* ---- Who can be newest ---- */

static bool pairs_allow(const wsql_cuts *c, uint32_t members, uint32_t newest) {
  for (uint32_t rest = newest; rest != 0; rest &= rest - 1) {
    uint32_t z = (uint32_t)__builtin_ctz(rest);
    if ((members & ~newest & ~c->below[z]) != 0 || (newest & ~c->beside[z]) != 0) return false;
  }
  return true;
}

/* Can `newest` be of one step, and the other members older? */
static weir_code can_be_newest(finder *f, const wsql_matrix *times, uint32_t members, uint32_t newest, bool *out) {
  uint32_t first = 1 + (uint32_t)__builtin_ctz(newest);
  bool is_empty = false;
  *out = false;
  if (!pairs_allow(f->to, members, newest)) return wsql_spend(f->job, f->n);
  memcpy(f->trial.d, times->d, (size_t)times->n * times->n * sizeof *times->d);
  for (uint32_t k = 0; k < f->n && !is_empty; k++) {
    if (!(members >> k & 1) || 1 + k == first) continue;
    bool is_newest = newest >> k & 1;
    WB_TRY(wsql_tighten(f->job, &f->trial, first, 1 + k, is_newest ? 0 : -1, &is_empty));
    if (is_newest && !is_empty) WB_TRY(wsql_tighten(f->job, &f->trial, 1 + k, first, 0, &is_empty));
  }
  *out = !is_empty;
  return wsql_spend(f->job, (uint64_t)f->n * f->n / 8 + 1);
}

/* The tied part of `among` that contains the first of it. */
static uint32_t tied_part(const wsql_cuts *c, uint32_t among) {
  uint32_t part = among & -among;
  for (uint32_t grown = 0; grown != part;) {
    grown = part;
    for (uint32_t rest = grown; rest != 0; rest &= rest - 1) part |= c->ties[__builtin_ctz(rest)] & among;
  }
  return part;
}

/* What `newest` needs of the others: a cut for each tied part. */
static weir_code ask(finder *f, uint32_t members, uint32_t later, uint32_t newest, wsql_ask *out) {
  *out = (wsql_ask){.newest = newest, .parts = WB_NEW_ARRAY(f->mem, uint32_t, (size_t)__builtin_popcount(members & ~newest))};
  if (out->parts == NULL) return wb_fail_memory(f->job->e);
  for (uint32_t rest = members & ~newest; rest != 0;) {
    uint32_t part = tied_part(f->to, rest);
    WB_TRY(find_cut(f, part, later | newest, &out->parts[out->n_parts++]));
    rest &= ~part;
  }
  return WEIR_OK;
}

/* All ways in which the members come together. */
static weir_code ask_all(finder *f, const wsql_matrix *times, uint32_t members, uint32_t later, size_t cut) {
  uint32_t streams = members & f->to->streams;
  for (uint32_t newest = streams; newest != 0; newest = (newest - 1) & streams) {
    bool is_possible;
    wsql_ask one;
    WB_TRY(can_be_newest(f, times, members, newest, &is_possible));
    if (!is_possible) continue;
    WB_TRY(ask(f, members, later, newest, &one));
    if (!(cut == SIZE_MAX ? WB_PUSH(f->mem, &f->to->results, one) : WB_PUSH(f->mem, &f->to->all.at[cut].asks, one))) return wb_fail_memory(f->job->e);
  }
  return WEIR_OK;
}

/* ---- Used edges ---- */

/* Is the time edge implied by the cut, the checks of times with 0, and the time edges that are not `out`?  */
static weir_code is_implied(finder *f, const wsql_cut *cut, uint32_t edge, const bool *out, bool *is) {
  const wsql_form *form = f->to->f;
  wsql_edge e = form->edges[edge];
  bool is_empty = false;
  *is = wsql_is_member(form, cut, e.to) && (cut->later >> (e.from - 1) & 1) && e.w >= -1;
  if (*is) return WEIR_OK;
  for (size_t i = 0; i < (size_t)f->trial.n * f->trial.n; i++) f->trial.d[i] = i % (f->trial.n + 1) == 0 ? 0 : WSQL_INF;
  for (uint32_t k = 0; k < f->n; k++) {
    WB_TRY(wsql_tighten(f->job, &f->trial, 0, 1 + k, wsql_at(&form->m, 0, 1 + k), &is_empty));
    WB_TRY(wsql_tighten(f->job, &f->trial, 1 + k, 0, wsql_at(&form->m, 1 + k, 0), &is_empty));
    if (cut->members >> k & 1) WB_TRY(wsql_tighten(f->job, &f->trial, f->n + 1, 1 + k, 0, &is_empty));
    if (cut->later >> k & 1) WB_TRY(wsql_tighten(f->job, &f->trial, 1 + k, f->n + 1, -1, &is_empty));
  }
  for (uint32_t i = 0; i < form->n_edges; i++) {
    wsql_edge other = form->edges[i];
    if (i != edge && !out[i] && wsql_is_time(form, other.from)) WB_TRY(wsql_tighten(f->job, &f->trial, other.from, other.to, other.w, &is_empty));
  }
  *is = wsql_at(&f->trial, e.from, e.to) <= e.w;
  return wsql_spend(f->job, (uint64_t)f->trial.n * f->trial.n);
}

/* The edges with one end in C, less the time edges that the cut implies, and what is marked already because a larger cut uses it. */
static weir_code mark_used(finder *f, wsql_cut *cut) {
  const wsql_form *form = f->to->f;
  bool *out = WB_NEW_ARRAY(f->mem, bool, form->n_edges);
  if (out == NULL) return wb_fail_memory(f->job->e);
  for (uint32_t i = form->n_edges; i-- > 0;) {
    wsql_edge e = form->edges[i];
    if (wsql_is_member(form, cut, e.from) == wsql_is_member(form, cut, e.to)) continue;
    if (wsql_is_time(form, e.from)) WB_TRY(is_implied(f, cut, i, out, &out[i]));
    if (!out[i]) cut->used[i] = true;
  }
  return wsql_spend(f->job, form->n_edges);
}

static void hand_down(finder *f, const wsql_cut *cut) {
  const wsql_form *form = f->to->f;
  for (size_t i = 0; i < cut->asks.n; i++)
    for (uint32_t k = 0; k < cut->asks.at[i].n_parts; k++) {
      wsql_cut *part = &f->to->all.at[cut->asks.at[i].parts[k]];
      for (uint32_t e = 0; e < form->n_edges; e++)
        part->used[e] |= cut->used[e] && (wsql_is_member(form, part, form->edges[e].from) || wsql_is_member(form, part, form->edges[e].to));
    }
}

/* ---- All ---- */

static weir_code open_cuts(finder *f) {
  wsql_cuts *c = f->to;
  const wsql_form *form = c->f;
  WB_TRY(wsql_matrix_make(f->job, f->mem, f->n + 2, &c->t));
  for (uint32_t i = 0; i <= f->n; i++)
    for (uint32_t j = 0; j <= f->n; j++) c->t.d[i * c->t.n + j] = wsql_at(&form->m, i, j);
  WB_TRY(copy_times(f, f->mem, &f->trial));
  for (uint32_t k = 0; k < f->n; k++) {
    if (!wsql_is_table(f->job, form, k)) c->streams |= 1u << k;
    for (uint32_t o = 0; o < f->n; o++) {
      if (wsql_at(&c->t, 1 + o, 1 + k) >= 1) c->below[k] |= 1u << o;
      if (wsql_at(&c->t, 1 + o, 1 + k) >= 0 && wsql_at(&c->t, 1 + k, 1 + o) >= 0) c->beside[k] |= 1u << o;
    }
  }
  for (uint32_t i = 0; i < form->n_edges; i++) {
    uint32_t a = wsql_alias_of(form, form->edges[i].from), b = wsql_alias_of(form, form->edges[i].to);
    if (form->reading->is_set && !wsql_is_time(form, form->edges[i].from)) continue;
    c->ties[a] |= 1u << b;
    c->ties[b] |= 1u << a;
  }
  return WEIR_OK;
}

weir_code wsql_cuts_make(wsql_job *job, const wsql_form *form, wsql_cuts *out) {
  finder f = {.job = job, .mem = &job->scratch, .to = out, .n = form->reading->n_aliases};
  *out = (wsql_cuts){.f = form};
  wb_mem_drop(&job->scratch);
  WB_TRY(open_cuts(&f));
  WB_TRY(ask_all(&f, &out->t, (1u << f.n) - 1, 0, SIZE_MAX));
  for (uint32_t size = f.n; size > 0; size--)
    for (size_t i = 0; i < f.of_size[size].n; i++) {
      uint32_t at = f.of_size[size].at[i];
      wsql_cut cut = out->all.at[at]; /* the array may move while others are found */
      WB_TRY(mark_used(&f, &cut));
      WB_TRY(ask_all(&f, &cut.t, cut.members, cut.later, at));
      hand_down(&f, &out->all.at[at]);
    }
  return WEIR_OK;
}

wsql_int wsql_cut_at(const wsql_cuts *cuts, const wsql_cut *cut, uint32_t i, uint32_t j) {
  uint32_t n = cuts->f->reading->n_aliases;
  bool i_is_time = i <= n || i == WSQL_NOW, j_is_time = j <= n || j == WSQL_NOW;
  uint32_t ti = i == WSQL_NOW ? n + 1 : i, tj = j == WSQL_NOW ? n + 1 : j;
  if (i_is_time && j_is_time) return wsql_at(&cut->t, ti, tj);
  if (i_is_time) return wsql_add(wsql_at(&cut->t, ti, 0), wsql_at(&cuts->f->m, 0, j));
  if (j_is_time) return wsql_add(wsql_at(&cuts->f->m, i, 0), wsql_at(&cut->t, 0, tj));
  return wsql_at(&cuts->f->m, i, j);
}
