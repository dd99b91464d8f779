/* runtime/hot.h -- tier AUTO: when kernels are worth making, when a monitor begins to run in them, and when it stops.
**
** A monitor begins in the quickened tier.  Now and then it times rows; once they have taken as long as is worth a compilation, it asks the
** engine's thread for kernels (native_make.c), goes on as before, and looks whether they are there.  It begins to run in them between two
** ticks.  Where too many rows leave them, it goes back, and tries again later.
**
** All that rows pay for it is a comparison with the tick of the next look: typed rows in a taker of their own (wrt_push_typed_watched), which is
** not there in other tiers, nor once there is nothing more to wait for. */
#ifndef WRT_HOT_H
#define WRT_HOT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/kernel.h"

typedef struct wrt_hot {
  uint64_t next;      /* the tick from which on a row is looked at before it runs; UINT64_MAX: none is */
  bool is_auto;       /* the tier is AUTO */
  uint64_t after;     /* not 0: kernels are asked for behind so many rows, however long they take; UINT64_MAX: never */
  uint64_t since;     /* the tick at which the tier became AUTO */
  uint64_t last;      /* the tick up to which `spent` counts */
  uint64_t spent;     /* what rows have taken since then, nanoseconds, estimated from those that were timed */
  uint64_t weight;    /* the same, weighed by what kernels would gain */
  uint64_t worth;     /* kernels are asked for when that reaches this: what compiling will take, nanoseconds */
  uint64_t sample;    /* what the row before took, where this one is to be timed too; 0: it is the first */
  uint64_t left;      /* rows that left kernels since tick ... */
  uint64_t window;
  bool is_resting;    /* kernels are asked for again at tick `next`: there was no memory or no thread for them */
  uint32_t n_failed;  /* how often that was so */
  uint32_t n_given_up; /* how often kernels were left alone for that reason */
} wrt_hot;

/* The tier becomes AUTO, in a monitor whose quickened tier is chosen; or something else. */
void wrt_hot_start(struct weir_monitor *m);
void wrt_hot_stop(struct weir_monitor *m);

/* Takes a typed row whose tick has come to `next`; the other two arguments are where the monitor keeps them. */
weir_code wrt_hot_push(struct weir_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                       uint64_t *out_present);

/* The same for others: looks.  True: what runs then is to be timed. */
bool wrt_hot_look(struct weir_monitor *m);
void wrt_hot_timed(struct weir_monitor *m, uint64_t nanoseconds);

/* Rows of a batch are timed many at once. */
typedef struct wrt_hot_watch { uint64_t begin, first; } wrt_hot_watch; /* nothing runs with begin == 0; else rows from tick `first` on */
void wrt_hot_piece(struct weir_monitor *m, wrt_hot_watch *w);   /* the tick has come to `next`, between two pieces of a batch */
void wrt_hot_pieces_end(struct weir_monitor *m, wrt_hot_watch *w);

/* So many rows have left their kernel. */
void wrt_hot_left(struct weir_monitor *m, uint64_t rows);

void wrt_hot_report(const struct weir_monitor *m, weir_report *report);

#endif
