/* runtime/tile_division.h -- the loops that divide Ints: a part of tile_loops.h, which includes it.
**
** Below 2^51 the quotient of Floats, cut, is the quotient of the Ints: processors divide Floats in vectors.  What the compiler has no vector
** instruction for, conversion and cutting, is done with Floats so large that their last bit is 1. */

enum { SMALL_BITS = 51 };
static const double magic = 6755399441055744.0; /* 2^52 + 2^51 */

static bool is_small(int64_t k) { return k >= -(INT64_C(1) << SMALL_BITS) && k < INT64_C(1) << SMALL_BITS; }

#if defined(__AVX512DQ__)
static inline double small_real(int64_t x) { return (double)x; }
static inline int64_t cut(double q) { return (int64_t)q; }
static inline int64_t whole(double f) { return (int64_t)f; }
#else
static inline double small_real(int64_t x) { return wrt_real_of(signed_of((uint64_t)x + (uint64_t)wrt_cell_of(magic))) - magic; }
/* An Int again, from a Float that is one. */
static inline int64_t whole(double f) { return signed_of((uint64_t)wrt_cell_of(f + magic) - (uint64_t)wrt_cell_of(magic)); }
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
