/* ir/bodies.h -- the scalar bodies of a program: what the quickened tier runs, and `explain --stage ir` shows.
**
** Made by the passes from the finished program, once for all monitors, when the first of them wants them.  What is made of a body (codes,
** tiles) is the monitor's. */
#ifndef WIR_BODIES_H
#define WIR_BODIES_H

#include "ir/region.h"

/* The rows that a body of a whole schedule is for: any; those in which inputs may be absent, and those in which every input is there, both
** once the state that they assume is filled. */
typedef enum wir_body_fit { WIR_BODY_GENERAL, WIR_BODY_SPARSE, WIR_BODY_WARM, WIR_BODY_FITS } wir_body_fit;

typedef struct wir_bodies {
  wb_mem mem;              /* holds everything below; the whole is one block of the door */
  wb_door *door;
  bool is_whole;           /* one body computes and commits a row; else there is a plan */
  wir_body of_fit[WIR_BODY_FITS]; /* whole */
  uint8_t *assumed;        /* by state: bit 1 << fit: that body assumes its samples values, and, if it is whole, keeps them so */
  wir_partition plan;      /* not whole: the steps */
  wir_body *of_region;     /* not whole: one for each region, in the order of the steps, for any row; */
  wir_body *sparse_of_region; /* and for those in which nothing that it reads is Deferred, while the state that it assumes is filled */
  uint32_t *n_lowered;     /* by region (whole: one): instructions before they were optimized */
} wir_bodies;

/* Does the body of that fit assume the state's samples values, and keep them so? */
static inline bool wir_is_assumed(const wir_bodies *b, uint32_t state, wir_body_fit fit) { return (b->assumed[state] >> fit & 1) != 0; }

/* Makes bodies for the caller, who frees them.  NULL: out of memory. */
wir_bodies *wir_bodies_make(const wir_program *p, wb_door *door) WB_MUST_USE;
void wir_bodies_free(wir_bodies *b); /* NULL is allowed */

/* The program's own, made on the first call; any number of threads may call at once.  They live as long as the program.
** NULL: out of memory; the program is as it was. */
const wir_bodies *wir_program_bodies(wir_program *p) WB_MUST_USE;

#endif
