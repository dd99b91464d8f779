/* tests/support/hits.h -- what a set of programs has made happen, so that a comparison which never met something says so.
**
** Counted: scalar instructions by rows that ran a body with them (and those in each kernel on their own), graph nodes by programs, outputs by presence, declined rows by cause.
** What scalar programs cannot meet is listed in hits.c with its reason; everything else must be met, and a new row of a table counts
** as something to meet. */
#ifndef TEST_HITS_H
#define TEST_HITS_H

#include "ir/bodies.h"
#include "runtime/kernel.h"

struct wrt_quick;
struct wrt_native_batch;

typedef enum hits_presence { HITS_VALUE, HITS_NOVAL, HITS_DEFERRED, HITS_PRESENCES } hits_presence;

typedef struct hits {
  uint64_t ins[WIR_INS_OPS];
  uint64_t nodes[WIR_NODE_KINDS];
  uint64_t presence[HITS_PRESENCES];
  uint64_t causes[WEIR_CAUSE_COUNT];
  uint64_t kernels[WIR_BODY_FITS][WIR_INS_OPS]; /* of the native tier, by rows as `ins` */
  uint64_t regions[WIR_BODY_FITS][WIR_INS_OPS]; /* of kernels of regions, which have no warm one */
  uint64_t tiles[WIR_BODY_FITS][WIR_INS_OPS];   /* of its kernels for tiles, by tiles */
  uint64_t ways[WRT_BATCH_WAY_COUNT];           /* of tiles in kernels */
} hits;

void hits_of_program(hits *h, const wir_program *p);
/* Of a whole schedule after its last row. */
void hits_of_quick(hits *h, const struct wrt_quick *q);
/* Of a whole schedule, by the rows that its kernels took. */
void hits_of_kernels(hits *h, const wir_bodies *b, const uint64_t ran[WIR_BODY_FITS]);
/* Of a schedule that is not whole, by how often kernels have computed a region of it. */
void hits_of_regions(hits *h, const wir_bodies *b, const uint64_t ran[WIR_BODY_FITS]);
/* Of kernels for tiles in a monitor. */
void hits_of_tiles(hits *h, const wir_bodies *b, const struct wrt_native_batch *n);
/* The next that was never met and is not exempt, as "table name"; NULL after the last.  *at starts at 0. */
const char *hits_missing(const hits *h, uint32_t *at);
const char *hits_missing_kernel(const hits *h, uint32_t *at); /* the same for what kernels have met */
const char *hits_missing_tile(const hits *h, uint32_t *at);   /* and those for tiles */
const char *hits_missing_region(const hits *h, uint32_t *at);

#endif
