/* frontend/sql_witness.c -- input histories that no constant memory can tell apart.
**
** From the cut that failed, points z(1) ... z(n) are made: results of the query that differ in the attribute at fault.  A history sends, for each k in a
** set, the rows of z(k) that have arrived at the cut, as a burst; the continuation k sends the rest of z(k).  How often (or whether) it meets a
** partner says which bursts there were:
**   select list   the partner's value is shown
**   edge          the rest of z(k) fits just so: it counts the bursts on one side of k
**   extremes      with two edges that fit just so, and one getting better while the other gets worse, only burst k serves it
**   output        all of z(k) is sent, and later once more: it is written again if, and only if, k was not in the set
** The rows of one burst also meet those of others, so nothing is claimed before the query was evaluated on all of them. */
#include "frontend/sql_evaluate.h"
#include "frontend/sql_solve.h"

#include <stdlib.h>

typedef struct witness_row {
  wsql_row row;
  uint32_t burst;        /* of a history: in those that have this burst; NO_BURST: in all */
  uint32_t continuation; /* of this one; NO_CONTINUATION: of a history */
} witness_row;
enum { NO_BURST = UINT32_MAX, NO_CONTINUATION = UINT32_MAX };

typedef struct builder {
  wsql_job job;          /* its scratch holds the points */
  wsql_job evaluation;   /* its scratch is the evaluation's */
  wb_mem rows_mem;       /* of one attempt */
  const wsql_piece *p;
  const wsql_reason *why;
  wsql_reason of_output; /* tried where the reason's own way fails */
  uint32_t n;
  /* What becomes of the rows of each alias: */
  uint32_t burst;        /* sent in burst k of the histories that have it */
  uint32_t common;       /* sent in all histories, for each point */
  uint32_t shared;       /* one row for all points, sent in all histories */
  uint32_t after;        /* sent in the continuation */
  wsql_points points;
  WB_VEC(witness_row) rows;
} builder;

static wsql_int piece_at(const builder *b, uint32_t i, uint32_t j) { return b->p->d[(size_t)i * b->p->n_vertices + j]; }
static bool is_table(const builder *b, uint32_t alias) { return !wsql_is_stream(&b->job.q->relations[b->p->aliases[alias].relation]); }
static bool is_of(const builder *b, uint32_t aliases, uint32_t vertex) { return vertex != 0 && (aliases >> b->p->vertices[vertex].alias & 1); }

/* ---- Roles ---- */

/* Aliases of finite streams have one row for all points, or those that are no members one each (`each`): in that case as many as their steps allow. */
static void find_roles(builder *b, bool each) {
  b->burst = b->common = b->shared = b->after = 0;
  for (uint32_t a = 0; a < b->p->n_aliases; a++) {
    bool is_member = b->why->members >> a & 1;
    if (is_table(b, a)) continue;
    if (b->p->aliases[a].is_finite && !is_member && each) b->common |= 1u << a;
    else if (b->p->aliases[a].is_finite) b->shared |= 1u << a;
    else if (is_member) b->burst |= 1u << a;
    else b->after |= 1u << a;
  }
}

/* For the output: an alias whose time is shown, or that is near to one of those, cannot come again. */
static void find_roles_of_output(builder *b) {
  uint32_t all = 0;
  b->burst = b->common = b->shared = b->after = 0;
  for (uint32_t a = 0; a < b->p->n_aliases; a++) {
    if (is_table(b, a)) continue;
    all |= 1u << a;
    if (b->p->aliases[a].is_finite) b->shared |= 1u << a;
    for (uint32_t i = 0; i < b->p->n_outs; i++)
      if (b->p->outs[i].vertex == 1 + a && !b->p->aliases[a].is_finite) b->common |= 1u << a;
  }
  for (uint32_t grown = 0; grown != b->common;) {
    grown = b->common;
    for (uint32_t f = 0; f < b->p->n_aliases; f++)
      for (uint32_t a = 0; a < b->p->n_aliases; a++)
        if (grown >> f & 1 && all & ~b->shared & 1u << a && piece_at(b, 1 + f, 1 + a) < WSQL_INF) b->common |= 1u << a;
  }
  b->burst = all & ~b->common & ~b->shared;
}

