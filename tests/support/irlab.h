/* tests/support/irlab.h -- scalar bodies in tests: from the text of a specification, from their own text, and back to text.
**
**     lab l;
**     lab_open(&l, LAB_SPEC);
**     wir_body b = lab_read(&l, "body part\n%0 = read int\nwrite %0 stream 6\n");
**     cr_expect_str_eq(lab_print(&l, &b), ...);
**     lab_close(&l); */
#ifndef TEST_IRLAB_H
#define TEST_IRLAB_H

#include "ir/print_ir.h"
#include "ir/read_ir.h"
#include "ir/scalar.h"

typedef struct lab {
  weir_engine *engine;
  wir_program *p;
  wb_door door;
  wb_mem mem; /* of bodies and texts */
} lab;

/* Streams: inputs x y (Int) 0 1, f g (Float) 2 3, a b (Bool) 4 5; outputs i (Int) 6, r (Float) 7, t (Bool) 8.
** State: 0 x held · 1 x history, 3 samples · 2 f held · 3 f history, 1 · 4 g held · 5 a held · 6 i output, 2 · i's own: 7 hold, 8 delay of 1,
** 9 its result, 10 hold · t's own: 11 flag of when, 12 flag of init, 13 hold.  (unit/ir_text.c holds this true.) */
#define LAB_SPEC \
  "in x: Int\nin y: Int\nin f: Float\nin g: Float\nin a: Bool\nin b: Bool\nout i: Int\nout r: Float\nout t: Bool\n" \
  "i = if a then latch(default(i[2], 0) + x[3], y) else (latch(x, y))[1]\n" \
  "r = f * default(f[1], 0.0) + g\n" \
  "t = when(x) && init(a, b)\n"

void lab_open(lab *l, const char *spec);
void lab_close(lab *l);
/* Aborts where the text has not the form of a body. */
wir_body lab_read(lab *l, const char *text);
const char *lab_print(lab *l, const wir_body *b); /* spans included */
const char *lab_print_plain(lab *l, const wir_body *b);
/* The body of all of l->p; whole, or as a part that commits nothing. */
wir_body lab_lower(lab *l, bool is_whole);
/* NULL, or what the verifier says. */
const char *lab_verify(const lab *l, const wir_body *b);
/* What a pass makes of a part with these lines (without the first one), as such lines: borrowed until lab_close.  The part is valid
** before and after. */
typedef bool lab_pass(const wir_program *p, wir_body *b, wb_mem *scratch);
const char *lab_apply(lab *l, lab_pass *pass, const char *lines);
/* Compares what counts for the op; an instruction that differs, or UINT32_MAX. */
uint32_t lab_difference(const wir_body *a, const wir_body *b);

#endif
