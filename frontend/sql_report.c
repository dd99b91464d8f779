/* frontend/sql_report.c -- a verdict in the words of the public interface: each text is made once, when a query has been checked.
**
** Leave alone: how a table or JSON is made of it is the command's business. */
#include "frontend/sql_report.h"

#include <string.h>

#include "frontend/sql_poly.h"

typedef struct reporter {
  const wsql_query *q;
  const wsql_verdict *v;
  const wsql_piece *p; /* at hand */
  wb_mem *mem;
  wir_words words;     /* the text that is being made */
} reporter;

/* ---- Texts --------------------------------------------------------------------------------------------------------- */

/* The words so far, as a text of its own.  "" when memory is exhausted, which the words remember. */
static const char *take_text(reporter *r) {
  char *text = wb_alloc(r->mem, r->words.bytes.n + 1, 1, 1);
  if (text == NULL) r->words.has_failed = true;
  if (text != NULL && r->words.bytes.n != 0) memcpy(text, r->words.bytes.at, r->words.bytes.n);
  r->words.bytes.n = 0;
  return text == NULL ? "" : text;
}

static const char *copy(reporter *r, wb_str text) {
  wir_put_str(&r->words, text);
  return take_text(r);
}

static bool has_failed(const reporter *r) { return r->words.has_failed; }

/* Room for n things of a report; NULL is remembered. */
static void *take_room(reporter *r, size_t n, size_t size, size_t align) {
  void *at = wb_alloc(r->mem, n, size, align);
  if (at == NULL) r->words.has_failed = true;
  return at;
}
#define ROOM(r, T, n) ((T *)take_room((r), (n), sizeof(T), _Alignof(T)))

static weir_amount amount_of(reporter *r, wsql_poly p) {
  bool is_small = p.n == 0 || (p.n == 1 && p.terms[0].n_rates == 0);
  weir_amount a = {.is_number = is_small && (p.n == 0 || p.terms[0].times != UINT64_MAX)};
  if (a.is_number && p.n == 1) a.number = p.terms[0].times;
  wsql_put_poly(&r->words, r->q, p);
  a.text = take_text(r);
  return a;
}

/* Of one map, if it has cells. */
static weir_amount bytes_of(reporter *r, wsql_poly cells) {
  wsql_poly bytes = {0};
  if (!wsql_poly_bytes(r->mem, cells, cells.n != 0, &bytes)) r->words.has_failed = true;
  return amount_of(r, bytes);
}

static const char *const *names_of(reporter *r, uint32_t set, uint32_t *n) {
  const char **names = ROOM(r, const char *, r->p->n_aliases);
  *n = 0;
  for (uint32_t a = 0; names != NULL && a < r->p->n_aliases; a++)
    if (set >> a & 1) names[(*n)++] = copy(r, r->p->aliases[a].name);
  return names;
}

static void put_vertex(reporter *r, uint32_t vertex, wsql_int plus) { wsql_put_vertex(&r->words, r->q, r->p, vertex, plus); }

/* ---- Keys ---------------------------------------------------------------------------------------------------------- */

static const char *const kinds[] = {
  [WSQL_KEY_VALUE] = "value", [WSQL_KEY_UP] = "capped", [WSQL_KEY_DOWN] = "raised", [WSQL_KEY_OFFSET] = "distance",
};

/* The anchor of an offset is the kept extreme, and what is told is the distance. */
static uint32_t base_of(const wsql_key *k) { return k->kind == WSQL_KEY_OFFSET ? 0 : k->anchor; }

static const char *end_text(reporter *r, const wsql_key *k, wsql_int end) {
  if (k->anchor == WSQL_NONE) return "";
  put_vertex(r, base_of(k), end);
  return take_text(r);
}

/* "min(t.b, 4) in 0 .. 4" */
static const char *key_text(reporter *r, const wsql_key *k) {
  bool is_up = k->kind == WSQL_KEY_UP, is_clamped = is_up || k->kind == WSQL_KEY_DOWN, has_range = k->anchor != WSQL_NONE;
  if (is_clamped) wir_put(&r->words, is_up ? "min(" : "max(");
  put_vertex(r, k->vertex, 0);
  if (is_clamped) {
    wir_put(&r->words, ", ");
    if (has_range) put_vertex(r, k->anchor, is_up ? k->high : k->low);
    else wir_put(&r->words, "what later rows can tell apart");
    wir_put(&r->words, ")");
  }
  if (k->kind == WSQL_KEY_OFFSET) {
    wir_put(&r->words, " - ");
    put_vertex(r, k->anchor, 0);
  }
  if (has_range) {
    wir_put(&r->words, " in ");
    put_vertex(r, base_of(k), k->low);
    wir_put(&r->words, " .. ");
    put_vertex(r, base_of(k), k->high);
  }
  return take_text(r);
}

