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

#endif
