/* bench/bench_html.c -- results as one HTML file that needs nothing else: no script, no font, no other file.
**
** It is well-formed XML too.  Each plot has its numbers behind it, for those who want them exactly or do not see plots. */
#include <string.h>
#include <weir.h>

#include "bench/bench.h"
#include "bench/plot.h"

static const char head[] =
  "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n"
  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"color-scheme\" content=\"light dark\"/>\n"
  "<title>weir bench</title>\n<style>\n"
  ":root{--page:#fff;--ink:#1b1b1b;--soft:#5b5b5b;--grid:#dcdcdc;--c0:#1b1b1b;--c1:#7a7a7a;--c2:#b3400b;--c3:#0b62a8;--c4:#12704a;--c5:#8a2be2}\n"
  "@media (prefers-color-scheme:dark){:root{--page:#161616;--ink:#ececec;--soft:#ababab;--grid:#383838;--c0:#ececec;--c1:#9c9c9c;--c2:#ff9a63;"
  "--c3:#6cb6ff;--c4:#57d39b;--c5:#c89bff}}\n"
  "body{margin:0 auto;max-width:46rem;padding:1rem;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
  "h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2.2rem}p,summary{color:var(--soft)}\n"
  "svg{display:block;width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:var(--ink)}\n"
  ".grid{stroke:var(--grid);fill:none}.l{fill:none;stroke-width:1.6}\n"
  ".m.c0{fill:var(--c0)}.m.c1{fill:var(--c1)}.m.c2{fill:var(--c2)}.m.c3{fill:var(--c3)}.m.c4{fill:var(--c4)}.m.c5{fill:var(--c5)}\n"
  ".l.c0{stroke:var(--c0)}.l.c1{stroke:var(--c1)}.l.c2{stroke:var(--c2)}.l.c3{stroke:var(--c3)}.l.c4{stroke:var(--c4)}.l.c5{stroke:var(--c5)}\n"
  ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}\n"
  "th,td{padding:.15rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--grid)}\n"
  "th:first-child,td:first-child{text-align:left}\n"
  "</style>\n</head>\n<body>\n<h1>weir bench</h1>\n";

/* How the floor, the interpreter and the tiers look, in every plot. */
enum { LOOK_FLOOR, LOOK_ANCHOR, LOOK_CANON, LOOK_QUICK, LOOK_NATIVE, LOOK_AUTO };
_Static_assert(LOOK_AUTO + 1 == PLOT_LOOKS, "a look for each");
static int look_of(bench_tier t) { return LOOK_CANON + (int)t; }
static int look_of_course(bench_course c) { return c == BENCH_COURSE_KEPT ? LOOK_ANCHOR : LOOK_CANON + (int)c; }

/* ---- Tables ---- */

static void begin_table(FILE *to) { fputs("<div class=\"wide\"><table>\n<thead><tr>", to); }
static void end_table(FILE *to) { fputs("</tbody></table></div>", to); }
/* The numbers of a plot. */
static void begin_numbers(FILE *to) {
  fputs("<details><summary>The numbers</summary>", to);
  begin_table(to);
}
static void end_numbers(FILE *to) {
  end_table(to);
  fputs("</details>\n", to);
}
static void head_cell(FILE *to, const char *text) {
  fputs("<th>", to);
  plot_text(to, text);
  fputs("</th>", to);
}
/* "quickened, ms" or the like. */
static void head_of(FILE *to, const char *name, const char *what) {
  char text[40];
  snprintf(text, sizeof text, "%s, %s", name, what);
  head_cell(to, text);
}
static void head_cells(FILE *to, const char *const *texts, size_t n) {
  for (size_t k = 0; k < n; k++) head_cell(to, texts[k]);
}
static void begin_body(FILE *to) { fputs("</tr></thead>\n<tbody>\n", to); }
static void text_cell(FILE *to, const char *text) {
  fputs("<td>", to);
  plot_text(to, text);
  fputs("</td>", to);
}
/* Nothing where the value is 0: it was not measured. */
static void cell(FILE *to, double v) {
  if (v == 0) fputs("<td>–</td>", to);
  else fprintf(to, "<td>%.*f</td>", v < 10 ? 2 : v < 1000 ? 1 : 0, v);
}

static void heading(FILE *to, const char *text, const char *below) {
  fputs("<h2>", to);
  plot_text(to, text);
  fputs("</h2>\n<p>", to);
  plot_text(to, below);
  fputs("</p>\n", to);
}

/* ---- Time a row, by workload ---- */

typedef struct form_plot {
  const char *title, *below;
  bench_way ways[PLOT_LOOKS]; /* by look; that of the anchor is of level 0 */
} form_plot;

