/* runtime/canon.c -- the canonical evaluator: the meaning of every node, on tagged values.
**
** One pass over a stream's graph.  Whatever has a memory reads and writes its cell in the stage, so nothing becomes history before the
** commit.  Failures (language.md 8): outside a guard one ends the tick; inside, it is a value, WIR_FAILED, that makes every operation fail
** until the guard takes or drops it.  Memories take Deferred in its place.
** The order of the tests in an operation is the language's: failures, then NoVal, then Deferred, then computing. */
#include "runtime/islands.h"
#include "runtime/monitor.h"

typedef struct canon {
  wrt_monitor *m;
  const wir_program *p;
  const wir_graph *graph;
  uint32_t stream;
  weir_value *v;     /* by node */
  wrt_failure *why;
} canon;

static const weir_value noval = {.tag = WEIR_NOVAL}, deferred = {.tag = WEIR_DEFERRED};
static weir_value of_bool(bool b) { return (weir_value){.tag = WEIR_BOOL, .as.b = b}; }
static weir_value arg(const canon *c, const wir_node *n, uint32_t k) { return c->v[n->args[k].i]; }
/* What a memory keeps of a value. */
static weir_value retained(weir_value v) { return v.tag == WIR_FAILED ? deferred : v; }

/* ---- State ---- */

static weir_value load_cell(const canon *c, uint32_t state) {
  const wir_state *s = &c->p->states[state];
  return wir_sample_load((wir_cell)s->cell, c->m->stage.cells + s->offset, c->m->stage.cells + s->presence, 0);
}

static void store_cell(canon *c, uint32_t state, weir_value v) {
  const wir_state *s = &c->p->states[state];
  wir_sample_store((wir_cell)s->cell, c->m->stage.cells + s->offset, c->m->stage.cells + s->presence, 0, v);
}

/* The sample of `back` ticks ago; Deferred while fewer have been committed. */
static weir_value load_ring(const canon *c, uint32_t state, uint64_t back) {
  const wir_state *s = &c->p->states[state];
  const wir_ring *r = (const wir_ring *)(const void *)(c->m->arena + s->ring);
  if (r->filled < back) return deferred;
  uint64_t i = r->next >= back ? r->next - back : r->next + s->capacity - back;
  return wir_sample_load((wir_cell)s->cell, c->m->arena + s->offset, c->m->arena + s->presence, i);
}

/* ---- Failures ---- */

/* A new failure of node n: the tick's if no guard is around it, else a value. */
static weir_code fail(canon *c, const wir_node *n, wrt_failure f) {
  f.stream = c->stream;
  f.node = (uint32_t)(n - c->graph->nodes);
  *c->why = f;
  if (!n->is_guarded || f.code == WEIR_E_MEMORY) return f.code;
  weir_value v = {.tag = WIR_FAILED, .as.i = (int64_t)c->m->failures.n};
  if (!WB_PUSH(&c->m->mem, &c->m->failures, f)) return c->why->code = WEIR_E_MEMORY;
  c->v[f.node] = v;
  return WEIR_OK;
}

static weir_code fail_code(canon *c, const wir_node *n, weir_code code) { return fail(c, n, (wrt_failure){.code = code}); }
static weir_code fail_kind(canon *c, const wir_node *n, weir_value a, weir_value b) {
  return fail(c, n, (wrt_failure){.code = WEIR_E_KIND, .tag = {a.tag, b.tag}});
}

/* The failure of an operand reaches node n: outside a guard it is the tick's. */
static weir_code pass_on(canon *c, const wir_node *n, weir_value failed) {
  if (!n->is_guarded) {
    *c->why = c->m->failures.at[failed.as.i];
    return c->why->code;
  }
  c->v[n - c->graph->nodes] = failed;
  return WEIR_OK;
}

/* The operand that failed first, if any did. */
static bool any_failed(const canon *c, const wir_node *n, uint32_t n_args, weir_value *out) {
  bool found = false;
  for (uint32_t k = 0; k < n_args; k++) {
    weir_value x = arg(c, n, k);
    if (x.tag != WIR_FAILED || (found && out->as.i <= x.as.i)) continue;
    *out = x;
    found = true;
  }
  return found;
}

