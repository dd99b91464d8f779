/* tests/unit/frontend_infer.c -- names, scopes and types of specifications: every rule of language.md 3, 4, 10 and 11 that is static. */
#include "frontend/infer.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"

typedef struct bench {
  wb_door door;
  wb_mem mem;
  wb_names names;
  wir_types types;
  wfe_tree tree;
  wfe_checked checked;
  struct weir_diagnostics diags;
} bench;

/* Parses and checks.  fail_at: this request for memory and all later ones fail. */
static bench *bench_open(const char *text, size_t n, size_t nesting, uint64_t fail_at) {
  bench *b = calloc(1, sizeof *b);
  wfe_limits limits = {1 << 24, nesting, 255, 1000000, 1 << 30, 12, 0};
  wb_door_open(&b->door, NULL, 0);
  b->door.fail_at = fail_at;
  wb_mem_init(&b->mem, &b->door, 0);
  wb_names_init(&b->names, &b->mem);
  if (!wir_types_init(&b->types, &b->names, &b->mem)) {
    wfe_diag_memory(&b->diags);
    return b;
  }
  b->tree = (wfe_tree){.mem = &b->mem, .names = &b->names, .types = &b->types, .text = {text, n}};
  wfe_parse_spec(&b->tree, &limits, &b->diags);
  if (!wfe_diag_any(&b->diags)) wfe_check(&b->tree, &limits, &b->checked, &b->diags);
  return b;
}

static void bench_close(bench *b) {
  wb_mem_drop(&b->mem);
  free(b);
}

static bench *check(const char *text) { return bench_open(text, strlen(text), 1000, 0); }

static const char *print(bench *b, wir_type x) {
  wb_bytes out = {0};
  cr_assert(wir_type_print(&b->types, x, 0, &b->mem, &out));
  cr_assert(WB_PUSH(&b->mem, &out, '\0'));
  return out.at;
}

static const wfe_stream *stream(const bench *b, const char *name) {
  uint32_t id = wb_names_find(&b->names, (wb_str){name, strlen(name)});
  for (size_t i = 0; i < b->checked.streams.n; i++)
    if (b->checked.streams.at[i].name == id) return &b->checked.streams.at[i];
  cr_assert_fail("no stream `%s`", name);
  return NULL;
}

/* The typing of the last node whose text is this. */
static const wfe_typing *typing(const bench *b, const char *text) {
  size_t n = strlen(text);
  for (size_t i = b->tree.nodes.n; i-- > 0;) {
    weir_span s = b->tree.nodes.at[i].span;
    if (s.end - s.begin == n && memcmp(b->tree.text.at + s.begin, text, n) == 0 && b->tree.nodes.at[i].kind != WFE_ENTRY)
      return &b->checked.typing[i];
  }
  cr_assert_fail("no expression `%s`", text);
  return NULL;
}

/* What most tests begin with. */
#define INPUTS \
  "in i: Int in f: Float in b: Bool in s: Str in u: Unit in w in li: List<Int> in lf: List<Float> in mi: Map<Int> in t: (Int, Str) " \
  "in p: Struct<a: Int, c: Str> "

/* `e` as an unannotated output has this type. */
typedef struct type_row { const char *e, *type; } type_row;

static void expect_types(const type_row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char text[1024];
    snprintf(text, sizeof text, INPUTS "aux y y = %s", rows[i].e);
    bench *b = check(text);
    if (wfe_diag_any(&b->diags)) cr_expect_fail("`%s` is %s, but was refused: %s", rows[i].e, rows[i].type, b->diags.at[0].text);
    else cr_expect_str_eq(print(b, stream(b, "y")->type), rows[i].type, "`%s` is %s, not %s", rows[i].e, rows[i].type,
                          print(b, stream(b, "y")->type));
    bench_close(b);
  }
}

/* `y: type = e`: the part `part` of e becomes another type ("-": it does not). */
typedef struct becomes_row { const char *type, *e, *part, *becomes; } becomes_row;

static void expect_becomes(const becomes_row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char text[1024];
    snprintf(text, sizeof text, INPUTS "aux y%s%s y = %s", *rows[i].type ? ": " : "", rows[i].type, rows[i].e);
    bench *b = check(text);
    if (wfe_diag_any(&b->diags)) {
      cr_expect_fail("`%s` was refused: %s", rows[i].e, b->diags.at[0].text);
    } else {
      wir_type x = typing(b, rows[i].part)->becomes;
      const char *got = x.i == WIR_TYPE_NONE ? "-" : print(b, x);
      cr_expect_str_eq(got, rows[i].becomes, "in `%s`, `%s` becomes %s, not %s", rows[i].e, rows[i].part, rows[i].becomes, got);
    }
    bench_close(b);
  }
}

/* The whole text is refused: its first diagnostic, at this place, says this and hints that. */
typedef struct refused_row { const char *text, *at; weir_code code; const char *says, *hints; } refused_row;

static void expect_one_refused(const char *text, const refused_row *row) {
  bench *b = check(text);
  cr_expect(wfe_diag_any(&b->diags), "`%s` is refused", row->text);
  if (wfe_diag_any(&b->diags)) {
    const wfe_diag *d = &b->diags.at[0];
    cr_expect_eq(d->code, row->code, "`%s`: %s, not %s (%s)", row->text, weir_code_name(row->code), weir_code_name(d->code), d->text);
    cr_expect_not_null(strstr(d->text, row->says), "`%s`: \"%s\" in \"%s\"", row->text, row->says, d->text);
    cr_expect_not_null(strstr(d->hint, row->hints), "`%s`: \"%s\" in the hint \"%s\"", row->text, row->hints, d->hint);
    cr_expect_eq(strncmp(text + d->span.begin, row->at, strlen(row->at)), 0, "`%s`: at `%s`, not at `%.12s`", row->text, row->at,
                 text + d->span.begin);
    cr_expect_eq(b->diags.n, 1, "`%s`: one error, not %zu", row->text, b->diags.n);
  }
  bench_close(b);
}

static void expect_refused(const char *before, const refused_row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s", before, rows[i].text);
    expect_one_refused(text, &rows[i]);
  }
}

#define TYPES(...) expect_types((const type_row[]){__VA_ARGS__}, sizeof((const type_row[]){__VA_ARGS__}) / sizeof(type_row))
#define BECOMES(...) expect_becomes((const becomes_row[]){__VA_ARGS__}, sizeof((const becomes_row[]){__VA_ARGS__}) / sizeof(becomes_row))
#define REFUSED(before, ...) \
  expect_refused(before, (const refused_row[]){__VA_ARGS__}, sizeof((const refused_row[]){__VA_ARGS__}) / sizeof(refused_row))

