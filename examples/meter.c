/* examples/meter.c -- many rows, fast: typed rows as they arrive, then batches of columns from an archive.
**
** Both forms write the outputs into buffers of the caller; nothing is tagged, and nothing has to be freed.
** Build it with: cc meter.c -lweir */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>

enum { ROWS = 8, ROOM = 24 };

/* A meter: rows that arrive one by one, with Int, Float and Bool only. */
static const char meter[] =
    "in volts: Float\n"
    "in amps: Float\n"
    "out watts: Float\n"
    "out peak: Float\n"
    "out over: Bool\n"
    "watts = volts * amps\n"
    "peak = if watts > default(peak[1], 0.0) then watts else default(peak[1], 0.0)\n"
    "over = watts > 1900.0\n";

/* A log of stops: columns with texts. */
static const char stops[] =
    "in place: Str\n"
    "in minutes: Int\n"
    "out total: Int\n"
    "out label: Str\n"
    "total = default(total[1], 0) + minutes\n"
    "label = if minutes > 9 then place ++ \"!\" else place\n";

/* A row is an array of cells; a bit says which of them have a value. */
static weir_code watch(weir_monitor *monitor, weir_error *e) {
  static const double volts[ROWS] = {230.0, 229.5, 231.0, 230.5, 228.0, 230.0, 230.0, 231.5};
  static const double amps[ROWS] = {2.0, 4.0, 8.5, 9.0, 8.0, 3.0, 2.0, 2.0};
  for (int i = 0; i < ROWS; i++) {
    weir_cell in[2] = {{.f = volts[i]}, {.f = amps[i]}}, out[3];
    uint64_t in_present = i == 3 ? 1 : 3; /* the fourth row has no amps: an operator goes on with the last */
    uint64_t out_present;
    weir_code rc = weir_monitor_push_typed(monitor, in, &in_present, NULL, out, &out_present, NULL, e);
    if (rc != WEIR_OK) return rc;
    bool is_over = (out_present >> 2 & 1) && out[2].i == 1;
    if (is_over) printf("row %d: %.2f W, peak %.2f W\n", i, out[0].f, out[1].f);
  }
  return WEIR_OK;
}

/* A batch commits as many rows as it can.  Where the texts of a row do not fit, it stops before that row, and the rest goes on
** with an emptied buffer. */
static weir_code read_archive(weir_monitor *monitor, weir_error *e) {
  static const char places[] = "QuayMarketHillMillQuayStationMarketQuay";
  static const uint32_t offsets[ROWS + 1] = {0, 4, 10, 14, 18, 22, 29, 35, 39};
  static const int64_t minutes[ROWS] = {3, 12, 5, 4, 10, 7, 2, 6};
  size_t row = 0;
  while (row < ROWS) {
    int64_t total[ROWS];
    uint32_t label_offsets[ROWS + 1];
    char label[ROOM];
    uint8_t has_label[1];
    const weir_in_column ins[2] = {
      {.as.offsets = offsets + row, .bytes = places, .n_bytes = strlen(places)},
      {.as.i = minutes + row},
    };
    const weir_out_column outs[2] = {
      {.as.i = total},
      {.as.offsets = label_offsets, .bytes = label, .n_bytes = sizeof label, .present = has_label},
    };
    size_t done;
    weir_code rc = weir_monitor_push_batch(monitor, ROWS - row, ins, 2, outs, 2, &done, e);
    for (size_t i = 0; i < done; i++)
      if (has_label[0] >> i & 1)
        printf("stop %zu: %.*s, %" PRId64 " minutes so far\n", row + i, (int)(label_offsets[i + 1] - label_offsets[i]),
               label + label_offsets[i], total[i]);
    if (rc != WEIR_OK && (rc != WEIR_E_FULL || done == 0)) return rc; /* a text longer than the whole buffer would stop here */
    row += done;
  }
  return WEIR_OK;
}

/* Compiles a text, and hands a monitor of it to `run`. */
static weir_code with_monitor(weir_engine *engine, const char *text, weir_code (*run)(weir_monitor *, weir_error *), weir_error *e) {
  weir_program *program = NULL;
  weir_monitor *monitor = NULL;
  weir_code rc = weir_compile(engine, text, strlen(text), NULL, &program, NULL);
  if (rc == WEIR_OK) rc = weir_monitor_new(engine, program, NULL, &monitor, e);
  if (rc == WEIR_OK) rc = run(monitor, e);
  weir_monitor_free(monitor);
  weir_program_release(program);
  return rc;
}

int main(void) {
  weir_engine *engine = NULL;
  weir_error e = {.text = ""};
  weir_code rc = weir_engine_new(NULL, &engine, &e);
  if (rc == WEIR_OK) rc = with_monitor(engine, meter, watch, &e);
  if (rc == WEIR_OK) rc = with_monitor(engine, stops, read_archive, &e);
  if (rc != WEIR_OK) fprintf(stderr, "%s: %s\n", weir_code_text(rc), e.text);
  weir_engine_free(engine);
  return rc != WEIR_OK;
}
