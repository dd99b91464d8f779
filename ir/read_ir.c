/* ir/read_ir.c -- the text of a scalar body as a body: a line an instruction, read from left to right, by table. */
#include "ir/read_ir.h"

#include <string.h>

#include "ir/base/num.h"
#include "ir/print_ir.h"

typedef struct reader {
  wb_str text;
  size_t at;       /* the next byte */
  wb_mem *mem;
  WB_VEC(wir_ins) ins;
  size_t effects;  /* the first effect; SIZE_MAX: none yet */
  uint32_t stream; /* of the instruction before */
  weir_error *e;
} reader;

/* ---- Bytes and words ---- */

static bool at_end(const reader *r) { return r->at == r->text.n; }
static char peek(const reader *r) { return at_end(r) ? '\n' : r->text.at[r->at]; }

static void skip_blanks(reader *r) {
  while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\r') r->at++;
}

static bool is_word_byte(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
/* Whatever a constant may consist of. */
static bool is_literal_byte(char c) { return is_word_byte(c) || is_digit(c) || c == '.' || c == '+' || c == '-' || c == ':'; }

/* The run of such bytes, which may be empty. */
static wb_str take(reader *r, bool (*is_part)(char)) {
  skip_blanks(r);
  size_t begin = r->at;
  while (!at_end(r) && is_part(peek(r))) r->at++;
  return (wb_str){r->text.at + begin, r->at - begin};
}

static weir_span span_of(const reader *r, wb_str part) {
  size_t begin = part.n == 0 ? r->at : (size_t)(part.at - r->text.at);
  return (weir_span){(uint32_t)begin, (uint32_t)(begin + part.n)};
}

static weir_code expected(reader *r, const char *what) {
  skip_blanks(r);
  weir_span here = {(uint32_t)r->at, (uint32_t)(r->at + !at_end(r))};
  return wb_fail(r->e, WEIR_E_PARSE, here, "expected %s", what);
}

static bool take_byte(reader *r, char c) {
  skip_blanks(r);
  if (at_end(r) || peek(r) != c) return false;
  r->at++;
  return true;
}

static bool is_text(wb_str word, const char *text) { return wb_str_eq(word, (wb_str){text, strlen(text)}); }

/* Looks at the next word without taking it. */
static bool next_is(reader *r, const char *text) {
  size_t at = r->at;
  bool is = is_text(take(r, is_word_byte), text);
  if (!is) r->at = at;
  return is;
}

static weir_code take_number(reader *r, uint64_t limit, uint64_t *out) {
  wb_str digits = take(r, is_digit);
  *out = 0;
  if (digits.n == 0) return expected(r, "a number");
  for (size_t i = 0; i < digits.n; i++)
    if (__builtin_mul_overflow(*out, (uint64_t)10, out) || __builtin_add_overflow(*out, (uint64_t)(digits.at[i] - '0'), out) ||
        *out > limit)
      return wb_fail(r->e, WEIR_E_PARSE, span_of(r, digits), "the number is too large");
  return WEIR_OK;
}

static weir_code take_index(reader *r, uint32_t *out) {
  uint64_t number;
  WB_TRY(take_number(r, UINT32_MAX - 1, &number));
  *out = (uint32_t)number;
  return WEIR_OK;
}

/* ---- Parts of an instruction ---- */

static bool tells_kind(const wir_ins *in) {
  wir_ins_result result = wir_insns[in->op].result;
  return result == WIR_INS_SAME || result == WIR_INS_ARG || result == WIR_INS_ANY;
}

static weir_code take_kind(reader *r, wir_ins *in) {
  wb_str word = take(r, is_word_byte);
  for (uint32_t i = 0; i < WIR_KINDS; i++)
    if (is_text(word, wir_kind_texts[i])) {
      in->kind = (uint8_t)i;
      return WEIR_OK;
    }
  if (word.n == 0) return expected(r, "int, float or bool");
  return wb_fail(r->e, WEIR_E_PARSE, span_of(r, word), "expected int, float or bool");
}

static weir_code take_operands(reader *r, wir_ins *in) {
  for (uint32_t k = 0; k < wir_insns[in->op].operands; k++) {
    if (k > 0 && !take_byte(r, ',')) return expected(r, "a comma and another operand");
    if (!take_byte(r, '%')) return expected(r, "an operand as %1");
    WB_TRY(take_index(r, &in->args[k].i));
  }
  return WEIR_OK;
}

static bool take_hex(wb_str digits, uint64_t *out) {
  *out = 0;
  for (size_t i = 0; i < digits.n; i++) {
    char c = digits.at[i];
    if (!is_digit(c) && (c < 'a' || c > 'f')) return false;
    *out = *out << 4 | (uint64_t)(is_digit(c) ? c - '0' : c - 'a' + 10);
  }
  return digits.n == 16;
}

static bool read_float(wb_str word, wir_imm *out) {
  int64_t i = 0;
  if (word.n > 4 && memcmp(word.at, "nan:", 4) == 0) return take_hex((wb_str){word.at + 4, word.n - 4}, &out->offset) && out->f != out->f;
  wb_num what = wb_read_number(word, &i, &out->f);
  if (what == WB_NUM_INT) out->f = (double)i;
  if (is_text(word, "nan")) out->f = __builtin_nan("");
  return what != WB_NUM_BAD;
}

static weir_code take_const(reader *r, wir_ins *in) {
  wb_str word = take(r, is_literal_byte);
  bool is_read = false;
  if (in->kind == WIR_KIND_INT) is_read = wb_read_int(word, &in->imm.i);
  else if (in->kind == WIR_KIND_FLOAT) is_read = read_float(word, &in->imm);
  else {
    in->imm.i = is_text(word, "true");
    is_read = in->imm.i == 1 || is_text(word, "false");
  }
  if (is_read) return WEIR_OK;
  if (word.n == 0) return expected(r, "a value");
  return wb_fail(r->e, WEIR_E_PARSE, span_of(r, word), "expected a value of kind %s", wir_kind_texts[in->kind]);
}

static weir_code take_may(reader *r, wir_ins *in) {
  do {
    wb_str word = take(r, is_word_byte);
    uint8_t may = 0;
    for (uint32_t i = 0; i < WIR_CONDITION_TEXTS; i++)
      if (is_text(word, wir_condition_texts[i].text)) may = wir_condition_texts[i].may;
    if (may == 0 && word.n == 0) return expected(r, "failed, noval or deferred");
    if (may == 0 || in->may & may) return wb_fail(r->e, WEIR_E_PARSE, span_of(r, word), "expected failed, noval or deferred, each once");
    in->may |= may;
  } while (take_byte(r, '|'));
  return WEIR_OK;
}

static weir_code take_place(reader *r, wir_ins *in) {
  if (!take_byte(r, '@')) return WEIR_OK;
  WB_TRY(take_index(r, &in->span.begin));
  if (!take_byte(r, '-')) return expected(r, "a dash and the end of the place");
  return take_index(r, &in->span.end);
}

/* What is not as usual, in the order in which it is printed. */
static weir_code take_rest(reader *r, wir_ins *in) {
  in->state = WIR_NO_STATE;
  in->stream = r->stream;
  if (next_is(r, "state")) WB_TRY(take_index(r, &in->state));
  if (next_is(r, "stream")) WB_TRY(take_index(r, &in->stream));
  if (in->op != WIR_I_READ && in->op != WIR_I_WRITE) r->stream = in->stream;
  in->is_guarded = next_is(r, "guarded");
  in->cannot_fail = next_is(r, "safe");
  if (next_is(r, "may")) WB_TRY(take_may(r, in));
  return take_place(r, in);
}

/* ---- Lines ---- */

static weir_code take_op(reader *r, wir_ins *in) {
  wb_str word = take(r, is_word_byte);
  for (uint32_t i = 0; i < WIR_INS_OPS; i++)
    if (is_text(word, wir_insns[i].text)) {
      in->op = (uint8_t)i;
      return WEIR_OK;
    }
  if (word.n == 0) return expected(r, "an instruction");
  return wb_fail(r->e, WEIR_E_PARSE, span_of(r, word), "there is no instruction %.*s", (int)WB_MIN(word.n, (size_t)40), word.at);
}

/* `%3 =`, where there is a result. */
static weir_code take_number_of_result(reader *r, bool *has_result) {
  skip_blanks(r);
  size_t begin = r->at;
  uint32_t number;
  *has_result = take_byte(r, '%');
  if (!*has_result) return WEIR_OK;
  WB_TRY(take_index(r, &number));
  if (number != r->ins.n)
    return wb_fail(r->e, WEIR_E_PARSE, (weir_span){(uint32_t)begin, (uint32_t)r->at}, "this is instruction %zu", r->ins.n);
  return take_byte(r, '=') ? WEIR_OK : expected(r, "an equals sign");
}

/* An effect has the kind of its operand. */
static void derive_kind(const reader *r, wir_ins *in) {
  wir_ins_result result = wir_insns[in->op].result;
  if (result == WIR_INS_FLOAT) in->kind = WIR_KIND_FLOAT;
  if (result == WIR_INS_BOOL) in->kind = WIR_KIND_BOOL;
  if (result == WIR_INS_NONE && in->args[0].i < r->ins.n) in->kind = r->ins.at[in->args[0].i].kind;
}

static weir_code take_ins(reader *r) {
  wir_ins in = {.op = 0};
  bool has_result;
  WB_TRY(take_number_of_result(r, &has_result));
  size_t begin = r->at;
  WB_TRY(take_op(r, &in));
  bool is_effect = wir_insns[in.op].result == WIR_INS_NONE;
  if (is_effect == has_result)
    return wb_fail(r->e, WEIR_E_PARSE, (weir_span){(uint32_t)begin, (uint32_t)r->at}, "%s has %s result", wir_insns[in.op].text,
                   is_effect ? "no" : "a");
  if (tells_kind(&in)) WB_TRY(take_kind(r, &in));
  WB_TRY(take_operands(r, &in));
  if (in.op == WIR_I_CONST) WB_TRY(take_const(r, &in));
  if (in.op == WIR_I_RING) {
    if (!next_is(r, "ago")) return expected(r, "ago");
    WB_TRY(take_number(r, UINT64_MAX, &in.imm.offset));
  }
  derive_kind(r, &in);
  WB_TRY(take_rest(r, &in));
  if (is_effect && r->effects == SIZE_MAX) r->effects = r->ins.n;
  return WB_PUSH(r->mem, &r->ins, in) ? WEIR_OK : wb_fail_memory(r->e);
}

static void skip_comment(reader *r) {
  skip_blanks(r);
  if (peek(r) != ';') return;
  while (!at_end(r) && peek(r) != '\n') r->at++;
}

static weir_code end_line(reader *r) {
  skip_comment(r);
  if (peek(r) != '\n') return expected(r, "the end of the line");
  if (!at_end(r)) r->at++;
  return WEIR_OK;
}

/* Empty lines and comments.  False: the text ends. */
static bool skip_lines(reader *r) {
  for (;;) {
    skip_comment(r);
    if (at_end(r) || peek(r) != '\n') return !at_end(r);
    r->at++;
  }
}

static weir_code read_lines(reader *r, wir_body *out) {
  (void)skip_lines(r);
  if (!next_is(r, "body")) return expected(r, "body whole or body part");
  out->is_whole = next_is(r, "whole");
  if (!out->is_whole && !next_is(r, "part")) return expected(r, "whole or part");
  WB_TRY(end_line(r));
  while (skip_lines(r)) {
    WB_TRY(take_ins(r));
    WB_TRY(end_line(r));
  }
  return WEIR_OK;
}

weir_code wir_read_body(wb_str text, wb_mem *mem, wir_body *out, weir_error *e) {
  reader r = {.text = {text.n == 0 ? "" : text.at, text.n}, .mem = mem, .effects = SIZE_MAX, .e = e};
  *out = (wir_body){.ins = NULL};
  if (text.n >= UINT32_MAX) return wb_fail(e, WEIR_E_PARSE, WB_NOWHERE, "the text is too long");
  weir_code rc = read_lines(&r, out);
  if (rc != WEIR_OK) {
    WB_VEC_FREE(mem, &r.ins);
    return rc;
  }
  out->ins = r.ins.at;
  out->n_ins = (uint32_t)r.ins.n;
  out->effects = (uint32_t)WB_MIN(r.effects, r.ins.n);
  return WEIR_OK;
}
