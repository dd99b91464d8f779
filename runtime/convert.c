/* runtime/convert.c -- values that enter a place of another type: rows from the caller, and Any inside Weir.
**
** One walk over a value along a type, with frames on the heap: it checks, and where asked it builds a copy in which Ints have become
** Floats and (for imports) lists have become tuples.  Inside Weir a value is first only checked, and copied only if something in it must
** be converted. */
#include <string.h>

#include "ir/base/sort.h"
#include "runtime/monitor.h"

typedef struct frame {
  weir_value from; /* a container */
  weir_value to;   /* its copy; NoVal when only checking */
  wir_type type;
  uint32_t i;      /* the next part */
  uint32_t found;  /* fields of a struct type that were there */
} frame;

typedef struct walk {
  wrt_monitor *m;
  const wir_types *types;
  bool is_import;  /* plain trees of the caller: copy all, check UTF-8 and keys */
  bool is_copying;
  bool must_copy;  /* found while checking: something must be converted */
  WB_VEC(frame) frames;
  uint32_t *tag;      /* what did not fit ... */
  wir_type *expected; /* ... and what was wanted there */
} walk;

static weir_code misfit(walk *w, weir_value v, wir_type type) {
  *w->tag = v.tag;
  *w->expected = type;
  return WEIR_E_KIND;
}

/* Does a value of this tag fit the kind at all?  The parts come later. */
static bool tag_fits(const walk *w, uint32_t tag, wir_type_kind kind) {
  switch (kind) {
  case WIR_TYPE_NONE: case WIR_TYPE_ANY: case WIR_TYPE_UNKNOWN: return tag > WEIR_DEFERRED;
  case WIR_TYPE_INT: return tag == WEIR_INT;
  case WIR_TYPE_FLOAT: return tag == WEIR_FLOAT || tag == WEIR_INT;
  case WIR_TYPE_BOOL: return tag == WEIR_BOOL;
  case WIR_TYPE_STR: case WIR_TYPE_EXPR: return tag == WEIR_TEXT;
  case WIR_TYPE_UNIT: return tag == WEIR_UNIT;
  case WIR_TYPE_LIST: return tag == WEIR_LIST;
  case WIR_TYPE_TUPLE: return tag == WEIR_TUPLE || (tag == WEIR_LIST && w->is_import);
  case WIR_TYPE_MAP: case WIR_TYPE_STRUCT: return tag == WEIR_MAP;
  case WIR_TYPE_FUN: case WIR_TYPE_KINDS: break;
  }
  return false;
}

/* The type of a struct's field, found by bisection; false if the type has no such field. */
static bool field_type(const wir_types *t, wir_type type, weir_value key, wir_type *out) {
  const wir_type_part *parts = wir_type_parts(t, type);
  uint32_t low = 0, high = wir_type_at(t, type)->n_parts;
  while (low < high) {
    uint32_t mid = low + (high - low) / 2;
    wb_str name = wb_name(t->names, parts[mid].name);
    weir_value text = {.tag = WEIR_TEXT, .count = (uint32_t)name.n, .as.text = name.at};
    int order = wir_text_compare(key, text);
    if (order == 0) {
      *out = parts[mid].type;
      return true;
    }
    if (order < 0) high = mid;
    else low = mid + 1;
  }
  return false;
}

static wir_type part_type(const walk *w, frame *f, weir_value key) {
  wir_type part = WIR_ANY;
  switch (wir_type_kind_of(w->types, f->type)) {
  case WIR_TYPE_LIST: case WIR_TYPE_MAP: return wir_type_parts(w->types, f->type)[0].type;
  case WIR_TYPE_TUPLE: return wir_type_parts(w->types, f->type)[f->i].type;
  case WIR_TYPE_STRUCT:
    f->found += field_type(w->types, f->type, key, &part); /* other fields are kept as they are */
    return part;
  case WIR_TYPE_NONE: case WIR_TYPE_ANY: case WIR_TYPE_UNKNOWN: case WIR_TYPE_INT: case WIR_TYPE_FLOAT: case WIR_TYPE_BOOL:
  case WIR_TYPE_STR: case WIR_TYPE_UNIT: case WIR_TYPE_FUN: case WIR_TYPE_EXPR: case WIR_TYPE_KINDS: break;
  }
  return WIR_ANY;
}

static weir_code copy_text(walk *w, weir_value v, weir_value *to) {
  if (!w->is_import) {
    wir_retain(v);
    *to = v;
    return WEIR_OK;
  }
  if (wb_utf8_valid((wb_str){v.as.text, v.count}) != v.count) return WEIR_E_ADMIT;
  return wir_text_new(&w->m->mem, v.as.text, v.count, to);
}

/* Takes a container apart later.  Its copy stands at *to from now on, so that whoever owns that releases it after a failure too. */
static weir_code open_container(walk *w, weir_value v, wir_type type, weir_value *to) {
  if (w->frames.n >= w->m->max_depth) return WEIR_E_VALUE_LIMIT;
  frame f = {.from = v, .type = type};
  bool is_tuple = wir_type_kind_of(w->types, type) == WIR_TYPE_TUPLE;
  if (is_tuple && wir_type_at(w->types, type)->n_parts != v.count) return misfit(w, v, type);
  if (is_tuple && v.tag == WEIR_LIST) w->must_copy = true;
  if (w->is_copying) {
    if (wir_obj_new(&w->m->mem, is_tuple ? WEIR_TUPLE : (weir_tag)v.tag, v.count, &f.to) == NULL) return WEIR_E_MEMORY;
    *to = f.to;
  }
  return WB_PUSH(&w->m->mem, &w->frames, f) ? WEIR_OK : WEIR_E_MEMORY;
}

