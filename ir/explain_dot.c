/* ir/explain_dot.c -- a program as drawings in DOT, the language of Graphviz.
**
** Nodes are named after numbers only; everything that a text of ours could spoil stands in quoted labels.  What is read in the same
** tick is drawn with a solid line, what is read of earlier ticks with a dashed one that does not move its ends. */
#include "ir/explain.h"

static void begin(wir_words *w, const char *name) {
  wir_put(w, "digraph ");
  wir_put(w, name);
  wir_put(w, " {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n");
}

static void put_numbered(wir_words *w, const char *letter, uint64_t number) {
  wir_put(w, letter);
  wir_put_number(w, number);
}

static void begin_label(wir_words *w, const char *before) {
  wir_put(w, before);
  wir_put(w, "label=\"");
  w->is_label = true;
}

static void end_label(wir_words *w, const char *behind) {
  w->is_label = false;
  wir_put(w, "\"");
  wir_put(w, behind);
}

static void put_stream_label(wir_words *w, const wir_program *p, uint32_t stream) {
  const wir_stream *s = &p->streams[stream];
  wir_put(w, wir_role_text(s->role));
  wir_put(w, " ");
  wir_put_name(w, wir_stream_name(p, stream));
  wir_put(w, ": ");
  wir_put_type(w, &p->types, s->type);
}

static void put_stream(wir_words *w, const wir_program *p, uint32_t stream, bool has_order) {
  put_numbered(w, "  s", stream);
  begin_label(w, " [");
  if (has_order && p->streams[stream].role != WEIR_IN) {
    wir_put_number(w, (uint64_t)p->streams[stream].order + 1);
    wir_put(w, ". ");
  }
  put_stream_label(w, p, stream);
  end_label(w, p->streams[stream].role == WEIR_IN ? ", shape=ellipse];\n" : "];\n");
}

static void put_past_edge(wir_words *w, uint64_t offset) {
  begin_label(w, " [");
  wir_put(w, "[");
  wir_put_number(w, offset);
  wir_put(w, "]");
  end_label(w, ", style=dashed, constraint=false];\n");
}

/* ---- The schedule -------------------------------------------------------------------------------------------------- */

static void put_reads(wir_words *w, const wir_program *p, uint32_t stream) {
  const wir_stream *s = &p->streams[stream];
  for (uint32_t i = 0; i < s->n_reads; i++)
    for (int past = 0; past < 2; past++) {
      const wir_read *r = &s->reads[i];
      if (past ? r->deepest == 0 : !r->is_immediate) continue;
      put_numbered(w, "  s", r->stream);
      put_numbered(w, " -> s", stream);
      if (past) put_past_edge(w, r->deepest);
      else wir_put(w, ";\n");
    }
}

static void put_schedule(wir_words *w, const wir_program *p) {
  begin(w, "schedule");
  for (uint32_t i = 0; i < p->n_streams; i++) put_stream(w, p, i, true);
  for (uint32_t i = p->n_inputs; i < p->n_streams; i++) put_reads(w, p, i);
  wir_put(w, "}\n");
}

/* ---- Graphs -------------------------------------------------------------------------------------------------------- */

static void put_node_name(wir_words *w, uint32_t stream, uint32_t node) {
  put_numbered(w, "n", stream);
  put_numbered(w, "_", node);
}

static void put_cluster(wir_words *w, const wir_program *p, uint32_t stream) {
  const wir_graph *g = &p->streams[stream].graph;
  put_numbered(w, "  subgraph cluster_", stream);
  begin_label(w, " {\n    ");
  put_stream_label(w, p, stream);
  end_label(w, ";\n    fontname=\"monospace\";\n");
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    wir_put(w, "    ");
    put_node_name(w, stream, i);
    begin_label(w, " [");
    put_numbered(w, "%", i);
    wir_put(w, " ");
    wir_put_node(w, p, &g->nodes[i]);
    wir_put(w, "\n");
    wir_put_type(w, &p->types, g->nodes[i].type);
    end_label(w, i == g->result.i ? ", style=bold" : "");
    wir_put(w, g->nodes[i].is_guarded ? ", color=gray];\n" : "];\n");
  }
  wir_put(w, "  }\n");
}

