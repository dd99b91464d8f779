/* runtime/self_check_file.c -- keeps the last rows that came, and writes them with the specification, for `weir run`.
**
** A run of them begins with empty state.  So it gives the same rows again where they reach back to the first one; of a longer run they are the
** last ones, and the text says so: that is enough where no output depends on what is farther back. */
#include "runtime/self_check_file.h"

#include <string.h>

#include "ir/base/io.h"
#include "ir/words.h"
#include "runtime/batch.h"
#include "runtime/bitmap.h"

enum { MOST_NOTES = 4096, MOST_BYTES = 4 << 20 };

/* ---- Keeping ---- */

static bool is_scalar(uint8_t kind) { return kind == WEIR_KIND_INT || kind == WEIR_KIND_FLOAT || kind == WEIR_KIND_BOOL || kind == WEIR_KIND_UNIT; }

bool wrt_check_notes_new(wrt_monitor *m, const char *folder) {
  wrt_check *c = m->check;
  uint32_t n = m->program->n_inputs;
  if (folder == NULL) return true;
  size_t length = strlen(folder) + 1;
  char *copy = WB_NEW_ARRAY(&m->mem, char, length);
  if (copy == NULL) return false;
  c->folder = memcpy(copy, folder, length);
  for (uint32_t i = 0; i < n; i++)
    if (!is_scalar(m->in_kinds[i])) return true;
  c->most_notes = MOST_NOTES;
  if (n != 0) c->most_notes = WB_MAX(2048, WB_MIN(c->most_notes, MOST_BYTES / (n * sizeof *c->notes)));
  c->notes = WB_NEW_ARRAY(&m->mem, weir_value, c->most_notes * n);
  return c->notes != NULL;
}

static weir_value *note_of(const wrt_monitor *m, uint64_t tick) { return m->check->notes + tick % m->check->most_notes * m->program->n_inputs; }

weir_value wrt_check_value(uint8_t kind, weir_cell cell) {
  switch (kind) {
  case WEIR_KIND_BOOL: return (weir_value){.tag = WEIR_BOOL, .as.b = cell.i != 0};
  case WEIR_KIND_UNIT: return (weir_value){.tag = WEIR_UNIT};
  case WEIR_KIND_FLOAT: return (weir_value){.tag = WEIR_FLOAT, .as.f = cell.f};
  }
  return (weir_value){.tag = WEIR_INT, .as.i = cell.i};
}

void wrt_check_note_cells(wrt_monitor *m, const weir_cell *in, const uint64_t *present, const uint64_t *deferred) {
  if (m->check->notes == NULL) return;
  weir_value *to = note_of(m, m->ticks);
  for (uint32_t i = 0; i < m->program->n_inputs; i++) {
    to[i] = (weir_value){.tag = WEIR_NOVAL};
    if (deferred != NULL && wrt_word_bit(deferred, i)) to[i].tag = WEIR_DEFERRED;
    else if (present == NULL || wrt_word_bit(present, i)) to[i] = wrt_check_value(m->in_kinds[i], in[i]);
  }
}

void wrt_check_note_values(wrt_monitor *m, const weir_value *inputs) {
  if (m->check->notes == NULL) return;
  memcpy(note_of(m, m->ticks), inputs, m->program->n_inputs * sizeof *inputs);
}

void wrt_check_note_rows(wrt_monitor *m, const wrt_batch *b) {
  if (m->check->notes == NULL) return;
  for (size_t row = 0; row < b->rows; row++)
    for (size_t i = 0; i < b->n_ins; i++) {
      const weir_in_column *c = &b->ins[i];
      weir_value *to = note_of(m, m->ticks + row) + i;
      *to = (weir_value){.tag = WEIR_NOVAL};
      if (c->deferred != NULL && wrt_bit(c->deferred, c->deferred_bit, row)) to->tag = WEIR_DEFERRED;
      else if (c->present != NULL && !wrt_bit(c->present, c->present_bit, row)) continue;
      else if (m->in_kinds[i] == WEIR_KIND_UNIT) to->tag = WEIR_UNIT;
      else *to = wrt_check_value(m->in_kinds[i], (weir_cell){.i = m->in_kinds[i] == WEIR_KIND_BOOL ? c->as.b[row] : c->as.i[row]});
    }
}

/* ---- Writing ---- */

static void put_row(wir_words *w, const wrt_monitor *m, uint64_t tick, uint64_t number) {
  const weir_value *row = note_of(m, tick);
  wir_put_number(w, number);
  wir_put(w, ":\n");
  for (uint32_t i = 0; i < m->program->n_inputs; i++) {
    if (row[i].tag == WEIR_NOVAL) continue;
    wir_put(w, "  ");
    wir_put_str(w, wir_stream_name(m->program, i));
    wir_put(w, " = ");
    wir_put_value(w, row[i]);
    wir_put(w, "\n");
  }
}

static void put_rows(wir_words *w, const wrt_monitor *m, uint64_t first, uint64_t end, bool is_native) {
  const wrt_check *c = m->check;
  uint64_t from = end > c->most_notes ? end - c->most_notes : 0;
  wir_put(w, "// The ");
  wir_put(w, is_native ? "native" : "quickened");
  wir_put(w, " tier and the canonical one differ in tick ");
  wir_put_number(w, first - from);
  wir_put(w, " or up to ");
  wir_put_number(w, end - 1 - from);
  wir_put(w, ": ");
  wir_put(w, c->what);
  wir_put(w, "\n// weir run --check-tier 1/1 --tier ");
  wir_put(w, is_native ? "native" : "quickened");
  wir_put(w, " SPEC TRACE tells it again; with `cat TRACE |` and - for the trace, where rows came one by one.\n");
  if (from != 0) {
    wir_put(w, "// These are the last rows of a longer run, in which they began at tick ");
    wir_put_number(w, from);
    wir_put(w, ": if the difference depends on what came before, they do not show it.\n");
  }
  for (uint64_t tick = from; tick < end; tick++) put_row(w, m, tick, tick - from);
}

static void write_file(wrt_monitor *m, uint64_t number, const char *ending, wb_str text) {
  wb_io io = {.calls = 0};
  wb_file f = WB_FILE_NONE;
  wir_words path = {.mem = &m->mem};
  wir_put(&path, m->check->folder);
  wir_put(&path, "/weir-difference-");
  wir_put_number(&path, number);
  wir_put(&path, ending);
  wir_put_str(&path, (wb_str){"", 1}); /* its end */
  if (!path.has_failed && wb_file_open_write(&f, &io, path.bytes.at, NULL) == WEIR_OK) {
    wb_io_status status = wb_file_write(&f, text.at, text.n, NULL);
    (void)status; /* a part is better than nothing */
    (void)wb_file_close(&f, NULL);
  }
  WB_VEC_FREE(&m->mem, &path.bytes);
}

void wrt_check_write(wrt_monitor *m, uint64_t first, uint64_t end, bool is_native) {
  wir_words w = {.mem = &m->mem};
  write_file(m, first, ".dsrv", m->program->text);
  if (m->check->notes != NULL) put_rows(&w, m, first, end, is_native);
  if (m->check->notes != NULL && !w.has_failed) write_file(m, first, ".input", (wb_str){w.bytes.at, w.bytes.n});
  WB_VEC_FREE(&m->mem, &w.bytes);
}
