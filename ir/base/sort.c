/* ir/base/sort.c -- heap sort (J. W. J. Williams, 1964); see sort.h. */
#include "ir/base/sort.h"

#include <string.h>

typedef struct heap {
  char *at;
  size_t bytes;
  wb_sort_less *less;
  const void *self;
} heap;

static void *element(const heap *h, size_t i) { return h->at + i * h->bytes; }
static bool is_less(const heap *h, const void *a, const void *b) { return h->less(h->self, a, b); }

/* Sinks the element at `i` below those that come after it, in a heap of n. */
static void sift(const heap *h, size_t i, size_t n) {
  _Alignas(max_align_t) char x[WB_SORT_MOST];
  memcpy(x, element(h, i), h->bytes);
  for (size_t child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && is_less(h, element(h, child), element(h, child + 1))) child++;
    if (!is_less(h, x, element(h, child))) break;
    memcpy(element(h, i), element(h, child), h->bytes);
  }
  memcpy(element(h, i), x, h->bytes);
}

void wb_sort(void *at, size_t n, size_t bytes, wb_sort_less *less, const void *self) {
  wb_assert(bytes <= WB_SORT_MOST);
  const heap h = {.at = at, .bytes = bytes, .less = less, .self = self};
  for (size_t i = n / 2; i-- > 0;) sift(&h, i, n);
  for (size_t last = n; last-- > 1;) {
    char x[WB_SORT_MOST];
    memcpy(x, element(&h, 0), bytes);
    memcpy(element(&h, 0), element(&h, last), bytes);
    memcpy(element(&h, last), x, bytes);
    sift(&h, 0, last);
  }
}
