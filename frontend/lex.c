/* frontend/lex.c -- text to tokens, of DSRV (language.md 1) or of SQL.
**
** Each kind of token is one function that takes its bytes, fills the token and moves on.  What the tokens are stands in
** tokens.def and ir/builtins.def; two small tables are made of them when a lexer begins.
** Leave alone: what a token means where it stands, such as the one minus before 2^63, is the parser's business. */
#include "frontend/lex.h"
#include "ir/base/num.h"

typedef enum token_sort { SORT_KIND, SORT_MARK, SORT_WORD } token_sort;

enum { D = WFE_DSRV, S = WFE_SQL, DS = WFE_DSRV | WFE_SQL };

static const struct token_info { wb_str text; token_sort sort; uint8_t languages; } tokens[WFE_TOKENS] = {
#define TOKEN(name, text, sort, languages) [WFE_T_##name] = {{text, sizeof(text) - 1}, SORT_##sort, languages},
#include "frontend/tokens.def"
#undef TOKEN
};

static const wb_str builtins[WFE_BUILTINS] = {
#define BUILTIN(name, text, operands) [WFE_B_##name] = {text, sizeof(text) - 1},
#include "ir/builtins.def"
#undef BUILTIN
};

_Static_assert((int)WFE_TOKENS + (int)WFE_BUILTINS < WFE_WORD_SLOTS, "a word's number fits a byte, and the table has free places");

/* What a stray character was probably meant for. */
static const struct { uint8_t languages; uint32_t code; const char *hint; } strays[] = {
  {D, '&', "`and` is written `&&`"},
  {D, '|', "`or` is written `||`"},
  {D, '\'', "texts stand in double quotes"},
  {D, ';', "declarations and equations need no separator"},
  {D, '#', "a comment begins with `//`"},
  {D, '^', "a power is written `**`"},
  {D, '~', "`not` is written `!`"},
  {D, '?', "a choice is written `if c then a else b`"},
  {S, '\'', "there are no texts: columns are INT or TIMESTAMP"},
  {S, '`', "a name with other characters stands in double quotes"},
  {S, '[', "a name with other characters stands in double quotes"},
  {S, '/', "a comment begins with `--`, or stands between `/*` and `*/`; there is no division"},
  {S, '#', "a comment begins with `--`"},
  {S, '!', "unequal is written `<>`"},
  {DS, 0x00A0, "this space is not a plain one"},
  {DS, 0x2009, "this space is not a plain one"},
  {DS, 0x202F, "this space is not a plain one"},
  {DS, 0x3000, "this space is not a plain one"},
  {DS, 0x2013, "a minus is written `-`"},
  {DS, 0x2014, "a minus is written `-`"},
  {DS, 0x2212, "a minus is written `-`"},
  {DS, 0x2264, "at most is written `<=`"},
  {DS, 0x2265, "at least is written `>=`"},
  {D, 0x2260, "unequal is written `!=`"},
  {S, 0x2260, "unequal is written `<>`"},
  {D, 0x2018, "texts stand in plain double quotes"},
  {D, 0x201C, "texts stand in plain double quotes"},
  {D, 0x201E, "texts stand in plain double quotes"},
  {S, 0x201C, "a name with other characters stands in plain double quotes"},
  {S, 0x201E, "a name with other characters stands in plain double quotes"},
};

/* How comments look. */
static const struct { char line[3], begin[3], end[3]; } comments[] = {
  [WFE_DSRV] = {"//", "(*", "*)"},
  [WFE_SQL] = {"--", "/*", "*/"},
};

const char *wfe_token_text(wfe_token_kind kind) { return tokens[kind].text.at; }
const char *wfe_builtin_text(wfe_builtin b) { return builtins[b].at; }

