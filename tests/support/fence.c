#include "tests/support/fence.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/engine.h"
#include "runtime/monitor.h"

enum { WIDTH = 256, SPARE = 64, MARK = 0xA5 };

static void *take(void *self, size_t size) {
  (void)self;
  unsigned char *at = malloc(WIDTH + size + WIDTH);
  if (at == NULL) return NULL;
  memset(at, MARK, WIDTH);
  memcpy(at, &size, sizeof size);
  memset(at + WIDTH + size, MARK, WIDTH);
  return at + WIDTH;
}

static int is_all(const unsigned char *from, size_t n, unsigned char mark) {
  for (size_t i = 0; i < n; i++)
    if (from[i] != mark) return 0;
  return 1;
}

static void give(void *self, void *block) {
  fence *f = self;
  if (block == NULL) return;
  unsigned char *at = (unsigned char *)block - WIDTH;
  size_t size;
  memcpy(&size, at, sizeof size);
  f->n_blocks++;
  f->n_torn += !is_all(at + sizeof size, WIDTH - sizeof size, MARK) || !is_all(at + WIDTH + size, WIDTH, MARK);
  free(at);
}

void fence_make(fence *f) { *f = (fence){.allocator = {.take = take, .give = give, .self = f}}; }

void fence_arenas(weir_engine *engine) { engine->native.spare = SPARE; }

/* Between registers and arena: none where there are no registers. */
static size_t spare_of(const weir_monitor *m) { return m->made_quick == NULL ? 0 : m->port->spare; }

const void *fence_mark(weir_monitor *m) { return memset(m->arena - spare_of(m), MARK, spare_of(m)); }

int fence_is_whole(const weir_monitor *m, const void *marked) {
  const unsigned char *at = m->arena - spare_of(m);
  return is_all(at, spare_of(m), at == marked ? MARK : 0);
}
