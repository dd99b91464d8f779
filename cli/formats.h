/* cli/formats.h -- one reader and one writer for each format, behind the two interfaces of rows.h. */
#ifndef CLI_FORMATS_H
#define CLI_FORMATS_H

#include "cli/cmd.h"
#include "cli/io_csv.h"
#include "cli/io_json.h"
#include "cli/io_trace.h"
#include "cli/out_csv.h"
#include "cli/out_json.h"
#include "cli/out_trace.h"

typedef struct cli_reader {
  cli_format format; /* CLI_FORMAT_NONE: not open */
  union {
    cli_trace trace;
    cli_csv csv;
    cli_json json;
  } as;
} cli_reader;

/* Makes *source.  Everything is borrowed until cli_reader_close; `opts` only for the call.  The label stays empty where the format
** has none.  False: no memory (closing is then still allowed). */
bool cli_reader_open(cli_reader *r, cli_format format, cli_input *in, wb_mem *mem, const char *file, const cli_field *inputs, uint32_t n_inputs,
                     const cli_trace_options *opts, cli_label *label, const cli_ear *ear, cli_source *source) WB_MUST_USE;
void cli_reader_close(cli_reader *r);

/* The format of the trace that the settings name. */
cli_format cli_input_format(const cli_settings *s);
/* Refuses --time-column where that format has no columns. */
cli_status cli_label_check(cli *c) WB_MUST_USE;
/* Opens that trace for the inputs of c->spec.program; `before` is flushed before a read that would wait (NULL: none).  Without inputs, --ticks may
** do instead of a trace that is not named: then nothing is open, as the reader's format tells.  Says what is wrong; `in` and the reader are to be
** closed in any case. */
cli_status cli_source_open(cli *c, cli_input *in, cli_output *before, cli_label *label, const cli_ear *ear, cli_reader *r, cli_source *source) WB_MUST_USE;
/* Says what is wrong with the input; CLI_REFUSED. */
cli_status cli_refuse_input(cli *c, const cli_input *in, const cli_trouble *t);

/* The inputs or outputs of a program, for a reader or a writer: `count` of them, by the number that `stream` tells.  NULL: no memory. */
cli_field *cli_fields_of(wb_mem *mem, const weir_program *program, uint32_t count, uint32_t (*stream)(const weir_program *, uint32_t)) WB_MUST_USE;

typedef struct cli_writer {
  cli_format format; /* CLI_FORMAT_NONE: not open */
  union {
    cli_trace_out trace;
    cli_csv_out csv;
    cli_json_out json;
  } as;
} cli_writer;

/* The same for *sink.  `out` is open already: what stands before the first row is put there. */
bool cli_writer_open(cli_writer *w, cli_format format, cli_output *out, wb_mem *mem, const cli_field *outputs, uint32_t n_outputs,
                     const cli_label *label, size_t max_nesting, cli_sink *sink) WB_MUST_USE;
void cli_writer_close(cli_writer *w);

#endif
