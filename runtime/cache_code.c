/* runtime/cache_code.c -- the key of a plan, and code as bytes.
**
** What code depends on: the bodies and the layout of state and rows; what the runtime asks for in the plan; the frame; the compiler, which is the
** module as it was linked; our own build; the processor.  Each of them goes into the digest, with lengths where there are lists.  Places in the
** source text and names are no part of it: they do not reach the code.
** Leave alone: the folder (cache_disk.c). */
#include "runtime/cache_code.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* ---- The processor ---- */

#if defined(__x86_64__)

/* What LLVM looks at when it names a processor and its features (its Host.cpp): model, features, and the registers that the system saves.  Left
** out is what differs between cores (the number of the one that answers), and features that no kernel can use (XSAVE, PTWRITE, key locker,
** CLZERO): under a hypervisor each answer may take microseconds.  Every processor of this kind has leaf 0x80000001. */
static const struct { uint32_t leaf, sub; uint32_t mask[4]; } asked[] = {
  {1, 0, {~0u, 0xffffu, ~0u, ~0u}}, {7, 0, {~0u, ~0u, ~0u, ~0u}}, {7, 1, {~0u, ~0u, ~0u, ~0u}},
  {0x24, 0, {~0u, ~0u, 0, 0}},      {0x80000001u, 0, {~0u, ~0u, ~0u, ~0u}}};

static bool add_processor(wb_digester *d) {
  uint32_t got[4], saved[2] = {0, 0};
  __cpuid_count(0, 0, got[0], got[1], got[2], got[3]);
  wb_digest_add(d, got, sizeof got);
  for (size_t i = 0, most = got[0]; i < WB_LEN(asked); i++) {
    if (asked[i].leaf > most && asked[i].leaf < 0x80000000u) continue;
    __cpuid_count(asked[i].leaf, asked[i].sub, got[0], got[1], got[2], got[3]);
    for (size_t k = 0; k < WB_LEN(got); k++) got[k] &= asked[i].mask[k];
    wb_digest_add(d, got, sizeof got);
    if (asked[i].leaf == 1 && (got[2] & bit_OSXSAVE) != 0) __asm__("xgetbv" : "=a"(saved[0]), "=d"(saved[1]) : "c"(0));
  }
  wb_digest_add(d, saved, sizeof saved);
  return true;
}

#else

static bool add_processor(wb_digester *d) {
  (void)d;
  return false;
}

#endif

/* ---- The plan ---- */

static void add_number(wb_digester *d, uint64_t v) { wb_digest_add(d, &v, sizeof v); }

static void add_text(wb_digester *d, const char *text) {
  size_t n = text == NULL ? 0 : strlen(text);
  add_number(d, text == NULL ? UINT64_MAX : n);
  wb_digest_add(d, text, n);
}

static void add_id(wb_digester *d, const wb_build *id) {
  add_number(d, id->n);
  wb_digest_add(d, id->at, id->n);
}

/* Our side of what code and runtime agree on. */
static void add_build(wb_digester *d, const wb_build *library) {
#define X(...) #__VA_ARGS__ ";"
  static const char frame[] = WRT_FRAME_FIELDS(X) "|" WRT_KERNEL_HELPERS(X);
#undef X
  add_text(d, weir_version());
  add_id(d, library);
  add_number(d, wrt_tier_headers);
  wb_digest_add(d, frame, sizeof frame);
}

static void add_body(wb_digester *d, const wir_body *b) {
  _Static_assert(sizeof(wir_ins) == 48 && sizeof(wir_body) == 24, "a new field belongs in the key, unless no code depends on it");
  add_number(d, b->n_ins);
  add_number(d, b->effects);
  add_number(d, b->is_whole);
  for (uint32_t i = 0; i < b->n_ins; i++) {
    const wir_ins *in = &b->ins[i];
    const struct { uint8_t small[5], none[3]; uint32_t args[3], state, stream, none_either; uint64_t imm; } of = {
      .small = {in->op, in->kind, in->may, in->is_guarded, in->cannot_fail},
      .args = {in->args[0].i, in->args[1].i, in->args[2].i}, .state = in->state, .stream = in->stream, .imm = WB_PLANTED(85) ? 0 : in->imm.offset};
    _Static_assert(sizeof of == 40, "no padding, whose bytes are anything");
    wb_digest_add(d, &of, sizeof of);
  }
}

static void add_bodies(wb_digester *d, const wir_program *p, const wir_bodies *b) {
  uint32_t n_regions = b->is_whole ? 0 : b->plan.n_regions;
  add_number(d, b->is_whole);
  add_number(d, n_regions);
  for (uint32_t i = 0; i < n_regions; i++) {
    add_body(d, &b->of_region[i]);
    add_body(d, &b->sparse_of_region[i]);
  }
  for (size_t i = 0; b->is_whole && i < WIR_BODY_FITS; i++) add_body(d, &b->of_fit[i]);
  wb_digest_add(d, b->assumed, p->n_states);
}

static void add_streams(wb_digester *d, const wir_program *p) {
  const uint64_t counts[] = {p->n_streams, p->n_inputs, p->n_outputs, p->n_states, p->layout.bytes, p->layout.cells};
  wb_digest_add(d, counts, sizeof counts);
  for (uint32_t i = 0; i < p->n_streams; i++) {
    const wir_stream *s = &p->streams[i];
    const uint32_t of[] = {(uint32_t)wir_type_kind_of(&p->types, s->type), s->presence, s->copy_of, s->held, s->history, s->output};
    wb_digest_add(d, of, sizeof of);
  }
  wb_digest_add(d, p->outputs, p->n_outputs * sizeof *p->outputs);
}

