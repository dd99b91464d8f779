/* runtime/tile_loops.h -- the loops of tile.h, a template: included once per level of the processor, by the file that names it in
** WRT_TILE_LEVEL and is compiled for it.
**
** Ints wrap in unsigned arithmetic, and whether that was right is collected in the sign bit of `bad`: such loops become vector code.  In lanes
** where something failed before anything may stand, so no lane may trap. */
#include <string.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "ir/semantics.h"
#include "runtime/bitmap.h"
#include "runtime/tile.h"

#define LOOP(name) \
  static int64_t name(wrt_cell *restrict d __attribute__((unused)), const wrt_cell *restrict a __attribute__((unused)), \
                      const wrt_cell *restrict b __attribute__((unused)), wrt_cell *restrict c __attribute__((unused)), \
                      const wrt_tile_step *s __attribute__((unused)), const wrt_tile_run *t)
#define EACH for (size_t i = 0, n = t->n; i < n; i++)

static inline int64_t signed_of(uint64_t x) { return (int64_t)x; }
static inline uint64_t sign_mask(uint64_t x) { return 0 - (x >> 63); }

static uint64_t spread(const wrt_cell *a, size_t n, unsigned bits) {
  const uint64_t more = UINT64_C(1) << bits;
  uint64_t any = 0;
  for (size_t i = 0; i < n; i++) any |= (uint64_t)a[i] + more;
  return any >> bits >> 1;
}

/* ---- Ints ---- */

#define INT_PLAIN(name, form, x_is, y_is, result) \
  LOOP(name##_##form) { \
    const uint64_t k = (uint64_t)s->k; \
    (void)k; \
    EACH { \
      uint64_t x = (uint64_t)(x_is), y = (uint64_t)(y_is); \
      d[i] = signed_of(result); \
    } \
    return 0; \
  }
#define INT_CHECKED(name, form, x_is, y_is, result, sign) \
  LOOP(name##_C_##form) { \
    const uint64_t k = (uint64_t)s->k; \
    uint64_t bad = 0; \
    (void)k; \
    EACH { \
      uint64_t x = (uint64_t)(x_is), y = (uint64_t)(y_is), r = (result); \
      bad |= (sign); \
      d[i] = signed_of(r); \
    } \
    return signed_of(bad); \
  } \
  LOOP(name##_G_##form) { \
    const uint64_t k = (uint64_t)s->k; \
    (void)k; \
    EACH { \
      uint64_t x = (uint64_t)(x_is), y = (uint64_t)(y_is), r = (result); \
      d[i] = signed_of(r); \
      c[i] = signed_of(sign_mask(sign)); \
    } \
    return 0; \
  }
#define INT_BOTH(name, form, x_is, y_is, result, sign) \
  INT_PLAIN(name, form, x_is, y_is, result) \
  INT_CHECKED(name, form, x_is, y_is, result, sign)

#define ADD_SIGN (x ^ r) & (y ^ r)
#define SUB_SIGN (x ^ y) & (x ^ r)
INT_BOTH(ADD, VV, a[i], b[i], x + y, ADD_SIGN)
INT_BOTH(ADD, VK, a[i], k, x + y, ADD_SIGN)
INT_BOTH(SUB, VV, a[i], b[i], x - y, SUB_SIGN)
INT_BOTH(SUB, VK, a[i], k, x - y, SUB_SIGN)
INT_BOTH(SUB, KV, k, a[i], x - y, SUB_SIGN)
INT_BOTH(NEG, V, a[i], 0, y - x, WB_PLANTED(41) ? 0 : x & r)
INT_BOTH(ABS, V, a[i], 0, ((x ^ sign_mask(x)) - sign_mask(x)) + y, r)
INT_PLAIN(MUL, VV, a[i], b[i], x * y)
INT_PLAIN(MUL, VK, a[i], k, x * y)

