/* cli/out_json.c -- writes NDJSON; see out_json.h.
**
** What goes wrong stays in the cli_output. */
#include "cli/out_json.h"

#include <string.h>

#include "cli/digits.h"
#include "cli/json_value.h"

#define PUT(o, literal) cli_output_put((o), "" literal, sizeof(literal) - 1)

/* ---- Texts --------------------------------------------------------------------------------------------------------- */

static const struct { char is, name; } escapes[] = {{'"', '"'}, {'\\', '\\'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}, {'\b', 'b'}, {'\f', 'f'}};

/* Bytes of the escape of `c`, written to `to` (at most 6); 0: it stands for itself. */
static size_t escape(char c, char *to) {
  static const char hex[] = "0123456789abcdef";
  if ((uint8_t)c >= 0x20 && c != '"' && c != '\\') return 0;
  to[0] = '\\';
  for (size_t i = 0; i < WB_LEN(escapes); i++)
    if (escapes[i].is == c) {
      to[1] = escapes[i].name;
      return 2;
    }
  memcpy(to + 1, "u00", 3);
  to[4] = hex[c >> 4];
  to[5] = hex[c & 15];
  return 6;
}

/* The text as far as nothing in it needs an escape. */
static size_t plain_prefix(const char *text, size_t n) {
  size_t i = 0;
  while (i < n && (uint8_t)text[i] >= 0x20 && text[i] != '"' && text[i] != '\\') i++;
  return i;
}

