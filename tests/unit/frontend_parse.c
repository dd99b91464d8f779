/* tests/unit/frontend_parse.c -- what a text parses to, what is refused and where, and that nothing else happens. */
#include "frontend/parse.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/lex.h"
#include "tests/test.h"

/* One parse and all that belongs to it. */
typedef struct bench {
  wb_door door;
  wb_mem mem;
  wb_names names;
  wir_types types;
  wfe_tree tree;
  wfe_limits limits;
  struct weir_diagnostics diags;
  wb_bytes printed; /* the tree, terminated; empty after an error */
} bench;

static void bench_open(bench *b, uint64_t fail_at) {
  memset(b, 0, sizeof *b);
  wb_door_open(&b->door, NULL, 0);
  wb_mem_init(&b->mem, &b->door, 0);
  wb_names_init(&b->names, &b->mem);
  cr_assert(wir_types_init(&b->types, &b->names, &b->mem));
  b->door.fail_at = fail_at == 0 ? 0 : b->door.calls + fail_at;
  b->limits = (wfe_limits){.source_bytes = 1 << 24, .nesting = 1000, .name_bytes = 255, .equations = 1000000};
}

static void bench_close(bench *b) { wb_mem_drop(&b->mem); }

static void parse(bench *b, const char *text, size_t n) {
  WB_VEC_FREE(&b->mem, &b->tree.nodes);
  WB_VEC_FREE(&b->mem, &b->tree.decls);
  WB_VEC_FREE(&b->mem, &b->tree.equations);
  b->tree = (wfe_tree){.mem = &b->mem, .names = &b->names, .types = &b->types, .text = {text, n}};
  memset(&b->diags, 0, sizeof b->diags);
  b->printed.n = 0;
  wfe_parse_spec(&b->tree, &b->limits, &b->diags);
  if (wfe_diag_any(&b->diags)) return;
  if (!wfe_print_tree(&b->tree, &b->mem, &b->printed) || !WB_PUSH(&b->mem, &b->printed, '\0')) wfe_diag_memory(&b->diags);
}

/* ---- What a text parses to --------------------------------------------------------------------------------------- */

static void expect_spec(const char *text, const char *want) {
  bench b;
  bench_open(&b, 0);
  parse(&b, text, strlen(text));
  cr_expect_eq(b.diags.n, 0, "`%s`: %s", text, b.diags.at[0].text);
  if (b.printed.n > 0) cr_expect_str_eq(b.printed.at, want, "`%s`\n  gives %s  not   %s", text, b.printed.at, want);
  bench_close(&b);
}

static void expect_expr(const char *text, const char *want) {
  char spec[1024], tree[1024];
  snprintf(spec, sizeof spec, "y = %s", text);
  snprintf(tree, sizeof tree, "(= y %s)\n", want);
  expect_spec(spec, tree);
}

static void expect_type(const char *text, const char *want) {
  char spec[256], tree[256];
  snprintf(spec, sizeof spec, "in x: %s", text);
  snprintf(tree, sizeof tree, "(in x : %s)\n", want);
  expect_spec(spec, tree);
}

Test(frontend_parse, literals) {
  expect_expr("007", "7");
  expect_expr("9223372036854775807", "9223372036854775807");
  expect_expr("1.5e3", "1500.0");
  expect_expr("true", "true");
  expect_expr("false", "false");
  expect_expr("( (* unit *) )", "()");
  expect_expr("\"a\\n\\\"b\\\\\"", "\"a\\x0a\\\"b\\\\\"");
  expect_expr("(((x)))", "x");
}

Test(frontend_parse, all_levels_of_operators_bind_as_the_grammar_says) {
  static const char *const by_level[] = {"++", "=>", "||", "&&", "==", "<", "+", "*"};
  static const char *const shown[] = {"++", "=>", "or", "and", "==", "<", "+", "*"};
  for (size_t i = 0; i < WB_LEN(by_level); i++) {
    for (size_t k = i + 1; k < WB_LEN(by_level); k++) {
      char text[64], want[64];
      snprintf(text, sizeof text, "a %s b %s c", by_level[i], by_level[k]);
      snprintf(want, sizeof want, "(%s a (%s b c))", shown[i], shown[k]);
      expect_expr(text, want);
      snprintf(text, sizeof text, "a %s b %s c", by_level[k], by_level[i]);
      snprintf(want, sizeof want, "(%s (%s a b) c)", shown[i], shown[k]);
      expect_expr(text, want);
    }
  }
}

