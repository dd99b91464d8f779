/* tests/unit/runtime_native_shift.c -- rings between their canonical form and that of kernels. */
#include "tests/test.h"
#include "runtime/monitor.h"
#include "runtime/native.h"

#include <string.h>

#ifdef TEST_HAS_NATIVE

enum { MOST_ARENA = 512 };

typedef struct pair {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *native, *canonical;
} pair;

/* Rings of 2, 3 and 4, of all kinds of cells, and one that is too large. */
static void open_pair(pair *p) {
  static const char text[] =
    "in x: Int  in f: Float  in b: Bool  out i: Int  out r: Float  out o: Bool  out far: Int\n"
    "i = x[1] + x[2]  r = f[1] + f[3]  o = b[4] || b[1]  far = i[9]";
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  weir_options native = {.size = sizeof native, .tier = WEIR_TIER_NATIVE}, canonical = {.size = sizeof canonical, .tier = WEIR_TIER_CANONICAL};
  cr_assert_eq(weir_engine_new(&with, &p->engine, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(p->engine, text, strlen(text), NULL, &p->program, NULL), WEIR_OK);
  cr_assert_eq(weir_monitor_new(p->engine, p->program, &native, &p->native, NULL), WEIR_OK);
  cr_assert_eq(weir_monitor_new(p->engine, p->program, &canonical, &p->canonical, NULL), WEIR_OK);
  cr_assert(p->program->layout.bytes <= MOST_ARENA);
}

static void close_pair(pair *p) {
  weir_monitor_free(p->native);
  weir_monitor_free(p->canonical);
  weir_program_release(p->program);
  weir_engine_free(p->engine);
}

static void push(pair *p, int row) {
  weir_cell in[] = {{.i = row * row}, {.f = row / 4.0}, {.i = row % 3 == 0}}, out[2][4];
  cr_assert_eq(weir_monitor_push_typed(p->native, in, NULL, NULL, out[0], NULL, NULL, NULL), WEIR_OK);
  cr_assert_eq(weir_monitor_push_typed(p->canonical, in, NULL, NULL, out[1], NULL, NULL, NULL), WEIR_OK);
  cr_expect(memcmp(out[0], out[1], sizeof out[0]) == 0, "row %d", row);
}

static void expect_same_arena(const pair *p, int row) {
  cr_expect(memcmp(p->native->arena, p->canonical->arena, (size_t)p->program->layout.bytes) == 0, "after row %d", row);
}

Test(runtime_native_shift, rings_that_are_given_back_are_what_they_are_canonically) {
  pair p;
  open_pair(&p);
  for (int row = 0; row < 60; row++) {
    push(&p, row);
    if (row < 20 || row % 7 != 0) continue;
    cr_expect(p.native->is_shifted, "kernels keep the state from row to row");
    wrt_native_release(p.native);
    cr_expect_not(p.native->is_shifted);
    expect_same_arena(&p, row);
  }
  close_pair(&p);
}

Test(runtime_native_shift, there_and_back_is_the_identity_in_every_place_of_the_rings) {
  pair p;
  unsigned char before[MOST_ARENA];
  open_pair(&p);
  for (int row = 0; row < 40; row++) {
    push(&p, row);
    wrt_native_release(p.native);
    memcpy(before, p.native->arena, (size_t)p.program->layout.bytes);
    if (row < 20) continue;
    wrt_native_acquire(p.native);
    cr_expect_neq(p.native->native->n_shifts, 0);
    wrt_native_release(p.native);
    cr_expect(memcmp(before, p.native->arena, (size_t)p.program->layout.bytes) == 0, "after row %d", row);
  }
  close_pair(&p);
}

Test(runtime_native_shift, a_change_of_tier_gives_rings_back) {
  pair p;
  open_pair(&p);
  for (int row = 0; row < 30; row++) push(&p, row);
  cr_expect(p.native->is_shifted);
  cr_expect_eq(weir_monitor_set_tier(p.native, WEIR_TIER_QUICKENED, NULL), WEIR_OK);
  cr_expect_not(p.native->is_shifted);
  expect_same_arena(&p, 29);
  for (int row = 30; row < 40; row++) push(&p, row);
  close_pair(&p);
}

#endif
