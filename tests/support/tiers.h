/* tests/support/tiers.h -- the same row in two monitors of one program: do they answer alike? */
#ifndef TIERS_H
#define TIERS_H

#include "runtime/monitor.h"

/* How a row ended in a monitor. */
typedef struct tiers_end {
  weir_code code;
  weir_error error; /* of a failure */
} tiers_end;

enum { TIERS_WHY = 500 };

tiers_end tiers_push(weir_monitor *m, const weir_value *row);
/* Compares how row number `row` ended, and after a success the outputs.  A difference is written to `why`, which is else left alone; `name`
** says there which monitor `got` is. */
void tiers_compare(uint64_t row, const char *name, const weir_monitor *want, const tiers_end *wanted, const weir_monitor *got,
                   const tiers_end *ended, char why[TIERS_WHY]);

/* The parts of it: one output's value, and the end of a row (a success is alike to any other). */
void tiers_compare_value(uint64_t row, const char *name, const wir_program *p, uint32_t output, weir_value want, weir_value got, char why[TIERS_WHY]);
void tiers_compare_end(uint64_t row, const char *name, const tiers_end *want, const tiers_end *got, char why[TIERS_WHY]);

/* Compares the arenas between two rows, sample for sample of what the descriptors say is there.  Kernels give theirs back for that. */
void tiers_compare_states(const char *name, const weir_monitor *want, weir_monitor *got, char why[TIERS_WHY]);

/* A number of the environment: which random programs, and how many. */
uint64_t tiers_setting(const char *name, uint64_t otherwise);
const char *tiers_module(void); /* the native module: WEIR_NATIVE_MODULE, or else the build's; NULL: none */

#endif
