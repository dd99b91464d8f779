/* runtime/tile_steps.c -- from instructions to steps over columns: loops for operations and for the forms of recurrences.
**
** A constant stays one as long as a loop takes it, and gets a column where none does.  Where an operation may fail in a guard, a second column has
** the masks.  Leave alone: which instructions, in which order (ir/order.c), and what is checked (tile_plan.c). */
#include <string.h>

#include "runtime/tile_maker.h"

enum { NONE = WRT_TILE_NO_COLUMN };

typedef wrt_tile_maker maker;
typedef wrt_tile_value value;

static const wir_ins *ins(const maker *k, uint32_t i) { return wrt_tile_ins(k, i); }
static value *value_of(const maker *k, wir_val v) { return &k->at[v.i]; }

/* ---- Columns ---- */

static uint32_t new_column(maker *k) { return k->n_columns++; }

/* Where a constant is in the table, or where it would be put. */
static uint32_t *find_const(const maker *k, int64_t x) {
  uint64_t h = (uint64_t)x * UINT64_C(0x9e3779b97f4a7c15);
  size_t mask = k->n_const_table - 1;
  for (size_t at = (size_t)(h ^ h >> 32) & mask;; at = (at + 1) & mask) {
    uint32_t *number = &k->const_table[at];
    if (*number == 0 || k->consts.at[*number - 1].value == x) return number;
  }
}

static bool make_room_for_const(maker *k) {
  if (2 * (k->consts.n + 1) < k->n_const_table) return true;
  size_t n = k->n_const_table == 0 ? 64 : 2 * k->n_const_table;
  uint32_t *table = wb_block(k->mem, n * sizeof *table);
  if (table == NULL) return false;
  wb_block_free(k->mem, k->const_table);
  memset(table, 0, n * sizeof *table);
  k->const_table = table;
  k->n_const_table = n;
  for (uint32_t i = 0; i < k->consts.n; i++) *find_const(k, k->consts.at[i].value) = i + 1;
  return true;
}

static uint32_t const_column(maker *k, int64_t x) {
  uint32_t *number = make_room_for_const(k) ? find_const(k, x) : NULL;
  if (number != NULL && *number != 0) return WRT_TILE_CONSTS + *number - 1;
  if (number == NULL || !WB_PUSH(k->mem, &k->consts, (wrt_tile_const){(uint32_t)k->consts.n, x})) {
    k->out_of_memory = true;
    return WRT_TILE_CONSTS;
  }
  *number = (uint32_t)k->consts.n;
  return WRT_TILE_CONSTS + *number - 1;
}

uint32_t wrt_tile_column_of(maker *k, const value *p) { return p->is_const ? const_column(k, p->k) : p->column; }

static void put(maker *k, wrt_tile_step s) {
  if (!WB_PUSH(k->mem, &k->steps, s)) k->out_of_memory = true;
}

static void put1(maker *k, wrt_tile_loop loop, uint32_t d, uint32_t a) { put(k, (wrt_tile_step){.loop = (uint16_t)loop, .d = d, .a = a}); }
static void put2(maker *k, wrt_tile_loop loop, uint32_t d, uint32_t a, uint32_t b) {
  put(k, (wrt_tile_step){.loop = (uint16_t)loop, .d = d, .a = a, .b = b});
}

/* Where the result of instruction `i` is to go: to the caller, if it is an output as it is. */
static uint32_t column_for(maker *k, uint32_t i) {
  uint32_t w = k->first_write[i];
  return w == 0 || ins(k, i)->kind == WIR_KIND_BOOL ? new_column(k) : k->p->n_inputs + w - 1;
}

/* ---- Masks ---- */

static uint32_t or_masks(maker *k, uint32_t a, uint32_t b) {
  if (a == NONE || a == b) return b;
  if (b == NONE) return a;
  uint32_t d = new_column(k);
  put2(k, WRT_TILE_OR_VV, d, a, b);
  return d;
}

/* Of two masks that of the chosen one. */
static uint32_t select_mask(maker *k, uint32_t c, uint32_t yes, uint32_t no) {
  if (yes == no) return yes;
  uint32_t d = new_column(k);
  if (no == NONE) put2(k, WRT_TILE_SELECT_VVK, d, c, yes);
  else if (yes == NONE) put2(k, WRT_TILE_SELECT_VKV, d, c, no);
  else put(k, (wrt_tile_step){.loop = WRT_TILE_SELECT_VVV, .d = d, .a = c, .b = yes, .c = no});
  return d;
}

