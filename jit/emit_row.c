/* jit/emit_row.c -- how a row comes into a kernel and goes out of it: the way in, its cells and bits, and the ways out.
**
** A row goes on elsewhere by a jump to a function that has the arguments of the kernel (runtime/kernel.h), so nothing is kept for it. */
#include "jit/emit.h"
#include "jit/llvm_words.h"

/* The arguments that a row may leave without. */
static const wrt_row_argument varying[] = {WRT_ROW_IN_PRESENT, WRT_ROW_IN_DEFERRED, WRT_ROW_OUT_PRESENT};

static void open_function(wjit_emit *e) {
  LLVMTypeRef types[WRT_ROW_ARGUMENTS];
  for (int i = 0; i < WRT_ROW_ARGUMENTS; i++) types[i] = e->ptr;
  e->row = LLVMFunctionType(e->i32, types, WRT_ROW_ARGUMENTS, false);
  e->function = wjit_new_function(e->module, e->plan->names[e->fit], e->row);
}

/* The only jump: LLVM leaves what came on the stack where it is for one, and reads it when the kernel begins for a second; or for one that it *must*
** make, but its fastest way of choosing instructions does not see that it can.  The other arguments, and where to, are of the way in. */
static void open_exit(wjit_emit *e) {
  e->exit = wjit_block(e);
  LLVMPositionBuilderAtEnd(e->b, e->exit);
  LLVMValueRef arguments[WRT_ROW_ARGUMENTS], to = LLVMBuildPhi(e->b, e->ptr, "");
  for (unsigned i = 0; i < WRT_ROW_ARGUMENTS; i++) arguments[i] = LLVMGetParam(e->function, i);
  for (size_t k = 0; k < WB_LEN(varying); k++) arguments[varying[k]] = LLVMBuildPhi(e->b, e->ptr, "");
  LLVMValueRef call = LLVMBuildCall2(e->b, e->row, to, arguments, WRT_ROW_ARGUMENTS, "");
  LLVMSetTailCallKind(call, e->is_large ? LLVMTailCallKindMustTail : LLVMTailCallKindTail);
  LLVMBuildRet(e->b, call);
}

static void add_value(wjit_emit *e, LLVMValueRef *phi, LLVMValueRef v) {
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b);
  LLVMAddIncoming(*phi, &v, &from, 1);
  *phi = LLVMGetNextInstruction(*phi);
}

/* Goes on in the function at a word of the frame.  `is_null`: an argument is not kept for it. */
static void jump(wjit_emit *e, uint32_t word, const bool *is_null) {
  LLVMValueRef phi = LLVMGetFirstInstruction(e->exit);
  add_value(e, &phi, wjit_frame(e, e->ptr, word));
  for (size_t k = 0; k < WB_LEN(varying); k++) add_value(e, &phi, is_null[k] ? LLVMConstNull(e->ptr) : wjit_argument(e, varying[k]));
  LLVMBuildBr(e->b, e->exit);
}

static void jump_to_other(wjit_emit *e) { jump(e, WRT_FRAME_other, (bool[WB_LEN(varying)]){false}); }

/* What is known of the row, or was done before, is not kept for that. */
static void jump_to_leave(wjit_emit *e) {
  bool is_warm = e->fit == WIR_BODY_WARM;
  jump(e, WRT_FRAME_leave, (bool[WB_LEN(varying)]){is_warm, is_warm, e->lacks_nothing});
}

static LLVMValueRef is_null(wjit_emit *e, LLVMValueRef pointer) { return LLVMBuildICmp(e->b, LLVMIntEQ, pointer, LLVMConstNull(e->ptr), ""); }

static uint32_t count_words(uint32_t n) { return (uint32_t)WEIR_WORDS(n); }
static uint64_t mask_of_word(uint32_t n, uint32_t word) { return n - 64 * word >= 64 ? UINT64_MAX : (UINT64_C(1) << (n - 64 * word)) - 1; }
static LLVMValueRef bits_of(const wjit_emit *e, uint64_t bits) { return wjit_int(e, (int64_t)bits); }

/* ---- In ---- */

/* Are all inputs there? */
static LLVMValueRef lacks_some(wjit_emit *e) {
  LLVMValueRef lacks = NULL;
  uint32_t n = e->program->n_inputs;
  for (uint32_t w = 0; w < count_words(n); w++) {
    LLVMValueRef word = LLVMBuildNot(e->b, wjit_load(e, e->i64, wjit_argument(e, WRT_ROW_IN_PRESENT), 8 * (uint64_t)w), "");
    word = LLVMBuildAnd(e->b, word, bits_of(e, mask_of_word(n, w)), "");
    lacks = wjit_either(e->b, lacks, word);
  }
  return LLVMBuildICmp(e->b, LLVMIntNE, lacks, wjit_int(e, 0), "");
}

