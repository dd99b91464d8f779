/* cli/cmd_run.c -- `weir run`: rows from a source through a monitor to a sink.
**
** Knows no format: rows.h is all it sees of them.  Everything computed before an error has been written when the error is told.
** Each row runs as soon as it has been read.  Only where nobody can tell the difference, they are gathered and run in columns (columns.h):
** then the rows that wait run before anything else is said or done. */
#include "cli/cmd.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/behind.h"
#include "cli/columns.h"
#include "cli/formats.h"
#include "cli/progress.h"
#include "cli/refused_row.h"
#include "cli/report_stats.h"
#include "ir/base/clock.h"

typedef struct run {
  cli *c;
  cli_input in;
  cli_output out;
  cli_format output_format;
  cli_reader reader;
  cli_writer writer;
  cli_label label;
  bool has_source, has_output;
  cli_source source; /* of has_source */
  cli_sink sink;
  weir_monitor *monitor;
  const weir_value *nothing;  /* an empty row */
  const weir_value **outputs; /* of the last tick */
  uint32_t n_inputs, n_outputs;
  cli_progress progress;
  uint64_t in_size; /* UINT64_MAX: the input is no file */
  bool has_columns;
  cli_columns columns; /* of has_columns */
  bool may_behind, is_behind; /* outputs may be written on a thread of their own, and are */
  cli_behind behind;          /* of is_behind */
  cli_status waited;   /* what became of rows that ran before a warning */
} run;

/* ---- Setting up ---------------------------------------------------------------------------------------------------- */

static cli_status choose_formats(run *r) {
  const cli_settings *s = &r->c->set;
  cli_format in = cli_input_format(s), out = cli_format_of(s->output);
  if (out == CLI_FORMAT_NONE) out = s->output_format ? (cli_format)s->output_format : in;
  r->output_format = out;
  r->label.column = s->time_column;
  if (cli_packing_of(s->output) != CLI_PACKING_NONE) return cli_refuse(r->c, CLI_WRONG, s->output, "a compressed output cannot be written", NULL);
  return cli_label_check(r->c);
}

/* A tier that cannot run is no error: a slower one gives the same answers. */
static void tell_tier(const run *r) {
  cli *c = r->c;
  weir_report report = {.size = sizeof report};
  weir_monitor_report(r->monitor, &report);
  if (c->set.tier != CLI_TIER_NATIVE || report.why_not_native == NULL) return;
  char text[200];
  snprintf(text, sizeof text, "no native code: %s; running quickened", report.why_not_native);
  cli_warn(c, &CLI_NO_MARK, text, cli_module_hint(report.why_not_native));
}

static cli_status run_columns(run *r);

/* From here on until rows run, the output is ours. */
static void settle(run *r) {
  if (r->is_behind) cli_behind_wait(&r->behind);
}

static void warn(void *self, const cli_trouble *w) {
  run *r = self;
  if (r->c->set.is_quiet || r->waited != CLI_DONE) return;
  r->waited = run_columns(r);
  settle(r);
  if (r->waited != CLI_DONE || cli_output_flush(&r->out) != CLI_PIPE_OK) return;
  cli_progress_clear(&r->progress);
  cli_warn(r->c, &w->at, w->what.text, w->hint);
}

static cli_status open_source(run *r) {
  cli_ear ear = {r, warn};
  cli_status rc = cli_source_open(r->c, &r->in, &r->out, &r->label, &ear, &r->reader, &r->source);
  r->has_source = rc == CLI_DONE && r->reader.format != CLI_FORMAT_NONE;
  return rc;
}

static cli_status open_sink(run *r) {
  cli *c = r->c;
  const char *path = c->set.output;
  cli_status rc = cli_refuse_overwriting(c, path);
  if (rc != CLI_DONE) return rc;
  const cli_field *outputs = cli_fields_of(&c->mem, c->spec.program, r->n_outputs, weir_program_output_stream);
  if (outputs == NULL) return cli_refuse_memory(c);
  for (uint32_t i = 0; c->set.time_column && i < r->n_outputs; i++)
    if (wb_str_eq(outputs[i].name, (wb_str){c->set.time_column, strlen(c->set.time_column)}))
      return cli_refuse(c, CLI_WRONG, NULL, "an output has the name of the --time-column", NULL);
  weir_error e;
  if (cli_output_open(&r->out, c->env, &c->mem, path, &e) != WEIR_OK) return cli_refuse_error(c, CLI_FAILED, NULL, "", &e);
  r->has_output = true;
  bool ok = cli_writer_open(&r->writer, r->output_format, &r->out, &c->mem, outputs, r->n_outputs, &r->label, c->set.max_value_nesting, &r->sink);
  return ok ? CLI_DONE : cli_refuse_memory(c);
}