/* What has a mask outside all guards must not have failed. */
static void settle_mask(maker *k, const wir_ins *in, value *p) {
  if (p->mask == NONE || in->is_guarded) return;
  put1(k, WRT_TILE_BAD, p->mask, p->mask);
  p->mask = NONE;
}

/* ---- Operations ---- */

/* The loops of an operation.  kv: a constant on the left, which stands in k as ever, and the column in a.  is_swapped: vv takes its operands the
** other way round.  NONE: the constant gets a column. */
typedef struct family { uint16_t vv, vk, kv; bool is_swapped; } family;
#define SYMMETRIC(name) {WRT_TILE_##name##_VV, WRT_TILE_##name##_VK, WRT_TILE_##name##_VK, false}
#define ORDERED(name) {WRT_TILE_##name##_VV, WRT_TILE_##name##_VK, WRT_TILE_##name##_KV, false}
#define COLUMNS(name) {WRT_TILE_##name##_VV, 0, 0, false}
#define UNARY(name) {WRT_TILE_##name##_V, 0, 0, false}
#define MIRRORED(name, mirror) {WRT_TILE_##name##_VV, WRT_TILE_##name##_VK, WRT_TILE_##mirror##_VK, false}
#define SWAPPED(name, mirror) {WRT_TILE_##mirror##_VV, WRT_TILE_##name##_VK, WRT_TILE_##mirror##_VK, true}

enum { PLAIN, CHECKED, GUARDED, WAYS };
static const family ints[WIR_INS_OPS][WAYS] = {
  [WIR_I_ADD] = {SYMMETRIC(ADD), SYMMETRIC(ADD_C), SYMMETRIC(ADD_G)},
  [WIR_I_SUB] = {ORDERED(SUB), ORDERED(SUB_C), ORDERED(SUB_G)},
  [WIR_I_MUL] = {SYMMETRIC(MUL), SYMMETRIC(MUL_C), SYMMETRIC(MUL_G)},
  [WIR_I_DIV] = {{0}, ORDERED(DIV_C), ORDERED(DIV_G)},
  [WIR_I_REM] = {{0}, ORDERED(REM_C), ORDERED(REM_G)},
  [WIR_I_POW] = {{0}, COLUMNS(POW_C), COLUMNS(POW_G)},
  [WIR_I_NEG] = {UNARY(NEG), UNARY(NEG_C), UNARY(NEG_G)},
  [WIR_I_ABS] = {UNARY(ABS), UNARY(ABS_C), UNARY(ABS_G)},
  [WIR_I_EQ] = {SYMMETRIC(EQ)}, [WIR_I_NE] = {SYMMETRIC(NE)},
  [WIR_I_LT] = {MIRRORED(LT, GT)}, [WIR_I_LE] = {MIRRORED(LE, GE)}, [WIR_I_GT] = {SWAPPED(GT, LT)}, [WIR_I_GE] = {SWAPPED(GE, LE)},
  [WIR_I_NOT] = {UNARY(NOT)}, [WIR_I_FLOAT] = {UNARY(FLOAT)},
};
static const family floats[WIR_INS_OPS] = {
  [WIR_I_ADD] = SYMMETRIC(ADD_F), [WIR_I_SUB] = ORDERED(SUB_F), [WIR_I_MUL] = SYMMETRIC(MUL_F), [WIR_I_DIV] = ORDERED(DIV_F),
  [WIR_I_REM] = COLUMNS(REM_F), [WIR_I_POW] = COLUMNS(POW_F), [WIR_I_NEG] = UNARY(NEG_F), [WIR_I_ABS] = UNARY(ABS_F),
  [WIR_I_SIN] = UNARY(SIN_F), [WIR_I_COS] = UNARY(COS_F), [WIR_I_TAN] = UNARY(TAN_F),
  [WIR_I_EQ] = SYMMETRIC(EQ_F), [WIR_I_NE] = SYMMETRIC(NE_F), [WIR_I_LT] = MIRRORED(LT_F, GT_F), [WIR_I_LE] = MIRRORED(LE_F, GE_F),
  [WIR_I_GT] = SWAPPED(GT_F, LT_F), [WIR_I_GE] = SWAPPED(GE_F, LE_F),
};

