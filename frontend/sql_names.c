/* frontend/sql_names.c -- the query of a script: FROM, and what the names in expressions mean.
**
** A column without an alias is looked for in all aliases that its condition sees.  An alias whose stream is not declared has no columns that
** are known: names that may be its own are then not complained about. */
#include "frontend/sql_binder.h"

#include "ir/base/sort.h"

typedef struct scope {
  wsql_binder *b;
  const wsql_select_text *text;
  wsql_select *sel;
  uint32_t names[WSQL_MAX_ALIASES]; /* of the aliases */
  bool is_open;                     /* an alias has no relation */
} scope;

enum { NO_RELATION = UINT32_MAX };

/* ---- FROM ---------------------------------------------------------------------------------------------------------- */

static void refuse_relation(wsql_binder *b, wsql_name name) {
  wfe_diag_add(b->diags, WEIR_E_TYPE, name.span, "no stream or table `%s` is declared", wsql_show(wsql_text_of(b, name.id)).at);
  wb_near near;
  wb_near_init(&near, wsql_text_of(b, name.id));
  for (uint32_t i = 0; wsql_wants_hint(b) && i < b->q->n_relations; i++) wb_near_offer(&near, b->q->relations[i].name);
  wsql_hint_near(b, &near);
}

static void refuse_second_alias(wsql_binder *b, wsql_ref r) {
  wsql_shown name = wsql_show(wsql_text_of(b, r.alias.id));
  wfe_diag_add(b->diags, WEIR_E_TYPE, r.alias.span, "`%s` appears twice in FROM", name.at);
  wfe_diag_hint(b->diags, "an alias tells them apart: `%s AS other`", wsql_show(wsql_text_of(b, r.table.id)).at);
}

/* Adds the alias, whatever is wrong with it: numbers of aliases are those of the text. */
static void bind_ref(scope *c, wsql_ref r, bool *has_stream) {
  wsql_binder *b = c->b;
  uint32_t n = c->sel->n_aliases, known = b->relation_of[r.table.id];
  for (uint32_t i = 0; i < n; i++)
    if (c->names[i] == r.alias.id) {
      refuse_second_alias(b, r);
      break;
    }
  if (known == 0) refuse_relation(b, r.table);
  c->is_open |= known == 0;
  *has_stream |= known == 0 || wsql_is_stream(&b->q->relations[known - 1]);
  c->names[n] = r.alias.id;
  c->sel->aliases[n] = (wsql_alias){wsql_text_of(b, r.alias.id), r.alias.span, known == 0 ? NO_RELATION : known - 1};
  c->sel->n_aliases++;
}

static bool bind_from(scope *c) {
  const wsql_script *s = c->b->script;
  wsql_range refs = c->text->refs;
  bool has_stream = false;
  c->sel->aliases = WB_NEW_ARRAY(c->b->mem, wsql_alias, refs.end - refs.first);
  if (c->sel->aliases == NULL) return wsql_bind_memory(c->b);
  for (uint32_t i = refs.first; i < refs.end; i++) bind_ref(c, s->refs.at[i], &has_stream);
  if (has_stream) return true;
  wfe_diag_add(c->b->diags, WEIR_E_TYPE, s->refs.at[refs.first].table.span, "FROM has no stream");
  wfe_diag_hint(c->b->diags, "tables do not change, so a query of tables alone has nothing to wait for");
  return true;
}

/* ---- Columns ------------------------------------------------------------------------------------------------------- */

static const wsql_relation *relation_at(const scope *c, uint32_t alias) {
  uint32_t r = c->sel->aliases[alias].relation;
  return r == NO_RELATION ? NULL : &c->b->q->relations[r];
}

static uint32_t column_at(const scope *c, uint32_t alias, uint32_t name) {
  uint32_t r = c->sel->aliases[alias].relation;
  return r == NO_RELATION ? WSQL_NONE : wsql_find_column(c->b, r, name);
}

