/* ir/print_ir.c -- scalar bodies as text. */
#include "ir/print_ir.h"

#include "ir/base/num.h"

const char *const wir_kind_texts[WIR_KINDS] = {[WIR_KIND_INT] = "int", [WIR_KIND_FLOAT] = "float", [WIR_KIND_BOOL] = "bool"};
const wir_condition_text wir_condition_texts[WIR_CONDITION_TEXTS] = {
  {WIR_MAY_FAIL, "failed"}, {WIR_MAY_NOVAL, "noval"}, {WIR_MAY_DEFERRED, "deferred"},
};

typedef struct printer {
  wir_words *w;
  const wir_program *p;
  const wir_body *b;
  unsigned flags;
  uint32_t stream;  /* of the instruction before */
} printer;

static void put_labelled(printer *k, const char *label, uint64_t number) {
  wir_put(k->w, label);
  wir_put_number(k->w, number);
}

/* The kind where neither the table nor the operands of an effect tell it. */
static void put_kind(printer *k, const wir_ins *in) {
  wir_ins_result result = wir_insns[in->op].result;
  if (result != WIR_INS_SAME && result != WIR_INS_ARG && result != WIR_INS_ANY) return;
  wir_put(k->w, " ");
  wir_put(k->w, wir_kind_texts[in->kind]);
}

static void put_operands(printer *k, const wir_ins *in) {
  for (uint32_t i = 0; i < wir_insns[in->op].operands; i++) put_labelled(k, i == 0 ? " %" : ", %", in->args[i].i);
}

static void put_hex(printer *k, uint64_t bits) {
  char text[16];
  for (uint32_t i = 0; i < 16; i++) text[i] = "0123456789abcdef"[bits >> (60 - 4 * i) & 15];
  wir_put_str(k->w, (wb_str){text, sizeof text});
}

/* All NaNs are one in the language; here each is read back as it is. */
static void put_float(printer *k, wir_imm imm) {
  char text[WB_NUM_MAX];
  const wir_imm nan = {.f = __builtin_nan("")};
  if (imm.f == imm.f || imm.offset == nan.offset) {
    wir_put_str(k->w, (wb_str){text, wb_write_double(imm.f, text)});
    return;
  }
  wir_put(k->w, "nan:");
  put_hex(k, imm.offset);
}

static void put_const(printer *k, const wir_ins *in) {
  char text[WB_NUM_MAX];
  wir_put(k->w, " ");
  if (in->kind == WIR_KIND_BOOL) wir_put(k->w, in->imm.i != 0 ? "true" : "false");
  else if (in->kind == WIR_KIND_INT) wir_put_str(k->w, (wb_str){text, wb_write_int(in->imm.i, text)});
  else put_float(k, in->imm);
}

static bool has_state(const wir_ins *in) {
  return in->op == WIR_I_RING || in->op == WIR_I_HOLD || in->op == WIR_I_FILL || in->op == WIR_I_PROPER || in->op == WIR_I_STARTED ||
         in->op == WIR_I_KEEP || in->op == WIR_I_PUSH;
}

static void put_may(printer *k, uint8_t may) {
  const char *between = " may ";
  for (uint32_t i = 0; i < WIR_CONDITION_TEXTS; i++) {
    if (!(may & wir_condition_texts[i].may)) continue;
    wir_put(k->w, between);
    wir_put(k->w, wir_condition_texts[i].text);
    between = "|";
  }
}

/* True: it says which stream. */
static bool put_stream(printer *k, const wir_ins *in) {
  bool is_access = in->op == WIR_I_READ || in->op == WIR_I_WRITE;
  if (!is_access && in->stream == k->stream) return false;
  if (!is_access) k->stream = in->stream;
  put_labelled(k, " stream ", in->stream);
  return true;
}

/* What it does, without what is told of its result. */
static void put_action(printer *k, const wir_ins *in) {
  wir_put(k->w, wir_insns[in->op].text);
  put_kind(k, in);
  put_operands(k, in);
  if (in->op == WIR_I_CONST) put_const(k, in);
  if (in->op == WIR_I_RING) put_labelled(k, " ago ", in->imm.offset);
  if (has_state(in)) put_labelled(k, " state ", in->state);
}

static void put_ins(printer *k, uint32_t i) {
  const wir_ins *in = &k->b->ins[i];
  if (i < k->b->effects) {
    put_labelled(k, "%", i);
    wir_put(k->w, " = ");
  }
  put_action(k, in);
  bool tells_stream = put_stream(k, in);
  if (in->is_guarded) wir_put(k->w, " guarded");
  if (in->cannot_fail) wir_put(k->w, " safe");
  put_may(k, in->may);
  if (k->flags & WIR_PRINT_SPANS && (in->span.begin != 0 || in->span.end != 0)) {
    put_labelled(k, " @", in->span.begin);
    put_labelled(k, "-", in->span.end);
  }
  if (tells_stream && k->flags & WIR_PRINT_NAMES) {
    wir_put(k->w, "  ; ");
    wir_put_name(k->w, wir_stream_name(k->p, in->stream));
  }
  wir_put(k->w, "\n");
}

void wir_print_action(wir_words *w, const wir_body *b, uint32_t i) {
  printer k = {.w = w, .b = b};
  put_action(&k, &b->ins[i]);
}

void wir_print_body(wir_words *w, const wir_program *p, const wir_body *b, unsigned flags) {
  printer k = {.w = w, .p = p, .b = b, .flags = flags};
  wir_put(w, b->is_whole ? "body whole\n" : "body part\n");
  for (uint32_t i = 0; i < b->n_ins; i++) put_ins(&k, i);
}