/* Of a choice those of its arms. */
static uint8_t kind_of_operands(const wir_order *g, const wir_ins *in) {
  uint8_t n = wir_insns[in->op].operands;
  return n == 0 ? in->kind : wir_order_ins(g, in->args[n == 3].i)->kind;
}
static const family *family_of(const wir_order *g, const wir_ins *in, int way) {
  return kind_of_operands(g, in) == WIR_KIND_FLOAT ? &floats[in->op] : &ints[in->op][way];
}

/* A product with 0 or 1 cannot fail; with -1 it is a negation.  Dividing by 0 takes a column. */
static bool is_plain_factor(const wir_ins *in, int64_t k) { return in->op == WIR_I_MUL && (k == 0 || k == 1); }
static bool needs_column(const wir_ins *in, int way, int64_t k, bool is_left) {
  if (in->kind != WIR_KIND_INT) return false;
  if (in->op == WIR_I_MUL) return way != PLAIN && k == -1;
  return (in->op == WIR_I_DIV || in->op == WIR_I_REM) && !is_left && k == 0;
}

/* These always look: in a lane that has failed before, the divisor may be 0. */
bool wrt_tile_divides(const wir_ins *in) {
  return in->kind == WIR_KIND_INT && (in->op == WIR_I_DIV || in->op == WIR_I_REM || in->op == WIR_I_POW);
}

/* A strict operation: its value, and its mask from its operands' and its own. */
static void put_strict(maker *k, uint32_t i, const wir_ins *in) {
  bool is_binary = wir_insns[in->op].operands == 2, is_real = kind_of_operands(k->g, in) == WIR_KIND_FLOAT;
  value *a = value_of(k, in->args[0]), *b = is_binary ? value_of(k, in->args[1]) : a, *to = &k->at[i];
  int way = !k->checks[i] && !wrt_tile_divides(in) ? PLAIN : in->is_guarded ? GUARDED : CHECKED;
  bool left = is_binary && a->is_const && !b->is_const, right = is_binary && b->is_const;
  int64_t constant = left ? a->k : b->k;
  if ((left || right) && !is_real && is_plain_factor(in, constant)) way = PLAIN;
  const family *f = family_of(k->g, in, way);
  wrt_tile_step s = {.loop = f->vv, .d = column_for(k, i)};
  if ((left || right) && (left ? f->kv : f->vk) != 0 && !needs_column(in, way, constant, left)) {
    s.loop = left ? f->kv : f->vk;
    s.a = wrt_tile_column_of(k, left ? b : a);
    s.k = constant;
  } else {
    s.a = wrt_tile_column_of(k, f->is_swapped ? b : a);
    s.b = wrt_tile_column_of(k, f->is_swapped ? a : b);
  }
  if (way == GUARDED) s.c = new_column(k);
  put(k, s);
  uint32_t mask = or_masks(k, a->mask, is_binary ? b->mask : NONE);
  *to = (value){.column = s.d, .mask = way == GUARDED && k->checks[i] ? or_masks(k, mask, s.c) : mask};
}

static void be_const(maker *k, uint32_t i, int64_t x) { k->at[i] = (value){.column = NONE, .mask = NONE, .is_const = true, .k = x}; }

static void put_not(maker *k, uint32_t i, const wir_ins *in) {
  const value *a = value_of(k, in->args[0]);
  if (a->is_const) {
    uint32_t mask = a->mask;
    be_const(k, i, a->k ^ 1);
    k->at[i].mask = mask;
    return;
  }
  uint32_t d = column_for(k, i);
  put1(k, WRT_TILE_NOT_V, d, a->column);
  k->at[i] = (value){.column = d, .mask = a->mask};
}

/* A choice of Bools with a constant arm, as an operation: the loop, and the operands in their order; NONE: there is none. */
static wrt_tile_loop bool_choice(uint32_t c, const value *x, const value *y, uint32_t *a, uint32_t *b) {
  *a = c;
  *b = x->is_const ? y->column : x->column;
  if (x->is_const && y->is_const) return x->k == 0 && y->k == 1 ? WRT_TILE_NOT_V : WRT_TILE_NONE;
  if (x->is_const) return x->k ? WRT_TILE_OR_VV : WRT_TILE_BUT_VV;
  if (y->is_const) return y->k ? WRT_TILE_IMPLIES_VV : WRT_TILE_AND_VV;
  return WRT_TILE_NONE;
}