bool wfe_is_word(wfe_language language, wb_str text) {
  for (size_t k = 0; k < WFE_TOKENS; k++) {
    wb_str word = tokens[k].text;
    if (tokens[k].sort != SORT_WORD || (tokens[k].languages & language) == 0 || word.n != text.n) continue;
    size_t i = 0;
    while (i < text.n && (language == WFE_SQL ? wfe_capital(text.at[i]) : text.at[i]) == word.at[i]) i++;
    if (i == text.n) return true;
  }
  return false;
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

static uint32_t word_hash(wb_str word) {
  uint32_t h = 2166136261u; /* FNV-1a */
  for (size_t i = 0; i < word.n; i++) h = (h ^ (uint8_t)word.at[i]) * 16777619u;
  return h ^ h >> 15;
}

static wb_str word_text(uint8_t number) { return number < WFE_TOKENS ? tokens[number].text : builtins[number - WFE_TOKENS]; }

/* The number of a reserved word, or 0. */
static uint8_t word_find(const wfe_lexer *l, wb_str word) {
  for (uint32_t h = word_hash(word);; h++) {
    uint8_t number = l->words[h % WFE_WORD_SLOTS];
    if (number == 0 || wb_str_eq(word_text(number), word)) return number;
  }
}

static void word_add(wfe_lexer *l, uint8_t number) {
  uint32_t h = word_hash(word_text(number));
  while (l->words[h % WFE_WORD_SLOTS] != 0) h++;
  l->words[h % WFE_WORD_SLOTS] = number;
}

void wfe_lexer_init(wfe_lexer *l, wfe_language language, wb_str text, size_t max_name, wb_names *names, wb_mem *mem, struct weir_diagnostics *diags) {
  static const char mark[] = "\xEF\xBB\xBF";
  *l = (wfe_lexer){.language = language, .text = text, .line = 1, .last = WFE_T_END, .max_name = max_name, .names = names, .mem = mem, .diags = diags};
  if (text.n >= 3 && __builtin_memcmp(text.at, mark, 3) == 0) l->at = 3;
  for (uint8_t k = WFE_TOKENS - 1; k > 0; k--) { /* downwards: the first of marks that begin alike stays */
    if ((tokens[k].languages & language) == 0) continue;
    if (tokens[k].sort == SORT_MARK) l->marks[(uint8_t)tokens[k].text.at[0]] = k;
    if (tokens[k].sort == SORT_WORD) word_add(l, k);
  }
  for (uint8_t b = 0; language == WFE_DSRV && b < WFE_BUILTINS; b++) word_add(l, (uint8_t)(WFE_TOKENS + b));
}

void wfe_lexer_end(wfe_lexer *l) { WB_VEC_FREE(l->mem, &l->buffer); }

bool wfe_check_utf8(wb_str text, struct weir_diagnostics *diags) {
  size_t valid = wb_utf8_valid(text);
  if (valid == text.n) return true;
  weir_span span = {(uint32_t)valid, (uint32_t)valid + 1};
  wfe_diag_add(diags, WEIR_E_PARSE, span, "the text is not UTF-8: byte 0x%02X", (uint8_t)text.at[valid]);
  if (valid == 0 && text.n >= 2 && (uint8_t)(text.at[0] ^ text.at[1]) == 1) wfe_diag_hint(diags, "it begins as UTF-16 does: save it as UTF-8");
  return false;
}

/* ---- Shared scanners --------------------------------------------------------------------------------------------- */

size_t wfe_word_end(wb_str text, size_t at) {
  while (at < text.n && (wfe_is_letter(text.at[at]) || wfe_is_digit(text.at[at]))) at++;
  return at;
}

static size_t digits_end(wb_str text, size_t at) {
  while (at < text.n && wfe_is_digit(text.at[at])) at++;
  return at;
}

size_t wfe_number_end(wb_str text, size_t at, bool only_digits, bool *is_float) {
  size_t end = digits_end(text, at);
  *is_float = false;
  if (only_digits) return end;
  if (end < text.n && text.at[end] == '.') {
    *is_float = true;
    end = digits_end(text, end + 1);
  }
  if (end < text.n && (text.at[end] == 'e' || text.at[end] == 'E')) {
    size_t power = end + 1;
    if (power < text.n && (text.at[power] == '-' || text.at[power] == '+')) power++;
    if (power < text.n && wfe_is_digit(text.at[power])) { /* else the letter begins a word */
      *is_float = true;
      end = digits_end(text, power);
    }
  }
  return end;
}

bool wfe_read_digits(wb_str digits, uint64_t *out) {
  uint64_t v = 0;
  for (size_t i = 0; i < digits.n; i++) {
    uint64_t digit = (uint64_t)(digits.at[i] - '0');
    if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, digit, &v)) return false;
  }
  *out = v;
  return true;
}

