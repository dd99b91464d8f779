/* ir/lower.c -- evaluation graphs of scalar streams to one scalar body.
**
** Node by node; what a graph node does with memory is taken apart into instructions that compute and effects that keep.  The effects are
** collected and put behind everything else. */
#include <string.h>

#include "ir/scalar.h"

typedef struct lowerer {
  const wir_program *p;
  wb_mem *mem;      /* of the result */
  bool is_whole;
  bool out_of_memory;
  WB_VEC(wir_ins) ins, effects;
  uint32_t *value;  /* by stream: instruction + 1, where this body has read or computed it */
  uint32_t *held;   /* by stream: instruction + 1 of its HOLD */
  wir_val *of_node; /* by node of the graph at hand */
} lowerer;

/* ---- What can be lowered ---- */

bool wir_scalar_kind(wir_type t, wir_kind *out) {
  if (wir_type_eq(t, WIR_INT)) *out = WIR_KIND_INT;
  else if (wir_type_eq(t, WIR_FLOAT)) *out = WIR_KIND_FLOAT;
  else if (wir_type_eq(t, WIR_BOOL)) *out = WIR_KIND_BOOL;
  else return false;
  return true;
}

bool wir_is_scalar_node(const wir_program *p, const wir_graph *g, const wir_node *n) {
  wir_kind kind, from = WIR_KIND_INT;
  if (!wir_scalar_kind(n->type, &kind)) return false;
  for (uint32_t k = 0; k < wir_operands(n); k++)
    if (!wir_scalar_kind(wir_at(g, n->args[k])->type, &from)) return false;
  if (n->kind == WIR_CONVERT) return kind == WIR_KIND_FLOAT ? from != WIR_KIND_BOOL : kind == from;
  if (n->kind == WIR_VAR || n->kind == WIR_HELD || n->kind == WIR_DELAY_VAR || n->kind == WIR_DELAY_SELF)
    return wir_type_eq(p->streams[n->stream].type, n->type);
  return true;
}

bool wir_is_scalar(const wir_program *p, uint32_t stream) {
  const wir_stream *s = &p->streams[stream];
  wir_kind kind;
  if (!wir_scalar_kind(s->type, &kind)) return false;
  for (uint32_t i = 0; i < s->graph.n_nodes; i++)
    if (!wir_is_scalar_node(p, &s->graph, &s->graph.nodes[i])) return false;
  return s->graph.n_nodes == 0 || wir_type_eq(s->type, wir_at(&s->graph, s->graph.result)->type);
}

/* ---- Emitting ---- */

static wir_val emit(lowerer *l, wir_ins in) {
  wir_body so_far = {.ins = l->ins.at, .n_ins = (uint32_t)l->ins.n};
  if (l->out_of_memory) return (wir_val){0};
  in.may = wir_ins_may(l->p, &so_far, &in, NULL);
  if (l->ins.n >= UINT32_MAX / 2 || !WB_PUSH(l->mem, &l->ins, in)) {
    l->out_of_memory = true;
    return (wir_val){0};
  }
  return (wir_val){(uint32_t)l->ins.n - 1};
}

static uint8_t kind_at(const lowerer *l, wir_val v) { return l->out_of_memory ? 0 : l->ins.at[v.i].kind; }

static void effect(lowerer *l, wir_ins_op op, wir_val v, uint32_t state, uint32_t stream, weir_span at) {
  wir_ins in = {.op = (uint8_t)op, .kind = kind_at(l, v), .args = {v}, .state = state, .stream = stream, .span = at};
  if (!WB_PUSH(l->mem, &l->effects, in)) l->out_of_memory = true;
}

/* A new instruction for a node, with what all of them share. */
static wir_ins of_node(const wir_node *n, uint32_t stream, wir_ins_op op) {
  wir_kind kind = WIR_KIND_INT;
  (void)wir_scalar_kind(n->type, &kind);
  return (wir_ins){.op = (uint8_t)op, .kind = (uint8_t)kind, .is_guarded = n->is_guarded, .stream = stream, .state = n->state,
                   .span = n->span};
}

