/* tests/unit/ir_state.c -- descriptors, the arena's layout, the memory bound and its limit. */
#include "tests/test.h"
#include "tests/support/handmade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Layout ---- */

typedef struct range { uint64_t begin, end; } range;

static int by_begin(const void *a, const void *b) {
  const range *x = a, *y = b;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

static size_t ranges_of(const wir_state *s, range *to) {
  size_t n = 0, bytes = wir_cell_bytes[s->cell];
  if (bytes != 0) to[n++] = (range){s->offset, s->offset + s->capacity * bytes};
  to[n++] = (range){s->presence, s->presence + s->capacity};
  if (wir_state_is_ring(s)) to[n++] = (range){s->ring, s->ring + sizeof(wir_ring)};
  return n;
}

static void expect_sound_layout(const wir_program *p) {
  range *ranges = malloc(3 * (size_t)p->n_states * sizeof *ranges + 1);
  cr_assert_not_null(ranges);
  size_t n = 0;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->n_states; i++) {
    const wir_state *s = &p->states[i];
    uint64_t align = wir_cell_bytes[s->cell] == 0 ? 1 : wir_cell_bytes[s->cell];
    cr_expect_eq(s->offset % align, 0, "state %u: values of %" PRIu64 " bytes at %" PRIu64, i, align, s->offset);
    cr_expect(!wir_state_is_ring(s) || s->ring % _Alignof(wir_ring) == 0, "state %u: its ring at %" PRIu64, i, s->ring);
    if (!wir_state_is_ring(s)) cr_expect_leq(s->presence + s->capacity, p->layout.cells, "cells come first");
    sum += wir_state_bytes(s);
    n += ranges_of(s, ranges + n);
  }
  qsort(ranges, n, sizeof *ranges, by_begin);
  for (size_t i = 0; i < n; i++) {
    cr_expect_leq(ranges[i].end, p->layout.bytes);
    if (i != 0) cr_expect_leq(ranges[i - 1].end, ranges[i].begin, "no two overlap");
  }
  cr_expect_eq(sum, p->state_bytes);
  cr_expect_leq(p->layout.bytes, sum + 15);
  uint64_t by_stream = 0;
  for (uint32_t i = 0; i < p->n_streams; i++) by_stream += p->streams[i].state_bytes;
  cr_expect_eq(by_stream, sum, "the streams' shares are the whole");
  free(ranges);
}

static wir_ref two(hand *h, wir_node_kind kind, wir_ref a, wir_ref b) {
  wir_ref args[2] = {a, b};
  return wir_build_node(&h->b, kind, args, h->b.nodes.at[a.i].type, HAND_AT);
}

/* Every kind of state on a stream of every cell class: "e" is a copy of the input x of that class. */
static void define_all_kinds(hand *h, const char *input, const char *stream) {
  hand_begin(h, stream);
  wir_ref gappy = two(h, WIR_LATCH, hand_var(h, input), hand_var(h, "t"));
  wir_ref delayed = wir_build_delay(&h->b, gappy, 3, HAND_AT);
  wir_ref updated = two(h, WIR_UPDATE, delayed, gappy);
  wir_ref begun = two(h, WIR_INIT, updated, hand_ago(h, input, 5));
  hand_end(h, two(h, WIR_LATCH, two(h, WIR_DEFAULT, hand_ago(h, stream, 2), begun), hand_var(h, "t")));
}