static weir_tier tier_of(cli_tier tier) {
  switch (tier) {
    case CLI_TIER_AUTO: break;
    case CLI_TIER_CANONICAL: return WEIR_TIER_CANONICAL;
    case CLI_TIER_QUICKENED: return WEIR_TIER_QUICKENED;
    case CLI_TIER_NATIVE: return WEIR_TIER_NATIVE;
  }
  return WEIR_TIER_AUTO;
}

static bool is_folder(const char *path) {
  struct stat x;
  return stat(path, &x) == 0 && S_ISDIR(x.st_mode);
}

/* What the monitor wanted more memory for may be no more than it is allowed. */
static const char *memory_hint(const cli *c) { return c->set.max_memory != 0 ? "--max-memory says how much the monitor may hold" : NULL; }

static cli_status refuse_monitor(cli *c, const weir_error *e) {
  return e->code == WEIR_E_MEMORY ? cli_refuse(c, CLI_FAILED, NULL, "out of memory", memory_hint(c)) : cli_refuse_error(c, CLI_FAILED, NULL, "", e);
}

static cli_status open_monitor(run *r) {
  cli *c = r->c;
  const char *folder = c->set.check_folder; /* told now: a difference may come after days */
  if (folder != NULL && !is_folder(folder)) return cli_refuse(c, CLI_WRONG, folder, "not a folder; --check-folder needs one that is there", NULL);
  weir_options opts = {.size = sizeof opts, .max_memory = c->set.max_memory, .max_value_nesting = c->set.max_value_nesting,
                       .tier = tier_of((cli_tier)c->set.tier), .compile_after = c->set.compile_after,
                       .check_every = c->set.check_every, .check_seed = c->set.check_seed, .check_folder = c->set.check_folder};
  weir_error e;
  if (weir_monitor_new(c->engine, c->spec.program, &opts, &r->monitor, &e) != WEIR_OK) return refuse_monitor(c, &e);
  tell_tier(r);
  weir_value *nothing = WB_NEW_ARRAY(&c->mem, weir_value, r->n_inputs);
  r->nothing = nothing; /* zeroed memory is WEIR_NOVAL */
  r->outputs = WB_NEW_ARRAY(&c->mem, const weir_value *, r->n_outputs);
  return r->nothing && r->outputs ? CLI_DONE : cli_refuse_memory(c);
}

/* Rows may wait for each other where reading never waits for anybody, none has more to it than its values, and the little memory that a batch
** takes cannot be what --max-memory leaves no room for.  It pays in any tier but the canonical one, which runs a batch row by row. */
static cli_status open_columns(run *r) {
  const cli_settings *s = &r->c->set;
  const weir_program *p = r->c->spec.program;
  bool is_file = !r->has_source || wb_file_size(&r->in.file) != UINT64_MAX;
  if (!is_file || s->tier == CLI_TIER_CANONICAL || s->time_column != NULL || s->max_memory != 0 || !weir_program_is_typed(p)) return CLI_DONE;
  r->may_behind = s->threads > 1 && r->sink.room > 0;
  r->has_columns = cli_columns_open(&r->columns, &r->c->mem, p);
  return r->has_columns ? CLI_DONE : cli_refuse_memory(r->c);
}

static cli_status set_up(run *r) {
  cli_status rc = choose_formats(r);
  if (rc == CLI_DONE) rc = cli_spec_read(r->c);
  if (rc != CLI_DONE) return rc;
  rc = r->c->spec.language == CLI_LANGUAGE_SQL ? cli_run_query(r->c) : cli_spec_load(r->c);
  if (rc != CLI_DONE) return rc;
  r->n_inputs = weir_program_input_count(r->c->spec.program);
  r->n_outputs = weir_program_output_count(r->c->spec.program);
  rc = open_source(r);
  if (rc == CLI_DONE) rc = open_monitor(r);
  if (rc == CLI_DONE) rc = open_sink(r);
  return rc == CLI_DONE ? open_columns(r) : rc;
}

