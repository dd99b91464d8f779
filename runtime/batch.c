/* runtime/batch.c -- runs the rows of a batch: as tiles where the quickened tier can (tile.c), else one after the other, through the steps
** of a tick.
**
** A row is admitted from the columns into m->row, computed, and written to the output columns before it is committed.  A row whose texts
** do not fit is undone: its outputs are known before anything of it is history, so it has not happened.
** Leave alone: what a call may look like (batch_check.c), the steps (tick.c). */
#include "runtime/batch.h"

#include <string.h>

#include "runtime/batch_rows.h"
#include "runtime/native.h"
#include "runtime/tile.h"

/* ---- In ---- */

static weir_code refuse_bool(const wrt_monitor *m, uint32_t input, uint8_t byte, weir_error *why) {
  wb_str name = wir_stream_name(m->program, input);
  wb_fail(why, WEIR_E_ADMIT, WB_NOWHERE, "input %.*s expects Bool: a byte of 0 or 1, not %u", (int)name.n, name.at, byte);
  why->input = input;
  return WEIR_E_ADMIT;
}

static weir_code admit_text(wrt_monitor *m, uint32_t input, const weir_in_column *c, size_t row, weir_error *why) {
  uint32_t begin = c->as.offsets[row], end = c->as.offsets[row + 1];
  if (begin > end || end > c->n_bytes) {
    wb_str name = wir_stream_name(m->program, input);
    wb_fail(why, WEIR_E_ADMIT, WB_NOWHERE, "input %.*s has a text from byte %u to %u of %zu", (int)name.n, name.at, begin, end, c->n_bytes);
    why->input = input;
    return WEIR_E_ADMIT;
  }
  const char *bytes = c->bytes == NULL ? "" : c->bytes + begin;
  return wrt_admit_value(m, input, (weir_value){.tag = WEIR_TEXT, .count = end - begin, .as.text = bytes}, why);
}

static weir_code admit_sample(wrt_monitor *m, uint32_t input, const weir_in_column *c, size_t row, weir_error *why) {
  weir_value *to = &m->row[input];
  bool is_deferred = c->deferred != NULL && wrt_bit(c->deferred, c->deferred_bit, row);
  if (is_deferred || (c->present != NULL && !wrt_bit(c->present, c->present_bit, row))) {
    *to = (weir_value){.tag = is_deferred ? WEIR_DEFERRED : WEIR_NOVAL};
    return WEIR_OK;
  }
  switch (m->in_kinds[input]) {
  case WEIR_KIND_INT: *to = (weir_value){.tag = WEIR_INT, .as.i = c->as.i[row]}; break;
  case WEIR_KIND_FLOAT: *to = (weir_value){.tag = WEIR_FLOAT, .as.f = c->as.f[row]}; break;
  case WEIR_KIND_BOOL:
    if (c->as.b[row] > 1) return refuse_bool(m, input, c->as.b[row], why);
    *to = (weir_value){.tag = WEIR_BOOL, .as.b = c->as.b[row]};
    break;
  case WEIR_KIND_TEXT: return admit_text(m, input, c, row, why);
  case WEIR_KIND_UNIT: *to = (weir_value){.tag = WEIR_UNIT}; break;
  }
  return WEIR_OK;
}

static weir_code admit_row(wrt_monitor *m, const wrt_batch *b, size_t row, weir_error *e) {
  weir_error why;
  for (uint32_t i = 0; i < b->n_ins; i++)
    if (admit_sample(m, i, &b->ins[i], row, &why) != WEIR_OK) return wrt_tick_refuse(m, &why, e);
  wrt_hold_inputs(m);
  return WEIR_OK;
}

/* ---- Out ---- */

static weir_value output_of(const wrt_monitor *m, uint32_t output) { return m->row[m->program->outputs[output]]; }

static bool wants_text(const wrt_monitor *m, const wrt_batch *b, uint32_t output) {
  return m->out_kinds[output] == WEIR_KIND_TEXT && b->outs[output].as.offsets != NULL;
}

/* Do the row's texts fit what is left? */
static weir_code find_room(wrt_monitor *m, const wrt_batch *b, size_t row, weir_error *e) {
  for (uint32_t i = 0; i < b->n_outs; i++) {
    if (!wants_text(m, b, i)) continue;
    const weir_out_column *c = &b->outs[i];
    weir_value v = output_of(m, i);
    size_t room = WB_MIN(c->n_bytes, UINT32_MAX), used = c->as.offsets[row];
    if (v.tag != WEIR_TEXT || v.count <= room - used) continue;
    weir_error why;
    wb_str name = wir_stream_name(m->program, m->program->outputs[i]);
    wb_fail(&why, WEIR_E_FULL, WB_NOWHERE, "output %.*s needs %u byte%s for this row, and %zu of %zu are left", (int)name.n, name.at,
            v.count, WB_S(v.count), room - used, room);
    return wrt_tick_refuse(m, &why, e);
  }
  return WEIR_OK;
}

