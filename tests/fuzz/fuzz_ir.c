/* tests/fuzz/fuzz_ir.c -- any bytes as the text of a scalar body, and as damage to one.
**
** The first byte chooses what is done with the others:
**   text    is read.  What the verifier accepts is printed and read again, and each pass over it keeps it valid and keeps what it does.
**   damage  fields of a valid body are overwritten.  The verifier refuses it, or it is again what passes can work on.
**   memory  a request for memory fails somewhere on the way. */
#include <stdlib.h>
#include <string.h>

#include "ir/optimize.h"
#include "tests/support/irlab.h"
#include "tests/support/irrun.h"

#define REQUIRE(x) do { if (!(x)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_OF_LAB, TEXT_OF_RUN, TEXT_WITHOUT_MEMORY, DAMAGE, CHOICES, ROWS = 3 };

static bool narrow(const wir_program *p, wir_body *b, wb_mem *scratch) { return wir_narrow(p, b, NULL, scratch); }
static lab_pass *const passes[] = {wir_fold, wir_cse, wir_ranges, wir_dead, narrow, wir_optimize};

/* What the body claims of what it reads, so that rows can be as it says. */
static void find_facts(const wir_program *p, const wir_body *b, uint8_t *of_stream, uint8_t *of_state) {
  memset(of_stream, WIR_MAY_NOVAL | WIR_MAY_DEFERRED, p->n_streams);
  memset(of_state, WIR_MAY_NOVAL | WIR_MAY_DEFERRED, p->n_states);
  for (uint32_t i = 0; i < b->effects; i++) {
    const wir_ins *in = &b->ins[i];
    bool looks_at_state = (in->op == WIR_I_HOLD || in->op == WIR_I_FILL) && wir_ins_at(b, in->args[0])->may & WIR_MAY_NOVAL;
    if (in->op == WIR_I_READ) of_stream[in->stream] &= in->may;
    if (in->op == WIR_I_RING || looks_at_state) of_state[in->state] &= in->may;
  }
}

static wir_body copy(const wir_body *b, wb_mem *mem) {
  wir_body to = *b;
  to.ins = WB_NEW_ARRAY(mem, wir_ins, b->n_ins);
  REQUIRE(to.ins != NULL);
  if (b->n_ins != 0) memcpy(to.ins, b->ins, b->n_ins * sizeof *b->ins);
  return to;
}

/* Whether such a claim is true the verifier cannot say; what is done with a false one is no fault of a pass. */
static bool claims_safety(const wir_body *b) {
  for (uint32_t i = 0; i < b->n_ins; i++)
    if (b->ins[i].cannot_fail) return true;
  return false;
}

static void try_pass(lab *l, const wir_body *b, lab_pass *pass) {
  static irrun_result was, is;
  uint8_t *of_stream = WB_NEW_ARRAY(&l->mem, uint8_t, l->p->n_streams), *of_state = WB_NEW_ARRAY(&l->mem, uint8_t, l->p->n_states);
  wir_facts facts = {.of_stream = of_stream, .of_state = of_state};
  wir_body to = copy(b, &l->mem);
  REQUIRE(of_stream != NULL && of_state != NULL && pass(l->p, &to, &l->mem) && lab_verify(l, &to) == NULL && to.n_ins <= b->n_ins);
  if (b->n_ins > IRRUN_MOST || claims_safety(b)) return;
  find_facts(l->p, b, of_stream, of_state);
  for (uint64_t i = 0; i < ROWS; i++) {
    irrun_row row = {.seed = i * 77 + b->n_ins, .facts = &facts};
    irrun(l->p, b, &row, &was);
    REQUIRE(was.wrong == NULL);
    irrun(l->p, &to, &row, &is);
    REQUIRE(irrun_compare(l->p, b, &was, &to, &is) == NULL);
  }
}

static void try_body(lab *l, const wir_body *b) {
  const char *printed = lab_print(l, b);
  if (lab_verify(l, b) != NULL) return;
  wir_body again = lab_read(l, printed);
  REQUIRE(lab_difference(b, &again) == UINT32_MAX && strcmp(lab_print(l, &again), printed) == 0);
  for (size_t i = 0; i < WB_LEN(passes); i++) try_pass(l, b, passes[i]);
}

static void run_text(lab *l, wb_str text) {
  wir_body b;
  weir_error e = {.code = WEIR_OK};
  weir_code rc = wir_read_body(text, &l->mem, &b, &e);
  REQUIRE(rc == WEIR_OK ? b.effects <= b.n_ins : rc == WEIR_E_PARSE && e.span.begin <= e.span.end && e.span.end <= text.n && b.ins == NULL);
  if (rc == WEIR_OK) try_body(l, &b);
}

static void run_without_memory(lab *l, wb_str text, uint64_t fail_at) {
  wir_body b;
  weir_error e;
  l->door.fail_at = l->door.calls + 1 + fail_at;
  if (wir_read_body(text, &l->mem, &b, &e) == WEIR_OK && lab_verify(l, &b) == NULL) {
    (void)!wir_optimize(l->p, &b, &l->mem);
    REQUIRE(lab_verify(l, &b) == NULL);
  }
  l->door.fail_at = 0;
}

static void damage(wir_ins *in, uint8_t field, uint32_t value) {
  switch (field % 11) {
  case 0: in->op = (uint8_t)value; return;
  case 1: in->kind = (uint8_t)value; return;
  case 2: in->may = (uint8_t)value; return;
  case 3: in->is_guarded = value & 1; return;
  case 4: in->cannot_fail = value & 1; return;
  case 5: case 6: case 7: in->args[field % 11 - 5].i = value; return;
  case 8: in->state = value; return;
  case 9: in->stream = value; return;
  }
  in->imm.offset = (uint64_t)(int64_t)(int32_t)value;
}

/* A seed, then 4 bytes for each damage: where, which field, a small number or a large one. */
static void run_damage(lab *l, wb_str bytes) {
  uint64_t seed = 0;
  size_t at = WB_MIN(bytes.n, sizeof seed);
  memcpy(&seed, bytes.at, at);
  wir_body b = irrun_make(l->p, seed, 30, NULL, &l->mem);
  for (; at + 4 <= bytes.n; at += 4) {
    const uint8_t *d = (const uint8_t *)bytes.at + at;
    damage(&b.ins[d[0] % b.n_ins], d[1], d[3] & 1 ? (uint32_t)d[2] * 16843009u : d[2]);
  }
  if (lab_verify(l, &b) == NULL) try_body(l, &b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static lab labs[2]; /* compiled once; what a run takes is given back */
  if (labs[0].p == NULL) {
    lab_open(&labs[0], LAB_SPEC);
    lab_open(&labs[1], irrun_spec);
  }
  if (size == 0) return 0;
  wb_str rest = {(const char *)data + 1, size - 1};
  uint32_t choice = data[0] % CHOICES;
  lab *l = &labs[choice != TEXT_OF_LAB];
  if (choice == DAMAGE) run_damage(l, rest);
  else if (choice == TEXT_WITHOUT_MEMORY) run_without_memory(l, rest, data[0] / CHOICES);
  else run_text(l, rest);
  wb_mem_drop(&l->mem);
  REQUIRE(l->door.used == 0);
  wb_mem_init(&l->mem, &l->door, 0);
  return 0;
}
