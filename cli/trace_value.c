/* cli/trace_value.c -- values as traces write them; see trace_value.h.
**
** Containers begun stand on `open`, their values so far on `read`; where one ends, its values move to the memory of the tick.
** A scan that is short leaves what it took in that memory: a line is scanned three times at most. */
#include "cli/trace_value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/base/sort.h"

const uint8_t cli_char_kinds[256] = {
  ['0' ... '9'] = CLI_C_NAME | CLI_C_NUMBER | CLI_C_DIGIT,
  ['A' ... 'Z'] = CLI_C_NAME | CLI_C_NUMBER,
  ['a' ... 'z'] = CLI_C_NAME | CLI_C_NUMBER,
  ['_'] = CLI_C_NAME | CLI_C_NUMBER,
  ['.'] = CLI_C_NUMBER,
  ['+'] = CLI_C_NUMBER,
  ['-'] = CLI_C_NUMBER,
  [' '] = CLI_C_BLANK,
  ['\t'] = CLI_C_BLANK,
};

enum { QUOTED = 60 }; /* bytes of foreign text that a message repeats */

static const char no_utf8[] = "this byte is not valid UTF-8";

void cli_scanner_init(cli_scanner *s, wb_mem *mem, size_t max_nesting) {
  *s = (cli_scanner){.mem = mem, .max_nesting = max_nesting};
}

cli_scan cli_scan_bad(cli_scanner *s, const char *from, const char *to, const char *fmt, ...) {
  if (to >= s->end && !s->is_last) return CLI_SCAN_SHORT; /* the rest may tell otherwise */
  va_list args;
  va_start(args, fmt);
  char text[sizeof s->what.text];
  (void)vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  bool is_utf8 = from == s->end || (*from & 0x80) == 0 || wb_utf8_valid((wb_str){from, WB_MIN((size_t)(s->end - from), (size_t)4)}) > 0;
  (void)wb_fail(&s->what, WEIR_E_ADMIT, WB_NOWHERE, "%s", is_utf8 ? text : no_utf8);
  s->hint[0] = '\0';
  s->from = from;
  s->to = to;
  return CLI_SCAN_BAD;
}

const char *cli_scan_word(const cli_scanner *s, const char *p) {
  const char *q = p;
  while (cli_is(*q, CLI_C_NUMBER)) q++;
  if (q == p && q < s->end && *q != '\n') q++;
  while (q < s->end && ((uint8_t)*q & 0xC0) == 0x80) q++; /* a character is quoted whole */
  return q;
}

/* Length of [p, q) for "%.*s", cut to what a message repeats. */
static int quoted(const char *p, const char *q) {
  wb_str text = {p, (size_t)(q - p)};
  return (int)wb_utf8_cut(text, WB_MIN(text.n, (size_t)QUOTED));
}

/* ---- Texts --------------------------------------------------------------------------------------------------------- */

static cli_scan check_utf8(cli_scanner *s, const char *p, const char *q) {
  const char *bad = p + wb_utf8_valid((wb_str){p, (size_t)(q - p)});
  return bad == q ? CLI_SCAN_OK : cli_scan_bad(s, bad, bad + 1, "%s", no_utf8);
}

cli_scan cli_scan_comment(cli_scanner *s, const char **p) {
  const char *q = memchr(*p, '\n', (size_t)(s->end - *p));
  if (q == NULL) q = s->end;
  cli_scan rc = q == s->end && !s->is_last ? CLI_SCAN_SHORT : check_utf8(s, *p, q);
  *p = q;
  return rc;
}

static cli_scan unterminated(cli_scanner *s, const char *p) {
  cli_scan rc = cli_scan_bad(s, p, s->end, "the text that begins here never ends");
  s->to = p + 1;
  return rc;
}

/* Checks the text between the quotes at p and q, and gives it *room of its length. */
static cli_scan begin_text(cli_scanner *s, const char *p, const char *q, char **room) {
  size_t n = (size_t)(q - p);
  if (memchr(p, '\n', n) != NULL) s->has_lines = true;
  cli_scan rc = check_utf8(s, p, q);
  if (rc != CLI_SCAN_OK) return rc;
  *room = wb_alloc(s->values, n, 1, 1);
  return *room != NULL ? CLI_SCAN_OK : CLI_SCAN_NO_MEMORY;
}

