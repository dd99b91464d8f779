/* tests/unit/faults.c -- faults that people met in systems like this one, by their numbers, through the public API.
**
** 2 SIGFPE · 3 a guarded division hoisted · 4 huge delays · 5 deep nesting · 6 the host's locale · 8 half a text taken for a whole ·
** 14 names that collide · 17 empty programs · 22 special floats. */
#include "tests/test.h"
#include "tests/support/host.h"
#include "ir/base/def.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const weir_tier tiers[] = {WEIR_TIER_CANONICAL, WEIR_TIER_QUICKENED};

static void open_in(host *h, const char *spec, weir_tier tier) {
  host_open(h, spec);
  weir_monitor_free(h->monitor);
  weir_options options = {.size = sizeof options, .tier = tier};
  cr_assert_eq(weir_monitor_new(h->engine, h->program, &options, &h->monitor, &h->e), WEIR_OK, "%s", h->e.text);
}

/* A text of n times `before`, then `middle`, then n times `after`; free() it. */
static char *nest(const char *begin, const char *before, size_t n, const char *middle, const char *after) {
  char *text = malloc(strlen(begin) + n * (strlen(before) + strlen(after)) + strlen(middle) + 1);
  if (text == NULL) abort();
  char *to = stpcpy(text, begin);
  for (size_t i = 0; i < n; i++) to = stpcpy(to, before);
  to = stpcpy(to, middle);
  for (size_t i = 0; i < n; i++) to = stpcpy(to, after);
  return text;
}

/* ---- 2 ---- */

static void expect_failure(const char *spec, weir_tier tier, const weir_value *row, weir_code code) {
  host h;
  open_in(&h, spec, tier);
  cr_expect_eq(host_push(&h, row), code, "%s: %s", spec, h.e.text);
  cr_expect_eq(h.e.row, 0);
  cr_expect_lt(h.e.span.begin, h.e.span.end, "it has a place");
  host_close(&h);
}

Test(faults, fault_2_the_smallest_int_by_minus_one_is_an_error_of_its_tick) {
  static const char *const operands[][2] = {
    {"a", "b"}, {"-9223372036854775808", "b"}, {"a", "-1"}, {"-9223372036854775808", "-1"}, {"(a + 0)", "(0 - 1)"},
  };
  static const char *const ops[] = {"/", "%", "*"};
  for (size_t t = 0; t < WB_LEN(tiers); t++)
    for (size_t i = 0; i < WB_LEN(operands); i++)
      for (size_t o = 0; o < WB_LEN(ops); o++) {
        char spec[200];
        snprintf(spec, sizeof spec, "in a: Int  in b: Int  out q: Int  q = %s %s %s", operands[i][0], ops[o], operands[i][1]);
        expect_failure(spec, tiers[t], (weir_value[]){an_int(INT64_MIN), an_int(-1)}, WEIR_E_OVERFLOW);
      }
}

Test(faults, fault_2_every_zero_divisor_is_an_error_of_its_tick) {
  static const char *const equations[] = {"a / b", "a % b", "a / 0", "a % 0", "1 / 0", "0 % 0", "a / (b - b)", "-9223372036854775808 / b"};
  for (size_t t = 0; t < WB_LEN(tiers); t++)
    for (size_t i = 0; i < WB_LEN(equations); i++) {
      char spec[200];
      snprintf(spec, sizeof spec, "in a: Int  in b: Int  out q: Int  q = %s", equations[i]);
      expect_failure(spec, tiers[t], (weir_value[]){an_int(INT64_MIN), an_int(0)}, WEIR_E_DIV_ZERO);
    }
}

/* ---- 3 ---- */

