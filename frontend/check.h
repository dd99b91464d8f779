/* frontend/check.h -- what the files of the checker share.  Nobody else includes it: the door is infer.h.
**
**   check.c               declarations, names, scopes, places of temporal operators: all that does not need types
**   infer.c               the order of inference, the walk over an equation, gradual fallback
**   infer_ops.c           rules of leaves, operators, if, delay, the stateful builtins, dynamic and defer
**   infer_call.c          rules of lambdas, calls, fix, partial and callbacks
**   infer_collections.c   rules of literals, fields, List.* and Map.*
**   refuse.c              messages and hints
**
** A rule answers false when its equation ends here: wfe_checker.outcome then tells why. */
#ifndef WFE_CHECK_H
#define WFE_CHECK_H

#include "frontend/infer.h"

typedef enum wfe_outcome {
  WFE_FINE,
  WFE_ERROR,   /* a diagnostic was added */
  WFE_WIDENED, /* a mismatch in an unannotated stream: its equation runs untyped (language.md 4, 3) */
  WFE_MEMORY   /* exhausted; said in the diagnostics already */
} wfe_outcome;

/* A node that is being walked. */
typedef struct wfe_visit {
  wfe_ref at;
  wfe_ref child;     /* the next child to enter; none: leave */
  uint32_t nth;      /* its place among the children, from 0 */
  wir_type expected; /* the expected type of the node, or WIR_NONE */
  bool is_turned;    /* the first child, a function with parameters to be inferred, is entered last */
  wfe_ref param;     /* then: the parameter that the next child goes into */
} wfe_visit;

typedef struct wfe_edge { uint32_t from, to; } wfe_edge; /* `to` cannot be inferred before `from` */

typedef struct wfe_checker {
  const wfe_tree *tree;
  wir_types *types; /* the tree's */
  wb_mem *mem;
  wfe_checked *out;
  struct weir_diagnostics *diags;
  uint32_t *stream_of; /* by name: number of the stream + 1 */
  bool *has_failed;    /* by stream: its equation is missing or wrong, so that nothing may be concluded from it */
  wfe_outcome outcome; /* of the equation that is being checked */
  bool is_gradual;     /* it belongs to an unannotated stream */
  WB_VEC(wfe_edge) edges; /* among unannotated streams */
  WB_VEC(wfe_visit) stack;
  WB_VEC(wir_type_part) parts; /* of a type that a rule makes */
  wb_bytes buffer;             /* for the text of a type */
  WB_VEC(uint32_t) lines;      /* where lines begin, once a message has needed it */
} wfe_checker;

static inline const wfe_node *wfe_node_at(const wfe_checker *c, wfe_ref r) { return wfe_at(c->tree, r); }
static inline wfe_ref wfe_next(const wfe_checker *c, wfe_ref r) { return wfe_at(c->tree, r)->next; }
static inline wfe_typing *wfe_typing_at(const wfe_checker *c, wfe_ref r) { return &c->out->typing[r.i]; }
static inline wir_type wfe_type_of(const wfe_checker *c, wfe_ref r) { return c->out->typing[r.i].type; }
static inline wir_type_kind wfe_kind_of(const wfe_checker *c, wir_type x) { return wir_type_kind_of(c->types, x); }

/* ---- The phases ---------------------------------------------------------------------------------------------------- */

/* Infers and checks all equations; names must have been resolved, edges gathered. */
void wfe_infer(wfe_checker *c);

/* ---- Rules --------------------------------------------------------------------------------------------------------- */

/* Called before child f->child is entered; answers its expected type, or WIR_NONE. */
typedef wir_type wfe_entering_fn(wfe_checker *c, const wfe_visit *f);
/* Called when all children have types: gives the node its own. */
typedef bool wfe_leaving_fn(wfe_checker *c, const wfe_visit *f);

wfe_entering_fn wfe_entering_call, wfe_entering_partial, wfe_entering_callback, wfe_entering_fold; /* infer_call.c */
wfe_leaving_fn wfe_leaving_lambda, wfe_leaving_call, wfe_leaving_partial, wfe_leaving_fix, wfe_leaving_list_map, wfe_leaving_list_filter,
  wfe_leaving_list_fold;
