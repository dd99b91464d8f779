/* cli/out_nested.h -- writes values that may have others inside, in the notation of a format.
**
** Nothing recurses, so no depth of values needs a deep stack.  What goes wrong (memory, the file) stays in the cli_output. */
#ifndef CLI_OUT_NESTED_H
#define CLI_OUT_NESTED_H

#include "cli/pipes.h"
#include "cli/rows.h"

/* How a format writes values. */
typedef struct cli_notation {
  bool (*scalar)(cli_output *o, const weir_value *v); /* of all but lists, tuples, maps and NoVal */
  bool (*text)(cli_output *o, const char *text, size_t n); /* a key of a map */
  /* What stands before and behind the items or entries of a list, tuple or map. */
  void (*brackets)(const weir_value *v, wb_str *before, wb_str *behind);
  wb_str between, after_key;
} cli_notation;

/* A list, tuple or map that was begun. */
typedef struct cli_inside {
  const weir_value *of;
  uint32_t next; /* the item or entry that comes next */
} cli_inside;

typedef struct cli_nested {
  cli_output *out;              /* borrowed */
  wb_mem *mem;                  /* borrowed: where `inside` lives */
  const cli_notation *notation; /* borrowed */
  WB_VEC(cli_inside) inside;    /* the containers around the value that is written */
} cli_nested;

static inline bool cli_is_nested(const weir_value *v) { return v->tag == WEIR_LIST || v->tag == WEIR_TUPLE || v->tag == WEIR_MAP; }

/* Puts one value, not NoVal; one that is not nested is better given to the format's own function.  False: the output is at its end. */
bool cli_put_value(cli_nested *w, const weir_value *v);

#endif
