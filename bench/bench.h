/* bench/bench.h -- what the files of the benchmark share: workloads' data, the ways to run them, and results.
**
** A case is a workload in a variant, or a user's own specification.  A way is one engine and one form of call: a floor, an interpreter, or
** a tier of Weir.  The ways of a case take turns (bench/turns.c), must agree on the checksum, and give a result each. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>

#include "bench/limits/floor.h"
#include "bench/weir_bench.h"

#define BENCH_PRINTF(a, b) __attribute__((format(printf, a, b)))
#define BENCH_LEN(array) (sizeof(array) / sizeof *(array))

enum { BENCH_BLOCK = 32 /* rows whose outputs stay in the first-level cache */, BENCH_VARIANTS = FAULT /* BASE to SPARSE */ };
enum { BENCH_WORKLOADS = WEIR_BENCH_CHAINS, BENCH_LEVELS = 3, BENCH_WHY = 96 };

/* ---- Options and errors ---- */

typedef struct bench_options {
  size_t rows;              /* of a case */
  int repeats;              /* timed passes of each way */
  double budget;            /* seconds of a timed pass: a slow way runs fewer rows */
  double until;             /* the time from which on variants and sizes are left out; infinite without --quick */
  int processes;            /* 1: this one */
  int raw_fd;               /* where to write results as they are in memory, for the process that started this one; -1: print */
  int level;                /* 0 x86-64, 1 x86-64-v3, 2 as the floor: the interpreter that ratios are against */
  bool is_quick, with_medians, with_chains, with_warm_up, with_command;
  bool variants[BENCH_VARIANTS];
  bool workloads[BENCH_WORKLOADS]; /* by number */
  const weir_bench_own *own;       /* NULL: the suite */
  const weir_bench_request *request;
} bench_options;

typedef struct bench_error {
  char text[512];         /* empty: none, or told already */
  bool is_tick, is_stopped;
  weir_error tick;        /* of is_tick: how a row of the user's own failed */
  int status;             /* of a process that has told: what it ended with */
} bench_error;

double bench_now(void); /* seconds */
/* Writes the message; returns false. */
bool bench_fail(bench_error *e, const char *format, ...) BENCH_PRINTF(2, 3);
bool bench_fail_memory(bench_error *e);
void bench_read_options(bench_options *o, const weir_bench_request *q);
static inline bool bench_has_time(const bench_options *o) { return bench_now() < o->until; }
/* Between two pieces of work.  False: it is to end; `e` says so. */
bool bench_goes_on(const bench_options *o, bench_error *e);
void bench_progress(const bench_options *o, const char *what, const char *variant);
void *bench_alloc(size_t bytes);   /* zeroed, on a page of its own; never NULL: ends the process */
extern const char *const bench_levels[BENCH_LEVELS];
extern const char *const bench_variants[BENCH_VARIANTS];

/* What the floor, the interpreters of the last level and the harness were built for: a bit for each set of instructions (bench_run.c). */
extern const unsigned bench_built_for;
extern const char bench_built_name[]; /* as the compiler was told: "native", "x86-64-v3" */

/* ---- A case's data ---- */

typedef struct bench_data {
  const Floor *floor;
  const Workload *work;  /* of that floor */
  Variant variant;
  size_t n, ins, outs;
  Cell *rows;            /* row by row */
  Cell **cols;           /* the same, column by column */
  uint64_t *present;     /* SPARSE: a bit for each input of a row */
  uint64_t **valid;      /* SPARSE: a bit for each row of a column */
  char *spec;            /* the specification; owned, as all above */
  size_t spec_length;
} bench_data;

void bench_data_make(bench_data *d, const char *workload, Variant v, size_t rows);
void bench_data_end(bench_data *d);
static inline bool bench_is_sparse(const bench_data *d) { return d->variant == SPARSE; }

/* Checksums: sums[c] gains (2 row + 1) * cell for each cell of column c.  From rows of cells; from columns, Bools a byte each. */
void bench_weigh_rows(const bench_data *d, size_t first, size_t n, const Cell *rows, uint64_t *sums);
void bench_weigh_columns(const bench_data *d, size_t first, size_t n, const Column *cols, bool bools_are_bytes, uint64_t *sums);
uint64_t bench_fold(const uint64_t *sums, size_t n);

/* Reads the first n rows, as rows or as columns, so that they are as near to the processor as they can be. */
void bench_touch(const bench_data *d, size_t n, bool as_columns);

/* ---- Ways ---- */

