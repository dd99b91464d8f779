/* runtime/quick_row.c -- the shortest way of a typed row: a second loop of the quickened tier, for warm rows of a whole schedule.
**
** A row of few operations costs mostly its call.  So this loop calls nothing, and has few enough arguments to get along with the registers
** that need not be saved: it saves none, is jumped to, and ends the call itself.  All else is a *detour*: some instructions that run in the
** loop of quick.c. */
#include <string.h>

#include "runtime/monitor.h"
#include "runtime/quick_handlers.h"

#define BASE base
#define COND(at) (m->quick->conditions[(at) / 8])
#define LEAVE goto declined

/* What the loop can't do goes on in functions of its arguments that it ends in; they end in it again, or end the row. */
typedef weir_code row_function(wrt_monitor *m, const wrt_quick_ins *c, unsigned char *base, weir_cell *out);

static row_function decline, detour, detour_one, put_outputs;

static __attribute__((noinline)) weir_code decline(wrt_monitor *m, const wrt_quick_ins *c, unsigned char *base, weir_cell *out) {
  (void)c, (void)base;
  m->quick_ticks--;
  m->ticks -= !WB_PLANTED(9);
  return wrt_push_typed_any(m, m->quick->row_inputs, NULL, NULL, out, NULL, NULL, m->typed_error);
}

/* Runs what stands behind this instruction up to its END, which is that many further on. */
static weir_code run_behind(wrt_monitor *m, const wrt_quick_ins *c, uint32_t end, unsigned char *base, weir_cell *out) {
  if (WB_UNLIKELY(!wrt_quick_run(&m->quick->through, c + 1, NULL))) return decline(m, c, base, out);
  return wrt_quick_row(m, c + end + 1, base, out);
}
static __attribute__((noinline)) weir_code detour(wrt_monitor *m, const wrt_quick_ins *c, unsigned char *base, weir_cell *out) { return run_behind(m, c, c->d, base, out); }
static __attribute__((noinline)) weir_code detour_one(wrt_monitor *m, const wrt_quick_ins *c, unsigned char *base, weir_cell *out) { return run_behind(m, c, 2, base, out); }

static __attribute__((noinline)) weir_code put_outputs(wrt_monitor *m, const wrt_quick_ins *c, unsigned char *base, weir_cell *out) {
  (void)m;
  memcpy(out, base + c->a, 8 * (size_t)c->d);
  return WEIR_OK;
}

enum { DETOURS = WRT_QUICK_OP_COUNT, SELECTS, ENDS, ENDS_ONE, ENDS_COPY, N_HANDLERS = ENDS_COPY + 3 };

weir_code wrt_quick_row(wrt_monitor *m, const wrt_quick_ins *c, unsigned char *base, weir_cell *out) {
#define QUICK(name) [WRT_Q_##name] = &&name,
  static const void *const table[N_HANDLERS] = {
    WRT_QUICK_LEAF_OPS(QUICK) [DETOURS] = &&DETOUR, [SELECTS] = &&SELECT, [ENDS] = &&END, [ENDS_ONE] = &&END_ONE,
    [ENDS_COPY] = &&END_COPY, [ENDS_COPY + 1] = &&END_COPY2, [ENDS_COPY + 2] = &&END_COPY3};
#undef QUICK
  if (WB_UNLIKELY(c == NULL)) {
    out->bits = (uintptr_t)table;
    return WEIR_OK;
  }
  goto *c->go;

#include "runtime/quick_leaf.h"

SELECT: {
  uint32_t from = CELL(c->a) ? c->b : c->c;
  if (WB_UNLIKELY(COND(c->a) != WIR_IS_VALUE || COND(from) != WIR_IS_VALUE || COND(c->b + c->c - from) == WIR_IS_NOVAL)) WRT_TAIL return detour_one(m, c, base, out);
  CELL(c->d) = CELL(from);
  COND(c->d) = WIR_IS_VALUE;
  c += 2;
} NEXT;
DETOUR:; WRT_TAIL return detour(m, c, base, out);
END:; WRT_TAIL return put_outputs(m, c, base, out);
END_COPY3: CELL(c->more[0]) = CELL(c->more[1]); /* with END_ONE right behind: most rows end so */
END_COPY2: CELL(c->c) = CELL(c->b);
END_COPY:
  CELL(c->d) = CELL(c->a);
  c++;
END_ONE:
  out[0].i = CELL(c->a);
  return WEIR_OK;
declined:; WRT_TAIL return decline(m, c, base, out);
}

wrt_row_handlers wrt_row_tell_handlers(void) {
  weir_cell at = {.bits = 0};
  (void)wrt_quick_row(NULL, NULL, NULL, &at);
  const void *const *table = (const void *const *)(uintptr_t)at.bits;
  return (wrt_row_handlers){table, table[DETOURS], table[SELECTS], table[ENDS], table[ENDS_ONE], table + ENDS_COPY};
}
