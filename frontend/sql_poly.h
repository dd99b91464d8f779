/* frontend/sql_poly.h -- arithmetic of amounts.  Numbers stop at UINT64_MAX, which means that or more. */
#ifndef WSQL_POLY_H
#define WSQL_POLY_H

#include "frontend/sql_matrix.h"

static inline uint64_t wsql_times(uint64_t a, uint64_t b) {
  uint64_t r;
  return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}
static inline uint64_t wsql_plus(uint64_t a, uint64_t b) {
  uint64_t r;
  return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}
/* A count that came out of bounds; at least `least`. */
static inline uint64_t wsql_count(wsql_int v, uint64_t least) {
  return v < (wsql_int)least ? least : v >= (wsql_int)UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

#define WSQL_ONE ((wsql_mono){.times = 1})

weir_code wsql_mono_mul(wsql_job *job, wsql_mono a, wsql_mono b, wsql_mono *out) WB_MUST_USE;
/* The most rows of a relation in one step: its RATE, or rate(relation). */
weir_code wsql_mono_rate(wsql_job *job, uint32_t relation, wsql_mono *out) WB_MUST_USE;
weir_code wsql_poly_add(wsql_job *job, wsql_poly *to, wsql_mono m) WB_MUST_USE;
weir_code wsql_poly_add_all(wsql_job *job, wsql_poly *to, wsql_poly p, wsql_mono factor) WB_MUST_USE; /* to += p * factor */
/* What so many cells of so many maps take.  False: out of memory. */
bool wsql_poly_bytes(wb_mem *mem, wsql_poly cells, uint64_t n_maps, wsql_poly *out) WB_MUST_USE;

#endif
