/* ir/graph.c -- the table of nodes and the check of a graph's form. */
#include "ir/graph.h"

const wir_node_info wir_nodes[WIR_NODE_KINDS] = {
#define NODE(name, text, operands) [WIR_##name] = {text, operands},
#include "ir/nodes.def"
#undef NODE
};

bool wir_graph_is_valid(const wir_graph *g) {
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    const wir_node *n = &g->nodes[i];
    if (n->kind >= WIR_NODE_KINDS || (n->kind == WIR_APPLY && n->op >= WIR_OPS)) return false;
    for (uint32_t k = 0; k < wir_operands(n); k++)
      if (n->args[k].i >= i) return false;
    if ((n->kind == WIR_DELAY || n->kind == WIR_DELAY_VAR || n->kind == WIR_DELAY_SELF) && n->as.offset == 0) return false;
  }
  return g->n_nodes == 0 || g->result.i < g->n_nodes;
}
