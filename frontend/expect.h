/* frontend/expect.h -- what the parsers of both languages say about a token that does not fit. */
#ifndef WFE_EXPECT_H
#define WFE_EXPECT_H

#include "frontend/lex.h"

/* "expected WHAT, found TOKEN" at the token of `text`; nothing if its error was reported already, and then a hint that follows is none. */
void wfe_say_expected(struct weir_diagnostics *d, wb_str text, const wfe_token *found, const char *what);
/* The same where a name is expected; says so if the token is a reserved word.  `what` is "a name", "a field name". */
void wfe_say_expected_name(struct weir_diagnostics *d, wb_str text, const wfe_token *found, const char *what);
/* A token of this kind is expected: "expected `)`, ...", and whether the name that stands there is near it. */
void wfe_say_expected_kind(struct weir_diagnostics *d, wb_str text, const wfe_token *found, wfe_token_kind kind, wfe_language language);
/* A hint for the entry just added: "did you mean ...?", if the name is near one of the kinds (0 ends them). */
void wfe_say_near(struct weir_diagnostics *d, wb_str name, const uint8_t *kinds, wfe_language language);

#endif
