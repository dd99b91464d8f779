/* tests/unit/weir_batch.c -- batches of columns: bitmaps, texts and their room, what is refused, and where a batch stops. */
#include "tests/test.h"
#include "tests/support/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define N(array) (sizeof(array) / sizeof(array)[0])

static weir_code batch(host *h, size_t rows, const weir_in_column *ins, const weir_out_column *outs, size_t *done) {
  return weir_monitor_push_batch(h->monitor, rows, ins, weir_program_input_count(h->program), outs, weir_program_output_count(h->program),
                                 done, &h->e);
}

static bool get_bit(const uint8_t *bits, size_t at) { return bits[at / 8] >> at % 8 & 1; }

/* ---- Columns ---- */

Test(weir_batch, each_kind_has_its_column) {
  host h;
  host_open(&h, "in i: Int  in f: Float  in b: Bool  in u: Unit  in s: Str\n"
                "out oi: Int  out of: Float  out ob: Bool  out ou: Unit  out os: Str\n"
                "oi = i  of = f  ob = b  ou = u  os = s");
  const int64_t i[] = {1, INT64_MIN, INT64_MAX};
  const double f[] = {0.5, -0.0, 1e308};
  const uint8_t b[] = {0, 1, 1};
  const uint32_t offsets[] = {2, 3, 3, 6}; /* a slice of a longer column */
  const weir_in_column ins[] = {
    {.as.i = i}, {.as.f = f}, {.as.b = b}, {.present = NULL}, {.as.offsets = offsets, .bytes = "..a\xe2\x82\xac", .n_bytes = 6},
  };
  int64_t oi[3];
  double of[3];
  uint8_t ob[3], present[5] = {0}, late[5] = {0xff, 0xff, 0xff, 0xff, 0xff};
  uint32_t out_offsets[4];
  char bytes[4];
  weir_out_column outs[] = {
    {.as.i = oi}, {.as.f = of}, {.as.b = ob}, {.as.i = NULL}, {.as.offsets = out_offsets, .bytes = bytes, .n_bytes = sizeof bytes},
  };
  for (int k = 0; k < 5; k++) outs[k].present = &present[k], outs[k].deferred = &late[k];
  size_t done;
  cr_assert_eq(batch(&h, 3, ins, outs, &done), WEIR_OK, "%s", h.e.text);
  cr_expect_eq(done, 3);
  cr_expect_eq(weir_monitor_ticks(h.monitor), 3);
  cr_expect(memcmp(oi, i, sizeof i) == 0 && memcmp(of, f, sizeof f) == 0 && memcmp(ob, b, sizeof b) == 0);
  cr_expect(memcmp(out_offsets, (uint32_t[]){0, 1, 1, 4}, sizeof out_offsets) == 0);
  cr_expect(memcmp(bytes, "a\xe2\x82\xac", 4) == 0);
  for (int k = 0; k < 5; k++) cr_expect(present[k] == 7 && late[k] == 0xf8, "column %d: %x, %x", k, present[k], late[k]);
  host_close(&h);
}

