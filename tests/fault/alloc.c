/* tests/fault/alloc.c -- every request for memory fails once: compiling, making monitors, running rows.
**
** A scenario runs undisturbed first.  Then its n-th request and all later ones fail, for every n until none is refused.  Each time the
** outcome must be E_MEMORY, the outputs before it those of the undisturbed run, and everything given back. */
#include "tests/test.h"
#include "tests/support/case_rows.h"
#include "tests/support/host.h"

#include <stdio.h>
#include <stdlib.h>

/* What a run showed: its outputs as text, tick by tick, and how it ended. */
typedef struct record {
  weir_code code;
  char *outputs;
  size_t n, cap;
} record;

typedef struct scenario {
  const char *spec;
  const case_rows *rows;          /* NULL: the rows below */
  uint64_t ticks;                 /* of made rows */
  void (*make_row)(uint64_t tick, weir_value *row);
  uint64_t check_every;           /* rows that also run canonically */
} scenario;

static void put(record *r, const void *bytes, size_t n) {
  if (r->cap - r->n < n) {
    r->cap = 2 * (r->cap + n);
    r->outputs = realloc(r->outputs, r->cap);
    cr_assert_not_null(r->outputs);
  }
  memcpy(r->outputs + r->n, bytes, n);
  r->n += n;
}

static void put_value(record *r, weir_value v) {
  put(r, &v.tag, sizeof v.tag);
  put(r, &v.count, sizeof v.count);
  if (v.tag == WEIR_BOOL) put(r, &v.as.b, sizeof v.as.b);
  else if (v.tag == WEIR_INT || v.tag == WEIR_FLOAT) put(r, &v.as.i, sizeof v.as.i);
  else if (v.tag == WEIR_TEXT && v.count != 0) put(r, v.as.text, v.count);
  for (uint32_t i = 0; v.tag >= WEIR_LIST && i < v.count; i++) {
    if (v.tag == WEIR_MAP) put_value(r, v.as.entries[i].key);
    put_value(r, v.tag == WEIR_MAP ? v.as.entries[i].value : v.as.items[i]);
  }
}

static weir_code run_rows(const scenario *s, const weir_program *p, weir_monitor *m, record *r) {
  uint32_t n_inputs = weir_program_input_count(p);
  weir_value made[8];
  weir_code rc = WEIR_OK;
  uint64_t ticks = s->rows != NULL ? s->rows->n_ticks : s->ticks;
  for (uint64_t t = 0; t < ticks; t++) {
    const weir_value *row = made;
    if (s->rows != NULL) row = s->rows->cells + t * n_inputs;
    else s->make_row(t, made);
    weir_error e;
    rc = weir_monitor_push(m, row, n_inputs, &e);
    if (rc != WEIR_OK) break;
    for (uint32_t i = 0; i < weir_program_output_count(p); i++) put_value(r, *weir_monitor_output(m, i));
  }
  if (rc != WEIR_OK && rc != WEIR_E_ADMIT) {
    cr_expect(weir_monitor_is_terminal(m));
    cr_expect_eq(weir_monitor_push(m, NULL, 0, NULL), WEIR_E_TERMINAL);
  }
  return rc;
}

static record run(const scenario *s, const weir_engine_options *options) {
  record r = {.code = WEIR_OK};
  weir_engine *engine = NULL;
  weir_program *program = NULL;
  weir_monitor *monitor = NULL;
  weir_diagnostics *said = NULL;
  weir_error e = {.code = WEIR_OK};
  r.code = weir_engine_new(options, &engine, &e);
  if (r.code == WEIR_OK) r.code = weir_compile(engine, s->spec, strlen(s->spec), NULL, &program, &said);
  if (said != NULL && weir_diagnostics_count(said) != 0) cr_expect_eq(weir_diagnostics_at(said, 0).code, r.code);
  if (program == NULL) cr_expect_neq(r.code, WEIR_OK);
  weir_options with = {.size = sizeof with, .check_every = s->check_every, .check_folder = s->check_every == 0 ? NULL : "."};
  if (r.code == WEIR_OK) r.code = weir_monitor_new(engine, program, &with, &monitor, &e);
  if (monitor != NULL) r.code = run_rows(s, program, monitor, &r);
  weir_report report = {.size = sizeof report};
  if (monitor != NULL) weir_monitor_report(monitor, &report);
  cr_expect_eq(report.differences, 0);
  weir_monitor_free(monitor);
  weir_diagnostics_free(said);
  weir_program_release(program);
  weir_engine_free(engine);
  return r;
}

static bool is_prefix(const record *part, const record *whole) {
  return part->n <= whole->n && (part->n == 0 || memcmp(part->outputs, whole->outputs, part->n) == 0);
}

