/* ir/types.c -- the table of types, and the two relations between them: unify and fit.
**
** A type's parts have smaller numbers than the type, so the table is a graph without cycles, in which parts are shared.  The
** relations walk pairs of types with a stack on the heap and remember the answer of every pair: deep types need no C stack,
** and shared ones no exponential time.
** Leave alone: what a value does at run time when it fits only after a check (value.c). */
#include "ir/types.h"

#include <string.h>

#include "ir/base/sort.h"

#if defined(WEIR_TINY)
enum { TABLE_MIN = 2 };
#else
enum { TABLE_MIN = 64 };
#endif

/* Types that derive from each other (`partial` of `partial` ...) can have more parts together than any text is long. */
enum { PARTS_MAX = 1 << 25 };
enum { NO_ANSWER = UINT32_MAX, MISMATCH = UINT32_MAX - 1 }; /* besides types (unify) and wir_fit (fit) */

/* ---- The table ----------------------------------------------------------------------------------------------------- */

/* The low and high half of a product, folded, so that all bits of both reach the low ones. */
static uint64_t mix(uint64_t h, uint64_t v) {
  unsigned __int128 p = (unsigned __int128)(h ^ UINT64_C(0xd6e8feb86659fd93)) * (v ^ UINT64_C(0x9e3779b97f4a7c15));
  return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/* A table's own address is its seed: a hostile text cannot aim at one place, and no result depends on it. */
static uint64_t seed_of(const void *table) { return (uint64_t)(uintptr_t)table; }

static uint64_t hash_of(const wir_types *t, const wir_type_info *x, const uint32_t *table) {
  uint64_t h = mix(seed_of(table), (uint64_t)x->kind << 1 | x->is_open);
  for (uint32_t i = 0; i < x->n_parts; i++) {
    const wir_type_part *p = &t->parts.at[x->part + i];
    h = mix(h, ((uint64_t)p->name << 32) | p->type.i);
  }
  return h;
}

static bool same(const wir_types *t, const wir_type_info *a, const wir_type_info *b) {
  if (a->kind != b->kind || a->is_open != b->is_open || a->n_parts != b->n_parts) return false;
  for (uint32_t i = 0; i < a->n_parts; i++) {
    const wir_type_part *p = &t->parts.at[a->part + i], *q = &t->parts.at[b->part + i];
    if (p->name != q->name || p->type.i != q->type.i) return false;
  }
  return true;
}

static size_t place_of(const uint32_t *table, size_t cap, uint64_t hash) {
  size_t i = (size_t)hash & (cap - 1);
  while (table[i] != 0) i = (i + 1) & (cap - 1);
  return i;
}

/* Keeps the table at most half full. */
static bool table_grow(wir_types *t) {
  if (t->cap_table >= 2 * (t->info.n + 1)) return true;
  size_t cap = t->cap_table == 0 ? TABLE_MIN : t->cap_table, bytes;
  while (cap < 2 * (t->info.n + 1)) cap *= 2;
  if (!wb_mul(cap, sizeof *t->table, &bytes)) return false;
  uint32_t *table = wb_block(t->mem, bytes);
  if (table == NULL) return false;
  memset(table, 0, bytes);
  for (uint32_t i = WIR_TYPE_LIST; i < t->info.n; i++)
    table[place_of(table, cap, hash_of(t, &t->info.at[i], table))] = i + 1;
  wb_block_free(t->mem, t->table);
  t->table = table;
  t->cap_table = cap;
  return true;
}

bool wir_types_init(wir_types *t, wb_names *names, wb_mem *mem) {
  *t = (wir_types){.mem = mem, .names = names};
  if (!WB_VEC_ROOM(mem, &t->info, WIR_TYPE_LIST) || !WB_VEC_ROOM(mem, &t->parts, 1)) return false; /* so that types without parts point somewhere */
  for (uint32_t k = 0; k < WIR_TYPE_LIST; k++) {
    t->info.at[t->info.n++] = (wir_type_info){
      .kind = (wir_type_kind)k,
      .has_any = k == WIR_TYPE_ANY || k == WIR_TYPE_UNKNOWN,
      .has_unknown = k == WIR_TYPE_UNKNOWN,
      .has_float = k == WIR_TYPE_FLOAT,
      .depth = 1,
    };
  }
  return true;
}

/* Byte order of names; equal only for equal ids, because names are interned. */
static int compare_names(const wir_types *t, uint32_t a, uint32_t b) {
  if (a == b) return 0;
  wb_str x = wb_name(t->names, a), y = wb_name(t->names, b);
  int c = memcmp(x.at, y.at, WB_MIN(x.n, y.n));
  return c != 0 ? c : x.n < y.n ? -1 : 1;
}

static bool name_less(const void *types, const void *a, const void *b) {
  return compare_names(types, ((const wir_type_part *)a)->name, ((const wir_type_part *)b)->name) < 0;
}

static bool is_sorted(const wir_types *t, const wir_type_part *p, size_t n) {
  for (size_t i = 1; i < n; i++)
    if (compare_names(t, p[i - 1].name, p[i].name) > 0) return false;
  return true;
}

static void gather_flags(const wir_types *t, wir_type_info *x) {
  for (uint32_t i = 0; i < x->n_parts; i++) {
    const wir_type_info *part = wir_type_at(t, t->parts.at[x->part + i].type);
    x->has_any |= part->has_any;
    x->has_unknown |= part->has_unknown;
    x->has_fun |= part->has_fun;
    x->has_float |= part->has_float;
    x->has_expr |= part->has_expr;
    x->depth = WB_MAX(x->depth, part->depth + 1);
  }
}

wir_type wir_type_make(wir_types *t, wir_type_kind kind, const wir_type_part *parts, uint32_t n_parts, bool is_open) {
  if (kind < WIR_TYPE_LIST) return (wir_type){kind};
  if (t->info.n >= MISMATCH || t->parts.n + n_parts > PARTS_MAX) return WIR_NONE;
  if (!table_grow(t) || !WB_VEC_ROOM(t->mem, &t->info, 1) || !WB_VEC_ROOM(t->mem, &t->parts, n_parts)) return WIR_NONE;
  wir_type_info x = {.kind = kind, .is_open = is_open, .has_fun = kind == WIR_TYPE_FUN, .has_expr = kind == WIR_TYPE_EXPR,
                     .depth = 1, .part = (uint32_t)t->parts.n, .n_parts = n_parts};
  /* Kept only if the type is new.  (Without parts there may be no array yet.) */
  wir_type_part *own = t->parts.at + t->parts.n; /* kept only if the type is new */
  if (n_parts > 0) memcpy(own, parts, n_parts * sizeof *own);
  if (kind == WIR_TYPE_STRUCT && !is_sorted(t, own, n_parts)) wb_sort(own, n_parts, sizeof(wir_type_part), name_less, t);
  size_t i = (size_t)hash_of(t, &x, t->table) & (t->cap_table - 1);
  for (; t->table[i] != 0; i = (i + 1) & (t->cap_table - 1))
    if (same(t, &t->info.at[t->table[i] - 1], &x)) return (wir_type){t->table[i] - 1};
  gather_flags(t, &x);
  t->parts.n += n_parts;
  t->info.at[t->info.n++] = x;
  t->table[i] = (uint32_t)t->info.n;
  return (wir_type){(uint32_t)t->info.n - 1};
}

wir_type wir_type_list(wir_types *t, wir_type element) {
  return wir_type_make(t, WIR_TYPE_LIST, &(wir_type_part){WB_NO_NAME, element}, 1, false);
}

wir_type wir_type_map(wir_types *t, wir_type element) {
  return wir_type_make(t, WIR_TYPE_MAP, &(wir_type_part){WB_NO_NAME, element}, 1, false);
}

const wir_type_part *wir_type_field(const wir_types *t, wir_type x, uint32_t name) {
  const wir_type_part *parts = wir_type_parts(t, x);
  size_t low = 0, high = wir_type_at(t, x)->n_parts;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int c = compare_names(t, name, parts[middle].name);
    if (c == 0) return &parts[middle];
    if (c < 0) high = middle;
    else low = middle + 1;
  }
  return NULL;
}

