/* cli/cmd_completions.c -- `weir completions SHELL`: scripts for bash, zsh and fish, made from the table of options.
**
** What never changes of a script stands here as text; commands, options, their words and the ends of file names are filled in. */
#include "cli/cmd.h"

#include <string.h>

static void say(cli_say *out, const char *a, const char *b, const char *c) {
  cli_say_text(out, a);
  cli_say_text(out, b);
  cli_say_text(out, c);
}

/* `text` inside single quotes, `special` characters with a backslash before them; a quote becomes `quote`. */
static void say_quoted(cli_say *out, const char *text, const char *special, const char *quote) {
  for (; *text != '\0'; text++) {
    if (*text == '\'') {
      cli_say_text(out, quote);
      continue;
    }
    if (strchr(special, *text)) cli_say_text(out, "\\");
    cli_say_str(out, (wb_str){text, 1});
  }
}

/* The option's words, blanks between them. */
static void say_words(cli_say *out, const cli_option *o) {
  const char *word;
  for (size_t i = 0; (word = cli_option_word(o, i)) != NULL; i++) say(out, i == 0 ? "" : " ", word, "");
}

/* The ends of names of specifications, or of traces, each between `before` and `behind`. */
static void say_ends(cli_say *out, bool of_specs, const char *before, const char *behind, const char *between) {
  const char *end, *lead = "";
  bool is_spec;
  for (size_t i = 0; (end = cli_file_end(i, &is_spec)) != NULL; i++) {
    if (is_spec != of_specs) continue;
    cli_say_text(out, lead);
    say(out, before, end + 1, behind);
    lead = between;
  }
}

static void say_bench_names(cli_say *out) {
  const char *name;
  for (size_t i = 0; (name = cli_bench_name(i)) != NULL; i++) say(out, i == 0 ? "" : " ", name, "");
}

/* ---- bash ---------------------------------------------------------------------------------------------------------- */

static const char bash_head[] =
  "# bash completion for weir, made by `weir completions bash`\n"
  "_weir_files() { # files whose names end so, and folders\n"
  "  local end\n"
  "  compgen -d -- \"$cur\"\n"
  "  for end; do compgen -f -X \"!*.$end\" -- \"$cur\"; done\n"
  "}\n"
  "_weir() {\n"
  "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} joined= command=${COMP_WORDS[1]} options= has_spec= word\n"
  "  COMPREPLY=()\n";

static const char bash_middle[] =
  "  if [ \"$cur\" = = ]; then cur= joined==; elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]} joined==; fi\n"
  "  case $command:$prev$joined in\n";

static const char bash_behind_values[] =
  "  esac\n"
  "  for word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
  "    case $word in ";

static void say_bash_values(cli_say *out, cli_command command) {
  const char *name = cli_command_name(command);
  cli_option o;
  for (size_t i = 0; cli_option_at(command, i, &o); i++) {
    if (o.argument == NULL) continue;
    cli_say_text(out, "    ");
    if (!o.may_be_bare) say(out, name, ":--", o.name);
    if (!o.may_be_bare) cli_say_text(out, " | ");
    say(out, name, ":--", o.name);
    cli_say_text(out, "=");
    if (o.letter) {
      say(out, " | ", name, ":-");
      cli_say_str(out, (wb_str){&o.letter, 1});
    }
    if (o.is_file) cli_say_text(out, ") mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); compopt -o filenames 2>/dev/null; return ;;\n");
    else if (cli_option_word(&o, 0) == NULL) cli_say_text(out, ") return ;;\n");
    else {
      cli_say_text(out, ") mapfile -t COMPREPLY < <(compgen -W '");
      say_words(out, &o);
      cli_say_text(out, "' -- \"$cur\"); return ;;\n");
    }
  }
}

static void say_bash_options(cli_say *out, cli_command command) {
  cli_option o;
  say(out, "    ", cli_command_name(command), ") options='");
  for (size_t i = 0; cli_option_at(command, i, &o); i++) {
    say(out, i == 0 ? "--" : " --", o.name, "");
    if (!o.letter) continue;
    cli_say_text(out, " -");
    cli_say_str(out, (wb_str){&o.letter, 1});
  }
  cli_say_text(out, "' ;;\n");
}

