/* runtime/native_make.c -- from the bodies of a program to kernels that run in any of its monitors.
**
** A kernel depends on the program alone: it finds the monitor's memory in the frame (kernel.h).
** Leave alone: what a kernel does (jit/), how it gets into memory (object.c). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ir/base/clock.h"
#include "ir/tileable.h"
#include "runtime/cache_code.h"
#include "runtime/compile_cost.h"
#include "runtime/monitor.h"
#include "runtime/native.h"

static const char *const names[WIR_BODY_FITS] = {
  [WIR_BODY_GENERAL] = "general", [WIR_BODY_SPARSE] = "sparse", [WIR_BODY_WARM] = "warm"};

static const char *const batches[WIR_BODY_FITS] = {
  [WIR_BODY_GENERAL] = "batch_general", [WIR_BODY_SPARSE] = "batch_sparse", [WIR_BODY_WARM] = "batch_warm"};

/* In large schedules rows that come once or rarely, such as the first ones, stay with the quickened tier. */
enum { MOST_GENERAL = 1000 };

/* A state is warm if what the warm body assumes holds: the sparse one keeps that up if it assumes as much. */
static bool stays_warm(const wir_program *p, const wir_bodies *b) {
  for (uint32_t i = 0; i < p->n_states; i++)
    if (wir_is_assumed(b, i, WIR_BODY_WARM) && !wir_is_assumed(b, i, WIR_BODY_SPARSE)) return false;
  return true;
}

/* Does the sparse body look at an input only to take what it was before in its place?  Then it is the warm body on other inputs. */
static bool fills(const wir_program *p, const wir_body *b) {
  for (uint32_t i = 0; i < b->n_ins; i++) {
    const wir_ins *in = &b->ins[i];
    if (in->op == WIR_I_READ) continue;
    if (in->may != 0) return false;
    for (uint32_t k = 0; k < wir_insns[in->op].operands; k++) {
      const wir_ins *from = wir_ins_at(b, in->args[k]);
      if (from->op != WIR_I_READ || from->may == 0) continue;
      if (!wir_holds(in) || p->streams[from->stream].held == WIR_NO_STATE) return false;
    }
  }
  return true;
}

/* Only what both kernels that share the form take for values. */
static bool is_shifted(const wir_state *s, uint8_t assumed, bool fills) {
  uint8_t needed = (uint8_t)(1u << WIR_BODY_WARM | (fills ? 0u : 1u << WIR_BODY_SPARSE));
  return wir_state_is_ring(s) && s->capacity >= 2 && s->capacity <= WRT_MOST_SHIFTED && (assumed & needed) == needed;
}

static bool find_shifts(const wir_program *p, const wir_bodies *b, wrt_native *n) {
  n->shifted = WB_NEW_ARRAY(&n->mem, uint8_t, p->n_states);
  n->shifts = WB_NEW_ARRAY(&n->mem, uint32_t, p->n_states);
  if (n->shifted == NULL || n->shifts == NULL) return false;
  for (uint32_t i = 0; i < p->n_states; i++) {
    n->shifted[i] = is_shifted(&p->states[i], b->assumed[i], n->fills);
    if (n->shifted[i]) n->shifts[n->n_shifts++] = i;
  }
  return true;
}

static bool find_held(const wir_program *p, wrt_native *n) {
  n->held = WB_NEW_ARRAY(&n->mem, uint64_t, p->n_inputs);
  n->bools = WB_NEW_ARRAY(&n->mem, wrt_held_bool, p->n_inputs);
  if (n->held == NULL || n->bools == NULL) return false;
  for (uint32_t i = 0; i < p->n_inputs; i++) {
    uint64_t at = p->streams[i].held == WIR_NO_STATE ? UINT64_MAX : p->states[p->streams[i].held].offset;
    bool is_bool = wrt_kind_of(&p->types, p->streams[i].type) == WEIR_KIND_BOOL;
    n->held[i] = is_bool ? UINT64_MAX : at;
    if (is_bool) n->bools[n->n_bools++] = (wrt_held_bool){.at = at, .input = i};
  }
  return true;
}

/* LLVM takes some milliseconds for a function, however small, and code that is run once in a row comes from far away: of very many regions the small
** ones stay quickened, which gained less than a tenth.  So do those behind so many instructions, of which 10,000 take two seconds. */
enum { MANY_REGIONS = 200, LEAST_OF_MANY = 30, MOST_OF_ALL = 50000 };

