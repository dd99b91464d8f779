/* ir/order.c -- the order of a body's instructions in a tile of rows, and the forms of its recurrences.
**
** An instruction depends on its operands, and a RING that reaches back into the tile on what is pushed.  Tarjan's algorithm, with a stack of
** its own, finds the strongly connected components, dependencies first. */
#include "ir/order.h"

#include <string.h>

/* ---- What is needed ---- */

static void find_needed(wir_order *g) {
  const wir_body *b = g->body;
  memset(g->needed, 0, b->n_ins);
  memset(g->kept, 0, g->p->n_states * sizeof *g->kept);
  for (uint32_t i = b->effects; i < b->n_ins; i++)
    if (b->ins[i].op != WIR_I_WRITE) g->kept[b->ins[i].state] = b->ins[i].args[0].i + 1;
  for (uint32_t i = b->n_ins; i-- > 0;) {
    const wir_ins *in = &b->ins[i];
    if (i >= b->effects || wir_ins_leaves(b, in)) g->needed[i] = 1;
    for (uint32_t k = 0; g->needed[i] && k < wir_insns[in->op].operands; k++) g->needed[in->args[k].i] = 1;
  }
}

/* ---- Components ---- */

typedef struct frame { uint32_t ins, next; } frame;

typedef struct tarjan {
  wir_order *g;
  uint32_t *index, *low; /* by instruction; index 0: not seen */
  uint8_t *is_open;      /* on `open` */
  uint32_t *open;        /* seen, component not complete */
  frame *calls;
  uint32_t n_seen, n_open, n_calls;
} tarjan;

/* Dependency number `k` of an instruction; UINT32_MAX: there are no more. */
static uint32_t dependency(const wir_order *g, uint32_t i, uint32_t k) {
  const wir_ins *in = wir_order_ins(g, i);
  if (k < wir_insns[in->op].operands) return in->args[k].i;
  if (k == 0 && wir_is_inside_tile(g, in)) return g->kept[in->state] - 1; /* none is kept: UINT32_MAX */
  return UINT32_MAX;
}

static void enter(tarjan *t, uint32_t i) {
  t->index[i] = t->low[i] = ++t->n_seen;
  t->open[t->n_open++] = i;
  t->is_open[i] = 1;
  t->calls[t->n_calls++] = (frame){i, 0};
}

static void close_component(tarjan *t, uint32_t root) {
  wir_order *g = t->g;
  wir_group *group = &g->groups[g->n_groups];
  *group = (wir_group){.first = g->n_order};
  uint32_t i;
  do {
    i = t->open[--t->n_open];
    t->is_open[i] = 0;
    g->order[g->n_order++] = i;
    g->group_of[i] = g->n_groups;
    group->n++;
  } while (i != root);
  g->n_groups++;
}

static void visit(tarjan *t, uint32_t root) {
  if (t->index[root] != 0) return;
  enter(t, root);
  while (t->n_calls != 0) {
    frame *f = &t->calls[t->n_calls - 1];
    uint32_t i = f->ins, next = dependency(t->g, i, f->next++);
    if (next == UINT32_MAX) {
      t->n_calls--;
      if (t->low[i] == t->index[i]) close_component(t, i);
      if (t->n_calls != 0) {
        uint32_t above = t->calls[t->n_calls - 1].ins;
        t->low[above] = WB_MIN(t->low[above], t->low[i]);
      }
    } else if (t->index[next] == 0) enter(t, next);
    else if (t->is_open[next]) t->low[i] = WB_MIN(t->low[i], t->index[next]);
  }
}

/* Puts the instructions of each component in the body's order. */
static void fill_groups(wir_order *g) {
  for (uint32_t k = 0; k < g->n_groups; k++) g->groups[k].n = 0;
  for (uint32_t i = 0; i < g->body->effects; i++) {
    if (!g->needed[i]) continue;
    wir_group *group = &g->groups[g->group_of[i]];
    g->order[group->first + group->n++] = i;
  }
}