static const form_plot form_plots[] = {
  {"A row at a time", "Nanoseconds a row where each is a call: hand-written C behind the least that a library call consists of (floor), a hand-written "
                      "interpreter (anchor), and typed rows in each tier of Weir. Base inputs; less is better.",
   {BENCH_ROW_API, BENCH_ROW_X86_64, BENCH_CANON_TYPED, BENCH_QUICK_TYPED, BENCH_NATIVE_TYPED, BENCH_AUTO_TYPED}},
  {"Batches", "Nanoseconds a row in batches of 4096 rows, as columns: hand-written C (floor), a hand-written interpreter over tiles of rows "
              "(anchor), and each tier of Weir. Base inputs; less is better.",
   {BENCH_BATCH_CHECKED, BENCH_TILE_X86_64, BENCH_CANON_BATCH, BENCH_QUICK_BATCH, BENCH_NATIVE_BATCH, BENCH_AUTO_BATCH}},
};
static const char *const look_names[PLOT_LOOKS] = {"floor", "anchor", "canonical", "quickened", "native", "auto"};

static bench_way way_of(const form_plot *f, int look, const bench_options *o) {
  return (bench_way)(f->ways[look] + (look == LOOK_ANCHOR ? (unsigned)o->level : 0));
}

static void form_table(FILE *to, const form_plot *f, const bench_options *o, const bench_results *r) {
  begin_numbers(to);
  head_cell(to, "ns a row");
  head_cell(to, "");
  head_cells(to, look_names, PLOT_LOOKS);
  head_cell(to, "quickened / floor");
  head_cell(to, "native / floor");
  begin_body(to);
  for (size_t w = 0; w < BENCH_WORKLOADS; w++)
    for (size_t v = 0; v < BENCH_VARIANTS; v++) {
      const bench_case *c = &r->cases[w][v];
      if (!c->is_there) continue;
      fprintf(to, "<tr><td>W%zu %s</td><td>least<br/>median</td>", w, bench_variants[v]);
      for (int k = 0; k < PLOT_LOOKS; k++) {
        const bench_result *one = &c->results[way_of(f, k, o)];
        if (one->is_there) fprintf(to, "<td>%.2f<br/>%.2f</td>", one->least, one->median);
        else text_cell(to, one->why[0] != '\0' ? one->why : "–");
      }
      const bench_result *floor = &c->results[f->ways[LOOK_FLOOR]];
      for (int k = LOOK_QUICK; k <= LOOK_NATIVE; k++) {
        const bench_result *one = &c->results[f->ways[k]];
        cell(to, one->is_there && floor->is_there ? one->least / floor->least : 0);
      }
      fputs("</tr>\n", to);
    }
  end_numbers(to);
}

static void put_form(FILE *to, const form_plot *f, const bench_options *o, const bench_results *r) {
  char names[BENCH_WORKLOADS][8];
  const char *categories[BENCH_WORKLOADS];
  plot_point points[PLOT_LOOKS][BENCH_WORKLOADS];
  plot_series series[PLOT_LOOKS];
  size_t n = 0;
  for (int k = 0; k < PLOT_LOOKS; k++) series[k] = (plot_series){look_names[k], k, points[k], 0};
  for (size_t w = 0; w < BENCH_WORKLOADS; w++) {
    size_t v = 0;
    while (v < BENCH_VARIANTS && !r->cases[w][v].is_there) v++;
    if (v == BENCH_VARIANTS) continue;
    snprintf(names[n], sizeof names[n], "W%u", (unsigned)w);
    categories[n] = names[n];
    for (int k = 0; k < PLOT_LOOKS; k++) {
      const bench_result *one = &r->cases[w][v].results[way_of(f, k, o)];
      if (one->is_there) points[k][series[k].n++] = (plot_point){one->least, (double)n};
    }
    n++;
  }
  if (n == 0) return;
  plot p = {f->title, "ns a row", "", series, PLOT_LOOKS};
  heading(to, f->title, f->below);
  plot_marks(to, &p, categories, n);
  form_table(to, f, o, r);
}

/* ---- Warm-up ---- */

static void warm_up_table(FILE *to, const bench_warm_up *w) {
  begin_numbers(to);
  head_cell(to, "rows");
  for (bench_course t = 0; t < BENCH_COURSE_COUNT; t++) head_of(to, bench_courses[t].name, "ms");
  begin_body(to);
  for (size_t k = 0; k < BENCH_POINTS && w->rows[k] != 0; k++) {
    fprintf(to, "<tr><td>%zu</td>", w->rows[k]);
    for (bench_course t = 0; t < BENCH_COURSE_COUNT; t++) {
      if (w->seconds[t][k] == 0) text_cell(to, "–");
      else fprintf(to, "<td>%.4f</td>", w->seconds[t][k] * 1e3);
    }
    fputs("</tr>\n", to);
  }
  end_numbers(to);
}

