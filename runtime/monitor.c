/* runtime/monitor.c -- a monitor's life. */
#include "runtime/monitor.h"

#include <string.h>

#include "runtime/islands.h"
#include "runtime/native.h"
#include "runtime/quick.h"
#include "runtime/tile.h"

weir_kind wrt_kind_of(const wir_types *types, wir_type type) {
  static const uint8_t kinds[WIR_TYPE_KINDS] = {
    [WIR_TYPE_NONE] = WEIR_KIND_ANY,   [WIR_TYPE_ANY] = WEIR_KIND_ANY,     [WIR_TYPE_UNKNOWN] = WEIR_KIND_ANY,
    [WIR_TYPE_INT] = WEIR_KIND_INT,    [WIR_TYPE_FLOAT] = WEIR_KIND_FLOAT, [WIR_TYPE_BOOL] = WEIR_KIND_BOOL,
    [WIR_TYPE_STR] = WEIR_KIND_TEXT,   [WIR_TYPE_UNIT] = WEIR_KIND_UNIT,   [WIR_TYPE_LIST] = WEIR_KIND_LIST,
    [WIR_TYPE_MAP] = WEIR_KIND_MAP,    [WIR_TYPE_TUPLE] = WEIR_KIND_TUPLE, [WIR_TYPE_STRUCT] = WEIR_KIND_STRUCT,
    [WIR_TYPE_FUN] = WEIR_KIND_ANY,    [WIR_TYPE_EXPR] = WEIR_KIND_TEXT,
  };
  return (weir_kind)kinds[wir_type_kind_of(types, type)];
}

static bool make_kinds(wrt_monitor *m) {
  const wir_program *p = m->program;
  m->held_inputs = WB_NEW_ARRAY(&m->mem, uint32_t, p->n_inputs);
  if (m->held_inputs == NULL) return false;
  for (uint32_t i = 0; i < p->n_inputs; i++)
    if (p->streams[i].held != WIR_NO_STATE) m->held_inputs[m->n_held_inputs++] = i;
  m->in_kinds = WB_NEW_ARRAY(&m->mem, uint8_t, p->n_inputs);
  m->out_kinds = WB_NEW_ARRAY(&m->mem, uint8_t, p->n_outputs);
  if (m->in_kinds == NULL || m->out_kinds == NULL) return false;
  for (uint32_t i = 0; i < p->n_inputs; i++) {
    m->in_kinds[i] = (uint8_t)wrt_kind_of(&p->types, p->streams[i].type);
    m->has_bool_inputs |= m->in_kinds[i] == WEIR_KIND_BOOL;
  }
  for (uint32_t i = 0; i < p->n_outputs; i++) m->out_kinds[i] = (uint8_t)wrt_kind_of(&p->types, p->streams[p->outputs[i]].type);
  for (uint32_t i = 0; i < p->n_outputs; i++)
    m->has_rich_outputs |= wir_cell_of(&p->types, p->streams[p->outputs[i]].type) >= WIR_CELL_RICH;
  m->is_typed = wrt_is_typed(p);
  return true;
}

static bool make_parts(wrt_monitor *m) {
  const wir_program *p = m->program;
  m->row = WB_NEW_ARRAY(&m->mem, weir_value, p->n_streams);
  m->values = WB_NEW_ARRAY(&m->mem, weir_value, p->max_nodes);
  m->outputs = WB_NEW_ARRAY(&m->mem, weir_value, p->n_outputs);
  m->publishing = WB_NEW_ARRAY(&m->mem, weir_value, p->n_outputs);
  m->replaced = WB_NEW_ARRAY(&m->mem, weir_value, (size_t)p->n_rings + p->n_rich_cells);
  m->stage.cells = wb_alloc(&m->mem, 1, p->layout.cells, 16);
  m->stage.pending = WB_NEW_ARRAY(&m->mem, weir_value, p->layout.n_pending);
  if (p->layout.bytes > SIZE_MAX || !make_kinds(m)) return false;
  return m->row != NULL && m->values != NULL && m->outputs != NULL && m->publishing != NULL && m->replaced != NULL &&
         m->stage.cells != NULL && m->stage.pending != NULL;
}

