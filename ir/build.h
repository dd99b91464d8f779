/* ir/build.h -- the only way to make an evaluation graph; both frontends come through here.
**
** A builder makes one graph at a time.  Exhausted memory is remembered, and wir_build_end reports it, so that the steps between need
** no checks.  References made while it is remembered are harmless. */
#ifndef WIR_BUILD_H
#define WIR_BUILD_H

#include "ir/program.h"

typedef struct wir_builder {
  wir_program *program;
  uint32_t stream;        /* whose graph it is */
  uint32_t guards;        /* how many guards are open around the next node */
  bool out_of_memory;
  wb_mem *scratch;        /* of the compilation: nodes stand here until the end */
  WB_VEC(wir_node) nodes;
} wir_builder;

void wir_build_begin(wir_builder *b, wir_program *p, wb_mem *scratch, uint32_t stream);

/* What is built between the two is inside a guard. */
void wir_build_guard(wir_builder *b);
void wir_build_unguard(wir_builder *b);

wir_ref wir_build_const(wir_builder *b, weir_value value, wir_type type, weir_span at);
wir_ref wir_build_var(wir_builder *b, uint32_t stream, weir_span at);
/* e[k] directly on a stream (the enclosing one included), k >= 1. */
wir_ref wir_build_delay_var(wir_builder *b, uint32_t stream, uint64_t offset, weir_span at);
wir_ref wir_build_delay(wir_builder *b, wir_ref operand, uint64_t offset, weir_span at);
/* The operand lifted: itself if it is a constant, HELD for a stream, else LIFT. */
wir_ref wir_build_lift(wir_builder *b, wir_ref operand);
/* The operand as a value of `type`; itself if it has that type. */
wir_ref wir_build_convert(wir_builder *b, wir_ref operand, wir_type type, weir_span at);
/* The operands of these are raw: they are lifted here as nodes.def says. */
wir_ref wir_build_apply(wir_builder *b, wir_op op, wir_ref x, wir_ref y, wir_type type, weir_span at);
wir_ref wir_build_node(wir_builder *b, wir_node_kind kind, const wir_ref *args, wir_type type, weir_span at);

/* The graph becomes that of the stream.  E_MEMORY, or WEIR_OK. */
weir_code wir_build_end(wir_builder *b, wir_ref result) WB_MUST_USE;

#endif