/* if; masks are those of the condition and of the arm that it takes. */
static void put_select(maker *k, uint32_t i, const wir_ins *in) {
  const value c = *value_of(k, in->args[0]), x = *value_of(k, in->args[1]), y = *value_of(k, in->args[2]);
  if (c.is_const) {
    k->at[i] = c.k ? x : y;
    k->at[i].mask = or_masks(k, c.mask, k->at[i].mask);
    settle_mask(k, in, &k->at[i]);
    return;
  }
  value to = {.mask = or_masks(k, c.mask, select_mask(k, c.column, WB_PLANTED(51) ? y.mask : x.mask, y.mask))};
  uint32_t a, b;
  wrt_tile_loop loop = in->kind == WIR_KIND_FLOAT ? WRT_TILE_NONE : bool_choice(c.column, &x, &y, &a, &b);
  if (in->kind == WIR_KIND_INT && loop != WRT_TILE_NOT_V) loop = WRT_TILE_NONE;
  if (x.is_const && y.is_const && x.k == y.k) to.is_const = true, to.k = x.k, to.column = NONE;
  else if (x.is_const && y.is_const && x.k == 1 && y.k == 0) to.column = c.column; /* a Bool is 0 or 1 */
  else if (loop == WRT_TILE_NOT_V) put1(k, loop, to.column = column_for(k, i), a);
  else if (loop != WRT_TILE_NONE) put2(k, loop, to.column = column_for(k, i), a, b);
  else {
    wrt_tile_step s = {.d = to.column = column_for(k, i), .a = c.column, .k = x.is_const ? x.k : y.k, .k2 = y.k};
    s.loop = x.is_const ? (y.is_const ? WRT_TILE_SELECT_VKK : WRT_TILE_SELECT_VKV) : y.is_const ? WRT_TILE_SELECT_VVK : WRT_TILE_SELECT_VVV;
    s.b = x.is_const ? y.column : x.column;
    s.c = y.column;
    if (y.is_const) s.c = 0;
    if (x.is_const && y.is_const) s.b = 0;
    put(k, s);
  }
  settle_mask(k, in, &to);
  k->at[i] = to;
}

/* && || =>: the right mask counts where the left does not decide. */
static void put_logical(maker *k, uint32_t i, const wir_ins *in) {
  const value a = *value_of(k, in->args[0]), b = *value_of(k, in->args[1]);
  bool is_and = in->op == WIR_I_AND, decides = in->op == WIR_I_OR; /* the left value that does */
  if (a.is_const) {
    if ((a.k != 0) == decides) be_const(k, i, !is_and);
    else k->at[i] = b;
    k->at[i].mask = or_masks(k, a.mask, k->at[i].mask);
    settle_mask(k, in, &k->at[i]);
    return;
  }
  value to = {.mask = or_masks(k, a.mask, decides ? select_mask(k, a.column, NONE, b.mask) : select_mask(k, a.column, b.mask, NONE))};
  if (b.is_const && b.k == is_and && in->op != WIR_I_IMPLIES) to.column = a.column; /* a && true, a || false */
  else {
    to.column = column_for(k, i);
    put2(k, is_and ? WRT_TILE_AND_VV : decides ? WRT_TILE_OR_VV : WRT_TILE_IMPLIES_VV, to.column, a.column, wrt_tile_column_of(k, &b));
  }
  settle_mask(k, in, &to);
  k->at[i] = to;
}

/* A value with the masks of two operands. */
static void put_behind(maker *k, uint32_t i, const value *v, uint32_t mask) {
  k->at[i] = *v;
  k->at[i].mask = or_masks(k, v->mask, mask);
}

void wrt_tile_load_bool(maker *k, uint32_t input, uint32_t column) {
  put(k, (wrt_tile_step){.loop = WRT_TILE_LOAD_BOOL, .d = column, .a = input, .k = input});
}

static void put_read(maker *k, uint32_t i, const wir_ins *in) {
  uint32_t d = in->stream;
  if (k->is_held[i]) return;
  if (in->kind == WIR_KIND_BOOL) wrt_tile_load_bool(k, in->stream, d = new_column(k));
  k->at[i] = (value){.column = d, .mask = NONE};
}

