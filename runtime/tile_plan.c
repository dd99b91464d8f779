/* runtime/tile_plan.c -- from ordered instructions to steps over columns.
**
** Twice for each body: a code that checks what can fail, and one that is right while values are small (ir/intervals.c).  Columns are first numbered
** as if there were one for each value, then given to places in the pool, which are used again once nothing reads them: what is live should fit the
** first-level cache.  Inputs are read where the caller has them, and a value that is an output is computed into the caller's column. */
#include <string.h>

#include "ir/tileable.h"
#include "runtime/tile_maker.h"

enum { NONE = WRT_TILE_NO_COLUMN, MOST_COLUMNS = 1 << 12, FOREVER = UINT32_MAX };

typedef wrt_tile_maker maker;

typedef struct life { uint32_t last, at; } life; /* of a numbered column: the last step that uses it; its place in the pool */

static const wir_ins *ins(const maker *k, uint32_t i) { return wrt_tile_ins(k, i); }

/* ---- Places in the pool ---- */

typedef struct pool {
  wb_mem *mem;
  life *lives;           /* by column */
  uint32_t *is_free;     /* a stack of places */
  uint32_t n_free, n_places, n_ports;
} pool;

static bool is_value(const pool *p, uint32_t column) { return column >= p->n_ports && column < WRT_TILE_PLACES; }

/* All columns of a step, or of its rows. */
typedef void visit_fn(pool *p, uint32_t *column, uint32_t step);
static void visit_step(pool *p, wrt_tile_code *c, uint32_t i, visit_fn *f) {
  wrt_tile_step *s = &c->steps[i];
  f(p, &s->d, i), f(p, &s->a, i), f(p, &s->b, i), f(p, &s->c, i);
  for (uint32_t r = 0; s->loop == WRT_TILE_ROWS && r < (uint32_t)s->k; r++) {
    wrt_tile_row *row = &c->rows[s->state + r];
    f(p, &row->d, i), f(p, &row->fd, i);
    for (int a = 0; a < 3; a++) f(p, &row->args[a], i), f(p, &row->masks[a], i);
  }
}

static void visit_effect(pool *p, wrt_tile_effect *e, uint32_t step, visit_fn *f) { f(p, &e->column, step), f(p, &e->mask, step); }

static void live_until(pool *p, uint32_t *column, uint32_t step) {
  if (is_value(p, *column)) p->lives[*column].last = WB_MAX(p->lives[*column].last, step);
}
static void take_place(pool *p, uint32_t *column, uint32_t step) {
  (void)step;
  if (!is_value(p, *column) || p->lives[*column].at != NONE) return;
  p->lives[*column].at = p->n_free != 0 ? p->is_free[--p->n_free] : p->n_places++;
}
static void free_place(pool *p, uint32_t *column, uint32_t step) {
  life *l = is_value(p, *column) ? &p->lives[*column] : NULL;
  if (l == NULL || l->last != step) return;
  p->is_free[p->n_free++] = l->at;
  l->last = FOREVER; /* once */
}
static void move_in(pool *p, uint32_t *column, uint32_t step) {
  (void)step;
  if (is_value(p, *column)) *column = WRT_TILE_PLACES + p->lives[*column].at;
}

/* No step has its result where it still reads: loops are made for columns that do not overlap. */
static bool find_places(maker *k, wrt_tile_code *c) {
  pool p = {.mem = k->mem, .n_ports = k->tile->n_ports};
  p.lives = wb_block(k->mem, (size_t)k->n_columns * sizeof *p.lives + 1);
  p.is_free = wb_block(k->mem, (size_t)k->n_columns * sizeof *p.is_free + 1);
  bool is_made = p.lives != NULL && p.is_free != NULL;
  if (is_made) {
    for (uint32_t i = 0; i < k->n_columns; i++) p.lives[i] = (life){.last = 0, .at = NONE};
    for (uint32_t i = 0; i < c->n_steps; i++) visit_step(&p, c, i, live_until);
    for (uint32_t i = 0; i < c->n_effects; i++) visit_effect(&p, &c->effects[i], FOREVER, live_until);
    for (uint32_t i = 0; i < c->n_steps; i++) {
      visit_step(&p, c, i, take_place);
      visit_step(&p, c, i, free_place);
    }
    for (uint32_t i = 0; i < c->n_steps; i++) visit_step(&p, c, i, move_in);
    for (uint32_t i = 0; i < c->n_effects; i++) visit_effect(&p, &c->effects[i], 0, move_in);
    c->n_columns = p.n_places;
  }
  wb_block_free(k->mem, p.lives);
  wb_block_free(k->mem, p.is_free);
  return is_made;
}

