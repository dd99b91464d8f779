/* runtime/islands.c -- makes the code of scalar islands, and runs it.
**
** Straight from the graph's nodes: all values are proper, so that every operation has a plain handler, and none needs a condition. */
#include "runtime/islands.h"

#include <string.h>

#include "ir/island.h"
#include "runtime/quick_ops.h"

typedef struct maker {
  wrt_monitor *m;
  wb_mem *mem;         /* of the codes, with which islands end */
  const wir_program *p;
  const wir_graph *graph;
  const void *const *handlers;
  uint32_t *at;        /* by node: its register while the island is made, 0: none yet */
  uint32_t *last_user; /* by node; UINT32_MAX: it is the result */
  uint32_t registers;  /* bytes; the first is never used */
  WB_VEC(wrt_island) all;
  WB_VEC(uint32_t) read, foreign; /* foreign: the nodes before this island that got a register */
  WB_VEC(wrt_island_port) inputs, results;
  WB_VEC(wrt_quick_ins) code;
  WB_VEC(wrt_quick_const) consts;
} maker;

static uint32_t new_register(maker *k) { return k->registers += 8; }

static wir_kind kind_of(const wir_node *n) {
  wir_kind kind = WIR_KIND_INT;
  (void)wir_scalar_kind(n->type, &kind);
  return kind;
}

static uint32_t tag_of(const wir_node *n) { return wir_kind_tag(kind_of(n)); }

/* ---- Nodes ---- */

static bool put_input(maker *k, uint32_t node, weir_value *from) {
  k->at[node] = new_register(k);
  return WB_PUSH(k->mem, &k->inputs, (wrt_island_port){from, k->at[node], tag_of(&k->graph->nodes[node])});
}

static bool put_read(maker *k, uint32_t node) {
  const wir_node *n = &k->graph->nodes[node];
  if (n->kind == WIR_VAR) return put_input(k, node, &k->m->row[n->stream]);
  return WB_PUSH(k->mem, &k->read, node) && put_input(k, node, &k->m->values[node]);
}

static bool put_const(maker *k, uint32_t node) {
  const wir_node *n = &k->graph->nodes[node];
  wrt_quick_const c = {.at = k->at[node] = new_register(k)};
  if (kind_of(n) == WIR_KIND_FLOAT) c.value.f = wir_float_of(n->as.value);
  else c.value.i = n->as.value.tag == WEIR_BOOL ? n->as.value.as.b : n->as.value.as.i;
  return WB_PUSH(k->mem, &k->consts, c);
}

static bool put(maker *k, wrt_quick_op op, wrt_quick_ins in) {
  in.go = k->handlers[op];
  return WB_PUSH(k->mem, &k->code, in);
}

/* A register with the operand as a Float; 0 when memory is exhausted. */
static uint32_t as_float(maker *k, const wir_node *operand, uint32_t at) {
  if (kind_of(operand) != WIR_KIND_INT) return at;
  wrt_quick_ins in = {.d = new_register(k), .a = at};
  return put(k, WRT_Q_P_FLOAT, in) ? in.d : 0;
}

/* Operands of different number kinds meet as Floats, as in ir/lower.c. */
static bool put_apply(maker *k, const wir_node *n, uint32_t node) {
  bool is_binary = wir_operands(n) == 2;
  const wir_node *x = wir_at(k->graph, n->args[0]), *y = is_binary ? wir_at(k->graph, n->args[1]) : x;
  wrt_quick_ins in = {.a = k->at[n->args[0].i], .b = is_binary ? k->at[n->args[1].i] : 0};
  bool wants_float = wir_ops[n->op].result == WIR_RESULT_FLOAT || kind_of(n) == WIR_KIND_FLOAT || kind_of(x) != kind_of(y);
  if (wants_float) {
    if ((in.a = as_float(k, x, in.a)) == 0) return false;
    if (is_binary && (in.b = as_float(k, y, in.b)) == 0) return false;
  }
  in.d = k->at[node] = new_register(k);
  return put(k, wrt_quick_plain((wir_ins_op)n->op, wants_float || kind_of(x) == WIR_KIND_FLOAT), in);
}