/* ---- Answers that are remembered ----------------------------------------------------------------------------------- */

static size_t memo_place(const wir_type_memo *m, wir_type a, wir_type b) {
  size_t i = (size_t)mix(seed_of(m->at), (uint64_t)a.i << 32 | b.i) & (m->cap - 1);
  while (m->at[i].a != 0 && (m->at[i].a != a.i || m->at[i].b != b.i)) i = (i + 1) & (m->cap - 1);
  return i;
}

static uint32_t memo_find(const wir_type_memo *m, wir_type a, wir_type b) {
  if (m->cap == 0) return NO_ANSWER;
  const wir_type_answer *x = &m->at[memo_place(m, a, b)];
  return x->a != 0 ? x->answer : NO_ANSWER;
}

static bool memo_add(wir_types *t, wir_type_memo *m, wir_type a, wir_type b, uint32_t answer) {
  if (m->cap < 2 * (m->n + 1)) {
    wir_type_memo grown = {.n = m->n, .cap = m->cap == 0 ? TABLE_MIN : 2 * m->cap};
    size_t bytes;
    if (!wb_mul(grown.cap, sizeof *grown.at, &bytes) || (grown.at = wb_block(t->mem, bytes)) == NULL) return false;
    memset(grown.at, 0, bytes);
    for (size_t i = 0; i < m->cap; i++) {
      const wir_type_answer *x = &m->at[i];
      if (x->a != 0) grown.at[memo_place(&grown, (wir_type){x->a}, (wir_type){x->b})] = *x;
    }
    wb_block_free(t->mem, m->at);
    *m = grown;
  }
  m->at[memo_place(m, a, b)] = (wir_type_answer){a.i, b.i, answer};
  m->n++;
  return true;
}

