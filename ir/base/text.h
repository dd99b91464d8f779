/* ir/base/text.h -- texts and places in them: interned names, lines and columns, UTF-8, near names. */
#ifndef WB_TEXT_H
#define WB_TEXT_H

#include "ir/base/mem.h"
#include "ir/base/vec.h"
#include "weir.h"

typedef struct wb_str { const char *at; size_t n; } wb_str; /* bytes, not terminated unless said so */
#define WB_STR(literal) ((wb_str){"" literal, sizeof(literal) - 1})
static inline bool wb_str_eq(wb_str a, wb_str b) { return a.n == b.n && (a.n == 0 || __builtin_memcmp(a.at, b.at, a.n) == 0); }

/* Interned byte strings: equal text, equal id.  Ids are dense from 0 in order of first appearance, so that nothing depends on
** hash order.  Texts are terminated copies owned by `mem` and never move. */
typedef struct wb_names {
  wb_mem *mem;
  WB_VEC(wb_str) texts; /* by id */
  uint32_t *table;      /* open addressing, id + 1; size is a power of two */
  size_t cap_table;
} wb_names;
#define WB_NO_NAME UINT32_MAX
void wb_names_init(wb_names *t, wb_mem *mem);
uint32_t wb_intern(wb_names *t, wb_str text) WB_MUST_USE; /* WB_NO_NAME when memory is exhausted */
uint32_t wb_names_find(const wb_names *t, wb_str text);   /* WB_NO_NAME when it was never interned */
static inline wb_str wb_name(const wb_names *t, uint32_t id) { return t->texts.at[id]; }

/* Line and column of a byte offset, both from 1; columns in characters, a tab is one.  [*begin, *end) is the line without its
** end.  LF and CR LF end lines. */
typedef struct wb_place { uint64_t line, column; size_t begin, end; } wb_place;
wb_place wb_locate(wb_str text, size_t offset);

/* The first byte that is not part of valid UTF-8 (shortest form, no surrogates, up to U+10FFFF), or text.n. */
size_t wb_utf8_valid(wb_str text);
/* Bytes of the UTF-8 form of a code point, written to out; 0 for surrogates and beyond U+10FFFF. */
size_t wb_utf8_write(uint32_t code_point, char out[4]);
/* Whether a character has no picture of its own: controls, ends of lines, marks of direction, fillers and what has no width.  A message shows
** something in its place, since a terminal may obey it, or a reader miss it. */
bool wb_is_hidden(uint32_t code_point);
/* The largest prefix length <= n that does not cut a character. */
size_t wb_utf8_cut(wb_str text, size_t n);

/* For "did you mean": the candidate with the least edit distance (insert, delete, replace, swap of neighbours; letter case
** counts half), if that is small for the length of the name; candidates are offered one by one.  No memory is taken. */
typedef struct wb_near { wb_str name; wb_str best; unsigned distance; } wb_near;
void wb_near_init(wb_near *s, wb_str name);
void wb_near_offer(wb_near *s, wb_str candidate); /* the first of equals wins */
bool wb_near_found(const wb_near *s);

#endif