static bool put_text(cli_output *o, const char *text, size_t n) {
  if (!PUT(o, "\"")) return false;
  for (size_t i = 0; i < n; i++) {
    size_t plain = plain_prefix(text + i, n - i);
    if (!cli_output_put(o, text + i, plain)) return false;
    i += plain;
    if (i == n) break;
    char made[6];
    if (!cli_output_put(o, made, escape(text[i], made))) return false;
  }
  return PUT(o, "\"");
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

static bool put_number(cli_output *o, const weir_value *v) {
  char *to = cli_output_room(o, CLI_DIGITS_WRITE);
  if (to == NULL) return false;
  if (v->tag == WEIR_INT) cli_output_took(o, (size_t)(cli_write_int(to, v->as.i) - to));
  else if (WB_LIKELY(v->as.f - v->as.f == 0)) cli_output_took(o, wb_write_double(v->as.f, to));
  else if (v->as.f != v->as.f) return PUT(o, "{\"$\":\"nan\"}");
  else return v->as.f > 0 ? PUT(o, "{\"$\":\"inf\"}") : PUT(o, "{\"$\":\"-inf\"}");
  return true;
}

static bool put_scalar(cli_output *o, const weir_value *v) {
  switch ((weir_tag)v->tag) {
    case WEIR_DEFERRED: return PUT(o, "{\"$\":\"deferred\"}");
    case WEIR_UNIT: return PUT(o, "{\"$\":\"unit\"}");
    case WEIR_BOOL: return v->as.b ? PUT(o, "true") : PUT(o, "false");
    case WEIR_TEXT: return put_text(o, v->as.text, v->count);
    case WEIR_INT:
    case WEIR_FLOAT: return put_number(o, v);
    case WEIR_NOVAL:
    case WEIR_LIST:
    case WEIR_TUPLE:
    case WEIR_MAP:
    case WEIR_TAG_COUNT: break;
  }
  wb_assert(false);
  return false;
}

/* A map that would be read as something else. */
static bool is_wrapped(const weir_value *v) {
  for (uint32_t i = 0; v->tag == WEIR_MAP && i < v->count; i++)
    if (v->as.entries[i].key.count == 1 && v->as.entries[i].key.as.text[0] == '$') return true;
  return false;
}

static void brackets(const weir_value *v, wb_str *before, wb_str *behind) {
  bool wraps = is_wrapped(v);
  *before = wraps ? WB_STR("{\"$\":\"map\",\"v\":{") : WB_STR("{");
  *behind = wraps ? WB_STR("}}") : WB_STR("}");
  if (v->tag == WEIR_MAP) return;
  *before = v->tag == WEIR_LIST ? WB_STR("[") : WB_STR("{\"$\":\"tuple\",\"v\":[");
  *behind = v->tag == WEIR_LIST ? WB_STR("]") : WB_STR("]}");
}

static const cli_notation notation = {put_scalar, put_text, brackets, {",", 1}, {":", 1}};

static bool put_value(cli_json_out *w, const weir_value *v) {
  return WB_LIKELY(!cli_is_nested(v)) ? put_scalar(w->out, v) : cli_put_value(&w->values, v);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------- */

static bool put_label(cli_json_out *w) {
  const cli_label *l = w->label;
  char last = '\0';
  bool is_whole;
  if (l->text.n > 0) last = l->text.at[l->text.n - 1];
  bool is_number = !l->is_text && cli_is(last, CLI_C_DIGIT);
  if (is_number) { /* JSON has fewer forms of numbers than CSV */
    char copy[64];
    is_number = l->text.n < sizeof copy;
    if (is_number) {
      memcpy(copy, l->text.at, l->text.n);
      copy[l->text.n] = '\0';
      is_number = cli_json_number(copy, &is_whole) == copy + l->text.n;
    }
  }
  if (!cli_output_put(w->out, w->time_key.at + 1, w->time_key.n - 1)) return false;
  return is_number ? cli_output_put(w->out, l->text.at, l->text.n) : put_text(w->out, l->text.at, l->text.n);
}

static void json_row(void *self, uint64_t tick, const weir_value *const *values) {
  cli_json_out *w = self;
  cli_output *o = w->out;
  size_t skip = 1; /* the comma in front of the first key */
  (void)tick;
  if (!PUT(o, "{")) return;
  if (WB_UNLIKELY(w->label->column != NULL && w->label->text.at != NULL)) {
    if (!put_label(w)) return;
    skip = 0;
  }
  for (uint32_t i = 0; i < w->n_keys; i++) {
    if (values[i]->tag == WEIR_NOVAL) continue;
    if (!cli_output_put(o, w->keys[i].at + skip, w->keys[i].n - skip) || !put_value(w, values[i])) return;
    skip = 0;
  }
  if (!PUT(o, "}\n")) return;
  cli_output_line(o);
}

/* ,"name": with escapes, made in the output and taken back. */
static bool make_key(cli_json_out *w, wb_str name, wb_str *key) {
  cli_output *o = w->out;
  size_t begin_at = o->text.n;
  if (!PUT(o, ",") || !put_text(o, name.at, name.n) || !PUT(o, ":")) return false;
  size_t n = o->text.n - begin_at;
  char *copy = wb_alloc(w->mem, n, 1, 1);
  if (copy == NULL) return false;
  memcpy(copy, o->text.at + begin_at, n);
  o->text.n = begin_at;
  *key = (wb_str){copy, n};
  return true;
}

bool cli_json_out_open(cli_json_out *w, cli_output *out, wb_mem *mem, const cli_field *outputs, uint32_t n_outputs, const cli_label *label) {
  *w = (cli_json_out){.out = out, .mem = mem, .n_keys = n_outputs, .label = label, .values = {.out = out, .mem = mem, .notation = &notation}};
  w->keys = WB_NEW_ARRAY(mem, wb_str, n_outputs);
  if (w->keys == NULL) return false;
  for (uint32_t i = 0; i < n_outputs; i++)
    if (!make_key(w, outputs[i].name, &w->keys[i])) return false;
  return label->column == NULL || make_key(w, (wb_str){label->column, strlen(label->column)}, &w->time_key);
}

cli_sink cli_json_out_sink(cli_json_out *w) { return (cli_sink){.self = w, .row = json_row}; }
