/* include/weir.h -- the public C API of Weir, a stream execution engine.
**
** An engine compiles specification texts to programs; a monitor is one running instance of a program.
** Every tick, the caller pushes one row of input values and reads the row of outputs.
**
** Ownership words used below: "owned" (the caller frees it with the named function), "borrowed until X", "copied".
** Threads: an engine and a program may be used from any number of threads at once; a monitor, a diagnostics object and an
** error belong to one thread at a time, and may move between threads.
** Out of memory is an error like any other: WEIR_E_MEMORY; nothing is half made.  The library never prints, exits, aborts,
** reads the locale or touches signal handlers. */
#ifndef WEIR_H
#define WEIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#define WEIR_MUST_USE __attribute__((warn_unused_result))
#else
#define WEIR_API
#define WEIR_MUST_USE
#endif

/* "0.1.0".  Static. */
WEIR_API const char *weir_version(void);

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* The one list of codes: X(name, phase, what).  The phase is the first word of a message: parse, type and compile errors
** come from weir_compile and weir_query_check; tick errors fail a running tick; the rest has none. */
#define WEIR_CODES(X) \
  X(E_PARSE, "parse", "the text is not a specification") \
  X(E_TYPE, "type", "types, names or scopes do not fit") \
  X(E_COMPILE, "compile", "the specification cannot be compiled") \
  X(E_CYCLE, "compile", "streams depend on each other without a delay") \
  X(E_NOT_YET, "compile", "the construct is part of the language, but cannot be run yet") \
  X(E_STATE_TOO_LARGE, "compile", "the state would exceed its limit") \
  X(E_LIMIT, "parse", "a limit on size or nesting was reached") \
  X(E_ADMIT, "tick", "an input row does not fit the program") \
  X(E_OVERFLOW, "tick", "an integer result left the range") \
  X(E_DIV_ZERO, "tick", "division by zero") \
  X(E_KIND, "tick", "a value has the wrong type") \
  X(E_DOMAIN, "tick", "an operand is outside the domain of the operation") \
  X(E_VALUE_LIMIT, "tick", "a value is larger or deeper than its limit") \
  X(E_TERMINAL, "", "an earlier tick failed; the monitor is at its end") \
  X(E_ARGUMENT, "", "a call's arguments are wrong") \
  X(E_MEMORY, "", "out of memory") \
  X(E_IO, "", "a file or stream failed") \
  X(E_FULL, "", "an output column has no room for the next row") \
  X(E_UNDECIDED, "compile", "whether the memory of a query is bounded was not found within the limit of steps")

typedef enum weir_code {
  WEIR_OK = 0,
#define X(name, phase, what) WEIR_##name,
  WEIR_CODES(X)
#undef X
  WEIR_CODE_COUNT
} weir_code;

/* "E_OVERFLOW", "tick", "an integer result left the range": static texts; "" for a code outside the list. */
WEIR_API const char *weir_code_name(weir_code code);
WEIR_API const char *weir_code_phase(weir_code code);
WEIR_API const char *weir_code_text(weir_code code);

/* Bytes [begin, end) of the specification text.  begin == end: no place in a text (or, in a diagnostic, the end of it). */
typedef struct weir_span { uint32_t begin, end; } weir_span;

#define WEIR_NO_ROW UINT64_MAX

typedef struct weir_error {
  weir_code code;
  weir_span span; /* in the specification; empty where there is none */
  uint64_t row;   /* tick it is reported at; WEIR_NO_ROW where no row is concerned */
  uint32_t input; /* E_ADMIT: number of the input that does not fit; else UINT32_MAX */
  char text[200]; /* always terminated, valid UTF-8; truncated, never allocated: reporting OOM cannot fail */
} weir_error;

/* Where byte `at` of a text stands: its line and its column, both from 1; columns count characters, a tab is one.  An offset past the
** end is taken for the end. */
typedef struct weir_position { uint64_t line, column; } weir_position;
WEIR_API weir_position weir_position_of(const char *text, size_t length, uint32_t at);

/* ---- Values ------------------------------------------------------------------------------------------------------ */

typedef enum weir_tag {
  WEIR_NOVAL = 0, /* no sample in this tick */
  WEIR_DEFERRED,  /* not computable yet */
  WEIR_UNIT,
  WEIR_BOOL,
  WEIR_INT,
  WEIR_FLOAT,
  WEIR_TEXT,
  WEIR_LIST,
  WEIR_TUPLE,
  WEIR_MAP,
  WEIR_TAG_COUNT
} weir_tag;

struct weir_entry;

