/* runtime/tile_loops.h -- the loops of tile.h, a template: included once per level of the processor, by the file that names it in
** WRT_TILE_LEVEL and is compiled for it.
**
** Ints wrap in unsigned arithmetic, and whether that was right is collected in the sign bit of `bad`: such loops become vector code.  In lanes
** where something failed before anything may stand, so no lane may trap.  A recurrence keeps its value in a register. */
#include <string.h>

#include "ir/semantics.h"
#include "runtime/tile.h"

#define LOOP(name) \
  static int64_t name(wrt_cell *restrict d __attribute__((unused)), const wrt_cell *restrict a __attribute__((unused)), \
                      const wrt_cell *restrict b __attribute__((unused)), wrt_cell *restrict c __attribute__((unused)), \
                      const wrt_tile_step *s __attribute__((unused)), const wrt_tile_run *t)
#define EACH for (size_t i = 0, n = t->n; i < n; i++)

static inline double real_of(int64_t cell) {
  double f;
  memcpy(&f, &cell, sizeof f);
  return f;
}
static inline int64_t cell_of(double f) {
  int64_t cell;
  memcpy(&cell, &f, sizeof cell);
  return cell;
}
static inline int64_t signed_of(uint64_t x) { return (int64_t)x; }
static inline uint64_t sign_mask(uint64_t x) { return 0 - (x >> 63); }

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

/* ---- Division ----
** Below 2^51 the quotient of Floats, cut, is the quotient of the Ints: processors divide Floats in vectors.  What the compiler has no vector
** instruction for, conversion and cutting, is done with Floats so large that their last bit is 1. */

enum { SMALL_BITS = 51 };
static const double magic = 6755399441055744.0; /* 2^52 + 2^51 */

static uint64_t spread(const wrt_cell *a, size_t n, unsigned bits) {
  const uint64_t more = UINT64_C(1) << bits;
  uint64_t any = 0;
  for (size_t i = 0; i < n; i++) any |= (uint64_t)a[i] + more;
  return any >> bits >> 1;
}
static bool is_small(int64_t k) { return k >= -(INT64_C(1) << SMALL_BITS) && k < INT64_C(1) << SMALL_BITS; }

#if defined(__AVX512DQ__)
static inline double small_real(int64_t x) { return (double)x; }
static inline int64_t cut(double q) { return (int64_t)q; }
static inline int64_t whole(double f) { return (int64_t)f; }
#else
static inline double small_real(int64_t x) { return real_of(signed_of((uint64_t)x + (uint64_t)cell_of(magic))) - magic; }
/* An Int again, from a Float that is one. */
static inline int64_t whole(double f) { return signed_of((uint64_t)cell_of(f + magic) - (uint64_t)cell_of(magic)); }
#if defined(__SSE4_1__)
static inline int64_t cut(double q) { return whole(__builtin_trunc(q)); }
#else
static inline int64_t cut(double q) { /* the nearest, and back towards 0 if that is farther */
  double near = (q + magic) - magic, back = near < 0 ? -1.0 : 1.0;
  return whole(near - (__builtin_fabs(near) > __builtin_fabs(q) ? back : 0.0));
}
#endif
#endif

/* a / b and a % b of small numbers; b is not 0. */
static inline int64_t small_div(int64_t x, int64_t y) { return cut(small_real(x) / small_real(y)); }
static inline int64_t small_rem(int64_t x, int64_t y) {
  double p = small_real(x), q = small_real(y);
  return whole(p - small_real(cut(p / q)) * q);
}
/* Of any; what fails gives a number that is no farther from 0 than x. */
static inline bool any_div(int64_t x, int64_t y, int64_t *r) {
  *r = x;
  return wir_div_int(x, y, r) != WEIR_OK;
}
static inline bool any_rem(int64_t x, int64_t y, int64_t *r) {
  *r = 0;
  return wir_rem_int(x, y, r) != WEIR_OK;
}

