/* tests/support/sqlgen.c -- see sqlgen.h. */
#include "tests/support/sqlgen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_RELATIONS = 5, MOST_ALIASES = 6, MOST_COLUMNS = 3 };

typedef struct gen {
  uint64_t state;
  const uint8_t *bytes; /* NULL: chance */
  size_t n_bytes, at_byte;
  uint64_t order;
  sqlgen_query *to;
  size_t n;
  bool is_table[MOST_RELATIONS];
  int n_columns[MOST_RELATIONS];
  int n_relations;
  int relation[MOST_ALIASES]; /* of the SELECT that is made */
  int n_aliases;
  bool has_condition;
} gen;

static uint64_t next(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (*state >> 33) ^ (*state >> 50);
}

static int pick(gen *g, int n) { /* 0 .. n - 1 */
  if (g->bytes == NULL) return (int)(next(&g->state) % (uint64_t)n);
  return g->at_byte < g->n_bytes ? g->bytes[g->at_byte++] % n : 0;
}
static bool chance(gen *g, int percent) { return pick(g, 100) >= 100 - percent; }
static int between(gen *g, int low, int high) { return low + pick(g, high - low + 1); }

__attribute__((format(printf, 2, 3))) static void put(gen *g, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(g->to->text + g->n, sizeof g->to->text - g->n, fmt, args);
  va_end(args);
  if (n < 0 || (size_t)n >= sizeof g->to->text - g->n) abort(); /* make the buffer larger */
  g->n += (size_t)n;
}

/* ---- Declarations ---- */

static void declare(gen *g, int r) {
  g->is_table[r] = r > 0 && chance(g, 10);
  g->n_columns[r] = 1 + (chance(g, 60) ? pick(g, MOST_COLUMNS) : 0);
  put(g, "CREATE %s r%d (", g->is_table[r] ? "TABLE" : "STREAM", r);
  for (int c = 0; c < g->n_columns[r]; c++) put(g, c == 0 ? "c0 INT" : ", c%d INT", c);
  if (!g->is_table[r]) {
    put(g, ", i TIMESTAMP)");
    bool is_finite = chance(g, 8);
    if (is_finite) put(g, " UNTIL %d", between(g, 5, 9));
    g->to->has_finite |= is_finite;
    if (chance(g, 40)) put(g, " RATE %d", between(g, 1, 3));
    put(g, ";\n");
    return;
  }
  put(g, ");\nINSERT INTO r%d VALUES ", r);
  for (int i = between(g, 1, 4); i > 0; i--) {
    for (int c = 0; c < g->n_columns[r]; c++) put(g, "%s%d", c == 0 ? "(" : ", ", between(g, -3, 6));
    put(g, i == 1 ? ");\n" : "), ");
  }
}

/* ---- Predicates ---- */

__attribute__((format(printf, 2, 3))) static void condition(gen *g, const char *fmt, ...) {
  char text[200];
  va_list args;
  va_start(args, fmt);
  if (vsnprintf(text, sizeof text, fmt, args) >= (int)sizeof text) abort();
  va_end(args);
  put(g, g->has_condition ? " AND %s" : " WHERE %s", text);
  g->has_condition = true;
}

static const char *offset(char text[16], int by) {
  if (by == 0) text[0] = '\0';
  else snprintf(text, 16, by < 0 ? " - %d" : " + %d", abs(by));
  return text;
}

/* The times of two streams: most often one is older. */
static void order_times(gen *g, int a, int b) {
  char by[16];
  switch (pick(g, 16)) {
  case 0: case 1: return;
  case 2: condition(g, "a%d.i >= a%d.i", a, b); return;
  case 3: condition(g, "a%d.i = a%d.i", a, b); return;
  case 4: case 5: condition(g, "a%d.i > a%d.i AND a%d.i <= a%d.i + %d", a, b, a, b, between(g, 1, 4)); return;
  case 6: condition(g, "a%d.i BETWEEN a%d.i - %d AND a%d.i + %d", a, b, between(g, 0, 2), b, between(g, 0, 2)); return;
  case 7: condition(g, "a%d.i >= a%d.i + %d", a, b, between(g, 1, 3)); return;
  case 8:
    condition(g, "a%d.i <> a%d.i%s", a, b, offset(by, between(g, -1, 1)));
    g->to->splits_times = true;
    return;
  default: condition(g, "a%d.i > a%d.i", a, b); return;
  }
}

static void bound_column(gen *g, int a, int c) {
  int low = between(g, -3, 3);
  switch (pick(g, 10)) {
  case 0: condition(g, "a%d.c%d >= %d", a, c, low); return;
  case 1: condition(g, "a%d.c%d <= %d", a, c, low); return;
  case 2: condition(g, "a%d.c%d IN (%d, %d, %d)", a, c, low, low + 2, low + between(g, 0, 4)); return;
  case 3: condition(g, "a%d.c%d NOT IN (%d, %d)", a, c, low, low + 1); return;
  case 4: condition(g, "a%d.c%d <> %d AND a%d.c%d BETWEEN %d AND %d", a, c, low, a, c, low, low + 3); return;
  default: condition(g, "a%d.c%d BETWEEN %d AND %d", a, c, low, low + between(g, 0, 4)); return;
  }
}

