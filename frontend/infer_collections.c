/* frontend/infer_collections.c -- typing rules of list, tuple, map and struct literals, fields, List.* and Map.*.
**
** A literal takes an expected type to its elements, which are converted to it; without one its elements unify.  The operand that is
** the container must be one (or Any): anything else is final, and no mismatch that widens a stream.
** Leave alone: the callbacks of List.map, filter and fold (infer_call.c). */
#include "frontend/check.h"

/* ---- Literals ------------------------------------------------------------------------------------------------------ */

/* The element type that the context expects of a list or map literal, or WIR_NONE. */
static wir_type expected_element(const wfe_checker *c, const wfe_visit *f, wir_type_kind kind) {
  return wfe_kind_of(c, f->expected) == kind ? wir_type_parts(c->types, f->expected)->type : WIR_NONE;
}

wir_type wfe_entering_element(wfe_checker *c, const wfe_visit *f) {
  return expected_element(c, f, wfe_node_at(c, f->at)->kind == WFE_LIST ? WIR_TYPE_LIST : WIR_TYPE_MAP);
}

/* The expression itself: an entry's value, else the child. */
static wfe_ref value_of(const wfe_checker *c, wfe_ref child) {
  const wfe_node *n = wfe_node_at(c, child);
  return n->kind == WFE_ENTRY ? n->first : child;
}

/* All children enter a place of one type: the one expected, else their common one. */
static bool leave_elements(wfe_checker *c, const wfe_visit *f, wir_type_kind kind) {
  wir_type element = expected_element(c, f, kind);
  wfe_ref first = wfe_node_at(c, f->at)->first;
  bool is_expected = element.i != WIR_TYPE_NONE;
  if (!is_expected) element = WIR_UNKNOWN;
  for (wfe_ref r = first; wfe_is_node(r) && !is_expected; r = wfe_next(c, r))
    if (!wfe_join(c, value_of(c, r), &element)) return false;
  for (wfe_ref r = first; wfe_is_node(r); r = wfe_next(c, r))
    if (!wfe_settle(c, value_of(c, r), element)) return false;
  return wfe_give(c, f, wir_type_make(c->types, kind, &(wir_type_part){WB_NO_NAME, element}, 1, false));
}

bool wfe_leaving_list(wfe_checker *c, const wfe_visit *f) { return leave_elements(c, f, WIR_TYPE_LIST); }
bool wfe_leaving_map(wfe_checker *c, const wfe_visit *f) { return leave_elements(c, f, WIR_TYPE_MAP); }
bool wfe_leaving_entry(wfe_checker *c, const wfe_visit *f) { return wfe_give(c, f, wfe_type_of(c, wfe_node_at(c, f->at)->first)); }

bool wfe_leaving_tuple(wfe_checker *c, const wfe_visit *f) {
  c->parts.n = 0;
  for (wfe_ref r = wfe_node_at(c, f->at)->first; wfe_is_node(r); r = wfe_next(c, r))
    if (!WB_PUSH(c->mem, &c->parts, (wir_type_part){WB_NO_NAME, wfe_type_of(c, r)})) return wfe_refuse_memory(c);
  return wfe_give(c, f, wir_type_make(c->types, WIR_TYPE_TUPLE, c->parts.at, (uint32_t)c->parts.n, false));
}

/* `{...}` and Struct(...): a map if one is expected, else a struct. */
wir_type wfe_entering_entry(wfe_checker *c, const wfe_visit *f) {
  if (wfe_kind_of(c, f->expected) != WIR_TYPE_STRUCT) return expected_element(c, f, WIR_TYPE_MAP);
  const wir_type_part *field = wir_type_field(c->types, f->expected, wfe_node_at(c, f->child)->as.name);
  return field != NULL ? field->type : WIR_NONE;
}

static void hint_near_field(wfe_checker *c, wir_type type, uint32_t name) {
  const wir_type_info *info = wir_type_at(c->types, type);
  wb_near near;
  wb_near_init(&near, wb_name(c->tree->names, name));
  for (uint32_t i = 0; i < info->n_parts; i++)
    wb_near_offer(&near, wb_name(c->tree->names, wir_type_parts(c->types, type)[i].name));
  wfe_hint_nearest(c, &near);
}

