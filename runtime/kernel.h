/* runtime/kernel.h -- what generated code and the runtime share: the entry of a row, and the frame, which is the beginning of a monitor.
**
** A kernel computes and commits a row of a whole schedule (those of regions: see below): from the caller's cells into the caller's cells.  Its entry has the arguments of
** weir_monitor_push_typed, and is what that function jumps to while rows are warm.  What it needs besides, it finds at fixed distances from
** the monitor; state stays in the canonical arena, and in canonical form but for small rings: while the warm and the sparse kernel run one row
** after the other, these are *shifted*, the newest sample first, so that it is known beforehand where a sample is.  The places of their
** wir_ring are then those of the row that came first; native_shift.c gives them back.  All checks come before the first write to the arena: a row that is declined has not
** happened, and the kernel ends in `leave`, which has it run elsewhere.
**
** There is a kernel for each fit (ir/bodies.h).  The warm one asks whether the row is for it, and ends in `other` where it is not; in the other
** kernels the caller answers for that: Bools are 0 or 1, buffers are there, and the state is what the body assumes. */
#ifndef WRT_KERNEL_H
#define WRT_KERNEL_H

#include "ir/semantics.h"
#include "ir/state.h"

struct weir_monitor;

/* As weir_monitor_push_typed. */
typedef weir_code wrt_row_fn(struct weir_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred,
                             weir_cell *out, uint64_t *out_present, uint64_t *out_deferred, weir_error *e);
enum { WRT_MOST_SHIFTED = 4 }; /* samples of a ring: beyond, moving all of them costs more than looking where one is */

enum { WRT_ROW_ARGUMENTS = 8 };
typedef enum wrt_row_argument { /* their numbers */
  WRT_ROW_MONITOR, WRT_ROW_IN, WRT_ROW_IN_PRESENT, WRT_ROW_IN_DEFERRED, WRT_ROW_OUT, WRT_ROW_OUT_PRESENT, WRT_ROW_OUT_DEFERRED, WRT_ROW_ERROR
} wrt_row_argument;

/* The frame: words of 8 bytes, X(type, name). */
#define WRT_FRAME_FIELDS(X) \
  X(wrt_row_fn *, push_typed)   /* what takes the next typed row */ \
  X(unsigned char *, arena)     /* the canonical arena, by the program's layout */ \
  X(uint64_t, ticks) \
  X(wrt_row_fn *, other)        /* takes a row that the warm kernel is not for */ \
  X(wrt_row_fn *, leave)        /* takes a row that a kernel has declined, for the weir_cause in `cause` */ \
  X(uint64_t, cause) \
  X(uint64_t *, n_cold)         /* by fit: see runtime/quick.h */

/* Then functions that code may call.  It refers to nothing by symbol, so that it can be kept and shared. */
#define WRT_KERNEL_HELPERS(X) \
  X(pow_int, weir_code, (int64_t, int64_t, int64_t *)) \
  X(pow_float, double, (double, double)) \
  X(rem_float, double, (double, double)) \
  X(sin, double, (double)) \
  X(cos, double, (double)) \
  X(tan, double, (double))

enum { /* places in the frame, in words */
#define X(type, name) WRT_FRAME_##name,
  WRT_FRAME_FIELDS(X)
#undef X
#define X(name, result, arguments) WRT_FRAME_##name,
  WRT_KERNEL_HELPERS(X)
#undef X
  WRT_FRAME_WORDS
};

/* ---- Regions of a schedule that is not whole ---- */

/* A kernel of a region does what the region's quickened code does (runtime/quick.h): it reads the row, the cells of the stage and the rings of the
** arena, and writes its streams to the row, what cells are to keep to the stage, and the samples of rings of DELAY to `pending`.  So the tick may
** still fail.  It looks whether the row is for the region's sparse body (ir/bodies.h); for others it may have the general one or not. */
typedef enum wrt_region_outcome {
  WRT_REGION_DONE,         /* by the sparse body */
  WRT_REGION_DONE_GENERAL, /* by the general one */
  WRT_REGION_DECLINED,     /* nothing was written: for the weir_cause in `cause` */
  WRT_REGION_OTHER,        /* nothing was written: the row is not for this kernel */
  WRT_REGION_OUTCOMES
} wrt_region_outcome;
/* One more kernel has the same arguments: that of the commit pushes the samples of all rings of scalars, as commit.c does. */
typedef uint32_t wrt_region_fn(struct weir_monitor *m, weir_value *row, unsigned char *cells, weir_value *pending);
enum { WRT_REGION_ARGUMENTS = 4 };
typedef enum wrt_region_argument { WRT_REGION_MONITOR, WRT_REGION_ROW, WRT_REGION_CELLS, WRT_REGION_PENDING } wrt_region_argument;
_Static_assert((int)WRT_REGION_MONITOR == (int)WRT_ROW_MONITOR, "what reads the frame finds the monitor in either kind of kernel");

/* ---- Tiles of rows ---- */

/* A kernel of a batch computes and commits a tile of rows, a multiple of WRT_BATCH_UNIT, of columns without gaps.  A tile in which something
** fails has not happened. */
enum { WRT_BATCH_UNIT = 16 };

/* Which ways tiles have gone, X(name, what): a tile ends as SMALL or CHECKED, or as one of the last three, and has not happened. */
#define WRT_BATCH_WAYS(X) \
  X(SMALL, "computed by the version for small numbers") \
  X(CHECKED, "computed by the version that checks all") \
  X(STATE, "not tried as small: what it reads of the state is not") \
  X(WIDE, "tried as small, and some input was not") \
  X(SKIPPED, "not tried as small: another one shortly before was not") \
  X(FAILED, "an operation failed") \
  X(NO_BOOL, "a byte that is no Bool") \
  X(LEFT, "told to leave: for tests")
typedef enum wrt_batch_way {
#define X(name, what) WRT_BATCH_##name,
  WRT_BATCH_WAYS(X)
#undef X
  WRT_BATCH_WAY_COUNT
} wrt_batch_way;

typedef struct wrt_batch_frame {
  unsigned char *arena;
  unsigned char *scratch;  /* as many bytes as the code wants, aligned to 64 */
  void *const *columns;    /* where the rows begin: inputs, then outputs; a Bool takes a byte */
  uint64_t rows;
  uint64_t ticks;          /* before the tile */
  uint64_t ways[WRT_BATCH_WAY_COUNT]; /* tiles that have gone that way: kept by the kernel */
  uint64_t skip;           /* so many tiles are not tried as small ones: kept by the kernel */
  uint64_t *n_cold;        /* by fit: see runtime/quick.h */
  /* Samples of full rings: copies n of them from the one of `back` ago on; pushes n.  `bytes` of each. */
  void (*ring_read)(const void *values, const wir_ring *ring, uint64_t capacity, uint64_t back, uint64_t n, void *to, uint64_t bytes);
  void (*ring_push)(void *values, wir_ring *ring, uint64_t capacity, const void *from, uint64_t n, uint64_t bytes);
} wrt_batch_frame;

/* 0: the tile is computed and committed. */
typedef uint32_t wrt_batch_fn(wrt_batch_frame *f);

/* What the code of a fit wants. */
typedef struct wrt_batch_code {
  const char *why;         /* it is not there; NULL: it is */
  const char *name;        /* of its entry; fits may share one */
  uint32_t rows;           /* of a tile at most */
  uint64_t scratch;        /* bytes */
} wrt_batch_code;

#endif