/* Returns how many requests the scenario makes. */
static uint64_t fail_every_request(const char *name, const scenario *s) {
  host_memory memory;
  host_memory_open(&memory);
  weir_engine_options options = {.size = sizeof options, .allocator = &memory.allocator};
  record whole = run(s, &options);
  uint64_t calls = memory.calls;
  cr_assert_eq(memory.live, 0);
  for (uint64_t n = 1; n <= calls; n++) {
    host_memory_open(&memory);
    memory.fail_at = n;
    record r = run(s, &options);
    cr_expect(r.code == WEIR_E_MEMORY || (r.code == whole.code && r.n == whole.n), "%s, request %llu of %llu: %s", name,
              (unsigned long long)n, (unsigned long long)calls, weir_code_name(r.code));
    cr_expect(is_prefix(&r, &whole), "%s, request %llu: other outputs", name, (unsigned long long)n);
    cr_expect_eq(memory.live, 0, "%s, request %llu: %zu blocks are lost", name, (unsigned long long)n, memory.live);
    cr_expect_geq(memory.calls, n, "%s: it asks for the same each time", name);
    free(r.outputs);
  }
  free(whole.outputs);
  return calls;
}

/* The rows of a case, read for a program that is compiled in peace; none if the case's text is refused. */
static void try_case(const char *name) {
  char *spec = case_file(name, "spec.dsrv");
  host h;
  bool compiles = host_try(&h, spec, strlen(spec), NULL);
  case_rows rows = {.text = NULL};
  if (compiles) rows = case_rows_read(h.program, case_file(name, "trace.input"));
  host_close(&h);
  scenario s = {.spec = spec, .rows = &rows};
  cr_expect_gt(fail_every_request(name, &s), 5, "%s", name);
  case_rows_free(&rows);
  free(spec);
}

Test(alloc, conformance_cases_end_in_an_error_value) {
  static const char *const cases[] = {
    "arith-add-overflow", "arith-float-basic", "big-else-if-200", "big-long-string", "big-mutual-delays-50", "big-nested-parens-500",
    "bool-guarded-division", "cmp-str", "conv-any-into-float-stream", "default-nested", "delay-nested-with-noval",
    "delay-noval-ticks-shift-history", "fail-no-commit-after-error", "guard-memory-is-deferred", "guard-nested-ifs", "init-in-recursion",
    "latch-deferred-trigger-counts", "mixed-counter-reset", "mixed-request-response", "mixed-state-machine-strings", "mixed-tank-level",
    "selfrec-three-streams", "str-accumulate", "str-concat", "trace-deferred-literal", "type-any-operators", "update-with-delay",
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) try_case(cases[i]);
}

Test(alloc, refused_texts_end_in_an_error_value) {
  static const char *const cases[] = {
    "cycle-two-streams", "decl-duplicate", "delay-over-memory-limit", "lex-bad-character", "parse-missing-operand",
    "type-if-branches-unrelated-annotated", "type-undeclared-variable", "lambda-function-output-rejected", "type-mutual-unannotated",
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) try_case(cases[i]);
}

/* ---- Written ones ---- */

static char text_of_row[200];

static void make_texts(uint64_t tick, weir_value *row) {
  snprintf(text_of_row, sizeof text_of_row, "row %llu, with a text that is longer than what is kept aside ........................................"
           "........................................................................", (unsigned long long)tick);
  row[0] = a_text(text_of_row);
  row[1] = tick % 2 == 0 ? no_value() : an_int((int64_t)tick);
}

Test(alloc, rows_of_texts) {
  scenario s = {.spec = "in s: Str  in k: Int  out a: Str  out b: Str  out c: Str  aux d: Str\n"
                        "a = s ++ s[2]  b = default((a ++ d)[1], \"\") ++ \"|\"  c = if k % 3 == 0 then a ++ b else d[1]  d = s ++ \"!\"",
                .ticks = 6, .make_row = make_texts};
  fail_every_request("texts", &s);
  s.check_every = 1;
  fail_every_request("texts that are checked", &s);
}

static void make_numbers(uint64_t tick, weir_value *row) { row[0] = an_int((int64_t)tick % 4); }

Test(alloc, rows_that_are_checked) {
  scenario s = {.spec = "in x: Int  out y: Int  out z: Int  y = default(y[3], 0) + (if x == 0 then 1 else 7 / x)  z = x + default(x[2], y)",
                .ticks = 8, .make_row = make_numbers, .check_every = 1};
  cr_expect_gt(fail_every_request("numbers that are checked", &s), 10);
}

static weir_value items[5], pairs[3];
static weir_entry entries[3];

static void make_trees(uint64_t tick, weir_value *row) {
  for (int i = 0; i < 5; i++) items[i] = an_int((int64_t)tick + i);
  for (int i = 0; i < 3; i++) {
    pairs[i] = a_list(5, items);
    entries[i] = (weir_entry){a_text(i == 0 ? "c" : i == 1 ? "a" : "b"), a_list(3, pairs)};
  }
  row[0] = a_map(3, entries);
  row[1] = a_list(2, items);
  row[2] = a_list(3, pairs);
}