/* The first field of `type` that the literal does not have. */
static bool refuse_missing_field(wfe_checker *c, wfe_ref literal, wir_type type) {
  const wfe_node *n = wfe_node_at(c, literal);
  const wir_type_info *info = wir_type_at(c->types, type);
  c->parts.n = 0; /* the literal's fields in order, as a type has them, so that looking is not quadratic */
  for (wfe_ref r = n->first; wfe_is_node(r); r = wfe_next(c, r))
    if (!WB_PUSH(c->mem, &c->parts, (wir_type_part){wfe_node_at(c, r)->as.name, WIR_ANY})) return wfe_refuse_memory(c);
  wir_type has = wir_type_make(c->types, WIR_TYPE_STRUCT, c->parts.at, (uint32_t)c->parts.n, false);
  if (has.i == WIR_TYPE_NONE) return wfe_refuse_memory(c);
  uint32_t i = 0;
  while (i + 1 < info->n_parts && wir_type_field(c->types, has, wir_type_parts(c->types, type)[i].name) != NULL) i++;
  wfe_text name = wfe_name_text(c, wir_type_parts(c->types, type)[i].name), want = wfe_type_text(c, type);
  return wfe_refuse(c, WEIR_E_TYPE, n->span, "missing field `%s` of %s", name.at, want.at);
}

static bool refuse_extra_field(wfe_checker *c, wfe_ref entry, wir_type type) {
  if (c->is_gradual) { /* one struct where another is needed */
    c->outcome = WFE_WIDENED;
    return false;
  }
  uint32_t name = wfe_node_at(c, entry)->as.name;
  weir_span span = wfe_node_at(c, entry)->span;
  if (!wfe_is_kept(c, span)) return wfe_refuse(c, WEIR_E_TYPE, span, "no such field");
  wfe_text n = wfe_name_text(c, name), want = wfe_type_text(c, type);
  wfe_refuse(c, WEIR_E_TYPE, span, "%s has no field `%s`", want.at, n.at);
  hint_near_field(c, type, name);
  return false;
}

static bool leave_expected_struct(wfe_checker *c, const wfe_visit *f) {
  const wfe_node *n = wfe_node_at(c, f->at);
  wir_type type = f->expected;
  uint32_t found = 0;
  for (wfe_ref r = n->first; wfe_is_node(r); r = wfe_next(c, r)) {
    const wir_type_part *field = wir_type_field(c->types, type, wfe_node_at(c, r)->as.name);
    if (field == NULL && !wir_type_at(c->types, type)->is_open) return refuse_extra_field(c, r, type);
    if (field == NULL) continue;
    found++;
    if (!wfe_settle(c, value_of(c, r), field->type)) return false;
  }
  if (found < wir_type_at(c->types, type)->n_parts) return refuse_missing_field(c, f->at, type);
  return wfe_give(c, f, type);
}

bool wfe_leaving_object(wfe_checker *c, const wfe_visit *f) {
  wir_type_kind kind = wfe_kind_of(c, f->expected);
  if (kind == WIR_TYPE_MAP) return leave_elements(c, f, WIR_TYPE_MAP);
  if (kind == WIR_TYPE_STRUCT) return leave_expected_struct(c, f);
  c->parts.n = 0;
  for (wfe_ref r = wfe_node_at(c, f->at)->first; wfe_is_node(r); r = wfe_next(c, r))
    if (!WB_PUSH(c->mem, &c->parts, (wir_type_part){wfe_node_at(c, r)->as.name, wfe_type_of(c, r)})) return wfe_refuse_memory(c);
  return wfe_give(c, f, wir_type_make(c->types, WIR_TYPE_STRUCT, c->parts.at, (uint32_t)c->parts.n, false));
}

/* ---- Fields -------------------------------------------------------------------------------------------------------- */

static bool refuse_operand(wfe_checker *c, wfe_ref operand, const char *want) {
  weir_span span = wfe_node_at(c, operand)->span;
  if (!wfe_is_kept(c, span)) return wfe_refuse(c, WEIR_E_TYPE, span, "expected %s", want);
  return wfe_refuse(c, WEIR_E_TYPE, span, "expected %s, got %s", want, wfe_type_text(c, wfe_type_of(c, operand)).at);
}

/* The type of a field that a struct must have. */
static bool known_field(wfe_checker *c, wfe_ref at, wir_type type, uint32_t name, wir_type *out) {
  const wir_type_part *field = wir_type_field(c->types, type, name);
  if (field != NULL) {
    *out = field->type;
    return true;
  }
  weir_span span = wfe_node_at(c, at)->span;
  if (!wfe_is_kept(c, span)) return wfe_refuse(c, WEIR_E_TYPE, span, "missing field");
  wfe_text t = wfe_type_text(c, type), n = wfe_name_text(c, name);
  wfe_refuse(c, WEIR_E_TYPE, span, "%s has no field `%s`", t.at, n.at);
  hint_near_field(c, type, name);
  return false;
}

