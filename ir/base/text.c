/* ir/base/text.c -- interned names, lines and columns, UTF-8, near names. */
#include "ir/base/text.h"

#include <string.h>

/* ---- Names ------------------------------------------------------------------------------------------------------- */

#if defined(WEIR_TINY) && WEIR_TINY
enum { TABLE_FIRST = 2 };
#else
enum { TABLE_FIRST = 64 };
#endif

/* The low and high half of a 128-bit product, folded: every bit of the factors reaches the middle. */
static uint64_t mix(uint64_t a, uint64_t b) {
  unsigned __int128 p = (unsigned __int128)a * b;
  return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/* The table's own address is the seed: a hostile text cannot aim at one bucket, and no result depends on it. */
static size_t slot_of(const uint32_t *table, size_t cap, wb_str text) {
  uint64_t h = (uint64_t)(uintptr_t)table ^ text.n;
  for (size_t at = 0; at < text.n; at += 8) {
    uint64_t word = 0;
    memcpy(&word, text.at + at, WB_MIN(text.n - at, (size_t)8));
    h = mix(h ^ word ^ UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd6e8feb86659fd93));
  }
  return (size_t)mix(h, UINT64_C(0xa0761d6478bd642f)) & (cap - 1);
}

void wb_names_init(wb_names *t, wb_mem *mem) { *t = (wb_names){.mem = mem}; }

/* The slot that holds the text, or the empty one where it belongs.  The table is never full. */
static size_t slot_find(const wb_names *t, wb_str text) {
  size_t at = slot_of(t->table, t->cap_table, text);
  while (t->table[at] != 0 && !wb_str_eq(t->texts.at[t->table[at] - 1], text)) at = (at + 1) & (t->cap_table - 1);
  return at;
}

uint32_t wb_names_find(const wb_names *t, wb_str text) {
  if (t->cap_table == 0) return WB_NO_NAME;
  uint32_t held = t->table[slot_find(t, text)];
  return held != 0 ? held - 1 : WB_NO_NAME;
}

/* Doubles the table; at most half of it is ever used, so that probes stay short. */
static bool table_grow(wb_names *t) {
  size_t cap, bytes;
  if (!wb_mul(t->cap_table, 2, &cap)) return false;
  if (cap == 0) cap = TABLE_FIRST;
  if (!wb_mul(cap, sizeof *t->table, &bytes)) return false;
  uint32_t *table = wb_block(t->mem, bytes);
  if (table == NULL) return false;
  memset(table, 0, bytes);
  for (size_t id = 0; id < t->texts.n; id++) {
    size_t at = slot_of(table, cap, t->texts.at[id]);
    while (table[at] != 0) at = (at + 1) & (cap - 1);
    table[at] = (uint32_t)id + 1;
  }
  wb_block_free(t->mem, t->table);
  t->table = table;
  t->cap_table = cap;
  return true;
}

uint32_t wb_intern(wb_names *t, wb_str text) {
  uint32_t known = wb_names_find(t, text);
  if (known != WB_NO_NAME) return known;
  if (t->texts.n >= WB_NO_NAME - 1) return WB_NO_NAME;
  if (t->texts.n + 1 > t->cap_table / 2 && !table_grow(t)) return WB_NO_NAME;
  size_t size;
  char *copy = wb_add(text.n, 1, &size) ? wb_alloc(t->mem, size, 1, 1) : NULL; /* zeroed: terminated */
  if (copy == NULL || !WB_PUSH(t->mem, &t->texts, (wb_str){copy, text.n})) return WB_NO_NAME;
  if (text.n > 0) memcpy(copy, text.at, text.n);
  uint32_t id = (uint32_t)(t->texts.n - 1);
  t->table[slot_find(t, text)] = id + 1;
  return id;
}

/* ---- Places ------------------------------------------------------------------------------------------------------ */

wb_place wb_locate(wb_str text, size_t offset) {
  offset = wb_utf8_cut(text, offset);
  wb_place p = {.line = 1, .column = 1};
  const char *lf;
  while (p.begin < offset && (lf = memchr(text.at + p.begin, '\n', offset - p.begin)) != NULL) {
    p.line++;
    p.begin = (size_t)(lf - text.at) + 1;
  }
  lf = p.begin < text.n ? memchr(text.at + p.begin, '\n', text.n - p.begin) : NULL;
  p.end = lf != NULL ? (size_t)(lf - text.at) : text.n;
  if (lf != NULL && p.end > p.begin && text.at[p.end - 1] == '\r') p.end--;
  if (p.line == 1 && text.n >= 3 && memcmp(text.at, "\xef\xbb\xbf", 3) == 0) p.begin = 3; /* a byte-order mark is no column */
  for (size_t i = p.begin; i < WB_MIN(offset, p.end); i++) p.column += ((unsigned char)text.at[i] & 0xc0) != 0x80;
  return p;
}

