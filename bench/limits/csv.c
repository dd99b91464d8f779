/* csv.c: the floor of the command: a process that reads CSV on stdin and writes CSV on stdout, on one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "limits.h"

enum { CHUNK = 1 << 17, LEAD = 64 };

static void *get(size_t bytes) {
  void *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!p) { perror("memory"); exit(1); }
  memset(p, 0, (bytes + 4095) / 4096 * 4096);
  return p;
}

typedef struct Filter { const Workload *w; size_t ins, outs, rows; Column in[MAX_COLS], out[MAX_COLS]; void *state; char *reply, *at; } Filter;

static void put(Filter *f) { /* runs the batch and prints it */
  f->w->batch(f->in, f->out, f->rows, f->state);
  for (size_t i = 0; i < f->rows; i++) {
    for (size_t c = 0; c < f->outs; c++) {
      if (f->w->out_types[c] == 'i') f->at = format_int(f->at, ((int64_t *)f->out[c])[i]);
      else if (f->w->out_types[c] == 'f') f->at = format_float(f->at, ((double *)f->out[c])[i]);
      else {
        int yes = ((uint8_t *)f->out[c])[i];
        memcpy(f->at, yes ? "true\0\0\0" : "false\0\0", 8);
        f->at += 5 - yes;
      }
      *f->at++ = ',';
    }
    f->at[-1] = '\n';
    if (f->at - f->reply > CHUNK) {
      if (write(1, f->reply, (size_t)(f->at - f->reply)) < 0) exit(1);
      f->at = f->reply;
    }
  }
  f->rows = 0;
}

static void filter(const Workload *w) {
  Filter f = {.w = w, .ins = strlen(w->in_types), .outs = strlen(w->out_types)};
  for (size_t c = 0; c < f.ins; c++) f.in[c] = get(BATCH * 8);
  for (size_t c = 0; c < f.outs; c++) f.out[c] = get(BATCH * 8);
  f.state = (Cell *)get((MAX_INS + MAX_STATE) * sizeof(Cell)) + MAX_INS;
  init_state(w->name, f.state);
  char *buffer = get(LEAD + CHUNK + 4096 + 64), *text = buffer + LEAD;
  uint32_t *ends = get((CHUNK + 4096 + 64) * sizeof *ends);
  f.reply = f.at = get(CHUNK + 4096);
  f.at += sprintf(f.at, "%s\n", w->out_names);
  size_t have = 0;
  int header = 1;
  ssize_t got;
  while ((got = read(0, text + have, CHUNK)) > 0) {
    have += (size_t)got;
    size_t stop = have, from = 0, n = 0, e = 0; /* whole lines only */
    while (stop > 0 && text[stop - 1] != '\n') stop--;
    if (header && stop) from = (size_t)((char *)memchr(text, '\n', stop) + 1 - text), header = 0;
    n = separators(text + from, stop - from, ends);
    const char *p = text + from;
    while (e < n) {
      size_t many = (n - e) / f.ins;
      if (many > BATCH - f.rows) many = BATCH - f.rows;
      for (size_t c = 0; c < f.ins; c++) /* a column at a time: the type is decided once */
        for (size_t i = 0, k = e + c; i < many; i++, k += f.ins) {
          const char *a = k ? p + ends[k - 1] + 1 : p, *z = p + ends[k];
          if (w->in_types[c] == 'i') ((int64_t *)f.in[c])[f.rows + i] = read_int(a, z);
          else parse_float(a, (double *)f.in[c] + f.rows + i);
        }
      f.rows += many, e += many * f.ins;
      if (f.rows == BATCH) put(&f);
    }
    have -= stop;
    memmove(text, text + stop, have);
  }
  put(&f);
  if (write(1, f.reply, (size_t)(f.at - f.reply)) < 0) exit(1);
}

int main(int argc, char **argv) {
  const Workload *w = argc == 2 ? workload(argv[1]) : NULL;
  if (!w || strchr(w->in_types, 's')) { fputs("usage: weir_bench_csv W0 to W9 < input.csv > output.csv\n", stderr); return 2; }
  filter(w);
  _exit(0); /* its memory goes with it */
}