/* ---- Points ---- */

/* Burst k lies after moment k and not after moment k + 1; the last moment ends all histories. */
static weir_code order_times(builder *b, uint32_t first_after) {
  wsql_points *s = &b->points;
  uint32_t end = wsql_moment_at(s, b->n);
  for (uint32_t k = 0; k < b->n; k++) {
    uint32_t begin = wsql_moment_at(s, k), behind = wsql_moment_at(s, k + 1);
    WB_TRY(wsql_points_bound(s, behind, begin, -1));
    for (uint32_t a = 0; a < b->p->n_aliases; a++) {
      uint32_t time = wsql_point_at(s, k, 1 + a);
      if (b->burst >> a & 1) {
        WB_TRY(wsql_points_bound(s, time, begin, -1));
        WB_TRY(wsql_points_bound(s, behind, time, 0));
      }
      if ((b->shared | b->common) >> a & 1) WB_TRY(wsql_points_bound(s, end, time, 0));
      if (b->common >> a & 1 && k > 0) WB_TRY(wsql_points_bound(s, time, wsql_point_at(s, k - 1, 1 + a), -1));
      if ((first_after == 0 ? b->after : b->burst) >> a & 1) WB_TRY(wsql_points_bound(s, wsql_point_at(s, first_after + k, 1 + a), end, -1));
    }
  }
  return WEIR_OK;
}

/* The vertex is as in the first point, in all points. */
static weir_code share(builder *b) {
  for (uint32_t v = 1; v < b->p->n_vertices; v++)
    for (uint32_t k = 1; k < b->n && is_of(b, b->shared, v); k++)
      WB_TRY(wsql_points_fix(&b->points, wsql_point_at(&b->points, 0, v), wsql_point_at(&b->points, k, v), 0));
  return WEIR_OK;
}

/* The vertex grows by at least `gap` from point to point, or falls. */
static weir_code move(builder *b, uint32_t vertex, bool is_growing, wsql_int gap) {
  for (uint32_t k = 1; k < b->n; k++) {
    uint32_t last = wsql_point_at(&b->points, k - 1, vertex), next = wsql_point_at(&b->points, k, vertex);
    WB_TRY(is_growing ? wsql_points_bound(&b->points, next, last, -gap) : wsql_points_bound(&b->points, last, next, -gap));
  }
  return WEIR_OK;
}

/* The edge holds, and by nothing to spare. */
static weir_code fit(builder *b, wsql_edge e) {
  for (uint32_t k = 0; k < b->n; k++)
    WB_TRY(wsql_points_fix(&b->points, wsql_point_at(&b->points, k, e.from), wsql_point_at(&b->points, k, e.to), e.w));
  return WEIR_OK;
}

static bool is_up(const builder *b, wsql_edge e) { return is_of(b, b->why->members, e.from); }
static uint32_t inner_of(const builder *b, wsql_edge e) { return is_up(b, e) ? e.from : e.to; }
static bool crosses(const builder *b, wsql_edge e) {
  return is_of(b, b->why->members, e.from) != is_of(b, b->why->members, e.to) && is_of(b, b->burst, inner_of(b, e));
}

/* z'(k) has the result of z(k), and the rows that cannot come again. */
static weir_code repeat(builder *b) {
  for (uint32_t k = 0; k < b->n; k++) {
    for (uint32_t i = 0; i < b->p->n_outs; i++)
      if (b->p->outs[i].vertex != 0)
        WB_TRY(wsql_points_fix(&b->points, wsql_point_at(&b->points, k, b->p->outs[i].vertex), wsql_point_at(&b->points, b->n + k, b->p->outs[i].vertex), 0));
    for (uint32_t v = 1; v < b->p->n_vertices; v++)
      if (is_of(b, b->common | b->shared, v)) WB_TRY(wsql_points_fix(&b->points, wsql_point_at(&b->points, k, v), wsql_point_at(&b->points, b->n + k, v), 0));
  }
  return WEIR_OK;
}

/* ---- Rows ---- */