/* Bits that are given mostly say that nothing is lacking, and mostly none are given. */
static void ask_present(wjit_emit *e, LLVMBasicBlockRef other) {
  LLVMBasicBlockRef on = wjit_block(e), far = wjit_block(e);
  wjit_branch(e, LLVMBuildNot(e->b, is_null(e, wjit_argument(e, WRT_ROW_IN_PRESENT)), ""), far, on);
  LLVMPositionBuilderAtEnd(e->b, far);
  wjit_branch(e, lacks_some(e), other, on);
  LLVMPositionBuilderAtEnd(e->b, on);
}

static bool is_bool(const wjit_emit *e, uint32_t stream) {
  return wir_type_kind_of(&e->program->types, e->program->streams[stream].type) == WIR_TYPE_BOOL;
}

static void ask_bools(wjit_emit *e, LLVMBasicBlockRef other) {
  LLVMValueRef all = NULL;
  for (uint32_t i = 0; i < e->program->n_inputs; i++) {
    if (!is_bool(e, i)) continue;
    LLVMValueRef cell = wjit_load(e, e->i64, wjit_argument(e, WRT_ROW_IN), 8 * (uint64_t)i);
    all = wjit_either(e->b, all, cell);
  }
  if (all != NULL) wjit_branch_if(e, LLVMBuildICmp(e->b, LLVMIntUGT, all, wjit_int(e, 1), ""), other);
}

/* The warm kernel is called by the host: is the row for it? */
static void ask(wjit_emit *e) {
  LLVMBasicBlockRef other = wjit_block(e), from = LLVMGetInsertBlock(e->b);
  LLVMPositionBuilderAtEnd(e->b, other);
  jump_to_other(e);
  LLVMPositionBuilderAtEnd(e->b, from);
  if (e->program->n_outputs != 0) wjit_branch_if(e, is_null(e, wjit_argument(e, WRT_ROW_OUT)), other);
  if (e->program->n_inputs == 0) return;
  wjit_branch_if(e, is_null(e, wjit_argument(e, WRT_ROW_IN)), other);
  wjit_branch_if(e, LLVMBuildNot(e->b, is_null(e, wjit_argument(e, WRT_ROW_IN_DEFERRED)), ""), other);
  ask_present(e, other);
  ask_bools(e, other);
}

/* The words of bits of an argument; where it is NULL each is `otherwise`. */
static void read_words(wjit_emit *e, wrt_row_argument argument, uint64_t otherwise, LLVMValueRef *words) {
  LLVMValueRef from = wjit_argument(e, argument);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), there = wjit_block(e), on = wjit_block(e);
  uint32_t n = count_words(e->program->n_inputs);
  LLVMBuildCondBr(e->b, is_null(e, from), on, there);
  LLVMPositionBuilderAtEnd(e->b, there);
  for (uint32_t w = 0; w < n; w++) words[w] = wjit_load(e, e->i64, from, 8 * (uint64_t)w);
  LLVMBuildBr(e->b, on);
  LLVMPositionBuilderAtEnd(e->b, on);
  for (uint32_t w = 0; w < n; w++) {
    LLVMValueRef phi = LLVMBuildPhi(e->b, e->i64, ""), values[] = {bits_of(e, otherwise), words[w]};
    LLVMBasicBlockRef blocks[] = {before, there};
    LLVMAddIncoming(phi, values, blocks, 2);
    words[w] = phi;
  }
}

static void write_words(wjit_emit *e, wrt_row_argument argument, LLVMValueRef *words, bool is_likely) {
  LLVMValueRef to = wjit_argument(e, argument);
  LLVMBasicBlockRef there = wjit_block(e), on = wjit_block(e);
  if (is_likely) wjit_branch(e, is_null(e, to), on, there);
  else wjit_branch(e, LLVMBuildNot(e->b, is_null(e, to), ""), there, on);
  LLVMPositionBuilderAtEnd(e->b, there);
  for (uint32_t w = 0; w < count_words(e->program->n_outputs); w++) wjit_store(e, words[w], to, 8 * (uint64_t)w);
  LLVMBuildBr(e->b, on);
  LLVMPositionBuilderAtEnd(e->b, on);
}

static void write_bits(wjit_emit *e) {
  if (e->program->n_outputs == 0) return;
  write_words(e, WRT_ROW_OUT_PRESENT, e->out_present, true);
  write_words(e, WRT_ROW_OUT_DEFERRED, e->out_deferred, false);
}

