/* cli/options.c -- the command's words and options; see options.h.
**
** An option is one row of `options`.  Its kind says how the argument is read and what stands at `to` in cli_settings. */
#include "cli/options.h"

#include <string.h>

#include "bench/weir_bench.h"
#include "ir/base/text.h"

/* ---- The tables ---------------------------------------------------------------------------------------------------- */

enum { KIB = 1 << 10, MIB = 1 << 20, GIB = 1 << 30 };

static const struct { const char *name, *usage, *summary, *details; } commands[CLI_COMMANDS] = {
  [CLI_RUN] = {"run", "weir run [OPTION]... SPEC [TRACE]", "run a specification over a trace",
    "Runs the specification SPEC tick by tick over the rows of TRACE and prints its outputs. Without TRACE, or with\n"
    "-, the rows are read from standard input. A specification without inputs needs --ticks N instead.\n"},
  [CLI_CHECK] = {"check", "weir check [OPTION]... SPEC", "check a specification and show what it retains",
    "Checks the specification SPEC. Prints `ok N streams, B bytes`, where N counts inputs and equations and B is what a\n"
    "monitor retains between two ticks (`+ values`: and values of no fixed size), then one line a stream: its place in\n"
    "the order of evaluation, its role, name and type, the bytes it retains, and what it reads; total[1] is a delay.\n"
    "With --json all of that, or what is wrong, for programs.\n"
    "Of a query in SQL it prints `bounded`, the cells (words of 64 bits) and bytes that answering it will ever take, and what\n"
    "they are for; or `unbounded`, with the column and the predicate that make it so, and exit status 3.\n"},
  [CLI_EXPLAIN] = {"explain", "weir explain [OPTION]... SPEC", "show what becomes of a specification",
    "Shows one stage of the way from the specification SPEC to a monitor: ast, the syntax tree with the types that were\n"
    "found; graph, what each stream computes; schedule, the order of evaluation; state, what a monitor retains; ir, the\n"
    "instructions of the quickened tier; regions, which streams it runs together; llvm and asm, the native tier's code.\n"},
  [CLI_BENCH] = {"bench", "weir bench [OPTION]... [NAME... | SPEC [TRACE]]", "measure the tiers, or a specification in all of them",
    "Measures each tier of Weir beside hand-written C, over workloads W1 to W10 in several variants; how tiers warm up; what\n"
    "the size of a specification costs; and `weir run` as a whole. NAME runs some of it: W0 to W10, warm-up, chains, command.\n"
    "With a specification SPEC, runs that over the rows of TRACE, which are read before, in each tier and each form of call, and compares what comes out.\n"},
};

static const struct { const char *name, *summary; } not_yet[] = {
  {"fmt", "lay out a specification"},
};

typedef enum kind { FLAG, NUMBER, BYTES, SHARE, TEXT, WORD, WORDS } kind;
typedef struct word { const char *name; uint8_t value; } word;

static const word formats[] = {{"trace", CLI_FORMAT_TRACE}, {"input", CLI_FORMAT_TRACE}, {"csv", CLI_FORMAT_CSV}, {"ndjson", CLI_FORMAT_NDJSON}, {NULL, 0}};
static const word languages[] = {{"dsrv", CLI_LANGUAGE_DSRV}, {"sql", CLI_LANGUAGE_SQL}, {NULL, 0}};
static const word tiers[] = {{"auto", CLI_TIER_AUTO}, {"canonical", CLI_TIER_CANONICAL}, {"quickened", CLI_TIER_QUICKENED}, {"native", CLI_TIER_NATIVE}, {NULL, 0}};
static const word statistics[] = {{"text", CLI_STATS_TEXT}, {"json", CLI_STATS_JSON}, {NULL, 0}};

static const word stages[] = {
  {"ast", WEIR_STAGE_AST}, {"graph", WEIR_STAGE_GRAPH}, {"schedule", WEIR_STAGE_SCHEDULE}, {"state", WEIR_STAGE_STATE},
  {"ir", WEIR_STAGE_IR}, {"regions", WEIR_STAGE_REGIONS}, {"llvm", WEIR_STAGE_LLVM}, {"asm", WEIR_STAGE_ASM}, {NULL, 0}};

