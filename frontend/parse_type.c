/* frontend/parse_type.c -- types as they are written (language.md 2).
**
** The types that are open stand in p->type_frames, the finished ones that no type has taken yet in p->type_parts.  An unknown
** name is reported and counts as Any, so that reading goes on behind it.
** Leave alone: where Expr may stand, and what any type means, is the checker's business. */
#include "frontend/parser.h"

/* An open type: what is behind "List<", "Struct<", "(" and so on. */
typedef struct wfe_type_frame {
  uint8_t kind;    /* wir_type_kind; TUPLE until an arrow makes it FUN */
  bool is_open;    /* a struct with "..." */
  uint32_t base;   /* its first part in type_parts */
} type_frame;

typedef enum step { STEP_FAILED, STEP_TYPE, STEP_DONE } step; /* what comes next: a type, or something behind a finished one */

static const struct { uint8_t token, kind; } simple[] = {
  {WFE_T_INT_TYPE, WIR_TYPE_INT},   {WFE_T_FLOAT_TYPE, WIR_TYPE_FLOAT}, {WFE_T_BOOL_TYPE, WIR_TYPE_BOOL},
  {WFE_T_STR_TYPE, WIR_TYPE_STR},   {WFE_T_UNIT_TYPE, WIR_TYPE_UNIT},   {WFE_T_ANY_TYPE, WIR_TYPE_ANY},
};

static const struct { uint8_t token, kind; } around_one[] = {{WFE_T_LIST, WIR_TYPE_LIST}, {WFE_T_MAP, WIR_TYPE_MAP}};

static const uint8_t type_words[] = {
  WFE_T_INT_TYPE, WFE_T_FLOAT_TYPE, WFE_T_BOOL_TYPE, WFE_T_STR_TYPE, WFE_T_UNIT_TYPE,
  WFE_T_ANY_TYPE, WFE_T_LIST,       WFE_T_MAP,       WFE_T_STRUCT,   0,
};

/* What other languages call our types. */
static const struct { const char *theirs, *ours; } foreign[] = {
  {"Integer", "Int"}, {"Long", "Int"},    {"Double", "Float"}, {"Real", "Float"},   {"Boolean", "Bool"},
  {"String", "Str"},  {"Text", "Str"},    {"Array", "List"},   {"Void", "Unit"},    {"Object", "Struct"},
};

static bool is_text(const wfe_parser *p, const char *text) {
  wb_str s = wfe_slice(p, p->tok.span);
  return s.n == __builtin_strlen(text) && __builtin_memcmp(s.at, text, s.n) == 0;
}

/* Places stand beside the parts; only those of fields are read. */
static bool push_part(wfe_parser *p, uint32_t name, wir_type type) {
  wb_mem *mem = p->tree->mem;
  bool is_ok = WB_PUSH(mem, &p->type_parts, ((wir_type_part){name, type})) &&
               WB_PUSH(mem, &p->type_places, ((wfe_type_place){p->tok.span, p->tok.line}));
  return is_ok || wfe_no_memory(p);
}

/* A finished type goes to the field that waits for it, or becomes a part of its own. */
static step finish(wfe_parser *p, wir_type type) {
  type_frame *top = p->type_frames.n > 0 ? &WB_TOP(&p->type_frames) : NULL;
  if (top && top->kind == WIR_TYPE_STRUCT) {
    WB_TOP(&p->type_parts).type = type;
    return STEP_DONE;
  }
  return push_part(p, WB_NO_NAME, type) ? STEP_DONE : STEP_FAILED;
}

/* Reports the fields that stand a second time from part `base` on.  *is_distinct tells whether there are none. */
static bool check_fields(wfe_parser *p, uint32_t base, bool *is_distinct) {
  uint32_t owner = ++p->n_owners, first_line;
  *is_distinct = true;
  for (size_t i = base; i < p->type_parts.n; i++) {
    wfe_type_place at = p->type_places.at[i];
    if (!wfe_see(p, &p->keys, owner, p->type_parts.at[i].name, at.line, &first_line)) return false;
    if (first_line == 0) continue;
    wb_str name = wfe_slice(p, at.span);
    wfe_diag_add(p->diags, WEIR_E_PARSE, at.span, "the field `%.*s` stands twice in this type; first in line %" PRIu32,
                 (int)WB_MIN(name.n, 64u), name.at, first_line);
    *is_distinct = false;
  }
  return true;
}

static step close_type(wfe_parser *p) {
  type_frame f = WB_POP(&p->type_frames);
  uint32_t n = (uint32_t)(p->type_parts.n - f.base);
  const wir_type_part *parts = n > 0 ? p->type_parts.at + f.base : NULL;
  bool is_distinct = true;
  if (f.kind == WIR_TYPE_STRUCT && !check_fields(p, f.base, &is_distinct)) return STEP_FAILED;
  wir_type type = is_distinct ? wir_type_make(p->tree->types, (wir_type_kind)f.kind, parts, n, f.is_open) : WIR_ANY;
  p->type_parts.n = p->type_places.n = f.base;
  if (wir_type_eq(type, WIR_NONE)) {
    wfe_no_memory(p);
    return STEP_FAILED;
  }
  return finish(p, type);
}

/* Takes the ">" of a type; of ">=", as in `out l: List<Int>= e`, only the first half. */
static bool take_angle(wfe_parser *p, const char *what) {
  if (wfe_sees(p, WFE_T_GE)) {
    p->tok.kind = WFE_T_ASSIGN;
    p->tok.span.begin++;
    return true;
  }
  return wfe_skip(p, WFE_T_GT) || wfe_expected(p, what);
}