/* ---- A code ---- */

static bool is_assumed(const maker *k, uint32_t state) { return wir_is_assumed(k->quick->bodies, state, k->fit); }

static void put_effects(maker *k, wir_ins_op op) {
  const wir_body *b = k->g->body;
  for (uint32_t i = b->effects; i < b->n_ins; i++) {
    const wir_ins *in = &b->ins[i];
    if ((wir_ins_op)in->op != op) continue;
    const wrt_tile_value *v = &k->at[in->args[0].i];
    wrt_tile_effect e = {.state = in->state, .is_tracked = !is_assumed(k, in->state), .mask = v->mask};
    if (!v->is_const && v->column == NONE) {
      const wir_ins *ring = ins(k, in->args[0].i);
      e.back = ring->imm.offset;
      e.ring = ring->state;
      v = &k->at[k->g->kept[ring->state] - 1];
    }
    e.column = wrt_tile_column_of(k, v);
    if (!WB_PUSH(k->mem, &k->effects, e)) k->out_of_memory = true;
  }
}

static void clear(maker *k) {
  memset(&k->steps, 0, sizeof k->steps);
  memset(&k->rows, 0, sizeof k->rows);
  memset(&k->effects, 0, sizeof k->effects);
}

/* Bools that nothing reads are admitted like others. */
static void look_at_unread(maker *k) {
  const wir_body *b = k->g->body;
  uint32_t column = NONE;
  memset(k->is_read, 0, k->p->n_inputs);
  for (uint32_t i = 0; i < b->effects; i++)
    if (k->g->needed[i] && b->ins[i].op == WIR_I_READ) k->is_read[b->ins[i].stream] = 1;
  for (uint32_t i = 0; i < k->p->n_inputs; i++) {
    if (k->is_read[i] || k->m->in_kinds[i] != WEIR_KIND_BOOL) continue;
    if (column == NONE) column = WRT_TILE_HELD + k->tile->n_held++;
    wrt_tile_load_bool(k, i, column);
  }
}

static bool make_held(maker *k, wrt_tile_plan *plan) {
  const wir_body *b = k->g->body;
  clear(k);
  memset(&k->twins, 0, sizeof k->twins);
  memset(k->holder, 0, k->p->n_inputs * sizeof *k->holder);
  memset(k->is_held, 0, b->n_ins);
  for (uint32_t i = 0; i < b->effects; i++)
    if (k->g->needed[i] && wir_holds(&b->ins[i])) wrt_tile_put_held(k, i);
  look_at_unread(k);
  plan->twins = k->twins.at;
  plan->n_twins = (uint32_t)k->twins.n;
  plan->held = (wrt_tile_code){.steps = k->steps.at, .n_steps = (uint32_t)k->steps.n};
  return !k->out_of_memory;
}

static bool make_code(maker *k, const uint8_t *outer, wrt_tile_code *to) {
  clear(k);
  memcpy(k->is_outer, outer, k->g->body->n_ins);
  k->n_columns = k->tile->n_ports;
  for (uint32_t i = 0; i < k->g->n_groups && !k->out_of_memory; i++) wrt_tile_put_group(k, &k->g->groups[i]);
  if (!k->out_of_memory) put_effects(k, WIR_I_KEEP); /* which may still look into rings */
  if (!k->out_of_memory) put_effects(k, WIR_I_PUSH);
  *to = (wrt_tile_code){.steps = k->steps.at, .rows = k->rows.at, .effects = k->effects.at, .n_steps = (uint32_t)k->steps.n,
                        .n_rows = (uint32_t)k->rows.n, .n_effects = (uint32_t)k->effects.n};
  return !k->out_of_memory && find_places(k, to);
}

/* ---- Plans ---- */

typedef struct scratch { /* by instruction, but for those that say so */
  uint8_t *all, *some, *marks, *outer;
  wir_interval *ranges;
  uint32_t *output_of, *test_of; /* by stream: 1 + its output; by state: 1 + its test */
} scratch;