/* ---- Errors -------------------------------------------------------------------------------------------------------- */

/* What the output answered.  The end by a signal is main's to tell. */
static cli_status end_output(run *r) {
  settle(r);
  switch (r->out.status) {
    case CLI_PIPE_OK:
    case CLI_PIPE_END: return CLI_DONE;
    case CLI_PIPE_CLOSED:
    case CLI_PIPE_STOPPED: return CLI_FAILED;
    case CLI_PIPE_MEMORY: return cli_refuse_memory(r->c);
    case CLI_PIPE_FAILED: break;
  }
  return cli_refuse_error(r->c, CLI_FAILED, r->c->set.output, "", &r->out.error);
}

/* All that was computed leaves before something is said.  CLI_DONE: it has. */
static cli_status flush(run *r) {
  settle(r);
  cli_progress_clear(&r->progress);
  return cli_output_flush(&r->out) == CLI_PIPE_OK ? CLI_DONE : end_output(r);
}

static cli_status end_bad(run *r, const cli_trouble *t) {
  cli_status rc = flush(r);
  return rc == CLI_DONE ? cli_refuse_input(r->c, &r->in, t) : rc;
}

/* Where the tick comes from. */
static void say_origin(run *r, uint64_t tick, cli_origin o) {
  cli_say *err = &r->c->err;
  if (o.from == CLI_FROM_TICKS) return;
  const char *file = cli_file_name(r->c->set.trace ? r->c->set.trace : "-");
  cli_say_text(err, "note: tick ");
  cli_say_number(err, tick);
  cli_say_text(err, o.from == CLI_FROM_ROW ? " is at " : " has no row; it comes before ");
  cli_say_safe(err, (wb_str){file, strlen(file)});
  cli_say_text(err, ":");
  cli_say_number(err, o.line);
  cli_say_text(err, "\n");
  (void)cli_say_end(err);
}

/* A tick failed.  `row` is the one at hand, if it ran with it and alone. */
static cli_status end_tick(run *r, uint64_t tick, const cli_row *row, cli_origin origin, const weir_error *e) {
  cli_status rc = flush(r);
  if (rc != CLI_DONE) return rc;
  bool is_memory = e->code == WEIR_E_MEMORY;
  if (row && e->code == WEIR_E_ADMIT) {
    cli_say_refused_row(r->c, &r->source, row, e);
    return CLI_REFUSED;
  }
  cli_mark at = {.file = r->c->spec.path};
  if (e->span.begin < e->span.end) at = cli_mark_span(r->c->spec.path, r->c->spec.text, e->span);
  cli_message m = {.level = "error", .phase = "tick", .number = tick, .text = e->text, .hint = is_memory ? memory_hint(r->c) : NULL};
  cli_complain(&r->c->err, &at, &m);
  say_origin(r, tick, origin);
  return is_memory ? CLI_FAILED : CLI_REFUSED;
}

/* ---- Running ------------------------------------------------------------------------------------------------------- */

static void show_progress(run *r, uint64_t tick) { cli_progress_tick(&r->progress, r->in.n_read, r->in_size, tick, wb_now()); }

/* What is to be done behind a tick, or some.  CLI_DONE: go on. */
static cli_status check_stop(run *r) {
  if (r->is_behind ? cli_behind_has_failed(&r->behind) : r->out.status != CLI_PIPE_OK) return end_output(r);
  return cli_is_stopped(r->c->env) ? CLI_FAILED : CLI_DONE;
}

/* Runs one tick and writes its outputs.  CLI_DONE: go on. */
static cli_status run_row(run *r, const cli_row *row, cli_origin origin) {
  uint64_t tick = weir_monitor_ticks(r->monitor);
  weir_error e;
  if (weir_monitor_push(r->monitor, row->values, r->n_inputs, &e) != WEIR_OK)
    return end_tick(r, tick, origin.from == CLI_FROM_ROW ? row : NULL, origin, &e);
  for (uint32_t i = 0; i < r->n_outputs; i++) r->outputs[i] = weir_monitor_output(r->monitor, i);
  settle(r);
  r->sink.row(r->sink.self, tick, r->outputs);
  if (r->progress.is_on && tick % 1024 == 0) show_progress(r, tick);
  return check_stop(r);
}

