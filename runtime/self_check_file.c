/* runtime/self_check_file.c -- keeps the rows that came, and writes them with the specification, for `weir run`.
**
** A run of them begins with empty state, so it gives the same rows again where they reach back to the first one.  They do while there is room for all;
** then they are the last ones, and the text says so: that is enough where no output depends on what is farther back. */
#include "runtime/self_check_file.h"

#include <string.h>

#include "ir/base/io.h"
#include "ir/words.h"
#include "runtime/batch.h"
#include "runtime/bitmap.h"

/* Rows that there is room for at first (more than are noted together), and bytes that all of them may have: with a limit, so much of it. */
enum { FIRST_NOTES = 2048, MOST_BYTES = 64 << 20, OF_LIMIT = 8 };
enum { MOST_PAIRS = 1000 }; /* of files of one tick in a folder */

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
  size_t bytes = m->mem.limit == 0 ? MOST_BYTES : WB_MIN(MOST_BYTES, m->mem.limit / OF_LIMIT);
  c->most_notes = WB_MAX(FIRST_NOTES, bytes / (sizeof *c->notes * WB_MAX(n, 1)));
  c->n_notes = FIRST_NOTES;
  c->notes = wb_block(&m->mem, FIRST_NOTES * (size_t)n * sizeof *c->notes);
  return c->notes != NULL;
}

static weir_value *note_of(const wrt_monitor *m, uint64_t tick) { return m->check->notes + tick % m->check->n_notes * m->program->n_inputs; }

/* For rows up to tick `end`.  Where there is no more memory for that, the last rows take the places of the first ones from now on. */
static void make_room(wrt_monitor *m, uint64_t end) {
  wrt_check *c = m->check;
  if (WB_LIKELY(end <= c->n_notes) || c->n_notes == c->most_notes) return;
  uint64_t n = WB_MIN(c->most_notes, WB_MAX(end, 2 * c->n_notes));
  weir_value *more = wb_block_resize(&m->mem, c->notes, (size_t)n * m->program->n_inputs * sizeof *more);
  if (more == NULL) {
    c->most_notes = c->n_notes;
    return;
  }
  c->notes = more;
  c->n_notes = n;
}

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
  make_room(m, m->ticks + 1);
  weir_value *to = note_of(m, m->ticks);
  for (uint32_t i = 0; i < m->program->n_inputs; i++) {
    to[i] = (weir_value){.tag = WEIR_NOVAL};
    if (deferred != NULL && wrt_word_bit(deferred, i)) to[i].tag = WEIR_DEFERRED;
    else if (present == NULL || wrt_word_bit(present, i)) to[i] = wrt_check_value(m->in_kinds[i], in[i]);
  }
}

void wrt_check_note_values(wrt_monitor *m, const weir_value *inputs) {
  if (m->check->notes == NULL) return;
  make_room(m, m->ticks + 1);
  memcpy(note_of(m, m->ticks), inputs, m->program->n_inputs * sizeof *inputs);
}

