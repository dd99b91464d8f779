/* cli/report_query.c -- the verdict on a query, for people: a table of what is kept, or the reason with its place. */
#include "cli/report_query.h"

#include <stdio.h>
#include <string.h>

#include "cli/witness.h"

/* ---- Unbounded ------------------------------------------------------------------------------------------------- */

/* A message at the place that needs memory, and what would help. */
static void say_place(cli *c, cli_say *out, const weir_verdict *v, const char *level, const char *phase, const char *text) {
  char hint[400];
  cli_mark at = {.file = c->spec.path};
  if (v->span.begin < v->span.end) at = cli_mark_span(c->spec.path, c->spec.text, v->span);
  snprintf(hint, sizeof hint, "%s%s", v->cure[0] ? "bounded with " : "", v->cure);
  cli_message m = {.level = level, .phase = phase, .number = WEIR_NO_ROW, .text = text, .hint = hint};
  cli_complain(out, &at, &m);
}

static cli_status tell_unbounded(cli *c, const weir_verdict *v, const char *folder) {
  cli_say out;
  cli_say_open(&out, &c->out_file);
  cli_say_text(&out, "unbounded\n");
  cli_say_safe(&out, (wb_str){v->reason, strlen(v->reason)});
  cli_say_text(&out, "\n");
  say_place(c, &out, v, "note", "", "this is what needs memory");
  if (folder != NULL) cli_witness_say(c, &out, folder);
  return cli_end_text(c, &out);
}

void cli_refuse_unbounded(cli *c, const weir_verdict *v) {
  char text[600];
  snprintf(text, sizeof text, "unbounded: %s", v->reason);
  say_place(c, &c->err, v, "error", "compile", text);
}

/* ---- Bounded: the table ------------------------------------------------------------------------------------------ */

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
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, v);
  put(t, text);
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

cli_status cli_tell_query(cli *c, const weir_verdict *v, const char *folder) {
  return v->is_bounded ? tell_bounded(c, v) : tell_unbounded(c, v, folder);
}
