/* tests/unit/weir_typed.c -- rows of cells; and what a program tells about kinds, names, places and codes. */
#include "tests/test.h"
#include "tests/support/host.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static weir_cell int_cell(int64_t i) { return (weir_cell){.i = i}; }
static weir_cell float_cell(double f) { return (weir_cell){.f = f}; }

static weir_code push(host *h, const weir_cell *in, weir_cell *out) {
  return weir_monitor_push_typed(h->monitor, in, NULL, NULL, out, NULL, NULL, &h->e);
}

static const char four[] =
    "in i: Int  in f: Float  in b: Bool  in u: Unit\n"
    "out oi: Int  out of: Float  out ob: Bool  out ou: Unit\n"
    "oi = i  of = f  ob = b  ou = u";

Test(weir_typed, each_kind_has_its_cell) {
  host h;
  host_open(&h, four);
  cr_expect(weir_program_is_typed(h.program));
  weir_cell in[4] = {int_cell(INT64_MIN), float_cell(-0.0), int_cell(1), int_cell(77)}, out[4];
  uint64_t present, is_deferred;
  cr_assert_eq(weir_monitor_push_typed(h.monitor, in, NULL, NULL, out, &present, &is_deferred, &h.e), WEIR_OK);
  cr_expect_eq(present, 15);
  cr_expect_eq(is_deferred, 0);
  cr_expect_eq(out[0].i, INT64_MIN);
  cr_expect_eq(out[1].bits, in[1].bits, "minus zero stays that");
  cr_expect_eq(out[2].bits, 1);
  cr_expect_eq(out[3].bits, 0, "a unit's cell holds nothing");
  in[1].f = NAN;
  in[2].i = 0;
  cr_assert_eq(push(&h, in, out), WEIR_OK);
  cr_expect(isnan(out[1].f));
  cr_expect_eq(out[2].bits, 0);
  host_close(&h);
}

Test(weir_typed, a_row_tells_values_from_nothing_and_deferred) {
  host h;
  host_open(&h, four);
  for (unsigned present = 0; present < 16; present++)
    for (unsigned late = 0; late < 16; late++) {
      weir_cell in[4] = {int_cell(5), float_cell(0.5), int_cell(1), int_cell(0)}, out[4];
      uint64_t ins[2] = {present, late}, outs[2];
      for (int i = 0; i < 4; i++)
        if (!(present >> i & 1) || late >> i & 1) in[i].bits = UINT64_MAX; /* not looked at: it is no Bool either */
      cr_assert_eq(weir_monitor_push_typed(h.monitor, in, &ins[0], &ins[1], out, &outs[0], &outs[1], &h.e), WEIR_OK);
      cr_expect_eq(outs[0], present & ~late, "what is deferred has no value");
      cr_expect_eq(outs[1], late);
      for (int i = 0; i < 4; i++) cr_expect_eq(out[i].bits, outs[0] >> i & 1 ? in[i].bits * (i != 3) : 0);
    }
  host_close(&h);
}

/* Rows without Deferred inputs find it in the past. */
Test(weir_typed, a_first_row_that_is_deferred_is_remembered_as_such) {
  static const struct { const char *text; unsigned late; } cases[] = {{"in x: Int  out y: Int  y = x[1]", 2}, {"in x: Int  out y: Int  y = default(y[1], y[2])", 4}};
  for (unsigned i = 0; i < 2 * WEIR_TIER_COUNT; i++) {
    host h;
    weir_cell in = int_cell(5), out;
    uint64_t late = 1, present, is_deferred;
    host_open(&h, cases[i % 2].text);
    cr_assert_eq(weir_monitor_set_tier(h.monitor, (weir_tier)(i / 2), &h.e), WEIR_OK);
    for (unsigned row = 0; row < 4; row++) {
      weir_code rc = weir_monitor_push_typed(h.monitor, &in, NULL, row == 0 ? &late : NULL, &out, &present, &is_deferred, &h.e);
      cr_assert_eq(rc, WEIR_OK, "%s", h.e.text);
      cr_expect_eq(is_deferred, row < cases[i % 2].late, "tier %u, row %u, %s", i / 2, row, cases[i % 2].text);
      cr_expect_eq(present, !is_deferred);
    }
    host_close(&h);
  }
}

