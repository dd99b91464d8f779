/* runtime/quick_fuse.c -- two operations as one instruction, which saves the way to the next and a register between them.
**
** What is joined are neighbours that specifications are full of: an operation on the result of another, a comparison that decides, a count of
** what is the case, a step that is taken in one branch only.  The first's result is the second's operand `at`, and nobody else's. */
#include "runtime/quick_ops.h"

/* Place of an operation among the handlers of its kind, from 1 on; 0: it has none. */
static const uint8_t arithmetic[WIR_INS_OPS] = {[WIR_I_ADD] = 1, [WIR_I_SUB] = 2, [WIR_I_MUL] = 3};
static const uint8_t comparisons[WIR_INS_OPS] = {
  [WIR_I_EQ] = 1, [WIR_I_NE] = 2, [WIR_I_LT] = 3, [WIR_I_GT] = 3, [WIR_I_LE] = 4, [WIR_I_GE] = 4};
static const uint8_t decisions[WIR_INS_OPS] = {[WIR_I_AND] = 1, [WIR_I_OR] = 2, [WIR_I_SELECT] = 3};

/* (a + b) * c, c - a * b */
static bool join_arithmetic(wrt_quick_part first, wrt_quick_part second, uint32_t at, bool is_float, wrt_quick_ins *out, wrt_quick_op *op) {
  uint32_t x = arithmetic[first.in->op], y = arithmetic[second.in->op];
  if (x == 0 || y == 0 || first.in->kind != second.in->kind) return false;
  *op = (wrt_quick_op)((is_float ? WRT_Q_P_ADD_ADD_F : WRT_Q_P_ADD_ADD_I) + 6 * (x - 1) + 2 * (y - 1) + (at == 1 && !WB_PLANTED(20)));
  *out = first.code;
  out->c = at == 0 ? second.code.b : second.code.a;
  return true;
}

/* a < b && c, if a < b then c else d */
static bool join_comparison(wrt_quick_part first, wrt_quick_part second, uint32_t at, bool is_float, wrt_quick_ins *out, wrt_quick_op *op) {
  uint32_t x = comparisons[first.in->op], y = decisions[second.in->op];
  bool is_turned = first.in->op == WIR_I_GT || first.in->op == WIR_I_GE, is_if = second.in->op == WIR_I_SELECT;
  if (x == 0 || y == 0 || (is_if && at != 0)) return false;
  *op = (wrt_quick_op)((is_float ? WRT_Q_P_EQ_AND_F : WRT_Q_P_EQ_AND_I) + 3 * (x - 1) + y - 1);
  *out = first.code;
  if (is_turned && !WB_PLANTED(26)) out->a = first.code.b, out->b = first.code.a;
  out->c = at == 0 ? second.code.b : second.code.a;
  if (is_if) out->more[0] = second.code.b, out->more[1] = second.code.c;
  return true;
}

/* d + (if a then b else c) */
static bool join_count(wrt_quick_part first, wrt_quick_part second, uint32_t at, wrt_quick_ins *out, wrt_quick_op *op) {
  if (first.in->op != WIR_I_SELECT || second.in->op != WIR_I_ADD) return false;
  *op = second.in->kind == WIR_KIND_FLOAT ? WRT_Q_P_SELECT_ADD_F : WRT_Q_P_SELECT_ADD_I;
  *out = first.code;
  out->more[0] = at == 0 ? second.code.b : second.code.a;
  return true;
}

static bool are_values(const wir_body *b, const wir_ins *in, uint32_t but) {
  for (uint32_t i = 0; i < wir_insns[in->op].operands; i++)
    if (i != but && wir_ins_at(b, in->args[i])->may != 0) return false;
  return true;
}

/* if d then a + b else c, or the other way round, where a + b fails only if it is chosen. */
static bool join_branch(const wir_body *b, wrt_quick_part first, wrt_quick_part second, uint32_t at, wrt_quick_ins *out, wrt_quick_op *op) {
  uint32_t x = arithmetic[first.in->op];
  if (x == 0 || first.in->kind != WIR_KIND_INT || !first.in->is_guarded || second.in->op != WIR_I_SELECT || second.in->is_guarded || at == 0) return false;
  if (!are_values(b, first.in, UINT32_MAX) || !are_values(b, second.in, at)) return false;
  *op = (wrt_quick_op)(WRT_Q_P_IF_ADD + x - 1);
  *out = first.code;
  out->c = at == 1 ? second.code.c : second.code.b;
  out->more[0] = second.code.a, out->more[1] = at == 2 && !WB_PLANTED(27);
  return true;
}

bool wrt_quick_fuse(const wir_body *b, wrt_quick_part first, wrt_quick_part second, uint32_t at, wrt_quick_ins *out, wrt_quick_op *op) {
  bool is_float = wir_ins_at(b, first.in->args[0])->kind == WIR_KIND_FLOAT; /* of operations and comparisons: the operands' kind */
  bool is_fused = first.is_tracked != second.is_tracked ? false
                  : first.is_tracked ? join_branch(b, first, second, at, out, op)
                                     : join_arithmetic(first, second, at, is_float, out, op) ||
                                           join_comparison(first, second, at, is_float, out, op) || join_count(first, second, at, out, op);
  if (is_fused) out->d = second.code.d;
  return is_fused;
}
