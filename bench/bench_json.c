/* bench/bench_json.c -- results for programs.  The schema stands in docs/bench-json.md. */
#include <weir.h>

#include "bench/bench.h"
#include "bench/plot.h"

static void put_text(FILE *to, const char *text) {
  putc('"', to);
  for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
    size_t n = plot_character(p);
    if (*p == '"' || *p == '\\') fprintf(to, "\\%c", *p);
    else if (*p < 0x20) fprintf(to, "\\u%04x", *p);
    else if (n == 0) fputs("\xef\xbf\xbd", to);
    else fwrite(p, 1, n, to);
    p += n != 0 ? n : 1;
  }
  putc('"', to);
}

static void put_text_or_null(FILE *to, const char *text) {
  if (text[0] != '\0') put_text(to, text);
  else fputs("null", to);
}

/* A key with a text, and what is in front of it. */
static void put_pair(FILE *to, const char *before, const char *key, const char *text) {
  fprintf(to, "%s\"%s\": ", before, key);
  put_text(to, text);
}

static void put_ways(FILE *to, const bench_case *c) {
  const char *comma = "";
  fputs("\"ways\": [", to);
  for (size_t k = 0; k < BENCH_WAY_COUNT; k++) {
    const bench_result *r = &c->results[k];
    if (!r->is_there && r->why[0] == '\0') continue;
    fprintf(to, "%s\n   {\"engine\": \"%s\", \"form\": \"%s\", ", comma, bench_ways[k].engine, bench_ways[k].form);
    if (r->is_there) fprintf(to, "\"rows\": %zu, \"least\": %.4f, \"median\": %.4f}", r->rows, r->least, r->median);
    else {
      put_pair(to, "", "missing", r->why);
      fputs("}", to);
    }
    comma = ",";
  }
  fputs("]", to);
}

static void put_cases(FILE *to, const bench_results *r) {
  const char *comma = "";
  fputs(",\n \"cases\": [", to);
  for (size_t w = 0; w < BENCH_WORKLOADS; w++)
    for (size_t v = 0; v < BENCH_VARIANTS; v++) {
      const bench_case *c = &r->cases[w][v];
      if (!c->is_there) continue;
      fprintf(to, "%s\n  {\"workload\": \"W%zu\", \"variant\": \"%s\", \"rows\": %zu, \"sum\": \"%016llx\", ", comma, w, bench_variants[v], c->rows,
              (unsigned long long)c->sum);
      put_ways(to, c);
      fputs("}", to);
      comma = ",";
    }
  fputs("]", to);
}

static void put_points(FILE *to, const bench_warm_up *w, bench_course t) {
  const char *comma = "";
  for (size_t k = 0; k < BENCH_POINTS && w->rows[k] != 0 && w->seconds[t][k] != 0; k++, comma = ", ")
    fprintf(to, "%s[%zu, %.4f]", comma, w->rows[k], w->seconds[t][k] * 1e3);
}

static void put_warm_ups(FILE *to, const bench_results *r) {
  const char *comma = "";
  fputs(",\n \"warm_up\": [", to);
  for (size_t k = 0; k < BENCH_WARM_UPS && r->warm_ups[k].is_there; k++, comma = ",") {
    fprintf(to, "%s\n  {\"workload\": ", comma);
    put_text_or_null(to, r->warm_ups[k].name);
    fputs(", \"tiers\": {", to);
    for (bench_course t = 0; t < BENCH_COURSE_COUNT; t++) {
      fprintf(to, "%s\n   \"%s\": [", t > 0 ? "," : "", bench_courses[t].name);
      put_points(to, &r->warm_ups[k], t);
      fputs("]", to);
    }
    fputs("}}", to);
  }
  fputs("]", to);
}

static void put_ms(FILE *to, const char *key, double seconds) {
  if (seconds == 0) fprintf(to, "\"%s\": null, ", key);
  else fprintf(to, "\"%s\": %.4f, ", key, seconds * 1e3);
}

static void put_chains(FILE *to, const bench_results *r) {
  const char *comma = "";
  fputs(",\n \"chains\": [", to);
  for (size_t k = 0; k < BENCH_CHAINS; k++) {
    const bench_chain *c = &r->chains[k];
    if (!c->is_there) continue;
    fprintf(to, "%s\n  {\"equations\": %zu, \"bytes\": %zu, ", comma, c->equations, c->bytes);
    put_ms(to, "compile_ms", c->compile);
    put_ms(to, "canonical_ms", c->made[BENCH_COURSE_CANON]);
    put_ms(to, "quickened_ms", c->made[BENCH_COURSE_QUICK]);
    put_ms(to, "native_ms", c->made[BENCH_COURSE_NATIVE]);
    put_ms(to, "native_kept_ms", c->made[BENCH_COURSE_KEPT]);
    put_ms(to, "auto_ms", c->made[BENCH_COURSE_AUTO]);
    fprintf(to, "\"first_row_us\": %.3f, \"memory\": %zu, \"code_bytes\": %zu}", c->first * 1e6, c->memory, c->code);
    comma = ",";
  }
  fputs("]", to);
}

