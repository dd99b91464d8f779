/* cli/columns.c -- rows of a run gathered into columns; see columns.h.
**
** Bitmaps are looked at only where they say something: the common column has a value in every row. */
#include "cli/columns.h"

#include <string.h>

/* ---- Setting up ---------------------------------------------------------------------------------------------------- */

static weir_tag tag_of(weir_kind kind) {
  switch (kind) {
    case WEIR_KIND_INT: return WEIR_INT;
    case WEIR_KIND_FLOAT: return WEIR_FLOAT;
    case WEIR_KIND_BOOL: return WEIR_BOOL;
    case WEIR_KIND_UNIT: return WEIR_UNIT;
    case WEIR_KIND_ANY:
    case WEIR_KIND_TEXT:
    case WEIR_KIND_LIST:
    case WEIR_KIND_MAP:
    case WEIR_KIND_TUPLE:
    case WEIR_KIND_STRUCT:
    case WEIR_KIND_COUNT: break;
  }
  wb_assert(false); /* the program is typed */
  return WEIR_UNIT;
}

static size_t bitmap_of(size_t rows) { return (rows + 7) / 8; }

/* Makes n columns. */
static cli_column *make_columns(const cli_columns *c, wb_mem *mem, uint32_t n, weir_kind (*kind)(const weir_program *, uint32_t)) {
  cli_column *columns = WB_NEW_ARRAY(mem, cli_column, n);
  for (uint32_t i = 0; columns && i < n; i++) {
    cli_column *to = &columns[i];
    to->tag = tag_of(kind(c->program, i));
    to->cells = WB_NEW_ARRAY(mem, weir_cell, c->max_rows);
    to->present = WB_NEW_ARRAY(mem, uint8_t, bitmap_of(c->max_rows));
    to->deferred = WB_NEW_ARRAY(mem, uint8_t, bitmap_of(c->max_rows));
    if (!to->cells || !to->present || !to->deferred) return NULL;
  }
  return columns;
}

/* What an output has for the batch. */
static weir_out_column out_arg(const cli_column *c) {
  weir_out_column arg = {.present = c->present, .deferred = c->deferred};
  if (c->tag == WEIR_FLOAT) arg.as.f = c->cells;
  else if (c->tag == WEIR_BOOL) arg.as.b = c->cells;
  else arg.as.i = c->cells;
  return arg;
}

static weir_in_column in_arg(const cli_column *c) {
  weir_in_column arg = {.present = c->has_gaps ? c->present : NULL, .deferred = c->has_gaps ? c->deferred : NULL};
  if (c->tag == WEIR_FLOAT) arg.as.f = c->cells;
  else if (c->tag == WEIR_BOOL) arg.as.b = c->cells;
  else arg.as.i = c->cells;
  return arg;
}

bool cli_columns_outs(const cli_columns *c, wb_mem *mem, cli_outs *out) {
  out->columns = make_columns(c, mem, c->n_outs, weir_program_output_kind);
  out->args = WB_NEW_ARRAY(mem, weir_out_column, c->n_outs);
  if (!out->columns || !out->args) return false;
  for (uint32_t i = 0; i < c->n_outs; i++) out->args[i] = out_arg(&out->columns[i]);
  return true;
}

void cli_columns_swap_outs(cli_columns *c, cli_outs *other) {
  cli_outs ours = c->outs;
  c->outs = *other;
  *other = ours;
}

bool cli_columns_open(cli_columns *c, wb_mem *mem, const weir_program *program) {
  uint32_t n_ins = weir_program_input_count(program), n_outs = weir_program_output_count(program);
  size_t wide = (size_t)CLI_COLUMN_VALUES / ((size_t)n_ins + n_outs + 1);
  *c = (cli_columns){.program = program, .n_ins = n_ins, .n_outs = n_outs};
  c->max_rows = WB_MAX(WB_MIN((size_t)CLI_COLUMN_ROWS, wide), (size_t)1);
  c->ins = make_columns(c, mem, n_ins, weir_program_input_kind);
  c->in_args = WB_NEW_ARRAY(mem, weir_in_column, n_ins);
  c->runs = WB_NEW_ARRAY(mem, cli_run_of_rows, c->max_rows);
  c->values = WB_NEW_ARRAY(mem, weir_value, n_outs);
  c->shown = WB_NEW_ARRAY(mem, const weir_value *, n_outs);
  if (!cli_columns_outs(c, mem, &c->outs) || !c->ins || !c->in_args || !c->runs || !c->values || !c->shown) return false;
  for (uint32_t i = 0; i < n_outs; i++) c->shown[i] = &c->values[i];
  return true;
}