/* Bit offsets of all four bitmaps; what is outside the rows stays. */
Test(weir_batch, bitmaps_begin_at_any_bit) {
  enum { MOST = 40, BYTES = 16 };
  host h;
  host_open(&h, "in x: Int  out y: Int  y = x");
  int64_t x[MOST], y[MOST];
  for (int i = 0; i < MOST; i++) x[i] = i + 100;
  unsigned noise = 1;
  for (size_t first = 0; first < 19; first++)
    for (size_t rows = 1; rows < MOST; rows += 1 + rows / 7) {
      uint8_t maps[4][BYTES], before[4][BYTES]; /* in present, in deferred, out present, out deferred */
      for (size_t k = 0; k < sizeof maps; k++) {
        noise = noise * 1103515245 + 12345;
        maps[k / BYTES][k % BYTES] = (uint8_t)(noise >> 16);
      }
      memcpy(before, maps, sizeof maps);
      size_t at[4] = {first, (first * 5 + 3) % 17, (first * 7 + 1) % 19, (first + rows) % 23};
      const weir_in_column in = {.as.i = x, .present = maps[0], .deferred = maps[1], .present_bit = at[0], .deferred_bit = at[1]};
      const weir_out_column out = {.as.i = y, .present = maps[2], .deferred = maps[3], .present_bit = at[2], .deferred_bit = at[3]};
      cr_assert_eq(batch(&h, rows, &in, &out, NULL), WEIR_OK);
      for (size_t r = 0; r < rows; r++) {
        bool is_late = get_bit(maps[1], at[1] + r), is_there = !is_late && get_bit(maps[0], at[0] + r);
        cr_assert_eq(get_bit(maps[2], at[2] + r), is_there, "row %zu of %zu from bit %zu", r, rows, first);
        cr_assert_eq(get_bit(maps[3], at[3] + r), is_late);
        cr_assert_eq(y[r], is_there ? x[r] : 0);
      }
      cr_expect(memcmp(maps, before, 2 * BYTES) == 0, "inputs are only read");
      for (int k = 2; k < 4; k++)
        for (size_t i = 0; i < BYTES * 8; i++)
          if (i < at[k] || i >= at[k] + rows) cr_assert_eq(get_bit(maps[k], i), get_bit(before[k], i), "bit %zu is no row's", i);
    }
  host_close(&h);
}

Test(weir_batch, values_of_rows_without_one_are_not_looked_at) {
  host h;
  host_open(&h, "in b: Bool  in s: Str  out ob: Bool  out os: Str  ob = b  os = s");
  const uint8_t b[] = {1, 77, 200, 0}, present[] = {1, 9}, late[] = {4};
  const uint32_t offsets[] = {0, 1, 900, 5, 1000};
  const weir_in_column ins[] = {
    {.as.b = b, .present = &present[1], .deferred = late},
    {.as.offsets = offsets, .bytes = "a", .n_bytes = 1, .present = &present[0], .deferred = late},
  };
  uint8_t ob[4], there[2] = {0}, is_late[2] = {0};
  uint32_t out_offsets[5];
  char bytes[1];
  const weir_out_column outs[] = {
    {.as.b = ob, .present = &there[0], .deferred = &is_late[0]},
    {.as.offsets = out_offsets, .bytes = bytes, .n_bytes = 1, .present = &there[1], .deferred = &is_late[1]},
  };
  cr_assert_eq(batch(&h, 4, ins, outs, NULL), WEIR_OK, "%s", h.e.text);
  cr_expect(there[0] == 9 && is_late[0] == 4 && there[1] == 1 && is_late[1] == 4);
  cr_expect(memcmp(ob, (uint8_t[]){1, 0, 0, 0}, 4) == 0, "rows without a value get 0");
  cr_expect(memcmp(out_offsets, (uint32_t[]){0, 1, 1, 1, 1}, sizeof out_offsets) == 0);
  host_close(&h);
}

Test(weir_batch, outputs_may_be_left_out_whatever_their_kind) {
  host h;
  host_open(&h, "in x: Int  in a: Str  out n: Int  out t: Str  out any: Any\nn = x  t = a  any = if x > 1 then n else n");
  const int64_t x[] = {1, 2, 3};
  const uint32_t offsets[] = {0, 0, 0, 0};
  const weir_in_column ins[] = {{.as.i = x}, {.as.offsets = offsets}};
  int64_t n[3];
  uint8_t bits[1];
  weir_out_column outs[3] = {{.as.i = n}};
  cr_expect_eq(batch(&h, 3, ins, outs, NULL), WEIR_OK, "%s", h.e.text);
  cr_expect_eq(n[2], 3);
  outs[0] = (weir_out_column){.present = bits};
  cr_expect_eq(batch(&h, 3, ins, outs, NULL), WEIR_OK, "presence alone");
  outs[2] = (weir_out_column){.deferred = bits};
  cr_expect_eq(batch(&h, 3, ins, outs, NULL), WEIR_E_ARGUMENT);
  cr_expect(strstr(h.e.text, "output any") != NULL && strstr(h.e.text, "Any") != NULL, "%s", h.e.text);
  host_close(&h);
}

