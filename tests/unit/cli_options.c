/* tests/unit/cli_options.c -- words and options of the command line. */
#include <string.h>

#include "tests/support/ran.h"
#include "tests/test.h"

static const char copy[] = "in x: Int\nout y: Int\ny = x\n";

static const struct { const char *args[6]; int status; const char *err; } usages[] = {
  {{"rnu"}, 2, "weir: there is no command rnu\nhint: did you mean run?\n"},
  {{"zzzzzz"}, 2, "weir: there is no command zzzzzz\nhint: `weir help` lists the commands\n"},
  {{"a.dsrv"}, 2, "weir: there is no command a.dsrv\nhint: weir run a.dsrv\n"},
  {{"help", "rnu"}, 2, "weir: there is no command rnu\nhint: did you mean run?\n"},
  {{"bench", "W1", "spec.dsrv"}, 2, "weir: bench: parts of the suite are not run together with a file: spec.dsrv\n"},
  {{"bench", "spec.dsrv", "a", "b"}, 2, "weir: bench: one file too many: b (several traces: not yet)\n"},
  {{"bench", "--variant", "W1"}, 2, "weir: bench: --variant cannot be W1\nhint: one of base consts range sparse\n"},
  {{"bench", "--level", "fast"}, 2, "weir: bench: --level cannot be fast\nhint: one of native x86-64 x86-64-v3\n"},
  {{"bench", "--rows", "12"}, 2, "weir: bench: --rows cannot be 12\nhint: a number from 4096 to 16777216\n"},
  {{"bench", "spec.dsrv", "--rows", "4096"}, 2, "weir: bench: --rows is about the suite, and takes no file\n"},
  {{"bench", "--variant", "base", "--variant=sparse", "spec.dsrv", "trace.input"}, 2, "weir: bench: --variant is about the suite, and takes no file\n"},
  {{"bench", "--level", "x86-64", "--language=dsrv", "spec"}, 2, "weir: bench: --level is about the suite, and takes no file\n"},
  {{"bench", "spec.dsrv", "--edges"}, 2, "weir: bench: --edges is about the suite, and takes no file\n"},
  {{"bench", "--ticks", "0"}, 2, "weir: bench: --ticks is about a specification, and none is named\n"},
  {{"bench", "W1", "--input-format=trace"}, 2, "weir: bench: --input-format is about a specification, and none is named\n"},
  {{"bench", "--time-column", "t", "chains"}, 2, "weir: bench: --time-column is about a specification, and none is named\n"},
  {{"bench", "W1", "-q", "--max-gap", "1000000"}, 2, "weir: bench: --max-gap is about a specification, and none is named\n"},
  {{"fmt", "spec.dsrv"}, 2, "weir: fmt does not exist yet\n"},
  {{"run"}, 2, "weir: run: a specification is missing\nhint: weir run [OPTION]... SPEC [TRACE]\n"},
  {{"check"}, 2, "weir: check: a specification is missing\nhint: weir check [OPTION]... SPEC\n"},
  {{"run", "spec.dsrv", "--tikcs", "3"}, 2, "weir: run: there is no option --tikcs\nhint: did you mean --ticks?\n"},
  {{"run", "spec.dsrv", "--max-lin-bytes=3"}, 2, "weir: run: there is no option --max-lin-bytes\nhint: did you mean --max-line-bytes?\n"},
  {{"run", "spec.dsrv", "--blue"}, 2, "weir: run: there is no option --blue\nhint: `weir run --help` lists the options\n"},
  {{"run", "spec.dsrv", "-x"}, 2, "weir: run: there is no option -x\nhint: `weir run --help` lists the options\n"},
  {{"check", "spec.dsrv", "--ticks", "3"}, 2, "weir: check: this command has no option --ticks\nhint: `weir check --help` lists the options\n"},
  {{"run", "spec.dsrv", "--ticks"}, 2, "weir: run: --ticks needs an argument\n"},
  {{"run", "spec.dsrv", "-o"}, 2, "weir: run: -o needs an argument\n"},
  {{"run", "spec.dsrv", "-qo"}, 2, "weir: run: -o needs an argument\n"},
  {{"run", "spec.dsrv", "-qx"}, 2, "weir: run: there is no option -x\nhint: `weir run --help` lists the options\n"},
  {{"run", "spec.dsrv", "-quiet"}, 2, "weir: run: there is no option -u\nhint: did you mean --quiet?\n"},
  {{"run", "spec.dsrv", "-q=yes"}, 2, "weir: run: there is no option -=\nhint: `weir run --help` lists the options\n"},
  {{"run", "spec.dsrv", "-q\xC3\xA9"}, 2, "weir: run: there is no option -\xC3\xA9\nhint: `weir run --help` lists the options\n"},
  {{"explain", "spec.dsrv", "-q"}, 2, "weir: explain: this command has no option -q\nhint: `weir explain --help` lists the options\n"},
  {{"run", "spec.dsrv", "-o=/x"}, 1, "weir: error: cannot write =/x: no such file or folder\n"},
  {{"run", "spec.dsrv", "--strict=yes"}, 2, "weir: run: --strict=yes takes no argument\n"},
  {{"run", "spec.dsrv", "--ticks", "3x"}, 2, "weir: run: --ticks cannot be 3x\nhint: a number from 0 to 18446744073709551615\n"},
  {{"run", "spec.dsrv", "--check-tier", "5"}, 2, "weir: run: --check-tier cannot be 5\nhint: 1/N, and N from 1 to 4294967295\n"},
  {{"run", "spec.dsrv", "--check-tier", "1/0"}, 2, "weir: run: --check-tier cannot be 1/0\nhint: 1/N, and N from 1 to 4294967295\n"},
  {{"run", "spec.dsrv", "--check-tier", "1/2x"}, 2, "weir: run: --check-tier cannot be 1/2x\nhint: 1/N, and N from 1 to 4294967295\n"},
  {{"run", "spec.dsrv", "--ticks", "-1"}, 2, "weir: run: --ticks cannot be -1\nhint: a number from 0 to 18446744073709551615\n"},
  {{"run", "spec.dsrv", "--ticks="}, 2, "weir: run: --ticks cannot be empty\nhint: a number from 0 to 18446744073709551615\n"},
  {{"run", "spec.dsrv", "--time-column", ""}, 2, "weir: run: --time-column cannot be empty\n"},
  {{"run", "spec.dsrv", "--time-column="}, 2, "weir: run: --time-column cannot be empty\n"},
  {{"run", "spec.dsrv", "--ticks", "18446744073709551616"}, 2,
   "weir: run: --ticks cannot be 18446744073709551616\nhint: a number from 0 to 18446744073709551615\n"},
  {{"run", "spec.dsrv", "--max-nesting", "0"}, 2, "weir: run: --max-nesting cannot be 0\nhint: a number from 1 to 4294967295\n"},
  {{"run", "spec.dsrv", "--max-line-bytes", "3GiB"}, 2,
   "weir: run: --max-line-bytes cannot be 3GiB\nhint: a number of bytes, or of KiB, MiB or GiB (64MiB), from 1 to 2147483648\n"},
  {{"run", "spec.dsrv", "--max-memory", "17179869184GiB"}, 2,
   "weir: run: --max-memory cannot be 17179869184GiB\nhint: a number of bytes, or of KiB, MiB or GiB (64MiB), from 1 to 18446744073709551615\n"},
  {{"run", "spec.dsrv", "--tier", "fast"}, 2, "weir: run: --tier cannot be fast\nhint: one of auto canonical quickened native\n"},
  {{"run", "spec.dsrv", "--stats=xml"}, 2, "weir: run: --stats cannot be xml\nhint: one of text json\n"},
  {{"run", "spec.dsrv", "a", "b"}, 2, "weir: run: one file too many: b (several traces: not yet)\n"},
  {{"check", "spec.dsrv", "a\033[31m"}, 2, "weir: check: one file too many: a␛[31m\n"},
  {{"run", "spec.dsrv", "-o", ""}, 2, "weir: run: --output cannot be empty\n"},
  {{"run", ""}, 2, "weir: run: the name of a file is empty\n"},
  {{"run", "spec.dsrv", ""}, 2, "weir: run: the name of a file is empty\n"},
  {{"check", "-a.dsrv"}, 2, "weir: check: there is no option -a\nhint: ./-a.dsrv is a file of that name\n"},
  {{"run", "spec.dsrv", "-a.csv"}, 2, "weir: run: there is no option -a\nhint: ./-a.csv is a file of that name\n"},
  {{"run", "spec"}, 2, "weir: error: cannot read spec: no such file or folder\n"},
  {{"check", "."}, 2, "weir: error: cannot read .: it is a folder\n"},
  {{"check", "/dev/null"}, 2, "/dev/null: error: the name does not tell the language\nhint: --language dsrv tells it, or --language sql\n"},
  {{"run", "trace.input", "spec.dsrv"}, 2,
   "trace.input: error: the name is that of a trace, and a specification comes first\nhint: a specification of that name needs --language\n"},
  {{"check", "spec.sql", "--max-aliases", "13"}, 2, "weir: check: --max-aliases cannot be 13\nhint: a number from 1 to 12\n"},
  {{"check", "spec.dsrv", "--dot"}, 2, "spec.dsrv: error: --dot draws queries of SQL here\nhint: `weir explain --dot` draws other specifications\n"},
  {{"check", "spec.dsrv", "--witness", "2"}, 2, "spec.dsrv: error: --witness is for queries of SQL\nhint: without it, `weir check` tells what this one retains\n"},
  {{"check", "spec.dsrv", "-o", "out"}, 2, "weir: check: --output says where --witness writes, which is not asked for\n"},
  {{"check", "spec.sql", "--json", "--dot"}, 2, "weir: check: --json and --dot exclude each other\n"},
  {{"check", "--dot", "spec.dsrv", "--json"}, 2, "weir: check: --json and --dot exclude each other\n"},
};

