/* ir/region.c -- list scheduling with two queues: all scalar streams that are ready, then all others that are, and so on.  Each change of
** queue is forced by a dependency, so regions are as long as a greedy choice makes them. */
#include "ir/region.h"

#include <string.h>

#include "ir/base/error.h"
#include "ir/explain.h"
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

/* ---- Why a stream is none of a region ---- */

static bool is_scalar_type(wir_type t) { return wir_type_eq(t, WIR_INT) || wir_type_eq(t, WIR_FLOAT) || wir_type_eq(t, WIR_BOOL); }

/* A stream that this one reads and that is no scalar; else the stream itself. */
static uint32_t stream_to_blame(const wir_program *p, uint32_t stream) {
  const wir_stream *s = &p->streams[stream];
  for (uint32_t i = 0; i < s->n_reads; i++)
    if (!is_scalar_type(p->streams[s->reads[i].stream].type)) return s->reads[i].stream;
  return stream;
}

/* The first part of the equation of a scalar stream that is no scalar. */
static const wir_node *part_to_blame(const wir_stream *s) {
  for (uint32_t i = 0; i < s->graph.n_nodes; i++)
    if (!is_scalar_type(s->graph.nodes[i].type)) return &s->graph.nodes[i];
  return NULL;
}

/* "Str"; of a type with parts only what it is. */
static const char *type_word(const wir_program *p, wir_type t) {
  static const char *const words[WIR_TYPE_KINDS] = {
    [WIR_TYPE_NONE] = "another type", [WIR_TYPE_ANY] = "Any", [WIR_TYPE_UNKNOWN] = "Any", [WIR_TYPE_INT] = "Int",
    [WIR_TYPE_FLOAT] = "Float",       [WIR_TYPE_BOOL] = "Bool", [WIR_TYPE_STR] = "Str",   [WIR_TYPE_UNIT] = "Unit",
    [WIR_TYPE_LIST] = "List",         [WIR_TYPE_MAP] = "Map",   [WIR_TYPE_TUPLE] = "Tuple", [WIR_TYPE_STRUCT] = "Struct",
    [WIR_TYPE_FUN] = "a function type", [WIR_TYPE_EXPR] = "Str",
  };
  return words[wir_type_kind_of(&p->types, t)];
}

size_t wir_why_not_scalar(const wir_program *p, uint32_t stream, char *text, size_t size) {
  if (size != 0) text[0] = '\0';
  if (stream < p->n_inputs || wir_is_scalar(p, stream)) return 0;
  const wir_stream *blamed = &p->streams[stream_to_blame(p, stream)];
  wb_str name = wb_name(&p->names, blamed->name);
  weir_error e; /* for its printing, which knows no locale */
  if (wir_type_kind_of(&p->types, blamed->type) == WIR_TYPE_ANY)
    wb_fail(&e, WEIR_E_KIND, WB_NOWHERE, "%.*s is Any: write `%s %.*s: Int` (or Float, Bool)", (int)WB_MIN(name.n, 60), name.at,
            wir_role_text(blamed->role), (int)WB_MIN(name.n, 60), name.at);
  else if (is_scalar_type(blamed->type)) {
    const wir_node *part = part_to_blame(blamed);
    wb_fail(&e, WEIR_E_KIND, WB_NOWHERE, "in the equation of %.*s stands a value of type %s: only Int, Float and Bool are quickened",
            (int)WB_MIN(name.n, 60), name.at, type_word(p, part == NULL ? WIR_NONE : part->type));
  } else
    wb_fail(&e, WEIR_E_KIND, WB_NOWHERE, "%.*s is %.60s: only Int, Float and Bool are quickened", (int)WB_MIN(name.n, 60), name.at,
            blamed->type_text);
  size_t n = wb_utf8_cut((wb_str){e.text, strlen(e.text)}, size == 0 ? 0 : size - 1);
  if (size == 0) return n;
  memcpy(text, e.text, n);
  text[n] = '\0';
  return n;
}
