/* tests/unit/frontend_lex.c -- tokens: what is one, what it is worth, where it stands. */
#include "frontend/lex.h"

#include <string.h>

#include "tests/test.h"

typedef struct bench {
  wb_door door;
  wb_mem mem;
  wb_names names;
  struct weir_diagnostics diags;
  wfe_lexer lexer;
} bench;

static void bench_open_in(bench *b, wfe_language language, const char *text, size_t n, uint64_t fail_at) {
  memset(b, 0, sizeof *b);
  wb_door_open(&b->door, NULL, 0);
  b->door.fail_at = fail_at;
  wb_mem_init(&b->mem, &b->door, 0);
  wb_names_init(&b->names, &b->mem);
  wfe_lexer_init(&b->lexer, language, (wb_str){text, n}, 255, &b->names, &b->mem, &b->diags);
}

static void bench_open(bench *b, const char *text, size_t n, uint64_t fail_at) { bench_open_in(b, WFE_DSRV, text, n, fail_at); }

static void bench_close(bench *b) {
  wfe_lexer_end(&b->lexer);
  wb_mem_drop(&b->mem);
}

/* The only token of a text. */
static wfe_token one_token(bench *b, const char *text) {
  bench_open(b, text, strlen(text), 0);
  wfe_token t = wfe_lex(&b->lexer);
  cr_expect_eq(wfe_lex(&b->lexer).kind, WFE_T_END, "`%s` is one token", text);
  return t;
}

/* The bytes of the tokens of a text, each followed by a bar; `[...]` for one that has an error. */
static void cut_text(const char *text, char *out) {
  bench b;
  bench_open(&b, text, strlen(text), 0);
  for (;;) {
    wfe_token t = wfe_lex(&b.lexer);
    if (t.kind == WFE_T_END) break;
    size_t n = t.span.end - t.span.begin;
    if (t.kind == WFE_T_BAD) *out++ = '[';
    memcpy(out, text + t.span.begin, n);
    out += n;
    if (t.kind == WFE_T_BAD) *out++ = ']';
    *out++ = '|';
  }
  *out = '\0';
  bench_close(&b);
}

static void expect_tokens(const char *text, const char *want) {
  char got[512];
  cut_text(text, got);
  cr_expect_str_eq(got, want, "`%s` is cut into `%s`, not `%s`", text, want, got);
}

static void expect_error(const char *text, size_t n, uint32_t begin, uint32_t end, const char *message, const char *hint) {
  bench b;
  bench_open(&b, text, n, 0);
  while (wfe_lex(&b.lexer).kind != WFE_T_END) continue;
  cr_assert_eq(b.diags.n, 1, "`%s` has one error, not %zu", text, b.diags.n);
  cr_expect_eq(b.diags.at[0].code, WEIR_E_PARSE);
  cr_expect_eq(b.diags.at[0].span.begin, begin, "`%s`: at %u, not %u", text, begin, b.diags.at[0].span.begin);
  cr_expect_eq(b.diags.at[0].span.end, end, "`%s`: to %u, not %u", text, end, b.diags.at[0].span.end);
  cr_expect_str_eq(b.diags.at[0].text, message);
  cr_expect_str_eq(b.diags.at[0].hint, hint);
  bench_close(&b);
}
#define ERROR(text, begin, end, message, hint) expect_error(text, sizeof(text) - 1, begin, end, message, hint)

static void expect_float(const char *text, double want) {
  bench b;
  wfe_token t = one_token(&b, text);
  cr_expect_eq(t.kind, WFE_T_FLOAT, "`%s` is a Float", text);
  cr_expect_eq(t.as.f, want, "`%s`", text);
  bench_close(&b);
}

static void expect_text(const char *text, const char *want, size_t n) {
  bench b;
  wfe_token t = one_token(&b, text);
  cr_assert_eq(t.kind, WFE_T_STR);
  cr_expect(wb_str_eq(wb_name(&b.names, t.as.name), (wb_str){want, n}), "%s", text);
  cr_expect_eq(b.diags.n, 0);
  bench_close(&b);
}

