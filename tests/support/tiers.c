#include "tests/support/tiers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/model.h"

tiers_end tiers_push(weir_monitor *m, const weir_value *row) {
  tiers_end end = {.error = {.code = WEIR_OK}};
  end.code = weir_monitor_push(m, row, m->program->n_inputs, &end.error);
  return end;
}

static void compare_outputs(uint64_t row, const char *name, const weir_monitor *want, const weir_monitor *got, char why[TIERS_WHY]) {
  const weir_program *p = want->program;
  for (uint32_t k = 0; k < p->n_outputs; k++) {
    weir_value x = *weir_monitor_output(want, k), y = *weir_monitor_output(got, k);
    wb_str output = wir_stream_name(p, p->outputs[k]);
    if (model_same(x, y)) continue;
    snprintf(why, TIERS_WHY, "row %" PRIu64 ", %s: %.*s has tag %u and bits %" PRIx64 ", not %u and %" PRIx64, row, name, (int)output.n, output.at,
             y.tag, (uint64_t)y.as.i, x.tag, (uint64_t)x.as.i);
    return;
  }
}

static bool same_error(const weir_error *a, const weir_error *b) {
  return a->code == b->code && a->row == b->row && a->span.begin == b->span.begin && a->span.end == b->span.end && strcmp(a->text, b->text) == 0;
}

void tiers_compare(uint64_t row, const char *name, const weir_monitor *want, const tiers_end *wanted, const weir_monitor *got,
                   const tiers_end *ended, char why[TIERS_WHY]) {
  if (ended->code != wanted->code)
    snprintf(why, TIERS_WHY, "row %" PRIu64 " ends in %s with %s, not %s", row, name, weir_code_name(ended->code), weir_code_name(wanted->code));
  else if (ended->code == WEIR_OK) compare_outputs(row, name, want, got, why);
  else if (!same_error(&wanted->error, &ended->error))
    snprintf(why, TIERS_WHY, "row %" PRIu64 ", %s: %s, not %s", wanted->error.row, name, ended->error.text, wanted->error.text);
}

uint64_t tiers_setting(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}
