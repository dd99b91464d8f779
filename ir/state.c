/* ir/state.c -- which state a program has, and where it lies in the arena. */
#include "ir/state.h"

#include "ir/program.h"

const uint8_t wir_cell_bytes[WIR_CELLS] = {
  [WIR_CELL_INT] = 8, [WIR_CELL_FLOAT] = 8, [WIR_CELL_BOOL] = 1, [WIR_CELL_UNIT] = 0, [WIR_CELL_RICH] = 8, [WIR_CELL_ANY] = 16,
};

/* May be UINT64_MAX, "too many to count": then it stays that. */
static uint64_t add_bytes(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t wir_state_bytes(const wir_state *s) {
  uint64_t bytes;
  if (__builtin_mul_overflow(s->capacity, (uint64_t)wir_cell_bytes[s->cell] + 1, &bytes)) return UINT64_MAX;
  return add_bytes(bytes, wir_state_is_ring(s) ? sizeof(wir_ring) : 0);
}

/* Whatever the limit: with the arena's padding the sum must still be a number. */
#define STATE_MAX (UINT64_MAX - 16)

typedef struct describer {
  wir_program *p;
  wb_mem *scratch;
  uint64_t limit, total;
  WB_VEC(wir_state) states;
  weir_error *e;
} describer;

static weir_code too_large(const describer *d, const wir_state *s) {
  uint64_t bytes = wir_state_bytes(s);
  if (bytes == UINT64_MAX)
    return wb_fail(d->e, WEIR_E_STATE_TOO_LARGE, s->span, "a delay of %" PRIu64 " tick%s needs more than 2^64 bytes; the limit on state is %"
                   PRIu64 " byte%s (max_state_bytes)", s->capacity, WB_S(s->capacity), d->limit, WB_S(d->limit));
  if (wir_state_is_ring(s) && bytes > d->limit)
    return wb_fail(d->e, WEIR_E_STATE_TOO_LARGE, s->span, "a delay of %" PRIu64 " tick%s needs %" PRIu64 " byte%s; the limit on state is %"
                   PRIu64 " byte%s (max_state_bytes)", s->capacity, WB_S(s->capacity), bytes, WB_S(bytes), d->limit, WB_S(d->limit));
  return wb_fail(d->e, WEIR_E_STATE_TOO_LARGE, s->span, "with this the state needs at least %" PRIu64 " byte%s; the limit is %" PRIu64
                 " byte%s (max_state_bytes)", d->total, WB_S(d->total), d->limit, WB_S(d->limit));
}

/* Appends a descriptor; *number is its number. */
static weir_code describe(describer *d, wir_state s, uint32_t *number) {
  wir_program *p = d->p;
  s.cell = (uint8_t)(s.kind == WIR_STATE_FLAG ? WIR_CELL_BOOL : wir_cell_of(&p->types, s.type));
  uint64_t bytes = wir_state_bytes(&s);
  d->total = add_bytes(d->total, bytes);
  if (d->total > d->limit) return too_large(d, &s);
  if (d->states.n >= UINT32_MAX - 1 || !WB_PUSH(d->scratch, &d->states, s)) return wb_fail_memory(d->e);
  *number = (uint32_t)d->states.n - 1;
  wir_stream *owner = &p->streams[s.stream];
  owner->state_bytes += bytes;
  owner->retains_values |= s.cell == WIR_CELL_RICH || s.cell == WIR_CELL_ANY;
  p->n_rings += wir_state_is_ring(&s);
  p->n_rich_cells += !wir_state_is_ring(&s) && (s.cell == WIR_CELL_RICH || s.cell == WIR_CELL_ANY);
  return WEIR_OK;
}

/* What a stream keeps for those who read it. */
static weir_code describe_stream(describer *d, uint32_t i) {
  wir_stream *s = &d->p->streams[i];
  wir_state of = {.stream = i, .node = UINT32_MAX, .type = s->type, .span = s->span, .capacity = 1};
  bool is_gappy = s->presence == WIR_GAPPY;
  s->held = s->history = s->output = WIR_NO_STATE;
  if (s->is_held) {
    of.kind = WIR_STATE_HELD;
    WB_TRY(describe(d, of, &s->held));
  }
  uint64_t shared = is_gappy ? s->delay_var : WB_MAX(s->delay_var, s->delay_self);
  if (shared != 0) {
    of.kind = WIR_STATE_HISTORY;
    of.capacity = shared;
    of.span = shared == s->delay_var ? s->delay_var_span : s->delay_self_span;
    WB_TRY(describe(d, of, &s->history));
    if (!is_gappy) s->output = s->history;
  }
  if (is_gappy && s->delay_self != 0) {
    of.kind = WIR_STATE_OUTPUT;
    of.capacity = s->delay_self;
    of.span = s->delay_self_span;
    WB_TRY(describe(d, of, &s->output));
  }
  return WEIR_OK;
}

static weir_code describe_node(describer *d, uint32_t stream, wir_graph *g, uint32_t i) {
  wir_node *n = &g->nodes[i];
  wir_state of = {.stream = stream, .node = i, .type = n->type, .span = n->span, .capacity = 1};
  switch ((wir_node_kind)n->kind) {
  case WIR_LIFT:
    of.kind = WIR_STATE_HOLD;
    return describe(d, of, &n->state);
  case WIR_WHEN: case WIR_UPDATE: case WIR_INIT:
    of.kind = WIR_STATE_FLAG;
    of.type = WIR_BOOL;
    return describe(d, of, &n->state);
  case WIR_DELAY: {
    uint32_t result;
    of.kind = WIR_STATE_DELAY;
    of.capacity = n->as.offset;
    of.pending = d->p->layout.n_pending++;
    WB_TRY(describe(d, of, &n->state));
    if (wir_at(g, n->args[0])->presence != WIR_GAPPY) return WEIR_OK;
    of.kind = WIR_STATE_RESULT;
    of.capacity = 1;
    return describe(d, of, &result); /* the descriptor after the ring's */
  }
  case WIR_CONST: case WIR_VAR: case WIR_HELD: case WIR_APPLY: case WIR_CONVERT: case WIR_IF: case WIR_AND: case WIR_OR:
  case WIR_IMPLIES: case WIR_DEFAULT: case WIR_IS_DEFINED: case WIR_LATCH: case WIR_DELAY_VAR: case WIR_DELAY_SELF:
  case WIR_NODE_KINDS: break;
  }
  return WEIR_OK;
}

static void find_held(wir_program *p) {
  for (uint32_t i = p->n_inputs; i < p->n_streams; i++)
    for (uint32_t k = 0; k < p->streams[i].graph.n_nodes; k++) {
      const wir_node *n = &p->streams[i].graph.nodes[k];
      if (n->kind == WIR_HELD) p->streams[n->stream].is_held = true;
    }
}

/* Gives every descriptor of one width its values, then moves on; widths fall, so that all are aligned. */
static void place_values(wir_program *p, bool rings, uint8_t width, uint64_t *at) {
  for (uint32_t i = 0; i < p->n_states; i++) {
    wir_state *s = &p->states[i];
    if (wir_state_is_ring(s) != rings || wir_cell_bytes[s->cell] != width) continue;
    s->offset = *at;
    *at += s->capacity * width;
  }
}

static void place_presence(wir_program *p, bool rings, uint64_t *at) {
  for (uint32_t i = 0; i < p->n_states; i++) {
    wir_state *s = &p->states[i];
    if (wir_state_is_ring(s) != rings) continue;
    s->presence = *at;
    *at += s->capacity;
  }
}

static void lay_out(wir_program *p) {
  static const uint8_t widths[] = {16, 8, 1, 0};
  uint64_t at = 0;
  for (size_t w = 0; w < WB_LEN(widths); w++) place_values(p, false, widths[w], &at);
  place_presence(p, false, &at);
  p->layout.cells = at;
  at = (at + 15) & ~UINT64_C(15);
  place_values(p, true, 16, &at);
  for (uint32_t i = 0; i < p->n_states; i++)
    if (wir_state_is_ring(&p->states[i])) {
      p->states[i].ring = at;
      at += sizeof(wir_ring);
    }
  for (size_t w = 1; w < WB_LEN(widths); w++) place_values(p, true, widths[w], &at);
  place_presence(p, true, &at);
  p->layout.bytes = at;
}

static weir_code keep(wir_program *p, const describer *d, weir_error *e) {
  p->n_states = (uint32_t)d->states.n;
  p->states = WB_NEW_ARRAY(&p->mem, wir_state, p->n_states);
  p->rings = WB_NEW_ARRAY(&p->mem, uint32_t, p->n_rings);
  p->rich_cells = WB_NEW_ARRAY(&p->mem, uint32_t, p->n_rich_cells);
  if (p->states == NULL || p->rings == NULL || p->rich_cells == NULL) return wb_fail_memory(e);
  uint32_t rings = 0, rich = 0;
  for (uint32_t i = 0; i < p->n_states; i++) {
    const wir_state *s = &d->states.at[i];
    p->states[i] = *s;
    if (wir_state_is_ring(s)) p->rings[rings++] = i;
    else if (s->cell == WIR_CELL_RICH || s->cell == WIR_CELL_ANY) p->rich_cells[rich++] = i;
  }
  p->state_bytes = d->total;
  lay_out(p);
  return WEIR_OK;
}

/* Readers of a stream's state carry its number too, so that no tier looks it up through the stream. */
static void bind_readers(wir_program *p) {
  for (uint32_t i = p->n_inputs; i < p->n_streams; i++)
    for (uint32_t k = 0; k < p->streams[i].graph.n_nodes; k++) {
      wir_node *n = &p->streams[i].graph.nodes[k];
      if (n->kind == WIR_HELD) n->state = p->streams[n->stream].held;
      if (n->kind == WIR_DELAY_VAR) n->state = p->streams[n->stream].history;
      if (n->kind == WIR_DELAY_SELF) n->state = p->streams[n->stream].output;
    }
}

weir_code wir_state_describe(wir_program *p, uint64_t limit, wb_mem *scratch, weir_error *e) {
  describer d = {.p = p, .scratch = scratch, .limit = WB_MIN(limit, STATE_MAX), .e = e};
  find_held(p);
  for (uint32_t i = 0; i < p->n_streams; i++) {
    WB_TRY(describe_stream(&d, i));
    wir_graph *g = &p->streams[i].graph;
    for (uint32_t k = 0; k < g->n_nodes; k++) WB_TRY(describe_node(&d, i, g, k));
    p->retains_values |= p->streams[i].retains_values;
  }
  bind_readers(p);
  return keep(p, &d, e);
}
