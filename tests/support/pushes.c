/* tests/support/pushes.c -- see pushes.h.  All buffers stand between canaries. */
#include "tests/support/pushes.h"
#include "tests/support/buffers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t pushes_draw(uint64_t *random) {
  uint64_t x = *random += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}
uint32_t pushes_below(uint64_t *random, uint32_t n) { return (uint32_t)(pushes_draw(random) % n); }

/* A sample as a cell or column has it; an Int is a Float where that is wanted. */
static uint64_t bits_of(weir_kind kind, weir_value v) {
  uint64_t bits;
  if (v.tag == WEIR_INT && kind == WEIR_KIND_FLOAT) v.as.f = (double)v.as.i;
  if (v.tag == WEIR_BOOL) return v.as.b;
  memcpy(&bits, &v.as, sizeof bits);
  return bits;
}

static weir_value value_of(weir_kind kind, uint64_t bits, bool is_there, bool is_late) {
  weir_value v = {.tag = is_late ? WEIR_DEFERRED : WEIR_NOVAL};
  if (!is_there) return v;
  v.tag = kind == WEIR_KIND_INT ? WEIR_INT : kind == WEIR_KIND_FLOAT ? WEIR_FLOAT : WEIR_BOOL;
  if (v.tag == WEIR_BOOL) v.as.b = bits != 0;
  else memcpy(&v.as, &bits, sizeof bits);
  return v;
}

/* ---- Tagged ---- */

static bool push_tagged(weir_monitor *m, const weir_value *row, pushes *out) {
  out->end = tiers_push(m, row);
  if (out->end.code != WEIR_OK) return false;
  for (uint32_t i = 0; i < m->program->n_outputs; i++) out->outs[out->done][i] = *weir_monitor_output(m, i);
  return true;
}

/* ---- Typed ---- */

typedef struct cells {
  buffer in, out;
  uint64_t in_present, in_late, out_present[2], out_late[2]; /* the second words are canaries */
  bool is_sparse, is_late;
} cells;

static void fill_cells(const weir_program *p, const weir_value *row, uint64_t *random, cells *c) {
  c->in = buffer_new(p->n_inputs * sizeof(weir_cell));
  c->out = buffer_new(p->n_outputs * sizeof(weir_cell));
  for (uint32_t i = 0; i < p->n_inputs; i++) {
    bool is_there = row[i].tag > WEIR_DEFERRED, is_late = row[i].tag == WEIR_DEFERRED;
    uint64_t bits = bits_of(weir_program_input_kind(p, i), row[i]);
    if (is_there) memcpy(c->in.at + i * sizeof bits, &bits, sizeof bits);
    c->in_present |= (uint64_t)(is_there || (is_late && pushes_below(random, 2) == 0)) << i;
    c->in_late |= (uint64_t)is_late << i;
    c->is_sparse |= row[i].tag == WEIR_NOVAL;
    c->is_late |= is_late;
  }
}

static bool take_cells(const weir_program *p, const cells *c, pushes *out) {
  bool is_right = buffer_is_intact(c->out) && c->out_present[1] == BUFFER_CANARY && c->out_late[1] == BUFFER_CANARY;
  is_right &= p->n_outputs == 64 || (c->out_present[0] | c->out_late[0]) >> p->n_outputs == 0;
  for (uint32_t i = 0; i < p->n_outputs; i++) {
    uint64_t bits;
    bool is_there = c->out_present[0] >> i & 1, is_late = c->out_late[0] >> i & 1;
    memcpy(&bits, c->out.at + i * sizeof bits, sizeof bits);
    is_right &= (is_there || bits == 0) && !(is_there && is_late); /* 0 where there is no value */
    out->outs[out->done][i] = value_of(weir_program_output_kind(p, i), bits, is_there, is_late);
  }
  return is_right;
}

static bool push_typed(weir_monitor *m, const weir_value *row, uint64_t *random, pushes *out) {
  const weir_program *p = m->program;
  cells c = {.out_present = {0, BUFFER_CANARY}, .out_late = {0, BUFFER_CANARY}};
  fill_cells(p, row, random, &c);
  const uint64_t *present = c.is_sparse || c.is_late || pushes_below(random, 2) == 0 ? &c.in_present : NULL;
  const uint64_t *late = c.is_late || pushes_below(random, 2) == 0 ? &c.in_late : NULL;
  out->end.code = weir_monitor_push_typed(m, (const weir_cell *)(const void *)c.in.at, present, late, (weir_cell *)(void *)c.out.at, c.out_present,
                                          c.out_late, &out->end.error);
  bool is_done = out->end.code == WEIR_OK;
  out->is_intact &= is_done ? take_cells(p, &c, out) : buffer_is_intact(c.out);
  buffer_free(c.in);
  buffer_free(c.out);
  return is_done;
}

/* ---- A batch ---- */

typedef struct column { buffer values, present, late; } column;

typedef struct columns {
  weir_in_column ins[MODEL_STREAMS];
  weir_out_column outs[MODEL_STREAMS];
  column in[MODEL_STREAMS], out[MODEL_STREAMS];
} columns;

static column column_new(size_t width, uint32_t n, size_t present_bit, size_t late_bit) {
  return (column){buffer_new(n * width), buffer_new((present_bit + n + 7) / 8), buffer_new((late_bit + n + 7) / 8)};
}

static bool column_end(column c) {
  bool is_intact = buffer_is_intact(c.values) && buffer_is_intact(c.present) && buffer_is_intact(c.late);
  buffer_free(c.values);
  buffer_free(c.present);
  buffer_free(c.late);
  return is_intact;
}

