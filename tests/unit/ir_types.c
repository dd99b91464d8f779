/* tests/unit/ir_types.c -- the table of types: interning, unify, fit, print; deep and shared types. */
#include "ir/types.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "frontend/parse.h"
#include "tests/test.h"

typedef struct bench {
  wb_door door;
  wb_mem mem;
  wb_names names;
  wir_types types;
} bench;

static void bench_open(bench *b) {
  memset(b, 0, sizeof *b);
  wb_door_open(&b->door, NULL, 0);
  wb_mem_init(&b->mem, &b->door, 0);
  wb_names_init(&b->names, &b->mem);
  cr_assert(wir_types_init(&b->types, &b->names, &b->mem));
}

static void bench_close(bench *b) { wb_mem_drop(&b->mem); }

/* The type that a text writes; `?` is the element of `[]`, as in List<?>. */
static wir_type type(bench *b, const char *text) {
  if (strcmp(text, "?") == 0) return WIR_UNKNOWN;
  if (strcmp(text, "List<?>") == 0) return wir_type_list(&b->types, WIR_UNKNOWN);
  if (strcmp(text, "List<List<?>>") == 0) return wir_type_list(&b->types, wir_type_list(&b->types, WIR_UNKNOWN));
  char spec[512];
  snprintf(spec, sizeof spec, "in x: %s", text);
  static const wfe_limits limits = {1 << 24, 1000, 255, 1000000, 1 << 30, 12, 0};
  struct weir_diagnostics *diags = wb_alloc(&b->mem, 1, sizeof *diags, 16);
  wfe_tree tree = {.mem = &b->mem, .names = &b->names, .types = &b->types, .text = {spec, strlen(spec)}};
  wfe_parse_spec(&tree, &limits, diags);
  cr_assert_not(wfe_diag_any(diags), "`%s` is a type", text);
  return tree.decls.at[0].type;
}

static const char *print(bench *b, wir_type x, size_t max) {
  wb_bytes out = {0};
  cr_assert(wir_type_print(&b->types, x, max, &b->mem, &out));
  cr_assert(WB_PUSH(&b->mem, &out, '\0'));
  return out.at;
}

static wir_type make(bench *b, wir_type_kind kind, size_t n, const wir_type *types) {
  wir_type_part parts[8];
  for (size_t i = 0; i < n; i++) parts[i] = (wir_type_part){WB_NO_NAME, types[i]};
  return wir_type_make(&b->types, kind, parts, (uint32_t)n, false);
}

/* ---- Interning ----------------------------------------------------------------------------------------------------- */

Test(ir_types, gives_equal_types_equal_numbers) {
  static const char *const texts[] = {
    "Int", "List<Int>", "List<List<Int>>", "Map<Int>", "(Int,)", "(Int, Int)", "(Int -> Int)", "Struct<a: Int>", "Struct<a: Int, ...>",
    "Struct<...>", "Struct<>", "Struct<b: Int>", "Expr<Int>", "Any", "List<Any>",
  };
  bench b;
  bench_open(&b);
  wir_type first[WB_LEN(texts)];
  for (size_t i = 0; i < WB_LEN(texts); i++) first[i] = type(&b, texts[i]);
  for (size_t i = 0; i < WB_LEN(texts); i++) {
    for (size_t k = 0; k < WB_LEN(texts); k++)
      cr_expect_eq(wir_type_eq(first[i], type(&b, texts[k])), i == k, "%s and %s", texts[i], texts[k]);
  }
  bench_close(&b);
}

Test(ir_types, does_not_care_about_the_order_of_fields) {
  bench b;
  bench_open(&b);
  wir_type x = type(&b, "Struct<zz: Int, a: Str, m: Bool, b: Int, Z: Unit>");
  cr_expect(wir_type_eq(x, type(&b, "Struct<Z: Unit, a: Str, b: Int, m: Bool, zz: Int>")));
  cr_expect_str_eq(print(&b, x, 0), "Struct<Z: Unit, a: Str, b: Int, m: Bool, zz: Int>", "fields stand in byte order");
  bench_close(&b);
}

