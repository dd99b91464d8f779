/* frontend/sql_keys.h -- from the cuts of a piece that passes to its synopses: their keys, what is kept, and how many cells that takes. */
#ifndef WSQL_KEYS_H
#define WSQL_KEYS_H

#include "frontend/sql_poly.h"
#include "frontend/sql_rules.h"

/* Fills results and synopses of `to`. */
weir_code wsql_synopses_make(wsql_job *job, const wsql_form *f, wsql_piece *to) WB_MUST_USE;

/* For the above: what one synopsis has to keep at the cut, in s->keys and all behind it.  The cut passes. */
weir_code wsql_keys_make(wsql_job *job, const wsql_cuts *cuts, const wsql_cut *cut, wsql_synopsis *s) WB_MUST_USE;

/* The most rows of an alias that count, where there are boundedly many: `steps` times its rate; a table's rows. */
weir_code wsql_live(wsql_job *job, const wsql_form *f, uint32_t alias, uint64_t steps, wsql_mono *out) WB_MUST_USE;

#endif