static void find_users(maker *k, scratch *x) {
  const wir_body *b = k->g->body;
  memset(x->outer, 0, b->n_ins);
  memset(k->is_shared, 0, b->n_ins);
  memset(k->first_write, 0, b->n_ins * sizeof *k->first_write);
  for (uint32_t i = b->n_ins; i-- > 0;) {
    const wir_ins *in = &b->ins[i];
    for (uint32_t a = 0; k->g->needed[i] && a < wir_insns[in->op].operands; a++) {
      uint32_t from = in->args[a].i;
      if (in->op == WIR_I_KEEP && wir_is_inside_tile(k->g, ins(k, from)) && is_assumed(k, in->state)) x->outer[from] |= WRT_TILE_BY_KEEP;
      else if (i >= b->effects || k->g->group_of[i] != k->g->group_of[from]) x->outer[from] |= WRT_TILE_BY_OTHERS;
      k->is_shared[from] |= in->op != WIR_I_WRITE;
    }
    if (in->op != WIR_I_WRITE) continue;
    uint32_t o = x->output_of[in->stream] - 1, from = in->args[0].i;
    k->next_write[o] = k->first_write[from];
    k->first_write[from] = o + 1;
  }
}

static void note_outputs(maker *k, const scratch *x) {
  const wir_body *b = k->g->body;
  for (uint32_t i = b->effects; i < b->n_ins; i++) {
    const wir_ins *in = &b->ins[i];
    if (in->op != WIR_I_WRITE) continue;
    uint32_t o = x->output_of[in->stream] - 1, from = in->args[0].i;
    if (k->is_shared[from]) k->tile->unasked[o] = 1; /* it wants a column of its own: finish() */
    if (wir_is_raw(ins(k, from))) k->tile->input_of_output[o] = ins(k, from)->stream;
  }
}

typedef WB_VEC(wrt_tile_test) tests;

/* What instruction `i` needs in the small code, if it brings values from outside. */
static bool test_one(maker *k, const scratch *x, uint32_t i, tests *to) {
  const wir_ins *in = ins(k, i);
  const wir_group *group = &k->g->groups[k->g->group_of[i]];
  unsigned bits = wir_interval_bits(x->ranges[i]);
  bool is_column = k->is_held[i] || (in->op == WIR_I_READ && !wir_is_raw(in));
  if (in->kind != WIR_KIND_INT) return true;
  if (is_column) return bits >= 63 || WB_PUSH(k->mem, to, (wrt_tile_test){.of = k->is_held[i] ? k->at[i].column : in->stream, .bits = (uint8_t)bits});
  if (in->op != WIR_I_RING || group->form == WIR_FORM_ROWS) return true;
  if (group->form != WIR_FORM_SINGLE) bits = WIR_SUM_BITS;
  if (bits >= 63) return true;
  uint32_t *known = &x->test_of[in->state];
  if (*known != 0) {
    wrt_tile_test *before = &to->at[*known - 1];
    before->back = WB_MAX(before->back, in->imm.offset);
    before->bits = (uint8_t)WB_MIN(before->bits, bits);
    return true;
  }
  *known = (uint32_t)to->n + 1;
  return WB_PUSH(k->mem, to, (wrt_tile_test){.is_state = true, .of = in->state, .bits = (uint8_t)bits, .back = in->imm.offset});
}

static bool find_tests(maker *k, const scratch *x, wrt_tile_plan *plan) {
  tests to = {0};
  wir_checks_depend(k->g, x->all, x->some, x->marks);
  for (uint32_t i = 0; i < k->g->body->effects; i++) { /* twins share a column */
    if (!x->marks[i] || !wir_holds(ins(k, i))) continue;
    x->marks[i] = 0;
    x->marks[k->holder[ins(k, ins(k, i)->args[0].i)->stream] - 1] = 1;
  }
  memset(x->test_of, 0, k->p->n_states * sizeof *x->test_of);
  for (uint32_t i = 0; i < k->g->body->effects; i++)
    if (x->marks[i] && !test_one(k, x, i, &to)) return false;
  plan->tests = to.at;
  plan->n_tests = (uint32_t)to.n;
  return true;
}

/* What the checks cost that are spared, and what the tests cost: in units of about 20 cycles a tile. */
static uint32_t cost_of_checks(const maker *k, const scratch *x) {
  uint32_t cost = 0;
  for (uint32_t i = 0; i < k->g->body->effects; i++) {
    const wir_ins *in = ins(k, i);
    if (!x->all[i] || x->some[i]) continue;
    wir_form form = (wir_form)k->g->groups[k->g->group_of[i]].form;
    bool is_column = form == WIR_FORM_SINGLE;
    cost += form == WIR_FORM_RUN ? 5 : !is_column || wrt_tile_divides(in) ? 0 : in->op == WIR_I_MUL ? 4 : 2;
    if (is_column && in->is_guarded) cost += 5;
  }
  return cost;
}
static uint32_t cost_of_tests(const wrt_tile_plan *plan) {
  uint32_t cost = 0;
  for (uint32_t i = 0; i < plan->n_tests; i++) cost += plan->tests[i].is_state ? 1 + (uint32_t)plan->tests[i].back / 8 : 3;
  return cost;
}

