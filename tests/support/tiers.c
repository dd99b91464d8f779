#include "tests/support/tiers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/native.h"
#include "tests/support/model.h"

tiers_end tiers_push(weir_monitor *m, const weir_value *row) {
  tiers_end end = {.error = {.code = WEIR_OK}};
  end.code = weir_monitor_push(m, row, m->program->n_inputs, &end.error);
  return end;
}

void tiers_compare_value(uint64_t row, const char *name, const wir_program *p, uint32_t output, weir_value want, weir_value got, char why[TIERS_WHY]) {
  wb_str stream = wir_stream_name(p, p->outputs[output]);
  if (model_same(want, got)) return;
  snprintf(why, TIERS_WHY, "row %" PRIu64 ", %s: %.*s has tag %u and bits %" PRIx64 ", not %u and %" PRIx64, row, name, (int)stream.n, stream.at,
           got.tag, (uint64_t)got.as.i, want.tag, (uint64_t)want.as.i);
}

static bool same_error(const weir_error *a, const weir_error *b) {
  return a->code == b->code && a->row == b->row && a->span.begin == b->span.begin && a->span.end == b->span.end && strcmp(a->text, b->text) == 0;
}

void tiers_compare_end(uint64_t row, const char *name, const tiers_end *want, const tiers_end *got, char why[TIERS_WHY]) {
  if (got->code != want->code)
    snprintf(why, TIERS_WHY, "row %" PRIu64 " ends in %s with %s, not %s", row, name, weir_code_name(got->code), weir_code_name(want->code));
  else if (got->code != WEIR_OK && !same_error(&want->error, &got->error))
    snprintf(why, TIERS_WHY, "row %" PRIu64 ", %s: %s, not %s", want->error.row, name, got->error.text, want->error.text);
}

void tiers_compare(uint64_t row, const char *name, const weir_monitor *want, const tiers_end *wanted, const weir_monitor *got,
                   const tiers_end *ended, char why[TIERS_WHY]) {
  const wir_program *p = want->program;
  tiers_compare_end(row, name, wanted, ended, why);
  for (uint32_t k = 0; k < p->n_outputs && why[0] == '\0' && ended->code == WEIR_OK; k++)
    tiers_compare_value(row, name, p, k, *weir_monitor_output(want, k), *weir_monitor_output(got, k), why);
}

static weir_value sample(const weir_monitor *m, const wir_state *s, uint64_t i) {
  return wir_sample_load((wir_cell)s->cell, m->arena + s->offset, m->arena + s->presence, i);
}

/* Cells that hold no value may have anything in them; a ring's places too, beyond the samples that it has. */
static bool same_state(const weir_monitor *a, const weir_monitor *b, const wir_state *s) {
  uint64_t filled = s->capacity;
  if (wir_state_is_ring(s)) {
    const wir_ring *x = (const wir_ring *)(const void *)(a->arena + s->ring), *y = (const wir_ring *)(const void *)(b->arena + s->ring);
    if (x->next != y->next || x->filled != y->filled) return false;
    filled = x->filled;
  }
  for (uint64_t i = 0; i < filled; i++)
    if (!model_same(sample(a, s, i), sample(b, s, i))) return false;
  return true;
}

void tiers_compare_states(const char *name, const weir_monitor *want, weir_monitor *got, char why[TIERS_WHY]) {
  wrt_native_release(got);
  for (uint32_t k = 0; k < want->program->n_states && why[0] == '\0'; k++) {
    if (same_state(want, got, &want->program->states[k])) continue;
    snprintf(why, TIERS_WHY, "before row %" PRIu64 ", %s: state %u differs", weir_monitor_ticks(want), name, k);
  }
}

uint64_t tiers_setting(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

const char *tiers_module(void) {
  const char *module = getenv("WEIR_NATIVE_MODULE");
  return module == NULL ? TEST_NATIVE : module;
}