/* The tiers of Weir, in the order of their ways. */
#define BENCH_TIERS(X) X(CANON, "canonical", CANONICAL) X(QUICK, "quickened", QUICKENED) X(NATIVE, "native", NATIVE) X(AUTO, "auto", AUTO)
typedef enum bench_tier {
#define X(id, name, tier) BENCH_TIER_##id,
  BENCH_TIERS(X)
#undef X
  BENCH_TIER_COUNT
} bench_tier;
typedef struct bench_tier_info { const char *name; weir_tier tier; } bench_tier_info;
extern const bench_tier_info bench_tiers[BENCH_TIER_COUNT];

/* X(id, engine, form of call).  All of a floor or interpreter that may follow each other as levels stand in the order of bench_levels; those
** of Weir in the order of bench_tiers, and of bench_forms. */
#define BENCH_WAYS(X) \
  X(ROW_CHECKED, "floor", "row-checked") \
  X(ROW_API, "floor", "row-api") \
  X(BATCH_CHECKED, "floor", "batch-checked") \
  X(ROW_X86_64, "interp x86-64", "row-checked") \
  X(ROW_V3, "interp x86-64-v3", "row-checked") \
  X(ROW_NATIVE, "interp native", "row-checked") \
  X(TILE_X86_64, "interp x86-64", "tile-checked") \
  X(TILE_V3, "interp x86-64-v3", "tile-checked") \
  X(TILE_NATIVE, "interp native", "tile-checked") \
  X(CANON_TAGGED, "canonical", "tagged") \
  X(CANON_TYPED, "canonical", "typed") \
  X(CANON_BATCH, "canonical", "batch") \
  X(QUICK_TAGGED, "quickened", "tagged") \
  X(QUICK_TYPED, "quickened", "typed") \
  X(QUICK_BATCH, "quickened", "batch") \
  X(NATIVE_TAGGED, "native", "tagged") \
  X(NATIVE_TYPED, "native", "typed") \
  X(NATIVE_BATCH, "native", "batch") \
  X(AUTO_TAGGED, "auto", "tagged") \
  X(AUTO_TYPED, "auto", "typed") \
  X(AUTO_BATCH, "auto", "batch")
typedef enum bench_way {
#define X(id, engine, form) BENCH_##id,
  BENCH_WAYS(X)
#undef X
  BENCH_WAY_COUNT
} bench_way;
/* What is timed from the text on: the tiers, and the native one where another process has kept its machine code on disk. */
typedef enum bench_course {
#define X(id, name, tier) BENCH_COURSE_##id,
  BENCH_TIERS(X)
#undef X
  BENCH_COURSE_KEPT,
  BENCH_COURSE_COUNT
} bench_course;
extern const bench_tier_info bench_courses[BENCH_COURSE_COUNT];

typedef struct bench_way_info { const char *engine, *form; } bench_way_info;
extern const bench_way_info bench_ways[BENCH_WAY_COUNT];

typedef enum bench_form { BENCH_TAGGED, BENCH_TYPED, BENCH_BATCH, BENCH_FORM_COUNT } bench_form;
static inline bool bench_is_weir(bench_way way) { return way >= BENCH_CANON_TAGGED; }
static inline bench_tier bench_tier_of(bench_way way) { return (bench_tier)((way - BENCH_CANON_TAGGED) / BENCH_FORM_COUNT); }
static inline bench_form bench_form_of(bench_way way) { return (bench_form)((way - BENCH_CANON_TAGGED) % BENCH_FORM_COUNT); }
static inline bench_way bench_way_of(bench_tier tier, bench_form form) {
  return (bench_way)(BENCH_CANON_TAGGED + (unsigned)tier * BENCH_FORM_COUNT + (unsigned)form);
}

/* A way in a case. */
typedef struct bench_runner {
  const struct bench_runner_ops *ops;
  void *self;
} bench_runner;
typedef struct bench_runner_ops {
  /* A fresh state: the next row is row 0. */
  bool (*start)(void *self, bench_error *e);
  /* Runs rows [0, n).  `sums`, where given, gains the checksums. */
  bool (*run)(void *self, size_t n, uint64_t *sums, bench_error *e);
  void (*end)(void *self);
  bool reads_columns; /* it runs on columns, and not on rows */
  /* Waits for what goes on behind the scenes; NULL: nothing does. */
  void (*settle)(void *self);
} bench_runner_ops;

/* What the ways of a case run on. */
typedef struct bench_subject {
  const char *name, *variant; /* for messages; variant may be empty */
  size_t rows, sums;          /* how many checksums `run` fills in */
  void *of;                   /* for the functions; outlives the runners */
  /* Makes the runner of a way.  False: the way is not there for this case; `why` says why (empty: not worth a word).  Where *is_wrong
  ** is set, it should have been there. */
  bool (*open)(void *of, bench_way way, bench_runner *out, char why[BENCH_WHY], bool *is_wrong);
  void (*touch)(void *of, size_t n, bool as_columns);
} bench_subject;

