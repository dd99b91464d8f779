/* jit/batch_state.c -- what comes from the arena before a tile, and goes there after it.
**
** All that tiles read are samples of rings that are full of values (batch_plan.c).  What a loop reads of the rows just before it goes along in
** vectors, from turn to turn; what is farther back stands in columns behind their history, but the newest vector, which scans begin with, goes along
** there too.
** The last rows of what becomes history are taken from memory: from the caller's column where it is one. */
#include "jit/batch_emit.h"
#include "jit/llvm_words.h"

static const wir_state *state_of(const wjit_batch *b, uint32_t s) { return &b->program->states[s]; }
static wir_kind kind_of(const wjit_batch *b, uint32_t s) {
  wir_cell cell = (wir_cell)state_of(b, s)->cell;
  return cell == WIR_CELL_BOOL ? WIR_KIND_BOOL : cell == WIR_CELL_FLOAT ? WIR_KIND_FLOAT : WIR_KIND_INT;
}
static LLVMValueRef in_arena(const wjit_batch *b, uint64_t offset) { return wjit_gep(b, b->i8, b->arena, wjit_word(b, offset)); }

static void call_ring(wjit_batch *b, size_t helper, uint32_t s, LLVMValueRef *more, unsigned n) {
  const wir_state *state = state_of(b, s);
  LLVMTypeRef types[7];
  LLVMValueRef arguments[7] = {in_arena(b, state->offset), in_arena(b, state->ring), wjit_word(b, state->capacity)};
  for (unsigned i = 0; i < n; i++) arguments[3 + i] = more[i];
  arguments[3 + n] = wjit_word(b, wir_cell_bytes[state->cell]);
  for (unsigned i = 0; i < 4 + n; i++) types[i] = LLVMTypeOf(arguments[i]);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(b->context), types, 4 + n, false);
  LLVMBuildCall2(b->b, type, wjit_frame_word(b, helper, b->ptr), arguments, 4 + n, "");
}

static void read_ring(wjit_batch *b, uint32_t s, uint64_t back, LLVMValueRef n, LLVMValueRef to) {
  call_ring(b, offsetof(wrt_batch_frame, ring_read), s, (LLVMValueRef[]){wjit_word(b, back), n, to}, 3);
}

/* ---- Before ---- */

static LLVMValueRef as_last(wjit_batch *b, wir_kind kind, LLVMValueRef sample) {
  return kind == WIR_KIND_BOOL ? LLVMBuildICmp(b->b, LLVMIntNE, sample, LLVMConstInt(b->i8, 0, false), "") : sample;
}

static void take_one(wjit_batch *b, uint32_t s, wjit_history *h) { /* a full ring of one is a cell */
  wir_kind kind = kind_of(b, s);
  LLVMValueRef sample = LLVMBuildLoad2(b->b, wjit_sample(b, kind), in_arena(b, state_of(b, s)->offset), "");
  h->vectors[1] = LLVMBuildInsertElement(b->b, LLVMConstNull(wjit_stored(b, kind)), sample, LLVMConstInt(b->i32, b->width - 1, false), "");
  h->last = as_last(b, kind, sample);
}

static void take_some(wjit_batch *b, uint32_t s, wjit_history *h) {
  wir_kind kind = kind_of(b, s);
  LLVMTypeRef type = wjit_sample(b, kind);
  uint32_t n = h->turns * b->width;
  LLVMValueRef room = wjit_room(b, type, n);
  for (uint32_t k = 0; k < h->turns; k++)
    LLVMBuildStore(b->b, LLVMConstNull(wjit_stored(b, kind)), wjit_gep(b, type, room, wjit_word(b, k * b->width)));
  read_ring(b, s, h->most, wjit_word(b, h->most), wjit_gep(b, type, room, wjit_word(b, n - h->most)));
  for (uint32_t k = 1; k <= h->turns; k++)
    h->vectors[k] = LLVMBuildLoad2(b->b, wjit_stored(b, kind), wjit_gep(b, type, room, wjit_word(b, (h->turns - k) * b->width)), "");
  h->last = as_last(b, kind, LLVMBuildLoad2(b->b, type, wjit_gep(b, type, room, wjit_word(b, n - 1)), ""));
}

static void take_far(wjit_batch *b, uint32_t s, wjit_history *h) {
  wir_kind kind = kind_of(b, s);
  LLVMTypeRef type = wjit_sample(b, kind);
  LLVMValueRef first = wjit_scratch(b, h->at);
  read_ring(b, s, h->most, wjit_word(b, h->most), wjit_gep(b, type, first, wjit_word(b, 0 - h->most)));
  h->vectors[1] = LLVMBuildLoad2(b->b, wjit_stored(b, kind), wjit_gep(b, type, first, wjit_word(b, 0 - (uint64_t)b->width)), "");
  LLVMSetAlignment(h->vectors[1], kind == WIR_KIND_BOOL ? 1 : 8);
  h->last = as_last(b, kind, LLVMBuildLoad2(b->b, type, wjit_gep(b, type, first, wjit_word(b, UINT64_MAX)), ""));
}

