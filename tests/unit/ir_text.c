/* tests/unit/ir_text.c -- scalar bodies as text, in both directions. */
#include "tests/test.h"
#include "tests/support/irlab.h"
#include "tests/support/model.h"
#include "tests/support/tiers.h"

#include <stdio.h>
#include <string.h>

enum { PROGRAMS = 3000 };

static const char *const whole_text =
  "body whole\n"
  "%0 = read int stream 0 may noval|deferred @9-10  ; x\n"
  "%1 = hold int %0 state 0 may noval|deferred @9-10\n"
  "%2 = const int -7 stream 1 @13-14  ; y\n"
  "%3 = div int %1, %2 may noval|deferred @11-12\n";

Test(ir_text, the_states_of_the_lab_are_what_its_header_says) {
  static const struct { const char *stream; wir_state_kind kind; uint64_t capacity; } states[] = {
    {"x", WIR_STATE_HELD, 1}, {"x", WIR_STATE_HISTORY, 3}, {"f", WIR_STATE_HELD, 1}, {"f", WIR_STATE_HISTORY, 1}, {"g", WIR_STATE_HELD, 1},
    {"a", WIR_STATE_HELD, 1}, {"i", WIR_STATE_OUTPUT, 2}, {"i", WIR_STATE_HOLD, 1}, {"i", WIR_STATE_DELAY, 1}, {"i", WIR_STATE_RESULT, 1},
    {"i", WIR_STATE_HOLD, 1}, {"t", WIR_STATE_FLAG, 1}, {"t", WIR_STATE_FLAG, 1}, {"t", WIR_STATE_HOLD, 1},
  };
  lab l;
  lab_open(&l, LAB_SPEC);
  cr_assert_eq(l.p->n_states, WB_LEN(states));
  for (uint32_t i = 0; i < WB_LEN(states); i++) {
    wb_str name = wir_stream_name(l.p, l.p->states[i].stream);
    cr_expect(wb_str_eq(name, (wb_str){states[i].stream, 1}) && l.p->states[i].kind == states[i].kind &&
              l.p->states[i].capacity == states[i].capacity, "state %u", i);
  }
  lab_close(&l);
}

Test(ir_text, prints_what_counts_and_names_for_people) {
  lab l;
  lab_open(&l, "in x: Int\nout y: Int\ny = 7 / x\n");
  wir_body b = lab_lower(&l, true);
  wir_words w = {.mem = &l.mem};
  wir_print_body(&w, l.p, &b, WIR_PRINT_NAMES);
  cr_assert(WB_PUSH(&l.mem, &w.bytes, '\0'));
  cr_expect_str_eq(w.bytes.at,
    "body whole\n"
    "%0 = const int 7 stream 1  ; y\n"
    "%1 = read int stream 0 may noval|deferred  ; x\n"
    "%2 = hold int %1 state 0 stream 0 may noval|deferred  ; x\n"
    "%3 = div int %0, %2 stream 1 may noval|deferred  ; y\n"
    "keep %2 state 0 stream 0  ; x\n"
    "write %3 stream 1  ; y\n");
  lab_close(&l);
}

Test(ir_text, every_form_is_read_and_printed_as_it_was) {
  static const char *const texts[] = {
    "body part\n",
    "body whole\n",
    "body part\n%0 = read int stream 1 may noval|deferred\nwrite %0 stream 6\n",
    "body part\n%0 = const int -9223372036854775808\n%1 = const int 9223372036854775807\n",
    "body part\n%0 = const float -0.0\n%1 = const float nan\n%2 = const float -inf\n%3 = const float 5e-324\n%4 = const float nan:fff8000000000001\n",
    "body part\n%0 = const bool true\n%1 = const bool false\n%2 = select bool %0, %1, %0 guarded may failed|noval|deferred @0-1\n",
    "body part\n%0 = ring int ago 3 state 1 stream 6 may deferred\n%1 = add int %0, %0 guarded may failed|deferred @12-15\n",
    "body part\n%0 = read int\n%1 = const int 3 @4294967294-0\n%2 = rem int %0, %1 safe\n%3 = rem int %0, %1 guarded safe\n",
    "body part\n%0 = read int may noval\n%1 = fill int %0 state 1\n%2 = started %1 state 12 stream 8\npush %1 state 1 stream 0\nkeep %2 state 12 stream 8\n",
    "body part\n%0 = read int\nwrite %0 stream 0\n%2 = read int stream 1\n", /* the verifier refuses that */
    "body part\n%0 = neg int %9\n%1 = lt %9, %10\nkeep %77 state 4294967294 stream 4294967294\n",
  };
  lab l;
  lab_open(&l, LAB_SPEC);
  for (size_t i = 0; i < WB_LEN(texts); i++) {
    wir_body b = lab_read(&l, texts[i]);
    const char *printed = lab_print(&l, &b);
    /* The stream of a read is always told, and effects lose no `%n =`. */
    wir_body again = lab_read(&l, strstr(texts[i], "read int\nwrite") == NULL ? printed : texts[i]);
    cr_expect_eq(lab_difference(&b, &again), UINT32_MAX, "%s", texts[i]);
    if (strstr(texts[i], "read int") == NULL) cr_expect_str_eq(printed, texts[i]);
  }
  lab_close(&l);
}