/* ---- Pairs of parts ------------------------------------------------------------------------------------------------ */

typedef struct relation {
  wir_type_memo *memo;
  uint32_t (*at_once)(const wir_types *t, wir_type a, wir_type b); /* NO_ANSWER: the parts decide */
  uint32_t (*combine)(wir_types *t, const struct relation *r, wir_type a, wir_type b); /* once all parts have answers */
  bool is_fit;
} relation;

typedef enum step { STEP_PAIR, STEP_END, STEP_MISMATCH } step;

/* The next two parts to compare.  In fit, a function's parameters change sides: the function is given what it is called with. */
static step next_pair(const wir_types *t, const relation *r, wir_type_walk *w, wir_type_part *p, wir_type_part *q) {
  const wir_type_info *a = wir_type_at(t, w->a), *b = wir_type_at(t, w->b);
  const wir_type_part *x = wir_type_parts(t, w->a), *y = wir_type_parts(t, w->b);
  for (;;) {
    bool more_a = w->i < a->n_parts, more_b = w->j < b->n_parts;
    if (!more_a && !more_b) return STEP_END;
    int c = !more_a ? 1 : !more_b ? -1 : a->kind == WIR_TYPE_STRUCT ? compare_names(t, x[w->i].name, y[w->j].name) : 0;
    if (c == 0) break;
    if (a->kind != WIR_TYPE_STRUCT) return STEP_MISMATCH; /* another number of parts */
    if (c < 0 ? !b->is_open : r->is_fit || !a->is_open) return STEP_MISMATCH;
    if (c < 0) w->i++;
    else w->j++;
  }
  bool turned = r->is_fit && a->kind == WIR_TYPE_FUN && w->i + 1 < a->n_parts;
  *p = turned ? y[w->j] : x[w->i];
  *q = turned ? x[w->i] : y[w->j];
  w->i++, w->j++;
  return STEP_PAIR;
}

static uint32_t answer_of(const wir_types *t, const relation *r, wir_type a, wir_type b) {
  uint32_t answer = r->at_once(t, a, b);
  return answer != NO_ANSWER ? answer : memo_find(r->memo, a, b);
}

/* Answers for (a, b) and all pairs below it, parts first.  False: out of memory. */
static bool relate(wir_types *t, const relation *r, wir_type a, wir_type b) {
  t->walk.n = 0;
  if (!WB_PUSH(t->mem, &t->walk, (wir_type_walk){.a = a, .b = b})) return false;
  while (t->walk.n > 0) {
    wir_type_walk *w = &WB_TOP(&t->walk);
    wir_type_part p, q;
    step s = next_pair(t, r, w, &p, &q);
    if (s == STEP_PAIR) {
      uint32_t known = answer_of(t, r, p.type, q.type);
      if (known == NO_ANSWER) {
        if (!WB_PUSH(t->mem, &t->walk, (wir_type_walk){.a = p.type, .b = q.type})) return false;
        continue;
      }
      if (known != MISMATCH) continue;
      s = STEP_MISMATCH;
    }
    wir_type_walk done = WB_POP(&t->walk);
    uint32_t answer = s == STEP_MISMATCH ? (uint32_t)MISMATCH : r->combine(t, r, done.a, done.b);
    if (answer == NO_ANSWER) return false;
    if (memo_find(r->memo, done.a, done.b) == NO_ANSWER && !memo_add(t, r->memo, done.a, done.b, answer)) return false;
  }
  return true;
}

