/* runtime/monitor.h -- one running instance of a program.
**
** The evaluators write the row and the stage; commit.c alone makes them history.  Values in the row, among the values and in the stage are
** borrowed: from the program, from the arena, or from the pool of objects that this tick has made, which lives until the next tick
** begins.  Only the arena and the outputs count references. */
#ifndef WRT_MONITOR_H
#define WRT_MONITOR_H

#include "ir/base/error.h"
#include "ir/program.h"
#include "runtime/engine.h"
#include "runtime/hot.h"
#include "runtime/kernel.h"
#include "runtime/self_check.h"

/* Why an operation failed, before it is put into words. */
typedef struct wrt_failure {
  weir_code code;
  uint32_t stream;
  uint32_t node;   /* of the stream's graph */
  uint32_t tag[2]; /* E_KIND: the tags of the operands (or of the part that did not fit) */
  wir_type type;   /* E_KIND of a CONVERT: what was expected there */
} wrt_failure;

typedef struct wrt_stage {
  unsigned char *cells; /* a copy of the arena's cells: what they will be after the commit */
  weir_value *pending;  /* the samples that DELAY rings will get */
} wrt_stage;

/* STEPS: of a schedule that is not whole; KERNELS: the same, and a kernel has computed some region. */
typedef enum wrt_ran { WRT_RAN_CANONICAL, WRT_RAN_STEPS, WRT_RAN_KERNELS, WRT_RAN_QUICK, WRT_RAN_NATIVE } wrt_ran;

typedef struct weir_monitor wrt_monitor;
struct weir_monitor {
  /* The frame of kernels, at the very beginning: kernel.h. */
#define X(type, name) type name;
  WRT_FRAME_FIELDS(X)
#undef X
#define X(name, result, arguments) result (*help_##name) arguments;
  WRT_KERNEL_HELPERS(X)
#undef X
  wb_mem mem;             /* all below; the monitor itself is a block of the door */
  wb_door *door;
  wir_program *program;   /* counted */
  size_t max_depth;       /* nesting of values */
  uint8_t *in_kinds, *out_kinds; /* by input, by output: its weir_kind, close together for rows and columns */
  uint32_t *held_inputs;  /* the inputs with a memory for their lifted readers */
  uint32_t n_held_inputs;
  bool has_bool_inputs;
  bool has_rich_outputs;  /* some output may be a counted object */
  bool is_typed;          /* the program is: see weir_program_is_typed */
  weir_value *row;        /* by stream: its raw value in this tick */
  weir_value *values;     /* by node: of the graph that is being evaluated */
  struct wrt_quick *quick; /* the quickened tier while it is chosen, else NULL */
  struct wrt_quick *made_quick; /* once it was made, it stays for the next switch */
  wb_mem quick_mem;       /* its codes: a part of mem */
  struct wrt_native_port *port; /* where the native tier is found; NULL: nowhere */
  wrt_hot hot;
  struct wrt_check *check; /* rows run twice now and then; NULL: they do not */
  const struct wrt_native *native; /* the program's kernels, while the native tier is chosen; else NULL */
  weir_cell *native_cells; /* for rows that do not come as cells: room for a row's inputs and outputs, and for the words of their bits */
  struct wrt_native_batch *native_batch; /* what kernels of tiles work on, once they were wanted */
  struct wrt_batch_block *batch_block; /* for rows of a batch that run one by one, once there were some */
  bool has_no_native_batch; /* there is no memory for it */
  uint64_t native_since;   /* the tick from which on kernels run; UINT64_MAX: they do not */
  uint64_t n_exits[WEIR_CAUSE_COUNT]; /* rows that left a kernel, and regions of rows */
  uint64_t n_region_outcomes[WRT_REGION_OUTCOMES]; /* of regions of rows that came to kernels */
  bool is_shifted;         /* kernels have small rings in their form, */
  uint64_t shifted_since;  /* since this tick */
  const char *why_not_native; /* it was asked for, and cannot run; static */
  wrt_ran ran;            /* what has computed the row that is to be committed */
  wrt_stage stage;
  WB_VEC(weir_value) pool; /* objects made in this tick: one reference each */
  WB_VEC(wrt_failure) failures; /* of the guarded operations of the stream that is being evaluated */
  weir_value *replaced;   /* for commit: what it has overwritten; room for every ring and rich cell */
  weir_value *outputs;    /* of the last tick that was pushed with tagged values; counted */
  weir_value *publishing; /* of this tick; counted */
  weir_error *typed_error;  /* the caller's, while a typed row is pushed, */
  uint64_t *typed_deferred; /* and out_deferred */
  uint64_t quick_ticks, canonical_ticks; /* of all ticks; the others ran in kernels, which count nothing else */
  bool is_terminal;
  weir_error end;         /* why it is terminal */
};

#define X(type, name) _Static_assert(offsetof(struct weir_monitor, name) == 8 * (size_t)WRT_FRAME_##name && sizeof(type) == 8, #name);
WRT_FRAME_FIELDS(X)
#undef X
#define X(name, result, arguments) _Static_assert(offsetof(struct weir_monitor, help_##name) == 8 * (size_t)WRT_FRAME_##name, #name);
WRT_KERNEL_HELPERS(X)
#undef X

typedef struct wrt_options {
  size_t max_memory, max_depth; /* max_memory 0: none */
  weir_tier tier;
  uint64_t compile_after; /* wrt_hot.after */
  struct wrt_native_port *port;
  wrt_check_options check;
} wrt_options;

/* Makes a monitor with empty state.  The program is retained.  NULL and E_MEMORY when memory is exhausted. */
weir_code wrt_monitor_new(wb_door *door, wir_program *program, const wrt_options *options, wrt_monitor **out, weir_error *e)
    WB_MUST_USE;