#define DIVISION(name, form, x_is, y_is, are_small, small, any) \
  LOOP(name##_C_##form) { \
    const int64_t k = s->k; \
    int64_t bad = 0; \
    bool is_bad = false; \
    (void)k; \
    if (are_small) { \
      EACH { \
        int64_t x = (x_is), y = (y_is), is_zero = y == 0; \
        bad |= -is_zero; \
        d[i] = small(x, y + is_zero); \
      } \
      return bad; \
    } \
    EACH { \
      int64_t r; \
      is_bad |= any((x_is), (y_is), &r); \
      d[i] = r; \
    } \
    return -(int64_t)is_bad; \
  } \
  LOOP(name##_G_##form) { \
    const int64_t k = s->k; \
    (void)k; \
    if (are_small) { \
      EACH { \
        int64_t x = (x_is), y = (y_is), is_zero = y == 0; \
        c[i] = -is_zero; \
        d[i] = small(x, y + is_zero); \
      } \
      return 0; \
    } \
    EACH { \
      int64_t r; \
      c[i] = -(int64_t)any((x_is), (y_is), &r); \
      d[i] = r; \
    } \
    return 0; \
  }
#define COLUMN_IS_SMALL(x) (spread(x, t->n, SMALL_BITS) == 0)
DIVISION(DIV, VV, a[i], b[i], (WB_PLANTED(42) || COLUMN_IS_SMALL(a)) && COLUMN_IS_SMALL(b), small_div, any_div)
DIVISION(REM, VV, a[i], b[i], COLUMN_IS_SMALL(a) && COLUMN_IS_SMALL(b), small_rem, any_rem)
DIVISION(DIV, KV, k, a[i], COLUMN_IS_SMALL(a) && is_small(k), small_div, any_div)
DIVISION(REM, KV, k, a[i], COLUMN_IS_SMALL(a) && is_small(k), small_rem, any_rem)

/* By a constant of size 2 or more: the product with its inverse, to the nearest, is off by less than 1, and the remainder, which is exact, tells by its sign
** which way.  (|k| counts; the quotient takes the sign afterwards.) */
typedef struct divisor { double size, inverse; } divisor;
typedef struct quotient { double q, r; } quotient;
static inline quotient divide(double x, divisor by) {
#if defined(__SSE4_1__)
  double q = __builtin_rint(x * by.inverse);
#else
  double q = (x * by.inverse + magic) - magic;
#endif
  double r = x - q * by.size;
  double up = r < 0 && x > 0 ? 1.0 : 0.0, down = r > 0 && x < 0 ? 1.0 : 0.0, step = up - down;
  return (quotient){.q = q - step, .r = r + step * by.size};
}
static bool has_divisor(int64_t k) { return is_small(k) && (k > 1 || k < -1); }
static divisor divisor_of(int64_t k) {
  double size = k < 0 ? -(double)k : (double)k;
  return (divisor){.size = size, .inverse = 1.0 / size};
}

/* k is not 0.  No result can be wrong but that of -2^63 / -1. */
static inline int64_t div_vk(wrt_cell *restrict d, const wrt_cell *restrict a, wrt_cell *restrict c, int64_t k, const wrt_tile_run *t) {
  if (has_divisor(k) && COLUMN_IS_SMALL(a)) {
    const divisor by = divisor_of(k);
    const double sign = k < 0 ? -1.0 : 1.0;
    EACH d[i] = whole(divide(small_real(a[i]), by).q * sign);
    if (c != NULL) EACH c[i] = 0;
    return 0;
  }
  bool is_bad = false;
  EACH {
    int64_t r;
    bool fails = any_div(a[i], k, &r);
    is_bad |= fails;
    if (c != NULL) c[i] = -(int64_t)fails;
    d[i] = r;
  }
  return -(int64_t)is_bad;
}
static inline int64_t rem_vk(wrt_cell *restrict d, const wrt_cell *restrict a, wrt_cell *restrict c, int64_t k, const wrt_tile_run *t) {
  if (has_divisor(k) && COLUMN_IS_SMALL(a)) {
    const divisor by = divisor_of(k);
    EACH d[i] = whole(divide(small_real(a[i]), by).r);
    if (c != NULL) EACH c[i] = 0;
    return 0;
  }
  bool is_bad = false;
  EACH {
    int64_t r;
    bool fails = any_rem(a[i], k, &r);
    is_bad |= fails;
    if (c != NULL) c[i] = -(int64_t)fails;
    d[i] = r;
  }
  return -(int64_t)is_bad;
}
LOOP(DIV_C_VK) { return div_vk(d, a, NULL, s->k, t); }
LOOP(REM_C_VK) { return rem_vk(d, a, NULL, s->k, t); }
LOOP(DIV_G_VK) {
  (void)div_vk(d, a, c, s->k, t);
  return 0;
}
LOOP(REM_G_VK) {
  (void)rem_vk(d, a, c, s->k, t);
  return 0;
}

/* ---- Floats ---- */