static const word variants[] = {{"base", 0}, {"consts", 1}, {"range", 2}, {"sparse", 3}, {NULL, 0}};
static const word levels[] = {{"native", 0}, {"x86-64", 1}, {"x86-64-v3", 2}, {NULL, 0}};

/* What `weir bench` can run by name. */
static const word parts[] = {
  {"W0", 0}, {"W1", 1}, {"W2", 2}, {"W3", 3}, {"W4", 4}, {"W5", 5}, {"W6", 6}, {"W7", 7}, {"W8", 8}, {"W9", 9}, {"W10", 10},
  {"chains", WEIR_BENCH_CHAINS}, {"warm-up", WEIR_BENCH_WARM_UP}, {"command", WEIR_BENCH_COMMAND}, {NULL, 0}};

/* Of `weir bench`, SUITE is without a specification, and OWN is with one. */
enum {
  RUN = 1 << CLI_RUN, CHECK = 1 << CLI_CHECK, EXPLAIN = 1 << CLI_EXPLAIN, SUITE = 1 << CLI_BENCH, OWN = 1 << CLI_COMMANDS,
  BENCH = SUITE | OWN, SPEC = RUN | CHECK | EXPLAIN | OWN, ALL = SPEC | SUITE
};
static const uint8_t bits[CLI_COMMANDS] = {[CLI_RUN] = RUN, [CLI_CHECK] = CHECK, [CLI_EXPLAIN] = EXPLAIN, [CLI_BENCH] = BENCH};

#define AT(field) offsetof(cli_settings, field)

