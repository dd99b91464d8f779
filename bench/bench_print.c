/* bench/bench_print.c -- results for people: a table for calls of a row, one for batches, one for sizes, one of how tiers warm up, and
** those of the command.
**
** Ratios of the quickened and of the native tier: to the floor, and of the former to the interpreter of --level. */
#include <string.h>
#include <weir.h>

#include "bench/bench.h"

static const bench_way row_ways[] = {BENCH_CANON_TAGGED, BENCH_CANON_TYPED,   BENCH_QUICK_TAGGED, BENCH_QUICK_TYPED,
                                     BENCH_NATIVE_TAGGED, BENCH_NATIVE_TYPED, BENCH_AUTO_TAGGED,  BENCH_AUTO_TYPED};
static const bench_way batch_ways[] = {BENCH_CANON_BATCH, BENCH_QUICK_BATCH, BENCH_NATIVE_BATCH, BENCH_AUTO_BATCH};

/* What stands in one kind of table. */
typedef struct layout {
  const char *title, *floor, *anchor;
  bench_way floor_way, anchor_way; /* the latter of level 0; the next ones follow */
  const bench_way *ways;
  size_t n_ways;
  bench_way quick, native;         /* the ways that the ratios are of */
} layout;

static const layout layouts[2] = {
  {"Calls of a row", "row-api", "interp-row", BENCH_ROW_API, BENCH_ROW_X86_64, row_ways, BENCH_LEN(row_ways), BENCH_QUICK_TYPED, BENCH_NATIVE_TYPED},
  {"Batches of 4096 rows", "checked", "interp-tile", BENCH_BATCH_CHECKED, BENCH_TILE_X86_64, batch_ways, BENCH_LEN(batch_ways), BENCH_QUICK_BATCH, BENCH_NATIVE_BATCH},
};

static bool is_note(const char *why) { return strlen(why) > 10; }

static void print_ns(FILE *to, const bench_result *r, bool is_median) {
  double v = is_median ? r->median : r->least;
  if (!r->is_there) fprintf(to, " %10s", r->why[0] == '\0' ? "-" : is_note(r->why) ? "(1)" : r->why);
  else fprintf(to, " %10.*f", v < 10 ? 2 : v < 1000 ? 1 : 0, v);
}

static void print_ratio(FILE *to, const bench_result *r, const bench_result *base) {
  if (!r->is_there || !base->is_there) fprintf(to, " %8s", "");
  else fprintf(to, " %8.2f", r->least / base->least);
}

static void print_line(FILE *to, const layout *l, const bench_options *o, size_t w, size_t v, const bench_case *c, bool is_median) {
  const bench_result *r = c->results, *floor = &r[l->floor_way], *anchor = &r[l->anchor_way + (unsigned)o->level];
  fprintf(to, "W%-3zu %-7s %-3s", w, bench_variants[v], is_median ? "med" : "");
  print_ns(to, floor, is_median);
  print_ns(to, anchor, is_median);
  for (size_t k = 0; k < l->n_ways; k++) print_ns(to, &r[l->ways[k]], is_median);
  if (!is_median) {
    print_ratio(to, &r[l->quick], floor);
    print_ratio(to, &r[l->quick], anchor);
    print_ratio(to, &r[l->native], floor);
  }
  fputc('\n', to);
}

/* Why something is missing, where its column has no room for that; *told is the last one, which is not told again. */
static void print_note(FILE *to, const char *what, const char *why, const char **told) {
  if (!is_note(why) || strcmp(why, *told) == 0) return;
  fprintf(to, "(1) %s: %s\n", what, why);
  *told = why;
}

static void print_notes(FILE *to, const layout *l, const bench_results *results) {
  const char *told = "";
  for (size_t w = 0; w < BENCH_WORKLOADS; w++)
    for (size_t v = 0; v < BENCH_VARIANTS; v++)
      for (size_t k = 0; k < l->n_ways; k++) print_note(to, bench_ways[l->ways[k]].engine, results->cases[w][v].results[l->ways[k]].why, &told);
}

static void print_head(FILE *to, const layout *l) {
  fprintf(to, "\n%s: ns a row\n%-16s %10s %10s", l->title, "", "floor", "anchor");
  for (size_t k = 0; k < l->n_ways; k++) fprintf(to, " %10s", bench_ways[l->ways[k]].engine);
  fprintf(to, " %8s %8s %8s\n%-16s %10s %10s", "quick.", "quick.", "native", "", l->floor, l->anchor);
  for (size_t k = 0; k < l->n_ways; k++) fprintf(to, " %10s", bench_ways[l->ways[k]].form);
  fprintf(to, " %8s %8s %8s\n", "/floor", "/anchor", "/floor");
}