/* As many inputs and outputs as asked for, oi = xi. */
static void open_wide(host *h, unsigned n) {
  size_t size = n * 64 + 1, at = 0;
  char *text = malloc(size);
  cr_assert(text != NULL);
  for (unsigned i = 0; i < n; i++) at += (size_t)snprintf(text + at, size - at, "in x%u: Int  out o%u: Int  o%u = x%u\n", i, i, i, i);
  host_open(h, text);
  free(text);
}

Test(weir_typed, words_hold_64_bits_each_and_nothing_is_written_past_them) {
  static const unsigned widths[] = {1, 2, 63, 64, 65, 127, 128, 129, 200};
  for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
    unsigned n = widths[w];
    host h;
    open_wide(&h, n);
    weir_cell in[200], out[201];
    uint64_t present[5], late[5], out_present[5], out_late[5];
    for (unsigned shift = 0; shift < 5; shift++) {
      for (unsigned i = 0; i < n; i++) in[i].i = (int64_t)i * 1000 + shift;
      for (unsigned k = 0; k < 5; k++) present[k] = UINT64_C(0x9249249249249249) << shift, late[k] = UINT64_C(0x8080808080808080) >> shift;
      memset(out, 0xa5, sizeof out);
      memset(out_present, 0xa5, sizeof out_present);
      memset(out_late, 0xa5, sizeof out_late);
      cr_assert_eq(weir_monitor_push_typed(h.monitor, in, present, late, out, out_present, out_late, &h.e), WEIR_OK);
      for (unsigned i = 0; i < WEIR_WORDS(n) * 64; i++) {
        bool is_late = i < n && late[i / 64] >> i % 64 & 1, is_there = i < n && !is_late && present[i / 64] >> i % 64 & 1;
        cr_expect_eq(out_present[i / 64] >> i % 64 & 1, is_there);
        cr_expect_eq(out_late[i / 64] >> i % 64 & 1, is_late, "bits past the last output are 0");
        if (i < n) cr_expect_eq(out[i].i, is_there ? in[i].i : 0);
      }
      cr_expect_eq(out[n].bits, UINT64_C(0xa5a5a5a5a5a5a5a5));
      cr_expect_eq(out_present[WEIR_WORDS(n)], UINT64_C(0xa5a5a5a5a5a5a5a5));
      cr_expect_eq(out_late[WEIR_WORDS(n)], UINT64_C(0xa5a5a5a5a5a5a5a5));
    }
    host_close(&h);
  }
}

Test(weir_typed, a_bool_is_0_or_1_and_the_row_may_be_corrected) {
  host h;
  host_open(&h, "in n: Int  in door: Bool  out sum: Int  sum = default(sum[1], 0) + (if door then n else 0)");
  weir_cell in[2] = {int_cell(5), int_cell(1)}, out[1];
  cr_assert_eq(push(&h, in, out), WEIR_OK);
  static const int64_t wrong[] = {2, -1, 256, INT64_MIN, INT64_C(1) << 32};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    in[1].i = wrong[i];
    cr_expect_eq(push(&h, in, out), WEIR_E_ADMIT);
    cr_expect_eq(h.e.row, 1);
    cr_expect(strstr(h.e.text, "door") != NULL && strstr(h.e.text, "Bool") != NULL, "%s", h.e.text);
    cr_expect(!weir_monitor_is_terminal(h.monitor));
    cr_expect_eq(weir_monitor_ticks(h.monitor), 1);
  }
  in[1].i = 1;
  cr_assert_eq(push(&h, in, out), WEIR_OK);
  cr_expect_eq(out[0].i, 10);
  host_close(&h);
}

