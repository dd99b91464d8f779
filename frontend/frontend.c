/* frontend/frontend.c -- the steps from text to program, and who owns what on the way. */
#include "frontend/frontend.h"

#include <string.h>

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

wir_program *wfe_compile(wb_door *door, wb_str text, const wfe_limits *limits, struct weir_diagnostics *diags) {
  if (text.n > limits->source_bytes) {
    wfe_diag_add(diags, WEIR_E_LIMIT, WB_NOWHERE, "the text has %zu bytes; the limit is %zu (max_source_bytes)", text.n,
                 limits->source_bytes);
    return NULL;
  }
  wir_program *p = wir_program_new(door);
  if (p == NULL || !keep_text(p, text)) {
    wfe_diag_memory(diags);
    wir_program_release(p);
    return NULL;
  }
  wb_mem scratch;
  wb_mem_init(&scratch, door, 0);
  compile(p, limits, &scratch, diags);
  wb_mem_drop(&scratch);
  if (!wfe_diag_any(diags)) return p;
  wir_program_release(p);
  return NULL;
}
