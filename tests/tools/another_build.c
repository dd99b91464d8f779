/* tests/tools/another_build.c -- a native module that was built with other headers than the runtime: it has another number, and nothing else. */
#include <stdlib.h>

#include "runtime/tier.h"

const wrt_tier *weir_native_tier(void);

static const char *compile(const wrt_plan *plan, wrt_form form, wrt_compiled *out) {
  (void)plan, (void)form, (void)out;
  abort(); /* nobody may get so far */
}

static void drop(wrt_compiled *c) { (void)c; }

__attribute__((visibility("default"))) const wrt_tier *weir_native_tier(void) {
  static const wrt_tier tier = {.headers = WRT_TIER_HEADERS ^ 1, .compile = compile, .drop = drop};
  return &tier;
}
