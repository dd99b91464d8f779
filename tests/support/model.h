/* tests/support/model.h -- a second, slow implementation of the static language, to compare the engine with.
**
** It follows language.md 5 to 9 to the letter and optimizes nothing: every operand position of every occurrence has its own lifting
** memory, every delay keeps all samples it ever saw, a stream's history is all its values.  It shares no code with the engine but the
** types of the public header and the C library.  Programs come from a generator (model_make.c) and leave as text (model_text.c). */
#ifndef TEST_MODEL_H
#define TEST_MODEL_H

#include "weir.h"

#define MODEL_FAILED ((uint32_t)WEIR_TAG_COUNT) /* tag of a failure inside a guard: as.i is its number in this tick */

typedef enum model_type { MODEL_INT, MODEL_FLOAT, MODEL_BOOL, MODEL_STR, MODEL_ANY, MODEL_TYPES } model_type;

typedef enum model_kind {
  MODEL_CONST,
  MODEL_REF,       /* x */
  MODEL_HISTORY,   /* x[k], k >= 1, x a stream: another one or the enclosing one */
  MODEL_DELAY,     /* (e)[k], k >= 1 */
  MODEL_NOW,       /* (e)[0] */
  MODEL_OPERATOR,  /* all that section 7 has but && || => */
  MODEL_AND, MODEL_OR, MODEL_IMPLIES,
  MODEL_IF, MODEL_DEFAULT, MODEL_IS_DEFINED, MODEL_WHEN, MODEL_UPDATE, MODEL_LATCH, MODEL_INIT
} model_kind;

typedef enum model_op {
  MODEL_ADD, MODEL_SUB, MODEL_MUL, MODEL_DIV, MODEL_REM, MODEL_POW, MODEL_CONCAT,
  MODEL_EQ, MODEL_NE, MODEL_LT, MODEL_LE, MODEL_GT, MODEL_GE,
  MODEL_NEG, MODEL_ABS, MODEL_SIN, MODEL_COS, MODEL_TAN, MODEL_NOT
} model_op;

typedef struct model_node {
  model_kind kind;
  model_op op;
  model_type type;
  uint32_t n_kids;
  struct model_node *kids[3];
  bool becomes_float;  /* an Int where its parent unifies with a Float */
  weir_value value;    /* CONST */
  uint32_t stream;     /* REF HISTORY */
  uint64_t offset;     /* HISTORY DELAY */
  size_t at;           /* where the text says what failed; set by model_print */
  /* what it remembers */
  weir_value memory[3]; /* per operand: the last that was not NoVal */
  weir_value *samples;  /* DELAY: by tick */
  weir_value last;      /* HISTORY DELAY: the previous result */
  bool has_happened;    /* WHEN UPDATE INIT */
} model_node;

typedef struct model_stream {
  char name[16];
  weir_role role;
  model_type type;
  bool is_annotated;
  uint32_t rank;        /* immediate reads go to smaller ranks (of computed streams) only */
  model_node *root;
  weir_value now;
  weir_value *history;  /* by tick */
  /* of an input: how its values are made */
  uint32_t percent, first, percent_deferred;
} model_stream;

enum { MODEL_STREAMS = 16 };

typedef struct model {
  uint64_t seed, random;
  uint32_t n_streams, n_inputs; /* inputs first */
  uint32_t n_rows;
  bool is_bold;                 /* operations outside guards may fail */
  bool is_scalar;               /* no Str, no Any */
  model_stream streams[MODEL_STREAMS];
  uint32_t order[MODEL_STREAMS], n_order;
  struct model_block *blocks;   /* all memory of the model */
  uint64_t tick;
  uint32_t n_failures;          /* of this tick */
  struct { weir_code code; const model_node *node; } failures[4096];
  bool has_failed;              /* the tick: by which failure */
  int64_t failed_by;
  bool is_too_long;             /* a text grows without end: stop here */
} model;

typedef enum model_result { MODEL_DONE, MODEL_ENDED, MODEL_GIVEN_UP } model_result;

/* The program of a seed, and what runs it. */
model *model_new(uint64_t seed, uint32_t n_rows);
/* The same program before its first row, with memory of its own. */
model *model_clone(const model *m);
void model_free(model *m);
/* The specification's text, terminated.  Borrowed. */
const char *model_print(model *m);
/* The next row's inputs. */
void model_make_row(model *m, weir_value *row);
/* Runs a tick.  MODEL_ENDED: the tick fails with *code; *at is the place in the text, SIZE_MAX where the model does not know it.
** MODEL_GIVEN_UP: a text became too long, this tick is no test. */
model_result model_tick(model *m, const weir_value *row, weir_code *code, size_t *at);

/* Equal bit by bit; all NaNs are one. */
bool model_same(weir_value a, weir_value b);

/* For the parts of the model. */
void *model_take(model *m, size_t bytes); /* zeroed; lives as long as the model */
uint64_t model_random(model *m);
static inline uint32_t model_below(model *m, uint32_t n) { return (uint32_t)(model_random(m) % n); }
static inline bool model_chance(model *m, uint32_t percent) { return model_below(m, 100) < percent; }
void model_plan(model *m);    /* model_make.c: fills in streams and equations */
weir_value model_value(model *m, model_type type); /* a random proper one */

#endif
