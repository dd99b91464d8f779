/* frontend/sql_dot.h -- a decided query as a drawing. */
#ifndef WSQL_DOT_H
#define WSQL_DOT_H

#include "frontend/sql_verdict.h"

/* In DOT, for Graphviz: each piece with its aliases, their order in time, and the comparisons between them. */
void wsql_put_dot(wir_words *w, const wsql_query *q, const wsql_verdict *v);

#endif