static const struct option {
  const char *name;     /* without the dashes */
  char letter;          /* 0: none */
  uint8_t commands;     /* bits of those that know it */
  uint8_t kind;
  bool may_be_bare;     /* WORD: without an argument it is the first word */
  const char *argument; /* for help */
  size_t to;            /* offset in cli_settings */
  uint64_t least, most, initial; /* NUMBER, BYTES and SHARE, which is 1/NUMBER; TEXT: at least so many bytes */
  const word *words;    /* WORD; WORDS: may be given several times, a bit for each */
  const char *help;
} options[] = {
  {"ticks", 0, RUN | OWN, NUMBER, false, "N", AT(ticks), 0, UINT64_MAX, 0, NULL, "run exactly N ticks: the trace is cut, or filled up with empty ones"},
  {"output", 'o', RUN, TEXT, false, "FILE", AT(output), 1, 0, 0, NULL, "write to FILE instead of standard output"},
  {"input-format", 0, RUN | OWN, WORD, false, "FORMAT", AT(input_format), 0, 0, 0, formats, "trace, csv or ndjson, where the name of the file does not tell; else trace"},
  {"output-format", 0, RUN, WORD, false, "FORMAT", AT(output_format), 0, 0, 0, formats, "trace, csv or ndjson, where the name of FILE does not tell; else as the input"},
  {"time-column", 0, RUN, TEXT, false, "NAME", AT(time_column), 1, 0, 0, NULL, "a column of CSV or NDJSON that labels the rows; copied to the output"},
  {"time-column", 0, OWN, TEXT, false, "NAME", AT(time_column), 1, 0, 0, NULL, "a column of CSV or NDJSON that labels the rows"},
  {"language", 0, SPEC, WORD, false, "LANGUAGE", AT(language), 0, 0, 0, languages, "dsrv or sql, for a SPEC whose name does not end so"},
  {"tier", 0, RUN, WORD, false, "TIER", AT(tier), 0, 0, 0, tiers, "how to run: auto, canonical, quickened or native"},
  {"compile-after", 0, RUN, NUMBER, false, "N", AT(compile_after), 1, UINT64_MAX, 0, NULL, "with --tier auto: compile behind N ticks, not once that pays"},
  {"check-tier", 0, RUN, SHARE, false, "1/N", AT(check_every), 1, UINT32_MAX, 0, NULL, "run one tick of N also canonically, and compare"},
  {"check-seed", 0, RUN, NUMBER, false, "N", AT(check_seed), 0, UINT64_MAX, 0, NULL, "choose other ticks for --check-tier"},
  {"check-folder", 0, RUN, TEXT, false, "FOLDER", AT(check_folder), 1, 0, 0, NULL, "where --check-tier writes what differs, for weir run; else it writes none"},
  {"strict", 0, RUN | OWN, FLAG, false, NULL, AT(is_strict), 0, 0, 0, NULL, "a name in the trace that is no input is an error"},
  {"threads", 0, RUN, NUMBER, false, "N", AT(threads), 1, 2, 2, NULL, "how many may read, run and write: two where a long run of a file gains by it"},
  {"quiet", 'q', RUN | BENCH, FLAG, false, NULL, AT(is_quiet), 0, 0, 0, NULL, "no warnings, no progress bar"},
  {"stats", 0, RUN, WORD, true, "FORM", AT(stats), 0, 0, 0, statistics, "at the end, tell ticks, time and memory on standard error; FORM: text or json"},
  {"perf-map", 0, RUN, FLAG, false, NULL, AT(wants_perf_map), 0, 0, 0, NULL, "name native code in /tmp/perf-PID.map, where perf looks"},
  {"cache", 0, RUN, TEXT, false, "FOLDER", AT(cache), 1, 0, 0, NULL, "where native code is kept for the next run; else weir/ in the user's cache folder"},
  {"no-cache", 0, RUN, FLAG, false, NULL, AT(has_no_cache), 0, 0, 0, NULL, "keep no native code, and look for none"},
  {"stage", 0, EXPLAIN, WORD, false, "STAGE", AT(stage), 0, 0, 0, stages, "ast, graph, schedule, state, ir, regions, llvm or asm (graph)"},
  {"dot", 0, CHECK, FLAG, false, NULL, AT(is_dot), 0, 0, 0, NULL, "a query in DOT, to be drawn: weir check --dot QUERY.sql | dot -Tsvg"},
  {"dot", 0, EXPLAIN, FLAG, false, NULL, AT(is_dot), 0, 0, 0, NULL, "in DOT, to be drawn: weir explain --dot SPEC | dot -Tsvg"},
  {"witness", 0, CHECK, NUMBER, false, "N", AT(witness), 1, CLI_WITNESS_MOST, 0, NULL, "of an unbounded query: write 2^N inputs that show why its memory must grow"},
  {"output", 'o', CHECK, TEXT, false, "FOLDER", AT(output), 1, 0, 0, NULL, "where --witness writes them; else the folder `witness`"},
  {"json", 0, CHECK, FLAG, false, NULL, AT(wants_json), 0, 0, 0, NULL, "the result, or the errors, as JSON on standard output"},
  {"quick", 0, BENCH, FLAG, false, NULL, AT(is_quick), 0, 0, 0, NULL, "a look: one process, fewer rows and turns; within a minute"},
  {"variant", 0, SUITE, WORDS, false, "VARIANT", AT(variants), 0, 0, 0, variants, "only this one of base, consts, range and sparse; may be given several times"},
  {"level", 0, SUITE, WORD, false, "LEVEL", AT(level), 0, 0, 0, levels, "the interpreters that ratios are against: native, x86-64 or x86-64-v3"},
  {"median", 0, BENCH, FLAG, false, NULL, AT(with_medians), 0, 0, 0, NULL, "medians as well as least times in the tables"},
  {"json", 0, BENCH, FLAG, false, NULL, AT(wants_json), 0, 0, 0, NULL, "JSON, with everything, instead of tables"},
  {"html", 0, BENCH, TEXT, false, "FILE", AT(html), 1, 0, 0, NULL, "also write a report with plots to FILE, for any browser"},
  {"rows", 0, SUITE, NUMBER, false, "N", AT(rows), 4096, 1 << 24, 0, NULL, "rows of a workload; else 131072, or 32768 with --quick"},
  {"repeats", 0, BENCH, NUMBER, false, "N", AT(repeats), 1, 10000, 0, NULL, "timed passes of each way; else 15, or 7 with --quick"},
  {"processes", 0, BENCH, NUMBER, false, "N", AT(processes), 1, 64, 0, NULL, "run in N processes and take the least of all; else 3, or 1 with --quick"},
  {"edges", 0, SUITE, FLAG, false, NULL, AT(only_edges), 0, 0, 0, NULL, "no times: check the interpreters against the C at the edges of Int"},
  {"max-gap", 0, RUN | OWN, NUMBER, false, "N", AT(max_gap), 0, UINT64_MAX, 1000000, NULL, "ticks without a row between two timestamps"},
  {"max-line-bytes", 0, RUN | OWN, BYTES, false, "BYTES", AT(max_line_bytes), 1, (uint64_t)2 * GIB, 64 * MIB, NULL, "a line of the trace, its texts included"},
  {"max-value-nesting", 0, RUN | OWN, NUMBER, false, "N", AT(max_value_nesting), 1, UINT32_MAX, 1000, NULL, "levels of a value in the trace"},
  {"max-memory", 0, RUN, BYTES, false, "BYTES", AT(max_memory), 1, SIZE_MAX, 0, NULL, "what the monitor holds in all; no limit unless given"},
  {"max-compile-memory", 0, RUN, BYTES, false, "BYTES", AT(max_compile_memory), 1, SIZE_MAX, (uint64_t)2 * GIB, NULL, "what compiling to machine code may take"},
  {"max-cache-bytes", 0, RUN, BYTES, false, "BYTES", AT(max_cache_bytes), 1, SIZE_MAX, 64 * MIB, NULL, "of native code that is kept: beyond, the oldest goes"},
  {"max-state-bytes", 0, SPEC, BYTES, false, "BYTES", AT(max_state_bytes), 1, SIZE_MAX, GIB, NULL, "what a monitor retains between two ticks"},
  {"max-source-bytes", 0, SPEC, BYTES, false, "BYTES", AT(max_source_bytes), 1, (uint64_t)4 * GIB - 2, 16 * MIB, NULL, "the text of the specification"},
  {"max-nesting", 0, SPEC, NUMBER, false, "N", AT(max_nesting), 1, UINT32_MAX, 1000, NULL, "levels of anything in the specification"},
  {"max-name-bytes", 0, SPEC, BYTES, false, "BYTES", AT(max_name_bytes), 1, UINT32_MAX, 255, NULL, "a name in the specification"},
  {"max-equations", 0, SPEC, NUMBER, false, "N", AT(max_equations), 1, UINT32_MAX, 1000000, NULL, "equations of the specification"},
  {"max-aliases", 0, SPEC, NUMBER, false, "N", AT(max_aliases), 1, 12, 12, NULL, "streams and tables in a FROM, of SQL"},
  {"max-sql-steps", 0, SPEC, NUMBER, false, "N", AT(max_sql_steps), 1, UINT64_MAX, 1000000000, NULL, "of deciding whether a query is bounded"},
  {"help", 'h', ALL, FLAG, false, NULL, AT(wants_help), 0, 0, 0, NULL, "this text"},
};

