/* jit/batch_scan.c -- recurrences of a known form, all rows of a vector at once.
**
** In a vector the rows are joined in log2(width) steps, each with those 1, 2, 4... rows before; then with the last row of the vector before, which
** is all that waits for it.  Ints wrap, so their sums are right in whatever order they are made; Floats would round otherwise, and stay
** with batch_recur.c.  Bools are bits of one number: what a row makes of its past is one of four functions of a bit. */
#include "jit/batch_emit.h"

static LLVMValueRef spread_last(const wjit_batch *b, LLVMValueRef v) {
  LLVMValueRef lanes[WJIT_MOST_WIDTH];
  for (uint32_t k = 0; k < b->width; k++) lanes[k] = LLVMConstInt(b->i32, b->width - 1 - WB_PLANTED(100), false);
  return LLVMBuildShuffleVector(b->b, v, LLVMGetUndef(LLVMTypeOf(v)), LLVMConstVector(lanes, b->width), "");
}

static LLVMValueRef former(wjit_batch *b, const wir_group *group) { return wjit_batch_turning(b, wjit_ins(b, group->prev)->state, 1); }

/* The result of all rows, from their prefixes without what came before; and its past. */
static void settle(wjit_batch *b, const wir_group *group, LLVMValueRef r) {
  b->values[group->result] = (wjit_cell){r, NULL};
  b->values[group->prev] = (wjit_cell){wjit_shift(b, former(b, group), r, 1), NULL};
}

/* ---- Sums ---- */

static LLVMValueRef prefix_sums(wjit_batch *b, LLVMValueRef x) {
  for (uint32_t n = 1; n < b->width; n *= 2) x = LLVMBuildAdd(b->b, x, wjit_shift(b, wjit_k(b, 0), x, n), "");
  return x;
}

/* prev + x, or prev - x. */
static void sum(wjit_batch *b, const wir_group *group, LLVMValueRef x, uint32_t checked) {
  bool is_drop = group->form == WIR_FORM_DROP;
  LLVMValueRef all = prefix_sums(b, x), last = spread_last(b, former(b, group));
  settle(b, group, is_drop ? LLVMBuildSub(b->b, last, all, "") : LLVMBuildAdd(b->b, last, all, ""));
  if (!b->checks[checked]) return;
  LLVMValueRef r = b->values[group->result].v, prev = b->values[group->prev].v;
  wjit_note_bad(b, is_drop ? wjit_difference_sign(b, prev, x, r) : wjit_sum_sign(b, prev, x, r));
}

/* Sums that begin anew now and then: with each goes whether it still goes on, all ones or 0. */
static void run(wjit_batch *b, const wir_group *group) {
  LLVMValueRef takes = wjit_rows(b, group->c).v, x = wjit_rows(b, group->x).v, zero = wjit_k(b, 0);
  if (group->is_flipped) takes = LLVMBuildNot(b->b, takes, "");
  if (group->z == group->prev) {
    sum(b, group, LLVMBuildSelect(b->b, takes, x, zero, ""), group->sum);
    return;
  }
  LLVMValueRef v = LLVMBuildSelect(b->b, takes, x, wjit_rows(b, group->z).v, ""), on = wjit_sign(b, takes);
  for (uint32_t n = 1; n < b->width; n *= 2) {
    v = LLVMBuildAdd(b->b, v, LLVMBuildAnd(b->b, on, wjit_shift(b, zero, v, n), ""), "");
    on = LLVMBuildAnd(b->b, on, wjit_shift(b, wjit_k(b, WB_PLANTED(101) ? 0 : -1), on, n), "");
  }
  settle(b, group, LLVMBuildAdd(b->b, v, LLVMBuildAnd(b->b, on, spread_last(b, former(b, group)), ""), ""));
  if (!b->checks[group->sum]) return;
  LLVMValueRef prev = b->values[group->prev].v, s = LLVMBuildAdd(b->b, prev, x, "");
  wjit_note_bad(b, LLVMBuildAnd(b->b, wjit_sum_sign(b, prev, x, s), wjit_sign(b, takes), ""));
}

/* ---- The least or most ---- */

static void extreme(wjit_batch *b, const wir_group *group) {
  const char *name = group->form == WIR_FORM_LEAST ? "llvm.smin" : "llvm.smax";
  LLVMValueRef none = wjit_k(b, group->form == WIR_FORM_LEAST ? INT64_MAX : INT64_MIN), x = wjit_rows(b, group->x).v;
  LLVMTypeRef type = LLVMTypeOf(x);
  for (uint32_t n = 1; n < b->width; n *= 2) x = wjit_call(b, name, type, (LLVMValueRef[]){x, wjit_shift(b, none, x, n)}, 2);
  settle(b, group, wjit_call(b, name, type, (LLVMValueRef[]){x, spread_last(b, former(b, group))}, 2));
}

/* ---- Bools ---- */

