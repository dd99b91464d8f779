/* tests/unit/ir_presence.c -- when a value is there, and which memories that makes idle. */
#include "tests/test.h"
#include "tests/support/handmade.h"

/* Streams of every class to build on: `late` has its first value whenever x has, `sure` always has one. */
static void open_classes(hand *h) {
  hand_open(h, "in x Int, in y Int, in b Bool, out sure Int, out late Int, out gappy Int, out z Int");
  hand_begin(h, "sure");
  hand_end(h, hand_int(h, 7));
  hand_begin(h, "late");
  hand_end(h, hand_apply(h, WIR_OP_ADD, hand_var(h, "x"), hand_int(h, 0)));
  hand_begin(h, "gappy");
  hand_end(h, hand_var(h, "x"));
  hand_begin(h, "z");
}

static wir_presence class_of(hand *h, wir_ref z) {
  hand_end(h, z);
  cr_assert_eq(hand_finish(h, HAND_LIMIT), WEIR_OK, "%s", h->e.text);
  return (wir_presence)h->p->streams[hand_stream(h, "z")].presence;
}

static wir_ref two(hand *h, wir_node_kind kind, wir_ref a, wir_ref b) {
  wir_ref args[2] = {a, b};
  return wir_build_node(&h->b, kind, args, h->b.nodes.at[a.i].type, HAND_AT);
}

static wir_ref one(hand *h, wir_node_kind kind, wir_ref a) {
  return wir_build_node(&h->b, kind, &a, WIR_BOOL, HAND_AT);
}

static wir_ref choose(hand *h, wir_ref cond, wir_ref a, wir_ref b) {
  wir_ref args[3] = {cond, a, b};
  return wir_build_node(&h->b, WIR_IF, args, h->b.nodes.at[a.i].type, HAND_AT);
}

/* x op y of a guarded expression that may fail. */
static wir_ref guarded_division(hand *h, wir_ref a, wir_ref b) { return hand_apply(h, WIR_OP_DIV, a, b); }

static wir_ref copy_sure(hand *h) { return hand_var(h, "sure"); }
static wir_ref copy_late(hand *h) { return hand_var(h, "late"); }
static wir_ref copy_input(hand *h) { return hand_var(h, "x"); }
static wir_ref constant(hand *h) { return hand_int(h, 1); }
static wir_ref delay_of_input(hand *h) { return hand_ago(h, "x", 2); }
static wir_ref delay_of_gappy_expression(hand *h) { return wir_build_delay(&h->b, two(h, WIR_LATCH, hand_var(h, "x"), hand_var(h, "y")), 1, HAND_AT); }
static wir_ref self_delay(hand *h) { return hand_ago(h, "z", 1); }
static wir_ref self_delay_plus_input(hand *h) { return hand_apply(h, WIR_OP_ADD, hand_ago(h, "z", 1), hand_var(h, "x")); }
static wir_ref counter(hand *h) { return hand_apply(h, WIR_OP_ADD, two(h, WIR_DEFAULT, hand_ago(h, "z", 1), hand_int(h, 0)), hand_int(h, 1)); }
static wir_ref operator_on_sure(hand *h) { return hand_apply(h, WIR_OP_ADD, hand_var(h, "sure"), hand_int(h, 1)); }
static wir_ref operator_on_input(hand *h) { return hand_apply(h, WIR_OP_ADD, hand_var(h, "x"), hand_var(h, "y")); }
static wir_ref default_of_input(hand *h) { return two(h, WIR_DEFAULT, hand_var(h, "x"), hand_int(h, 0)); }
static wir_ref default_to_input(hand *h) { return two(h, WIR_DEFAULT, hand_ago(h, "x", 1), hand_var(h, "x")); }
static wir_ref default_of_sure(hand *h) { return two(h, WIR_DEFAULT, hand_ago(h, "x", 1), hand_var(h, "sure")); }
static wir_ref defined(hand *h) { return one(h, WIR_IS_DEFINED, hand_var(h, "x")); }
static wir_ref seen(hand *h) { return one(h, WIR_WHEN, hand_var(h, "x")); }
static wir_ref update_of_late(hand *h) { return two(h, WIR_UPDATE, hand_var(h, "late"), hand_var(h, "y")); }
static wir_ref update_of_sure(hand *h) { return two(h, WIR_UPDATE, hand_var(h, "sure"), hand_var(h, "y")); }
static wir_ref latch_on_sure(hand *h) { return two(h, WIR_LATCH, hand_var(h, "x"), hand_var(h, "sure")); }
static wir_ref latch_on_input(hand *h) { return two(h, WIR_LATCH, hand_var(h, "sure"), hand_var(h, "x")); }
static wir_ref init_of_sure(hand *h) { return two(h, WIR_INIT, hand_var(h, "sure"), hand_var(h, "x")); }
static wir_ref init_of_input(hand *h) { return two(h, WIR_INIT, hand_var(h, "x"), hand_int(h, 0)); }
static wir_ref if_of_input(hand *h) { return choose(h, hand_var(h, "b"), hand_var(h, "x"), hand_int(h, 0)); }