static weir_code put(canon *c, const wir_node *n, weir_value v) {
  c->v[n - c->graph->nodes] = v;
  return WEIR_OK;
}

/* ---- Nodes ---- */

static weir_code eval_lift(canon *c, const wir_node *n) {
  weir_value x = arg(c, n, 0);
  if (x.tag == WEIR_NOVAL) return put(c, n, load_cell(c, n->state));
  store_cell(c, n->state, retained(x));
  return put(c, n, x);
}

static weir_code eval_apply(canon *c, const wir_node *n) {
  weir_value args[2] = {arg(c, n, 0)};
  uint32_t n_args = wir_ops[n->op].operands;
  if (n_args == 2) args[1] = arg(c, n, 1);
  if (!wir_is_proper(args[0]) || (n_args == 2 && !wir_is_proper(args[1]))) {
    weir_value failed;
    if (any_failed(c, n, n_args, &failed)) return pass_on(c, n, failed);
    bool is_noval = args[0].tag == WEIR_NOVAL || (n_args == 2 && args[1].tag == WEIR_NOVAL);
    return put(c, n, is_noval ? noval : deferred);
  }
  weir_value result;
  weir_code rc = wir_apply((wir_op)n->op, args, &c->m->mem, &result);
  if (rc == WEIR_E_KIND) return fail_kind(c, n, args[0], args[1]);
  if (rc != WEIR_OK) return fail_code(c, n, rc);
  if (wir_is_rich(result) && wrt_pool_keep(c->m, result) != WEIR_OK) return fail_code(c, n, WEIR_E_MEMORY);
  return put(c, n, result);
}

static weir_code eval_convert(canon *c, const wir_node *n) {
  weir_value x = arg(c, n, 0), result;
  if (x.tag == WIR_FAILED) return pass_on(c, n, x);
  if (!wir_is_proper(x)) return put(c, n, x);
  wrt_failure f = {.code = WEIR_OK, .type = n->type};
  f.code = wrt_convert(c->m, x, n->type, &result, &f.tag[0], &f.type);
  return f.code == WEIR_OK ? put(c, n, result) : fail(c, n, f);
}

static weir_code eval_if(canon *c, const wir_node *n) {
  weir_value cond = arg(c, n, 0), x = arg(c, n, 1), y = arg(c, n, 2);
  if (cond.tag == WIR_FAILED) return pass_on(c, n, cond);
  bool is_decided = cond.tag == WEIR_BOOL;
  if (is_decided) {
    weir_value chosen = cond.as.b ? x : y;
    if (chosen.tag == WIR_FAILED) return pass_on(c, n, chosen);
  }
  if (x.tag == WEIR_NOVAL || y.tag == WEIR_NOVAL) return put(c, n, noval);
  if (!wir_is_proper(cond)) return put(c, n, cond);
  if (!is_decided) return fail_kind(c, n, cond, noval);
  return put(c, n, cond.as.b ? x : y);
}

/* && || => : `decides` is the left value that decides, with the result then; otherwise the right one is the result. */
static weir_code eval_logical(canon *c, const wir_node *n, bool decides, bool decided) {
  weir_value a = arg(c, n, 0), b = arg(c, n, 1);
  if (a.tag == WIR_FAILED) return pass_on(c, n, a);
  bool is_decided = a.tag == WEIR_BOOL && a.as.b == decides;
  if (b.tag == WIR_FAILED) {
    if (wir_is_proper(a) && a.tag != WEIR_BOOL) return fail_kind(c, n, a, noval);
    if (a.tag == WEIR_BOOL && !is_decided) return pass_on(c, n, b);
    return put(c, n, is_decided ? of_bool(decided) : a);
  }
  if (a.tag == WEIR_NOVAL || b.tag == WEIR_NOVAL) return put(c, n, noval);
  if (a.tag == WEIR_DEFERRED || b.tag == WEIR_DEFERRED) return put(c, n, deferred);
  if (a.tag != WEIR_BOOL) return fail_kind(c, n, a, noval);
  if (is_decided) return put(c, n, of_bool(decided));
  return b.tag == WEIR_BOOL ? put(c, n, b) : fail_kind(c, n, b, noval);
}

