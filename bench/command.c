/* bench/command.c -- the command as a whole: `weir run` from CSV to CSV, beside C by hand that does the same (limits/csv.c).
**
** Each run is a process of its own, from its start to its end: the text of the specification, machine code and the end are in it.  Ways take
** turns.  What they write must be the floor's, byte by byte, before any of them is timed. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/timed.h"

extern char **environ;

enum { ARGUMENTS = 6 };

/* `weir run`'s options; CACHE stands for the folder of kept machine code. */
#define CACHE ""
static const struct { const char *name, *options[ARGUMENTS]; } ways[BENCH_COMMAND_WAYS] = {
  [BENCH_COMMAND_FLOOR] = {"floor", {NULL}},
  [BENCH_COMMAND_QUICK] = {"quickened", {"--threads=1", "--tier=quickened"}},
  [BENCH_COMMAND_KEPT] = {"native kept", {"--threads=1", "--tier=native", "--cache", CACHE}},
  [BENCH_COMMAND_AUTO] = {"auto", {"--threads=1", "--no-cache"}},
  [BENCH_COMMAND_DEFAULT] = {"default", {"--cache", CACHE}},
};
const char *bench_command_name(bench_command_way way) { return ways[way].name; }

const bench_command_table bench_command_tables[BENCH_COMMAND_TABLES] = {
  {"Processor time of the command", "ns a row", BENCH_COMMAND_ALL, BENCH_COMMAND_CPU},
  {"Time of the command", "ns a row", BENCH_COMMAND_ALL, BENCH_COMMAND_WALL},
  {"Time of the command for one row", "ms", BENCH_COMMAND_ONE, BENCH_COMMAND_WALL},
  {"Memory of the command at 10,000 rows", "MiB", BENCH_COMMAND_SOME, BENCH_COMMAND_MEMORY},
  {"Memory of the command", "MiB", BENCH_COMMAND_ALL, BENCH_COMMAND_MEMORY},
};

double bench_command_value(const bench_command *c, const bench_command_table *t, bench_command_way way) {
  const bench_took *took = &c->took[t->size][way];
  double seconds = t->what == BENCH_COMMAND_CPU ? took->cpu : took->wall;
  if (t->what == BENCH_COMMAND_MEMORY) return (double)took->memory / (1 << 20);
  return t->size == BENCH_COMMAND_ONE ? seconds * 1e3 : seconds / (double)c->rows[t->size] * 1e9;
}

/* ---- Files ---- */

/* Of a case.  The folders are the case's own, and go with it. */
typedef struct files {
  char *folder, *cache;
  char weir[PATH_MAX], timed[PATH_MAX], floor[PATH_MAX];
  char spec[PATH_MAX], rows[PATH_MAX], out[PATH_MAX], expected[PATH_MAX], told[PATH_MAX];
} files;

static bool name_file(char to[PATH_MAX], const char *folder, size_t n, const char *name, bench_error *e) {
  if (snprintf(to, PATH_MAX, "%.*s/%s", (int)n, folder, name) < PATH_MAX) return true;
  return bench_fail(e, "the name of a folder is too long");
}

/* The command is this program; the others lie beside the module. */
static bool find_programs(files *f, Variant v, bench_error *e) {
  Dl_info info;
  ssize_t n = readlink("/proc/self/exe", f->weir, sizeof f->weir - 1);
  const char *end = dladdr(&bench_command_tables, &info) != 0 && info.dli_fname != NULL ? strrchr(info.dli_fname, '/') : NULL;
  if (n < 0 || end == NULL) return bench_fail(e, "cannot find the programs of the benchmark");
  f->weir[n] = '\0';
  size_t length = (size_t)(end - info.dli_fname);
  return name_file(f->timed, info.dli_fname, length, "weir_bench_timed", e) &&
         name_file(f->floor, info.dli_fname, length, v == CONSTS ? "weir_bench_csv_consts" : "weir_bench_csv_base", e);
}

static bool find_files(files *f, Variant v, bench_error *e) {
  f->folder = bench_folder_make();
  f->cache = bench_folder_make();
  if (f->folder == NULL || f->cache == NULL) return bench_fail(e, "cannot make a folder for temporary files: %s", strerror(errno));
  size_t n = strlen(f->folder);
  return find_programs(f, v, e) && name_file(f->spec, f->folder, n, "spec.dsrv", e) && name_file(f->rows, f->folder, n, "rows.csv", e) &&
         name_file(f->out, f->folder, n, "out.csv", e) && name_file(f->expected, f->folder, n, "expected.csv", e) &&
         name_file(f->told, f->folder, n, "told", e);
}