static void fill_in(const weir_program *p, columns *c, uint32_t i, const weir_value (*rows)[MODEL_STREAMS], uint32_t n, uint64_t *random) {
  weir_kind kind = weir_program_input_kind(p, i);
  weir_in_column *to = &c->ins[i];
  bool is_sparse = pushes_below(random, 2) == 0, is_late = pushes_below(random, 2) == 0;
  *to = (weir_in_column){.present_bit = pushes_below(random, 20), .deferred_bit = pushes_below(random, 20)};
  c->in[i] = column_new(column_width(kind), n, to->present_bit, to->deferred_bit);
  for (uint32_t k = 0; k < n; k++) {
    weir_value v = rows[k][i];
    uint64_t bits = bits_of(kind, v);
    if (v.tag > WEIR_DEFERRED) memcpy(c->in[i].values.at + k * column_width(kind), &bits, column_width(kind));
    bit_set(c->in[i].present.at, to->present_bit + k, v.tag > WEIR_DEFERRED);
    bit_set(c->in[i].late.at, to->deferred_bit + k, v.tag == WEIR_DEFERRED);
    is_sparse |= v.tag <= WEIR_DEFERRED;
    is_late |= v.tag == WEIR_DEFERRED;
  }
  to->as.b = c->in[i].values.at;
  if (is_sparse) to->present = c->in[i].present.at;
  if (is_late) to->deferred = c->in[i].late.at;
}

static void make_out(const weir_program *p, columns *c, uint32_t i, uint32_t n, bool may_lack, uint64_t *random) {
  weir_out_column *to = &c->outs[i];
  *to = (weir_out_column){.present_bit = pushes_below(random, 20), .deferred_bit = pushes_below(random, 20)};
  c->out[i] = column_new(column_width(weir_program_output_kind(p, i)), n, to->present_bit, to->deferred_bit);
  if (!may_lack || pushes_below(random, 12) != 0) to->as.b = c->out[i].values.at;
  if (!may_lack || pushes_below(random, 6) != 0) to->present = c->out[i].present.at;
  if (!may_lack || pushes_below(random, 6) != 0) to->deferred = c->out[i].late.at;
}

/* What was not asked for is as in *like. */
static weir_value sample_of(weir_kind kind, const weir_out_column *from, const column *c, uint32_t k, const weir_value *like) {
  uint64_t bits = like == NULL ? 0 : bits_of(kind, *like);
  bool is_there = from->present == NULL ? like->tag > WEIR_DEFERRED : bit_get(from->present, from->present_bit + k);
  bool is_late = from->deferred == NULL ? like->tag == WEIR_DEFERRED : bit_get(from->deferred, from->deferred_bit + k);
  if (from->as.b == NULL) return value_of(kind, bits, is_there, is_late);
  bits = 0;
  memcpy(&bits, c->values.at + k * column_width(kind), column_width(kind));
  return value_of(kind, bits, is_there, is_late);
}

static void push_batch(weir_monitor *m, const weir_value (*rows)[MODEL_STREAMS], uint32_t n, uint64_t *random, const pushes *like, pushes *out) {
  const weir_program *p = m->program;
  columns c;
  size_t done = 0;
  for (uint32_t i = 0; i < p->n_inputs; i++) fill_in(p, &c, i, rows, n, random);
  for (uint32_t i = 0; i < p->n_outputs; i++) make_out(p, &c, i, n, like != NULL, random);
  out->end.code = weir_monitor_push_batch(m, n, c.ins, p->n_inputs, c.outs, p->n_outputs, &done, &out->end.error);
  out->is_intact &= done <= n && (done == n) == (out->end.code == WEIR_OK);
  out->done = done <= n ? (uint32_t)done : 0;
  for (uint32_t i = 0; i < p->n_outputs; i++) {
    for (uint32_t k = 0; k < out->done; k++)
      out->outs[k][i] = sample_of(weir_program_output_kind(p, i), &c.outs[i], &c.out[i], k, like == NULL ? NULL : &like->outs[k][i]);
    out->is_intact &= bits_are_kept(c.outs[i].present, c.outs[i].present_bit, n) && bits_are_kept(c.outs[i].deferred, c.outs[i].deferred_bit, n);
    out->is_intact &= column_end(c.out[i]);
  }
  for (uint32_t i = 0; i < p->n_inputs; i++) out->is_intact &= column_end(c.in[i]);
}

/* ---- All ---- */

void pushes_run(weir_monitor *m, pushes_form form, const weir_value (*rows)[MODEL_STREAMS], uint32_t n, uint64_t *random, const pushes *like,
                pushes *out) {
  *out = (pushes){.is_intact = true};
  if (form == PUSHES_BATCH) {
    push_batch(m, rows, n, random, like, out);
    return;
  }
  while (out->done < n && (form == PUSHES_TAGGED ? push_tagged(m, rows[out->done], out) : push_typed(m, rows[out->done], random, out))) out->done++;
}

void pushes_compare(uint64_t first, const char *name, const wir_program *p, const pushes *want, const pushes *got, char why[TIERS_WHY]) {
  if (!got->is_intact) snprintf(why, TIERS_WHY, "row %" PRIu64 " on, %s: something else was written", first, name);
  for (uint32_t k = 0; k < WB_MIN(want->done, got->done) && why[0] == '\0'; k++)
    for (uint32_t i = 0; i < p->n_outputs && why[0] == '\0'; i++) tiers_compare_value(first + k, name, p, i, want->outs[k][i], got->outs[k][i], why);
  if (why[0] != '\0') return;
  if (want->done != got->done)
    snprintf(why, TIERS_WHY, "row %" PRIu64 " on, %s: %u rows are done, not %u (%s)", first, name, got->done, want->done, got->end.error.text);
  else tiers_compare_end(first + want->done, name, &want->end, &got->end, why);
}
