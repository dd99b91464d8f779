/* runtime/quick_code.c -- quickened code from a scalar body.
**
** Every instruction that is needed gets a register and a handler: a plain one if neither it nor its operands can be anything but values, else a
** tracked one.  Constants are registers that are set once, inputs the first registers. */
#include <string.h>

#include "runtime/monitor.h"
#include "runtime/quick_ops.h"

typedef struct copy { uint32_t to, from; } copy;

typedef struct coder {
  wrt_monitor *m;
  const wir_program *p;
  const wir_body *body;
  const uint8_t *assumed;     /* by state: quick.h; NULL: none */
  wir_body_fit fit;
  wb_mem *scratch;
  const void *const *handlers;
  wrt_quick_code *to;
  uint32_t arena;             /* where it begins, as an offset from the base */
  uint32_t *at;               /* by instruction: offset of its value; 0 while it is not needed */
  uint8_t *is_needed;
  uint8_t *needs_register;    /* some user tracks conditions, or is an effect */
  uint32_t *n_users;          /* by instruction: needed ones */
  uint32_t *wanted;           /* by instruction: the register that it had best get; 0: any */
  uint32_t last;              /* the operation of the body whose code was put last; UINT32_MAX: another kind of code */
  WB_VEC(wrt_quick_ins) code, row;
  WB_VEC(uint8_t) ops;        /* by instruction of the code: its wrt_quick_op */
  WB_VEC(copy) copies;        /* effects that are copies: first what cells keep, then what rings of one sample get */
  WB_VEC(wrt_quick_const) consts;
  WB_VEC(wrt_quick_port) reads, writes;
} coder;

static const wir_ins *operand(const coder *k, const wir_ins *in, uint32_t i) { return wir_ins_at(k->body, in->args[i]); }

static bool is_tracked(const coder *k, const wir_ins *in) {
  uint8_t may = in->may;
  for (uint32_t i = 0; i < wir_insns[in->op].operands; i++) may |= operand(k, in, i)->may;
  return may != 0 || in->op == WIR_I_PROPER || in->op == WIR_I_STARTED || in->op == WIR_I_PICK;
}

static bool is_assumed(const coder *k, uint32_t state) { return k->assumed != NULL && (k->assumed[state] & (1u << k->fit)) != 0; }

static bool is_plain_keep(const coder *k, const wir_ins *in) {
  return in->op == WIR_I_KEEP && is_assumed(k, in->state) && wir_cell_bytes[k->p->states[in->state].cell] == 8;
}

/* The one sample of a ring is an operand where it stands, unless its condition is asked for, or it is pushed, maybe after what replaces it. */
static bool wants_registers(const coder *k, const wir_ins *in) {
  if (in->op == WIR_I_WRITE || is_plain_keep(k, in)) return false;
  return is_tracked(k, in) || in->op == WIR_I_KEEP || (in->op == WIR_I_PUSH && !WB_PLANTED(29));
}

static void find_needed(coder *k) {
  for (uint32_t i = k->body->n_ins; i-- > 0;) {
    const wir_ins *in = &k->body->ins[i];
    k->is_needed[i] |= i >= k->body->effects || wir_ins_leaves(k->body, in);
    if (!k->is_needed[i]) continue;
    bool registers = wants_registers(k, in);
    for (uint32_t a = 0; a < wir_insns[in->op].operands; a++) {
      k->is_needed[in->args[a].i] = 1;
      k->needs_register[in->args[a].i] |= registers;
      k->n_users[in->args[a].i]++;
    }
  }
}

/* ---- Handlers ---- */