Test(ir_types, finds_fields_by_name) {
  bench b;
  bench_open(&b);
  wir_type_part parts[300];
  for (uint32_t i = 0; i < 300; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%u", (i * 7) % 300);
    parts[i] = (wir_type_part){wb_intern(&b.names, (wb_str){name, strlen(name)}), i % 2 ? WIR_INT : WIR_STR};
  }
  wir_type x = wir_type_make(&b.types, WIR_TYPE_STRUCT, parts, 300, false);
  for (uint32_t i = 0; i < 300; i++) {
    const wir_type_part *field = wir_type_field(&b.types, x, parts[i].name);
    cr_assert_not_null(field);
    cr_expect(field->name == parts[i].name && wir_type_eq(field->type, parts[i].type));
  }
  cr_expect_null(wir_type_field(&b.types, x, wb_intern(&b.names, WB_STR("f300"))));
  cr_expect_null(wir_type_field(&b.types, type(&b, "Struct<>"), parts[0].name));
  bench_close(&b);
}

Test(ir_types, tells_what_occurs_inside) {
  bench b;
  bench_open(&b);
  const wir_type_info *x = wir_type_at(&b.types, type(&b, "Map<List<(Int, (Float -> Any))>>"));
  cr_expect(x->has_any && x->has_fun && x->has_float && !x->has_unknown && !x->has_expr);
  cr_expect_eq(x->depth, 5);
  x = wir_type_at(&b.types, type(&b, "List<?>"));
  cr_expect(x->has_any && x->has_unknown && !x->has_fun);
  cr_expect(wir_type_at(&b.types, type(&b, "Expr<Int>"))->has_expr);
  bench_close(&b);
}

/* ---- Unify --------------------------------------------------------------------------------------------------------- */

static const struct { const char *a, *b, *common; } unify_rows[] = { /* common NULL: a mismatch */
  {"Int", "Int", "Int"},
  {"Int", "Float", "Float"},
  {"Any", "Int", "Any"},
  {"Any", "List<Int>", "Any"},
  {"Int", "Str", NULL},
  {"Bool", "Int", NULL},
  {"Unit", "Unit", "Unit"},
  {"?", "Int", "Int"},
  {"?", "Any", "Any"},
  {"List<Int>", "List<Int>", "List<Int>"},
  {"List<Int>", "List<Float>", NULL},
  {"List<Int>", "List<Any>", "List<Any>"},
  {"List<?>", "List<Int>", "List<Int>"},
  {"List<List<?>>", "List<List<Int>>", "List<List<Int>>"},
  {"List<?>", "List<List<?>>", "List<List<Any>>"},
  {"List<Int>", "Int", NULL},
  {"List<Int>", "Map<Int>", NULL},
  {"Map<Int>", "Map<Any>", "Map<Any>"},
  {"Map<Int>", "Map<Str>", NULL},
  {"(Int, Str)", "(Int, Any)", "(Int, Any)"},
  {"(Int, Str)", "(Int,)", NULL},
  {"(Int, Int)", "(Int, Float)", NULL},
  {"(Int -> Int)", "(Any -> Int)", "(Any -> Int)"},
  {"(Int -> Int)", "(Int -> Float)", NULL},
  {"Struct<a: Int>", "Struct<a: Int>", "Struct<a: Int>"},
  {"Struct<a: Int>", "Struct<b: Int>", NULL},
  {"Struct<a: Int>", "Struct<a: Float>", NULL},
  {"Struct<a: Int, b: Any>", "Struct<b: Str, a: Int>", "Struct<a: Int, b: Any>"},
  {"Struct<a: Int, b: Int>", "Struct<a: Int>", NULL},
  {"Struct<a: Int, b: Int>", "Struct<a: Int, ...>", "Struct<a: Int, ...>"},
  {"Struct<a: Int, ...>", "Struct<b: Int, ...>", "Struct<...>"},
  {"Struct<a: Int, b: Int, ...>", "Struct<a: Int>", NULL},
  {"Struct<>", "Struct<...>", "Struct<...>"},
  {"Struct<a: List<Any>, z: Int>", "Struct<a: List<(Int,)>, z: Any>", "Struct<a: List<Any>, z: Any>"},
};

