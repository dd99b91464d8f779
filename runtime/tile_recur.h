/* runtime/tile_recur.h -- the loops for the forms of recurrences: a part of tile_loops.h, which includes it.
**
** `prev` starts from the newest sample of the ring and stays in a register. */

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
  double prev = wrt_real_of(wrt_tile_before(t, s->state));
  EACH ((wrt_real *)d)[i] = prev = prev + RA;
  return 0;
}
LOOP(DROP_F) {
  double prev = wrt_real_of(wrt_tile_before(t, s->state));
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
    double prev = wrt_real_of(wrt_tile_before(t, s->state)); \
    EACH { \
      double sum = prev + RB; \
      ((wrt_real *)d)[i] = prev = (takes_sum) ? sum : (otherwise_real); \
    } \
    return 0; \
  }
RUN(RUN, a[i] != 0, c[i], wrt_real_of(c[i]))
RUN(RUN_NOT, a[i] == 0, c[i], wrt_real_of(c[i]))
RUN(GATHER, a[i] != 0, prev, prev)
RUN(GATHER_NOT, a[i] == 0, prev, prev)

LOOP(SCALE_K) {
  const double k = wrt_real_of(s->k);
  double prev = wrt_real_of(wrt_tile_before(t, s->state));
  EACH ((wrt_real *)d)[i] = prev = k * prev + RA;
  return 0;
}
LOOP(SCALE_V) {
  double prev = wrt_real_of(wrt_tile_before(t, s->state));
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