void wrt_monitor_free(wrt_monitor *m);

/* One tick: the six steps of architecture.md 2.  As weir_monitor_push. */
weir_code wrt_push(wrt_monitor *m, const weir_value *inputs, size_t count, weir_error *e) WB_MUST_USE;
weir_code wrt_push_row(wrt_monitor *m, const weir_value *inputs, size_t count, weir_error *e) WB_MUST_USE; /* without a self-check */

/* The same with a row of typed cells, in the quickened and the canonical tier: what m->push_typed is where no kernels run.  Row and outputs of
** tagged values are not touched. */
weir_code wrt_push_typed(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                         uint64_t *out_present, uint64_t *out_deferred, weir_error *e) WB_MUST_USE;
/* The same while tier AUTO waits for something (hot.h). */
weir_code wrt_push_typed_watched(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                                 uint64_t *out_present, uint64_t *out_deferred, weir_error *e) WB_MUST_USE;
/* The same, without a look at the shortest way; and for a row that the quickened tier or a kernel has declined. */
weir_code wrt_push_typed_any(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                             uint64_t *out_present, uint64_t *out_deferred, weir_error *e) WB_MUST_USE;
weir_code wrt_push_typed_declined(wrt_monitor *m, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred, weir_cell *out,
                                  uint64_t *out_present, uint64_t *out_deferred, weir_error *e) WB_MUST_USE;
/* The quickened tier and kernels take cells as they are. */
bool wrt_bools_are_right(const wrt_monitor *m, const weir_cell *in, const uint64_t *present, const uint64_t *deferred);
bool wrt_is_typed(const wir_program *p); /* all inputs and outputs fit a cell */
weir_kind wrt_kind_of(const wir_types *types, wir_type type);

/* Switches the tier between two ticks; the state stays what it is.  After E_MEMORY the tier is the old one.  Where native code cannot run, the
** quickened tier does, and the report says why. */
weir_code wrt_set_tier(wrt_monitor *m, weir_tier tier, weir_error *e) WB_MUST_USE;

/* Copies what the arena holds, and not the rest of it: what a long delay has not filled is not touched.  Nothing is counted. */
void wrt_copy_arena(const wir_program *p, unsigned char *to, const unsigned char *from);

void wrt_report(const wrt_monitor *m, weir_report *report); /* fills all but its size */

/* ---- The steps, each in its own file ---- */

/* tick.c: what every form of push is made of.  begin; then admit into m->row (after a failure: refuse) and wrt_hold_inputs; run; then
** commit or undo. */
/* E_TERMINAL if there is no next tick.  Drops what the last one has made. */
weir_code wrt_tick_begin(wrt_monitor *m, weir_error *e) WB_MUST_USE;
/* Reports that the row was not admitted: *why, with its tick.  Nothing has happened, unless memory is exhausted: that ends the monitor. */
weir_code wrt_tick_refuse(wrt_monitor *m, const weir_error *why, weir_error *e) WB_MUST_USE;
/* Computes the row.  A failure ends the monitor. */
weir_code wrt_tick_run(wrt_monitor *m, weir_error *e) WB_MUST_USE;
weir_code wrt_tick_run_unchecked(wrt_monitor *m, weir_error *e) WB_MUST_USE; /* in the quickened tier or in kernels, without a self-check */
/* The same for a row that the quickened tier has declined: canonically, from the inputs in m->row and the state of the last commit. */
weir_code wrt_tick_run_declined(wrt_monitor *m, weir_error *e) WB_MUST_USE;
void wrt_tick_commit(wrt_monitor *m); /* the row's values are borrowed until here: outputs are taken before */
void wrt_tick_undo(wrt_monitor *m);   /* as if the row had never come */

/* Hands a new object with one reference to this tick.  On failure it is released. */
weir_code wrt_pool_keep(wrt_monitor *m, weir_value v) WB_MUST_USE;

/* admit.c: checks a row and copies it to m->row; E_ADMIT says what does not fit.  Nothing else has changed then. */
weir_code wrt_admit(wrt_monitor *m, const weir_value *inputs, size_t count, weir_error *e) WB_MUST_USE;
/* One value of a row, and then what lifting readers will see, once the whole row is known to fit. */
weir_code wrt_admit_value(wrt_monitor *m, uint32_t input, weir_value v, weir_error *e) WB_MUST_USE;
void wrt_hold_inputs(wrt_monitor *m);
/* convert.c: `from`, a value inside Weir, as one of type `to`: itself, or a new object of this tick.  E_KIND if it does not fit: *tag and
** *expected then tell what was found and wanted, possibly deep inside. */
weir_code wrt_convert(wrt_monitor *m, weir_value from, wir_type to, weir_value *out, uint32_t *tag, wir_type *expected) WB_MUST_USE;
/* The same for a plain tree of the caller, which is always copied; lists also serve as tuples.  E_ADMIT: the tree is malformed. */
weir_code wrt_import(wrt_monitor *m, weir_value from, wir_type to, weir_value *out, uint32_t *tag, wir_type *expected) WB_MUST_USE;

/* canon.c: evaluates one stream by its graph into m->row.  Anything but WEIR_OK fails the tick, and *why says how. */
weir_code wrt_canon_stream(wrt_monitor *m, uint32_t stream, wrt_failure *why) WB_MUST_USE;

/* commit.c: the barrier.  Cannot fail. */
void wrt_commit(wrt_monitor *m);

const char *wrt_tag_name(uint32_t tag); /* "Int", ... as messages write it */

#endif
