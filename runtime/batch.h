/* runtime/batch.h -- many rows in one call, as columns.
**
** The columns are those of weir.h: inputs borrowed for the call, outputs the caller's buffers.  Everything about a call that does not
** depend on a row is checked before the first row (batch_check.c), so that the loop over the rows (batch.c) only meets values. */
#ifndef WRT_BATCH_H
#define WRT_BATCH_H

#include "runtime/monitor.h"

/* The columns of one call. */
typedef struct wrt_batch {
  size_t rows;
  const weir_in_column *ins;
  const weir_out_column *outs;
  size_t n_ins, n_outs;
} wrt_batch;

/* The rows of a call that was checked, without a self-check. */
weir_code wrt_batch_run(wrt_monitor *m, const wrt_batch *b, size_t *done, weir_error *e) WB_MUST_USE;

/* weir_monitor_push_batch; *done is always set. */
weir_code wrt_push_batch(wrt_monitor *m, const wrt_batch *b, size_t *done, weir_error *e) WB_MUST_USE;

/* E_ARGUMENT: numbers of columns, kinds, missing or misaligned buffers, sizes, overlaps.  E_MEMORY: the check itself needs some. */
weir_code wrt_batch_check(wrt_monitor *m, const wrt_batch *b, weir_error *e) WB_MUST_USE;

/* By kind: bytes of a sample, which is also how its buffer is aligned; rows + 1 of them for a text.  0: not looked at. */
extern const uint8_t wrt_batch_widths[WEIR_KIND_COUNT];

static inline bool wrt_bit(const uint8_t *bits, size_t first, size_t row) {
  size_t at = first + row;
  return bits[at / 8] >> at % 8 & 1;
}

static inline void wrt_put_bit(uint8_t *bits, size_t first, size_t row, bool is_set) {
  size_t at = first + row;
  unsigned mask = 1u << at % 8;
  bits[at / 8] = (uint8_t)(is_set ? bits[at / 8] | mask : bits[at / 8] & ~mask);
}

#endif