static void add_states(wb_digester *d, const wir_program *p) {
  _Static_assert(sizeof(wir_state) == 64, "a new field belongs in the key, unless no code depends on it");
  for (uint32_t i = 0; i < p->n_states; i++) {
    const wir_state *s = &p->states[i];
    const uint64_t of[] = {s->kind, s->cell, s->stream, s->capacity, s->offset, s->presence, s->ring, s->pending};
    wb_digest_add(d, of, sizeof of);
  }
}

bool wrt_cache_key(const wrt_plan *plan, const wb_build *library, const wb_build *module, wb_digest *out) {
  _Static_assert(sizeof(wrt_plan) == 104, "a new field belongs in the key");
  wb_digester d;
  wb_digest_begin(&d);
  add_build(&d, library);
  add_id(&d, module);
  if (!add_processor(&d)) return false;
  add_text(&d, plan->cpu);
  add_text(&d, plan->features);
  for (size_t i = 0; i < WIR_BODY_FITS; i++) {
    add_text(&d, plan->names[i]);
    add_text(&d, plan->batches[i]);
  }
  for (uint32_t i = 0; plan->regions != NULL && i <= plan->bodies->plan.n_regions; i++) add_text(&d, plan->regions[i]);
  add_number(&d, plan->leave_every);
  add_number(&d, plan->most_general);
  add_streams(&d, plan->program);
  add_states(&d, plan->program);
  if (plan->shifted != NULL && !WB_PLANTED(86)) wb_digest_add(&d, plan->shifted, plan->program->n_states);
  add_bodies(&d, plan->program, plan->bodies);
  *out = wb_digest_end(&d);
  return true;
}

/* ---- Code as bytes ---- */

/* Stands before the object. */
typedef struct head {
  struct { uint32_t entry, rows; uint64_t scratch; } batches[WIR_BODY_FITS]; /* entry: the fit whose name it has; NONE: it is not there */
} head;

enum { NONE = UINT32_MAX };

static uint32_t entry_of(const wrt_plan *plan, const char *name) {
  uint32_t fit = 0;
  while (fit < WIR_BODY_FITS && plan->batches[fit] != name) fit++;
  return fit;
}

static head head_of(const wrt_plan *plan, const wrt_compiled *code) {
  head h;
  memset(&h, 0, sizeof h);
  for (size_t i = 0; i < WIR_BODY_FITS; i++) {
    const wrt_batch_code *b = &code->batches[i];
    h.batches[i].entry = b->why != NULL ? (uint32_t)NONE : entry_of(plan, b->name);
    if (b->why != NULL) continue;
    h.batches[i].rows = b->rows;
    h.batches[i].scratch = b->scratch;
  }
  return h;
}

/* False: the bytes were not made of this plan. */
static bool read_code(const wrt_plan *plan, wb_str bytes, wrt_compiled *out) {
  head h;
  if (bytes.n < sizeof h) return false;
  memcpy(&h, bytes.at, sizeof h);
  *out = (wrt_compiled){.bytes = bytes.at + sizeof h, .n = bytes.n - sizeof h};
  for (size_t i = 0; i < WIR_BODY_FITS; i++) {
    uint32_t entry = h.batches[i].entry;
    if (entry == NONE) {
      out->batches[i].why = "the code in the cache has none";
      continue;
    }
    if (entry >= WIR_BODY_FITS) return false;
    out->batches[i] = (wrt_batch_code){.name = plan->batches[entry], .rows = h.batches[i].rows, .scratch = h.batches[i].scratch};
  }
  return true;
}

/* ---- The cache ---- */

bool wrt_cache_code_find(wrt_cache_code *c, wrt_native_port *port, const wrt_plan *plan, wrt_compiled *out) {
  static const char here = 0;
  wb_build library;
  wb_str bytes;
  *c = (wrt_cache_code){.has_key = false};
  wb_mem_init(&c->mem, plan->program->door, 0);
  if (WB_PLANTED(119)) port->cache.fail_errno = 0; /* what all threads of the engine use */
  if (port->cache.folder == NULL || !wrt_tier_build(port, &c->module)) return false;
  (void)wb_build_of_loaded(&here, &library);
  c->has_key = wrt_cache_key(plan, &library, &c->module, &c->key);
  return c->has_key && wrt_cache_find(&port->cache, &c->key, &c->mem, &bytes) && read_code(plan, bytes, out);
}

weir_cache_state wrt_cache_code_keep(wrt_cache_code *c, wrt_native_port *port, const wrt_plan *plan, const wrt_compiled *code, weir_error *e) {
  wb_build now;
  if (port->cache.folder == NULL) return WEIR_CACHE_UNASKED;
  /* The module that has been opened since may be another one than the file that was looked at. */
  if (!c->has_key || !wrt_tier_build(port, &now) || now.n != c->module.n || memcmp(now.at, c->module.at, now.n) != 0) {
    (void)wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "the module weir_native.so does not tell which build it is, or it was replaced");
    return WEIR_CACHE_FAILED;
  }
  head h = head_of(plan, code);
  const wb_str parts[] = {{(const char *)&h, sizeof h}, {code->bytes, code->n}};
  return wrt_cache_keep(&port->cache, &c->key, plan->program->door, parts, WB_LEN(parts), e);
}

void wrt_cache_code_end(wrt_cache_code *c) { wb_mem_drop(&c->mem); }
