/* bench/plot.c -- plots as inline SVG; see plot.h. */
#include "bench/plot.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 420, TOP = 8, HEIGHT = 300, BOTTOM = 40, ROW = 32 /* a category */, KEY = 18 /* a line of the key */, A_LINE = 3 /* names in it */ };
static const double left = 52, right = WIDTH - 18; /* ends of the x axis */

/* ---- Text ---- */

size_t plot_character(const unsigned char *p) {
  size_t n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  if (n == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xef && p[1] == 0xbf && p[2] > 0xbd))) return 0;
  if (n == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))) return 0;
  return n;
}

void plot_text(FILE *to, const char *text) {
  for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
    size_t n = plot_character(p);
    if (*p == '<') fputs("&lt;", to);
    else if (*p == '>') fputs("&gt;", to);
    else if (*p == '&') fputs("&amp;", to);
    else if (*p == '"') fputs("&quot;", to);
    else if (n == 0 || *p < 0x20 || *p == 0x7f) fputs("\xef\xbf\xbd", to);
    else fwrite(p, 1, n, to);
    p += n != 0 ? n : 1;
  }
}

static void words(FILE *to, double x, double y, const char *anchor, const char *text) {
  fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  plot_text(to, text);
  fputs("</text>\n", to);
}

/* ---- Axes ---- */

typedef struct axis {
  double from, to;  /* decimal logarithms */
  double at, until; /* where they stand in the drawing */
} axis;

static double place(const axis *a, double value) { return a->at + (log10(value) - a->from) / (a->to - a->from) * (a->until - a->at); }

static void widen(axis *a, double value) {
  double v = log10(value);
  if (v < a->from) a->from = v;
  if (v > a->to) a->to = v;
}

/* The whole of some decades, or, where they are few, some room at both ends. */
static void round_off(axis *a) {
  if (a->from > a->to) a->from = a->to = 0;
  if (a->to - a->from > 1.5) {
    a->from = floor(a->from + 1e-9);
    a->to = ceil(a->to - 1e-9);
  } else {
    a->from -= 0.1;
    a->to += 0.1;
  }
}

/* "1", "10k", "0.01": of 1, 2 and 5 times powers of ten. */
static void number(char text[32], double v) {
  if (v >= 0.9999e6) snprintf(text, 32, "%.4gM", v / 1e6);
  else if (v >= 0.9999e3) snprintf(text, 32, "%.4gk", v / 1e3);
  else snprintf(text, 32, "%.4g", v);
}

