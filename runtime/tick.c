/* runtime/tick.c -- the six steps of a tick, in order (architecture.md 2), and the words for what went wrong.
**
** Steps 2 and 3, the source range and barrier, are absent: no program has a reconfiguration point yet.  Typed rows (typed.c) and batches
** (batch.c) admit and publish in their own forms, and call the steps in between. */
#include <string.h>

#include "ir/base/clock.h"
#include "runtime/monitor.h"
#include "runtime/native.h"
#include "runtime/quick.h"

weir_code wrt_pool_keep(wrt_monitor *m, weir_value v) {
  if (WB_PUSH(&m->mem, &m->pool, v)) return WEIR_OK;
  wir_release(&m->mem, v);
  return WEIR_E_MEMORY;
}

static void empty_pool(wrt_monitor *m) {
  while (m->pool.n != 0) wir_release(&m->mem, WB_POP(&m->pool));
}

/* Counts the outputs before the commit, which may release objects that only history held. */
static void stage_outputs(wrt_monitor *m) {
  const wir_program *p = m->program;
  for (uint32_t i = 0; i < p->n_outputs; i++) {
    m->publishing[i] = m->row[p->outputs[i]];
    wir_retain(m->publishing[i]);
  }
}

/* Scalars need no counting. */
static void publish_plain(wrt_monitor *m) {
  const wir_program *p = m->program;
  for (uint32_t i = 0; i < p->n_outputs; i++) m->outputs[i] = m->row[p->outputs[i]];
}

static void publish(wrt_monitor *m) {
  weir_value *before = m->outputs;
  m->outputs = m->publishing;
  m->publishing = before;
  for (uint32_t i = 0; i < m->program->n_outputs; i++) wir_release(&m->mem, before[i]);
}

const char *wrt_tag_name(uint32_t tag) {
  static const char *const names[WEIR_TAG_COUNT] = {
    [WEIR_NOVAL] = "no value", [WEIR_DEFERRED] = "Deferred", [WEIR_UNIT] = "Unit", [WEIR_BOOL] = "Bool", [WEIR_INT] = "Int",
    [WEIR_FLOAT] = "Float", [WEIR_TEXT] = "Str", [WEIR_LIST] = "List", [WEIR_TUPLE] = "Tuple", [WEIR_MAP] = "Map",
  };
  return tag < WEIR_TAG_COUNT ? names[tag] : "?";
}

static weir_code explain_kind(wrt_monitor *m, const wrt_failure *why, const wir_node *n, weir_error *e) {
  if (n->kind == WIR_APPLY && wir_ops[n->op].operands == 2)
    return wb_fail(e, why->code, n->span, "operands of the wrong type for %s: %s and %s", wir_ops[n->op].what, wrt_tag_name(why->tag[0]),
                   wrt_tag_name(why->tag[1]));
  if (n->kind == WIR_APPLY)
    return wb_fail(e, why->code, n->span, "operand of the wrong type for %s: %s", wir_ops[n->op].what, wrt_tag_name(why->tag[0]));
  if (n->kind == WIR_IF) return wb_fail(e, why->code, n->span, "the condition is not a Bool but %s", wrt_tag_name(why->tag[0]));
  if (n->kind != WIR_CONVERT) return wb_fail(e, why->code, n->span, "expected Bool, got %s", wrt_tag_name(why->tag[0]));
  wb_bytes text = {0};
  bool is_written = wir_type_print(&m->program->types, why->type, 80, &m->mem, &text);
  wb_fail(e, why->code, n->span, "expected %.*s, got %s", is_written ? (int)text.n : 1, is_written ? text.at : "?",
          wrt_tag_name(why->tag[0]));
  WB_VEC_FREE(&m->mem, &text);
  return why->code;
}

static weir_code explain(wrt_monitor *m, const wrt_failure *why, weir_error *e) {
  const wir_node *n = &m->program->streams[why->stream].graph.nodes[why->node];
  const char *what = n->kind == WIR_APPLY ? wir_ops[n->op].what : wir_nodes[n->kind].text;
  switch ((unsigned)why->code) {
  case WEIR_E_OVERFLOW: return wb_fail(e, why->code, n->span, "integer overflow in %s", what);
  case WEIR_E_DIV_ZERO: return wb_fail(e, why->code, n->span, "division by zero");
  case WEIR_E_DOMAIN: return wb_fail(e, why->code, n->span, "negative exponent of an Int power");
  case WEIR_E_VALUE_LIMIT: return wb_fail(e, why->code, n->span, "the result of %s would be longer than %u bytes", what, WIR_MAX_COUNT);
  case WEIR_E_KIND: return explain_kind(m, why, n, e);
  case WEIR_E_MEMORY: return wb_fail(e, why->code, n->span, "out of memory");
  }
  return wb_fail(e, why->code, n->span, "%s failed", what);
}

static weir_code end_monitor(wrt_monitor *m, const weir_error *end, weir_error *e) {
  m->is_terminal = true;
  m->push_typed = wrt_push_typed;
  if (m->quick != NULL) m->quick->is_fast = false; /* typed rows look at nothing else */
  m->end = *end;
  m->end.row = m->ticks;
  if (e != NULL) *e = m->end;
  return m->end.code;
}

