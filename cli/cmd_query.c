/* cli/cmd_query.c -- queries of SQL: what `weir check` tells of one, and why `weir run` does not run it. */
#include "cli/cmd.h"
#include "cli/report_json.h"

#include <string.h>

cli_status cli_query_load(cli *c) {
  weir_compile_options opts = cli_compile_options(c);
  weir_diagnostics *d = NULL;
  weir_code code = weir_query_check(c->engine, c->spec.text.at, c->spec.text.n, &opts, &c->spec.query, &d);
  return code == WEIR_OK ? CLI_DONE : cli_spec_refuse(c, code, d);
}

/* ---- The verdict --------------------------------------------------------------------------------------------------- */

/* What stands in front of a rule's place, and what would help. */
static void say_place(cli *c, cli_say *out, const weir_verdict *v, const char *level, const char *phase, const char *text) {
  char hint[400];
  cli_mark at = {.file = c->spec.path};
  if (v->span.begin < v->span.end) at = cli_mark_span(c->spec.path, c->spec.text, v->span);
  size_t n = strlen(v->cure);
  if (n != 0 && n < sizeof hint - 32) {
    memcpy(hint, "bounded with ", 13);
    memcpy(hint + 13, v->cure, n + 1);
  } else {
    hint[0] = '\0';
  }
  cli_message m = {.level = level, .phase = phase, .number = WEIR_NO_ROW, .text = text, .hint = hint};
  cli_complain(out, &at, &m);
}

static cli_status tell_unbounded(cli *c, const weir_verdict *v) {
  cli_say out;
  cli_say_open(&out, &c->out_file);
  cli_say_text(&out, "unbounded\n");
  cli_say_safe(&out, (wb_str){v->reason, strlen(v->reason)});
  cli_say_text(&out, "\n");
  say_place(c, &out, v, "note", "", "this is what needs memory");
  cli_status rc = cli_end_text(c, &out);
  return rc == CLI_DONE ? CLI_UNBOUNDED : rc;
}

/* ---- The table ----------------------------------------------------------------------------------------------------- */

/* The columns before the last one, which is the key. */
typedef enum column { SELECT, ALIASES, LATER, KEPT, ENTRIES, CELLS, BYTES, COLUMNS } column;
static const char *const titles[COLUMNS] = {"select", "synopsis", "waits for", "keeps", "entries", "cells", "bytes"};
enum { WIDEST = 40 }; /* of a column that is lined up */

typedef struct table {
  cli_say *out;             /* NULL: only measuring */
  size_t width[COLUMNS];
  size_t used;              /* of the cell at hand */
  const weir_query *query;
  bool has_selects;         /* several SELECTs or pieces */
} table;

static void put(table *t, const char *text) {
  if (t->out != NULL) cli_say_safe(t->out, (wb_str){text, strlen(text)});
  t->used += strlen(text);
}

static void put_number(table *t, uint64_t v) {
  char text[24], *to = text + sizeof text;
  *--to = '\0';
  do *--to = (char)('0' + v % 10);
  while ((v /= 10) != 0);
  put(t, to);
}

static void end_cell(table *t, column at) {
  if (t->out == NULL && t->used <= WIDEST) t->width[at] = WB_MAX(t->width[at], t->used);
  if (t->out != NULL) cli_say_fill(t->out, ' ', t->used < t->width[at] ? t->width[at] - t->used + 2 : 2);
  t->used = 0;
}

static void put_list(table *t, const char *const *texts, uint32_t n, column at) {
  for (uint32_t i = 0; i < n; i++) {
    if (i != 0) put(t, ", ");
    put(t, texts[i]);
  }
  end_cell(t, at);
}

static void put_text(table *t, const char *text, column at) { put_list(t, &text, 1, at); }

static void end_row(table *t) {
  if (t->out != NULL) cli_say_text(t->out, "\n");
  t->used = 0;
}

/* "1", or "1.2": the second piece of the first SELECT. */
static void put_select(table *t, uint32_t select, uint32_t piece) {
  if (!t->has_selects) return;
  if (select == UINT32_MAX) put(t, "all");
  else put_number(t, (uint64_t)select + 1);
  if (piece != 0) put(t, ".");
  if (piece != 0) put_number(t, (uint64_t)piece + 1);
  end_cell(t, SELECT);
}

static void put_synopsis(table *t, uint32_t number) {
  const weir_synopsis *s = weir_query_synopsis(t->query, number);
  put_select(t, s->select, s->piece);
  put_list(t, s->aliases, s->n_aliases, ALIASES);
  put_list(t, s->later, s->n_later, LATER);
  put_text(t, s->kept, KEPT);
  put_text(t, s->entries.text, ENTRIES);
  put_text(t, s->cells.text, CELLS);
  put_text(t, s->bytes.text, BYTES);
  for (uint32_t i = 0; i < s->n_keys; i++) {
    if (i != 0) put(t, ", ");
    put(t, weir_query_key(t->query, number, i)->text);
  }
  if (s->n_keys == 0) put(t, "-");
  end_row(t);
}

