/* ir/explain_ir.c -- what the quickened tier makes of a program: its scalar bodies, or why a stream has none. */
#include "ir/bodies.h"
#include "ir/explain.h"
#include "ir/optimize.h"
#include "ir/print_ir.h"

typedef struct shower {
  wir_words *w;
  const wir_program *p;
  bool as_dot;
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

static void put_whole(shower *k, const wir_bodies *b) {
  put_body(k, "any row", &b->of_fit[WIR_BODY_GENERAL], *b->n_lowered);
  put_body(k, "rows that have every input, once state is filled", &b->of_fit[WIR_BODY_WARM], *b->n_lowered);
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

static void put_steps(shower *k, const wir_bodies *b) {
  uint32_t region = 0;
  for (uint32_t i = 0; i < b->plan.n_steps; i++) {
    wir_step step = b->plan.steps[i];
    if (step.is_region) {
      put_body(k, step.n == 1 ? "a region of one stream" : "a region", &b->of_region[region], b->n_lowered[region]);
      region++;
    } else put_canonical(k, &b->plan, step);
  }
}

/* ---- The door ---- */

static const char *const introduction =
  "What the quickened tier runs: scalar instructions, first those that compute, then what is written, kept and pushed into rings.\n"
  "A `guarded` instruction hands its failure on; any other failure leaves the body, and the row is evaluated by the graphs\n"
  "(`safe`: it cannot fail). `may` tells what a result may be besides a value. States are those of --stage state.\n";

bool wir_explain_ir(const wir_program *p, bool as_dot, wir_words *w) {
  shower k = {.w = w, .p = p, .as_dot = as_dot};
  wir_bodies *b = wir_bodies_make(p, w->mem->door);
  if (b == NULL) return false;
  wir_put(w, as_dot ? "digraph ir {\n  node [shape=box, fontname=\"monospace\"];\n" : introduction);
  if (b->is_whole) put_whole(&k, b);
  else put_steps(&k, b);
  if (as_dot) wir_put(w, "}\n");
  wir_bodies_free(b);
  return !w->has_failed;
}
