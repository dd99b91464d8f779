/* ir/presence.c -- which nodes and streams may be NoVal, and when.
**
** ALWAYS < EVER_AFTER < GAPPY is a chain; we start from ALWAYS and take away until nothing changes.  That is sound by induction over
** ticks: what a claim rests on is earlier in the order or in an earlier tick.  A failure inside a guard counts as a value here, since
** the memories take Deferred in its place.
** A LIFT or HELD whose operand is not gappy has nothing to remember and is taken out. */
#include "ir/program.h"

/* An operation on lifted operands: there if all are.  A failed operand makes it fail even while another one is still NoVal, and when
** it no longer fails, the NoVal shows: then nothing is certain. */
static wir_presence of_operands(const wir_graph *g, const wir_node *n, uint32_t count) {
  uint32_t late = 0, fail = 0, both = 0;
  wir_presence worst = WIR_ALWAYS;
  for (uint32_t k = 0; k < count; k++) {
    const wir_node *x = wir_at(g, n->args[k]);
    bool is_late = x->presence != WIR_ALWAYS;
    late += is_late;
    fail += x->may_fail;
    both += is_late && x->may_fail;
    worst = WB_MAX(worst, x->presence);
  }
  return late * fail > both ? WIR_GAPPY : worst; /* one is late, and another one may fail */
}

static wir_presence presence_of(const wir_program *p, const wir_graph *g, const wir_node *n) {
  const wir_node *x = wir_operands(n) > 0 ? wir_at(g, n->args[0]) : NULL;
  const wir_node *y = wir_operands(n) > 1 ? wir_at(g, n->args[1]) : NULL;
  switch ((wir_node_kind)n->kind) {
  case WIR_CONST: case WIR_DELAY_VAR: case WIR_DELAY: case WIR_IS_DEFINED: case WIR_WHEN: return WIR_ALWAYS;
  case WIR_VAR: return p->streams[n->stream].presence;
  case WIR_HELD: return WB_MIN(p->streams[n->stream].presence, WIR_EVER_AFTER);
  case WIR_LIFT: return WB_MIN(x->presence, WIR_EVER_AFTER);
  case WIR_CONVERT: return x->presence;
  case WIR_APPLY: case WIR_AND: case WIR_OR: case WIR_IMPLIES: case WIR_IF: return of_operands(g, n, wir_operands(n));
  case WIR_DEFAULT: /* the fallback is not lifted; one that fails shows even while x is NoVal */
    if (y->presence != WIR_ALWAYS || (y->may_fail && x->presence != WIR_ALWAYS)) return WIR_GAPPY;
    return x->presence;
  case WIR_UPDATE:
    if (x->presence == WIR_ALWAYS) return WIR_ALWAYS;
    return y->may_fail ? WIR_GAPPY : x->presence;
  case WIR_LATCH: return of_operands(g, n, 2);
  case WIR_INIT: return x->presence == WIR_ALWAYS ? WIR_ALWAYS : WB_MAX(x->presence, y->presence);
  case WIR_DELAY_SELF: /* Deferred at first, then what the stream was: also its leading NoVal */
    return p->streams[n->stream].presence == WIR_ALWAYS ? WIR_ALWAYS : WIR_GAPPY;
  case WIR_NODE_KINDS: break;
  }
  return WIR_GAPPY;
}

static bool has_any_operand(const wir_graph *g, const wir_node *n) {
  for (uint32_t k = 0; k < wir_operands(n); k++)
    if (wir_type_eq(wir_at(g, n->args[k])->type, WIR_ANY)) return true;
  return false;
}

/* Can the node itself fail on proper operands? */
static bool can_fail(const wir_graph *g, const wir_node *n) {
  switch ((wir_node_kind)n->kind) {
  case WIR_APPLY:
    if (wir_ops[n->op].fails == WIR_FAILS_ALWAYS) return true;
    if (wir_ops[n->op].fails == WIR_FAILS_INT && !wir_type_eq(n->type, WIR_FLOAT)) return true;
    return n->op != WIR_OP_EQ && n->op != WIR_OP_NE && has_any_operand(g, n);
  case WIR_CONVERT: return !(wir_type_eq(n->type, WIR_FLOAT) && wir_type_eq(wir_at(g, n->args[0])->type, WIR_INT));
  case WIR_IF: return wir_type_eq(wir_at(g, n->args[0])->type, WIR_ANY);
  case WIR_AND: case WIR_OR: case WIR_IMPLIES: return has_any_operand(g, n);
  case WIR_CONST: case WIR_VAR: case WIR_HELD: case WIR_LIFT: case WIR_DEFAULT: case WIR_IS_DEFINED: case WIR_WHEN: case WIR_UPDATE:
  case WIR_LATCH: case WIR_INIT: case WIR_DELAY_VAR: case WIR_DELAY_SELF: case WIR_DELAY: case WIR_NODE_KINDS: break;
  }
  return false;
}