static bool wants_kernel(const wir_bodies *b, uint32_t region, uint64_t *all) {
  uint32_t n = b->of_region[region].n_ins;
  if ((b->plan.n_regions > MANY_REGIONS && n < LEAST_OF_MANY) || *all + n > MOST_OF_ALL) return false;
  *all += n;
  return true;
}

/* A function as long as it has rings: beyond so many it would take more time than it saves. */
static bool wants_commit(const wir_program *p, wrt_native *n) {
  enum { MOST_RINGS = 500 };
  uint32_t n_scalars = 0;
  for (uint32_t i = 0; i < p->n_rings; i++) n_scalars += p->states[p->rings[i]].cell <= WIR_CELL_BOOL;
  n->has_other_rings = n_scalars != p->n_rings;
  return n_scalars != 0 && n_scalars <= MOST_RINGS;
}

/* As `weir explain --stage regions` numbers them. */
static bool make_regions(const wir_program *p, const wir_bodies *b, wrt_native *n) {
  n->n_regions = b->plan.n_regions + 1;
  n->regions = WB_NEW_ARRAY(&n->mem, wrt_region_fn *, n->n_regions);
  n->region_names = WB_NEW_ARRAY(&n->mem, wrt_region_name, n->n_regions);
  if (n->regions == NULL || n->region_names == NULL) return false;
  uint32_t region = 0;
  uint64_t all = 0;
  for (uint32_t i = 0; i < b->plan.n_steps; i++) {
    if (!b->plan.steps[i].is_region || !wants_kernel(b, region++, &all)) continue;
    snprintf(n->region_names[region - 1], sizeof *n->region_names, "region_%" PRIu32, region);
    n->n_streams += b->plan.steps[i].n;
  }
  if (wants_commit(p, n)) snprintf(n->region_names[n->n_regions - 1], sizeof *n->region_names, "commit");
  return true;
}

static void end(wir_kept *kept) {
  wrt_native *n = (wrt_native *)(void *)kept;
  wb_door *door = n->mem.door;
  wrt_object_unload(door, &n->object);
  wb_mem_drop(&n->mem);
  wb_door_give(door, n, sizeof *n);
}

/* What can be told from the bodies.  False: out of memory. */
static bool look(const wir_program *p, const wir_bodies *bodies, wrt_native *n) {
  if (!bodies->is_whole) return make_regions(p, bodies, n);
  n->n_streams = p->n_streams - p->n_inputs;
  n->stays_warm = stays_warm(p, bodies);
  n->fills = n->stays_warm && fills(p, &bodies->of_fit[WIR_BODY_SPARSE]);
  return find_held(p, n) && find_shifts(p, bodies, n);
}

/* Rows come once or rarely to the general bodies of regions, too: where all of them together are large, they are none of the kernels' business. */
static uint32_t most_general(const wrt_native_port *port, const wir_bodies *b) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < b->plan.n_regions; i++) all += b->of_region[i].n_ins;
  if (port->most_general != 0) return port->most_general;
  return all > 4 * MOST_GENERAL ? 0 : MOST_GENERAL;
}

/* What is to be compiled. */
static wrt_plan plan_of(const wrt_native_port *port, const wir_program *p, const wir_bodies *bodies, const wrt_native *n) {
  wrt_plan plan = {.program = p, .bodies = bodies, .regions = n->region_names, .shifted = n->shifted, .leave_every = port->leave_every,
                   .cpu = port->cpu, .features = port->features, .most_general = most_general(port, bodies)};
  if (!bodies->is_whole) return plan;
  for (uint32_t fit = 0; fit < WIR_BODY_FITS; fit++) {
    plan.names[fit] = names[fit];
    plan.batches[fit] = batches[fit];
  }
  if (n->fills) plan.names[WIR_BODY_SPARSE] = NULL;
  if (bodies->of_fit[WIR_BODY_GENERAL].n_ins > plan.most_general) plan.names[WIR_BODY_GENERAL] = NULL;
  return plan;
}

/* NULL: `n` and *plan are filled; else why there is nothing to compile. */
static const char *make_plan(const wrt_native_port *port, const wir_program *p, const wir_bodies *bodies, wrt_native *n, wrt_plan *plan) {
  if (!wrt_native_has(bodies)) return WRT_NOT_SCALAR;
  if (!look(p, bodies, n)) return WRT_NO_MEMORY;
  if (!bodies->is_whole && n->n_streams == 0) return "the regions are so many and so small that kernels would not be faster";
  *plan = plan_of(port, p, bodies, n);
  return NULL;
}

