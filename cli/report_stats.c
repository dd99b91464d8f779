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

/* Which streams the quickened tier leaves alone, and why: `before` each, and between and behind the two texts.  Neither text has a
** character that JSON would escape. */
static void say_canonical(cli_say *to, const weir_program *p, const char *first, const char *before, const char *between, const char *behind) {
  for (uint32_t i = weir_program_input_count(p); i < weir_program_stream_count(p); i++) {
    char why[200];
    if (weir_program_why_canonical(p, i, why, sizeof why) == 0) continue;
    cli_say_text(to, first);
    cli_say_text(to, weir_program_stream(p, i).name);
    cli_say_text(to, between);
    cli_say_text(to, why);
    cli_say_text(to, behind);
    first = before;
  }
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
  cli_say_number(to, m->report.rows[WEIR_TIER_CANONICAL]);
  cli_say_text(to, "\nrows quickened  ");
  cli_say_number(to, m->report.rows[WEIR_TIER_QUICKENED]);
  if (m->report.native_bytes != 0) {
    cli_say_text(to, "\nrows native     ");
    cli_say_number(to, m->report.rows[WEIR_TIER_NATIVE]);
    cli_say_text(to, "\nnative code     ");
    cli_say_number(to, m->report.native_bytes);
    cli_say_text(to, " bytes, made in ");
    say_seconds(to, m->report.native_nanoseconds);
    cli_say_text(to, " seconds");
  }
  cli_say_text(to, "\n");
  for (uint32_t i = 0; i < WEIR_CAUSE_COUNT; i++) {
    if (m->report.declined[i] == 0) continue;
    cli_say_text(to, "declined        ");
    cli_say_number(to, m->report.declined[i]);
    cli_say_text(to, ": ");
    cli_say_text(to, weir_cause_text((weir_cause)i));
    cli_say_text(to, "\n");
  }
  static const char lead[] = "canonical       ";
  if (m->report.regions != 0) say_canonical(to, m->program, lead, lead, ": ", "\n");
}

static const char *const cause_names[WEIR_CAUSE_COUNT] = {
  [WEIR_CAUSE_OVERFLOW] = "overflow", [WEIR_CAUSE_DIV_ZERO] = "div_zero", [WEIR_CAUSE_DOMAIN] = "domain", [WEIR_CAUSE_GUARD] = "guard",
};

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
  cli_say_number(to, m->report.rows[WEIR_TIER_CANONICAL]);
  cli_say_text(to, ", \"quickened\": ");
  cli_say_number(to, m->report.rows[WEIR_TIER_QUICKENED]);
  cli_say_text(to, ", \"native\": ");
  cli_say_number(to, m->report.rows[WEIR_TIER_NATIVE]);
  cli_say_text(to, "}, \"native_bytes\": ");
  cli_say_number(to, m->report.native_bytes);
  cli_say_text(to, ", \"native_seconds\": ");
  say_seconds(to, m->report.native_nanoseconds);
  cli_say_text(to, ", \"declined\": {");
  for (uint32_t i = 0; i < WEIR_CAUSE_COUNT; i++) {
    cli_say_text(to, i == 0 ? "\"" : ", \"");
    cli_say_text(to, cause_names[i]);
    cli_say_text(to, "\": ");
    cli_say_number(to, m->report.declined[i]);
  }
  cli_say_text(to, "}, \"canonical_streams\": [");
  if (m->report.regions != 0)
    say_canonical(to, m->program, "{\"stream\": \"", ", {\"stream\": \"", "\", \"why\": \"", "\"}");
  cli_say_text(to, "]}\n");
}

void cli_report_stats(cli_say *to, cli_stats form, const cli_measures *m) {
  switch (form) {
    case CLI_STATS_NONE: return;
    case CLI_STATS_TEXT: say_text(to, m); break;
    case CLI_STATS_JSON: say_json(to, m); break;
  }
  (void)cli_say_end(to);
}
