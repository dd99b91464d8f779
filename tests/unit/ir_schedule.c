/* tests/unit/ir_schedule.c -- who reads whom, the order of evaluation, and cycles. */
#include "tests/test.h"
#include "tests/support/handmade.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* The stream becomes the sum of those named, each "x" (read at once) or "x@3" (delayed). */
static void define(hand *h, const char *stream, const char *reads) {
  hand_begin(h, stream);
  wir_ref sum = hand_int(h, 0);
  while (*reads != '\0') {
    char name[32];
    uint64_t ago = 0;
    int used = 0;
    cr_assert_eq(sscanf(reads, " %31[A-Za-z0-9_]%n", name, &used), 1);
    reads += used;
    if (*reads == '@') {
      cr_assert_eq(sscanf(reads, "@%" SCNu64 "%n", &ago, &used), 1);
      reads += used;
    }
    wir_ref x = ago == 0 ? hand_var(h, name) : hand_ago(h, name, ago);
    sum = hand_apply(h, WIR_OP_ADD, sum, x);
  }
  hand_end(h, sum);
}

static void expect_order(const hand *h, const char *want) {
  char got[200] = "";
  for (uint32_t i = 0; i < h->p->n_streams - h->p->n_inputs; i++) {
    strcat(got, i == 0 ? "" : " ");
    strcat(got, wir_stream_name(h->p, h->p->order[i]).at);
    cr_expect_eq(h->p->streams[h->p->order[i]].order, i);
  }
  cr_expect_str_eq(got, want);
}

Test(ir_schedule, independent_streams_keep_the_order_of_declaration) {
  hand h;
  hand_open(&h, "in x Int, out c Int, out a Int, out b Int");
  define(&h, "c", "x");
  define(&h, "a", "x");
  define(&h, "b", "");
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK);
  expect_order(&h, "c a b");
  cr_expect_eq(h.p->streams[0].order, UINT32_MAX, "an input is not evaluated");
  hand_close(&h);
}

Test(ir_schedule, what_is_read_at_once_comes_first) {
  hand h;
  hand_open(&h, "in x Int, out a Int, out b Int, out c Int, out d Int");
  define(&h, "a", "d x");
  define(&h, "b", "x");
  define(&h, "c", "b");
  define(&h, "d", "c b");
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK);
  expect_order(&h, "b c d a");
  hand_close(&h);
}

Test(ir_schedule, ties_go_to_the_stream_declared_first) {
  hand h;
  hand_open(&h, "out a Int, out b Int, out c Int, out d Int, out e Int");
  define(&h, "a", "e");
  define(&h, "b", "");
  define(&h, "c", "b");
  define(&h, "d", "");
  define(&h, "e", "");
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK);
  expect_order(&h, "b c d e a");
  hand_close(&h);
}

Test(ir_schedule, delayed_reads_order_nothing) {
  hand h;
  hand_open(&h, "out a Int, out b Int");
  define(&h, "a", "b@1 a@2");
  define(&h, "b", "a");
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK);
  expect_order(&h, "a b");
  hand_close(&h);
}

Test(ir_schedule, a_compound_delay_is_read_at_once) {
  hand h;
  hand_open(&h, "out a Int, out b Int");
  hand_begin(&h, "a");
  hand_end(&h, wir_build_delay(&h.b, hand_apply(&h, WIR_OP_ADD, hand_var(&h, "b"), hand_int(&h, 1)), 1, HAND_AT));
  define(&h, "b", "a");
  cr_expect_eq(hand_finish(&h, HAND_LIMIT), WEIR_E_CYCLE);
  hand_close(&h);
}

Test(ir_schedule, reads_are_listed_by_stream_with_the_deepest_delay) {
  hand h;
  hand_open(&h, "in x Int, in y Int, out a Int, out b Int");
  define(&h, "a", "y@3 x y@7 x@2 y@1 b@1");
  define(&h, "b", "");
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK);
  const wir_stream *a = &h.p->streams[hand_stream(&h, "a")];
  cr_assert_eq(a->n_reads, 3);
  cr_expect(a->reads[0].stream == 1 && !a->reads[0].is_immediate && a->reads[0].deepest == 7, "y, in order of first appearance");
  cr_expect(a->reads[1].stream == 0 && a->reads[1].is_immediate && a->reads[1].deepest == 2, "x, both ways");
  cr_expect(a->reads[2].stream == hand_stream(&h, "b") && !a->reads[2].is_immediate && a->reads[2].deepest == 1);
  hand_close(&h);
}