LOOP(MUL_C_VV) {
  bool is_bad = false;
  EACH {
    int64_t r;
    is_bad |= __builtin_mul_overflow(a[i], b[i], &r);
    d[i] = r;
  }
  return -(int64_t)is_bad;
}
LOOP(MUL_G_VV) {
  EACH {
    int64_t r;
    c[i] = -(int64_t)__builtin_mul_overflow(a[i], b[i], &r);
    d[i] = r;
  }
  return 0;
}

/* By a constant that is neither 0 nor 1 nor -1: the range of what does not overflow.  Out of it one of the differences is negative, even
** where it wraps, since the bounds are at most 2^62. */
typedef struct bounds { uint64_t low, high; } bounds;
static bounds bounds_of(int64_t k) {
  int64_t least = INT64_MIN / k, most = INT64_MAX / k;
  return (bounds){.low = (uint64_t)(k > 0 ? least : most), .high = (uint64_t)(k > 0 ? most : least)};
}
LOOP(MUL_C_VK) {
  const bounds in = bounds_of(s->k);
  const uint64_t k = (uint64_t)s->k;
  uint64_t bad = 0;
  EACH {
    uint64_t x = (uint64_t)a[i];
    bad |= (in.high - x) | (x - in.low);
    d[i] = signed_of(x * k);
  }
  return signed_of(bad);
}
LOOP(MUL_G_VK) {
  const bounds in = bounds_of(s->k);
  const uint64_t k = (uint64_t)s->k;
  EACH {
    uint64_t x = (uint64_t)a[i];
    c[i] = signed_of(sign_mask((in.high - x) | (x - in.low)));
    d[i] = signed_of(x * k);
  }
  return 0;
}

LOOP(POW_C_VV) {
  bool is_bad = false;
  EACH {
    int64_t r = 0;
    is_bad |= wir_pow_int(a[i], b[i], &r) != WEIR_OK;
    d[i] = r;
  }
  return -(int64_t)is_bad;
}
LOOP(POW_G_VV) {
  EACH {
    int64_t r = 0;
    c[i] = -(int64_t)(wir_pow_int(a[i], b[i], &r) != WEIR_OK);
    d[i] = r;
  }
  return 0;
}

/* ---- Floats ---- */

#define REAL(name, form, x_is, y_is, result) \
  LOOP(name##_F_##form) { \
    const double k = wrt_real_of(s->k); \
    (void)k; \
    EACH { \
      double x = (x_is), y = (y_is); \
      (void)y; \
      ((wrt_real *)d)[i] = (result); \
    } \
    return 0; \
  }
#define RA ((const wrt_real *)a)[i]
#define RB ((const wrt_real *)b)[i]
REAL(ADD, VV, RA, RB, x + y)
REAL(ADD, VK, RA, k, x + y)
REAL(SUB, VV, RA, RB, x - y)
REAL(SUB, VK, RA, k, x - y)
REAL(SUB, KV, k, RA, x - y)
REAL(MUL, VV, RA, RB, x * y)
REAL(MUL, VK, RA, k, x * y)
REAL(DIV, VV, RA, RB, x / y)
REAL(DIV, VK, RA, k, x / y)
REAL(DIV, KV, k, RA, x / y)
REAL(REM, VV, RA, RB, wir_rem_float(x, y))
REAL(POW, VV, RA, RB, wir_pow_float(x, y))
REAL(NEG, V, RA, 0, -x)
REAL(ABS, V, RA, 0, __builtin_fabs(x))
REAL(SIN, V, RA, 0, sin(x))
REAL(COS, V, RA, 0, cos(x))
REAL(TAN, V, RA, 0, tan(x))