static weir_code eval_default(canon *c, const wir_node *n) {
  weir_value failed, x = arg(c, n, 0);
  if (any_failed(c, n, 2, &failed)) return pass_on(c, n, failed);
  return put(c, n, x.tag == WEIR_DEFERRED ? arg(c, n, 1) : x);
}

static weir_code eval_is_defined(canon *c, const wir_node *n) {
  weir_value x = arg(c, n, 0);
  if (x.tag == WIR_FAILED) return pass_on(c, n, x);
  return put(c, n, of_bool(x.tag != WEIR_DEFERRED));
}

static bool has_happened(const canon *c, const wir_node *n) { return load_cell(c, n->state).tag == WEIR_BOOL; }
static void happens(canon *c, const wir_node *n) { store_cell(c, n->state, of_bool(true)); }

static weir_code eval_when(canon *c, const wir_node *n) {
  weir_value x = arg(c, n, 0);
  if (wir_is_proper(x)) happens(c, n);
  if (x.tag == WIR_FAILED) return pass_on(c, n, x);
  return put(c, n, of_bool(has_happened(c, n)));
}

/* A failed operand counts as Deferred for the flags of update and init, and then the result fails. */
static weir_code eval_update(canon *c, const wir_node *n) {
  weir_value failed, x = arg(c, n, 0), y = arg(c, n, 1);
  if (wir_is_proper(y)) happens(c, n);
  if (any_failed(c, n, 2, &failed)) return pass_on(c, n, failed);
  return put(c, n, has_happened(c, n) ? y : x);
}

static weir_code eval_latch(canon *c, const wir_node *n) {
  weir_value failed, trigger = arg(c, n, 1);
  if (any_failed(c, n, 2, &failed)) return pass_on(c, n, failed);
  return put(c, n, trigger.tag == WEIR_NOVAL ? noval : arg(c, n, 0));
}

static weir_code eval_init(canon *c, const wir_node *n) {
  weir_value failed, x = arg(c, n, 0);
  if (x.tag != WEIR_NOVAL) happens(c, n);
  if (any_failed(c, n, 2, &failed)) return pass_on(c, n, failed);
  return put(c, n, has_happened(c, n) ? x : arg(c, n, 1));
}

/* History is filled forward: where it holds nothing, no sample was there yet, and the delay has nothing better than Deferred. */
static weir_code eval_delay_var(canon *c, const wir_node *n) {
  weir_value x = load_ring(c, n->state, n->as.offset);
  return put(c, n, x.tag == WEIR_NOVAL ? deferred : x);
}

/* A ring of its own keeps NoVal, since a failed operand makes the last result Deferred without leaving such a sample. */
static weir_code eval_delay(canon *c, const wir_node *n) {
  weir_value operand = arg(c, n, 0);
  bool is_gappy = wir_at(c->graph, n->args[0])->presence == WIR_GAPPY;
  c->m->stage.pending[c->p->states[n->state].pending] = retained(operand);
  if (operand.tag == WIR_FAILED) {
    if (is_gappy) store_cell(c, n->state + 1, deferred);
    return pass_on(c, n, operand);
  }
  weir_value x = load_ring(c, n->state, n->as.offset);
  if (x.tag == WEIR_NOVAL && is_gappy) x = load_cell(c, n->state + 1);
  if (x.tag == WEIR_NOVAL) x = deferred;
  if (is_gappy) store_cell(c, n->state + 1, x);
  return put(c, n, x);
}

