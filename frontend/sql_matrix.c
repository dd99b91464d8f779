/* frontend/sql_matrix.c -- difference bounds, kept closed. */
#include "frontend/sql_matrix.h"

#include <string.h>

weir_code wsql_spend(wsql_job *job, uint64_t n) {
  job->steps += n;
  if (job->steps <= job->max_steps) return WEIR_OK;
  return wb_fail(job->e, WEIR_E_UNDECIDED, job->q->selects[job->select].at,
                 "not decided within %" PRIu64 " step%s whether memory is bounded; fewer aliases or predicates make it easier (option max_sql_steps / "
                 "--max-sql-steps)", job->max_steps, WB_S(job->max_steps));
}

enum { STEPS_PER_CELL = 16 }; /* so that the limit of steps also limits memory */

static weir_code take(wsql_job *job, wb_mem *mem, uint32_t n, wsql_matrix *out) {
  WB_TRY(wsql_spend(job, (uint64_t)n * n * STEPS_PER_CELL));
  *out = (wsql_matrix){.n = n, .d = WB_NEW_ARRAY(mem, wsql_int, (size_t)n * n)};
  return out->d == NULL ? wb_fail_memory(job->e) : WEIR_OK;
}

weir_code wsql_matrix_make(wsql_job *job, wb_mem *mem, uint32_t n, wsql_matrix *out) {
  WB_TRY(take(job, mem, n, out));
  for (size_t i = 0; i < (size_t)n * n; i++) out->d[i] = WSQL_INF;
  for (size_t i = 0; i < n; i++) out->d[i * n + i] = 0;
  return WEIR_OK;
}

weir_code wsql_matrix_copy(wsql_job *job, wb_mem *mem, const wsql_matrix *from, wsql_matrix *out) {
  WB_TRY(take(job, mem, from->n, out));
  memcpy(out->d, from->d, (size_t)from->n * from->n * sizeof *from->d);
  return WEIR_OK;
}

/* The matrix was closed, so a path through the new bound uses it once: a to `from`, the bound, `to` to b. */
weir_code wsql_tighten(wsql_job *job, wsql_matrix *m, uint32_t from, uint32_t to, wsql_int w, bool *is_empty) {
  uint32_t n = m->n;
  *is_empty = wsql_add(w, wsql_at(m, to, from)) < 0;
  if (*is_empty || w >= wsql_at(m, from, to)) return WEIR_OK;
  uint64_t work = n;
  const wsql_int *behind = m->d + (size_t)to * n;
  for (uint32_t a = 0; a < n; a++) {
    wsql_int start = wsql_add(wsql_at(m, a, from), w);
    if (start >= WSQL_INF) continue;
    wsql_int *row = m->d + (size_t)a * n;
    for (uint32_t b = 0; b < n; b++) {
      wsql_int way = behind[b] >= WSQL_INF ? WSQL_INF : start + behind[b];
      if (way < row[b]) row[b] = way;
    }
    work += n;
  }
  wb_check_all(wsql_matrix_is_valid(m));
  return wsql_spend(job, work);
}

/* No call in the innermost loop: builds that check all ask this after each bound, and some of them optimize nothing. */
bool wsql_matrix_is_valid(const wsql_matrix *m) {
  size_t n = m->n;
  for (size_t i = 0; i < n; i++) {
    const wsql_int *row = m->d + i * n;
    if (row[i] != 0) return false;
    for (size_t j = 0; j < n; j++)
      if (row[j] > WSQL_INF) return false;
    for (size_t k = 0; k < n; k++) {
      if (row[k] >= WSQL_INF) continue;
      const wsql_int *behind = m->d + k * n;
      for (size_t j = 0; j < n; j++)
        if (behind[j] < WSQL_INF && row[k] + behind[j] < row[j]) return false;
    }
  }
  return true;
}