static void put_warm_up(FILE *to, const bench_warm_up *w) {
  plot_point points[BENCH_COURSE_COUNT][BENCH_POINTS];
  plot_series series[BENCH_COURSE_COUNT];
  char title[64];
  if (!w->is_there) return;
  for (bench_course t = 0; t < BENCH_COURSE_COUNT; t++) {
    series[t] = (plot_series){bench_courses[t].name, look_of_course(t), points[t], 0};
    for (size_t k = 0; k < BENCH_POINTS && w->rows[k] != 0 && w->seconds[t][k] != 0; k++)
      points[t][series[t].n++] = (plot_point){(double)w->rows[k], w->seconds[t][k] * 1e3};
  }
  snprintf(title, sizeof title, "Warm-up%s%s", w->name[0] != '\0' ? " of " : "", w->name);
  plot p = {title, "rows so far", "ms so far", series, BENCH_COURSE_COUNT};
  heading(to, title, "Milliseconds from the text on, rows one by one: reading and checking the specification, making a monitor, and in the native tier machine "
                     "code, are all in it; `native kept` finds the code on disk, where an earlier process has kept it. Where two lines cross, the later one has earned what it took.");
  plot_lines(to, &p);
  warm_up_table(to, w);
}

/* ---- Sizes ---- */

static void chains_table(FILE *to, const bench_results *r) {
  static const char *const heads[] = {"equations", "text, bytes", "compile, ms", "canonical, ms", "quickened, ms", "native, ms", "auto, ms", "native kept, ms",
                                      "first row, µs", "memory, KiB", "code, KiB"};
  begin_numbers(to);
  head_cells(to, heads, BENCH_LEN(heads));
  begin_body(to);
  for (size_t k = 0; k < BENCH_CHAINS; k++) {
    const bench_chain *c = &r->chains[k];
    if (!c->is_there) continue;
    fprintf(to, "<tr><td>%zu</td><td>%zu</td>", c->equations, c->bytes);
    cell(to, c->compile * 1e3);
    for (bench_course t = 0; t < BENCH_COURSE_COUNT; t++) cell(to, c->made[t] * 1e3);
    cell(to, c->first * 1e6);
    fprintf(to, "<td>%zu</td><td>%zu</td></tr>\n", c->memory / 1024, c->code / 1024);
  }
  end_numbers(to);
}

static void put_chains(FILE *to, const bench_results *r) {
  plot_point points[BENCH_COURSE_COUNT + 1][BENCH_CHAINS];
  plot_series series[BENCH_COURSE_COUNT + 1] = {{"the text", LOOK_FLOOR, points[0], 0}};
  if (!r->chains[0].is_there) return;
  for (bench_course t = 0; t < BENCH_COURSE_COUNT; t++) series[t + 1] = (plot_series){bench_courses[t].name, look_of_course(t), points[t + 1], 0};
  for (size_t k = 0; k < BENCH_CHAINS; k++) {
    const bench_chain *c = &r->chains[k];
    if (!c->is_there) continue;
    points[0][series[0].n++] = (plot_point){(double)c->equations, c->compile * 1e3};
    for (bench_course t = 0; t < BENCH_COURSE_COUNT; t++)
      if (c->made[t] != 0) points[t + 1][series[t + 1].n++] = (plot_point){(double)c->equations, c->made[t] * 1e3};
  }
  plot p = {"Compile time over program size", "equations", "ms", series, BENCH_COURSE_COUNT + 1};
  heading(to, p.title, "Milliseconds to read and check the text of a chain of equations, each on the one before; then to make a monitor of it in each tier, which in "
                       "the native tier makes machine code, or finds what an earlier process has kept on disk.");
  plot_lines(to, &p);
  chains_table(to, r);
}

/* ---- The command ---- */

static int look_of_command(bench_command_way k) {
  static const int looks[BENCH_COMMAND_WAYS] = {LOOK_FLOOR, LOOK_QUICK, LOOK_NATIVE, LOOK_AUTO, LOOK_ANCHOR};
  return looks[k];
}

