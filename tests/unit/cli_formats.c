/* tests/unit/cli_formats.c -- random values written in a format and read again are the same, bit by bit; in every format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fed.h"
#include "tests/test.h"

enum { FIELDS = 6, ROWS = 300, ITEMS = 1 << 16, BYTES = 1 << 20 };

static const cli_field fields[FIELDS] = {
  {{"tick", 4}, CLI_KIND_INT}, {{"i", 1}, CLI_KIND_INT}, {{"f", 1}, CLI_KIND_FLOAT}, {{"s", 1}, CLI_KIND_STR}, {{"any", 3}, CLI_KIND_ANY}, {{"l", 1}, CLI_KIND_RICH},
};

/* ---- Random values ------------------------------------------------------------------------------------------------- */

typedef struct maker {
  uint64_t seed;
  weir_value items[ITEMS];
  weir_entry entries[ITEMS];
  char bytes[BYTES];
  size_t n_items, n_entries, n_bytes;
} maker;

static uint64_t next(maker *m) {
  m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
  return m->seed ^ m->seed >> 29;
}
static size_t below(maker *m, size_t n) { return (size_t)(next(m) >> 20) % n; }

static const struct { const char *at; size_t n; } pieces[] = {
#define P(text) {text, sizeof(text) - 1}
  P("deferred"), P("5"), P("1.5"), P("[1]"), P(","), P("\""), P("\"\""), P("\n"), P("\r\n"), P("\r"), P(" "), P("\t"), P("nan"), P("-inf"),
  P("\xC3\xA9"), P("\xE6\x97\xA5"), P("\xF0\x9F\x98\x80"), P("\x01"), P("\x7F"), P("\\"), P("\\n"), P("null"), P("true"), P("{\"$\":1}"), P("e\""),
  P("List("), P("Tuple()"), P("-"), P("+5"), P("()"), P("\0"), P("abc"), P("//"), P("'"), P("\\u0041"), P("\xEF\xBB\xBF"), P("$"), P("v"), P("map"),
#undef P
};

static weir_value make_text(maker *m) {
  weir_value v = {.tag = WEIR_TEXT, .as.text = m->bytes + m->n_bytes};
  for (size_t n = below(m, 4); n > 0; n--) {
    size_t i = below(m, sizeof pieces / sizeof *pieces);
    cr_assert(m->n_bytes + pieces[i].n <= BYTES);
    memcpy(m->bytes + m->n_bytes, pieces[i].at, pieces[i].n);
    m->n_bytes += pieces[i].n;
    v.count += (uint32_t)pieces[i].n;
  }
  return v;
}

static weir_value make_float(maker *m) {
  weir_value v = {.tag = WEIR_FLOAT};
  uint64_t bits = next(m);
  if (below(m, 3) == 0) v.as.f = (double)((int64_t)bits >> (bits & 63)) / (double)(1 << (bits & 7));
  else memcpy(&v.as.f, &bits, sizeof bits);
  return v;
}

static weir_value make_int(maker *m) {
  uint64_t bits = next(m);
  return (weir_value){.tag = WEIR_INT, .as.i = (int64_t)next(m) >> (bits & 63)};
}

static int by_key(const void *a, const void *b) {
  const weir_entry *x = a, *y = b;
  int c = memcmp(x->key.as.text, y->key.as.text, WB_MIN(x->key.count, y->key.count));
  return c != 0 ? c : (x->key.count > y->key.count) - (x->key.count < y->key.count);
}

static weir_value make_value(maker *m, unsigned depth);

/* Entries in order, each key once. */
static weir_value make_map(maker *m, unsigned depth) {
  size_t n = below(m, 4), kept = 0, first = m->n_entries;
  cr_assert(m->n_entries + n <= ITEMS);
  m->n_entries += n;
  for (size_t i = 0; i < n; i++) {
    static const char *const usual[] = {"$", "v", "k"};
    size_t k = below(m, 5);
    m->entries[first + i].key = k < 3 ? (weir_value){.tag = WEIR_TEXT, .count = 1, .as.text = usual[k]} : make_text(m);
    m->entries[first + i].value = make_value(m, depth);
  }
  qsort(m->entries + first, n, sizeof(weir_entry), by_key);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || by_key(&m->entries[first + kept - 1], &m->entries[first + i]) != 0) m->entries[first + kept++] = m->entries[first + i];
  return (weir_value){.tag = WEIR_MAP, .count = (uint32_t)kept, .as.entries = m->entries + first};
}

static weir_value make_rich(maker *m, unsigned depth) {
  size_t kind = below(m, 3), n = below(m, 4), first = m->n_items;
  if (kind == 2) return make_map(m, depth);
  cr_assert(m->n_items + n <= ITEMS);
  m->n_items += n;
  for (size_t i = 0; i < n; i++) m->items[first + i] = make_value(m, depth);
  return (weir_value){.tag = kind == 0 ? WEIR_LIST : WEIR_TUPLE, .count = (uint32_t)n, .as.items = m->items + first};
}

