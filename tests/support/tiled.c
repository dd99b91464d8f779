/* tests/support/tiled.c -- rows and columns of tiled.h. */
#include "tests/support/tiled.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/buffers.h"
#include "tests/support/pushes.h"
#include "tests/test.h"

void tiled_open(tiled *t, weir_engine *engine) {
  *t = (tiled){.engine = engine};
  t->ins = calloc(TILED_ROWS, sizeof *t->ins);
  t->outs = calloc(TILED_ROWS, sizeof *t->outs);
  cr_assert(t->ins != NULL && t->outs != NULL);
}
void tiled_close(tiled *t) {
  free(t->ins);
  free(t->outs);
}

uint32_t tiled_below(tiled *t, uint32_t n) { return pushes_below(&t->random, n); }

void tiled_complain(tiled *t, uint32_t row, const char *what, uint32_t which) {
  if (t->why[0] == '\0') snprintf(t->why, sizeof t->why, "%s, row %u: %s (%u)", t->name, row, what, which);
}

/* ---- Rows ---- */

static uint64_t int_bits(tiled *t, const tiled_pattern *like) {
  static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, 3037000500, -3037000500, INT64_C(1) << 51, -(INT64_C(1) << 51) - 1,
                                (INT64_C(1) << 51) - 1, INT64_C(1) << 53, (INT64_C(1) << 62) - 1, INT64_C(1) << 31, INT64_C(1) << 60};
  if (tiled_below(t, 1000) < like->per_mille_far) return (uint64_t)far[tiled_below(t, sizeof far / sizeof far[0])];
  return (uint64_t)((int64_t)tiled_below(t, like->magnitude) - like->magnitude / 3);
}

static uint64_t real_bits(tiled *t, const tiled_pattern *like) {
  static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e308, 5e-324, 9007199254740993.0, -1.0};
  double f = tiled_below(t, 1000) < 5 + like->per_mille_far ? odd[tiled_below(t, sizeof odd / sizeof odd[0])] : ((double)tiled_below(t, 41) - 20) / 4;
  uint64_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

static void look_at_ports(tiled *t) {
  t->n_ins = weir_program_input_count(t->program);
  t->n_outs = weir_program_output_count(t->program);
}

void tiled_make_rows(tiled *t, const tiled_pattern *like) {
  look_at_ports(t);
  for (uint32_t row = 0; row < t->n_rows; row++)
    for (uint32_t i = 0; i < t->n_ins; i++) {
      weir_kind kind = weir_program_input_kind(t->program, i);
      tiled_sample *to = &t->ins[row][i];
      uint64_t bits = kind == WEIR_KIND_INT ? int_bits(t, like) : kind == WEIR_KIND_FLOAT ? real_bits(t, like) : tiled_below(t, 2);
      bool is_absent = tiled_below(t, 1000) < like->per_mille_absent || row < like->first;
      *to = (tiled_sample){.bits = bits, .what = is_absent ? TILED_ABSENT : TILED_THERE};
      if (tiled_below(t, 1000) < like->per_mille_late) to->what = TILED_LATE;
      if (to->what != TILED_THERE) to->bits = kind == WEIR_KIND_BOOL ? tiled_below(t, 256) : pushes_draw(&t->random); /* not looked at */
    }
}

void tiled_take_rows(tiled *t, const model_trace *rows) {
  look_at_ports(t);
  t->n_rows = rows->n;
  for (uint32_t row = 0; row < t->n_rows; row++)
    for (uint32_t i = 0; i < t->n_ins; i++) {
      weir_value v = rows->rows[row].in[i];
      tiled_what what = v.tag == WEIR_NOVAL ? TILED_ABSENT : v.tag == WEIR_DEFERRED ? TILED_LATE : TILED_THERE;
      t->ins[row][i] = (tiled_sample){.bits = v.tag == WEIR_BOOL ? v.as.b : (uint64_t)v.as.i, .what = (uint8_t)what};
    }
}

void tiled_put_rows(const tiled *t, model_row *rows) {
  static const uint8_t tags[] = {[WEIR_KIND_INT] = WEIR_INT, [WEIR_KIND_FLOAT] = WEIR_FLOAT, [WEIR_KIND_BOOL] = WEIR_BOOL};
  for (uint32_t row = 0; row < t->n_rows; row++)
    for (uint32_t i = 0; i < t->n_ins; i++) {
      tiled_sample s = t->ins[row][i];
      weir_kind kind = weir_program_input_kind(t->program, i);
      weir_value v = {.tag = s.what == TILED_LATE ? WEIR_DEFERRED : WEIR_NOVAL};
      if (s.what == TILED_THERE) v.tag = tags[kind];
      if (s.what == TILED_THERE && kind == WEIR_KIND_BOOL) v.as.b = s.bits != 0;
      else if (s.what == TILED_THERE) v.as.i = (int64_t)s.bits;
      rows[row].in[i] = v;
    }
}

enum { WORDS = WEIR_WORDS(TILED_PORTS) };