/* ---- Unify --------------------------------------------------------------------------------------------------------- */

static uint32_t unify_at_once(const wir_types *t, wir_type a, wir_type b) {
  if (a.i == b.i) return a.i;
  if (a.i == WIR_TYPE_ANY || b.i == WIR_TYPE_ANY) return WIR_TYPE_ANY;
  if (a.i == WIR_TYPE_UNKNOWN) return b.i;
  if (b.i == WIR_TYPE_UNKNOWN) return a.i;
  wir_type_kind kind = wir_type_kind_of(t, a);
  return kind < WIR_TYPE_LIST || kind != wir_type_kind_of(t, b) ? MISMATCH : NO_ANSWER;
}

static uint32_t unify_combine(wir_types *t, const relation *r, wir_type a, wir_type b) {
  wir_type_walk w = {.a = a, .b = b};
  wir_type_part p, q;
  bool is_open = wir_type_at(t, a)->is_open || wir_type_at(t, b)->is_open;
  t->made.n = 0;
  while (next_pair(t, r, &w, &p, &q) == STEP_PAIR) {
    uint32_t part = answer_of(t, r, p.type, q.type);
    if (part == MISMATCH) return MISMATCH; /* of parts that were compared below, by another path */
    if (!WB_PUSH(t->mem, &t->made, (wir_type_part){p.name, {part}})) return NO_ANSWER;
  }
  wir_type made = wir_type_make(t, wir_type_kind_of(t, a), t->made.at, (uint32_t)t->made.n, is_open);
  return made.i == WIR_TYPE_NONE ? NO_ANSWER : made.i;
}

bool wir_type_unify(wir_types *t, wir_type a, wir_type b, wir_type *out) {
  relation r = {&t->unified, unify_at_once, unify_combine, false};
  bool mixed = (a.i == WIR_TYPE_INT && b.i == WIR_TYPE_FLOAT) || (a.i == WIR_TYPE_FLOAT && b.i == WIR_TYPE_INT);
  uint32_t answer = mixed ? (uint32_t)WIR_TYPE_FLOAT : answer_of(t, &r, a, b);
  if (answer == NO_ANSWER && relate(t, &r, a, b)) answer = answer_of(t, &r, a, b);
  *out = answer == NO_ANSWER || answer == MISMATCH ? WIR_NONE : (wir_type){answer};
  return answer != MISMATCH;
}

/* ---- Fit ----------------------------------------------------------------------------------------------------------- */

static uint32_t fit_at_once(const wir_types *t, wir_type from, wir_type to) {
  if (from.i == to.i || to.i == WIR_TYPE_ANY || to.i == WIR_TYPE_UNKNOWN || from.i == WIR_TYPE_UNKNOWN) return WIR_FIT_EXACT;
  if (from.i == WIR_TYPE_ANY) return WIR_FIT_CHECKED;
  const wir_type_info *a = wir_type_at(t, from), *b = wir_type_at(t, to);
  if (a->kind < WIR_TYPE_LIST || a->kind != b->kind || (a->is_open && !b->is_open)) return MISMATCH;
  return NO_ANSWER;
}

static uint32_t fit_combine(wir_types *t, const relation *r, wir_type from, wir_type to) {
  wir_type_walk w = {.a = from, .b = to};
  wir_type_part p, q;
  uint32_t answer = WIR_FIT_EXACT;
  bool is_fun = wir_type_kind_of(t, from) == WIR_TYPE_FUN;
  while (next_pair(t, r, &w, &p, &q) == STEP_PAIR) {
    uint32_t part = answer_of(t, r, p.type, q.type);
    if (part == MISMATCH) return MISMATCH;
    bool is_parameter = is_fun && w.i < wir_type_at(t, from)->n_parts;
    if (part == WIR_FIT_CHECKED && !is_parameter) answer = WIR_FIT_CHECKED;
  }
  return answer;
}

wir_fit wir_type_fit(wir_types *t, wir_type from, wir_type to) {
  relation r = {&t->fitted, fit_at_once, fit_combine, true};
  if (from.i == WIR_TYPE_INT && to.i == WIR_TYPE_FLOAT) return WIR_FIT_CHECKED;
  uint32_t answer = answer_of(t, &r, from, to);
  if (answer == NO_ANSWER && relate(t, &r, from, to)) answer = answer_of(t, &r, from, to);
  return answer == NO_ANSWER ? WIR_FIT_MEMORY : answer == MISMATCH ? WIR_FIT_NO : (wir_fit)answer;
}

