/* tests/fuzz/fuzz_trace.c -- any bytes as a trace.
**
** Read twice, whole and in pieces whose size comes from the input: rows, warnings and the error must be the same.  What was read is
** then written as a trace and read again: it must be the same rows. */
#define _GNU_SOURCE 1 /* memfd_create */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/io_trace.h"
#include "cli/out_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#if defined(WEIR_TINY) && WEIR_TINY
enum { SIZE_USED = 1500 }; /* a hundredth of it fits in the smallest read */
#else
enum { SIZE_USED = 60000 };
#endif
enum { PIECES = 100, INPUTS = 3 };

static const wb_str names[INPUTS] = {{"x", 1}, {"y", 1}, {"long_name", 9}};

#define MUST(x) \
  do { \
    if (!(x)) { \
      fprintf(stderr, "fuzz_trace: %s\n", #x); \
      abort(); \
    } \
  } while (0)

/* Rows as a trace, and what was said about them. */
typedef struct result {
  char *rows, *told;
  size_t n_rows, n_told;
  cli_next end;
} result;

static void tell(FILE *to, const char *level, const cli_trouble *t) {
  fprintf(to, "%s %llu:%llu %llu %s %s\n", level, (unsigned long long)t->at.line, (unsigned long long)t->at.column,
          (unsigned long long)t->tick, t->what.text, t->hint);
  if (t->at.text.at) {
    fprintf(to, "%zu %zu ", t->at.begin, t->at.end);
    MUST(t->at.begin <= t->at.end && t->at.end <= t->at.text.n);
    fwrite(t->at.text.at, 1, t->at.text.n < 300 ? t->at.text.n : 300, to);
  }
}

static void warn(void *self, const cli_trouble *t) { tell(self, "warning", t); }

static char *read_back(int fd, size_t *n) {
  off_t end = lseek(fd, 0, SEEK_END);
  MUST(end >= 0);
  char *text = malloc((size_t)end + 1);
  MUST(text && pread(fd, text, (size_t)end, 0) == end);
  *n = (size_t)end;
  return text;
}

static result run(int in_fd, const cli_trace_options *opts) {
  result r = {0};
  cli_env env = {.in = in_fd, .out = memfd_create("rows", MFD_CLOEXEC), .err = -1, .wake = -1};
  MUST(env.out >= 0);
  wb_door_open(&env.door, NULL, 0);
  wb_mem mem;
  wb_mem_init(&mem, &env.door, 0);
  FILE *told = open_memstream(&r.told, &r.n_told);
  MUST(told);
  cli_input in;
  cli_output out;
  weir_error e;
  MUST(cli_input_open(&in, &env, NULL, &e) == WEIR_OK && cli_output_open(&out, &env, &mem, NULL, &e) == WEIR_OK);
  cli_trace *reader = WB_NEW(&mem, cli_trace);
  cli_trace_out writer;
  cli_ear ear = {told, warn};
  MUST(reader && cli_trace_open(reader, &in, &mem, "f", names, INPUTS, opts, &ear) && cli_trace_out_open(&writer, &out, &mem, names, INPUTS));
  cli_source source = cli_trace_source(reader);
  cli_sink sink = cli_trace_out_sink(&writer);
  cli_row row;
  while ((r.end = source.next(source.self, &row)) == CLI_ROW || r.end == CLI_GAP) {
    if (r.end == CLI_GAP) continue;
    const weir_value *values[INPUTS];
    for (uint32_t i = 0; i < INPUTS; i++) {
      values[i] = &row.values[i];
      cli_mark at = source.place(source.self, i);
      MUST(at.line > 0 && at.column > 0 && at.begin <= at.end && at.end <= at.text.n);
    }
    sink.row(sink.self, row.tick, values);
  }
  MUST(r.end == CLI_END || r.end == CLI_BAD);
  if (r.end == CLI_BAD) tell(told, "error", source.trouble(source.self));
  fclose(told);
  MUST(cli_output_close(&out) == CLI_PIPE_OK);
  cli_trace_close(reader);
  wb_mem_drop(&mem);
  r.rows = read_back(env.out, &r.n_rows);
  close(env.out);
  return r;
}

static result run_whole(const char *text, size_t n, const cli_trace_options *opts) {
  int fd = memfd_create("whole", MFD_CLOEXEC);
  MUST(fd >= 0 && (n == 0 || write(fd, text, n) == (ssize_t)n) && lseek(fd, 0, SEEK_SET) == 0);
  result r = run(fd, opts);
  close(fd);
  return r;
}

static result run_pieces(const char *text, size_t n, size_t piece, const cli_trace_options *opts) {
  int ends[2];
  MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  if (piece < n / PIECES + 1) piece = n / PIECES + 1; /* what the socket holds */
  for (size_t at = 0; at < n; at += piece) {
    size_t part = piece < n - at ? piece : n - at;
    MUST(send(ends[1], text + at, part, MSG_DONTWAIT) == (ssize_t)part);
  }
  close(ends[1]);
  result r = run(ends[0], opts);
  close(ends[0]);
  return r;
}

static void drop(result *r) {
  free(r->rows);
  free(r->told);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0 || size > SIZE_USED) return 0;
  size_t piece = (size_t)(data[0] & 15) + 1;
  const char *text = (const char *)data + 1;
  cli_trace_options opts = {.max_nesting = 20, .max_line = 1000, .max_gap = 1000000, .end_tick = WEIR_NO_ROW, .is_strict = (data[0] & 16) != 0};
  result whole = run_whole(text, size - 1, &opts), pieces = run_pieces(text, size - 1, piece, &opts);
  MUST(whole.end == pieces.end && whole.n_rows == pieces.n_rows && whole.n_told == pieces.n_told);
  MUST(memcmp(whole.rows, pieces.rows, whole.n_rows) == 0 && memcmp(whole.told, pieces.told, whole.n_told) == 0);
  opts = (cli_trace_options){.max_nesting = 20, .max_line = CLI_MAX_LINE, .max_gap = UINT64_MAX, .end_tick = WEIR_NO_ROW, .is_strict = true};
  result again = run_whole(whole.rows, whole.n_rows, &opts);
  MUST(again.end == CLI_END && again.n_rows == whole.n_rows && memcmp(again.rows, whole.rows, whole.n_rows) == 0);
  drop(&whole);
  drop(&pieces);
  drop(&again);
  return 0;
}