static void begin_outputs(wjit_emit *e) {
  for (uint32_t w = 0; w < count_words(e->program->n_outputs); w++) {
    e->out_present[w] = bits_of(e, e->lacks_nothing ? mask_of_word(e->program->n_outputs, w) : 0);
    e->out_deferred[w] = bits_of(e, 0);
  }
}

static bool lacks_nothing(const wjit_emit *e) {
  for (uint32_t i = e->body->effects; i < e->body->n_ins; i++)
    if (e->body->ins[i].op == WIR_I_WRITE && wir_ins_at(e->body, e->body->ins[i].args[0])->may != 0) return false;
  return true;
}

void wjit_row_begin(wjit_emit *e) {
  open_function(e);
  e->lacks_nothing = lacks_nothing(e);
  LLVMBasicBlockRef entry = wjit_block(e);
  open_exit(e);
  wjit_open_declined(e);
  jump_to_leave(e);
  LLVMPositionBuilderAtEnd(e->b, entry);
  wjit_open_frame(e);
  if (e->fit == WIR_BODY_WARM) {
    ask(e);
  } else {
    read_words(e, WRT_ROW_IN_PRESENT, UINT64_MAX, e->present);
    read_words(e, WRT_ROW_IN_DEFERRED, 0, e->deferred);
    e->n_cold = wjit_frame(e, e->ptr, WRT_FRAME_n_cold);
  }
  begin_outputs(e);
  if (e->lacks_nothing) write_bits(e); /* whoever computes the row */
}

static LLVMValueRef bit_of(wjit_emit *e, LLVMValueRef *words, uint32_t i) {
  LLVMValueRef bit = LLVMBuildAnd(e->b, words[i / 64], bits_of(e, UINT64_C(1) << i % 64), "");
  return LLVMBuildICmp(e->b, LLVMIntNE, bit, wjit_int(e, 0), "");
}

wjit_value wjit_row_input(wjit_emit *e, const wir_ins *in) {
  wjit_value out = {wjit_load(e, in->kind == WIR_KIND_FLOAT ? e->f64 : e->i64, wjit_argument(e, WRT_ROW_IN), 8 * (uint64_t)in->stream), NULL};
  if (in->kind == WIR_KIND_BOOL) out.v = LLVMBuildTrunc(e->b, out.v, e->i1, "");
  if (in->may == 0) return out;
  out.k = wjit_select_cond(e, bit_of(e, e->present, in->stream), NULL, wjit_cond(e, WIR_IS_NOVAL));
  out.k = wjit_select_cond(e, bit_of(e, e->deferred, in->stream), wjit_cond(e, WIR_IS_DEFERRED), out.k);
  return out;
}

/* ---- Out ---- */

static void add_bit(wjit_emit *e, LLVMValueRef *words, uint32_t i, LLVMValueRef is) {
  LLVMValueRef bit = LLVMBuildShl(e->b, LLVMBuildZExt(e->b, is, e->i64, ""), wjit_int(e, i % 64), "");
  words[i / 64] = LLVMBuildOr(e->b, words[i / 64], bit, "");
}

void wjit_row_output(wjit_emit *e, uint32_t output, wjit_value v) {
  LLVMValueRef is_value = wjit_is(e, v.k, WIR_IS_VALUE);
  if (v.k != NULL) v.v = LLVMBuildSelect(e->b, is_value, v.v, LLVMConstNull(LLVMTypeOf(v.v)), "");
  if (LLVMTypeOf(v.v) == e->i1) v.v = LLVMBuildZExt(e->b, v.v, e->i64, "");
  wjit_store(e, v.v, wjit_argument(e, WRT_ROW_OUT), 8 * (uint64_t)output);
  if (e->lacks_nothing) return;
  add_bit(e, e->out_present, output, is_value);
  add_bit(e, e->out_deferred, output, wjit_is(e, v.k, WIR_IS_DEFERRED));
}

void wjit_row_end(wjit_emit *e) {
  LLVMValueRef m = wjit_argument(e, WRT_ROW_MONITOR), ticks = wjit_frame(e, e->i64, WRT_FRAME_ticks);
  wjit_store(e, LLVMBuildAdd(e->b, ticks, wjit_int(e, 1), ""), m, 8 * (uint64_t)WRT_FRAME_ticks);
  if (!e->lacks_nothing) write_bits(e);
  begin_outputs(e); /* of another body */
  LLVMBuildRet(e->b, LLVMConstInt(e->i32, WEIR_OK, false));
}
