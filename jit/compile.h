/* jit/compile.h -- from a plan to an object. */
#ifndef WJIT_COMPILE_H
#define WJIT_COMPILE_H

#include "runtime/tier.h"

/* As wrt_tier has them. */
const char *wjit_compile(const wrt_plan *plan, wrt_form form, wrt_compiled *out);
void wjit_drop(wrt_compiled *c);

#endif
