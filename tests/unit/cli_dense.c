/* tests/unit/cli_dense.c -- plain rows of CSV are read in columns, any others one by one: whatever stands between plain rows, a file, which may be
** read so, answers as a pipe does, whose rows run one by one. */
#include "cli/csv_dense.h"
#include "cli/out_csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/column_stage.h"
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
  column_stage s;
  cli_columns *c = &s.columns;
  char padded[sizeof rows + CLI_TEXT_PAD] = {0};
  memcpy(padded, rows, sizeof rows);
  column_stage_open(&s, spec);
  const cli_csv_column columns[] = {
    {.input = 0, .feeds = true, .kind = CLI_KIND_INT}, {.input = 1, .feeds = true, .kind = CLI_KIND_FLOAT}, {.input = 2, .feeds = true, .kind = CLI_KIND_BOOL}};
  cr_assert(cli_csv_is_dense(columns, 3));
  const char *stop;
  cr_assert_eq(cli_csv_level_of(NULL)->read(columns, 3, padded, padded + sizeof rows - 1, 2, 100, c, &stop), 4);
  cr_expect_eq(*stop, '7');
  const int64_t *x = c->ins[0].cells;
  const double *y = c->ins[1].cells;
  cr_expect(x[0] == 1 && x[1] == -20 && x[2] == 123456789 && x[3] == 4);
  cr_expect(y[0] == 2.5 && y[2] == 1000 && y[3] == 5);
  cr_expect(!c->ins[0].has_gaps && c->ins[1].has_gaps && c->ins[2].has_gaps);
  cr_expect_eq(c->ins[1].present[0], 0xFD);
  cr_expect_eq(c->ins[2].present[0], 0xF7);
  cr_expect_eq(cli_columns_origin(c, 3).line, 5);
  column_stage_close(&s);
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
  column_stage s;
  cli_csv_column at[] = {
    {.input = 0, .feeds = true, .kind = CLI_KIND_INT}, {.input = 1, .feeds = true, .kind = CLI_KIND_FLOAT}, {.input = 2, .feeds = true, .kind = CLI_KIND_BOOL}};
  uint32_t column_of[] = {0, 1, 2};
  column_stage_open(&s, spec);
  for (int is_odd = 0; is_odd < 2; is_odd++) {
    t.n = 0;
    for (int i = 0; i < 4000; i++) put(is_odd && i % 2 == 0 ? "1,2,true \n" : "1,2,true\n");
    cli_csv c = {.dense = cli_csv_level_of(NULL), .hoped = CLI_DENSE_FEWEST, .column_of = column_of};
    c.columns.at = at;
    c.columns.n = 3;
    c.t.n_inputs = 3;
    c.t.opts.end_tick = WEIR_NO_ROW;
    c.t.text.buf = t.at;
    c.t.scan.end = t.at + t.n;
    size_t hoped = most_hoped(&s.columns, &c);
    cr_expect_eq(hoped, is_odd ? (size_t)CLI_DENSE_FEWEST : (size_t)CLI_COLUMN_ROWS);
  }
  column_stage_close(&s);
}

/* ---- Levels of the processor ----------------------------------------------------------------------------------------- */

static const char *const levels[] = {"x86-64-v4", "x86-64-v3", "x86-64"}; /* every processor has the last one */

static const char kinds_spec[] = "in a: Int\nin b: Bool\nin c: Float\nin d: Unit\nin e: Int\nout v: Int\nout w: Bool\nout x: Float\nout y: Unit\nout z: Int\n"
                                 "v = a\nw = b\nx = c\ny = d\nz = e\n";

/* An Int of any number of digits. */
static int64_t draw_int(void) {
  int64_t v = (int64_t)((uint64_t)draw(1u << 31) << 32 | draw(1u << 31)) >> draw(63);
  return draw(2) == 0 ? v : -v;
}

/* What a level reads of t: rows, the cells, and what is absent. */
typedef struct taken {
  size_t n, stop;
  int64_t x[CLI_COLUMN_ROWS];
  uint8_t present[CLI_COLUMN_ROWS / 8 + 1];
} taken;

static void take(column_stage *s, const cli_csv_level *level, taken *to) {
  static const cli_csv_column from[] = {{.input = 0, .feeds = true, .kind = CLI_KIND_INT}, {.kind = CLI_KIND_STR}, {.input = 4, .feeds = true, .kind = CLI_KIND_INT}};
  const char *stop;
  cli_columns_clear(&s->columns);
  *to = (taken){.n = level->read(from, 3, t.at, t.at + t.n, 2, CLI_COLUMN_ROWS, &s->columns, &stop)};
  to->stop = (size_t)(stop - t.at);
  const cli_column *x = &s->columns.ins[0], *e = &s->columns.ins[4];
  for (size_t i = 0; i < to->n; i++) {
    bool is_there = !x->has_gaps || (x->present[i / 8] >> i % 8 & 1);
    to->present[i / 8] = (uint8_t)(to->present[i / 8] | is_there << i % 8);
    to->x[i] = (is_there ? ((const int64_t *)x->cells)[i] : 0) ^ (!e->has_gaps ? ((const int64_t *)e->cells)[i] : 0);
  }
}