/* ---- Each row of the table in section 4 ---------------------------------------------------------------------------- */

Test(frontend_infer, arithmetic) {
  TYPES({"i + i", "Int"}, {"i - f", "Float"}, {"f * i", "Float"}, {"f / f", "Float"}, {"w % f", "Float"}, {"f ** w", "Float"},
        {"w + i", "Any"},
        {"i ** w", "Any"}, {"w + w", "Any"}, {"i ** i", "Int"});
  BECOMES({"", "i + f", "i", "Float"}, {"", "f + i", "i", "Float"}, {"", "i + i", "i", "-"}, {"", "w + f", "w", "-"},
          {"", "i + w", "i", "-"},
          {"", "2 ** f", "2", "Float"}, {"", "i + 1 + f", "i + 1", "Float"}, {"", "i + 1 + f", "1", "-"});
  REFUSED(INPUTS, {"aux y y = i + true", "+ true", WEIR_E_TYPE, "`+` cannot take operands of type Int and Bool", "if true then 1 else 0"},
          {"aux y y = s + s", "+ s", WEIR_E_TYPE, "Str and Str", "`++`"},
          {"aux y y = li * 2", "* 2", WEIR_E_TYPE, "List<Int> and Int", ""},
          {"aux y y = w + s", "+ s", WEIR_E_TYPE, "Any and Str", ""}, {"aux y y = u - u", "- u", WEIR_E_TYPE, "Unit and Unit", ""});
}

Test(frontend_infer, logic) {
  TYPES({"b && b", "Bool"}, {"b || w", "Bool"}, {"w => w", "Bool"}, {"!b", "Bool"}, {"not w", "Bool"}, {"b and b or w", "Bool"});
  BECOMES({"", "b && w", "w", "-"}, {"", "!w", "w", "-"});
  REFUSED(INPUTS, {"aux y y = b && i", "&& i", WEIR_E_TYPE, "Bool and Int", "i != 0"},
          {"aux y y = s || b", "|| b", WEIR_E_TYPE, "Str and Bool", ""},
          {"aux y y = !i", "!i", WEIR_E_TYPE, "operand of type Int", "i != 0"},
          {"aux y y = b => f", "=> f", WEIR_E_TYPE, "Bool and Float", ""});
}

Test(frontend_infer, concatenation) {
  TYPES({"s ++ s", "Str"}, {"w ++ s", "Str"}, {"w ++ w", "Str"});
  REFUSED(INPUTS, {"aux y y = s ++ i", "++ i", WEIR_E_TYPE, "Str and Int", ""},
          {"aux y y = li ++ li", "++ li", WEIR_E_TYPE, "List<Int>", "List.concat"},
          {"aux y y = \"x\" ++ s == s", "++ s", WEIR_E_TYPE, "Str and Bool", "binds weakest"});
}

Test(frontend_infer, equality) {
  TYPES({"i == f", "Bool"}, {"w != s", "Bool"}, {"li == []", "Bool"}, {"p == {c: \"x\", a: 1}", "Bool"},
        {"t == Tuple(1, \"a\")", "Bool"}, {"u == ()", "Bool"});
  BECOMES({"", "1 == 1.0", "1", "Float"}, {"", "f != i", "i", "Float"}, {"", "i == w", "i", "-"});
  REFUSED(INPUTS, {"aux y y = i == s", "== s", WEIR_E_TYPE, "Int and Str", ""},
          {"aux y y = {a: 1} == {b: 1}", "==", WEIR_E_TYPE, "Struct<a: Int> and Struct<b: Int>", ""},
          {"aux y y = li == lf", "== lf", WEIR_E_TYPE, "List<Int> and List<Float>", ""},
          {"aux y y = b != i", "!= i", WEIR_E_TYPE, "Bool and Int", ""});
}

Test(frontend_infer, order) {
  TYPES({"i < f", "Bool"}, {"b <= b", "Bool"}, {"s > s", "Bool"}, {"w >= i", "Bool"}, {"s < w", "Bool"}, {"w < w", "Bool"},
        {"3 > 2 > true", "Bool"});
  BECOMES({"", "i < f", "i", "Float"}, {"", "f >= i", "i", "Float"}, {"", "w < f", "w", "-"});
  REFUSED(INPUTS, {"aux y y = li < li", "< li", WEIR_E_TYPE, "List<Int> and List<Int>", ""},
          {"aux y y = i < b", "< b", WEIR_E_TYPE, "Int and Bool", ""},
          {"aux y y = w < li", "< li", WEIR_E_TYPE, "Any and List<Int>", ""}, {"aux y y = u < u", "< u", WEIR_E_TYPE, "Unit", ""},
          {"aux y y = p > p", "> p", WEIR_E_TYPE, "Struct", ""});
}

Test(frontend_infer, minus_abs_and_trigonometry) {
  TYPES({"-i", "Int"}, {"-f", "Float"}, {"-w", "Any"}, {"abs(i)", "Int"}, {"abs(w)", "Any"}, {"sin(f)", "Float"},
        {"cos(i)", "Float"}, {"tan(w)", "Float"},
        {"-9223372036854775808", "Int"});
  BECOMES({"", "sin(1)", "1", "Float"}, {"", "sin(w)", "w", "-"}, {"", "cos(f)", "f", "-"});
  REFUSED(INPUTS, {"aux y y = -s", "-s", WEIR_E_TYPE, "operand of type Str", ""},
          {"aux y y = abs(b)", "b)", WEIR_E_TYPE, "`abs` takes an Int or a Float, not Bool", ""},
          {"aux y y = sin(s)", "s)", WEIR_E_TYPE, "`sin` takes a Float, not Str", ""});
}

Test(frontend_infer, if_and_delay) {
  TYPES({"if b then i else i", "Int"}, {"if b then 1 else 2.5", "Float"}, {"if w then i else w", "Any"},
        {"if b then [] else li", "List<Int>"}, {"i[3]", "Int"},
        {"(i + f)[1]", "Float"}, {"s[0]", "Str"}, {"7[1]", "Int"}, {"(if b then p else {c: s, a: i}).a", "Int"});
  BECOMES({"", "if b then 1 else 2.5", "1", "Float"}, {"", "if b then f else i[1]", "i[1]", "Float"},
          {"", "if w then 1 else 2", "w", "-"});
  REFUSED(INPUTS, {"aux y: Int y = if i then 1 else 2", "i then", WEIR_E_TYPE, "expected Bool, got Int", "i != 0"},
          {"aux y: Int y = if b then 1 else \"one\"", "\"one\"", WEIR_E_TYPE, "expected Int, got Str", ""});
}

