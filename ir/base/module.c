/* ir/base/module.c -- finds and opens our own modules; see module.h.
**
** RTLD_LOCAL and RTLD_NODELETE: what a module links stays to itself, and what its code has registered with the process outlives whoever
** opened it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "ir/base/module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_MOST = 4096 };

wb_module_trouble wb_module_open(const char *path, const char *symbol, void **out) {
  char here[PATH_MOST + 64];
  *out = NULL;
  wb_module_trouble trouble = wb_module_file(path);
  if (trouble != WB_MODULE_OPEN) return trouble;
  /* For the loader a name without a slash is no path but one to search for. */
  if (strchr(path, '/') == NULL && snprintf(here, sizeof here, "./%s", path) < (int)sizeof here) path = here;
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (module == NULL) return WB_MODULE_REFUSED; /* dlerror's words follow the locale */
  *out = dlsym(module, symbol);
  dlclose(module);
  return *out == NULL ? WB_MODULE_OTHER : WB_MODULE_OPEN;
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

/* Offers each place where the module may be, until one is taken. */
static bool find(const char *name, bool (*take)(void *self, const char *path), void *self) {
  static const char *const below[] = {"weir/", "", "../lib/weir/"};
  char folder[PATH_MOST], path[PATH_MOST + 64];
  if (own_folder(folder) != 0)
    for (size_t i = 0; i < WB_LEN(below); i++) {
      snprintf(path, sizeof path, "%s%s%s", folder, below[i], name);
      if (take(self, path)) return true;
    }
  snprintf(path, sizeof path, "%s/%s", WEIR_MODULE_FOLDER, name);
  return take(self, path);
}

typedef struct wanted { const char *symbol; void *at; wb_module_trouble trouble; } wanted;

static bool take_symbol(void *self, const char *path) {
  wanted *w = self;
  wb_module_trouble trouble = wb_module_open(path, w->symbol, &w->at);
  if (trouble == WB_MODULE_OPEN || w->trouble == WB_MODULE_ABSENT) w->trouble = trouble;
  return trouble == WB_MODULE_OPEN;
}

wb_module_trouble wb_module_find(const char *name, const char *symbol, void **out) {
  wanted w = {symbol, NULL, WB_MODULE_ABSENT};
  (void)find(name, take_symbol, &w);
  *out = w.at;
  return w.trouble;
}

static bool take_build(void *self, const char *path) { return wb_module_file(path) == WB_MODULE_OPEN && wb_build_of_file(path, self); }

bool wb_build_of_module(const char *name, wb_build *out) { return find(name, take_build, out); }