/* ---- What is refused before the first row ---- */

Test(weir_batch, inputs_without_columns_are_refused_by_name) {
  static const struct { const char *text, *names; } cases[] = {
    {"in x: Any  out y: Int  y = 1", "input x is Any"},
    {"in x: Map<Int>  out y: Int  y = 1", "input x is Map<Int>"},
    {"in x: (Int, Str)  out y: Int  y = 1", "input x is (Int, Str)"},
  };
  for (size_t i = 0; i < N(cases); i++) {
    host h;
    int64_t x[2] = {0}, y[2];
    host_open(&h, cases[i].text);
    size_t done = 9;
    cr_expect_eq(batch(&h, 2, &(weir_in_column){.as.i = x}, &(weir_out_column){.as.i = y}, &done), WEIR_E_ARGUMENT);
    cr_expect(strstr(h.e.text, cases[i].names) != NULL, "%s", h.e.text);
    cr_expect_eq(done, 0);
    cr_expect(!weir_monitor_is_terminal(h.monitor));
    host_close(&h);
  }
}

Test(weir_batch, missing_misaligned_and_endless_buffers_are_refused) {
  host h;
  host_open(&h, "in x: Int  in s: Str  out y: Int  out t: Str  y = x  t = s");
  _Alignas(8) char room[64];
  int64_t x[4] = {0};
  const uint32_t offsets[5] = {0};
  const weir_in_column good_ins[] = {{.as.i = x}, {.as.offsets = offsets, .bytes = "", .n_bytes = 0}};
  int64_t y[4];
  uint32_t out_offsets[5];
  const weir_out_column good_outs[] = {{.as.i = y}, {.as.offsets = out_offsets, .bytes = room, .n_bytes = 8}};
  static const char *const names[] = {"input x", "input s", "output y", "output t"};
  static const struct { int column; const char *says; } cases[] = {
    {0, "missing"}, {1, "missing"}, {1, "missing"}, {0, "aligned"}, {1, "aligned"}, {2, "aligned"}, {3, "aligned"}, {3, "missing"},
    {0, "fit"}, {3, "fit"}, {2, "fit"}, {0, "fit"},
  };
  for (size_t i = 0; i < N(cases); i++) {
    weir_in_column ins[2] = {good_ins[0], good_ins[1]};
    weir_out_column outs[2] = {good_outs[0], good_outs[1]};
    uint8_t bit = 0xff;
    size_t rows = 4, done = 9;
    switch (i) {
    case 0: ins[0].as.i = NULL; break;
    case 1: ins[1].as.offsets = NULL; break;
    case 2: ins[1].bytes = NULL, ins[1].n_bytes = 1; break;
    case 3: ins[0].as.b = (uint8_t *)room + 4; break;
    case 4: ins[1].as.b = (uint8_t *)room + 2; break;
    case 5: outs[0].as.b = (uint8_t *)room + 1; break;
    case 6: outs[1].as.b = (uint8_t *)room + 1; break;
    case 7: outs[1].bytes = NULL; break;
    case 8: rows = SIZE_MAX; break;
    case 9: outs[1].n_bytes = SIZE_MAX; break;
    case 10: outs[0].present = &bit, outs[0].present_bit = SIZE_MAX - 2; break;
    case 11: rows = SIZE_MAX / 8; break;
    }
    cr_expect_eq(batch(&h, rows, ins, outs, &done), WEIR_E_ARGUMENT, "case %zu", i);
    cr_expect(strstr(h.e.text, names[cases[i].column]) != NULL && strstr(h.e.text, cases[i].says) != NULL, "case %zu: %s", i, h.e.text);
    cr_expect_eq(done, 0);
    cr_expect_eq(bit, 0xff);
  }
  cr_expect_eq(batch(&h, 4, good_ins, good_outs, NULL), WEIR_OK, "%s", h.e.text);
  host_close(&h);
}