Test(cli_options, wrong_usage_is_two_and_says_what_would_be_right) {
  for (size_t i = 0; i < sizeof usages / sizeof *usages; i++) {
    ran_how how = {.spec = copy, .trace = "0: x = 1\n"};
    memcpy(how.args, usages[i].args, sizeof usages[i].args);
    ran r = ran_weir(&how);
    cr_expect_eq(r.status, usages[i].status, "%s %s", usages[i].args[0], usages[i].args[1]);
    cr_expect_str_eq(r.err, usages[i].err);
    cr_expect_str_eq(r.out, "");
    ran_free(&r);
  }
}

/* Runs these words, of which there are `bytes` bytes, over a trace. */
static ran run_words(const char *const words[], size_t bytes) {
  ran_how how = {.spec = copy, .trace = "0: x = 1\n"};
  memcpy(how.args, words, bytes);
  ran r = ran_weir(&how);
  cr_expect_eq(r.status, 0, "%s", r.err);
  return r;
}

static const char *const right[][8] = {
  {"run", "spec.dsrv", "trace.input", "--tier", "auto"},
  {"run", "--tier=canonical", "spec.dsrv", "--", "trace.input"},
  {"run", "--max-line-bytes=64MiB", "--max-memory", "1GiB", "spec.dsrv", "trace.input"},
  {"run", "--language", "dsrv", "--input-format=trace", "--output-format=input", "spec.dsrv", "trace.input"},
  {"run", "-q", "--strict", "--ticks", "1", "spec.dsrv", "trace.input"},
};