/* The plain handler of an operation on a kind; the tracked one is next to it. */
typedef struct choice { uint8_t ints, floats; } choice;
#define BOTH(name) {WRT_Q_P_##name##_I, WRT_Q_P_##name##_F}
#define FLOATS(name) {WRT_Q_P_##name, WRT_Q_P_##name}
static const choice choices[WIR_INS_OPS] = {
  [WIR_I_ADD] = BOTH(ADD), [WIR_I_SUB] = BOTH(SUB), [WIR_I_MUL] = BOTH(MUL), [WIR_I_DIV] = BOTH(DIV), [WIR_I_REM] = BOTH(REM),
  [WIR_I_POW] = BOTH(POW), [WIR_I_NEG] = BOTH(NEG), [WIR_I_ABS] = BOTH(ABS), [WIR_I_SIN] = FLOATS(SIN_F), [WIR_I_COS] = FLOATS(COS_F),
  [WIR_I_TAN] = FLOATS(TAN_F), [WIR_I_EQ] = BOTH(EQ), [WIR_I_NE] = BOTH(NE), [WIR_I_LT] = BOTH(LT), [WIR_I_LE] = BOTH(LE),
  [WIR_I_GT] = BOTH(GT), [WIR_I_GE] = BOTH(GE), [WIR_I_NOT] = FLOATS(NOT_I), [WIR_I_FLOAT] = FLOATS(FLOAT), [WIR_I_AND] = FLOATS(AND),
  [WIR_I_OR] = FLOATS(OR), [WIR_I_IMPLIES] = FLOATS(IMPLIES), [WIR_I_SELECT] = FLOATS(SELECT),
};

wrt_quick_op wrt_quick_plain(wir_ins_op op, bool is_float) {
  return (wrt_quick_op)(is_float ? choices[op].floats : choices[op].ints);
}

/* Instructions that exist only where conditions are tracked. */
static const uint8_t tracked_only[WIR_INS_OPS] = {
  [WIR_I_HOLD] = WRT_Q_T_HOLD, [WIR_I_FILL] = WRT_Q_T_FILL, [WIR_I_SETTLE] = WRT_Q_T_SETTLE, [WIR_I_GUARD] = WRT_Q_T_GUARD,
  [WIR_I_DEFAULT] = WRT_Q_T_DEFAULT, [WIR_I_DEFINED] = WRT_Q_T_DEFINED, [WIR_I_GATE] = WRT_Q_T_GATE, [WIR_I_PROPER] = WRT_Q_T_PROPER,
  [WIR_I_STARTED] = WRT_Q_T_STARTED, [WIR_I_PICK] = WRT_Q_T_PICK,
};

static bool put(coder *k, wrt_quick_op op, wrt_quick_ins in) {
  in.go = k->handlers[op];
  k->last = UINT32_MAX;
  return WB_PUSH(&k->m->quick_mem, &k->code, in) && WB_PUSH(k->scratch, &k->ops, (uint8_t)op);
}

static uint32_t new_register(coder *k) { return 8 * (k->to->first + k->to->n_registers++); }
static uint32_t register_for(coder *k, uint32_t i) { return k->wanted[i] != 0 ? 8 * k->wanted[i] : new_register(k); }

/* ---- Where values had best be ---- */

static bool is_in_place(const coder *k, uint32_t i) {
  const wir_ins *in = &k->body->ins[i];
  if (in->op != WIR_I_RING || in->may != 0 || k->needs_register[i] || !is_assumed(k, in->state)) return false;
  return k->p->states[in->state].capacity == 1 && k->p->states[in->state].cell != WIR_CELL_BOOL;
}

static bool can_choose(const coder *k, uint32_t i) {
  uint8_t op = k->body->ins[i].op;
  return k->wanted[i] == 0 && op != WIR_I_READ && op != WIR_I_CONST && !is_in_place(k, i);
}

/* Outputs stand one behind the other, so that a row of them is copied at once. */
static void want_outputs(coder *k) {
  k->to->outputs = k->to->first + k->to->n_registers;
  k->to->n_registers += k->p->n_outputs;
  for (uint32_t i = k->body->effects; i < k->body->n_ins; i++) {
    const wir_ins *in = &k->body->ins[i];
    if (in->op != WIR_I_WRITE || !can_choose(k, in->args[0].i)) continue;
    k->wanted[in->args[0].i] = k->to->outputs + wir_find_output(k->p, in->stream);
  }
}