/* One value.  As an input it is a plain tree that the caller owns and the push copies; as an output it is borrowed.
** Containers never hold WEIR_NOVAL or WEIR_DEFERRED.  Texts are UTF-8 and not terminated. */
typedef struct weir_value {
  uint32_t tag;   /* a weir_tag */
  uint32_t count; /* bytes of a text, items of a list or tuple, entries of a map; else 0 */
  union {
    bool b;
    int64_t i;
    double f;
    const char *text;
    const struct weir_value *items;
    const struct weir_entry *entries; /* as an output: in byte order of the keys; as an input: any order, keys distinct */
  } as;
} weir_value;

typedef struct weir_entry {
  weir_value key; /* a WEIR_TEXT */
  weir_value value;
} weir_entry;

/* ---- Engine ------------------------------------------------------------------------------------------------------ */

typedef struct weir_engine weir_engine;
typedef struct weir_program weir_program;
typedef struct weir_monitor weir_monitor;
typedef struct weir_diagnostics weir_diagnostics;

/* A host's own allocator.  Both functions may be called from any thread.  take returns memory aligned to 16 bytes or NULL. */
typedef struct weir_allocator {
  void *(*take)(void *self, size_t size);
  void (*give)(void *self, void *block); /* block is never NULL */
  void *self;
} weir_allocator;

/* A struct of options begins with its size, as the caller was built to know it; what it lacks is 0, the default of each option.  It may be longer
** than the library's, if it sets nothing there.  Other sizes (0, that of a pointer, beyond 4096), and options that the library does not know, are
** E_ARGUMENT. */
typedef struct weir_engine_options {
  size_t size;                     /* sizeof(weir_engine_options) */
  const weir_allocator *allocator; /* copied; NULL: mimalloc where it is installed, else malloc */
  size_t max_memory;               /* bytes that the engine with its programs and monitors may hold; 0: no limit */
  const char *native_module;       /* path of the native tier's module, copied; NULL: weir_native.so is looked for from the folder of the library
                                   ** (or of the program that links it statically), in this order: in weir/ there, in it, in ../lib/weir/; and
                                   ** then in the folder of modules that the build was configured to install to (LIBDIR/weir).  It is opened when
                                   ** native code is first made */
  bool perf_map;                   /* add the kernels that are made to /tmp/perf-PID.map, where Linux's perf looks for their names; a file that
                                   ** cannot be written is left alone */
  size_t max_compile_memory;       /* bytes that making native code of a program may take, as far as its size tells: larger programs have none;
                                   ** 0: 2 GiB.  The compiler takes them outside max_memory, and cannot be stopped once it has begun */
  const char *object_cache;        /* folder where kernels are kept for other processes, copied; NULL: none is.  It is made where it is missing
                                   ** (mode 0700), and used only if it belongs to the user of the process and nobody else may write to it */
  uint64_t object_cache_bytes;     /* of the files there, beyond which go those that nobody has found for longest; 0: 64 MiB */
} weir_engine_options;

/* Makes an engine.  *out is owned: end it with weir_engine_free after all its programs and monitors.  `options` is borrowed
** for the call; NULL means defaults.  On failure *out is NULL and `e`, if given, says why.
** An engine has a thread of its own from when native code is first made for a monitor in WEIR_TIER_AUTO; all signals are blocked in it.
** In a process that was forked from the engine's it goes on as it is, but makes no native code. */
WEIR_API weir_code weir_engine_new(const weir_engine_options *options, weir_engine **out, weir_error *e) WEIR_MUST_USE;
WEIR_API void weir_engine_free(weir_engine *engine); /* NULL is allowed.  Waits for a compilation that its thread is at */

/* ---- Programs ---------------------------------------------------------------------------------------------------- */

/* Limits of a compilation, and a name; 0 means the default, which stands behind each. */
typedef struct weir_compile_options {
  size_t size;             /* sizeof(weir_compile_options) */
  size_t max_source_bytes; /* 16 MiB; never above 4 GiB - 2 */
  size_t max_nesting;      /* 1000: levels of any construct or type */
  size_t max_name_bytes;   /* 255 */
  size_t max_equations;    /* 1,000,000 */
  size_t max_state_bytes;  /* 1 GiB: what a monitor may retain, as weir_program_state_bytes counts it */
  size_t max_aliases;      /* 12, and never above: streams and tables in a FROM, of SQL */
  uint64_t max_sql_steps;  /* 1,000,000,000, about a second: what the decision whether a query is bounded may take */
  const char *name;        /* what tools call the program (weir_engine_options.perf_map); copied; NULL: nothing */
} weir_compile_options;