enum { D = WFE_DSRV, S = WFE_SQL, DS = WFE_DSRV | WFE_SQL };
static const uint8_t languages[] = {
#define TOKEN(name, text, sort, languages) languages,
#include "frontend/tokens.def"
#undef TOKEN
};

Test(frontend_lex, every_mark_and_reserved_word_of_the_table_is_its_own_token) {
  for (int language = WFE_DSRV; language <= WFE_SQL; language++)
    for (int k = WFE_T_LPAREN; k < WFE_TOKENS; k++) {
      if ((languages[k] & language) == 0) continue;
      bench b;
      const char *text = wfe_token_text((wfe_token_kind)k);
      bench_open_in(&b, (wfe_language)language, text, strlen(text), 0);
      wfe_token t = wfe_lex(&b.lexer);
      cr_expect_eq(t.kind, k, "%s", text);
      cr_expect_eq(wfe_is_reserved(&t), k >= WFE_T_IN);
      cr_expect_eq(wfe_lex(&b.lexer).kind, WFE_T_END, "`%s` is one token", text);
      bench_close(&b);
    }
}

Test(frontend_lex, every_library_function_is_one_token) {
  for (int k = 0; k < WFE_BUILTINS; k++) {
    bench b;
    wfe_token t = one_token(&b, wfe_builtin_text((wfe_builtin)k));
    cr_expect_eq(t.kind, WFE_T_BUILTIN);
    cr_expect_eq(t.op, k, "%s", wfe_builtin_text((wfe_builtin)k));
    cr_expect(wfe_is_reserved(&t));
    bench_close(&b);
  }
}

Test(frontend_lex, marks_are_as_long_as_they_can_be) {
  expect_tokens("a=>b==c=d", "a|=>|b|==|c|=|d|");
  expect_tokens("a<=b<c>=d>e", "a|<=|b|<|c|>=|d|>|e|");
  expect_tokens("a**b*c", "a|**|b|*|c|");
  expect_tokens("a+++b", "a|++|+|b|");
  expect_tokens("--x->y", "-|-|x|->|y|");
  expect_tokens("!!=!", "!|!=|!|");
  expect_tokens("....", "...|.|");
  expect_tokens("List<List<Int>>=", "List|<|List|<|Int|>|>=|");
}

Test(frontend_lex, names_are_not_cut_at_reserved_words) {
  expect_tokens("iff inx default_ _in in_ notx main exp _", "iff|inx|default_|_in|in_|notx|main|exp|_|");
  expect_tokens("in x", "in|x|");
}

Test(frontend_lex, all_six_kinds_of_space_separate) { expect_tokens("a\tb\rc\nd\ve\ff g", "a|b|c|d|e|f|g|"); }

Test(frontend_lex, comments_separate_and_do_not_nest) {
  expect_tokens("a// b (* \"\nc", "a|c|");
  expect_tokens("a//", "a|");
  expect_tokens("a(*(* b *)c", "a|c|");
  expect_tokens("a(**)b(***)c(* ) * \n*)d", "a|b|c|d|");
  expect_tokens("f(*x*)(y)", "f|(|y|)|");
  expect_tokens("\"// (*\"", "\"// (*\"|");
}

Test(frontend_lex, an_open_comment_is_reported_where_it_begins) {
  ERROR("a\n(* b *", 2, 4, "this comment is never closed", "a comment that begins with `(*` ends with `*)`");
  ERROR("(*)", 0, 2, "this comment is never closed", "a comment that begins with `(*` ends with `*)`");
}