static bool find_components(wir_order *g) {
  const wir_body *b = g->body;
  size_t n = (size_t)b->n_ins + 1;
  tarjan t = {.g = g};
  uint32_t *words = wb_block(g->mem, n * 3 * sizeof *words);
  t.calls = wb_block(g->mem, n * sizeof *t.calls);
  t.is_open = wb_block(g->mem, n);
  bool is_made = words != NULL && t.calls != NULL && t.is_open != NULL;
  if (is_made) {
    memset(words, 0, n * 3 * sizeof *words);
    memset(t.is_open, 0, n);
    t.index = words;
    t.low = words + n;
    t.open = words + 2 * n;
    for (uint32_t i = b->effects; i < b->n_ins; i++) visit(&t, b->ins[i].args[0].i);
    for (uint32_t i = 0; i < b->effects; i++)
      if (g->needed[i]) visit(&t, i); /* what can leave, and nothing else needs */
    fill_groups(g);
  }
  wb_block_free(g->mem, words);
  wb_block_free(g->mem, t.calls);
  wb_block_free(g->mem, t.is_open);
  return is_made;
}

/* ---- Forms ---- */

static bool is_op(const wir_order *g, uint32_t i, wir_ins_op op) { return wir_order_ins(g, i)->op == op; }

/* The operand of a binary instruction that is not `one`; UINT32_MAX if neither is, or both are. */
static uint32_t other_than(const wir_ins *in, uint32_t one) {
  uint32_t a = in->args[0].i, b = in->args[1].i;
  if ((a == one) == (b == one)) return UINT32_MAX;
  return a == one ? b : a;
}

/* Can a value in the component be a failure, or one that comes in? */
static bool has_masks(const wir_order *g, const wir_group *group, bool but_sum) {
  for (uint32_t k = 0; k < group->n; k++) {
    uint32_t i = g->order[group->first + k];
    const wir_ins *in = wir_order_ins(g, i);
    if (in->may != 0 && !(but_sum && i == group->sum)) return true;
    for (uint32_t a = 0; a < wir_insns[in->op].operands; a++)
      if (wir_order_ins(g, in->args[a].i)->may != 0 && !(but_sum && in->args[a].i == group->sum)) return true;
  }
  return false;
}

static bool is_sum(const wir_order *g, wir_group *group) {
  const wir_ins *in = wir_order_ins(g, group->result);
  if (group->n != 2 || has_masks(g, group, false)) return false;
  group->x = other_than(in, group->prev);
  group->form = in->op == WIR_I_ADD ? WIR_FORM_SUM : WIR_FORM_DROP;
  if (group->x == UINT32_MAX) return false; /* twice prev */
  return in->op == WIR_I_ADD || (in->op == WIR_I_SUB && in->args[0].i == group->prev);
}

static bool is_run(const wir_order *g, wir_group *group) {
  const wir_ins *in = wir_order_ins(g, group->result);
  if (group->n != 3 || in->op != WIR_I_SELECT) return false;
  uint32_t which = UINT32_MAX, id = g->group_of[group->result];
  for (uint32_t k = 1; k < 3; k++)
    if (wir_order_has(g, id, in->args[k].i) && in->args[k].i != group->prev) which = k;
  if (which == UINT32_MAX || wir_order_has(g, id, in->args[0].i)) return false;
  group->sum = in->args[which].i;
  group->is_flipped = which == 2;
  group->c = in->args[0].i;
  group->z = in->args[3 - which].i;
  if (!is_op(g, group->sum, WIR_I_ADD) || group->z == group->sum || has_masks(g, group, true)) return false;
  const wir_ins *sum = wir_order_ins(g, group->sum);
  group->x = other_than(sum, group->prev);
  group->form = WIR_FORM_RUN;
  return group->x != UINT32_MAX && (sum->is_guarded || sum->kind == WIR_KIND_FLOAT || !wir_ins_fails(sum));
}

static bool is_scale(const wir_order *g, wir_group *group) {
  const wir_ins *in = wir_order_ins(g, group->result);
  if (group->n != 3 || in->op != WIR_I_ADD || in->kind != WIR_KIND_FLOAT || has_masks(g, group, false)) return false;
  uint32_t id = g->group_of[group->result], a = in->args[0].i, b = in->args[1].i;
  uint32_t product = wir_order_has(g, id, a) ? a : b;
  group->x = other_than(in, product);
  group->form = WIR_FORM_SCALE;
  if (group->x == UINT32_MAX || group->x == group->prev || !is_op(g, product, WIR_I_MUL)) return false;
  group->z = other_than(wir_order_ins(g, product), group->prev);
  return group->z != UINT32_MAX;
}