/* Checks and compiles a DSRV specification of `length` bytes of UTF-8; a byte-order mark is skipped.  The text is copied.
** *out is owned: weir_program_release.  On failure *out is NULL, and *diagnostics, if asked for, holds what is wrong with the
** text, or with the options: owned, end it with weir_diagnostics_free; NULL where even that could not be allocated, and after a success.
** Returns the code of the first diagnostic. */
WEIR_API weir_code weir_compile(weir_engine *engine, const char *text, size_t length, const weir_compile_options *options,
                                weir_program **out, weir_diagnostics **diagnostics) WEIR_MUST_USE;

/* A program is counted: the caller's references, one for each monitor. */
WEIR_API weir_program *weir_program_retain(weir_program *program);
WEIR_API void weir_program_release(weir_program *program); /* NULL is allowed */

typedef struct weir_diagnostic {
  weir_code code;
  weir_span span;   /* begin == end: at the end of the text, or nowhere (code E_MEMORY, E_ARGUMENT) */
  const char *text; /* borrowed until weir_diagnostics_free, as is `hint`; terminated UTF-8 */
  const char *hint; /* "" where there is none */
} weir_diagnostic;

WEIR_API size_t weir_diagnostics_count(const weir_diagnostics *d);                 /* 0 to 20; 0 for NULL */
WEIR_API weir_diagnostic weir_diagnostics_at(const weir_diagnostics *d, size_t i); /* in order of the text; i < count */
WEIR_API size_t weir_diagnostics_left_out(const weir_diagnostics *d);              /* how many more there were */
WEIR_API void weir_diagnostics_free(weir_diagnostics *d);                          /* NULL is allowed */

typedef enum weir_role { WEIR_IN = 0, WEIR_OUT, WEIR_AUX } weir_role;

typedef struct weir_stream_info {
  const char *name;      /* borrowed until the program ends, as is `type` */
  const char *type;      /* the checked type, as the language writes it: "List<Int>"; cut with "..." beyond 1000 bytes */
  weir_role role;
  uint32_t order;        /* place in the evaluation order; UINT32_MAX for inputs */
  uint64_t state_bytes;  /* what the stream retains between ticks: its history, delays, memories and flags */
  bool retains_values;   /* it also retains values whose size is not fixed: text, lists, maps */
  weir_span span;        /* its name in the declaration */
} weir_stream_info;

/* What the values of a stream are; the parts of a list, map, tuple or struct are told by the type's text alone. */
typedef enum weir_kind {
  WEIR_KIND_ANY = 0,
  WEIR_KIND_INT,
  WEIR_KIND_FLOAT,
  WEIR_KIND_BOOL,
  WEIR_KIND_TEXT, /* Str, and the texts of Expr inputs */
  WEIR_KIND_UNIT,
  WEIR_KIND_LIST,
  WEIR_KIND_MAP,
  WEIR_KIND_TUPLE,
  WEIR_KIND_STRUCT, /* its values are maps */
  WEIR_KIND_COUNT
} weir_kind;

/* Streams are numbered inputs first, then the others, both in order of declaration.  Inputs of a row and outputs of a row are
** numbered on their own, also in order of declaration. */
WEIR_API uint32_t weir_program_stream_count(const weir_program *program);
WEIR_API weir_stream_info weir_program_stream(const weir_program *program, uint32_t stream); /* stream < count */
WEIR_API uint32_t weir_program_input_count(const weir_program *program);
WEIR_API uint32_t weir_program_output_count(const weir_program *program);
WEIR_API uint32_t weir_program_input_stream(const weir_program *program, uint32_t input);   /* the stream of an input */
WEIR_API uint32_t weir_program_output_stream(const weir_program *program, uint32_t output); /* the stream of an output */
WEIR_API weir_kind weir_program_stream_kind(const weir_program *program, uint32_t stream);
WEIR_API weir_kind weir_program_input_kind(const weir_program *program, uint32_t input);
WEIR_API weir_kind weir_program_output_kind(const weir_program *program, uint32_t output);
/* The number of the stream, input or output of that name, or UINT32_MAX. */
WEIR_API uint32_t weir_program_find_stream(const weir_program *program, const char *name, size_t length);
WEIR_API uint32_t weir_program_find_input(const weir_program *program, const char *name, size_t length);
WEIR_API uint32_t weir_program_find_output(const weir_program *program, const char *name, size_t length);
/* The source text, as it was compiled; for weir_position_of.  Borrowed until the program ends; terminated. */
WEIR_API const char *weir_program_text(const weir_program *program, size_t *length);