/* ---- Print --------------------------------------------------------------------------------------------------------- */

static const char *const leaf_text[WIR_TYPE_LIST] = {
  [WIR_TYPE_NONE] = "?",     [WIR_TYPE_ANY] = "Any",   [WIR_TYPE_UNKNOWN] = "Any", [WIR_TYPE_INT] = "Int",
  [WIR_TYPE_FLOAT] = "Float", [WIR_TYPE_BOOL] = "Bool", [WIR_TYPE_STR] = "Str",     [WIR_TYPE_UNIT] = "Unit",
};
static const struct { const char *open, *close; } bracket[WIR_TYPE_KINDS] = {
  [WIR_TYPE_LIST] = {"List<", ">"}, [WIR_TYPE_MAP] = {"Map<", ">"}, [WIR_TYPE_TUPLE] = {"(", ")"},
  [WIR_TYPE_STRUCT] = {"Struct<", ">"}, [WIR_TYPE_FUN] = {"(", ")"}, [WIR_TYPE_EXPR] = {"Expr<", ">"},
};

static bool put(wb_mem *mem, wb_bytes *out, const char *text, size_t n) {
  if (!WB_VEC_ROOM(mem, out, n)) return false;
  memcpy(out->at + out->n, text, n);
  out->n += n;
  return true;
}

static bool put_text(wb_mem *mem, wb_bytes *out, const char *text) { return put(mem, out, text, strlen(text)); }

static bool is_identifier(wb_str s) {
  for (size_t i = 0; i < s.n; i++) {
    char c = s.at[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (i == 0 || c < '0' || c > '9')) return false;
  }
  return s.n > 0;
}

/* A field that could not be written as a name (it came from a string) is quoted. */
static bool put_field(wb_mem *mem, wb_bytes *out, wb_str name) {
  bool plain = is_identifier(name);
  return put_text(mem, out, plain ? "" : "\"") && put(mem, out, name.at, name.n) && put_text(mem, out, plain ? ": " : "\": ");
}

/* What stands before part i of x (i == n_parts: after the last). */
static bool put_between(const wir_types *t, wir_type x, uint32_t i, wb_mem *mem, wb_bytes *out) {
  const wir_type_info *info = wir_type_at(t, x);
  bool at_end = i == info->n_parts;
  if (info->kind == WIR_TYPE_FUN && i + 1 == info->n_parts) return put_text(mem, out, " -> ");
  if (!at_end && i > 0 && !put_text(mem, out, ", ")) return false;
  if (!at_end && info->kind == WIR_TYPE_STRUCT) return put_field(mem, out, wb_name(t->names, wir_type_parts(t, x)[i].name));
  if (at_end && info->is_open && !put_text(mem, out, i > 0 ? ", ..." : "...")) return false;
  if (at_end && info->kind == WIR_TYPE_TUPLE && i == 1 && !put_text(mem, out, ",")) return false;
  return !at_end || put_text(mem, out, bracket[info->kind].close);
}

bool wir_type_print(const wir_types *t, wir_type x, size_t max, wb_mem *mem, wb_bytes *out) {
  WB_VEC(wir_type_walk) stack = {0};
  size_t begin = out->n;
  bool ok = WB_PUSH(mem, &stack, (wir_type_walk){.a = x});
  while (ok && stack.n > 0 && (max == 0 || out->n - begin <= max)) {
    wir_type_walk *w = &WB_TOP(&stack);
    wir_type at = w->a;
    const wir_type_info *info = wir_type_at(t, at);
    if (info->kind < WIR_TYPE_LIST) {
      ok = put_text(mem, out, leaf_text[info->kind]);
      (void)WB_POP(&stack);
      continue;
    }
    uint32_t i = w->i++;
    ok = (i > 0 || put_text(mem, out, bracket[info->kind].open)) && put_between(t, at, i, mem, out);
    if (i == info->n_parts) (void)WB_POP(&stack);
    else ok = ok && WB_PUSH(mem, &stack, (wir_type_walk){.a = wir_type_parts(t, at)[i].type});
  }
  WB_VEC_FREE(mem, &stack);
  if (ok && max > 0 && out->n - begin > max) {
    out->n = begin + wb_utf8_cut((wb_str){out->at + begin, out->n - begin}, max > 3 ? max - 3 : 0);
    ok = put_text(mem, out, "...");
  }
  return ok;
}
