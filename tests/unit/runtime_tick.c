/* tests/unit/runtime_tick.c -- the tick as a whole: order, failure, the end, memory over time. */
#include "tests/test.h"
#include "tests/support/host.h"

#include <inttypes.h>
#include <stdio.h>

static weir_code push_two(host *h, weir_value x, weir_value y) { return host_push(h, (weir_value[]){x, y}); }

/* ---- Failure ---- */

Test(runtime_tick, the_first_failure_in_canonical_order_is_reported) {
  host h;
  const char *spec = "in x: Int  in d: Int\nout late: Int  out early: Int\nlate = x / d\nearly = x + 9223372036854775807";
  host_open(&h, spec);
  cr_expect_eq(push_two(&h, an_int(1), an_int(0)), WEIR_E_DIV_ZERO, "both fail; late is declared first");
  cr_expect_eq(h.e.span.begin, strstr(spec, "/ d") - spec);
  host_close(&h);
  host_open(&h, "in x: Int  in d: Int  out late: Int  out early: Int  late = (x / d) + early  early = x + 9223372036854775807");
  cr_expect_eq(push_two(&h, an_int(1), an_int(0)), WEIR_E_OVERFLOW, "late depends on early");
  host_close(&h);
}

Test(runtime_tick, after_a_failure_the_last_outputs_stay_and_every_push_is_refused) {
  host h;
  host_open(&h, "in x: Int  in s: Str  out q: Int  out t: Str  aux a: Str  a = s ++ s[1]  q = 10 / x  t = s[1]");
  cr_assert_eq(push_two(&h, an_int(2), a_text("an old text that is long enough for a block")), WEIR_OK);
  cr_assert_eq(push_two(&h, an_int(5), a_text("a newer text that is long enough for a block")), WEIR_OK);
  cr_expect_eq(push_two(&h, an_int(0), a_text("the last text that is long enough for a block")), WEIR_E_DIV_ZERO);
  cr_expect_eq(h.e.row, 2);
  cr_expect(weir_monitor_is_terminal(h.monitor));
  for (int i = 0; i < 3; i++) {
    cr_expect_eq(push_two(&h, an_int(1), a_text("x")), WEIR_E_TERMINAL);
    cr_expect_eq(h.e.row, 2, "the tick that failed");
    cr_expect_str_eq(h.e.text, "the monitor ended in tick 2: division by zero");
    cr_expect_eq(weir_monitor_ticks(h.monitor), 2);
    cr_expect(host_is(&h, "q", an_int(2)));
    cr_expect(host_is(&h, "t", a_text("an old text that is long enough for a block")));
  }
  host_close(&h);
}

Test(runtime_tick, a_failure_in_an_unprinted_stream_counts) {
  host h;
  host_open(&h, "in x: Int  in y: Int  out z: Int  aux unused: Int  z = x  unused = x / y");
  cr_expect_eq(push_two(&h, an_int(1), an_int(0)), WEIR_E_DIV_ZERO);
  cr_expect(host_is(&h, "z", no_value()), "nothing was published");
  host_close(&h);
}

