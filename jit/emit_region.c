/* jit/emit_region.c -- how a region's kernel reads the row and the state, and what it leaves behind (runtime/kernel.h).
**
** The row holds tagged values; what is in the cell of one that is none, is not looked at.  Nothing here is history: the tick may still fail.  A region
** that declines has written nothing but why. */
#include "jit/emit.h"
#include "jit/llvm_words.h"

static LLVMValueRef argument(const wjit_emit *e, wrt_region_argument i) { return LLVMGetParam(e->function, (unsigned)i); }
static uint64_t value_at(uint64_t i) { return i * sizeof(weir_value); }
static void end(wjit_emit *e, wrt_region_outcome outcome) { LLVMBuildRet(e->b, LLVMConstInt(e->i32, outcome, false)); }

void wjit_region_begin(wjit_emit *e, const char *name) {
  LLVMTypeRef types[WRT_REGION_ARGUMENTS];
  for (int i = 0; i < WRT_REGION_ARGUMENTS; i++) types[i] = e->ptr;
  e->function = wjit_new_function(e->module, name, LLVMFunctionType(e->i32, types, WRT_REGION_ARGUMENTS, false));
  LLVMBasicBlockRef entry = wjit_block(e);
  wjit_open_declined(e);
  end(e, WRT_REGION_DECLINED);
  LLVMPositionBuilderAtEnd(e->b, entry);
  wjit_open_frame(e);
  wjit_forget_rings(e);
  e->cells = argument(e, WRT_REGION_CELLS);
}

void wjit_region_end(wjit_emit *e) { end(e, e->fit == WIR_BODY_GENERAL ? WRT_REGION_DONE_GENERAL : WRT_REGION_DONE); }
void wjit_region_refuse(wjit_emit *e) { end(e, WRT_REGION_OTHER); }

/* Tags and conditions count in opposite directions: NoVal, Deferred, values. */
_Static_assert(WEIR_NOVAL == 2 - WIR_IS_NOVAL && WEIR_DEFERRED == 2 - WIR_IS_DEFERRED, "a condition is 2 less a tag, but for values");

static LLVMValueRef load_tag(wjit_emit *e, LLVMValueRef from, uint32_t i) {
  return LLVMBuildTrunc(e->b, wjit_load(e, e->i32, from, value_at(i) + offsetof(weir_value, tag)), e->i8, "");
}

static wjit_value load_tagged(wjit_emit *e, LLVMValueRef from, uint32_t i, wir_kind kind, uint8_t may) {
  LLVMTypeRef type = kind == WIR_KIND_FLOAT ? e->f64 : kind == WIR_KIND_BOOL ? e->i8 : e->i64;
  wjit_value out = {wjit_load(e, type, from, value_at(i) + offsetof(weir_value, as)), NULL};
  if (kind == WIR_KIND_BOOL) out.v = LLVMBuildTrunc(e->b, out.v, e->i1, "");
  if (may == 0) return out;
  LLVMValueRef tag = load_tag(e, from, i);
  LLVMValueRef is_value = LLVMBuildICmp(e->b, LLVMIntUGT, tag, LLVMConstInt(e->i8, WB_PLANTED(89) ? WEIR_NOVAL : WEIR_DEFERRED, false), "");
  out.k = LLVMBuildSelect(e->b, is_value, wjit_cond(e, WIR_IS_VALUE), LLVMBuildSub(e->b, LLVMConstInt(e->i8, 2, false), tag, ""), "");
  return out;
}

wjit_value wjit_region_input(wjit_emit *e, const wir_ins *in) {
  return load_tagged(e, argument(e, WRT_REGION_ROW), in->stream, (wir_kind)in->kind, in->may);
}

/* A failure is kept as Deferred. */
static LLVMValueRef tag_of(wjit_emit *e, wir_kind kind, LLVMValueRef k, uint8_t may) {
  LLVMValueRef tag = LLVMConstInt(e->i8, wir_kind_tag(kind), false), otherwise = LLVMConstInt(e->i8, WB_PLANTED(90) ? WEIR_NOVAL : WEIR_DEFERRED, false);
  if (k == NULL) return tag;
  if (may & WIR_MAY_NOVAL) otherwise = LLVMBuildSelect(e->b, wjit_is(e, k, WIR_IS_NOVAL), LLVMConstInt(e->i8, WEIR_NOVAL, false), otherwise, "");
  return LLVMBuildSelect(e->b, wjit_is(e, k, WIR_IS_VALUE), tag, otherwise, "");
}

