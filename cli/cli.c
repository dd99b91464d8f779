/* cli/cli.c -- the command: picks what to do, takes and gives back what the commands share. */
#include "cli/cmd.h"
#include "cli/pipes.h"
#include "cli/report_json.h"

#include <string.h>
#include <sys/stat.h>

cli_status cli_refuse(cli *c, cli_status status, const char *file, const char *text, const char *hint) {
  if (c->set.wants_json && status == CLI_WRONG) return cli_json_refusal(c, WEIR_OK, text, hint);
  cli_mark at = {.file = file ? file : "weir"};
  cli_message m = {.level = "error", .phase = "", .number = WEIR_NO_ROW, .text = text, .hint = hint};
  cli_complain(&c->err, &at, &m);
  return status;
}

cli_status cli_refuse_error(cli *c, cli_status status, const char *file, const char *phase, const weir_error *e) {
  if (e->code == WEIR_E_MEMORY) return cli_refuse_memory(c);
  if (c->set.wants_json && status == CLI_WRONG) return cli_json_refusal(c, e->code, e->text, NULL);
  cli_mark at = {.file = file ? file : "weir"};
  cli_message m = {.level = "error", .phase = phase, .number = WEIR_NO_ROW, .text = e->text};
  cli_complain(&c->err, &at, &m);
  return status;
}

cli_status cli_refuse_memory(cli *c) { return cli_refuse(c, CLI_FAILED, NULL, "out of memory", NULL); }