static void find_failures(wir_graph *g) {
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    wir_node *n = &g->nodes[i];
    n->may_fail = can_fail(g, n);
    for (uint32_t k = 0; k < wir_operands(n); k++) n->may_fail |= wir_at(g, n->args[k])->may_fail;
    if (!n->is_guarded) n->may_fail = false; /* it fails the tick: no operation sees it */
  }
}

static bool has_nothing_to_remember(const wir_program *p, const wir_graph *g, const wir_node *n) {
  if (n->kind == WIR_HELD) return p->streams[n->stream].presence != WIR_GAPPY;
  return n->kind == WIR_LIFT && wir_at(g, n->args[0])->presence != WIR_GAPPY;
}

/* Turns HELD into VAR and drops LIFT where they only pass a value on; the nodes after a dropped one move up. */
static void drop_idle_lifts(const wir_program *p, wir_graph *g, uint32_t *moved) {
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    wir_node n = g->nodes[i];
    for (uint32_t k = 0; k < wir_operands(&n); k++) n.args[k].i = moved[n.args[k].i];
    bool is_idle = has_nothing_to_remember(p, g, &n); /* its operand has moved already */
    if (is_idle && n.kind == WIR_LIFT) {
      moved[i] = n.args[0].i;
      continue;
    }
    if (is_idle) n.kind = WIR_VAR;
    moved[i] = n_kept;
    g->nodes[n_kept++] = n;
  }
  g->n_nodes = n_kept;
  g->result.i = moved[g->result.i];
}

/* Operands that were lifted leave the raw reference behind; a node that nothing reads, keeps nothing and cannot fail goes. */
static bool is_droppable(const wir_graph *g, const wir_node *n) {
  return n->kind == WIR_VAR || n->kind == WIR_HELD || n->kind == WIR_CONST || (n->kind == WIR_CONVERT && !can_fail(g, n));
}

static void drop_unread(wir_graph *g, uint32_t *moved) {
  for (uint32_t i = 0; i < g->n_nodes; i++) moved[i] = i == g->result.i; /* first: is it read? */
  for (uint32_t i = g->n_nodes; i-- > 0;) {
    moved[i] |= !is_droppable(g, &g->nodes[i]);
    for (uint32_t k = 0; moved[i] && k < wir_operands(&g->nodes[i]); k++) moved[g->nodes[i].args[k].i] = 1;
  }
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    wir_node n = g->nodes[i];
    if (!moved[i]) continue;
    for (uint32_t k = 0; k < wir_operands(&n); k++) n.args[k].i = moved[n.args[k].i];
    moved[i] = n_kept;
    g->nodes[n_kept++] = n;
  }
  g->result.i = moved[g->result.i];
  g->n_nodes = n_kept;
}

/* The presence of a stream whose immediate reads are known.  Only its own delays make this a loop, of at most three rounds. */
static void find_in_stream(wir_program *p, wir_stream *s) {
  s->presence = WIR_ALWAYS;
  for (;;) {
    for (uint32_t i = 0; i < s->graph.n_nodes; i++)
      s->graph.nodes[i].presence = (uint8_t)presence_of(p, &s->graph, &s->graph.nodes[i]);
    uint8_t now = wir_at(&s->graph, s->graph.result)->presence;
    if (now == s->presence) return;
    s->presence = now;
  }
}

weir_code wir_find_presence(wir_program *p, wb_mem *scratch) {
  uint32_t *moved = WB_NEW_ARRAY(scratch, uint32_t, p->max_nodes + 1);
  if (moved == NULL) return WEIR_E_MEMORY;
  for (uint32_t i = 0; i < p->n_inputs; i++) p->streams[i].presence = WIR_GAPPY;
  for (uint32_t i = 0; i < p->n_streams - p->n_inputs; i++) {
    wir_stream *s = &p->streams[p->order[i]];
    find_failures(&s->graph);
    find_in_stream(p, s);
    drop_idle_lifts(p, &s->graph, moved);
    drop_unread(&s->graph, moved);
    bool is_copy = s->graph.n_nodes == 1 && s->graph.nodes[0].kind == WIR_VAR;
    s->copy_of = is_copy ? s->graph.nodes[0].stream : UINT32_MAX;
    wb_check_ir(wir_graph_is_valid(&s->graph));
  }
  return WEIR_OK;
}