/* What stream `stream` reads: the i-th of its weir_program_dependency_count dependencies, in order of first appearance. */
typedef struct weir_dependency {
  uint32_t stream;
  bool immediate;   /* it is read in the same tick */
  uint64_t deepest; /* the largest delay it is read through; 0: only immediately */
} weir_dependency;
WEIR_API uint32_t weir_program_dependency_count(const weir_program *program, uint32_t stream);
WEIR_API weir_dependency weir_program_dependency(const weir_program *program, uint32_t stream, uint32_t i);

/* The memory bound: the bytes that a monitor retains between ticks, the sum over all streams.  *plus_values, if given, tells
** whether values of no fixed size come on top. */
WEIR_API uint64_t weir_program_state_bytes(const weir_program *program, bool *plus_values);

/* ---- Queries of SQL ---------------------------------------------------------------------------------------------- */

typedef struct weir_query weir_query;

/* Checks a SQL script and decides whether its query can be answered in memory that does not grow with the input.  Arguments, *diagnostics and
** the answer are as in weir_compile; WEIR_OK only says that the script is right.  *out is owned: weir_query_free, before the engine.  All that
** is asked of it below is borrowed until then; texts are terminated UTF-8.  A query does not change, and any thread may read it. */
WEIR_API weir_code weir_query_check(weir_engine *engine, const char *text, size_t length, const weir_compile_options *options,
                                    weir_query **out, weir_diagnostics **diagnostics) WEIR_MUST_USE;
WEIR_API void weir_query_free(weir_query *query); /* NULL is allowed */

/* A number of cells (64-bit words) or bytes.  Where the most rows of a step are not declared, it is a polynomial in them. */
typedef struct weir_amount {
  const char *text; /* "12", "8 + 64*rate(s)", "at least 18446744073709551615" */
  bool is_number;   /* it is `number` */
  uint64_t number;
} weir_amount;

typedef struct weir_verdict {
  bool is_bounded;
  weir_amount cells, bytes; /* bounded: of all synopses and of what was written; the rows of the open step come on top */
  const char *reason;       /* unbounded: one sentence; else "" */
  const char *attribute;    /* unbounded: the column that memory would grow with, "t.b"; else "" */
  const char *cure;         /* predicates that would bound it, capital words for constants: "t.b >= MIN"; "" where none is known */
  weir_span span;           /* of the predicate or output column that needs it; empty where there is none */
  uint32_t n_synopses;
  uint32_t n_written;
} weir_verdict;

WEIR_API const weir_verdict *weir_query_verdict(const weir_query *query);

/* A map that is kept between steps.  It stands for all combinations of rows of some aliases that have arrived. */
typedef struct weir_synopsis {
  uint32_t select;               /* which SELECT of the query, from 0 */
  uint32_t piece;                /* which of the pieces that this SELECT was split into, from 0; nearly always there is one */
  const char *const *aliases;    /* those that it stands for, */
  uint32_t n_aliases;
  const char *const *later;      /* and those whose later rows it waits for */
  uint32_t n_later;
  uint32_t n_keys;
  const char *kept;              /* for each key: "counter", "flag", "greatest t.b" */
  weir_amount entries, cells, bytes; /* at most */
} weir_synopsis;

/* A part of the key of a synopsis. */
typedef struct weir_synopsis_key {
  const char *column;     /* "t.b" */
  const char *kind;       /* "value"; "capped", where all values above a limit are one, and "raised", below one; "distance" from what is kept */
  const char *text;       /* all of it: "t.b in 1 .. 4", "min(t.b, 4) in 0 .. 4" */
  const char *from, *to;  /* the least and the greatest value: "1", "now - 3", "f.b"; "" where rows are kept as they are because they are few */
  uint64_t values;        /* how many that are; 0: as many as there are rows */
} weir_synopsis_key;

/* What has to be remembered so that a DISTINCT or UNION writes no row twice. */
typedef struct weir_written {
  uint32_t select;      /* whose rows; UINT32_MAX: all of the query's */
  bool is_box;          /* the rows are from a bounded set, and all are remembered; else those of the last `steps` steps */
  uint64_t steps;
  weir_amount cells, bytes;
} weir_written;

WEIR_API const weir_synopsis *weir_query_synopsis(const weir_query *query, uint32_t i);                 /* i < n_synopses */
WEIR_API const weir_synopsis_key *weir_query_key(const weir_query *query, uint32_t synopsis, uint32_t i); /* i < n_keys */
WEIR_API const weir_written *weir_query_written(const weir_query *query, uint32_t i);                   /* i < n_written */