Test(faults, fault_3_a_guarded_division_costs_nothing_in_the_branch_not_taken) {
  static const int64_t x[] = {1, 2, 3}, y[] = {0, 5, 0}, z[] = {0, 21, 0};
  for (size_t t = 0; t < WB_LEN(tiers); t++) {
    host h;
    open_in(&h, "in x: Int  in y: Int  out z: Int  z = if y == 0 then 0 else 100 / y + default(x[1], 0)", tiers[t]);
    for (size_t i = 0; i < 3; i++) {
      cr_assert_eq(host_push(&h, (weir_value[]){an_int(x[i]), an_int(y[i])}), WEIR_OK, "%s", h.e.text);
      cr_expect(host_is(&h, "z", an_int(z[i])), "row %zu", i);
    }
    cr_assert_eq(host_push(&h, (weir_value[]){an_int(4), an_int(50)}), WEIR_OK);
    cr_expect(host_is(&h, "z", an_int(5)), "the delay went on in the branch not taken");
    host_close(&h);
  }
}

/* ---- 4 ---- */

static void expect_refused_at(const char *spec, weir_code code, const char *text, size_t at) {
  host h;
  cr_expect_not(host_try(&h, spec, strlen(spec), NULL), "%s", spec);
  cr_expect_eq(h.code, code, "%s: %s", spec, h.said);
  cr_expect_not_null(strstr(h.said, text), "%s: %s", spec, h.said);
  cr_expect_eq(h.span.begin, at, "%s: byte %u", spec, h.span.begin);
  host_close(&h);
}

/* At the first place where the text has `at`. */
static void expect_refused(const char *spec, weir_code code, const char *text, const char *at) {
  expect_refused_at(spec, code, text, (size_t)(strstr(spec, at) - spec));
}

Test(faults, fault_4_a_huge_delay_is_refused_before_anything_is_allocated) {
  expect_refused("in x: Int  out y: Int  y = x[1000000000]", WEIR_E_STATE_TOO_LARGE, "needs 9000000016 bytes; the limit on state is 1073741824", "x[");
  expect_refused("in x: Int  out y: Int  y = (x + 1)[1000000000]", WEIR_E_STATE_TOO_LARGE, "9000000016", "(x");
  expect_refused("out y: Int  y = default(y[1000000000], 0)", WEIR_E_STATE_TOO_LARGE, "9000000016", "y[");
  expect_refused("in x: Int  out y: Int  y = x[18446744073709551615]", WEIR_E_STATE_TOO_LARGE, "more than 2^64 bytes", "x[");
  expect_refused("in x: Int  out y: Int  y = x[18446744073709551616]", WEIR_E_PARSE, "18446744073709551615", "18446744073709551616");
  expect_refused("in x: Int  out y: Int  y = x[99999999999999999999]", WEIR_E_PARSE, "18446744073709551615", "99999999999999999999");
  expect_refused("in x: Int  out y: Int  y = x[300000000] + (x[1])[300000000]", WEIR_E_STATE_TOO_LARGE, "bytes", "x[300000000]");
}

Test(faults, fault_4_a_hundred_thousand_readers_share_one_ring) {
  enum { READERS = 100000 };
  char *spec = malloc(READERS * 12 + 100), *to = spec;
  cr_assert_not_null(spec);
  to += sprintf(to, "in x: Int\nout y: Int\ny = x[9999]");
  for (int i = 1; i < READERS; i++) to += sprintf(to, " + x[%d]", 9999 - i % 7);
  host h;
  cr_assert(host_try(&h, spec, strlen(spec), NULL), "%s", h.said);
  cr_expect_eq(weir_program_state_bytes(h.program, NULL), 9999 * 9 + 16);
  weir_value one = an_int(1);
  for (int i = 0; i < 3; i++) cr_assert_eq(host_push(&h, &one), WEIR_OK);
  cr_expect(host_is(&h, "y", deferred()));
  host_close(&h);
  free(spec);
}

/* ---- 5 ---- */