/* ---- Rows in ------------------------------------------------------------------------------------------------------- */

static bool bit(const uint8_t *bits, size_t row) { return bits[row / 8] >> row % 8 & 1; }
static void clear_bit(uint8_t *bits, size_t row) { bits[row / 8] &= (uint8_t)~(1u << row % 8); }
static void set_bit(uint8_t *bits, size_t row) { bits[row / 8] |= (uint8_t)(1u << row % 8); }

static void put_bits(uint8_t *bits, size_t from, size_t to, bool is_set) {
  for (; from < to && from % 8 != 0; from++) is_set ? set_bit(bits, from) : clear_bit(bits, from);
  size_t bytes = (to - from) / 8;
  memset(bits + from / 8, is_set ? 0xFF : 0, bytes);
  for (from += 8 * bytes; from < to; from++) is_set ? set_bit(bits, from) : clear_bit(bits, from);
}

__attribute__((noinline)) void cli_columns_gaps(const cli_columns *c, cli_column *column, size_t from, size_t to) {
  if (!column->has_gaps) {
    memset(column->present, 0xFF, bitmap_of(c->max_rows));
    memset(column->deferred, 0, bitmap_of(c->max_rows));
    column->has_gaps = true;
  }
  put_bits(column->present, from, to, false);
}

void cli_columns_no_gaps(cli_columns *c, size_t from, size_t to) {
  for (uint32_t i = 0; i < c->n_ins; i++)
    if (c->ins[i].has_gaps) put_bits(c->ins[i].present, from, to, true);
}

/* Row `at` has no value of the column's type.  False: it has one of another; but an Int is a Float where one is wanted, as in a push. */
static __attribute__((noinline)) bool take_other(const cli_columns *c, cli_column *to, size_t at, const weir_value *v) {
  if (to->tag == WEIR_FLOAT && v->tag == WEIR_INT) {
    ((double *)to->cells)[at] = (double)v->as.i;
    return true;
  }
  if (v->tag != WEIR_NOVAL && v->tag != WEIR_DEFERRED) return false;
  cli_columns_gaps(c, to, at, at + 1);
  if (v->tag == WEIR_DEFERRED) set_bit(to->deferred, at);
  return true;
}

/* Takes the column's cell of n rows, the first of which stands at `v`; returns how many. */
static inline __attribute__((always_inline)) size_t take_cells(const cli_columns *c, cli_column *to, const weir_value *v, size_t n, weir_tag tag) {
  for (size_t k = 0, at = c->n, stride = c->n_ins; k < n; k++, at++, v += stride) {
    if (WB_UNLIKELY(v->tag != tag)) {
      if (!take_other(c, to, at, v)) return k;
    } else if (tag == WEIR_INT) {
      ((int64_t *)to->cells)[at] = v->as.i;
    } else if (tag == WEIR_FLOAT) {
      ((double *)to->cells)[at] = v->as.f;
    } else if (tag == WEIR_BOOL) {
      ((uint8_t *)to->cells)[at] = v->as.b;
    }
  }
  return n;
}

/* Takes the cells of n rows; returns how many of them fit every column. */
static size_t take_values(cli_columns *c, const weir_value *rows, size_t n) {
  size_t wanted = n;
  for (uint32_t i = 0; i < c->n_ins && n > 0; i++) {
    cli_column *to = &c->ins[i];
    if (to->tag == WEIR_INT) n = take_cells(c, to, rows + i, n, WEIR_INT);
    else if (to->tag == WEIR_FLOAT) n = take_cells(c, to, rows + i, n, WEIR_FLOAT);
    else if (to->tag == WEIR_BOOL) n = take_cells(c, to, rows + i, n, WEIR_BOOL);
    else n = take_cells(c, to, rows + i, n, WEIR_UNIT);
  }
  c->is_stuck = n < wanted; /* bitmaps may tell of rows behind */
  return n;
}

