/* runtime/hot.c -- counting, asking, installing, giving up: see hot.h.
**
** Leave alone: how kernels are made (native_make.c, worker.c), what runs rows (native.c, typed.c, batch.c). */
#include "runtime/hot.h"

#include "ir/base/clock.h"
#include "runtime/compile_cost.h"
#include "runtime/monitor.h"
#include "runtime/native.h"
#include "runtime/quick.h"

enum {
  FIRST = 64,          /* rows before the first is timed: they find everything cold */
  APART = 256,         /* rows from one pair that is timed to the next */
  BATCH_APART = 16384, /* the same in batches, of rows that are timed together */
  POLL = 64,           /* rows from one look for kernels to the next, once they are being made */
};

/* Kernels are asked for when rows have taken what compiling will take.  Rows that came alone count fourfold, for two reasons: kernels run them
** several times as fast, where tiles of rows are quick already; and the compiler's thread does not hold them up, so that it is cheap to begin
** too early, and dear to begin too late. */
enum { ALONE = 4, IN_TILES = 1 };

/* What it takes to get kernels from the cache. */
enum { CACHED_NS = 1000000 };

static void settle(wrt_monitor *m) {
  if (m->native == NULL || m->native->regions != NULL) m->push_typed = m->hot.next == UINT64_MAX ? wrt_push_typed : wrt_push_typed_watched;
}

/* No look is worth anything any more. */
static void rest(wrt_monitor *m, const char *why) {
  m->hot.next = UINT64_MAX;
  if (why != NULL) m->why_not_native = why;
  settle(m);
}

/* ---- Trying again ---- */

enum { MOST_LEAVE = 4 /* one of so many rows is too much */, MOST_TRIES = 8 };

typedef struct patience {
  uint32_t enough; /* rows that left, before their share is looked at */
  uint32_t rest;   /* rows until kernels are tried again: once that often, then double */
} patience;

static const patience *patience_of(const wrt_monitor *m) {
  static const patience standard = {64, 4096}, small = {2, 4};
  return m->port->is_impatient ? &small : &standard;
}

/* The tick of the next try, when so many have come to nothing. */
static uint64_t next_try(const wrt_monitor *m, uint32_t n) {
  return n == MOST_TRIES ? UINT64_MAX : m->ticks + ((uint64_t)patience_of(m)->rest << (n - 1));
}

/* There are no kernels to run in, for a reason that may pass. */
static void try_later(wrt_monitor *m, const char *why) {
  wrt_hot *h = &m->hot;
  h->next = next_try(m, ++h->n_failed);
  h->is_resting = h->next != UINT64_MAX;
  if (!h->is_resting) rest(m, why);
}

/* ---- Looking ---- */

/* The kernels are there. */
static void install(wrt_monitor *m) {
  m->hot.left = 0;
  m->hot.window = m->ticks;
  m->hot.is_resting = false;
  m->why_not_native = wrt_native_start(m);
  if (wrt_native_may_pass(m->why_not_native)) try_later(m, m->why_not_native);
  else rest(m, m->why_not_native);
  if (WB_PLANTED(83) && m->native != NULL && m->native->regions == NULL) m->push_typed = m->native->kernels[WIR_BODY_WARM];
}

void wrt_hot_start(wrt_monitor *m) {
  wrt_hot *h = &m->hot;
  if (h->is_auto) return;
  *h = (wrt_hot){.is_auto = true, .after = h->after, .since = m->ticks, .last = m->ticks, .window = m->ticks, .next = UINT64_MAX};
  if (m->native != NULL) return;
  if (m->port == NULL || h->after == UINT64_MAX) return;
  if (wrt_native_find(m->program) != NULL) {
    install(m);
    return;
  }
  if (!wrt_native_has(m->quick->bodies)) {
    rest(m, WRT_NOT_SCALAR);
    return;
  }
  bool is_open = atomic_load_explicit(&m->port->tier, memory_order_relaxed) != NULL;
  h->worth = wrt_compile_cost_of(m->quick->bodies).nanoseconds + (is_open ? 0 : WRT_OPENING_NS);
  uint64_t rows = h->after != 0 ? h->after : FIRST;
  h->next = rows > UINT64_MAX - m->ticks ? UINT64_MAX : m->ticks + rows;
  settle(m);
}

void wrt_hot_stop(wrt_monitor *m) {
  m->hot = (wrt_hot){.after = m->hot.after};
  rest(m, NULL);
}

