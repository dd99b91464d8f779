/* ir/base/places.h -- lines and columns of many offsets of one text: wb_locate made fast by marks along the way. */
#ifndef WB_PLACES_H
#define WB_PLACES_H

#include "ir/base/text.h"

typedef struct wb_line_column { uint32_t line, column; } wb_line_column; /* from 1, as in wb_place */

typedef struct wb_places {
  wb_str text;           /* borrowed */
  wb_line_column *marks; /* block: the place of every WB_PLACE_STEP-th byte */
} wb_places;

/* Of a text below 4 GiB.  False: out of memory.  The marks live until wb_places_free, or as long as `mem`. */
bool wb_places_init(wb_places *p, wb_str text, wb_mem *mem) WB_MUST_USE;
void wb_places_free(wb_places *p, wb_mem *mem);
/* The place of a byte offset, the same as wb_locate's; an offset beyond the text is its end. */
wb_line_column wb_places_at(const wb_places *p, size_t offset);

#endif