Test(frontend_lex, integers_may_have_leading_zeros_and_know_their_bound) {
  static const struct { const char *text; uint64_t value; bool is_huge; } cases[] = {
    {"0", 0, false},
    {"007", 7, false},
    {"9223372036854775808", UINT64_C(9223372036854775808), false},
    {"18446744073709551615", UINT64_MAX, false},
    {"0018446744073709551615", UINT64_MAX, false},
    {"18446744073709551616", 0, true},
    {"99999999999999999999", 0, true},
  };
  for (size_t i = 0; i < WB_LEN(cases); i++) {
    bench b;
    wfe_token t = one_token(&b, cases[i].text);
    cr_expect_eq(t.kind, WFE_T_INT);
    cr_expect_eq(t.is_huge, cases[i].is_huge, "%s", cases[i].text);
    if (!t.is_huge) cr_expect_eq(t.as.u, cases[i].value, "%s", cases[i].text);
    bench_close(&b);
  }
}

Test(frontend_lex, floats_have_all_their_forms) {
  expect_float("0.5", 0.5);
  expect_float("3.", 3.0);
  expect_float("1.e2", 100.0);
  expect_float("1.5E-3", 0.0015);
  expect_float("1e6", 1e6);
  expect_float("1.5e+3", 1500.0);
  expect_float("00.5", 0.5);
  expect_float("1e-99999999999999999999", 0.0);
}

Test(frontend_lex, a_letter_behind_digits_is_an_exponent_only_with_digits_behind_it) {
  expect_tokens("1e 1.e 2else 3e+ 4.5e-x 1_000 0x10", "1|e|1.|e|2|else|3|e|+|4.5|e|-|x|1|_000|0|x10|");
}

Test(frontend_lex, behind_a_dot_a_number_is_digits_only) {
  expect_tokens("t.0.1.2e5", "t|.|0|.|1|.|2|e5|");
  expect_tokens("t . 0.1", "t|.|0|.|1|");
  expect_tokens("0.1.2", "0.1|.|2|");
}

Test(frontend_lex, a_float_beyond_the_doubles_is_an_error) {
  ERROR("x 1e309", 2, 7, "the number is too large for a Float", "");
}

Test(frontend_lex, escapes_are_translated) {
  expect_text("\"\"", "", 0);
  expect_text("\"a b\"", "a b", 3);
  expect_text("\"\\t\\n\\'\\\"\\\\\"", "\t\n'\"\\", 5);
  expect_text("\"tab\\t\"", "tab\t", 4);
  expect_text("\"\xC3\xA9\xF0\x9F\x8C\x8A\"", "\xC3\xA9\xF0\x9F\x8C\x8A", 6);
}

Test(frontend_lex, any_other_backslash_is_an_error_at_its_place) {
  static const char hint[] = "the escapes are \\t \\n \\' \\\" and \\\\";
  ERROR("\"a\\qb\"", 2, 4, "`\\q` is no escape", hint);
  ERROR("\"\\\xC3\xA9\"", 1, 4, "`\\\xC3\xA9` is no escape", hint);
  ERROR("\"\\\x01\"", 1, 3, "a backslash before a control character", hint);
}

Test(frontend_lex, a_text_ends_on_its_line) {
  static const char hint[] = "a text ends with `\"`; a newline in it is written \\n";
  ERROR("\"abc", 0, 4, "this text is not closed on its line", hint);
  ERROR("x \"a\nb", 2, 4, "this text is not closed on its line", hint);
  ERROR("\"a\\\"", 0, 4, "this text is not closed on its line", hint);
  ERROR("\"a\\", 0, 3, "this text is not closed on its line", hint);
  ERROR("\"a\\\nb", 0, 3, "this text is not closed on its line", hint);
}

