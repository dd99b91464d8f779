/* ir/schedule.c -- who reads whom, and the order of evaluation.
**
** The canonical order: dependencies first, ties by declaration (Kahn's algorithm, "Topological sorting of large networks", 1962, with a
** heap of the streams that are ready).  Only immediate reads order streams; delayed ones see earlier ticks. */
#include <string.h>

#include "ir/schedule.h"

typedef struct collector {
  wir_program *p;
  WB_VEC(wir_read) reads; /* of the stream at hand */
  uint32_t *place;        /* by stream read: where in `reads`, if stamp says so */
  uint32_t *stamp;        /* by stream read: reader + 1 */
} collector;

static wir_read *find_read(collector *c, wb_mem *scratch, uint32_t reader, uint32_t stream) {
  if (c->stamp[stream] != reader + 1) {
    if (!WB_PUSH(scratch, &c->reads, (wir_read){.stream = stream})) return NULL;
    c->stamp[stream] = reader + 1;
    c->place[stream] = (uint32_t)c->reads.n - 1;
  }
  return &c->reads.at[c->place[stream]];
}

static void note_delay(wir_stream *read, const wir_node *n) {
  uint64_t *deepest = n->kind == WIR_DELAY_VAR ? &read->delay_var : &read->delay_self;
  if (n->as.offset <= *deepest) return;
  *deepest = n->as.offset;
  *(n->kind == WIR_DELAY_VAR ? &read->delay_var_span : &read->delay_self_span) = n->span;
}

static bool collect_node(collector *c, wb_mem *scratch, uint32_t reader, const wir_node *n) {
  bool is_delay = n->kind == WIR_DELAY_VAR || n->kind == WIR_DELAY_SELF;
  if (!is_delay && n->kind != WIR_VAR && n->kind != WIR_HELD) return true;
  wir_read *r = find_read(c, scratch, reader, n->stream);
  if (r == NULL) return false;
  if (is_delay) {
    note_delay(&c->p->streams[n->stream], n);
    if (n->as.offset > r->deepest) r->deepest = n->as.offset;
    if (!r->is_immediate) r->span = n->span;
  } else if (!r->is_immediate) {
    r->is_immediate = true;
    r->span = n->span;
  }
  return true;
}

weir_code wir_collect_reads(wir_program *p, wb_mem *scratch, weir_error *e) {
  collector c = {.p = p};
  c.place = WB_NEW_ARRAY(scratch, uint32_t, p->n_streams);
  c.stamp = WB_NEW_ARRAY(scratch, uint32_t, p->n_streams);
  if (c.place == NULL || c.stamp == NULL) return wb_fail_memory(e);
  for (uint32_t i = p->n_inputs; i < p->n_streams; i++) {
    wir_stream *s = &p->streams[i];
    c.reads.n = 0;
    for (uint32_t k = 0; k < s->graph.n_nodes; k++)
      if (!collect_node(&c, scratch, i, &s->graph.nodes[k])) return wb_fail_memory(e);
    s->reads = WB_NEW_ARRAY(&p->mem, wir_read, c.reads.n);
    if (s->reads == NULL) return wb_fail_memory(e);
    if (c.reads.n != 0) memcpy(s->reads, c.reads.at, c.reads.n * sizeof(wir_read));
    s->n_reads = (uint32_t)c.reads.n;
    p->max_nodes = WB_MAX(p->max_nodes, s->graph.n_nodes);
  }
  return WEIR_OK;
}

/* A heap of numbers, the least on top. */
typedef struct heap { uint32_t *at; uint32_t n; } heap;

static void heap_push(heap *h, uint32_t x) {
  uint32_t i = h->n++;
  for (; i != 0 && h->at[(i - 1) / 2] > x; i = (i - 1) / 2) h->at[i] = h->at[(i - 1) / 2];
  h->at[i] = x;
}

static uint32_t heap_pop(heap *h) {
  uint32_t top = h->at[0], x = h->at[--h->n], i = 0;
  for (;;) {
    uint32_t child = 2 * i + 1;
    if (child >= h->n) break;
    if (child + 1 < h->n && h->at[child + 1] < h->at[child]) child++;
    if (h->at[child] >= x) break;
    h->at[i] = h->at[child];
    i = child;
  }
  h->at[i] = x;
  return top;
}

static bool is_edge(const wir_program *p, const wir_read *r) { return r->is_immediate && r->stream >= p->n_inputs; }

