/* bench/bench_print.c -- results for people: a table for calls of a row, one for batches, one for sizes.
**
** Two ratios of the fastest tier that is there: to the floor, and to the interpreter of --level. */
#include <string.h>
#include <weir.h>

#include "bench/bench.h"

static const int row_ways[] = {BENCH_CANON_TAGGED, BENCH_CANON_TYPED, BENCH_QUICK_TAGGED, BENCH_QUICK_TYPED, BENCH_NATIVE_TAGGED, BENCH_NATIVE_TYPED};
static const int batch_ways[] = {BENCH_CANON_BATCH, BENCH_QUICK_BATCH, BENCH_NATIVE_BATCH};

/* What stands in one kind of table. */
typedef struct layout {
  const char *title, *floor, *anchor;
  int floor_way, anchor_way; /* the latter of level 0; the next ones follow */
  const int *ways;
  size_t n_ways;
  int quick, native;         /* the ways that the ratios are of */
} layout;

static const layout layouts[2] = {
  {"Calls of a row", "row-api", "interp-row", BENCH_ROW_API, BENCH_ROW_X86_64, row_ways, 6, BENCH_QUICK_TYPED, BENCH_NATIVE_TYPED},
  {"Batches of 4096 rows", "checked", "interp-tile", BENCH_BATCH_CHECKED, BENCH_TILE_X86_64, batch_ways, 3, BENCH_QUICK_BATCH, BENCH_NATIVE_BATCH},
};

static const char *const engines[BENCH_WAY_COUNT] = {
#define X(id, engine, form) [BENCH_##id] = engine,
  BENCH_WAYS(X)
#undef X
};
static const char *const forms[BENCH_WAY_COUNT] = {
#define X(id, engine, form) [BENCH_##id] = form,
  BENCH_WAYS(X)
#undef X
};

static void print_ns(const bench_result *r, bool is_median) {
  double v = is_median ? r->median : r->least;
  if (!r->is_there) printf(" %10s", r->why[0] == '\0' ? "-" : strlen(r->why) > 10 ? "(1)" : r->why);
  else printf(" %10.*f", v < 10 ? 2 : v < 1000 ? 1 : 0, v);
}

static void print_ratio(const bench_result *r, const bench_result *to) {
  if (!r->is_there || !to->is_there) printf(" %8s", "");
  else printf(" %8.2f", r->least / to->least);
}

static void print_line(const layout *l, const bench_options *o, size_t w, size_t v, const bench_case *c, bool is_median) {
  const bench_result *r = c->results, *floor = &r[l->floor_way], *anchor = &r[l->anchor_way + o->level];
  printf("W%-3zu %-7s %-3s", w, bench_variants[v], is_median ? "med" : "");
  print_ns(floor, is_median);
  print_ns(anchor, is_median);
  for (size_t k = 0; k < l->n_ways; k++) print_ns(&r[l->ways[k]], is_median);
  if (!is_median) {
    print_ratio(&r[l->quick], floor);
    print_ratio(&r[l->quick], anchor);
    print_ratio(&r[l->native], floor);
  }
  putchar('\n');
}

/* Why something is missing; told once. */
static void print_notes(const layout *l, const bench_results *results) {
  const char *told = "";
  for (size_t w = 0; w < 16; w++)
    for (size_t v = 0; v < BENCH_VARIANTS; v++)
      for (size_t k = 0; k < l->n_ways; k++) {
        const char *why = results->cases[w][v].results[l->ways[k]].why;
        if (strlen(why) <= 10 || strcmp(why, told) == 0) continue;
        printf("(1) %s: %s\n", engines[l->ways[k]], why);
        told = why;
      }
}

static void print_layout(const layout *l, const bench_options *o, const bench_results *results) {
  bool is_begun = false;
  for (size_t w = 0; w < 16; w++)
    for (size_t v = 0; v < BENCH_VARIANTS; v++) {
      const bench_case *c = &results->cases[w][v];
      if (!c->is_there) continue;
      if (!is_begun) {
        printf("\n%s: ns a row\n%-16s %10s %10s", l->title, "", "floor", "anchor");
        for (size_t k = 0; k < l->n_ways; k++) printf(" %10s", engines[l->ways[k]]);
        printf(" %8s %8s %8s\n%-16s %10s %10s", "quick.", "quick.", "native", "", l->floor, l->anchor);
        for (size_t k = 0; k < l->n_ways; k++) printf(" %10s", forms[l->ways[k]]);
        printf(" %8s %8s %8s\n", "/floor", "/anchor", "/floor");
        is_begun = true;
      }
      print_line(l, o, w, v, c, false);
      if (o->with_medians) print_line(l, o, w, v, c, true);
    }
  if (is_begun) print_notes(l, results);
}

