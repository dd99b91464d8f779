/* tests/unit/ir_verify.c -- what the tiers need not look for. */
#include "tests/test.h"
#include "tests/support/irlab.h"

#include <stdio.h>
#include <string.h>

/* What the verifier says of a part with these lines (not the first one), and of which instruction. */
static const char *verdict(lab *l, const char *lines, uint32_t *at) {
  char text[2000] = "body part\n";
  cr_assert_lt(strlen(lines), sizeof text - strlen(text));
  strcat(text, lines);
  wir_body b = lab_read(l, text);
  return wir_verify(l->p, &b, at);
}

Test(ir_verify, accepts_every_instruction_used_as_it_should_be) {
  static const char *const lines =
    "%0 = read int stream 0 may noval|deferred\n"
    "%1 = read float stream 2 may noval|deferred\n"
    "%2 = read bool stream 4 may noval|deferred\n"
    "%3 = const int 3\n"
    "%4 = hold int %0 state 0 may deferred\n"
    "%5 = hold bool %2 state 5 stream 4 may noval|deferred\n"
    "%6 = div int %3, %4 stream 6 guarded may failed|deferred\n"
    "%7 = rem int %4, %3 safe may deferred\n"
    "%8 = select int %5, %6, %7 may noval|deferred\n"
    "%9 = float %4 may deferred\n"
    "%10 = sin %9 may deferred\n"
    "%11 = lt %9, %10 may deferred\n"
    "%12 = and %5, %11 may noval|deferred\n"
    "%13 = not %12 may noval|deferred\n"
    "%14 = eq %12, %13 may noval|deferred\n"
    "%15 = default int %4, %3\n"
    "%16 = defined %4\n"
    "%17 = gate int %2, %4 may noval|deferred\n"
    "%18 = guard float %6, %1 guarded may failed|noval|deferred\n"
    "%19 = ring int ago 3 state 1 may noval|deferred\n"
    "%20 = settle int %19 may deferred\n"
    "%21 = proper %0 state 11 stream 8\n"
    "%22 = started %2 state 12\n"
    "%23 = pick int %21, %4, %3 may deferred\n"
    "%24 = ring int ago 2 state 6 stream 6 may noval|deferred\n"
    "keep %4 state 0 stream 0\n"
    "keep %17 state 7 stream 6\n"
    "push %6 state 8\n"
    "keep %21 state 11 stream 8\n"
    "write %8 stream 6\n";
  lab l;
  uint32_t at;
  lab_open(&l, LAB_SPEC);
  const char *why = verdict(&l, lines, &at);
  cr_expect_null(why, "%u: %s", at, why);
  lab_close(&l);
}