LOOP(FLOAT_V) {
#if defined(__AVX512DQ__)
  EACH ((wrt_real *)d)[i] = (double)a[i];
#else
  /* Both halves as Floats that differ from them by known powers of 2; only the last addition rounds. */
  EACH {
    uint64_t x = (uint64_t)a[i];
    double high = wrt_real_of(signed_of((x >> 32) ^ UINT64_C(0x4530000080000000)));                /* 2^84 + 2^63 + high * 2^32 */
    double low = wrt_real_of(signed_of((x & UINT64_C(0xffffffff)) | UINT64_C(0x4330000000000000))); /* 2^52 + low */
    ((wrt_real *)d)[i] = (high - 0x1.00000801p84) + low;                          /* 2^84 + 2^63 + 2^52 */
  }
#endif
  return 0;
}

/* ---- Bools and choices ---- */

#define COMPARE(name, op) \
  LOOP(name##_VK) { \
    const int64_t k = s->k; \
    EACH d[i] = a[i] op k; \
    return 0; \
  } \
  LOOP(name##_F_VK) { \
    const double k = wrt_real_of(s->k); \
    EACH d[i] = RA op k; \
    return 0; \
  }
#define COMPARE_VV(name, op) \
  LOOP(name##_VV) { \
    EACH d[i] = a[i] op b[i]; \
    return 0; \
  } \
  LOOP(name##_F_VV) { \
    EACH d[i] = RA op RB; \
    return 0; \
  } \
  COMPARE(name, op)
COMPARE_VV(EQ, ==)
COMPARE_VV(NE, !=)
COMPARE_VV(LT, <)
COMPARE_VV(LE, <=)
COMPARE(GT, >)
COMPARE(GE, >=)

/* c ? x : y, of a c that is 0 or 1 and nothing else. */
static inline int64_t pick(int64_t c, int64_t x, int64_t y) { return y ^ ((x ^ y) & -c); }

#define BITS(name, result) \
  LOOP(name) { \
    EACH d[i] = (result); \
    return 0; \
  }
BITS(NOT_V, a[i] ^ 1)
BITS(AND_VV, a[i] & b[i])
BITS(OR_VV, a[i] | b[i])
BITS(IMPLIES_VV, (a[i] ^ 1) | b[i])
BITS(BUT_VV, (a[i] ^ 1) & b[i])
BITS(SELECT_VVV, pick(a[i], b[i], c[i]))
BITS(COPY, a[i])

LOOP(SELECT_VVK) {
  const int64_t k = s->k;
  EACH d[i] = pick(a[i], b[i], k);
  return 0;
}
LOOP(SELECT_VKV) {
  const int64_t k = s->k;
  EACH d[i] = pick(a[i], k, b[i]);
  return 0;
}
LOOP(SELECT_VKK) {
  const int64_t k = s->k, k2 = s->k2;
  EACH d[i] = pick(a[i], k, k2);
  return 0;
}

LOOP(BAD) {
  int64_t bad = 0;
  EACH bad |= a[i];
  return bad;
}

/* ---- Gaps ---- */

/* The row at the beginning of a word, as present: a fault. */
static inline uint64_t present_from(const uint64_t *present, size_t i) { return present[i / 64] >> i % 64 | (WB_PLANTED(43) && i != 0 && i % 64 == 0); }

/* Which rows are there is not to be predicted, and a wrong prediction costs more than filling a word without a jump: with vectors that find the
** last row that is there, for each of their rows; else with a choice in each row. */
static size_t fill_some(wrt_cell *restrict d, const wrt_cell *restrict a, size_t n, const uint64_t *present, int64_t before) {
  size_t i = 0;
#if defined(__AVX512F__) && defined(__AVX512CD__)
  const __m512i up_to = _mm512_set_epi64(255, 127, 63, 31, 15, 7, 3, 1), highest = _mm512_set1_epi64(63);
  __m512i last = _mm512_set1_epi64(before);
  for (; i + 8 <= n; i += 8) {
    __m512i bits = _mm512_and_si512(_mm512_set1_epi64((int64_t)(present_from(present, i) & 255)), up_to);
    __m512i from = _mm512_sub_epi64(highest, _mm512_lzcnt_epi64(bits)); /* -1, which is the last row of `last`, where there is none */
    last = _mm512_permutex2var_epi64(_mm512_loadu_si512(a + i), from, last);
    _mm512_storeu_si512(d + i, last);
  }
#else
  for (; i + 64 <= n; i += 64) {
    uint64_t bits = present_from(present, i);
    if (bits == UINT64_MAX) memcpy(d + i, a + i, 64 * sizeof *d);
    else if (bits == 0)
      for (size_t r = 0; r < 64; r++) d[i + r] = before;
    else
      for (size_t r = 0; r < 64; r++, bits >>= 1) {
        int64_t x = a[i + r];
        d[i + r] = before = bits & 1 ? x : before;
      }
    before = d[i + 63];
  }
#endif
  return i;
}

