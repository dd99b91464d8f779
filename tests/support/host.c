/* tests/support/host.c -- a host of the public API. */
#include "tests/support/host.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "host: %s\n", what);
  abort();
}

static void remember_first(host *h, const weir_diagnostics *said) {
  if (weir_diagnostics_count(said) == 0) return;
  weir_diagnostic first = weir_diagnostics_at(said, 0);
  snprintf(h->said, sizeof h->said, "%s", first.text);
  h->span = first.span;
}

bool host_try(host *h, const char *text, size_t length, const weir_compile_options *limits) {
  weir_diagnostics *said = NULL;
  *h = (host){.engine = NULL};
  must(weir_engine_new(NULL, &h->engine, NULL) == WEIR_OK, "no engine");
  h->code = weir_compile(h->engine, text, length, limits, &h->program, &said);
  remember_first(h, said);
  weir_diagnostics_free(said);
  if (h->code != WEIR_OK) return false;
  weir_options canonical = {.size = sizeof canonical, .tier = WEIR_TIER_CANONICAL};
  h->code = weir_monitor_new(h->engine, h->program, NULL, &h->monitor, &h->e);
  if (h->code == WEIR_OK) h->code = weir_monitor_new(h->engine, h->program, &canonical, &h->canonical, &h->e);
  return h->code == WEIR_OK;
}

void host_open(host *h, const char *text) {
  bool ok = host_try(h, text, strlen(text), NULL);
  must(ok, h->said);
}

void host_close(host *h) {
  weir_monitor_free(h->monitor);
  weir_monitor_free(h->canonical);
  weir_program_release(h->program);
  weir_engine_free(h->engine);
  *h = (host){.engine = NULL};
}

static bool is_same_error(const weir_error *a, const weir_error *b) {
  return a->row == b->row && a->span.begin == b->span.begin && a->span.end == b->span.end && a->input == b->input && strcmp(a->text, b->text) == 0;
}

weir_code host_push(host *h, const weir_value *row) {
  size_t n = weir_program_input_count(h->program);
  bool is_beside = weir_monitor_ticks(h->canonical) == weir_monitor_ticks(h->monitor);
  weir_code rc = weir_monitor_push(h->monitor, row, n, &h->e);
  if (!is_beside) return rc;
  weir_error e;
  must(weir_monitor_push(h->canonical, row, n, &e) == rc && (rc == WEIR_OK || is_same_error(&h->e, &e)), "the canonical tier ends otherwise");
  for (uint32_t i = 0; i < weir_program_output_count(h->program); i++)
    must(host_same(*weir_monitor_output(h->monitor, i), *weir_monitor_output(h->canonical, i)), "the canonical tier has another output");
  return rc;
}

const weir_value *host_out(const host *h, const char *name) {
  for (uint32_t i = 0; i < weir_program_output_count(h->program); i++)
    if (strcmp(weir_program_stream(h->program, weir_program_output_stream(h->program, i)).name, name) == 0)
      return weir_monitor_output(h->monitor, i);
  must(false, name);
  return NULL;
}

static bool same_parts(weir_value a, weir_value b) {
  if (a.count != b.count) return false;
  for (uint32_t i = 0; i < a.count; i++) {
    if (a.tag != WEIR_MAP && !host_same(a.as.items[i], b.as.items[i])) return false;
    if (a.tag == WEIR_MAP && !host_same(a.as.entries[i].key, b.as.entries[i].key)) return false;
    if (a.tag == WEIR_MAP && !host_same(a.as.entries[i].value, b.as.entries[i].value)) return false;
  }
  return true;
}

bool host_same(weir_value a, weir_value b) {
  if (a.tag != b.tag) return false;
  switch (a.tag) {
  case WEIR_BOOL: return a.as.b == b.as.b;
  case WEIR_INT: return a.as.i == b.as.i;
  case WEIR_FLOAT: return (isnan(a.as.f) && isnan(b.as.f)) || memcmp(&a.as.f, &b.as.f, sizeof a.as.f) == 0;
  case WEIR_TEXT: return a.count == b.count && (a.count == 0 || memcmp(a.as.text, b.as.text, a.count) == 0);
  case WEIR_LIST: case WEIR_TUPLE: case WEIR_MAP: return same_parts(a, b);
  default: return true;
  }
}

bool host_is(const host *h, const char *name, weir_value want) { return host_same(*host_out(h, name), want); }

typedef struct call { void (*fn)(void *); void *arg; } call;

static void *run(void *arg) {
  const call *c = arg;
  c->fn(c->arg);
  return NULL;
}

void host_on_small_stack(void (*fn)(void *), void *arg) {
  pthread_attr_t attributes;
  pthread_t thread;
  call c = {fn, arg};
  must(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 64 * 1024) == 0, "no small stack");
  must(pthread_create(&thread, &attributes, run, &c) == 0, "no thread");
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
}

static void *take(void *self, size_t size) {
  host_memory *m = self;
  m->calls++;
  if (m->fail_at != 0 && m->calls >= m->fail_at) return NULL;
  void *block = malloc(size);
  m->live += block != NULL;
  return block;
}

static void give(void *self, void *block) {
  host_memory *m = self;
  m->live--;
  free(block);
}

void host_memory_open(host_memory *m) { *m = (host_memory){.allocator = {take, give, m}}; }
