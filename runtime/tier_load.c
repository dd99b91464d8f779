/* runtime/tier_load.c -- finds and opens the module with the native tier.
**
** Places, in this order: the host's own path; beside the file that holds this code (libweir, or a program that links it statically), there in
** weir/ first; the installed library's folder.  RTLD_LOCAL and RTLD_NODELETE: LLVM stays to itself, and what its code has registered
** with the process outlives any engine. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "runtime/native.h"

enum { PATH_MOST = 4096 };

static const wrt_tier *open_at(const char *path) {
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (module == NULL) return NULL;
  void *at = dlsym(module, WRT_TIER_SYMBOL);
  wrt_tier_fn *tier = NULL;
  _Static_assert(sizeof tier == sizeof at, "POSIX: a function's address fits a void *");
  memcpy(&tier, &at, sizeof at);
  dlclose(module);
  return tier == NULL ? NULL : tier();
}

/* The folder of the file that holds this code, with its slash: its length; 0 if that cannot be told. */
static size_t own_folder(char folder[PATH_MOST]) {
  Dl_info info;
  static const char here = 0;
  if (dladdr(&here, &info) == 0 || info.dli_fname == NULL) return 0;
  const char *slash = strrchr(info.dli_fname, '/');
  size_t n = slash == NULL ? 0 : (size_t)(slash - info.dli_fname) + 1;
  if (n >= PATH_MOST) return 0;
  memcpy(folder, info.dli_fname, n);
  folder[n] = '\0';
  return n;
}

static const wrt_tier *find(void) {
  static const char *const below[] = {"weir/weir_native.so", "weir_native.so", "../lib/weir/weir_native.so"};
  char folder[PATH_MOST], path[PATH_MOST + 64];
  const wrt_tier *tier = NULL;
  if (own_folder(folder) != 0)
    for (size_t i = 0; i < WB_LEN(below) && tier == NULL; i++) {
      snprintf(path, sizeof path, "%s%s", folder, below[i]);
      tier = open_at(path);
    }
  return tier != NULL ? tier : open_at(WEIR_MODULE_FOLDER "/weir_native.so");
}

const char *wrt_tier_open(wrt_native_port *port, const wrt_tier **out) {
  const wrt_tier *tier = atomic_load_explicit(&port->tier, memory_order_acquire);
  if (tier == NULL) {
    tier = port->path != NULL ? open_at(port->path) : find();
    if (tier == NULL) return "the module weir_native.so is not there";
    if (tier->version != WRT_TIER_VERSION) return "the module weir_native.so belongs to another build";
    atomic_store_explicit(&port->tier, tier, memory_order_release);
  }
  *out = tier;
  return NULL;
}
