/* ir/words.c -- text that grows. */
#include "ir/words.h"

#include <string.h>

#include "ir/base/num.h"

enum { LONGEST_NAME = 60, LONGEST_TEXT = 48, LONGEST_TYPE = 60 }; /* bytes that are shown */

static void put_bytes(wir_words *w, const char *at, size_t n) {
  if (w->has_failed || !WB_VEC_ROOM(w->mem, &w->bytes, n)) {
    w->has_failed = true;
    return;
  }
  if (n != 0) memcpy(w->bytes.at + w->bytes.n, at, n);
  w->bytes.n += n;
}

static void put_byte(wir_words *w, char c) {
  if (w->is_label && (c == '"' || c == '\\')) put_bytes(w, "\\", 1);
  if (w->is_label && c == '\n') put_bytes(w, "\\n", 2);
  else put_bytes(w, &c, 1);
  if (c == '\n') w->column = 0;
  else w->column += ((unsigned char)c & 0xc0) != 0x80;
}

void wir_put_str(wir_words *w, wb_str text) {
  for (size_t i = 0; i < text.n; i++) put_byte(w, text.at[i]);
}

void wir_put(wir_words *w, const char *text) { wir_put_str(w, (wb_str){text, strlen(text)}); }

void wir_put_name(wir_words *w, wb_str name) {
  size_t n = name.n <= LONGEST_NAME ? name.n : wb_utf8_cut(name, LONGEST_NAME - 3);
  wir_put_str(w, (wb_str){name.at, n});
  if (n < name.n) wir_put(w, "...");
}

static wb_str digits_of(uint64_t v, char digits[20]) {
  size_t at = 20;
  do digits[--at] = (char)('0' + v % 10);
  while ((v /= 10) != 0);
  return (wb_str){digits + at, 20 - at};
}

void wir_put_number(wir_words *w, uint64_t v) {
  char digits[20];
  wir_put_str(w, digits_of(v, digits));
}

void wir_put_fill(wir_words *w, size_t count) {
  while (count-- > 0) put_byte(w, ' ');
}

void wir_put_to(wir_words *w, size_t column) { wir_put_fill(w, w->column + 2 <= column ? column - w->column : 2); }

void wir_put_number_to(wir_words *w, uint64_t v, size_t column) {
  char digits[20];
  wb_str text = digits_of(v, digits);
  wir_put_to(w, column >= text.n ? column - text.n : 0);
  wir_put_str(w, text);
}

void wir_put_quoted(wir_words *w, wb_str text) {
  static const char hex[] = "0123456789abcdef";
  size_t n = text.n <= LONGEST_TEXT ? text.n : wb_utf8_cut(text, LONGEST_TEXT);
  put_byte(w, '"');
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)text.at[i];
    if (c == '\n') wir_put(w, "\\n");
    else if (c == '\t') wir_put(w, "\\t");
    else if (c == '"' || c == '\\') wir_put_str(w, (wb_str){(const char[]){'\\', (char)c}, 2});
    else if (c >= 0x20 && c != 0x7f) put_byte(w, (char)c);
    else wir_put_str(w, (wb_str){(const char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4});
  }
  put_byte(w, '"');
  if (n < text.n) wir_put(w, "...");
}

void wir_put_value(wir_words *w, weir_value v) {
  char text[WB_NUM_MAX];
  switch ((weir_tag)v.tag) {
  case WEIR_NOVAL: wir_put(w, "noval"); return;
  case WEIR_DEFERRED: wir_put(w, "deferred"); return;
  case WEIR_UNIT: wir_put(w, "()"); return;
  case WEIR_BOOL: wir_put(w, v.as.b ? "true" : "false"); return;
  case WEIR_INT: wir_put_str(w, (wb_str){text, wb_write_int(v.as.i, text)}); return;
  case WEIR_FLOAT: wir_put_str(w, (wb_str){text, wb_write_double(v.as.f, text)}); return;
  case WEIR_TEXT: wir_put_quoted(w, (wb_str){v.as.text, v.count}); return;
  case WEIR_LIST: wir_put(w, "a list"); return;
  case WEIR_TUPLE: wir_put(w, "a tuple"); return;
  case WEIR_MAP: wir_put(w, "a map"); return;
  case WEIR_TAG_COUNT: break;
  }
  wir_put(w, "a value");
}

void wir_put_type(wir_words *w, const wir_types *types, wir_type type) {
  wb_bytes text = {0};
  if (!wir_type_print(types, type, LONGEST_TYPE, w->mem, &text)) w->has_failed = true;
  else wir_put_str(w, (wb_str){text.at, text.n});
  WB_VEC_FREE(w->mem, &text);
}