Test(frontend_infer, stateful_builtins) {
  TYPES({"default(i, f)", "Float"}, {"update(i, i)", "Int"}, {"latch(i, s)", "Int"}, {"latch(f, w)", "Float"},
        {"init(f, 0)", "Float"}, {"default(w, 1)", "Any"},
        {"is_defined(li)", "Bool"}, {"when(w)", "Bool"});
  BECOMES({"", "default(f[1], 0)", "0", "Float"}, {"", "init(i, f)", "i", "Float"}, {"", "update(f, i)", "i", "Float"},
          {"", "default(w, 1)", "1", "-"},
          {"", "default(i[1], f)", "i[1]", "Float"});
  REFUSED(INPUTS, {"aux y: Int y = default(i[1], \"x\")", "\"x\"", WEIR_E_TYPE, "expected Int, got Str", ""},
          {"aux y: Bool y = init(b, i)", "i)", WEIR_E_TYPE, "expected Bool, got Int", "i != 0"});
}

Test(frontend_infer, literals) {
  TYPES({"[1, 2.5]", "List<Float>"}, {"[]", "List<Any>"}, {"[[], [1]]", "List<List<Int>>"}, {"[i, w]", "List<Any>"},
        {"List(s, s)", "List<Str>"},
        {"Map(\"a\": i, \"b\": 0.5)", "Map<Float>"}, {"{a: i, z: [f]}", "Struct<a: Int, z: List<Float>>"},
        {"Struct(\"a\": i)", "Struct<a: Int>"},
        {"Tuple(i, 0.5)", "(Int, Float)"}, {"Tuple(s)", "(Str,)"}, {"()", "Unit"}, {"[[[i]]]", "List<List<List<Int>>>"},
        {"{i}", "Struct<i: Int>"});
  BECOMES({"", "[i, 2.5]", "i", "Float"}, {"", "[2.5, w, 7]", "7", "-"}, {"", "Map(\"a\": i, \"b\": 0.5)", "i", "Float"},
          {"", "Tuple(i, 0.5)", "i", "-"});
}

Test(frontend_infer, fields) {
  TYPES({"p.a", "Int"}, {"p[1].c", "Str"}, {"t.1", "Str"}, {"w.x", "Any"}, {"w.0", "Any"}, {"Tuple(Tuple(1, i), 2).0.1", "Int"},
        {"{a: {b: f}}.a.b", "Float"},
        {"Map.get(mi, \"k\")", "Int"}, {"Map.get(p, \"c\")", "Str"}, {"Map.get(w, \"c\")", "Any"},
        {"Map.has_key(p, \"zz\")", "Bool"},
        {"Map.remove(mi, \"k\")", "Map<Int>"}, {"Map.insert(mi, \"k\", i)", "Map<Int>"}, {"Map.insert(mi, \"k\", w)", "Map<Int>"},
        {"Map.insert(p, \"a\", 3)", "Struct<a: Int, c: Str>"}, {"Map.insert(Map(), \"k\", s)", "Map<Str>"},
        {"Map.insert({a: [], b: 1}, \"a\", [s])", "Struct<a: List<Str>, b: Int>"}, {"Map.insert(w, \"k\", s)", "Any"},
        {"Map.get(Map(), \"k\")", "Any"});
  BECOMES({"", "Map.insert(mi, \"k\", w)", "w", "Int"}, {"", "Map.insert(Map(\"a\": f), \"k\", i)", "i", "Float"});
  REFUSED(INPUTS, {"aux y y = p.b", "p.b", WEIR_E_TYPE, "has no field `b`", ""},
          {"aux q q = {total: 1}.totl", "{", WEIR_E_TYPE, "has no field `totl`", "did you mean `total`?"},
          {"aux y y = mi.a", "mi", WEIR_E_TYPE, "expected a struct, got Map<Int>", "Map.get(…, \"a\")"},
          {"aux y y = i.a", "i.a", WEIR_E_TYPE, "expected a struct, got Int", ""},
          {"aux y y = t.2", "t.2", WEIR_E_TYPE, "tuple index 2 out of range", ""},
          {"aux y y = t.18446744073709551615", "t.", WEIR_E_TYPE, "out of range", ""},
          {"aux y y = li.0", "li", WEIR_E_TYPE, "expected a tuple", "List.get(…, 0)"},
          {"aux y y = Map.insert(p, \"b\", 1)", "Map", WEIR_E_TYPE, "no field `b`", ""},
          {"aux y y = Map.get(li, \"b\")", "li", WEIR_E_TYPE, "expected a map or a struct", ""},
          {"aux y y = Map.remove(p, \"a\")", "p", WEIR_E_TYPE, "expected a map, got Struct", ""});
}

Test(frontend_infer, lists) {
  TYPES({"List.get(li, i)", "Int"}, {"List.get(w, w)", "Any"}, {"List.head([])", "Any"}, {"List.tail(lf)", "List<Float>"},
        {"List.len(w)", "Int"},
        {"List.append(li, w)", "List<Int>"}, {"List.append([], i)", "List<Int>"}, {"List.append([[]], [i])", "List<List<Int>>"},
        {"List.append(w, i)", "List<Any>"},
        {"List.concat([], li)", "List<Int>"}, {"List.concat(lf, [1, i])", "List<Float>"}, {"List.concat(w, li)", "List<Any>"});
  BECOMES({"", "List.append(lf, i)", "i", "Float"}, {"", "List.append(li, w)", "w", "Int"},
          {"", "List.concat(lf, [1, f])", "1", "Float"}, {"", "List.concat(li, w)", "w", "List<Int>"},
          {"", "List.get(li, w)", "w", "-"});
  REFUSED(INPUTS, {"aux y y = List.len(i)", "i)", WEIR_E_TYPE, "expected a list, got Int", ""},
          {"aux y y = List.append(mi, 1)", "mi", WEIR_E_TYPE, "expected a list", ""},
          {"aux y: Int y = List.get(li, f)", "f)", WEIR_E_TYPE, "expected Int, got Float", ""},
          {"aux y: List<Int> y = List.append(li, s)", "s)", WEIR_E_TYPE, "expected Int, got Str", ""},
          {"aux y: List<Int> y = List.concat(li, lf)", "lf)", WEIR_E_TYPE, "expected List<Int>, got List<Float>", ""});
}

/* ---- Functions ----------------------------------------------------------------------------------------------------- */