/* Is the first child a function whose parameters are to be taken from the other children?  *param: the first of these. */
bool wfe_is_turned(const wfe_checker *c, wfe_ref r, wfe_ref *param);
/* Gives a lambda's parameters their types, as far as they have none: written, from a function type expected, Any. */
void wfe_enter_lambda(wfe_checker *c, wfe_ref lambda, wir_type expected);
/* The lambda that a call of `callee` binds parameters of, and the first parameter bound: the literal itself, that inside fix or partial. */
bool wfe_called_lambda(const wfe_checker *c, wfe_ref callee, wfe_ref *lambda, uint32_t *first);
wfe_ref wfe_lambda_body(const wfe_checker *c, wfe_ref lambda);

wfe_entering_fn wfe_entering_element, wfe_entering_entry, wfe_entering_addition, wfe_entering_insert; /* infer_collections.c */
wfe_leaving_fn wfe_leaving_list, wfe_leaving_tuple, wfe_leaving_map, wfe_leaving_object, wfe_leaving_entry, wfe_leaving_field,
  wfe_leaving_item, wfe_leaving_list_get, wfe_leaving_list_append, wfe_leaving_list_concat, wfe_leaving_list_head,
  wfe_leaving_list_tail, wfe_leaving_list_len, wfe_leaving_map_get, wfe_leaving_map_remove, wfe_leaving_map_has_key,
  wfe_leaving_map_insert;
/* The element type of a list operand; Any for an Any.  Anything else is refused. */
bool wfe_list_element(wfe_checker *c, wfe_ref operand, wir_type *element);

wfe_entering_fn wfe_entering_if, wfe_entering_same, wfe_entering_first; /* infer_ops.c */
wfe_leaving_fn wfe_leaving_int, wfe_leaving_float, wfe_leaving_bool, wfe_leaving_unit, wfe_leaving_str, wfe_leaving_name,
  wfe_leaving_unary, wfe_leaving_binary, wfe_leaving_if, wfe_leaving_delay, wfe_leaving_trig, wfe_leaving_abs, wfe_leaving_both,
  wfe_leaving_latch, wfe_leaving_bool_of_any, wfe_leaving_dynamic;

/* ---- Words for rules ----------------------------------------------------------------------------------------------- */

/* Gives the node its type; WIR_NONE means that making it exhausted memory. */
bool wfe_give(wfe_checker *c, const wfe_visit *f, wir_type type);
/* The value of `child` enters a place of type `to`: sets `becomes` where it must be converted or checked, or refuses. */
bool wfe_settle(wfe_checker *c, wfe_ref child, wir_type to);
/* *common = unify(*common, type of child), or refuses the child. */
bool wfe_join(wfe_checker *c, wfe_ref child, wir_type *common);
/* A type that an operation takes out of a container: what is not known is Any. */
static inline wir_type wfe_taken(wir_type x) { return x.i == WIR_TYPE_UNKNOWN ? WIR_ANY : x; }
/* An expected type; one that is not wholly known is no help. */
static inline wir_type wfe_expect(const wfe_checker *c, wir_type x) { return wir_type_at(c->types, x)->has_unknown ? WIR_NONE : x; }

/* ---- Messages ------------------------------------------------------------------------------------------------------ */

typedef struct wfe_text { char at[100]; } wfe_text;
wfe_text wfe_type_text(wfe_checker *c, wir_type x);
wfe_text wfe_name_text(const wfe_checker *c, uint32_t name);
/* The text of a span on one line, cut. */
wfe_text wfe_source_text(const wfe_checker *c, weir_span span);
/* The operator or word of a node, as it is written there. */
weir_span wfe_operator_span(const wfe_checker *c, wfe_ref r);
uint32_t wfe_line(wfe_checker *c, uint32_t offset);

/* Will an error at `span` be among those that are kept?  Where it is not, its text is not worth the time. */
bool wfe_is_kept(const wfe_checker *c, weir_span span);

/* All answer false, so that a rule may return them. */
bool wfe_refuse(wfe_checker *c, weir_code code, weir_span span, const char *fmt, ...) WB_PRINTF(4, 5);
bool wfe_refuse_memory(wfe_checker *c);
/* `got` stands where `want` is needed: an error, or WFE_WIDENED in an unannotated stream. */
bool wfe_refuse_mismatch(wfe_checker *c, wfe_ref r, wir_type want, wir_type got);
/* The hint of the error refused last, if it was refused. */
void wfe_hint(wfe_checker *c, const char *fmt, ...) WB_PRINTF(2, 3);
/* "did you mean", if one of the candidates offered is near. */
void wfe_hint_nearest(wfe_checker *c, const wb_near *near);
void wfe_hint_conversion(wfe_checker *c, wfe_ref r, wir_type want, wir_type got);

#endif