/* A thread for the output takes some time to start: it does when the run has shown to be long, and has not come to the end of half its input. */
static void begin_behind(run *r, uint64_t tick) {
  enum { LONG_RUN = 1 << 20 }; /* values, some milliseconds */
  if (tick < LONG_RUN / ((uint64_t)r->n_inputs + r->n_outputs)) return;
  r->may_behind = false;
  if (r->in.n_read <= r->in_size / 2 && cli_behind_pays()) r->is_behind = cli_behind_start(&r->behind, &r->c->mem, &r->columns, &r->sink, &r->out);
}

static void write_columns(run *r, uint64_t tick, size_t n) {
  if (r->may_behind) begin_behind(r, tick);
  if (r->is_behind) {
    cli_behind_give(&r->behind, &r->columns, n);
    return;
  }
  if (r->sink.rows != NULL && r->sink.rows(r->sink.self, r->columns.outs.columns, n)) return;
  for (size_t i = 0; i < n && r->out.status == CLI_PIPE_OK; i++) r->sink.row(r->sink.self, tick + i, cli_columns_show(&r->columns, i));
}

/* Runs the rows that have been gathered and writes their outputs.  CLI_DONE: go on. */
static cli_status run_columns(run *r) {
  if (!r->has_columns || r->columns.n == 0) return CLI_DONE;
  uint64_t tick = weir_monitor_ticks(r->monitor);
  weir_error e;
  size_t done;
  weir_code rc = cli_columns_push(&r->columns, r->monitor, &done, &e);
  write_columns(r, tick, done);
  if (rc != WEIR_OK) return end_tick(r, tick + done, NULL, cli_columns_origin(&r->columns, done), &e);
  if (r->progress.is_on) show_progress(r, tick + done);
  return check_stop(r);
}

/* The tick that comes next runs with `row`, at once or later.  CLI_DONE: go on. */
static cli_status run_tick(run *r, const cli_row *row, cli_origin origin) {
  if (!r->has_columns) return run_row(r, row, origin);
  if (WB_UNLIKELY(!cli_columns_take(&r->columns, row->values, origin))) { /* what is wrong with it is told while it is at hand */
    cli_status rc = run_columns(r);
    cli_columns_clear(&r->columns);
    return rc == CLI_DONE ? run_row(r, row, origin) : rc;
  }
  return cli_columns_are_full(&r->columns) ? run_columns(r) : CLI_DONE;
}

/* Gathers the rows that the source has at hand, up to one that does not fit.  CLI_DONE: go on. */
static cli_status run_ahead(run *r) {
  const weir_value *values;
  const cli_row_at *begins;
  cli_status rc = CLI_DONE;
  for (size_t n; rc == CLI_DONE && (n = r->source.ahead(r->source.self, &values, &begins)) > 0;) {
    n = cli_columns_take_rows(&r->columns, values, begins, n);
    if (n == 0) break;
    r->source.pass(r->source.self, n);
    if (cli_columns_are_full(&r->columns)) rc = run_columns(r);
  }
  while (rc == CLI_DONE && r->source.take != NULL && r->source.take(r->source.self, &r->columns) > 0)
    if (cli_columns_are_full(&r->columns)) rc = run_columns(r);
  return rc;
}

/* Runs empty ticks up to `tick`. */
static cli_status run_gap(run *r, uint64_t tick, cli_origin origin) {
  const cli_row empty = {.values = r->nothing};
  cli_status rc = CLI_DONE;
  while (rc == CLI_DONE && weir_monitor_ticks(r->monitor) + r->columns.n < tick) rc = run_tick(r, &empty, origin);
  return rc;
}

static uint64_t line_at_hand(const run *r) { return r->source.place(r->source.self, UINT32_MAX).line; }

/* The source has no more rows, as `why` says. */
static cli_status end_source(run *r, cli_next why) {
  if (why == CLI_END) return CLI_DONE;
  const cli_trouble *trouble = r->source.trouble(r->source.self);
  if (why == CLI_BAD) return end_bad(r, trouble);
  cli_status rc = flush(r);
  if (rc != CLI_DONE) return rc;
  if (why == CLI_UNREADABLE) return cli_refuse_error(r->c, CLI_REFUSED, trouble->at.file, "trace", &trouble->what);
  return why == CLI_NO_MEMORY ? cli_refuse_memory(r->c) : CLI_FAILED;
}

