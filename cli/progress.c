/* cli/progress.c -- drawing the bar: no floating-point text, no memory, no more than ten times a second. */
#include "cli/progress.h"

enum { WIDTH = 30 };
static const uint64_t patience = UINT64_C(2000000000), pause_between = UINT64_C(100000000); /* nanoseconds */

void cli_progress_begin(cli_progress *p, cli_say *to, uint64_t size, bool is_quiet, uint64_t now) {
  *p = (cli_progress){.to = to, .begin = now};
  p->is_on = !is_quiet && size != UINT64_MAX && size != 0 && wb_file_is_terminal(to->to);
}

static void draw(cli_progress *p, uint64_t percent, uint64_t ticks) {
  uint64_t full = percent * WIDTH / 100;
  cli_say_text(p->to, "\r[");
  cli_say_fill(p->to, '=', (size_t)full);
  cli_say_fill(p->to, ' ', (size_t)(WIDTH - full));
  cli_say_text(p->to, "] ");
  cli_say_number(p->to, percent);
  cli_say_text(p->to, " %, ");
  cli_say_number(p->to, ticks);
  cli_say_text(p->to, " ticks");
  (void)cli_say_end(p->to);
  p->is_drawn = true;
}

void cli_progress_tick(cli_progress *p, uint64_t read, uint64_t size, uint64_t ticks, uint64_t now) {
  if (!p->is_on || now - p->begin < patience || (p->is_drawn && now - p->drawn < pause_between)) return;
  uint64_t of = read < size ? read : size; /* a file may grow while it is read */
  p->drawn = now;
  draw(p, (uint64_t)((unsigned __int128)of * 100 / size), ticks);
}

void cli_progress_clear(cli_progress *p) {
  if (!p->is_drawn) return;
  cli_say_text(p->to, "\r\033[K");
  (void)cli_say_end(p->to);
  p->is_drawn = false;
}
