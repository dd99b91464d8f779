/* cli/csv_cell.c -- one cell of CSV; see csv_cell.h. */
#include "cli/csv_cell.h"

#include <stdio.h>
#include <string.h>

/* ---- Where it ends ------------------------------------------------------------------------------------------------- */

/* At the end of a cell: a comma, a line feed, CR LF.  *p moves to the comma or line feed. */
static cli_scan end_cell(cli_scanner *s, const char **p, const char *wrong, const char *hint) {
  const char *q = *p;
  bool is_cr = *q == '\r' && q < s->end;
  q += is_cr;
  if (q == s->end) return s->is_last ? (*p = q, CLI_SCAN_OK) : CLI_SCAN_SHORT;
  if (*q == '\n' || (*q == ',' && !is_cr)) {
    *p = q;
    return CLI_SCAN_OK;
  }
  cli_scan rc = is_cr ? cli_scan_bad(s, q - 1, q, "a carriage return stands alone") : cli_scan_bad(s, q, q + 1, "%s", wrong);
  if (rc == CLI_SCAN_BAD) (void)snprintf(s->hint, sizeof s->hint, "%s", is_cr ? "lines end with LF or CR LF; in a text it stands in quotes" : hint);
  return rc;
}

static cli_scan cut_quoted(cli_scanner *s, const char **p, cli_cell *c) {
  const char *from = *p + 1, *q = from;
  for (;; q += 2) {
    q = memchr(q, '"', (size_t)(s->end - q));
    if (q == NULL) {
      cli_scan rc = cli_scan_bad(s, *p, s->end, "the quote that begins here never ends");
      s->to = *p + 1;
      return rc;
    }
    if (q + 1 == s->end || q[1] != '"') break;
    c->has_pairs = true;
  }
  if (q + 1 == s->end && !s->is_last) return CLI_SCAN_SHORT;
  c->is_quoted = true;
  c->text = (wb_str){from, (size_t)(q - from)};
  c->to = *p = q + 1;
  if (memchr(from, '\n', c->text.n) != NULL) s->has_lines = true;
  return end_cell(s, p, "a cell goes on behind its closing quote", "a quote inside of quotes is doubled");
}

cli_scan cli_cell_cut(cli_scanner *s, const char **p, cli_cell *c) {
  *c = (cli_cell){.from = *p};
  if (**p == '"') return cut_quoted(s, p, c);
  c->to = *p = cli_find_mark(*p);
  c->text = (wb_str){c->from, (size_t)(c->to - c->from)};
  return end_cell(s, p, "a quote inside a cell that does not begin with one", "a cell with quotes in it stands in quotes, and they are doubled");
}

cli_scan cli_cell_join(cli_scanner *s, cli_cell *c) {
  char *to = c->joined = wb_alloc(s->values, c->text.n + 1, 1, 1);
  if (to == NULL) return CLI_SCAN_NO_MEMORY;
  for (const char *p = c->text.at, *end = p + c->text.n; p < end;) {
    const char *q = memchr(p, '"', (size_t)(end - p));
    size_t n = (size_t)((q != NULL ? q + 1 : end) - p);
    memcpy(to, p, n);
    to += n;
    p += n + (q != NULL);
  }
  c->n_joined = (size_t)(to - c->joined);
  return CLI_SCAN_OK;
}

/* ---- What it reads as ---------------------------------------------------------------------------------------------- */

static bool is_word(const char *p, const char *end, const char *word, bool any_case) {
  size_t n = strlen(word);
  if ((size_t)(end - p) != n) return false;
  for (size_t i = 0; i < n; i++)
    if (p[i] != word[i] && !(any_case && (p[i] | 32) == word[i])) return false;
  return true;
}

static const char *const names[] = {"List", "Tuple", "Map"};

/* Whether a scan can find a value at all: most texts are sorted out here, before anything is said about why they are none. */
static bool may_be_value(const char *p, const char *end) {
  if (p == end) return false;
  if (cli_is(*p, CLI_C_DIGIT)) return true;
  switch (*p) {
    case '"': case '[': case '{': case '(': case '.': return true;
    case '+': case '-': return end - p > 1 && (cli_is(p[1], CLI_C_DIGIT) || p[1] == '.' || (p[1] | 32) == 'i');
    case 'e': return end - p > 1 && p[1] == '"';
    case 't': return is_word(p, end, "true", false);
    case 'f': return is_word(p, end, "false", false);
    case 'd': return is_word(p, end, "deferred", false);
    case 'n': case 'N': return is_word(p, end, "nan", true);
    case 'i': case 'I': return is_word(p, end, "inf", true) || is_word(p, end, "infinity", true);
    default: break;
  }
  for (size_t i = 0; i < WB_LEN(names); i++)
    if ((size_t)(end - p) > strlen(names[i]) && memcmp(p, names[i], strlen(names[i])) == 0) return true;
  return false;
}

cli_scan cli_cell_value(cli_scanner *s, char *text, size_t n, weir_value *out, bool *is_deep) {
  const char *p = text, *end = text + n;
  while (end > p && cli_is(end[-1], CLI_C_BLANK)) end--;
  while (p < end && cli_is(*p, CLI_C_BLANK)) p++;
  *is_deep = false;
  if (!may_be_value(p, end)) return CLI_SCAN_BAD;
  cli_scanner outer = *s; /* its text goes on behind this one */
  char behind = text[end - text];
  text[end - text] = '\n';
  s->end = end;
  s->is_last = true;
  cli_scan rc = cli_scan_value(s, &p, out);
  if (rc == CLI_SCAN_OK && p != end) rc = CLI_SCAN_BAD;
  if (rc == CLI_SCAN_BAD) *is_deep = s->open.n >= s->max_nesting;
  text[end - text] = behind;
  s->end = outer.end;
  s->is_last = outer.is_last;
  s->has_lines = outer.has_lines;
  return rc;
}
