/* cli/digits.h -- the numbers that most cells hold, eight digits at a time: read where they stand, written where they go.
**
** What is longer, or looks unusual in any way, is left to ir/base/num.h: these answer that it is not theirs.
** Texts are read up to 24 bytes from where they begin and numbers written 24 bytes wide, whatever their length. */
#ifndef CLI_DIGITS_H
#define CLI_DIGITS_H

#include <string.h>

#include "ir/base/num.h"

enum { CLI_DIGITS_READ = 32, CLI_DIGITS_WRITE = WB_NUM_MAX };

/* Eight bytes of text, the first one lowest. */
static inline uint64_t cli_load8(const char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}

static inline void cli_store8(char *p, uint64_t v) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  memcpy(p, &v, sizeof v);
}

/* Marks the bytes that are no digits in their highest bits, right up to the first of them: a byte is a digit if it is below 10 once '0' has
** been taken away bit by bit, and a carry only reaches bytes behind one that is not. */
static inline uint64_t cli_no_digits8(uint64_t bytes) {
  uint64_t v = bytes ^ UINT64_C(0x3030303030303030);
  return ((v + UINT64_C(0x7676767676767676)) | v) & UINT64_C(0x8080808080808080);
}

/* What eight digits mean, the first one lowest: neighbours are joined to pairs; of these, the two products add up the even and the odd ones
** in their upper halves. */
static inline uint64_t cli_join8(uint64_t v) {
  v = v * 10 + (v >> 8);
  uint64_t even = v & UINT64_C(0x000000ff000000ff), odd = v >> 16 & UINT64_C(0x000000ff000000ff);
  return (even * (100 + (UINT64_C(1000000) << 32)) + odd * (1 + (UINT64_C(10000) << 32))) >> 32;
}

/* The same for the n digits, 1 to 8, that eight bytes begin with: zeros come in front. */
static inline uint64_t cli_digits8(uint64_t bytes, unsigned n) { return cli_join8((bytes ^ UINT64_C(0x3030303030303030)) << (64 - 8 * n)); }

static inline uint64_t cli_power10(unsigned n) {
  static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  return powers[n];
}

/* 8 to 15 digits, of which the first 8 are known to be some: as cli_read_digits. */
static inline unsigned cli_read_more_digits(const char *p, uint64_t *v) {
  uint64_t first = cli_digits8(cli_load8(p), 8), bytes = cli_load8(p + 8), other = cli_no_digits8(bytes);
  if (other == 0) return 0;
  unsigned n = (unsigned)__builtin_ctzll(other) >> 3;
  *v = n == 0 ? first : first * cli_power10(n) + cli_digits8(bytes, n);
  return n + 8;
}

/* 1 to 15 digits: *v, and how many; 0: there are none, or more. */
static inline unsigned cli_read_digits(const char *p, uint64_t *v) {
  uint64_t bytes = cli_load8(p), other = cli_no_digits8(bytes);
  if (WB_UNLIKELY(other == 0)) return cli_read_more_digits(p, v);
  unsigned n = (unsigned)__builtin_ctzll(other) >> 3;
  if (WB_UNLIKELY(n == 0)) return 0;
  *v = cli_digits8(bytes, n);
  return n;
}

/* A whole number of 1 to 15 digits, with or without '-': returns where it ends, or NULL for anything else. */
static inline const char *cli_read_short_int(const char *p, int64_t *out) {
  bool minus = *p == '-';
  uint64_t v;
  unsigned n = cli_read_digits(p + minus, &v);
  if (WB_UNLIKELY(n == 0)) return NULL;
  *out = (int64_t)(minus ? 0 - v : v);
  return p + minus + n;
}

/* A number without an exponent whose digits are a whole number below 2^53: the division of two exact doubles rounds once.  Returns
** where it ends, or NULL for anything else. */
static inline const char *cli_read_short_float(const char *p, double *out) {
  static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  bool minus = *p == '-';
  uint64_t whole;
  unsigned n = cli_read_digits(p + minus, &whole), k = 0;
  if (WB_UNLIKELY(n == 0)) return NULL;
  const char *q = p + minus + n;
  if (*q == '.') {
    uint64_t part;
    k = cli_read_digits(q + 1, &part);
    if (WB_UNLIKELY(k == 0 || n + k > 15)) return NULL;
    whole = whole * (k > 8 ? cli_power10(8) * cli_power10(k - 8) : cli_power10(k)) + part;
    q += 1 + k;
  }
  double v = (double)whole / powers[k];
  *out = minus ? -v : v;
  return q;
}

