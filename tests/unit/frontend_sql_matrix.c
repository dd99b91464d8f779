/* tests/unit/frontend_sql_matrix.c -- difference bounds stay closed, and contradictions are found. */
#include "tests/test.h"

#include <string.h>

#include "frontend/sql_matrix.h"

typedef struct bench {
  wb_door door;
  wb_mem mem;
  wsql_job job;
  weir_error e;
  wsql_select select;
  wsql_query q;
} bench;

static void bench_open(bench *b, uint64_t max_steps) {
  memset(b, 0, sizeof *b);
  wb_door_open(&b->door, NULL, 0);
  wb_mem_init(&b->mem, &b->door, 0);
  b->q = (wsql_query){.selects = &b->select, .n_selects = 1};
  b->job = (wsql_job){.q = &b->q, .mem = &b->mem, .max_steps = max_steps, .e = &b->e};
}

static bool tighten(bench *b, wsql_matrix *m, uint32_t from, uint32_t to, wsql_int w) {
  bool is_empty;
  cr_assert_eq(wsql_tighten(&b->job, m, from, to, w, &is_empty), WEIR_OK);
  return !is_empty;
}

Test(frontend_sql_matrix, paths_are_bounds) {
  bench b;
  wsql_matrix m;
  bench_open(&b, 1000000);
  cr_assert_eq(wsql_matrix_make(&b.job, &b.mem, 4, &m), WEIR_OK);
  cr_expect(tighten(&b, &m, 0, 1, 5) && tighten(&b, &m, 1, 2, -3) && tighten(&b, &m, 2, 3, 1));
  cr_expect(wsql_at(&m, 0, 3) == 3 && wsql_at(&m, 1, 3) == -2 && wsql_at(&m, 3, 0) == WSQL_INF);
  cr_expect(tighten(&b, &m, 3, 0, 0) && wsql_at(&m, 2, 0) == 1 && wsql_at(&m, 3, 2) == 2);
  cr_expect(wsql_matrix_is_valid(&m));
  cr_expect(tighten(&b, &m, 0, 1, 7) && wsql_at(&m, 0, 1) == 5, "a weaker bound changes nothing");
  wb_mem_drop(&b.mem);
}

Test(frontend_sql_matrix, a_negative_circle_is_a_contradiction) {
  bench b;
  wsql_matrix m;
  bench_open(&b, 1000000);
  cr_assert_eq(wsql_matrix_make(&b.job, &b.mem, 3, &m), WEIR_OK);
  cr_expect(tighten(&b, &m, 0, 1, 2) && tighten(&b, &m, 1, 2, 2));
  cr_expect(tighten(&b, &m, 2, 0, -4), "a circle of 0 is an equality");
  cr_expect_not(tighten(&b, &m, 2, 1, -3));
  cr_expect_not(tighten(&b, &m, 1, 1, -1));
  wb_mem_drop(&b.mem);
}

/* Against all paths: random bounds, closed one at a time, and once more by three loops. */
Test(frontend_sql_matrix, one_bound_at_a_time_gives_the_closure) {
  enum { N = 6 };
  uint64_t seed = 1;
  for (int round = 0; round < 300; round++) {
    bench b;
    wsql_matrix m;
    wsql_int d[N][N];
    bool holds = true;
    bench_open(&b, 1000000);
    cr_assert_eq(wsql_matrix_make(&b.job, &b.mem, N, &m), WEIR_OK);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) d[i][j] = i == j ? 0 : WSQL_INF;
    for (int k = 0; k < 9 && holds; k++) {
      seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
      uint32_t from = (uint32_t)(seed >> 33) % N, to = (uint32_t)(seed >> 40) % N;
      wsql_int w = (wsql_int)((seed >> 50) % 12) - 3;
      if (from == to) continue;
      d[from][to] = WB_MIN(d[from][to], w);
      holds = tighten(&b, &m, from, to, w);
    }
    for (int k = 0; k < N; k++)
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) d[i][j] = WB_MIN(d[i][j], wsql_add(d[i][k], d[k][j]));
    bool is_possible = true;
    for (int i = 0; i < N; i++) is_possible &= d[i][i] == 0;
    cr_assert_eq(holds, is_possible, "round %d", round);
    for (uint32_t i = 0; i < N && holds; i++)
      for (uint32_t j = 0; j < N; j++) cr_assert(wsql_at(&m, i, j) == d[i][j], "round %d: %u to %u", round, i, j);
    wb_mem_drop(&b.mem);
  }
}

Test(frontend_sql_matrix, steps_and_memory_end_a_decision) {
  bench b;
  wsql_matrix m;
  bench_open(&b, 1000);
  b.select.at = (weir_span){7, 9};
  cr_expect_eq(wsql_matrix_make(&b.job, &b.mem, 7, &m), WEIR_OK);
  cr_expect_eq(wsql_matrix_make(&b.job, &b.mem, 7, &m), WEIR_E_UNDECIDED);
  cr_expect_eq(b.e.span.begin, 7);
  cr_expect_not_null(strstr(b.e.text, "within 1000 steps"));
  wb_mem_drop(&b.mem);
  bench_open(&b, 1000);
  b.door.fail_at = 1;
  cr_expect_eq(wsql_matrix_make(&b.job, &b.mem, 7, &m), WEIR_E_MEMORY);
  wb_mem_drop(&b.mem);
}
