/* frontend/sql_binder.h -- what the files of the SQL binder share.
**
**   sql_bind.c    streams, tables and their rows
**   sql_names.c   FROM, and what the names in expressions mean
**   sql_query.c   (beside them) the result
**
** Several errors are found: what was refused is left out or taken for something likely, and nothing is concluded from it.  Only exhausted
** memory ends the binding. */
#ifndef WSQL_BINDER_H
#define WSQL_BINDER_H

#include "frontend/sql_bind.h"

typedef struct wsql_column_key { uint32_t relation, name, column; } wsql_column_key; /* relation: its number + 1; 0: a free place */

typedef struct wsql_binder {
  const wsql_script *script;
  wb_mem *mem;
  wsql_query *q;
  struct weir_diagnostics *diags;
  uint32_t *relation_of;    /* by name: number of the relation + 1 */
  wsql_column_key *columns; /* open addressing by relation and name */
  size_t cap_columns;       /* a power of two */
  uint32_t *seen;           /* by name: the list that has seen it */
  uint32_t n_lists;         /* so far */
} wsql_binder;

typedef struct wsql_shown { char at[72]; } wsql_shown; /* a name in a message, cut when it is long */
wsql_shown wsql_show(wb_str name);
static inline wb_str wsql_text_of(const wsql_binder *b, uint32_t name) { return wb_name(b->script->names, name); }

bool wsql_bind_memory(wsql_binder *b); /* answers false */
/* Is there a place for a hint: was the error just refused kept? */
static inline bool wsql_wants_hint(const wsql_binder *b) { return b->diags->last < b->diags->n; }
void wsql_hint_near(wsql_binder *b, const wb_near *near);

/* The number of the relation's column of that name, or WSQL_NONE. */
uint32_t wsql_find_column(const wsql_binder *b, uint32_t relation, uint32_t name);
/* The relation, which is called `of` there, has no such column. */
void wsql_refuse_column(wsql_binder *b, wb_str of, const wsql_relation *r, wsql_name name);
/* Marks the name as seen by the list numbered b->n_lists; false: it was before. */
static inline bool wsql_see(wsql_binder *b, uint32_t name) {
  if (b->seen[name] == b->n_lists) return false;
  b->seen[name] = b->n_lists;
  return true;
}

/* False: out of memory, reported. */
bool wsql_bind_selects(wsql_binder *b) WB_MUST_USE;

#endif
