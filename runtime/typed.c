/* runtime/typed.c -- rows of 64-bit cells: admission and publishing without tags, around the same steps as any other tick.
**
** The caller's cells go straight into m->row, and the outputs straight out of it before the commit.  Where a native kernel runs the
** row instead, it reads and writes the caller's cells itself, and these loops are not run. */
#include <string.h>

#include "runtime/bitmap.h"
#include "runtime/monitor.h"
#include "runtime/quick.h"

/* Which kinds fit a cell. */
static bool fits_cell(uint8_t kind) {
  return kind == WEIR_KIND_INT || kind == WEIR_KIND_FLOAT || kind == WEIR_KIND_BOOL || kind == WEIR_KIND_UNIT;
}

/* The first input or output that does not fit, or UINT32_MAX. */
static uint32_t find_untyped(const wir_program *p) {
  for (uint32_t i = 0; i < p->n_inputs; i++)
    if (!fits_cell((uint8_t)wrt_kind_of(&p->types, p->streams[i].type))) return i;
  for (uint32_t i = 0; i < p->n_outputs; i++)
    if (!fits_cell((uint8_t)wrt_kind_of(&p->types, p->streams[p->outputs[i]].type))) return p->outputs[i];
  return UINT32_MAX;
}

bool wrt_is_typed(const wir_program *p) { return find_untyped(p) == UINT32_MAX; }

static weir_code refuse_program(wrt_monitor *m, weir_error *e) {
  const wir_program *p = m->program;
  weir_error why;
  uint32_t stream = find_untyped(p);
  wb_str name = wir_stream_name(p, stream);
  wb_fail(&why, WEIR_E_ARGUMENT, WB_NOWHERE, "typed rows hold Int, Float, Bool and Unit; %s %.*s is %.60s",
          stream < p->n_inputs ? "input" : "output", (int)name.n, name.at, p->streams[stream].type_text);
  return wrt_tick_refuse(m, &why, e);
}

static weir_code refuse_null(wrt_monitor *m, weir_error *e) {
  weir_error why;
  wb_fail(&why, WEIR_E_ARGUMENT, WB_NOWHERE, "the program has %u input%s and %u output%s, and there are no cells for them",
          m->program->n_inputs, WB_S(m->program->n_inputs), m->program->n_outputs, WB_S(m->program->n_outputs));
  return wrt_tick_refuse(m, &why, e);
}

static weir_code refuse_bool(wrt_monitor *m, uint32_t input, weir_cell cell, weir_error *e) {
  weir_error why;
  wb_str name = wir_stream_name(m->program, input);
  wb_fail(&why, WEIR_E_ADMIT, WB_NOWHERE, "input %.*s expects Bool: a cell of 0 or 1, not %" PRId64, (int)name.n, name.at, cell.i);
  why.input = input;
  return wrt_tick_refuse(m, &why, e);
}

/* False: a Bool that is none. */
static bool admit_cell(weir_value *to, uint8_t kind, weir_cell cell) {
  switch (kind) {
  case WEIR_KIND_INT: *to = (weir_value){.tag = WEIR_INT, .as.i = cell.i}; return true;
  case WEIR_KIND_FLOAT: *to = (weir_value){.tag = WEIR_FLOAT, .as.f = cell.f}; return true;
  case WEIR_KIND_BOOL: *to = (weir_value){.tag = WEIR_BOOL, .as.b = cell.i == 1}; return cell.bits <= 1;
  }
  *to = (weir_value){.tag = WEIR_UNIT};
  return true;
}

static weir_code admit(wrt_monitor *m, const weir_cell *in, const uint64_t *present, const uint64_t *deferred, weir_error *e) {
  uint32_t n = m->program->n_inputs;
  for (uint32_t i = 0; i < n; i++) {
    if (deferred != NULL && wrt_word_bit(deferred, i)) m->row[i] = (weir_value){.tag = WEIR_DEFERRED};
    else if (present != NULL && !wrt_word_bit(present, i)) m->row[i] = (weir_value){.tag = WEIR_NOVAL};
    else if (!admit_cell(&m->row[i], m->in_kinds[i], in[i])) return refuse_bool(m, i, in[i], e);
  }
  wrt_hold_inputs(m);
  return WEIR_OK;
}

static weir_cell cell_of(weir_value v) {
  if (v.tag == WEIR_BOOL) return (weir_cell){.i = v.as.b};
  return (weir_cell){.i = v.tag == WEIR_INT || v.tag == WEIR_FLOAT ? v.as.i : 0};
}

/* Writes the outputs of up to 64 numbers from `first` on, and their bits. */
static void put_word(const wrt_monitor *m, uint32_t first, weir_cell *out, uint64_t *present, uint64_t *deferred) {
  const wir_program *p = m->program;
  uint32_t n = WB_MIN(p->n_outputs - first, 64);
  *present = *deferred = 0;
  for (uint32_t i = 0; i < n; i++) {
    weir_value v = m->row[p->outputs[first + i]];
    out[first + i] = cell_of(v);
    *present |= (uint64_t)(v.tag > WEIR_DEFERRED) << i;
    *deferred |= (uint64_t)(v.tag == WEIR_DEFERRED) << i;
  }
}