bool bench_open_floor(bench_way way, const bench_data *d, bench_runner *out);
bool bench_open_weir(bench_way way, const bench_data *d, bench_runner *out, char why[BENCH_WHY], bool *is_wrong);
/* How a monitor of a way is made. */
weir_options bench_monitor_options(bench_way way);
/* Waits while machine code for the monitor is being made. */
void bench_wait_for_code(const weir_monitor *m);
/* Whether a monitor of the native tier has code, and why not. */
bool bench_has_kernels(const weir_monitor *m, char why[BENCH_WHY]);
/* The same of the one that the runner starts with: it runs quickened where kernels cannot.  True also where it does not start: then the turns tell. */
bool bench_starts_in_kernels(const bench_runner *r, weir_monitor *const *monitor, char why[BENCH_WHY]);

/* ---- Rows one by one ---- */

/* A specification and rows for it: typed ones, or for programs that are not typed tagged ones. */
typedef struct bench_rows {
  const char *text;
  size_t length;
  const weir_compile_options *compile; /* NULL: usual */
  size_t n;
  uint32_t ins, outs;
  const weir_value *values;  /* tagged; NULL where there are cells */
  const weir_cell *cells;    /* typed; NULL where there are values */
  const uint64_t *present, *deferred; /* typed: WEIR_WORDS(ins) words a row; NULL: all, and none */
} bench_rows;

/* A monitor of a tier, with an engine and a program of its own. */
typedef struct bench_fresh {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *monitor;
  double compile, made; /* seconds: weir_compile; weir_monitor_new */
} bench_fresh;
/* `cache` is a folder for machine code; NULL: none.  To be ended in any case. */
bool bench_fresh_make(bench_fresh *f, const bench_rows *rows, weir_tier tier, const char *cache, bench_error *e);
void bench_fresh_end(bench_fresh *f);
/* Row i.  `outs` has room for its typed outputs. */
bool bench_push(const bench_rows *rows, weir_monitor *m, size_t i, weir_cell *outs, bench_error *e);
/* A folder of its own, empty; NULL: the system has none.  bench_folder_end removes it with all files that are in it. */
char *bench_folder_make(void);
bool bench_folder_is_empty(const char *folder);
void bench_folder_end(char *folder);
bool bench_fail_call(bench_error *e, const weir_error *why); /* what a call of Weir answered */

/* ---- Results ---- */

/* The less of two measurements, of which 0 is none. */
static inline void bench_keep_least(double *least, double other) {
  if (*least == 0 || (other != 0 && other < *least)) *least = other;
}

typedef struct bench_result {
  bool is_there;
  char why[BENCH_WHY];   /* not there: the reason, or empty */
  size_t rows;           /* of a timed pass */
  double least, median;  /* ns a row */
} bench_result;

typedef struct bench_case {
  bool is_there;
  uint64_t sum;          /* the checksum that all ways agreed on */
  size_t rows;           /* of that checksum */
  bench_result results[BENCH_WAY_COUNT];
} bench_case;

/* A specification of many equations, each on the one before. */
enum { BENCH_CHAINS = 6 };
typedef struct bench_chain {
  bool is_there;
  size_t equations, bytes;
  double compile, made[BENCH_COURSE_COUNT]; /* seconds: to compile; to make a monitor; 0: not measured */
  double first;                         /* seconds: the first row in the quickened tier */
  size_t memory;                        /* bytes a quickened monitor holds */
  size_t code;                          /* bytes of machine code */
} bench_chain;

/* Time from the text on, over rows. */
enum { BENCH_WARM_UPS = 3, BENCH_POINTS = 24 };
typedef struct bench_warm_up {
  bool is_there;
  char name[16];                                /* of the workload; empty: the user's own */
  size_t rows[BENCH_POINTS];                    /* 0: no more of them */
  double seconds[BENCH_COURSE_COUNT][BENCH_POINTS]; /* 0: not reached in its time, or the course is not there */
} bench_warm_up;

