/* runtime/native.c -- kernels in a monitor: which one takes a row, and what becomes of rows that none takes.  (Regions have one kernel each, which
** quick_monitor.c runs as one of the row's steps.)
**
** m->push_typed is the warm kernel itself while the state is warm.  Every other row comes to `choose`, from the caller or from the warm
** kernel, and goes on in the kernel that fits it.  All of these have the arguments of a row and end in each other, so nothing is on the stack.
** Leave alone: what a kernel does (jit/), how it is made (native_make.c), which code fits a row (quick_monitor.c). */
#include "runtime/native.h"

#include <string.h>

#include "runtime/bitmap.h"
#include "runtime/monitor.h"

static wrt_row_fn choose, leave;

/* ---- Typed rows ---- */

/* The kernel for a row of this fit; the next row comes to it directly, if it will be for the warm one. */
static wrt_row_fn *kernel_for(wrt_monitor *m, wir_body_fit fit) {
  const wrt_native *n = m->native;
  if (fit == WIR_BODY_GENERAL) wrt_native_release(m);
  else wrt_native_acquire(m);
  if (fit == WIR_BODY_WARM) m->push_typed = n->kernels[WIR_BODY_WARM];
  else if (fit == WIR_BODY_GENERAL || !n->stays_warm) m->push_typed = choose;
  m->quick->n_ran[fit]++;
  return n->kernels[fit];
}

/* The row with what absent inputs were before.  The room is that of rows of values, whose inputs may be those. */
static const weir_cell *fill(const wrt_monitor *m, const weir_cell *in, const uint64_t *present) {
  const wrt_native *n = m->native;
  weir_cell *to = m->native_cells;
  for (uint32_t i = 0; i < n->n_inputs; i++) { /* which are absent is not to be predicted: no branch */
    bool is_there = wrt_word_bit(present, i) || n->held[i] == UINT64_MAX;
    const void *from = is_there ? (const void *)&in[i] : (const void *)(m->arena + n->held[i]);
    to[i] = *(const weir_cell *)from;
  }
  for (const wrt_held_bool *b = n->bools; b != n->bools + n->n_bools; b++)
    if (!wrt_word_bit(present, b->input)) to[b->input].i = b->at == UINT64_MAX ? 0 : m->arena[b->at];
  return to;
}

static wrt_row_fn decline;

/* If it is declined, it runs as it came. */
static weir_code run_filled(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                            uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  m->quick->n_ran[WIR_BODY_SPARSE]++;
  wrt_native_acquire(m);
  m->leave = decline;
  weir_code rc = m->native->kernels[WIR_BODY_WARM](m, fill(m, in, in_present), NULL, NULL, out, out_present, out_deferred, e);
  m->leave = leave;
  return rc == WEIR_OK ? rc : wrt_push_typed_declined(m, in, in_present, in_deferred, out, out_present, out_deferred, e);
}

static weir_code choose(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                        uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  const wrt_native *n = m->native;
  bool is_warm = m->push_typed != choose; /* the warm kernel ends here: some input is absent, mostly */
  if (is_warm && n->fills && n->n_bools == 0 && in_present != NULL && in_deferred == NULL && in != NULL && out != NULL)
    return run_filled(m, in, in_present, in_deferred, out, out_present, out_deferred, e);
  bool are_there = (in != NULL || m->program->n_inputs == 0) && (out != NULL || m->program->n_outputs == 0);
  if (WB_UNLIKELY(m->is_terminal || !are_there || !wrt_bools_are_right(m, in, in_present, in_deferred))) {
    wrt_native_release(m);
    return wrt_push_typed_any(m, in, in_present, in_deferred, out, out_present, out_deferred, e);
  }
  wir_body_fit fit = wrt_quick_fit_of_bits(m, in_present, in_deferred);
  if (fit == WIR_BODY_SPARSE && n->fills) return run_filled(m, in, in_present, in_deferred, out, out_present, out_deferred, e);
  if (n->kernels[fit] == NULL) {
    wrt_native_release(m);
    return wrt_push_typed_any(m, in, in_present, in_deferred, out, out_present, out_deferred, e);
  }
  wrt_row_fn *kernel = kernel_for(m, fit);
  if (fit != WIR_BODY_GENERAL) in_deferred = NULL; /* it may also have no bit set, and the warm kernel does not look */
  return kernel(m, in, in_present, in_deferred, out, out_present, out_deferred, e);
}