Test(ir_text, blanks_comments_and_empty_lines_do_not_count) {
  lab l;
  lab_open(&l, LAB_SPEC);
  wir_body b = lab_read(&l, "\n ; a comment\n\tbody  part ; another\r\n\n%0=const int 1;no blank\n  % 1 = add int %0 ,%0 may deferred |noval @ 1 - 2\nwrite %1 stream 6");
  cr_expect_str_eq(lab_print(&l, &b), "body part\n%0 = const int 1\n%1 = add int %0, %0 may noval|deferred @1-2\nwrite %1 stream 6\n");
  lab_close(&l);
}

Test(ir_text, says_where_a_text_is_no_body) {
  static const struct { const char *text; uint32_t begin; const char *what; } cases[] = {
    {"", 0, "expected body"},
    {"body", 4, "expected whole or part"},
    {"body whole x", 11, "expected the end of the line"},
    {"body part\n%0 = frobnicate %1\n", 15, "there is no instruction frobnicate"},
    {"body part\n%1 = const int 1\n", 10, "this is instruction 0"},
    {"body part\n%0 const int 1\n", 13, "expected an equals sign"},
    {"body part\nconst int 1\n", 10, "const has a result"},
    {"body part\n%0 = keep %1 state 2\n", 14, "keep has no result"},
    {"body part\n%0 = const text 1\n", 21, "expected int, float or bool"},
    {"body part\n%0 = const\n", 20, "expected int, float or bool"},
    {"body part\n%0 = const int\n", 24, "expected a value"},
    {"body part\n%0 = const int 1.5\n", 25, "expected a value of kind int"},
    {"body part\n%0 = const int 9223372036854775808\n", 25, "expected a value of kind int"},
    {"body part\n%0 = const float one\n", 27, "expected a value of kind float"},
    {"body part\n%0 = const float nan:7ff0000000000000\n", 27, "expected a value of kind float"},
    {"body part\n%0 = const bool 1\n", 26, "expected a value of kind bool"},
    {"body part\n%0 = add int 1\n", 23, "expected an operand"},
    {"body part\n%0 = add int %1\n", 25, "expected a comma"},
    {"body part\n%0 = add int %1, %4294967295\n", 28, "the number is too large"},
    {"body part\n%0 = add int %1, %99999999999999999999999\n", 28, "the number is too large"},
    {"body part\n%0 = ring int 3\n", 24, "expected ago"},
    {"body part\n%0 = ring int ago 18446744073709551616\n", 28, "the number is too large"},
    {"body part\n%0 = read int may\n", 27, "expected failed, noval or deferred"},
    {"body part\n%0 = read int may be\n", 28, "expected failed, noval or deferred"},
    {"body part\n%0 = read int may noval|noval\n", 34, "expected failed, noval or deferred, each once"},
    {"body part\n%0 = read int @1\n", 26, "expected a dash"},
    {"body part\n%0 = read int @x\n", 25, "expected a number"},
    {"body part\n%0 = read int safe guarded\n", 29, "expected the end of the line"},
    {"body part\n%0 = read int state x\n", 30, "expected a number"},
  };
  lab l;
  lab_open(&l, LAB_SPEC);
  for (size_t i = 0; i < WB_LEN(cases); i++) {
    weir_error e = {0};
    wir_body b;
    wb_str text = {cases[i].text, strlen(cases[i].text)};
    cr_expect_eq(wir_read_body(text, &l.mem, &b, &e), WEIR_E_PARSE, "%s", cases[i].text);
    cr_expect(strstr(e.text, cases[i].what) == e.text && e.span.begin == cases[i].begin, "%s: %s at %u", cases[i].text, e.text, e.span.begin);
    cr_expect_null(b.ins);
  }
  lab_close(&l);
}

