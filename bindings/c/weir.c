/* bindings/c/weir.c -- the public API over frontend and runtime.  Arguments are checked here, and nothing else is decided. */
#include "weir.h"

#include <string.h>

#include "frontend/frontend.h"
#include "runtime/batch.h"
#include "runtime/engine.h"
#include "runtime/monitor.h"

static const size_t MiB = 1024 * 1024, GiB = 1024 * 1024 * 1024;
enum { DEFAULT_NESTING = 1000, DEFAULT_NAME_BYTES = 255, DEFAULT_EQUATIONS = 1000000, DEFAULT_ALIASES = 12, DEFAULT_CACHE_MIB = 64 };

enum { MOST_OPTIONS = 4096 }; /* bytes, of any version: what was never set is not to have us read far */

/* Option structs grow at the end: one of an older host is shorter, and what it lacks is 0, the default.  One of a newer host may be longer, but
** may ask for nothing there, which would be left undone in silence.  None is its size alone, which is that of a pointer too. */
static weir_code take_options(void *to, size_t size, const void *from, const char *name, weir_error *e) {
  size_t given = 0;
  memset(to, 0, size);
  if (from == NULL) return WEIR_OK;
  memcpy(&given, from, sizeof given);
  if (given < 2 * sizeof given || given > MOST_OPTIONS)
    return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "%s.size is %zu: it must be sizeof(%s)", name, given, name);
  for (size_t i = size; i < given; i++)
    if (((const unsigned char *)from)[i] != 0)
      return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "%s sets options that version %s does not know", name, weir_version());
  memcpy(to, from, WB_MIN(size, given));
  return WEIR_OK;
}

static size_t or_default(size_t value, size_t standard) { return value == 0 ? standard : value; }

/* ---- Errors ---- */

weir_position weir_position_of(const char *text, size_t length, uint32_t at) {
  wb_place place = wb_locate((wb_str){text == NULL ? "" : text, text == NULL ? 0 : length}, at);
  return (weir_position){.line = place.line, .column = place.column};
}

/* ---- Engine ---- */

static size_t text_bytes(const char *text) { return text == NULL ? 0 : strlen(text) + 1; }

/* What the options say of native code.  `texts`: room for copies of theirs. */
static void set_native(wrt_native_port *port, const weir_engine_options *o, char *texts) {
  size_t path = text_bytes(o->native_module), cache = text_bytes(o->object_cache);
  if (path != 0) port->path = memcpy(texts, o->native_module, path);
  if (cache != 0) port->cache.folder = memcpy(texts + path, o->object_cache, cache);
  port->cache.most_bytes = o->object_cache_bytes == 0 ? DEFAULT_CACHE_MIB * MiB : o->object_cache_bytes;
  port->wants_perf_map = o->perf_map;
  port->max_compile_memory = or_default(o->max_compile_memory, 2 * GiB);
  wrt_worker_begin(&port->worker);
}

weir_code weir_engine_new(const weir_engine_options *options, weir_engine **out, weir_error *e) {
  weir_engine_options o;
  if (out == NULL) return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "weir_engine_new needs a place for the engine");
  *out = NULL;
  WB_TRY(take_options(&o, sizeof o, options, "weir_engine_options", e));
  if (o.allocator != NULL && (o.allocator->take == NULL || o.allocator->give == NULL))
    return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "an allocator needs both functions");
  wb_door door; /* the engine itself comes through the door that it will hold */
  wb_door_open(&door, o.allocator, o.max_memory);
  weir_engine *engine = wb_door_take(&door, sizeof *engine + text_bytes(o.native_module) + text_bytes(o.object_cache));
  if (engine == NULL) return wb_fail_memory(e);
  wb_door_open(&engine->door, o.allocator, o.max_memory);
  set_native(&engine->native, &o, (char *)(engine + 1)); /* texts are kept behind the engine */
  *out = engine;
  return WEIR_OK;
}

void weir_engine_free(weir_engine *engine) {
  if (engine == NULL) return;
  wrt_worker_end(&engine->native.worker);
  weir_allocator from = engine->door.from;
  from.give(from.self, engine);
}

/* ---- Programs ---- */

static weir_diagnostics *new_diagnostics(weir_engine *engine) {
  weir_diagnostics *d = wb_door_take(&engine->door, sizeof *d);
  if (d != NULL) d->door = &engine->door;
  return d;
}

