/* tests/unit/runtime_commit.c -- what the barrier keeps: rings, cells, and the objects in them. */
#include "tests/test.h"
#include "tests/support/handmade.h"
#include "tests/support/host.h"

#include <stdio.h>

static void push(host *h, weir_value x) { cr_assert_eq(host_push(h, &x), WEIR_OK, "%s", h->e.text); }

/* A text that no other tick has. */
static const char *text_of(uint64_t tick) {
  static char text[4][64];
  char *to = text[tick % 4];
  snprintf(to, sizeof text[0], "the text of tick %llu, long enough to be a block", (unsigned long long)tick);
  return to;
}

Test(runtime_commit, a_ring_gives_back_what_it_got_through_many_rounds) {
  static const uint64_t offsets[] = {1, 2, 3, 7, 8, 64, 100};
  for (size_t i = 0; i < WB_LEN(offsets); i++) {
    host h;
    char spec[80];
    snprintf(spec, sizeof spec, "in x: Int  out y: Int  y = x[%llu]", (unsigned long long)offsets[i]);
    host_open(&h, spec);
    for (uint64_t t = 0; t < 350; t++) {
      push(&h, an_int((int64_t)t * 3));
      weir_value want = t < offsets[i] ? deferred() : an_int((int64_t)(t - offsets[i]) * 3);
      cr_expect(host_is(&h, "y", want), "x[%llu] in tick %llu", (unsigned long long)offsets[i], (unsigned long long)t);
    }
    host_close(&h);
  }
}

Test(runtime_commit, readers_of_different_depth_share_a_ring_without_mixing) {
  host h;
  host_open(&h, "in x: Int  out a: Int  out b: Int  out c: Int  a = x[1]  b = x[2]  c = x[5]");
  for (int64_t t = 0; t < 30; t++) {
    push(&h, an_int(t));
    cr_expect(host_is(&h, "a", t < 1 ? deferred() : an_int(t - 1)));
    cr_expect(host_is(&h, "b", t < 2 ? deferred() : an_int(t - 2)));
    cr_expect(host_is(&h, "c", t < 5 ? deferred() : an_int(t - 5)));
  }
  host_close(&h);
}

Test(runtime_commit, noval_shifts_history_and_a_delay_repeats_itself) {
  static const struct { int x, one, two; } rows[] = {{1, -1, -1}, {0, 1, -1}, {2, 1, 1}, {0, 2, 1}, {0, 2, 2}, {3, 2, 2}, {4, 3, 2}};
  host h; /* language.md 9; 0 is NoVal, -1 Deferred */
  host_open(&h, "in x: Int  out one: Int  out two: Int  one = x[1]  two = x[2]");
  for (size_t t = 0; t < WB_LEN(rows); t++) {
    push(&h, rows[t].x == 0 ? no_value() : an_int(rows[t].x));
    cr_expect(host_is(&h, "one", rows[t].one < 0 ? deferred() : an_int(rows[t].one)), "x[1] in tick %zu", t);
    cr_expect(host_is(&h, "two", rows[t].two < 0 ? deferred() : an_int(rows[t].two)), "x[2] in tick %zu", t);
  }
  host_close(&h);
}

Test(runtime_commit, a_self_delay_sees_the_noval_of_its_stream) {
  host h;
  host_open(&h, "in x: Int  out z: Int  z = latch(x, z[1])");
  push(&h, an_int(1));
  cr_expect(host_is(&h, "z", an_int(1)), "z[1] is Deferred, which triggers");
  push(&h, no_value());
  cr_expect(host_is(&h, "z", an_int(1)), "x is lifted");
  host_close(&h);
  host_open(&h, "in x: Int  out z: Int  z = latch(x, z[1])");
  push(&h, no_value());
  cr_expect(host_is(&h, "z", no_value()));
  push(&h, an_int(2));
  cr_expect(host_is(&h, "z", no_value()), "once NoVal, it stays so");
  host_close(&h);
}

Test(runtime_commit, texts_outlive_the_rows_that_brought_them) {
  host h;
  host_open(&h, "in x: Str  out a: Str  out b: Str  out c: Str  a = x[1]  b = (a[1])[1]  c = default(x[3] ++ \"!\", \"?\")");
  for (uint64_t t = 0; t < 200; t++) {
    char text[64], with_mark[70];
    snprintf(text, sizeof text, "%s", text_of(t));
    push(&h, a_text(text));
    memset(text, '#', sizeof text); /* the caller's bytes are its own again */
    cr_expect(host_is(&h, "a", t < 1 ? deferred() : a_text(text_of(t - 1))), "tick %llu", (unsigned long long)t);
    cr_expect(host_is(&h, "b", t < 3 ? deferred() : a_text(text_of(t - 3))));
    snprintf(with_mark, sizeof with_mark, "%s!", t < 3 ? "" : text_of(t - 3));
    cr_expect(host_is(&h, "c", a_text(t < 3 ? "?" : with_mark)));
  }
  host_close(&h);
}

