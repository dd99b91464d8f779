/* frontend/sql_split.h -- deciding all pieces of a reading: each as it is, and for sets by a case distinction where that fails. */
#ifndef WSQL_SPLIT_H
#define WSQL_SPLIT_H

#include "frontend/sql_rules.h"

enum { WSQL_MAX_PIECES = 400 }; /* of a reading that is split, by `<>` or because a cut failed */

typedef struct wsql_decided {
  const wsql_reading *reading;
  wsql_forms forms;   /* that all pass; or, if there is a fault, the forms before any was split */
  bool is_too_many;   /* pieces: no fault was found, but it does not pass either */
  wsql_fault fault;
  uint32_t faulty;    /* the form that has it */
} wsql_decided;

weir_code wsql_decide_reading(wsql_job *job, const wsql_reading *r, wsql_decided *out) WB_MUST_USE;

#endif
