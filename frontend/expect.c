/* frontend/expect.c -- "expected X, found Y". */
#include "frontend/expect.h"

/* What the message calls the token: its bytes, or a description where those say little. */
static void found_text(wb_str source, const wfe_token *t, wb_str *text, const char **quote) {
  bool is_described = t->kind == WFE_T_END || t->kind == WFE_T_STR;
  const char *described = wfe_token_text((wfe_token_kind)t->kind);
  *text = is_described ? (wb_str){described, __builtin_strlen(described)} : wfe_slice_of(source, t->span);
  text->n = wb_utf8_cut(*text, WB_MIN(text->n, 64u));
  *quote = is_described ? "" : "`";
}

void wfe_say_expected(struct weir_diagnostics *d, wb_str text, const wfe_token *t, const char *what) {
  wb_str found;
  const char *quote;
  d->last = SIZE_MAX; /* a hint that follows goes with this message or with none */
  if (t->kind == WFE_T_BAD) return;
  found_text(text, t, &found, &quote);
  wfe_diag_add(d, WEIR_E_PARSE, t->span, "expected %s, found %s%.*s%s", what, quote, (int)found.n, found.at, quote);
}

void wfe_say_expected_name(struct weir_diagnostics *d, wb_str text, const wfe_token *t, const char *what) {
  if (!wfe_is_reserved(t)) {
    wfe_say_expected(d, text, t, what);
    return;
  }
  wb_str word = wfe_slice_of(text, t->span);
  wfe_diag_add(d, WEIR_E_PARSE, t->span, "expected %s, found `%.*s`, which is a reserved word", what, (int)word.n, word.at);
}

void wfe_say_expected_kind(struct weir_diagnostics *d, wb_str text, const wfe_token *t, wfe_token_kind kind, wfe_language language) {
  char what[24];
  const char *wanted = wfe_token_text(kind);
  size_t n = __builtin_strlen(wanted);
  wb_assert(n + 3 <= sizeof what);
  what[0] = what[n + 1] = '`';
  __builtin_memcpy(what + 1, wanted, n);
  what[n + 2] = '\0';
  wfe_say_expected(d, text, t, what);
  if (t->kind != WFE_T_IDENT) return;
  const uint8_t kinds[] = {(uint8_t)kind, 0};
  wfe_say_near(d, wfe_slice_of(text, t->span), kinds, language);
}

void wfe_say_near(struct weir_diagnostics *d, wb_str name, const uint8_t *kinds, wfe_language language) {
  char capitals[32];
  if (language == WFE_SQL && name.n <= sizeof capitals) { /* its words have no case */
    for (size_t i = 0; i < name.n; i++) capitals[i] = wfe_capital(name.at[i]);
    name.at = capitals;
  }
  wb_near near;
  wb_near_init(&near, name);
  for (; *kinds != 0; kinds++) {
    const char *text = wfe_token_text((wfe_token_kind)*kinds);
    wb_near_offer(&near, (wb_str){text, __builtin_strlen(text)});
  }
  if (wb_near_found(&near)) wfe_diag_hint(d, "did you mean `%.*s`?", (int)near.best.n, near.best.at);
}
