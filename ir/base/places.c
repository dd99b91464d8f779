/* ir/base/places.c -- lines and columns of many offsets of one text. */
#include "ir/base/places.h"

#include <string.h>

#if defined(WEIR_TINY) && WEIR_TINY
enum { WB_PLACE_STEP = 4 };
#else
enum { WB_PLACE_STEP = 256 };
#endif

static size_t text_begin(wb_str text) { return text.n >= 3 && memcmp(text.at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; }

/* The place of `to`, from that of `from` before it. */
static wb_line_column walk(wb_str text, wb_line_column at, size_t from, size_t to) {
  for (size_t i = WB_MAX(from, text_begin(text)); i < to; i++) {
    unsigned char c = (unsigned char)text.at[i];
    if (c == '\n') at = (wb_line_column){at.line + 1, 1};
    else if ((c & 0xc0) != 0x80 && !(c == '\r' && i + 1 < text.n && text.at[i + 1] == '\n')) at.column++;
  }
  return at;
}

bool wb_places_init(wb_places *p, wb_str text, wb_mem *mem) {
  size_t n = text.n / WB_PLACE_STEP + 1, bytes;
  *p = (wb_places){.text = text};
  if (!wb_mul(n, sizeof *p->marks, &bytes) || (p->marks = wb_block(mem, bytes)) == NULL) return false;
  p->marks[0] = (wb_line_column){1, 1};
  for (size_t i = 1; i < n; i++) p->marks[i] = walk(text, p->marks[i - 1], (i - 1) * WB_PLACE_STEP, i * WB_PLACE_STEP);
  return true;
}

void wb_places_free(wb_places *p, wb_mem *mem) {
  wb_block_free(mem, p->marks);
  p->marks = NULL;
}

wb_line_column wb_places_at(const wb_places *p, size_t offset) {
  offset = wb_utf8_cut(p->text, offset);
  size_t mark = offset / WB_PLACE_STEP;
  return walk(p->text, p->marks[mark], mark * WB_PLACE_STEP, offset);
}
