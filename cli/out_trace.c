/* cli/out_trace.c -- writes the outputs of ticks in the trace format; see out_trace.h.
**
** What goes wrong (memory, the file) stays in the cli_output; writing into one that failed does nothing. */
#include "cli/out_trace.h"

#include <string.h>

#include "ir/base/num.h"

#define PUT(o, literal) cli_output_put((o), "" literal, sizeof(literal) - 1)

/* ---- Texts --------------------------------------------------------------------------------------------------------- */

static bool needs_escapes(const char *text, size_t n) {
  bool needs = false;
  for (size_t i = 0; i < n; i++) needs |= (uint8_t)text[i] < 0x20 || text[i] == 0x7F || text[i] == '"';
  return needs;
}

static const struct { char is, name; } escapes[] = {{'"', '"'}, {'\\', '\\'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}};

/* Bytes of the escape of `c`, written to `to` (at most 6); 0: it stands for itself. */
static size_t escape(char c, char *to) {
  static const char hex[] = "0123456789abcdef";
  for (size_t i = 0; i < WB_LEN(escapes); i++)
    if (escapes[i].is == c) {
      to[0] = '\\';
      to[1] = escapes[i].name;
      return 2;
    }
  if ((uint8_t)c >= 0x20 && c != 0x7F) return 0;
  memcpy(to, "\\u{", 3);
  size_t n = 3;
  if (c >= 0x10) to[n++] = hex[c >> 4];
  to[n++] = hex[c & 15];
  to[n++] = '}';
  return n;
}

static bool put_text(cli_output *o, const char *text, size_t n) {
  if (!needs_escapes(text, n)) {
    char *to = cli_output_room(o, n + 2);
    if (to == NULL) return false;
    to[0] = '"';
    memcpy(to + 1, text, n);
    to[n + 1] = '"';
    cli_output_took(o, n + 2);
    return true;
  }
  if (!PUT(o, "e\"")) return false;
  for (size_t i = 0; i < n;) { /* in pieces: a longer text costs no more than six times one piece too much */
    size_t until = i + WB_MIN(n - i, (size_t)1024);
    char *begin = cli_output_room(o, (until - i) * 6), *to = begin;
    if (begin == NULL) return false;
    for (; i < until; i++) {
      size_t made = escape(text[i], to);
      if (made == 0) *to = text[i];
      to += made + (made == 0);
    }
    cli_output_took(o, (size_t)(to - begin));
  }
  return PUT(o, "\"");
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

static bool put_scalar(cli_output *o, const weir_value *v) {
  switch ((weir_tag)v->tag) {
    case WEIR_DEFERRED: return PUT(o, "deferred");
    case WEIR_UNIT: return PUT(o, "()");
    case WEIR_BOOL: return v->as.b ? PUT(o, "true") : PUT(o, "false");
    case WEIR_TEXT: return put_text(o, v->as.text, v->count);
    case WEIR_INT:
    case WEIR_FLOAT: {
      char *to = cli_output_room(o, WB_NUM_MAX);
      if (to == NULL) return false;
      cli_output_took(o, v->tag == WEIR_INT ? wb_write_int(v->as.i, to) : wb_write_double(v->as.f, to));
      return true;
    }
    case WEIR_NOVAL:
    case WEIR_LIST:
    case WEIR_TUPLE:
    case WEIR_MAP:
    case WEIR_TAG_COUNT: break;
  }
  wb_assert(false);
  return false;
}

static void brackets(const weir_value *v, wb_str *before, wb_str *behind) {
  *before = v->tag == WEIR_LIST ? WB_STR("[") : v->tag == WEIR_TUPLE ? WB_STR("Tuple(") : WB_STR("{");
  *behind = v->tag == WEIR_LIST ? WB_STR("]") : v->tag == WEIR_TUPLE ? WB_STR(")") : WB_STR("}");
}

const cli_notation cli_trace_notation = {put_scalar, put_text, brackets, {", ", 2}, {": ", 2}};

static bool put_value(cli_trace_out *w, const weir_value *v) {
  return WB_LIKELY(!cli_is_nested(v)) ? put_scalar(w->out, v) : cli_put_value(&w->values, v);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------- */

bool cli_trace_out_open(cli_trace_out *w, cli_output *out, wb_mem *mem, const wb_str *names, uint32_t n_names) {
  *w = (cli_trace_out){.out = out, .mem = mem, .n_names = n_names, .values = {.out = out, .mem = mem, .notation = &cli_trace_notation}};
  w->names = WB_NEW_ARRAY(mem, wb_str, n_names);
  if (w->names == NULL) return false;
  for (uint32_t i = 0; i < n_names; i++) {
    char *copy = wb_alloc(mem, names[i].n + 3, 1, 1);
    if (copy == NULL) return false;
    memcpy(copy, names[i].at, names[i].n);
    memcpy(copy + names[i].n, " = ", 3);
    w->names[i] = (wb_str){copy, names[i].n + 3};
  }
  return true;
}

static void trace_row(void *self, uint64_t tick, const weir_value *const *values) {
  cli_trace_out *w = self;
  char lead[24]; /* "T: ", then as many blanks */
  size_t n = 0;
  for (uint32_t i = 0; i < w->n_names; i++) {
    if (values[i]->tag == WEIR_NOVAL) continue;
    if (n == 0) {
      char digits[20];
      size_t at = sizeof digits;
      do digits[--at] = (char)('0' + tick % 10);
      while ((tick /= 10) != 0);
      n = sizeof digits - at;
      memcpy(lead, digits + at, n);
      memcpy(lead + n, ": ", 2);
      n += 2;
    }
    wb_str name = w->names[i];
    char *to = cli_output_room(w->out, n + name.n);
    if (to == NULL) return;
    memcpy(to, lead, n);
    memcpy(to + n, name.at, name.n);
    cli_output_took(w->out, n + name.n);
    if (!put_value(w, values[i]) || !PUT(w->out, "\n")) return;
    cli_output_line(w->out);
    memset(lead, ' ', n);
  }
}

cli_sink cli_trace_out_sink(cli_trace_out *w) { return (cli_sink){.self = w, .row = trace_row}; }