/* `name` is no alias that is visible. */
static bool refuse_alias(const scope *c, wsql_name name, uint32_t n_visible) {
  wsql_binder *b = c->b;
  wsql_shown text = wsql_show(wsql_text_of(b, name.id));
  for (uint32_t i = n_visible; i < c->sel->n_aliases; i++)
    if (c->names[i] == name.id) return WFE_REFUSE(b->diags, WEIR_E_TYPE, name.span, "`%s` comes only later in FROM", text.at);
  wfe_diag_add(b->diags, WEIR_E_TYPE, name.span, "`%s` is not in FROM", text.at);
  wb_near near;
  wb_near_init(&near, wsql_text_of(b, name.id));
  for (uint32_t i = 0; i < n_visible; i++) wb_near_offer(&near, c->sel->aliases[i].name);
  wsql_hint_near(b, &near);
  for (uint32_t i = 0; i < n_visible; i++) {
    const wsql_relation *r = relation_at(c, i);
    if (r == NULL || !wb_str_eq(r->name, wsql_text_of(b, name.id))) continue;
    wfe_diag_hint(b->diags, "`%s` is called `%s` here", text.at, wsql_show(c->sel->aliases[i].name).at);
    break;
  }
  return false;
}

static bool bind_qualified(const scope *c, const wsql_sum *s, uint32_t n_visible, wsql_term *out) {
  uint32_t i = 0;
  while (i < n_visible && c->names[i] != s->table.id) i++;
  if (i == n_visible) return refuse_alias(c, s->table, n_visible);
  out->alias = i;
  out->column = column_at(c, i, s->column.id);
  if (out->column == WSQL_NONE && relation_at(c, i) != NULL) wsql_refuse_column(c->b, c->sel->aliases[i].name, relation_at(c, i), s->column);
  return out->column != WSQL_NONE;
}

static bool refuse_ambiguous(const scope *c, const wsql_sum *s, uint32_t one, uint32_t other) {
  wsql_binder *b = c->b;
  wsql_shown first = wsql_show(c->sel->aliases[one].name), second = wsql_show(c->sel->aliases[other].name);
  wsql_shown column = wsql_show(wsql_text_of(b, s->column.id));
  wfe_diag_add(b->diags, WEIR_E_TYPE, s->column.span, "column `%s` is in `%s` and in `%s`", column.at, first.at, second.at);
  wfe_diag_hint(b->diags, "write `%s.%s` or `%s.%s`", first.at, column.at, second.at, column.at);
  return false;
}

static void offer_columns(const scope *c, uint32_t alias, wb_near *near) {
  const wsql_relation *r = relation_at(c, alias);
  for (uint32_t i = 0; r != NULL && i < r->n_columns; i++) wb_near_offer(near, r->columns[i].name);
}

static bool bind_unqualified(const scope *c, const wsql_sum *s, uint32_t n_visible, wsql_term *out) {
  wsql_binder *b = c->b;
  for (uint32_t i = 0; i < n_visible; i++) {
    uint32_t column = column_at(c, i, s->column.id);
    if (column == WSQL_NONE) continue;
    if (out->column != WSQL_NONE) return refuse_ambiguous(c, s, out->alias, i);
    out->alias = i;
    out->column = column;
  }
  if (out->column != WSQL_NONE || c->is_open) return out->column != WSQL_NONE;
  wfe_diag_add(b->diags, WEIR_E_TYPE, s->column.span, "there is no column `%s` in FROM", wsql_show(wsql_text_of(b, s->column.id)).at);
  wb_near near;
  wb_near_init(&near, wsql_text_of(b, s->column.id));
  for (uint32_t i = 0; wsql_wants_hint(b) && i < n_visible; i++) offer_columns(c, i, &near);
  wsql_hint_near(b, &near);
  return false;
}

/* False: refused, or nothing is known of it. */
static bool bind_term(const scope *c, const wsql_sum *s, uint32_t n_visible, wsql_term *out) {
  *out = (wsql_term){.alias = WSQL_NONE, .column = WSQL_NONE, .plus = s->plus};
  if (s->column.id == WB_NO_NAME) return true;
  return s->table.id != WB_NO_NAME ? bind_qualified(c, s, n_visible, out) : bind_unqualified(c, s, n_visible, out);
}

