/* ir/pass_narrow.c -- presence narrowing: what the conditions of operands make superfluous is taken out.
**
** One pass forward.  Given facts about rows and state it makes the body for those rows only: most of what deals with absence vanishes. */
#include "ir/scalar.h"

static wir_ins *at(wir_body *b, wir_val v) { return &b->ins[v.i]; }

static bool is_true(const wir_body *b, wir_val v) {
  const wir_ins *in = wir_ins_at(b, v);
  return in->op == WIR_I_CONST && in->imm.i == 1;
}

static void make_true(wir_ins *in) {
  in->op = WIR_I_CONST;
  in->kind = WIR_KIND_BOOL;
  in->imm.i = 1;
  in->may = 0;
}

static bool holds_value(const wir_facts *facts, uint32_t state) {
  return facts != NULL && facts->of_state != NULL && facts->of_state[state] == 0;
}

/* The instruction that this one always equals, or itself. */
static wir_val same_as(wir_body *b, uint32_t i) {
  const wir_ins *in = &b->ins[i];
  uint8_t a = wir_insns[in->op].operands > 0 ? at(b, in->args[0])->may : 0;
  uint8_t c = wir_insns[in->op].operands > 1 ? at(b, in->args[1])->may : 0;
  wir_val self = {i};
  switch ((wir_ins_op)in->op) {
  case WIR_I_HOLD: case WIR_I_FILL: case WIR_I_SETTLE: return a & WIR_MAY_NOVAL ? self : in->args[0];
  case WIR_I_GUARD: return a & WIR_MAY_FAIL ? self : in->args[1];
  case WIR_I_DEFAULT: return (a & WIR_MAY_DEFERRED) || (c & WIR_MAY_FAIL) ? self : in->args[0];
  case WIR_I_GATE: return a & (WIR_MAY_NOVAL | WIR_MAY_FAIL) ? self : in->args[1];
  case WIR_I_PICK: return is_true(b, in->args[0]) ? in->args[1] : self;
#define OP(name, text, operands, result, fails, what) case WIR_I_##name:
#include "ir/ops.def"
#undef OP
  case WIR_I_CONST: case WIR_I_READ: case WIR_I_RING: case WIR_I_FLOAT: case WIR_I_DEFINED: case WIR_I_PROPER: case WIR_I_STARTED:
  case WIR_I_SELECT: case WIR_I_AND: case WIR_I_OR: case WIR_I_IMPLIES: case WIR_I_WRITE: case WIR_I_KEEP: case WIR_I_PUSH:
  case WIR_INS_OPS: break;
  }
  return self;
}

static void narrow_flag(wir_body *b, wir_ins *in, const wir_facts *facts) {
  bool is_proper = in->op == WIR_I_PROPER, is_started = in->op == WIR_I_STARTED;
  uint8_t may = wir_insns[in->op].operands == 1 ? at(b, in->args[0])->may : WIR_MAY_ALL;
  if (in->op == WIR_I_DEFINED && !(may & (WIR_MAY_DEFERRED | WIR_MAY_FAIL))) make_true(in);
  if (is_proper && (may == 0 || holds_value(facts, in->state))) make_true(in);
  if (is_started && (!(may & WIR_MAY_NOVAL) || holds_value(facts, in->state))) make_true(in);
}

/* A flag that is true already and stays so needs no keeping. */
static bool is_idle(const wir_program *p, const wir_body *b, const wir_ins *in, const wir_facts *facts) {
  return in->op == WIR_I_KEEP && p->states[in->state].kind == WIR_STATE_FLAG && holds_value(facts, in->state) && is_true(b, in->args[0]);
}

