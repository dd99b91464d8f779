/* ir/base/error.c -- filling a weir_error, and the names of the codes.  Allocates nothing. */
#include "ir/base/error.h"

#include "ir/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct { const char *name, *phase, *text; } codes[WEIR_CODE_COUNT] = {
  [WEIR_OK] = {"OK", "", ""},
#define X(name, phase, what) [WEIR_##name] = {#name, phase, what},
  WEIR_CODES(X)
#undef X
};

const char *weir_version(void) { return "0.1.0"; }

static bool is_code(weir_code code) { return (unsigned)code < WEIR_CODE_COUNT; }

const char *weir_code_name(weir_code code) { return is_code(code) ? codes[code].name : ""; }
const char *weir_code_phase(weir_code code) { return is_code(code) ? codes[code].phase : ""; }

/* Messages quote names and paths, which may hold any bytes; what is no UTF-8 becomes a question mark. */
static void make_valid(char *text, size_t n) {
  for (size_t at = 0; (at += wb_utf8_valid((wb_str){text + at, n - at})) < n; at++) text[at] = '?';
}

const char *weir_code_text(weir_code code) { return is_code(code) ? codes[code].text : ""; }

weir_code wb_fail(weir_error *e, weir_code code, weir_span at, const char *fmt, ...) {
  if (e == NULL) return code;
  *e = (weir_error){.code = code, .span = at, .row = WEIR_NO_ROW, .input = UINT32_MAX};

  va_list args;
  va_start(args, fmt);
  int wrote = vsnprintf(e->text, sizeof e->text, fmt, args);
  va_end(args);

  size_t n = strlen(e->text);
  bool is_cut = wrote < 0 || (size_t)wrote > n; /* negative: longer than an int can say */
  if (is_cut) { /* only a lead byte near the end can belong to a character that was cut */
    size_t lead = n;
    while (lead > 0 && n - lead < 3 && ((unsigned char)e->text[lead - 1] & 0xc0) == 0x80) lead--;
    if (lead > 0 && (unsigned char)e->text[lead - 1] >= 0xc0 && wb_utf8_valid((wb_str){e->text + lead - 1, n - lead + 1}) == 0)
      n = lead - 1;
    e->text[n] = '\0';
  }
  make_valid(e->text, n);
  return code;
}

weir_code wb_fail_memory(weir_error *e) { return wb_fail(e, WEIR_E_MEMORY, WB_NOWHERE, "out of memory"); }

const char *weir_cause_text(weir_cause cause) {
  static const char *const texts[WEIR_CAUSE_COUNT] = {
#define X(name, what) [WEIR_CAUSE_##name] = what,
    WEIR_CAUSES(X)
#undef X
  };
  return cause < WEIR_CAUSE_COUNT ? texts[cause] : "";
}
