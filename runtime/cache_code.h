/* runtime/cache_code.h -- compiled kernels in the object cache, under a key made of all that code depends on. */
#ifndef WRT_CACHE_CODE_H
#define WRT_CACHE_CODE_H

#include "runtime/native.h"

/* A plan at the cache: from looking for its code to keeping it. */
typedef struct wrt_cache_code {
  bool has_key;            /* else nothing is looked for, and nothing kept */
  wb_digest key;
  wb_build module;    /* whose code the key stands for */
  wb_mem mem;              /* holds what was found */
} wrt_cache_code;

/* True: *out is as the tier's `compile` would fill it, with bytes in `c`.  The module is not opened for that.  The caller ends `c`. */
bool wrt_cache_code_find(wrt_cache_code *c, wrt_native_port *port, const wrt_plan *plan, wrt_compiled *out) WB_MUST_USE;
/* Keeps what the tier has made of the plan: as wrt_cache_keep. */
weir_cache_state wrt_cache_code_keep(wrt_cache_code *c, wrt_native_port *port, const wrt_plan *plan, const wrt_compiled *code, weir_error *e);
void wrt_cache_code_end(wrt_cache_code *c);

/* The key; false: this kind of processor has no native tier. */
bool wrt_cache_key(const wrt_plan *plan, const wb_build *library, const wb_build *module, wb_digest *out) WB_MUST_USE;

#endif