Test(ir_types, unifies_as_the_language_says_in_both_directions) {
  bench b;
  bench_open(&b);
  for (size_t i = 0; i < 2 * WB_LEN(unify_rows); i++) {
    const char *x = i % 2 ? unify_rows[i / 2].a : unify_rows[i / 2].b, *y = i % 2 ? unify_rows[i / 2].b : unify_rows[i / 2].a;
    wir_type common;
    bool fits = wir_type_unify(&b.types, type(&b, x), type(&b, y), &common);
    const char *got = fits ? print(&b, common, 0) : "a mismatch", *want = unify_rows[i / 2].common ? unify_rows[i / 2].common : "a mismatch";
    cr_expect_str_eq(got, want, "%s with %s is %s, not %s", x, y, want, got);
  }
  bench_close(&b);
}

/* ---- Fit ----------------------------------------------------------------------------------------------------------- */

static const struct { const char *from, *to; wir_fit fit; } fit_rows[] = {
  {"Int", "Int", WIR_FIT_EXACT},
  {"Int", "Float", WIR_FIT_CHECKED},
  {"Float", "Int", WIR_FIT_NO},
  {"Int", "Any", WIR_FIT_EXACT},
  {"Any", "Int", WIR_FIT_CHECKED},
  {"Any", "Any", WIR_FIT_EXACT},
  {"Int", "Str", WIR_FIT_NO},
  {"List<Int>", "List<Float>", WIR_FIT_NO},
  {"List<Int>", "List<Any>", WIR_FIT_EXACT},
  {"List<Any>", "List<Int>", WIR_FIT_CHECKED},
  {"List<List<Any>>", "List<List<Float>>", WIR_FIT_CHECKED},
  {"List<?>", "List<Int>", WIR_FIT_EXACT},
  {"List<Int>", "Any", WIR_FIT_EXACT},
  {"Any", "List<Int>", WIR_FIT_CHECKED},
  {"Map<Any>", "Map<Int>", WIR_FIT_CHECKED},
  {"Map<Int>", "Struct<a: Int>", WIR_FIT_NO},
  {"Struct<a: Int>", "Map<Int>", WIR_FIT_NO},
  {"(Int, Any)", "(Int, Str)", WIR_FIT_CHECKED},
  {"(Int, Str)", "(Int,)", WIR_FIT_NO},
  {"Struct<a: Int, b: Str>", "Struct<b: Str, a: Int>", WIR_FIT_EXACT},
  {"Struct<a: Int, b: Str>", "Struct<a: Int, ...>", WIR_FIT_EXACT},
  {"Struct<a: Int, b: Str>", "Struct<a: Int>", WIR_FIT_NO},
  {"Struct<a: Int>", "Struct<a: Int, b: Str>", WIR_FIT_NO},
  {"Struct<a: Int, ...>", "Struct<a: Int, b: Str, ...>", WIR_FIT_NO},
  {"Struct<a: Int, ...>", "Struct<a: Int>", WIR_FIT_NO},
  {"Struct<a: Any, b: Str>", "Struct<a: Int, ...>", WIR_FIT_CHECKED},
  {"(Int -> Int)", "(Int -> Any)", WIR_FIT_EXACT},
  {"(Int -> Any)", "(Int -> Int)", WIR_FIT_CHECKED},
  {"(Any -> Int)", "(Int -> Int)", WIR_FIT_EXACT},
  {"(Int -> Int)", "(Any -> Int)", WIR_FIT_EXACT},
  {"(Int -> Int)", "(Float -> Int)", WIR_FIT_NO},
  {"(Int -> Int)", "(Int -> Float)", WIR_FIT_NO},
  {"(Int -> (Int -> Any))", "(Int -> (Int -> Int))", WIR_FIT_CHECKED},
};

