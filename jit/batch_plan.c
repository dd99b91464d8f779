/* jit/batch_plan.c -- what is decided before code for tiles is built: which body can have it, its loops, where values are kept, which checks
** small numbers spare.
**
** A body that is not long becomes one loop, and no value leaves its registers but for outputs and what becomes history.  A long one is cut in
** the order of ir/order.h, where what one output needs stands together; what one loop has for another goes through columns of a tile. */
#include "jit/batch_emit.h"

#include <string.h>

enum { MOST_COST = 160, UNIT = WRT_BATCH_UNIT };
/* Columns that a loop writes.  Where there are many a cache takes a few at a time better than all at once (of 64, by 4: 21 ns a row; by 16: 28). */
enum { FEW_OUTPUTS = 16, FEW_STORES = 4 };
enum { FEWEST_ROWS = 256, MOST_ROWS = 1024 }; /* of a tile; with more than one loop its columns are to fit the first-level cache */

/* ---- Can the body be computed in tiles? ---- */

enum { MOST_OF_RECURRENCE = 48 }; /* instructions: each is built for every row of a vector */

static bool is_possible(const wjit_batch *b) {
  for (uint32_t k = 0; k < b->g.n_groups; k++)
    if (b->g.groups[k].n > MOST_OF_RECURRENCE) return false;
  return wir_is_tileable(&b->g, b->plan->bodies, b->fit, wjit_batch_has_op);
}

/* ---- Loops ---- */

/* Made anew wherever it is wanted: it costs no more than a load. */
bool wjit_is_local(const wjit_batch *b, uint32_t i) {
  const wir_ins *in = wjit_ins(b, i);
  if (in->op == WIR_I_CONST || in->op == WIR_I_READ || wir_holds(in)) return true;
  if (in->op != WIR_I_RING || b->g.groups[b->g.group_of[i]].form != WIR_FORM_SINGLE) return false;
  if (!wir_is_inside_tile(&b->g, in)) return true;
  const wir_ins *pushed = wjit_ins(b, b->g.kept[in->state] - 1);
  return pushed->op == WIR_I_CONST || pushed->op == WIR_I_READ || wir_holds(pushed);
}

static uint32_t cost_of(const wjit_batch *b, const wir_group *group) {
  const wir_ins *in = wjit_ins(b, b->g.order[group->first]);
  bool is_scan = group->form != WIR_FORM_ROWS && group->form != WIR_FORM_SCALE; /* of Floats sums are none, but that is no matter here */
  if (group->form != WIR_FORM_SINGLE) return is_scan ? 8 + group->n : group->n * b->width / 2;
  if (in->op == WIR_I_CONST) return 0;
  return in->kind == WIR_KIND_INT && (in->op == WIR_I_DIV || in->op == WIR_I_REM) ? 8 : 1;
}

/* Rows that are computed one after the other take their time, which wide vectors do not shorten; they slow such a processor down. */
static void choose_width(wjit_batch *b) {
  enum { FEW = 24, NARROW = 4 };
  uint32_t vectors = 0, lanes = 0;
  for (uint32_t k = 0; k < b->g.n_groups; k++) {
    const wir_group *group = &b->g.groups[k];
    if (group->form == WIR_FORM_SCALE || group->form == WIR_FORM_ROWS) lanes += group->n;
    else vectors += group->n;
  }
  if (lanes != 0 && vectors < FEW) b->width = WB_MIN(b->width, NARROW);
}

static void cut(wjit_batch *b) {
  uint32_t cost = 0, stores = 0, most_stores = b->program->n_outputs <= FEW_OUTPUTS ? FEW_OUTPUTS : FEW_STORES;
  for (uint32_t k = 0; k < b->g.n_groups; k++) {
    const wir_group *group = &b->g.groups[k];
    uint32_t more = cost_of(b, group), new_stores = 0;
    for (uint32_t n = 0; n < group->n; n++) new_stores += b->first_write[b->g.order[group->first + n]] != 0;
    if (cost != 0 && (cost + more > MOST_COST || stores + new_stores > most_stores)) {
      b->n_loops++;
      cost = stores = 0;
    }
    cost += more;
    stores += new_stores;
    for (uint32_t n = 0; n < group->n; n++) b->loop_of[b->g.order[group->first + n]] = b->n_loops;
  }
  b->n_loops++;
}

