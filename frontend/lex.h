/* frontend/lex.h -- text to tokens, of DSRV or of SQL: which one, a column of tokens.def and a few tables of lex.c tell.
**
** Tokens are made one by one, on demand, so that no list of them is held.  The text must be valid UTF-8: the parsers check
** that before.  Errors inside a token are reported here, with their place, and no second time by the parser. */
#ifndef WFE_LEX_H
#define WFE_LEX_H

#include "frontend/ast.h"
#include "frontend/diag.h"

typedef enum wfe_token_kind {
#define TOKEN(name, text, sort, languages) WFE_T_##name,
#include "frontend/tokens.def"
#undef TOKEN
  WFE_TOKENS
} wfe_token_kind;

typedef enum wfe_language { WFE_DSRV = 1, WFE_SQL = 2 } wfe_language; /* bits of the column `languages` */

typedef struct wfe_token {
  uint8_t kind;   /* wfe_token_kind */
  uint8_t op;     /* BUILTIN: a wfe_builtin */
  bool is_huge;   /* INT: above 2^64-1, and as.u means nothing */
  weir_span span; /* bytes of the text as given */
  uint32_t line;  /* from 1; no token spans two lines */
  union {
    uint64_t u;    /* INT */
    double f;      /* FLOAT */
    uint32_t name; /* IDENT: in SQL folded to small letters, unless quoted; STR: the text, escapes translated */
  } as;
} wfe_token;

enum { WFE_WORD_SLOTS = 256 };

typedef struct wfe_lexer {
  wb_str text;
  wfe_language language;
  size_t at;                      /* the next byte */
  uint32_t line;                  /* of that byte, from 1 */
  uint8_t last;                   /* kind of the token before: after a dot, a number is digits only */
  bool is_quiet;                  /* text that is skipped after an error: its errors are not reported */
  size_t max_name;                /* bytes of an identifier */
  wb_names *names;                /* identifiers and texts go here */
  wb_mem *mem;                    /* of `buffer` */
  struct weir_diagnostics *diags;
  wb_bytes buffer;                /* for a text with escapes */
  uint8_t words[WFE_WORD_SLOTS];  /* reserved words by hash: token kind, or WFE_TOKENS + builtin; 0: free */
  uint8_t marks[128];             /* the first mark that begins with this byte; 0: none */
} wfe_lexer;

/* Begins at the start of the text, after a byte-order mark if there is one.  Everything is borrowed until wfe_lexer_end. */
void wfe_lexer_init(wfe_lexer *l, wfe_language language, wb_str text, size_t max_name, wb_names *names, wb_mem *mem, struct weir_diagnostics *diags);
void wfe_lexer_end(wfe_lexer *l);
/* False: the text is not UTF-8 (reported). */
bool wfe_check_utf8(wb_str text, struct weir_diagnostics *diags);

/* The next token; at the end of the text END, however often.  BAD after an error that spoils the token; an error that does not
** (a bad escape, a number out of range, a name too long) is reported and the token is returned as what it was meant to be.
** When memory is exhausted the answer is BAD, and the diagnostics say so. */
wfe_token wfe_lex(wfe_lexer *l);

/* The text of a mark or word, the description of a kind.  Static. */
const char *wfe_token_text(wfe_token_kind kind);
const char *wfe_builtin_text(wfe_builtin b);
/* Is it a reserved word of the language, but for library functions?  In SQL in any case. */
bool wfe_is_word(wfe_language language, wb_str text);
static inline bool wfe_is_reserved(const wfe_token *t) { return t->kind >= WFE_T_IN || t->kind == WFE_T_BUILTIN; }

/* ---- For others who read text ------------------------------------------------------------------------------------ */

static inline bool wfe_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool wfe_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static inline char wfe_capital(char c) { return c >= 'a' && c <= 'z' ? (char)(c & ~0x20) : c; }
static inline bool wfe_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The bytes that a span of the text means. */
static inline wb_str wfe_slice_of(wb_str text, weir_span s) { return (wb_str){text.at + s.begin, s.end - s.begin}; }

/* Where the word [A-Za-z0-9_]* that begins at `at` ends. */
size_t wfe_word_end(wb_str text, size_t at);
/* Where the number that begins with the digit at `at` ends: digits ["." [digits]] [("e"|"E") ["+"|"-"] digits]; digits only if
** so asked.  *is_float tells the two kinds apart. */
size_t wfe_number_end(wb_str text, size_t at, bool only_digits, bool *is_float);
/* The value of decimal digits; false when it is above 2^64-1. */
bool wfe_read_digits(wb_str digits, uint64_t *out);

#endif