static const struct form { const char *name, *begin, *before, *middle, *after; weir_code when_allowed; bool is_level; } forms[] = {
  {"parentheses", "out y: Int  y = ", "(", "1", ")", WEIR_OK, true},
  {"not", "out y: Bool  y = ", "!", "true", "", WEIR_OK, true},
  {"minus", "out y: Int  y = ", "-", "1", "", WEIR_OK, true},
  {"lists", "out y  y = ", "[", "1", "]", WEIR_E_NOT_YET, true},
  {"list types", "in x: ", "List<", "Int", ">", WEIR_OK, true},
  {"then", "out y: Int  y = ", "if true then ", "1", " else 2", WEIR_OK, true},
  {"else", "out y: Int  y = ", "if true then 1 else ", "1", "", WEIR_OK, false},
  {"functions", "out y  y = ", "\\a: Int -> ", "1", "", WEIR_E_TYPE, true},
  {"maps", "out y  y = ", "{\"a\": ", "1", "}", WEIR_E_NOT_YET, true},
  {"delays", "in x: Int  out y: Int  y = ", "(", "x", ")[1]", WEIR_OK, true},
  {"calls", "out y: Int  y = ", "default(", "1", ", 2)", WEIR_OK, true},
  {"powers", "out y: Int  y = ", "1 ** ", "1", "", WEIR_OK, true},
  {"sums", "out y: Int  y = ", "1 + ", "1", "", WEIR_OK, false},
  {"implications", "out y: Bool  y = ", "true => ", "true", "", WEIR_OK, false},
};

typedef struct attempt { char *text; weir_compile_options limits; weir_code code; weir_span span; char said[240]; weir_value y; } attempt;

/* Compiles, runs two rows if there is something to run, ends all. */
static void attempt_it(void *arg) {
  attempt *a = arg;
  host h;
  host_try(&h, a->text, strlen(a->text), &a->limits);
  a->code = h.code;
  a->span = h.span;
  memcpy(a->said, h.said, sizeof a->said);
  weir_value row = no_value();
  for (int i = 0; i < 2 && a->code == WEIR_OK; i++) a->code = host_push(&h, &row);
  if (a->code == WEIR_OK && weir_program_output_count(h.program) != 0) a->y = *weir_monitor_output(h.monitor, 0);
  host_close(&h);
}

static attempt try_form(const struct form *f, size_t levels, size_t max_nesting) {
  attempt a = {.text = nest(f->begin, f->before, levels, f->middle, f->after)};
  a.limits = (weir_compile_options){.size = sizeof a.limits, .max_nesting = max_nesting};
  host_on_small_stack(attempt_it, &a);
  free(a.text);
  return a;
}

Test(faults, fault_5_nesting_works_up_to_its_limit_and_is_an_error_beyond) {
  static const size_t limits[] = {5, 1000};
  for (size_t i = 0; i < WB_LEN(forms); i++)
    for (size_t k = 0; k < WB_LEN(limits); k++) {
      attempt just = try_form(&forms[i], limits[k], limits[k]), beyond = try_form(&forms[i], limits[k] + 1, limits[k]);
      char text[40];
      snprintf(text, sizeof text, "nested deeper than %zu levels", limits[k]);
      cr_expect_eq(just.code, forms[i].when_allowed, "%zu %s: %s", limits[k], forms[i].name, just.said);
      if (!forms[i].is_level) continue;
      cr_expect_eq(beyond.code, WEIR_E_LIMIT, "%zu %s: %s", limits[k] + 1, forms[i].name, beyond.said);
      cr_expect(strncmp(beyond.said, text, strlen(text)) == 0, "%s", beyond.said);
      cr_expect_geq(beyond.span.begin, strlen(forms[i].begin) + limits[k] * strlen(forms[i].before) - 1, "at the level that is too deep");
    }
}

