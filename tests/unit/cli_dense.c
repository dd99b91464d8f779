/* tests/unit/cli_dense.c -- plain rows of CSV are read in columns, any others one by one: whatever stands between plain rows, a file, which may be
** read so, answers as a pipe does, whose rows run one by one. */
#include "cli/csv_dense.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/ran.h"
#include "tests/test.h"

static const char spec[] =
  "in x: Int\nin y: Float\nin z: Bool\nout a: Int\nout b: Float\nout c: Bool\nout d: Int\na = x\nb = y\nc = z\nd = default(d[1], 0) + 1\n";

/* Cells that are plain, nearly so, or not at all. */
static const char *const ints[] = {"0", "7", "-7", "12345678", "123456789", "-12345678", "999999999999999", "-0", "00012", ""};
static const char *const floats[] = {"0", "0.5", "-0.25", "3", "1e5", "123456789.123456", "0.1234567890123456789", "-1.5E-3", "", "1e400", "5."};
static const char *const bools[] = {"true", "false", ""};
static const char *const odd[] = {"-", "+1", " 1", "1 ", "1.0.0", "--1", "9223372036854775807", "9223372036854775808", "\"1\"", "\"1,2\"", "\"a\nb\"",
                                  "deferred", "\"deferred\"", "True", "tru", "falsey", "1\r", "\r", "a\"b", "\"\"", "\xFF", "1,2", "NaN", "inf"};

typedef struct text { char at[60000]; size_t n; } text;
static text t;

static void put(const char *what) {
  size_t n = strlen(what);
  cr_assert(t.n + n < sizeof t.at);
  memcpy(t.at + t.n, what, n + 1);
  t.n += n;
}

static uint64_t state;
static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)((state >> 33) % below);
}
#define ONE_OF(list) (list)[draw((uint32_t)(sizeof(list) / sizeof *(list)))]

/* Where a specification's columns may stand, and one that is for nothing. */
static const char *const headers[] = {"x,y,z", "z,x,y", "y,note,z,x", "x,y", "note,x", "x"};

static void put_cell(const char *name, size_t n, uint32_t oddness) {
  if (oddness != 0 && draw(oddness) == 0) put(ONE_OF(odd));
  else if (n == 4) put(draw(9) == 0 ? "any \"text\"" : "any text");
  else if (*name == 'x') put(draw(4) == 0 ? ONE_OF(ints) : "42");
  else if (*name == 'y') put(draw(4) == 0 ? ONE_OF(floats) : "2.5");
  else put(ONE_OF(bools));
}

static void make(int rows, uint32_t oddness) {
  const char *header = ONE_OF(headers), *end = draw(3) == 0 ? "\r\n" : "\n";
  t.n = 0;
  put(header);
  put(end);
  for (int row = 0; row < rows; row++) {
    for (const char *p = header;; p++) {
      size_t n = strcspn(p, ",");
      put_cell(p, n, oddness);
      p += n;
      if (*p == '\0') break;
      put(",");
    }
    if (row + 1 < rows || draw(4) != 0) put(draw(200) == 0 ? "\n" : end);
  }
}

static const size_t pieces[] = {30000, 7001, 0};

static int run_both(int turn) {
  ran_how how = {.spec = spec, .trace = t.at, .n_trace = t.n, .is_standard = true, .more = {"--tier=quickened", "--input-format=csv"}};
  ran file = ran_weir(&how);
  how.is_standard = false;
  how.chunks = pieces;
  ran pipe = ran_weir(&how);
  cr_expect_eq(file.status, pipe.status, "turn %d: %d, not %d: %s", turn, file.status, pipe.status, file.err);
  cr_expect(file.n_out == pipe.n_out && memcmp(file.out, pipe.out, pipe.n_out) == 0, "turn %d: another output", turn);
  cr_expect(strcmp(file.err, pipe.err) == 0, "turn %d: %s\nnot: %s", turn, file.err, pipe.err);
  int status = file.status;
  ran_free(&file);
  ran_free(&pipe);
  return status;
}

Test(cli_dense, rows_without_anything_odd_answer_as_through_a_pipe) {
  int good = 0;
  for (int turn = 0; turn < 60; turn++) {
    state = (uint64_t)turn + 1;
    make((int)draw(turn % 3 == 0 ? 2500 : 60), 0);
    good += run_both(turn) == 0;
  }
  cr_expect_gt(good, 10);
}

Test(cli_dense, an_odd_cell_anywhere_is_answered_as_through_a_pipe) {
  int good = 0, bad = 0;
  for (int turn = 0; turn < 300; turn++) {
    state = (uint64_t)turn + 1000;
    make(1 + (int)draw(turn % 5 == 0 ? 1500 : 40), 1 + draw(turn % 5 == 0 ? 3000 : 60));
    int status = run_both(turn);
    good += status == 0;
    bad += status != 0;
  }
  cr_expect(good > 20 && bad > 20, "%d were good, %d bad", good, bad);
}

