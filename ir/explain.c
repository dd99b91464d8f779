/* ir/explain.c -- a program as text: its graphs, its schedule, its state.
**
** One line a fact, in columns that stand still: where a text is too long for its column, the rest of its line moves. */
#include "ir/explain.h"

enum { WIDEST = 40 }; /* of a column that is measured */

static const char *const roles[] = {[WEIR_IN] = "in", [WEIR_OUT] = "out", [WEIR_AUX] = "aux"};
static const char *const presences[] = {[WIR_ALWAYS] = "always", [WIR_EVER_AFTER] = "once", [WIR_GAPPY] = "gaps"};
static const char *const kinds[WIR_STATE_KINDS] = {
  [WIR_STATE_HELD] = "held", [WIR_STATE_HISTORY] = "history", [WIR_STATE_OUTPUT] = "output", [WIR_STATE_HOLD] = "hold",
  [WIR_STATE_DELAY] = "delay", [WIR_STATE_RESULT] = "result", [WIR_STATE_FLAG] = "flag",
};

const char *wir_role_text(weir_role role) { return roles[role]; }
const char *wir_state_text(wir_state_kind kind) { return kinds[kind]; }

static wb_str name_of(const wir_program *p, uint32_t stream) { return wir_stream_name(p, stream); }

static void put_ref(wir_words *w, wir_ref r) {
  wir_put(w, "%");
  wir_put_number(w, r.i);
}

static void put_past(wir_words *w, wb_str name, uint64_t offset) {
  wir_put_name(w, name);
  wir_put(w, "[");
  wir_put_number(w, offset);
  wir_put(w, "]");
}

static size_t names_width(const wir_program *p, size_t least) {
  size_t width = least;
  for (uint32_t i = 0; i < p->n_streams; i++)
    if (name_of(p, i).n <= WIDEST) width = WB_MAX(width, name_of(p, i).n);
  return width;
}

/* ---- Graphs -------------------------------------------------------------------------------------------------------- */

static void put_operands(wir_words *w, const wir_node *n) {
  for (uint32_t k = 0; k < wir_operands(n); k++) {
    wir_put(w, k == 0 ? " " : ", ");
    put_ref(w, n->args[k]);
  }
}

static void put_choice(wir_words *w, const wir_node *n) {
  wir_put(w, "if ");
  put_ref(w, n->args[0]);
  wir_put(w, " then ");
  put_ref(w, n->args[1]);
  wir_put(w, " else ");
  put_ref(w, n->args[2]);
}

void wir_put_node(wir_words *w, const wir_program *p, const wir_node *n) {
  switch ((wir_node_kind)n->kind) {
  case WIR_IF: put_choice(w, n); return;
  case WIR_DELAY_VAR: case WIR_DELAY_SELF:
    wir_put(w, "past ");
    put_past(w, name_of(p, n->stream), n->as.offset);
    return;
  case WIR_CONST:
    wir_put(w, "const ");
    wir_put_value(w, n->as.value);
    return;
  case WIR_VAR: case WIR_HELD:
    wir_put(w, wir_nodes[n->kind].text);
    wir_put(w, " ");
    wir_put_name(w, name_of(p, n->stream));
    return;
  case WIR_DELAY:
    wir_put(w, "delay ");
    put_ref(w, n->args[0]);
    wir_put(w, " by ");
    wir_put_number(w, n->as.offset);
    return;
  case WIR_LIFT: case WIR_APPLY: case WIR_CONVERT: case WIR_AND: case WIR_OR: case WIR_IMPLIES: case WIR_DEFAULT: case WIR_IS_DEFINED:
  case WIR_WHEN: case WIR_UPDATE: case WIR_LATCH: case WIR_INIT: case WIR_NODE_KINDS: break;
  }
  wir_put(w, n->kind == WIR_APPLY ? wir_ops[n->op].text : wir_nodes[n->kind].text);
  put_operands(w, n);
}

/* Columns of a line of a graph. */
enum { COLUMN_NODE = 8, COLUMN_TYPE = 38, COLUMN_PLACE = 48, COLUMN_PRESENCE = 56, COLUMN_NOTES = 64 };

static void put_notes(wir_words *w, const wir_program *p, const wir_node *n) {
  const char *between = "";
  if (n->state != WIR_NO_STATE) {
    wir_put(w, "state #");
    wir_put_number(w, n->state);
    if (n->kind == WIR_DELAY && n->state + 1 < p->n_states && p->states[n->state + 1].kind == WIR_STATE_RESULT) {
      wir_put(w, ", #");
      wir_put_number(w, n->state + 1);
    }
    between = ", ";
  }
  if (!n->is_guarded) return;
  wir_put(w, between);
  wir_put(w, n->may_fail ? "guarded, may fail" : "guarded");
}

static bool has_notes(const wir_node *n) { return n->is_guarded || n->state != WIR_NO_STATE; }

