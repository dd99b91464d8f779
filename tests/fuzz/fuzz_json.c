/* tests/fuzz/fuzz_json.c -- any bytes as NDJSON.
**
** Read twice, whole and in pieces whose size comes from the input: rows, warnings and the error must be the same.  The rows are then
** written and read in every format: they must stay what they are. */
#include <string.h>

#include "tests/support/fed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const cli_field fields[] = {
  {{"x", 1}, CLI_KIND_INT}, {{"y", 1}, CLI_KIND_FLOAT}, {{"long_name", 9}, CLI_KIND_ANY}, {{"z", 1}, CLI_KIND_ANY}, {{"l", 1}, CLI_KIND_RICH},
};

static void compare_forms(const fed_how *how, const fed *f) {
  static const cli_format forms[] = {CLI_FORMAT_TRACE, CLI_FORMAT_CSV, CLI_FORMAT_NDJSON};
  for (size_t i = 0; i < WB_LEN(forms); i++) {
    fed_how to = *how, back = *how;
    to.out = back.in = forms[i];
    to.is_strict = back.is_strict = true;
    to.max_line = back.max_line = 1 << 30;
    to.column = back.column = NULL;
    to.n_rows = back.n_rows = f->n_ticks;
    fed a = fed_text(&to, f->rows, f->n_rows, 0), b = fed_text(&back, a.rows, a.n_rows, 0);
    FED_MUST(a.end == CLI_END && b.end == CLI_END && b.n_ticks == f->n_ticks);
    FED_MUST(b.n_rows == f->n_rows && memcmp(b.rows, f->rows, f->n_rows) == 0);
    fed_free(&a);
    fed_free(&b);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0 || size > 60000) return 0;
  fed_how how = {.in = CLI_FORMAT_NDJSON, .out = CLI_FORMAT_NDJSON, .fields = fields, .n_fields = WB_LEN(fields), .max_nesting = 20, .max_line = 1000};
  how.is_strict = (data[0] & 16) != 0;
  how.column = (data[0] & 32) != 0 ? "t" : NULL;
  const char *text = (const char *)data + 1;
  fed whole = fed_text(&how, text, size - 1, 0), pieces = fed_text(&how, text, size - 1, (size_t)(data[0] & 15) + 1);
  FED_MUST(whole.end == pieces.end && whole.n_rows == pieces.n_rows && whole.n_told == pieces.n_told);
  FED_MUST(memcmp(whole.rows, pieces.rows, whole.n_rows) == 0 && memcmp(whole.told, pieces.told, whole.n_told) == 0);
  if (how.column == NULL) compare_forms(&how, &whole);
  fed_free(&whole);
  fed_free(&pieces);
  return 0;
}