static void print_layout(FILE *to, const layout *l, const bench_options *o, const bench_results *results) {
  bool is_begun = false;
  for (size_t w = 0; w < BENCH_WORKLOADS; w++)
    for (size_t v = 0; v < BENCH_VARIANTS; v++) {
      const bench_case *c = &results->cases[w][v];
      if (!c->is_there) continue;
      if (!is_begun) print_head(to, l);
      is_begun = true;
      print_line(to, l, o, w, v, c, false);
      if (o->with_medians) print_line(to, l, o, w, v, c, true);
    }
  if (is_begun) print_notes(to, l, results);
}

static void print_made(FILE *to, int width, double seconds) {
  if (seconds == 0) fprintf(to, "%*s", width, "-");
  else fprintf(to, "%*.2f", width, seconds * 1e3);
}

static void print_chains(FILE *to, const bench_results *results) {
  if (!results->chains[0].is_there) return;
  fprintf(to, "\nChains of equations\n%10s %10s %10s %10s | %10s %10s %10s %11s | %10s %10s %10s\n", "equations", "bytes", "compile", "us each",
          "canonical", "quickened", "native", "native kept", "first row", "memory", "code");
  fprintf(to, "%10s %10s %10s %10s | %10s %10s %10s %11s | %10s %10s %10s\n", "", "", "ms", "", "monitor ms", "monitor ms", "monitor ms", "monitor ms", "us",
          "KiB", "KiB");
  for (size_t k = 0; k < BENCH_CHAINS; k++) {
    const bench_chain *c = &results->chains[k];
    if (!c->is_there) continue;
    fprintf(to, "%10zu %10zu %10.2f %10.3f | %10.3f %10.3f ", c->equations, c->bytes, c->compile * 1e3, c->compile * 1e6 / (double)c->equations,
            c->made[BENCH_COURSE_CANON] * 1e3, c->made[BENCH_COURSE_QUICK] * 1e3);
    print_made(to, 10, c->made[BENCH_COURSE_NATIVE]);
    print_made(to, 12, c->made[BENCH_COURSE_KEPT]);
    fprintf(to, " | %10.1f %10zu %10zu\n", c->first * 1e6, c->memory / 1024, c->code / 1024);
  }
}

static void print_warm_up(FILE *to, const bench_warm_up *w) {
  if (!w->is_there) return;
  fprintf(to, "\nWarm-up%s%s: ms from the text to the end of a row, one by one\n%10s", w->name[0] != '\0' ? " of " : "", w->name, "rows");
  for (bench_course c = 0; c < BENCH_COURSE_COUNT; c++) fprintf(to, " %11s", bench_courses[c].name);
  fputc('\n', to);
  for (size_t k = 0; k < BENCH_POINTS && w->rows[k] != 0; k++) {
    if (k % 3 != 0 && k + 1 < BENCH_POINTS && w->rows[k + 1] != 0) continue;
    fprintf(to, "%10zu", w->rows[k]);
    for (bench_course c = 0; c < BENCH_COURSE_COUNT; c++) {
      if (w->seconds[c][k] == 0) fprintf(to, " %11s", "-");
      else fprintf(to, " %11.3f", w->seconds[c][k] * 1e3);
    }
    fputc('\n', to);
  }
}

/* ---- The command ---- */

static void print_command_head(FILE *to, const bench_command_table *t) {
  fprintf(to, "\n%s: %s\n%-14s %8s", t->title, t->unit, "", "rows");
  for (bench_command_way k = 0; k < BENCH_COMMAND_WAYS; k++) fprintf(to, " %11s", bench_command_name(k));
  fputs("  /floor:", to);
  for (bench_command_way k = BENCH_COMMAND_FLOOR + 1; k < BENCH_COMMAND_WAYS; k++) fprintf(to, " %11s", bench_command_name(k));
  fputc('\n', to);
}

static void print_command(FILE *to, const bench_command_table *t, const bench_command *c) {
  double values[BENCH_COMMAND_WAYS];
  fprintf(to, " %8zu", c->rows[t->size]);
  for (bench_command_way k = 0; k < BENCH_COMMAND_WAYS; k++) {
    values[k] = bench_command_value(c, t, k);
    if (values[k] == 0) fprintf(to, " %11s", "-");
    else fprintf(to, " %11.2f", values[k]);
  }
  fprintf(to, "%9s", "");
  for (bench_command_way k = BENCH_COMMAND_FLOOR + 1; k < BENCH_COMMAND_WAYS; k++) {
    if (values[k] == 0) fprintf(to, " %11s", "-");
    else fprintf(to, " %11.2f", values[k] / values[BENCH_COMMAND_FLOOR]);
  }
  fputc('\n', to);
}