Test(ir_text, exhausted_memory_is_an_error_at_every_request) {
  lab l;
  lab_open(&l, LAB_SPEC);
  wb_str text = {whole_text, strlen(whole_text)};
  for (uint64_t n = 1;; n++) {
    wb_mem mem;
    wir_body b;
    weir_error e;
    wb_mem_init(&mem, &l.door, 0);
    l.door.fail_at = l.door.calls + n;
    weir_code rc = wir_read_body(text, &mem, &b, &e);
    wir_words w = {.mem = &mem};
    if (rc == WEIR_OK) wir_print_body(&w, l.p, &b, 0);
    l.door.fail_at = 0;
    wb_mem_drop(&mem);
    cr_expect(rc == WEIR_OK || rc == WEIR_E_MEMORY);
    if (rc == WEIR_OK && !w.has_failed) break;
    cr_assert_lt(n, 100u);
  }
  lab_close(&l);
}

/* What lower.c and narrow make of random programs: valid, and the same after a trip through text. */
static void expect_round_trip(lab *l, const wir_body *b, const char *what, uint64_t seed) {
  uint32_t at = 0;
  const char *why = wir_verify(l->p, b, &at);
  const char *text = lab_print(l, b);
  cr_assert_null(why, "seed %llu, %s: instruction %u: %s\n%s", (unsigned long long)seed, what, at, why, text);
  wir_body again = lab_read(l, text);
  cr_assert_eq(lab_difference(b, &again), UINT32_MAX, "seed %llu, %s", (unsigned long long)seed, what);
  cr_assert_str_eq(lab_print(l, &again), text);
}

static void try_whole(lab *l, uint64_t seed) {
  wir_body general = lab_lower(l, true), warm;
  expect_round_trip(l, &general, "lowered", seed);
  cr_assert(wir_narrow(l->p, &general, NULL, &l->mem));
  expect_round_trip(l, &general, "narrowed", seed);
  uint8_t *of_stream = WB_NEW_ARRAY(&l->mem, uint8_t, l->p->n_streams), *of_state = WB_NEW_ARRAY(&l->mem, uint8_t, l->p->n_states);
  for (uint8_t of_input = 0; of_input <= WIR_MAY_NOVAL; of_input++) {
    cr_assert(wir_narrow_to_warm(l->p, &general, 1, of_input, of_stream, of_state, &l->mem, &warm));
    expect_round_trip(l, &warm, "narrowed to warm", seed);
  }
}

static void try_part(lab *l, uint64_t seed) {
  wir_body b;
  uint32_t *scalar = WB_NEW_ARRAY(&l->mem, uint32_t, l->p->n_streams), n = 0;
  for (uint32_t i = 0; i < l->p->n_streams - l->p->n_inputs; i++)
    if (wir_is_scalar(l->p, l->p->order[i])) scalar[n++] = l->p->order[i];
  cr_assert(wir_lower(l->p, scalar, n, false, &l->mem, &b));
  expect_round_trip(l, &b, "part", seed);
  cr_assert(wir_narrow(l->p, &b, NULL, &l->mem));
  expect_round_trip(l, &b, "narrowed part", seed);
}

Test(ir_text, bodies_of_random_programs_are_valid_and_survive_text, .timeout = 86400) {
  uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1), end = seed + tiers_setting("WEIR_MODEL_COUNT", PROGRAMS);
  for (uint32_t n_whole = 0; seed < end; seed++) {
    lab l;
    model *m = model_new(seed, 1);
    lab_open(&l, model_print(m));
    bool is_whole = true;
    for (uint32_t i = 0; i < l.p->n_streams; i++) is_whole &= wir_is_scalar(l.p, i);
    if (is_whole) try_whole(&l, seed);
    try_part(&l, seed);
    n_whole += is_whole;
    lab_close(&l);
    model_free(m);
    if (seed + 1 == end) cr_expect_gt(n_whole, 0u);
  }
}
