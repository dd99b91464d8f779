/* runtime/native_make.c -- from the bodies of a program to kernels that run in any of its monitors.
**
** A kernel depends on the program alone: it finds the monitor's memory in the frame (kernel.h).
** Leave alone: what a kernel does (jit/), how it gets into memory (object.c). */
#include <string.h>

#include "ir/base/clock.h"
#include "runtime/monitor.h"
#include "runtime/native.h"

static const char *const names[WIR_BODY_FITS] = {
  [WIR_BODY_GENERAL] = "general", [WIR_BODY_SPARSE] = "sparse", [WIR_BODY_WARM] = "warm"};

/* Compiling takes a fraction of a millisecond for each instruction, in the call that asks for the tier: beyond this it would be felt. */
enum { MOST_INSTRUCTIONS = 2000 };

static const char *compile(wrt_native_port *port, const wir_program *p, const wir_bodies *bodies, wrt_form form, const wrt_tier **tier, wrt_compiled *out) {
  const char *why = wrt_tier_open(port, tier);
  if (why != NULL) return why;
  if (!bodies->is_whole) return "only programs whose streams are all scalar have kernels";
  if (bodies->of_fit[WIR_BODY_GENERAL].n_ins > MOST_INSTRUCTIONS) return "the schedule has more instructions than kernels may have";
  wrt_plan plan = {.program = p, .bodies = bodies};
  for (uint32_t fit = 0; fit < WIR_BODY_FITS; fit++) plan.names[fit] = names[fit];
  return (*tier)->compile(&plan, form, out);
}

static const char *load(const wrt_monitor *m, wrt_native *n, const wrt_compiled *code) {
  wrt_entry entries[WIR_BODY_FITS];
  for (uint32_t fit = 0; fit < WIR_BODY_FITS; fit++) entries[fit] = (wrt_entry){.name = names[fit]};
  const char *why = wrt_object_load(n->door, code->bytes, code->n, entries, WIR_BODY_FITS, &n->object);
  if (why != NULL) return why;
  if (m->port->wants_perf_map) wrt_perf_map(entries, WIR_BODY_FITS, m->program->name);
  _Static_assert(sizeof n->kernels[0] == sizeof entries[0].at, "POSIX: a function's address fits a void *");
  for (uint32_t fit = 0; fit < WIR_BODY_FITS; fit++) memcpy(&n->kernels[fit], &entries[fit].at, sizeof entries[fit].at);
  return NULL;
}

static void end(wir_kept *kept) {
  wrt_native *n = (wrt_native *)(void *)kept;
  wrt_object_unload(n->door, &n->object);
  wb_door_give(n->door, n, sizeof *n);
}

/* A state is warm if what the warm body assumes holds: the sparse one keeps that up if it assumes as much. */
static bool stays_warm(const wir_program *p, const wir_bodies *b) {
  for (uint32_t i = 0; i < p->n_states; i++)
    if ((b->assumed[i] & (1u << WIR_BODY_WARM)) != 0 && (b->assumed[i] & (1u << WIR_BODY_SPARSE)) == 0) return false;
  return true;
}

static const char *make(wrt_monitor *m, wrt_native **out) {
  const wir_bodies *bodies = m->made_quick->bodies;
  wb_door *door = m->program->door;
  const wrt_tier *tier;
  wrt_compiled code;
  uint64_t begin = wb_now();
  const char *why = compile(m->port, m->program, bodies, WRT_FORM_OBJECT, &tier, &code);
  if (why != NULL) return why;
  wrt_native *n = wb_door_take(door, sizeof *n);
  if (n != NULL) n->door = door;
  why = n == NULL ? "no memory for the kernels" : load(m, n, &code);
  tier->drop(&code);
  if (why != NULL) {
    wb_door_give(door, n, sizeof *n);
    return why;
  }
  n->kept.end = end;
  n->stays_warm = stays_warm(m->program, bodies);
  n->nanoseconds = wb_now() - begin;
  *out = n;
  return NULL;
}

const char *wrt_native_get(wrt_monitor *m, const wrt_native **out) {
  wir_kept *kept = atomic_load_explicit(&m->program->kernels, memory_order_acquire);
  wrt_native *made;
  if (kept == NULL) {
    const char *why = make(m, &made);
    if (why != NULL) return why;
    if (atomic_compare_exchange_strong_explicit(&m->program->kernels, &kept, &made->kept, memory_order_acq_rel, memory_order_acquire)) kept = &made->kept;
    else end(&made->kept);
  }
  *out = (const wrt_native *)(const void *)kept;
  return NULL;
}

const char *wrt_native_explain(wrt_native_port *port, wir_program *p, wrt_form form, wir_words *w) {
  const wir_bodies *bodies = wir_program_bodies(p);
  const wrt_tier *tier;
  wrt_compiled text;
  if (bodies == NULL) {
    w->has_failed = true;
    return NULL;
  }
  const char *why = compile(port, p, bodies, form, &tier, &text);
  if (why != NULL) return why;
  wir_put_str(w, (wb_str){text.bytes, text.n});
  tier->drop(&text);
  return NULL;
}
