/* runtime/compile_cost.h -- what it takes to compile a program, told beforehand from its bodies. */
#ifndef WRT_COMPILE_COST_H
#define WRT_COMPILE_COST_H

#include "ir/bodies.h"

typedef struct wrt_compile_cost { uint64_t nanoseconds, bytes; } wrt_compile_cost;

enum { WRT_OPENING_NS = 4000000 }; /* more, where the module is not open yet */

wrt_compile_cost wrt_compile_cost_of(const wir_bodies *bodies);

#endif
