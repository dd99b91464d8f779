/* runtime/native.c -- from the bodies of a monitor to kernels that run in it.
**
** A kernel takes the place of one of the quickened tier's codes: same registers, same arena, same assumptions (quick_code.c chooses which
** code fits a row).  So a switch of tiers moves nothing.
** Leave alone: what a kernel does (jit/), how it gets into memory (object.c). */
#include "runtime/native.h"

#include <string.h>

#include "ir/base/clock.h"
#include "runtime/monitor.h"

static const char *const names[WIR_BODY_FITS] = {
  [WIR_BODY_GENERAL] = "general", [WIR_BODY_SPARSE] = "sparse", [WIR_BODY_WARM] = "warm"};

/* Compiling takes a fraction of a millisecond for each instruction, in the call that asks for the tier: beyond this it would be felt. */
enum { MOST_INSTRUCTIONS = 2000 };

static wrt_plan plan_of(const wrt_monitor *m) {
  const wrt_quick *q = m->made_quick;
  wrt_plan plan = {.program = m->program, .bodies = q->bodies, .arena = q->registers_bytes};
  for (uint32_t c = 0; c < WIR_BODY_FITS; c++) {
    plan.codes[c].name = names[c];
    plan.codes[c].inputs = q->codes[c].first;
    plan.codes[c].outputs = q->codes[c].outputs;
  }
  return plan;
}

static wrt_kernel_frame frame_of(const wrt_monitor *m) {
  wrt_quick *q = m->made_quick;
  return (wrt_kernel_frame){.base = q->base, .conditions = q->conditions, .n_cold = q->n_cold, .pow_int = wir_pow_int,
                            .pow_float = wir_pow_float, .rem_float = wir_rem_float, .sin = sin, .cos = cos, .tan = tan};
}

static const char *compile(const wrt_monitor *m, const wrt_tier **tier, wrt_compiled *out) {
  const char *why = wrt_tier_open(m->port, tier);
  if (why != NULL) return why;
  const wir_bodies *bodies = m->made_quick->bodies;
  if (!bodies->is_whole) return "only programs whose streams are all scalar have kernels";
  if (bodies->of_fit[WIR_BODY_GENERAL].n_ins > MOST_INSTRUCTIONS) return "the schedule has more instructions than kernels may have";
  wrt_plan plan = plan_of(m);
  return (*tier)->compile(&plan, out);
}

static const char *load(wrt_monitor *m, wrt_native *n, const wrt_compiled *code) {
  wrt_entry entries[WIR_BODY_FITS];
  for (uint32_t c = 0; c < WIR_BODY_FITS; c++) entries[c] = (wrt_entry){names[c], NULL};
  const char *why = wrt_object_load(m->door, code->bytes, code->n, entries, WIR_BODY_FITS, &n->object);
  if (why != NULL) return why;
  _Static_assert(sizeof n->kernels[0] == sizeof entries[0].at, "POSIX: a function's address fits a void *");
  for (uint32_t c = 0; c < WIR_BODY_FITS; c++) memcpy(&n->kernels[c], &entries[c].at, sizeof entries[c].at);
  n->frame = frame_of(m);
  return NULL;
}

const char *wrt_native_make(wrt_monitor *m) {
  const wrt_tier *tier;
  wrt_compiled code;
  uint64_t begin = wb_now();
  const char *why = compile(m, &tier, &code);
  if (why != NULL) return why;
  wrt_native *n = wb_block(&m->mem, sizeof *n);
  why = n == NULL ? "no memory for the kernels" : load(m, n, &code);
  tier->drop(&code);
  if (why != NULL) {
    wb_block_free(&m->mem, n);
    return why;
  }
  n->nanoseconds = wb_now() - begin;
  m->native = n;
  return NULL;
}

void wrt_native_drop(wrt_monitor *m) {
  if (m->native != NULL) wrt_object_unload(m->door, &m->native->object);
  wb_block_free(&m->mem, m->native);
  m->native = NULL;
}