/* What cells keep stands in the order of the cells.  (Descriptors are numbered as their cells lie, within a class.) */
static void want_keeps(coder *k, uint32_t *by_state) {
  for (uint32_t i = 0; i < k->p->n_states; i++) by_state[i] = UINT32_MAX;
  for (uint32_t i = k->body->effects; i < k->body->n_ins; i++)
    if (is_plain_keep(k, &k->body->ins[i])) by_state[k->body->ins[i].state] = k->body->ins[i].args[0].i;
  for (uint32_t i = 0; i < k->p->n_states; i++)
    if (by_state[i] != UINT32_MAX && can_choose(k, by_state[i])) k->wanted[by_state[i]] = k->to->first + k->to->n_registers++;
}

static bool collect_keeps(coder *k, const uint32_t *by_state) {
  for (uint32_t i = 0; i < k->p->n_states; i++)
    if (by_state[i] != UINT32_MAX && !WB_PUSH(k->scratch, &k->copies, (copy){k->arena + (uint32_t)k->p->states[i].offset, k->at[by_state[i]]})) return false;
  return true;
}

/* How many copies from i on are between neighbours in both places. */
static size_t count_run(const coder *k, size_t i, size_t end) {
  const copy *c = k->copies.at + i;
  uint32_t n = 1;
  while (i + n < end && c[n].from == c->from + 8 * n && (WB_PLANTED(22) || c[n].to == c->to + 8 * n)) n++;
  return n;
}

/* Up to three copies in one instruction, which makes them in this order. */
static bool put_three(coder *k, const copy *c, size_t n) {
  wrt_quick_ins q = {.d = c[n - 1].to, .a = c[n - 1].from};
  if (n > 1) q.c = c[n - 2].to, q.b = c[n - 2].from;
  if (n > 2) q.more[0] = c[0].to, q.more[1] = c[0].from;
  if (n > 1 && WB_PLANTED(30)) q.d = c[0].to, q.a = c[0].from, q.c = c[1].to, q.b = c[1].from;
  return put(k, n == 3 ? WRT_Q_P_COPY3 : n == 2 ? WRT_Q_P_COPY2 : WRT_Q_P_COPY, q);
}

/* Keeps first, since they may read samples that pushes replace.  No keep reads what another writes, and no push. */
static bool put_copies(coder *k, size_t n_keeps) {
  size_t left = 0;
  copy *c = k->copies.at;
  for (size_t i = 0, n; i < k->copies.n; i += n) {
    n = i < n_keeps ? count_run(k, i, n_keeps) : 1;
    if (n > 3) {
      if (!put(k, WRT_Q_P_COPY_RUN, (wrt_quick_ins){.d = c[i].to, .a = c[i].from, .imm.i = (int64_t)n})) return false;
    } else {
      for (size_t j = 0; j < n; j++) c[left++] = c[i + j];
    }
  }
  for (size_t i = 0; i < left; i += 3)
    if (!put_three(k, c + i, WB_MIN(left - i, 3))) return false;
  return true;
}

/* ---- Instructions ---- */

static bool put_ring(coder *k, const wir_ins *in, uint32_t i) {
  const wir_state *s = &k->p->states[in->state];
  if (in->may != 0 || !is_assumed(k, in->state))
    return put(k, WRT_Q_T_RING, (wrt_quick_ins){.d = k->at[i] = register_for(k, i), .a = in->state, .imm = in->imm});
  uint32_t values = k->arena + (uint32_t)s->offset;
  bool is_bool = s->cell == WIR_CELL_BOOL;
  if (is_in_place(k, i)) {
    k->at[i] = values;
    return true;
  }
  wrt_quick_ins q = {.d = k->at[i] = register_for(k, i), .a = values, .b = k->arena + (uint32_t)s->ring, .c = (uint32_t)in->imm.offset,
                     .imm.offset = s->capacity};
  if (s->capacity == 1) return put(k, is_bool ? WRT_Q_P_RING_NEWEST_BOOL : WRT_Q_P_COPY, q);
  return put(k, is_bool ? WRT_Q_P_RING_BOOL : WRT_Q_P_RING, q);
}