Test(runtime_tick, the_error_says_which_operation_and_why) {
  static const struct { const char *equation; weir_code code; const char *text; const char *at; } rows[] = {
    {"out z: Int  z = x + y", WEIR_E_OVERFLOW, "integer overflow in addition", "+ y"},
    {"out z: Int  z = x * y", WEIR_E_OVERFLOW, "integer overflow in multiplication", "* y"},
    {"out z: Int  z = -(x + 1 - y) - y", WEIR_E_OVERFLOW, "integer overflow in addition", "+ 1"},
    {"out z: Int  z = x / (y - y)", WEIR_E_DIV_ZERO, "division by zero", "/ ("},
    {"out z: Int  z = y ** (0 - y)", WEIR_E_DOMAIN, "negative exponent of an Int power", "** ("},
    {"out z: Any  z = a + y", WEIR_E_KIND, "operands of the wrong type for addition: Str and Int", "+ y"},
    {"out z: Bool  z = a < y", WEIR_E_KIND, "operands of the wrong type for comparison: Str and Int", "< y"},
    {"out z: Bool  z = !a", WEIR_E_KIND, "operand of the wrong type for logical not: Str", "!a"},
    {"out z: Int  z = if a then x else y", WEIR_E_KIND, "the condition is not a Bool but Str", "if a"},
    {"out z: Bool  z = a && true", WEIR_E_KIND, "expected Bool, got Str", "&& t"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char spec[200];
    snprintf(spec, sizeof spec, "in x: Int  in y: Int  in a  %s", rows[i].equation);
    host h;
    host_open(&h, spec);
    cr_expect_eq(host_push(&h, (weir_value[]){an_int(INT64_MAX), an_int(3), a_text("s")}), rows[i].code, "%s", spec);
    cr_expect_str_eq(h.e.text, rows[i].text, "%s", spec);
    cr_expect_eq(h.e.span.begin, strstr(spec, rows[i].at) - spec, "%s: at byte %u", spec, h.e.span.begin);
    host_close(&h);
  }
}

/* ---- Guards (the model tries them at random; these are the sentences of language.md 8 and 12) ---- */

typedef struct guard_row { weir_value x, want; } guard_row;

static void expect_rows(const char *spec, const guard_row *rows, size_t n) {
  host h;
  host_open(&h, spec);
  for (size_t i = 0; i < n; i++) {
    cr_expect_eq(host_push(&h, &rows[i].x), WEIR_OK, "%s: row %zu: %s", spec, i, h.e.text);
    cr_expect(host_is(&h, "y", rows[i].want), "%s: row %zu", spec, i);
  }
  host_close(&h);
}

Test(runtime_tick, what_fails_in_a_branch_not_taken_is_without_effect) {
  const guard_row division[] = {{an_int(0), an_int(0)}, {an_int(5), an_int(2)}, {an_int(0), an_int(0)}, {no_value(), an_int(0)}};
  expect_rows("in x: Int  out y: Int  y = if x == 0 then 0 else 10 / x", division, 4);
  const guard_row deciding[] = {{an_int(0), a_bool(true)}, {an_int(5), a_bool(true)}, {an_int(20), a_bool(false)}};
  expect_rows("in x: Int  out y: Bool  y = x == 0 || 10 / x > 1", deciding, 3);
  const guard_row implied[] = {{an_int(0), a_bool(true)}, {an_int(-1), a_bool(false)}};
  expect_rows("in x: Int  out y: Bool  y = x != 0 => 10 / x > 1", implied, 2);
}

Test(runtime_tick, a_memory_takes_deferred_for_a_failure) {
  const guard_row delay[] = {{an_int(0), an_int(-1)}, {an_int(5), an_int(-2)}, {an_int(2), an_int(2)}, {an_int(0), an_int(-1)}, {an_int(1), an_int(-2)}};
  expect_rows("in x: Int  out y: Int  y = if x == 0 then -1 else default((10 / x)[1], -2)", delay, 5);
  const guard_row seen[] = {{an_int(0), a_bool(false)}, {an_int(4), a_bool(true)}, {an_int(0), a_bool(false)}};
  expect_rows("in x: Int  out y: Bool  y = if x == 0 then false else when(10 / x)", seen, 3);
}

Test(runtime_tick, deferred_hides_an_error_and_noval_wins_over_deferred) {
  host h;
  host_open(&h, "in x: Int  in y: Int  out z: Int  out w: Int  z = 1 / x[1]  w = x[1] + y");
  cr_assert_eq(push_two(&h, an_int(0), no_value()), WEIR_OK);
  cr_expect(host_is(&h, "z", deferred()));
  cr_expect(host_is(&h, "w", no_value()));
  cr_expect_eq(push_two(&h, an_int(5), no_value()), WEIR_E_DIV_ZERO);
  host_close(&h);
}

/* ---- Memory ---- */

static const char *churning =
  "in s: Str  in a\n"
  "out joined: Str  out old: Str  out held: Str  out any  out last: Str  aux pair: Str\n"
  "joined = s ++ \"/\" ++ s[3]\n"
  "pair = joined ++ joined\n"
  "old = (pair ++ s)[5]\n"
  "held = latch(s ++ \"!\", a)\n"
  "any = if is_defined(a[2]) then a[2] else a[1]\n"
  "last = default(update(last[2], pair), s)\n";

Test(runtime_tick, memory_is_flat_over_100000_ticks_of_texts) {
  host h;
  host_open(&h, churning);
  size_t warm = 0;
  for (uint64_t t = 0; t < 100000; t++) {
    char text[48];
    snprintf(text, sizeof text, "%0*" PRIu64, (int)(10 + t % 30), t);
    const weir_value item = a_text(text), row[2] = {t % 7 == 0 ? no_value() : item, t % 3 == 0 ? a_list(1, &item) : no_value()};
    cr_assert_eq(host_push(&h, row), WEIR_OK, "%s", h.e.text);
    if (t == 1000) weir_monitor_memory(h.monitor, &warm);
  }
  size_t peak, now = weir_monitor_memory(h.monitor, &peak);
  cr_expect_leq(peak, warm + 4096, "peak %zu after %zu in the first 1,000 ticks", peak, warm);
  cr_expect_leq(now, peak);
  host_close(&h);
}

static weir_code run_with(size_t max_memory, uint64_t ticks, size_t *peak) {
  host h;
  host_open(&h, churning);
  weir_options options = {.size = sizeof options, .max_memory = max_memory};
  weir_monitor *m = NULL;
  weir_code rc = weir_monitor_new(h.engine, h.program, &options, &m, NULL);
  for (uint64_t t = 0; rc == WEIR_OK && t < ticks; t++) {
    const weir_value row[2] = {a_text("some text that is not short"), an_int((int64_t)t)};
    rc = weir_monitor_push(m, row, 2, NULL);
  }
  if (m != NULL) weir_monitor_memory(m, peak);
  weir_monitor_free(m);
  host_close(&h);
  return rc;
}

Test(runtime_tick, a_monitor_stays_within_its_limit_or_ends) {
  size_t need = 0, peak = 0;
  cr_assert_eq(run_with(0, 100, &need), WEIR_OK);
  cr_expect_eq(run_with(need, 100, &peak), WEIR_OK, "what it needed is enough");
  for (size_t limit = 1; limit < need; limit += need / 40) {
    peak = 0;
    cr_expect_eq(run_with(limit, 100, &peak), WEIR_E_MEMORY, "with %zu of %zu bytes", limit, need);
    cr_expect_leq(peak, limit);
  }
}

Test(runtime_tick, a_long_delay_costs_memory_only_by_its_ring) {
  host h;
  host_open(&h, "in x: Int  out y: Int  y = x[1000000]");
  size_t used = weir_monitor_memory(h.monitor, NULL);
  cr_expect_geq(used, 9000000);
  cr_expect_leq(used, 9000000 + 40000, "its codes take %zu", used - 9000000);
  cr_expect_leq(weir_monitor_memory(h.canonical, NULL), 9000000 + 10000);
  weir_value one = an_int(1);
  for (int i = 0; i < 100; i++) cr_assert_eq(host_push(&h, &one), WEIR_OK);
  cr_expect_leq(weir_monitor_memory(h.monitor, NULL), used + 100);
  host_close(&h);
}

/* ---- Several monitors ---- */

Test(runtime_tick, monitors_of_one_program_share_nothing_that_moves) {
  host h;
  host_open(&h, "in x: Int  out n: Int  out s: Str  n = default(n[1], 0) + x  s = default(s[1], \"\") ++ \"a\"");
  weir_monitor *other;
  cr_assert_eq(weir_monitor_new(h.engine, h.program, NULL, &other, NULL), WEIR_OK);
  weir_value one = an_int(1), ten = an_int(10), most = an_int(INT64_MAX);
  for (int i = 0; i < 3; i++) cr_assert_eq(host_push(&h, &one), WEIR_OK);
  cr_assert_eq(weir_monitor_push(other, &ten, 1, NULL), WEIR_OK);
  cr_expect(host_is(&h, "n", an_int(3)) && host_is(&h, "s", a_text("aaa")));
  cr_expect(host_same(*weir_monitor_output(other, 0), an_int(10)) && host_same(*weir_monitor_output(other, 1), a_text("a")));
  cr_expect_eq(host_push(&h, &most), WEIR_E_OVERFLOW);
  cr_expect_eq(weir_monitor_push(other, &ten, 1, NULL), WEIR_OK, "the end of one is not that of another");
  weir_program_release(h.program);
  h.program = NULL;
  weir_monitor_free(h.monitor);
  h.monitor = NULL;
  cr_expect_eq(weir_monitor_push(other, &ten, 1, NULL), WEIR_OK, "a monitor keeps its program alive");
  cr_expect(host_same(*weir_monitor_output(other, 0), an_int(30)));
  weir_monitor_free(other);
  host_close(&h);
}