static wfe_limits limits_of(const weir_compile_options *o) {
  size_t most = UINT32_MAX - 1; /* places are 32 bits */
  return (wfe_limits){
    .source_bytes = WB_MIN(or_default(o->max_source_bytes, 16 * MiB), most),
    .nesting = or_default(o->max_nesting, DEFAULT_NESTING),
    .name_bytes = or_default(o->max_name_bytes, DEFAULT_NAME_BYTES),
    .equations = or_default(o->max_equations, DEFAULT_EQUATIONS),
    .state_bytes = or_default(o->max_state_bytes, GiB),
    .aliases = or_default(o->max_aliases, DEFAULT_ALIASES),
    .sql_steps = o->max_sql_steps,
  };
}

/* A program with the name that the host gives it, or NULL: out of memory. */
static weir_program *name_program(weir_program *p, const char *name) {
  if (p == NULL || name == NULL) return p;
  size_t n = strlen(name) + 1;
  char *copy = wb_alloc(&p->mem, 1, n, 1);
  if (copy == NULL) {
    wir_program_release(p);
    return NULL;
  }
  p->name = memcpy(copy, name, n);
  return p;
}

static weir_code first_code(const weir_diagnostics *d) {
  if (d->out_of_memory) return WEIR_E_MEMORY;
  return d->n != 0 ? d->at[0].code : WEIR_E_COMPILE;
}

/* A text at work: what compiling, checking and explaining one begin and end with. */
typedef struct text_job {
  wb_str text;
  weir_compile_options options;
  wfe_limits limits;
  weir_diagnostics *d;
} text_job;

/* What was found wrong becomes the caller's, if there is a place for it. */
static weir_code text_end(const text_job *job, bool is_ok, weir_diagnostics **diagnostics) {
  weir_code rc = is_ok ? WEIR_OK : first_code(job->d);
  if (is_ok || diagnostics == NULL) weir_diagnostics_free(job->d);
  else *diagnostics = job->d;
  return rc;
}

/* `is_sense`: the other arguments are. */
static weir_code text_begin(weir_engine *engine, const char *text, size_t length, const weir_compile_options *options, bool is_sense,
                            text_job *job, weir_diagnostics **diagnostics) {
  if (diagnostics != NULL) *diagnostics = NULL;
  if (engine == NULL || !is_sense || (text == NULL && length != 0)) return WEIR_E_ARGUMENT;
  weir_error e;
  job->text = (wb_str){text, length};
  job->d = new_diagnostics(engine);
  if (job->d == NULL) return WEIR_E_MEMORY;
  if (take_options(&job->options, sizeof job->options, options, "weir_compile_options", &e) != WEIR_OK) {
    wfe_diag_add(job->d, e.code, WB_NOWHERE, "%s", e.text);
    return text_end(job, false, diagnostics);
  }
  job->limits = limits_of(&job->options);
  return WEIR_OK;
}

weir_code weir_compile(weir_engine *engine, const char *text, size_t length, const weir_compile_options *options,
                       weir_program **out, weir_diagnostics **diagnostics) {
  text_job job;
  if (out != NULL) *out = NULL;
  WB_TRY(text_begin(engine, text, length, options, out != NULL, &job, diagnostics));
  weir_program *p = wfe_compile(&engine->door, job.text, &job.limits, job.d);
  *out = name_program(p, job.options.name);
  if (p != NULL && *out == NULL) wfe_diag_memory(job.d);
  return text_end(&job, *out != NULL, diagnostics);
}

/* ---- Queries ---- */

weir_code weir_query_check(weir_engine *engine, const char *text, size_t length, const weir_compile_options *options, weir_query **out,
                           weir_diagnostics **diagnostics) {
  text_job job;
  if (out != NULL) *out = NULL;
  WB_TRY(text_begin(engine, text, length, options, out != NULL, &job, diagnostics));
  *out = wsql_check(&engine->door, job.text, &job.limits, job.d);
  return text_end(&job, *out != NULL, diagnostics);
}