/* Why the memory of an unbounded query must grow: 2^n histories of input, and n continuations.  For any two of the histories there is a
** continuation after which the results differ, so whoever answers the query has to tell all of them apart. */
typedef struct weir_witness weir_witness;

/* Finds such a family for an unbounded query; 1 <= n <= 10.  *out is owned: weir_witness_free, before the engine.  On failure *out is NULL
** and `e`, if given, says why: WEIR_E_NOT_YET where none was found, WEIR_E_UNDECIDED where that took too long. */
WEIR_API weir_code weir_query_witness(const weir_query *query, uint32_t n, weir_witness **out, weir_error *e) WEIR_MUST_USE;
WEIR_API uint32_t weir_witness_history_count(const weir_witness *witness);
WEIR_API uint32_t weir_witness_continuation_count(const weir_witness *witness);
/* NDJSON, whole lines, possibly none; borrowed until weir_witness_free.  A history and a continuation behind it are an input of the query. */
WEIR_API const char *weir_witness_history(const weir_witness *witness, uint32_t i, size_t *length);
WEIR_API const char *weir_witness_continuation(const weir_witness *witness, uint32_t i, size_t *length);
WEIR_API void weir_witness_free(weir_witness *witness); /* NULL is allowed */

/* ---- Explanations ------------------------------------------------------------------------------------------------ */

/* How far a text is followed.  Later versions add stages. */
typedef enum weir_stage {
  WEIR_STAGE_AST = 0,  /* the syntax tree, with the types that were found */
  WEIR_STAGE_GRAPH,    /* what each stream computes */
  WEIR_STAGE_SCHEDULE, /* in which order, and why */
  WEIR_STAGE_STATE,    /* what a monitor retains, and where */
  WEIR_STAGE_IR,       /* the instructions of the quickened tier */
  WEIR_STAGE_REGIONS,  /* which streams it runs together, and which by their graphs */
  WEIR_STAGE_LLVM,     /* the kernels of the native tier in LLVM's language, optimized */
  WEIR_STAGE_ASM,      /* the same as assembly for this machine's processor */
  WEIR_STAGES
} weir_stage;

enum { WEIR_EXPLAIN_DOT = 1 }; /* flags: in DOT, for Graphviz */

typedef struct weir_text weir_text;

/* Explains what becomes of a specification: UTF-8 for people, the same for the same text, of a form that may change.  Arguments,
** *diagnostics and the answer are as in weir_compile.  *out is owned: end it with weir_text_free, before the engine.  On failure
** *out is NULL; but WEIR_STAGE_AST gives the tree of any text without syntax errors, also where the answer is another error.
** The last two stages belong to the native tier: they have no drawing, other versions of LLVM write them differently, and where the tier
** cannot run, or not this program, the answer is E_ARGUMENT with a diagnostic that says why. */
WEIR_API weir_code weir_explain(weir_engine *engine, const char *text, size_t length, const weir_compile_options *options,
                                weir_stage stage, uint32_t flags, weir_text **out, weir_diagnostics **diagnostics) WEIR_MUST_USE;
/* Borrowed until weir_text_free; terminated.  *length, if given, is the number of bytes. */
WEIR_API const char *weir_text_bytes(const weir_text *text, size_t *length);
WEIR_API void weir_text_free(weir_text *text); /* NULL is allowed */

typedef enum weir_query_view {
  WEIR_QUERY_SCRIPT = 0, /* what was understood, as a script that means the same: each name in full */
  WEIR_QUERY_DOT,        /* in DOT: the aliases of each SELECT, their order in time, the comparisons between them */
  WEIR_QUERY_VIEWS
} weir_query_view;

/* Shows a query: UTF-8 for people, the same for the same text, of a form that may change.  *out is owned: weir_text_free, before the engine;
** on failure it is NULL and `e`, if given, says why. */
WEIR_API weir_code weir_query_explain(const weir_query *query, weir_query_view view, weir_text **out, weir_error *e) WEIR_MUST_USE;

/* ---- Monitors ---------------------------------------------------------------------------------------------------- */

/* How rows are evaluated.  The answers are the same in all tiers. */
typedef enum weir_tier {
  WEIR_TIER_AUTO = 0,   /* the quickened one, and the native one once that is worth it: no tick waits for a compilation */
  WEIR_TIER_CANONICAL,  /* the graphs, node by node: the meaning of the language */
  WEIR_TIER_QUICKENED,  /* the scalar IR over registers, where the program allows it */
  WEIR_TIER_NATIVE,     /* the same compiled to machine code at once, whole or by regions; quickened where that cannot run (weir_report.why_not_native) */
  WEIR_TIER_COUNT
} weir_tier;