/* NULL: *out is filled, and *tier is to drop it; else why not. */
static const char *compile(wrt_native_port *port, const wrt_plan *plan, wrt_form form, const wrt_tier **tier, wrt_compiled *out) {
  if (wrt_compile_cost_of(plan->bodies).bytes > port->max_compile_memory) return "the program is too large to be compiled (max_compile_memory)";
  const char *why = wrt_tier_open(port, tier);
  return why != NULL ? why : (*tier)->compile(plan, form, out);
}

static size_t most_entries(const wrt_native *n) { return 2 * WIR_BODY_FITS + (size_t)n->n_regions; }

/* The regions' entries; or the rows' first, then those of the tiles that are there. */
static const char *load_entries(const wrt_native_port *port, const wir_program *p, wrt_native *n, const wrt_plan *plan, const wrt_compiled *code, wrt_entry *entries) {
  size_t count = 0;
  for (uint32_t i = 0; i < n->n_regions; i++)
    if (n->region_names[i][0] != '\0') entries[count++] = (wrt_entry){.name = n->region_names[i]};
  for (uint32_t fit = 0; fit < WIR_BODY_FITS; fit++)
    if (plan->names[fit] != NULL) entries[count++] = (wrt_entry){.name = plan->names[fit]};
  for (uint32_t fit = 0; fit < WIR_BODY_FITS; fit++) {
    n->batches[fit] = code->batches[fit];
    if (n->batches[fit].why == NULL) entries[count++] = (wrt_entry){.name = n->batches[fit].name};
  }
  const char *why = wrt_object_load(n->mem.door, code->bytes, code->n, entries, count, &n->object);
  if (why != NULL) return why;
  if (port->wants_perf_map) wrt_perf_map(entries, count, p->name);
  _Static_assert(sizeof n->kernels[0] == sizeof entries[0].at, "POSIX: a function's address fits a void *");
  for (uint32_t fit = WIR_BODY_FITS; fit-- > 0;)
    if (n->batches[fit].why == NULL) memcpy(&n->tiles[fit], &entries[--count].at, sizeof entries[0].at);
  for (uint32_t fit = WIR_BODY_FITS; fit-- > 0;)
    if (plan->names[fit] != NULL) memcpy(&n->kernels[fit], &entries[--count].at, sizeof entries[0].at);
  for (uint32_t i = n->n_regions; i-- > 0;)
    if (n->region_names[i][0] != '\0') memcpy(&n->regions[i], &entries[--count].at, sizeof entries[0].at);
  return NULL;
}

static const char *load(const wrt_native_port *port, const wir_program *p, wrt_native *n, const wrt_plan *plan, const wrt_compiled *code) {
  wb_door *door = n->mem.door;
  wrt_entry *entries = wb_door_take(door, most_entries(n) * sizeof *entries);
  const char *why = entries == NULL ? WRT_NO_MEMORY : load_entries(port, p, n, plan, code, entries);
  wb_door_give(door, entries, most_entries(n) * sizeof *entries);
  return why;
}

static const char *compile_and_load(wrt_native_port *port, const wrt_plan *plan, wrt_cache_code *cache, wrt_native *n) {
  const wrt_tier *tier;
  wrt_compiled code;
  const char *why = compile(port, plan, WRT_FORM_OBJECT, &tier, &code);
  if (why != NULL) return why;
  why = load(port, plan->program, n, plan, &code);
  if (why == NULL) n->cached = wrt_cache_code_keep(cache, port, plan, &code, &n->not_kept);
  tier->drop(&code);
  return why;
}

/* From the cache, or else by compiling, if that is wanted. */
static const char *find_or_compile(wrt_native_port *port, const wir_program *p, const wir_bodies *bodies, bool compiles, wrt_native *n) {
  wrt_cache_code cache;
  wrt_compiled code;
  wrt_plan plan;
  const char *why = make_plan(port, p, bodies, n, &plan);
  if (why != NULL) return why;
  if (wrt_cache_code_find(&cache, port, &plan, &code) && load(port, p, n, &plan, &code) == NULL) n->cached = WEIR_CACHE_FOUND;
  else why = compiles ? compile_and_load(port, &plan, &cache, n) : wrt_native_not_cached;
  n->key = cache.key;
  wrt_cache_code_end(&cache);
  return why;
}

