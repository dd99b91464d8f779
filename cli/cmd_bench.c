/* cli/cmd_bench.c -- `weir bench`: reads what is to be measured, and leaves the rest to a module that is opened for it. */
#include <stdlib.h>
#include <string.h>

#include "bench/weir_bench.h"
#include "cli/all_rows.h"
#include "cli/pipes.h"
#include "ir/base/module.h"

static cli_status find_module(cli *c, weir_bench_run_fn **out) {
  static const char *const troubles[WB_MODULE_TROUBLE_COUNT] = {
#define X(name, what) [WB_MODULE_##name] = "the module weir_bench.so " what,
    WB_MODULE_TROUBLES(X)
#undef X
  };
  void *at;
  wb_module_trouble trouble = wb_module_find("weir_bench.so", WEIR_BENCH_SYMBOL, &at);
  _Static_assert(sizeof *out == sizeof at, "POSIX: a function's address fits a void *");
  memcpy(out, &at, sizeof at);
  if (trouble == WB_MODULE_OPEN) return CLI_DONE;
  return cli_refuse(c, CLI_FAILED, NULL, troubles[trouble], "`./dev bench` builds it, or cmake with -DWEIR_BENCH=ON");
}

/* A process of several: the first one warns of what all of them read, and reports what they find. */
static bool is_started_again(void) { return getenv(WEIR_BENCH_RESULTS) != NULL; }

static cli_status read_rows(cli *c, cli_all_rows *rows) {
  bool is_quiet = c->set.is_quiet;
  c->set.is_quiet = is_quiet || is_started_again();
  cli_status rc = cli_all_rows_read(c, rows);
  c->set.is_quiet = is_quiet;
  return rc;
}

/* Standard input, which can be read once. */
static bool is_once(const cli *c) {
  return c->set.spec != NULL && cli_is_standard(c->set.trace) && weir_program_input_count(c->spec.program) > 0;
}

/* What the rows come from; NULL: nothing, since --ticks says how many empty ones there are. */
static const char *trace_name(const cli *c) {
  if (!cli_is_standard(c->set.trace)) return cli_file_name(c->set.trace);
  return is_once(c) ? cli_file_name("-") : NULL;
}

static cli_status read_own(cli *c, weir_compile_options *compile, weir_bench_own *own) {
  const cli_settings *s = &c->set;
  cli_all_rows rows;
  if (cli_language_of(s->spec) == CLI_LANGUAGE_NONE && s->language == CLI_LANGUAGE_NONE)
    return cli_refuse(c, CLI_WRONG, s->spec, "neither a part of the suite nor the name of a specification",
                      "W0 to W10, warm-up, chains and command are the parts; the name of a specification ends in .dsrv, or --language tells");
  cli_status rc = cli_spec_read(c);
  if (rc == CLI_DONE) rc = c->spec.language == CLI_LANGUAGE_SQL ? cli_run_query(c) : cli_spec_load(c);
  if (rc == CLI_DONE && s->processes > 1 && is_once(c)) return cli_refuse(c, CLI_WRONG, NULL, "bench: several processes cannot read the same standard input", NULL);
  if (rc == CLI_DONE) rc = read_rows(c, &rows);
  if (rc != CLI_DONE) return rc;
  if (rows.n == 0) return cli_refuse(c, CLI_REFUSED, s->trace, "trace: there are no rows to run", NULL);
  *compile = cli_compile_options(c);
  *own = (weir_bench_own){.spec_name = s->spec, .trace_name = trace_name(c), .text = c->spec.text.at,
                          .length = c->spec.text.n, .compile = compile, .values = rows.values, .n_rows = rows.n};
  return CLI_DONE;
}

static cli_status check_settings(cli *c) {
  const cli_settings *s = &c->set;
  if (s->html != NULL && cli_is_standard(s->html)) return cli_refuse(c, CLI_WRONG, NULL, "bench: --html needs the name of a file", NULL);
  if (s->only_edges && (s->html != NULL || s->wants_json)) return cli_refuse(c, CLI_WRONG, NULL, "bench: --edges measures nothing to be told in HTML or JSON", NULL);
  return s->html != NULL && s->spec != NULL ? cli_refuse_overwriting(c, s->html) : CLI_DONE;
}