static wir_ref if_of_sure_division(hand *h) {
  wir_build_guard(&h->b);
  wir_ref q = guarded_division(h, hand_int(h, 10), hand_var(h, "sure"));
  wir_build_unguard(&h->b);
  return choose(h, one(h, WIR_IS_DEFINED, hand_var(h, "b")), q, hand_int(h, 0));
}

/* x + 10 / sure in a branch: it fails while x is NoVal, and then it is NoVal; lifted for the if, it is there from the failure on. */
static wir_ref late_plus_failing(hand *h) {
  wir_build_guard(&h->b);
  wir_ref sum = hand_apply(h, WIR_OP_ADD, hand_var(h, "x"), guarded_division(h, hand_int(h, 10), hand_var(h, "sure")));
  wir_build_unguard(&h->b);
  return choose(h, one(h, WIR_IS_DEFINED, hand_var(h, "b")), sum, hand_int(h, 0));
}

static const struct claim { const char *what; wir_ref (*make)(hand *); wir_type type; wir_presence presence; } claims[] = {
#define CLAIM(make, type, presence) {#make, make, {WIR_TYPE_##type}, WIR_##presence}
  CLAIM(constant, INT, ALWAYS), CLAIM(copy_sure, INT, ALWAYS), CLAIM(copy_late, INT, EVER_AFTER), CLAIM(copy_input, INT, GAPPY),
  CLAIM(delay_of_input, INT, ALWAYS), CLAIM(delay_of_gappy_expression, INT, ALWAYS), CLAIM(self_delay, INT, ALWAYS),
  CLAIM(self_delay_plus_input, INT, EVER_AFTER), CLAIM(counter, INT, ALWAYS), CLAIM(operator_on_sure, INT, ALWAYS),
  CLAIM(operator_on_input, INT, EVER_AFTER), CLAIM(default_of_input, INT, EVER_AFTER), CLAIM(default_to_input, INT, GAPPY),
  CLAIM(default_of_sure, INT, ALWAYS), CLAIM(defined, BOOL, ALWAYS), CLAIM(seen, BOOL, ALWAYS),
  CLAIM(update_of_late, INT, EVER_AFTER), CLAIM(update_of_sure, INT, ALWAYS), CLAIM(latch_on_sure, INT, EVER_AFTER),
  CLAIM(latch_on_input, INT, GAPPY), CLAIM(init_of_sure, INT, ALWAYS), CLAIM(init_of_input, INT, GAPPY),
  CLAIM(if_of_input, INT, EVER_AFTER), CLAIM(if_of_sure_division, INT, ALWAYS), CLAIM(late_plus_failing, INT, EVER_AFTER),
#undef CLAIM
};

