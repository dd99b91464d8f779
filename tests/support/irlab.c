/* tests/support/irlab.c -- scalar bodies in tests. */
#include "tests/support/irlab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "irlab: %s\n", what);
  abort();
}

void lab_open(lab *l, const char *spec) {
  weir_diagnostics *said = NULL;
  weir_engine_options options = {.size = sizeof options};
  *l = (lab){.engine = NULL};
  must(weir_engine_new(&options, &l->engine, NULL) == WEIR_OK, "no engine");
  bool is_compiled = weir_compile(l->engine, spec, strlen(spec), NULL, &l->p, &said) == WEIR_OK;
  must(is_compiled, said == NULL ? "no program" : weir_diagnostics_at(said, 0).text);
  wb_door_open(&l->door, NULL, 0);
  wb_mem_init(&l->mem, &l->door, 0);
}

void lab_close(lab *l) {
  wb_mem_drop(&l->mem);
  weir_program_release(l->p);
  weir_engine_free(l->engine);
}

wir_body lab_read(lab *l, const char *text) {
  wir_body b;
  weir_error e;
  bool is_read = wir_read_body((wb_str){text, strlen(text)}, &l->mem, &b, &e) == WEIR_OK;
  if (!is_read) fprintf(stderr, "byte %u of %s\n", e.span.begin, text);
  must(is_read, is_read ? "" : e.text);
  return b;
}

static const char *print(lab *l, const wir_body *b, unsigned flags) {
  wir_words w = {.mem = &l->mem};
  wir_print_body(&w, l->p, b, flags);
  must(!w.has_failed && WB_PUSH(&l->mem, &w.bytes, '\0'), "no memory");
  return w.bytes.at;
}

const char *lab_print(lab *l, const wir_body *b) { return print(l, b, WIR_PRINT_SPANS); }
const char *lab_print_plain(lab *l, const wir_body *b) { return print(l, b, 0); }

wir_body lab_lower(lab *l, bool is_whole) {
  wir_body b;
  must(wir_lower(l->p, l->p->order, l->p->n_streams - l->p->n_inputs, is_whole, &l->mem, &b), "no body");
  return b;
}

const char *lab_verify(const lab *l, const wir_body *b) {
  uint32_t at;
  return wir_verify(l->p, b, &at);
}

const char *lab_apply(lab *l, lab_pass *pass, const char *lines) {
  static const char first[] = "body part\n";
  char *text = wb_alloc(&l->mem, 1, sizeof first + strlen(lines), 1);
  must(text != NULL, "no memory");
  memcpy(text, first, sizeof first - 1);
  memcpy(text + sizeof first - 1, lines, strlen(lines) + 1);
  wir_body b = lab_read(l, text);
  const char *before = lab_verify(l, &b);
  if (before != NULL) fprintf(stderr, "%s", text);
  must(before == NULL, before);
  must(pass(l->p, &b, &l->mem), "no memory for the pass");
  must(lab_verify(l, &b) == NULL, "invalid after the pass");
  return lab_print(l, &b) + sizeof first - 1;
}

static bool same_state(const wir_ins *a, const wir_ins *b) {
  switch ((unsigned)a->op) {
  case WIR_I_RING: return a->state == b->state && a->imm.offset == b->imm.offset;
  case WIR_I_HOLD: case WIR_I_FILL: case WIR_I_PROPER: case WIR_I_STARTED: case WIR_I_KEEP: case WIR_I_PUSH: return a->state == b->state;
  case WIR_I_CONST: return a->imm.i == b->imm.i;
  }
  return true;
}

static bool same_ins(const wir_ins *a, const wir_ins *b) {
  bool is_same = a->op == b->op && a->kind == b->kind && a->may == b->may && a->is_guarded == b->is_guarded &&
                 a->cannot_fail == b->cannot_fail && a->stream == b->stream && a->span.begin == b->span.begin && a->span.end == b->span.end;
  for (uint32_t k = 0; is_same && k < wir_insns[a->op].operands; k++) is_same = a->args[k].i == b->args[k].i;
  return is_same && same_state(a, b);
}

uint32_t lab_difference(const wir_body *a, const wir_body *b) {
  if (a->n_ins != b->n_ins || a->effects != b->effects || a->is_whole != b->is_whole) return 0;
  for (uint32_t i = 0; i < a->n_ins; i++)
    if (!same_ins(&a->ins[i], &b->ins[i])) return i;
  return UINT32_MAX;
}
