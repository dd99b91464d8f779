/* ir/pass_fold.c -- constants are computed, and what they make superfluous is taken out.
**
** Constants are computed by ir/semantics.h alone.  An operation that would fail is left where it is: whether its failure counts is not
** known here.
** An identity (`a * 1` is a) stands here only if it holds for every value: on Ints it must fail exactly when the operation does, on
** Floats it must hold for NaN, infinities and -0.0, bit by bit but for which NaN it is.  So `a + 0.0` stays (-0.0 becomes 0.0), and
** `a - 0.0` goes.
** It must also hold for every condition that the operands may be in.  `a * 0` is NoVal where a is, so it is 0 only if a is always a value;
** a constant condition chooses a branch, but only if the other one cannot be NoVal, which would show; and where the failure of an operand
** would leave the body, the instruction that sees to that stays. */
#include "ir/optimize.h"

typedef struct folder {
  const wir_program *p;
  wir_body *b;
  wb_mem *mem;
} folder;

static const wir_ins *operand(const folder *f, const wir_ins *in, uint32_t k) { return wir_ins_at(f->b, in->args[k]); }
static uint8_t may(const folder *f, const wir_ins *in, uint32_t k) { return operand(f, in, k)->may; }
static bool same_operands(const wir_ins *in, uint32_t k, uint32_t l) { return in->args[k].i == in->args[l].i; }

static bool is_int(const folder *f, const wir_ins *in, uint32_t k, int64_t i) {
  const wir_ins *x = operand(f, in, k);
  return x->op == WIR_I_CONST && x->kind == WIR_KIND_INT && x->imm.i == i;
}

/* Zeros count by their sign. */
static bool is_float(const folder *f, const wir_ins *in, uint32_t k, double d) {
  const wir_ins *x = operand(f, in, k);
  const wir_imm want = {.f = d};
  return x->op == WIR_I_CONST && x->kind == WIR_KIND_FLOAT && x->imm.offset == want.offset;
}

static bool is_bool(const folder *f, const wir_ins *in, uint32_t k, bool value) {
  const wir_ins *x = operand(f, in, k);
  return x->op == WIR_I_CONST && x->kind == WIR_KIND_BOOL && x->imm.i == value;
}

/* Both operands are values in every row (or the only one is). */
static bool are_values(const folder *f, const wir_ins *in) {
  uint8_t all = 0;
  for (uint32_t k = 0; k < wir_insns[in->op].operands; k++) all |= may(f, in, k);
  return WB_PLANTED(1) || all == 0;
}

/* The instruction passes operand k on; false where a failure of it has to leave the body here. */
static bool passes_on(const folder *f, const wir_ins *in, uint32_t k) { return in->is_guarded || !(may(f, in, k) & WIR_MAY_FAIL); }

/* ---- Constants ---- */

static weir_value value_of(const wir_ins *x) {
  switch ((wir_kind)x->kind) {
  case WIR_KIND_INT: return (weir_value){.tag = WEIR_INT, .as.i = x->imm.i};
  case WIR_KIND_FLOAT: return (weir_value){.tag = WEIR_FLOAT, .as.f = x->imm.f};
  case WIR_KIND_BOOL: return (weir_value){.tag = WEIR_BOOL, .as.b = x->imm.i != 0};
  case WIR_KINDS: break;
  }
  return (weir_value){.tag = WEIR_NOVAL};
}

static void make_value(wir_ins *in, weir_value v) {
  if (v.tag == WEIR_FLOAT) wir_make_const(in, WIR_KIND_FLOAT, (wir_imm){.f = v.as.f == v.as.f ? v.as.f : __builtin_nan("")});
  else if (v.tag == WEIR_INT) wir_make_const(in, WIR_KIND_INT, (wir_imm){.i = v.as.i});
  else wir_make_const(in, WIR_KIND_BOOL, (wir_imm){.i = v.as.b});
}
static void make_int(wir_ins *in, int64_t i) { make_value(in, (weir_value){.tag = WEIR_INT, .as.i = i}); }
static void make_bool(wir_ins *in, bool b) { make_value(in, (weir_value){.tag = WEIR_BOOL, .as.b = b}); }

static bool has_constant_operands(const folder *f, const wir_ins *in) {
  uint32_t n = wir_insns[in->op].operands;
  for (uint32_t k = 0; k < n; k++)
    if (operand(f, in, k)->op != WIR_I_CONST) return false;
  return n > 0;
}

/* insns.def begins with the rows of ops.def. */
static bool is_operation(const wir_ins *in) { return in->op < (uint8_t)WIR_OPS; }

static bool compute(const folder *f, wir_ins *in) {
  if (!has_constant_operands(f, in)) return false;
  weir_value args[2] = {value_of(operand(f, in, 0))}, result;
  if (in->op == WIR_I_FLOAT) {
    make_value(in, (weir_value){.tag = WEIR_FLOAT, .as.f = wir_float_of(args[0])});
    return true;
  }
  if (!is_operation(in)) return false;
  if (wir_insns[in->op].operands == 2) args[1] = value_of(operand(f, in, 1));
  if (wir_apply((wir_op)in->op, args, f->mem, &result) != WEIR_OK) return false;
  make_value(in, result);
  return true;
}