typedef struct weir_options {
  size_t size;       /* sizeof(weir_options) */
  size_t max_memory; /* bytes that the monitor may hold in all, with its codes; 0: no limit but the engine's */
  size_t max_value_nesting; /* levels of lists, tuples and maps in a value; 0: 1000 */
  weir_tier tier;
  uint64_t compile_after; /* WEIR_TIER_AUTO: native code is made behind so many ticks; 0: once the time that they have taken says that it is
                          ** worth it; WEIR_COMPILE_NEVER: not at all */
  uint64_t check_every;   /* one row of so many, on average, also runs canonically, to be compared; 0: none.  Where they differ, the canonical answer
                          ** stands, and what has given the other one is switched off.  Memory for two more of the monitor's state */
  uint64_t check_seed;    /* of the random numbers that say which rows */
  const char *check_folder; /* copied: an existing folder, where the specification and the rows are written if there is a difference:
                          ** weir-difference-TICK.dsrv and .input, for `weir run`, or -TICK-2 and so on where that is there; NULL: nothing is */
} weir_options;

#define WEIR_COMPILE_NEVER UINT64_MAX

/* Makes a monitor of `program`, which the same engine has compiled (another one's is E_ARGUMENT).  The monitor keeps the program alive; the
** caller keeps its own reference.  *out is owned: end it with weir_monitor_free.  `options` is borrowed for the call; NULL means defaults.  On
** failure *out is NULL and `e`, if given, says why.  Any thread. */
WEIR_API weir_code weir_monitor_new(weir_engine *engine, weir_program *program, const weir_options *options,
                                    weir_monitor **out, weir_error *e) WEIR_MUST_USE;
WEIR_API void weir_monitor_free(weir_monitor *monitor); /* NULL is allowed */

/* Goes on in another tier from the next tick on, as often as one likes; the state stays what it is.  After a failure (E_MEMORY, E_ARGUMENT)
** the tier is the old one. */
WEIR_API weir_code weir_monitor_set_tier(weir_monitor *monitor, weir_tier tier, weir_error *e) WEIR_MUST_USE;

/* Runs one tick.  inputs[i] is the value of input i, WEIR_NOVAL where it has none in this tick; `count` must be the program's
** number of inputs.  The values are copied.
** E_ADMIT, E_ARGUMENT: the row does not fit; nothing has happened, and the caller may correct it and push again.
** Any other failure: nothing of the row was committed or published, and the monitor is terminal: every later push answers
** E_TERMINAL.  e->row is the tick, e->span the operation. */
WEIR_API weir_code weir_monitor_push(weir_monitor *monitor, const weir_value *inputs, size_t count, weir_error *e) WEIR_MUST_USE;

/* Ticks completed so far: the number of the next one. */
WEIR_API uint64_t weir_monitor_ticks(const weir_monitor *monitor);
WEIR_API bool weir_monitor_is_terminal(const weir_monitor *monitor);

/* The value of an output after the last completed weir_monitor_push (WEIR_NOVAL before the first).  Borrowed until the next
** weir_monitor_push or free.  Typed rows and batches hand their outputs to the caller's buffers, and change nothing here. */
WEIR_API const weir_value *weir_monitor_output(const weir_monitor *monitor, uint32_t output);

/* Why a row, or a region of it, left a faster tier: X(name, what).  It was evaluated canonically instead, with the same answer. */
#define WEIR_CAUSES(X) \
  X(OVERFLOW, "an integer result left the range") \
  X(DIV_ZERO, "division by zero") \
  X(DOMAIN, "an operand outside the domain of its operation") \
  X(GUARD, "a failure inside a guard that counted")
typedef enum weir_cause {
#define X(name, what) WEIR_CAUSE_##name,
  WEIR_CAUSES(X)
#undef X
  WEIR_CAUSE_COUNT
} weir_cause;
WEIR_API const char *weir_cause_text(weir_cause cause); /* static */

/* Whether the native tier has code for a monitor: X(name, what).  Later versions add states. */
#define WEIR_NATIVE_STATES(X) \
  X(UNASKED, "not asked for") \
  X(WHOLE, "whole schedule") \
  X(UNAVAILABLE, "unavailable") \
  X(REGIONS, "regions") \
  X(PENDING, "being compiled") \
  X(LEFT, "left alone, since too many rows left it")
typedef enum weir_native_state {
#define X(name, what) WEIR_NATIVE_##name,
  WEIR_NATIVE_STATES(X)
#undef X
  WEIR_NATIVE_STATE_COUNT
} weir_native_state;

