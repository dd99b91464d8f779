/* cli/refused_row.c -- a row that does not fit the inputs; see refused_row.h. */
#include "cli/refused_row.h"

/* An integer beyond 64 bits reads as a Float (language.md 13): where an Int was wanted, that alone would puzzle. */
static const char *hint_of(const weir_program *p, const cli_row *row, uint32_t input) {
  if (input == UINT32_MAX || weir_program_input_kind(p, input) != WEIR_KIND_INT) return NULL;
  weir_value v = row->values[input];
  bool is_far = v.tag == WEIR_FLOAT && (v.as.f >= 0x1p63 || v.as.f < -0x1p63);
  return is_far ? "an Int is at least -9223372036854775808 and at most 9223372036854775807" : NULL;
}

void cli_say_refused_row(cli *c, const cli_source *source, const cli_row *row, const weir_error *e) {
  const weir_program *p = c->spec.program;
  cli_mark at = source->place(source->self, e->input);
  cli_message m = {.level = "error", .phase = "tick", .number = row->tick, .text = e->text, .hint = hint_of(p, row, e->input)};
  cli_complain(&c->err, &at, &m);
  if (e->input == UINT32_MAX) return;
  cli_mark declared = cli_mark_span(c->spec.path, c->spec.text, weir_program_stream(p, weir_program_input_stream(p, e->input)).span);
  cli_message note = {.level = "note", .phase = "", .number = WEIR_NO_ROW, .text = "the input is declared here"};
  if (declared.line > 0) cli_complain(&c->err, &declared, &note);
}