static weir_value text_value(const char *text, size_t n) {
  return (weir_value){.tag = WEIR_TEXT, .count = (uint32_t)n, .as.text = text};
}

static cli_scan scan_plain(cli_scanner *s, const char **p, weir_value *out) {
  const char *from = *p + 1;
  const char *q = memchr(from, '"', (size_t)(s->end - from));
  if (q == NULL) return unterminated(s, *p);
  char *copy;
  cli_scan rc = begin_text(s, from, q, &copy);
  if (rc != CLI_SCAN_OK) return rc;
  memcpy(copy, from, (size_t)(q - from));
  *out = text_value(copy, (size_t)(q - from));
  *p = q + 1;
  return CLI_SCAN_OK;
}

static const struct { char name, means; } escapes[] = {{'"', '"'}, {'\\', '\\'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}};

/* What the escape at *p means: its bytes go to `to`, their number is the answer; 0: it means nothing. */
static size_t scan_escape(const char **p, char to[4]) {
  const char *q = *p + 1;
  for (size_t i = 0; i < WB_LEN(escapes); i++)
    if (escapes[i].name == *q) {
      *p = q + 1;
      to[0] = escapes[i].means;
      return 1;
    }
  if (q[0] != 'u' || q[1] != '{') return 0;
  uint32_t code = 0;
  unsigned digits = 0, digit;
  for (q += 2; (digit = cli_hex_digit(*q)) < 16; q++)
    if (++digits > 6) return 0;
    else code = code * 16 + digit;
  if (digits == 0 || *q != '}') return 0;
  *p = q + 1;
  return wb_utf8_write(code, to);
}

/* e"...": the meaning is never longer than the text. */
static cli_scan scan_escaped(cli_scanner *s, const char **p, weir_value *out) {
  const char *from = *p + 2, *q = from;
  while (q < s->end && *q != '"') q += *q == '\\' ? 2 : 1;
  if (q >= s->end) return unterminated(s, *p);
  char *copy;
  cli_scan rc = begin_text(s, from, q, &copy);
  if (rc != CLI_SCAN_OK) return rc;
  char *to = copy;
  for (const char *r = from; r < q;) {
    const char *stop = memchr(r, '\\', (size_t)(q - r));
    size_t plain = (size_t)((stop != NULL ? stop : q) - r);
    memcpy(to, r, plain);
    to += plain;
    r += plain;
    if (stop == NULL) break;
    char meant[4];
    size_t n = scan_escape(&r, meant);
    if (n == 0) {
      rc = cli_scan_bad(s, stop, cli_scan_word(s, stop + 1), "no such escape");
      if (rc == CLI_SCAN_BAD) (void)snprintf(s->hint, sizeof s->hint, "%s", "in e\"...\" there are \\\" \\\\ \\n \\r \\t and \\u{HEX}; \"...\" has none");
      return rc;
    }
    memcpy(to, meant, n);
    to += n;
  }
  *p = q + 1;
  *out = text_value(copy, (size_t)(to - copy));
  return CLI_SCAN_OK;
}

/* ---- Numbers and words --------------------------------------------------------------------------------------------- */

/* Up to 18 digits: most numbers of most traces.  False: it is something else. */
static inline bool scan_short_int(const char **p, weir_value *out) {
  const char *q = *p;
  bool minus = *q == '-';
  q += minus;
  const char *digits = q;
  int64_t v = 0;
  while (cli_is(*q, CLI_C_DIGIT) && q - digits < 18) v = v * 10 + (*q++ - '0');
  if (q == digits || cli_is(*q, CLI_C_NUMBER)) return false;
  *p = q;
  *out = (weir_value){.tag = WEIR_INT, .as.i = minus ? -v : v};
  return true;
}

static const struct { wb_str name; weir_value value; } words[] = {
  {{"true", 4}, {.tag = WEIR_BOOL, .as.b = true}},
  {{"false", 5}, {.tag = WEIR_BOOL, .as.b = false}},
  {{"deferred", 8}, {.tag = WEIR_DEFERRED}},
};

