/* frontend/sql_solve.h -- several results of one piece at once, with bounds between them; and integers that keep all of it.
**
** A *point* is a value for each vertex of a piece.  The points share vertex 0, and two more variables that no piece has: moments to order them by. */
#ifndef WSQL_SOLVE_H
#define WSQL_SOLVE_H

#include "frontend/sql_form.h"

typedef struct wsql_points {
  wsql_job *job;
  const wsql_piece *p;
  uint32_t n;          /* points */
  uint32_t n_moments;  /* variables besides */
  wsql_matrix m;       /* over 0, the vertices of each point but 0, the moments */
  bool is_empty;       /* the bounds contradict each other */
  int64_t *values;     /* by variable, when solved */
} wsql_points;

/* Points that keep the bounds of the piece, and none between them; values fit in columns.  In job->scratch. */
weir_code wsql_points_make(wsql_job *job, const wsql_piece *p, uint32_t n, uint32_t n_moments, wsql_points *out) WB_MUST_USE;

static inline uint32_t wsql_point_at(const wsql_points *s, uint32_t point, uint32_t vertex) {
  return vertex == 0 ? 0 : 1 + point * (s->p->n_vertices - 1) + vertex - 1;
}
static inline uint32_t wsql_moment_at(const wsql_points *s, uint32_t moment) { return 1 + s->n * (s->p->n_vertices - 1) + moment; }

/* Variable `to` <= variable `from` + w.  Once they contradict, nothing is added any more. */
weir_code wsql_points_bound(wsql_points *s, uint32_t from, uint32_t to, wsql_int w) WB_MUST_USE;
weir_code wsql_points_fix(wsql_points *s, uint32_t a, uint32_t b, wsql_int distance) WB_MUST_USE; /* b = a + distance */

/* Chooses values that also pass the filters, and rows of the tables: from the lowest on, `attempt` says how far from it.  Without going back: *is_solved is
** false where it ends in a hole. */
weir_code wsql_points_solve(wsql_points *s, uint32_t attempt, bool *is_solved) WB_MUST_USE;

#endif
