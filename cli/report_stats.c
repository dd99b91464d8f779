/* cli/report_stats.c -- what --stats tells at the end of a run.  No floating-point text: the C library's follows the locale. */
#include "cli/report_stats.h"

enum { MICRO = 1000000 };

/* Seconds with six digits behind the point. */
static void say_seconds(cli_say *to, uint64_t nanoseconds) {
  uint64_t micro = nanoseconds / 1000;
  cli_say_number(to, micro / MICRO);
  cli_say_text(to, ".");
  for (uint64_t unit = MICRO / 10; unit > 0; unit /= 10) cli_say_number(to, micro / unit % 10);
}

static uint64_t per_second(const cli_measures *m) {
  unsigned __int128 ticks = (unsigned __int128)m->ticks * 1000000000u;
  return m->nanoseconds == 0 ? 0 : (uint64_t)(ticks / m->nanoseconds);
}

static void say_text(cli_say *to, const cli_measures *m) {
  cli_say_text(to, "ticks           ");
  cli_say_number(to, m->ticks);
  cli_say_text(to, "\nseconds         ");
  say_seconds(to, m->nanoseconds);
  cli_say_text(to, "\nticks/s         ");
  cli_say_number(to, per_second(m));
  cli_say_text(to, "\nmemory bound    ");
  cli_say_number(to, m->bound);
  cli_say_text(to, m->plus_values ? " bytes + values" : " bytes");
  cli_say_text(to, "\nmemory peak     ");
  cli_say_number(to, m->peak);
  cli_say_text(to, " bytes\nrows canonical  ");
  cli_say_number(to, m->ticks);
  cli_say_text(to, "\n");
}

static void say_json(cli_say *to, const cli_measures *m) {
  cli_say_text(to, "{\"version\": 1, \"ticks\": ");
  cli_say_number(to, m->ticks);
  cli_say_text(to, ", \"seconds\": ");
  say_seconds(to, m->nanoseconds);
  cli_say_text(to, ", \"ticks_per_second\": ");
  cli_say_number(to, per_second(m));
  cli_say_text(to, ", \"memory_bound\": ");
  cli_say_number(to, m->bound);
  cli_say_text(to, m->plus_values ? ", \"plus_values\": true" : ", \"plus_values\": false");
  cli_say_text(to, ", \"memory_peak\": ");
  cli_say_number(to, m->peak);
  cli_say_text(to, ", \"rows\": {\"canonical\": ");
  cli_say_number(to, m->ticks);
  cli_say_text(to, "}}\n");
}

void cli_report_stats(cli_say *to, cli_stats form, const cli_measures *m) {
  switch (form) {
    case CLI_STATS_NONE: return;
    case CLI_STATS_TEXT: say_text(to, m); break;
    case CLI_STATS_JSON: say_json(to, m); break;
  }
  (void)cli_say_end(to);
}
