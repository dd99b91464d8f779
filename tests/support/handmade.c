/* tests/support/handmade.c -- programs made without a frontend. */
#include "tests/support/handmade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tests cannot go on without their subject. */
static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "handmade: %s\n", what);
  abort();
}

static void open_program(hand *h, uint32_t n_streams) {
  *h = (hand){.m = NULL};
  wb_door_open(&h->door, NULL, 0);
  wb_mem_init(&h->scratch, &h->door, 0);
  h->p = wir_program_new(&h->door);
  must(h->p != NULL, "no program");
  h->p->streams = WB_NEW_ARRAY(&h->p->mem, wir_stream, n_streams);
  h->p->outputs = WB_NEW_ARRAY(&h->p->mem, uint32_t, n_streams);
  must(h->p->streams != NULL && h->p->outputs != NULL, "no streams");
}

static void add_stream(hand *h, weir_role role, const char *name, wir_type type) {
  wir_program *p = h->p;
  uint32_t i = p->n_streams++;
  p->streams[i] = (wir_stream){.name = wb_intern(&p->names, (wb_str){name, strlen(name)}), .role = role, .type = type,
                               .order = UINT32_MAX, .held = WIR_NO_STATE, .history = WIR_NO_STATE, .output = WIR_NO_STATE};
  if (role == WEIR_IN) p->n_inputs++;
  if (role == WEIR_OUT) p->outputs[p->n_outputs++] = i;
}

static wir_type type_of(const char *word) {
  static const struct { const char *word; wir_type_kind kind; } types[] = {
    {"Int", WIR_TYPE_INT}, {"Float", WIR_TYPE_FLOAT}, {"Bool", WIR_TYPE_BOOL},
    {"Str", WIR_TYPE_STR}, {"Unit", WIR_TYPE_UNIT},   {"Any", WIR_TYPE_ANY},
  };
  for (size_t i = 0; i < WB_LEN(types); i++)
    if (strcmp(word, types[i].word) == 0) return (wir_type){types[i].kind};
  must(false, word);
  return WIR_NONE;
}

static weir_role role_of(const char *word) {
  if (strcmp(word, "in") == 0) return WEIR_IN;
  must(strcmp(word, "out") == 0 || strcmp(word, "aux") == 0, word);
  return word[0] == 'o' ? WEIR_OUT : WEIR_AUX;
}

void hand_open(hand *h, const char *streams) {
  open_program(h, (uint32_t)strlen(streams));
  for (int used = 0; *streams != '\0'; streams += used) {
    char role[8], name[64], type[16];
    must(sscanf(streams, " %7s %63s %15[A-Za-z] %n", role, name, type, &used) == 3, streams);
    add_stream(h, role_of(role), name, type_of(type));
    if (streams[used] == ',') used++;
  }
}

void hand_open_many(hand *h, uint32_t n_inputs, uint32_t n_computed, wir_type type) {
  open_program(h, n_inputs + n_computed);
  for (uint32_t i = 0; i < n_inputs + n_computed; i++) {
    char name[16];
    snprintf(name, sizeof name, "s%u", i);
    add_stream(h, i < n_inputs ? WEIR_IN : WEIR_OUT, name, type);
  }
}

void hand_close(hand *h) {
  wrt_monitor_free(h->m);
  wir_program_release(h->p);
  wb_mem_drop(&h->scratch);
  must(h->door.used == 0, "memory was not given back");
}

uint32_t hand_stream(const hand *h, const char *name) {
  for (uint32_t i = 0; i < h->p->n_streams; i++)
    if (wb_str_eq(wir_stream_name(h->p, i), (wb_str){name, strlen(name)})) return i;
  must(false, name);
  return 0;
}

void hand_begin_at(hand *h, uint32_t stream) { wir_build_begin(&h->b, h->p, &h->scratch, stream); }
void hand_begin(hand *h, const char *name) { hand_begin_at(h, hand_stream(h, name)); }
void hand_end(hand *h, wir_ref result) { must(wir_build_end(&h->b, result) == WEIR_OK, "no graph"); }

wir_ref hand_var(hand *h, const char *name) { return wir_build_var(&h->b, hand_stream(h, name), HAND_AT); }
wir_ref hand_int(hand *h, int64_t i) { return wir_build_const(&h->b, (weir_value){.tag = WEIR_INT, .as.i = i}, WIR_INT, HAND_AT); }

wir_ref hand_text(hand *h, const char *text) {
  size_t n = strlen(text);
  wir_obj *o = wb_alloc(&h->p->mem, 1, sizeof *o + n, 16);
  must(o != NULL, "no text");
  *o = (wir_obj){.refs = WIR_SHARED, .tag = WEIR_TEXT, .count = (uint32_t)n};
  memcpy(o + 1, text, n);
  return wir_build_const(&h->b, wir_obj_value(o), WIR_STR, HAND_AT);
}

wir_ref hand_ago(hand *h, const char *name, uint64_t offset) { return wir_build_delay_var(&h->b, hand_stream(h, name), offset, HAND_AT); }

wir_ref hand_apply(hand *h, wir_op op, wir_ref x, wir_ref y) {
  return wir_build_apply(&h->b, op, x, y, wir_ops[op].result == WIR_RESULT_BOOL ? WIR_BOOL : h->b.nodes.at[x.i].type, HAND_AT);
}

weir_code hand_finish(hand *h, uint64_t limit) { return wir_program_finish(h->p, limit, &h->scratch, &h->e); }

void hand_start_with(hand *h, size_t max_memory) {
  must(hand_finish(h, HAND_LIMIT) == WEIR_OK, h->e.text);
  wrt_options options = {.max_memory = max_memory, .max_depth = 1000};
  must(wrt_monitor_new(&h->door, h->p, &options, &h->m, &h->e) == WEIR_OK, h->e.text);
}

void hand_start(hand *h) { hand_start_with(h, 0); }

weir_code hand_push(hand *h, const weir_value *row) { return wrt_push(h->m, row, h->p->n_inputs, &h->e); }

weir_value hand_out(const hand *h, const char *name) {
  for (uint32_t i = 0; i < h->p->n_outputs; i++)
    if (h->p->outputs[i] == hand_stream(h, name)) return h->m->outputs[i];
  must(false, name);
  return (weir_value){.tag = WEIR_NOVAL};
}