Test(weir_batch, the_number_of_columns_must_be_the_programs) {
  host h;
  host_open(&h, "in x: Int  out y: Int  y = x");
  int64_t x[2] = {0}, y[2];
  const weir_in_column in[2] = {{.as.i = x}};
  const weir_out_column out[2] = {{.as.i = y}};
  size_t done = 9;
  cr_expect_eq(weir_monitor_push_batch(h.monitor, 1, in, 2, out, 1, &done, &h.e), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_monitor_push_batch(h.monitor, 1, in, 1, out, 0, &done, &h.e), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_monitor_push_batch(h.monitor, 1, NULL, 1, out, 1, &done, &h.e), WEIR_E_ARGUMENT);
  cr_expect_eq(weir_monitor_push_batch(h.monitor, 1, in, 1, NULL, 1, &done, NULL), WEIR_E_ARGUMENT);
  done = 9;
  cr_expect_eq(weir_monitor_push_batch(NULL, 1, in, 1, out, 1, &done, &h.e), WEIR_E_ARGUMENT);
  cr_expect_eq(done, 0);
  host_close(&h);
}

/* A row of memory in which columns are laid: a batch is refused exactly where an output meets something else. */
Test(weir_batch, outputs_that_overlap_with_anything_are_refused) {
  enum { ROWS = 3, WIDTH = ROWS * 8 };
  host h;
  host_open(&h, "in x: Int  in z: Int  out y: Int  out w: Int  y = x  w = z");
  _Alignas(8) unsigned char room[4 * WIDTH + 64] = {0};
  for (size_t z = 0; z <= 4 * WIDTH / 8; z++)
    for (size_t y = 0; y <= 4 * WIDTH / 8; y++)
      for (size_t w = 0; w <= 4 * WIDTH / 8; w += 2) {
        size_t at[3] = {z * 8, y * 8, w * 8}; /* and the input x lies where z does: inputs may share */
        const weir_in_column ins[] = {{.as.b = room + at[0]}, {.as.b = room + at[0]}};
        const weir_out_column outs[] = {{.as.b = room + at[1]}, {.as.b = room + at[2]}};
        bool overlap = false;
        for (int i = 0; i < 3; i++)
          for (int k = 0; k < i; k++) overlap |= at[i] < at[k] + WIDTH && at[k] < at[i] + WIDTH;
        cr_assert_eq(batch(&h, ROWS, ins, outs, NULL), overlap ? WEIR_E_ARGUMENT : WEIR_OK, "%zu %zu %zu", z, y, w);
        if (overlap) cr_assert(strstr(h.e.text, "overlap") != NULL && strstr(h.e.text, "output") != NULL);
      }
  host_close(&h);
}

