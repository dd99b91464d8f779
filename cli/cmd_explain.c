/* cli/cmd_explain.c -- `weir explain`: what becomes of a specification, stage by stage. */
#include "cli/cmd.h"

cli_status cli_explain(cli *c) {
  cli_status rc = cli_spec_read(c);
  if (rc != CLI_DONE) return rc;
  weir_compile_options opts = cli_compile_options(c);
  weir_diagnostics *d = NULL;
  weir_text *text = NULL;
  weir_code code = weir_explain(c->engine, c->spec.text.at, c->spec.text.n, &opts, (weir_stage)c->set.stage,
                                c->set.is_dot ? WEIR_EXPLAIN_DOT : 0, &text, &d);
  if (text != NULL) { /* a tree comes also with type errors */
    cli_say out;
    cli_say_open(&out, &c->out_file);
    wb_str words = {weir_text_bytes(text, &words.n), words.n};
    cli_say_str(&out, words);
    rc = cli_end_text(c, &out);
    weir_text_free(text);
  }
  if (code == WEIR_OK) return rc;
  cli_status refused = cli_spec_refuse(c, code, d);
  return rc == CLI_DONE ? refused : rc;
}