Test(ir_verify, names_the_instruction_and_what_is_wrong_with_it) {
  static const struct { const char *lines; uint32_t at; const char *why; } cases[] = {
    {"%0 = add int %0, %0\n", 0, "an operand is used before it is computed"},
    {"%0 = neg int %1\n%1 = const int 1\n", 0, "an operand is used before it is computed"},
    {"%0 = neg int %4294967294\n", 0, "an operand is used before it is computed"},
    {"%0 = const int 1\nwrite %0 stream 6\n%2 = const int 2\n", 2, "something is computed among the effects"},
    {"%0 = const int 1\nkeep %0 state 7 stream 6\nwrite %1 stream 6\n", 2, "an operand is used before it is computed"},
    {"%0 = const bool true\n%1 = add bool %0, %0\n", 1, "arithmetic has a result of kind int or float"},
    {"%0 = const int 1\n%1 = add float %0, %0\n", 1, "an operand is not of the result's kind"},
    {"%0 = const int 1\n%1 = const float 1\n%2 = lt %0, %1\n", 2, "the operands are of different kinds"},
    {"%0 = const int 1\n%1 = not %0\n", 1, "an operand is not of kind bool"},
    {"%0 = const int 1\n%1 = sin %0\n", 1, "an operand is not of kind float"},
    {"%0 = const float 1\n%1 = float %0\n", 1, "an operand is not of kind int"},
    {"%0 = const int 1\n%1 = select int %0, %0, %0\n", 1, "an operand is not of kind bool"},
    {"%0 = const bool true\n%1 = const float 1\n%2 = select float %0, %1, %0\n", 2, "an operand is not of the result's kind"},
    {"%0 = read int stream 0 may noval\n%1 = neg int %0\n", 1, "its operands make a condition possible that it leaves out"},
    {"%0 = const int 1\n%1 = neg int %0 guarded\n", 1, "its operands make a condition possible that it leaves out"},
    {"%0 = const int 1\n%1 = neg int %0 may failed\n", 1, "outside all guards a failure leaves the body"},
    {"%0 = read int stream 0 guarded may failed\n", 0, "what is read or constant has not failed"},
    {"%0 = const int 1\n%1 = neg int %0 guarded may failed\nwrite %1 stream 6\n", 2, "a stream's value has not failed"},
    {"%0 = read bool stream 4 may noval\n%1 = pick bool %0, %0, %0 may noval\n", 1, "the flag of a pick is always a value"},
    {"%0 = const float 1\n%1 = neg float %0 safe\n", 1, "only what fails at times can be shown not to"},
    {"%0 = const int 1\n%1 = lt %0, %0 safe\n", 1, "only what fails at times can be shown not to"},
    {"%0 = const int 1\nwrite %0 stream 6 may deferred\n", 1, "an effect has no result, and no conditions"},
    {"%0 = const int 1\nkeep %0 state 14 stream 6\n", 1, "the program has no such state"},
    {"%0 = const int 1\nkeep %0 state 1\n", 1, "the state is of a kind that it has no use for"},
    {"%0 = const int 1\npush %0 state 0\n", 1, "the state is of a kind that it has no use for"},
    {"%0 = const int 1\n%1 = hold int %0 state 11 stream 8\n", 1, "the state is of a kind that it has no use for"},
    {"%0 = const int 1\n%1 = proper %0 state 7 stream 6\n", 1, "the state is of a kind that it has no use for"},
    {"%0 = const int 1\n%1 = fill int %0 state 6 stream 6\n", 1, "the state is of a kind that it has no use for"},
    {"%0 = const int 1\nkeep %0 state 2 stream 2\n", 1, "the state holds values of another kind"},
    {"%0 = const int 1\nkeep %0 state 7 stream 7\n", 1, "the state is another stream's"},
    {"%0 = ring int ago 1 state 8 stream 7\n", 0, "the state is another stream's"},
    {"%0 = ring int ago 0 state 1\n", 0, "the ring does not reach that far back"},
    {"%0 = ring int ago 4 state 1\n", 0, "the ring does not reach that far back"},
    {"%0 = read int stream 0 may noval\npush %0 state 1\n", 1, "only a whole body makes history"},
    {"%0 = const int 1 stream 9\n", 0, "the program has no such stream"},
    {"%0 = read int stream 2\n", 0, "the stream is of another kind"},
    {"%0 = const int 1\nwrite %0 stream 7\n", 1, "the stream is of another kind"},
    {"%0 = const int 1\nwrite %0 stream 0\n", 1, "an input is not written"},
    {"%0 = const int 1\nkeep %0 state 7 stream 6\nkeep %0 state 7\n", 2, "the state is kept twice"},
    {"%0 = const int 1\nwrite %0 stream 6\nwrite %0 stream 6\n", 2, "the stream is written twice"},
    {"%0 = read int stream 6\nwrite %0 stream 6\n", 0, "the stream is computed by the body that reads it"},
  };
  lab l;
  lab_open(&l, LAB_SPEC);
  for (size_t i = 0; i < WB_LEN(cases); i++) {
    uint32_t at = UINT32_MAX;
    const char *why = verdict(&l, cases[i].lines, &at);
    cr_expect(why != NULL && strcmp(why, cases[i].why) == 0 && at == cases[i].at, "%s: %s at %u", cases[i].lines, why == NULL ? "accepted" : why, at);
  }
  lab_close(&l);
}

