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

/* The digits that eight bytes begin with: 0 to 8.  A byte is a digit if it is below 10 once '0' has been taken away bit by bit;
** a carry out of one that is not only reaches bytes behind it. */
static inline unsigned cli_count_digits8(uint64_t bytes) {
  uint64_t v = bytes ^ UINT64_C(0x3030303030303030);
  uint64_t other = ((v + UINT64_C(0x7676767676767676)) | v) & UINT64_C(0x8080808080808080);
  return other != 0 ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
}

/* What the first n of eight bytes mean, n from 1 to 8: moved to the end with zeros in front, then joined in pairs. */
static inline uint64_t cli_digits8(uint64_t bytes, unsigned n) {
  uint64_t v = (bytes ^ UINT64_C(0x3030303030303030)) << (64 - 8 * n);
  v = (v & UINT64_C(0x00ff00ff00ff00ff)) * 10 + (v >> 8 & UINT64_C(0x00ff00ff00ff00ff));
  v = (v & UINT64_C(0x0000ffff0000ffff)) * 100 + (v >> 16 & UINT64_C(0x0000ffff0000ffff));
  return (v & UINT32_MAX) * 10000 + (v >> 32);
}

static inline uint64_t cli_power10(unsigned n) {
  static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  return powers[n];
}

/* 1 to 15 digits: *v, and how many; 0: there are others. */
static inline unsigned cli_read_digits(const char *p, uint64_t *v) {
  uint64_t bytes = cli_load8(p);
  unsigned n = cli_count_digits8(bytes);
  if (WB_LIKELY(n - 1 < 7)) {
    *v = cli_digits8(bytes, n);
    return n;
  }
  if (n == 0) return 0;
  uint64_t first = cli_digits8(bytes, 8);
  bytes = cli_load8(p + 8);
  n = cli_count_digits8(bytes);
  if (n == 8) return 0;
  *v = n == 0 ? first : first * cli_power10(n) + cli_digits8(bytes, n);
  return n + 8;
}

/* A whole number of 1 to 15 digits, with or without '-': returns where it ends, or `p` for anything else. */
static inline const char *cli_read_short_int(const char *p, int64_t *out) {
  bool minus = *p == '-';
  uint64_t v;
  unsigned n = cli_read_digits(p + minus, &v);
  if (WB_UNLIKELY(n == 0)) return p;
  *out = (int64_t)(minus ? 0 - v : v);
  return p + minus + n;
}

/* A number without an exponent whose digits are a whole number below 2^53: the division of two exact doubles rounds once.  Returns
** where it ends, or `p` for anything else. */
static inline const char *cli_read_short_float(const char *p, double *out) {
  static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  bool minus = *p == '-';
  uint64_t whole;
  unsigned n = cli_read_digits(p + minus, &whole), k = 0;
  if (WB_UNLIKELY(n == 0)) return p;
  const char *q = p + minus + n;
  if (*q == '.') {
    uint64_t part;
    k = cli_read_digits(q + 1, &part);
    if (WB_UNLIKELY(k == 0 || n + k > 15)) return p;
    whole = whole * (k > 8 ? cli_power10(8) * cli_power10(k - 8) : cli_power10(k)) + part;
    q += 1 + k;
  }
  double v = (double)whole / powers[k];
  *out = minus ? -v : v;
  return q;
}

/* The eight decimal digits of v < 10^8 as bytes 0 to 9, the first one lowest. */
static inline uint64_t cli_spread8(uint32_t v) {
  uint64_t four = (uint64_t)(v / 10000) | (uint64_t)(v % 10000) << 32;
  uint64_t hundreds = four * 5243 >> 19 & UINT64_C(0x0000007f0000007f);
  uint64_t two = hundreds | (four - hundreds * 100) << 16;
  uint64_t tens = two * 103 >> 10 & UINT64_C(0x000f000f000f000f);
  return tens | (two - tens * 10) << 8;
}

/* Writes v; returns where it ends.  The number of digits is no branch: it differs from cell to cell. */
static inline char *cli_write_int(char *p, int64_t v) {
  uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  if (WB_UNLIKELY(size >= 100000000)) return p + wb_write_int(v, p);
  *p = '-';
  p += v < 0;
  uint64_t digits = cli_spread8((uint32_t)size);
  unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) >> 3; /* in front; the last digit always stands */
  cli_store8(p, (digits | UINT64_C(0x3030303030303030)) >> 8 * zeros);
  return p + 8 - zeros;
}

#endif