static bool put_keep(coder *k, const wir_ins *in) {
  const wir_state *s = &k->p->states[in->state];
  uint32_t from = k->at[in->args[0].i];
  if (k->assumed != NULL && k->assumed[in->state] == 0 && wir_cell_bytes[s->cell] == 8 && s->kind != WIR_STATE_FLAG)
    return put(k, WRT_Q_T_KEEP_CELL, (wrt_quick_ins){.d = from, .a = k->arena + (uint32_t)s->offset, .b = k->arena + (uint32_t)s->presence});
  if (!is_assumed(k, in->state)) return put(k, WRT_Q_T_KEEP, (wrt_quick_ins){.d = from, .a = in->state});
  return put(k, WRT_Q_P_KEEP_BOOL, (wrt_quick_ins){.d = from, .a = k->arena + (uint32_t)s->offset}); /* others: collect_keeps */
}

static bool put_push(coder *k, const wir_ins *in) {
  const wir_state *s = &k->p->states[in->state];
  uint32_t from = k->at[in->args[0].i];
  if (!k->body->is_whole) return put(k, WRT_Q_T_STAGE, (wrt_quick_ins){.d = from, .a = in->state});
  if (!is_assumed(k, in->state)) return put(k, WRT_Q_T_PUSH, (wrt_quick_ins){.d = from, .a = in->state});
  bool is_bool = s->cell == WIR_CELL_BOOL;
  wrt_quick_ins q = {.d = from, .a = k->arena + (uint32_t)s->offset, .b = k->arena + (uint32_t)s->ring, .imm.offset = s->capacity};
  if (s->capacity == 1) return is_bool ? put(k, WRT_Q_P_KEEP_BOOL, q) : WB_PUSH(k->scratch, &k->copies, (copy){q.a, from}); /* it is a cell */
  return put(k, is_bool ? WRT_Q_P_PUSH_BOOL : WRT_Q_P_PUSH, q);
}

/* Joins an operation with the one right before it, if that computed an operand that nobody else reads.  True: done. */
static bool fuse(coder *k, wrt_quick_part second) {
  if (k->last == UINT32_MAX || k->n_users[k->last] != 1) return false;
  uint32_t at = 0, n = wir_insns[second.in->op].operands;
  while (at < n && second.in->args[at].i != k->last) at++;
  const wir_ins *in = &k->body->ins[k->last];
  wrt_quick_part first = {in, is_tracked(k, in), WB_TOP(&k->code)};
  wrt_quick_op op;
  if (at == n || !wrt_quick_fuse(k->body, first, second, at, &WB_TOP(&k->code), &op)) return false;
  WB_TOP(&k->code).go = k->handlers[op];
  WB_TOP(&k->ops) = (uint8_t)op;
  k->last = UINT32_MAX;
  return true;
}

static bool put_operation(coder *k, const wir_ins *in, uint32_t i) {
  bool tracked = is_tracked(k, in);
  wrt_quick_ins q = {.b = 0, .imm.i = in->is_guarded};
  uint32_t n = wir_insns[in->op].operands;
  q.a = k->at[in->args[0].i];
  if (n > 1) q.b = k->at[in->args[1].i];
  if (n > 2) q.c = k->at[in->args[2].i];
  q.d = k->at[i] = register_for(k, i);
  if (in->op == WIR_I_HOLD || in->op == WIR_I_FILL || in->op == WIR_I_PROPER || in->op == WIR_I_STARTED) q.b = in->state;
  if (tracked_only[in->op] != 0) return put(k, (wrt_quick_op)tracked_only[in->op], q);
  bool is_float = operand(k, in, n == 3 ? 1 : 0)->kind == WIR_KIND_FLOAT;
  wrt_quick_op plain = wrt_quick_plain((wir_ins_op)in->op, is_float);
  if (fuse(k, (wrt_quick_part){in, tracked, q})) return true;
  if (!put(k, (wrt_quick_op)((uint32_t)plain + tracked), q)) return false;
  k->last = i;
  return true;
}

