/* runtime/tile_rows.c -- recurrences without a form: their instructions one after the other, for one row after the other.
**
** An instruction that has no function here is in no such recurrence: then there is no plan for tiles (tile_plan.c), and rows run alone. */
#include "ir/semantics.h"
#include "runtime/tile.h"

typedef wrt_tile_cell cell;
typedef wrt_tile_row_fn row_fn;

static cell operand(const wrt_tile_row *r, int k, size_t i) {
  return (cell){r->at[k][i & r->moves[k]], r->mask_at[k][i & r->mask_moves[k]]};
}

/* ---- Strict operations ---- */

/* On Ints and Bools; `does`: false where it fails, else *to is the result. */
#define INT(name, does) \
  static cell name##_int(const wrt_tile_row *r, size_t i, const wrt_tile_run *t __attribute__((unused))) { \
    cell a = operand(r, 0, i), b = operand(r, 1, i), c = {.mask = a.mask | b.mask}; \
    int64_t x = a.value, y = b.value, *to = &c.value; \
    (void)y; \
    if (c.mask == 0 && !(does)) c.mask = -1; \
    return c; \
  }
INT(add, wir_add_int(x, y, to) == WEIR_OK)
INT(sub, wir_sub_int(x, y, to) == WEIR_OK)
INT(mul, wir_mul_int(x, y, to) == WEIR_OK)
INT(div, wir_div_int(x, y, to) == WEIR_OK)
INT(rem, wir_rem_int(x, y, to) == WEIR_OK)
INT(pow, wir_pow_int(x, y, to) == WEIR_OK)
INT(neg, wir_neg_int(x, to) == WEIR_OK)
INT(abs, wir_abs_int(x, to) == WEIR_OK)
INT(eq, (*to = x == y, true))
INT(ne, (*to = x != y, true))
INT(lt, (*to = x < y, true))
INT(le, (*to = x <= y, true))
INT(gt, (*to = x > y, true))
INT(ge, (*to = x >= y, true))
INT(not, (*to = x ^ 1, true))
INT(float, (*to = wrt_cell_of((double)x), true))
static row_fn *const of_ints[WIR_INS_OPS] = {
  [WIR_I_ADD] = add_int, [WIR_I_SUB] = sub_int, [WIR_I_MUL] = mul_int, [WIR_I_DIV] = div_int, [WIR_I_REM] = rem_int, [WIR_I_POW] = pow_int,
  [WIR_I_NEG] = neg_int, [WIR_I_ABS] = abs_int, [WIR_I_EQ] = eq_int, [WIR_I_NE] = ne_int, [WIR_I_LT] = lt_int, [WIR_I_LE] = le_int,
  [WIR_I_GT] = gt_int, [WIR_I_GE] = ge_int, [WIR_I_NOT] = not_int, [WIR_I_FLOAT] = float_int,
};

#define REAL(name, result) \
  static cell name##_real(const wrt_tile_row *r, size_t i, const wrt_tile_run *t __attribute__((unused))) { \
    cell a = operand(r, 0, i), b = operand(r, 1, i); \
    double x = wrt_real_of(a.value), y = wrt_real_of(b.value); \
    (void)y; \
    return (cell){.value = (result), .mask = a.mask | b.mask}; \
  }
REAL(add, wrt_cell_of(x + y))
REAL(sub, wrt_cell_of(x - y))
REAL(mul, wrt_cell_of(x * y))
REAL(div, wrt_cell_of(x / y))
REAL(rem, wrt_cell_of(wir_rem_float(x, y)))
REAL(pow, wrt_cell_of(wir_pow_float(x, y)))
REAL(neg, wrt_cell_of(-x))
REAL(abs, wrt_cell_of(fabs(x)))
REAL(sin, wrt_cell_of(sin(x)))
REAL(cos, wrt_cell_of(cos(x)))
REAL(tan, wrt_cell_of(tan(x)))
REAL(eq, x == y)
REAL(ne, x != y)
REAL(lt, x < y)
REAL(le, x <= y)
REAL(gt, x > y)
REAL(ge, x >= y)
static row_fn *const of_reals[WIR_INS_OPS] = {
  [WIR_I_ADD] = add_real, [WIR_I_SUB] = sub_real, [WIR_I_MUL] = mul_real, [WIR_I_DIV] = div_real, [WIR_I_REM] = rem_real, [WIR_I_POW] = pow_real,
  [WIR_I_NEG] = neg_real, [WIR_I_ABS] = abs_real, [WIR_I_SIN] = sin_real, [WIR_I_COS] = cos_real, [WIR_I_TAN] = tan_real, [WIR_I_EQ] = eq_real,
  [WIR_I_NE] = ne_real, [WIR_I_LT] = lt_real, [WIR_I_LE] = le_real, [WIR_I_GT] = gt_real, [WIR_I_GE] = ge_real,
};

