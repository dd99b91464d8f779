/* runtime/compile_cost.c -- figures measured with LLVM 19, which is in docs/tiers.md: linear in the instructions of all bodies.
**
** They need not be right, only of the right size: a prediction decides when compiling begins, and whether it may. */
#include "runtime/compile_cost.h"

#include "runtime/tier.h"

typedef struct rate { uint32_t base_us, each_ns, base_bytes, each_bytes; } rate;
static const rate better = {6000, 110000, 36 << 20, 25 << 10}, fastest = {10000, 4000, 36 << 20, 1 << 10};

static uint64_t count(const wir_body *bodies, uint32_t n, bool *is_large) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < n; i++) {
    all += bodies[i].n_ins;
    *is_large |= bodies[i].n_ins > WRT_MOST_FOR_BETTER_CODE;
  }
  return all;
}

wrt_compile_cost wrt_compile_cost_of(const wir_bodies *b) {
  bool is_large = false;
  uint64_t n = b->is_whole ? count(b->of_fit, WIR_BODY_FITS, &is_large) : 2 * count(b->sparse_of_region, b->plan.n_regions, &is_large);
  const rate *r = is_large ? &fastest : &better;
  return (wrt_compile_cost){.nanoseconds = UINT64_C(1000) * r->base_us + r->each_ns * n, .bytes = r->base_bytes + r->each_bytes * n};
}
