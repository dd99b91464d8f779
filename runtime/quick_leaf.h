/* runtime/quick_leaf.h -- handlers that call nothing, for the inside of a loop: quick.c and quick_row.c include this there.
**
** The loop defines BASE, COND, NEXT and LEAVE; quick_handlers.h has the forms that these are made of.  WRT_QUICK_LEAF_OPS names them. */

  INT2_FAILING(ADD, wir_add_int)
  INT2_FAILING(SUB, wir_sub_int)
  INT2_FAILING(MUL, wir_mul_int)
  INT2_FAILING(DIV, wir_div_int)
  INT2_FAILING(REM, wir_rem_int)
  INT1_FAILING(NEG, wir_neg_int)
  INT1_FAILING(ABS, wir_abs_int)
  STEADY2(ADD_F, REAL(c->d) = REAL(c->a) + REAL(c->b))
  STEADY2(SUB_F, REAL(c->d) = REAL(c->a) - REAL(c->b))
  STEADY2(MUL_F, REAL(c->d) = REAL(c->a) * REAL(c->b))
  STEADY2(DIV_F, REAL(c->d) = REAL(c->a) / REAL(c->b))
  STEADY1(NEG_F, REAL(c->d) = -REAL(c->a))
  STEADY1(ABS_F, REAL(c->d) = fabs(REAL(c->a)))
  COMPARE(EQ, ==)
  COMPARE(NE, !=)
  COMPARE(LT, <)
  COMPARE(LE, <=)
  COMPARE(GT, >)
  COMPARE(GE, >=)
  STEADY1(NOT_I, CELL(c->d) = CELL(c->a) ^ 1)
  STEADY1(FLOAT, REAL(c->d) = (double)CELL(c->a))

  FUSED3(ADD, wir_add_int)
  FUSED3(SUB, wir_sub_int)
  FUSED3(MUL, wir_mul_int)
  FUSED3_F(ADD, +)
  FUSED3_F(SUB, -)
  FUSED3_F(MUL, *)
  COMPARED(EQ, ==)
  COMPARED(NE, !=)
  COMPARED(LT, <)
  COMPARED(LE, <=)
  BRANCH(ADD, wir_add_int)
  BRANCH(SUB, wir_sub_int)
  BRANCH(MUL, wir_mul_int)

P_SELECT_ADD_I: {
  int64_t x = CELL(c->a) ? CELL(c->b) : CELL(c->c);
  if (WB_UNLIKELY(wir_add_int(CELL(c->more[0]), x, &CELL(c->d)) != WEIR_OK)) LEAVE;
} NEXT;
P_SELECT_ADD_F: REAL(c->d) = REAL(c->more[0]) + (CELL(c->a) ? REAL(c->b) : REAL(c->c)); NEXT;

P_AND: CELL(c->d) = CELL(c->a) & CELL(c->b); NEXT;
P_OR: CELL(c->d) = CELL(c->a) | CELL(c->b); NEXT;
P_IMPLIES: CELL(c->d) = (CELL(c->a) ^ 1) | CELL(c->b); NEXT;
P_SELECT: CELL(c->d) = CELL(c->a) ? CELL(c->b) : CELL(c->c); NEXT;

T_SETTLE: COPY_AS(c->a, COND(c->a) == WIR_IS_NOVAL ? WIR_IS_DEFERRED : COND(c->a)); NEXT;
T_GUARD: COPY_AS(c->b, COND(c->a) == WIR_IS_FAILED ? WIR_IS_FAILED : COND(c->b)); NEXT;
T_DEFINED:
  CELL(c->d) = COND(c->a) != WIR_IS_DEFERRED;
  COND(c->d) = COND(c->a) == WIR_IS_FAILED ? WIR_IS_FAILED : WIR_IS_VALUE;
  NEXT;
T_GATE: {
  uint8_t k = COND(c->a) == WIR_IS_FAILED || COND(c->b) == WIR_IS_FAILED ? WIR_IS_FAILED
              : COND(c->a) == WIR_IS_NOVAL                              ? WIR_IS_NOVAL
                                                                        : COND(c->b);
  COPY_AS(c->b, k);
} NEXT;
T_PICK:
  if (CELL(c->a)) COPY_AS(c->b, COND(c->b));
  else COPY_AS(c->c, COND(c->c));
  NEXT;

P_RING: {
  const wir_ring *r = (const wir_ring *)(const void *)(BASE + c->b);
  uint64_t i = r->next >= c->c ? r->next - c->c : r->next + imm_capacity(c) - c->c - WB_PLANTED(13);
  CELL(c->d) = ((const int64_t *)(const void *)(BASE + c->a))[i];
} NEXT;
P_RING_BOOL: {
  const wir_ring *r = (const wir_ring *)(const void *)(BASE + c->b);
  uint64_t i = r->next >= c->c ? r->next - c->c : r->next + imm_capacity(c) - c->c;
  CELL(c->d) = BASE[c->a + i];
} NEXT;
P_RING_NEWEST_BOOL: CELL(c->d) = BASE[c->a]; NEXT; /* capacity 1 */
T_COPY: COPY_AS(c->a, COND(c->a)); NEXT;
P_COPY3: CELL(c->more[0]) = CELL(c->more[1]); /* in this order: quick_code.c */
P_COPY2: CELL(c->c) = CELL(c->b);
P_COPY: CELL(c->d) = CELL(c->a); NEXT;
P_COPY_RUN: { /* cells one behind the other, in both places */
  int64_t *to = &CELL(c->d);
  const int64_t *from = &CELL(c->a);
  for (int64_t i = 0; i < c->imm.i; i++) to[i] = from[i];
} NEXT;
P_KEEP_BOOL: BASE[c->a] = (unsigned char)CELL(c->d); NEXT;
T_KEEP_CELL: CELL(c->a) = CELL(c->d); BASE[c->b] = wrt_sample_of[WB_PLANTED(28) ? WIR_IS_VALUE : COND(c->d)]; NEXT;
P_PUSH: {
  wir_ring *r = (wir_ring *)(void *)(BASE + c->b);
  uint64_t i = r->next;
  ((int64_t *)(void *)(BASE + c->a))[i] = CELL(c->d);
  r->next = i + 1 == imm_capacity(c) ? 0 : i + 1;
} NEXT;
P_PUSH_BOOL: {
  wir_ring *r = (wir_ring *)(void *)(BASE + c->b);
  uint64_t i = r->next;
  BASE[c->a + i] = (unsigned char)CELL(c->d);
  r->next = i + 1 == imm_capacity(c) ? 0 : i + 1;
} NEXT;
