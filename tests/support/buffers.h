/* tests/support/buffers.h -- buffers of a batch between canaries, and bitmaps. */
#ifndef TEST_BUFFERS_H
#define TEST_BUFFERS_H

#include "weir.h"

enum { BUFFER_MARGIN = 64, BUFFER_CANARY = 0xa5 };

typedef struct buffer {
  unsigned char *at; /* `n` bytes, BUFFER_MARGIN canaries before and behind them; all of it is canaries at first */
  size_t n;
} buffer;

buffer buffer_new(size_t n); /* ends the process where there is no memory */
bool buffer_is_intact(buffer b);
void buffer_free(buffer b);

static inline bool bit_get(const uint8_t *bits, size_t at) { return bits[at / 8] >> at % 8 & 1; }
static inline void bit_set(uint8_t *bits, size_t at, bool is_set) {
  bits[at / 8] = (uint8_t)((bits[at / 8] & ~(1u << at % 8)) | (unsigned)is_set << at % 8);
}
/* Are the bits that belong to none of the rows canaries still?  NULL is no bitmap. */
bool bits_are_kept(const uint8_t *bits, size_t first, size_t rows);

/* Bytes of a sample in a column. */
size_t column_width(weir_kind kind);

#endif