Test(frontend_infer, calls) {
  TYPES({"\\n: Int -> n + 0.5", "(Int -> Float)"}, {"\\n: Int, m: Str -> m", "(Int, Str -> Str)"},
        {"(\\n: Float -> n)(i)", "Float"}, {"w(1, 2)", "Any"},
        {"(\\n: Int -> \\m: Int -> n + m)(1)", "(Int -> Int)"}, {"(\\n: Int -> \\m: Int -> n + m)(1)(2)", "Int"},
        {"(if b then \\n: Int -> n else \\n: Int -> w)(i)", "Any"});
  BECOMES({"", "(\\n: Float -> n)(i)", "i", "Float"}, {"", "(\\n: Int -> n)(w)", "w", "Int"}, {"", "(\\n: Any -> n)(i)", "i", "-"},
          {"(Int -> Int)", "\\n: Int -> w", "\\n: Int -> w", "(Int -> Int)"}, {"", "(\\l: List<Float> -> l)([i])", "i", "Float"});
  REFUSED(INPUTS, {"aux y y = i(1)", "i(1)", WEIR_E_TYPE, "type Int, which is not a function", ""},
          {"aux y y = i\n(1)", "i", WEIR_E_TYPE, "not a function", "line 2"},
          {"aux y y = (\\n: Int -> n)(1, 2)", "(\\n: Int", WEIR_E_TYPE, "2 arguments given to a function that takes 1", ""},
          {"aux y: Str y = (\\n: Str -> n)(i)", "i)", WEIR_E_TYPE, "expected Str, got Int", ""},
          {"aux y y = (\\n: Int -> n + true)(i)", "+ true", WEIR_E_TYPE, "Int and Bool", ""});
}

Test(frontend_infer, partial_and_fix) {
  TYPES({"partial(\\p: Int, q: Float -> q, 7)", "(Float -> Float)"}, {"partial(\\p: Int -> p, 7)", "( -> Int)"},
        {"partial(\\p: Int -> p, 7)()", "Int"},
        {"partial(\\p: Int -> p)", "(Int -> Int)"},
        {"fix(\\g: (Int -> Int), k: Int -> if k == 0 then 1 else k * g(k - 1))", "(Int -> Int)"},
        {"fix(\\g: (Int -> Int), k: Int -> if k == 0 then 1 else k * g(k - 1))(i)", "Int"}, {"partial(w, 1)", "Any"},
        {"fix(w)", "Any"});
  BECOMES({"", "partial(\\p: Float -> p, i)", "i", "Float"});
  REFUSED(INPUTS, {"aux y y = partial(\\p: Int -> p, 1, 2)", "partial", WEIR_E_TYPE, "2 arguments given to a function that takes 1", ""},
          {"aux y y = partial(i, 1)", "i, 1", WEIR_E_TYPE, "expected a function, got Int", ""},
          {"aux y y = fix(i)", "i)", WEIR_E_TYPE, "expected a function", ""},
          {"aux y y = fix(\\g: (Int -> Str), k: Int -> k)", "\\g", WEIR_E_TYPE, "declared (Int -> Str), the function itself is (Int -> Int)", ""});
}

Test(frontend_infer, callbacks) {
  TYPES({"List.map(\\v: Int -> v > 1, li)", "List<Bool>"}, {"List.map(w, li)", "List<Any>"},
        {"List.map(\\v: Float -> v, li)", "List<Float>"},
        {"List.filter(\\v: Int -> w, li)", "List<Int>"}, {"List.fold(\\a: Float, v: Int -> a + v, 0, li)", "Float"},
        {"List.fold(w, 0, li)", "Any"},
        {"List.map(\\g: (Int -> Int) -> g(i), [\\n: Int -> n, \\n: Int -> 5])", "List<Int>"},
        {"List.map(\\v: Int -> v, w)", "List<Int>"});
  BECOMES({"", "List.fold(\\a: Float, v: Int -> a + v, 0, li)", "0", "Float"});
  REFUSED(INPUTS, {"aux y y = List.filter(\\v: Int -> v, li)", "\\v", WEIR_E_TYPE, "must return Bool, but returns Int", ""},
          {"aux y y = List.map(\\v: Str -> v, li)", "\\v", WEIR_E_TYPE, "takes Str, but the elements are Int", ""},
          {"aux y y = List.map(\\v: Int, q: Int -> v, li)", "\\v", WEIR_E_TYPE, "expected a function of 1 parameter, got one of 2", ""},
          {"aux y y = List.map(3, li)", "3", WEIR_E_TYPE, "expected a function, got Int", ""},
          {"aux y y = List.fold(\\a: Int, v: Int -> 0.5, 0, li)", "\\a", WEIR_E_TYPE, "must return Int, but returns Float", ""});
}

Test(frontend_infer, parameters_without_a_type_take_it_from_what_they_are_given) {
  TYPES({"(\\n -> n + 1)(i)", "Int"}, {"(\\n, m: Float -> n)(s, i)", "Str"}, {"List.map(\\v -> v * 2, li)", "List<Int>"},
        {"List.filter(\\v -> v > 0.0, lf)", "List<Float>"},
        {"List.fold(\\a, v -> a ++ s, \"\", li)", "Str"}, {"List.fold(\\a, v -> a + v, 0.0, li)", "Float"},
        {"partial(\\x, y -> x, s)", "(Any -> Str)"},
        {"partial(\\x, y -> x + y, 1)(2)", "Int"}, {"fix(\\g: (Int -> Int), k -> if k == 0 then k else g(k - 1))(i)", "Int"},
        {"\\n -> n", "(Any -> Any)"},
        {"(\\n -> n)([])", "Any"}, {"(\\g: (Int -> Int) -> g(1))(\\m -> m * 3)", "Int"}, {"List.map(\\v -> v, w)", "List<Any>"});
  BECOMES({"(Int -> Float)", "\\n -> n + 0.5", "n", "Float"});
  REFUSED(INPUTS, {"aux y y = (\\n -> n + 1)(s)", "+ 1", WEIR_E_TYPE, "Str and Int", ""},
          {"aux y y = List.map(\\v -> v && b, li)", "&& b", WEIR_E_TYPE, "Int and Bool", ""});
}

/* ---- Annotations and expected types -------------------------------------------------------------------------------- */

Test(frontend_infer, an_annotated_stream_has_its_annotation) {
  REFUSED(INPUTS, {"aux y: Float y = i", "i", WEIR_E_TYPE, "`y` is declared Float, its equation has type Int", "write `i * 1.0`"},
          {"aux y: Float y = 1", "1", WEIR_E_TYPE, "declared Float", "write `1.0`"},
          {"aux y: Float y = i + 1", "i + 1", WEIR_E_TYPE, "declared Float", "write `(i + 1) * 1.0`"},
          {"aux y: Int y = f", "f", WEIR_E_TYPE, "expected Int, got Float", "no conversion"},
          {"aux y: List<Float> y = li", "li", WEIR_E_TYPE, "expected List<Float>, got List<Int>", "List.map"},
          {"aux y: Int y = s", "s", WEIR_E_TYPE, "expected Int, got Str", ""});
  BECOMES({"Int", "w", "w", "Int"}, {"Any", "i", "i", "-"}, {"Float", "w + i", "w + i", "Float"}, {"List<Int>", "[w]", "w", "Int"},
          {"List<Int>", "[w]", "[w]", "-"},
          {"List<Int>", "List.tail(w)", "List.tail(w)", "List<Int>"}, {"Int", "i", "i", "-"},
          {"Struct<a: Int, ...>", "p", "p", "-"});
}