/* From the stream's result, or from the input. */
static void put_source(wir_words *w, const wir_program *p, uint32_t stream) {
  wir_put(w, "  ");
  if (p->streams[stream].role == WEIR_IN) put_numbered(w, "s", stream);
  else put_node_name(w, stream, p->streams[stream].graph.result.i);
  wir_put(w, " -> ");
}

static void put_edges(wir_words *w, const wir_program *p, uint32_t stream, uint32_t node) {
  const wir_node *n = &p->streams[stream].graph.nodes[node];
  for (uint32_t k = 0; k < wir_operands(n); k++) {
    wir_put(w, "  ");
    put_node_name(w, stream, n->args[k].i);
    wir_put(w, " -> ");
    put_node_name(w, stream, node);
    wir_put(w, ";\n");
  }
  bool is_past = n->kind == WIR_DELAY_VAR || n->kind == WIR_DELAY_SELF;
  if (!is_past && n->kind != WIR_VAR && n->kind != WIR_HELD) return;
  put_source(w, p, n->stream);
  put_node_name(w, stream, node);
  if (is_past) put_past_edge(w, n->as.offset);
  else wir_put(w, ";\n");
}

static void put_graphs(wir_words *w, const wir_program *p) {
  begin(w, "graphs");
  for (uint32_t i = 0; i < p->n_inputs; i++) put_stream(w, p, i, false);
  for (uint32_t i = p->n_inputs; i < p->n_streams; i++) put_cluster(w, p, i);
  for (uint32_t i = p->n_inputs; i < p->n_streams; i++)
    for (uint32_t k = 0; k < p->streams[i].graph.n_nodes; k++) put_edges(w, p, i, k);
  wir_put(w, "}\n");
}

/* ---- State --------------------------------------------------------------------------------------------------------- */

static void put_state(wir_words *w, const wir_program *p, uint32_t number) {
  const wir_state *s = &p->states[number];
  put_numbered(w, "  d", number);
  begin_label(w, " [");
  put_numbered(w, "#", number);
  wir_put(w, " ");
  wir_put(w, wir_state_text((wir_state_kind)s->kind));
  if (s->node != UINT32_MAX) put_numbered(w, " of %", s->node);
  wir_put(w, "\n");
  wir_put_number(w, s->capacity);
  wir_put(w, " x ");
  wir_put_type(w, &p->types, s->type);
  wir_put(w, ", ");
  wir_put_number(w, wir_state_bytes(s));
  wir_put(w, " bytes");
  end_label(w, ", style=rounded];\n");
  put_numbered(w, "  s", s->stream);
  put_numbered(w, " -> d", number);
  wir_put(w, ";\n");
}

static void put_states(wir_words *w, const wir_program *p) {
  begin(w, "state");
  for (uint32_t i = 0; i < p->n_streams; i++) put_stream(w, p, i, false);
  for (uint32_t i = 0; i < p->n_states; i++) put_state(w, p, i);
  wir_put(w, "}\n");
}

void wir_explain_dot(const wir_program *p, weir_stage stage, wir_words *w) {
  switch (stage) {
  case WEIR_STAGE_GRAPH: put_graphs(w, p); break;
  case WEIR_STAGE_SCHEDULE: put_schedule(w, p); break;
  case WEIR_STAGE_STATE: put_states(w, p); break;
  case WEIR_STAGE_AST: case WEIR_STAGE_IR: case WEIR_STAGE_REGIONS: case WEIR_STAGE_LLVM:
  case WEIR_STAGE_ASM: case WEIR_STAGES: break;
  }
}