static void command_table(FILE *to, const bench_command_table *t, const bench_results *r) {
  begin_numbers(to);
  head_cell(to, t->unit);
  head_cell(to, "rows");
  for (bench_command_way k = 0; k < BENCH_COMMAND_WAYS; k++) head_cell(to, bench_command_name(k));
  for (bench_command_way k = BENCH_COMMAND_FLOOR + 1; k < BENCH_COMMAND_WAYS; k++) head_of(to, bench_command_name(k), "/ floor");
  begin_body(to);
  for (size_t w = 0; w < BENCH_COMMAND_WORKLOADS; w++)
    for (size_t v = 0; v < BENCH_COMMAND_VARIANTS; v++) {
      const bench_command *c = &r->commands[w][v];
      if (!c->is_there) continue;
      fprintf(to, "<tr><td>W%zu %s</td><td>%zu</td>", w, bench_variants[v], c->rows[t->size]);
      for (bench_command_way k = 0; k < BENCH_COMMAND_WAYS; k++) cell(to, bench_command_value(c, t, k));
      for (bench_command_way k = BENCH_COMMAND_FLOOR + 1; k < BENCH_COMMAND_WAYS; k++)
        cell(to, bench_command_value(c, t, k) / bench_command_value(c, t, BENCH_COMMAND_FLOOR));
      fputs("</tr>\n", to);
    }
  end_numbers(to);
}

/* Marks are of the workload's first variant that is there, as above. */
static void put_command(FILE *to, const bench_command_table *t, const bench_results *r) {
  char names[BENCH_COMMAND_WORKLOADS][8];
  const char *categories[BENCH_COMMAND_WORKLOADS];
  plot_point points[BENCH_COMMAND_WAYS][BENCH_COMMAND_WORKLOADS];
  plot_series series[BENCH_COMMAND_WAYS];
  size_t n = 0;
  for (bench_command_way k = 0; k < BENCH_COMMAND_WAYS; k++) series[k] = (plot_series){bench_command_name(k), look_of_command(k), points[k], 0};
  for (size_t w = 0; w < BENCH_COMMAND_WORKLOADS; w++) {
    const bench_command *c = r->commands[w];
    if (!c->is_there) c++;
    if (!c->is_there) continue;
    snprintf(names[n], sizeof names[n], "W%u", (unsigned)w);
    categories[n] = names[n];
    for (bench_command_way k = 0; k < BENCH_COMMAND_WAYS; k++) {
      double value = bench_command_value(c, t, k);
      if (value != 0) points[k][series[k].n++] = (plot_point){value, (double)n};
    }
    n++;
  }
  if (n == 0) return;
  plot p = {t->title, t->unit, "", series, BENCH_COMMAND_WAYS};
  heading(to, t->title, "`weir run` from CSV to CSV, as a process from its start to its end, beside hand-written C that does the same (floor), each on one thread; and "
                        "with nothing set (default). Memory is what was resident at most.");
  plot_marks(to, &p, categories, n);
  command_table(to, t, r);
}

/* ---- A user's own ---- */

static const char *const form_names[BENCH_FORM_COUNT] = {"tagged", "typed", "batch"};

static void own_table(FILE *to, const bench_own *own) {
  begin_numbers(to);
  head_cell(to, "ns a row");
  for (bench_tier t = 0; t < BENCH_TIER_COUNT; t++) {
    head_of(to, bench_tiers[t].name, "least");
    head_cell(to, "median");
  }
  begin_body(to);
  for (bench_form f = 0; f < BENCH_FORM_COUNT; f++) {
    fputs("<tr>", to);
    text_cell(to, form_names[f]);
    for (bench_tier t = 0; t < BENCH_TIER_COUNT; t++) {
      const bench_result *one = &own->turns.results[bench_way_of(t, f)];
      if (one->is_there) fprintf(to, "<td>%.2f</td><td>%.2f</td>", one->least, one->median);
      else {
        text_cell(to, one->why);
        text_cell(to, "–");
      }
    }
    fputs("</tr>\n", to);
  }
  end_numbers(to);
}

static void put_own_turns(FILE *to, const bench_own *own) {
  plot_point points[BENCH_TIER_COUNT][BENCH_FORM_COUNT];
  plot_series series[BENCH_TIER_COUNT];
  for (bench_tier t = 0; t < BENCH_TIER_COUNT; t++) {
    series[t] = (plot_series){bench_tiers[t].name, look_of(t), points[t], 0};
    for (bench_form f = 0; f < BENCH_FORM_COUNT; f++) {
      const bench_result *one = &own->turns.results[bench_way_of(t, f)];
      if (one->is_there) points[t][series[t].n++] = (plot_point){one->least, (double)f};
    }
  }
  plot p = {"Time a row", "ns a row", "", series, BENCH_TIER_COUNT};
  heading(to, p.title, "Nanoseconds a row in each tier and each form of call: tagged values, typed cells where the program has only such, and batches of up to 4096 "
                       "rows as columns. Less is better.");
  plot_marks(to, &p, form_names, BENCH_FORM_COUNT);
  own_table(to, own);
}