bool wfe_leaving_field(wfe_checker *c, const wfe_visit *f) {
  const wfe_node *n = wfe_node_at(c, f->at);
  wir_type type = wfe_type_of(c, n->first), field;
  wir_type_kind kind = wfe_kind_of(c, type);
  if (kind == WIR_TYPE_ANY) return wfe_give(c, f, WIR_ANY);
  if (kind == WIR_TYPE_STRUCT) return known_field(c, f->at, type, n->as.name, &field) && wfe_give(c, f, field);
  refuse_operand(c, n->first, "a struct");
  if (kind == WIR_TYPE_MAP) wfe_hint(c, "write `Map.get(…, \"%s\")`", wfe_name_text(c, n->as.name).at);
  else if (kind == WIR_TYPE_TUPLE) wfe_hint(c, "the parts of a tuple are `.0`, `.1`, …");
  return false;
}

bool wfe_leaving_item(wfe_checker *c, const wfe_visit *f) {
  const wfe_node *n = wfe_node_at(c, f->at);
  wir_type type = wfe_type_of(c, n->first);
  const wir_type_info *info = wir_type_at(c->types, type);
  if (info->kind == WIR_TYPE_ANY) return wfe_give(c, f, WIR_ANY);
  if (info->kind == WIR_TYPE_LIST) {
    refuse_operand(c, n->first, "a tuple");
    wfe_hint(c, "write `List.get(…, %" PRIu64 ")`", n->as.offset);
    return false;
  }
  if (info->kind != WIR_TYPE_TUPLE) return refuse_operand(c, n->first, "a tuple");
  if (n->as.offset < info->n_parts) return wfe_give(c, f, wir_type_parts(c->types, type)[n->as.offset].type);
  return wfe_refuse(c, WEIR_E_TYPE, wfe_node_at(c, f->at)->span, "tuple index %" PRIu64 " out of range: %s has %u part%s", n->as.offset,
                    wfe_type_text(c, type).at, info->n_parts, WB_S(info->n_parts));
}

/* ---- List.* -------------------------------------------------------------------------------------------------------- */

bool wfe_list_element(wfe_checker *c, wfe_ref operand, wir_type *element) {
  wir_type type = wfe_type_of(c, operand);
  wir_type_kind kind = wfe_kind_of(c, type);
  *element = kind == WIR_TYPE_LIST ? wir_type_parts(c->types, type)->type : WIR_ANY;
  return kind == WIR_TYPE_LIST || kind == WIR_TYPE_ANY || refuse_operand(c, operand, "a list");
}

/* A value joins what a container holds.  Where that is known the value enters it like an argument; the empty container's is what
** the value makes it. */
static bool add_value(wfe_checker *c, wfe_ref value, wir_type *held) {
  return wir_type_at(c->types, *held)->has_unknown ? wfe_join(c, value, held) : wfe_settle(c, value, *held);
}

/* List.append(l, v) expects an element, List.concat(l, m) a list like l. */
wir_type wfe_entering_addition(wfe_checker *c, const wfe_visit *f) {
  const wfe_node *n = wfe_node_at(c, f->at);
  wir_type list = f->nth == 1 ? wfe_type_of(c, n->first) : WIR_NONE;
  if (wfe_kind_of(c, list) != WIR_TYPE_LIST) return WIR_NONE;
  return wfe_expect(c, n->op == WFE_B_LIST_APPEND ? wir_type_parts(c->types, list)->type : list);
}

bool wfe_leaving_list_append(wfe_checker *c, const wfe_visit *f) {
  wfe_ref list = wfe_node_at(c, f->at)->first;
  wir_type element;
  return wfe_list_element(c, list, &element) && add_value(c, wfe_next(c, list), &element) &&
         wfe_give(c, f, wir_type_list(c->types, element));
}

bool wfe_leaving_list_concat(wfe_checker *c, const wfe_visit *f) {
  wfe_ref first = wfe_node_at(c, f->at)->first, second = wfe_next(c, first);
  wir_type type = wfe_type_of(c, first), element;
  if (!wfe_list_element(c, first, &element) || !wfe_list_element(c, second, &element)) return false;
  if (type.i != WIR_TYPE_ANY) return add_value(c, second, &type) && wfe_give(c, f, type);
  return wfe_give(c, f, wir_type_list(c->types, WIR_ANY));
}

bool wfe_leaving_list_get(wfe_checker *c, const wfe_visit *f) {
  wfe_ref list = wfe_node_at(c, f->at)->first, at = wfe_next(c, list);
  wir_type element, index = wfe_type_of(c, at);
  if (!wfe_list_element(c, list, &element)) return false;
  if (index.i != WIR_TYPE_INT && index.i != WIR_TYPE_ANY) return wfe_refuse_mismatch(c, at, WIR_INT, index);
  return wfe_give(c, f, wfe_taken(element));
}

bool wfe_leaving_list_head(wfe_checker *c, const wfe_visit *f) {
  wir_type element;
  return wfe_list_element(c, wfe_node_at(c, f->at)->first, &element) && wfe_give(c, f, wfe_taken(element));
}

