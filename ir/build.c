/* ir/build.c -- making graphs: where operands are lifted, and what is guarded. */
#include "ir/build.h"

#include <string.h>

void wir_build_begin(wir_builder *b, wir_program *p, wb_mem *scratch, uint32_t stream) {
  b->program = p;
  b->scratch = scratch;
  b->stream = stream;
  b->guards = 0;
  b->nodes.n = 0;
}

void wir_build_guard(wir_builder *b) { b->guards++; }
void wir_build_unguard(wir_builder *b) { b->guards--; }

static wir_ref add(wir_builder *b, wir_node n) {
  n.is_guarded = b->guards != 0;
  n.state = WIR_NO_STATE;
  if (b->nodes.n >= UINT32_MAX - 1 || !WB_PUSH(b->scratch, &b->nodes, n)) {
    b->out_of_memory = true;
    return (wir_ref){0};
  }
  return (wir_ref){(uint32_t)b->nodes.n - 1};
}

wir_ref wir_build_const(wir_builder *b, weir_value value, wir_type type, weir_span at) {
  return add(b, (wir_node){.kind = WIR_CONST, .type = type, .span = at, .as.value = value});
}

wir_ref wir_build_var(wir_builder *b, uint32_t stream, weir_span at) {
  return add(b, (wir_node){.kind = WIR_VAR, .type = b->program->streams[stream].type, .span = at, .stream = stream});
}

wir_ref wir_build_delay_var(wir_builder *b, uint32_t stream, uint64_t offset, weir_span at) {
  wir_node_kind kind = stream == b->stream ? WIR_DELAY_SELF : WIR_DELAY_VAR;
  return add(b, (wir_node){.kind = (uint8_t)kind, .type = b->program->streams[stream].type, .span = at, .stream = stream,
                           .as.offset = offset});
}

wir_ref wir_build_delay(wir_builder *b, wir_ref operand, uint64_t offset, weir_span at) {
  if (b->out_of_memory) return (wir_ref){0};
  return add(b, (wir_node){.kind = WIR_DELAY, .type = b->nodes.at[operand.i].type, .span = at, .args = {operand}, .as.offset = offset});
}

wir_ref wir_build_lift(wir_builder *b, wir_ref operand) {
  if (b->out_of_memory) return (wir_ref){0};
  wir_node of = b->nodes.at[operand.i];
  if (of.kind == WIR_CONST) return operand;
  if (of.kind == WIR_VAR) return add(b, (wir_node){.kind = WIR_HELD, .type = of.type, .span = of.span, .stream = of.stream});
  return add(b, (wir_node){.kind = WIR_LIFT, .type = of.type, .span = of.span, .args = {operand}});
}

wir_ref wir_build_convert(wir_builder *b, wir_ref operand, wir_type type, weir_span at) {
  if (b->out_of_memory) return (wir_ref){0};
  if (wir_type_eq(b->nodes.at[operand.i].type, type)) return operand;
  return add(b, (wir_node){.kind = WIR_CONVERT, .type = type, .span = at, .args = {operand}});
}

/* Lifting goes below a conversion of Int to Float, which cannot fail: so its cell is shared with other readers of the stream. */
static wir_ref lift_operand(wir_builder *b, wir_ref operand) {
  if (b->out_of_memory) return (wir_ref){0};
  wir_node of = b->nodes.at[operand.i];
  if (of.kind == WIR_CONVERT && wir_type_eq(of.type, WIR_FLOAT) && b->nodes.at[of.args[0].i].kind == WIR_VAR &&
      wir_type_eq(b->nodes.at[of.args[0].i].type, WIR_INT))
    return wir_build_convert(b, wir_build_lift(b, of.args[0]), of.type, of.span);
  return wir_build_lift(b, operand);
}

wir_ref wir_build_apply(wir_builder *b, wir_op op, wir_ref x, wir_ref y, wir_type type, weir_span at) {
  wir_node n = {.kind = WIR_APPLY, .op = (uint8_t)op, .type = type, .span = at};
  n.args[0] = lift_operand(b, x);
  if (wir_ops[op].operands == 2) n.args[1] = lift_operand(b, y);
  return add(b, n);
}

/* Which operands of a node are lifted: nodes.def says it in words. */
static bool is_lifted(wir_node_kind kind, uint32_t operand) {
  switch (kind) {
  case WIR_IF: case WIR_AND: case WIR_OR: case WIR_IMPLIES: case WIR_IS_DEFINED: case WIR_UPDATE: return true;
  case WIR_DEFAULT: case WIR_LATCH: return operand == 0;
  case WIR_CONST: case WIR_VAR: case WIR_HELD: case WIR_LIFT: case WIR_APPLY: case WIR_CONVERT: case WIR_WHEN: case WIR_INIT:
  case WIR_DELAY_VAR: case WIR_DELAY_SELF: case WIR_DELAY: case WIR_NODE_KINDS: break;
  }
  return false;
}

/* What a construct makes of a guarded operand is outside its guard; the memory of that operand is inside it. */
static bool is_guarding(wir_node_kind kind, uint32_t operand) {
  if (kind == WIR_IF) return operand != 0;
  return operand == 1 && (kind == WIR_AND || kind == WIR_OR || kind == WIR_IMPLIES);
}

wir_ref wir_build_node(wir_builder *b, wir_node_kind kind, const wir_ref *args, wir_type type, weir_span at) {
  wir_node n = {.kind = (uint8_t)kind, .type = type, .span = at};
  for (uint32_t k = 0; k < wir_nodes[kind].operands; k++) {
    b->guards += is_guarding(kind, k);
    n.args[k] = is_lifted(kind, k) ? lift_operand(b, args[k]) : args[k];
    b->guards -= is_guarding(kind, k);
  }
  return add(b, n);
}

weir_code wir_build_end(wir_builder *b, wir_ref result) {
  if (b->out_of_memory) return WEIR_E_MEMORY;
  wir_program *p = b->program;
  wir_graph *g = &p->streams[b->stream].graph;
  g->nodes = WB_NEW_ARRAY(&p->mem, wir_node, b->nodes.n);
  if (g->nodes == NULL) return WEIR_E_MEMORY;
  memcpy(g->nodes, b->nodes.at, b->nodes.n * sizeof(wir_node));
  g->n_nodes = (uint32_t)b->nodes.n;
  g->result = result;
  wb_check_ir(wir_graph_is_valid(g));
  return WEIR_OK;
}