static wir_val with_args(lowerer *l, wir_ins in, wir_val a, wir_val b, wir_val c) {
  in.args[0] = a;
  in.args[1] = b;
  in.args[2] = c;
  return emit(l, in);
}
static const wir_val none = {0};

/* ---- Streams that are read ---- */

static wir_val read_stream(lowerer *l, uint32_t stream, weir_span at) {
  if (l->value[stream] == 0) {
    wir_kind kind = WIR_KIND_INT;
    (void)wir_scalar_kind(l->p->streams[stream].type, &kind);
    l->value[stream] = emit(l, (wir_ins){.op = WIR_I_READ, .kind = (uint8_t)kind, .stream = stream, .span = at}).i + 1;
  }
  return (wir_val){l->value[stream] - 1};
}

/* One HOLD for all lifted readers of a stream: its cell is shared. */
static wir_val read_held(lowerer *l, uint32_t stream, weir_span at) {
  if (l->held[stream] == 0) {
    wir_val v = read_stream(l, stream, at);
    uint32_t state = l->p->streams[stream].held;
    l->held[stream] =
        emit(l, (wir_ins){.op = WIR_I_HOLD, .kind = kind_at(l, v), .args = {v}, .stream = stream, .state = state, .span = at}).i + 1;
    effect(l, WIR_I_KEEP, (wir_val){l->held[stream] - 1}, state, stream, at);
  }
  return (wir_val){l->held[stream] - 1};
}

/* ---- Nodes ---- */

static wir_val as_float(lowerer *l, wir_val v, const wir_node *n, uint32_t stream) {
  if (kind_at(l, v) != WIR_KIND_INT) return v;
  wir_ins in = of_node(n, stream, WIR_I_FLOAT);
  in.kind = WIR_KIND_FLOAT;
  return with_args(l, in, v, none, none);
}

/* Operands of different number kinds meet as Floats. */
static wir_val lower_apply(lowerer *l, const wir_node *n, uint32_t stream, const wir_val *args) {
  wir_val a = args[0], b = args[1];
  bool is_binary = wir_ops[n->op].operands == 2;
  bool wants_float = wir_ops[n->op].result == WIR_RESULT_FLOAT || wir_type_eq(n->type, WIR_FLOAT) ||
                     (is_binary && kind_at(l, a) != kind_at(l, b));
  if (wants_float) {
    a = as_float(l, a, n, stream);
    if (is_binary) b = as_float(l, b, n, stream);
  }
  wir_ins in = of_node(n, stream, (wir_ins_op)n->op); /* insns.def begins with the rows of ops.def */
  return with_args(l, in, a, is_binary ? b : none, none);
}

static wir_val lower_lift(lowerer *l, const wir_node *n, uint32_t stream, wir_val a) {
  wir_val v = with_args(l, of_node(n, stream, WIR_I_HOLD), a, none, none);
  effect(l, WIR_I_KEEP, v, n->state, stream, n->span);
  return v;
}

static wir_val lower_flag(lowerer *l, const wir_node *n, uint32_t stream, wir_ins_op op, wir_val a) {
  wir_ins in = of_node(n, stream, op);
  in.kind = WIR_KIND_BOOL;
  wir_val flag = with_args(l, in, a, none, none);
  effect(l, WIR_I_KEEP, flag, n->state, stream, n->span);
  return flag;
}

static wir_val guarded_by(lowerer *l, const wir_node *n, uint32_t stream, wir_val a, wir_val b) {
  if (l->out_of_memory || !(l->ins.at[a.i].may & WIR_MAY_FAIL)) return b;
  wir_ins in = of_node(n, stream, WIR_I_GUARD);
  in.kind = kind_at(l, b);
  return with_args(l, in, a, b, none);
}

static wir_val lower_ring(lowerer *l, const wir_node *n, uint32_t stream) {
  wir_ins in = of_node(n, stream, WIR_I_RING);
  in.imm.offset = n->as.offset;
  return emit(l, in);
}

