/* examples/tank.c -- a program that runs a specification itself, through the C API.
**
** It watches a tank: one reading a tick, and a line where the alarm is on.
** Build it with: cc tank.c -lweir */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>

static const char tank[] =
    "in level: Int\n"
    "out falling: Int\n"
    "out alarm: Bool\n"
    "falling = if level < default(level[1], level) then default(falling[1], 0) + 1 else 0\n"
    "alarm = level < 20 || falling >= 3\n";

/* Pushes one reading and reports it.  The outputs are numbered in order of declaration. */
static weir_code watch(weir_monitor *monitor, int64_t level, weir_error *e) {
  weir_value row[1] = {{.tag = WEIR_INT, .as.i = level}};
  weir_code rc = weir_monitor_push(monitor, row, 1, e);
  if (rc != WEIR_OK) return rc;
  const weir_value *falling = weir_monitor_output(monitor, 0);
  const weir_value *alarm = weir_monitor_output(monitor, 1);
  if (alarm->tag == WEIR_BOOL && alarm->as.b)
    printf("tick %" PRIu64 ": level %" PRId64 ", falling for %" PRId64 " ticks\n", weir_monitor_ticks(monitor) - 1, level,
           falling->as.i);
  return WEIR_OK;
}

int main(void) {
  static const int64_t levels[] = {60, 58, 61, 55, 41, 30, 33, 24, 19, 22};
  weir_engine *engine = NULL;
  weir_program *program = NULL;
  weir_monitor *monitor = NULL;
  weir_diagnostics *wrong = NULL;
  weir_error e = {0};

  weir_code rc = weir_engine_new(NULL, &engine, &e);
  if (rc != WEIR_OK) goto out;
  rc = weir_compile(engine, tank, strlen(tank), NULL, &program, &wrong);
  if (rc != WEIR_OK) {
    for (size_t i = 0; i < weir_diagnostics_count(wrong); i++) {
      weir_diagnostic d = weir_diagnostics_at(wrong, i);
      weir_position at = weir_position_of(tank, strlen(tank), d.span.begin);
      fprintf(stderr, "%" PRIu64 ":%" PRIu64 ": %s\n", at.line, at.column, d.text);
    }
    goto out;
  }
  rc = weir_monitor_new(engine, program, NULL, &monitor, &e);
  for (size_t i = 0; rc == WEIR_OK && i < sizeof levels / sizeof levels[0]; i++) rc = watch(monitor, levels[i], &e);

out:
  if (rc != WEIR_OK) fprintf(stderr, "%s: %s\n", weir_code_text(rc), e.text);
  weir_monitor_free(monitor); /* all of these take NULL */
  weir_program_release(program);
  weir_diagnostics_free(wrong);
  weir_engine_free(engine);
  return rc != WEIR_OK;
}