Test(weir_typed, a_program_that_does_not_fit_cells_is_refused_by_name) {
  static const struct { const char *text, *names, *type; } cases[] = {
    {"in s: Str  out n: Int  n = 1", "input s", "Str"},
    {"in x: Any  out n: Int  n = 1", "input x", "Any"},
    {"in l: List<Int>  out n: Int  n = 1", "input l", "List<Int>"},
    {"in x: Int  out name: Str  name = \"a\"", "output name", "Str"},
    {"in x: Int  in a: Any  out y: Int  out z: Any  y = x  z = a", "input a", "Any"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    host h;
    host_open(&h, cases[i].text);
    weir_cell cells[4] = {{0}};
    cr_expect(!weir_program_is_typed(h.program));
    cr_expect_eq(push(&h, cells, cells + 2), WEIR_E_ARGUMENT);
    cr_expect(strstr(h.e.text, cases[i].names) != NULL && strstr(h.e.text, cases[i].type) != NULL, "%s", h.e.text);
    cr_expect(!weir_monitor_is_terminal(h.monitor));
    host_close(&h);
  }
  host h; /* what is neither an input nor an output may be of any type */
  host_open(&h, "in x: Int  aux s: Str  out y: Bool  s = if x > 1 then \"a\" else \"b\"  y = s == \"a\"");
  weir_cell in[1] = {int_cell(2)}, out[1];
  cr_expect(weir_program_is_typed(h.program));
  cr_expect_eq(push(&h, in, out), WEIR_OK);
  cr_expect_eq(out[0].i, 1);
  host_close(&h);
}

Test(weir_typed, what_a_program_does_not_have_needs_no_buffer) {
  host h;
  weir_cell cell = int_cell(3);
  host_open(&h, "out n: Int  n = default(n[1], 0) + 1");
  cr_expect_eq(push(&h, NULL, &cell), WEIR_OK);
  cr_expect_eq(push(&h, NULL, &cell), WEIR_OK);
  cr_expect_eq(cell.i, 2);
  cr_expect_eq(push(&h, NULL, NULL), WEIR_E_ARGUMENT);
  host_close(&h);
  host_open(&h, "in x: Int  aux y: Int  y = x");
  cr_expect_eq(push(&h, &cell, NULL), WEIR_OK);
  cr_expect_eq(push(&h, NULL, NULL), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_monitor_push_typed(NULL, &cell, NULL, NULL, NULL, NULL, NULL, NULL), WEIR_E_ARGUMENT);
  host_close(&h);
}

Test(weir_typed, a_tick_that_fails_ends_the_monitor_with_its_row_and_place) {
  host h;
  host_open(&h, "in x: Int  out y: Int  y = 10 / x");
  weir_cell in[1] = {int_cell(2)}, out[1];
  cr_assert_eq(push(&h, in, out), WEIR_OK);
  in[0].i = 0;
  cr_expect_eq(push(&h, in, out), WEIR_E_DIV_ZERO);
  cr_expect_eq(h.e.row, 1);
  cr_expect(h.e.span.begin < h.e.span.end);
  cr_expect(weir_monitor_is_terminal(h.monitor));
  in[0].i = 2;
  cr_expect_eq(push(&h, in, out), WEIR_E_TERMINAL);
  cr_expect_eq(weir_monitor_push_typed(h.monitor, in, NULL, NULL, out, NULL, NULL, NULL), WEIR_E_TERMINAL);
  host_close(&h);
}

/* One history, whoever writes it; weir_monitor_output shows the tagged rows alone. */
Test(weir_typed, the_forms_of_a_push_can_take_turns) {
  host h;
  host_open(&h, "in x: Int  out y: Int  y = default(y[1], 0) + x");
  int64_t sum = 0;
  for (int64_t i = 1; i < 40; i++) {
    sum += i;
    weir_cell in[1] = {int_cell(i)}, out[1] = {int_cell(0)};
    weir_in_column ins[1] = {{.as.i = &in[0].i}};
    weir_out_column outs[1] = {{.as.i = &out[0].i}};
    if (i % 3 == 0) {
      cr_assert_eq(host_push(&h, (weir_value[]){an_int(i)}), WEIR_OK);
      cr_expect(host_is(&h, "y", an_int(sum)));
      continue;
    }
    int64_t before = weir_monitor_output(h.monitor, 0)->as.i;
    if (i % 3 == 1) cr_assert_eq(push(&h, in, out), WEIR_OK);
    else cr_assert_eq(weir_monitor_push_batch(h.monitor, 1, ins, 1, outs, 1, NULL, &h.e), WEIR_OK);
    cr_expect_eq(out[0].i, sum);
    cr_expect_eq(weir_monitor_output(h.monitor, 0)->as.i, before);
  }
  cr_expect_eq(weir_monitor_ticks(h.monitor), 39);
  host_close(&h);
}

Test(weir_typed, a_declined_row_is_told_once_in_each_form) {
  host h;
  host_open(&h, "in x: Int  out y: Int  y = if x > 2 then 10 / (x - x) else x");
  cr_assert_eq(weir_monitor_set_tier(h.monitor, WEIR_TIER_QUICKENED, &h.e), WEIR_OK);
  weir_monitor *other;
  weir_options quickened = {.size = sizeof quickened, .tier = WEIR_TIER_QUICKENED};
  cr_assert_eq(weir_monitor_new(h.engine, h.program, &quickened, &other, &h.e), WEIR_OK);
  weir_cell in = int_cell(1), out;
  cr_assert_eq(push(&h, &in, &out), WEIR_OK);
  in.i = 3;
  weir_value three = an_int(3);
  cr_expect_eq(push(&h, &in, &out), WEIR_E_DIV_ZERO);
  cr_expect_eq(weir_monitor_push(other, &three, 1, &h.e), WEIR_E_DIV_ZERO);
  weir_report typed = {.size = sizeof typed}, tagged = {.size = sizeof tagged};
  weir_monitor_report(h.monitor, &typed);
  weir_monitor_report(other, &tagged);
  uint64_t n = 0;
  for (int i = 0; i < WEIR_CAUSE_COUNT; i++) {
    n += typed.declined[i];
    cr_expect_eq(typed.declined[i], tagged.declined[i], "%s", weir_cause_text((weir_cause)i));
  }
  cr_expect_eq(n, 1);
  cr_expect_eq(typed.rows[WEIR_TIER_QUICKENED], 1);
  weir_monitor_free(other);
  host_close(&h);
}

Test(weir_typed, a_row_asks_for_no_memory) {
  host_memory memory;
  host_memory_open(&memory);
  weir_engine_options options = {.size = sizeof options, .allocator = &memory.allocator};
  const char *text = "in x: Int  out y: Int  y = default(y[1], 0) + (if x == 0 then 0 else 100 / x)";
  host h = {0};
  cr_assert_eq(weir_engine_new(&options, &h.engine, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(h.engine, text, strlen(text), NULL, &h.program, NULL), WEIR_OK);
  cr_assert_eq(weir_monitor_new(h.engine, h.program, NULL, &h.monitor, NULL), WEIR_OK);
  weir_cell in[1] = {int_cell(0)}, out[1];
  cr_assert_eq(push(&h, in, out), WEIR_OK); /* the first failure inside a guard makes room for one */
  uint64_t calls = memory.calls;
  for (int i = 0; i < 100; i++) {
    in[0].i = i % 3;
    cr_assert_eq(push(&h, in, out), WEIR_OK);
  }
  cr_expect_eq(memory.calls, calls);
  host_close(&h);
  cr_expect_eq(memory.live, 0);
}

Test(weir_typed, exhausted_memory_is_an_error_wherever_it_strikes) {
  const char *text = "in x: Int  out y: Int  y = default(x[3], 0) + (if x == 0 then 0 else 100 / x)";
  uint64_t n = 1;
  for (bool is_done = false; !is_done; n++) {
    host_memory memory;
    host_memory_open(&memory);
    memory.fail_at = n;
    weir_engine_options options = {.size = sizeof options, .allocator = &memory.allocator};
    host h = {0};
    weir_cell in[1] = {int_cell(0)}, out[1];
    weir_code rc = weir_engine_new(&options, &h.engine, NULL);
    if (rc == WEIR_OK) rc = weir_compile(h.engine, text, strlen(text), NULL, &h.program, NULL);
    if (rc == WEIR_OK) rc = weir_monitor_new(h.engine, h.program, NULL, &h.monitor, NULL);
    if (rc == WEIR_OK) rc = push(&h, in, out);
    cr_expect(rc == WEIR_OK || rc == WEIR_E_MEMORY);
    is_done = rc == WEIR_OK;
    host_close(&h);
    cr_expect_eq(memory.live, 0);
  }
  cr_expect_gt(n, 8);
}

/* ---- What a program tells ---- */

Test(weir_typed, every_kind_is_told) {
  host h;
  host_open(&h, "in a: Any  in i: Int  in f: Float  in b: Bool  in s: Str  in u: Unit  in l: List<Int>  in m: Map<Str>\n"
                "in t: (Int, Str)  in r: Struct<name: Str, ...>  out o: Str  aux p: Bool  p = b  o = s");
  static const weir_kind kinds[] = {WEIR_KIND_ANY, WEIR_KIND_INT, WEIR_KIND_FLOAT, WEIR_KIND_BOOL, WEIR_KIND_TEXT, WEIR_KIND_UNIT,
                                    WEIR_KIND_LIST, WEIR_KIND_MAP, WEIR_KIND_TUPLE, WEIR_KIND_STRUCT};
  for (uint32_t i = 0; i < WEIR_KIND_COUNT; i++) cr_expect_eq(weir_program_input_kind(h.program, i), kinds[i], "input %u", i);
  cr_expect_eq(weir_program_output_kind(h.program, 0), WEIR_KIND_TEXT);
  cr_expect_eq(weir_program_stream_kind(h.program, weir_program_find_stream(h.program, "p", 1)), WEIR_KIND_BOOL);
  host_close(&h);
}

Test(weir_typed, streams_are_found_by_name_among_their_own) {
  host h;
  host_open(&h, "in x: Int  aux mid: Int  out y: Int  in z: Int  out second: Int  mid = x  y = mid  second = z");
  const weir_program *p = h.program;
  cr_expect_eq(weir_program_find_input(p, "x", 1), 0);
  cr_expect_eq(weir_program_find_input(p, "z", 1), 1);
  cr_expect_eq(weir_program_find_output(p, "y", 1), 0);
  cr_expect_eq(weir_program_find_output(p, "second", 6), 1);
  cr_expect_eq(weir_program_find_output(p, "secondary", 6), 1, "the length counts");
  cr_expect_eq(weir_program_find_stream(p, "mid", 3), 2);
  static const char *const absent[] = {"mid", "none", ""};
  for (size_t i = 0; i < 3; i++) {
    cr_expect_eq(weir_program_find_input(p, absent[i], strlen(absent[i])), UINT32_MAX);
    cr_expect_eq(weir_program_find_output(p, absent[i], strlen(absent[i])), UINT32_MAX);
  }
  cr_expect_eq(weir_program_find_input(p, "y", 1), UINT32_MAX);
  cr_expect_eq(weir_program_find_output(p, "x", 1), UINT32_MAX);
  cr_expect_eq(weir_program_find_stream(p, NULL, 0), UINT32_MAX);
  host_close(&h);
}

Test(weir_typed, a_failed_tick_can_be_shown_in_the_text) {
  host h;
  host_open(&h, "in x: Int\nout y: Int\n// \xc3\xa9\ny = 1 + 10 / x\n");
  cr_assert_eq(host_push(&h, (weir_value[]){an_int(0)}), WEIR_E_DIV_ZERO);
  size_t length;
  const char *text = weir_program_text(h.program, &length);
  cr_expect_eq(length, strlen(text));
  weir_position at = weir_position_of(text, length, h.e.span.begin);
  cr_expect_eq(at.line, 4);
  cr_expect_eq(at.column, 12, "the division; column %" PRIu64, at.column);
  cr_expect_eq(weir_program_text(h.program, NULL), text);
  host_close(&h);
}

Test(weir_typed, places_count_lines_and_characters) {
  static const char text[] = "a\xc3\xa9z\r\n\tb";
  static const struct { uint32_t at; uint64_t line, column; } places[] = {{0, 1, 1}, {1, 1, 2}, {3, 1, 3}, {6, 2, 1}, {7, 2, 2}, {8, 2, 3}, {99, 2, 3}};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    weir_position p = weir_position_of(text, sizeof text - 1, places[i].at);
    cr_expect(p.line == places[i].line && p.column == places[i].column, "byte %u: %" PRIu64 ":%" PRIu64, places[i].at, p.line, p.column);
  }
  weir_position p = weir_position_of(NULL, 0, 5);
  cr_expect(p.line == 1 && p.column == 1);
}

Test(weir_typed, every_code_says_what_it_means) {
  cr_expect_str_eq(weir_code_text(WEIR_OK), "");
  cr_expect_str_eq(weir_code_text(WEIR_CODE_COUNT), "");
  for (unsigned i = 1; i < WEIR_CODE_COUNT; i++) cr_expect_gt(strlen(weir_code_text((weir_code)i)), 5, "%u", i);
  cr_expect_str_eq(weir_code_text(WEIR_E_OVERFLOW), "an integer result left the range");
}
