/* frontend/explain_sql.c -- a bound SQL query as text: a script again, so that what the binder understood can be read, and read back. */
#include "frontend/explain_sql.h"
#include "frontend/lex.h"

/* In double quotes, unless it is read back as the same name without them. */
static void put_name(wir_words *w, wb_str name) {
  bool is_plain = name.n > 0 && !wfe_is_digit(name.at[0]) && wfe_word_end(name, 0) == name.n && !wfe_is_word(WFE_SQL, name);
  for (size_t i = 0; i < name.n; i++) is_plain = is_plain && !(name.at[i] >= 'A' && name.at[i] <= 'Z');
  if (!is_plain) wir_put(w, "\"");
  wir_put_str(w, name);
  if (!is_plain) wir_put(w, "\"");
}

static void put_column(wir_words *w, const wsql_query *q, const wsql_select *s, uint32_t alias, uint32_t column) {
  put_name(w, s->aliases[alias].name);
  wir_put(w, ".");
  put_name(w, wsql_relation_of(q, s, alias)->columns[column].name);
}

/* A literal has 64 bits: what is more is written as a sum. */
static void put_amount(wir_words *w, unsigned __int128 v, const char *sign) {
  static const unsigned __int128 most = UINT64_MAX;
  for (; v > most; v -= most) {
    wir_put_number(w, UINT64_MAX);
    wir_put(w, sign);
  }
  wir_put_number(w, (uint64_t)v);
}

static void put_term(wir_words *w, const wsql_query *q, const wsql_select *s, wsql_term t) {
  bool is_negative = t.plus < 0;
  unsigned __int128 amount = is_negative ? -(unsigned __int128)t.plus : (unsigned __int128)t.plus;
  if (t.alias != WSQL_NONE) {
    put_column(w, q, s, t.alias, t.column);
    if (amount == 0) return;
    wir_put(w, is_negative ? " - " : " + ");
  } else if (is_negative) {
    wir_put(w, "-");
  }
  put_amount(w, amount, is_negative ? " - " : " + ");
}

/* ---- Declarations -------------------------------------------------------------------------------------------------- */

static void put_rows(wir_words *w, const wsql_relation *r) {
  if (r->n_rows == 0) return;
  wir_put(w, "INSERT INTO ");
  put_name(w, r->name);
  wir_put(w, " VALUES");
  for (size_t i = 0; i < r->n_rows; i++) {
    wir_put(w, i == 0 ? "\n  (" : ",\n  (");
    for (uint32_t k = 0; k < r->n_columns; k++) {
      if (k != 0) wir_put(w, ", ");
      wsql_put_int(w, r->rows[i * r->n_columns + k]);
    }
    wir_put(w, ")");
  }
  wir_put(w, ";\n");
}

static void put_relation(wir_words *w, const wsql_relation *r) {
  wir_put(w, wsql_is_stream(r) ? "CREATE STREAM " : "CREATE TABLE ");
  put_name(w, r->name);
  wir_put(w, " (");
  for (uint32_t i = 0; i < r->n_columns; i++) {
    if (i != 0) wir_put(w, ", ");
    put_name(w, r->columns[i].name);
    wir_put(w, r->columns[i].is_time ? " TIMESTAMP" : " INT");
  }
  wir_put(w, ")");
  if (r->has_until) {
    wir_put(w, " UNTIL ");
    wir_put_number(w, r->until);
  }
  if (r->has_rate) {
    wir_put(w, " RATE ");
    wir_put_number(w, r->rate);
  }
  wir_put(w, ";\n");
  put_rows(w, r);
}

/* ---- The query ----------------------------------------------------------------------------------------------------- */

static void put_pred(wir_words *w, const wsql_query *q, const wsql_select *s, const wsql_pred *p) {
  static const char *const texts[] = {
    [WSQL_LT] = " < ", [WSQL_LE] = " <= ", [WSQL_EQ] = " = ", [WSQL_NE] = " <> ", [WSQL_GE] = " >= ", [WSQL_GT] = " > ",
  };
  put_term(w, q, s, p->left);
  if (p->kind == WSQL_PRED_CMP) {
    wir_put(w, texts[p->cmp]);
    put_term(w, q, s, p->right);
    return;
  }
  wir_put(w, p->kind == WSQL_PRED_IN ? " IN (" : " NOT IN (");
  for (size_t i = 0; i < p->n_set; i++) {
    if (i != 0) wir_put(w, ", ");
    wsql_put_int(w, p->set[i]);
  }
  wir_put(w, ")");
}

static void put_select(wir_words *w, const wsql_query *q, const wsql_select *s) {
  wir_put(w, s->is_distinct ? "SELECT DISTINCT " : "SELECT ALL ");
  for (uint32_t i = 0; i < s->n_items; i++) {
    if (i != 0) wir_put(w, ", ");
    put_term(w, q, s, s->items[i].term);
    wir_put(w, " AS ");
    put_name(w, s->items[i].name);
  }
  wir_put(w, "\nFROM ");
  for (uint32_t i = 0; i < s->n_aliases; i++) {
    if (i != 0) wir_put(w, ", ");
    put_name(w, wsql_relation_of(q, s, i)->name);
    wir_put(w, " AS ");
    put_name(w, s->aliases[i].name);
  }
  for (size_t i = 0; i < s->n_preds; i++) {
    wir_put(w, i == 0 ? "\nWHERE " : "\n  AND ");
    put_pred(w, q, s, &s->preds[i]);
  }
}

void wsql_explain_query(const wsql_query *q, wir_words *w) {
  for (uint32_t i = 0; i < q->n_relations; i++) put_relation(w, &q->relations[i]);
  for (uint32_t i = 0; i < q->n_selects; i++) {
    if (i != 0) wir_put(w, q->is_set ? "\nUNION\n" : "\nUNION ALL\n");
    put_select(w, q, &q->selects[i]);
  }
  wir_put(w, ";\n");
}
