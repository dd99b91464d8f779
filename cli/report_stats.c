/* cli/report_stats.c -- what --stats tells at the end of a run: one table of measures, as text and as JSON.  No floating-point text: the C
** library's follows the locale. */
#include "cli/report_stats.h"

#include <stddef.h>
#include <string.h>

enum { MICRO = 1000000, LABEL = 16 /* characters of a label and the spaces behind it */ };

typedef enum value_form { NUMBER, TICK, SECONDS, YES_OR_NO, STATE, CACHE, WHY } value_form; /* TICK: or WEIR_NO_ROW; STATE, CACHE: of native code; WHY: a reason, if there is one */
typedef enum when { ALWAYS, IF_ANY } when; /* IF_ANY: in text not where it is 0, or no tick */

typedef struct measure {
  const char *label;        /* of its line of text; NULL: it goes on with the line before it, if that is there ... */
  const char *lead, *unit;  /* ... after `lead`; then comes the number, if it is one, then the unit: a noun, in the plural, begins with a space */
  when when;
  const char *group, *key;  /* in JSON, with small letters; group NULL: none */
  value_form form;
  size_t at;                /* in cli_measures */
} measure;

#define OF(field) offsetof(cli_measures, field)
static const measure measures[] = {
  {"ticks", "", "", ALWAYS, NULL, "ticks", NUMBER, OF(ticks)},
  {"seconds", "", "", ALWAYS, NULL, "seconds", SECONDS, OF(nanoseconds)},
  {"ticks/s", "", "", ALWAYS, NULL, "ticks_per_second", NUMBER, OF(ticks_per_second)},
  {"memory bound", "", " bytes", ALWAYS, NULL, "memory_bound", NUMBER, OF(bound)},
  {NULL, " + values", "", IF_ANY, NULL, "plus_values", YES_OR_NO, OF(plus_values)},
  {"memory peak", "", " bytes", ALWAYS, NULL, "memory_peak", NUMBER, OF(peak)},
  {"rows canonical", "", "", ALWAYS, "rows", "canonical", NUMBER, OF(report.rows[WEIR_TIER_CANONICAL])},
  {"rows quickened", "", "", ALWAYS, "rows", "quickened", NUMBER, OF(report.rows[WEIR_TIER_QUICKENED])},
  {"rows native", "", "", IF_ANY, "rows", "native", NUMBER, OF(report.rows[WEIR_TIER_NATIVE])},
  {"tiles", "", "", IF_ANY, "tiles", "all", NUMBER, OF(report.tiles)},
  {NULL, ", of small values ", "", IF_ANY, "tiles", "small", NUMBER, OF(report.tiles_small)},
  {NULL, ", given up ", "", IF_ANY, "tiles", "given_up", NUMBER, OF(report.tiles_given_up)},
  {"islands", "", "", IF_ANY, NULL, "islands", NUMBER, OF(report.islands)},
  {"native", "", "", IF_ANY, NULL, "native_state", STATE, OF(report.native_state)},
  {NULL, ": ", "", IF_ANY, NULL, "native_why", WHY, OF(report.why_not_native)},
  {NULL, ", ", " streams", IF_ANY, NULL, "native_streams", NUMBER, OF(report.native_streams)},
  {NULL, ", run ", " times", IF_ANY, NULL, "native_regions", NUMBER, OF(report.native_regions)},
  {"native code", "", " bytes", IF_ANY, NULL, "native_bytes", NUMBER, OF(report.native_bytes)},
  {NULL, ", ready in ", " seconds", IF_ANY, NULL, "native_seconds", SECONDS, OF(report.native_nanoseconds)},
  {NULL, ", ", "", IF_ANY, NULL, "native_cache", CACHE, OF(report.native_cache)},
  {NULL, ": ", "", IF_ANY, NULL, "native_cache_why", WHY, OF(report.native_cache_why)},
  {"native since", "tick ", "", IF_ANY, NULL, "native_since", TICK, OF(report.native_since)},
  {"native left", "", " times", IF_ANY, NULL, "native_left", NUMBER, OF(report.native_left)},
  {NULL, ", again at tick ", "", IF_ANY, NULL, "native_again", TICK, OF(report.native_again)},
  {"quickened for", "", " seconds", IF_ANY, NULL, "quick_seconds", SECONDS, OF(report.quick_nanoseconds)},
  {NULL, ", and compiling is to take ", "", IF_ANY, NULL, "compile_seconds", SECONDS, OF(report.compile_nanoseconds)},
  {"checked", "", " rows", IF_ANY, NULL, "checked", NUMBER, OF(report.checked)},
  {NULL, ", that differed ", " times", IF_ANY, NULL, "differences", NUMBER, OF(report.differences)},
  {NULL, ", from tick ", "", IF_ANY, NULL, "difference_row", TICK, OF(report.difference_row)},
#define X(name, what) {"declined", "", ": " what, IF_ANY, "declined", #name, NUMBER, OF(report.declined[WEIR_CAUSE_##name])},
  WEIR_CAUSES(X)
#undef X
#define X(name, what) {"left native", "", ": " what, IF_ANY, "exits", #name, NUMBER, OF(report.exits[WEIR_CAUSE_##name])},
  WEIR_CAUSES(X)
#undef X
};