Test(ir_state, layouts_of_all_kinds_and_classes_are_sound) {
  hand h;
  hand_open(&h, "in t Unit, in xb Bool, in xi Int, in xf Float, in xs Str, in xu Unit, in xa Any, "
                "out b Bool, out i Int, out f Float, out s Str, out u Unit, out a Any");
  const char *const streams[][2] = {{"xb", "b"}, {"xi", "i"}, {"xf", "f"}, {"xs", "s"}, {"xu", "u"}, {"xa", "a"}};
  for (size_t k = 0; k < WB_LEN(streams); k++) define_all_kinds(&h, streams[k][0], streams[k][1]);
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK, "%s", h.e.text);
  bool seen[WIR_STATE_KINDS] = {false}, cells[WIR_CELLS] = {false};
  for (uint32_t i = 0; i < h.p->n_states; i++) seen[h.p->states[i].kind] = cells[h.p->states[i].cell] = true;
  for (int i = 0; i < WIR_STATE_KINDS; i++) cr_expect(seen[i], "state kind %d", i);
  for (int i = 0; i < WIR_CELLS; i++) cr_expect(cells[i], "cell class %d", i);
  expect_sound_layout(h.p);
  hand_close(&h);
}

Test(ir_state, random_layouts_are_sound) {
  srand(7);
  for (int round = 0; round < 200; round++) {
    static const char *const types[] = {"Bool", "Int", "Float", "Str", "Unit", "Any"};
    char streams[600] = "in t Unit";
    size_t n = strlen(streams);
    int inputs = 1 + rand() % 8;
    for (int i = 0; i < inputs; i++) n += (size_t)snprintf(streams + n, sizeof streams - n, ", in x%d %s", i, types[rand() % 6]);
    for (int i = 0; i < inputs; i++) n += (size_t)snprintf(streams + n, sizeof streams - n, ", out y%d Any", i);
    hand h;
    hand_open(&h, streams);
    for (int i = 0; i < inputs; i++) {
      char x[12], y[12];
      snprintf(x, sizeof x, "x%d", i);
      snprintf(y, sizeof y, "y%d", i);
      hand_begin(&h, y);
      wir_ref delay = rand() % 2 ? hand_ago(&h, x, 1 + (uint64_t)rand() % 40) : hand_var(&h, x);
      wir_ref again = wir_build_delay(&h.b, two(&h, WIR_LATCH, delay, hand_var(&h, "t")), 1 + (uint64_t)rand() % 20, HAND_AT);
      hand_end(&h, two(&h, WIR_UPDATE, again, two(&h, WIR_LATCH, delay, hand_ago(&h, y, 1 + (uint64_t)rand() % 9))));
    }
    cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK, "%s", h.e.text);
    expect_sound_layout(h.p);
    hand_close(&h);
  }
}

/* ---- The bound ---- */

static uint64_t bytes_of_stream(const hand *h, const char *name) { return h->p->streams[hand_stream(h, name)].state_bytes; }

Test(ir_state, a_delay_costs_its_values_their_presence_and_a_ring) {
  hand h;
  hand_open(&h, "in x Int, in b Bool, in u Unit, in s Str, out y Int, out c Bool, out v Unit, out t Str");
  const char *const pairs[][2] = {{"y", "x"}, {"c", "b"}, {"v", "u"}, {"t", "s"}};
  for (size_t i = 0; i < WB_LEN(pairs); i++) {
    hand_begin(&h, pairs[i][0]);
    hand_end(&h, hand_ago(&h, pairs[i][1], 100));
  }
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK);
  cr_expect_eq(bytes_of_stream(&h, "x"), 100 * 9 + 16, "the stream that is read owns its history");
  cr_expect_eq(bytes_of_stream(&h, "b"), 100 * 2 + 16);
  cr_expect_eq(bytes_of_stream(&h, "u"), 100 * 1 + 16);
  cr_expect_eq(bytes_of_stream(&h, "s"), 100 * 9 + 16);
  cr_expect_eq(bytes_of_stream(&h, "y"), 0);
  cr_expect(h.p->streams[hand_stream(&h, "s")].retains_values && h.p->retains_values);
  cr_expect_not(h.p->streams[hand_stream(&h, "x")].retains_values);
  hand_close(&h);
}

