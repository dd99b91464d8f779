/* jit/batch_kernel.c -- the kernel of a tile of rows: versions, loops, ports.
**
** Up to two versions: one that is right while numbers are small, with few checks or none, and one that checks what can fail.  The first one
** tests what it reads while it computes: where that was not small the tile is computed again, by the other.  Nothing is committed before the
** whole tile is known to be good. */
#include "jit/batch_emit.h"
#include "jit/llvm_words.h"

#include <string.h>

enum { SKIPPED_TILES = 15 }; /* after a tile that was not small: numbers seldom come alone */

/* ---- Words ---- */

LLVMTypeRef wjit_type(const wjit_batch *b, wir_kind kind) { return kind == WIR_KIND_BOOL ? b->i1 : kind == WIR_KIND_FLOAT ? b->f64 : b->i64; }
LLVMTypeRef wjit_wide(const wjit_batch *b, LLVMTypeRef scalar) { return b->in_lanes ? scalar : LLVMVectorType(scalar, b->width); }

LLVMValueRef wjit_splat(const wjit_batch *b, LLVMValueRef scalar) {
  LLVMValueRef all[WJIT_MOST_WIDTH];
  if (b->in_lanes) return scalar;
  for (unsigned i = 0; i < b->width; i++) all[i] = scalar;
  return LLVMConstVector(all, b->width);
}

LLVMValueRef wjit_call(const wjit_batch *b, const char *intrinsic, LLVMTypeRef type, LLVMValueRef *arguments, unsigned n) {
  return wjit_intrinsic(b->module, b->b, intrinsic, type, arguments, n);
}

LLVMValueRef wjit_sign(const wjit_batch *b, LLVMValueRef i1) { return LLVMBuildSExt(b->b, i1, wjit_wide(b, b->i64), ""); }
LLVMValueRef wjit_is_negative(const wjit_batch *b, LLVMValueRef x) { return LLVMBuildICmp(b->b, LLVMIntSLT, x, LLVMConstNull(LLVMTypeOf(x)), ""); }
LLVMValueRef wjit_or_of(const wjit_batch *b, LLVMValueRef vector) { return wjit_call(b, "llvm.vector.reduce.or", LLVMTypeOf(vector), &vector, 1); }
LLVMValueRef wjit_shift(const wjit_batch *b, LLVMValueRef older, LLVMValueRef newer, uint32_t n) {
  LLVMValueRef lanes[WJIT_MOST_WIDTH];
  for (uint32_t k = 0; k < b->width; k++) lanes[k] = LLVMConstInt(b->i32, b->width - n + k, false);
  return LLVMBuildShuffleVector(b->b, older, newer, LLVMConstVector(lanes, b->width), "");
}
LLVMBasicBlockRef wjit_new_block(const wjit_batch *b) { return LLVMAppendBasicBlockInContext(b->context, b->function, ""); }
LLVMValueRef wjit_gep(const wjit_batch *b, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef i) {
  return LLVMBuildInBoundsGEP2(b->b, element, base, &i, 1, "");
}

/* At the beginning of a block that has an end. */
static LLVMBasicBlockRef go_to_top(const wjit_batch *b, LLVMBasicBlockRef block) {
  LLVMBasicBlockRef from = LLVMGetInsertBlock(b->b);
  LLVMValueRef first = LLVMGetFirstInstruction(block);
  if (first == NULL) LLVMPositionBuilderAtEnd(b->b, block);
  else LLVMPositionBuilderBefore(b->b, first);
  return from;
}

LLVMValueRef wjit_room(wjit_batch *b, LLVMTypeRef type, uint32_t n) {
  LLVMBasicBlockRef from = go_to_top(b, b->entry);
  LLVMValueRef room = LLVMBuildArrayAlloca(b->b, type, LLVMConstInt(b->i32, n, false), "");
  LLVMSetAlignment(room, 64);
  LLVMPositionBuilderAtEnd(b->b, from);
  return room;
}

