/* ir/base/module.h -- finds and opens our own modules: shared objects that are looked for when they are first needed. */
#ifndef WB_MODULE_H
#define WB_MODULE_H

#include "ir/base/def.h"

/* Why a module is not open: X(name, what is said behind its name). */
#define WB_MODULE_TROUBLES(X) \
  X(ABSENT, "is not there") \
  X(UNREADABLE, "cannot be opened: the file cannot be read") \
  X(NO_FILE, "cannot be opened: it is a folder, a pipe or a device") \
  X(NO_LIBRARY, "cannot be opened: the file is no shared library") \
  X(CUT, "cannot be opened: the file is cut short") \
  X(REFUSED, "cannot be opened: the system's loader refuses it, for want of address space or of a library that it needs") \
  X(OTHER, "cannot be opened: it is another library")
typedef enum wb_module_trouble {
  WB_MODULE_OPEN, /* none */
#define X(name, what) WB_MODULE_##name,
  WB_MODULE_TROUBLES(X)
#undef X
  WB_MODULE_TROUBLE_COUNT
} wb_module_trouble;

/* *out: the address of `symbol` in the module `name` ("weir_native.so"), which stays open for good; else NULL, and what is wrong with the first
** that is there.  Places, in this order: beside the file that holds this code (libweir, or a program that links it statically), there in weir/
** first; the installed library's folder.  Its own symbols stay to itself. */
wb_module_trouble wb_module_find(const char *name, const char *symbol, void **out) WB_MUST_USE;
/* The same at one place. */
wb_module_trouble wb_module_open(const char *path, const char *symbol, void **out) WB_MUST_USE;

/* ---- module_file.c: whether a file may be given to the system's loader ---- */

wb_module_trouble wb_module_file(const char *path) WB_MUST_USE;

/* ---- build_id.c: which build of a file it is, as its linker has numbered it ---- */

typedef struct wb_build { size_t n; uint8_t at[64]; } wb_build; /* n bytes; 0: it does not tell */

/* That of a file; of the one in which wb_module_find would look first; of the loaded one that holds the address.  False: it does not tell. */
bool wb_build_of_file(const char *path, wb_build *out) WB_MUST_USE;
bool wb_build_of_module(const char *name, wb_build *out) WB_MUST_USE;
bool wb_build_of_loaded(const void *in_it, wb_build *out);
/* From the first `n` bytes, WB_BUILD_PAGE of them unless the file is shorter. */
enum { WB_BUILD_PAGE = 4096 };
bool wb_build_in(const unsigned char *page, size_t n, wb_build *out);

#endif