/* Where the code came from, and whether another process will find it: X(name, what).  Later versions add states. */
#define WEIR_CACHE_STATES(X) \
  X(UNASKED, "no cache") \
  X(FOUND, "from the cache") \
  X(KEPT, "kept in the cache") \
  X(REFUSED, "not kept: others may write to the folder of the cache") \
  X(FAILED, "not kept: writing to the cache failed") \
  X(REMOVED, "removed from the cache, since a self-check found results that are wrong") \
  X(LARGE, "not kept: larger than the cache may be")
typedef enum weir_cache_state {
#define X(name, what) WEIR_CACHE_##name,
  WEIR_CACHE_STATES(X)
#undef X
  WEIR_CACHE_STATE_COUNT
} weir_cache_state;

typedef struct weir_report {
  size_t size;                         /* sizeof(weir_report), set by the caller */
  uint64_t rows[WEIR_TIER_COUNT];      /* ticks completed in each tier ([WEIR_TIER_AUTO]: 0) */
  uint64_t declined[WEIR_CAUSE_COUNT]; /* how often the quickened tier declined a row, or a region of one */
  uint32_t regions;                    /* of the quickened tier: 1 where the whole schedule is one; 0 before it was chosen */
  uint32_t canonical_streams;          /* streams that it leaves to the canonical tier */
  const char *why_not_native;          /* native code was wanted and cannot run: why, static; else NULL */
  uint64_t native_bytes;               /* memory of the machine code, which all monitors of the program share */
  uint64_t native_nanoseconds;         /* what it took to make it */
  uint64_t islands;                    /* how often a scalar part of a stream that runs by its graph was quickened */
  uint64_t tiles;                      /* pieces of batches that the quickened tier began to run operation by operation */
  uint64_t tiles_small;                /* of them: values were tested to be small, instead of checking each operation */
  uint64_t tiles_given_up;             /* of them: something failed, and the rows ran one by one */
  weir_native_state native_state;
  uint64_t native_streams;             /* streams that machine code computes, of the program's that are no inputs */
  uint64_t exits[WEIR_CAUSE_COUNT];    /* how often a row, or a region of one, left machine code */
  uint64_t native_regions;             /* WEIR_NATIVE_REGIONS: how often machine code computed a region of a row */
  uint64_t native_since;               /* the tick from which on machine code has run, since it was last taken up; WEIR_NO_ROW: it does not */
  uint64_t quick_nanoseconds;          /* in WEIR_TIER_AUTO: what rows have taken before, estimated from some that were timed */
  uint64_t compile_nanoseconds;        /* and what compiling is to take, as predicted; 0 where that is not what decides */
  uint64_t native_left;                /* how often it was left alone, since too many rows left it */
  uint64_t native_again;               /* the tick at which it is tried or asked for again; WEIR_NO_ROW: not that anyone knows */
  weir_cache_state native_cache;       /* of the machine code that is there: see weir_engine_options.object_cache */
  uint64_t checked;                    /* rows that have run twice: weir_options.check_every */
  uint64_t differences;                /* how often what came of them differed: a fault of Weir */
  uint64_t difference_row;             /* the first time: the tick of the first of the rows that were compared together; WEIR_NO_ROW: never */
  const char *difference;              /* the first thing that differed there; lives as long as the monitor; NULL: nothing did */
  const char *native_cache_why;        /* WEIR_CACHE_REFUSED, WEIR_CACHE_FAILED, WEIR_CACHE_LARGE: why; lives as long as the program; else NULL */
} weir_report;
WEIR_API void weir_monitor_report(const weir_monitor *monitor, weir_report *report);

/* Why a stream is always evaluated canonically, and what to write to change that ("x is Any: write `in x: Int`"): the text's length, 0 where
** it is not.  The text is terminated, and cut to fit `size` bytes. */
WEIR_API size_t weir_program_why_canonical(const weir_program *program, uint32_t stream, char *text, size_t size);

/* Bytes that the monitor holds now and has held at most, values included. */
WEIR_API size_t weir_monitor_memory(const weir_monitor *monitor, size_t *peak);

/* ---- Typed rows -------------------------------------------------------------------------------------------------- */

/* A row as an array of 64-bit cells, for those who count nanoseconds.  Only for programs whose inputs and outputs are all Int, Float,
** Bool or Unit. */
typedef union weir_cell {
  int64_t i;     /* Int; Bool: 0 or 1; Unit: not looked at as an input, 0 as an output */
  double f;      /* Float */
  uint64_t bits; /* whatever it is */
} weir_cell;