LLVMValueRef wjit_phi(wjit_batch *b, LLVMTypeRef type) {
  LLVMBasicBlockRef from = go_to_top(b, b->head);
  LLVMValueRef phi = LLVMBuildPhi(b->b, type, "");
  LLVMPositionBuilderAtEnd(b->b, from);
  return phi;
}

LLVMValueRef wjit_bytes(const wjit_batch *b, LLVMValueRef bools) { return LLVMBuildZExt(b->b, bools, LLVMVectorType(b->i8, b->width), ""); }
LLVMValueRef wjit_bools(const wjit_batch *b, LLVMValueRef bytes) {
  return LLVMBuildICmp(b->b, LLVMIntNE, bytes, LLVMConstNull(LLVMTypeOf(bytes)), "");
}

/* ---- What is gathered ---- */

void wjit_gather(wjit_batch *b, wjit_sum *s, LLVMValueRef x) {
  if (s->phi == NULL) {
    s->type = LLVMTypeOf(x);
    s->now = s->phi = wjit_phi(b, s->type);
  }
  s->now = WB_PLANTED(95) ? x : LLVMBuildOr(b->b, s->now, x, "");
}

void wjit_note_bad(wjit_batch *b, LLVMValueRef sign) { wjit_gather(b, b->in_lanes ? &b->bad_lane : &b->bad, sign); }

static void close_sum(wjit_sum *s, LLVMBasicBlockRef from, LLVMBasicBlockRef last) {
  if (s->phi == NULL) return;
  LLVMValueRef first = s->before == NULL ? LLVMConstNull(s->type) : s->before;
  LLVMAddIncoming(s->phi, (LLVMValueRef[]){first, s->now}, (LLVMBasicBlockRef[]){from, last}, 2);
  s->before = s->now;
  s->phi = NULL;
}

static void test(wjit_batch *b, LLVMValueRef x, unsigned bits) {
  uint32_t n = 0;
  while (n < b->n_tests && b->tests[n].bits != bits) n++;
  if (n == b->n_tests) b->tests[b->n_tests++] = (wjit_sum){.bits = bits};
  wjit_gather(b, &b->tests[n], LLVMBuildAdd(b->b, x, wjit_k(b, INT64_C(1) << bits), ""));
}

/* ---- Memory ---- */

LLVMTypeRef wjit_sample(const wjit_batch *b, wir_kind kind) { return kind == WIR_KIND_BOOL ? b->i8 : wjit_type(b, kind); }
LLVMTypeRef wjit_stored(const wjit_batch *b, wir_kind kind) { return LLVMVectorType(wjit_sample(b, kind), b->width); }

LLVMValueRef wjit_load_rows(wjit_batch *b, wir_kind kind, LLVMValueRef column, LLVMValueRef at) {
  LLVMValueRef v = LLVMBuildLoad2(b->b, wjit_stored(b, kind), wjit_gep(b, wjit_sample(b, kind), column, at), "");
  LLVMSetAlignment(v, kind == WIR_KIND_BOOL ? 1 : 8);
  return kind == WIR_KIND_BOOL ? wjit_bools(b, v) : v;
}

void wjit_store_rows(wjit_batch *b, LLVMValueRef v, LLVMValueRef column, LLVMValueRef at) {
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(v));
  if (element == b->i1) v = wjit_bytes(b, v), element = b->i8;
  LLVMSetAlignment(LLVMBuildStore(b->b, v, wjit_gep(b, element, column, at)), element == b->i8 ? 1 : 8);
}

LLVMValueRef wjit_scratch(wjit_batch *b, uint64_t at) { return wjit_gep(b, b->i8, b->scratch, wjit_word(b, at)); }

LLVMValueRef wjit_first(wjit_batch *b, uint32_t i, bool is_mask) {
  wjit_place *p = &b->places[i];
  const wir_ins *in = wjit_ins(b, i);
  if (is_mask) return p->is_crossing ? wjit_scratch(b, p->mask_at) : p->mask_slot;
  switch ((wjit_memory)p->memory) {
  case WJIT_INPUT: return b->columns[wir_holds(in) ? wir_ins_at(b->body, in->args[0])->stream : in->stream];
  case WJIT_OUTPUT: return b->columns[b->program->n_inputs + p->output];
  case WJIT_SLOT: return p->slot;
  case WJIT_COLUMN: return wjit_scratch(b, p->at);
  case WJIT_NOWHERE: break;
  }
  return LLVMConstNull(b->ptr);
}

