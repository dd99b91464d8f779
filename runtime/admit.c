/* runtime/admit.c -- step 1 of a tick: arity and types of a row, before anything moves. */
#include "runtime/monitor.h"

static weir_code refuse(wrt_monitor *m, uint32_t input, weir_code rc, uint32_t tag, wir_type expected, weir_error *e) {
  const wir_program *p = m->program;
  wb_str name = wir_stream_name(p, input);
  int n = (int)name.n;
  if (rc == WEIR_E_MEMORY) return wb_fail_memory(e);
  if (rc == WEIR_E_VALUE_LIMIT)
    return wb_fail(e, WEIR_E_ADMIT, WB_NOWHERE, "input %.*s is nested deeper than %zu level%s", n, name.at, m->max_depth, WB_S(m->max_depth));
  if (rc == WEIR_E_ADMIT)
    return wb_fail(e, rc, WB_NOWHERE, "input %.*s holds invalid UTF-8 or a key twice", n, name.at);
  wb_bytes text = {0};
  bool is_written = wir_type_print(&p->types, expected, 60, &m->mem, &text);
  bool is_inside = !wir_type_eq(expected, p->streams[input].type);
  wb_fail(e, WEIR_E_ADMIT, WB_NOWHERE, "input %.*s expects %.60s%s%.*s, got %s", n, name.at, p->streams[input].type_text,
          is_inside ? ": inside it " : "", is_inside && is_written ? (int)text.n : 0, is_inside && is_written ? text.at : "",
          wrt_tag_name(tag));
  WB_VEC_FREE(&m->mem, &text);
  return WEIR_E_ADMIT;
}

weir_code wrt_admit_value(wrt_monitor *m, uint32_t input, weir_value v, weir_error *e) {
  const wir_stream *s = &m->program->streams[input];
  weir_value *to = &m->row[input];
  uint32_t tag = v.tag;
  wir_type expected = s->type;
  if (v.tag <= WEIR_DEFERRED) {
    *to = (weir_value){.tag = v.tag};
  } else if (v.tag == WEIR_INT && wir_type_eq(s->type, WIR_INT)) {
    *to = (weir_value){.tag = WEIR_INT, .as.i = v.as.i};
  } else {
    weir_code rc = wrt_import(m, v, s->type, to, &tag, &expected);
    if (rc != WEIR_OK) {
      rc = refuse(m, input, rc, tag, expected, e);
      if (e != NULL && rc == WEIR_E_ADMIT) e->input = input;
      return rc;
    }
  }
  return WEIR_OK;
}

void wrt_hold_inputs(wrt_monitor *m) {
  const wir_program *p = m->program;
  for (uint32_t k = 0; k < m->n_held_inputs; k++) {
    uint32_t i = m->held_inputs[k];
    if (m->row[i].tag == WEIR_NOVAL) continue;
    const wir_state *s = &p->states[p->streams[i].held];
    wir_sample_store((wir_cell)s->cell, m->stage.cells + s->offset, m->stage.cells + s->presence, 0, m->row[i]);
  }
}

/* A scalar of the declared kind, ready to be taken as it is: most of all values.  It is copied whole, since what reads it next does so too,
** and a processor cannot forward two halves that were stored one by one. */
static bool is_plain(uint8_t kind, weir_value v) {
  bool has_kind = (kind == WEIR_KIND_INT && v.tag == WEIR_INT) || (kind == WEIR_KIND_FLOAT && v.tag == WEIR_FLOAT) || v.tag == WEIR_NOVAL;
  return has_kind && v.count == 0;
}

weir_code wrt_admit(wrt_monitor *m, const weir_value *inputs, size_t count, weir_error *e) {
  uint32_t n = m->program->n_inputs;
  if (count != n || (count != 0 && inputs == NULL))
    return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "the row has %zu value%s, the program %u input%s", count, WB_S(count), n, WB_S(n));
  for (uint32_t i = 0; i < n; i++) {
    if (WB_LIKELY(is_plain(m->in_kinds[i], inputs[i]))) m->row[i] = inputs[i];
    else WB_TRY(wrt_admit_value(m, i, inputs[i], e));
  }
  wrt_hold_inputs(m);
  return WEIR_OK;
}