static void put_int_row(const char *line_end, uint32_t oddness) {
  char cell[64];
  for (int i = 0; i < 2; i++) {
    if (draw(oddness) == 0) put(draw(2) == 0 ? ONE_OF(ints) : ONE_OF(odd));
    else (void)snprintf(cell, sizeof cell, "%lld", (long long)(draw(8) == 0 ? draw_int() % 1000000000000000 : draw_int() % 100000000)), put(cell);
    put(i == 0 ? ",n," : draw(4 * oddness) == 0 ? "\n" : line_end);
  }
}

Test(cli_dense, every_level_reads_the_same_rows) {
  column_stage s;
  column_stage_open(&s, kinds_spec);
  size_t rows = 0, short_of_all = 0;
  for (int turn = 0; turn < 400; turn++) {
    static taken plain, other;
    state = (uint64_t)turn + 77;
    t.n = 0;
    const char *line_end = draw(3) == 0 ? "\r\n" : "\n";
    size_t n = 1 + draw(300);
    uint32_t oddness = 20 + draw(2000);
    for (size_t i = 0; i < n; i++) put_int_row(line_end, oddness);
    memset(t.at + t.n, 0, CLI_TEXT_PAD);
    take(&s, cli_csv_level_of("x86-64"), &plain);
    rows += plain.n;
    short_of_all += plain.n < n;
    for (size_t l = 0; l < 2; l++) {
      const cli_csv_level *level = cli_csv_level_of(levels[l]);
      if (level == NULL) continue;
      cr_assert_str_eq(level->name, levels[l]);
      take(&s, level, &other);
      cr_assert_eq(memcmp(&plain, &other, sizeof plain), 0, "turn %d: %s reads %zu rows, not %zu", turn, level->name, other.n, plain.n);
    }
  }
  cr_expect(rows > 5 * CLI_COLUMN_ROWS && short_of_all > 50, "%zu rows, %zu texts", rows, short_of_all);
  column_stage_close(&s);
}

/* Outputs of all kinds, present, absent and Deferred. */
static void fill(column_stage *s, size_t n) {
  for (uint32_t i = 0; i < s->columns.n_outs; i++) {
    cli_column *c = &s->columns.outs.columns[i];
    c->has_gaps = draw(3) == 0;
    s->columns.values[i].tag = c->tag;
    for (size_t row = 0; row < n; row++) {
      int64_t v = draw(4) == 0 ? draw_int() : draw_int() % 20000000;
      if (c->tag == WEIR_INT) ((int64_t *)c->cells)[row] = draw(50) == 0 ? INT64_MIN : v;
      else if (c->tag == WEIR_FLOAT) ((double *)c->cells)[row] = (double)v / 64;
      else if (c->tag == WEIR_BOOL) ((uint8_t *)c->cells)[row] = v & 1;
      uint8_t mark = (uint8_t)(1u << row % 8), is_there = draw(3) != 0, is_deferred = !is_there && draw(2) != 0;
      c->present[row / 8] = (uint8_t)((c->present[row / 8] & ~mark) | (is_there ? mark : 0));
      c->deferred[row / 8] = (uint8_t)((c->deferred[row / 8] & ~mark) | (is_deferred ? mark : 0));
    }
  }
}

Test(cli_dense, every_level_writes_what_rows_one_by_one_are) {
  static const cli_field fields[] = {{WB_STR("v"), CLI_KIND_INT}, {WB_STR("w"), CLI_KIND_BOOL}, {WB_STR("x"), CLI_KIND_FLOAT}, {WB_STR("y"), CLI_KIND_RICH}, {WB_STR("z"), CLI_KIND_INT}};
  column_stage s;
  column_stage_open(&s, kinds_spec);
  for (int turn = 0; turn < 200; turn++) {
    state = (uint64_t)turn + 5;
    size_t n = WB_MIN(1 + draw(400), s.columns.max_rows);
    fill(&s, n);
    cli_label label = {0};
    cli_output one = {.file = WB_FILE_NONE, .mem = &s.mem};
    cli_csv_out by_row;
    cr_assert(cli_csv_out_open(&by_row, &one, &s.mem, fields, 5, &label, 100));
    cli_sink sink = cli_csv_out_sink(&by_row);
    for (size_t row = 0; row < n; row++) sink.row(sink.self, row, cli_columns_show(&s.columns, row));
    for (size_t l = 0; l < 3; l++) {
      cli_output many = {.file = WB_FILE_NONE, .mem = &s.mem};
      cli_csv_out by_column;
      cr_assert(cli_csv_out_open(&by_column, &many, &s.mem, fields, 5, &label, 100));
      if ((by_column.level = cli_csv_level_of(levels[l])) == NULL) continue;
      sink = cli_csv_out_sink(&by_column);
      cr_assert(sink.rows(sink.self, s.columns.outs.columns, n));
      cr_assert(one.text.n == many.text.n && memcmp(one.text.at, many.text.at, one.text.n) == 0, "turn %d, %s: %.*s\nnot: %.*s", turn, levels[l],
                (int)many.text.n, many.text.at, (int)one.text.n, one.text.at);
      WB_VEC_FREE(&s.mem, &many.text);
      cli_csv_out_close(&by_column);
    }
    WB_VEC_FREE(&s.mem, &one.text);
    cli_csv_out_close(&by_row);
  }
  column_stage_close(&s);
}

Test(cli_dense, a_level_that_is_not_there_is_none) {
  cr_expect_null(cli_csv_level_of("x86-64-v9"));
  cr_expect_not_null(cli_csv_level_of(NULL));
}