Test(alloc, rows_of_trees_and_their_conversion) {
  scenario s = {.spec = "in m: Map<List<List<Float>>>  in t: (Int, Float)  in a\n"
                        "out x: Map<List<List<Float>>>  out y: (Int, Float)  out z: List<List<Float>>  out w: Bool\n"
                        "x = m[1]  y = if w then t else t[2]  z = a  w = m == m[1]",
                .ticks = 4, .make_row = make_trees};
  fail_every_request("trees", &s);
}

static void make_failing(uint64_t tick, weir_value *row) {
  row[0] = an_int((int64_t)(tick % 2));
  row[1] = tick == 5 ? a_list(0, NULL) : an_int(1);
}

Test(alloc, guarded_failures_and_a_tick_that_fails) {
  scenario s = {.spec = "in x: Int  in a  out y: Int  out z: List<Int>\n"
                        "y = if x == 0 then 0 else if x == 1 then default((10 / x + 10 / (x - 1))[1], 3) else 1 / (x - 2)\n"
                        "z = if is_defined(a) && x == x then a else a",
                .ticks = 8, .make_row = make_failing};
  fail_every_request("failures", &s);
}

static void make_none(uint64_t tick, weir_value *row) { (void)tick, (void)row; }

Test(alloc, deep_and_long_expressions) {
  char *close = test_repeat("", ")", 300, ""), *deep = test_repeat("out y: Int  y = ", "-(", 300, "1"), *whole = malloc(strlen(deep) + strlen(close) + 1);
  cr_assert_not_null(whole);
  stpcpy(stpcpy(whole, deep), close);
  char *sum = test_repeat("out y: Int  y = 1", " + 1", 3000, "");
  fail_every_request("deep", &(scenario){.spec = whole, .ticks = 1, .make_row = make_none});
  fail_every_request("long", &(scenario){.spec = sum, .ticks = 1, .make_row = make_none});
  free(close), free(deep), free(whole), free(sum);
}

Test(alloc, many_streams) {
  enum { N = 300 };
  char *spec = malloc(N * 80), *to = spec;
  cr_assert_not_null(spec);
  to += sprintf(to, "in s0: Int\n");
  for (int i = 1; i < N; i++) to += sprintf(to, "out s%d: Int  s%d = default(s%d[%d], 0) + s%d\n", i, i, (i * 7) % N, i % 5 + 1, i - 1);
  scenario s = {.spec = spec, .ticks = 2, .make_row = make_failing};
  fail_every_request("many", &s);
  free(spec);
}

/* ---- Switches of the tier ---- */

/* A canonical monitor that counts its rows, after two of them. */
typedef struct counter {
  host_memory memory;
  weir_engine *engine;
  weir_program *program;
  weir_monitor *m;
} counter;

static bool push_one(counter *c, int64_t n) {
  const weir_value row[2] = {an_int(1), a_text("a text that is held")};
  return weir_monitor_push(c->m, row, weir_program_input_count(c->program), NULL) == WEIR_OK && host_same(*weir_monitor_output(c->m, 0), an_int(n));
}