static void say_bash(cli_say *out) {
  cli_say_text(out, bash_head);
  cli_say_text(out, "  local commands='");
  for (size_t i = 0; i < CLI_COMMANDS; i++) say(out, cli_command_name((cli_command)i), " ", "");
  cli_say_text(out, "'\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                    "    mapfile -t COMPREPLY < <(compgen -W \"$commands help completions --help --version\" -- \"$cur\")\n    return\n  fi\n");
  cli_say_text(out, bash_middle);
  cli_say_text(out, "    help:*) mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$cur\"); return ;;\n"
                    "    completions:*) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- \"$cur\"); return ;;\n");
  for (size_t i = 0; i < CLI_COMMANDS; i++) say_bash_values(out, (cli_command)i);
  cli_say_text(out, bash_behind_values);
  say_ends(out, true, "*.", "", " | ");
  cli_say_text(out, ") has_spec=1 ;; esac\n  done\n  case $command in\n");
  for (size_t i = 0; i < CLI_COMMANDS; i++) say_bash_options(out, (cli_command)i);
  cli_say_text(out, "    *) return ;;\n  esac\n"
                    "  if [[ $cur == -* ]]; then\n    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n    return\n  fi\n"
                    "  if [ -z \"$has_spec\" ]; then\n    mapfile -t COMPREPLY < <(_weir_files ");
  say_ends(out, true, "", "", " ");
  cli_say_text(out, ")\n    if [ \"$command\" = bench ]; then mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -W '");
  say_bench_names(out);
  cli_say_text(out, "' -- \"$cur\"); fi\n  elif [ \"$command\" = run ] || [ \"$command\" = bench ]; then\n    mapfile -t COMPREPLY < <(_weir_files ");
  say_ends(out, false, "", "", " ");
  cli_say_text(out, ")\n  fi\n  compopt -o filenames 2>/dev/null\n}\ncomplete -F _weir weir\n");
}

/* ---- zsh ----------------------------------------------------------------------------------------------------------- */

static void say_zsh_option(cli_say *out, const cli_option *o) {
  if (o->letter) {
    say(out, "        '(-", (const char[]){o->letter, '\0'}, " --");
    say(out, o->name, ")'{-", (const char[]){o->letter, '\0'});
    say(out, o->argument && !o->may_be_bare ? "+,--" : ",--", o->name, o->argument ? "=}" : "}");
    cli_say_text(out, "'[");
  } else {
    say(out, "        '--", o->name, o->argument == NULL ? "[" : o->may_be_bare ? "=-[" : "=[");
  }
  say_quoted(out, o->help, "[]:\\", "'\\''");
  cli_say_text(out, "]");
  if (o->argument) say(out, o->may_be_bare ? "::" : ":", o->argument, ":");
  if (o->argument && o->is_file) cli_say_text(out, "_files");
  if (cli_option_word(o, 0) != NULL) {
    cli_say_text(out, "(");
    say_words(out, o);
    cli_say_text(out, ")");
  }
  cli_say_text(out, "' \\\n");
}

static void say_zsh_command(cli_say *out, cli_command command) {
  cli_option o;
  say(out, "      ", cli_command_name(command), ") _arguments -s \\\n");
  for (size_t i = 0; cli_option_at(command, i, &o); i++) say_zsh_option(out, &o);
  if (command == CLI_BENCH) {
    cli_say_text(out, "        '*:part or file:_alternative \"parts:part:(");
    say_bench_names(out);
    cli_say_text(out, ")\" \"files:file:_files -g \\\"*.(");
    say_ends(out, true, "", "|", "");
    say_ends(out, false, "", "", "|");
    cli_say_text(out, ")\\\"\"'");
  } else {
    cli_say_text(out, "        '1:specification:_files -g \"*.(");
    say_ends(out, true, "", "", "|");
    cli_say_text(out, ")\"'");
  }
  if (command == CLI_RUN) {
    cli_say_text(out, " \\\n        '*:trace:_files -g \"*.(");
    say_ends(out, false, "", "", "|");
    cli_say_text(out, ")\"'");
  }
  cli_say_text(out, " ;;\n");
}

static void say_zsh(cli_say *out) {
  cli_say_text(out, "#compdef weir\n# zsh completion for weir, made by `weir completions zsh`\n_weir() {\n"
                    "  local line state\n  local -a commands\n  commands=(\n");
  for (size_t i = 0; i < CLI_COMMANDS; i++) {
    say(out, "    '", cli_command_name((cli_command)i), ":");
    say_quoted(out, cli_command_summary((cli_command)i), "\\", "'\\''");
    cli_say_text(out, "'\n");
  }
  cli_say_text(out, "    'help:the options of a command'\n    'completions:a script that completes words'\n  )\n"
                    "  _arguments -C '--version[the version]' '--help[the commands]' '1: :->command' '*:: :->argument'\n"
                    "  case $state in\n    command) _describe command commands ;;\n    argument) case $line[1] in\n");
  for (size_t i = 0; i < CLI_COMMANDS; i++) say_zsh_command(out, (cli_command)i);
  cli_say_text(out, "      help) _describe command commands ;;\n      completions) _values shell bash zsh fish ;;\n    esac ;;\n  esac\n}\n"
                    "if [ \"${funcstack[1]-}\" = _weir ]; then _weir \"$@\"; else compdef _weir weir; fi\n");
}

/* ---- fish ---------------------------------------------------------------------------------------------------------- */

static void say_fish_word(cli_say *out, const char *name, const char *summary) {
  say(out, "complete -c weir -n __fish_use_subcommand -a ", name, " -d '");
  say_quoted(out, summary, "\\", "\\'");
  cli_say_text(out, "'\n");
}

static void say_fish_option(cli_say *out, cli_command command, const cli_option *o) {
  say(out, "complete -c weir -n '__fish_seen_subcommand_from ", cli_command_name(command), "' -l ");
  cli_say_text(out, o->name);
  if (o->letter) say(out, " -s ", (const char[]){o->letter, '\0'}, "");
  if (o->is_file) cli_say_text(out, " -r -F");
  else if (o->argument && !o->may_be_bare) cli_say_text(out, " -x");
  if (cli_option_word(o, 0) != NULL) {
    cli_say_text(out, " -a '");
    say_words(out, o);
    cli_say_text(out, "'");
  }
  cli_say_text(out, " -d '");
  say_quoted(out, o->help, "\\", "\\'");
  cli_say_text(out, "'\n");
}

static void say_fish_files(cli_say *out, const char *commands, bool is_spec) {
  const char *end;
  bool is_specs;
  for (size_t i = 0; (end = cli_file_end(i, &is_specs)) != NULL; i++) {
    if (is_specs != is_spec) continue;
    say(out, "complete -c weir -n '__fish_seen_subcommand_from", commands, "' -k -a '(__fish_complete_suffix ");
    cli_say_text(out, end);
    cli_say_text(out, ")'\n");
  }
}

static void say_fish(cli_say *out) {
  cli_option o;
  cli_say_text(out, "# fish completion for weir, made by `weir completions fish`\ncomplete -c weir -f\n");
  for (size_t i = 0; i < CLI_COMMANDS; i++) say_fish_word(out, cli_command_name((cli_command)i), cli_command_summary((cli_command)i));
  say_fish_word(out, "help", "the options of a command");
  say_fish_word(out, "completions", "a script that completes words");
  cli_say_text(out, "complete -c weir -n __fish_use_subcommand -l version -d 'the version'\n"
                    "complete -c weir -n '__fish_seen_subcommand_from completions' -a 'bash zsh fish'\n"
                    "complete -c weir -n '__fish_seen_subcommand_from help' -a '");
  for (size_t i = 0; i < CLI_COMMANDS; i++) say(out, i == 0 ? "" : " ", cli_command_name((cli_command)i), "");
  cli_say_text(out, "'\n");
  for (size_t k = 0; k < CLI_COMMANDS; k++)
    for (size_t i = 0; cli_option_at((cli_command)k, i, &o); i++) say_fish_option(out, (cli_command)k, &o);
  cli_say_text(out, "complete -c weir -n '__fish_seen_subcommand_from bench' -a '");
  say_bench_names(out);
  cli_say_text(out, "'\n");
  say_fish_files(out, " run bench", false);
  say_fish_files(out, " run check explain bench", true); /* the last one added comes first */
}

/* ---- The door ------------------------------------------------------------------------------------------------------ */

static const struct { const char *name; void (*say)(cli_say *out); } shells[] = {{"bash", say_bash}, {"zsh", say_zsh}, {"fish", say_fish}};

cli_status cli_completions(cli *c, int argc, char **argv) {
  cli_say out;
  cli_say_open(&out, &c->out_file);
  for (size_t i = 0; argc == 1 && i < WB_LEN(shells); i++)
    if (strcmp(argv[0], shells[i].name) == 0) {
      shells[i].say(&out);
      return cli_end_text(c, &out);
    }
  return cli_refuse(c, CLI_WRONG, NULL, "completions: the name of one shell is needed", "bash, zsh or fish");
}
