/* cli/formats.c -- one reader and one writer for each format; see formats.h. */
#include "cli/formats.h"

#include <string.h>

#include "cli/compressed.h"

cli_field *cli_fields_of(wb_mem *mem, const weir_program *program, uint32_t count, uint32_t (*stream)(const weir_program *, uint32_t)) {
  cli_field *fields = WB_NEW_ARRAY(mem, cli_field, count);
  for (uint32_t i = 0; fields && i < count; i++) {
    weir_stream_info info = weir_program_stream(program, stream(program, i));
    fields[i] = (cli_field){{info.name, strlen(info.name)}, cli_kind_of(info.type)};
  }
  return fields;
}

static wb_str *names_of(wb_mem *mem, const cli_field *fields, uint32_t n) {
  wb_str *names = WB_NEW_ARRAY(mem, wb_str, n);
  for (uint32_t i = 0; names && i < n; i++) names[i] = fields[i].name;
  return names;
}

static bool open_trace(cli_reader *r, cli_input *in, wb_mem *mem, const char *file, const cli_field *inputs, uint32_t n_inputs,
                       const cli_trace_options *opts, const cli_ear *ear) {
  const wb_str *names = names_of(mem, inputs, n_inputs);
  return names != NULL && cli_trace_open(&r->as.trace, in, mem, file, names, n_inputs, opts, ear);
}

bool cli_reader_open(cli_reader *r, cli_format format, cli_input *in, wb_mem *mem, const char *file, const cli_field *inputs, uint32_t n_inputs,
                     const cli_trace_options *opts, cli_label *label, const cli_ear *ear, cli_source *source) {
  cli_table_options table = {.max_nesting = opts->max_nesting, .max_line = opts->max_line, .end_tick = opts->end_tick, .is_strict = opts->is_strict};
  bool ok = false;
  *r = (cli_reader){.format = format};
  switch (format) {
    case CLI_FORMAT_NONE: break;
    case CLI_FORMAT_TRACE:
      ok = open_trace(r, in, mem, file, inputs, n_inputs, opts, ear);
      *source = cli_trace_source(&r->as.trace);
      break;
    case CLI_FORMAT_CSV:
      ok = cli_csv_open(&r->as.csv, in, mem, file, inputs, n_inputs, label, &table, ear);
      *source = cli_csv_source(&r->as.csv);
      break;
    case CLI_FORMAT_NDJSON:
      ok = cli_json_open(&r->as.json, in, mem, file, inputs, n_inputs, label, &table, ear);
      *source = cli_json_source(&r->as.json);
      break;
  }
  return ok;
}

cli_format cli_input_format(const cli_settings *s) {
  cli_format named = cli_format_of(s->trace);
  if (named != CLI_FORMAT_NONE) return named;
  return s->input_format ? (cli_format)s->input_format : CLI_FORMAT_TRACE;
}

cli_status cli_label_check(cli *c) {
  if (c->set.time_column == NULL || cli_input_format(&c->set) != CLI_FORMAT_TRACE) return CLI_DONE;
  return cli_refuse(c, CLI_WRONG, NULL, "--time-column is for CSV and NDJSON; the time of a trace is the number of the tick", NULL);
}

cli_status cli_source_open(cli *c, cli_input *in, cli_output *before, cli_label *label, const cli_ear *ear, cli_reader *r, cli_source *source) {
  const cli_settings *s = &c->set;
  uint32_t n_inputs = weir_program_input_count(c->spec.program);
  if (n_inputs == 0 && cli_is_standard(s->trace)) {
    if (s->has_ticks) return CLI_DONE;
    return cli_refuse(c, CLI_WRONG, c->spec.path, "the specification has no inputs, so no trace says how many ticks to run",
                      "--ticks N runs N ticks");
  }
  weir_error e;
  const char *path = s->trace ? s->trace : "-";
  if (cli_input_open(in, c->env, path, &e) != WEIR_OK) return cli_refuse_error(c, CLI_REFUSED, NULL, "trace", &e);
  if (cli_input_unpack(in, &c->mem, cli_packing_of(path), &e) != WEIR_OK) return cli_refuse_error(c, CLI_REFUSED, path, "trace", &e);
  in->before = before;
  cli_trace_options opts = {
    .max_nesting = s->max_value_nesting,
    .max_line = s->max_line_bytes,
    .max_gap = s->max_gap,
    .end_tick = s->has_ticks ? s->ticks : WEIR_NO_ROW,
    .is_strict = s->is_strict,
  };
  const cli_field *inputs = cli_fields_of(&c->mem, c->spec.program, n_inputs, weir_program_input_stream);
  bool ok = inputs != NULL && cli_reader_open(r, cli_input_format(s), in, &c->mem, path, inputs, n_inputs, &opts, label, ear, source);
  return ok ? CLI_DONE : cli_refuse_memory(c);
}

cli_status cli_refuse_input(cli *c, const cli_input *in, const cli_trouble *t) {
  const char *packed = t->at.line == 1 ? cli_packed_hint(in) : NULL;
  cli_message m = {.level = "error", .phase = "trace", .number = t->tick, .text = t->what.text, .hint = packed != NULL ? packed : t->hint};
  cli_complain(&c->err, &t->at, &m);
  return CLI_REFUSED;
}

void cli_reader_close(cli_reader *r) {
  switch (r->format) {
    case CLI_FORMAT_NONE: break;
    case CLI_FORMAT_TRACE: cli_trace_close(&r->as.trace); break;
    case CLI_FORMAT_CSV: cli_csv_close(&r->as.csv); break;
    case CLI_FORMAT_NDJSON: cli_json_close(&r->as.json); break;
  }
  r->format = CLI_FORMAT_NONE;
}

bool cli_writer_open(cli_writer *w, cli_format format, cli_output *out, wb_mem *mem, const cli_field *outputs, uint32_t n_outputs,
                     const cli_label *label, size_t max_nesting, cli_sink *sink) {
  bool ok = false;
  const wb_str *names;
  *w = (cli_writer){.format = format};
  switch (format) {
    case CLI_FORMAT_NONE: break;
    case CLI_FORMAT_TRACE:
      names = names_of(mem, outputs, n_outputs);
      ok = names != NULL && cli_trace_out_open(&w->as.trace, out, mem, names, n_outputs);
      *sink = cli_trace_out_sink(&w->as.trace);
      break;
    case CLI_FORMAT_CSV:
      ok = cli_csv_out_open(&w->as.csv, out, mem, outputs, n_outputs, label, max_nesting);
      *sink = cli_csv_out_sink(&w->as.csv);
      break;
    case CLI_FORMAT_NDJSON:
      ok = cli_json_out_open(&w->as.json, out, mem, outputs, n_outputs, label);
      *sink = cli_json_out_sink(&w->as.json);
      break;
  }
  return ok;
}

void cli_writer_close(cli_writer *w) {
  if (w->format == CLI_FORMAT_CSV) cli_csv_out_close(&w->as.csv);
  w->format = CLI_FORMAT_NONE;
}