static bool put_const(coder *k, const wir_ins *in, uint32_t i) {
  k->at[i] = new_register(k);
  return WB_PUSH(&k->m->quick_mem, &k->consts, (wrt_quick_const){k->at[i], in->imm});
}

/* Before the effects: an output that stands elsewhere is copied to its place. */
static bool put_write(coder *k, const wir_ins *in) {
  uint32_t from = k->at[in->args[0].i];
  bool may_lack = operand(k, in, 0)->may != 0;
  if (!k->body->is_whole) return WB_PUSH(&k->m->quick_mem, &k->writes, (wrt_quick_port){in->stream, from, may_lack});
  uint32_t to = 8 * (k->to->outputs + wir_find_output(k->p, in->stream));
  k->to->lacks_nothing &= !may_lack;
  return from == to || put(k, may_lack && !WB_PLANTED(21) ? WRT_Q_T_COPY : WRT_Q_P_COPY, (wrt_quick_ins){.d = to, .a = from});
}

static bool put_read(coder *k, const wir_ins *in, uint32_t i) {
  if (k->body->is_whole) {
    k->at[i] = 8 * (k->to->first + in->stream); /* a whole body reads inputs only */
    return true;
  }
  k->at[i] = new_register(k);
  return WB_PUSH(&k->m->quick_mem, &k->reads, (wrt_quick_port){in->stream, k->at[i], in->may != 0});
}

static bool put_one(coder *k, uint32_t i) {
  const wir_ins *in = &k->body->ins[i];
  if (!k->is_needed[i]) return true;
  if (in->op == WIR_I_CONST) return put_const(k, in, i);
  if (in->op == WIR_I_READ) return put_read(k, in, i);
  if (in->op == WIR_I_RING) return put_ring(k, in, i);
  if (in->op == WIR_I_KEEP) return put_keep(k, in);
  if (in->op == WIR_I_PUSH) return put_push(k, in);
  return put_operation(k, in, i);
}

static bool put_effects(coder *k, uint32_t *by_state) {
  const wir_body *b = k->body;
  for (uint32_t i = b->effects; i < b->n_ins; i++)
    if (b->ins[i].op == WIR_I_WRITE && !put_write(k, &b->ins[i])) return false;
  if (!put(k, WRT_Q_STOP, (wrt_quick_ins){.d = 0})) return false;
  k->to->effects = (uint32_t)k->code.n;
  if (!collect_keeps(k, by_state)) return false;
  size_t n_keeps = k->copies.n;
  for (uint32_t i = b->effects; i < b->n_ins; i++)
    if (b->ins[i].op != WIR_I_WRITE && !is_plain_keep(k, &b->ins[i]) && !put_one(k, i)) return false;
  return put_copies(k, n_keeps) && put(k, WRT_Q_END, (wrt_quick_ins){.d = 0});
}

/* ---- The code of wrt_quick_row ---- */

/* How many instructions from i on have to be run in the other loop. */
static uint32_t count_detour(const coder *k, const wrt_row_handlers *h, uint32_t i) {
  uint32_t n = 0;
  if (k->ops.at[i] == WRT_Q_T_SELECT) return 1;
  for (const uint8_t *op = k->ops.at + i; h->by_op[*op] == NULL && *op != WRT_Q_STOP && *op != WRT_Q_END && *op != WRT_Q_T_SELECT; op++) n++;
  return n;
}

/* Puts n instructions that the row's loop has no handlers for: a detour, then they themselves for the other loop. */
static bool put_detour(coder *k, const wrt_row_handlers *h, uint32_t i, uint32_t n) {
  wrt_quick_ins first = {.go = h->detour, .d = n + 1};
  if (k->ops.at[i] == WRT_Q_T_SELECT) {
    first = k->code.at[i];
    first.go = h->select;
  }
  if (!WB_PUSH(&k->m->quick_mem, &k->row, first)) return false;
  for (uint32_t j = 0; j < n; j++)
    if (!WB_PUSH(&k->m->quick_mem, &k->row, k->code.at[i + j])) return false;
  return WB_PUSH(&k->m->quick_mem, &k->row, (wrt_quick_ins){.go = k->handlers[WRT_Q_END]});
}

