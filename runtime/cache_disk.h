/* runtime/cache_disk.h -- bytes kept in a folder from one process to the next, each under a key.
**
** A key is the digest of all that the bytes depend on, so what is found under it is never out of date.  What cannot be read, is damaged, or
** belongs to somebody else is not found, and keeping replaces it.  Nothing here is an error to whoever asks: the bytes are made anew.
** Any number of threads and processes may use a folder at once.  They see a file whole or not at all. */
#ifndef WRT_CACHE_DISK_H
#define WRT_CACHE_DISK_H

#include "ir/base/digest.h"
#include "ir/base/io.h"

typedef struct wrt_cache {
  const char *folder;    /* NULL: nothing is kept */
  uint64_t most_bytes;   /* of all files: beyond that the oldest ones go */
  uint64_t fail_at;      /* for tests: as in wb_io, for each call of the functions below */
  int fail_errno;
} wrt_cache;

/* True: *out is what was kept under the key, in memory of `mem`. */
bool wrt_cache_find(const wrt_cache *c, const wb_digest *key, wb_mem *mem, wb_str *out) WB_MUST_USE;

/* Keeps the parts, one behind the other: WEIR_CACHE_KEPT; or what became of them, and the error says why. */
weir_cache_state wrt_cache_keep(const wrt_cache *c, const wb_digest *key, wb_door *door, const wb_str *parts, size_t n_parts, weir_error *e);

/* What is kept under the key is wrong: nobody is to find it again.  False: it may be there still. */
bool wrt_cache_remove(const wrt_cache *c, const wb_digest *key);

#endif