/* A field's name and colon; or "..." and the end of the struct. */
static step struct_item(wfe_parser *p) {
  if (wfe_skip(p, WFE_T_DOTS)) {
    WB_TOP(&p->type_frames).is_open = true;
    return take_angle(p, "`>` after `...`") ? close_type(p) : STEP_FAILED;
  }
  if (!wfe_sees(p, WFE_T_IDENT)) {
    wfe_expected_name(p, "a field name");
    return STEP_FAILED;
  }
  if (!push_part(p, p->tok.as.name, WIR_NONE)) return STEP_FAILED;
  wfe_advance(p);
  return wfe_take(p, WFE_T_COLON) ? STEP_TYPE : STEP_FAILED;
}

/* Opens a type at the token that names it, and takes what stands before its first part. */
static step open_type(wfe_parser *p, uint8_t kind) {
  type_frame f = {.kind = kind, .base = (uint32_t)p->type_parts.n};
  if (p->type_frames.n >= p->limits->nesting) {
    wfe_too_deep(p);
    return STEP_FAILED;
  }
  if (!WB_PUSH(p->tree->mem, &p->type_frames, f)) {
    wfe_no_memory(p);
    return STEP_FAILED;
  }
  wfe_advance(p);
  if (kind != WIR_TYPE_TUPLE && !wfe_take(p, WFE_T_LT)) return STEP_FAILED;
  if (kind != WIR_TYPE_STRUCT) return STEP_TYPE;
  if (wfe_sees(p, WFE_T_GT) || wfe_sees(p, WFE_T_GE)) return take_angle(p, "`>`") ? close_type(p) : STEP_FAILED;
  return struct_item(p);
}

static void report_unknown(wfe_parser *p) {
  wb_str name = wfe_slice(p, p->tok.span);
  wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "there is no type `%.*s`", (int)WB_MIN(name.n, 64u), name.at);
  wfe_hint_near(p, name, type_words);
  for (size_t i = 0; i < WB_LEN(foreign); i++)
    if (is_text(p, foreign[i].theirs)) wfe_diag_hint(p->diags, "did you mean `%s`?", foreign[i].ours);
}

/* At a token where a type must begin. */
static step begin_type(wfe_parser *p) {
  for (size_t i = 0; i < WB_LEN(simple); i++)
    if (wfe_skip(p, (wfe_token_kind)simple[i].token)) return finish(p, (wir_type){simple[i].kind});
  for (size_t i = 0; i < WB_LEN(around_one); i++)
    if (wfe_sees(p, (wfe_token_kind)around_one[i].token)) return open_type(p, around_one[i].kind);
  if (wfe_sees(p, WFE_T_STRUCT)) return open_type(p, WIR_TYPE_STRUCT);
  if (wfe_sees(p, WFE_T_LPAREN)) return open_type(p, WIR_TYPE_TUPLE);
  if (!wfe_sees(p, WFE_T_IDENT)) {
    wfe_expected(p, "a type");
    return STEP_FAILED;
  }
  if (is_text(p, "Expr")) return open_type(p, WIR_TYPE_EXPR);
  report_unknown(p);
  wfe_advance(p);
  return wfe_sees(p, WFE_T_LT) ? STEP_FAILED : finish(p, WIR_ANY);
}

/* Behind a part of "(...)": a tuple of one is `(T,)`, and a function has one parameter. */
static step after_paren_part(wfe_parser *p, type_frame *f) {
  size_t n = p->type_parts.n - f->base;
  if (f->kind == WIR_TYPE_TUPLE && n == 1) {
    if (wfe_skip(p, WFE_T_ARROW)) {
      f->kind = WIR_TYPE_FUN;
      return STEP_TYPE;
    }
    if (!wfe_skip(p, WFE_T_COMMA)) {
      wfe_expected(p, "`,` or `->`");
      if (wfe_sees(p, WFE_T_RPAREN)) wfe_diag_hint(p->diags, "a tuple of one is written `(Int,)`, a function `(Int -> Int)`");
      return STEP_FAILED;
    }
    return wfe_skip(p, WFE_T_RPAREN) ? close_type(p) : STEP_TYPE;
  }
  if (f->kind == WIR_TYPE_TUPLE && wfe_skip(p, WFE_T_COMMA)) return STEP_TYPE;
  if (wfe_skip(p, WFE_T_RPAREN)) return close_type(p);
  wfe_expected(p, f->kind == WIR_TYPE_FUN ? "`)` after the result's type" : "`,` or `)`");
  return STEP_FAILED;
}

static step after_part(wfe_parser *p) {
  type_frame *f = &WB_TOP(&p->type_frames);
  if (f->kind == WIR_TYPE_TUPLE || f->kind == WIR_TYPE_FUN) return after_paren_part(p, f);
  if (f->kind == WIR_TYPE_STRUCT && wfe_skip(p, WFE_T_COMMA)) return struct_item(p);
  return take_angle(p, f->kind == WIR_TYPE_STRUCT ? "`,` or `>`" : "`>`") ? close_type(p) : STEP_FAILED;
}

bool wfe_type(wfe_parser *p, wir_type *out) {
  p->type_frames.n = p->type_parts.n = p->type_places.n = 0;
  step s = begin_type(p);
  while (s == STEP_TYPE || (s == STEP_DONE && p->type_frames.n > 0)) s = s == STEP_TYPE ? begin_type(p) : after_part(p);
  if (s == STEP_FAILED) return false;
  *out = p->type_parts.at[0].type;
  return true;
}
