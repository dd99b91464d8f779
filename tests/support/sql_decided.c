/* tests/support/sql_decided.c -- see sql_decided.h. */
#include "tests/support/sql_decided.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char streams[] =
  "CREATE STREAM s (a INT, e INT, x INT, i TIMESTAMP); CREATE STREAM t (b INT, c INT, j TIMESTAMP); CREATE STREAM u (d INT, f INT, k TIMESTAMP);"
  "CREATE STREAM v (g INT, h INT, l TIMESTAMP); CREATE STREAM w (m INT, n INT, o TIMESTAMP) RATE 2;"
  "CREATE STREAM f (p INT, q INT, y TIMESTAMP) UNTIL 6 RATE 2; CREATE TABLE r (z INT); INSERT INTO r VALUES (0), (3), (4);";

void sql_decide_text(sql_decided *d, const char *text) {
  memset(d, 0, sizeof *d);
  sql_bench_open(&d->b, 0);
  sql_bench_read(&d->b, text, strlen(text));
  d->words.mem = &d->b.mem;
  if (!d->b.is_read) {
    fprintf(stderr, "%s: %s\n", text, d->b.diags.at[0].text);
    abort(); /* the test is wrong */
  }
  d->rc = wsql_decide(&d->b.query, &d->limits, &d->b.mem, &d->v, &d->e);
}

void sql_decide(sql_decided *d, const char *query) {
  size_t n = sizeof streams + strlen(query) + 2;
  char *text = malloc(n);
  if (text == NULL) abort();
  snprintf(text, n, "%s %s", streams, query);
  sql_decide_text(d, text);
  free(text);
}

void sql_decided_end(sql_decided *d) { sql_bench_close(&d->b); }

static const char *finish(sql_decided *d) {
  return !d->words.has_failed && WB_PUSH(d->words.mem, &d->words.bytes, '\0') ? d->words.bytes.at : "(no memory)";
}

static wir_words *start(sql_decided *d) {
  d->words = (wir_words){.mem = &d->b.mem};
  return &d->words;
}

const char *sql_verdict_text(sql_decided *d) {
  wir_words *w = start(d);
  if (d->rc != WEIR_OK) wir_put(w, d->e.text);
  else if (d->v.is_bounded) {
    wir_put(w, "bounded ");
    wsql_put_poly(w, &d->b.query, d->v.cells);
  } else {
    wir_put(w, "unbounded ");
    wsql_put_vertex(w, &d->b.query, &d->v.pieces[d->v.reason.piece], d->v.reason.vertex, 0);
  }
  return finish(d);
}

const char *sql_edges_text(sql_decided *d) {
  wir_words *w = start(d);
  for (uint32_t i = 0; i < d->v.n_pieces; i++) {
    const wsql_piece *p = &d->v.pieces[i];
    for (uint32_t k = 0; k < p->n_edges + p->n_unequal; k++) {
      if (k != 0) wir_put(w, "; ");
      wsql_put_edge(w, &d->b.query, p, k < p->n_edges ? p->edges[k] : p->unequal[k - p->n_edges], k >= p->n_edges);
    }
    wir_put(w, "\n");
  }
  return finish(d);
}

static void put_aliases(wir_words *w, const wsql_piece *p, uint32_t set) {
  bool is_first = true;
  for (uint32_t a = 0; a < p->n_aliases; a++) {
    if (!(set >> a & 1)) continue;
    if (!is_first) wir_put(w, " ");
    wir_put_name(w, p->aliases[a].name);
    is_first = false;
  }
}

static void put_key(sql_decided *d, wir_words *w, const wsql_piece *p, const wsql_key *k) {
  static const char *const kinds[] = {[WSQL_KEY_VALUE] = "", [WSQL_KEY_UP] = "min ", [WSQL_KEY_DOWN] = "max ", [WSQL_KEY_OFFSET] = "offset "};
  wir_put(w, " ");
  wir_put(w, kinds[k->kind]);
  wsql_put_vertex(w, &d->b.query, p, k->vertex, 0);
  if (k->range == 0) return;
  wir_put(w, ":");
  wir_put_number(w, k->range);
}

const char *sql_synopses_text(sql_decided *d) {
  static const char *const keeps[] = {[WSQL_KEEP_COUNTER] = " counter ", [WSQL_KEEP_FLAG] = " flag ", [WSQL_KEEP_EXTREME] = " extreme"};
  wir_words *w = start(d);
  for (uint32_t i = 0; i < d->v.n_pieces; i++)
    for (uint32_t k = 0; k < d->v.pieces[i].n_synopses; k++) {
      const wsql_piece *p = &d->v.pieces[i];
      const wsql_synopsis *s = &p->synopses[k];
      wir_put(w, "(");
      put_aliases(w, p, s->members);
      wir_put(w, " | ");
      put_aliases(w, p, s->later);
      wir_put(w, ")");
      for (uint32_t x = 0; x < s->n_keys; x++) put_key(d, w, p, &s->keys[x]);
      wir_put(w, keeps[s->keep]);
      for (uint32_t x = 0; x < s->n_extremes; x++) {
        wir_put(w, s->extremes[x].is_up ? " largest " : " smallest ");
        wsql_put_vertex(w, &d->b.query, p, s->extremes[x].vertex, 0);
      }
      if (s->keep == WSQL_KEEP_EXTREME) wir_put(w, " ");
      wsql_put_poly(w, &d->b.query, s->cells);
      wir_put(w, "\n");
    }
  return finish(d);
}
