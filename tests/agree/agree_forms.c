/* tests/agree/agree_forms.c -- the three forms of a push are one: tagged values, typed cells, and columns cut into batches anywhere
** give the same outputs, presence and failures on random programs, in every tier.  Buffers stand between canaries.
**
** WEIR_MODEL_SEED and WEIR_MODEL_COUNT choose other programs and more of them. */
#include "tests/test.h"
#include "tests/support/buffers.h"
#include "tests/support/model.h"
#include "tests/support/tiers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 50, PROGRAMS = 1500, MOST_ROWS = 20, CANARY = BUFFER_CANARY };

/* A program, the rows that were pushed, and what tagged values made of them. */
typedef struct reference {
  model *m;            /* makes the rows, and is the source of all that is random here */
  weir_engine *engine;
  weir_program *program;
  weir_tier tier;      /* of the form that is compared */
  uint32_t n_ins, n_outs;
  uint32_t n_rows;     /* rows that there are; the last one fails if `end` says so */
  weir_value ins[ROWS][MODEL_STREAMS], outs[ROWS][MODEL_STREAMS];
  weir_error end;      /* code WEIR_OK: none */
  char why[500];       /* empty while all agree */
} reference;

static weir_value copy(model *m, weir_value v) {
  if (v.tag != WEIR_TEXT) return v;
  char *text = model_take(m, v.count + 1);
  memcpy(text, v.as.text, v.count);
  v.as.text = text;
  return v;
}

static weir_monitor *new_monitor(const reference *r) {
  weir_options options = {.size = sizeof options, .tier = r->tier};
  weir_monitor *monitor;
  cr_assert_eq(weir_monitor_new(r->engine, r->program, &options, &monitor, NULL), WEIR_OK);
  return monitor;
}

static void push_tagged(reference *r) {
  weir_monitor *monitor = new_monitor(r);
  while (r->n_rows < ROWS && r->end.code == WEIR_OK) {
    weir_value *ins = r->ins[r->n_rows], *outs = r->outs[r->n_rows];
    weir_code ignored;
    size_t at;
    model_make_row(r->m, ins);
    if (model_tick(r->m, ins, &ignored, &at) == MODEL_GIVEN_UP) break;
    r->end.code = weir_monitor_push(monitor, ins, r->n_ins, &r->end);
    for (uint32_t i = 0; i < r->n_outs && r->end.code == WEIR_OK; i++) outs[i] = copy(r->m, *weir_monitor_output(monitor, i));
    r->n_rows++;
  }
  weir_monitor_free(monitor);
}

static uint32_t good_rows(const reference *r) { return r->n_rows - (r->end.code != WEIR_OK); }

static void complain(reference *r, const char *form, uint32_t row, const char *what) {
  if (r->why[0] == '\0') snprintf(r->why, sizeof r->why, "%s, tier %d: row %u: %s", form, (int)r->tier, row, what);
}

static void compare_failure(reference *r, const char *form, uint32_t row, const weir_error *e) {
  if (r->end.code == WEIR_OK || row + 1 != r->n_rows) complain(r, form, row, e->text);
  else if (e->code != r->end.code || e->row != r->end.row || e->span.begin != r->end.span.begin || e->span.end != r->end.span.end ||
           strcmp(e->text, r->end.text) != 0)
    complain(r, form, row, "the failure is another one");
}

/* The bits of a sample, as a cell or column holds them. */
static uint64_t bits_of(weir_kind kind, weir_value v) {
  uint64_t bits;
  if (v.tag == WEIR_INT && kind == WEIR_KIND_FLOAT) v.as.f = (double)v.as.i;
  if (v.tag == WEIR_BOOL) return v.as.b;
  memcpy(&bits, &v.as, sizeof bits);
  return v.tag == WEIR_INT || v.tag == WEIR_FLOAT ? bits : 0;
}

/* A Float's NaN may have any bits in the model's rows, and keeps them only where nothing computes with it. */
static bool same_bits(weir_kind kind, weir_value want, uint64_t got) {
  weir_value v = {.tag = WEIR_FLOAT};
  memcpy(&v.as, &got, sizeof got);
  return want.tag == WEIR_FLOAT ? model_same(want, v) : bits_of(kind, want) == got;
}

/* ---- Typed ---- */