static void put_text(const weir_out_column *c, size_t row, weir_value v) {
  uint32_t at = c->as.offsets[row], n = v.tag == WEIR_TEXT ? v.count : 0;
  if (n != 0) memcpy(c->bytes + at, v.as.text, n);
  c->as.offsets[row + 1] = at + n;
}

static void put_sample(uint8_t kind, const weir_out_column *c, size_t row, weir_value v) {
  bool is_there = v.tag > WEIR_DEFERRED;
  if (c->present != NULL) wrt_put_bit(c->present, c->present_bit, row, is_there);
  if (c->deferred != NULL) wrt_put_bit(c->deferred, c->deferred_bit, row, v.tag == WEIR_DEFERRED);
  if (kind == WEIR_KIND_UNIT || c->as.i == NULL) return;
  switch (kind) {
  case WEIR_KIND_INT: c->as.i[row] = is_there ? v.as.i : 0; break;
  case WEIR_KIND_FLOAT: c->as.f[row] = is_there ? v.as.f : 0.0; break;
  case WEIR_KIND_BOOL: c->as.b[row] = is_there && v.as.b; break;
  case WEIR_KIND_TEXT: put_text(c, row, v); break;
  }
}

/* ---- Rows ---- */

static weir_code run_row(wrt_monitor *m, const wrt_batch *b, size_t row, weir_error *e) {
  WB_TRY(wrt_tick_begin(m, e));
  WB_TRY(admit_row(m, b, row, e));
  WB_TRY(wrt_tick_run(m, e));
  weir_code rc = find_room(m, b, row, e);
  if (rc != WEIR_OK) {
    wrt_tick_undo(m);
    return rc;
  }
  for (uint32_t i = 0; i < b->n_outs; i++) put_sample(m->out_kinds[i], &b->outs[i], row, output_of(m, i));
  wrt_tick_commit(m);
  return WEIR_OK;
}

/* Some of the next n rows, one at least, unless it fails. */
static weir_code run_rows(wrt_monitor *m, const wrt_batch *b, size_t n, size_t *done, weir_error *e) {
  size_t some = 0;
  bool is_odd = true;
  weir_code rc = wrt_batch_has_rows(m) ? wrt_batch_rows(m, b, *done, n, &some, &is_odd, e) : WEIR_OK;
  *done += some;
  if (!is_odd || rc != WEIR_OK) return rc;
  WB_TRY(run_row(m, b, *done, e));
  ++*done;
  return WEIR_OK;
}

/* Runs a tile, if one can run.  Answers how many rows run one by one then.  While state is cold that is `cold`: each time double, since an input
** may never come. */
static size_t run_tile(wrt_monitor *m, const wrt_batch *b, size_t *done, size_t *cold) {
  enum { MOST_COLD = 64 };
  size_t alone;
  wrt_native_release(m); /* tiles find rings as they are canonically */
  size_t tiled = wrt_native_batch_rows(m, b, *done, &alone);
  if (tiled == 0 && alone == 0) tiled = wrt_tile_rows(m, b, *done, &alone);
  *done += tiled;
  if (alone != WRT_TILE_COLD) return alone;
  alone = WB_MIN(*cold, b->rows - *done);
  *cold = WB_MIN(2 * *cold, MOST_COLD);
  return alone;
}

static weir_code run_pieces(wrt_monitor *m, const wrt_batch *b, size_t *done, wrt_hot_watch *watch, weir_error *e) {
  size_t until = 0, cold = 1; /* rows before `until` run one by one */
  while (*done < b->rows) {
    const void *kernels = m->native;
    if (WB_UNLIKELY(m->ticks >= m->hot.next)) wrt_hot_piece(m, watch);
    if (*done >= until || m->native != kernels) {
      size_t alone = run_tile(m, b, done, &cold);
      until = *done + alone;
    }
    if (*done < until) WB_TRY(run_rows(m, b, until - *done, done, e));
  }
  return WEIR_OK;
}

weir_code wrt_batch_run(wrt_monitor *m, const wrt_batch *b, size_t *done, weir_error *e) {
  wrt_hot_watch watch = {.begin = 0};
  *done = 0;
  weir_code rc = run_pieces(m, b, done, &watch, e);
  wrt_hot_pieces_end(m, &watch);
  return rc;
}

weir_code wrt_push_batch(wrt_monitor *m, const wrt_batch *b, size_t *done, weir_error *e) {
  *done = 0;
  WB_TRY(wrt_tick_begin(m, e));
  WB_TRY(wrt_batch_check(m, b, e));
  for (uint32_t i = 0; i < b->n_outs; i++)
    if (wants_text(m, b, i)) b->outs[i].as.offsets[0] = 0;
  return WB_UNLIKELY(m->check != NULL) ? wrt_check_batch(m, b, done, e) : wrt_batch_run(m, b, done, e);
}