/* has_bodies: another monitor of the program was quickened before. */
static void open_counter(counter *c, const char *spec, bool has_bodies) {
  host_memory_open(&c->memory);
  weir_engine_options options = {.size = sizeof options, .allocator = &c->memory.allocator};
  weir_options canonical = {.size = sizeof canonical, .tier = WEIR_TIER_CANONICAL};
  cr_assert_eq(weir_engine_new(&options, &c->engine, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(c->engine, spec, strlen(spec), NULL, &c->program, NULL), WEIR_OK);
  if (has_bodies) {
    cr_assert_eq(weir_monitor_new(c->engine, c->program, NULL, &c->m, NULL), WEIR_OK);
    weir_monitor_free(c->m);
  }
  cr_assert_eq(weir_monitor_new(c->engine, c->program, &canonical, &c->m, NULL), WEIR_OK);
  cr_assert(push_one(c, 1) && push_one(c, 2));
}

static void close_counter(counter *c) {
  weir_monitor_free(c->m);
  weir_program_release(c->program);
  weir_engine_free(c->engine);
  cr_expect_eq(c->memory.live, 0);
}

/* Switches while the n-th request and all later ones fail; true: that many were not made.  What a failure leaves behind is told. */
static bool fail_switch(counter *c, uint64_t n, bool has_bodies) {
  size_t held = weir_monitor_memory(c->m, NULL), live = c->memory.live;
  weir_error e = {.code = WEIR_OK};
  c->memory.fail_at = c->memory.calls + n;
  weir_code rc = weir_monitor_set_tier(c->m, WEIR_TIER_QUICKENED, &e);
  c->memory.fail_at = 0;
  if (rc == WEIR_OK) return true;
  cr_expect(rc == WEIR_E_MEMORY && e.code == rc);
  cr_expect_eq(weir_monitor_memory(c->m, NULL), held, "request %llu: not %zu bytes", (unsigned long long)n, held);
  if (has_bodies) cr_expect_leq(c->memory.live, live, "request %llu: %zu blocks after %zu", (unsigned long long)n, c->memory.live, live); /* spare ones go */
  return false;
}

/* Every request of a switch fails once: the monitor runs on as if nobody had asked, and may be asked again. */
static void fail_switches(const char *spec, bool has_bodies) {
  uint64_t n = 0;
  for (bool is_done = false; !is_done;) {
    counter c;
    open_counter(&c, spec, has_bodies);
    is_done = fail_switch(&c, ++n, has_bodies);
    cr_expect(push_one(&c, 3), "request %llu", (unsigned long long)n);
    cr_expect_eq(weir_monitor_set_tier(c.m, WEIR_TIER_QUICKENED, NULL), WEIR_OK);
    cr_expect(push_one(&c, 4), "request %llu", (unsigned long long)n);
    weir_report report = {.size = sizeof report};
    weir_monitor_report(c.m, &report);
    cr_expect(report.rows[WEIR_TIER_CANONICAL] == (is_done ? 2 : 3) && report.rows[WEIR_TIER_QUICKENED] == (is_done ? 2 : 1));
    close_counter(&c);
  }
  cr_expect_gt(n, 5, "%llu requests", (unsigned long long)n);
}

Test(alloc, a_switch_of_the_tier_that_fails_leaves_nothing_behind) {
  static const char whole[] = "in x: Int  out n: Int  n = default(n[1], 0) + (if x == 0 then 0 else 7 / x - 6)";
  static const char steps[] = "in x: Int  in s: Str  out n: Int  out t: Str  n = default(n[1], 0) + x\n"
                              "t = if n * 2 > x + 1 then s else default(s[1], \"-\")";
  for (int has_bodies = 0; has_bodies < 2; has_bodies++) {
    fail_switches(whole, has_bodies);
    fail_switches(steps, has_bodies);
  }
}

/* ---- Limits ---- */

static weir_code run_with_limit(const scenario *s, size_t limit, record *whole) {
  host_memory memory;
  host_memory_open(&memory);
  weir_engine_options options = {.size = sizeof options, .allocator = &memory.allocator, .max_memory = limit};
  record r = run(s, &options);
  cr_expect_eq(memory.live, 0, "limit %zu", limit);
  cr_expect(is_prefix(&r, whole), "limit %zu: other outputs", limit);
  free(r.outputs);
  return r.code;
}

Test(alloc, an_engine_never_takes_more_than_its_limit) {
  scenario s = {.spec = "in s: Str  in k: Int  out a: Str  out b: Int  a = s ++ s[2]  b = default(k[100], 1) + 1", .ticks = 20, .make_row = make_texts};
  record whole = run(&s, NULL);
  cr_assert_eq(whole.code, WEIR_OK);
  size_t failed = 0, limit = 64;
  for (; run_with_limit(&s, limit, &whole) == WEIR_E_MEMORY; limit += 64) failed++;
  cr_expect_eq(run_with_limit(&s, limit, &whole), WEIR_OK);
  cr_expect_gt(failed, 20, "small limits fail");
  cr_expect_lt(limit, 1 << 20);
  free(whole.outputs);
}

Test(alloc, the_limit_counts_all_monitors_together) {
  weir_engine_options options = {.size = sizeof options, .max_memory = 1 << 20};
  weir_engine *engine;
  weir_program *program;
  weir_monitor *monitors[1000];
  const char *spec = "in x: Int  out y: Int  y = x[1000]";
  weir_options canonical = {.size = sizeof canonical, .tier = WEIR_TIER_CANONICAL}; /* no codes */
  cr_assert_eq(weir_engine_new(&options, &engine, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(engine, spec, strlen(spec), NULL, &program, NULL), WEIR_OK);
  size_t n = 0;
  while (n < 1000 && weir_monitor_new(engine, program, &canonical, &monitors[n], NULL) == WEIR_OK) n++;
  cr_expect(n > 80 && n < 117, "%zu monitors of 9,016 bytes and a little in 1 MiB", n);
  weir_monitor_free(monitors[0]);
  cr_expect_eq(weir_monitor_new(engine, program, &canonical, &monitors[0], NULL), WEIR_OK, "what one gives back another one gets");
  for (size_t i = 0; i < n; i++) weir_monitor_free(monitors[i]);
  weir_program_release(program);
  weir_engine_free(engine);
}
