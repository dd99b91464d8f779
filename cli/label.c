/* cli/label.c -- the order of times; see label.h. */
#include "cli/label.h"

#include <string.h>

#include "ir/base/num.h"

static cli_time read_time(wb_str text, bool is_text) {
  cli_time t = {.kind = CLI_TIME_TEXT};
  if (is_text) return t;
  wb_num kind = wb_read_number(text, &t.i, &t.f);
  if (kind == WB_NUM_INT) t.kind = CLI_TIME_INT;
  if (kind == WB_NUM_FLOAT) t.kind = CLI_TIME_FLOAT;
  return t;
}

static double as_float(const cli_time *t) { return t->kind == CLI_TIME_INT ? (double)t->i : t->f; }

static int compare_texts(wb_str a, wb_str b) {
  int c = memcmp(a.at, b.at, WB_MIN(a.n, b.n));
  return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}

static cli_time_step step(const cli_time *last, const cli_time *now, wb_str text) {
  if (text.n == 0 || (now->kind == CLI_TIME_FLOAT && now->f != now->f)) return CLI_TIME_IS_NONE;
  if (last->kind == CLI_TIME_NONE) return CLI_TIME_GOES_ON;
  if ((last->kind == CLI_TIME_TEXT) != (now->kind == CLI_TIME_TEXT)) return CLI_TIME_CHANGES;
  bool goes_back;
  if (now->kind == CLI_TIME_TEXT) goes_back = compare_texts(text, (wb_str){last->text.at, last->text.n}) < 0;
  else if (now->kind == CLI_TIME_INT && last->kind == CLI_TIME_INT) goes_back = now->i < last->i;
  else goes_back = as_float(now) < as_float(last);
  return goes_back ? CLI_TIME_GOES_BACK : CLI_TIME_GOES_ON;
}

cli_time_step cli_time_take(cli_time *last, wb_mem *mem, wb_str text, bool is_text) {
  cli_time now = read_time(text, is_text);
  cli_time_step rc = step(last, &now, text);
  if (rc != CLI_TIME_GOES_ON) return rc;
  last->text.n = 0;
  if (!WB_VEC_ROOM(mem, &last->text, text.n)) return CLI_TIME_NO_MEMORY;
  memcpy(last->text.at, text.at, text.n);
  last->text.n = text.n;
  last->kind = now.kind;
  last->i = now.i;
  last->f = now.f;
  return CLI_TIME_GOES_ON;
}