Test(ir_state, a_program_without_memory_has_no_state) {
  hand h;
  hand_open(&h, "in x Int, out y Int");
  hand_begin(&h, "y");
  hand_end(&h, hand_var(&h, "x"));
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK);
  cr_expect_eq(h.p->n_states, 0);
  cr_expect_eq(h.p->state_bytes, 0);
  hand_close(&h);
}

Test(ir_state, fault_4_readers_of_one_stream_share_one_ring) {
  hand h;
  hand_open_many(&h, 1, 100, WIR_INT);
  for (uint32_t i = 1; i <= 100; i++) {
    hand_begin_at(&h, i);
    wir_ref sum = wir_build_delay_var(&h.b, 0, 9999, HAND_AT);
    for (uint32_t k = 1; k < 1000; k++)
      sum = hand_apply(&h, WIR_OP_ADD, sum, wir_build_delay_var(&h.b, 0, 9999 - k % 5, HAND_AT));
    hand_end(&h, sum);
  }
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK, "%s", h.e.text);
  cr_expect_eq(h.p->n_rings, 1, "100,000 readers, one ring");
  cr_expect_eq(h.p->streams[0].state_bytes, 9999 * 9 + 16);
  hand_close(&h);
}

Test(ir_state, self_delays_share_the_history_of_a_stream_that_is_never_gappy) {
  hand h;
  hand_open(&h, "out n Int, out before Int");
  hand_begin(&h, "n");
  hand_end(&h, hand_apply(&h, WIR_OP_ADD, two(&h, WIR_DEFAULT, hand_ago(&h, "n", 4), hand_int(&h, 0)), hand_int(&h, 1)));
  hand_begin(&h, "before");
  hand_end(&h, hand_ago(&h, "n", 2));
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK);
  cr_expect_eq(h.p->n_rings, 1);
  cr_expect_eq(bytes_of_stream(&h, "n"), 4 * 9 + 16);
  hand_close(&h);
}

Test(ir_state, a_gappy_stream_keeps_its_own_samples_apart) {
  hand h;
  hand_open(&h, "in x Int, out z Int, out before Int");
  hand_begin(&h, "z");
  hand_end(&h, two(&h, WIR_LATCH, two(&h, WIR_DEFAULT, hand_ago(&h, "z", 3), hand_int(&h, 0)), hand_var(&h, "x")));
  hand_begin(&h, "before");
  hand_end(&h, hand_ago(&h, "z", 2));
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK);
  const wir_stream *z = &h.p->streams[hand_stream(&h, "z")];
  cr_expect_neq(z->history, z->output, "one is filled forward, the other has the NoVals");
  cr_expect_eq(h.p->states[z->history].capacity, 2);
  cr_expect_eq(h.p->states[z->output].capacity, 3);
  hand_close(&h);
}

Test(ir_state, lifted_readers_of_one_stream_share_one_cell) {
  hand h;
  hand_open(&h, "in x Int, out a Int, out b Int");
  for (int i = 0; i < 2; i++) {
    hand_begin(&h, i == 0 ? "a" : "b");
    wir_ref sum = hand_var(&h, "x");
    for (int k = 0; k < 20; k++) sum = hand_apply(&h, WIR_OP_ADD, sum, hand_var(&h, "x"));
    hand_end(&h, sum);
  }
  cr_assert_eq(hand_finish(&h, HAND_LIMIT), WEIR_OK);
  cr_expect_eq(h.p->n_states, 1);
  cr_expect_eq(h.p->state_bytes, 9);
  hand_close(&h);
}

/* ---- The limit ---- */

/* y = x[offset] with a limit. */
static weir_code finish_delay(hand *h, const char *streams, uint64_t offset, uint64_t limit) {
  hand_open(h, streams);
  hand_begin(h, "y");
  hand_end(h, wir_build_delay_var(&h->b, 0, offset, (weir_span){7, 9}));
  return hand_finish(h, limit);
}