/* ---- UTF-8 ------------------------------------------------------------------------------------------------------- */

/* Bytes of the character at the start of `s` (n > 0), or 0 where it is none. */
static size_t utf8_length(const unsigned char *s, size_t n) {
  unsigned lead = s[0];
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0; /* a continuation, an overlong form, or beyond U+10FFFF */
  size_t len = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (n < len) return 0;
  /* The second byte also rules out what is overlong, a surrogate, or too large. */
  unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (s[1] < low || s[1] > high) return 0;
  for (size_t i = 2; i < len; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  return len;
}

size_t wb_utf8_valid(wb_str text) {
  size_t at = 0;
  while (at < text.n) {
    uint64_t word;
    while (text.n - at >= sizeof word) { /* eight ASCII bytes at a time */
      memcpy(&word, text.at + at, sizeof word);
      if ((word & UINT64_C(0x8080808080808080)) != 0) break;
      at += sizeof word;
    }
    if (at == text.n) break;
    size_t len = utf8_length((const unsigned char *)text.at + at, text.n - at);
    if (len == 0) break;
    at += len;
  }
  return at;
}

size_t wb_utf8_write(uint32_t code_point, char out[4]) {
  uint32_t c = code_point;
  if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return 0;
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = len - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
  out[0] = (char)((0xf00 >> len & 0xff) | c); /* 110…, 1110…, 11110… */
  return len;
}

bool wb_is_hidden(uint32_t code_point) {
  static const struct { uint32_t first, last; } hidden[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x061C, 0x061C}, {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},
    {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF},
  };
  size_t i = 0;
  while (i < WB_LEN(hidden) && hidden[i].last < code_point) i++;
  return i < WB_LEN(hidden) && code_point >= hidden[i].first;
}

size_t wb_utf8_cut(wb_str text, size_t n) {
  if (n >= text.n) return text.n;
  for (size_t back = 0; back <= 3 && back <= n; back++)
    if (((unsigned char)text.at[n - back] & 0xc0) != 0x80) return n - back;
  return n; /* no UTF-8: nothing that could be cut */
}

/* ---- Near names -------------------------------------------------------------------------------------------------- */

/* Distances are counted in halves: an edit is 2, a difference of letter case alone is 1. */
enum { EDITS_MAX = 3, EDIT = 2, FAR = 1000, BAND = 2 * EDITS_MAX + 1 };

/* What is still near, for a name of n bytes: a short one changed twice is another name. */
static unsigned near_limit(size_t n) { return n <= 1 ? 1 : EDIT * (n <= 4 ? 1 : n <= 8 ? 2 : EDITS_MAX); }

void wb_near_init(wb_near *s, wb_str name) { *s = (wb_near){.name = name, .distance = FAR}; }

static unsigned char lower(char c) { return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }
static unsigned replace_cost(char a, char b) { return a == b ? 0 : lower(a) == lower(b) ? 1 : EDIT; }

/* Optimal string alignment, only in the band of EDITS_MAX around the diagonal: nothing outside it can be near, so three rows
** of constant size serve names of any length.  In row i, cell k stands for the prefix of j = i + k - EDITS_MAX bytes of b. */
static unsigned distance(wb_str a, wb_str b) {
  if (a.n > b.n + EDITS_MAX || b.n > a.n + EDITS_MAX) return FAR;
  unsigned rows[3][BAND + 2]; /* one FAR cell at each side */
  for (size_t r = 0; r < 3; r++)
    for (size_t k = 0; k < BAND + 2; k++) rows[r][k] = FAR;
  for (size_t i = 0; i <= a.n; i++) {
    unsigned *now = rows[i % 3] + 1;
    const unsigned *before = rows[(i + 2) % 3] + 1, *before2 = rows[(i + 1) % 3] + 1;
    for (size_t k = 0; k < BAND; k++) {
      now[k] = FAR;
      if (i + k < EDITS_MAX || i + k - EDITS_MAX > b.n) continue;
      size_t j = i + k - EDITS_MAX;
      unsigned best = i == 0 && j == 0 ? 0 : FAR;
      if (i > 0) best = WB_MIN(best, before[k + 1] + EDIT);
      if (j > 0 && k > 0) best = WB_MIN(best, now[k - 1] + EDIT);
      if (i > 0 && j > 0) best = WB_MIN(best, before[k] + replace_cost(a.at[i - 1], b.at[j - 1]));
      if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1]) best = WB_MIN(best, before2[k] + EDIT);
      now[k] = best;
    }
  }
  return rows[a.n % 3][1 + b.n + EDITS_MAX - a.n];
}

void wb_near_offer(wb_near *s, wb_str candidate) {
  unsigned d = distance(s->name, candidate);
  if (d >= s->distance) return;
  s->distance = d;
  s->best = candidate;
}

bool wb_near_found(const wb_near *s) { return s->distance <= near_limit(s->name.n); }