/* Codes are the monitor's, but have an owner of their own: a failure leaves nothing of them behind. */
static wrt_quick *make_codes(wrt_monitor *m) {
  wrt_quick *q;
  if (wrt_quick_new(m, &q)) return q;
  wb_mem_drop(&m->quick_mem);
  return NULL;
}

/* An arena, behind the registers of `q` if there are any.  Not zeroed: a long delay costs memory only as it fills. */
static unsigned char *take_arena(wrt_monitor *m, const wrt_quick *q) {
  size_t registers = q == NULL ? 0 : q->registers_bytes, bytes;
  if (m->program->layout.bytes > SIZE_MAX || !wb_add(registers, (size_t)m->program->layout.bytes, &bytes)) return NULL;
  unsigned char *block = wb_block(&m->mem, bytes);
  return block == NULL ? NULL : block + registers;
}

static void settle_arena(wrt_monitor *m, unsigned char *arena, wrt_quick *q) {
  m->arena = arena;
  m->made_quick = q;
  if (q != NULL) wrt_quick_bind(m, q, arena - q->registers_bytes);
  if (q != NULL) m->n_cold = q->n_cold;
}

/* A monitor that is quickened from the start has its arena in place at once, and never twice. */
static bool make_arena(wrt_monitor *m, bool wants_quick) {
  const wir_program *p = m->program;
  wrt_quick *q = wants_quick ? make_codes(m) : NULL;
  if (wants_quick && q == NULL) return false;
  unsigned char *arena = take_arena(m, q);
  if (arena == NULL) return false;
  memset(arena, 0, (size_t)p->layout.cells);
  for (uint32_t i = 0; i < p->n_rings; i++) *(wir_ring *)(void *)(arena + p->states[p->rings[i]].ring) = (wir_ring){0, 0};
  settle_arena(m, arena, q);
  return true;
}

/* The state is what another tier has left. */
static void start_quick(wrt_monitor *m) {
  m->quick = m->made_quick;
  m->quick->is_fast = false;
  m->quick->knows_cold = m->quick->knows_cold && WB_PLANTED(25); /* else counted anew */
}

static void set_native(wrt_monitor *m, bool wants_native) {
  if (wants_native == (m->native != NULL)) return;
  if (wants_native) m->why_not_native = wrt_native_start(m);
  else wrt_native_stop(m);
}

/* What kernels find in the monitor, but for what changes. */
static void make_frame(wrt_monitor *m) {
  m->help_pow_int = wir_pow_int;
  m->help_pow_float = wir_pow_float;
  m->help_rem_float = wir_rem_float;
  m->help_sin = sin;
  m->help_cos = cos;
  m->help_tan = tan;
  m->push_typed = wrt_push_typed;
  m->native_since = m->hot.next = UINT64_MAX;
}

/* Without a choice rows run quickened: declined rows, and streams by their graphs, make that right for every program. */
static bool is_quick_tier(weir_tier tier) { return tier != WEIR_TIER_CANONICAL; }

weir_code wrt_monitor_new(wb_door *door, wir_program *program, const wrt_options *options, wrt_monitor **out, weir_error *e) {
  *out = NULL;
  wrt_monitor *m = wb_door_take(door, sizeof *m);
  if (m == NULL) return wb_fail_memory(e);
  m->door = door;
  m->program = wir_program_retain(program);
  m->max_depth = options->max_depth;
  m->port = options->port;
  m->hot.after = options->compile_after;
  make_frame(m);
  wb_mem_init(&m->mem, door, options->max_memory);
  wb_mem_init_part(&m->quick_mem, &m->mem);
  bool wants_quick = is_quick_tier(options->tier);
  if (!make_parts(m) || !make_arena(m, wants_quick)) {
    wrt_monitor_free(m);
    return wb_fail_memory(e);
  }
  if (wants_quick) start_quick(m);
  if (options->tier == WEIR_TIER_NATIVE) set_native(m, true);
  if (options->tier == WEIR_TIER_AUTO) wrt_hot_start(m);
  if (!wrt_check_new(m, &options->check)) {
    wrt_monitor_free(m);
    return wb_fail_memory(e);
  }
  *out = m;
  return WEIR_OK;
}