Test(faults, fault_5_the_default_limit_stops_a_million_levels_at_once) {
  for (size_t i = 0; i < WB_LEN(forms); i++) {
    if (!forms[i].is_level) continue;
    attempt a = try_form(&forms[i], strlen(forms[i].before) + strlen(forms[i].after) > 8 ? 300000 : 1000000, 0);
    cr_expect_eq(a.code, WEIR_E_LIMIT, "%s: %s", forms[i].name, a.said);
    cr_expect_not_null(strstr(a.said, "nested deeper than 1000 levels"));
  }
}

Test(faults, fault_5_with_a_large_limit_depth_needs_no_stack) {
  for (size_t i = 0; i < WB_LEN(forms); i++) {
    attempt a = try_form(&forms[i], 30000, 10000000);
    cr_expect_eq(a.code, forms[i].when_allowed, "%s: %s", forms[i].name, a.said);
  }
}

Test(faults, fault_5_a_million_terms) {
  attempt a = try_form(&forms[12], 1000000, 0);
  cr_assert_str_eq(forms[12].name, "sums");
  cr_expect_eq(a.code, WEIR_OK, "%s", a.said);
  cr_expect(host_same(a.y, an_int(1000001)));
}

Test(faults, fault_5_a_million_parentheses) {
  attempt a = try_form(&forms[0], 1000000, 2000000);
  cr_expect_eq(a.code, WEIR_OK, "%s", a.said);
  cr_expect(host_same(a.y, an_int(1)));
}

/* ---- 6 ---- */

/* A locale with a comma, installed or made; false where neither can be had. */
static bool use_comma_locale(void) {
  static char folder[] = "/tmp/weir_locale_XXXXXX";
  if (setlocale(LC_ALL, "de_DE.UTF-8") != NULL) return true;
  if (mkdtemp(folder) == NULL) return false;
  char command[200];
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
  bool is_made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
  snprintf(command, sizeof command, "rm -rf %s", folder); /* what is loaded stays */
  return system(command) == 0 && is_made;
}

Test(faults, fault_6_numbers_do_not_depend_on_the_locale) {
  if (!use_comma_locale()) cr_skip_test("no locale with a comma can be had here");
  cr_assert_str_eq(localeconv()->decimal_point, ",", "the locale is in force");
  static const char spec[] = "in x: Float  out y: Float  out z: Bool  y = x + 1.5 - 2.5e-1  z = x == 0.5";
  host h;
  host_open(&h, spec);
  weir_value half = a_float(0.5);
  cr_assert_eq(host_push(&h, &half), WEIR_OK);
  cr_expect(host_is(&h, "y", a_float(1.75)));
  cr_expect(host_is(&h, "z", a_bool(true)));
  weir_text *text = NULL;
  cr_assert_eq(weir_explain(h.engine, spec, strlen(spec), NULL, WEIR_STAGE_AST, 0, &text, NULL), WEIR_OK);
  cr_expect_not_null(strstr(weir_text_bytes(text, NULL), "1.5"), "%s", weir_text_bytes(text, NULL));
  cr_expect_null(strstr(weir_text_bytes(text, NULL), "1,5"));
  weir_text_free(text);
  host_close(&h);
  cr_expect_not(host_try(&h, "out y: Float  y = 1,5", 21, NULL));
  host_close(&h);
  cr_expect_str_eq(localeconv()->decimal_point, ",", "and it still is in force");
}

/* ---- 8 ---- */

Test(faults, fault_8_half_a_text_is_not_a_whole_one) {
  expect_refused_at("in x: Int  out y: Int  y = x + 1  out z Int", WEIR_E_PARSE, "expected `:`", 40);
  expect_refused("in x: Int  out y: Int  y = x }", WEIR_E_PARSE, "`}`", "}");
  expect_refused_at("in x: Int  out y: Int  y = x x", WEIR_E_PARSE, "`x`", 29);
  expect_refused_at("in x: Int  out y: Int  y = x +", WEIR_E_PARSE, "end of the text", 30);
  expect_refused_at("in x: Int  out y: Int  y = (x", WEIR_E_PARSE, "end of the text", 29);
  expect_refused("in x: Int  out y: Int  y = x (* to be continued", WEIR_E_PARSE, "", "(*");
}

