/* ir/scalar.c -- the table of instructions, and the rules of presence. */
#include "ir/scalar.h"

const wir_ins_info wir_insns[WIR_INS_OPS] = {
#define INS(name, text, operands, result, presence, fails) \
  [WIR_I_##name] = {text, operands, WIR_INS_##result, WIR_INS_##presence, WIR_FAILS_##fails},
#include "ir/insns.def"
#undef INS
};

static uint8_t may_of(const wir_body *b, const wir_ins *in, uint32_t k) { return wir_ins_at(b, in->args[k])->may; }

static uint8_t union_of(const wir_body *b, const wir_ins *in) {
  uint8_t may = 0;
  for (uint32_t k = 0; k < wir_insns[in->op].operands; k++) may |= may_of(b, in, k);
  return may;
}

bool wir_ins_fails(const wir_ins *in) {
  wir_fails fails = wir_insns[in->op].fails;
  return !in->cannot_fail && (fails == WIR_FAILS_ALWAYS || (fails == WIR_FAILS_INT && in->kind == WIR_KIND_INT));
}

bool wir_ins_leaves(const wir_body *b, const wir_ins *in) {
  if (in->is_guarded || wir_insns[in->op].result == WIR_INS_NONE) return false;
  return wir_ins_fails(in) || (union_of(b, in) & WIR_MAY_FAIL) != 0;
}

/* What a stream that is read may be: inputs anything but failed; others are NoVal only if the program's analysis says so. */
static uint8_t may_of_stream(const wir_program *p, uint32_t stream, const wir_facts *facts) {
  if (facts != NULL && facts->of_stream != NULL) return facts->of_stream[stream];
  return p->streams[stream].presence == WIR_ALWAYS ? WIR_MAY_DEFERRED : WIR_MAY_DEFERRED | WIR_MAY_NOVAL;
}

static uint8_t may_of_state(uint32_t state, const wir_facts *facts) {
  if (facts != NULL && facts->of_state != NULL) return facts->of_state[state];
  return WIR_MAY_DEFERRED | WIR_MAY_NOVAL;
}

/* a, or where it is NoVal what a state holds. */
static uint8_t or_state(uint8_t a, uint32_t state, const wir_facts *facts) {
  if (!(a & WIR_MAY_NOVAL)) return a;
  return (uint8_t)((a & ~WIR_MAY_NOVAL) | may_of_state(state, facts));
}

static uint8_t or_deferred(uint8_t a) {
  return a & WIR_MAY_NOVAL ? (uint8_t)((a & ~WIR_MAY_NOVAL) | WIR_MAY_DEFERRED) : a;
}

static uint8_t may_of_default(uint8_t a, uint8_t b) {
  uint8_t may = a & (uint8_t)~WIR_MAY_DEFERRED;
  if (a & WIR_MAY_DEFERRED) may |= b;
  return may | (b & WIR_MAY_FAIL);
}

uint8_t wir_ins_may(const wir_program *p, const wir_body *b, const wir_ins *in, const wir_facts *facts) {
  switch ((wir_ins_op)in->op) {
  case WIR_I_CONST: case WIR_I_PROPER: case WIR_I_STARTED: case WIR_I_WRITE: case WIR_I_KEEP: case WIR_I_PUSH: return 0;
  case WIR_I_READ: return may_of_stream(p, in->stream, facts);
  case WIR_I_RING: return may_of_state(in->state, facts);
  case WIR_I_HOLD: case WIR_I_FILL: return or_state(may_of(b, in, 0), in->state, facts);
  case WIR_I_SETTLE: return or_deferred(may_of(b, in, 0));
  case WIR_I_GUARD: return may_of(b, in, 1) | (may_of(b, in, 0) & WIR_MAY_FAIL);
  case WIR_I_DEFAULT: return may_of_default(may_of(b, in, 0), may_of(b, in, 1));
  case WIR_I_DEFINED: return may_of(b, in, 0) & WIR_MAY_FAIL;
  case WIR_I_GATE: return may_of(b, in, 1) | (may_of(b, in, 0) & (WIR_MAY_NOVAL | WIR_MAY_FAIL));
  case WIR_I_PICK: return may_of(b, in, 1) | may_of(b, in, 2);
  case WIR_I_SELECT: case WIR_I_AND: case WIR_I_OR: case WIR_I_IMPLIES: {
    uint8_t may = union_of(b, in); /* outside all guards a failure that counts leaves the body */
    return in->is_guarded ? may : may & (uint8_t)~WIR_MAY_FAIL;
  }
  case WIR_I_FLOAT: return union_of(b, in);
#define OP(name, text, operands, result, fails, what) case WIR_I_##name:
#include "ir/ops.def"
#undef OP
    return union_of(b, in) | (in->is_guarded && wir_ins_fails(in) ? WIR_MAY_FAIL : 0);
  case WIR_INS_OPS: break;
  }
  return WIR_MAY_ALL;
}
