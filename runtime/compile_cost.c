/* runtime/compile_cost.c -- measured with LLVM 19 (docs/tiers.md): compiling is linear in the instructions of the bodies. */
#include "runtime/compile_cost.h"

enum { BASE_NS = 3000000, NS_EACH = 100000, BASE_BYTES = 16 << 20, BYTES_EACH = 4096 };

wrt_compile_cost wrt_compile_cost_of(const wir_bodies *bodies) {
  uint64_t n = 0;
  for (uint32_t fit = 0; bodies->is_whole && fit < WIR_BODY_FITS; fit++) n += bodies->of_fit[fit].n_ins;
  for (uint32_t i = 0; !bodies->is_whole && i < bodies->plan.n_regions; i++) n += bodies->of_region[i].n_ins;
  return (wrt_compile_cost){.nanoseconds = BASE_NS + NS_EACH * n, .bytes = BASE_BYTES + BYTES_EACH * n};
}