static weir_code visit(walk *w, weir_value v, wir_type type, weir_value *to) {
  wir_type_kind kind = wir_type_kind_of(w->types, type);
  if (v.tag >= WEIR_TAG_COUNT || !tag_fits(w, v.tag, kind)) return misfit(w, v, type);
  if (v.tag >= WEIR_LIST) return open_container(w, v, type, to);
  if (kind == WIR_TYPE_FLOAT && v.tag == WEIR_INT) {
    w->must_copy = true;
    v = (weir_value){.tag = WEIR_FLOAT, .as.f = (double)v.as.i};
  }
  if (!w->is_copying) return WEIR_OK;
  if (v.tag == WEIR_TEXT) return copy_text(w, v, to);
  v.count = 0;
  *to = v;
  return WEIR_OK;
}

static bool entry_less(const void *self, const void *a, const void *b) {
  (void)self;
  return wir_text_compare(((const weir_entry *)a)->key, ((const weir_entry *)b)->key) < 0;
}

static bool are_sorted(const weir_entry *at, uint32_t n) {
  for (uint32_t i = 1; i < n; i++)
    if (!entry_less(NULL, &at[i - 1], &at[i])) return false;
  return true;
}

/* Entries in byte order of their keys; equal keys are an error. */
static weir_code sort_entries(weir_entry *at, uint32_t n) {
  if (are_sorted(at, n)) return WEIR_OK;
  wb_sort(at, n, sizeof *at, entry_less, NULL);
  return are_sorted(at, n) ? WEIR_OK : WEIR_E_ADMIT;
}

static weir_code close_container(walk *w) {
  frame f = WB_TOP(&w->frames);
  const wir_type_info *info = wir_type_at(w->types, f.type);
  if (info->kind == WIR_TYPE_STRUCT && f.found != info->n_parts) return misfit(w, f.from, f.type);
  w->frames.n--;
  if (!w->is_copying) return WEIR_OK;
  if (w->is_import && f.from.tag == WEIR_MAP)
    WB_TRY(sort_entries((weir_entry *)(void *)(wir_obj_of(f.to) + 1), f.to.count));
  if (w->frames.n == 0) return WEIR_OK;
  wir_obj *parent = wir_obj_of(WB_TOP(&w->frames).to);
  parent->depth = WB_MAX(parent->depth, wir_obj_of(f.to)->depth + 1);
  return WEIR_OK;
}

static weir_code next_part(walk *w) {
  frame *f = &WB_TOP(&w->frames);
  weir_value unused, *to = &unused;
  if (f->from.tag != WEIR_MAP) {
    wir_type type = part_type(w, f, (weir_value){.tag = WEIR_NOVAL});
    if (w->is_copying) to = (weir_value *)(void *)(wir_obj_of(f->to) + 1) + f->i;
    return visit(w, f->from.as.items[f->i++], type, to);
  }
  const weir_entry *from = &f->from.as.entries[f->i];
  if (from->key.tag != WEIR_TEXT) return misfit(w, from->key, WIR_STR);
  wir_type type = part_type(w, f, from->key);
  if (w->is_copying) {
    weir_entry *entry = (weir_entry *)(void *)(wir_obj_of(f->to) + 1) + f->i;
    WB_TRY(copy_text(w, from->key, &entry->key));
    to = &entry->value;
  }
  f->i++;
  return visit(w, from->value, type, to);
}

static weir_code run(walk *w, weir_value from, wir_type type, weir_value *to) {
  weir_code rc = visit(w, from, type, to);
  while (rc == WEIR_OK && w->frames.n != 0) {
    const frame *f = &WB_TOP(&w->frames);
    rc = f->i == f->from.count ? close_container(w) : next_part(w);
  }
  WB_VEC_FREE(&w->m->mem, &w->frames);
  w->frames.n = 0;
  return rc;
}

static weir_code copy(walk *w, weir_value from, wir_type type, weir_value *out) {
  weir_value to = {.tag = WEIR_NOVAL};
  w->is_copying = true;
  weir_code rc = run(w, from, type, &to);
  if (rc != WEIR_OK) {
    wir_release(&w->m->mem, to);
    return rc;
  }
  *out = to;
  return wir_is_rich(to) ? wrt_pool_keep(w->m, to) : WEIR_OK;
}

weir_code wrt_convert(wrt_monitor *m, weir_value from, wir_type to, weir_value *out, uint32_t *tag, wir_type *expected) {
  walk w = {.m = m, .types = &m->program->types, .tag = tag, .expected = expected};
  weir_value ignored;
  WB_TRY(run(&w, from, to, &ignored));
  *out = from;
  return w.must_copy ? copy(&w, from, to, out) : WEIR_OK;
}

weir_code wrt_import(wrt_monitor *m, weir_value from, wir_type to, weir_value *out, uint32_t *tag, wir_type *expected) {
  walk w = {.m = m, .types = &m->program->types, .is_import = true, .tag = tag, .expected = expected};
  return copy(&w, from, to, out);
}