/* A state has words for people and one for programs.  None has a character that JSON would escape. */
typedef struct words { const char *name, *what; } words;
static const words states[WEIR_NATIVE_STATE_COUNT] = {
#define X(name, what) [WEIR_NATIVE_##name] = {#name, what},
  WEIR_NATIVE_STATES(X)
#undef X
};
static const words cache_states[WEIR_CACHE_STATE_COUNT] = {
#define X(name, what) [WEIR_CACHE_##name] = {#name, what},
  WEIR_CACHE_STATES(X)
#undef X
};

static const char *why_of(const cli_measures *m, const measure *one) {
  return *(const char *const *)(const void *)((const char *)m + one->at);
}

static uint64_t value_of(const cli_measures *m, const measure *one) {
  const char *at = (const char *)m + one->at;
  uint64_t number;
  if (one->form == YES_OR_NO) return *(const bool *)at;
  if (one->form == STATE) return *(const weir_native_state *)(const void *)at;
  if (one->form == CACHE) return *(const weir_cache_state *)(const void *)at;
  if (one->form == WHY) return why_of(m, one) != NULL;
  memcpy(&number, at, sizeof number);
  return number;
}

/* Seconds with six digits behind the point. */
static void say_value(cli_say *to, value_form form, uint64_t value) {
  uint64_t micro = value / 1000;
  cli_say_number(to, form == SECONDS ? micro / MICRO : value);
  if (form != SECONDS) return;
  cli_say_text(to, ".");
  for (uint64_t unit = MICRO / 10; unit > 0; unit /= 10) cli_say_number(to, micro / unit % 10);
}

/* Without the plural's end behind a one. */
static void say_unit(cli_say *to, const measure *one, uint64_t value) {
  size_t n = strlen(one->unit);
  if (one->form == NUMBER && value == 1 && one->unit[0] == ' ') n--;
  cli_say_str(to, (wb_str){one->unit, n});
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
  bool has_line = false;
  for (size_t i = 0; i < WB_LEN(measures); i++) {
    const measure *one = &measures[i];
    uint64_t value = value_of(m, one);
    bool is_there = one->when == ALWAYS || (one->form == TICK ? value != WEIR_NO_ROW : value != 0);
    if (one->label != NULL) has_line = is_there;
    if (!is_there || !has_line) continue;
    if (one->label != NULL) {
      if (i != 0) cli_say_text(to, "\n");
      cli_say_text(to, one->label);
      cli_say_fill(to, ' ', LABEL - strlen(one->label));
    }
    cli_say_text(to, one->lead);
    if (one->form == STATE) cli_say_text(to, states[value].what);
    else if (one->form == CACHE) cli_say_text(to, cache_states[value].what);
    else if (one->form == WHY) cli_say_safe(to, (wb_str){why_of(m, one), strlen(why_of(m, one))});
    else if (one->form != YES_OR_NO) say_value(to, one->form, value);
    say_unit(to, one, value);
  }
  cli_say_text(to, "\n");
  static const char lead[] = "canonical       ";
  if (m->report.regions != 0) say_canonical(to, m->program, lead, lead, ": ", "\n");
}

/* "word", with small letters. */
static void say_word(cli_say *to, const char *word) {
  cli_say_text(to, "\"");
  for (; *word != '\0'; word++) cli_say_fill(to, *word >= 'A' && *word <= 'Z' ? (char)(*word + ('a' - 'A')) : *word, 1);
  cli_say_text(to, "\"");
}

static void say_key(cli_say *to, const char *key) {
  say_word(to, key);
  cli_say_text(to, ": ");
}

static bool is_same(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

static void say_json(cli_say *to, const cli_measures *m) {
  const char *group = NULL;
  cli_say_text(to, "{\"version\": 1");
  for (size_t i = 0; i < WB_LEN(measures); i++) {
    const measure *one = &measures[i];
    bool is_first = !is_same(group, one->group);
    if (is_first && group != NULL) cli_say_text(to, "}");
    cli_say_text(to, ", ");
    if (is_first && one->group != NULL) {
      say_key(to, one->group);
      cli_say_text(to, "{");
    }
    group = one->group;
    say_key(to, one->key);
    if (one->form == STATE) say_word(to, states[value_of(m, one)].name);
    else if (one->form == CACHE) say_word(to, cache_states[value_of(m, one)].name);
    else if (one->form == WHY) cli_say_json(to, why_of(m, one));
    else if (one->form == TICK && value_of(m, one) == WEIR_NO_ROW) cli_say_text(to, "null");
    else if (one->form == YES_OR_NO) cli_say_text(to, value_of(m, one) ? "true" : "false");
    else say_value(to, one->form, value_of(m, one));
  }
  if (group != NULL) cli_say_text(to, "}");
  cli_say_text(to, ", \"canonical_streams\": [");
  if (m->report.regions != 0)
    say_canonical(to, m->program, "{\"stream\": \"", ", {\"stream\": \"", "\", \"why\": \"", "\"}");
  cli_say_text(to, "]}\n");
}

void cli_report_stats(cli_say *to, cli_stats form, const cli_measures *measured) {
  cli_measures m = *measured;
  m.ticks_per_second = per_second(measured);
  switch (form) {
    case CLI_STATS_NONE: return;
    case CLI_STATS_TEXT: say_text(to, &m); break;
    case CLI_STATS_JSON: say_json(to, &m); break;
  }
  (void)cli_say_end(to);
}