static bool make_plan(maker *k, scratch *x, wrt_tile_plan *plan) {
  /* An instruction that tile_steps.c or tile_rows.c knows nothing of makes that there is none. */
  if (!wir_is_tileable(k->g, k->quick->bodies, k->fit, wrt_tile_can_put)) return true;
  find_users(k, x);
  note_outputs(k, x);
  if (!make_held(k, plan)) return false;
  (void)wir_checks(k->g, 63, x->all, x->ranges);
  k->checks = x->all;
  if (!make_code(k, x->outer, &plan->checked)) return false;
  plan->is_possible = true;
  unsigned bits = wir_checks_bits(k->g, x->some, x->ranges);
  if (bits == 63) return true;
  if (!find_tests(k, x, plan)) return false;
  plan->has_small = cost_of_checks(k, x) > cost_of_tests(plan);
  k->checks = x->some;
  return !plan->has_small || make_code(k, x->outer, &plan->small);
}

static bool take_scratch(maker *k, const wir_body *b, scratch *x) {
  size_t n = (size_t)b->n_ins + 1;
  x->all = wb_block(k->mem, n);
  x->some = wb_block(k->mem, n);
  x->marks = wb_block(k->mem, n);
  x->outer = wb_block(k->mem, n);
  x->ranges = wb_block(k->mem, n * sizeof *x->ranges);
  x->output_of = wb_block(k->mem, k->p->n_streams * sizeof *x->output_of + 1);
  x->test_of = wb_block(k->mem, k->p->n_states * sizeof *x->test_of + 1);
  k->at = wb_block(k->mem, n * sizeof *k->at);
  k->is_outer = wb_block(k->mem, n);
  k->is_held = wb_block(k->mem, n);
  k->holder = wb_block(k->mem, k->p->n_inputs * sizeof *k->holder + 1);
  k->is_read = wb_block(k->mem, (size_t)k->p->n_inputs + 1);
  k->is_shared = wb_block(k->mem, n);
  k->first_write = wb_block(k->mem, n * sizeof *k->first_write);
  k->next_write = wb_block(k->mem, k->p->n_outputs * sizeof *k->next_write + 1);
  return x->all != NULL && x->some != NULL && x->marks != NULL && x->outer != NULL && x->ranges != NULL && x->output_of != NULL &&
         x->test_of != NULL && k->at != NULL && k->is_outer != NULL && k->is_held != NULL && k->holder != NULL && k->is_read != NULL && k->is_shared != NULL && k->first_write != NULL && k->next_write != NULL;
}

static void give_scratch(maker *k, const scratch *x) {
  void *const blocks[] = {x->all, x->some, x->marks, x->outer, x->ranges, x->output_of, x->test_of,
                          k->at, k->is_outer, k->is_held, k->holder, k->is_read, k->is_shared, k->first_write, k->next_write};
  for (size_t i = 0; i < WB_LEN(blocks); i++) wb_block_free(k->mem, blocks[i]);
}

static bool plan_body(maker *k, wir_body_fit fit) {
  const wir_body *b = &k->quick->bodies->of_fit[fit];
  wir_order g;
  scratch x;
  bool is_made = wir_order_make(k->p, b, k->tile->rows, k->mem, &g);
  k->g = &g;
  k->fit = fit;
  if (!take_scratch(k, b, &x)) is_made = false;
  if (is_made) {
    memset(x.output_of, 0, k->p->n_streams * sizeof *x.output_of);
    for (uint32_t o = 0; o < k->p->n_outputs; o++) x.output_of[k->p->outputs[o]] = o + 1;
    is_made = make_plan(k, &x, &k->tile->plans[fit]);
  }
  give_scratch(k, &x);
  wir_order_end(&g);
  return is_made;
}

/* ---- The whole ---- */

