/* frontend/explain_sql.h -- a bound SQL query as text. */
#ifndef WSQL_EXPLAIN_H
#define WSQL_EXPLAIN_H

#include "frontend/sql_query.h"

/* The query as a script that means the same: each name in full, each column by its alias.  words->has_failed tells of memory. */
void wsql_explain_query(const wsql_query *q, wir_words *words);

#endif