static bool close_written(FILE *to, const char *name, bench_error *e) {
  bool is_good = ferror(to) == 0;
  if (fclose(to) == 0 && is_good) return true;
  return bench_fail(e, "%s: cannot write it: %s", name, strerror(errno));
}

static bool put_spec(const files *f, const bench_data *d, bench_error *e) {
  FILE *to = fopen(f->spec, "we");
  if (to == NULL) return bench_fail(e, "%s: %s", f->spec, strerror(errno));
  fwrite(d->spec, 1, d->spec_length, to);
  return close_written(to, f->spec, e);
}

/* Floats of these variants have two digits behind the point. */
static bool put_rows(const files *f, const bench_data *d, size_t rows, bench_error *e) {
  char line[MAX_INS * 64];
  FILE *to = fopen(f->rows, "we");
  if (to == NULL) return bench_fail(e, "%s: %s", f->rows, strerror(errno));
  fprintf(to, "%s\n", d->work->in_names);
  for (size_t i = 0; i < rows; i++) {
    char *p = line;
    for (size_t c = 0; c < d->ins; c++) {
      double value;
      memcpy(&value, &d->cols[c][i], sizeof value);
      if (d->work->in_types[c] == 'i') p = format_int(p, d->cols[c][i]);
      else p += snprintf(p, 64, "%.2f", value);
      *p++ = c + 1 < d->ins ? ',' : '\n';
    }
    fwrite(line, 1, (size_t)(p - line), to);
  }
  return close_written(to, f->rows, e);
}

static bool has_same_bytes(const char *one, const char *two) {
  char a[1 << 14], b[sizeof a];
  size_t n = 1;
  FILE *x = fopen(one, "re"), *y = fopen(two, "re");
  bool is_same = x != NULL && y != NULL;
  while (is_same && n > 0) {
    n = fread(a, 1, sizeof a, x);
    is_same = fread(b, 1, sizeof b, y) == n && memcmp(a, b, n) == 0;
  }
  if (x != NULL) fclose(x);
  if (y != NULL) fclose(y);
  return is_same;
}

/* The first line of what a run has told; empty: nothing. */
static void read_told(const files *f, char *line, size_t size) {
  FILE *from = fopen(f->told, "re");
  line[0] = '\0';
  if (from == NULL) return;
  if (fgets(line, (int)size, from) != NULL) line[strcspn(line, "\n")] = '\0';
  fclose(from);
}

/* ---- Runs ---- */