static const weir_synopsis_key *keys_of(reporter *r, const wsql_synopsis *s) {
  weir_synopsis_key *keys = ROOM(r, weir_synopsis_key, s->n_keys);
  for (uint32_t i = 0; keys != NULL && i < s->n_keys; i++) {
    const wsql_key *k = &s->keys[i];
    put_vertex(r, k->vertex, 0);
    keys[i] = (weir_synopsis_key){.column = take_text(r), .kind = kinds[k->kind], .values = k->range};
    keys[i].text = key_text(r, k);
    keys[i].from = end_text(r, k, k->low);
    keys[i].to = end_text(r, k, k->high);
  }
  return keys;
}

/* ---- Synopses ------------------------------------------------------------------------------------------------------ */

static void put_extreme(reporter *r, const wsql_synopsis *s) {
  const wsql_extreme *x = s->extremes;
  if (s->n_extremes > 1 && s->bound != 0) {
    wir_put(&r->words, "tightest bound of ");
    put_vertex(r, s->bound, 0);
    return;
  }
  wir_put(&r->words, x->is_up ? "greatest " : "least ");
  put_vertex(r, x->vertex, 0);
}

static const char *kept_text(reporter *r, const wsql_synopsis *s) {
  switch (s->keep) {
    case WSQL_KEEP_COUNTER: return "counter";
    case WSQL_KEEP_FLAG: wir_put(&r->words, "flag"); break;
    case WSQL_KEEP_EXTREME: put_extreme(r, s); break;
  }
  for (uint32_t i = 0; i < s->n_far; i++) { /* rows that differ in these are kept beside the best one */
    wir_put(&r->words, i == 0 ? ", also for other " : ", ");
    put_vertex(r, s->far[i], 0);
  }
  return take_text(r);
}

static void report_synopsis(reporter *r, const wsql_synopsis *s, weir_synopsis *out) {
  out->aliases = names_of(r, s->members, &out->n_aliases);
  out->later = names_of(r, s->maybe_later, &out->n_later);
  out->n_keys = s->n_keys;
  out->kept = kept_text(r, s);
  out->entries = amount_of(r, s->entries);
  out->cells = amount_of(r, s->cells);
  out->bytes = bytes_of(r, s->cells);
}

static bool report_synopses(reporter *r, wsql_report *out) {
  uint32_t n = 0, at = 0, select = WSQL_NONE, piece = 0;
  for (uint32_t i = 0; i < r->v->n_pieces; i++) n += r->v->pieces[i].n_synopses;
  weir_synopsis *synopses = ROOM(r, weir_synopsis, n);
  const weir_synopsis_key **keys = ROOM(r, const weir_synopsis_key *, n);
  for (uint32_t i = 0; i < r->v->n_pieces && !has_failed(r); i++) {
    r->p = &r->v->pieces[i];
    piece = r->p->select == select ? piece + 1 : 0;
    select = r->p->select;
    for (uint32_t k = 0; k < r->p->n_synopses && !has_failed(r); k++, at++) {
      synopses[at] = (weir_synopsis){.select = select, .piece = piece};
      report_synopsis(r, &r->p->synopses[k], &synopses[at]);
      keys[at] = keys_of(r, &r->p->synopses[k]);
    }
  }
  out->synopses = synopses;
  out->keys = keys;
  out->verdict.n_synopses = n;
  return !has_failed(r);
}

/* ---- The rest ------------------------------------------------------------------------------------------------------ */

static bool report_written(reporter *r, wsql_report *out) {
  weir_written *written = ROOM(r, weir_written, r->v->n_written);
  for (uint32_t i = 0; written != NULL && i < r->v->n_written; i++) {
    const wsql_written *w = &r->v->written[i];
    written[i] = (weir_written){.select = w->select, .is_box = w->is_box, .steps = w->steps};
    written[i].cells = amount_of(r, w->cells);
    written[i].bytes = bytes_of(r, w->cells);
  }
  out->written = written;
  out->verdict.n_written = r->v->n_written;
  return !has_failed(r);
}

static void report_reason(reporter *r, weir_verdict *out) {
  const wsql_reason *reason = &r->v->reason;
  r->p = &r->v->pieces[reason->piece];
  out->reason = copy(r, reason->text);
  out->cure = copy(r, reason->cure);
  out->span = reason->at;
  put_vertex(r, reason->vertex, 0);
  out->attribute = take_text(r);
}

bool wsql_report_make(const wsql_query *q, const wsql_verdict *v, wb_mem *mem, wsql_report *out) {
  reporter r = {.q = q, .v = v, .mem = mem, .words = {.mem = mem}};
  *out = (wsql_report){.verdict = {.is_bounded = v->is_bounded, .reason = "", .attribute = "", .cure = ""}};
  if (!v->is_bounded) report_reason(&r, &out->verdict);
  out->verdict.cells = amount_of(&r, v->cells);
  out->verdict.bytes = amount_of(&r, v->bytes);
  return !v->is_bounded ? !has_failed(&r) : report_synopses(&r, out) && report_written(&r, out);
}