static cli_scan no_value(cli_scanner *s, const char *p) {
  if (*p == '\n' || *p == '\r') return cli_scan_bad(s, p, p, "a value is missing");
  const char *q = cli_scan_word(s, p);
  cli_scan rc = cli_scan_bad(s, p, q, "%.*s is no value", quoted(p, q), p);
  if (rc == CLI_SCAN_BAD && cli_is(*p, CLI_C_NAME) && !cli_is(*p, CLI_C_DIGIT))
    (void)snprintf(s->hint, sizeof s->hint, "a text stands in quotes: \"%.*s\"", quoted(p, q), p);
  return rc;
}

/* A word or a number. */
static cli_scan scan_word(cli_scanner *s, const char **p, weir_value *out) {
  const char *q = *p;
  while (cli_is(*q, CLI_C_NUMBER)) q++;
  if (q == s->end && !s->is_last) return CLI_SCAN_SHORT;
  wb_str word = {*p, (size_t)(q - *p)};
  for (size_t i = 0; i < WB_LEN(words) && word.n > 0 && word.at[0] > '9'; i++)
    if (wb_str_eq(word, words[i].name)) {
      *out = words[i].value;
      *p = q;
      return CLI_SCAN_OK;
    }
  int64_t i;
  double f;
  wb_num kind = word.n > 0 ? wb_read_number(word, &i, &f) : WB_NUM_BAD;
  if (kind == WB_NUM_BAD) return no_value(s, *p);
  *out = kind == WB_NUM_INT ? (weir_value){.tag = WEIR_INT, .as.i = i} : (weir_value){.tag = WEIR_FLOAT, .as.f = f};
  *p = q;
  return CLI_SCAN_OK;
}

static cli_scan scan_scalar(cli_scanner *s, const char **p, weir_value *out) {
  char c = **p;
  if (cli_is(c, CLI_C_NUMBER) && c <= '9') return scan_short_int(p, out) ? CLI_SCAN_OK : scan_word(s, p, out);
  if (c == '"') return scan_plain(s, p, out);
  if (c == 'e' && (*p)[1] == '"') return scan_escaped(s, p, out);
  if (c != '(' || (*p)[1] != ')') return scan_word(s, p, out);
  *p += 2;
  *out = (weir_value){.tag = WEIR_UNIT};
  return CLI_SCAN_OK;
}

/* ---- Containers ---------------------------------------------------------------------------------------------------- */

static const struct { wb_str begin; uint8_t tag; char close; } containers[] = {
  {{"[", 1}, WEIR_LIST, ']'}, {{"{", 1}, WEIR_MAP, '}'}, {{"List", 4}, WEIR_LIST, ')'},
  {{"Tuple", 5}, WEIR_TUPLE, ')'}, {{"Map", 3}, WEIR_MAP, ')'},
};

/* CLI_SCAN_OK: a container begins at *p, which is moved behind the bracket.  CLI_SCAN_BAD: something else does. */
static cli_scan scan_open(const cli_scanner *s, const char **p, cli_open_value *o) {
  if (**p == '"' || (**p <= '9' && cli_is(**p, CLI_C_NUMBER))) return CLI_SCAN_BAD;
  for (size_t i = 0; i < WB_LEN(containers); i++) {
    wb_str begin = containers[i].begin;
    if ((size_t)(s->end - *p) < begin.n || memcmp(*p, begin.at, begin.n) != 0) continue;
    const char *q = *p + begin.n;
    if (begin.n > 1) {
      q = cli_skip_blanks(q);
      if (q == s->end && !s->is_last) return CLI_SCAN_SHORT;
      if (*q++ != '(') continue;
    }
    *o = (cli_open_value){.at = *p, .first = s->read.n, .tag = containers[i].tag, .close = containers[i].close};
    *p = q;
    return CLI_SCAN_OK;
  }
  return CLI_SCAN_BAD;
}

static int compare_keys(const cli_read_value *a, const cli_read_value *b) {
  int c = memcmp(a->value.as.text, b->value.as.text, WB_MIN(a->value.count, b->value.count));
  return c != 0 ? c : (a->value.count > b->value.count) - (a->value.count < b->value.count);
}

