/* ir/base/vec.c -- growing an array over wb_block. */
#include "ir/base/vec.h"

#include <string.h>

#if defined(WEIR_TINY) && WEIR_TINY
enum { CAP_FIRST = 1 };
#else
enum { CAP_FIRST = 8 };
#endif

bool wb_vec_reserve(wb_mem *m, void *at, size_t *cap, size_t want, size_t elem) {
  if (want <= *cap) return true;
  void *block; /* copied in and out, since the caller's pointer has another type than void * */
  memcpy(&block, at, sizeof block);

  size_t twice, bytes, grown = WB_MAX(want, (size_t)CAP_FIRST);
  if (wb_mul(*cap, 2, &twice) && twice > grown) grown = twice;
  void *to = wb_mul(grown, elem, &bytes) ? wb_block_resize(m, block, bytes) : NULL;
  if (to == NULL && grown > want) { /* near a limit, growing by little is better than not at all */
    grown = want;
    to = wb_mul(grown, elem, &bytes) ? wb_block_resize(m, block, bytes) : NULL;
  }
  if (to == NULL) return false;
  memcpy(at, &to, sizeof to);
  *cap = grown;
  return true;
}
