/* runtime/self_check_file.h -- what a self-check has, and the rows that came, kept to be written. */
#ifndef WRT_SELF_CHECK_FILE_H
#define WRT_SELF_CHECK_FILE_H

#include "runtime/monitor.h"
#include "runtime/self_check.h"

typedef struct wrt_check {
  uint64_t every, random;
  uint64_t left;               /* rows until the next that is checked, which counts */
  bool has_no_native, has_no_quick; /* switched off */
  bool has_discarded;          /* the kernels' file in the object cache is removed */
  bool checks_commit;          /* not whole: that of the row is to be checked */
  bool is_found;               /* not whole: a row differed, and the tier is to be switched off behind the call */
  uint64_t found_at;           /* that row's tick */
  bool is_found_native;        /* kernels ran it */
  uint64_t n_checked, n_differences;
  uint64_t tick;               /* of the first row of the first difference's, and */
  char what[160];              /* what differed first there */
  unsigned char *before, *after; /* arenas: what the state was, and what the tier has made of it */
  weir_value *kept;            /* outputs of the rows in the tier */
  weir_value *row, *pending;   /* not whole: the row and the staged samples */
  uint64_t *words;             /* for bits of outputs that the caller does not want */
  weir_in_column *ins;         /* of a piece of a batch */
  weir_out_column *outs;
  const char *folder;          /* NULL: nothing is written, and no rows are kept */
  weir_value *notes;           /* inputs of rows: of all until there is no more room, then of the last ones, by tick; NULL: none */
  uint64_t n_notes, most_notes; /* rows that there is room for, and may be */
} wrt_check;

/* Room for rows where there is a folder and all inputs are scalars; the folder is copied.  False: out of memory. */
bool wrt_check_notes_new(wrt_monitor *m, const char *folder) WB_MUST_USE;

/* What a cell is as a value of a scalar kind. */
weir_value wrt_check_value(uint8_t kind, weir_cell cell);

/* Keep the row that is to run as tick m->ticks, or the rows of a batch that begins there. */
void wrt_check_note_cells(wrt_monitor *m, const weir_cell *in, const uint64_t *present, const uint64_t *deferred);
void wrt_check_note_values(wrt_monitor *m, const weir_value *inputs);
struct wrt_batch;
void wrt_check_note_rows(wrt_monitor *m, const struct wrt_batch *b);

/* Writes the specification and the rows up to tick `end`; what differed is in one of [first, end).  What cannot be written is left. */
void wrt_check_write(wrt_monitor *m, uint64_t first, uint64_t end, bool is_native);

#endif