static void put_written(table *t, const weir_written *w) {
  put_select(t, w->select, 0);
  put_text(t, "(written)", ALIASES);
  put_text(t, "-", LATER);
  if (w->is_box) put(t, "all rows");
  else if (w->steps == 0) put(t, "nothing");
  else {
    put(t, "rows of ");
    put_number(t, w->steps);
    put(t, w->steps == 1 ? " step" : " steps");
  }
  end_cell(t, KEPT);
  put_text(t, "-", ENTRIES);
  put_text(t, w->cells.text, CELLS);
  put_text(t, w->bytes.text, BYTES);
  put(t, "-");
  end_row(t);
}

static void put_table(table *t, const weir_verdict *v) {
  for (column k = t->has_selects ? SELECT : ALIASES; k < COLUMNS; k++) put_text(t, titles[k], k);
  put(t, "key");
  end_row(t);
  for (uint32_t i = 0; i < v->n_synopses; i++) put_synopsis(t, i);
  for (uint32_t i = 0; i < v->n_written; i++) put_written(t, weir_query_written(t->query, i));
}

static bool has_selects(const weir_query *q, const weir_verdict *v) {
  bool several = false;
  for (uint32_t i = 0; i < v->n_synopses; i++) several |= weir_query_synopsis(q, i)->select != 0 || weir_query_synopsis(q, i)->piece != 0;
  for (uint32_t i = 0; i < v->n_written; i++) several |= weir_query_written(q, i)->select != 0;
  return several;
}

static cli_status tell_bounded(cli *c, const weir_verdict *v) {
  cli_say out;
  cli_say_open(&out, &c->out_file);
  cli_say_text(&out, "bounded\ncells ");
  cli_say_text(&out, v->cells.text);
  cli_say_text(&out, "\nbytes ");
  cli_say_text(&out, v->bytes.text);
  cli_say_text(&out, "\n");
  table t = {.query = c->spec.query, .has_selects = has_selects(c->spec.query, v)};
  if (v->n_synopses + v->n_written > 0) {
    put_table(&t, v);
    t.out = &out;
    put_table(&t, v);
  }
  return cli_end_text(c, &out);
}

/* ---- The commands -------------------------------------------------------------------------------------------------- */

static cli_status show(cli *c, weir_query_view view) {
  weir_text *text;
  weir_error e;
  if (weir_query_explain(c->spec.query, view, &text, &e) != WEIR_OK) return cli_refuse_error(c, CLI_FAILED, NULL, "", &e);
  cli_status rc = cli_write_text(c, text);
  weir_text_free(text);
  return rc;
}

cli_status cli_check_query(cli *c) {
  cli_status rc = cli_query_load(c);
  if (rc != CLI_DONE) return rc;
  const weir_verdict *v = weir_query_verdict(c->spec.query);
  if (c->set.wants_json) return cli_json_query(c, v);
  if (c->set.is_dot) {
    rc = show(c, WEIR_QUERY_DOT);
    return rc == CLI_DONE && !v->is_bounded ? CLI_UNBOUNDED : rc;
  }
  return v->is_bounded ? tell_bounded(c, v) : tell_unbounded(c, v);
}

cli_status cli_run_query(cli *c) {
  cli_status rc = cli_query_load(c);
  if (rc != CLI_DONE) return rc;
  const weir_verdict *v = weir_query_verdict(c->spec.query);
  if (v->is_bounded)
    return cli_refuse(c, CLI_WRONG, c->spec.path, "compile: queries cannot be run yet", "`weir check` tells what this one will keep between steps");
  char text[600];
  size_t n = WB_MIN(strlen(v->reason), sizeof text - 32);
  memcpy(text, "unbounded: ", 11);
  memcpy(text + 11, v->reason, n);
  text[11 + n] = '\0';
  say_place(c, &c->err, v, "error", "compile", text);
  return CLI_UNBOUNDED;
}

cli_status cli_explain_query(cli *c) {
  bool has_stage = c->set.stage == WEIR_STAGE_AST || c->set.stage == WEIR_STAGE_GRAPH;
  if (!has_stage) return cli_refuse(c, CLI_WRONG, c->spec.path, "a query has no such stage yet", "--stage ast shows what was understood");
  cli_status rc = cli_query_load(c);
  return rc == CLI_DONE ? show(c, c->set.is_dot ? WEIR_QUERY_DOT : WEIR_QUERY_SCRIPT) : rc;
}
