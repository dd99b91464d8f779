/* runtime/tile_x86_64.c -- the loops for any processor. */
#define WRT_TILE_LEVEL wrt_tile_x86_64
#define WRT_TILE_NAME "x86-64"
#include "runtime/tile_loops.h"
