/* ir/print_ir.h -- scalar bodies as text.  read_ir.h reads it back exactly; the form may change with the instructions.
**
**     body whole
**     %0 = read int stream 0 may noval|deferred @22-23  ; x
**     %1 = hold int %0 state 0 stream 0 may deferred|noval @22-23
**     %2 = const int 10 stream 1
**     %3 = div int %2, %1 may noval|deferred @20-21
**     keep %1 state 0 stream 0
**     write %3 stream 1  ; y
**
** An instruction is its text in insns.def, its kind where the table leaves it open, its operands, the value of a constant, how many ticks
** a ring looks back (`ago 2`); then what is not as usual: `state 5`, `stream 3` (a read or write; else where it is another one than that
** of the instruction before, and at first 0), `guarded`, `safe` (cannot_fail), `may` and the conditions it may be in, and its span.
** A result's number is the place of its instruction.  `;` begins a comment. */
#ifndef WIR_PRINT_IR_H
#define WIR_PRINT_IR_H

#include "ir/scalar.h"
#include "ir/words.h"

enum {
  WIR_PRINT_SPANS = 1, /* without them a body is read back without places */
  WIR_PRINT_NAMES = 2  /* of streams, as comments */
};

/* Appends a body that wir_verify has nothing against.  `p` may be NULL where no names are asked for. */
void wir_print_body(wir_words *w, const wir_program *p, const wir_body *b, unsigned flags);
/* Only what instruction i does: "add int %1, %2". */
void wir_print_action(wir_words *w, const wir_body *b, uint32_t i);

/* The words, for both directions. */
extern const char *const wir_kind_texts[WIR_KINDS];
typedef struct wir_condition_text { uint8_t may; const char *text; } wir_condition_text;
enum { WIR_CONDITION_TEXTS = 3 };
extern const wir_condition_text wir_condition_texts[WIR_CONDITION_TEXTS];

#endif
