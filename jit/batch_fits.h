/* jit/batch_fits.h -- kernels for tiles of rows: the door to batch*.c. */
#ifndef WJIT_BATCH_FITS_H
#define WJIT_BATCH_FITS_H

#include "jit/llvm.h"
#include "runtime/tier.h"

/* What vectors a processor has, by its features as LLVM names them. */
typedef struct wjit_target {
  unsigned width; /* rows */
  bool has_dq;    /* it converts between 64-bit Ints and Floats */
} wjit_target;
wjit_target wjit_target_of(const char *features);

/* Adds kernels for all fits that can have one to the module. */
void wjit_batches(const wrt_plan *plan, const wjit_target *target, LLVMModuleRef module, LLVMBuilderRef builder, wrt_batch_code out[WIR_BODY_FITS]);

#endif