void wrt_copy_arena(const wir_program *p, unsigned char *to, const unsigned char *from) {
  memcpy(to, from, (size_t)p->layout.cells);
  for (uint32_t i = 0; i < p->n_rings; i++) {
    const wir_state *s = &p->states[p->rings[i]];
    const wir_ring *r = (const wir_ring *)(const void *)(from + s->ring);
    *(wir_ring *)(void *)(to + s->ring) = *r;
    memcpy(to + s->offset, from + s->offset, (size_t)r->filled * wir_cell_bytes[s->cell]); /* it fills from its beginning on */
    memcpy(to + s->presence, from + s->presence, (size_t)r->filled);
  }
}

/* The arena moves behind the registers, and stays there. */
static bool make_quick(wrt_monitor *m) {
  wrt_quick *q = make_codes(m);
  if (q == NULL) return false;
  unsigned char *arena = take_arena(m, q);
  if (arena == NULL) {
    wb_mem_drop(&m->quick_mem);
    return false;
  }
  wrt_copy_arena(m->program, arena, m->arena);
  wb_block_free(&m->mem, m->arena);
  settle_arena(m, arena, q);
  return true;
}

static weir_code set_quick(wrt_monitor *m, bool wants_quick, weir_error *e) {
  if (wants_quick == (m->quick != NULL)) return WEIR_OK;
  if (wants_quick) {
    if (m->made_quick == NULL && !make_quick(m)) return wb_fail_memory(e);
    start_quick(m);
    return WEIR_OK;
  }
  m->quick = NULL;
  wrt_tick_undo(m); /* the stage follows the arena again */
  return WEIR_OK;
}

static weir_code set_tier(wrt_monitor *m, weir_tier tier, weir_error *e) {
  bool is_native = tier == WEIR_TIER_NATIVE, is_auto = tier == WEIR_TIER_AUTO;
  if (!is_auto) wrt_hot_stop(m);
  if (!is_native && !is_auto) set_native(m, false);
  WB_TRY(set_quick(m, is_quick_tier(tier), e));
  if (is_native) set_native(m, true);
  if (is_auto) wrt_hot_start(m);
  return WEIR_OK;
}

weir_code wrt_set_tier(wrt_monitor *m, weir_tier tier, weir_error *e) {
  weir_code rc = set_tier(m, wrt_check_tier(m, tier), e);
  wrt_check_settle(m);
  return rc;
}

/* Objects are blocks of m->mem and end with it: nothing has to be released one by one. */
void wrt_monitor_free(wrt_monitor *m) {
  if (m == NULL) return;
  wb_mem_drop(&m->quick_mem);
  wb_mem_drop(&m->mem);
  wir_program_release(m->program);
  wb_door_give(m->door, m, sizeof *m);
}

void wrt_report(const wrt_monitor *m, weir_report *report) {
  const wrt_quick *q = m->made_quick;
  report->rows[WEIR_TIER_CANONICAL] = m->canonical_ticks;
  report->rows[WEIR_TIER_QUICKENED] = m->quick_ticks;
  report->rows[WEIR_TIER_NATIVE] = m->ticks - m->canonical_ticks - m->quick_ticks;
  wrt_native_report(m, report);
  wrt_hot_report(m, report);
  wrt_check_report(m, report);
  if (q == NULL) return;
  for (uint32_t i = 0; i < WEIR_CAUSE_COUNT; i++) report->declined[i] = q->n_declined[i];
  report->islands = q->islands == NULL ? 0 : q->islands->n_ran;
  report->regions = q->bodies->is_whole ? 1 : q->bodies->plan.n_regions;
  for (uint32_t i = 0; i < q->bodies->plan.n_steps; i++)
    if (!q->bodies->plan.steps[i].is_region) report->canonical_streams += q->bodies->plan.steps[i].n;
  if (q->tile == NULL) return;
  report->tiles = q->tile->n_tiles;
  report->tiles_small = q->tile->n_small;
  report->tiles_given_up = q->tile->n_bad;
}
