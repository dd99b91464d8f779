/* tests/unit/runtime_convert.c -- rows that fit, that are converted, that are refused; Any inside Weir. */
#include "tests/test.h"
#include "tests/support/host.h"
#include "ir/base/def.h"

#include <stdio.h>
#include <stdlib.h>

/* Pushes one value through a copy of an input of that type; the host stays open. */
static weir_code enter(host *h, const char *type, weir_value v) {
  char spec[300];
  snprintf(spec, sizeof spec, "in x: %s  out y: %s  y = x", type, type);
  host_open(h, spec);
  return host_push(h, &v);
}

static void expect_becomes(const char *type, weir_value v, weir_value want) {
  host h;
  cr_expect_eq(enter(&h, type, v), WEIR_OK, "%s: %s", type, h.e.text);
  cr_expect(host_is(&h, "y", want), "%s", type);
  host_close(&h);
}

static void expect_refused(const char *type, weir_value v, const char *text) {
  host h;
  cr_expect_eq(enter(&h, type, v), WEIR_E_ADMIT, "%s", type);
  cr_expect_str_eq(h.e.text, text);
  cr_expect_eq(h.e.row, 0);
  host_close(&h);
}

static const weir_value unit = {.tag = WEIR_UNIT};

/* ---- What fits ---- */

Test(runtime_convert, an_int_is_converted_for_a_float_at_any_depth) {
  const weir_value ints[] = {an_int(1), a_float(2.5), an_int((INT64_C(1) << 53) + 1)};
  const weir_value floats[] = {a_float(1), a_float(2.5), a_float(9007199254740992.0)};
  const weir_value inner = a_list(3, ints), inner_out = a_list(3, floats);
  const weir_entry entry = {a_text("k"), a_list(1, &inner)}, entry_out = {a_text("k"), a_list(1, &inner_out)};
  expect_becomes("Float", an_int(7), a_float(7));
  expect_becomes("List<Float>", inner, inner_out);
  expect_becomes("Map<List<List<Float>>>", a_map(1, &entry), a_map(1, &entry_out));
}

Test(runtime_convert, a_list_serves_as_a_tuple) {
  const weir_value pair[] = {an_int(1), a_text("a")}, floats[] = {a_float(1), a_text("a")};
  const weir_value nested = a_list(2, pair), nested_out = a_tuple(2, floats);
  expect_becomes("(Float, Str)", a_list(2, pair), a_tuple(2, floats));
  expect_becomes("(Float, Str)", a_tuple(2, pair), a_tuple(2, floats));
  expect_becomes("List<(Float, Str)>", a_list(1, &nested), a_list(1, &nested_out));
  expect_refused("(Float, Str)", a_list(1, pair), "input x expects (Float, Str), got List");
  expect_refused("List<Int>", a_tuple(1, pair), "input x expects List<Int>, got Tuple");
}

Test(runtime_convert, entries_are_sorted_by_the_bytes_of_their_keys) {
  const weir_entry in[] = {{a_text("b"), an_int(2)}, {a_text("\xc3\xa9"), an_int(4)}, {a_text(""), an_int(0)}, {a_text("B"), an_int(1)}, {a_text("bb"), an_int(3)}};
  const weir_entry out[] = {in[2], in[3], in[0], in[4], in[1]};
  expect_becomes("Map<Int>", a_map(5, in), a_map(5, out));
}

static int by_text(const void *a, const void *b) {
  const weir_entry *x = a, *y = b;
  return strcmp(x->key.as.text, y->key.as.text);
}

Test(runtime_convert, large_maps_are_sorted_too) {
  enum { N = 5000 };
  static char names[N][12];
  static weir_entry in[N], out[N];
  srand(3);
  for (int i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "%x", (unsigned)i * 2654435761u);
    in[i] = (weir_entry){a_text(names[i]), an_int(i)};
  }
  memcpy(out, in, sizeof in);
  qsort(out, N, sizeof *out, by_text);
  expect_becomes("Map<Int>", a_map(N, in), a_map(N, out));
  in[N - 1].key = in[17].key;
  expect_refused("Map<Int>", a_map(N, in), "input x holds invalid UTF-8 or a key twice");
}