/* Entry i of a map stands at read[2 * i]; equal keys in order of the text. */
static bool entry_less(const void *values, const void *a, const void *b) {
  const cli_read_value *read = values;
  uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  int c = compare_keys(&read[2 * (size_t)i], &read[2 * (size_t)k]);
  return c < 0 || (c == 0 && i < k);
}

/* The first entry of `n` whose key came before, or n.  `order` has room for n numbers. */
static uint32_t first_repeated(const cli_read_value *read, uint32_t *order, uint32_t n) {
  uint32_t found = n;
  for (uint32_t i = 0; i < n; i++) order[i] = i;
  wb_sort(order, n, sizeof *order, entry_less, read);
  for (uint32_t i = 1; i < n; i++)
    if (compare_keys(&read[2 * (size_t)order[i - 1]], &read[2 * (size_t)order[i]]) == 0) found = WB_MIN(found, order[i]);
  return found;
}

static cli_scan check_keys(cli_scanner *s, const cli_read_value *read, uint32_t n) {
  uint32_t sorted = 1;
  while (sorted < n && compare_keys(&read[2 * (size_t)(sorted - 1)], &read[2 * (size_t)sorted]) < 0) sorted++;
  if (sorted >= n) return CLI_SCAN_OK;
  uint32_t *order = wb_block(s->mem, n * sizeof *order);
  if (order == NULL) return CLI_SCAN_NO_MEMORY;
  uint32_t repeated = first_repeated(read, order, n);
  wb_block_free(s->mem, order);
  if (repeated == n) return CLI_SCAN_OK;
  const cli_read_value *key = &read[2 * (size_t)repeated];
  const char *text = key->value.as.text;
  return cli_scan_bad(s, key->at, key->at + 1, "duplicate key \"%.*s\"", quoted(text, text + key->value.count), text);
}

/* The container on top is at its end: its values move to the memory of the tick. */
cli_scan cli_scan_end(cli_scanner *s, cli_read_value *out) {
  cli_open_value o = WB_POP(&s->open);
  s->n_free -= o.is_free;
  size_t n = s->read.n - o.first;
  const cli_read_value *read = n > 0 ? s->read.at + o.first : NULL;
  if (o.tag == WEIR_MAP) {
    cli_scan rc = check_keys(s, read, (uint32_t)(n / 2));
    if (rc != CLI_SCAN_OK) return rc;
  }
  /* an entry is a key and a value, and nothing else */
  _Static_assert(sizeof(weir_entry) == 2 * sizeof(weir_value) && offsetof(weir_entry, value) == sizeof(weir_value), "weir_entry");
  weir_value *items = WB_NEW_ARRAY(s->values, weir_value, n);
  if (items == NULL) return CLI_SCAN_NO_MEMORY;
  for (size_t i = 0; i < n; i++) items[i] = read[i].value;
  s->read.n = o.first;
  *out = (cli_read_value){.value = {.tag = o.tag, .count = (uint32_t)n, .as.items = items}, .at = o.at};
  if (o.tag == WEIR_MAP) {
    out->value.count = (uint32_t)(n / 2);
    out->value.as.entries = (const weir_entry *)(const void *)items;
  }
  return CLI_SCAN_OK;
}

cli_scan cli_scan_push(cli_scanner *s, cli_read_value v) { return WB_PUSH(s->mem, &s->read, v) ? CLI_SCAN_OK : CLI_SCAN_NO_MEMORY; }

/* The key of a map's entry and the colon behind it. */
static cli_scan scan_key(cli_scanner *s, const char **p) {
  const char *q = *p = cli_skip_blanks(*p);
  weir_value key;
  bool is_text = *q == '"' || (*q == 'e' && q[1] == '"');
  if (!is_text) return cli_scan_bad(s, q, cli_scan_word(s, q), "a key in quotes is missing");
  cli_scan rc = scan_scalar(s, p, &key);
  if (rc == CLI_SCAN_OK) rc = cli_scan_push(s, (cli_read_value){.value = key, .at = q});
  if (rc != CLI_SCAN_OK) return rc;
  *p = cli_skip_blanks(*p);
  if (**p != ':') return cli_scan_bad(s, *p, cli_scan_word(s, *p), "a ':' is missing behind the key");
  ++*p;
  return CLI_SCAN_OK;
}

