/* frontend/sql_check.c -- the steps from a SQL text to a verdict, and who owns what on the way. */
#include "frontend/frontend.h"

#include <string.h>

#include "frontend/explain_sql.h"
#include "frontend/sql_bind.h"
#include "frontend/sql_bounded.h"
#include "frontend/sql_dot.h"
#include "frontend/sql_report.h"

struct weir_query {
  wb_mem mem; /* holds all that follows, and the text */
  wsql_query query;
  wsql_verdict verdict;
  wsql_report report;
};

/* The text is kept: the query's names and places refer to it. */
static bool check(struct weir_query *q, wb_str text, const wfe_limits *limits, struct weir_diagnostics *diags) {
  char *own = wb_alloc(&q->mem, text.n + 1, 1, 1);
  if (own == NULL) {
    wfe_diag_memory(diags);
    return false;
  }
  if (text.n != 0) memcpy(own, text.at, text.n);
  if (!wsql_read((wb_str){own, text.n}, limits, &q->mem, &q->query, diags)) return false;
  weir_error e;
  weir_code rc = wsql_decide(&q->query, &(wsql_limits){.steps = limits->sql_steps}, &q->mem, &q->verdict, &e);
  if (rc == WEIR_OK && wsql_report_make(&q->query, &q->verdict, &q->mem, &q->report)) return true;
  if (rc == WEIR_OK || rc == WEIR_E_MEMORY) wfe_diag_memory(diags);
  else wfe_diag_add(diags, rc, e.span, "%s", e.text);
  return false;
}

struct weir_query *wsql_check(wb_door *door, wb_str text, const wfe_limits *limits, struct weir_diagnostics *diags) {
  if (!wfe_check_size(text, limits, diags)) return NULL;
  struct weir_query *q = wb_door_take(door, sizeof *q);
  if (q == NULL) {
    wfe_diag_memory(diags);
    return NULL;
  }
  wb_mem_init(&q->mem, door, 0);
  if (check(q, text, limits, diags)) return q;
  wsql_query_free(q);
  return NULL;
}

void wsql_query_free(struct weir_query *q) {
  if (q == NULL) return;
  wb_door *door = q->mem.door;
  wb_mem_drop(&q->mem);
  wb_door_give(door, q, sizeof *q);
}

const weir_verdict *wsql_query_verdict(const struct weir_query *q) { return &q->report.verdict; }
const weir_synopsis *wsql_query_synopsis(const struct weir_query *q, uint32_t i) { return &q->report.synopses[i]; }
const weir_synopsis_key *wsql_query_key(const struct weir_query *q, uint32_t synopsis, uint32_t i) { return &q->report.keys[synopsis][i]; }
const weir_written *wsql_query_written(const struct weir_query *q, uint32_t i) { return &q->report.written[i]; }
wb_door *wsql_query_door(const struct weir_query *q) { return q->mem.door; }

bool wsql_query_explain(const struct weir_query *q, weir_query_view view, wir_words *words) {
  switch (view) {
    case WEIR_QUERY_SCRIPT: wsql_explain_query(&q->query, words); break;
    case WEIR_QUERY_DOT: wsql_put_dot(words, &q->query, &q->verdict); break;
    case WEIR_QUERY_VIEWS: break;
  }
  return !words->has_failed && WB_PUSH(words->mem, &words->bytes, '\0');
}

/* ---- Witnesses ----------------------------------------------------------------------------------------------------- */

struct weir_witness {
  wb_mem mem;
  wsql_witness family;
};

weir_code wsql_query_witness(const struct weir_query *q, uint32_t n, struct weir_witness **out, weir_error *e) {
  wb_door *door = q->mem.door;
  *out = NULL;
  if (n < 1 || n > WSQL_MAX_WITNESS) return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "a witness has 1 to %d continuations", WSQL_MAX_WITNESS);
  if (q->verdict.is_bounded) return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "a bounded query has no witness");
  struct weir_witness *w = wb_door_take(door, sizeof *w);
  if (w == NULL) return wb_fail_memory(e);
  wb_mem_init(&w->mem, door, 0);
  weir_code rc = wsql_witness_make(&q->query, &q->verdict, n, NULL, &w->mem, &w->family, e);
  if (rc == WEIR_OK) *out = w;
  else wsql_witness_free(w);
  return rc;
}

void wsql_witness_free(struct weir_witness *w) {
  if (w == NULL) return;
  wb_door *door = w->mem.door;
  wb_mem_drop(&w->mem);
  wb_door_give(door, w, sizeof *w);
}

uint32_t wsql_witness_count(const struct weir_witness *w, bool of_histories) {
  return (uint32_t)(of_histories ? w->family.n_histories : w->family.n_continuations);
}

wb_str wsql_witness_text(const struct weir_witness *w, bool of_histories, uint32_t i) {
  wb_str text = of_histories ? w->family.histories[i] : w->family.continuations[i];
  return text.n == 0 ? WB_STR("") : text;
}