void wrt_check_note_rows(wrt_monitor *m, const wrt_batch *b) {
  if (m->check->notes == NULL) return;
  make_room(m, m->ticks + b->rows);
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

/* What stands before the rows, of which the first is tick `from`. */
static void put_head(wir_words *w, const wrt_monitor *m, uint64_t from, uint64_t first, uint64_t end, bool is_native) {
  wir_put(w, "// The ");
  wir_put(w, is_native ? "native" : "quickened");
  wir_put(w, " tier and the canonical one differ in tick ");
  wir_put_number(w, first - from);
  wir_put(w, " or up to ");
  wir_put_number(w, end - 1 - from);
  wir_put(w, ": ");
  wir_put(w, m->check->what);
  wir_put(w, "\n// weir run --check-tier 1/1 --tier ");
  wir_put(w, is_native ? "native" : "quickened");
  wir_put(w, " SPEC TRACE tells it again; with `cat TRACE |` and - for the trace, where rows came one by one.\n");
  if (from == 0) return;
  wir_put(w, "// These are the last rows of a longer run, in which they began at tick ");
  wir_put_number(w, from);
  wir_put(w, ": if the difference depends on what came before, they do not show it.\n");
}

/* Two files of one name, but for its end. */
typedef struct pair {
  wrt_monitor *m;
  uint64_t tick;
  uint32_t number; /* of those of that tick, from 1 */
  wb_io io;
  wir_words words; /* a path, or a piece of the rows */
  wb_file spec, rows;
} pair;

/* NULL: out of memory. */
static const char *path_of(pair *p, const char *ending) {
  wir_words *w = &p->words;
  w->bytes.n = 0;
  wir_put(w, p->m->check->folder);
  wir_put(w, "/weir-difference-");
  wir_put_number(w, p->tick);
  if (p->number > 1) wir_put(w, "-");
  if (p->number > 1) wir_put_number(w, p->number);
  wir_put(w, ending);
  wir_put_str(w, (wb_str){"", 1}); /* its end */
  return w->has_failed ? NULL : w->bytes.at;
}

static weir_code open_one(pair *p, const char *ending, wb_file *f) {
  const char *path = path_of(p, ending);
  return path == NULL ? WEIR_E_MEMORY : wb_file_open_new(f, &p->io, path, NULL);
}

/* E_ARGUMENT: one of them is there. */
static weir_code open_both(pair *p) {
  weir_code rc = open_one(p, ".dsrv", &p->spec);
  if (rc != WEIR_OK || p->m->check->notes == NULL) return rc;
  rc = open_one(p, ".input", &p->rows);
  if (rc != WEIR_E_ARGUMENT) return rc;
  const char *path = path_of(p, ".dsrv");
  (void)wb_file_close(&p->spec, NULL);
  if (path != NULL) (void)!wb_file_remove(&p->io, path, NULL); /* else it stands there empty */
  return rc;
}

/* Other monitors may write to the folder, and other users: what is there is nobody's to write over, and files of one number belong together. */
static void open_free(pair *p) {
  weir_code rc = WEIR_E_ARGUMENT;
  for (p->number = 1; p->number <= MOST_PAIRS && rc == WEIR_E_ARGUMENT; p->number++) rc = open_both(p);
}

static void write_spec(pair *p) {
  wb_str text = p->m->program->text;
  if (p->spec.fd < 0) return;
  (void)!wb_file_write(&p->spec, text.at, text.n, NULL); /* a part is better than nothing */
  (void)wb_file_close(&p->spec, NULL);
}

/* In pieces: the text of all rows may be longer than they are. */
static void write_rows(pair *p, uint64_t end, bool is_native) {
  enum { PIECE = 64 << 10 };
  wrt_monitor *m = p->m;
  wir_words *w = &p->words;
  uint64_t from = end > m->check->n_notes ? end - m->check->n_notes : 0;
  wb_io_status status = WB_IO_OK;
  if (p->rows.fd < 0) return;
  w->bytes.n = 0;
  put_head(w, m, from, p->tick, end, is_native);
  for (uint64_t tick = from; tick < end && status == WB_IO_OK && !w->has_failed; tick++) {
    put_row(w, m, tick, tick - from);
    if (w->bytes.n < PIECE && tick + 1 != end) continue;
    status = wb_file_write(&p->rows, w->bytes.at, w->bytes.n, NULL);
    w->bytes.n = 0;
  }
  (void)wb_file_close(&p->rows, NULL);
}

void wrt_check_write(wrt_monitor *m, uint64_t first, uint64_t end, bool is_native) {
  pair p = {.m = m, .tick = first, .words = {.mem = &m->mem}, .spec = WB_FILE_NONE, .rows = WB_FILE_NONE};
  open_free(&p);
  write_spec(&p);
  write_rows(&p, end, is_native);
  WB_VEC_FREE(&m->mem, &p.words.bytes);
}