Test(frontend_infer, an_expected_type_goes_where_the_language_lets_it) {
  BECOMES({"List<Float>", "[1, i]", "i", "Float"}, {"List<List<Float>>", "[[1], [2.5]]", "1", "Float"},
          {"List<Float>", "if b then [i] else lf", "i", "Float"},
          {"List<Float>", "default([i], [0.5])", "i", "Float"}, {"List<Float>", "([i])[1]", "i", "Float"},
          {"List<Float>", "latch([i], [s])", "i", "Float"},
          {"List<Float>", "init([i], update([1], lf))", "1", "Float"}, {"Map<Float>", "{k: i}", "i", "Float"},
          {"Map<Float>", "Map(\"k\": i)", "i", "Float"},
          {"Struct<v: Float>", "{v: i}", "i", "Float"}, {"Struct<v: List<Float>>", "Struct(\"v\": [i])", "i", "Float"},
          {"Struct<v: Float, ...>", "{v: i, z: 1}", "1", "-"},
          {"Map<List<Float>>", "{k: [i]}", "i", "Float"}, {"Int", "dynamic(s)", "dynamic(s)", "-"},
          {"Float", "(\\n: Float -> n)(dynamic(s))", "dynamic(s)", "-"});
  TYPES({"(\\n: Float -> n)(dynamic(s))", "Float"}, {"dynamic(s)", "Any"});
  REFUSED(INPUTS, {"aux y: (Float, Int) y = Tuple(i, i)", "Tuple", WEIR_E_TYPE, "expected (Float, Int), got (Int, Int)", ""},
          {"aux y: (Int -> List<Float>) y = \\n: Int -> [n]", "\\n", WEIR_E_TYPE, "expected (Int -> List<Float>), got (Int -> List<Int>)", ""},
          {"aux y: Struct<a: Int, b: Int> y = {a: i}", "{", WEIR_E_TYPE, "missing field `b`", ""},
          {"aux y: Struct<amount: Int> y = {amount: i, amuont: i}", "amuont", WEIR_E_TYPE, "no field `amuont`", "did you mean `amount`?"},
          {"aux y: List<Int> y = [i, s, b]", "s, b", WEIR_E_TYPE, "expected Int, got Str", ""},
          {"aux y: Struct<a: Int> y = Map(\"a\": i)", "Map", WEIR_E_TYPE, "expected Struct<a: Int>, got Map<Int>", ""});
}

Test(frontend_infer, the_texts_of_dynamic) {
  TYPES({"dynamic(s: Int)", "Int"}, {"defer(s: List<Int>)", "List<Int>"}, {"dynamic(w: Int)", "Int"}, {"eval(s)", "Any"},
        {"dynamic(s: Int, {i, f})", "Int"}, {"dynamic(s, {})", "Any"});
  REFUSED(INPUTS, {"aux y: Int y = dynamic(i: Int)", "i: Int", WEIR_E_TYPE, "expected Str, got Int", ""},
          {"aux y y = dynamic(s, {i, i})", "i})", WEIR_E_TYPE, "contains `i` twice", ""},
          {"aux y y = dynamic(s, {total}) aux totl totl = i", "total", WEIR_E_TYPE, "unknown name `total`", "did you mean `totl`?"},
          {"aux y y = defer(s, {i, y})", "y})", WEIR_E_TYPE, "contains `y` itself", ""},
          {"aux y y = (\\n: Int -> dynamic(s: Int))(i)", "dynamic", WEIR_E_COMPILE, "body of a function", ""});
}

Test(frontend_infer, an_input_of_texts_tells_their_type) {
  bench *b = check("in e: Expr<Int> aux y y = dynamic(e) aux z z = e ++ \"!\" aux q q = defer(e[1]) aux v: Int v = dynamic(e: Int)");
  cr_assert_not(wfe_diag_any(&b->diags), "%s", b->diags.at[0].text);
  cr_expect_str_eq(print(b, stream(b, "e")->type), "Expr<Int>");
  cr_expect_str_eq(print(b, stream(b, "y")->type), "Int");
  cr_expect_str_eq(print(b, stream(b, "z")->type), "Str");
  cr_expect_str_eq(print(b, stream(b, "q")->type), "Int");
  cr_expect_str_eq(print(b, (wir_type){typing(b, "dynamic(e)")->index}), "Int", "the type that the text must have");
  cr_expect(wir_type_eq(typing(b, "e")->type, WIR_STR));
  bench_close(b);
  REFUSED("", {"in e: Expr<Int> out y: Str y = dynamic(e: Str)", "e: Str", WEIR_E_TYPE, "expected Str, got Int", ""},
          {"out e: Expr<Int> e = \"1\"", "Expr", WEIR_E_TYPE, "only be the type of an input", "Str"},
          {"in e: List<Expr<Int>>", "List", WEIR_E_TYPE, "only be the type of an input", ""},
          {"in e: Expr<Expr<Int>>", "Expr", WEIR_E_TYPE, "only be the type of an input", ""},
          {"aux y y = \\n: Expr<Int> -> 1", "n: Expr", WEIR_E_TYPE, "only be the type of an input", ""},
          {"in e: Str aux y y = dynamic(e: Expr<Int>)", "dynamic", WEIR_E_TYPE, "only be the type of an input", ""});
}

/* ---- Inference and gradual fallback -------------------------------------------------------------------------------- */

static void expect_stream_types(const char *text, const type_row *rows, size_t n) {
  bench *b = check(text);
  cr_assert_not(wfe_diag_any(&b->diags), "`%s`: %s", text, b->diags.at[0].text);
  for (size_t i = 0; i < n; i++)
    cr_expect_str_eq(print(b, stream(b, rows[i].e)->type), rows[i].type, "in `%s`, `%s` is %s, not %s", text, rows[i].e, rows[i].type,
                     print(b, stream(b, rows[i].e)->type));
  bench_close(b);
}
#define STREAMS(text, ...) expect_stream_types(text, (const type_row[]){__VA_ARGS__}, sizeof((const type_row[]){__VA_ARGS__}) / sizeof(type_row))

