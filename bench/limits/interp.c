/* interp.c: what the tier below native code can reach: the workloads as programs of machine.c, which is built for baseline x86-64,
 * for AVX2 (x86-64-v3) and for this processor; a distributed binary carries the first two and chooses when it starts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine.h"
#ifndef CONSTS_H
#define CONSTS_H "consts.h"
#endif
#include CONSTS_H

static Cell as_cell(double d) { Cell c; memcpy(&c, &d, 8); return c; }

static int emit(Program *p, Ins i) {
  i.d = (uint16_t)p->next;
  p->code[p->n++] = i;
  return p->next++;
}
#define DO(o, ...) emit(p, (Ins){.op = o, __VA_ARGS__})
#define R(x) (uint16_t)(x)
static int op2(Program *p, Op o, int a, int b) { return DO(R(o), .a = R(a), .b = R(b)); }
static int opi(Program *p, Op o, int a, int64_t imm) { return DO(R(o), .a = R(a), .imm = imm); }
static int opf(Program *p, Op o, int a, double f) { return opi(p, o, a, as_cell(f)); }
static int stateful(Program *p, Op o, int a, int b, int slot) { return DO(R(o), .a = R(a), .b = R(b), .slot = R(slot)); }
static int delay(Program *p, int a, int64_t k, int otherwise, int slot) { return DO(DELAY, .a = R(a), .b = R(otherwise), .slot = R(slot), .imm = k); }
static int constant(Program *p, int64_t v) { /* before the first operation */
  p->value[p->next] = v, p->consts++;
  return p->next++;
}
static void out(Program *p, int a) { opi(p, OUT, a, p->outs++); }

static void mixed(Program *p) {
  enum { TEMP, PRESSURE, SPEED, ACCEL, BATTERY, GAP, MODE, BTN };
  enum { TF, H_TEMP, H_PRESSURE, H_SPEED, H_DSPEED, H_BATTERY, H_MODE, H_SINCE, STOPS, BRAKES, ODO, WARNS, CHANGES, SINCE, ESTOP };
  p->ema[0] = W9_NEW, p->ema[1] = W9_OLD;
  p->histories = 1 << H_SPEED | 1 << H_DSPEED | 1 << H_BATTERY | 1 << H_MODE | 1 << H_SINCE;
  p->sums = 1 << STOPS | 1 << BRAKES | 1 << ODO | 1 << WARNS | 1 << CHANGES | 1 << SINCE;
  int zero = constant(p, 0), one = constant(p, 1), far = constant(p, W9_FAR), age = constant(p, W9_AGE);
  out(p, stateful(p, EMA, TEMP, 0, TF));
  int rise = opf(p, FGTI, op2(p, FSUB, TEMP, delay(p, TEMP, 10, TEMP, H_TEMP)), W9_RISE);
  int pf = PRESSURE;
  for (int k = 1; k <= 3; k++) pf = op2(p, FADD, pf, delay(p, PRESSURE, k, PRESSURE, H_PRESSURE));
  int low = opf(p, FLTI, opf(p, FMULI, pf, 0.25), W9_LOW_PRESSURE);
  int dspeed = op2(p, SUB, SPEED, delay(p, SPEED, 1, SPEED, H_SPEED));
  out(p, op2(p, SUB, dspeed, delay(p, dspeed, 1, zero, H_DSPEED)));
  int stops = stateful(p, RUN, opi(p, EQI, SPEED, 0), 0, STOPS);
  out(p, stops), out(p, opi(p, GTI, stops, W9_STOPS));
  int brake = op2(p, AND, opi(p, LTI, dspeed, -W9_BRAKE), opi(p, LTI, ACCEL, 0));
  out(p, stateful(p, SUM, brake, 0, BRAKES)), out(p, stateful(p, SUM, SPEED, 0, ODO));
  int drop = op2(p, SUB, delay(p, BATTERY, 10, BATTERY, H_BATTERY), BATTERY);
  int batt = op2(p, OR, opi(p, LTI, BATTERY, W9_LOW_BATTERY), opi(p, GTI, drop, W9_DROP));
  int moves = opi(p, GTI, SPEED, 0), scaled = DO(GMULI, .a = GAP, .b = R(moves), .imm = W9_SCALE);
  int by = DO(SELECT, .a = R(moves), .b = SPEED, .c = R(one)), ratio = op2(p, DIV, scaled, by);
  int ttc = DO(SELECT, .a = R(moves), .b = R(ratio), .c = R(far));
  out(p, ttc);
  int warn = op2(p, AND, opi(p, LTI, ttc, W9_WARN), opi(p, NEI, MODE, 0)), warns = stateful(p, RUN, warn, 0, WARNS);
  int changed = op2(p, NE, MODE, delay(p, MODE, 1, MODE, H_MODE));
  out(p, stateful(p, SUM, changed, 0, CHANGES));
  int since = stateful(p, RUN, opi(p, NOT, changed, 0), 0, SINCE);
  int flap = op2(p, AND, opi(p, LTI, since, W9_FLAP), opi(p, LTI, delay(p, since, 5, age, H_SINCE), W9_FLAP));
  const int fact[] = {rise, low, brake, batt, warn, flap};
  const int64_t weight[] = {W9_RISE_WEIGHT, W9_PRESSURE_WEIGHT, W9_BRAKE_WEIGHT, W9_BATTERY_WEIGHT, W9_TTC_WEIGHT, W9_FLAP_WEIGHT};
  int severity = opi(p, PICK, fact[0], weight[0]);
  for (int k = 1; k < 6; k++) severity = op2(p, ADD, severity, opi(p, PICK, fact[k], weight[k]));
  out(p, severity);
  int set = op2(p, OR, opi(p, GTI, severity, W9_SEVERE - 1), opi(p, GTI, warns, W9_RUN));
  out(p, stateful(p, LATCH, set, opi(p, EQI, BTN, 1), ESTOP));
  stateful(p, KEEP, TEMP, 0, H_TEMP), stateful(p, KEEP, PRESSURE, 0, H_PRESSURE), stateful(p, KEEP, SPEED, 0, H_SPEED);
  stateful(p, KEEP, dspeed, 0, H_DSPEED), stateful(p, KEEP, BATTERY, 0, H_BATTERY), stateful(p, KEEP, MODE, 0, H_MODE);
  stateful(p, KEEP, since, 0, H_SINCE);
}