static LLVMValueRef bits_of(wjit_batch *b, LLVMValueRef bools) {
  LLVMValueRef bits = LLVMBuildBitCast(b->b, bools, LLVMIntTypeInContext(b->context, b->width), "");
  return LLVMBuildZExt(b->b, bits, b->i32, "");
}
static LLVMValueRef bools_of(wjit_batch *b, LLVMValueRef bits) {
  LLVMTypeRef narrow = LLVMIntTypeInContext(b->context, b->width);
  return LLVMBuildBitCast(b->b, LLVMBuildTrunc(b->b, bits, narrow, ""), LLVMVectorType(b->i1, b->width), "");
}
static LLVMValueRef bits(const wjit_batch *b, uint32_t x) { return LLVMConstInt(b->i32, x, false); }

/* The result where the former one is `prev` in all rows. */
static LLVMValueRef result_if(wjit_batch *b, const wir_group *group, bool prev) {
  b->values[group->prev] = (wjit_cell){wjit_splat(b, LLVMConstInt(b->i1, prev, false)), NULL};
  LLVMValueRef v = wjit_rows(b, group->result).v;
  for (uint32_t n = 0; n < group->n; n++) b->values[b->g.order[group->first + n]].v = NULL;
  return bits_of(b, v);
}

/* c ? yes : no, of bits. */
static LLVMValueRef choose(wjit_batch *b, LLVMValueRef c, LLVMValueRef yes, LLVMValueRef no) {
  return LLVMBuildXor(b->b, no, LLVMBuildAnd(b->b, c, LLVMBuildXor(b->b, yes, no, ""), ""), "");
}

/* Does the result only fall where prev does?  Then a row sets, keeps or clears, and none turns over.  All of the group depends on prev and the
** result on all of it, so that each of its operations must be like that. */
static bool is_monotone(const wjit_batch *b, const wir_group *group) {
  for (uint32_t n = 0; n < group->n; n++) {
    const wir_ins *in = wjit_ins(b, b->g.order[group->first + n]);
    bool chooses = (in->op == WIR_I_SELECT || in->op == WIR_I_IMPLIES) && !wir_order_has(&b->g, b->g.group_of[group->result], in->args[0].i);
    if (in->op != WIR_I_RING && in->op != WIR_I_AND && in->op != WIR_I_OR && !chooses) return false;
  }
  return true;
}

/* A carry runs through rows that keep: the sum of `set` and `set or keep`. */
static LLVMValueRef carry_on(wjit_batch *b, LLVMValueRef off, LLVMValueRef on, LLVMValueRef last) {
  LLVMValueRef total = LLVMBuildAdd(b->b, LLVMBuildAdd(b->b, off, on, ""), last, "");
  LLVMValueRef carries = LLVMBuildXor(b->b, total, LLVMBuildXor(b->b, off, on, ""), "");
  return LLVMBuildLShr(b->b, carries, bits(b, 1), "");
}

static LLVMValueRef compose(wjit_batch *b, LLVMValueRef off, LLVMValueRef on, LLVMValueRef last) {
  for (uint32_t n = 1; n < b->width; n *= 2) { /* rows that come from before the vector leave the bit as it is */
    LLVMValueRef off_before = LLVMBuildShl(b->b, off, bits(b, n), "");
    LLVMValueRef on_before = LLVMBuildOr(b->b, LLVMBuildShl(b->b, on, bits(b, n), ""), bits(b, (1u << n) - 1), "");
    LLVMValueRef both = choose(b, off_before, on, off);
    on = choose(b, on_before, on, off);
    off = both;
  }
  return choose(b, LLVMBuildNeg(b->b, last, ""), on, off);
}

static void choice(wjit_batch *b, const wir_group *group) {
  LLVMValueRef last = LLVMBuildZExt(b->b, wjit_batch_newest(b, wjit_ins(b, group->prev)->state), b->i32, "");
  LLVMValueRef off = result_if(b, group, false), on = result_if(b, group, true);
  LLVMValueRef r = is_monotone(b, group) ? carry_on(b, off, on, last) : compose(b, off, on, last);
  LLVMValueRef before = LLVMBuildOr(b->b, LLVMBuildShl(b->b, r, bits(b, 1), ""), last, "");
  b->values[group->result] = (wjit_cell){bools_of(b, r), NULL};
  b->values[group->prev] = (wjit_cell){bools_of(b, before), NULL};
  LLVMValueRef newest = LLVMBuildAnd(b->b, LLVMBuildLShr(b->b, r, bits(b, b->width - 1), ""), bits(b, 1), "");
  b->lanes[group->result][b->width - 1] = LLVMBuildICmp(b->b, LLVMIntNE, newest, bits(b, 0), "");
}

/* ---- All ---- */

bool wjit_batch_scan(wjit_batch *b, const wir_group *group) {
  bool is_int = wjit_ins(b, group->result)->kind == WIR_KIND_INT;
  switch ((wir_form)group->form) {
  case WIR_FORM_SUM: case WIR_FORM_DROP:
    if (is_int) sum(b, group, wjit_rows(b, group->x).v, group->result);
    return is_int;
  case WIR_FORM_RUN:
    if (is_int) run(b, group);
    return is_int;
  case WIR_FORM_LEAST: case WIR_FORM_MOST: extreme(b, group); return true;
  case WIR_FORM_CHOOSE: choice(b, group); return true;
  case WIR_FORM_SINGLE: case WIR_FORM_SCALE: case WIR_FORM_ROWS: break;
  }
  return false;
}
