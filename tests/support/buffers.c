#include "tests/support/buffers.h"

#include <stdlib.h>
#include <string.h>

buffer buffer_new(size_t n) {
  unsigned char *block = malloc(n + 2 * BUFFER_MARGIN);
  if (block == NULL) abort();
  memset(block, BUFFER_CANARY, n + 2 * BUFFER_MARGIN);
  return (buffer){.at = block + BUFFER_MARGIN, .n = n};
}

bool buffer_is_intact(buffer b) {
  bool is = true;
  for (size_t i = 0; i < BUFFER_MARGIN; i++) is &= b.at[-1 - (ptrdiff_t)i] == BUFFER_CANARY && b.at[b.n + i] == BUFFER_CANARY;
  return is;
}

void buffer_free(buffer b) { free(b.at - BUFFER_MARGIN); }

bool bits_are_kept(const uint8_t *bits, size_t first, size_t rows) {
  bool are = true;
  for (size_t at = 0; bits != NULL && at < (first + rows + 7) / 8 * 8; at++)
    are &= (at >= first && at < first + rows) || bit_get(bits, at) == (BUFFER_CANARY >> at % 8 & 1);
  return are;
}

size_t column_width(weir_kind kind) {
  if (kind == WEIR_KIND_TEXT) return sizeof(uint32_t);
  return kind == WEIR_KIND_BOOL ? 1 : 8;
}