static wir_val settle(lowerer *l, const wir_node *n, uint32_t stream, wir_val a) {
  return with_args(l, of_node(n, stream, WIR_I_SETTLE), a, none, none);
}

/* canon.c's eval_delay, step by step. */
static wir_val lower_delay(lowerer *l, const wir_graph *g, const wir_node *n, uint32_t stream, wir_val operand) {
  wir_val v = guarded_by(l, n, stream, operand, lower_ring(l, n, stream));
  effect(l, WIR_I_PUSH, operand, n->state, stream, n->span);
  if (wir_at(g, n->args[0])->presence != WIR_GAPPY) return settle(l, n, stream, v);
  wir_ins hold = of_node(n, stream, WIR_I_HOLD);
  hold.state = n->state + 1;
  v = settle(l, n, stream, with_args(l, hold, v, none, none));
  effect(l, WIR_I_KEEP, v, n->state + 1, stream, n->span);
  return v;
}

static wir_val lower_const(lowerer *l, const wir_node *n, uint32_t stream) {
  wir_ins in = of_node(n, stream, WIR_I_CONST);
  weir_value v = n->as.value;
  if (in.kind == WIR_KIND_FLOAT) in.imm.f = wir_float_of(v);
  else in.imm.i = v.tag == WEIR_BOOL ? v.as.b : v.as.i;
  return emit(l, in);
}

static wir_val lower_update(lowerer *l, const wir_node *n, uint32_t stream, const wir_val *args) {
  wir_val flag = lower_flag(l, n, stream, WIR_I_PROPER, args[1]);
  wir_val v = with_args(l, of_node(n, stream, WIR_I_PICK), flag, args[1], args[0]);
  return guarded_by(l, n, stream, args[0], guarded_by(l, n, stream, args[1], v));
}

static wir_val lower_init(lowerer *l, const wir_node *n, uint32_t stream, const wir_val *args) {
  wir_val flag = lower_flag(l, n, stream, WIR_I_STARTED, args[0]);
  wir_val v = with_args(l, of_node(n, stream, WIR_I_PICK), flag, args[0], args[1]);
  return guarded_by(l, n, stream, args[0], guarded_by(l, n, stream, args[1], v));
}

static wir_val lower_node(lowerer *l, const wir_graph *g, const wir_node *n, uint32_t stream) {
  wir_val args[3] = {none, none, none};
  for (uint32_t k = 0; k < wir_operands(n); k++) args[k] = l->of_node[n->args[k].i];
  switch ((wir_node_kind)n->kind) {
  case WIR_CONST: return lower_const(l, n, stream);
  case WIR_VAR: return read_stream(l, n->stream, n->span);
  case WIR_HELD: return read_held(l, n->stream, n->span);
  case WIR_LIFT: return lower_lift(l, n, stream, args[0]);
  case WIR_APPLY: return lower_apply(l, n, stream, args);
  case WIR_CONVERT: return wir_type_eq(n->type, WIR_FLOAT) ? as_float(l, args[0], n, stream) : args[0];
  case WIR_IF: return with_args(l, of_node(n, stream, WIR_I_SELECT), args[0], args[1], args[2]);
  case WIR_AND: return with_args(l, of_node(n, stream, WIR_I_AND), args[0], args[1], none);
  case WIR_OR: return with_args(l, of_node(n, stream, WIR_I_OR), args[0], args[1], none);
  case WIR_IMPLIES: return with_args(l, of_node(n, stream, WIR_I_IMPLIES), args[0], args[1], none);
  case WIR_DEFAULT: return with_args(l, of_node(n, stream, WIR_I_DEFAULT), args[0], args[1], none);
  case WIR_IS_DEFINED: return with_args(l, of_node(n, stream, WIR_I_DEFINED), args[0], none, none);
  case WIR_WHEN: return guarded_by(l, n, stream, args[0], lower_flag(l, n, stream, WIR_I_PROPER, args[0]));
  case WIR_UPDATE: return lower_update(l, n, stream, args);
  case WIR_LATCH: return with_args(l, of_node(n, stream, WIR_I_GATE), args[1], args[0], none);
  case WIR_INIT: return lower_init(l, n, stream, args);
  case WIR_DELAY_VAR: return settle(l, n, stream, lower_ring(l, n, stream));
  case WIR_DELAY_SELF: return lower_ring(l, n, stream);
  case WIR_DELAY: return lower_delay(l, g, n, stream, args[0]);
  case WIR_NODE_KINDS: break;
  }
  return none;
}

