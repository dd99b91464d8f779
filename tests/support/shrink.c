/* tests/support/shrink.c -- one change at a time, each kept if the predicate still holds, until none is.
**
** Every change makes the program or the trace smaller, so this ends.  Types stay what they are: an expression gives way only to an operand
** of its own type, or to a constant of it. */
#include "tests/support/shrink.h"

#include <stdlib.h>
#include <string.h>

typedef struct shrinker {
  model *m;
  model_trace *t;
  shrink_holds *holds;
  void *self;
  uint32_t tries_left;
} shrinker;

static bool still_holds(shrinker *s, const model *m, const model_trace *t) {
  if (s->tries_left == 0) return false;
  s->tries_left--;
  model *fresh = model_clone(m);
  bool answer = s->holds(s->self, fresh, t);
  model_free(fresh);
  return answer;
}

/* Takes a changed copy if it will do, else frees it. */
static bool take(shrinker *s, model *changed) {
  bool is_good = still_holds(s, changed, s->t);
  model_free(is_good ? s->m : changed);
  if (is_good) s->m = changed;
  return is_good;
}

/* ---- Rows ---- */

static bool drop_rows(shrinker *s, uint32_t first, uint32_t n) {
  model_trace less = {.rows = malloc(s->t->n * sizeof *less.rows), .n = s->t->n - n};
  if (less.rows == NULL) abort();
  memcpy(less.rows, s->t->rows, first * sizeof *less.rows);
  memcpy(less.rows + first, s->t->rows + first + n, (less.n - first) * sizeof *less.rows);
  bool is_good = still_holds(s, s->m, &less);
  if (is_good) {
    memcpy(s->t->rows, less.rows, less.n * sizeof *less.rows);
    s->t->n = less.n;
  }
  free(less.rows);
  return is_good;
}

/* From the end, in ever smaller runs. */
static bool shrink_rows(shrinker *s) {
  bool any = false;
  for (uint32_t run = s->t->n / 2 + 1; run != 0; run /= 2)
    for (uint32_t end = s->t->n; end >= run; end -= run) any |= drop_rows(s, end - run, run);
  return any;
}

static bool shrink_values(shrinker *s) {
  bool any = false;
  for (uint32_t r = 0; r < s->t->n; r++)
    for (uint32_t i = 0; i < s->m->n_inputs; i++) {
      weir_value was = s->t->rows[r].in[i];
      if (was.tag == WEIR_NOVAL) continue;
      s->t->rows[r].in[i] = (weir_value){.tag = WEIR_NOVAL};
      if (still_holds(s, s->m, s->t)) any = true;
      else s->t->rows[r].in[i] = was;
    }
  return any;
}

/* ---- Expressions ---- */

/* The place of the node with this number, counted from the root and left to right, or NULL. */
static model_node **place_in(model_node **at, uint32_t *number) {
  if ((*number)-- == 0) return at;
  for (uint32_t k = 0; k < (*at)->n_kids; k++) {
    model_node **found = place_in(&(*at)->kids[k], number);
    if (found != NULL) return found;
  }
  return NULL;
}
static model_node **place(model *m, uint32_t number) {
  model_node **found = NULL;
  for (uint32_t i = m->n_inputs; i < m->n_streams && found == NULL; i++) found = place_in(&m->streams[i].root, &number);
  return found;
}

/* `(x)[k]` is the history of x. */
static void settle_delays(model_node *n) {
  for (uint32_t k = 0; k < n->n_kids; k++) settle_delays(n->kids[k]);
  if (n->kind != MODEL_DELAY || n->kids[0]->kind != MODEL_REF) return;
  n->kind = MODEL_HISTORY;
  n->stream = n->kids[0]->stream;
  n->n_kids = 0;
}

enum { BY_CONSTANT = 3 }; /* the smaller ones: by that operand */

static void put_constant(model_node *n) {
  static const weir_value values[] = {[MODEL_INT] = {.tag = WEIR_INT, .as.i = 1}, [MODEL_FLOAT] = {.tag = WEIR_FLOAT, .as.f = 1.0},
                                      [MODEL_BOOL] = {.tag = WEIR_BOOL, .as.b = true}, [MODEL_STR] = {.tag = WEIR_TEXT, .as.text = ""}};
  *n = (model_node){.kind = MODEL_CONST, .type = n->type, .value = values[n->type], .becomes_float = n->becomes_float};
}

