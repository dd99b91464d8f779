/* tests/support/tile_programs.h -- programs for each recurrence and operation that tiles have, and what inputs may be like. */
#ifndef TEST_TILE_PROGRAMS_H
#define TEST_TILE_PROGRAMS_H

#include "tests/support/tiled.h"

enum { TILE_PROGRAMS = 80, TILE_PATTERNS = 11 };
extern const char *const tile_programs[TILE_PROGRAMS];
extern const tiled_pattern tile_patterns[TILE_PATTERNS];

#endif