Test(ir_presence, classes_are_those_of_the_table) {
  for (size_t i = 0; i < WB_LEN(claims); i++) {
    hand h;
    open_classes(&h);
    h.p->streams[hand_stream(&h, "z")].type = claims[i].type;
    wir_presence got = class_of(&h, claims[i].make(&h));
    cr_expect_eq(got, claims[i].presence, "%s: %d instead of %d", claims[i].what, (int)got, (int)claims[i].presence);
    hand_close(&h);
  }
}

static uint32_t count_kind(const hand *h, const char *stream, wir_node_kind kind) {
  const wir_graph *g = &h->p->streams[hand_stream(h, stream)].graph;
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n_nodes; i++) n += g->nodes[i].kind == kind;
  return n;
}

Test(ir_presence, a_lift_of_what_is_never_gappy_is_dropped) {
  hand h;
  open_classes(&h);
  wir_ref sum = hand_apply(&h, WIR_OP_ADD, hand_var(&h, "late"), hand_var(&h, "sure"));
  class_of(&h, hand_apply(&h, WIR_OP_MUL, sum, hand_ago(&h, "x", 3)));
  cr_expect_eq(count_kind(&h, "z", WIR_LIFT), 0);
  cr_expect_eq(count_kind(&h, "z", WIR_HELD), 0, "both have become plain reads");
  cr_expect_eq(h.p->streams[hand_stream(&h, "late")].held, WIR_NO_STATE);
  hand_close(&h);
}

Test(ir_presence, a_lift_of_what_is_gappy_stays) {
  hand h;
  open_classes(&h);
  class_of(&h, hand_apply(&h, WIR_OP_ADD, two(&h, WIR_LATCH, hand_var(&h, "sure"), hand_var(&h, "x")), hand_var(&h, "gappy")));
  cr_expect_eq(count_kind(&h, "z", WIR_LIFT), 1, "of the latch");
  cr_expect_eq(count_kind(&h, "z", WIR_HELD), 1, "of gappy");
  cr_expect_neq(h.p->streams[hand_stream(&h, "gappy")].held, WIR_NO_STATE);
  hand_close(&h);
}

/* The reduced case of model seed 104814: the memory of the outer sum keeps the failure as Deferred. */
Test(ir_presence, a_failure_before_the_first_value_is_remembered) {
  hand h;
  hand_open(&h, "in x Int, in d Int, in b Bool, aux late Int, out z Int");
  hand_begin(&h, "late");
  hand_end(&h, two(&h, WIR_DEFAULT, hand_ago(&h, "d", 1), hand_int(&h, 0)));
  hand_begin(&h, "z");
  wir_build_guard(&h.b);
  wir_ref sum = hand_apply(&h, WIR_OP_ADD, hand_var(&h, "x"), guarded_division(&h, hand_int(&h, 10), hand_var(&h, "late")));
  wir_ref outer = hand_apply(&h, WIR_OP_ADD, sum, hand_int(&h, 1));
  wir_build_unguard(&h.b);
  hand_end(&h, choose(&h, hand_var(&h, "b"), hand_int(&h, 5), outer));
  hand_start(&h);
  weir_value yes = {.tag = WEIR_BOOL, .as.b = true}, five = {.tag = WEIR_INT, .as.i = 5}, none = {.tag = WEIR_NOVAL};
  const weir_value rows[2][3] = {{none, five, yes}, {none, five, yes}};
  cr_assert_eq(hand_push(&h, rows[0]), WEIR_OK, "the division by 0 stands in the branch that is not taken");
  cr_expect_eq(hand_out(&h, "z").tag, WEIR_INT);
  cr_assert_eq(hand_push(&h, rows[1]), WEIR_OK);
  cr_expect_eq(hand_out(&h, "z").tag, WEIR_INT, "x is still NoVal, but the sum's memory is Deferred and does not block the if");
  hand_close(&h);
}
