/* jit/tier.c -- the one symbol that the module exports. */
#include "jit/compile.h"

const wrt_tier *weir_native_tier(void);

__attribute__((visibility("default"))) const wrt_tier *weir_native_tier(void) {
  static const wrt_tier tier = {.headers = WRT_TIER_HEADERS, .compile = wjit_compile, .drop = wjit_drop};
  return &tier;
}