/* ---- Values ---- */

static wjit_cell load_place(wjit_batch *b, uint32_t i) {
  wjit_cell c = {wjit_load_rows(b, (wir_kind)wjit_ins(b, i)->kind, wjit_first(b, i, false), b->at), NULL};
  if (b->places[i].has_mask) c.m = wjit_load_rows(b, WIR_KIND_INT, wjit_first(b, i, true), b->at);
  return c;
}

static wjit_cell build(wjit_batch *b, uint32_t i) {
  const wir_ins *in = wjit_ins(b, i);
  wjit_cell a[3] = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
  if (wir_holds(in)) return wjit_rows(b, in->args[0].i);
  if (in->op == WIR_I_READ || (b->loop_of[i] != b->loop && !wjit_is_local(b, i))) return load_place(b, i);
  if (in->op == WIR_I_RING) return (wjit_cell){wjit_batch_ring(b, i), NULL};
  for (uint32_t k = 0; k < wir_insns[in->op].operands; k++) a[k] = wjit_rows(b, in->args[k].i);
  return wjit_batch_op(b, i, a);
}

wjit_cell wjit_rows(wjit_batch *b, uint32_t i) {
  if (b->values[i].v == NULL) b->values[i] = build(b, i);
  return b->values[i];
}

/* ---- A loop ---- */

static LLVMValueRef slot(wjit_batch *b, LLVMValueRef *at, LLVMTypeRef element) {
  if (*at == NULL) *at = wjit_room(b, element, b->width);
  return *at;
}

/* The last rows are all that a slot is for: it is written behind the loop. */
static void put_later(wjit_batch *b, LLVMValueRef v, LLVMValueRef at) {
  b->later[b->n_later].v = v;
  b->later[b->n_later++].m = at;
}

/* Puts a value wherever others look for it. */
static void put_value(wjit_batch *b, uint32_t i) {
  wjit_place *p = &b->places[i];
  wir_kind kind = (wir_kind)wjit_ins(b, i)->kind;
  if (!wir_is_raw(wjit_ins(b, i))) /* the runtime copies an input with its gaps */
    for (uint32_t w = b->first_write[i]; w != 0; w = b->next_write[w - 1])
      wjit_store_rows(b, wjit_rows(b, i).v, b->columns[b->program->n_inputs + w - 1], b->at);
  if (p->memory == WJIT_SLOT) put_later(b, wjit_rows(b, i).v, slot(b, &p->slot, wjit_sample(b, kind)));
  bool is_outside = wjit_ins(b, i)->op == WIR_I_RING && !wir_is_inside_tile(&b->g, wjit_ins(b, i));
  if (p->memory == WJIT_COLUMN && !is_outside) wjit_store_rows(b, wjit_rows(b, i).v, wjit_first(b, i, false), b->at);
  for (uint32_t s = p->far; s != 0; s = b->histories[s - 1].next_far)
    wjit_store_rows(b, wjit_rows(b, i).v, wjit_scratch(b, b->histories[s - 1].at), b->at);
  if (!p->has_mask) return;
  LLVMValueRef m = wjit_rows(b, i).m;
  if (m == NULL) m = wjit_k(b, 0);
  if (p->is_crossing) wjit_store_rows(b, m, wjit_first(b, i, true), b->at);
  else put_later(b, m, slot(b, &p->mask_slot, b->i64));
}

/* Bytes of the caller must be Bools, whether anything reads them or not. */
static void look_at_bools(wjit_batch *b) {
  wir_kind kind;
  for (uint32_t i = 0; i < b->program->n_inputs; i++) {
    if (!wir_scalar_kind(b->program->streams[i].type, &kind) || kind != WIR_KIND_BOOL) continue;
    LLVMValueRef v = LLVMBuildLoad2(b->b, wjit_stored(b, WIR_KIND_BOOL), wjit_gep(b, b->i8, b->columns[i], b->at), "");
    LLVMSetAlignment(v, 1);
    wjit_gather(b, &b->bytes, v);
  }
}