static void put_line(wir_words *w, const wir_program *p, const wb_places *places, const wir_node *n, uint32_t number) {
  wb_line_column at = wb_places_at(places, n->span.begin);
  wir_put(w, "  %");
  wir_put_number(w, number);
  wir_put_to(w, COLUMN_NODE);
  wir_put_node(w, p, n);
  wir_put_to(w, COLUMN_TYPE);
  wir_put_type(w, &p->types, n->type);
  wir_put_to(w, COLUMN_PLACE);
  wir_put_number(w, at.line);
  wir_put(w, ":");
  wir_put_number(w, at.column);
  wir_put_to(w, COLUMN_PRESENCE);
  wir_put(w, presences[n->presence]);
  if (has_notes(n)) {
    wir_put_to(w, COLUMN_NOTES);
    put_notes(w, p, n);
  }
  wir_put(w, "\n");
}

static void put_heading(wir_words *w, const wir_program *p, uint32_t stream) {
  const wir_stream *s = &p->streams[stream];
  wir_put(w, roles[s->role]);
  wir_put(w, " ");
  wir_put_name(w, name_of(p, stream));
  wir_put(w, ": ");
  wir_put_type(w, &p->types, s->type);
}

static void put_graph(wir_words *w, const wir_program *p, const wb_places *places, uint32_t stream) {
  const wir_stream *s = &p->streams[stream];
  wir_put(w, "\n");
  put_heading(w, p, stream);
  wir_put(w, s->graph.n_nodes == 0 ? "\n" : "  is ");
  if (s->graph.n_nodes == 0) return;
  put_ref(w, s->graph.result);
  wir_put(w, "\n");
  for (uint32_t i = 0; i < s->graph.n_nodes; i++) put_line(w, p, places, &s->graph.nodes[i], i);
}

static void put_graphs(wir_words *w, const wir_program *p, const wb_places *places) {
  wir_put(w,
    "Each stream is computed by its nodes, from the first to the last. In columns: the node, what it does, its type, its\n"
    "place in the specification, when it has a value (always: in every tick; once: in every tick from the first value on;\n"
    "gaps: not in every tick), and what it retains between ticks (see --stage state). A node of a branch, or of the right\n"
    "side of `&&`, `||` or `=>`, is guarded: its failure counts only if its value does.\n");
  for (uint32_t i = 0; i < p->n_inputs; i++) put_graph(w, p, places, i);
  for (uint32_t i = 0; i < p->n_streams - p->n_inputs; i++) put_graph(w, p, places, p->order[i]);
}

/* ---- The schedule -------------------------------------------------------------------------------------------------- */

static void put_reads(wir_words *w, const wir_program *p, const wir_stream *s, bool now) {
  const char *between = "";
  for (uint32_t i = 0; i < s->n_reads; i++) {
    const wir_read *r = &s->reads[i];
    if (now ? !r->is_immediate : r->deepest == 0) continue;
    wir_put(w, between);
    if (now) wir_put_name(w, name_of(p, r->stream));
    else put_past(w, name_of(p, r->stream), r->deepest);
    between = ", ";
  }
  if (between[0] == '\0') wir_put(w, "-");
}

static void put_place(wir_words *w, const wir_program *p, uint32_t stream, size_t width) {
  const wir_stream *s = &p->streams[stream];
  if (s->role == WEIR_IN) wir_put(w, "    -");
  else {
    wir_put_fill(w, s->order < 9 ? 4 : s->order < 99 ? 3 : s->order < 999 ? 2 : s->order < 9999 ? 1 : 0);
    wir_put_number(w, (uint64_t)s->order + 1);
  }
  wir_put(w, "  ");
  wir_put(w, roles[s->role]);
  wir_put_to(w, 13);
  wir_put_name(w, name_of(p, stream));
  wir_put_to(w, 15 + width);
  wir_put(w, presences[s->presence]);
  if (s->role != WEIR_IN) {
    wir_put_to(w, 24 + width);
    put_reads(w, p, s, true);
    wir_put_to(w, 44 + width);
    put_reads(w, p, s, false);
  }
  wir_put(w, "\n");
}

static void put_schedule(wir_words *w, const wir_program *p) {
  size_t width = names_width(p, sizeof "stream" - 1);
  wir_put(w,
    "In a tick the streams are evaluated in this order, each after those that it reads in the same tick (now). What it reads\n"
    "of earlier ticks (past, with the deepest delay) is there already and orders nothing. Streams that wait for nothing else\n"
    "come in the order of their declarations. Values: always, once (from the first one on), or with gaps.\n\n");
  wir_put(w, "order  role  stream");
  wir_put_to(w, 15 + width);
  wir_put(w, "values   now                 past\n");
  for (uint32_t i = 0; i < p->n_inputs; i++) put_place(w, p, i, width);
  for (uint32_t i = 0; i < p->n_streams - p->n_inputs; i++) put_place(w, p, p->order[i], width);
}

/* ---- State --------------------------------------------------------------------------------------------------------- */

/* Where the columns of a line of the state begin, or end if they hold numbers. */
typedef struct state_columns { size_t owner, kind, type, samples, bytes, values, presence, ring; } state_columns;