static bool put_operation(maker *k, const wir_node *n, uint32_t node, wir_ins_op op) {
  wrt_quick_ins in = {.a = k->at[n->args[0].i], .b = k->at[n->args[1].i]};
  if (wir_operands(n) == 3) in.c = k->at[n->args[2].i];
  in.d = k->at[node] = new_register(k);
  return put(k, wrt_quick_plain(op, false), in);
}

static bool put_convert(maker *k, const wir_node *n, uint32_t node) {
  uint32_t at = k->at[n->args[0].i];
  k->at[node] = kind_of(n) == WIR_KIND_FLOAT ? as_float(k, wir_at(k->graph, n->args[0]), at) : at;
  return k->at[node] != 0;
}

static bool put_node(maker *k, const wir_node *n, uint32_t node) {
  for (uint32_t i = 0; i < wir_operands(n); i++) { /* those from before the island */
    uint32_t from = n->args[i].i;
    if (k->at[from] == 0 && !(WB_PUSH(k->mem, &k->foreign, from) && put_input(k, from, &k->m->values[from]))) return false;
  }
  switch ((wir_node_kind)n->kind) {
  case WIR_CONST: return put_const(k, node);
  case WIR_APPLY: return put_apply(k, n, node);
  case WIR_CONVERT: return put_convert(k, n, node);
  case WIR_IF: return put_operation(k, n, node, WIR_I_SELECT);
  case WIR_AND: return put_operation(k, n, node, WIR_I_AND);
  case WIR_OR: return put_operation(k, n, node, WIR_I_OR);
  case WIR_IMPLIES: return put_operation(k, n, node, WIR_I_IMPLIES);
  case WIR_DEFAULT: case WIR_LATCH: k->at[node] = k->at[n->args[0].i]; return true; /* of a proper value */
  case WIR_VAR: case WIR_HELD: case WIR_DELAY_VAR: case WIR_DELAY_SELF: return put_read(k, node);
  case WIR_LIFT: case WIR_IS_DEFINED: case WIR_WHEN: case WIR_UPDATE: case WIR_INIT: case WIR_DELAY: case WIR_NODE_KINDS: break;
  }
  return false; /* no island has one */
}

/* ---- Islands ---- */

static bool put_results(maker *k, wir_island part) {
  for (uint32_t i = part.first; i < part.end; i++) {
    if (k->last_user[i] < part.end + WB_PLANTED(62)) continue;
    wrt_island_port port = {&k->m->values[i], k->at[i], tag_of(&k->graph->nodes[i])};
    if (!WB_PUSH(k->mem, &k->results, port)) return false;
  }
  return true;
}

static void forget_registers(maker *k, wir_island part) {
  memset(k->at + part.first, 0, (part.end - part.first) * sizeof *k->at);
  while (k->foreign.n != 0) k->at[WB_POP(&k->foreign)] *= WB_PLANTED(63);
}

static bool put_island(maker *k, wir_island part) {
  wrt_island island = {.first = part.first, .end = part.end, .code = (uint32_t)k->code.n, .read = (uint32_t)k->read.n,
                       .input = (uint32_t)k->inputs.n, .result = (uint32_t)k->results.n};
  if (k->registers > UINT32_MAX / 2) return true; /* left to the graph */
  for (uint32_t i = part.first; i < part.end; i++)
    if (!put_node(k, &k->graph->nodes[i], i)) return false;
  if (!put(k, WRT_Q_END, (wrt_quick_ins){.d = 0}) || !put_results(k, part)) return false;
  forget_registers(k, part);
  island.n_read = (uint32_t)k->read.n - island.read;
  island.n_inputs = (uint32_t)k->inputs.n - island.input;
  island.n_results = (uint32_t)k->results.n - island.result;
  return WB_PUSH(k->mem, &k->all, island);
}

static void find_last_users(maker *k) {
  const wir_graph *g = k->graph;
  memset(k->last_user, 0, g->n_nodes * sizeof *k->last_user);
  for (uint32_t i = 0; i < g->n_nodes; i++)
    for (uint32_t a = 0; a < wir_operands(&g->nodes[i]); a++) k->last_user[g->nodes[i].args[a].i] = i;
  k->last_user[g->result.i] = UINT32_MAX;
}