/* ---- Space and comments ------------------------------------------------------------------------------------------ */

static bool sees(const wfe_lexer *l, const char *two) {
  return l->text.n - l->at >= 2 && l->text.at[l->at] == two[0] && l->text.at[l->at + 1] == two[1];
}

static void skip_line(wfe_lexer *l) {
  const char *end = __builtin_memchr(l->text.at + l->at, '\n', l->text.n - l->at);
  l->at = end ? (size_t)(end - l->text.at) : l->text.n;
}

/* A comment that is never closed is reported even in skipped text: it hides the whole rest. */
static bool skip_block(wfe_lexer *l) {
  uint32_t begin = (uint32_t)l->at;
  for (l->at += 2; l->at < l->text.n; l->at++) {
    if (sees(l, comments[l->language].end)) {
      l->at += 2;
      return true;
    }
    if (l->text.at[l->at] == '\n') l->line++;
  }
  wfe_diag_add(l->diags, WEIR_E_PARSE, (weir_span){begin, begin + 2}, "this comment is never closed");
  wfe_diag_hint(l->diags, "a comment that begins with `%s` ends with `%s`", comments[l->language].begin, comments[l->language].end);
  return false;
}

static bool skip_space(wfe_lexer *l) {
  while (l->at < l->text.n) {
    char c = l->text.at[l->at];
    if (c == '\n') l->line++;
    if (wfe_is_space(c)) l->at++;
    else if (sees(l, comments[l->language].line)) skip_line(l);
    else if (!sees(l, comments[l->language].begin)) return true;
    else if (!skip_block(l)) return false;
  }
  return true;
}

/* ---- Tokens ------------------------------------------------------------------------------------------------------ */

static wb_str token_slice(const wfe_lexer *l, size_t begin, size_t end) { return (wb_str){l->text.at + begin, end - begin}; }

/* Moves on and completes the token's span; the kind may be BAD. */
static void token_end(wfe_lexer *l, wfe_token *t, wfe_token_kind kind, size_t end) {
  t->kind = (uint8_t)kind;
  t->span.end = (uint32_t)end;
  l->at = end;
}

static void token_no_memory(wfe_lexer *l, wfe_token *t) {
  wfe_diag_memory(l->diags);
  token_end(l, t, WFE_T_BAD, l->text.n);
}

static void token_name(wfe_lexer *l, wfe_token *t, wfe_token_kind kind, wb_str text, size_t end) {
  t->as.name = wb_intern(l->names, text);
  if (t->as.name == WB_NO_NAME) {
    wfe_diag_memory(l->diags);
    kind = WFE_T_BAD;
  }
  token_end(l, t, kind, end);
}

static void token_ident(wfe_lexer *l, wfe_token *t, wb_str name, size_t end) {
  token_name(l, t, WFE_T_IDENT, name, end);
  if (name.n > l->max_name && !l->is_quiet)
    wfe_diag_add(l->diags, WEIR_E_LIMIT, t->span, "a name of %zu byte%s; the limit is %zu (option max_name_bytes / --max-name-bytes)", name.n,
                 WB_S(name.n), l->max_name);
}

/* A letter right behind the number is an error in SQL, where no grammar tells what it was to be: `5and`, `1e`. */
static bool number_runs_on(wfe_lexer *l, wfe_token *t) {
  if (l->at >= l->text.n || !wfe_is_letter(l->text.at[l->at])) return false;
  weir_span word = {(uint32_t)l->at, (uint32_t)wfe_word_end(l->text, l->at)};
  token_end(l, t, WFE_T_BAD, word.end);
  if (!l->is_quiet)
    wfe_diag_add(l->diags, WEIR_E_PARSE, word, "`%.*s` runs into the number before it", (int)WB_MIN(word.end - word.begin, 64u), l->text.at + word.begin);
  return true;
}