/* ---- Arguments ----------------------------------------------------------------------------------------------------- */

static const struct { const char *name; unsigned shift; } units[] = {{"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};

/* Digits, then a unit if it is BYTES. */
static bool read_number(const char *text, bool has_unit, uint64_t *out) {
  const char *p = text;
  uint64_t v = 0;
  for (; *p >= '0' && *p <= '9'; p++)
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v)) return false;
  if (p == text) return false;
  for (size_t i = 0; i < (has_unit ? WB_LEN(units) : 1); i++)
    if (strcmp(p, units[i].name) == 0) return !__builtin_mul_overflow(v, (uint64_t)1 << units[i].shift, out);
  return false;
}

static bool read_share(const char *text, uint64_t *out) { return text[0] == '1' && text[1] == '/' && read_number(text + 2, false, out); }

/* Begins a message about the usage. */
static void say_usage(cli_say *err, cli_command command) {
  cli_say_text(err, "weir: ");
  if (command < CLI_COMMANDS) {
    cli_say_text(err, commands[command].name);
    cli_say_text(err, ": ");
  }
}

static void say_foreign(cli_say *err, const char *text) { cli_say_safe(err, (wb_str){text, strlen(text)}); }

static bool refuse(cli_say *err, cli_command command, const char *before, const char *what, const char *behind) {
  say_usage(err, command);
  cli_say_text(err, before);
  say_foreign(err, what);
  cli_say_text(err, behind);
  cli_say_text(err, "\n");
  (void)cli_say_end(err);
  return false;
}