/* Row n comes from there. */
static void put_origin(cli_columns *c, cli_origin origin) {
  if (c->n == 0) c->n_runs = 0;
  if (c->n_runs > 0) {
    cli_origin next = cli_columns_origin(c, c->n);
    if (next.from == origin.from && next.line == origin.line) return;
  }
  c->runs[c->n_runs++] = (cli_run_of_rows){c->n, origin};
}

cli_origin cli_columns_origin(const cli_columns *c, size_t row) {
  const cli_run_of_rows *run = c->runs + c->n_runs - 1;
  while (run->row > row) run--;
  cli_origin origin = run->origin;
  if (origin.from == CLI_FROM_ROW) origin.line += row - run->row;
  return origin;
}

void cli_columns_took_lines(cli_columns *c, size_t n, uint64_t line) {
  if (n == 0) return;
  put_origin(c, (cli_origin){CLI_FROM_ROW, line});
  c->n += n;
}

bool cli_columns_take(cli_columns *c, const weir_value *row, cli_origin origin) {
  wb_assert(c->n < c->max_rows);
  if (c->is_stuck || take_values(c, row, 1) == 0) return false;
  put_origin(c, origin);
  c->n++;
  return true;
}

size_t cli_columns_take_rows(cli_columns *c, const weir_value *rows, const cli_row_at *begins, size_t n) {
  if (c->is_stuck) return 0;
  n = take_values(c, rows, WB_MIN(n, c->max_rows - c->n));
  for (size_t k = 0; k < n; k++, c->n++) put_origin(c, (cli_origin){CLI_FROM_ROW, begins[k].line});
  return n;
}

/* ---- Running, and rows out ----------------------------------------------------------------------------------------- */

/* All of the first n bits are set. */
static bool are_set(const uint8_t *bits, size_t n) {
  unsigned all = 0xFF;
  for (size_t i = 0; i < n / 8; i++) all &= bits[i];
  for (size_t i = n - n % 8; i < n; i++) all &= bit(bits, i) ? 0xFF : 0;
  return all == 0xFF;
}

void cli_columns_clear(cli_columns *c) {
  c->n = 0;
  c->is_stuck = false;
  for (uint32_t i = 0; i < c->n_ins; i++) c->ins[i].has_gaps = false;
}

weir_code cli_columns_push(cli_columns *c, weir_monitor *monitor, size_t *done, weir_error *e) {
  for (uint32_t i = 0; i < c->n_ins; i++) c->in_args[i] = in_arg(&c->ins[i]);
  weir_code rc = weir_monitor_push_batch(monitor, c->n, c->in_args, c->n_ins, c->outs.args, c->n_outs, done, e);
  cli_columns_clear(c);
  for (uint32_t i = 0; i < c->n_outs; i++) {
    c->outs.columns[i].has_gaps = !are_set(c->outs.columns[i].present, *done);
    c->values[i] = (weir_value){.tag = c->outs.columns[i].tag};
  }
  return rc;
}

const weir_value *const *cli_columns_show(cli_columns *c, size_t row) {
  for (uint32_t i = 0; i < c->n_outs; i++) {
    const cli_column *from = &c->outs.columns[i];
    weir_value *v = &c->values[i];
    if (from->tag == WEIR_INT) v->as.i = ((const int64_t *)from->cells)[row];
    else if (from->tag == WEIR_FLOAT) v->as.f = ((const double *)from->cells)[row];
    else if (from->tag == WEIR_BOOL) v->as.b = ((const uint8_t *)from->cells)[row] != 0;
    if (WB_UNLIKELY(from->has_gaps))
      v->tag = bit(from->present, row) ? from->tag : bit(from->deferred, row) ? WEIR_DEFERRED : WEIR_NOVAL;
  }
  return c->shown;
}