void weir_query_free(weir_query *query) { wsql_query_free(query); }
const weir_verdict *weir_query_verdict(const weir_query *query) { return wsql_query_verdict(query); }
const weir_synopsis *weir_query_synopsis(const weir_query *query, uint32_t i) { return wsql_query_synopsis(query, i); }
const weir_synopsis_key *weir_query_key(const weir_query *query, uint32_t synopsis, uint32_t i) { return wsql_query_key(query, synopsis, i); }
const weir_written *weir_query_written(const weir_query *query, uint32_t i) { return wsql_query_written(query, i); }

weir_code weir_query_witness(const weir_query *query, uint32_t n, weir_witness **out, weir_error *e) {
  if (out != NULL) *out = NULL;
  if (query == NULL || out == NULL) return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "weir_query_witness needs a query and a place for the witness");
  return wsql_query_witness(query, n, out, e);
}

static const char *witness_text(const weir_witness *w, bool of_histories, uint32_t i, size_t *length) {
  wb_str text = wsql_witness_text(w, of_histories, i);
  if (length != NULL) *length = text.n;
  return text.at;
}

uint32_t weir_witness_history_count(const weir_witness *w) { return wsql_witness_count(w, true); }
uint32_t weir_witness_continuation_count(const weir_witness *w) { return wsql_witness_count(w, false); }
const char *weir_witness_history(const weir_witness *w, uint32_t i, size_t *length) { return witness_text(w, true, i, length); }
const char *weir_witness_continuation(const weir_witness *w, uint32_t i, size_t *length) { return witness_text(w, false, i, length); }
void weir_witness_free(weir_witness *w) { wsql_witness_free(w); }

/* ---- Programs, looked at ---- */

size_t weir_program_why_canonical(const weir_program *program, uint32_t stream, char *text, size_t size) {
  return wir_why_not_scalar(program, stream, text, size);
}

weir_program *weir_program_retain(weir_program *program) { return wir_program_retain(program); }
void weir_program_release(weir_program *program) { wir_program_release(program); }

size_t weir_diagnostics_count(const weir_diagnostics *d) { return d == NULL ? 0 : d->n; }
size_t weir_diagnostics_left_out(const weir_diagnostics *d) { return d == NULL ? 0 : d->left_out; }

weir_diagnostic weir_diagnostics_at(const weir_diagnostics *d, size_t i) {
  const wfe_diag *x = &d->at[i];
  return (weir_diagnostic){.code = x->code, .span = x->span, .text = x->text, .hint = x->hint};
}

void weir_diagnostics_free(weir_diagnostics *d) {
  if (d != NULL) wb_door_give(d->door, d, sizeof *d);
}

uint32_t weir_program_stream_count(const weir_program *p) { return p->n_streams; }
uint32_t weir_program_input_count(const weir_program *p) { return p->n_inputs; }
uint32_t weir_program_output_count(const weir_program *p) { return p->n_outputs; }
uint32_t weir_program_input_stream(const weir_program *p, uint32_t input) {
  (void)p; /* inputs are numbered first */
  return input;
}
uint32_t weir_program_output_stream(const weir_program *p, uint32_t output) { return p->outputs[output]; }

weir_stream_info weir_program_stream(const weir_program *p, uint32_t stream) {
  const wir_stream *s = &p->streams[stream];
  return (weir_stream_info){
    .name = wir_stream_name(p, stream).at, .type = s->type_text, .role = s->role, .order = s->order, .state_bytes = s->state_bytes,
    .retains_values = s->retains_values, .span = s->span,
  };
}

weir_kind weir_program_stream_kind(const weir_program *p, uint32_t stream) { return wrt_kind_of(&p->types, p->streams[stream].type); }
weir_kind weir_program_input_kind(const weir_program *p, uint32_t input) { return weir_program_stream_kind(p, input); }
weir_kind weir_program_output_kind(const weir_program *p, uint32_t output) { return weir_program_stream_kind(p, p->outputs[output]); }

/* Names are unique among streams.  (A field of a struct may have the same name.) */
uint32_t weir_program_find_stream(const weir_program *p, const char *name, size_t length) {
  return name == NULL ? UINT32_MAX : wir_find_stream(p, (wb_str){name, length});
}

uint32_t weir_program_find_input(const weir_program *p, const char *name, size_t length) {
  uint32_t stream = weir_program_find_stream(p, name, length);
  return stream < p->n_inputs ? stream : UINT32_MAX;
}

uint32_t weir_program_find_output(const weir_program *p, const char *name, size_t length) {
  return wir_find_output(p, weir_program_find_stream(p, name, length));
}

