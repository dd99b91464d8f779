/* runtime/bitmap.h -- pieces of the bitmaps of a batch, as words.
**
** A bitmap has a bit for each row, least significant bit first, and rows may begin anywhere in a byte.  Only bytes that have a bit of the rows are
** touched, and only their bits are changed. */
#ifndef WRT_BITMAP_H
#define WRT_BITMAP_H

#include "ir/base/def.h"

/* The n lowest bits of a word, at most 64. */
static inline uint64_t wrt_low_bits(size_t n) { return n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1; }

/* Bits [first, first + n) into words; bits behind the last are 1.  True: all are. */
bool wrt_bits_get(const uint8_t *bits, size_t first, size_t n, uint64_t *words);
bool wrt_bits_any(const uint8_t *bits, size_t first, size_t n); /* is one of them 1? */
void wrt_bits_put(uint8_t *bits, size_t first, size_t n, const uint64_t *words);
void wrt_bits_fill(uint8_t *bits, size_t first, size_t n, bool is_set);

/* A square of bits: bit k of word i becomes bit i of word k. */
void wrt_bits_transpose(uint64_t square[64]);

/* Of words that begin with bit 0: those of a typed row, too. */
static inline bool wrt_word_bit(const uint64_t *words, size_t i) { return words[i / 64] >> i % 64 & 1; }

#endif
