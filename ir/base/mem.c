/* ir/base/mem.c -- the one door to memory: where it comes from, who owns it, how much there may be.
**
** Two shapes.  A chunk is bump memory: handed out piece by piece, given back whole.  A block is one request of its own with a
** head in front, linked both ways, so that it can leave early and its owner can still end it.  An owner keeps a few small
** blocks that were given back: the run-time values of a tick come and go without a word to the door, whose counters all
** threads share (measured: 6 ns for a block and its return, where asking the door takes 30).
** Every byte taken from the door is counted twice: by its owner (one thread at a time, plain) and by the door (atomic).
** Under AddressSanitizer, chunk memory that was not handed out is poisoned, and a red zone follows each piece.
** Leave alone: nothing here may be file-scope state; two engines of one process share nothing. */
#include "ir/base/mem.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define WB_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WB_ASAN 1
#endif
#endif

#if defined(WB_ASAN)
#include <sanitizer/asan_interface.h>
#define poison(at, n) ASAN_POISON_MEMORY_REGION((at), (n))
#define unpoison(at, n) ASAN_UNPOISON_MEMORY_REGION((at), (n))
enum { RED_ZONE = 16, ALIGN_MIN = 8 }; /* shadow memory speaks of 8 bytes at a time */
#else
#define poison(at, n) ((void)(at), (void)(n))
#define unpoison(at, n) ((void)(at), (void)(n))
enum { RED_ZONE = 0, ALIGN_MIN = 1 };
#endif

#if defined(WEIR_TINY) && WEIR_TINY
enum { CHUNK_FIRST = 64 }; /* so that growing is the common case in tests */
#else
enum { CHUNK_FIRST = 1024 };
#endif
enum {
  CHUNK_LAST = 1 << 20, /* chunks double up to here: past it, doubling wastes more than it saves */
  DOOR_ALIGN = 16,      /* what every allocator owes us */
  ALIGN_MAX = 64,
  SPARE_SIZE = (WB_SPARE_CLASSES - 1) * DOOR_ALIGN /* the largest block that is kept */
};

/* How many bytes of small blocks an owner keeps.  None under a sanitizer, which wants to see every one go. */
#if defined(WEIR_SANITIZE) || defined(WB_ASAN)
enum { SPARE_MAX = 0 };
#elif defined(WEIR_TINY) && WEIR_TINY
enum { SPARE_MAX = 256 };
#else
enum { SPARE_MAX = 64 << 10 };
#endif

struct wb_chunk {
  wb_chunk *next;
  size_t size; /* bytes taken from the door, this head included */
  size_t at;   /* offset of the first byte not handed out */
  size_t pad;  /* keeps what follows aligned to 16 */
};
_Static_assert(sizeof(wb_chunk) % DOOR_ALIGN == 0, "pieces start aligned");

struct wb_block_head {
  wb_block_head *next, *prev;
  size_t size;   /* bytes that follow the head */
  uint64_t mark; /* BLOCK_LIVE; cleared when given back, so that a second time is seen */
};
_Static_assert(sizeof(wb_block_head) % DOOR_ALIGN == 0, "a block is aligned as its head is");
#define BLOCK_LIVE UINT64_C(0x57656972426c6f63)

/* ---- The door ---------------------------------------------------------------------------------------------------- */

static void *take_malloc(void *self, size_t size) {
  (void)self;
  return malloc(size);
}

static void give_malloc(void *self, void *block) {
  (void)self;
  free(block);
}

#if !defined(WEIR_SANITIZE)
/* mimalloc aligns what is smaller than 16 bytes only to its size. */
static void *take_opened(void *self, size_t size) {
  const wb_door *d = self;
  return d->opened.take(WB_MAX(size, (size_t)DOOR_ALIGN));
}

static void give_opened(void *self, void *block) {
  const wb_door *d = self;
  d->opened.give(block);
}