bool weir_program_is_typed(const weir_program *p) { return wrt_is_typed(p); }

const char *weir_program_text(const weir_program *p, size_t *length) {
  if (length != NULL) *length = p->text.n;
  return p->text.at;
}

uint32_t weir_program_dependency_count(const weir_program *p, uint32_t stream) { return p->streams[stream].n_reads; }

weir_dependency weir_program_dependency(const weir_program *p, uint32_t stream, uint32_t i) {
  const wir_read *r = &p->streams[stream].reads[i];
  return (weir_dependency){.stream = r->stream, .immediate = r->is_immediate, .deepest = r->deepest};
}

uint64_t weir_program_state_bytes(const weir_program *p, bool *plus_values) {
  if (plus_values != NULL) *plus_values = p->retains_values;
  return p->state_bytes;
}

/* ---- Explanations ---- */

struct weir_text {
  wb_mem mem; /* holds the words */
  wir_words words;
};

/* NULL: out of memory. */
static weir_text *new_text(wb_door *door) {
  weir_text *t = wb_door_take(door, sizeof *t);
  if (t == NULL) return NULL;
  wb_mem_init(&t->mem, door, 0);
  t->words.mem = &t->mem;
  return t;
}

/* The native tier's stages.  False: why is in `d`. */
static bool explain_native(weir_engine *engine, wb_str text, const wfe_limits *limits, weir_stage stage, bool as_dot, wir_words *words, weir_diagnostics *d) {
  wrt_form form = stage == WEIR_STAGE_LLVM ? WRT_FORM_IR : WRT_FORM_ASSEMBLY;
  if (as_dot) {
    wfe_diag_add(d, WEIR_E_ARGUMENT, WB_NOWHERE, "the stages llvm and asm have no drawing");
    return false;
  }
  weir_program *p = wfe_compile(&engine->door, text, limits, d);
  if (p == NULL) return false;
  const char *why = wrt_native_explain(&engine->native, p, form, words);
  wir_program_release(p);
  if (why != NULL) wfe_diag_add(d, WEIR_E_ARGUMENT, WB_NOWHERE, "no native code: %s", why);
  else if (words->has_failed || !WB_PUSH(words->mem, &words->bytes, '\0')) wfe_diag_memory(d);
  return !wfe_diag_any(d);
}

weir_code weir_explain(weir_engine *engine, const char *text, size_t length, const weir_compile_options *options, weir_stage stage,
                       uint32_t flags, weir_text **out, weir_diagnostics **diagnostics) {
  text_job job;
  bool is_native = stage == WEIR_STAGE_LLVM || stage == WEIR_STAGE_ASM, as_dot = flags == WEIR_EXPLAIN_DOT;
  bool is_sense = out != NULL && (unsigned)stage < WEIR_STAGES && flags <= WEIR_EXPLAIN_DOT;
  if (out != NULL) *out = NULL;
  WB_TRY(text_begin(engine, text, length, options, is_sense, &job, diagnostics));
  weir_text *t = new_text(&engine->door);
  if (t == NULL) {
    weir_diagnostics_free(job.d);
    return WEIR_E_MEMORY;
  }
  if (is_native ? explain_native(engine, job.text, &job.limits, stage, as_dot, &t->words, job.d)
                : wfe_explain(&engine->door, job.text, &job.limits, stage, as_dot, &t->words, job.d))
    *out = t;
  else weir_text_free(t);
  return text_end(&job, !wfe_diag_any(job.d), diagnostics);
}

weir_code weir_query_explain(const weir_query *query, weir_query_view view, weir_text **out, weir_error *e) {
  if (out != NULL) *out = NULL;
  if (query == NULL || out == NULL || (unsigned)view >= WEIR_QUERY_VIEWS)
    return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "weir_query_explain needs a query, a view and a place for the text");
  weir_text *t = new_text(wsql_query_door(query));
  if (t == NULL) return wb_fail_memory(e);
  if (wsql_query_explain(query, view, &t->words)) {
    *out = t;
    return WEIR_OK;
  }
  weir_text_free(t);
  return wb_fail_memory(e);
}

const char *weir_text_bytes(const weir_text *text, size_t *length) {
  if (length != NULL) *length = text->words.bytes.n - 1; /* what terminates it is counted there */
  return text->words.bytes.at;
}