cli_scan cli_scan_begin(cli_scanner *s, const cli_open_value *o) {
  if (s->open.n - s->n_free >= s->max_nesting && !o->is_free)
    return cli_scan_bad(s, o->at, o->at + 1, "the value is nested deeper than %zu (--max-value-nesting)", s->max_nesting);
  if (!WB_PUSH(s->mem, &s->open, *o)) return CLI_SCAN_NO_MEMORY;
  s->n_free += o->is_free;
  return CLI_SCAN_OK;
}

static cli_scan begin_container(cli_scanner *s, const char **p, const cli_open_value *o) {
  cli_scan rc = cli_scan_begin(s, o);
  if (rc != CLI_SCAN_OK) return rc;
  *p = cli_skip_blanks(*p);
  return o->tag == WEIR_MAP && **p != o->close ? scan_key(s, p) : CLI_SCAN_OK;
}

/* Behind a value inside containers: ends those that end here.  *is_done: the outermost one ended, and *out is it; else the text of
** the next value follows. */
static cli_scan end_containers(cli_scanner *s, const char **p, bool *is_done, weir_value *out) {
  for (;;) {
    const cli_open_value *top = &WB_TOP(&s->open);
    *p = cli_skip_blanks(*p);
    if (**p == ',' && s->read.n > top->first) {
      ++*p;
      *is_done = false;
      return top->tag == WEIR_MAP ? scan_key(s, p) : CLI_SCAN_OK;
    }
    if (**p != top->close) {
      cli_scan rc = cli_scan_bad(s, *p, cli_scan_word(s, *p), "a ',' or '%c' is missing", top->close);
      if (rc == CLI_SCAN_BAD && (**p == '\n' || **p == '\r'))
        (void)snprintf(s->hint, sizeof s->hint, "%s", "a value stands on one line; only texts may have line ends in them");
      return rc;
    }
    ++*p;
    cli_read_value whole;
    cli_scan rc = cli_scan_end(s, &whole);
    if (rc != CLI_SCAN_OK) return rc;
    if (s->open.n == 0) {
      *is_done = true;
      *out = whole.value;
      return CLI_SCAN_OK;
    }
    if ((rc = cli_scan_push(s, whole)) != CLI_SCAN_OK) return rc;
  }
}

static cli_scan scan_nested(cli_scanner *s, const char **p, weir_value *out) {
  s->open.n = s->read.n = s->n_free = 0;
  for (bool is_done = false; !is_done;) {
    cli_open_value o;
    cli_read_value v = {.at = *p = cli_skip_blanks(*p)};
    cli_scan rc = scan_open(s, p, &o);
    if (rc == CLI_SCAN_SHORT) return rc;
    if (rc == CLI_SCAN_OK) {
      rc = begin_container(s, p, &o);
      if (rc != CLI_SCAN_OK) return rc;
      if (**p != o.close || s->read.n > o.first) continue;
    } else {
      rc = scan_scalar(s, p, &v.value);
      if (rc != CLI_SCAN_OK) return rc;
      if (s->open.n == 0) {
        *out = v.value;
        return CLI_SCAN_OK;
      }
      if (v.value.tag == WEIR_DEFERRED) return cli_scan_bad(s, v.at, *p, "deferred stands only as a whole value");
      if ((rc = cli_scan_push(s, v)) != CLI_SCAN_OK) return rc;
    }
    if ((rc = end_containers(s, p, &is_done, out)) != CLI_SCAN_OK) return rc;
  }
  return CLI_SCAN_OK;
}

cli_scan cli_scan_value(cli_scanner *s, const char **p, weir_value *out) {
  char c = **p; /* numbers and plain texts are most of most traces */
  return c == '"' || (c <= '9' && cli_is(c, CLI_C_NUMBER)) ? scan_scalar(s, p, out) : scan_nested(s, p, out);
}