/* ---- Identities.  Each gives the operand that the instruction equals, or NONE; or makes it a simpler one and says CHANGED. ---- */

enum { NONE = -1, CHANGED = -2 };

static int becomes_int(wir_ins *in, int64_t i) {
  make_int(in, i);
  return CHANGED;
}
static int becomes_bool(wir_ins *in, bool b) {
  make_bool(in, b);
  return CHANGED;
}
static int becomes(wir_ins *in, wir_ins_op op, wir_val a, wir_val b) {
  in->op = (uint8_t)op;
  in->args[0] = a;
  in->args[1] = b;
  return CHANGED;
}

static int fold_add(const folder *f, const wir_ins *in) {
  for (uint32_t k = 0; k < 2; k++)
    if (is_int(f, in, k, 0) || is_float(f, in, k, -0.0) || (WB_PLANTED(2) && is_float(f, in, k, 0.0))) return (int)(1 - k);
  return NONE;
}

static int fold_sub(const folder *f, wir_ins *in) {
  if (is_int(f, in, 1, 0) || is_float(f, in, 1, 0.0)) return 0;
  if (in->kind == WIR_KIND_INT && same_operands(in, 0, 1) && are_values(f, in)) return becomes_int(in, 0);
  return NONE;
}

static int fold_mul(const folder *f, wir_ins *in) {
  for (uint32_t k = 0; k < 2; k++) {
    if (is_int(f, in, k, 1) || is_float(f, in, k, 1.0)) return (int)(1 - k);
    if (is_int(f, in, k, 0) && are_values(f, in)) return becomes_int(in, 0);
  }
  return NONE;
}

static int fold_div(const folder *f, const wir_ins *in) { return is_int(f, in, 1, 1) || is_float(f, in, 1, 1.0) ? 0 : NONE; }

static int fold_rem(const folder *f, wir_ins *in) {
  return is_int(f, in, 1, 1) && are_values(f, in) ? becomes_int(in, 0) : NONE;
}

/* Of Ints only: what the C library's pow does is its own affair.  The square overflows as the product does. */
static int fold_pow(const folder *f, wir_ins *in) {
  if (is_int(f, in, 1, 1)) return 0;
  if (is_int(f, in, 1, 0) && are_values(f, in)) return becomes_int(in, 1);
  return is_int(f, in, 1, 2) ? becomes(in, WIR_I_MUL, in->args[0], in->args[0]) : NONE;
}

/* -(-a) fails at -2^63 if a is an Int. */
static int fold_neg(const folder *f, wir_ins *in) {
  const wir_ins *x = operand(f, in, 0);
  if (in->kind != WIR_KIND_FLOAT || x->op != WIR_I_NEG) return NONE;
  in->args[0] = x->args[0];
  return 0;
}

static int fold_abs(const folder *f, wir_ins *in) {
  const wir_ins *x = operand(f, in, 0);
  if (x->op == WIR_I_ABS) return 0;
  return in->kind == WIR_KIND_FLOAT && x->op == WIR_I_NEG ? becomes(in, WIR_I_ABS, x->args[0], x->args[0]) : NONE;
}

/* The comparison that holds when op does not, but for NaN, or WIR_INS_OPS. */
static wir_ins_op opposite(uint8_t op) {
  switch ((unsigned)op) {
  case WIR_I_EQ: return WIR_I_NE;
  case WIR_I_NE: return WIR_I_EQ;
  case WIR_I_LT: return WIR_I_GE;
  case WIR_I_GE: return WIR_I_LT;
  case WIR_I_GT: return WIR_I_LE;
  case WIR_I_LE: return WIR_I_GT;
  }
  return WIR_INS_OPS;
}

static int fold_not(const folder *f, wir_ins *in) {
  const wir_ins *x = operand(f, in, 0);
  if (x->op == WIR_I_NOT) {
    in->args[0] = x->args[0];
    return 0;
  }
  wir_ins_op op = opposite(x->op);
  if (op == WIR_INS_OPS) return NONE;
  bool is_exact = x->op == WIR_I_EQ || x->op == WIR_I_NE || operand(f, x, 0)->kind != WIR_KIND_FLOAT;
  return is_exact ? becomes(in, op, x->args[0], x->args[1]) : NONE;
}

/* Of a Bool with a constant: `a == true` is a, `a != true` its opposite. */
static int fold_bool_equality(const folder *f, wir_ins *in) {
  for (uint32_t k = 0; k < 2; k++) {
    bool is_true = is_bool(f, in, k, true);
    if (!is_true && !is_bool(f, in, k, false)) continue;
    if (is_true == (in->op == WIR_I_EQ)) return (int)(1 - k);
    return becomes(in, WIR_I_NOT, in->args[1 - k], in->args[1 - k]);
  }
  return NONE;
}

