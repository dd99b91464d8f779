/* frontend/diag.h -- the list of diagnostics that a compilation fills. */
#ifndef WFE_DIAG_H
#define WFE_DIAG_H

#include "ir/base/mem.h"
#include "ir/base/text.h"
#include "weir.h"

enum { WFE_MAX_DIAGS = 20, WFE_DIAG_TEXT = 320, WFE_DIAG_HINT = 200 };

typedef struct wfe_diag {
  weir_code code;
  weir_span span;
  char text[WFE_DIAG_TEXT]; /* terminated; without phase */
  char hint[WFE_DIAG_HINT]; /* terminated; "" where there is none */
} wfe_diag;

/* Kept sorted by place; the 20 first of the text are kept, the rest is counted. */
struct weir_diagnostics {
  wb_door *door; /* who made it, for weir_diagnostics_free; set by its maker */
  size_t n, left_out;
  size_t last;        /* the entry added last, for its hint; SIZE_MAX: it was not kept */
  bool out_of_memory; /* the compilation ended for want of memory; no other entry is meaningful then */
  wfe_diag at[WFE_MAX_DIAGS];
};

/* Adds an entry.  A second one with the same code at the same place is dropped. */
void wfe_diag_add(struct weir_diagnostics *d, weir_code code, weir_span span, const char *fmt, ...) WB_PRINTF(4, 5);
/* Adds an entry and answers false, so that who refuses may return it. */
#define WFE_REFUSE(d, ...) (wfe_diag_add((d), __VA_ARGS__), false)
/* Sets the hint of the entry added last (if it was kept). */
void wfe_diag_hint(struct weir_diagnostics *d, const char *fmt, ...) WB_PRINTF(2, 3);
void wfe_diag_memory(struct weir_diagnostics *d);
/* Will an error at `span` be among those that are kept?  Where it is not, its text is not worth the time. */
bool wfe_diag_keeps(const struct weir_diagnostics *d, weir_span span);
bool wfe_diag_any(const struct weir_diagnostics *d);

#endif
