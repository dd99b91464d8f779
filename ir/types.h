/* ir/types.h -- value types and their order.
**
** Types are interned in a table: equal types have equal numbers, and nothing below recurses on the C stack, so that nesting is
** limited by the compile options and never by a thread.  A table belongs to one program (or to one compilation that will become
** one); after that it is read only. */
#ifndef WIR_TYPES_H
#define WIR_TYPES_H

#include "ir/base/text.h"

typedef struct { uint32_t i; } wir_type; /* a type in its table */

typedef enum wir_type_kind {
  WIR_TYPE_NONE,    /* no type: not annotated, not known yet, failed */
  WIR_TYPE_ANY,     /* says nothing; values are checked at run time */
  WIR_TYPE_UNKNOWN, /* the element type of `[]`: unifies with everything */
  WIR_TYPE_INT,
  WIR_TYPE_FLOAT,
  WIR_TYPE_BOOL,
  WIR_TYPE_STR,
  WIR_TYPE_UNIT,
  WIR_TYPE_LIST,    /* parts: element */
  WIR_TYPE_MAP,     /* parts: element */
  WIR_TYPE_TUPLE,   /* parts: one or more */
  WIR_TYPE_STRUCT,  /* parts: fields, sorted by name in byte order; may be open ("...") */
  WIR_TYPE_FUN,     /* parts: parameters, then the result */
  WIR_TYPE_EXPR,    /* parts: the type that the text must have.  Inputs only; a Str otherwise */
  WIR_TYPE_KINDS
} wir_type_kind;

/* Types without parts have fixed numbers: their kind. */
#define WIR_NONE ((wir_type){WIR_TYPE_NONE})
#define WIR_ANY ((wir_type){WIR_TYPE_ANY})
#define WIR_UNKNOWN ((wir_type){WIR_TYPE_UNKNOWN})
#define WIR_INT ((wir_type){WIR_TYPE_INT})
#define WIR_FLOAT ((wir_type){WIR_TYPE_FLOAT})
#define WIR_BOOL ((wir_type){WIR_TYPE_BOOL})
#define WIR_STR ((wir_type){WIR_TYPE_STR})
#define WIR_UNIT ((wir_type){WIR_TYPE_UNIT})

typedef struct wir_type_part {
  uint32_t name; /* of a struct's field, in the table's names; else WB_NO_NAME */
  wir_type type;
} wir_type_part;

typedef struct wir_type_info {
  wir_type_kind kind;
  bool is_open;         /* a struct with "..." */
  bool has_any;         /* Any or Unknown occurs somewhere inside (or it is that) */
  bool has_unknown;     /* Unknown does */
  bool has_fun;         /* a function type occurs somewhere inside */
  bool has_float;       /* Float occurs inside: an Int there is converted at run time */
  bool has_expr;        /* Expr<...> occurs inside */
  uint32_t depth;       /* 1 for a type without parts */
  uint32_t part, n_parts; /* in `parts` */
} wir_type_info;

/* Answers for pairs of types, so that each pair is compared once, however often a type is shared. */
typedef struct wir_type_answer { uint32_t a, b, answer; } wir_type_answer; /* a == 0: a free place */
typedef struct wir_type_memo { wir_type_answer *at; size_t n, cap; } wir_type_memo; /* open addressing */
typedef struct wir_type_walk { wir_type a, b; uint32_t i, j; } wir_type_walk; /* a pair and the next parts to compare */

typedef struct wir_types {
  wb_mem *mem;
  wb_names *names;               /* of fields; borrowed */
  WB_VEC(wir_type_info) info;    /* by number */
  WB_VEC(wir_type_part) parts;
  uint32_t *table;               /* open addressing, number + 1 */
  size_t cap_table;
  wir_type_memo unified, fitted; /* of pairs with parts */
  WB_VEC(wir_type_walk) walk;    /* stack of the comparison that runs */
  WB_VEC(wir_type_part) made;    /* parts of the type that it makes */
} wir_types;

bool wir_types_init(wir_types *t, wb_names *names, wb_mem *mem) WB_MUST_USE;

static inline const wir_type_info *wir_type_at(const wir_types *t, wir_type x) { return &t->info.at[x.i]; }
static inline const wir_type_part *wir_type_parts(const wir_types *t, wir_type x) { return t->parts.at + t->info.at[x.i].part; }
static inline wir_type_kind wir_type_kind_of(const wir_types *t, wir_type x) { return t->info.at[x.i].kind; }
static inline bool wir_type_eq(wir_type a, wir_type b) { return a.i == b.i; }

/* The type with these parts (copied; not those of the table itself); WIR_NONE when memory is exhausted.  Fields need not be
** sorted, but must be distinct. */
wir_type wir_type_make(wir_types *t, wir_type_kind kind, const wir_type_part *parts, uint32_t n_parts, bool is_open) WB_MUST_USE;
wir_type wir_type_list(wir_types *t, wir_type element) WB_MUST_USE;
wir_type wir_type_map(wir_types *t, wir_type element) WB_MUST_USE;
/* The field of a struct, or NULL.  Valid until the next type is made. */
const wir_type_part *wir_type_field(const wir_types *t, wir_type x, uint32_t name);

/* The common type of two (language.md 4): false when they do not unify; true with WIR_NONE when memory was exhausted. */
bool wir_type_unify(wir_types *t, wir_type a, wir_type b, wir_type *out) WB_MUST_USE;

/* What happens to a value of static type `from` where `to` is needed. */
typedef enum wir_fit {
  WIR_FIT_NO,      /* refused: a mismatch */
  WIR_FIT_EXACT,   /* every value of `from` is one of `to` */
  WIR_FIT_CHECKED, /* checked or converted at run time: Any (at any depth) for something else, Int for Float (not inside) */
  WIR_FIT_MEMORY   /* not decided, memory is exhausted */
} wir_fit;
/* Containers fit if their parts are equal or Any on either side; structs that have the fields needed fit, and more of them where
** `to` is open.  A function's parameters are checked by the function itself when it is called: only its result counts. */
wir_fit wir_type_fit(wir_types *t, wir_type from, wir_type to) WB_MUST_USE;

/* The type as the language writes it, appended to `out` (cut with "..." beyond max bytes; 0: whole, which may be exponentially
** longer than the text that made the type).  Unknown is written Any.  False: out of memory. */
typedef WB_VEC(char) wb_bytes;
bool wir_type_print(const wir_types *t, wir_type x, size_t max, wb_mem *mem, wb_bytes *out) WB_MUST_USE;

#endif
