/* runtime/tile_v4.c -- the loops for x86-64-v4: AVX-512. */
#define WRT_TILE_LEVEL wrt_tile_v4
#define WRT_TILE_NAME "x86-64-v4"
#include "runtime/tile_loops.h"