static void put(const wrt_monitor *m, weir_cell *out, uint64_t *out_present, uint64_t *out_deferred) {
  for (uint32_t first = 0; first < m->program->n_outputs; first += 64) {
    uint64_t present, deferred;
    put_word(m, first, out, &present, &deferred);
    if (out_present != NULL) out_present[first / 64] = present;
    if (out_deferred != NULL) out_deferred[first / 64] = deferred;
  }
}

bool wrt_bools_are_right(const wrt_monitor *m, const weir_cell *in, const uint64_t *present, const uint64_t *deferred) {
  bool are_right = true;
  for (uint32_t i = 0; m->has_bool_inputs && i < m->program->n_inputs; i++) {
    if (m->in_kinds[i] != WEIR_KIND_BOOL || (present != NULL && !wrt_word_bit(present, i)) || (deferred != NULL && wrt_word_bit(deferred, i))) continue;
    are_right &= in[i].bits <= 1;
  }
  return are_right;
}

static void put_quick(const wrt_monitor *m, weir_cell *out, uint64_t *out_present, uint64_t *out_deferred) {
  uint32_t n = m->program->n_outputs;
  for (uint32_t first = 0; first < n; first += 64) {
    uint64_t present = 0, deferred = 0;
    for (uint32_t i = first; i < n && i < first + 64; i++) {
      wir_condition k = wrt_quick_condition(m->quick, i);
      out[i] = k == WIR_IS_VALUE ? wrt_quick_output(m->quick, i) : (weir_cell){.i = 0};
      present |= (uint64_t)(k == WIR_IS_VALUE) << (i - first);
      deferred |= (uint64_t)(k == WIR_IS_DEFERRED) << (i - first);
    }
    if (out_present != NULL) out_present[first / 64] = present;
    if (out_deferred != NULL) out_deferred[first / 64] = deferred;
  }
}

weir_code wrt_push_typed_any(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                             uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  wrt_quick *q = m->quick;
  WB_TRY(wrt_tick_begin(m, e));
  if (WB_UNLIKELY(!m->is_typed)) return refuse_program(m, e);
  if (WB_UNLIKELY((in == NULL && m->program->n_inputs != 0) || (out == NULL && m->program->n_outputs != 0))) return refuse_null(m, e);
  bool is_tried = q != NULL && q->bodies->is_whole && wrt_bools_are_right(m, in, in_present, in_deferred);
  if (is_tried && wrt_quick_typed(m, in, in_present, in_deferred)) {
    put_quick(m, out, out_present, out_deferred);
    wrt_quick_commit(m);
    m->quick_ticks++;
    m->ticks++;
    return WEIR_OK;
  }
  if (is_tried) return wrt_push_typed_declined(m, in, in_present, in_deferred, out, out_present, out_deferred, e);
  WB_TRY(admit(m, in, in_present, in_deferred, e));
  WB_TRY(wrt_tick_run(m, e));
  put(m, out, out_present, out_deferred);
  wrt_tick_commit(m);
  return WEIR_OK;
}

weir_code wrt_push_typed_declined(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                                  uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  WB_TRY(wrt_tick_begin(m, e));
  WB_TRY(admit(m, in, in_present, in_deferred, e));
  WB_TRY(wrt_tick_run_declined(m, e));
  put(m, out, out_present, out_deferred);
  wrt_tick_commit(m);
  return WEIR_OK;
}

static __attribute__((noinline)) weir_code push_any(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred,
                                                    weir_cell *out, uint64_t *out_present) {
  return wrt_push_typed_any(m, in, in_present, in_deferred, out, out_present, m->typed_deferred, m->typed_error);
}

/* For a row of wrt_quick_row the outputs are values, whatever tier computes them.  So all but computing is done before, and nothing has to be
** kept for it.  The order of what stands here spares registers, and all functions that this may end in have six arguments at most, so that
** it ends in a jump and saves none. */
static inline __attribute__((always_inline)) weir_code push_fast(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present,
                                                                 const uint64_t *in_deferred, weir_cell *out, uint64_t *out_present,
                                                                 uint64_t *out_deferred, weir_error *e, bool is_watched) {
  wrt_quick *q = m->quick;
  m->typed_error = e;
  m->typed_deferred = out_deferred;
  if (is_watched && WB_UNLIKELY(m->ticks >= m->hot.next)) return wrt_hot_push(m, in, in_present, in_deferred, out, out_present);
  bool is_fast = q != NULL && q->is_fast && in_deferred == NULL && in != NULL && out != NULL &&
                 (~*(in_present == NULL ? &q->all_inputs : in_present) & q->all_inputs) == 0; /* without a jump */
  if (WB_UNLIKELY(!is_fast)) return push_any(m, in, in_present, in_deferred, out, out_present);
  m->ticks++;
  if (WB_UNLIKELY(out_deferred != NULL)) *out_deferred = 0;
  if (out_present != NULL) *out_present = q->all_outputs;
  const weir_cell *end = in + q->n_inputs;
  weir_cell *to = q->row_inputs;
  do { /* there is one at least; mostly they are few, and the barrier keeps vector code with its prologue away */
    *to++ = *in++;
    __asm__ volatile("");
  } while (in != end);
  m->quick_ticks++;
  return wrt_quick_row(m, q->row_code, q->base, out);
}

weir_code wrt_push_typed(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                         uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  return push_fast(m, in, in_present, in_deferred, out, out_present, out_deferred, e, false);
}

weir_code wrt_push_typed_watched(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                                 uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  return push_fast(m, in, in_present, in_deferred, out, out_present, out_deferred, e, true);
}
