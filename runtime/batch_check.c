/* runtime/batch_check.c -- what a batch may look like: everything that does not depend on a row.
**
** Every buffer of a call becomes a range of addresses.  Ranges of outputs may not meet any other: sorted by where they begin, one sweep
** finds the first that does.  Buffers of one kind (the values of all inputs, say) mostly stand in the order of the columns, so ranges are put by
** kind, and the sort merges what is in order: it takes little time for hundreds of columns, and never more than n log n. */
#include "runtime/batch.h"

#include <string.h>

/* One buffer. */
typedef struct range {
  uintptr_t begin, end; /* never empty */
  uint32_t stream;      /* whose it is */
  bool is_output;
  const char *what;     /* "values" */
} range;

typedef struct checker {
  wrt_monitor *m;
  const wrt_batch *b;
  weir_error *e;
  range *ranges;        /* by part, then by column: inputs, then outputs; and room for as many again */
  size_t n;             /* columns */
  size_t column;        /* that is being looked at: its number, */
  uint32_t stream;      /* and whose it is */
  bool is_output;
} checker;

typedef enum part { VALUES, BYTES, PRESENT, DEFERRED, PARTS } part;

const uint8_t wrt_batch_widths[WEIR_KIND_COUNT] = {
  [WEIR_KIND_INT] = sizeof(int64_t), [WEIR_KIND_FLOAT] = sizeof(double), [WEIR_KIND_BOOL] = 1, [WEIR_KIND_TEXT] = sizeof(uint32_t),
};

static bool has_column(uint8_t kind) { return wrt_batch_widths[kind] != 0 || kind == WEIR_KIND_UNIT; }

/* Refuses the column that is being looked at. */
static weir_code refuse(const checker *c, const char *what, const char *wrong) {
  wb_str name = wir_stream_name(c->m->program, c->stream);
  return wb_fail(c->e, WEIR_E_ARGUMENT, WB_NOWHERE, "%s of %s %.*s %s", what, c->is_output ? "output" : "input", (int)name.n, name.at,
                 wrong);
}

static weir_code refuse_kind(const checker *c) {
  const wir_program *p = c->m->program;
  wb_str name = wir_stream_name(p, c->stream);
  return wb_fail(c->e, WEIR_E_ARGUMENT, WB_NOWHERE, "a batch has columns of Int, Float, Bool, Str and Unit; %s %.*s is %.60s",
                 c->is_output ? "output" : "input", (int)name.n, name.at, p->streams[c->stream].type_text);
}

static weir_code add(checker *c, part of, const void *at, size_t bytes, const char *what) {
  if (at == NULL || bytes == 0) return WEIR_OK;
  uintptr_t begin = (uintptr_t)at;
  if (bytes > UINTPTR_MAX - begin) return refuse(c, what, "do not fit into memory");
  c->ranges[of * c->n + c->column] =
    (range){.begin = begin, .end = begin + bytes, .stream = c->stream, .is_output = c->is_output, .what = what};
  return WEIR_OK;
}

static weir_code add_values(checker *c, uint8_t kind, const void *at) {
  size_t samples = c->b->rows, bytes, width = wrt_batch_widths[kind];
  if (width == 0 || at == NULL) return WEIR_OK;
  const char *what = kind == WEIR_KIND_TEXT ? "the offsets" : "the values";
  if ((uintptr_t)at % width != 0) return refuse(c, what, "are not aligned for their type");
  if ((kind == WEIR_KIND_TEXT && !wb_add(samples, 1, &samples)) || !wb_mul(samples, width, &bytes))
    return refuse(c, what, "do not fit into memory");
  return add(c, VALUES, at, bytes, what);
}

/* The bytes in which the rows have a bit. */
static weir_code add_bits(checker *c, part of, const uint8_t *bits, size_t first, const char *what) {
  size_t end;
  if (bits == NULL || c->b->rows == 0) return WEIR_OK;
  if (!wb_add(first, c->b->rows, &end)) return refuse(c, what, "do not fit into memory");
  return add(c, of, bits + first / 8, (end - 1) / 8 + 1 - first / 8, what);
}

static weir_code check_in(checker *c, uint32_t i) {
  const weir_in_column *in = &c->b->ins[i];
  uint8_t kind = c->m->in_kinds[i];
  c->column = c->stream = i;
  c->is_output = false;
  if (!has_column(kind)) return refuse_kind(c);
  if (kind != WEIR_KIND_UNIT && in->as.i == NULL && c->b->rows != 0)
    return refuse(c, kind == WEIR_KIND_TEXT ? "the offsets" : "the values", "are missing");
  if (kind == WEIR_KIND_TEXT && in->bytes == NULL && in->n_bytes != 0) return refuse(c, "the bytes", "are missing");
  WB_TRY(add_values(c, kind, in->as.i));
  if (kind == WEIR_KIND_TEXT) WB_TRY(add(c, BYTES, in->bytes, in->n_bytes, "the bytes"));
  WB_TRY(add_bits(c, PRESENT, in->present, in->present_bit, "the present bits"));
  return add_bits(c, DEFERRED, in->deferred, in->deferred_bit, "the deferred bits");
}