static void print_commands(FILE *to, const bench_command_table *t, const bench_results *results) {
  bool is_begun = false;
  for (size_t w = 0; w < BENCH_COMMAND_WORKLOADS; w++)
    for (size_t v = 0; v < BENCH_COMMAND_VARIANTS; v++) {
      const bench_command *c = &results->commands[w][v];
      if (!c->is_there) continue;
      if (!is_begun) print_command_head(to, t);
      is_begun = true;
      fprintf(to, "W%-4zu %-8s", w, bench_variants[v]);
      print_command(to, t, c);
    }
}

/* ---- A user's own ---- */

static void print_own_turns(FILE *to, const bench_own *own) {
  static const char *const forms[BENCH_FORM_COUNT] = {"tagged rows", "typed rows", "batches"};
  fprintf(to, "\nns a row: the least, and the median\n%-12s", "");
  for (bench_tier t = 0; t < BENCH_TIER_COUNT; t++) fprintf(to, " %21s", bench_tiers[t].name);
  fputc('\n', to);
  for (bench_form f = 0; f < BENCH_FORM_COUNT; f++) {
    fprintf(to, "%-12s", forms[f]);
    for (bench_tier t = 0; t < BENCH_TIER_COUNT; t++) {
      const bench_result *r = &own->turns.results[bench_way_of(t, f)];
      print_ns(to, r, false);
      if (r->is_there) print_ns(to, r, true);
      else fprintf(to, " %10s", "");
    }
    fputc('\n', to);
  }
  const char *told = "";
  for (bench_way way = BENCH_CANON_TAGGED; way < BENCH_WAY_COUNT; way++)
    print_note(to, bench_tier_of(way) == BENCH_TIER_NATIVE ? "native" : bench_ways[way].form, own->turns.results[way].why, &told);
}

static void print_costs(FILE *to, const bench_own *own) {
  fprintf(to, "\nWhat a tier takes\n%-12s %12s %12s %12s %12s %12s %12s %12s %12s\n", "", "compile", "monitor", "first row", "memory", "peak", "code",
          "code", "rows not");
  fprintf(to, "%-12s %12s %12s %12s %12s %12s %12s %12s %12s\n", "", "ms", "ms", "us", "bytes", "bytes", "bytes", "ms", "run as meant");
  for (bench_tier t = 0; t < BENCH_TIER_COUNT; t++) {
    const bench_cost *c = &own->costs[t];
    fprintf(to, "%-12s %12.3f %12.3f %12.2f %12zu %12zu %12llu %12.3f %12llu\n", bench_tiers[t].name, c->compile * 1e3, c->made * 1e3, c->first * 1e6,
            c->memory, c->peak, (unsigned long long)c->code_bytes, c->code_seconds * 1e3, (unsigned long long)c->declined);
  }
}

static void print_own(FILE *to, const bench_options *o, const bench_results *r) {
  const bench_own *own = &r->own;
  const char *trace = o->own->trace_name;
  fprintf(to, "\n%s%s%s: %zu rows, %zu inputs, %zu outputs; it retains %llu bytes%s\n", o->own->spec_name, trace ? " over " : "", trace ? trace : "",
          own->turns.rows, own->inputs, own->outputs, (unsigned long long)own->state_bytes, own->plus_values ? " + values" : "");
  print_own_turns(to, own);
  print_costs(to, own);
  print_warm_up(to, &r->warm_ups[0]);
  fprintf(to, "\nAll tiers gave the same outputs: checksum %016llx.\n", (unsigned long long)own->turns.sum);
}

void bench_print_table(FILE *to, const bench_options *o, const bench_results *r, const bench_place *p) {
  fprintf(to, "weir %s on %s; load %.2f; ", weir_version(), p->cpu[0] != '\0' ? p->cpu : "unknown processor", p->load);
  if (o->own == NULL)
    fprintf(to, "floor for %s; interpreters %s; variants of seed %llu; ", bench_built_name, bench_level_name(o),
            (unsigned long long)floor_consts.seed);
  fprintf(to, "least of %d passes in %d process%s\n", o->repeats, o->processes, o->processes == 1 ? "" : "es");
  if (p->load > 1.5) fprintf(to, "The machine is busy: the figures are those of a busy machine.\n");
  if (o->own != NULL) {
    print_own(to, o, r);
    return;
  }
  if (p->has_more) fprintf(to, "The processor has more than the floor was built for: ratios to the floor are too good.\n");
  for (size_t k = 0; k < BENCH_LEN(layouts); k++) print_layout(to, &layouts[k], o, r);
  for (size_t k = 0; k < BENCH_WARM_UPS; k++) print_warm_up(to, &r->warm_ups[k]);
  print_chains(to, r);
  for (size_t k = 0; k < BENCH_COMMAND_TABLES; k++) print_commands(to, &bench_command_tables[k], r);
  if (r->left_out > 0) fprintf(to, "\nLeft out for lack of time: %zu variants and sizes.\n", r->left_out);
  fprintf(to, "\nAll ways of a case computed the same checksum.  docs/benchmark.md tells what the columns mean.\n");
}
