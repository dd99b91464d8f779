/* tests/support/sql_bench.h -- a SQL text read, with all that belongs to it. */
#ifndef SQL_BENCH_H
#define SQL_BENCH_H

#include "frontend/sql_bind.h"

typedef struct sql_bench {
  wb_door door;
  wb_mem mem;
  wfe_limits limits;
  struct weir_diagnostics diags;
  wsql_query query;
  bool is_read; /* query means something */
} sql_bench;

/* The defaults; from now on the request number fail_at for memory fails, and all later ones (0: none). */
void sql_bench_open(sql_bench *b, uint64_t fail_at);
void sql_bench_close(sql_bench *b);
/* Reads one text, once. */
void sql_bench_read(sql_bench *b, const char *text, size_t n);
/* The query as a script, terminated; "" where there is none.  Lives as long as the bench. */
const char *sql_bench_print(sql_bench *b);

#endif
