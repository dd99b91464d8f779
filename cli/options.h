/* cli/options.h -- the command's words and options: one table, from which parsing, help and hints are made. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/say.h"

typedef enum cli_command { CLI_RUN = 0, CLI_CHECK, CLI_EXPLAIN, CLI_BENCH, CLI_COMMANDS } cli_command;

typedef enum cli_format { CLI_FORMAT_NONE = 0, CLI_FORMAT_TRACE, CLI_FORMAT_CSV, CLI_FORMAT_NDJSON } cli_format;
typedef enum cli_language { CLI_LANGUAGE_NONE = 0, CLI_LANGUAGE_DSRV, CLI_LANGUAGE_SQL } cli_language;
typedef enum cli_tier { CLI_TIER_AUTO = 0, CLI_TIER_CANONICAL, CLI_TIER_QUICKENED, CLI_TIER_NATIVE } cli_tier;
typedef enum cli_stats { CLI_STATS_NONE = 0, CLI_STATS_TEXT, CLI_STATS_JSON } cli_stats;

enum { CLI_WITNESS_MOST = 10 };

/* What the command line says, defaults filled in.  Texts are those of argv. */
typedef struct cli_settings {
  cli_command command;
  bool wants_help;
  const char *spec, *trace; /* NULL: none */
  bool has_ticks;
  uint64_t ticks;
  const char *output, *time_column, *cache; /* NULL: none */
  uint8_t input_format, output_format, language, tier, stats, stage; /* stage: a weir_stage */
  bool is_quiet, is_strict, wants_json, is_dot, wants_perf_map, has_no_cache;
  uint64_t max_gap, compile_after, check_every, check_seed;
  const char *check_folder; /* NULL: none */
  size_t max_value_nesting, max_line_bytes, max_memory, max_compile_memory, max_cache_bytes;
  size_t max_source_bytes, max_nesting, max_name_bytes, max_equations, max_state_bytes, max_aliases;
  uint64_t max_sql_steps;
  size_t threads; /* that read, run and write */
  size_t witness; /* at most CLI_WITNESS_MOST; 0: none */
  /* of `weir bench` */
  const char *html; /* NULL: none */
  bool is_quick, with_medians, only_edges;
  uint32_t names, variants; /* bits of weir_bench_request */
  uint8_t level;
  size_t rows, repeats, processes; /* 0: as usual */
} cli_settings;

/* Reads the words behind the name of the command.  False: it has said on `err` what is wrong. */
bool cli_options_read(cli_settings *s, cli_command command, int argc, char **argv, cli_say *err) WB_MUST_USE;
/* The command of that name, or CLI_COMMANDS. */
cli_command cli_command_find(const char *name);
/* Says that there is no command `name`, and which one may have been meant. */
void cli_command_unknown(const char *name, cli_say *err);
void cli_help(cli_say *to);
void cli_help_command(cli_command command, cli_say *to);

typedef enum cli_packing { CLI_PACKING_NONE = 0, CLI_PACKING_GZIP, CLI_PACKING_ZSTD } cli_packing;

/* An option, for those who list them all.  Texts are static. */
typedef struct cli_option {
  const char *name;     /* without the dashes */
  char letter;          /* 0: none */
  const char *argument; /* what it takes; NULL: nothing */
  bool may_be_bare;     /* with or without it, and then only behind a '=' */
  bool is_file;         /* it takes the name of a file */
  const char *help;
  size_t number;        /* in the table, for cli_option_word */
} cli_option;
/* The i-th option of a command; false behind the last one. */
bool cli_option_at(cli_command command, size_t i, cli_option *out);
/* The i-th word that the option can take; NULL behind the last one, and for options that take something else. */
const char *cli_option_word(const cli_option *o, size_t i);
/* The i-th name that `weir bench` knows; NULL behind the last one. */
const char *cli_bench_name(size_t i);
const char *cli_command_name(cli_command command);
const char *cli_command_summary(cli_command command);
/* The i-th end of a file's name that tells something (".csv"); NULL behind the last one. */
const char *cli_file_end(size_t i, bool *is_spec);

/* Compression, format and language by the end of a file's name; 0 where it tells nothing.  "x.csv.gz" is CSV. */
cli_packing cli_packing_of(const char *path);
cli_format cli_format_of(const char *path);
cli_language cli_language_of(const char *path);

#endif
