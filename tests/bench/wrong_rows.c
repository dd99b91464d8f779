/* tests/bench/wrong_rows.c -- to be loaded before libweir.so: typed rows whose first output is one too large, in each thousandth row. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

typedef weir_code push_fn(weir_monitor *, const weir_cell *, const uint64_t *, const uint64_t *, weir_cell *, uint64_t *, uint64_t *, weir_error *);

weir_code weir_monitor_push_typed(weir_monitor *m, const weir_cell *in, const uint64_t *present, const uint64_t *deferred, weir_cell *out,
                                  uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  static push_fn *right;
  static unsigned rows;
  if (right == NULL) {
    void *at = dlsym(dlopen(getenv("WRONG_WEIR"), RTLD_NOW | RTLD_NOLOAD), "weir_monitor_push_typed");
    memcpy(&right, &at, sizeof at);
  }
  weir_code code = right(m, in, present, deferred, out, out_present, out_deferred, e);
  if (++rows % 1000 == 0) out[0].i++;
  return code;
}
