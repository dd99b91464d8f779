/* jit/emit_state.c -- what reads and writes the arena.
**
** A code may assume that some states hold values only (wir_bodies.assumed): of these it looks at no presence and keeps none.  Writing any
** other state, it counts how many samples that a warmer code assumes are no values, as the quickened tier does (runtime/quick.c: store).
** Cells of regions are those of the stage, and their rings are pushed by the commit of the row: nobody counts there. */
#include "jit/emit.h"

static const wir_state *state_of(const wjit_emit *e, uint32_t state) { return &e->program->states[state]; }
static bool is_assumed(const wjit_emit *e, uint32_t state) { return wir_is_assumed(e->plan->bodies, state, e->fit); }

/* The address of sample `i` (an i64) of a state, in cells of `bytes` from `offset` on. */
static LLVMValueRef sample_at(wjit_emit *e, const wir_state *s, uint64_t offset, LLVMValueRef i, uint32_t bytes) {
  LLVMValueRef distance = bytes == 1 ? i : LLVMBuildMul(e->b, i, wjit_int(e, bytes), "");
  LLVMValueRef base = wir_state_is_ring(s) || WB_PLANTED(91) ? e->arena : e->cells;
  return wjit_at(e, wjit_at(e, base, wjit_int(e, (int64_t)offset)), distance);
}

static LLVMValueRef load_value(wjit_emit *e, const wir_state *s, LLVMValueRef i) {
  LLVMValueRef at = sample_at(e, s, s->offset, i, wir_cell_bytes[s->cell]);
  if (s->cell == WIR_CELL_BOOL) return LLVMBuildTrunc(e->b, LLVMBuildLoad2(e->b, e->i8, at, ""), e->i1, "");
  return LLVMBuildLoad2(e->b, s->cell == WIR_CELL_FLOAT ? e->f64 : e->i64, at, "");
}

/* Samples count the other way than conditions: NoVal, Deferred, value. */
_Static_assert(WIR_SAMPLE_NOVAL == 2 - WIR_IS_NOVAL && WIR_SAMPLE_DEFERRED == 2 - WIR_IS_DEFERRED && WIR_SAMPLE_VALUE == 2 - WIR_IS_VALUE,
               "a condition is 2 less a sample's presence");

static LLVMValueRef load_cond(wjit_emit *e, const wir_state *s, LLVMValueRef i) {
  LLVMValueRef sample = LLVMBuildLoad2(e->b, e->i8, sample_at(e, s, s->presence, i, 1), "");
  return LLVMBuildSub(e->b, LLVMConstInt(e->i8, 2, false), sample, "");
}

static LLVMValueRef ring_filled(wjit_emit *e, const wir_state *s) { return wjit_load(e, e->i64, e->arena, s->ring + offsetof(wir_ring, filled)); }

/* Loaded once: LLVM cannot know that what is written to the outputs is not the arena. */
static LLVMValueRef ring_next(wjit_emit *e, uint32_t state) {
  if (e->next[state] == NULL) e->next[state] = wjit_load(e, e->i64, e->arena, state_of(e, state)->ring + offsetof(wir_ring, next));
  return e->next[state];
}

/* Where the sample of `back` ticks ago stands, while the next goes to `next`. */
static LLVMValueRef index_back(wjit_emit *e, const wir_state *s, LLVMValueRef next, uint64_t back) {
  if (s->capacity == 1) return wjit_int(e, 0);
  if (s->capacity == back) return next;
  LLVMValueRef is_near = LLVMBuildICmp(e->b, LLVMIntUGE, next, wjit_int(e, (int64_t)back), "");
  LLVMValueRef turn = LLVMBuildSelect(e->b, is_near, wjit_int(e, -(int64_t)back), wjit_int(e, (int64_t)(s->capacity - back) - WB_PLANTED(75)), "");
  return LLVMBuildAdd(e->b, next, turn, "");
}

static wjit_value load_back(wjit_emit *e, uint32_t state, uint64_t back, wir_condition otherwise) {
  const wir_state *s = state_of(e, state);
  LLVMValueRef next = ring_next(e, state), filled = ring_filled(e, s);
  LLVMValueRef i = index_back(e, s, next, back);
  LLVMValueRef lacks = LLVMBuildICmp(e->b, LLVMIntULT, filled, wjit_int(e, (int64_t)back - WB_PLANTED(76)), "");
  LLVMValueRef k = wjit_select_cond(e, lacks, wjit_cond(e, otherwise), load_cond(e, s, i));
  return (wjit_value){load_value(e, s, i), k};
}