static void put_ring(maker *k, uint32_t i, const wir_ins *in) {
  uint32_t pushed = k->g->kept[in->state] - 1;
  wrt_tile_step s = {.loop = WRT_TILE_RING, .state = in->state, .k = (int64_t)in->imm.offset};
  if (wir_is_inside_tile(k->g, in)) s.a = wrt_tile_column_of(k, &k->at[pushed]);
  s.d = column_for(k, i);
  put(k, s);
  k->at[i] = (value){.column = s.d, .mask = NONE};
}

/* Fills the gaps of inputs, before all else: the tests look at the result. */
void wrt_tile_put_held(maker *k, uint32_t i) {
  const wir_ins *in = ins(k, i);
  uint32_t raw = in->args[0].i, stream = ins(k, raw)->stream, *holder = &k->holder[stream];
  k->is_held[i] = 1;
  if (*holder != 0) {
    k->at[i] = k->at[*holder - 1];
    if (!WB_PUSH(k->mem, &k->twins, (wrt_tile_twins){ins(k, *holder - 1)->state, in->state})) k->out_of_memory = true;
    return;
  }
  *holder = i + 1;
  if (in->kind == WIR_KIND_BOOL && !k->is_held[raw]) {
    k->at[raw] = (value){.column = WRT_TILE_HELD + k->tile->n_held++, .mask = NONE};
    wrt_tile_load_bool(k, stream, k->at[raw].column);
    k->is_held[raw] = 1;
  }
  uint32_t from = k->is_held[raw] ? k->at[raw].column : stream, d = WRT_TILE_HELD + k->tile->n_held++;
  put(k, (wrt_tile_step){.loop = WRT_TILE_HOLD, .d = d, .a = from, .state = in->state, .k = stream});
  k->at[i] = (value){.column = d, .mask = NONE};
}

static void put_constant(maker *k, uint32_t i, const wir_ins *in) { be_const(k, i, in->imm.i); }
static void put_second(maker *k, uint32_t i, const wir_ins *in) { put_behind(k, i, value_of(k, in->args[1]), value_of(k, in->args[0])->mask); }
static void put_first(maker *k, uint32_t i, const wir_ins *in) { put_behind(k, i, value_of(k, in->args[0]), value_of(k, in->args[1])->mask); }
static void put_defined(maker *k, uint32_t i, const wir_ins *in) {
  be_const(k, i, 1);
  k->at[i].mask = value_of(k, in->args[0])->mask;
}
static void put_nothing(maker *k, uint32_t i, const wir_ins *in) { (void)k, (void)i, (void)in; }

/* What has no entry is in no tile. */
typedef void put_fn(maker *k, uint32_t i, const wir_ins *in);
static put_fn *const by_op[WIR_INS_OPS] = {
  [WIR_I_CONST] = put_constant, [WIR_I_READ] = put_read, [WIR_I_RING] = put_ring,
  [WIR_I_HOLD] = put_nothing, [WIR_I_FILL] = put_nothing, /* wrt_tile_put_held */
  [WIR_I_GUARD] = put_second, [WIR_I_GATE] = put_second, [WIR_I_DEFAULT] = put_first, [WIR_I_DEFINED] = put_defined,
  [WIR_I_NOT] = put_not, [WIR_I_SELECT] = put_select, [WIR_I_AND] = put_logical, [WIR_I_OR] = put_logical, [WIR_I_IMPLIES] = put_logical,
};

bool wrt_tile_can_put(const wir_order *g, uint32_t i) {
  const wir_ins *in = wir_order_ins(g, i);
  if (g->groups[g->group_of[i]].form == WIR_FORM_ROWS) return wrt_tile_row_of(in->op, kind_of_operands(g, in)) != NULL;
  if (by_op[in->op] != NULL) return true;
  return wir_insns[in->op].operands != 0 && (family_of(g, in, PLAIN)->vv != WRT_TILE_NONE || family_of(g, in, CHECKED)->vv != WRT_TILE_NONE);
}

static void put_ins(maker *k, uint32_t i) {
  const wir_ins *in = ins(k, i);
  put_fn *own = by_op[in->op];
  if (own != NULL) own(k, i, in);
  else put_strict(k, i, in);
}

/* ---- Recurrences ---- */

