/* tests/support/fed.c -- feeds bytes to a reader; see fed.h. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "tests/support/fed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECES = 100, FIELDS = 16 };

void fed_must(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "fed: %s\n", what);
  abort();
}

static void tell(FILE *to, const char *level, const cli_trouble *t) {
  fprintf(to, "%s %llu:%llu %llu %s %s\n", level, (unsigned long long)t->at.line, (unsigned long long)t->at.column, (unsigned long long)t->tick,
          t->what.text, t->hint);
  if (t->at.text.at == NULL) return;
  fprintf(to, "%zu %zu ", t->at.begin, t->at.end);
  FED_MUST(t->at.begin <= t->at.end && t->at.end <= t->at.text.n);
  fwrite(t->at.text.at, 1, t->at.text.n < 300 ? t->at.text.n : 300, to);
}

static void warn(void *self, const cli_trouble *t) { tell(self, "warning", t); }

static char *read_back(int fd, size_t *n) {
  off_t end = lseek(fd, 0, SEEK_END);
  FED_MUST(end >= 0);
  char *text = malloc((size_t)end + 1);
  FED_MUST(text != NULL && pread(fd, text, (size_t)end, 0) == (ssize_t)end);
  text[end] = '\0';
  *n = (size_t)end;
  return text;
}

/* A run that is open. */
typedef struct line {
  const fed_how *how;
  cli_env env;
  wb_mem mem;
  cli_output out;
  cli_writer writer;
  cli_sink sink;
  cli_label label;
  const weir_value *nothing[FIELDS];
  weir_value no_value;
} line;

static void open_line(line *l, const fed_how *how, int in) {
  *l = (line){.how = how, .env = {.in = in, .out = memfd_create("rows", MFD_CLOEXEC), .err = -1, .wake = -1}, .label = {.column = how->column}};
  FED_MUST(l->env.out >= 0 && how->n_fields <= FIELDS);
  wb_door_open(&l->env.door, NULL, 0);
  wb_mem_init(&l->mem, &l->env.door, 0);
  weir_error e;
  FED_MUST(cli_output_open(&l->out, &l->env, &l->mem, NULL, &e) == WEIR_OK);
  FED_MUST(cli_writer_open(&l->writer, how->out, &l->out, &l->mem, how->fields, how->n_fields, &l->label, how->max_nesting, &l->sink));
  for (size_t i = 0; i < FIELDS; i++) l->nothing[i] = &l->no_value;
}

static void put_row(line *l, fed *f, const weir_value *values) {
  const weir_value *at[FIELDS];
  for (uint32_t i = 0; i < l->how->n_fields; i++) at[i] = &values[i];
  l->sink.row(l->sink.self, f->n_ticks++, at);
}

static void put_empty(line *l, fed *f, uint64_t until) {
  while (f->n_ticks < until) l->sink.row(l->sink.self, f->n_ticks++, l->nothing);
}

static void close_line(line *l, fed *f) {
  FED_MUST(cli_output_close(&l->out) == CLI_PIPE_OK);
  cli_writer_close(&l->writer);
  wb_mem_drop(&l->mem);
  f->rows = read_back(l->env.out, &f->n_rows);
  close(l->env.out);
}

static cli_source open_reader(const fed_how *how, cli_reader *reader, cli_input *in, wb_mem *mem, cli_label *label, const cli_ear *ear) {
  cli_source source;
  cli_trace_options opts = {.max_nesting = how->max_nesting, .max_line = how->max_line, .max_gap = UINT64_MAX, .end_tick = WEIR_NO_ROW, .is_strict = how->is_strict};
  FED_MUST(cli_reader_open(reader, how->in, in, mem, "f", how->fields, how->n_fields, &opts, label, ear, &source));
  return source;
}

static void look_at_places(const cli_source *source, uint32_t n) {
  for (uint32_t i = 0; i <= n; i++) {
    cli_mark at = source->place(source->self, i < n ? i : UINT32_MAX);
    FED_MUST(at.line > 0 && at.column > 0 && at.begin <= at.end && at.end <= at.text.n);
  }
}

static fed run(const fed_how *how, int fd) {
  fed f = {0};
  line l;
  open_line(&l, how, fd);
  FILE *told = open_memstream(&f.told, &f.n_told);
  cli_input in;
  weir_error e;
  FED_MUST(told != NULL && cli_input_open(&in, &l.env, NULL, &e) == WEIR_OK);
  cli_reader *reader = WB_NEW(&l.mem, cli_reader);
  cli_ear ear = {told, warn};
  FED_MUST(reader != NULL);
  cli_source source = open_reader(how, reader, &in, &l.mem, &l.label, &ear);
  cli_row row;
  while ((f.end = source.next(source.self, &row)) == CLI_ROW || f.end == CLI_GAP) {
    put_empty(&l, &f, row.tick);
    if (f.end == CLI_GAP) continue;
    look_at_places(&source, how->n_fields);
    put_row(&l, &f, row.values);
  }
  FED_MUST(f.end == CLI_END || f.end == CLI_BAD);
  if (f.end == CLI_BAD) tell(told, "error", source.trouble(source.self));
  else put_empty(&l, &f, how->n_rows);
  fclose(told);
  cli_reader_close(reader);
  cli_input_close(&in);
  close_line(&l, &f);
  return f;
}