static void typed_row(reference *r, weir_monitor *monitor, uint32_t row) {
  weir_cell in[MODEL_STREAMS], out[MODEL_STREAMS + 2];
  uint64_t present = ~UINT64_C(0) << r->n_ins, is_deferred = present, out_present[2] = {0, CANARY}, out_deferred[2] = {0, CANARY};
  bool all_there = true, any_deferred = false;
  weir_error e;
  memset(in, CANARY, sizeof in);
  memset(out, CANARY, sizeof out);
  for (uint32_t i = 0; i < r->n_ins; i++) {
    weir_value v = r->ins[row][i];
    if (v.tag > WEIR_DEFERRED) in[i].bits = bits_of(weir_program_input_kind(r->program, i), v);
    if (v.tag > WEIR_DEFERRED || (v.tag == WEIR_DEFERRED && model_chance(r->m, 50))) present |= UINT64_C(1) << i;
    if (v.tag == WEIR_DEFERRED) is_deferred |= UINT64_C(1) << i;
    all_there &= v.tag != WEIR_NOVAL;
    any_deferred |= v.tag == WEIR_DEFERRED;
  }
  const uint64_t *in_present = all_there && model_chance(r->m, 50) ? NULL : &present;
  const uint64_t *in_deferred = any_deferred || model_chance(r->m, 50) ? &is_deferred : NULL;
  if (weir_monitor_push_typed(monitor, in, in_present, in_deferred, out, out_present, out_deferred, &e) != WEIR_OK) {
    compare_failure(r, "typed", row, &e);
    if (weir_monitor_push_typed(monitor, in, NULL, NULL, out, NULL, NULL, NULL) != WEIR_E_TERMINAL) complain(r, "typed", row, "it goes on");
    return;
  }
  if (row >= good_rows(r)) complain(r, "typed", row, "it does not fail");
  for (uint32_t i = 0; i < r->n_outs; i++) {
    weir_value want = r->outs[row][i];
    bool is_there = out_present[0] >> i & 1, is_late = out_deferred[0] >> i & 1;
    if (is_there != (want.tag > WEIR_DEFERRED) || is_late != (want.tag == WEIR_DEFERRED)) complain(r, "typed", row, "wrong presence");
    if (!same_bits(weir_program_output_kind(r->program, i), want, out[i].bits)) complain(r, "typed", row, "wrong value");
  }
  bool canaries = out_present[1] == CANARY && out_deferred[1] == CANARY && (out_present[0] | out_deferred[0]) >> r->n_outs == 0;
  for (size_t i = 0; i < 2 * sizeof(weir_cell); i++) canaries &= ((const unsigned char *)(out + r->n_outs))[i] == CANARY;
  if (!canaries) complain(r, "typed", row, "written past the outputs");
}

static void push_typed(reference *r) {
  weir_monitor *monitor = new_monitor(r);
  for (uint32_t row = 0; row < r->n_rows && r->why[0] == '\0'; row++) typed_row(r, monitor, row);
  if (weir_monitor_ticks(monitor) != good_rows(r) || weir_monitor_is_terminal(monitor) != (r->end.code != WEIR_OK))
    complain(r, "typed", r->n_rows, "it stands elsewhere");
  weir_monitor_free(monitor);
}

/* ---- Batches ---- */

/* One batch: rows [from, from + rows). */
typedef struct columns {
  uint32_t from, rows;
  weir_in_column ins[MODEL_STREAMS];
  weir_out_column outs[MODEL_STREAMS];
  struct { buffer values, bytes, present, deferred; } in[MODEL_STREAMS], out[MODEL_STREAMS];
} columns;

static void fill_in(const reference *r, columns *c, uint32_t i) {
  weir_kind kind = weir_program_input_kind(r->program, i);
  weir_in_column *to = &c->ins[i];
  uint32_t at = 0;
  to->present_bit = model_below(r->m, 20);
  to->deferred_bit = model_below(r->m, 20);
  c->in[i].values = buffer_new((c->rows + 1) * column_width(kind));
  c->in[i].bytes = buffer_new(c->rows * 40);
  c->in[i].present = buffer_new((to->present_bit + c->rows + 7) / 8);
  c->in[i].deferred = buffer_new((to->deferred_bit + c->rows + 7) / 8);
  for (uint32_t k = 0; k < c->rows; k++) {
    weir_value v = r->ins[c->from + k][i];
    uint64_t bits = bits_of(kind, v);
    bit_set(c->in[i].present.at, to->present_bit + k, v.tag > WEIR_DEFERRED);
    bit_set(c->in[i].deferred.at, to->deferred_bit + k, v.tag == WEIR_DEFERRED);
    if (kind == WEIR_KIND_TEXT) {
      uint32_t n = v.tag == WEIR_TEXT ? v.count : 0;
      memcpy(c->in[i].values.at + k * sizeof at, &at, sizeof at);
      if (n != 0) memcpy(c->in[i].bytes.at + at, v.as.text, n);
      at += n;
      memcpy(c->in[i].values.at + (k + 1) * sizeof at, &at, sizeof at);
    } else if (v.tag > WEIR_DEFERRED) memcpy(c->in[i].values.at + k * column_width(kind), &bits, column_width(kind));
  }
  to->as.b = c->in[i].values.at;
  to->bytes = (const char *)c->in[i].bytes.at;
  to->n_bytes = at;
  to->present = c->in[i].present.at;
  to->deferred = c->in[i].deferred.at;
}