static weir_value make_value(maker *m, unsigned depth) {
  switch (below(m, depth > 0 ? 8 : 5)) {
    case 0: return make_int(m);
    case 1: return make_float(m);
    case 2: return make_text(m);
    case 3: return (weir_value){.tag = WEIR_BOOL, .as.b = below(m, 2) != 0};
    case 4: return (weir_value){.tag = WEIR_UNIT};
    default: return make_rich(m, depth - 1);
  }
}

static weir_value make_input(maker *m, cli_kind kind) {
  size_t k = below(m, 12);
  if (k < 2) return (weir_value){.tag = k == 0 ? WEIR_NOVAL : WEIR_DEFERRED};
  switch (kind) {
    case CLI_KIND_INT: return make_int(m);
    case CLI_KIND_FLOAT: return make_float(m);
    case CLI_KIND_STR: return make_text(m);
    case CLI_KIND_BOOL: return (weir_value){.tag = WEIR_BOOL, .as.b = k < 6};
    case CLI_KIND_RICH: return make_rich(m, 4);
    case CLI_KIND_ANY: break;
  }
  return make_value(m, 4);
}

/* ---- Comparing ----------------------------------------------------------------------------------------------------- */

static bool is_same(weir_value a, weir_value b) {
  if (a.tag != b.tag || a.count != b.count) return false;
  bool same = true;
  switch ((weir_tag)a.tag) {
    case WEIR_BOOL: return a.as.b == b.as.b;
    case WEIR_INT: return a.as.i == b.as.i;
    case WEIR_FLOAT: return memcmp(&a.as.f, &b.as.f, sizeof a.as.f) == 0 || (a.as.f != a.as.f && b.as.f != b.as.f);
    case WEIR_TEXT: return a.count == 0 || memcmp(a.as.text, b.as.text, a.count) == 0;
    case WEIR_LIST:
    case WEIR_TUPLE:
      for (uint32_t i = 0; i < a.count; i++) same &= is_same(a.as.items[i], b.as.items[i]);
      return same;
    case WEIR_MAP:
      for (uint32_t i = 0; i < a.count; i++)
        same &= is_same(a.as.entries[i].key, b.as.entries[i].key) && is_same(a.as.entries[i].value, b.as.entries[i].value);
      return same;
    case WEIR_NOVAL:
    case WEIR_DEFERRED:
    case WEIR_UNIT:
    case WEIR_TAG_COUNT: break;
  }
  return true;
}

typedef struct wanted {
  const weir_value *values;
  uint64_t row;
  const char *format;
} wanted;

static void compare(void *self, const cli_row *row) {
  wanted *w = self;
  cr_assert_eq(row->tick, w->row, "%s", w->format);
  for (uint32_t i = 0; i < FIELDS; i++)
    cr_expect(is_same(row->values[i], w->values[w->row * FIELDS + i]), "%s: row %zu, %.*s", w->format, (size_t)w->row, (int)fields[i].name.n, fields[i].name.at);
  w->row++;
}

Test(cli_formats, what_is_written_is_read_again, .timeout = 120) {
  static maker m;
  static weir_value values[ROWS * FIELDS];
  static const struct { cli_format format; const char *name; } formats[] = {{CLI_FORMAT_TRACE, "trace"}, {CLI_FORMAT_CSV, "csv"}, {CLI_FORMAT_NDJSON, "ndjson"}};
  for (uint64_t round = 0; round < 40; round++) {
    m.seed = round + 1;
    m.n_items = m.n_entries = m.n_bytes = 0;
    for (size_t i = 0; i < ROWS * FIELDS; i++)
      values[i] = i % FIELDS == 0 ? (weir_value){.tag = WEIR_INT, .as.i = (int64_t)i} : make_input(&m, fields[i % FIELDS].kind);
    for (size_t k = 0; k < 3; k++) {
      fed_how how = {.in = formats[k].format, .out = formats[k].format, .fields = fields, .n_fields = FIELDS, .max_nesting = 100, .max_line = 1 << 20, .is_strict = true};
      fed written = fed_values(&how, values, ROWS);
      wanted w = {values, 0, formats[k].name};
      fed_each(&how, written.rows, written.n_rows, compare, &w);
      cr_expect_eq(w.row, ROWS, "%s", formats[k].name);
      fed again = fed_text(&how, written.rows, written.n_rows, 997);
      cr_expect(again.n_rows == written.n_rows && memcmp(again.rows, written.rows, written.n_rows) == 0, "%s", formats[k].name);
      fed_free(&written);
      fed_free(&again);
    }
  }
}
