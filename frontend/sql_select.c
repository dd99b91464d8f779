/* frontend/sql_select.c -- SQL text to syntax: SELECT. */
#include "frontend/sql_parser.h"

/* ---- Sums ---------------------------------------------------------------------------------------------------------- */

static bool read_literal(wsql_parser *p, bool is_negative, wsql_sum *s) {
  wfe_token t = p->tok;
  if (t.is_huge) return WFE_REFUSE(p->diags, WEIR_E_PARSE, t.span, "the number is too large");
  s->plus += is_negative ? -(wsql_int)t.as.u : (wsql_int)t.as.u;
  wsql_advance(p);
  return true;
}

static bool read_column(wsql_parser *p, bool is_negative, wsql_sum *s) {
  weir_span at = p->tok.span;
  if (s->column.id != WB_NO_NAME) {
    wfe_diag_add(p->diags, WEIR_E_PARSE, at, "a second column in an expression");
    wfe_diag_hint(p->diags, "a difference of columns is written as a comparison: `s.i - t.j < 5` as `s.i < t.j + 5`");
    return false;
  }
  if (is_negative) return WFE_REFUSE(p->diags, WEIR_E_PARSE, at, "a column cannot be subtracted");
  if (!wsql_take_name(p, "a column", &s->column)) return false;
  if (wsql_sees(p, WFE_T_LPAREN)) return wsql_refuse_call(p, at);
  if (!wsql_skip(p, WFE_T_DOT)) return true;
  s->table = s->column;
  return wsql_take_name(p, "a column", &s->column);
}

static bool refuse_operand(wsql_parser *p) {
  wfe_token_kind kind = (wfe_token_kind)p->tok.kind;
  if (wsql_refuse_parenthesis(p)) return false;
  if (kind == WFE_T_SQL_SELECT) return wsql_refuse_subquery(p, p->tok.span);
  wsql_expected(p, "a column or an integer", NULL);
  if (kind == WFE_T_FLOAT) wfe_diag_hint(p->diags, "all numbers are integers");
  if (kind == WFE_T_STAR) wfe_diag_hint(p->diags, "the columns are named one by one");
  if (kind == WFE_T_ASSIGN) wfe_diag_hint(p->diags, "equal is written `=`");
  if (kind == WFE_T_LPAREN) wfe_diag_hint(p->diags, "parentheses stand only around conditions");
  return false;
}

static bool read_sum(wsql_parser *p, wsql_sum *s) {
  uint32_t begin = p->tok.span.begin;
  *s = (wsql_sum){.table.id = WB_NO_NAME, .column.id = WB_NO_NAME};
  bool is_negative = wsql_skip(p, WFE_T_MINUS);
  for (;;) {
    if (wsql_sees(p, WFE_T_INT)) {
      if (!read_literal(p, is_negative, s)) return false;
    } else if (wsql_sees(p, WFE_T_IDENT)) {
      if (!read_column(p, is_negative, s)) return false;
    } else {
      return refuse_operand(p);
    }
    is_negative = wsql_sees(p, WFE_T_MINUS);
    if (!is_negative && !wsql_sees(p, WFE_T_PLUS)) break;
    wsql_advance(p);
  }
  s->span = wsql_span_from(p, begin);
  if (wsql_sees(p, WFE_T_STAR)) return WFE_REFUSE(p->diags, WEIR_E_PARSE, p->tok.span, "`*` is not supported: an expression is a column plus or minus integers");
  return true;
}

/* ---- Conditions ---------------------------------------------------------------------------------------------------- */

static const struct { uint8_t token, cmp; } comparisons[] = {
  {WFE_T_LT, WSQL_LT}, {WFE_T_LE, WSQL_LE}, {WFE_T_ASSIGN, WSQL_EQ}, {WFE_T_UNEQUAL, WSQL_NE},
  {WFE_T_NE, WSQL_NE}, {WFE_T_GE, WSQL_GE}, {WFE_T_GT, WSQL_GT},
};