Test(runtime_convert, a_struct_needs_its_fields_and_keeps_others) {
  const weir_entry all[] = {{a_text("b"), an_int(2)}, {a_text("a"), an_int(1)}, {a_text("c"), a_text("more")}};
  const weir_entry out[] = {{a_text("a"), a_float(1)}, {a_text("b"), an_int(2)}, {a_text("c"), a_text("more")}};
  expect_becomes("Struct<a: Float, b: Int>", a_map(3, all), a_map(3, out));
  expect_becomes("Struct<a: Float, b: Int, ...>", a_map(3, all), a_map(3, out));
  expect_refused("Struct<a: Float, b: Int>", a_map(1, all), "input x expects Struct<a: Float, b: Int>, got Map");
}

Test(runtime_convert, specials_fit_every_type_but_no_container) {
  static const char *const types[] = {"Int", "Float", "Bool", "Str", "Unit", "List<Int>", "(Int, Int)", "Map<Str>", "Any"};
  for (size_t i = 0; i < WB_LEN(types); i++) {
    expect_becomes(types[i], no_value(), no_value());
    expect_becomes(types[i], deferred(), deferred());
  }
  const weir_value nothing = no_value(), late = deferred();
  expect_refused("List<Int>", a_list(1, &nothing), "input x expects List<Int>: inside it Int, got no value");
  expect_refused("Any", a_list(1, &late), "input x expects Any, got Deferred");
}

/* ---- What does not ---- */

Test(runtime_convert, a_wrong_kind_is_named) {
  const weir_value one = an_int(1), text = a_text("s"), inner = a_list(1, &text);
  expect_refused("Int", a_float(1), "input x expects Int, got Float");
  expect_refused("Int", a_bool(true), "input x expects Int, got Bool");
  expect_refused("Float", a_text("1"), "input x expects Float, got Str");
  expect_refused("Bool", an_int(1), "input x expects Bool, got Int");
  expect_refused("Str", unit, "input x expects Str, got Unit");
  expect_refused("Unit", an_int(0), "input x expects Unit, got Int");
  expect_refused("Int", a_list(1, &one), "input x expects Int, got List");
  expect_refused("List<List<Int>>", a_list(1, &inner), "input x expects List<List<Int>>: inside it Int, got Str");
  expect_refused("List<List<Int>>", a_list(1, &one), "input x expects List<List<Int>>: inside it List<Int>, got Int");
}

Test(runtime_convert, texts_must_be_utf_8_wherever_they_are) {
  static const char *const bad[] = {"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"};
  for (size_t i = 0; i < WB_LEN(bad); i++) {
    const weir_value text = a_text(bad[i]);
    const weir_entry key = {text, an_int(1)}, value = {a_text("k"), text};
    expect_refused("Str", text, "input x holds invalid UTF-8 or a key twice");
    expect_refused("Any", a_list(1, &text), "input x holds invalid UTF-8 or a key twice");
    expect_refused("Map<Int>", a_map(1, &key), "input x holds invalid UTF-8 or a key twice");
    expect_refused("Map<Str>", a_map(1, &value), "input x holds invalid UTF-8 or a key twice");
  }
}

Test(runtime_convert, a_key_twice_is_refused_at_any_depth) {
  const weir_entry twice[] = {{a_text("k"), an_int(1)}, {a_text("j"), an_int(2)}, {a_text("k"), an_int(3)}};
  const weir_entry beside[] = {{a_text("k"), an_int(1)}, {a_text("k"), an_int(1)}};
  const weir_value map = a_map(3, twice);
  expect_refused("Map<Int>", map, "input x holds invalid UTF-8 or a key twice");
  expect_refused("Map<Int>", a_map(2, beside), "input x holds invalid UTF-8 or a key twice");
  expect_refused("Any", a_list(1, &map), "input x holds invalid UTF-8 or a key twice");
}