bool wir_find_readers(const wir_program *p, wb_mem *mem, wir_readers *out) {
  size_t n_edges = 0;
  out->from = WB_NEW_ARRAY(mem, uint32_t, (size_t)p->n_streams + 2);
  out->waits = WB_NEW_ARRAY(mem, uint32_t, p->n_streams);
  if (out->from == NULL || out->waits == NULL) return false;
  for (uint32_t i = p->n_inputs; i < p->n_streams; i++)
    for (uint32_t k = 0; k < p->streams[i].n_reads; k++)
      if (is_edge(p, &p->streams[i].reads[k])) out->from[p->streams[i].reads[k].stream + 2]++, out->waits[i]++, n_edges++;
  for (uint32_t i = 2; i < p->n_streams + 2; i++) out->from[i] += out->from[i - 1];
  out->to = WB_NEW_ARRAY(mem, uint32_t, n_edges);
  if (out->to == NULL) return false;
  for (uint32_t i = p->n_inputs; i < p->n_streams; i++)
    for (uint32_t k = 0; k < p->streams[i].n_reads; k++)
      if (is_edge(p, &p->streams[i].reads[k])) out->to[out->from[p->streams[i].reads[k].stream + 1]++] = i;
  return true;
}

/* The first immediate read of `i` that leads to a stream without a place in the order: one lies on every cycle or before it. */
static const wir_read *blocked_read(const wir_program *p, uint32_t i) {
  for (uint32_t k = 0; k < p->streams[i].n_reads; k++) {
    const wir_read *r = &p->streams[i].reads[k];
    if (is_edge(p, r) && p->streams[r->stream].order == UINT32_MAX) return r;
  }
  return NULL;
}

static size_t add_text(char *to, size_t n, wb_str text) {
  memcpy(to + n, text.at, text.n);
  return n + text.n;
}

/* A name in the path of a cycle; names are ASCII and may be cut anywhere. */
enum { PATH_NAME = 40 };
static size_t add_name(char *to, size_t n, wb_str name) {
  if (name.n <= PATH_NAME) return add_text(to, n, name);
  return add_text(to, add_text(to, n, (wb_str){name.at, PATH_NAME - 3}), WB_STR("..."));
}

/* Walks back along blocked reads: after as many steps as there are streams we stand on a cycle. */
static weir_code report_cycle(const wir_program *p, weir_error *e) {
  uint32_t at = p->n_inputs;
  while (p->streams[at].order != UINT32_MAX) at++;
  for (uint32_t i = 0; i < p->n_streams; i++) at = blocked_read(p, at)->stream;
  uint32_t first = at; /* begin at the stream that is declared first */
  for (uint32_t i = blocked_read(p, at)->stream; i != at; i = blocked_read(p, i)->stream) first = WB_MIN(first, i);
  char path[3 * (PATH_NAME + 8) + 16]; /* room for three names whatever their length, and for what is between them */
  size_t n = add_name(path, 0, wir_stream_name(p, first));
  uint32_t i = blocked_read(p, first)->stream;
  for (; i != first && n + 2 * (PATH_NAME + 8) <= sizeof path; i = blocked_read(p, i)->stream)
    n = add_name(path, add_text(path, n, WB_STR(" -> ")), wir_stream_name(p, i));
  if (i != first) n = add_text(path, n, WB_STR(" -> ..."));
  n = add_name(path, add_text(path, n, WB_STR(" -> ")), wir_stream_name(p, first));
  return wb_fail(e, WEIR_E_CYCLE, blocked_read(p, first)->span, "dependency cycle without a delay: %.*s", (int)n, path);
}

weir_code wir_schedule(wir_program *p, wb_mem *scratch, weir_error *e) {
  wir_readers r;
  uint32_t n_computed = p->n_streams - p->n_inputs, n = 0;
  heap ready = {.at = WB_NEW_ARRAY(scratch, uint32_t, (size_t)n_computed + 1)};
  p->order = WB_NEW_ARRAY(&p->mem, uint32_t, n_computed);
  if (ready.at == NULL || p->order == NULL || !wir_find_readers(p, scratch, &r)) return wb_fail_memory(e);
  for (uint32_t i = 0; i < p->n_streams; i++) p->streams[i].order = UINT32_MAX;
  for (uint32_t i = p->n_inputs; i < p->n_streams; i++)
    if (r.waits[i] == 0) heap_push(&ready, i);
  while (ready.n != 0) {
    uint32_t i = heap_pop(&ready);
    p->streams[i].order = n;
    p->order[n++] = i;
    for (uint32_t k = r.from[i]; k < r.from[i + 1]; k++)
      if (--r.waits[r.to[k]] == 0) heap_push(&ready, r.to[k]);
  }
  return n == n_computed ? WEIR_OK : report_cycle(p, e);
}