/* Numbers of a small version are tested. */
static void look_at_input(wjit_batch *b, uint32_t i) {
  const wir_ins *in = wjit_ins(b, i);
  unsigned bits = wir_interval_bits(b->ranges[i]);
  if (b->is_small && b->marks[i] && in->kind == WIR_KIND_INT && bits < 63) test(b, wjit_rows(b, i).v, bits);
}

static void build_group(wjit_batch *b, const wir_group *group) {
  uint32_t first = b->g.order[group->first];
  if (group->form != WIR_FORM_SINGLE) {
    if (!wjit_batch_scan(b, group)) wjit_batch_recurrence(b, group); /* of a scan the rest is made where it is wanted */
  } else if (wjit_ins(b, first)->op == WIR_I_READ) look_at_input(b, first);
  else if (!wjit_is_local(b, first)) (void)wjit_rows(b, first);
  for (uint32_t n = 0; n < group->n; n++) put_value(b, b->g.order[group->first + n]);
}

static void build_loop(wjit_batch *b, uint32_t loop) {
  LLVMBasicBlockRef from = LLVMGetInsertBlock(b->b), on;
  b->loop = loop;
  b->n_later = 0;
  b->head = wjit_new_block(b);
  LLVMBuildBr(b->b, b->head);
  LLVMPositionBuilderAtEnd(b->b, b->head);
  b->at = LLVMBuildPhi(b->b, b->i64, "");
  memset(b->values, 0, b->body->n_ins * sizeof *b->values);
  if (loop == 0) look_at_bools(b);
  for (uint32_t k = 0; k < b->g.n_groups; k++)
    if (b->loop_of[b->g.order[b->g.groups[k].first]] == loop) build_group(b, &b->g.groups[k]);
  LLVMBasicBlockRef last = LLVMGetInsertBlock(b->b);
  wjit_batch_turn(b, from, last);
  LLVMValueRef next = LLVMBuildAdd(b->b, b->at, wjit_word(b, b->width), "");
  LLVMAddIncoming(b->at, (LLVMValueRef[]){wjit_word(b, 0), next}, (LLVMBasicBlockRef[]){from, last}, 2);
  close_sum(&b->bad, from, last);
  close_sum(&b->bad_lane, from, last);
  close_sum(&b->bytes, from, last);
  for (uint32_t n = 0; n < b->n_tests; n++) close_sum(&b->tests[n], from, last);
  on = wjit_new_block(b);
  LLVMBuildCondBr(b->b, LLVMBuildICmp(b->b, LLVMIntULT, next, b->rows, ""), b->head, on);
  LLVMPositionBuilderAtEnd(b->b, on);
  for (uint32_t n = 0; n < b->n_later; n++) wjit_store_rows(b, b->later[n].v, b->later[n].m, wjit_word(b, 0));
}

/* ---- A version ---- */

/* Has something failed?  NULL: nothing can. */
static LLVMValueRef has_failed(wjit_batch *b) {
  LLVMValueRef signs = b->bad.before == NULL ? NULL : wjit_or_of(b, b->bad.before);
  signs = wjit_either(b->b, signs, b->bad_lane.before);
  return signs == NULL ? NULL : LLVMBuildICmp(b->b, LLVMIntSLT, signs, wjit_word(b, 0), "");
}

static LLVMValueRef has_no_bool(wjit_batch *b) {
  if (b->bytes.before == NULL) return NULL;
  return LLVMBuildICmp(b->b, LLVMIntUGT, wjit_or_of(b, b->bytes.before), LLVMConstInt(b->i8, 1, false), "");
}

