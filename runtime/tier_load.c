/* runtime/tier_load.c -- opens the module with the native tier: at the host's own path, or where modules are looked for. */
#include <string.h>

#include "ir/base/module.h"
#include "runtime/native.h"

const uint64_t wrt_tier_headers = WRT_TIER_HEADERS;

static const wrt_tier *find(const char *path) {
  void *at = path != NULL ? wb_module_open(path, WRT_TIER_SYMBOL) : wb_module_find("weir_native.so", WRT_TIER_SYMBOL);
  wrt_tier_fn *tier = NULL;
  _Static_assert(sizeof tier == sizeof at, "POSIX: a function's address fits a void *");
  memcpy(&tier, &at, sizeof at);
  return tier == NULL ? NULL : tier();
}

const char *wrt_tier_open(wrt_native_port *port, const wrt_tier **out) {
  const wrt_tier *tier = atomic_load_explicit(&port->tier, memory_order_acquire);
  if (tier == NULL) {
    tier = find(port->path);
    if (tier == NULL) return "the module weir_native.so is not there";
    if (tier->headers != wrt_tier_headers) return "the module weir_native.so belongs to another build";
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