bool wrt_hot_look(wrt_monitor *m) {
  wrt_hot *h = &m->hot;
  const char *why = wrt_native_why_not_yet(m->program);
  if (why == wrt_native_pending && !wrt_worker_is_here(&m->port->worker)) why = WRT_IN_CHILD; /* forked while they were being made */
  bool is_due = h->after != 0 ? m->ticks - h->since >= h->after : h->weight >= h->worth;
  bool may_pass = wrt_native_may_pass(why);
  bool is_cheap = (why == NULL || may_pass) && m->port->cache.folder != NULL && h->after == 0 && h->weight >= CACHED_NS;
  if (wrt_native_find(m->program) != NULL) {
    install(m);
  } else if (wrt_native_is_refused(why) && !may_pass) {
    rest(m, why);
  } else if (why != wrt_native_pending && !is_due && !is_cheap) {
    return true;
  } else if (may_pass && !h->is_resting) {
    try_later(m, why);
  } else {
    if (why != wrt_native_pending) wrt_native_want(m->port, m->program, is_due);
    h->is_resting = false;
    h->next = m->ticks + POLL;
  }
  return false;
}

/* ---- Rows ---- */

/* Rows were timed, and those before them were no different. */
static void add(wrt_monitor *m, uint64_t nanoseconds, uint64_t rows, uint64_t weight) {
  wrt_hot *h = &m->hot;
  double all = (double)nanoseconds * (double)(m->ticks - h->last) / (double)rows;
  h->spent += (uint64_t)all;
  h->weight += (uint64_t)all * weight;
  h->last = m->ticks;
}

/* Of two rows in a row the shorter time is believed: in the other one the system may have done something else. */
void wrt_hot_timed(wrt_monitor *m, uint64_t nanoseconds) {
  wrt_hot *h = &m->hot;
  if (h->sample == 0) {
    h->sample = WB_MAX(nanoseconds, 1);
    h->next = m->ticks;
    return;
  }
  add(m, WB_MIN(h->sample, nanoseconds), 1, ALONE);
  h->sample = 0;
  h->next = m->ticks + APART;
}

weir_code wrt_hot_push(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                       uint64_t *out_present) {
  uint64_t *out_deferred = m->typed_deferred;
  weir_error *e = m->typed_error;
  bool is_timed = wrt_hot_look(m);
  wrt_row_fn *push = m->push_typed == wrt_push_typed_watched ? wrt_push_typed : m->push_typed;
  if (!is_timed) return push(m, in, in_present, in_deferred, out, out_present, out_deferred, e);
  uint64_t before = wb_now(), begin = wb_now(); /* the clock takes its time too */
  weir_code rc = push(m, in, in_present, in_deferred, out, out_present, out_deferred, e);
  uint64_t all = wb_now() - before, clock = 2 * (begin - before);
  if (rc == WEIR_OK) wrt_hot_timed(m, all > clock ? all - clock : 0);
  return rc;
}

/* ---- Batches ---- */

void wrt_hot_pieces_end(wrt_monitor *m, wrt_hot_watch *w) {
  if (w->begin != 0 && m->ticks != w->first) add(m, wb_now() - w->begin, m->ticks - w->first, IN_TILES);
  w->begin = 0;
}

void wrt_hot_piece(wrt_monitor *m, wrt_hot_watch *w) {
  wrt_hot_pieces_end(m, w);
  if (!wrt_hot_look(m)) return;
  m->hot.next = m->ticks + BATCH_APART;
  *w = (wrt_hot_watch){.begin = wb_now(), .first = m->ticks};
}

/* ---- Giving up ---- */

void wrt_hot_left(wrt_monitor *m, uint64_t rows) {
  wrt_hot *h = &m->hot;
  h->left += rows;
  if (!h->is_auto || h->left < patience_of(m)->enough) return;
  bool are_many = h->left >= (m->ticks - h->window) / MOST_LEAVE;
  h->left = 0;
  h->window = m->ticks;
  if (!are_many) return;
  wrt_native_stop(m);
  h->next = next_try(m, ++h->n_given_up);
  settle(m);
}

/* ---- Telling ---- */

void wrt_hot_report(const wrt_monitor *m, weir_report *report) {
  const wrt_hot *h = &m->hot;
  report->quick_nanoseconds = h->spent;
  report->compile_nanoseconds = h->after == 0 ? h->worth : 0;
  report->native_left = h->n_given_up;
  report->native_again = (h->n_given_up != 0 || h->is_resting) && m->native == NULL ? h->next : WEIR_NO_ROW;
}