static weir_code check_out(checker *c, uint32_t i) {
  const weir_out_column *out = &c->b->outs[i];
  uint8_t kind = c->m->out_kinds[i];
  c->column = c->b->n_ins + i;
  c->stream = c->m->program->outputs[i];
  c->is_output = true;
  if (!has_column(kind)) {
    bool is_asked_for = out->as.i != NULL || out->present != NULL || out->deferred != NULL;
    return is_asked_for ? refuse_kind(c) : WEIR_OK;
  }
  WB_TRY(add_values(c, kind, out->as.i));
  if (kind == WEIR_KIND_TEXT && out->as.offsets != NULL) {
    if (out->bytes == NULL && out->n_bytes != 0) return refuse(c, "the bytes", "are missing");
    WB_TRY(add(c, BYTES, out->bytes, out->n_bytes, "the bytes"));
  }
  WB_TRY(add_bits(c, PRESENT, out->present, out->present_bit, "the present bits"));
  return add_bits(c, DEFERRED, out->deferred, out->deferred_bit, "the deferred bits");
}

/* ---- Overlaps ---- */

/* Where the run of ranges in order ends that begins at i. */
static size_t run_from(const range *r, size_t i, size_t n) {
  for (i++; i < n && r[i - 1].begin <= r[i].begin; i++) {}
  return i;
}

static void merge(range *restrict to, const range *restrict a, size_t n_a, const range *restrict b, size_t n_b) {
  while (n_a != 0 && n_b != 0) {
    if (b->begin < a->begin) *to++ = *b++, n_b--;
    else *to++ = *a++, n_a--;
  }
  memcpy(to, n_a != 0 ? a : b, (n_a + n_b) * sizeof *to);
}

/* By where they begin: merges two runs at a time, into the other half of the room, until there is one.  Answers where they are. */
static const range *sort(range *from, range *to, size_t n) {
  while (run_from(from, 0, n) < n && !WB_PLANTED(114)) {
    for (size_t i = 0, middle, end; i < n; i = end) {
      middle = run_from(from, i, n);
      end = middle < n ? run_from(from, middle, n) : n;
      merge(to + i, from + i, middle - i, from + middle, end - middle);
    }
    range *sorted = to;
    to = from;
    from = sorted;
  }
  return from;
}

static weir_code refuse_overlap(const checker *c, const range *a, const range *b) {
  if (!a->is_output) return refuse_overlap(c, b, a);
  wb_str x = wir_stream_name(c->m->program, a->stream), y = wir_stream_name(c->m->program, b->stream);
  return wb_fail(c->e, WEIR_E_ARGUMENT, WB_NOWHERE, "%s of output %.*s overlap with %s of %s %.*s", a->what, (int)WB_MIN(x.n, 60), x.at,
                 b->what, b->is_output ? "output" : "input", (int)WB_MIN(y.n, 60), y.at);
}

/* Each range against what reaches farthest of those that begin before it. */
static weir_code find_overlap(checker *c) {
  size_t room = PARTS * c->n, n = 0;
  for (size_t i = 0; i < room; i++)
    if (c->ranges[i].end != 0) c->ranges[n++] = c->ranges[i];
  const range *sorted = sort(c->ranges, c->ranges + room, n), *farthest = NULL, *farthest_output = NULL;
  for (size_t i = 0; i < n; i++) {
    const range *r = &sorted[i], *other = r->is_output ? farthest : farthest_output;
    if (other != NULL && other->end > r->begin) return refuse_overlap(c, r, other);
    if (farthest == NULL || r->end > farthest->end) farthest = r;
    if (r->is_output && (farthest_output == NULL || r->end > farthest_output->end)) farthest_output = r;
  }
  return WEIR_OK;
}

/* ---- The call ---- */

static weir_code check_columns(checker *c) {
  memset(c->ranges, 0, PARTS * c->n * sizeof *c->ranges);
  for (uint32_t i = 0; i < c->b->n_ins; i++) WB_TRY(check_in(c, i));
  for (uint32_t i = 0; i < c->b->n_outs; i++) WB_TRY(check_out(c, i));
  return find_overlap(c);
}

static weir_code check_numbers(const wrt_monitor *m, const wrt_batch *b, weir_error *e) {
  const wir_program *p = m->program;
  if (b->n_ins == p->n_inputs && b->n_outs == p->n_outputs && (b->ins != NULL || b->n_ins == 0) && (b->outs != NULL || b->n_outs == 0))
    return WEIR_OK;
  size_t n_ins = b->ins == NULL ? 0 : b->n_ins, n_outs = b->outs == NULL ? 0 : b->n_outs;
  return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "the batch has %zu column%s in and %zu out, the program %u input%s and %u output%s", n_ins, WB_S(n_ins), n_outs,
                 p->n_inputs, WB_S(p->n_inputs), p->n_outputs, WB_S(p->n_outputs));
}

weir_code wrt_batch_check(wrt_monitor *m, const wrt_batch *b, weir_error *e) {
  weir_error why;
  checker c = {.m = m, .b = b, .e = &why};
  weir_code rc = check_numbers(m, b, &why);
  if (rc == WEIR_OK) {
    c.n = b->n_ins + b->n_outs;
    c.ranges = wb_block(&m->mem, 2 * PARTS * c.n * sizeof *c.ranges);
    rc = c.ranges == NULL ? wb_fail_memory(&why) : check_columns(&c);
    wb_block_free(&m->mem, c.ranges);
  }
  if (rc == WEIR_OK || e == NULL) return rc;
  *e = why;
  e->row = m->ticks;
  return rc;
}
