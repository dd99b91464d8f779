/* frontend/diag.c -- the list of diagnostics.
**
** Entries stand in the list itself and in order of the text, so that reporting never allocates and never fails.
** Leave alone: how they are shown is the command's business (cli/caret.c). */
#include "frontend/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOT_KEPT SIZE_MAX

/* Formats into a buffer; what does not fit is cut between two characters. */
static void write_text(char *out, size_t cap, const char *fmt, va_list args) WB_PRINTF(3, 0);
static void write_text(char *out, size_t cap, const char *fmt, va_list args) {
  int n = vsnprintf(out, cap, fmt, args);
  if (n < 0) out[0] = '\0';
  else if ((size_t)n >= cap) out[wb_utf8_cut((wb_str){out, cap - 1}, cap - 1)] = '\0';
}

/* The place for an entry at `span`: behind all that begin before it or where it does.  False if it is there already. */
static bool find_place(const struct weir_diagnostics *d, weir_code code, weir_span span, size_t *place) {
  size_t i = d->n;
  while (i > 0 && d->at[i - 1].span.begin > span.begin) i--;
  *place = i;
  for (; i > 0 && d->at[i - 1].span.begin == span.begin; i--)
    if (d->at[i - 1].code == code) return false;
  return true;
}

void wfe_diag_add(struct weir_diagnostics *d, weir_code code, weir_span span, const char *fmt, ...) {
  size_t place;
  d->last = NOT_KEPT;
  if (d->out_of_memory || !find_place(d, code, span, &place)) return;
  if (d->n == WFE_MAX_DIAGS) d->left_out++;
  if (place == WFE_MAX_DIAGS) return;
  if (d->n < WFE_MAX_DIAGS) d->n++;
  memmove(&d->at[place + 1], &d->at[place], (d->n - 1 - place) * sizeof d->at[0]);
  wfe_diag *entry = &d->at[place];
  entry->code = code;
  entry->span = span;
  entry->hint[0] = '\0';
  va_list args;
  va_start(args, fmt);
  write_text(entry->text, sizeof entry->text, fmt, args);
  va_end(args);
  d->last = place;
}

void wfe_diag_hint(struct weir_diagnostics *d, const char *fmt, ...) {
  if (d->out_of_memory || d->last >= d->n) return;
  va_list args;
  va_start(args, fmt);
  write_text(d->at[d->last].hint, sizeof d->at[0].hint, fmt, args);
  va_end(args);
}

void wfe_diag_memory(struct weir_diagnostics *d) {
  d->out_of_memory = true;
  d->n = 1;
  d->left_out = 0;
  d->at[0] = (wfe_diag){.code = WEIR_E_MEMORY, .text = "out of memory"};
}

bool wfe_diag_any(const struct weir_diagnostics *d) { return d->n > 0 || d->left_out > 0 || d->out_of_memory; }

bool wfe_diag_keeps(const struct weir_diagnostics *d, weir_span span) {
  return !d->out_of_memory && (d->n < WFE_MAX_DIAGS || span.begin < d->at[d->n - 1].span.begin);
}
