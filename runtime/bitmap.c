/* runtime/bitmap.c -- words from and to bitmaps that begin anywhere in a byte; whole bytes where they don't. */
#include "runtime/bitmap.h"

#include <string.h>

/* ---- Up to 64 bits ---- */

/* A size that is known needs no call. */
static uint64_t load(const uint8_t *from, size_t bytes) {
  uint64_t word = 0;
  if (WB_LIKELY(bytes >= sizeof word)) memcpy(&word, from, sizeof word);
  else memcpy(&word, from, bytes);
  return word;
}
static void store(uint8_t *to, uint64_t word, size_t bytes) {
  if (WB_LIKELY(bytes >= sizeof word)) memcpy(to, &word, sizeof word);
  else memcpy(to, &word, bytes);
}

static uint64_t get_word(const uint8_t *bits, size_t first, size_t n) {
  size_t shift = first % 8, bytes = (shift + n + 7) / 8;
  uint64_t word = load(bits + first / 8, bytes) >> shift;
  if (bytes == 9) word |= (uint64_t)bits[first / 8 + 8] << (64 - shift);
  return word & wrt_low_bits(n);
}

static void put_word(uint8_t *bits, size_t first, size_t n, uint64_t word) {
  size_t shift = first % 8, bytes = (shift + n + 7) / 8;
  uint64_t all = wrt_low_bits(n);
  uint8_t *at = bits + first / 8;
  word &= all;
  store(at, (load(at, bytes) & ~(all << shift)) | word << shift, bytes);
  if (bytes == 9) at[8] = (uint8_t)((at[8] & ~(all >> (64 - shift))) | word >> (64 - shift));
}

/* ---- Any number ---- */

bool wrt_bits_get(const uint8_t *bits, size_t first, size_t n, uint64_t *words) {
  uint64_t all = UINT64_MAX;
  for (size_t i = 0; i < n; i += 64) {
    size_t some = WB_MIN(n - i, 64);
    words[i / 64] = get_word(bits, first + i, some) | ~wrt_low_bits(some);
    all &= words[i / 64];
  }
  return all == UINT64_MAX;
}

bool wrt_bits_any(const uint8_t *bits, size_t first, size_t n) {
  uint64_t any = 0;
  for (size_t i = 0; i < n; i += 64) any |= get_word(bits, first + i, WB_MIN(n - i, 64));
  return any != 0;
}

void wrt_bits_put(uint8_t *bits, size_t first, size_t n, const uint64_t *words) {
  for (size_t i = 0; i < n; i += 64) put_word(bits, first + i, WB_MIN(n - i, 64), words[i / 64]);
}

void wrt_bits_fill(uint8_t *bits, size_t first, size_t n, bool is_set) {
  uint64_t word = is_set ? UINT64_MAX : 0;
  size_t head = WB_MIN(n, (8 - first % 8) % 8), bytes = (n - head) / 8, tail = (n - head) % 8;
  if (head != 0) put_word(bits, first, head, word);
  memset(bits + (first + head) / 8, is_set ? 0xff : 0, bytes);
  if (tail != 0) put_word(bits, first + head + bytes * 8, tail, word);
}

/* Halves of growing squares change places: of 32 words with their upper 32 bits, then 16 with 16, and so on. */
void wrt_bits_transpose(uint64_t square[64]) {
  uint64_t low = UINT32_MAX; /* the lower halves */
  for (unsigned n = 32; n != 0; n /= 2, low ^= low << n)
    for (unsigned i = 0; i < 64; i = ((i | n) + 1) & ~n) {
      uint64_t change = (square[i] >> n ^ square[i | n]) & low;
      square[i] ^= change << n;
      square[i | n] ^= change;
    }
}
