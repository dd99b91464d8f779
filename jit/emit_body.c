/* jit/emit_body.c -- a kernel from a body: in which order its instructions are built.
**
** First what can leave the kernel and what that depends on, as the body has it.  Then the effects (emit_effects.c), behind what only they need:
** that is kept in registers for a moment instead of through the kernel. */
#include "jit/emit.h"
#include "jit/llvm_words.h"

static const wir_ins *ins(const wjit_emit *e, uint32_t i) { return &e->body->ins[i]; }
static uint32_t n_operands(const wjit_emit *e, uint32_t i) { return wir_insns[ins(e, i)->op].operands; }
static bool has_state(const wir_ins *in) {
  switch ((unsigned)in->op) {
  case WIR_I_RING: case WIR_I_HOLD: case WIR_I_FILL: case WIR_I_PROPER: case WIR_I_STARTED: case WIR_I_KEEP: case WIR_I_PUSH: return true;
  }
  return false;
}

/* Lists: of the readers of each state, and of the effects on each instruction. */
static void find_lists(const wjit_emit *e, wjit_lists *l) {
  for (uint32_t s = 0; s < e->program->n_states; s++) l->reader[s] = WJIT_NO_INS;
  for (uint32_t i = 0; i < e->body->n_ins; i++) {
    l->is_built[i] = 0;
    l->effect[i] = WJIT_NO_INS;
  }
  for (uint32_t i = e->body->n_ins; i-- > 0;) {
    uint32_t *first = i >= e->body->effects ? &l->effect[ins(e, i)->args[0].i] : has_state(ins(e, i)) ? &l->reader[ins(e, i)->state] : NULL;
    if (first == NULL) continue;
    l->next[i] = *first;
    *first = i;
  }
}

static bool leaves(const wjit_emit *e, uint32_t i) {
  const wir_ins *in = ins(e, i);
  return wir_ins_leaves(e->body, in) && !(e->spared != NULL && e->spared[i] && wir_ins_fails(in) && in->kind == WIR_KIND_INT && in->op != WIR_I_SELECT);
}

/* Where LLVM's fastest way of choosing instructions meets one that it cannot, it takes the slow one for the block up to there, whose time is
** more than linear: blocks of large bodies are kept short. */
void wjit_build_one(wjit_emit *e, uint32_t i) {
  enum { BLOCK = 50 };
  wjit_emit_ins(e, i);
  if (!e->is_large || ++e->n_in_block < BLOCK) return;
  LLVMBasicBlockRef on = wjit_block(e);
  LLVMBuildBr(e->b, on);
  LLVMPositionBuilderAtEnd(e->b, on);
  e->n_in_block = 0;
}

/* With what it depends on.  A stack of its own: a chain is as long as the body. */
void wjit_build(wjit_emit *e, uint32_t i) {
  uint32_t *stack = e->lists.stack, n = 0;
  stack[n++] = i;
  while (n != 0) {
    uint32_t top = stack[n - 1], k = 0;
    while (k < n_operands(e, top) && e->lists.is_built[ins(e, top)->args[k].i]) k++;
    if (k < n_operands(e, top)) {
      stack[n++] = ins(e, top)->args[k].i;
      continue;
    }
    if (!e->lists.is_built[top]) wjit_build_one(e, top);
    e->lists.is_built[top] = 1;
    n--;
  }
}

static void leave_for_tests(wjit_emit *e) {
  if (e->plan->leave_every == 0) return;
  LLVMValueRef turn = LLVMBuildAdd(e->b, wjit_frame(e, e->i64, WRT_FRAME_ticks), wjit_int(e, e->region), "");
  LLVMValueRef rest = LLVMBuildURem(e->b, turn, wjit_int(e, e->plan->leave_every), "");
  wjit_leave_if(e, LLVMBuildICmp(e->b, LLVMIntEQ, rest, wjit_int(e, 0), ""), wjit_cause(e, WEIR_CAUSE_OVERFLOW));
}

static void build_leaving(wjit_emit *e) {
  uint8_t *is_marked = e->lists.is_marked;
  for (uint32_t i = 0; i < e->body->effects; i++) is_marked[i] = leaves(e, i);
  for (uint32_t i = e->body->effects; i-- > 0;)
    for (uint32_t k = 0; is_marked[i] && k < n_operands(e, i); k++) is_marked[ins(e, i)->args[k].i] = 1;
  for (uint32_t i = 0; i < e->body->effects; i++)
    if (is_marked[i]) wjit_build(e, i);
  leave_for_tests(e);
  wjit_leave_if_any(e);
}

/* Bodies of so many checks gather failures: a branch for each would be a block for each. */
enum { MOST_BRANCHES = 40 };

static uint32_t count_leaving(const wjit_emit *e) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < e->body->effects; i++) n += leaves(e, i);
  return n;
}

/* In a crowded body what was read for a check is read again for an effect: it would be kept in memory anyway. */
static void forget_leaves(wjit_emit *e) {
  for (uint32_t i = 0; e->is_crowded && i < e->body->effects; i++)
    if ((ins(e, i)->op == WIR_I_READ || ins(e, i)->op == WIR_I_RING) && ins(e, i)->may == 0) e->lists.is_built[i] = 0;
}