/* ---- The others ---- */

#define OWN(name) static cell name(const wrt_tile_row *r, size_t i, const wrt_tile_run *t __attribute__((unused)))

OWN(choose) {
  cell c = operand(r, 0, i), x = operand(r, 1, i), y = operand(r, 2, i), to = c.value ? x : y;
  to.mask |= c.mask;
  return to;
}

/* `decides`: the left value that does; `decided`: the result then. */
static cell logical(const wrt_tile_row *r, size_t i, int64_t decides, int64_t decided) {
  cell x = operand(r, 0, i), y = operand(r, 1, i), to = y;
  if (x.value == decides) to = (cell){.value = decided};
  to.mask |= x.mask;
  return to;
}
OWN(and) { return logical(r, i, 0, 0); }
OWN(or) { return logical(r, i, 1, 1); }
OWN(implies) { return logical(r, i, 0, 1); }

/* A value with the masks of two operands. */
OWN(first) { return (cell){operand(r, 0, i).value, operand(r, 0, i).mask | operand(r, 1, i).mask}; }
OWN(second) { return (cell){operand(r, 1, i).value, operand(r, 0, i).mask | operand(r, 1, i).mask}; }
OWN(defined) { return (cell){.value = 1, .mask = operand(r, 0, i).mask}; }

OWN(ring) {
  if (i >= r->back) return (cell){.value = r->at[0][i - r->back]};
  const wir_state *s = &t->states[r->state];
  return (cell){.value = wrt_tile_sample(s, t->arena, wrt_tile_place(s, t->arena, r->back - i))};
}

static row_fn *const of_any[WIR_INS_OPS] = {
  [WIR_I_RING] = ring, [WIR_I_SELECT] = choose, [WIR_I_AND] = and, [WIR_I_OR] = or, [WIR_I_IMPLIES] = implies,
  [WIR_I_GUARD] = second, [WIR_I_GATE] = second, [WIR_I_DEFAULT] = first, [WIR_I_DEFINED] = defined,
};

wrt_tile_row_fn *wrt_tile_row_of(uint8_t op, uint8_t kind) {
  if (of_any[op] != NULL) return of_any[op];
  return kind == WIR_KIND_FLOAT ? of_reals[op] : of_ints[op];
}

/* ---- Running ---- */

static const wrt_cell no_mask = 0;

static void find_operands(const wrt_tile *t, wrt_tile_row *r) {
  for (int k = 0; k < 3; k++) {
    bool is_column = r->args[k] != WRT_TILE_NO_COLUMN, has_mask = r->masks[k] != WRT_TILE_NO_COLUMN;
    r->at[k] = is_column ? t->columns[r->args[k]] : &r->k[k];
    r->moves[k] = is_column ? SIZE_MAX : 0;
    r->mask_at[k] = has_mask ? t->columns[r->masks[k]] : &no_mask;
    r->mask_moves[k] = has_mask ? SIZE_MAX : 0;
  }
}

int64_t wrt_tile_run_rows(const wrt_tile *t, const wrt_tile_code *c, const wrt_tile_step *s, const wrt_tile_run *run) {
  wrt_tile_row *rows = c->rows + s->state;
  size_t n = (size_t)s->k;
  for (size_t k = 0; k < n; k++) find_operands(t, &rows[k]);
  for (size_t i = 0; i < run->n; i++)
    for (size_t k = 0; k < n; k++) {
      const wrt_tile_row *r = &rows[k];
      cell to = r->run(r, i, run);
      t->columns[r->d][i] = to.value;
      if (r->fd != WRT_TILE_NO_COLUMN) t->columns[r->fd][i] = to.mask;
      else if (WB_UNLIKELY(to.mask != 0)) return -1;
    }
  return 0;
}