/* Writing to the file that is read would destroy it. */
static bool is_same_file(const cli_env *env, const char *output, const char *input) {
  struct stat x, y;
  if (cli_is_standard(output) || stat(output, &x) != 0 || !S_ISREG(x.st_mode)) return false;
  if ((cli_is_standard(input) ? fstat(env->in, &y) : stat(input, &y)) != 0) return false;
  return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

cli_status cli_refuse_overwriting(cli *c, const char *output) {
  if (is_same_file(c->env, output, c->set.trace)) return cli_refuse(c, CLI_WRONG, output, "the output would overwrite the trace", NULL);
  if (is_same_file(c->env, output, c->set.spec)) return cli_refuse(c, CLI_WRONG, output, "the output would overwrite the specification", NULL);
  return CLI_DONE;
}

void cli_warn(cli *c, const cli_mark *at, const char *text, const char *hint) {
  if (c->set.is_quiet) return;
  cli_message m = {.level = "warning", .phase = "", .number = WEIR_NO_ROW, .text = text, .hint = hint};
  cli_complain(&c->err, at, &m);
}

/* ---- The specification --------------------------------------------------------------------------------------------- */

static cli_status find_language(cli *c, const char *path) {
  c->spec.language = cli_language_of(path);
  if (c->spec.language == CLI_LANGUAGE_NONE) c->spec.language = (cli_language)c->set.language;
  if (c->spec.language != CLI_LANGUAGE_NONE) return CLI_DONE;
  wb_file f; /* a name with a slip may be no file's: that is said first */
  weir_error e;
  if (wb_file_open_read(&f, &c->env->io, path, &e) != WEIR_OK) return cli_refuse_error(c, CLI_WRONG, NULL, "", &e);
  (void)wb_file_close(&f, &e); /* nothing was read */
  bool is_trace = cli_format_of(path) != CLI_FORMAT_NONE;
  return cli_refuse(c, CLI_WRONG, path, is_trace ? "the name is that of a trace, and a specification comes first" : "the name does not tell the language",
                    is_trace ? "a specification of that name needs --language" : "--language dsrv tells it, or --language sql");
}

const char *cli_module_hint(const char *why) {
  return strstr(why, "weir_native.so") == NULL ? NULL :
    "a build with -DWEIR_NATIVE=ON makes it, as `./dev build native`; it is looked for beside this command, there in weir/, in ../lib/weir/, and where modules are installed";
}

static void say_diagnostics(cli *c, const weir_diagnostics *d) {
  for (size_t i = 0; i < weir_diagnostics_count(d); i++) {
    weir_diagnostic one = weir_diagnostics_at(d, i);
    cli_mark at = {.file = c->spec.path};
    if (weir_code_phase(one.code)[0] != '\0') at = cli_mark_span(c->spec.path, c->spec.text, one.span);
    const char *hint = one.code == WEIR_E_ARGUMENT ? cli_module_hint(one.text) : one.hint; /* of native code, which only `weir explain` asks for here */
    cli_message m = {.level = "error", .phase = weir_code_phase(one.code), .number = WEIR_NO_ROW, .text = one.text, .hint = hint};
    cli_complain(&c->err, &at, &m);
  }
  size_t more = weir_diagnostics_left_out(d);
  if (more == 0) return;
  cli_say_number(&c->err, more);
  cli_say_text(&c->err, more == 1 ? " more error\n" : " more errors\n");
  (void)cli_say_end(&c->err);
}

weir_compile_options cli_compile_options(const cli *c) {
  const cli_settings *s = &c->set;
  return (weir_compile_options){
    .size = sizeof(weir_compile_options),
    .max_source_bytes = s->max_source_bytes,
    .max_nesting = s->max_nesting,
    .max_name_bytes = s->max_name_bytes,
    .max_equations = s->max_equations,
    .max_state_bytes = s->max_state_bytes,
    .max_aliases = s->max_aliases,
    .max_sql_steps = s->max_sql_steps,
    .name = s->spec,
  };
}

cli_status cli_spec_refuse(cli *c, weir_code code, weir_diagnostics *d) {
  cli_status status = CLI_WRONG;
  if (code == WEIR_E_MEMORY || weir_diagnostics_count(d) == 0) status = cli_refuse_memory(c);
  else if (c->set.wants_json) status = cli_json_diagnostics(c, d);
  else say_diagnostics(c, d);
  weir_diagnostics_free(d);
  return status;
}

cli_status cli_spec_read(cli *c) {
  const char *path = c->spec.path = c->set.spec;
  if (cli_is_standard(path)) return cli_refuse(c, CLI_WRONG, NULL, "a specification cannot be read from standard input", "- stands for a trace; ./- is a file of that name");
  cli_status rc = find_language(c, path);
  if (rc != CLI_DONE) return rc;
  weir_error e;
  weir_code code = wb_file_read_all(&c->env->io, path, c->set.max_source_bytes, &c->mem, &c->spec.text, &e);
  if (code == WEIR_E_LIMIT) {
    (void)wb_fail(&e, code, WB_NOWHERE, "the text is larger than %zu byte%s (--max-source-bytes)", c->set.max_source_bytes, WB_S(c->set.max_source_bytes));
    return cli_refuse_error(c, CLI_WRONG, path, weir_code_phase(code), &e);
  }
  if (code != WEIR_OK) return cli_refuse_error(c, CLI_WRONG, NULL, "", &e);
  const char *cache = c->set.cache != NULL ? c->set.cache : c->env->cache;
  weir_engine_options opts = {.size = sizeof opts, .allocator = &c->env->door.from, .perf_map = c->set.wants_perf_map,
                              .object_cache = c->set.has_no_cache ? NULL : cache, .object_cache_bytes = c->set.max_cache_bytes,
                              .max_compile_memory = c->set.max_compile_memory};
  if ((code = weir_engine_new(&opts, &c->engine, &e)) != WEIR_OK) return cli_refuse_error(c, CLI_FAILED, NULL, "", &e);
  return CLI_DONE;
}

cli_status cli_spec_load(cli *c) {
  weir_compile_options opts = cli_compile_options(c);
  weir_diagnostics *d = NULL;
  weir_code code = weir_compile(c->engine, c->spec.text.at, c->spec.text.n, &opts, &c->spec.program, &d);
  return code == WEIR_OK ? CLI_DONE : cli_spec_refuse(c, code, d);
}

/* ---- The command --------------------------------------------------------------------------------------------------- */

cli_status cli_end_text(cli *c, cli_say *out) {
  switch (cli_say_end(out)) {
    case WB_IO_OK: return CLI_DONE;
    case WB_IO_CLOSED: return CLI_FAILED;
    case WB_IO_END:
    case WB_IO_FAILED: break;
  }
  return cli_refuse_error(c, CLI_FAILED, NULL, "", &out->error);
}

static cli_status say_help(cli *c, cli_command command) {
  cli_say out;
  cli_say_open(&out, &c->out_file);
  if (command == CLI_COMMANDS) cli_help(&out);
  else cli_help_command(command, &out);
  return cli_end_text(c, &out);
}

static cli_status say_version(cli *c) {
  cli_say out;
  cli_say_open(&out, &c->out_file);
  cli_say_text(&out, "weir ");
  cli_say_text(&out, weir_version());
  cli_say_text(&out, "\n");
  return cli_end_text(c, &out);
}

static cli_status (*const runners[CLI_COMMANDS])(cli *) = {[CLI_RUN] = cli_run, [CLI_CHECK] = cli_check, [CLI_EXPLAIN] = cli_explain, [CLI_BENCH] = cli_bench};

static bool is_word(const char *text, const char *a, const char *b) { return strcmp(text, a) == 0 || strcmp(text, b) == 0; }

static cli_status dispatch(cli *c, int argc, char **argv) {
  if (argc < 2) {
    cli_help(&c->err);
    (void)cli_say_end(&c->err);
    return CLI_WRONG;
  }
  if (is_word(argv[1], "--version", "version")) return say_version(c);
  if (is_word(argv[1], "--help", "-h")) return say_help(c, CLI_COMMANDS);
  if (strcmp(argv[1], "completions") == 0) return cli_completions(c, argc - 2, argv + 2);
  bool is_help = strcmp(argv[1], "help") == 0;
  if (is_help && argc == 2) return say_help(c, CLI_COMMANDS);
  const char *name = argv[is_help ? 2 : 1];
  cli_command command = cli_command_find(name);
  if (command == CLI_COMMANDS) {
    cli_command_unknown(name, &c->err);
    return CLI_WRONG;
  }
  if (is_help) return say_help(c, command);
  if (!cli_options_read(&c->set, command, argc - 2, argv + 2, &c->err)) return CLI_WRONG;
  return c->set.wants_help ? say_help(c, command) : runners[command](c);
}

int cli_main(int argc, char **argv, cli_env *env) {
  cli c = {.env = env};
  wb_mem_init(&c.mem, &env->door, 0);
  wb_file_borrow(&c.out_file, &env->io, env->out);
  wb_file_borrow(&c.err_file, &env->err_io, env->err);
  cli_say_open(&c.err, &c.err_file);
  cli_status status = dispatch(&c, argc, argv);
  if (env->ends_process) return (int)status;
  weir_program_release(c.spec.program);
  weir_query_free(c.spec.query);
  weir_engine_free(c.engine);
  wb_mem_drop(&c.mem);
  return (int)status;
}