/* The tree of a text; NULL if there is none.  free() it. */
static char *tree_of(weir_engine *engine, const char *text, size_t n) {
  weir_text *tree = NULL;
  weir_code rc = weir_explain(engine, text, n, NULL, WEIR_STAGE_AST, 0, &tree, NULL);
  (void)rc; /* a type error has a tree too */
  char *copy = tree == NULL ? NULL : strdup(weir_text_bytes(tree, NULL));
  weir_text_free(tree);
  return copy;
}

static const char whole_text[] =
  "in x: Int\nin s: Str\nin f: Float\nout y: Int\nout t: Str\naux b: Bool\n"
  "y = if b && x >= 10 then default(x[12], -3) * (x - 45) else update(x, y[6])\n"
  "t = s ++ \"a\\tb\" ++ t[7]\nb = !(f <= 2.5e-8) || is_defined(s) => f ** 9.5 != 0.5\n";

Test(faults, fault_8_dropping_any_byte_changes_the_tree_or_is_an_error) {
  weir_engine *engine;
  cr_assert_eq(weir_engine_new(NULL, &engine, NULL), WEIR_OK);
  size_t n = strlen(whole_text), same = 0;
  char *tree = tree_of(engine, whole_text, n), cut[sizeof whole_text];
  cr_assert_not_null(tree);
  for (size_t i = 0; i < n; i++) {
    if (strchr(" \n", whole_text[i]) != NULL) continue;
    memcpy(cut, whole_text, i);
    memcpy(cut + i, whole_text + i + 1, n - i);
    char *other = tree_of(engine, cut, n - 1);
    same += other != NULL && strcmp(tree, other) == 0;
    cr_expect(other == NULL || strcmp(tree, other) != 0, "byte %zu, '%c', may be left out", i, whole_text[i]);
    free(other);
  }
  cr_expect_eq(same, 0);
  free(tree);
  weir_engine_free(engine);
}

Test(faults, fault_8_adding_any_byte_changes_the_tree_or_is_an_error) {
  static const char added[] = "}x;)\"1-#.(\x80";
  weir_engine *engine;
  cr_assert_eq(weir_engine_new(NULL, &engine, NULL), WEIR_OK);
  size_t n = strlen(whole_text);
  char *tree = tree_of(engine, whole_text, n), more[sizeof whole_text + 1];
  cr_assert_not_null(tree);
  for (size_t i = 0; i <= n; i++)
    for (size_t k = 0; added[k] != '\0'; k++) {
      memcpy(more, whole_text, i);
      more[i] = added[k];
      memcpy(more + i + 1, whole_text + i, n - i);
      char *other = tree_of(engine, more, n + 1);
      cr_expect(other == NULL || strcmp(tree, other) != 0, "'%c' before byte %zu is not seen", added[k], i);
      free(other);
    }
  free(tree);
  weir_engine_free(engine);
}

Test(faults, fault_8_a_cut_text_is_a_shorter_program_only_where_one_ends) {
  weir_engine *engine;
  cr_assert_eq(weir_engine_new(NULL, &engine, NULL), WEIR_OK);
  size_t n = strlen(whole_text), wholes = 0;
  char *tree = tree_of(engine, whole_text, n);
  for (size_t i = 0; i < n - 1; i++) {
    char *other = tree_of(engine, whole_text, i);
    wholes += other != NULL;
    cr_expect(other == NULL || strcmp(tree, other) != 0, "%zu bytes are enough", i);
    free(other);
  }
  cr_expect_lt(wholes, n / 2, "most cuts are errors");
  free(tree);
  weir_engine_free(engine);
}

/* ---- 14 ---- */

static const char *const names[] = {"main", "exp", "malloc", "memcpy", "int", "A", "_x", "iff", "inx", "default_", "_", "__attribute__", "printf", "trueish",
                                    "sinus", "List_get", "monitored", "NULL", "weir_compile", "s0"};