static void put_command(FILE *to, const bench_command *c) {
  for (bench_command_size s = 0; s < BENCH_COMMAND_SIZES; s++) {
    fprintf(to, "%s\n   {\"rows\": %zu, \"ways\": [", s > 0 ? "," : "", c->rows[s]);
    for (bench_command_way k = 0; k < BENCH_COMMAND_WAYS; k++) {
      const bench_took *t = &c->took[s][k];
      fprintf(to, "%s\n    {\"way\": \"%s\", ", k > 0 ? "," : "", bench_command_name(k));
      put_ms(to, "wall_ms", t->wall);
      put_ms(to, "cpu_ms", t->cpu);
      fprintf(to, "\"memory\": %zu}", t->memory);
    }
    fputs("]}", to);
  }
}

static void put_commands(FILE *to, const bench_results *r) {
  const char *comma = "";
  fputs(",\n \"command\": [", to);
  for (size_t w = 0; w < BENCH_COMMAND_WORKLOADS; w++)
    for (size_t v = 0; v < BENCH_COMMAND_VARIANTS; v++) {
      if (!r->commands[w][v].is_there) continue;
      fprintf(to, "%s\n  {\"workload\": \"W%zu\", \"variant\": \"%s\", \"sizes\": [", comma, w, bench_variants[v]);
      put_command(to, &r->commands[w][v]);
      fputs("]}", to);
      comma = ",";
    }
  fputs("]", to);
}

static void put_costs(FILE *to, const bench_own *own) {
  fputs(",\n  \"tiers\": [", to);
  for (bench_tier t = 0; t < BENCH_TIER_COUNT; t++) {
    const bench_cost *c = &own->costs[t];
    fprintf(to, "%s\n   {\"tier\": \"%s\", ", t > 0 ? "," : "", bench_tiers[t].name);
    put_ms(to, "compile_ms", c->compile);
    put_ms(to, "monitor_ms", c->made);
    fprintf(to, "\"first_row_us\": %.3f, \"memory\": %zu, \"peak\": %zu, ", c->first * 1e6, c->memory, c->peak);
    put_ms(to, "code_ms", c->code_seconds);
    fprintf(to, "\"code_bytes\": %llu, \"declined\": %llu, ", (unsigned long long)c->code_bytes, (unsigned long long)c->declined);
    fprintf(to, "\"rows\": {\"canonical\": %llu, \"quickened\": %llu, \"native\": %llu}, \"why_not_native\": ",
            (unsigned long long)c->rows[WEIR_TIER_CANONICAL], (unsigned long long)c->rows[WEIR_TIER_QUICKENED], (unsigned long long)c->rows[WEIR_TIER_NATIVE]);
    put_text_or_null(to, c->why);
    fputs("}", to);
  }
  fputs("]", to);
}

static void put_own(FILE *to, const bench_options *o, const bench_own *own) {
  fputs(",\n \"own\": ", to);
  if (o->own == NULL) {
    fputs("null", to);
    return;
  }
  put_pair(to, "{", "spec", o->own->spec_name);
  fputs(", \"trace\": ", to);
  put_text_or_null(to, o->own->trace_name != NULL ? o->own->trace_name : "");
  fprintf(to, ", \"rows\": %zu, \"inputs\": %zu, \"outputs\": %zu, \"state_bytes\": %llu, \"plus_values\": %s, \"sum\": \"%016llx\",\n  ", own->turns.rows,
          own->inputs, own->outputs, (unsigned long long)own->state_bytes, own->plus_values ? "true" : "false", (unsigned long long)own->turns.sum);
  put_ways(to, &own->turns);
  put_costs(to, own);
  fputs("}", to);
}

void bench_print_json(FILE *to, const bench_options *o, const bench_results *r, const bench_place *p) {
  put_pair(to, "{\"version\": 1, ", "weir", weir_version());
  put_pair(to, ", ", "cpu", p->cpu);
  fprintf(to, ", \"load\": %.2f", p->load);
  put_pair(to, ", ", "floor", bench_built_name);
  fprintf(to, ", \"floor_is_modest\": %s", p->has_more ? "true" : "false");
  fprintf(to, ", \"level\": \"%s\", \"seed\": %llu, \"repeats\": %d, \"processes\": %d, \"left_out\": %zu", bench_levels[o->level],
          (unsigned long long)floor_consts.seed, o->repeats, o->processes, r->left_out);
  put_cases(to, r);
  put_own(to, o, &r->own);
  put_warm_ups(to, r);
  put_chains(to, r);
  put_commands(to, r);
  fputs("}\n", to);
}