static bool put_row_end(coder *k, const wrt_row_handlers *h) {
  uint32_t n = k->p->n_outputs;
  wrt_quick_ins end = {.go = n == 1 ? h->end_one : h->end, .a = 8 * k->to->outputs, .d = n};
  uint32_t last = k->ops.at[k->code.n - 2]; /* before END there is STOP at least */
  if (n == 1 && last >= WRT_Q_P_COPY && last <= WRT_Q_P_COPY3) WB_TOP(&k->row).go = h->end_copies[last - WRT_Q_P_COPY];
  return WB_PUSH(&k->m->quick_mem, &k->row, end);
}

static bool make_row(coder *k) {
  wrt_row_handlers h = wrt_row_tell_handlers();
  for (uint32_t i = 0, n; i + 1 < k->code.n; i += n) {
    const void *go = h.by_op[k->ops.at[i]];
    n = 1;
    if (k->ops.at[i] == WRT_Q_STOP) continue;
    if (go == NULL) n = count_detour(k, &h, i);
    if (go == NULL ? !put_detour(k, &h, i, n) : !WB_PUSH(&k->m->quick_mem, &k->row, k->code.at[i])) return false;
    if (go != NULL) WB_TOP(&k->row).go = go;
  }
  if (!put_row_end(k, &h)) return false;
  k->to->row = k->row.at;
  return true;
}

static bool make_code(coder *k, uint32_t *by_state) {
  const wir_body *b = k->body;
  find_needed(k);
  k->to->n_registers = b->is_whole ? k->p->n_inputs : 0;
  k->to->lacks_nothing = true;
  if (b->is_whole) want_outputs(k);
  want_keeps(k, by_state);
  for (uint32_t i = 0; i < b->effects; i++)
    if (!put_one(k, i)) return false;
  if (!put_effects(k, by_state)) return false;
  k->to->code = k->code.at;
  k->to->n_code = (uint32_t)k->code.n;
  k->to->consts = k->consts.at;
  k->to->n_consts = (uint32_t)k->consts.n;
  k->to->reads = k->reads.at;
  k->to->n_reads = (uint32_t)k->reads.n;
  k->to->writes = k->writes.at;
  k->to->n_writes = (uint32_t)k->writes.n;
  return !b->is_whole || k->fit != WIR_BODY_WARM || make_row(k);
}

bool wrt_quick_make(wrt_monitor *m, const wir_body *body, const uint8_t *assumed, wir_body_fit fit, uint32_t first, uint32_t arena,
                    wrt_quick_code *to) {
  coder k = {.m = m, .p = m->program, .body = body, .assumed = assumed, .fit = fit, .to = to, .arena = arena};
  size_t n = (size_t)body->n_ins + 1;
  (void)wrt_quick_run(NULL, NULL, &k.handlers);
  to->first = first;
  size_t n_states = (size_t)k.p->n_states + 1;
  wb_mem scratch;
  wb_mem_init(&scratch, m->mem.door, 0);
  k.scratch = &scratch;
  k.last = UINT32_MAX;
  k.at = WB_NEW_ARRAY(&scratch, uint32_t, n);
  k.is_needed = WB_NEW_ARRAY(&scratch, uint8_t, n);
  k.needs_register = WB_NEW_ARRAY(&scratch, uint8_t, n);
  k.n_users = WB_NEW_ARRAY(&scratch, uint32_t, n);
  k.wanted = WB_NEW_ARRAY(&scratch, uint32_t, n);
  uint32_t *by_state = WB_NEW_ARRAY(&scratch, uint32_t, n_states);
  bool is_made = k.at != NULL && k.is_needed != NULL && k.needs_register != NULL && k.n_users != NULL && k.wanted != NULL &&
                 by_state != NULL && make_code(&k, by_state);
  wb_mem_drop(&scratch);
  return is_made;
}