/* Numbers of columns as the run has them: ports, constants, columns of outputs that are not asked for, what is held, places. */
static void number(const wrt_tile *t, uint32_t *column, uint32_t n_unasked) {
  uint32_t base = t->n_ports;
  if (*column == NONE) return;
  if (*column >= WRT_TILE_CONSTS) *column += base - WRT_TILE_CONSTS;
  else if (*column >= WRT_TILE_HELD) *column += base + t->n_consts + n_unasked - WRT_TILE_HELD;
  else if (*column >= WRT_TILE_PLACES) *column += base + t->n_consts + n_unasked + t->n_held - WRT_TILE_PLACES;
}

static void number_code(const wrt_tile *t, wrt_tile_code *c, uint32_t n_unasked) {
  for (uint32_t i = 0; i < c->n_steps; i++) {
    wrt_tile_step *s = &c->steps[i];
    number(t, &s->d, n_unasked), number(t, &s->a, n_unasked), number(t, &s->b, n_unasked), number(t, &s->c, n_unasked);
  }
  for (uint32_t i = 0; i < c->n_rows; i++) {
    wrt_tile_row *r = &c->rows[i];
    number(t, &r->d, n_unasked), number(t, &r->fd, n_unasked);
    for (int a = 0; a < 3; a++) number(t, &r->args[a], n_unasked), number(t, &r->masks[a], n_unasked);
  }
  for (uint32_t i = 0; i < c->n_effects; i++) number(t, &c->effects[i].column, n_unasked), number(t, &c->effects[i].mask, n_unasked);
}

static void number_plan(const wrt_tile *t, wrt_tile_plan *plan, uint32_t n_unasked) {
  number_code(t, &plan->held, n_unasked);
  number_code(t, &plan->checked, n_unasked);
  number_code(t, &plan->small, n_unasked);
  for (uint32_t i = 0; i < plan->n_tests; i++)
    if (!plan->tests[i].is_state) number(t, &plan->tests[i].of, n_unasked);
}

/* Outputs that nobody reads share one column where they are not asked for; the first one. */
static uint32_t give_unasked(const wir_program *p, wrt_tile *t) {
  uint32_t n = 1;
  for (uint32_t o = 0; o < p->n_outputs; o++) t->unasked[o] = t->n_ports + t->n_consts + (t->unasked[o] && !WB_PLANTED(52) ? n++ : 0);
  return n;
}

static void finish(maker *k) {
  wrt_tile *t = k->tile;
  t->consts = k->consts.at;
  t->n_consts = (uint32_t)k->consts.n;
  uint32_t n_unasked = give_unasked(k->p, t), most = 0;
  for (uint32_t f = 0; f < WIR_BODY_FITS; f++) {
    wrt_tile_plan *plan = &t->plans[f];
    most = WB_MAX(most, WB_MAX(plan->checked.n_columns, plan->small.n_columns));
    number_plan(t, plan, n_unasked);
  }
  t->n_pool = t->n_consts + n_unasked + t->n_held + most;
  for (uint32_t f = 0; t->n_pool > MOST_COLUMNS && f < WIR_BODY_FITS; f++) t->plans[f].is_possible = false;
}

static uint32_t rows_for(const wir_body *b) {
  enum { ENOUGH = 8192 }; /* cells computed in a tile, so that what is done once for each hardly counts */
  uint32_t rows = WRT_TILE_MOST_ROWS;
  while (rows > WRT_TILE_FEWEST_ROWS && (uint64_t)rows * b->effects > ENOUGH) rows /= 2;
  return rows;
}

bool wrt_tile_new(wrt_monitor *m, wrt_quick *q) {
  const wir_program *p = m->program;
  wrt_tile *t = WB_NEW(&m->quick_mem, wrt_tile);
  if (t == NULL) return false;
  maker k = {.m = m, .mem = &m->quick_mem, .p = p, .tile = t, .quick = q};
  t->level = wrt_tile_best_level();
  t->rows = rows_for(&q->bodies->of_fit[WIR_BODY_WARM]);
  t->n_ports = p->n_inputs + p->n_outputs;
  t->input_of_output = WB_NEW_ARRAY(&m->quick_mem, uint32_t, p->n_outputs);
  t->unasked = WB_NEW_ARRAY(&m->quick_mem, uint32_t, p->n_outputs);
  if (t->input_of_output == NULL || t->unasked == NULL) return false;
  for (uint32_t o = 0; o < p->n_outputs; o++) t->input_of_output[o] = UINT32_MAX;
  q->tile = t;
  if (t->n_ports == 0) return true;
  bool is_made = plan_body(&k, WIR_BODY_SPARSE) && plan_body(&k, WIR_BODY_WARM);
  if (is_made) finish(&k);
  wb_block_free(k.mem, k.const_table);
  return is_made;
}
