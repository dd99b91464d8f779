/* ir/graph.h -- evaluation graphs.
**
** The graph of a stream is an array of nodes, operands before their users, so that evaluating it is one pass from the first to the
** last and no tier ever recurses.  All branches are nodes of the same graph and are evaluated in every tick (language.md 8).
** Made by build.c only; read by every tier. */
#ifndef WIR_GRAPH_H
#define WIR_GRAPH_H

#include "ir/semantics.h"
#include "ir/types.h"

typedef enum wir_node_kind {
#define NODE(name, text, operands) WIR_##name,
#include "ir/nodes.def"
#undef NODE
  WIR_NODE_KINDS
} wir_node_kind;

typedef struct wir_node_info { const char *text; uint8_t operands; } wir_node_info;
extern const wir_node_info wir_nodes[WIR_NODE_KINDS];

typedef struct { uint32_t i; } wir_ref; /* a node in its graph */

/* When a value is there: never NoVal; never again NoVal after it once was not (a failure counts as a value); anything goes. */
typedef enum wir_presence { WIR_ALWAYS, WIR_EVER_AFTER, WIR_GAPPY } wir_presence;

#define WIR_NO_STATE UINT32_MAX

typedef struct wir_node {
  uint8_t kind;      /* wir_node_kind */
  uint8_t op;        /* APPLY: wir_op */
  bool is_guarded;   /* a failure here is a value of the guarded expression; else it fails the tick */
  bool may_fail;     /* it, or an operand within its guard, may yield a failure */
  uint8_t presence;  /* wir_presence */
  wir_type type;     /* static type: exact unless Any */
  weir_span span;    /* where a failure is reported */
  wir_ref args[3];   /* as many as the kind (APPLY: the op) has */
  uint32_t state;    /* the state descriptor it reads, its own (a second one follows it) or a stream's; WIR_NO_STATE */
  uint32_t stream;   /* VAR HELD DELAY_VAR DELAY_SELF */
  union {
    weir_value value; /* CONST; text constants are shared objects of the program */
    uint64_t offset;  /* DELAY*: ticks back, at least 1 */
  } as;
} wir_node;

typedef struct wir_graph {
  wir_node *nodes;
  uint32_t n_nodes;
  wir_ref result;
} wir_graph;

static inline const wir_node *wir_at(const wir_graph *g, wir_ref r) {
  wb_assert(r.i < g->n_nodes);
  return &g->nodes[r.i];
}
static inline uint32_t wir_operands(const wir_node *n) {
  return n->kind == WIR_APPLY ? wir_ops[n->op].operands : wir_nodes[n->kind].operands;
}

bool wir_graph_is_valid(const wir_graph *g);

#endif