static bool refuse_argument(cli_say *err, cli_command command, const struct option *o, const char *given) {
  say_usage(err, command);
  cli_say_text(err, "--");
  cli_say_text(err, o->name);
  cli_say_text(err, given[0] == '\0' ? " cannot be empty" : " cannot be ");
  say_foreign(err, given);
  if (o->kind != TEXT) cli_say_text(err, "\nhint: ");
  if (o->kind == WORD || o->kind == WORDS) {
    cli_say_text(err, "one of");
    for (const word *w = o->words; w->name; w++) {
      cli_say_text(err, " ");
      cli_say_text(err, w->name);
    }
  } else if (o->kind != TEXT) {
    cli_say_text(err, o->kind == BYTES ? "a number of bytes, or of KiB, MiB or GiB (64MiB), from "
                      : o->kind == SHARE ? "1/N, and N from " : "a number from ");
    cli_say_number(err, o->least);
    cli_say_text(err, " to ");
    cli_say_number(err, o->most);
  }
  cli_say_text(err, "\n");
  (void)cli_say_end(err);
  return false;
}

static void store_number(cli_settings *s, const struct option *o, uint64_t v) {
  char *to = (char *)s + o->to;
  bool is_wide = o->to == AT(ticks) || o->to == AT(max_gap) || o->to == AT(max_sql_steps) || o->to == AT(compile_after) ||
                 o->to == AT(check_every) || o->to == AT(check_seed);
  if (is_wide) *(uint64_t *)(void *)to = v;
  else *(size_t *)(void *)to = (size_t)v;
}

/* The word of the list that is `text`; NULL: none. */
static const word *find_word(const word *list, const char *text) {
  for (; list->name != NULL; list++)
    if (strcmp(list->name, text) == 0) return list;
  return NULL;
}

static bool store(cli_settings *s, const struct option *o, const char *argument, cli_say *err) {
  char *to = (char *)s + o->to;
  uint64_t v;
  const word *w;
  switch ((kind)o->kind) {
    case FLAG: *(bool *)(void *)to = true; return true;
    case TEXT:
      if (strlen(argument) < o->least) return refuse_argument(err, s->command, o, argument);
      *(const char **)(void *)to = argument;
      return true;
    case NUMBER:
    case BYTES:
    case SHARE:
      if (o->kind == SHARE ? !read_share(argument, &v) : !read_number(argument, o->kind == BYTES, &v)) return refuse_argument(err, s->command, o, argument);
      if (v < o->least || v > o->most) return refuse_argument(err, s->command, o, argument);
      store_number(s, o, v);
      if (o->to == AT(ticks)) s->has_ticks = true;
      return true;
    case WORD:
    case WORDS:
      w = argument != NULL ? find_word(o->words, argument) : o->words;
      if (w == NULL) return refuse_argument(err, s->command, o, argument);
      if (o->kind == WORD) *(uint8_t *)(void *)to = w->value;
      else *(uint32_t *)(void *)to |= 1u << w->value;
      return true;
  }
  return false;
}

/* ---- Parsing ------------------------------------------------------------------------------------------------------- */

static bool is_known(const struct option *o, cli_command command) { return (o->commands & bits[command]) != 0; }

/* Whether `name` is the option's: "--ticks" or "-o". */
static bool is_named(const struct option *o, wb_str name) {
  if (name.at[1] != '-') return name.n == 2 && name.at[1] == o->letter;
  return name.n == strlen(o->name) + 2 && memcmp(name.at + 2, o->name, name.n - 2) == 0;
}

/* The option of that name which the command has; NULL: none. */
static const struct option *find(cli_command command, wb_str name) {
  for (size_t i = 0; i < WB_LEN(options); i++)
    if (is_known(&options[i], command) && is_named(&options[i], name)) return &options[i];
  return NULL;
}