static void note_declined(wrt_monitor *m) {
  m->n_exits[m->cause]++;
  wrt_native_release(m);
  wrt_native_choose(m); /* what the canonical tier leaves behind is looked at before the next row */
  wrt_hot_left(m, 1);
}

/* The row runs canonically. */
static weir_code leave(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                       uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  note_declined(m);
  return wrt_push_typed_declined(m, in, in_present, in_deferred, out, out_present, out_deferred, e);
}

/* ---- Rows of values ---- */

/* Takes the place of `leave` for a row that is not to be run here: the code is only not WEIR_OK. */
static weir_code decline(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                         uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  (void)in, (void)in_present, (void)in_deferred, (void)out, (void)out_present, (void)out_deferred, (void)e;
  note_declined(m);
  return WEIR_E_DOMAIN;
}

typedef struct cells { weir_cell *in, *out; uint64_t *present, *deferred, *out_present, *out_deferred; } cells;

static size_t count_cells(const wir_program *p) {
  return (size_t)p->n_inputs + p->n_outputs + 2 * (WEIR_WORDS(p->n_inputs) + WEIR_WORDS(p->n_outputs));
}

static cells cells_of(const wrt_monitor *m) {
  const wir_program *p = m->program;
  weir_cell *in = m->native_cells, *out = in + p->n_inputs;
  uint64_t *words = (uint64_t *)(void *)(out + p->n_outputs);
  size_t n_in = WEIR_WORDS(p->n_inputs), n_out = WEIR_WORDS(p->n_outputs);
  return (cells){in, out, words, words + n_in, words + 2 * n_in, words + 2 * n_in + n_out};
}

static void take_inputs(const wrt_monitor *m, const cells *c) {
  for (uint32_t first = 0; first < m->program->n_inputs; first += 64) {
    uint64_t present = 0, deferred = 0;
    for (uint32_t i = first; i < m->program->n_inputs && i < first + 64; i++) {
      weir_value v = m->row[i];
      c->in[i].i = v.tag == WEIR_BOOL ? v.as.b : v.as.i;
      present |= (uint64_t)(v.tag > WEIR_DEFERRED) << (i - first);
      deferred |= (uint64_t)(v.tag == WEIR_DEFERRED) << (i - first);
    }
    c->present[first / 64] = present;
    c->deferred[first / 64] = deferred;
  }
}

static void put_outputs(const wrt_monitor *m, const cells *c) {
  static const uint8_t tags[] = {[WEIR_KIND_INT] = WEIR_INT, [WEIR_KIND_FLOAT] = WEIR_FLOAT, [WEIR_KIND_BOOL] = WEIR_BOOL};
  for (uint32_t i = 0; i < m->program->n_outputs; i++) {
    weir_value v = {.tag = wrt_word_bit(c->out_deferred, i) ? WEIR_DEFERRED : WEIR_NOVAL};
    uint8_t tag = tags[m->out_kinds[i]];
    if (wrt_word_bit(c->out_present, i)) v = tag == WEIR_BOOL ? (weir_value){.tag = tag, .as.b = c->out[i].i != 0} : (weir_value){.tag = tag, .as.i = c->out[i].i};
    m->row[m->program->outputs[i]] = v;
  }
}

bool wrt_native_tagged(wrt_monitor *m, bool *is_taken) {
  cells c = cells_of(m);
  take_inputs(m, &c);
  wir_body_fit fit = wrt_quick_fit_of_bits(m, c.present, c.deferred);
  bool is_filled = fit == WIR_BODY_SPARSE && m->native->fills;
  *is_taken = is_filled || m->native->kernels[fit] != NULL;
  if (!*is_taken) {
    wrt_native_release(m);
    return false;
  }
  if (is_filled) (void)fill(m, c.in, c.present);
  m->leave = decline;
  weir_code rc = kernel_for(m, is_filled ? WIR_BODY_WARM : fit)(m, c.in, is_filled ? NULL : c.present, fit == WIR_BODY_GENERAL ? c.deferred : NULL,
                                                                c.out, c.out_present, c.out_deferred, NULL);
  m->leave = leave;
  if (rc != WEIR_OK) return false;
  put_outputs(m, &c);
  return true;
}

/* ---- Regions ---- */

wrt_region_outcome wrt_native_region(wrt_monitor *m, uint32_t region) {
  wrt_region_fn *kernel = m->native->regions[region];
  wrt_region_outcome outcome = kernel == NULL ? WRT_REGION_OTHER : (wrt_region_outcome)kernel(m, m->row, m->stage.cells, m->stage.pending);
  m->n_region_outcomes[outcome]++;
  if (outcome == WRT_REGION_DECLINED) {
    m->n_exits[m->cause]++;
    wrt_hot_left(m, 1);
  }
  return WB_PLANTED(94) && outcome == WRT_REGION_DECLINED ? WRT_REGION_DONE : outcome;
}

