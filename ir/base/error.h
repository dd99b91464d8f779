/* ir/base/error.h -- filling a weir_error.  Every failing function fills it once, at the place that knows. */
#ifndef WB_ERROR_H
#define WB_ERROR_H

#include "ir/base/def.h"
#include "weir.h"

#define WB_NOWHERE ((weir_span){0, 0})

/* Fills *e (NULL is allowed) and returns `code`.  The row is WEIR_NO_ROW; callers that know it set it.  The text is cut at a
** character boundary.  Supports the conversions %s %.*s %d %u %zu %c and the PRI macros; no floating-point ones. */
weir_code wb_fail(weir_error *e, weir_code code, weir_span at, const char *fmt, ...) WB_PRINTF(4, 5);
/* wb_fail for exhausted memory, with a fixed text. */
weir_code wb_fail_memory(weir_error *e);

#endif