/* There is no option `name`, which the word `text` has. */
static bool refuse_unknown(cli_command command, wb_str name, const char *text, cli_say *err) {
  wb_near near;
  wb_near_init(&near, (wb_str){text, strcspn(text, "=")});
  bool is_elsewhere = false;
  for (size_t i = 0; i < WB_LEN(options); i++) is_elsewhere = is_elsewhere || is_named(&options[i], name);
  say_usage(err, command);
  cli_say_text(err, is_elsewhere ? "this command has no option " : "there is no option ");
  cli_say_safe(err, name);
  cli_say_text(err, "\n");
  char names[WB_LEN(options)][24]; /* near names are compared with their dashes */
  for (size_t i = 0; i < WB_LEN(options); i++) {
    size_t length = strlen(options[i].name);
    wb_assert(length + 2 <= sizeof names[i]);
    memcpy(names[i], "--", 2);
    memcpy(names[i] + 2, options[i].name, length);
    if (is_known(&options[i], command)) wb_near_offer(&near, (wb_str){names[i], length + 2});
  }
  if (wb_near_found(&near)) {
    cli_say_text(err, "hint: did you mean ");
    cli_say_str(err, near.best);
    cli_say_text(err, "?\n");
  } else if (cli_language_of(text) != CLI_LANGUAGE_NONE || cli_format_of(text) != CLI_FORMAT_NONE) {
    cli_say_text(err, "hint: ./");
    say_foreign(err, text);
    cli_say_text(err, " is a file of that name\n");
  } else {
    cli_say_text(err, "hint: `weir ");
    cli_say_text(err, commands[command].name);
    cli_say_text(err, " --help` lists the options\n");
  }
  (void)cli_say_end(err);
  return false;
}

/* The words behind the name of the command, where reading them has come to, and the options that were among them. */
typedef struct words { int argc; char **argv; int i; bool given[WB_LEN(options)]; } words;

/* Stores the option, whose argument is the next word where it needs one that is not there (NULL). */
static bool take(cli_settings *s, const struct option *o, const char *name, const char *argument, words *w, cli_say *err) {
  if (argument == NULL && o->kind != FLAG && !o->may_be_bare) {
    if (w->i + 1 >= w->argc) return refuse(err, s->command, "", name, " needs an argument");
    argument = w->argv[++w->i];
  }
  w->given[o - options] = true;
  return store(s, o, argument, err);
}

/* "--ticks", "--ticks=5" */
static bool read_long(cli_settings *s, words *w, cli_say *err) {
  const char *text = w->argv[w->i], *equals = strchr(text, '=');
  wb_str name = {text, strcspn(text, "=")};
  const struct option *o = find(s->command, name);
  if (o == NULL) return refuse_unknown(s->command, name, text, err);
  if (o->kind == FLAG && equals) return refuse(err, s->command, "", text, " takes no argument");
  return take(s, o, text, equals ? equals + 1 : NULL, w, err);
}

/* "-q", "-o", "-oFILE", "-qoFILE", as getopt has it: flags stand together, and what is behind a letter that takes an argument is that. */
static bool read_letters(cli_settings *s, words *w, cli_say *err) {
  const char *text = w->argv[w->i];
  wb_str whole = {text, strlen(text)};
  for (size_t at = 1; at < whole.n; at++) {
    char one[8] = {'-'};
    wb_str name = {one, 1 + cli_char_at(whole, at).bytes};
    memcpy(one + 1, text + at, name.n - 1);
    const struct option *o = find(s->command, name);
    if (o == NULL) return refuse_unknown(s->command, name, text, err);
    if (!take(s, o, one, o->kind == FLAG || at + 1 == whole.n ? NULL : text + at + 1, w, err)) return false;
    if (o->kind != FLAG) break;
  }
  return true;
}

/* A word that is no option. */
static bool read_operand(cli_settings *s, const char *text, cli_say *err) {
  cli_command command = s->command;
  bool has_trace = command == CLI_RUN || command == CLI_BENCH;
  if (text[0] == '\0') return refuse(err, command, "the name of a file is empty", "", "");
  const word *part = command == CLI_BENCH && s->spec == NULL ? find_word(parts, text) : NULL;
  if (part != NULL) {
    s->names |= 1u << part->value;
    return true;
  }
  if (s->spec == NULL) s->spec = text;
  else if (s->trace == NULL && has_trace) s->trace = text;
  else return refuse(err, command, "one file too many: ", text, has_trace ? " (several traces: not yet)" : "");
  return s->names == 0 || refuse(err, command, "parts of the suite are not run together with a file: ", text, "");
}