bool wrt_native_commit(wrt_monitor *m, bool *are_all) {
  const wrt_native *n = m->native;
  wrt_region_fn *kernel = n == NULL || n->regions == NULL ? NULL : n->regions[n->n_regions - 1];
  if (kernel == NULL) return false;
  (void)kernel(m, m->row, m->stage.cells, m->stage.pending);
  *are_all = !n->has_other_rings;
  return true;
}

/* ---- Life ---- */

/* What whole rows need besides. */
static const char *start_rows(wrt_monitor *m, const wrt_native *n) {
  if (m->native_cells == NULL) m->native_cells = wb_block(&m->mem, count_cells(m->program) * sizeof *m->native_cells);
  if (m->native_cells == NULL) return WRT_NO_MEMORY;
  m->other = choose;
  m->push_typed = WB_PLANTED(80) ? n->kernels[WIR_BODY_WARM] : choose;
  m->leave = leave;
  return NULL;
}

const char *wrt_native_start(wrt_monitor *m) {
  const wrt_native *n;
  const char *why = wrt_native_get(m->port, m->program, &n);
  if (why == NULL && n->regions == NULL) why = start_rows(m, n);
  if (why != NULL) return why;
  m->native = n;
  m->native_since = m->ticks;
  return NULL;
}

void wrt_native_choose(wrt_monitor *m) {
  if (m->push_typed == m->native->kernels[WIR_BODY_WARM]) m->push_typed = choose; /* regions have none of those */
}

void wrt_native_stop(wrt_monitor *m) {
  if (!WB_PLANTED(82)) wrt_native_release(m);
  m->native = NULL;
  m->native_since = UINT64_MAX;
  if (!WB_PLANTED(81)) m->push_typed = wrt_push_typed;
  if (m->quick != NULL) m->quick->is_fast = false; /* kernels do not keep up what it says */
}

bool wrt_native_discard(const wrt_monitor *m) {
  const wrt_native *n = wrt_native_find(m->program); /* the monitor may have left them meanwhile */
  bool is_cached = n != NULL && (n->cached == WEIR_CACHE_FOUND || n->cached == WEIR_CACHE_KEPT);
  return is_cached && wrt_cache_remove(&m->port->cache, &n->key);
}

static weir_native_state state_of(const wrt_monitor *m, const wrt_native *kernels, const char *asked, const char *why_not) {
  if (m->hot.n_given_up != 0 && m->native == NULL) return WEIR_NATIVE_LEFT;
  if (kernels != NULL) return kernels->regions != NULL ? WEIR_NATIVE_REGIONS : WEIR_NATIVE_WHOLE;
  if (why_not != NULL) return WEIR_NATIVE_UNAVAILABLE;
  return asked == wrt_native_pending ? WEIR_NATIVE_PENDING : WEIR_NATIVE_UNASKED;
}

void wrt_native_report(const wrt_monitor *m, weir_report *report) {
  const char *asked = wrt_native_why_not_yet(m->program);
  const wrt_native *n = wrt_native_find(m->program); /* looked for last: a request ends with one of the two */
  report->why_not_native = m->why_not_native;
  if (n == NULL && m->hot.is_auto && wrt_native_is_refused(asked)) report->why_not_native = asked; /* it need not have looked yet */
  report->native_bytes = n == NULL ? 0 : n->object.bytes;
  report->native_nanoseconds = n == NULL ? 0 : n->nanoseconds;
  report->native_streams = n == NULL ? 0 : n->n_streams;
  report->native_state = state_of(m, n, asked, report->why_not_native);
  report->native_since = m->native_since;
  report->native_regions = m->n_region_outcomes[WRT_REGION_DONE] + m->n_region_outcomes[WRT_REGION_DONE_GENERAL];
  report->native_cache = n == NULL ? WEIR_CACHE_UNASKED : wrt_check_has_discarded(m) ? WEIR_CACHE_REMOVED : n->cached;
  report->native_cache_why = n == NULL || n->not_kept.text[0] == '\0' ? NULL : n->not_kept.text;
  for (uint32_t i = 0; i < WEIR_CAUSE_COUNT; i++) report->exits[i] = m->n_exits[i];
}