static weir_code add_row(builder *b, uint32_t point, uint32_t alias, uint32_t burst, uint32_t continuation) {
  uint32_t relation = b->p->aliases[alias].relation;
  int64_t *values = WB_NEW_ARRAY(&b->rows_mem, int64_t, b->job.q->relations[relation].n_columns);
  if (values == NULL) return wb_fail_memory(b->job.e);
  for (uint32_t v = 1; v < b->p->n_vertices; v++)
    if (b->p->vertices[v].alias == alias) values[b->p->vertices[v].column] = b->points.values[wsql_point_at(&b->points, point, v)];
  witness_row row = {.row = {relation, values}, .burst = burst, .continuation = continuation};
  if (!WB_VEC_ROOM(&b->rows_mem, &b->rows, 1)) return wb_fail_memory(b->job.e);
  size_t at = b->rows.n++; /* in the order of times */
  for (; at > 0 && wsql_row_time(b->job.q, &b->rows.at[at - 1].row) > wsql_row_time(b->job.q, &row.row); at--) b->rows.at[at] = b->rows.at[at - 1];
  b->rows.at[at] = row;
  return WEIR_OK;
}

static weir_code make_rows(builder *b, uint32_t first_after) {
  b->rows.n = 0;
  for (uint32_t a = 0; a < b->p->n_aliases; a++)
    for (uint32_t k = 0; k < b->n; k++) {
      if (b->burst >> a & 1) WB_TRY(add_row(b, k, a, k, NO_CONTINUATION));
      if (b->common >> a & 1 || (k == 0 && b->shared >> a & 1)) WB_TRY(add_row(b, k, a, NO_BURST, NO_CONTINUATION));
      if ((first_after == 0 ? b->after : b->burst) >> a & 1) WB_TRY(add_row(b, first_after + k, a, NO_BURST, k));
    }
  return WEIR_OK;
}

/* ---- Telling apart ---- */