Test(runtime_commit, a_held_text_survives_any_number_of_ticks_without_a_sample) {
  host h;
  host_open(&h, "in x: Str  in y: Str  out z: Str  out w: Str  z = x ++ y  w = update(x, (z ++ z)[2])");
  const weir_value first[2] = {a_text("left, and long enough to be a block of its own "), no_value()};
  cr_assert_eq(host_push(&h, first), WEIR_OK);
  const weir_value none[2] = {no_value(), no_value()}, second[2] = {no_value(), a_text("right")};
  for (int i = 0; i < 100; i++) cr_assert_eq(host_push(&h, none), WEIR_OK);
  cr_expect(host_is(&h, "z", no_value()));
  cr_assert_eq(host_push(&h, second), WEIR_OK);
  for (int i = 0; i < 100; i++) {
    cr_expect(host_is(&h, "z", a_text("left, and long enough to be a block of its own right")));
    cr_assert_eq(host_push(&h, none), WEIR_OK);
  }
  host_close(&h);
}

Test(runtime_commit, an_output_is_borrowed_until_the_next_push_even_when_only_history_held_it) {
  host h;
  host_open(&h, "in x: Str  out y: Str  y = x[1]");
  push(&h, a_text("once in history, and nowhere else when it leaves it"));
  push(&h, no_value());
  push(&h, a_text("another one that overwrites the ring of one"));
  cr_expect(host_is(&h, "y", a_text("once in history, and nowhere else when it leaves it")));
  push(&h, a_text("third"));
  cr_expect(host_is(&h, "y", a_text("another one that overwrites the ring of one")));
  host_close(&h);
}

Test(runtime_commit, one_object_in_several_rings_leaves_each_at_its_time) {
  host h;
  host_open(&h, "in x: Str  out y: Str  out z: Str  aux c: Str  c = x  y = c[2]  z = (x[1])[4]");
  for (uint64_t t = 0; t < 40; t++) {
    push(&h, t % 3 == 0 ? a_text(text_of(t)) : no_value());
    uint64_t y = t < 2 ? 0 : (t - 2) / 3 * 3, z = t < 5 ? 0 : (t - 5) / 3 * 3;
    cr_expect(host_is(&h, "y", t < 2 ? deferred() : a_text(text_of(y))), "c[2] in tick %llu", (unsigned long long)t);
    cr_expect(host_is(&h, "z", t < 5 ? deferred() : a_text(text_of(z))), "(x[1])[4] in tick %llu", (unsigned long long)t);
  }
  host_close(&h);
}

Test(runtime_commit, any_streams_keep_what_they_got) {
  host h;
  host_open(&h, "in x  out y  y = x[2]");
  const weir_value items[] = {an_int(1), a_text("two, in a list, in a ring")}, pair = a_list(2, items);
  const weir_entry entries[] = {{a_text("b"), pair}, {a_text("a"), a_float(-0.0)}}, sorted[] = {entries[1], entries[0]};
  const weir_value in[] = {a_map(2, entries), pair, a_bool(true), an_int(5), {.tag = WEIR_UNIT}, deferred(), a_tuple(2, items), a_text("")};
  const weir_value out[] = {a_map(2, sorted), pair, a_bool(true), an_int(5), {.tag = WEIR_UNIT}, deferred(), a_tuple(2, items), a_text("")};
  for (size_t round = 0; round < 5; round++)
    for (size_t i = 0; i < WB_LEN(in); i++) {
      push(&h, in[i]);
      size_t before = (i + WB_LEN(in) - 2) % WB_LEN(in);
      cr_expect(host_is(&h, "y", round == 0 && i < 2 ? deferred() : out[before]), "round %zu, value %zu", round, i);
    }
  host_close(&h);
}

/* ---- Failing ticks ---- */

Test(runtime_commit, a_failing_tick_commits_nothing) {
  hand h;
  hand_open(&h, "in x Int, in d Int, out a Int, out q Int");
  hand_begin(&h, "a");
  hand_end(&h, hand_apply(&h, WIR_OP_ADD, hand_ago(&h, "x", 1), hand_var(&h, "x")));
  hand_begin(&h, "q");
  hand_end(&h, hand_apply(&h, WIR_OP_DIV, wir_build_delay(&h.b, hand_apply(&h, WIR_OP_ADD, hand_var(&h, "x"), hand_int(&h, 1)), 1, HAND_AT),
                          hand_var(&h, "d")));
  hand_start(&h);
  cr_assert_eq(hand_push(&h, (weir_value[]){an_int(1), an_int(1)}), WEIR_OK);
  size_t bytes = (size_t)h.p->layout.bytes;
  unsigned char *before = wb_alloc(&h.scratch, 1, bytes, 16);
  memcpy(before, h.m->arena, bytes);
  cr_expect_eq(hand_push(&h, (weir_value[]){an_int(2), an_int(0)}), WEIR_E_DIV_ZERO);
  cr_expect(memcmp(before, h.m->arena, bytes) == 0, "the arena is that of the last commit");
  cr_expect_eq(h.m->ticks, 1);
  cr_expect(host_same(hand_out(&h, "a"), deferred()));
  hand_close(&h);
}