static bool replace(shrinker *s, uint32_t number, uint32_t by) {
  const model_node *n = *place(s->m, number);
  if (by == BY_CONSTANT ? n->kind == MODEL_CONST || n->type >= MODEL_ANY : by >= n->n_kids || n->kids[by]->type != n->type) return false;
  model *changed = model_clone(s->m);
  model_node **at = place(changed, number);
  if (by == BY_CONSTANT) put_constant(*at);
  else {
    bool becomes_float = (*at)->becomes_float;
    *at = (*at)->kids[by];
    (*at)->becomes_float = becomes_float;
  }
  for (uint32_t i = changed->n_inputs; i < changed->n_streams; i++) settle_delays(changed->streams[i].root);
  return take(s, changed);
}

/* From the roots on, so that the largest go first. */
static bool shrink_expressions(shrinker *s) {
  bool any = false;
  for (uint32_t number = 0; place(s->m, number) != NULL; number++) {
    uint32_t by = 0;
    while (by <= BY_CONSTANT)
      if (replace(s, number, (by + BY_CONSTANT) % (BY_CONSTANT + 1))) any = true, by = 0; /* a constant first */
      else by++;
  }
  return any;
}

/* ---- Declarations ---- */

static bool reads(const model_node *n, uint32_t stream) {
  if ((n->kind == MODEL_REF || n->kind == MODEL_HISTORY) && n->stream == stream) return true;
  for (uint32_t k = 0; k < n->n_kids; k++)
    if (reads(n->kids[k], stream)) return true;
  return false;
}
static bool is_read_by_another(const model *m, uint32_t stream) {
  for (uint32_t i = m->n_inputs; i < m->n_streams; i++)
    if (i != stream && reads(m->streams[i].root, stream)) return true;
  return false;
}

static void renumber(model_node *n, uint32_t without) {
  if ((n->kind == MODEL_REF || n->kind == MODEL_HISTORY) && n->stream > without) n->stream--;
  for (uint32_t k = 0; k < n->n_kids; k++) renumber(n->kids[k], without);
}

static model *without_stream(const model *of, uint32_t stream) {
  model *m = model_clone(of);
  memmove(&m->streams[stream], &m->streams[stream + 1], (m->n_streams - stream - 1) * sizeof m->streams[0]);
  m->n_streams--;
  if (stream < m->n_inputs) m->n_inputs--;
  for (uint32_t i = m->n_inputs; i < m->n_streams; i++) renumber(m->streams[i].root, stream);
  return m;
}

static void move_inputs(model_trace *t, uint32_t to, uint32_t from, uint32_t n) {
  for (uint32_t r = 0; r < t->n; r++) memmove(&t->rows[r].in[to], &t->rows[r].in[from], n * sizeof t->rows[r].in[0]);
}

/* An input's values go with it: in a copy of the rows, since they come back if that will not do. */
static bool drop_stream(shrinker *s, uint32_t stream) {
  model_row *kept = malloc((s->t->n + 1) * sizeof *kept);
  if (kept == NULL) abort();
  memcpy(kept, s->t->rows, s->t->n * sizeof *kept);
  if (stream < s->m->n_inputs) move_inputs(s->t, stream, stream + 1, s->m->n_inputs - stream - 1);
  bool is_good = take(s, without_stream(s->m, stream));
  if (!is_good) memcpy(s->t->rows, kept, s->t->n * sizeof *kept);
  free(kept);
  return is_good;
}

static bool shrink_streams(shrinker *s) {
  bool any = false;
  for (uint32_t i = s->m->n_streams; i-- > 0;)
    if (!is_read_by_another(s->m, i)) any |= drop_stream(s, i);
  return any;
}

void shrink(model **m, model_trace *t, shrink_holds *holds, void *self, uint32_t most_tries) {
  shrinker s = {.m = *m, .t = t, .holds = holds, .self = self, .tries_left = most_tries};
  bool any = true;
  while (any) {
    any = shrink_rows(&s);
    any |= shrink_streams(&s);
    any |= shrink_expressions(&s);
    any |= shrink_values(&s);
  }
  *m = s.m;
}
