/* ir/pass_cse.c -- equal instructions become one: value numbering.
**
** Two instructions are equal if operation, kind, operands, constant, ring, offset and cell are.  State is read before a row's effects, so
** two reads of a ring, or two HOLDs of one cell and operand, are equal wherever they stand; those of different cells never are, although
** they may have had the same operand ever since: after a replacement one cell can be newer.
** Operands of what is commutative are ordered, and `a > b` is `b < a`.  (Also of Floats: which NaN comes out does not count.)
**
** Guards: whether a failure leaves the body makes a difference only where there can be one.  Then, if either of two equal instructions
** stands outside all guards, its failure leaves the body whatever the other one does: both become one that stands outside. */
#include "ir/optimize.h"

/* What makes instructions equal. */
typedef struct key {
  uint64_t imm;
  uint32_t args[3], state;
  uint8_t op, kind;
} key;

static bool is_commutative(uint8_t op) { return op == WIR_I_ADD || op == WIR_I_MUL || op == WIR_I_EQ || op == WIR_I_NE; }

static void swap_operands(key *k) {
  uint32_t a = k->args[0];
  k->args[0] = k->args[1];
  k->args[1] = a;
}

static uint32_t state_of(const wir_ins *in) {
  switch ((unsigned)in->op) {
  case WIR_I_RING: case WIR_I_HOLD: case WIR_I_FILL: case WIR_I_PROPER: case WIR_I_STARTED: return in->state;
  case WIR_I_READ: return in->stream;
  }
  return 0;
}

static key key_of(const wir_ins *in) {
  key k = {.op = in->op, .kind = in->kind, .state = state_of(in)};
  for (uint32_t i = 0; i < wir_insns[in->op].operands; i++) k.args[i] = in->args[i].i;
  if (in->op == WIR_I_CONST || (in->op == WIR_I_RING && !WB_PLANTED(4))) k.imm = in->imm.offset;
  if (is_commutative(k.op) && k.args[0] > k.args[1]) swap_operands(&k);
  if (k.op == WIR_I_GT || k.op == WIR_I_GE) {
    k.op = k.op == WIR_I_GT ? WIR_I_LT : WIR_I_LE;
    swap_operands(&k);
  }
  return k;
}

static bool same_key(const key *a, const key *b) {
  return a->op == b->op && a->kind == b->kind && a->imm == b->imm && a->state == b->state && a->args[0] == b->args[0] &&
         a->args[1] == b->args[1] && a->args[2] == b->args[2];
}

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ (h >> 29);
}

static uint64_t hash(const key *k) {
  uint64_t h = mix(k->imm, (uint64_t)k->op << 8 | k->kind);
  h = mix(h, (uint64_t)k->args[0] << 32 | k->args[1]);
  return mix(h, (uint64_t)k->args[2] << 32 | k->state);
}

/* Instructions by what they are; open addressing.  The hash stands beside the number, so that others are hardly ever looked at. */
typedef struct place { uint32_t number, hash; } place; /* number: instruction + 1; 0: free */
typedef struct numbering {
  wir_body *b;
  place *table;
  size_t mask;
} numbering;

/* Is it in this place?  An instruction that is in none takes a free one. */
static bool is_at(numbering *t, const key *k, place x, place *at) {
  if (at->number == 0) *at = x;
  if (at->number == x.number) return true;
  if (at->hash != x.hash) return false;
  key other = key_of(&t->b->ins[at->number - 1]);
  return same_key(k, &other);
}

/* The first instruction that equals i; i itself if it is the first.  Mostly few read its last operand, and that stands near it: so it is first looked
** for in a few places that belong to that operand, where the cache has them, and only then anywhere. */
static uint32_t find(numbering *t, uint32_t i) {
  enum { NEAR = 8 };
  key k = key_of(&t->b->ins[i]);
  uint64_t h = hash(&k);
  place x = {i + 1, (uint32_t)(h >> 32)};
  size_t at = 2 * (size_t)WB_MAX(WB_MAX(k.args[0], k.args[1]), k.args[2]);
  uint32_t tries = wir_insns[k.op].operands == 0 ? NEAR : 0;
  for (; tries < NEAR; tries++, at++)
    if (is_at(t, &k, x, &t->table[at & t->mask])) return t->table[at & t->mask].number - 1;
  if (WB_PLANTED(116) && tries == NEAR && wir_insns[k.op].operands != 0) return i;
  for (at = (size_t)h; !is_at(t, &k, x, &t->table[at & t->mask]); at++) {}
  return t->table[at & t->mask].number - 1;
}

/* What is known of either is true of both. */
static void merge(wir_ins *first, const wir_ins *in) {
  first->may &= in->may;
  first->cannot_fail |= in->cannot_fail;
  if (!WB_PLANTED(5)) first->is_guarded &= in->is_guarded;
}

static void number_all(numbering *t, const wir_program *p, wir_val *same) {
  for (uint32_t i = 0; i < t->b->n_ins; i++) {
    wir_ins *in = &t->b->ins[i];
    wir_redirect(in, same);
    wir_sharpen(p, t->b, in);
    same[i].i = wir_is_effect(in) ? i : find(t, i);
    if (same[i].i == i) continue;
    merge(&t->b->ins[same[i].i], in);
    wir_sharpen(p, t->b, &t->b->ins[same[i].i]);
  }
}

bool wir_cse(const wir_program *p, wir_body *b, wb_mem *scratch) {
  size_t size = 16;
  while (size < 2 * (size_t)b->effects) size *= 2;
  numbering t = {.b = b, .mask = size - 1};
  wir_val *same = wb_block(scratch, b->n_ins * sizeof *same + 1);
  t.table = wb_block(scratch, size * sizeof *t.table);
  bool is_done = same != NULL && t.table != NULL;
  if (is_done) {
    __builtin_memset(t.table, 0, size * sizeof *t.table);
    number_all(&t, p, same);
    wb_check_ir(wir_body_is_valid(p, b));
  }
  wb_block_free(scratch, same);
  wb_block_free(scratch, t.table);
  return is_done;
}