#define REAL(name, form, x_is, y_is, result) \
  LOOP(name##_F_##form) { \
    const double k = real_of(s->k); \
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
    double high = real_of(signed_of((x >> 32) ^ UINT64_C(0x4530000080000000)));                /* 2^84 + 2^63 + high * 2^32 */
    double low = real_of(signed_of((x & UINT64_C(0xffffffff)) | UINT64_C(0x4330000000000000))); /* 2^52 + low */
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
    const double k = real_of(s->k); \
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

/* ---- Ports ---- */

static bool is_present(const wrt_tile_run *t, int64_t input, size_t i) {
  return t->present == NULL || (t->present[(size_t)input * WRT_TILE_WORDS + i / 64] >> i % 64 & 1) != 0;
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
/* The gap of the lowest bit is filled with what stands before it, and the bit goes away.  Without a bit this changes nothing: whether there are gaps in a
** word cannot be predicted where a few are, and a wrong prediction costs more than all this. */
static inline void fill_gap(wrt_cell *d, size_t first, uint64_t *bits) {
  size_t is_gap = *bits != 0, i = first + ((size_t)__builtin_ctzll(*bits | UINT64_C(1) << 63) & (0 - is_gap));
  d[i] = d[i - is_gap];
  *bits &= *bits - is_gap;
}
LOOP(HOLD) {
  EACH d[i] = a[i];
  if (t->present == NULL) return 0;
  const uint64_t *present = t->present + (size_t)s->k * WRT_TILE_WORDS;
  if ((present[0] & 1) == 0) d[0] = wrt_tile_before(t, s->state);
  for (size_t i = 0; i < t->n; i += 64) {
    uint64_t gaps = ~present[i / 64] & ~(uint64_t)(i == 0 || WB_PLANTED(43));
    fill_gap(d, i, &gaps);
    fill_gap(d, i, &gaps);
    while (WB_UNLIKELY(gaps != 0)) fill_gap(d, i, &gaps);
  }
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

/* ---- Recurrences ---- */

/* Some rows at once: sums within a vector, and then one addition for them all waits for the rows before. */
#if defined(__AVX512F__)
enum { LANES = 8 };
#elif defined(__AVX2__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
typedef uint64_t lanes __attribute__((vector_size(LANES * sizeof(uint64_t))));

/* Lane i becomes the sum of lanes 0 to i. */
static inline lanes sums_of(lanes x) {
  const lanes zero = {0};
#if defined(__AVX512F__)
  x += __builtin_shufflevector(zero, x, 7, 8, 9, 10, 11, 12, 13, 14);
  x += __builtin_shufflevector(zero, x, 6, 7, 8, 9, 10, 11, 12, 13);
  x += __builtin_shufflevector(zero, x, 4, 5, 6, 7, 8, 9, 10, 11);
#elif defined(__AVX2__)
  x += __builtin_shufflevector(zero, x, 3, 4, 5, 6);
  x += __builtin_shufflevector(zero, x, 2, 3, 4, 5);
#else
  x += __builtin_shufflevector(zero, x, 1, 2);
#endif
  return x;
}
static inline lanes last_of(lanes x) {
#if defined(__AVX512F__)
  return __builtin_shufflevector(x, x, 7, 7, 7, 7, 7, 7, 7, 7);
#elif defined(__AVX2__)
  return __builtin_shufflevector(x, x, 3, 3, 3, 3);
#else
  return __builtin_shufflevector(x, x, 1, 1);
#endif
}

enum { GAIN_BITS = 52, TOTAL_BITS = 62 }; /* a tile of numbers of the one added to the other does not overflow */
_Static_assert(GAIN_BITS < TOTAL_BITS && (WRT_TILE_MOST_ROWS >> (TOTAL_BITS - GAIN_BITS)) <= 1, "a tile gains at most 2^TOTAL_BITS");
static bool sums_are_small(const wrt_cell *a, uint64_t prev, size_t n) {
  return (prev + (UINT64_C(1) << TOTAL_BITS)) >> TOTAL_BITS >> 1 == 0 && spread(a, n, GAIN_BITS) == 0;
}

/* _C: where sums are small there is nothing to check. */
#define INT_SUM(name, f, op) \
  LOOP(name) { \
    uint64_t prev = (uint64_t)wrt_tile_before(t, s->state); \
    size_t i = 0; \
    lanes before = prev - (lanes){0}; \
    for (; i + LANES <= t->n; i += LANES) { \
      lanes x; \
      memcpy(&x, a + i, sizeof x); \
      x = sums_of(x); \
      lanes sum = before op x; \
      memcpy(d + i, &sum, sizeof sum); \
      before = before op last_of(x); \
    } \
    for (prev = before[0]; i < t->n; i++) { \
      prev = prev op (uint64_t)a[i]; \
      d[i] = signed_of(prev); \
    } \
    return 0; \
  } \
  LOOP(name##_C) { \
    int64_t prev = wrt_tile_before(t, s->state); \
    bool is_bad = false; \
    if (sums_are_small(a, (uint64_t)prev, t->n)) return name(d, a, b, c, s, t); \
    EACH { \
      is_bad |= __builtin_##f##_overflow(prev, a[i], &prev); \
      d[i] = prev; \
    } \
    return -(int64_t)is_bad; \
  }
INT_SUM(SUM, add, +)
INT_SUM(DROP, sub, -)
LOOP(SUM_F) {
  double prev = real_of(wrt_tile_before(t, s->state));
  EACH ((wrt_real *)d)[i] = prev = prev + RA;
  return 0;
}
LOOP(DROP_F) {
  double prev = real_of(wrt_tile_before(t, s->state));
  EACH ((wrt_real *)d)[i] = prev = prev - RA;
  return 0;
}

/* Only the sum that is taken counts. */
#define INT_COUNT(name, takes_sum) \
  LOOP(name) { \
    const uint64_t k = (uint64_t)s->k, k2 = (uint64_t)s->k2; \
    uint64_t gained = (uint64_t)wrt_tile_before(t, s->state) - k2; /* so that there is an and, and no choice, between row and row */ \
    EACH { \
      gained = (gained + k) & (0 - (uint64_t)(takes_sum)); \
      d[i] = signed_of(gained + k2); \
    } \
    return 0; \
  } \
  LOOP(name##_C) { \
    const int64_t k = s->k, k2 = s->k2; \
    int64_t prev = wrt_tile_before(t, s->state); \
    bool is_bad = false; \
    EACH { \
      int64_t sum; \
      bool fails = __builtin_add_overflow(prev, k, &sum), takes = (takes_sum) != 0; \
      is_bad |= fails && takes; \
      d[i] = prev = takes ? sum : k2; \
    } \
    return -(int64_t)is_bad; \
  }
INT_COUNT(COUNT, a[i])
INT_COUNT(COUNT_NOT, a[i] ^ 1)

#define RUN(name, takes_sum, otherwise_int, otherwise_real) \
  LOOP(name##_C) { \
    int64_t prev = wrt_tile_before(t, s->state); \
    bool is_bad = false; \
    EACH { \
      int64_t sum; \
      bool fails = __builtin_add_overflow(prev, b[i], &sum), takes = (takes_sum); \
      is_bad |= fails && takes; \
      d[i] = prev = takes ? sum : (otherwise_int); \
    } \
    return -(int64_t)is_bad; \
  } \
  LOOP(name##_F) { \
    double prev = real_of(wrt_tile_before(t, s->state)); \
    EACH { \
      double sum = prev + RB; \
      ((wrt_real *)d)[i] = prev = (takes_sum) ? sum : (otherwise_real); \
    } \
    return 0; \
  }
RUN(RUN, a[i] != 0, c[i], real_of(c[i]))
RUN(RUN_NOT, a[i] == 0, c[i], real_of(c[i]))
RUN(GATHER, a[i] != 0, prev, prev)
RUN(GATHER_NOT, a[i] == 0, prev, prev)

LOOP(SCALE_K) {
  const double k = real_of(s->k);
  double prev = real_of(wrt_tile_before(t, s->state));
  EACH ((wrt_real *)d)[i] = prev = k * prev + RA;
  return 0;
}
LOOP(SCALE_V) {
  double prev = real_of(wrt_tile_before(t, s->state));
  EACH ((wrt_real *)d)[i] = prev = RB * prev + RA;
  return 0;
}
LOOP(CHOOSE) {
  int64_t prev = wrt_tile_before(t, s->state);
  EACH d[i] = prev = a[i] ^ ((a[i] ^ b[i]) & prev);
  return 0;
}
LOOP(LEAST) {
  int64_t prev = wrt_tile_before(t, s->state);
  EACH d[i] = prev = prev < a[i] ? prev : a[i];
  return 0;
}
LOOP(MOST) {
  int64_t prev = wrt_tile_before(t, s->state);
  EACH d[i] = prev = prev > a[i] ? prev : a[i];
  return 0;
}

/* ---- The table ---- */

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
};
