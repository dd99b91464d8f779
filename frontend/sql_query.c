/* frontend/sql_query.c -- the bound query: its parts as text, and what must hold of it. */
#include "frontend/sql_query.h"

#include <string.h>

enum { LONGEST_SET = 8 }; /* values of a set that are shown */

/* ---- Sets ---- */

size_t wsql_set_place(const wsql_pred *p, wsql_int v) {
  size_t low = 0, high = p->n_set;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (p->set[middle] < v) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* ---- Types ---- */

wsql_type wsql_type_of(const wsql_query *q, const wsql_select *s, wsql_term t) {
  if (t.plus >= WSQL_CONST_END || t.plus <= -WSQL_CONST_END) return WSQL_TYPE_WRONG;
  if (t.alias == WSQL_NONE) return t.column == WSQL_NONE ? WSQL_TYPE_CONST : WSQL_TYPE_WRONG;
  if (t.alias >= s->n_aliases) return WSQL_TYPE_WRONG;
  const wsql_relation *r = wsql_relation_of(q, s, t.alias);
  if (t.column >= r->n_columns) return WSQL_TYPE_WRONG;
  return r->columns[t.column].is_time ? WSQL_TYPE_TIME : WSQL_TYPE_INT;
}

bool wsql_types_fit(wsql_type a, wsql_type b) {
  return a != WSQL_TYPE_WRONG && b != WSQL_TYPE_WRONG && (a == b || a == WSQL_TYPE_CONST || b == WSQL_TYPE_CONST);
}

/* ---- Text ---- */

void wsql_put_int(wir_words *w, wsql_int v) {
  char digits[41];
  size_t at = sizeof digits;
  bool is_negative = v < 0;
  unsigned __int128 rest = is_negative ? -(unsigned __int128)v : (unsigned __int128)v;
  do digits[--at] = (char)('0' + (int)(rest % 10));
  while ((rest /= 10) != 0);
  if (is_negative) digits[--at] = '-';
  wir_put_str(w, (wb_str){digits + at, sizeof digits - at});
}

void wsql_put_plus(wir_words *w, wsql_int plus) {
  if (plus == 0) return;
  wir_put(w, plus < 0 ? " - " : " + ");
  wsql_put_int(w, plus < 0 ? -plus : plus);
}

void wsql_put_term(wir_words *w, const wsql_query *q, const wsql_select *s, wsql_term t) {
  if (t.alias == WSQL_NONE) {
    wsql_put_int(w, t.plus);
    return;
  }
  wir_put_name(w, s->aliases[t.alias].name);
  wir_put(w, ".");
  wir_put_name(w, wsql_relation_of(q, s, t.alias)->columns[t.column].name);
  wsql_put_plus(w, t.plus);
}

static const char *const cmp_texts[] = {
  [WSQL_LT] = " < ", [WSQL_LE] = " <= ", [WSQL_EQ] = " = ", [WSQL_NE] = " <> ", [WSQL_GE] = " >= ", [WSQL_GT] = " > ",
};

static void put_set(wir_words *w, const wsql_pred *p) {
  wir_put(w, p->kind == WSQL_PRED_IN ? " IN (" : " NOT IN (");
  for (size_t i = 0; i < p->n_set && i < LONGEST_SET; i++) {
    if (i != 0) wir_put(w, ", ");
    wsql_put_int(w, p->set[i]);
  }
  wir_put(w, p->n_set > LONGEST_SET ? ", ...)" : ")");
}

void wsql_put_pred(wir_words *w, const wsql_query *q, const wsql_select *s, const wsql_pred *p) {
  wsql_put_term(w, q, s, p->left);
  if (p->kind != WSQL_PRED_CMP) {
    put_set(w, p);
    return;
  }
  wir_put(w, cmp_texts[p->cmp]);
  wsql_put_term(w, q, s, p->right);
}

/* ---- Validity ---- */

static bool relation_is_valid(const wsql_relation *r) {
  uint32_t n_times = 0;
  for (uint32_t i = 0; i < r->n_columns; i++) n_times += r->columns[i].is_time;
  if (r->n_columns == 0) return false;
  if (!wsql_is_stream(r)) return n_times == 0 && !r->has_until && !r->has_rate && (r->n_rows == 0 || r->rows != NULL);
  if (n_times != 1 || r->time >= r->n_columns || !r->columns[r->time].is_time || r->n_rows != 0) return false;
  return r->until <= (r->has_until ? WSQL_TIME_MAX : 0) && r->rate <= (r->has_rate ? INT64_MAX : 0);
}

static bool pred_is_valid(const wsql_query *q, const wsql_select *s, const wsql_pred *p) {
  wsql_type left = wsql_type_of(q, s, p->left);
  if (p->kind == WSQL_PRED_CMP) return (unsigned)p->cmp <= WSQL_GT && p->n_set == 0 && wsql_types_fit(left, wsql_type_of(q, s, p->right));
  for (size_t i = 1; i < p->n_set; i++)
    if (p->set[i - 1] >= p->set[i]) return false;
  return left != WSQL_TYPE_WRONG && p->n_set != 0;
}

static bool select_is_valid(const wsql_query *q, const wsql_select *s) {
  bool has_stream = false;
  if (s->n_aliases == 0 || s->n_aliases > WSQL_MAX_ALIASES || s->n_items == 0) return false;
  for (uint32_t i = 0; i < s->n_aliases; i++) {
    if (s->aliases[i].relation >= q->n_relations) return false;
    for (uint32_t k = 0; k < i; k++)
      if (wb_str_eq(s->aliases[i].name, s->aliases[k].name)) return false;
    has_stream |= wsql_is_stream(wsql_relation_of(q, s, i));
  }
  for (uint32_t i = 0; i < s->n_items; i++)
    if (wsql_type_of(q, s, s->items[i].term) == WSQL_TYPE_WRONG) return false;
  for (size_t i = 0; i < s->n_preds; i++)
    if (!pred_is_valid(q, s, &s->preds[i])) return false;
  return has_stream;
}

bool wsql_query_is_valid(const wsql_query *q) {
  if (q->n_selects == 0) return false;
  for (uint32_t i = 0; i < q->n_relations; i++)
    if (!relation_is_valid(&q->relations[i])) return false;
  for (uint32_t i = 0; i < q->n_selects; i++)
    if (!select_is_valid(q, &q->selects[i])) return false;
  const wsql_select *first = &q->selects[0];
  for (uint32_t k = 0; k < first->n_items; k++) {
    for (uint32_t i = 0; i < k; i++)
      if (wb_str_eq(first->items[i].name, first->items[k].name)) return false;
    for (uint32_t i = 1; i < q->n_selects; i++) {
      const wsql_select *s = &q->selects[i];
      if (s->n_items != first->n_items || !wsql_types_fit(wsql_type_of(q, first, first->items[k].term), wsql_type_of(q, s, s->items[k].term))) return false;
    }
  }
  return true;
}