static state_columns measure_states(const wir_program *p) {
  state_columns c = {.owner = 7};
  size_t width = names_width(p, sizeof "owner" - 1), types = sizeof "type" - 1;
  for (uint32_t i = 0; i < p->n_states; i++)
    if (p->states[i].node != UINT32_MAX) width = WB_MIN(WB_MAX(width, name_of(p, p->states[i].stream).n + 6), (size_t)WIDEST);
  for (uint32_t i = 0; i < p->n_streams; i++) {
    size_t n = __builtin_strlen(p->streams[i].type_text);
    if (n <= WIDEST) types = WB_MAX(types, n);
  }
  c.kind = c.owner + width + 2;
  c.type = c.kind + 9;
  c.samples = c.type + types + 2 + 7;
  c.bytes = c.samples + 2 + 8;
  c.values = c.bytes + 2 + 9;
  c.presence = c.values + 2 + 9;
  c.ring = c.presence + 2 + 9;
  return c;
}

static void put_state(wir_words *w, const wir_program *p, uint32_t number, const state_columns *c) {
  const wir_state *s = &p->states[number];
  wir_put(w, "#");
  wir_put_number(w, number);
  wir_put_to(w, c->owner);
  wir_put_name(w, name_of(p, s->stream));
  if (s->node != UINT32_MAX) {
    wir_put(w, " ");
    put_ref(w, (wir_ref){s->node});
  }
  wir_put_to(w, c->kind);
  wir_put(w, kinds[s->kind]);
  wir_put_to(w, c->type);
  wir_put_type(w, &p->types, s->type);
  wir_put_number_to(w, s->capacity, c->samples);
  wir_put_number_to(w, wir_state_bytes(s), c->bytes);
  wir_put_number_to(w, s->offset, c->values);
  wir_put_number_to(w, s->presence, c->presence);
  if (wir_state_is_ring(s)) wir_put_number_to(w, s->ring, c->ring);
  wir_put(w, "\n");
}

static void put_label_to(wir_words *w, const char *label, size_t column) {
  size_t n = __builtin_strlen(label);
  wir_put_to(w, column - WB_MIN(column, n));
  wir_put(w, label);
}

static void put_states(wir_words *w, const wir_program *p) {
  state_columns c = measure_states(p);
  wir_put(w,
    "What a monitor retains between two ticks. The owner is a stream, or node %N of its graph (--stage graph). Kinds:\n"
    "  held     the last value of a stream with gaps, for the operations that read it\n"
    "  history  earlier values of a stream, for delays of it\n"
    "  output   the same with its gaps, for the stream's delays of itself\n"
    "  hold     the last value of an operand with gaps\n"
    "  delay    earlier values of an expression; result: the delay's last result\n"
    "  flag     whether it has happened, for when, update and init\n"
    "Each sample takes a byte for its presence and the bytes of its type; history, output and delay take 16 bytes more.\n"
    "The last columns are places in the monitor's arena.\n\n");
  wir_put(w, "state");
  wir_put_to(w, c.owner);
  wir_put(w, "owner");
  wir_put_to(w, c.kind);
  wir_put(w, "kind");
  wir_put_to(w, c.type);
  wir_put(w, "type");
  put_label_to(w, "samples", c.samples);
  put_label_to(w, "bytes", c.bytes);
  put_label_to(w, "values", c.values);
  put_label_to(w, "presence", c.presence);
  put_label_to(w, "ring", c.ring);
  wir_put(w, "\n");
  for (uint32_t i = 0; i < p->n_states; i++) put_state(w, p, i, &c);
  wir_put(w, "\nsum: ");
  wir_put_number(w, p->state_bytes);
  wir_put(w, p->retains_values ? " bytes, and the values of text, list and map types: what `weir check` shows; the arena has "
                               : " bytes: the bound that `weir check` shows; the arena has ");
  wir_put_number(w, p->layout.bytes);
  wir_put(w, " with its padding\n");
}

/* ---- The door ------------------------------------------------------------------------------------------------------ */

bool wir_explain_text(const wir_program *p, weir_stage stage, wir_words *w) {
  wb_places places;
  switch (stage) {
  case WEIR_STAGE_GRAPH:
    if (!wb_places_init(&places, p->text, w->mem)) return false;
    put_graphs(w, p, &places);
    wb_places_free(&places, w->mem);
    break;
  case WEIR_STAGE_SCHEDULE: put_schedule(w, p); break;
  case WEIR_STAGE_STATE: put_states(w, p); break;
  case WEIR_STAGE_AST: case WEIR_STAGE_IR: case WEIR_STAGE_REGIONS: case WEIR_STAGE_LLVM:
  case WEIR_STAGE_ASM: case WEIR_STAGES: break;
  }
  return !w->has_failed;
}

bool wir_explain(const wir_program *p, weir_stage stage, bool as_dot, wir_words *w) {
  if (stage == WEIR_STAGE_IR) return wir_explain_ir(p, as_dot, w);
  if (stage == WEIR_STAGE_REGIONS) return wir_explain_regions(p, as_dot, w);
  if (!as_dot) return wir_explain_text(p, stage, w);
  wir_explain_dot(p, stage, w);
  return !w->has_failed;
}