static cli_status run_source(run *r) {
  for (cli_row row;;) {
    cli_next next = r->source.next(r->source.self, &row);
    cli_status rc = r->waited;
    if (rc != CLI_DONE) return rc;
    if (WB_LIKELY(next == CLI_ROW)) {
      rc = run_tick(r, &row, (cli_origin){CLI_FROM_ROW, row.line});
      if (rc == CLI_DONE && r->has_columns && r->source.ahead != NULL) rc = run_ahead(r);
    } else if (next == CLI_GAP) {
      rc = run_gap(r, row.tick, (cli_origin){CLI_FROM_GAP, line_at_hand(r)});
    } else {
      rc = run_columns(r);
      return rc == CLI_DONE ? end_source(r, next) : rc;
    }
    if (rc != CLI_DONE) return rc;
  }
}

static cli_status run_all(run *r) {
  const cli_settings *s = &r->c->set;
  cli_status rc = CLI_DONE;
  if (r->has_source && !(s->has_ticks && s->ticks == 0)) rc = run_source(r);
  if (rc == CLI_DONE && s->has_ticks) rc = run_gap(r, s->ticks, (cli_origin){.from = CLI_FROM_TICKS});
  return rc == CLI_DONE ? run_columns(r) : rc;
}

/* What a self-check has found. */
static void tell_difference(const run *r) {
  cli *c = r->c;
  weir_report report = {.size = sizeof report};
  weir_monitor_report(r->monitor, &report);
  if (report.differences == 0) return;
  char text[400];
  snprintf(text, sizeof text, "a faster tier differed from the canonical one, whose results stand: %s; in tick %" PRIu64 " or soon behind it%s", report.difference,
           report.difference_row, c->set.check_folder == NULL ? "; --check-folder keeps the rows for a report" : "");
  cli_warn(c, &CLI_NO_MARK, text, NULL);
}

/* Where the user has named the folder; the usual one, in a home that cannot be written to, say, is worth a word in --stats only. */
static void tell_cache(const run *r) {
  weir_report report = {.size = sizeof report};
  weir_monitor_report(r->monitor, &report);
  if (r->c->set.cache == NULL || report.native_cache_why == NULL) return;
  char text[300];
  snprintf(text, sizeof text, "native code is not kept for the next run: %s", report.native_cache_why);
  cli_warn(r->c, &CLI_NO_MARK, text, report.native_cache == WEIR_CACHE_LARGE ? "--max-cache-bytes says how much all files may take" : NULL);
}

static void say_stats(run *r, uint64_t begin) {
  cli_measures m = {.ticks = weir_monitor_ticks(r->monitor), .nanoseconds = wb_now() - begin};
  size_t peak = 0;
  (void)weir_monitor_memory(r->monitor, &peak);
  m.peak = peak;
  m.bound = weir_program_state_bytes(r->c->spec.program, &m.plus_values);
  m.report.size = sizeof m.report;
  weir_monitor_report(r->monitor, &m.report);
  m.program = r->c->spec.program;
  cli_report_stats(&r->c->err, (cli_stats)r->c->set.stats, &m);
}

cli_status cli_run(cli *c) {
  run *r = WB_NEW(&c->mem, run);
  if (r == NULL) return cli_refuse_memory(c);
  r->c = c;
  r->in.file = WB_FILE_NONE;
  cli_status rc = set_up(r);
  uint64_t begin = wb_now();
  bool is_set_up = rc == CLI_DONE;
  r->in_size = r->has_source ? wb_file_size(&r->in.file) : UINT64_MAX;
  if (is_set_up) /* lines of output on the same terminal would run through the bar */
    cli_progress_begin(&r->progress, &c->err, r->in_size, c->set.is_quiet || wb_file_is_terminal(&r->out.file), begin);
  if (is_set_up) rc = run_all(r);
  if (r->is_behind) cli_behind_stop(&r->behind);
  r->is_behind = false;
  if (r->has_output) {
    bool was_good = r->out.status == CLI_PIPE_OK; /* else it has been told */
    if (cli_output_close(&r->out) != CLI_PIPE_OK && was_good && rc == CLI_DONE) rc = end_output(r);
  }
  cli_progress_clear(&r->progress);
  if (is_set_up) tell_difference(r);
  if (is_set_up) tell_cache(r);
  if (is_set_up) say_stats(r, begin);
  weir_monitor_free(r->monitor);
  cli_writer_close(&r->writer);
  cli_reader_close(&r->reader);
  cli_input_close(&r->in);
  return rc;
}
