/* frontend/sql_poly.c -- polynomials in the rates that are not declared. */
#include "frontend/sql_poly.h"

#include <string.h>

weir_code wsql_mono_rate(wsql_job *job, uint32_t relation, wsql_mono *out) {
  const wsql_relation *r = &job->q->relations[relation];
  *out = (wsql_mono){.times = r->rate};
  if (r->has_rate) return WEIR_OK;
  uint32_t *rates = WB_NEW(job->mem, uint32_t);
  if (rates == NULL) return wb_fail_memory(job->e);
  *rates = relation;
  *out = (wsql_mono){.times = 1, .rates = rates, .n_rates = 1};
  return WEIR_OK;
}

weir_code wsql_mono_mul(wsql_job *job, wsql_mono a, wsql_mono b, wsql_mono *out) {
  uint32_t n = a.n_rates + b.n_rates, i = 0, k = 0;
  uint32_t *rates = n == 0 ? NULL : WB_NEW_ARRAY(job->mem, uint32_t, n);
  if (n != 0 && rates == NULL) return wb_fail_memory(job->e);
  while (i + k < n) {
    bool is_a = k == b.n_rates || (i < a.n_rates && a.rates[i] <= b.rates[k]);
    rates[i + k] = is_a ? a.rates[i] : b.rates[k];
    if (is_a) i++;
    else k++;
  }
  *out = (wsql_mono){.times = wsql_times(a.times, b.times), .rates = rates, .n_rates = n};
  return WEIR_OK;
}

static int compare(wsql_mono a, wsql_mono b) {
  if (a.n_rates != b.n_rates) return a.n_rates < b.n_rates ? -1 : 1;
  for (uint32_t i = 0; i < a.n_rates; i++)
    if (a.rates[i] != b.rates[i]) return a.rates[i] < b.rates[i] ? -1 : 1;
  return 0;
}

weir_code wsql_poly_add(wsql_job *job, wsql_poly *to, wsql_mono m) {
  size_t at = 0;
  if (m.times == 0) return WEIR_OK;
  while (at < to->n && compare(to->terms[at], m) < 0) at++;
  bool is_there = at < to->n && compare(to->terms[at], m) == 0;
  wsql_mono *terms = WB_NEW_ARRAY(job->mem, wsql_mono, to->n + 1);
  if (terms == NULL) return wb_fail_memory(job->e);
  for (size_t i = 0; i < at; i++) terms[i] = to->terms[i];
  terms[at] = m;
  if (is_there) terms[at].times = wsql_plus(to->terms[at].times, m.times);
  for (size_t i = at + is_there; i < to->n; i++) terms[i + 1 - is_there] = to->terms[i];
  *to = (wsql_poly){.terms = terms, .n = to->n + 1 - is_there};
  return wsql_spend(job, to->n);
}

weir_code wsql_poly_add_all(wsql_job *job, wsql_poly *to, wsql_poly p, wsql_mono factor) {
  for (size_t i = 0; i < p.n; i++) {
    wsql_mono m;
    WB_TRY(wsql_mono_mul(job, p.terms[i], factor, &m));
    WB_TRY(wsql_poly_add(job, to, m));
  }
  return WEIR_OK;
}

enum { CELL_BYTES = 8, MAP_BYTES = 32 }; /* bounded-memory SQL: 8 for each cell, and origin and strides of each map */

bool wsql_poly_bytes(wb_mem *mem, wsql_poly cells, uint64_t n_maps, wsql_poly *out) {
  wsql_mono *terms = WB_NEW_ARRAY(mem, wsql_mono, cells.n + 1);
  uint64_t maps = wsql_times(n_maps, MAP_BYTES);
  size_t n = 0;
  if (terms == NULL) return false;
  if (maps != 0 && (cells.n == 0 || cells.terms[0].n_rates != 0)) terms[n++] = (wsql_mono){.times = maps};
  for (size_t i = 0; i < cells.n; i++, n++) {
    terms[n] = cells.terms[i];
    terms[n].times = wsql_times(terms[n].times, CELL_BYTES);
    if (terms[n].n_rates == 0) terms[n].times = wsql_plus(terms[n].times, maps);
  }
  *out = (wsql_poly){terms, n};
  return true;
}

void wsql_put_poly(wir_words *w, const wsql_query *q, wsql_poly p) {
  if (p.n == 0) wir_put(w, "0");
  for (size_t i = 0; i < p.n; i++) {
    const wsql_mono *m = &p.terms[i];
    if (i != 0) wir_put(w, " + ");
    if (m->times == UINT64_MAX) wir_put(w, "at least ");
    if (m->times != 1 || m->n_rates == 0) wir_put_number(w, m->times);
    for (uint32_t k = 0; k < m->n_rates;) {
      uint32_t power = 1;
      while (k + power < m->n_rates && m->rates[k + power] == m->rates[k]) power++;
      wir_put(w, k == 0 && m->times == 1 ? "rate(" : "*rate(");
      wir_put_name(w, q->relations[m->rates[k]].name);
      wir_put(w, ")");
      if (power > 1) {
        wir_put(w, "^");
        wir_put_number(w, power);
      }
      k += power;
    }
  }
}