Test(faults, fault_14_names_collide_with_nothing) {
  for (size_t t = 0; t < WB_LEN(tiers); t++)
    for (size_t i = 0; i < WB_LEN(names); i++) {
      char spec[300];
      snprintf(spec, sizeof spec, "in %s: Int  out y: Int  out z%s: Int  y = %s + default(z%s[1], 0)  z%s = %s", names[i], names[i], names[i],
               names[i], names[i], names[i]);
      host h;
      open_in(&h, spec, tiers[t]);
      weir_value five = an_int(5);
      cr_assert_eq(host_push(&h, &five), WEIR_OK);
      cr_assert_eq(host_push(&h, &five), WEIR_OK);
      cr_expect(host_is(&h, "y", an_int(10)), "%s", names[i]);
      cr_expect_str_eq(weir_program_stream(h.program, 0).name, names[i]);
      host_close(&h);
    }
}

Test(faults, fault_14_a_long_name_works_where_it_is_allowed) {
  char name[301], spec[700];
  memset(name, 'n', 300);
  name[300] = '\0';
  snprintf(spec, sizeof spec, "in %s: Int  out y: Int  y = %s[1]", name, name);
  host h;
  cr_expect_not(host_try(&h, spec, strlen(spec), NULL));
  cr_expect_eq(h.code, WEIR_E_LIMIT);
  cr_expect_not_null(strstr(h.said, "a name of 300 bytes; the limit is 255"), "%s", h.said);
  host_close(&h);
  weir_compile_options limits = {.size = sizeof limits, .max_name_bytes = 300};
  cr_assert(host_try(&h, spec, strlen(spec), &limits), "%s", h.said);
  cr_expect_str_eq(weir_program_stream(h.program, 0).name, name);
  cr_expect_eq(weir_program_find_input(h.program, name, 300), 0);
  host_close(&h);
}

Test(faults, fault_14_a_reserved_word_is_named) {
  static const char *const words[] = {"in", "out", "aux", "var", "if", "then", "else", "true", "false", "dynamic", "eval", "defer", "update", "default",
    "is_defined", "when", "latch", "init", "fix", "partial", "sin", "cos", "tan", "abs", "monitored_at", "dist", "List", "Tuple", "Map", "Struct",
    "Int", "Str", "Float", "Bool", "Unit", "Any"};
  for (size_t i = 0; i < WB_LEN(words); i++) {
    char spec[100], quoted[40];
    snprintf(spec, sizeof spec, "out y: Int  y = 1  aux %s: Int", words[i]);
    snprintf(quoted, sizeof quoted, "`%s`", words[i]);
    host h;
    cr_expect_not(host_try(&h, spec, strlen(spec), NULL), "%s", words[i]);
    cr_expect_not_null(strstr(h.said, quoted), "%s: %s", words[i], h.said);
    cr_expect_not_null(strstr(h.said, "reserved"), "%s: %s", words[i], h.said);
    cr_expect_eq(h.span.begin, 23);
    host_close(&h);
  }
}

Test(faults, fault_14_a_duplicate_shows_both_places) {
  expect_refused("in x: Int\nout y: Int\naux x: Int\ny = 1\nx = 2", WEIR_E_COMPILE, "in line 1 and in line 3", "x: Int\ny");
  expect_refused("out y: Int\ny = 1\n\ny = 2", WEIR_E_PARSE, "line 2", "y = 2");
}

/* ---- 17 ---- */

