/* runtime/native.h -- kernels of a whole schedule, or of the regions of one: made once for a program, run in its monitors. */
#ifndef WRT_NATIVE_H
#define WRT_NATIVE_H

#include "ir/base/module.h"
#include "ir/words.h"
#include "runtime/cache_disk.h"
#include "runtime/kernel.h"
#include "runtime/native_batch.h"
#include "runtime/object.h"
#include "runtime/quick.h"
#include "runtime/tier.h"
#include "runtime/worker.h"

/* Where an engine finds the native tier.  Used from any thread. */
typedef struct wrt_native_port {
  const char *path;               /* of the module, as the host says it; NULL: found beside the library */
  _Atomic(const wrt_tier *) tier; /* once it is opened */
  uint32_t leave_every;           /* for tests: see wrt_plan */
  uint32_t most_general;          /* for tests: larger general bodies are not compiled; 0: as native_make.c says */
  bool wants_perf_map;            /* perf_map.c */
  const char *cpu, *features;     /* as in wrt_plan: for tests */
  size_t max_compile_memory;      /* see weir_engine_options */
  uint32_t spare;                 /* for tests: so many bytes, a multiple of 64, between a monitor's registers and its arena, that nobody writes to */
  bool is_impatient;              /* for tests: kernels that rows leave are left alone, and tried again, behind a few rows */
  wrt_worker worker;              /* compiles what nobody waits for */
  wrt_cache cache;                /* where kernels are kept for other processes */
} wrt_native_port;

/* tier_load.c: opens the module if that has not been done.  NULL: *out is the tier; else why there is none, static. */
const char *wrt_tier_open(wrt_native_port *port, const wrt_tier **out);

extern const uint64_t wrt_tier_headers; /* what a module must have in its wrt_tier */

/* Which build the module is: the one that is open, else the file that would be opened.  False: it does not tell. */
bool wrt_tier_build(wrt_native_port *port, wb_build *out) WB_MUST_USE;

/* perf_map.c: adds what was loaded to the map of this process.  program: its name, or NULL. */
void wrt_perf_map(const wrt_entry *entries, size_t count, const char *program);

/* Where the arena holds, in a byte, what an input was before; UINT64_MAX: nobody asks. */
typedef struct wrt_held_bool { uint64_t at; uint32_t input; } wrt_held_bool;

/* The kernels of a program, which keeps them for its life.  Nobody changes them once they are there. */
typedef struct wrt_native {
  wir_kept kept;        /* first: what the program knows of them */
  wrt_object object;
  wrt_row_fn *kernels[WIR_BODY_FITS]; /* NULL: there is none of that fit */
  wrt_batch_fn *tiles[WIR_BODY_FITS];    /* NULL: this fit has none */
  wrt_batch_code batches[WIR_BODY_FITS]; /* what those want, or why they are not there */
  wrt_region_fn **regions; /* by region, where the schedule is not whole, and last that of the commit: then there is nothing else; else NULL */
  wrt_region_name *region_names;
  uint32_t n_regions;   /* ... and one more */
  bool has_other_rings; /* rings of something else than scalars, which that of the commit leaves alone */
  uint64_t n_streams;   /* that they compute */
  uint32_t n_inputs;
  bool stays_warm;      /* the sparse kernel leaves a warm state warm */
  bool fills;           /* a row that lacks inputs is, in a warm state, the row with what they were before in their place: there is no sparse kernel */
  uint8_t *shifted;     /* by state: see kernel.h */
  uint32_t *shifts;     /* the states for which that is set */
  uint32_t n_shifts;
  uint64_t *held;       /* by input: where the arena holds what it was before, in 8 bytes; UINT64_MAX: nobody asks, or it is a Bool */
  wrt_held_bool *bools; /* the inputs that are Bools */
  uint32_t n_bools;
  uint64_t nanoseconds; /* from the request to code that can run */
  weir_cache_state cached;
  weir_error not_kept;  /* REFUSED, FAILED: why */
  wb_digest key;        /* FOUND, KEPT: under which it is in the cache */
  wb_mem mem;           /* of the arrays */
} wrt_native;

/* ---- native_make.c ---- */

/* The kernels of a program, made at once if there are none yet; where several threads ask at once, each makes them and one's are kept.  NULL,
** or why not, static. */
const char *wrt_native_get(wrt_native_port *port, wir_program *p, const wrt_native **out);
const wrt_native *wrt_native_find(const wir_program *p); /* NULL: there are none */

/* Has the engine's thread make them, or only look for them in the cache, unless that was asked before; returns at once.  What becomes of it is
** found by looking: kernels, or a reason why there are none, which is wrt_native_pending until that is known.  NULL: nobody has asked. */
void wrt_native_want(wrt_native_port *port, wir_program *p, bool compiles);
const char *wrt_native_why_not_yet(const wir_program *p);
extern const char wrt_native_pending[], wrt_native_not_cached[]; /* neither is the last word */
static inline bool wrt_native_is_refused(const char *why_not_yet) {
  return why_not_yet != NULL && why_not_yet != wrt_native_pending && why_not_yet != wrt_native_not_cached;
}

/* Such a reason may not hold a while later: there was no memory, or no thread.  Then wrt_native_want asks anew. */
bool wrt_native_may_pass(const char *why);

/* Is there anything to compile?  Else the reason is this one. */
static inline bool wrt_native_has(const wir_bodies *b) { return b->is_whole || b->plan.n_regions != 0; }
#define WRT_NOT_SCALAR "no stream is scalar throughout, and only such streams have kernels"

/* The kernels of a program as text.  NULL: it is in *w, unless memory was exhausted, which *w says; else why there are none, static. */
const char *wrt_native_explain(wrt_native_port *port, wir_program *p, wrt_form form, wir_words *w);

/* Has kernels run the rows of a monitor whose quickened tier is chosen: it knows which code fits a row.  NULL, or why
** not, static. */
const char *wrt_native_start(struct weir_monitor *m);
void wrt_native_stop(struct weir_monitor *m);

/* A row from the inputs in m->row, with the outputs put there: computed, committed and counted.  False: nothing has happened; the row was
** declined, or, if it is not taken, there is no kernel for it. */
bool wrt_native_tagged(struct weir_monitor *m, bool *is_taken);

/* A region of a schedule that is not whole, by its number in the order of steps: into the row and the stage, if it is done. */
wrt_region_outcome wrt_native_region(struct weir_monitor *m, uint32_t region);

/* Pushes the samples of a row in steps into the rings of scalars.  False: there is no kernel for that.  *are_all: there are no other rings. */
bool wrt_native_commit(struct weir_monitor *m, bool *are_all);

/* native_shift.c: has small rings in the form that the warm and the sparse kernel want, or in canonical form, as everyone else does: to be
** called before anyone else looks at the arena.  Where they are so already, or no kernels run, nothing happens. */
void wrt_native_choose(struct weir_monitor *m); /* the next row is looked at before it goes to a kernel */
void wrt_native_acquire(struct weir_monitor *m);
void wrt_native_release(struct weir_monitor *m);

/* What the kernels of the monitor's program compute was found to be wrong: no other process is to find them in the cache.  True: the file is removed. */
bool wrt_native_discard(const struct weir_monitor *m);

void wrt_native_report(const struct weir_monitor *m, weir_report *report);

#endif