Test(frontend_infer, infers_in_order_of_dependencies) {
  STREAMS("out c c = b ++ \"!\" aux b b = a aux a a = e in e: Str", {"c", "Str"}, {"b", "Str"}, {"a", "Str"});
  STREAMS("in x aux y y = x", {"x", "Any"}, {"y", "Any"});
  STREAMS("in x: Int aux y y = default(z[1], 0) aux z z = x * 1.5", {"y", "Float"}, {"z", "Float"});
  STREAMS("in x: Int aux y y = (\\z: Str -> x)(\"\") aux z z = y", {"y", "Int"}, {"z", "Int"});
}

Test(frontend_infer, what_a_cycle_holds_back_is_any) {
  STREAMS("in x: Int out n n = default(n[1], 0) + x", {"n", "Any"});
  STREAMS("in x: Int out a a = default(b[1], x) out b b = default(a[1], \"start\") out c c = a == 1 out d: Int d = a out e e = d",
          {"a", "Any"}, {"b", "Any"}, {"c", "Any"}, {"d", "Int"}, {"e", "Int"});
  STREAMS("in x: Int out n: Int n = default(m[1], 0) + x out m m = n", {"n", "Int"}, {"m", "Int"});
}

Test(frontend_infer, a_mismatch_makes_an_unannotated_stream_any_throughout) {
  bench *b = check(INPUTS "aux y y = [i, \"s\", default(f[1], 0)] aux z z = y");
  cr_assert_not(wfe_diag_any(&b->diags), "%s", b->diags.at[0].text);
  cr_expect_str_eq(print(b, stream(b, "y")->type), "Any");
  cr_expect_str_eq(print(b, stream(b, "z")->type), "Any");
  cr_expect(wir_type_eq(typing(b, "f[1]")->type, WIR_ANY), "every expression counts as Any");
  cr_expect(wir_type_eq(typing(b, "0")->becomes, WIR_NONE), "nothing is converted");
  bench_close(b);
  STREAMS(INPUTS "aux a a = if b then 1 else s aux c c = default(i[1], s) aux d d = if i then 1 else 2 "
          "aux e e = List.append(li, s) aux g g = dynamic(i)",
          {"a", "Any"}, {"c", "Any"}, {"d", "Any"}, {"e", "Any"}, {"g", "Any"});
  STREAMS(INPUTS "aux a a = (\\n: Str -> n)(i) aux c c = (\\q: Struct<a: Int> -> q)({a: 1, z: 2}) aux d d = List.get(li, s)", {"a", "Any"},
          {"c", "Any"}, {"d", "Any"});
}

Test(frontend_infer, an_untyped_equation_still_enforces_parameters_and_texts) {
  bench *b = check(INPUTS "aux y y = [s, 1, (\\n: Float, m: Any, k -> n)(7, 8, 9), partial(\\q: Str -> q, w), dynamic(s: Int)]");
  cr_assert_not(wfe_diag_any(&b->diags), "%s", b->diags.at[0].text);
  cr_expect(wir_type_eq(typing(b, "7")->becomes, WIR_FLOAT));
  cr_expect(wir_type_eq(typing(b, "8")->becomes, WIR_NONE));
  cr_expect(wir_type_eq(typing(b, "9")->becomes, WIR_NONE));
  cr_expect(wir_type_eq(typing(b, "w")->becomes, WIR_STR));
  cr_expect(wir_type_eq(typing(b, "n: Float")->type, WIR_FLOAT), "a parameter keeps its type");
  cr_expect(wir_type_eq(typing(b, "n")->type, WIR_ANY), "what reads it counts as Any");
  cr_expect(wir_type_eq(typing(b, "dynamic(s: Int)")->type, WIR_ANY));
  cr_expect_eq(typing(b, "dynamic(s: Int)")->index, WIR_TYPE_INT);
  bench_close(b);
}

Test(frontend_infer, other_errors_are_final_and_the_first_decides) {
  REFUSED(INPUTS, {"aux y y = [i + s, \"s\"]", "+ s", WEIR_E_TYPE, "Int and Str", ""},
          {"aux y y = default(List.len(i), s)", "i)", WEIR_E_TYPE, "expected a list", ""},
          {"aux y y = [1, i(2), \"s\"]", "i(2)", WEIR_E_TYPE, "not a function", ""},
          {"aux y y = (\\q: Struct<a: Int, z: Int> -> q)({a: 1})", "{a", WEIR_E_TYPE, "missing field `z`", ""},
          {"aux y y = [s, i, nope]", "nope", WEIR_E_TYPE, "unknown name `nope`", ""},
          {"aux y: List<Int> y = [s + s, i]", "+ s", WEIR_E_TYPE, "Str and Str", ""});
  STREAMS(INPUTS "aux y y = [[1, s], [i + s]]", {"y", "Any"});
}

/* ---- Names and declarations ---------------------------------------------------------------------------------------- */

Test(frontend_infer, unknown_names_get_a_near_one) {
  REFUSED("in total: Int in x: Int ", {"out y y = totl + 1", "totl", WEIR_E_TYPE, "unknown name `totl`", "did you mean `total`?"},
          {"out y y = defualt(x, 0)", "defualt", WEIR_E_TYPE, "unknown function `defualt`", "did you mean `default`?"},
          {"out y y = (\\amount: Int -> amuont)(x)", "amuont", WEIR_E_TYPE, "unknown name `amuont`", "did you mean `amount`?"},
          {"out y y = qqqqqqq", "qqqqqqq", WEIR_E_TYPE, "unknown name `qqqqqqq`", ""},
          {"out y y = (\\n: Int -> n)(x) + n", "n", WEIR_E_TYPE, "unknown name `n`", ""},
          {"out y y = monitored_at(x, A)", "monitored_at", WEIR_E_TYPE, "distributed operator", ""},
          {"out y y = 1 + dist(A, B)", "dist", WEIR_E_TYPE, "distributed operator", ""},
          {"out y y = (\\n: Int, n: Int -> n)(1, 2)", "n: Int ->", WEIR_E_TYPE, "two parameters are named `n`", ""});
}

Test(frontend_infer, each_computed_stream_has_one_equation) {
  REFUSED("in x: Int\n", {"out y", "y", WEIR_E_COMPILE, "`y` has no equation", "add `y = …`"},
          {"x = 3", "x = 3", WEIR_E_COMPILE, "`x` is an input and cannot have an equation", ""},
          {"w = x", "w = x", WEIR_E_COMPILE, "`w` has an equation, but is not declared", "add `out w` or `aux w`"},
          {"out total totl = x total = x", "totl", WEIR_E_COMPILE, "not declared", "did you mean `total`?"},
          {"in x: Bool", "x: Bool", WEIR_E_COMPILE, "`x` is declared twice: in line 1 and in line 2", ""},
          {"\nout x x = 3", "x x", WEIR_E_COMPILE, "in line 1 and in line 3", ""},
          {"out y: Int aux y y = x", "y y", WEIR_E_COMPILE, "declared twice", ""});
  REFUSED("", {"out x\nin x: Int", "x: Int", WEIR_E_COMPILE, "in line 1 and in line 2", ""});
}

