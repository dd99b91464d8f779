/* frontend/frontend.c -- the steps from text to program, or to an explanation, and who owns what on the way. */
#include "frontend/frontend.h"

#include <string.h>

#include "frontend/explain_ast.h"
#include "frontend/infer.h"
#include "frontend/parse.h"
#include "frontend/to_graph.h"

/* The program keeps the text: places in it outlive the compilation. */
static bool keep_text(wir_program *p, wb_str text) {
  char *to = wb_alloc(&p->mem, 1, text.n + 1, 1);
  if (to == NULL) return false;
  if (text.n != 0) memcpy(to, text.at, text.n);
  p->text = (wb_str){to, text.n};
  return true;
}

static void finish(wir_program *p, const wfe_limits *limits, wb_mem *scratch, struct weir_diagnostics *diags) {
  weir_error e;
  weir_code rc = wir_program_finish(p, limits->state_bytes, scratch, &e);
  if (rc == WEIR_E_MEMORY) wfe_diag_memory(diags);
  else if (rc != WEIR_OK) wfe_diag_add(diags, rc, e.span, "%s", e.text);
  if (rc == WEIR_E_CYCLE) wfe_diag_hint(diags, "a delay breaks it: one of them reads what another was before, as in `default(x[1], 0)`");
}

static void compile(wir_program *p, const wfe_limits *limits, wb_mem *scratch, struct weir_diagnostics *diags) {
  wfe_tree tree = {.mem = scratch, .names = &p->names, .types = &p->types, .text = p->text};
  wfe_checked checked = {0};
  wfe_parse_spec(&tree, limits, diags);
  if (wfe_diag_any(diags)) return;
  wfe_check(&tree, limits, &checked, diags);
  if (wfe_diag_any(diags)) return;
  wfe_to_graph(&checked, p, scratch, diags);
  if (wfe_diag_any(diags)) return;
  finish(p, limits, scratch, diags);
}

bool wfe_check_size(wb_str text, const wfe_limits *limits, struct weir_diagnostics *diags) {
  return text.n <= limits->source_bytes ||
         WFE_REFUSE(diags, WEIR_E_LIMIT, WB_NOWHERE, "the text has %zu byte%s; the limit is %zu (max_source_bytes)", text.n, WB_S(text.n), limits->source_bytes);
}

/* A program that holds nothing but the text. */
static wir_program *begin(wb_door *door, wb_str text, const wfe_limits *limits, struct weir_diagnostics *diags) {
  if (!wfe_check_size(text, limits, diags)) return NULL;
  wir_program *p = wir_program_new(door);
  if (p != NULL && keep_text(p, text)) return p;
  wfe_diag_memory(diags);
  wir_program_release(p);
  return NULL;
}

wir_program *wfe_compile(wb_door *door, wb_str text, const wfe_limits *limits, struct weir_diagnostics *diags) {
  wir_program *p = begin(door, text, limits, diags);
  if (p == NULL) return NULL;
  wb_mem scratch;
  wb_mem_init(&scratch, door, 0);
  compile(p, limits, &scratch, diags);
  wb_mem_drop(&scratch);
  if (!wfe_diag_any(diags)) return p;
  wir_program_release(p);
  return NULL;
}

/* ---- Explanations -------------------------------------------------------------------------------------------------- */

static bool explain_tree(wir_program *p, const wfe_limits *limits, bool as_dot, wb_mem *scratch, wir_words *words,
                         struct weir_diagnostics *diags) {
  wfe_tree tree = {.mem = scratch, .names = &p->names, .types = &p->types, .text = p->text};
  wfe_checked checked = {0};
  wfe_parse_spec(&tree, limits, diags);
  if (wfe_diag_any(diags)) return false;
  wfe_check(&tree, limits, &checked, diags);
  if (diags->out_of_memory) return false;
  if (wfe_explain_ast(&tree, &checked, as_dot, scratch, words)) return true;
  wfe_diag_memory(diags);
  return false;
}

bool wfe_explain(wb_door *door, wb_str text, const wfe_limits *limits, weir_stage stage, bool as_dot, wir_words *words,
                 struct weir_diagnostics *diags) {
  wir_program *p = begin(door, text, limits, diags);
  if (p == NULL) return false;
  bool is_explained;
  wb_mem scratch;
  wb_mem_init(&scratch, door, 0);
  if (stage == WEIR_STAGE_AST) is_explained = explain_tree(p, limits, as_dot, &scratch, words, diags);
  else {
    compile(p, limits, &scratch, diags);
    is_explained = !wfe_diag_any(diags) && wir_explain(p, stage, as_dot, words);
  }
  wb_mem_drop(&scratch);
  wir_program_release(p);
  if (is_explained && WB_PUSH(words->mem, &words->bytes, '\0')) return true;
  if (is_explained || !wfe_diag_any(diags)) wfe_diag_memory(diags);
  return false;
}
