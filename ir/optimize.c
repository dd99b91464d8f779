/* ir/optimize.c -- the passes over a scalar body, in order.
**
**     lower ──► narrow ──► ┌─ round ──────────────┐     ranges ──► round ──► dead
**                          │ fold ► narrow ► cse  │ ──►
**                          └──────────────────────┘
**
** Folding chooses branches, which makes conditions impossible, which narrowing looks at; both make instructions equal.  Ranges want constants
** and few instructions, and what they find out (an operation cannot fail, a comparison is decided) gives a second round something to do.
** What nobody needs any more goes last, so that numbers change once.
** Narrowing to the facts of a kind of rows is the caller's: optimize the general body, narrow a copy, optimize that. */
#include "ir/optimize.h"

static bool round_of(const wir_program *p, wir_body *b, wb_mem *scratch) {
  return wir_fold(p, b, scratch) && wir_narrow(p, b, NULL, scratch) && wir_cse(p, b, scratch);
}

bool wir_optimize(const wir_program *p, wir_body *b, wb_mem *scratch) {
  return round_of(p, b, scratch) && wir_ranges(p, b, scratch) && round_of(p, b, scratch) && wir_dead(p, b, scratch);
}
