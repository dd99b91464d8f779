/* tests/fuzz/fuzz_sql.c -- any bytes as a SQL script: errors or a query; what was understood, read again, is the same query with the same
** verdict; never a crash.
**
** The last byte of the input is not text: it chooses the limits and which allocation fails; a newline, as in files, none. */
#include <stdlib.h>
#include <string.h>

#include "frontend/explain_sql.h"
#include "frontend/sql_bind.h"
#include "frontend/sql_bounded.h"
#include "frontend/sql_dot.h"
#include "frontend/sql_report.h"

#define REQUIRE(x) do { if (!(x)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 1000000 };

static void check_diags(const struct weir_diagnostics *d, size_t size) {
  REQUIRE(wfe_diag_any(d));
  for (size_t i = 0; i < d->n; i++) {
    wb_str text = {d->at[i].text, strlen(d->at[i].text)}, hint = {d->at[i].hint, strlen(d->at[i].hint)};
    REQUIRE(text.n > 0 && d->at[i].span.begin <= d->at[i].span.end && d->at[i].span.end <= size);
    REQUIRE(wb_utf8_valid(text) == text.n && wb_utf8_valid(hint) == hint.n);
    REQUIRE(i == 0 || d->at[i - 1].span.begin <= d->at[i].span.begin);
  }
}

/* A text with all that is made of it. */
typedef struct reading {
  wb_mem mem;
  struct weir_diagnostics diags;
  wsql_query query;
  wir_words printed;
  bool is_read;
} reading;

/* True: is_read tells whether the query and its text are there.  False: out of memory. */
static bool read_text(reading *r, wb_door *door, wb_str text, const wfe_limits *limits) {
  memset(r, 0, sizeof *r);
  wb_mem_init(&r->mem, door, 0);
  r->printed.mem = &r->mem;
  r->is_read = wsql_read(text, limits, &r->mem, &r->query, &r->diags);
  if (!r->is_read) check_diags(&r->diags, text.n);
  if (!r->is_read) return !r->diags.out_of_memory;
  REQUIRE(!wfe_diag_any(&r->diags) && wsql_query_is_valid(&r->query));
  wsql_explain_query(&r->query, &r->printed);
  return !r->printed.has_failed;
}

/* WEIR_OK: *out is the verdict.  Else it took too long, or too much memory. */
static weir_code decide(reading *r, wsql_verdict *out) {
  weir_error e;
  wsql_report report;
  weir_code rc = wsql_decide(&r->query, &(wsql_limits){.steps = STEPS}, &r->mem, out, &e);
  REQUIRE(rc == WEIR_OK || rc == WEIR_E_UNDECIDED || rc == WEIR_E_MEMORY);
  if (rc != WEIR_OK) return rc;
  wir_words drawing = {.mem = &r->mem};
  wsql_put_dot(&drawing, &r->query, out);
  if (drawing.has_failed || !wsql_report_make(&r->query, out, &r->mem, &report)) return WEIR_E_MEMORY;
  REQUIRE(report.verdict.is_bounded == out->is_bounded);
  REQUIRE(out->is_bounded == (report.verdict.reason[0] == '\0') && out->is_bounded == (report.verdict.attribute[0] == '\0'));
  return WEIR_OK;
}

static void run(wb_str text, uint8_t choice) {
  wb_door door;
  reading one, other;
  wsql_verdict a, b;
  const wfe_limits limits = {.source_bytes = 1 << 24, .nesting = choice & 1 ? 3 : 1000, .name_bytes = 12, .aliases = 6};
  wb_door_open(&door, NULL, 0);
  if (choice & 2) door.fail_at = 1 + choice / 4;
  bool is_whole = read_text(&one, &door, text, &limits);
  REQUIRE(is_whole || door.fail_at != 0);
  if (is_whole && one.is_read) {
    weir_code rc = decide(&one, &a);
    REQUIRE(rc != WEIR_E_MEMORY || door.fail_at != 0);
    door.fail_at = 0;
    REQUIRE(read_text(&other, &door, (wb_str){one.printed.bytes.at, one.printed.bytes.n}, &limits) && other.is_read);
    REQUIRE(one.printed.bytes.n == other.printed.bytes.n && memcmp(one.printed.bytes.at, other.printed.bytes.at, one.printed.bytes.n) == 0);
    if (rc != WEIR_E_MEMORY) REQUIRE(decide(&other, &b) == rc && (rc != WEIR_OK || a.is_bounded == b.is_bounded));
    wb_mem_drop(&other.mem);
  }
  wb_mem_drop(&one.mem);
  REQUIRE(door.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size != 0) run((wb_str){(const char *)data, size - 1}, data[size - 1] ^ '\n');
  return 0;
}