Test(frontend_infer, a_stream_reads_itself_only_through_a_delay) {
  REFUSED("in x: Int ", {"out y: Int y = y + x", "y + x", WEIR_E_COMPILE, "`y` reads itself without a delay", "`y[k]`"},
          {"out y: Int y = default(y[0], 1)", "y[0]", WEIR_E_COMPILE, "without a delay", ""},
          {"out y: Int y = default((y + x)[1], 0)", "y + x", WEIR_E_COMPILE, "without a delay", ""},
          {"out y: Int y = (\\n: Int -> y)(x)", "y)", WEIR_E_COMPILE, "without a delay", ""});
  STREAMS("in x: Int out y: Int y = if x > 0 then default(y[1], 0) else (\\n: Int -> default(y[2], n))(x) "
          "aux s s = (\\s: Int -> s + 1)(x) aux q: Int q = (q)[1]", {"y", "Int"},
          {"s", "Int"});
}

Test(frontend_infer, functions_without_state_hold_none) {
  REFUSED("in x: Int in l: List<Int> in e: Str ", {"aux y y = List.map(\\v: Int -> default(v[1], 0), l)", "[1]", WEIR_E_COMPILE, "a delay cannot stand in the function of `List.map`", "stream of its own"},
          {"aux y y = List.filter(\\v: Int -> x[0] > v, l)", "[0]", WEIR_E_COMPILE, "`List.filter`", ""},
          {"aux y y = List.fold(\\a: Int, v: Int -> update(a, v), 0, l)", "update", WEIR_E_COMPILE, "`update` cannot stand in the function of `List.fold`", ""},
          {"aux y y = partial(\\p: Int -> init(p, 1), 2)", "init", WEIR_E_COMPILE, "`partial`", ""},
          {"aux y y = fix(\\g: (Int -> Int), k: Int -> latch(k, k))(x)", "latch", WEIR_E_COMPILE, "`fix`", ""},
          {"aux y y = List.map(\\v: Int -> when(v), l)", "when", WEIR_E_COMPILE, "`when`", ""},
          {"aux y y = List.map(\\v: Int -> (\\n: Int -> n[1])(v), l)", "[1]", WEIR_E_COMPILE, "`List.map`", ""},
          {"aux y y = List.map(\\v: Int -> dynamic(e: Int), l)", "dynamic", WEIR_E_COMPILE, "`dynamic`", ""},
          {"aux y y = \\v: Int -> defer(e: Int)", "defer", WEIR_E_COMPILE, "body of a function", ""});
  STREAMS("in x: Int in l: List<Int> aux y y = List.map(\\v: Int -> if is_defined(v) then default(v, 0) else 1, l[1]) "
          "aux z z = partial(\\p: Int -> p, x[1]) aux q q = (\\n: Int -> default(n[1], 0))(x) aux g g = \\n: Int -> when(n)",
          {"y", "List<Int>"}, {"q", "Int"});
}

Test(frontend_infer, an_output_is_no_function) {
  REFUSED("in x: Int ", {"out f f = \\n: Int -> n", "f f", WEIR_E_TYPE, "output `f` has a function type", "aux"},
          {"out f: (Int -> Int) f = \\n: Int -> n", "(Int", WEIR_E_TYPE, "output `f` has a function type", ""},
          {"out f f = [\\n: Int -> n]", "f f", WEIR_E_TYPE, "output `f`", ""});
  STREAMS("in x: Int aux f: (Int -> Int) f = \\n: Int -> n out y y = f(x)", {"f", "(Int -> Int)"}, {"y", "Int"});
}

Test(frontend_infer, several_equations_give_several_errors_and_no_follow_ups) {
  bench *b = check("in x: Int\nout a: Float\na = x\nout b\nb = nope\nout c\nc = b + a\nout d\nd = x + true\nout e\ne = d ++ \"x\"\n");
  cr_assert_eq(b->diags.n, 3);
  cr_expect_not_null(strstr(b->diags.at[0].text, "declared Float"));
  cr_expect_not_null(strstr(b->diags.at[1].text, "`nope`"));
  cr_expect_not_null(strstr(b->diags.at[2].text, "Int and Bool"));
  bench_close(b);
}

Test(frontend_infer, streams_are_numbered_inputs_first) {
  bench *b = check("out y y = x aux z z = y in x: Int in w: Str");
  static const char *const names[] = {"x", "w", "y", "z"};
  cr_assert_eq(b->checked.streams.n, 4);
  cr_expect_eq(b->checked.n_inputs, 2);
  for (uint32_t i = 0; i < 4; i++) cr_expect_eq(stream(b, names[i]) - b->checked.streams.at, i);
  cr_expect_eq(typing(b, "x")->target, WFE_TO_STREAM);
  cr_expect_eq(typing(b, "x")->index, 0);
  bench_close(b);
}

/* ---- Size and depth ------------------------------------------------------------------------------------------------ */

typedef struct text { char *at; size_t n, cap; } text;

static void put(text *t, const char *piece, size_t times) {
  size_t n = strlen(piece);
  if (t->cap < t->n + n * times + 1) t->at = realloc(t->at, t->cap = 2 * (t->n + n * times) + 1);
  for (size_t i = 0; i < times; i++, t->n += n) memcpy(t->at + t->n, piece, n);
}

static void *check_text(void *arg) {
  const text *t = arg;
  bench *b = bench_open(t->at, t->n, 1 << 30, 0);
  bool ok = !wfe_diag_any(&b->diags);
  bench_close(b);
  return ok ? arg : NULL;
}

static bool checks_on_a_small_stack(text *t) {
  pthread_attr_t attr;
  pthread_t thread;
  void *result = NULL;
  cr_assert_eq(pthread_attr_init(&attr), 0);
  cr_assert_eq(pthread_attr_setstacksize(&attr, (size_t)64 << 10), 0);
  cr_assert_eq(pthread_create(&thread, &attr, check_text, t), 0);
  cr_assert_eq(pthread_join(thread, &result), 0);
  pthread_attr_destroy(&attr);
  return result != NULL;
}

