/* floor.h: one build of the floor, with the constants of one seed.  Two are there: that of specs/, linked into the harness, and one of
 * other constants, in a shared object of its own. */
#ifndef FLOOR_H
#define FLOOR_H
#include "machine.h"

typedef struct Floor {
  uint64_t seed; /* of the constants; 0: those of specs/ */
  Workload *(*workload)(const char *name);
  void (*init_state)(const char *workload, Cell *state);
  size_t (*generate)(const Workload *w, Variant v, uint64_t seed, size_t rows, Cell **cols, uint64_t *present);
  int (*write_spec)(const char *workload, uint64_t seed, FILE *to);
  int (*interp_program)(Program *p, const Workload *w);
  void (*interp_reset)(const Program *p, Memory *m);
  void (*interp_edges)(Program *p, const Workload *w, const Machine *x);
} Floor;

extern __attribute__((visibility("default"))) const Floor floor_base, floor_consts;

#endif
