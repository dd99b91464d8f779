/* jit/batch_recur.c -- recurrences: what depends on its own past is computed row by row, from registers to registers.
**
** The rows of a vector are built one after the other, between vector operations that do not wait for them. */
#include "jit/batch_emit.h"

static LLVMValueRef lane(wjit_batch *b, LLVMValueRef vector, uint32_t j) {
  return vector == NULL ? NULL : LLVMBuildExtractElement(b->b, vector, LLVMConstInt(b->i32, j, false), "");
}

/* A RING of what the group pushes, in row j of the vector. */
static LLVMValueRef sample_before(wjit_batch *b, uint32_t i, LLVMValueRef former, uint32_t j) {
  const wir_ins *in = wjit_ins(b, i);
  uint64_t back = in->imm.offset;
  if (back <= j) return b->lanes[b->g.kept[in->state] - 1][j - back];
  if (back == 1) return wjit_batch_newest(b, in->state);
  return lane(b, former, j);
}

/* Vectors of what is read from before this one: of a RING the rows that the group does not make just now. */
static LLVMValueRef former_of(wjit_batch *b, uint32_t i) { return wjit_ins(b, i)->imm.offset == 1 ? NULL : wjit_batch_ring(b, i); }

static LLVMValueRef operand(wjit_batch *b, uint32_t group, wir_val v, uint32_t j, LLVMValueRef *m) {
  if (wir_order_has(&b->g, group, v.i)) {
    *m = WB_PLANTED(104) ? NULL : b->lane_masks[v.i][j];
    return b->lanes[v.i][j];
  }
  *m = lane(b, b->values[v.i].m, j);
  return lane(b, b->values[v.i].v, j);
}

static void build_row(wjit_batch *b, const wir_group *group, uint32_t j) {
  for (uint32_t n = 0; n < group->n; n++) {
    uint32_t i = b->g.order[group->first + n];
    const wir_ins *in = wjit_ins(b, i);
    if (in->op == WIR_I_RING) {
      b->lanes[i][j] = sample_before(b, i, b->values[i].v, j);
      b->lane_masks[i][j] = NULL;
      continue;
    }
    wjit_cell a[3];
    for (uint32_t k = 0; k < wir_insns[in->op].operands; k++) a[k].v = operand(b, b->g.group_of[i], in->args[k], j, &a[k].m);
    wjit_cell c = wjit_batch_op(b, i, a);
    b->lanes[i][j] = c.v;
    b->lane_masks[i][j] = c.m;
  }
}

static LLVMValueRef vector_of(wjit_batch *b, LLVMValueRef *lanes) {
  if (lanes[0] == NULL) return NULL;
  LLVMValueRef v = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(lanes[0]), b->width));
  for (uint32_t j = 0; j < b->width; j++) v = LLVMBuildInsertElement(b->b, v, lanes[j], LLVMConstInt(b->i32, j, false), "");
  return v;
}

void wjit_batch_recurrence(wjit_batch *b, const wir_group *group) {
  uint32_t id = b->g.group_of[b->g.order[group->first]];
  for (uint32_t n = 0; n < group->n; n++) {
    uint32_t i = b->g.order[group->first + n];
    const wir_ins *in = wjit_ins(b, i);
    for (uint32_t k = 0; k < wir_insns[in->op].operands; k++)
      if (!wir_order_has(&b->g, id, in->args[k].i)) (void)wjit_rows(b, in->args[k].i);
    if (in->op == WIR_I_RING) b->values[i] = (wjit_cell){former_of(b, i), NULL};
  }
  b->in_lanes = true;
  for (uint32_t j = 0; j < b->width; j++) build_row(b, group, j);
  b->in_lanes = false;
  for (uint32_t n = 0; n < group->n; n++) {
    uint32_t i = b->g.order[group->first + n];
    b->values[i] = (wjit_cell){vector_of(b, b->lanes[i]), vector_of(b, b->lane_masks[i])};
  }
}
