/* ir/base/module.h -- finds and opens our own modules: shared objects that are looked for when they are first needed. */
#ifndef WB_MODULE_H
#define WB_MODULE_H

#include "ir/base/def.h"

/* The address of `symbol` in the module `name` ("weir_native.so"), which stays open for good; NULL: it is not there.
** Places, in this order: beside the file that holds this code (libweir, or a program that links it statically), there in weir/ first; the
** installed library's folder.  Its own symbols stay to itself. */
void *wb_module_find(const char *name, const char *symbol) WB_MUST_USE;
/* The same at one place. */
void *wb_module_open(const char *path, const char *symbol) WB_MUST_USE;

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