Test(weir_batch, bitmaps_and_texts_count_for_overlaps_too) {
  host h;
  host_open(&h, "in x: Int  in s: Str  out y: Int  out t: Str  y = x  t = s");
  int64_t x[8] = {0}, y[8];
  const uint32_t offsets[9] = {0};
  uint32_t out_offsets[9];
  char bytes[16];
  uint8_t bits[8] = {0};
  weir_in_column ins[] = {{.as.i = x}, {.as.offsets = offsets, .bytes = bytes, .n_bytes = 8}};
  weir_out_column outs[] = {{.as.i = y}, {.as.offsets = out_offsets, .bytes = bytes + 8, .n_bytes = 8}};
  cr_expect_eq(batch(&h, 8, ins, outs, NULL), WEIR_OK);
  outs[1].bytes = bytes + 7;
  cr_expect_eq(batch(&h, 8, ins, outs, NULL), WEIR_E_ARGUMENT);
  cr_expect_str_eq(h.e.text, "the bytes of output t overlap with the bytes of input s");
  outs[1].bytes = bytes + 8;
  outs[0].present = bits, outs[0].present_bit = 8;
  outs[1].present = bits, outs[1].present_bit = 16;
  ins[0].present = bits, ins[0].present_bit = 0;
  cr_expect_eq(batch(&h, 8, ins, outs, NULL), WEIR_OK, "bytes of one bitmap that follow each other");
  outs[1].present_bit = 15;
  cr_expect_eq(batch(&h, 8, ins, outs, NULL), WEIR_E_ARGUMENT, "a byte with bits of two columns");
  outs[1].present_bit = 16;
  outs[1].deferred = bits, outs[1].deferred_bit = 17;
  cr_expect_eq(batch(&h, 8, ins, outs, NULL), WEIR_E_ARGUMENT);
  outs[1].deferred = (uint8_t *)y + 3, outs[1].deferred_bit = 0;
  cr_expect_eq(batch(&h, 8, ins, outs, NULL), WEIR_E_ARGUMENT, "bits amid values");
  outs[1].deferred = NULL;
  ins[0].present_bit = 4;
  cr_expect_eq(batch(&h, 8, ins, outs, NULL), WEIR_E_ARGUMENT, "an input's bits in a byte that is written");
  host_close(&h);
}

/* ---- Where a batch stops ---- */

static void failing_batch(size_t bad, weir_code want, bool is_terminal) {
  enum { ROWS = 9 };
  host h;
  host_open(&h, "in x: Int  in b: Bool  out y: Int  out q: Int  y = default(y[1], 0) + x  q = 100 / x");
  int64_t x[ROWS], y[ROWS + 1], q[ROWS], sum = 0;
  uint8_t b[ROWS];
  for (size_t i = 0; i < ROWS; i++) x[i] = (int64_t)i + 1, b[i] = i % 2;
  y[ROWS] = 4711;
  if (is_terminal) x[bad] = 0;
  else b[bad] = 2;
  weir_in_column ins[] = {{.as.i = x}, {.as.b = b}};
  weir_out_column outs[] = {{.as.i = y}, {.as.i = q}};
  size_t done = 99;
  cr_expect_eq(batch(&h, ROWS, ins, outs, &done), want);
  cr_expect_eq(done, bad);
  cr_expect_eq(h.e.row, bad);
  cr_expect_eq(weir_monitor_ticks(h.monitor), bad);
  cr_expect_eq(weir_monitor_is_terminal(h.monitor), is_terminal);
  for (size_t i = 0; i < bad; i++) cr_expect_eq(y[i], sum += x[i]);
  cr_expect_eq(y[ROWS], 4711);
  b[bad] = 1; /* corrected, the rest goes on */
  for (int k = 0; k < 2; k++) ins[k] = k == 0 ? (weir_in_column){.as.i = x + bad} : (weir_in_column){.as.b = b + bad};
  outs[0].as.i = y + bad, outs[1].as.i = q + bad;
  cr_expect_eq(batch(&h, ROWS - bad, ins, outs, &done), is_terminal ? WEIR_E_TERMINAL : WEIR_OK);
  cr_expect_eq(done, is_terminal ? 0 : ROWS - bad);
  for (size_t i = bad; i < ROWS && !is_terminal; i++) cr_expect_eq(y[i], sum += x[i]);
  host_close(&h);
}

Test(weir_batch, a_tick_that_fails_stops_the_batch_at_its_row) {
  for (size_t bad = 0; bad < 9; bad++) failing_batch(bad, WEIR_E_DIV_ZERO, true);
}

Test(weir_batch, a_row_that_does_not_fit_stops_the_batch_and_can_be_corrected) {
  for (size_t bad = 0; bad < 9; bad++) failing_batch(bad, WEIR_E_ADMIT, false);
}