/* select(prev < x, prev, x) and the like. */
static bool is_extreme(const wir_order *g, wir_group *group) {
  const wir_ins *in = wir_order_ins(g, group->result);
  if (group->n != 3 || in->op != WIR_I_SELECT || in->kind != WIR_KIND_INT || has_masks(g, group, false)) return false;
  const wir_ins *c = wir_order_ins(g, in->args[0].i);
  if (!wir_order_has(g, g->group_of[group->result], in->args[0].i) || c->op < WIR_I_LT || c->op > WIR_I_GE) return false;
  uint32_t left = c->args[0].i, yes = in->args[1].i, no = in->args[2].i, x = other_than(c, group->prev);
  if (x == UINT32_MAX || wir_order_ins(g, x)->kind != WIR_KIND_INT) return false;
  if (!((yes == group->prev && no == x) || (yes == x && no == group->prev))) return false;
  bool is_less = c->op == WIR_I_LT || c->op == WIR_I_LE;
  group->x = x;
  group->form = is_less == (left == yes) ? WIR_FORM_LEAST : WIR_FORM_MOST;
  return true;
}

/* Only Bools that cannot fail: then a row's result is one of two, which are known beforehand. */
static bool is_choice(const wir_order *g, wir_group *group) {
  enum { MOST = 40 };
  if (group->n > MOST || has_masks(g, group, false)) return false;
  for (uint32_t k = 0; k < group->n; k++) {
    const wir_ins *in = wir_order_ins(g, g->order[group->first + k]);
    if (in->kind != WIR_KIND_BOOL) return false;
    for (uint32_t a = 0; a < wir_insns[in->op].operands; a++)
      if (wir_order_ins(g, in->args[a].i)->kind != WIR_KIND_BOOL) return false;
  }
  group->form = WIR_FORM_CHOOSE;
  return true;
}

/* Of the components with one RING, of one row ago. */
static bool has_form(const wir_order *g, wir_group *group) {
  uint32_t n_rings = 0;
  for (uint32_t k = 0; k < group->n; k++) {
    uint32_t i = g->order[group->first + k];
    if (!is_op(g, i, WIR_I_RING)) continue;
    n_rings++;
    group->prev = i;
  }
  const wir_ins *prev = wir_order_ins(g, group->prev);
  if (n_rings != 1 || prev->imm.offset != 1) return false;
  group->result = g->kept[prev->state] - 1;
  group->sum = UINT32_MAX;
  return is_sum(g, group) || is_run(g, group) || is_scale(g, group) || is_extreme(g, group) || is_choice(g, group);
}

static void find_form(const wir_order *g, wir_group *group) {
  uint32_t i = g->order[group->first];
  bool is_own = is_op(g, i, WIR_I_RING) && g->kept[wir_order_ins(g, i)->state] == i + 1; /* a ring that is its own past */
  if (group->n == 1 && !(is_own && wir_is_inside_tile(g, wir_order_ins(g, i)))) group->form = WIR_FORM_SINGLE;
  else if (!has_form(g, group)) group->form = WIR_FORM_ROWS;
}

/* ---- All ---- */

bool wir_order_make(const wir_program *p, const wir_body *body, uint32_t rows, wb_mem *mem, wir_order *out) {
  *out = (wir_order){.p = p, .body = body, .rows = rows, .mem = mem};
  size_t n = (size_t)body->n_ins + 1;
  out->needed = wb_block(mem, n);
  out->kept = wb_block(mem, p->n_states * sizeof *out->kept + 1);
  out->order = wb_block(mem, n * sizeof *out->order);
  out->group_of = wb_block(mem, n * sizeof *out->group_of);
  out->groups = wb_block(mem, n * sizeof *out->groups);
  if (out->needed == NULL || out->kept == NULL || out->order == NULL || out->group_of == NULL || out->groups == NULL) return false;
  find_needed(out);
  if (!find_components(out)) return false;
  for (uint32_t i = 0; i < out->n_groups; i++) find_form(out, &out->groups[i]);
  return true;
}

void wir_order_end(wir_order *g) {
  wb_block_free(g->mem, g->needed);
  wb_block_free(g->mem, g->kept);
  wb_block_free(g->mem, g->order);
  wb_block_free(g->mem, g->group_of);
  wb_block_free(g->mem, g->groups);
}