static void put_costs(FILE *to, const bench_own *own) {
  static const char *const heads[] = {"", "compile, ms", "monitor, ms", "first row, µs", "memory, bytes", "peak, bytes", "code, bytes", "code, ms", "declined",
                                      "rows canonical", "quickened", "native"};
  heading(to, "What a tier takes", "The least of several tries; memory after all rows.");
  begin_table(to);
  head_cells(to, heads, BENCH_LEN(heads));
  begin_body(to);
  for (bench_tier t = 0; t < BENCH_TIER_COUNT; t++) {
    const bench_cost *c = &own->costs[t];
    fputs("<tr>", to);
    text_cell(to, bench_tiers[t].name);
    fprintf(to, "<td>%.3f</td><td>%.3f</td><td>%.2f</td><td>%zu</td><td>%zu</td><td>%llu</td><td>%.3f</td><td>%llu</td>", c->compile * 1e3, c->made * 1e3,
            c->first * 1e6, c->memory, c->peak, (unsigned long long)c->code_bytes, c->code_seconds * 1e3, (unsigned long long)c->declined);
    fprintf(to, "<td>%llu</td><td>%llu</td><td>%llu</td></tr>\n", (unsigned long long)c->rows[WEIR_TIER_CANONICAL],
            (unsigned long long)c->rows[WEIR_TIER_QUICKENED], (unsigned long long)c->rows[WEIR_TIER_NATIVE]);
  }
  end_table(to);
  fputs("\n", to);
  if (own->costs[BENCH_TIER_NATIVE].why[0] == '\0') return;
  fputs("<p>No native code: ", to);
  plot_text(to, own->costs[BENCH_TIER_NATIVE].why);
  fputs("</p>\n", to);
}

static void put_own(FILE *to, const bench_options *o, const bench_results *r) {
  const bench_own *own = &r->own;
  fputs("<p>", to);
  plot_text(to, o->own->spec_name);
  if (o->own->trace_name != NULL) {
    fputs(" over ", to);
    plot_text(to, o->own->trace_name);
  }
  fprintf(to, ": %zu rows, %zu inputs, %zu outputs; it retains %llu bytes%s. All tiers gave the same outputs: checksum %016llx.</p>\n", own->turns.rows,
          own->inputs, own->outputs, (unsigned long long)own->state_bytes, own->plus_values ? " and values" : "", (unsigned long long)own->turns.sum);
  put_own_turns(to, own);
  put_warm_up(to, &r->warm_ups[0]);
  put_costs(to, own);
}

static void put_place(FILE *to, const bench_options *o, const bench_place *p) {
  fputs("<p>weir ", to);
  plot_text(to, weir_version());
  fputs(" on ", to);
  plot_text(to, p->cpu[0] != '\0' ? p->cpu : "an unknown processor");
  fprintf(to, ", load %.2f", p->load);
  if (o->own == NULL)
    fprintf(to, "; floor built for %s, interpreters for %s, variants of seed %llu", bench_built_name, bench_level_name(o),
            (unsigned long long)floor_consts.seed);
  fprintf(to, "; the least of %d passes in %d process%s.%s%s</p>\n", o->repeats, o->processes, o->processes == 1 ? "" : "es",
          p->load > 1.5 ? " The machine is busy: the figures are those of a busy machine." : "",
          o->own == NULL && p->has_more ? " The processor has more than the floor was built for: ratios to the floor are too good." : "");
}

void bench_print_html(FILE *to, const bench_options *o, const bench_results *r, const bench_place *p) {
  fputs(head, to);
  put_place(to, o, p);
  if (o->own != NULL) put_own(to, o, r);
  for (size_t k = 0; o->own == NULL && k < BENCH_LEN(form_plots); k++) put_form(to, &form_plots[k], o, r);
  for (size_t k = 0; o->own == NULL && k < BENCH_WARM_UPS; k++) put_warm_up(to, &r->warm_ups[k]);
  if (o->own == NULL) put_chains(to, r);
  for (size_t k = 0; o->own == NULL && k < BENCH_COMMAND_TABLES; k++) put_command(to, &bench_command_tables[k], r);
  if (r->left_out > 0) fprintf(to, "<p>Left out for lack of time: %zu variants and sizes.</p>\n", r->left_out);
  fputs("</body>\n</html>\n", to);
}
