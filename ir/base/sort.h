/* ir/base/sort.h -- sorting in place without memory, C stack or bad cases (qsort may take either). */
#ifndef WB_SORT_H
#define WB_SORT_H

#include "ir/base/def.h"

enum { WB_SORT_MOST = 64 }; /* bytes of an element at most */

/* Is a to come before b?  A strict weak order; `self` is the caller's. */
typedef bool wb_sort_less(const void *self, const void *a, const void *b);

/* Sorts n elements of `bytes` each.  What is equal may change places. */
void wb_sort(void *at, size_t n, size_t bytes, wb_sort_less *less, const void *self);

#endif
