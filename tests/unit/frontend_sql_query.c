/* tests/unit/frontend_sql_query.c -- a bound query: its parts as text, and what must hold of it. */
#include "tests/test.h"

#include "frontend/sql_query.h"

static wsql_column columns[] = {{WB_STR("a"), {0, 0}, false}, {WB_STR("i"), {0, 0}, true}};
static wsql_column of_table[] = {{WB_STR("x"), {0, 0}, false}};
static int64_t set[] = {-1, 3};

#define COLUMN(alias, column, plus) {alias, column, plus}
#define CONST(plus) {WSQL_NONE, WSQL_NONE, plus}

/* SELECT s.a AS v FROM s, s AS t WHERE s.a + 3 <> 5 AND s.i > t.i - 2 AND t.a NOT IN (-1, 3), and a table that it does not use. */
typedef struct example {
  wsql_relation relations[2];
  wsql_alias aliases[2];
  wsql_item items[1];
  wsql_pred preds[3];
  wsql_select selects[2];
  wsql_query q;
} example;

static void example_make(example *e) {
  *e = (example){
    .relations = {{.name = WB_STR("s"), .columns = columns, .n_columns = 2, .time = 1},
                  {.name = WB_STR("r"), .columns = of_table, .n_columns = 1, .time = WSQL_NONE}},
    .aliases = {{WB_STR("s"), {0, 0}, 0}, {WB_STR("t"), {0, 0}, 0}},
    .items = {{COLUMN(0, 0, 0), WB_STR("v"), {0, 0}}},
    .preds = {{WSQL_PRED_CMP, WSQL_NE, COLUMN(0, 0, 3), CONST(5), NULL, 0, {0, 0}},
              {WSQL_PRED_CMP, WSQL_GT, COLUMN(0, 1, 0), COLUMN(1, 1, -2), NULL, 0, {0, 0}},
              {WSQL_PRED_NOT_IN, WSQL_LT, COLUMN(1, 0, 0), CONST(0), set, 2, {0, 0}}},
  };
  e->selects[0] = e->selects[1] = (wsql_select){.items = e->items, .n_items = 1, .aliases = e->aliases, .n_aliases = 2, .preds = e->preds, .n_preds = 3};
  e->q = (wsql_query){.relations = e->relations, .n_relations = 2, .selects = e->selects, .n_selects = 2};
}

Test(frontend_sql_query, predicates_are_written_as_the_language_has_them) {
  example e;
  wb_door door;
  wb_mem mem;
  example_make(&e);
  wb_door_open(&door, NULL, 0);
  wb_mem_init(&mem, &door, 0);
  wir_words w = {.mem = &mem};
  for (size_t i = 0; i < 3; i++) {
    wsql_put_pred(&w, &e.q, &e.selects[0], &e.preds[i]);
    wir_put(&w, "; ");
  }
  wsql_put_int(&w, -WSQL_CONST_END);
  cr_expect_not(w.has_failed);
  static const char expected[] = "s.a + 3 <> 5; s.i > t.i - 2; t.a NOT IN (-1, 3); -79228162514264337593543950336";
  cr_expect(wb_str_eq((wb_str){w.bytes.at, w.bytes.n}, (wb_str){expected, sizeof expected - 1}), "%.*s", (int)w.bytes.n, w.bytes.at);
  wb_mem_drop(&mem);
}

Test(frontend_sql_query, each_promise_of_the_binder_is_checked) {
  example e;
  example_make(&e);
  cr_assert(wsql_query_is_valid(&e.q));
#define BREAK(field, value) do { \
    example_make(&e); \
    e.field = value; \
    cr_expect_not(wsql_query_is_valid(&e.q), #field " = " #value); \
  } while (0)
  BREAK(q.n_selects, 0);
  BREAK(relations[0].time, 0);
  BREAK(relations[0].until, 1);
  BREAK(relations[1].has_rate, true);
  BREAK(selects[1].n_items, 0);
  BREAK(selects[0].n_aliases, 13);
  BREAK(aliases[1].name, WB_STR("s"));
  BREAK(aliases[1].relation, 2);
  BREAK(items[0].term.column, 2);
  BREAK(preds[0].left.plus, WSQL_CONST_END);
  BREAK(preds[1].right.column, 0);
  BREAK(preds[1].right.alias, 2);
  BREAK(preds[2].n_set, 0);
#undef BREAK
  example_make(&e);
  e.aliases[0].relation = e.aliases[1].relation = 1;
  e.selects[0].n_preds = e.selects[1].n_preds = 0;
  cr_expect_not(wsql_query_is_valid(&e.q), "a FROM without a stream");
  wsql_item other[1] = {{COLUMN(0, 1, 0), WB_STR("v"), {0, 0}}};
  example_make(&e);
  e.selects[1].items = other;
  cr_expect_not(wsql_query_is_valid(&e.q), "INT above TIMESTAMP");
}
