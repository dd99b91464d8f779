/* cli/io_trace.h -- reads the trace format (language.md 13): bytes in, rows out.
**
** Memory: the longest line, the values of one tick, a few words for each input; never the number of rows. */
#ifndef CLI_IO_TRACE_H
#define CLI_IO_TRACE_H

#include "cli/rows.h"
#include "cli/trace_text.h"
#include "cli/trace_value.h"

typedef struct cli_trace_options {
  size_t max_nesting; /* in values */
  size_t max_line;    /* bytes without the LF or CR LF; at most CLI_MAX_LINE */
  uint64_t max_gap;   /* ticks without an entry between two entries, or before the first */
  uint64_t end_tick;  /* entries from this tick on are not read; WEIR_NO_ROW: all are */
  bool is_strict;     /* an unknown name is an error */
} cli_trace_options;

#define CLI_MAX_LINE ((size_t)1 << 31)

typedef struct cli_trace_entry { uint64_t tick; cli_trace_at at; } cli_trace_entry;

typedef struct cli_trace {
  cli_trace_text text;
  cli_scanner scan;
  cli_trace_options opts;
  cli_ear ear;
  const char *file;      /* for messages; borrowed */
  wb_mem *mem;           /* borrowed: what lives as long as the reader */
  wb_mem values;         /* texts and items of the tick at hand */
  wb_mem ignored;        /* of a value whose name is not known */
  wb_names inputs;       /* the id of a name is the number of its input */
  wb_names unknown;      /* names warned about */
  uint32_t n_inputs;
  weir_value *row;       /* by input; WEIR_NOVAL where the tick has none yet */
  cli_trace_at *places;  /* by input: where its value in the tick at hand stands */
  uint32_t *touched;     /* inputs that have a value in the tick */
  uint32_t n_touched;
  uint32_t *follows;     /* by input: the one that came after it last time, which is tried first; [n_inputs]: the first of a tick */
  uint32_t previous;     /* the last named in this tick; n_inputs: none */
  size_t pos;            /* what is scanned next, from the begin of the line */
  bool is_begun;         /* a byte-order mark has been looked for */
  bool behind_time;      /* a timestamp stands before pos on this line */
  bool has_blocks;       /* `values` is used */
  bool is_open;          /* `entry` is the tick at hand */
  bool is_given;         /* ... and next() has answered it */
  bool has_next;         /* `coming` has been read behind it */
  bool has_last;         /* `last` is the tick before */
  bool is_over;
  cli_trace_entry entry, coming;
  uint64_t last;
  cli_trouble trouble;
} cli_trace;

/* The names of the inputs are copied; `in`, `mem`, `file` and what `ear` points to are borrowed until cli_trace_close.
** False: no memory (closing is then still allowed). */
bool cli_trace_open(cli_trace *t, cli_input *in, wb_mem *mem, const char *file, const wb_str *inputs, uint32_t n_inputs,
                    const cli_trace_options *opts, const cli_ear *ear) WB_MUST_USE;
void cli_trace_close(cli_trace *t);
cli_source cli_trace_source(cli_trace *t);

#endif
