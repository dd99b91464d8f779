/* tests/agree/agree_passes.c -- random scalar bodies do the same before and after each pass, row by row, and claim nothing in vain.
**
** WEIR_MODEL_SEED and WEIR_MODEL_COUNT choose other bodies and more of them. */
#include "tests/test.h"
#include "ir/optimize.h"
#include "tests/support/irlab.h"
#include "tests/support/irrun.h"
#include "tests/support/tiers.h"

#include <stdio.h>
#include <string.h>

enum { BODIES = 10000, ROWS = 24 };

static bool narrow(const wir_program *p, wir_body *b, wb_mem *scratch) { return wir_narrow(p, b, NULL, scratch); }

typedef struct pass {
  const char *name;
  bool (*run)(const wir_program *, wir_body *, wb_mem *);
} pass;
static const pass passes[] = {
  {"fold", wir_fold}, {"cse", wir_cse}, {"ranges", wir_ranges}, {"dead", wir_dead}, {"narrow", narrow}, {"optimize", wir_optimize},
};

static wir_body copy(lab *l, const wir_body *b) {
  wir_body to = *b;
  to.ins = WB_NEW_ARRAY(&l->mem, wir_ins, b->n_ins);
  cr_assert_not_null(to.ins);
  memcpy(to.ins, b->ins, b->n_ins * sizeof *b->ins);
  return to;
}

typedef struct tally { uint64_t rows, left, before, after; } tally;

static bool keeps_its_meaning(lab *l, const wir_body *b, const pass *q, const wir_facts *facts, uint64_t seed, tally *t) {
  static irrun_result was, is;
  wir_body to = copy(l, b);
  cr_assert(q->run(l->p, &to, &l->mem));
  const char *why = lab_verify(l, &to);
  t->before += b->n_ins;
  t->after += to.n_ins;
  for (uint64_t i = 0; i < ROWS && why == NULL; i++) {
    irrun_row row = {.seed = seed * 1000 + i, .facts = facts};
    irrun(l->p, b, &row, &was);
    irrun(l->p, &to, &row, &is);
    why = was.wrong != NULL ? was.wrong : irrun_compare(l->p, b, &was, &to, &is);
    t->rows++;
    t->left += was.has_left;
  }
  if (why == NULL) return true;
  fprintf(stderr, "WEIR_MODEL_SEED=%llu WEIR_MODEL_COUNT=1: %s: %s (at %%%u)\n%s%s", (unsigned long long)seed, q->name, why, is.wrong_at,
          lab_print_plain(l, b), lab_print_plain(l, &to));
  return false;
}

/* Some rows have every input, some every sample. */
static bool try_body(lab *l, uint64_t seed, tally *tallies) {
  uint8_t *of_stream = WB_NEW_ARRAY(&l->mem, uint8_t, l->p->n_streams), *of_state = WB_NEW_ARRAY(&l->mem, uint8_t, l->p->n_states);
  wir_facts facts = {.of_stream = of_stream, .of_state = of_state};
  memset(of_stream, seed % 3 == 0 ? 0 : seed % 3 == 1 ? WIR_MAY_NOVAL : WIR_MAY_NOVAL | WIR_MAY_DEFERRED, l->p->n_streams);
  memset(of_state, seed % 2 == 0 ? 0 : WIR_MAY_NOVAL | WIR_MAY_DEFERRED, l->p->n_states);
  wir_body b = irrun_make(l->p, seed, 6 + (uint32_t)(seed % 40), &facts, &l->mem);
  const char *why = lab_verify(l, &b);
  cr_assert_null(why, "seed %llu: %s\n%s", (unsigned long long)seed, why, lab_print_plain(l, &b));
  bool is_good = true;
  for (size_t i = 0; i < WB_LEN(passes); i++) is_good &= keeps_its_meaning(l, &b, &passes[i], &facts, seed, &tallies[i]);
  return is_good;
}

Test(agree_passes, a_body_does_the_same_after_each_pass, .timeout = 86400) {
  uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1), count = tiers_setting("WEIR_MODEL_COUNT", BODIES), bad = 0;
  tally tallies[WB_LEN(passes)] = {{0}};
  lab l;
  lab_open(&l, irrun_spec);
  for (uint64_t i = 0; i < count && bad < 3; i++) {
    bad += !try_body(&l, seed + i, tallies);
    wb_mem_drop(&l.mem);
    wb_mem_init(&l.mem, &l.door, 0);
  }
  lab_close(&l);
  cr_expect_eq(bad, 0);
  for (size_t i = 0; i < WB_LEN(passes) && count >= 1000; i++) {
    const tally *t = &tallies[i];
    cr_expect(t->left > t->rows / 20 && t->left < t->rows * 9 / 10, "some rows leave: %llu of %llu", (unsigned long long)t->left, (unsigned long long)t->rows);
    cr_expect(t->after <= t->before, "%s makes bodies larger", passes[i].name);
    if (passes[i].run == wir_optimize) cr_expect(t->after < t->before * 8 / 10, "%llu of %llu instructions are left", (unsigned long long)t->after, (unsigned long long)t->before);
  }
}
