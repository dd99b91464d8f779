/* runtime/native_batch.h -- kernels for tiles of rows in a monitor: what they work on, and the rows of a batch that they take. */
#ifndef WRT_NATIVE_BATCH_H
#define WRT_NATIVE_BATCH_H

#include "ir/bodies.h"
#include "runtime/kernel.h"

struct weir_monitor;
struct wrt_batch;

typedef struct wrt_native_batch {
  wrt_batch_frame frame;
  uint32_t most_rows;        /* of a tile, of any kernel */
  void **columns;            /* by input, then by output: where the tile's rows are */
  uint32_t *held;            /* by input: the state that has its last value; NONE: nobody holds it */
  uint32_t *input_of_output; /* by output: the input that it is a copy of, gaps included; else NONE */
  uint64_t *present;         /* by input: bits of the tile's rows */
  uint64_t present_words;    /* of each */
  unsigned char *filled;     /* columns of inputs with their gaps filled; NULL until there are gaps */
  unsigned char *unasked;    /* columns of outputs that the caller does not want; NULL until that is so */
  uint64_t n_tiles[WIR_BODY_FITS]; /* computed and committed, by the fit that was asked for; frame.ways tells what became of the others */
} wrt_native_batch;

enum { WRT_NATIVE_NONE = UINT32_MAX };

/* What the kernels of the monitor's program need here, made for it once.  NULL: memory is exhausted. */
struct wrt_native;
wrt_native_batch *wrt_native_batch_new(struct weir_monitor *m, const struct wrt_native *kernels) WB_MUST_USE;

/* Runs a tile from row `at` on, if kernels run the rows and one can: answers its rows.  0: none, and then the next *alone rows are to run one by
** one, or if these are 0, elsewhere. */
size_t wrt_native_batch_rows(struct weir_monitor *m, const struct wrt_batch *b, size_t at, size_t *alone);

#endif