/* That the rows above are read in columns at all. */
Test(cli_dense, plain_rows_are_taken_up_to_the_first_that_is_not) {
  static const char rows[] = "1,2.5,true\n-20,,false\n123456789,1e3,true\r\n4,5,\n7,\"8\",true\n9,9,true\n";
  wb_door door;
  wb_mem mem;
  weir_error e;
  weir_engine *engine;
  weir_program *program;
  cli_columns c;
  char padded[sizeof rows + CLI_TEXT_PAD] = {0};
  memcpy(padded, rows, sizeof rows);
  wb_door_open(&door, NULL, 0);
  wb_mem_init(&mem, &door, 0);
  cr_assert_eq(weir_engine_new(NULL, &engine, &e), WEIR_OK);
  cr_assert_eq(weir_compile(engine, spec, sizeof spec - 1, NULL, &program, NULL), WEIR_OK);
  cr_assert(cli_columns_open(&c, &mem, program));
  const cli_csv_column columns[] = {
    {.input = 0, .feeds = true, .kind = CLI_KIND_INT}, {.input = 1, .feeds = true, .kind = CLI_KIND_FLOAT}, {.input = 2, .feeds = true, .kind = CLI_KIND_BOOL}};
  cr_assert(cli_csv_is_dense(columns, 3));
  const char *stop;
  cr_assert_eq(cli_csv_dense(columns, 3, padded, padded + sizeof rows - 1, 2, 100, &c, &stop), 4);
  cr_expect_eq(*stop, '7');
  const int64_t *x = c.ins[0].cells;
  const double *y = c.ins[1].cells;
  cr_expect(x[0] == 1 && x[1] == -20 && x[2] == 123456789 && x[3] == 4);
  cr_expect(y[0] == 2.5 && y[2] == 1000 && y[3] == 5);
  cr_expect(!c.ins[0].has_gaps && c.ins[1].has_gaps && c.ins[2].has_gaps);
  cr_expect_eq(c.ins[1].present[0], 0xFD);
  cr_expect_eq(c.ins[2].present[0], 0xF7);
  cr_expect_eq(c.origins[3].line, 5);
  weir_program_release(program);
  weir_engine_free(engine);
  wb_mem_drop(&mem);
}

/* Takes what is plain in the text, as often as a reader does, passing over one row wherever nothing is; returns how many
** are tried at once at most. */
static size_t most_hoped(cli_columns *columns, cli_csv *c) {
  cli_source source = cli_csv_source(c);
  size_t most = 0;
  while (c->t.text.buf + c->t.text.line < c->t.scan.end) {
    cli_columns_clear(columns);
    most = WB_MAX(most, c->hoped);
    if (source.take(source.self, columns) > 0) continue;
    const char *line = c->t.text.buf + c->t.text.line;
    c->t.text.line += (size_t)((const char *)memchr(line, '\n', (size_t)(c->t.scan.end - line)) + 1 - line);
  }
  return most;
}

Test(cli_dense, rows_are_tried_in_the_hope_that_the_last_ones_gave) {
  wb_door door;
  wb_mem mem;
  weir_error e;
  weir_engine *engine;
  weir_program *program;
  cli_columns columns;
  cli_csv_column at[] = {
    {.input = 0, .feeds = true, .kind = CLI_KIND_INT}, {.input = 1, .feeds = true, .kind = CLI_KIND_FLOAT}, {.input = 2, .feeds = true, .kind = CLI_KIND_BOOL}};
  uint32_t column_of[] = {0, 1, 2};
  wb_door_open(&door, NULL, 0);
  wb_mem_init(&mem, &door, 0);
  cr_assert_eq(weir_engine_new(NULL, &engine, &e), WEIR_OK);
  cr_assert_eq(weir_compile(engine, spec, sizeof spec - 1, NULL, &program, NULL), WEIR_OK);
  cr_assert(cli_columns_open(&columns, &mem, program));
  for (int is_odd = 0; is_odd < 2; is_odd++) {
    t.n = 0;
    for (int i = 0; i < 4000; i++) put(is_odd && i % 2 == 0 ? "1,2,true \n" : "1,2,true\n");
    cli_csv c = {.is_dense = true, .hoped = CLI_DENSE_FEWEST, .column_of = column_of};
    c.columns.at = at;
    c.columns.n = 3;
    c.t.n_inputs = 3;
    c.t.opts.end_tick = WEIR_NO_ROW;
    c.t.text.buf = t.at;
    c.t.scan.end = t.at + t.n;
    size_t hoped = most_hoped(&columns, &c);
    cr_expect_eq(hoped, is_odd ? (size_t)CLI_DENSE_FEWEST : (size_t)CLI_COLUMN_ROWS);
  }
  weir_program_release(program);
  weir_engine_free(engine);
  wb_mem_drop(&mem);
}
