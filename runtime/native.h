/* runtime/native.h -- kernels of a whole schedule in a monitor: made by the native tier, run where quickened code would run. */
#ifndef WRT_NATIVE_H
#define WRT_NATIVE_H

#include "runtime/kernel.h"
#include "runtime/object.h"
#include "runtime/quick.h"
#include "runtime/tier.h"

/* Where an engine finds the native tier.  Used from any thread. */
typedef struct wrt_native_port {
  const char *path;               /* of the module, as the host says it; NULL: found beside the library */
  _Atomic(const wrt_tier *) tier; /* once it is opened */
} wrt_native_port;

/* tier_load.c: opens the module if that has not been done.  NULL: *out is the tier; else why there is none, static. */
const char *wrt_tier_open(wrt_native_port *port, const wrt_tier **out);

typedef struct wrt_native {
  wrt_object object;
  wrt_kernel_fn *kernels[WIR_BODY_FITS];
  wrt_kernel_frame frame;
  uint64_t nanoseconds; /* from the request to code that can run */
} wrt_native;

/* Makes the kernels for a monitor whose quickened tier is made and bound.  NULL: m->native is there; else why not, static. */
const char *wrt_native_make(struct weir_monitor *m);
void wrt_native_drop(struct weir_monitor *m); /* harmless where there is none */

#endif