/* ---- Places ---- */

static uint64_t take_column(wjit_batch *b, uint64_t front) {
  uint64_t at = b->scratch_bytes + (front * 8 + 63) / 64 * 64;
  b->scratch_bytes = at + (uint64_t)b->rows_most * 8 + 64; /* columns a page apart would share their places in the cache */
  return at;
}

static uint32_t real_of(const wjit_batch *b, uint32_t i) { return wir_holds(wjit_ins(b, i)) ? wjit_ins(b, i)->args[0].i : i; }

/* The value's last `rows` rows are wanted after the tile. */
static void keep_rows(wjit_batch *b, uint32_t i, uint64_t rows) {
  wjit_place *p = &b->places[i];
  p->is_kept = true;
  p->kept_rows = WB_MAX(p->kept_rows, WB_MIN(rows, b->rows_most));
}

/* A sample of `back` rows before the last row is where the last rows of what is pushed are. */
bool wjit_is_behind(const wjit_batch *b, uint32_t i) {
  const wir_ins *in = wjit_ins(b, i);
  return in->op == WIR_I_RING && in->imm.offset < UNIT && wjit_ins(b, b->g.kept[in->state] - 1)->op != WIR_I_CONST;
}

static void note_effects(wjit_batch *b) {
  for (uint32_t i = b->body->effects; i < b->body->n_ins; i++) {
    const wir_ins *in = wjit_ins(b, i);
    uint32_t v = in->args[0].i;
    if (in->op == WIR_I_WRITE) continue;
    if (in->op == WIR_I_PUSH) keep_rows(b, v, b->program->states[in->state].capacity);
    else if (wjit_is_behind(b, v)) keep_rows(b, b->g.kept[wjit_ins(b, v)->state] - 1, wjit_ins(b, v)->imm.offset + 1);
    else keep_rows(b, v, 1);
  }
}

static void note_use(wjit_batch *b, uint32_t loop, uint32_t of) {
  if (!wjit_is_local(b, of) && b->loop_of[of] != loop) b->places[of].is_crossing = true;
}

static void note_uses(wjit_batch *b) {
  for (uint32_t k = 0; k < b->g.n_order; k++) {
    uint32_t i = b->g.order[k];
    const wir_ins *in = wjit_ins(b, i);
    for (uint32_t a = 0; a < wir_insns[in->op].operands; a++) note_use(b, b->loop_of[i], in->args[a].i);
    if (in->op != WIR_I_RING) continue;
    wjit_history *h = &b->histories[in->state];
    if (!wir_is_inside_tile(&b->g, in)) continue;
    uint32_t pushed = b->g.kept[in->state] - 1;
    h->most = WB_MAX(h->most, in->imm.offset);
    note_use(b, b->loop_of[i], pushed);
  }
}

/* How far back loops go: by vectors that they carry along, or in columns. */
static void find_turns(wjit_batch *b) {
  for (uint32_t s = 0; s < b->program->n_states; s++) {
    wjit_history *h = &b->histories[s];
    if (h->most == 0) continue;
    uint64_t turns = (h->most + b->width - 1) / b->width;
    if (turns <= WJIT_MOST_TURNS) h->turns = (uint32_t)turns;
    else {
      wjit_place *p = &b->places[real_of(b, b->g.kept[s] - 1)];
      h->at = take_column(b, h->most);
      h->next_far = p->far;
      p->far = s + 1;
    }
  }
}

static void place_one(wjit_batch *b, uint32_t i) {
  wjit_place *p = &b->places[i];
  const wir_ins *in = wjit_ins(b, i);
  bool is_read = in->op == WIR_I_READ || wir_holds(in);
  if (is_read) p->memory = WJIT_INPUT;
  else if (in->op == WIR_I_RING && !wir_is_inside_tile(&b->g, in)) p->memory = WJIT_COLUMN;
  else if (in->op == WIR_I_CONST) p->memory = p->kept_rows > 1 ? WJIT_COLUMN : WJIT_NOWHERE;
  else if (b->first_write[i] != 0) p->memory = WJIT_OUTPUT, p->output = b->first_write[i] - 1;
  else if (p->is_crossing || p->kept_rows > b->width) p->memory = WJIT_COLUMN;
  else if (p->is_kept) p->memory = WJIT_SLOT;
  if (p->memory == WJIT_COLUMN) p->at = take_column(b, 0);
  p->has_mask = (in->may & WIR_MAY_FAIL) != 0 && (p->is_crossing || p->is_kept);
  if (p->has_mask && p->is_crossing) p->mask_at = take_column(b, 0);
}

