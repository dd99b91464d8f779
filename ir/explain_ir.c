/* ir/explain_ir.c -- what the quickened tier makes of a program: its scalar bodies, or why a stream has none.
**
** The bodies are made here as runtime/quick_code.c makes them, by the same passes. */
#include "ir/explain.h"
#include "ir/optimize.h"
#include "ir/print_ir.h"
#include "ir/region.h"

typedef struct shower {
  wir_words *w;
  const wir_program *p;
  bool as_dot;
  wb_mem scratch;     /* of bodies */
  uint32_t n_bodies;  /* shown so far */
} shower;

static void put_count(shower *k, uint64_t n, const char *one, const char *many) {
  wir_put_number(k->w, n);
  wir_put(k->w, n == 1 ? one : many);
}

/* ---- A body ---- */

/* Numbers of bodies keep the nodes of one drawing apart. */
static void put_dot_name(shower *k, uint32_t i) {
  wir_put(k->w, "b");
  wir_put_number(k->w, k->n_bodies);
  wir_put(k->w, "i");
  wir_put_number(k->w, i);
}

static void draw_ins(shower *k, const wir_body *b, uint32_t i) {
  const wir_ins *in = &b->ins[i];
  wir_put(k->w, "    ");
  put_dot_name(k, i);
  wir_put(k->w, " [label=\"");
  wir_print_action(k->w, b, i);
  if (in->op == WIR_I_READ || in->op == WIR_I_WRITE) {
    wir_put(k->w, " ");
    wir_put_name(k->w, wir_stream_name(k->p, in->stream));
  }
  wir_put(k->w, wir_is_effect(in) ? "\", style=bold];\n" : wir_ins_leaves(b, in) ? "\", style=dashed];\n" : "\"];\n");
  for (uint32_t a = 0; a < wir_insns[in->op].operands; a++) {
    wir_put(k->w, "    ");
    put_dot_name(k, in->args[a].i);
    wir_put(k->w, " -> ");
    put_dot_name(k, i);
    wir_put(k->w, ";\n");
  }
}

static void put_body(shower *k, const char *title, const wir_body *b, uint32_t n_lowered) {
  if (k->as_dot) {
    wir_put(k->w, "  subgraph cluster");
    wir_put_number(k->w, k->n_bodies);
    wir_put(k->w, " {\n    label=\"");
    wir_put(k->w, title);
    wir_put(k->w, "\";\n");
    for (uint32_t i = 0; i < b->n_ins; i++) draw_ins(k, b, i);
    wir_put(k->w, "  }\n");
  } else {
    wir_put(k->w, "\n");
    wir_put(k->w, title);
    wir_put(k->w, ": ");
    put_count(k, b->n_ins, " instruction", " instructions");
    wir_put(k->w, ", made of ");
    wir_put_number(k->w, n_lowered);
    wir_put(k->w, "\n");
    wir_print_body(k->w, k->p, b, WIR_PRINT_NAMES);
  }
  k->n_bodies++;
}

/* ---- A schedule that is scalar throughout ---- */

static bool put_whole(shower *k) {
  const wir_program *p = k->p;
  wir_body general, warm;
  uint8_t *of_stream = WB_NEW_ARRAY(&k->scratch, uint8_t, p->n_streams), *of_state = WB_NEW_ARRAY(&k->scratch, uint8_t, p->n_states);
  if (of_stream == NULL || of_state == NULL) return false;
  if (!wir_lower(p, p->order, p->n_streams - p->n_inputs, true, &k->scratch, &general)) return false;
  uint32_t n_lowered = general.n_ins;
  if (!wir_optimize(p, &general, &k->scratch)) return false;
  if (!wir_narrow_to_warm(p, &general, 0, of_stream, of_state, &k->scratch, &warm) || !wir_optimize(p, &warm, &k->scratch)) return false;
  put_body(k, "any row", &general, n_lowered);
  put_body(k, "rows that have every input, once state is filled", &warm, n_lowered);
  return true;
}

/* ---- One in which some streams are not ---- */

static void put_canonical(shower *k, const wir_partition *plan, wir_step step) {
  char why[200];
  for (uint32_t i = step.first; i < step.first + step.n && !k->as_dot; i++) {
    (void)wir_why_not_scalar(k->p, plan->order[i], why, sizeof why);
    wir_put(k->w, "\n");
    wir_put_name(k->w, wir_stream_name(k->p, plan->order[i]));
    wir_put(k->w, " is evaluated by its graph: ");
    wir_put(k->w, why);
    wir_put(k->w, "\n");
  }
}

static bool put_region(shower *k, const wir_partition *plan, wir_step step) {
  wir_body b;
  if (!wir_lower(k->p, plan->order + step.first, step.n, false, &k->scratch, &b)) return false;
  uint32_t n_lowered = b.n_ins;
  if (!wir_optimize(k->p, &b, &k->scratch)) return false;
  put_body(k, step.n == 1 ? "a region of one stream" : "a region", &b, n_lowered);
  return true;
}

static bool put_steps(shower *k) {
  wir_partition plan;
  if (!wir_partition_make(k->p, &k->scratch, &plan)) return false;
  for (uint32_t i = 0; i < plan.n_steps; i++) {
    if (!plan.steps[i].is_region) put_canonical(k, &plan, plan.steps[i]);
    else if (!put_region(k, &plan, plan.steps[i])) return false;
  }
  return true;
}

/* ---- The door ---- */

static bool is_scalar_throughout(const wir_program *p) {
  for (uint32_t i = 0; i < p->n_streams; i++)
    if (!wir_is_scalar(p, i)) return false;
  return true;
}

static const char *const introduction =
  "What the quickened tier runs: scalar instructions, first those that compute, then what is written, kept and pushed into rings.\n"
  "A `guarded` instruction hands its failure on; any other failure leaves the body, and the row is evaluated by the graphs\n"
  "(`safe`: it cannot fail). `may` tells what a result may be besides a value. States are those of --stage state.\n";

bool wir_explain_ir(const wir_program *p, bool as_dot, wir_words *w) {
  shower k = {.w = w, .p = p, .as_dot = as_dot};
  wb_mem_init(&k.scratch, w->mem->door, 0);
  wir_put(w, as_dot ? "digraph ir {\n  node [shape=box, fontname=\"monospace\"];\n" : introduction);
  bool is_shown = is_scalar_throughout(p) ? put_whole(&k) : put_steps(&k);
  if (as_dot) wir_put(w, "}\n");
  wb_mem_drop(&k.scratch);
  return is_shown && !w->has_failed;
}
