/* tests/fuzz/fuzz_bounded.c -- bytes as the choices of a random query: it is decided alike in each run and each order of FROM, within its limits, also when
** memory ends; and what makes up a witness. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/sql_decided.h"
#include "tests/support/sqlgen.h"

#define REQUIRE(x) do { if (!(x)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 20000000 };

static weir_code decide(sql_decided *d, const sqlgen_query *q, uint64_t fail_at) {
  memset(d, 0, sizeof *d);
  sql_bench_open(&d->b, 0);
  sql_bench_read(&d->b, q->text, strlen(q->text));
  REQUIRE(d->b.is_read);
  if (fail_at != 0) d->b.door.fail_at = d->b.door.calls + fail_at;
  d->rc = wsql_decide(&d->b.query, &(wsql_limits){.steps = STEPS}, &d->b.mem, &d->v, &d->e);
  REQUIRE(d->rc == WEIR_OK || d->rc == WEIR_E_UNDECIDED || (d->rc == WEIR_E_MEMORY && fail_at != 0));
  return d->rc;
}

static void end(sql_decided *d) {
  sql_decided_end(d);
  REQUIRE(d->b.door.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sqlgen_query q, permuted;
  sql_decided a, b;
  wsql_witness w;
  uint32_t choice = size == 0 ? 0 : data[0];
  if (size > 200) return 0;
  sqlgen_make_from(data + (size != 0), size - (size != 0), 0, &q);
  sqlgen_make_from(data + (size != 0), size - (size != 0), choice + 1, &permuted);
  if (decide(&a, &q, 0) == WEIR_OK && decide(&b, &permuted, 0) == WEIR_OK) REQUIRE(a.v.is_bounded == b.v.is_bounded);
  else b = (sql_decided){0};
  if (b.b.mem.door != NULL) end(&b);
  if (a.rc == WEIR_OK && !a.v.is_bounded) {
    REQUIRE(a.v.reason.text.n != 0 && a.v.reason.cure.n != 0 && a.v.reason.piece < a.v.n_pieces && a.v.reason.vertex != 0);
    (void)!wsql_witness_make(&a.b.query, &a.v, 1 + choice % 3, NULL, &a.b.mem, &w, &a.e);
  }
  end(&a);
  (void)decide(&a, &q, 1 + choice);
  end(&a);
  return 0;
}
