/* cli/cmd_query.c -- queries of SQL: checked, explained, and not run yet. */
#include "cli/cmd.h"
#include "cli/report_json.h"
#include "cli/report_query.h"
#include "cli/witness.h"

cli_status cli_query_load(cli *c) {
  weir_compile_options opts = cli_compile_options(c);
  weir_diagnostics *d = NULL;
  weir_code code = weir_query_check(c->engine, c->spec.text.at, c->spec.text.n, &opts, &c->spec.query, &d);
  return code == WEIR_OK ? CLI_DONE : cli_spec_refuse(c, code, d);
}

static cli_status show(cli *c, weir_query_view view) {
  weir_text *text;
  weir_error e;
  if (weir_query_explain(c->spec.query, view, &text, &e) != WEIR_OK) return cli_refuse_error(c, CLI_FAILED, NULL, "", &e);
  cli_status rc = cli_write_text(c, text);
  weir_text_free(text);
  return rc;
}

cli_status cli_check_query(cli *c) {
  cli_status rc = cli_query_load(c);
  if (rc != CLI_DONE) return rc;
  const weir_verdict *v = weir_query_verdict(c->spec.query);
  const char *folder;
  if ((rc = cli_witness_write(c, v, &folder)) != CLI_DONE) return rc;
  if (c->set.wants_json) rc = cli_json_query(c, v, folder);
  else if (c->set.is_dot) rc = show(c, WEIR_QUERY_DOT);
  else rc = cli_tell_query(c, v, folder);
  return rc == CLI_DONE && !v->is_bounded ? CLI_UNBOUNDED : rc;
}

cli_status cli_run_query(cli *c) {
  cli_status rc = cli_query_load(c);
  if (rc != CLI_DONE) return rc;
  const weir_verdict *v = weir_query_verdict(c->spec.query);
  if (v->is_bounded)
    return cli_refuse(c, CLI_WRONG, c->spec.path, "compile: queries cannot be run yet", "`weir check` tells what this one will keep between steps");
  cli_refuse_unbounded(c, v);
  return CLI_UNBOUNDED;
}

cli_status cli_explain_query(cli *c) {
  bool has_stage = c->set.stage == WEIR_STAGE_AST || c->set.stage == WEIR_STAGE_GRAPH;
  if (!has_stage) return cli_refuse(c, CLI_WRONG, c->spec.path, "a query has no such stage yet", "--stage ast shows what was understood");
  cli_status rc = cli_query_load(c);
  return rc == CLI_DONE ? show(c, c->set.is_dot ? WEIR_QUERY_DOT : WEIR_QUERY_SCRIPT) : rc;
}
