/* ir/region.c -- list scheduling with two queues: all scalar streams that are ready, then all others that are, and so on.  Each change of
** queue is forced by a dependency, so regions are as long as a greedy choice makes them. */
#include "ir/region.h"

#include "ir/schedule.h"

typedef struct partitioner {
  const wir_program *p;
  wir_readers readers;
  uint32_t *ready[2];    /* queues, [1] of scalar streams */
  uint32_t n_ready[2], next[2];
} partitioner;

static void make_ready(partitioner *k, uint32_t stream) {
  bool is_scalar = wir_is_scalar(k->p, stream);
  k->ready[is_scalar][k->n_ready[is_scalar]++] = stream;
}

static void place(partitioner *k, wir_partition *out, uint32_t *n, uint32_t stream) {
  out->order[(*n)++] = stream;
  const wir_readers *r = &k->readers;
  for (uint32_t i = r->from[stream]; i < r->from[stream + 1]; i++)
    if (--r->waits[r->to[i]] == 0) make_ready(k, r->to[i]);
}

static void run(partitioner *k, wir_partition *out) {
  const wir_program *p = k->p;
  uint32_t n = 0, n_computed = p->n_streams - p->n_inputs;
  for (uint32_t i = 0; i < n_computed; i++) /* in canonical order, which keeps what is independent where it was */
    if (k->readers.waits[p->order[i]] == 0) make_ready(k, p->order[i]);
  for (uint32_t kind = 1; n < n_computed; kind = 1 - kind) {
    uint32_t first = n;
    while (k->next[kind] < k->n_ready[kind]) place(k, out, &n, k->ready[kind][k->next[kind]++]);
    if (n == first) continue;
    out->steps[out->n_steps++] = (wir_step){.is_region = kind == 1, .first = first, .n = n - first};
    out->n_regions += kind;
  }
}

bool wir_partition_make(const wir_program *p, wb_mem *mem, wir_partition *out) {
  uint32_t n = p->n_streams - p->n_inputs;
  partitioner k = {.p = p};
  *out = (wir_partition){.order = WB_NEW_ARRAY(mem, uint32_t, n), .steps = WB_NEW_ARRAY(mem, wir_step, n)};
  k.ready[0] = WB_NEW_ARRAY(mem, uint32_t, n);
  k.ready[1] = WB_NEW_ARRAY(mem, uint32_t, n);
  if (out->order == NULL || out->steps == NULL || k.ready[0] == NULL || k.ready[1] == NULL) return false;
  if (!wir_find_readers(p, mem, &k.readers)) return false;
  run(&k, out);
  return true;
}
