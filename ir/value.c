/* ir/value.c -- objects: making, counting, comparing.  Nothing here recurses: values may be nested as deep as a limit allows. */
#include "ir/value.h"

#include <string.h>

#include "ir/base/vec.h"

/* The pointers in a weir_value are const for callers; inside, the head before the payload is ours to count in. */
wir_obj *wir_obj_of(weir_value v) {
  wb_assert(wir_is_rich(v));
  return (wir_obj *)(uintptr_t)v.as.text - 1;
}

weir_value wir_obj_value(wir_obj *o) {
  return (weir_value){.tag = o->tag, .count = o->count, .as.text = (const char *)(o + 1)};
}

static size_t cell_size(uint32_t tag) {
  if (tag == WEIR_TEXT) return 1;
  return tag == WEIR_MAP ? sizeof(weir_entry) : sizeof(weir_value);
}

void *wir_obj_new(wb_mem *mem, weir_tag tag, size_t count, weir_value *out) {
  size_t bytes = 0;
  if (count > WIR_MAX_COUNT || !wb_mul(count, cell_size(tag), &bytes) || !wb_add(bytes, sizeof(wir_obj), &bytes)) return NULL;
  wir_obj *o = wb_block(mem, bytes);
  if (o == NULL) return NULL;
  *o = (wir_obj){.refs = 1, .depth = tag == WEIR_TEXT ? 0 : 1, .tag = tag, .count = (uint32_t)count};
  if (tag != WEIR_TEXT) memset(o + 1, 0, bytes - sizeof(wir_obj));
  *out = wir_obj_value(o);
  return o + 1;
}

/* Drops a reference that a dead container held; a dead object joins the list. */
static void bury(weir_value v, wir_obj **dead) {
  if (!wir_is_rich(v)) return;
  wir_obj *o = wir_obj_of(v);
  if (o->refs == WIR_SHARED || --o->refs != 0) return;
  o->next_dead = *dead;
  *dead = o;
}

void wir_release_rich(wb_mem *mem, weir_value v) {
  wir_obj *dead = NULL;
  bury(v, &dead);
  while (dead != NULL) {
    wir_obj *o = dead;
    dead = o->next_dead;
    weir_value x = wir_obj_value(o);
    if (o->tag == WEIR_LIST || o->tag == WEIR_TUPLE)
      for (uint32_t i = 0; i < o->count; i++) bury(x.as.items[i], &dead);
    else if (o->tag == WEIR_MAP)
      for (uint32_t i = 0; i < o->count; i++) bury(x.as.entries[i].key, &dead), bury(x.as.entries[i].value, &dead);
    wb_block_free(mem, o);
  }
}

weir_code wir_text_new(wb_mem *mem, const char *bytes, size_t n, weir_value *out) {
  if (n > WIR_MAX_COUNT) return WEIR_E_VALUE_LIMIT;
  char *to = wir_obj_new(mem, WEIR_TEXT, n, out);
  if (to == NULL) return WEIR_E_MEMORY;
  if (n != 0) memcpy(to, bytes, n);
  return WEIR_OK;
}

int wir_text_compare(weir_value a, weir_value b) {
  size_t n = WB_MIN(a.count, b.count);
  int order = n == 0 ? 0 : memcmp(a.as.text, b.as.text, n);
  if (order == 0) return (a.count > b.count) - (a.count < b.count);
  return order < 0 ? -1 : 1;
}

/* Two containers of one kind and size that are being compared, up to part `i`. */
typedef struct pair { weir_value a, b; uint32_t i; } pair;
typedef WB_VEC(pair) pairs;

/* Compares without looking into containers; those are pushed to be looked into.  False: they differ. */
static bool equal_here(weir_value a, weir_value b, wb_mem *mem, pairs *todo, weir_code *rc) {
  if (a.tag == WEIR_INT && b.tag == WEIR_INT) return a.as.i == b.as.i;
  bool a_number = a.tag == WEIR_INT || a.tag == WEIR_FLOAT, b_number = b.tag == WEIR_INT || b.tag == WEIR_FLOAT;
  if (a_number && b_number)
    return (a.tag == WEIR_INT ? (double)a.as.i : a.as.f) == (b.tag == WEIR_INT ? (double)b.as.i : b.as.f);
  if (a.tag != b.tag) return false;
  if (a.tag == WEIR_BOOL) return a.as.b == b.as.b;
  if (a.tag == WEIR_TEXT) return a.count == b.count && wir_text_compare(a, b) == 0;
  if (!wir_is_rich(a)) return true; /* two units */
  if (a.count != b.count) return false;
  if (a.count != 0 && !WB_PUSH(mem, todo, (pair){a, b, 0})) *rc = WEIR_E_MEMORY;
  return true;
}

weir_code wir_value_equal(wb_mem *mem, weir_value a, weir_value b, bool *out) {
  pairs todo = {0};
  weir_code rc = WEIR_OK;
  bool is_equal = equal_here(a, b, mem, &todo, &rc);
  while (is_equal && rc == WEIR_OK && todo.n != 0) {
    pair *p = &WB_TOP(&todo);
    if (p->i == p->a.count) {
      todo.n--;
      continue;
    }
    uint32_t i = p->i++;
    if (p->a.tag != WEIR_MAP) {
      is_equal = equal_here(p->a.as.items[i], p->b.as.items[i], mem, &todo, &rc);
      continue;
    }
    const weir_entry *x = &p->a.as.entries[i], *y = &p->b.as.entries[i];
    is_equal = wir_text_compare(x->key, y->key) == 0 && equal_here(x->value, y->value, mem, &todo, &rc);
  }
  WB_VEC_FREE(mem, &todo);
  *out = is_equal;
  return rc;
}