Test(ir_types, tells_exact_checked_and_refused_apart) {
  static const char *const words[] = {"no", "exact", "checked", "memory"};
  bench b;
  bench_open(&b);
  for (int round = 0; round < 2; round++) { /* the second time, answers are remembered */
    for (size_t i = 0; i < WB_LEN(fit_rows); i++) {
      wir_fit got = wir_type_fit(&b.types, type(&b, fit_rows[i].from), type(&b, fit_rows[i].to));
      cr_expect_eq(got, fit_rows[i].fit, "%s for %s: %s, not %s", fit_rows[i].from, fit_rows[i].to, words[fit_rows[i].fit], words[got]);
    }
  }
  bench_close(&b);
}

/* ---- Print --------------------------------------------------------------------------------------------------------- */

Test(ir_types, prints_what_the_language_reads) {
  static const char *const texts[] = {
    "Int", "Float", "Bool", "Str", "Unit", "Any", "List<Int>", "Map<List<Str>>", "(Int,)", "(Int, Str, (Bool,))", "(Int -> Int)",
    "((Int -> Int) -> (Int -> Int))", "Struct<>", "Struct<...>", "Struct<a: Int, b: Struct<c: Str, ...>, ...>", "Expr<List<Int>>",
  };
  bench b;
  bench_open(&b);
  for (size_t i = 0; i < WB_LEN(texts); i++) cr_expect_str_eq(print(&b, type(&b, texts[i]), 0), texts[i]);
  bench_close(&b);
}

Test(ir_types, prints_what_cannot_be_written) {
  bench b;
  bench_open(&b);
  cr_expect_str_eq(print(&b, type(&b, "List<?>"), 0), "List<Any>");
  cr_expect_str_eq(print(&b, make(&b, WIR_TYPE_FUN, 3, (wir_type[]){WIR_INT, WIR_STR, WIR_BOOL}), 0), "(Int, Str -> Bool)");
  cr_expect_str_eq(print(&b, make(&b, WIR_TYPE_FUN, 1, (wir_type[]){WIR_BOOL}), 0), "( -> Bool)");
  wir_type_part key = {wb_intern(&b.names, WB_STR("no name")), WIR_INT};
  cr_expect_str_eq(print(&b, wir_type_make(&b.types, WIR_TYPE_STRUCT, &key, 1, false), 0), "Struct<\"no name\": Int>");
  bench_close(&b);
}

Test(ir_types, cuts_a_long_print_between_two_characters) {
  bench b;
  bench_open(&b);
  wir_type x = type(&b, "List<List<List<Int>>>");
  cr_expect_str_eq(print(&b, x, 21), "List<List<List<Int>>>");
  cr_expect_str_eq(print(&b, x, 20), "List<List<List<In...");
  wir_type_part key = {wb_intern(&b.names, WB_STR("ääääääää")), WIR_INT};
  const char *text = print(&b, wir_type_make(&b.types, WIR_TYPE_STRUCT, &key, 1, false), 16);
  cr_expect_eq(wb_utf8_valid((wb_str){text, strlen(text)}), strlen(text));
  cr_expect_leq(strlen(text), 16);
  bench_close(&b);
}

/* ---- Deep and shared types ----------------------------------------------------------------------------------------- */

static wir_type nest(bench *b, wir_type inner, uint32_t levels) {
  for (uint32_t i = 0; i < levels; i++)
    inner = i % 3 == 0   ? make(b, WIR_TYPE_TUPLE, 2, (wir_type[]){inner, WIR_INT})
            : i % 3 == 1 ? wir_type_list(&b->types, inner)
                         : make(b, WIR_TYPE_FUN, 2, (wir_type[]){WIR_STR, inner});
  return inner;
}

static void *compare_deep(void *arg) {
  bench *b = arg;
  static const uint32_t levels[] = {1000, 100000};
  for (size_t i = 0; i < WB_LEN(levels); i++) {
    wir_type ints = nest(b, WIR_INT, levels[i]), texts = nest(b, WIR_STR, levels[i]), anys = nest(b, WIR_ANY, levels[i]), common;
    if (wir_type_unify(&b->types, ints, texts, &common) || wir_type_fit(&b->types, ints, texts) != WIR_FIT_NO) return NULL;
    if (!wir_type_unify(&b->types, ints, anys, &common) || !wir_type_eq(common, anys)) return NULL;
    if (wir_type_fit(&b->types, anys, ints) != WIR_FIT_CHECKED || wir_type_fit(&b->types, ints, anys) != WIR_FIT_EXACT) return NULL;
    wb_bytes text = {0};
    if (!wir_type_print(&b->types, ints, 0, &b->mem, &text) || text.n < levels[i]) return NULL;
    if (wir_type_at(&b->types, ints)->depth != levels[i] + 1) return NULL;
  }
  return b;
}