static void put_sum(maker *k, const wir_group *group) {
  static const uint16_t loops[2][3] = {{WRT_TILE_SUM, WRT_TILE_SUM_C, WRT_TILE_SUM_F}, {WRT_TILE_DROP, WRT_TILE_DROP_C, WRT_TILE_DROP_F}};
  uint32_t i = group->result;
  int way = ins(k, i)->kind == WIR_KIND_FLOAT ? 2 : k->checks[i];
  wrt_tile_step s = {.loop = loops[group->form == WIR_FORM_DROP][way], .a = wrt_tile_column_of(k, &k->at[group->x]), .state = ins(k, group->prev)->state};
  s.d = column_for(k, i);
  put(k, s);
  k->at[i] = (value){.column = s.d, .mask = NONE};
}

static void put_run(maker *k, const wir_group *group) {
  uint32_t i = group->result;
  const value *c = &k->at[group->c], *x = &k->at[group->x], *z = &k->at[group->z];
  bool is_real = ins(k, i)->kind == WIR_KIND_FLOAT, is_own = group->z == group->prev, flip = group->is_flipped;
  wrt_tile_step s = {.a = wrt_tile_column_of(k, c), .state = ins(k, group->prev)->state};
  if (!is_real && x->is_const && !is_own && z->is_const) {
    static const uint16_t counts[2][2] = {{WRT_TILE_COUNT, WRT_TILE_COUNT_C}, {WRT_TILE_COUNT_NOT, WRT_TILE_COUNT_NOT_C}};
    s.loop = counts[flip][k->checks[group->sum]];
    s.k = x->k;
    s.k2 = z->k;
  } else {
    static const uint16_t runs[2][2][2] = {{{WRT_TILE_RUN_C, WRT_TILE_RUN_F}, {WRT_TILE_RUN_NOT_C, WRT_TILE_RUN_NOT_F}},
                                           {{WRT_TILE_GATHER_C, WRT_TILE_GATHER_F}, {WRT_TILE_GATHER_NOT_C, WRT_TILE_GATHER_NOT_F}}};
    s.loop = runs[is_own][flip][is_real];
    s.b = wrt_tile_column_of(k, x);
    if (!is_own) s.c = wrt_tile_column_of(k, z);
  }
  s.d = column_for(k, i);
  put(k, s);
  k->at[i] = (value){.column = s.d, .mask = NONE};
}

static void put_scale(maker *k, const wir_group *group) {
  uint32_t i = group->result;
  const value *z = &k->at[group->z];
  wrt_tile_step s = {.loop = z->is_const ? WRT_TILE_SCALE_K : WRT_TILE_SCALE_V, .a = wrt_tile_column_of(k, &k->at[group->x]), .k = z->k,
                     .state = ins(k, group->prev)->state};
  if (!z->is_const) s.b = z->column;
  s.d = column_for(k, i);
  put(k, s);
  k->at[i] = (value){.column = s.d, .mask = NONE};
}

static void put_extreme(maker *k, const wir_group *group) {
  uint32_t i = group->result;
  wrt_tile_step s = {.loop = group->form == WIR_FORM_LEAST ? WRT_TILE_LEAST : WRT_TILE_MOST, .a = wrt_tile_column_of(k, &k->at[group->x]),
                     .state = ins(k, group->prev)->state};
  s.d = column_for(k, i);
  put(k, s);
  k->at[i] = (value){.column = s.d, .mask = NONE};
}

/* The result where prev is false, and where it is true; then one of the two in each row. */
static void put_choice(maker *k, const wir_group *group) {
  value results[2];
  for (int64_t prev = 0; prev < 2; prev++) {
    be_const(k, group->prev, prev);
    for (uint32_t n = 0; n < group->n; n++) {
      uint32_t i = k->g->order[group->first + n];
      if (i != group->prev) put_ins(k, i);
    }
    results[prev] = k->at[group->result];
  }
  wrt_tile_step s = {.loop = WRT_TILE_CHOOSE, .a = wrt_tile_column_of(k, &results[0]), .b = wrt_tile_column_of(k, &results[1]),
                     .state = ins(k, group->prev)->state};
  s.d = new_column(k);
  put(k, s);
  k->at[group->result] = (value){.column = s.d, .mask = NONE};
}