static void print_chains(const bench_results *results) {
  if (!results->chains[0].is_there) return;
  printf("\nChains of equations\n%10s %10s %10s %10s | %10s %10s %10s %10s\n", "equations", "bytes", "compile", "us each", "canonical", "quickened",
         "first row", "memory");
  printf("%10s %10s %10s %10s | %10s %10s %10s %10s\n", "", "", "ms", "", "monitor ms", "monitor ms", "us", "KiB");
  for (size_t k = 0; k < BENCH_CHAINS; k++) {
    const bench_chain *c = &results->chains[k];
    printf("%10zu %10zu %10.2f %10.3f | %10.3f %10.3f %10.1f %10zu\n", c->equations, c->bytes, c->compile * 1e3,
           c->compile * 1e6 / (double)c->equations, c->canonical * 1e3, c->quickened * 1e3, c->first * 1e6, c->memory / 1024);
  }
}

/* The processor's name, as far as it is known. */
static void read_cpu(char *name, size_t size) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "unknown processor");
  while (f != NULL && fgets(line, sizeof line, f) != NULL) {
    char *at = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
    if (at == NULL) continue;
    at[strcspn(at, "\n\"\\")] = '\0';
    snprintf(name, size, "%s", at + 2);
    break;
  }
  if (f != NULL) fclose(f);
}

static double read_load(void) {
  double load = 0;
  FILE *f = fopen("/proc/loadavg", "r");
  if (f != NULL && fscanf(f, "%lf", &load) != 1) load = 0;
  if (f != NULL) fclose(f);
  return load;
}

void bench_print_table(const bench_options *o, const bench_results *r) {
  char cpu[200];
  read_cpu(cpu, sizeof cpu);
  printf("weir %s on %s; load %.2f; interpreters %s; variants of seed %llu; least of %d passes in %d process%s\n", weir_version(), cpu, read_load(),
         bench_levels[o->level], (unsigned long long)floor_consts.seed, o->repeats, o->processes, o->processes == 1 ? "" : "es");
  if (read_load() > 1.5) printf("The machine is busy: the figures are those of a busy machine.\n");
  for (size_t k = 0; k < 2; k++) print_layout(&layouts[k], o, r);
  print_chains(r);
  printf("\nAll ways of a case computed the same checksum.  docs/benchmark.md tells what the columns mean.\n");
}

/* ---- JSON ---- */

static const char *json_case(const bench_case *c, size_t w, size_t v, const char *comma) {
  printf("%s\n  {\"workload\": \"W%zu\", \"variant\": \"%s\", \"rows\": %zu, \"sum\": \"%016llx\", \"ways\": [", comma, w, bench_variants[v], c->rows,
         (unsigned long long)c->sum);
  const char *inner = "";
  for (size_t k = 0; k < BENCH_WAY_COUNT; k++) {
    const bench_result *r = &c->results[k];
    if (!r->is_there && r->why[0] == '\0') continue;
    printf("%s\n   {\"engine\": \"%s\", \"form\": \"%s\", ", inner, engines[k], forms[k]);
    if (r->is_there) printf("\"rows\": %zu, \"least\": %.4f, \"median\": %.4f}", r->rows, r->least, r->median);
    else printf("\"missing\": \"%s\"}", r->why);
    inner = ",";
  }
  printf("]}");
  return ",";
}

void bench_print_json(const bench_options *o, const bench_results *r) {
  char cpu[200];
  const char *comma = "";
  read_cpu(cpu, sizeof cpu);
  printf("{\"weir\": \"%s\", \"cpu\": \"%s\", \"load\": %.2f, \"level\": \"%s\", \"seed\": %llu, \"repeats\": %d, \"processes\": %d,\n \"cases\": [",
         weir_version(), cpu, read_load(), bench_levels[o->level], (unsigned long long)floor_consts.seed, o->repeats, o->processes);
  for (size_t w = 0; w < 16; w++)
    for (size_t v = 0; v < BENCH_VARIANTS; v++)
      if (r->cases[w][v].is_there) comma = json_case(&r->cases[w][v], w, v, comma);
  printf("],\n \"chains\": [");
  comma = "";
  for (size_t k = 0; k < BENCH_CHAINS && r->chains[0].is_there; k++, comma = ",") {
    const bench_chain *c = &r->chains[k];
    printf("%s\n  {\"equations\": %zu, \"bytes\": %zu, \"compile_ms\": %.4f, \"canonical_ms\": %.4f, \"quickened_ms\": %.4f, \"first_row_us\": %.3f, \"memory\": %zu}",
           comma, c->equations, c->bytes, c->compile * 1e3, c->canonical * 1e3, c->quickened * 1e3, c->first * 1e6, c->memory);
  }
  printf("]}\n");
}
