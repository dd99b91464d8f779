/* tests/unit/base_sort.c -- elements of any size come in order, whatever their order was. */
#include "ir/base/sort.h"

#include <string.h>

#include "tests/test.h"

typedef struct item { char pad[21]; uint32_t key; } item;

static size_t asked;

static bool less(const void *self, const void *a, const void *b) {
  cr_expect_eq(self, &asked);
  asked++;
  return ((const item *)a)->key < ((const item *)b)->key;
}

static void expect_sorted(item *at, size_t n) {
  uint64_t sum = 0, after = 0;
  size_t levels = 1;
  asked = 0;
  for (size_t i = 0; i < n; i++) sum += at[i].key * UINT64_C(2654435761) % 1000003;
  wb_sort(at, n, sizeof *at, less, &asked);
  for (size_t i = 0; i < n; i++) after += at[i].key * UINT64_C(2654435761) % 1000003;
  cr_expect_eq(sum, after, "the elements of %zu are others", n);
  for (size_t i = 1; i < n; i++) cr_expect_leq(at[i - 1].key, at[i].key, "%zu of %zu", i, n);
  for (size_t i = n; i > 1; i /= 2) levels++;
  cr_expect_leq(asked, 3 * n * levels, "asked %zu times for %zu", asked, n);
}

Test(base_sort, any_number_in_any_order_comes_in_order) {
  static item at[300];
  for (size_t n = 0; n <= 300; n += 1 + n / 20)
    for (uint32_t way = 0; way < 4; way++) {
      memset(at, 0, sizeof at);
      for (uint32_t i = 0; i < n; i++) at[i].key = way == 0 ? i : way == 1 ? (uint32_t)n - i : way == 2 ? i * 7919 % 101 : 5;
      expect_sorted(at, n);
    }
}

static bool word_less(const void *self, const void *a, const void *b) {
  (void)self;
  return *(const int64_t *)a < *(const int64_t *)b;
}

Test(base_sort, the_ends_of_the_integers_stand_at_the_ends) {
  int64_t at[] = {0, INT64_MAX, -1, INT64_MIN, 1, INT64_MIN, INT64_MAX};
  const int64_t want[] = {INT64_MIN, INT64_MIN, -1, 0, 1, INT64_MAX, INT64_MAX};
  wb_sort(at, 7, sizeof at[0], word_less, NULL);
  cr_expect_eq(memcmp(at, want, sizeof want), 0);
}