Test(ir_state, the_limit_itself_is_allowed_and_one_byte_less_is_not) {
  hand h;
  cr_expect_eq(finish_delay(&h, "in x Int, out y Int", 10, 10 * 9 + 16), WEIR_OK);
  hand_close(&h);
  cr_expect_eq(finish_delay(&h, "in x Int, out y Int", 10, 10 * 9 + 15), WEIR_E_STATE_TOO_LARGE);
  cr_expect_str_eq(h.e.text, "a delay of 10 ticks needs 106 bytes; the limit on state is 105 bytes (max_state_bytes)");
  cr_expect(h.e.span.begin == 7 && h.e.span.end == 9, "at the delay");
  hand_close(&h);
}

Test(ir_state, fault_4_a_huge_delay_is_refused_with_its_bytes) {
  hand h;
  cr_expect_eq(finish_delay(&h, "in x Int, out y Int", 1000000000, HAND_LIMIT), WEIR_E_STATE_TOO_LARGE);
  cr_expect_not_null(strstr(h.e.text, "needs 9000000016 bytes"), "%s", h.e.text);
  cr_expect_not_null(strstr(h.e.text, "1073741824 bytes"), "%s", h.e.text);
  hand_close(&h);
  cr_expect_eq(finish_delay(&h, "in x Int, out y Int", UINT64_MAX, HAND_LIMIT), WEIR_E_STATE_TOO_LARGE);
  cr_expect_not_null(strstr(h.e.text, "a delay of 18446744073709551615 ticks needs more than 2^64 bytes"), "%s", h.e.text);
  hand_close(&h);
}

Test(ir_state, bytes_that_only_just_do_not_fit_64_bits_do_not_wrap) {
  static const uint64_t offsets[] = {UINT64_MAX / 9 - 1, UINT64_MAX / 9, UINT64_MAX / 9 + 1, UINT64_MAX / 2, UINT64_MAX - 1};
  for (size_t i = 0; i < WB_LEN(offsets); i++) {
    hand h;
    cr_expect_eq(finish_delay(&h, "in x Int, out y Int", offsets[i], UINT64_MAX - 1), WEIR_E_STATE_TOO_LARGE, "%" PRIu64, offsets[i]);
    hand_close(&h);
  }
}

Test(ir_state, the_largest_limit_still_is_one) {
  hand h;
  cr_expect_eq(finish_delay(&h, "in x Int, out y Int", UINT64_MAX, UINT64_MAX), WEIR_E_STATE_TOO_LARGE, "too many to count");
  hand_close(&h);
  cr_expect_eq(finish_delay(&h, "in x Int, out y Int", (UINT64_MAX - 16) / 9, UINT64_MAX), WEIR_E_STATE_TOO_LARGE, "too many with the padding");
  hand_close(&h);
}

Test(ir_state, the_sum_of_many_delays_is_limited_too) {
  hand h;
  hand_open_many(&h, 10, 10, WIR_INT);
  for (uint32_t i = 0; i < 10; i++) {
    hand_begin_at(&h, 10 + i);
    hand_end(&h, wir_build_delay_var(&h.b, i, 100, (weir_span){100 + i, 101 + i}));
  }
  cr_expect_eq(hand_finish(&h, 5000), WEIR_E_STATE_TOO_LARGE);
  cr_expect_str_eq(h.e.text, "with this the state needs at least 5496 bytes; the limit is 5000 bytes (max_state_bytes)");
  cr_expect_eq(h.e.span.begin, 105, "at the first that is too much");
  hand_close(&h);
}

Test(ir_state, the_sum_of_delays_does_not_wrap) {
  hand h;
  hand_open_many(&h, 4, 4, WIR_INT);
  for (uint32_t i = 0; i < 4; i++) {
    hand_begin_at(&h, 4 + i);
    hand_end(&h, wir_build_delay_var(&h.b, i, UINT64_MAX / 20, HAND_AT));
  }
  cr_expect_eq(hand_finish(&h, UINT64_MAX - 1), WEIR_E_STATE_TOO_LARGE);
  hand_close(&h);
}