static void compare_columns(gen *g) {
  static const char *const ops[] = {"<", "<=", "<=", "=", "=", "<>", ">=", ">="};
  char by[16];
  int a = pick(g, g->n_aliases), b = pick(g, g->n_aliases), c = pick(g, g->n_columns[g->relation[a]]), d = pick(g, g->n_columns[g->relation[b]]);
  const char *op = ops[pick(g, 8)];
  if (a == b && c == d) return;
  condition(g, "a%d.c%d %s a%d.c%d%s", a, c, op, b, d, offset(by, chance(g, 60) ? 0 : between(g, -2, 2)));
}

/* What asks for extremes: joins by order on columns without bounds. */
static void compare_freely(gen *g) {
  for (int i = between(g, 1, 4); i > 0; i--) {
    int a = pick(g, g->n_aliases), b = pick(g, g->n_aliases), c = pick(g, g->n_columns[g->relation[a]]), d = pick(g, g->n_columns[g->relation[b]]);
    if (a != b) condition(g, "a%d.c%d %s a%d.c%d", a, c, chance(g, 50) ? "<=" : ">=", b, d);
  }
}

static void make_condition(gen *g, bool is_free) {
  static const int densities[] = {20, 50, 80, 100};
  g->has_condition = false;
  for (int a = 1; a < g->n_aliases; a++) {
    int b = pick(g, a);
    if (!g->is_table[g->relation[a]] && !g->is_table[g->relation[b]]) order_times(g, b, a);
  }
  int last = g->n_aliases - 1;
  if (last > 0 && chance(g, 15) && !g->is_table[g->relation[last]]) order_times(g, 0, last);
  if (chance(g, 5)) condition(g, "a0.i %s %d", chance(g, 50) ? "<" : ">", between(g, 3, 9));
  if (is_free) compare_freely(g);
  for (int i = pick(g, is_free ? 2 : 4); i > 0; i--) compare_columns(g);
  int density = is_free ? 15 : densities[pick(g, 4)];
  for (int a = 0; a < g->n_aliases; a++)
    for (int c = 0; c < g->n_columns[g->relation[a]]; c++)
      if (chance(g, density)) bound_column(g, a, c);
}

/* ---- SELECT ---- */

static void put_from(gen *g) {
  int at[MOST_ALIASES];
  uint64_t order = g->order;
  for (int i = 0; i < g->n_aliases; i++) at[i] = i;
  for (int i = g->n_aliases - 1; i > 0 && g->order != 0; i--) {
    int k = (int)(next(&order) % (uint64_t)(i + 1)), was = at[i];
    at[i] = at[k];
    at[k] = was;
  }
  for (int i = 0; i < g->n_aliases; i++) put(g, "%sr%d a%d", i == 0 ? " FROM " : ", ", g->relation[at[i]], at[i]);
}

static void make_select(gen *g, int n_items, bool has_time, bool may_join_itself) {
  g->n_aliases = 0;
  int n = 1 + pick(g, g->n_relations < 4 ? g->n_relations : 4);
  for (int i = 0; i < n; i++) {
    int r = i == 0 ? 0 : i % g->n_relations;
    if (may_join_itself && chance(g, 15)) {
      r = 0;
      g->to->has_self_join |= i > 0;
    }
    g->relation[g->n_aliases++] = r;
  }
  bool is_free = g->n_aliases > 1 && !has_time && chance(g, 20);
  put(g, "SELECT %s", is_free || chance(g, 50) ? "DISTINCT " : "ALL ");
  for (int i = 0; i < n_items; i++) {
    int a = pick(g, g->n_aliases), c = pick(g, g->n_columns[g->relation[a]]);
    char by[16];
    if (is_free) put(g, "%s%d AS o%d", i == 0 ? "" : ", ", i, i); /* no column has to be bounded for it */
    else put(g, "%sa%d.c%d%s AS o%d", i == 0 ? "" : ", ", a, c, offset(by, chance(g, 80) ? 0 : between(g, -2, 2)), i);
  }
  if (has_time) {
    int a = pick(g, g->n_aliases);
    while (g->is_table[g->relation[a]]) a = 0;
    put(g, ", a%d.i AS tm", a);
  }
  put_from(g);
  make_condition(g, is_free);
}

static void make(gen *g) {
  g->to->has_self_join = g->to->is_union = g->to->has_finite = g->to->splits_times = false;
  g->to->text[0] = '\0';
  static const int sizes[] = {1, 2, 2, 2, 2, 3, 3, 3, 4, 4};
  g->n_relations = sizes[pick(g, 10)];
  for (int r = 0; r < g->n_relations; r++) declare(g, r);
  int n_selects = chance(g, 8) ? 2 : 1, n_items = chance(g, 40) ? between(g, 1, 3) : 1;
  bool has_time = chance(g, 20), may_join_itself = chance(g, 8), is_all = chance(g, 50);
  g->to->is_union = n_selects > 1;
  for (int i = 0; i < n_selects; i++) {
    if (i > 0) put(g, is_all ? "\nUNION ALL " : "\nUNION ");
    make_select(g, n_items, has_time, may_join_itself);
  }
  put(g, ";\n");
}

void sqlgen_make(uint64_t seed, uint64_t order, sqlgen_query *out) {
  gen g = {.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .order = order, .to = out};
  make(&g);
}

void sqlgen_make_from(const uint8_t *bytes, size_t n, uint64_t order, sqlgen_query *out) {
  static const uint8_t nothing;
  gen g = {.bytes = n == 0 ? &nothing : bytes, .n_bytes = n, .order = order, .to = out};
  make(&g);
}