/* A signal from a terminal has reached the processes too. */
static bool read_timed(int fd, pid_t child, bench_timed *took) {
  size_t have = 0;
  int status;
  for (ssize_t n = 1; have < sizeof *took && n != 0;) {
    n = read(fd, (char *)took + have, sizeof *took - have);
    if (n > 0) have += (size_t)n;
    else if (n < 0 && errno != EINTR) break;
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return have == sizeof *took;
}

static bool start(char *const *argv, bench_timed *took, bench_error *e) {
  int ends[2];
  pid_t child;
  posix_spawn_file_actions_t out;
  if (pipe(ends) != 0) return bench_fail(e, "pipe: %s", strerror(errno));
  posix_spawn_file_actions_init(&out);
  posix_spawn_file_actions_adddup2(&out, ends[1], 1);
  posix_spawn_file_actions_addclose(&out, ends[0]);
  posix_spawn_file_actions_addclose(&out, ends[1]);
  int failed = posix_spawn(&child, argv[0], &out, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&out);
  close(ends[1]);
  bool is_good = failed == 0 ? read_timed(ends[0], child, took) || bench_fail(e, "a process of the benchmark ended early")
                             : bench_fail(e, "cannot start %s: %s", argv[0], strerror(failed));
  close(ends[0]);
  return is_good;
}

static bool run_way(files *f, const bench_data *d, bench_command_way way, char *out, bench_timed *took, bench_error *e) {
  char *argv[ARGUMENTS + 10] = {f->timed, f->rows, out, f->told}, run[] = "run", name[16], options[ARGUMENTS][32];
  size_t n = 4;
  argv[n++] = way == BENCH_COMMAND_FLOOR ? f->floor : f->weir;
  snprintf(name, sizeof name, "%s", d->work->name);
  argv[n++] = way == BENCH_COMMAND_FLOOR ? name : run;
  for (size_t k = 0; k < ARGUMENTS && ways[way].options[k] != NULL; k++) {
    snprintf(options[k], sizeof options[k], "%s", ways[way].options[k]);
    argv[n++] = options[k][0] != '\0' ? options[k] : f->cache;
  }
  if (way != BENCH_COMMAND_FLOOR) argv[n++] = f->spec, argv[n++] = f->rows;
  return start(argv, took, e);
}

/* Untimed, and compared.  *is_there: whether the way is; native code may not be. */
static bool try_way(files *f, const bench_data *d, bench_command_way way, bool *is_there, bench_error *e) {
  char told[256];
  bench_timed took;
  if (!run_way(f, d, way, way == BENCH_COMMAND_FLOOR ? f->expected : f->out, &took, e)) return false;
  read_told(f, told, sizeof told);
  *is_there = way != BENCH_COMMAND_KEPT || (told[0] == '\0' && !bench_folder_is_empty(f->cache));
  if (took.status != 0) return bench_fail(e, "%s %s: the command (%s) failed: %s", d->work->name, bench_variants[d->variant], ways[way].name, told);
  if (way == BENCH_COMMAND_FLOOR || has_same_bytes(f->expected, f->out)) return true;
  return bench_fail(e, "%s %s: the command (%s) writes something else than the floor", d->work->name, bench_variants[d->variant], ways[way].name);
}

void bench_keep_took(bench_took *least, const bench_took *other) {
  bench_keep_least(&least->wall, other->wall);
  bench_keep_least(&least->cpu, other->cpu);
  if (least->memory == 0 || (other->memory != 0 && other->memory < least->memory)) least->memory = other->memory;
}

static bool run_size(const bench_options *o, files *f, const bench_data *d, size_t rows, int repeats, bench_took *out, bench_error *e) {
  bool is_there[BENCH_COMMAND_WAYS];
  if (!put_rows(f, d, rows, e)) return false;
  for (bench_command_way w = 0; w < BENCH_COMMAND_WAYS; w++)
    if (!bench_goes_on(o, e) || !try_way(f, d, w, &is_there[w], e)) return false;
  for (int r = 0; r < repeats; r++)
    for (bench_command_way w = 0; w < BENCH_COMMAND_WAYS; w++) {
      bench_timed t;
      if (!is_there[w]) continue;
      if (!bench_goes_on(o, e) || !run_way(f, d, w, f->out, &t, e)) return false;
      if (t.status != 0) return bench_fail(e, "%s: the command (%s) failed", d->work->name, ways[w].name);
      bench_keep_took(&out[w], &(bench_took){t.wall, t.cpu, t.memory});
    }
  return true;
}

/* As many rows as make some millions of cells, so that a run takes 50 ms or more. */
static size_t rows_of_all(const bench_options *o, const bench_data *d) {
  if (o->request->rows != 0) return o->rows;
  return ((size_t)1 << (o->is_quick ? 21 : 23)) / (d->ins + d->outs);
}

static bool run_command(const bench_options *o, const char *workload, Variant v, bench_command *out, bench_error *e) {
  const Workload *w = floor_base.workload(workload);
  bench_data d = {.ins = strlen(w->in_types), .outs = strlen(w->out_types)};
  const size_t rows[BENCH_COMMAND_SIZES] = {1, 10000, rows_of_all(o, &d)};
  const int repeats[BENCH_COMMAND_SIZES] = {o->repeats, (o->repeats + 4) / 5, (o->repeats + 4) / 5};
  files f = {.folder = NULL};
  bench_data_make(&d, workload, v, rows[BENCH_COMMAND_ALL] > 10000 ? rows[BENCH_COMMAND_ALL] : 10000);
  bool is_good = find_files(&f, v, e) && put_spec(&f, &d, e);
  for (bench_command_size s = 0; is_good && s < BENCH_COMMAND_SIZES; s++) {
    out->rows[s] = rows[s];
    is_good = run_size(o, &f, &d, rows[s], repeats[s], out->took[s], e);
  }
  out->is_there = is_good;
  bench_folder_end(f.folder);
  bench_folder_end(f.cache);
  bench_data_end(&d);
  if (!is_good) (void)bench_goes_on(o, e); /* a signal ends all of them */
  return is_good;
}

bool bench_run_commands(const bench_options *o, Variant v, bench_results *out, bench_error *e) {
  bool is_all = true; /* where none of them is named */
  char name[16];
  for (size_t w = 1; w < BENCH_COMMAND_WORKLOADS; w++) is_all = is_all && !o->workloads[w];
  for (size_t w = 1; w < BENCH_COMMAND_WORKLOADS; w++) {
    if (!is_all && !o->workloads[w]) continue;
    snprintf(name, sizeof name, "W%zu", w);
    bench_progress(o, name, "command");
    if (!bench_has_time(o)) out->left_out++;
    else if (!run_command(o, name, v, &out->commands[w][v], e)) return false;
  }
  return true;
}