/* ---- Streams ---- */

/* What is kept of a stream once it is known.  A stream's rings are the body's business only if it commits the whole row. */
static void keep_stream(lowerer *l, uint32_t i, wir_val v) {
  const wir_stream *s = &l->p->streams[i];
  if (s->held != WIR_NO_STATE) (void)read_held(l, i, s->span);
  if (!l->is_whole) return;
  if (s->history != WIR_NO_STATE) {
    wir_ins fill = {.op = WIR_I_FILL, .kind = kind_at(l, v), .args = {v}, .state = s->history, .stream = i, .span = s->span};
    effect(l, WIR_I_PUSH, s->presence == WIR_GAPPY ? emit(l, fill) : v, s->history, i, s->span);
  }
  if (s->output != WIR_NO_STATE && s->output != s->history) effect(l, WIR_I_PUSH, v, s->output, i, s->span);
}

static void lower_stream(lowerer *l, uint32_t i) {
  const wir_stream *s = &l->p->streams[i];
  for (uint32_t k = 0; k < s->graph.n_nodes; k++) l->of_node[k] = lower_node(l, &s->graph, &s->graph.nodes[k], i);
  wir_val v = l->of_node[s->graph.result.i];
  l->value[i] = v.i + 1;
  keep_stream(l, i, v);
  if (!l->is_whole || s->role == WEIR_OUT) effect(l, WIR_I_WRITE, v, WIR_NO_STATE, i, s->span);
}

static bool finish(lowerer *l, wir_body *out) {
  size_t n = l->ins.n + l->effects.n;
  wir_ins *ins = WB_NEW_ARRAY(l->mem, wir_ins, n);
  if (ins == NULL || l->out_of_memory) return false;
  if (l->ins.n != 0) memcpy(ins, l->ins.at, l->ins.n * sizeof *ins);
  if (l->effects.n != 0) memcpy(ins + l->ins.n, l->effects.at, l->effects.n * sizeof *ins);
  *out = (wir_body){.ins = ins, .n_ins = (uint32_t)n, .effects = (uint32_t)l->ins.n, .is_whole = l->is_whole};
  return true;
}

bool wir_lower(const wir_program *p, const uint32_t *streams, uint32_t n, bool is_whole, wb_mem *mem, wir_body *out) {
  lowerer l = {.p = p, .mem = mem, .is_whole = is_whole};
  l.value = wb_block(mem, p->n_streams * sizeof(uint32_t) + 1);
  l.held = wb_block(mem, p->n_streams * sizeof(uint32_t) + 1);
  l.of_node = wb_block(mem, p->max_nodes * sizeof(wir_val) + 1);
  bool is_made = l.value != NULL && l.held != NULL && l.of_node != NULL;
  if (is_made) {
    memset(l.value, 0, p->n_streams * sizeof(uint32_t));
    memset(l.held, 0, p->n_streams * sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++) lower_stream(&l, streams[i]);
    for (uint32_t i = 0; is_whole && i < p->n_inputs; i++) {
      const wir_stream *s = &p->streams[i];
      if (s->held != WIR_NO_STATE || s->history != WIR_NO_STATE) keep_stream(&l, i, read_stream(&l, i, s->span));
    }
    is_made = finish(&l, out);
    wb_check_ir(!is_made || wir_body_is_valid(p, out));
  }
  WB_VEC_FREE(mem, &l.ins);
  WB_VEC_FREE(mem, &l.effects);
  wb_block_free(mem, l.value);
  wb_block_free(mem, l.held);
  wb_block_free(mem, l.of_node);
  return is_made;
}
