/* frontend/sql_written.h -- the output of sets: what has to be remembered so that no row is written twice. */
#ifndef WSQL_WRITTEN_H
#define WSQL_WRITTEN_H

#include "frontend/sql_keys.h"

/* Pieces whose rows are written once, together: of one DISTINCT SELECT, or of the whole query. */
typedef struct wsql_unit {
  uint32_t select;          /* WSQL_NONE: the whole query */
  const wsql_form *forms;   /* n of each */
  const wsql_piece *pieces; /* with synopses */
  uint32_t n;               /* at least one */
} wsql_unit;

/* A piece whose results cannot be remembered: *faulty is its number in the unit and *vertex an attribute without bounds; WSQL_NONE: there is none.
** Needs no synopses. */
weir_code wsql_written_check(wsql_job *job, const wsql_unit *unit, uint32_t *faulty, uint32_t *vertex) WB_MUST_USE;
/* What has to be remembered of a unit in which there is none. */
weir_code wsql_written_make(wsql_job *job, const wsql_unit *unit, wsql_written *out) WB_MUST_USE;

/* A time to which those of all streams of the form are near: at most *lag steps later.  WSQL_NONE: there is none.  only_listed: in the select list. */
uint32_t wsql_lag_time(const wsql_job *job, const wsql_form *f, bool only_listed, wsql_int *lag);

#endif
