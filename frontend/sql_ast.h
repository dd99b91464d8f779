/* frontend/sql_ast.h -- the syntax of a SQL script, as it is written.
**
** Flat: each kind of thing stands in one array, in order of the text, and what holds several of them is a range of that array.  A
** condition is a conjunction, so its predicates are a list too, and parentheses leave no trace.  Names are folded and interned; which
** stream or column they mean is the binder's business.  Written by sql_parse.c, read by sql_bind.c. */
#ifndef WSQL_AST_H
#define WSQL_AST_H

#include "frontend/sql_query.h"

typedef struct wsql_range { uint32_t first, end; } wsql_range;

typedef struct wsql_name {
  uint32_t id;    /* WB_NO_NAME: none is written */
  weir_span span;
} wsql_name;

/* A column and integers added to it, or integers alone: `t.j`, `s.i - 10`, `5`. */
typedef struct wsql_sum {
  wsql_name table, column; /* table: WB_NO_NAME where the column is written alone; column: where there is none at all */
  wsql_int plus;         /* exact: a text has not nearly enough literals of 64 bits to overflow it */
  weir_span span;
} wsql_sum;

typedef struct wsql_value { int64_t value; weir_span span; } wsql_value;

typedef enum wsql_pred_form {
  WSQL_COMPARE, /* left op right */
  WSQL_BETWEEN, /* left BETWEEN right AND high */
  WSQL_IN,      /* left IN (list) */
  WSQL_NOT_IN
} wsql_pred_form;

typedef struct wsql_pred_text {
  wsql_pred_form form;
  wsql_cmp cmp;       /* WSQL_COMPARE */
  uint32_t n_visible; /* refs of the FROM that it sees: those before the end of the ON that it stands in */
  wsql_sum left, right, high;
  wsql_range list;    /* of values */
  weir_span span, op_span;
} wsql_pred_text;

typedef struct wsql_column_text {
  wsql_name name;
  bool is_timestamp;
  weir_span type_span;
} wsql_column_text;

typedef struct wsql_create {
  wsql_name name;
  bool is_stream, has_until, has_rate;
  int64_t until, rate; /* not negative */
  wsql_range columns;
} wsql_create;

typedef struct wsql_insert {
  wsql_name table;
  bool has_columns;
  wsql_range columns; /* of insert_columns: the names in parentheses */
  wsql_range rows;    /* of insert_rows */
} wsql_insert;

typedef struct wsql_insert_row { wsql_range values; weir_span span; } wsql_insert_row;

/* CREATE and INSERT, in order of the text. */
typedef struct wsql_statement { bool is_insert; uint32_t at; /* of creates or inserts */ } wsql_statement;

typedef struct wsql_item_text { wsql_sum value; wsql_name as; } wsql_item_text; /* as.id: WB_NO_NAME where no name is given */
typedef struct wsql_ref { wsql_name table, alias; } wsql_ref;         /* alias: the table's name where none is given */

typedef enum wsql_union { WSQL_NO_UNION, WSQL_UNION, WSQL_UNION_ALL } wsql_union;

typedef struct wsql_select_text {
  bool is_distinct;
  wsql_union before; /* what joins it to the SELECT before it */
  wsql_range items, refs, preds;
  weir_span span;       /* without the `;` */
  weir_span union_span; /* of the words before it */
} wsql_select_text;

typedef struct wsql_script {
  wb_mem *mem;     /* of the compilation: all ends with it */
  wb_names *names;
  wb_str text;     /* spans count its bytes */
  WB_VEC(wsql_statement) statements;
  WB_VEC(wsql_create) creates;
  WB_VEC(wsql_column_text) columns;
  WB_VEC(wsql_insert) inserts;
  WB_VEC(wsql_name) insert_columns;
  WB_VEC(wsql_insert_row) insert_rows;
  WB_VEC(wsql_value) values;
  WB_VEC(wsql_select_text) selects;
  WB_VEC(wsql_item_text) items;
  WB_VEC(wsql_ref) refs;
  WB_VEC(wsql_pred_text) preds;
} wsql_script;

#endif