/* ---- Checks ---- */

static bool is_const(const wjit_batch *b, wir_val v, int64_t k) {
  const wir_ins *in = wir_ins_at(b->body, v);
  return in->op == WIR_I_CONST && in->imm.i == k;
}

/* Remainders that are only compared with 0. */
static void find_divisibility(wjit_batch *b) {
  const wir_body *body = b->body;
  for (uint32_t i = 0; i < body->effects; i++) {
    const wir_ins *in = &body->ins[i];
    b->is_divisibility[i] = in->op == WIR_I_REM && in->kind == WIR_KIND_INT && wir_ins_at(body, in->args[1])->op == WIR_I_CONST;
  }
  for (uint32_t i = 0; i < body->n_ins; i++) {
    const wir_ins *in = &body->ins[i];
    bool compares = (in->op == WIR_I_EQ || in->op == WIR_I_NE) && (is_const(b, in->args[0], 0) || is_const(b, in->args[1], 0));
    for (uint32_t a = 0; b->g.needed[i] && !compares && a < wir_insns[in->op].operands; a++) b->is_divisibility[in->args[a].i] = 0;
  }
}

static bool is_wide_division(const wjit_batch *b, uint32_t i, const wir_interval *ranges) {
  const wir_ins *in = wjit_ins(b, i);
  if (!b->g.needed[i] || in->kind != WIR_KIND_INT || (in->op != WIR_I_DIV && in->op != WIR_I_REM) || b->is_divisibility[i]) return false;
  return wir_interval_bits(ranges[in->args[0].i]) > WJIT_SMALL_BITS || wir_interval_bits(ranges[in->args[1].i]) > WJIT_SMALL_BITS;
}
static uint32_t count_wide(const wjit_batch *b, const wir_interval *ranges) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->body->effects; i++) n += is_wide_division(b, i, ranges);
  return n;
}

/* The bits that spare most checks, and divisions of what is too large for Floats; as many as that allows. */
static unsigned find_bits(wjit_batch *b) {
  unsigned bits = wir_checks_bits(&b->g, b->some, b->ranges_small);
  uint32_t wide = count_wide(b, b->ranges_small), least_checks = wir_checks(&b->g, bits, b->some, b->ranges_small);
  if (wide == 0) return bits;
  (void)wir_checks(&b->g, WIR_LEAST_BITS, b->some, b->ranges_small);
  uint32_t least_wide = count_wide(b, b->ranges_small);
  if (least_wide < wide)
    for (bits = WB_MIN(bits, WJIT_SMALL_BITS); bits > WIR_LEAST_BITS; bits--)
      if (wir_checks(&b->g, bits, b->some, b->ranges_small) == least_checks && count_wide(b, b->ranges_small) == least_wide) break;
  (void)wir_checks(&b->g, bits, b->some, b->ranges_small);
  return bits;
}

/* What checks cost, in operations on vectors, and what the tests cost that spare them. */
static uint32_t cost_of_checks(const wjit_batch *b) {
  uint32_t cost = 0;
  for (uint32_t i = 0; i < b->body->effects; i++) {
    const wir_ins *in = wjit_ins(b, i);
    if (is_wide_division(b, i, b->ranges_any) && !is_wide_division(b, i, b->ranges_small)) cost += 8;
    if (b->all[i] && !b->some[i]) cost += in->op == WIR_I_MUL ? 4 : 2;
    if (b->all[i] && !b->some[i] && in->is_guarded) cost++;
  }
  return cost;
}
static uint32_t cost_of_tests(const wjit_batch *b) {
  uint32_t cost = 0;
  for (uint32_t i = 0; i < b->body->effects; i++) {
    const wir_ins *in = wjit_ins(b, i);
    if (b->marks[i] && in->kind == WIR_KIND_INT && in->op == WIR_I_READ) cost += 2;
  }
  return cost;
}