Test(frontend_infer, depth_costs_no_c_stack, .timeout = 120) {
  static const struct { const char *head, *open, *middle, *close; } shapes[] = {
    {"in x: Bool out y y = ", "!", "x", ""},
    {"in x: Int out y y = x", " + 1", "", ""},
    {"in x: Int out y y = ", "[", "x", "]"},
    {"in x: Int aux y y = ", "\\a: Int -> ", "x", ""},
    {"in x: Bool out y y = ", "if x then x else ", "x", ""},
    {"in x: Int out y y = ", "{\"a\": ", "x", "}"},
    {"in x: Int out y y = ", "(", "x", "[1])"},
    {"in x: Int out y y = ", "default(x, ", "x", ")"},
    {"in x: Int out y y = ", "(\\n -> n)(", "x", ")"},
    {"in x: Int out y y = ", "List.map(\\n -> n, ", "[x]", ")"},
    {"in x: List<Int> out y y = ", "[x, ", "\"a mismatch\"", "]"},
    {"in x: ", "List<", "Int", ">"},
  };
  for (size_t i = 0; i < WB_LEN(shapes); i++) {
    text t = {0};
    put(&t, shapes[i].head, 1);
    put(&t, shapes[i].open, 20000);
    put(&t, shapes[i].middle, 1);
    put(&t, shapes[i].close, 20000);
    cr_expect(checks_on_a_small_stack(&t), "%s%s...", shapes[i].head, shapes[i].open);
    free(t.at);
  }
}

Test(frontend_infer, long_chains_take_linear_time, .timeout = 60) {
  static const char *const forms[] = {"aux a%d a%d = a%d + 1\n", "aux a%d a%d = default(a%d[1], 0) + 1\n", "aux a%d: Int a%d = a%d\n"};
  for (size_t i = 0; i < WB_LEN(forms); i++) {
    text t = {0};
    for (int k = 0; k < 50000; k++) {
      char line[100];
      snprintf(line, sizeof line, forms[i], k, k, i == 1 ? (k + 1) % 50000 : k + 1);
      put(&t, line, 1);
    }
    put(&t, "aux a50000 a50000 = 7\n", 1);
    cr_expect(checks_on_a_small_stack(&t), "%s", forms[i]);
    free(t.at);
  }
}

Test(frontend_infer, many_errors_cost_no_more_than_twenty, .timeout = 60) {
  text t = {0};
  for (int k = 0; k < 50000; k++) {
    char line[100];
    snprintf(line, sizeof line, "in a%d: Int\nin a%d: Bool\nout b%d\nb%d = c%d\n", k, k, k, k, k);
    put(&t, line, 1);
  }
  bench *b = bench_open(t.at, t.n, 1000, 0);
  cr_expect_eq(b->diags.n, WFE_MAX_DIAGS);
  cr_expect_eq(b->diags.left_out, 100000 - WFE_MAX_DIAGS);
  bench_close(b);
  free(t.at);
}

static const char everything[] =
  INPUTS "in e: Expr<Int> aux g g = \\n: Int -> default(n[1], 0) aux h: (Int -> Int) h = \\n -> n + w out y: List<Float> y = [1, i, f] "
  "out z z = {a: i, q: Tuple(f, s)} out r r = [i, s] out q: Struct<a: Float, ...> q = {a: i, k: mi} out v v = List.fold(\\a, x -> a + x, 0.0, li) "
  "out c c = fix(\\me: (Int -> Int), k: Int -> if k == 0 then 1 else k * me(k - 1))(i) out d d = dynamic(e) + default(defer(s: Int, {i, f}), 0) "
  "out k k = default(k[1], 0) + partial(\\a, bb -> a + bb, 1)(i) out l l = Map.insert(p, \"a\", w) == p out m m = g(h(i))";

Test(frontend_infer, tells_at_every_request_that_memory_is_exhausted, .timeout = 120) {
  for (uint64_t fail_at = 1;; fail_at++) {
    bench *b = bench_open(everything, sizeof everything - 1, 1000, fail_at);
    bool ok = !wfe_diag_any(&b->diags);
    if (!ok) cr_expect_eq(b->diags.at[0].code, WEIR_E_MEMORY, "request %" PRIu64 ": %s", fail_at, b->diags.at[0].text);
    bench_close(b);
    if (ok) break;
  }
}

Test(frontend_infer, a_refused_text_may_also_run_out_of_memory, .timeout = 120) {
  static const char wrong[] = "in total: Int\nin total: Int\nout y: Float\ny = [total, \"s\"]\nout z\nz = totl\nout r\nr = {a: 1, b: \"s\"}.c\nw = 1";
  for (uint64_t fail_at = 1;; fail_at++) {
    bench *b = bench_open(wrong, sizeof wrong - 1, 1000, fail_at);
    uint64_t calls = b->door.calls;
    cr_expect(wfe_diag_any(&b->diags));
    bench_close(b);
    if (calls < fail_at) break;
  }
}

/* ---- The conformance cases ----------------------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) return NULL;
  text t = {0};
  char piece[4096];
  for (size_t got; (got = fread(piece, 1, sizeof piece - 1, f)) > 0;) {
    if (t.cap < t.n + got + 1) t.at = realloc(t.at, t.cap = 2 * (t.n + got) + 1);
    memcpy(t.at + t.n, piece, got);
    t.n += got;
  }
  fclose(f);
  if (t.at == NULL) t.at = calloc(1, 1);
  t.at[t.n] = '\0';
  *n = t.n;
  return t.at;
}

/* Static errors that are found later: by the schedule and by the sum of the state. */
static bool is_found_later(const char *error) { return strstr(error, "dependency cycle") != NULL || strstr(error, "memory limit") != NULL; }

static void check_case(const char *folder, const char *name) {
  char path[4096];
  size_t n, n_error = 0;
  snprintf(path, sizeof path, "%s/%s/spec.dsrv", folder, name);
  char *spec = read_file(path, &n);
  snprintf(path, sizeof path, "%s/%s/expected.error", folder, name);
  char *error = read_file(path, &n_error);
  if (spec != NULL) {
    bool is_static = error != NULL && (strncmp(error, "type", 4) == 0 || strncmp(error, "compile", 7) == 0 || strncmp(error, "parse", 5) == 0);
    bool refused = is_static && !is_found_later(error);
    bench *b = bench_open(spec, n, 1000, 0);
    if (refused) cr_expect(wfe_diag_any(&b->diags), "%s is refused", name);
    else cr_expect(!wfe_diag_any(&b->diags), "%s checks, but: %s", name, b->diags.at[0].text);
    bench_close(b);
  }
  free(spec);
  free(error);
}

Test(frontend_infer, gives_each_conformance_case_its_verdict, .timeout = 120) {
  static const char folder[] = TEST_ROOT "/tests/conformance/cases";
  DIR *dir = opendir(folder);
  if (dir == NULL) cr_skip_test("no %s", folder);
  for (struct dirent *d; (d = readdir(dir)) != NULL;)
    if (d->d_name[0] != '.') check_case(folder, d->d_name);
  closedir(dir);
}
