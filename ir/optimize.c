/* ir/optimize.c -- the passes over a scalar body, in order.
**
**     lower ─► round ─► dead ─► ranges ─► round ─► dead        round:  fold ─► narrow ─► cse
**
** Folding chooses branches, which makes conditions impossible, which narrowing looks at; both make instructions equal.  Ranges want
** constants and few instructions, and what they find out (an operation cannot fail, a comparison is decided) gives the second round
** something to do.
** What nobody needs goes when much of it has come together, since all passes walk over it.
** Narrowing to the facts of a kind of rows is the caller's: optimize the general body, narrow a copy, optimize that.
** Each pass is linear in the body, with two words of scratch memory for each instruction at most. */
#include "ir/optimize.h"

static bool round_of(const wir_program *p, wir_body *b, wb_mem *scratch) {
  return wir_fold(p, b, scratch) && wir_narrow(p, b, NULL, scratch) && wir_cse(p, b, scratch);
}

bool wir_optimize(const wir_program *p, wir_body *b, wb_mem *scratch) {
  return round_of(p, b, scratch) && wir_dead(p, b, scratch) && wir_ranges(p, b, scratch) && round_of(p, b, scratch) &&
         wir_dead(p, b, scratch);
}
