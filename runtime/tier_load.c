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
#include <unistd.h>

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

/* The path of the file that holds this code: its length; 0 if that cannot be told.  Of a program the loader knows only the words that it was
** started with, so the system is asked. */
static size_t own_path(char path[PATH_MOST]) {
  static const char here = 0;
  Dl_info info;
  if (dladdr(&here, &info) != 0 && info.dli_fname != NULL && info.dli_fname[0] == '/') {
    size_t n = strlen(info.dli_fname);
    if (n < PATH_MOST) memcpy(path, info.dli_fname, n);
    return n < PATH_MOST ? n : 0;
  }
  ssize_t n = readlink("/proc/self/exe", path, PATH_MOST);
  return n > 0 && n < PATH_MOST ? (size_t)n : 0;
}

/* Its folder, with the slash: the length, or 0. */
static size_t own_folder(char folder[PATH_MOST]) {
  size_t n = own_path(folder);
  while (n != 0 && folder[n - 1] != '/') n--;
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