static void tick(FILE *to, const axis *a, bool is_x, double low, double high, double v, bool has_text) {
  char text[32];
  double p = place(a, v);
  number(text, v);
  if (is_x) fprintf(to, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n", p, high, low);
  else fprintf(to, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", low, p, high);
  if (has_text && is_x) words(to, p, low + 14, "middle", text);
  else if (has_text) words(to, low - 6, p + 4, "end", text);
}

/* Lines across, from `low` to `high` of the other axis, with numbers: at 1, 2 and 5 in each decade if they are few, else at each decade or
** some. */
static void ticks(FILE *to, const axis *a, bool is_x, double low, double high) {
  static const double parts[] = {1, 2, 5};
  double decades = a->to - a->from;
  int step = decades > 6.5 ? 2 : 1;
  size_t n = decades < 2.5 ? 3 : 1;
  for (int d = (int)floor(a->from) - 1; d <= (int)ceil(a->to); d++)
    for (size_t k = 0; k < n; k++) {
      double v = parts[k] * pow(10, d);
      if (log10(v) < a->from - 1e-9 || log10(v) > a->to + 1e-9) continue;
      tick(to, a, is_x, low, high, v, d % step == 0);
    }
}

/* ---- Marks ---- */

static void mark(FILE *to, int look, double x, double y) {
  static const char *const forms[PLOT_LOOKS] = {
    "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z", /* circle */
    "m-4 -4h8v8h-8z",                               /* square */
    "m0 -5l5 9h-10z",                               /* triangle */
    "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z",          /* diamond */
    "m0 5l5 -9h-10z",                               /* triangle, point down */
    "m-4.5 -1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z"};      /* cross */
  fprintf(to, "<path class=\"m c%d\" d=\"M%.1f %.1f%s\"/>\n", look, x, y, forms[look]);
}

/* The names of the series. */
static void key(FILE *to, const plot *p, double y) {
  for (size_t k = 0; k < p->n; k++) {
    double x = left + (double)(k % (size_t)A_LINE) * (right - left) / (double)A_LINE, at = y + (double)((int)k / A_LINE * KEY);
    mark(to, p->series[k].look, x, at - 4);
    words(to, x + 10, at, "start", p->series[k].name);
  }
}

static int key_height(const plot *p) { return ((int)p->n + A_LINE - 1) / A_LINE * KEY; }

static void begin(FILE *to, const plot *p, int height) {
  fprintf(to, "<svg viewBox=\"0 0 %d %d\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">\n<title>", WIDTH, height);
  plot_text(to, p->title);
  fputs("</title>\n", to);
}

/* ---- The two kinds ---- */

static void line(FILE *to, const plot_series *s, const axis *x, const axis *y) {
  if (s->n > 1) {
    fprintf(to, "<path class=\"l c%d\" d=\"", s->look);
    for (size_t i = 0; i < s->n; i++) fprintf(to, "%s%.1f %.1f", i == 0 ? "M" : "L", place(x, s->at[i].x), place(y, s->at[i].y));
    fputs("\"/>\n", to);
  }
  size_t step = (s->n + 7) / 8;
  for (size_t i = 0; i < s->n; i += step) mark(to, s->look, place(x, s->at[i].x), place(y, s->at[i].y));
}

void plot_lines(FILE *to, const plot *p) {
  int above = key_height(p), height = HEIGHT + above;
  axis x = {INFINITY, -INFINITY, left, right}, y = {INFINITY, -INFINITY, height - BOTTOM, TOP + above + 14};
  for (size_t k = 0; k < p->n; k++)
    for (size_t i = 0; i < p->series[k].n; i++) {
      widen(&x, p->series[k].at[i].x);
      widen(&y, p->series[k].at[i].y);
    }
  round_off(&x);
  round_off(&y);
  begin(to, p, height);
  key(to, p, TOP + 8);
  words(to, 2, TOP + above + 6, "start", p->y);
  ticks(to, &y, false, x.at, x.until);
  ticks(to, &x, true, y.at, y.until);
  words(to, (x.at + x.until) / 2, height - 6, "middle", p->x);
  for (size_t k = 0; k < p->n; k++) line(to, &p->series[k], &x, &y);
  fputs("</svg>\n", to);
}

/* Marks of the same value can be told apart: each stands a little lower than the one before. */
static const double apart = 3;

/* The middle of a category, below what stands above. */
static double row_at(int above, double category) { return above + 8 + (category + 0.5) * (double)ROW; }

void plot_marks(FILE *to, const plot *p, const char *const *categories, size_t n_categories) {
  int above = TOP + key_height(p), low = above + 8 + (int)n_categories * ROW, height = low + BOTTOM;
  axis x = {INFINITY, -INFINITY, left, right};
  for (size_t k = 0; k < p->n; k++)
    for (size_t i = 0; i < p->series[k].n; i++) widen(&x, p->series[k].at[i].x);
  round_off(&x);
  begin(to, p, height);
  key(to, p, TOP + 8);
  ticks(to, &x, true, low, above);
  words(to, (x.at + x.until) / 2, height - 6, "middle", p->x);
  for (size_t c = 0; c < n_categories; c++) {
    double y = row_at(above, (double)c);
    words(to, left - 8, y + 4, "end", categories[c]);
    fprintf(to, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", left, y, right);
  }
  for (size_t k = 0; k < p->n; k++)
    for (size_t i = 0; i < p->series[k].n; i++)
      mark(to, p->series[k].look, place(&x, p->series[k].at[i].x), row_at(above, p->series[k].at[i].y) + apart * ((double)k - (double)(p->n - 1) / 2));
  fputs("</svg>\n", to);
}