/* True: some input is late. */
static bool words_of(const tiled *t, const tiled_sample *row, weir_cell *cells, uint64_t *present, uint64_t *late) {
  bool is_any = false;
  for (uint32_t i = 0; i < t->n_ins; i++) {
    cells[i].bits = row[i].bits;
    present[i / 64] |= (uint64_t)(row[i].what == TILED_THERE) << i % 64;
    late[i / 64] |= (uint64_t)(row[i].what == TILED_LATE) << i % 64;
    is_any |= row[i].what == TILED_LATE;
  }
  return is_any;
}
static bool has_bit(const uint64_t *words, uint32_t i) { return words[i / 64] >> i % 64 & 1; }

static weir_code push_row(const tiled *t, weir_monitor *m, uint32_t row, tiled_sample *outs, weir_error *e) {
  weir_cell in[TILED_PORTS], out[TILED_PORTS];
  uint64_t present[WORDS] = {0}, late[WORDS] = {0}, out_present[WORDS] = {0}, out_late[WORDS] = {0};
  bool is_late = words_of(t, t->ins[row], in, present, late);
  weir_code rc = weir_monitor_push_typed(m, in, present, is_late || row % 3 == 0 ? late : NULL, out, out_present, out_late, e);
  for (uint32_t o = 0; rc == WEIR_OK && o < t->n_outs; o++)
    outs[o] = (tiled_sample){.bits = out[o].bits, .what = has_bit(out_present, o) ? TILED_THERE : has_bit(out_late, o) ? TILED_LATE : TILED_ABSENT};
  return rc;
}

/* The last rows are kept for going on after the tier was switched. */
void tiled_run_canonical(tiled *t) {
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_CANONICAL};
  cr_assert_eq(weir_monitor_new(t->engine, t->program, &options, &t->canonical, NULL), WEIR_OK);
  for (t->n_good = 0; t->n_good < t->n_rows; t->n_good++)
    if (push_row(t, t->canonical, t->n_good, t->outs[t->n_good], &t->end) != WEIR_OK) return;
}

static bool same_bits(weir_kind kind, uint64_t a, uint64_t b) {
  double x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  return a == b || (kind == WEIR_KIND_FLOAT && x != x && y != y);
}

static void compare(tiled *t, uint32_t row, uint32_t o, tiled_sample got) {
  tiled_sample want = t->outs[row][o];
  if (want.what != got.what) tiled_complain(t, row, "wrong presence", o);
  else if (!same_bits(weir_program_output_kind(t->program, o), want.bits, got.bits)) {
    if (t->why[0] == '\0')
      snprintf(t->why, sizeof t->why, "%s, row %u: output %u is %" PRIx64 " and not %" PRIx64 " (%u)", t->name, row, o, got.bits, want.bits, want.what);
  }
}

static void compare_failure(tiled *t, uint32_t row, weir_code rc, const weir_error *e) {
  if (row != t->n_good || t->n_good == t->n_rows || rc != t->end.code) tiled_complain(t, row, "it fails", (uint32_t)rc);
  else if (e->row != t->end.row || e->span.begin != t->end.span.begin || e->span.end != t->end.span.end || strcmp(e->text, t->end.text) != 0)
    tiled_complain(t, row, "the failure is another one", e->span.begin);
}

/* ---- Batches ---- */

static void free_buffer(tiled *t, uint32_t row, buffer b) {
  if (!buffer_is_intact(b)) tiled_complain(t, row, "written past a column", 0);
  buffer_free(b);
}

typedef struct columns {
  weir_in_column ins[TILED_PORTS];
  weir_out_column outs[TILED_PORTS];
  struct { buffer values, present, late; } in[TILED_PORTS], out[TILED_PORTS];
} columns;

static void fill_in(tiled *t, columns *c, uint32_t i, uint32_t from, uint32_t rows) {
  size_t width = column_width(weir_program_input_kind(t->program, i));
  weir_in_column *to = &c->ins[i];
  bool are_there = true, any_late = false;
  *to = (weir_in_column){.present_bit = tiled_below(t, 20), .deferred_bit = tiled_below(t, 20)};
  c->in[i].values = buffer_new(rows * width);
  c->in[i].present = buffer_new((to->present_bit + rows + 7) / 8);
  c->in[i].late = buffer_new((to->deferred_bit + rows + 7) / 8);
  for (uint32_t k = 0; k < rows; k++) {
    tiled_sample s = t->ins[from + k][i];
    memcpy(c->in[i].values.at + k * width, &s.bits, width);
    bit_set(c->in[i].present.at, to->present_bit + k, s.what == TILED_THERE);
    bit_set(c->in[i].late.at, to->deferred_bit + k, s.what == TILED_LATE);
    are_there &= s.what != TILED_ABSENT;
    any_late |= s.what == TILED_LATE;
  }
  to->as.b = c->in[i].values.at;
  if (!are_there || tiled_below(t, 2) == 0) to->present = c->in[i].present.at;
  if (any_late || tiled_below(t, 2) == 0) to->deferred = c->in[i].late.at;
}

