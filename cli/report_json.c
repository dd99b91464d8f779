/* cli/report_json.c -- the results of `weir check --json`; the schema stands in docs/check-json.md.
**
** Written straight to the output: no tree of it is made. */
#include "cli/report_json.h"

#include <string.h>

#include "ir/base/places.h"

enum { VERSION = 1 }; /* of the schema */

/* ---- Words of JSON ------------------------------------------------------------------------------------------------- */

/* These say `key`, which is text as it stands, and the value behind it. */

static void say_string(cli_say *out, const char *key, const char *text) {
  cli_say_text(out, key);
  cli_say_json(out, text);
}

static void say_null(cli_say *out, const char *key) {
  cli_say_text(out, key);
  cli_say_text(out, "null");
}

static void say_string_or_null(cli_say *out, const char *key, const char *text) {
  if (text == NULL || text[0] == '\0') say_null(out, key);
  else say_string(out, key, text);
}

static void say_bool(cli_say *out, const char *key, bool b) {
  cli_say_text(out, key);
  cli_say_text(out, b ? "true" : "false");
}

static void say_count(cli_say *out, const char *key, uint64_t v) {
  cli_say_text(out, key);
  cli_say_number(out, v);
}

static void say_count_or_null(cli_say *out, const char *key, bool is_there, uint64_t v) {
  if (is_there) say_count(out, key, v);
  else say_null(out, key);
}

/* ---- The parts ----------------------------------------------------------------------------------------------------- */

static void say_place(cli_say *out, const wb_places *places, uint32_t offset) {
  wb_line_column at = wb_places_at(places, offset);
  say_count(out, "{\"offset\": ", offset);
  say_count(out, ", \"line\": ", at.line);
  say_count(out, ", \"column\": ", at.column);
  cli_say_text(out, "}");
}

static void say_span(cli_say *out, const wb_places *places, weir_span span) {
  cli_say_text(out, "{\"begin\": ");
  say_place(out, places, span.begin);
  cli_say_text(out, ", \"end\": ");
  say_place(out, places, span.end);
  cli_say_text(out, "}");
}

static void begin(cli_say *out, const cli *c, bool is_ok) {
  say_count(out, "{\n  \"version\": ", VERSION);
  say_string(out, ",\n  \"file\": ", c->spec.path);
  say_bool(out, ",\n  \"ok\": ", is_ok);
  cli_say_text(out, ",\n  \"diagnostics\": [");
}

static void say_left_out(cli_say *out, size_t left_out) { say_count(out, "],\n  \"diagnostics_left_out\": ", left_out); }

/* A diagnostic with a place has a phase.  One without is about the file. */
static void say_diagnostic(cli_say *out, const wb_places *places, const weir_diagnostic *d) {
  const char *phase = places == NULL ? "" : weir_code_phase(d->code);
  say_string_or_null(out, "\n    {\"level\": \"error\", \"code\": ", d->code == WEIR_OK ? NULL : weir_code_name(d->code));
  say_string_or_null(out, ", \"phase\": ", phase);
  say_string(out, ",\n     \"message\": ", d->text);
  say_string_or_null(out, ",\n     \"hint\": ", d->hint);
  cli_say_text(out, ",\n     \"span\": ");
  if (phase[0] == '\0') cli_say_text(out, "null");
  else say_span(out, places, d->span);
  cli_say_text(out, "}");
}

static void say_dependency(cli_say *out, const weir_program *p, weir_dependency d) {
  say_string(out, "{\"stream\": ", weir_program_stream(p, d.stream).name);
  say_bool(out, ", \"immediate\": ", d.immediate);
  say_count(out, ", \"deepest_delay\": ", d.deepest);
  cli_say_text(out, "}");
}