/* The eight decimal digits of v < 10^8 as bytes 0 to 9, the first one lowest. */
static inline __attribute__((always_inline)) uint64_t cli_spread8(uint32_t v) {
  uint64_t four = (uint64_t)(v / 10000) | (uint64_t)(v % 10000) << 32;
  uint64_t hundreds = four * 5243 >> 19 & UINT64_C(0x0000007f0000007f);
  uint64_t two = hundreds | (four - hundreds * 100) << 16;
  uint64_t tens = two * 103 >> 10 & UINT64_C(0x000f000f000f000f);
  return tens | (two - tens * 10) << 8;
}

/* The number of digits of v < 10^8, by its highest bit: the sum has it above 32 bits, and a carry into it for those that are large
** enough for one more. */
static inline unsigned cli_count_digits(uint32_t v) {
#define STEP(digits, next) ((((uint64_t)(digits) + 1) << 32) - (next)) /* one more digit from `next` on */
#define EVEN(digits) ((uint64_t)(digits) << 32)
  static const uint64_t by_bit[27] = {
    EVEN(1), EVEN(1), EVEN(1), STEP(1, 10), EVEN(2), EVEN(2), STEP(2, 100), EVEN(3), EVEN(3), STEP(3, 1000), EVEN(4), EVEN(4), EVEN(4),
    STEP(4, 10000), EVEN(5), EVEN(5), STEP(5, 100000), EVEN(6), EVEN(6), STEP(6, 1000000), EVEN(7), EVEN(7), EVEN(7), STEP(7, 10000000),
    EVEN(8), EVEN(8), EVEN(8),
  };
#undef STEP
#undef EVEN
  return (unsigned)((by_bit[31 - __builtin_clz(v | 1)] + v) >> 32);
}

/* The four digits of v < 10^4 as text, the first one lowest. */
static inline uint32_t cli_text4(uint32_t v) {
#define ONE(tens, ones) (uint16_t)((0x30 + (ones)) << 8 | (0x30 + (tens)))
#define TEN(t) ONE(t, 0), ONE(t, 1), ONE(t, 2), ONE(t, 3), ONE(t, 4), ONE(t, 5), ONE(t, 6), ONE(t, 7), ONE(t, 8), ONE(t, 9)
  static const uint16_t pairs[100] = {TEN(0), TEN(1), TEN(2), TEN(3), TEN(4), TEN(5), TEN(6), TEN(7), TEN(8), TEN(9)};
#undef TEN
#undef ONE
  uint32_t high = v * 5243 >> 19;
  return pairs[high] | (uint32_t)pairs[v - high * 100] << 16;
}

/* Writes v < 10^8; returns where it ends.  The number of digits is no branch, since it differs from cell to cell; and it is not taken from the
** digits, so that what comes behind need not wait for them. */
static inline __attribute__((always_inline)) char *cli_write_small(char *p, uint32_t v) {
  unsigned n = cli_count_digits(v);
  if (WB_LIKELY(v < 10000)) cli_store8(p, cli_text4(v) >> (32 - 8 * n));
  else cli_store8(p, (cli_spread8(v) | UINT64_C(0x3030303030303030)) >> (64 - 8 * n));
  return p + n;
}

/* A minus, if v has one, without a branch: signs differ from cell to cell. */
static inline char *cli_write_minus(char *p, int64_t v) {
  *p = '-';
  return p + (v < 0);
}
static inline uint64_t cli_size_of(int64_t v) { return v < 0 ? 0 - (uint64_t)v : (uint64_t)v; }

/* v, less than 10^8 in size. */
static inline char *cli_write_small_int(char *p, int32_t v) { return cli_write_small(cli_write_minus(p, v), (uint32_t)cli_size_of(v)); }

/* Eight digits, with zeros in front. */
static inline char *cli_write_eight(char *p, uint32_t v) {
  cli_store8(p, cli_spread8(v) | UINT64_C(0x3030303030303030));
  return p + 8;
}

/* Writes any v; returns where it ends. */
static inline char *cli_write_int(char *p, int64_t v) {
  const uint64_t eight = 100000000;
  uint64_t low = cli_size_of(v), high = low / eight;
  p = cli_write_minus(p, v);
  if (WB_LIKELY(high == 0)) return cli_write_small(p, (uint32_t)low);
  low -= high * eight;
  if (WB_LIKELY(high < eight)) {
    p = cli_write_small(p, (uint32_t)high);
  } else {
    uint64_t highest = high / eight;
    p = cli_write_eight(cli_write_small(p, (uint32_t)highest), (uint32_t)(high - highest * eight));
  }
  return cli_write_eight(p, (uint32_t)low);
}

#endif