/* Small rings of warm states: kernel.h. */
static bool is_shifted(const wjit_emit *e, uint32_t state) { return e->body->is_whole && e->fit != WIR_BODY_GENERAL && e->plan->shifted[state]; }

wjit_value wjit_emit_ring(wjit_emit *e, const wir_ins *in) {
  const wir_state *s = state_of(e, in->state);
  if (is_shifted(e, in->state)) return (wjit_value){load_value(e, s, wjit_int(e, (int64_t)in->imm.offset - 1)), NULL};
  if (in->may != 0 || !is_assumed(e, in->state)) return load_back(e, in->state, in->imm.offset, WIR_IS_DEFERRED);
  LLVMValueRef next = s->capacity == 1 ? NULL : ring_next(e, in->state);
  return (wjit_value){load_value(e, s, index_back(e, s, next, in->imm.offset)), NULL};
}

LLVMValueRef wjit_emit_sample_cond(wjit_emit *e, const wir_ins *in) {
  const wir_state *s = state_of(e, in->state);
  if (in->op != WIR_I_RING) return load_cond(e, s, wjit_int(e, 0));
  return load_back(e, in->state, in->imm.offset, WIR_IS_DEFERRED).k;
}

wjit_value wjit_emit_newest(wjit_emit *e, uint32_t state) {
  if (is_shifted(e, state)) return (wjit_value){load_value(e, state_of(e, state), wjit_int(e, 0)), NULL};
  return load_back(e, state, 1, WIR_IS_NOVAL);
}

wjit_value wjit_emit_cell(wjit_emit *e, uint32_t state) {
  const wir_state *s = state_of(e, state);
  return (wjit_value){load_value(e, s, wjit_int(e, 0)), load_cond(e, s, wjit_int(e, 0))};
}

LLVMValueRef wjit_emit_flag(wjit_emit *e, uint32_t state) {
  return wjit_is(e, load_cond(e, state_of(e, state), wjit_int(e, 0)), WIR_IS_VALUE);
}

/* ---- Effects ---- */

static void store_value(wjit_emit *e, const wir_state *s, LLVMValueRef i, LLVMValueRef v) {
  if (s->cell == WIR_CELL_BOOL) v = LLVMBuildZExt(e->b, v, e->i8, "");
  LLVMBuildStore(e->b, v, sample_at(e, s, s->offset, i, wir_cell_bytes[s->cell]));
}

/* A failure is kept as Deferred.  `may`: what k may be besides a value. */
static LLVMValueRef sample_of(wjit_emit *e, LLVMValueRef k, uint8_t may) {
  _Static_assert(WIR_SAMPLE_VALUE - WIR_SAMPLE_DEFERRED == 1, "a failure takes one from the presence of a value");
  LLVMValueRef value = LLVMConstInt(e->i8, WIR_SAMPLE_VALUE, false);
  if (k == NULL) return value;
  if (may == WIR_MAY_FAIL) return LLVMBuildSub(e->b, value, LLVMBuildZExt(e->b, wjit_is(e, k, WIR_IS_FAILED), e->i8, ""), "");
  LLVMValueRef sample = LLVMBuildSub(e->b, LLVMConstInt(e->i8, 2, false), k, "");
  if (!(may & WIR_MAY_FAIL)) return sample;
  return LLVMBuildSelect(e->b, wjit_is(e, k, WIR_IS_FAILED), LLVMConstInt(e->i8, WB_PLANTED(77) ? WIR_SAMPLE_NOVAL : WIR_SAMPLE_DEFERRED, false), sample, "");
}

/* The codes that assume the state's samples values have one more, or one less, that is none. */
static void count_cold(wjit_emit *e, uint32_t state, LLVMValueRef k, LLVMValueRef was_value) {
  LLVMValueRef is_none = LLVMBuildNot(e->b, wjit_is(e, k, WIR_IS_VALUE), ""), was_none = LLVMBuildNot(e->b, was_value, "");
  LLVMValueRef more = LLVMBuildSub(e->b, LLVMBuildZExt(e->b, is_none, e->i64, ""), LLVMBuildZExt(e->b, was_none, e->i64, ""), "");
  for (wir_body_fit fit = 0; fit < WIR_BODY_FITS; fit++) {
    if (!wir_is_assumed(e->plan->bodies, state, fit) || WB_PLANTED(79)) continue;
    LLVMValueRef n = wjit_load(e, e->i64, e->n_cold, 8 * (uint64_t)fit);
    wjit_store(e, LLVMBuildAdd(e->b, n, more, ""), e->n_cold, 8 * (uint64_t)fit);
  }
}

