/* frontend/sql_bounded.c -- the decision, from the query to the verdict.
**
**   reading.c    a SELECT as vertices and predicates; for sets, another one with copies (unfolding)
**   form.c       pieces: difference bounds, filters; `<>` splits a piece in two, or is kept          settle.c, reduce.c
**   cut.c        the moments at which rows wait
**   rules.c      whether what waits can be kept in constant memory
**   split.c      for sets, case distinctions where that fails
**   merge.c      which cuts are one map; keys.c: by which keys, in how many cells
**   written.c    sets: what was written
**   reason.c     why not
**
** All SELECTs have to pass, each in one of its readings: as it is, unfolded, with `<>` kept, or both. */
#include "frontend/sql_bounded.h"

#include "frontend/sql_reason.h"
#include "frontend/sql_written.h"

typedef struct decision {
  wsql_job job;
  wsql_decided *of_select;
  WB_VEC(wsql_form) forms;  /* of all pieces of the verdict */
  WB_VEC(wsql_piece) pieces;
  wsql_verdict *out;
} decision;

/* ---- Readings ---- */

static bool passed(const wsql_decided *d) { return !d->fault.is_fault && !d->is_too_many; }

static bool has_unequal(const wsql_reading *r) {
  for (uint32_t i = 0; i < r->n_preds; i++) {
    const wsql_pred *p = &r->preds[i];
    bool is_between = p->left.alias != WSQL_NONE && p->right.alias != WSQL_NONE && p->left.alias != p->right.alias;
    if (p->kind == WSQL_PRED_CMP && p->cmp == WSQL_NE && is_between && wsql_vertex_of(r, p->left) > r->n_aliases) return true;
  }
  return false;
}

/* Decides another reading, and keeps what it found if that is better: it passes, or there was no fault to tell. */
static weir_code try_reading(decision *d, const wsql_reading *reading, wsql_decided *best) {
  wsql_decided found;
  wsql_reading *r = WB_NEW(d->job.mem, wsql_reading);
  if (r == NULL) return wb_fail_memory(d->job.e);
  *r = *reading; /* forms point at it */
  WB_TRY(wsql_decide_reading(&d->job, r, &found));
  if (best->reading == NULL || passed(&found) || !best->fault.is_fault) *best = found;
  return WEIR_OK;
}

static weir_code decide_select(decision *d, uint32_t select) {
  wsql_reading plain, other;
  wsql_decided *best = &d->of_select[select];
  bool is_same = true;
  d->job.select = select;
  WB_TRY(wsql_reading_make(&d->job, select, &plain));
  WB_TRY(try_reading(d, &plain, best));
  if (passed(best) || !plain.is_set) return WEIR_OK;
  bool can_keep = has_unequal(&plain);
  WB_TRY(wsql_reading_unfold(&d->job, &plain, &other, &is_same));
  if (!is_same) WB_TRY(try_reading(d, &other, best));
  if (!passed(best) && can_keep) {
    plain.keeps_unequal = true;
    WB_TRY(try_reading(d, &plain, best));
  }
  if (!passed(best) && can_keep && !is_same) {
    other.keeps_unequal = true;
    WB_TRY(try_reading(d, &other, best));
  }
  if (passed(best) || best->fault.is_fault) return WEIR_OK;
  return wb_fail(d->job.e, WEIR_E_UNDECIDED, d->job.q->selects[select].at, "`<>` between streams makes more than %d pieces of this DISTINCT", WSQL_MAX_PIECES);
}

/* ---- Pieces ---- */

static weir_code keep_aliases(decision *d, const wsql_form *f, wsql_piece *p) {
  wsql_piece_alias *aliases = WB_NEW_ARRAY(d->job.mem, wsql_piece_alias, f->reading->n_aliases);
  if (aliases == NULL) return wb_fail_memory(d->job.e);
  for (uint32_t a = 0; a < f->reading->n_aliases; a++) {
    aliases[a] = f->reading->aliases[a];
    aliases[a].is_finite = wsql_is_finite(f, a);
    aliases[a].n_rows = f->n_rows[a];
  }
  p->aliases = aliases;
  p->n_aliases = f->reading->n_aliases;
  return WEIR_OK;
}

static weir_code keep_piece(decision *d, const wsql_form *f, bool with_synopses) {
  const wsql_reading *r = f->reading;
  wsql_piece p = {
    .select = r->select, .is_unfolded = r->is_unfolded, .keeps_unequal = r->keeps_unequal, .vertices = r->vertices, .n_vertices = r->n_vertices, .d = f->m.d,
    .edges = f->edges, .n_edges = f->n_edges, .unequal = f->differ, .n_unequal = f->n_differ, .filters = f->filters.at, .n_filters = (uint32_t)f->filters.n,
    .outs = f->outs, .n_outs = r->n_outs,
  };
  WB_TRY(keep_aliases(d, f, &p));
  if (with_synopses) WB_TRY(wsql_synopses_make(&d->job, f, &p));
  return WB_PUSH(d->job.mem, &d->forms, *f) && WB_PUSH(d->job.mem, &d->pieces, p) ? WEIR_OK : wb_fail_memory(d->job.e);
}