/* What the suite of `weir bench` has no use for, or a specification there.  A file that is no specification is told later. */
static bool check_form(const cli_settings *s, const words *w, cli_say *err) {
  bool is_own = s->spec != NULL;
  if (s->command != CLI_BENCH || (is_own && s->language == CLI_LANGUAGE_NONE && cli_language_of(s->spec) == CLI_LANGUAGE_NONE)) return true;
  for (size_t i = 0; i < WB_LEN(options); i++)
    if (w->given[i] && (options[i].commands & (is_own ? OWN : SUITE)) == 0)
      return refuse(err, s->command, "--", options[i].name, is_own ? " is about the suite, and takes no file" : " is about a specification, and none is named");
  return true;
}

bool cli_options_read(cli_settings *s, cli_command command, int argc, char **argv, cli_say *err) {
  *s = (cli_settings){.command = command, .stage = WEIR_STAGE_GRAPH};
  for (size_t i = 0; i < WB_LEN(options); i++)
    if (options[i].kind == NUMBER || options[i].kind == BYTES) store_number(s, &options[i], options[i].initial);
  bool has_options = true;
  words w = {.argc = argc, .argv = argv};
  for (; w.i < argc && !s->wants_help; w.i++) {
    const char *text = argv[w.i];
    if (has_options && strcmp(text, "--") == 0) has_options = false;
    else if (!has_options || text[0] != '-' || text[1] == '\0' ? !read_operand(s, text, err) : text[1] == '-' ? !read_long(s, &w, err) : !read_letters(s, &w, err))
      return false;
  }
  if (s->wants_help) return true;
  if (command == CLI_CHECK && s->output != NULL && s->witness == 0) return refuse(err, command, "", "--output", " says where --witness writes, which is not asked for");
  if (s->wants_json && s->is_dot) return refuse(err, command, "", "--json and --dot", " exclude each other");
  if (s->spec != NULL || command == CLI_BENCH) return check_form(s, &w, err);
  say_usage(err, command);
  cli_say_text(err, "a specification is missing\nhint: ");
  cli_say_text(err, commands[command].usage);
  cli_say_text(err, "\n");
  (void)cli_say_end(err);
  return false;
}

/* ---- Commands ------------------------------------------------------------------------------------------------------ */

cli_command cli_command_find(const char *name) {
  for (size_t i = 0; i < CLI_COMMANDS; i++)
    if (strcmp(commands[i].name, name) == 0) return (cli_command)i;
  return CLI_COMMANDS;
}

void cli_command_unknown(const char *name, cli_say *err) {
  for (size_t i = 0; i < WB_LEN(not_yet); i++)
    if (strcmp(not_yet[i].name, name) == 0) {
      (void)refuse(err, CLI_COMMANDS, "", name, " does not exist yet");
      return;
    }
  wb_near near;
  wb_near_init(&near, (wb_str){name, strlen(name)});
  for (size_t i = 0; i < CLI_COMMANDS; i++) wb_near_offer(&near, (wb_str){commands[i].name, strlen(commands[i].name)});
  wb_near_offer(&near, WB_STR("help"));
  cli_say_text(err, "weir: there is no command ");
  say_foreign(err, name);
  if (wb_near_found(&near)) {
    cli_say_text(err, "\nhint: did you mean ");
    cli_say_str(err, near.best);
    cli_say_text(err, "?\n");
  } else if (cli_language_of(name) != CLI_LANGUAGE_NONE) {
    cli_say_text(err, "\nhint: weir run ");
    say_foreign(err, name);
    cli_say_text(err, "\n");
  } else {
    cli_say_text(err, "\nhint: `weir help` lists the commands\n");
  }
  (void)cli_say_end(err);
}

/* ---- Help ---------------------------------------------------------------------------------------------------------- */

enum { HELP_COLUMN = 30 };