static int whole_file(const char *text, size_t n) {
  int fd = memfd_create("whole", MFD_CLOEXEC);
  FED_MUST(fd >= 0 && (n == 0 || write(fd, text, n) == (ssize_t)n) && lseek(fd, 0, SEEK_SET) == 0);
  return fd;
}

static int pieces(const char *text, size_t n, size_t piece) {
  int ends[2];
  FED_MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  if (piece < n / PIECES + 1) piece = n / PIECES + 1; /* what the socket holds */
  for (size_t at = 0; at < n; at += piece) {
    size_t part = piece < n - at ? piece : n - at;
    FED_MUST(send(ends[1], text + at, part, MSG_DONTWAIT) == (ssize_t)part);
  }
  close(ends[1]);
  return ends[0];
}

fed fed_text(const fed_how *how, const char *text, size_t n, size_t piece) {
#if defined(WEIR_TINY) && WEIR_TINY
  piece = 0; /* the reader's own buffer is smaller than a piece, of which the socket would drop the rest; and so makes pieces itself */
#endif
  int fd = piece == 0 ? whole_file(text, n) : pieces(text, n, piece);
  fed f = run(how, fd);
  close(fd);
  return f;
}

fed fed_values(const fed_how *how, const weir_value *values, uint64_t n_rows) {
  fed f = {.end = CLI_END};
  line l;
  open_line(&l, how, -1);
  for (uint64_t i = 0; i < n_rows; i++) put_row(&l, &f, values + i * how->n_fields);
  close_line(&l, &f);
  return f;
}

void fed_each(const fed_how *how, const char *text, size_t n, void (*each)(void *self, const cli_row *row), void *self) {
  int fd = whole_file(text, n);
  cli_env env = {.in = fd, .out = -1, .err = -1, .wake = -1};
  wb_mem mem;
  wb_door_open(&env.door, NULL, 0);
  wb_mem_init(&mem, &env.door, 0);
  cli_input in;
  weir_error e;
  cli_label label = {.column = how->column};
  cli_ear ear = {NULL, NULL};
  FED_MUST(cli_input_open(&in, &env, NULL, &e) == WEIR_OK);
  cli_reader *reader = WB_NEW(&mem, cli_reader);
  FED_MUST(reader != NULL);
  cli_source source = open_reader(how, reader, &in, &mem, &label, &ear);
  cli_row row;
  cli_next next;
  while ((next = source.next(source.self, &row)) == CLI_ROW || next == CLI_GAP)
    if (next == CLI_ROW) each(self, &row);
  if (next == CLI_BAD) fprintf(stderr, "%s\n", source.trouble(source.self)->what.text);
  FED_MUST(next == CLI_END);
  cli_reader_close(reader);
  cli_input_close(&in);
  wb_mem_drop(&mem);
  close(fd);
}

void fed_free(fed *f) {
  free(f->rows);
  free(f->told);
  *f = (fed){0};
}

/* ---- Fuzzing ---- */

static void compare_forms(const fed_how *how, const fed *f) {
  static const cli_format forms[] = {CLI_FORMAT_TRACE, CLI_FORMAT_CSV, CLI_FORMAT_NDJSON};
  for (size_t i = 0; i < WB_LEN(forms); i++) {
    fed_how to = *how, back = *how;
    to.out = back.in = forms[i];
    to.is_strict = back.is_strict = true;
    to.max_line = back.max_line = 1 << 30;
    to.column = back.column = NULL;
    to.n_rows = back.n_rows = f->n_ticks;
    fed a = fed_text(&to, f->rows, f->n_rows, 0), b = fed_text(&back, a.rows, a.n_rows, 0);
    FED_MUST(a.end == CLI_END && b.end == CLI_END && b.n_ticks == f->n_ticks);
    FED_MUST(b.n_rows == f->n_rows && memcmp(b.rows, f->rows, f->n_rows) == 0);
    fed_free(&a);
    fed_free(&b);
  }
}

void fed_fuzz(fed_how how, const uint8_t *data, size_t size) {
  if (size == 0 || size > 60000) return;
  how.is_strict = (data[0] & 16) != 0;
  how.column = (data[0] & 32) != 0 ? "t" : NULL;
  const char *text = (const char *)data + 1;
  fed whole = fed_text(&how, text, size - 1, 0), pieces = fed_text(&how, text, size - 1, (size_t)(data[0] & 15) + 1);
  FED_MUST(whole.end == pieces.end && whole.n_rows == pieces.n_rows && whole.n_told == pieces.n_told);
  FED_MUST(memcmp(whole.rows, pieces.rows, whole.n_rows) == 0 && memcmp(whole.told, pieces.told, whole.n_told) == 0);
  if (how.column == NULL) compare_forms(&how, &whole);
  fed_free(&whole);
  fed_free(&pieces);
}
