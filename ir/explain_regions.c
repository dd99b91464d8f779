/* ir/explain_regions.c -- the partition of a schedule, as text and as DOT: which streams run together, which run by their graphs, and why;
** and of these the scalar islands. */
#include "ir/explain.h"
#include "ir/island.h"
#include "ir/region.h"

typedef struct shower {
  wir_words *w;
  const wir_program *p;
  const wir_partition *plan;
} shower;

static void put_stream(shower *k, uint32_t place) { wir_put_name(k->w, wir_stream_name(k->p, k->plan->order[place])); }

/* ---- Text ---- */

static void put_region(shower *k, wir_step step, uint32_t number) {
  wir_put(k->w, "region ");
  wir_put_number(k->w, number);
  wir_put(k->w, step.n == 1 ? ", 1 stream:" : ", ");
  if (step.n != 1) {
    wir_put_number(k->w, step.n);
    wir_put(k->w, " streams:");
  }
  for (uint32_t i = step.first; i < step.first + step.n; i++) {
    wir_put(k->w, " ");
    put_stream(k, i);
  }
  wir_put(k->w, "\n");
}

/* ", 2 scalar islands of 5 operations". */
static void put_islands(shower *k, uint32_t stream) {
  wir_island island = {0};
  uint32_t n = 0, n_operations = 0;
  for (; wir_next_island(k->p, stream, &island); n++) n_operations += island.n_operations;
  if (n == 0) return;
  wir_put(k->w, ", ");
  wir_put_number(k->w, n);
  wir_put(k->w, n == 1 ? " scalar island of " : " scalar islands of ");
  wir_put_number(k->w, n_operations);
  wir_put(k->w, " operations");
}

static void put_graphs(shower *k, wir_step step) {
  for (uint32_t i = step.first; i < step.first + step.n; i++) {
    char why[200];
    (void)wir_why_not_scalar(k->p, k->plan->order[i], why, sizeof why);
    wir_put(k->w, "by its graph: ");
    put_stream(k, i);
    put_islands(k, k->plan->order[i]);
    wir_put(k->w, " (");
    wir_put(k->w, why);
    wir_put(k->w, ")\n");
  }
}

static void put_steps(shower *k) {
  uint32_t n_regions = 0;
  wir_put(k->w, "What the quickened tier runs, in this order: regions of streams as one body each, and streams by their graphs.\n"
                "Independent streams were moved so that regions are long; --stage schedule shows the canonical order.\n\n");
  for (uint32_t i = 0; i < k->plan->n_steps; i++) {
    if (k->plan->steps[i].is_region) put_region(k, k->plan->steps[i], ++n_regions);
    else put_graphs(k, k->plan->steps[i]);
  }
  if (k->plan->n_steps == 0) wir_put(k->w, "nothing: there is no stream to compute\n");
}

/* ---- DOT ---- */

static void draw_stream(shower *k, uint32_t stream, bool is_region) {
  wir_put(k->w, is_region ? "    s" : "  s");
  wir_put_number(k->w, stream);
  wir_put(k->w, " [label=\"");
  wir_put_name(k->w, wir_stream_name(k->p, stream));
  wir_put(k->w, is_region ? "\"];\n" : "\", style=dashed];\n");
}

static void draw_steps(shower *k) {
  wir_put(k->w, "digraph regions {\n  node [shape=box];\n");
  for (uint32_t i = 0; i < k->plan->n_steps; i++) {
    wir_step step = k->plan->steps[i];
    if (step.is_region) {
      wir_put(k->w, "  subgraph cluster");
      wir_put_number(k->w, i);
      wir_put(k->w, " {\n");
    }
    for (uint32_t s = step.first; s < step.first + step.n; s++) draw_stream(k, k->plan->order[s], step.is_region);
    if (step.is_region) wir_put(k->w, "  }\n");
  }
  for (uint32_t i = k->p->n_inputs; i < k->p->n_streams; i++)
    for (uint32_t r = 0; r < k->p->streams[i].n_reads; r++) {
      const wir_read *read = &k->p->streams[i].reads[r];
      if (!read->is_immediate || read->stream < k->p->n_inputs) continue;
      wir_put(k->w, "  s");
      wir_put_number(k->w, read->stream);
      wir_put(k->w, " -> s");
      wir_put_number(k->w, i);
      wir_put(k->w, ";\n");
    }
  wir_put(k->w, "}\n");
}

bool wir_explain_regions(const wir_program *p, bool as_dot, wir_words *w) {
  wb_mem scratch;
  wir_partition plan;
  wb_mem_init(&scratch, w->mem->door, 0);
  bool is_made = wir_partition_make(p, &scratch, &plan);
  shower k = {.w = w, .p = p, .plan = &plan};
  if (is_made && as_dot) draw_steps(&k);
  if (is_made && !as_dot) put_steps(&k);
  wb_mem_drop(&scratch);
  return is_made && !w->has_failed;
}
