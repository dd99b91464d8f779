/* frontend/sql_bind.c -- the declarations of a script: streams, tables and their rows.
**
** Leave alone: queries are bound in sql_names.c; whether one can be answered is the decision's business (sql_bounded.c). */
#include "frontend/sql_binder.h"
#include "frontend/sql_parse.h"

#include <stdio.h>

/* ---- Messages ------------------------------------------------------------------------------------------------------ */

wsql_shown wsql_show(wb_str name) {
  wsql_shown s;
  size_t most = sizeof s.at - 4, n = wb_utf8_cut(name, WB_MIN(name.n, most));
  snprintf(s.at, sizeof s.at, "%.*s%s", (int)n, name.at, n < name.n ? "..." : "");
  return s;
}

bool wsql_bind_memory(wsql_binder *b) {
  wfe_diag_memory(b->diags);
  return false;
}

void wsql_hint_near(wsql_binder *b, const wb_near *near) {
  if (wb_near_found(near)) wfe_diag_hint(b->diags, "did you mean `%s`?", wsql_show(near->best).at);
}

/* The name at `second` was declared at `first` already. */
static void refuse_second(wsql_binder *b, const char *what, uint32_t name, weir_span first, weir_span second) {
  if (!wfe_diag_keeps(b->diags, second)) {
    wfe_diag_add(b->diags, WEIR_E_COMPILE, second, "declared twice");
    return;
  }
  wb_place place = wb_locate(b->script->text, first.begin);
  wfe_diag_add(b->diags, WEIR_E_COMPILE, second, "%s`%s` is declared twice; first in line %" PRIu64 ", column %" PRIu64, what,
                   wsql_show(wsql_text_of(b, name)).at, place.line, place.column);
}

/* ---- Columns by name ----------------------------------------------------------------------------------------------- */

static wsql_column_key *column_place(const wsql_binder *b, uint32_t relation, uint32_t name) {
  uint64_t h = ((uint64_t)relation << 32 | name) * 0x9E3779B97F4A7C15u;
  for (size_t i = (size_t)(h >> 32);; i++) {
    wsql_column_key *k = &b->columns[i & (b->cap_columns - 1)];
    if (k->relation == 0 || (k->relation == relation + 1 && k->name == name)) return k;
  }
}

uint32_t wsql_find_column(const wsql_binder *b, uint32_t relation, uint32_t name) {
  const wsql_column_key *k = column_place(b, relation, name);
  return k->relation == 0 ? WSQL_NONE : k->column;
}

/* ---- CREATE -------------------------------------------------------------------------------------------------------- */

static void check_times(wsql_binder *b, const wsql_create *c, wsql_relation *r, uint32_t n_times) {
  wsql_shown name = wsql_show(wsql_text_of(b, c->name.id));
  if (c->is_stream == (n_times == 1)) return;
  if (n_times == 0) {
    r->time = 0; /* a stream all the same */
    wfe_diag_add(b->diags, WEIR_E_TYPE, c->name.span, "stream `%s` has no TIMESTAMP column", name.at);
    return;
  }
  uint32_t skipped = 0; /* a stream's first one is right */
  for (uint32_t i = c->columns.first; i < c->columns.end; i++) {
    const wsql_column_text *t = &b->script->columns.at[i];
    if (!t->is_timestamp || skipped++ < (c->is_stream ? 1 : 0)) continue;
    wfe_diag_add(b->diags, WEIR_E_TYPE, t->type_span, c->is_stream ? "stream `%s` has a second TIMESTAMP column" : "table `%s` has a TIMESTAMP column", name.at);
    if (!c->is_stream) wfe_diag_hint(b->diags, "a table does not change; what has a time is a stream");
    return;
  }
}

static bool bind_columns(wsql_binder *b, const wsql_create *c, uint32_t number) {
  wsql_relation *r = &b->q->relations[number];
  uint32_t n_times = 0;
  r->columns = WB_NEW_ARRAY(b->mem, wsql_column, c->columns.end - c->columns.first);
  if (r->columns == NULL) return wsql_bind_memory(b);
  for (uint32_t i = c->columns.first; i < c->columns.end; i++) {
    const wsql_column_text *t = &b->script->columns.at[i];
    wsql_column_key *k = column_place(b, number, t->name.id);
    if (k->relation != 0) {
      refuse_second(b, "column ", t->name.id, r->columns[k->column].at, t->name.span);
      continue;
    }
    *k = (wsql_column_key){number + 1, t->name.id, r->n_columns};
    if (t->is_timestamp && n_times++ == 0) r->time = r->n_columns;
    r->columns[r->n_columns++] = (wsql_column){wsql_text_of(b, t->name.id), t->name.span, t->is_timestamp};
  }
  check_times(b, c, r, n_times);
  return true;
}