Test(frontend_lex, other_characters_are_named) {
  ERROR("a @", 2, 3, "unexpected character `@`", "");
  ERROR("a & b", 2, 3, "unexpected character `&`", "`and` is written `&&`");
  ERROR("a\0b", 1, 2, "unexpected character U+0000", "");
  ERROR("\x1b", 0, 1, "unexpected character U+001B", "");
  ERROR("\x7f", 0, 1, "unexpected character U+007F", "");
  static const char hidden[] = "it is not seen in most editors; it can only stand in comments and texts";
  ERROR("\xC2\x85", 0, 2, "unexpected character U+0085", hidden);
  ERROR("\xE2\x80\xA8", 0, 3, "unexpected character U+2028", hidden);
  ERROR("a\xE2\x80\x8B", 1, 4, "unexpected character U+200B", hidden);
  ERROR("a \xE2\x80\xAE", 2, 5, "unexpected character U+202E", hidden);
  ERROR("a \xEF\xBB\xBF", 2, 5, "unexpected character U+FEFF", hidden);
  ERROR("\xC3\xA9", 0, 2, "unexpected character `\xC3\xA9` (U+00E9)", "");
  ERROR("\xE2\x80\x9C", 0, 3, "unexpected character `\xE2\x80\x9C` (U+201C)", "texts stand in plain double quotes");
  ERROR("\xC2\xA0", 0, 2, "unexpected character `\xC2\xA0` (U+00A0)", "this space is not a plain one");
  ERROR("\xE2\x88\x92", 0, 3, "unexpected character `\xE2\x88\x92` (U+2212)", "a minus is written `-`");
  ERROR("\xF0\x9F\x8C\x8A", 0, 4, "unexpected character `\xF0\x9F\x8C\x8A` (U+1F30A)", "");
}

Test(frontend_lex, a_dotted_name_must_be_a_library_function) {
  ERROR("List.lne", 0, 8, "there is no library function `List.lne`", "did you mean `List.len`?");
  ERROR("Map.x", 0, 5, "there is no library function `Map.x`", "");
  expect_tokens("List . len List.(x) Map.get(m)", "List|.|len|List|.|(|x|)|Map.get|(|m|)|");
}

Test(frontend_lex, a_byte_order_mark_is_skipped_but_counted) {
  bench b;
  wfe_token t = one_token(&b, "\xEF\xBB\xBFx");
  cr_expect_eq(t.kind, WFE_T_IDENT);
  cr_expect_eq(t.span.begin, 3);
  cr_expect_eq(t.span.end, 4);
  bench_close(&b);
  expect_tokens("x\xEF\xBB\xBF", "x|[\xEF\xBB\xBF]|");
}

Test(frontend_lex, tokens_know_their_line) {
  static const uint32_t lines[] = {1, 2, 4, 5, 6};
  bench b;
  static const char text[] = "a\nb(*\n*)//\nc\r\nd\n\"e\"";
  bench_open(&b, text, sizeof text - 1, 0);
  for (size_t i = 0; i < WB_LEN(lines); i++) cr_expect_eq(wfe_lex(&b.lexer).line, lines[i], "token %zu", i);
  bench_close(&b);
}

Test(frontend_lex, equal_names_are_one_and_texts_are_not_names) {
  bench b;
  static const char text[] = "ab ab \"ab\" aB";
  bench_open(&b, text, sizeof text - 1, 0);
  uint32_t first = wfe_lex(&b.lexer).as.name;
  cr_expect_eq(wfe_lex(&b.lexer).as.name, first);
  wfe_token quoted = wfe_lex(&b.lexer);
  cr_expect_eq(quoted.as.name, first);
  cr_expect_eq(quoted.kind, WFE_T_STR);
  cr_expect_neq(wfe_lex(&b.lexer).as.name, first);
  bench_close(&b);
}

Test(frontend_lex, a_name_may_have_as_many_bytes_as_the_limit_says) {
  char text[257];
  memset(text, 'n', sizeof text);
  for (size_t n = 255; n <= 256; n++) {
    bench b;
    bench_open(&b, text, n, 0);
    cr_expect_eq(wfe_lex(&b.lexer).kind, WFE_T_IDENT);
    cr_expect_eq(b.diags.n, n > 255);
    if (n > 255) {
      cr_expect_eq(b.diags.at[0].code, WEIR_E_LIMIT);
      cr_expect_str_eq(b.diags.at[0].text, "a name of 256 bytes; the limit is 255 (option max_name_bytes / --max-name-bytes)");
    }
    bench_close(&b);
  }
}