static bool put_stream(maker *k, uint32_t stream) {
  wir_island part = {0};
  k->graph = &k->p->streams[stream].graph;
  if (k->graph->n_nodes == 0) return true;
  find_last_users(k);
  while (wir_next_island(k->p, stream, &part))
    if (!put_island(k, part)) return false;
  return true;
}

/* Regions compute their streams in another way. */
static bool put_streams(maker *k, const uint8_t *is_graph, wrt_islands *to) {
  for (uint32_t i = 0; i < k->p->n_streams; i++) {
    to->from[i] = (uint32_t)k->all.n;
    if (is_graph[i] && !put_stream(k, i)) return false;
  }
  to->from[k->p->n_streams] = (uint32_t)k->all.n;
  return true;
}

static void mark_graphs(const wir_partition *plan, uint8_t *is_graph) {
  for (uint32_t i = 0; i < plan->n_steps; i++)
    for (uint32_t k = plan->steps[i].first; k < plan->steps[i].first + plan->steps[i].n; k++)
      is_graph[plan->order[k]] = !plan->steps[i].is_region;
}

static bool finish(maker *k, wrt_islands *to) {
  to->registers = wb_alloc(k->mem, 1, (size_t)k->registers + 8, 16);
  if (to->registers == NULL) return false;
  for (size_t i = 0; i < k->consts.n; i++) *(wir_imm *)(void *)(to->registers + k->consts.at[i].at) = k->consts.at[i].value;
  to->all = k->all.at;
  to->read = k->read.at;
  to->inputs = k->inputs.at;
  to->results = k->results.at;
  to->code = k->code.at;
  to->frame = (wrt_quick_frame){.program = k->p, .base = to->registers};
  return true;
}

bool wrt_islands_new(wrt_monitor *m, const wir_partition *plan, wrt_islands **out) {
  maker k = {.m = m, .mem = &m->quick_mem, .p = m->program};
  wb_mem scratch;
  wb_mem_init(&scratch, m->mem.door, 0);
  (void)wrt_quick_run(NULL, NULL, &k.handlers);
  *out = WB_NEW(k.mem, wrt_islands);
  uint8_t *is_graph = WB_NEW_ARRAY(&scratch, uint8_t, k.p->n_streams);
  k.at = WB_NEW_ARRAY(&scratch, uint32_t, k.p->max_nodes);
  k.last_user = WB_NEW_ARRAY(&scratch, uint32_t, k.p->max_nodes);
  bool is_made = *out != NULL && is_graph != NULL && k.at != NULL && k.last_user != NULL;
  if (is_made) (*out)->from = WB_NEW_ARRAY(k.mem, uint32_t, (size_t)k.p->n_streams + 1);
  is_made = is_made && (*out)->from != NULL;
  if (is_made) mark_graphs(plan, is_graph);
  is_made = is_made && put_streams(&k, is_graph, *out) && finish(&k, *out);
  WB_VEC_FREE(k.mem, &k.foreign);
  WB_VEC_FREE(k.mem, &k.consts);
  wb_mem_drop(&scratch);
  return is_made;
}

/* ---- Rows ---- */

static int64_t *cell(const wrt_islands *islands, uint32_t at) { return (int64_t *)(void *)(islands->registers + at); }

bool wrt_island_run(wrt_islands *islands, const wrt_island *island) {
  wrt_quick_frame frame = islands->frame;
  for (uint32_t i = island->input; i < island->input + island->n_inputs; i++) {
    const wrt_island_port *in = &islands->inputs[i];
    weir_value v = *in->value;
    if (v.tag != in->tag && !(WB_PLANTED(61) && v.tag == WEIR_NOVAL)) return false;
    *cell(islands, in->at) = v.tag == WEIR_BOOL ? v.as.b : v.as.i;
  }
  if (!wrt_quick_run(&frame, islands->code + island->code, NULL)) return false;
  for (uint32_t i = island->result; i < island->result + island->n_results; i++) {
    const wrt_island_port *result = &islands->results[i];
    *result->value = wrt_quick_tag(result->tag == WEIR_BOOL ? WIR_CELL_BOOL : result->tag == WEIR_INT ? WIR_CELL_INT : WIR_CELL_FLOAT,
                                   *cell(islands, result->at));
  }
  islands->n_ran++;
  return true;
}