static void say_stream(cli_say *out, const weir_program *p, const wb_places *places, uint32_t stream) {
  static const char *const roles[] = {[WEIR_IN] = "in", [WEIR_OUT] = "out", [WEIR_AUX] = "aux"};
  weir_stream_info s = weir_program_stream(p, stream);
  say_string(out, "\n    {\"name\": ", s.name);
  say_string(out, ", \"role\": ", roles[s.role]);
  say_string(out, ", \"type\": ", s.type);
  say_count_or_null(out, ", \"order\": ", s.role != WEIR_IN, (uint64_t)s.order + 1);
  say_count(out, ", \"bytes\": ", s.state_bytes);
  say_bool(out, ", \"plus_values\": ", s.retains_values);
  cli_say_text(out, ",\n     \"dependencies\": [");
  for (uint32_t i = 0; i < weir_program_dependency_count(p, stream); i++) {
    if (i != 0) cli_say_text(out, ", ");
    say_dependency(out, p, weir_program_dependency(p, stream, i));
  }
  cli_say_text(out, "],\n     \"span\": ");
  say_span(out, places, s.span);
  cli_say_text(out, "}");
}

static void say_totals(cli_say *out, const weir_program *p) {
  bool plus_values;
  uint64_t bytes = weir_program_state_bytes(p, &plus_values);
  uint32_t n = weir_program_stream_count(p), n_in = weir_program_input_count(p), n_out = weir_program_output_count(p);
  say_count(out, "],\n  \"totals\": {\"streams\": ", n);
  say_count(out, ", \"in\": ", n_in);
  say_count(out, ", \"out\": ", n_out);
  say_count(out, ", \"aux\": ", n - n_in - n_out);
  say_count(out, ", \"bytes\": ", bytes);
  say_bool(out, ", \"plus_values\": ", plus_values);
  cli_say_text(out, "}\n}\n");
}

/* ---- The results --------------------------------------------------------------------------------------------------- */

/* Places of the specification's text.  One that could not be read has none. */
static bool find_places(cli *c, wb_places *places) { return wb_places_init(places, c->spec.text, &c->mem); }

cli_status cli_json_program(cli *c) {
  const weir_program *p = c->spec.program;
  wb_places places;
  if (!find_places(c, &places)) return cli_refuse_memory(c);
  cli_say out;
  cli_say_open(&out, &c->out_file);
  begin(&out, c, true);
  say_left_out(&out, 0);
  cli_say_text(&out, ",\n  \"streams\": [");
  for (uint32_t i = 0; i < weir_program_stream_count(p); i++) {
    if (i != 0) cli_say_text(&out, ",");
    say_stream(&out, p, &places, i);
  }
  say_totals(&out, p);
  return cli_end_text(c, &out);
}

/* ---- Queries ---- */

static void say_amount(cli_say *out, const char *key, weir_amount a) {
  cli_say_text(out, key);
  say_string(out, "{\"text\": ", a.text);
  say_count_or_null(out, ", \"number\": ", a.is_number, a.number);
  cli_say_text(out, "}");
}

static void say_strings(cli_say *out, const char *key, const char *const *texts, uint32_t n) {
  cli_say_text(out, key);
  for (uint32_t i = 0; i < n; i++) say_string(out, i == 0 ? "" : ", ", texts[i]);
  cli_say_text(out, "]");
}

static void say_key(cli_say *out, const weir_synopsis_key *k) {
  say_string(out, "{\"column\": ", k->column);
  say_string(out, ", \"kind\": ", k->kind);
  say_string(out, ", \"text\": ", k->text);
  say_string_or_null(out, ", \"from\": ", k->from);
  say_string_or_null(out, ", \"to\": ", k->to);
  say_count_or_null(out, ", \"values\": ", k->values != 0, k->values);
  cli_say_text(out, "}");
}

static void say_synopsis(cli_say *out, const weir_query *q, uint32_t number) {
  const weir_synopsis *s = weir_query_synopsis(q, number);
  say_count(out, "\n      {\"select\": ", (uint64_t)s->select + 1);
  say_count(out, ", \"piece\": ", (uint64_t)s->piece + 1);
  say_strings(out, ", \"aliases\": [", s->aliases, s->n_aliases);
  say_strings(out, ", \"waits_for\": [", s->later, s->n_later);
  say_string(out, ", \"keeps\": ", s->kept);
  cli_say_text(out, ",\n       \"keys\": [");
  for (uint32_t i = 0; i < s->n_keys; i++) {
    if (i != 0) cli_say_text(out, ", ");
    say_key(out, weir_query_key(q, number, i));
  }
  say_amount(out, "],\n       \"entries\": ", s->entries);
  say_amount(out, ", \"cells\": ", s->cells);
  say_amount(out, ", \"bytes\": ", s->bytes);
  cli_say_text(out, "}");
}

