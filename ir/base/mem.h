/* ir/base/mem.h -- the one door to memory.
**
** A wb_door is where memory comes from: a host's allocator, else mimalloc (opened, never linked: Debian's library would take
** over the host's malloc), else malloc.  It counts all bytes of an engine against one limit, and a test can make its n-th
** request fail.
** A wb_mem is one owner (program, monitor, tick): blocks that live until the owner ends (wb_alloc), and blocks that may be
** given back earlier (wb_block).  Ending the owner ends both.  An owner is used by one thread at a time, any thread. */
#ifndef WB_MEM_H
#define WB_MEM_H

#include "ir/base/def.h"
#include "weir.h"

#include <stdatomic.h>

typedef struct wb_door {
  weir_allocator from;    /* where blocks come from */
  size_t limit;           /* bytes of all owners together; 0: none */
  _Atomic size_t used;    /* bytes taken and not given back */
  _Atomic uint64_t calls; /* requests so far */
  uint64_t fail_at;       /* the request of this number (from 1) and all later ones fail; 0: none.  For tests */
  struct {
    void *(*take)(size_t size);
    void (*give)(void *block);
  } opened;               /* mimalloc's functions, where it is what `from` uses */
} wb_door;

/* Fills `d`, which may not move afterwards.  `allocator` is copied; NULL: mimalloc where it can be opened, else malloc (always
** malloc under a sanitizer). */
void wb_door_open(wb_door *d, const weir_allocator *allocator, size_t limit);

/* Asks the door itself: for the few objects that no wb_mem owns (an engine, a wb_mem's host).  Zeroed; NULL when exhausted. */
void *wb_door_take(wb_door *d, size_t size) WB_MUST_USE;
void wb_door_give(wb_door *d, void *block, size_t size); /* NULL is allowed */

/* Memory for machine code: whole pages straight from the system, counted by the door as any other.  They are zeroed and writable until
** wb_code_seal makes them executable instead; false: the system allows none, and they stay as they were. */
void *wb_code_take(wb_door *d, size_t bytes) WB_MUST_USE; /* bytes: a multiple of wb_page; NULL when exhausted */
bool wb_code_seal(wb_door *d, void *code, size_t bytes) WB_MUST_USE;
void wb_code_give(wb_door *d, void *code, size_t bytes);
size_t wb_page(void); /* bytes of a page */

typedef struct wb_chunk wb_chunk;
typedef struct wb_block_head wb_block_head;

enum { WB_SPARE_CLASSES = 17 }; /* small blocks: 0, 16, 32, ... 256 bytes */

typedef struct wb_mem {
  wb_door *door;
  wb_chunk *chunks;      /* bump memory, newest first; grown geometrically from a small first chunk */
  wb_block_head *blocks; /* list of the blocks not yet given back */
  wb_block_head *spare[WB_SPARE_CLASSES]; /* small ones given back and kept for the next request, by size */
  size_t spare_bytes;    /* of the spare blocks; never much */
  size_t used, peak;     /* bytes of chunks and blocks, but for spare ones; those of parts included */
  size_t limit;          /* of all bytes; 0: none.  Spare blocks go before a request is refused */
  struct wb_mem *whole;  /* the owner that this one is a part of; NULL: none */
  size_t lent;           /* of used: what parts have taken */
} wb_mem;

void wb_mem_init(wb_mem *m, wb_door *door, size_t limit);
/* An owner that may end before `whole`, which is itself no part, and may not move.  All that it takes counts there too, and against the
** limit there. */
void wb_mem_init_part(wb_mem *m, wb_mem *whole);
/* Gives everything back.  `m` may be used again. */
void wb_mem_drop(wb_mem *m);
/* Forgets all wb_alloc memory but keeps the largest chunk for the next tick; blocks are untouched. */
void wb_mem_reset(wb_mem *m);

/* Zeroed memory, or NULL when a limit or the system is exhausted or count * size does not fit.  Lives until wb_mem_drop (or
** wb_mem_reset).  align is a power of two, at most 64.  count * size == 0 gives a valid pointer. */
void *wb_alloc(wb_mem *m, size_t count, size_t size, size_t align) WB_MUST_USE;
#define WB_NEW(m, T) ((T *)wb_alloc((m), 1, sizeof(T), _Alignof(T)))
#define WB_NEW_ARRAY(m, T, n) ((T *)wb_alloc((m), (n), sizeof(T), _Alignof(T)))

/* A block that can be given back before its owner ends, aligned to 16 bytes, not zeroed.  NULL as above. */
void *wb_block(wb_mem *m, size_t size) WB_MUST_USE;
/* The block with at least `size` bytes, its first min(old, new) bytes kept; possibly moved.  NULL: the old one is untouched.
** block may be NULL. */
void *wb_block_resize(wb_mem *m, void *block, size_t size) WB_MUST_USE;
void wb_block_free(wb_mem *m, void *block); /* NULL is allowed */

bool wb_mem_is_valid(const wb_mem *m);

#endif