void wjit_batch_histories(wjit_batch *b) {
  for (uint32_t s = 0; s < b->program->n_states; s++) {
    wjit_history *h = &b->histories[s];
    if (h->most == 0) continue;
    if (h->turns == 0) take_far(b, s, h);
    else if (state_of(b, s)->capacity == 1) take_one(b, s, h);
    else take_some(b, s, h);
  }
  for (uint32_t i = 0; i < b->body->effects; i++) { /* what comes from before the tile in all rows */
    const wir_ins *in = wjit_ins(b, i);
    if (b->g.needed[i] && in->op == WIR_I_RING && !wir_is_inside_tile(&b->g, in)) read_ring(b, in->state, in->imm.offset, b->rows, wjit_first(b, i, false));
  }
}

/* ---- Is it small? ---- */

static LLVMValueRef or_of_history(wjit_batch *b, wjit_history *h, unsigned bits) {
  LLVMValueRef half = wjit_k(b, INT64_C(1) << bits), any = NULL;
  for (uint32_t k = 1; k <= h->turns; k++) any = wjit_either(b->b, any, LLVMBuildAdd(b->b, h->vectors[k], half, ""));
  if (any != NULL) return wjit_or_of(b, any);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(b->b), loop = wjit_new_block(b), on = wjit_new_block(b);
  LLVMValueRef first = wjit_gep(b, b->i64, wjit_scratch(b, h->at), wjit_word(b, 0 - h->most));
  LLVMBuildBr(b->b, loop);
  LLVMPositionBuilderAtEnd(b->b, loop);
  LLVMValueRef j = LLVMBuildPhi(b->b, b->i64, ""), sum = LLVMBuildPhi(b->b, b->i64, "");
  LLVMValueRef sample = LLVMBuildLoad2(b->b, b->i64, wjit_gep(b, b->i64, first, j), "");
  LLVMValueRef more = LLVMBuildOr(b->b, sum, LLVMBuildAdd(b->b, sample, wjit_word(b, UINT64_C(1) << bits), ""), "");
  LLVMValueRef next = LLVMBuildAdd(b->b, j, wjit_word(b, 1), "");
  LLVMAddIncoming(j, (LLVMValueRef[]){wjit_word(b, 0), next}, (LLVMBasicBlockRef[]){from, loop}, 2);
  LLVMAddIncoming(sum, (LLVMValueRef[]){wjit_word(b, 0), more}, (LLVMBasicBlockRef[]){from, loop}, 2);
  LLVMBuildCondBr(b->b, LLVMBuildICmp(b->b, LLVMIntULT, next, wjit_word(b, h->most), ""), loop, on);
  LLVMPositionBuilderAtEnd(b->b, on);
  return more;
}

/* The fewest bits that a RING of the state needs; 63: any will do. */
static unsigned bits_of_ring(const wjit_batch *b, uint32_t i) {
  const wir_ins *in = wjit_ins(b, i);
  if (!b->g.needed[i] || !b->marks[i] || in->op != WIR_I_RING || in->kind != WIR_KIND_INT || !wir_is_inside_tile(&b->g, in)) return 63;
  wir_form form = (wir_form)b->g.groups[b->g.group_of[i]].form;
  return form == WIR_FORM_SINGLE ? wir_interval_bits(b->ranges_small[i]) : form == WIR_FORM_ROWS ? 63 : WIR_SUM_BITS;
}

LLVMValueRef wjit_batch_state_tests(wjit_batch *b) {
  LLVMValueRef any = NULL;
  uint8_t *least = WB_NEW_ARRAY(b->mem, uint8_t, (size_t)b->program->n_states + 1);
  if (least == NULL) return LLVMConstInt(b->i1, 1, false); /* then all checks are made */
  for (uint32_t i = 0; i < b->body->effects; i++) {
    unsigned bits = bits_of_ring(b, i);
    if (bits >= 63) continue; /* it may have no state */
    uint8_t *to = &least[wjit_ins(b, i)->state];
    *to = (uint8_t)(*to == 0 ? bits + 1 : WB_MIN(*to, bits + 1));
  }
  for (uint32_t s = 0; s < b->program->n_states; s++) {
    if (least[s] == 0) continue;
    unsigned bits = least[s] - 1;
    LLVMValueRef high = LLVMBuildLShr(b->b, or_of_history(b, &b->histories[s], bits), wjit_word(b, bits + 1), "");
    any = wjit_either(b->b, any, high);
  }
  return any == NULL ? NULL : LLVMBuildICmp(b->b, LLVMIntNE, any, wjit_word(b, 0), "");
}