/* Gives the operations registers again once nothing reads them; lets the operation behind an OUT write the column itself. */
static void allocate(Program *p) {
  static int last[CODE * 2], to[CODE * 2], free_at[REGS];
  int first = p->ins + p->consts;
  memset(last, 0, sizeof last), memset(free_at, 0, sizeof free_at);
  for (int i = 0; i < p->n; i++) {
    Ins *c = &p->code[i];
    last[c->a] = last[c->b] = last[c->c] = i;
    if (c->op == OUT)
      for (int k = 0; k < i; k++)
        if (p->code[k].d == c->a && p->code[k].op != KEEP && p->code[k].op != OUT && !p->code[k].column) p->code[k].column = R(c->imm + 1);
  }
  for (int i = 0; i < first; i++) to[i] = i;
  for (int i = 0; i < p->n; i++) {
    Ins *c = &p->code[i];
    int r = first, writes = c->op != KEEP && c->op != OUT && c->op != END;
    c->a = R(to[c->a]), c->b = R(to[c->b]), c->c = R(to[c->c]);
    if (!writes) { c->d = 0; continue; }
    while (free_at[r] > i || (free_at[r] == i && i > 0)) r++; /* operands of this operation keep theirs */
    if (r >= REGS) { fputs("too many registers\n", stderr); exit(1); }
    free_at[r] = last[c->d] > i ? last[c->d] : i;
    to[c->d] = r, c->d = R(r);
  }
}