/* Before anything is measured: what cannot be written is told at once. */
static cli_status open_html(cli *c, wb_file *html) {
  weir_error e;
  if (c->set.html == NULL || is_started_again() || wb_file_open_write(html, &c->env->io, c->set.html, &e) == WEIR_OK) return CLI_DONE;
  return cli_refuse_error(c, CLI_FAILED, NULL, "", &e);
}

static cli_status write_bytes(cli *c, wb_file *to, const char *name, const char *bytes, size_t n) {
  weir_error e;
  switch (wb_file_write(to, bytes, n, &e)) {
    case WB_IO_OK: return CLI_DONE;
    case WB_IO_CLOSED: return CLI_FAILED;
    case WB_IO_END:
    case WB_IO_FAILED: break;
  }
  return cli_refuse_error(c, CLI_FAILED, name, "", &e);
}

static cli_status write_report(cli *c, wb_file *html, const weir_bench_answer *a) {
  cli_status rc = a->text != NULL ? write_bytes(c, &c->out_file, NULL, a->text, a->n_text) : CLI_DONE;
  return rc == CLI_DONE && a->html != NULL ? write_bytes(c, html, c->set.html, a->html, a->n_html) : rc;
}

static cli_status refuse_tick(cli *c, const weir_error *e) {
  cli_mark at = {.file = e->code == WEIR_E_ADMIT && c->set.trace != NULL ? c->set.trace : c->spec.path};
  if (e->span.begin < e->span.end) at = cli_mark_span(c->spec.path, c->spec.text, e->span);
  cli_message m = {.level = "error", .phase = "tick", .number = e->row, .text = e->text, .hint = "`weir run` tells which row of the trace it is"};
  cli_complain(&c->err, &at, &m);
  return CLI_REFUSED;
}

static cli_status end_bench(cli *c, wb_file *html, weir_bench_status status, const weir_bench_answer *a) {
  switch (status) {
    case WEIR_BENCH_DONE: return write_report(c, html, a);
    case WEIR_BENCH_TICK: return refuse_tick(c, &a->tick);
    case WEIR_BENCH_STOPPED: return CLI_FAILED; /* by a signal, which is main's to tell */
    case WEIR_BENCH_FAILED: break;
  }
  if (a->message[0] == '\0') return (cli_status)a->status;
  return cli_refuse(c, CLI_FAILED, NULL, a->message, NULL);
}

cli_status cli_bench(cli *c) {
  const cli_settings *s = &c->set;
  weir_bench_run_fn *run;
  weir_compile_options compile;
  weir_bench_own own;
  weir_bench_answer answer;
  weir_error e;
  wb_file html = WB_FILE_NONE;
  cli_status rc = find_module(c, &run);
  if (rc == CLI_DONE) rc = check_settings(c);
  if (rc == CLI_DONE && s->spec != NULL) rc = read_own(c, &compile, &own);
  if (rc == CLI_DONE) rc = open_html(c, &html);
  if (rc != CLI_DONE) return rc;
  weir_bench_request q = {
    .version = WEIR_BENCH_VERSION, .weir = weir_version(), .names = s->names, .variants = s->variants, .level = s->level,
    .is_quick = s->is_quick, .wants_json = s->wants_json, .wants_html = s->html != NULL, .with_medians = s->with_medians, .only_edges = s->only_edges,
    .rows = s->rows, .repeats = s->repeats, .processes = is_once(c) ? 1 : s->processes, .own = s->spec != NULL ? &own : NULL,
    .progress = !s->is_quiet && wb_file_is_terminal(&c->err_file) ? c->env->err : -1, .stop = c->env->stop,
  };
  weir_bench_status status = run(&q, &answer);
  rc = end_bench(c, &html, status, &answer);
  if (wb_file_close(&html, &e) != WEIR_OK && rc == CLI_DONE) rc = cli_refuse_error(c, CLI_FAILED, s->html, "", &e);
  free(answer.text);
  free(answer.html);
  return rc;
}