static bool bind_create(wsql_binder *b, const wsql_create *c) {
  uint32_t *known = &b->relation_of[c->name.id];
  if (*known != 0) {
    refuse_second(b, "", c->name.id, b->q->relations[*known - 1].at, c->name.span);
    return true;
  }
  uint32_t number = b->q->n_relations++;
  *known = number + 1;
  b->q->relations[number] = (wsql_relation){
    .name = wsql_text_of(b, c->name.id), .at = c->name.span, .time = WSQL_NONE, .has_until = c->has_until, .has_rate = c->has_rate,
    .until = (uint64_t)WB_MIN(c->until, WSQL_TIME_MAX), .rate = (uint64_t)c->rate,
  };
  return bind_columns(b, c, number);
}

/* ---- INSERT -------------------------------------------------------------------------------------------------------- */

/* The table of that name, if it is declared above; else says what is wrong. */
static wsql_relation *find_table(wsql_binder *b, wsql_name name) {
  wsql_shown text = wsql_show(wsql_text_of(b, name.id));
  uint32_t known = b->relation_of[name.id];
  if (known != 0 && !wsql_is_stream(&b->q->relations[known - 1])) return &b->q->relations[known - 1];
  if (known != 0) {
    wfe_diag_add(b->diags, WEIR_E_TYPE, name.span, "`%s` is a stream; only a table has rows in the script", text.at);
    return NULL;
  }
  wfe_diag_add(b->diags, WEIR_E_TYPE, name.span, "no table `%s` is declared before this", text.at);
  wb_near near;
  wb_near_init(&near, wsql_text_of(b, name.id));
  for (uint32_t i = 0; wsql_wants_hint(b) && i < b->q->n_relations; i++)
    if (!wsql_is_stream(&b->q->relations[i])) wb_near_offer(&near, b->q->relations[i].name);
  wsql_hint_near(b, &near);
  return NULL;
}

void wsql_refuse_column(wsql_binder *b, wb_str of, const wsql_relation *r, wsql_name name) {
  wfe_diag_add(b->diags, WEIR_E_TYPE, name.span, "`%s` has no column `%s`", wsql_show(of).at, wsql_show(wsql_text_of(b, name.id)).at);
  wb_near near;
  wb_near_init(&near, wsql_text_of(b, name.id));
  for (uint32_t i = 0; wsql_wants_hint(b) && i < r->n_columns; i++) wb_near_offer(&near, r->columns[i].name);
  wsql_hint_near(b, &near);
}

/* Columns that the list in parentheses leaves out: the first of them. */
static void refuse_missing(wsql_binder *b, const wsql_relation *r, wsql_name table) {
  for (uint32_t i = 0; i < r->n_columns; i++) {
    if (b->seen[wb_names_find(b->script->names, r->columns[i].name)] == b->n_lists) continue;
    wfe_diag_add(b->diags, WEIR_E_TYPE, table.span, "column `%s` gets no value", wsql_show(r->columns[i].name).at);
    return;
  }
}

/* The column of each value: *order, or NULL for the order of the declaration.  False: refused, or out of memory. */
static bool bind_insert_columns(wsql_binder *b, const wsql_insert *in, const wsql_relation *r, const uint32_t **order) {
  uint32_t n = in->columns.end - in->columns.first, number = (uint32_t)(r - b->q->relations);
  bool is_ok = true;
  *order = NULL;
  if (!in->has_columns) return true;
  b->n_lists++;
  uint32_t *columns = WB_NEW_ARRAY(b->mem, uint32_t, n);
  if (columns == NULL) return wsql_bind_memory(b);
  for (uint32_t i = 0; i < n; i++) {
    wsql_name name = b->script->insert_columns.at[in->columns.first + i];
    columns[i] = wsql_find_column(b, number, name.id);
    if (columns[i] == WSQL_NONE) wsql_refuse_column(b, r->name, r, name);
    else if (!wsql_see(b, name.id)) wfe_diag_add(b->diags, WEIR_E_TYPE, name.span, "column `%s` appears twice", wsql_show(wsql_text_of(b, name.id)).at);
    else continue;
    is_ok = false;
  }
  if (is_ok && n < r->n_columns) refuse_missing(b, r, in->table);
  *order = columns;
  return is_ok && n == r->n_columns;
}

