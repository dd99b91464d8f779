/* frontend/sql_rules.h -- what a cut must keep, and whether that is boundedly much. */
#ifndef WSQL_RULES_H
#define WSQL_RULES_H

#include "frontend/sql_cut.h"

/* The values that are known at a cut and have few instances: 0, NOW, and all columns of the few members (one
** of those at a fixed distance).  In job->scratch. */
typedef struct wsql_anchors {
  uint32_t *at; /* vertices and WSQL_NOW */
  uint32_t n;
} wsql_anchors;
weir_code wsql_anchors_of(wsql_job *job, const wsql_cuts *cuts, const wsql_cut *cut, wsql_anchors *out) WB_MUST_USE;

/* Is there an anchor v with x_v <= x_i + w and x_j <= x_v + w' for some w, w'?  i == j: then x is bounded. */
bool wsql_is_anchored(const wsql_cuts *cuts, const wsql_cut *cut, const wsql_anchors *anchors, uint32_t i, uint32_t j);

static inline bool wsql_is_few(const wsql_form *f, const wsql_cut *cut, uint32_t vertex) { return cut->few >> wsql_alias_of(f, vertex) & 1; }

/* An attribute of C and a direction in which a value serves more later rows, where no anchor makes far values alike. */
typedef struct wsql_pair {
  uint32_t vertex;
  bool is_up;      /* larger is better */
  uint32_t edge;   /* the first unanchored one */
  uint32_t target; /* the vertex at the other end of all unanchored ones; WSQL_NONE: there are several */
} wsql_pair;

typedef enum wsql_pairs_are {
  WSQL_PAIRS_NONE,
  WSQL_PAIRS_ONE,     /* one extreme */
  WSQL_PAIRS_BOUND,   /* all bound one later attribute: its tightest bound */
  WSQL_PAIRS_OFFSETS, /* all at bounded distances from the first */
  WSQL_PAIRS_TOO_MANY,
} wsql_pairs_are;

typedef struct wsql_pairs {
  wsql_pair *at; /* in job->scratch */
  uint32_t n;
  wsql_pairs_are are;
} wsql_pairs;
weir_code wsql_pairs_of(wsql_job *job, const wsql_cuts *cuts, const wsql_cut *cut, const wsql_anchors *anchors, wsql_pairs *out) WB_MUST_USE;

/* Why a cut cannot be kept. */
typedef struct wsql_fault {
  bool is_fault;
  wsql_rule rule;
  uint32_t members, later;
  uint32_t vertex;
  bool lacks_low, lacks_high; /* RULE_LIST: which constant bound is missing; both false: each is there, but not by one anchor */
  bool is_up;                 /* RULE_EDGE, RULE_EXTREMES */
  uint32_t edge;              /* likewise: of the form */
  uint32_t other;             /* RULE_EXTREMES: the attribute of the second pair */
  bool other_is_up;
} wsql_fault;

/* What is wrong with the cuts of a form.  *fault: of the smallest faulty cut.  For sets, what another reading of the form may mend: `weak`, by edge,
** is true for the unanchored edges of the faulty cuts, and `outer`, by vertex, for their ends outside; both in job->scratch.  *is_hopeless: a
** cut is faulty in another way. */
typedef struct wsql_findings {
  wsql_fault fault;
  bool *weak, *outer;
  bool is_hopeless;
} wsql_findings;
weir_code wsql_rules_check(wsql_job *job, const wsql_cuts *cuts, wsql_findings *out) WB_MUST_USE;

#endif