static const char *make(wrt_native_port *port, wir_program *p, bool compiles, wrt_native **out) {
  const wir_bodies *bodies = wir_program_bodies(p);
  uint64_t begin = wb_now();
  if (!wrt_worker_is_here(&port->worker)) return WRT_IN_CHILD; /* LLVM's locks may be held for ever */
  wrt_native *n = bodies == NULL ? NULL : wb_door_take(p->door, sizeof *n);
  if (n == NULL) return WRT_NO_MEMORY;
  *n = (wrt_native){.kept = {end}, .n_inputs = p->n_inputs};
  wb_mem_init(&n->mem, p->door, 0);
  const char *why = find_or_compile(port, p, bodies, compiles, n);
  n->nanoseconds = wb_now() - begin;
  if (why != NULL) end(&n->kept);
  *out = n;
  return why;
}

const wrt_native *wrt_native_find(const wir_program *p) {
  const wir_kept *kept = atomic_load_explicit(&p->kernels, WB_PLANTED(84) ? memory_order_relaxed : memory_order_acquire);
  return (const wrt_native *)(const void *)kept;
}

static const char *get(wrt_native_port *port, wir_program *p, bool compiles, const wrt_native **out) {
  wrt_native *made;
  if ((*out = wrt_native_find(p)) != NULL) return NULL;
  const char *why = make(port, p, compiles, &made);
  if (why != NULL) return why;
  wir_kept *kept = NULL;
  if (!atomic_compare_exchange_strong_explicit(&p->kernels, &kept, &made->kept, memory_order_acq_rel, memory_order_acquire)) end(&made->kept);
  *out = wrt_native_find(p);
  return NULL;
}

const char *wrt_native_get(wrt_native_port *port, wir_program *p, const wrt_native **out) { return get(port, p, true, out); }

/* ---- Behind the scenes ---- */

const char wrt_native_pending[] = "they are being made", wrt_native_not_cached[] = "they are not in the cache";

bool wrt_native_may_pass(const char *why) { /* the module has the first text of its own */
  return why != NULL && (strcmp(why, WRT_NO_MEMORY) == 0 || strcmp(why, WRT_NO_THREAD) == 0);
}

typedef struct request {
  wrt_task task;
  wrt_native_port *port;
  wir_program *program; /* counted */
  bool compiles;        /* else only the cache is looked at */
} request;

static void run_request(wrt_task *t, const char *why_not) {
  request *r = (request *)(void *)t;
  wir_program *p = r->program;
  wb_door *door = p->door;
  const wrt_native *n;
  if (why_not == NULL) why_not = get(r->port, p, r->compiles, &n);
  if (why_not != NULL) atomic_store_explicit(&p->no_kernels, why_not, memory_order_release);
  wir_program_release(p);
  wb_door_give(door, r, sizeof *r);
}

void wrt_native_want(wrt_native_port *port, wir_program *p, bool compiles) {
  const char *before = wrt_native_why_not_yet(p);
  bool is_new = before == NULL || wrt_native_may_pass(before) || (compiles && before == wrt_native_not_cached);
  if (!is_new || wrt_native_find(p) != NULL || !atomic_compare_exchange_strong(&p->no_kernels, &before, wrt_native_pending)) return;
  request *r = wb_door_take(p->door, sizeof *r);
  if (r == NULL) {
    atomic_store_explicit(&p->no_kernels, WRT_NO_MEMORY, memory_order_release);
    return;
  }
  *r = (request){.task = {.run = run_request}, .port = port, .program = wir_program_retain(p), .compiles = compiles};
  wrt_worker_ask(&port->worker, &r->task);
}

const char *wrt_native_why_not_yet(const wir_program *p) { return atomic_load_explicit(&p->no_kernels, memory_order_acquire); }

const char *wrt_native_explain(wrt_native_port *port, wir_program *p, wrt_form form, wir_words *w) {
  const wir_bodies *bodies = wir_program_bodies(p);
  const wrt_tier *tier;
  wrt_compiled text;
  if (!wrt_worker_is_here(&port->worker)) return WRT_IN_CHILD;
  if (bodies == NULL) {
    w->has_failed = true;
    return NULL;
  }
  wrt_native n = {.n_inputs = p->n_inputs};
  wrt_plan plan;
  wb_mem_init(&n.mem, p->door, 0);
  const char *why = make_plan(port, p, bodies, &n, &plan);
  if (why == NULL) why = compile(port, &plan, form, &tier, &text);
  wb_mem_drop(&n.mem);
  if (why != NULL && strcmp(why, WRT_NO_MEMORY) == 0) {
    w->has_failed = true;
    return NULL;
  }
  if (why != NULL) return why;
  wir_put_str(w, (wb_str){text.bytes, text.n});
  tier->drop(&text);
  return NULL;
}