static void lex_number(wfe_lexer *l, wfe_token *t) {
  bool is_float;
  size_t end = wfe_number_end(l->text, l->at, l->last == WFE_T_DOT, &is_float);
  wb_str digits = token_slice(l, l->at, end);
  token_end(l, t, is_float ? WFE_T_FLOAT : WFE_T_INT, end);
  if (l->language == WFE_SQL && number_runs_on(l, t)) return;
  if (!is_float) {
    t->is_huge = !wfe_read_digits(digits, &t->as.u);
    return;
  }
  if (!wb_read_decimal(digits, &t->as.f)) t->as.f = 0.0;
  if (__builtin_isinf(t->as.f) && !l->is_quiet)
    wfe_diag_add(l->diags, WEIR_E_PARSE, t->span, "the number is too large for a Float");
}

/* "List." or "Map." with a name right behind it: one of the library's functions, or nothing. */
static void lex_dotted(wfe_lexer *l, wfe_token *t, size_t end) {
  wb_str word = token_slice(l, l->at, end);
  uint8_t number = word_find(l, word);
  if (number >= WFE_TOKENS) {
    t->op = (uint8_t)(number - WFE_TOKENS);
    token_end(l, t, WFE_T_BUILTIN, end);
    return;
  }
  token_end(l, t, WFE_T_BAD, end);
  if (l->is_quiet) return;
  wb_near near;
  wb_near_init(&near, word);
  for (size_t b = 0; b < WFE_BUILTINS; b++)
    if (__builtin_memchr(builtins[b].at, '.', builtins[b].n)) wb_near_offer(&near, builtins[b]);
  wfe_diag_add(l->diags, WEIR_E_PARSE, t->span, "there is no library function `%.*s`", (int)WB_MIN(word.n, 64u), word.at);
  if (wb_near_found(&near)) wfe_diag_hint(l->diags, "did you mean `%.*s`?", (int)near.best.n, near.best.at);
}

static void lex_word(wfe_lexer *l, wfe_token *t) {
  size_t end = wfe_word_end(l->text, l->at);
  wb_str word = token_slice(l, l->at, end);
  uint8_t number = word_find(l, word);
  bool has_functions = number == WFE_T_LIST || number == WFE_T_MAP;
  if (has_functions && l->text.n - end >= 2 && l->text.at[end] == '.' && wfe_is_letter(l->text.at[end + 1])) {
    lex_dotted(l, t, wfe_word_end(l->text, end + 1));
  } else if (number >= WFE_TOKENS) {
    t->op = (uint8_t)(number - WFE_TOKENS);
    token_end(l, t, WFE_T_BUILTIN, end);
  } else if (number != 0) {
    token_end(l, t, (wfe_token_kind)number, end);
  } else {
    token_ident(l, t, word, end);
  }
}

/* ---- Words of SQL: case means nothing ---- */

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

static void lex_word_folded(wfe_lexer *l, wfe_token *t) {
  size_t end = wfe_word_end(l->text, l->at);
  wb_str word = token_slice(l, l->at, end);
  char capitals[16]; /* no reserved word is longer */
  for (size_t i = 0; word.n <= sizeof capitals && i < word.n; i++) capitals[i] = wfe_capital(word.at[i]);
  uint8_t number = word.n <= sizeof capitals ? word_find(l, (wb_str){capitals, word.n}) : 0;
  if (number != 0) {
    token_end(l, t, (wfe_token_kind)number, end);
    return;
  }
  l->buffer.n = 0;
  if (!WB_VEC_ROOM(l->mem, &l->buffer, word.n)) {
    token_no_memory(l, t);
    return;
  }
  for (size_t i = 0; i < word.n; i++) l->buffer.at[l->buffer.n++] = small(word.at[i]);
  token_ident(l, t, (wb_str){l->buffer.at, l->buffer.n}, end);
}