/* ---- In a loop ---- */

LLVMValueRef wjit_batch_turning(wjit_batch *b, uint32_t s, uint32_t turn) {
  wjit_history *h = &b->histories[s];
  for (uint32_t k = 1; k <= turn; k++)
    if (h->turning[k] == NULL) h->turning[k] = wjit_phi(b, LLVMTypeOf(h->vectors[k]));
  return h->turning[turn];
}

static LLVMValueRef pushed_vector(wjit_batch *b, uint32_t s) {
  LLVMValueRef v = wjit_rows(b, b->g.kept[s] - 1).v;
  return kind_of(b, s) == WIR_KIND_BOOL ? wjit_bytes(b, v) : v;
}

LLVMValueRef wjit_batch_ring(wjit_batch *b, uint32_t i) {
  const wir_ins *in = wjit_ins(b, i);
  wjit_history *h = &b->histories[in->state];
  uint64_t back = in->imm.offset;
  if (!wir_is_inside_tile(&b->g, in)) return wjit_load_rows(b, (wir_kind)in->kind, wjit_first(b, i, false), b->at);
  if (h->turns == 0) {
    LLVMValueRef at = LLVMBuildSub(b->b, b->at, wjit_word(b, back), "");
    return wjit_load_rows(b, (wir_kind)in->kind, wjit_scratch(b, h->at), at);
  }
  uint32_t turn = (uint32_t)(back / b->width), rest = (uint32_t)(back % b->width);
  uint32_t pushed = b->g.kept[in->state] - 1;
  LLVMValueRef newer = NULL, v;
  if (rest == 0) v = wjit_batch_turning(b, in->state, turn);
  else {
    v = wjit_batch_turning(b, in->state, turn + 1);
    if (turn != 0) newer = wjit_batch_turning(b, in->state, turn);
    else if (wir_order_has(&b->g, b->g.group_of[i], pushed)) newer = LLVMGetUndef(LLVMTypeOf(v)); /* its rows are not made yet */
    else newer = pushed_vector(b, in->state);
    v = wjit_shift(b, v, newer, rest);
  }
  return kind_of(b, in->state) == WIR_KIND_BOOL ? wjit_bools(b, v) : v;
}

LLVMValueRef wjit_batch_newest(wjit_batch *b, uint32_t s) {
  wjit_history *h = &b->histories[s];
  if (h->turning_last == NULL) h->turning_last = wjit_phi(b, LLVMTypeOf(h->last));
  return h->turning_last;
}

static void close_phi(LLVMValueRef phi, LLVMBasicBlockRef from, LLVMValueRef first, LLVMBasicBlockRef last, LLVMValueRef next) {
  LLVMAddIncoming(phi, (LLVMValueRef[]){first, next}, (LLVMBasicBlockRef[]){from, last}, 2);
}

void wjit_batch_turn(wjit_batch *b, LLVMBasicBlockRef from, LLVMBasicBlockRef last) {
  for (uint32_t s = 0; s < b->program->n_states; s++) {
    wjit_history *h = &b->histories[s];
    for (uint32_t k = WB_MAX(h->turns, 1); k > 0; k--) {
      if (h->turning[k] == NULL) continue;
      close_phi(h->turning[k], from, h->vectors[WB_PLANTED(99) ? 1 : k], last, k == 1 ? pushed_vector(b, s) : h->turning[k - 1]);
    }
    if (h->turning_last != NULL) close_phi(h->turning_last, from, h->last, last, b->lanes[b->g.kept[s] - 1][b->width - 1]);
    for (uint32_t k = 0; k <= WJIT_MOST_TURNS; k++) h->turning[k] = NULL;
    h->turning_last = NULL;
  }
}

/* ---- After ---- */

/* One behind the last row of an instruction's place. */
static LLVMValueRef end_of(wjit_batch *b, uint32_t i, LLVMTypeRef type, bool is_mask) {
  const wjit_place *p = &b->places[i];
  bool is_slot = is_mask ? !p->is_crossing : p->memory == WJIT_SLOT;
  return wjit_gep(b, type, wjit_first(b, i, is_mask), is_slot ? wjit_word(b, b->width) : b->rows);
}

/* The sample of instruction `i` in the tile's last row. */
static LLVMValueRef last_sample(wjit_batch *b, uint32_t i) {
  const wir_ins *in = wjit_ins(b, i);
  wir_kind kind = (wir_kind)in->kind;
  LLVMTypeRef type = wjit_sample(b, kind);
  uint64_t back = 0;
  if (in->op == WIR_I_CONST && kind == WIR_KIND_BOOL) return LLVMConstInt(b->i8, in->imm.i != 0, false);
  if (in->op == WIR_I_CONST) return LLVMConstBitCast(wjit_word(b, (uint64_t)in->imm.i), type);
  if (wjit_is_behind(b, i)) {
    back = in->imm.offset;
    i = b->g.kept[in->state] - 1;
  }
  return LLVMBuildLoad2(b->b, type, wjit_gep(b, type, end_of(b, i, type, false), wjit_word(b, 0 - (back + 1))), "");
}