static void say_row(cli_say *to, const char *left, const char *right, size_t column) {
  cli_say_text(to, "  ");
  cli_say_text(to, left);
  cli_say_fill(to, ' ', strlen(left) + 2 < column ? column - strlen(left) - 2 : 2);
  cli_say_text(to, right);
  cli_say_text(to, "\n");
}

void cli_help(cli_say *to) {
  cli_say_text(to, "weir ");
  cli_say_text(to, weir_version());
  cli_say_text(to, ": runs stream specifications\n\n");
  for (size_t i = 0; i < CLI_COMMANDS; i++) say_row(to, commands[i].usage, commands[i].summary, 52);
  say_row(to, "weir help COMMAND", "the options of a command", 52);
  say_row(to, "weir completions SHELL", "a script that completes these words: bash, zsh or fish", 52);
  say_row(to, "weir --version", "the version", 52);
  cli_say_text(to,
    "\nExit status: 0 it worked; 1 output or memory failed; 2 the usage or the specification is wrong; 3 a query has no\n"
    "bound; 4 the input is wrong or a tick failed.\n");
}

/* "512", "64MiB". */
static void say_initial(cli_say *to, const struct option *o) {
  size_t unit = 0;
  while (o->kind == BYTES && unit + 1 < WB_LEN(units) && o->initial >> units[unit + 1].shift << units[unit + 1].shift == o->initial) unit++;
  cli_say_text(to, " (");
  cli_say_number(to, o->initial >> units[unit].shift);
  cli_say_text(to, units[unit].name);
  cli_say_text(to, ")");
}

static void say_option(cli_say *to, const struct option *o) {
  const char letter[] = {'-', o->letter, ',', ' ', '\0'};
  size_t used = 8 + strlen(o->name);
  cli_say_text(to, o->letter ? "  " : "      ");
  if (o->letter) cli_say_text(to, letter);
  cli_say_text(to, "--");
  cli_say_text(to, o->name);
  if (o->argument) {
    cli_say_text(to, o->may_be_bare ? "[=" : " ");
    cli_say_text(to, o->argument);
    if (o->may_be_bare) cli_say_text(to, "]");
    used += strlen(o->argument) + (o->may_be_bare ? 3 : 1);
  }
  cli_say_fill(to, ' ', used + 1 < HELP_COLUMN + 2 ? HELP_COLUMN + 2 - used : 2);
  cli_say_text(to, o->help);
  if (o->initial != 0) say_initial(to, o);
  cli_say_text(to, "\n");
}

void cli_help_command(cli_command command, cli_say *to) {
  cli_say_text(to, commands[command].usage);
  cli_say_text(to, "\n\n");
  cli_say_text(to, commands[command].details);
  cli_say_text(to, "\nOptions\n");
  for (size_t i = 0; i < WB_LEN(options); i++)
    if (is_known(&options[i], command) && memcmp(options[i].name, "max-", 4) != 0) say_option(to, &options[i]);
  cli_say_text(to, "\nLimits\n");
  for (size_t i = 0; i < WB_LEN(options); i++)
    if (is_known(&options[i], command) && memcmp(options[i].name, "max-", 4) == 0) say_option(to, &options[i]);
}

/* ---- Lists --------------------------------------------------------------------------------------------------------- */

bool cli_option_at(cli_command command, size_t i, cli_option *out) {
  for (size_t k = 0; k < WB_LEN(options); k++) {
    const struct option *o = &options[k];
    if (!is_known(o, command) || i-- > 0) continue;
    *out = (cli_option){o->name, o->letter, o->argument, o->may_be_bare, o->kind == TEXT && strcmp(o->argument, "FILE") == 0, o->help, k};
    return true;
  }
  return false;
}

const char *cli_option_word(const cli_option *o, size_t i) {
  const word *w = options[o->number].words;
  for (; w != NULL && w->name != NULL; w++)
    if (i-- == 0) return w->name;
  return NULL;
}

const char *cli_bench_name(size_t i) { return parts[i].name; }

const char *cli_command_name(cli_command command) { return commands[command].name; }
const char *cli_command_summary(cli_command command) { return commands[command].summary; }