void wjit_forget_rings(wjit_emit *e) {
  for (uint32_t s = 0; s < e->program->n_states; s++) e->next[s] = NULL;
}

static void build_body(wjit_emit *e) {
  enum { FEW = 60 };
  e->is_crowded = e->body->n_ins > FEW;
  e->collects = count_leaving(e) > MOST_BRANCHES;
  e->failed = e->cause = NULL;
  wjit_forget_rings(e);
  find_lists(e, &e->lists);
  build_leaving(e);
  forget_leaves(e);
  wjit_emit_effects(e);
  if (e->body->is_whole) wjit_row_end(e);
  else wjit_region_end(e);
}

/* ---- Small inputs ---- */

/* More bits would do for many bodies.  But the processor guesses how the test ends, and a wrong guess takes longer than checks: of numbers that are
** spread over 64 bits every fourth is within 2^61, and one in 512 within 2^54.  Ints that a double holds are, and microseconds since 1970. */
enum { MOST_TESTED = 54 };

/* Is it worth a test of inputs, and a second body?  A check outside guards is a branch that is not taken; under one, its outcome becomes a
** condition that goes along with the value. */
static bool find_spared(const wjit_emit *e, const wir_order *order, wjit_ranges *r) {
  uint32_t n_tests = 0, worth = 0, n_spared = 0, n_all = 0;
  r->bits = wir_checks_bits(order, r->some, r->ranges);
  if (r->bits == 63) return false;
  r->bits = WB_MIN(r->bits, MOST_TESTED); /* fewer spare the same checks */
  (void)wir_checks(order, 63, r->all, r->ranges);
  wir_checks_depend(order, r->all, r->some, r->marks);
  for (uint32_t i = 0; i < e->body->effects; i++) {
    r->spared[i] = r->all[i] && !r->some[i];
    n_spared += r->spared[i];
    n_all += r->all[i];
    if (r->spared[i]) worth += ins(e, i)->is_guarded ? 3 : 1;
    n_tests += r->marks[i] && ins(e, i)->op == WIR_I_READ && ins(e, i)->kind == WIR_KIND_INT;
  }
  return n_tests != 0 && worth >= 2 * n_tests && 2 * n_spared >= n_all;
}

/* Branches to a new block, for inputs that are not small. */
static LLVMBasicBlockRef test_inputs(wjit_emit *e, const wjit_ranges *r) {
  LLVMValueRef all = NULL;
  LLVMBasicBlockRef large = wjit_block(e);
  for (uint32_t i = 0; i < e->body->effects; i++) {
    if (!r->marks[i] || ins(e, i)->op != WIR_I_READ || ins(e, i)->kind != WIR_KIND_INT) continue;
    LLVMValueRef from_least = LLVMBuildAdd(e->b, wjit_row_input(e, ins(e, i)).v, wjit_int(e, INT64_C(1) << r->bits), "");
    all = wjit_either(e->b, all, from_least);
  }
  LLVMValueRef above = LLVMBuildLShr(e->b, all, wjit_int(e, r->bits + 1), "");
  wjit_branch_if(e, LLVMBuildICmp(e->b, LLVMIntNE, above, wjit_int(e, 0), ""), large);
  return large;
}

/* Where inputs are small many operations cannot fail: a body for these rows, and one for the others. */
static void build_small(wjit_emit *e, wjit_ranges *r) {
  wir_order order;
  bool is_made = wir_order_make(e->program, e->body, 1, r->mem, &order), is_worth = is_made && find_spared(e, &order, r);
  wir_order_end(&order);
  if (!is_worth) return;
  LLVMBasicBlockRef large = test_inputs(e, r);
  e->spared = r->spared;
  build_body(e);
  e->spared = NULL;
  LLVMPositionBuilderAtEnd(e->b, large);
}

void wjit_emit_kernel(wjit_emit *e, wir_body_fit fit) {
  e->fit = fit;
  e->body = &e->plan->bodies->of_fit[fit];
  e->spared = NULL;
  wjit_row_begin(e);
  if (fit == WIR_BODY_WARM && !e->is_large) build_small(e, &e->ranges);
  build_body(e);
}

/* Nothing of one body is known in the other, but for what was asked. */
void wjit_emit_region(wjit_emit *e, uint32_t region) {
  e->fit = WIR_BODY_GENERAL;
  e->body = &e->plan->bodies->of_region[region];
  e->region = region;
  e->spared = NULL;
  wjit_region_begin(e, e->plan->regions[region]);
  LLVMBasicBlockRef other = wjit_region_ask(e);
  e->fit = WIR_BODY_SPARSE;
  e->body = &e->plan->bodies->sparse_of_region[region];
  build_body(e);
  LLVMPositionBuilderAtEnd(e->b, other);
  e->fit = WIR_BODY_GENERAL;
  e->body = &e->plan->bodies->of_region[region];
  if (e->body->n_ins > e->plan->most_general) wjit_region_refuse(e);
  else build_body(e);
}
