#include "tests/support/fence.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 256, MARK = 0xA5 };

static void *take(void *self, size_t size) {
  (void)self;
  unsigned char *at = malloc(WIDTH + size + WIDTH);
  if (at == NULL) return NULL;
  memset(at, MARK, WIDTH);
  memcpy(at, &size, sizeof size);
  memset(at + WIDTH + size, MARK, WIDTH);
  return at + WIDTH;
}

static int is_whole(const unsigned char *from, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (from[i] != MARK) return 0;
  return 1;
}

static void give(void *self, void *block) {
  fence *f = self;
  if (block == NULL) return;
  unsigned char *at = (unsigned char *)block - WIDTH;
  size_t size;
  memcpy(&size, at, sizeof size);
  f->n_blocks++;
  f->n_torn += !is_whole(at + sizeof size, WIDTH - sizeof size) || !is_whole(at + WIDTH + size, WIDTH);
  free(at);
}

void fence_make(fence *f) { *f = (fence){.allocator = {.take = take, .give = give, .self = f}}; }