int interp_program(Program *p, const Workload *w) {
  if (w->name[2] != 0 || !strchr("125689", w->name[1])) return 0; /* the others have no anchor */
  memset(p, 0, sizeof *p);
  p->ins = p->next = (int)strlen(w->in_types);
  for (int c = 0; c < p->ins; c++) p->ints |= (uint32_t)(w->in_types[c] == 'i') << c;
  switch (w->name[1]) {
  case '1': /* (x + y) * 3 - x % 7 */
    p->bits = W1_BITS < 51 ? W1_BITS : 51; /* MODI */
    out(p, op2(p, SUB, opi(p, MULI, op2(p, ADD, 0, 1), W1_MUL), opi(p, MODI, 0, W1_MOD)));
    break;
  case '2': {
    static const int64_t by[] = W2_CONSTS;
    int s = opi(p, ADDI, 0, by[1]);
    p->bits = W2_BITS;
    for (int k = 2; k <= 32; k++) s = k % 2 == 0 ? op2(p, ADD, opi(p, MULI, s, by[k]), 0) : op2(p, SUB, s, opi(p, MULI, 1, by[k]));
    out(p, s);
    break;
  }
  case '5': {
    int before = constant(p, W5_BEFORE);
    p->bits = 60, p->histories = 1;
    int s = op2(p, ADD, 0, delay(p, 0, 1, before, 0));
    out(p, op2(p, ADD, s, delay(p, 0, 2, before, 0)));
    stateful(p, KEEP, 0, 0, 0);
    break;
  }
  case '6': p->bits = 53, p->sums = 1, p->first[0] = W6_BEFORE, out(p, stateful(p, SUM, 0, 0, 0)); break;
  case '8': {
    static const int64_t plus[] = W8_ADD, times[] = W8_MUL;
    p->bits = W8_BITS;
    for (int k = 0; k < 64; k++) out(p, op2(p, ADD, op2(p, SUB, opi(p, MULI, opi(p, ADDI, k % 4, plus[k]), times[k]), (k + 1) % 4), (k + 2) % 4));
    break;
  }
  case '9': p->bits = 40, mixed(p); break;
  }
  opi(p, END, 0, 0);
  allocate(p);
  return 1;
}

static void restart(const Program *p, Memory *m) {
  m->tick = 0, memset(m->slot, 0, sizeof m->slot);
  for (int k = 0; k < SLOTS; k++) m->slot[k][0] = p->first[k];
}

void interp_reset(const Program *p, Memory *m) {
  memset(m, 0, sizeof *m);
  restart(p, m);
  for (int k = p->ins; k < p->ins + p->consts; k++) {
    m->r[k] = p->value[k];
    for (int i = 0; i < TILE; i++) m->tile[k][i] = p->value[k];
  }
}

/* At the edges of Int each checked machine must fail, or not, as the compiled row kernel does. */
void interp_edges(Program *p, const Workload *w, const Machine *x) {
  enum { TRIES = 100000, ROWS = 12 };
  static Memory m[2];
  static Cell cells[MAX_COLS][TILE];
  uint64_t s = 5;
  x->row(p, NULL, NULL, NULL);
  for (int t = 0; t < TRIES; t++) {
    Cell state[MAX_STATE] = {0}, row[MAX_INS], col[MAX_INS][ROWS], *in[MAX_INS], *to[MAX_COLS], want[MAX_COLS] = {0}, got[MAX_COLS];
    int failed[3] = {0}, rows = t % 4 ? 1 + t % 3 : ROWS, same;
    init_state(w->name, state);
    for (int k = 0; k < 2; k++) {
      if (t == 0) interp_reset(p, &m[k]);
      else restart(p, &m[k]);
    }
    for (int c = 0; c < p->ins; c++) in[c] = col[c];
    for (int c = 0; c < p->outs; c++) to[c] = cells[c];
    for (int i = 0; i < rows; i++) {
      for (int c = 0; c < p->ins; c++) row[c] = col[c][i] = edge_cell(&s, w->in_types[c]);
      failed[0] = failed[0] || w->row_checked(row, want, state);
      failed[1] = failed[1] || x->row(p, row, got, &m[0]);
    }
    failed[2] = x->tile(p, in, to, (size_t)rows, &m[1]);
    same = failed[0] == failed[1] && failed[0] == (failed[2] != 0);
    for (int c = 0; c < p->outs && !failed[0]; c++) same &= want[c] == got[c] && want[c] == cells[c][rows - 1];
    if (!same) fprintf(stderr, "%s: %s is wrong at the edges\n", w->name, x->name), exit(1);
  }
}