void weir_text_free(weir_text *text) {
  if (text == NULL) return;
  wb_door *door = text->mem.door;
  wb_mem_drop(&text->mem);
  wb_door_give(door, text, sizeof *text);
}

/* ---- Monitors ---- */

weir_code weir_monitor_new(weir_engine *engine, weir_program *program, const weir_options *options, weir_monitor **out, weir_error *e) {
  weir_options o;
  if (out != NULL) *out = NULL;
  if (engine == NULL || program == NULL || out == NULL)
    return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "weir_monitor_new needs an engine, a program and a place for the monitor");
  if (program->door != &engine->door) return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "the program belongs to another engine than the monitor");
  WB_TRY(take_options(&o, sizeof o, options, "weir_options", e));
  if (o.tier >= WEIR_TIER_COUNT) return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "there is no such tier");
  wrt_options with = {.max_memory = o.max_memory, .max_depth = or_default(o.max_value_nesting, DEFAULT_NESTING),
                      .tier = o.tier, .compile_after = o.compile_after, .port = &engine->native,
                      .check = {.every = o.check_every, .seed = o.check_seed, .folder = o.check_folder}};
  return wrt_monitor_new(&engine->door, program, &with, out, e);
}

weir_code weir_monitor_set_tier(weir_monitor *monitor, weir_tier tier, weir_error *e) {
  if (monitor == NULL || tier >= WEIR_TIER_COUNT) return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "there is no such monitor or tier");
  return wrt_set_tier(monitor, tier, e);
}

void weir_monitor_free(weir_monitor *monitor) { wrt_monitor_free(monitor); }

weir_code weir_monitor_push(weir_monitor *monitor, const weir_value *inputs, size_t count, weir_error *e) {
  if (monitor == NULL) return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "weir_monitor_push needs a monitor");
  return wrt_push(monitor, inputs, count, e);
}

/* With the arguments of the call that it ends: so that does not have to load them. */
static __attribute__((noinline)) weir_code refuse_typed(weir_monitor *monitor, const weir_cell *in, const uint64_t *in_present,
                                                        const uint64_t *in_deferred, weir_cell *out, uint64_t *out_present,
                                                        uint64_t *out_deferred, weir_error *e) {
  (void)monitor, (void)in, (void)in_present, (void)in_deferred, (void)out, (void)out_present, (void)out_deferred;
  return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "weir_monitor_push_typed needs a monitor");
}

weir_code weir_monitor_push_typed(weir_monitor *monitor, const weir_cell *in, const uint64_t *in_present, const uint64_t *in_deferred,
                                  weir_cell *out, uint64_t *out_present, uint64_t *out_deferred, weir_error *e) {
  if (WB_UNLIKELY(monitor == NULL)) return refuse_typed(monitor, in, in_present, in_deferred, out, out_present, out_deferred, e);
  return monitor->push_typed(monitor, in, in_present, in_deferred, out, out_present, out_deferred, e);
}

weir_code weir_monitor_push_batch(weir_monitor *monitor, size_t rows, const weir_in_column *ins, size_t n_ins,
                                  const weir_out_column *outs, size_t n_outs, size_t *done, weir_error *e) {
  wrt_batch batch = {.rows = rows, .ins = ins, .outs = outs, .n_ins = n_ins, .n_outs = n_outs};
  size_t unasked;
  if (done == NULL) done = &unasked;
  *done = 0;
  if (monitor == NULL) return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "weir_monitor_push_batch needs a monitor");
  return wrt_push_batch(monitor, &batch, done, e);
}

uint64_t weir_monitor_ticks(const weir_monitor *monitor) { return monitor->ticks; }
bool weir_monitor_is_terminal(const weir_monitor *monitor) { return monitor->is_terminal; }
const weir_value *weir_monitor_output(const weir_monitor *monitor, uint32_t output) { return &monitor->outputs[output]; }

void weir_monitor_report(const weir_monitor *monitor, weir_report *report) {
  weir_report full = {.size = report->size};
  wrt_report(monitor, &full);
  memcpy(report, &full, WB_MIN(report->size, sizeof full));
}

size_t weir_monitor_memory(const weir_monitor *monitor, size_t *peak) {
  if (peak != NULL) *peak = monitor->mem.peak;
  return monitor->mem.used;
}