static void fill(wrt_cell *restrict d, const wrt_cell *restrict a, size_t n, const uint64_t *present, int64_t before) {
  size_t i = fill_some(d, a, n, present, before);
  if (i != 0) before = d[i - 1];
  for (; i < n; i++) d[i] = before = present_from(present, i) & 1 ? a[i] : before;
}

/* ---- Ports ---- */

static bool is_present(const wrt_tile_run *t, int64_t input, size_t i) {
  return t->present == NULL || wrt_word_bit(t->present + (size_t)input * WRT_TILE_WORDS, i);
}

/* A byte that is no Bool is refused; that of a row without a value is not looked at, and anything serves. */
LOOP(LOAD_BOOL) {
  const unsigned char *from = (const unsigned char *)a;
  unsigned char any = 0;
  EACH {
    any |= from[i];
    d[i] = from[i] & 1;
  }
  if (any <= 1) return 0;
  bool is_bad = false;
  EACH is_bad |= from[i] > 1 && is_present(t, s->k, i);
  return -(int64_t)is_bad;
}
LOOP(STORE_BOOL) {
  unsigned char *to = (unsigned char *)d;
  EACH to[i] = (unsigned char)a[i];
  return 0;
}

/* Calls `absent` for each row that is, in order. */
#define EACH_ABSENT(absent) \
  for (size_t w = 0; t->present != NULL && w * 64 < t->n; w++) { \
    uint64_t bits = ~t->present[(size_t)s->k * WRT_TILE_WORDS + w]; \
    for (; bits != 0; bits &= bits - 1) { \
      size_t i = w * 64 + (size_t)__builtin_ctzll(bits); \
      absent; \
    } \
  }
LOOP(PRESENT) {
  EACH d[i] = a[i];
  EACH_ABSENT(d[i] = 0)
  return 0;
}
LOOP(HOLD) {
  if (t->present == NULL) return COPY(d, a, b, c, s, t);
  fill(d, a, t->n, t->present + (size_t)s->k * WRT_TILE_WORDS, wrt_tile_before(t, s->state));
  return 0;
}

LOOP(RING) {
  const wir_state *ring = &t->states[s->state];
  size_t back = (uint64_t)s->k < t->n ? (size_t)s->k : t->n;
  uint64_t at = wrt_tile_place(ring, t->arena, (uint64_t)s->k - WB_PLANTED(44));
  for (size_t i = 0; i < back; i++) {
    d[i] = wrt_tile_sample(ring, t->arena, at);
    at = at + 1 == ring->capacity ? 0 : at + 1;
  }
  if (back < t->n) memcpy(d + back, a, (t->n - back) * sizeof *d);
  return 0;
}

/* ---- The others, and the table ---- */

#include "runtime/tile_division.h"
#include "runtime/tile_recur.h"

LOOP(NONE) {
  (void)t;
  return 0;
}
LOOP(ROWS) { /* tile_rows.c has it, once */
  (void)t;
  return -1;
}

const wrt_tile_level WRT_TILE_LEVEL = {
  .name = WRT_TILE_NAME,
  .loops = {
#define NAME(name) [WRT_TILE_##name] = name,
    WRT_TILE_LOOPS(NAME)
#undef NAME
  },
  .spread = spread,
  .fill = fill,
};