static void find_checks(wjit_batch *b) {
  uint8_t *spared = b->marks + b->body->n_ins; /* the second half */
  (void)wir_checks(&b->g, 63, b->all, b->ranges_any);
  if (find_bits(b) == 63) return;
  for (uint32_t i = 0; i < b->body->n_ins; i++)
    spared[i] = (b->all[i] && !b->some[i]) || (is_wide_division(b, i, b->ranges_any) && !is_wide_division(b, i, b->ranges_small));
  uint8_t *none = spared + b->body->n_ins;
  memset(none, 0, b->body->n_ins);
  wir_checks_depend(&b->g, spared, none, b->marks);
  b->has_small = cost_of_checks(b) > cost_of_tests(b);
}

/* ---- All ---- */

static bool take_memory(wjit_batch *b) {
  size_t n = (size_t)b->body->n_ins + 1;
  return (b->values = WB_NEW_ARRAY(b->mem, wjit_cell, n)) != NULL &&
         (b->later = WB_NEW_ARRAY(b->mem, wjit_cell, 2 * n)) != NULL &&
         (b->places = WB_NEW_ARRAY(b->mem, wjit_place, n)) != NULL &&
         (b->loop_of = WB_NEW_ARRAY(b->mem, uint32_t, n)) != NULL &&
         (b->first_write = WB_NEW_ARRAY(b->mem, uint32_t, n)) != NULL &&
         (b->next_write = WB_NEW_ARRAY(b->mem, uint32_t, (size_t)b->program->n_outputs + 1)) != NULL &&
         (b->all = WB_NEW_ARRAY(b->mem, uint8_t, n)) != NULL &&
         (b->some = WB_NEW_ARRAY(b->mem, uint8_t, n)) != NULL &&
         (b->marks = WB_NEW_ARRAY(b->mem, uint8_t, 3 * n)) != NULL &&
         (b->is_divisibility = WB_NEW_ARRAY(b->mem, uint8_t, n)) != NULL &&
         (b->ranges_small = WB_NEW_ARRAY(b->mem, wir_interval, n)) != NULL &&
         (b->ranges_any = WB_NEW_ARRAY(b->mem, wir_interval, n)) != NULL &&
         (b->histories = WB_NEW_ARRAY(b->mem, wjit_history, (size_t)b->program->n_states + 1)) != NULL &&
         (b->columns = WB_NEW_ARRAY(b->mem, LLVMValueRef, (size_t)b->program->n_inputs + b->program->n_outputs + 1)) != NULL &&
         (b->lanes = wb_alloc(b->mem, n, sizeof *b->lanes, _Alignof(LLVMValueRef))) != NULL &&
         (b->lane_masks = wb_alloc(b->mem, n, sizeof *b->lane_masks, _Alignof(LLVMValueRef))) != NULL;
}

const char *wjit_batch_plan(wjit_batch *b) {
  const wir_body *body = b->body;
  b->rows_most = body->n_ins <= MOST_COST ? MOST_ROWS : FEWEST_ROWS;
  if (!wir_order_make(b->program, body, b->rows_most, b->mem, &b->g)) return WRT_NO_MEMORY;
  if (!is_possible(b)) return "an operation that tiles do not have";
  if (!take_memory(b)) return WRT_NO_MEMORY;
  for (uint32_t i = body->n_ins; i-- > body->effects;) {
    const wir_ins *in = wjit_ins(b, i);
    if (in->op != WIR_I_WRITE) continue;
    uint32_t o = wir_find_output(b->program, in->stream);
    b->next_write[o] = b->first_write[in->args[0].i];
    b->first_write[in->args[0].i] = o + 1;
  }
  choose_width(b);
  cut(b);
  note_effects(b);
  note_uses(b);
  find_turns(b);
  for (uint32_t k = 0; k < b->g.n_order; k++) place_one(b, b->g.order[k]);
  find_divisibility(b);
  find_checks(b);
  return NULL;
}
