/* frontend/refuse.c -- the checker's messages: texts of types and names, lines, hints.
**
** Texts are made only for errors that are kept, and lines are counted once: a text with a million errors costs no more than one
** with twenty.
** Leave alone: what is an error (the rules). */
#include "frontend/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TYPE_MAX = sizeof(wfe_text) - 1 };

/* At most the room of a wfe_text, cut between two characters; control characters become blanks. */
static wfe_text cut_text(wb_str s) {
  wfe_text out = {{0}};
  size_t n = s.n <= TYPE_MAX ? s.n : wb_utf8_cut(s, TYPE_MAX - 3);
  for (size_t i = 0; i < n; i++) out.at[i] = (unsigned char)s.at[i] < ' ' ? ' ' : s.at[i];
  if (n < s.n) memcpy(out.at + n, "...", 3);
  return out;
}

wfe_text wfe_type_text(wfe_checker *c, wir_type x) {
  c->buffer.n = 0;
  if (!wir_type_print(c->types, x, TYPE_MAX, c->mem, &c->buffer)) {
    wfe_refuse_memory(c);
    return (wfe_text){{0}};
  }
  return cut_text((wb_str){c->buffer.at, c->buffer.n});
}

wfe_text wfe_name_text(const wfe_checker *c, uint32_t name) { return cut_text(wb_name(c->tree->names, name)); }

wfe_text wfe_source_text(const wfe_checker *c, weir_span span) {
  wb_str text = c->tree->text;
  size_t begin = WB_MIN(span.begin, text.n), end = WB_MIN(span.end, text.n);
  return cut_text((wb_str){text.at + begin, end > begin ? end - begin : 0});
}

static bool is_letter(char ch) { return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '.' || ch == '_'; }

weir_span wfe_operator_span(const wfe_checker *c, wfe_ref r) {
  wb_str text = c->tree->text;
  size_t begin = WB_MIN(wfe_node_at(c, r)->at, text.n), end = begin;
  if (end < text.n && is_letter(text.at[end])) {
    while (end < text.n && is_letter(text.at[end])) end++;
  } else if (end < text.n) {
    static const char twos[][3] = {"++", "**", "==", "!=", "<=", ">=", "&&", "||", "=>"};
    end++;
    for (size_t i = 0; i < WB_LEN(twos); i++)
      if (text.n - begin >= 2 && memcmp(text.at + begin, twos[i], 2) == 0) end = begin + 2;
  }
  return (weir_span){(uint32_t)begin, (uint32_t)end};
}

static bool find_lines(wfe_checker *c) {
  wb_str text = c->tree->text;
  if (!WB_PUSH(c->mem, &c->lines, 0)) return false;
  for (size_t i = 0; i < text.n; i++)
    if (text.at[i] == '\n' && !WB_PUSH(c->mem, &c->lines, (uint32_t)(i + 1))) return false;
  return true;
}

uint32_t wfe_line(wfe_checker *c, uint32_t offset) {
  if (c->lines.n == 0 && !find_lines(c)) {
    wfe_refuse_memory(c);
    return 0;
  }
  size_t low = 0, high = c->lines.n; /* the line begins at lines[low], the next at or after lines[high] */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (c->lines.at[middle] <= offset) low = middle;
    else high = middle;
  }
  return (uint32_t)low + 1;
}

bool wfe_is_kept(const wfe_checker *c, weir_span span) { return wfe_diag_keeps(c->diags, span); }

bool wfe_refuse(wfe_checker *c, weir_code code, weir_span span, const char *fmt, ...) {
  if (c->outcome == WFE_MEMORY) return false; /* while the arguments were made */
  char text[WFE_DIAG_TEXT];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  wfe_diag_add(c->diags, code, span, "%s", text);
  c->outcome = WFE_ERROR;
  return false;
}

bool wfe_refuse_memory(wfe_checker *c) {
  if (c->outcome != WFE_MEMORY) wfe_diag_memory(c->diags);
  c->outcome = WFE_MEMORY;
  return false;
}

void wfe_hint(wfe_checker *c, const char *fmt, ...) {
  if (c->outcome != WFE_ERROR) return;
  char text[WFE_DIAG_HINT];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  wfe_diag_hint(c->diags, "%s", text);
}

void wfe_hint_nearest(wfe_checker *c, const wb_near *near) {
  if (wb_near_found(near)) wfe_hint(c, "did you mean `%s`?", cut_text(near->best).at);
}

/* How to make of an expression what is needed, where the language has a way. */
void wfe_hint_conversion(wfe_checker *c, wfe_ref r, wir_type want, wir_type got) {
  const wfe_node *n = wfe_node_at(c, r);
  bool is_atom = n->kind <= WFE_NAME || n->kind == WFE_DELAY || n->kind == WFE_CALL || n->kind == WFE_BUILTIN || n->kind == WFE_FIELD;
  wfe_text source = n->span.end - n->span.begin <= 40 ? wfe_source_text(c, n->span) : (wfe_text){"..."};
  if (want.i == WIR_TYPE_FLOAT && got.i == WIR_TYPE_INT) {
    if (n->kind == WFE_INT) wfe_hint(c, "write `%s.0`", source.at);
    else if (n->kind == WFE_BINARY && n->op == WFE_DIV) wfe_hint(c, "a division of Ints drops the fraction; multiply one of them by 1.0 before");
    else wfe_hint(c, is_atom ? "write `%s * 1.0`" : "write `(%s) * 1.0`", source.at);
  } else if (want.i == WIR_TYPE_INT && got.i == WIR_TYPE_FLOAT) {
    wfe_hint(c, "there is no conversion from Float to Int; declare the stream as Float");
  } else if (want.i == WIR_TYPE_BOOL && (got.i == WIR_TYPE_INT || got.i == WIR_TYPE_FLOAT)) {
    wfe_hint(c, is_atom ? "write `%s != 0`" : "write `(%s) != 0`", source.at);
  } else if (want.i == WIR_TYPE_INT && got.i == WIR_TYPE_BOOL) {
    wfe_hint(c, is_atom ? "write `if %s then 1 else 0`" : "write `if (%s) then 1 else 0`", source.at);
  } else if (wfe_kind_of(c, want) == WIR_TYPE_LIST && wfe_kind_of(c, got) == WIR_TYPE_LIST &&
             wir_type_parts(c->types, want)->type.i == WIR_TYPE_FLOAT && wir_type_parts(c->types, got)->type.i == WIR_TYPE_INT) {
    wfe_hint(c, "values inside a list are not converted; write `List.map(\\v: Int -> v * 1.0, %s)`", source.at);
  }
}

bool wfe_refuse_mismatch(wfe_checker *c, wfe_ref r, wir_type want, wir_type got) {
  if (c->is_gradual) {
    c->outcome = WFE_WIDENED;
    return false;
  }
  weir_span span = wfe_node_at(c, r)->span;
  if (!wfe_is_kept(c, span)) return wfe_refuse(c, WEIR_E_TYPE, span, "mismatch");
  wfe_text w = wfe_type_text(c, want), g = wfe_type_text(c, got);
  wfe_refuse(c, WEIR_E_TYPE, span, "expected %s, got %s", w.at, g.at);
  wfe_hint_conversion(c, r, want, got);
  return false;
}