/* ---- Types --------------------------------------------------------------------------------------------------------- */

/* What is bound has a right type. */
static const char *const type_texts[] = {[WSQL_TYPE_CONST] = "a number", [WSQL_TYPE_INT] = "INT", [WSQL_TYPE_TIME] = "TIMESTAMP"};

/* ---- Conditions ---------------------------------------------------------------------------------------------------- */

/* Both sides bound and of types that may be compared. */
static bool bind_sides(const scope *c, const wsql_pred_text *p, const wsql_sum *right, wsql_pred *out) {
  bool is_ok = bind_term(c, &p->left, p->n_visible, &out->left);
  if (!bind_term(c, right, p->n_visible, &out->right) || !is_ok) return false;
  wsql_type a = wsql_type_of(c->b->q, c->sel, out->left), b = wsql_type_of(c->b->q, c->sel, out->right);
  if (wsql_types_fit(a, b)) return true;
  weir_span at = {p->left.span.begin, right->span.end};
  return WFE_REFUSE(c->b->diags, WEIR_E_TYPE, at, "an INT and a TIMESTAMP cannot be compared: the left side is %s, the right side %s",
                          type_texts[a], type_texts[b]);
}

static bool int_less(const void *self, const void *a, const void *b) {
  (void)self;
  return *(const int64_t *)a < *(const int64_t *)b;
}

/* Increasing and without duplicates; answers how many are left. */
static size_t sort_set(int64_t *at, size_t n) {
  wb_sort(at, n, sizeof *at, int_less, NULL);
  size_t left = 0;
  for (size_t i = 0; i < n; i++)
    if (left == 0 || at[i] != at[left - 1]) at[left++] = at[i];
  return left;
}

static bool bind_set(const scope *c, const wsql_pred_text *p, wsql_pred *out) {
  size_t n = p->list.end - p->list.first;
  out->kind = p->form == WSQL_IN ? WSQL_PRED_IN : WSQL_PRED_NOT_IN;
  out->set = WB_NEW_ARRAY(c->b->mem, int64_t, n);
  if (out->set == NULL) return wsql_bind_memory(c->b);
  for (size_t i = 0; i < n; i++) out->set[i] = c->b->script->values.at[p->list.first + i].value;
  out->n_set = sort_set(out->set, n);
  return bind_term(c, &p->left, p->n_visible, &out->left);
}

/* Adds the predicate's one or two; those that were refused are left out. */
static void bind_pred(const scope *c, const wsql_pred_text *p) {
  wsql_select *sel = c->sel;
  wsql_pred one = {.kind = WSQL_PRED_CMP, .cmp = p->cmp, .at = p->span}, other = one;
  bool is_ok, is_between = p->form == WSQL_BETWEEN;
  if (p->form == WSQL_IN || p->form == WSQL_NOT_IN) is_ok = bind_set(c, p, &one);
  else is_ok = bind_sides(c, p, &p->right, &one);
  if (is_between) {
    one.cmp = WSQL_GE;
    other.cmp = WSQL_LE;
    is_ok = is_ok && bind_sides(c, p, &p->high, &other);
  }
  if (is_ok) sel->preds[sel->n_preds++] = one;
  if (is_ok && is_between) sel->preds[sel->n_preds++] = other;
}

static bool bind_conditions(const scope *c) {
  const wsql_script *s = c->b->script;
  wsql_range preds = c->text->preds;
  size_t n = 0;
  for (uint32_t i = preds.first; i < preds.end; i++) n += s->preds.at[i].form == WSQL_BETWEEN ? 2 : 1;
  c->sel->preds = WB_NEW_ARRAY(c->b->mem, wsql_pred, n);
  if (c->sel->preds == NULL) return wsql_bind_memory(c->b);
  for (uint32_t i = preds.first; i < preds.end && !c->b->diags->out_of_memory; i++) bind_pred(c, &s->preds.at[i]);
  return !c->b->diags->out_of_memory;
}