static int compare(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

static weir_code evaluate(builder *b, uint32_t history, uint32_t continuation, wsql_row *rows, uint64_t *out, bool *is_valid) {
  size_t n = 0;
  for (size_t i = 0; i < b->rows.n; i++) {
    const witness_row *r = &b->rows.at[i];
    bool is_there = r->continuation == continuation || (r->continuation == NO_CONTINUATION && (r->burst == NO_BURST || (history >> r->burst & 1)));
    if (is_there) rows[n++] = r->row;
  }
  return wsql_evaluate(&b->evaluation, rows, n, b->points.values[wsql_moment_at(&b->points, b->n)], out, is_valid);
}

static weir_code tells_apart(builder *b, bool *out) {
  uint32_t n_histories = 1u << b->n;
  uint64_t *signs = WB_NEW_ARRAY(&b->rows_mem, uint64_t, n_histories);
  wsql_row *rows = WB_NEW_ARRAY(&b->rows_mem, wsql_row, b->rows.n);
  *out = true;
  if (signs == NULL || rows == NULL) return wb_fail_memory(b->job.e);
  for (uint32_t h = 0; h < n_histories && *out; h++)
    for (uint32_t k = 0; k < b->n && *out; k++) {
      uint64_t sign;
      WB_TRY(evaluate(b, h, k, rows, &sign, out));
      signs[h] = (signs[h] ^ sign) * UINT64_C(0x2545f4914f6cdd1d) + k;
    }
  qsort(signs, n_histories, sizeof *signs, compare);
  for (uint32_t h = 1; h < n_histories; h++) *out &= signs[h] != signs[h - 1];
  return WEIR_OK;
}

/* ---- Attempts ---- */

/* The points have their bounds: values, rows, and whether they do it. */
static weir_code finish(builder *b, uint32_t first_after, uint32_t attempt, bool *is_done) {
  bool is_solved;
  WB_TRY(order_times(b, first_after));
  WB_TRY(wsql_points_solve(&b->points, attempt, &is_solved));
  if (!is_solved) return WEIR_OK;
  wb_mem_drop(&b->rows_mem);
  b->rows.at = NULL;
  b->rows.n = b->rows.cap = 0;
  WB_TRY(make_rows(b, first_after));
  return tells_apart(b, is_done);
}

typedef struct manner { /* of one attempt */
  wsql_edge edge, other; /* other: extremes only */
  bool is_growing;
  bool is_loose;         /* extremes: the other edge need not fit just so, a large gap refuses as well */
  wsql_int gap;
  uint32_t attempt;
} manner;

static weir_code try_points(builder *b, manner m, bool *is_done) {
  bool is_output = b->why->rule == WSQL_RULE_OUTPUT;
  WB_TRY(wsql_points_make(&b->job, b->p, is_output ? 2 * b->n : b->n, b->n + 1, &b->points));
  switch (b->why->rule) {
  case WSQL_RULE_LIST: WB_TRY(move(b, b->why->vertex, m.is_growing, m.gap)); break;
  case WSQL_RULE_EDGE:
    WB_TRY(fit(b, m.edge));
    WB_TRY(move(b, inner_of(b, m.edge), m.is_growing, m.gap));
    break;
  case WSQL_RULE_EXTREMES: /* one gets better, the other worse */
    WB_TRY(fit(b, m.edge));
    if (!m.is_loose) WB_TRY(fit(b, m.other));
    WB_TRY(move(b, inner_of(b, m.edge), is_up(b, m.edge), m.gap));
    WB_TRY(move(b, inner_of(b, m.other), !is_up(b, m.other), m.gap));
    break;
  case WSQL_RULE_OUTPUT:
    WB_TRY(move(b, b->why->vertex, m.is_growing, m.gap));
    WB_TRY(repeat(b));
    break;
  }
  WB_TRY(share(b));
  return finish(b, is_output ? b->n : 0, m.attempt, is_done);
}

/* All edges that could be meant by `which`, the reason's own first. */
static weir_code try_edges(builder *b, manner m, bool *is_done) {
  if (b->why->rule == WSQL_RULE_LIST || b->why->rule == WSQL_RULE_OUTPUT) return try_points(b, m, is_done);
  for (uint32_t i = 0; i < b->p->n_edges && !*is_done; i++) {
    m.edge = b->p->edges[i];
    if (!crosses(b, m.edge)) continue;
    if (b->why->rule == WSQL_RULE_EDGE && inner_of(b, m.edge) == b->why->vertex) WB_TRY(try_points(b, m, is_done));
    for (uint32_t k = 0; k < b->p->n_edges && !*is_done && b->why->rule == WSQL_RULE_EXTREMES; k++) {
      m.other = b->p->edges[k];
      if (k != i && crosses(b, m.other)) WB_TRY(try_points(b, m, is_done));
    }
  }
  return WEIR_OK;
}

static weir_code find_rows(builder *b, bool *is_done) {
  static const int gaps[] = {1, 3, 50};
  *is_done = false;
  for (uint32_t attempt = 0; attempt < 4; attempt++)
    for (size_t g = 0; g < WB_LEN(gaps) && !*is_done; g++) {
      if (b->why->rule == WSQL_RULE_OUTPUT) find_roles_of_output(b);
      else find_roles(b, attempt % 2 == 1);
      for (int growing = 1; growing >= 0 && !*is_done; growing--)
        WB_TRY(try_edges(b, (manner){.is_growing = growing == 1, .is_loose = growing == 0, .gap = gaps[g], .attempt = attempt / 2}, is_done));
    }
  return WEIR_OK;
}

/* The smallest faulty cut may be one that is decided with caution only, while the output is a reason by itself. */
static weir_code find_rows_by_output(builder *b, bool *is_done) {
  for (uint32_t i = 0; i < b->p->n_outs && !*is_done; i++) {
    b->of_output = (wsql_reason){.rule = WSQL_RULE_OUTPUT, .vertex = b->p->outs[i].vertex};
    b->why = &b->of_output;
    if (b->of_output.vertex != 0) WB_TRY(find_rows(b, is_done));
  }
  return WEIR_OK;
}

/* ---- Text ---- */

static void put_name(wir_words *w, wb_str name) {
  wir_put(w, "\"");
  for (size_t i = 0; i < name.n; i++) {
    unsigned char c = (unsigned char)name.at[i];
    static const char hex[] = "0123456789abcdef";
    if (c == '"' || c == '\\') wir_put_str(w, (wb_str){(const char[]){'\\', (char)c}, 2});
    else if (c < 0x20) wir_put_str(w, (wb_str){(const char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6});
    else wir_put_str(w, (wb_str){name.at + i, 1});
  }
  wir_put(w, "\"");
}

static void put_row(wir_words *w, const wsql_query *q, const wsql_row *r) {
  const wsql_relation *of = &q->relations[r->relation];
  wir_put(w, "{\"stream\":");
  put_name(w, of->name);
  wir_put(w, ",\"row\":{");
  for (uint32_t c = 0; c < of->n_columns; c++) {
    if (c != 0) wir_put(w, ",");
    put_name(w, of->columns[c].name);
    wir_put(w, ":");
    wsql_put_int(w, r->values[c]);
  }
  wir_put(w, "}}\n");
}

/* The rows of a history, or of a continuation. */
static weir_code put_rows(builder *b, uint32_t history, uint32_t continuation, wb_str *out) {
  wir_words w = {.mem = b->job.mem};
  for (size_t i = 0; i < b->rows.n; i++) {
    const witness_row *r = &b->rows.at[i];
    if (r->continuation == continuation && (continuation != NO_CONTINUATION || r->burst == NO_BURST || (history >> r->burst & 1))) put_row(&w, b->job.q, &r->row);
  }
  *out = (wb_str){w.bytes.at, w.bytes.n};
  return w.has_failed ? wb_fail_memory(b->job.e) : WEIR_OK;
}

static weir_code put_all(builder *b, wsql_witness *out) {
  uint32_t n_histories = 1u << b->n;
  wb_str *histories = WB_NEW_ARRAY(b->job.mem, wb_str, n_histories), *continuations = WB_NEW_ARRAY(b->job.mem, wb_str, b->n);
  if (histories == NULL || continuations == NULL) return wb_fail_memory(b->job.e);
  for (uint32_t h = 0; h < n_histories; h++) WB_TRY(put_rows(b, h, NO_CONTINUATION, &histories[h]));
  for (uint32_t k = 0; k < b->n; k++) WB_TRY(put_rows(b, 0, k, &continuations[k]));
  *out = (wsql_witness){histories, n_histories, continuations, b->n};
  return WEIR_OK;
}

weir_code wsql_witness_make(const wsql_query *q, const wsql_verdict *v, uint32_t n, const wsql_limits *limits, wb_mem *mem, wsql_witness *out, weir_error *e) {
  uint64_t steps = limits != NULL && limits->steps != 0 ? limits->steps : WSQL_WITNESS_STEPS;
  builder b = {.job = {.q = q, .mem = mem, .max_steps = steps, .e = e}, .p = &v->pieces[v->reason.piece], .why = &v->reason, .n = n};
  bool is_done;
  wb_assert(!v->is_bounded && n >= 1 && n <= WSQL_MAX_WITNESS);
  b.job.select = b.p->select;
  b.evaluation = b.job;
  wb_mem_init(&b.job.scratch, mem->door, mem->limit);
  wb_mem_init(&b.evaluation.scratch, mem->door, mem->limit);
  wb_mem_init(&b.rows_mem, mem->door, mem->limit);
  weir_code rc = find_rows(&b, &is_done);
  if (rc == WEIR_OK && !is_done && wsql_is_distinct(q, &q->selects[b.p->select])) rc = find_rows_by_output(&b, &is_done);
  if (rc == WEIR_OK && is_done) rc = put_all(&b, out);
  else if (rc == WEIR_OK) rc = wb_fail(e, WEIR_E_NOT_YET, v->reason.at, "no family of inputs was found that shows it: the query may be decided with caution only");
  else if (rc == WEIR_E_UNDECIDED) rc = wb_fail(e, rc, e->span, "no family of inputs that shows it was found within %" PRIu64 " step%s", steps, WB_S(steps)); /* no option of a decision's */
  wb_mem_drop(&b.rows_mem);
  wb_mem_drop(&b.evaluation.scratch);
  wb_mem_drop(&b.job.scratch);
  return rc;
}