Test(weir_batch, malformed_texts_are_refused_at_their_row) {
  static const struct { const char *bytes; uint32_t offsets[4]; size_t n_bytes, row; } cases[] = {
    {"abc\xff", {0, 1, 3, 4}, 4, 2},     {"\xc3\xa9x", {0, 1, 2, 3}, 3, 0},      {"abc", {0, 2, 1, 3}, 3, 1},
    {"abc", {0, 1, 2, 4}, 3, 2},         {"abc", {0, 1, UINT32_MAX, 2}, 3, 1},   {"abc", {4, 4, 4, 4}, 3, 0},
  };
  for (size_t i = 0; i < N(cases); i++) {
    host h;
    host_open(&h, "in s: Str  out n: Int  n = default(n[1], 0) + 1");
    int64_t n[3];
    const weir_in_column in = {.as.offsets = cases[i].offsets, .bytes = cases[i].bytes, .n_bytes = cases[i].n_bytes};
    size_t done = 9;
    cr_expect_eq(batch(&h, 3, &in, &(weir_out_column){.as.i = n}, &done), WEIR_E_ADMIT, "case %zu", i);
    cr_expect_eq(done, cases[i].row, "case %zu", i);
    cr_expect_eq(h.e.row, cases[i].row);
    cr_expect(strstr(h.e.text, "input s") != NULL && strstr(h.e.text, i < 2 ? "UTF-8" : "from byte") != NULL, "%s", h.e.text);
    cr_expect(!weir_monitor_is_terminal(h.monitor));
    host_close(&h);
  }
}

Test(weir_batch, no_rows_are_a_batch_too) {
  host h;
  host_open(&h, "in x: Int  in s: Str  out y: Int  out t: Str  y = x  t = s");
  uint32_t offset = 7;
  char room;
  const weir_in_column ins[2] = {{.as.i = NULL}};
  const weir_out_column outs[] = {{.as.i = NULL}, {.as.offsets = &offset, .bytes = &room, .n_bytes = 1}};
  size_t done = 9;
  cr_expect_eq(batch(&h, 0, ins, outs, &done), WEIR_OK);
  cr_expect_eq(done, 0);
  cr_expect_eq(offset, 0);
  cr_expect_eq(weir_monitor_ticks(h.monitor), 0);
  host_close(&h);
  host_open(&h, "out n: Int  n = default(n[1], 0) + 1");
  int64_t n[5];
  cr_expect_eq(weir_monitor_push_batch(h.monitor, 5, NULL, 0, &(weir_out_column){.as.i = n}, 1, &done, &h.e), WEIR_OK);
  cr_expect_eq(n[4], 5, "without inputs, rows are ticks");
  host_close(&h);
}

/* ---- Room for texts ---- */

static const char diary[] =
    "in s: Str  out n: Int  out all: Str  out last: Str\n"
    "n = default(n[1], 0) + 1  all = default(all[1], \"\") ++ s  last = s";

/* Texts a, bb, ccc, ...: `all` has 1, 3, 6, 10 bytes. */
static void fill_diary(char bytes[64], uint32_t offsets[9]) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < 8; i++) {
    offsets[i] = at;
    for (uint32_t k = 0; k <= i; k++) bytes[at++] = (char)('a' + i);
  }
  offsets[8] = at;
}