/* Words that show a cut text say so by themselves; the names of streams are short. */
static weir_code refuse_terminal(const wrt_monitor *m, weir_error *e) {
  weir_code rc = wb_fail(e, WEIR_E_TERMINAL, WB_NOWHERE, "the monitor ended in tick %" PRIu64 ": %s", m->end.row, m->end.text);
  if (e != NULL) e->row = m->end.row;
  return rc;
}

weir_code wrt_tick_begin(wrt_monitor *m, weir_error *e) {
  if (WB_UNLIKELY(m->is_terminal)) return refuse_terminal(m, e);
  empty_pool(m);
  return WEIR_OK;
}

weir_code wrt_tick_refuse(wrt_monitor *m, const weir_error *why, weir_error *e) {
  if (why->code == WEIR_E_MEMORY) return end_monitor(m, why, e);
  if (e != NULL) {
    *e = *why;
    e->row = m->ticks;
  }
  return why->code;
}

static weir_code fail_tick(wrt_monitor *m, const wrt_failure *why, weir_error *e) {
  weir_error end;
  explain(m, why, &end);
  return end_monitor(m, &end, e);
}

/* The row in the quickened tier, or in a kernel; false where it declines. */
static bool run_quick(wrt_monitor *m) {
  const wir_program *p = m->program;
  if (!m->quick->bodies->is_whole) return wrt_quick_steps(m);
  bool is_taken = false, is_done = m->native != NULL && wrt_native_tagged(m, &is_taken);
  m->ran = is_taken ? WRT_RAN_NATIVE : WRT_RAN_QUICK;
  if (is_taken) return is_done;
  if (!wrt_quick_tagged(m)) return false;
  for (uint32_t i = 0; i < p->n_outputs; i++) m->row[p->outputs[i]] = wrt_quick_value(m, i);
  return true;
}

static inline __attribute__((always_inline)) weir_code run_canonical(wrt_monitor *m, weir_error *e) {
  const wir_program *p = m->program;
  m->ran = WRT_RAN_CANONICAL;
  for (uint32_t i = 0; i < p->n_streams - p->n_inputs; i++) {
    wrt_failure why;
    if (wrt_canon_stream(m, p->order[i], &why) != WEIR_OK) return fail_tick(m, &why, e);
  }
  return WEIR_OK;
}

static weir_code run(wrt_monitor *m, weir_error *e) { return run_quick(m) ? WEIR_OK : wrt_tick_run_declined(m, e); }

static __attribute__((noinline)) weir_code run_looked(wrt_monitor *m, weir_error *e) {
  bool is_timed = wrt_hot_look(m);
  uint64_t begin = is_timed ? wb_now() : 0;
  weir_code rc = run(m, e);
  if (is_timed && rc == WEIR_OK) wrt_hot_timed(m, wb_now() - begin);
  return rc;
}

weir_code wrt_tick_run(wrt_monitor *m, weir_error *e) {
  if (m->quick == NULL) return run_canonical(m, e);
  if (WB_UNLIKELY(m->check != NULL) && !m->quick->bodies->is_whole) return wrt_check_steps(m, e);
  return wrt_tick_run_unchecked(m, e);
}

weir_code wrt_tick_run_unchecked(wrt_monitor *m, weir_error *e) {
  return WB_UNLIKELY(m->ticks >= m->hot.next) ? run_looked(m, e) : run(m, e);
}

weir_code wrt_tick_run_declined(wrt_monitor *m, weir_error *e) {
  wrt_tick_undo(m);
  wrt_hold_inputs(m);
  m->quick->knows_cold = m->quick->is_fast = false;
  return run_canonical(m, e);
}

void wrt_tick_commit(wrt_monitor *m) {
  if (m->ran == WRT_RAN_NATIVE) return; /* a kernel commits, and counts */
  if (m->ran == WRT_RAN_QUICK) wrt_quick_commit(m);
  else if (m->program->n_states != 0) wrt_commit(m);
  if (m->ran == WRT_RAN_CANONICAL) m->canonical_ticks++;
  else if (m->ran != WRT_RAN_KERNELS) m->quick_ticks++;
  m->ticks++;
}

/* Nothing but the stage was written, and before a row it is a copy of the arena's cells. */
void wrt_tick_undo(wrt_monitor *m) { memcpy(m->stage.cells, m->arena, (size_t)m->program->layout.cells); }

weir_code wrt_push(wrt_monitor *m, const weir_value *inputs, size_t count, weir_error *e) {
  return WB_UNLIKELY(m->check != NULL) ? wrt_check_tagged(m, inputs, count, e) : wrt_push_row(m, inputs, count, e);
}

weir_code wrt_push_row(wrt_monitor *m, const weir_value *inputs, size_t count, weir_error *e) {
  weir_error why;
  WB_TRY(wrt_tick_begin(m, e));
  if (wrt_admit(m, inputs, count, &why) != WEIR_OK) return wrt_tick_refuse(m, &why, e);
  WB_TRY(wrt_tick_run(m, e));
  if (m->has_rich_outputs) stage_outputs(m);
  wrt_tick_commit(m);
  if (m->has_rich_outputs) publish(m);
  else publish_plain(m);
  return WEIR_OK;
}