Test(runtime_convert, malformed_trees_are_refused) {
  const weir_entry no_text = {an_int(1), an_int(1)};
  const weir_value strange = {.tag = WEIR_TAG_COUNT}, stranger = {.tag = UINT32_MAX};
  expect_refused("Map<Int>", a_map(1, &no_text), "input x expects Map<Int>: inside it Str, got Int");
  host h;
  cr_expect_eq(enter(&h, "Any", strange), WEIR_E_ADMIT);
  host_close(&h);
  cr_expect_eq(enter(&h, "List<Any>", a_list(1, &stranger)), WEIR_E_ADMIT);
  host_close(&h);
}

Test(runtime_convert, texts_may_hold_zero_bytes_and_be_empty) {
  const weir_value with_zero = {.tag = WEIR_TEXT, .count = 3, .as.text = "a\0b"}, none = {.tag = WEIR_TEXT, .count = 0, .as.text = NULL};
  expect_becomes("Str", with_zero, with_zero);
  expect_becomes("Str", none, a_text(""));
  expect_becomes("List<Int>", (weir_value){.tag = WEIR_LIST, .count = 0, .as.items = NULL}, a_list(0, NULL));
}

/* ---- Nesting ---- */

enum { LEVELS = 3000 };
static weir_value nest[LEVELS];

/* `levels` lists around an Int. */
static weir_value nested(uint32_t levels) {
  nest[0] = an_int(1);
  for (uint32_t i = 1; i <= levels; i++) nest[i] = a_list(1, &nest[i - 1]);
  return nest[levels];
}

Test(runtime_convert, nesting_is_allowed_up_to_the_limit) {
  host h;
  cr_expect_eq(enter(&h, "Any", nested(1000)), WEIR_OK);
  cr_expect(host_is(&h, "y", nested(1000)));
  host_close(&h);
  expect_refused("Any", nested(1001), "input x is nested deeper than 1000 levels");
}

static weir_code enter_with_limit(uint32_t levels, size_t limit) {
  host h;
  host_open(&h, "in x  out y  y = x[1]");
  weir_options options = {.size = sizeof options, .max_value_nesting = limit};
  weir_monitor *m;
  cr_assert_eq(weir_monitor_new(h.engine, h.program, &options, &m, NULL), WEIR_OK);
  weir_value v = nested(levels);
  weir_code rc = weir_monitor_push(m, &v, 1, NULL);
  if (rc == WEIR_OK) rc = weir_monitor_push(m, &v, 1, NULL);
  weir_monitor_free(m);
  host_close(&h);
  return rc;
}

Test(runtime_convert, the_nesting_limit_is_an_option) {
  cr_expect_eq(enter_with_limit(1, 1), WEIR_OK);
  cr_expect_eq(enter_with_limit(2, 1), WEIR_E_ADMIT);
  cr_expect_eq(enter_with_limit(2999, 2999), WEIR_OK);
  cr_expect_eq(enter_with_limit(2999, 2998), WEIR_E_ADMIT);
  cr_expect_eq(enter_with_limit(1000, 0), WEIR_OK, "0 is the default");
}

static void push_deep(void *arg) { *(weir_code *)arg = enter_with_limit(2999, 2999); }

Test(runtime_convert, deep_values_need_no_stack) {
  weir_code rc = WEIR_E_IO;
  host_on_small_stack(push_deep, &rc);
  cr_expect_eq(rc, WEIR_OK);
}

/* ---- A refused row ---- */

Test(runtime_convert, a_refused_row_changes_nothing) {
  host h;
  host_open(&h, "in x: Int  in s: Str  out y: Int  out z: Str  out n: Int  y = x[1] + x  z = s ++ s[1]  n = default(n[1], 0) + 1");
  const weir_value good[] = {an_int(1), a_text("the first text, long enough for a block")}, bad[] = {an_int(2), a_text("\xff")};
  const weir_value wrong[] = {a_text("no Int, but long enough for a block of its own"), a_text("s")}, next[] = {an_int(3), no_value()};
  cr_assert_eq(host_push(&h, good), WEIR_OK);
  cr_assert_eq(host_push(&h, good), WEIR_OK);
  size_t used = weir_monitor_memory(h.monitor, NULL);
  for (int i = 0; i < 1000; i++) {
    cr_assert_eq(host_push(&h, i % 2 == 0 ? bad : wrong), WEIR_E_ADMIT);
    cr_expect_eq(h.e.row, 2);
  }
  cr_expect_not(weir_monitor_is_terminal(h.monitor));
  cr_expect_eq(weir_monitor_ticks(h.monitor), 2);
  cr_expect(host_is(&h, "y", an_int(2)) && host_is(&h, "n", an_int(2)), "outputs are still those of the last tick");
  cr_expect_leq(weir_monitor_memory(h.monitor, NULL), used + 1024, "and nothing piles up");
  cr_assert_eq(host_push(&h, next), WEIR_OK);
  cr_expect(host_is(&h, "y", an_int(4)), "history has no trace of the refused rows");
  cr_expect(host_is(&h, "n", an_int(3)));
  cr_expect(host_is(&h, "z", a_text("the first text, long enough for a blockthe first text, long enough for a block")), "nor has the memory of s");
  host_close(&h);
}