static void expect_cycle(hand *h, const char *path) {
  cr_expect_eq(hand_finish(h, HAND_LIMIT), WEIR_E_CYCLE);
  char want[200];
  snprintf(want, sizeof want, "dependency cycle without a delay: %s", path);
  cr_expect_str_eq(h->e.text, want);
  cr_expect(h->e.span.begin == 1 && h->e.span.end == 2, "at the read that closes it");
  hand_close(h);
}

Test(ir_schedule, a_cycle_names_its_streams_from_the_one_declared_first) {
  hand h;
  hand_open(&h, "in x Int, out z Int, out c Int, out b Int, out a Int");
  define(&h, "z", "b x");
  define(&h, "a", "b");
  define(&h, "b", "c z@1");
  define(&h, "c", "a");
  expect_cycle(&h, "c -> a -> b -> c");
}

Test(ir_schedule, a_cycle_of_one_names_it_twice) {
  hand h;
  hand_open(&h, "out a Int, out b Int");
  define(&h, "a", "");
  define(&h, "b", "a b");
  expect_cycle(&h, "b -> b");
}

Test(ir_schedule, a_long_cycle_is_cut_and_says_so) {
  hand h;
  hand_open_many(&h, 0, 1000, WIR_INT);
  for (uint32_t i = 0; i < 1000; i++) {
    hand_begin_at(&h, i);
    hand_end(&h, wir_build_var(&h.b, (i + 1) % 1000, HAND_AT));
  }
  cr_expect_eq(hand_finish(&h, HAND_LIMIT), WEIR_E_CYCLE);
  const char *begin = "dependency cycle without a delay: s0 -> s1 -> s2 -> ";
  cr_expect(strncmp(h.e.text, begin, strlen(begin)) == 0, "%s", h.e.text);
  cr_expect_not_null(strstr(h.e.text, " -> ... -> s0"), "%s", h.e.text);
  hand_close(&h);
}

Test(ir_schedule, long_names_are_cut_one_by_one) {
  hand h;
  char name[300];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  hand_open_many(&h, 0, 2, WIR_INT);
  for (uint32_t i = 0; i < 2; i++) {
    name[0] = (char)('a' + i);
    h.p->streams[i].name = wb_intern(&h.p->names, (wb_str){name, strlen(name)});
    hand_begin_at(&h, i);
    hand_end(&h, wir_build_var(&h.b, 1 - i, HAND_AT));
  }
  cr_expect_eq(hand_finish(&h, HAND_LIMIT), WEIR_E_CYCLE);
  cr_expect_not_null(strstr(h.e.text, ": annn"), "%s", h.e.text);
  cr_expect_not_null(strstr(h.e.text, "... -> bnnn"), "%s", h.e.text);
  cr_expect_lt(strlen(h.e.text), sizeof h.e.text - 1, "nothing is cut by the error's end");
  hand_close(&h);
}

static double seconds_of_chain(uint32_t n) {
  hand h;
  hand_open_many(&h, 1, n, WIR_INT);
  for (uint32_t i = 1; i <= n; i++) { /* each reads the one declared after it */
    hand_begin_at(&h, i);
    hand_end(&h, hand_apply(&h, WIR_OP_ADD, wir_build_var(&h.b, i == n ? 0 : i + 1, HAND_AT), hand_int(&h, 1)));
  }
  clock_t begin = clock();
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK);
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  cr_expect_eq(h.p->streams[n].order, 0, "the last one declared runs first");
  cr_expect_eq(h.p->streams[1].order, n - 1);
  hand_close(&h);
  return seconds;
}

/* Linear would be 10 times; quadratic 100 times, which is minutes. */
Test(ir_schedule, a_chain_of_200000_declared_in_reverse_is_linear) {
  double small = seconds_of_chain(20000), large = seconds_of_chain(200000);
  cr_expect_lt(large, 40 * small + 0.5, "%.3f s for 20,000, %.3f s for 200,000", small, large);
}
