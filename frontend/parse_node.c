/* frontend/parse_node.c -- what the parts of the expression parser are made with: frames that wait, values, nodes. */
#include "frontend/parser.h"

/* Adds the node, and `v` as its value. */
static bool push_value(wfe_parser *p, const wfe_node *n, wfe_value v) {
  wfe_tree *t = p->tree;
  v.node.i = (uint32_t)t->nodes.n;
  if (t->nodes.n >= UINT32_MAX - 1 || !WB_PUSH(t->mem, &t->nodes, *n) || !WB_PUSH(t->mem, &p->values, v)) return wfe_no_memory(p);
  return true;
}

bool wfe_push_leaf(wfe_parser *p, wfe_node n) {
  n.span = p->tok.span;
  n.at = n.span.begin;
  n.first = n.next = WFE_NO_NODE;
  wfe_value v = {.begin = n.span.begin, .end = n.span.end, .line = p->tok.line};
  wfe_advance(p);
  return push_value(p, &n, v);
}

bool wfe_push_node(wfe_parser *p, wfe_node n, uint32_t base, uint32_t line) {
  wfe_node *nodes = p->tree->nodes.at;
  size_t end = p->values.n;
  n.first = base < end ? p->values.at[base].node : WFE_NO_NODE;
  n.next = WFE_NO_NODE;
  n.n_children = (uint32_t)(end - base);
  for (size_t i = base; i + 1 < end; i++) nodes[p->values.at[i].node.i].next = p->values.at[i + 1].node;
  p->values.n = base;
  return push_value(p, &n, (wfe_value){.begin = n.span.begin, .end = n.span.end, .line = line});
}

bool wfe_finish(wfe_parser *p) {
  wfe_frame f = WB_POP(&p->frames);
  wfe_node n = {.kind = f.node, .op = f.op, .span = {f.begin, p->last_end}, .at = f.at};
  p->operand = WFE_OPERAND_DONE;
  return wfe_push_node(p, n, f.base, 0);
}

bool wfe_open_frame(wfe_parser *p, wfe_frame f, bool is_nesting) {
  f.depth = (p->frames.n > 0 ? wfe_top(p)->depth : 0) + is_nesting;
  if (f.depth > p->limits->nesting) return wfe_too_deep(p);
  p->operand = WFE_OPERAND_WANTED;
  return WB_PUSH(p->tree->mem, &p->frames, f) || wfe_no_memory(p);
}

wfe_frame wfe_frame_here(const wfe_parser *p, wfe_frame_kind kind, wfe_kind node) {
  uint32_t begin = p->tok.span.begin;
  return (wfe_frame){.kind = (uint8_t)kind, .node = (uint8_t)node, .base = (uint32_t)p->values.n, .begin = begin, .at = begin};
}