Test(ir_types, compares_deep_types_on_a_small_stack) {
  bench b;
  bench_open(&b);
  pthread_attr_t attr;
  pthread_t thread;
  void *result = NULL;
  cr_assert_eq(pthread_attr_init(&attr), 0);
  cr_assert_eq(pthread_attr_setstacksize(&attr, (size_t)64 << 10), 0);
  cr_assert_eq(pthread_create(&thread, &attr, compare_deep, &b), 0);
  cr_assert_eq(pthread_join(thread, &result), 0);
  cr_expect_not_null(result);
  pthread_attr_destroy(&attr);
  bench_close(&b);
}

Test(ir_types, compares_a_shared_part_once, .timeout = 20) {
  bench b;
  bench_open(&b);
  wir_type ints = WIR_INT, anys = WIR_ANY, common;
  for (int i = 0; i < 100; i++) { /* as a tree, 2^100 parts */
    ints = make(&b, WIR_TYPE_TUPLE, 2, (wir_type[]){ints, ints});
    anys = make(&b, WIR_TYPE_TUPLE, 2, (wir_type[]){anys, anys});
  }
  cr_expect(wir_type_unify(&b.types, ints, anys, &common));
  cr_expect(wir_type_eq(common, anys));
  cr_expect_eq(wir_type_fit(&b.types, anys, ints), WIR_FIT_CHECKED);
  cr_expect_leq(strlen(print(&b, ints, 50)), 50);
  bench_close(&b);
}

Test(ir_types, tells_at_every_request_that_memory_is_exhausted) {
  for (uint64_t fail_at = 1;; fail_at++) {
    bench b;
    memset(&b, 0, sizeof b);
    wb_door_open(&b.door, NULL, 0);
    wb_mem_init(&b.mem, &b.door, 0);
    wb_names_init(&b.names, &b.mem);
    b.door.fail_at = fail_at;
    bool ok = wir_types_init(&b.types, &b.names, &b.mem);
    wir_type ints = WIR_INT, anys = WIR_ANY, common = WIR_NONE;
    for (int i = 0; ok && i < 3000; i++) {
      ints = wir_type_list(&b.types, ints);
      anys = wir_type_list(&b.types, anys);
      ok = ints.i != WIR_TYPE_NONE && anys.i != WIR_TYPE_NONE;
    }
    if (ok) {
      cr_expect(wir_type_unify(&b.types, ints, anys, &common), "no mismatch is made up at request %" PRIu64, fail_at);
      ok = common.i != WIR_TYPE_NONE;
    }
    if (ok) {
      wir_fit fit = wir_type_fit(&b.types, anys, ints);
      cr_expect(fit == WIR_FIT_CHECKED || fit == WIR_FIT_MEMORY);
      ok = fit != WIR_FIT_MEMORY;
    }
    wb_mem_drop(&b.mem);
    if (ok) break;
  }
}

Test(ir_types, a_type_without_parts_points_at_no_part_but_somewhere) {
  wb_door door;
  wb_mem mem;
  wb_names names;
  wir_types types;
  wb_door_open(&door, NULL, 0);
  wb_mem_init(&mem, &door, 0);
  wb_names_init(&names, &mem);
  cr_assert(wir_types_init(&types, &names, &mem));
  wir_type empty = wir_type_make(&types, WIR_TYPE_STRUCT, NULL, 0, true);
  cr_expect_eq(wir_type_at(&types, empty)->n_parts, 0);
  cr_expect_not_null(wir_type_parts(&types, empty), "arithmetic on NULL is undefined");
  wb_mem_drop(&mem);
}