Test(frontend_lex, a_quiet_lexer_reports_only_what_hides_the_rest) {
  bench b;
  static const char text[] = "@ \"\\q\" List.lne 1e999 \"open\n (* open";
  bench_open(&b, text, sizeof text - 1, 0);
  b.lexer.is_quiet = true;
  while (wfe_lex(&b.lexer).kind != WFE_T_END) continue;
  cr_assert_eq(b.diags.n, 1);
  cr_expect_str_eq(b.diags.at[0].text, "this comment is never closed");
  bench_close(&b);
}

Test(frontend_lex, every_failing_allocation_is_reported) {
  static const char text[] = "name \"a\\tb\" other \"text\"";
  bool has_failed = true;
  for (uint64_t n = 1; has_failed && n < 100; n++) {
    bench b;
    bench_open(&b, text, sizeof text - 1, n);
    for (int i = 0; i < 5; i++) (void)wfe_lex(&b.lexer);
    has_failed = b.door.calls >= n;
    cr_expect_eq(b.diags.out_of_memory, has_failed, "allocation %" PRIu64, n);
    bench_close(&b);
  }
  cr_expect_not(has_failed);
}

/* ---- SQL ------------------------------------------------------------------------------------------------------------- */

Test(frontend_lex, words_of_sql_have_no_case_and_names_are_folded_unless_quoted) {
  static const struct { const char *text; int kind; const char *name; } tokens[] = {
    {"select", WFE_T_SQL_SELECT, NULL}, {"SeLeCt", WFE_T_SQL_SELECT, NULL}, {"selects", WFE_T_IDENT, "selects"}, {"Abc_1", WFE_T_IDENT, "abc_1"},
    {"\"Abc 1\"", WFE_T_IDENT, "Abc 1"}, {"\"select\"", WFE_T_IDENT, "select"}, {"in", WFE_T_SQL_IN, NULL}, {"if", WFE_T_IDENT, "if"},
    {"sin", WFE_T_IDENT, "sin"}, {"<>", WFE_T_UNEQUAL, NULL}, {"; -- x", WFE_T_SEMICOLON, NULL}, {"/* ' */ = /**/", WFE_T_ASSIGN, NULL},
    {"averylongnamethatisnoword", WFE_T_IDENT, "averylongnamethatisnoword"},
  };
  for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
    bench b;
    bench_open_in(&b, WFE_SQL, tokens[i].text, strlen(tokens[i].text), 0);
    wfe_token t = wfe_lex(&b.lexer);
    cr_expect_eq(t.kind, tokens[i].kind, "%s", tokens[i].text);
    if (tokens[i].name != NULL) cr_expect_str_eq(wb_name(&b.names, t.as.name).at, tokens[i].name);
    cr_expect_eq(wfe_lex(&b.lexer).kind, WFE_T_END, "`%s` is one token", tokens[i].text);
    cr_expect_eq(b.diags.n, 0);
    bench_close(&b);
  }
}

Test(frontend_lex, words_of_one_language_are_names_in_the_other) {
  cr_expect(wfe_is_word(WFE_SQL, WB_STR("select")));
  cr_expect(wfe_is_word(WFE_SQL, WB_STR("Select")));
  cr_expect_not(wfe_is_word(WFE_SQL, WB_STR("selects")));
  cr_expect_not(wfe_is_word(WFE_SQL, WB_STR("aux")));
  cr_expect(wfe_is_word(WFE_DSRV, WB_STR("aux")));
  cr_expect_not(wfe_is_word(WFE_DSRV, WB_STR("AUX")));
  cr_expect_not(wfe_is_word(WFE_DSRV, WB_STR("select")));
}