/* Of ASCII, or U+0080 to U+009F, which some terminals obey. */
static bool is_control(const wfe_lexer *l, size_t at) {
  uint8_t c = (uint8_t)l->text.at[at];
  return c < 0x20 || c == 0x7F || (c == 0xC2 && (uint8_t)l->text.at[at + 1] < 0xA0); /* the text is UTF-8 */
}

/* "x": a name as it is written, of any characters but quotes and control characters. */
static void lex_quoted_name(wfe_lexer *l, wfe_token *t) {
  size_t end = l->at + 1;
  while (end < l->text.n && l->text.at[end] != '"' && !is_control(l, end)) end++;
  wb_str name = token_slice(l, l->at + 1, end);
  bool is_closed = end < l->text.n && l->text.at[end] == '"';
  bool is_doubled = is_closed && end + 1 < l->text.n && l->text.at[end + 1] == '"';
  if (is_closed && !is_doubled && name.n > 0) {
    token_ident(l, t, name, end + 1);
    return;
  }
  token_end(l, t, WFE_T_BAD, is_closed ? end + 1 : end);
  if (l->is_quiet) return;
  bool ends_line = end == l->text.n || l->text.at[end] == '\n' || l->text.at[end] == '\r';
  wfe_diag_add(l->diags, WEIR_E_PARSE, t->span, "%s", is_doubled ? "a quoted name cannot contain a quote" : is_closed ? "a name cannot be empty"
               : ends_line ? "this quoted name is not closed on its line" : "a name cannot contain a control character");
}

