/* ir/base/vec.h -- growable arrays over wb_block.
**
** WB_VEC(T) declares one: struct { T *at; size_t n, cap; }.  Its memory belongs to the wb_mem it is grown with.
** An array that only grows and then lives as long as its owner needs no free. */
#ifndef WB_VEC_H
#define WB_VEC_H

#include "ir/base/mem.h"

#define WB_VEC(T) struct { T *at; size_t n, cap; }

/* Room for at least `want` elements of `elem` bytes; false when memory is exhausted, and then nothing has changed.
** `at` is the address of the array's pointer, whatever that points to. */
bool wb_vec_reserve(wb_mem *m, void *at, size_t *cap, size_t want, size_t elem) WB_MUST_USE;

/* n + more; where that does not fit, a number that no memory can satisfy. */
static inline size_t wb_vec_want(size_t n, size_t more) { return more > SIZE_MAX - n ? SIZE_MAX : n + more; }

#define WB_VEC_ROOM(m, v, more) \
  ((v)->cap - (v)->n >= (size_t)(more) || \
   wb_vec_reserve((m), &(v)->at, &(v)->cap, wb_vec_want((v)->n, (size_t)(more)), sizeof *(v)->at))

/* Appends a value: true, or false when memory is exhausted. */
#define WB_PUSH(m, v, ...) (WB_VEC_ROOM((m), (v), 1) && ((v)->at[(v)->n++] = (__VA_ARGS__), true))
#define WB_POP(v) ((v)->at[--(v)->n])
#define WB_TOP(v) ((v)->at[(v)->n - 1])
#define WB_VEC_FREE(m, v) (wb_block_free((m), (v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

#endif
