/* tests/support/sql_expect.c -- see sql_expect.h. */
#include "tests/support/sql_expect.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/sql_bench.h"
#include "tests/test.h"

void sql_expect_error_in(const char *text, size_t at, size_t length, weir_code code, const char *message, const char *hint) {
  sql_bench b;
  sql_bench_open(&b, 0);
  sql_bench_read(&b, text, strlen(text));
  cr_expect_not(b.is_read);
  cr_expect_eq(b.diags.n, 1, "`%s`: %zu errors, then %s", text, b.diags.n, b.diags.at[1].text);
  const wfe_diag *d = &b.diags.at[0];
  cr_expect_eq(d->code, code, "`%s`: %s", text, weir_code_name(d->code));
  cr_expect_eq(d->span.begin, at, "`%s`: at %u, not %zu", text, d->span.begin, at);
  cr_expect_eq(d->span.end - d->span.begin, length, "`%s`: %u long, not %zu", text, d->span.end - d->span.begin, length);
  cr_expect_str_eq(d->text, message, "`%s`: %s", text, d->text);
  cr_expect_str_eq(d->hint, hint, "`%s`: %s", text, d->hint);
  sql_bench_close(&b);
}

void sql_expect_error(const char *marked, weir_code code, const char *message, const char *hint) {
  char text[4096];
  const char *begin = strstr(marked, "«"), *end = strstr(marked, "»");
  cr_assert(begin && end);
  size_t at = (size_t)(begin - marked), length = (size_t)(end - begin) - strlen("«");
  snprintf(text, sizeof text, "%.*s%.*s%s", (int)at, marked, (int)length, begin + strlen("«"), end + strlen("»"));
  sql_expect_error_in(text, at, length, code, message, hint);
}
