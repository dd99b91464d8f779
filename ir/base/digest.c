/* ir/base/digest.c -- BLAKE2b-256 (RFC 7693, section 3): see digest.h. */
#include "ir/base/digest.h"

#include <string.h>

enum { ROUNDS = 12, WORDS = 16, PERMUTATIONS = 10 };

/* Section 2.6. */
static const uint64_t initial[8] = {
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

/* Section 2.7: which word of the block is taken when. */
static const uint8_t order[PERMUTATIONS][WORDS] = {
  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
  {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
  {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
  {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
  {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

/* A word as bytes in memory, least first; and back. */
static inline uint64_t in_order(uint64_t x) { return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap64(x); }

static inline uint64_t turn(uint64_t x, unsigned bits) { return x >> bits | x << (64 - bits); }

static inline void mix(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d, uint64_t x, uint64_t y) {
  *a += *b + x;
  *d = turn(*d ^ *a, 32);
  *c += *d;
  *b = turn(*b ^ *c, 24);
  *a += *b + y;
  *d = turn(*d ^ *a, 16);
  *c += *d;
  *b = turn(*b ^ *c, 63);
}

/* Columns, then diagonals.  Written out, so that all of v is in registers. */
static inline void run_round(uint64_t *v, const uint64_t *m, const uint8_t *s) {
  mix(&v[0], &v[4], &v[8], &v[12], m[s[0]], m[s[1]]);
  mix(&v[1], &v[5], &v[9], &v[13], m[s[2]], m[s[3]]);
  mix(&v[2], &v[6], &v[10], &v[14], m[s[4]], m[s[5]]);
  mix(&v[3], &v[7], &v[11], &v[15], m[s[6]], m[s[7]]);
  mix(&v[0], &v[5], &v[10], &v[15], m[s[8]], m[s[9]]);
  mix(&v[1], &v[6], &v[11], &v[12], m[s[10]], m[s[11]]);
  mix(&v[2], &v[7], &v[8], &v[13], m[s[12]], m[s[13]]);
  mix(&v[3], &v[4], &v[9], &v[14], m[s[14]], m[s[15]]);
}

static void compress(wb_digester *d, const uint8_t *block, bool is_last) {
  uint64_t v[WORDS], m[WORDS];
  memcpy(m, block, sizeof m);
  for (unsigned i = 0; i < WORDS; i++) m[i] = in_order(m[i]);
  memcpy(v, d->h, sizeof d->h);
  memcpy(v + 8, initial, sizeof initial);
  v[12] ^= d->n; /* the upper half of the count is 0: no memory holds so much */
  if (is_last) v[14] = ~v[14];
  for (unsigned r = 0; r < ROUNDS; r++) run_round(v, m, order[r % PERMUTATIONS]);
  for (unsigned i = 0; i < 8; i++) d->h[i] ^= v[i] ^ v[i + 8];
}

void wb_digest_begin(wb_digester *d) {
  memcpy(d->h, initial, sizeof initial);
  d->h[0] ^= 0x01010000 ^ WB_DIGEST_BYTES; /* section 2.8: no key */
  d->n = 0;
  d->held = 0;
}

void wb_digest_add(wb_digester *d, const void *bytes, size_t n) {
  const uint8_t *from = bytes;
  while (n != 0) {
    if (d->held == WB_DIGEST_BLOCK) { /* more comes, so it is not the last */
      d->n += WB_DIGEST_BLOCK;
      compress(d, d->block, false);
      d->held = 0;
    }
    size_t take = WB_MIN(n, WB_DIGEST_BLOCK - d->held);
    memcpy(d->block + d->held, from, take);
    d->held += take;
    from += take;
    n -= take;
  }
}

wb_digest wb_digest_end(wb_digester *d) {
  wb_digest out;
  memset(d->block + d->held, 0, WB_DIGEST_BLOCK - d->held);
  d->n += d->held;
  compress(d, d->block, true);
  for (size_t i = 0; i < sizeof out.at / sizeof d->h[0]; i++) {
    uint64_t word = in_order(d->h[i]);
    memcpy(out.at + i * sizeof word, &word, sizeof word);
  }
  return out;
}

bool wb_digest_eq(const wb_digest *a, const wb_digest *b) { return memcmp(a->at, b->at, sizeof a->at) == 0; }
