/* runtime/tier_load.c -- opens the module with the native tier: at the host's own path, or where modules are looked for. */
#include <string.h>

#include "ir/base/module.h"
#include "runtime/native.h"

const uint64_t wrt_tier_headers = WRT_TIER_HEADERS;

static const char *const troubles[WB_MODULE_TROUBLE_COUNT] = {
#define X(name, what) [WB_MODULE_##name] = "the module weir_native.so " what,
  WB_MODULE_TROUBLES(X)
#undef X
};

/* NULL: *out is the tier of the module; else why there is none. */
static const char *find(const char *path, const wrt_tier **out) {
  void *at;
  wb_module_trouble trouble = path != NULL ? wb_module_open(path, WRT_TIER_SYMBOL, &at) : wb_module_find("weir_native.so", WRT_TIER_SYMBOL, &at);
  if (trouble != WB_MODULE_OPEN) return troubles[trouble];
  wrt_tier_fn *tier = NULL;
  _Static_assert(sizeof tier == sizeof at, "POSIX: a function's address fits a void *");
  memcpy(&tier, &at, sizeof at);
  *out = tier();
  return (*out)->headers == wrt_tier_headers ? NULL : "the module weir_native.so belongs to another build";
}

const char *wrt_tier_open(wrt_native_port *port, const wrt_tier **out) {
  const wrt_tier *tier = atomic_load_explicit(&port->tier, memory_order_acquire);
  if (tier == NULL) {
    const char *why = find(port->path, &tier);
    if (why != NULL) return why;
    atomic_store_explicit(&port->tier, tier, memory_order_release);
  }
  *out = tier;
  return NULL;
}

bool wrt_tier_build(wrt_native_port *port, wb_build *out) {
  const wrt_tier *tier = atomic_load_explicit(&port->tier, memory_order_acquire);
  if (tier != NULL) return wb_build_of_loaded(tier, out);
  return port->path != NULL ? wb_build_of_file(port->path, out) : wb_build_of_module("weir_native.so", out);
}