/* What others read of a recurrence besides its result: now that this is a column, the rest are, too. */
static void put_rest(maker *k, const wir_group *group) {
  const uint32_t *members = k->g->order + group->first;
  for (uint32_t n = group->n; n-- > 0;) {
    const wir_ins *in = ins(k, members[n]);
    if (members[n] == group->result || !(k->is_outer[members[n]] & WRT_TILE_BY_OTHERS)) continue;
    for (uint32_t a = 0; a < wir_insns[in->op].operands; a++) k->is_outer[in->args[a].i] |= WRT_TILE_BY_OTHERS; /* what is no member is already */
  }
  for (uint32_t n = 0; n < group->n; n++) {
    uint32_t i = members[n];
    if (i == group->result) continue;
    if (k->is_outer[i] & WRT_TILE_BY_OTHERS) put_ins(k, i);
    else k->at[i] = (value){.column = NONE, .mask = NONE};
  }
}

static uint32_t or_none(const maker *k, wir_val v, int64_t *constant) {
  const value *p = &k->at[v.i];
  *constant = p->k;
  return p->is_const ? NONE : p->column;
}

/* Row by row.  All results get their columns first: a RING reads one that comes later. */
static void put_rows(maker *k, const wir_group *group) {
  const wir_order *g = k->g;
  wrt_tile_step s = {.loop = WRT_TILE_ROWS, .state = (uint32_t)k->rows.n, .k = group->n};
  for (uint32_t n = 0; n < group->n; n++) {
    uint32_t i = g->order[group->first + n];
    k->at[i] = (value){.column = column_for(k, i), .mask = ins(k, i)->may & WIR_MAY_FAIL ? new_column(k) : NONE};
  }
  for (uint32_t n = 0; n < group->n; n++) {
    uint32_t i = g->order[group->first + n];
    const wir_ins *in = ins(k, i);
    wrt_tile_row r = {.run = wrt_tile_row_of(in->op, kind_of_operands(g, in)), .d = k->at[i].column, .fd = k->at[i].mask, .state = in->state,
                      .args = {NONE, NONE, NONE}, .masks = {NONE, NONE, NONE}};
    for (uint32_t a = 0; a < wir_insns[in->op].operands; a++) {
      r.args[a] = or_none(k, in->args[a], &r.k[a]);
      r.masks[a] = value_of(k, in->args[a])->mask;
    }
    if (in->op == WIR_I_RING) {
      r.args[0] = wrt_tile_column_of(k, &k->at[g->kept[in->state] - 1]);
      r.back = in->imm.offset;
    }
    if (!WB_PUSH(k->mem, &k->rows, r)) k->out_of_memory = true;
  }
  put(k, s);
}

static void put_writes(maker *k, uint32_t i) {
  const wir_ins *in = ins(k, i);
  for (uint32_t w = k->first_write[i]; w != 0; w = k->next_write[w - 1]) {
    uint32_t port = k->p->n_inputs + w - 1, from = wrt_tile_column_of(k, &k->at[i]);
    if (in->op == WIR_I_READ && in->may != 0) {
      uint32_t d = in->kind == WIR_KIND_BOOL ? new_column(k) : port;
      put(k, (wrt_tile_step){.loop = WRT_TILE_PRESENT, .d = d, .a = from, .k = in->stream});
      from = d;
    }
    if (in->kind == WIR_KIND_BOOL) put1(k, WRT_TILE_STORE_BOOL, port, from);
    else if (from != port) put1(k, WRT_TILE_COPY, port, from);
  }
}

static void put_single(maker *k, uint32_t i) {
  if (k->is_outer[i] == WRT_TILE_BY_KEEP) k->at[i] = (value){.column = NONE, .mask = NONE};
  else put_ins(k, i);
}

void wrt_tile_put_group(maker *k, const wir_group *group) {
  switch ((wir_form)group->form) {
  case WIR_FORM_SINGLE: put_single(k, k->g->order[group->first]); break;
  case WIR_FORM_SUM: case WIR_FORM_DROP: put_sum(k, group); break;
  case WIR_FORM_RUN: put_run(k, group); break;
  case WIR_FORM_SCALE: put_scale(k, group); break;
  case WIR_FORM_CHOOSE: put_choice(k, group); break;
  case WIR_FORM_LEAST: case WIR_FORM_MOST: put_extreme(k, group); break;
  case WIR_FORM_ROWS: put_rows(k, group); break;
  }
  if (group->form != WIR_FORM_SINGLE && group->form != WIR_FORM_ROWS) put_rest(k, group);
  for (uint32_t n = 0; n < group->n; n++) put_writes(k, k->g->order[group->first + n]);
}