static void make_out(tiled *t, columns *c, uint32_t o, uint32_t rows) {
  weir_out_column *to = &c->outs[o];
  *to = (weir_out_column){.present_bit = tiled_below(t, 20), .deferred_bit = tiled_below(t, 20)};
  c->out[o].values = buffer_new(rows * column_width(weir_program_output_kind(t->program, o)));
  c->out[o].present = buffer_new((to->present_bit + rows + 7) / 8);
  c->out[o].late = buffer_new((to->deferred_bit + rows + 7) / 8);
  if (tiled_below(t, 12) != 0) to->as.b = c->out[o].values.at;
  to->present = c->out[o].present.at;
  to->deferred = c->out[o].late.at;
}

/* Now and then a row has a byte that is no Bool, and is refused; else UINT32_MAX. */
static uint32_t spoil(tiled *t, columns *c, uint32_t from, uint32_t rows) {
  uint32_t k = tiled_below(t, rows);
  if (tiled_below(t, 6) != 0) return UINT32_MAX;
  for (uint32_t i = 0; i < t->n_ins; i++) {
    if (weir_program_input_kind(t->program, i) != WEIR_KIND_BOOL || t->ins[from + k][i].what != TILED_THERE) continue;
    c->in[i].values.at[k] = (uint8_t)(2 + tiled_below(t, 254));
    return from + k;
  }
  return UINT32_MAX;
}

static void compare_input(tiled *t, const columns *c, uint32_t i, uint32_t from, uint32_t rows, uint32_t spoilt) {
  size_t width = column_width(weir_program_input_kind(t->program, i));
  for (uint32_t k = 0; k < rows; k++)
    if (from + k != spoilt && memcmp(c->in[i].values.at + k * width, &t->ins[from + k][i].bits, width) != 0) tiled_complain(t, from + k, "an input was changed", i);
}

static void compare_column(tiled *t, const columns *c, uint32_t o, uint32_t from, uint32_t done, uint32_t rows) {
  const weir_out_column *out = &c->outs[o];
  size_t width = column_width(weir_program_output_kind(t->program, o));
  for (uint32_t k = 0; k < done; k++) {
    bool is_there = bit_get(out->present, out->present_bit + k), is_late = bit_get(out->deferred, out->deferred_bit + k);
    tiled_sample got = {.bits = t->outs[from + k][o].bits, .what = is_there ? TILED_THERE : is_late ? TILED_LATE : TILED_ABSENT};
    if (out->as.b != NULL) {
      got.bits = 0;
      memcpy(&got.bits, out->as.b + k * width, width);
    }
    compare(t, from + k, o, got);
  }
  if (!bits_are_kept(out->present, out->present_bit, rows) || !bits_are_kept(out->deferred, out->deferred_bit, rows))
    tiled_complain(t, from, "a bit that is no row's", o);
}

static void compare_end(tiled *t, uint32_t row, weir_code rc, const weir_error *e, uint32_t spoilt) {
  if (row == spoilt && (rc != WEIR_E_ADMIT || e->row != row)) tiled_complain(t, row, "a byte that is no Bool is taken", (uint32_t)rc);
  if (row != spoilt) compare_failure(t, row, rc, e);
}

uint32_t tiled_push_batch(tiled *t, weir_monitor *m, uint32_t from, uint32_t rows) {
  columns c;
  weir_error e = {.code = WEIR_OK};
  size_t done = 0;
  for (uint32_t i = 0; i < t->n_ins; i++) fill_in(t, &c, i, from, rows);
  for (uint32_t o = 0; o < t->n_outs; o++) make_out(t, &c, o, rows);
  uint32_t spoilt = spoil(t, &c, from, rows);
  weir_code rc = weir_monitor_push_batch(m, rows, c.ins, t->n_ins, c.outs, t->n_outs, &done, &e);
  if (from + done > t->n_good) tiled_complain(t, from + (uint32_t)done, "it goes on", 0);
  else {
    for (uint32_t o = 0; o < t->n_outs; o++) compare_column(t, &c, o, from, (uint32_t)done, rows);
    if (rc != WEIR_OK) compare_end(t, from + (uint32_t)done, rc, &e, spoilt);
    else if (done != rows) tiled_complain(t, from, "rows are left", (uint32_t)done);
  }
  for (uint32_t i = 0; i < t->n_ins; i++) compare_input(t, &c, i, from, rows, spoilt);
  for (uint32_t i = 0; i < t->n_ins; i++)
    free_buffer(t, from, c.in[i].values), free_buffer(t, from, c.in[i].present), free_buffer(t, from, c.in[i].late);
  for (uint32_t o = 0; o < t->n_outs; o++)
    free_buffer(t, from, c.out[o].values), free_buffer(t, from, c.out[o].present), free_buffer(t, from, c.out[o].late);
  return (uint32_t)done;
}

void tiled_push_row(tiled *t, weir_monitor *m, uint32_t row) {
  tiled_sample outs[TILED_PORTS];
  weir_error e;
  weir_code rc = push_row(t, m, row, outs, &e);
  if (rc != WEIR_OK) {
    compare_failure(t, row, rc, &e);
    return;
  }
  if (row >= t->n_good) tiled_complain(t, row, "it does not fail", 0);
  for (uint32_t o = 0; o < t->n_outs && t->why[0] == '\0'; o++) compare(t, row, o, outs[o]);
}
