/* runtime/tier.h -- the port to the native tier: all that the runtime knows of a compiler, and all that a compiler knows of a monitor.
**
** The tier is a module of its own (jit/), opened on first need.  It makes objects, the bytes of ELF files, and keeps nothing; object.h brings
** them into memory. */
#ifndef WRT_TIER_H
#define WRT_TIER_H

#include "ir/bodies.h"
#include "runtime/kernel.h"

typedef char wrt_region_name[24]; /* of the entry of a region's kernel, a wrt_region_fn */

/* LLVM's better code costs more than linear time in the size of a function.  Beyond this many instructions its fastest way is taken, which
** is linear; the code is still several times faster than what it replaces. */
enum { WRT_MOST_FOR_BETTER_CODE = 2000 };

typedef struct wrt_plan {
  const wir_program *program;
  const wir_bodies *bodies;
  const wrt_region_name *regions; /* of a schedule that is not whole, by region, and last of the commit; empty where none is wanted; then names, batches and `shifted` are NULL */
  const char *names[WIR_BODY_FITS]; /* of the kernels' entries, each a wrt_row_fn; NULL: it is not wanted */
  const char *batches[WIR_BODY_FITS]; /* of those for tiles, each a wrt_batch_fn */
  const uint8_t *shifted;      /* by state: the warm and the sparse kernel find this ring as kernel.h says, and keep it so */
  uint32_t leave_every;        /* for tests: not 0: every kernel declines each tick whose number this divides, and tiles with one; the next region the next tick */
  uint32_t most_general;       /* kernels of regions have the general body too, where it has no more instructions */
  const char *cpu, *features;  /* for tests: of another processor, in LLVM's words; NULL: this one's */
} wrt_plan;

/* What can be made of a plan. */
typedef enum wrt_form {
  WRT_FORM_OBJECT,   /* an ELF file */
  WRT_FORM_ASSEMBLY, /* text */
  WRT_FORM_IR        /* text: the module of which the others are generated */
} wrt_form;

typedef struct wrt_compiled {
  const char *bytes;
  size_t n;
  void *self;        /* the tier's */
  wrt_batch_code batches[WIR_BODY_FITS];
} wrt_compiled;

#define WRT_NO_MEMORY "no memory to compile" /* of all answers of `compile` the one that a program may want to tell from others */

typedef struct wrt_tier {
  uint64_t headers; /* WRT_TIER_HEADERS, a digest of this file and of what it includes (CMakeLists.txt): a module built with others is refused.  Stands here in all of them */
  /* NULL: *out is to be given to `drop`; else why not, in words that live as long as the module.  Any thread. */
  const char *(*compile)(const wrt_plan *plan, wrt_form form, wrt_compiled *out);
  void (*drop)(wrt_compiled *c);
} wrt_tier;

#define WRT_TIER_SYMBOL "weir_native_tier"
typedef const wrt_tier *wrt_tier_fn(void); /* what the module exports under that name */

#endif