/* The bytes of the character at `at`. */
static size_t char_length(const wfe_lexer *l, size_t at) {
  uint8_t c = (uint8_t)l->text.at[at];
  return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

/* What the escape `\c` stands for; 0: no escape. */
static char escape_value(char c) {
  switch (c) {
    case 't': return '\t';
    case 'n': return '\n';
    case '\'':
    case '"':
    case '\\': return c;
    default: return 0;
  }
}

static void report_escape(wfe_lexer *l, size_t at) {
  size_t n = 1 + char_length(l, at + 1);
  weir_span span = {(uint32_t)at, (uint32_t)(at + n)};
  if (l->is_quiet) return;
  if ((uint8_t)l->text.at[at + 1] < 0x20) wfe_diag_add(l->diags, WEIR_E_PARSE, span, "a backslash before a control character");
  else wfe_diag_add(l->diags, WEIR_E_PARSE, span, "`%.*s` is no escape", (int)n, l->text.at + at);
  wfe_diag_hint(l->diags, "the escapes are \\t \\n \\' \\\" and \\\\");
}

/* Copies the text from the quote at l->at to its end into the buffer, escapes translated; false: out of memory.
** *end is the closing quote, or where the line or the whole text ends. */
static bool copy_escaped(wfe_lexer *l, size_t *end) {
  size_t i = l->at + 1;
  l->buffer.n = 0;
  for (; i < l->text.n && l->text.at[i] != '"' && l->text.at[i] != '\n'; i++) {
    char c = l->text.at[i];
    if (c == '\\') {
      if (i + 1 == l->text.n || l->text.at[i + 1] == '\n') continue; /* the text is not closed: reported as that */
      c = escape_value(l->text.at[i + 1]);
      if (c == 0) {
        report_escape(l, i);
        c = '?';
      }
      i += char_length(l, i + 1);
    }
    if (!WB_PUSH(l->mem, &l->buffer, c)) return false;
  }
  *end = i;
  return true;
}

static void lex_text(wfe_lexer *l, wfe_token *t) {
  size_t end = l->at + 1;
  while (end < l->text.n && l->text.at[end] != '"' && l->text.at[end] != '\n' && l->text.at[end] != '\\') end++;
  wb_str text = token_slice(l, l->at + 1, end);
  if (end < l->text.n && l->text.at[end] == '\\') {
    if (!copy_escaped(l, &end)) {
      token_no_memory(l, t);
      return;
    }
    text = (wb_str){l->buffer.at, l->buffer.n};
  }
  if (end < l->text.n && l->text.at[end] == '"') {
    token_name(l, t, WFE_T_STR, text, end + 1);
    return;
  }
  token_end(l, t, WFE_T_BAD, end);
  if (l->is_quiet) return;
  wfe_diag_add(l->diags, WEIR_E_PARSE, t->span, "this text is not closed on its line");
  wfe_diag_hint(l->diags, "a text ends with `\"`; a newline in it is written \\n");
}

static uint32_t char_value(const wfe_lexer *l, size_t at, size_t n) {
  static const uint8_t first_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t v = (uint8_t)l->text.at[at] & first_mask[n];
  for (size_t i = 1; i < n; i++) v = v << 6 | ((uint8_t)l->text.at[at + i] & 0x3Fu);
  return v;
}

static void lex_stray(wfe_lexer *l, wfe_token *t) {
  size_t at = l->at, n = char_length(l, at);
  uint32_t code = char_value(l, at, n);
  token_end(l, t, WFE_T_BAD, at + n);
  if (l->is_quiet) return;
  if (wb_is_hidden(code))
    wfe_diag_add(l->diags, WEIR_E_PARSE, t->span, "unexpected character U+%04" PRIX32, code);
  else if (code < 0x80)
    wfe_diag_add(l->diags, WEIR_E_PARSE, t->span, "unexpected character `%c`", (char)code);
  else
    wfe_diag_add(l->diags, WEIR_E_PARSE, t->span, "unexpected character `%.*s` (U+%04" PRIX32 ")", (int)n, l->text.at + at, code);
  if (code >= 0x80 && wb_is_hidden(code)) wfe_diag_hint(l->diags, "it is not seen in most editors; it can only stand in %s", l->language == WFE_SQL ? "comments and quoted names" : "comments and texts");
  for (size_t i = 0; i < WB_LEN(strays); i++)
    if (code == strays[i].code && (strays[i].languages & l->language) != 0) wfe_diag_hint(l->diags, "%s", strays[i].hint);
}

static void lex_mark(wfe_lexer *l, wfe_token *t) {
  uint8_t first = (uint8_t)l->text.at[l->at];
  size_t left = l->text.n - l->at;
  uint8_t k = first < sizeof l->marks ? l->marks[first] : 0;
  for (; k != 0 && tokens[k].sort == SORT_MARK && (uint8_t)tokens[k].text.at[0] == first; k++) {
    wb_str mark = tokens[k].text;
    if ((tokens[k].languages & l->language) == 0) continue;
    if (mark.n <= left && __builtin_memcmp(mark.at, l->text.at + l->at, mark.n) == 0) {
      token_end(l, t, (wfe_token_kind)k, l->at + mark.n);
      return;
    }
  }
  lex_stray(l, t);
}

/* Behind the last character that can be seen: a message about the end is drawn with the line that lacks something. */
static uint32_t text_end(wb_str text) {
  while (text.n > 0 && wfe_is_space(text.at[text.n - 1])) text.n--;
  return (uint32_t)text.n;
}

wfe_token wfe_lex(wfe_lexer *l) {
  bool is_closed = skip_space(l);
  wfe_token t = {.kind = WFE_T_END, .span = {(uint32_t)l->at, (uint32_t)l->at}, .line = l->line};
  if (!is_closed) {
    t.kind = WFE_T_BAD;
  } else if (l->at == l->text.n) {
    t.span.begin = t.span.end = text_end(l->text);
  } else {
    char c = l->text.at[l->at];
    bool is_sql = l->language == WFE_SQL;
    if (wfe_is_letter(c)) is_sql ? lex_word_folded(l, &t) : lex_word(l, &t);
    else if (wfe_is_digit(c)) lex_number(l, &t);
    else if (c == '"') is_sql ? lex_quoted_name(l, &t) : lex_text(l, &t);
    else lex_mark(l, &t);
  }
  l->last = t.kind;
  return t;
}
