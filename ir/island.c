/* ir/island.c -- finding scalar islands: greedily, from left to right.
**
** Operands stand before their users, and a whole subexpression in one run, so that the longest runs hold the largest subexpressions. */
#include "ir/island.h"

#include "ir/scalar.h"

enum { LEAST_OPERATIONS = 2 };

static bool has_type_of(const wir_graph *g, const wir_node *n, uint32_t k) { return wir_type_eq(n->type, wir_at(g, n->args[k])->type); }

/* Given proper operands, is the node's value one of them or computed from them? */
static bool may_stand(const wir_program *p, const wir_graph *g, const wir_node *n) {
  if (!wir_is_scalar_node(p, g, n)) return false;
  switch ((wir_node_kind)n->kind) {
  case WIR_CONST: return !wir_type_eq(n->type, WIR_FLOAT) || n->as.value.tag == WEIR_FLOAT;
  case WIR_VAR: case WIR_HELD: case WIR_DELAY_VAR: case WIR_DELAY_SELF: case WIR_APPLY: case WIR_CONVERT: return true;
  case WIR_AND: case WIR_OR: case WIR_IMPLIES: return has_type_of(g, n, 0) && has_type_of(g, n, 1);
  case WIR_IF: return wir_type_eq(wir_at(g, n->args[0])->type, WIR_BOOL) && has_type_of(g, n, 1) && has_type_of(g, n, 2);
  case WIR_DEFAULT: case WIR_LATCH: return has_type_of(g, n, 0);
  case WIR_LIFT: case WIR_IS_DEFINED: case WIR_WHEN: case WIR_UPDATE: case WIR_INIT: case WIR_DELAY: case WIR_NODE_KINDS: break;
  }
  return false;
}

static bool is_operation(const wir_node *n) {
  return n->kind == WIR_APPLY || n->kind == WIR_IF || n->kind == WIR_AND || n->kind == WIR_OR || n->kind == WIR_IMPLIES;
}

bool wir_next_island(const wir_program *p, uint32_t stream, wir_island *island) {
  const wir_graph *g = &p->streams[stream].graph;
  for (uint32_t i = island->end; i < g->n_nodes;) {
    *island = (wir_island){.first = i, .end = i};
    for (; i < g->n_nodes && may_stand(p, g, &g->nodes[i]); i++) {
      if (!is_operation(&g->nodes[i])) continue;
      island->n_operations++;
      island->end = i + 1;
    }
    if (island->n_operations >= LEAST_OPERATIONS) return true;
    i++;
  }
  return false;
}