Test(faults, fault_17_programs_without_inputs_or_outputs_or_anything_run) {
  host h;
  host_open(&h, "out n: Int  n = default(n[1], 0) + 1");
  for (int64_t i = 1; i <= 5; i++) {
    cr_assert_eq(weir_monitor_push(h.monitor, NULL, 0, &h.e), WEIR_OK);
    cr_expect(host_is(&h, "n", an_int(i)));
  }
  host_close(&h);
  host_open(&h, "in x: Int  aux n: Int  n = x / x");
  weir_value one = an_int(1), zero = an_int(0);
  cr_assert_eq(host_push(&h, &one), WEIR_OK);
  cr_expect_eq(weir_program_output_count(h.program), 0);
  cr_expect_eq(host_push(&h, &zero), WEIR_E_DIV_ZERO, "its errors count");
  host_close(&h);
  static const char *const empty[] = {"", " \n\t", "// nothing", "(* nothing *)"};
  for (size_t i = 0; i < WB_LEN(empty); i++) {
    host_open(&h, empty[i]);
    for (int k = 0; k < 3; k++) cr_expect_eq(weir_monitor_push(h.monitor, NULL, 0, &h.e), WEIR_OK);
    cr_expect_eq(weir_monitor_ticks(h.monitor), 3);
    host_close(&h);
  }
}

/* ---- 22 ---- */

static const struct { const char *constant, *variable; double a, b, result; } specials[] = {
  {"0.0 / 0.0", "a / b", 0.0, 0.0, NAN},
  {"-1.0 / 0.0", "a / b", -1.0, 0.0, -INFINITY},
  {"0.0 * -1.0", "a * b", 0.0, -1.0, -0.0},
  {"5.5 % 0.0", "a % b", 5.5, 0.0, NAN},
  {"sin(1e308 * 10.0)", "sin(a * b)", 1e308, 10.0, NAN},
  {"-3.0 % 3.0", "a % b", -3.0, 3.0, -0.0},
  {"-(0.0)", "-a", 0.0, 0.0, -0.0},
  {"abs(-0.0)", "abs(a)", -0.0, 0.0, 0.0},
  {"1 / 0.0", "1 / b", 0.0, 0.0, INFINITY},
  {"9007199254740993 + 0.0", "9007199254740993 + b", 0.0, 0.0, 9007199254740992.0},
  {"4 ** 0.5", "4 ** b", 0.0, 0.5, 2.0},
  {"0.1 + 0.2", "a + b", 0.1, 0.2, 0.30000000000000004},
};

Test(faults, fault_22_special_floats_have_the_same_bits_as_constants_and_as_variables) {
  for (size_t t = 0; t < WB_LEN(tiers); t++)
    for (size_t i = 0; i < WB_LEN(specials); i++) {
      char spec[200];
      snprintf(spec, sizeof spec, "in a: Float  in b: Float  out y: Float  out z: Float  y = %s  z = %s", specials[i].constant, specials[i].variable);
      host h;
      open_in(&h, spec, tiers[t]);
      cr_assert_eq(host_push(&h, (weir_value[]){a_float(specials[i].a), a_float(specials[i].b)}), WEIR_OK, "%s", h.e.text);
      cr_expect(host_is(&h, "y", a_float(specials[i].result)), "%s is %a", specials[i].constant, host_out(&h, "y")->as.f);
      cr_expect(host_is(&h, "z", a_float(specials[i].result)), "%s is %a", specials[i].variable, host_out(&h, "z")->as.f);
      host_close(&h);
    }
}

Test(faults, fault_22_a_negated_comparison_with_nan_is_true) {
  for (size_t t = 0; t < WB_LEN(tiers); t++) {
    host h;
    open_in(&h, "in a: Float  out y: Bool  out z: Bool  out w: Bool  y = !(a >= 1.0)  z = !(0.0 / 0.0 >= 1.0)  w = a < 1.0 || a != a", tiers[t]);
    weir_value nan = a_float(NAN);
    cr_assert_eq(host_push(&h, &nan), WEIR_OK);
    cr_expect(host_is(&h, "y", a_bool(true)));
    cr_expect(host_is(&h, "z", a_bool(true)));
    cr_expect(host_is(&h, "w", a_bool(true)));
    host_close(&h);
  }
}
