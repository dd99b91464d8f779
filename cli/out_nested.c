/* cli/out_nested.c -- writes values that may have others inside; see out_nested.h. */
#include "cli/out_nested.h"

static bool put(cli_output *o, wb_str text) { return cli_output_put(o, text.at, text.n); }

static bool begin(cli_nested *w, const weir_value *v) {
  wb_str before, behind;
  if (!cli_is_nested(v)) return w->notation->scalar(w->out, v);
  if (!WB_PUSH(w->mem, &w->inside, (cli_inside){v, 0})) {
    cli_output_no_memory(w->out);
    return false;
  }
  w->notation->brackets(v, &before, &behind);
  return put(w->out, before);
}

static bool end(cli_nested *w) {
  wb_str before, behind;
  w->notation->brackets(WB_TOP(&w->inside).of, &before, &behind);
  w->inside.n--;
  return put(w->out, behind);
}

/* Goes on in the container on top. */
static bool step(cli_nested *w) {
  cli_inside *in = &WB_TOP(&w->inside);
  const weir_value *of = in->of;
  if (in->next == of->count) return end(w);
  uint32_t i = in->next++;
  if (i > 0 && !put(w->out, w->notation->between)) return false;
  if (of->tag != WEIR_MAP) return begin(w, &of->as.items[i]);
  const weir_entry *entry = &of->as.entries[i];
  return w->notation->text(w->out, entry->key.as.text, entry->key.count) && put(w->out, w->notation->after_key) && begin(w, &entry->value);
}

bool cli_put_value(cli_nested *w, const weir_value *v) {
  w->inside.n = 0;
  bool ok = begin(w, v);
  while (ok && w->inside.n > 0) ok = step(w);
  return ok;
}
