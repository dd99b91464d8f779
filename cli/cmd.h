/* cli/cmd.h -- what the commands share: the settings, where messages go, the specification. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include "cli/caret.h"
#include "cli/cli.h"
#include "cli/options.h"

typedef struct cli_spec {
  const char *path;      /* as the user wrote it */
  wb_str text;           /* block of cli.mem */
  cli_language language; /* of the text */
  weir_program *program; /* owned: weir_program_release */
  weir_query *query;     /* owned: weir_query_free; one of the two is NULL */
} cli_spec;

typedef struct cli {
  cli_env *env;        /* borrowed */
  cli_settings set;
  wb_mem mem;          /* lives as long as the command */
  weir_engine *engine; /* owned; made by cli_spec_load */
  cli_spec spec;
  wb_file err_file, out_file; /* borrowed descriptors */
  cli_say err;         /* messages */
} cli;

cli_status cli_run(cli *c);
cli_status cli_check(cli *c);
cli_status cli_explain(cli *c);
cli_status cli_bench(cli *c);
cli_status cli_completions(cli *c, int argc, char **argv); /* with the words behind its name */

/* For a spec in SQL, once it has been read. */
cli_status cli_check_query(cli *c);
cli_status cli_run_query(cli *c);
cli_status cli_explain_query(cli *c);

/* Reads c->set.spec and makes an engine, without compiling.  Says what is wrong. */
cli_status cli_spec_read(cli *c);
/* Compiles what was read into c->spec.program.  Says what is wrong with it. */
cli_status cli_spec_load(cli *c);
/* Checks what was read into c->spec.query.  Says what is wrong with it; being unbounded is not. */
cli_status cli_query_load(cli *c);
weir_compile_options cli_compile_options(const cli *c);
/* What helps where native code cannot run for lack of the module; NULL: that is not why. */
const char *cli_module_hint(const char *why);
/* What a compilation answered, told; and frees `d`.  CLI_WRONG, or CLI_FAILED for memory. */
cli_status cli_spec_refuse(cli *c, weir_code code, weir_diagnostics *d);
/* Ends a command that only wrote to standard output. */
cli_status cli_end_text(cli *c, cli_say *out);

/* Writes it to standard output, in one piece: whole lines, whatever happens. */
cli_status cli_write_text(cli *c, const weir_text *text);

/* Messages with nothing but a text and a hint (NULL: none); the answer is `status`. */
cli_status cli_refuse(cli *c, cli_status status, const char *file, const char *text, const char *hint);
/* What a failed call says, about `file`, or about nothing in particular for NULL. */
cli_status cli_refuse_error(cli *c, cli_status status, const char *file, const char *phase, const weir_error *e);
cli_status cli_refuse_memory(cli *c);
/* CLI_WRONG, and says so, if writing to the file `output` would destroy the trace or the specification. */
cli_status cli_refuse_overwriting(cli *c, const char *output);
/* A warning about `at`, with a hint or none (NULL); nothing with --quiet. */
void cli_warn(cli *c, const cli_mark *at, const char *text, const char *hint);

#endif