bool wfe_leaving_list_tail(wfe_checker *c, const wfe_visit *f) {
  wir_type element;
  return wfe_list_element(c, wfe_node_at(c, f->at)->first, &element) && wfe_give(c, f, wir_type_list(c->types, element));
}

bool wfe_leaving_list_len(wfe_checker *c, const wfe_visit *f) {
  wir_type element;
  return wfe_list_element(c, wfe_node_at(c, f->at)->first, &element) && wfe_give(c, f, WIR_INT);
}

/* ---- Map.* --------------------------------------------------------------------------------------------------------- */

/* The operands of Map.*: the container, of a kind that the operation takes, and the key. */
static bool map_operand(wfe_checker *c, const wfe_visit *f, bool takes_struct, wir_type *type, uint32_t *key) {
  wfe_ref operand = wfe_node_at(c, f->at)->first;
  *type = wfe_type_of(c, operand);
  *key = wfe_node_at(c, wfe_next(c, operand))->as.name;
  wir_type_kind kind = wfe_kind_of(c, *type);
  bool fits = kind == WIR_TYPE_MAP || kind == WIR_TYPE_ANY || (takes_struct && kind == WIR_TYPE_STRUCT);
  return fits || refuse_operand(c, operand, takes_struct ? "a map or a struct" : "a map");
}

bool wfe_leaving_map_get(wfe_checker *c, const wfe_visit *f) {
  wir_type type, value = WIR_ANY;
  uint32_t key;
  if (!map_operand(c, f, true, &type, &key)) return false;
  wir_type_kind kind = wfe_kind_of(c, type);
  if (kind == WIR_TYPE_MAP) value = wfe_taken(wir_type_parts(c->types, type)->type);
  if (kind == WIR_TYPE_STRUCT && !known_field(c, f->at, type, key, &value)) return false;
  return wfe_give(c, f, value);
}

bool wfe_leaving_map_remove(wfe_checker *c, const wfe_visit *f) {
  wir_type type;
  uint32_t key;
  return map_operand(c, f, false, &type, &key) && wfe_give(c, f, type);
}

bool wfe_leaving_map_has_key(wfe_checker *c, const wfe_visit *f) {
  wir_type type;
  uint32_t key;
  return map_operand(c, f, true, &type, &key) && wfe_give(c, f, WIR_BOOL);
}

wir_type wfe_entering_insert(wfe_checker *c, const wfe_visit *f) {
  const wfe_node *n = wfe_node_at(c, f->at);
  wir_type type = f->nth == 2 ? wfe_type_of(c, n->first) : WIR_NONE;
  if (wfe_kind_of(c, type) == WIR_TYPE_MAP) return wfe_expect(c, wir_type_parts(c->types, type)->type);
  if (wfe_kind_of(c, type) != WIR_TYPE_STRUCT) return WIR_NONE;
  const wir_type_part *field = wir_type_field(c->types, type, wfe_node_at(c, wfe_next(c, n->first))->as.name);
  return field != NULL ? wfe_expect(c, field->type) : WIR_NONE;
}

/* The struct with another type for one field. */
static wir_type with_field(wfe_checker *c, wir_type type, uint32_t name, wir_type field) {
  const wir_type_info *info = wir_type_at(c->types, type);
  bool is_open = info->is_open;
  uint32_t n_parts = info->n_parts;
  c->parts.n = 0;
  for (uint32_t i = 0; i < n_parts; i++) {
    wir_type_part part = wir_type_parts(c->types, type)[i];
    if (part.name == name) part.type = field;
    if (!WB_PUSH(c->mem, &c->parts, part)) return WIR_NONE;
  }
  return wir_type_make(c->types, WIR_TYPE_STRUCT, c->parts.at, n_parts, is_open);
}

bool wfe_leaving_map_insert(wfe_checker *c, const wfe_visit *f) {
  wfe_ref value = wfe_next(c, wfe_next(c, wfe_node_at(c, f->at)->first));
  wir_type type, held = WIR_ANY;
  uint32_t key;
  if (!map_operand(c, f, true, &type, &key)) return false;
  wir_type_kind kind = wfe_kind_of(c, type);
  if (kind == WIR_TYPE_ANY) return wfe_give(c, f, WIR_ANY);
  if (kind == WIR_TYPE_MAP) {
    held = wir_type_parts(c->types, type)->type;
    return add_value(c, value, &held) && wfe_give(c, f, wir_type_map(c->types, held));
  }
  if (!known_field(c, f->at, type, key, &held)) return false;
  wir_type before = held;
  if (!add_value(c, value, &held)) return false;
  return wfe_give(c, f, held.i == before.i ? type : with_field(c, type, key, held));
}
