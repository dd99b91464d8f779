/* runtime/self_check.h -- some rows run a second time, canonically, and what the tier has made of them is compared.
**
** Which rows, random numbers say: one of `every` on average, in batches pieces of them.  A row that is checked runs in its tier; then the state
** goes back to what it was, the row runs canonically, and that answer is kept.  Compared are values, presence, how it ended, and the state
** behind it, by the descriptors.  Schedules that are not whole have a simpler way: their tier
** only fills the row and the stage, which are compared before the commit; the kernel of the commit runs on a copy of the state.
**
** A difference is a fault of Weir.  Then what has computed the rows is switched off for the monitor, kernels first and the quickened tier
** next, and if there is a folder, the specification and the rows that came are written there. */
#ifndef WRT_SELF_CHECK_H
#define WRT_SELF_CHECK_H

#include "runtime/kernel.h"

struct wrt_batch;
struct wrt_check;

typedef struct wrt_check_options {
  uint64_t every;     /* 0: nothing is checked */
  uint64_t seed;
  const char *folder; /* copied; NULL: nothing is written */
} wrt_check_options;

/* Sets m->check.  False: out of memory. */
bool wrt_check_new(struct weir_monitor *m, const wrt_check_options *options) WB_MUST_USE;

/* Rows have come by some way other than wrt_check_typed: the next typed one comes there again.  Nothing without a check. */
void wrt_check_settle(struct weir_monitor *m);

/* The forms of push, while there is a check. */
wrt_row_fn wrt_check_typed;
weir_code wrt_check_tagged(struct weir_monitor *m, const weir_value *inputs, size_t count, weir_error *e);
weir_code wrt_check_batch(struct weir_monitor *m, const struct wrt_batch *b, size_t *done, weir_error *e);

/* A row of a schedule that is not whole, between its admission and its commit: as wrt_tick_run. */
weir_code wrt_check_steps(struct weir_monitor *m, weir_error *e);
/* Its commit, once the arena has the cells.  True: the row is one that is checked, and a kernel has pushed its samples into the rings of a copy of the
** arena; the caller pushes them into the arena's own without that kernel, and then has the two compared. */
bool wrt_check_commit(struct weir_monitor *m);
void wrt_check_committed(struct weir_monitor *m);

/* The tier that runs where this one is asked for, and why that is another one; static. */
weir_tier wrt_check_tier(const struct weir_monitor *m, weir_tier asked);
#define WRT_CHECK_DIFFERS "a self-check has found results of machine code that were not those of the canonical tier"

bool wrt_check_has_discarded(const struct weir_monitor *m); /* the file of its kernels in the object cache */
void wrt_check_report(const struct weir_monitor *m, weir_report *report);

#endif