/* The command as a whole, from CSV to CSV, each run a process (command.c). */
typedef enum bench_command_way {
  BENCH_COMMAND_FLOOR,
  BENCH_COMMAND_QUICK,   /* one thread, as the next two */
  BENCH_COMMAND_KEPT,    /* native, with machine code that an earlier process has kept */
  BENCH_COMMAND_AUTO,    /* without any that is kept */
  BENCH_COMMAND_DEFAULT, /* nothing set: auto, with what is kept, and a second thread */
  BENCH_COMMAND_WAYS
} bench_command_way;
typedef enum bench_command_size { BENCH_COMMAND_ONE, BENCH_COMMAND_SOME, BENCH_COMMAND_ALL, BENCH_COMMAND_SIZES } bench_command_size;
typedef struct bench_took { /* the least of all runs; 0: the way is not there */
  double wall, cpu;         /* seconds; cpu: of user and system */
  size_t memory;            /* bytes that were resident at most */
} bench_took;
enum { BENCH_COMMAND_VARIANTS = CONSTS + 1, BENCH_COMMAND_WORKLOADS = 10 /* W1 to W9 */ };
typedef struct bench_command {
  bool is_there;
  size_t rows[BENCH_COMMAND_SIZES];
  bench_took took[BENCH_COMMAND_SIZES][BENCH_COMMAND_WAYS];
} bench_command;

/* What reports show of it, each in a table. */
typedef enum bench_command_what { BENCH_COMMAND_CPU, BENCH_COMMAND_WALL, BENCH_COMMAND_MEMORY } bench_command_what;
typedef struct bench_command_table {
  const char *title, *unit;
  bench_command_size size;
  bench_command_what what;
} bench_command_table;
enum { BENCH_COMMAND_TABLES = 5 };
extern const bench_command_table bench_command_tables[BENCH_COMMAND_TABLES];
const char *bench_command_name(bench_command_way way);
/* In the unit of the table; 0: the way is not there. */
double bench_command_value(const bench_command *c, const bench_command_table *t, bench_command_way way);
void bench_keep_took(bench_took *least, const bench_took *other);

/* What a tier takes for a user's own program. */
typedef struct bench_cost {
  char why[BENCH_WHY];        /* of the native tier: why it has no code; else empty */
  double compile, made, first; /* seconds: weir_compile; weir_monitor_new; the first row */
  size_t memory, peak;         /* bytes that the monitor held after all rows, and at most */
  double code_seconds;         /* to make machine code; 0: none was made */
  uint64_t code_bytes, declined;
  uint64_t rows[WEIR_TIER_COUNT]; /* that ran in each tier */
} bench_cost;

typedef struct bench_own {
  bench_case turns;
  size_t inputs, outputs;
  uint64_t state_bytes;
  bool plus_values;
  bench_cost costs[BENCH_TIER_COUNT];
} bench_own;

typedef struct bench_results {
  bench_case cases[BENCH_WORKLOADS][BENCH_VARIANTS];
  bench_chain chains[BENCH_CHAINS];
  bench_warm_up warm_ups[BENCH_WARM_UPS];
  bench_command commands[BENCH_COMMAND_WORKLOADS][BENCH_COMMAND_VARIANTS]; /* by number */
  bench_own own;
  size_t left_out; /* variants and sizes, for lack of time */
} bench_results;

bool bench_run_turns(const bench_options *o, const bench_subject *s, bench_case *out, bench_error *e);       /* turns.c */
bool bench_run_case(const bench_options *o, const char *workload, Variant v, bench_case *out, bench_error *e); /* turns.c */
bool bench_run_chains(const bench_options *o, bench_results *out, bench_error *e);                           /* chains.c */
bool bench_warm_up_rows(const bench_options *o, const bench_rows *rows, bool goes_round, bench_warm_up *out, bench_error *e); /* warm_up.c */
bool bench_run_warm_ups(const bench_options *o, bench_warm_up *out, bench_error *e);                         /* warm_up.c */
bool bench_run_commands(const bench_options *o, Variant v, bench_results *out, bench_error *e);              /* command.c */
bool bench_run_own(const bench_options *o, bench_results *out, bench_error *e);                              /* own.c */
bool bench_run_processes(const bench_options *o, bench_results *out, bench_error *e);                        /* processes.c */

/* ---- Reports ---- */

/* What the interpreters of --level were built for. */
const char *bench_level_name(const bench_options *o);

/* About the run as a whole. */
typedef struct bench_place {
  char cpu[200]; /* the processor's name; empty: not known */
  double load;
  bool has_more; /* than the floor was built for (bench_run.c) */
} bench_place;
void bench_read_place(bench_place *p); /* all but the last */

void bench_print_table(FILE *to, const bench_options *o, const bench_results *r, const bench_place *p); /* bench_print.c */
void bench_print_json(FILE *to, const bench_options *o, const bench_results *r, const bench_place *p);  /* bench_json.c */
void bench_print_html(FILE *to, const bench_options *o, const bench_results *r, const bench_place *p);  /* bench_html.c */

#endif
