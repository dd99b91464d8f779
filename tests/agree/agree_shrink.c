/* tests/agree/agree_shrink.c -- the shrinker of disagreements, on made-up ones: what must stay does, and little else. */
#include "tests/test.h"
#include "tests/support/shrink.h"

#include <stdlib.h>
#include <string.h>

#if defined(WEIR_CHECK) /* builds that check are several times slower, and a test has a minute */
enum { PROGRAMS = 60 };
#else
enum { PROGRAMS = 300 };
#endif
enum { ROWS = 50, MOST_TRIES = 5000 };

static uint32_t count_op(const model_node *n, model_op op) {
  uint32_t count = n->kind == MODEL_OPERATOR && n->op == op;
  for (uint32_t k = 0; k < n->n_kids; k++) count += count_op(n->kids[k], op);
  return count;
}
static uint32_t count_nodes(const model_node *n) {
  uint32_t count = 1;
  for (uint32_t k = 0; k < n->n_kids; k++) count += count_nodes(n->kids[k]);
  return count;
}

/* The sum over all equations. */
static uint32_t over_roots(const model *m, uint32_t count(const model_node *)) {
  uint32_t sum = 0;
  for (uint32_t i = m->n_inputs; i < m->n_streams; i++) sum += count(m->streams[i].root);
  return sum;
}

static bool compiles(weir_engine *engine, model *m) {
  weir_program *p = NULL;
  const char *text = model_print(m);
  bool is_good = weir_compile(engine, text, strlen(text), NULL, &p, NULL) == WEIR_OK;
  weir_program_release(p);
  return is_good;
}

static uint32_t count_divisions(const model_node *n) { return count_op(n, MODEL_DIV); }

static bool has_a_division(void *engine, model *m, const model_trace *t) {
  (void)t;
  return compiles(engine, m) && over_roots(m, count_divisions) != 0;
}

/* Some input is there twice, and a program stands around it. */
static bool has_two_values(void *engine, model *m, const model_trace *t) {
  uint32_t n = 0;
  for (uint32_t r = 0; r < t->n; r++)
    for (uint32_t i = 0; i < m->n_inputs; i++) n += t->rows[r].in[i].tag != WEIR_NOVAL;
  return n >= 2 && compiles(engine, m);
}

/* The model itself says: some row divides by zero. */
static bool divides_by_zero(void *engine, model *m, const model_trace *t) {
  weir_code code = WEIR_OK;
  size_t at;
  if (!compiles(engine, m)) return false;
  for (uint32_t r = 0; r < t->n; r++)
    if (model_tick(m, t->rows[r].in, &code, &at) != MODEL_DONE) break;
  return code == WEIR_E_DIV_ZERO;
}

/* What is left of the programs for which it held at first: sums. */
typedef struct remains { uint32_t n, nodes, streams, rows; } remains;

static remains shrink_all(shrink_holds *holds) {
  remains all = {.n = 0};
  weir_engine *engine;
  cr_assert_eq(weir_engine_new(NULL, &engine, NULL), WEIR_OK);
  for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
    model_row rows[ROWS];
    model_trace t = {.rows = rows, .n = ROWS};
    model *m = model_new(seed, ROWS), *fresh;
    for (m->tick = 0; m->tick < ROWS; m->tick++) model_make_row(m, rows[m->tick].in);
    bool held = holds(engine, fresh = model_clone(m), &t);
    model_free(fresh);
    if (held) {
      shrink(&m, &t, holds, engine, MOST_TRIES);
      cr_expect(holds(engine, fresh = model_clone(m), &t), "seed %u", (unsigned)seed);
      model_free(fresh);
      all.n++;
      all.nodes += over_roots(m, count_nodes);
      all.streams += m->n_streams;
      all.rows += t.n;
    }
    model_free(m);
  }
  weir_engine_free(engine);
  return all;
}

Test(agree_shrink, of_a_program_with_a_division_only_that_is_left) {
  remains all = shrink_all(has_a_division);
  cr_expect_gt(all.n, PROGRAMS / 6);
  cr_expect_eq(all.rows, 0);
  cr_expect_lt(all.streams, 2 * all.n, "%u streams of %u programs", all.streams, all.n); /* an Any has no constant: its stream stays */
  cr_expect_lt(all.nodes, 4 * all.n, "%u nodes of %u programs", all.nodes, all.n);
}

Test(agree_shrink, rows_and_values_go_too) {
  remains all = shrink_all(has_two_values);
  cr_expect_gt(all.n, PROGRAMS / 3);
  cr_expect_leq(all.rows, 2 * all.n);
  cr_expect_leq(all.nodes, all.n);
  cr_expect_leq(all.streams, 2 * all.n, "one or two inputs: %u streams of %u", all.streams, all.n);
}

Test(agree_shrink, what_fails_in_a_row_stays_small) {
  remains all = shrink_all(divides_by_zero);
  cr_expect_gt(all.n, 0);
  cr_expect_leq(all.nodes, 8 * all.n, "%u nodes of %u programs", all.nodes, all.n);
  cr_expect_leq(all.rows, 4 * all.n, "%u rows of %u programs", all.rows, all.n);
}
