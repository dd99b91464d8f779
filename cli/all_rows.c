/* cli/all_rows.c -- a whole trace in memory; see all_rows.h. */
#include "cli/all_rows.h"

#include <string.h>

#include "cli/formats.h"
#include "cli/refused_row.h"
#include "ir/base/vec.h"

typedef struct reading {
  cli *c;
  cli_input in;
  cli_reader reader;
  cli_source source;
  cli_label label;
  WB_VEC(weir_value) values;
  size_t n, n_inputs;
  weir_monitor *monitor; /* of a run that only tells which values it takes; NULL: it has come to a tick that fails for another reason */
} reading;

/* ---- Values that stay ---- */

static bool keep(wb_mem *mem, weir_value *v);

static bool keep_items(wb_mem *mem, weir_value *v) {
  weir_value *items = WB_NEW_ARRAY(mem, weir_value, v->count);
  if (items == NULL) return false;
  for (uint32_t i = 0; i < v->count; i++) {
    items[i] = v->as.items[i];
    if (!keep(mem, &items[i])) return false;
  }
  v->as.items = items;
  return true;
}

static bool keep_entries(wb_mem *mem, weir_value *v) {
  weir_entry *entries = WB_NEW_ARRAY(mem, weir_entry, v->count);
  if (entries == NULL) return false;
  for (uint32_t i = 0; i < v->count; i++) {
    entries[i] = v->as.entries[i];
    if (!keep(mem, &entries[i].key) || !keep(mem, &entries[i].value)) return false;
  }
  v->as.entries = entries;
  return true;
}

/* Makes what the value points to our own.  As deep as --max-value-nesting lets the reader go. */
static bool keep(wb_mem *mem, weir_value *v) {
  if (v->tag == WEIR_LIST || v->tag == WEIR_TUPLE) return keep_items(mem, v);
  if (v->tag == WEIR_MAP) return keep_entries(mem, v);
  if (v->tag != WEIR_TEXT) return true;
  char *text = WB_NEW_ARRAY(mem, char, v->count);
  if (text == NULL) return false;
  memcpy(text, v->as.text, v->count);
  v->as.text = text;
  return true;
}

static bool add_row(reading *r, const weir_value *values) {
  if (!WB_VEC_ROOM(&r->c->mem, &r->values, r->n_inputs)) return false;
  for (size_t i = 0; i < r->n_inputs; i++) {
    weir_value *to = &r->values.at[r->values.n++];
    *to = values != NULL ? values[i] : (weir_value){.tag = WEIR_NOVAL};
    if (!keep(&r->c->mem, to)) return false;
  }
  r->n++;
  return true;
}

/* Where rows have no inputs, too, there is a first value to point to. */
static bool begin_values(reading *r) { return WB_VEC_ROOM(&r->c->mem, &r->values, 1); }

static bool add_empty(reading *r, uint64_t until) {
  while (r->n < until)
    if (!add_row(r, NULL)) return false;
  return true;
}

/* ---- Reading ---- */

static void warn(void *self, const cli_trouble *w) {
  cli_warn(((reading *)self)->c, &w->at, w->what.text, w->hint);
}

/* The source has no more rows, as `why` says. */
static cli_status end_source(reading *r, cli_next why) {
  if (why == CLI_END) return CLI_DONE;
  if (why == CLI_NO_MEMORY) return cli_refuse_memory(r->c);
  if (why == CLI_STOP) return CLI_FAILED;
  const cli_trouble *t = r->source.trouble(r->source.self);
  if (why == CLI_UNREADABLE) return cli_refuse_error(r->c, CLI_REFUSED, t->at.file, "trace", &t->what);
  return cli_refuse_input(r->c, &r->in, t);
}

/* The place of a value is known only while its row is at hand: so the rows run once here. */
static cli_status admit(reading *r, const cli_row *row) {
  weir_error e;
  if (r->monitor == NULL || weir_monitor_push(r->monitor, row->values, r->n_inputs, &e) == WEIR_OK) return CLI_DONE;
  if (e.code == WEIR_E_ADMIT) {
    cli_say_refused_row(r->c, &r->source, row, &e);
    return CLI_REFUSED;
  }
  weir_monitor_free(r->monitor); /* whoever runs the rows is told as soon */
  r->monitor = NULL;
  return CLI_DONE;
}

static cli_status read_source(reading *r) {
  for (cli_row row;;) {
    cli_next next = r->source.next(r->source.self, &row);
    if (next != CLI_ROW && next != CLI_GAP) return end_source(r, next);
    if (next == CLI_ROW) {
      cli_status rc = admit(r, &row);
      if (rc != CLI_DONE) return rc;
    }
    if (!(next == CLI_ROW ? add_row(r, row.values) : add_empty(r, row.tick))) return cli_refuse_memory(r->c);
  }
}

cli_status cli_all_rows_read(cli *c, cli_all_rows *out) {
  reading *r = WB_NEW(&c->mem, reading);
  if (r == NULL) return cli_refuse_memory(c);
  const cli_settings *s = &c->set;
  r->c = c;
  r->in.file = WB_FILE_NONE;
  r->label.column = s->time_column;
  r->n_inputs = weir_program_input_count(c->spec.program);
  cli_ear ear = {r, warn};
  weir_options opts = {.size = sizeof opts, .max_value_nesting = s->max_value_nesting, .tier = WEIR_TIER_QUICKENED};
  bool has_memory = begin_values(r) && weir_monitor_new(c->engine, c->spec.program, &opts, &r->monitor, NULL) == WEIR_OK;
  cli_status rc = has_memory ? cli_label_check(c) : cli_refuse_memory(c);
  if (rc == CLI_DONE) rc = cli_source_open(c, &r->in, NULL, &r->label, &ear, &r->reader, &r->source);
  bool has_source = r->reader.format != CLI_FORMAT_NONE;
  if (rc == CLI_DONE && has_source && !(s->has_ticks && s->ticks == 0)) rc = read_source(r);
  if (rc == CLI_DONE && s->has_ticks && !add_empty(r, s->ticks)) rc = cli_refuse_memory(c);
  weir_monitor_free(r->monitor);
  cli_reader_close(&r->reader);
  cli_input_close(&r->in);
  *out = (cli_all_rows){r->values.at, r->n, r->n_inputs};
  return rc;
}
