/* cli/cmd_explain.c -- `weir explain`: what becomes of a specification, stage by stage. */
#include "cli/cmd.h"

cli_status cli_write_text(cli *c, const weir_text *text) {
  weir_error e;
  size_t n;
  const char *bytes = weir_text_bytes(text, &n);
  switch (wb_file_write(&c->out_file, bytes, n, &e)) {
    case WB_IO_OK: return CLI_DONE;
    case WB_IO_CLOSED: return CLI_FAILED;
    case WB_IO_END:
    case WB_IO_FAILED: break;
  }
  return cli_refuse_error(c, CLI_FAILED, NULL, "", &e);
}

cli_status cli_explain(cli *c) {
  cli_status rc = cli_spec_read(c);
  if (rc != CLI_DONE) return rc;
  if (c->spec.language == CLI_LANGUAGE_SQL) return cli_explain_query(c);
  weir_compile_options opts = cli_compile_options(c);
  weir_diagnostics *d = NULL;
  weir_text *text = NULL;
  weir_code code = weir_explain(c->engine, c->spec.text.at, c->spec.text.n, &opts, (weir_stage)c->set.stage,
                                c->set.is_dot ? WEIR_EXPLAIN_DOT : 0, &text, &d);
  if (text != NULL) rc = cli_write_text(c, text); /* a tree comes also with type errors */
  weir_text_free(text);
  if (code == WEIR_OK) return rc;
  cli_status refused = cli_spec_refuse(c, code, d);
  return rc == CLI_DONE ? refused : rc;
}