/* A cell that the code does not assume to hold a value: a failure is kept as Deferred, and the codes that assume it count that. */
static void keep_presence(wjit_batch *b, uint32_t s, uint32_t i) {
  const wir_state *state = state_of(b, s);
  LLVMValueRef at = in_arena(b, state->presence), was = LLVMBuildLoad2(b->b, b->i8, at, "");
  LLVMValueRef value = LLVMConstInt(b->i8, WIR_SAMPLE_VALUE, false), now = value;
  if (b->places[i].has_mask && !WB_PLANTED(98)) {
    LLVMValueRef mask = LLVMBuildLoad2(b->b, b->i64, wjit_gep(b, b->i64, end_of(b, i, b->i64, true), wjit_word(b, UINT64_MAX)), "");
    LLVMValueRef failed = LLVMBuildICmp(b->b, LLVMIntSLT, mask, wjit_word(b, 0), "");
    now = LLVMBuildSelect(b->b, failed, LLVMConstInt(b->i8, WIR_SAMPLE_DEFERRED, false), value, "");
  }
  LLVMBuildStore(b->b, now, at);
  LLVMValueRef is_none = LLVMBuildZExt(b->b, LLVMBuildICmp(b->b, LLVMIntNE, now, value, ""), b->i64, "");
  LLVMValueRef was_none = LLVMBuildZExt(b->b, LLVMBuildICmp(b->b, LLVMIntNE, was, value, ""), b->i64, "");
  LLVMValueRef more = LLVMBuildSub(b->b, is_none, was_none, ""), n_cold = wjit_frame_word(b, offsetof(wrt_batch_frame, n_cold), b->ptr);
  for (wir_body_fit code = WIR_BODY_SPARSE; code < WIR_BODY_FITS; code++) {
    if (!wir_is_assumed(b->plan->bodies, s, code)) continue;
    LLVMValueRef count = wjit_gep(b, b->i64, n_cold, wjit_word(b, code));
    LLVMBuildStore(b->b, LLVMBuildAdd(b->b, LLVMBuildLoad2(b->b, b->i64, count, ""), more, ""), count);
  }
}

static void push(wjit_batch *b, uint32_t s, uint32_t i) {
  LLVMTypeRef type = wjit_sample(b, kind_of(b, s));
  uint64_t capacity = state_of(b, s)->capacity;
  if (b->places[i].memory != WJIT_SLOT) {
    call_ring(b, offsetof(wrt_batch_frame, ring_push), s, (LLVMValueRef[]){wjit_first(b, i, false), b->rows}, 2);
    return;
  }
  /* Of a slot only as many samples are there as the ring takes; it stands as if all had come. */
  LLVMValueRef over = LLVMBuildURem(b->b, b->rows, wjit_word(b, capacity), ""); /* what `next` moves by */
  LLVMValueRef next = in_arena(b, state_of(b, s)->ring + offsetof(wir_ring, next)), end = end_of(b, i, type, false);
  LLVMValueRef after = LLVMBuildAdd(b->b, LLVMBuildLoad2(b->b, b->i64, next, ""), WB_PLANTED(97) ? wjit_word(b, 0) : over, "");
  LLVMValueRef is_end = LLVMBuildICmp(b->b, LLVMIntUGE, after, wjit_word(b, capacity), "");
  after = LLVMBuildSelect(b->b, is_end, LLVMBuildSub(b->b, after, wjit_word(b, capacity), ""), after, "");
  LLVMBuildStore(b->b, after, next);
  call_ring(b, offsetof(wrt_batch_frame, ring_push), s, (LLVMValueRef[]){wjit_gep(b, type, end, wjit_word(b, 0 - capacity)), wjit_word(b, capacity)}, 2);
}

static void put_effect(wjit_batch *b, const wir_ins *in) {
  const wir_state *state = state_of(b, in->state);
  uint32_t i = in->args[0].i;
  if (in->op == WIR_I_PUSH && state->capacity != 1) {
    push(b, in->state, i);
    return;
  }
  LLVMBuildStore(b->b, last_sample(b, i), in_arena(b, state->offset));
  if (!wir_is_assumed(b->plan->bodies, in->state, b->fit)) keep_presence(b, in->state, i);
}

/* Cells first: none of them is read from a ring, but they come first in a row, too. */
void wjit_batch_effects(wjit_batch *b) {
  for (uint32_t i = b->body->effects; i < b->body->n_ins; i++)
    if (wjit_ins(b, i)->op != WIR_I_WRITE) put_effect(b, wjit_ins(b, i));
}
