/* tests/support/sql_decided.h -- a SQL text, decided. */
#ifndef SQL_DECIDED_H
#define SQL_DECIDED_H

#include "frontend/sql_bounded.h"
#include "tests/support/sql_bench.h"

typedef struct sql_decided {
  sql_bench b;
  wsql_limits limits;
  wsql_verdict v;
  weir_code rc;
  weir_error e;
  wir_words words; /* of what is put as text */
} sql_decided;

/* Streams for short tests: s (a, e, x, i), t (b, c, j), u (d, f, k), v (g, h, l) without RATE; w (m, n, o) RATE 2; f (p, q, y) UNTIL 6 RATE 2; a table r (z) of
** 0, 3, 4.  The query behind them is decided. */
void sql_decide(sql_decided *d, const char *query);
void sql_decide_text(sql_decided *d, const char *text);
void sql_decided_end(sql_decided *d);

/* "bounded 5", or "unbounded" and the attribute: "unbounded t.b".  Lives as long as d. */
const char *sql_verdict_text(sql_decided *d);
/* All pieces with their edges, one a line: "t.j < s.i; s.a <= t.b". */
const char *sql_edges_text(sql_decided *d);
/* All synopses, one a line: "(t | s) t.b:4 counter 4". */
const char *sql_synopses_text(sql_decided *d);

#endif
