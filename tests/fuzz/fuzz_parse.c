/* tests/fuzz/fuzz_parse.c -- any bytes as a specification and as a run-time text: an error or a tree, never a crash.
**
** The first byte of the input is not text: it chooses the limits and which allocation fails. */
#include <stdlib.h>
#include <string.h>

#include "frontend/parse.h"

#define REQUIRE(x) do { if (!(x)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What every reader of a tree relies on. */
static void check_tree(const wfe_tree *t) {
  for (size_t i = 0; i < t->nodes.n; i++) {
    const wfe_node *n = &t->nodes.at[i];
    uint32_t children = 0;
    REQUIRE(n->span.begin < n->span.end && n->span.end <= t->text.n && n->at >= n->span.begin && n->at < n->span.end);
    for (wfe_ref r = n->first; wfe_is_node(r); r = wfe_at(t, r)->next, children++) REQUIRE(r.i < i);
    REQUIRE(children == n->n_children);
  }
  for (size_t i = 0; i < t->equations.n; i++) REQUIRE(t->equations.at[i].root.i < t->nodes.n);
}

static void check_diags(const struct weir_diagnostics *d, size_t size) {
  for (size_t i = 0; i < d->n; i++) {
    wb_str text = {d->at[i].text, strlen(d->at[i].text)}, hint = {d->at[i].hint, strlen(d->at[i].hint)};
    REQUIRE(text.n > 0 && d->at[i].span.begin <= d->at[i].span.end && d->at[i].span.end <= size);
    REQUIRE(wb_utf8_valid(text) == text.n && wb_utf8_valid(hint) == hint.n);
    REQUIRE(i == 0 || d->at[i - 1].span.begin <= d->at[i].span.begin);
  }
}

static void run(wb_str text, bool is_spec, uint8_t choice) {
  wb_door door;
  wb_mem mem;
  wb_names names;
  wir_types types;
  struct weir_diagnostics diags = {0};
  const wfe_limits limits = {.source_bytes = 1 << 24, .nesting = choice & 1 ? 6 : 1000, .name_bytes = 8, .equations = 5};
  wb_door_open(&door, NULL, 0);
  wb_mem_init(&mem, &door, 0);
  wb_names_init(&names, &mem);
  if (wir_types_init(&types, &names, &mem)) {
    if (choice & 2) door.fail_at = door.calls + 1 + choice / 4;
    wfe_tree tree = {.mem = &mem, .names = &names, .types = &types, .text = text};
    wb_bytes printed = {0};
    bool is_whole = is_spec || wfe_is_node(wfe_parse_expr(&tree, &limits, &diags));
    if (is_spec) wfe_parse_spec(&tree, &limits, &diags);
    check_diags(&diags, text.n);
    REQUIRE(is_whole || wfe_diag_any(&diags));
    if (!wfe_diag_any(&diags)) {
      check_tree(&tree);
      if (!wfe_print_tree(&tree, &mem, &printed)) REQUIRE(door.fail_at != 0);
    }
  }
  wb_mem_drop(&mem);
  REQUIRE(door.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  wb_str text = {(const char *)data + 1, size - 1};
  run(text, true, data[0]);
  run(text, false, data[0]);
  return 0;
}