/* Tag, count and value; what is no value has none. */
static void store_tagged(wjit_emit *e, LLVMValueRef to, uint64_t i, wir_kind kind, wjit_value a, uint8_t may) {
  LLVMValueRef tag = tag_of(e, kind, a.k, may);
  if (kind == WIR_KIND_BOOL) a.v = LLVMBuildZExt(e->b, a.v, e->i64, "");
  if (a.k != NULL) a.v = LLVMBuildSelect(e->b, wjit_is(e, a.k, WIR_IS_VALUE), a.v, LLVMConstNull(LLVMTypeOf(a.v)), "");
  _Static_assert(offsetof(weir_value, tag) == 0 && offsetof(weir_value, count) == 4 && offsetof(weir_value, as) == 8, "tag and count are one word");
  wjit_store(e, LLVMBuildZExt(e->b, tag, e->i64, ""), to, value_at(i));
  wjit_store(e, a.v, to, value_at(i) + offsetof(weir_value, as));
}

/* A ring that is pushed here is one of DELAY: its sample waits for the commit. */
void wjit_region_effect(wjit_emit *e, const wir_ins *in, wjit_value a, uint8_t may) {
  bool is_write = in->op == WIR_I_WRITE;
  LLVMValueRef to = argument(e, is_write ? WRT_REGION_ROW : WRT_REGION_PENDING);
  store_tagged(e, to, is_write ? in->stream : e->program->states[in->state].pending, (wir_kind)in->kind, a, may);
}

/* ---- Is the row for the sparse body? ---- */

/* Is what an instruction reads something else than the sparse body assumes?  NULL: that cannot be.  A flag that is kept may not be read: the sparse
** body keeps none that is set. */
static LLVMValueRef is_other(wjit_emit *e, const wir_ins *in) {
  switch ((unsigned)in->op) {
  case WIR_I_READ:
    if (!(in->may & WIR_MAY_DEFERRED) || WB_PLANTED(92)) return NULL;
    return LLVMBuildICmp(e->b, LLVMIntEQ, load_tag(e, argument(e, WRT_REGION_ROW), in->stream), LLVMConstInt(e->i8, WEIR_DEFERRED, false), "");
  case WIR_I_RING: case WIR_I_HOLD: case WIR_I_PROPER: case WIR_I_STARTED: case WIR_I_KEEP:
    if (in->op == WIR_I_KEEP && e->program->states[in->state].kind != WIR_STATE_FLAG) return NULL;
    if (!wir_is_assumed(e->plan->bodies, in->state, WIR_BODY_SPARSE) || (WB_PLANTED(93) && in->op != WIR_I_RING)) return NULL;
    return LLVMBuildNot(e->b, wjit_is(e, wjit_emit_sample_cond(e, in), WIR_IS_VALUE), "");
  }
  return NULL;
}

LLVMBasicBlockRef wjit_region_ask(wjit_emit *e) {
  LLVMBasicBlockRef other = wjit_block(e);
  LLVMValueRef any = NULL;
  for (uint32_t i = 0; i < e->body->n_ins; i++) any = wjit_either(e->b, any, is_other(e, &e->body->ins[i]));
  wjit_branch_if(e, any == NULL ? LLVMConstNull(e->i1) : any, other);
  return other;
}

/* ---- The commit ---- */

/* As commit.c has it: HISTORY repeats its newest sample where the stream has none. */
static void push_sample(wjit_emit *e, uint32_t state) {
  static const uint8_t kinds[WIR_CELLS] = {[WIR_CELL_INT] = WIR_KIND_INT, [WIR_CELL_FLOAT] = WIR_KIND_FLOAT, [WIR_CELL_BOOL] = WIR_KIND_BOOL};
  const wir_state *s = &e->program->states[state];
  bool is_pending = s->kind == WIR_STATE_DELAY;
  uint8_t may = WIR_MAY_DEFERRED | WIR_MAY_NOVAL;
  wjit_value a = load_tagged(e, argument(e, is_pending ? WRT_REGION_PENDING : WRT_REGION_ROW), is_pending ? s->pending : s->stream, (wir_kind)kinds[s->cell], may);
  if (s->kind == WIR_STATE_HISTORY && e->program->streams[s->stream].presence == WIR_GAPPY && !WB_PLANTED(117))
    a = wjit_select(e, wjit_is(e, a.k, WIR_IS_NOVAL), wjit_emit_newest(e, state), a);
  wjit_emit_push(e, state, a, may);
}

void wjit_emit_commit(wjit_emit *e) {
  e->fit = WIR_BODY_GENERAL;
  e->body = &e->plan->bodies->of_region[0]; /* of none: only that it is not whole */
  wjit_region_begin(e, e->plan->regions[e->plan->bodies->plan.n_regions]);
  for (uint32_t i = WB_PLANTED(118) ? 1 : 0; i < e->program->n_rings; i++)
    if (e->program->states[e->program->rings[i]].cell <= WIR_CELL_BOOL) push_sample(e, e->program->rings[i]);
  wjit_region_end(e);
  LLVMDeleteBasicBlock(e->declined);
}