Test(ir_verify, refuses_what_text_cannot_say) {
  lab l;
  uint32_t at;
  lab_open(&l, LAB_SPEC);
  wir_body b = lab_read(&l, "body part\n%0 = const bool true\n%1 = and %0, %0\nkeep %1 state 11 stream 8\n");
  wir_ins was = b.ins[1];
  cr_expect_null(wir_verify(l.p, &b, &at));
  b.ins[1].kind = WIR_KIND_INT;
  cr_expect_str_eq(wir_verify(l.p, &b, &at), "the result is of kind bool");
  b.ins[1].kind = WIR_KINDS;
  cr_expect_str_eq(wir_verify(l.p, &b, &at), "there is no such kind");
  b.ins[1] = was;
  b.ins[1].op = WIR_INS_OPS;
  cr_expect_str_eq(wir_verify(l.p, &b, &at), "there is no such instruction");
  b.ins[1].op = 255;
  cr_expect_str_eq(wir_verify(l.p, &b, &at), "there is no such instruction");
  b.ins[1].op = WIR_I_CONCAT;
  cr_expect_str_eq(wir_verify(l.p, &b, &at), "there are no texts in scalar bodies");
  b.ins[1] = was;
  b.ins[1].may = 8;
  cr_expect_str_eq(wir_verify(l.p, &b, &at), "it may be in conditions that there are not");
  b.ins[1] = was;
  b.ins[0].imm.i = 2;
  cr_expect_str_eq(wir_verify(l.p, &b, &at), "a bool is 0 or 1");
  b.ins[0].imm.i = 1;
  b.effects = 1;
  cr_expect_str_eq(wir_verify(l.p, &b, &at), "something is computed among the effects");
  b.effects = 3;
  cr_expect_str_eq(wir_verify(l.p, &b, &at), "an effect stands among what is computed");
  b.effects = 4;
  cr_expect_str_eq(wir_verify(l.p, &b, &at), "the effects begin behind the end");
  lab_close(&l);
}

Test(ir_verify, a_whole_body_has_every_effect) {
  lab l;
  uint32_t at;
  lab_open(&l, LAB_SPEC);
  wir_body b = lab_lower(&l, true);
  cr_assert_null(wir_verify(l.p, &b, &at));
  for (uint32_t i = b.effects; i < b.n_ins; i++) {
    wir_body without = b;
    without.ins = WB_NEW_ARRAY(&l.mem, wir_ins, b.n_ins);
    without.n_ins = 0;
    for (uint32_t k = 0; k < b.n_ins; k++)
      if (k != i) without.ins[without.n_ins++] = b.ins[k];
    const char *why = wir_verify(l.p, &without, &at);
    bool is_flag = b.ins[i].op == WIR_I_KEEP && l.p->states[b.ins[i].state].kind == WIR_STATE_FLAG;
    bool is_aux = b.ins[i].op == WIR_I_WRITE && l.p->streams[b.ins[i].stream].role != WEIR_OUT;
    cr_expect((why == NULL) == (is_flag || is_aux), "without %u: %s", i, why == NULL ? "accepted" : why);
    cr_expect(why == NULL || at == without.n_ins);
  }
  wir_body reads = lab_read(&l, "body whole\n%0 = read int stream 6\n");
  cr_expect_str_eq(wir_verify(l.p, &reads, &at), "a whole body reads inputs only");
  lab_close(&l);
  lab_open(&l, "in x: Int\naux y: Int\ny = x\n");
  wir_body writes = lab_read(&l, "body whole\n%0 = read int may noval|deferred\nwrite %0 stream 1\n");
  cr_expect_str_eq(wir_verify(l.p, &writes, &at), "a whole body writes outputs only");
  lab_close(&l);
}

Test(ir_verify, looks_at_effects_far_apart) {
  char spec[300000] = "in x: Int\n", *to = spec + strlen(spec);
  enum { STREAMS = 9000 }; /* more than one window of the verifier */
  for (int i = 0; i < STREAMS; i++) to += sprintf(to, "out s%d: Int\n", i);
  for (int i = 0; i < STREAMS; i++) to += sprintf(to, "s%d = x\n", i);
  lab l;
  uint32_t at;
  lab_open(&l, spec);
  wir_body b = lab_lower(&l, true);
  cr_assert_null(wir_verify(l.p, &b, &at));
  uint32_t last = b.n_ins - 1, first = b.effects;
  while (b.ins[first].op != WIR_I_WRITE) first++;
  while (b.ins[last].op != WIR_I_WRITE) last--;
  b.ins[last].stream = b.ins[first].stream;
  cr_expect_str_eq(wir_verify(l.p, &b, &at), "the stream is written twice");
  b.ins[last].stream = l.p->n_streams - 1;
  b.ins[first].stream = l.p->n_streams - 1;
  cr_expect_not_null(wir_verify(l.p, &b, &at));
  lab_close(&l);
}