Test(cli_options, options_stand_anywhere_in_both_forms) {
  for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
    ran r = run_words(right[i], sizeof right[i]);
    cr_expect_str_eq(r.out, "0: y = 1\n");
    ran_free(&r);
  }
}

static const char *const letters[][6] = {
  {"run", "spec.dsrv", "trace.input", "-o", "out.trace"},
  {"run", "spec.dsrv", "trace.input", "-oout.trace"},
  {"run", "-qoout.trace", "spec.dsrv", "trace.input"},
  {"run", "-qo", "out.trace", "spec.dsrv", "trace.input"},
};

Test(cli_options, letters_are_read_as_getopt_reads_them) {
  for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
    ran r = run_words(letters[i], sizeof letters[i]);
    cr_expect_str_eq(r.out, "");
    cr_expect_str_eq(r.file != NULL ? r.file : "no file", "0: y = 1\n");
    ran_free(&r);
  }
  ran help = ran_weir(&(ran_how){.args = {"run", "-qh"}});
  cr_expect_eq(help.status, 0, "%s", help.err);
  cr_expect(strstr(help.out, "\n  -o, --output FILE ") != NULL);
  ran_free(&help);
}

Test(cli_options, help_and_version_go_to_standard_output) {
  static const char *const asks[][2] = {{"--help", NULL}, {"-h", NULL}, {"help", NULL}, {"help", "run"}, {"run", "--help"},
                                        {"run", "-h"}, {"help", "check"}, {"check", "--help"}, {"--version", NULL}};
  for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
    ran r = ran_weir(&(ran_how){.args = {asks[i][0], asks[i][1]}});
    cr_expect_eq(r.status, 0);
    cr_expect(r.n_out > 5);
    cr_expect_str_eq(r.err, "");
    ran_free(&r);
  }
  ran r = ran_weir(&(ran_how){.args = {"run", "--help"}});
  cr_expect(strstr(r.out, "\n      --ticks N ") != NULL, "%s", r.out);
  cr_expect(strstr(r.out, "\n  -o, --output FILE ") != NULL, "%s", r.out);
  cr_expect(strstr(r.out, "(64MiB)\n") != NULL, "%s", r.out);
  ran_free(&r);
}
