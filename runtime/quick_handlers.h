/* runtime/quick_handlers.h -- the forms of handlers, and how one goes to the next.  For the files that have a loop, and nobody else.
**
** BASE, COND and LEAVE are the loop's. */
#ifndef WRT_QUICK_HANDLERS_H
#define WRT_QUICK_HANDLERS_H

#include "runtime/quick_ops.h"

#define CELL(at) (*(int64_t *)(void *)(BASE + (at)))
#define REAL(at) (*(double *)(void *)(BASE + (at)))
/* An indirect jump of its own for each handler is what makes prediction work.  Compilers like to merge equal tails into one jump; a marker
** that differs in each keeps them apart (and CMakeLists.txt lifts clang's limit on copies). */
#define NEXT do { ++c; __asm__ volatile("" : : "i"(__COUNTER__)); goto *c->go; } while (0)
#define COPY_AS(from, k) (CELL(c->d) = CELL(from), COND(c->d) = (k))

/* Plain and tracked handlers of a binary operation on Ints that may fail; is_guarded stands in imm. */
#define INT2_FAILING(NAME, f) \
  P_##NAME##_I: if (WB_UNLIKELY(f(CELL(c->a), CELL(c->b), &CELL(c->d)) != WEIR_OK)) LEAVE; NEXT; \
  T_##NAME##_I: { \
    uint8_t k = WB_MAX(COND(c->a), COND(c->b)); \
    if (k == WIR_IS_VALUE && WB_UNLIKELY(f(CELL(c->a), CELL(c->b), &CELL(c->d)) != WEIR_OK)) { \
      if (!c->imm.i) LEAVE; \
      k = WB_PLANTED(15) ? WIR_IS_VALUE : WIR_IS_FAILED; \
    } \
    COND(c->d) = k; \
  } NEXT;
#define INT1_FAILING(NAME, f) \
  P_##NAME##_I: if (WB_UNLIKELY(f(CELL(c->a), &CELL(c->d)) != WEIR_OK)) LEAVE; NEXT; \
  T_##NAME##_I: { \
    uint8_t k = COND(c->a); \
    if (k == WIR_IS_VALUE && WB_UNLIKELY(f(CELL(c->a), &CELL(c->d)) != WEIR_OK)) { \
      if (!c->imm.i) LEAVE; \
      k = WIR_IS_FAILED; \
    } \
    COND(c->d) = k; \
  } NEXT;
#define FUSED(FIRST, f, SECOND, g) \
  P_##FIRST##_##SECOND##_I: { \
    int64_t x; \
    if (WB_UNLIKELY((f(CELL(c->a), CELL(c->b), &x) | g(x, CELL(c->c), &CELL(c->d))) != WEIR_OK)) LEAVE; \
  } NEXT; \
  P_##FIRST##_##SECOND##_R_I: { \
    int64_t x; \
    if (WB_UNLIKELY((f(CELL(c->a), CELL(c->b), &x) | g(CELL(c->c), x, &CELL(c->d))) != WEIR_OK)) LEAVE; \
  } NEXT;
#define FUSED3(FIRST, f) FUSED(FIRST, f, ADD, wir_add_int) FUSED(FIRST, f, SUB, wir_sub_int) FUSED(FIRST, f, MUL, wir_mul_int)
#define FUSED_F(FIRST, op1, SECOND, op2) \
  P_##FIRST##_##SECOND##_F: REAL(c->d) = (REAL(c->a) op1 REAL(c->b)) op2 REAL(c->c); NEXT; \
  P_##FIRST##_##SECOND##_R_F: REAL(c->d) = REAL(c->c) op2 (REAL(c->a) op1 REAL(c->b)); NEXT;
#define FUSED3_F(FIRST, op1) FUSED_F(FIRST, op1, ADD, +) FUSED_F(FIRST, op1, SUB, -) FUSED_F(FIRST, op1, MUL, *)
#define COMPARED_KIND(NAME, op, VALUE, kind) \
  P_##NAME##_AND_##kind: CELL(c->d) = (VALUE(c->a) op VALUE(c->b)) & CELL(c->c); NEXT; \
  P_##NAME##_OR_##kind: CELL(c->d) = (VALUE(c->a) op VALUE(c->b)) | CELL(c->c); NEXT; \
  P_##NAME##_SELECT_##kind: CELL(c->d) = CELL(c->more[!(VALUE(c->a) op VALUE(c->b))]); NEXT;
#define COMPARED(NAME, op) COMPARED_KIND(NAME, op, CELL, I) COMPARED_KIND(NAME, op, REAL, F)
/* Of the branches one is a op b, the other c.  more: the condition, and whether it has to be false for the first.  What comes out depends on
** data, so no jump does. */
#define BRANCH(NAME, f) \
  P_IF_##NAME: { \
    int64_t x, y = CELL(c->c); \
    bool is_over = f(CELL(c->a), CELL(c->b), &x) != WEIR_OK; \
    int64_t is_first = CELL(c->more[0]) ^ c->more[1]; \
    if (WB_UNLIKELY(is_over && is_first)) LEAVE; \
    CELL(c->d) = y ^ ((x ^ y) & -is_first); \
  } NEXT;
/* What cannot fail computes whatever the conditions are: the cell of what is no value is never looked at. */
#define STEADY2(NAME, statement) \
  P_##NAME: statement; NEXT; \
  T_##NAME: COND(c->d) = WB_MAX(COND(c->a), COND(c->b)); statement; NEXT;
#define STEADY1(NAME, statement) \
  P_##NAME: statement; NEXT; \
  T_##NAME: COND(c->d) = COND(c->a); statement; NEXT;
#define COMPARE(NAME, op) \
  STEADY2(NAME##_I, CELL(c->d) = CELL(c->a) op CELL(c->b)) \
  STEADY2(NAME##_F, CELL(c->d) = REAL(c->a) op REAL(c->b))

#endif
