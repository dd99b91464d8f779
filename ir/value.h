/* ir/value.h -- tagged immutable values.
**
** A value is the public weir_value.  Texts, lists, tuples and maps inside Weir are objects: a counted head right before the
** bytes, items or entries that the value points at.  (The plain trees that a caller pushes have no head; admission copies them.)
** Objects are blocks of the monitor's memory and are counted without locks; those of a program are made once and are not
** counted, so that monitors on several threads can share them. */
#ifndef WIR_VALUE_H
#define WIR_VALUE_H

#include "ir/base/mem.h"
#include "weir.h"

/* Inside a guard an operation may yield a failure (language.md 8): as.i is its number among the failures of the tick. */
#define WIR_FAILED ((uint32_t)WEIR_TAG_COUNT)

#define WIR_MAX_COUNT (UINT32_MAX - 64u) /* bytes of a text, items of a list, entries of a map */

typedef struct wir_obj {
  union {
    struct {
      uint32_t refs;  /* WIR_SHARED: belongs to a program */
      uint32_t depth; /* levels of containers, 0 for a text */
    };
    struct wir_obj *next_dead; /* while being released */
  };
  uint32_t tag, count; /* as in the value */
} wir_obj;
_Static_assert(sizeof(wir_obj) == 16, "the payload must stay aligned to 16 bytes");
#define WIR_SHARED UINT32_MAX

static inline bool wir_is_rich(weir_value v) { return v.tag >= WEIR_TEXT && v.tag <= WEIR_MAP; }
static inline bool wir_is_proper(weir_value v) { return v.tag > WEIR_DEFERRED && v.tag < WEIR_TAG_COUNT; }

/* The object of a rich value that lives inside Weir. */
wir_obj *wir_obj_of(weir_value v);
/* The value of an object. */
weir_value wir_obj_value(wir_obj *o);

/* A new object of `count` bytes, items or entries with one reference; containers are filled with NoVal.  Returns the payload to be
** written, NULL when memory is exhausted. */
void *wir_obj_new(wb_mem *mem, weir_tag tag, size_t count, weir_value *out) WB_MUST_USE;

static inline void wir_retain(weir_value v) {
  if (!wir_is_rich(v)) return;
  wir_obj *o = wir_obj_of(v);
  if (o->refs != WIR_SHARED) o->refs++;
}
/* Gives up one reference; the last one frees the object and what only it holds.  Never recurses. */
void wir_release_rich(wb_mem *mem, weir_value v);
static inline void wir_release(wb_mem *mem, weir_value v) {
  if (wir_is_rich(v)) wir_release_rich(mem, v);
}

/* A copy of a text as an object with one reference. */
weir_code wir_text_new(wb_mem *mem, const char *bytes, size_t n, weir_value *out) WB_MUST_USE;

/* By UTF-8 bytes: -1, 0, 1. */
int wir_text_compare(weir_value a, weir_value b);
/* language.md 7: numbers by value, containers deeply, other kinds unequal.  NaN is unequal to all.  E_MEMORY: not decided. */
weir_code wir_value_equal(wb_mem *mem, weir_value a, weir_value b, bool *out) WB_MUST_USE;

#endif