/* Finds mimalloc.  RTLD_LOCAL: the packaged library exports malloc itself, which the host must never come to use.
** RTLD_NODELETE: its threads and blocks outlive any engine, so the handle can be closed at once, and nothing is leaked. */
static bool open_mimalloc(wb_door *d) {
  void *lib = dlopen("libmimalloc.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (lib == NULL) return false;
  void *take = dlsym(lib, "mi_malloc"), *give = dlsym(lib, "mi_free");
  dlclose(lib);
  if (take == NULL || give == NULL) return false;
  _Static_assert(sizeof d->opened.take == sizeof take, "POSIX: a function's address fits a void *");
  memcpy(&d->opened.take, &take, sizeof take);
  memcpy(&d->opened.give, &give, sizeof give);
  return true;
}
#endif

void wb_door_open(wb_door *d, const weir_allocator *allocator, size_t limit) {
  *d = (wb_door){.from = {take_malloc, give_malloc, NULL}, .limit = limit};
  if (allocator != NULL)
    d->from = *allocator;
#if !defined(WEIR_SANITIZE)
  else if (open_mimalloc(d))
    d->from = (weir_allocator){take_opened, give_opened, d};
#endif
}

static bool door_refuses(wb_door *d) {
  uint64_t call = atomic_fetch_add_explicit(&d->calls, 1, memory_order_relaxed) + 1;
  return WB_UNLIKELY(d->fail_at != 0) && call >= d->fail_at;
}

static void *take_from(wb_door *d, size_t size) { return d->from.take(d->from.self, size); }

/* Memory that is not zeroed, of one of our sources.  The sum is raised first and taken back on failure: two threads can't both slip under
** the limit. */
static inline void *take_counted(wb_door *d, size_t size, void *(*source)(wb_door *, size_t)) {
  if (door_refuses(d)) return NULL;
  size_t before = atomic_fetch_add_explicit(&d->used, size, memory_order_relaxed);
  if (WB_LIKELY(d->limit == 0 || (before <= d->limit && size <= d->limit - before))) {
    void *block = source(d, size);
    if (WB_LIKELY(block != NULL)) {
      wb_assert((uintptr_t)block % DOOR_ALIGN == 0);
      return block;
    }
  }
  atomic_fetch_sub_explicit(&d->used, size, memory_order_relaxed);
  return NULL;
}

static void *door_take(wb_door *d, size_t size) { return take_counted(d, size, take_from); }

void *wb_door_take(wb_door *d, size_t size) {
  void *block = door_take(d, size);
  return block != NULL ? memset(block, 0, size) : NULL;
}

void wb_door_give(wb_door *d, void *block, size_t size) {
  if (block == NULL) return;
  d->from.give(d->from.self, block);
  atomic_fetch_sub_explicit(&d->used, size, memory_order_relaxed);
}

/* ---- Pages for code ---------------------------------------------------------------------------------------------- */

static void *take_pages(wb_door *d, size_t size) {
  (void)d;
  void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

size_t wb_page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void *wb_code_take(wb_door *d, size_t bytes) {
  wb_assert(bytes % wb_page() == 0);
  return take_counted(d, bytes, take_pages);
}

bool wb_code_seal(wb_door *d, void *code, size_t bytes) {
  return !door_refuses(d) && mprotect(code, bytes, PROT_READ | PROT_EXEC) == 0;
}

void wb_code_give(wb_door *d, void *code, size_t bytes) {
  if (code == NULL) return;
  munmap(code, bytes);
  atomic_fetch_sub_explicit(&d->used, bytes, memory_order_relaxed);
}

/* ---- Owners ------------------------------------------------------------------------------------------------------ */

void wb_mem_init(wb_mem *m, wb_door *door, size_t limit) { *m = (wb_mem){.door = door, .limit = limit}; }

void wb_mem_init_part(wb_mem *m, wb_mem *whole) { *m = (wb_mem){.door = whole->door, .whole = whole}; }

/* Between the owner and the door: what is taken and given there is what a whole knows of its part. */
static void owner_give(wb_mem *m, void *at, size_t size) {
  if (m->whole != NULL) {
    m->whole->used -= size;
    m->whole->lent -= size;
  }
  wb_door_give(m->door, at, size);
}

static void mem_give(wb_mem *m, void *at, size_t size) {
  wb_assert(m->used >= size);
  m->used -= size;
  owner_give(m, at, size);
}

static void spare_give(wb_mem *m) {
  for (size_t i = 0; i < WB_SPARE_CLASSES; i++) {
    for (wb_block_head *b = m->spare[i], *next; b != NULL; b = next) {
      next = b->next;
      owner_give(m, b, sizeof *b + b->size);
    }
    m->spare[i] = NULL;
  }
  m->spare_bytes = 0;
}

static void mem_count(wb_mem *m, size_t size) {
  m->used += size;
  if (m->used > m->peak) m->peak = m->used;
}

static bool has_room(const wb_mem *m, size_t size) {
  size_t held = m->used + m->spare_bytes;
  return m->limit == 0 || (held <= m->limit && size <= m->limit - held);
}

static void *try_take(wb_mem *m, size_t size) {
  if (!has_room(m, size) || (m->whole != NULL && !has_room(m->whole, size))) return NULL;
  return door_take(m->door, size);
}

static void *mem_take(wb_mem *m, size_t size) {
  wb_mem *whole = m->whole;
  void *at = try_take(m, size);
  if (at == NULL && m->spare_bytes + (whole != NULL ? whole->spare_bytes : 0) > 0) {
    spare_give(m);
    if (whole != NULL) spare_give(whole);
    at = try_take(m, size);
  }
  if (at == NULL) return NULL;
  mem_count(m, size);
  if (whole == NULL) return at;
  mem_count(whole, size);
  whole->lent += size;
  return at;
}

static void chunk_give(wb_mem *m, wb_chunk *c) {
  size_t size = c->size;
  unpoison(c, size);
  mem_give(m, c, size);
}

void wb_mem_drop(wb_mem *m) {
  for (wb_chunk *c = m->chunks, *next; c != NULL; c = next) {
    next = c->next;
    chunk_give(m, c);
  }
  for (wb_block_head *b = m->blocks, *next; b != NULL; b = next) {
    next = b->next;
    wb_assert(b->mark == BLOCK_LIVE);
    b->mark = 0;
    mem_give(m, b, sizeof *b + b->size);
  }
  m->chunks = NULL;
  m->blocks = NULL;
  spare_give(m);
  wb_assert(m->used == m->lent);
}

void wb_mem_reset(wb_mem *m) {
  wb_chunk *keep = m->chunks;
  for (wb_chunk *c = m->chunks; c != NULL; c = c->next)
    if (c->size > keep->size) keep = c;
  for (wb_chunk *c = m->chunks, *next; c != NULL; c = next) {
    next = c->next;
    if (c != keep) chunk_give(m, c);
  }
  m->chunks = keep;
  if (keep == NULL) return;
  keep->next = NULL;
  keep->at = sizeof *keep;
  poison((char *)keep + keep->at, keep->size - keep->at);
}

/* ---- Chunks ------------------------------------------------------------------------------------------------------ */

/* A piece of `size` bytes (its red zone included) of `c`, not zeroed, or NULL where it does not fit. */
static void *chunk_piece(wb_chunk *c, size_t size, size_t align) {
  uintptr_t base = (uintptr_t)c;
  size_t at = (size_t)(((base + c->at + align - 1) & ~(uintptr_t)(align - 1)) - base);
  if (at > c->size || c->size - at < size) return NULL;
  c->at = at + size;
  return (char *)c + at;
}

/* A chunk with room for `need` bytes.  Near a limit, one of just that size is still better than none. */
static wb_chunk *chunk_new(wb_mem *m, size_t need) {
  size_t exact;
  if (!wb_add(need, sizeof(wb_chunk), &exact)) return NULL;
  size_t size = m->chunks == NULL ? (size_t)CHUNK_FIRST : WB_MIN(m->chunks->size * 2, (size_t)CHUNK_LAST);
  wb_chunk *c = NULL;
  if (size > exact) c = mem_take(m, size);
  if (c == NULL) c = mem_take(m, size = exact);
  if (c == NULL) return NULL;
  *c = (wb_chunk){.size = size, .at = sizeof *c};
  poison((char *)c + c->at, size - c->at);
  return c;
}

static void *alloc_slow(wb_mem *m, size_t size, size_t align) {
  size_t need; /* the chunk's start is aligned only to DOOR_ALIGN */
  if (!wb_add(size, align > DOOR_ALIGN ? align - DOOR_ALIGN : 0, &need)) return NULL;
  wb_chunk *c = chunk_new(m, need), *first = m->chunks;
  if (c == NULL) return NULL;
  void *piece = chunk_piece(c, size, align);
  wb_assert(piece != NULL);
  /* One large piece does not end the chunk that small ones are still cut from. */
  bool is_full = first != NULL && c->size - c->at < first->size - first->at;
  wb_chunk **link = is_full ? &first->next : &m->chunks;
  c->next = *link;
  *link = c;
  return piece;
}

void *wb_alloc(wb_mem *m, size_t count, size_t size, size_t align) {
  wb_assert(align != 0 && (align & (align - 1)) == 0 && align <= ALIGN_MAX);
  size_t bytes, with_zone;
  if (!wb_mul(count, size, &bytes) || !wb_add(bytes, RED_ZONE, &with_zone)) return NULL;
  if (align < ALIGN_MIN) align = ALIGN_MIN;
  void *piece = m->chunks != NULL ? chunk_piece(m->chunks, with_zone, align) : NULL;
  if (piece == NULL && (piece = alloc_slow(m, with_zone, align)) == NULL) return NULL;
  unpoison(piece, bytes);
  return memset(piece, 0, bytes);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

static wb_block_head *block_head(void *block) {
  wb_block_head *b = (wb_block_head *)block - 1;
  wb_assert(b->mark == BLOCK_LIVE);
  return b;
}

/* A block that is in no list. */
static wb_block_head *block_take(wb_mem *m, size_t size) {
  if (SPARE_MAX > 0 && size <= SPARE_SIZE) { /* rounded up, so that any spare one of its class will do */
    size = (size + DOOR_ALIGN - 1) & ~(size_t)(DOOR_ALIGN - 1);
    wb_block_head **spare = &m->spare[size / DOOR_ALIGN], *b = *spare;
    if (b != NULL) {
      *spare = b->next;
      m->spare_bytes -= sizeof *b + size;
      mem_count(m, sizeof *b + size);
      return b;
    }
  }
  size_t total;
  if (!wb_add(size, sizeof(wb_block_head), &total)) return NULL;
  wb_block_head *b = mem_take(m, total);
  if (b != NULL) b->size = size;
  return b;
}

void *wb_block(wb_mem *m, size_t size) {
  wb_block_head *b = block_take(m, size);
  if (b == NULL) return NULL;
  b->next = m->blocks;
  b->prev = NULL;
  b->mark = BLOCK_LIVE;
  if (m->blocks != NULL) m->blocks->prev = b;
  m->blocks = b;
  return b + 1;
}

void wb_block_free(wb_mem *m, void *block) {
  if (block == NULL) return;
  wb_block_head *b = block_head(block);
  *(b->prev != NULL ? &b->prev->next : &m->blocks) = b->next;
  if (b->next != NULL) b->next->prev = b->prev;
  b->mark = 0;
  size_t total = sizeof *b + b->size;
  if (b->size > SPARE_SIZE || total > SPARE_MAX - m->spare_bytes) {
    mem_give(m, b, total);
    return;
  }
  b->next = m->spare[b->size / DOOR_ALIGN];
  m->spare[b->size / DOOR_ALIGN] = b;
  m->spare_bytes += total;
  m->used -= total;
}

void *wb_block_resize(wb_mem *m, void *block, size_t size) {
  size_t old = block != NULL ? block_head(block)->size : 0;
  if (block != NULL && size <= old) return block;
  void *to = wb_block(m, size);
  if (to == NULL || block == NULL) return to;
  memcpy(to, block, old);
  wb_block_free(m, block);
  return to;
}

bool wb_mem_is_valid(const wb_mem *m) {
  size_t sum = m->lent;
  for (const wb_chunk *c = m->chunks; c != NULL; c = c->next) {
    if (c->at < sizeof *c || c->at > c->size) return false;
    sum += c->size;
  }
  for (const wb_block_head *b = m->blocks; b != NULL; b = b->next) {
    if (b->mark != BLOCK_LIVE || (b->prev != NULL ? b->prev->next : m->blocks) != b) return false;
    if (b->next != NULL && b->next->prev != b) return false;
    sum += sizeof *b + b->size;
  }
  size_t spare = 0;
  for (size_t i = 0; i < WB_SPARE_CLASSES; i++)
    for (const wb_block_head *b = m->spare[i]; b != NULL; b = b->next) {
      if (b->mark != 0 || b->size != i * DOOR_ALIGN) return false;
      spare += sizeof *b + b->size;
    }
  return spare == m->spare_bytes && sum == m->used && sum <= m->peak && (m->limit == 0 || sum + spare <= m->limit);
}