static void store_sample(wjit_emit *e, uint32_t state, LLVMValueRef i, wjit_value a, uint8_t may, LLVMValueRef was_value) {
  const wir_state *s = state_of(e, state);
  store_value(e, s, i, a.v);
  LLVMBuildStore(e->b, sample_of(e, a.k, may), sample_at(e, s, s->presence, i, 1));
  if (e->body->is_whole && e->plan->bodies->assumed[state] != 0) count_cold(e, state, a.k, was_value);
}

static void keep(wjit_emit *e, uint32_t state, wjit_value a, uint8_t may) {
  const wir_state *s = state_of(e, state);
  if (is_assumed(e, state) && e->body->is_whole) { /* a region asks only for what it reads */
    store_value(e, s, wjit_int(e, 0), a.v);
    return;
  }
  LLVMBasicBlockRef on = NULL;
  if (s->kind == WIR_STATE_FLAG && !WB_PLANTED(78)) { /* a flag that is not set is not kept */
    LLVMBasicBlockRef set = wjit_block(e);
    on = wjit_block(e);
    LLVMBuildCondBr(e->b, a.v, set, on);
    LLVMPositionBuilderAtEnd(e->b, set);
  }
  store_sample(e, state, wjit_int(e, 0), a, may, wjit_emit_flag(e, state));
  if (on == NULL) return;
  LLVMBuildBr(e->b, on);
  LLVMPositionBuilderAtEnd(e->b, on);
}

static LLVMValueRef step(wjit_emit *e, const wir_state *s, LLVMValueRef next) {
  LLVMValueRef after = LLVMBuildAdd(e->b, next, wjit_int(e, 1), "");
  LLVMValueRef is_end = LLVMBuildICmp(e->b, LLVMIntEQ, after, wjit_int(e, (int64_t)s->capacity), "");
  return LLVMBuildSelect(e->b, is_end, wjit_int(e, 0), after, "");
}

static void shift(wjit_emit *e, const wir_state *s, LLVMValueRef v) {
  for (uint64_t i = s->capacity - 1; i > 0; i--) store_value(e, s, wjit_int(e, (int64_t)i), load_value(e, s, wjit_int(e, (int64_t)i - 1)));
  store_value(e, s, wjit_int(e, 0), v);
}

void wjit_emit_push(wjit_emit *e, uint32_t state, wjit_value a, uint8_t may) {
  const wir_state *s = state_of(e, state);
  if (is_shifted(e, state)) {
    shift(e, s, a.v);
    return;
  }
  if (is_assumed(e, state) && s->capacity == 1) { /* a full ring of one is a cell */
    store_value(e, s, wjit_int(e, 0), a.v);
    return;
  }
  LLVMValueRef next = ring_next(e, state);
  if (is_assumed(e, state)) {
    store_value(e, s, next, a.v);
  } else {
    LLVMValueRef filled = ring_filled(e, s);
    LLVMValueRef is_full = LLVMBuildICmp(e->b, LLVMIntEQ, filled, wjit_int(e, (int64_t)s->capacity), "");
    LLVMValueRef was_value = LLVMBuildAnd(e->b, is_full, wjit_is(e, load_cond(e, s, next), WIR_IS_VALUE), "");
    store_sample(e, state, next, a, may, was_value);
    LLVMValueRef more = LLVMBuildZExt(e->b, LLVMBuildNot(e->b, is_full, ""), e->i64, "");
    wjit_store(e, LLVMBuildAdd(e->b, filled, more, ""), e->arena, s->ring + offsetof(wir_ring, filled));
  }
  wjit_store(e, step(e, s, next), e->arena, s->ring + offsetof(wir_ring, next));
}

void wjit_emit_effect(wjit_emit *e, const wir_ins *in) {
  wjit_value a = e->values[in->args[0].i];
  uint8_t may = wir_ins_at(e->body, in->args[0])->may;
  if (in->op == WIR_I_KEEP) keep(e, in->state, a, may);
  else if (!e->body->is_whole) wjit_region_effect(e, in, a, may);
  else if (in->op == WIR_I_WRITE) wjit_row_output(e, wir_find_output(e->program, in->stream), a);
  else wjit_emit_push(e, in->state, a, may);
}
