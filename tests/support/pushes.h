/* tests/support/pushes.h -- a few rows of scalars to a monitor in any form of push, and what came of them in one form. */
#ifndef TEST_PUSHES_H
#define TEST_PUSHES_H

#include "tests/support/model.h"
#include "tests/support/tiers.h"

typedef enum pushes_form { PUSHES_TAGGED, PUSHES_TYPED, PUSHES_BATCH, PUSHES_FORMS } pushes_form;

enum { PUSHES_MOST = 64 };

typedef struct pushes {
  uint32_t done;      /* rows that were completed */
  tiers_end end;      /* of the one after them, if it failed */
  bool is_intact;     /* nothing but the rows' own samples was written; what is asked for twice is answered alike */
  weir_value outs[PUSHES_MOST][MODEL_STREAMS]; /* scalars, so they borrow nothing */
} pushes;

/* Pushes up to `n` rows, until one fails.  *random chooses what a caller may choose: bitmaps or none, their first bits, outputs that are
** not asked for in a batch (their values are then taken from *like, where that is given). */
void pushes_run(weir_monitor *m, pushes_form form, const weir_value (*rows)[MODEL_STREAMS], uint32_t n, uint64_t *random, const pushes *like,
                pushes *out);

/* The first difference, as tiers_compare has it; `first` is the number of the first row. */
void pushes_compare(uint64_t first, const char *name, const wir_program *p, const pushes *want, const pushes *got, char why[TIERS_WHY]);

/* The next random number, and the next one below n. */
uint64_t pushes_draw(uint64_t *random);
uint32_t pushes_below(uint64_t *random, uint32_t n);

#endif