Test(frontend_parse, all_binary_operators_but_power_associate_to_the_left) {
  static const char *const groups[][4] = {
    {"++", NULL}, {"=>", NULL}, {"||", "or"}, {"&&", "and"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"},
  };
  static const struct { const char *text, *shown; } words[] = {{"||", "or"}, {"&&", "and"}};
  for (size_t g = 0; g < WB_LEN(groups); g++) {
    for (size_t i = 0; i < 16; i++) {
      const char *first = groups[g][i / 4], *second = groups[g][i % 4];
      char text[64], want[64];
      if (!first || !second) continue;
      snprintf(text, sizeof text, "a %s b %s c", first, second);
      for (size_t w = 0; w < WB_LEN(words); w++) {
        if (strcmp(first, words[w].text) == 0) first = words[w].shown;
        if (strcmp(second, words[w].text) == 0) second = words[w].shown;
      }
      snprintf(want, sizeof want, "(%s (%s a b) c)", second, first);
      expect_expr(text, want);
    }
  }
  expect_expr("2 ** 3 ** 2", "(** 2 (** 3 2))");
}

Test(frontend_parse, unary_operators_bind_looser_than_power_and_tighter_than_times) {
  expect_expr("-2 ** 2", "(neg (** 2 2))");
  expect_expr("2 ** -1", "(** 2 (neg 1))");
  expect_expr("2 ** -1 ** 3 * 4", "(* (** 2 (neg (** 1 3))) 4)");
  expect_expr("-a * -b", "(* (neg a) (neg b))");
  expect_expr("--x", "(neg (neg x))");
  expect_expr("3 - -2", "(- 3 (neg 2))");
  expect_expr("!a && !b", "(and (not a) (not b))");
  expect_expr("not a == b", "(== (not a) b)");
  expect_expr("not a and b or c", "(or (and (not a) b) c)");
  expect_expr("-f(x).a", "(neg (field a (call f x)))");
  expect_expr("-x[1]", "(neg (delay 1 x))");
}

Test(frontend_parse, examples_of_the_language_page) {
  expect_expr("if b then 1 else 2 + 10", "(if b 1 (+ 2 10))");
  expect_expr("\"x\" ++ a == b", "(++ \"x\" (== a b))");
  expect_expr("a => b => c", "(=> (=> a b) c)");
  expect_expr("3 > 2 > true", "(> (> 3 2) true)");
  expect_spec("y = x\n- 1", "(= y (- x 1))\n");
  expect_spec("y = x\n(a)", "(= y (call x a))\n");
  expect_spec("y = x z = y", "(= y x)\n(= z y)\n");
}

Test(frontend_parse, if_and_lambdas_reach_as_far_right_as_they_can) {
  expect_expr("if a then if b then c else d else e + f", "(if a (if b c d) (+ e f))");
  expect_expr("if a then b else if c then d else e", "(if a b (if c d e))");
  expect_expr("if a || b then \\x -> x else \\x -> x + 1", "(if (or a b) (lambda (param x) x) (lambda (param x) (+ x 1)))");
  expect_expr("\\x: Int, y: Float -> x + y", "(lambda (param x : Int) (param y : Float) (+ x y))");
  expect_expr("\\a -> \\b -> a(b)", "(lambda (param a) (lambda (param b) (call a b)))");
  expect_expr("f(if a then b else c, \\x -> x)", "(call f (if a b c) (lambda (param x) x))");
  expect_expr("[if a then b else c]", "(list (if a b c))");
  expect_expr("1 + (if a then b else c)", "(+ 1 (if a b c))");
  expect_expr("(\\x: Int -> x)(1)", "(call (lambda (param x : Int) x) 1)");
  expect_expr("\\f: (Int -> Int) -> f", "(lambda (param f : (Int -> Int)) f)");
}

Test(frontend_parse, postfix_forms_chain) {
  expect_expr("f()(1)(2, 3).a.b.0.1", "(item 1 (item 0 (field b (field a (call (call (call f) 1) 2 3)))))");
  expect_expr("x[1].a", "(field a (delay 1 x))");
  expect_expr("x[1](y)", "(call (delay 1 x) y)");
  expect_expr("(x[1])[2]", "(delay 2 (delay 1 x))");
  expect_expr("(f(x))[1]", "(delay 1 (call f x))");
  expect_expr("7[1]", "(delay 1 7)");
  expect_expr("\"a\"[0] ++ true[2]", "(++ (delay 0 \"a\") (delay 2 true))");
  expect_expr("()[1]", "(delay 1 ())");
  expect_expr("1.5[1]", "(delay 1 1.5)");
  expect_expr("x[18446744073709551615]", "(delay 18446744073709551615 x)");
  expect_expr("x [ (* two *) 2 ]", "(delay 2 x)");
}

Test(frontend_parse, containers) {
  expect_expr("[]", "(list)");
  expect_expr("[1, [2], []]", "(list 1 (list 2) (list))");
  expect_expr("List(1, 2)", "(list 1 2)");
  expect_expr("Tuple(1, \"a\")", "(tuple 1 \"a\")");
  expect_expr("Map(\"a\": 1, \"b c\": 2)", "(map (entry \"a\" 1) (entry \"b c\" 2))");
  expect_expr("Struct(\"a\": 1)", "(struct (entry \"a\" 1))");
  expect_expr("{a: 1, \"in\": 2}", "(object (entry \"a\" 1) (entry \"in\" 2))");
  expect_expr("{x, y: 1, z}", "(object (entry \"x\" x) (entry \"y\" 1) (entry \"z\" z))");
  expect_expr("{}", "(object)");
  expect_expr("List() ++ Tuple() ++ Map() ++ Struct()", "(++ (++ (++ (list) (tuple)) (map)) (struct))");
  expect_expr("{a: {a: 1}, b: {a: 2}}", "(object (entry \"a\" (object (entry \"a\" 1))) (entry \"b\" (object (entry \"a\" 2))))");
}

Test(frontend_parse, library_functions) {
  expect_expr("default(x[1], 0)", "(default (delay 1 x) 0)");
  expect_expr("update(a, b) + latch(a, b) + init(a, b)", "(+ (+ (update a b) (latch a b)) (init a b))");
  expect_expr("is_defined(a) && when(b)", "(and (is_defined a) (when b))");
  expect_expr("sin(a) + cos(a) + tan(a) + abs(a)", "(+ (+ (+ (sin a) (cos a)) (tan a)) (abs a))");
  expect_expr("fix(\\s, k -> k)(1)", "(call (fix (lambda (param s) (param k) k)) 1)");
  expect_expr("partial(f)", "(partial f)");
  expect_expr("partial(f, 1, 2)(3)", "(call (partial f 1 2) 3)");
  expect_expr("List.get(l, 0)", "(List.get l 0)");
  expect_expr("List.fold(\\a, b -> a + b, 0, l)", "(List.fold (lambda (param a) (param b) (+ a b)) 0 l)");
  expect_expr("Map.get(m, \"k\")", "(Map.get m \"k\")");
  expect_expr("Map.insert(m, \"k\", 1 + 2)", "(Map.insert m \"k\" (+ 1 2))");
  expect_expr("List.len // c\n (l)", "(List.len l)");
}

Test(frontend_parse, texts_at_run_time_and_distribution) {
  expect_expr("dynamic(s)", "(dynamic s)");
  expect_expr("eval(s)", "(dynamic s)");
  expect_expr("defer(s : Int)", "(defer : Int s)");
  expect_expr("dynamic(\"x \" ++ op, {a, b})", "(dynamic scoped (++ \"x \" op) a b)");
  expect_expr("dynamic(s : List<Int>, {})", "(dynamic : List<Int> scoped s)");
  expect_expr("dynamic(dynamic(s))", "(dynamic (dynamic s))");
  expect_expr("monitored_at(x, \"here\")", "(monitored_at x here)");
  expect_expr("dist(a, \"b\")", "(dist a b)");
}

Test(frontend_parse, one_trailing_comma_is_allowed_in_lists_of_expressions) {
  expect_expr("[1,]", "(list 1)");
  expect_expr("List(1,) + Tuple(1, 2,)", "(+ (list 1) (tuple 1 2))");
  expect_expr("f(1,)", "(call f 1)");
  expect_expr("Map(\"a\": 1,)", "(map (entry \"a\" 1))");
  expect_expr("{a: 1, b,}", "(object (entry \"a\" 1) (entry \"b\" b))");
  expect_expr("default(a, b,)", "(default a b)");
  expect_expr("partial(f,)", "(partial f)");
  expect_expr("Map.get(m, \"k\",)", "(Map.get m \"k\")");
  expect_expr("dynamic(s, {a,})", "(dynamic scoped s a)");
}

Test(frontend_parse, the_smallest_int_is_a_literal_only_right_behind_a_minus) {
  expect_expr("-9223372036854775808", "-9223372036854775808");
  expect_expr("- (* c *) 09223372036854775808", "-9223372036854775808");
  expect_expr("--9223372036854775808", "(neg -9223372036854775808)");
  expect_expr("1 - -9223372036854775808 * 2", "(- 1 (* -9223372036854775808 2))");
  expect_expr("(-9223372036854775808)[1]", "(delay 1 -9223372036854775808)");
  expect_expr("-9223372036854775807", "(neg 9223372036854775807)");
}

Test(frontend_parse, types) {
  expect_type("Int", "Int");
  expect_type("Map<List<Float>>", "Map<List<Float>>");
  expect_type("(Int,)", "(Int,)");
  expect_type("(Int, Str, Bool)", "(Int, Str, Bool)");
  expect_type("(Int -> (Bool -> Unit))", "(Int -> (Bool -> Unit))");
  expect_type("((Int, Any) -> List<Int>)", "((Int, Any) -> List<Int>)");
  expect_type("Struct<>", "Struct<>");
  expect_type("Struct<...>", "Struct<...>");
  expect_type("Struct<a: Int, b: Struct<a: Str>, ...>", "Struct<a: Int, b: Struct<a: Str>, ...>");
  expect_type("Expr<List<Int>>", "Expr<List<Int>>");
}

Test(frontend_parse, declarations_and_equations_in_any_order) {
  expect_spec("", "");
  expect_spec("// nothing\n", "");
  expect_spec("y = x out y in x: Int aux a var b: Str a = y b = \"\"",
              "(out y)\n(in x : Int)\n(aux a)\n(aux b : Str)\n(= y x)\n(= a y)\n(= b \"\")\n");
  expect_spec("out y: Int = x + 1\naux z = y", "(out y : Int)\n(aux z)\n(= y (+ x 1))\n(= z y)\n");
  expect_spec("out l: List<Int>= x", "(out l : List<Int>)\n(= l x)\n");
  expect_spec("out l: Struct<>= x", "(out l : Struct<>)\n(= l x)\n");
  expect_spec("in Expr: Expr<Int>", "(in Expr : Expr<Int>)\n");
}

Test(frontend_parse, a_byte_order_mark_and_line_ends_of_windows_are_fine) {
  expect_spec("\xEF\xBB\xBFin x: Int\r\nout y\r\ny = x\r\n", "(in x : Int)\n(out y)\n(= y x)\n");
}

/* ---- Places ------------------------------------------------------------------------------------------------------ */

static const wfe_node *find_node(const bench *b, wfe_kind kind) {
  for (size_t i = 0; i < b->tree.nodes.n; i++)
    if (b->tree.nodes.at[i].kind == kind) return &b->tree.nodes.at[i];
  cr_assert_fail("no such node");
  return NULL;
}

static void expect_place(const char *text, wfe_kind kind, const char *want, size_t at) {
  bench b;
  bench_open(&b, 0);
  parse(&b, text, strlen(text));
  cr_assert_eq(b.diags.n, 0, "%s", text);
  const wfe_node *n = find_node(&b, kind);
  wb_str got = {text + n->span.begin, n->span.end - n->span.begin};
  cr_expect(wb_str_eq(got, (wb_str){want, strlen(want)}), "`%s`: `%.*s`, not `%s`", text, (int)got.n, got.at, want);
  cr_expect_eq(n->at, at, "`%s`: the operator is at %u, not %zu", text, n->at, at);
  bench_close(&b);
}

Test(frontend_parse, nodes_know_their_bytes_and_their_operator) {
  expect_place("y = ((a) + b) ", WFE_BINARY, "(a) + b", 9);
  expect_place("y = a + (b) // c", WFE_BINARY, "a + (b)", 6);
  expect_place("y = -(x)", WFE_UNARY, "-(x)", 4);
  expect_place("y = (f)(x) + 1", WFE_CALL, "(f)(x)", 7);
  expect_place("y = 1 + x[ 2 ]", WFE_DELAY, "x[ 2 ]", 9);
  expect_place("y = (a).b", WFE_FIELD, "(a).b", 7);
  expect_place("y = [1, 2] + 1", WFE_LIST, "[1, 2]", 4);
  expect_place("y = List (1)", WFE_LIST, "List (1)", 4);
  expect_place("y = {a: (1), }", WFE_OBJECT, "{a: (1), }", 4);
  expect_place("y = {\"a b\": (1)}", WFE_ENTRY, "\"a b\"", 5);
  expect_place("y = if a then b else (c) z = 1", WFE_IF, "if a then b else (c)", 4);
  expect_place("y = (\\q: Int -> (q))", WFE_LAMBDA, "\\q: Int -> (q)", 5);
  expect_place("y = \\q : Int -> q", WFE_PARAM, "q : Int", 5);
  expect_place("y = default(a, 1)+1", WFE_BUILTIN, "default(a, 1)", 4);
  expect_place("y = dynamic(s : Int, {a})", WFE_DYNAMIC, "dynamic(s : Int, {a})", 4);
  expect_place("\xEF\xBB\xBFy = - 9223372036854775808 ", WFE_INT, "- 9223372036854775808", 7);
  expect_place("y = ( )", WFE_UNIT, "( )", 4);
}

Test(frontend_parse, declarations_know_their_bytes) {
  bench b;
  static const char text[] = "out yy : List< Int > = 1";
  bench_open(&b, 0);
  parse(&b, text, sizeof text - 1);
  cr_assert_eq(b.tree.decls.n, 1);
  cr_expect_eq(b.tree.decls.at[0].name_span.begin, 4);
  cr_expect_eq(b.tree.decls.at[0].name_span.end, 6);
  cr_expect_eq(b.tree.decls.at[0].type_span.begin, 9);
  cr_expect_eq(b.tree.decls.at[0].type_span.end, 20);
  cr_expect_eq(b.tree.equations.at[0].name_span.begin, 4);
  bench_close(&b);
}

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* Each line is "BEGIN MESSAGE" or "BEGIN MESSAGE | HINT". */
static void expect_errors(const char *text, size_t n, const char *want) {
  bench b;
  char got[4096] = "";
  size_t at = 0;
  bench_open(&b, 0);
  parse(&b, text, n);
  for (size_t i = 0; i < b.diags.n; i++) {
    const wfe_diag *d = &b.diags.at[i];
    cr_expect_eq(d->code, WEIR_E_PARSE);
    cr_expect(d->span.begin <= d->span.end && d->span.end <= n);
    at += (size_t)snprintf(got + at, sizeof got - at, "%u %s%s%s\n", d->span.begin, d->text, d->hint[0] ? " | " : "", d->hint);
  }
  cr_expect_str_eq(got, want, "`%s` gives\n%sinstead of\n%s", text, got, want);
  bench_close(&b);
}
#define ERRORS(text, want) expect_errors(text, sizeof(text) - 1, want)

Test(frontend_parse, hints_tell_words_of_other_languages_apart) {
  ERRORS("in x, z: Int", "4 expected a declaration or an equation, found `,` | each stream has a declaration of its own\n");
  ERRORS("y := 1", "2 expected `=`, found `:` | an equation is written `name = ...`\n");
  ERRORS("y = if a then 1 elif b then 2 else 3", "16 expected `else`, found `elif` | another condition follows behind `else if`\n");
  ERRORS("y = ~a", "4 unexpected character `~` | `not` is written `!`\n");
  ERRORS("y = a ? 1 : 2", "6 unexpected character `?` | a choice is written `if c then a else b`\n");
  ERRORS("y = (x + 1\nout z: Int", "11 expected `)`, found `out` | the `(` in line 1 is not closed\n");
}

Test(frontend_parse, errors_say_what_was_found_and_what_was_expected) {
  ERRORS("y = )", "4 expected an expression, found `)`\n");
  ERRORS("y = x +", "7 expected an expression, found the end of the text\n");
  ERRORS("y = (x", "6 expected `)`, found the end of the text\n");
  ERRORS("y = (x \"a\"", "7 expected `)`, found a text\n");
  ERRORS("y = [1 2]", "7 expected `,` or `]`, found `2`\n");
  ERRORS("y = f(1 2)", "8 expected `,` or `)`, found `2`\n");
  ERRORS("y = {a 1}", "7 expected `:`, `,` or `}`, found `1`\n");
  ERRORS("y = {\"a\"}", "8 expected `:`, found `}`\n");
  ERRORS("y = {a: 1 b: 2}", "10 expected `,` or `}`, found `b`\n");
  ERRORS("y = Map(\"a\": 1 \"b\": 2)", "15 expected `,` or `)`, found a text\n");
  ERRORS("y = Map(a: 1)", "8 expected a key in quotes, found `a` | write \"a\" for a key of that name\n");
  ERRORS("y = dynamic(s; )", "13 unexpected character `;` | declarations and equations need no separator\n");
  ERRORS("y = dynamic(s t)", "14 expected `:`, `,` or `)`, found `t`\n");
  ERRORS("y = dynamic(s, a)", "15 expected `{`, found `a`\n");
  ERRORS("y = dynamic(s, {a b})", "18 expected `,` or `}`, found `b`\n");
  ERRORS("y = dynamic(s, {1})", "16 expected a name or `}`, found `1`\n");
  ERRORS("y = \\x y -> 1", "7 expected `,` or `->` after a parameter, found `y`\n");
  ERRORS("y = \\ -> 1", "6 expected a parameter, found `->`\n");
  ERRORS("y = x.", "6 expected a field name or an index, found the end of the text\n");
}

Test(frontend_parse, a_stray_token_is_an_error_and_not_an_end) {
  ERRORS("out y y = x } z = 1", "12 expected an operator or the next declaration, found `}`\n");
  ERRORS("out y\ny = x + 1  out z Int", "23 expected `:` before the type, found `Int`\n");
  ERRORS("y = x z", "6 expected an operator or the next declaration, found `z`\n");
  ERRORS("y", "0 expected a declaration or an equation, found `y`\n");
  ERRORS("y = 0x10", "5 the name `x10` runs into the number before it\n");
  ERRORS("5", "0 expected a declaration or an equation, found `5`\n");
}

Test(frontend_parse, hints_tell_what_to_write) {
  ERRORS("y = 1 + if a then b else c", "8 `if` needs parentheses as an operand\n");
  ERRORS("y = !\\x -> x", "5 a lambda needs parentheses as an operand\n");
  ERRORS("y = f(x)[1]", "8 [k] applies only to a name, a literal or a parenthesised expression | write (f(x))[k]\n");
  ERRORS("y = r.a[1]", "7 [k] applies only to a name, a literal or a parenthesised expression | write (r.a)[k]\n");
  ERRORS("y = x[1][1]", "8 [k] applies only to a name, a literal or a parenthesised expression | write (x[1])[k]\n");
  ERRORS("y = [1,2][1]", "9 [k] applies only to a name, a literal or a parenthesised expression | write ([1,2])[k]\n");
  ERRORS("y = .5", "4 expected an expression, found `.` | a number begins with a digit: 0.5\n");
  ERRORS("y = if a b else c", "9 expected `then`, found `b`\n");
  ERRORS("y = if a thn b else c", "9 expected `then`, found `thn` | did you mean `then`?\n");
  ERRORS("y = if a then b", "15 expected `else`, found the end of the text | an `if` has both branches: if c then a else b\n");
  ERRORS("y = if x = 1 then 2 else 3",
         "9 expected `then`, found `=` | `==` compares; `=` only stands behind the name that an equation defines\n");
  ERRORS("y == 1", "2 expected `=`, found `==` | an equation is written `name = ...`\n");
  ERRORS("y: Int", "1 expected `=`, found `:` | a declaration begins with `in`, `out`, `aux` or `var`\n");
  ERRORS("y = x[n]",
         "6 expected a number of ticks, found `n` | the k of [k] is a literal from 0 to 18446744073709551615, never computed\n");
  ERRORS("y = List . len(x)", "9 expected `(`, found `.` | `List.len` and its like are written without spaces around the dot\n");
  ERRORS("y = Map.get(m, k)", "15 expected a key in quotes, found `k` | keys of maps are literal texts, as in Map.get(m, \"name\")\n");
  ERRORS("y = Map.get(m, \"k\" ++ \"l\")", "19 expected `)`, found `++`\n");
  ERRORS("in x: Int = 1", "10 an input has no equation | a computed stream is declared with `out` or `aux`\n");
}

Test(frontend_parse, near_words_are_offered) {
  ERRORS("in x: Flot", "6 there is no type `Flot` | did you mean `Float`?\n");
  ERRORS("in x: String", "6 there is no type `String` | did you mean `Str`?\n");
  ERRORS("in x: Lst<Int>", "6 there is no type `Lst` | did you mean `List`?\n");
  ERRORS("in x: Foo", "6 there is no type `Foo`\n");
  ERRORS("ot y: Int", "0 expected a declaration or an equation, found `ot` | did you mean `out`?\n");
  ERRORS("output y: Int", "0 expected a declaration or an equation, found `output` | did you mean `out`?\n");
}

Test(frontend_parse, a_reserved_word_is_named_as_such) {
  ERRORS("in default: Int", "3 expected a name, found `default`, which is a reserved word\n");
  ERRORS("out List", "4 expected a name, found `List`, which is a reserved word\n");
  ERRORS("y = {in: x}", "5 expected a field name, found `in`, which is a reserved word | write \"in\" for a key of that name\n");
  ERRORS("y = x.out", "6 expected a field name or an index, found `out`, which is a reserved word\n");
  ERRORS("y = \\if -> 1", "5 expected a parameter, found `if`, which is a reserved word\n");
  ERRORS("y = dynamic(s, {and})", "16 expected a name or `}`, found `and`, which is a reserved word\n");
  ERRORS("y = 1 + then", "8 expected an expression, found `then` | `then` is a reserved word\n");
  ERRORS("y = sin", "7 expected `(`, found the end of the text | `sin` is a reserved word: only a call of it is an expression\n");
  ERRORS("in x: Struct<in: Int>", "13 expected a field name, found `in`, which is a reserved word\n");
}

Test(frontend_parse, numbers_out_of_range_are_errors_at_their_place) {
  static const char big[] = "the number is too large for an Int, whose largest is 9223372036854775807";
  static const char *const texts[] = {
    "y = 9223372036854775808",        "y = -(9223372036854775808)",    "y = -9223372036854775808[1]",
    "y = -9223372036854775808 ** 2", "y = !9223372036854775808",      "y = -9223372036854775809",
    "y = 99999999999999999999",       "y = 1 - 9223372036854775808",
  };
  for (size_t i = 0; i < WB_LEN(texts); i++) {
    bench b;
    bench_open(&b, 0);
    parse(&b, texts[i], strlen(texts[i]));
    cr_assert_eq(b.diags.n, 1, "%s", texts[i]);
    cr_expect_str_eq(b.diags.at[0].text, big);
    cr_expect_eq(b.diags.at[0].span.begin, strcspn(texts[i], "9"), "%s", texts[i]);
    bench_close(&b);
  }
  ERRORS("y = x[18446744073709551616]", "6 the offset is too large; the largest is 18446744073709551615\n");
  ERRORS("y = t.18446744073709551616", "6 the index is too large\n");
  ERRORS("y = 1e999", "4 the number is too large for a Float\n");
}

Test(frontend_parse, the_count_of_arguments_is_checked) {
  ERRORS("y = default(x)", "13 `default` takes 2 arguments\n");
  ERRORS("y = default()", "12 `default` takes 2 arguments\n");
  ERRORS("y = default(x,)", "14 `default` takes 2 arguments\n");
  ERRORS("y = abs(x, 1)", "11 `abs` takes 1 argument\n");
  ERRORS("y = partial()", "12 `partial` takes at least one argument\n");
  ERRORS("y = Map.get(m)", "13 `Map.get` takes 2 arguments\n");
}

Test(frontend_parse, commas_are_refused_where_the_grammar_has_none) {
  ERRORS("y = [,]", "5 expected an expression, found `,`\n");
  ERRORS("y = [1,,]", "7 expected an expression, found `,`\n");
  ERRORS("y = {,}", "5 expected a field name, found `,`\n");
  ERRORS("y = \\x, -> 1", "8 expected a parameter, found `->`\n");
  ERRORS("in x: (Int, Int,)", "16 expected a type, found `)`\n");
  ERRORS("in x: Struct<a: Int,>", "20 expected a field name, found `>`\n");
  ERRORS("y = dynamic(s,)", "14 expected `{`, found `)`\n");
}

Test(frontend_parse, types_are_refused_where_they_break_off) {
  ERRORS("in x: (Int)", "10 expected `,` or `->`, found `)` | a tuple of one is written `(Int,)`, a function `(Int -> Int)`\n");
  ERRORS("in x: ()", "7 expected a type, found `)`\n");
  ERRORS("in x: List", "10 expected `<`, found the end of the text\n");
  ERRORS("in x: List<Int", "14 expected `>`, found the end of the text\n");
  ERRORS("in x: Map<Int, Int>", "13 expected `>`, found `,`\n");
  ERRORS("in x: (Int -> Int, Int)", "17 expected `)` after the result's type, found `,`\n");
  ERRORS("in x: Struct<..., a: Int>", "16 expected `>` after `...`, found `,`\n");
  ERRORS("in x: Struct<a Int>", "15 expected `:`, found `Int`\n");
  ERRORS("in x: 5", "6 expected a type, found `5`\n");
}

Test(frontend_parse, what_stands_twice_is_reported_with_both_places) {
  ERRORS("y = x\nz = x\ny = 1", "12 a second equation for `y`; the first stands in line 1\n");
  ERRORS("\nout y = x\ny = 1", "11 a second equation for `y`; the first stands in line 2\n");
  ERRORS("y = {a: 1,\nb: {a: 1}, \"a\": 2}", "22 the key `\"a\"` stands twice here; first in line 1\n");
  ERRORS("y = {x, x}", "8 the key `x` stands twice here; first in line 1\n");
  ERRORS("y = Map(\"k\": 1, \"k\": 2, \"k\": 3)",
         "16 the key `\"k\"` stands twice here; first in line 1\n24 the key `\"k\"` stands twice here; first in line 1\n");
  ERRORS("in x: Struct<a: Int, b: Struct<a: Int>,\na: Int>", "40 the field `a` stands twice in this type; first in line 1\n");
}

Test(frontend_parse, text_that_is_not_utf8_is_refused_at_its_byte) {
  ERRORS("y = \"a\xFF\"", "6 the text is not UTF-8: byte 0xFF\n");
  ERRORS("\xFF\xFEy\0", "0 the text is not UTF-8: byte 0xFF | it begins as UTF-16 does: save it as UTF-8\n");
  ERRORS("\xFE\xFF\0y", "0 the text is not UTF-8: byte 0xFE | it begins as UTF-16 does: save it as UTF-8\n");
  ERRORS("\xFF\xFFy", "0 the text is not UTF-8: byte 0xFF\n");
  ERRORS("y = 1 // \xC3", "9 the text is not UTF-8: byte 0xC3\n");
  ERRORS("y = 1 (* \xED\xA0\x80 *)", "9 the text is not UTF-8: byte 0xED\n");
  ERRORS("y = 1\0", "5 unexpected character U+0000\n");
}

/* ---- Several errors ---------------------------------------------------------------------------------------------- */

Test(frontend_parse, reading_goes_on_at_the_next_beginning) {
  ERRORS("in x: Int @\nout y: 5\ny = (x z\nz = 1 + *\nin in: Int\nout w = ]\nok = 1 ok2 = 2 = 3\nlast = ]",
         "10 unexpected character `@`\n"
         "19 expected a type, found `5`\n"
         "28 expected `)`, found `z`\n"
         "38 expected an expression, found `*`\n"
         "43 expected a name, found `in`, which is a reserved word\n"
         "59 expected an expression, found `]`\n"
         "76 expected an operator or the next declaration, found `=`"
         " | `==` compares; `=` only stands behind the name that an equation defines\n"
         "87 expected an expression, found `]`\n");
}

Test(frontend_parse, an_equation_that_lacks_its_end_does_not_swallow_the_next) {
  ERRORS("y = x +\nz = 2\nw = )", "8 expected an expression, found the equation of `z`\n18 expected an expression, found `)`\n");
  ERRORS("y =\nz = 2", "4 expected an expression, found the equation of `z`\n");
  ERRORS("y = (x +\nout z = ]", "9 expected an expression, found `out` | what stands before the declaration is not finished\n17 expected an expression, found `]`\n");
  ERRORS("y = \"abc\nz = ]", "4 this text is not closed on its line | a text ends with `\"`; a newline in it is written \\n\n"
                            "13 expected an expression, found `]`\n");
}

Test(frontend_parse, one_mistake_gives_one_error) {
  ERRORS("y = x @ $ ? 1\nz = 2", "6 unexpected character `@`\n");
  ERRORS("in x: Flot\nout y: Strin\ny = x", "6 there is no type `Flot` | did you mean `Float`?\n"
                                           "18 there is no type `Strin` | did you mean `Str`?\n");
  ERRORS("y = {a: (1, 2), b: [3, 4}\nz = 2", "10 expected `)`, found `,`\n");
  ERRORS("in in: Int\nin x: Int", "3 expected a name, found `in`, which is a reserved word\n");
}

Test(frontend_parse, twenty_errors_are_kept_and_the_rest_counted) {
  bench b;
  char text[30 * 8 + 1] = "";
  for (int i = 0; i < 30; i++) strcat(text, "y = )\nz ");
  bench_open(&b, 0);
  parse(&b, text, strlen(text));
  cr_expect_eq(b.diags.n, 20);
  cr_expect_gt(b.diags.left_out, 0);
  for (size_t i = 1; i < b.diags.n; i++) cr_expect_leq(b.diags.at[i - 1].span.begin, b.diags.at[i].span.begin);
  bench_close(&b);
}

/* ---- Run-time texts ---------------------------------------------------------------------------------------------- */

Test(frontend_parse, a_run_time_text_is_one_expression) {
  static const struct { const char *text, *error; } cases[] = {
    {"x + 1", NULL},
    {" (* c *) x[1] // d", NULL},
    {"", "expected an expression, found the end of the text"},
    {"x y", "expected an operator or the end of the text, found `y`"},
    {"y = x", "expected an expression, found the equation of `y`"},
    {"in x", "expected an expression, found `in`"},
    {"x)", "expected an operator or the end of the text, found `)`"},
  };
  for (size_t i = 0; i < WB_LEN(cases); i++) {
    bench b;
    bench_open(&b, 0);
    b.tree = (wfe_tree){.mem = &b.mem, .names = &b.names, .types = &b.types, .text = {cases[i].text, strlen(cases[i].text)}};
    wfe_ref root = wfe_parse_expr(&b.tree, &b.limits, &b.diags);
    cr_expect_eq(wfe_is_node(root), cases[i].error == NULL, "`%s`", cases[i].text);
    if (cases[i].error) cr_expect_str_eq(b.diags.at[0].text, cases[i].error);
    bench_close(&b);
  }
}

/* ---- Limits ------------------------------------------------------------------------------------------------------ */

/* head, then `open` as often as asked, middle, `close` as often, tail. */
typedef struct nest { const char *head, *open, *middle, *close; } nest;

static const nest nests[] = { /* the first six also a million times */
  {"y = ", "(", "1", ")"},
  {"y = ", "!", "true", ""},
  {"y = ", "[", "", "]"},
  {"y = ", "if true then ", "1", " else 2"},
  {"in x: ", "List<", "Int", ">"},
  {"y = ", "{\"a\":", "1", "}"},
  {"y = ", "-", "1", ""},
  {"y = ", "not ", "true", ""},
  {"y = ", "if ", "true", " then true else false"},
  {"y = ", "\\a: Int -> ", "1", ""},
  {"y = ", "{a: ", "1", "}"},
  {"y = ", "Map(\"a\": ", "1", ")"},
  {"y = ", "Tuple(", "1", ",)"},
  {"y = ", "f(", "1", ")"},
  {"y = ", "abs(", "1", ")"},
  {"y = ", "default(1, ", "1", ")"},
  {"y = ", "dynamic(", "s", ")"},
  {"y = ", "2 ** ", "1", ""},
  {"y = ", "1 + (", "1", ")"},
  {"in x: ", "Map<", "Int", ">"},
  {"in x: ", "Struct<a: ", "Int", ">"},
  {"in x: ", "(Int -> ", "Int", ")"},
  {"in x: ", "(", "Int", ",)"},
  {"in x: ", "Expr<", "Int", ">"},
  {"y = dynamic(s : ", "List<", "Int", ">"}, /* never closed: for the limit only */
};

static char *nest_text(const nest *n, size_t levels) {
  size_t head = strlen(n->head), open = strlen(n->open), middle = strlen(n->middle), close = strlen(n->close);
  char *text = malloc(head + levels * (open + close) + middle + 1), *at = text;
  cr_assert(text);
  at = stpcpy(at, n->head);
  for (size_t i = 0; i < levels; i++, at += open) memcpy(at, n->open, open);
  at = stpcpy(at, n->middle);
  for (size_t i = 0; i < levels; i++, at += close) memcpy(at, n->close, close);
  *at = '\0';
  return text;
}

typedef struct thread_job { bench *b; const char *text; } thread_job;

static void *thread_parse(void *arg) {
  thread_job *job = arg;
  parse(job->b, job->text, strlen(job->text));
  return NULL;
}

/* Parses and prints on a thread with a stack of 64 kB. */
static void parse_on_small_stack(bench *b, const char *text) {
  thread_job job = {b, text};
  pthread_attr_t attr;
  pthread_t thread;
  cr_assert_eq(pthread_attr_init(&attr), 0);
  cr_assert_eq(pthread_attr_setstacksize(&attr, 64 * 1024), 0);
  cr_assert_eq(pthread_create(&thread, &attr, thread_parse, &job), 0);
  cr_assert_eq(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attr);
}

static void expect_nesting(const nest *n, size_t levels, bool is_allowed) {
  bench b;
  char *text = nest_text(n, levels);
  bench_open(&b, 0);
  parse_on_small_stack(&b, text);
  if (is_allowed) {
    cr_expect_eq(b.diags.n, 0, "%zu `%s`: %s", levels, n->open, b.diags.at[0].text);
  } else {
    cr_assert_eq(b.diags.n, 1, "%zu `%s` give one error, not %zu", levels, n->open, b.diags.n);
    cr_expect_eq(b.diags.at[0].code, WEIR_E_LIMIT);
    cr_expect_str_eq(b.diags.at[0].text, "nested deeper than 1000 levels (option max_nesting / --max-nesting)");
    size_t begin = strlen(n->head) + 1000 * strlen(n->open), end = begin + strlen(n->open);
    cr_expect(b.diags.at[0].span.begin >= begin && b.diags.at[0].span.begin < end, "`%s`: the error is in the level too many", n->open);
  }
  bench_close(&b);
  free(text);
}

Test(frontend_parse, a_thousand_levels_are_read_and_one_more_is_one_error) {
  for (size_t i = 0; i < WB_LEN(nests); i++) {
    if (!strchr(nests[i].head, '(')) {
      expect_nesting(&nests[i], 999, true);
      expect_nesting(&nests[i], 1000, true);
    }
    expect_nesting(&nests[i], 1001, false);
  }
}

Test(frontend_parse, any_number_of_levels_is_one_error) {
  for (size_t i = 0; i < WB_LEN(nests); i++) expect_nesting(&nests[i], i < 6 ? 1000000 : 10000, false);
}

Test(frontend_parse, the_limit_of_nesting_is_the_one_that_is_given) {
  bench b;
  bench_open(&b, 0);
  b.limits.nesting = 2;
  parse(&b, "y = ((1))", 9);
  cr_expect_eq(b.diags.n, 0);
  parse(&b, "y = (((1)))", 11);
  cr_expect_str_eq(b.diags.at[0].text, "nested deeper than 2 levels (option max_nesting / --max-nesting)");
  bench_close(&b);
}

Test(frontend_parse, long_chains_are_not_nesting) {
  static const nest chains[] = {
    {"y = 1", " + 1", "", ""},          {"y = a", " => b", "", ""},
    {"y = f", "(1)", "", ""},           {"y = r", ".a", "", ""},
    {"y = ", "if true then 1 else ", "1", ""}, {"y = [", "1, ", "", ""},
    {"y = 1", " * 2 + 3 < 4 == a && b", "", ""},
  };
  for (size_t i = 0; i < WB_LEN(chains); i++) {
    bench b;
    char *text = nest_text(&chains[i], i < 2 ? 1000000 : 100000);
    bench_open(&b, 0);
    if (strchr(text, '[')) text[strlen(text) - 2] = ']';
    parse_on_small_stack(&b, text);
    cr_expect_eq(b.diags.n, 0, "`%s`: %s", chains[i].open, b.diags.at[0].text);
    bench_close(&b);
    free(text);
  }
}

Test(frontend_parse, as_many_equations_as_the_limit_says) {
  bench b;
  bench_open(&b, 0);
  b.limits.equations = 2;
  parse(&b, "a = 1 b = 2", 11);
  cr_expect_eq(b.diags.n, 0);
  parse(&b, "a = 1 b = 2 c = 3 d = )", 23);
  cr_assert_eq(b.diags.n, 1);
  cr_expect_eq(b.diags.at[0].code, WEIR_E_LIMIT);
  cr_expect_eq(b.diags.at[0].span.begin, 12);
  cr_expect_str_eq(b.diags.at[0].text, "more than 2 equations (option max_equations / --max-equations)");
  bench_close(&b);
}

/* ---- Every byte counts (fault 8) --------------------------------------------------------------------------------- */

static const char sample[] =
  "in x: Int\nin s: Struct<a: Int, b: (Int,)>\nin f: (Int -> Float)\nout y: List<Int>\nvar z: Struct<...>\n"
  "y = [x[1], -2 ** 3, List.get(y0, 0), x % 7]\n"
  "z = if not a || b and c => d then {k: 1, \"l\": Map(\"m\": 2.5)} else Struct(\"k\": Tuple(1, \"t\\n\"))\n"
  "w = dynamic(\"x + 1\" ++ q : Int, {a, b}) + (\\p: Int, r -> p(r).g.0 != r)(1, ()) >= default(x[20], 1e3)\n"
  "v = Map.insert(m, \"k\", -9223372036854775808) // end\n";

static const char added[] = "!\"#$%&'()*+,-./0159:;<=>?@[\\]^_`aeinotxALS{|}~ \n\r\t\x1b\x7f";

/* The tokens, as far as a tree can show them: without a comma before a closing bracket, which may stand there or not. */
static size_t list_tokens(bench *b, const char *text, size_t n, wfe_token *out) {
  wfe_lexer l;
  size_t count = 0;
  wfe_lexer_init(&l, WFE_DSRV, (wb_str){text, n}, 255, &b->names, &b->mem, &b->diags);
  for (;;) {
    wfe_token t = wfe_lex(&l);
    bool is_close = t.kind == WFE_T_RPAREN || t.kind == WFE_T_RBRACK || t.kind == WFE_T_RBRACE;
    if (is_close && count > 0 && out[count - 1].kind == WFE_T_COMMA) count--;
    if (t.kind == WFE_T_END) break;
    out[count++] = t;
  }
  wfe_lexer_end(&l);
  return count;
}

static bool same_tokens(const wfe_token *a, size_t n_a, const wfe_token *b, size_t n_b) {
  bool is_same = n_a == n_b;
  for (size_t i = 0; is_same && i < n_a; i++) {
    is_same = a[i].kind == b[i].kind && a[i].op == b[i].op;
    if (a[i].kind == WFE_T_INT) is_same = is_same && a[i].as.u == b[i].as.u;
    if (a[i].kind == WFE_T_FLOAT) is_same = is_same && a[i].as.f == b[i].as.f;
    if (a[i].kind == WFE_T_IDENT || a[i].kind == WFE_T_STR) is_same = is_same && a[i].as.name == b[i].as.name;
  }
  return is_same;
}

/* A changed text is an error, or has another tree, or differs only in what no tree shows. */
static void check_mutant(bench *b, const char *tree, const char *text, size_t n, size_t place) {
  wfe_token before[512], after[512];
  parse(b, text, n);
  if (wfe_diag_any(&b->diags)) {
    cr_assert_leq(b->diags.at[0].span.end, n);
    return;
  }
  if (strcmp(b->printed.at, tree) != 0) return;
  size_t n_before = list_tokens(b, sample, sizeof sample - 1, before), n_after = list_tokens(b, text, n, after);
  cr_expect(same_tokens(before, n_before, after, n_after), "a change at byte %zu is lost: %.*s", place, (int)n, text);
}

Test(frontend_parse, no_byte_can_be_dropped_or_added_unnoticed) {
  bench b;
  char tree[4096], text[sizeof sample + 1];
  size_t n = sizeof sample - 1;
  bench_open(&b, 0);
  parse(&b, sample, n);
  cr_assert_eq(b.diags.n, 0, "%s", b.diags.at[0].text);
  cr_assert_lt(b.printed.n, sizeof tree);
  memcpy(tree, b.printed.at, b.printed.n);
  for (size_t i = 0; i < n; i++) {
    memcpy(text, sample, i);
    memcpy(text + i, sample + i + 1, n - i - 1);
    check_mutant(&b, tree, text, n - 1, i);
  }
  for (size_t i = 0; i <= n; i++) {
    memcpy(text, sample, i);
    memcpy(text + i + 1, sample + i, n - i);
    for (size_t c = 0; c < sizeof added; c++) { /* with the terminating zero */
      text[i] = added[c];
      check_mutant(&b, tree, text, n + 1, i);
    }
  }
  bench_close(&b);
}

Test(frontend_parse, random_damage_never_does_more_than_an_error) {
  char text[2 * sizeof sample];
  uint64_t random = 88172645463325252u;
  for (int round = 0; round < 3000; round++) {
    bench b;
    size_t n = sizeof sample - 1;
    memcpy(text, sample, n);
    for (int i = 0; i < 1 + round % 8; i++) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      size_t from = (size_t)(random >> 8) % n, to = (size_t)(random >> 24) % n, length = (size_t)(random >> 40) % 24;
      if (length > n - WB_MAX(from, to)) length = n - WB_MAX(from, to);
      memmove(text + to, text + from, length);
      if (random & 1) text[to] = (char)(random >> 56);
      if (random & 2) n -= length / 2;
    }
    bench_open(&b, 0);
    parse(&b, text, n);
    for (size_t i = 0; i < b.diags.n; i++)
      cr_assert(b.diags.at[i].span.begin <= b.diags.at[i].span.end && b.diags.at[i].span.end <= n && b.diags.at[i].text[0]);
    for (size_t i = 0; i < b.tree.nodes.n; i++) cr_assert_leq(b.tree.nodes.at[i].span.end, n);
    bench_close(&b);
  }
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

Test(frontend_parse, every_failing_allocation_is_reported_and_nothing_lost) {
  bool has_failed = true;
  uint64_t n = 1;
  for (; has_failed && n < 2000; n++) {
    bench b;
    bench_open(&b, n);
    parse(&b, sample, sizeof sample - 1);
    has_failed = b.door.calls >= b.door.fail_at;
    cr_assert_eq(b.diags.out_of_memory, has_failed, "allocation %" PRIu64, n);
    if (has_failed) cr_expect_eq(b.diags.at[0].code, WEIR_E_MEMORY);
    bench_close(&b);
    cr_expect_eq(b.door.used, 0);
  }
  cr_expect_not(has_failed, "%" PRIu64 " allocations", n);
}

Test(frontend_parse, what_the_parser_needs_for_itself_is_given_back) {
  bench b;
  bench_open(&b, 0);
  char *text = nest_text(&nests[0], 1000000);
  parse(&b, text, strlen(text));
  cr_expect_lt(b.mem.used, 64u * 1024);
  bench_close(&b);
  free(text);
}

/* ---- The conformance cases --------------------------------------------------------------------------------------- */

static char *read_file(const char *folder, const char *name, const char *file, size_t *n) {
  static const size_t cap = 1 << 20;
  char path[1024];
  snprintf(path, sizeof path, "%s/%s/%s", folder, name, file);
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  char *text = malloc(cap);
  cr_assert(text);
  *n = fread(text, 1, cap, f);
  fclose(f);
  return text;
}

static void check_case(const char *folder, const char *name) {
  bench b;
  size_t n, n_error = 0;
  char *text = read_file(folder, name, "spec.dsrv", &n), *error = read_file(folder, name, "expected.error", &n_error);
  bool must_fail = error && n_error >= 5 && memcmp(error, "parse", 5) == 0;
  cr_assert(text, "%s", name);
  bench_open(&b, 0);
  parse(&b, text, n);
  cr_expect_eq(b.diags.n > 0, must_fail, "%s: %s", name, b.diags.n > 0 ? b.diags.at[0].text : "no error");
  bench_close(&b);
  free(text);
  free(error);
}

Test(frontend_parse, the_conformance_cases_parse_or_fail_as_they_say) {
  static const char folder[] = TEST_ROOT "/tests/conformance/cases";
  DIR *dir = opendir(folder);
  size_t n = 0;
  if (!dir) cr_skip_test("there are no cases in %s", folder);
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
    if (e->d_name[0] == '.') continue;
    check_case(folder, e->d_name);
    n++;
  }
  closedir(dir);
  cr_expect_gt(n, 400);
}