static int fold_comparison(const folder *f, wir_ins *in) {
  bool holds_for_equal = in->op == WIR_I_EQ || in->op == WIR_I_LE || in->op == WIR_I_GE;
  bool is_sure = operand(f, in, 0)->kind != WIR_KIND_FLOAT || in->op == WIR_I_LT || in->op == WIR_I_GT; /* NaN equals nothing */
  if (same_operands(in, 0, 1) && is_sure && are_values(f, in)) return becomes_bool(in, holds_for_equal);
  return in->op == WIR_I_EQ || in->op == WIR_I_NE ? fold_bool_equality(f, in) : NONE;
}

/* && || => : `decides` is the left value that decides, with the result then; else the right one is the result. */
static int fold_logical(const folder *f, wir_ins *in, bool decides, bool decided) {
  bool b_shows = may(f, in, 1) & (WIR_MAY_NOVAL | WIR_MAY_DEFERRED);
  if (is_bool(f, in, 0, !decides) && passes_on(f, in, 1)) return 1;
  if (is_bool(f, in, 0, decides) && !b_shows) return becomes_bool(in, decided);
  if (is_bool(f, in, 1, decided) && may(f, in, 0) == 0) return becomes_bool(in, decided);
  if (!passes_on(f, in, 0)) return NONE;
  if (is_bool(f, in, 1, !decided)) return in->op == WIR_I_IMPLIES ? becomes(in, WIR_I_NOT, in->args[0], in->args[0]) : 0;
  if (!same_operands(in, 0, 1)) return NONE;
  if (in->op != WIR_I_IMPLIES) return 0;
  return may(f, in, 0) == 0 ? becomes_bool(in, true) : NONE;
}

/* The branch that a constant condition chooses; the other one shows only where it is NoVal. */
static int fold_choice(const folder *f, const wir_ins *in) {
  bool is_true = is_bool(f, in, 0, true);
  if (!is_true && !is_bool(f, in, 0, false)) return NONE;
  uint32_t chosen = is_true ? 1 : 2, other = 3 - chosen;
  bool shows = may(f, in, other) & WIR_MAY_NOVAL;
  return (!shows || WB_PLANTED(3)) && passes_on(f, in, chosen) ? (int)chosen : NONE;
}

static int fold_select(const folder *f, wir_ins *in) {
  const wir_ins *cond = operand(f, in, 0);
  int choice = fold_choice(f, in);
  if (choice != NONE) return choice;
  if (same_operands(in, 1, 2) && may(f, in, 0) == 0 && passes_on(f, in, 1)) return 1;
  if (is_bool(f, in, 1, true) && is_bool(f, in, 2, false) && passes_on(f, in, 0)) return 0;
  if (cond->op != WIR_I_NOT) return NONE;
  wir_val x = in->args[1];
  in->args[0] = cond->args[0];
  in->args[1] = in->args[2];
  in->args[2] = x;
  return CHANGED;
}

static int identity(const folder *f, wir_ins *in) {
  switch ((unsigned)in->op) {
  case WIR_I_ADD: return fold_add(f, in);
  case WIR_I_SUB: return fold_sub(f, in);
  case WIR_I_MUL: return fold_mul(f, in);
  case WIR_I_DIV: return fold_div(f, in);
  case WIR_I_REM: return fold_rem(f, in);
  case WIR_I_POW: return fold_pow(f, in);
  case WIR_I_NEG: return fold_neg(f, in);
  case WIR_I_ABS: return fold_abs(f, in);
  case WIR_I_NOT: return fold_not(f, in);
  case WIR_I_EQ: case WIR_I_NE: case WIR_I_LT: case WIR_I_LE: case WIR_I_GT: case WIR_I_GE: return fold_comparison(f, in);
  case WIR_I_AND: return fold_logical(f, in, false, false);
  case WIR_I_OR: return fold_logical(f, in, true, true);
  case WIR_I_IMPLIES: return fold_logical(f, in, false, true);
  case WIR_I_SELECT: return fold_select(f, in);
  case WIR_I_DEFAULT: case WIR_I_GATE: case WIR_I_GUARD: return same_operands(in, 0, 1) ? 0 : NONE;
  case WIR_I_PICK: return same_operands(in, 1, 2) ? 1 : NONE;
  }
  return NONE;
}

/* The instruction that i equals now, or i itself.  An identity may make room for another one; each takes something away. */
static wir_val fold_one(const folder *f, uint32_t i) {
  wir_ins *in = &f->b->ins[i];
  int k = CHANGED;
  while (k == CHANGED && !compute(f, in)) k = identity(f, in);
  if (k >= 0) return in->args[k];
  wir_sharpen(f->p, f->b, in);
  return (wir_val){i};
}

bool wir_fold(const wir_program *p, wir_body *b, wb_mem *scratch) {
  folder f = {.p = p, .b = b, .mem = scratch};
  wir_val *same = wb_block(scratch, b->n_ins * sizeof *same + 1);
  if (same == NULL) return false;
  for (uint32_t i = 0; i < b->n_ins; i++) {
    wir_redirect(&b->ins[i], same);
    wir_sharpen(p, b, &b->ins[i]);
    same[i] = i < b->effects ? fold_one(&f, i) : (wir_val){i};
  }
  wb_block_free(scratch, same);
  wb_check_ir(wir_body_is_valid(p, b));
  return true;
}