/* Room for texts that is often not enough. */
static void make_out(const reference *r, columns *c, uint32_t i, size_t room) {
  weir_kind kind = weir_program_output_kind(r->program, i);
  weir_out_column *to = &c->outs[i];
  to->present_bit = model_below(r->m, 20);
  to->deferred_bit = model_below(r->m, 20);
  c->out[i].values = buffer_new((c->rows + (kind == WEIR_KIND_TEXT)) * column_width(kind));
  c->out[i].bytes = buffer_new(room);
  c->out[i].present = buffer_new((to->present_bit + c->rows + 7) / 8);
  c->out[i].deferred = buffer_new((to->deferred_bit + c->rows + 7) / 8);
  if (kind == WEIR_KIND_ANY) return; /* not asked for */
  to->as.b = c->out[i].values.at;
  to->bytes = (char *)c->out[i].bytes.at;
  to->n_bytes = room;
  to->present = c->out[i].present.at;
  to->deferred = c->out[i].deferred.at;
}

static bool text_is(const columns *c, uint32_t i, uint32_t k, weir_value want) {
  uint32_t begin = c->outs[i].as.offsets[k], end = c->outs[i].as.offsets[k + 1], n = want.tag == WEIR_TEXT ? want.count : 0;
  return end - begin == n && (n == 0 || memcmp(c->outs[i].bytes + begin, want.as.text, n) == 0);
}

static void compare_sample(reference *r, const columns *c, uint32_t i, uint32_t k) {
  weir_kind kind = weir_program_output_kind(r->program, i);
  weir_value want = r->outs[c->from + k][i];
  const weir_out_column *out = &c->outs[i];
  if (kind == WEIR_KIND_ANY) return;
  if (bit_get(out->present, out->present_bit + k) != (want.tag > WEIR_DEFERRED) ||
      bit_get(out->deferred, out->deferred_bit + k) != (want.tag == WEIR_DEFERRED))
    complain(r, "batch", c->from + k, "wrong presence");
  uint64_t got = 0;
  if (kind != WEIR_KIND_TEXT) memcpy(&got, c->out[i].values.at + k * column_width(kind), column_width(kind));
  if (kind == WEIR_KIND_TEXT ? !text_is(c, i, k, want) : !same_bits(kind, want, got)) complain(r, "batch", c->from + k, "wrong value");
}

static void check_canaries(reference *r, const columns *c) {
  bool ok = true;
  for (uint32_t i = 0; i < r->n_outs; i++) {
    ok &= buffer_is_intact(c->out[i].values) && buffer_is_intact(c->out[i].bytes) && buffer_is_intact(c->out[i].present) && buffer_is_intact(c->out[i].deferred);
    ok &= bits_are_kept(c->outs[i].present, c->outs[i].present_bit, c->rows);
    ok &= bits_are_kept(c->outs[i].deferred, c->outs[i].deferred_bit, c->rows);
  }
  if (!ok) complain(r, "batch", c->from, "written past a column");
}

/* Does the row need more room than its texts before it have left? */
static bool is_full(const reference *r, const columns *c, uint32_t row) {
  for (uint32_t i = 0; i < r->n_outs; i++) {
    if (weir_program_output_kind(r->program, i) != WEIR_KIND_TEXT) continue;
    size_t need = 0;
    for (uint32_t k = c->from; k <= row; k++) need += r->outs[k][i].tag == WEIR_TEXT ? r->outs[k][i].count : 0;
    if (need > c->outs[i].n_bytes) return true;
  }
  return false;
}

static void free_columns(const reference *r, columns *c) {
  for (uint32_t i = 0; i < r->n_ins; i++)
    buffer_free(c->in[i].values), buffer_free(c->in[i].bytes), buffer_free(c->in[i].present), buffer_free(c->in[i].deferred);
  for (uint32_t i = 0; i < r->n_outs; i++)
    buffer_free(c->out[i].values), buffer_free(c->out[i].bytes), buffer_free(c->out[i].present), buffer_free(c->out[i].deferred);
}