/* Is there a tick in the tile whose number leave_every divides?  Asked when all is computed: what was written until then is to be of no matter. */
static LLVMValueRef is_told(wjit_batch *b) {
  uint64_t every = b->plan->leave_every;
  if (every == 0) return NULL;
  LLVMValueRef first = wjit_frame_word(b, offsetof(wrt_batch_frame, ticks), b->i64);
  LLVMValueRef rest = LLVMBuildURem(b->b, LLVMBuildAdd(b->b, first, wjit_word(b, every - 1), ""), wjit_word(b, every), "");
  return LLVMBuildICmp(b->b, LLVMIntULT, LLVMBuildSub(b->b, wjit_word(b, every - 1), rest, ""), b->rows, "");
}

static LLVMValueRef is_wide(wjit_batch *b) {
  LLVMValueRef any = NULL;
  for (uint32_t n = 0; n < b->n_tests; n++)
    any = wjit_either(b->b, any, LLVMBuildLShr(b->b, wjit_or_of(b, b->tests[n].before), wjit_word(b, b->tests[n].bits + 1), ""));
  return any == NULL ? NULL : LLVMBuildICmp(b->b, LLVMIntNE, any, wjit_word(b, 0), "");
}

/* Where one more tile has gone `way`. */
static void count_way(wjit_batch *b, wrt_batch_way way) {
  LLVMValueRef at = wjit_gep(b, b->i8, b->frame, wjit_word(b, offsetof(wrt_batch_frame, ways) + 8 * (uint64_t)way));
  LLVMBuildStore(b->b, LLVMBuildAdd(b->b, LLVMBuildLoad2(b->b, b->i64, at, ""), wjit_word(b, 1), ""), at);
}

static void go(wjit_batch *b, wrt_batch_way way, LLVMBasicBlockRef to) {
  count_way(b, way);
  LLVMBuildBr(b->b, to);
}

static void leave_if(wjit_batch *b, LLVMValueRef when, wrt_batch_way way, LLVMBasicBlockRef to) {
  if (when == NULL) return;
  LLVMBasicBlockRef on = wjit_new_block(b), off = wjit_new_block(b);
  LLVMBuildCondBr(b->b, when, off, on);
  LLVMPositionBuilderAtEnd(b->b, off);
  go(b, way, to);
  LLVMPositionBuilderAtEnd(b->b, on);
}

static void build_version(wjit_batch *b, bool is_small, LLVMBasicBlockRef wide, LLVMBasicBlockRef good, LLVMBasicBlockRef bad) {
  b->is_small = is_small;
  b->checks = is_small ? b->some : b->all;
  b->ranges = is_small ? b->ranges_small : b->ranges_any;
  b->bad = b->bad_lane = b->bytes = (wjit_sum){.type = NULL};
  b->n_tests = 0;
  for (uint32_t loop = 0; loop < b->n_loops; loop++) build_loop(b, loop);
  leave_if(b, is_wide(b), WRT_BATCH_WIDE, wide);
  leave_if(b, has_no_bool(b), WRT_BATCH_NO_BOOL, bad);
  leave_if(b, has_failed(b), WRT_BATCH_FAILED, bad);
  leave_if(b, is_told(b), WRT_BATCH_LEFT, bad);
  go(b, is_small ? WRT_BATCH_SMALL : WRT_BATCH_CHECKED, good);
}

/* ---- The kernel ---- */

