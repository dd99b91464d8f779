/* runtime/kernel.h -- what generated code and the runtime share: the frame, the entries, the answers.
**
** A kernel computes and commits one row of a whole schedule.  It works where the quickened tier works: inputs stand in registers, outputs
** go to registers, all state stays in the canonical arena behind them, so there is nothing to hand back.  All checks come before the
** first write to the arena: a row that is declined has not happened, and runs canonically from its start. */
#ifndef WRT_KERNEL_H
#define WRT_KERNEL_H

#include "ir/semantics.h"

/* Functions that code may call.  It refers to nothing by symbol, so that it can be kept and shared. */
#define WRT_KERNEL_HELPERS(X) \
  X(pow_int, weir_code, (int64_t, int64_t, int64_t *)) \
  X(pow_float, double, (double, double)) \
  X(rem_float, double, (double, double)) \
  X(sin, double, (double)) \
  X(cos, double, (double)) \
  X(tan, double, (double))

enum { /* places in the frame, in words of 8 bytes */
  WRT_FRAME_BASE, WRT_FRAME_CONDITIONS, WRT_FRAME_COLD,
#define X(name, result, arguments) WRT_FRAME_##name,
  WRT_KERNEL_HELPERS(X)
#undef X
  WRT_FRAME_WORDS
};

typedef struct wrt_kernel_frame {
  unsigned char *base;  /* registers, then the arena */
  uint8_t *conditions;  /* by register: wir_condition */
  uint64_t *n_cold;     /* by code: see runtime/quick.h */
#define X(name, result, arguments) result (*name) arguments;
  WRT_KERNEL_HELPERS(X)
#undef X
} wrt_kernel_frame;

_Static_assert(sizeof(wrt_kernel_frame) == 8 * WRT_FRAME_WORDS, "a frame is words");
_Static_assert(offsetof(wrt_kernel_frame, conditions) == 8 * WRT_FRAME_CONDITIONS, "WRT_FRAME_CONDITIONS");
_Static_assert(offsetof(wrt_kernel_frame, n_cold) == 8 * WRT_FRAME_COLD, "WRT_FRAME_COLD");
#define X(name, result, arguments) _Static_assert(offsetof(wrt_kernel_frame, name) == 8 * WRT_FRAME_##name, #name);
WRT_KERNEL_HELPERS(X)
#undef X

/* 0: the row is computed and committed.  Else it is declined, for the weir_cause of this number less one. */
typedef uint32_t wrt_kernel_fn(const wrt_kernel_frame *f);

#endif
