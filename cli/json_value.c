/* cli/json_value.c -- values as JSON writes them; see json_value.h.
**
** Containers grow on the scanner's two arrays, as in a trace.  An object with a key "$" stands for what JSON has no form for; it is
** resolved where it ends.  Only directly under a key "v" must that wait until it is known what the object around it is: in
** {"$":"map","v":{...}} the inner one is a map, whatever its keys are.  These two count as one level of nesting. */
#include "cli/json_value.h"

#include <stdio.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { QUOTED = 60 };

/* ---- Strings ------------------------------------------------------------------------------------------------------- */

/* The first quote, backslash or control character at or behind `p`; there is a line feed. */
static inline const char *find_stop(const char *p) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'), last = _mm_set1_epi8(0x1F);
  for (;; p += 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, last), v);
    unsigned bits = (unsigned)_mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash))));
    if (bits != 0) return p + __builtin_ctz(bits);
  }
#else
  while ((uint8_t)*p >= 0x20 && *p != '"' && *p != '\\') p++;
  return p;
#endif
}

static const struct { char name, means; } escapes[] = {
  {'"', '"'}, {'\\', '\\'}, {'/', '/'}, {'b', '\b'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'},
};

/* The code of \uXXXX at p, or UINT32_MAX. */
static uint32_t read_unit(const char *p) {
  if (p[0] != '\\' || p[1] != 'u') return UINT32_MAX;
  uint32_t code = 0;
  for (unsigned i = 2; i < 6; i++) {
    unsigned digit = cli_hex_digit(p[i]);
    if (digit > 15) return UINT32_MAX;
    code = code * 16 + digit;
  }
  return code;
}

static cli_scan no_escape(cli_scanner *s, const char *p, const char *wrong) {
  const char *q = p + 1 < s->end ? p + 2 : s->end;
  if (p[1] == 'u')
    for (unsigned i = 0; i < 4 && q < s->end && cli_is(*q, CLI_C_NAME); i++) q++;
  while (q < s->end && ((uint8_t)*q & 0xC0) == 0x80) q++;
  return cli_scan_bad(s, p, q, "%s", wrong);
}

/* What the escape at *p means goes to *to; both move on. */
static cli_scan read_escape(cli_scanner *s, const char **p, char **to) {
  const char *q = *p;
  for (size_t i = 0; i < WB_LEN(escapes); i++)
    if (escapes[i].name == q[1]) {
      *(*to)++ = escapes[i].means;
      *p = q + 2;
      return CLI_SCAN_OK;
    }
  uint32_t code = read_unit(q);
  if (code == UINT32_MAX) return no_escape(s, q, "no such escape");
  q += 6;
  if (code >= 0xD800 && code < 0xDC00) {
    uint32_t low = read_unit(q);
    if (s->end - q < 6 && !s->is_last) return CLI_SCAN_SHORT;
    if (low < 0xDC00 || low > 0xDFFF) return no_escape(s, *p, "half of a surrogate pair stands alone");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    q += 6;
  }
  size_t n = wb_utf8_write(code, *to);
  if (n == 0) return no_escape(s, *p, "half of a surrogate pair stands alone");
  *to += n;
  *p = q;
  return CLI_SCAN_OK;
}

/* A string with escapes, whose first one is at `stop`.  What it means is never longer. */
static cli_scan read_escaped(cli_scanner *s, const char **p, const char *stop, wb_str *out) {
  const char *from = *p + 1, *end = stop;
  while (*end != '"' && *end != '\n') end = find_stop(end + (*end == '\\' && end[1] != '\n' ? 2 : 1));
  if (end >= s->end && !s->is_last) return CLI_SCAN_SHORT;
  char *text = wb_alloc(s->values, (size_t)(end - from) + 8, 1, 1), *to = text;
  if (text == NULL) return CLI_SCAN_NO_MEMORY;
  for (const char *q = from;; q = stop, stop = find_stop(q)) {
    memcpy(to, q, (size_t)(stop - q));
    to += stop - q;
    if (*stop == '"') break;
    if ((uint8_t)*stop < 0x20) return cli_scan_bad(s, stop, stop + (stop < s->end), "%s", *stop == '\n' ? "the text ends with the line" : "a control character in a text");
    cli_scan rc = read_escape(s, &stop, &to);
    if (rc != CLI_SCAN_OK) return rc;
  }
  *p = stop + 1;
  *out = (wb_str){text, (size_t)(to - text)};
  return CLI_SCAN_OK;
}

static cli_scan never_ends(cli_scanner *s, const char *p, const char *stop) {
  if (*stop == '\n') {
    cli_scan rc = cli_scan_bad(s, p, stop, "the text that begins here does not end on this line");
    s->to = p + 1;
    return rc;
  }
  cli_scan rc = cli_scan_bad(s, stop, stop + 1, "a control character in a text");
  if (rc == CLI_SCAN_BAD) (void)snprintf(s->hint, sizeof s->hint, "it is written \\u%04x", (unsigned)(uint8_t)*stop);
  return rc;
}

cli_scan cli_json_string(cli_scanner *s, const char **p, wb_str *out) {
  const char *from = *p + 1, *stop = find_stop(from), *begin = *p;
  if (WB_LIKELY(*stop == '"')) {
    *out = (wb_str){from, (size_t)(stop - from)};
    *p = stop + 1;
  } else if (*stop == '\\') {
    cli_scan rc = read_escaped(s, p, stop, out);
    if (rc != CLI_SCAN_OK) return rc;
  } else {
    return never_ends(s, begin, stop);
  }
  wb_str raw = {from, (size_t)(*p - 1 - from)};
  size_t bad = wb_utf8_valid(raw);
  return bad == raw.n ? CLI_SCAN_OK : cli_scan_bad(s, from + bad, from + bad + 1, "this byte is not valid UTF-8");
}

/* ---- Numbers and words --------------------------------------------------------------------------------------------- */

const char *cli_json_number(const char *p, bool *is_whole) {
  p += *p == '-';
  if (!cli_is(*p, CLI_C_DIGIT)) return NULL;
  if (*p++ != '0')
    while (cli_is(*p, CLI_C_DIGIT)) p++;
  *is_whole = *p != '.' && (*p | 32) != 'e';
  if (*p == '.') {
    if (!cli_is(*++p, CLI_C_DIGIT)) return NULL;
    while (cli_is(*p, CLI_C_DIGIT)) p++;
  }
  if ((*p | 32) != 'e') return p;
  p++;
  p += *p == '+' || *p == '-';
  if (!cli_is(*p, CLI_C_DIGIT)) return NULL;
  while (cli_is(*p, CLI_C_DIGIT)) p++;
  return p;
}

static cli_scan read_number(cli_scanner *s, const char **p, bool is_float, weir_value *out) {
  bool is_whole;
  const char *from = *p, *word = cli_scan_word(s, from), *q = cli_json_number(from, &is_whole);
  wb_str text = {from, (size_t)(word - from)};
  int n = (int)wb_utf8_cut(text, WB_MIN(text.n, (size_t)QUOTED));
  if (q != word) return cli_scan_bad(s, from, word, "%.*s is no number", n, from);
  if (q == s->end && !s->is_last) return CLI_SCAN_SHORT;
  *p = q;
  *out = (weir_value){.tag = WEIR_INT};
  if (is_whole && !is_float && wb_read_int(text, &out->as.i)) return CLI_SCAN_OK;
  out->tag = WEIR_FLOAT;
  if (wb_read_decimal(text, &out->as.f) && out->as.f - out->as.f == 0) return CLI_SCAN_OK;
  return cli_scan_bad(s, from, q, "%.*s is beyond the range of Float", n, from);
}

static const struct { wb_str name; weir_value value; } words[] = {
  {{"true", 4}, {.tag = WEIR_BOOL, .as.b = true}},
  {{"false", 5}, {.tag = WEIR_BOOL, .as.b = false}},
  {{"null", 4}, {.tag = WEIR_NOVAL}},
};

static cli_scan read_word(cli_scanner *s, const char **p, weir_value *out) {
  const char *from = *p, *q = cli_scan_word(s, from);
  wb_str word = {from, (size_t)(q - from)};
  if (q >= s->end && !s->is_last) return CLI_SCAN_SHORT;
  for (size_t i = 0; i < WB_LEN(words); i++)
    if (wb_str_eq(word, words[i].name)) {
      *out = words[i].value;
      *p = q;
      return CLI_SCAN_OK;
    }
  if (word.n == 0 || *from == '\r' || *from == ',' || *from == '}' || *from == ']') return cli_scan_bad(s, from, from, "a value is missing");
  cli_scan rc = cli_scan_bad(s, from, q, "%.*s is no value", (int)wb_utf8_cut(word, WB_MIN(word.n, (size_t)QUOTED)), from);
  bool is_special = wb_str_eq(word, WB_STR("NaN")) || wb_str_eq(word, WB_STR("nan")) || wb_str_eq(word, WB_STR("Infinity")) || wb_str_eq(word, WB_STR("inf"));
  if (rc == CLI_SCAN_BAD && is_special) (void)snprintf(s->hint, sizeof s->hint, "%s", "{\"$\":\"nan\"}, {\"$\":\"inf\"} and {\"$\":\"-inf\"} are Floats");
  if (rc == CLI_SCAN_BAD && *from == '\'') (void)snprintf(s->hint, sizeof s->hint, "%s", "a text stands in double quotes");
  return rc;
}

static cli_scan read_scalar(cli_scanner *s, const char **p, bool is_float, weir_value *out) {
  if (**p == '"') {
    wb_str text;
    cli_scan rc = cli_json_string(s, p, &text);
    *out = (weir_value){.tag = WEIR_TEXT, .count = (uint32_t)text.n, .as.text = text.at};
    return rc;
  }
  return cli_is(**p, CLI_C_DIGIT) || **p == '-' ? read_number(s, p, is_float, out) : read_word(s, p, out);
}

/* ---- What "$" stands for ------------------------------------------------------------------------------------------- */

static bool is_text(weir_value v, const char *text) { return v.tag == WEIR_TEXT && v.count == strlen(text) && memcmp(v.as.text, text, v.count) == 0; }

/* The value of that key; NULL: it is no map, or has none.  The entries are ours, and can be written. */
static weir_value *member(const weir_value *v, const char *key) {
  for (uint32_t i = 0; v->tag == WEIR_MAP && i < v->count; i++)
    if (is_text(v->as.entries[i].key, key)) return (weir_value *)(uintptr_t)&v->as.entries[i].value;
  return NULL;
}

static const struct { const char *name; weir_value value; } specials[] = {
  {"deferred", {.tag = WEIR_DEFERRED}},
  {"unit", {.tag = WEIR_UNIT}},
  {"nan", {.tag = WEIR_FLOAT, .as.f = __builtin_nan("")}},
  {"inf", {.tag = WEIR_FLOAT, .as.f = __builtin_inf()}},
  {"-inf", {.tag = WEIR_FLOAT, .as.f = -__builtin_inf()}},
};

/* *v is an object with a key "$", and becomes what it stands for.  False: it stands for nothing.  *is_map: it has become a map that is
** taken as it is. */
static bool become(weir_value *v, bool *is_map) {
  const weir_value kind = *member(v, "$"), *of = member(v, "v");
  bool is_alone = v->count == 1, is_pair = v->count == 2 && of != NULL;
  *is_map = is_pair && of->tag == WEIR_MAP && is_text(kind, "map");
  if (*is_map || (is_pair && of->tag == WEIR_LIST && is_text(kind, "tuple"))) {
    weir_value inner = *of;
    *v = inner;
    if (!*is_map) v->tag = WEIR_TUPLE;
    return true;
  }
  for (size_t i = 0; is_alone && i < WB_LEN(specials); i++)
    if (is_text(kind, specials[i].name)) {
      *v = specials[i].value;
      return true;
    }
  return false;
}

/* An object with a key "$" that stood under a key "v" has waited, and so may have others in it.  All of them become what they stand for,
** by turns: what is under "v" in a map that is taken as it is, is a value again. */
static cli_scan resolve(cli_scanner *s, cli_read_value *whole) {
  for (weir_value *v = &whole->value; v != NULL && member(v, "$") != NULL; v = member(v, "v")) {
    bool is_map;
    if (!become(v, &is_map)) {
      cli_scan rc = cli_scan_bad(s, whole->at, whole->at + 1, "an object with the key \"$\" that stands for no value");
      if (rc == CLI_SCAN_BAD)
        (void)snprintf(s->hint, sizeof s->hint, "%s", "\"$\" is deferred, unit, nan, inf, -inf, or tuple or map with \"v\"; a map with a key \"$\" is {\"$\":\"map\",\"v\":{...}}");
      return rc;
    }
    if (v != &whole->value && v->tag == WEIR_DEFERRED) return cli_scan_bad(s, whole->at, whole->at + 1, "deferred stands only as a whole value");
    if (!is_map || member(v, "$") == NULL) break; /* only a map with a key "$" can have one that has waited */
  }
  return CLI_SCAN_OK;
}

static cli_scan check_inside(cli_scanner *s, const cli_read_value *v, const char *behind) {
  if (v->value.tag == WEIR_DEFERRED) return cli_scan_bad(s, v->at, v->at + 1, "deferred stands only as a whole value");
  if (v->value.tag == WEIR_NOVAL) return cli_scan_bad(s, v->at, behind, "null stands only as a whole value");
  return CLI_SCAN_OK;
}

/* The object that ends has no key "$": what has waited in it under "v" is a value. */
static cli_scan settle_waiting(cli_scanner *s, const cli_open_value *o) {
  for (size_t i = o->first; i < s->read.n; i += 2) {
    cli_read_value *v = &s->read.at[i + 1];
    if (!is_text(s->read.at[i].value, "v") || member(&v->value, "$") == NULL) continue;
    cli_scan rc = resolve(s, v);
    if (rc == CLI_SCAN_OK) rc = check_inside(s, v, v->at + 1);
    if (rc != CLI_SCAN_OK) return rc;
  }
  return CLI_SCAN_OK;
}

/* ---- Containers ---------------------------------------------------------------------------------------------------- */

static cli_scan read_key(cli_scanner *s, const char **p) {
  const char *q = *p = cli_json_blanks(*p);
  wb_str key;
  if (*q != '"') return cli_scan_bad(s, q, cli_scan_word(s, q), "a key in quotes is missing");
  cli_scan rc = cli_json_string(s, p, &key);
  if (rc != CLI_SCAN_OK) return rc;
  rc = cli_scan_push(s, (cli_read_value){.value = {.tag = WEIR_TEXT, .count = (uint32_t)key.n, .as.text = key.at}, .at = q});
  if (rc != CLI_SCAN_OK) return rc;
  if (wb_str_eq(key, WB_STR("$"))) WB_TOP(&s->open).has_dollar = true;
  *p = cli_json_blanks(*p);
  if (**p != ':') return cli_scan_bad(s, *p, cli_scan_word(s, *p), "a ':' is missing behind the key");
  ++*p;
  return CLI_SCAN_OK;
}

/* What begins or has ended here is the value of a key "v". */
static bool is_under_v(const cli_scanner *s) { return s->open.n > 0 && WB_TOP(&s->open).tag == WEIR_MAP && is_text(WB_TOP(&s->read).value, "v"); }

/* The container on top ends; *whole becomes its value. */
static cli_scan end_container(cli_scanner *s, cli_read_value *whole) {
  cli_open_value o = WB_TOP(&s->open);
  cli_scan rc = o.has_waiting && !o.has_dollar ? settle_waiting(s, &o) : CLI_SCAN_OK;
  if (rc == CLI_SCAN_OK) rc = cli_scan_end(s, whole);
  if (rc != CLI_SCAN_OK || !o.has_dollar) return rc;
  if (!is_under_v(s)) return resolve(s, whole);
  WB_TOP(&s->open).has_waiting = true;
  return CLI_SCAN_OK;
}

/* Behind a value inside containers: ends those that end here.  *is_done: the outermost one did, and *out is it. */
static cli_scan end_containers(cli_scanner *s, const char **p, bool *is_done, weir_value *out) {
  for (;;) {
    const cli_open_value *top = &WB_TOP(&s->open);
    *p = cli_json_blanks(*p);
    if (**p == ',' && s->read.n > top->first) {
      ++*p;
      return top->tag == WEIR_MAP ? read_key(s, p) : CLI_SCAN_OK;
    }
    if (**p != top->close) return cli_scan_bad(s, *p, cli_scan_word(s, *p), "a ',' or '%c' is missing", top->close);
    ++*p;
    cli_read_value whole = {0};
    cli_scan rc = end_container(s, &whole);
    if (rc != CLI_SCAN_OK) return rc;
    if (s->open.n == 0) {
      *is_done = true;
      *out = whole.value;
      return CLI_SCAN_OK;
    }
    if ((rc = check_inside(s, &whole, *p)) != CLI_SCAN_OK || (rc = cli_scan_push(s, whole)) != CLI_SCAN_OK) return rc;
  }
}

cli_scan cli_json_value(cli_scanner *s, const char **p, bool is_float, weir_value *out) {
  s->open.n = s->read.n = s->n_free = 0;
  for (bool is_done = false; !is_done;) {
    cli_read_value v = {.at = *p = cli_json_blanks(*p)};
    cli_scan rc;
    if (*v.at == '[' || *v.at == '{') {
      bool is_list = *v.at == '[';
      cli_open_value o = {.at = v.at, .first = s->read.n, .tag = is_list ? WEIR_LIST : WEIR_MAP, .close = is_list ? ']' : '}'};
      o.is_free = is_under_v(s) && WB_TOP(&s->open).has_dollar && !WB_TOP(&s->open).is_free;
      rc = cli_scan_begin(s, &o);
      if (rc != CLI_SCAN_OK) return rc;
      *p = cli_json_blanks(*p + 1);
      if (**p != o.close) {
        if (!is_list && (rc = read_key(s, p)) != CLI_SCAN_OK) return rc;
        continue;
      }
    } else {
      rc = read_scalar(s, p, is_float && s->open.n == 0, &v.value);
      if (rc != CLI_SCAN_OK) return rc;
      if (s->open.n == 0) {
        *out = v.value;
        return CLI_SCAN_OK;
      }
      if ((rc = check_inside(s, &v, *p)) != CLI_SCAN_OK || (rc = cli_scan_push(s, v)) != CLI_SCAN_OK) return rc;
    }
    if ((rc = end_containers(s, p, &is_done, out)) != CLI_SCAN_OK) return rc;
  }
  return CLI_SCAN_OK;
}