/* ---- Output -------------------------------------------------------------------------------------------------------- */

/* The name of the output column, or WB_NO_NAME. */
static uint32_t item_name(scope *c, const wsql_item_text *t) {
  if (t->as.id != WB_NO_NAME) return t->as.id;
  if (t->value.column.id != WB_NO_NAME && t->value.plus == 0) return t->value.column.id;
  wfe_diag_add(c->b->diags, WEIR_E_TYPE, t->value.span, "this output column has no name");
  wfe_diag_hint(c->b->diags, "AS gives it one");
  return WB_NO_NAME;
}

/* Adds the item.  One that was refused has the type of a number, which fits all. */
static void bind_item(scope *c, const wsql_item_text *t, bool is_first) {
  wsql_binder *b = c->b;
  wsql_item item = {.at = t->value.span};
  if (!bind_term(c, &t->value, c->sel->n_aliases, &item.term)) item.term = (wsql_term){.alias = WSQL_NONE, .column = WSQL_NONE};
  uint32_t name = item_name(c, t);
  if (name != WB_NO_NAME) item.name = wsql_text_of(b, name);
  if (name != WB_NO_NAME && is_first && !wsql_see(b, name)) {
    weir_span at = t->as.id != WB_NO_NAME ? t->as.span : t->value.span;
    wfe_diag_add(b->diags, WEIR_E_TYPE, at, "a second output column has the name `%s`", wsql_show(item.name).at);
    wfe_diag_hint(b->diags, "AS gives it another one");
  }
  c->sel->items[c->sel->n_items++] = item;
}

/* The columns of the output are those of the first SELECT. */
static void check_union(const scope *c, const wsql_select *first) {
  wsql_binder *b = c->b;
  if (c->sel->n_items != first->n_items) {
    wfe_diag_add(b->diags, WEIR_E_TYPE, c->text->span, "a UNION of %u column%s and %u", first->n_items, WB_S(first->n_items), c->sel->n_items);
    return;
  }
  for (uint32_t i = 0; i < first->n_items; i++) {
    wsql_type x = wsql_type_of(b->q, first, first->items[i].term), y = wsql_type_of(b->q, c->sel, c->sel->items[i].term);
    if (!wsql_types_fit(x, y))
      wfe_diag_add(b->diags, WEIR_E_TYPE, c->sel->items[i].at, "this column is %s, but %s in the first SELECT", type_texts[y], type_texts[x]);
  }
}

static bool bind_items(scope *c, bool is_first) {
  wsql_binder *b = c->b;
  wsql_range items = c->text->items;
  b->n_lists++;
  c->sel->items = WB_NEW_ARRAY(b->mem, wsql_item, items.end - items.first);
  if (c->sel->items == NULL) return wsql_bind_memory(b);
  for (uint32_t i = items.first; i < items.end; i++) bind_item(c, &b->script->items.at[i], is_first);
  if (!is_first) check_union(c, &b->q->selects[0]);
  return true;
}

/* ---- The query ----------------------------------------------------------------------------------------------------- */

static bool bind_select(wsql_binder *b, const wsql_select_text *text, wsql_select *sel) {
  scope c = {.b = b, .text = text, .sel = sel};
  sel->is_distinct = text->is_distinct;
  sel->at = text->span;
  b->q->is_set |= text->before == WSQL_UNION;
  return bind_from(&c) && bind_items(&c, sel == b->q->selects) && bind_conditions(&c);
}

bool wsql_bind_selects(wsql_binder *b) {
  size_t n = b->script->selects.n;
  b->q->selects = WB_NEW_ARRAY(b->mem, wsql_select, n);
  if (b->q->selects == NULL) return wsql_bind_memory(b);
  for (size_t i = 0; i < n; i++) {
    if (!bind_select(b, &b->script->selects.at[i], &b->q->selects[i])) return false;
    b->q->n_selects++;
  }
  return true;
}
