/* runtime/object.h -- from the bytes of a compiled kernel to code that can be called.
**
** The one way of generated code into memory, whether it was just compiled or comes from a cache: so the bytes are not trusted to be whole,
** only to be code of ours once they are (a cache checks a sum).  An object is a relocatable x86-64 ELF file that refers to no symbol
** outside itself.  Its pages are first writable, then executable, never both. */
#ifndef WRT_OBJECT_H
#define WRT_OBJECT_H

#include "ir/base/mem.h"

typedef struct wrt_object {
  unsigned char *at; /* NULL: nothing is loaded */
  size_t bytes;      /* whole pages */
} wrt_object;

/* An address to look up: the function or object that a global symbol of this name defines, and its size. */
typedef struct wrt_entry { const char *name; void *at; size_t bytes; } wrt_entry;

/* Loads `n` bytes and fills the addresses of `count` entries.  NULL, or why not, in words that live forever: the file is damaged, it needs
** what we do not have, memory is exhausted, or the system refuses executable pages.  *out is then empty.  The bytes may go after the call;
** the caller ends the code with wrt_object_unload.  The door's limit and its count of requests (for tests) hold here too. */
const char *wrt_object_load(wb_door *door, const void *bytes, size_t n, wrt_entry *entries, size_t count, wrt_object *out) WB_MUST_USE;
void wrt_object_unload(wb_door *door, wrt_object *o); /* nothing of it may be running; harmless where nothing is loaded */

#endif