static weir_code keep_pieces(decision *d, bool with_synopses) {
  for (uint32_t i = 0; i < d->job.q->n_selects; i++) {
    d->job.select = i;
    for (size_t k = 0; k < d->of_select[i].forms.n; k++) WB_TRY(keep_piece(d, &d->of_select[i].forms.at[k], with_synopses));
  }
  d->out->pieces = d->pieces.at;
  d->out->n_pieces = (uint32_t)d->pieces.n;
  return WEIR_OK;
}

/* ---- What was written ---- */

/* The units: [first, end) of the pieces. */
static weir_code check_unit(decision *d, uint32_t select, uint32_t first, uint32_t end, wsql_written *out, bool with_synopses, bool *is_bounded) {
  uint32_t faulty, vertex;
  if (first == end) { /* nothing is ever written */
    *out = (wsql_written){.select = select, .is_box = true};
    return WEIR_OK;
  }
  wsql_unit unit = {.select = select, .forms = d->forms.at + first, .pieces = d->pieces.at + first, .n = end - first};
  d->job.select = d->pieces.at[first].select;
  if (with_synopses) return wsql_written_make(&d->job, &unit, out);
  WB_TRY(wsql_written_check(&d->job, &unit, &faulty, &vertex));
  if (faulty == WSQL_NONE) return WEIR_OK;
  *is_bounded = false;
  return wsql_reason_of_output(&d->job, &d->forms.at[first + faulty], &d->pieces.at[first + faulty], first + faulty, vertex, &d->out->reason);
}

static weir_code check_written(decision *d, bool with_synopses, bool *is_bounded) {
  const wsql_query *q = d->job.q;
  uint32_t n = 0, at = 0;
  wsql_written *written = WB_NEW_ARRAY(d->job.mem, wsql_written, q->n_selects);
  if (written == NULL) return wb_fail_memory(d->job.e);
  if (q->is_set) WB_TRY(check_unit(d, WSQL_NONE, 0, d->out->n_pieces, &written[n++], with_synopses, is_bounded));
  for (uint32_t i = 0; i < q->n_selects && !q->is_set && *is_bounded; i++) {
    uint32_t first = at;
    at += (uint32_t)d->of_select[i].forms.n;
    if (q->selects[i].is_distinct) WB_TRY(check_unit(d, i, first, at, &written[n++], with_synopses, is_bounded));
  }
  d->out->written = written;
  d->out->n_written = n;
  return WEIR_OK;
}

/* ---- Sums ---- */

static weir_code add_cells(decision *d, wsql_poly cells, uint64_t *maps) {
  if (cells.n != 0) ++*maps;
  return wsql_poly_add_all(&d->job, &d->out->cells, cells, WSQL_ONE);
}

static weir_code sum_up(decision *d) {
  uint64_t maps = 0;
  for (size_t i = 0; i < d->pieces.n; i++)
    for (uint32_t k = 0; k < d->pieces.at[i].n_synopses; k++) WB_TRY(add_cells(d, d->pieces.at[i].synopses[k].cells, &maps));
  for (uint32_t i = 0; i < d->out->n_written; i++) WB_TRY(add_cells(d, d->out->written[i].cells, &maps));
  return wsql_poly_bytes(d->job.mem, d->out->cells, maps, &d->out->bytes) ? WEIR_OK : wb_fail_memory(d->job.e);
}

/* ---- All ---- */

static weir_code tell_fault(decision *d, uint32_t select) {
  uint32_t at = d->of_select[select].faulty;
  WB_TRY(keep_pieces(d, false));
  for (uint32_t i = 0; i < select; i++) at += (uint32_t)d->of_select[i].forms.n;
  d->job.select = select;
  return wsql_reason_of_fault(&d->job, &d->forms.at[at], &d->pieces.at[at], at, &d->of_select[select].fault, &d->out->reason);
}

static weir_code decide(decision *d) {
  const wsql_query *q = d->job.q;
  bool is_bounded = true;
  d->of_select = WB_NEW_ARRAY(d->job.mem, wsql_decided, q->n_selects);
  if (d->of_select == NULL) return wb_fail_memory(d->job.e);
  for (uint32_t i = 0; i < q->n_selects; i++) {
    WB_TRY(decide_select(d, i));
    if (d->of_select[i].fault.is_fault) return tell_fault(d, i);
  }
  WB_TRY(keep_pieces(d, false));
  WB_TRY(check_written(d, false, &is_bounded));
  if (!is_bounded) return WEIR_OK;
  d->forms.n = d->pieces.n = 0;
  WB_TRY(keep_pieces(d, true));
  WB_TRY(check_written(d, true, &is_bounded));
  d->out->is_bounded = true;
  return sum_up(d);
}

weir_code wsql_decide(const wsql_query *q, const wsql_limits *limits, wb_mem *mem, wsql_verdict *out, weir_error *e) {
  decision d = {.job = {.q = q, .mem = mem, .max_steps = limits == NULL || limits->steps == 0 ? WSQL_DEFAULT_STEPS : limits->steps, .e = e}, .out = out};
  *out = (wsql_verdict){0};
  wb_mem_init(&d.job.scratch, mem->door, mem->limit);
  weir_code rc = decide(&d);
  wb_mem_drop(&d.job.scratch);
  out->steps = d.job.steps;
  return rc;
}
