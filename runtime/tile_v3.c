/* runtime/tile_v3.c -- the loops for x86-64-v3: AVX2. */
#define WRT_TILE_LEVEL wrt_tile_v3
#define WRT_TILE_NAME "x86-64-v3"
#include "runtime/tile_loops.h"
