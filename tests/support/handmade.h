/* tests/support/handmade.h -- programs made without a frontend: graphs built by hand, for tests of ir/ and runtime/.
**
**     hand h;
**     hand_open(&h, "in x Int, out y Int");
**     hand_begin(&h, "y");
**     hand_end(&h, wir_build_apply(&h.b, WIR_OP_NEG, hand_var(&h, "x"), HAND_NONE, WIR_INT, HAND_AT));
**     hand_start(&h); ... hand_push(&h, row) ... hand_close(&h); */
#ifndef TEST_HANDMADE_H
#define TEST_HANDMADE_H

#include "ir/build.h"
#include "runtime/monitor.h"

#define HAND_AT ((weir_span){1, 2})
#define HAND_NONE ((wir_ref){0})
#define HAND_LIMIT (UINT64_C(1) << 30) /* of state */

typedef struct hand {
  wb_door door;
  wb_mem scratch;
  wir_program *p;
  wir_builder b;
  wrt_monitor *m; /* after hand_start */
  weir_error e;   /* of the last call that failed */
} hand;

/* Streams as "in x Int, out y Float, aux z Any": inputs first.  The hand may not move afterwards. */
void hand_open(hand *h, const char *streams);
/* n_inputs and n_computed streams of one type, named s0, s1, ...; all computed ones are outputs. */
void hand_open_many(hand *h, uint32_t n_inputs, uint32_t n_computed, wir_type type);
void hand_close(hand *h);

uint32_t hand_stream(const hand *h, const char *name);
void hand_begin(hand *h, const char *name);
void hand_begin_at(hand *h, uint32_t stream);
void hand_end(hand *h, wir_ref result);
wir_ref hand_var(hand *h, const char *name);
wir_ref hand_int(hand *h, int64_t i);
wir_ref hand_text(hand *h, const char *text);
wir_ref hand_ago(hand *h, const char *name, uint64_t offset);
wir_ref hand_apply(hand *h, wir_op op, wir_ref x, wir_ref y); /* of the first operand's type, or Bool */

/* wir_program_finish; its error stands in h->e. */
weir_code hand_finish(hand *h, uint64_t limit);
/* Finishes, and makes a monitor with that limit on its memory (0: none).  Either must succeed. */
void hand_start_with(hand *h, size_t max_memory);
void hand_start(hand *h);
weir_code hand_push(hand *h, const weir_value *row);
/* The output of that name after the last push. */
weir_value hand_out(const hand *h, const char *name);

#endif