bool wir_narrow(const wir_program *p, wir_body *b, const wir_facts *facts, wb_mem *scratch) {
  wir_val *same = wb_block(scratch, b->n_ins * sizeof *same + 1);
  if (same == NULL) return false;
  uint32_t n_kept = b->effects;
  for (uint32_t i = 0; i < b->n_ins; i++) {
    wir_ins *in = &b->ins[i];
    for (uint32_t k = 0; k < wir_insns[in->op].operands; k++) in->args[k] = same[in->args[k].i];
    in->may &= wir_ins_may(p, b, in, facts); /* what was known before stays true */
    if (i >= b->effects) {
      if (!is_idle(p, b, in, facts)) b->ins[n_kept++] = *in;
      continue;
    }
    narrow_flag(b, in, facts);
    same[i] = same_as(b, i);
  }
  b->n_ins = n_kept;
  wb_block_free(scratch, same);
  wb_check_ir(wir_body_is_valid(p, b));
  return true;
}

/* Takes a state out of what is assumed if a body may leave something else than a value in it, given what its new sample may be. */
static bool confirm_state(uint32_t state, uint8_t may, uint8_t *of_state) {
  if (state == WIR_NO_STATE || of_state[state] != 0 || may == 0) return true;
  of_state[state] = WIR_MAY_DEFERRED | WIR_MAY_NOVAL;
  return false;
}

/* A region does not push its streams' rings, but what it writes is pushed: into HISTORY only what is not NoVal. */
static bool confirm_stream(const wir_program *p, uint32_t stream, uint8_t may, uint8_t *of_state) {
  const wir_stream *s = &p->streams[stream];
  bool is_confirmed = confirm_state(s->history, may & (uint8_t)~WIR_MAY_NOVAL, of_state);
  return (s->output == s->history || confirm_state(s->output, may, of_state)) && is_confirmed;
}

static bool confirm(const wir_program *p, const wir_body *b, uint8_t *of_state) {
  bool is_confirmed = true;
  for (uint32_t i = b->effects; i < b->n_ins; i++) {
    const wir_ins *in = &b->ins[i];
    uint8_t may = wir_ins_at(b, in->args[0])->may;
    if (in->op != WIR_I_WRITE) is_confirmed &= confirm_state(in->state, may, of_state);
    else if (!b->is_whole) is_confirmed &= confirm_stream(p, in->stream, may, of_state);
  }
  return is_confirmed;
}

static bool narrow_copy(const wir_program *p, const wir_body *body, const wir_facts *facts, wir_ins *ins, wb_mem *mem, wir_body *out) {
  *out = *body;
  out->ins = ins;
  for (uint32_t i = 0; i < body->n_ins; i++) ins[i] = body->ins[i];
  return wir_narrow(p, out, facts, mem);
}

bool wir_narrow_to_warm(const wir_program *p, const wir_body *bodies, uint32_t n, uint8_t of_input, uint8_t *of_stream, uint8_t *of_state,
                        wb_mem *mem, wir_body *out) {
  enum { ROUNDS = 8 }; /* a chain of delays can take as many rounds as it is long: then nothing is assumed of state */
  for (uint32_t i = 0; i < p->n_streams; i++) of_stream[i] = i < p->n_inputs || !bodies[0].is_whole ? of_input : 0;
  for (uint32_t i = 0; i < p->n_states; i++) of_state[i] = 0;
  for (uint32_t i = 0; i < n; i++) {
    out[i].ins = WB_NEW_ARRAY(mem, wir_ins, bodies[i].n_ins);
    if (out[i].ins == NULL) return false;
  }
  for (int round = 0;; round++) {
    wir_facts facts = {.of_stream = of_stream, .of_state = of_state};
    bool is_confirmed = true;
    for (uint32_t i = 0; i < n; i++)
      if (!narrow_copy(p, &bodies[i], &facts, out[i].ins, mem, &out[i])) return false;
    for (uint32_t i = 0; i < n; i++) is_confirmed &= confirm(p, &out[i], of_state);
    if (is_confirmed) return true;
    for (uint32_t i = 0; round == ROUNDS && i < p->n_states; i++) of_state[i] = WIR_MAY_DEFERRED | WIR_MAY_NOVAL;
  }
}
