/* cli/csv_dense.c -- which columns are read many cells at a time, and by the loops for which processor; see csv_dense.h. */
#include "cli/csv_dense.h"

#include <string.h>

#include "ir/base/level.h"

const cli_csv_level *cli_csv_level_of(const char *name) {
  static const cli_csv_level *const levels[] = {&cli_csv_v4, &cli_csv_v3, &cli_csv_x86_64};
  for (size_t i = 0; i < WB_LEN(levels); i++)
    if (wb_has_level(levels[i]->name) && (name == NULL || strcmp(levels[i]->name, name) == 0)) return levels[i];
  return NULL;
}

bool cli_csv_is_dense(const cli_csv_column *columns, size_t n_columns) {
  for (size_t i = 0; i < n_columns; i++) {
    uint8_t kind = columns[i].kind;
    if (columns[i].feeds && kind != CLI_KIND_INT && kind != CLI_KIND_FLOAT && kind != CLI_KIND_BOOL) return false;
  }
  return n_columns <= CLI_DENSE_MARKS;
}

bool cli_csv_texts_open(cli_csv_texts *t, wb_mem *mem, size_t n_outputs) {
  enum { TEXTS = 4096 }; /* they stay near the first-level cache */
  size_t wide = TEXTS / WB_MAX(n_outputs, (size_t)1);
  t->rows = WB_MAX(WB_MIN(wide, (size_t)CLI_CSV_BLOCK), (size_t)1);
  t->words = WB_NEW_ARRAY(mem, uint64_t, t->rows * n_outputs);
  t->sizes = WB_NEW_ARRAY(mem, uint8_t, t->rows * n_outputs);
  return t->words != NULL && t->sizes != NULL;
}