Test(runtime_convert, a_row_of_the_wrong_length_changes_nothing) {
  host h;
  host_open(&h, "in x: Int  out y: Int  y = x");
  const weir_value row[2] = {an_int(1), an_int(2)};
  cr_expect_eq(weir_monitor_push(h.monitor, row, 2, &h.e), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_monitor_push(h.monitor, row, 0, &h.e), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_monitor_push(h.monitor, NULL, 1, &h.e), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_monitor_push(h.monitor, row, 1, NULL), WEIR_OK, "an error object is not needed");
  cr_expect_eq(weir_monitor_ticks(h.monitor), 1);
  host_close(&h);
}

/* ---- Any inside Weir ---- */

static weir_code through_any(host *h, const char *type, weir_value v) {
  char spec[200];
  snprintf(spec, sizeof spec, "in x  out y: %s  y = x", type);
  host_open(h, spec);
  return host_push(h, &v);
}

Test(runtime_convert, any_is_converted_where_it_enters_a_stream) {
  const weir_value ints[] = {an_int(1), an_int(2)}, floats[] = {a_float(1), a_float(2)};
  const weir_entry entry = {a_text("k"), a_list(2, ints)}, entry_out = {a_text("k"), a_list(2, floats)};
  host h;
  cr_expect_eq(through_any(&h, "Map<List<Float>>", a_map(1, &entry)), WEIR_OK, "%s", h.e.text);
  cr_expect(host_is(&h, "y", a_map(1, &entry_out)));
  host_close(&h);
  cr_expect_eq(through_any(&h, "List<Int>", a_list(2, ints)), WEIR_OK, "%s", h.e.text);
  cr_expect(host_is(&h, "y", a_list(2, ints)));
  host_close(&h);
}

Test(runtime_convert, any_that_does_not_fit_fails_the_tick_and_says_what_was_found) {
  const weir_value items[] = {an_int(1), a_text("two")}, inner = a_list(2, items);
  host h;
  cr_expect_eq(through_any(&h, "List<List<Float>>", a_list(1, &inner)), WEIR_E_KIND);
  cr_expect_str_eq(h.e.text, "expected Float, got Str");
  cr_expect(weir_monitor_is_terminal(h.monitor));
  host_close(&h);
  cr_expect_eq(through_any(&h, "(Int, Str)", a_list(2, items)), WEIR_E_KIND, "only the boundary takes a list for a tuple");
  host_close(&h);
  cr_expect_eq(through_any(&h, "Int", a_float(1)), WEIR_E_KIND);
  host_close(&h);
}

Test(runtime_convert, converting_leaves_the_original_as_it_was) {
  host h;
  host_open(&h, "in x  out any  out y: List<Float>  out before: Any  any = x  y = x  before = x[1]");
  const weir_value ints[] = {an_int(1), an_int(2)}, floats[] = {a_float(1), a_float(2)}, list = a_list(2, ints);
  for (int i = 0; i < 3; i++) {
    cr_assert_eq(host_push(&h, &list), WEIR_OK);
    cr_expect(host_is(&h, "any", a_list(2, ints)));
    cr_expect(host_is(&h, "y", a_list(2, floats)));
    cr_expect(host_is(&h, "before", i == 0 ? deferred() : a_list(2, ints)));
  }
  host_close(&h);
}