static weir_code eval(canon *c, const wir_node *n) {
  switch ((wir_node_kind)n->kind) {
  case WIR_CONST: return put(c, n, n->as.value);
  case WIR_VAR: return put(c, n, c->m->row[n->stream]);
  case WIR_HELD: return put(c, n, load_cell(c, n->state));
  case WIR_LIFT: return eval_lift(c, n);
  case WIR_APPLY: return eval_apply(c, n);
  case WIR_CONVERT: return eval_convert(c, n);
  case WIR_IF: return eval_if(c, n);
  case WIR_AND: return eval_logical(c, n, false, false);
  case WIR_OR: return eval_logical(c, n, true, true);
  case WIR_IMPLIES: return eval_logical(c, n, false, true);
  case WIR_DEFAULT: return eval_default(c, n);
  case WIR_IS_DEFINED: return eval_is_defined(c, n);
  case WIR_WHEN: return eval_when(c, n);
  case WIR_UPDATE: return eval_update(c, n);
  case WIR_LATCH: return eval_latch(c, n);
  case WIR_INIT: return eval_init(c, n);
  case WIR_DELAY_VAR: return eval_delay_var(c, n);
  case WIR_DELAY_SELF: return put(c, n, load_ring(c, n->state, n->as.offset));
  case WIR_DELAY: return eval_delay(c, n);
  case WIR_NODE_KINDS: break;
  }
  return WEIR_OK;
}

/* A bare reference needs no evaluator. */
static weir_code copy_stream(wrt_monitor *m, const wir_stream *s, uint32_t stream) {
  m->row[stream] = m->row[s->copy_of]; /* whole, as publishing reads it (see admit.c) */
  if (s->held == WIR_NO_STATE) return WEIR_OK;
  weir_value v = m->row[stream];
  if (v.tag == WEIR_NOVAL) return WEIR_OK;
  const wir_state *held = &m->program->states[s->held];
  wir_sample_store((wir_cell)held->cell, m->stage.cells + held->offset, m->stage.cells + held->presence, 0, v);
  return WEIR_OK;
}

static weir_code eval_nodes(canon *c, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++) WB_TRY(eval(c, &c->graph->nodes[i]));
  return WEIR_OK;
}

/* What the island itself reads, it reads as its graph would; then it is computed.  False: its graph is to decide. */
static bool run_island(canon *c, wrt_islands *islands, const wrt_island *island) {
  for (uint32_t i = 0; i < island->n_read; i++)
    if (eval(c, &c->graph->nodes[islands->read[island->read + i]]) != WEIR_OK) return false;
  return wrt_island_run(islands, island);
}

/* islands: NULL, or those that may be computed in place of their nodes. */
static __attribute__((noinline)) weir_code eval_stream(wrt_monitor *m, uint32_t stream, wrt_islands *islands, wrt_failure *why) {
  const wir_stream *s = &m->program->streams[stream];
  canon c = {.m = m, .p = m->program, .graph = &s->graph, .stream = stream, .v = m->values, .why = why};
  uint32_t next = 0;
  m->failures.n = 0;
  for (uint32_t i = islands == NULL ? 0 : islands->from[stream]; islands != NULL && i < islands->from[stream + 1]; i++) {
    const wrt_island *island = &islands->all[i];
    WB_TRY(eval_nodes(&c, next, island->first));
    next = run_island(&c, islands, island) ? island->end : island->first;
  }
  WB_TRY(eval_nodes(&c, next, s->graph.n_nodes));
  m->row[stream] = c.v[s->graph.result.i];
  if (s->held != WIR_NO_STATE && m->row[stream].tag != WEIR_NOVAL) store_cell(&c, s->held, m->row[stream]);
  return WEIR_OK;
}

weir_code wrt_canon_step(wrt_monitor *m, uint32_t stream, wrt_islands *islands, wrt_failure *why) {
  const wir_stream *s = &m->program->streams[stream];
  return s->copy_of != UINT32_MAX ? copy_stream(m, s, stream) : eval_stream(m, stream, islands, why);
}

/* Small, so that a copy does not pay for what the evaluator saves. */
weir_code wrt_canon_stream(wrt_monitor *m, uint32_t stream, wrt_failure *why) {
  const wir_stream *s = &m->program->streams[stream];
  return s->copy_of != UINT32_MAX ? copy_stream(m, s, stream) : eval_stream(m, stream, NULL, why);
}