static void say_written(cli_say *out, const weir_written *w) {
  say_count_or_null(out, "\n      {\"select\": ", w->select != UINT32_MAX, (uint64_t)w->select + 1);
  say_bool(out, ", \"all\": ", w->is_box);
  say_count_or_null(out, ", \"steps\": ", !w->is_box, w->steps);
  say_amount(out, ", \"cells\": ", w->cells);
  say_amount(out, ", \"bytes\": ", w->bytes);
  cli_say_text(out, "}");
}

static void say_bound(cli_say *out, const weir_query *q, const weir_verdict *v) {
  say_amount(out, ",\n    \"cells\": ", v->cells);
  say_amount(out, ",\n    \"bytes\": ", v->bytes);
  cli_say_text(out, ",\n    \"synopses\": [");
  for (uint32_t i = 0; i < v->n_synopses; i++) {
    if (i != 0) cli_say_text(out, ",");
    say_synopsis(out, q, i);
  }
  cli_say_text(out, "],\n    \"written\": [");
  for (uint32_t i = 0; i < v->n_written; i++) {
    if (i != 0) cli_say_text(out, ",");
    say_written(out, weir_query_written(q, i));
  }
  cli_say_text(out, "]");
}

static void say_reason(cli_say *out, const wb_places *places, const weir_verdict *v) {
  say_string(out, ",\n    \"reason\": ", v->reason);
  say_string(out, ",\n    \"attribute\": ", v->attribute);
  say_string_or_null(out, ",\n    \"cure\": ", v->cure);
  cli_say_text(out, ",\n    \"span\": ");
  if (v->span.begin == v->span.end) cli_say_text(out, "null");
  else say_span(out, places, v->span);
}

cli_status cli_json_query(cli *c, const weir_verdict *v, const char *folder) {
  wb_places places;
  if (!find_places(c, &places)) return cli_refuse_memory(c);
  cli_say out;
  cli_say_open(&out, &c->out_file);
  begin(&out, c, v->is_bounded);
  say_left_out(&out, 0);
  say_bool(&out, ",\n  \"streams\": null,\n  \"totals\": null,\n  \"query\": {\n    \"bounded\": ", v->is_bounded);
  if (v->is_bounded) say_bound(&out, c->spec.query, v);
  else {
    say_reason(&out, &places, v);
    say_string_or_null(&out, ",\n    \"witness\": ", folder);
  }
  cli_say_text(&out, "}\n}\n");
  return cli_end_text(c, &out);
}

/* ---- Errors ---- */

/* The end of a result that is no program. */
static cli_status end_refusal(cli *c, cli_say *out, size_t left_out) {
  say_left_out(out, left_out);
  cli_say_text(out, ",\n  \"streams\": null,\n  \"totals\": null\n}\n");
  cli_status rc = cli_end_text(c, out);
  return rc == CLI_DONE ? CLI_WRONG : rc;
}

cli_status cli_json_diagnostics(cli *c, const weir_diagnostics *d) {
  wb_places places;
  if (!find_places(c, &places)) return cli_refuse_memory(c);
  cli_say out;
  cli_say_open(&out, &c->out_file);
  begin(&out, c, false);
  for (size_t i = 0; i < weir_diagnostics_count(d); i++) {
    weir_diagnostic one = weir_diagnostics_at(d, i);
    if (i != 0) cli_say_text(&out, ",");
    say_diagnostic(&out, &places, &one);
  }
  return end_refusal(c, &out, weir_diagnostics_left_out(d));
}

cli_status cli_json_refusal(cli *c, weir_code code, const char *text, const char *hint) {
  cli_say out;
  cli_say_open(&out, &c->out_file);
  begin(&out, c, false);
  weir_diagnostic one = {.code = code, .text = text, .hint = hint};
  say_diagnostic(&out, NULL, &one);
  return end_refusal(c, &out, 0);
}