/* The operator and what stands right of it. */
static bool read_right(wsql_parser *p, wsql_pred_text *pred) {
  static const uint8_t words[] = {WFE_T_SQL_BETWEEN, WFE_T_SQL_IN, WFE_T_SQL_NOT, 0};
  static const uint8_t ins[] = {WFE_T_SQL_IN, 0};
  pred->op_span = p->tok.span;
  for (size_t i = 0; i < WB_LEN(comparisons); i++) {
    if (!wsql_skip(p, (wfe_token_kind)comparisons[i].token)) continue;
    pred->form = WSQL_COMPARE;
    pred->cmp = (wsql_cmp)comparisons[i].cmp;
    return read_sum(p, &pred->right);
  }
  bool is_negated = wsql_skip(p, WFE_T_SQL_NOT);
  if (is_negated && wsql_sees(p, WFE_T_SQL_BETWEEN)) {
    wfe_diag_add(p->diags, WEIR_E_PARSE, (weir_span){pred->op_span.begin, p->tok.span.end}, "NOT BETWEEN is not supported");
    wfe_diag_hint(p->diags, "use two SELECTs and UNION ALL: one for below, one for above");
    return false;
  }
  if (wsql_skip(p, WFE_T_SQL_IN)) {
    pred->form = is_negated ? WSQL_NOT_IN : WSQL_IN;
    pred->op_span.end = p->last_end;
    return wsql_take_values(p, &pred->list);
  }
  if (is_negated) return wsql_expected(p, "`IN`", ins);
  if (wsql_skip(p, WFE_T_SQL_BETWEEN)) {
    pred->form = WSQL_BETWEEN;
    return read_sum(p, &pred->right) && wsql_take(p, WFE_T_SQL_AND) && read_sum(p, &pred->high);
  }
  bool is_paren = wsql_sees(p, WFE_T_RPAREN);
  wsql_expected(p, "a comparison, `BETWEEN` or `IN`", words);
  if (is_paren) wfe_diag_hint(p->diags, "parentheses stand only around conditions");
  return false;
}

static bool read_predicate(wsql_parser *p, uint32_t n_visible) {
  wsql_script *s = p->script;
  uint32_t begin = p->tok.span.begin;
  wsql_pred_text pred = {.n_visible = n_visible};
  if (wsql_sees(p, WFE_T_SQL_NOT)) {
    wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "NOT stands only before IN");
    wfe_diag_hint(p->diags, "turn the comparison round: `<` into `>=`");
    return false;
  }
  if (!read_sum(p, &pred.left) || !read_right(p, &pred)) return false;
  pred.span = wsql_span_from(p, begin);
  return WB_PUSH(s->mem, &s->preds, pred) || wsql_no_memory(p);
}

/* Predicates between AND.  Parentheses mean nothing, since there is no OR. */
static bool read_condition(wsql_parser *p, uint32_t n_visible) {
  static const uint8_t ands[] = {WFE_T_SQL_AND, 0};
  size_t depth = 0;
  do {
    for (; wsql_sees(p, WFE_T_LPAREN); wsql_advance(p))
      if (++depth > p->limits->nesting)
        return WFE_REFUSE(p->diags, WEIR_E_LIMIT, p->tok.span, "nested deeper than %zu level%s (option max_nesting / --max-nesting)", p->limits->nesting, WB_S(p->limits->nesting));
    if (!read_predicate(p, n_visible)) return false;
    while (depth > 0 && wsql_skip(p, WFE_T_RPAREN)) depth--;
    if (wsql_sees(p, WFE_T_SQL_OR)) {
      wfe_diag_add(p->diags, WEIR_E_PARSE, p->tok.span, "OR is not supported");
      wfe_diag_hint(p->diags, "use IN, or a SELECT for each case and UNION");
      return false;
    }
  } while (wsql_skip(p, WFE_T_SQL_AND));
  return depth == 0 || wsql_expected(p, "`AND` or `)`", ands);
}

/* ---- Sources ------------------------------------------------------------------------------------------------------- */

/* AS name, or a name alone, if it is there. */
static bool read_alias(wsql_parser *p, const char *what, wsql_name *out) {
  if (wsql_skip(p, WFE_T_SQL_AS)) return wsql_take_name(p, what, out);
  if (!wsql_sees(p, WFE_T_IDENT)) return true;
  if (wsql_refuse_word(p, true)) return false;
  p->alias = p->tok.span;
  return wsql_take_name(p, what, out);
}