static bool has_room(wb_mem *mem, int64_t **rows, size_t n, size_t *cap, size_t more) {
  return *cap - n >= more || wb_vec_reserve(mem, rows, cap, wb_vec_want(n, more), sizeof **rows);
}

/* Adds the rows to the table's, whose room is *cap values. */
static bool add_rows(wsql_binder *b, const wsql_insert *in, wsql_relation *r, const uint32_t *order, size_t *cap) {
  const wsql_script *s = b->script;
  for (uint32_t i = in->rows.first; i < in->rows.end; i++) {
    const wsql_insert_row *row = &s->insert_rows.at[i];
    uint32_t n = row->values.end - row->values.first;
    if (n != r->n_columns) {
      wfe_diag_add(b->diags, WEIR_E_TYPE, row->span, "%u value%s for %u column%s", n, WB_S(n), r->n_columns, WB_S(r->n_columns));
      continue;
    }
    size_t at = r->n_rows * n;
    if (!has_room(b->mem, &r->rows, at, cap, n)) return wsql_bind_memory(b);
    for (uint32_t k = 0; k < n; k++) r->rows[at + (order ? order[k] : k)] = s->values.at[row->values.first + k].value;
    r->n_rows++;
  }
  return true;
}

static bool bind_insert(wsql_binder *b, const wsql_insert *in, size_t *caps) {
  wsql_relation *r = find_table(b, in->table);
  const uint32_t *order;
  if (r == NULL || !bind_insert_columns(b, in, r, &order)) return !b->diags->out_of_memory;
  return add_rows(b, in, r, order, &caps[r - b->q->relations]);
}

/* ---- The door ------------------------------------------------------------------------------------------------------ */

static bool bind_declarations(wsql_binder *b) {
  const wsql_script *s = b->script;
  size_t *caps = WB_NEW_ARRAY(b->mem, size_t, s->creates.n);
  b->q->relations = WB_NEW_ARRAY(b->mem, wsql_relation, s->creates.n);
  if (caps == NULL || b->q->relations == NULL) return wsql_bind_memory(b);
  for (size_t i = 0; i < s->statements.n; i++) {
    wsql_statement st = s->statements.at[i];
    if (!(st.is_insert ? bind_insert(b, &s->inserts.at[st.at], caps) : bind_create(b, &s->creates.at[st.at]))) return false;
  }
  return true;
}

static bool binder_begin(wsql_binder *b) {
  size_t n_names = b->script->names->texts.n;
  for (b->cap_columns = 16; b->cap_columns < 2 * b->script->columns.n;) b->cap_columns *= 2;
  b->relation_of = WB_NEW_ARRAY(b->mem, uint32_t, n_names);
  b->seen = WB_NEW_ARRAY(b->mem, uint32_t, n_names);
  b->columns = WB_NEW_ARRAY(b->mem, wsql_column_key, b->cap_columns);
  return (b->relation_of && b->seen && b->columns) || wsql_bind_memory(b);
}

bool wsql_bind(const wsql_script *script, wsql_query *q, struct weir_diagnostics *diags) {
  wsql_binder b = {.script = script, .mem = script->mem, .q = q, .diags = diags};
  *q = (wsql_query){0};
  if (!binder_begin(&b) || !bind_declarations(&b) || !wsql_bind_selects(&b) || wfe_diag_any(diags)) return false;
  wb_check_ir(wsql_query_is_valid(q));
  return true;
}

bool wsql_read(wb_str text, const wfe_limits *limits, wb_mem *mem, wsql_query *q, struct weir_diagnostics *diags) {
  wb_names *names = WB_NEW(mem, wb_names);
  *q = (wsql_query){0};
  if (names == NULL) {
    wfe_diag_memory(diags);
    return false;
  }
  wb_names_init(names, mem);
  wsql_script script = {.mem = mem, .names = names, .text = text};
  wsql_parse(&script, limits, diags);
  return !wfe_diag_any(diags) && wsql_bind(&script, q, diags);
}
