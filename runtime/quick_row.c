/* runtime/quick_row.c -- the shortest way of a typed row: a second loop of the quickened tier, for warm rows of a whole schedule.
**
** A row of few operations costs mostly its call.  So this loop has only handlers that call nothing, and keeps only what fits into registers
** that need not be saved: the function that holds it saves none, is jumped to, and ends the call itself.  All else is a *detour*: some
** instructions that run in the loop of quick.c. */
#include <string.h>

#include "runtime/monitor.h"
#include "runtime/quick_handlers.h"

#define BASE base
#define COND(at) (m->quick->conditions[(at) / 8])
#define LEAVE goto declined

/* A function that saves all registers itself costs the loop nothing where it is not called.  (Elsewhere this is only slower.) */
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define SAVES_REGISTERS __attribute__((preserve_most, noinline))
#else
#define SAVES_REGISTERS __attribute__((noinline))
#endif

SAVES_REGISTERS static bool detour(const wrt_monitor *m, const wrt_quick_ins *c) { return wrt_quick_run(&m->quick->through, c, NULL); }

SAVES_REGISTERS static void put_outputs(const wrt_quick_ins *c, const unsigned char *base, weir_cell *out) {
  memcpy(out, base + c->a, 8 * (size_t)c->d);
}

enum { DETOURS = WRT_QUICK_OP_COUNT, SELECTS, ENDS, ENDS_ONE, ENDS_KEEP, N_HANDLERS };

/* What would be live to the end but is not needed there, such as the caller's inputs, is not used: each takes a register. */
weir_code wrt_quick_row(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                        uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
#define QUICK(name) [WRT_Q_##name] = &&name,
  static const void *const table[N_HANDLERS] = {
    WRT_QUICK_LEAF_OPS(QUICK) [DETOURS] = &&DETOUR, [SELECTS] = &&SELECT, [ENDS] = &&END, [ENDS_ONE] = &&END_ONE,
    [ENDS_KEEP] = &&END_KEEP};
#undef QUICK
  (void)in, (void)in_present, (void)in_deferred, (void)out_deferred;
  if (WB_UNLIKELY(m == NULL)) {
    *out_present = (uintptr_t)table;
    return WEIR_OK;
  }
  const wrt_quick_ins *c = m->quick->row_code;
  unsigned char *base = m->quick->base;
  goto *c->go;

#include "runtime/quick_leaf.h"

SELECT: {
  uint32_t from = CELL(c->a) ? c->b : c->c;
  if (WB_UNLIKELY(COND(c->a) != WIR_IS_VALUE || COND(from) != WIR_IS_VALUE || COND(c->b + c->c - from) == WIR_IS_NOVAL)) goto DETOUR_ONE;
  CELL(c->d) = CELL(from);
  COND(c->d) = WIR_IS_VALUE;
  c += 2;
} NEXT;
DETOUR_ONE:
  if (WB_UNLIKELY(!detour(m, c + 1))) LEAVE;
  c += 2;
  NEXT;
DETOUR:
  if (WB_UNLIKELY(!detour(m, c + 1))) LEAVE;
  c += c->d;
  NEXT;
END:
  put_outputs(c, base, out);
  goto done;
END_KEEP: CELL(c->c) = CELL(c->b);
END_ONE: out[0].i = CELL(c->a);
done:
  if (out_present != NULL) *out_present = c->imm.offset;
  m->quick_ticks++;
  m->ticks++;
  return WEIR_OK;
declined:;
  WRT_TAIL return wrt_push_typed_any(m, m->quick->row_inputs, NULL, NULL, out, out_present, NULL, e);
}

wrt_row_handlers wrt_row_tell_handlers(void) {
  uint64_t at = 0;
  (void)wrt_quick_row(NULL, NULL, NULL, NULL, NULL, &at, NULL, NULL);
  const void *const *table = (const void *const *)(uintptr_t)at;
  return (wrt_row_handlers){table, table[DETOURS], table[SELECTS], table[ENDS], table[ENDS_ONE], table[ENDS_KEEP]};
}
