/* tests/support/sql_bench.c -- see sql_bench.h. */
#include "tests/support/sql_bench.h"

#include <string.h>

#include "frontend/explain_sql.h"

void sql_bench_open(sql_bench *b, uint64_t fail_at) {
  memset(b, 0, sizeof *b);
  wb_door_open(&b->door, NULL, 0);
  wb_mem_init(&b->mem, &b->door, 0);
  b->door.fail_at = fail_at;
  b->limits = (wfe_limits){.source_bytes = 1 << 24, .nesting = 1000, .name_bytes = 255, .aliases = WSQL_MAX_ALIASES};
}

void sql_bench_close(sql_bench *b) { wb_mem_drop(&b->mem); }

void sql_bench_read(sql_bench *b, const char *text, size_t n) {
  b->is_read = wsql_read((wb_str){text, n}, &b->limits, &b->mem, &b->query, &b->diags);
}

const char *sql_bench_print(sql_bench *b) {
  wir_words words = {.mem = &b->mem};
  if (!b->is_read) return "";
  wsql_explain_query(&b->query, &words);
  return !words.has_failed && WB_PUSH(&b->mem, &words.bytes, '\0') ? words.bytes.at : "";
}
