/* tests/unit/weir_api.c -- what weir.h promises about engines, programs, diagnostics and options.  Rows: runtime_*.c. */
#include "tests/test.h"
#include "tests/support/host.h"
#include "ir/base/def.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static weir_engine *engine;
static void open_engine(void) { cr_assert_eq(weir_engine_new(NULL, &engine, NULL), WEIR_OK); }
static void close_engine(void) { weir_engine_free(engine); }

TestSuite(weir_api, .init = open_engine, .fini = close_engine);

/* ---- Codes ---- */

Test(weir_api, every_code_has_a_name_a_phase_and_a_text) {
#define X(name, phase, what) \
  cr_expect_str_eq(weir_code_name(WEIR_##name), #name); \
  cr_expect_str_eq(weir_code_phase(WEIR_##name), phase); \
  cr_expect_str_eq(weir_code_text(WEIR_##name), what);
  WEIR_CODES(X)
#undef X
  cr_expect_str_eq(weir_code_name(WEIR_CODE_COUNT), "");
  cr_expect_str_eq(weir_code_phase((weir_code)1000), "");
  cr_expect_neq(strlen(weir_version()), 0);
}

/* ---- Engines ---- */

Test(weir_api, an_engine_takes_the_allocator_it_is_given) {
  host_memory memory;
  host_memory_open(&memory);
  weir_engine_options options = {.size = sizeof options, .allocator = &memory.allocator};
  weir_engine *own;
  cr_assert_eq(weir_engine_new(&options, &own, NULL), WEIR_OK);
  cr_expect_eq(memory.live, 1);
  weir_program *p;
  cr_assert_eq(weir_compile(own, "out y: Int  y = 1", 17, NULL, &p, NULL), WEIR_OK);
  weir_monitor *m;
  cr_assert_eq(weir_monitor_new(own, p, NULL, &m, NULL), WEIR_OK);
  size_t live = memory.live;
  cr_expect_gt(live, 3);
  weir_monitor_free(m);
  cr_expect_lt(memory.live, live);
  weir_program_release(p);
  cr_expect_eq(memory.live, 1, "only the engine is left");
  weir_engine_free(own);
  cr_expect_eq(memory.live, 0);
}

Test(weir_api, wrong_arguments_are_refused_and_leave_null) {
  weir_error e;
  weir_engine *own = engine;
  weir_allocator half = {.take = NULL};
  weir_engine_options options = {.size = sizeof options, .allocator = &half};
  cr_expect_eq(weir_engine_new(&options, &own, &e), WEIR_E_ARGUMENT);
  cr_expect_null(own);
  cr_expect_eq(e.code, WEIR_E_ARGUMENT);
  cr_expect_eq(e.row, WEIR_NO_ROW);
  cr_expect_eq(weir_engine_new(NULL, NULL, NULL), WEIR_E_ARGUMENT);
  weir_program *p = (weir_program *)(void *)&half;
  cr_expect_eq(weir_compile(NULL, "", 0, NULL, &p, NULL), WEIR_E_ARGUMENT);
  cr_expect_null(p);
  cr_expect_eq(weir_compile(engine, NULL, 1, NULL, &p, NULL), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_compile(engine, "", 0, NULL, NULL, NULL), WEIR_E_ARGUMENT);
  weir_monitor *m = (weir_monitor *)(void *)&half;
  cr_expect_eq(weir_monitor_new(engine, NULL, NULL, &m, &e), WEIR_E_ARGUMENT);
  cr_expect_null(m);
  cr_expect_eq(weir_monitor_push(NULL, NULL, 0, &e), WEIR_E_ARGUMENT);
}

Test(weir_api, null_may_be_freed) {
  weir_engine_free(NULL);
  weir_program_release(NULL);
  weir_monitor_free(NULL);
  weir_diagnostics_free(NULL);
  weir_text_free(NULL);
  cr_expect_eq(weir_diagnostics_count(NULL), 0);
  cr_expect_eq(weir_diagnostics_left_out(NULL), 0);
}

/* ---- Options ---- */

static weir_code compile_with(const char *text, const weir_compile_options *options) {
  weir_program *p;
  weir_code rc = weir_compile(engine, text, strlen(text), options, &p, NULL);
  cr_expect_eq(p == NULL, rc != WEIR_OK);
  weir_program_release(p);
  return rc;
}

Test(weir_api, each_limit_of_a_compilation_limits) {
  const char *text = "in x: Int  out long_name: Int  long_name = ((x[10]))";
  weir_compile_options none = {.size = sizeof none}, o;
  cr_expect_eq(compile_with(text, &none), WEIR_OK, "0 is the default");
  o = none, o.max_source_bytes = strlen(text);
  cr_expect_eq(compile_with(text, &o), WEIR_OK);
  o.max_source_bytes--;
  cr_expect_eq(compile_with(text, &o), WEIR_E_LIMIT);
  o = none, o.max_nesting = 2;
  cr_expect_eq(compile_with(text, &o), WEIR_OK);
  o.max_nesting = 1;
  cr_expect_eq(compile_with(text, &o), WEIR_E_LIMIT);
  o = none, o.max_name_bytes = 9;
  cr_expect_eq(compile_with(text, &o), WEIR_OK);
  o.max_name_bytes = 8;
  cr_expect_eq(compile_with(text, &o), WEIR_E_LIMIT);
  o = none, o.max_state_bytes = 10 * 9 + 16;
  cr_expect_eq(compile_with(text, &o), WEIR_OK);
  o.max_state_bytes--;
  cr_expect_eq(compile_with(text, &o), WEIR_E_STATE_TOO_LARGE);
  o = none, o.max_equations = 1;
  cr_expect_eq(compile_with(text, &o), WEIR_OK);
  cr_expect_eq(compile_with("out a: Int  out b: Int  a = 1  b = 2", &o), WEIR_E_LIMIT);
}

Test(weir_api, options_of_an_older_host_are_shorter) {
  weir_compile_options o = {.size = offsetof(weir_compile_options, max_name_bytes), .max_nesting = 1000, .max_name_bytes = 1, .max_equations = 1};
  cr_expect_eq(compile_with("out ab: Int  out cd: Int  ab = 1  cd = 2", &o), WEIR_OK, "what lies beyond their size is not read");
  o.size = sizeof o;
  cr_expect_eq(compile_with("out ab: Int  out cd: Int  ab = 1  cd = 2", &o), WEIR_E_LIMIT);
}

/* What each call says of a struct of options of `size` bytes, in which the byte behind those that the library knows is `behind`. */
static void options_are(size_t size, char behind, const char *refused) {
  struct { weir_engine_options o; char behind[8]; } of_engine = {{.size = size}, {0, behind}};
  struct { weir_compile_options o; char behind[8]; } of_text = {{.size = size}, {0, behind}};
  struct { weir_options o; char behind[8]; } of_monitor = {{.size = size}, {0, behind}};
  if (size == SIZE_MAX) of_engine.o.size = sizeof of_engine, of_text.o.size = sizeof of_text, of_monitor.o.size = sizeof of_monitor;
  weir_code want = refused == NULL ? WEIR_OK : WEIR_E_ARGUMENT;
  weir_engine *made;
  weir_program *p;
  weir_monitor *m;
  weir_query *q;
  weir_text *shown;
  weir_diagnostics *d;
  weir_error e = {.code = WEIR_OK};
  cr_expect_eq(weir_engine_new(&of_engine.o, &made, &e), want);
  if (refused != NULL) cr_expect(made == NULL && strstr(e.text, "weir_engine_options") == e.text && strstr(e.text, refused) != NULL, "%s", e.text);
  weir_engine_free(made);
  cr_expect_eq(weir_compile(engine, "out y: Int  y = 1", 17, &of_text.o, &p, &d), want);
  if (refused != NULL) cr_expect(p == NULL && weir_diagnostics_count(d) == 1 && strstr(weir_diagnostics_at(d, 0).text, refused) != NULL);
  weir_diagnostics_free(d);
  weir_program_release(p);
  cr_expect_eq(weir_compile(engine, "out y: Int  y = 1", 17, &of_text.o, &p, NULL), want, "and nobody asks why");
  weir_program_release(p);
  cr_expect_eq(weir_explain(engine, "out y: Int  y = 1", 17, &of_text.o, WEIR_STAGE_GRAPH, 0, &shown, NULL), want);
  weir_text_free(shown);
  if (refused != NULL) cr_expect_eq(weir_query_check(engine, "", 0, &of_text.o, &q, NULL), want);
  cr_assert_eq(weir_compile(engine, "out y: Int  y = 1", 17, NULL, &p, NULL), WEIR_OK);
  cr_expect_eq(weir_monitor_new(engine, p, &of_monitor.o, &m, &e), want);
  if (refused != NULL) cr_expect(m == NULL && strstr(e.text, "weir_options") == e.text && strstr(e.text, refused) != NULL, "%s", e.text);
  weir_monitor_free(m);
  weir_program_release(p);
}

Test(weir_api, options_without_their_size_are_refused) {
  options_are(0, 0, "_options.size is 0: it must be sizeof(weir_");
  options_are(sizeof(void *), 0, "_options.size is 8: it must be sizeof(weir_");
  options_are(15, 0, "size is 15");
  options_are(4097, 0, "size is 4097");
  options_are(SIZE_MAX - 1, 0, "must be sizeof");
  options_are(16, 1, NULL);
}

Test(weir_api, options_that_a_newer_host_sets_are_refused) {
  options_are(SIZE_MAX, 0, NULL);
  options_are(SIZE_MAX, 1, "sets options that version ");
}

Test(weir_api, a_monitor_is_of_the_engine_of_its_program) {
  weir_engine *other;
  weir_program *p;
  weir_monitor *m;
  weir_error e;
  cr_assert_eq(weir_engine_new(NULL, &other, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(other, "out y: Int  y = 1", 17, NULL, &p, NULL), WEIR_OK);
  cr_expect_eq(weir_monitor_new(engine, p, NULL, &m, &e), WEIR_E_ARGUMENT);
  cr_expect_null(m);
  cr_expect_str_eq(e.text, "the program belongs to another engine than the monitor");
  weir_program_release(p);
  weir_engine_free(other);
}

/* ---- Texts and diagnostics ---- */

Test(weir_api, the_text_is_copied_and_needs_no_terminator) {
  static const char spec[] = "in x: Int  out y: Int  y = x + 1";
  size_t n = strlen(spec);
  char *text = malloc(n);
  cr_assert_not_null(text);
  memcpy(text, spec, n);
  weir_program *p;
  cr_assert_eq(weir_compile(engine, text, n, NULL, &p, NULL), WEIR_OK);
  memset(text, '#', n);
  free(text);
  cr_expect_str_eq(weir_program_stream(p, 1).name, "y");
  size_t kept;
  cr_expect(strncmp(weir_program_text(p, &kept), spec, n) == 0 && kept == n);
  weir_program_release(p);
}

Test(weir_api, a_byte_order_mark_is_skipped_but_counts_in_places) {
  weir_program *p;
  const char *spec = "\xef\xbb\xbfin x: Int";
  cr_assert_eq(weir_compile(engine, spec, strlen(spec), NULL, &p, NULL), WEIR_OK);
  cr_expect_eq(weir_program_stream(p, 0).span.begin, 6);
  cr_expect_eq(weir_program_stream(p, 0).span.end, 7);
  weir_program_release(p);
}

Test(weir_api, several_errors_are_told_in_order_of_the_text) {
  const char *spec = "in x: Int\nout a: Int\nout b: Int\nout c: Int\na = x + true\nb = nowhere\nc = if x then 1 else 2\n";
  weir_program *p;
  weir_diagnostics *said;
  weir_code rc = weir_compile(engine, spec, strlen(spec), NULL, &p, &said);
  cr_assert_eq(weir_diagnostics_count(said), 3);
  cr_expect_eq(weir_diagnostics_at(said, 0).code, rc, "the code is that of the first");
  uint32_t before = 0;
  for (size_t i = 0; i < 3; i++) {
    weir_diagnostic d = weir_diagnostics_at(said, i);
    cr_expect(d.span.begin >= before && d.span.begin < d.span.end);
    cr_expect_neq(strlen(d.text), 0);
    cr_expect_not_null(d.hint);
    before = d.span.begin;
  }
  cr_expect_eq(weir_diagnostics_left_out(said), 0);
  weir_diagnostics_free(said);
}

Test(weir_api, more_than_20_errors_are_counted) {
  char spec[4000] = "", *to = spec;
  for (int i = 0; i < 50; i++) to += sprintf(to, "out y%d: Int\ny%d = nothing%d\n", i, i, i);
  weir_program *p;
  weir_diagnostics *said;
  cr_expect_eq(weir_compile(engine, spec, strlen(spec), NULL, &p, &said), WEIR_E_TYPE);
  cr_expect_eq(weir_diagnostics_count(said), 20);
  cr_expect_eq(weir_diagnostics_left_out(said), 30);
  weir_diagnostics_free(said);
}

Test(weir_api, a_success_says_nothing) {
  weir_program *p;
  weir_diagnostics *said = (weir_diagnostics *)(void *)&p;
  cr_assert_eq(weir_compile(engine, "", 0, NULL, &p, &said), WEIR_OK);
  cr_expect_null(said);
  weir_program_release(p);
}

/* ---- What a program tells ---- */

Test(weir_api, streams_are_numbered_inputs_first_each_in_order_of_declaration) {
  static const struct { const char *name, *type; weir_role role; } want[] = {
    {"b", "Int", WEIR_IN}, {"a", "Any", WEIR_IN}, {"late", "Float", WEIR_OUT}, {"aux1", "Bool", WEIR_AUX}, {"early", "List<(Int, Str)>", WEIR_OUT},
  };
  host h;
  host_open(&h, "out late: Float  in b: Int  aux aux1: Bool  in a  out early: List<(Int, Str)>  late = if aux1 then 1.0 else 2.0  aux1 = b > 0  early = a");
  cr_assert_eq(weir_program_stream_count(h.program), WB_LEN(want));
  for (uint32_t i = 0; i < WB_LEN(want); i++) {
    weir_stream_info s = weir_program_stream(h.program, i);
    cr_expect_str_eq(s.name, want[i].name);
    cr_expect_str_eq(s.type, want[i].type);
    cr_expect_eq(s.role, want[i].role, "%s", s.name);
    cr_expect_eq(weir_program_find_stream(h.program, want[i].name, strlen(want[i].name)), i);
  }
  cr_expect_eq(weir_program_input_count(h.program), 2);
  cr_expect_eq(weir_program_input_stream(h.program, 1), 1);
  cr_expect_eq(weir_program_output_count(h.program), 2);
  cr_expect_eq(weir_program_output_stream(h.program, 0), 2);
  cr_expect_eq(weir_program_output_stream(h.program, 1), 4);
  cr_expect_eq(weir_program_stream(h.program, 0).order, UINT32_MAX);
  cr_expect_lt(weir_program_stream(h.program, 3).order, weir_program_stream(h.program, 2).order, "aux1 before late");
  host_close(&h);
}

Test(weir_api, streams_are_found_by_name_among_their_own_kind) {
  host h;
  host_open(&h, "in x: Int  out y: Int  y = x");
  cr_expect_eq(weir_program_find_input(h.program, "x", 1), 0);
  cr_expect_eq(weir_program_find_input(h.program, "y", 1), UINT32_MAX, "an output is no input");
  cr_expect_eq(weir_program_find_output(h.program, "y", 1), 0);
  cr_expect_eq(weir_program_find_output(h.program, "x", 1), UINT32_MAX);
  cr_expect_eq(weir_program_find_stream(h.program, "z", 1), UINT32_MAX);
  cr_expect_eq(weir_program_find_input(h.program, "xy", 1), 0, "the length counts");
  cr_expect_eq(weir_program_find_input(h.program, "", 0), UINT32_MAX);
  host_close(&h);
}

Test(weir_api, dependencies_tell_how_a_stream_is_read) {
  host h;
  host_open(&h, "in x: Int  out y: Int  out z: Int  y = z[3] + x + x[5] + z[9]  z = default(z[2], 0)");
  uint32_t y = weir_program_find_stream(h.program, "y", 1), z = weir_program_find_stream(h.program, "z", 1);
  cr_assert_eq(weir_program_dependency_count(h.program, y), 2);
  weir_dependency first = weir_program_dependency(h.program, y, 0), second = weir_program_dependency(h.program, y, 1);
  cr_expect(first.stream == z && !first.immediate && first.deepest == 9);
  cr_expect(second.stream == 0 && second.immediate && second.deepest == 5);
  cr_assert_eq(weir_program_dependency_count(h.program, z), 1);
  first = weir_program_dependency(h.program, z, 0);
  cr_expect(first.stream == z && !first.immediate && first.deepest == 2);
  cr_expect_eq(weir_program_dependency_count(h.program, 0), 0);
  host_close(&h);
}

Test(weir_api, the_memory_bound_is_the_sum_of_the_streams) {
  host h;
  host_open(&h, "in x: Int  in s: Str  out y: Int  out t: Str  y = x[10] + x  t = s[3] ++ s");
  uint64_t sum = 0;
  for (uint32_t i = 0; i < weir_program_stream_count(h.program); i++) {
    weir_stream_info s = weir_program_stream(h.program, i);
    sum += s.state_bytes;
    cr_expect_eq(s.retains_values, i == 1, "only s keeps texts: %s", s.name);
  }
  bool plus_values = false;
  cr_expect_eq(weir_program_state_bytes(h.program, &plus_values), sum);
  cr_expect_eq(sum, (10 * 9 + 16) + 9 + (3 * 9 + 16) + 9);
  cr_expect(plus_values);
  host_close(&h);
}

Test(weir_api, what_stays_canonical_says_why) {
  static const struct { const char *spec, *why; } cases[] = {
    {"in x: Int  out y: Int  y = x", ""},
    {"in x  out y: Int  y = x", "x is Any: write `in x: Int` (or Float, Bool)"},
    {"in s: Str  out y: Bool  y = s == s", "s is Str: only Int, Float and Bool are quickened"},
    {"out y: Str  y = \"a\"", "y is Str: only Int, Float and Bool are quickened"},
    {"out y: Bool  y = \"a\" == \"b\"", "in the equation of y stands a value of type Str: only Int, Float and Bool are quickened"},
  };
  for (size_t i = 0; i < WB_LEN(cases); i++) {
    host h;
    host_open(&h, cases[i].spec);
    char text[200], cut[8];
    uint32_t y = weir_program_find_stream(h.program, "y", 1);
    cr_expect_eq(weir_program_why_canonical(h.program, y, text, sizeof text), strlen(cases[i].why), "%s", cases[i].spec);
    cr_expect_str_eq(text, cases[i].why);
    (void)weir_program_why_canonical(h.program, y, cut, sizeof cut);
    cr_expect_eq(strncmp(cut, cases[i].why, 7), 0, "cut, and terminated");
    host_close(&h);
  }
}

/* ---- Lives ---- */

Test(weir_api, a_program_lives_as_long_as_anyone_holds_it) {
  weir_program *p;
  const char *spec = "in x: Int  out y: Int  y = default(y[1], 0) + x";
  cr_assert_eq(weir_compile(engine, spec, strlen(spec), NULL, &p, NULL), WEIR_OK);
  cr_expect_eq(weir_program_retain(p), p);
  weir_program_release(p);
  weir_monitor *m;
  cr_assert_eq(weir_monitor_new(engine, p, NULL, &m, NULL), WEIR_OK);
  weir_program_release(p);
  weir_value two = an_int(2);
  cr_expect_eq(weir_monitor_push(m, &two, 1, NULL), WEIR_OK);
  cr_expect(host_same(*weir_monitor_output(m, 0), an_int(2)));
  weir_monitor_free(m);
}

Test(weir_api, without_a_choice_rows_run_quickened) {
  host h;
  host_open(&h, "in x: Int  out y: Int  y = x + 1");
  weir_value one = an_int(1);
  static const weir_tier tiers[] = {WEIR_TIER_AUTO, WEIR_TIER_CANONICAL, WEIR_TIER_AUTO};
  for (size_t i = 0; i <= WB_LEN(tiers); i++) {
    cr_assert_eq(weir_monitor_push(h.monitor, &one, 1, &h.e), WEIR_OK);
    if (i < WB_LEN(tiers)) cr_assert_eq(weir_monitor_set_tier(h.monitor, tiers[i], &h.e), WEIR_OK);
  }
  weir_report r = {.size = sizeof r};
  weir_monitor_report(h.monitor, &r);
  cr_expect(r.rows[WEIR_TIER_AUTO] == 0 && r.rows[WEIR_TIER_CANONICAL] == 1 && r.rows[WEIR_TIER_QUICKENED] == 3);
  host_close(&h);
}

Test(weir_api, a_tier_that_does_not_exist_is_refused) {
  host h;
  host_open(&h, "in x: Int  out y: Int  y = x");
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_COUNT};
  weir_monitor *m = h.monitor;
  cr_expect_eq(weir_monitor_new(engine, h.program, &options, &m, &h.e), WEIR_E_ARGUMENT);
  cr_expect_null(m);
  cr_expect_eq(weir_monitor_set_tier(h.monitor, WEIR_TIER_COUNT, &h.e), WEIR_E_ARGUMENT);
  host_close(&h);
}

static size_t most_resident(void) {
  struct rusage use;
  cr_assert_eq(getrusage(RUSAGE_SELF, &use), 0);
  return (size_t)use.ru_maxrss << 10;
}

Test(weir_api, a_long_delay_costs_memory_only_as_it_fills) {
  static const weir_tier tiers[] = {WEIR_TIER_CANONICAL, WEIR_TIER_QUICKENED};
  for (size_t i = 0; i < WB_LEN(tiers); i++) {
    host h;
    host_open(&h, "in x: Int  out y: Int  y = x[50000000]");
    size_t before = most_resident();
    weir_value one = an_int(1);
    cr_assert_eq(weir_monitor_set_tier(h.monitor, tiers[i], &h.e), WEIR_OK);
    cr_expect_eq(host_push(&h, &one), WEIR_OK);
    cr_expect_lt(most_resident() - before, weir_program_state_bytes(h.program, NULL) / 2, "tier %zu", i);
    host_close(&h);
  }
}

Test(weir_api, before_the_first_row_there_is_no_output) {
  host h;
  host_open(&h, "out y: Int  y = 1");
  cr_expect(host_is(&h, "y", no_value()));
  cr_expect_eq(weir_monitor_ticks(h.monitor), 0);
  cr_expect_not(weir_monitor_is_terminal(h.monitor));
  host_close(&h);
}

Test(weir_api, an_input_that_does_not_fit_is_told_by_its_number) {
  host h;
  host_open(&h, "in a: Int  in b: Int  in c: Str  out y: Int  y = a");
  cr_expect_eq(host_push(&h, (weir_value[]){an_int(1), an_int(2), an_int(3)}), WEIR_E_ADMIT);
  cr_expect_eq(h.e.input, 2);
  cr_expect_eq(host_push(&h, (weir_value[]){an_int(1), a_bool(true), an_int(3)}), WEIR_E_ADMIT);
  cr_expect_eq(h.e.input, 1, "the first");
  cr_expect_eq(weir_monitor_push(h.monitor, NULL, 0, &h.e), WEIR_E_ARGUMENT);
  cr_expect_eq(h.e.input, UINT32_MAX);
  host_close(&h);
}

Test(weir_api, places_are_lines_and_columns_of_characters) {
  const char *text = "a\n\xc3\xa9\tb\r\nc";
  size_t n = strlen(text);
  static const struct { uint32_t at; uint64_t line, column; } want[] = {{0, 1, 1}, {1, 1, 2}, {2, 2, 1}, {4, 2, 2}, {5, 2, 3}, {8, 3, 1}, {9, 3, 2}, {100, 3, 2}};
  for (size_t i = 0; i < WB_LEN(want); i++) {
    weir_position p = weir_position_of(text, n, want[i].at);
    cr_expect(p.line == want[i].line && p.column == want[i].column, "byte %u is %llu:%llu", want[i].at, (unsigned long long)p.line, (unsigned long long)p.column);
  }
}