/* How many words hold a bit for each of `n` inputs or outputs.  The bit of number i is bit i % 64 of word i / 64. */
#define WEIR_WORDS(n) (((size_t)(n) + 63) / 64)

WEIR_API bool weir_program_is_typed(const weir_program *program);

/* Runs one tick, as weir_monitor_push does.  All buffers are the caller's and borrowed for the call; they must not overlap.
**   in            a cell for each input; that of one without a value is not looked at
**   in_present    WEIR_WORDS(inputs) words, a bit for each input that has a value; NULL: all have.  Further bits are not looked at
**   in_deferred   the same, a bit for each input that is Deferred, whatever in_present says; NULL: none is
**   out           a cell for each output; 0 where there is no value
**   out_present   WEIR_WORDS(outputs) words, a bit for each output that has a value, further bits 0; NULL: not asked for
**   out_deferred  the same, a bit for each output that is Deferred (and so has no value); NULL: not asked for
** in and out may be NULL where there is nothing in them.
** Errors as weir_monitor_push has them: E_ADMIT also for a Bool that is neither 0 nor 1, E_ARGUMENT also for a program that is not
** typed.  After a failure the contents of the output buffers are unspecified. */
WEIR_API weir_code weir_monitor_push_typed(weir_monitor *monitor, const weir_cell *in, const uint64_t *in_present,
                                           const uint64_t *in_deferred, weir_cell *out, uint64_t *out_present,
                                           uint64_t *out_deferred, weir_error *e) WEIR_MUST_USE;

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

/* Many rows in one call, as columns: the samples of one input or output, one behind the other.
**
** A bitmap has a bit for each row, least significant bit first: that of row r is bit (b + r) % 8 of byte (b + r) / 8, where b is the
** bitmap's first bit.  Only the bits of the batch's rows are read or written. */

/* An input's column.  All of it is borrowed for the call.  Values of rows without one are not looked at. */
typedef struct weir_in_column {
  union {
    const int64_t *i;
    const double *f;
    const uint8_t *b;        /* Bool: 0 or 1 */
    const uint32_t *offsets; /* Text: rows + 1 of them, the text of row r is bytes [offsets[r], offsets[r + 1]) */
  } as;                      /* Unit: not looked at */
  const char *bytes;         /* Text: UTF-8, not terminated */
  size_t n_bytes;
  const uint8_t *present;    /* bitmap of the rows that have a value; NULL: all have */
  const uint8_t *deferred;   /* bitmap of the rows that are Deferred, whatever `present` says; NULL: none is */
  size_t present_bit, deferred_bit; /* the bitmaps' first bits */
} weir_in_column;

/* An output's column: the caller's buffers.  What is NULL is not asked for. */
typedef struct weir_out_column {
  union {
    int64_t *i;
    double *f;
    uint8_t *b;
    uint32_t *offsets;       /* Text: rows + 1 of them; the first is set to 0 */
  } as;                      /* rows without a value get 0, or a text of no bytes.  Unit: not looked at */
  char *bytes;               /* Text: asked for if `offsets` is */
  size_t n_bytes;            /* the room there */
  uint8_t *present;          /* rows that have a value */
  uint8_t *deferred;         /* rows that are Deferred (and so have no value) */
  size_t present_bit, deferred_bit;
} weir_out_column;

/* Runs up to `rows` ticks, as weir_monitor_push does for each row.  ins[i] is the column of input i, n_ins the program's number of
** inputs; outs and n_outs likewise.  Only inputs, and outputs that are asked for, of the kinds Int, Float, Bool, Text and Unit are possible.
** *done, if given, is the number of rows committed, always: rows [0, *done) of the outputs are theirs, and what comes after is unspecified.
** OK: all rows.  Any other code: what stopped the batch at row *done, with its tick in e->row:
**   E_ARGUMENT            the call is wrong: buffers missing, not aligned for their type, or outputs that overlap with anything
**   E_ADMIT               the row does not fit; the caller may correct it and push the rest
**   E_FULL                the texts of the row need more room than is left; the caller may push the rest with other output buffers
**   anything else         as weir_monitor_push; weir_monitor_is_terminal tells whether the monitor is at its end
** In none of these has anything of row *done happened. */
WEIR_API weir_code weir_monitor_push_batch(weir_monitor *monitor, size_t rows, const weir_in_column *ins, size_t n_ins,
                                           const weir_out_column *outs, size_t n_outs, size_t *done, weir_error *e) WEIR_MUST_USE;

#ifdef __cplusplus
}
#endif
#endif