LLVMValueRef wjit_frame_word(const wjit_batch *b, size_t offset, LLVMTypeRef type) {
  return LLVMBuildLoad2(b->b, type, wjit_gep(b, b->i8, b->frame, wjit_word(b, offset)), "");
}
static void add_attribute(const wjit_batch *b, const char *name, const char *value) {
  LLVMAttributeRef a = LLVMCreateStringAttribute(b->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
  LLVMAddAttributeAtIndex(b->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

static void begin(wjit_batch *b, const char *name) {
  b->function = wjit_new_function(b->module, name, LLVMFunctionType(b->i32, &b->ptr, 1, false));
  if (b->width == 8) { /* some processors are said to prefer narrower vectors */
    add_attribute(b, "prefer-vector-width", "512");
    add_attribute(b, "min-legal-vector-width", "512");
  }
  b->entry = wjit_new_block(b);
  LLVMPositionBuilderAtEnd(b->b, b->entry);
  b->frame = LLVMGetParam(b->function, 0);
  b->arena = wjit_frame_word(b, offsetof(wrt_batch_frame, arena), b->ptr);
  b->scratch = wjit_frame_word(b, offsetof(wrt_batch_frame, scratch), b->ptr);
  b->rows = wjit_frame_word(b, offsetof(wrt_batch_frame, rows), b->i64);
  LLVMValueRef columns = wjit_frame_word(b, offsetof(wrt_batch_frame, columns), b->ptr);
  for (uint32_t i = 0; i < b->program->n_inputs + b->program->n_outputs; i++)
    b->columns[i] = LLVMBuildLoad2(b->b, b->ptr, wjit_gep(b, b->ptr, columns, wjit_word(b, i)), "");
}

static void set_skip(wjit_batch *b, LLVMValueRef n) {
  LLVMBuildStore(b->b, n, wjit_gep(b, b->i8, b->frame, wjit_word(b, offsetof(wrt_batch_frame, skip))));
}

/* A small version, unless one has failed not long ago; then the one that checks. */
static void build_both(wjit_batch *b, LLVMBasicBlockRef good, LLVMBasicBlockRef bad) {
  LLVMBasicBlockRef wide = wjit_new_block(b), skipped = wjit_new_block(b), checked = wjit_new_block(b);
  LLVMValueRef skip = wjit_frame_word(b, offsetof(wrt_batch_frame, skip), b->i64);
  leave_if(b, LLVMBuildICmp(b->b, LLVMIntNE, skip, wjit_word(b, 0), ""), WRT_BATCH_SKIPPED, skipped);
  leave_if(b, wjit_batch_state_tests(b), WRT_BATCH_STATE, wide);
  build_version(b, true, wide, good, bad);
  LLVMPositionBuilderAtEnd(b->b, wide);
  set_skip(b, wjit_word(b, SKIPPED_TILES));
  LLVMBuildBr(b->b, checked);
  LLVMPositionBuilderAtEnd(b->b, skipped);
  set_skip(b, LLVMBuildSub(b->b, skip, wjit_word(b, 1), ""));
  LLVMBuildBr(b->b, WB_PLANTED(96) ? good : checked);
  LLVMPositionBuilderAtEnd(b->b, checked);
}

static void build_kernel(wjit_batch *b, const char *name) {
  begin(b, name);
  LLVMBasicBlockRef good = wjit_new_block(b), bad = wjit_new_block(b);
  wjit_batch_histories(b);
  if (b->has_small) build_both(b, good, bad);
  build_version(b, false, NULL, good, bad);
  LLVMPositionBuilderAtEnd(b->b, good);
  wjit_batch_effects(b);
  LLVMBuildRet(b->b, LLVMConstInt(b->i32, 0, false));
  LLVMPositionBuilderAtEnd(b->b, bad);
  LLVMBuildRet(b->b, LLVMConstInt(b->i32, 1, false));
}

static void name_types(wjit_batch *b) {
  b->i1 = LLVMInt1TypeInContext(b->context);
  b->i8 = LLVMInt8TypeInContext(b->context);
  b->i32 = LLVMInt32TypeInContext(b->context);
  b->i64 = LLVMInt64TypeInContext(b->context);
  b->f64 = LLVMDoubleTypeInContext(b->context);
  b->ptr = LLVMPointerTypeInContext(b->context, 0);
}

wrt_batch_code wjit_batch_kernel(wjit_batch *b) {
  b->program = b->plan->program;
  b->body = &b->plan->bodies->of_fit[b->fit];
  name_types(b);
  const char *why = wjit_batch_plan(b);
  if (why == NULL) build_kernel(b, b->plan->batches[b->fit]);
  wir_order_end(&b->g);
  return (wrt_batch_code){.why = why, .name = b->plan->batches[b->fit], .rows = b->rows_most, .scratch = b->scratch_bytes};
}