/* Whatever the room, the same rows come out: a row that does not fit is not run, and is run in the next batch. */
Test(weir_batch, a_full_column_stops_before_the_row_that_does_not_fit) {
  char in_bytes[64], bytes[160];
  uint32_t in_offsets[9];
  fill_diary(in_bytes, in_offsets);
  for (size_t room = 0; room <= 121; room++) {
    host h;
    host_open(&h, diary);
    size_t row = 0, need = 0, expected = 0;
    for (size_t sum = 0; expected < 8 && sum + (expected + 1) * (expected + 2) / 2 <= room; expected++) sum += (expected + 1) * (expected + 2) / 2;
    size_t this_room = room;
    bool is_first = true;
    for (int attempt = 0; row < 8; attempt++) {
      cr_assert_lt(attempt, 10);
      int64_t n[8];
      uint32_t offsets[9], last_offsets[9];
      char last[64];
      memset(bytes, 0x5a, sizeof bytes);
      const weir_in_column in = {.as.offsets = in_offsets + row, .bytes = in_bytes, .n_bytes = 36};
      const weir_out_column outs[] = {{.as.i = n},
                                      {.as.offsets = offsets, .bytes = bytes, .n_bytes = this_room},
                                      {.as.offsets = last_offsets, .bytes = last, .n_bytes = sizeof last}};
      size_t done = 99;
      weir_code rc = batch(&h, 8 - row, &in, outs, &done);
      if (is_first) cr_expect_eq(done, expected, "%zu bytes are room for %zu rows, not %zu", room, expected, done);
      cr_assert_eq(rc, row + done == 8 ? WEIR_OK : WEIR_E_FULL);
      if (rc == WEIR_E_FULL) cr_expect(h.e.row == row + done && strstr(h.e.text, "output all") != NULL, "%s", h.e.text);
      cr_expect(!weir_monitor_is_terminal(h.monitor));
      for (size_t i = 0; i < done; i++) {
        need = in_offsets[row + i + 1];
        cr_expect_eq(n[i], (int64_t)(row + i + 1), "no row counts twice");
        cr_assert_eq(offsets[i + 1] - offsets[i], need);
        cr_expect(memcmp(bytes + offsets[i], in_bytes, need) == 0);
        cr_expect_eq(last_offsets[i + 1] - last_offsets[i], row + i + 1);
      }
      for (size_t i = this_room; i < sizeof bytes; i++) cr_assert_eq(bytes[i], 0x5a);
      row += done;
      is_first = false;
      cr_assert_eq(weir_monitor_ticks(h.monitor), row);
      this_room = 36; /* of a later batch: one row at least */
    }
    host_close(&h);
  }
}

Test(weir_batch, between_two_attempts_other_rows_may_come) {
  host h;
  host_open(&h, diary);
  const uint32_t offsets[] = {0, 3};
  int64_t n;
  uint32_t out[2];
  char room[2];
  const weir_in_column in = {.as.offsets = offsets, .bytes = "abc", .n_bytes = 3};
  const weir_out_column outs[3] = {{.as.i = &n}, {.as.offsets = out, .bytes = room, .n_bytes = 2}};
  for (int i = 1; i <= 3; i++) {
    cr_assert_eq(batch(&h, 1, &in, outs, NULL), WEIR_E_FULL);
    cr_assert_eq(host_push(&h, (weir_value[]){a_text("-")}), WEIR_OK);
    cr_expect(host_is(&h, "n", an_int(i)));
  }
  cr_expect(host_is(&h, "all", a_text("---")), "of the rows that did not fit nothing is left");
  host_close(&h);
}

/* Memories are staged while a row is computed; of one that is not run they keep nothing either. */
Test(weir_batch, a_row_that_does_not_fit_leaves_no_memory_behind) {
  host h;
  host_open(&h, "in s: Str  in t: Str  out both: Str  both = s ++ t");
  const uint32_t offsets[] = {0, 1};
  const weir_in_column ins[] = {{.as.offsets = offsets, .bytes = "a", .n_bytes = 1}, {.as.offsets = offsets, .bytes = "b", .n_bytes = 1}};
  uint32_t out[2];
  const weir_out_column outs[1] = {{.as.offsets = out}};
  cr_assert_eq(host_push(&h, (weir_value[]){a_text("x"), a_text("y")}), WEIR_OK);
  cr_assert_eq(batch(&h, 1, ins, outs, NULL), WEIR_E_FULL);
  cr_assert_eq(host_push(&h, (weir_value[]){a_text("z"), no_value()}), WEIR_OK);
  cr_expect(host_is(&h, "both", a_text("zy")), "an operand that is missing repeats, but not from the row that was undone");
  host_close(&h);
}

/* ---- Memory ---- */