/* Pushes some rows; *room grows where it was too little.  Answers how many were committed. */
static uint32_t one_batch(reference *r, weir_monitor *monitor, uint32_t from, size_t *room, uint32_t *n_full) {
  columns c = {.from = from, .rows = 1 + model_below(r->m, MOST_ROWS)};
  if (c.rows > r->n_rows - from) c.rows = r->n_rows - from;
  for (uint32_t i = 0; i < r->n_ins; i++) fill_in(r, &c, i);
  for (uint32_t i = 0; i < r->n_outs; i++) make_out(r, &c, i, *room);
  weir_error e = {.code = WEIR_OK};
  size_t done = 99;
  weir_code rc = weir_monitor_push_batch(monitor, c.rows, c.ins, r->n_ins, c.outs, r->n_outs, &done, &e);
  uint32_t row = from + (uint32_t)done;
  if (done > c.rows || (rc == WEIR_OK) != (done == c.rows) || weir_monitor_ticks(monitor) != row || row > good_rows(r))
    complain(r, "batch", row, "the number of rows is wrong");
  else if (rc == WEIR_E_FULL) {
    if (!is_full(r, &c, row) || weir_monitor_is_terminal(monitor) || e.row != row) complain(r, "batch", row, "it is not full");
    *room = *room * 2 + 1;
    ++*n_full;
  } else if (rc != WEIR_OK) compare_failure(r, "batch", row, &e);
  for (uint32_t k = 0; k < done && k < c.rows && r->why[0] == '\0'; k++)
    for (uint32_t i = 0; i < r->n_outs; i++) compare_sample(r, &c, i, k);
  check_canaries(r, &c);
  free_columns(r, &c);
  return (uint32_t)done;
}

static void push_batches(reference *r, uint32_t *n_full) {
  weir_monitor *monitor = new_monitor(r);
  size_t room = 0;
  uint32_t row = 0;
  for (int attempts = 0; row < r->n_rows && !weir_monitor_is_terminal(monitor) && r->why[0] == '\0'; attempts++) {
    if (attempts > 20 * ROWS) complain(r, "batch", row, "it does not get on");
    row += one_batch(r, monitor, row, &room, n_full);
  }
  if (weir_monitor_is_terminal(monitor) != (r->end.code != WEIR_OK)) complain(r, "batch", row, "it ends elsewhere");
  weir_monitor_free(monitor);
}

/* ---- All ---- */

static bool has_columns(const reference *r) {
  for (uint32_t i = 0; i < r->n_ins; i++)
    if (weir_program_input_kind(r->program, i) == WEIR_KIND_ANY) return false;
  return true;
}

typedef struct counts { uint64_t typed, batches, failed, full; } counts;

static bool agrees(weir_engine *engine, uint64_t seed, counts *n) {
  static reference r; /* large; a process runs one test */
  memset(&r, 0, sizeof r);
  r.m = model_new(seed, ROWS);
  r.engine = engine;
  const char *text = model_print(r.m);
  uint32_t n_full = 0;
  cr_assert_eq(weir_compile(engine, text, strlen(text), NULL, &r.program, NULL), WEIR_OK);
  r.n_ins = weir_program_input_count(r.program);
  r.n_outs = weir_program_output_count(r.program);
  r.tier = WEIR_TIER_CANONICAL;
  push_tagged(&r);
  for (unsigned tier = 0; tier < WEIR_TIER_COUNT && r.why[0] == '\0'; tier++) {
    r.tier = (weir_tier)tier;
    if (weir_program_is_typed(r.program)) push_typed(&r);
    if (has_columns(&r)) push_batches(&r, &n_full);
  }
  n->typed += weir_program_is_typed(r.program);
  n->batches += has_columns(&r);
  n->failed += r.end.code != WEIR_OK;
  n->full += n_full;
  if (r.why[0] != '\0') fprintf(stderr, "WEIR_MODEL_SEED=%" PRIu64 " WEIR_MODEL_COUNT=1: %s\n%s\n", seed, r.why, text);
  weir_program_release(r.program);
  model_free(r.m);
  return r.why[0] == '\0';
}

Test(agree_forms, typed_rows_and_batches_are_what_tagged_rows_are, .timeout = 86400) {
  uint64_t seed = tiers_setting("WEIR_MODEL_SEED", 1), count = tiers_setting("WEIR_MODEL_COUNT", PROGRAMS), bad = 0;
  counts n = {0};
  weir_engine *engine;
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE};
  cr_assert_eq(weir_engine_new(&with, &engine, NULL), WEIR_OK);
  for (uint64_t i = 0; i < count && bad < 5; i++) bad += !agrees(engine, seed + i, &n);
  weir_engine_free(engine);
  cr_expect_eq(bad, 0);
  if (count < PROGRAMS) return;
  cr_expect(n.typed > count / 10 && n.batches > count / 2 && n.failed > count / 20 && n.full > count / 20,
            "of %" PRIu64 " programs %" PRIu64 " are typed, %" PRIu64 " have columns, %" PRIu64 " fail; %" PRIu64 " times full", count,
            n.typed, n.batches, n.failed, n.full);
}
