/* ir/program.h -- the immutable whole: a checked compilation of one specification.
**
** Made by a frontend (streams and graphs through build.h), finished by wir_program_finish, then read only and shared by monitors on any
** threads; only its bodies (bodies.h) and kernels come later. */
#ifndef WIR_PROGRAM_H
#define WIR_PROGRAM_H

#include <stdatomic.h>

#include "ir/graph.h"
#include "ir/state.h"

/* One stream reads another. */
typedef struct wir_read {
  uint32_t stream;
  bool is_immediate;
  uint64_t deepest; /* largest delay; 0: read only immediately */
  weir_span span;   /* of the first immediate read, else of the deepest */
} wir_read;

typedef struct wir_stream {
  uint32_t name;
  weir_role role;
  uint8_t presence;    /* wir_presence */
  weir_span span;      /* of its name where it is declared */
  wir_type type;
  wir_graph graph;     /* empty for an input */
  uint32_t copy_of;    /* the stream that this one is a bare reference to; UINT32_MAX: it is more than that */
  uint32_t order;      /* place in the schedule; UINT32_MAX for an input */
  wir_read *reads;     /* one per stream that is read, in order of first appearance */
  uint32_t n_reads;
  /* What others read of it; filled by wir_program_finish. */
  bool is_held;        /* some reader lifts it, and it is gappy */
  uint64_t delay_var;  /* deepest delay in another stream */
  uint64_t delay_self; /* deepest delay in itself */
  weir_span delay_var_span, delay_self_span; /* where these stand */
  uint32_t held, history, output; /* state descriptors, or WIR_NO_STATE */
  uint64_t state_bytes;
  bool retains_values;
  const char *type_text; /* as the language writes it */
} wir_stream;

/* The head of what is made of a program later and kept with it, for all its monitors. */
typedef struct wir_kept { void (*end)(struct wir_kept *); } wir_kept;

typedef struct weir_program wir_program;
struct weir_program {
  const char *name;      /* what tools call it; NULL: nothing */
  wb_mem mem;            /* holds everything below; the program itself is one block of the door */
  wb_door *door;
  _Atomic size_t refs;
  wb_names names;
  wir_types types;
  wb_str text;           /* the source, byte-order mark included; terminated */
  wir_stream *streams;   /* inputs first, then the others, both in order of declaration */
  uint32_t n_streams, n_inputs;
  uint32_t *outputs;     /* streams, in order of declaration */
  uint32_t n_outputs;
  uint32_t *by_name;     /* by name: the stream of that name, or UINT32_MAX; n_by_name of them */
  size_t n_by_name;
  uint32_t *order;       /* the streams that are not inputs, as they are evaluated */
  wir_state *states;
  uint32_t n_states;
  uint32_t *rings, *rich_cells; /* the descriptors that are rings; the cells that may hold objects */
  uint32_t n_rings, n_rich_cells;
  wir_layout layout;
  uint64_t state_bytes;  /* the sum of the descriptors: the memory bound */
  bool retains_values;   /* and objects on top of it */
  uint32_t max_nodes;    /* of any graph */
  _Atomic(struct wir_bodies *) bodies; /* bodies.h; NULL until a monitor has wanted them */
  _Atomic(wir_kept *) kernels;         /* the native tier's; NULL until it has made them */
  _Atomic(const char *) no_kernels;    /* why there are none, static, once they were asked for behind the scenes; else NULL */
};

/* An empty program with one reference; NULL when memory is exhausted. */
wir_program *wir_program_new(wb_door *door) WB_MUST_USE;
wir_program *wir_program_retain(wir_program *p);
void wir_program_release(wir_program *p);

/* Schedule, presence, state: after all graphs were built.  `scratch` is the compilation's memory. */
weir_code wir_program_finish(wir_program *p, uint64_t max_state_bytes, wb_mem *scratch, weir_error *e) WB_MUST_USE;

/* The stream of that name, or UINT32_MAX.  The number of an output of that stream, or UINT32_MAX. */
uint32_t wir_find_stream(const wir_program *p, wb_str name);
uint32_t wir_find_output(const wir_program *p, uint32_t stream);

/* The steps of wir_program_finish, in this order. */
weir_code wir_collect_reads(wir_program *p, wb_mem *scratch, weir_error *e) WB_MUST_USE;
weir_code wir_schedule(wir_program *p, wb_mem *scratch, weir_error *e) WB_MUST_USE; /* E_CYCLE names the streams */
weir_code wir_find_presence(wir_program *p, wb_mem *scratch) WB_MUST_USE; /* also drops LIFT and HELD that remember nothing */

/* Why a stream does not lower to scalars, for a person: the text's length, 0 if it does.  Terminated, cut to fit `size`. */
size_t wir_why_not_scalar(const wir_program *p, uint32_t stream, char *text, size_t size);

static inline wb_str wir_stream_name(const wir_program *p, uint32_t stream) {
  return wb_name(&p->names, p->streams[stream].name);
}

#endif