/* The n-th request fails, for every n: what was committed is right, and nothing is lost. */
Test(weir_batch, exhausted_memory_is_an_error_wherever_it_strikes) {
  char in_bytes[64], bytes[160];
  uint32_t in_offsets[9], offsets[9], last_offsets[9];
  fill_diary(in_bytes, in_offsets);
  uint64_t n_stopped = 0, n_at = 1;
  for (bool is_done = false; !is_done; n_at++) {
    host_memory memory;
    host_memory_open(&memory);
    weir_engine_options options = {.size = sizeof options, .allocator = &memory.allocator};
    host h = {0};
    cr_assert_eq(weir_engine_new(&options, &h.engine, NULL), WEIR_OK);
    cr_assert_eq(weir_compile(h.engine, diary, strlen(diary), NULL, &h.program, NULL), WEIR_OK);
    cr_assert_eq(weir_monitor_new(h.engine, h.program, NULL, &h.monitor, NULL), WEIR_OK);
    memory.fail_at = memory.calls + n_at;
    int64_t n[9];
    char last[64];
    n[8] = 4711;
    const weir_in_column in = {.as.offsets = in_offsets, .bytes = in_bytes, .n_bytes = 36};
    const weir_out_column outs[] = {{.as.i = n},
                                    {.as.offsets = offsets, .bytes = bytes, .n_bytes = sizeof bytes},
                                    {.as.offsets = last_offsets, .bytes = last, .n_bytes = sizeof last}};
    size_t done = 99;
    weir_code rc = batch(&h, 8, &in, outs, &done);
    is_done = rc == WEIR_OK;
    n_stopped += !is_done;
    cr_assert(is_done ? done == 8 : rc == WEIR_E_MEMORY && done < 8);
    cr_expect_eq(weir_monitor_ticks(h.monitor), done);
    for (size_t i = 0; i < done; i++) {
      cr_expect_eq(n[i], (int64_t)i + 1);
      cr_expect(offsets[i + 1] - offsets[i] == in_offsets[i + 1] && memcmp(bytes + offsets[i], in_bytes, in_offsets[i + 1]) == 0);
    }
    cr_expect_eq(n[8], 4711);
    if (n_at == 1) cr_expect(!weir_monitor_is_terminal(h.monitor) && done == 0, "the check of the call is not a row");
    host_close(&h);
    cr_expect_eq(memory.live, 0);
  }
  cr_expect_gt(n_stopped, 4);
}

Test(weir_batch, many_columns_are_checked_in_no_time) {
  enum { COLUMNS = 20000 };
  size_t size = COLUMNS * 48, at = 0;
  char *text = malloc(size);
  weir_in_column *ins = calloc(COLUMNS, sizeof *ins);
  weir_out_column *outs = calloc(COLUMNS, sizeof *outs);
  int64_t *cells = calloc(2 * COLUMNS, sizeof *cells);
  cr_assert(text != NULL && ins != NULL && outs != NULL && cells != NULL);
  for (unsigned i = 0; i < COLUMNS; i++) at += (size_t)snprintf(text + at, size - at, "in x%u: Int out y%u: Int y%u = x%u\n", i, i, i, i);
  for (size_t i = 0; i < COLUMNS; i++) { /* addresses that rise, then fall */
    ins[i].as.i = cells + (i % 2 == 0 ? i : 2 * COLUMNS - i);
    outs[i].as.i = cells + (i % 2 == 0 ? 2 * COLUMNS - 2 - i : i);
  }
  host h;
  host_open(&h, text);
  for (int i = 0; i < 20; i++) cr_assert_eq(batch(&h, 1, ins, outs, NULL), WEIR_OK, "%s", h.e.text);
  outs[4711].as.i = cells + 17;
  cr_expect_eq(batch(&h, 1, ins, outs, NULL), WEIR_E_ARGUMENT);
  host_close(&h);
  free(text);
  free(ins);
  free(outs);
  free(cells);
}
