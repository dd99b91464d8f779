/* ir/program.c -- a program's life, and the steps that finish it. */
#include "ir/program.h"

#include "ir/bodies.h"

wir_program *wir_program_new(wb_door *door) {
  wir_program *p = wb_door_take(door, sizeof *p);
  if (p == NULL) return NULL;
  p->door = door;
  atomic_init(&p->refs, 1);
  atomic_init(&p->bodies, NULL);
  atomic_init(&p->kernels, NULL);
  atomic_init(&p->no_kernels, NULL);
  wb_mem_init(&p->mem, door, 0);
  wb_names_init(&p->names, &p->mem);
  if (!wir_types_init(&p->types, &p->names, &p->mem)) {
    wir_program_release(p);
    return NULL;
  }
  return p;
}

wir_program *wir_program_retain(wir_program *p) {
  atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
  return p;
}

void wir_program_release(wir_program *p) {
  if (p == NULL || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1) return;
  wir_kept *kernels = atomic_load_explicit(&p->kernels, memory_order_relaxed);
  if (kernels != NULL) kernels->end(kernels);
  wir_bodies_free(atomic_load_explicit(&p->bodies, memory_order_relaxed));
  wb_mem_drop(&p->mem);
  wb_door_give(p->door, p, sizeof *p);
}

/* The words for types, made once, so that reading them needs no memory.  They are cut: a type that names its parts over and over can be
** exponentially longer than its specification. */
enum { TYPE_TEXT = 1000 };

static weir_code write_types(wir_program *p, weir_error *e) {
  for (uint32_t i = 0; i < p->n_streams; i++) {
    wb_bytes text = {0};
    if (!wir_type_print(&p->types, p->streams[i].type, TYPE_TEXT, &p->mem, &text) || !WB_PUSH(&p->mem, &text, '\0')) return wb_fail_memory(e);
    p->streams[i].type_text = text.at;
  }
  return WEIR_OK;
}

static weir_code index_names(wir_program *p, weir_error *e) {
  p->n_by_name = p->names.texts.n;
  p->by_name = WB_NEW_ARRAY(&p->mem, uint32_t, p->n_by_name);
  if (p->by_name == NULL) return wb_fail_memory(e);
  for (size_t i = 0; i < p->n_by_name; i++) p->by_name[i] = UINT32_MAX;
  for (uint32_t i = 0; i < p->n_streams; i++) p->by_name[p->streams[i].name] = i;
  return WEIR_OK;
}

uint32_t wir_find_stream(const wir_program *p, wb_str name) {
  uint32_t id = wb_names_find(&p->names, name);
  return id == WB_NO_NAME || id >= p->n_by_name ? UINT32_MAX : p->by_name[id];
}

/* Outputs are in order of their streams. */
uint32_t wir_find_output(const wir_program *p, uint32_t stream) {
  uint32_t low = 0, high = p->n_outputs;
  while (low < high) {
    uint32_t mid = low + (high - low) / 2;
    if (p->outputs[mid] < stream) low = mid + 1;
    else high = mid;
  }
  return low < p->n_outputs && p->outputs[low] == stream ? low : UINT32_MAX;
}

weir_code wir_program_finish(wir_program *p, uint64_t max_state_bytes, wb_mem *scratch, weir_error *e) {
  WB_TRY(wir_collect_reads(p, scratch, e));
  WB_TRY(wir_schedule(p, scratch, e));
  if (wir_find_presence(p, scratch) != WEIR_OK) return wb_fail_memory(e);
  WB_TRY(wir_state_describe(p, max_state_bytes, scratch, e));
  WB_TRY(index_names(p, e));
  return write_types(p, e);
}
