/* floor.c: the table of one build of the floor: FLOOR is its name, FLOOR_SEED the seed of its constants. */
#include "floor.h"

const Floor FLOOR = {FLOOR_SEED, workload, init_state, generate, write_spec, interp_program, interp_reset, interp_edges};
