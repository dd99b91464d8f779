/* cli/cmd_check.c -- `weir check`: is the specification right, in which order does it run, and what does it retain? */
#include "cli/cmd.h"
#include "cli/report_json.h"

#include <string.h>

enum { WIDEST = 40 }; /* of a column that is lined up; longer texts push the rest of their line */

typedef struct columns { size_t order, name, type, bytes; } columns;

static size_t digits(uint64_t v) {
  size_t n = 1;
  while ((v /= 10) != 0) n++;
  return n;
}

static void widen(size_t *width, size_t n) {
  if (n <= WIDEST && n > *width) *width = n;
}

static size_t bytes_width(const weir_stream_info *s) {
  return digits(s->state_bytes) + (s->retains_values ? sizeof " + values" - 1 : 0);
}

static columns measure(const weir_program *p) {
  columns w = {sizeof "order" - 1, sizeof "name" - 1, sizeof "type" - 1, sizeof "bytes" - 1};
  for (uint32_t i = 0; i < weir_program_stream_count(p); i++) {
    weir_stream_info s = weir_program_stream(p, i);
    widen(&w.name, strlen(s.name));
    widen(&w.type, strlen(s.type));
    widen(&w.bytes, bytes_width(&s));
  }
  return w;
}

static const char *const roles[] = {[WEIR_IN] = "in", [WEIR_OUT] = "out", [WEIR_AUX] = "aux"};

/* Text, then blanks up to the width and two more. */
static void say_cell(cli_say *out, const char *text, size_t width) {
  cli_say_text(out, text);
  cli_say_fill(out, ' ', strlen(text) < width ? width - strlen(text) + 2 : 2);
}

/* Answers how wide it is. */
static size_t say_bytes(cli_say *out, const weir_stream_info *s) {
  cli_say_number(out, s->state_bytes);
  if (s->retains_values) cli_say_text(out, " + values");
  return bytes_width(s);
}

static void say_dependencies(cli_say *out, const weir_program *p, uint32_t stream) {
  const char *between = "";
  for (uint32_t i = 0; i < weir_program_dependency_count(p, stream); i++) {
    weir_dependency d = weir_program_dependency(p, stream, i);
    const char *name = weir_program_stream(p, d.stream).name;
    if (d.immediate) {
      cli_say_text(out, between);
      cli_say_text(out, name);
      between = ", ";
    }
    if (d.deepest == 0) continue;
    cli_say_text(out, between);
    cli_say_text(out, name);
    cli_say_text(out, "[");
    cli_say_number(out, d.deepest);
    cli_say_text(out, "]");
    between = ", ";
  }
}

static void say_stream(cli_say *out, const weir_program *p, uint32_t stream, const columns *w) {
  weir_stream_info s = weir_program_stream(p, stream);
  uint64_t place = (uint64_t)s.order + 1;
  cli_say_fill(out, ' ', w->order - (s.role == WEIR_IN ? 1 : WB_MIN(digits(place), w->order)));
  if (s.role == WEIR_IN) cli_say_text(out, "-");
  else cli_say_number(out, place);
  cli_say_text(out, "  ");
  say_cell(out, roles[s.role], 4);
  say_cell(out, s.name, w->name);
  say_cell(out, s.type, w->type);
  size_t used = say_bytes(out, &s);
  if (weir_program_dependency_count(p, stream) > 0) {
    cli_say_fill(out, ' ', used < w->bytes ? w->bytes - used + 2 : 2);
    say_dependencies(out, p, stream);
  }
  cli_say_text(out, "\n");
}

/* Inputs first, then the others in the order of evaluation. */
static uint32_t *in_order(cli *c, uint32_t n) {
  const weir_program *p = c->spec.program;
  uint32_t *streams = WB_NEW_ARRAY(&c->mem, uint32_t, n), n_inputs = weir_program_input_count(p);
  for (uint32_t i = 0; streams && i < n; i++) {
    weir_stream_info s = weir_program_stream(p, i);
    size_t at = s.role == WEIR_IN ? i : (size_t)n_inputs + s.order;
    wb_assert(at < n);
    if (at < n) streams[at] = i;
  }
  return streams;
}

static void say_table(cli_say *out, const weir_program *p, const uint32_t *streams, uint32_t n) {
  bool plus_values;
  uint64_t bytes = weir_program_state_bytes(p, &plus_values);
  cli_say_text(out, "ok ");
  cli_say_number(out, n);
  cli_say_text(out, " streams, ");
  cli_say_number(out, bytes);
  cli_say_text(out, " bytes");
  cli_say_text(out, plus_values ? " + values\n" : "\n");
  if (n == 0) return;
  columns w = measure(p);
  cli_say_text(out, "order  role  ");
  say_cell(out, "name", w.name);
  say_cell(out, "type", w.type);
  say_cell(out, "bytes", w.bytes);
  cli_say_text(out, "depends on\n");
  for (uint32_t i = 0; i < n; i++) say_stream(out, p, streams[i], &w);
}

cli_status cli_check(cli *c) {
  cli_status rc = cli_spec_read(c);
  if (rc != CLI_DONE) return rc;
  if (c->spec.language == CLI_LANGUAGE_SQL) return cli_check_query(c);
  if (c->set.is_dot) return cli_refuse(c, CLI_WRONG, c->spec.path, "--dot draws queries of SQL here", "`weir explain --dot` draws other specifications");
  if (c->set.witness != 0) return cli_refuse(c, CLI_WRONG, c->spec.path, "--witness is for queries of SQL", "without it, `weir check` tells what this one retains");
  if ((rc = cli_spec_load(c)) != CLI_DONE) return rc;
  if (c->set.wants_json) return cli_json_program(c);
  uint32_t n = weir_program_stream_count(c->spec.program);
  const uint32_t *streams = in_order(c, n);
  if (streams == NULL) return cli_refuse_memory(c);
  cli_say out;
  cli_say_open(&out, &c->out_file);
  say_table(&out, c->spec.program, streams, n);
  return cli_end_text(c, &out);
}