static bool read_ref(wsql_parser *p, const wsql_select_text *sel) {
  wsql_script *s = p->script;
  wsql_ref r;
  weir_span at = p->tok.span;
  if (wsql_refuse_parenthesis(p)) return false;
  if (!wsql_take_name(p, "the name of a stream or table", &r.table)) return false;
  size_t most = WB_MIN(p->limits->aliases, (size_t)WSQL_MAX_ALIASES);
  if (s->refs.n - sel->refs.first >= most)
    return WFE_REFUSE(p->diags, WEIR_E_LIMIT, at, "more than %zu %s in a FROM (option max_aliases / --max-aliases)", most, most == 1 ? "stream or table" : "streams and tables");
  r.alias = r.table;
  return read_alias(p, "an alias", &r.alias) && (WB_PUSH(s->mem, &s->refs, r) || wsql_no_memory(p));
}

static bool take_on(wsql_parser *p) {
  if (wsql_take(p, WFE_T_SQL_ON)) return true;
  if (!wsql_sees(p, WFE_T_IDENT)) wfe_diag_hint(p->diags, "a join without a condition is a CROSS JOIN");
  return false;
}

/* What stands behind a source: `,` or a JOIN.  *goes_on: there was one. */
static bool read_join(wsql_parser *p, const wsql_select_text *sel, bool *goes_on) {
  *goes_on = true;
  if (wsql_skip(p, WFE_T_COMMA)) return read_ref(p, sel);
  if (wsql_skip(p, WFE_T_SQL_CROSS)) return wsql_take(p, WFE_T_SQL_JOIN) && read_ref(p, sel);
  bool is_inner = wsql_skip(p, WFE_T_SQL_INNER);
  if (is_inner || wsql_sees(p, WFE_T_SQL_JOIN))
    return wsql_take(p, WFE_T_SQL_JOIN) && read_ref(p, sel) && take_on(p) && read_condition(p, (uint32_t)p->script->refs.n - sel->refs.first);
  *goes_on = false;
  return true;
}

static bool read_sources(wsql_parser *p, wsql_select_text *sel) {
  bool goes_on = true;
  sel->refs.first = (uint32_t)p->script->refs.n;
  sel->preds.first = (uint32_t)p->script->preds.n;
  if (!read_ref(p, sel)) return false;
  while (goes_on)
    if (!read_join(p, sel, &goes_on)) return false;
  sel->refs.end = (uint32_t)p->script->refs.n;
  return true;
}

/* ---- SELECT -------------------------------------------------------------------------------------------------------- */

static bool read_item(wsql_parser *p) {
  wsql_script *s = p->script;
  wsql_item_text item = {.as.id = WB_NO_NAME};
  if (!read_sum(p, &item.value) || !read_alias(p, "a name for the output column", &item.as)) return false;
  return WB_PUSH(s->mem, &s->items, item) || wsql_no_memory(p);
}

bool wsql_read_select(wsql_parser *p, uint32_t begin, wsql_select_text *sel) {
  static const uint8_t froms[] = {WFE_T_SQL_FROM, WFE_T_SQL_AS, 0};
  wsql_script *s = p->script;
  sel->is_distinct = wsql_skip(p, WFE_T_SQL_DISTINCT);
  if (!sel->is_distinct) (void)wsql_skip(p, WFE_T_SQL_ALL);
  sel->items.first = (uint32_t)s->items.n;
  do {
    if (!read_item(p)) return false;
  } while (wsql_skip(p, WFE_T_COMMA));
  sel->items.end = (uint32_t)s->items.n;
  if (!wsql_skip(p, WFE_T_SQL_FROM)) return wsql_expected(p, "`,` or `FROM`", froms);
  if (!read_sources(p, sel)) return false;
  if (wsql_skip(p, WFE_T_SQL_WHERE) && !read_condition(p, sel->refs.end - sel->refs.first)) return false;
  sel->preds.end = (uint32_t)s->preds.n;
  sel->span = wsql_span_from(p, begin);
  return true;
}
